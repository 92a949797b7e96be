// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/walk/trace_seeds.h"

#include "surface/clipping/rim_filter.h"
#include "surface/walk/trace_extremes.h"
#include "surface/walk/trace_ray.h"

// Rounding of gradients, relative to their length.
#define SLOPE_PADDING 1e-12
// Pressures this close, relative to their size, may be meant to be equal.
#define LEVEL_PADDING 1e-9
// Steps of the search for extremes to one of the other where there are as many kinks as cells, and
// the most there are.
#define PACE 1.5
#define MOST_PACE 16.0

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
    iso_double4 center[3], half[3], least, most;
} slope_lanes;

#define SPREAD(lanes, slope)                                                               \
    (slope_lanes) {                                                                        \
        {lanes((slope)->center[0]), lanes((slope)->center[1]), lanes((slope)->center[2])}, \
            {lanes((slope)->half[0]), lanes((slope)->half[1]), lanes((slope)->half[2])},   \
            lanes((slope)->least), lanes((slope)->most)                                    \
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

// Sends half lines from points that a closed surface may enclose.
typedef struct ray_sender {
    iso_arena* arena;
    const iso_field *field_0, *field_1;
    const iso_pose* x_01;
    iso_seed_fn fn;
    void* user;
} ray_sender;

static bool send_ray(const ray_sender* s, iso_vec3 origin) {
    // In no special position to anything that shapes are made of.
    const iso_vec3 along = {0.52271, 0.37338, 0.76637};
    return iso_seed_ray(s->arena, s->field_0, s->field_1, s->x_01, origin,
                        iso_mat3_mul_vec3(&s->x_01->r, along), s->fn, s->user);
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

static void begin_falling(iso_piece_search* search, slope_test* test) {
    search->sets[0] = cells_of(test->field_0);
    search->sets[1] = cells_of(test->field_1);
    search->x_01 = test->x_01;
    search->fn = try_cells;
    search->user = test;
    search->filter = may_fall;
    search->filter_user = test;
    search->along_0 = test->along_0;
    search->along_1 = test->along_1;
    search->most_rise = test->slack;
    search->is_level = true;
    iso_piece_search_begin(search);
}

// Steps of the search for extremes to one of the other: the fewer kinks there are, the sooner it
// ends.
static double pace_of(const iso_field* field_0, const iso_field* field_1) {
    double cells = field_0->mesh.tet_count + field_1->mesh.tet_count;
    double kinks = field_0->marks.kinks.element_count + field_1->marks.kinks.element_count;
    return fmax(1.0, fmin(MOST_PACE, PACE * cells / (1.0 + kinks)));
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
    ray_sender sender = {arena, field_0, field_1, x_01, fn, user};
    // Two searches, either of which suffices: whichever ends first.
    iso_extreme_search extremes;
    iso_piece_search falling;
    begin_falling(&falling, &test);
    iso_extreme_search_begin(&extremes, arena, field_0, field_1, x_01, fn, user);
    double pace = pace_of(field_0, field_1);
    bool ok = true;
    while (ok && !iso_piece_search_is_done(&falling) && !iso_extreme_search_is_done(&extremes)) {
        bool is_extremes_turn =
            (double)iso_extreme_search_work(&extremes) <= pace * (double)falling.work;
        ok =
            is_extremes_turn ? iso_extreme_search_step(&extremes) : iso_piece_search_step(&falling);
    }
    *work += falling.work + iso_extreme_search_work(&extremes);
    return ok && (iso_piece_search_is_done(&falling) || send_from_hollows(&sender));
}
