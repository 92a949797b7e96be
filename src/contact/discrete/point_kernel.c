// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "contact/discrete/point_sums.h"

// Add J^T G J, where G = a I + m n^T + q t^T is symmetric.
static inline void add_hessian(hessian_sums* sums, iso_vec3x4 r, iso_vec3x4 n,
                               const iso_point_response* p) {
    iso_vec3x4 m = iso_vec3x4_mul_add(n, iso_double4_sub(p->b, p->a), iso_vec3x4_scale(p->t, p->e));
    iso_vec3x4 q = iso_vec3x4_mul_add(p->t, p->c, iso_vec3x4_scale(n, p->e));
    iso_double4 xx = iso_double4_add(p->a, sum_of_products(m.x, n.x, q.x, p->t.x));
    iso_double4 yy = iso_double4_add(p->a, sum_of_products(m.y, n.y, q.y, p->t.y));
    iso_double4 zz = iso_double4_add(p->a, sum_of_products(m.z, n.z, q.z, p->t.z));
    iso_double4 xy = sum_of_products(m.x, n.y, q.x, p->t.y);
    iso_double4 xz = sum_of_products(m.x, n.z, q.x, p->t.z);
    iso_double4 yz = sum_of_products(m.y, n.z, q.y, p->t.z);
    add_symmetric(sums, r, xx, xy, xz, yy, yz, zz);
}

typedef struct point_sums {
    gradient_sums first;
    hessian_sums second;
} point_sums;

static inline point_sums sum_points(const iso_compliant_points* points, iso_point_law law,
                                    const double v[6], bool has_hessian) {
    iso_vec3x4 rotational = iso_vec3x4_set(v[0], v[1], v[2]);
    iso_vec3x4 translational = iso_vec3x4_set(v[3], v[4], v[5]);
    point_sums sums = {no_gradient(), no_hessian()};
    for (int i = 0; i < points->padded_count; i += ISO_DOUBLE4_LANES) {
        iso_vec3x4 r = iso_vec3x4_load(points->rx + i, points->ry + i, points->rz + i);
        iso_vec3x4 n = iso_vec3x4_load(points->nx + i, points->ny + i, points->nz + i);
        iso_vec3x4 u = iso_vec3x4_velocity(rotational, translational, r);
        iso_point_response p = iso_point_evaluate(points, law, i, n, u);
        add_to(&sums.first.value, p.value);
        sums.first.moment = iso_vec3x4_cross_add(r, p.gradient, sums.first.moment);
        add_to3(&sums.first.force, p.gradient);
        if (has_hessian && law == ISO_POINT_LAW_NORMAL) {
            add_normal_hessian(&sums.second, r, n, p.b);
        } else if (has_hessian) {
            add_hessian(&sums.second, r, n, &p);
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

double iso_compliant_points_eval_part(const iso_compliant_points* points, iso_point_law part,
                                      const double v[6], double* out_gradient,
                                      double* out_hessian) {
    point_sums sums = k_sums[part][out_hessian != NULL](points, v);
    if (out_hessian) {
        write_hessian(&sums.second, out_hessian);
    }
    if (out_gradient) {
        write_gradient(&sums.first, out_gradient);
    }
    return iso_double4_sum(sums.first.value);
}

void iso_compliant_points_normal_gradient(const iso_compliant_points* points, const double v[6],
                                          double out_gradient[6]) {
    iso_vec3x4 rotational = iso_vec3x4_set(v[0], v[1], v[2]);
    iso_vec3x4 translational = iso_vec3x4_set(v[3], v[4], v[5]);
    gradient_sums sums = no_gradient();
    for (int i = 0; i < points->padded_count; i += ISO_DOUBLE4_LANES) {
        iso_vec3x4 r = iso_vec3x4_load(points->rx + i, points->ry + i, points->rz + i);
        iso_vec3x4 n = iso_vec3x4_load(points->nx + i, points->ny + i, points->nz + i);
        iso_vec3x4 u = iso_vec3x4_velocity(rotational, translational, r);
        iso_point_response p = iso_point_evaluate(points, points->law, i, n, u);
        iso_vec3x4 normal = iso_vec3x4_scale(n, iso_vec3x4_dot(n, p.gradient));
        sums.moment = iso_vec3x4_cross_add(r, normal, sums.moment);
        add_to3(&sums.force, normal);
    }
    write_gradient(&sums, out_gradient);
}

double iso_compliant_points_eval(const iso_compliant_points* points, const double v[6],
                                 double* out_gradient, double* out_hessian) {
    return iso_compliant_points_eval_part(points, points->law, v, out_gradient, out_hessian);
}

// Value, slope, curvature along a line.
typedef struct line_sums {
    iso_double4 value, slope, curvature;
} line_sums;

static inline line_sums sum_line(const iso_compliant_points* points, iso_point_law law,
                                 const double v[6], const double dv[6]) {
    iso_vec3x4 rotational = iso_vec3x4_set(v[0], v[1], v[2]);
    iso_vec3x4 translational = iso_vec3x4_set(v[3], v[4], v[5]);
    iso_vec3x4 d_rotational = iso_vec3x4_set(dv[0], dv[1], dv[2]);
    iso_vec3x4 d_translational = iso_vec3x4_set(dv[3], dv[4], dv[5]);
    iso_double4 zero = iso_double4_set(0.0), two = iso_double4_set(2.0);
    line_sums sums = {zero, zero, zero};
    for (int i = 0; i < points->padded_count; i += ISO_DOUBLE4_LANES) {
        iso_vec3x4 r = iso_vec3x4_load(points->rx + i, points->ry + i, points->rz + i);
        iso_vec3x4 n = iso_vec3x4_load(points->nx + i, points->ny + i, points->nz + i);
        iso_vec3x4 u = iso_vec3x4_velocity(rotational, translational, r);
        iso_vec3x4 du = iso_vec3x4_velocity(d_rotational, d_translational, r);
        iso_point_response p = iso_point_evaluate(points, law, i, n, u);
        iso_double4 du_n = iso_vec3x4_dot(du, n);
        if (law == ISO_POINT_LAW_NORMAL) {
            add_to(&sums.value, p.value);
            add_to(&sums.slope, iso_vec3x4_dot(p.gradient, du));
            add_to(&sums.curvature, iso_double4_mul(p.b, iso_double4_mul(du_n, du_n)));
            continue;
        }
        iso_double4 du_s = iso_vec3x4_dot(du, p.t);
        iso_double4 normal = iso_double4_mul(iso_double4_sub(p.b, p.a), du_n);
        normal = iso_double4_mul_add(iso_double4_mul(two, p.e), du_s, normal);
        iso_double4 curvature =
            iso_double4_mul_add(p.a, iso_vec3x4_dot(du, du), iso_double4_mul(normal, du_n));
        curvature = iso_double4_mul_add(iso_double4_mul(p.c, du_s), du_s, curvature);
        add_to(&sums.value, p.value);
        add_to(&sums.slope, iso_vec3x4_dot(p.gradient, du));
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
    *out_value = iso_double4_sum(sums.value);
    *out_slope = iso_double4_sum(sums.slope);
    *out_curvature = iso_double4_sum(sums.curvature);
}

void iso_compliant_points_line(const iso_compliant_points* points, const double v[6],
                               const double dv[6], double alpha, double* out_value,
                               double* out_slope, double* out_curvature) {
    iso_compliant_points_line_part(points, points->law, v, dv, alpha, out_value, out_slope,
                                   out_curvature);
}

double iso_compliant_points_mean_slip(const iso_compliant_points* points, const double v[6]) {
    iso_vec3x4 rotational = iso_vec3x4_set(v[0], v[1], v[2]);
    iso_vec3x4 translational = iso_vec3x4_set(v[3], v[4], v[5]);
    iso_double4 bounds = iso_double4_set(0.0), slips = bounds;
    for (int i = 0; i < points->padded_count; i += ISO_DOUBLE4_LANES) {
        iso_vec3x4 r = iso_vec3x4_load(points->rx + i, points->ry + i, points->rz + i);
        iso_vec3x4 n = iso_vec3x4_load(points->nx + i, points->ny + i, points->nz + i);
        iso_vec3x4 u = iso_vec3x4_velocity(rotational, translational, r);
        iso_vec3x4 v_t = iso_vec3x4_mul_add(n, iso_double4_neg(iso_vec3x4_dot(u, n)), u);
        iso_double4 bound = iso_double4_load(points->friction_force + i);
        slips = iso_double4_mul_add(bound, iso_double4_sqrt(iso_vec3x4_dot(v_t, v_t)), slips);
        bounds = iso_double4_add(bounds, bound);
    }
    double bound = iso_double4_sum(bounds);
    return bound > 0.0 ? iso_double4_sum(slips) / bound : 0.0;
}

double iso_compliant_points_elastic_work(const iso_compliant_points* points, const double v[6]) {
    iso_vec3x4 rotational = iso_vec3x4_set(v[0], v[1], v[2]);
    iso_vec3x4 translational = iso_vec3x4_set(v[3], v[4], v[5]);
    iso_double4 dt = iso_double4_set(points->dt), zero = iso_double4_set(0.0), sum = zero;
    for (int i = 0; i < points->padded_count; i += ISO_DOUBLE4_LANES) {
        iso_vec3x4 r = iso_vec3x4_load(points->rx + i, points->ry + i, points->rz + i);
        iso_vec3x4 n = iso_vec3x4_load(points->nx + i, points->ny + i, points->nz + i);
        iso_vec3x4 u = iso_vec3x4_velocity(rotational, translational, r);
        iso_double4 way = iso_double4_mul(dt, iso_vec3x4_dot(n, u));
        iso_double4 k = iso_double4_load(points->stiffness + i),
                    start = iso_double4_load(points->load + i);
        iso_double4 end = iso_double4_mul_subtract(k, way, iso_double4_load(points->force + i));
        iso_double4_mask is_pressed =
            iso_double4_and(iso_double4_greater(start, zero), iso_double4_greater(end, zero));
        iso_double4 pressed = iso_double4_mul(iso_double4_add(start, end), way);
        // Force that begins or ends within the step: what is stored at its start less that at its
        // end.
        start = iso_double4_max(start, zero);
        end = iso_double4_max(end, zero);
        iso_double4 opened = iso_double4_mul_subtract(end, end, iso_double4_mul(start, start));
        opened =
            iso_double4_div(opened, iso_double4_max(k, iso_double4_set(ISO_POINT_SMALLEST_SLOPE)));
        sum = iso_double4_add(sum, iso_double4_select(is_pressed, pressed, opened));
    }
    return 0.5 * iso_double4_sum(sum);
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

// is_kept: friction is that of the last evaluation, of which the points keep the direction.
static inline iso_spatial find_result(const iso_compliant_points* points, const iso_patch* patch,
                                      const double v[6], bool is_kept, iso_vec3* out_tractions,
                                      iso_vec3* out_slips) {
    iso_vec3x4 rotational = iso_vec3x4_set(v[0], v[1], v[2]);
    iso_vec3x4 translational = iso_vec3x4_set(v[3], v[4], v[5]);
    iso_point_law law = is_kept ? ISO_POINT_LAW_NORMAL : points->law;
    for (int f = 0; out_tractions && f < patch->face_count; ++f) {
        out_tractions[f] = iso_vec3_zero();
    }
    iso_double4 zero = iso_double4_set(0.0);
    iso_vec3x4 moment = {zero, zero, zero}, force = moment;
    int face = -1; // whose scale is at hand: its points follow each other
    double scale = 0.0;
    for (int i = 0; i < points->padded_count; i += ISO_DOUBLE4_LANES) {
        iso_vec3x4 r = iso_vec3x4_load(points->rx + i, points->ry + i, points->rz + i);
        iso_vec3x4 n = iso_vec3x4_load(points->nx + i, points->ny + i, points->nz + i);
        iso_vec3x4 u = iso_vec3x4_velocity(rotational, translational, r);
        iso_vec3x4 g = iso_point_evaluate(points, law, i, n, u).gradient;
        if (is_kept) {
            iso_vec3x4 t = iso_vec3x4_load(points->tx + i, points->ty + i, points->tz + i);
            g = iso_vec3x4_mul_add(t, iso_double4_load(points->friction_force + i), g);
        }
        moment = iso_vec3x4_cross_add(r, g, moment);
        add_to3(&force, g);
        double x[ISO_DOUBLE4_LANES], y[ISO_DOUBLE4_LANES], z[ISO_DOUBLE4_LANES];
        iso_double4_store(x, g.x);
        iso_double4_store(y, g.y);
        iso_double4_store(z, g.z);
        for (int k = 0; out_tractions && k < ISO_DOUBLE4_LANES && i + k < points->count; ++k) {
            int f = points->face[i + k];
            scale = f == face ? scale : -1.0 / (points->dt * patch->areas[f]);
            face = f;
            out_tractions[f] =
                iso_vec3_add_scaled(out_tractions[f], iso_vec3_make(x[k], y[k], z[k]), scale);
        }
    }
    if (out_slips) {
        write_slips(patch, points->p_wc, v, out_slips);
    }
    iso_spatial impulse =
        iso_spatial_make(iso_vec3_make(iso_double4_sum(moment.x), iso_double4_sum(moment.y),
                                       iso_double4_sum(moment.z)),
                         iso_vec3_make(iso_double4_sum(force.x), iso_double4_sum(force.y),
                                       iso_double4_sum(force.z)));
    return iso_spatial_scale(impulse, -1.0 / points->dt);
}

iso_spatial iso_compliant_points_result(const iso_compliant_points* points, const iso_patch* patch,
                                        const double v[6], iso_vec3* out_tractions,
                                        iso_vec3* out_slips) {
    return find_result(points, patch, v, false, out_tractions, out_slips);
}

iso_spatial iso_compliant_points_kept_result(const iso_compliant_points* points,
                                             const iso_patch* patch, const double v[6],
                                             iso_vec3* out_tractions, iso_vec3* out_slips) {
    return find_result(points, patch, v, true, out_tractions, out_slips);
}
