// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/array.h"
#include "isobar/world.h"
#include "stepper/stages/stepper.h"

/// What was said about a pair of geometries.
typedef struct iso_warned_pair {
    int geometry_a, geometry_b;
    bool is_deep;    ///< its pressure came near the largest of a field
    bool is_sheet;   ///< it had a patch on both sides of something thin
    bool is_lacking; ///< what they lack
    bool is_passed;  ///< one went through the surface of the other in one step, without a contact
} iso_warned_pair;

/// Looks for contacts that the pressure-field model gets wrong and says so, once for each pair
/// (docs/theory/contact.md).
typedef struct iso_contact_warnings {
    ISO_ARRAY(iso_warned_pair) pairs; ///< sorted by (a, b): those of which something was said
    iso_contact_peak peak;            ///< over all contacts seen
    iso_contact_passage passage;      ///< the first one, and how many pairs
} iso_contact_warnings;

/// Look at the contacts of a step. O(pairs) while there is nothing to say.
/// @param geometries  sorted as the pairs' indices
/// @param time        of the contacts [s]
/// @return ISO_ERR_MEMORY
iso_status iso_contact_warnings_update(iso_context* ctx, iso_contact_warnings* warnings,
                                       const iso_contact_geometry* geometries,
                                       const iso_contact_set* set, double time);
/// Room for one more pair.
/// @return ISO_ERR_MEMORY
iso_status iso_contact_warnings_reserve(iso_context* ctx, iso_contact_warnings* warnings);
/// True when iso_contact_warnings_pass() knows the pair.
bool iso_contact_warnings_has_passed(const iso_contact_warnings* warnings, int geometry_a,
                                     int geometry_b);
/// Note a pair that went through each other, once for each pair; there must be room.
/// @param time  at the end of the step [s]
void iso_contact_warnings_pass(iso_contact_warnings* warnings,
                               const iso_contact_geometry* geometries, int geometry_a,
                               int geometry_b, double time);
void iso_contact_warnings_free(iso_context* ctx, iso_contact_warnings* warnings);
