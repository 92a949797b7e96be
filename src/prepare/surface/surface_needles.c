// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "prepare/surface/surface_needles.h"

#include "geometry/mesh/mesh.h"
#include "prepare/surface/surface_moves.h"

#include <math.h>

#define MOST_PASSES 40
#define TURN_COSINE 0.7 // between the normals of a triangle before and after
#define FLAT_SHARE 0.1  // of the height: below it a triangle's normal says little

static iso_vec3 normal_of(const iso_tri_mesh* mesh, const int t[3]) {
    const iso_vec3* p = mesh->vertices;
    return iso_vec3_normalized(iso_triangle_area_vector(p[t[0]], p[t[1]], p[t[2]]));
}

// Triangles that are no needles face where they did.
static bool keeps_normals(const iso_tri_mesh* mesh, const iso_surface_move* m, double height) {
    for (int i = 0; i < m->count && !m->is_flip; ++i) {
        if (!iso_surface_is_gone(m->after[i]) &&
            iso_surface_height(mesh, m->before[i]) > FLAT_SHARE * height &&
            iso_vec3_dot(normal_of(mesh, m->before[i]), normal_of(mesh, m->after[i])) <
                TURN_COSINE) {
            return false;
        }
    }
    if (!m->is_flip) {
        return true;
    }
    return iso_vec3_dot(normal_of(mesh, m->after[0]), normal_of(mesh, m->after[1])) > TURN_COSINE;
}

static double least_height(const iso_tri_mesh* mesh, const iso_surface_move* m, bool is_after) {
    double least = INFINITY;
    for (int i = 0; i < m->count; ++i) {
        const int* t = is_after ? m->after[i] : m->before[i];
        if (!iso_surface_is_gone(t)) {
            least = fmin(least, iso_surface_height(mesh, t));
        }
    }
    return least;
}

// The move that leaves the highest triangles, of those that shrink an edge or raise the lowest.
static bool choose(const iso_surface_moving* moving, int triangle, double height,
                   iso_surface_move* best) {
    iso_surface_move m;
    double best_height = 0.0;
    for (int kind = ISO_SURFACE_MOVE_KINDS - 1; kind >= 0; --kind) {
        if (!iso_surface_move_make(moving, triangle, kind, height, &m) ||
            !keeps_normals(moving->mesh, &m, height)) {
            continue;
        }
        double after = least_height(moving->mesh, &m, true);
        bool is_better = !m.is_flip || after > 1.5 * least_height(moving->mesh, &m, false);
        if (is_better && after > best_height) {
            best_height = after;
            *best = m;
        }
    }
    return best_height > 0.0;
}

iso_status iso_surface_blunt_needles(iso_context* ctx, iso_tri_mesh* mesh, double height,
                                     int* out_move_count) {
    iso_surface_moving moving;
    iso_surface_move best;
    *out_move_count = 0;
    iso_status status = iso_surface_moving_create(ctx, mesh, height, &moving);
    for (int pass = 0; status == ISO_OK && pass < MOST_PASSES; ++pass) {
        int count = 0;
        for (int i = 0; i < mesh->triangle_count; ++i) {
            const int* t = mesh->triangles[i];
            if (!iso_surface_is_gone(t) && iso_surface_height(mesh, t) < height &&
                choose(&moving, i, height, &best)) {
                iso_surface_move_do(&moving, &best);
                ++count;
            }
        }
        if (count == 0) {
            break;
        }
        *out_move_count += count;
        status = iso_surface_moving_next(ctx, &moving);
    }
    iso_surface_moving_destroy(ctx, &moving);
    return status;
}
