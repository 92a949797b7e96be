// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/core/text.h"
#include "record/json/bytes.h"
#include "record/mcap/chunk_codec.h"
#include "record/mcap/mcap_format.h"
#include "record/mcap/mcap_reader.h"
#include "record/mcap/mcap_writer.h"
#include "support/assets.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MESSAGES 60
#define PER_CHUNK 7

// Message i: on channel i % 2, some bytes that depend on i; MESSAGES of them in chunks of
// PER_CHUNK.
static size_t message_text(int i, char* text) {
    return (size_t)sprintf(text, "{\"i\":%d,\"pad\":\"%.*s\"}", i, i,
                           "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
                           "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
}

static iso_status write_sample(iso_context* ctx, const char* path) {
    iso_status status = ISO_OK;
    iso_mcap_writer* writer = NULL;
    int channels[2];
    ISO_TRY(iso_mcap_writer_open(ctx, path, &writer));
    const iso_mcap_schema schema = {.name = "A", .data = "{}", .size = 2};
    ISO_TRY(iso_mcap_writer_add_channel(writer, "/a", &schema, &channels[0]));
    for (int i = 0; i < MESSAGES; ++i) {
        char text[128];
        if (i == 1) { // a channel may come late
            ISO_TRY(iso_mcap_writer_add_channel(writer, "/b", &schema, &channels[1]));
        }
        size_t size = message_text(i, text);
        ISO_TRY(iso_mcap_writer_put(writer, channels[i % 2], (uint32_t)i, 1000U * (uint32_t)i, text,
                                    size));
        if (i % PER_CHUNK == PER_CHUNK - 1) {
            ISO_TRY(iso_mcap_writer_flush(writer));
        }
    }

done:;
    iso_status closed = iso_mcap_writer_close(writer);
    return status != ISO_OK ? status : closed;
}

static void check_message(iso_context* ctx, iso_mcap_reader* reader, int i) {
    const iso_mcap_message* message = iso_mcap_reader_message(reader, i);
    char want[128];
    const char* data;
    assert_int_equal(message->channel, i % 2);
    assert_int_equal(message->sequence, i);
    assert_int_equal(message->log_time, 1000 * i);
    assert_int_equal(message->size, message_text(i, want));
    CHECK_OK(ctx, iso_mcap_reader_read(reader, message, &data));
    assert_memory_equal(data, want, message->size);
}

static void crc_matches_the_published_check_value(void** state) {
    (void)state;
    assert_int_equal(iso_chunk_crc(0, "123456789", 9), 0xcbf43926U);
    // In pieces, from odd addresses.
    char text[200];
    for (int i = 0; i < 200; ++i) {
        text[i] = (char)(i * 37);
    }
    uint32_t whole = iso_chunk_crc(0, text, 200);
    for (size_t cut = 0; cut <= 200; ++cut) {
        uint32_t crc = iso_chunk_crc(0, text, cut);
        assert_int_equal(iso_chunk_crc(crc, text + cut, 200 - cut), whole);
    }
}

static void base64_matches_the_published_examples(void** state) {
    (void)state;
    static const char* const examples[][2] = {
        {"", ""},        {"f", "Zg=="},        {"fo", "Zm8="},
        {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"foobar", "Zm9vYmFy"}};
    iso_context* ctx = test_context();
    iso_bytes bytes = iso_bytes_make(ctx);
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; ++i) {
        iso_bytes_clear(&bytes);
        iso_bytes_put_base64(&bytes, examples[i][0], strlen(examples[i][0]));
        iso_bytes_put_u8(&bytes, 0);
        assert_string_equal(bytes.data, examples[i][1]);
    }
    iso_bytes_free(&bytes);
    test_context_destroy(ctx);
}

static void written_messages_read_back(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    char path[TEST_PATH_SIZE];
    iso_mcap_reader* reader;
    CHECK_OK(ctx, write_sample(ctx, temp_path(path, "round.mcap")));
    CHECK_OK(ctx, iso_mcap_reader_open(ctx, path, &reader));
    assert_true(iso_mcap_reader_is_complete(reader));
    assert_int_equal(iso_mcap_reader_channel_count(reader), 2);
    assert_string_equal(iso_mcap_reader_topic(reader, 1), "/b");
    assert_string_equal(iso_mcap_reader_encoding(reader, 1), "json");
    assert_int_equal(iso_mcap_reader_find(reader, "/b"), 1);
    assert_int_equal(iso_mcap_reader_find(reader, "/c"), -1);
    assert_int_equal(iso_mcap_reader_message_count(reader), MESSAGES);
    for (int i = MESSAGES - 1; i >= 0; --i) {
        check_message(ctx, reader, i);
    }
    iso_mcap_reader_close(reader);
    test_context_destroy(ctx);
}

// A file cut at any place gives every message of the chunks that are whole.
static void truncated_file_gives_its_whole_chunks(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    char path[TEST_PATH_SIZE];
    char* bytes;
    size_t size;
    CHECK_OK(ctx, write_sample(ctx, temp_path(path, "cut.mcap")));
    CHECK_OK(ctx, iso_file_read(ctx, path, 1 << 20, &bytes, &size));
    int previous = 0;
    for (size_t cut = 100; cut < size; cut += 100) {
        iso_mcap_reader* reader;
        FILE* file = fmemopen(bytes, cut, "rb");
        assert_non_null(file);
        CHECK_OK(ctx, iso_mcap_reader_open_stream(ctx, file, "cut", &reader));
        int count = iso_mcap_reader_message_count(reader);
        assert_true(count == MESSAGES || count % PER_CHUNK == 0);
        assert_true(count >= previous);
        for (int i = 0; i < count; ++i) {
            check_message(ctx, reader, i);
        }
        previous = count;
        iso_mcap_reader_close(reader);
    }
    assert_int_equal(previous, MESSAGES);
    iso_free(ctx, bytes);
    test_context_destroy(ctx);
}

// A changed byte is either harmless (index, summary) or an error; it never gives wrong messages.
static void damaged_file_is_an_error_or_still_right(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    char path[TEST_PATH_SIZE];
    char* bytes;
    size_t size;
    CHECK_OK(ctx, write_sample(ctx, temp_path(path, "damaged.mcap")));
    CHECK_OK(ctx, iso_file_read(ctx, path, 1 << 20, &bytes, &size));
    int refused = 0;
    for (size_t at = 0; at < size; at += 3) {
        iso_mcap_reader* reader;
        bytes[at] = (char)(bytes[at] ^ 0x40);
        iso_status status =
            iso_mcap_reader_open_stream(ctx, fmemopen(bytes, size, "rb"), "damaged", &reader);
        bytes[at] = (char)(bytes[at] ^ 0x40);
        if (status == ISO_OK) {
            int count = iso_mcap_reader_message_count(reader);
            assert_true(count <= MESSAGES);
            for (int i = 0; i < count; ++i) {
                check_message(ctx, reader, i);
            }
            iso_mcap_reader_close(reader);
        } else {
            assert_true(status == ISO_ERR_PARSE || status == ISO_ERR_UNSUPPORTED);
            CHECK_ERROR(ctx, "damaged: ");
            ++refused;
        }
    }
    CHECK(refused > 100, "only %d changes were noticed", refused);
    iso_free(ctx, bytes);
    test_context_destroy(ctx);
}

// A record of this opcode whose contents are size bytes.
static size_t put_record(iso_bytes* out, unsigned opcode, const iso_bytes* contents) {
    iso_bytes_put_u8(out, opcode);
    iso_bytes_put_u64(out, contents->size);
    iso_bytes_put(out, contents->data, contents->size);
    return out->size;
}

static iso_status read_bytes(iso_context* ctx, const iso_bytes* bytes) {
    iso_mcap_reader* reader;
    iso_status status =
        iso_mcap_reader_open_stream(ctx, fmemopen(bytes->data, bytes->size, "rb"), "made", &reader);
    if (status == ISO_OK) {
        iso_mcap_reader_close(reader);
    }
    return status;
}

static void impossible_files_are_refused_with_a_reason(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_bytes contents = iso_bytes_make(ctx), file = iso_bytes_make(ctx);
    iso_mcap_reader* reader;

    CHECK_STATUS(ctx, iso_mcap_reader_open(ctx, "/nonexistent/x.mcap", &reader), ISO_ERR_IO);
    CHECK_ERROR(ctx, "/nonexistent/x.mcap");
    CHECK_STATUS(ctx, iso_mcap_reader_open(ctx, "/", &reader), ISO_ERR_IO);
    iso_bytes_put(&file, "not MCAP at all", 15);
    CHECK_STATUS(ctx, read_bytes(ctx, &file), ISO_ERR_PARSE);
    CHECK_ERROR(ctx, "does not start like an MCAP recording");
    file.size = 3;
    CHECK_STATUS(ctx, read_bytes(ctx, &file), ISO_ERR_PARSE);
    CHECK_ERROR(ctx, "3 bytes are not an MCAP recording");

    // A chunk in a compression we do not read.
    iso_bytes_clear(&file);
    iso_bytes_put(&file, ISO_MCAP_MAGIC, ISO_MCAP_MAGIC_SIZE);
    for (int i = 0; i < 3; ++i) {
        iso_bytes_put_u64(&contents, 0);
    }
    iso_bytes_put_u32(&contents, 0);
    iso_bytes_put_text(&contents, "lz4");
    iso_bytes_put_u64(&contents, 0);
    put_record(&file, ISO_MCAP_CHUNK, &contents);
    CHECK_STATUS(ctx, read_bytes(ctx, &file), ISO_ERR_UNSUPPORTED);
    CHECK_ERROR(ctx, "compressed with \"lz4\", expected zstd or none");

    // A chunk that claims to hold 2^40 bytes, and one that zstd cannot read.
    for (int i = 0; i < 2; ++i) {
        file.size = ISO_MCAP_MAGIC_SIZE;
        iso_bytes_clear(&contents);
        iso_bytes_put_u64(&contents, 0);
        iso_bytes_put_u64(&contents, 0);
        iso_bytes_put_u64(&contents, i == 0 ? (uint64_t)1 << 40 : 100);
        iso_bytes_put_u32(&contents, 0);
        iso_bytes_put_text(&contents, "zstd");
        iso_bytes_put_u64(&contents, 4);
        iso_bytes_put(&contents, "none", 4);
        put_record(&file, ISO_MCAP_CHUNK, &contents);
        CHECK_STATUS(ctx, read_bytes(ctx, &file), i == 0 ? ISO_ERR_UNSUPPORTED : ISO_ERR_PARSE);
        CHECK_ERROR(ctx,
                    i == 0 ? "1099511627776 bytes, expected at most" : "cannot be decompressed");
    }

    // A message of a channel that nobody announced; a record that claims 2^60 bytes.
    file.size = ISO_MCAP_MAGIC_SIZE;
    iso_bytes_clear(&contents);
    iso_bytes_put(&contents, "0123456789012345678901", 22);
    put_record(&file, ISO_MCAP_MESSAGE, &contents);
    CHECK_STATUS(ctx, read_bytes(ctx, &file), ISO_ERR_PARSE);
    CHECK_ERROR(ctx, "channel that was not announced");
    file.size = ISO_MCAP_MAGIC_SIZE;
    iso_bytes_put_u8(&file, ISO_MCAP_CHUNK);
    iso_bytes_put_u64(&file, (uint64_t)1 << 60);
    CHECK_OK(ctx, read_bytes(ctx, &file)); // cut short, as far as anyone can tell
    iso_bytes_free(&contents);
    iso_bytes_free(&file);
    test_context_destroy(ctx);
}

static void write_errors_name_the_file(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    CHECK_STATUS(ctx, write_sample(ctx, "/nonexistent/x.mcap"), ISO_ERR_IO);
    CHECK_ERROR(ctx, "/nonexistent/x.mcap");
    CHECK_STATUS(ctx, write_sample(ctx, "/dev/full"), ISO_ERR_IO);
    CHECK_ERROR(ctx, "/dev/full");
    CHECK_ERROR(ctx, "No space left");
    test_context_destroy(ctx);
}

static iso_status write_and_read(iso_context* ctx, void* user) {
    iso_mcap_reader* reader = NULL;
    iso_status status = write_sample(ctx, user);
    if (status == ISO_OK) {
        status = iso_mcap_reader_open(ctx, user, &reader);
    }
    if (status == ISO_OK) {
        const char* data;
        status = iso_mcap_reader_read(reader, iso_mcap_reader_message(reader, 0), &data);
        iso_mcap_reader_close(reader);
    }
    return status;
}

static void files_survive_every_allocation_failure(void** state) {
    (void)state;
    char path[TEST_PATH_SIZE];
    int count =
        check_every_allocation_failure(write_and_read, (void*)temp_path(path, "alloc.mcap"));
    CHECK(count > 20, "%d allocations", count);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crc_matches_the_published_check_value),
        cmocka_unit_test(base64_matches_the_published_examples),
        cmocka_unit_test(written_messages_read_back),
        cmocka_unit_test(truncated_file_gives_its_whole_chunks),
        cmocka_unit_test(damaged_file_is_an_error_or_still_right),
        cmocka_unit_test(impossible_files_are_refused_with_a_reason),
        cmocka_unit_test(write_errors_name_the_file),
        cmocka_unit_test(files_survive_every_allocation_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
