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
    for (int i = 0; i < points->count; ++i) {
        points->friction_force[i] *= scale;
        points->slip_scale[i] = smoothing;
    }
    return mu;
}

// Row by row: shorter than what compilers clear structures of this size with.
static void clear_inner(iso_stick_inner* inner) {
    double* const rows[] = {inner->sigma, inner->slip,      inner->lag,    inner->gradient,
                            inner->slip0, inner->handed_on, inner->sigma0, inner->lag0,
                            inner->step,  inner->slip_step, inner->v_step};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        iso_six_store(rows[i], iso_six_zero());
    }
    for (int i = 0; i < 6; ++i) {
        iso_six_store(inner->inverse + ISO_SIX_STRIDE * i, iso_six_zero());
    }
    inner->dual.is_started = inner->dual.is_stepping = false;
}

// No stiffness, no stretch.
static void start_empty(iso_stick* stick) {
    static const double k_unit_metric[6] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
    stick->rank = 0;
    memset(stick->r, 0, sizeof stick->r);
    memset(stick->r_t, 0, sizeof stick->r_t);
    memset(stick->b, 0, sizeof stick->b);
    memset(stick->b_t, 0, sizeof stick->b_t);
    memcpy(stick->metric, k_unit_metric, sizeof stick->metric);
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
    memset(s->stretch, 0, sizeof s->stretch);
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
    // The Hessian of the spring alone is the coupling.
    for (int i = 0; i < s->rank; ++i) {
        inner->inverse[(ISO_SIX_STRIDE + 1) * i] = 1.0;
    }
    memcpy(inner->hand_on, s->r, sizeof inner->hand_on);
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

// Inverse of a symmetric matrix whose eigenvalues lie between 1 and some hundreds, in place; n: 3,
// or 6 by blocks of three, [A B; B^T C]: with X = A^-1 B and S = C - B^T X,
// [A^-1 + X S^-1 X^T, -X S^-1; -S^-1 X^T, S^-1]. Two divisions wait for each other, not six.
ISO_SIX_INLINE void invert_near_one(double* m, int n) {
    iso_wide a[4], zero = iso_wide_set(0.0);
    invert_three(m, ISO_SIX_STRIDE, a);
    if (n > 3) {
        double *lower = m + 3 * ISO_SIX_STRIDE, rows[3][ISO_WIDE_LANES];
        iso_wide b[3], x_t[4], y_t[4];
        for (int i = 0; i < 3; ++i) {
            b[i] = iso_wide_load(m + ISO_SIX_STRIDE * i + 3);
        }
        // Rows of X^T = B^T A^-1, and of S.
        for (int i = 0; i < 3; ++i) {
            x_t[i] = combine_three(a, lower + ISO_SIX_STRIDE * i, 1.0, zero);
            iso_wide_store(rows[i], x_t[i]);
        }
        double s[3 * ISO_WIDE_LANES];
        for (int i = 0; i < 3; ++i) {
            iso_wide c = iso_wide_load(lower + ISO_SIX_STRIDE * i + 3);
            iso_wide_store(s + ISO_WIDE_LANES * i, combine_three(b, rows[i], -1.0, c));
        }
        iso_wide s_inverse[3];
        invert_three(s, ISO_WIDE_LANES, s_inverse);
        // Y^T = S^-1 X^T; A^-1 + X Y^T.
        for (int i = 0; i < 3; ++i) {
            double row[ISO_WIDE_LANES];
            iso_wide_store(row, s_inverse[i]);
            y_t[i] = combine_three(x_t, row, 1.0, zero);
        }
        x_t[3] = zero;
        iso_wide_transpose(x_t);
        for (int i = 0; i < 3; ++i) {
            double row[ISO_WIDE_LANES];
            iso_wide_store(row, x_t[i]);
            a[i] = combine_three(y_t, row, 1.0, a[i]);
        }
        iso_wide y[4] = {y_t[0], y_t[1], y_t[2], zero};
        iso_wide_transpose(y);
        for (int i = 0; i < 3; ++i) {
            double* row = lower + ISO_SIX_STRIDE * i;
            iso_wide_store(m + ISO_SIX_STRIDE * i, a[i]);
            iso_wide_store(m + ISO_SIX_STRIDE * i + 3, iso_wide_neg(y[i]));
            iso_wide_store(row, iso_wide_neg(y_t[i]));
            iso_wide_store(row + 3, s_inverse[i]);
        }
        return;
    }
    for (int i = 0; i < 3; ++i) {
        iso_wide_store(m + ISO_SIX_STRIDE * i, a[i]);
    }
}

// With M = B^T H B + c, c the coupling, positive definite as c alone is: c M^-1, that times R, and
// Hessian += R^T (c - c^2 M^-1) R.
ISO_SIX_INLINE void reduce(const iso_stick* stick, const double h[36], int n, double* out_hessian) {
    iso_stick_inner* inner = stick->inner;
    double coupling = iso_stick_coupling(stick);
    iso_six scale = iso_six_set(1.0 / coupling);
    double hb[6 * ISO_SIX_STRIDE], m[6 * ISO_SIX_STRIDE], rest[6 * ISO_SIX_STRIDE];
    for (int i = 0; i < 6; ++i) {
        iso_six_store(hb + ISO_SIX_STRIDE * i, iso_six_combine_first(stick->b, h + 6 * i, 6, n));
    }
    // M / c: about 1.
    for (int i = 0; i < n; ++i) {
        iso_six sum = iso_six_combine_first(hb, stick->b_t + ISO_SIX_STRIDE * i, 6, n);
        iso_six_store(m + ISO_SIX_STRIDE * i, iso_six_multiply_add(sum, scale, iso_six_unit(i)));
    }
    invert_near_one(m, n);
    for (int i = 0; i < n; ++i) {
        int at = ISO_SIX_STRIDE * i;
        iso_six row = iso_six_combine(stick->r, m + at, n);
        iso_six_store(inner->hand_on + at, row);
        row = iso_six_sub(iso_six_load(stick->r + at), row);
        iso_six_store(rest + at, iso_six_scale(row, coupling));
    }
    memcpy(inner->inverse, m, (size_t)(n * ISO_SIX_STRIDE) * sizeof *m);
    for (int i = 0; i < 6; ++i) {
        iso_six sum = iso_six_combine(rest, stick->r_t + ISO_SIX_STRIDE * i, n);
        double* row = out_hessian + 6 * i;
        iso_six_store_bare(row, iso_six_add(iso_six_load_bare(row), sum));
    }
}

// With the part of spring and friction; g: gradient of friction.
ISO_SIX_INLINE double add_spring(const iso_stick* stick, const double v[6], const double g[6],
                                 int n, double* out_gradient) {
    iso_stick_inner* inner = stick->inner;
    double pull[ISO_SIX_STRIDE];
    iso_six lag =
        iso_six_sub(iso_six_combine_first(stick->r_t, v, 6, n), iso_six_load(inner->sigma));
    iso_six start = iso_six_scale(iso_six_load(stick->stretch), stick->dt);
    iso_six end = iso_six_add_scaled(start, iso_stick_coupling(stick), lag);
    iso_six gradient = iso_six_sub(iso_six_combine_first(stick->b, g, 6, n), end);
    iso_six_store(inner->lag, lag);
    iso_six_store(inner->gradient, gradient);
    iso_six_store(pull, end);
    iso_six handed_on = iso_six_combine(inner->hand_on, inner->gradient, n);
    iso_six_store(inner->handed_on, handed_on);
    iso_six sum = iso_six_add(iso_six_combine(stick->r, pull, n), handed_on);
    iso_six_store_bare(out_gradient, iso_six_add(iso_six_load_bare(out_gradient), sum));
    return 0.5 * iso_six_sum(iso_six_multiply(lag, iso_six_add(start, end)));
}

double iso_stick_eval(const iso_stick* stick, const double v[6], double* out_gradient) {
    double g[6];
    iso_stick_inner* inner = stick->inner;
    double value = iso_compliant_points_eval_stick(stick->points, v, inner->slip, &inner->dual,
                                                   out_gradient, g);
    if (stick->rank == 0) {
        return value;
    }
    // A flat patch has rank 3, a curved one up to 6: beyond the rank all is zero.
    return value + (stick->rank <= 3 ? add_spring(stick, v, g, 3, out_gradient)
                                     : add_spring(stick, v, g, 6, out_gradient));
}

ISO_SIX_INLINE void eliminate(const iso_stick* stick, int n, double* out_correction,
                              double* out_hessian) {
    const iso_stick_inner* inner = stick->inner;
    double h[36];
    iso_compliant_points_dual_hessian(stick->points, ISO_POINT_LAW_SLIP, h);
    reduce(stick, h, n, out_hessian);
    // The gradient that was handed out keeps its own: iso_stick_slope() takes that back.
    iso_six handed_on = iso_six_combine(inner->hand_on, inner->gradient, n);
    iso_six_store_bare(out_correction, iso_six_sub(handed_on, iso_six_load(inner->handed_on)));
}

void iso_stick_eliminate(const iso_stick* stick, double* out_correction, double* out_hessian) {
    iso_compliant_points_dual_hessian(stick->points, ISO_POINT_LAW_NORMAL, out_hessian);
    if (stick->rank == 0) {
        memset(out_correction, 0, 6 * sizeof *out_correction);
    } else if (stick->rank <= 3) {
        eliminate(stick, 3, out_correction, out_hessian);
    } else {
        eliminate(stick, 6, out_correction, out_hessian);
    }
}

double iso_stick_residual(const iso_stick* stick) {
    iso_six g = iso_six_load(stick->inner->gradient); // zero beyond the rank
    return iso_six_sum(iso_six_multiply(g, g)) / iso_stick_coupling(stick);
}

ISO_SIX_INLINE void direct(const iso_stick* stick, const double dv[6], int n) {
    iso_stick_inner* inner = stick->inner;
    double pull[ISO_SIX_STRIDE];
    iso_six nu_step = iso_six_combine_first(stick->r_t, dv, 6, n);
    iso_six_store(pull, iso_six_add_scaled(nu_step, -1.0 / iso_stick_coupling(stick),
                                           iso_six_load(inner->gradient)));
    iso_six_store(inner->step, iso_six_combine_first(inner->inverse, pull, n, n));
    iso_six_store(inner->slip_step, iso_six_combine(stick->b_t, inner->step, n));
}

void iso_stick_direct(const iso_stick* stick, const double dv[6]) {
    iso_stick_inner* inner = stick->inner;
    if (stick->rank == 0) {
        return;
    }
    if (stick->rank <= 3) {
        direct(stick, dv, 3);
    } else {
        direct(stick, dv, 6);
    }
    iso_six_store(inner->v_step, iso_six_load_bare(dv));
    iso_six_store(inner->sigma0, iso_six_load(inner->sigma));
    iso_six_store(inner->slip0, iso_six_load(inner->slip));
    iso_six_store(inner->lag0, iso_six_load(inner->lag));
    iso_slip_dual_step(&inner->dual, inner->slip_step);
}

double iso_stick_slope(const iso_stick* stick) {
    const iso_stick_inner* inner = stick->inner;
    iso_six own = iso_six_multiply(iso_six_load(inner->gradient), iso_six_load(inner->step));
    iso_six other = iso_six_multiply(iso_six_load(inner->handed_on), iso_six_load(inner->v_step));
    return iso_six_sum(iso_six_sub(own, other));
}

void iso_stick_line(const iso_stick* stick, const double v[6], const double dv[6], double alpha,
                    double* out_value, double* out_slope, double* out_curvature) {
    const iso_stick_inner* inner = stick->inner;
    iso_compliant_points_line_part(stick->points, ISO_POINT_LAW_NORMAL, v, dv, alpha, out_value,
                                   out_slope, out_curvature);
    if (stick->rank == 0) {
        return;
    }
    double value, slope, curvature, coupling = iso_stick_coupling(stick);
    iso_compliant_points_line_part(stick->points, ISO_POINT_LAW_SLIP, inner->slip0,
                                   inner->slip_step, alpha, &value, &slope, &curvature);
    iso_six change = iso_six_sub(iso_six_combine(stick->r_t, dv, 6), iso_six_load(inner->step));
    iso_six lag = iso_six_add_scaled(iso_six_load(inner->lag0), alpha, change);
    iso_six start = iso_six_scale(iso_six_load(stick->stretch), stick->dt);
    iso_six end = iso_six_add_scaled(start, coupling, lag);
    *out_value += value + 0.5 * iso_six_sum(iso_six_multiply(lag, iso_six_add(start, end)));
    *out_slope += slope + iso_six_sum(iso_six_multiply(change, end));
    *out_curvature += curvature + coupling * iso_six_sum(iso_six_multiply(change, change));
}

void iso_stick_advance(const iso_stick* stick, double alpha) {
    iso_stick_inner* inner = stick->inner;
    iso_six sigma = iso_six_load(inner->sigma0), slip = iso_six_load(inner->slip0);
    iso_six_store(inner->sigma, iso_six_add_scaled(sigma, alpha, iso_six_load(inner->step)));
    iso_six_store(inner->slip, iso_six_add_scaled(slip, alpha, iso_six_load(inner->slip_step)));
}

iso_spatial iso_stick_result(const iso_stick* stick, const iso_patch* patch, const double v[6],
                             iso_vec3* out_tractions, iso_vec3* out_slips) {
    return iso_compliant_points_stick_result(stick->points, patch, v, stick->inner->slip,
                                             out_tractions, out_slips);
}
