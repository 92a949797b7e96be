// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Stage 4: what contacts, joint limits and drives with an effort limit ask of the new velocity.

#include "stepper/stages.h"

#include "math/dense.h"

static double eval_points(const void* user, const double* u, double* out_gradient,
                          double* out_hessian) {
    return iso_compliant_points_eval(user, u, out_gradient, out_hessian);
}

static void line_points(const void* user, const double* u, const double* du, double alpha,
                        double* out_value, double* out_slope, double* out_curvature) {
    iso_compliant_points_line(user, u, du, alpha, out_value, out_slope, out_curvature);
}

static const iso_potential_ops points_ops = {eval_points, line_points};

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

// W += J A^-1 J^T = Y^T Y with Y = L^-1 J^T.
static iso_status add_delassus(const iso_stages* s, int tree, const double* jacobian,
                               double delassus[36]) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    iso_arena* arena = &s->stepper->arena;
    int dofs = multibody->tree_v_index[tree + 1] - multibody->tree_v_index[tree];
    iso_arena_mark mark = iso_arena_get_mark(arena);
    double* y = iso_arena_push_array(arena, 6 * dofs, sizeof *y);
    ISO_REQUIRE(arena->ctx, y, ISO_ERR_MEMORY, "effective mass of %d degrees of freedom", dofs);
    for (int d = 0; d < dofs; ++d) {
        for (int i = 0; i < 6; ++i) {
            y[6 * d + i] = jacobian[i * dofs + d];
        }
    }
    iso_cholesky_forward_block(s->a_factor + multibody->tree_m_index[tree], dofs, dofs, y, 6, 6);
    iso_dense_add_atb(delassus, 6, 1.0, y, 6, y, 6, 6, dofs, 6);
    iso_arena_release(arena, mark);
    return ISO_OK;
}

// The potential of a pair without its points: u = V_B - V_A at the common point.
static iso_status make_contact(const iso_stages* s, const iso_contact_pair* pair,
                               iso_potential* out) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    int tree_a = multibody->bodies[pair->body_a].tree;
    int tree_b = multibody->bodies[pair->body_b].tree;
    double* j_a = tree_a >= 0 ? push_jacobian(s, pair->body_a, pair->p_wc, -1.0) : NULL;
    double* j_b = tree_b >= 0 ? push_jacobian(s, pair->body_b, pair->p_wc, 1.0) : NULL;
    ISO_REQUIRE(s->stepper->ctx, (tree_a < 0 || j_a) && (tree_b < 0 || j_b), ISO_ERR_MEMORY,
                "Jacobians of a contact");
    *out = (iso_potential){&points_ops, NULL, 6, tree_a, tree_b, j_a, j_b, 0};
    if (tree_a == tree_b) {
        int dofs = multibody->tree_v_index[tree_a + 1] - multibody->tree_v_index[tree_a];
        iso_dense_add_scaled(j_a, j_b, 1.0, 6 * dofs);
        out->tree_b = -1;
    } else if (tree_a < 0) {
        out->tree_a = tree_b;
        out->jacobian_a = j_b;
        out->tree_b = -1;
    }
    return ISO_OK;
}

static iso_status add_contact(iso_stages* s, int index) {
    iso_stepper* stepper = s->stepper;
    const iso_contact_pair* pair = &s->set.pairs[index];
    const iso_multibody* multibody = stepper->dynamics.multibody;
    iso_point_law law =
        stepper->settings.method == ISO_METHOD_SAP ? ISO_POINT_LAW_SAP : ISO_POINT_LAW_LAGGED;
    bool is_free =
        multibody->bodies[pair->body_a].tree >= 0 || multibody->bodies[pair->body_b].tree >= 0;
    iso_potential* potential = &s->potentials[s->potential_count];
    double delassus[36] = {0.0};
    iso_status status = ISO_OK;
    if (is_free) {
        ISO_TRY(make_contact(s, pair, potential));
        ISO_TRY(add_delassus(s, potential->tree_a, potential->jacobian_a, delassus));
        if (potential->tree_b >= 0) {
            ISO_TRY(add_delassus(s, potential->tree_b, potential->jacobian_b, delassus));
        }
    }
    ISO_TRY(iso_compliant_points_build(stepper->dynamics.contact, pair, law, s->dt,
                                       iso_pair_twist(&s->kinematics, pair), delassus,
                                       &stepper->arena, &s->points[index]));
    potential->user = &s->points[index];
    s->pair_potential[index] = is_free ? s->potential_count++ : -1;
done:
    return status;
}

// Speed a joint may reach in this step without anything in its way.
static double possible_speed(const iso_stages* s, int dof, double mobility) {
    double speed = fmax(fabs(s->input->v[dof]), fabs(s->v_star[dof]));
    for (int i = 0; i < s->stepper->dynamics.actuator_count; ++i) {
        const iso_drive* drive = &s->drives[i];
        if (drive->dof == dof && !iso_drive_is_linear(drive)) {
            speed += s->dt * mobility * fabs(iso_drive_effort(drive, s->input->v[dof]));
        }
    }
    return speed;
}

// Limits that the joint of a body may reach within two steps.
static iso_status find_limits(iso_stages* s, int body_index) {
    const iso_mb_body* body = &s->stepper->dynamics.multibody->bodies[body_index];
    double q = s->input->q[body->q_index];
    int dof = body->v_index;
    double mobility = 0.0;
    iso_status status = iso_stages_mobility(s, dof, &mobility);
    if (status != ISO_OK) {
        return status;
    }
    double window = 2.0 * s->dt * possible_speed(s, dof, mobility);
    if (q - window <= body->lower) {
        s->limits[s->limit_count++] =
            iso_joint_limit_make(dof, 1.0, q - body->lower, mobility, s->dt);
    }
    if (q + window >= body->upper) {
        s->limits[s->limit_count++] =
            iso_joint_limit_make(dof, -1.0, body->upper - q, mobility, s->dt);
    }
    return ISO_OK;
}

static void add_joint_potential(iso_stages* s, const iso_potential_ops* ops, const void* user,
                                int dof) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    int tree = multibody->bodies[multibody->dof_body[dof]].tree;
    iso_potential potential = {ops, user, 1, tree, -1, NULL, NULL, dof};
    s->potentials[s->potential_count++] = potential;
}

static iso_status push_arrays(iso_stages* s) {
    iso_arena* arena = &s->stepper->arena;
    int pairs = s->set.pair_count;
    int joints = 2 * s->stepper->limited_count + s->stepper->dynamics.actuator_count;
    s->points = iso_arena_push_array(arena, pairs, sizeof *s->points);
    s->pair_potential = iso_arena_push_array(arena, pairs, sizeof *s->pair_potential);
    s->potentials = iso_arena_push_array(arena, pairs + joints + 1, sizeof *s->potentials);
    s->limits = iso_arena_push_array(arena, 2 * s->stepper->limited_count, sizeof *s->limits);
    ISO_REQUIRE(arena->ctx, s->points && s->pair_potential && s->potentials && s->limits,
                ISO_ERR_MEMORY, "potentials of %d contacts and %d joints", pairs, joints);
    return ISO_OK;
}

iso_status iso_stage_potentials(iso_stages* s) {
    double start = iso_stepper_clock();
    iso_status status = ISO_OK;
    ISO_TRY(push_arrays(s));
    for (int i = 0; i < s->set.pair_count; ++i) {
        ISO_TRY(add_contact(s, i));
    }
    for (int i = 0; i < s->stepper->limited_count; ++i) {
        ISO_TRY(find_limits(s, s->stepper->limited[i]));
    }
    for (int i = 0; i < s->limit_count; ++i) {
        add_joint_potential(s, &iso_joint_limit_ops, &s->limits[i], s->limits[i].dof);
    }
    for (int i = 0; i < s->stepper->dynamics.actuator_count; ++i) {
        if (!iso_drive_is_linear(&s->drives[i])) {
            add_joint_potential(s, &iso_drive_ops, &s->drives[i], s->drives[i].dof);
        }
    }
done:
    s->report.stage_seconds[3] += iso_stepper_clock() - start;
    return status;
}
