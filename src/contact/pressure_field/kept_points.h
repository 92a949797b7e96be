// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Points of a patch that stays as it is from step to step.

#include "contact/pressure_field/point_fill.h"
#include "contact/pressure_field/steady_motion.h"

/// The map of points that are kept, once it was asked for.
typedef struct iso_kept_steady {
    bool is_found;
    double softening; ///< of the points that it was found for
    iso_steady_map map;
} iso_kept_steady;

/// iso_compliant_points_fill(), or what it made of the same patch before: the same bits.
/// @param[out] out_steady  where the map of these points is, or may be kept; NULL: nowhere
iso_status iso_compliant_points_refill(const iso_contact_system* system,
                                       const iso_contact_pair* pair, const iso_spatial* v_c0,
                                       iso_arena* arena, iso_compliant_points* points,
                                       iso_kept_steady** out_steady);
