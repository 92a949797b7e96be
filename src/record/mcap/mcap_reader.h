// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/base.h"

#include <stdio.h>

/// Reads an MCAP file, complete or cut short: scans it once from the front, checks the CRC of every
/// chunk, and indexes the messages; the summary is not trusted. Chunks may be compressed with zstd.
/// Never allocates more than a small multiple of the file's size and of its largest chunk.
typedef struct iso_mcap_reader iso_mcap_reader;

typedef struct iso_mcap_message {
    int channel; ///< index, as in iso_mcap_reader_topic()
    uint32_t sequence;
    uint64_t log_time; ///< [ns]
    int chunk;         ///< compressed chunk that holds it, -1: none
    uint64_t offset;   ///< of the data in the records of the chunk, else in the file
    uint64_t size;
} iso_mcap_message;

/// @return ISO_ERR_IO, ISO_ERR_PARSE (not MCAP, damaged), ISO_ERR_UNSUPPORTED (compression)
iso_status iso_mcap_reader_open(iso_context* ctx, const char* path, iso_mcap_reader** out_reader);

/// As iso_mcap_reader_open(), from a stream that can seek. Takes the stream, also on failure.
/// @param name  for messages
iso_status iso_mcap_reader_open_stream(iso_context* ctx, FILE* file, const char* name,
                                       iso_mcap_reader** out_reader);
/// NULL is allowed.
void iso_mcap_reader_close(iso_mcap_reader* reader);

/// False when the file ends before its footer.
bool iso_mcap_reader_is_complete(const iso_mcap_reader* reader);
const char* iso_mcap_reader_name(const iso_mcap_reader* reader);
int iso_mcap_reader_channel_count(const iso_mcap_reader* reader);
const char* iso_mcap_reader_topic(const iso_mcap_reader* reader, int channel);
const char* iso_mcap_reader_encoding(const iso_mcap_reader* reader, int channel);
/// Channel of a topic, or -1.
int iso_mcap_reader_find(const iso_mcap_reader* reader, const char* topic);
int iso_mcap_reader_message_count(const iso_mcap_reader* reader);
/// In the order of the file.
const iso_mcap_message* iso_mcap_reader_message(const iso_mcap_reader* reader, int index);

/// Read the data of a message.
/// @param[out] out_data  [message->size], owned by the reader, valid until the next read
iso_status iso_mcap_reader_read(iso_mcap_reader* reader, const iso_mcap_message* message,
                                const char** out_data);
