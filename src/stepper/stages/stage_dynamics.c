// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Stage 5: everything but contact and limits. Joint damping and drives without an effort limit are
// linear in the new velocity, so they are part of A:
//     (M + dt (D + K + dt S)) (v* - v0) = dt (start - K v0 - bias - (D + dt S) v0 - spring(q0))
// with the stiffnesses S of springs in joints.

#include "stepper/stages/stages.h"

#include "math/dense.h"

#include <string.h>

static iso_status push_arrays(iso_stages* s) {
    iso_arena* arena = &s->stepper->arena;
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    int entries = multibody->tree_m_index[multibody->tree_count];
    s->a = iso_arena_push_array(arena, entries, sizeof *s->a);
    s->a_factor = iso_arena_push_array(arena, entries, sizeof *s->a_factor);
    if (s->stepper->settings.error_control) {
        s->m_factor = iso_arena_push_array(arena, entries, sizeof *s->m_factor);
        ISO_REQUIRE(arena->ctx, s->m_factor, ISO_ERR_MEMORY, "mass matrix of %d numbers", entries);
    }
    s->v_star = iso_arena_push_array(arena, multibody->v_count, sizeof *s->v_star);
    s->boost = iso_arena_push_array(arena, multibody->v_count, sizeof *s->boost);
    s->spins = iso_arena_push_array(arena, multibody->tree_count, sizeof *s->spins);
    s->applied = iso_arena_push_array(arena, multibody->v_count, sizeof *s->applied);
    s->drives = iso_arena_push_array(arena, iso_stages_drive_count(s->stepper), sizeof *s->drives);
    s->sums = iso_arena_push_array(arena, s->stepper->dynamics.actuator_count, sizeof *s->sums);
    ISO_REQUIRE(arena->ctx,
                s->a && s->a_factor && s->v_star && s->boost && s->spins && s->applied &&
                    s->drives && s->sums,
                ISO_ERR_MEMORY, "dynamics of %d degrees of freedom", multibody->v_count);
    if (s->stepper->adhesion_count > 0) {
        s->pulled = iso_arena_push_array(arena, multibody->v_count, sizeof *s->pulled);
        ISO_REQUIRE(arena->ctx, s->pulled, ISO_ERR_MEMORY, "adhesion of %d degrees of freedom",
                    multibody->v_count);
    }
    return iso_stages_push_pulls(s, &s->pulls);
}

double* iso_stages_entry(const iso_stages* s, int row, int column) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    int tree = multibody->bodies[multibody->dof_body[row]].tree;
    int first = multibody->tree_v_index[tree];
    int dofs = multibody->tree_v_index[tree + 1] - first;
    return s->a + multibody->tree_m_index[tree] + (row - first) * dofs + (column - first);
}

// Generalised force of the wrenches applied from outside.
static void find_applied(iso_stages* s) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    const iso_spatial* f_b_w = s->input->f_b_w;
    for (int d = 0; d < multibody->v_count; ++d) {
        s->applied[d] = 0.0;
    }
    for (int b = 1; f_b_w && b < multibody->body_count; ++b) {
        if (iso_spatial_dot(f_b_w[b], f_b_w[b]) != 0.0) {
            iso_multibody_add_wrench(multibody, &s->kinematics, b, s->kinematics.x_wb[b].p,
                                     f_b_w[b], s->applied);
        }
    }
}

// rhs += dt J^T f of adhesion, whose efforts no velocity changes. (Midpoint: with its arms.)
static iso_status add_pulls(iso_stages* s, double* rhs) {
    const iso_dynamics* dynamics = &s->stepper->dynamics;
    const iso_multibody* multibody = dynamics->multibody;
    iso_arena* arena = &s->stepper->arena;
    if (!s->pulls) {
        return ISO_OK;
    }
    iso_arena_mark mark = iso_arena_get_mark(arena);
    double* efforts = iso_arena_push_array(arena, dynamics->actuator_count, sizeof *efforts);
    ISO_REQUIRE(arena->ctx, efforts, ISO_ERR_MEMORY, "efforts of %d actuators",
                dynamics->actuator_count);
    for (int i = 0; i < dynamics->actuator_count; ++i) {
        bool is_adhesion = iso_actuator_is_adhesion(&dynamics->actuators[i]);
        efforts[i] = is_adhesion ? iso_drive_effort(&s->drives[i], 0.0) : 0.0;
    }
    iso_stages_find_pulls(s, efforts, s->pulls);
    memset(s->pulled, 0, (size_t)multibody->v_count * sizeof *s->pulled);
    for (int i = 0; i < s->set.pair_count; ++i) {
        const iso_contact_pair* pair = &s->set.pairs[i];
        int a = pair->body_a, b = pair->body_b;
        iso_spatial f = s->pulls[i];
        iso_vec3 couple = iso_vec3_cross(iso_midpoint_arm(s, a, b), f.translational);
        iso_spatial f_a = iso_spatial_make(iso_vec3_sub(couple, f.rotational),
                                           iso_vec3_scale(f.translational, -1.0));
        iso_spatial f_b = iso_spatial_make(iso_vec3_add(couple, f.rotational), f.translational);
        iso_multibody_add_wrench(multibody, &s->kinematics, a, pair->p_wc, f_a, s->pulled);
        iso_multibody_add_wrench(multibody, &s->kinematics, b, pair->p_wc, f_b, s->pulled);
    }
    for (int d = 0; d < multibody->v_count; ++d) {
        rhs[d] += iso_stages_dt(s, iso_stages_dof_tree(s, d)) * s->pulled[d];
    }
    iso_arena_release(arena, mark);
    return ISO_OK;
}

// rhs -= dt D v0, A += dt D
static void add_damping(iso_stages* s, double* rhs) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    for (int d = 0; d < multibody->v_count; ++d) {
        double damping = multibody->bodies[multibody->dof_body[d]].damping;
        if (damping > 0.0) {
            double dt = iso_stages_dt(s, iso_stages_dof_tree(s, d));
            *iso_stages_entry(s, d, d) += dt * damping;
            rhs[d] -= dt * damping * s->input->v[d];
        }
    }
}

// rhs -= dt (spring(q0) + dt S v0), A += dt^2 S
static iso_status add_springs(iso_stages* s, double* rhs) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    iso_arena* arena = &s->stepper->arena;
    if (!s->stepper->has_springs) {
        return ISO_OK;
    }
    iso_arena_mark mark = iso_arena_get_mark(arena);
    double* efforts = iso_arena_push_array(arena, multibody->v_count, sizeof *efforts);
    ISO_REQUIRE(arena->ctx, efforts, ISO_ERR_MEMORY, "springs of %d degrees of freedom",
                multibody->v_count);
    iso_multibody_spring_efforts(multibody, s->input->q, efforts);
    for (int d = 0; d < multibody->v_count; ++d) {
        double stiffness = multibody->bodies[multibody->dof_body[d]].stiffness;
        if (stiffness > 0.0) {
            double dt = iso_stages_dt(s, iso_stages_dof_tree(s, d));
            *iso_stages_entry(s, d, d) += dt * dt * stiffness;
            rhs[d] += dt * (efforts[d] - dt * stiffness * s->input->v[d]);
        }
    }
    iso_arena_release(arena, mark);
    return ISO_OK;
}

// v* = v0 + A^-1 rhs; rhs lies in v_star.
static iso_status solve_free_motion(iso_stages* s) {
    const iso_stepper* stepper = s->stepper;
    const iso_multibody* multibody = stepper->dynamics.multibody;
    memcpy(s->a_factor, s->a,
           (size_t)multibody->tree_m_index[multibody->tree_count] * sizeof *s->a);
    for (int t = 0; t < multibody->tree_count; ++t) {
        int first = multibody->tree_v_index[t];
        int dofs = multibody->tree_v_index[t + 1] - first;
        double* factor = s->a_factor + multibody->tree_m_index[t];
        ISO_REQUIRE(stepper->ctx, iso_cholesky_factor_solve(factor, dofs, dofs, s->v_star + first),
                    ISO_ERR_NUMERIC,
                    "mass matrix of the tree of body '%s' is not positive definite in this state",
                    iso_stepper_body_name(stepper, multibody->dof_body[first]));
        for (int d = first; d < first + dofs; ++d) {
            s->v_star[d] += s->input->v[d];
        }
    }
    return ISO_OK;
}

// Factors of M. A tree that A adds nothing to has that of A; one whose M has none keeps that, too.
static void factor_masses(iso_stages* s) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    for (int t = 0; s->m_factor && t < multibody->tree_count; ++t) {
        int at = multibody->tree_m_index[t];
        int dofs = multibody->tree_v_index[t + 1] - multibody->tree_v_index[t];
        size_t bytes = (size_t)(multibody->tree_m_index[t + 1] - at) * sizeof *s->a;
        double* m = s->m_factor + at;
        if (memcmp(m, s->a + at, bytes) == 0 || !iso_cholesky_factor(m, dofs, dofs)) {
            memcpy(m, s->a_factor + at, bytes);
        }
    }
}

// What the bias at the start has of motion and weight: without compensation of weights.
static iso_status keep_bias(const iso_stages* s, double* out_bias) {
    iso_stepper* stepper = s->stepper;
    const iso_multibody* multibody = stepper->dynamics.multibody;
    memcpy(out_bias, s->v_star, (size_t)multibody->v_count * sizeof *out_bias);
    if (!multibody->has_compensation) {
        return ISO_OK;
    }
    iso_arena_mark mark = iso_arena_get_mark(&stepper->arena);
    double* carried = iso_arena_push_array(&stepper->arena, multibody->v_count, sizeof *carried);
    ISO_REQUIRE(stepper->ctx, carried, ISO_ERR_MEMORY, "weights that %d bodies need not carry",
                multibody->body_count);
    memset(carried, 0, (size_t)multibody->v_count * sizeof *carried);
    iso_multibody_add_compensation(multibody, &s->kinematics, stepper->settings.gravity, carried);
    for (int d = 0; d < multibody->v_count; ++d) {
        out_bias[d] -= carried[d];
    }
    iso_arena_release(&stepper->arena, mark);
    return ISO_OK;
}

// v* with the bias of the mean velocity, and with centres of mass that only forces move.
static iso_status correct_motion(iso_stages* s, const iso_mb_cluster* links,
                                 const double* start_bias) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    memcpy(s->boost, s->v_star, (size_t)multibody->v_count * sizeof *s->boost);
    iso_status status = iso_stages_correct_spins(s);
    status = status == ISO_OK ? iso_stages_correct_swings(s, links, start_bias) : status;
    for (int t = 0; t < multibody->tree_count && status == ISO_OK; ++t) {
        if (!iso_stages_is_middle(s, t)) {
            iso_stages_free_center(s, t, start_bias, s->boost);
        }
    }
    for (int d = 0; d < multibody->v_count; ++d) {
        s->boost[d] = s->v_star[d] - s->boost[d];
    }
    return status;
}

iso_status iso_stage_dynamics(iso_stages* s) {
    iso_stepper* stepper = s->stepper;
    const iso_multibody* multibody = stepper->dynamics.multibody;
    iso_arena* arena = &stepper->arena;
    iso_status status = ISO_OK;
    ISO_TRY(push_arrays(s));
    find_applied(s);
    ISO_TRY(iso_stages_make_tendon_rows(s));
    iso_arena_mark mark = iso_arena_get_mark(arena);
    iso_mb_cluster* links = iso_arena_push_array(arena, multibody->link_count, sizeof *links);
    double* bias = iso_arena_push_array(arena, multibody->v_count, sizeof *bias);
    ISO_CHECK(arena->ctx, links && bias, ISO_ERR_MEMORY, "inertias of %d links",
              multibody->link_count);
    ISO_TRY(iso_multibody_equations(multibody, &s->kinematics, s->input->v,
                                    stepper->settings.gravity, NULL, arena, links, s->a,
                                    s->v_star));
    if (s->m_factor) {
        int entries = multibody->tree_m_index[multibody->tree_count];
        memcpy(s->m_factor, s->a, (size_t)entries * sizeof *s->a);
    }
    ISO_TRY(keep_bias(s, bias));
    iso_midpoint_choose(s);
    for (int d = 0; d < multibody->v_count; ++d) {
        s->v_star[d] = iso_stages_dt(s, iso_stages_dof_tree(s, d)) * (s->applied[d] - s->v_star[d]);
    }
    add_damping(s, s->v_star);
    ISO_TRY(add_springs(s, s->v_star));
    ISO_TRY(iso_stages_add_drives(s, s->v_star));
    ISO_TRY(add_pulls(s, s->v_star));
    ISO_TRY(solve_free_motion(s));
    factor_masses(s);
    ISO_TRY(correct_motion(s, links, bias));
    iso_arena_release(arena, mark);
done:
    iso_stages_lap(s, 5);
    return status;
}

iso_status iso_stages_mobility(const iso_stages* s, int dof, double* out_mobility) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    iso_arena* arena = &s->stepper->arena;
    int tree = multibody->bodies[multibody->dof_body[dof]].tree;
    int first = multibody->tree_v_index[tree];
    int dofs = multibody->tree_v_index[tree + 1] - first;
    iso_arena_mark mark = iso_arena_get_mark(arena);
    double* x = iso_arena_push_array(arena, dofs, sizeof *x);
    ISO_REQUIRE(arena->ctx, x, ISO_ERR_MEMORY, "mobility of %d degrees of freedom", dofs);
    for (int d = 0; d < dofs; ++d) {
        x[d] = 0.0;
    }
    x[dof - first] = 1.0;
    iso_cholesky_forward(s->a_factor + multibody->tree_m_index[tree], dofs, dofs, x);
    *out_mobility = iso_dense_dot(x, x, dofs);
    iso_arena_release(arena, mark);
    return ISO_OK;
}
