// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stddef.h>
#include <stdint.h>

/// Tables of CRC-32 (polynomial 0xEDB88320, as in zlib) for eight bytes at a time.
typedef struct iso_crc32_table {
    uint32_t rows[8][256];
} iso_crc32_table;

void iso_crc32_table_init(iso_crc32_table* table);

/// CRC-32 of more bytes; start with crc 0.
uint32_t iso_crc32_update(const iso_crc32_table* table, uint32_t crc, const void* bytes,
                          size_t size);
