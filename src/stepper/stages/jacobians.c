// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// From pairs of bodies to rows of the convex problem.

#include "stepper/stages/stages.h"

#include "math/dense.h"
#include "solver/tile_cholesky.h"

// sign * Jacobian of a body at a point, from the arena; NULL when there is no memory.
static double* push_jacobian(const iso_stages* s, int body, iso_vec3 p_wc, double sign) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    int tree = multibody->bodies[body].tree;
    int dofs = multibody->tree_v_index[tree + 1] - multibody->tree_v_index[tree];
    double* jacobian = iso_arena_push_array(&s->stepper->arena, 6 * dofs, sizeof *jacobian);
    if (jacobian) {
        iso_multibody_jacobian(multibody, &s->kinematics, body, p_wc, jacobian);
        for (int i = 0; i < 6 * dofs; ++i) {
            jacobian[i] *= sign;
        }
    }
    return jacobian;
}

iso_status iso_stages_pair_jacobians(const iso_stages* s, int body_a, int body_b, iso_vec3 p_wc,
                                     iso_pair_jacobians* out) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    int tree_a = multibody->bodies[body_a].tree;
    int tree_b = multibody->bodies[body_b].tree;
    iso_vec3 arm = iso_midpoint_arm(s, body_a, body_b);
    double* j_a = tree_a >= 0 ? push_jacobian(s, body_a, iso_vec3_sub(p_wc, arm), -1.0) : NULL;
    double* j_b = tree_b >= 0 ? push_jacobian(s, body_b, iso_vec3_add(p_wc, arm), 1.0) : NULL;
    ISO_REQUIRE(s->stepper->ctx, (tree_a < 0 || j_a) && (tree_b < 0 || j_b), ISO_ERR_MEMORY,
                "Jacobians of a pair of bodies");
    *out = (iso_pair_jacobians){tree_a, tree_b, j_a, j_b};
    if (tree_a == tree_b) {
        int dofs = multibody->tree_v_index[tree_a + 1] - multibody->tree_v_index[tree_a];
        iso_dense_add_scaled(j_a, j_b, 1.0, 6 * dofs);
        out->tree_b = -1;
        out->jacobian_b = NULL;
    } else if (tree_a < 0) {
        *out = (iso_pair_jacobians){tree_b, -1, j_b, NULL};
    }
    return ISO_OK;
}

// Of a free body: W += Y^T Y, Y = U^-T J^T with the factor U of its mass matrix.
static void add_free_delassus(const double* factor, const double* jacobian, double* delassus) {
    enum { N = ISO_TILE_ROWS };
    double y[N * N], opposite[N * N], inverse[N];
    for (int d = 0; d < N; ++d) {
        inverse[d] = 1.0 / factor[d * (N + 1)];
        for (int i = 0; i < N; ++i) {
            y[N * d + i] = jacobian[i * N + d];
        }
    }
    iso_tile_forward(factor, N, inverse, y, N);
    for (int i = 0; i < N * N; ++i) {
        opposite[i] = -y[i];
    }
    iso_tile_subtract_six(delassus, N, opposite, N, y, N, N);
}

static iso_status add_delassus(const iso_stages* s, const double* factors, int tree,
                               const double* jacobian, int rows, double* delassus) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    iso_arena* arena = &s->stepper->arena;
    int dofs = multibody->tree_v_index[tree + 1] - multibody->tree_v_index[tree];
    if (rows == ISO_TILE_ROWS && dofs == ISO_TILE_ROWS) {
        add_free_delassus(factors + multibody->tree_m_index[tree], jacobian, delassus);
        return ISO_OK;
    }
    iso_arena_mark mark = iso_arena_get_mark(arena);
    double* y = iso_arena_push_array(arena, rows * dofs, sizeof *y);
    ISO_REQUIRE(arena->ctx, y, ISO_ERR_MEMORY, "effective mass of %d degrees of freedom", dofs);
    for (int d = 0; d < dofs; ++d) {
        for (int i = 0; i < rows; ++i) {
            y[rows * d + i] = jacobian[i * dofs + d];
        }
    }
    iso_cholesky_forward_block(factors + multibody->tree_m_index[tree], dofs, dofs, y, rows, rows);
    iso_dense_add_atb(delassus, rows, 1.0, y, rows, y, rows, rows, dofs, rows);
    iso_arena_release(arena, mark);
    return ISO_OK;
}

iso_status iso_stages_add_delassus(const iso_stages* s, int tree, const double* jacobian, int rows,
                                   double* delassus) {
    return add_delassus(s, s->a_factor, tree, jacobian, rows, delassus);
}

iso_status iso_stages_add_contact_delassus(const iso_stages* s, int tree, const double* jacobian,
                                           double* delassus) {
    const double* factors = s->m_factor ? s->m_factor : s->a_factor;
    return add_delassus(s, factors, tree, jacobian, 6, delassus);
}
