// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// The potentials of four compliant points at once, as functions of the relative velocities u of the
// points. No lane branches. docs/theory/contact.md derives every line.

#include "contact/discrete/compliant_points.h"
#include "math/lanes_f64x4.h"

/// Smallest slip speed [m/s]: keeps the direction of slip defined, far below any real speed.
#define ISO_POINT_SMALLEST_SPEED 1e-30

/// Smallest slope of a force that is divided by: of a tension [N s/m], of a pressure [N/m].
#define ISO_POINT_SMALLEST_SLOPE 1e-30

/// Three components, four points.
typedef struct iso_vec3x4 {
    iso_double4 x, y, z;
} iso_vec3x4;

static inline iso_vec3x4 iso_vec3x4_set(double x, double y, double z) {
    iso_vec3x4 r = {iso_double4_set(x), iso_double4_set(y), iso_double4_set(z)};
    return r;
}
static inline iso_vec3x4 iso_vec3x4_load(const double* x, const double* y, const double* z) {
    iso_vec3x4 r = {iso_double4_load(x), iso_double4_load(y), iso_double4_load(z)};
    return r;
}
static inline iso_double4 iso_vec3x4_dot(iso_vec3x4 a, iso_vec3x4 b) {
    return iso_double4_mul_add(a.z, b.z, iso_double4_mul_add(a.y, b.y, iso_double4_mul(a.x, b.x)));
}
/// a s + b
static inline iso_vec3x4 iso_vec3x4_mul_add(iso_vec3x4 a, iso_double4 s, iso_vec3x4 b) {
    iso_vec3x4 r = {iso_double4_mul_add(a.x, s, b.x), iso_double4_mul_add(a.y, s, b.y),
                    iso_double4_mul_add(a.z, s, b.z)};
    return r;
}
static inline iso_vec3x4 iso_vec3x4_scale(iso_vec3x4 a, iso_double4 s) {
    iso_vec3x4 r = {iso_double4_mul(a.x, s), iso_double4_mul(a.y, s), iso_double4_mul(a.z, s)};
    return r;
}
static inline iso_double4 iso_double4_cross_component(iso_double4 a1, iso_double4 b2,
                                                      iso_double4 a2, iso_double4 b1) {
    return iso_double4_mul_subtract(a2, b1, iso_double4_mul(a1, b2));
}
static inline iso_vec3x4 iso_vec3x4_cross(iso_vec3x4 a, iso_vec3x4 b) {
    iso_vec3x4 r = {iso_double4_cross_component(a.y, b.z, a.z, b.y),
                    iso_double4_cross_component(a.z, b.x, a.x, b.z),
                    iso_double4_cross_component(a.x, b.y, a.y, b.x)};
    return r;
}
/// c + a x b
static inline iso_vec3x4 iso_vec3x4_cross_add(iso_vec3x4 a, iso_vec3x4 b, iso_vec3x4 c) {
    iso_vec3x4 r = {iso_double4_mul_subtract(a.z, b.y, iso_double4_mul_add(a.y, b.z, c.x)),
                    iso_double4_mul_subtract(a.x, b.z, iso_double4_mul_add(a.z, b.x, c.y)),
                    iso_double4_mul_subtract(a.y, b.x, iso_double4_mul_add(a.x, b.y, c.z))};
    return r;
}
/// Velocity at r of a twist (w; v).
static inline iso_vec3x4 iso_vec3x4_velocity(iso_vec3x4 w, iso_vec3x4 v, iso_vec3x4 r) {
    return iso_vec3x4_cross_add(w, r, v);
}

/// Potential of a point with its derivatives by u. The Hessian is
/// a (I - n n^T) + b n n^T + c t t^T + e (n t^T + t n^T), where t is tangential, |t| <= 1.
typedef struct iso_point_response {
    iso_double4 value;
    iso_vec3x4 gradient;
    iso_double4 a, b, c, e;
    iso_vec3x4 t;
    iso_double4 inverse; ///< of the smoothed slip speed; lagged friction only
} iso_point_response;

/// Normal impulse n(v) of damped Hunt-Crossley, with adhesion a tension beyond the limit.
typedef struct iso_normal_impulse {
    iso_double4 integral; ///< of n from zero to v
    iso_double4 impulse;  ///< n
    iso_double4 slope;    ///< -n', not negative
} iso_normal_impulse;

static inline iso_normal_impulse iso_point_normal_impulse(const iso_compliant_points* points, int i,
                                                          iso_double4 v_n) {
    iso_double4 dt = iso_double4_set(points->dt);
    iso_double4 zero = iso_double4_set(0.0), one = iso_double4_set(1.0),
                half = iso_double4_set(0.5);

    // Beyond the limit the impulse is zero and N constant.
    iso_double4 limit = iso_double4_load(points->limit + i);
    iso_double4_mask is_loaded = iso_double4_less(v_n, limit);
    iso_double4 v = iso_double4_min(v_n, limit);
    iso_double4 dt_k = iso_double4_mul(dt, iso_double4_load(points->stiffness + i));
    iso_double4 force0 = iso_double4_load(points->force + i);
    iso_double4 d = iso_double4_load(points->dissipation + i);
    iso_double4 change = iso_double4_neg(iso_double4_mul(dt_k, v));
    iso_double4 force = iso_double4_add(force0, change);
    iso_double4 d_v = iso_double4_mul(d, v);
    iso_double4 damping = iso_double4_sub(one, d_v);
    iso_double4 undamped = iso_double4_mul_add(half, change, force0);
    iso_double4 damped = iso_double4_mul_add(iso_double4_set(2.0 / 3.0), change, force0);
    iso_double4 integral =
        iso_double4_sub(undamped, iso_double4_mul(iso_double4_mul(half, d_v), damped));
    integral = iso_double4_mul(iso_double4_mul(dt, v), integral);
    iso_double4 impulse = iso_double4_mul(dt, iso_double4_mul(force, damping));
    impulse = iso_double4_select(is_loaded, impulse, zero);
    iso_double4 slope = iso_double4_mul_add(dt_k, damping, iso_double4_mul(d, force));
    slope = iso_double4_select(is_loaded, iso_double4_mul(dt, slope), zero);

    // Beyond the limit: tension, which rises to the adhesion.
    if (points->has_adhesion) {
        iso_double4 tension_slope = iso_double4_load(points->tension_slope + i);
        iso_double4 tension_limit = iso_double4_load(points->tension_limit + i);
        iso_double4 beyond = iso_double4_sub(v_n, v);
        iso_double4 rising = iso_double4_mul(tension_slope, beyond);
        iso_double4_mask is_rising = iso_double4_less(rising, tension_limit);
        iso_double4 tension = iso_double4_min(rising, tension_limit);
        // Integral of min(s x, t): s x^2 / 2, then t x - t^2 / (2 s); both are T (x - T / (2 s)).
        iso_double4 safe =
            iso_double4_max(tension_slope, iso_double4_set(ISO_POINT_SMALLEST_SLOPE));
        iso_double4 start = iso_double4_mul(half, iso_double4_div(tension, safe));
        iso_double4 work = iso_double4_mul(tension, iso_double4_sub(beyond, start));
        integral = iso_double4_sub(integral, iso_double4_mul(dt, work));
        impulse = iso_double4_sub(impulse, iso_double4_mul(dt, tension));
        iso_double4 pull = iso_double4_select(is_rising, tension_slope, zero);
        slope = iso_double4_select(is_loaded, slope, iso_double4_mul(dt, pull));
    }

    return (iso_normal_impulse){integral, impulse, slope};
}

/// Normal part of lagged convex Hunt-Crossley: -N(v_n).
static inline iso_point_response iso_point_normal(const iso_compliant_points* points, int i,
                                                  iso_vec3x4 n, iso_vec3x4 u) {
    iso_double4 zero = iso_double4_set(0.0);
    iso_normal_impulse normal = iso_point_normal_impulse(points, i, iso_vec3x4_dot(u, n));
    iso_point_response r = {.value = iso_double4_neg(normal.integral),
                            .gradient = iso_vec3x4_scale(n, iso_double4_neg(normal.impulse)),
                            .a = zero,
                            .b = normal.slope,
                            .c = zero,
                            .e = zero,
                            .t = {zero, zero, zero}};
    return r;
}

/// Its tangential part: mu n0 (sqrt(|v_t|^2 + eps^2) - eps).
static inline iso_point_response iso_point_slip(const iso_compliant_points* points, int i,
                                                iso_vec3x4 n, iso_vec3x4 u) {
    iso_double4 zero = iso_double4_set(0.0), one = iso_double4_set(1.0);
    iso_double4 v_n = iso_vec3x4_dot(u, n);
    iso_vec3x4 v_t = iso_vec3x4_mul_add(n, iso_double4_neg(v_n), u);
    iso_double4 bound = iso_double4_load(points->friction_force + i);
    iso_double4 eps = iso_double4_load(points->slip_scale + i);
    iso_double4 speed = iso_double4_sqrt(iso_double4_mul_add(eps, eps, iso_vec3x4_dot(v_t, v_t)));
    iso_double4 inverse = iso_double4_div(one, speed);
    iso_point_response r;
    r.t = iso_vec3x4_scale(v_t, inverse);
    r.inverse = inverse;
    r.a = iso_double4_mul(bound, inverse);
    r.b = zero;
    r.c = iso_double4_neg(r.a);
    r.e = zero;
    r.value = iso_double4_mul(bound, iso_double4_sub(speed, eps));
    r.gradient = iso_vec3x4_scale(v_t, r.a);
    return r;
}

/// Lagged convex Hunt-Crossley: both parts.
static inline iso_point_response iso_point_lagged(const iso_compliant_points* points, int i,
                                                  iso_vec3x4 n, iso_vec3x4 u) {
    iso_point_response normal = iso_point_normal(points, i, n, u);
    iso_point_response r = iso_point_slip(points, i, n, u);
    r.b = normal.b;
    r.value = iso_double4_add(r.value, normal.value);
    r.gradient = (iso_vec3x4){iso_double4_add(normal.gradient.x, r.gradient.x),
                              iso_double4_add(normal.gradient.y, r.gradient.y),
                              iso_double4_add(normal.gradient.z, r.gradient.z)};
    return r;
}

/// Quadratic regularised cone: 1/2 gamma^T R gamma, gamma the projection of y = (v^ - u) / R on the
/// friction cone in the norm of R. Written with the closing velocity w = v^_n - v_n and the slip
/// speed s instead of y: it sticks where s / R_t <= mu w / R_n, it touches where w > -mu s.
static inline iso_point_response iso_point_sap(const iso_compliant_points* points, int i,
                                               iso_vec3x4 n, iso_vec3x4 u) {
    iso_double4 zero = iso_double4_set(0.0), one = iso_double4_set(1.0),
                half = iso_double4_set(0.5);
    iso_double4 tiny = iso_double4_set(ISO_POINT_SMALLEST_SPEED * ISO_POINT_SMALLEST_SPEED);
    iso_double4 v_n = iso_vec3x4_dot(u, n);
    iso_vec3x4 v_t = iso_vec3x4_mul_add(n, iso_double4_neg(v_n), u);
    iso_double4 speed = iso_double4_sqrt(iso_double4_add(iso_vec3x4_dot(v_t, v_t), tiny));
    iso_double4 inverse = iso_double4_div(one, speed);
    iso_double4 closing = iso_double4_sub(iso_double4_load(points->bias + i), v_n);

    iso_double4 mu = iso_double4_load(points->friction_force + i);
    iso_double4 r_n = iso_double4_load(points->regularization + i);
    iso_double4 r_t = iso_double4_load(points->slip_scale + i);
    iso_double4 r_cone = iso_double4_mul_add(iso_double4_mul(mu, mu), r_t, r_n);
    iso_double4 weight_n = iso_double4_div(one, r_n);
    iso_double4 weight_t = iso_double4_div(one, r_t);
    iso_double4 weight_cone = iso_double4_div(one, r_cone);
    iso_double4 mu_speed = iso_double4_mul(mu, speed);
    iso_double4 stick_n = iso_double4_mul(closing, weight_n);
    iso_double4_mask sticks =
        iso_double4_less_equal(iso_double4_mul(speed, weight_t), iso_double4_mul(mu, stick_n));
    iso_double4 reach = iso_double4_max(iso_double4_add(closing, mu_speed), zero);
    iso_double4_mask touches = iso_double4_greater(reach, zero);
    iso_double4 slide_n = iso_double4_mul(reach, weight_cone);
    iso_double4 gamma_n = iso_double4_select(sticks, stick_n, slide_n);

    // In stiction |v_t|^2 includes `tiny`, so that the value is continuous.
    iso_double4 stick_value = iso_double4_mul_add(
        closing, stick_n, iso_double4_mul(iso_double4_mul(speed, speed), weight_t));
    iso_double4 slide_value = iso_double4_mul(reach, slide_n);
    iso_double4 slide_a = iso_double4_mul(iso_double4_mul(mu, slide_n), inverse);
    iso_double4 slide_b = iso_double4_select(touches, weight_cone, zero);
    iso_double4 slide_e = iso_double4_mul(mu, slide_b);
    iso_point_response r;
    r.value = iso_double4_mul(half, iso_double4_select(sticks, stick_value, slide_value));
    r.t = iso_vec3x4_scale(v_t, inverse);
    r.a = iso_double4_select(sticks, weight_t, slide_a);
    r.b = iso_double4_select(sticks, weight_n, slide_b);
    r.c = iso_double4_select(sticks, zero, iso_double4_sub(iso_double4_mul(mu, slide_e), slide_a));
    r.e = iso_double4_select(sticks, zero, iso_double4_neg(slide_e));
    r.gradient = iso_vec3x4_mul_add(n, iso_double4_neg(gamma_n), iso_vec3x4_scale(v_t, r.a));
    return r;
}

/// Hunt-Crossley of z = v_n - mu (sqrt(|v_t|^2 + eps^2) - eps): -N(z). The impulse n(z) lies along
/// n - mu t, on the edge of the cone where the point slides.
static inline iso_point_response iso_point_similar(const iso_compliant_points* points, int i,
                                                   iso_vec3x4 n, iso_vec3x4 u) {
    iso_double4 one = iso_double4_set(1.0);
    iso_double4 v_n = iso_vec3x4_dot(u, n);
    iso_vec3x4 v_t = iso_vec3x4_mul_add(n, iso_double4_neg(v_n), u);
    iso_double4 mu = iso_double4_load(points->friction_force + i);
    iso_double4 eps = iso_double4_load(points->slip_scale + i);
    iso_double4 speed = iso_double4_sqrt(iso_double4_mul_add(eps, eps, iso_vec3x4_dot(v_t, v_t)));
    iso_double4 parting = iso_double4_add(v_n, iso_double4_load(points->bias + i));
    iso_double4 z = iso_double4_sub(parting, iso_double4_mul(mu, iso_double4_sub(speed, eps)));
    iso_normal_impulse normal = iso_point_normal_impulse(points, i, z);
    iso_double4 inverse = iso_double4_div(one, speed);
    iso_double4 mu_slope = iso_double4_mul(mu, normal.slope);
    iso_point_response r;
    r.t = iso_vec3x4_scale(v_t, inverse);
    r.a = iso_double4_mul(iso_double4_mul(mu, normal.impulse), inverse);
    r.b = normal.slope;
    r.c = iso_double4_sub(iso_double4_mul(mu, mu_slope), r.a);
    r.e = iso_double4_neg(mu_slope);
    r.value = iso_double4_neg(normal.integral);
    r.gradient = iso_vec3x4_mul_add(n, iso_double4_neg(normal.impulse), iso_vec3x4_scale(v_t, r.a));
    return r;
}

/// TAMSI: minus the impulse, n(v_n) (n - mu rho(|v_t| / v_s) t). Friction is quadratic in the slip
/// up to the stiction velocity, rho(x) = x (2 - x), and constant beyond. The derivative has the
/// form of a Hessian but for the part that normal motion has on friction: `e` is that of t n^T
/// alone, n t^T has none. `value` is zero.
static inline iso_point_response iso_point_tamsi(const iso_compliant_points* points, int i,
                                                 iso_vec3x4 n, iso_vec3x4 u) {
    iso_double4 zero = iso_double4_set(0.0), one = iso_double4_set(1.0), two = iso_double4_set(2.0);
    iso_double4 tiny = iso_double4_set(ISO_POINT_SMALLEST_SPEED * ISO_POINT_SMALLEST_SPEED);
    iso_double4 v_n = iso_vec3x4_dot(u, n);
    iso_vec3x4 v_t = iso_vec3x4_mul_add(n, iso_double4_neg(v_n), u);
    iso_double4 speed = iso_double4_sqrt(iso_double4_add(iso_vec3x4_dot(v_t, v_t), tiny));
    iso_double4 inverse = iso_double4_div(one, speed);
    iso_double4 scale = iso_double4_div(one, iso_double4_load(points->slip_scale + i));
    iso_double4 x = iso_double4_min(iso_double4_mul(speed, scale), one);
    iso_double4 rho = iso_double4_mul(x, iso_double4_sub(two, x));
    // rho / |v_t|, which is finite at rest, and the slope of rho.
    iso_double4 secant = iso_double4_select(
        iso_double4_less(x, one), iso_double4_mul(scale, iso_double4_sub(two, x)), inverse);
    iso_double4 tangent = iso_double4_mul(iso_double4_mul(two, scale), iso_double4_sub(one, x));
    iso_normal_impulse normal = iso_point_normal_impulse(points, i, v_n);
    iso_double4 pressed = iso_double4_max(normal.impulse, zero); // tension has no friction
    iso_double4 slope =
        iso_double4_select(iso_double4_greater(normal.impulse, zero), normal.slope, zero);
    iso_double4 bound = iso_double4_mul(iso_double4_load(points->friction_force + i), pressed);
    iso_double4 mu_slope = iso_double4_mul(iso_double4_load(points->friction_force + i), slope);
    iso_point_response r;
    r.t = iso_vec3x4_scale(v_t, inverse);
    r.a = iso_double4_mul(bound, secant);
    r.b = normal.slope;
    r.c = iso_double4_mul(bound, iso_double4_sub(tangent, secant));
    r.e = iso_double4_neg(iso_double4_mul(mu_slope, rho));
    r.value = zero;
    r.gradient = iso_vec3x4_mul_add(n, iso_double4_neg(normal.impulse), iso_vec3x4_scale(v_t, r.a));
    return r;
}

static inline iso_point_response iso_point_evaluate(const iso_compliant_points* points,
                                                    iso_point_law law, int i, iso_vec3x4 n,
                                                    iso_vec3x4 u) {
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
