// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// What rounding leaves of the gradient of an island, however well it is solved.

#include "solver/newton.h"

#include <float.h>
#include <math.h>

// A residual of so many times what one rounding of every number makes cannot be told from zero.
#define ROUNDINGS 4.0

// out += |J|^T f of one side.
static void add_sizes(const double* jacobian, int rows, int dofs, const double* f, double* out) {
    for (int row = 0; row < rows; ++row) {
        for (int d = 0; d < dofs; ++d) {
            out[d] += fabs(jacobian[row * dofs + d]) * f[row];
        }
    }
}

// Sizes of what the gradient of a potential sums up: its own summands, and H |J| |v|, as rounding
// of v is motion that the potential sees.
static void size_term(const iso_newton_term* t, const double* v, double* out) {
    const iso_potential* p = t->potential;
    double u[ISO_POTENTIAL_MAX_ROWS] = {0.0};
    for (int row = 0; row < t->rows; ++row) {
        if (!p->jacobian_a) {
            u[row] = fabs(v[p->dof]);
            continue;
        }
        for (int d = 0; d < t->dofs_a; ++d) {
            u[row] += fabs(p->jacobian_a[row * t->dofs_a + d] * v[t->first_a + d]);
        }
        for (int d = 0; d < t->dofs_b; ++d) {
            u[row] += fabs(p->jacobian_b[row * t->dofs_b + d] * v[t->first_b + d]);
        }
    }
    for (int row = 0; row < t->rows; ++row) {
        out[row] = fabs(t->gradient[row]);
    }
    if (p->ops->sizes) {
        p->ops->sizes(p->user, u, out);
    }
    for (int row = 0; row < t->rows; ++row) {
        for (int column = 0; column < t->rows; ++column) {
            out[row] += fabs(t->hessian[row * t->rows + column]) * u[column];
        }
    }
}

// A (|v| + |v*|), without signs.
static void size_momentum(const iso_newton_space* s, int tree, double* out) {
    const iso_convex_problem* problem = s->problem;
    int first = problem->v_index[tree], dofs = problem->v_index[tree + 1] - first;
    const double* a = problem->a + problem->a_index[tree];
    for (int row = 0; row < dofs; ++row) {
        for (int d = 0; d < dofs; ++d) {
            out[first + row] += fabs(a[row * dofs + d]) *
                                (fabs(s->v[first + d]) + fabs(problem->v_star[first + d]));
        }
    }
}

double iso_island_sizes(const iso_island* island) {
    const iso_newton_space* s = island->space;
    const int* v_index = s->problem->v_index;
    double* sizes = s->a_direction; // free between directions
    for (int i = 0; i < island->tree_count; ++i) {
        int tree = island->trees[i];
        for (int d = v_index[tree]; d < v_index[tree + 1]; ++d) {
            sizes[d] = 0.0;
        }
        size_momentum(s, tree, sizes);
    }
    for (int i = 0; i < island->potential_count; ++i) {
        const iso_newton_term* t = &s->terms[island->potentials[i]];
        const iso_potential* p = t->potential;
        double f[ISO_POTENTIAL_MAX_ROWS];
        size_term(t, s->v, f);
        if (!p->jacobian_a) {
            sizes[p->dof] += f[0];
            continue;
        }
        add_sizes(p->jacobian_a, t->rows, t->dofs_a, f, sizes + t->first_a);
        if (t->dofs_b > 0) {
            add_sizes(p->jacobian_b, t->rows, t->dofs_b, f, sizes + t->first_b);
        }
    }
    double sum2 = 0.0;
    for (int i = 0; i < island->tree_count; ++i) {
        int tree = island->trees[i];
        for (int d = v_index[tree]; d < v_index[tree + 1]; ++d) {
            sum2 += sizes[d] * sizes[d] * s->weight[d];
        }
    }
    return sqrt(sum2);
}

double iso_island_rounding(const iso_island* island) {
    return ROUNDINGS * DBL_EPSILON * iso_island_sizes(island);
}

bool iso_island_is_at_rounding(const iso_island* island) {
    return island->norm <= iso_island_rounding(island);
}
