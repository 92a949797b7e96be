// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "field/structure/field_skin.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "geometry/mesh/pair_table.h"

#include <float.h>

// Pressures this close to the lowest one, relative to it, are equal to it but for rounding.
#define LEVEL_TOLERANCE 1e-9

// Vertices and edges that others have already been found to cover.
typedef struct level_cover {
    bool* points;
    iso_pair_table edges;
} level_cover;

static bool is_at_most(const iso_field* field, int cell, int corner, double pressure) {
    return iso_field_corner(field, cell, corner)[3] <= pressure;
}

// Corners of a cell of no more than some pressure, one bit each.
static int corners_below(const iso_field* field, int cell, double pressure) {
    int corners = 0;
    for (int i = 0; i < 4; ++i) {
        corners |= is_at_most(field, cell, i, pressure) << i;
    }
    return corners;
}

static void cover_corners(const iso_field* field, int cell, int corners, level_cover* cover) {
    for (int i = 0; i < 4; ++i) {
        if (!(corners >> i & 1)) {
            continue;
        }
        int from = field->cells[cell].corners[i];
        cover->points[from] = true;
        for (int j = i + 1; j < 4; ++j) {
            if (corners >> j & 1) {
                *iso_pair_table_at(&cover->edges, from, field->cells[cell].corners[j], 1) = 1;
            }
        }
    }
}

static double level_of(const iso_field_marks* marks) {
    return marks->lowest + LEVEL_TOLERANCE * fabs(marks->lowest);
}

static bool is_level(const iso_field* field, const iso_field_marks* marks, int cell, int face) {
    int corners = 15 & ~(1 << face);
    return marks->lowest <= 0.0 &&
           (corners_below(field, cell, level_of(marks)) & corners) == corners;
}

// Skin faces, those on the lowest level or the others.
static void add_faces(const iso_field* field, const iso_field_marks* marks, bool is_of_level,
                      iso_field_parts* parts) {
    double tolerance = level_of(marks) - marks->lowest;
    for (int cell = 0; cell < field->mesh.tet_count; ++cell) {
        for (int face = 0; face < 4; ++face) {
            if (field->cells[cell].neighbors[face] < 0 &&
                is_level(field, marks, cell, face) == is_of_level) {
                int part = iso_field_part(cell, 15 & ~(1 << face));
                iso_bvh_box box = iso_field_part_box(field, part, INFINITY);
                box.low -= tolerance;
                box.high += tolerance;
                iso_field_parts_add(parts, part, box);
            }
        }
    }
}

// Whether what the corners span belongs to a face, edge or vertex that is covered. For faces the
// answer is that of the neighbour.
static bool is_covered(const iso_field* field, const iso_field_marks* marks, level_cover* cover,
                       int cell, int corners, bool is_by_level) {
    int v[4], count = 0, missing = 0;
    for (int i = 0; i < 4; ++i) {
        if (corners >> i & 1) {
            v[count++] = field->cells[cell].corners[i];
        } else {
            missing = i;
        }
    }
    switch (count) {
    case 1:
        return cover->points[v[0]];
    case 2:
        return *iso_pair_table_at(&cover->edges, v[0], v[1], 0) == 1;
    case 3: {
        int neighbor = field->cells[cell].neighbors[missing];
        return is_by_level ? neighbor < 0 && is_level(field, marks, cell, missing)
                           : neighbor >= 0 && corners_below(field, neighbor, -DBL_MIN) != 0;
    }
    default:
        return count == 0;
    }
}

// Cells where the pressure is `highest` or less somewhere that the level faces do not cover.
static bool has_more_below(const iso_field* field, const iso_field_marks* marks, level_cover* cover,
                           double highest) {
    for (int cell = 0; cell < field->mesh.tet_count; ++cell) {
        if (!is_covered(field, marks, cover, cell, corners_below(field, cell, highest), true)) {
            return true;
        }
    }
    return false;
}

// The cells' parts of pressure <= 0: of those of negative pressure, and what others have beyond.
static void add_shell(const iso_field* field, const iso_field_marks* marks, level_cover* cover,
                      iso_field_parts* parts) {
    bool is_by_level = marks->lowest == 0.0;
    for (int cell = 0; cell < field->mesh.tet_count && !is_by_level; ++cell) {
        if (corners_below(field, cell, -DBL_MIN) != 0) {
            cover_corners(field, cell, 15, cover);
        }
    }
    for (int cell = 0; cell < field->mesh.tet_count; ++cell) {
        int corners = corners_below(field, cell, 0.0), part = iso_field_part(cell, 15);
        bool is_part = corners_below(field, cell, -DBL_MIN) != 0;
        for (int face = 0; face < 4 && is_by_level; ++face) {
            is_part = is_part || (field->cells[cell].neighbors[face] < 0 &&
                                  is_level(field, marks, cell, face));
        }
        if (is_part || !is_covered(field, marks, cover, cell, corners, is_by_level)) {
            iso_field_parts_add(parts, part, iso_field_part_box(field, part, 0.0));
        }
    }
}

static int root_of(int* parents, int point) {
    while (parents[point] != point) {
        parents[point] = parents[parents[point]];
        point = parents[point];
    }
    return point;
}

// Join the points of every skin face; points off the skin have parent -1.
static void join_skin(const iso_field* field, int* parents) {
    for (int i = 0; i < field->mesh.vertex_count; ++i) {
        parents[i] = -1;
    }
    for (int i = 0; i < 4 * field->mesh.tet_count; ++i) {
        const iso_field_cell* cell = &field->cells[i / 4];
        if (cell->neighbors[i % 4] >= 0) {
            continue;
        }
        int first = cell->corners[i % 4 == 0];
        for (int corner = 0; corner < 4; ++corner) {
            int point = cell->corners[corner];
            if (corner != i % 4) {
                parents[point] = parents[point] < 0 ? point : parents[point];
                int a = root_of(parents, parents[first] < 0 ? point : first);
                int b = root_of(parents, point);
                parents[a > b ? a : b] = a > b ? b : a;
            }
        }
    }
}

// A connected part of the skin that another surface inside the body may enclose lies inside the
// body's box, at a distance from all its sides.
static iso_status find_hollows(iso_context* ctx, const iso_field* field, iso_field_marks* marks) {
    int point_count = field->mesh.vertex_count;
    const iso_bvh_box* bounds = &field->tree.bounds;
    int* parents = iso_alloc_array(ctx, point_count, sizeof *parents);
    bool* is_outer = iso_alloc_array(ctx, point_count, sizeof *is_outer);
    iso_status status = ISO_OK;
    ISO_CHECK(ctx, parents && is_outer, ISO_ERR_MEMORY, "skin of %d vertices", point_count);
    join_skin(field, parents);
    for (int i = 0; i < point_count; ++i) {
        iso_vec3 x =
            iso_vec3_make(field->points[i].x[0], field->points[i].x[1], field->points[i].x[2]);
        bool is_inside = x.x > bounds->lower.x && x.y > bounds->lower.y && x.z > bounds->lower.z &&
                         x.x < bounds->upper.x && x.y < bounds->upper.y && x.z < bounds->upper.z;
        if (parents[i] >= 0 && !is_inside) {
            is_outer[root_of(parents, i)] = true;
        }
    }
    for (int pass = 0; pass < 2; ++pass) {
        marks->hollow_count = 0;
        for (int i = 0; i < point_count; ++i) {
            if (parents[i] == i && !is_outer[i]) {
                if (pass == 1) {
                    const double* x = field->points[i].x;
                    marks->hollows[marks->hollow_count] = iso_vec3_make(x[0], x[1], x[2]);
                }
                ++marks->hollow_count;
            }
        }
        if (pass == 0) {
            marks->hollows = iso_alloc_array(ctx, marks->hollow_count, sizeof *marks->hollows);
            ISO_CHECK(ctx, marks->hollows, ISO_ERR_MEMORY, "%d hollows", marks->hollow_count);
        }
    }

done:
    iso_free(ctx, parents);
    iso_free(ctx, is_outer);
    return status;
}

iso_status iso_field_mark_skin(iso_context* ctx, const iso_field* field, iso_field_parts* parts,
                               iso_field_marks* marks) {
    int tet_count = field->mesh.tet_count;
    level_cover cover = {0};
    iso_status status = ISO_OK;
    cover.points = iso_alloc_array(ctx, field->mesh.vertex_count, sizeof *cover.points);
    ISO_CHECK(ctx, cover.points, ISO_ERR_MEMORY, "skin of %d tetrahedra", tet_count);
    ISO_TRY(iso_pair_table_init(ctx, &cover.edges, 6 * tet_count));
    marks->lowest = field->min_pressure;
    for (int i = 0; i < 4 * tet_count; ++i) {
        if (field->cells[i / 4].neighbors[i % 4] < 0 && is_level(field, marks, i / 4, i % 4)) {
            cover_corners(field, i / 4, 15 & ~(1 << i % 4), &cover);
        }
    }
    marks->is_shell_level = marks->lowest >= 0.0 && !has_more_below(field, marks, &cover, 0.0);
    marks->is_lowest_level = !has_more_below(field, marks, &cover, level_of(marks));
    add_faces(field, marks, true, parts);
    ISO_TRY(iso_field_parts_build(ctx, parts, &marks->level));
    add_faces(field, marks, false, parts);
    ISO_TRY(iso_field_parts_build(ctx, parts, &marks->loose));
    if (!marks->is_shell_level) {
        add_shell(field, marks, &cover, parts);
        ISO_TRY(iso_field_parts_build(ctx, parts, &marks->shell));
    }
    ISO_TRY(find_hollows(ctx, field, marks));

done:
    iso_free(ctx, cover.points);
    iso_pair_table_destroy(ctx, &cover.edges);
    return status;
}
