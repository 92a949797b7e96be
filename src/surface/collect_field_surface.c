// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/kernels.h"

#include "base/fail.h"
#include "math/broad.h"
#include "surface/edge_filter.h"
#include "surface/fan_writer.h"
#include "surface/slab_filter.h"
#include "surface/tri_ring.h"

#include <string.h>

#define ALWAYS_INLINE __attribute__((always_inline)) static inline

// What the quick tests add against rounding, relative to the size of the bodies: they must not lose
// a polygon, the exact decision is the clipping.
#define QUICK_SLACK 1e-13
// More than rounding to a float moves a number by, relative to it.
#define FLOAT_ROUNDING 1.2e-7

// Planes of cells tell what is apart from triangles that are not this many times as long as cells
// are wide; the others are asked for planes along their edges.
#define LONG_TRIANGLE 4.0

// Of a pair of leaves; so many places are written, however few are kept.
#define LEAF_PAIRS (ISO_BVH_LEAF_SIZE * ISO_BVH_LEAF_SIZE)
#define MOST_CANDIDATES 256
#define MOST_VIEWS 64
#define MANY_LEAF_PAIRS 8192
// Polygons for which there is room from the start: to move columns that grow takes long.
#define FEW_GUESSED 4096
#define MOST_GUESSED (1 << 18)

// A triangle of body 1 in frame 0.
typedef struct tri_view {
    double v[3][4], normal[4]; // fourth lanes 0
    iso_wide normal_w, axis_w; // from body 0 into body 1 in W, and iso_face_area_axis() of it
    int element;
} tri_view;

// What the quick tests need of the triangles of a leaf: a group of lanes for each.
typedef struct tri_leaf {
    iso_float16 lower[3], upper[3]; // boxes
    iso_double8 normal[2][3];       // two triangles each
    iso_double8 cull_bound[2];      // squared cosine of the cull times the squared normal
    int lanes;                      // four bits for each triangle that there is
} tri_leaf;

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

// Boxes, rounded outward, and normals of the triangles of a packet.
static void fill_leaf(const collector* c, const iso_wide lower[3], const iso_wide upper[3],
                      const iso_wide n[3], tri_leaf* out) {
    const iso_wide slack = iso_wide_set(c->slack), rounding = iso_wide_set(FLOAT_ROUNDING);
    double spread[4][4];
    iso_wide square = iso_wide_set(0.0);
    for (int i = 0; i < 3; ++i) {
        iso_wide low = iso_wide_add(iso_wide_mul(iso_wide_abs(lower[i]), rounding), slack);
        iso_wide high = iso_wide_add(iso_wide_mul(iso_wide_abs(upper[i]), rounding), slack);
        out->lower[i] = iso_float16_spread(iso_wide_sub(lower[i], low));
        out->upper[i] = iso_float16_spread(iso_wide_add(upper[i], high));
        square = iso_wide_add(square, iso_wide_mul(n[i], n[i]));
        iso_wide_store(spread[i], n[i]);
    }
    iso_wide_store(spread[3],
                   iso_wide_mul(iso_wide_set(ISO_CULL_COSINE * ISO_CULL_COSINE), square));
    for (int half = 0; half < 2; ++half) {
        for (int i = 0; i < 3; ++i) {
            out->normal[half][i] = iso_double8_spread(spread[i][2 * half], spread[i][2 * half + 1]);
        }
        out->cull_bound[half] = iso_double8_spread(spread[3][2 * half], spread[3][2 * half + 1]);
    }
}

// The triangles of a packet.
static void view_triangles(const collector* c, const iso_tri_packet* packet, tri_leaf* out_leaf,
                           tri_view* out) {
    iso_wide v[4], lower[3], upper[3], n[4];
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
    turn_packet(c->x_01, packet->normal, n);
    fill_leaf(c, lower, upper, n, out_leaf);
    iso_wide_transpose(n);
    for (int lane = 0; lane < ISO_WIDE_LANES; ++lane) {
        tri_view* view = &out[lane];
        iso_wide_store(view->normal, n[lane]);
        const double* m = view->normal;
        view->normal_w = iso_face_turn(c->list, -m[0], -m[1], -m[2]);
        view->axis_w = iso_face_area_axis(view->normal_w);
        view->element = iso_tri_set_packet_triangle(c->surface, packet, lane);
    }
}

// The edges of the triangles of a packet; returns the longest. Not inline, for the sake of surfaces
// without long ones.
__attribute__((noinline)) static double fill_lines(const collector* c, const iso_tri_packet* packet,
                                                   iso_edge_lines* out) {
    iso_wide corners[3][3], v[4];
    const double p[3] = {c->x_01->p.x, c->x_01->p.y, c->x_01->p.z};
    for (int corner = 0; corner < 3; ++corner) {
        turn_packet(c->x_01, packet->vertices[corner], v);
        for (int i = 0; i < 3; ++i) {
            corners[corner][i] = iso_wide_add(v[i], iso_wide_set(p[i]));
        }
    }
    turn_packet(c->x_01, packet->normal, v);
    return iso_edge_lines_fill(corners, v, c->slack, out);
}

// Distances of a point to the faces of a cell.
static inline iso_wide distances(const iso_field_cell* a, const double x[3]) {
    iso_wide d = iso_wide_load(a->planes[3]);
    d = iso_wide_mul_add(iso_wide_load(a->planes[0]), iso_wide_set(x[0]), d);
    d = iso_wide_mul_add(iso_wide_load(a->planes[1]), iso_wide_set(x[1]), d);
    return iso_wide_mul_add(iso_wide_load(a->planes[2]), iso_wide_set(x[2]), d);
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
static void turn_over(const iso_tri_rings* r, int ring, iso_clip_polygon* out) {
    out->count = (int)r->corners[ring];
    for (int i = 0; i < out->count; ++i) {
        int at = iso_tri_ring_at(r->order[ring], out->count - 1 - i);
        iso_wide_store(out->v[i].x, iso_wide_load(r->v[ring][at].x));
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

// Triangles in cells while they are clipped.
typedef struct ring_batch {
    uint32_t pairs[ISO_TRI_RINGS];
    iso_tri_rings rings;
} ring_batch;

// Set up ring `at` of a batch; returns 1 unless the cell cannot own any of the triangle.
static inline int begin_ring(const collector* c, uint32_t pair, const tri_view* views, int at,
                             ring_batch* batch) {
    const iso_field_cell* a = &c->field->cells[cell_of(pair)];
    const tri_view* b = &views[view_of(pair)];
    const iso_affine f = a->piece;
    const iso_wide zero = iso_wide_set(0.0);
    iso_tri_rings* r = &batch->rings;
    iso_clip_vertex* corners = r->v[at];
    uint64_t inside = 0;
    iso_wide least, most;
    for (int i = 0; i < 3; ++i) {
        const double* v = b->v[i];
        iso_wide d = distances(a, v);
        least = i == 0 ? d : iso_wide_min(least, d);
        most = i == 0 ? d : iso_wide_max(most, d);
        inside |= iso_ring_by_plane(iso_wide_bits(iso_wide_greater_equal(d, zero))) << i;
        iso_wide_store(corners[i].d, d);
        iso_wide p = iso_wide_set(iso_affine_eval(f, vector_of(v)));
        iso_wide_store(corners[i].x, iso_wide_with_last(iso_wide_load(v), p));
    }
    batch->pairs[at] = pair;
    r->inside[at] = inside;
    int beyond = iso_wide_bits(iso_wide_less_equal(most, zero));
    if (beyond == 0) {
        return 1;
    }
    // Beyond a face without crossing it is in the face: one of its cells owns that.
    int crossed = iso_wide_bits(iso_wide_less(least, zero));
    return (beyond & (crossed | ~facing(a, b->normal))) == 0;
}

// Clip the triangle corner by corner, for when rounding has it cross a plane more than twice.
static int clip_plainly(const iso_clip_vertex corners[3], int side, iso_clip_polygon* out) {
    iso_clip_polygon spare;
    out->count = 3;
    for (int i = 0; i < 3; ++i) {
        out->v[i] = corners[i];
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
    if (batch->rings.is_odd[i] == 0) {
        turn_over(&batch->rings, i, &polygon);
    } else if (clip_plainly(batch->rings.v[i], facing(a, b->normal), &polygon) < 3) {
        return true;
    }
    if (iso_clip_clean(&polygon, c->list->near) < 3) {
        return true;
    }
    iso_face_side side_0 = {a->piece.gradient, c->field->tree.elements[cell]};
    iso_face_side side_1 = {iso_vec3_zero(), b->element};
    return iso_face_list_add(c->list, &polygon, iso_vec3_neg(vector_of(b->normal)), &side_0,
                             &side_1);
}

// The same after its batch had room: it may have taken more than was reserved for it.
static bool add_in_batch(const collector* c, const ring_batch* batch, int i, const tri_view* b) {
    return add_closely(c, batch, i, b) &&
           iso_face_has_room(c->list, ISO_TRI_RINGS, ISO_TRI_RING_MOST * ISO_TRI_RINGS);
}

// What is left of the triangles of a batch, in W, corners the other way round; measured as
// iso_face_measure() does. All of a batch come before the first is written, as each waits long for
// itself.
typedef struct turned_batch {
    double v[ISO_TRI_RINGS][ISO_TRI_RING_MOST + 1][4];
    double sum[ISO_TRI_RINGS][4];     // of corners from the first one, by areas
    double twice_area[ISO_TRI_RINGS]; // 0: there is no polygon
    double scale[ISO_TRI_RINGS];      // of the sum to the way to the centroid
    bool is_close[ISO_TRI_RINGS];     // two neighbours may be one, or rounding is at work
} turned_batch;

// @param count  of corners; a constant leaves no loops over them
ALWAYS_INLINE void turn_tri_ring(const iso_face_list* list, const iso_tri_rings* r, int i,
                                 int count, iso_wide area_axis, turned_batch* out) {
    int close = 0;
    uint64_t order = r->order[i];
    iso_wide last = iso_wide_load(r->v[i][order & 15].x);
    double(*v)[4] = out->v[i];
    order <<= 64 - 4 * count;
    close |= iso_face_turn_corner(list, r->v[i][order >> 60].x, &last, v[0]);
    close |= iso_face_turn_corner(list, r->v[i][order << 4 >> 60].x, &last, v[1]);
    iso_face_fan fan = iso_face_fan_begin(iso_wide_load(v[0]), iso_wide_load(v[1]));
    order <<= 8;
    for (int k = 2; k < count; ++k, order <<= 4) {
        close |= iso_face_turn_corner(list, r->v[i][order >> 60].x, &last, v[k]);
        iso_face_fan_add(&fan, area_axis, iso_wide_load(v[k]));
    }
    iso_wide_store(out->sum[i], fan.sum);
    out->twice_area[i] = fan.twice_area;
    out->is_close[i] = close != 0;
}

static void turn_tri_rings(const collector* c, const ring_batch* batch, const tri_view* views,
                           turned_batch* out) {
    const iso_tri_rings* r = &batch->rings;
    const iso_face_list list = *c->list; // stores of corners do not change it
    for (int i = 0; i < r->count; ++i) {
        iso_wide axis = views[view_of(batch->pairs[i])].axis_w;
        int count = r->is_odd[i] != 0 ? 0 : (int)r->corners[i];
        switch (count) {
        case 0:
        case 1:
            out->twice_area[i] = 0.0;
            out->is_close[i] = count == 0;
            break;
        case 3:
            turn_tri_ring(&list, r, i, 3, axis, out);
            break;
        case 4:
            turn_tri_ring(&list, r, i, 4, axis, out);
            break;
        default:
            turn_tri_ring(&list, r, i, count, axis, out);
            break;
        }
    }
    for (int i = r->count; i < ISO_TRI_RINGS && i % ISO_WIDE_LANES != 0; ++i) {
        out->twice_area[i] = 0.0;
    }
    for (int i = 0; i < r->count; i += ISO_WIDE_LANES) {
        iso_wide thrice = iso_wide_mul(iso_wide_set(3.0), iso_wide_load(&out->twice_area[i]));
        iso_wide_store(&out->scale[i], iso_wide_div(iso_wide_set(1.0), thrice));
    }
}

// What a polygon has to do with either body.
static inline iso_face_facts facts_of(const collector* c, int cell, const tri_view* b) {
    const iso_face_list* list = c->list;
    iso_vec3 g = c->field->cells[cell].piece.gradient;
    iso_wide gradient = iso_face_turn(list, g.x, g.y, g.z), none = iso_wide_set(0.0);
    bool is_swapped = list->frame.is_swapped;
    int tet = c->field->tree.elements[cell];
    return (iso_face_facts){is_swapped ? iso_wide_neg(b->normal_w) : b->normal_w,
                            is_swapped ? none : gradient, is_swapped ? gradient : none,
                            iso_face_elements_of(is_swapped, tet, b->element)};
}

// Write a polygon. Most have three or four corners.
static void put_ring(const collector* c, const ring_batch* batch, int i, const tri_view* b,
                     turned_batch* turned) {
    iso_face_list* list = c->list;
    double(*v)[4] = turned->v[i];
    int count = (int)batch->rings.corners[i];
    iso_wide centroid = iso_wide_mul_add(iso_wide_load(turned->sum[i]),
                                         iso_wide_set(turned->scale[i]), iso_wide_load(v[0]));
    iso_face_facts facts = facts_of(c, cell_of(batch->pairs[i]), b);
    if (list->is_fan) {
        if (count == 3) {
            iso_fan_put(list, v, 3, b->normal_w, centroid, &facts);
        } else if (count == 4) {
            iso_fan_put(list, v, 4, b->normal_w, centroid, &facts);
        } else {
            const iso_face_facts same = facts;
            iso_face_put_fan(list, v, count, b->normal_w, centroid, &same);
        }
        return;
    }
    if (count == 3) {
        iso_face_put_vertices(list, v, 3);
    } else if (count == 4) {
        iso_face_put_vertices(list, v, 4);
    } else {
        iso_face_put_vertices(list, v, count);
    }
    iso_face_close(list, facts, 0.5 * turned->twice_area[i], centroid);
}

// Write what is left of a batch.
static bool put_rings(const collector* c, const ring_batch* batch, const tri_view* views) {
    turned_batch turned;
    turn_tri_rings(c, batch, views, &turned);
    for (int i = 0; i < batch->rings.count; ++i) {
        const tri_view* b = &views[view_of(batch->pairs[i])];
        if (turned.is_close[i]) {
            if (!add_in_batch(c, batch, i, b)) {
                return false;
            }
        } else if (turned.twice_area[i] > 0.0) {
            put_ring(c, batch, i, b, &turned);
        }
    }
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
    iso_tri_rings* r = &batch.rings;
    bool ok = true;
    keep_inside(c, views, list);
    for (int begin = 0; begin < list->count && ok; begin += ISO_TRI_RINGS) {
        int end = begin + ISO_TRI_RINGS < list->count ? begin + ISO_TRI_RINGS : list->count;
        int count = 0;
        iso_tri_rings_begin(r);
        for (int i = begin; i < end; ++i) {
            count += begin_ring(c, list->pairs[i], views, count, &batch);
        }
        r->count = count;
        iso_tri_rings_cut(r, 0);
        iso_tri_rings_cut(r, 1);
        iso_tri_rings_cut(r, 2);
        iso_tri_rings_cut(r, 3);
        ok = iso_face_has_room(c->list, r->count, ISO_TRI_RING_MOST * r->count) &&
             put_rings(c, &batch, views);
    }
    list->count = 0;
    return ok;
}

// Lanes whose gradient the cull keeps: iso_cull_keeps() for all pairs of two leaves.
static int kept_lanes(const collector* c, int leaf, const tri_leaf* b) {
    int last = c->field->tree.element_count - 1, kept = 0;
    iso_wide g[4];
    for (int lane = 0; lane < ISO_BVH_LEAF_SIZE; ++lane) {
        int cell = leaf * ISO_BVH_LEAF_SIZE + lane;
        g[lane] = iso_wide_load(&c->field->cells[cell < last ? cell : last].piece.gradient.x);
    }
    iso_wide_transpose(g);
    iso_wide square =
        iso_wide_mul_add(g[2], g[2], iso_wide_mul_add(g[1], g[1], iso_wide_mul(g[0], g[0])));
    const iso_double8 x = iso_double8_twice(g[0]), y = iso_double8_twice(g[1]);
    const iso_double8 z = iso_double8_twice(g[2]), squares = iso_double8_twice(square);
    const iso_double8 zero = iso_double8_twice(iso_wide_set(0.0));
    for (int half = 0; half < 2; ++half) {
        const iso_double8* n = b->normal[half];
        iso_double8 along =
            iso_double8_mul_add(z, n[2], iso_double8_mul_add(y, n[1], iso_double8_mul(x, n[0])));
        iso_double8 limit = iso_double8_mul(squares, b->cull_bound[half]);
        kept |=
            iso_double8_bits(iso_double8_or(iso_double8_less(zero, along),
                                            iso_double8_less(iso_double8_mul(along, along), limit)))
            << 8 * half;
    }
    return kept;
}

// Lanes whose boxes meet.
static int meeting_lanes(const iso_bvh_lanes* a, const tri_leaf* b) {
    iso_float16_mask hit =
        iso_float16_and(iso_float16_less_equal(iso_float16_load_each(a->lower[0]), b->upper[0]),
                        iso_float16_less_equal(b->lower[0], iso_float16_load_each(a->upper[0])));
    for (int axis = 1; axis < 3; ++axis) {
        iso_float16 lower = iso_float16_load_each(a->lower[axis]);
        iso_float16 upper = iso_float16_load_each(a->upper[axis]);
        hit = iso_float16_and(hit, iso_float16_less_equal(lower, b->upper[axis]));
        hit = iso_float16_and(hit, iso_float16_less_equal(b->lower[axis], upper));
    }
    return iso_float16_bits(hit);
}

// The pairs of two leaves by their lanes: four cells for each view.
#define PAIRS(view) (view), MOST_VIEWS + (view), 2 * MOST_VIEWS + (view), 3 * MOST_VIEWS + (view)
static const uint32_t k_leaf_pairs[LEAF_PAIRS] = {PAIRS(0), PAIRS(1), PAIRS(2), PAIRS(3)};

// Add what of a leaf of the field meets the triangles of one of the surface.
// @param lines  of these triangles where some are long, otherwise NULL
static void add_candidates(const collector* c, int leaf_0, const tri_leaf* leaf_1,
                           const iso_edge_lines* lines, int first_view, candidates* list) {
    int hits = meeting_lanes(&c->field->tree.lanes[leaf_0], leaf_1) & leaf_1->lanes;
    if (c->cull != ISO_CULL_NONE && hits != 0) {
        hits &= kept_lanes(c, leaf_0, leaf_1);
    }
    if (lines && hits != 0) {
        hits &= ~iso_edge_lines_apart(lines, c->field, leaf_0);
    }
    uint32_t first = (uint32_t)leaf_0 * ISO_BVH_LEAF_SIZE * MOST_VIEWS + (uint32_t)first_view;
    list->count += iso_pick_sixteen(k_leaf_pairs, first, hits, &list->pairs[list->count]);
}

// Of large bodies a pair of leaves has about two. Room that is not needed is given back, which
// moves columns as well, so there is less for smaller bodies.
static int guess_polygons(int leaf_pairs) {
    if (leaf_pairs < MANY_LEAF_PAIRS) {
        int guess = leaf_pairs + leaf_pairs / 2;
        return guess < FEW_GUESSED ? guess : FEW_GUESSED;
    }
    return leaf_pairs < MOST_GUESSED / 3 ? 2 * leaf_pairs + leaf_pairs / 4 : MOST_GUESSED;
}

iso_status iso_collect_field_surface(iso_face_list* list, const iso_field* field,
                                     const iso_tri_set* surface, const iso_pose* x_01,
                                     iso_cull cull) {
    iso_bvh_matches matches;
    iso_status status = ISO_OK;
    iso_slab_filter filter = {field, iso_bvh_spread(x_01)};
    ISO_TRY(iso_bvh_match_filtered(list->arena, &field->tree, &surface->tree, x_01,
                                   field->slabs ? iso_slab_filter_keeps : NULL, &filter, &matches));
    int guess = guess_polygons(matches.count);
    ISO_CHECK(list->arena->ctx, guess == 0 || iso_face_list_reserve(list, guess, 5 * guess),
              ISO_ERR_MEMORY, "contact polygons");
    candidates found = {.count = 0};
    collector c = {list, field, surface, cull, x_01, QUICK_SLACK * (field->size + surface->size)};
    tri_view views[MOST_VIEWS];
    tri_leaf triangles;
    iso_edge_lines lines;
    double least_long = LONG_TRIANGLE * field->slab_width;
    bool some_long = field->slabs && (double)surface->longest > least_long;
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
        view_triangles(&c, &surface->packets[leaf_1], &triangles, &views[view_count]);
        view_count += iso_ring_bits_of[lanes_1].count;
        bool has_long = some_long && fill_lines(&c, &surface->packets[leaf_1], &lines) > least_long;
        triangles.lanes = (1 << 4 * (view_count - first_view)) - 1;
        for (int i = begin; i < end; ++i) {
            if (found.count > MOST_CANDIDATES - LEAF_PAIRS) {
                ISO_CHECK(list->arena->ctx, collect_candidates(&c, views, &found), ISO_ERR_MEMORY,
                          "contact polygon");
            }
            add_candidates(&c, matches.leaves[i], &triangles, has_long ? &lines : NULL, first_view,
                           &found);
        }
    }
    ISO_CHECK(list->arena->ctx, collect_candidates(&c, views, &found), ISO_ERR_MEMORY,
              "contact polygon");

done:
    return status;
}
