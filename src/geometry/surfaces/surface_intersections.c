// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/surfaces/surface_intersections.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh/topology.h"
#include "geometry/search/bvh.h"

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

static int count_common(const int a[3], const int b[3]) {
    int count = 0;
    for (int i = 0; i < 9; ++i) {
        count += a[i % 3] == b[i / 3];
    }
    return count;
}

// How a triangle stands to the plane of another one.
typedef enum stance_kind {
    STANCE_BESIDE,  // on one side of it, with a corner in it at most
    STANCE_ALONG,   // on one side of it, with an edge in it
    STANCE_ASTRIDE, // on both sides of it
    STANCE_WITHIN   // in it
} stance_kind;

typedef struct stance {
    stance_kind kind;
    int apex; // astride, along: the corner that is alone, off the plane
    int side; // of the apex
} stance;

static stance stand(const triangle* one, const triangle* other) {
    int sides[3], counts[3] = {0}; // below, in, above
    for (int k = 0; k < 3; ++k) {
        sides[k] = side_of(other->p[0], other->p[1], other->p[2], one->p[k]);
        ++counts[1 + sides[k]];
    }
    bool is_astride = counts[0] > 0 && counts[2] > 0;
    if (!is_astride && counts[1] != 2) {
        return (stance){counts[1] == 3 ? STANCE_WITHIN : STANCE_BESIDE, -1, 0};
    }
    int alone = counts[2] == 1 ? 1 : -1;
    int apex = sides[0] == alone ? 0 : (sides[1] == alone ? 1 : 2);
    return (stance){is_astride ? STANCE_ASTRIDE : STANCE_ALONG, apex, alone};
}

// Where the edge p-q meets the plane of a triangle that has p and q on different sides, or q in it.
static iso_vec3 cross_at(iso_vec3 p, iso_vec3 q, const triangle* t) {
    iso_vec3 n = iso_vec3_cross(iso_vec3_sub(t->p[1], t->p[0]), iso_vec3_sub(t->p[2], t->p[0]));
    double from = iso_vec3_dot(n, iso_vec3_sub(p, t->p[0]));
    double to = iso_vec3_dot(n, iso_vec3_sub(q, t->p[0]));
    return iso_vec3_lerp(p, q, from != to ? fmin(fmax(from / (from - to), 0.0), 1.0) : 0.5);
}

// A triangle from its apex on, wound so that the apex of the other one is above its plane.
static triangle from_apex(const triangle* t, int apex, int other_side) {
    iso_vec3 next = t->p[(apex + 1) % 3], last = t->p[(apex + 2) % 3];
    return other_side > 0 ? (triangle){{t->p[apex], next, last}}
                          : (triangle){{t->p[apex], last, next}};
}

// Two triangles meet the line common to their planes in an interval each, between the two edges
// from their apex. True when these have more than a point in common: their ends are compared by
// the sides of edges [Guigue2003]. The place is the middle of what is common.
static bool overlap_on_line(const triangle* a, stance of_a, const triangle* b, stance of_b,
                            iso_vec3* out_where) {
    triangle s = from_apex(a, of_a.apex, of_b.side), t = from_apex(b, of_b.apex, of_a.side);
    if (side_of(s.p[0], s.p[1], t.p[0], t.p[1]) >= 0 ||
        side_of(s.p[0], s.p[2], t.p[2], t.p[0]) >= 0) {
        return false;
    }
    iso_vec3 ends[4] = {cross_at(s.p[0], s.p[1], b), cross_at(s.p[0], s.p[2], b),
                        cross_at(t.p[0], t.p[2], a), cross_at(t.p[0], t.p[1], a)};
    iso_vec3 along = iso_vec3_sub(ends[1], ends[0]);
    bool is_low_of_b = iso_vec3_dot(along, iso_vec3_sub(ends[2], ends[0])) > 0.0;
    bool is_high_of_b = iso_vec3_dot(along, iso_vec3_sub(ends[3], ends[1])) < 0.0;
    *out_where = iso_vec3_lerp(ends[is_low_of_b ? 2 : 0], ends[is_high_of_b ? 3 : 1], 0.5);
    return true;
}

// What two triangles have in common.
typedef enum meeting {
    MEETING_NONE, // nothing, or points of their edges alone
    MEETING_EDGE, // a piece of an edge that lies in the other one: they may touch or cut there
    MEETING_CUT   // they cut each other or lie upon each other
} meeting;

// Two triangles of which neither is degenerate. Such with a common edge meet where they lie upon
// each other alone.
static meeting meet(const iso_tri_mesh* mesh, int i, int j, stance stances[2],
                    iso_vec3* out_where) {
    triangle a = get(mesh, i), b = get(mesh, j);
    stances[1] = stand(&b, &a);
    if (stances[1].kind == STANCE_WITHIN) {
        return overlap_flat(&a, &b, out_where) ? MEETING_CUT : MEETING_NONE;
    }
    if (stances[1].kind == STANCE_BESIDE ||
        count_common(mesh->triangles[i], mesh->triangles[j]) >= 2) {
        return MEETING_NONE;
    }
    stances[0] = stand(&a, &b);
    bool does_reach = stances[0].kind == STANCE_ALONG || stances[0].kind == STANCE_ASTRIDE;
    if (!does_reach || !overlap_on_line(&a, stances[0], &b, stances[1], out_where)) {
        return MEETING_NONE;
    }
    bool is_cut = stances[0].kind == STANCE_ASTRIDE && stances[1].kind == STANCE_ASTRIDE;
    return is_cut ? MEETING_CUT : MEETING_EDGE;
}

// --- edges that lie in triangles or upon edges ---------------------------------------------------

// Directions about an edge that are nearer to each other lie in one plane [rad].
#define SAME_PLANE 1e-9

// The corner beyond the edge of a triangle that is opposite its apex. False where there is not
// exactly one triangle.
static bool find_corner_beyond(const iso_tri_mesh* mesh, const iso_tri_topology* topology, int i,
                               int apex, iso_vec3* out_corner) {
    int side = (apex + 1) % 3, next = topology->neighbors[i][side];
    if (next < 0) {
        return false;
    }
    int from = mesh->triangles[i][side], to = mesh->triangles[i][(side + 1) % 3];
    const int* t = mesh->triangles[next];
    int k = 0;
    while (k < 2 && (t[k] == from || t[k] == to)) {
        ++k;
    }
    *out_corner = mesh->vertices[t[k]];
    return true;
}

// Angle about the edge of a triangle that is opposite its apex, from the triangle on, in [0, 2 pi).
static double angle_from(const triangle* t, int apex, iso_vec3 p) {
    iso_vec3 origin = t->p[(apex + 1) % 3];
    iso_vec3 axis = iso_vec3_normalized(iso_vec3_sub(t->p[(apex + 2) % 3], origin));
    iso_vec3 across = iso_vec3_cross(iso_vec3_cross(axis, iso_vec3_sub(t->p[apex], origin)), axis);
    iso_vec3 to = iso_vec3_sub(p, origin);
    double angle = atan2(iso_vec3_dot(iso_vec3_cross(axis, across), to), iso_vec3_dot(across, to));
    return angle < 0.0 ? angle + 2.0 * ISO_PI : angle;
}

// 1 strictly inside (0, limit), -1 strictly inside (limit, 2 pi), else 0.
static int sector_of(double angle, double limit) {
    if (angle > SAME_PLANE && angle < limit - SAME_PLANE) {
        return 1;
    }
    return angle > limit + SAME_PLANE && angle < 2.0 * ISO_PI - SAME_PLANE ? -1 : 0;
}

// Two triangles of which at least one has an edge in the other one, or upon an edge of it. The
// surface goes through there when its next triangle is on the other side; else it touches.
static bool goes_through(const iso_tri_mesh* mesh, const iso_tri_topology* topology, int i, int j,
                         const stance stances[2]) {
    const int indices[2] = {i, j};
    const triangle both[2] = {get(mesh, i), get(mesh, j)};
    iso_vec3 beyond[2];
    for (int s = 0; s < 2; ++s) {
        if (stances[s].kind == STANCE_ALONG &&
            !find_corner_beyond(mesh, topology, indices[s], stances[s].apex, &beyond[s])) {
            return false;
        }
    }
    for (int s = 0; s < 2; ++s) {
        const iso_vec3* p = both[1 - s].p;
        if (stances[1 - s].kind == STANCE_ASTRIDE) {
            return side_of(p[0], p[1], p[2], beyond[s]) * stances[s].side < 0;
        }
    }
    double limit = angle_from(&both[0], stances[0].apex, beyond[0]);
    double here = angle_from(&both[0], stances[0].apex, both[1].p[stances[1].apex]);
    double there = angle_from(&both[0], stances[0].apex, beyond[1]);
    return sector_of(here, limit) * sector_of(there, limit) < 0;
}

typedef struct search {
    iso_context* ctx;
    const iso_tri_mesh* mesh;
    iso_tri_topology topology; // made where it is first asked for: sound surfaces do without
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

static iso_status look_at_pair(search* s, int a, int b) {
    iso_vec3 where;
    stance stances[2];
    meeting found = meet(s->mesh, a, b, stances, &where);
    if (found == MEETING_EDGE && !s->topology.neighbors) {
        iso_status status = iso_tri_topology_create(s->ctx, s->mesh, &s->topology);
        if (status != ISO_OK) {
            return status;
        }
    }
    if (found == MEETING_CUT ||
        (found == MEETING_EDGE && goes_through(s->mesh, &s->topology, a, b, stances))) {
        note(s, a, b, where);
    }
    return ISO_OK;
}

static iso_status look_at_leaves(search* s, const iso_bvh* tree, int leaf_a, int leaf_b) {
    iso_status status = ISO_OK;
    for (int i = 0; i < ISO_BVH_LEAF_SIZE * ISO_BVH_LEAF_SIZE && status == ISO_OK; ++i) {
        int a = tree->elements[leaf_a * ISO_BVH_LEAF_SIZE + i % ISO_BVH_LEAF_SIZE];
        int b = tree->elements[leaf_b * ISO_BVH_LEAF_SIZE + i / ISO_BVH_LEAF_SIZE];
        if (a >= 0 && b >= 0 && a < b && !(s->part_of && s->part_of[a] == s->part_of[b]) &&
            iso_bvh_boxes_meet(&s->boxes[a], &s->boxes[b])) {
            status = look_at_pair(s, a, b);
        }
    }
    return status;
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
    status = iso_bvh_match(&arena, &tree, &tree, &identity, &matches);
    if (status != ISO_OK) {
        status = iso_fail_prefix(ctx, status, "%d triangles that lie upon each other",
                                 mesh->triangle_count);
        goto done;
    }
    s->boxes = boxes;
    for (int leaf = 0; leaf < tree.leaf_count; ++leaf) {
        for (int m = matches.offsets[leaf]; m < matches.offsets[leaf + 1]; ++m) {
            ISO_TRY(look_at_leaves(s, &tree, matches.leaves[m], leaf));
        }
    }

done:
    iso_tri_topology_destroy(ctx, &s->topology);
    iso_free(ctx, boxes);
    iso_bvh_destroy(ctx, &tree);
    iso_arena_destroy(&arena);
    return status;
}

iso_status iso_surface_find_intersections(iso_context* ctx, const iso_tri_mesh* mesh,
                                          int place_count, int* out_count, iso_vec3* out_places) {
    search s = {.ctx = ctx, .mesh = mesh, .places = out_places, .place_count = place_count};
    iso_status status = look_everywhere(ctx, &s);
    *out_count = status == ISO_OK ? s.count : 0;
    return status;
}

iso_status iso_surface_find_cutting_pairs(iso_context* ctx, const iso_tri_mesh* mesh,
                                          int pair_capacity, int (*out_pairs)[2], int* out_count) {
    search s = {.ctx = ctx, .mesh = mesh, .pairs = out_pairs, .pair_capacity = pair_capacity};
    iso_status status = look_everywhere(ctx, &s);
    *out_count = status == ISO_OK ? s.count : 0;
    return status;
}

bool iso_surface_triangles_cut(const iso_tri_mesh* mesh, int triangle_a, int triangle_b) {
    iso_vec3 where;
    stance stances[2];
    return meet(mesh, triangle_a, triangle_b, stances, &where) == MEETING_CUT;
}

iso_status iso_surface_find_cut_parts(iso_context* ctx, const iso_tri_mesh* mesh,
                                      const int* part_of, int part_count, bool* out_is_cut) {
    search s = {.ctx = ctx,
                .mesh = mesh,
                .part_of = part_of,
                .part_count = part_count,
                .is_cut = out_is_cut};
    return look_everywhere(ctx, &s);
}
