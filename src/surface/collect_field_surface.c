// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/kernels.h"

#include "base/fail.h"
#include "surface/face_writer.h"

// What the quick tests add against rounding, relative to the size of the bodies: they must not lose
// a polygon, the exact decision is the clipping.
#define QUICK_SLACK 1e-13

// Of a pair of leaves; one place beyond what is kept is written.
#define LEAF_CANDIDATES (ISO_BVH_LEAF_SIZE * ISO_BVH_LEAF_SIZE + 1)
#define MOST_CANDIDATES 256
#define MOST_VIEWS 64
#define MOST_RINGS 32
#define MOST_GUESSED 4096 // polygons for which there is room from the start

// A triangle has 3 corners, each of 4 planes makes 2 and adds 1.
#define RING_CORNERS 11
#define RING_MOST 7

// The same bits for each of four planes, and bit i of a number for plane i.
#define EVERY_PLANE 0x0001000100010001u

// A triangle of body 1 in frame 0.
typedef struct tri_view {
    iso_vec3 v[3], normal;
    iso_vec3 lower, upper;
    iso_wide normal_w, axis_w; // from body 0 into body 1 in W, and iso_face_area_axis() of it
    int element;
} tri_view;

// A triangle that is being clipped: as iso_ring of the walk, but the sides on which its corners lie
// are kept by plane, in cyclic order, so that all are turned at once.
typedef struct ring {
    uint64_t order;  // corners in cyclic order, four bits each, as indices into v
    uint64_t inside; // 16 bits a plane: bit i, corner i in cyclic order is inside, or in it
    int count;       // corners of the polygon
    int used;        // corners ever made
    iso_clip_vertex v[RING_CORNERS];
} ring;

typedef struct collector {
    iso_face_list* list;
    const iso_field* field;
    const iso_tri_set* surface;
    iso_cull cull;
    const iso_pose* x_01;
    double slack; // rounding that the quick tests forgive [m]
} collector;

static void view_triangle(const collector* c, const iso_tri_packet* packet, int lane,
                          tri_view* out) {
    const iso_pose* x_01 = c->x_01;
    iso_vec3 slack = iso_vec3_make(c->slack, c->slack, c->slack);
    for (int corner = 0; corner < 3; ++corner) {
        iso_vec3 v = {packet->vertices[corner][0][lane], packet->vertices[corner][1][lane],
                      packet->vertices[corner][2][lane]};
        out->v[corner] = iso_pose_point(x_01, v);
    }
    iso_vec3 n = {packet->normal[0][lane], packet->normal[1][lane], packet->normal[2][lane]};
    out->normal = iso_mat3_mul_vec3(&x_01->r, n);
    out->lower = iso_vec3_min(out->v[0], iso_vec3_min(out->v[1], out->v[2]));
    out->upper = iso_vec3_max(out->v[0], iso_vec3_max(out->v[1], out->v[2]));
    out->lower = iso_vec3_sub(out->lower, slack);
    out->upper = iso_vec3_add(out->upper, slack);
    out->normal_w = iso_face_turn(c->list, -out->normal.x, -out->normal.y, -out->normal.z);
    out->axis_w = iso_face_area_axis(out->normal_w);
    out->element = iso_tri_set_packet_triangle(c->surface, packet, lane);
}

// Distances of a point to the faces of a cell.
static iso_wide distances(const iso_field_cell* a, iso_vec3 x) {
    iso_wide d = iso_wide_mul(iso_wide_load(a->planes[0]), iso_wide_set(x.x));
    d = iso_wide_mul_add(iso_wide_load(a->planes[1]), iso_wide_set(x.y), d);
    d = iso_wide_mul_add(iso_wide_load(a->planes[2]), iso_wide_set(x.z), d);
    return iso_wide_add(d, iso_wide_load(a->planes[3]));
}

// Whether the corners of a cell lie on both sides of, or in, the plane of a triangle.
static bool crosses_plane(const collector* c, const iso_field_cell* a, const tri_view* b) {
    double level = iso_vec3_dot(b->normal, b->v[0]);
    iso_wide x[4];
    for (int i = 0; i < 4; ++i) {
        x[i] = iso_wide_load(c->field->points[a->corners[i]].x);
    }
    iso_wide_transpose(x);
    iso_wide along = iso_wide_mul(iso_wide_set(b->normal.x), x[0]);
    along = iso_wide_mul_add(iso_wide_set(b->normal.y), x[1], along);
    along = iso_wide_mul_add(iso_wide_set(b->normal.z), x[2], along);
    int below = iso_wide_bits(iso_wide_less_equal(along, iso_wide_set(level + c->slack)));
    int above = iso_wide_bits(iso_wide_greater_equal(along, iso_wide_set(level - c->slack)));
    return (below != 0) & (above != 0);
}

// Faces whose cell lies where the triangle's normal points: of the two cells of a face, only that
// one owns a triangle in the face.
static int facing(const iso_field_cell* a, iso_vec3 normal) {
    iso_wide along = iso_wide_mul(iso_wide_load(a->planes[0]), iso_wide_set(normal.x));
    along = iso_wide_mul_add(iso_wide_load(a->planes[1]), iso_wide_set(normal.y), along);
    along = iso_wide_mul_add(iso_wide_load(a->planes[2]), iso_wide_set(normal.z), along);
    return iso_wide_bits(iso_wide_greater(along, iso_wide_set(0.0)));
}

static inline int ring_at(const ring* r, int corner) {
    return (int)(r->order >> (4 * corner) & 15);
}

// Four bits, one in each plane's place.
static inline uint64_t by_plane(int bits) {
    uint64_t b = (uint64_t)(unsigned)bits;
    return (b | b << 15 | b << 30 | b << 45) & EVERY_PLANE;
}

// Where the edge from corner a (inside a plane) to corner b (outside) meets it. The plane's own
// distance comes out as rounding of zero; nobody asks for it again.
static inline uint64_t ring_cross(ring* r, int a, int b, int plane, uint64_t* out_inside) {
    const iso_clip_vertex *from = &r->v[a], *to = &r->v[b];
    int made = r->used++;
    iso_wide t = iso_wide_set(from->d[plane] / (from->d[plane] - to->d[plane]));
    iso_wide xa = iso_wide_load(from->x), da = iso_wide_load(from->d);
    iso_wide xb = iso_wide_load(to->x), db = iso_wide_load(to->d);
    iso_wide_store(r->v[made].x, iso_wide_mul_add(t, iso_wide_sub(xb, xa), xa));
    iso_wide d = iso_wide_mul_add(t, iso_wide_sub(db, da), da);
    iso_wide_store(r->v[made].d, d);
    *out_inside = by_plane(iso_wide_bits(iso_wide_greater_equal(d, iso_wide_set(0.0))));
    return (uint64_t)made;
}

// Number of ones and lowest one of 7 bits.
static inline int ones_of(unsigned bits) {
    bits = (bits & 0x55) + (bits >> 1 & 0x55);
    bits = (bits & 0x33) + (bits >> 2 & 0x33);
    return (int)((bits & 0x0f) + (bits >> 4));
}
static inline int lowest_of(int bits) {
    return ones_of((unsigned)((bits & -bits) - 1));
}

static inline int ring_inside(const ring* r, int plane) {
    return (int)(r->inside >> (16 * plane) & 0xff);
}

// Corners inside that come after one outside. One bit: the plane cuts the polygon in two.
static inline int ring_starts(int inside, int count) {
    return inside & ~(inside << 1 | inside >> (count - 1));
}

// Keep what is inside a plane that cuts the polygon in two. Without branches.
static inline void ring_cut(ring* r, int plane) {
    int count = r->count, inside = ring_inside(r, plane);
    int first = lowest_of(ring_starts(inside, count)), kept = ones_of((unsigned)inside);
    uint64_t order = r->order >> (4 * first) | r->order << (4 * (count - first));
    uint64_t sides = r->inside >> first | r->inside << (count - first);
    uint64_t inside_leave, inside_enter;
    uint64_t leave = ring_cross(r, (int)(order >> (4 * (kept - 1)) & 15),
                                (int)(order >> (4 * kept) & 15), plane, &inside_leave);
    uint64_t enter = ring_cross(r, (int)(order & 15), (int)(order >> (4 * (count - 1)) & 15), plane,
                                &inside_enter);
    uint64_t all = ((uint64_t)1 << kept) - 1;
    r->order = (order & (((uint64_t)1 << (4 * kept)) - 1)) | leave << (4 * kept) |
               enter << (4 * (kept + 1));
    r->inside = (sides & all * EVERY_PLANE) | inside_leave << kept | inside_enter << (kept + 1);
    r->count = kept + 2;
}

// The triangle is wound about the outward normal of body 1; faces point from 0 into 1.
static void turn_over(const ring* r, iso_clip_polygon* out) {
    out->count = r->count;
    for (int i = 0; i < r->count; ++i) {
        int at = ring_at(r, r->count - 1 - i);
        iso_wide_store(out->v[i].x, iso_wide_load(r->v[at].x));
    }
}

// Cells and triangles whose boxes meet, by their places. Each test writes what it tries and keeps
// it by counting on: what passes cannot be foretold.
typedef struct candidates {
    int count;
    int cells[MOST_CANDIDATES];
    unsigned char views[MOST_CANDIDATES];
} candidates;

// Triangles on their way through the planes of cells, all through one plane before the next: their
// numbers of corners and of planes cannot be foretold either, and each waits long for itself.
typedef struct ring_batch {
    int count;
    int cells[MOST_RINGS], sides[MOST_RINGS];
    unsigned char views[MOST_RINGS];
    bool is_odd[MOST_RINGS]; // rounding has it cross a plane more than twice
    ring rings[MOST_RINGS];
} ring_batch;

// Set up the next ring of a batch; it counts unless the cell cannot own any of the triangle.
static void begin_ring(const collector* c, int cell, int view, const tri_view* b,
                       ring_batch* batch) {
    const iso_field_cell* a = &c->field->cells[cell];
    iso_affine f = a->piece;
    ring* r = &batch->rings[batch->count];
    uint64_t inside = 0;
    iso_wide least = iso_wide_set(INFINITY), most = iso_wide_neg(least);
    for (int i = 0; i < 3; ++i) {
        iso_vec3 v = b->v[i];
        iso_wide d = distances(a, v);
        least = iso_wide_min(least, d);
        most = iso_wide_max(most, d);
        inside |= by_plane(iso_wide_bits(iso_wide_greater_equal(d, iso_wide_set(0.0)))) << i;
        iso_wide_store(r->v[i].d, d);
        iso_wide_store(r->v[i].x, iso_wide_make(v.x, v.y, v.z, iso_affine_eval(f, v)));
    }
    r->order = 0x210;
    r->inside = inside;
    r->count = r->used = 3;
    int crossed = iso_wide_bits(iso_wide_less(least, iso_wide_set(0.0)));
    int beyond = iso_wide_bits(iso_wide_less_equal(most, iso_wide_set(0.0)));
    int side = facing(a, b->normal);
    batch->cells[batch->count] = cell;
    batch->sides[batch->count] = side;
    batch->views[batch->count] = (unsigned char)view;
    batch->is_odd[batch->count] = false;
    // Beyond a face without crossing it is in the face: one of its cells owns that.
    batch->count += crosses_plane(c, a, b) & ((beyond & (crossed | ~side)) == 0);
}

// Cut the rings that cross a plane.
static void cut_rings(ring_batch* batch, int plane) {
    int which[MOST_RINGS], count = 0;
    for (int i = 0; i < batch->count; ++i) {
        ring* r = &batch->rings[i];
        int inside = ring_inside(r, plane), all = (1 << r->count) - 1;
        int starts = ring_starts(inside, r->count > 0 ? r->count : 1) & all;
        bool is_dead = r->count > 0 && inside == 0;
        bool is_odd = (starts & (starts - 1)) != 0;
        batch->is_odd[i] |= is_odd;
        r->count = (is_dead | is_odd) ? 0 : r->count;
        which[count] = i;
        count += (starts != 0) & !is_odd;
    }
    for (int k = 0; k < count; ++k) {
        ring_cut(&batch->rings[which[k]], plane);
    }
}

// Clip the triangle corner by corner, for when rounding has it cross a plane more than twice.
static int clip_plainly(const ring* r, int side, iso_clip_polygon* out) {
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
    const iso_field_cell* a = &c->field->cells[batch->cells[i]];
    iso_clip_polygon polygon;
    if (!batch->is_odd[i]) {
        turn_over(&batch->rings[i], &polygon);
    } else if (clip_plainly(&batch->rings[i], batch->sides[i], &polygon) < 3) {
        return true;
    }
    if (iso_clip_clean(&polygon) < 3) {
        return true;
    }
    iso_face_side side_0 = {a->piece.gradient, c->field->tree.elements[batch->cells[i]]};
    iso_face_side side_1 = {iso_vec3_zero(), b->element};
    return iso_face_list_add(c->list, &polygon, iso_vec3_neg(b->normal), &side_0, &side_1);
}

// Turn the corners of a ring into W, the other way round; whether two neighbours may be one.
static inline bool turn_corners(const iso_face_list* list, const ring* r,
                                double v[RING_MOST + 1][4]) {
    int count = r->count, close = 0;
    iso_wide last = iso_wide_load(r->v[r->order & 15].x);
    for (int i = 0; i < count; ++i) {
        const double* x = r->v[ring_at(r, count - 1 - i)].x;
        iso_wide wide = iso_wide_load(x), apart = iso_wide_abs(iso_wide_sub(wide, last));
        iso_wide_mask is_same = iso_wide_less_equal(apart, iso_wide_set(ISO_CLIP_SAME_POINT));
        close |= (iso_wide_bits(is_same) & 7) == 7;
        iso_wide_store(v[i], iso_wide_with_last(iso_face_turn(list, x[0], x[1], x[2]), wide));
        last = wide;
    }
    return close != 0;
}

static bool put_ring(const collector* c, const ring_batch* batch, int i, const tri_view* b) {
    iso_face_list* list = c->list;
    const ring* r = &batch->rings[i];
    int count = r->count;
    double v[RING_MOST + 1][4];
    if (batch->is_odd[i] || turn_corners(list, r, v)) {
        return add_closely(c, batch, i, b);
    }
    iso_wide centroid = iso_wide_set(0.0);
    double twice_area = iso_face_measure(v, count, b->axis_w, &centroid);
    if (!(twice_area > 0.0)) {
        return true;
    }
    iso_vec3 g = c->field->cells[batch->cells[i]].piece.gradient;
    iso_wide gradient = iso_face_turn(list, g.x, g.y, g.z), none = iso_wide_set(0.0);
    bool is_swapped = list->frame.is_swapped;
    int tet = c->field->tree.elements[batch->cells[i]];
    iso_face_facts facts = {is_swapped ? iso_wide_neg(b->normal_w) : b->normal_w,
                            is_swapped ? none : gradient,
                            is_swapped ? gradient : none,
                            {is_swapped ? b->element : tet, is_swapped ? tet : b->element}};
    if (list->is_fan) {
        iso_face_put_fan(list, v, count, b->normal_w, centroid, &facts);
        return true;
    }
    for (int k = 0; k < count; ++k) {
        iso_face_put_vertex(list, v[is_swapped ? count - 1 - k : k]);
    }
    iso_face_close(list, facts, 0.5 * twice_area, centroid);
    return true;
}

// Keep those that no face of the cell separates.
static void keep_inside(const collector* c, const tri_view* views, candidates* list) {
    int count = 0;
    for (int i = 0; i < list->count; ++i) {
        int cell = list->cells[i], view = list->views[i];
        const iso_field_cell* a = &c->field->cells[cell];
        const iso_vec3* v = views[view].v;
        iso_wide most =
            iso_wide_max(iso_wide_max(distances(a, v[0]), distances(a, v[1])), distances(a, v[2]));
        list->cells[count] = cell;
        list->views[count] = (unsigned char)view;
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
            begin_ring(c, list->cells[i], list->views[i], &views[list->views[i]], &batch);
        }
        for (int plane = 0; plane < 4; ++plane) {
            cut_rings(&batch, plane);
        }
        ok = iso_face_has_room(c->list, batch.count, RING_MOST * batch.count);
        for (int i = 0; i < batch.count && ok; ++i) {
            if (batch.rings[i].count > 0 || batch.is_odd[i]) {
                ok = put_ring(c, &batch, i, &views[batch.views[i]]);
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
    iso_wide along = iso_wide_mul(a->gradient[0], iso_wide_set(b->normal.x));
    along = iso_wide_mul_add(a->gradient[1], iso_wide_set(b->normal.y), along);
    along = iso_wide_mul_add(a->gradient[2], iso_wide_set(b->normal.z), along);
    double bound = ISO_CULL_COSINE * ISO_CULL_COSINE * iso_vec3_norm_squared(b->normal);
    iso_wide limit = iso_wide_mul(a->gradient_squared, iso_wide_set(bound));
    return iso_wide_bits(iso_wide_or(iso_wide_greater(along, iso_wide_set(0.0)),
                                     iso_wide_less(iso_wide_mul(along, along), limit)));
}

// Lanes whose box meets that of a triangle.
static int meeting_lanes(const lane_cells* a, const tri_view* b) {
    double lower[3] = {b->lower.x, b->lower.y, b->lower.z};
    double upper[3] = {b->upper.x, b->upper.y, b->upper.z};
    iso_wide_mask hit = iso_wide_and(iso_wide_less_equal(a->lower[0], iso_wide_set(upper[0])),
                                     iso_wide_greater_equal(a->upper[0], iso_wide_set(lower[0])));
    for (int axis = 1; axis < 3; ++axis) {
        hit = iso_wide_and(hit, iso_wide_less_equal(a->lower[axis], iso_wide_set(upper[axis])));
        hit = iso_wide_and(hit, iso_wide_greater_equal(a->upper[axis], iso_wide_set(lower[axis])));
    }
    return iso_wide_bits(hit);
}

// Add what of a leaf of the field meets the triangles of one of the surface.
static void add_candidates(const collector* c, int leaf_0, const tri_view* views, int first_view,
                           int view_count, candidates* list) {
    lane_cells cells;
    load_lanes(c, leaf_0, &cells);
    for (int i = first_view; i < view_count; ++i) {
        int hits = meeting_lanes(&cells, &views[i]) & kept_lanes(c, &cells, &views[i]);
        for (int lane = 0; lane < ISO_BVH_LEAF_SIZE; ++lane) {
            list->cells[list->count] = leaf_0 * ISO_BVH_LEAF_SIZE + lane;
            list->views[list->count] = (unsigned char)i;
            list->count += hits >> lane & 1;
        }
    }
}

iso_status iso_collect_field_surface(iso_face_list* list, const iso_field* field,
                                     const iso_tri_set* surface, const iso_pose* x_01,
                                     iso_cull cull) {
    iso_bvh_matches matches;
    iso_status status = ISO_OK;
    ISO_TRY(iso_bvh_match(list->arena, &field->tree, &surface->tree, x_01, &matches));
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
        for (int lane = 0; lanes_1 >> lane; ++lane) {
            view_triangle(&c, &surface->packets[leaf_1], lane, &views[view_count++]);
        }
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
