// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/prism.h"

#include <math.h>

// Twice the area of a triangle, positive counter-clockwise.
static double turn(iso_vec3 a, iso_vec3 b, iso_vec3 c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static bool is_same(iso_vec3 a, iso_vec3 b) {
    return a.x == b.x && a.y == b.y;
}

// Without points that follow themselves, the last and the first among them.
static int drop_repeated(iso_vec3* points, int count) {
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        if (kept == 0 || !is_same(points[kept - 1], points[i])) {
            points[kept++] = points[i];
        }
    }
    while (kept > 1 && is_same(points[kept - 1], points[0])) {
        --kept;
    }
    return kept;
}

static double area_of(const iso_vec3* points, int count) {
    double sum = 0.0;
    for (int i = 1; i + 1 < count; ++i) {
        sum += turn(points[0], points[i], points[i + 1]);
    }
    return 0.5 * sum;
}

// On both sides of each other's line: they share an inner point.
static bool cut_each_other(iso_vec3 a, iso_vec3 b, iso_vec3 c, iso_vec3 d) {
    double ac = turn(a, b, c), ad = turn(a, b, d), ca = turn(c, d, a), cb = turn(c, d, b);
    return ((ac > 0.0 && ad < 0.0) || (ac < 0.0 && ad > 0.0)) &&
           ((ca > 0.0 && cb < 0.0) || (ca < 0.0 && cb > 0.0));
}

static bool cuts_itself(const iso_vec3* points, int count) {
    bool is_cut = false;
    for (int i = 0; i < count && !is_cut; ++i) {
        for (int j = i + 2; j < count && !is_cut; ++j) {
            is_cut = cut_each_other(points[i], points[i + 1], points[j], points[(j + 1) % count]);
        }
    }
    return is_cut;
}

static bool is_in_triangle(iso_vec3 p, iso_vec3 a, iso_vec3 b, iso_vec3 c) {
    return turn(a, b, p) >= 0.0 && turn(b, c, p) >= 0.0 && turn(c, a, p) >= 0.0;
}

// A corner that can be cut off: it turns left, and no other corner lies in its triangle.
static bool is_ear(const iso_vec3* points, const int* ring, int count, int at) {
    iso_vec3 a = points[ring[(at + count - 1) % count]], b = points[ring[at]],
             c = points[ring[(at + 1) % count]];
    if (turn(a, b, c) <= 0.0) {
        return false;
    }
    for (int i = 0; i < count; ++i) {
        iso_vec3 p = points[ring[i]];
        if (!is_same(p, a) && !is_same(p, b) && !is_same(p, c) && is_in_triangle(p, a, b, c)) {
            return false;
        }
    }
    return true;
}

// The corner to cut off next: an ear, else one on a straight line, else any.
static int next_corner(const iso_vec3* points, const int* ring, int count, bool* out_is_ear) {
    *out_is_ear = true;
    for (int i = 0; i < count; ++i) {
        if (is_ear(points, ring, count, i)) {
            return i;
        }
    }
    *out_is_ear = false;
    return 0;
}

static void add_triangle(iso_tri_mesh* mesh, int a, int b, int c) {
    int* t = mesh->triangles[mesh->triangle_count++];
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

// Bottom and top by cutting off ears, O(n^2) and more where they are rare.
static bool add_ends(const iso_vec3* points, int count, int* ring, iso_tri_mesh* mesh) {
    int left = count;
    bool is_ear = true;
    for (int i = 0; i < count; ++i) {
        ring[i] = i;
    }
    while (left >= 3 && is_ear) {
        int at = next_corner(points, ring, left, &is_ear);
        int a = ring[(at + left - 1) % left], b = ring[at], c = ring[(at + 1) % left];
        add_triangle(mesh, a, c, b);
        add_triangle(mesh, a + count, b + count, c + count);
        for (int i = at; i + 1 < left; ++i) {
            ring[i] = ring[i + 1];
        }
        --left;
    }
    return is_ear;
}

static iso_status check_polygon(iso_scene_build* build, iso_source at, const iso_vec3* points,
                                int count) {
    double area = count >= 3 ? area_of(points, count) : 0.0;
    bool is_flat = true;
    for (int i = 2; i < count; ++i) { // all on one line
        iso_vec3 a = iso_vec3_sub(points[1], points[0]), b = iso_vec3_sub(points[i], points[0]);
        is_flat = is_flat && a.x * b.y - a.y * b.x == 0.0;
    }
    // A bow tie has no area either, and its fault is another one.
    ISO_SCENE_REQUIRE(build, at, is_flat || !cuts_itself(points, count), ISO_ERR_GEOMETRY,
                      "two sides of the polygon cut each other");
    ISO_SCENE_REQUIRE(build, at, count >= 3 && area != 0.0 && isfinite(area), ISO_ERR_GEOMETRY,
                      "the polygon of %d different points has no area", count);
    return ISO_OK;
}

iso_status iso_scene_make_prism(iso_scene_build* build, iso_source at, iso_vec3* points, int count,
                                double height, const iso_tri_mesh** out_mesh) {
    ISO_SCENE_REQUIRE(build, at, count <= ISO_PRISM_MOST_POINTS, ISO_ERR_RANGE,
                      "a polygon of %d points, expected at most %d", count, ISO_PRISM_MOST_POINTS);
    count = drop_repeated(points, count);
    ISO_SCENE_TRY(check_polygon(build, at, points, count));
    bool is_clockwise = area_of(points, count) < 0.0;
    iso_tri_mesh* mesh = iso_arena_push(&build->arena, sizeof *mesh);
    iso_vec3* vertices = iso_arena_push_array(&build->arena, 2 * count, sizeof *vertices);
    int(*triangles)[3] = iso_arena_push_array(&build->arena, 4 * count, sizeof *triangles);
    int* ring = iso_arena_push_array(&build->arena, count, sizeof *ring);
    ISO_REQUIRE(build->ctx, mesh && vertices && triangles && ring, ISO_ERR_MEMORY,
                "prism of %d points", count);
    for (int i = 0; i < count; ++i) {
        iso_vec3 p = points[is_clockwise ? count - 1 - i : i];
        vertices[i] = iso_vec3_make(p.x, p.y, 0.0);
        vertices[i + count] = iso_vec3_make(p.x, p.y, height);
    }
    *mesh = (iso_tri_mesh){.vertex_count = 2 * count, .vertices = vertices, .triangles = triangles};
    for (int i = 0; i < count; ++i) {
        int next = (i + 1) % count;
        add_triangle(mesh, i, next, next + count);
        add_triangle(mesh, i, next + count, i + count);
    }
    ISO_SCENE_REQUIRE(build, at, add_ends(vertices, count, ring, mesh), ISO_ERR_GEOMETRY,
                      "the polygon touches itself");
    *out_mesh = mesh;
    return ISO_OK;
}
