// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// The potentials of four compliant points at once, as functions of the relative velocities u of the
// points. No lane branches. docs/theory/contact.md derives every line.

#include "contact/discrete/compliant_points.h"
#include "math/wide.h"

/// Smallest slip speed [m/s]: keeps the direction of slip defined, far below any real speed.
#define ISO_POINT_SMALLEST_SPEED 1e-30

/// Smallest slope of a force that is divided by: of a tension [N s/m], of a pressure [N/m].
#define ISO_POINT_SMALLEST_SLOPE 1e-30

/// Three components, four points.
typedef struct iso_wide3 {
    iso_wide x, y, z;
} iso_wide3;

static inline iso_wide3 iso_wide3_set(double x, double y, double z) {
    iso_wide3 r = {iso_wide_set(x), iso_wide_set(y), iso_wide_set(z)};
    return r;
}
static inline iso_wide3 iso_wide3_load(const double* x, const double* y, const double* z) {
    iso_wide3 r = {iso_wide_load(x), iso_wide_load(y), iso_wide_load(z)};
    return r;
}
static inline iso_wide iso_wide3_dot(iso_wide3 a, iso_wide3 b) {
    return iso_wide_mul_add(a.z, b.z, iso_wide_mul_add(a.y, b.y, iso_wide_mul(a.x, b.x)));
}
/// a s + b
static inline iso_wide3 iso_wide3_mul_add(iso_wide3 a, iso_wide s, iso_wide3 b) {
    iso_wide3 r = {iso_wide_mul_add(a.x, s, b.x), iso_wide_mul_add(a.y, s, b.y),
                   iso_wide_mul_add(a.z, s, b.z)};
    return r;
}
static inline iso_wide3 iso_wide3_scale(iso_wide3 a, iso_wide s) {
    iso_wide3 r = {iso_wide_mul(a.x, s), iso_wide_mul(a.y, s), iso_wide_mul(a.z, s)};
    return r;
}
static inline iso_wide iso_wide_cross_component(iso_wide a1, iso_wide b2, iso_wide a2,
                                                iso_wide b1) {
    return iso_wide_mul_subtract(a2, b1, iso_wide_mul(a1, b2));
}
static inline iso_wide3 iso_wide3_cross(iso_wide3 a, iso_wide3 b) {
    iso_wide3 r = {iso_wide_cross_component(a.y, b.z, a.z, b.y),
                   iso_wide_cross_component(a.z, b.x, a.x, b.z),
                   iso_wide_cross_component(a.x, b.y, a.y, b.x)};
    return r;
}
/// c + a x b
static inline iso_wide3 iso_wide3_cross_add(iso_wide3 a, iso_wide3 b, iso_wide3 c) {
    iso_wide3 r = {iso_wide_mul_subtract(a.z, b.y, iso_wide_mul_add(a.y, b.z, c.x)),
                   iso_wide_mul_subtract(a.x, b.z, iso_wide_mul_add(a.z, b.x, c.y)),
                   iso_wide_mul_subtract(a.y, b.x, iso_wide_mul_add(a.x, b.y, c.z))};
    return r;
}
/// Velocity at r of a twist (w; v).
static inline iso_wide3 iso_wide3_velocity(iso_wide3 w, iso_wide3 v, iso_wide3 r) {
    return iso_wide3_cross_add(w, r, v);
}

/// Potential of a point with its derivatives by u. The Hessian is
/// a (I - n n^T) + b n n^T + c t t^T + e (n t^T + t n^T), where t is tangential, |t| <= 1.
typedef struct iso_point_response {
    iso_wide value;
    iso_wide3 gradient;
    iso_wide a, b, c, e;
    iso_wide3 t;
    iso_wide inverse; ///< of the smoothed slip speed; lagged friction only
} iso_point_response;

/// Normal impulse n(v) of damped Hunt-Crossley, with adhesion a tension beyond the limit.
typedef struct iso_normal_impulse {
    iso_wide integral; ///< of n from zero to v
    iso_wide impulse;  ///< n
    iso_wide slope;    ///< -n', not negative
} iso_normal_impulse;

static inline iso_normal_impulse iso_point_normal_impulse(const iso_compliant_points* points, int i,
                                                          iso_wide v_n) {
    iso_wide dt = iso_wide_set(points->dt);
    iso_wide zero = iso_wide_set(0.0), one = iso_wide_set(1.0), half = iso_wide_set(0.5);

    // Beyond the limit the impulse is zero and N constant.
    iso_wide limit = iso_wide_load(points->limit + i);
    iso_wide_mask is_loaded = iso_wide_less(v_n, limit);
    iso_wide v = iso_wide_min(v_n, limit);
    iso_wide dt_k = iso_wide_mul(dt, iso_wide_load(points->stiffness + i));
    iso_wide force0 = iso_wide_load(points->force + i);
    iso_wide d = iso_wide_load(points->dissipation + i);
    iso_wide change = iso_wide_neg(iso_wide_mul(dt_k, v));
    iso_wide force = iso_wide_add(force0, change);
    iso_wide d_v = iso_wide_mul(d, v);
    iso_wide damping = iso_wide_sub(one, d_v);
    iso_wide undamped = iso_wide_mul_add(half, change, force0);
    iso_wide damped = iso_wide_mul_add(iso_wide_set(2.0 / 3.0), change, force0);
    iso_wide integral = iso_wide_sub(undamped, iso_wide_mul(iso_wide_mul(half, d_v), damped));
    integral = iso_wide_mul(iso_wide_mul(dt, v), integral);
    iso_wide impulse = iso_wide_mul(dt, iso_wide_mul(force, damping));
    impulse = iso_wide_select(is_loaded, impulse, zero);
    iso_wide slope = iso_wide_mul_add(dt_k, damping, iso_wide_mul(d, force));
    slope = iso_wide_select(is_loaded, iso_wide_mul(dt, slope), zero);

    // Beyond the limit: tension, which rises to the adhesion.
    if (points->has_adhesion) {
        iso_wide tension_slope = iso_wide_load(points->tension_slope + i);
        iso_wide tension_limit = iso_wide_load(points->tension_limit + i);
        iso_wide beyond = iso_wide_sub(v_n, v);
        iso_wide rising = iso_wide_mul(tension_slope, beyond);
        iso_wide_mask is_rising = iso_wide_less(rising, tension_limit);
        iso_wide tension = iso_wide_min(rising, tension_limit);
        // Integral of min(s x, t): s x^2 / 2, then t x - t^2 / (2 s); both are T (x - T / (2 s)).
        iso_wide safe = iso_wide_max(tension_slope, iso_wide_set(ISO_POINT_SMALLEST_SLOPE));
        iso_wide start = iso_wide_mul(half, iso_wide_div(tension, safe));
        iso_wide work = iso_wide_mul(tension, iso_wide_sub(beyond, start));
        integral = iso_wide_sub(integral, iso_wide_mul(dt, work));
        impulse = iso_wide_sub(impulse, iso_wide_mul(dt, tension));
        iso_wide pull = iso_wide_select(is_rising, tension_slope, zero);
        slope = iso_wide_select(is_loaded, slope, iso_wide_mul(dt, pull));
    }

    return (iso_normal_impulse){integral, impulse, slope};
}

/// Normal part of lagged convex Hunt-Crossley: -N(v_n).
static inline iso_point_response iso_point_normal(const iso_compliant_points* points, int i,
                                                  iso_wide3 n, iso_wide3 u) {
    iso_wide zero = iso_wide_set(0.0);
    iso_normal_impulse normal = iso_point_normal_impulse(points, i, iso_wide3_dot(u, n));
    iso_point_response r = {.value = iso_wide_neg(normal.integral),
                            .gradient = iso_wide3_scale(n, iso_wide_neg(normal.impulse)),
                            .a = zero,
                            .b = normal.slope,
                            .c = zero,
                            .e = zero,
                            .t = {zero, zero, zero}};
    return r;
}

/// Its tangential part: mu n0 (sqrt(|v_t|^2 + eps^2) - eps).
static inline iso_point_response iso_point_slip(const iso_compliant_points* points, int i,
                                                iso_wide3 n, iso_wide3 u) {
    iso_wide zero = iso_wide_set(0.0), one = iso_wide_set(1.0);
    iso_wide v_n = iso_wide3_dot(u, n);
    iso_wide3 v_t = iso_wide3_mul_add(n, iso_wide_neg(v_n), u);
    iso_wide bound = iso_wide_load(points->friction_force + i);
    iso_wide eps = iso_wide_load(points->slip_scale + i);
    iso_wide speed = iso_wide_sqrt(iso_wide_mul_add(eps, eps, iso_wide3_dot(v_t, v_t)));
    iso_wide inverse = iso_wide_div(one, speed);
    iso_point_response r;
    r.t = iso_wide3_scale(v_t, inverse);
    r.inverse = inverse;
    r.a = iso_wide_mul(bound, inverse);
    r.b = zero;
    r.c = iso_wide_neg(r.a);
    r.e = zero;
    r.value = iso_wide_mul(bound, iso_wide_sub(speed, eps));
    r.gradient = iso_wide3_scale(v_t, r.a);
    return r;
}

/// Lagged convex Hunt-Crossley: both parts.
static inline iso_point_response iso_point_lagged(const iso_compliant_points* points, int i,
                                                  iso_wide3 n, iso_wide3 u) {
    iso_point_response normal = iso_point_normal(points, i, n, u);
    iso_point_response r = iso_point_slip(points, i, n, u);
    r.b = normal.b;
    r.value = iso_wide_add(r.value, normal.value);
    r.gradient = (iso_wide3){iso_wide_add(normal.gradient.x, r.gradient.x),
                             iso_wide_add(normal.gradient.y, r.gradient.y),
                             iso_wide_add(normal.gradient.z, r.gradient.z)};
    return r;
}

/// Quadratic regularised cone: 1/2 gamma^T R gamma, gamma the projection of y = (v^ - u) / R on the
/// friction cone in the norm of R. Written with the closing velocity w = v^_n - v_n and the slip
/// speed s instead of y: it sticks where s / R_t <= mu w / R_n, it touches where w > -mu s.
static inline iso_point_response iso_point_sap(const iso_compliant_points* points, int i,
                                               iso_wide3 n, iso_wide3 u) {
    iso_wide zero = iso_wide_set(0.0), one = iso_wide_set(1.0), half = iso_wide_set(0.5);
    iso_wide tiny = iso_wide_set(ISO_POINT_SMALLEST_SPEED * ISO_POINT_SMALLEST_SPEED);
    iso_wide v_n = iso_wide3_dot(u, n);
    iso_wide3 v_t = iso_wide3_mul_add(n, iso_wide_neg(v_n), u);
    iso_wide speed = iso_wide_sqrt(iso_wide_add(iso_wide3_dot(v_t, v_t), tiny));
    iso_wide inverse = iso_wide_div(one, speed);
    iso_wide closing = iso_wide_sub(iso_wide_load(points->bias + i), v_n);

    iso_wide mu = iso_wide_load(points->friction_force + i);
    iso_wide r_n = iso_wide_load(points->regularization + i);
    iso_wide r_t = iso_wide_load(points->slip_scale + i);
    iso_wide r_cone = iso_wide_mul_add(iso_wide_mul(mu, mu), r_t, r_n);
    iso_wide weight_n = iso_wide_div(one, r_n);
    iso_wide weight_t = iso_wide_div(one, r_t);
    iso_wide weight_cone = iso_wide_div(one, r_cone);
    iso_wide mu_speed = iso_wide_mul(mu, speed);
    iso_wide stick_n = iso_wide_mul(closing, weight_n);
    iso_wide_mask sticks =
        iso_wide_less_equal(iso_wide_mul(speed, weight_t), iso_wide_mul(mu, stick_n));
    iso_wide reach = iso_wide_max(iso_wide_add(closing, mu_speed), zero);
    iso_wide_mask touches = iso_wide_greater(reach, zero);
    iso_wide slide_n = iso_wide_mul(reach, weight_cone);
    iso_wide gamma_n = iso_wide_select(sticks, stick_n, slide_n);

    // In stiction |v_t|^2 includes `tiny`, so that the value is continuous.
    iso_wide stick_value =
        iso_wide_mul_add(closing, stick_n, iso_wide_mul(iso_wide_mul(speed, speed), weight_t));
    iso_wide slide_value = iso_wide_mul(reach, slide_n);
    iso_wide slide_a = iso_wide_mul(iso_wide_mul(mu, slide_n), inverse);
    iso_wide slide_b = iso_wide_select(touches, weight_cone, zero);
    iso_wide slide_e = iso_wide_mul(mu, slide_b);
    iso_point_response r;
    r.value = iso_wide_mul(half, iso_wide_select(sticks, stick_value, slide_value));
    r.t = iso_wide3_scale(v_t, inverse);
    r.a = iso_wide_select(sticks, weight_t, slide_a);
    r.b = iso_wide_select(sticks, weight_n, slide_b);
    r.c = iso_wide_select(sticks, zero, iso_wide_sub(iso_wide_mul(mu, slide_e), slide_a));
    r.e = iso_wide_select(sticks, zero, iso_wide_neg(slide_e));
    r.gradient = iso_wide3_mul_add(n, iso_wide_neg(gamma_n), iso_wide3_scale(v_t, r.a));
    return r;
}

/// Hunt-Crossley of z = v_n - mu (sqrt(|v_t|^2 + eps^2) - eps): -N(z). The impulse n(z) lies along
/// n - mu t, on the edge of the cone where the point slides.
static inline iso_point_response iso_point_similar(const iso_compliant_points* points, int i,
                                                   iso_wide3 n, iso_wide3 u) {
    iso_wide one = iso_wide_set(1.0);
    iso_wide v_n = iso_wide3_dot(u, n);
    iso_wide3 v_t = iso_wide3_mul_add(n, iso_wide_neg(v_n), u);
    iso_wide mu = iso_wide_load(points->friction_force + i);
    iso_wide eps = iso_wide_load(points->slip_scale + i);
    iso_wide speed = iso_wide_sqrt(iso_wide_mul_add(eps, eps, iso_wide3_dot(v_t, v_t)));
    iso_wide parting = iso_wide_add(v_n, iso_wide_load(points->bias + i));
    iso_wide z = iso_wide_sub(parting, iso_wide_mul(mu, iso_wide_sub(speed, eps)));
    iso_normal_impulse normal = iso_point_normal_impulse(points, i, z);
    iso_wide inverse = iso_wide_div(one, speed);
    iso_wide mu_slope = iso_wide_mul(mu, normal.slope);
    iso_point_response r;
    r.t = iso_wide3_scale(v_t, inverse);
    r.a = iso_wide_mul(iso_wide_mul(mu, normal.impulse), inverse);
    r.b = normal.slope;
    r.c = iso_wide_sub(iso_wide_mul(mu, mu_slope), r.a);
    r.e = iso_wide_neg(mu_slope);
    r.value = iso_wide_neg(normal.integral);
    r.gradient = iso_wide3_mul_add(n, iso_wide_neg(normal.impulse), iso_wide3_scale(v_t, r.a));
    return r;
}

/// TAMSI: minus the impulse, n(v_n) (n - mu rho(|v_t| / v_s) t). Friction is quadratic in the slip
/// up to the stiction velocity, rho(x) = x (2 - x), and constant beyond. The derivative has the
/// form of a Hessian but for the part that normal motion has on friction: `e` is that of t n^T
/// alone, n t^T has none. `value` is zero.
static inline iso_point_response iso_point_tamsi(const iso_compliant_points* points, int i,
                                                 iso_wide3 n, iso_wide3 u) {
    iso_wide zero = iso_wide_set(0.0), one = iso_wide_set(1.0), two = iso_wide_set(2.0);
    iso_wide tiny = iso_wide_set(ISO_POINT_SMALLEST_SPEED * ISO_POINT_SMALLEST_SPEED);
    iso_wide v_n = iso_wide3_dot(u, n);
    iso_wide3 v_t = iso_wide3_mul_add(n, iso_wide_neg(v_n), u);
    iso_wide speed = iso_wide_sqrt(iso_wide_add(iso_wide3_dot(v_t, v_t), tiny));
    iso_wide inverse = iso_wide_div(one, speed);
    iso_wide scale = iso_wide_div(one, iso_wide_load(points->slip_scale + i));
    iso_wide x = iso_wide_min(iso_wide_mul(speed, scale), one);
    iso_wide rho = iso_wide_mul(x, iso_wide_sub(two, x));
    // rho / |v_t|, which is finite at rest, and the slope of rho.
    iso_wide secant =
        iso_wide_select(iso_wide_less(x, one), iso_wide_mul(scale, iso_wide_sub(two, x)), inverse);
    iso_wide tangent = iso_wide_mul(iso_wide_mul(two, scale), iso_wide_sub(one, x));
    iso_normal_impulse normal = iso_point_normal_impulse(points, i, v_n);
    iso_wide pressed = iso_wide_max(normal.impulse, zero); // tension has no friction
    iso_wide slope = iso_wide_select(iso_wide_greater(normal.impulse, zero), normal.slope, zero);
    iso_wide bound = iso_wide_mul(iso_wide_load(points->friction_force + i), pressed);
    iso_wide mu_slope = iso_wide_mul(iso_wide_load(points->friction_force + i), slope);
    iso_point_response r;
    r.t = iso_wide3_scale(v_t, inverse);
    r.a = iso_wide_mul(bound, secant);
    r.b = normal.slope;
    r.c = iso_wide_mul(bound, iso_wide_sub(tangent, secant));
    r.e = iso_wide_neg(iso_wide_mul(mu_slope, rho));
    r.value = zero;
    r.gradient = iso_wide3_mul_add(n, iso_wide_neg(normal.impulse), iso_wide3_scale(v_t, r.a));
    return r;
}

static inline iso_point_response iso_point_evaluate(const iso_compliant_points* points,
                                                    iso_point_law law, int i, iso_wide3 n,
                                                    iso_wide3 u) {
    switch (law) {
    case ISO_POINT_LAW_NORMAL:
        return iso_point_normal(points, i, n, u);
    case ISO_POINT_LAW_SLIP:
        return iso_point_slip(points, i, n, u);
    case ISO_POINT_LAW_SAP:
        return iso_point_sap(points, i, n, u);
    case ISO_POINT_LAW_SIMILAR:
        return iso_point_similar(points, i, n, u);
    case ISO_POINT_LAW_TAMSI:
        return iso_point_tamsi(points, i, n, u);
    case ISO_POINT_LAW_LAGGED:
        break;
    }
    return iso_point_lagged(points, i, n, u);
}
