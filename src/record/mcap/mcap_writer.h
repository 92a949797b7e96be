// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/base.h"

/// Writes an MCAP file: compressed chunks, indices and a summary at the end. Knows nothing
/// of what the messages mean. The file only grows; every flushed chunk is complete by itself.
typedef struct iso_mcap_writer iso_mcap_writer;

/// @param[out] out_writer  release with iso_mcap_writer_close(); NULL on error
iso_status iso_mcap_writer_open(iso_context* ctx, const char* path, iso_mcap_writer** out_writer);

/// What messages of a channel are.
typedef struct iso_mcap_schema {
    const char* name; ///< several channels may name the same one
    bool
        is_protobuf; ///< Protocol Buffers, the schema a FileDescriptorSet; else JSON and its schema
    const void* data; ///< [size]
    size_t size;
} iso_mcap_schema;

/// Announce a channel; it comes into the file with the next message.
/// @param schema  copied
iso_status iso_mcap_writer_add_channel(iso_mcap_writer* writer, const char* topic,
                                       const iso_mcap_schema* schema, int* out_channel);

/// Put a message into the open chunk.
/// @param log_time  [ns]
iso_status iso_mcap_writer_put(iso_mcap_writer* writer, int channel, uint32_t sequence,
                               uint64_t log_time, const void* data, size_t size);

/// Bytes waiting in the open chunk.
size_t iso_mcap_writer_pending(const iso_mcap_writer* writer);

/// Bytes that the file has at most when it is closed after so many more messages with so many bytes
/// of data, all in the chunk that is open. Not after a failure.
uint64_t iso_mcap_writer_bound(const iso_mcap_writer* writer, int messages, size_t bytes);

/// End the open chunk and hand it to the operating system. A failure sticks.
iso_status iso_mcap_writer_flush(iso_mcap_writer* writer);

/// Flush, write index and summary, close the file, release the writer. NULL is allowed.
iso_status iso_mcap_writer_close(iso_mcap_writer* writer);
