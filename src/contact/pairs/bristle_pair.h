// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Pairs with bristle friction (friction/bristle.h): their parameters, what they remember, and the
// wrench in the place of the model's own friction. docs/theory/bristle.md.

#include "contact/contact_model.h"
#include "contact/pairs/memory.h"
#include "friction/bristle.h"

/// Two geometries that may meet with bristles between them; ordered by (geometry_a, geometry_b).
typedef struct iso_bristle_pair {
    int geometry_a, geometry_b; ///< a < b
    iso_bristle_params params;  ///< combined, complete
} iso_bristle_pair;

/// All of a system; valid as long as it is.
/// @return [*out_count] NULL when there are none
const iso_bristle_pair* iso_contact_system_bristles(const iso_contact_system* system,
                                                    int* out_count);

/// The wrench of a pair as iso_contact_model.wrench, and the rates of the memory.
/// @param turning  mean angular velocity of the two bodies, with which bristles turn [rad/s]
/// @param state    [ISO_BRISTLE_STATE_COUNT] deflection in W, turn, dwell
iso_spatial iso_bristle_wrench(const iso_contact_pair* pair, iso_spatial v_c, iso_vec3 turning,
                               const double* state, iso_contact_losses* out_losses,
                               double* out_rates);

/// Rates of bristles that touch nothing: they spring back, and breakaway is forgotten, with their
/// own time constant sigma_1 / sigma_0.
void iso_bristle_relax(const iso_bristle_pair* pair, const double* state, double* out_rates);

/// Scales of error of a memory: a deflection is worth the friction that it makes.
void iso_bristle_scales(const iso_bristle_pair* pair, double* out_scales);

/// Put bristles into the memory of a pair, and take them out.
/// @return false: that memory is not of bristles; the state is zero
void iso_bristle_remember(const double* state, iso_pair_memory* memory);
bool iso_bristle_recall(const iso_pair_memory* memory, double* out_state);
