// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The potential of a patch that sticks: docs/theory/sticking.md.

#include "contact/pairs/lasting_pair.h"
#include "contact/stick/stick_parts.h"

#include <math.h>
#include <string.h>

// How much stiffer the stretch of a patch is than its pressing. Coulomb's law has no stretch: what
// a patch that stops gives back falls with the root of this, to 1.6% of friction times the speed of
// approach. Ten times as much changes nothing that a trajectory shows.
#define STIFFNESS_RATIO 1e3
// The stretch is no stiffer than this over mobility and step squared, a hundred times what the
// bodies themselves resist: beyond that a step shows nothing but rounding.
#define STIFFEST_STEP 100.0
// A light body under a heavy load would hang far on such a spring: friction at its bound stretches
// it by no more than this share of the size of the patch, while it is no stiffer than the floor
// under a patch that presses (point_build.c).
#define LONGEST_STRETCH_SHARE 6e-4
#define STIFFEST_LOADED 4e5

// Friction is smoothed over this share of the speed that it gives the bodies in one step: so it
// vanishes with the step; and over no more than this way in a step, which a firm grip on a light
// body would feel: a tenth of it where the stretch resists pressing as much as the field itself.
// What slips while pads are pressed is kept there, and moves bodies with the load of its points.
// With a stiffness that was chosen, over no more than this share of the stretch at which it slips,
// in one step.
#define SMOOTHING_SPEED_RATIO 0.01
#define SMOOTHING_RATIO 1e-2
#define SMOOTHING_SHARE 3e-5 // of the size of the patch
#define CURVED_RATIO 0.1
// Slip of so many smoothing lengths stays elastic; what goes beyond is given up. It must hold where
// the fastest point slips with several smoothing lengths while the mean friction is 95% of its
// bound, and by a twentieth more while a load that swings moves the body on its stretch. What is
// kept of pressing gives back more than it took where the load of points swings: with 15, light
// bodies between curved pads never rest.
#define FLAT_ELASTIC_LENGTHS 15.0
#define CURVED_ELASTIC_LENGTHS 8.0
// at least [m/s]: between bodies that cannot move, or without load.
#define SMALLEST_SMOOTHING 1e-18

// Hessians are kept while they change by no more than this share: Newton's method takes as many
// steps as with new ones. With twenty times more it takes 7% more.
#define KEPT_CHANGE 5e-4
// Six by six matrices are inverted by cofactors up to this condition, else by their factor.
#define WORST_CONDITION 1e6

// Friction of the points: bound and smoothing.
static void set_friction(const iso_contact_pair* pair, bool is_static, double smoothing,
                         iso_compliant_points* points) {
    double mu = is_static ? pair->friction_static : pair->friction_dynamic;
    double scale = pair->friction_dynamic > 0.0 ? mu / pair->friction_dynamic : 1.0;
    for (int i = 0; i < points->padded_count; i += ISO_DOUBLE4_LANES) {
        iso_double4 bound = iso_double4_load(points->friction_force + i);
        iso_double4_store(points->friction_force + i,
                          iso_double4_mul(bound, iso_double4_set(scale)));
        iso_double4_store(points->slip_scale + i, iso_double4_set(smoothing));
    }
}

// Spring and damper of a patch.
typedef struct patch_spring {
    double stiffness;    ///< of the whole patch over its normal force [1/m]
    double damping_time; ///< damping over stiffness [s]
    double smoothing;    ///< [m/s]
    double elastic;      ///< slip that is kept [m/s]
} patch_spring;

// Share of the stiffness along the patch with which its stretch, k in the order of
// iso_six_upper_at, resists pressing: 0 where it is flat.
static double pressing_share(const double k[ISO_SIX_UPPER]) {
    double xx = k[16], yy = k[19], zz = k[20], xy = k[17], xz = k[18], yz = k[15];
    double volume = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
    double along = 0.5 * iso_stick_translational(k);
    return along > 0.0 ? fmax(volume, 0.0) / (along * along * along) : 0.0;
}

static double between(double curved, double flat, double share) {
    return curved + (flat - curved) * share;
}

// 1 where the patch is flat, 0 where its stretch resists pressing as much as the field.
static double flatness(const double k[ISO_SIX_UPPER]) {
    double resists = STIFFNESS_RATIO * pressing_share(k);
    double ratio = 1.0 / (1.0 + (1.0 / CURVED_RATIO - 1.0) * resists);
    return fmax(ratio - CURVED_RATIO, 0.0) / (1.0 - CURVED_RATIO);
}

// What the patch itself resists: the stiffness against pressing of its loaded points, and the force
// N that they bear, which is friction_force over the coefficient and dt. (sum N)^2 / sum N^2 / k is
// the sum of k where all are equally deep, and a point comes in and goes with its force. Before
// set_friction(). @param shape  iso_compliant_points_friction_shape()
static patch_spring choose_spring(const iso_contact_options* options, const iso_contact_pair* pair,
                                  const iso_compliant_points* points,
                                  const double shape[ISO_SIX_UPPER]) {
    double mu = pair->friction_dynamic, dt = points->dt;
    iso_double4 zero = iso_double4_set(0.0), bounds = zero, squares = zero;
    for (int i = 0; i < points->padded_count; i += ISO_DOUBLE4_LANES) {
        iso_double4 bound = iso_double4_load(points->friction_force + i);
        iso_double4 k = iso_double4_load(points->stiffness + i);
        bounds = iso_double4_add(bounds, bound);
        iso_double4 square = iso_double4_div(iso_double4_mul(bound, bound), k);
        square = iso_double4_select(iso_double4_greater(k, zero), square, zero);
        squares = iso_double4_add(squares, square);
    }
    double bound = iso_double4_sum(bounds), square = iso_double4_sum(squares);
    patch_spring spring = {.smoothing = 1.0, .elastic = FLAT_ELASTIC_LENGTHS};
    if (!(mu > 0.0 && bound > 0.0 && square > 0.0)) {
        return spring;
    }
    double pressing = STIFFNESS_RATIO * bound * bound / square;
    double mobility = points->turning_speed / bound;
    double step = points->law_step > 0.0 ? points->law_step : dt;
    double longest = LONGEST_STRETCH_SHARE * sqrt(pair->patch.area);
    double held = bound / dt * mobility * step * step / longest;
    double stiffest = fmax(STIFFEST_STEP, fmin(held, STIFFEST_LOADED));
    double whole = pressing / (1.0 + pressing * mobility * step * step / stiffest);
    spring.stiffness = whole * mu * dt / bound;
    double turning_speed = points->turning_speed * (step / dt);
    double flat = flatness(shape);
    double way = between(CURVED_RATIO, 1.0, flat) * SMOOTHING_SHARE * sqrt(pair->patch.area);
    spring.smoothing = fmin(SMOOTHING_SPEED_RATIO * turning_speed, way / step);
    const iso_bristle_params* bristles = pair->bristles;
    double given = bristles ? bristles->stiffness : options->friction_stiffness;
    if (given > 0.0) {
        spring.stiffness = given;
        whole = spring.stiffness * bound / (mu * dt);
        spring.smoothing = fmin(spring.smoothing, SMOOTHING_RATIO * mu / (spring.stiffness * dt));
    }
    spring.smoothing = fmax(spring.smoothing, SMALLEST_SMOOTHING);
    double frequency = sqrt(whole * mobility);
    double damping_time =
        bristles ? bristles->damping / bristles->stiffness : options->friction_damping_time;
    spring.damping_time = damping_time >= 0.0 ? damping_time
                          : frequency > 0.0   ? 2.0 / frequency
                                              : 0.0;
    // What smoothing adds to the stretch at rest is (dt + damping time) times a slip: steps of
    // unlike lengths would each have a place of rest of their own, and never agree.
    spring.smoothing *= (step + spring.damping_time) / (dt + spring.damping_time);
    spring.elastic = spring.smoothing * between(CURVED_ELASTIC_LENGTHS, FLAT_ELASTIC_LENGTHS, flat);
    return spring;
}

static void clear_inner(iso_stick_inner* inner) {
    iso_six_store(inner->slip, iso_six_zero());
    iso_six_store(inner->gradient, iso_six_zero());
    iso_six_store(inner->handed_on, iso_six_zero());
    iso_six_store(inner->step, iso_six_zero());
    iso_six_store(inner->slip_step, iso_six_zero());
    iso_six_store(inner->v_step, iso_six_zero());
    iso_six_store(inner->old_slip, iso_six_zero());
    iso_six_store(inner->motion, iso_six_zero());
    memset(inner->normal_gradient, 0, sizeof inner->normal_gradient);
    inner->normal_value = 0.0;
    inner->old_traces[0] = inner->old_traces[1] = 0.0;
    inner->residual = inner->slope = 0.0;
    inner->newton_steps = 0;
    inner->has_inverse = inner->has_hessian = inner->is_kept = false;
    inner->dual = (iso_slip_dual){0};
}

void iso_stick_init(const iso_contact_options* options, const iso_contact_pair* pair,
                    const iso_pose* x_wa, const iso_pose* x_wb, const iso_stick_memory* memory,
                    iso_spatial v_c0, iso_compliant_points* points, iso_stick_inner* inner,
                    iso_stick* out_stick) {
    double dt = points->dt, k[ISO_SIX_UPPER];
    iso_compliant_points_friction_shape(points, k);
    patch_spring spring = choose_spring(options, pair, points, k);
    iso_stick* s = out_stick;
    clear_inner(inner);
    s->points = points;
    s->inner = inner;
    s->dt = dt;
    s->coupling = (1.0 + spring.damping_time / dt) * dt * dt;
    s->inverse_coupling = 1.0 / s->coupling;
    s->smoothing = spring.smoothing;
    s->elastic = spring.elastic;
    s->left = 1.0;
    s->follows_b = 0.5;
    s->reach = ISO_STICK_REACH_RATIO * sqrt(pair->patch.area / ISO_PI);
    memset(s->whole, 0, sizeof s->whole);
    iso_six_store(s->impulse, iso_six_zero());
    bool is_static = memory && memory->is_slipping == 0.0;
    set_friction(pair, is_static, s->smoothing, points);
    double mu = pair->friction_dynamic, scale = mu > 0.0 ? spring.stiffness / (mu * dt) : 0.0;
    for (int i = 0; i < ISO_SIX_UPPER; i += ISO_DOUBLE4_LANES) {
        iso_double4_store(k + i, iso_double4_mul(iso_double4_load(k + i), iso_double4_set(scale)));
    }
    if (iso_stick_translational(k) > 0.0) {
        iso_stick_find_coordinates(k, s);
    } else {
        iso_stick_find_no_coordinates(s);
    }
    iso_stick_recall(pair, x_wa, x_wb, memory, v_c0, s);
}

// Inverse of a symmetric 3 x 3 matrix by cofactors: rows of three, padded with zero.
ISO_SIX_INLINE void invert_three(double xx, double xy, double xz, double yy, double yz, double zz,
                                 iso_double4 out[3]) {
    double c_xx = yy * zz - yz * yz, c_xy = xz * yz - xy * zz, c_xz = xy * yz - xz * yy;
    double inverse = 1.0 / (xx * c_xx + xy * c_xy + xz * c_xz);
    c_xy *= inverse;
    c_xz *= inverse;
    double c_yy = (xx * zz - xz * xz) * inverse, c_yz = (xy * xz - xx * yz) * inverse;
    out[0] = iso_double4_make(c_xx * inverse, c_xy, c_xz, 0.0);
    out[1] = iso_double4_make(c_xy, c_yy, c_yz, 0.0);
    out[2] = iso_double4_make(c_xz, c_yz, (xx * yy - xy * xy) * inverse, 0.0);
}

// c + scale times the sum of x[i] times row i.
ISO_SIX_INLINE iso_double4 combine_three(const iso_double4 rows[3], const double* x, double scale,
                                         iso_double4 c) {
    for (int i = 0; i < 3; ++i) {
        c = iso_double4_mul_add(rows[i], iso_double4_set(scale * x[i]), c);
    }
    return c;
}

// Inverse, padded, of a positive definite 6 x 6 matrix, in the order of iso_six_upper_at, by blocks
// of three, [A B; B^T C]: with X = A^-1 B and S = C - B^T X,
// [A^-1 + X S^-1 X^T, -X S^-1; -S^-1 X^T, S^-1]. Two divisions wait for each other, not six.
static void invert_six(const double m[ISO_SIX_UPPER], double* out) {
    iso_double4 a[4], x_t[4], y_t[4], s_inverse[3], zero = iso_double4_set(0.0);
    double rows[3][ISO_DOUBLE4_LANES], s[3][ISO_DOUBLE4_LANES];
    invert_three(m[0], m[1], m[2], m[3], m[7], m[11], a);
    // Rows of B and C, and other numbers behind them, which meet no others.
    const iso_double4 b[3] = {iso_double4_load(m + 4), iso_double4_load(m + 8),
                              iso_double4_load(m + 12)};
    const iso_double4 c[3] = {iso_double4_load(m + 16), iso_double4_make(m[17], m[19], m[15], 0.0),
                              iso_double4_make(m[18], m[15], m[20], 0.0)};
    // Rows of X^T = B^T A^-1, and of S.
    for (int i = 0; i < 3; ++i) {
        const double column[3] = {m[4 + i], m[8 + i], m[12 + i]};
        x_t[i] = combine_three(a, column, 1.0, zero);
        iso_double4_store(rows[i], x_t[i]);
        iso_double4_store(s[i], combine_three(b, rows[i], -1.0, c[i]));
    }
    invert_three(s[0][0], s[0][1], s[0][2], s[1][1], s[1][2], s[2][2], s_inverse);
    // Y^T = S^-1 X^T; A^-1 + X Y^T.
    for (int i = 0; i < 3; ++i) {
        iso_double4_store(rows[i], s_inverse[i]);
        y_t[i] = combine_three(x_t, rows[i], 1.0, zero);
    }
    x_t[3] = zero;
    iso_double4_transpose(x_t);
    for (int i = 0; i < 3; ++i) {
        iso_double4_store(rows[i], x_t[i]);
        a[i] = combine_three(y_t, rows[i], 1.0, a[i]);
    }
    iso_double4 y[4] = {y_t[0], y_t[1], y_t[2], zero};
    iso_double4_transpose(y);
    for (int i = 0; i < 3; ++i) {
        double *top = out + ISO_SIX_STRIDE * i, *bottom = top + 3 * ISO_SIX_STRIDE;
        iso_double4_store(top, a[i]);
        iso_double4_store(top + 3, iso_double4_neg(y[i]));
        top[7] = bottom[7] = 0.0;
        iso_double4_store(bottom, iso_double4_neg(y_t[i]));
        iso_double4_store(bottom + 3, s_inverse[i]);
    }
}

// With M = 1 + B^T H B / c, c the coupling: M^-1, and that times R.
static void invert_flat(const iso_stick* stick, const double h[ISO_SIX_UPPER]) {
    iso_stick_inner* inner = stick->inner;
    double hb[6 * ISO_DOUBLE4_LANES], m[3][ISO_DOUBLE4_LANES];
    for (int i = 0; i < 6; ++i) {
        iso_double4 sum = iso_double4_set(0.0);
        for (int j = 0; j < 6; ++j) {
            iso_double4 row = iso_double4_load(stick->b + ISO_DOUBLE4_LANES * j);
            sum = iso_double4_mul_add(row, iso_double4_set(h[iso_six_upper_at[i][j]]), sum);
        }
        iso_double4_store(hb + ISO_DOUBLE4_LANES * i, sum);
    }
    for (int i = 0; i < 3; ++i) {
        iso_double4 sum = iso_stick_combine_four(hb, stick->b_t + ISO_SIX_STRIDE * i, 6);
        iso_double4_store(m[i], iso_double4_mul(sum, iso_double4_set(stick->inverse_coupling)));
    }
    iso_double4 m_inverse[3];
    invert_three(m[0][0] + 1.0, m[0][1], m[0][2], m[1][1] + 1.0, m[1][2], m[2][2] + 1.0, m_inverse);
    for (int i = 0; i < 3; ++i) {
        int at = ISO_SIX_STRIDE * i;
        iso_six_store(inner->inverse + at, iso_six_make(m_inverse[i], iso_double4_set(0.0)));
        iso_six_store(inner->hand_on + at, iso_six_combine(stick->r, inner->inverse + at, 3));
    }
}

// The Hessian by V, to which spring and friction add c R^T (1 - M^-1) R.
static void write_flat(const iso_stick* stick, double* out_hessian) {
    double rest[3 * ISO_SIX_STRIDE], normal[ISO_SIX_UPPER];
    iso_compliant_points_normal_hessian(stick->points, normal);
    for (int i = 0; i < 3; ++i) {
        int at = ISO_SIX_STRIDE * i;
        iso_six taken = iso_six_load(stick->inner->hand_on + at);
        iso_six left = iso_six_sub(iso_six_load(stick->r + at), taken);
        iso_six_store(rest + at, iso_six_scale(left, stick->coupling));
    }
    for (int i = 0; i < 6; ++i) {
        iso_six row = iso_six_combine(rest, stick->r_t + ISO_DOUBLE4_LANES * i, 3);
        iso_six_store_bare(out_hessian + 6 * i, iso_six_add(iso_six_upper_row(normal, i), row));
    }
}

// Whether cofactors keep digits: their errors grow with the square of the condition of what has
// ones on its diagonal, which is at least the largest product of the diagonals of matrix and
// inverse.
static inline bool is_well_conditioned(const double m[ISO_SIX_UPPER], const double* inverse) {
    bool is_well = true;
    for (int i = 0; i < 6; ++i) {
        double ratio = m[iso_six_upper_at[i][i]] * inverse[(ISO_SIX_STRIDE + 1) * i];
        is_well &= ratio > 0.0 && ratio < WORST_CONDITION;
    }
    return is_well;
}

// With M = K + H / c: M^-1, and that times K.
static void invert_full(const iso_stick* stick, const double h[ISO_SIX_UPPER]) {
    iso_stick_inner* inner = stick->inner;
    double m[ISO_SIX_UPPER];
    iso_double4 inverse = iso_double4_set(stick->inverse_coupling);
    for (int i = 0; i < ISO_SIX_UPPER; i += ISO_DOUBLE4_LANES) {
        iso_double4 k = iso_double4_load(stick->k_upper + i);
        iso_double4_store(m + i, iso_double4_mul_add(inverse, iso_double4_load(h + i), k));
    }
    invert_six(m, inner->inverse);
    if (!is_well_conditioned(m, inner->inverse)) {
        iso_stick_invert_stably(m, inner->inverse);
    }
    for (int i = 0; i < 6; ++i) {
        int at = ISO_SIX_STRIDE * i;
        iso_six_store(inner->hand_on + at, iso_six_combine(stick->k, inner->inverse + at, 6));
    }
}

// Row i of the Hessian by V.
ISO_SIX_INLINE void write_full_row(const iso_stick* stick, const double normal[ISO_SIX_UPPER],
                                   int i, double* out_hessian) {
    const double* row = stick->k + ISO_SIX_STRIDE * i;
    iso_six taken = iso_six_combine(stick->inner->hand_on, row, 6);
    iso_six left = iso_six_scale(iso_six_sub(iso_six_load(row), taken), stick->coupling);
    iso_six_store_bare(out_hessian + 6 * i, iso_six_add(iso_six_upper_row(normal, i), left));
}

// The Hessian by V, to which they add c (K - K M^-1 K).
static void write_full(const iso_stick* stick, double* out_hessian) {
    double normal[ISO_SIX_UPPER];
    iso_compliant_points_normal_hessian(stick->points, normal);
    write_full_row(stick, normal, 0, out_hessian);
    write_full_row(stick, normal, 1, out_hessian);
    write_full_row(stick, normal, 2, out_hessian);
    write_full_row(stick, normal, 3, out_hessian);
    write_full_row(stick, normal, 4, out_hessian);
    write_full_row(stick, normal, 5, out_hessian);
}

// What gradient^T dV lacks of the slope along (dV, dS).
static inline double slope_lacking(iso_six gradient, iso_six step, iso_six handed_on,
                                   iso_six v_step) {
    return iso_six_sum(
        iso_six_sub(iso_six_multiply(gradient, step), iso_six_multiply(handed_on, v_step)));
}

// True where the Hessians are about those of the last elimination: their traces, and the slip, on
// which the directions of friction depend.
static inline bool is_about_same(const iso_stick* stick) {
    const iso_stick_inner* inner = stick->inner;
    const double *now = inner->traces, *old = inner->old_traces;
    iso_double4 metric = iso_double4_load(stick->metric);
    iso_six m = iso_six_make(metric, iso_double4_set(1.0));
    iso_six slip = iso_six_load(inner->slip);
    iso_six change = iso_six_multiply(m, iso_six_sub(slip, iso_six_load(inner->old_slip)));
    iso_six size = iso_six_scale(iso_six_multiply(m, slip), KEPT_CHANGE);
    iso_six excess = iso_six_sub(iso_six_multiply(change, change), iso_six_multiply(size, size));
    double least = KEPT_CHANGE * stick->smoothing;
    bool is_normal_same = fabs(now[0] - old[0]) <= KEPT_CHANGE * old[0];
    bool is_friction_same = fabs(now[1] - old[1]) <= KEPT_CHANGE * old[1];
    bool is_slip_same = iso_six_sum(excess) <= least * least;
    return is_normal_same & is_friction_same & is_slip_same; // no branches: they would be missed
}

// With the part of spring and friction; g: gradient of friction.
ISO_SIX_INLINE double add_spring(const iso_stick* stick, const double g[6], int n,
                                 double* out_gradient) {
    iso_stick_inner* inner = stick->inner;
    double at[ISO_SIX_STRIDE], pull[ISO_SIX_STRIDE];
    iso_six lag = iso_six_sub(iso_six_load(inner->motion), iso_six_load(iso_stick_sigma(inner, n)));
    iso_six start = iso_six_load(stick->impulse);
    iso_six_store(at, lag);
    iso_six end = iso_six_add_scaled(start, stick->coupling, iso_stick_stiffen(stick, at, n));
    iso_six gradient = iso_six_sub(iso_stick_of_gradient(stick, g, n), end);
    iso_six_store(inner->gradient, gradient);
    iso_six_store(pull, end);
    // Before the first Hessian is known: with that of the spring alone.
    iso_six handed_on = inner->has_inverse ? iso_six_combine(inner->hand_on, inner->gradient, n)
                                           : iso_stick_to_wrench(stick, inner->gradient, n);
    iso_six_store(inner->handed_on, handed_on);
    iso_six added = iso_six_add(iso_stick_to_wrench(stick, pull, n), handed_on);
    iso_six normal = iso_six_load_bare(inner->normal_gradient);
    iso_six_store_bare(out_gradient, iso_six_add(normal, added));
    inner->is_kept = inner->has_inverse & is_about_same(stick);
    iso_six weighted = iso_six_multiply(gradient, iso_six_load(stick->weight));
    inner->residual = iso_six_sum(iso_six_multiply(gradient, weighted));
    inner->slope = slope_lacking(gradient, iso_six_load(iso_stick_step(inner, n)), handed_on,
                                 iso_six_load(inner->v_step));
    return 0.5 * iso_six_sum(iso_six_multiply(lag, iso_six_add(start, end)));
}

// As iso_stick_eval(), with the normal part of the last time.
static double eval_slip(const iso_stick* stick, double* out_gradient) {
    double g[6];
    iso_stick_inner* inner = stick->inner;
    double value = iso_compliant_points_eval_slip(stick->points, inner->slip, &inner->dual, g,
                                                  &inner->traces[1]);
    value += inner->normal_value;
    if (stick->size == 0) {
        memcpy(out_gradient, inner->normal_gradient, sizeof inner->normal_gradient);
        return value;
    }
    return value + (stick->size == 3 ? add_spring(stick, g, 3, out_gradient)
                                     : add_spring(stick, g, 6, out_gradient));
}

double iso_stick_eval(const iso_stick* stick, const double v[6], double* out_gradient) {
    iso_stick_inner* inner = stick->inner;
    inner->normal_value = iso_compliant_points_eval_normal(stick->points, v, inner->normal_gradient,
                                                           &inner->traces[0]);
    if (stick->size > 0) {
        iso_six_store(inner->motion, stick->size == 3 ? iso_stick_to_sigma(stick, v, 3)
                                                      : iso_stick_to_sigma(stick, v, 6));
    }
    return eval_slip(stick, out_gradient);
}

// The inverse here, unless that of the last time is about the same.
static void renew_inverse(const iso_stick* stick) {
    iso_stick_inner* inner = stick->inner;
    double h[ISO_SIX_UPPER];
    bool may_keep = inner->newton_steps++ < ISO_STICK_KEPT_STEPS;
    if (inner->is_kept && may_keep) {
        return;
    }
    iso_six_store(inner->old_slip, iso_six_load(inner->slip));
    memcpy(inner->old_traces, inner->traces, sizeof inner->old_traces);
    iso_compliant_points_slip_hessian(stick->points, h);
    if (stick->size == 3) {
        invert_flat(stick, h);
    } else {
        invert_full(stick, h);
    }
    inner->has_inverse = true;
    inner->has_hessian = false;
}

bool iso_stick_eliminate(const iso_stick* stick, double* out_correction, double* out_hessian) {
    iso_stick_inner* inner = stick->inner;
    if (stick->size == 0) {
        double h[ISO_SIX_UPPER];
        iso_compliant_points_normal_hessian(stick->points, h);
        for (int i = 0; i < 6; ++i) {
            iso_six_store_bare(out_hessian + 6 * i, iso_six_upper_row(h, i));
        }
    } else {
        renew_inverse(stick);
    }
    if (stick->size == 0 || inner->has_hessian) {
        memset(out_correction, 0, 6 * sizeof *out_correction);
        return false;
    }
    iso_six handed_on;
    if (stick->size == 3) {
        write_flat(stick, out_hessian);
        handed_on = iso_six_combine(inner->hand_on, inner->gradient, 3);
    } else {
        write_full(stick, out_hessian);
        handed_on = iso_six_combine(inner->hand_on, inner->gradient, 6);
    }
    inner->has_hessian = true;
    // The gradient that was handed out keeps its own: the slope takes that back.
    iso_six_store_bare(out_correction, iso_six_sub(handed_on, iso_six_load(inner->handed_on)));
    return true;
}

ISO_SIX_INLINE void direct(const iso_stick* stick, const double dv[6], int n) {
    iso_stick_inner* inner = stick->inner;
    double pull[ISO_SIX_STRIDE];
    iso_six_store(pull,
                  iso_six_add_scaled(iso_stick_stiffen_twist(stick, dv, n),
                                     -stick->inverse_coupling, iso_six_load(inner->gradient)));
    iso_six step = iso_six_combine(inner->inverse, pull, n), v_step = iso_six_load_bare(dv);
    iso_six_store(inner->v_step, v_step);
    iso_six_store(iso_stick_step(inner, n), step);
    iso_six_store(inner->slip0, iso_six_load(inner->slip));
    if (n == 3) {
        iso_six_store(inner->slip_step, iso_stick_to_twist(stick, inner->step, n));
        iso_six_store(inner->sigma0, iso_six_load(inner->sigma));
    }
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
    iso_slip_dual_step(&inner->dual, inner->slip_step);
}

// What spring and damper add along the line.
ISO_SIX_INLINE void add_spring_line(const iso_stick* stick, const double v[6], const double dv[6],
                                    double alpha, int n, double* out_value, double* out_slope,
                                    double* out_curvature) {
    iso_stick_inner* inner = stick->inner;
    double coupling = stick->coupling, way[ISO_SIX_STRIDE], at[ISO_SIX_STRIDE];
    iso_six sigma0 = iso_six_load(n == 3 ? inner->sigma0 : inner->slip0);
    iso_six step = iso_six_load(iso_stick_step(inner, n));
    iso_six change = iso_six_sub(iso_stick_to_sigma(stick, dv, n), step);
    iso_six lag = iso_six_sub(iso_stick_to_sigma(stick, v, n), sigma0);
    lag = iso_six_add_scaled(lag, alpha, change);
    iso_six_store(way, change);
    iso_six_store(at, lag);
    iso_six start = iso_six_load(stick->impulse);
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
        add_spring_line(stick, v, dv, alpha, 3, out_value, out_slope, out_curvature);
    } else {
        add_spring_line(stick, v, dv, alpha, 6, out_value, out_slope, out_curvature);
    }
}

void iso_stick_advance(const iso_stick* stick, double alpha) {
    iso_stick_inner* inner = stick->inner;
    if (stick->size == 0) {
        return;
    }
    iso_six slip = iso_six_load(inner->slip0);
    iso_six_store(inner->slip, iso_six_add_scaled(slip, alpha, iso_six_load(inner->slip_step)));
    if (stick->size == 3) {
        iso_six sigma = iso_six_load(inner->sigma0);
        iso_six_store(inner->sigma, iso_six_add_scaled(sigma, alpha, iso_six_load(inner->step)));
    }
}

double iso_stick_refine(const iso_stick* stick, double value, double* out_gradient) {
    const double still[6] = {0.0};
    if (stick->size == 0) {
        return eval_slip(stick, out_gradient);
    }
    renew_inverse(stick);
    iso_stick_direct(stick, still);
    iso_stick_advance(stick, 1.0);
    double new_value = eval_slip(stick, out_gradient);
    if (new_value <= value) {
        return new_value;
    }
    iso_stick_advance(stick, 0.0);
    return eval_slip(stick, out_gradient);
}

iso_spatial iso_stick_result(const iso_stick* stick, const iso_patch* patch, const double v[6],
                             iso_vec3* out_tractions, iso_vec3* out_slips) {
    iso_stick_inner* inner = stick->inner;
    if (!inner->dual.is_started) { // nothing was solved: both bodies are fixed
        double g[6];
        iso_compliant_points_eval_slip(stick->points, inner->slip, &inner->dual, g,
                                       &inner->traces[1]);
    }
    return iso_compliant_points_kept_result(stick->points, patch, v, out_tractions, out_slips);
}
