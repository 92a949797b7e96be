// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/trace_pieces.h"

#include "field/field_parts.h"

// Growth of boxes against rounding, relative to the size of the bodies.
#define PADDING 1e-12
// The same of pressures.
#define PRESSURE_PADDING 1e-9

// Work of trying a pair of leaves, in steps of a descent.
#define LEAF_WORK 4

// Rotation by columns; the pressure passes through in the fourth lane.
static iso_wide move_point(const iso_piece_search* s, const double x[4]) {
    iso_wide r = iso_wide_mul_add(s->column[0], iso_wide_set(x[0]), s->origin);
    r = iso_wide_mul_add(s->column[1], iso_wide_set(x[1]), r);
    r = iso_wide_mul_add(s->column[2], iso_wide_set(x[2]), r);
    return iso_wide_with_last(r, iso_wide_load(x));
}

// The corners that span a part, the last one repeated: by the part's bits.
static const unsigned char k_corners[16][4] = {
    {0, 0, 0, 0}, {0, 0, 0, 0}, {1, 1, 1, 1}, {0, 1, 1, 1}, {2, 2, 2, 2}, {0, 2, 2, 2},
    {1, 2, 2, 2}, {0, 1, 2, 2}, {3, 3, 3, 3}, {0, 3, 3, 3}, {1, 3, 3, 3}, {0, 1, 3, 3},
    {2, 3, 3, 3}, {0, 2, 3, 3}, {1, 2, 3, 3}, {0, 1, 2, 3},
};

// The box of four points.
static void enclose(const iso_wide x[4], iso_piece* out) {
    out->lower = iso_wide_min(iso_wide_min(x[0], x[1]), iso_wide_min(x[2], x[3]));
    out->upper = iso_wide_max(iso_wide_max(x[0], x[1]), iso_wide_max(x[2], x[3]));
}

// The box of their tetrahedron's part of pressure <= 0.
static void enclose_below_zero(const iso_wide x[4], iso_piece* out) {
    double p[4];
    out->lower = iso_wide_set(INFINITY);
    out->upper = iso_wide_set(-INFINITY);
    for (int i = 0; i < 4; ++i) {
        double v[4];
        iso_wide_store(v, x[i]);
        p[i] = v[3];
    }
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4 && p[i] <= 0.0; ++j) {
            if (i != j && p[j] <= 0.0) {
                continue;
            }
            iso_wide t = iso_wide_set(i == j ? 0.0 : p[i] / (p[i] - p[j]));
            iso_wide at = iso_wide_mul_add(t, iso_wide_sub(x[j], x[i]), x[i]);
            out->lower = iso_wide_min(out->lower, at);
            out->upper = iso_wide_max(out->upper, at);
        }
    }
}

static iso_piece make_piece(const iso_piece_search* s, int body, int leaf, int lane) {
    const iso_piece_set* set = &s->sets[body];
    int place = leaf * ISO_BVH_LEAF_SIZE + lane, part = set->tree->elements[place];
    iso_piece out = {iso_wide_set(INFINITY), iso_wide_set(-INFINITY), -1};
    if (part < 0) {
        return out;
    }
    if (set->kind == ISO_PIECE_CELL) {
        part = iso_field_part(place, 15);
    }
    int cell = iso_field_part_cell(part);
    const int* corners = set->field->cells[cell].corners;
    const unsigned char* spanned = k_corners[iso_field_part_corners(part)];
    iso_wide x[4];
    for (int i = 0; i < 4; ++i) {
        const double* point = set->field->points[corners[spanned[i]]].x;
        x[i] = body == 1 ? move_point(s, point) : iso_wide_load(point);
    }
    if (set->kind == ISO_PIECE_SHELL) {
        enclose_below_zero(x, &out);
    } else {
        enclose(x, &out);
    }
    out.element = set->kind >= ISO_PIECE_RIDGE ? place : cell;
    if (body == 1) {
        out.lower = iso_wide_sub(out.lower, s->padding);
        out.upper = iso_wide_add(out.upper, s->padding);
    }
    if (set->kind == ISO_PIECE_PLACE) {
        out.lower = iso_wide_with_last(out.lower, iso_wide_set(-INFINITY));
        out.upper = iso_wide_with_last(out.upper, iso_wide_set(INFINITY));
    }
    return out;
}

static bool overlap(const iso_piece* a, const iso_piece* b) {
    return iso_wide_bits(iso_wide_and(iso_wide_less_equal(a->lower, b->upper),
                                      iso_wide_greater_equal(a->upper, b->lower))) == 15;
}

static double largest_pressure(const iso_field* field) {
    return fmax(fabs(field->min_pressure), fabs(field->max_pressure));
}

void iso_piece_search_begin(iso_piece_search* search) {
    const iso_field *field_0 = search->sets[0].field, *field_1 = search->sets[1].field;
    const iso_pose* x = search->x_01;
    double size = PADDING * (field_0->size + field_1->size);
    double pressure = PRESSURE_PADDING * fmin(largest_pressure(field_0), largest_pressure(field_1));
    for (int i = 0; i < 3; ++i) {
        search->column[i] = iso_wide_make(x->r.m[0][i], x->r.m[1][i], x->r.m[2][i], 0.0);
    }
    search->origin = iso_wide_make(x->p.x, x->p.y, x->p.z, 0.0);
    search->padding = iso_wide_make(size, size, size, pressure);
    search->leaf_1 = -1;
    search->work = 0;
    iso_bvh_descent_begin(&search->descent, search->sets[0].tree, search->sets[1].tree, x);
    if (search->sets[0].tree->leaf_count == 0 || search->sets[1].tree->leaf_count == 0) {
        search->descent.depth = 0;
    }
}

static bool try_leaves(iso_piece_search* s, int leaf_0, int leaf_1) {
    if (leaf_1 != s->leaf_1) {
        for (int lane = 0; lane < ISO_BVH_LEAF_SIZE; ++lane) {
            s->pieces_1[lane] = make_piece(s, 1, leaf_1, lane);
        }
        s->leaf_1 = leaf_1;
    }
    for (int lane_0 = 0; lane_0 < ISO_BVH_LEAF_SIZE; ++lane_0) {
        iso_piece piece_0 = make_piece(s, 0, leaf_0, lane_0);
        for (int lane = 0; lane < ISO_BVH_LEAF_SIZE; ++lane) {
            if (overlap(&piece_0, &s->pieces_1[lane]) &&
                !s->fn(s->user, piece_0.element, s->pieces_1[lane].element)) {
                return false;
            }
        }
    }
    return true;
}

bool iso_piece_search_step(iso_piece_search* search) {
    iso_bvh_descent* d = &search->descent;
    iso_bvh_descent_step(d, search->filter, search->filter_user);
    search->work += 1 + LEAF_WORK * d->found_count;
    for (int i = 0; i < d->found_count; ++i) {
        if (!try_leaves(search, d->found[i][0], d->found[i][1])) {
            return false;
        }
    }
    return true;
}

bool iso_piece_search_run(iso_piece_search* search) {
    iso_piece_search_begin(search);
    while (!iso_piece_search_is_done(search)) {
        if (!iso_piece_search_step(search)) {
            return false;
        }
    }
    return true;
}
