// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Newton's method on one island of a convex problem (solver/convex.h).

#include "solver/term.h"

/// What all islands of a solve share. Vectors have the length of v; an island touches only the
/// entries of its own trees.
typedef struct iso_newton_space {
    const iso_convex_problem* problem;
    const iso_convex_options* options;
    iso_block_cholesky* matrix;
    int* block_of;          ///< [tree_count] block of H; -1: idle
    iso_newton_term* terms; ///< [potential_count]
    double* weight;         ///< 1 / A_ii
    double* a_v_star;       ///< A v*
    double* r;              ///< A (v - v*)
    double* impulse;        ///< -sum J^T gradient
    double* direction;      ///< Newton's step
    double* a_direction;    ///< A times it
    double* x;              ///< right-hand side, rows of H in the order of blocks
    double* v;              ///<
    double* v0;             ///< at the start of the line
    double* v_minimum;      ///< at the last minimum that a potential followed
} iso_newton_space;

typedef enum iso_newton_end {
    ISO_NEWTON_CONVERGED,
    ISO_NEWTON_ROUNDING,   ///< the residual is rounding
    ISO_NEWTON_LIMIT,      ///< out of iterations
    ISO_NEWTON_NOT_FINITE, ///< cost or residual
    ISO_NEWTON_INDEFINITE, ///< Hessian of the tree of worst_dof
} iso_newton_end;

/// Trees and potentials that belong together, and how far their solution is.
typedef struct iso_island {
    const iso_newton_space* space;
    int* trees;            ///< [tree_count] ascending
    int* potentials;       ///< [potential_count] ascending
    int tree_count;        ///<
    int potential_count;   ///<
    iso_block_part part;   ///< of H
    double* product;       ///< scratch: H_k J_k
    double cost;           ///< at v
    double norm;           ///< |D grad|, with the gradient by own unknowns
    double inner_residual; ///< what these leave of it, squared
    double best_norm;      ///< least norm before the last step
    double scale;          ///< the larger of |D A v|, |D J^T gradient|
    double load;           ///< |D J^T gradient| at the start, each potential without the others;
                           ///< 0 where the start was good enough
    double start_cost;     ///< where the line starts
    double start_value;    ///< the potentials' part of it
    double line[3];        ///< A-part along the direction: value, slope at 0, curvature
    double slope0;         ///< of the whole line at its start
    double damping;        ///< of A that the Hessian has more
    int worst_dof;         ///< largest share of norm
    int slowest_dof;       ///< before the last step; -1: no step
    bool has_followed;     ///< a potential became another one by a minimum
    int iterations, line_search_iterations;
    iso_newton_end end;
} iso_island;

/// Start vectors and terms of an island at space->v.
void iso_island_start(iso_island* island);
/// Solve. Allocates nothing and touches nothing that belongs to another island.
void iso_island_solve(iso_island* island);

typedef enum iso_direction {
    ISO_DIRECTION_DOWN,
    ISO_DIRECTION_ROUNDING,   ///< none goes down: the gradient is rounding
    ISO_DIRECTION_INDEFINITE, ///< Hessian of the tree of worst_dof, not by rounding
} iso_direction;

/// direction = -H^-1 gradient and what the line search needs along it. H gets a share of A more
/// where rounding has made it indefinite, or its step goes up.
iso_direction iso_island_find_direction(iso_island* island);
/// Slope of the potentials along the line, at their last evaluation.
double iso_island_potential_slope(const iso_island* island);

/// |D grad| of the sizes of all that is summed up, and H times those of v.
double iso_island_sizes(const iso_island* island);
/// |D grad| that rounding may leave at v: of sums of large numbers, and of velocities that stiff
/// potentials see. As many operations as a few evaluations.
double iso_island_rounding(const iso_island* island);
/// Whether no more is left.
bool iso_island_is_at_rounding(const iso_island* island);
