// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/walk/trace_visit.h"

#include "surface/faces/ring_face.h"

// Gradients this equal, relative to their length, define no plane of equal pressure.
#define PARALLEL_TOLERANCE 1e-12
// Rounding of pressure differences, relative to the terms that they are made of: the walk takes
// what is within it for zero.
#define NOISE 1e-14
// The walk takes elements this many coincident tolerances apart for touching.
#define TOUCH_FACTOR 4.0
// Touching never reaches farther than this, relative to the size of the bodies.
#define TOUCH_LIMIT 1e-6
// A face that bounds nothing is crossed by rounding only: by this many times what touches.
#define SKIPPED_FACTOR 1e3
// Corners this many times what touches from a plane are next to it.
#define NEXT_FACTOR 1e4

// Out of the way of what every visit does.
#define RARE __attribute__((noinline, cold)) static

void iso_visitor_begin(iso_visitor* visitor, iso_face_list* list, bool is_ordered, iso_arena* arena,
                       const iso_field* field_0, const iso_field* field_1, const iso_pose* x_01,
                       iso_cull cull) {
    double size = field_0->size + field_1->size;
    iso_coincidence equal = iso_coincidence_of(field_0, field_1);
    *visitor = (iso_visitor){.list = list,
                             .is_ordered = is_ordered,
                             .field_0 = field_0,
                             .field_1 = field_1,
                             .cull = cull,
                             .x_01 = x_01,
                             .equal = equal,
                             .touch = TOUCH_FACTOR * equal.distance,
                             .touch_limit = TOUCH_LIMIT * size,
                             .reach = 3.0 * size};
    iso_face_bag_begin(&visitor->bag, arena);
}

static double sum_abs(iso_vec3 v) {
    return fabs(v.x) + fabs(v.y) + fabs(v.z);
}

// The cell of body 1 that visits look at.
void iso_visitor_look_at(void* user, int cell_1) {
    iso_visitor* w = user;
    iso_cell_view* out = &w->view;
    const iso_field_cell* cell = &w->field_1->cells[cell_1];
    const iso_pose* x_01 = w->x_01;
    const iso_mat3* r = &x_01->r;
    iso_double4 n[4];
    for (int i = 0; i < 4; ++i) {
        n[i] = iso_double4_load(cell->planes[i]);
    }
    for (int i = 0; i < 3; ++i) {
        iso_double4 m = iso_double4_mul(iso_double4_set(r->m[i][0]), n[0]);
        m = iso_double4_mul_add(iso_double4_set(r->m[i][1]), n[1], m);
        out->plane[i] = iso_double4_mul_add(iso_double4_set(r->m[i][2]), n[2], m);
    }
    iso_double4 along = iso_double4_mul(out->plane[0], iso_double4_set(x_01->p.x));
    along = iso_double4_mul_add(out->plane[1], iso_double4_set(x_01->p.y), along);
    along = iso_double4_mul_add(out->plane[2], iso_double4_set(x_01->p.z), along);
    out->plane[3] = iso_double4_sub(n[3], along);
    out->f.gradient = iso_mat3_mul_vec3(r, cell->piece.gradient);
    out->f.offset = cell->piece.offset - iso_vec3_dot(out->f.gradient, x_01->p);
    out->gradient_squared = iso_vec3_norm_squared(out->f.gradient);
    out->terms = fabs(out->f.offset) + sum_abs(out->f.gradient) * w->reach;
    out->inner = 0;
    for (int face = 0; face < 4; ++face) {
        out->inner |= (cell->neighbors[face] >= 0) << face;
    }
    out->rims = w->field_0->marks.lowest < w->field_1->marks.lowest ? 15 & ~out->inner : 0;
    out->cell = cell_1;
}

static int rising_faces(const iso_cell_view* b, iso_vec3 rise) {
    return iso_coincidence_sides(b->plane[0], b->plane[1], b->plane[2], rise);
}

// A pair of cells with what has been found out about it.
typedef struct cell_pair {
    const iso_field_cell* a;
    const iso_cell_view* b;
    const double* corners[4]; // of a: (x, y, z, p)
    iso_double4 h;            // p0 - p1 there
    iso_vec3 rise;            // gradient of p0 - p1
    double length;            // of the rise
    bool is_parallel;         // the rise is rounding
    double noise;             // of p0 - p1 [Pa]
    double touch;             // [m]
    double tolerance;         // a polygon this close to a face of b lies in it [m]
    int positive;             // corners of a with h > 0
    int close;                // corners of a with h = 0 within the noise
} cell_pair;

static inline void meet(const iso_visitor* w, int cell_0, cell_pair* pair) {
    const iso_field_cell* a = &w->field_0->cells[cell_0];
    const iso_cell_view* b = &w->view;
    pair->a = a;
    pair->b = b;
    iso_double4 x[4];
    for (int i = 0; i < 4; ++i) {
        pair->corners[i] = w->field_0->points[a->corners[i]].x;
        x[i] = iso_double4_load(pair->corners[i]);
    }
    iso_double4_transpose(x);
    const iso_affine* f = &b->f;
    iso_double4 p1 =
        iso_double4_mul_add(iso_double4_set(f->gradient.x), x[0], iso_double4_set(f->offset));
    p1 = iso_double4_mul_add(iso_double4_set(f->gradient.y), x[1], p1);
    p1 = iso_double4_mul_add(iso_double4_set(f->gradient.z), x[2], p1);
    iso_double4 h = iso_double4_sub(x[3], p1);
    iso_double4_mask is_zero =
        iso_double4_less_equal(iso_double4_abs(h), iso_double4_set(w->equal.pressure));
    h = iso_double4_select(is_zero, iso_double4_set(0.0), h);
    pair->h = h;
    pair->noise =
        NOISE * (b->terms + fabs(a->piece.offset) + sum_abs(a->piece.gradient) * w->reach);
    pair->positive = iso_double4_bits(iso_double4_greater(h, iso_double4_set(0.0)));
    pair->close =
        iso_double4_bits(iso_double4_less_equal(iso_double4_abs(h), iso_double4_set(pair->noise)));
}

static inline void compare_gradients(const iso_visitor* w, cell_pair* pair) {
    iso_vec3 g0 = pair->a->piece.gradient;
    pair->rise = iso_vec3_sub(g0, pair->b->f.gradient);
    double squared = iso_vec3_norm_squared(pair->rise);
    double scale = iso_vec3_norm_squared(g0) + pair->b->gradient_squared;
    pair->is_parallel = !(squared > PARALLEL_TOLERANCE * PARALLEL_TOLERANCE * scale);
    pair->length = sqrt(squared);
    pair->tolerance = iso_coincidence_at(&w->equal, pair->length);
    double spread = pair->noise / pair->length;
    spread = spread < 0.5 * w->touch_limit ? spread : 0.5 * w->touch_limit;
    pair->touch = w->touch + (pair->is_parallel ? 0.0 : spread);
}

static iso_double4 measure(const iso_cell_view* b, const double x[4]) {
    iso_double4 d = iso_double4_mul_add(b->plane[0], iso_double4_set(x[0]), b->plane[3]);
    d = iso_double4_mul_add(b->plane[1], iso_double4_set(x[1]), d);
    return iso_double4_mul_add(b->plane[2], iso_double4_set(x[2]), d);
}

// Distances of the corners of a slice to the faces of b: the extremes over the corners.
typedef struct extent {
    iso_double4 least, most, nearest;
} extent;

static inline extent measure_slice(const iso_cell_view* b, iso_ring* ring) {
    extent e;
    ring->inside = 0;
    for (int i = 0; i < 4; ++i) {
        iso_double4 d = measure(b, ring->v[i].x);
        iso_double4_store(ring->v[i].d, d);
        int inside = iso_double4_bits(iso_double4_greater_equal(d, iso_double4_set(0.0)));
        ring->inside |= iso_ring_by_plane(inside) << i;
        e.least = i == 0 ? d : iso_double4_min(e.least, d);
        e.most = i == 0 ? d : iso_double4_max(e.most, d);
        e.nearest = i == 0 ? iso_double4_abs(d) : iso_double4_min(e.nearest, iso_double4_abs(d));
    }
    ring->inside &= (((uint64_t)1 << ring->count) - 1) * ISO_RING_EVERY_PLANE;
    return e;
}

// Faces of b, of those in whose planes a corner of a slice lies, that it may touch there. Where two
// fields go on outside their skins, the surface crosses both skins in one line, which lies in the
// planes of many cells that it does not come near. A slice all on one side of a plane lies in it
// with the hull of the corners in or next to it alone, but for a share of 1 / NEXT_FACTOR.
RARE int touchable_faces(const iso_ring* ring, const extent* e, double touch, int near) {
    const iso_double4 limit = iso_double4_set(-touch);
    int one_sided = iso_double4_bits(iso_double4_greater_equal(e->least, limit)) |
                    iso_double4_bits(iso_double4_less_equal(e->most, iso_double4_set(touch)));
    iso_double4 spare =
        iso_double4_mul(iso_double4_sub(e->most, e->least), iso_double4_set(1.0 / NEXT_FACTOR));
    int kept = near;
    for (int faces = near & one_sided; faces != 0; faces &= faces - 1) {
        int face = __builtin_ctz((unsigned)faces);
        iso_double4 most = iso_double4_set(-INFINITY);
        for (int i = 0; i < ring->count; ++i) {
            if (fabs(ring->v[i].d[face]) <= NEXT_FACTOR * touch) {
                most = iso_double4_max(most, iso_double4_load(ring->v[i].d));
            }
        }
        if (iso_double4_bits(iso_double4_less(iso_double4_add(most, spare), limit)) != 0) {
            kept &= ~(1 << face);
        }
    }
    return kept;
}

// Faces of b that the corners of a slice lie in, or may.
static inline int near_faces(const cell_pair* pair, const iso_ring* ring, const extent* e) {
    int near = iso_double4_bits(iso_double4_less_equal(e->nearest, iso_double4_set(pair->touch)));
    return near != 0 ? touchable_faces(ring, e, pair->touch, near) : 0;
}

// Faces of b, of those given, that do not clip. On the surface p0 = p1, so a face on which p1 is
// uniform and lowest bounds nothing where p0 is nowhere lower: body 0's own boundary cuts there
// ([Elandt2022] section 5.0.3).
RARE int skipped_faces(const iso_visitor* w, const cell_pair* pair, int faces) {
    const iso_field_cell* cell = &w->field_1->cells[pair->b->cell];
    double p[4], low = INFINITY, low_0 = INFINITY;
    for (int i = 0; i < 4; ++i) {
        p[i] = w->field_1->points[cell->corners[i]].x[3];
        low = p[i] < low ? p[i] : low;
        low_0 = pair->corners[i][3] < low_0 ? pair->corners[i][3] : low_0;
    }
    int above = 0;
    for (int i = 0; i < 4; ++i) {
        above |= (p[i] != low) << i;
    }
    bool is_one = above != 0 && (above & (above - 1)) == 0;
    return is_one && low <= low_0 ? above & faces : 0;
}

// The slice clipped corner by corner, for when rounding has it cross a plane more than twice.
RARE bool clip_plainly(const cell_pair* pair, const iso_ring* slice, int slice_count, int skipped,
                       iso_clip_polygon* out) {
    iso_clip_polygon spare;
    out->count = slice_count;
    for (int i = 0; i < slice_count; ++i) {
        out->v[i] = slice->v[i];
    }
    const iso_clip_polygon* result =
        iso_clip_planes(out, &spare, pair->tolerance, rising_faces(pair->b, pair->rise), skipped);
    if (!result) {
        return false;
    }
    *out = *result;
    return true;
}

// What of a slice lies in b: in `ring`, or, when rounding defeats that, in `plain`, and `ring` is
// left as it is.
// @return false when nothing does
static inline bool clip_slice(const iso_visitor* w, const cell_pair* pair, const extent* e,
                              iso_ring* ring, iso_clip_polygon* plain, bool* out_is_plain) {
    int skipped = 0, slice_count = ring->count;
    *out_is_plain = false;
    iso_double4 tolerance = iso_double4_set(pair->tolerance);
    int crossed = iso_double4_bits(iso_double4_less(e->least, iso_double4_set(0.0)));
    int beyond = iso_double4_bits(iso_double4_less_equal(e->most, tolerance));
    int barely =
        (crossed | beyond) & iso_double4_bits(iso_double4_greater_equal(
                                 e->least, iso_double4_set(-SKIPPED_FACTOR * pair->touch)));
    if (barely) {
        skipped = skipped_faces(w, pair, barely);
        crossed &= ~skipped;
        beyond &= ~skipped;
    }
    if (beyond) {
        int coincident =
            beyond &
            iso_double4_bits(iso_double4_greater_equal(e->least, iso_double4_neg(tolerance)));
        if (coincident != beyond || (coincident & ~rising_faces(pair->b, pair->rise))) {
            return false;
        }
        crossed &= ~coincident;
    }
    for (; crossed != 0; crossed &= crossed - 1) {
        if (!iso_ring_clip(ring, __builtin_ctz((unsigned)crossed))) {
            *out_is_plain = true;
            return clip_plainly(pair, ring, slice_count, skipped, plain);
        }
        if (ring->count == 0) {
            return false;
        }
    }
    return true;
}

// What a polygon touches. One with an edge along an edge of b, or nearly, is close to it.
static inline iso_touched touch_polygon(const cell_pair* pair, const iso_ring* polygon,
                                        int* out_notes) {
    int lines = 0, faces = 0, double_faces = 0;
    iso_double4 touch = iso_double4_set(pair->touch);
    int last = iso_ring_at(polygon, polygon->count - 1);
    int before =
        iso_double4_bits(iso_double4_less_equal(iso_double4_load(polygon->v[last].d), touch));
    for (int i = 0; i < polygon->count; ++i) {
        int at = iso_ring_at(polygon, i);
        int here =
            iso_double4_bits(iso_double4_less_equal(iso_double4_load(polygon->v[at].d), touch));
        int common = here & before & pair->b->inner;
        lines |= polygon->lines[at];
        faces |= here;
        double_faces |= common & (common - 1);
        before = here;
    }
    *out_notes |= double_faces != 0 ? ISO_VISIT_CLOSE : 0;
    return (iso_touched){lines, faces & pair->b->inner};
}

// What the sides of a face are.
typedef struct face_sides {
    iso_vec3 normal;
    iso_face_side side_0, side_1;
} face_sides;

static face_sides sides_of(const iso_visitor* w, const cell_pair* pair) {
    int cell_0 = (int)(pair->a - w->field_0->cells);
    // p0 rises into body 0, so the normal into body 1 is against the rise.
    return (face_sides){iso_vec3_scale(pair->rise, -1.0 / pair->length),
                        {pair->a->piece.gradient, w->field_0->tree.elements[cell_0]},
                        {pair->b->f.gradient, w->field_1->tree.elements[pair->b->cell]}};
}

// Vertices, as the list wants them, that are where open_polygon() says become a face.
static bool put_vertices(iso_visitor* w, const cell_pair* pair, double v[][4], int count) {
    if (!w->is_ordered && !iso_face_has_room(w->list, 1, count)) {
        return false;
    }
    face_sides s = sides_of(w, pair);
    if (w->is_ordered) {
        iso_face_bag_put(&w->bag, w->list, count, s.normal, &s.side_0, &s.side_1);
    } else {
        iso_face_list_put(w->list, v, count, s.normal, &s.side_0, &s.side_1);
    }
    return true;
}

// Where the vertices of a polygon go; NULL when out of memory.
static double (*open_polygon(iso_visitor* w, double own[][4]))[4] {
    if (!w->is_ordered) {
        return own;
    }
    iso_face_record* record = iso_face_bag_open(&w->bag);
    return record ? record->v : NULL;
}

// Add a polygon in which corners may coincide.
RARE bool add_polygon(iso_visitor* w, const cell_pair* pair, iso_clip_polygon* polygon) {
    int count = iso_clip_clean(polygon, w->list->near);
    if (count < 3) {
        return true;
    }
    double own[ISO_CLIP_VERTICES][4], (*v)[4] = open_polygon(w, own);
    for (int i = 0; v && i < count; ++i) {
        const double* x = polygon->v[i].x;
        iso_double4 at = iso_face_turn(w->list, x[0], x[1], x[2]);
        iso_double4_store(v[i], iso_double4_with_last(at, iso_double4_load(x)));
    }
    return v && put_vertices(w, pair, v, count);
}

// Turned, compared and measured in one turn. Corners seldom coincide.
__attribute__((always_inline)) static inline bool add_ring(iso_visitor* w, const cell_pair* pair,
                                                           const iso_ring* ring) {
    double own[ISO_RING_MOST][4], (*v)[4] = open_polygon(w, own);
    if (!v) {
        return false;
    }
    face_sides s = sides_of(w, pair);
    iso_face_measures m;
    if (iso_ring_measure(w->list, ring, s.normal, v, &m)) {
        iso_clip_polygon polygon;
        iso_ring_polygon(ring, &polygon);
        return add_polygon(w, pair, &polygon);
    }
    if (w->is_ordered) {
        iso_face_bag_add(&w->bag, w->list, &m, &s.side_0, &s.side_1);
        return true;
    }
    if (!iso_face_has_room(w->list, 1, m.count)) {
        return false;
    }
    iso_face_list_put_measured(w->list, v, &m, &s.side_0, &s.side_1);
    return true;
}

static bool keeps(const iso_visitor* w, const cell_pair* pair) {
    return iso_cull_keeps(w->cull, pair->rise, pair->a->piece.gradient) &&
           iso_cull_keeps(w->cull, iso_vec3_neg(pair->rise), pair->b->f.gradient);
}

// The polygon goes to the list, if there is one.
iso_touched iso_visitor_visit(void* user, int cell_0, int* out_notes) {
    iso_visitor* w = user;
    const iso_touched nowhere = {0, 0};
    cell_pair pair;
    meet(w, cell_0, &pair);
    *out_notes = pair.close != 0 ? ISO_VISIT_CLOSE : 0;
    if (pair.positive == 0 || pair.positive == 15) {
        return nowhere;
    }
    iso_ring ring;
    iso_clip_polygon plain;
    iso_ring_slice(pair.corners, pair.h, pair.positive, &ring);
    extent e = measure_slice(pair.b, &ring);
    if (iso_double4_bits(iso_double4_less(e.most, iso_double4_set(-w->touch_limit)))) {
        return nowhere; // well outside a face of b
    }
    compare_gradients(w, &pair);
    int near = near_faces(&pair, &ring, &e);
    *out_notes |= (near & pair.b->inner) != 0 ? ISO_VISIT_CLOSE : 0;
    bool is_plain;
    if (pair.is_parallel || !clip_slice(w, &pair, &e, &ring, &plain, &is_plain)) {
        *out_notes |= (near & pair.b->rims) != 0 ? ISO_VISIT_CLOSE : 0;
        return nowhere;
    }
    if (keeps(w, &pair)) {
        bool ok = is_plain ? add_polygon(w, &pair, &plain) : add_ring(w, &pair, &ring);
        *out_notes |= ok ? 0 : ISO_VISIT_FAILED;
    }
    return touch_polygon(&pair, &ring, out_notes);
}

// Whether p0 = p1 within the noise at a corner of the present cell of body 1.
static bool is_close_at_1(const iso_visitor* w, const cell_pair* pair) {
    const iso_field_cell* cell = &w->field_1->cells[pair->b->cell];
    iso_affine f = pair->a->piece;
    for (int i = 0; i < 4; ++i) {
        const double* x = w->field_1->points[cell->corners[i]].x;
        iso_vec3 at = iso_pose_point(w->x_01, iso_vec3_make(x[0], x[1], x[2]));
        if (fabs(iso_affine_eval(f, at) - x[3]) <= pair->noise) {
            return true;
        }
    }
    return false;
}

// The faces that the surface may touch in a pair where rounding decides: the hull of the slice and
// of the corners of a that lie in the surface, tried against the faces of b alone. Touches more
// than there is, but nothing far from both cells.
iso_touched iso_visitor_visit_closely(void* user, int cell_0) {
    const iso_visitor* w = user;
    const iso_touched nowhere = {0, 0};
    cell_pair pair;
    meet(w, cell_0, &pair);
    compare_gradients(w, &pair);
    iso_ring ring = {.count = 0};
    extent e = {iso_double4_set(INFINITY), iso_double4_set(-INFINITY), iso_double4_set(INFINITY)};
    iso_touched t = nowhere;
    if (pair.positive != 0 && pair.positive != 15) {
        iso_ring_slice(pair.corners, pair.h, pair.positive, &ring);
        e = measure_slice(pair.b, &ring);
    }
    for (int i = 0; i < ring.count; ++i) {
        t.sides_0 |= ring.lines[i];
    }
    iso_double4 touch = iso_double4_set(pair.touch);
    int may_go_on = pair.b->inner | pair.b->rims;
    int near = near_faces(&pair, &ring, &e) & may_go_on;
    if (pair.close == 0 && near == 0 && !is_close_at_1(w, &pair)) {
        return nowhere;
    }
    for (int i = 0; i < 4; ++i) {
        if (pair.close >> i & 1) {
            iso_double4 d = measure(pair.b, pair.corners[i]);
            e.least = iso_double4_min(e.least, d);
            e.most = iso_double4_max(e.most, d);
            t.sides_0 |= 15 & ~(1 << i);
        }
    }
    if (iso_double4_bits(iso_double4_less(e.most, iso_double4_neg(touch)))) {
        return nowhere;
    }
    t.sides_1 = iso_double4_bits(iso_double4_less_equal(e.least, touch));
    return t;
}
