// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Numbers of a saved state: little-endian, whatever the machine.

#include <stdint.h>
#include <string.h>

static inline void iso_put_u32(unsigned char* at, uint32_t value) {
    for (int i = 0; i < 4; ++i) {
        at[i] = (unsigned char)(value >> (8 * i));
    }
}

static inline void iso_put_u64(unsigned char* at, uint64_t value) {
    iso_put_u32(at, (uint32_t)value);
    iso_put_u32(at + 4, (uint32_t)(value >> 32));
}

static inline uint32_t iso_get_u32(const unsigned char* at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline uint64_t iso_get_u64(const unsigned char* at) {
    return (uint64_t)iso_get_u32(at) | (uint64_t)iso_get_u32(at + 4) << 32;
}

static inline void iso_put_doubles(unsigned char* at, const double* values, int count) {
    for (int i = 0; i < count; ++i) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        iso_put_u64(at + 8 * (size_t)i, bits);
    }
}

static inline void iso_get_doubles(const unsigned char* at, double* values, int count) {
    for (int i = 0; i < count; ++i) {
        uint64_t bits = iso_get_u64(at + 8 * (size_t)i);
        memcpy(&values[i], &bits, sizeof bits);
    }
}
