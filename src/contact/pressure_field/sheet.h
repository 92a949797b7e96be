// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "contact/pairs/contact_system.h"

/// Undeformed geometry is all a patch knows, so a body that is thinner than the penetration has a
/// patch on its back too (docs/theory/contact.md; [Elandt2022] section 7.2). These functions find
/// such places.

/// The two bodies of a patch as its faces show them. Means are weighted with area times pressure;
/// only faces across which both pressures rise count, within 60 degrees of the normal.
typedef struct iso_patch_sides {
    double load;        ///< sum of area times pressure [N]; the rest is 0 without
    iso_vec3 normal;    ///< mean normal, unit
    iso_vec3 skin_a;    ///< mean point of the undeformed skin of A [m]
    iso_vec3 skin_b;    ///< of B
    double depth;       ///< largest penetration [m]
    bool is_sheet_a;    ///< the patch lies on both sides of A
    bool is_sheet_b;    ///< of B
    double thickness;   ///< of that sheet [m]; 0 for a surface without a back
    double sheet_depth; ///< penetration there [m]
    double back_share;  ///< area times pressure of faces on the back, over that of all
} iso_patch_sides;

/// O(face_count), and no second look where no face is turned the wrong way.
iso_patch_sides iso_patch_find_sides(const iso_patch* patch);

/// Fill sheet_thickness, sheet_depth, sheet_share and sheet_geometry of the pairs: from their own
/// sides, and for pairs that meet inside a third geometry which both of them touch from opposite
/// sides.
/// @param sides  [pair_count]
/// @param arena  for scratch, released before returning
/// @return ISO_ERR_MEMORY
iso_status iso_contact_find_sheets(const iso_patch_sides* sides, int geometry_count,
                                   iso_contact_set* set, iso_arena* arena);
