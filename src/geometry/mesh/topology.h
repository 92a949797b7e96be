// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/geometry.h"

/// How the tetrahedra of a mesh hang together. Face i of a tetrahedron is opposite its corner i
/// (k_tet_faces in geometry/mesh/mesh.h).
typedef struct iso_tet_topology {
    int tet_count;
    int vertex_count;
    int (*neighbors)[4]; ///< [tet_count] tetrahedron across each face, -1 on the skin
    bool* is_on_skin;    ///< [vertex_count] vertex of a skin face
    int skin_face_count;
} iso_tet_topology;

/// O(tet_count). The mesh must have passed iso_tet_mesh_check().
/// @return ISO_ERR_GEOMETRY (a face of three tetrahedra, or of two on the same side of it, named),
///         ISO_ERR_MEMORY
iso_status iso_tet_topology_create(iso_context* ctx, const iso_tet_mesh* mesh,
                                   iso_tet_topology* out_topology);
void iso_tet_topology_destroy(iso_context* ctx, iso_tet_topology* topology);

/// How the triangles of a surface hang together. Edge i runs from corner i to corner i + 1.
typedef struct iso_tri_topology {
    int triangle_count;
    int (*neighbors)[3];         ///< [triangle_count] triangle across each edge; -1 at a boundary,
                                 ///< -2 at an edge of three or more triangles
    int edge_count;              ///< distinct edges
    int boundary_edge_count;     ///< edges of one triangle
    int non_manifold_edge_count; ///< edges of three or more triangles
    int flipped_edge_count;      ///< edges of two triangles that run along it in the same direction
    int bad_triangle;            ///< a triangle at the first faulty edge, -1 when closed, oriented
    int component_count;         ///< parts connected across edges
} iso_tri_topology;

/// O(triangle_count). The mesh must have passed iso_tri_mesh_check().
/// @return ISO_ERR_MEMORY
iso_status iso_tri_topology_create(iso_context* ctx, const iso_tri_mesh* mesh,
                                   iso_tri_topology* out_topology);
void iso_tri_topology_destroy(iso_context* ctx, iso_tri_topology* topology);

/// Every edge shared by exactly two triangles of opposite direction. The message of a failure
/// counts the faulty edges, names one and says what to do.
/// @return ISO_ERR_GEOMETRY; ISO_ERR_RANGE, ISO_ERR_ARGUMENT as iso_tri_mesh_check()
iso_status iso_tri_mesh_check_closed(iso_context* ctx, const iso_tri_mesh* mesh);
