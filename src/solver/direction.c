// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Newton's step of an island: the Hessian, its factor, the direction.

#include "solver/newton.h"
#include "solver/tile.h"

#include <string.h>

// A Hessian that rounding has made indefinite, or whose step goes up, gets more of A: first so much
// that its largest entry rounds it away, and a hundred times as much each time that does not do. A
// Hessian that is still indefinite with the last one is not that of a convex function.
#define FIRST_DAMPING 1e-16
#define DAMPING_GROWS 100.0
#define LARGEST_DAMPING 1.0

// (1 + damping) A + sum J^T H J
static void assemble(iso_island* island) {
    const iso_newton_space* s = island->space;
    const iso_convex_problem* problem = s->problem;
    double scale = 1.0 + island->damping;
    iso_block_cholesky_clear_part(s->matrix, &island->part);
    for (int i = 0; i < island->tree_count; ++i) {
        int t = island->trees[i], dofs = iso_convex_tree_dofs(problem, t);
        const double* a = problem->a + problem->a_index[t];
        iso_block_view view = iso_block_cholesky_block(s->matrix, s->block_of[t], s->block_of[t]);
        for (int row = 0; row < dofs; ++row) {
            for (int column = row; column < dofs; ++column) {
                view.values[row * view.stride + column] = scale * a[row * dofs + column];
            }
        }
    }
    for (int i = 0; i < island->potential_count; ++i) {
        iso_term_add_hessian(&s->terms[island->potentials[i]], island->product);
    }
}

double iso_island_potential_slope(const iso_island* island) {
    double slope = 0.0;
    for (int i = 0; i < island->potential_count; ++i) {
        const iso_newton_term* t = &island->space->terms[island->potentials[i]];
        const double *g = t->gradient, *du = t->du;
        slope += t->inner && t->inner->slope ? *t->inner->slope : 0.0;
        slope += (g[0] * du[0] + g[1] * du[1]) + (g[2] * du[2] + g[3] * du[3]) +
                 (g[4] * du[4] + g[5] * du[5]);
    }
    return slope;
}

// Of every potential: its step, and the change of its gradient to be expected.
static void direct_potentials(iso_island* island) {
    const iso_newton_space* s = island->space;
    for (int i = 0; i < island->potential_count; ++i) {
        iso_newton_term* t = &s->terms[island->potentials[i]];
        memcpy(t->u0, t->u, sizeof t->u0);
        island->start_value += t->value;
        iso_term_velocity(t, s->direction, t->du);
        // Gradient after a whole step; the Hessian is symmetric.
        iso_tiles_set_atx(t->foreseen, t->hessian, t->du, t->rows, t->rows);
        for (int row = 0; row < ISO_POTENTIAL_MAX_ROWS; ++row) {
            t->foreseen[row] += t->gradient[row] + t->correction[row];
        }
        if (t->inner) {
            t->inner->ops->direct(t->inner->user, t->du);
        }
    }
}

// Hessians of potentials with unknowns of their own, and what their gradients lack.
static void eliminate_inner(iso_island* island) {
    for (int i = 0; i < island->potential_count; ++i) {
        iso_newton_term* t = &island->space->terms[island->potentials[i]];
        const iso_inner* inner = t->inner;
        t->is_corrected = inner && inner->ops->eliminate(inner->user, t->correction, t->hessian);
    }
}

// x = minus the gradient that is left when own unknowns are eliminated, in the order of degrees of
// freedom.
static void find_rest(const iso_island* island, double* x) {
    const iso_newton_space* s = island->space;
    const iso_convex_problem* problem = s->problem;
    for (int i = 0; i < island->tree_count; ++i) {
        int t = island->trees[i];
        for (int d = problem->v_index[t]; d < problem->v_index[t + 1]; ++d) {
            x[d] = s->impulse[d] - s->r[d];
        }
    }
    for (int i = 0; i < island->potential_count; ++i) {
        const iso_newton_term* t = &s->terms[island->potentials[i]];
        if (t->is_corrected) {
            iso_term_add_transposed(t, -1.0, t->correction, x);
        }
    }
}

static bool factor(iso_island* island) {
    const iso_newton_space* s = island->space;
    int bad_block = 0;
    assemble(island);
    bool is_positive = iso_block_cholesky_factor_part(s->matrix, &island->part, &bad_block);
    for (int i = 0; i < island->tree_count && !is_positive; ++i) {
        if (s->block_of[island->trees[i]] == bad_block) {
            island->worst_dof = s->problem->v_index[island->trees[i]];
        }
    }
    return is_positive;
}

// direction = -H^-1 gradient with the present factor, and what the line search needs along it.
static void solve(iso_island* island) {
    const iso_newton_space* s = island->space;
    const iso_convex_problem* problem = s->problem;
    double* rest = s->a_direction; // free between directions
    find_rest(island, rest);
    const int* first_rows = s->matrix->first_rows.data;
    for (int i = 0; i < island->tree_count; ++i) {
        int t = island->trees[i], first = problem->v_index[t],
            dofs = iso_convex_tree_dofs(problem, t);
        double* x = s->x + first_rows[s->block_of[t]];
        for (int d = 0; d < dofs; ++d) {
            x[d] = rest[first + d];
        }
    }
    iso_block_cholesky_solve_part(s->matrix, &island->part, s->x);
    island->line[0] = island->line[1] = island->line[2] = 0.0;
    island->start_value = 0.0;
    island->start_cost = island->cost;
    for (int i = 0; i < island->tree_count; ++i) {
        int t = island->trees[i], first = problem->v_index[t],
            dofs = iso_convex_tree_dofs(problem, t);
        const double* x = s->x + first_rows[s->block_of[t]];
        double* a_direction = s->a_direction + first;
        for (int d = 0; d < dofs; ++d) {
            s->direction[first + d] = x[d];
            s->v0[first + d] = s->v[first + d];
        }
        iso_tiles_set_atx(a_direction, problem->a + problem->a_index[t], x, dofs, dofs);
        for (int d = 0; d < dofs; ++d) {
            island->line[1] += x[d] * s->r[first + d];
            island->line[2] += x[d] * a_direction[d];
        }
    }
    direct_potentials(island);
    island->slope0 = island->line[1] + iso_island_potential_slope(island);
}

// The largest entry of H over that of A.
static double find_stiffest(iso_island* island) {
    const iso_newton_space* s = island->space;
    const iso_convex_problem* problem = s->problem;
    double largest = 1.0;
    assemble(island);
    for (int i = 0; i < island->tree_count; ++i) {
        int t = island->trees[i];
        iso_block_view view = iso_block_cholesky_block(s->matrix, s->block_of[t], s->block_of[t]);
        for (int d = 0; d < iso_convex_tree_dofs(problem, t); ++d) {
            double entry = view.values[d * (view.stride + 1)];
            largest = fmax(largest, entry * s->weight[problem->v_index[t] + d]);
        }
    }
    return largest;
}

iso_direction iso_island_find_direction(iso_island* island) {
    eliminate_inner(island);
    double stiffest = 0.0;
    island->damping = 0.0;
    for (double damping = FIRST_DAMPING;; damping *= DAMPING_GROWS) {
        bool is_positive = factor(island);
        if (is_positive) {
            solve(island);
            if (!(island->slope0 >= 0.0)) { // the line shows a number that is not finite
                return ISO_DIRECTION_DOWN;
            }
            if (iso_island_is_at_rounding(island)) {
                return ISO_DIRECTION_ROUNDING;
            }
        }
        stiffest = stiffest > 0.0 ? stiffest : find_stiffest(island);
        if (!(damping <= LARGEST_DAMPING)) {
            return is_positive ? ISO_DIRECTION_ROUNDING : ISO_DIRECTION_INDEFINITE;
        }
        island->damping = damping * stiffest;
    }
}
