// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "field/structure/field_slopes.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "geometry/mesh/pair_table.h"

#include <float.h>

// What turning a double into a float may lose, with room to spare.
#define ROUNDING (4.0 * (double)FLT_EPSILON)
// Where averages of the gradients can be shorter than this part of the shortest of them, there is a
// ridge.
#define RIDGE 0.5
// Cells of a gradient below this part of the largest are ridges themselves.
#define FLAT 1e-9

// The gradients around an edge.
typedef struct edge_fan {
    iso_vec3 sum;
    iso_vec3 low, high; // their box
    double shortest;    // of the gradients [Pa/m]
    double least;       // of the gradients along the sum [Pa/m]
    bool is_part;       // among the ridges
} edge_fan;

// What a ridge is not, around one cell.
typedef struct cell_slope {
    iso_vec3 low, high;
    double shortest, longest;
} cell_slope;

static const int k_edges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

static iso_vec3 gradient_of(const iso_field* field, int cell) {
    return field->cells[cell].piece.gradient;
}

static edge_fan* fan_of(const iso_field* field, iso_pair_table* table, edge_fan* fans, int* count,
                        int cell, int edge) {
    const int* corners = field->cells[cell].corners;
    int* index = iso_pair_table_at(table, corners[k_edges[edge][0]], corners[k_edges[edge][1]], -1);
    if (*index < 0) {
        *index = (*count)++;
        fans[*index] = (edge_fan){.low = {INFINITY, INFINITY, INFINITY},
                                  .high = {-INFINITY, -INFINITY, -INFINITY},
                                  .shortest = INFINITY,
                                  .least = INFINITY};
    }
    return &fans[*index];
}

static void gather_fans(const iso_field* field, iso_pair_table* table, edge_fan* fans) {
    int count = 0;
    for (int i = 0; i < 6 * field->mesh.tet_count; ++i) {
        edge_fan* fan = fan_of(field, table, fans, &count, i / 6, i % 6);
        iso_vec3 g = gradient_of(field, i / 6);
        fan->sum = iso_vec3_add(fan->sum, g);
        fan->low = iso_vec3_min(fan->low, g);
        fan->high = iso_vec3_max(fan->high, g);
        fan->shortest = fmin(fan->shortest, iso_vec3_norm(g));
    }
    for (int i = 0; i < 6 * field->mesh.tet_count; ++i) {
        edge_fan* fan = fan_of(field, table, fans, &count, i / 6, i % 6);
        iso_vec3 along = iso_vec3_normalized(fan->sum);
        fan->least = fmin(fan->least, iso_vec3_dot(along, gradient_of(field, i / 6)));
    }
}

// The shortest average of two gradients.
static double shortest_between(iso_vec3 a, iso_vec3 b) {
    iso_vec3 d = iso_vec3_sub(b, a);
    double length_squared = iso_vec3_norm_squared(d);
    double t = length_squared > 0.0 ? -iso_vec3_dot(a, d) / length_squared : 0.0;
    return iso_vec3_norm(iso_vec3_add_scaled(a, d, fmin(1.0, fmax(0.0, t))));
}

static bool is_ridge(double shortest_average, double shortest) {
    return !(shortest_average > RIDGE * shortest);
}

static void add_part(const iso_field* field, int cell, int corners, iso_field_parts* parts) {
    int part = iso_field_part(cell, corners);
    iso_field_parts_add(parts, part, iso_field_part_box(field, part, INFINITY));
}

static void include(cell_slope* slope, iso_vec3 low, iso_vec3 high, double shortest) {
    slope->low = iso_vec3_min(slope->low, low);
    slope->high = iso_vec3_max(slope->high, high);
    slope->shortest = fmin(slope->shortest, shortest);
}

// Faces of a cell: its ridges go to the parts, those of two cells once.
static int slope_of_faces(const iso_field* field, int cell, iso_field_parts* parts,
                          cell_slope* slope) {
    iso_vec3 g = gradient_of(field, cell);
    int ridges = 0;
    for (int face = 0; face < 4; ++face) {
        int neighbor = field->cells[cell].neighbors[face];
        if (neighbor < 0) {
            continue;
        }
        iso_vec3 other = gradient_of(field, neighbor);
        double average = shortest_between(g, other);
        if (is_ridge(average, fmin(iso_vec3_norm(g), iso_vec3_norm(other)))) {
            ridges |= 1 << face;
            if (cell < neighbor) {
                add_part(field, cell, 15 & ~(1 << face), parts);
            }
        } else {
            include(slope, other, other, average);
        }
    }
    return ridges;
}

// Slope of a cell and what lies around it but for the ridges, which go to the parts.
static void slope_of_cell(const iso_field* field, iso_pair_table* table, edge_fan* fans, int cell,
                          iso_field_parts* parts, cell_slope* slope) {
    iso_vec3 g = gradient_of(field, cell);
    double norm = iso_vec3_norm(g);
    *slope = (cell_slope){g, g, norm, norm};
    if (!(norm > FLAT * field->max_gradient)) {
        slope->shortest = INFINITY;
        add_part(field, cell, 15, parts);
    }
    int ridges = slope_of_faces(field, cell, parts, slope);
    for (int edge = 0; edge < 6; ++edge) {
        int i = k_edges[edge][0], j = k_edges[edge][1], unused = 0;
        edge_fan* fan = fan_of(field, table, fans, &unused, cell, edge);
        if (!is_ridge(fan->least, fan->shortest)) {
            include(slope, fan->low, fan->high, fan->least);
        } else if (!fan->is_part && !(ridges & ~(1 << i | 1 << j))) {
            add_part(field, cell, 1 << i | 1 << j, parts);
            fan->is_part = true;
        }
    }
}

// Cells below one child of a node: a range, as leaves are in the order of the tree.
typedef struct cell_range {
    int begin, end;
} cell_range;

static void set_slope(const iso_field* field, const cell_slope* cells, cell_range range,
                      iso_field_slope* out, int side) {
    cell_slope all = cells[range.begin];
    for (int i = range.begin + 1; i < range.end; ++i) {
        include(&all, cells[i].low, cells[i].high, cells[i].shortest);
        all.longest = fmax(all.longest, cells[i].longest);
    }
    double center[3], least = INFINITY, most = -INFINITY, terms = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        double low = iso_vec3_get(all.low, axis), high = iso_vec3_get(all.high, axis);
        out->center[axis][side] = (float)(0.5 * (low + high));
        center[axis] = (double)out->center[axis][side];
        double reach = fmax(high - center[axis], center[axis] - low);
        out->half[axis][side] = (float)(reach * (1.0 + ROUNDING)) + FLT_MIN;
        terms += fabs(center[axis]) * field->size;
    }
    for (int i = 4 * range.begin; i < 4 * range.end; ++i) {
        const double* x = iso_field_corner(field, i / 4, i % 4);
        double rest = x[3] - (center[0] * x[0] + center[1] * x[1] + center[2] * x[2]);
        least = fmin(least, rest);
        most = fmax(most, rest);
    }
    terms += fmax(fabs(least), fabs(most));
    out->least[side] = (float)(least - ROUNDING * terms);
    out->most[side] = (float)(most + ROUNDING * terms);
    out->shortest[side] = (float)(all.shortest * (1.0 - ROUNDING));
    out->longest[side] = (float)(all.longest * (1.0 + ROUNDING));
}

// Fills the slopes of a subtree; returns its cells.
static cell_range fill_slopes(iso_field* field, const cell_slope* cells, int child) {
    if (child < 0) {
        int begin = (-1 - child) * ISO_BVH_LEAF_SIZE, end = begin + ISO_BVH_LEAF_SIZE;
        return (cell_range){begin, end < field->mesh.tet_count ? end : field->mesh.tet_count};
    }
    const iso_bvh_node* node = &field->tree.nodes[child];
    cell_range left = fill_slopes(field, cells, node->child[0]);
    cell_range right = fill_slopes(field, cells, node->child[1]);
    set_slope(field, cells, left, &field->slopes[child], 0);
    set_slope(field, cells, right, &field->slopes[child], 1);
    return (cell_range){left.begin, right.end};
}

// What a point is to its neighbours along the edges.
enum { IS_SKIN = 1, HAS_LOWER = 2, HAS_HIGHER = 4, IS_DONE = 8 };

static void compare_points(const iso_field* field, unsigned char* kinds) {
    for (int i = 0; i < field->mesh.tet_count; ++i) {
        const iso_field_cell* cell = &field->cells[i];
        for (int j = 0; j < 16; ++j) {
            int point = cell->corners[j / 4];
            double own = field->points[point].x[3], other = iso_field_corner(field, i, j % 4)[3];
            kinds[point] |=
                (unsigned char)((other < own ? HAS_LOWER : 0) | (other > own ? HAS_HIGHER : 0));
            if (j % 4 != j / 4 && cell->neighbors[j % 4] < 0) {
                kinds[point] |= IS_SKIN;
            }
        }
    }
}

static iso_status find_peaks(iso_context* ctx, const iso_field* field, iso_field_parts* parts,
                             iso_bvh* out_tree) {
    unsigned char* kinds = iso_alloc_array(ctx, field->mesh.vertex_count, sizeof *kinds);
    ISO_REQUIRE(ctx, kinds, ISO_ERR_MEMORY, "peaks of %d vertices", field->mesh.vertex_count);
    compare_points(field, kinds);
    for (int i = 0; i < 4 * field->mesh.tet_count; ++i) {
        unsigned char* kind = &kinds[field->cells[i / 4].corners[i % 4]];
        bool is_between = *kind & HAS_LOWER && *kind & HAS_HIGHER;
        if (!(*kind & (IS_SKIN | IS_DONE)) && !is_between) {
            int part = iso_field_part(i / 4, 1 << i % 4);
            iso_bvh_box box = iso_field_part_box(field, part, INFINITY);
            box.low = -INFINITY; // whatever the pressure of what lies around
            box.high = INFINITY;
            iso_field_parts_add(parts, part, box);
            *kind |= IS_DONE;
        }
    }
    iso_free(ctx, kinds);
    return iso_field_parts_build(ctx, parts, out_tree);
}

iso_status iso_field_mark_slopes(iso_context* ctx, iso_field* field, iso_field_parts* parts,
                                 iso_field_marks* marks) {
    int tet_count = field->mesh.tet_count;
    iso_pair_table table = {0};
    iso_status status = ISO_OK;
    edge_fan* fans = iso_alloc_array(ctx, 6 * tet_count, sizeof *fans);
    cell_slope* cells = iso_alloc_array(ctx, tet_count, sizeof *cells);
    field->slopes = iso_alloc_array(ctx, field->tree.node_count, sizeof *field->slopes);
    ISO_CHECK(ctx, fans && cells && field->slopes, ISO_ERR_MEMORY, "slopes of %d tetrahedra",
              tet_count);
    ISO_TRY(iso_pair_table_init(ctx, &table, 6 * tet_count));
    gather_fans(field, &table, fans);
    for (int cell = 0; cell < tet_count; ++cell) {
        slope_of_cell(field, &table, fans, cell, parts, &cells[cell]);
    }
    fill_slopes(field, cells, 0);
    ISO_TRY(iso_field_parts_build(ctx, parts, &marks->ridges));
    ISO_TRY(find_peaks(ctx, field, parts, &marks->peaks));

done:
    iso_pair_table_destroy(ctx, &table);
    iso_free(ctx, fans);
    iso_free(ctx, cells);
    return status;
}
