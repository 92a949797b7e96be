// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Pairs of which continuous methods keep something while they touch: bristle friction
// (friction/bristle.h), and the speed of impact that restitution holds at. docs/theory/bristle.md,
// docs/theory/point_contact.md.

#include "contact/contact_model.h"
#include "contact/pairs/contact_system.h"
#include "friction/bristle.h"

/// Two geometries that may meet; ordered by (geometry_a, geometry_b).
struct iso_lasting_pair {
    int geometry_a, geometry_b;  ///< a < b
    iso_bristle_params bristles; ///< combined, complete; stiffness 0: none
    bool is_latched;             ///< restitution at the speed of each impact
};

/// All of a system; valid as long as it is.
/// @return [*out_count] NULL when there are none
const iso_lasting_pair* iso_contact_system_lasting(const iso_contact_system* system,
                                                   int* out_count);

/// The wrench of a pair with bristles as iso_contact_model.wrench, and the rates of the memory.
/// @param turning  mean angular velocity of the two bodies, with which bristles turn [rad/s]
/// @param state    [ISO_BRISTLE_STATE_COUNT] deflection in W, turn, dwell
iso_spatial iso_bristle_wrench(const iso_contact_pair* pair, iso_spatial v_c, iso_vec3 turning,
                               const double* state, iso_contact_losses* out_losses,
                               double* out_rates);

/// The friction alone, of a pair that presses so.
/// @param[out] out_loss  what it dissipates [W]
iso_spatial iso_bristle_friction(const iso_contact_pair* pair, const iso_contact_press* press,
                                 iso_spatial v_c, iso_vec3 turning, const double* state,
                                 double* out_loss, double* out_rates);

/// Rates of bristles that touch nothing: they spring back, and breakaway is forgotten, with their
/// own time constant sigma_1 / sigma_0.
void iso_bristle_relax(const iso_lasting_pair* pair, const double* state, double* out_rates);

/// Scales of error of a memory: a deflection is worth the friction that it makes.
void iso_bristle_scales(const iso_lasting_pair* pair, double* out_scales);
