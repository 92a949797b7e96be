// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/moments/moments.h"

#include "surface/moments/boundary.h"

// A polygon cut at p = 0 has one vertex more, or a few where p is rounding noise.
#define MAX_LOADED (2 * ISO_MOVING_VERTICES)

// The part of a polygon where p >= 0, relative to P.
typedef struct loaded_part {
    int count;
    iso_vec3 arms[MAX_LOADED];
    double pressures[MAX_LOADED];
    int edges[MAX_LOADED]; // of the polygon, on which the edge from here lies; -1: p = 0
} loaded_part;

static void put_loaded(loaded_part* out, iso_vec3 arm, double pressure, int edge) {
    out->arms[out->count] = arm;
    out->pressures[out->count] = pressure;
    out->edges[out->count++] = edge;
}

// Cut a convex polygon at p = 0.
static void find_loaded(const iso_vec3* vertices, const double* pressures, int count, iso_vec3 p_wp,
                        loaded_part* out) {
    out->count = 0;
    for (int i = 0; i < count; ++i) {
        int next = i + 1 < count ? i + 1 : 0;
        double p = pressures[i], q = pressures[next];
        iso_vec3 arm = iso_vec3_sub(vertices[i], p_wp);
        if (p >= 0.0) {
            put_loaded(out, arm, p, i);
        }
        if ((p >= 0.0) != (q >= 0.0)) {
            iso_vec3 end = iso_vec3_sub(vertices[next], p_wp);
            put_loaded(out, iso_vec3_lerp(arm, end, p / (p - q)), 0.0, p >= 0.0 ? -1 : i);
        }
    }
}

// Integrals over one polygon by a fan about its first vertex, exact to second order in position and
// pressure together.
typedef struct polygon_sums {
    double area, load;
    iso_vec3 first, load_first; // int r, int p r
    double second[6];           // int r r^T: xx, yy, zz, xy, xz, yz
} polygon_sums;

static void add_products(double second[6], double weight, iso_vec3 r) {
    second[0] += weight * r.x * r.x;
    second[1] += weight * r.y * r.y;
    second[2] += weight * r.z * r.z;
    second[3] += weight * r.x * r.y;
    second[4] += weight * r.x * r.z;
    second[5] += weight * r.y * r.z;
}

static void add_polygon(const iso_vec3* arms, const double* pressures, int count, iso_vec3 normal,
                        polygon_sums* sums) {
    for (int i = 2; i < count; ++i) {
        iso_vec3 a = arms[0], b = arms[i - 1], c = arms[i];
        double pa = pressures[0], pb = pressures[i - 1], pc = pressures[i];
        double area =
            0.5 * iso_vec3_dot(normal, iso_vec3_cross(iso_vec3_sub(b, a), iso_vec3_sub(c, a)));
        iso_vec3 sum = iso_vec3_add(iso_vec3_add(a, b), c);
        double pressure_sum = pa + pb + pc, twelfth = area / 12.0;
        sums->area += area;
        sums->load += area / 3.0 * pressure_sum;
        sums->first = iso_vec3_add_scaled(sums->first, sum, area / 3.0);
        iso_vec3 mixed = iso_vec3_scale(sum, pressure_sum);
        mixed = iso_vec3_add_scaled(mixed, a, pa);
        mixed = iso_vec3_add_scaled(mixed, b, pb);
        mixed = iso_vec3_add_scaled(mixed, c, pc);
        sums->load_first = iso_vec3_add_scaled(sums->load_first, mixed, twelfth);
        add_products(sums->second, twelfth, sum);
        add_products(sums->second, twelfth, a);
        add_products(sums->second, twelfth, b);
        add_products(sums->second, twelfth, c);
    }
}

static bool is_loaded_everywhere(const double* pressures, int count) {
    for (int i = 0; i < count; ++i) {
        if (pressures[i] < 0.0) {
            return false;
        }
    }
    return true;
}

iso_patch_moments iso_patch_find_moments(const iso_patch* patch, iso_vec3 p_wp) {
    iso_patch_moments m = {0};
    for (int f = 0; f < patch->face_count; ++f) {
        int begin = patch->face_offsets[f], count = patch->face_offsets[f + 1] - begin;
        const double* pressures = patch->vertex_pressures + begin;
        iso_vec3 n = patch->normals[f];
        iso_vec3 arms[ISO_MOVING_VERTICES];
        for (int i = 0; i < count; ++i) {
            arms[i] = iso_vec3_sub(patch->vertices[begin + i], p_wp);
        }
        polygon_sums all = {0};
        add_polygon(arms, pressures, count, n, &all);
        m.area += all.area;
        m.area_vector = iso_vec3_add_scaled(m.area_vector, n, all.area);
        m.first = iso_vec3_add(m.first, all.first);
        polygon_sums loaded = all;
        if (!is_loaded_everywhere(pressures, count)) {
            loaded_part part;
            loaded = (polygon_sums){0};
            find_loaded(patch->vertices + begin, pressures, count, p_wp, &part);
            add_polygon(part.arms, part.pressures, part.count, n, &loaded);
        }
        m.load += loaded.load;
        m.load_first = iso_vec3_add(m.load_first, loaded.load_first);
        m.wrench.translational = iso_vec3_add_scaled(m.wrench.translational, n, loaded.load);
        m.wrench.rotational =
            iso_vec3_add(m.wrench.rotational, iso_vec3_cross(loaded.load_first, n));
    }
    return m;
}

iso_spatial iso_patch_wrench(const iso_patch* patch, iso_vec3 p_wp) {
    return iso_patch_find_moments(patch, p_wp).wrench;
}

// K += weight * row * column^T
static void add_outer(double k[6][6], double weight, iso_spatial row, iso_spatial column) {
    double r[6], c[6];
    iso_rate_unpack(row, r);
    iso_rate_unpack(column, c);
    for (int i = 0; i < 6; ++i) {
        double wr = weight * r[i];
        for (int j = 0; j < 6; ++j) {
            k[i][j] += wr * c[j];
        }
    }
}

static void add_block(double k[6][6], int row, int column, const iso_mat3* block) {
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            k[row + i][column + j] += block->m[i][j];
        }
    }
}

// Change of pressure inside: K += int (r x n; n) (r x b; b)^T dA.
static void add_pressure_change(const polygon_sums* sums, iso_vec3 n, iso_vec3 b, double k[6][6]) {
    const double* t = sums->second;
    iso_mat3 second = {{{t[0], t[3], t[4]}, {t[3], t[1], t[5]}, {t[4], t[5], t[2]}}};
    iso_mat3 skew_n = iso_mat3_skew(n), skew_b = iso_mat3_skew(b);
    // r x n = -[n] r, so the product is [n] r r^T [b]^T.
    iso_mat3 both = iso_mat3_mul(iso_mat3_mul(skew_n, second), iso_mat3_transpose(skew_b));
    iso_mat3 upper = iso_mat3_outer(iso_vec3_cross(sums->first, n), b);
    iso_mat3 lower = iso_mat3_outer(n, iso_vec3_cross(sums->first, b));
    iso_mat3 force = iso_mat3_scale(iso_mat3_outer(n, b), sums->area);
    add_block(k, 0, 0, &both);
    add_block(k, 0, 3, &upper);
    add_block(k, 3, 0, &lower);
    add_block(k, 3, 3, &force);
}

// Turning of the normal: the force int p dn and the moment (int p r) x dn.
static void add_turn(const polygon_sums* sums, const iso_moving_polygon* polygon, double k[6][6]) {
    iso_mat3 rate = iso_moving_polygon_normal_rate(polygon);
    iso_mat3 force = iso_mat3_scale(rate, sums->load);
    iso_mat3 moment = iso_mat3_mul(iso_mat3_skew(sums->load_first), rate);
    add_block(k, 0, 0, &moment);
    add_block(k, 3, 0, &force);
}

// What the edges sweep: K += int p (r x n; n) (r x e; e)^T ds, by two points of Gauss, exact for
// cubics.
static void add_sweep(const loaded_part* part, const iso_moving_polygon* polygon, double k[6][6]) {
    const double near = 0.5 - 0.28867513459481288; // (1 - 1 / sqrt(3)) / 2
    for (int i = 0; i < part->count; ++i) {
        if (part->edges[i] < 0) {
            continue;
        }
        int next = i + 1 < part->count ? i + 1 : 0;
        iso_vec3 rate = polygon->edge_rates[part->edges[i]];
        double half = 0.5 * iso_vec3_distance(part->arms[i], part->arms[next]);
        for (int point = 0; point < 2; ++point) {
            double at = point == 0 ? near : 1.0 - near;
            iso_vec3 arm = iso_vec3_lerp(part->arms[i], part->arms[next], at);
            double p = part->pressures[i] + at * (part->pressures[next] - part->pressures[i]);
            add_outer(k, half * p, iso_rate_at(polygon->normal, arm), iso_rate_at(rate, arm));
        }
    }
}

iso_status iso_patch_wrench_derivative(iso_context* ctx, const iso_contact_shape* a,
                                       const iso_pose* x_wa, const iso_contact_shape* b,
                                       const iso_pose* x_wb, iso_representation representation,
                                       const iso_patch* patch, iso_vec3 p_wp,
                                       iso_spatial* out_wrench, double out_derivative[6][6]) {
    double k[6][6] = {{0.0}};
    iso_spatial wrench = iso_spatial_zero();
    iso_boundary_walk walk;
    iso_moving_polygon polygon;
    iso_boundary_walk_begin(&walk, a, x_wa, b, x_wb, representation, patch);
    while (iso_boundary_walk_next(&walk, &polygon)) {
        loaded_part part;
        polygon_sums sums = {0};
        find_loaded(polygon.vertices, polygon.pressures, polygon.count, p_wp, &part);
        add_polygon(part.arms, part.pressures, part.count, polygon.normal, &sums);
        iso_spatial force = iso_spatial_make(iso_vec3_cross(sums.load_first, polygon.normal),
                                             iso_vec3_scale(polygon.normal, sums.load));
        wrench = iso_spatial_add(wrench, force);
        add_pressure_change(&sums, polygon.normal, polygon.pressure_rate, k);
        add_turn(&sums, &polygon, k);
        add_sweep(&part, &polygon, k);
    }
    *out_wrench = wrench;
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) {
            out_derivative[i][j] = k[i][j];
        }
    }
    return iso_boundary_walk_finish(&walk, ctx);
}
