// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/// A file in memory, for libraries that write to a file alone.
typedef struct iso_stream {
    FILE* file;  ///< to be written to; NULL when closed
    char* text;  ///< once closed: what was written, zero-terminated; NULL when it could not be kept
    size_t size; ///< of it
} iso_stream;

/// Open one. Release with iso_stream_free().
/// @return false when out of memory
bool iso_stream_open(iso_stream* out_stream);
/// Nothing more is written. @return false when out of memory
bool iso_stream_close(iso_stream* stream);
/// Closes it as well. A stream of zeros is allowed.
void iso_stream_free(iso_stream* stream);
