// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "contact/pairs/contact_system.h"

/// Box of a geometry.
typedef struct iso_travel_box {
    bool is_watched; ///< neither endless nor without thickness, nor a point
    iso_vec3 center; ///< in B
    iso_vec3 half;   ///< of its sides, axes of G
} iso_travel_box;

/// How a geometry moves in a span: its body's origin straight, the body about it evenly.
typedef struct iso_travel {
    int geometry;
    const iso_travel_box* box;
    iso_pose x_bg, end; ///< of the geometry on its body; of the body
    iso_vec3 way, turn; ///< of its origin [m]; rotation vector [rad]
} iso_travel;

/// Pose of the body at a share of the span, 0 to 1.
iso_pose iso_travel_body(const iso_travel* travel, double share);
/// Half of what a box of a geometry with these axes extends along a way, times its length.
double iso_travel_half_width(const iso_travel_box* box, const iso_mat3* r_wg, iso_vec3 way_w);

/// True when two geometries meet on the way, as their contact model has it, and then go on by more
/// than half of the thinner one along the normal, or have left each other after that much was in
/// common. False for what meets at the start, and for what is in common by less than a tenth of
/// that half. At most 64 queries of the pair, fewer the
/// shorter the way; those of neighbours whose boxes do not meet cost none.
/// @param travels  neither of a half space; in the order of the system
/// @param arena    for scratch, released before returning
bool iso_travels_pass(iso_contact_system* system, iso_arena* arena, const iso_travel travels[2]);
