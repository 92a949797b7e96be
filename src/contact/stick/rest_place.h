// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Where body B would hang unstretched on body A, and how far it is from there. Swapping A and B
// changes the sign of displacements and nothing else. docs/theory/sticking.md.

#include "contact/contact_model.h"
#include "contact/pairs/memory.h"

/// What sticking friction remembers from step to step (docs/theory/sticking.md). The stretch is the
/// displacement of B from where it would hang unstretched on A: a function of the poses, so that
/// bodies that come back find their stretch back. Doubles only, those of an iso_pair_memory.
typedef struct iso_stick_memory {
    double rest_rotation[4]; ///< unstretched place of body B in body A: quaternion (w x y z)
    double rest_position[3]; ///< and origin [m]
    double center_a[3], center_b[3]; ///< where the patch was last turned over, in A and in B
    double slip[6];                  ///< slip twist of the last step in A, about its origin
    double kept_slip;                ///< share of the slip that was not given up
    double is_slipping;              ///< 1 when it slid in the last step, else 0
    double energy;   ///< of the spring, the stretch less the slip that is kept, after the
                     ///< last step [J]
    double absorbed; ///< by the normal forces of this contact, less what they gave back
                     ///< [J] (contact/stick/absorbed.h)
} iso_stick_memory;
_Static_assert(sizeof(iso_stick_memory) <= ISO_PAIR_MEMORY_DOUBLES * sizeof(double),
               "fits into the memory of a pair");

/// The place that a pair remembers, in the world.
iso_pose iso_rest_place(const iso_stick_memory* memory, const iso_pose* x_wa);
/// Remember a place.
void iso_rest_place_keep(const iso_pose* x_wr, const iso_pose* x_wa, iso_stick_memory* memory);

/// Displacement of B from the place x_wr: sine of the angle times the axis of its rotation [1];
/// mean of the displacements of the material points of both that are at the common point [m].
void iso_rest_place_displacement(const iso_pose* x_wr, const iso_pose* x_wb, iso_vec3 p_wc,
                                 double out[6]);
/// The place from which B has a given displacement.
iso_pose iso_rest_place_before(const double displacement[6], const iso_pose* x_wb, iso_vec3 p_wc);
