// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Lagged friction whose directions Newton's method follows (iso_slip_dual): value and gradient
// first, the Hessian when a step is taken from there. Points that have converged, or lines that
// are cut short, need no Hessian.

#include "contact/discrete/point_sums.h"

// Friction below this share of its bound, squared, is about proportional to slip.
#define VISCOUS_SQUARE 0.5

// w after Newton's step du from the last evaluation: of  w |v| = v  in v and w,
// t + (dv - w (t . dv)) / |v|.
static inline iso_vec3x4 step_direction(const iso_compliant_points* points, int i, iso_vec3x4 n,
                                        iso_vec3x4 w, iso_vec3x4 du) {
    iso_double4 one = iso_double4_set(1.0);
    iso_vec3x4 t = iso_vec3x4_load(points->tx + i, points->ty + i, points->tz + i);
    iso_double4 inverse = iso_double4_load(points->inverse_speed + i);
    iso_double4 along = iso_vec3x4_dot(t, du); // t is tangential
    iso_vec3x4 turn = iso_vec3x4_mul_add(n, iso_double4_neg(iso_vec3x4_dot(du, n)), du);
    turn = iso_vec3x4_mul_add(w, iso_double4_neg(along), turn);
    iso_vec3x4 next = iso_vec3x4_mul_add(turn, inverse, t);
    iso_double4 length = iso_double4_sqrt(iso_vec3x4_dot(next, next));
    return iso_vec3x4_scale(next, iso_double4_div(one, iso_double4_max(length, one)));
}

static inline void store3(iso_vec3x4 a, double* x, double* y, double* z) {
    iso_double4_store(x, a.x);
    iso_double4_store(y, a.y);
    iso_double4_store(z, a.z);
}

// Add J^T G J, G = a (I - n n^T) + b n n^T - a / 2 (w t^T + t w^T).
static inline void add_dual_hessian(hessian_sums* sums, iso_vec3x4 r, iso_vec3x4 n, iso_vec3x4 w,
                                    iso_vec3x4 t, iso_double4 a, iso_double4 b) {
    iso_vec3x4 m = iso_vec3x4_scale(n, iso_double4_sub(b, a));
    iso_double4 c = iso_double4_mul(iso_double4_set(-0.5), a);
    iso_vec3x4 q = iso_vec3x4_scale(w, c), s = iso_vec3x4_scale(t, c);
    iso_double4 xx = iso_double4_mul_add(m.x, n.x, sum_of_products(q.x, t.x, s.x, w.x));
    iso_double4 yy = iso_double4_mul_add(m.y, n.y, sum_of_products(q.y, t.y, s.y, w.y));
    iso_double4 zz = iso_double4_mul_add(m.z, n.z, sum_of_products(q.z, t.z, s.z, w.z));
    iso_double4 xy = iso_double4_mul_add(m.x, n.y, sum_of_products(q.x, t.y, s.x, w.y));
    iso_double4 xz = iso_double4_mul_add(m.x, n.z, sum_of_products(q.x, t.z, s.x, w.z));
    iso_double4 yz = iso_double4_mul_add(m.y, n.z, sum_of_products(q.y, t.z, s.y, w.z));
    add_symmetric(sums, r, iso_double4_add(a, xx), xy, xz, iso_double4_add(a, yy), yz,
                  iso_double4_add(a, zz));
}

// Add the trace of that G without its normal part, a (2 - w . t).
static inline iso_double4 add_dual_trace(iso_double4 sum, iso_vec3x4 w, iso_vec3x4 t,
                                         iso_double4 a) {
    iso_double4 product = iso_double4_mul_add(w.x, t.x, iso_double4_set(-2.0));
    product = iso_double4_mul_add(w.z, t.z, iso_double4_mul_add(w.y, t.y, product));
    return iso_double4_mul_subtract(a, product, sum);
}

// w to start with. The slip of most points is about to change where friction could turn or stop it:
// there the Hessian of zero, which is largest, keeps the first step from going too far.
static inline iso_vec3x4 first_direction(const iso_compliant_points* points,
                                         const iso_point_response* p) {
    iso_double4 one = iso_double4_set(1.0), zero = iso_double4_set(0.0);
    iso_double4 fastest = iso_double4_mul(iso_double4_set(points->turning_speed), p->inverse);
    iso_double4_mask goes_on = iso_double4_less(fastest, one);
    iso_double4_mask is_viscous =
        iso_double4_less(iso_vec3x4_dot(p->t, p->t), iso_double4_set(VISCOUS_SQUARE));
    iso_double4 share = iso_double4_select(is_viscous, one, iso_double4_select(goes_on, one, zero));
    return iso_vec3x4_scale(p->t, share);
}

// What happens to the directions at an evaluation.
typedef enum direction_move {
    DIRECTIONS_START,
    DIRECTIONS_ALIGN,
    DIRECTIONS_STAY,
    DIRECTIONS_STEP,
} direction_move;

// Moves the directions along, and keeps what they and the Hessian need. Returns w.
__attribute__((always_inline)) static inline iso_vec3x4
keep_slip(const iso_compliant_points* points, int i, iso_vec3x4 r, iso_vec3x4 n,
          direction_move move, const iso_vec3x4 dv[2], const iso_point_response* p) {
    iso_vec3x4 w;
    if (move == DIRECTIONS_START) {
        w = first_direction(points, p);
    } else if (move == DIRECTIONS_ALIGN) {
        w = p->t;
    } else {
        w = iso_vec3x4_load(points->wx + i, points->wy + i, points->wz + i);
    }
    if (move == DIRECTIONS_STEP) {
        w = step_direction(points, i, n, w, iso_vec3x4_velocity(dv[0], dv[1], r));
    }
    store3(w, points->wx + i, points->wy + i, points->wz + i);
    store3(p->t, points->tx + i, points->ty + i, points->tz + i);
    iso_double4_store(points->inverse_speed + i, p->inverse);
    return w;
}

static inline void add_response(gradient_sums* sums, iso_vec3x4 r, const iso_point_response* p) {
    add_to(&sums->value, p->value);
    sums->moment = iso_vec3x4_cross_add(r, p->gradient, sums->moment);
    add_to3(&sums->force, p->gradient);
}

// Of the whole law, or of friction alone, of which the trace is. Loops know the move.
__attribute__((always_inline)) static inline gradient_sums
sum_moved(const iso_compliant_points* points, bool has_normal, const double v[6],
          direction_move move, const double step[6]) {
    const iso_compliant_points own = *points; // nothing that is stored changes it
    iso_vec3x4 rotational = iso_vec3x4_set(v[0], v[1], v[2]);
    iso_vec3x4 translational = iso_vec3x4_set(v[3], v[4], v[5]);
    const iso_vec3x4 dv[2] = {iso_vec3x4_set(step[0], step[1], step[2]),
                              iso_vec3x4_set(step[3], step[4], step[5])};
    gradient_sums sums = no_gradient();
    for (int i = 0; i < own.padded_count; i += ISO_DOUBLE4_LANES) {
        iso_vec3x4 r = iso_vec3x4_load(own.rx + i, own.ry + i, own.rz + i);
        iso_vec3x4 n = iso_vec3x4_load(own.nx + i, own.ny + i, own.nz + i);
        iso_vec3x4 u = iso_vec3x4_velocity(rotational, translational, r);
        iso_point_response p =
            has_normal ? iso_point_lagged(&own, i, n, u) : iso_point_slip(&own, i, n, u);
        iso_vec3x4 w = keep_slip(&own, i, r, n, move, dv, &p);
        add_response(&sums, r, &p);
        if (has_normal) {
            iso_double4_store(own.normal_slope + i, p.b);
        } else {
            sums.trace = add_dual_trace(sums.trace, w, p.t, p.a);
        }
    }
    return sums;
}

__attribute__((always_inline)) static inline gradient_sums
sum_dual(const iso_compliant_points* points, bool has_normal, const double v[6],
         iso_slip_dual* dual) {
    bool is_started = dual->is_started, is_stepping = dual->is_stepping;
    dual->is_started = true;
    dual->is_stepping = false;
    if (!is_started) {
        return dual->is_aligned ? sum_moved(points, has_normal, v, DIRECTIONS_ALIGN, dual->dv)
                                : sum_moved(points, has_normal, v, DIRECTIONS_START, dual->dv);
    }
    return is_stepping ? sum_moved(points, has_normal, v, DIRECTIONS_STEP, dual->dv)
                       : sum_moved(points, has_normal, v, DIRECTIONS_STAY, dual->dv);
}

void iso_slip_dual_step(iso_slip_dual* dual, const double dv[6]) {
    for (int i = 0; i < 6; ++i) {
        dual->dv[i] = dv[i];
    }
    dual->is_stepping = true;
}

double iso_compliant_points_eval_dual(const iso_compliant_points* points, const double v[6],
                                      iso_slip_dual* dual, double* out_gradient) {
    gradient_sums sums = sum_dual(points, true, v, dual);
    return write_gradient(&sums, out_gradient);
}

double iso_compliant_points_eval_slip(const iso_compliant_points* points, const double slip[6],
                                      iso_slip_dual* dual, double* out_gradient,
                                      double* out_trace) {
    gradient_sums sums = sum_dual(points, false, slip, dual);
    return write_gradient_and_trace(&sums, out_gradient, out_trace);
}

double iso_compliant_points_eval_normal(const iso_compliant_points* points, const double v[6],
                                        double* out_gradient, double* out_trace) {
    const iso_compliant_points own = *points;
    iso_vec3x4 rotational = iso_vec3x4_set(v[0], v[1], v[2]);
    iso_vec3x4 translational = iso_vec3x4_set(v[3], v[4], v[5]);
    gradient_sums sums = no_gradient();
    for (int i = 0; i < own.padded_count; i += ISO_DOUBLE4_LANES) {
        iso_vec3x4 r = iso_vec3x4_load(own.rx + i, own.ry + i, own.rz + i);
        iso_vec3x4 n = iso_vec3x4_load(own.nx + i, own.ny + i, own.nz + i);
        iso_vec3x4 u = iso_vec3x4_velocity(rotational, translational, r);
        iso_point_response p = iso_point_normal(&own, i, n, u);
        iso_double4_store(own.normal_slope + i, p.b);
        add_response(&sums, r, &p);
        add_to(&sums.trace, p.b);
    }
    return write_gradient_and_trace(&sums, out_gradient, out_trace);
}

static inline hessian_sums sum_hessian(const iso_compliant_points* points, bool has_normal) {
    hessian_sums sums = no_hessian();
    for (int i = 0; i < points->padded_count; i += ISO_DOUBLE4_LANES) {
        iso_vec3x4 r = iso_vec3x4_load(points->rx + i, points->ry + i, points->rz + i);
        iso_vec3x4 n = iso_vec3x4_load(points->nx + i, points->ny + i, points->nz + i);
        iso_vec3x4 w = iso_vec3x4_load(points->wx + i, points->wy + i, points->wz + i);
        iso_vec3x4 t = iso_vec3x4_load(points->tx + i, points->ty + i, points->tz + i);
        iso_double4 a = iso_double4_mul(iso_double4_load(points->friction_force + i),
                                        iso_double4_load(points->inverse_speed + i));
        iso_double4 b =
            has_normal ? iso_double4_load(points->normal_slope + i) : iso_double4_set(0.0);
        add_dual_hessian(&sums, r, n, w, t, a, b);
    }
    return sums;
}

void iso_compliant_points_normal_hessian(const iso_compliant_points* points,
                                         double out_upper[ISO_SIX_UPPER]) {
    hessian_sums sums = no_hessian();
    for (int i = 0; i < points->padded_count; i += ISO_DOUBLE4_LANES) {
        iso_vec3x4 r = iso_vec3x4_load(points->rx + i, points->ry + i, points->rz + i);
        iso_vec3x4 n = iso_vec3x4_load(points->nx + i, points->ny + i, points->nz + i);
        add_normal_hessian(&sums, r, n, iso_double4_load(points->normal_slope + i));
    }
    write_upper(&sums, out_upper);
}

void iso_compliant_points_slip_hessian(const iso_compliant_points* points,
                                       double out_upper[ISO_SIX_UPPER]) {
    hessian_sums sums = sum_hessian(points, false);
    write_upper(&sums, out_upper);
}

void iso_compliant_points_dual_hessian(const iso_compliant_points* points, double* out_hessian) {
    hessian_sums sums = sum_hessian(points, true);
    write_hessian(&sums, out_hessian);
}

void iso_compliant_points_friction_shape(const iso_compliant_points* points,
                                         double out_upper[ISO_SIX_UPPER]) {
    hessian_sums sums = no_hessian();
    for (int i = 0; i < points->padded_count; i += ISO_DOUBLE4_LANES) {
        iso_vec3x4 r = iso_vec3x4_load(points->rx + i, points->ry + i, points->rz + i);
        iso_vec3x4 n = iso_vec3x4_load(points->nx + i, points->ny + i, points->nz + i);
        iso_double4 a = iso_double4_load(points->friction_force + i);
        iso_vec3x4 m = iso_vec3x4_scale(n, iso_double4_neg(a));
        add_symmetric(&sums, r, iso_double4_mul_add(m.x, n.x, a), iso_double4_mul(m.x, n.y),
                      iso_double4_mul(m.x, n.z), iso_double4_mul_add(m.y, n.y, a),
                      iso_double4_mul(m.y, n.z), iso_double4_mul_add(m.z, n.z, a));
    }
    write_upper(&sums, out_upper);
}
