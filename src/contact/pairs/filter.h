// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// What may touch what: filters of bodies, bits of geometries and rules of their pairs.

#include "isobar/contact.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Two bodies.
typedef struct iso_body_pair {
    int a, b;
} iso_body_pair;

/// Which bodies may meet: two that share neither a group nor an exclusion, are not adjacent, and
/// are no listed pair. Of size O(bodies + pairs). All arrays NULL: any two bodies.
typedef struct iso_body_filter {
    int body_count;
    int* groups;     ///< [body_count] those of one never meet (welded together)
    int* exclusions; ///< [body_count] those of one number never meet; 0: none
    int* adjacent;   ///< [body_count] a body that it never meets; -1: none
    int* firsts;     ///< [body_count + 1] into `others`
    int* others;     ///< larger bodies of the listed pairs of each body, ascending
} iso_body_filter;

/// A filter of these pairs alone: groups of one body each, no exclusions, none adjacent.
/// @param pairs  [pair_count] a and b in any order; repetitions allowed; reordered
/// @return ISO_ERR_MEMORY, and an empty filter
iso_status iso_body_filter_create(iso_context* ctx, int body_count, iso_body_pair* pairs,
                                  int pair_count, iso_body_filter* out_filter);
/// @return ISO_ERR_MEMORY, and an empty filter
iso_status iso_body_filter_copy(iso_context* ctx, const iso_body_filter* filter,
                                iso_body_filter* out_copy);
void iso_body_filter_free(iso_context* ctx, iso_body_filter* filter);
/// Whether a pair is listed. O(log of the pairs of one body).
bool iso_body_filter_lists(const iso_body_filter* filter, int a, int b);

static inline bool iso_bodies_may_meet(const iso_body_filter* filter, int a, int b) {
    if (!filter->groups || a == b) {
        return a != b;
    }
    int own = filter->exclusions[a];
    return filter->groups[a] != filter->groups[b] && (own == 0 || own != filter->exclusions[b]) &&
           filter->adjacent[a] != b && filter->adjacent[b] != a &&
           !iso_body_filter_lists(filter, a, b);
}

/// What a geometry does with one other geometry alone.
typedef struct iso_contact_rule {
    int other;              ///< its index
    bool is_unfiltered;     ///< they may touch whatever their bodies and bits say
    bool is_excluded;       ///< they never touch
    double friction_static; ///< in the place of what those of both combine to; < 0: that
    double friction_dynamic;
    iso_contact_model_kind model; ///< in the place of those of both; DEFAULT: those
} iso_contact_rule;

/// Rules of a geometry with those of larger index, ordered by it.
typedef struct iso_contact_rules {
    const iso_contact_rule* data;
    int count;
} iso_contact_rules;

/// The rule with a geometry; NULL: there is none. O(log count).
static inline const iso_contact_rule* iso_contact_rules_find(const iso_contact_rules* rules,
                                                             int other) {
    int begin = 0, end = rules->count;
    while (begin < end) {
        int middle = begin + (end - begin) / 2;
        if (rules->data[middle].other < other) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    bool is_found = begin < rules->count && rules->data[begin].other == other;
    return is_found ? &rules->data[begin] : NULL;
}

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
