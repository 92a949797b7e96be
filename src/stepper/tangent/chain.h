// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// The problems of a step whose friction follows its normal impulses, one after another.

#include "stepper/tangent/point.h"

/// Each is bound by the solution of the one before; the last one is that of the step.
typedef struct iso_tangent_chain {
    iso_tangent_base bases[ISO_CONVEX_MOST_FOLLOWED + 1];
    int count;
} iso_tangent_chain;

/// Solve all of them to rounding.
/// @param[out] out_reason  why there is no such derivative; else NULL
iso_status iso_tangent_chain_find(iso_stepper* stepper, const iso_step_input* input,
                                  iso_tangent_chain* out_chain, const char** out_reason);

/// Have the potentials of a side follow velocities next to those of the problem that it stands by.
/// @param         round  that problem's place in the chain
/// @param[in,out] kinks  [v_count] becomes 1 where a potential follows here or there alone
void iso_tangent_side_follow(const iso_tangent_side* side, int round, const double* v,
                             double* kinks);
