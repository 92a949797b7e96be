// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/tags/prism.h"

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
// @param ring  [left] the way round; is cut down
// @param count  of points, after which those of the top follow
static bool add_ends(const iso_vec3* points, int count, int* ring, int left, iso_tri_mesh* mesh) {
    bool is_ear = true;
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

// --- holes ---------------------------------------------------------------------------------------

// Points of a contour within all of them.
typedef struct contour {
    int first, count;
} contour;

static bool is_inside(const iso_vec3* points, contour c, iso_vec3 p) {
    bool is_in = false;
    for (int i = 0; i < c.count; ++i) {
        iso_vec3 a = points[c.first + i], b = points[c.first + (i + 1) % c.count];
        if ((a.y > p.y) != (b.y > p.y) && p.x < a.x + (p.y - a.y) / (b.y - a.y) * (b.x - a.x)) {
            is_in = !is_in;
        }
    }
    return is_in;
}

// Does a side of any contour cut the segment?
static bool is_cut(const iso_vec3* points, const contour* contours, int contour_count, iso_vec3 p,
                   iso_vec3 q) {
    bool is_found = false;
    for (int k = 0; k < contour_count && !is_found; ++k) {
        contour c = contours[k];
        for (int i = 0; i < c.count && !is_found; ++i) {
            is_found =
                cut_each_other(p, q, points[c.first + i], points[c.first + (i + 1) % c.count]);
        }
    }
    return is_found;
}

static iso_status check_holes(iso_scene_build* build, iso_source at, const iso_vec3* points,
                              const contour* contours, int contour_count) {
    for (int k = 1; k < contour_count; ++k) {
        contour hole = contours[k];
        for (int i = 0; i < hole.count; ++i) {
            iso_vec3 p = points[hole.first + i], q = points[hole.first + (i + 1) % hole.count];
            ISO_SCENE_REQUIRE(build, at, !is_cut(points, contours, contour_count, p, q),
                              ISO_ERR_GEOMETRY, "two polygons of a <polyline> cut each other");
        }
        for (int other = 0; other < contour_count; ++other) {
            bool is_in = is_inside(points, contours[other], points[hole.first]);
            ISO_SCENE_REQUIRE(build, at, other == k || is_in == (other == 0), ISO_ERR_GEOMETRY,
                              "several polygons of a <polyline>: expected one and holes in it");
        }
    }
    return ISO_OK;
}

// Points of both ends, the contours of one end, and the way round those that are joined already.
typedef struct joined {
    const iso_vec3* points;
    const contour* contours;
    int contour_count;
    int* ring;
    int ring_count;
} joined;

// Does a corner of the ring see a point, between its neighbours and past all sides and bridges?
static bool is_seen(const joined* j, int hole, int corner, iso_vec3 p) {
    int count = j->ring_count;
    iso_vec3 a = j->points[j->ring[(corner + count - 1) % count]], b = j->points[j->ring[corner]],
             c = j->points[j->ring[(corner + 1) % count]];
    bool is_left = turn(a, b, p) > 0.0, is_right = turn(b, c, p) > 0.0;
    bool is_between = turn(a, b, c) > 0.0 ? is_left && is_right : is_left || is_right;
    bool is_free =
        is_between && !is_cut(j->points, j->contours + hole, j->contour_count - hole, p, b);
    for (int i = 0; i < count && is_free; ++i) {
        is_free = !cut_each_other(p, b, j->points[j->ring[i]], j->points[j->ring[(i + 1) % count]]);
    }
    return is_free;
}

// Join a hole to the ring by a bridge, there and back, to the nearest corner that is seen from a
// point of the hole. O(n^3) at worst, as few pairs are near.
static bool add_hole(joined* j, int hole) {
    contour c = j->contours[hole];
    int from = -1, to = -1, count = j->ring_count;
    double least = INFINITY;
    for (int i = 0; i < c.count; ++i) {
        for (int r = 0; r < count; ++r) {
            iso_vec3 p = j->points[c.first + i];
            double distance = iso_vec3_distance(p, j->points[j->ring[r]]);
            if (distance < least && is_seen(j, hole, r, p)) {
                least = distance;
                from = i;
                to = r;
            }
        }
    }
    if (to < 0) {
        return false;
    }
    for (int r = count - 1; r > to; --r) {
        j->ring[r + c.count + 2] = j->ring[r];
    }
    for (int i = 0; i <= c.count; ++i) {
        j->ring[to + 1 + i] = c.first + (from + i) % c.count;
    }
    j->ring[to + c.count + 2] = j->ring[to];
    j->ring_count = count + c.count + 2;
    return true;
}

// --- prism ---------------------------------------------------------------------------------------

static void reverse(iso_vec3* points, int count) {
    for (int i = 0; i < count / 2; ++i) {
        iso_vec3 swap = points[i];
        points[i] = points[count - 1 - i];
        points[count - 1 - i] = swap;
    }
}

// Contours without repeated points: the outer one first and counter-clockwise, holes clockwise.
static iso_status sort_contours(iso_scene_build* build, iso_source at, iso_vec3* points,
                                const int* sizes, int contour_count, contour* contours) {
    double most = 0.0;
    int first = 0, outer = 0;
    for (int k = 0; k < contour_count; ++k) {
        contours[k] = (contour){first, drop_repeated(points + first, sizes[k])};
        ISO_SCENE_TRY(check_polygon(build, at, points + first, contours[k].count));
        double area = fabs(area_of(points + first, contours[k].count));
        outer = area > most ? k : outer;
        most = fmax(area, most);
        first += sizes[k];
    }
    contour swap = contours[0];
    contours[0] = contours[outer];
    contours[outer] = swap;
    for (int k = 0; k < contour_count; ++k) {
        iso_vec3* p = points + contours[k].first;
        if ((area_of(p, contours[k].count) > 0.0) != (k == 0)) {
            reverse(p, contours[k].count);
        }
    }
    return check_holes(build, at, points, contours, contour_count);
}

// Copies of the points of all contours at both ends, and the sides between them.
static int add_sides(const iso_vec3* points, contour* contours, int contour_count, double height,
                     iso_vec3* vertices, iso_tri_mesh* mesh) {
    int count = 0, first = 0;
    for (int k = 0; k < contour_count; ++k) {
        count += contours[k].count;
    }
    for (int k = 0; k < contour_count; ++k) {
        contour c = {first, contours[k].count};
        for (int i = 0; i < c.count; ++i) {
            iso_vec3 p = points[contours[k].first + i];
            int a = c.first + i, b = c.first + (i + 1) % c.count;
            vertices[a] = iso_vec3_make(p.x, p.y, 0.0);
            vertices[a + count] = iso_vec3_make(p.x, p.y, height);
            add_triangle(mesh, a, b, b + count);
            add_triangle(mesh, a, b + count, a + count);
        }
        contours[k] = c;
        first += c.count;
    }
    return count;
}

iso_status iso_scene_make_prism(iso_scene_build* build, iso_source at, iso_vec3* points,
                                const int* sizes, int contour_count, double height,
                                const iso_tri_mesh** out_mesh) {
    int most = 0;
    for (int k = 0; k < contour_count; ++k) {
        most += sizes[k];
    }
    ISO_SCENE_REQUIRE(build, at, most <= ISO_PRISM_MOST_POINTS, ISO_ERR_RANGE,
                      "a polygon of %d points, expected at most %d", most, ISO_PRISM_MOST_POINTS);
    int corners = most + 2 * contour_count; // with the bridges
    iso_tri_mesh* mesh = iso_arena_push(&build->arena, sizeof *mesh);
    iso_vec3* vertices = iso_arena_push_array(&build->arena, 2 * most + 1, sizeof *vertices);
    int(*triangles)[3] = iso_arena_push_array(&build->arena, 4 * corners, sizeof *triangles);
    int* ring = iso_arena_push_array(&build->arena, corners, sizeof *ring);
    contour* contours = iso_arena_push_array(&build->arena, contour_count, sizeof *contours);
    ISO_REQUIRE(build->ctx, mesh && vertices && triangles && ring && contours, ISO_ERR_MEMORY,
                "prism of %d points", most);
    ISO_SCENE_TRY(sort_contours(build, at, points, sizes, contour_count, contours));
    *mesh = (iso_tri_mesh){.vertices = vertices, .triangles = triangles};
    int count = add_sides(points, contours, contour_count, height, vertices, mesh);
    joined j = {vertices, contours, contour_count, ring, contours[0].count};
    mesh->vertex_count = 2 * count;
    for (int i = 0; i < j.ring_count; ++i) {
        ring[i] = i;
    }
    bool is_whole = true;
    for (int k = 1; k < contour_count && is_whole; ++k) {
        is_whole = add_hole(&j, k);
    }
    is_whole = is_whole && add_ends(vertices, count, ring, j.ring_count, mesh);
    ISO_SCENE_REQUIRE(build, at, is_whole, ISO_ERR_GEOMETRY, "the polygon touches itself");
    *out_mesh = mesh;
    return ISO_OK;
}
