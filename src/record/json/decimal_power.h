// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdint.h>

// Numbers f 2^e with 64 bits, and powers of ten in this form: what it takes to write a double as
// decimal text and to read it back. [Loitsch2010], section 2.

typedef struct iso_scaled {
    uint64_t f;
    int e;
} iso_scaled;

typedef struct iso_power {
    uint64_t f;
    int e;
    int k; ///< f 2^e = 10^k, rounded to 64 bits
} iso_power;

#define ISO_POWER_FIRST (-300)
#define ISO_POWER_STEP 8
#define ISO_POWER_COUNT 79

/// 10^k for k = ISO_POWER_FIRST + ISO_POWER_STEP i.
extern const iso_power iso_powers[ISO_POWER_COUNT];

/// The upper 64 bits of a b, rounded to nearest.
static inline uint64_t iso_multiply_high(uint64_t a, uint64_t b) {
    uint64_t a_low = a & 0xffffffffU, a_high = a >> 32;
    uint64_t b_low = b & 0xffffffffU, b_high = b >> 32;
    uint64_t low_low = a_low * b_low, low_high = a_low * b_high;
    uint64_t high_low = a_high * b_low, high_high = a_high * b_high;
    uint64_t middle = (low_low >> 32) + (low_high & 0xffffffffU) + (high_low & 0xffffffffU);
    middle += (uint64_t)1 << 31; // round to nearest
    return high_high + (low_high >> 32) + (high_low >> 32) + (middle >> 32);
}

/// a b, rounded to 64 bits.
static inline iso_scaled iso_scaled_multiply(iso_scaled a, iso_power b) {
    return (iso_scaled){iso_multiply_high(a.f, b.f), a.e + b.e + 64};
}

/// The same number with its highest bit set; a is not 0.
static inline iso_scaled iso_scaled_normalize(iso_scaled a) {
    for (int shift = 32; shift > 0; shift /= 2) {
        if (a.f >> (64 - shift) == 0) {
            a.f <<= shift;
            a.e -= shift;
        }
    }
    return a;
}
