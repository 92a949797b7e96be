// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdbool.h>
#include <stdint.h>

/// Which groups a geometry is in and which it may touch. Without bits it may touch all.
typedef struct iso_collision_bits {
    bool is_set;
    uint32_t group, mask;
    bool is_open; ///< an open rigid surface: two of them have no inside between them
} iso_collision_bits;

/// True when either is in a group that the other may touch, unless both are open.
static inline bool iso_collision_bits_meet(iso_collision_bits a, iso_collision_bits b) {
    if (a.is_open && b.is_open) {
        return false;
    }
    return !a.is_set || !b.is_set || (a.group & b.mask) != 0 || (b.group & a.mask) != 0;
}
