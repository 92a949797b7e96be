// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Where body B would hang unstretched on body A, and how far it is from there. Swapping A and B
// changes the sign of displacements and nothing else. docs/theory/sticking.md.

#include "contact/pairs/memory.h"

/// Poses of the two bodies of a pair.
typedef struct iso_pair_poses {
    iso_pose x_wa, x_wb;
} iso_pair_poses;

/// The place that a pair remembers, in the world.
iso_pose iso_rest_place(const iso_pair_memory* memory, const iso_pose* x_wa);
/// Remember a place.
void iso_rest_place_keep(const iso_pose* x_wr, const iso_pose* x_wa, iso_pair_memory* memory);

/// Displacement of B from the place x_wr: sine of the angle times the axis of its rotation [1];
/// mean of the displacements of the material points of both that are at the common point [m].
void iso_rest_place_displacement(const iso_pose* x_wr, const iso_pose* x_wb, iso_vec3 p_wc,
                                 double out[6]);
/// The place from which B has a given displacement.
iso_pose iso_rest_place_before(const double displacement[6], const iso_pose* x_wb, iso_vec3 p_wc);
