// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Exact integrals over the overlap of two bodies of tetrahedra, the slow way: every pair of
// tetrahedra is cut into tetrahedra by planes. Shares no code with the engine.

#include "field/structure/field.h"

#include <stdlib.h>

typedef struct overlap_tet {
    iso_vec3 v[4];
} overlap_tet;

typedef struct overlap_plane {
    iso_vec3 n;
    double d; ///< positive part: n . x + d > 0
} overlap_plane;

static inline double overlap_at(overlap_plane f, iso_vec3 x) {
    return iso_vec3_dot(f.n, x) + f.d;
}

static inline double overlap_volume(const overlap_tet* t) {
    iso_vec3 e1 = iso_vec3_sub(t->v[1], t->v[0]), e2 = iso_vec3_sub(t->v[2], t->v[0]);
    return fabs(iso_vec3_dot(iso_vec3_cross(e1, e2), iso_vec3_sub(t->v[3], t->v[0]))) / 6.0;
}

/// Keep the positive part of a tetrahedron: 0 to 3 tetrahedra.
static inline int overlap_cut(const overlap_tet* t, overlap_plane f, overlap_tet out[3]) {
    double h[4];
    int plus[4], minus[4], plus_count = 0, minus_count = 0;
    for (int i = 0; i < 4; ++i) {
        h[i] = overlap_at(f, t->v[i]);
        if (h[i] > 0.0) {
            plus[plus_count++] = i;
        } else {
            minus[minus_count++] = i;
        }
    }
    if (minus_count == 0) {
        out[0] = *t;
        return 1;
    }
    iso_vec3 x[4][4]; // x[i][j] where the edge from a positive i to j meets the plane
    for (int i = 0; i < plus_count; ++i) {
        for (int j = 0; j < minus_count; ++j) {
            double s = h[plus[i]] / (h[plus[i]] - h[minus[j]]);
            x[i][j] = iso_vec3_lerp(t->v[plus[i]], t->v[minus[j]], s);
        }
    }
    const iso_vec3* v = t->v;
    if (plus_count == 0) {
        return 0;
    }
    if (plus_count == 1) {
        out[0] = (overlap_tet){{v[plus[0]], x[0][0], x[0][1], x[0][2]}};
        return 1;
    }
    // What is left is a wedge with triangular ends p and q.
    iso_vec3 p[3], q[3];
    if (plus_count == 2) {
        p[0] = v[plus[0]], p[1] = x[0][0], p[2] = x[0][1];
        q[0] = v[plus[1]], q[1] = x[1][0], q[2] = x[1][1];
    } else {
        for (int i = 0; i < 3; ++i) {
            p[i] = v[plus[i]];
            q[i] = x[i][0];
        }
    }
    out[0] = (overlap_tet){{p[0], p[1], p[2], q[0]}};
    out[1] = (overlap_tet){{p[1], p[2], q[0], q[1]}};
    out[2] = (overlap_tet){{p[2], q[0], q[1], q[2]}};
    return 3;
}

typedef struct overlap_list {
    int count, capacity;
    overlap_tet* tets;
} overlap_list;

static inline void overlap_push(overlap_list* list, const overlap_tet* tets, int count) {
    if (list->count + count > list->capacity) {
        list->capacity = 2 * list->capacity + count;
        list->tets = realloc(list->tets, (size_t)list->capacity * sizeof *list->tets);
        if (!list->tets) {
            abort();
        }
    }
    for (int i = 0; i < count; ++i) {
        list->tets[list->count++] = tets[i];
    }
}

/// Replace the tetrahedra of a list by their positive parts.
static inline void overlap_keep(overlap_list* list, overlap_plane f, overlap_list* spare) {
    spare->count = 0;
    for (int i = 0; i < list->count; ++i) {
        overlap_tet parts[3];
        overlap_push(spare, parts, overlap_cut(&list->tets[i], f, parts));
    }
    overlap_list swap = *list;
    *list = *spare;
    *spare = swap;
}

/// Integral of an affine function over a list.
static inline double overlap_integral(const overlap_list* list, overlap_plane f) {
    double sum = 0.0;
    for (int i = 0; i < list->count; ++i) {
        double mean = 0.0;
        for (int k = 0; k < 4; ++k) {
            mean += 0.25 * overlap_at(f, list->tets[i].v[k]);
        }
        sum += mean * overlap_volume(&list->tets[i]);
    }
    return sum;
}

/// A tetrahedron in the world with its pressure and its inner sides.
typedef struct overlap_body_tet {
    overlap_tet t;
    overlap_plane pressure, side[4];
    iso_vec3 lower, upper;
} overlap_body_tet;

static inline overlap_body_tet* overlap_tets(const iso_field* field, const iso_pose* x_w) {
    const iso_tet_mesh* mesh = &field->mesh;
    overlap_body_tet* tets = malloc((size_t)mesh->tet_count * sizeof *tets);
    for (int i = 0; tets && i < mesh->tet_count; ++i) {
        overlap_body_tet* t = &tets[i];
        for (int k = 0; k < 4; ++k) {
            t->t.v[k] = iso_pose_point(x_w, mesh->vertices[mesh->tets[i][k]]);
        }
        t->pressure = (overlap_plane){iso_vec3_zero(), 0.0};
        t->lower = t->upper = t->t.v[0];
        for (int k = 0; k < 4; ++k) {
            iso_vec3 a = t->t.v[(k + 1) % 4], b = t->t.v[(k + 2) % 4], c = t->t.v[(k + 3) % 4];
            iso_vec3 n = iso_vec3_cross(iso_vec3_sub(b, a), iso_vec3_sub(c, a));
            overlap_plane f = {n, -iso_vec3_dot(n, a)};
            double h = overlap_at(f, t->t.v[k]), p = field->pressures[mesh->tets[i][k]];
            // Barycentric coordinate k is f / h.
            t->side[k] = (overlap_plane){iso_vec3_scale(n, 1.0 / h), f.d / h};
            t->pressure.n = iso_vec3_add_scaled(t->pressure.n, t->side[k].n, p);
            t->pressure.d += p * t->side[k].d;
            t->lower = iso_vec3_min(t->lower, t->t.v[k]);
            t->upper = iso_vec3_max(t->upper, t->t.v[k]);
        }
    }
    return tets;
}

/// Over the overlap: volume, the part where the field of A is below that of B, energies.
typedef struct overlap_sums {
    double volume;   ///< of the overlap [m^3]
    double volume_a; ///< displaced from A: p_A < p_B [m^3]
    double volume_b; ///< displaced from B [m^3]
    double u_a, u_b; ///< integrals of p_A over volume_a, of p_B over volume_b [J]
    int pair_count;  ///< pairs of tetrahedra that overlap
} overlap_sums;

/// With is_b_rigid B's pressure counts as infinite. O(n_A n_B).
static inline overlap_sums overlap_measure(const iso_field* field_a, const iso_pose* x_wa,
                                           const iso_field* field_b, const iso_pose* x_wb,
                                           bool is_b_rigid) {
    overlap_sums sums = {0};
    overlap_body_tet* a = overlap_tets(field_a, x_wa);
    overlap_body_tet* b = overlap_tets(field_b, x_wb);
    overlap_list list = {0}, spare = {0}, other = {0};
    const overlap_plane one = {{0.0, 0.0, 0.0}, 1.0};
    for (int i = 0; i < field_a->mesh.tet_count; ++i) {
        for (int j = 0; j < field_b->mesh.tet_count; ++j) {
            if (a[i].lower.x > b[j].upper.x || b[j].lower.x > a[i].upper.x ||
                a[i].lower.y > b[j].upper.y || b[j].lower.y > a[i].upper.y ||
                a[i].lower.z > b[j].upper.z || b[j].lower.z > a[i].upper.z) {
                continue;
            }
            list.count = 0;
            overlap_push(&list, &a[i].t, 1);
            for (int k = 0; k < 4 && list.count > 0; ++k) {
                overlap_keep(&list, b[j].side[k], &spare);
            }
            double volume = overlap_integral(&list, one);
            if (volume == 0.0) {
                continue;
            }
            sums.pair_count++;
            sums.volume += volume;
            if (is_b_rigid) {
                sums.volume_a += volume;
                sums.u_a += overlap_integral(&list, a[i].pressure);
                continue;
            }
            overlap_plane h = {iso_vec3_sub(b[j].pressure.n, a[i].pressure.n),
                               b[j].pressure.d - a[i].pressure.d};
            overlap_plane minus = {iso_vec3_neg(h.n), -h.d};
            other.count = 0;
            overlap_push(&other, list.tets, list.count);
            overlap_keep(&list, h, &spare);
            sums.volume_a += overlap_integral(&list, one);
            sums.u_a += overlap_integral(&list, a[i].pressure);
            overlap_keep(&other, minus, &spare);
            sums.volume_b += overlap_integral(&other, one);
            sums.u_b += overlap_integral(&other, b[j].pressure);
        }
    }
    free(list.tets);
    free(spare.tets);
    free(other.tets);
    free(a);
    free(b);
    return sums;
}
