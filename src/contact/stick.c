// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The potential of a patch that sticks: docs/theory/sticking.md.

#include "contact/stick_parts.h"

#include <math.h>
#include <string.h>

// Friction is smoothed over this share of the stretch at which it slips. A tenth of it holds no
// better and takes twice the Newton steps where many bodies touch.
#define SMOOTHING_RATIO 1e-2

// Friction of the points: bound and smoothing. Returns the coefficient.
static double set_friction(const iso_contact_pair* pair, bool is_static, double smoothing,
                           iso_compliant_points* points) {
    double mu = is_static ? pair->friction_static : pair->friction_dynamic;
    double scale = pair->friction_dynamic > 0.0 ? mu / pair->friction_dynamic : 1.0;
    for (int i = 0; i < points->padded_count; i += ISO_WIDE_LANES) {
        iso_wide bound = iso_wide_load(points->friction_force + i);
        iso_wide_store(points->friction_force + i, iso_wide_mul(bound, iso_wide_set(scale)));
        iso_wide_store(points->slip_scale + i, iso_wide_set(smoothing));
    }
    return mu;
}

static void clear_inner(iso_stick_inner* inner) {
    iso_six_store(inner->sigma, iso_six_zero());
    iso_six_store(inner->slip, iso_six_zero());
    iso_six_store(inner->gradient, iso_six_zero());
    iso_six_store(inner->handed_on, iso_six_zero());
    iso_six_store(inner->step, iso_six_zero());
    iso_six_store(inner->v_step, iso_six_zero());
    inner->residual = inner->slope = 0.0;
    inner->has_hessian = inner->dual.is_started = inner->dual.is_stepping = false;
}

// No stiffness, no stretch.
static void start_empty(iso_stick* stick) {
    stick->size = 0;
    iso_six_store(stick->weight, iso_six_zero());
    for (int i = 0; i < 6; ++i) {
        stick->metric[i] = 1.0;
    }
}

void iso_stick_init(const iso_contact_options* options, const iso_contact_pair* pair,
                    const iso_pose* x_wa, const iso_pose* x_wb, const iso_pair_memory* memory,
                    iso_spatial v_c0, iso_compliant_points* points, iso_stick_inner* inner,
                    iso_stick* out_stick) {
    double dt = points->dt;
    iso_stick* s = out_stick;
    clear_inner(inner);
    s->points = points;
    s->inner = inner;
    s->dt = dt;
    s->gain = 1.0 + options->friction_damping_time / dt;
    s->smoothing = pair->friction_dynamic > 0.0 ? SMOOTHING_RATIO * pair->friction_dynamic /
                                                      (options->friction_stiffness * dt)
                                                : 1.0;
    s->left = 1.0;
    s->follows_b = 0.5;
    s->reach = ISO_STICK_REACH_RATIO * sqrt(pair->patch.area / ISO_PI);
    memset(s->whole, 0, sizeof s->whole);
    iso_six_store(s->stretch, iso_six_zero());
    bool is_static = memory && memory->is_slipping == 0.0;
    double mu = set_friction(pair, is_static, s->smoothing, points);
    double k[36] = {0.0}, scale = mu > 0.0 ? options->friction_stiffness / (mu * dt) : 0.0;
    if (mu > 0.0) {
        iso_compliant_points_friction_shape(points, k);
    }
    for (int i = 0; i < 36; ++i) {
        k[i] *= scale;
    }
    if (k[21] + k[28] + k[35] > 0.0) {
        iso_stick_find_coordinates(k, s);
    } else {
        start_empty(s);
    }
    iso_stick_recall(pair, x_wa, x_wb, memory, v_c0, s);
}

// Inverse of a symmetric 3 x 3 matrix by cofactors: rows of three, padded with zero.
ISO_SIX_INLINE void invert_three(const double* a, int stride, iso_wide out[3]) {
    double xx = a[0], xy = a[1], xz = a[2];
    double yy = a[stride + 1], yz = a[stride + 2], zz = a[2 * stride + 2];
    double c_xx = yy * zz - yz * yz, c_xy = xz * yz - xy * zz, c_xz = xy * yz - xz * yy;
    double inverse = 1.0 / (xx * c_xx + xy * c_xy + xz * c_xz);
    c_xy *= inverse;
    c_xz *= inverse;
    double c_yy = (xx * zz - xz * xz) * inverse, c_yz = (xy * xz - xx * yz) * inverse;
    out[0] = iso_wide_make(c_xx * inverse, c_xy, c_xz, 0.0);
    out[1] = iso_wide_make(c_xy, c_yy, c_yz, 0.0);
    out[2] = iso_wide_make(c_xz, c_yz, (xx * yy - xy * xy) * inverse, 0.0);
}

// c + scale times the sum of x[i] times row i.
ISO_SIX_INLINE iso_wide combine_three(const iso_wide rows[3], const double* x, double scale,
                                      iso_wide c) {
    for (int i = 0; i < 3; ++i) {
        c = iso_wide_mul_add(rows[i], iso_wide_set(scale * x[i]), c);
    }
    return c;
}

// Inverse of a positive definite 6 x 6 matrix, padded, by blocks of three, [A B; B^T C]: with
// X = A^-1 B and S = C - B^T X, [A^-1 + X S^-1 X^T, -X S^-1; -S^-1 X^T, S^-1]. Two divisions wait
// for each other, not six. Only numbers are read: whole rows would wait for those just written.
static void invert_six(const double m[36], double* out) {
    iso_wide a[4], b[3], x_t[4], y_t[4], zero = iso_wide_set(0.0);
    double rows[3][ISO_WIDE_LANES], s[3 * ISO_WIDE_LANES];
    invert_three(m, 6, a);
    for (int i = 0; i < 3; ++i) {
        const double* row = m + 6 * i + 3;
        b[i] = iso_wide_make(row[0], row[1], row[2], 0.0);
    }
    // Rows of X^T = B^T A^-1, and of S.
    for (int i = 0; i < 3; ++i) {
        const double* row = m + 6 * (3 + i);
        x_t[i] = combine_three(a, row, 1.0, zero);
        iso_wide_store(rows[i], x_t[i]);
        iso_wide c = iso_wide_make(row[3], row[4], row[5], 0.0);
        iso_wide_store(s + ISO_WIDE_LANES * i, combine_three(b, rows[i], -1.0, c));
    }
    iso_wide s_inverse[3];
    invert_three(s, ISO_WIDE_LANES, s_inverse);
    // Y^T = S^-1 X^T; A^-1 + X Y^T.
    for (int i = 0; i < 3; ++i) {
        iso_wide_store(rows[i], s_inverse[i]);
        y_t[i] = combine_three(x_t, rows[i], 1.0, zero);
    }
    x_t[3] = zero;
    iso_wide_transpose(x_t);
    for (int i = 0; i < 3; ++i) {
        iso_wide_store(rows[i], x_t[i]);
        a[i] = combine_three(y_t, rows[i], 1.0, a[i]);
    }
    iso_wide y[4] = {y_t[0], y_t[1], y_t[2], zero};
    iso_wide_transpose(y);
    for (int i = 0; i < 3; ++i) {
        double *top = out + ISO_SIX_STRIDE * i, *bottom = top + 3 * ISO_SIX_STRIDE;
        iso_wide_store(top, a[i]);
        iso_wide_store(top + 3, iso_wide_neg(y[i]));
        top[7] = bottom[7] = 0.0;
        iso_wide_store(bottom, iso_wide_neg(y_t[i]));
        iso_wide_store(bottom + 3, s_inverse[i]);
    }
}

static inline void add_row(double* row, iso_six sum) {
    iso_six_store_bare(row, iso_six_add(iso_six_load_bare(row), sum));
}

// With M = 1 + B^T H B / c, c the coupling: M^-1, that times R, and the Hessian by V, to which
// spring and friction add c R^T (1 - M^-1) R.
static void reduce_flat(const iso_stick* stick, const double h[36], double* out_hessian) {
    iso_stick_inner* inner = stick->inner;
    double coupling = iso_stick_coupling(stick), inverse = 1.0 / coupling;
    double hb[6 * ISO_WIDE_LANES], m[3 * ISO_WIDE_LANES], rest[3 * ISO_SIX_STRIDE];
    for (int i = 0; i < 6; ++i) {
        iso_wide_store(hb + ISO_WIDE_LANES * i, iso_stick_combine_four(stick->b, h + 6 * i, 6));
    }
    for (int i = 0; i < 3; ++i) {
        double* row = m + ISO_WIDE_LANES * i;
        iso_wide sum = iso_stick_combine_four(hb, stick->b_t + ISO_SIX_STRIDE * i, 6);
        iso_wide_store(row, iso_wide_mul(sum, iso_wide_set(inverse)));
        row[i] += 1.0;
    }
    iso_wide m_inverse[3];
    invert_three(m, ISO_WIDE_LANES, m_inverse);
    iso_compliant_points_dual_hessian(stick->points, ISO_POINT_LAW_NORMAL, out_hessian);
    for (int i = 0; i < 3; ++i) {
        int at = ISO_SIX_STRIDE * i;
        iso_six_store(inner->inverse + at, iso_six_make(m_inverse[i], iso_wide_set(0.0)));
        iso_six row = iso_six_combine(stick->r, inner->inverse + at, 3);
        iso_six_store(inner->hand_on + at, row);
        row = iso_six_sub(iso_six_load(stick->r + at), row);
        iso_six_store(rest + at, iso_six_scale(row, coupling));
    }
    for (int i = 0; i < 6; ++i) {
        add_row(out_hessian + 6 * i, iso_six_combine(rest, stick->r_t + ISO_WIDE_LANES * i, 3));
    }
}

// With M = K + H / c: M^-1, that times K, and the Hessian by V, to which they add
// c (K - K M^-1 K).
static void reduce_full(const iso_stick* stick, const double h[36], double* out_hessian) {
    iso_stick_inner* inner = stick->inner;
    double coupling = iso_stick_coupling(stick), inverse = 1.0 / coupling, m[36];
    for (int i = 0; i < 6; ++i) {
        for (int j = i; j < 6; ++j) {
            m[6 * i + j] = m[6 * j + i] =
                fma(inverse, h[6 * i + j], stick->k[ISO_SIX_STRIDE * i + j]);
        }
    }
    invert_six(m, inner->inverse);
    // Does not wait for the inverse, which takes as long.
    iso_compliant_points_dual_hessian(stick->points, ISO_POINT_LAW_NORMAL, out_hessian);
    for (int i = 0; i < 6; ++i) {
        int at = ISO_SIX_STRIDE * i;
        iso_six_store(inner->hand_on + at, iso_six_combine(stick->k, inner->inverse + at, 6));
    }
    for (int i = 0; i < 6; ++i) {
        const double* row = stick->k + ISO_SIX_STRIDE * i;
        iso_six taken = iso_six_combine(inner->hand_on, row, 6);
        add_row(out_hessian + 6 * i,
                iso_six_scale(iso_six_sub(iso_six_load(row), taken), coupling));
    }
}

// What gradient^T dV lacks of the slope along (dV, dS).
static inline double slope_lacking(iso_six gradient, iso_six step, iso_six handed_on,
                                   iso_six v_step) {
    return iso_six_sum(
        iso_six_sub(iso_six_multiply(gradient, step), iso_six_multiply(handed_on, v_step)));
}

// With the part of spring and friction; g: gradient of friction.
ISO_SIX_INLINE double add_spring(const iso_stick* stick, const double v[6], const double g[6],
                                 int n, double* out_gradient) {
    iso_stick_inner* inner = stick->inner;
    double pull[ISO_SIX_STRIDE];
    iso_six lag = iso_six_sub(iso_stick_to_sigma(stick, v, n), iso_six_load(inner->sigma));
    iso_six start = iso_six_scale(iso_six_load(stick->stretch), stick->dt);
    iso_six_store(inner->lag, lag);
    iso_six end = iso_six_add_scaled(start, iso_stick_coupling(stick),
                                     iso_stick_stiffen(stick, inner->lag, n));
    iso_six gradient = iso_six_sub(iso_stick_of_gradient(stick, g, n), end);
    iso_six_store(inner->gradient, gradient);
    iso_six_store(pull, end);
    // Before the first Hessian is known: with that of the spring alone.
    iso_six handed_on = inner->has_hessian ? iso_six_combine(inner->hand_on, inner->gradient, n)
                                           : iso_stick_to_wrench(stick, inner->gradient, n);
    iso_six_store(inner->handed_on, handed_on);
    add_row(out_gradient, iso_six_add(iso_stick_to_wrench(stick, pull, n), handed_on));
    iso_six weighted = iso_six_multiply(gradient, iso_six_load(stick->weight));
    inner->residual = iso_six_sum(iso_six_multiply(gradient, weighted));
    inner->slope =
        slope_lacking(gradient, iso_six_load(inner->step), handed_on, iso_six_load(inner->v_step));
    return 0.5 * iso_six_sum(iso_six_multiply(lag, iso_six_add(start, end)));
}

double iso_stick_eval(const iso_stick* stick, const double v[6], double* out_gradient) {
    double g[6];
    iso_stick_inner* inner = stick->inner;
    double value = iso_compliant_points_eval_stick(stick->points, v, inner->slip, &inner->dual,
                                                   out_gradient, g);
    if (stick->size == 0) {
        return value;
    }
    return value + (stick->size == 3 ? add_spring(stick, v, g, 3, out_gradient)
                                     : add_spring(stick, v, g, 6, out_gradient));
}

void iso_stick_eliminate(const iso_stick* stick, double* out_correction, double* out_hessian) {
    iso_stick_inner* inner = stick->inner;
    double h[36];
    if (stick->size == 0) {
        iso_compliant_points_dual_hessian(stick->points, ISO_POINT_LAW_NORMAL, out_hessian);
        memset(out_correction, 0, 6 * sizeof *out_correction);
        return;
    }
    iso_compliant_points_dual_hessian(stick->points, ISO_POINT_LAW_SLIP, h);
    iso_six handed_on;
    if (stick->size == 3) {
        reduce_flat(stick, h, out_hessian);
        handed_on = iso_six_combine(inner->hand_on, inner->gradient, 3);
    } else {
        reduce_full(stick, h, out_hessian);
        handed_on = iso_six_combine(inner->hand_on, inner->gradient, 6);
    }
    inner->has_hessian = true;
    // The gradient that was handed out keeps its own: iso_stick_slope() takes that back.
    iso_six_store_bare(out_correction, iso_six_sub(handed_on, iso_six_load(inner->handed_on)));
}

double iso_stick_residual(const iso_stick* stick) {
    return stick->inner->residual;
}

ISO_SIX_INLINE void direct(const iso_stick* stick, const double dv[6], int n) {
    iso_stick_inner* inner = stick->inner;
    double pull[ISO_SIX_STRIDE];
    iso_six_store(pull, iso_six_add_scaled(iso_stick_stiffen_twist(stick, dv, n),
                                           -1.0 / iso_stick_coupling(stick),
                                           iso_six_load(inner->gradient)));
    iso_six step = iso_six_combine(inner->inverse, pull, n), v_step = iso_six_load_bare(dv);
    iso_six_store(inner->step, step);
    iso_six_store(inner->v_step, v_step);
    iso_six_store(inner->slip_step, iso_stick_to_twist(stick, inner->step, n));
    inner->slope =
        slope_lacking(iso_six_load(inner->gradient), step, iso_six_load(inner->handed_on), v_step);
}

void iso_stick_direct(const iso_stick* stick, const double dv[6]) {
    iso_stick_inner* inner = stick->inner;
    if (stick->size == 0) {
        return;
    }
    if (stick->size == 3) {
        direct(stick, dv, 3);
    } else {
        direct(stick, dv, 6);
    }
    iso_six_store(inner->sigma0, iso_six_load(inner->sigma));
    iso_six_store(inner->slip0, iso_six_load(inner->slip));
    iso_six_store(inner->lag0, iso_six_load(inner->lag));
    iso_slip_dual_step(&inner->dual, inner->slip_step);
}

double iso_stick_slope(const iso_stick* stick) {
    return stick->inner->slope;
}

// What spring and damper add along the line.
ISO_SIX_INLINE void add_spring_line(const iso_stick* stick, const double dv[6], double alpha, int n,
                                    double* out_value, double* out_slope, double* out_curvature) {
    const iso_stick_inner* inner = stick->inner;
    double coupling = iso_stick_coupling(stick), way[ISO_SIX_STRIDE], at[ISO_SIX_STRIDE];
    iso_six change = iso_six_sub(iso_stick_to_sigma(stick, dv, n), iso_six_load(inner->step));
    iso_six lag = iso_six_add_scaled(iso_six_load(inner->lag0), alpha, change);
    iso_six_store(way, change);
    iso_six_store(at, lag);
    iso_six start = iso_six_scale(iso_six_load(stick->stretch), stick->dt);
    iso_six end = iso_six_add_scaled(start, coupling, iso_stick_stiffen(stick, at, n));
    *out_value += 0.5 * iso_six_sum(iso_six_multiply(lag, iso_six_add(start, end)));
    *out_slope += iso_six_sum(iso_six_multiply(change, end));
    *out_curvature +=
        coupling * iso_six_sum(iso_six_multiply(change, iso_stick_stiffen(stick, way, n)));
}

void iso_stick_line(const iso_stick* stick, const double v[6], const double dv[6], double alpha,
                    double* out_value, double* out_slope, double* out_curvature) {
    const iso_stick_inner* inner = stick->inner;
    iso_compliant_points_line_part(stick->points, ISO_POINT_LAW_NORMAL, v, dv, alpha, out_value,
                                   out_slope, out_curvature);
    if (stick->size == 0) {
        return;
    }
    double value, slope, curvature;
    iso_compliant_points_line_part(stick->points, ISO_POINT_LAW_SLIP, inner->slip0,
                                   inner->slip_step, alpha, &value, &slope, &curvature);
    *out_value += value;
    *out_slope += slope;
    *out_curvature += curvature;
    if (stick->size == 3) {
        add_spring_line(stick, dv, alpha, 3, out_value, out_slope, out_curvature);
    } else {
        add_spring_line(stick, dv, alpha, 6, out_value, out_slope, out_curvature);
    }
}

void iso_stick_advance(const iso_stick* stick, double alpha) {
    iso_stick_inner* inner = stick->inner;
    if (stick->size == 0) {
        return;
    }
    iso_six sigma = iso_six_load(inner->sigma0), slip = iso_six_load(inner->slip0);
    iso_six_store(inner->sigma, iso_six_add_scaled(sigma, alpha, iso_six_load(inner->step)));
    iso_six_store(inner->slip, iso_six_add_scaled(slip, alpha, iso_six_load(inner->slip_step)));
}

iso_spatial iso_stick_result(const iso_stick* stick, const iso_patch* patch, const double v[6],
                             iso_vec3* out_tractions, iso_vec3* out_slips) {
    iso_stick_inner* inner = stick->inner;
    if (!inner->dual.is_started) { // nothing was solved: both bodies are fixed
        double g[12];
        iso_compliant_points_eval_stick(stick->points, v, inner->slip, &inner->dual, g, g + 6);
    }
    return iso_compliant_points_kept_result(stick->points, patch, v, out_tractions, out_slips);
}
