// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/kernels.h"

#include "base/fail.h"
#include "surface/face_writer.h"
#include "surface/slab_filter.h"
#include "surface/tri_ring.h"

#include <string.h>

// What the quick tests add against rounding, relative to the size of the bodies: they must not lose
// a polygon, the exact decision is the clipping.
#define QUICK_SLACK 1e-13

// Of a pair of leaves; four places beyond what is kept are written.
#define LEAF_CANDIDATES (ISO_BVH_LEAF_SIZE * ISO_BVH_LEAF_SIZE + 4)
#define MOST_CANDIDATES 256
#define MOST_VIEWS 64
#define MOST_RINGS 32
#define MOST_GUESSED 4096 // polygons for which there is room from the start

// A triangle of body 1 in frame 0.
typedef struct tri_view {
    double v[3][4], normal[4]; // fourth lanes 0
    double lower[4], upper[4];
    iso_wide normal_w, axis_w; // from body 0 into body 1 in W, and iso_face_area_axis() of it
    double cull_bound;         // squared cosine of the cull times the squared normal
    int element;
} tri_view;

typedef struct collector {
    iso_face_list* list;
    const iso_field* field;
    const iso_tri_set* surface;
    iso_cull cull;
    const iso_pose* x_01;
    double slack; // rounding that the quick tests forgive [m]
} collector;

static inline iso_vec3 vector_of(const double v[3]) {
    return iso_vec3_make(v[0], v[1], v[2]);
}

// Four vectors, component by component, turned into frame 0; rounded as iso_mat3_mul_vec3() does.
static inline void turn_packet(const iso_pose* x_01, const double v[3][ISO_WIDE_LANES],
                               iso_wide out[4]) {
    for (int i = 0; i < 3; ++i) {
        const double* r = x_01->r.m[i];
        iso_wide x = iso_wide_mul(iso_wide_set(r[0]), iso_wide_load(v[0]));
        iso_wide y = iso_wide_mul(iso_wide_set(r[1]), iso_wide_load(v[1]));
        iso_wide z = iso_wide_mul(iso_wide_set(r[2]), iso_wide_load(v[2]));
        out[i] = iso_wide_add(iso_wide_add(x, y), z);
    }
    out[3] = iso_wide_set(0.0);
}

// The triangles of a packet.
static void view_triangles(const collector* c, const iso_tri_packet* packet, tri_view* out) {
    iso_wide v[4], lower[4], upper[4], n[4], slack = iso_wide_set(c->slack);
    const double p[3] = {c->x_01->p.x, c->x_01->p.y, c->x_01->p.z};
    for (int corner = 0; corner < 3; ++corner) {
        turn_packet(c->x_01, packet->vertices[corner], v);
        for (int i = 0; i < 3; ++i) {
            v[i] = iso_wide_add(v[i], iso_wide_set(p[i]));
            lower[i] = corner == 0 ? v[i] : iso_wide_min(lower[i], v[i]);
            upper[i] = corner == 0 ? v[i] : iso_wide_max(upper[i], v[i]);
        }
        iso_wide_transpose(v);
        for (int lane = 0; lane < ISO_WIDE_LANES; ++lane) {
            iso_wide_store(out[lane].v[corner], v[lane]);
        }
    }
    for (int i = 0; i < 3; ++i) {
        lower[i] = iso_wide_sub(lower[i], slack);
        upper[i] = iso_wide_add(upper[i], slack);
    }
    turn_packet(c->x_01, packet->normal, n);
    lower[3] = upper[3] = n[3];
    iso_wide_transpose(lower);
    iso_wide_transpose(upper);
    iso_wide_transpose(n);
    for (int lane = 0; lane < ISO_WIDE_LANES; ++lane) {
        tri_view* view = &out[lane];
        iso_wide_store(view->lower, lower[lane]);
        iso_wide_store(view->upper, upper[lane]);
        iso_wide_store(view->normal, n[lane]);
        const double* m = view->normal;
        view->normal_w = iso_face_turn(c->list, -m[0], -m[1], -m[2]);
        view->axis_w = iso_face_area_axis(view->normal_w);
        view->cull_bound = ISO_CULL_COSINE * ISO_CULL_COSINE * iso_vec3_norm_squared(vector_of(m));
        view->element = iso_tri_set_packet_triangle(c->surface, packet, lane);
    }
}

// Distances of a point to the faces of a cell.
static inline iso_wide distances(const iso_field_cell* a, const double x[3]) {
    iso_wide d = iso_wide_mul(iso_wide_load(a->planes[0]), iso_wide_set(x[0]));
    d = iso_wide_mul_add(iso_wide_load(a->planes[1]), iso_wide_set(x[1]), d);
    d = iso_wide_mul_add(iso_wide_load(a->planes[2]), iso_wide_set(x[2]), d);
    return iso_wide_add(d, iso_wide_load(a->planes[3]));
}

// Faces whose cell lies where the triangle's normal points: of the two cells of a face, only that
// one owns a triangle in the face.
static int facing(const iso_field_cell* a, const double normal[3]) {
    iso_wide along = iso_wide_mul(iso_wide_load(a->planes[0]), iso_wide_set(normal[0]));
    along = iso_wide_mul_add(iso_wide_load(a->planes[1]), iso_wide_set(normal[1]), along);
    along = iso_wide_mul_add(iso_wide_load(a->planes[2]), iso_wide_set(normal[2]), along);
    return iso_wide_bits(iso_wide_greater(along, iso_wide_set(0.0)));
}

// The triangle is wound about the outward normal of body 1; faces point from 0 into 1.
static void turn_over(const iso_tri_ring* r, iso_clip_polygon* out) {
    out->count = r->count;
    for (int i = 0; i < r->count; ++i) {
        int at = iso_tri_ring_at(r, r->count - 1 - i);
        iso_wide_store(out->v[i].x, iso_wide_load(r->v[at].x));
    }
}

// Cells and triangles whose boxes meet, by their places. Each test writes what it tries and keeps
// it by counting on: what passes cannot be foretold.
typedef struct candidates {
    int count;
    uint32_t pairs[MOST_CANDIDATES]; // cell * MOST_VIEWS + view
} candidates;

static inline int cell_of(uint32_t pair) {
    return (int)(pair / MOST_VIEWS);
}
static inline int view_of(uint32_t pair) {
    return (int)(pair % MOST_VIEWS);
}

// Triangles on their way through the planes of cells, all through one plane before the next: their
// numbers of corners and of planes cannot be foretold either, and each waits long for itself.
typedef struct ring_batch {
    int count;
    uint32_t pairs[MOST_RINGS];
    bool is_odd[MOST_RINGS]; // rounding has it cross a plane more than twice
    iso_tri_ring rings[MOST_RINGS];
} ring_batch;

// Set up the next ring of a batch; it counts unless the cell cannot own any of the triangle.
static void begin_ring(const collector* c, uint32_t pair, const tri_view* views,
                       ring_batch* batch) {
    const iso_field_cell* a = &c->field->cells[cell_of(pair)];
    const tri_view* b = &views[view_of(pair)];
    iso_affine f = a->piece;
    iso_tri_ring* r = &batch->rings[batch->count];
    uint64_t inside = 0;
    iso_wide least = iso_wide_set(INFINITY), most = iso_wide_neg(least);
    for (int i = 0; i < 3; ++i) {
        const double* v = b->v[i];
        iso_wide d = distances(a, v);
        least = iso_wide_min(least, d);
        most = iso_wide_max(most, d);
        inside |= iso_ring_by_plane(iso_wide_bits(iso_wide_greater_equal(d, iso_wide_set(0.0))))
                  << i;
        iso_wide_store(r->v[i].d, d);
        iso_wide_store(r->v[i].x,
                       iso_wide_make(v[0], v[1], v[2], iso_affine_eval(f, vector_of(v))));
    }
    r->order = 0x210;
    r->inside = inside;
    r->count = r->used = 3;
    batch->pairs[batch->count] = pair;
    batch->is_odd[batch->count] = false;
    int beyond = iso_wide_bits(iso_wide_less_equal(most, iso_wide_set(0.0)));
    if (beyond != 0) {
        // Beyond a face without crossing it is in the face: one of its cells owns that.
        int crossed = iso_wide_bits(iso_wide_less(least, iso_wide_set(0.0)));
        batch->count += (beyond & (crossed | ~facing(a, b->normal))) == 0;
        return;
    }
    ++batch->count;
}

// Cut the rings that cross a plane.
static inline void cut_rings(ring_batch* batch, int plane) {
    int which[MOST_RINGS], count = 0;
    for (int i = 0; i < batch->count; ++i) {
        iso_tri_ring* r = &batch->rings[i];
        int inside = iso_tri_ring_inside(r, plane), all = (1 << r->count) - 1;
        int starts = iso_ring_starts(inside, r->count > 0 ? r->count : 1) & all;
        bool is_dead = r->count > 0 && inside == 0;
        bool is_odd = (starts & (starts - 1)) != 0;
        batch->is_odd[i] |= is_odd;
        r->count = (is_dead | is_odd) ? 0 : r->count;
        which[count] = i;
        count += (starts != 0) & !is_odd;
    }
    for (int k = 0; k < count; ++k) {
        iso_tri_ring_cut(&batch->rings[which[k]], plane);
    }
}

// Clip the triangle corner by corner, for when rounding has it cross a plane more than twice.
static int clip_plainly(const iso_tri_ring* r, int side, iso_clip_polygon* out) {
    iso_clip_polygon spare;
    out->count = 3;
    for (int i = 0; i < 3; ++i) {
        out->v[i] = r->v[i];
    }
    const iso_clip_polygon* result = iso_clip_planes(out, &spare, 0.0, side, 0);
    if (!result) {
        return 0;
    }
    iso_clip_polygon forward = *result;
    out->count = forward.count;
    for (int i = 0; i < forward.count; ++i) {
        out->v[i] = forward.v[forward.count - 1 - i];
    }
    return out->count;
}

// Add a polygon in which corners may coincide.
static bool add_closely(const collector* c, const ring_batch* batch, int i, const tri_view* b) {
    int cell = cell_of(batch->pairs[i]);
    const iso_field_cell* a = &c->field->cells[cell];
    iso_clip_polygon polygon;
    if (!batch->is_odd[i]) {
        turn_over(&batch->rings[i], &polygon);
    } else if (clip_plainly(&batch->rings[i], facing(a, b->normal), &polygon) < 3) {
        return true;
    }
    if (iso_clip_clean(&polygon) < 3) {
        return true;
    }
    iso_face_side side_0 = {a->piece.gradient, c->field->tree.elements[cell]};
    iso_face_side side_1 = {iso_vec3_zero(), b->element};
    return iso_face_list_add(c->list, &polygon, iso_vec3_neg(vector_of(b->normal)), &side_0,
                             &side_1);
}

// Turn the corners of a ring into W, the other way round; whether two neighbours may be one.
static inline bool turn_corners(const iso_face_list* list, const iso_tri_ring* r,
                                double v[ISO_TRI_RING_MOST + 1][4]) {
    int count = r->count, close = 0;
    iso_wide last = iso_wide_load(r->v[r->order & 15].x);
    for (int i = 0; i < count; ++i) {
        const double* x = r->v[iso_tri_ring_at(r, count - 1 - i)].x;
        close |= iso_face_turn_corner(list, x, &last, v[i]);
    }
    return close != 0;
}

static bool put_ring(const collector* c, const ring_batch* batch, int i, const tri_view* b) {
    iso_face_list* list = c->list;
    const iso_tri_ring* r = &batch->rings[i];
    int count = r->count;
    double v[ISO_TRI_RING_MOST + 1][4];
    if (batch->is_odd[i] || turn_corners(list, r, v)) {
        return add_closely(c, batch, i, b);
    }
    iso_wide centroid = iso_wide_set(0.0);
    double twice_area = iso_face_measure(v, count, b->axis_w, &centroid);
    if (!(twice_area > 0.0)) {
        return true;
    }
    int cell = cell_of(batch->pairs[i]);
    iso_vec3 g = c->field->cells[cell].piece.gradient;
    iso_wide gradient = iso_face_turn(list, g.x, g.y, g.z), none = iso_wide_set(0.0);
    bool is_swapped = list->frame.is_swapped;
    int tet = c->field->tree.elements[cell];
    iso_face_facts facts = {is_swapped ? iso_wide_neg(b->normal_w) : b->normal_w,
                            is_swapped ? none : gradient,
                            is_swapped ? gradient : none,
                            {is_swapped ? b->element : tet, is_swapped ? tet : b->element}};
    if (list->is_fan) {
        iso_face_put_fan(list, v, count, b->normal_w, centroid, &facts);
        return true;
    }
    iso_face_put_vertices(list, v, count);
    iso_face_close(list, facts, 0.5 * twice_area, centroid);
    return true;
}

// Keep those that no face of the cell separates.
static void keep_inside(const collector* c, const tri_view* views, candidates* list) {
    int count = 0;
    for (int i = 0; i < list->count; ++i) {
        uint32_t pair = list->pairs[i];
        const iso_field_cell* a = &c->field->cells[cell_of(pair)];
        const double(*v)[4] = views[view_of(pair)].v;
        iso_wide most =
            iso_wide_max(iso_wide_max(distances(a, v[0]), distances(a, v[1])), distances(a, v[2]));
        list->pairs[count] = pair;
        count += iso_wide_bits(iso_wide_less(most, iso_wide_set(0.0))) == 0;
    }
    list->count = count;
}

static bool collect_candidates(const collector* c, const tri_view* views, candidates* list) {
    ring_batch batch;
    bool ok = true;
    keep_inside(c, views, list);
    for (int begin = 0; begin < list->count && ok; begin += MOST_RINGS) {
        int end = begin + MOST_RINGS < list->count ? begin + MOST_RINGS : list->count;
        batch.count = 0;
        for (int i = begin; i < end; ++i) {
            begin_ring(c, list->pairs[i], views, &batch);
        }
        cut_rings(&batch, 0);
        cut_rings(&batch, 1);
        cut_rings(&batch, 2);
        cut_rings(&batch, 3);
        ok = iso_face_has_room(c->list, batch.count, ISO_TRI_RING_MOST * batch.count);
        for (int i = 0; i < batch.count && ok; ++i) {
            if (batch.rings[i].count > 0 || batch.is_odd[i]) {
                ok = put_ring(c, &batch, i, &views[view_of(batch.pairs[i])]);
            }
        }
    }
    list->count = 0;
    return ok;
}

// Boxes and gradients of four cells.
typedef struct lane_cells {
    iso_wide lower[3], upper[3];
    iso_wide gradient[4], gradient_squared;
} lane_cells;

static void load_lanes(const collector* c, int leaf, lane_cells* out) {
    const iso_bvh_lanes* lanes = &c->field->tree.lanes[leaf];
    int last = c->field->tree.element_count - 1;
    for (int axis = 0; axis < 3; ++axis) {
        out->lower[axis] = iso_wide_load_floats(lanes->lower[axis]);
        out->upper[axis] = iso_wide_load_floats(lanes->upper[axis]);
    }
    iso_wide* g = out->gradient;
    out->gradient_squared = g[0] = g[1] = g[2] = g[3] = iso_wide_set(0.0);
    if (c->cull == ISO_CULL_NONE) {
        return;
    }
    for (int lane = 0; lane < ISO_BVH_LEAF_SIZE; ++lane) {
        int cell = leaf * ISO_BVH_LEAF_SIZE + lane;
        g[lane] = iso_wide_load(&c->field->cells[cell < last ? cell : last].piece.gradient.x);
    }
    iso_wide_transpose(g);
    out->gradient_squared =
        iso_wide_mul_add(g[2], g[2], iso_wide_mul_add(g[1], g[1], iso_wide_mul(g[0], g[0])));
}

// Lanes whose gradient the cull keeps: iso_cull_keeps() for four.
static int kept_lanes(const collector* c, const lane_cells* a, const tri_view* b) {
    if (c->cull == ISO_CULL_NONE) {
        return 15;
    }
    iso_wide along = iso_wide_mul(a->gradient[0], iso_wide_set(b->normal[0]));
    along = iso_wide_mul_add(a->gradient[1], iso_wide_set(b->normal[1]), along);
    along = iso_wide_mul_add(a->gradient[2], iso_wide_set(b->normal[2]), along);
    iso_wide limit = iso_wide_mul(a->gradient_squared, iso_wide_set(b->cull_bound));
    return iso_wide_bits(iso_wide_or(iso_wide_greater(along, iso_wide_set(0.0)),
                                     iso_wide_less(iso_wide_mul(along, along), limit)));
}

// Lanes whose box meets that of a triangle.
static int meeting_lanes(const lane_cells* a, const tri_view* b) {
    const double *lower = b->lower, *upper = b->upper;
    iso_wide_mask hit = iso_wide_and(iso_wide_less_equal(a->lower[0], iso_wide_set(upper[0])),
                                     iso_wide_greater_equal(a->upper[0], iso_wide_set(lower[0])));
    for (int axis = 1; axis < 3; ++axis) {
        hit = iso_wide_and(hit, iso_wide_less_equal(a->lower[axis], iso_wide_set(upper[axis])));
        hit = iso_wide_and(hit, iso_wide_greater_equal(a->upper[axis], iso_wide_set(lower[axis])));
    }
    return iso_wide_bits(hit);
}

// The lanes of four bits, lowest first, as cells of pairs; the rest repeats lane 0.
#define PAIRS(a, b, c, d) \
    { (a) * MOST_VIEWS, (b)*MOST_VIEWS, (c)*MOST_VIEWS, (d)*MOST_VIEWS }
static const uint32_t k_lanes[16][ISO_BVH_LEAF_SIZE] = {
    PAIRS(0, 0, 0, 0), PAIRS(0, 0, 0, 0), PAIRS(1, 0, 0, 0), PAIRS(0, 1, 0, 0),
    PAIRS(2, 0, 0, 0), PAIRS(0, 2, 0, 0), PAIRS(1, 2, 0, 0), PAIRS(0, 1, 2, 0),
    PAIRS(3, 0, 0, 0), PAIRS(0, 3, 0, 0), PAIRS(1, 3, 0, 0), PAIRS(0, 1, 3, 0),
    PAIRS(2, 3, 0, 0), PAIRS(0, 2, 3, 0), PAIRS(1, 2, 3, 0), PAIRS(0, 1, 2, 3),
};

// Add what of a leaf of the field meets the triangles of one of the surface.
static void add_candidates(const collector* c, int leaf_0, const tri_view* views, int first_view,
                           int view_count, candidates* list) {
    lane_cells cells;
    int first = leaf_0 * ISO_BVH_LEAF_SIZE;
    load_lanes(c, leaf_0, &cells);
    for (int i = first_view; i < view_count; ++i) {
        int hits = meeting_lanes(&cells, &views[i]) & kept_lanes(c, &cells, &views[i]);
        uint64_t pairs[2], base = (uint64_t)first * MOST_VIEWS + (uint64_t)i;
        memcpy(pairs, k_lanes[hits], sizeof pairs);
        pairs[0] += base << 32 | base;
        pairs[1] += base << 32 | base;
        memcpy(&list->pairs[list->count], pairs, sizeof pairs);
        list->count += iso_ring_bits_of[hits].count;
    }
}

iso_status iso_collect_field_surface(iso_face_list* list, const iso_field* field,
                                     const iso_tri_set* surface, const iso_pose* x_01,
                                     iso_cull cull) {
    iso_bvh_matches matches;
    iso_status status = ISO_OK;
    iso_slab_filter filter = {field, iso_bvh_spread(x_01)};
    ISO_TRY(iso_bvh_match_filtered(list->arena, &field->tree, &surface->tree, x_01,
                                   field->slabs ? iso_slab_filter_keeps : NULL, &filter, &matches));
    int guess = matches.count < MOST_GUESSED ? matches.count + matches.count / 2 : MOST_GUESSED;
    ISO_CHECK(list->arena->ctx, guess == 0 || iso_face_list_reserve(list, guess, 5 * guess),
              ISO_ERR_MEMORY, "contact polygons");
    candidates found = {.count = 0};
    collector c = {list, field, surface, cull, x_01, QUICK_SLACK * (field->size + surface->size)};
    tri_view views[MOST_VIEWS];
    int view_count = 0;
    for (int leaf_1 = 0; leaf_1 < surface->tree.leaf_count; ++leaf_1) {
        int begin = matches.offsets[leaf_1], end = matches.offsets[leaf_1 + 1];
        if (begin == end) {
            continue;
        }
        if (view_count > MOST_VIEWS - ISO_WIDE_LANES) {
            ISO_CHECK(list->arena->ctx, collect_candidates(&c, views, &found), ISO_ERR_MEMORY,
                      "contact polygon");
            view_count = 0;
        }
        int lanes_1 = iso_bvh_leaf_lanes(&surface->tree, leaf_1), first_view = view_count;
        view_triangles(&c, &surface->packets[leaf_1], &views[view_count]);
        view_count += iso_ring_bits_of[lanes_1].count;
        for (int i = begin; i < end; ++i) {
            if (found.count > MOST_CANDIDATES - LEAF_CANDIDATES) {
                ISO_CHECK(list->arena->ctx, collect_candidates(&c, views, &found), ISO_ERR_MEMORY,
                          "contact polygon");
            }
            add_candidates(&c, matches.leaves[i], views, first_view, view_count, &found);
        }
    }
    ISO_CHECK(list->arena->ctx, collect_candidates(&c, views, &found), ISO_ERR_MEMORY,
              "contact polygon");

done:
    return status;
}
