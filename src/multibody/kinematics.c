// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "multibody/multibody.h"

#include "base/core/fail.h"
#include "math/lanes_f64x4.h"

iso_status iso_kinematics_push(const iso_multibody* multibody, iso_arena* arena,
                               iso_kinematics* out_kinematics) {
    int bodies = multibody->body_count;
    int dofs = multibody->v_count;
    iso_kinematics kinematics = {
        .x_wb = iso_arena_push_array(arena, bodies, sizeof *kinematics.x_wb),
        .v_wb = iso_arena_push_array(arena, bodies, sizeof *kinematics.v_wb),
        .dof_axis = iso_arena_push_array(arena, dofs, sizeof *kinematics.dof_axis),
        .dof_point = iso_arena_push_array(arena, dofs, sizeof *kinematics.dof_point),
    };
    *out_kinematics = kinematics;
    ISO_REQUIRE(arena->ctx,
                kinematics.x_wb && kinematics.v_wb && kinematics.dof_axis && kinematics.dof_point,
                ISO_ERR_MEMORY, "kinematics of %d bodies", bodies);
    return ISO_OK;
}

// Unlike iso_quat_normalized this lets NaN through and makes NaN of zero, so that a broken state is
// noticed downstream instead of being turned into the identity.
static iso_quat unit_quat(const double q[4]) {
    double s = 1.0 / sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    return iso_quat_make(q[0] * s, q[1] * s, q[2] * s, q[3] * s);
}

static void write_quat(iso_quat quat, double q[4]) {
    q[0] = quat.w;
    q[1] = quat.x;
    q[2] = quat.y;
    q[3] = quat.z;
}

static iso_vec3 read_vec3(const double* x) {
    return iso_vec3_make(x[0], x[1], x[2]);
}

static void write_vec3(iso_vec3 v, double* x) {
    x[0] = v.x;
    x[1] = v.y;
    x[2] = v.z;
}

static iso_mat3 turn_about(iso_vec3 axis, double angle) {
    double s = sin(0.5 * angle);
    return iso_mat3_from_quat(iso_quat_make(cos(0.5 * angle), axis.x * s, axis.y * s, axis.z * s));
}

static iso_pose joint_pose(const iso_mb_body* body, const double* q) {
    switch (body->mobility) {
    case ISO_MOBILITY_FREE:
        return iso_pose_make(iso_mat3_from_quat(unit_quat(q)), read_vec3(q + 4));
    case ISO_MOBILITY_UNIVERSAL:
        return iso_pose_make(
            iso_mat3_mul(turn_about(body->axis, q[0]), turn_about(body->axis_2, q[1])),
            iso_vec3_zero());
    case ISO_MOBILITY_BALL:
        return iso_pose_make(iso_mat3_from_quat(unit_quat(q)), iso_vec3_zero());
    case ISO_MOBILITY_PLANAR:
        return iso_pose_make(turn_about(iso_vec3_make(0.0, 0.0, 1.0), q[2]),
                             iso_vec3_make(q[0], q[1], 0.0));
    default: // see place_on_joint() and place_weld()
        break;
    }
    return iso_pose_identity();
}

static iso_spatial turning(iso_vec3 direction) {
    return iso_spatial_make(direction, iso_vec3_zero());
}

static iso_spatial moving(iso_vec3 direction) {
    return iso_spatial_make(iso_vec3_zero(), direction);
}

// Unit twists in W of the joint's degrees of freedom about the origin of M.
static void joint_axes(const iso_mb_body* body, const iso_mat3* r_wf, const double* q,
                       iso_spatial* axes) {
    switch (body->mobility) {
    case ISO_MOBILITY_UNIVERSAL: {
        iso_mat3 first = turn_about(body->axis, q[0]);
        axes[0] = turning(iso_mat3_mul_vec3(r_wf, body->axis));
        axes[1] = turning(iso_mat3_mul_vec3(r_wf, iso_mat3_mul_vec3(&first, body->axis_2)));
        break;
    }
    case ISO_MOBILITY_BALL:
        for (int k = 0; k < 3; ++k) {
            axes[k] = turning(iso_mat3_column(r_wf, k));
        }
        break;
    case ISO_MOBILITY_PLANAR:
        axes[0] = moving(iso_mat3_column(r_wf, 0));
        axes[1] = moving(iso_mat3_column(r_wf, 1));
        axes[2] = turning(iso_mat3_column(r_wf, 2));
        break;
    case ISO_MOBILITY_FREE:
        for (int k = 0; k < 3; ++k) {
            axes[k] = turning(iso_mat3_column(r_wf, k));
            axes[3 + k] = moving(iso_mat3_column(r_wf, k));
        }
        break;
    default:
        break;
    }
}

// The pose of a body whose joint has several degrees of freedom, their axes and its velocity.
static iso_spatial place_freely(const iso_mb_body* body, const iso_pose* x_wp, const double* q,
                                const double* v, iso_kinematics* out, iso_pose* out_x_wb) {
    iso_spatial* axes = out->dof_axis + body->v_index;
    iso_pose x_wf = iso_pose_mul(x_wp, &body->x_pf);
    iso_pose x_fm = joint_pose(body, q);
    iso_pose x_wm = iso_pose_mul(&x_wf, &x_fm);
    iso_spatial v_fm = iso_spatial_zero();
    joint_axes(body, &x_wf.r, q, axes);
    for (int k = 0; k < iso_mobility_v_count(body->mobility); ++k) {
        out->dof_point[body->v_index + k] = x_wm.p;
        v_fm = iso_spatial_add(v_fm, iso_spatial_scale(axes[k], v[k]));
    }
    *out_x_wb = body->is_b_at_m ? x_wm : iso_pose_mul(&x_wm, &body->x_mb);
    return v_fm;
}

// R_wp (rows of a matrix of three rows)
static void turn_rows(const iso_mat3* r_wp, const iso_double4 rows[3], iso_double4 out[3]) {
    for (int i = 0; i < 3; ++i) {
        iso_double4 sum = iso_double4_mul(iso_double4_set(r_wp->m[i][0]), rows[0]);
        sum = iso_double4_mul_add(iso_double4_set(r_wp->m[i][1]), rows[1], sum);
        out[i] = iso_double4_mul_add(iso_double4_set(r_wp->m[i][2]), rows[2], sum);
    }
}

// (R | p) from its rows.
static iso_pose read_rows(const iso_double4 rows[3]) {
    double x[3][4];
    for (int i = 0; i < 3; ++i) {
        iso_double4_store(x[i], rows[i]);
    }
    return (iso_pose){
        {{{x[0][0], x[0][1], x[0][2]}, {x[1][0], x[1][1], x[1][2]}, {x[2][0], x[2][1], x[2][2]}}},
        {x[0][3], x[1][3], x[2][3]}};
}

static void load_rows(const double rows[3][4], iso_double4 out[3]) {
    for (int i = 0; i < 3; ++i) {
        out[i] = iso_double4_load(rows[i]);
    }
}

// The same for one degree of freedom.
static iso_spatial place_on_joint(const iso_mb_body* body, const iso_mb_placement* stand,
                                  const iso_pose* x_wp, double q, double rate, iso_kinematics* out,
                                  iso_pose* out_x_wb) {
    iso_double4 on_parent[3], in_world[3];
    load_rows(stand->fixed, on_parent);
    if (body->mobility != ISO_MOBILITY_PRISMATIC) {
        iso_double4 cosine = iso_double4_set(cos(q)), sine = iso_double4_set(sin(q));
        for (int i = 0; i < 3; ++i) {
            iso_double4 row =
                iso_double4_mul_add(cosine, iso_double4_load(stand->cosine[i]), on_parent[i]);
            on_parent[i] = iso_double4_mul_add(sine, iso_double4_load(stand->sine[i]), row);
        }
    }
    turn_rows(&x_wp->r, on_parent, in_world);
    iso_pose x = read_rows(in_world);
    iso_spatial axis = turning(iso_mat3_mul_vec3(&x_wp->r, stand->axis_p.rotational));
    iso_vec3 p_wm = iso_vec3_add(x_wp->p, x.p);
    if (body->mobility != ISO_MOBILITY_REVOLUTE) {
        axis.translational = iso_mat3_mul_vec3(&x_wp->r, stand->axis_p.translational);
        p_wm = iso_vec3_add_scaled(p_wm, axis.translational, q);
    }
    out->dof_axis[body->v_index] = axis;
    out->dof_point[body->v_index] = p_wm;
    x.p = body->is_b_at_m ? p_wm : iso_vec3_add(p_wm, iso_mat3_mul_vec3(&x.r, stand->p_mb_b));
    *out_x_wb = x;
    return iso_spatial_scale(axis, rate);
}

static iso_pose place_weld(const iso_mb_placement* stand, const iso_pose* x_wp) {
    iso_double4 on_parent[3], in_world[3];
    load_rows(stand->fixed, on_parent);
    turn_rows(&x_wp->r, on_parent, in_world);
    iso_pose x_wb = read_rows(in_world);
    x_wb.p = iso_vec3_add(x_wp->p, x_wb.p);
    return x_wb;
}

void iso_multibody_kinematics(const iso_multibody* multibody, const double* q, const double* v,
                              iso_kinematics* out_kinematics) {
    iso_kinematics* out = out_kinematics;
    out->x_wb[0] = iso_pose_identity();
    out->v_wb[0] = iso_spatial_zero();
    out->rotor_energy = 0.0;
    for (int b = 1; b < multibody->body_count; ++b) {
        const iso_mb_body* body = &multibody->bodies[b];
        const iso_mb_placement* stand = &multibody->placements[b];
        const iso_pose* x_wp = &out->x_wb[body->parent];
        const iso_spatial* v_wp = &out->v_wb[body->parent];
        iso_pose* x_wb = &out->x_wb[b];
        if (body->mobility == ISO_MOBILITY_WELD) {
            *x_wb = place_weld(stand, x_wp);
            out->v_wb[b] = body->tree < 0
                               ? iso_spatial_zero()
                               : iso_spatial_shift_twist(*v_wp, iso_vec3_sub(x_wb->p, x_wp->p));
        } else {
            const double *q_b = q + body->q_index, *v_b = v + body->v_index;
            iso_spatial v_fm = iso_mobility_has_one_dof(body->mobility)
                                   ? place_on_joint(body, stand, x_wp, *q_b, *v_b, out, x_wb)
                                   : place_freely(body, x_wp, q_b, v_b, out, x_wb);
            for (int i = 0; i < iso_mobility_v_count(body->mobility); ++i) {
                out->rotor_energy += 0.5 * body->rotor_inertia * v_b[i] * v_b[i];
            }
            iso_vec3 p_wm = out->dof_point[body->v_index];
            iso_spatial v_wm =
                iso_spatial_add(iso_spatial_shift_twist(*v_wp, iso_vec3_sub(p_wm, x_wp->p)), v_fm);
            out->v_wb[b] =
                body->is_b_at_m ? v_wm : iso_spatial_shift_twist(v_wm, iso_vec3_sub(x_wb->p, p_wm));
        }
    }
    out->rotor_energy += iso_multibody_rotor_energy(multibody, out, v);
}

// The angular velocity is constant in F, so the turn multiplies from the left.
static void turn_quat(const double* q, const double* w, double dt, double* out_q) {
    iso_quat turn = iso_quat_from_rotation_vector(iso_vec3_scale(read_vec3(w), dt));
    double turned[4];
    write_quat(iso_quat_mul(turn, unit_quat(q)), turned);
    write_quat(unit_quat(turned), out_q);
}

// Linear in the quaternion, so q/|q| follows the right path even when |q| is not 1.
static void quat_rate(const double* q, const double* w, double* out_rate) {
    iso_quat half = iso_quat_make(0.0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]);
    write_quat(iso_quat_mul(half, iso_quat_make(q[0], q[1], q[2], q[3])), out_rate);
}

void iso_multibody_integrate(const iso_multibody* multibody, const double* q, const double* v,
                             double dt, double* out_q) {
    for (int b = 1; b < multibody->body_count; ++b) {
        const iso_mb_body* body = &multibody->bodies[b];
        const double* q_b = q + body->q_index;
        const double* v_b = v + body->v_index;
        double* out_b = out_q + body->q_index;
        int from = 0, rotations = 0;
        if (iso_mobility_has_quat(body->mobility)) {
            turn_quat(q_b, v_b, dt, out_b);
            from = 4;
            rotations = 3;
        }
        int count = iso_mobility_q_count(body->mobility);
        for (int i = from; i < count; ++i) {
            out_b[i] = q_b[i] + dt * v_b[i - from + rotations];
        }
    }
}

void iso_multibody_difference(const iso_multibody* multibody, const double* from, const double* to,
                              double* out_delta) {
    for (int b = 1; b < multibody->body_count; ++b) {
        const iso_mb_body* body = &multibody->bodies[b];
        const double *f = from + body->q_index, *t = to + body->q_index;
        double* d = out_delta + body->v_index;
        int start = 0, rotations = 0;
        if (iso_mobility_has_quat(body->mobility)) {
            iso_quat was = unit_quat(f);
            iso_quat back = iso_quat_make(was.w, -was.x, -was.y, -was.z);
            iso_quat turn = iso_quat_normalized(iso_quat_mul(unit_quat(t), back));
            iso_vec3 vector = iso_quat_to_rotation_vector(turn);
            d[0] = vector.x;
            d[1] = vector.y;
            d[2] = vector.z;
            start = 4;
            rotations = 3;
        }
        for (int i = start; i < iso_mobility_q_count(body->mobility); ++i) {
            d[i - start + rotations] = t[i] - f[i];
        }
    }
}

void iso_multibody_qdot(const iso_multibody* multibody, const double* q, const double* v,
                        double* out_qdot) {
    for (int b = 1; b < multibody->body_count; ++b) {
        const iso_mb_body* body = &multibody->bodies[b];
        const double* v_b = v + body->v_index;
        double* out_b = out_qdot + body->q_index;
        int from = 0, rotations = 0;
        if (iso_mobility_has_quat(body->mobility)) {
            quat_rate(q + body->q_index, v_b, out_b);
            from = 4;
            rotations = 3;
        }
        int count = iso_mobility_q_count(body->mobility);
        for (int i = from; i < count; ++i) {
            out_b[i] = v_b[i - from + rotations];
        }
    }
}

void iso_multibody_normalize(const iso_multibody* multibody, double* q) {
    for (int b = 1; b < multibody->body_count; ++b) {
        const iso_mb_body* body = &multibody->bodies[b];
        if (iso_mobility_has_quat(body->mobility)) {
            write_quat(unit_quat(q + body->q_index), q + body->q_index);
        }
    }
}

void iso_multibody_default_q(const iso_multibody* multibody, double* out_q) {
    for (int i = 0; i < multibody->q_count; ++i) {
        out_q[i] = 0.0;
    }
    for (int b = 1; b < multibody->body_count; ++b) {
        const iso_mb_body* body = &multibody->bodies[b];
        if (iso_mobility_has_quat(body->mobility)) {
            write_quat(iso_quat_identity(), out_q + body->q_index);
        }
    }
}

void iso_multibody_set_free(const iso_multibody* multibody, const iso_kinematics* kinematics,
                            int body, const iso_pose* x_wb, iso_spatial v_wb, double* q,
                            double* v) {
    const iso_mb_body* mb = &multibody->bodies[body];
    if (mb->mobility != ISO_MOBILITY_FREE) {
        return;
    }
    const iso_pose* x_wp = &kinematics->x_wb[mb->parent];
    iso_pose x_wf = iso_pose_mul(x_wp, &mb->x_pf);
    iso_pose x_bm = iso_pose_inverse(&mb->x_mb);
    iso_pose x_wm = iso_pose_mul(x_wb, &x_bm);
    iso_pose x_fm = iso_pose_inverse_mul(&x_wf, &x_wm);
    write_quat(iso_quat_from_mat3(&x_fm.r), q + mb->q_index);
    write_vec3(x_fm.p, q + mb->q_index + 4);

    iso_spatial v_wm = iso_spatial_shift_twist(v_wb, iso_vec3_sub(x_wm.p, x_wb->p));
    iso_spatial carried =
        iso_spatial_shift_twist(kinematics->v_wb[mb->parent], iso_vec3_sub(x_wm.p, x_wp->p));
    iso_spatial v_fm = iso_spatial_sub(v_wm, carried);
    write_vec3(iso_mat3_tmul_vec3(&x_wf.r, v_fm.rotational), v + mb->v_index);
    write_vec3(iso_mat3_tmul_vec3(&x_wf.r, v_fm.translational), v + mb->v_index + 3);
}
