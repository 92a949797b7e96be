// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Walks over the surface of equal pressure: from a pair of cells (one of either field) with a
// polygon to the pairs beyond its edges. Theory: docs/theory/contact_surface.md.

#include "surface/kernels.h"

#include "base/fail.h"
#include "surface/trace.h"
#include "surface/trace_clip.h"
#include "surface/trace_seeds.h"

// A polygon this close to a face, relative to the size of the bodies, lies in it.
#define COINCIDENT_TOLERANCE 1e-13
// Gradients this equal, relative to their length, define no plane of equal pressure.
#define PARALLEL_TOLERANCE 1e-12
// Rounding of pressure differences, relative to the terms that they are made of: the walk takes
// what is within it for zero.
#define NOISE 1e-14
// The walk takes elements this many coincident tolerances apart for touching.
#define TOUCH_FACTOR 4.0
// Touching never reaches farther than this, relative to the size of the bodies.
#define TOUCH_LIMIT 1e-6

// A cell of body 1 in frame 0, [axis][corner] or [component][face].
typedef struct cell_view {
    double v[3][4];
    double p[4];
    double plane[4][4];
    iso_affine f;
    double low;
    double terms;  // bound of the terms of f in the neighbourhood of the bodies [Pa]
    int flat_face; // whose three corners have the cell's lowest pressure, or -1
    int inner;     // faces with a cell beyond, one bit each
    int cell;
} cell_view;

typedef struct walker {
    iso_face_list* list;
    const iso_field *field_0, *field_1;
    iso_cull cull;
    const iso_pose* x_01;
    double tolerance; // [m]
    double touch;     // [m]
    double touch_limit;
    double reach; // bound of |coordinate| that both bodies touch, summed over axes [m]
    iso_trace trace;
    cell_view view;
    iso_vec3 normal_sum; // of the polygons, from low to high p0 - p1
    bool is_out_of_memory;
} walker;

// Faces beyond which the surface goes on, one bit each.
typedef struct touched {
    int faces_0, faces_1;
} touched;

static double sum_abs(iso_vec3 v) {
    return fabs(v.x) + fabs(v.y) + fabs(v.z);
}

static int find_flat_face(const double p[4], double low) {
    int above = -1;
    for (int i = 0; i < 4; ++i) {
        if (p[i] != low) {
            if (above >= 0) {
                return -1;
            }
            above = i;
        }
    }
    return above;
}

static void view_cell(const walker* w, int cell_1, cell_view* out) {
    const iso_field_cell* cell = &w->field_1->cells[cell_1];
    const iso_pose* x_01 = w->x_01;
    const iso_mat3* r = &x_01->r;
    double origin[3] = {x_01->p.x, x_01->p.y, x_01->p.z};
    iso_wide x[4], n[4], m[3];
    for (int i = 0; i < 4; ++i) {
        x[i] = iso_wide_load(w->field_1->points[cell->corners[i]].x);
        n[i] = iso_wide_load(cell->planes[i]);
    }
    iso_wide_transpose(x);
    for (int i = 0; i < 3; ++i) {
        iso_wide v = iso_wide_mul_add(iso_wide_set(r->m[i][0]), x[0], iso_wide_set(origin[i]));
        v = iso_wide_mul_add(iso_wide_set(r->m[i][1]), x[1], v);
        iso_wide_store(out->v[i], iso_wide_mul_add(iso_wide_set(r->m[i][2]), x[2], v));
        m[i] = iso_wide_mul(iso_wide_set(r->m[i][0]), n[0]);
        m[i] = iso_wide_mul_add(iso_wide_set(r->m[i][1]), n[1], m[i]);
        m[i] = iso_wide_mul_add(iso_wide_set(r->m[i][2]), n[2], m[i]);
        iso_wide_store(out->plane[i], m[i]);
    }
    iso_wide along = iso_wide_mul(m[0], iso_wide_set(origin[0]));
    along = iso_wide_mul_add(m[1], iso_wide_set(origin[1]), along);
    along = iso_wide_mul_add(m[2], iso_wide_set(origin[2]), along);
    iso_wide_store(out->plane[3], iso_wide_sub(n[3], along));
    iso_wide_store(out->p, x[3]);
    iso_vec3 g = {cell->gradient[0], cell->gradient[1], cell->gradient[2]};
    out->f.gradient = iso_mat3_mul_vec3(r, g);
    out->f.offset = cell->offset - iso_vec3_dot(out->f.gradient, x_01->p);
    out->low = fmin(fmin(out->p[0], out->p[1]), fmin(out->p[2], out->p[3]));
    out->flat_face = find_flat_face(out->p, out->low);
    out->terms = fabs(out->f.offset) + sum_abs(out->f.gradient) * w->reach;
    out->inner = 0;
    for (int face = 0; face < 4; ++face) {
        out->inner |= (cell->neighbors[face] >= 0) << face;
    }
    out->cell = cell_1;
}

// Faces of the cell of body 1 that lie on the side to which p0 - p1 rises from their plane.
static int rising_faces(const cell_view* b, iso_vec3 rise) {
    iso_wide along = iso_wide_mul(iso_wide_load(b->plane[0]), iso_wide_set(rise.x));
    along = iso_wide_mul_add(iso_wide_load(b->plane[1]), iso_wide_set(rise.y), along);
    along = iso_wide_mul_add(iso_wide_load(b->plane[2]), iso_wide_set(rise.z), along);
    return iso_wide_bits(iso_wide_greater(along, iso_wide_set(0.0)));
}

// A pair of cells with what has been found out about it.
typedef struct cell_pair {
    const iso_field_cell* a;
    const cell_view* b;
    iso_wide corners[4]; // of a: (x, y, z, p)
    double h[4];         // p0 - p1 there
    iso_vec3 rise;       // gradient of p0 - p1
    double rise_squared;
    bool is_parallel; // rise is rounding
    double noise;     // of p0 - p1 [Pa]
    double touch;     // [m]
    int positive;     // corners of a with h > 0
    int close;        // corners of a with h = 0 within the noise
} cell_pair;

static iso_vec3 gradient_of(const iso_field_cell* cell) {
    return iso_vec3_make(cell->gradient[0], cell->gradient[1], cell->gradient[2]);
}

static void meet(const walker* w, int cell_0, cell_pair* pair) {
    const iso_field_cell* a = &w->field_0->cells[cell_0];
    const cell_view* b = &w->view;
    pair->a = a;
    pair->b = b;
    iso_wide x[4];
    for (int i = 0; i < 4; ++i) {
        x[i] = pair->corners[i] = iso_wide_load(w->field_0->points[a->corners[i]].x);
    }
    iso_wide_transpose(x);
    iso_vec3 g0 = gradient_of(a);
    const iso_affine* f = &b->f;
    iso_wide p1 = iso_wide_mul_add(iso_wide_set(f->gradient.x), x[0], iso_wide_set(f->offset));
    p1 = iso_wide_mul_add(iso_wide_set(f->gradient.y), x[1], p1);
    p1 = iso_wide_mul_add(iso_wide_set(f->gradient.z), x[2], p1);
    iso_wide h = iso_wide_sub(x[3], p1);
    iso_wide_store(pair->h, h);
    pair->noise = NOISE * (b->terms + fabs(a->offset) + sum_abs(g0) * w->reach);
    pair->positive = iso_wide_bits(iso_wide_greater(h, iso_wide_set(0.0)));
    pair->close = iso_wide_bits(iso_wide_less_equal(iso_wide_abs(h), iso_wide_set(pair->noise)));
}

static void compare_gradients(const walker* w, cell_pair* pair) {
    iso_vec3 g0 = gradient_of(pair->a), g1 = pair->b->f.gradient;
    pair->rise = iso_vec3_sub(g0, g1);
    pair->rise_squared = iso_vec3_norm_squared(pair->rise);
    double scale = iso_vec3_norm_squared(g0) + iso_vec3_norm_squared(g1);
    pair->is_parallel = !(pair->rise_squared > PARALLEL_TOLERANCE * PARALLEL_TOLERANCE * scale);
    pair->touch = w->touch;
    if (!pair->is_parallel) {
        pair->touch += fmin(pair->noise / sqrt(pair->rise_squared), w->touch_limit);
    }
}

// Corners of b with p0 = p1 within the noise.
static bool is_close_at_1(const cell_pair* pair) {
    iso_vec3 g = gradient_of(pair->a);
    const cell_view* b = pair->b;
    iso_wide p0 =
        iso_wide_mul_add(iso_wide_set(g.x), iso_wide_load(b->v[0]), iso_wide_set(pair->a->offset));
    p0 = iso_wide_mul_add(iso_wide_set(g.y), iso_wide_load(b->v[1]), p0);
    p0 = iso_wide_mul_add(iso_wide_set(g.z), iso_wide_load(b->v[2]), p0);
    iso_wide h = iso_wide_abs(iso_wide_sub(p0, iso_wide_load(b->p)));
    return iso_wide_bits(iso_wide_less_equal(h, iso_wide_set(pair->noise))) != 0;
}

static iso_wide measure(const cell_view* b, const double x[4]) {
    iso_wide d = iso_wide_mul_add(iso_wide_load(b->plane[0]), iso_wide_set(x[0]),
                                  iso_wide_load(b->plane[3]));
    d = iso_wide_mul_add(iso_wide_load(b->plane[1]), iso_wide_set(x[1]), d);
    return iso_wide_mul_add(iso_wide_load(b->plane[2]), iso_wide_set(x[2]), d);
}

// Distances of the corners of a slice to the faces of b: the extremes over the corners.
typedef struct extent {
    iso_wide least, most, nearest;
} extent;

static extent measure_slice(const cell_view* b, iso_ring* ring) {
    extent e = {iso_wide_set(INFINITY), iso_wide_set(-INFINITY), iso_wide_set(INFINITY)};
    for (int i = 0; i < ring->count; ++i) {
        iso_wide d = measure(b, ring->v[i].x);
        iso_wide_store(ring->v[i].d, d);
        e.least = iso_wide_min(e.least, d);
        e.most = iso_wide_max(e.most, d);
        e.nearest = iso_wide_min(e.nearest, iso_wide_abs(d));
    }
    return e;
}

// The faces that a slice may touch where rounding decides: the hull of the slice and of the corners
// of a that lie in the surface, tried against the faces of b alone.
static touched touch_closely(const cell_pair* pair, const iso_ring* slice, extent e) {
    touched t = {0, 0};
    for (int i = 0; i < slice->count; ++i) {
        t.faces_0 |= slice->lines[i] >> 4;
    }
    for (int i = 0; i < 4; ++i) {
        if (pair->close >> i & 1) {
            double x[4];
            iso_wide_store(x, pair->corners[i]);
            iso_wide d = measure(pair->b, x);
            e.least = iso_wide_min(e.least, d);
            e.most = iso_wide_max(e.most, d);
            t.faces_0 |= 15 & ~(1 << i);
        }
    }
    if (iso_wide_bits(iso_wide_less(e.most, iso_wide_set(-pair->touch)))) {
        return (touched){0, 0};
    }
    t.faces_1 = iso_wide_bits(iso_wide_less_equal(e.least, iso_wide_set(pair->touch)));
    return t;
}

static touched touch_polygon(const cell_pair* pair, const iso_ring* polygon) {
    int lines = 0;
    iso_wide least = iso_wide_set(INFINITY);
    for (int i = 0; i < polygon->count; ++i) {
        int at = iso_ring_at(polygon, i);
        lines |= polygon->lines[at];
        least = iso_wide_min(least, iso_wide_load(polygon->v[at].d));
    }
    return (touched){lines >> 4,
                     iso_wide_bits(iso_wide_less_equal(least, iso_wide_set(pair->touch)))};
}

// Faces of b that do not clip. On the surface p0 = p1, so a face on which p1 is uniform and lowest
// bounds nothing where p0 is nowhere lower: body 0's own boundary cuts there ([Elandt2022] section
// 5.0.3).
static int skipped_faces(const cell_pair* pair) {
    const cell_view* b = pair->b;
    if (b->flat_face < 0) {
        return 0;
    }
    iso_wide x[4] = {pair->corners[0], pair->corners[1], pair->corners[2], pair->corners[3]};
    iso_wide_transpose(x);
    int lower = iso_wide_bits(iso_wide_less(x[3], iso_wide_set(b->low)));
    return lower == 0 ? 1 << b->flat_face : 0;
}

// The slice clipped corner by corner, for when rounding has it cross a plane more than twice.
static bool clip_plainly(const walker* w, const cell_pair* pair, const iso_ring* slice,
                         int slice_count, int skipped, iso_clip_polygon* out) {
    iso_clip_polygon spare;
    out->count = slice_count;
    for (int i = 0; i < slice_count; ++i) {
        out->v[i] = slice->v[i];
    }
    const iso_clip_polygon* result =
        iso_clip_planes(out, &spare, w->tolerance, rising_faces(pair->b, pair->rise), skipped);
    if (!result) {
        return false;
    }
    *out = *result;
    return true;
}

static void copy_ring(const iso_ring* ring, iso_clip_polygon* out) {
    out->count = ring->count;
    for (int i = 0; i < ring->count; ++i) {
        iso_wide_store(out->v[i].x, iso_wide_load(ring->v[iso_ring_at(ring, i)].x));
    }
}

// What of a slice lies in b. Leaves it in `ring` too, whole when rounding defeats that.
// @return false when nothing does
static bool clip_slice(const walker* w, const cell_pair* pair, const extent* e, iso_ring* ring,
                       iso_clip_polygon* out) {
    int skipped = skipped_faces(pair), slice_count = ring->count;
    iso_wide tolerance = iso_wide_set(w->tolerance);
    int crossed = iso_wide_bits(iso_wide_less(e->least, iso_wide_set(0.0))) & ~skipped;
    int beyond = iso_wide_bits(iso_wide_less_equal(e->most, tolerance)) & ~skipped;
    if (beyond) {
        int coincident =
            beyond & iso_wide_bits(iso_wide_greater_equal(e->least, iso_wide_neg(tolerance)));
        if (coincident != beyond || (coincident & ~rising_faces(pair->b, pair->rise))) {
            return false;
        }
        crossed &= ~coincident;
    }
    for (int plane = 0; crossed >> plane; ++plane) {
        if (!(crossed >> plane & 1)) {
            continue;
        }
        if (!iso_ring_clip(ring, plane)) {
            return clip_plainly(w, pair, ring, slice_count, skipped, out);
        }
        if (ring->count == 0) {
            return false;
        }
    }
    copy_ring(ring, out);
    return true;
}

static bool add_face(walker* w, const cell_pair* pair, iso_clip_polygon* polygon) {
    if (iso_clip_clean(polygon) < 3) {
        return true;
    }
    iso_vec3 g0 = gradient_of(pair->a), g1 = pair->b->f.gradient;
    // p0 rises into body 0, so the normal into body 1 is against the rise.
    iso_vec3 normal = iso_vec3_scale(pair->rise, -1.0 / sqrt(pair->rise_squared));
    w->normal_sum = iso_vec3_sub(w->normal_sum, normal);
    if (!iso_cull_keeps(w->cull, pair->rise, g0) ||
        !iso_cull_keeps(w->cull, iso_vec3_neg(pair->rise), g1)) {
        return true;
    }
    int cell_0 = (int)(pair->a - w->field_0->cells);
    iso_face_side side_0 = {g0, w->field_0->tree.elements[cell_0]};
    iso_face_side side_1 = {g1, w->field_1->tree.elements[pair->b->cell]};
    return iso_face_list_add(w->list, polygon, normal, &side_0, &side_1);
}

// The polygon of a cell of body 0 and the present one of body 1, if there is one, goes to the list.
// @return where the surface goes on
static touched visit(walker* w, int cell_0) {
    const touched nowhere = {0, 0};
    cell_pair pair;
    meet(w, cell_0, &pair);
    if ((pair.positive == 0 || pair.positive == 15) && pair.close == 0) {
        return nowhere;
    }
    compare_gradients(w, &pair);
    iso_ring ring;
    iso_clip_polygon polygon;
    iso_ring_slice(pair.corners, pair.h, pair.positive, &ring);
    extent e = measure_slice(pair.b, &ring);
    iso_wide touch = iso_wide_set(pair.touch);
    bool is_close = pair.close != 0 ||
                    (iso_wide_bits(iso_wide_less_equal(e.nearest, touch)) & pair.b->inner) != 0 ||
                    is_close_at_1(&pair);
    touched t = is_close ? touch_closely(&pair, &ring, e) : nowhere;
    if (ring.count == 0 || pair.is_parallel || !clip_slice(w, &pair, &e, &ring, &polygon)) {
        return t;
    }
    touched at = touch_polygon(&pair, &ring);
    if (!add_face(w, &pair, &polygon)) {
        w->is_out_of_memory = true;
    }
    return (touched){t.faces_0 | at.faces_0, t.faces_1 | at.faces_1};
}

// Queue the pairs beyond the faces that a visit found.
static void go_on(walker* w, int cell_0, touched t) {
    int cell_1 = w->view.cell;
    const int* neighbors_0 = w->field_0->cells[cell_0].neighbors;
    const int* neighbors_1 = w->field_1->cells[cell_1].neighbors;
    iso_trace* trace = &w->trace;
    for (int face = 0; face < 4; ++face) {
        int next = neighbors_0[face];
        if (t.faces_0 >> face & 1 && next >= 0 &&
            iso_trace_visit(trace, iso_trace_key(next, cell_1))) {
            trace->near[trace->near_count++] = next;
        }
    }
    for (int face = 0; face < 4; ++face) {
        int next = neighbors_1[face];
        if (t.faces_1 >> face & 1 && next >= 0) {
            uint64_t key = iso_trace_key(cell_0, next);
            if (!iso_trace_is_visited(trace, key)) {
                trace->far[trace->far_count++] = key;
            }
        }
    }
}

// All pairs of the present cell of body 1 that are connected with one of body 0.
static bool walk_cell(walker* w, int cell_0) {
    iso_trace* trace = &w->trace;
    trace->near[trace->near_count++] = cell_0;
    while (trace->near_count > 0) {
        int next = trace->near[--trace->near_count];
        if (!iso_trace_has_room(trace) && !iso_trace_make_room(trace)) {
            return false;
        }
        go_on(w, next, visit(w, next));
        if (w->is_out_of_memory) {
            return false;
        }
    }
    return true;
}

// Walk from a pair over everything that is connected with it.
static bool walk(void* user, int cell_0, int cell_1) {
    walker* w = user;
    iso_trace* trace = &w->trace;
    if (iso_trace_is_visited(trace, iso_trace_key(cell_0, cell_1))) {
        return true;
    }
    trace->far[trace->far_count++] = iso_trace_key(cell_0, cell_1);
    while (trace->far_count > 0) {
        uint64_t key = trace->far[--trace->far_count];
        if (!iso_trace_has_room(trace) && !iso_trace_make_room(trace)) {
            return false;
        }
        if (!iso_trace_visit(trace, key)) {
            continue;
        }
        int next = (int)(key >> 32);
        if (next != w->view.cell) {
            view_cell(w, next, &w->view);
        }
        if (!walk_cell(w, (int)(key & 0xffffffffu))) {
            return false;
        }
    }
    return true;
}

// A direction along which p0 - p1 may rise on most of the surface.
static iso_vec3 rising_direction(const walker* w) {
    iso_vec3 along = w->normal_sum;
    if (!(iso_vec3_norm_squared(along) > 0.0)) {
        const iso_bvh_box *box_0 = &w->field_0->tree.bounds, *box_1 = &w->field_1->tree.bounds;
        iso_vec3 center_0 = iso_vec3_lerp(box_0->lower, box_0->upper, 0.5);
        iso_vec3 center_1 = iso_vec3_lerp(box_1->lower, box_1->upper, 0.5);
        along = iso_vec3_sub(center_0, iso_pose_point(w->x_01, center_1));
    }
    return iso_vec3_norm_squared(along) > 0.0 ? iso_vec3_normalized(along)
                                              : iso_vec3_make(0.0, 0.0, 1.0);
}

iso_status iso_collect_field_field(iso_face_list* list, const iso_field* field_0,
                                   const iso_field* field_1, const iso_pose* x_01, iso_cull cull) {
    walker w = {.list = list, .field_0 = field_0, .field_1 = field_1, .cull = cull, .x_01 = x_01};
    double size = field_0->size + field_1->size;
    w.tolerance = COINCIDENT_TOLERANCE * size;
    w.touch = TOUCH_FACTOR * w.tolerance;
    w.touch_limit = TOUCH_LIMIT * size;
    w.reach = 3.0 * size;
    w.view.cell = -1;
    iso_context* ctx = list->arena->ctx;
    ISO_REQUIRE(
        ctx,
        iso_trace_begin(&w.trace, list->arena) && iso_seed_rims(field_0, field_1, x_01, walk, &w) &&
            iso_seed_closed(list->arena, field_0, field_1, x_01, rising_direction(&w), walk, &w),
        ISO_ERR_MEMORY, "contact surface of two fields");
    return ISO_OK;
}
