// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// The fastest part of the rates near a state, and what makes it fast.

#include "integrator/explicit_rk.h"
#include "stepper/flow/flow.h"

/// A direction of the state that answers fastest.
typedef struct iso_flow_direction {
    double rate;     ///< [1/s], also of what swings; 0: none was found
    const double* x; ///< [dimension] a small change along it, in units of the state; in the arena
} iso_flow_direction;

/// What a direction is held by.
typedef struct iso_flow_holder {
    int body;                   ///< that moves most along it; -1: none
    int geometry_a, geometry_b; ///< of the pair that holds it; -1: joints, drives or springs do
    bool is_friction;           ///< most of that is the pair's friction
    double power;               ///< of the change of that pair's wrench
} iso_flow_holder;

/// By power iteration on differences of the right-hand side at (t, y).
/// @return ISO_ERR_MEMORY, or as the right-hand side
iso_status iso_flow_fastest(iso_flow* f, const iso_rk_problem* problem, double t, const double* y,
                            iso_flow_direction* out);
/// @return ISO_ERR_MEMORY, or as the stages of contact
iso_status iso_flow_find_holder(iso_flow* f, double t, const double* y,
                                const iso_flow_direction* fastest, iso_flow_holder* out);
