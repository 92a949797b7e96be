// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "contact/pressure_field/steady_motion.h"

#include <math.h>
#include <string.h>

// A motion counts as steady where its unsteady part is a smaller share of its measure: lambda. That
// is asked so many times, so that of approaching and rocking nothing is left: a stiff contact would
// hop by it.
#define STEADY_SHARE 2e-2
#define STEADY_PASSES 4

// What is added to A + B, relative to the largest of its diagonal, before it is inverted.
#define LEAST_PIVOT 1e-13

// And to what weighs U - V: motions that change no pressure, as sliding and spinning on a plane,
// are steady. Without it rounding alone would decide, and the steady part of a spin could be a
// million times the spin. Changes of less than 1e-5 of a field's slope are left out by it.
#define LEAST_MEASURE 1e-10

typedef double six_matrix[6 * ISO_SIX_STRIDE];

// Adds weight q q^T, q the rate of a pressure of the gradient g at the place r by a twist.
ISO_SIX_INLINE void add_square(iso_vec3 r, iso_vec3 g, double weight, iso_six rows[6]) {
    iso_vec3 m = iso_vec3_cross(r, g);
    const double q[6] = {m.x, m.y, m.z, g.x, g.y, g.z};
    iso_six row =
        iso_six_make(iso_double4_make(m.x, m.y, m.z, g.x), iso_double4_make(g.y, g.z, 0.0, 0.0));
    for (int i = 0; i < 6; ++i) {
        rows[i] = iso_six_add_scaled(rows[i], weight * q[i], row);
    }
}

// What changes the pressure of the surface when A, or B, moves: the gradient of its field, of a
// rigid side the normal.
static void find_gradients(const iso_patch* patch, int face, iso_vec3* out_a, iso_vec3* out_b) {
    *out_a = patch->is_rigid_a ? patch->normals[face] : patch->gradients_a[face];
    *out_b = patch->is_rigid_b ? patch->normals[face] : patch->gradients_b[face];
}

static void put_over(const iso_six rows[6], double sum, six_matrix out) {
    for (int i = 0; i < 6; ++i) {
        iso_six_store(out + ISO_SIX_STRIDE * i, rows[i]);
    }
    for (int i = 0; i < 6 * ISO_SIX_STRIDE && sum > 0.0; ++i) {
        out[i] /= sum;
    }
}

// Both sides with the same weight, so that approach is as unsteady whatever their moduli are.
static void measure_sides(const iso_contact_pair* pair, const iso_compliant_points* points,
                          six_matrix of_a, six_matrix of_b) {
    iso_vec3 a = iso_vec3_zero(), b = a;
    double sum_a = 0.0, sum_b = 0.0;
    iso_six rows_a[6], rows_b[6]; // in registers
    for (int i = 0; i < 6; ++i) {
        rows_a[i] = rows_b[i] = iso_six_zero();
    }
    for (int i = 0; i < points->count; ++i) {
        if (i == 0 || points->face[i] != points->face[i - 1]) {
            find_gradients(&pair->patch, points->face[i], &a, &b);
        }
        iso_vec3 r = iso_vec3_make(points->rx[i], points->ry[i], points->rz[i]);
        add_square(r, a, points->area[i], rows_a);
        add_square(r, b, points->area[i], rows_b);
        sum_a += points->area[i] * iso_vec3_norm_squared(a);
        sum_b += points->area[i] * iso_vec3_norm_squared(b);
    }
    put_over(rows_a, sum_a, of_a);
    put_over(rows_b, sum_b, of_b);
}

// To the diagonal a share of its largest, of turning and of moving on.
static void add_share(double share, six_matrix m) {
    double least[2] = {0.0, 0.0};
    for (int i = 0; i < 6; ++i) {
        double d = share * m[(ISO_SIX_STRIDE + 1) * i];
        least[i / 3] = d > least[i / 3] ? d : least[i / 3];
    }
    for (int i = 0; i < 6; ++i) {
        m[(ISO_SIX_STRIDE + 1) * i] += least[i / 3];
    }
}

// Cholesky's factor in place, in the lower triangle, of a positive semidefinite matrix: directions
// in which nothing changes pass (unlike iso_cholesky_factor(), which refuses them).
static void factor(six_matrix m) {
    for (int i = 0; i < 6; ++i) {
        double* row = m + ISO_SIX_STRIDE * i;
        for (int j = 0; j <= i; ++j) {
            const double* other = m + ISO_SIX_STRIDE * j;
            double sum = row[j];
            for (int k = 0; k < j; ++k) {
                sum -= row[k] * other[k];
            }
            if (j < i) {
                row[j] = other[j] > 0.0 ? sum / other[j] : 0.0;
            } else {
                row[i] = sum > 0.0 ? sqrt(sum) : 0.0;
            }
        }
    }
}

// x = (L L^T)^-1 x
static void solve(const six_matrix l, double x[6]) {
    for (int i = 0; i < 6; ++i) {
        const double* row = l + ISO_SIX_STRIDE * i;
        for (int k = 0; k < i; ++k) {
            x[i] -= row[k] * x[k];
        }
        x[i] = row[i] > 0.0 ? x[i] / row[i] : 0.0;
    }
    for (int i = 5; i >= 0; --i) {
        double pivot = l[(ISO_SIX_STRIDE + 1) * i];
        for (int k = i + 1; k < 6; ++k) {
            x[i] -= l[ISO_SIX_STRIDE * k + i] * x[k];
        }
        x[i] = pivot > 0.0 ? x[i] / pivot : 0.0;
    }
}

// C = A (A + B)^-1 B, symmetric; both: A + B.
static void put_in_series(const six_matrix of_a, const six_matrix of_b, const six_matrix both,
                          six_matrix out) {
    six_matrix l, half;
    memcpy(l, both, sizeof l);
    add_share(LEAST_PIVOT, l);
    factor(l);
    for (int j = 0; j < 6; ++j) { // row j of B, a column as well
        double x[ISO_SIX_STRIDE] = {0.0};
        memcpy(x, of_b + ISO_SIX_STRIDE * j, 6 * sizeof *x);
        solve(l, x);
        iso_six_store(half + ISO_SIX_STRIDE * j, iso_six_combine(of_a, x, 6));
    }
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) {
            out[ISO_SIX_STRIDE * i + j] =
                0.5 * (half[ISO_SIX_STRIDE * i + j] + half[ISO_SIX_STRIDE * j + i]);
        }
        out[ISO_SIX_STRIDE * i + 6] = out[ISO_SIX_STRIDE * i + 7] = 0.0;
    }
}

void iso_steady_map_find(const iso_contact_pair* pair, const iso_compliant_points* points,
                         iso_steady_map* out_map) {
    six_matrix of_a, of_b;
    double *both = out_map->both, *series = out_map->series;
    measure_sides(pair, points, of_a, of_b);
    for (int i = 0; i < 6; ++i) {
        int at = ISO_SIX_STRIDE * i;
        iso_six_store(both + at, iso_six_add(iso_six_load(of_a + at), iso_six_load(of_b + at)));
    }
    put_in_series(of_a, of_b, both, series);
    add_share(LEAST_MEASURE, both);
    for (int i = 0; i < 6; ++i) {
        int at = ISO_SIX_STRIDE * i;
        iso_six row = iso_six_scale(iso_six_load(both + at), STEADY_SHARE);
        iso_six_store(both + at, row);
        iso_six_store(series + at, iso_six_add(iso_six_load(series + at), row));
    }
    factor(series);
}

iso_spatial iso_steady_map_apply(const iso_steady_map* map, iso_spatial u_c) {
    iso_vec3 w = u_c.rotational, v = u_c.translational;
    double x[ISO_SIX_STRIDE] = {w.x, w.y, w.z, v.x, v.y, v.z};
    for (int pass = 0; pass < STEADY_PASSES; ++pass) {
        iso_six_store(x, iso_six_combine(map->both, x, 6));
        solve(map->series, x);
    }
    return iso_spatial_make(iso_vec3_make(x[0], x[1], x[2]), iso_vec3_make(x[3], x[4], x[5]));
}

iso_spatial iso_steady_motion(const iso_contact_pair* pair, const iso_compliant_points* points,
                              iso_spatial u_c) {
    iso_steady_map map;
    iso_steady_map_find(pair, points, &map);
    return iso_steady_map_apply(&map, u_c);
}
