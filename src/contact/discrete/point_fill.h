// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "contact/discrete/compliant_points.h"

/// The points of a patch before any law: places, normals, areas, stiffnesses, forces, dissipations
/// and, where `has_adhesion` is set, areas in tension_limit; law and dt are known. A face has one
/// point, at its centroid, or four where it is a large part of its patch; one that reaches into the
/// margin has as many again for the rest. A large face about which the patch turns has more.
/// @param v_c0  relative twist at the start of the step; NULL: one point for each part of a face
/// @return ISO_ERR_RANGE (too many faces), ISO_ERR_MEMORY
iso_status iso_compliant_points_fill(const iso_contact_options* options,
                                     const iso_contact_pair* pair, const iso_spatial* v_c0,
                                     iso_arena* arena, iso_compliant_points* points);
