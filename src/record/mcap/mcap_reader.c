// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "record/mcap/mcap_reader.h"

#include "base/core/array.h"
#include "base/core/text.h"
#include "record/json/bytes.h"
#include "record/mcap/chunk_codec.h"
#include "record/mcap/mcap_format.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

typedef struct channel_info {
    char* topic;
    char* encoding;
} channel_info;

typedef struct packed_chunk {
    uint64_t offset, packed_size; ///< in the file
    uint64_t size;                ///< of its records
} packed_chunk;

struct iso_mcap_reader {
    iso_context* ctx;
    FILE* file;
    char* name;
    uint64_t size;   ///< of the file
    uint64_t offset; ///< where the scan is
    bool is_complete;
    bool is_after_chunk; ///< the last record was a chunk or one of its message indices
    iso_bytes buffer;
    iso_bytes records; ///< of the compressed chunk that was read last
    int open_chunk;    ///< its index, -1: none
    ISO_ARRAY(packed_chunk) chunks;
    ISO_ARRAY(channel_info) channels;
    ISO_ARRAY(iso_mcap_message) messages;
    int channel_of_id[65536]; ///< index + 1 of the channel with this id, 0: none
};

// A stretch of a record's contents that is being read; too short a stretch sticks.
typedef struct cursor {
    const char* at;
    size_t left;
    bool is_short;
} cursor;

static const char* take(cursor* c, uint64_t size) {
    if (c->is_short || size > c->left) {
        c->is_short = true;
        return NULL;
    }
    const char* at = c->at;
    c->at += size;
    c->left -= (size_t)size;
    return at;
}

static uint32_t take_u16(cursor* c) {
    const char* at = take(c, 2);
    return at ? iso_load_u16(at) : 0;
}

static uint32_t take_u32(cursor* c) {
    const char* at = take(c, 4);
    return at ? iso_load_u32(at) : 0;
}

static uint64_t take_u64(cursor* c) {
    const char* at = take(c, 8);
    return at ? iso_load_u64(at) : 0;
}

static const char* take_text(cursor* c, size_t* out_size) {
    *out_size = take_u32(c);
    return take(c, *out_size);
}

static iso_status fail_damaged(const iso_mcap_reader* reader, uint64_t offset, const char* what) {
    return iso_fail(reader->ctx, ISO_ERR_PARSE, __func__, "%s: damaged at byte %llu: %s",
                    reader->name, (unsigned long long)offset, what);
}

// Read size bytes from the present position into the buffer.
static iso_status read_bytes(iso_mcap_reader* reader, uint64_t size) {
    iso_bytes_clear(&reader->buffer);
    char* room = size < SIZE_MAX ? iso_bytes_reserve(&reader->buffer, (size_t)size + 1) : NULL;
    ISO_REQUIRE(reader->ctx, room, ISO_ERR_MEMORY, "%s: record of %llu bytes", reader->name,
                (unsigned long long)size);
    ISO_REQUIRE(reader->ctx, fread(room, 1, (size_t)size, reader->file) == size, ISO_ERR_IO,
                "%s: cannot read %llu bytes: %s", reader->name, (unsigned long long)size,
                ferror(reader->file) ? strerror(errno) : "the file became shorter");
    room[size] = '\0';
    return ISO_OK;
}

static iso_status seek(iso_mcap_reader* reader, uint64_t offset) {
    ISO_REQUIRE(reader->ctx, offset <= LONG_MAX && fseek(reader->file, (long)offset, SEEK_SET) == 0,
                ISO_ERR_IO, "%s: cannot seek to byte %llu", reader->name,
                (unsigned long long)offset);
    return ISO_OK;
}

static int find_channel(const iso_mcap_reader* reader, uint32_t id) {
    return reader->channel_of_id[id] - 1;
}

// A channel may be announced again; only the first time counts.
static iso_status add_channel(iso_mcap_reader* reader, cursor c, uint64_t offset) {
    iso_context* ctx = reader->ctx;
    size_t topic_size, encoding_size;
    uint32_t id = take_u16(&c);
    take_u16(&c); // schema
    const char* topic = take_text(&c, &topic_size);
    const char* encoding = take_text(&c, &encoding_size);
    if (c.is_short) {
        return fail_damaged(reader, offset, "channel too short");
    }
    if (find_channel(reader, id) >= 0) {
        return ISO_OK;
    }
    iso_status status = ISO_ARRAY_GROW(ctx, &reader->channels);
    if (status != ISO_OK) {
        return status;
    }
    channel_info* channel = &reader->channels.data[reader->channels.count++];
    *channel = (channel_info){iso_strndup(ctx, topic, topic_size),
                              iso_strndup(ctx, encoding, encoding_size)};
    ISO_REQUIRE(ctx, channel->topic && channel->encoding, ISO_ERR_MEMORY, "%s: channel",
                reader->name);
    reader->channel_of_id[id] = reader->channels.count;
    return ISO_OK;
}

// offset is that of the record's contents in the records of the chunk, or in the file.
static iso_status add_message(iso_mcap_reader* reader, cursor c, int chunk, uint64_t offset) {
    size_t whole = c.left;
    int channel = find_channel(reader, take_u16(&c));
    uint32_t sequence = take_u32(&c);
    uint64_t log_time = take_u64(&c);
    take_u64(&c); // publish time
    if (c.is_short) {
        return fail_damaged(reader, offset, "message too short");
    }
    if (channel < 0) {
        return fail_damaged(reader, offset, "message of a channel that was not announced");
    }
    iso_status status = ISO_ARRAY_GROW(reader->ctx, &reader->messages);
    if (status == ISO_OK) {
        reader->messages.data[reader->messages.count++] = (iso_mcap_message){
            channel, sequence, log_time, chunk, offset + (whole - c.left), (uint64_t)c.left};
    }
    return status;
}

static iso_status add_record(iso_mcap_reader* reader, int opcode, cursor contents, int chunk,
                             uint64_t offset) {
    switch (opcode) {
    case ISO_MCAP_CHANNEL:
        return add_channel(reader, contents, offset);
    case ISO_MCAP_MESSAGE:
        return add_message(reader, contents, chunk, offset);
    default:
        return ISO_OK; // schemas, and what later versions may add
    }
}

static iso_status add_records(iso_mcap_reader* reader, const char* records, uint64_t size,
                              int chunk, uint64_t offset) {
    cursor r = {records, (size_t)size, false};
    while (r.left > 0) {
        uint64_t at = offset + (uint64_t)(r.at - records);
        const char* opcode = take(&r, 1);
        uint64_t length = take_u64(&r);
        const char* contents = take(&r, length);
        if (r.is_short) {
            return fail_damaged(reader, at, "record longer than its chunk");
        }
        iso_status status =
            add_record(reader, (unsigned char)*opcode, (cursor){contents, (size_t)length, false},
                       chunk, at + ISO_MCAP_RECORD_HEAD);
        if (status != ISO_OK) {
            return status;
        }
    }
    return ISO_OK;
}

static iso_status unpack(iso_mcap_reader* reader, const char* packed, int index) {
    const packed_chunk* chunk = &reader->chunks.data[index];
    reader->open_chunk = -1;
    bool is_sound = iso_chunk_decompress(packed, (size_t)chunk->packed_size, (size_t)chunk->size,
                                         &reader->records);
    if (!is_sound) {
        iso_status status = iso_bytes_status(&reader->records);
        return status != ISO_OK
                   ? status
                   : fail_damaged(reader, chunk->offset, "chunk that cannot be decompressed");
    }
    reader->open_chunk = index;
    return ISO_OK;
}

static iso_status add_packed_chunk(iso_mcap_reader* reader, const char* packed, packed_chunk chunk,
                                   const char** out_records) {
    ISO_REQUIRE(reader->ctx, chunk.size <= ISO_CHUNK_MOST_BYTES, ISO_ERR_UNSUPPORTED,
                "%s: chunk at byte %llu of %llu bytes, expected at most %llu", reader->name,
                (unsigned long long)chunk.offset, (unsigned long long)chunk.size,
                (unsigned long long)ISO_CHUNK_MOST_BYTES);
    iso_status status = ISO_ARRAY_GROW(reader->ctx, &reader->chunks);
    if (status == ISO_OK) {
        reader->chunks.data[reader->chunks.count++] = chunk;
        status = unpack(reader, packed, reader->chunks.count - 1);
    }
    *out_records = reader->records.data;
    return status;
}

// A chunk's contents are in the buffer; offset is theirs in the file.
static iso_status add_chunk(iso_mcap_reader* reader, uint64_t size, uint64_t offset) {
    cursor c = {reader->buffer.data, (size_t)size, false};
    iso_status status = ISO_OK;
    take_u64(&c); // start time
    take_u64(&c); // end time
    uint64_t records_size = take_u64(&c);
    uint32_t crc = take_u32(&c);
    size_t name_size;
    const char* compression = take_text(&c, &name_size);
    uint64_t stored_size = take_u64(&c);
    const char* records = take(&c, stored_size);
    if (c.is_short) {
        return fail_damaged(reader, offset, "chunk shorter than its own size");
    }
    uint64_t at = offset + (uint64_t)(records - reader->buffer.data);
    bool is_packed = name_size == strlen(ISO_CHUNK_COMPRESSION) &&
                     memcmp(compression, ISO_CHUNK_COMPRESSION, name_size) == 0;
    ISO_REQUIRE(reader->ctx, name_size == 0 || is_packed, ISO_ERR_UNSUPPORTED,
                "%s: chunk at byte %llu is compressed with \"%.*s\", expected %s or none",
                reader->name, (unsigned long long)offset, name_size < 16 ? (int)name_size : 16,
                compression, ISO_CHUNK_COMPRESSION);
    if (!is_packed && records_size != stored_size) {
        return fail_damaged(reader, offset, "chunk with two sizes");
    }
    if (is_packed) {
        packed_chunk chunk = {at, stored_size, records_size};
        ISO_TRY(add_packed_chunk(reader, records, chunk, &records));
        at = 0;
    }
    if (crc != 0 && crc != iso_chunk_crc(0, records, (size_t)records_size)) {
        return fail_damaged(reader, offset, "chunk with a wrong CRC");
    }
    status = add_records(reader, records, records_size, is_packed ? reader->open_chunk : -1, at);

done:
    return status;
}

// One record of the file. Sets out_is_end at the data's end and where the file is cut.
static iso_status scan_record(iso_mcap_reader* reader, bool* out_is_end) {
    iso_status status = ISO_OK;
    *out_is_end = reader->size - reader->offset < ISO_MCAP_RECORD_HEAD;
    if (*out_is_end) {
        return ISO_OK;
    }
    ISO_TRY(read_bytes(reader, ISO_MCAP_RECORD_HEAD));
    int opcode = (unsigned char)reader->buffer.data[0];
    uint64_t length = iso_load_u64(reader->buffer.data + 1);
    uint64_t contents = reader->offset + ISO_MCAP_RECORD_HEAD;
    *out_is_end = length > reader->size - contents;
    if (*out_is_end) {
        return ISO_OK;
    }
    if (opcode == ISO_MCAP_MESSAGE_INDEX && !reader->is_after_chunk) {
        return fail_damaged(reader, reader->offset, "message index without its chunk");
    }
    reader->is_after_chunk = opcode == ISO_MCAP_CHUNK || opcode == ISO_MCAP_MESSAGE_INDEX;
    bool is_needed =
        opcode == ISO_MCAP_CHUNK || opcode == ISO_MCAP_MESSAGE || opcode == ISO_MCAP_CHANNEL;
    if (is_needed) {
        ISO_TRY(read_bytes(reader, length));
    } else {
        ISO_TRY(seek(reader, contents + length));
    }
    if (opcode == ISO_MCAP_CHUNK) {
        ISO_TRY(add_chunk(reader, length, contents));
    } else if (is_needed) {
        cursor c = {reader->buffer.data, (size_t)length, false};
        ISO_TRY(add_record(reader, opcode, c, -1, contents));
    } else if (opcode == ISO_MCAP_FOOTER) {
        *out_is_end = true;
        reader->is_complete = reader->size - contents - length >= ISO_MCAP_MAGIC_SIZE;
    }
    reader->offset = contents + length;

done:
    return status;
}

static iso_status scan_file(iso_mcap_reader* reader) {
    iso_status status = ISO_OK;
    iso_context* ctx = reader->ctx;
    ISO_CHECK(ctx, fseek(reader->file, 0, SEEK_END) == 0, ISO_ERR_IO, "%s: cannot seek",
              reader->name);
    long size = ftell(reader->file);
    ISO_CHECK(ctx, size >= 0 && size < LONG_MAX, ISO_ERR_IO, "%s: is not a regular file",
              reader->name);
    reader->size = (uint64_t)size;
    ISO_TRY(seek(reader, 0));
    ISO_CHECK(ctx, reader->size >= ISO_MCAP_MAGIC_SIZE, ISO_ERR_PARSE,
              "%s: %ld bytes are not an MCAP recording", reader->name, size);
    ISO_TRY(read_bytes(reader, ISO_MCAP_MAGIC_SIZE));
    ISO_CHECK(ctx, memcmp(reader->buffer.data, ISO_MCAP_MAGIC, ISO_MCAP_MAGIC_SIZE) == 0,
              ISO_ERR_PARSE, "%s: does not start like an MCAP recording", reader->name);
    reader->offset = ISO_MCAP_MAGIC_SIZE;
    for (bool is_end = false; !is_end;) {
        ISO_TRY(scan_record(reader, &is_end));
    }

done:
    return status;
}

iso_status iso_mcap_reader_open_stream(iso_context* ctx, FILE* file, const char* name,
                                       iso_mcap_reader** out_reader) {
    iso_status status = ISO_OK;
    *out_reader = NULL;
    iso_mcap_reader* reader = iso_alloc_zeroed(ctx, sizeof *reader);
    if (!reader) {
        fclose(file);
        return iso_fail(ctx, ISO_ERR_MEMORY, __func__, "%s: reader", name);
    }
    reader->ctx = ctx;
    reader->file = file;
    reader->buffer = reader->records = iso_bytes_make(ctx);
    reader->open_chunk = -1;
    reader->name = iso_strdup(ctx, name);
    ISO_CHECK(ctx, reader->name, ISO_ERR_MEMORY, "%s: reader", name);
    ISO_TRY(scan_file(reader));
    *out_reader = reader;

done:
    if (status != ISO_OK) {
        iso_mcap_reader_close(reader);
    }
    return status;
}

iso_status iso_mcap_reader_open(iso_context* ctx, const char* path, iso_mcap_reader** out_reader) {
    *out_reader = NULL;
    FILE* file = NULL;
    iso_status status = iso_file_open(ctx, path, &file);
    return status == ISO_OK ? iso_mcap_reader_open_stream(ctx, file, path, out_reader) : status;
}

void iso_mcap_reader_close(iso_mcap_reader* reader) {
    if (!reader) {
        return;
    }
    iso_context* ctx = reader->ctx;
    fclose(reader->file);
    for (int i = 0; i < reader->channels.count; ++i) {
        iso_free(ctx, reader->channels.data[i].topic);
        iso_free(ctx, reader->channels.data[i].encoding);
    }
    ISO_ARRAY_FREE(ctx, &reader->channels);
    ISO_ARRAY_FREE(ctx, &reader->messages);
    ISO_ARRAY_FREE(ctx, &reader->chunks);
    iso_bytes_free(&reader->buffer);
    iso_bytes_free(&reader->records);
    iso_free(ctx, reader->name);
    iso_free(ctx, reader);
}

bool iso_mcap_reader_is_complete(const iso_mcap_reader* reader) {
    return reader->is_complete;
}

const char* iso_mcap_reader_name(const iso_mcap_reader* reader) {
    return reader->name;
}

int iso_mcap_reader_channel_count(const iso_mcap_reader* reader) {
    return reader->channels.count;
}

const char* iso_mcap_reader_topic(const iso_mcap_reader* reader, int channel) {
    return reader->channels.data[channel].topic;
}

const char* iso_mcap_reader_encoding(const iso_mcap_reader* reader, int channel) {
    return reader->channels.data[channel].encoding;
}

int iso_mcap_reader_find(const iso_mcap_reader* reader, const char* topic) {
    for (int i = 0; i < reader->channels.count; ++i) {
        if (strcmp(reader->channels.data[i].topic, topic) == 0) {
            return i;
        }
    }
    return -1;
}

int iso_mcap_reader_message_count(const iso_mcap_reader* reader) {
    return reader->messages.count;
}

const iso_mcap_message* iso_mcap_reader_message(const iso_mcap_reader* reader, int index) {
    return &reader->messages.data[index];
}

static iso_status open_chunk(iso_mcap_reader* reader, int index) {
    const packed_chunk* chunk = &reader->chunks.data[index];
    if (reader->open_chunk == index) {
        return ISO_OK;
    }
    iso_status status = seek(reader, chunk->offset);
    if (status == ISO_OK) {
        status = read_bytes(reader, chunk->packed_size);
    }
    return status == ISO_OK ? unpack(reader, reader->buffer.data, index) : status;
}

iso_status iso_mcap_reader_read(iso_mcap_reader* reader, const iso_mcap_message* message,
                                const char** out_data) {
    bool is_packed = message->chunk >= 0;
    iso_status status =
        is_packed ? open_chunk(reader, message->chunk) : seek(reader, message->offset);
    if (status == ISO_OK && !is_packed) {
        status = read_bytes(reader, message->size);
    }
    *out_data = NULL;
    if (status == ISO_OK) {
        *out_data = is_packed ? reader->records.data + message->offset : reader->buffer.data;
    }
    return status;
}
