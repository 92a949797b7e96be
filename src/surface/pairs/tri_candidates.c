// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/pairs/tri_candidates.h"

#include "surface/clipping/tri_ring.h"
#include "surface/faces/fan_writer.h"

#include <math.h>

// The cull is asked of all pairs of two leaves once it drops more than this part of what meets.
#define MUCH_CULLED 8

#define ALWAYS_INLINE __attribute__((always_inline)) static inline

static inline iso_vec3 vector_of(const double v[3]) {
    return iso_vec3_make(v[0], v[1], v[2]);
}

// Distances of a point to the faces of a cell.
static inline iso_double4 distances(const iso_field_cell* a, const double x[3]) {
    iso_double4 d = iso_double4_load(a->planes[3]);
    d = iso_double4_mul_add(iso_double4_load(a->planes[0]), iso_double4_set(x[0]), d);
    d = iso_double4_mul_add(iso_double4_load(a->planes[1]), iso_double4_set(x[1]), d);
    return iso_double4_mul_add(iso_double4_load(a->planes[2]), iso_double4_set(x[2]), d);
}

// Faces whose cell lies where the triangle's normal points: of the two cells of a face, only that
// one owns a triangle in the face.
static int facing(const iso_field_cell* a, const double normal[3]) {
    iso_double4 along = iso_double4_mul(iso_double4_load(a->planes[0]), iso_double4_set(normal[0]));
    along = iso_double4_mul_add(iso_double4_load(a->planes[1]), iso_double4_set(normal[1]), along);
    along = iso_double4_mul_add(iso_double4_load(a->planes[2]), iso_double4_set(normal[2]), along);
    return iso_double4_bits(iso_double4_greater(along, iso_double4_set(0.0)));
}

// The triangle is wound about the outward normal of body 1; faces point from 0 into 1.
static void turn_over(const iso_tri_rings* r, int ring, iso_clip_polygon* out) {
    out->count = (int)r->corners[ring];
    for (int i = 0; i < out->count; ++i) {
        int at = iso_tri_ring_at(r->order[ring], out->count - 1 - i);
        iso_double4_store(out->v[i].x, iso_double4_load(r->v[ring][at].x));
    }
}

static inline int cell_of(uint32_t pair) {
    return (int)(pair / ISO_TRI_VIEWS);
}
static inline int view_of(uint32_t pair) {
    return (int)(pair % ISO_TRI_VIEWS);
}

// Triangles in cells while they are clipped.
typedef struct ring_batch {
    uint32_t pairs[ISO_TRI_RINGS];
    iso_tri_rings rings;
} ring_batch;

// Begin rings of candidates, from one on, that no face of the cell separates, until a batch is
// full: pairs and distances. Returns the first candidate that is left.
static int begin_rings(const iso_tri_collector* c, const iso_tri_view* views,
                       const iso_tri_candidates* list, int first, ring_batch* batch) {
    int i = first, count = 0;
    for (; i < list->count && count < ISO_TRI_RINGS; ++i) {
        uint32_t pair = list->pairs[i];
        const iso_field_cell* a = &c->field->cells[cell_of(pair)];
        const double(*v)[4] = views[view_of(pair)].v;
        iso_clip_vertex* corners = batch->rings.v[count];
        iso_double4 d[3] = {distances(a, v[0]), distances(a, v[1]), distances(a, v[2])};
        for (int k = 0; k < 3; ++k) {
            iso_double4_store(corners[k].d, d[k]);
        }
        batch->pairs[count] = pair;
        iso_double4 most = iso_double4_max(iso_double4_max(d[0], d[1]), d[2]);
        count += iso_double4_bits(iso_double4_less(most, iso_double4_set(0.0))) == 0;
    }
    batch->rings.count = count;
    return i;
}

// iso_cull_keeps() of a triangle in a cell; rounded as where all pairs of two leaves are asked.
static inline bool is_triangle_kept(const iso_field_cell* a, const iso_tri_view* b) {
    const iso_vec3 g = a->piece.gradient;
    const double* n = b->normal;
    double along = fma(g.z, n[2], fma(g.y, n[1], g.x * n[0]));
    double square = fma(g.z, g.z, fma(g.y, g.y, g.x * g.x));
    return (along > 0.0) | (along * along < square * n[3]);
}

// Set up a ring that was begun as ring `at`, the same or one before it; returns 1 unless the cell
// cannot own any of the triangle.
static inline int fill_ring(const iso_tri_collector* c, const iso_tri_view* views, int begun,
                            int at, ring_batch* batch) {
    uint32_t pair = batch->pairs[begun];
    const iso_field_cell* a = &c->field->cells[cell_of(pair)];
    const iso_tri_view* b = &views[view_of(pair)];
    const iso_double4 zero = iso_double4_set(0.0);
    iso_tri_rings* r = &batch->rings;
    iso_clip_vertex* corners = r->v[at];
    const iso_affine f = a->piece;
    iso_double4 d[3];
    uint64_t inside = 0;
    for (int i = 0; i < 3; ++i) {
        d[i] = iso_double4_load(r->v[begun][i].d);
        inside |= iso_ring_by_plane(iso_double4_bits(iso_double4_greater_equal(d[i], zero))) << i;
        iso_double4 p = iso_double4_set(iso_affine_eval(f, vector_of(b->v[i])));
        iso_double4_store(corners[i].x, iso_double4_with_last(iso_double4_load(b->v[i]), p));
    }
    for (int i = 0; i < 3 && at != begun; ++i) {
        iso_double4_store(corners[i].d, d[i]);
    }
    batch->pairs[at] = pair;
    r->inside[at] = inside;
    iso_double4 most = iso_double4_max(iso_double4_max(d[0], d[1]), d[2]);
    int beyond = iso_double4_bits(iso_double4_less_equal(most, zero));
    if (beyond == 0) {
        return 1;
    }
    // Beyond a face without crossing it is in the face: one of its cells owns that.
    iso_double4 least = iso_double4_min(iso_double4_min(d[0], d[1]), d[2]);
    int crossed = iso_double4_bits(iso_double4_less(least, zero));
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
static bool add_closely(const iso_tri_collector* c, const ring_batch* batch, int i,
                        const iso_tri_view* b) {
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
static bool add_in_batch(const iso_tri_collector* c, const ring_batch* batch, int i,
                         const iso_tri_view* b) {
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
                                 int count, iso_double4 area_axis, turned_batch* out) {
    int close = 0;
    uint64_t order = r->order[i];
    iso_double4 last = iso_double4_load(r->v[i][order & 15].x);
    double(*v)[4] = out->v[i];
    order <<= 64 - 4 * count;
    close |= iso_face_turn_corner(list, r->v[i][order >> 60].x, &last, v[0]);
    close |= iso_face_turn_corner(list, r->v[i][order << 4 >> 60].x, &last, v[1]);
    iso_face_fan fan = iso_face_fan_begin(iso_double4_load(v[0]), iso_double4_load(v[1]));
    order <<= 8;
    for (int k = 2; k < count; ++k, order <<= 4) {
        close |= iso_face_turn_corner(list, r->v[i][order >> 60].x, &last, v[k]);
        iso_face_fan_add(&fan, area_axis, iso_double4_load(v[k]));
    }
    iso_double4_store(out->sum[i], fan.sum);
    out->twice_area[i] = fan.twice_area;
    out->is_close[i] = close != 0;
}

static void turn_tri_rings(const iso_tri_collector* c, const ring_batch* batch,
                           const iso_tri_view* views, turned_batch* out) {
    const iso_tri_rings* r = &batch->rings;
    const iso_face_list list = *c->list; // stores of corners do not change it
    for (int i = 0; i < r->count; ++i) {
        iso_double4 axis = views[view_of(batch->pairs[i])].axis_w;
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
    for (int i = r->count; i < ISO_TRI_RINGS && i % ISO_DOUBLE4_LANES != 0; ++i) {
        out->twice_area[i] = 0.0;
    }
    for (int i = 0; i < r->count; i += ISO_DOUBLE4_LANES) {
        iso_double4 thrice =
            iso_double4_mul(iso_double4_set(3.0), iso_double4_load(&out->twice_area[i]));
        iso_double4_store(&out->scale[i], iso_double4_div(iso_double4_set(1.0), thrice));
    }
}

// What a polygon has to do with either body.
static inline iso_face_facts facts_of(const iso_tri_collector* c, int cell, const iso_tri_view* b) {
    const iso_face_list* list = c->list;
    iso_vec3 g = c->field->cells[cell].piece.gradient;
    iso_double4 gradient = iso_face_turn(list, g.x, g.y, g.z), none = iso_double4_set(0.0);
    bool is_swapped = list->frame.is_swapped;
    int tet = c->field->tree.elements[cell];
    return (iso_face_facts){is_swapped ? iso_double4_neg(b->normal_w) : b->normal_w,
                            is_swapped ? none : gradient, is_swapped ? gradient : none,
                            iso_face_elements_of(is_swapped, tet, b->element)};
}

// Write a polygon. Most have three or four corners.
static void put_ring(const iso_tri_collector* c, const ring_batch* batch, int i,
                     const iso_tri_view* b, turned_batch* turned) {
    iso_face_list* list = c->list;
    double(*v)[4] = turned->v[i];
    int count = (int)batch->rings.corners[i];
    iso_double4 centroid =
        iso_double4_mul_add(iso_double4_load(turned->sum[i]), iso_double4_set(turned->scale[i]),
                            iso_double4_load(v[0]));
    iso_face_facts facts = facts_of(c, cell_of(batch->pairs[i]), b);
    if (list->is_fan) {
        iso_fan_put_polygon(list, v, count, b->normal_w, centroid, &facts);
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
static bool put_rings(const iso_tri_collector* c, const ring_batch* batch,
                      const iso_tri_view* views) {
    turned_batch turned;
    turn_tri_rings(c, batch, views, &turned);
    for (int i = 0; i < batch->rings.count; ++i) {
        const iso_tri_view* b = &views[view_of(batch->pairs[i])];
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

// Set up the rings that were begun, but for those that the cull drops or the cell cannot own.
// Returns how many the cull drops.
static int fill_rings(const iso_tri_collector* c, const iso_tri_view* views, bool is_culled,
                      ring_batch* batch) {
    int begun = batch->rings.count, count = 0, dropped = 0;
    bool asks_cull = c->cull != ISO_CULL_NONE && !is_culled;
    iso_tri_rings_begin(&batch->rings);
    for (int i = 0; i < begun; ++i) {
        uint32_t pair = batch->pairs[i];
        if (asks_cull &&
            !is_triangle_kept(&c->field->cells[cell_of(pair)], &views[view_of(pair)])) {
            ++dropped;
            continue;
        }
        count += fill_ring(c, views, i, count, batch);
    }
    batch->rings.count = count;
    return dropped;
}

// Drop what the cull drops of the candidates from one on.
static void cull_candidates(const iso_tri_collector* c, const iso_tri_view* views, int first,
                            iso_tri_candidates* list) {
    int count = first;
    for (int i = first; i < list->count; ++i) {
        uint32_t pair = list->pairs[i];
        list->pairs[count] = pair;
        count += is_triangle_kept(&c->field->cells[cell_of(pair)], &views[view_of(pair)]);
    }
    list->count = count;
    list->is_culled = true;
}

// Keep those that no face of the cell separates. Where most are dropped that is quicker than to
// begin rings.
static void keep_inside(const iso_tri_collector* c, const iso_tri_view* views,
                        iso_tri_candidates* list) {
    int count = 0;
    for (int i = 0; i < list->count; ++i) {
        uint32_t pair = list->pairs[i];
        const iso_field_cell* a = &c->field->cells[cell_of(pair)];
        const double(*v)[4] = views[view_of(pair)].v;
        iso_double4 most = iso_double4_max(iso_double4_max(distances(a, v[0]), distances(a, v[1])),
                                           distances(a, v[2]));
        list->pairs[count] = pair;
        count += iso_double4_bits(iso_double4_less(most, iso_double4_set(0.0))) == 0;
    }
    list->count = count;
}

bool iso_tri_candidates_put(const iso_tri_collector* c, const iso_tri_view* views,
                            iso_tri_candidates* list) {
    ring_batch batch;
    iso_tri_rings* r = &batch.rings;
    bool ok = true;
    if (list->is_culled) {
        keep_inside(c, views, list);
    }
    for (int next = 0; next < list->count && ok;) {
        next = begin_rings(c, views, list, next, &batch);
        int begun = r->count, dropped = fill_rings(c, views, list->is_culled, &batch);
        if (dropped > begun / MUCH_CULLED) {
            cull_candidates(c, views, next, list);
        }
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
