// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "record/mcap/mcap_writer.h"

#include "base/core/alloc.h"
#include "base/core/array.h"
#include "base/core/text.h"
#include "record/json/bytes.h"
#include "record/mcap/chunk_codec.h"
#include "record/mcap/mcap_format.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef struct channel_info {
    char* topic;
    char* schema_name;
    char* schema; ///< [schema_size]
    size_t schema_size;
    bool is_protobuf;     ///< messages and schema; else JSON
    int schema_id;        ///< 1 and up
    bool is_schema_owner; ///< the first channel that names its schema
    uint64_t message_count;
} channel_info;

typedef struct index_entry {
    int channel;
    uint64_t log_time, offset;
} index_entry;

typedef struct chunk_info {
    uint64_t start_time, end_time;
    uint64_t offset, size, records_size, packed_size;
    uint64_t index_size;
    size_t offsets_at; ///< into index_offsets: the channels' message index offsets, as in the file
    size_t offsets_size;
} chunk_info;

struct iso_mcap_writer {
    iso_context* ctx;
    iso_file_writer file;
    char* path;
    iso_status status; ///< the first failure
    uint64_t offset;   ///< bytes written so far
    uint32_t crc;      ///< of all of them
    ISO_ARRAY(channel_info) channels;
    int announced;    ///< channels that are in the file, with their schemas
    iso_bytes chunk;  ///< records of the open chunk
    iso_bytes packed; ///< the same, compressed
    iso_bytes scratch;
    iso_bytes index_offsets;
    ISO_ARRAY(index_entry) entries; ///< messages of the open chunk
    ISO_ARRAY(chunk_info) chunks;
    uint64_t start_time, end_time, message_count;
};

static iso_status fail_io(iso_mcap_writer* writer, const char* action) {
    const char* part = writer->file.part_path;
    return iso_fail(writer->ctx, ISO_ERR_IO, __func__, "%s: cannot %s: %s",
                    part ? part : writer->path, action, strerror(errno));
}

static iso_status write_bytes(iso_mcap_writer* writer, const void* data, size_t size) {
    if (fwrite(data, 1, size, writer->file.file) != size) {
        return fail_io(writer, "write");
    }
    writer->offset += size;
    writer->crc = iso_chunk_crc(writer->crc, data, size);
    return ISO_OK;
}

static iso_status write_buffer(iso_mcap_writer* writer, const iso_bytes* bytes) {
    iso_status status = iso_bytes_status(bytes);
    return status == ISO_OK ? write_bytes(writer, bytes->data, bytes->size) : status;
}

// A record whose length is set when it ends.
static size_t begin_record(iso_bytes* out, iso_mcap_opcode opcode) {
    iso_bytes_put_u8(out, (unsigned)opcode);
    iso_bytes_put_u64(out, 0);
    return out->size;
}

static void end_record(iso_bytes* out, size_t start) {
    iso_bytes_set_u64(out, start - 8, out->size - start);
}

static iso_status write_start(iso_mcap_writer* writer) {
    iso_bytes* out = &writer->scratch;
    iso_bytes_clear(out);
    iso_bytes_put(out, ISO_MCAP_MAGIC, ISO_MCAP_MAGIC_SIZE);
    size_t start = begin_record(out, ISO_MCAP_HEADER);
    char library[64];
    snprintf(library, sizeof library, "isobar %s", iso_version());
    iso_bytes_put_text(out, ""); // profile
    iso_bytes_put_text(out, library);
    end_record(out, start);
    return write_buffer(writer, out);
}

iso_status iso_mcap_writer_open(iso_context* ctx, const char* path, iso_mcap_writer** out_writer) {
    *out_writer = NULL;
    iso_mcap_writer* writer = iso_alloc_zeroed(ctx, sizeof *writer);
    ISO_REQUIRE(ctx, writer, ISO_ERR_MEMORY, "%s: recording header", path);
    writer->ctx = ctx;
    writer->chunk = writer->packed = writer->scratch = writer->index_offsets = iso_bytes_make(ctx);

    iso_status status = ISO_OK;
    writer->path = iso_strdup(ctx, path);
    ISO_CHECK(ctx, writer->path, ISO_ERR_MEMORY, "%s: recording name", path);
    ISO_TRY(iso_file_writer_open_growing(ctx, path, &writer->file));
    ISO_TRY(write_start(writer));
    *out_writer = writer;

done:
    if (status != ISO_OK) {
        writer->status = status;
        status = iso_mcap_writer_close(writer);
    }
    return status;
}

static bool is_same_schema(const channel_info* a, const channel_info* b) {
    return a->is_protobuf == b->is_protobuf && strcmp(a->schema_name, b->schema_name) == 0;
}

iso_status iso_mcap_writer_add_channel(iso_mcap_writer* writer, const char* topic,
                                       const iso_mcap_schema* schema, int* out_channel) {
    iso_context* ctx = writer->ctx;
    writer->status = ISO_ARRAY_GROW(ctx, &writer->channels);
    if (writer->status != ISO_OK) {
        return writer->status;
    }
    channel_info* channel = &writer->channels.data[writer->channels.count++];
    *channel = (channel_info){.topic = iso_strdup(ctx, topic),
                              .schema_name = iso_strdup(ctx, schema->name),
                              .schema = iso_alloc(ctx, schema->size),
                              .schema_size = schema->size,
                              .is_protobuf = schema->is_protobuf,
                              .schema_id = writer->channels.count,
                              .is_schema_owner = true};
    if (!channel->topic || !channel->schema_name || !channel->schema) {
        writer->status = iso_fail(ctx, ISO_ERR_MEMORY, __func__, "channel %s", topic);
        return writer->status;
    }
    memcpy(channel->schema, schema->data, schema->size);
    for (int i = writer->channels.count - 2; i >= 0; --i) {
        if (is_same_schema(&writer->channels.data[i], channel)) {
            channel->schema_id = writer->channels.data[i].schema_id;
            channel->is_schema_owner = false;
        }
    }
    *out_channel = writer->channels.count - 1;
    return ISO_OK;
}

static void put_schemas(const iso_mcap_writer* writer, int first, iso_bytes* out) {
    for (int i = first; i < writer->channels.count; ++i) {
        const channel_info* channel = &writer->channels.data[i];
        if (channel->is_schema_owner) {
            size_t start = begin_record(out, ISO_MCAP_SCHEMA);
            iso_bytes_put_u16(out, (unsigned)channel->schema_id);
            iso_bytes_put_text(out, channel->schema_name);
            iso_bytes_put_text(out, channel->is_protobuf ? "protobuf" : "jsonschema");
            iso_bytes_put_u32(out, (uint32_t)channel->schema_size);
            iso_bytes_put(out, channel->schema, channel->schema_size);
            end_record(out, start);
        }
    }
}

static void put_channels(const iso_mcap_writer* writer, int first, iso_bytes* out) {
    for (int i = first; i < writer->channels.count; ++i) {
        const channel_info* channel = &writer->channels.data[i];
        size_t start = begin_record(out, ISO_MCAP_CHANNEL);
        iso_bytes_put_u16(out, (unsigned)i);
        iso_bytes_put_u16(out, (unsigned)channel->schema_id);
        iso_bytes_put_text(out, channel->topic);
        iso_bytes_put_text(out, channel->is_protobuf ? "protobuf" : "json");
        iso_bytes_put_u32(out, 0); // metadata
        end_record(out, start);
    }
}

iso_status iso_mcap_writer_put(iso_mcap_writer* writer, int channel, uint32_t sequence,
                               uint64_t log_time, const void* data, size_t size) {
    if (writer->status != ISO_OK) {
        return writer->status;
    }
    iso_bytes* out = &writer->chunk;
    if (writer->announced < writer->channels.count) {
        put_schemas(writer, writer->announced, out);
        put_channels(writer, writer->announced, out);
        writer->announced = writer->channels.count;
    }
    writer->status = ISO_ARRAY_GROW(writer->ctx, &writer->entries);
    if (writer->status != ISO_OK) {
        return writer->status;
    }
    writer->entries.data[writer->entries.count++] = (index_entry){channel, log_time, out->size};
    size_t start = begin_record(out, ISO_MCAP_MESSAGE);
    iso_bytes_put_u16(out, (unsigned)channel);
    iso_bytes_put_u32(out, sequence);
    iso_bytes_put_u64(out, log_time);
    iso_bytes_put_u64(out, log_time); // publish time
    iso_bytes_put(out, data, size);
    end_record(out, start);
    writer->status = iso_bytes_status(out);

    bool is_first = writer->message_count == 0;
    writer->start_time = is_first || log_time < writer->start_time ? log_time : writer->start_time;
    writer->end_time = log_time > writer->end_time ? log_time : writer->end_time;
    ++writer->message_count;
    ++writer->channels.data[channel].message_count;
    return writer->status;
}

size_t iso_mcap_writer_pending(const iso_mcap_writer* writer) {
    return writer->chunk.size;
}

// Rounded up: heads of records, the index of a chunk, what zstd adds to what does not get smaller.
enum {
    k_message_head = 32,
    k_index_entry = 16,
    k_index_head = 40,
    k_chunk_head = 128,
    k_tail = 1024
};

uint64_t iso_mcap_writer_bound(const iso_mcap_writer* writer, int messages, size_t bytes) {
    uint64_t channels = (uint64_t)writer->channels.count;
    uint64_t texts = 0;
    for (int i = 0; i < writer->channels.count; ++i) {
        const channel_info* channel = &writer->channels.data[i];
        texts += strlen(channel->topic) + strlen(channel->schema_name) + channel->schema_size +
                 2 * k_message_head;
    }
    uint64_t added = (uint64_t)messages;
    // Schemas and channels go into the chunk before the next message, too.
    uint64_t records = writer->chunk.size + bytes + added * k_message_head + texts;
    uint64_t entries = ((uint64_t)writer->entries.count + added) * k_index_entry;
    uint64_t chunks = ((uint64_t)writer->chunks.count + 1) * k_chunk_head;
    uint64_t offsets = writer->index_offsets.size + channels * 10;
    return writer->offset + records + records / 128 + entries + channels * k_index_head + chunks +
           offsets + texts + k_tail;
}

// Everything of a chunk record before the records it holds.
static void put_chunk_head(iso_mcap_writer* writer, iso_bytes* out, chunk_info* info) {
    const iso_bytes* records = &writer->chunk;
    info->start_time = UINT64_MAX;
    for (int i = 0; i < writer->entries.count; ++i) {
        uint64_t time = writer->entries.data[i].log_time;
        info->start_time = time < info->start_time ? time : info->start_time;
        info->end_time = time > info->end_time ? time : info->end_time;
    }
    size_t start = begin_record(out, ISO_MCAP_CHUNK);
    iso_bytes_put_u64(out, info->start_time);
    iso_bytes_put_u64(out, info->end_time);
    iso_bytes_put_u64(out, records->size);
    iso_bytes_put_u32(out, iso_chunk_crc(0, records->data, records->size));
    iso_bytes_put_text(out, ISO_CHUNK_COMPRESSION);
    iso_bytes_put_u64(out, writer->packed.size);
    iso_bytes_set_u64(out, start - 8, out->size - start + writer->packed.size);
}

// One message index per channel after its chunk.
static void put_message_indices(iso_mcap_writer* writer, iso_bytes* out, chunk_info* info) {
    uint64_t file_offset = writer->offset;
    info->offsets_at = writer->index_offsets.size;
    for (int channel = 0; channel < writer->channels.count; ++channel) {
        size_t start = 0, list = 0;
        for (int i = 0; i < writer->entries.count; ++i) {
            const index_entry* entry = &writer->entries.data[i];
            if (entry->channel != channel) {
                continue;
            }
            if (start == 0) {
                iso_bytes_put_u16(&writer->index_offsets, (unsigned)channel);
                iso_bytes_put_u64(&writer->index_offsets, file_offset + out->size);
                start = begin_record(out, ISO_MCAP_MESSAGE_INDEX);
                iso_bytes_put_u16(out, (unsigned)channel);
                iso_bytes_put_u32(out, 0);
                list = out->size;
            }
            iso_bytes_put_u64(out, entry->log_time);
            iso_bytes_put_u64(out, entry->offset);
        }
        if (start != 0) {
            iso_bytes_set_u32(out, list - 4, (uint32_t)(out->size - list));
            end_record(out, start);
        }
    }
    info->offsets_size = writer->index_offsets.size - info->offsets_at;
    info->index_size = out->size;
}

static iso_status write_chunk(iso_mcap_writer* writer) {
    iso_bytes* out = &writer->scratch;
    chunk_info info = {.offset = writer->offset, .records_size = writer->chunk.size};
    iso_status status = ISO_ARRAY_GROW(writer->ctx, &writer->chunks);
    if (status != ISO_OK) {
        return status;
    }
    iso_bytes_clear(out);
    ISO_TRY(iso_bytes_status(&writer->chunk));
    ISO_TRY(iso_chunk_compress(&writer->chunk, &writer->packed));
    info.packed_size = writer->packed.size;
    put_chunk_head(writer, out, &info);
    ISO_TRY(write_buffer(writer, out));
    ISO_TRY(write_buffer(writer, &writer->packed));
    info.size = writer->offset - info.offset;
    iso_bytes_clear(out);
    put_message_indices(writer, out, &info);
    ISO_TRY(iso_bytes_status(&writer->index_offsets));
    ISO_TRY(write_buffer(writer, out));
    writer->chunks.data[writer->chunks.count++] = info;
    iso_bytes_clear(&writer->chunk);
    writer->entries.count = 0;
    if (fflush(writer->file.file) != 0) {
        return fail_io(writer, "write");
    }

done:
    return status;
}

iso_status iso_mcap_writer_flush(iso_mcap_writer* writer) {
    if (writer->status == ISO_OK && writer->entries.count > 0) {
        writer->status = write_chunk(writer);
    }
    return writer->status;
}

static void put_statistics(const iso_mcap_writer* writer, iso_bytes* out) {
    int schema_count = 0;
    for (int i = 0; i < writer->channels.count; ++i) {
        schema_count += writer->channels.data[i].is_schema_owner ? 1 : 0;
    }
    size_t start = begin_record(out, ISO_MCAP_STATISTICS);
    iso_bytes_put_u64(out, writer->message_count);
    iso_bytes_put_u16(out, (unsigned)schema_count);
    iso_bytes_put_u32(out, (uint32_t)writer->channels.count);
    iso_bytes_put_u32(out, 0); // attachments
    iso_bytes_put_u32(out, 0); // metadata
    iso_bytes_put_u32(out, (uint32_t)writer->chunks.count);
    iso_bytes_put_u64(out, writer->start_time);
    iso_bytes_put_u64(out, writer->end_time);
    iso_bytes_put_u32(out, (uint32_t)writer->channels.count * 10);
    for (int i = 0; i < writer->channels.count; ++i) {
        iso_bytes_put_u16(out, (unsigned)i);
        iso_bytes_put_u64(out, writer->channels.data[i].message_count);
    }
    end_record(out, start);
}

static void put_chunk_indices(const iso_mcap_writer* writer, iso_bytes* out) {
    for (int i = 0; i < writer->chunks.count; ++i) {
        const chunk_info* info = &writer->chunks.data[i];
        size_t start = begin_record(out, ISO_MCAP_CHUNK_INDEX);
        iso_bytes_put_u64(out, info->start_time);
        iso_bytes_put_u64(out, info->end_time);
        iso_bytes_put_u64(out, info->offset);
        iso_bytes_put_u64(out, info->size);
        iso_bytes_put_u32(out, (uint32_t)info->offsets_size);
        iso_bytes_put(out, writer->index_offsets.data + info->offsets_at, info->offsets_size);
        iso_bytes_put_u64(out, info->index_size);
        iso_bytes_put_text(out, ISO_CHUNK_COMPRESSION);
        iso_bytes_put_u64(out, info->packed_size);
        iso_bytes_put_u64(out, info->records_size);
        end_record(out, start);
    }
}

static void put_summary_offset(iso_bytes* out, iso_mcap_opcode group, uint64_t start,
                               uint64_t size) {
    if (size > 0) {
        size_t record = begin_record(out, ISO_MCAP_SUMMARY_OFFSET);
        iso_bytes_put_u8(out, (unsigned)group);
        iso_bytes_put_u64(out, start);
        iso_bytes_put_u64(out, size);
        end_record(out, record);
    }
}

// Data end, summary, footer, magic.
static iso_status write_end(iso_mcap_writer* writer) {
    iso_bytes* out = &writer->scratch;
    iso_bytes_clear(out);
    size_t data_end = begin_record(out, ISO_MCAP_DATA_END);
    iso_bytes_put_u32(out, writer->crc);
    end_record(out, data_end);
    iso_status status = write_buffer(writer, out);
    if (status != ISO_OK) {
        return status;
    }

    iso_bytes_clear(out);
    uint64_t base = writer->offset;
    put_schemas(writer, 0, out);
    size_t channels_at = out->size;
    put_channels(writer, 0, out);
    size_t statistics_at = out->size;
    put_statistics(writer, out);
    size_t chunks_at = out->size;
    put_chunk_indices(writer, out);
    size_t offsets_at = out->size;
    put_summary_offset(out, ISO_MCAP_SCHEMA, base, channels_at);
    put_summary_offset(out, ISO_MCAP_CHANNEL, base + channels_at, statistics_at - channels_at);
    put_summary_offset(out, ISO_MCAP_STATISTICS, base + statistics_at, chunks_at - statistics_at);
    put_summary_offset(out, ISO_MCAP_CHUNK_INDEX, base + chunks_at, offsets_at - chunks_at);
    size_t footer = begin_record(out, ISO_MCAP_FOOTER);
    iso_bytes_put_u64(out, base);
    iso_bytes_put_u64(out, base + offsets_at);
    iso_bytes_put_u32(out, 0);
    end_record(out, footer);
    if (!out->has_failed) {
        uint32_t crc = iso_chunk_crc(0, out->data, out->size - 4);
        iso_bytes_set_u32(out, out->size - 4, crc);
    }
    iso_bytes_put(out, ISO_MCAP_MAGIC, ISO_MCAP_MAGIC_SIZE);
    return write_buffer(writer, out);
}

iso_status iso_mcap_writer_close(iso_mcap_writer* writer) {
    if (!writer) {
        return ISO_OK;
    }
    iso_context* ctx = writer->ctx;
    iso_status status = writer->file.file ? iso_mcap_writer_flush(writer) : writer->status;
    if (status == ISO_OK) {
        status = write_end(writer);
    }
    if (status == ISO_OK) {
        status = iso_file_writer_commit(ctx, &writer->file);
    } else {
        iso_file_writer_leave(ctx, &writer->file);
    }
    for (int i = 0; i < writer->channels.count; ++i) {
        iso_free(ctx, writer->channels.data[i].topic);
        iso_free(ctx, writer->channels.data[i].schema_name);
        iso_free(ctx, writer->channels.data[i].schema);
    }
    ISO_ARRAY_FREE(ctx, &writer->channels);
    ISO_ARRAY_FREE(ctx, &writer->entries);
    ISO_ARRAY_FREE(ctx, &writer->chunks);
    iso_bytes_free(&writer->chunk);
    iso_bytes_free(&writer->packed);
    iso_bytes_free(&writer->scratch);
    iso_bytes_free(&writer->index_offsets);
    iso_free(ctx, writer->path);
    iso_free(ctx, writer);
    return status;
}
