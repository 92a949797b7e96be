// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// The optimisation problem of a velocity-level step:
//     min over v of  1/2 (v - v*)^T A (v - v*) + sum over k of l_k(J_k v)
// with A block diagonal (one block per tree) and convex C1 potentials l_k of 1 or 6 rows that touch
// one or two trees. The solver knows nothing of what a potential stands for.
// Theory: docs/theory/step.md.

#include "base/core/arena.h"
#include "base/system/task_pool.h"
#include "solver/block_cholesky.h"

#define ISO_POTENTIAL_MAX_ROWS 6

/// So often the potentials of an island follow a minimum, unless options say otherwise.
#define ISO_CONVEX_MOST_FOLLOWED 3

/// What a potential l(u) can be asked.
typedef struct iso_potential_ops {
    /// Value; gradient [rows] and Hessian [rows * rows] (symmetric, positive semidefinite; left to
    /// iso_inner_ops where the potential has those).
    double (*eval)(const void* user, const double* u, double* out_gradient, double* out_hessian);
    /// Value, first and second derivative of l(u + alpha du) in alpha.
    void (*line)(const void* user, const double* u, const double* du, double alpha,
                 double* out_value, double* out_slope, double* out_curvature);
    /// Adds the sizes of what the gradient sums up where u has such sizes [rows]: rounding leaves
    /// some 1e-16 of them. NULL: those of the gradient, and of Hessian times u, are enough.
    void (*sizes)(const void* user, const double* u_sizes, double* out_sizes);
} iso_potential_ops;

/// The `line` of a potential of one row, from its `eval`.
static inline void iso_potential_line_1(double (*eval)(const void* user, const double* u,
                                                       double* out_gradient, double* out_hessian),
                                        const void* user, const double* u, const double* du,
                                        double alpha, double* out_value, double* out_slope,
                                        double* out_curvature) {
    double v = u[0] + alpha * du[0];
    double gradient, hessian;
    *out_value = eval(user, &v, &gradient, &hessian);
    *out_slope = gradient * du[0];
    *out_curvature = hessian * du[0] * du[0];
}

/// One potential of u = J_a v_a + J_b v_b.
typedef struct iso_potential {
    const iso_potential_ops* ops;
    const void* user;
    int rows;                 ///< 1 to 6
    int tree_a;               ///<
    int tree_b;               ///< another tree than tree_a, or -1
    const double* jacobian_a; ///< rows x dofs of the tree, row major; NULL: u = v[dof], rows = 1
    const double* jacobian_b; ///< as jacobian_a; unused when tree_b is -1
    int dof;                  ///< of the whole v; used when jacobian_a is NULL
} iso_potential;

/// Unknowns of a potential's own: l(u) = min over s of m(u, s). The solver steps u and s together;
/// the potential keeps s, and evaluates m there: eval() gives m and no Hessian, and line() the
/// values of m along (du, ds). Each Newton step eliminates s; the gradient of eval() has it
/// eliminated as well as is known before. Where a potential among others holds its island up by s,
/// s takes steps of its own. A potential may also have unknowns that choose its Hessian alone
/// (contact/discrete/compliant_points.h).
typedef struct iso_inner_ops {
    /// Hessian H_uu - H_us H_ss^-1 H_su at the last eval(), and -H_us H_ss^-1 g_s, which the
    /// gradient lacks [rows]; false: it lacks nothing, and nothing is written there. A Hessian that
    /// is about the same as the last one may be left as it was.
    bool (*eliminate)(void* user, double* out_correction, double* out_hessian);
    /// Sets ds = -H_ss^-1 (g_s + H_su du) and keeps s as the start of the line.
    void (*direct)(void* user, const double* du);
    /// s = start of the line + alpha ds.
    void (*advance)(void* user, double alpha);
    /// One Newton step of s alone, with u where eval() was last called, unless that goes up. NULL
    /// where `residual` below is.
    /// @param value  m there
    /// @return m and its gradient afterwards, as eval()
    double (*refine)(void* user, double value, double* out_gradient);
    /// Take s of another potential of the same kind, from another problem near by, or its own. What
    /// is evaluated from here on, with its own s twice, has its own Hessian, neither kept nor of
    /// directions that are to come. False: the other has other unknowns.
    bool (*adopt)(void* user, const void* other);
    /// After the minimum was found at u, with its gradient there: have the potential follow it, and
    /// keep s for go_back(). True: it is another one now, of which the minimum is looked for. NULL:
    /// it never does.
    /// @param round  how often potentials of the island followed before
    bool (*follow)(void* user, const double* u, const double* gradient, int round);
    /// Undo the last follow(): the potential of before, and s where it was. NULL where follow() is.
    void (*go_back)(void* user);
} iso_inner_ops;

typedef struct iso_inner {
    const iso_inner_ops* ops; ///< NULL: the potential has no unknowns of its own
    void* user;               ///< of this potential alone; changes during a solve
    /// Where eval() leaves the square of g_s, scaled to an energy [J]: g_s^T W g_s with W about
    /// H_ss^-1. NULL: 0.
    const double* residual;
    /// Where eval() and direct() leave what gradient^T du lacks of the slope along (du, ds). NULL:
    /// 0.
    const double* slope;
} iso_inner;

/// How an island was solved.
typedef struct iso_island_note {
    int tree_count;             ///< 0: no island begins with this tree
    int iterations;             ///<
    int line_search_iterations; ///<
    int worst_dof, slowest_dof; ///< as the report's
    double residual, cost;      ///< as the report's
    bool is_at_rounding;        ///< as the report's
    bool has_followed;          ///< as the report's
} iso_island_note;

typedef struct iso_convex_problem {
    int tree_count;
    const int* v_index;   ///< [tree_count + 1] first degree of freedom of each tree
    const int* a_index;   ///< [tree_count + 1] first entry of each dense block of A
    const double* a;      ///< blocks, row major, both triangles
    const double* v_star; ///< [v_index[tree_count]]
    int potential_count;
    const iso_potential* potentials; ///< their order fixes the order of sums
    const iso_inner* inners;         ///< [potential_count]; NULL: none has unknowns of its own
    const bool* is_known;   ///< [tree_count] trees whose island is solved: v is the guess, no
                            ///< potential touches them; NULL: none is
    iso_island_note* notes; ///< [tree_count] of each island at its first tree: those of known trees
                            ///< are read, others written; NULL: there are none
} iso_convex_problem;

/// Degrees of freedom of a tree.
static inline int iso_convex_tree_dofs(const iso_convex_problem* problem, int tree) {
    return problem->v_index[tree + 1] - problem->v_index[tree];
}

/// The leader of the island of a tree, with what is known so far: leaders [tree_count], each tree
/// its own at first, never follow their trees. A tree without one, < 0, is in no island.
static inline int iso_island_leader(int* leaders, int tree) {
    while (leaders[tree] != tree) {
        leaders[tree] = leaders[leaders[tree]];
        tree = leaders[tree];
    }
    return tree;
}
/// Trees a and b, < 0 for none, are of one island.
static inline void iso_island_join(int* leaders, int a, int b) {
    if (a >= 0 && b >= 0) {
        int x = iso_island_leader(leaders, a), y = iso_island_leader(leaders, b);
        leaders[x < y ? y : x] = x < y ? x : y;
    }
}

/// Start from iso_convex_options_default(). Nothing here has a unit: a problem is solved alike in
/// grains and in tonnes.
typedef struct iso_convex_options {
    double relative_tolerance; ///< 1e-6
    double start_tolerance;    ///< the same for the guess: smaller, so that what rests comes to
                               ///< rest, and not larger than relative_tolerance; 1e-6
    double rounding_tolerance; ///< the same of the impulses of the guess, each without the others:
                               ///< where large ones cancel, what is left of them is rounding; and
                               ///< what the cost may change by rounding; 1e-14
    int max_iterations;        ///< 1000
    double last_tolerance;   ///< of the sizes of what the gradient sums up, once all iterations are
                             ///< made; 0: that is an error
    double line_tolerance;   ///< slope left over, relative to the first; 1e-8
    double line_descent;     ///< whole steps that go down so far are taken: a share of the first
                             ///< slope (solver/line_search.h); 0: searched for like others
    int max_line_iterations; ///< 100
    int most_followed;       ///< so often the potentials of an island follow a minimum; 3
} iso_convex_options;
iso_convex_options iso_convex_options_default(void);

/// Islands are groups of trees that potentials connect. Each is solved on its own, so its bits do
/// not depend on what else there is. Trees that no potential touches are in no island.
typedef struct iso_convex_report {
    int iterations;             ///< Newton steps of the island that took most
    int line_search_iterations; ///< its evaluations along search lines
    int total_iterations;       ///< Newton steps of all islands
    int island_count;           ///<
    int largest_island;         ///< its trees
    double residual;            ///< |D grad| over the larger of |D A v|, |D J^T gradient|; of the
                                ///< island where it is largest
    double cost;                ///< of all islands [J]
    int worst_dof;              ///< with the largest share of the residual, in the island that
                                ///< failed or has the largest residual; -1 without potentials
    int slowest_dof;            ///< the same before the last Newton step of the slowest island: why
                                ///< it was needed; -1 when none was
    int slowest_potential;      ///< the potential there whose change Newton's steps foresaw worst,
                                ///< summed over its steps; -1 when none was
    double
        slowest_error[ISO_POTENTIAL_MAX_ROWS]; ///< what was not foreseen of its gradient, at worst
    bool is_at_rounding; ///< the slowest island ended where its residual is rounding
    bool has_followed;   ///< a potential became another one by what was found
    double work;         ///< iso_root_solve: multiplications of all eliminations
} iso_convex_report;

/// What a solver keeps between solves: factor, pattern, orderings. Zero-initialise with
/// matrix.ctx set.
typedef struct iso_convex_solver {
    iso_block_cholesky matrix;
    iso_task_pool* pool; ///< islands are shared out over its threads; NULL: one thread. Borrowed
} iso_convex_solver;
void iso_convex_solver_destroy(iso_convex_solver* solver);

/// Newton's method with line search, for every island. Trees that no potential touches get v = v*
/// and cost nothing. The bits do not depend on the number of threads.
/// @param         work  scratch, released before returning
/// @param[in,out] v     guess; the minimiser. On failure the last iterate
/// @return ISO_ERR_NO_CONVERGENCE (the report says how far it came), ISO_ERR_NUMERIC (a number is
///         not finite, or the Hessian is not positive definite), ISO_ERR_MEMORY
iso_status iso_convex_solve(iso_convex_solver* solver, const iso_convex_problem* problem,
                            const iso_convex_options* options, iso_arena* work, double* v,
                            iso_convex_report* out_report);

/// u = J v of one potential.
void iso_potential_velocity(const iso_convex_problem* problem, const iso_potential* potential,
                            const double* v, double* out_u);
