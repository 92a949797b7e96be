// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "contact/stick.h"

#include "math/dense.h"

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

// R x and B sigma, padded.
static void to_sigma(const iso_stick* stick, const double x[6], double* out) {
    iso_six_store(out, iso_six_combine(stick->r_t, x, 6));
}
static void to_twist(const iso_stick* stick, const double* sigma, double* out) {
    iso_six_store(out, iso_six_combine(stick->b_t, sigma, stick->rank));
}

static inline double dot(const double* a, const double* b, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

// A = L L^T of a positive definite matrix, the upper triangle L^T in place, and the inverse of its
// diagonal. Written here, as the number of rows is known where it is called.
static inline void factor_small(double* a, double* pivots, int n) {
    for (int i = 0; i < n; ++i) {
        double* row = a + ISO_SIX_STRIDE * i;
        pivots[i] = 1.0 / sqrt(row[i]);
        iso_six scaled = iso_six_scale(iso_six_load(row), pivots[i]);
        iso_six_store(row, scaled);
        for (int k = i + 1; k < n; ++k) {
            double* other = a + ISO_SIX_STRIDE * k;
            iso_six_store(other, iso_six_add_scaled(iso_six_load(other), -row[k], scaled));
        }
    }
}
// A x = b
static inline void solve_small(const double* factor, const double* pivots, int n, double* x) {
    for (int i = 0; i < n; ++i) {
        x[i] *= pivots[i];
        for (int k = i + 1; k < n; ++k) {
            x[k] -= factor[ISO_SIX_STRIDE * i + k] * x[i];
        }
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int k = i + 1; k < n; ++k) {
            x[i] -= factor[ISO_SIX_STRIDE * i + k] * x[k];
        }
        x[i] *= pivots[i];
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

// K = R^T R by Cholesky's method with pivots, as far as K reaches. Destroys k. Returns the rank.
static int factor_stiffness(double k[36], double r[36]) {
    double largest = 0.0;
    int rank = 0;
    for (int i = 0; i < 6; ++i) {
        largest = fmax(largest, k[7 * i]);
    }
    while (rank < 6) {
        int pivot = 0;
        for (int i = 1; i < 6; ++i) {
            pivot = k[7 * i] > k[7 * pivot] ? i : pivot;
        }
        if (!(k[7 * pivot] > SMALLEST_STIFFNESS_RATIO * largest)) {
            break;
        }
        double* row = r + 6 * rank++;
        double inverse = 1.0 / sqrt(k[7 * pivot]);
        for (int j = 0; j < 6; ++j) {
            row[j] = k[6 * pivot + j] * inverse;
        }
        for (int i = 0; i < 6; ++i) {
            for (int j = 0; j < 6; ++j) {
                k[6 * i + j] -= row[i] * row[j];
            }
        }
        for (int i = 0; i < 6; ++i) {
            k[6 * i + pivot] = k[6 * pivot + i] = 0.0;
        }
    }
    return rank;
}

// R and B in the layouts that evaluations stream through.
static void keep_coordinates(const double r[36], const double b_t[36], iso_stick* stick) {
    double coupling = stick->gain * stick->dt * stick->dt;
    for (int i = 0; i < stick->rank; ++i) {
        iso_six_pad(r + 6 * i, stick->r + ISO_SIX_STRIDE * i);
        iso_six_pad(b_t + 6 * i, stick->b_t + ISO_SIX_STRIDE * i);
        for (int j = 0; j < 6; ++j) {
            stick->r_t[ISO_SIX_STRIDE * j + i] = r[6 * i + j];
            stick->b[ISO_SIX_STRIDE * j + i] = b_t[6 * i + j];
        }
    }
    for (int i = 0; i < 6; ++i) {
        iso_six row = iso_six_combine(stick->r, stick->r_t + ISO_SIX_STRIDE * i, stick->rank);
        iso_six_store(stick->coupled + ISO_SIX_STRIDE * i, iso_six_scale(row, coupling));
    }
}

// Coordinates in which K is the identity: R, and B, which has the least length of all with R B = 1.
static void find_coordinates(double k[36], iso_stick* stick) {
    double r[36] = {0.0}, gram[36], inverse[36];
    double* metric = stick->metric;
    find_metric(k, metric);
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) {
            k[6 * i + j] /= metric[i] * metric[j];
        }
    }
    int rank = factor_stiffness(k, r);
    for (int i = 0; i < rank; ++i) {
        for (int j = 0; j < rank; ++j) {
            gram[i * rank + j] = dot(r + 6 * i, r + 6 * j, 6);
        }
    }
    memcpy(inverse, r, sizeof inverse);
    stick->rank = rank > 0 && iso_cholesky_factor(gram, rank, rank) ? rank : 0;
    if (stick->rank > 0) {
        iso_cholesky_solve_block(gram, rank, rank, inverse, 6, 6);
    }
    for (int i = 0; i < stick->rank; ++i) {
        for (int j = 0; j < 6; ++j) {
            inverse[6 * i + j] /= metric[j];
            r[6 * i + j] *= metric[j];
        }
    }
    keep_coordinates(r, inverse, stick);
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
        inner->pivots[i] = 1.0 / sqrt(out_stick->gain * dt * dt);
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

// B^T H B + gain dt^2, factored into the inner unknowns. Positive definite: gain dt^2 alone is.
static inline void factor_inner(const iso_stick* stick, const double h[36], int rank) {
    iso_stick_inner* inner = stick->inner;
    double hb[6 * ISO_SIX_STRIDE];
    for (int i = 0; i < 6; ++i) {
        iso_six_store(hb + ISO_SIX_STRIDE * i, iso_six_combine(stick->b, h + 6 * i, 6));
    }
    for (int i = 0; i < rank; ++i) {
        double* row = inner->factor + ISO_SIX_STRIDE * i;
        iso_six_store(row, iso_six_combine(hb, stick->b_t + ISO_SIX_STRIDE * i, 6));
        row[i] += stick->gain * stick->dt * stick->dt;
    }
    factor_small(inner->factor, inner->pivots, rank);
}

// Hessian += coupling R^T R - coupling^2 Y^T Y with Y = L^-1 R.
static inline void add_reduced(const iso_stick* stick, int rank, double* out_hessian) {
    const iso_stick_inner* inner = stick->inner;
    double y[6 * ISO_SIX_STRIDE], row[ISO_SIX_STRIDE];
    double coupling = stick->gain * stick->dt * stick->dt;
    for (int i = 0; i < rank; ++i) {
        iso_six sum = iso_six_load(stick->r + ISO_SIX_STRIDE * i);
        for (int k = 0; k < i; ++k) {
            sum = iso_six_add_scaled(sum, -inner->factor[ISO_SIX_STRIDE * k + i],
                                     iso_six_load(y + ISO_SIX_STRIDE * k));
        }
        iso_six_store(y + ISO_SIX_STRIDE * i, iso_six_scale(sum, inner->pivots[i]));
    }
    for (int i = 0; i < 6; ++i) {
        iso_six sum = iso_six_load(stick->coupled + ISO_SIX_STRIDE * i);
        for (int m = 0; m < rank; ++m) {
            const double* y_m = y + ISO_SIX_STRIDE * m;
            sum = iso_six_add_scaled(sum, -coupling * coupling * y_m[i], iso_six_load(y_m));
        }
        iso_six_store(row, sum);
        for (int j = 0; j < 6; ++j) {
            out_hessian[6 * i + j] += row[j];
        }
    }
}

// Newton's change of the slip at fixed V, with the present factor: out = M^-1 gradient by sigma.
static void find_newton(const iso_stick_inner* inner, int rank, double* out) {
    memcpy(out, inner->gradient, sizeof inner->gradient);
    solve_small(inner->factor, inner->pivots, rank, out);
}

double iso_stick_eval(const iso_stick* stick, const double v[6], double* out_gradient) {
    iso_stick_inner* inner = stick->inner;
    double slip[ISO_SIX_STRIDE] = {0.0}, g[6], nu[ISO_SIX_STRIDE], pull[ISO_SIX_STRIDE];
    if (stick->rank > 0) {
        to_twist(stick, inner->sigma, slip);
    }
    double value =
        iso_compliant_points_eval_stick(stick->points, v, slip, &inner->dual, out_gradient, g);
    if (stick->rank == 0) {
        return value;
    }
    iso_six_store(nu, iso_six_combine(stick->r_t, v, 6));
    iso_six_store(inner->gradient, iso_six_combine(stick->b, g, 6));
    for (int i = 0; i < stick->rank; ++i) {
        double lag = nu[i] - inner->sigma[i];
        double elastic = stick->stretch[i] + stick->gain * stick->dt * lag;
        inner->lag[i] = lag;
        inner->gradient[i] -= stick->dt * elastic;
        value += stick->dt * lag * (stick->stretch[i] + 0.5 * stick->gain * stick->dt * lag);
        nu[i] = stick->dt * elastic;
    }
    find_newton(inner, stick->rank, inner->newton);
    for (int i = 0; i < stick->rank; ++i) {
        nu[i] += stick->gain * stick->dt * stick->dt * inner->newton[i];
    }
    iso_six_store(pull, iso_six_combine(stick->r, nu, stick->rank));
    for (int i = 0; i < 6; ++i) {
        out_gradient[i] += pull[i];
    }
    return value;
}

// The part of friction and stretch. h: Hessian of friction at the slip.
static inline void add_eliminated(const iso_stick* stick, const double h[36], int rank,
                                  double* out_correction, double* out_hessian) {
    iso_stick_inner* inner = stick->inner;
    double newton[ISO_SIX_STRIDE], correction[ISO_SIX_STRIDE];
    double coupling = stick->gain * stick->dt * stick->dt;
    factor_inner(stick, h, rank);
    find_newton(inner, rank, newton);
    for (int i = 0; i < rank; ++i) {
        double change = newton[i] - inner->newton[i];
        inner->newton[i] = newton[i];
        newton[i] = coupling * change;
    }
    iso_six_store(correction, iso_six_combine(stick->r, newton, rank));
    memcpy(out_correction, correction, 6 * sizeof *correction);
    add_reduced(stick, rank, out_hessian);
}

void iso_stick_eliminate(const iso_stick* stick, double* out_correction, double* out_hessian) {
    double h[36];
    iso_compliant_points_dual_hessian(stick->points, ISO_POINT_LAW_NORMAL, out_hessian);
    for (int i = 0; i < 6; ++i) {
        out_correction[i] = 0.0;
    }
    if (stick->rank == 0) {
        return;
    }
    iso_compliant_points_dual_hessian(stick->points, ISO_POINT_LAW_SLIP, h);
    // A flat patch has rank 3, a curved one 6; the compiler unrolls those.
    switch (stick->rank) {
    case 3:
        add_eliminated(stick, h, 3, out_correction, out_hessian);
        break;
    case 6:
        add_eliminated(stick, h, 6, out_correction, out_hessian);
        break;
    default:
        add_eliminated(stick, h, stick->rank, out_correction, out_hessian);
    }
}

double iso_stick_residual(const iso_stick* stick) {
    const double* g = stick->inner->gradient;
    return dot(g, g, stick->rank) / (stick->gain * stick->dt * stick->dt);
}

void iso_stick_direct(const iso_stick* stick, const double dv[6]) {
    iso_stick_inner* inner = stick->inner;
    int rank = stick->rank;
    double coupling = stick->gain * stick->dt * stick->dt;
    double slip_step[ISO_SIX_STRIDE];
    if (rank == 0) {
        return;
    }
    to_sigma(stick, dv, inner->nu_step);
    for (int i = 0; i < rank; ++i) {
        inner->step[i] = coupling * inner->nu_step[i] - inner->gradient[i];
        inner->sigma0[i] = inner->sigma[i];
        inner->lag0[i] = inner->lag[i];
    }
    solve_small(inner->factor, inner->pivots, rank, inner->step);
    to_twist(stick, inner->step, slip_step);
    iso_slip_dual_step(&inner->dual, slip_step);
}

double iso_stick_slope(const iso_stick* stick) {
    const iso_stick_inner* inner = stick->inner;
    double coupling = stick->gain * stick->dt * stick->dt;
    return dot(inner->gradient, inner->step, stick->rank) -
           coupling * dot(inner->newton, inner->nu_step, stick->rank);
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
