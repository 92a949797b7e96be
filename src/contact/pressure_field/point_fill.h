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

/// Whether these points depend on v_c0: large faces are cut where a flat patch turns.
bool iso_compliant_points_turn(const iso_contact_options* options, const iso_contact_pair* pair,
                               const iso_spatial* v_c0);

/// Stage 4, discrete: the points of a patch with the law of a step.
/// A face is dropped when its area is at most 1e-16 of that of its patch. One whose series gradient
/// is not positive (its pressure falls on approach, which no convex potential can do) is dropped
/// with ISO_CULL_DRAKE; with ISO_CULL_NONE it keeps its force and gets 1e-6 of the steepest
/// gradient.
/// @param v_c0  relative twist at the start of the step
/// @param u_c0  that of the bodies, whose surfaces may move besides: with ISO_CULL_NONE forces do
///              not change by the part of it that is steady (steady_motion.h), and large faces
///              have several points; NULL: one point a face, forces as they are
/// @param delassus  as for iso_compliant_points_prepare()
/// @return ISO_ERR_RANGE (dt not finite and positive), ISO_ERR_MEMORY
iso_status iso_compliant_points_build(const iso_contact_system* system,
                                      const iso_contact_pair* pair, iso_point_law law, double dt,
                                      iso_spatial v_c0, const iso_spatial* u_c0,
                                      const double delassus[36], iso_arena* arena,
                                      iso_compliant_points* out_points);
