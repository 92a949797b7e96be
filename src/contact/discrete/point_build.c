// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "contact/discrete/point_law.h"

// Near-rigid floor: no motion of the bodies against the patch may have a period below beta dt
// ([Castro2022] section V-B). For SAP this is Drake's beta = 1 per face with a hundred faces; for
// the lagged law it only bounds the condition number, far from anything a simulation could show.
#define SAP_BETA 0.1
#define LAGGED_BETA 0.01

// Friction regularisation of a whole patch relative to its tangential mobility: Drake's 1e-3 per
// face with a hundred faces (lagged) and ten (SAP, whose Newton iterations grow as it shrinks).
#define LAGGED_SLIP_REGULARIZATION 1e-5
#define SAP_SLIP_REGULARIZATION 1e-4

// Stiffness times time step that forces are divided by, at least [N s/m]: padding has none.
#define SMALLEST_STEP_STIFFNESS 1e-300

// Drake's constants per face: near-rigid beta of SAP, and slip regularisation of all laws.
#define DRAKE_SAP_BETA 1.0
#define DRAKE_SLIP_REGULARIZATION 1e-3

// R_t over R_n at least, for bodies that cannot move tangentially.
#define SMALLEST_SLIP_RATIO 1e-9
// Share of the mobility in turning: less than that of free bodies, however large the patch.
#define SMALLEST_TURNING 1e-3

// fmax() is a call into the C library, which the loops over points cannot afford.
static inline double larger(double a, double b) {
    return a > b ? a : b;
}

// Points without normal, stiffness and friction: every term they add is zero, none divides by zero.
static void fill_padding(iso_compliant_points* points) {
    for (int i = points->count; i < points->padded_count; ++i) {
        points->rx[i] = points->ry[i] = points->rz[i] = 0.0;
        points->nx[i] = points->ny[i] = points->nz[i] = 0.0;
        points->area[i] = points->stiffness[i] = points->force[i] = points->limit[i] = 0.0;
        points->load[i] = points->dissipation[i] = 0.0;
        points->friction_force[i] = points->bias[i] = 0.0;
        points->slip_scale[i] = points->regularization[i] = 1.0;
        if (points->has_adhesion) {
            points->tension_slope[i] = points->tension_limit[i] = 0.0;
        }
    }
}

// x^T W y of two 3-vectors, block of W at (row, column).
static inline iso_double4 bilinear(const double w[36], int row, int column, iso_vec3x4 x,
                                   iso_vec3x4 y) {
    const double* m = w + 6 * row + column;
    iso_vec3x4 wy = {iso_vec3x4_dot(iso_vec3x4_set(m[0], m[1], m[2]), y),
                     iso_vec3x4_dot(iso_vec3x4_set(m[6], m[7], m[8]), y),
                     iso_vec3x4_dot(iso_vec3x4_set(m[12], m[13], m[14]), y)};
    return iso_vec3x4_dot(x, wy);
}

static iso_points_mobility find_mobility(const iso_compliant_points* points, const double w[36]) {
    iso_double4 trace_rr = iso_double4_set(w[0] + w[7] + w[14]);
    iso_double4 trace_tt = iso_double4_set(w[21] + w[28] + w[35]);
    iso_vec3x4 twist = iso_vec3x4_set(w[11] - w[16], w[15] - w[5], w[4] - w[9]);
    iso_double4 two = iso_double4_set(2.0), zero = iso_double4_set(0.0);
    iso_double4 stiffness = zero, normal = zero, total = zero;
    for (int i = 0; i < points->padded_count; i += ISO_DOUBLE4_LANES) {
        iso_vec3x4 r = iso_vec3x4_load(points->rx + i, points->ry + i, points->rz + i);
        iso_vec3x4 n = iso_vec3x4_load(points->nx + i, points->ny + i, points->nz + i);
        iso_double4 k = iso_double4_load(points->stiffness + i);
        iso_vec3x4 m = iso_vec3x4_cross(r, n);
        iso_double4 w_n = iso_double4_add(bilinear(w, 0, 0, m, m), bilinear(w, 3, 3, n, n));
        w_n = iso_double4_mul_add(two, bilinear(w, 0, 3, m, n), w_n);
        // trace(W_i), with trace([r]x W_rt) = r . twist
        iso_double4 trace = iso_double4_mul_add(iso_vec3x4_dot(r, r), trace_rr, trace_tt);
        trace = iso_double4_sub(trace, bilinear(w, 0, 0, r, r));
        trace = iso_double4_sub(trace, iso_double4_mul(two, iso_vec3x4_dot(r, twist)));
        stiffness = iso_double4_add(stiffness, k);
        normal = iso_double4_mul_add(k, w_n, normal);
        total = iso_double4_mul_add(k, trace, total);
    }
    iso_points_mobility mobility = {.stiffness = iso_double4_sum(stiffness),
                                    .normal = larger(iso_double4_sum(normal), 0.0)};
    double slip = 0.5 * (iso_double4_sum(total) - mobility.normal);
    mobility.slip = mobility.stiffness > 0.0 ? larger(slip, 0.0) / mobility.stiffness : 0.0;
    return mobility;
}

// Entry (a, b) of W_i = G W G^T with G = [-[r]x, 1]; m holds the rows of -[r]x.
static inline iso_double4 point_delassus(const double w[36], const iso_vec3x4 m[3], int a, int b) {
    const double *rr = w + 3 + b, *tr = w + 6 * (3 + a);
    iso_double4 coupling = iso_vec3x4_dot(m[a], iso_vec3x4_set(rr[0], rr[6], rr[12]));
    coupling = iso_double4_add(coupling, iso_vec3x4_dot(m[b], iso_vec3x4_set(tr[0], tr[1], tr[2])));
    iso_double4 sum = iso_double4_add(bilinear(w, 0, 0, m[a], m[b]), coupling);
    return iso_double4_add(sum, iso_double4_set(w[6 * (3 + a) + 3 + b]));
}

// Mobility of every point as Drake estimates it [1/kg]: along the normal n^T W_i n, into
// points->regularization; tangentially half the Frobenius norm of the 2x2 block of W_i in the
// tangent plane, into points->slip_scale.
static void find_face_mobility(const double w[36], iso_compliant_points* points) {
    iso_double4 zero = iso_double4_set(0.0), two = iso_double4_set(2.0);
    for (int i = 0; i < points->padded_count; i += ISO_DOUBLE4_LANES) {
        iso_vec3x4 r = iso_vec3x4_load(points->rx + i, points->ry + i, points->rz + i);
        iso_vec3x4 n = iso_vec3x4_load(points->nx + i, points->ny + i, points->nz + i);
        iso_vec3x4 m[3] = {{zero, r.z, iso_double4_neg(r.y)},
                           {iso_double4_neg(r.z), zero, r.x},
                           {r.y, iso_double4_neg(r.x), zero}};
        iso_vec3x4 rows[3];
        iso_double4 xy = point_delassus(w, m, 0, 1), xz = point_delassus(w, m, 0, 2);
        iso_double4 yz = point_delassus(w, m, 1, 2);
        rows[0] = (iso_vec3x4){point_delassus(w, m, 0, 0), xy, xz};
        rows[1] = (iso_vec3x4){xy, point_delassus(w, m, 1, 1), yz};
        rows[2] = (iso_vec3x4){xz, yz, point_delassus(w, m, 2, 2)};
        iso_double4 norm =
            iso_double4_add(iso_vec3x4_dot(rows[0], rows[0]), iso_vec3x4_dot(rows[1], rows[1]));
        norm = iso_double4_add(norm, iso_vec3x4_dot(rows[2], rows[2]));
        iso_vec3x4 wn = {iso_vec3x4_dot(rows[0], n), iso_vec3x4_dot(rows[1], n),
                         iso_vec3x4_dot(rows[2], n)};
        iso_double4 normal = iso_vec3x4_dot(n, wn);
        // |P W P|_F^2 = |W|_F^2 - 2 |W n|^2 + (n^T W n)^2 with P = 1 - n n^T
        iso_double4 tangential =
            iso_double4_sub(norm, iso_double4_mul(two, iso_vec3x4_dot(wn, wn)));
        tangential = iso_double4_mul_add(normal, normal, tangential);
        tangential = iso_double4_sqrt(iso_double4_max(tangential, zero));
        iso_double4_store(points->slip_scale + i,
                          iso_double4_mul(iso_double4_set(0.5), tangential));
        iso_double4_store(points->regularization + i, iso_double4_max(normal, zero));
    }
    fill_padding(points);
}

// In translation. Bodies may turn about the middle of the patch alone, as two links of one hinge:
// then there is only rounding in it, and what a turn moves at the radius of the patch counts.
static double mean_mobility(const double delassus[36], double area) {
    double turning = (delassus[0] + delassus[7] + delassus[14]) / 3.0 * area / ISO_PI;
    double translation = (delassus[21] + delassus[28] + delassus[35]) / 3.0;
    return fmax(translation, SMALLEST_TURNING * turning);
}

// Soften the whole patch so that (2 pi / (beta dt))^2 bounds its squared frequencies. Stiffness and
// force alike: a softer material, whose force still follows the motion.
static void soften(iso_compliant_points* points, const iso_points_mobility* mobility, double beta) {
    double shortest = beta * points->dt / (2.0 * ISO_PI);
    double ratio = shortest * shortest * mobility->normal;
    points->softening = ratio > 1.0 ? 1.0 / ratio : 1.0;
    for (int i = 0; i < points->count; ++i) {
        points->area[i] *= points->softening;
        points->stiffness[i] *= points->softening;
        points->force[i] *= points->softening;
    }
}

// Both laws take the mobility of the patch, or NULL for Drake's per face, which
// find_face_mobility() has left in slip_scale and regularization.
static void finish_lagged(const iso_contact_options* options, const iso_contact_pair* pair,
                          iso_spatial v_c0, const double delassus[36],
                          const iso_points_mobility* mobility, iso_compliant_points* points) {
    iso_double4 dt = iso_double4_set(points->dt), mu = iso_double4_set(pair->friction_dynamic);
    iso_double4 zero = iso_double4_set(0.0), one = iso_double4_set(1.0), impulse_sum = zero;
    iso_double4 smallest = iso_double4_set(SMALLEST_STEP_STIFFNESS);
    iso_vec3 w = v_c0.rotational, v = v_c0.translational;
    iso_vec3x4 rotational = iso_vec3x4_set(w.x, w.y, w.z);
    iso_vec3x4 translational = iso_vec3x4_set(v.x, v.y, v.z);
    for (int i = 0; i < points->padded_count; i += ISO_DOUBLE4_LANES) {
        iso_vec3x4 r = iso_vec3x4_load(points->rx + i, points->ry + i, points->rz + i);
        iso_vec3x4 n = iso_vec3x4_load(points->nx + i, points->ny + i, points->nz + i);
        iso_double4 d = iso_double4_load(points->dissipation + i);
        iso_double4 force = iso_double4_load(points->force + i);
        iso_double4 start = iso_double4_mul_add(dt, iso_double4_load(points->bias + i), force);
        iso_double4_store(points->load + i, force);
        iso_double4_store(points->force + i, start);
        iso_double4 dt_k = iso_double4_mul(dt, iso_double4_load(points->stiffness + i));
        iso_double4 release = iso_double4_div(start, iso_double4_max(dt_k, smallest));
        iso_double4_mask is_damped_out = iso_double4_greater(iso_double4_mul(d, release), one);
        iso_double4_store(points->limit + i,
                          iso_double4_select(is_damped_out, iso_double4_div(one, d), release));
        iso_double4 v_n = iso_vec3x4_dot(iso_vec3x4_velocity(rotational, translational, r), n);
        iso_double4 damping = iso_double4_max(iso_double4_mul_subtract(d, v_n, one), zero);
        iso_double4 impulse =
            iso_double4_mul(iso_double4_mul(dt, iso_double4_max(force, zero)), damping);
        impulse_sum = iso_double4_add(impulse_sum, impulse);
        iso_double4_store(points->friction_force + i, iso_double4_mul(mu, impulse));
    }
    double impulse = pair->friction_dynamic * iso_double4_sum(impulse_sum);
    double patch_slip = mobility ? LAGGED_SLIP_REGULARIZATION * mobility->slip * impulse : 0.0;
    for (int i = 0; i < points->padded_count; i += ISO_DOUBLE4_LANES) {
        iso_double4 slip = iso_double4_set(patch_slip);
        if (!mobility) {
            iso_double4 bound = iso_double4_load(points->friction_force + i);
            slip =
                iso_double4_mul(iso_double4_mul(iso_double4_set(DRAKE_SLIP_REGULARIZATION), bound),
                                iso_double4_load(points->slip_scale + i));
        }
        iso_double4_store(points->slip_scale + i,
                          iso_double4_max(iso_double4_set(options->stiction_velocity), slip));
        iso_double4_store(points->regularization + i, one);
        iso_double4_store(points->bias + i, zero);
    }
    points->mobility = mean_mobility(delassus, pair->patch.area);
    // All friction impulses together.
    points->turning_speed = impulse * points->mobility;
}

static iso_vec3 normal_of(const iso_compliant_points* points, int i) {
    return iso_vec3_make(points->nx[i], points->ny[i], points->nz[i]);
}

// Velocity of a point by a twist about the common point.
static iso_vec3 velocity_of(const iso_compliant_points* points, int i, iso_spatial v) {
    iso_vec3 r = iso_vec3_make(points->rx[i], points->ry[i], points->rz[i]);
    return iso_vec3_add(v.translational, iso_vec3_cross(v.rotational, r));
}

// Slip of a point at the start of the step.
static double start_slip(const iso_compliant_points* points, int i, iso_spatial v_c0) {
    iso_vec3 n = normal_of(points, i), u = velocity_of(points, i, v_c0);
    return iso_vec3_norm(iso_vec3_add_scaled(u, n, -iso_vec3_dot(u, n)));
}

// Laws whose friction follows the normal force of the step itself, after finish_lagged(). TAMSI is
// not smoothed beyond the stiction velocity: its Newton steps are limited instead.
static void finish_coupled(const iso_contact_options* options, const iso_contact_pair* pair,
                           iso_spatial v_c0, bool is_followed, iso_compliant_points* points) {
    for (int i = 0; i < points->count; ++i) {
        points->friction_force[i] = pair->friction_dynamic;
        if (points->law == ISO_POINT_LAW_SIMILAR && is_followed) {
            double slip = start_slip(points, i, v_c0), eps = points->slip_scale[i];
            points->bias[i] = pair->friction_dynamic * (sqrt(slip * slip + eps * eps) - eps);
        }
        if (points->law == ISO_POINT_LAW_TAMSI) {
            points->slip_scale[i] = options->stiction_velocity;
        }
    }
}

static void finish_sap(const iso_contact_pair* pair, const iso_points_mobility* mobility,
                       iso_compliant_points* points) {
    double dt = points->dt;
    double horizon = dt + pair->relaxation_time;
    double floor = DRAKE_SAP_BETA / (2.0 * ISO_PI), loads = 0.0, borne = 0.0;
    double patch_slip = mobility ? SAP_SLIP_REGULARIZATION * mobility->slip * mobility->stiffness *
                                       points->softening
                                 : 0.0;
    for (int i = 0; i < points->count; ++i) {
        double k = points->stiffness[i];
        double near_rigid = mobility ? 0.0 : floor * floor * points->regularization[i];
        double slip = mobility ? patch_slip / k : DRAKE_SLIP_REGULARIZATION * points->slip_scale[i];
        points->regularization[i] = larger(near_rigid, 1.0 / (dt * k * horizon));
        loads += larger(points->force[i], 0.0);
        borne += larger(points->force[i], 0.0) / (dt * k * horizon * points->regularization[i]);
        points->slip_scale[i] = larger(slip, SMALLEST_SLIP_RATIO * points->regularization[i]);
        double start = points->force[i] + horizon * points->bias[i];
        points->load[i] = points->force[i];
        points->force[i] += dt * points->bias[i];
        points->bias[i] = start / (k * horizon);
        points->friction_force[i] = pair->friction_dynamic;
        points->limit[i] = 0.0;
    }
    points->softening = mobility || !(loads > 0.0) ? points->softening : borne / loads;
}

// The damped pressure p0 (1 - d v) turns to tension at v = 1/d. The product of the implicit law
// rises again beyond, which no convex potential may do; the tension takes the pressure that is left
// there instead, f0 - dt k / d. None is left where the contact opens first.
static void find_tension(const iso_contact_pair* pair, iso_compliant_points* points) {
    for (int i = 0; i < points->count; ++i) {
        double d = points->dissipation[i];
        double left = d > 0.0 ? points->force[i] - points->dt * points->stiffness[i] / d : 0.0;
        points->tension_slope[i] = d * larger(left, 0.0);
        points->tension_limit[i] *= pair->adhesion * points->softening;
    }
}

// How fast a point would lose force by the steady part of the motion, which changes no pressure; a
// point takes all speed along its normal for approach or parting. Into points->bias [N/s].
static void find_steady_rates(iso_spatial steady, iso_compliant_points* points) {
    for (int i = 0; i < points->count; ++i) {
        iso_vec3 n = normal_of(points, i), u = velocity_of(points, i, steady);
        points->bias[i] = points->stiffness[i] * iso_vec3_dot(u, n);
    }
}

const iso_points_mobility* iso_compliant_points_prepare(const iso_contact_options* options,
                                                        const double delassus[36],
                                                        iso_points_mobility* mobility,
                                                        iso_compliant_points* points) {
    points->padded_count =
        (points->count + ISO_DOUBLE4_LANES - 1) / ISO_DOUBLE4_LANES * ISO_DOUBLE4_LANES;
    fill_padding(points);
    points->whole = 0.0;
    for (int i = 0; i < points->count; ++i) {
        points->whole += points->stiffness[i];
    }
    if (options->regularization == ISO_REGULARIZATION_DRAKE) {
        find_face_mobility(delassus, points);
        return NULL;
    }
    *mobility = find_mobility(points, delassus);
    soften(points, mobility, points->law == ISO_POINT_LAW_SAP ? SAP_BETA : LAGGED_BETA);
    points->stiffness_ratio = points->softening * points->dt * points->dt * mobility->normal;
    return mobility;
}

void iso_compliant_points_finish(const iso_contact_options* options, const iso_contact_pair* pair,
                                 iso_spatial v_c0, const iso_spatial* steady,
                                 const double delassus[36], const iso_points_mobility* mobility,
                                 iso_compliant_points* points) {
    if (steady) {
        find_steady_rates(*steady, points);
    }
    for (int i = steady ? points->count : 0; i < points->padded_count; ++i) {
        points->bias[i] = 0.0;
    }
    if (points->law == ISO_POINT_LAW_SAP) {
        finish_sap(pair, mobility, points);
    } else {
        finish_lagged(options, pair, v_c0, delassus, mobility, points);
    }
    if (points->law == ISO_POINT_LAW_SIMILAR || points->law == ISO_POINT_LAW_TAMSI) {
        finish_coupled(options, pair, v_c0, steady != NULL, points);
    }
    if (points->has_adhesion) {
        find_tension(pair, points);
    }
}

void iso_compliant_points_rewind(iso_compliant_points* points, iso_spatial v_c0, double ahead,
                                 double span) {
    double dt = points->dt, way = 2.0 * dt / span - 1.0, before = 0.0, after = 0.0;
    for (int i = 0; i < points->count; ++i) {
        double k = points->stiffness[i], d = points->dissipation[i];
        double steady = (points->force[i] - points->load[i]) / dt;
        double rate = k * iso_vec3_dot(velocity_of(points, i, v_c0), normal_of(points, i)) - steady;
        double now = larger(points->load[i], 0.0);
        double then = larger(points->load[i] + way * ahead * rate, 0.0);
        before += points->friction_force[i];
        points->friction_force[i] *= now > 0.0 ? then / now : 0.0;
        after += points->friction_force[i];
        points->load[i] += ahead * rate;
        points->force[i] += ahead * rate;
        double release = points->force[i] / larger(dt * k, SMALLEST_STEP_STIFFNESS);
        points->limit[i] = d * release > 1.0 ? 1.0 / d : release;
        if (points->has_adhesion) {
            double left = d > 0.0 ? points->force[i] - dt * k / d : 0.0;
            points->tension_slope[i] = d * larger(left, 0.0);
        }
    }
    points->turning_speed *= before > 0.0 ? after / before : 1.0;
}

void iso_compliant_points_stretch(iso_compliant_points* points, double span) {
    if (span == points->dt) {
        return;
    }
    double factor = span / points->dt;
    for (int i = 0; i < points->count; ++i) {
        points->force[i] = points->load[i] + factor * (points->force[i] - points->load[i]);
    }
    points->dt = span;
}
