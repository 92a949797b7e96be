// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "contact/stick.h"

#include <math.h>
#include <string.h>

// Friction is smoothed over this share of the stretch at which it slips. A tenth of it holds no
// better and takes twice the Newton steps where many bodies touch.
#define SMOOTHING_RATIO 1e-2

// Slip of so many smoothing lengths stays elastic; what goes beyond is given up. It must hold where
// the fastest point slips with several smoothing lengths while the mean friction is 95% of its
// bound.
#define ELASTIC_LENGTHS 10.0

// Directions with a smaller share of the stiffness have no friction.
#define SMALLEST_STIFFNESS_RATIO 1e-6

// Share of the radius of a patch that its centre may wander before new material counts as having
// come in: a pressed or shaken body moves its centre without rolling.
#define PLAY_RATIO 0.25

// Motion without stiffness (pressing, tilting, rolling of a flat patch) is remembered up to this
// share of the radius, so that what moves to and fro comes back to the same stretch.
#define REACH_RATIO 0.02

static iso_vec3 to_vec3(const double x[3]) {
    return iso_vec3_make(x[0], x[1], x[2]);
}
static void from_vec3(iso_vec3 x, double out[3]) {
    out[0] = x.x;
    out[1] = x.y;
    out[2] = x.z;
}

// How strongly spring and damper tie the slip to the motion.
static double coupling_of(const iso_stick* stick) {
    return stick->gain * stick->dt * stick->dt;
}

// R x and B sigma, padded.
static void to_sigma(const iso_stick* stick, const double x[6], double* out) {
    iso_six_store(out, iso_six_combine(stick->r_t, x, 6));
}
static void to_twist(const iso_stick* stick, const double* sigma, double* out) {
    iso_six_store(out, iso_six_combine(stick->b_t, sigma, 6)); // rows beyond the rank are zero
}

static inline double dot(const double* a, const double* b, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

// Inverse of a positive definite matrix in place, by Gauss and Jordan. Row p becomes t, which is
// row p over the pivot but for 1 / pivot in its own place, and each other row loses its entry f
// there: row - f (t + e_p).
static inline void invert_small(double* a, int n) {
    static const double k_units[6][ISO_SIX_STRIDE] = {{1.0},
                                                      {0.0, 1.0},
                                                      {0.0, 0.0, 1.0},
                                                      {0.0, 0.0, 0.0, 1.0},
                                                      {0.0, 0.0, 0.0, 0.0, 1.0},
                                                      {0.0, 0.0, 0.0, 0.0, 0.0, 1.0}};
    for (int p = 0; p < n; ++p) {
        double* row = a + ISO_SIX_STRIDE * p;
        double inverse = 1.0 / row[p];
        iso_six unit = iso_six_load(k_units[p]);
        iso_six scaled = iso_six_scale(iso_six_load(row), inverse);
        iso_six change = iso_six_add_scaled(scaled, inverse, unit);
        for (int k = 0; k < n; ++k) {
            double* other = a + ISO_SIX_STRIDE * k;
            if (k != p) {
                iso_six_store(other, iso_six_add_scaled(iso_six_load(other), -other[p], change));
            }
        }
        iso_six_store(row, iso_six_add_scaled(change, -1.0, unit));
    }
}

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

// Rotations are measured by the size of the patch: metric[i] x[i] is a length.
static void find_metric(const double k[36], double metric[6]) {
    double rotational = k[0] + k[7] + k[14], translational = k[21] + k[28] + k[35];
    double length = sqrt(rotational / translational);
    length = length > 0.0 ? length : 1.0;
    for (int i = 0; i < 6; ++i) {
        metric[i] = i < 3 ? length : 1.0;
    }
}

// K = R^T R by Cholesky's method with pivots, as far as K reaches. Rows of six; destroys k. Returns
// the rank.
static int factor_stiffness(double* k, double* r) {
    double largest = 0.0;
    int rank = 0;
    for (int i = 0; i < 6; ++i) {
        largest = fmax(largest, k[(ISO_SIX_STRIDE + 1) * i]);
    }
    while (rank < 6) {
        int pivot = 0;
        double found = k[0];
        for (int i = 1; i < 6; ++i) {
            double other = k[(ISO_SIX_STRIDE + 1) * i];
            pivot = other > found ? i : pivot;
            found = other > found ? other : found;
        }
        if (!(found > SMALLEST_STIFFNESS_RATIO * largest)) {
            break;
        }
        double* row = r + ISO_SIX_STRIDE * rank++;
        iso_six scaled = iso_six_scale(iso_six_load(k + ISO_SIX_STRIDE * pivot), 1.0 / sqrt(found));
        iso_six_store(row, scaled);
        for (int i = 0; i < 6; ++i) {
            double* k_i = k + ISO_SIX_STRIDE * i;
            iso_six_store(k_i, iso_six_add_scaled(iso_six_load(k_i), -row[i], scaled));
            k_i[pivot] = 0.0;
        }
        iso_six_store(k + ISO_SIX_STRIDE * pivot, iso_six_zero());
    }
    return rank;
}

// Coordinates in which K is the identity: R, and B, which has the least length of all with R B = 1.
static void find_coordinates(const double k[36], iso_stick* stick) {
    double scaled[6 * ISO_SIX_STRIDE] = {0.0}, r[6 * ISO_SIX_STRIDE] = {0.0};
    double r_t[6 * ISO_SIX_STRIDE] = {0.0}, gram[6 * ISO_SIX_STRIDE];
    double* metric = stick->metric;
    find_metric(k, metric);
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) {
            scaled[ISO_SIX_STRIDE * i + j] = k[6 * i + j] / (metric[i] * metric[j]);
        }
    }
    stick->rank = factor_stiffness(scaled, r);
    for (int i = 0; i < stick->rank; ++i) {
        for (int j = 0; j < 6; ++j) {
            r_t[ISO_SIX_STRIDE * j + i] = r[ISO_SIX_STRIDE * i + j];
        }
    }
    // About 1 for its inverse; rows beyond the rank are those of the identity.
    double unit = stick->rank > 0 ? dot(r, r, 6) : 1.0;
    for (int i = 0; i < 6; ++i) {
        iso_six row = iso_six_combine(r_t, r + ISO_SIX_STRIDE * i, 6);
        iso_six_store(gram + ISO_SIX_STRIDE * i, iso_six_scale(row, 1.0 / unit));
        gram[(ISO_SIX_STRIDE + 1) * i] += i < stick->rank ? 0.0 : 1.0;
    }
    invert_small(gram, 6);
    // R and B in the layouts that evaluations stream through; beyond the rank all is zero.
    double coupling = coupling_of(stick);
    for (int i = 0; i < 6; ++i) {
        double b_t[ISO_SIX_STRIDE];
        iso_six_store(b_t, iso_six_combine(r, gram + ISO_SIX_STRIDE * i, 6));
        for (int j = 0; j < 6; ++j) {
            int at = ISO_SIX_STRIDE * i + j, across = ISO_SIX_STRIDE * j + i;
            stick->r[at] = stick->r_t[across] = r[at] * metric[j];
            stick->b_t[at] = stick->b[across] = b_t[j] / (metric[j] * unit);
        }
    }
    for (int i = 0; i < 6; ++i) {
        iso_six row = iso_six_combine(stick->r, stick->r_t + ISO_SIX_STRIDE * i, 6);
        iso_six_store(stick->coupled + ISO_SIX_STRIDE * i, iso_six_scale(row, coupling));
    }
}

// A slip twist about p_wc as it is kept, and back.
static void keep_slip(const double slip[6], iso_vec3 p_wc, const iso_pose* x_wa, double out[6]) {
    iso_vec3 w = to_vec3(slip);
    iso_vec3 v = iso_vec3_add(to_vec3(slip + 3), iso_vec3_cross(w, iso_vec3_sub(x_wa->p, p_wc)));
    from_vec3(iso_mat3_tmul_vec3(&x_wa->r, w), out);
    from_vec3(iso_mat3_tmul_vec3(&x_wa->r, v), out + 3);
}
static void recall_slip(const double kept[6], iso_vec3 p_wc, const iso_pose* x_wa, double out[6]) {
    iso_vec3 w = iso_mat3_mul_vec3(&x_wa->r, to_vec3(kept));
    iso_vec3 v = iso_mat3_mul_vec3(&x_wa->r, to_vec3(kept + 3));
    from_vec3(w, out);
    from_vec3(iso_vec3_add(v, iso_vec3_cross(w, iso_vec3_sub(p_wc, x_wa->p))), out + 3);
}

// Distance that the patch has rolled over both bodies since the last step, beyond the play; moves
// the marks along. A patch that stays where it is on one body follows that one.
static double roll(const iso_contact_pair* pair, const iso_pose* x_wa, const iso_pose* x_wb,
                   double radius, iso_pair_memory* memory, double* out_follows_b) {
    iso_vec3 center = pair->patch.centroid;
    iso_vec3 mark_a = iso_pose_point(x_wa, to_vec3(memory->center_a));
    iso_vec3 mark_b = iso_pose_point(x_wb, to_vec3(memory->center_b));
    iso_vec3 e_a = iso_vec3_sub(center, mark_a), e_b = iso_vec3_sub(center, mark_b);
    double way_a = iso_vec3_norm(e_a), way_b = iso_vec3_norm(e_b);
    double excess = fmin(way_a, way_b) - PLAY_RATIO * radius;
    *out_follows_b = way_a + way_b > 0.0 ? way_a / (way_a + way_b) : 0.5;
    if (!(excess > 0.0)) {
        return 0.0;
    }
    mark_a = iso_vec3_add_scaled(mark_a, e_a, excess / way_a);
    mark_b = iso_vec3_add_scaled(mark_b, e_b, excess / way_b);
    from_vec3(iso_pose_inverse_point(x_wa, mark_a), memory->center_a);
    from_vec3(iso_pose_inverse_point(x_wb, mark_b), memory->center_b);
    return excess;
}

// Stretch and slip at the start of the step, from the last one.
static void recall(const iso_contact_pair* pair, const iso_pose* x_wa, const iso_pose* x_wb,
                   const iso_pair_memory* memory, iso_stick* stick) {
    double slip[6], felt[6];
    stick->memory = *memory;
    iso_pose x_wr = iso_rest_place(memory, x_wa);
    iso_rest_place_displacement(&x_wr, x_wb, pair->p_wc, stick->whole);
    recall_slip(memory->slip, pair->p_wc, x_wa, slip);
    double radius = stick->reach / REACH_RATIO;
    double rolled = roll(pair, x_wa, x_wb, radius, &stick->memory, &stick->follows_b);
    stick->left = rolled > 0.0 ? exp(-rolled / radius) : 1.0;
    for (int i = 0; i < 6; ++i) {
        felt[i] = stick->left * stick->whole[i];
    }
    to_sigma(stick, felt, stick->stretch);
    to_sigma(stick, slip, stick->inner->sigma);
}

// The first step of a pair: no stretch, and slip as the bodies move.
static void start(const iso_contact_pair* pair, const iso_pose* x_wa, const iso_pose* x_wb,
                  iso_spatial v_c0, iso_stick* stick) {
    double v[6];
    stick->memory =
        (iso_pair_memory){.geometry_a = pair->geometry_a, .geometry_b = pair->geometry_b};
    iso_rest_place_keep(x_wb, x_wa, &stick->memory);
    from_vec3(iso_pose_inverse_point(x_wa, pair->patch.centroid), stick->memory.center_a);
    from_vec3(iso_pose_inverse_point(x_wb, pair->patch.centroid), stick->memory.center_b);
    from_vec3(v_c0.rotational, v);
    from_vec3(v_c0.translational, v + 3);
    to_sigma(stick, v, stick->inner->sigma);
}

void iso_stick_init(const iso_contact_options* options, const iso_contact_pair* pair,
                    const iso_pose* x_wa, const iso_pose* x_wb, const iso_pair_memory* memory,
                    iso_spatial v_c0, iso_compliant_points* points, iso_stick_inner* inner,
                    iso_stick* out_stick) {
    double dt = points->dt;
    *inner = (iso_stick_inner){0};
    *out_stick = (iso_stick){.points = points,
                             .inner = inner,
                             .dt = dt,
                             .gain = 1.0 + options->friction_damping_time / dt,
                             .smoothing = 1.0,
                             .left = 1.0,
                             .follows_b = 0.5,
                             .metric = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0},
                             .reach = REACH_RATIO * sqrt(pair->patch.area / ISO_PI)};
    if (pair->friction_dynamic > 0.0) {
        out_stick->smoothing =
            SMOOTHING_RATIO * pair->friction_dynamic / (options->friction_stiffness * dt);
    }
    bool is_static = memory && memory->is_slipping == 0.0;
    double mu = set_friction(pair, is_static, out_stick->smoothing, points);
    if (mu > 0.0) {
        double k[36], scale = options->friction_stiffness / (mu * dt);
        iso_compliant_points_friction_shape(points, k);
        for (int i = 0; i < 36; ++i) {
            k[i] *= scale;
        }
        if (k[21] + k[28] + k[35] > 0.0) {
            find_coordinates(k, out_stick);
        }
    }
    for (int i = 0; i < out_stick->rank; ++i) {
        inner->inverse[(ISO_SIX_STRIDE + 1) * i] = 1.0 / (out_stick->gain * dt * dt);
    }
    if (memory) {
        recall(pair, x_wa, x_wb, memory, out_stick);
    } else {
        start(pair, x_wa, x_wb, v_c0, out_stick);
    }
    double kept = memory ? memory->kept_slip * dt : 0.0;
    for (int i = 0; i < out_stick->rank; ++i) {
        double spring = out_stick->stretch[i] - kept * inner->sigma[i];
        out_stick->start_energy += 0.5 * spring * spring;
    }
}

// M = B^T H B + gain dt^2, inverse. Positive definite: gain dt^2 alone is. In its units numbers are
// about 1.
static inline void invert_inner(const iso_stick* stick, const double h[36], int n) {
    double* inverse = stick->inner->inverse;
    double hb[6 * ISO_SIX_STRIDE], coupling = coupling_of(stick);
    for (int i = 0; i < 6; ++i) {
        iso_six_store(hb + ISO_SIX_STRIDE * i, iso_six_combine(stick->b, h + 6 * i, 6));
    }
    for (int i = 0; i < n; ++i) {
        double* row = inverse + ISO_SIX_STRIDE * i;
        iso_six sum = iso_six_combine(hb, stick->b_t + ISO_SIX_STRIDE * i, 6);
        iso_six_store(row, iso_six_scale(sum, 1.0 / coupling));
        row[i] += 1.0;
    }
    invert_small(inverse, n);
    for (int i = 0; i < n; ++i) {
        double* row = inverse + ISO_SIX_STRIDE * i;
        iso_six_store(row, iso_six_scale(iso_six_load(row), 1.0 / coupling));
    }
}

// Hessian += R^T (coupling - coupling^2 M^-1) R.
static inline void add_reduced(const iso_stick* stick, int n, double* out_hessian) {
    const double* inverse = stick->inner->inverse;
    double product[6 * ISO_SIX_STRIDE], row[ISO_SIX_STRIDE], coupling = coupling_of(stick);
    for (int i = 0; i < n; ++i) {
        iso_six sum = iso_six_combine(stick->r, inverse + ISO_SIX_STRIDE * i, n);
        iso_six_store(product + ISO_SIX_STRIDE * i, iso_six_scale(sum, -coupling * coupling));
    }
    for (int i = 0; i < 6; ++i) {
        const double* r_i = stick->r_t + ISO_SIX_STRIDE * i;
        iso_six sum = iso_six_load(stick->coupled + ISO_SIX_STRIDE * i);
        iso_six_store(row, iso_six_add(sum, iso_six_combine(product, r_i, n)));
        for (int j = 0; j < 6; ++j) {
            out_hessian[6 * i + j] += row[j];
        }
    }
}

// Newton's change of the slip at fixed V: M^-1 gradient by sigma, as far as M is known.
static inline iso_six find_newton(const iso_stick_inner* inner, int n) {
    return iso_six_combine(inner->inverse, inner->gradient, n);
}

// With the part of spring and friction; g: gradient of friction.
static inline double add_spring(const iso_stick* stick, const double v[6], const double g[6], int n,
                                double* out_gradient) {
    iso_stick_inner* inner = stick->inner;
    double nu[ISO_SIX_STRIDE], pull[ISO_SIX_STRIDE], value = 0.0;
    iso_six_store(nu, iso_six_combine(stick->r_t, v, 6));
    iso_six_store(inner->gradient, iso_six_combine(stick->b, g, 6));
    for (int i = 0; i < n; ++i) {
        double lag = nu[i] - inner->sigma[i];
        double elastic = stick->stretch[i] + stick->gain * stick->dt * lag;
        inner->lag[i] = lag;
        inner->gradient[i] -= stick->dt * elastic;
        value += stick->dt * lag * (stick->stretch[i] + 0.5 * stick->gain * stick->dt * lag);
        nu[i] = stick->dt * elastic;
    }
    iso_six newton = find_newton(inner, n);
    iso_six_store(inner->newton, newton);
    iso_six_store(nu, iso_six_add_scaled(iso_six_load(nu), coupling_of(stick), newton));
    iso_six_store(pull, iso_six_combine(stick->r, nu, n));
    for (int i = 0; i < 6; ++i) {
        out_gradient[i] += pull[i];
    }
    return value;
}

double iso_stick_eval(const iso_stick* stick, const double v[6], double* out_gradient) {
    double slip[ISO_SIX_STRIDE], g[6];
    to_twist(stick, stick->inner->sigma, slip);
    double value = iso_compliant_points_eval_stick(stick->points, v, slip, &stick->inner->dual,
                                                   out_gradient, g);
    if (stick->rank == 0) {
        return value;
    }
    // A flat patch has rank 3, a curved one up to 6: beyond the rank all is zero.
    return value + (stick->rank <= 3 ? add_spring(stick, v, g, 3, out_gradient)
                                     : add_spring(stick, v, g, 6, out_gradient));
}

static inline void eliminate(const iso_stick* stick, int n, double* out_correction,
                             double* out_hessian) {
    iso_stick_inner* inner = stick->inner;
    double h[36], change[ISO_SIX_STRIDE];
    iso_compliant_points_dual_hessian(stick->points, ISO_POINT_LAW_SLIP, h);
    invert_inner(stick, h, n);
    iso_six newton = find_newton(inner, n);
    // The gradient that was handed out keeps its own: iso_stick_slope() takes that back.
    iso_six_store(change, iso_six_add_scaled(newton, -1.0, iso_six_load(inner->newton)));
    iso_six correction = iso_six_combine(stick->r, change, n);
    iso_six_store(change, iso_six_scale(correction, coupling_of(stick)));
    memcpy(out_correction, change, 6 * sizeof *out_correction);
    add_reduced(stick, n, out_hessian);
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
    const double* g = stick->inner->gradient;
    return dot(g, g, stick->rank) / coupling_of(stick);
}

void iso_stick_direct(const iso_stick* stick, const double dv[6]) {
    iso_stick_inner* inner = stick->inner;
    double pull[ISO_SIX_STRIDE], slip_step[ISO_SIX_STRIDE];
    if (stick->rank == 0) {
        return;
    }
    iso_six nu_step = iso_six_combine(stick->r_t, dv, 6), g = iso_six_load(inner->gradient);
    iso_six_store(inner->nu_step, nu_step);
    iso_six_store(pull, iso_six_add_scaled(iso_six_scale(nu_step, coupling_of(stick)), -1.0, g));
    iso_six_store(inner->step, iso_six_combine(inner->inverse, pull, 6));
    memcpy(inner->sigma0, inner->sigma, sizeof inner->sigma0);
    memcpy(inner->lag0, inner->lag, sizeof inner->lag0);
    to_twist(stick, inner->step, slip_step);
    iso_slip_dual_step(&inner->dual, slip_step);
}

double iso_stick_slope(const iso_stick* stick) {
    const iso_stick_inner* inner = stick->inner;
    return dot(inner->gradient, inner->step, stick->rank) -
           coupling_of(stick) * dot(inner->newton, inner->nu_step, stick->rank);
}

void iso_stick_line(const iso_stick* stick, const double v[6], const double dv[6], double alpha,
                    double* out_value, double* out_slope, double* out_curvature) {
    const iso_stick_inner* inner = stick->inner;
    int rank = stick->rank;
    iso_compliant_points_line_part(stick->points, ISO_POINT_LAW_NORMAL, v, dv, alpha, out_value,
                                   out_slope, out_curvature);
    if (rank == 0) {
        return;
    }
    double slip[ISO_SIX_STRIDE], slip_step[ISO_SIX_STRIDE], value, slope, curvature, dt = stick->dt;
    to_twist(stick, inner->sigma0, slip);
    to_twist(stick, inner->step, slip_step);
    iso_compliant_points_line_part(stick->points, ISO_POINT_LAW_SLIP, slip, slip_step, alpha,
                                   &value, &slope, &curvature);
    for (int i = 0; i < rank; ++i) {
        double change = inner->nu_step[i] - inner->step[i];
        double lag = inner->lag0[i] + alpha * change;
        value += dt * lag * (stick->stretch[i] + 0.5 * stick->gain * dt * lag);
        slope += dt * change * (stick->stretch[i] + stick->gain * dt * lag);
        curvature += stick->gain * dt * dt * change * change;
    }
    *out_value += value;
    *out_slope += slope;
    *out_curvature += curvature;
}

void iso_stick_advance(const iso_stick* stick, double alpha) {
    for (int i = 0; i < stick->rank; ++i) {
        stick->inner->sigma[i] = stick->inner->sigma0[i] + alpha * stick->inner->step[i];
    }
}

iso_spatial iso_stick_result(const iso_stick* stick, const iso_patch* patch, const double v[6],
                             iso_vec3* out_tractions, iso_vec3* out_slips) {
    double slip[ISO_SIX_STRIDE];
    to_twist(stick, stick->inner->sigma, slip);
    return iso_compliant_points_stick_result(stick->points, patch, v, slip, out_tractions,
                                             out_slips);
}

// Stretch after the step: the motion, less the slip that is given up; and of what has no stiffness
// no more than the reach. Returns the energy of the spring.
static double find_stretch(const iso_stick* stick, const double v[6], const double slip[6],
                           double given_up, double out[6]) {
    double felt[ISO_SIX_STRIDE], held[ISO_SIX_STRIDE], size2 = 0.0;
    for (int i = 0; i < 6; ++i) {
        out[i] = stick->left * stick->whole[i] + stick->dt * (v[i] - given_up * slip[i]);
    }
    to_sigma(stick, out, felt);
    to_twist(stick, felt, held);
    for (int i = 0; i < 6; ++i) {
        double rest = stick->metric[i] * (out[i] - held[i]);
        size2 += rest * rest;
    }
    if (size2 > stick->reach * stick->reach) {
        double kept = stick->reach / sqrt(size2);
        for (int i = 0; i < 6; ++i) {
            out[i] = held[i] + kept * (out[i] - held[i]);
        }
    }
    double energy = 0.0;
    for (int i = 0; i < stick->rank; ++i) {
        double spring = felt[i] - (1.0 - given_up) * stick->dt * stick->inner->sigma[i];
        energy += 0.5 * spring * spring;
    }
    return energy;
}

// Share of the bodies' motion over the step, u, that a change of the stretch takes back.
static double share_taken_back(const iso_stick* stick, const double u[6], const double change[6]) {
    double taken = 0.0, all = 0.0;
    for (int i = 0; i < 6; ++i) {
        double weight = stick->metric[i] * stick->metric[i];
        taken -= weight * stick->dt * u[i] * change[i];
        all += weight * stick->dt * u[i] * stick->dt * u[i];
    }
    return all > 0.0 ? fmax(0.0, fmin(1.0, taken / all)) : 0.0;
}

// Where a point of the patch goes over the step.
static iso_vec3 move_with_patch(const iso_stick* stick, const iso_pair_poses poses[2],
                                iso_vec3 p_w) {
    iso_vec3 a = iso_pose_point(&poses[1].x_wa, iso_pose_inverse_point(&poses[0].x_wa, p_w));
    iso_vec3 b = iso_pose_point(&poses[1].x_wb, iso_pose_inverse_point(&poses[0].x_wb, p_w));
    return iso_vec3_add_scaled(a, iso_vec3_sub(b, a), stick->follows_b);
}

// The exact displacement at the end of the step, with the change. What it differs by from the
// bodies' velocities times dt, which is of second order, goes with the motion.
static void move_rest_place(const iso_stick* stick, const double u[6], const double change[6],
                            const iso_pose* x_wb, const iso_pose* x_wa, iso_vec3 p_wc,
                            iso_pair_memory* memory) {
    double moved[6];
    iso_pose x_wr = iso_rest_place(memory, x_wa);
    iso_rest_place_displacement(&x_wr, x_wb, p_wc, moved);
    double share = share_taken_back(stick, u, change);
    for (int i = 0; i < 6; ++i) {
        double excess = moved[i] - (stick->whole[i] + stick->dt * u[i]);
        moved[i] += change[i] - share * excess;
    }
    x_wr = iso_rest_place_before(moved, x_wb, p_wc);
    iso_rest_place_keep(&x_wr, x_wa, memory);
}

void iso_stick_commit(const iso_stick* stick, const iso_pair_poses poses[2], const double v[6],
                      const double u[6], iso_pair_memory* out_memory) {
    double slip[ISO_SIX_STRIDE], stretch[6], change[6], largest = 0.0;
    iso_vec3 p_wc = move_with_patch(stick, poses, stick->points->p_wc);
    *out_memory = stick->memory;
    to_twist(stick, stick->inner->sigma, slip);
    double fastest = iso_compliant_points_max_slip(stick->points, slip);
    double elastic = ELASTIC_LENGTHS * stick->smoothing;
    double given_up = fastest > elastic ? 1.0 - elastic / fastest : 0.0;
    out_memory->energy = find_stretch(stick, v, slip, given_up, stretch);
    out_memory->kept_slip = 1.0 - given_up;
    out_memory->is_slipping = given_up > 0.0 ? 1.0 : 0.0;
    keep_slip(slip, p_wc, &poses[1].x_wa, out_memory->slip);
    // Where nothing slips, turns over or exceeds the reach, the bodies' motion is all of the
    // change.
    for (int i = 0; i < 6; ++i) {
        double moved = stick->whole[i] + stick->dt * u[i];
        change[i] = stretch[i] - moved;
        largest = fmax(largest, stick->metric[i] * fabs(change[i]));
    }
    if (largest > 0.0) {
        move_rest_place(stick, u, change, &poses[1].x_wb, &poses[1].x_wa, p_wc, out_memory);
    }
}
