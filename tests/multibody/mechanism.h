// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Random mechanisms with a state, and what is needed to ask questions about them.

#include "multibody/multibody.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"

#define MECHANISM_MAX_BODIES 24

typedef struct mechanism {
    iso_context* ctx;
    iso_multibody mb;
    iso_arena arena;
    iso_kinematics kinematics;
    double* q;
    double* v;
} mechanism;

/// A body of unit mass and inertia, welded to the world.
static inline iso_mb_body plain_body(void) {
    return (iso_mb_body){
        .parent = 0,
        .mobility = ISO_MOBILITY_WELD,
        .x_pf = iso_pose_identity(),
        .x_mb = iso_pose_identity(),
        .axis = {0.0, 0.0, 1.0},
        .lower = -INFINITY,
        .upper = INFINITY,
        .mass = 1.0,
        .inertia = iso_mat3_identity(),
    };
}

static inline iso_mb_body world_body(void) {
    iso_mb_body world = plain_body();
    world.parent = -1;
    world.mass = 0.0;
    world.inertia = iso_mat3_zero();
    return world;
}

/// A physical inertia tensor: principal moments that obey the triangle inequality, turned at
/// random.
static inline iso_mat3 random_inertia(test_random* random) {
    iso_vec3 d = test_random_vec3(random, 0.05, 0.5);
    iso_mat3 principal = iso_mat3_diagonal(d.y + d.z, d.z + d.x, d.x + d.y);
    iso_mat3 r = iso_mat3_from_quat(test_random_quat(random));
    iso_mat3 m = iso_mat3_mul(iso_mat3_mul(r, principal), iso_mat3_transpose(r));
    return iso_mat3_scale(iso_mat3_add(m, iso_mat3_transpose(m)), 0.5);
}

static inline iso_mb_body random_body(test_random* random, int parent, iso_mobility mobility) {
    return (iso_mb_body){
        .parent = parent,
        .mobility = mobility,
        .x_pf = test_random_pose(random, 0.5),
        .x_mb = test_random_pose(random, 0.3),
        .axis = test_random_unit_vec3(random),
        .lower = -INFINITY,
        .upper = INFINITY,
        .damping = test_random_uniform(random, 0.0, 0.5),
        .mass = test_random_uniform(random, 0.5, 3.0),
        .center_of_mass = test_random_vec3(random, -0.2, 0.2),
        .inertia = random_inertia(random),
        .gravity_compensation = parent % 4 == 1   ? 1.6
                                : parent % 4 == 2 ? -0.3
                                                  : 0.0,
    };
}

static inline void mechanism_update(mechanism* m) {
    iso_multibody_kinematics(&m->mb, m->q, m->v, &m->kinematics);
}

static inline mechanism mechanism_make(const iso_mb_body* bodies, int body_count) {
    mechanism m = {.ctx = test_context()};
    CHECK_OK(m.ctx, iso_multibody_create(m.ctx, bodies, body_count, NULL, &m.mb));
    CHECK_OK(m.ctx, iso_arena_init(&m.arena, m.ctx, (size_t)1 << 16));
    CHECK_OK(m.ctx, iso_kinematics_push(&m.mb, &m.arena, &m.kinematics));
    m.q = iso_arena_push_array(&m.arena, m.mb.q_count, sizeof *m.q);
    m.v = iso_arena_push_array(&m.arena, m.mb.v_count, sizeof *m.v);
    assert_non_null(m.q);
    assert_non_null(m.v);
    iso_multibody_default_q(&m.mb, m.q);
    for (int k = 0; k < m.mb.v_count; ++k) {
        m.v[k] = 0.0;
    }
    mechanism_update(&m);
    return m;
}

static inline void mechanism_destroy(mechanism* m) {
    iso_arena_destroy(&m->arena);
    iso_multibody_destroy(m->ctx, &m->mb);
    test_context_destroy(m->ctx);
}

static inline void mechanism_randomize(mechanism* m, test_random* random) {
    for (int b = 1; b < m->mb.body_count; ++b) {
        const iso_mb_body* body = &m->mb.bodies[b];
        for (int k = 0; k < iso_mobility_q_count(body->mobility); ++k) {
            m->q[body->q_index + k] = test_random_uniform(random, -1.0, 1.0);
        }
        for (int k = 0; k < iso_mobility_v_count(body->mobility); ++k) {
            m->v[body->v_index + k] = test_random_uniform(random, -1.0, 1.0);
        }
    }
    iso_multibody_normalize(&m->mb, m->q);
    mechanism_update(m);
}

/// Which joints random_mechanism() uses.
typedef enum mechanism_kind {
    MECHANISM_FIXED,    ///< hangs on the world by revolute and prismatic joints, some welds
    MECHANISM_FLOATING, ///< the same, its root free
    MECHANISM_MIXED,    ///< several trees of all joints, free joints between moving bodies too
    MECHANISM_KIND_COUNT
} mechanism_kind;

static inline iso_mobility random_mobility(test_random* random, mechanism_kind kind, int b) {
    if (b == 1 && kind != MECHANISM_MIXED) {
        return kind == MECHANISM_FLOATING ? ISO_MOBILITY_FREE : ISO_MOBILITY_REVOLUTE;
    }
    static const iso_mobility choices[] = {ISO_MOBILITY_REVOLUTE, ISO_MOBILITY_PRISMATIC,
                                           ISO_MOBILITY_REVOLUTE, ISO_MOBILITY_WELD,
                                           ISO_MOBILITY_FREE};
    return choices[test_random_int(random, 0, kind == MECHANISM_MIXED ? 4 : 3)];
}

/// A tree (MIXED: a forest) of body_count bodies, the world included, in a random state.
static inline mechanism random_mechanism(uint64_t seed, mechanism_kind kind, int body_count) {
    test_random random = test_random_make(seed);
    iso_mb_body bodies[MECHANISM_MAX_BODIES];
    bodies[0] = world_body();
    for (int b = 1; b < body_count; ++b) {
        int lowest = kind == MECHANISM_MIXED || b == 1 ? 0 : 1;
        int parent = test_random_int(&random, lowest, b - 1);
        bodies[b] = random_body(&random, parent, random_mobility(&random, kind, b));
    }
    mechanism m = mechanism_make(bodies, body_count);
    mechanism_randomize(&m, &random);
    return m;
}

/// Jacobian of a body at a point, 6 x v_count (zeros outside its tree), row-major.
static inline double* wide_jacobian(mechanism* m, int body, iso_vec3 p_w) {
    int n = m->mb.v_count;
    double* wide = iso_arena_push_array(&m->arena, 6 * n, sizeof *wide);
    double* narrow = iso_arena_push_array(&m->arena, 6 * n, sizeof *narrow);
    for (int i = 0; i < 6 * n; ++i) {
        wide[i] = 0.0;
    }
    int tree = m->mb.bodies[body].tree;
    if (tree >= 0) {
        int first = m->mb.tree_v_index[tree];
        int dofs = m->mb.tree_v_index[tree + 1] - first;
        iso_multibody_jacobian(&m->mb, &m->kinematics, body, p_w, narrow);
        for (int i = 0; i < 6; ++i) {
            for (int k = 0; k < dofs; ++k) {
                wide[i * n + first + k] = narrow[i * dofs + k];
            }
        }
    }
    return wide;
}

/// Product of a 6 x n matrix and a vector, and of its transpose and a spatial vector.
static inline iso_spatial times_vector(const double* jacobian, const double* v, int n) {
    double r[6] = {0.0};
    for (int i = 0; i < 6; ++i) {
        for (int k = 0; k < n; ++k) {
            r[i] += jacobian[i * n + k] * v[k];
        }
    }
    return iso_spatial_make(iso_vec3_make(r[0], r[1], r[2]), iso_vec3_make(r[3], r[4], r[5]));
}

static inline double transpose_times(const double* jacobian, iso_spatial f, int k, int n) {
    const double* j = jacobian + k;
    return j[0] * f.rotational.x + j[n] * f.rotational.y + j[2 * n] * f.rotational.z +
           j[3 * n] * f.translational.x + j[4 * n] * f.translational.y +
           j[5 * n] * f.translational.z;
}

/// Mass matrix of all trees together, v_count x v_count.
static inline double* wide_mass(mechanism* m) {
    int n = m->mb.v_count;
    double* wide = iso_arena_push_array(&m->arena, n * n, sizeof *wide);
    double* blocks =
        iso_arena_push_array(&m->arena, m->mb.tree_m_index[m->mb.tree_count], sizeof *blocks);
    CHECK_OK(m->ctx, iso_multibody_mass_matrix(&m->mb, &m->kinematics, &m->arena, blocks));
    for (int i = 0; i < n * n; ++i) {
        wide[i] = 0.0;
    }
    for (int t = 0; t < m->mb.tree_count; ++t) {
        int first = m->mb.tree_v_index[t];
        int dofs = m->mb.tree_v_index[t + 1] - first;
        for (int i = 0; i < dofs; ++i) {
            for (int j = 0; j < dofs; ++j) {
                wide[(first + i) * n + first + j] = blocks[m->mb.tree_m_index[t] + i * dofs + j];
            }
        }
    }
    return wide;
}
