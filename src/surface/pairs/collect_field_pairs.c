// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/kernels/kernels.h"

#include "base/core/fail.h"
#include "surface/clipping/coincidence.h"
#include "surface/clipping/overlap_box.h"
#include "surface/clipping/tet_packet.h"
#include "surface/faces/ring_face.h"

#include <limits.h>
#include <string.h>

// Gradients this equal, relative to their length, define no plane of equal pressure.
#define PARALLEL_TOLERANCE 1e-12

// With more pairs of leaves, walking over the surface is faster.
#define MOST_LEAF_PAIRS 1024
// Of larger bodies, so many tetrahedra of each may reach to where they meet.
#define MOST_REACHING 96

// A pair of tetrahedra that may have a polygon.
typedef struct pair_hit {
    int place; // of the leaf of body 0
    int lanes; // 4 times that in the leaf of body 1, plus that of body 0
    int cell_0, view;
    double differences[4];
} pair_hit;

typedef struct collector {
    iso_face_list* list;
    const iso_field *field_0, *field_1;
    iso_cull cull;
    const iso_pose* x_01;
    iso_coincidence equal;
    double farthest; // that a polygon may lie from a face to lie in it [m]
} collector;

// Turn a polygon so that a corner, in cyclic order, becomes the first.
static void turn_ring(iso_ring* ring, int first) {
    int count = ring->count;
    uint64_t all = ((uint64_t)1 << count) - 1, corners = ((uint64_t)1 << (4 * count)) - 1;
    ring->order = (ring->order >> (4 * first) | ring->order << (4 * (count - first))) & corners;
    ring->inside =
        (ring->inside >> first | ring->inside << (count - first)) & all * ISO_RING_EVERY_PLANE;
}

// iso_clip_plane(), which begins with the first corner that is inside or made.
static bool cut_ring(iso_ring* ring, int plane) {
    int count = ring->count, inside = iso_ring_inside(ring, plane) & ((1 << count) - 1);
    int starts = iso_ring_starts(inside, count);
    if (!iso_ring_clip(ring, plane)) {
        return false;
    }
    if (starts != 0) {
        int first = iso_ring_bits_of[starts].lowest, kept = iso_ring_bits_of[inside].count;
        bool is_last_inside = inside >> (count - 1) & 1;
        int begin = is_last_inside ? kept : kept + 1;
        turn_ring(ring, (inside & 1) && first > 0 ? count - first : begin);
    }
    return true;
}

// The planes of the faces of b that cut a slice, one bit each, and those in which or beyond which
// all of it lies.
typedef struct cut_faces {
    int crossed, beyond, coincident;
} cut_faces;

static cut_faces measure_faces(const iso_tet_view* b, double tolerance, iso_ring* ring) {
    const iso_double4 zero = iso_double4_set(0.0);
    iso_double4 n[4], least = iso_double4_set(INFINITY), most = iso_double4_set(-INFINITY);
    for (int i = 0; i < 4; ++i) {
        n[i] = iso_double4_load(b->plane[i]);
    }
    ring->inside = 0;
    for (int i = 0; i < ring->count; ++i) {
        const double* x = ring->v[i].x;
        iso_double4 d = iso_double4_mul_add(n[0], iso_double4_set(x[0]), n[3]);
        d = iso_double4_mul_add(n[1], iso_double4_set(x[1]), d);
        d = iso_double4_mul_add(n[2], iso_double4_set(x[2]), d);
        iso_double4_store(ring->v[i].d, d);
        ring->inside |= iso_ring_by_plane(iso_double4_bits(iso_double4_greater_equal(d, zero)))
                        << i;
        least = iso_double4_min(d, least);
        most = iso_double4_max(d, most);
    }
    return (cut_faces){
        iso_double4_bits(iso_double4_less(least, zero)),
        iso_double4_bits(iso_double4_less_equal(most, iso_double4_set(tolerance))),
        iso_double4_bits(iso_double4_greater_equal(least, iso_double4_set(-tolerance))),
    };
}

// A slice cut by some planes, one after the other, where rounding defeats a ring.
static bool cut_plainly(const iso_ring* slice, int slice_count, int crossed,
                        iso_clip_polygon* out) {
    iso_clip_polygon polygons[2], *polygon = &polygons[0];
    polygon->count = slice_count;
    memcpy(polygon->v, slice->v, (size_t)slice_count * sizeof *slice->v);
    for (int face = 0; crossed >> face; ++face) {
        if (crossed >> face & 1) {
            iso_clip_polygon* next = polygon == polygons ? &polygons[1] : polygons;
            iso_clip_plane(polygon, face, next);
            polygon = next;
            if (polygon->count < 3) {
                return false;
            }
        }
    }
    *out = *polygon;
    return true;
}

static bool add_cut_plainly(iso_face_list* list, iso_clip_polygon* polygon, iso_vec3 normal,
                            const iso_face_side sides[2]) {
    return iso_clip_clean(polygon, list->near) < 3 ||
           iso_face_list_add(list, polygon, normal, &sides[0], &sides[1]);
}

static bool add_cut_ring(iso_face_list* list, const iso_ring* ring, iso_vec3 normal,
                         const iso_face_side sides[2]) {
    double v[ISO_RING_CORNERS][4];
    iso_face_measures m;
    if (iso_ring_measure(list, ring, normal, v, &m)) {
        iso_clip_polygon polygon;
        iso_ring_polygon(ring, &polygon);
        return add_cut_plainly(list, &polygon, normal, sides);
    }
    if (!iso_face_has_room(list, 1, m.count)) {
        return false;
    }
    iso_face_list_put_measured(list, v, &m, &sides[0], &sides[1]);
    return true;
}

// Cut a slice by the faces of b that cross it, and add what is left.
static bool add_cut_slice(const collector* c, iso_ring* ring, int crossed, iso_vec3 normal,
                          const iso_face_side sides[2]) {
    int slice_count = ring->count;
    for (int rest = crossed; rest != 0; rest &= rest - 1) {
        if (!cut_ring(ring, iso_ring_bits_of[rest].lowest)) {
            iso_clip_polygon plain;
            return !cut_plainly(ring, slice_count, crossed, &plain) ||
                   add_cut_plainly(c->list, &plain, normal, sides);
        }
        if (ring->count < 3) {
            return true;
        }
    }
    return add_cut_ring(c->list, ring, normal, sides);
}

static iso_status collect_pair(const collector* c, const pair_hit* pair, const iso_tet_view* b) {
    const iso_field_cell* cell = &c->field_0->cells[pair->cell_0];
    iso_vec3 g0 = cell->piece.gradient;
    iso_vec3 rise = iso_vec3_sub(g0, b->f.gradient);
    double length_squared = iso_vec3_norm_squared(rise);
    double scale = iso_vec3_norm_squared(g0) + iso_vec3_norm_squared(b->f.gradient);
    if (!(length_squared > PARALLEL_TOLERANCE * PARALLEL_TOLERANCE * scale) ||
        !iso_cull_keeps(c->cull, rise, g0) ||
        !iso_cull_keeps(c->cull, iso_vec3_neg(rise), b->f.gradient)) {
        return ISO_OK;
    }
    const double* corners[4];
    double least = INFINITY;
    for (int i = 0; i < 4; ++i) {
        corners[i] = c->field_0->points[cell->corners[i]].x;
        least = corners[i][3] < least ? corners[i][3] : least;
    }
    iso_double4 h = iso_double4_load(pair->differences);
    iso_ring ring;
    iso_ring_slice(corners, h, iso_double4_bits(iso_double4_greater(h, iso_double4_set(0.0))),
                   &ring);
    double length = sqrt(length_squared), tolerance = iso_coincidence_at(&c->equal, length);
    cut_faces faces = measure_faces(b, tolerance, &ring);
    // On the surface p0 = p1, so a face on which p1 is uniform and lowest bounds nothing where p0
    // is nowhere lower: body 0's own boundary cuts there ([Elandt2022] section 5.0.3).
    int counted = b->flat_face >= 0 && b->low <= least ? ~(1 << b->flat_face) : ~0;
    int beyond = faces.beyond & counted, crossed = faces.crossed & counted;
    if (beyond != 0) {
        int sides =
            iso_coincidence_sides(iso_double4_load(b->plane[0]), iso_double4_load(b->plane[1]),
                                  iso_double4_load(b->plane[2]), rise);
        if ((beyond & ~(faces.coincident & sides)) != 0) {
            return ISO_OK;
        }
        crossed &= ~beyond;
    }
    // p0 rises into body 0, so the normal into body 1 is against the rise.
    iso_vec3 normal = iso_vec3_scale(rise, -1.0 / length);
    iso_face_side sides[2] = {{g0, c->field_0->tree.elements[pair->cell_0]},
                              {b->f.gradient, c->field_1->tree.elements[b->cell]}};
    ISO_REQUIRE(c->list->arena->ctx, add_cut_slice(c, &ring, crossed, normal, sides),
                ISO_ERR_MEMORY, "contact polygon");
    return ISO_OK;
}

bool iso_field_pairs_are_few(const iso_field* field_0, const iso_field* field_1) {
    return field_0->tree.leaf_count <= MOST_LEAF_PAIRS / field_1->tree.leaf_count;
}

// The tetrahedra of both bodies that may meet, and which of body 0 have been made packets.
typedef struct pair_candidates {
    iso_overlap_box_parts parts[2];
    iso_tet_packet* packets; // of parts of body 0, as many as have lanes in each
    bool* is_packed;
    pair_hit* hits; // of one leaf of body 1
    int hit_count;
} pair_candidates;

// Unless more than `most` tetrahedra of a body reach into the box.
static iso_status find_candidates(const collector* c, iso_overlap_box* meeting, int most,
                                  pair_candidates* out, bool* out_are_few) {
    iso_arena* arena = c->list->arena;
    iso_status status = ISO_OK;
    *out = (pair_candidates){0};
    *out_are_few = false;
    ISO_TRY(iso_overlap_box_cut(meeting, arena, c->field_1, true, most, &out->parts[1]));
    if (out->parts[1].count > most) {
        return ISO_OK;
    }
    iso_overlap_box_shrink(meeting, &out->parts[1]);
    ISO_TRY(iso_overlap_box_cut(meeting, arena, c->field_0, false, most, &out->parts[0]));
    if (out->parts[0].count > most) {
        return ISO_OK;
    }
    *out_are_few = true;
    int count = (out->parts[0].count + ISO_DOUBLES_LANES - 1) / ISO_DOUBLES_LANES;
    out->packets = iso_arena_push_array(arena, count, sizeof *out->packets);
    out->is_packed = iso_arena_push_array(arena, count, sizeof *out->is_packed);
    out->hits = iso_arena_push_array(arena, count * ISO_DOUBLES_LANES * ISO_BVH_LEAF_SIZE,
                                     sizeof *out->hits);
    ISO_CHECK(arena->ctx, out->packets && out->is_packed && out->hits, ISO_ERR_MEMORY,
              "packets of %d tetrahedra", out->parts[0].count);
    memset(out->is_packed, 0, (size_t)count * sizeof *out->is_packed);

done:
    return status;
}

// Lanes of parts of body 0 that a part of body 1 may meet.
static inline int parts_near(const iso_overlap_box_ends* ends_0,
                             const iso_overlap_box_parts* parts_1, int i) {
    const iso_overlap_box_ends* ends_1 = &parts_1->ends[i / ISO_DOUBLES_LANES];
    int lane = i % ISO_DOUBLES_LANES;
    iso_doubles_mask near = iso_doubles_less_equal(iso_doubles_load(ends_0->lower[0]),
                                                   iso_doubles_set(ends_1->upper[0][lane]));
    for (int k = 0; k < ISO_MEETING_INTERVALS; ++k) {
        iso_doubles lower = iso_doubles_load(ends_0->lower[k]),
                    upper = iso_doubles_load(ends_0->upper[k]);
        near = iso_doubles_and(
            near, iso_doubles_less_equal(lower, iso_doubles_set(ends_1->upper[k][lane])));
        near = iso_doubles_and(
            near, iso_doubles_greater_equal(upper, iso_doubles_set(ends_1->lower[k][lane])));
    }
    return iso_doubles_bits(near);
}

static void add_hits(pair_candidates* all, int packet, int lanes, int view, const iso_tet_view* b,
                     double differences[4][ISO_DOUBLES_LANES]) {
    for (int lane = 0; lanes >> lane != 0; ++lane) {
        if (!(lanes >> lane & 1)) {
            continue;
        }
        int cell_0 = all->parts[0].cells[packet * ISO_DOUBLES_LANES + lane];
        pair_hit* h = &all->hits[all->hit_count++];
        h->place = cell_0 / ISO_BVH_LEAF_SIZE;
        h->lanes = 4 * (b->cell % ISO_BVH_LEAF_SIZE) + cell_0 % ISO_BVH_LEAF_SIZE;
        h->cell_0 = cell_0;
        h->view = view;
        for (int corner = 0; corner < 4; ++corner) {
            h->differences[corner] = differences[corner][lane];
        }
    }
}

// Parts of one leaf of body 1.
typedef struct leaf_parts {
    int begin, end;
    bool has_view[ISO_BVH_LEAF_SIZE];
    iso_tet_view views[ISO_BVH_LEAF_SIZE];
} leaf_parts;

// Those with a packet of body 0.
static void try_packet(const collector* c, pair_candidates* all, int packet, leaf_parts* leaf) {
    const iso_overlap_box_parts *parts_0 = &all->parts[0], *parts_1 = &all->parts[1];
    int first = packet * ISO_DOUBLES_LANES, here = parts_0->count - first;
    int used = here < ISO_DOUBLES_LANES ? (1 << here) - 1 : (1 << ISO_DOUBLES_LANES) - 1;
    for (int i = leaf->begin; i < leaf->end; ++i) {
        int lanes = used & parts_near(&parts_0->ends[packet], parts_1, i), view = i - leaf->begin;
        if (lanes == 0) {
            continue;
        }
        if (!all->is_packed[packet]) {
            all->is_packed[packet] = true;
            iso_tet_packet_fill(c->field_0, &parts_0->cells[first], here, &all->packets[packet]);
        }
        iso_tet_view* b = &leaf->views[view];
        if (!leaf->has_view[view]) {
            leaf->has_view[view] = true;
            iso_tet_view_make(c->field_1, parts_1->cells[i], c->x_01, b);
        }
        double differences[4][ISO_DOUBLES_LANES];
        lanes = iso_tet_packet_test(&all->packets[packet], lanes, b, c->equal.pressure, c->farthest,
                                    differences);
        if (lanes != 0) {
            add_hits(all, packet, lanes, view, b, differences);
        }
    }
}

// Whether a pair comes before another of the same leaf of body 1, in the order in which a descent
// of both trees finds them.
static bool is_before(const iso_bvh* tree_0, int depth_1, const pair_hit* a, const pair_hit* b) {
    return a->place == b->place ? a->lanes < b->lanes
                                : iso_bvh_leaf_comes_first(tree_0, a->place, b->place, depth_1);
}

static void sort_hits(const collector* c, pair_candidates* all, int leaf_1) {
    int depth_1 = (int)c->field_1->tree.turns[leaf_1].depth;
    for (int i = 1; i < all->hit_count; ++i) {
        pair_hit moved = all->hits[i];
        int to = i;
        for (; to > 0 && is_before(&c->field_0->tree, depth_1, &moved, &all->hits[to - 1]); --to) {
            all->hits[to] = all->hits[to - 1];
        }
        all->hits[to] = moved;
    }
}

// All pairs with one leaf of body 1, whose parts are begin .. end - 1.
static iso_status collect_leaf(const collector* c, pair_candidates* all, int begin, int end) {
    leaf_parts leaf;
    leaf.begin = begin;
    leaf.end = end;
    memset(leaf.has_view, 0, sizeof leaf.has_view);
    all->hit_count = 0;
    for (int packet = 0; packet * ISO_DOUBLES_LANES < all->parts[0].count; ++packet) {
        try_packet(c, all, packet, &leaf);
    }
    sort_hits(c, all, all->parts[1].cells[begin] / ISO_BVH_LEAF_SIZE);
    iso_status status = ISO_OK;
    for (int i = 0; i < all->hit_count && status == ISO_OK; ++i) {
        status = collect_pair(c, &all->hits[i], &leaf.views[all->hits[i].view]);
    }
    return status;
}

// Try every pair, unless there are too many.
static iso_status collect_all(const collector* c, int most, bool* out_are_few) {
    iso_overlap_box meeting;
    pair_candidates all;
    iso_status status = ISO_OK;
    *out_are_few = true;
    if (!iso_overlap_box_find(c->field_0, c->field_1, c->x_01, &meeting)) {
        return ISO_OK;
    }
    ISO_TRY(find_candidates(c, &meeting, most, &all, out_are_few));
    if (!*out_are_few) {
        return ISO_OK;
    }
    const iso_overlap_box_parts* parts_1 = &all.parts[1];
    c->list->work += (long)all.parts[0].count * parts_1->count;
    for (int begin = 0, end; begin < parts_1->count; begin = end) {
        int leaf = parts_1->cells[begin] / ISO_BVH_LEAF_SIZE;
        for (end = begin; end < parts_1->count && parts_1->cells[end] / ISO_BVH_LEAF_SIZE == leaf;
             ++end) {
        }
        ISO_TRY(collect_leaf(c, &all, begin, end));
    }

done:
    return status;
}

static collector collector_of(iso_face_list* list, const iso_field* field_0,
                              const iso_field* field_1, const iso_pose* x_01, iso_cull cull) {
    collector c = {list, field_0, field_1, cull, x_01, iso_coincidence_of(field_0, field_1), 0.0};
    c.farthest = ISO_COINCIDENT_STRETCH * c.equal.distance;
    return c;
}

iso_status iso_collect_field_pairs(iso_face_list* list, const iso_field* field_0,
                                   const iso_field* field_1, const iso_pose* x_01, iso_cull cull) {
    collector c = collector_of(list, field_0, field_1, x_01, cull);
    bool are_few;
    return collect_all(&c, INT_MAX, &are_few);
}

iso_status iso_collect_field_pairs_if_few(iso_face_list* list, const iso_field* field_0,
                                          const iso_field* field_1, const iso_pose* x_01,
                                          iso_cull cull, bool* out_are_few) {
    collector c = collector_of(list, field_0, field_1, x_01, cull);
    iso_status status = collect_all(&c, MOST_REACHING, out_are_few);
    if (status == ISO_OK && !*out_are_few) {
        iso_arena_release(list->arena, list->mark); // nothing but scratch
    }
    return status;
}
