// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// ISO_POINT_LAW_TAMSI, which has no potential: impulse, its derivative, and how far a Newton step
// may go. docs/theory/step.md, "TAMSI".

#include "contact/discrete/point_law.h"

#include <math.h>

// Slip below this share of the stiction velocity counts as rest.
#define REST_RATIO 1e-2

// Slip may turn by 60 degrees in one Newton step: cosine, squared.
#define LARGEST_TURN_COSINE 0.5
#define LARGEST_TURN_COSINE_SQUARED 0.25

// G = a I + (b - a) n n^T + c t t^T + e t n^T, by rows.
static inline void fill_rows(const iso_point_response* p, iso_vec3x4 n, iso_vec3x4 rows[3]) {
    iso_vec3x4 m = iso_vec3x4_mul_add(n, iso_double4_sub(p->b, p->a), iso_vec3x4_scale(p->t, p->e));
    const iso_double4 mi[3] = {m.x, m.y, m.z}, ti[3] = {p->t.x, p->t.y, p->t.z};
    for (int i = 0; i < 3; ++i) {
        iso_vec3x4 tangential = iso_vec3x4_scale(p->t, iso_double4_mul(p->c, ti[i]));
        rows[i] = iso_vec3x4_mul_add(n, mi[i], tangential);
    }
    rows[0].x = iso_double4_add(rows[0].x, p->a);
    rows[1].y = iso_double4_add(rows[1].y, p->a);
    rows[2].z = iso_double4_add(rows[2].z, p->a);
}

static inline void add_row(iso_double4* sums, int row, int column, iso_vec3x4 x) {
    iso_double4* s = sums + 6 * row + column;
    s[0] = iso_double4_add(s[0], x.x);
    s[1] = iso_double4_add(s[1], x.y);
    s[2] = iso_double4_add(s[2], x.z);
}

// sums += J^T G J with J = [-[r]x, 1].
static inline void add_jacobian(iso_double4* sums, iso_vec3x4 r, const iso_vec3x4 g[3]) {
    iso_vec3x4 columns[3] = {
        {g[0].x, g[1].x, g[2].x}, {g[0].y, g[1].y, g[2].y}, {g[0].z, g[1].z, g[2].z}};
    iso_vec3x4 c0 = iso_vec3x4_cross(r, columns[0]);
    iso_vec3x4 c1 = iso_vec3x4_cross(r, columns[1]);
    iso_vec3x4 c2 = iso_vec3x4_cross(r, columns[2]);
    iso_vec3x4 rows[3] = {{c0.x, c1.x, c2.x}, {c0.y, c1.y, c2.y}, {c0.z, c1.z, c2.z}}; // [r]x G
    for (int i = 0; i < 3; ++i) {
        add_row(sums, i, 0, iso_vec3x4_cross(r, rows[i]));
        add_row(sums, i, 3, rows[i]);
        add_row(sums, 3 + i, 0, iso_vec3x4_cross(r, g[i]));
        add_row(sums, 3 + i, 3, g[i]);
    }
}

void iso_compliant_points_residual(const iso_compliant_points* points, const double v[6],
                                   double* out_residual, double* out_jacobian) {
    iso_vec3x4 rotational = iso_vec3x4_set(v[0], v[1], v[2]);
    iso_vec3x4 translational = iso_vec3x4_set(v[3], v[4], v[5]);
    iso_double4 sums[36], wrench[6];
    for (int i = 0; i < 36; ++i) {
        sums[i] = iso_double4_set(0.0);
    }
    for (int i = 0; i < 6; ++i) {
        wrench[i] = iso_double4_set(0.0);
    }
    for (int i = 0; i < points->padded_count; i += ISO_DOUBLE4_LANES) {
        iso_vec3x4 r = iso_vec3x4_load(points->rx + i, points->ry + i, points->rz + i);
        iso_vec3x4 n = iso_vec3x4_load(points->nx + i, points->ny + i, points->nz + i);
        iso_vec3x4 u = iso_vec3x4_velocity(rotational, translational, r);
        iso_point_response p = iso_point_tamsi(points, i, n, u);
        iso_vec3x4 moment = iso_vec3x4_cross(r, p.gradient);
        const iso_double4 all[6] = {moment.x,     moment.y,     moment.z,
                                    p.gradient.x, p.gradient.y, p.gradient.z};
        for (int k = 0; k < 6; ++k) {
            wrench[k] = iso_double4_add(wrench[k], all[k]);
        }
        iso_vec3x4 rows[3];
        fill_rows(&p, n, rows);
        add_jacobian(sums, r, rows);
    }
    for (int i = 0; i < 6; ++i) {
        out_residual[i] = iso_double4_sum(wrench[i]);
    }
    for (int i = 0; i < 36; ++i) {
        out_jacobian[i] = iso_double4_sum(sums[i]);
    }
}

// Where the slip v + alpha d has turned by the largest angle: the smallest positive root of
// (v.(v + alpha d))^2 = cos^2 |v|^2 |v + alpha d|^2.
static double turn_limit(double vv, double vd, double dd) {
    double k = LARGEST_TURN_COSINE_SQUARED;
    double a = vd * vd - k * vv * dd, b = vv * vd * (1.0 - k), c = vv * vv * (1.0 - k);
    double root = sqrt(fmax(b * b - a * c, 0.0));
    double q = b > 0.0 ? -(b + root) : root - b;
    double first = c / q, second = a != 0.0 ? q / a : first;
    double low = first < second ? first : second, high = first < second ? second : first;
    return low > 0.0 ? low : high;
}

// Largest share of the change d of the slip v.
static double slip_limit(iso_vec3 v, iso_vec3 d, double stiction) {
    double rest = REST_RATIO * stiction;
    double vv = iso_vec3_norm_squared(v), vd = iso_vec3_dot(v, d), dd = iso_vec3_norm_squared(d);
    double after = vv + 2.0 * vd + dd;
    double stiction2 = stiction * stiction;
    if (dd <= rest * rest || after <= stiction2) {
        return 1.0;
    }
    if (vv <= rest * rest) {
        return 0.5 * stiction / sqrt(dd); // friction must feel how it grows
    }
    double nearest = -vd / dd; // of the line to rest
    if (vv > stiction2 && nearest > 0.0 && nearest < 1.0 && vv - nearest * -vd < stiction2) {
        return nearest;
    }
    if (vv + vd >= LARGEST_TURN_COSINE * sqrt(vv * after)) {
        return 1.0;
    }
    return turn_limit(vv, vd, dd);
}

static iso_vec3 velocity(const double v[6], iso_vec3 r) {
    iso_vec3 w = iso_vec3_make(v[0], v[1], v[2]);
    return iso_vec3_add(iso_vec3_make(v[3], v[4], v[5]), iso_vec3_cross(w, r));
}

double iso_compliant_points_transition(const iso_compliant_points* points, const double v[6],
                                       const double dv[6]) {
    double share = 1.0;
    for (int i = 0; i < points->count; ++i) {
        iso_vec3 r = iso_vec3_make(points->rx[i], points->ry[i], points->rz[i]);
        iso_vec3 n = iso_vec3_make(points->nx[i], points->ny[i], points->nz[i]);
        iso_vec3 u = velocity(v, r), d = velocity(dv, r);
        double u_n = iso_vec3_dot(u, n), d_n = iso_vec3_dot(d, n);
        if (u_n >= points->limit[i] && u_n + d_n >= points->limit[i]) {
            continue;
        }
        u = iso_vec3_add_scaled(u, n, -u_n);
        d = iso_vec3_add_scaled(d, n, -d_n);
        double limit = slip_limit(u, d, points->slip_scale[i]);
        share = limit < share ? limit : share;
    }
    return share;
}
