// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Shared by the parts of sticking friction: coordinates, potential, memory.

#include "contact/stick.h"

/// Slip of so many smoothing lengths stays elastic; what goes beyond is given up. It must hold
/// where the fastest point slips with several smoothing lengths while the mean friction is 95% of
/// its bound.
#define ISO_STICK_ELASTIC_LENGTHS 10.0

/// Motion without stiffness (pressing, tilting, rolling of a flat patch) is remembered up to this
/// share of the radius, so that what moves to and fro comes back to the same stretch.
#define ISO_STICK_REACH_RATIO 0.02

/// How strongly spring and damper tie the slip to the motion.
static inline double iso_stick_coupling(const iso_stick* stick) {
    return stick->gain * stick->dt * stick->dt;
}

/// R x and B sigma, padded.
static inline void iso_stick_to_sigma(const iso_stick* stick, const double x[6], double* out) {
    iso_six_store(out, iso_six_combine(stick->r_t, x, 6));
}
static inline void iso_stick_to_twist(const iso_stick* stick, const double* sigma, double* out) {
    iso_six_store(out, iso_six_combine(stick->b_t, sigma, 6)); // rows beyond the rank are zero
}

/// Coordinates in which the stiffness k is the identity: rank, metric, R and B.
void iso_stick_find_coordinates(const double k[36], iso_stick* stick);
/// Memory, stretch and slip at the start of the step; memory: as in iso_stick_init().
void iso_stick_recall(const iso_contact_pair* pair, const iso_pose* x_wa, const iso_pose* x_wb,
                      const iso_pair_memory* memory, iso_spatial v_c0, iso_stick* stick);
