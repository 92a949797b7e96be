// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "record/crc32.h"

#include "record/bytes.h"

void iso_crc32_table_init(iso_crc32_table* table) {
    for (uint32_t i = 0; i < 256; ++i) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; ++bit) {
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320U : 0);
        }
        table->rows[0][i] = crc;
    }
    for (int row = 1; row < 8; ++row) {
        for (int i = 0; i < 256; ++i) {
            uint32_t before = table->rows[row - 1][i];
            table->rows[row][i] = before >> 8 ^ table->rows[0][before & 0xff];
        }
    }
}

uint32_t iso_crc32_update(const iso_crc32_table* table, uint32_t crc, const void* bytes,
                          size_t size) {
    const unsigned char* in = bytes;
    crc = ~crc;
    for (; size >= 8; size -= 8, in += 8) {
        uint32_t low = iso_load_u32(in) ^ crc;
        uint32_t high = iso_load_u32(in + 4);
        crc = table->rows[7][low & 0xff] ^ table->rows[6][low >> 8 & 0xff] ^
              table->rows[5][low >> 16 & 0xff] ^ table->rows[4][low >> 24] ^
              table->rows[3][high & 0xff] ^ table->rows[2][high >> 8 & 0xff] ^
              table->rows[1][high >> 16 & 0xff] ^ table->rows[0][high >> 24];
    }
    for (; size > 0; --size, ++in) {
        crc = crc >> 8 ^ table->rows[0][(crc ^ *in) & 0xff];
    }
    return ~crc;
}
