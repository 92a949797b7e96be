// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// A velocity-level step whose impulses have no potential:
//     A (v - v*) + sum over k of J_k^T f_k(J_k v) = 0.
// The f_k are the gradients of an iso_convex_problem's potentials, with any Jacobians in the place
// of Hessians; its line functions are not called. Theory: docs/theory/step.md, "TAMSI".

#include "solver/convex.h"

/// Largest share in (0, 1] of a Newton step that takes u to u + du.
typedef double (*iso_root_limit)(const void* user, const double* u, const double* du);

/// Start from iso_root_options_default().
typedef struct iso_root_options {
    double relative_tolerance; ///< 1e-8
    double start_tolerance; ///< of the guess itself; 1e-12: a heavy body that moves fast hides what
                            ///< a light one lacks, and a Newton step is better than that
    double rounding_tolerance; ///< 1e-14, of all impulses without their signs: where large ones
                               ///< cancel, what is left of them is rounding
    int max_iterations;        ///< 100
    double max_work;     ///< multiplications of all eliminations of a group, from free_iterations
                         ///< on; five times as many before; 5e8
    int free_iterations; ///< 50: from here on limits give way to steps held back by a part of A
                         ///< in the matrix, more whenever the residual does not fall
} iso_root_options;
iso_root_options iso_root_options_default(void);

/// Newton's method on each group of trees that potentials couple. Trees that no potential touches
/// get v = v*. The matrix of a group is stored densely; large groups are ordered so that what is
/// not zero stays near the diagonal, and the rest is passed over.
/// @param limits  [potential_count], elements may be NULL; NULL: no limits
/// @param work    scratch, released before returning
/// @param[in,out] v  guess; the solution. On failure the last iterate
/// @param out_report  iterations of the group that took most; cost is 0
/// @return ISO_ERR_NO_CONVERGENCE, ISO_ERR_NUMERIC (a number is not finite, or the matrix is
///         singular), ISO_ERR_MEMORY
iso_status iso_root_solve(const iso_convex_problem* problem, const iso_root_limit* limits,
                          const iso_root_options* options, iso_arena* work, double* v,
                          iso_convex_report* out_report);

/// Group of every tree by the potentials that couple them: the smallest tree of it, or -1.
void iso_root_find_groups(const iso_convex_problem* problem, int* group_of);
/// Order trees of a group so that those that potentials couple are near each other: reverse
/// Cuthill-McKee.
/// @param group_of     [tree_count] the group of each tree
/// @param[in,out] trees  [count] those of the group, ascending
iso_status iso_root_order(const iso_convex_problem* problem, const int* group_of, iso_arena* work,
                          int* trees, int count);
