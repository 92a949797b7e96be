// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Derivatives of models that have none of their own.

#include "base/core/fail.h"
#include "contact/pairs/contact_system_state.h"

#include <math.h>

// Motions of differences: a share of a geometry's size, by which slip does not change by more than
// MOST_SLIP [m/s]; and changes of slip. Friction that sticks turns within 1e-4 m/s.
#define SHARE_OF_SIZE 1e-7
#define MOST_SLIP 1e-6
#define SHARE_OF_SLIP 1e-8

static void set_column(double matrix[6][6], int column, iso_spatial plus, iso_spatial minus,
                       double step) {
    iso_spatial d = iso_spatial_scale(iso_spatial_sub(plus, minus), 0.5 / step);
    const double rows[6] = {d.rotational.x,    d.rotational.y,    d.rotational.z,
                            d.translational.x, d.translational.y, d.translational.z};
    for (int i = 0; i < 6; ++i) {
        matrix[i][column] = rows[i];
    }
}

static iso_spatial unit(int column, double size) {
    double x[6] = {0.0};
    x[column] = size;
    return iso_spatial_make(iso_vec3_make(x[0], x[1], x[2]), iso_vec3_make(x[3], x[4], x[5]));
}

// A pose that went with a small twist about a point.
static iso_pose moved(const iso_pose* x, iso_spatial twist, iso_vec3 p_w) {
    iso_vec3 w = twist.rotational;
    iso_mat3 turn = iso_mat3_from_quat(iso_quat_from_rotation_vector(w));
    iso_vec3 arm = iso_mat3_mul_vec3(&turn, iso_vec3_sub(x->p, p_w));
    return (iso_pose){iso_mat3_mul(turn, x->r),
                      iso_vec3_add(iso_vec3_add(p_w, arm), twist.translational)};
}

// A pair where geometry B is elsewhere.
typedef struct sample {
    iso_spatial wrench; // about the pair's own point
    iso_vec3 normal, place;
    double radius;
} sample;

static sample sample_of(const iso_contact_system* system, const iso_contact_pair* pair,
                        iso_spatial v_c) {
    iso_contact_losses losses;
    sample s = {.wrench = pair->model->wrench(system, pair, v_c, &losses, NULL, NULL),
                .place = pair->p_wc};
    if (pair->model->press) {
        iso_contact_press press = pair->model->press(pair, v_c);
        s.normal = press.normal;
        s.radius = press.radius;
    }
    return s;
}

// Where they do not touch any more nothing but the wrench changes.
static iso_status sample_at(iso_contact_system* system, const iso_contact_pair* pair,
                            const iso_pose* x_wb, iso_spatial v_c, iso_arena* arena, sample* out) {
    iso_arena_mark mark = iso_arena_get_mark(arena);
    iso_contact_manifold manifold = {0};
    system->x_wg[pair->geometry_a] = pair->x_wa;
    system->x_wg[pair->geometry_b] = *x_wb;
    *out = sample_of(system, pair, v_c);
    out->wrench = iso_spatial_zero();
    iso_status status =
        pair->model->find(system, NULL, arena, pair->geometry_a, pair->geometry_b, &manifold);
    if (status == ISO_OK && manifold.is_touching) {
        iso_contact_pair at = *pair;
        at.patch = manifold.patch;
        at.own = manifold.own;
        at.x_wb = *x_wb;
        at.p_wc = manifold.patch.center_of_pressure;
        status = pair->model->complete(system, &at, arena);
        iso_vec3 shift = iso_vec3_sub(at.p_wc, pair->p_wc);
        *out = sample_of(system, &at, iso_spatial_shift_twist(v_c, shift));
        out->wrench = iso_spatial_shift_wrench(out->wrench, iso_vec3_scale(shift, -1.0));
    }
    iso_arena_release(arena, mark);
    return status;
}

static void set_drift(iso_press_drift* drift, int column, const sample s[2], double step) {
    iso_vec3 n = iso_vec3_scale(iso_vec3_sub(s[0].normal, s[1].normal), 0.5 / step);
    iso_vec3 p = iso_vec3_scale(iso_vec3_sub(s[0].place, s[1].place), 0.5 / step);
    for (int i = 0; i < 3; ++i) {
        drift->normal[i][column] = iso_vec3_get(n, i);
        drift->place[i][column] = iso_vec3_get(p, i);
    }
    drift->radius[column] = (s[0].radius - s[1].radius) * 0.5 / step;
}

static double size_of(const iso_contact_part* part) {
    double side = iso_vec3_norm(iso_vec3_sub(part->upper, part->lower));
    return part->is_half_space ? INFINITY : side;
}

iso_status iso_contact_differences(iso_contact_system* system, const iso_contact_pair* pair,
                                   iso_spatial v_c, iso_arena* arena,
                                   iso_contact_derivatives* out) {
    double size =
        fmin(size_of(&system->parts[pair->geometry_a]), size_of(&system->parts[pair->geometry_b]));
    size = isfinite(size) ? size : 1.0;
    double spin = iso_vec3_norm(v_c.rotational);
    double shift = fmin(SHARE_OF_SIZE * size, spin > 0.0 ? MOST_SLIP / spin : INFINITY);
    double slip = SHARE_OF_SLIP * (1.0 + iso_vec3_norm(v_c.translational));
    iso_contact_losses losses;
    out->wrench = pair->model->wrench(system, pair, v_c, &losses, NULL, NULL);
    iso_status status = ISO_OK;
    for (int i = 0; i < 6 && status == ISO_OK; ++i) {
        double turn = i < 3 ? slip / size : slip;
        double step = i < 3 ? shift / size : shift;
        iso_spatial f[2];
        for (int k = 0; k < 2 && status == ISO_OK; ++k) {
            double side = k == 0 ? 1.0 : -1.0;
            f[k] = pair->model->wrench(system, pair, iso_spatial_add(v_c, unit(i, side * turn)),
                                       &losses, NULL, NULL);
        }
        set_column(out->by_twist, i, f[0], f[1], turn);
        sample s[2];
        for (int k = 0; k < 2 && status == ISO_OK; ++k) {
            iso_pose x_wb = moved(&pair->x_wb, unit(i, k == 0 ? step : -step), pair->p_wc);
            status = sample_at(system, pair, &x_wb, v_c, arena, &s[k]);
        }
        if (status == ISO_OK) {
            set_column(out->by_pose, i, s[0].wrench, s[1].wrench, step);
            set_drift(&out->drift, i, s, step);
        }
    }
    return status;
}
