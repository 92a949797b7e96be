// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/contact.h"

#include <stdbool.h>
#include <stddef.h>

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
