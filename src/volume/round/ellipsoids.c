// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Two ellipsoids. A linear map takes A to the unit ball and B to an ellipsoid, whose axes become
// those of the frame: sections across z are then a disc and an ellipse (slices.c).

#include "volume/round/round.h"

// Sweeps that make rows orthogonal; the angles are squared in each.
#define MOST_SWEEPS 30
#define ORTHOGONAL 1e-16
// Halvings of a weight in [0, 1].
#define WEIGHT_STEPS 60

// x_A = map x, with A the unit ball and B that of these axes along x, y and z.
typedef struct frame {
    iso_mat3 map, inverse;
    double scale; // determinant of the map
    iso_vec3 semi_axes, center;
} frame;

static iso_mat3 diagonal(iso_vec3 v) {
    return iso_mat3_diagonal(v.x, v.y, v.z);
}

static iso_vec3 row(const iso_mat3* m, int i) {
    return iso_vec3_make(m->m[i][0], m->m[i][1], m->m[i][2]);
}

// Rows p and q of m become orthogonal by a rotation, which turns columns of u; says whether they
// were not.
static bool turn_rows(iso_mat3* m, iso_mat3* u, int p, int q) {
    iso_vec3 a = row(m, p), b = row(m, q);
    double aa = iso_vec3_dot(a, a), bb = iso_vec3_dot(b, b), ab = iso_vec3_dot(a, b);
    if (!(fabs(ab) > ORTHOGONAL * sqrt(aa * bb))) {
        return false;
    }
    double tau = (bb - aa) / (2.0 * ab);
    double t = (tau < 0.0 ? -1.0 : 1.0) / (fabs(tau) + hypot(1.0, tau));
    double c = 1.0 / hypot(1.0, t), s = c * t;
    for (int k = 0; k < 3; ++k) {
        double x = m->m[p][k], y = m->m[q][k];
        m->m[p][k] = c * x - s * y;
        m->m[q][k] = s * x + c * y;
        x = u->m[k][p];
        y = u->m[k][q];
        u->m[k][p] = c * x - s * y;
        u->m[k][q] = s * x + c * y;
    }
    return true;
}

// The semi-axes of the image m of the unit ball and their directions, by Jacobi's method on one
// side: each is right to its own size.
static iso_vec3 axes_of(iso_mat3 m, iso_mat3* out_directions) {
    *out_directions = iso_mat3_identity();
    bool is_turned = true;
    for (int i = 0; i < MOST_SWEEPS && is_turned; ++i) {
        is_turned = turn_rows(&m, out_directions, 0, 1);
        is_turned |= turn_rows(&m, out_directions, 1, 2);
        is_turned |= turn_rows(&m, out_directions, 2, 0);
    }
    return iso_vec3_make(iso_vec3_norm(row(&m, 0)), iso_vec3_norm(row(&m, 1)),
                         iso_vec3_norm(row(&m, 2)));
}

static frame make_frame(iso_vec3 a, iso_vec3 b, const iso_pose* x_ab) {
    iso_vec3 shrink = iso_vec3_make(1.0 / a.x, 1.0 / a.y, 1.0 / a.z);
    iso_mat3 m = iso_mat3_mul(iso_mat3_mul(diagonal(shrink), x_ab->r), diagonal(b)), u;
    frame f = {.scale = a.x * a.y * a.z};
    f.semi_axes = axes_of(m, &u);
    f.map = iso_mat3_mul(diagonal(a), u);
    f.inverse = iso_mat3_mul(iso_mat3_transpose(u), diagonal(shrink));
    f.center = iso_mat3_mul_vec3(&f.inverse, x_ab->p);
    return f;
}

// Axes change places in a cycle: x becomes y's, y z's and z x's.
static iso_vec3 cycled(iso_vec3 v) {
    return iso_vec3_make(v.y, v.z, v.x);
}

static void cycle(frame* f) {
    const iso_mat3 *i = &f->inverse, *m = &f->map;
    iso_mat3 columns = iso_mat3_from_columns(row(i, 1), row(i, 2), row(i, 0));
    f->map =
        iso_mat3_from_columns(iso_mat3_column(m, 1), iso_mat3_column(m, 2), iso_mat3_column(m, 0));
    f->inverse = iso_mat3_transpose(columns);
    f->semi_axes = cycled(f->semi_axes);
    f->center = cycled(f->center);
}

// Along each axis: the weighted mean of the squared distances from both is least there.
static double least_of(double c, double axis, double weight, double* of_a, double* of_b) {
    double square = axis * axis, sum = (1.0 - weight) * square + weight;
    double x = weight * c / sum, rest = (1.0 - weight) * c * axis / sum;
    *of_a += x * x;
    *of_b += rest * rest;
    return x;
}

// The point at which the larger of |x|^2 and that of B is least: there the weighted mean of both,
// which is least there, has equal parts. A mean of 1 or more: they have nothing in common.
// Perram and Wertheim, J. Comput. Phys. 58 (1985).
static bool find_inside(const frame* f, iso_vec3* out) {
    double low = 0.0, high = 1.0, of_a = 0.0, of_b = 0.0;
    for (int i = 0; i < WEIGHT_STEPS; ++i) {
        double weight = 0.5 * (low + high);
        of_a = 0.0;
        of_b = 0.0;
        out->x = least_of(f->center.x, f->semi_axes.x, weight, &of_a, &of_b);
        out->y = least_of(f->center.y, f->semi_axes.y, weight, &of_a, &of_b);
        out->z = least_of(f->center.z, f->semi_axes.z, weight, &of_a, &of_b);
        if ((1.0 - weight) * of_a + weight * of_b >= 1.0) {
            return false;
        }
        bool is_low = of_a < of_b;
        low = is_low ? weight : low;
        high = is_low ? high : weight;
    }
    return of_a < 1.0 && of_b < 1.0;
}

// Places by the map, areas as vectors by its determinant over its transpose.
static void map_moments(const frame* f, const iso_mat3* mixed, iso_volume_moments* m) {
    iso_mat3 transposed = iso_mat3_transpose(f->map);
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < i; ++k) {
            m->second.m[i][k] = m->second.m[k][i];
        }
    }
    m->reference = iso_mat3_mul_vec3(&f->map, m->reference);
    m->volume *= f->scale;
    m->first = iso_vec3_scale(iso_mat3_mul_vec3(&f->map, m->first), f->scale);
    m->second = iso_mat3_mul(iso_mat3_mul(f->map, m->second), transposed);
    m->second = iso_mat3_scale(m->second, f->scale);
    m->area = iso_vec3_scale(iso_mat3_tmul_vec3(&f->inverse, m->area), f->scale);
    iso_mat3 t = iso_mat3_mul(iso_mat3_mul(f->map, *mixed), f->inverse);
    iso_vec3 turn = {t.m[1][2] - t.m[2][1], t.m[2][0] - t.m[0][2], t.m[0][1] - t.m[1][0]};
    m->turn = iso_vec3_scale(turn, f->scale);
}

void iso_volume_ellipsoids(iso_vec3 a, iso_vec3 b, const iso_pose* x_ab,
                           iso_volume_metrics* out_metrics) {
    iso_pose x_ba = iso_pose_inverse(x_ab), x_aa = iso_pose_identity();
    frame f = make_frame(a, b, x_ab);
    double least = fmin(f.semi_axes.x, fmin(f.semi_axes.y, f.semi_axes.z));
    double most = fmax(f.semi_axes.x, fmax(f.semi_axes.y, f.semi_axes.z));
    bool is_exchanged = least * most < 1.0; // large beside the ball rather than thin
    if (is_exchanged) {
        f = make_frame(b, a, &x_ba);
    }
    iso_vec3 inside;
    iso_volume_moments m = {0};
    iso_mat3 mixed;
    *out_metrics = (iso_volume_metrics){.method = ISO_VOLUME_ANALYTIC};
    if (!find_inside(&f, &inside)) {
        return;
    }
    // Sections along the normal, which passes through the ball's centre, and not across it: there
    // what has the shape of a lens has all of its kinds near one end.
    double x = fabs(inside.x), y = fabs(inside.y), z = fabs(inside.z);
    for (int i = z <= x && z <= y ? 0 : x <= y ? 1 : 2; i > 0; --i) {
        cycle(&f);
        inside = cycled(inside);
    }
    if (!iso_volume_slice_ball(f.semi_axes, f.center, inside, &m, &mixed)) {
        return;
    }
    map_moments(&f, &mixed, &m);
    iso_volume_finish(&m, is_exchanged ? x_ab : &x_aa, ISO_VOLUME_ANALYTIC, out_metrics);
    if (!is_exchanged) { // the surface was A's
        iso_volume_exchange(out_metrics);
    }
}
