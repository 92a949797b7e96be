// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The Jacobian of the continuous methods. Contact costs most of a right-hand side, so patches are
// made once, and their wrenches follow the exact derivatives of the law; joints, masses and
// everything else is differenced, for which stage 1 and the dynamics are run once a component.
// docs/theory/integrators.md.

#include "stepper/flow/flow_jacobian.h"

#include "base/system/clock.h"

#include <float.h>
#include <math.h>
#include <string.h>

// What memories are differenced by, before the root of rounding [J^(1/2)].
#define MEMORY_SIZE 1e-4

typedef struct pair_line {
    const iso_contact_pair* pair;
    iso_pose x_wa, x_wb; // bodies where the patch was made
    iso_spatial v_c;     // relative twist there, with that of moving surfaces
    iso_contact_derivatives law;
    iso_contact_press press; // there; of models that have it
} pair_line;

struct iso_flow_lines {
    const iso_contact_set* set;
    pair_line* pairs; // [set->pair_count]
};

static iso_spatial pair_twist(const iso_flow* f, const iso_kinematics* kinematics,
                              const iso_contact_pair* pair) {
    const iso_contact_system* system = f->stages->stepper->dynamics.contact;
    return iso_spatial_add(iso_pair_twist(kinematics, pair),
                           iso_surface_twist(system, kinematics, pair));
}

// Small motion from one pose to another, as a twist at a point.
static iso_spatial motion_between(const iso_pose* from, const iso_pose* to, iso_vec3 p_wc) {
    iso_mat3 r_inverse = iso_mat3_transpose(from->r);
    iso_mat3 turn = iso_mat3_mul(to->r, r_inverse);
    iso_vec3 w =
        iso_vec3_make(0.5 * (turn.m[2][1] - turn.m[1][2]), 0.5 * (turn.m[0][2] - turn.m[2][0]),
                      0.5 * (turn.m[1][0] - turn.m[0][1]));
    iso_vec3 shift = iso_vec3_sub(to->p, from->p);
    iso_vec3 arm = iso_vec3_sub(p_wc, from->p);
    return iso_spatial_make(w, iso_vec3_add(shift, iso_vec3_cross(w, arm)));
}

static iso_spatial multiply(const double matrix[6][6], iso_spatial x) {
    const double in[6] = {x.rotational.x,    x.rotational.y,    x.rotational.z,
                          x.translational.x, x.translational.y, x.translational.z};
    double out[6] = {0.0};
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) {
            out[i] += matrix[i][j] * in[j];
        }
    }
    return iso_spatial_make(iso_vec3_make(out[0], out[1], out[2]),
                            iso_vec3_make(out[3], out[4], out[5]));
}

// What a twist becomes, seen at the same place, when its bodies move by m.
static iso_spatial carried_twist(iso_spatial m, iso_spatial twist) {
    iso_vec3 w = m.rotational;
    return iso_spatial_make(iso_vec3_cross(w, twist.rotational),
                            iso_vec3_add(iso_vec3_cross(w, twist.translational),
                                         iso_vec3_cross(m.translational, twist.rotational)));
}

static iso_spatial carried_wrench(iso_spatial m, iso_spatial wrench) {
    iso_vec3 w = m.rotational;
    return iso_spatial_make(iso_vec3_add(iso_vec3_cross(w, wrench.rotational),
                                         iso_vec3_cross(m.translational, wrench.translational)),
                            iso_vec3_cross(w, wrench.translational));
}

iso_spatial iso_flow_line_wrench(const iso_flow* f, const iso_kinematics* kinematics, int index) {
    const pair_line* line = &f->lines->pairs[index];
    const iso_contact_pair* pair = line->pair;
    iso_spatial m_a = motion_between(&line->x_wa, &kinematics->x_wb[pair->body_a], pair->p_wc);
    iso_spatial m_b = motion_between(&line->x_wb, &kinematics->x_wb[pair->body_b], pair->p_wc);
    iso_spatial dv = iso_spatial_sub(pair_twist(f, kinematics, pair), line->v_c);
    iso_spatial wrench = iso_spatial_add(line->law.wrench, carried_wrench(m_a, line->law.wrench));
    wrench = iso_spatial_add(wrench, multiply(line->law.by_pose, iso_spatial_sub(m_b, m_a)));
    return iso_spatial_add(
        wrench, multiply(line->law.by_twist, iso_spatial_sub(dv, carried_twist(m_a, line->v_c))));
}

// Three numbers by a small relative motion of the bodies.
static iso_vec3 change_of(const double by_pose[3][6], iso_spatial m) {
    iso_vec3 w = m.rotational, v = m.translational;
    double out[3];
    for (int i = 0; i < 3; ++i) {
        const double* row = by_pose[i];
        out[i] =
            row[0] * w.x + row[1] * w.y + row[2] * w.z + row[3] * v.x + row[4] * v.y + row[5] * v.z;
    }
    return iso_vec3_make(out[0], out[1], out[2]);
}

iso_contact_press iso_flow_line_press(const iso_flow* f, const iso_kinematics* kinematics,
                                      int index, iso_vec3* out_moved) {
    const pair_line* line = &f->lines->pairs[index];
    const iso_contact_pair* pair = line->pair;
    const iso_press_drift* drift = &line->law.drift;
    iso_spatial m_a = motion_between(&line->x_wa, &kinematics->x_wb[pair->body_a], pair->p_wc);
    iso_spatial m_b = motion_between(&line->x_wb, &kinematics->x_wb[pair->body_b], pair->p_wc);
    iso_spatial m = iso_spatial_sub(m_b, m_a);
    iso_contact_press press = line->press;
    iso_vec3 n = line->press.normal, turned = iso_vec3_cross(m_a.rotational, n);
    press.normal = iso_vec3_add(iso_vec3_add(n, turned), change_of(drift->normal, m));
    press.normal = iso_vec3_normalized(press.normal);
    const double* by = drift->radius;
    press.radius += by[0] * m.rotational.x + by[1] * m.rotational.y + by[2] * m.rotational.z +
                    by[3] * m.translational.x + by[4] * m.translational.y +
                    by[5] * m.translational.z;
    press.wrench = iso_flow_line_wrench(f, kinematics, index);
    press.force += iso_vec3_dot(press.normal, press.wrench.translational) -
                   iso_vec3_dot(n, line->law.wrench.translational);
    press.force = fmax(press.force, 0.0);
    *out_moved = iso_vec3_add(m_a.translational, change_of(drift->place, m));
    return press;
}

static iso_status make_lines(iso_flow* f, const iso_stages* now, iso_flow_lines* lines) {
    iso_contact_system* system = now->stepper->dynamics.contact;
    iso_arena* arena = &now->stepper->arena;
    lines->set = &now->set;
    lines->pairs = iso_arena_push_array(arena, now->set.pair_count, sizeof *lines->pairs);
    ISO_REQUIRE(arena->ctx, lines->pairs, ISO_ERR_MEMORY, "derivatives of %d contacts",
                now->set.pair_count);
    iso_status status = ISO_OK;
    for (int i = 0; i < now->set.pair_count && status == ISO_OK; ++i) {
        pair_line* line = &lines->pairs[i];
        line->pair = &now->set.pairs[i];
        line->x_wa = now->kinematics.x_wb[line->pair->body_a];
        line->x_wb = now->kinematics.x_wb[line->pair->body_b];
        line->v_c = pair_twist(f, &now->kinematics, line->pair);
        const iso_contact_model* model = line->pair->model;
        status = iso_flow_line_pair(f, &now->set.pairs[i], line->v_c, &line->pair);
        if (status != ISO_OK) {
            break;
        }
        if (model->press) {
            line->press = model->press(line->pair, line->v_c);
        }
        status = model->derivatives
                     ? model->derivatives(system, line->pair, line->v_c, &line->law)
                     : iso_contact_differences(system, line->pair, line->v_c, arena, &line->law);
    }
    return status;
}

// Rates of (q, v) with contact along its derivatives.
static iso_status rates_beside(iso_flow* f, double t, const double* y, double* out_rates) {
    const iso_multibody* multibody = f->stages->stepper->dynamics.multibody;
    iso_arena* arena = &f->stages->stepper->arena;
    iso_arena_mark mark = iso_arena_get_mark(arena);
    iso_stages now = iso_flow_begin(f);
    double powers[ISO_WORK_COUNT];
    iso_status status = iso_flow_place(f, &now, t, y);
    if (status == ISO_OK) {
        now.set = *f->lines->set;
        iso_multibody_qdot(multibody, f->input.q, f->input.v, out_rates);
        status = iso_flow_accelerate(f, &now, out_rates + multibody->q_count, powers);
        iso_flow_copy_rates(f, out_rates + multibody->q_count + multibody->v_count);
    }
    iso_flow_end(f, &now);
    iso_arena_release(arena, mark);
    return status;
}

static iso_status fill_columns(iso_flow* f, double t, const double* y, double* out_jacobian) {
    const iso_multibody* multibody = f->stages->stepper->dynamics.multibody;
    iso_arena* arena = &f->stages->stepper->arena;
    int motion = multibody->q_count + multibody->v_count;
    int n = motion + iso_flow_memory_count(f);
    double* moved = iso_arena_push_array(arena, 3 * n, sizeof *moved);
    ISO_REQUIRE(arena->ctx, moved, ISO_ERR_MEMORY, "columns of %d rates", n);
    double* rates = moved + n;
    double* rates_moved = moved + 2 * n;
    memcpy(moved, y, (size_t)n * sizeof *moved);
    iso_status status = rates_beside(f, t, y, rates);
    for (int j = 0; j < n && status == ISO_OK; ++j) {
        double size = fmax(fabs(y[j]), j < motion ? 1.0 : MEMORY_SIZE);
        volatile double place = y[j] + copysign(sqrt(DBL_EPSILON) * size, y[j]);
        double step = place - y[j];
        moved[j] = place;
        status = rates_beside(f, t, moved, rates_moved);
        for (int i = 0; i < n; ++i) {
            out_jacobian[i * n + j] = (rates_moved[i] - rates[i]) / step;
        }
        moved[j] = y[j];
    }
    return status;
}

iso_status iso_flow_jacobian(iso_flow* f, double t, const double* y, double* out_jacobian) {
    iso_arena* arena = &f->stages->stepper->arena;
    iso_arena_mark mark = iso_arena_get_mark(arena);
    iso_stages now = iso_flow_begin(f);
    iso_flow_lines lines = {NULL, NULL};
    iso_status status = ISO_OK;
    ISO_TRY(iso_flow_place(f, &now, t, y));
    ISO_TRY(iso_stage_contacts(&now));
    ISO_TRY(make_lines(f, &now, &lines));
    f->lines = &lines;
    status = fill_columns(f, t, y, out_jacobian);
    status = status == ISO_OK && iso_flow_is_memory_short(f) ? ISO_ERR_NOT_FOUND : status;
done:
    f->lines = NULL;
    iso_flow_end(f, &now);
    iso_arena_release(arena, mark);
    return status;
}
