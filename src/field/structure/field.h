// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "geometry/search/bvh.h"
#include "isobar/geometry.h"

#include <string.h>

/// Most tetrahedra of a field: pairs and parts of them are packed into words.
#define ISO_FIELD_MOST_TETS (1 << 26)

/// A vertex of a field: position [m], then pressure [Pa].
typedef struct iso_field_point {
    double x[4];
} iso_field_point;

/// One tetrahedron, and its neighbours for walking from one to the next. Face f is opposite corner
/// f; its plane is (unit inward normal; offset), distance n . x + offset [m]. The planes of a face
/// seen from its two tetrahedra are exact negatives of each other. Frame G.
typedef struct iso_field_cell {
    int corners[4];      ///< points
    int neighbors[4];    ///< cell across each face, -1 on the skin
    iso_affine piece;    ///< of the pressure: gradient [Pa/m], pressure at the origin of G [Pa]
    double planes[4][4]; ///< [component][face]
} iso_field_cell;

/// What the pressure does below either child of a tree's node, [axis][side] and [side]. Rounded
/// outward.
typedef struct iso_field_slope {
    float center[3][2], half[3][2]; ///< box of the gradients [Pa/m]
    float least[2], most[2];        ///< interval of p - center . x [Pa]
} iso_field_slope;

/// The box of the gradients around what is below either child of a tree's node, [axis][side].
/// Rounded outward.
typedef struct iso_field_turn {
    float center[3][2], half[3][2]; ///< [Pa/m]
} iso_field_turn;

/// The planes of the faces below either child of a tree's node, [axis][side] and [side]: a ball
/// about their unit inward normals, and how far at most they pass from the centre of the child's
/// box. Rounded outward.
typedef struct iso_field_planes {
    float center[3][2], radius[2];
    float farthest[2]; ///< [m]
} iso_field_planes;

/// Two slabs around what is below either child of a tree's node, [direction][axis][side] and
/// [direction][side]: |axis . (x - c)| <= half with the centre c of the child's box. The axes are
/// integers of length about 127, half is the upper two bytes of a float, rounded up.
typedef struct iso_field_slab {
    int8_t axis[2][3][2];
    uint16_t half[2][2];
} iso_field_slab;

static inline double iso_field_slab_half(uint16_t half) {
    uint32_t bits = (uint32_t)half << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

/// Where a walk over a contact surface may have to start. Elements of the trees are parts of cells,
/// 16 * cell + one bit for each corner that spans the part. Trees without elements have leaf_count
/// 0. Theory: docs/theory/contact_surface.md.
typedef struct iso_field_marks {
    double lowest; ///< pressure of the level faces [Pa]
    iso_bvh level; ///< skin faces on which the pressure is the field's lowest, none above 0
    iso_field_planes* planes; ///< [level.node_count]; NULL where normals of neighbours differ much,
                              ///< or level faces are not all there is of pressure <= 0
    iso_bvh loose;            ///< the other skin faces
    iso_bvh shell; ///< cells, each with the box of its part of pressure <= 0, that reach beyond the
                   ///< level faces
    bool is_shell_level;  ///< the level faces are all there is of pressure <= 0
    bool is_lowest_level; ///< the level faces are all there is of the lowest pressure
    iso_bvh kinks; ///< inner vertices, faces across which the pressure is convex, and edges around
                   ///< which it may be
    iso_field_turn* kink_turns; ///< [kinks.node_count] of the cells around them
    int hollow_count;
    iso_vec3* hollows; ///< [hollow_count] a vertex of each connected part of the skin that others
                       ///< may enclose
} iso_field_marks;

/// Pressure inside a compliant body: known at the vertices of a tetrahedral mesh, affine inside
/// each tetrahedron, zero on the nominal surface, positive inside, negative in the margin.
/// Immutable. Theory: docs/theory/pressure_field.md; [Elandt2022] sections 5.0.1, 5.1.
typedef struct iso_field {
    iso_tet_mesh mesh;       ///< owned
    double* pressures;       ///< [vertex_count] [Pa], owned
    iso_bvh tree;            ///< over the tetrahedra, with their pressure intervals
    iso_field_cell* cells;   ///< [mesh.tet_count] in the order of the tree: of tree.elements[cell]
    iso_field_point* points; ///< [mesh.vertex_count] in the order in which the cells use them
    iso_field_slope* slopes; ///< [tree.node_count]
    iso_field_turn* turns;   ///< [tree.node_count] of the cells around the edges of cells
    iso_field_slab* slabs;   ///< [tree.node_count]; NULL where boxes are nearly as narrow
    double slab_width;       ///< how narrow the leaves are between slabs, on average [m]
    iso_field_marks marks;
    double min_pressure; ///< over the vertices [Pa]
    double max_pressure; ///<
    double max_gradient; ///< over the tetrahedra [Pa/m]
    double size;         ///< largest |coordinate| [m]
    double radius;       ///< of a ball about the vertices and the centre of the tree's bounds [m]
    double volume;       ///< of the tetrahedra [m^3]
    uint64_t hash;       ///< of mesh and pressures
} iso_field;

/// Build a field over a mesh. Takes the mesh and the pressures over, also on error (both are zeroed
/// or released).
/// @param pressures  [vertex_count], from iso_alloc_array()
/// @return ISO_ERR_GEOMETRY (no tetrahedra, a tetrahedron without volume), ISO_ERR_NUMERIC (not
///         finite), ISO_ERR_MEMORY
iso_status iso_field_create(iso_context* ctx, iso_tet_mesh* mesh, double* pressures,
                            iso_field** out_field);
/// The same of a field that meets rigid surfaces and half spaces, no other field: without slopes,
/// marks, hash and neighbours. Tetrahedra that follow each other are near each other.
iso_status iso_field_create_for_surfaces(iso_context* ctx, iso_tet_mesh* mesh, double* pressures,
                                         iso_field** out_field);
void iso_field_destroy(iso_context* ctx, iso_field* field);

/// A field whose pressures are larger by a factor near 1. What holds
/// pressures is copied into the arena, the rest borrowed; not to be destroyed. O(tet_count).
/// @return ISO_ERR_MEMORY
iso_status iso_field_stiffen(iso_arena* arena, const iso_field* field, double factor,
                             iso_field* out_field);

/// Affine pressure of one tetrahedron (mesh index), continued outside it.
iso_affine iso_field_piece(const iso_field* field, int tet);

/// Whether a point of G is in a cell, or no farther than `tolerance` [m] outside its planes.
bool iso_field_cell_contains(const iso_field_cell* cell, iso_vec3 p, double tolerance);

/// Pressure at a point of G; false when the point lies outside the mesh (boundary included within
/// rounding). On a shared face the tetrahedron of lowest index answers. Not for use inside a step.
bool iso_field_value(const iso_field* field, iso_vec3 p, double* out_pressure);
