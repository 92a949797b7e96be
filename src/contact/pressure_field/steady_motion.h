// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "contact/discrete/compliant_points.h"
#include "contact/discrete/six.h"

/// From a twist to its steady part, by where points are alone.
typedef struct iso_steady_map {
    double both[6 * ISO_SIX_STRIDE];   ///< what weighs U - V
    double series[6 * ISO_SIX_STRIDE]; ///< factor of what weighs both
} iso_steady_map;

/// The part of a pair's motion that leaves the pressures of its patch as they are: what slides
/// along a field, spins or rolls. Let F be the twist of a frame that goes with the patch, and
///     Q_A = sum A q q^T / sum A |grad p_A|^2, q = (r x grad p_A; grad p_A),
/// so that Q_A measures how fast the pressures of A change when A moves against the frame; Q_B
/// likewise. For a rigid side its normal stands for the gradient. The best frame leaves
/// C = Q_A (Q_A + Q_B)^-1 Q_B of a relative twist, as two springs in series do, and the steady part
/// V of the twist U minimises
///     V^T C V + lambda (U - V)^T (Q_A + Q_B) (U - V),
/// several times in a row.
/// Derivation: docs/theory/contact.md.
/// @param points  faces, places and areas: what the sums are over
/// @param u_c     twist of B against A about the common point, world axes, without belts
iso_spatial iso_steady_motion(const iso_contact_pair* pair, const iso_compliant_points* points,
                              iso_spatial u_c);
/// In two steps: what stays as long as the points do, and the part of one twist.
void iso_steady_map_find(const iso_contact_pair* pair, const iso_compliant_points* points,
                         iso_steady_map* out_map);
iso_spatial iso_steady_map_apply(const iso_steady_map* map, iso_spatial u_c);
