// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/base.h"

// The bytes of one binary array of a .vtu: raw or as base64 text, for vtu_array.c.

typedef struct iso_vtu_stream {
    const unsigned char* bytes;
    size_t size;
    size_t at;
    bool is_base64;
    unsigned char held[3]; ///< decoded, not read yet
    int held_count;
} iso_vtu_stream;

iso_vtu_stream iso_vtu_stream_make(const void* bytes, size_t size, bool is_base64);

/// Most bytes that reading can still give.
size_t iso_vtu_stream_room(const iso_vtu_stream* stream);

/// Read exactly size bytes. Base64 may consist of several padded pieces in a row. Returns false
/// when the stream ends before or is malformed.
bool iso_vtu_stream_read(iso_vtu_stream* stream, void* out_bytes, size_t size);
