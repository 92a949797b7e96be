// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "contact/point_law.h"

// With J = [-[r]x, I] (velocity of the point from the twist), a point adds to the gradient J^T g =
// (r x g; g) and to the Hessian J^T G J = ([r]x G [r]x^T, [r]x G; G [r]x^T, G): 21 different
// numbers.

// Sums over points, one partial sum per lane.
typedef struct point_sums {
    iso_wide value;
    iso_wide3 moment, force;
    iso_wide rr[6]; ///< xx, xy, xz, yy, yz, zz of the rotational block
    iso_wide rt[9]; ///< row major
    iso_wide tt[6]; ///< as rr
} point_sums;

static inline void clear_sums(point_sums* sums) {
    iso_wide zero = iso_wide_set(0.0);
    *sums = (point_sums){.value = zero, .moment = {zero, zero, zero}, .force = {zero, zero, zero}};
    for (int i = 0; i < 6; ++i) {
        sums->rr[i] = sums->tt[i] = zero;
    }
    for (int i = 0; i < 9; ++i) {
        sums->rt[i] = zero;
    }
}

static inline void add_to(iso_wide* sum, iso_wide term) {
    *sum = iso_wide_add(*sum, term);
}

static inline void add_to3(iso_wide3* sum, iso_wide3 term) {
    add_to(&sum->x, term.x);
    add_to(&sum->y, term.y);
    add_to(&sum->z, term.z);
}

// p q + r s
static inline iso_wide sum_of_products(iso_wide p, iso_wide q, iso_wide r, iso_wide s) {
    return iso_wide_add(iso_wide_mul(p, q), iso_wide_mul(r, s));
}

// Add J^T G J for a symmetric G.
static inline void add_symmetric(point_sums* sums, iso_wide3 r, iso_wide xx, iso_wide xy,
                                 iso_wide xz, iso_wide yy, iso_wide yz, iso_wide zz) {
    add_to(&sums->tt[0], xx);
    add_to(&sums->tt[1], xy);
    add_to(&sums->tt[2], xz);
    add_to(&sums->tt[3], yy);
    add_to(&sums->tt[4], yz);
    add_to(&sums->tt[5], zz);
    // Columns of [r]x G are r x (columns of G).
    iso_wide3 c0 = iso_wide3_cross(r, (iso_wide3){xx, xy, xz});
    iso_wide3 c1 = iso_wide3_cross(r, (iso_wide3){xy, yy, yz});
    iso_wide3 c2 = iso_wide3_cross(r, (iso_wide3){xz, yz, zz});
    add_to(&sums->rt[0], c0.x);
    add_to(&sums->rt[1], c1.x);
    add_to(&sums->rt[2], c2.x);
    add_to(&sums->rt[3], c0.y);
    add_to(&sums->rt[4], c1.y);
    add_to(&sums->rt[5], c2.y);
    add_to(&sums->rt[6], c0.z);
    add_to(&sums->rt[7], c1.z);
    add_to(&sums->rt[8], c2.z);
    // Rows of [r]x G [r]x^T are r x (rows of [r]x G).
    add_to(&sums->rr[0], iso_wide_cross_component(r.y, c2.x, r.z, c1.x));
    add_to(&sums->rr[1], iso_wide_cross_component(r.z, c0.x, r.x, c2.x));
    add_to(&sums->rr[2], iso_wide_cross_component(r.x, c1.x, r.y, c0.x));
    add_to(&sums->rr[3], iso_wide_cross_component(r.z, c0.y, r.x, c2.y));
    add_to(&sums->rr[4], iso_wide_cross_component(r.x, c1.y, r.y, c0.y));
    add_to(&sums->rr[5], iso_wide_cross_component(r.x, c1.z, r.y, c0.z));
}

// Add J^T G J, where G = a I + m n^T + q t^T is symmetric.
static inline void add_hessian(point_sums* sums, iso_wide3 r, iso_wide3 n,
                               const iso_point_response* p) {
    iso_wide3 m = iso_wide3_mul_add(n, iso_wide_sub(p->b, p->a), iso_wide3_scale(p->t, p->e));
    iso_wide3 q = iso_wide3_mul_add(p->t, p->c, iso_wide3_scale(n, p->e));
    iso_wide xx = iso_wide_add(p->a, sum_of_products(m.x, n.x, q.x, p->t.x));
    iso_wide yy = iso_wide_add(p->a, sum_of_products(m.y, n.y, q.y, p->t.y));
    iso_wide zz = iso_wide_add(p->a, sum_of_products(m.z, n.z, q.z, p->t.z));
    iso_wide xy = sum_of_products(m.x, n.y, q.x, p->t.y);
    iso_wide xz = sum_of_products(m.x, n.z, q.x, p->t.z);
    iso_wide yz = sum_of_products(m.y, n.z, q.y, p->t.z);
    add_symmetric(sums, r, xx, xy, xz, yy, yz, zz);
}

// The same for a normal part alone, G = b n n^T: b J^T n (J^T n)^T with J^T n = (r x n; n).
static inline void add_normal_hessian(point_sums* sums, iso_wide3 r, iso_wide3 n, iso_wide b) {
    iso_wide3 m = iso_wide3_cross(r, n);
    iso_wide3 bm = iso_wide3_scale(m, b), bn = iso_wide3_scale(n, b);
    add_to(&sums->rr[0], iso_wide_mul(bm.x, m.x));
    add_to(&sums->rr[1], iso_wide_mul(bm.x, m.y));
    add_to(&sums->rr[2], iso_wide_mul(bm.x, m.z));
    add_to(&sums->rr[3], iso_wide_mul(bm.y, m.y));
    add_to(&sums->rr[4], iso_wide_mul(bm.y, m.z));
    add_to(&sums->rr[5], iso_wide_mul(bm.z, m.z));
    add_to(&sums->rt[0], iso_wide_mul(m.x, bn.x));
    add_to(&sums->rt[1], iso_wide_mul(m.x, bn.y));
    add_to(&sums->rt[2], iso_wide_mul(m.x, bn.z));
    add_to(&sums->rt[3], iso_wide_mul(m.y, bn.x));
    add_to(&sums->rt[4], iso_wide_mul(m.y, bn.y));
    add_to(&sums->rt[5], iso_wide_mul(m.y, bn.z));
    add_to(&sums->rt[6], iso_wide_mul(m.z, bn.x));
    add_to(&sums->rt[7], iso_wide_mul(m.z, bn.y));
    add_to(&sums->rt[8], iso_wide_mul(m.z, bn.z));
    add_to(&sums->tt[0], iso_wide_mul(bn.x, n.x));
    add_to(&sums->tt[1], iso_wide_mul(bn.x, n.y));
    add_to(&sums->tt[2], iso_wide_mul(bn.x, n.z));
    add_to(&sums->tt[3], iso_wide_mul(bn.y, n.y));
    add_to(&sums->tt[4], iso_wide_mul(bn.y, n.z));
    add_to(&sums->tt[5], iso_wide_mul(bn.z, n.z));
}

static inline point_sums sum_points(const iso_compliant_points* points, iso_point_law law,
                                    const double v[6], bool has_hessian) {
    iso_wide3 rotational = iso_wide3_set(v[0], v[1], v[2]);
    iso_wide3 translational = iso_wide3_set(v[3], v[4], v[5]);
    point_sums sums;
    clear_sums(&sums);
    for (int i = 0; i < points->padded_count; i += ISO_WIDE_LANES) {
        iso_wide3 r = iso_wide3_load(points->rx + i, points->ry + i, points->rz + i);
        iso_wide3 n = iso_wide3_load(points->nx + i, points->ny + i, points->nz + i);
        iso_wide3 u = iso_wide3_velocity(rotational, translational, r);
        iso_point_response p = iso_point_evaluate(points, law, i, n, u);
        add_to(&sums.value, p.value);
        add_to3(&sums.moment, iso_wide3_cross(r, p.gradient));
        add_to3(&sums.force, p.gradient);
        if (has_hessian && law == ISO_POINT_LAW_NORMAL) {
            add_normal_hessian(&sums, r, n, p.b);
        } else if (has_hessian) {
            add_hessian(&sums, r, n, &p);
        }
    }
    return sums;
}

// All laws, with and without Hessian, each compiled without a branch on them.
typedef point_sums (*sum_fn)(const iso_compliant_points* points, const double v[6]);
#define SUM_POINTS(name, law)                                                                 \
    static point_sums sum_##name(const iso_compliant_points* points, const double v[6]) {     \
        return sum_points(points, law, v, false);                                             \
    }                                                                                         \
    static point_sums hessian_##name(const iso_compliant_points* points, const double v[6]) { \
        return sum_points(points, law, v, true);                                              \
    }
SUM_POINTS(lagged, ISO_POINT_LAW_LAGGED)
SUM_POINTS(sap, ISO_POINT_LAW_SAP)
SUM_POINTS(normal, ISO_POINT_LAW_NORMAL)
SUM_POINTS(slip, ISO_POINT_LAW_SLIP)
SUM_POINTS(similar, ISO_POINT_LAW_SIMILAR)

static const sum_fn k_sums[][2] = {[ISO_POINT_LAW_LAGGED] = {sum_lagged, hessian_lagged},
                                   [ISO_POINT_LAW_SAP] = {sum_sap, hessian_sap},
                                   [ISO_POINT_LAW_NORMAL] = {sum_normal, hessian_normal},
                                   [ISO_POINT_LAW_SLIP] = {sum_slip, hessian_slip},
                                   [ISO_POINT_LAW_SIMILAR] = {sum_similar, hessian_similar}};

static void write_gradient(const point_sums* sums, double* out_gradient) {
    out_gradient[0] = iso_wide_sum(sums->moment.x);
    out_gradient[1] = iso_wide_sum(sums->moment.y);
    out_gradient[2] = iso_wide_sum(sums->moment.z);
    out_gradient[3] = iso_wide_sum(sums->force.x);
    out_gradient[4] = iso_wide_sum(sums->force.y);
    out_gradient[5] = iso_wide_sum(sums->force.z);
}

static void write_hessian(const point_sums* sums, double* out_hessian) {
    static const int k_symmetric[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double coupling = iso_wide_sum(sums->rt[3 * i + j]);
            out_hessian[6 * i + j] = iso_wide_sum(sums->rr[k_symmetric[i][j]]);
            out_hessian[6 * i + 3 + j] = coupling;
            out_hessian[6 * (3 + j) + i] = coupling;
            out_hessian[6 * (3 + i) + 3 + j] = iso_wide_sum(sums->tt[k_symmetric[i][j]]);
        }
    }
}

double iso_compliant_points_eval_part(const iso_compliant_points* points, iso_point_law part,
                                      const double v[6], double* out_gradient,
                                      double* out_hessian) {
    point_sums sums = k_sums[part][out_hessian != NULL](points, v);
    if (out_hessian) {
        write_hessian(&sums, out_hessian);
    }
    if (out_gradient) {
        write_gradient(&sums, out_gradient);
    }
    return iso_wide_sum(sums.value);
}

double iso_compliant_points_eval(const iso_compliant_points* points, const double v[6],
                                 double* out_gradient, double* out_hessian) {
    return iso_compliant_points_eval_part(points, points->law, v, out_gradient, out_hessian);
}

// w after Newton's step du from the last evaluation: of  w |v| = v  in v and w,
// t + (dv - w (t . dv)) / |v|.
static inline iso_wide3 step_direction(const iso_compliant_points* points, int i, iso_wide3 n,
                                       iso_wide3 w, iso_wide3 du) {
    iso_wide one = iso_wide_set(1.0);
    iso_wide3 t = iso_wide3_load(points->tx + i, points->ty + i, points->tz + i);
    iso_wide inverse = iso_wide_load(points->inverse_speed + i);
    iso_wide along = iso_wide3_dot(t, du); // t is tangential
    iso_wide3 turn = iso_wide3_mul_add(n, iso_wide_neg(iso_wide3_dot(du, n)), du);
    turn = iso_wide3_mul_add(w, iso_wide_neg(along), turn);
    iso_wide3 next = iso_wide3_mul_add(turn, inverse, t);
    iso_wide length = iso_wide_sqrt(iso_wide3_dot(next, next));
    return iso_wide3_scale(next, iso_wide_div(one, iso_wide_max(length, one)));
}

static inline void store3(iso_wide3 a, double* x, double* y, double* z) {
    iso_wide_store(x, a.x);
    iso_wide_store(y, a.y);
    iso_wide_store(z, a.z);
}

// Add J^T G J, G = a (I - n n^T) + b n n^T - a / 2 (w t^T + t w^T).
static inline void add_dual_hessian(point_sums* sums, iso_wide3 r, iso_wide3 n, iso_wide3 w,
                                    const iso_point_response* p) {
    iso_wide3 m = iso_wide3_scale(n, iso_wide_sub(p->b, p->a));
    iso_wide c = iso_wide_mul(iso_wide_set(-0.5), p->a);
    iso_wide3 q = iso_wide3_scale(w, c), s = iso_wide3_scale(p->t, c);
    iso_wide xx = iso_wide_mul_add(m.x, n.x, sum_of_products(q.x, p->t.x, s.x, w.x));
    iso_wide yy = iso_wide_mul_add(m.y, n.y, sum_of_products(q.y, p->t.y, s.y, w.y));
    iso_wide zz = iso_wide_mul_add(m.z, n.z, sum_of_products(q.z, p->t.z, s.z, w.z));
    iso_wide xy = iso_wide_mul_add(m.x, n.y, sum_of_products(q.x, p->t.y, s.x, w.y));
    iso_wide xz = iso_wide_mul_add(m.x, n.z, sum_of_products(q.x, p->t.z, s.x, w.z));
    iso_wide yz = iso_wide_mul_add(m.y, n.z, sum_of_products(q.y, p->t.z, s.y, w.z));
    add_symmetric(sums, r, iso_wide_add(p->a, xx), xy, xz, iso_wide_add(p->a, yy), yz,
                  iso_wide_add(p->a, zz));
}

static inline point_sums sum_dual(const iso_compliant_points* points, iso_point_law law,
                                  const double v[6], const iso_slip_dual* dual) {
    iso_wide3 rotational = iso_wide3_set(v[0], v[1], v[2]);
    iso_wide3 translational = iso_wide3_set(v[3], v[4], v[5]);
    iso_wide3 d_rotational = iso_wide3_set(dual->dv[0], dual->dv[1], dual->dv[2]);
    iso_wide3 d_translational = iso_wide3_set(dual->dv[3], dual->dv[4], dual->dv[5]);
    point_sums sums;
    clear_sums(&sums);
    for (int i = 0; i < points->padded_count; i += ISO_WIDE_LANES) {
        iso_wide3 r = iso_wide3_load(points->rx + i, points->ry + i, points->rz + i);
        iso_wide3 n = iso_wide3_load(points->nx + i, points->ny + i, points->nz + i);
        iso_wide3 u = iso_wide3_velocity(rotational, translational, r);
        iso_point_response p = iso_point_evaluate(points, law, i, n, u);
        iso_wide3 w = p.t;
        if (dual->is_started) {
            w = iso_wide3_load(points->wx + i, points->wy + i, points->wz + i);
        }
        if (dual->is_stepping) {
            w = step_direction(points, i, n, w,
                               iso_wide3_velocity(d_rotational, d_translational, r));
        }
        store3(w, points->wx + i, points->wy + i, points->wz + i);
        store3(p.t, points->tx + i, points->ty + i, points->tz + i);
        iso_wide_store(points->inverse_speed + i, p.inverse);
        add_to(&sums.value, p.value);
        add_to3(&sums.moment, iso_wide3_cross(r, p.gradient));
        add_to3(&sums.force, p.gradient);
        add_dual_hessian(&sums, r, n, w, &p);
    }
    return sums;
}

void iso_slip_dual_step(iso_slip_dual* dual, const double dv[6]) {
    for (int i = 0; i < 6; ++i) {
        dual->dv[i] = dv[i];
    }
    dual->is_stepping = true;
}

double iso_compliant_points_eval_dual(const iso_compliant_points* points, iso_point_law part,
                                      const double v[6], iso_slip_dual* dual, double* out_gradient,
                                      double* out_hessian) {
    point_sums sums = part == ISO_POINT_LAW_SLIP ? sum_dual(points, ISO_POINT_LAW_SLIP, v, dual)
                                                 : sum_dual(points, ISO_POINT_LAW_LAGGED, v, dual);
    write_hessian(&sums, out_hessian);
    write_gradient(&sums, out_gradient);
    dual->is_started = true;
    dual->is_stepping = false;
    return iso_wide_sum(sums.value);
}

// Value, slope, curvature along a line.
typedef struct line_sums {
    iso_wide value, slope, curvature;
} line_sums;

static inline line_sums sum_line(const iso_compliant_points* points, iso_point_law law,
                                 const double v[6], const double dv[6]) {
    iso_wide3 rotational = iso_wide3_set(v[0], v[1], v[2]);
    iso_wide3 translational = iso_wide3_set(v[3], v[4], v[5]);
    iso_wide3 d_rotational = iso_wide3_set(dv[0], dv[1], dv[2]);
    iso_wide3 d_translational = iso_wide3_set(dv[3], dv[4], dv[5]);
    iso_wide zero = iso_wide_set(0.0), two = iso_wide_set(2.0);
    line_sums sums = {zero, zero, zero};
    for (int i = 0; i < points->padded_count; i += ISO_WIDE_LANES) {
        iso_wide3 r = iso_wide3_load(points->rx + i, points->ry + i, points->rz + i);
        iso_wide3 n = iso_wide3_load(points->nx + i, points->ny + i, points->nz + i);
        iso_wide3 u = iso_wide3_velocity(rotational, translational, r);
        iso_wide3 du = iso_wide3_velocity(d_rotational, d_translational, r);
        iso_point_response p = iso_point_evaluate(points, law, i, n, u);
        iso_wide du_n = iso_wide3_dot(du, n);
        if (law == ISO_POINT_LAW_NORMAL) {
            add_to(&sums.value, p.value);
            add_to(&sums.slope, iso_wide3_dot(p.gradient, du));
            add_to(&sums.curvature, iso_wide_mul(p.b, iso_wide_mul(du_n, du_n)));
            continue;
        }
        iso_wide du_s = iso_wide3_dot(du, p.t);
        iso_wide normal = iso_wide_mul(iso_wide_sub(p.b, p.a), du_n);
        normal = iso_wide_mul_add(iso_wide_mul(two, p.e), du_s, normal);
        iso_wide curvature =
            iso_wide_mul_add(p.a, iso_wide3_dot(du, du), iso_wide_mul(normal, du_n));
        curvature = iso_wide_mul_add(iso_wide_mul(p.c, du_s), du_s, curvature);
        add_to(&sums.value, p.value);
        add_to(&sums.slope, iso_wide3_dot(p.gradient, du));
        add_to(&sums.curvature, curvature);
    }
    return sums;
}

typedef line_sums (*line_fn)(const iso_compliant_points* points, const double v[6],
                             const double dv[6]);
#define SUM_LINE(name, law)                                                             \
    static line_sums line_##name(const iso_compliant_points* points, const double v[6], \
                                 const double dv[6]) {                                  \
        return sum_line(points, law, v, dv);                                            \
    }
SUM_LINE(lagged, ISO_POINT_LAW_LAGGED)
SUM_LINE(sap, ISO_POINT_LAW_SAP)
SUM_LINE(normal, ISO_POINT_LAW_NORMAL)
SUM_LINE(slip, ISO_POINT_LAW_SLIP)
SUM_LINE(similar, ISO_POINT_LAW_SIMILAR)

static const line_fn k_lines[] = {[ISO_POINT_LAW_LAGGED] = line_lagged,
                                  [ISO_POINT_LAW_SAP] = line_sap,
                                  [ISO_POINT_LAW_NORMAL] = line_normal,
                                  [ISO_POINT_LAW_SLIP] = line_slip,
                                  [ISO_POINT_LAW_SIMILAR] = line_similar};

void iso_compliant_points_line_part(const iso_compliant_points* points, iso_point_law part,
                                    const double v[6], const double dv[6], double alpha,
                                    double* out_value, double* out_slope, double* out_curvature) {
    double at[6];
    for (int i = 0; i < 6; ++i) {
        at[i] = v[i] + alpha * dv[i];
    }
    line_sums sums = k_lines[part](points, at, dv);
    *out_value = iso_wide_sum(sums.value);
    *out_slope = iso_wide_sum(sums.slope);
    *out_curvature = iso_wide_sum(sums.curvature);
}

void iso_compliant_points_line(const iso_compliant_points* points, const double v[6],
                               const double dv[6], double alpha, double* out_value,
                               double* out_slope, double* out_curvature) {
    iso_compliant_points_line_part(points, points->law, v, dv, alpha, out_value, out_slope,
                                   out_curvature);
}

double iso_compliant_points_max_slip(const iso_compliant_points* points, const double v[6]) {
    iso_wide3 rotational = iso_wide3_set(v[0], v[1], v[2]);
    iso_wide3 translational = iso_wide3_set(v[3], v[4], v[5]);
    iso_wide zero = iso_wide_set(0.0), largest = zero;
    for (int i = 0; i < points->padded_count; i += ISO_WIDE_LANES) {
        iso_wide3 r = iso_wide3_load(points->rx + i, points->ry + i, points->rz + i);
        iso_wide3 n = iso_wide3_load(points->nx + i, points->ny + i, points->nz + i);
        iso_wide3 u = iso_wide3_velocity(rotational, translational, r);
        iso_wide3 v_t = iso_wide3_mul_add(n, iso_wide_neg(iso_wide3_dot(u, n)), u);
        iso_wide_mask has_friction =
            iso_wide_greater(iso_wide_load(points->friction_force + i), zero);
        iso_wide speed2 = iso_wide_select(has_friction, iso_wide3_dot(v_t, v_t), zero);
        largest = iso_wide_max(largest, speed2);
    }
    double lanes[ISO_WIDE_LANES], speed2 = 0.0;
    iso_wide_store(lanes, largest);
    for (int i = 0; i < ISO_WIDE_LANES; ++i) {
        speed2 = lanes[i] > speed2 ? lanes[i] : speed2;
    }
    return sqrt(speed2);
}

double iso_compliant_points_elastic_work(const iso_compliant_points* points, const double v[6]) {
    double work = 0.0;
    for (int i = 0; i < points->count; ++i) {
        double x = points->rx[i], y = points->ry[i], z = points->rz[i];
        double speed = points->nx[i] * (v[3] + v[1] * z - v[2] * y) +
                       points->ny[i] * (v[4] + v[2] * x - v[0] * z) +
                       points->nz[i] * (v[5] + v[0] * y - v[1] * x);
        double way = points->dt * speed, start = points->force[i];
        double end = start - points->stiffness[i] * way;
        if (start > 0.0 && end > 0.0) {
            work += 0.5 * (start + end) * way;
        } else if (start > 0.0) {
            work += 0.5 * start * start / points->stiffness[i];
        } else if (end > 0.0) {
            work -= 0.5 * end * end / points->stiffness[i];
        }
    }
    return work;
}

// Slip velocities of all faces, dropped ones too.
static void write_slips(const iso_patch* patch, iso_vec3 p_wc, const double v[6],
                        iso_vec3* out_slips) {
    iso_vec3 rotational = iso_vec3_make(v[0], v[1], v[2]);
    iso_vec3 translational = iso_vec3_make(v[3], v[4], v[5]);
    for (int f = 0; f < patch->face_count; ++f) {
        iso_vec3 arm = iso_vec3_sub(patch->centroids[f], p_wc);
        iso_vec3 u = iso_vec3_add(translational, iso_vec3_cross(rotational, arm));
        iso_vec3 n = patch->normals[f];
        out_slips[f] = iso_vec3_add_scaled(u, n, -iso_vec3_dot(u, n));
    }
}

// slip: NULL, or where friction is evaluated.
static iso_spatial find_result(const iso_compliant_points* points, const iso_patch* patch,
                               const double v[6], const double* slip, iso_vec3* out_tractions,
                               iso_vec3* out_slips) {
    iso_wide3 rotational = iso_wide3_set(v[0], v[1], v[2]);
    iso_wide3 translational = iso_wide3_set(v[3], v[4], v[5]);
    iso_point_law law = slip ? ISO_POINT_LAW_NORMAL : points->law;
    for (int f = 0; out_tractions && f < patch->face_count; ++f) {
        out_tractions[f] = iso_vec3_zero();
    }
    iso_wide zero = iso_wide_set(0.0);
    iso_wide3 moment = {zero, zero, zero}, force = moment;
    for (int i = 0; i < points->padded_count; i += ISO_WIDE_LANES) {
        iso_wide3 r = iso_wide3_load(points->rx + i, points->ry + i, points->rz + i);
        iso_wide3 n = iso_wide3_load(points->nx + i, points->ny + i, points->nz + i);
        iso_wide3 u = iso_wide3_velocity(rotational, translational, r);
        iso_wide3 g = iso_point_evaluate(points, law, i, n, u).gradient;
        if (slip) {
            iso_wide3 s = iso_wide3_velocity(iso_wide3_set(slip[0], slip[1], slip[2]),
                                             iso_wide3_set(slip[3], slip[4], slip[5]), r);
            add_to3(&g, iso_point_evaluate(points, ISO_POINT_LAW_SLIP, i, n, s).gradient);
        }
        add_to3(&moment, iso_wide3_cross(r, g));
        add_to3(&force, g);
        double x[ISO_WIDE_LANES], y[ISO_WIDE_LANES], z[ISO_WIDE_LANES];
        iso_wide_store(x, g.x);
        iso_wide_store(y, g.y);
        iso_wide_store(z, g.z);
        for (int k = 0; out_tractions && k < ISO_WIDE_LANES && i + k < points->count; ++k) {
            int f = points->face[i + k];
            double scale = -1.0 / (points->dt * patch->areas[f]);
            out_tractions[f] =
                iso_vec3_add_scaled(out_tractions[f], iso_vec3_make(x[k], y[k], z[k]), scale);
        }
    }
    if (out_slips) {
        write_slips(patch, points->p_wc, v, out_slips);
    }
    iso_spatial impulse = iso_spatial_make(
        iso_vec3_make(iso_wide_sum(moment.x), iso_wide_sum(moment.y), iso_wide_sum(moment.z)),
        iso_vec3_make(iso_wide_sum(force.x), iso_wide_sum(force.y), iso_wide_sum(force.z)));
    return iso_spatial_scale(impulse, -1.0 / points->dt);
}

iso_spatial iso_compliant_points_result(const iso_compliant_points* points, const iso_patch* patch,
                                        const double v[6], iso_vec3* out_tractions,
                                        iso_vec3* out_slips) {
    return find_result(points, patch, v, NULL, out_tractions, out_slips);
}

iso_spatial iso_compliant_points_stick_result(const iso_compliant_points* points,
                                              const iso_patch* patch, const double v[6],
                                              const double slip[6], iso_vec3* out_tractions,
                                              iso_vec3* out_slips) {
    return find_result(points, patch, v, slip, out_tractions, out_slips);
}
