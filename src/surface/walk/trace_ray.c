// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/walk/trace_ray.h"

#include "geometry/search/bvh_descent.h"

#include <string.h>

// Cells and boxes this much larger count as hit, relative to the size of the bodies.
#define PADDING 1e-12
// Within so many times that of a point rounding may lead a line out of a body through the wrong
// face.
#define NEAR_FACTOR 1e3
// Pressure differences below this part of their terms count as zero.
#define NOISE 1e-12

#define FIRST_CAPACITY 64

// What a half line passes of a cell: from `begin` to `end` along it.
typedef struct passage {
    int cell;
    double begin, end;
} passage;

typedef struct passage_list {
    iso_arena* arena;
    passage* data;
    int count, capacity;
} passage_list;

typedef struct half_line {
    iso_vec3 origin, direction;
    double end;     // along the direction
    double padding; // [m]
} half_line;

static bool add_passage(passage_list* list, passage p) {
    if (list->count == list->capacity) {
        int capacity = list->capacity > 0 ? 2 * list->capacity : FIRST_CAPACITY;
        passage* data = iso_arena_push_array(list->arena, capacity, sizeof *data);
        if (!data) {
            return false;
        }
        if (list->count > 0) {
            memcpy(data, list->data, (size_t)list->count * sizeof *data);
        }
        list->data = data;
        list->capacity = capacity;
    }
    list->data[list->count++] = p;
    return true;
}

// Shorten the range of a line to where value + t slope >= 0.
static void cut(double value, double slope, double* begin, double* end) {
    if (slope > 0.0) {
        double at = -value / slope;
        *begin = at > *begin ? at : *begin;
    } else if (slope < 0.0) {
        double at = -value / slope;
        *end = at < *end ? at : *end;
    } else if (value < 0.0) {
        *end = -INFINITY;
    }
}

static bool hits_box(const half_line* line, const double center[3], const double half[3]) {
    double begin = 0.0, end = line->end;
    for (int axis = 0; axis < 3; ++axis) {
        double x = iso_vec3_get(line->origin, axis) - center[axis];
        double v = iso_vec3_get(line->direction, axis), reach = half[axis] + line->padding;
        cut(reach + x, v, &begin, &end);
        cut(reach - x, -v, &begin, &end);
    }
    return begin <= end;
}

static bool pass_leaf(const iso_field* field, const half_line* line, int leaf, passage_list* list) {
    int first = leaf * ISO_BVH_LEAF_SIZE, end = first + ISO_BVH_LEAF_SIZE;
    for (int i = first; i < end && i < field->mesh.tet_count; ++i) {
        const iso_field_cell* cell = &field->cells[i];
        passage p = {i, 0.0, line->end};
        for (int face = 0; face < 4; ++face) {
            iso_vec3 normal = {cell->planes[0][face], cell->planes[1][face], cell->planes[2][face]};
            cut(iso_vec3_dot(normal, line->origin) + cell->planes[3][face] + line->padding,
                iso_vec3_dot(normal, line->direction), &p.begin, &p.end);
        }
        if (p.begin <= p.end && !add_passage(list, p)) {
            return false;
        }
    }
    return true;
}

// The cells that a half line, in the frame of the field, passes.
static bool find_passages(const iso_field* field, const half_line* line, passage_list* list) {
    int stack[ISO_BVH_STACK_SIZE], depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        const iso_bvh_node* node = &field->tree.nodes[stack[--depth]];
        for (int side = 0; side < 2; ++side) {
            double center[3] = {node->center[0][side], node->center[1][side],
                                node->center[2][side]};
            double half[3] = {node->half[0][side], node->half[1][side], node->half[2][side]};
            if (!hits_box(line, center, half)) {
                continue;
            }
            int child = node->child[side];
            if (child >= 0) {
                stack[depth++] = child;
            } else if (!pass_leaf(field, line, -1 - child, list)) {
                return false;
            }
        }
    }
    return true;
}

static void stop_at_bounds(const iso_bvh_box* bounds, half_line* line) {
    double begin = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        double x = iso_vec3_get(line->origin, axis), v = iso_vec3_get(line->direction, axis);
        cut(x - iso_vec3_get(bounds->lower, axis) + line->padding, v, &begin, &line->end);
        cut(iso_vec3_get(bounds->upper, axis) - x + line->padding, -v, &begin, &line->end);
    }
}

// Pressure of a cell at a point of its frame, and the size of the terms it is made of.
static double pressure_at(const iso_field* field, int cell, iso_vec3 x, double* terms) {
    const iso_field_cell* c = &field->cells[cell];
    *terms += fabs(c->piece.offset) + iso_vec3_norm(c->piece.gradient) * field->size;
    return iso_affine_eval(c->piece, x);
}

// Whether p0 - p1 has both signs, or vanishes, on the common part of two passages.
static bool has_crossing(const iso_field* field_0, const half_line* line_0, const passage* p0,
                         const iso_field* field_1, const half_line* line_1, const passage* p1) {
    double range[2] = {p0->begin > p1->begin ? p0->begin : p1->begin,
                       p0->end < p1->end ? p0->end : p1->end};
    if (!(range[0] <= range[1])) {
        return false;
    }
    double h[2], terms = 0.0;
    for (int i = 0; i < 2; ++i) {
        iso_vec3 x_0 = iso_vec3_add_scaled(line_0->origin, line_0->direction, range[i]);
        iso_vec3 x_1 = iso_vec3_add_scaled(line_1->origin, line_1->direction, range[i]);
        h[i] = pressure_at(field_0, p0->cell, x_0, &terms) -
               pressure_at(field_1, p1->cell, x_1, &terms);
    }
    double noise = NOISE * terms;
    return (h[0] <= noise || h[1] <= noise) && (h[0] >= -noise || h[1] >= -noise);
}

bool iso_seed_ray(iso_arena* arena, const iso_field* field_0, const iso_field* field_1,
                  const iso_pose* x_01, iso_vec3 origin, iso_vec3 direction, iso_seed_fn fn,
                  void* user) {
    iso_pose x_10 = iso_pose_inverse(x_01);
    double padding = PADDING * (field_0->size + field_1->size);
    half_line line_0 = {origin, direction, INFINITY, padding};
    half_line line_1 = {iso_pose_point(&x_10, origin), iso_mat3_tmul_vec3(&x_01->r, direction),
                        INFINITY, padding};
    stop_at_bounds(&field_0->tree.bounds, &line_0);
    stop_at_bounds(&field_1->tree.bounds, &line_1);
    line_0.end = line_1.end = fmin(line_0.end, line_1.end);
    passage_list list_0 = {.arena = arena}, list_1 = {.arena = arena};
    if (!find_passages(field_0, &line_0, &list_0) || !find_passages(field_1, &line_1, &list_1)) {
        return false;
    }
    for (int i = 0; i < list_0.count; ++i) {
        for (int j = 0; j < list_1.count; ++j) {
            if (has_crossing(field_0, &line_0, &list_0.data[i], field_1, &line_1,
                             &list_1.data[j]) &&
                !fn(user, list_0.data[i].cell, list_1.data[j].cell)) {
                return false;
            }
        }
    }
    return true;
}

// A line in the frame of a field, on its way through the field's cells.
typedef struct traveller {
    const iso_field* field;
    iso_vec3 origin, direction;
    int cell;
} traveller;

// Where a traveller leaves its cell, and the face through which.
static double find_exit(const traveller* t, int* out_face) {
    const iso_field_cell* cell = &t->field->cells[t->cell];
    double exit = INFINITY;
    for (int face = 0; face < 4; ++face) {
        iso_vec3 n = {cell->planes[0][face], cell->planes[1][face], cell->planes[2][face]};
        double slope = iso_vec3_dot(n, t->direction);
        double at = -(iso_vec3_dot(n, t->origin) + cell->planes[3][face]) / slope;
        if (slope < 0.0 && at < exit) {
            exit = at;
            *out_face = face;
        }
    }
    return exit;
}

bool iso_seed_segment(const iso_field* field_0, const iso_field* field_1, const iso_pose* x_01,
                      int cell_0, int cell_1, iso_vec3 origin, iso_vec3 direction, iso_seed_fn fn,
                      void* user, bool* out_is_done) {
    traveller t_0 = {field_0, iso_pose_point(x_01, origin), iso_mat3_mul_vec3(&x_01->r, direction),
                     cell_0};
    traveller t_1 = {field_1, origin, direction, cell_1};
    half_line line_0 = {t_0.origin, t_0.direction, 0.0, 0.0};
    half_line line_1 = {t_1.origin, t_1.direction, 0.0, 0.0};
    double at = 0.0;
    int face_0 = 0, face_1 = 0;
    int most_steps = field_0->mesh.tet_count + field_1->mesh.tet_count;
    double near = NEAR_FACTOR * PADDING * (field_0->size + field_1->size);
    *out_is_done = false;
    for (int step = 0; t_0.cell >= 0 && t_1.cell >= 0 && step < most_steps; ++step) {
        double exit_0 = find_exit(&t_0, &face_0), exit_1 = find_exit(&t_1, &face_1);
        double exit = exit_0 <= exit_1 ? exit_0 : exit_1;
        exit = exit > at ? exit : at;
        passage p_0 = {t_0.cell, at, exit}, p_1 = {t_1.cell, at, exit};
        if (has_crossing(field_0, &line_0, &p_0, field_1, &line_1, &p_1) &&
            !fn(user, t_0.cell, t_1.cell)) {
            return false;
        }
        at = exit;
        if (exit_0 <= exit_1) {
            t_0.cell = field_0->cells[t_0.cell].neighbors[face_0];
        } else {
            t_1.cell = field_1->cells[t_1.cell].neighbors[face_1];
        }
    }
    *out_is_done = (t_0.cell < 0 || t_1.cell < 0) && at * iso_vec3_norm(direction) > near;
    return true;
}
