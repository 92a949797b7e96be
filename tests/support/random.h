// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Deterministic pseudo-random numbers for tests (splitmix64): the same on every platform.

#include "isobar/math.h"

#include <stdint.h>

typedef struct test_random {
    uint64_t state;
} test_random;

test_random test_random_make(uint64_t seed);

static inline uint64_t test_random_bits(test_random* random) {
    uint64_t z = random->state += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

/// Uniform in [low, high).
static inline double test_random_uniform(test_random* random, double low, double high) {
    double unit = (double)(test_random_bits(random) >> 11) * 0x1p-53;
    return low + (high - low) * unit;
}

/// Uniform in low, ..., high (both included).
int test_random_int(test_random* random, int low, int high);

/// Standard normal distribution.
double test_random_normal(test_random* random);

/// Components uniform in [low, high).
iso_vec3 test_random_vec3(test_random* random, double low, double high);

/// Uniform on the unit sphere.
iso_vec3 test_random_unit_vec3(test_random* random);

/// Uniform over all rotations.
iso_quat test_random_quat(test_random* random);

/// Any rotation, position components uniform in [-extent, extent).
iso_pose test_random_pose(test_random* random, double extent);
