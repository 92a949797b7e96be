// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "isobar/dynamics.h"

#include "world/state/world_state.h"

#include "base/core/fail.h"
#include "math/dense.h"
#include "math/limits.h"

#include <string.h>

iso_joint_kind iso_joint_kind_of(iso_mobility mobility) {
    static const iso_joint_kind kinds[] = {
        [ISO_MOBILITY_WELD] = ISO_JOINT_WELD,
        [ISO_MOBILITY_REVOLUTE] = ISO_JOINT_REVOLUTE,
        [ISO_MOBILITY_PRISMATIC] = ISO_JOINT_PRISMATIC,
        [ISO_MOBILITY_FREE] = ISO_JOINT_FREE,
        [ISO_MOBILITY_SCREW] = ISO_JOINT_SCREW,
        [ISO_MOBILITY_UNIVERSAL] = ISO_JOINT_UNIVERSAL,
        [ISO_MOBILITY_BALL] = ISO_JOINT_BALL,
        [ISO_MOBILITY_PLANAR] = ISO_JOINT_PLANAR,
    };
    return kinds[mobility];
}

int iso_world_q_count(const iso_world* world) {
    return world->multibody.q_count;
}

int iso_world_v_count(const iso_world* world) {
    return world->multibody.v_count;
}

static bool is_body(const iso_world* world, int body) {
    return body >= 0 && body < world->multibody.body_count;
}

iso_coordinates iso_world_coordinates(const iso_world* world, int body) {
    iso_coordinates c = {.joint_name = "", .kind = ISO_JOINT_WELD, .parent = -1};
    if (!is_body(world, body) || body == 0) {
        return c;
    }
    const iso_mb_body* mb = &world->multibody.bodies[body];
    c.joint_name = world->joint_names[body] != NULL ? world->joint_names[body] : "";
    c.kind = iso_joint_kind_of(mb->mobility);
    c.parent = mb->parent;
    c.q_index = mb->q_index;
    c.v_index = mb->v_index;
    c.q_count = iso_mobility_q_count(mb->mobility);
    c.v_count = iso_mobility_v_count(mb->mobility);
    return c;
}

int iso_world_joint_body(const iso_world* world, int joint) {
    return joint >= 0 && joint < world->joint_count ? world->joints[joint].body : -1;
}

static void copy_doubles(double* out, const double* in, int count) {
    if (count > 0) {
        memcpy(out, in, (size_t)count * sizeof *out);
    }
}

iso_status iso_world_get_state(const iso_world* world, double* out_q, double* out_v) {
    ISO_REQUIRE(NULL, world != NULL, ISO_ERR_ARGUMENT, "world is required");
    if (out_q != NULL) {
        copy_doubles(out_q, world->q, world->multibody.q_count);
    }
    if (out_v != NULL) {
        copy_doubles(out_v, world->v, world->multibody.v_count);
    }
    return ISO_OK;
}

iso_status iso_world_check_q(const iso_world* world, const double* q) {
    const iso_multibody* mb = &world->multibody;
    for (int b = 1; b < mb->body_count; ++b) {
        const iso_mb_body* body = &mb->bodies[b];
        double square = 0.0;
        for (int i = 0; i < iso_mobility_q_count(body->mobility); ++i) {
            double x = q[body->q_index + i];
            ISO_REQUIRE(world->ctx, fabs(x) <= ISO_FARTHEST, ISO_ERR_RANGE,
                        "position %d of the joint above body '%s' is %g, expected at most %g", i,
                        world->body_names[b], x, ISO_FARTHEST);
            square += i < 4 ? x * x : 0.0;
        }
        ISO_REQUIRE(world->ctx,
                    !iso_mobility_has_quat(body->mobility) || (square > 1e-12 && square < 1e12),
                    ISO_ERR_RANGE,
                    "quaternion of the joint above body '%s' has length %g, expected about 1",
                    world->body_names[b], sqrt(square));
    }
    return ISO_OK;
}

// Bodies that other positions put elsewhere, with all that they carry.
static void mark_moved(iso_world* world, const double* q) {
    const iso_multibody* mb = &world->multibody;
    for (int b = 1; b < mb->body_count; ++b) {
        const iso_mb_body* body = &mb->bodies[b];
        const double* now = world->q + body->q_index;
        bool is_moved = world->moved[body->parent] != 0.0;
        for (int i = 0; i < iso_mobility_q_count(body->mobility); ++i) {
            is_moved = is_moved || now[i] != q[body->q_index + i];
        }
        world->moved[b] = is_moved ? 1.0 : world->moved[b];
    }
}

iso_status iso_world_set_state(iso_world* world, const double* q, const double* v) {
    ISO_REQUIRE(NULL, world != NULL, ISO_ERR_ARGUMENT, "world is required");
    const iso_multibody* mb = &world->multibody;
    iso_status status = iso_world_check_free(world, "set to another state");
    if (status == ISO_OK && q != NULL) {
        status = iso_world_check_q(world, q);
    }
    if (status != ISO_OK) {
        return status;
    }
    for (int d = 0; v != NULL && d < mb->v_count; ++d) {
        ISO_REQUIRE(world->ctx, fabs(v[d]) <= ISO_FARTHEST, ISO_ERR_RANGE,
                    "velocity %d (of the joint above body '%s') is %g, expected at most %g", d,
                    world->body_names[mb->dof_body[d]], v[d], ISO_FARTHEST);
    }
    if (q != NULL) {
        if (!world->is_compared) {
            mark_moved(world, q);
        }
        copy_doubles(world->q, q, mb->q_count);
        iso_multibody_normalize(mb, world->q);
    }
    if (v != NULL) {
        copy_doubles(world->v, v, mb->v_count);
    }
    iso_world_refresh(world);
    return ISO_OK;
}

/// Start a query with empty scratch.
static iso_status begin(iso_world* world, const void* out) {
    ISO_REQUIRE(NULL, world != NULL, ISO_ERR_ARGUMENT, "world is required");
    ISO_REQUIRE(world->ctx, out != NULL || world->multibody.v_count == 0, ISO_ERR_ARGUMENT,
                "an array for the result is required");
    return iso_arena_reset(&world->scratch);
}

/// Numbers given by a caller.
static iso_status check_finite(const iso_world* world, const double* x, const char* what) {
    const iso_multibody* mb = &world->multibody;
    for (int d = 0; x != NULL && d < mb->v_count; ++d) {
        ISO_REQUIRE(world->ctx, isfinite(x[d]), ISO_ERR_RANGE,
                    "%s %d (of the joint above body '%s') is %g, expected finite", what, d,
                    world->body_names[mb->dof_body[d]], x[d]);
    }
    return ISO_OK;
}

iso_status iso_world_mass_matrix(iso_world* world, double* out_m) {
    iso_status status = ISO_OK;
    ISO_TRY(begin(world, out_m));
    const iso_multibody* mb = &world->multibody;
    int n = mb->v_count, entries = mb->tree_m_index[mb->tree_count];
    double* blocks = iso_arena_push_array(&world->scratch, entries, sizeof *blocks);
    ISO_CHECK(world->ctx, blocks, ISO_ERR_MEMORY, "mass matrix of %d entries", entries);
    ISO_TRY(iso_multibody_mass_matrix(mb, &world->kinematics, &world->scratch, blocks));
    for (int i = 0; i < n * n; ++i) {
        out_m[i] = 0.0;
    }
    for (int t = 0; t < mb->tree_count; ++t) {
        int first = mb->tree_v_index[t], dofs = mb->tree_v_index[t + 1] - first;
        for (int i = 0; i < dofs; ++i) {
            copy_doubles(out_m + (first + i) * n + first, blocks + mb->tree_m_index[t] + i * dofs,
                         dofs);
        }
    }
done:
    return status;
}

iso_status iso_world_bias(iso_world* world, double* out_bias) {
    iso_status status = begin(world, out_bias);
    return status != ISO_OK
               ? status
               : iso_multibody_bias(&world->multibody, &world->kinematics, world->v,
                                    world->desc.gravity, NULL, &world->scratch, out_bias);
}

iso_status iso_world_gravity_forces(iso_world* world, double* out_tau) {
    iso_status status = begin(world, out_tau);
    if (status != ISO_OK) {
        return status;
    }
    const iso_multibody* mb = &world->multibody;
    for (int d = 0; d < mb->v_count; ++d) {
        out_tau[d] = 0.0;
    }
    for (int b = 1; b < mb->body_count; ++b) {
        if (mb->bodies[b].mass > 0.0) {
            iso_vec3 weight = iso_vec3_scale(
                iso_multibody_pull(&mb->bodies[b], world->desc.gravity), mb->bodies[b].mass);
            iso_vec3 center = iso_multibody_center(mb, &world->kinematics, b);
            iso_multibody_add_wrench(mb, &world->kinematics, b, center,
                                     iso_spatial_make(iso_vec3_zero(), weight), out_tau);
        }
    }
    return ISO_OK;
}

iso_status iso_world_passive_forces(iso_world* world, double* out_tau) {
    iso_status status = begin(world, out_tau);
    if (status != ISO_OK) {
        return status;
    }
    const iso_multibody* mb = &world->multibody;
    iso_multibody_spring_efforts(mb, world->q, out_tau);
    for (int d = 0; d < mb->v_count; ++d) {
        out_tau[d] -= mb->bodies[mb->dof_body[d]].damping * world->v[d];
    }
    for (int i = 0; i < world->tendon_count; ++i) {
        const iso_fixed_tendon* tendon = &world->tendons[i];
        double effort =
            iso_fixed_tendon_passive_effort(tendon, mb, &world->kinematics, world->q, world->v);
        iso_fixed_tendon_add_effort(tendon, mb, &world->kinematics, effort, out_tau);
    }
    return ISO_OK;
}

iso_status iso_world_inverse_dynamics(iso_world* world, const double* vdot, double* out_tau) {
    iso_status status = begin(world, out_tau);
    if (status == ISO_OK) {
        status = check_finite(world, vdot, "acceleration");
    }
    return status != ISO_OK ? status
                            : iso_multibody_inverse_dynamics(&world->multibody, &world->kinematics,
                                                             world->v, vdot, world->desc.gravity,
                                                             NULL, &world->scratch, out_tau);
}

iso_status iso_world_forward_dynamics(iso_world* world, const double* tau, double* out_vdot) {
    iso_status status = ISO_OK;
    ISO_TRY(begin(world, out_vdot));
    ISO_TRY(check_finite(world, tau, "force"));
    const iso_multibody* mb = &world->multibody;
    int entries = mb->tree_m_index[mb->tree_count];
    double* blocks = iso_arena_push_array(&world->scratch, entries, sizeof *blocks);
    ISO_CHECK(world->ctx, blocks, ISO_ERR_MEMORY, "mass matrix of %d entries", entries);
    ISO_TRY(iso_multibody_mass_matrix(mb, &world->kinematics, &world->scratch, blocks));
    ISO_TRY(iso_multibody_bias(mb, &world->kinematics, world->v, world->desc.gravity, NULL,
                               &world->scratch, out_vdot));
    for (int d = 0; d < mb->v_count; ++d) {
        out_vdot[d] = (tau != NULL ? tau[d] : 0.0) - out_vdot[d];
    }
    for (int t = 0; t < mb->tree_count; ++t) {
        int first = mb->tree_v_index[t], dofs = mb->tree_v_index[t + 1] - first;
        double* block = blocks + mb->tree_m_index[t];
        ISO_CHECK(world->ctx, iso_cholesky_factor(block, dofs, dofs), ISO_ERR_NUMERIC,
                  "mass matrix of the tree of body '%s' is not positive definite in this state",
                  world->body_names[mb->dof_body[first]]);
        iso_cholesky_solve(block, dofs, dofs, out_vdot + first);
    }
done:
    return status;
}

iso_status iso_world_full_jacobian(iso_world* world, const iso_kinematics* kinematics, int body,
                                   iso_vec3 p_w, double* out_jacobian) {
    const iso_multibody* mb = &world->multibody;
    int n = mb->v_count, tree = mb->bodies[body].tree;
    for (int i = 0; i < 6 * n; ++i) {
        out_jacobian[i] = 0.0;
    }
    if (tree < 0) {
        return ISO_OK;
    }
    int first = mb->tree_v_index[tree], dofs = mb->tree_v_index[tree + 1] - first;
    iso_arena_mark mark = iso_arena_get_mark(&world->scratch);
    double* block = iso_arena_push_array(&world->scratch, 6 * dofs, sizeof *block);
    ISO_REQUIRE(world->ctx, block, ISO_ERR_MEMORY, "Jacobian of %d degrees of freedom", dofs);
    iso_multibody_jacobian(mb, kinematics, body, p_w, block);
    for (int i = 0; i < 6; ++i) {
        copy_doubles(out_jacobian + i * n + first, block + i * dofs, dofs);
    }
    iso_arena_release(&world->scratch, mark);
    return ISO_OK;
}

iso_status iso_world_jacobian(iso_world* world, int body, iso_vec3 p_bp, double* out_jacobian) {
    iso_status status = begin(world, out_jacobian);
    if (status != ISO_OK) {
        return status;
    }
    ISO_REQUIRE(world->ctx, is_body(world, body), ISO_ERR_RANGE,
                "body index %d, expected in [0, %d)", body, world->multibody.body_count);
    ISO_REQUIRE(world->ctx, iso_vec3_is_finite(p_bp), ISO_ERR_RANGE,
                "point (%g, %g, %g) is not finite", p_bp.x, p_bp.y, p_bp.z);
    return iso_world_full_jacobian(world, &world->kinematics, body,
                                   iso_pose_point(&world->kinematics.x_wb[body], p_bp),
                                   out_jacobian);
}

/// True when `root` carries `body`, or is it; 0 carries what can move.
static bool is_carried(const iso_multibody* mb, int root, int body) {
    if (root == 0) {
        return mb->bodies[body].tree >= 0;
    }
    int b = body;
    while (b > root) {
        b = mb->bodies[b].parent;
    }
    return b == root;
}

iso_status iso_world_center_of_mass(iso_world* world, int body, iso_vec3* out_p_wc,
                                    double* out_jacobian) {
    iso_status status = begin(world, out_p_wc);
    if (status != ISO_OK) {
        return status;
    }
    const iso_multibody* mb = &world->multibody;
    ISO_REQUIRE(world->ctx, out_p_wc != NULL, ISO_ERR_ARGUMENT, "out_p_wc is required");
    ISO_REQUIRE(world->ctx, is_body(world, body), ISO_ERR_RANGE,
                "body index %d, expected in [0, %d)", body, mb->body_count);
    int n = mb->v_count;
    double mass = 0.0;
    iso_vec3 sum = iso_vec3_zero();
    double* rows = iso_arena_push_array(&world->scratch, 6 * n, sizeof *rows);
    ISO_REQUIRE(world->ctx, rows, ISO_ERR_MEMORY, "Jacobian of %d degrees of freedom", n);
    for (int i = 0; out_jacobian != NULL && i < 3 * n; ++i) {
        out_jacobian[i] = 0.0;
    }
    for (int b = 1; b < mb->body_count; ++b) {
        double m = mb->bodies[b].mass;
        if (!is_carried(mb, body, b) || m == 0.0) {
            continue;
        }
        mass += m;
        iso_vec3 center = iso_multibody_center(mb, &world->kinematics, b);
        sum = iso_vec3_add_scaled(sum, center, m);
        if (out_jacobian != NULL) {
            status = iso_world_full_jacobian(world, &world->kinematics, b, center, rows);
            if (status != ISO_OK) {
                return status;
            }
            iso_dense_add_scaled(out_jacobian, rows + 3 * n, m, 3 * n);
        }
    }
    ISO_REQUIRE(world->ctx, mass > 0.0, ISO_ERR_RANGE,
                "mass of body '%s' and what it carries is %g kg, expected > 0",
                world->body_names[body], mass);
    *out_p_wc = iso_vec3_scale(sum, 1.0 / mass);
    for (int i = 0; out_jacobian != NULL && i < 3 * n; ++i) {
        out_jacobian[i] /= mass;
    }
    return ISO_OK;
}

iso_spatial iso_world_momentum(const iso_world* world) {
    return iso_multibody_momentum(&world->multibody, &world->kinematics);
}

iso_subtree_motion iso_world_subtree_motion(const iso_world* world, int body) {
    return world != NULL && is_body(world, body)
               ? iso_multibody_subtree_motion(&world->multibody, &world->kinematics, body)
               : (iso_subtree_motion){0};
}

int iso_world_coupler_count(const iso_world* world) {
    return world->coupler_count;
}

iso_coupler_state iso_world_coupler(const iso_world* world, int index) {
    iso_coupler_state state = {.name = "", .joint_a = -1, .joint_b = -1};
    if (index >= 0 && index < world->coupler_count) {
        state.name = world->coupler_names[index];
        state.joint_a = world->coupler_joints[2 * index];
        state.joint_b = world->coupler_joints[2 * index + 1];
        state.residual = iso_coupler_gap(&world->couplers[index], &world->multibody, world->q);
        state.effort = world->tie_efforts[index];
        state.ratio = world->couplers[index].ratio;
        state.offset = world->couplers[index].offset;
        memcpy(state.curve, world->couplers[index].curve, sizeof state.curve);
        state.slope = iso_coupler_slope(&world->couplers[index], &world->multibody, world->q);
        state.is_on = !world->present_couplers[index].is_off;
    }
    return state;
}

int iso_world_constraint_count(const iso_world* world) {
    return world->constraint_count;
}

iso_constraint_state iso_world_constraint(const iso_world* world, int index) {
    iso_constraint_state state = {.name = ""};
    if (index >= 0 && index < world->constraint_count) {
        iso_constraint now = world->constraints[index];
        const iso_constraint* constraint = &now;
        now.length = world->switches[index].length;
        now.x_bq = world->switches[index].x_bq;
        iso_gap gap = iso_constraint_gap(constraint, world->kinematics.x_wb);
        state.name = world->constraint_names[index];
        state.kind = constraint->kind;
        state.body_a = constraint->body_a;
        state.body_b = constraint->body_b;
        iso_gap_errors(&gap, &state.orientation_error, &state.position_error);
        state.f_b_w = world->constraint_forces[index];
        state.is_on = world->switches[index].is_on;
    }
    return state;
}
