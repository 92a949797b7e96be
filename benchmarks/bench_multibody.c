// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Time of the multibody kernels in microseconds per evaluation: one JSON line per mechanism.
// Usage: bench_multibody

#include "multibody/multibody.h"
#include "support/meter.h"

#include <stdio.h>

#define REPEATS 15
#define MAX_BODIES 101

typedef struct bench {
    iso_context* ctx;
    iso_multibody mb;
    iso_arena arena;
    iso_kinematics kinematics;
    double *q, *v, *bias, *vdot, *blocks;
    volatile double sink;
} bench;

typedef iso_status (*kernel_fn)(bench* b);

static const iso_vec3 k_gravity = {0.0, 0.0, -9.81};

static iso_mb_body link(int parent, iso_mobility mobility, int index) {
    iso_mat3 tilt = iso_mat3_from_rpy(0.5 * ISO_PI * (index % 2), 0.1, 0.2);
    return (iso_mb_body){.parent = parent,
                         .mobility = mobility,
                         .x_pf = iso_pose_make(tilt, iso_vec3_make(0.0, 0.1, 0.3)),
                         .x_mb = iso_pose_identity(),
                         .axis = {0.0, 0.0, 1.0},
                         .lower = -INFINITY,
                         .upper = INFINITY,
                         .mass = 3.0,
                         .center_of_mass = {0.01, 0.02, 0.1},
                         .inertia = iso_mat3_diagonal(0.03, 0.04, 0.02)};
}

// A chain of hinges, or count free bodies.
static iso_status bench_init(bench* b, bool is_chain, int count) {
    iso_mb_body bodies[MAX_BODIES] = {{.parent = -1}};
    for (int i = 1; i <= count; ++i) {
        bodies[i] =
            is_chain ? link(i - 1, ISO_MOBILITY_REVOLUTE, i) : link(0, ISO_MOBILITY_FREE, i);
    }
    iso_status status = iso_multibody_create(b->ctx, bodies, count + 1, NULL, &b->mb);
    if (status == ISO_OK) {
        status = iso_arena_init(&b->arena, b->ctx, (size_t)1 << 20);
    }
    if (status == ISO_OK) {
        status = iso_kinematics_push(&b->mb, &b->arena, &b->kinematics);
    }
    b->q = iso_arena_push_array(&b->arena, b->mb.q_count, sizeof *b->q);
    b->v = iso_arena_push_array(&b->arena, b->mb.v_count, sizeof *b->v);
    b->bias = iso_arena_push_array(&b->arena, b->mb.v_count, sizeof *b->bias);
    b->vdot = iso_arena_push_array(&b->arena, b->mb.v_count, sizeof *b->vdot);
    b->blocks =
        iso_arena_push_array(&b->arena, b->mb.tree_m_index[b->mb.tree_count], sizeof *b->blocks);
    if (status != ISO_OK || !b->q || !b->v || !b->bias || !b->vdot || !b->blocks) {
        return status == ISO_OK ? ISO_ERR_MEMORY : status;
    }
    iso_multibody_default_q(&b->mb, b->q);
    for (int k = 0; k < b->mb.v_count; ++k) {
        b->v[k] = 0.1 + 0.01 * k;
        b->q[k] = is_chain ? 0.2 + 0.1 * k : b->q[k];
    }
    iso_multibody_kinematics(&b->mb, b->q, b->v, &b->kinematics);
    return ISO_OK;
}

static iso_status run_kinematics(bench* b) {
    iso_multibody_kinematics(&b->mb, b->q, b->v, &b->kinematics);
    b->sink = b->kinematics.x_wb[b->mb.body_count - 1].p.x;
    return ISO_OK;
}

static iso_status run_mass_matrix(bench* b) {
    iso_status status = iso_multibody_mass_matrix(&b->mb, &b->kinematics, &b->arena, b->blocks);
    b->sink = b->blocks[0];
    return status;
}

static iso_status run_bias(bench* b) {
    iso_status status =
        iso_multibody_bias(&b->mb, &b->kinematics, b->v, k_gravity, NULL, &b->arena, b->bias);
    b->sink = b->bias[0];
    return status;
}

static iso_status run_acceleration(bench* b) {
    iso_status status = iso_multibody_acceleration(&b->mb, &b->kinematics, b->v, k_gravity, NULL,
                                                   NULL, &b->arena, b->vdot);
    b->sink = b->vdot[0];
    return status;
}

// Best of several repeats [us]; negative on error.
static double time_kernel(bench* b, kernel_fn kernel) {
    int calls = 20000 / b->mb.body_count + 1;
    double best = INFINITY;
    for (int repeat = 0; repeat < REPEATS; ++repeat) {
        double start = bench_now_us();
        for (int i = 0; i < calls; ++i) {
            if (kernel(b) != ISO_OK) {
                return -1.0;
            }
        }
        best = fmin(best, (bench_now_us() - start) / calls);
    }
    return best;
}

static iso_status run_case(iso_context* ctx, const char* name, bool is_chain, int count) {
    bench b = {.ctx = ctx};
    iso_status status = bench_init(&b, is_chain, count);
    if (status == ISO_OK) {
        double kinematics = time_kernel(&b, run_kinematics);
        double mass = time_kernel(&b, run_mass_matrix);
        double bias = time_kernel(&b, run_bias);
        double acceleration = time_kernel(&b, run_acceleration);
        printf("{\"benchmark\": \"multibody\", \"case\": \"%s\", \"dofs\": %d, "
               "\"kinematics_us\": %.3f, \"mass_matrix_us\": %.3f, \"bias_us\": %.3f, "
               "\"sum_us\": %.3f, \"acceleration_us\": %.3f}\n",
               name, b.mb.v_count, kinematics, mass, bias, kinematics + mass + bias, acceleration);
    }
    iso_arena_destroy(&b.arena);
    iso_multibody_destroy(ctx, &b.mb);
    return status;
}

int main(void) {
    iso_context* ctx = NULL;
    iso_status status = iso_context_create(NULL, &ctx);
    if (status == ISO_OK) {
        status = run_case(ctx, "arm_7", true, 7);
    }
    if (status == ISO_OK) {
        status = run_case(ctx, "chain_30", true, 30);
    }
    if (status == ISO_OK) {
        status = run_case(ctx, "free_bodies_100", false, 100);
    }
    if (status != ISO_OK) {
        fprintf(stderr, "bench_multibody: %s\n",
                ctx ? iso_context_error(ctx) : iso_status_text(status));
    }
    iso_context_destroy(ctx);
    return status == ISO_OK ? 0 : 1;
}
