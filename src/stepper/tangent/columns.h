// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// A derivative under way, and what its columns are: (A B P), one after another. Those that move
// nothing of each other are found together.

#include "stepper/tangent/chain.h"
#include "stepper/tangent/tangent.h"

/// Residuals of a column: at h, -h and h / 2.
#define ISO_TANGENT_SIDES 3

/// A call under way.
typedef struct iso_tangent_call {
    iso_stepper* stepper;
    const iso_step_input* input;
    const iso_tangent_steps* steps;
    iso_tangent_chain chain;
    int q_count, v_count;
    bool is_open;     ///< contacts near by are others: no column can be trusted
    int* islands;     ///< [tree_count] first tree of its island
    bool* is_done;    ///< [columns]
    bool* is_taken;   ///< [tree_count] an island has a column in the group
    bool* is_lost;    ///< [tree_count] of leaders: no column of the island can be trusted
    bool* is_changed; ///< [tree_count] a column of the group is of the tree
    int* group;       ///< [columns]
    // Of a group of columns, one of each island, which move nothing of each other.
    double *q[ISO_TANGENT_SIDES], *v[ISO_TANGENT_SIDES]; ///< inputs above, below and half above
    iso_actuation* controls[ISO_TANGENT_SIDES];          ///< [actuator_count]
    double* delta;                                       ///< [v_count]
    double* r[ISO_TANGENT_SIDES];                        ///< residuals
    iso_stages sides[ISO_TANGENT_SIDES];
    bool has_half;                            ///< the last one is there, with
    int* bent;                                ///< [columns] those columns of the group
    int bent_count;                           ///<
    bool* is_bent;                            ///< [v_count] of their islands
    iso_tangent_side near[ISO_TANGENT_SIDES]; ///< potentials there
    /// Residual of the input itself, and dv of the solution, of each problem of the chain.
    double *now[ISO_CONVEX_MOST_FOLLOWED + 1], *dv[ISO_CONVEX_MOST_FOLLOWED + 1];
    double* whole;   ///< [v_count] errors of the last one, by all of them
    double* error;   ///< [v_count] what of these shorter steps may mend
    double* kinks;   ///< [v_count] 1 where friction follows on one side
    double* scratch; ///< [v_count]
    double* column;  ///< [2 v_count]
} iso_tangent_call;

static inline int iso_tangent_first_parameter(const iso_tangent_call* t) {
    return 2 * t->v_count + 3 * t->stepper->dynamics.actuator_count;
}

static inline int iso_tangent_column_count(const iso_tangent_call* t) {
    return iso_tangent_first_parameter(t) + t->steps->parameter_count;
}

/// Leader of the island of a degree of freedom.
static inline int iso_tangent_dof_island(const iso_tangent_call* t, int dof) {
    const iso_multibody* multibody = t->stepper->dynamics.multibody;
    return t->islands[multibody->bodies[multibody->dof_body[dof]].tree];
}
/// What a column changes moves this island alone; -1: an actuator or a parameter that may pull at
/// several.
int iso_tangent_column_island(const iso_tangent_call* t, int column);
/// Islands by the potentials of the base.
void iso_tangent_find_islands(const iso_tangent_call* t);
/// How far a column is changed.
double iso_tangent_step(const iso_tangent_call* t, int column);

/// Columns of targets of drives are not looked for; they follow from those of efforts.
void iso_tangent_leave_out_targets(const iso_tangent_call* t);
void iso_tangent_put_targets(const iso_tangent_call* t, iso_tangent_output* output);

/// The next columns that are not done yet, at most one of each island, all of positions or none.
/// @return how many; 0: all are done, or none can be trusted
int iso_tangent_next_group(iso_tangent_call* t, int* group);

/// A column has no derivative: nor have others of an island whose bodies barely touch.
void iso_tangent_lose_column(iso_tangent_call* t, int column);
/// What was found of columns that may not be trusted goes.
void iso_tangent_clear_lost(const iso_tangent_call* t, iso_tangent_output* output);
/// Nothing is found yet; and whether all is.
void iso_tangent_clear_output(const iso_tangent_call* t, iso_tangent_output* output);
bool iso_tangent_is_complete(const iso_tangent_call* t, const iso_tangent_output* output);
