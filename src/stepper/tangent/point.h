// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Stages of a step up to its potentials, at the solution and near it.

#include "solver/term.h"
#include "stepper/stages/stages.h"

/// A potential at the solution.
typedef struct iso_tangent_term {
    iso_newton_term term;
    double u[ISO_POTENTIAL_MAX_ROWS];
    double hessian[36];                  ///< [rows * rows], own unknowns eliminated
    const struct iso_tangent_term* from; ///< of a side: that of the base which it goes on from
} iso_tangent_term;

/// Whether a term of a side is that of the base itself: of a contact that nothing has changed.
static inline bool iso_tangent_is_shared(const iso_tangent_term* term) {
    return term->from && term->term.inner && term->from->term.inner &&
           term->term.inner->user == term->from->term.inner->user;
}

/// The solution of a step; arrays in the stepper's arena.
typedef struct iso_tangent_base {
    iso_stages stages;
    iso_convex_problem problem;
    iso_tangent_term* terms; ///< [potential_count]
    double* v;               ///< [v_count]
    double* factor;          ///< [v_count^2] of the Hessian of the step
} iso_tangent_base;

/// What stages near others have of those.
typedef struct iso_tangent_shared {
    const iso_contact_set* contacts; ///< the patches; NULL: those of changed trees are found
    const iso_stages* like; ///< whose contacts are taken but for changed trees; NULL: all are made
    const bool* changed;    ///< [tree_count] in position or velocity; NULL: none is
} iso_tangent_shared;

/// Stages 1 to 5 for an input, without a solution.
/// @param shared  NULL: nothing is
iso_status iso_tangent_stages(iso_stepper* stepper, const iso_step_input* input,
                              const iso_tangent_shared* shared, iso_stages* out_stages);

/// Patches of changed trees, found, and those of all others.
/// @param x_wb  [body_count]
iso_status iso_tangent_contacts(iso_stepper* stepper, const iso_pose* x_wb,
                                const iso_tangent_shared* shared, iso_contact_set* out_set);

/// Stages and terms of an input, not solved.
/// @param contacts  its patches; NULL: found
iso_status iso_tangent_base_open(iso_stepper* stepper, const iso_step_input* input,
                                 const iso_contact_set* contacts, iso_tangent_base* out_base);

/// Solve to rounding, and factor the Hessian there.
/// @param[in,out] out_reason  why there is no such derivative; left alone where there is one
iso_status iso_tangent_base_solve(iso_tangent_base* base, const char** out_reason);

/// Potentials of stages next to the base, each at the motion of the base.
typedef struct iso_tangent_side {
    iso_tangent_term* terms; ///< [term_count]
    int term_count;
} iso_tangent_side;

/// r of other stages at the velocity of the base, with twists and own unknowns of contacts that
/// rest: their gradients there, and their Hessians times what twists change.
/// @param[out] out_r     [v_count]
/// @param[out] out_side  in the stepper's arena; NULL: not wanted
/// @return false: contacts are others than those of the base, or there is no memory
bool iso_tangent_residual(const iso_tangent_base* base, const iso_stages* stages, double* out_r,
                          iso_tangent_side* out_side);

/// What the Hessians of two sides in the mean, times dv, differ by from that of the base: of second
/// order, but where shapes of the base are aligned and its patches others than those next to it.
/// @param[out] out_r  [v_count]
void iso_tangent_other_hessians(const iso_tangent_base* base, const iso_tangent_side sides[2],
                                const double* dv, double* out_r);

/// How far the change of the gradients along dv is from that by the Hessian: [v_count], J^T of the
/// sum of what central differences are off by and of the kink there.
void iso_tangent_check(const iso_tangent_base* base, const double* dv, double* out_error);
