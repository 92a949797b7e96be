// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "volume/octree.h"

#include "volume/solids/moments.h"

enum { k_columns = 4 }; // per side of a leaf

#define STACK_SIZE (7 * 16 + 8) // of cells of depth 10
// Bounds around what both fill: cells of this depth, so often at most, until they keep this share.
#define BOUND_DEPTH 3
#define MOST_BOUNDS 8
#define ENOUGH 0.7
// Two levels may agree by chance: the change before counts, halved as where edges are first order.
#define HALVED 0.5
// The next level looks at this many times as many cells; beyond so many it is not begun.
#define LEVEL_WORK 4
#define MOST_LOOKS 16000000
#define MESH_LOOKS 20 // that a distance to a mesh takes as long as

typedef struct octree {
    const iso_volume_body *a, *b;
    iso_pose x_ab;
    int depth;
    int looks, price; ///< at bodies so far; of one cell
    iso_volume_moments moments;
} octree;

// What a cell sees of a body: distance at its middle and the outward normal there.
typedef struct view {
    double distance;
    iso_vec3 normal;
} view;

typedef struct cell {
    iso_vec3 center, half;
    int depth;
} cell;

typedef struct box {
    iso_vec3 lower, upper;
} box;

static void set(iso_vec3* v, int index, double value) {
    double* components[3] = {&v->x, &v->y, &v->z};
    *components[index] = value;
}

// A block of uniform density about the reference.
static void add_block(iso_volume_moments* m, iso_vec3 center, iso_vec3 half) {
    double volume = 8.0 * half.x * half.y * half.z;
    iso_vec3 p = iso_vec3_sub(center, m->reference);
    iso_mat3 own = iso_mat3_diagonal(half.x * half.x, half.y * half.y, half.z * half.z);
    m->volume += volume;
    m->first = iso_vec3_add_scaled(m->first, p, volume);
    m->second = iso_mat3_add(m->second, iso_mat3_scale(iso_mat3_outer(p, p), volume));
    m->second = iso_mat3_add(m->second, iso_mat3_scale(own, volume / 3.0));
    ++m->face_count;
}

// Cuts [low, high] along an axis by a body's tangent plane; says whether that set an end.
static void cut_column(const view* v, iso_vec3 from_center, int axis, double* low, double* high,
                       double* out_end) {
    double slope = iso_vec3_get(v->normal, axis);
    double rest = v->distance + iso_vec3_dot(v->normal, from_center);
    *out_end = NAN;
    if (fabs(slope) < 1e-9) {
        *high = rest > 0.0 ? *low : *high;
        return;
    }
    double at = -rest / slope;
    if (slope > 0.0 && at < *high) {
        *high = at;
        *out_end = at;
    } else if (slope < 0.0 && at > *low) {
        *low = at;
        *out_end = at;
    }
}

static void add_column(octree* t, const cell* c, const view* a, const view* b, iso_vec3 offset,
                       int axis) {
    double reach = iso_vec3_get(c->half, axis), low = -reach, high = reach, end_a, end_b;
    cut_column(a, offset, axis, &low, &high, &end_a);
    cut_column(b, offset, axis, &low, &high, &end_b);
    if (!(high > low)) {
        return;
    }
    iso_vec3 center = iso_vec3_add(c->center, offset);
    iso_vec3 half = iso_vec3_scale(c->half, 1.0 / k_columns), middle = center;
    set(&half, axis, 0.5 * (high - low));
    set(&middle, axis, iso_vec3_get(center, axis) + 0.5 * (low + high));
    add_block(&t->moments, middle, half);
    if (end_b == low || end_b == high) {
        iso_vec3 at = center;
        set(&at, axis, iso_vec3_get(center, axis) + end_b);
        int x = (axis + 1) % 3, y = (axis + 2) % 3;
        double across = 4.0 * iso_vec3_get(half, x) * iso_vec3_get(half, y);
        double share = across / fabs(iso_vec3_get(b->normal, axis));
        iso_vec3 area = iso_vec3_scale(b->normal, share);
        iso_vec3 p = iso_vec3_sub(at, t->moments.reference);
        t->moments.area = iso_vec3_add(t->moments.area, area);
        t->moments.turn = iso_vec3_add(t->moments.turn, iso_vec3_cross(p, area));
    }
}

static int steepest(iso_vec3 v) {
    double x = fabs(v.x), y = fabs(v.y), z = fabs(v.z);
    return z >= x && z >= y ? 2 : y >= x ? 1 : 0;
}

// A leaf at the skin: columns along the steepest axis, between the tangent planes.
static void add_leaf(octree* t, const cell* c, const view* a, const view* b) {
    double reach = iso_vec3_norm(c->half);
    int axis = steepest(fabs(b->distance) <= reach ? b->normal : a->normal);
    int x = (axis + 1) % 3, y = (axis + 2) % 3;
    for (int i = 0; i < k_columns; ++i) {
        for (int j = 0; j < k_columns; ++j) {
            iso_vec3 offset = iso_vec3_zero();
            set(&offset, x, ((2.0 * i + 1.0) / k_columns - 1.0) * iso_vec3_get(c->half, x));
            set(&offset, y, ((2.0 * j + 1.0) / k_columns - 1.0) * iso_vec3_get(c->half, y));
            add_column(t, c, a, b, offset, axis);
        }
    }
}

static view look(const iso_volume_body* body, iso_vec3 p) {
    view v;
    v.distance = iso_volume_body_distance(body, p, &v.normal);
    return v;
}

static int split(const cell* c, cell* out) {
    for (int i = 0; i < 8; ++i) {
        iso_vec3 half = iso_vec3_scale(c->half, 0.5);
        iso_vec3 step = {(i & 1) ? half.x : -half.x, (i & 2) ? half.y : -half.y,
                         (i & 4) ? half.z : -half.z};
        out[i] = (cell){iso_vec3_add(c->center, step), half, c->depth + 1};
    }
    return 8;
}

// Whether a cell may have something in common with both; then what it sees of them.
static bool meets(octree* t, const cell* c, view* out_a, view* out_b) {
    double reach = iso_vec3_norm(c->half);
    t->looks += t->price;
    *out_a = look(t->a, c->center);
    if (out_a->distance >= reach) {
        return false;
    }
    *out_b = look(t->b, iso_pose_inverse_point(&t->x_ab, c->center));
    out_b->normal = iso_mat3_mul_vec3(&t->x_ab.r, out_b->normal);
    return out_b->distance < reach;
}

static cell root_of(const box* bounds) {
    iso_vec3 half = iso_vec3_scale(iso_vec3_sub(bounds->upper, bounds->lower), 0.5);
    return (cell){iso_vec3_lerp(bounds->lower, bounds->upper, 0.5), half, 0};
}

// Bounds of the cells of a few levels that meet both; false: none does.
static bool bound(octree* t, const box* from, box* out) {
    cell stack[STACK_SIZE];
    int count = 0;
    bool is_found = false;
    view a, b;
    stack[count++] = root_of(from);
    while (count > 0) {
        cell c = stack[--count];
        if (!meets(t, &c, &a, &b)) {
            continue;
        }
        if (c.depth < BOUND_DEPTH) {
            count += split(&c, &stack[count]);
            continue;
        }
        iso_vec3 lower = iso_vec3_sub(c.center, c.half), upper = iso_vec3_add(c.center, c.half);
        out->lower = is_found ? iso_vec3_min(out->lower, lower) : lower;
        out->upper = is_found ? iso_vec3_max(out->upper, upper) : upper;
        is_found = true;
    }
    return is_found;
}

static double volume_of(const box* b) {
    iso_vec3 size = iso_vec3_sub(b->upper, b->lower);
    return size.x * size.y * size.z;
}

// Tighten bounds around what both fill: cells are as large as their share of the bounds, and most
// of those of shallow overlaps would be empty. False: there is nothing.
static bool tighten(octree* t, box* bounds) {
    for (int i = 0; i < MOST_BOUNDS; ++i) {
        box next;
        if (!bound(t, bounds, &next)) {
            return false;
        }
        bool is_done = volume_of(&next) > ENOUGH * volume_of(bounds);
        *bounds = next;
        if (is_done) {
            break;
        }
    }
    return true;
}

static void sum(octree* t, const box* bounds) {
    cell stack[STACK_SIZE];
    int count = 0;
    view a, b;
    stack[count++] = root_of(bounds);
    while (count > 0) {
        cell c = stack[--count];
        double reach = iso_vec3_norm(c.half);
        if (!meets(t, &c, &a, &b)) {
            continue;
        }
        if (a.distance <= -reach && b.distance <= -reach) {
            add_block(&t->moments, c.center, c.half);
        } else if (c.depth == t->depth) {
            add_leaf(t, &c, &a, &b);
        } else {
            count += split(&c, &stack[count]);
        }
    }
}

// Where the bounds of both overlap; false: nowhere.
static bool overlap(const octree* t, box* out) {
    iso_vec3 b_half = iso_vec3_scale(iso_vec3_sub(t->b->upper, t->b->lower), 0.5);
    iso_vec3 center = iso_pose_point(&t->x_ab, iso_vec3_lerp(t->b->lower, t->b->upper, 0.5)), half;
    for (int i = 0; i < 3; ++i) {
        const double* r = t->x_ab.r.m[i];
        set(&half, i, fabs(r[0]) * b_half.x + fabs(r[1]) * b_half.y + fabs(r[2]) * b_half.z);
    }
    out->lower = iso_vec3_max(t->a->lower, iso_vec3_sub(center, half));
    out->upper = iso_vec3_min(t->a->upper, iso_vec3_add(center, half));
    return out->lower.x < out->upper.x && out->lower.y < out->upper.y &&
           out->lower.z < out->upper.z;
}

static int price_of(const iso_volume_body* body) {
    bool is_mesh = body->shape.kind == ISO_SHAPE_MESH || body->shape.kind == ISO_SHAPE_CONVEX;
    return is_mesh ? MESH_LOOKS : 1;
}

bool iso_volume_octree(const iso_volume_body* a, const iso_volume_body* b, const iso_pose* x_ab,
                       const iso_volume_settings* settings, iso_volume_metrics* out_metrics) {
    octree t = {.a = a, .b = b, .x_ab = *x_ab, .price = price_of(a) + price_of(b)};
    box bounds;
    iso_pose x_aa = iso_pose_identity();
    double wanted = pow(10.0, -settings->digits), before = 0.0, error = INFINITY, last = INFINITY;
    bool has_overlap = overlap(&t, &bounds) && tighten(&t, &bounds);
    for (t.depth = 2; has_overlap && t.depth <= settings->max_depth; ++t.depth) {
        t.moments =
            (iso_volume_moments){.reference = iso_vec3_lerp(bounds.lower, bounds.upper, 0.5)};
        int looks = t.looks;
        sum(&t, &bounds);
        int work = t.looks - looks;
        double volume = t.moments.volume;
        double change = volume > 0.0   ? fabs(volume - before) / volume
                        : before > 0.0 ? INFINITY
                                       : 0.0;
        error = fmax(change, HALVED * last);
        if ((t.depth > 3 && error <= wanted) || LEVEL_WORK * work > MOST_LOOKS) {
            break;
        }
        last = change;
        before = volume;
    }
    iso_volume_finish(&t.moments, &x_aa, ISO_VOLUME_OCTREE, out_metrics);
    out_metrics->error = out_metrics->volume > 0.0 ? error : 0.0;
    return out_metrics->error <= wanted;
}
