// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "field/structure/field_kinks.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "field/structure/field_ring.h"
#include "geometry/mesh/pair_table.h"

#include <float.h>

// Turns of the gradient by no more than this part of the largest one are none.
#define FLAT 1e-9
// What turning a double into a float may lose, with room to spare.
#define ROUNDING (4.0 * (double)FLT_EPSILON)

typedef struct gradient_box {
    iso_vec3 low, high;
} gradient_box;

static gradient_box empty_box(void) {
    iso_vec3 high = {-INFINITY, -INFINITY, -INFINITY};
    return (gradient_box){iso_vec3_neg(high), high};
}

static void include(gradient_box* box, iso_vec3 low, iso_vec3 high) {
    box->low = iso_vec3_min(box->low, low);
    box->high = iso_vec3_max(box->high, high);
}

// The box below one child of a node.
static void set_turn(iso_field_turn* turn, int side, gradient_box box) {
    for (int axis = 0; axis < 3; ++axis) {
        double low = iso_vec3_get(box.low, axis), high = iso_vec3_get(box.high, axis);
        turn->center[axis][side] = (float)(0.5 * (low + high));
        double center = (double)turn->center[axis][side];
        double reach = fmax(high - center, center - low);
        turn->half[axis][side] = (float)(reach * (1.0 + ROUNDING)) + FLT_MIN;
    }
}

static iso_vec3 gradient_of(const iso_field* field, int cell) {
    return field->cells[cell].piece.gradient;
}

// Faces of a cell across which the pressure is convex, one bit each.
static int convex_faces(const iso_field* field, int cell) {
    const iso_field_cell* c = &field->cells[cell];
    int faces = 0;
    for (int face = 0; face < 4; ++face) {
        if (c->neighbors[face] < 0) {
            continue;
        }
        iso_vec3 inward = {c->planes[0][face], c->planes[1][face], c->planes[2][face]};
        iso_vec3 turn = iso_vec3_sub(c->piece.gradient, gradient_of(field, c->neighbors[face]));
        faces |= (iso_vec3_dot(turn, inward) > FLAT * field->max_gradient) << face;
    }
    return faces;
}

static iso_vec3 point_at(const iso_field* field, int point) {
    const double* x = field->points[point].x;
    return iso_vec3_make(x[0], x[1], x[2]);
}

// What lies around an edge, seen along it.
typedef struct edge_view {
    int count;
    double spokes[ISO_FIELD_RING_MOST][2], gradients[ISO_FIELD_RING_MOST][2];
} edge_view;

static void view_along(const iso_field* field, const iso_field_ring* ring, iso_vec3 origin,
                       iso_vec3 edge, edge_view* out) {
    iso_vec3 across = iso_vec3_sub(point_at(field, ring->spokes[0]), origin);
    iso_vec3 u = iso_vec3_normalized(iso_vec3_cross(edge, across));
    iso_vec3 v = iso_vec3_normalized(iso_vec3_cross(edge, u));
    out->count = ring->count;
    for (int i = 0; i < ring->count; ++i) {
        iso_vec3 spoke = iso_vec3_sub(point_at(field, ring->spokes[i]), origin);
        iso_vec3 g = gradient_of(field, ring->cells[i]);
        out->spokes[i][0] = iso_vec3_dot(spoke, u);
        out->spokes[i][1] = iso_vec3_dot(spoke, v);
        out->gradients[i][0] = iso_vec3_dot(g, u);
        out->gradients[i][1] = iso_vec3_dot(g, v);
    }
}

static double cross(const double a[2], const double b[2]) {
    return a[0] * b[1] - a[1] * b[0];
}

// The largest change of pressure in a direction of any cell that has it: as all do, within
// rounding, no less than in that direction.
static double change_along(const edge_view* view, const double d[2]) {
    double most = -INFINITY;
    for (int i = 0; i < view->count; ++i) { // cell i is between spokes i - 1 and i
        const double *from = view->spokes[(i > 0 ? i : view->count) - 1], *to = view->spokes[i];
        double turn = cross(from, to);
        double slack = -FLAT * (fabs(d[0]) + fabs(d[1]));
        if (cross(from, d) * turn >= slack * fabs(turn) * (fabs(from[0]) + fabs(from[1])) &&
            cross(d, to) * turn >= slack * fabs(turn) * (fabs(to[0]) + fabs(to[1]))) {
            double change = view->gradients[i][0] * d[0] + view->gradients[i][1] * d[1];
            most = fmax(most, change);
        }
    }
    return most;
}

// Whether an affine function may be nowhere above the pressure around an edge, and equal to it
// there: whether the pressure is convex along each line through it and a spoke.
static bool may_be_below(const edge_view* view, double slack) {
    for (int i = 0; i < view->count; ++i) {
        const double* to = view->spokes[i];
        double back[2] = {-to[0], -to[1]};
        double bend = change_along(view, to) + change_along(view, back);
        if (bend < -slack * (fabs(to[0]) + fabs(to[1]))) {
            return false;
        }
    }
    return true;
}

static void add_part(const iso_field* field, int cell, int corners, iso_field_parts* parts) {
    int part = iso_field_part(cell, corners);
    iso_bvh_box box = iso_field_part_box(field, part, INFINITY);
    box.low = -INFINITY; // whatever the pressure of what lies around
    box.high = INFINITY;
    iso_field_parts_add(parts, part, box);
}

static const int k_edges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

// Edges of the convex faces of a cell, each once.
static void add_edges(const iso_field* field, const unsigned char* convex, int cell,
                      iso_field_parts* parts) {
    for (int edge = 0; edge < 6; ++edge) {
        int i = k_edges[edge][0], j = k_edges[edge][1];
        if (!(convex[cell] & ~(1 << i | 1 << j))) {
            continue;
        }
        iso_field_ring ring;
        iso_field_ring_kind kind = iso_field_ring_around(field, cell, i, j, &ring);
        const int* corners = field->cells[cell].corners;
        bool is_first = kind != ISO_FIELD_RING_OPEN;
        for (int k = 1; k < ring.count && is_first; ++k) {
            const iso_field_cell* other = &field->cells[ring.cells[k]];
            int ends = 1 << iso_field_corner_of(other, corners[i]) |
                       1 << iso_field_corner_of(other, corners[j]);
            is_first = ring.cells[k] > cell || !(convex[ring.cells[k]] & ~ends);
        }
        if (!is_first) {
            continue;
        }
        iso_vec3 origin = point_at(field, corners[i]);
        edge_view view;
        view_along(field, &ring, origin, iso_vec3_sub(point_at(field, corners[j]), origin), &view);
        if (kind == ISO_FIELD_RING_LONG || may_be_below(&view, FLAT * field->max_gradient)) {
            add_part(field, cell, 1 << i | 1 << j, parts);
        }
    }
}

static void add_vertices(const iso_field* field, unsigned char* is_passed, iso_field_parts* parts) {
    for (int i = 0; i < 16 * field->mesh.tet_count; ++i) {
        const iso_field_cell* cell = &field->cells[i / 16];
        if (i / 4 % 4 != i % 4 && cell->neighbors[i % 4] < 0) { // on the skin
            is_passed[cell->corners[i / 4 % 4]] = true;
        }
    }
    for (int i = 0; i < 4 * field->mesh.tet_count; ++i) {
        int point = field->cells[i / 4].corners[i % 4];
        if (!is_passed[point]) {
            add_part(field, i / 4, 1 << i % 4, parts);
            is_passed[point] = true;
        }
    }
}

static void add_faces_and_edges(const iso_field* field, unsigned char* convex,
                                iso_field_parts* parts) {
    for (int cell = 0; cell < field->mesh.tet_count; ++cell) {
        convex[cell] = (unsigned char)convex_faces(field, cell);
    }
    for (int cell = 0; cell < field->mesh.tet_count; ++cell) {
        for (int face = 0; face < 4 && convex[cell] != 0; ++face) {
            if (convex[cell] >> face & 1 && cell < field->cells[cell].neighbors[face]) {
                add_part(field, cell, 15 & ~(1 << face), parts);
            }
        }
        if (convex[cell] != 0) {
            add_edges(field, convex, cell, parts);
        }
    }
}

// The gradients around each point.
static void gather_stars(const iso_field* field, gradient_box* stars) {
    for (int i = 0; i < field->mesh.vertex_count; ++i) {
        stars[i] = empty_box();
    }
    for (int i = 0; i < 4 * field->mesh.tet_count; ++i) {
        iso_vec3 g = gradient_of(field, i / 4);
        include(&stars[field->cells[i / 4].corners[i % 4]], g, g);
    }
}

// The gradients around a part.
static gradient_box box_around(const iso_field* field, const gradient_box* stars, int part) {
    int cell = iso_field_part_cell(part), corners = iso_field_part_corners(part);
    const iso_field_cell* c = &field->cells[cell];
    int ends[4], count = 0;
    for (int i = 0; i < 4; ++i) {
        ends[count] = i;
        count += corners >> i & 1;
    }
    gradient_box box = {c->piece.gradient, c->piece.gradient};
    if (count == 1) {
        return stars[c->corners[ends[0]]];
    }
    if (count == 3) {
        iso_vec3 g = gradient_of(field, c->neighbors[6 - ends[0] - ends[1] - ends[2]]);
        include(&box, g, g);
        return box;
    }
    iso_field_ring ring;
    if (iso_field_ring_around(field, cell, ends[0], ends[1], &ring) == ISO_FIELD_RING_LONG) {
        return stars[c->corners[ends[0]]];
    }
    for (int i = 0; i < ring.count; ++i) {
        iso_vec3 g = gradient_of(field, ring.cells[i]);
        include(&box, g, g);
    }
    return box;
}

// Fills the turns below a child of a node; returns their box.
static gradient_box fill_turns(const iso_bvh* tree, const gradient_box* places, int child,
                               iso_field_turn* turns) {
    gradient_box all = empty_box();
    if (child < 0) {
        int begin = (-1 - child) * ISO_BVH_LEAF_SIZE;
        for (int i = begin; i < begin + ISO_BVH_LEAF_SIZE && tree->elements[i] >= 0; ++i) {
            include(&all, places[i].low, places[i].high);
        }
        return all;
    }
    for (int side = 0; side < 2; ++side) {
        if (tree->leaf_count == 1 && side == 1) {
            continue;
        }
        gradient_box box = fill_turns(tree, places, tree->nodes[child].child[side], turns);
        set_turn(&turns[child], side, box);
        include(&all, box.low, box.high);
    }
    return all;
}

// The gradients around the edges of each cell.
static iso_status gather_turns(iso_context* ctx, const iso_field* field, gradient_box* cells) {
    int count = 6 * field->mesh.tet_count, edge_count = 0;
    iso_pair_table table = {0};
    iso_status status = ISO_OK;
    int* edges = iso_alloc_array(ctx, count, sizeof *edges);
    gradient_box* around = iso_alloc_array(ctx, count, sizeof *around);
    ISO_CHECK(ctx, edges && around, ISO_ERR_MEMORY, "edges of %d tetrahedra", count / 6);
    ISO_TRY(iso_pair_table_init(ctx, &table, count));
    for (int i = 0; i < count; ++i) {
        const int *corners = field->cells[i / 6].corners, *ends = k_edges[i % 6];
        edges[i] = *iso_pair_table_at(&table, corners[ends[0]], corners[ends[1]], edge_count);
        if (edges[i] == edge_count) {
            around[edge_count++] = empty_box();
        }
        iso_vec3 g = gradient_of(field, i / 6);
        include(&around[edges[i]], g, g);
    }
    for (int i = 0; i < count; ++i) {
        cells[i / 6] = i % 6 == 0 ? around[edges[i]] : cells[i / 6];
        include(&cells[i / 6], around[edges[i]].low, around[edges[i]].high);
    }

done:
    iso_pair_table_destroy(ctx, &table);
    iso_free(ctx, edges);
    iso_free(ctx, around);
    return status;
}

static iso_status make_turns(iso_context* ctx, iso_field* field) {
    iso_status status = ISO_OK;
    gradient_box* cells = iso_alloc_array(ctx, field->mesh.tet_count, sizeof *cells);
    field->turns = iso_alloc_array(ctx, field->tree.node_count, sizeof *field->turns);
    ISO_CHECK(ctx, cells && field->turns, ISO_ERR_MEMORY, "turns of %d tetrahedra",
              field->mesh.tet_count);
    ISO_TRY(gather_turns(ctx, field, cells));
    fill_turns(&field->tree, cells, 0, field->turns);

done:
    iso_free(ctx, cells);
    return status;
}

static iso_status make_kink_turns(iso_context* ctx, const iso_field* field,
                                  const gradient_box* stars, iso_field_marks* marks) {
    const iso_bvh* tree = &marks->kinks;
    int count = ISO_BVH_LEAF_SIZE * tree->leaf_count;
    iso_status status = ISO_OK;
    gradient_box* places = iso_alloc_array(ctx, count, sizeof *places);
    marks->kink_turns = iso_alloc_array(ctx, tree->node_count, sizeof *marks->kink_turns);
    ISO_CHECK(ctx, places && marks->kink_turns, ISO_ERR_MEMORY, "%d kinks", count);
    for (int i = 0; i < count; ++i) {
        if (tree->elements[i] >= 0) {
            places[i] = box_around(field, stars, tree->elements[i]);
        }
    }
    fill_turns(tree, places, 0, marks->kink_turns);

done:
    iso_free(ctx, places);
    return status;
}

iso_status iso_field_mark_kinks(iso_context* ctx, iso_field* field, iso_field_parts* parts) {
    int tet_count = field->mesh.tet_count, vertex_count = field->mesh.vertex_count;
    int most = tet_count > vertex_count ? tet_count : vertex_count;
    iso_status status = ISO_OK;
    gradient_box* stars = iso_alloc_array(ctx, vertex_count, sizeof *stars);
    unsigned char* flags = iso_alloc_array(ctx, most, sizeof *flags);
    ISO_CHECK(ctx, stars && flags, ISO_ERR_MEMORY, "kinks of %d tetrahedra", tet_count);
    ISO_TRY(make_turns(ctx, field));
    add_vertices(field, flags, parts);
    add_faces_and_edges(field, flags, parts);
    gather_stars(field, stars);
    ISO_TRY(iso_field_parts_build(ctx, parts, &field->marks.kinks));
    if (field->marks.kinks.leaf_count > 0) {
        ISO_TRY(make_kink_turns(ctx, field, stars, &field->marks));
    }

done:
    iso_free(ctx, stars);
    iso_free(ctx, flags);
    return status;
}
