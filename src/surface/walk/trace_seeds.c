// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/walk/trace_seeds.h"

#include "field/structure/field_parts.h"
#include "surface/clipping/rim_filter.h"
#include "surface/walk/trace_ray.h"

// Rounding of gradients, relative to their length.
#define SLOPE_PADDING 1e-12
// Pressures this close, relative to their size, may be meant to be equal.
#define LEVEL_PADDING 1e-9
// So many steps of the search for ridges and peaks to one of the other.
#define FALLING_PACE 16
// After so much work of each both searches are likely to be long, and about as long: the one whose
// length is known best, as it has one stage, gets so many steps to one of the other.
#define RACE_WORK 4096
#define LONG_PACE 4
// A point this close to a cell, relative to the size of the bodies, may lie in it.
#define PADDING 1e-12

static iso_piece_set level_of(const iso_field* field) {
    return (iso_piece_set){.field = field, .tree = &field->marks.level, .kind = ISO_PIECE_FACE};
}

static iso_piece_set loose_of(const iso_field* field) {
    return (iso_piece_set){.field = field, .tree = &field->marks.loose, .kind = ISO_PIECE_FACE};
}

static iso_piece_set cells_of(const iso_field* field) {
    return (iso_piece_set){.field = field, .tree = &field->tree, .kind = ISO_PIECE_CELL};
}

static iso_piece_set shell_of(const iso_field* field) {
    return field->marks.is_shell_level ? level_of(field)
                                       : (iso_piece_set){.field = field,
                                                         .tree = &field->marks.shell,
                                                         .kind = ISO_PIECE_SHELL};
}

// Level faces in whose search rims may be followed.
static bool has_planes(const iso_piece_set* set) {
    return set->kind == ISO_PIECE_FACE && set->field->marks.planes;
}

static bool search_all(iso_piece_set set_0, iso_piece_set set_1, const iso_pose* x_01,
                       iso_search_part part, iso_seed_fn fn, void* user, long* work) {
    if (set_0.tree->leaf_count == 0 || set_1.tree->leaf_count == 0) {
        return true;
    }
    iso_piece_search search;
    iso_rim_filter rims;
    search.sets[0] = set_0;
    search.sets[1] = set_1;
    search.x_01 = x_01;
    search.fn = fn;
    search.user = user;
    search.most_rise = INFINITY;
    search.along_0 = search.along_1 = iso_vec3_zero();
    search.filter = NULL;
    search.is_level = false;
    if (has_planes(&set_0) && has_planes(&set_1)) {
        if (!iso_rim_filter_begin(&rims, set_0.field, set_1.field, x_01)) {
            return true;
        }
        search.filter = iso_rim_filter_keeps;
        search.filter_user = &rims;
    }
    bool ok = iso_piece_search_run(&search, part);
    *work += search.work;
    return ok;
}

bool iso_seed_rims(const iso_field* field_0, const iso_field* field_1, const iso_pose* x_01,
                   iso_search_part part, iso_seed_fn fn, void* user, long* work) {
    double low_0 = field_0->marks.lowest, low_1 = field_1->marks.lowest;
    double close = LEVEL_PADDING * fmax(fabs(low_0), fabs(low_1));
    bool ok = true;
    if (low_0 >= low_1 - close) {
        ok = search_all(level_of(field_0), shell_of(field_1), x_01, part, fn, user, work);
    }
    bool is_done = low_0 == 0.0 && low_1 == 0.0 && field_0->marks.is_lowest_level;
    if (ok && low_1 >= low_0 - close && !is_done) {
        ok = search_all(shell_of(field_0), level_of(field_1), x_01, part, fn, user, work);
    }
    return ok && search_all(loose_of(field_0), cells_of(field_1), x_01, part, fn, user, work) &&
           search_all(cells_of(field_0), loose_of(field_1), x_01, part, fn, user, work);
}

// What the filter of pairs of boxes needs.
typedef struct slope_test {
    const iso_field *field_0, *field_1;
    const iso_pose* x_01;
    iso_vec3 along_0, along_1; // a unit vector in either frame
    double slack;              // of gradients along it [Pa/m]
    double noise;              // of p0 - p1 [Pa]
    iso_seed_fn fn;
    void* user;
} slope_test;

// The slopes of two children side by side in the lanes of iso_bvh_overlapping().
typedef struct slope_lanes {
    iso_double4 center[3], half[3], least, most, shortest, longest;
} slope_lanes;

#define SPREAD(lanes, slope)                                                               \
    (slope_lanes) {                                                                        \
        {lanes((slope)->center[0]), lanes((slope)->center[1]), lanes((slope)->center[2])}, \
            {lanes((slope)->half[0]), lanes((slope)->half[1]), lanes((slope)->half[2])},   \
            lanes((slope)->least), lanes((slope)->most), lanes((slope)->shortest),         \
            lanes((slope)->longest)                                                        \
    }

static inline slope_lanes spread_0(const iso_field* field, const iso_bvh_expansion* e) {
    const iso_field_slope* slope = &field->slopes[e->slots[0] >> 1];
    return SPREAD(iso_bvh_lanes_0, slope);
}

static inline slope_lanes spread_1(const iso_field* field, const iso_bvh_expansion* e) {
    const iso_field_slope* slope = &field->slopes[e->slots[0] >> 1];
    return SPREAD(iso_bvh_lanes_1, slope);
}
#undef SPREAD

// Bound of g . (g0 - g) over the gradients g0 below the children of node 0 and the averages g of
// gradients below those of node 1.
static iso_double4 bound_alignment(const iso_mat3* r, const slope_lanes* s_0,
                                   const slope_lanes* s_1) {
    iso_double4 bound = iso_double4_set(0.0);
    for (int i = 0; i < 3; ++i) {
        iso_double4 c = iso_double4_mul(iso_double4_set(r->m[0][i]), s_0->center[0]);
        iso_double4 h = iso_double4_mul(iso_double4_set(fabs(r->m[0][i])), s_0->half[0]);
        for (int j = 1; j < 3; ++j) {
            c = iso_double4_mul_add(iso_double4_set(r->m[j][i]), s_0->center[j], c);
            h = iso_double4_mul_add(iso_double4_set(fabs(r->m[j][i])), s_0->half[j], h);
        }
        // y (z - y) with y in box 1 and z in c +- h is largest at an end of z, near y = z/2.
        iso_double4 low = iso_double4_sub(s_1->center[i], s_1->half[i]);
        iso_double4 high = iso_double4_add(s_1->center[i], s_1->half[i]);
        iso_double4 best = iso_double4_set(-INFINITY), half = iso_double4_set(0.5);
        for (int end = 0; end < 2; ++end) {
            iso_double4 z = end == 0 ? iso_double4_sub(c, h) : iso_double4_add(c, h);
            iso_double4 y = iso_double4_max(low, iso_double4_min(high, iso_double4_mul(half, z)));
            best = iso_double4_max(best, iso_double4_mul(y, iso_double4_sub(z, y)));
        }
        bound = iso_double4_add(bound, best);
    }
    return bound;
}

// Lanes where an affine function plus something of [least, most] may vanish in a box.
static int may_vanish(const iso_double4 gradient[3], iso_double4 offset,
                      const iso_double4 center[3], const iso_double4 half[3], iso_double4 least,
                      iso_double4 most) {
    iso_double4 middle = offset, reach = iso_double4_set(0.0);
    for (int i = 0; i < 3; ++i) {
        middle = iso_double4_mul_add(gradient[i], center[i], middle);
        reach = iso_double4_mul_add(iso_double4_abs(gradient[i]), half[i], reach);
    }
    iso_double4 low = iso_double4_add(iso_double4_sub(middle, reach), least);
    iso_double4 high = iso_double4_add(iso_double4_add(middle, reach), most);
    return iso_double4_bits(iso_double4_and(iso_double4_less_equal(low, iso_double4_set(0.0)),
                                            iso_double4_greater_equal(high, iso_double4_set(0.0))));
}

// Lanes where p0 - p1 = (c0 - R c1) . x + R c1 . p + [least, most] may vanish in both boxes.
static int may_be_equal(const iso_pose* x, const slope_lanes* s_0, const slope_lanes* s_1,
                        const iso_bvh_expansion* e_0, const iso_bvh_expansion* e_1) {
    iso_double4 g_0[3], g_1[3], center[3], half[3];
    iso_double4 offset_0 = iso_double4_set(0.0), offset_1 = offset_0;
    double p[3] = {x->p.x, x->p.y, x->p.z};
    for (int i = 0; i < 3; ++i) {
        iso_double4 turned = iso_double4_mul(iso_double4_set(x->r.m[i][0]), s_1->center[0]);
        turned = iso_double4_mul_add(iso_double4_set(x->r.m[i][1]), s_1->center[1], turned);
        turned = iso_double4_mul_add(iso_double4_set(x->r.m[i][2]), s_1->center[2], turned);
        g_0[i] = iso_double4_sub(s_0->center[i], turned);
        offset_0 = iso_double4_mul_add(turned, iso_double4_set(p[i]), offset_0);
        offset_1 = iso_double4_mul_add(s_0->center[i], iso_double4_set(p[i]), offset_1);
        center[i] = iso_bvh_lanes_0(e_0->node->center[i]);
        half[i] = iso_bvh_lanes_0(e_0->node->half[i]);
    }
    iso_double4 least = iso_double4_sub(s_0->least, s_1->most);
    iso_double4 most = iso_double4_sub(s_0->most, s_1->least);
    int hits = may_vanish(g_0, offset_0, center, half, least, most);
    if (hits == 0) {
        return 0;
    }
    for (int i = 0; i < 3; ++i) {
        g_1[i] = iso_double4_mul(iso_double4_set(x->r.m[0][i]), g_0[0]);
        g_1[i] = iso_double4_mul_add(iso_double4_set(x->r.m[1][i]), g_0[1], g_1[i]);
        g_1[i] = iso_double4_mul_add(iso_double4_set(x->r.m[2][i]), g_0[2], g_1[i]);
        center[i] = iso_bvh_lanes_1(e_1->node->center[i]);
        half[i] = iso_bvh_lanes_1(e_1->node->half[i]);
    }
    return hits & may_vanish(g_1, offset_1, center, half, least, most);
}

// Pairs of children among whose cells p0 - p1 may vanish where the gradients do not oppose: where
// g . (g0 - g) >= 0 for an average g of gradients of body 1.
static int may_align(const void* user, const iso_bvh_expansion* e_0, const iso_bvh_expansion* e_1) {
    const slope_test* test = user;
    slope_lanes s_0 = spread_0(test->field_0, e_0);
    slope_lanes s_1 = spread_1(test->field_1, e_1);
    int hits = iso_double4_bits(iso_double4_greater_equal(s_0.longest, s_1.shortest));
    if (hits != 0) {
        iso_double4 bound = bound_alignment(&test->x_01->r, &s_0, &s_1);
        iso_double4 scale = iso_double4_mul(s_0.longest, s_0.longest);
        iso_double4 slack = iso_double4_mul(scale, iso_double4_set(-SLOPE_PADDING));
        hits &= iso_double4_bits(iso_double4_greater_equal(bound, slack));
    }
    return hits != 0 ? hits & may_be_equal(test->x_01, &s_0, &s_1, e_0, e_1) : 0;
}

static iso_double4 dot_lanes(const iso_double4 g[3], iso_vec3 u, bool is_abs) {
    iso_double4 r = iso_double4_set(0.0);
    for (int i = 0; i < 3; ++i) {
        double c = iso_vec3_get(u, i);
        r = iso_double4_mul_add(iso_double4_set(is_abs ? fabs(c) : c), g[i], r);
    }
    return r;
}

// Pairs of children among whose cells p0 - p1 may vanish without rising along a direction.
static int may_fall(const void* user, const iso_bvh_expansion* e_0, const iso_bvh_expansion* e_1) {
    const slope_test* test = user;
    slope_lanes s_0 = spread_0(test->field_0, e_0);
    slope_lanes s_1 = spread_1(test->field_1, e_1);
    iso_double4 rise = iso_double4_sub(dot_lanes(s_0.center, test->along_0, false),
                                       dot_lanes(s_1.center, test->along_1, false));
    iso_double4 spread = iso_double4_add(dot_lanes(s_0.half, test->along_0, true),
                                         dot_lanes(s_1.half, test->along_1, true));
    int hits = iso_double4_bits(
        iso_double4_less_equal(iso_double4_sub(rise, spread), iso_double4_set(test->slack)));
    return hits != 0 ? hits & may_be_equal(test->x_01, &s_0, &s_1, e_0, e_1) : 0;
}

// A pair of cells that the surface may pass as far as the corners of that of body 1 tell: passed on
// when p0 - p1 may vanish in that of body 0 too.
static bool try_cells(void* user, int cell_0, int cell_1) {
    const slope_test* test = user;
    const iso_pose* x_01 = test->x_01;
    const iso_field_cell *a = &test->field_0->cells[cell_0], *b = &test->field_1->cells[cell_1];
    iso_vec3 g = iso_mat3_mul_vec3(&x_01->r, b->piece.gradient);
    iso_double4 x[4];
    for (int i = 0; i < 4; ++i) {
        x[i] = iso_double4_load(test->field_0->points[a->corners[i]].x);
    }
    iso_double4_transpose(x);
    iso_double4 f = iso_double4_set(b->piece.offset - iso_vec3_dot(g, x_01->p));
    f = iso_double4_mul_add(iso_double4_set(g.x), x[0], f);
    f = iso_double4_mul_add(iso_double4_set(g.y), x[1], f);
    f = iso_double4_mul_add(iso_double4_set(g.z), x[2], f);
    iso_double4 h = iso_double4_sub(x[3], f), noise = iso_double4_set(test->noise);
    return !iso_double4_bits(iso_double4_greater_equal(h, iso_double4_neg(noise))) ||
           !iso_double4_bits(iso_double4_less_equal(h, noise)) ||
           test->fn(test->user, cell_0, cell_1);
}

// A cell and a ridge that the surface may pass: the cell of the ridge is passed on.
static bool try_ridge(void* user, int cell_0, int place_1) {
    const slope_test* test = user;
    int part = test->field_1->marks.ridges.elements[place_1];
    return test->fn(test->user, cell_0, iso_field_part_cell(part));
}

// Sends half lines from points that a closed surface may enclose.
typedef struct ray_sender {
    iso_arena* arena;
    const iso_field *field_0, *field_1;
    const iso_pose* x_01;
    int sent; // peak of body 1 from which a line was sent last, and came to its end
    iso_seed_fn fn;
    void* user;
} ray_sender;

static bool send_ray(const ray_sender* s, iso_vec3 origin) {
    // In no special position to anything that shapes are made of.
    const iso_vec3 along = {0.52271, 0.37338, 0.76637};
    return iso_seed_ray(s->arena, s->field_0, s->field_1, s->x_01, origin,
                        iso_mat3_mul_vec3(&s->x_01->r, along), s->fn, s->user);
}

static iso_vec3 position(const double x[4]) {
    return iso_vec3_make(x[0], x[1], x[2]);
}

// A peak of body 1 that may lie in a cell of body 0: along the line to the middle of the face
// opposite, in one of the cells around it, and beyond. It may lie in a corner of many cells of body
// 0, from all of which the line is the same.
static bool send_from_peak(void* user, int cell_0, int place_1) {
    ray_sender* s = user;
    if (place_1 == s->sent) {
        return true;
    }
    int part = s->field_1->marks.peaks.elements[place_1];
    int cell_1 = iso_field_part_cell(part), corners = iso_field_part_corners(part);
    iso_vec3 peak = iso_vec3_zero(), middle = iso_vec3_zero();
    for (int i = 0; i < 4; ++i) {
        iso_vec3 x = position(iso_field_corner(s->field_1, cell_1, i));
        if (corners >> i & 1) {
            peak = x;
        } else {
            middle = iso_vec3_add_scaled(middle, x, 1.0 / 3.0);
        }
    }
    double padding = PADDING * (s->field_0->size + s->field_1->size);
    bool is_done = false;
    bool ok = !iso_field_cell_contains(&s->field_0->cells[cell_0], iso_pose_point(s->x_01, peak),
                                       padding) ||
              iso_seed_segment(s->field_0, s->field_1, s->x_01, cell_0, cell_1, peak,
                               iso_vec3_sub(middle, peak), s->fn, s->user, &is_done);
    s->sent = is_done ? place_1 : s->sent;
    return ok;
}

static bool is_in_box(const iso_bvh_box* box, iso_vec3 x) {
    return x.x >= box->lower.x && x.y >= box->lower.y && x.z >= box->lower.z &&
           x.x <= box->upper.x && x.y <= box->upper.y && x.z <= box->upper.z;
}

static bool send_from_hollows(const ray_sender* s) {
    bool ok = true;
    for (int i = 0; i < s->field_0->marks.hollow_count && ok; ++i) {
        iso_vec3 x = s->field_0->marks.hollows[i];
        if (is_in_box(&s->field_1->tree.bounds, iso_pose_inverse_point(s->x_01, x))) {
            ok = send_ray(s, x);
        }
    }
    for (int i = 0; i < s->field_1->marks.hollow_count && ok; ++i) {
        iso_vec3 x = iso_pose_point(s->x_01, s->field_1->marks.hollows[i]);
        if (is_in_box(&s->field_0->tree.bounds, x)) {
            ok = send_ray(s, x);
        }
    }
    return ok;
}

static void begin(iso_piece_search* search, iso_piece_set set_0, iso_piece_set set_1,
                  const iso_pose* x_01, iso_seed_fn fn, void* user) {
    search->sets[0] = set_0;
    search->sets[1] = set_1;
    search->x_01 = x_01;
    search->fn = fn;
    search->user = user;
    search->most_rise = INFINITY;
    search->along_0 = search->along_1 = iso_vec3_zero();
    search->filter = NULL;
    search->is_level = set_1.kind != ISO_PIECE_PLACE;
    iso_piece_search_begin(search);
}

// Whether the search along a direction is to go on, or else the other, in one of its stages.
static bool is_falling_next(long falling_work, long aligned_work, int stage) {
    if (stage > 0) { // ridges and peaks are few: what is left of that search is likely to end first
        return FALLING_PACE * falling_work <= aligned_work;
    }
    bool is_long = falling_work > RACE_WORK && aligned_work > RACE_WORK;
    return falling_work <= (is_long ? LONG_PACE : 1) * aligned_work;
}

bool iso_seed_closed(iso_arena* arena, const iso_field* field_0, const iso_field* field_1,
                     const iso_pose* x_01, iso_vec3 along, iso_seed_fn fn, void* user, long* work) {
    slope_test test = {field_0,
                       field_1,
                       x_01,
                       along,
                       iso_mat3_tmul_vec3(&x_01->r, along),
                       SLOPE_PADDING * (field_0->max_gradient + field_1->max_gradient),
                       iso_piece_noise(field_0, field_1),
                       fn,
                       user};
    ray_sender sender = {arena, field_0, field_1, x_01, -1, fn, user};
    // Two searches, either of which suffices: whichever ends first.
    iso_piece_set cells_0 = cells_of(field_0), cells_1 = cells_of(field_1);
    iso_piece_set ridges_1 = {
        .field = field_1, .tree = &field_1->marks.ridges, .kind = ISO_PIECE_RIDGE};
    iso_piece_set peaks_1 = {
        .field = field_1, .tree = &field_1->marks.peaks, .kind = ISO_PIECE_PLACE};
    iso_piece_search falling, aligned;
    begin(&falling, cells_0, cells_1, x_01, try_cells, &test);
    falling.filter = may_fall;
    falling.along_0 = test.along_0;
    falling.along_1 = test.along_1;
    falling.most_rise = test.slack;
    begin(&aligned, cells_0, cells_1, x_01, try_cells, &test);
    aligned.filter = may_align;
    aligned.filter_user = falling.filter_user = &test;
    long done = 0; // of the second one's earlier stages
    bool ok = true;
    int stage = 0;
    while (ok && stage < 3 && !iso_piece_search_is_done(&falling)) {
        if (iso_piece_search_is_done(&aligned)) {
            done += aligned.work;
            aligned.work = 0;
            if (++stage == 1) {
                begin(&aligned, cells_0, ridges_1, x_01, try_ridge, &test);
            } else if (stage == 2) {
                begin(&aligned, cells_0, peaks_1, x_01, send_from_peak, &sender);
            }
            continue;
        }
        bool is_falling_turn = is_falling_next(falling.work, done + aligned.work, stage);
        ok = iso_piece_search_step(is_falling_turn ? &falling : &aligned);
    }
    *work += done + aligned.work + falling.work;
    return ok && (stage < 3 || send_from_hollows(&sender));
}
