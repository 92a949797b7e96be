// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/values/hash.h"

#include <string.h>

uint64_t iso_hash_bytes(uint64_t seed, const void* bytes, size_t size) {
    const unsigned char* byte = bytes;
    uint64_t hash = seed;
    for (size_t i = 0; i < size; ++i) {
        hash = (hash ^ byte[i]) * 1099511628211ULL; // the 64-bit FNV prime
    }
    return hash;
}

uint64_t iso_hash_text(uint64_t seed, const char* text) {
    return iso_hash_bytes(seed, text, strlen(text));
}
