// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "prepare/surface/surface_untangle.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh/topology.h"
#include "geometry/search/bvh.h"
#include "geometry/surfaces/surface_intersections.h"
#include "prepare/measure/deviation.h"
#include "prepare/surface/surface_moves.h"

#include <math.h>
#include <string.h>

#define MOST_PAIRS 512 // robot parts: 1 to 30; overlapping bodies have thousands
#define MOST_PASSES 32
#define LEAST_HEIGHT 1e-3 // of a new triangle, over the tolerance: no needles for needles
#define SHAKE 1e-5        // of vertices, over the tolerance

typedef struct work {
    iso_surface_moving moving;
    const iso_surface_patience* patience;
    iso_bvh_box* boxes; // [triangle_count]
    bool* is_changed;   // [triangle_count] by the move that is looked at
    int* nears;         // [triangle_count] all that meet what the moves of a triangle change
    int near_count;
} work;

static bool is_over(const work* w) {
    return w->patience && w->patience->is_over(w->patience->user);
}

static void bound(work* w, int triangle) {
    const int* t = w->moving.mesh->triangles[triangle];
    const iso_vec3* p = w->moving.mesh->vertices;
    iso_vec3 corners[3] = {p[t[0]], p[t[1]], p[t[2]]};
    iso_points_bounds(corners, 3, &w->boxes[triangle].lower, &w->boxes[triangle].upper);
}

static void bound_all(work* w) {
    for (int i = 0; i < w->moving.mesh->triangle_count; ++i) {
        bound(w, i);
    }
}

static void put(work* w, const iso_surface_move* m, int (*corners)[3]) {
    for (int i = 0; i < m->count; ++i) {
        memcpy(w->moving.mesh->triangles[m->triangles[i]], corners[i], sizeof corners[i]);
        bound(w, m->triangles[i]);
    }
}

// Moves of a triangle change those around its corners, and no corner of theirs is new: whatever can
// cut them, before and after, meets the box around all of these.
static void find_nears(work* w, int triangle) {
    const iso_surface_moving* m = &w->moving;
    iso_bvh_box all = w->boxes[triangle];
    for (int k = 0; k < 3; ++k) {
        int v = m->mesh->triangles[triangle][k];
        for (int i = m->firsts[v]; i < m->firsts[v + 1]; ++i) {
            const iso_bvh_box* box = &w->boxes[m->arounds[i]];
            all.lower = iso_vec3_min(all.lower, box->lower);
            all.upper = iso_vec3_max(all.upper, box->upper);
        }
    }
    w->near_count = 0;
    for (int i = 0; i < m->mesh->triangle_count; ++i) {
        if (iso_bvh_boxes_meet(&all, &w->boxes[i])) {
            w->nears[w->near_count++] = i;
        }
    }
}

// Pairs with a triangle of the move in them.
static int count_pairs(work* w, const iso_surface_move* m) {
    const iso_tri_mesh* mesh = w->moving.mesh;
    int count = 0;
    for (int i = 0; i < m->count; ++i) {
        int a = m->triangles[i];
        if (iso_surface_is_gone(mesh->triangles[a])) {
            continue;
        }
        for (int k = 0; k < w->near_count; ++k) {
            int b = w->nears[k];
            bool is_twice = w->is_changed[b] && b <= a;
            if (!is_twice && iso_bvh_boxes_meet(&w->boxes[a], &w->boxes[b]) &&
                !iso_surface_is_gone(mesh->triangles[b])) {
                count += iso_surface_triangles_cut(mesh, a, b);
            }
        }
    }
    return count;
}

static void mark(work* w, const iso_surface_move* m, bool value) {
    for (int i = 0; i < m->count; ++i) {
        w->is_changed[m->triangles[i]] = value;
    }
}

// Looks at the moves of a triangle, and keeps one in the place of the best when it is better.
static void consider(work* w, int triangle, iso_surface_move* best) {
    iso_surface_move m;
    w->near_count = 0;
    for (int kind = 0; kind < ISO_SURFACE_MOVE_KINDS && !is_over(w); ++kind) {
        if (!iso_surface_move_make(&w->moving, triangle, kind, LEAST_HEIGHT * w->moving.tolerance,
                                   &m)) {
            continue;
        }
        if (w->near_count == 0) { // once it has a move
            find_nears(w, triangle);
        }
        mark(w, &m, true);
        m.gain = count_pairs(w, &m);
        put(w, &m, m.after);
        m.gain -= count_pairs(w, &m);
        put(w, &m, m.before);
        mark(w, &m, false);
        if (m.gain > best->gain || (m.gain > 0 && m.gain == best->gain && m.shift < best->shift)) {
            *best = m;
        }
    }
}

static bool improve(work* w, int (*pairs)[2], int count, iso_surface_untangling* done) {
    bool is_better = false;
    for (int i = 0; i < count && !is_over(w); ++i) {
        iso_surface_move best = {0};
        consider(w, pairs[i][0], &best);
        consider(w, pairs[i][1], &best);
        if (best.gain > 0) {
            iso_surface_move_do(&w->moving, &best);
            put(w, &best, best.after);
            done->flip_count += best.is_flip;
            done->collapse_count += !best.is_flip;
            is_better = true;
        }
    }
    return is_better;
}

static iso_status work_on(iso_context* ctx, work* w, iso_surface_untangling* done) {
    int pairs[MOST_PAIRS][2];
    iso_status status = ISO_OK;
    for (int pass = 0; status == ISO_OK; ++pass) {
        bound_all(w);
        status = iso_surface_find_cutting_pairs(ctx, w->moving.mesh, MOST_PAIRS, pairs,
                                                &done->pair_count);
        if (status != ISO_OK || done->pair_count == 0 || done->pair_count > MOST_PAIRS ||
            pass == MOST_PASSES || is_over(w) || !improve(w, pairs, done->pair_count, done)) {
            break;
        }
        status = iso_surface_moving_next(ctx, &w->moving);
    }
    return status;
}

// Even in [-1, 1], by its number.
static double noise(uint64_t i) {
    i = (i + 1) * 0x9e3779b97f4a7c15u;
    i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9u;
    i = (i ^ i >> 27) * 0x94d049bb133111ebu;
    return (double)(i >> 11) * 0x1p-52 - 1.0;
}

// An edge that lies in a triangle is no cut of the two: edges could be turned until all lie so. Of
// vertices shaken by less than any triangle's height they cut, and sound surfaces stay sound.
static iso_status count_shaken(iso_context* ctx, const iso_tri_mesh* mesh, double tolerance,
                               int* out_count) {
    iso_tri_mesh shaken = {0};
    iso_status status = iso_tri_mesh_copy_scaled(ctx, mesh, iso_vec3_make(1.0, 1.0, 1.0), &shaken);
    for (int i = 0; status == ISO_OK && i < shaken.vertex_count; ++i) {
        uint64_t k = 3 * (uint64_t)i;
        iso_vec3 by = iso_vec3_make(noise(k), noise(k + 1), noise(k + 2));
        by = iso_vec3_scale(by, SHAKE * tolerance);
        shaken.vertices[i] = iso_vec3_add(shaken.vertices[i], by);
    }
    if (status == ISO_OK) {
        status = iso_surface_find_intersections(ctx, &shaken, 0, out_count, NULL);
    }
    iso_tri_mesh_destroy(ctx, &shaken);
    return status;
}

iso_status iso_surface_untangle(iso_context* ctx, iso_tri_mesh* mesh, double tolerance,
                                const iso_surface_patience* patience,
                                iso_surface_untangling* out_done) {
    work w = {.patience = patience};
    iso_status status = ISO_OK;
    *out_done = (iso_surface_untangling){0};
    ISO_TRY(iso_surface_moving_create(ctx, mesh, tolerance, &w.moving));
    w.boxes = iso_alloc_array(ctx, mesh->triangle_count, sizeof *w.boxes);
    w.is_changed = iso_alloc_array(ctx, mesh->triangle_count, sizeof *w.is_changed);
    w.nears = iso_alloc_array(ctx, mesh->triangle_count, sizeof *w.nears);
    ISO_CHECK(ctx, w.boxes && w.is_changed && w.nears, ISO_ERR_MEMORY, "boxes of %d triangles",
              mesh->triangle_count);
    ISO_TRY(work_on(ctx, &w, out_done));
    if (out_done->pair_count == 0) {
        status = count_shaken(ctx, mesh, tolerance, &out_done->pair_count);
    }

done:
    iso_surface_moving_destroy(ctx, &w.moving);
    iso_free(ctx, w.boxes);
    iso_free(ctx, w.is_changed);
    iso_free(ctx, w.nears);
    return status;
}

iso_status iso_surface_untangle_near(iso_context* ctx, iso_tri_mesh* mesh,
                                     const iso_tri_mesh* given, double tolerance, double limit,
                                     const iso_surface_patience* patience,
                                     iso_surface_untangling* out_done, double* out_shift) {
    iso_prepare_deviation there = {0}, back = {0};
    iso_status status = ISO_OK;
    *out_shift = 0.0;
    ISO_TRY(iso_surface_untangle(ctx, mesh, tolerance, patience, out_done));
    ISO_CHECK(ctx, out_done->pair_count == 0, ISO_ERR_GEOMETRY, "%d pairs cut each other",
              out_done->pair_count);
    ISO_TRY(iso_tri_mesh_check_closed(ctx, mesh));
    ISO_TRY(iso_surface_measure_deviation(ctx, mesh, given, &there));
    ISO_TRY(iso_surface_measure_deviation(ctx, given, mesh, &back));
    *out_shift = fmax(there.max, back.max);
    ISO_CHECK(ctx, *out_shift <= limit, ISO_ERR_GEOMETRY, "shifted by %g m", *out_shift);

done:
    return status;
}
