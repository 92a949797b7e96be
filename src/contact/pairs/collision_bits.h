// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "contact/pairs/contact_rule.h"

#include <stdint.h>

/// Which groups a geometry is in and which it may touch. Without bits it may touch all.
typedef struct iso_collision_bits {
    bool is_set;
    uint32_t group, mask;
    bool is_open; ///< an open rigid surface: two of them have no inside between them
} iso_collision_bits;

/// True when either is in a group that the other may touch.
static inline bool iso_collision_bits_meet(iso_collision_bits a, iso_collision_bits b) {
    return !a.is_set || !b.is_set || (a.group & b.mask) != 0 || (b.group & a.mask) != 0;
}

/// May geometry A touch B, of a larger index? Two open ones never do; others as a rule of A says,
/// or where their bodies may and their bits meet.
/// @param rules  of A
static inline bool iso_may_touch(bool bodies_may, iso_collision_bits a, iso_collision_bits b,
                                 const iso_contact_rules* rules, int index_b) {
    if (a.is_open && b.is_open) {
        return false;
    }
    const iso_contact_rule* rule = rules->count > 0 ? iso_contact_rules_find(rules, index_b) : NULL;
    if (rule && (rule->is_unfiltered || rule->is_excluded)) {
        return rule->is_unfiltered;
    }
    return bodies_may && iso_collision_bits_meet(a, b);
}
