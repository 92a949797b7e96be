// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "prepare/surface/surface_moves.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "geometry/mesh/mesh.h"
#include "geometry/search/distance.h"
#include "prepare/surface/surface_repair.h"

#include <math.h>
#include <string.h>

#define SAMPLE_SHARE 4 // cuts of a triangle's side between samples

static void find_arounds(iso_surface_moving* m) {
    const iso_tri_mesh* mesh = m->mesh;
    memset(m->firsts, 0, ((size_t)mesh->vertex_count + 2) * sizeof *m->firsts);
    for (int i = 0; i < 3 * mesh->triangle_count; ++i) {
        ++m->firsts[mesh->triangles[i / 3][i % 3] + 2];
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        m->firsts[v + 2] += m->firsts[v + 1];
    }
    for (int i = 0; i < 3 * mesh->triangle_count; ++i) {
        m->arounds[m->firsts[mesh->triangles[i / 3][i % 3] + 1]++] = i / 3;
    }
}

iso_status iso_surface_moving_create(iso_context* ctx, iso_tri_mesh* mesh, double tolerance,
                                     iso_surface_moving* out_moving) {
    *out_moving = (iso_surface_moving){.mesh = mesh, .tolerance = tolerance};
    out_moving->firsts = iso_alloc_array(ctx, mesh->vertex_count + 2, sizeof(int));
    out_moving->arounds = iso_alloc_array(ctx, mesh->triangle_count, 3 * sizeof(int));
    out_moving->is_stale = iso_alloc_array(ctx, mesh->vertex_count, sizeof(bool));
    ISO_REQUIRE(ctx, out_moving->firsts && out_moving->arounds && out_moving->is_stale,
                ISO_ERR_MEMORY, "neighbours of %d vertices", mesh->vertex_count);
    find_arounds(out_moving);
    return ISO_OK;
}

void iso_surface_moving_destroy(iso_context* ctx, iso_surface_moving* moving) {
    iso_free(ctx, moving->firsts);
    iso_free(ctx, moving->arounds);
    iso_free(ctx, moving->is_stale);
    *moving = (iso_surface_moving){0};
}

iso_status iso_surface_moving_next(iso_context* ctx, iso_surface_moving* moving) {
    iso_surface_repair unused = {0};
    iso_status status = iso_surface_tidy(ctx, moving->mesh, &unused);
    if (status == ISO_OK) {
        memset(moving->is_stale, 0, (size_t)moving->mesh->vertex_count * sizeof(bool));
        find_arounds(moving);
    }
    return status;
}

static bool has(const int t[3], int vertex) {
    return t[0] == vertex || t[1] == vertex || t[2] == vertex;
}

static bool is_edge(const iso_surface_moving* m, int a, int b) {
    bool found = false;
    for (int i = m->firsts[a]; i < m->firsts[a + 1]; ++i) {
        found = found || has(m->mesh->triangles[m->arounds[i]], b);
    }
    return found;
}

static void add(iso_surface_move* move, const iso_surface_moving* m, int triangle, int a, int b,
                int c) {
    memcpy(move->before[move->count], m->mesh->triangles[triangle], sizeof move->before[0]);
    move->after[move->count][0] = a;
    move->after[move->count][1] = b;
    move->after[move->count][2] = c;
    move->triangles[move->count++] = triangle;
}

// Edge a-b between triangles (a, b, c) and (b, a, d) becomes c-d.
static bool make_flip(const iso_surface_moving* m, int triangle, int side, iso_surface_move* move) {
    const int* t = m->mesh->triangles[triangle];
    int a = t[side], b = t[(side + 1) % 3], c = t[(side + 2) % 3], d = -1, other = -1, count = 0;
    for (int i = m->firsts[a]; i < m->firsts[a + 1]; ++i) {
        const int* n = m->mesh->triangles[m->arounds[i]];
        if (m->arounds[i] == triangle || !has(n, b)) {
            continue;
        }
        other = m->arounds[i];
        ++count;
        for (int k = 0; k < 3; ++k) {
            d = n[k] != a && n[k] != b ? n[k] : d;
        }
    }
    if (count != 1 || c == d || is_edge(m, c, d)) {
        return false;
    }
    move->is_flip = true;
    add(move, m, triangle, a, d, c);
    add(move, m, other, d, b, c);
    return true;
}

// Vertices that are joined to both ends of an edge: two of them where shrinking it keeps the
// surface one.
static int count_common_neighbors(const iso_surface_moving* m, const iso_surface_move* move,
                                  int from, int to) {
    int seen[2 * ISO_SURFACE_MOVE_MAX], count = 0, common = 0;
    for (int i = 0; i < 3 * move->count; ++i) {
        int v = move->before[i / 3][i % 3];
        bool is_new = v != from && v != to;
        for (int k = 0; k < count && is_new; ++k) {
            is_new = seen[k] != v;
        }
        if (is_new && count < 2 * ISO_SURFACE_MOVE_MAX) {
            seen[count++] = v;
            common += is_edge(m, to, v);
        }
    }
    return common;
}

// Vertex `from` becomes `to`.
static bool make_collapse(const iso_surface_moving* m, int from, int to, iso_surface_move* move) {
    int shared = 0, count = m->firsts[from + 1] - m->firsts[from];
    if (count > ISO_SURFACE_MOVE_MAX) {
        return false;
    }
    for (int i = m->firsts[from]; i < m->firsts[from + 1]; ++i) {
        const int* t = m->mesh->triangles[m->arounds[i]];
        if (has(t, to)) {
            add(move, m, m->arounds[i], to, to, to);
            ++shared;
        } else {
            add(move, m, m->arounds[i], t[0] == from ? to : t[0], t[1] == from ? to : t[1],
                t[2] == from ? to : t[2]);
        }
    }
    return shared == 2 && count_common_neighbors(m, move, from, to) == 2;
}

double iso_surface_height(const iso_tri_mesh* mesh, const int corners[3]) {
    const iso_vec3* p = mesh->vertices;
    double longest = 0.0;
    for (int k = 0; k < 3; ++k) {
        longest = fmax(longest, iso_vec3_distance(p[corners[k]], p[corners[(k + 1) % 3]]));
    }
    iso_vec3 area = iso_triangle_area_vector(p[corners[0]], p[corners[1]], p[corners[2]]);
    return longest > 0.0 ? 2.0 * iso_vec3_norm(area) / longest : 0.0;
}

static double distance_to_all(const iso_vec3* p, const int (*triangles)[3], int count, iso_vec3 q) {
    double least = INFINITY;
    for (int i = 0; i < count; ++i) {
        const int* t = triangles[i];
        iso_vec3 near = iso_triangle_nearest_point(q, p[t[0]], p[t[1]], p[t[2]]);
        least = fmin(least, iso_vec3_distance(q, near));
    }
    return least;
}

// How far points of some triangles are from others.
static double shift_from(const iso_vec3* p, const int (*from)[3], const int (*to)[3], int count,
                         double enough) {
    double most = 0.0;
    for (int i = 0; i < count && most <= enough; ++i) {
        const int* t = from[i];
        for (int u = 0; u <= SAMPLE_SHARE; ++u) {
            for (int v = 0; u + v <= SAMPLE_SHARE; ++v) {
                iso_vec3 q = iso_vec3_lerp(p[t[0]], p[t[1]], (double)u / SAMPLE_SHARE);
                iso_vec3 side = iso_vec3_sub(p[t[2]], p[t[0]]);
                q = iso_vec3_add(q, iso_vec3_scale(side, (double)v / SAMPLE_SHARE));
                most = fmax(most, distance_to_all(p, to, count, q));
            }
        }
    }
    return most;
}

// A short edge that shrinks takes no point farther than its length.
static double shift_of(const iso_surface_moving* m, const iso_surface_move* move, double length) {
    const iso_vec3* p = m->mesh->vertices;
    if (!move->is_flip && length <= m->tolerance) {
        return length;
    }
    double there = shift_from(p, move->before, move->after, move->count, m->tolerance);
    return there > m->tolerance
               ? there
               : fmax(there, shift_from(p, move->after, move->before, move->count, m->tolerance));
}

static bool is_stale(const iso_surface_moving* m, const iso_surface_move* move) {
    for (int i = 0; i < 3 * move->count; ++i) {
        if (m->is_stale[move->before[i / 3][i % 3]]) {
            return true;
        }
    }
    return false;
}

// The flattest triangle may stay as flat.
static bool keeps_heights(const iso_surface_moving* m, const iso_surface_move* move,
                          double least_height) {
    double before = least_height, after = INFINITY;
    for (int i = 0; i < move->count; ++i) {
        before = fmin(before, iso_surface_height(m->mesh, move->before[i]));
        if (!iso_surface_is_gone(move->after[i])) {
            after = fmin(after, iso_surface_height(m->mesh, move->after[i]));
        }
    }
    return after >= before && after < INFINITY;
}

bool iso_surface_move_make(const iso_surface_moving* moving, int triangle, int kind,
                           double least_height, iso_surface_move* out_move) {
    const int* t = moving->mesh->triangles[triangle];
    int side = kind % 3, a = t[side], b = t[(side + 1) % 3];
    out_move->count = 0;
    out_move->is_flip = false;
    out_move->gain = 0;
    if (moving->is_stale[t[0]] || moving->is_stale[t[1]] || moving->is_stale[t[2]]) {
        return false;
    }
    bool is_made = kind < 3   ? make_flip(moving, triangle, side, out_move)
                   : kind < 6 ? make_collapse(moving, a, b, out_move)
                              : make_collapse(moving, b, a, out_move);
    if (!is_made || is_stale(moving, out_move) || !keeps_heights(moving, out_move, least_height)) {
        return false;
    }
    const iso_vec3* p = moving->mesh->vertices;
    out_move->shift = shift_of(moving, out_move, iso_vec3_distance(p[a], p[b]));
    return out_move->shift <= moving->tolerance;
}

void iso_surface_move_do(iso_surface_moving* moving, const iso_surface_move* move) {
    for (int i = 0; i < move->count; ++i) {
        memcpy(moving->mesh->triangles[move->triangles[i]], move->after[i], sizeof move->after[0]);
        for (int k = 0; k < 3; ++k) {
            moving->is_stale[move->before[i][k]] = true;
        }
    }
}
