// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <math.h>
#include <stdint.h>

/// Numbers of a seed (splitmix64, as published by Steele, Lea and Flood): the same everywhere.
typedef struct iso_draw {
    uint64_t state;
} iso_draw;

static inline uint64_t iso_draw_bits(iso_draw* draw) {
    draw->state += 0x9E3779B97F4A7C15ULL;
    uint64_t z = draw->state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

/// Uniform in [0, 1).
static inline double iso_draw_uniform(iso_draw* draw) {
    return (double)(iso_draw_bits(draw) >> 11) * 0x1p-53;
}

/// Two numbers of the standard normal distribution (Marsaglia's polar method).
static inline void iso_draw_normals(iso_draw* draw, double out[2]) {
    double u = 0.0, v = 0.0, s = 0.0;
    do {
        u = 2.0 * iso_draw_uniform(draw) - 1.0;
        v = 2.0 * iso_draw_uniform(draw) - 1.0;
        s = u * u + v * v;
    } while (s >= 1.0 || s == 0.0);
    double scale = sqrt(-2.0 * log(s) / s);
    out[0] = u * scale;
    out[1] = v * scale;
}
