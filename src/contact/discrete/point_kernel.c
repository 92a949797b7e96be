// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "contact/discrete/point_sums.h"

// Add J^T G J, where G = a I + m n^T + q t^T is symmetric.
static inline void add_hessian(hessian_sums* sums, iso_wide3 r, iso_wide3 n,
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

typedef struct point_sums {
    gradient_sums first;
    hessian_sums second;
} point_sums;

static inline point_sums sum_points(const iso_compliant_points* points, iso_point_law law,
                                    const double v[6], bool has_hessian) {
    iso_wide3 rotational = iso_wide3_set(v[0], v[1], v[2]);
    iso_wide3 translational = iso_wide3_set(v[3], v[4], v[5]);
    point_sums sums = {no_gradient(), no_hessian()};
    for (int i = 0; i < points->padded_count; i += ISO_WIDE_LANES) {
        iso_wide3 r = iso_wide3_load(points->rx + i, points->ry + i, points->rz + i);
        iso_wide3 n = iso_wide3_load(points->nx + i, points->ny + i, points->nz + i);
        iso_wide3 u = iso_wide3_velocity(rotational, translational, r);
        iso_point_response p = iso_point_evaluate(points, law, i, n, u);
        add_to(&sums.first.value, p.value);
        sums.first.moment = iso_wide3_cross_add(r, p.gradient, sums.first.moment);
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
    return iso_wide_sum(sums.first.value);
}

double iso_compliant_points_eval(const iso_compliant_points* points, const double v[6],
                                 double* out_gradient, double* out_hessian) {
    return iso_compliant_points_eval_part(points, points->law, v, out_gradient, out_hessian);
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

double iso_compliant_points_mean_slip(const iso_compliant_points* points, const double v[6]) {
    iso_wide3 rotational = iso_wide3_set(v[0], v[1], v[2]);
    iso_wide3 translational = iso_wide3_set(v[3], v[4], v[5]);
    iso_wide bounds = iso_wide_set(0.0), slips = bounds;
    for (int i = 0; i < points->padded_count; i += ISO_WIDE_LANES) {
        iso_wide3 r = iso_wide3_load(points->rx + i, points->ry + i, points->rz + i);
        iso_wide3 n = iso_wide3_load(points->nx + i, points->ny + i, points->nz + i);
        iso_wide3 u = iso_wide3_velocity(rotational, translational, r);
        iso_wide3 v_t = iso_wide3_mul_add(n, iso_wide_neg(iso_wide3_dot(u, n)), u);
        iso_wide bound = iso_wide_load(points->friction_force + i);
        slips = iso_wide_mul_add(bound, iso_wide_sqrt(iso_wide3_dot(v_t, v_t)), slips);
        bounds = iso_wide_add(bounds, bound);
    }
    double bound = iso_wide_sum(bounds);
    return bound > 0.0 ? iso_wide_sum(slips) / bound : 0.0;
}

double iso_compliant_points_elastic_work(const iso_compliant_points* points, const double v[6]) {
    iso_wide3 rotational = iso_wide3_set(v[0], v[1], v[2]);
    iso_wide3 translational = iso_wide3_set(v[3], v[4], v[5]);
    iso_wide dt = iso_wide_set(points->dt), zero = iso_wide_set(0.0), sum = zero;
    for (int i = 0; i < points->padded_count; i += ISO_WIDE_LANES) {
        iso_wide3 r = iso_wide3_load(points->rx + i, points->ry + i, points->rz + i);
        iso_wide3 n = iso_wide3_load(points->nx + i, points->ny + i, points->nz + i);
        iso_wide3 u = iso_wide3_velocity(rotational, translational, r);
        iso_wide way = iso_wide_mul(dt, iso_wide3_dot(n, u));
        iso_wide k = iso_wide_load(points->stiffness + i), start = iso_wide_load(points->load + i);
        iso_wide end = iso_wide_mul_subtract(k, way, iso_wide_load(points->force + i));
        iso_wide_mask is_pressed =
            iso_wide_and(iso_wide_greater(start, zero), iso_wide_greater(end, zero));
        iso_wide pressed = iso_wide_mul(iso_wide_add(start, end), way);
        // Force that begins or ends within the step: what is stored at its start less that at its
        // end.
        start = iso_wide_max(start, zero);
        end = iso_wide_max(end, zero);
        iso_wide opened = iso_wide_mul_subtract(end, end, iso_wide_mul(start, start));
        opened = iso_wide_div(opened, iso_wide_max(k, iso_wide_set(ISO_POINT_SMALLEST_SLOPE)));
        sum = iso_wide_add(sum, iso_wide_select(is_pressed, pressed, opened));
    }
    return 0.5 * iso_wide_sum(sum);
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
    iso_wide3 rotational = iso_wide3_set(v[0], v[1], v[2]);
    iso_wide3 translational = iso_wide3_set(v[3], v[4], v[5]);
    iso_point_law law = is_kept ? ISO_POINT_LAW_NORMAL : points->law;
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
        if (is_kept) {
            iso_wide3 t = iso_wide3_load(points->tx + i, points->ty + i, points->tz + i);
            g = iso_wide3_mul_add(t, iso_wide_load(points->friction_force + i), g);
        }
        moment = iso_wide3_cross_add(r, g, moment);
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
    return find_result(points, patch, v, false, out_tractions, out_slips);
}

iso_spatial iso_compliant_points_kept_result(const iso_compliant_points* points,
                                             const iso_patch* patch, const double v[6],
                                             iso_vec3* out_tractions, iso_vec3* out_slips) {
    return find_result(points, patch, v, true, out_tractions, out_slips);
}
