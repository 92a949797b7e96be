// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/surface_intersections.h"

#include "base/alloc.h"
#include "base/fail.h"
#include "geometry/bvh.h"
#include "geometry/mesh.h"

#include <math.h>

// Six times the signed volume over the largest it could be for points this far apart: below this a
// point counts as in the plane.
#define FLAT 1e-10

typedef struct triangle {
    iso_vec3 p[3];
} triangle;

static triangle get(const iso_tri_mesh* mesh, int i) {
    const int* t = mesh->triangles[i];
    return (triangle){{mesh->vertices[t[0]], mesh->vertices[t[1]], mesh->vertices[t[2]]}};
}

// Side of d with respect to the plane of a, b, c: -1, 0, 1.
static int side_of(iso_vec3 a, iso_vec3 b, iso_vec3 c, iso_vec3 d) {
    iso_vec3 ab = iso_vec3_sub(b, a), ac = iso_vec3_sub(c, a), ad = iso_vec3_sub(d, a);
    double volume = iso_vec3_dot(iso_vec3_cross(ab, ac), ad);
    double scale = iso_vec3_norm(ab) * iso_vec3_norm(ac) * iso_vec3_norm(ad);
    return volume > FLAT * scale ? 1 : (volume < -FLAT * scale ? -1 : 0);
}

// True when the open segment p-q passes through the inside of a triangle.
static bool pierces(iso_vec3 p, iso_vec3 q, const triangle* t, iso_vec3* out_where) {
    int side_p = side_of(t->p[0], t->p[1], t->p[2], p);
    int side_q = side_of(t->p[0], t->p[1], t->p[2], q);
    if (side_p * side_q >= 0) {
        return false;
    }
    int sign = 0;
    for (int k = 0; k < 3; ++k) {
        int side = side_of(p, q, t->p[k], t->p[(k + 1) % 3]);
        if (side == 0 || (sign != 0 && side != sign)) {
            return false;
        }
        sign = side;
    }
    iso_vec3 n = iso_vec3_cross(iso_vec3_sub(t->p[1], t->p[0]), iso_vec3_sub(t->p[2], t->p[0]));
    double from = iso_vec3_dot(n, iso_vec3_sub(p, t->p[0]));
    double to = iso_vec3_dot(n, iso_vec3_sub(q, t->p[0]));
    *out_where = iso_vec3_lerp(p, q, from != to ? from / (from - to) : 0.5);
    return true;
}

static iso_vec3 centroid(const triangle* t) {
    return iso_vec3_scale(iso_vec3_add(iso_vec3_add(t->p[0], t->p[1]), t->p[2]), 1.0 / 3.0);
}

// Strictly inside, seen along the triangle's normal.
static bool covers(const triangle* t, iso_vec3 p) {
    iso_vec3 n = iso_vec3_cross(iso_vec3_sub(t->p[1], t->p[0]), iso_vec3_sub(t->p[2], t->p[0]));
    for (int k = 0; k < 3; ++k) {
        iso_vec3 edge = iso_vec3_sub(t->p[(k + 1) % 3], t->p[k]);
        iso_vec3 to = iso_vec3_sub(p, t->p[k]);
        double scale = iso_vec3_norm(n) * iso_vec3_norm(edge) * iso_vec3_norm(to);
        if (!(iso_vec3_dot(iso_vec3_cross(edge, to), n) > FLAT * scale)) {
            return false;
        }
    }
    return true;
}

// Triangles in one plane that lie upon each other. Their centroids and corners are looked at, and
// crossings of their edges.
static bool overlap_flat(const triangle* a, const triangle* b, iso_vec3* out_where) {
    const triangle* both[2] = {a, b};
    for (int s = 0; s < 2; ++s) {
        const triangle *one = both[s], *other = both[1 - s];
        iso_vec3 candidates[4] = {one->p[0], one->p[1], one->p[2], centroid(one)};
        for (int i = 0; i < 4; ++i) {
            if (covers(other, candidates[i])) {
                *out_where = candidates[i];
                return true;
            }
        }
    }
    iso_vec3 n = iso_vec3_cross(iso_vec3_sub(a->p[1], a->p[0]), iso_vec3_sub(a->p[2], a->p[0]));
    for (int i = 0; i < 9; ++i) {
        iso_vec3 p = a->p[i % 3], q = a->p[(i + 1) % 3], r = b->p[i / 3], s = b->p[(i / 3 + 1) % 3];
        iso_vec3 up_p = iso_vec3_add(p, n), up_r = iso_vec3_add(r, n);
        if (side_of(p, q, up_p, r) * side_of(p, q, up_p, s) < 0 &&
            side_of(r, s, up_r, p) * side_of(r, s, up_r, q) < 0) {
            iso_vec3 across = iso_vec3_cross(n, iso_vec3_sub(s, r));
            double from = iso_vec3_dot(across, iso_vec3_sub(p, r));
            double to = iso_vec3_dot(across, iso_vec3_sub(q, r));
            *out_where = iso_vec3_lerp(p, q, from != to ? from / (from - to) : 0.5);
            return true;
        }
    }
    return false;
}

static bool is_flat_pair(const triangle* a, const triangle* b) {
    for (int k = 0; k < 3; ++k) {
        if (side_of(a->p[0], a->p[1], a->p[2], b->p[k]) != 0) {
            return false;
        }
    }
    return true;
}

static int count_common(const int a[3], const int b[3]) {
    int count = 0;
    for (int i = 0; i < 9; ++i) {
        count += a[i % 3] == b[i / 3];
    }
    return count;
}

// Two triangles of which neither is degenerate.
static bool intersect(const iso_tri_mesh* mesh, int i, int j, iso_vec3* out_where) {
    triangle a = get(mesh, i), b = get(mesh, j);
    if (is_flat_pair(&a, &b)) {
        return overlap_flat(&a, &b, out_where);
    }
    if (count_common(mesh->triangles[i], mesh->triangles[j]) >= 2) {
        return false;
    }
    for (int k = 0; k < 3; ++k) {
        if (pierces(a.p[k], a.p[(k + 1) % 3], &b, out_where) ||
            pierces(b.p[k], b.p[(k + 1) % 3], &a, out_where)) {
            return true;
        }
    }
    return false;
}

typedef struct search {
    const iso_tri_mesh* mesh;
    const iso_bvh_box* boxes;
    int count;
    iso_vec3* places; // [place_count]
    int place_count;
    int (*pairs)[2]; // [pair_capacity]
    int pair_capacity;
    const int* part_of; // NULL: pairs within a part count, too
    int part_count;
    bool* is_cut; // [part_count * part_count]
} search;

static void note(search* s, int a, int b, iso_vec3 where) {
    if (s->part_of) {
        s->is_cut[s->part_of[a] * s->part_count + s->part_of[b]] = true;
        s->is_cut[s->part_of[b] * s->part_count + s->part_of[a]] = true;
    } else if (s->count < s->place_count) {
        s->places[s->count] = where;
    } else if (s->count < s->pair_capacity) {
        s->pairs[s->count][0] = a;
        s->pairs[s->count][1] = b;
    }
    ++s->count;
}

static void look_at_leaves(search* s, const iso_bvh* tree, int leaf_a, int leaf_b) {
    for (int i = 0; i < ISO_BVH_LEAF_SIZE * ISO_BVH_LEAF_SIZE; ++i) {
        int a = tree->elements[leaf_a * ISO_BVH_LEAF_SIZE + i % ISO_BVH_LEAF_SIZE];
        int b = tree->elements[leaf_b * ISO_BVH_LEAF_SIZE + i / ISO_BVH_LEAF_SIZE];
        iso_vec3 where;
        if (a < 0 || b < 0 || a >= b || (s->part_of && s->part_of[a] == s->part_of[b]) ||
            !iso_bvh_boxes_meet(&s->boxes[a], &s->boxes[b]) || !intersect(s->mesh, a, b, &where)) {
            continue;
        }
        note(s, a, b, where);
    }
}

static iso_status look_everywhere(iso_context* ctx, search* s) {
    const iso_tri_mesh* mesh = s->mesh;
    iso_bvh tree = {0};
    iso_arena arena = {0};
    iso_bvh_matches matches;
    iso_pose identity = iso_pose_identity();
    iso_status status = iso_arena_init(&arena, ctx, 0);
    if (status != ISO_OK) {
        return status;
    }
    iso_bvh_box* boxes = iso_alloc_array(ctx, mesh->triangle_count, sizeof *boxes);
    ISO_CHECK(ctx, boxes, ISO_ERR_MEMORY, "boxes of %d triangles", mesh->triangle_count);
    for (int i = 0; i < mesh->triangle_count; ++i) {
        triangle t = get(mesh, i);
        boxes[i] = (iso_bvh_box){.low = -INFINITY, .high = INFINITY};
        iso_points_bounds(t.p, 3, &boxes[i].lower, &boxes[i].upper);
    }
    ISO_TRY(iso_bvh_build(ctx, boxes, mesh->triangle_count, &tree));
    ISO_TRY(iso_bvh_match(&arena, &tree, &tree, &identity, &matches));
    s->boxes = boxes;
    for (int leaf = 0; leaf < tree.leaf_count; ++leaf) {
        for (int m = matches.offsets[leaf]; m < matches.offsets[leaf + 1]; ++m) {
            look_at_leaves(s, &tree, matches.leaves[m], leaf);
        }
    }

done:
    iso_free(ctx, boxes);
    iso_bvh_destroy(ctx, &tree);
    iso_arena_destroy(&arena);
    return status;
}

iso_status iso_surface_find_intersections(iso_context* ctx, const iso_tri_mesh* mesh,
                                          int place_count, int* out_count, iso_vec3* out_places) {
    search s = {.mesh = mesh, .places = out_places, .place_count = place_count};
    iso_status status = look_everywhere(ctx, &s);
    *out_count = status == ISO_OK ? s.count : 0;
    return status;
}

iso_status iso_surface_find_cutting_pairs(iso_context* ctx, const iso_tri_mesh* mesh,
                                          int pair_capacity, int (*out_pairs)[2], int* out_count) {
    search s = {.mesh = mesh, .pairs = out_pairs, .pair_capacity = pair_capacity};
    iso_status status = look_everywhere(ctx, &s);
    *out_count = status == ISO_OK ? s.count : 0;
    return status;
}

bool iso_surface_triangles_cut(const iso_tri_mesh* mesh, int triangle_a, int triangle_b) {
    iso_vec3 where;
    return intersect(mesh, triangle_a, triangle_b, &where);
}

iso_status iso_surface_find_cut_parts(iso_context* ctx, const iso_tri_mesh* mesh,
                                      const int* part_of, int part_count, bool* out_is_cut) {
    search s = {.mesh = mesh, .part_of = part_of, .part_count = part_count, .is_cut = out_is_cut};
    return look_everywhere(ctx, &s);
}
