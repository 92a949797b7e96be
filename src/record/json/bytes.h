// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/base.h"

/// A growing buffer whose first failure sticks: put what belongs together, then ask once. Numbers
/// are little endian. Zero-initialise with the context; release with iso_bytes_free().
typedef struct iso_bytes {
    iso_context* ctx;
    char* data;
    size_t size;
    size_t capacity;
    bool has_failed; ///< out of memory; everything after it was dropped
} iso_bytes;

iso_bytes iso_bytes_make(iso_context* ctx);
void iso_bytes_free(iso_bytes* bytes);
/// Forget the contents, keep the memory; a failure is forgotten too.
void iso_bytes_clear(iso_bytes* bytes);
/// ISO_ERR_MEMORY after a failure.
iso_status iso_bytes_status(const iso_bytes* bytes);

/// Room for size more bytes; NULL when out of memory. Fill it, then add to `size` what was used.
char* iso_bytes_reserve(iso_bytes* bytes, size_t size);
void iso_bytes_put(iso_bytes* bytes, const void* data, size_t size);
void iso_bytes_put_u8(iso_bytes* bytes, unsigned value);
void iso_bytes_put_u16(iso_bytes* bytes, unsigned value);
void iso_bytes_put_u32(iso_bytes* bytes, uint32_t value);
void iso_bytes_put_u64(iso_bytes* bytes, uint64_t value);
/// Length (u32), then the characters.
void iso_bytes_put_text(iso_bytes* bytes, const char* text);
/// A line of at most 511 characters, as printf() writes it, and the end of the line.
void iso_bytes_put_line(iso_bytes* bytes, const char* format, ...) ISO_PRINTF(2, 3);
/// Overwrite a number put before at this offset.
void iso_bytes_set_u32(iso_bytes* bytes, size_t offset, uint32_t value);
void iso_bytes_set_u64(iso_bytes* bytes, size_t offset, uint64_t value);
/// Base64 of size bytes, with padding.
void iso_bytes_put_base64(iso_bytes* bytes, const void* data, size_t size);

uint32_t iso_load_u16(const void* at);
uint32_t iso_load_u32(const void* at);
uint64_t iso_load_u64(const void* at);
