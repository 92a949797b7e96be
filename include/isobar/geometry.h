// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/base.h"
#include "isobar/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Kinds of shapes. Frame G is the shape's own frame.
typedef enum iso_shape_kind {
    ISO_SHAPE_SPHERE,     ///< centred at the origin
    ISO_SHAPE_ELLIPSOID,  ///< semi-axes along x, y, z
    ISO_SHAPE_BOX,        ///< centred, edges along x, y, z
    ISO_SHAPE_CYLINDER,   ///< centred, axis z
    ISO_SHAPE_CAPSULE,    ///< centred, axis z; length is that of the cylindrical part
    ISO_SHAPE_HALF_SPACE, ///< solid where z <= 0, outward normal +z
    ISO_SHAPE_CONVEX,     ///< convex hull of the vertices of a mesh file
    ISO_SHAPE_MESH,       ///< the mesh file as it is (triangles, or tetrahedra of .vtk, .vtu, .msh)
} iso_shape_kind;

/// Name of a shape kind in lower case ("half_space"), static storage.
ISO_API const char* iso_shape_kind_name(iso_shape_kind kind);

/// A surface of triangles, counter-clockwise seen from outside; may be open, need not be convex.
typedef struct iso_tri_mesh {
    int vertex_count;
    int triangle_count;
    iso_vec3* vertices;  ///< [vertex_count], frame G [m]
    int (*triangles)[3]; ///< [triangle_count], vertex indices
} iso_tri_mesh;

/// A volume of tetrahedra: vertex 3 is on the side of positive
/// dot(cross(v1 - v0, v2 - v0), v3 - v0), so every volume is positive.
typedef struct iso_tet_mesh {
    int vertex_count;
    int tet_count;
    iso_vec3* vertices; ///< [vertex_count], frame G [m]
    int (*tets)[4];     ///< [tet_count], vertex indices
} iso_tet_mesh;

/// A shape. Start from iso_shape_desc_default(kind).
typedef struct iso_shape_desc {
    iso_shape_kind kind;
    double radius;    ///< sphere, cylinder, capsule [m], > 0
    double length;    ///< cylinder, capsule [m], > 0
    iso_vec3 size;    ///< box: full edge lengths; ellipsoid: semi-axes [m], each > 0
    const char* path; ///< convex, mesh: file name, NULL when a mesh below is given; copied
    iso_vec3 scale;   ///< convex, mesh: factors applied to the vertices, each non-zero
    const iso_tri_mesh* surface; ///< convex, mesh: inline alternative to path; borrowed
    const iso_tet_mesh* volume;  ///< mesh: inline tetrahedra; borrowed
} iso_shape_desc;

/// Unit sizes, unit scale, no file.
ISO_API iso_shape_desc iso_shape_desc_default(iso_shape_kind kind);

/// Volume, centre of mass and inertia of a solid of density 1.
typedef struct iso_mass_properties {
    double volume;           ///< [m^3]
    iso_vec3 center_of_mass; ///< in G [m]
    iso_mat3 inertia;        ///< about the centre of mass, axes of G, density 1 kg/m^3 [kg m^2]
} iso_mass_properties;

/// Mass properties of a shape: closed forms for primitives; exact sums over the mesh otherwise.
/// @return ISO_ERR_GEOMETRY (half space, open surface, no volume) and the readers' errors
ISO_NODISCARD ISO_API iso_status iso_shape_mass_properties(iso_context* ctx,
                                                           const iso_shape_desc* shape,
                                                           iso_mass_properties* out_properties);

/// Mass properties of the solid bounded by a closed surface. O(triangle_count).
/// @return ISO_ERR_GEOMETRY (open surface, zero or negative volume)
ISO_NODISCARD ISO_API iso_status iso_tri_mesh_mass_properties(iso_context* ctx,
                                                              const iso_tri_mesh* mesh,
                                                              iso_mass_properties* out_properties);

/// Mass properties of a tetrahedral mesh. O(tet_count).
/// @return ISO_ERR_ARGUMENT, ISO_ERR_RANGE (a vertex, an index), ISO_ERR_GEOMETRY (a volume <= 0)
ISO_NODISCARD ISO_API iso_status iso_tet_mesh_mass_properties(iso_context* ctx,
                                                              const iso_tet_mesh* mesh,
                                                              iso_mass_properties* out_properties);

/// Read a surface from .obj, .stl, .gltf, .glb, .dae or .ply: every triangle as it is in the file
/// (those with two corners in one place left out, with a warning), polygons triangulated, vertices
/// of equal position merged, all parts with their transforms. glTF is y-up and turned to z-up;
/// Collada's unit is applied, its up axis is not. .gltf, .glb and .dae are read by the library
/// assimp, in single precision and in a process of its own (forked, without exec), so that a
/// malformed file is an error, whatever assimp does.
/// @param      scale     factors applied to the vertices; (1,1,1) for none
/// @param[out] out_mesh  owned by the caller, release with iso_tri_mesh_destroy(); zeroed on error
/// @return ISO_ERR_IO (also: no process can be started), ISO_ERR_PARSE, ISO_ERR_GEOMETRY (no
///         triangles), ISO_ERR_RANGE (too large, not finite, takes too long), ISO_ERR_UNSUPPORTED
///         (extension), ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_tri_mesh_load(iso_context* ctx, const char* path,
                                                   iso_vec3 scale, iso_tri_mesh* out_mesh);

/// Read tetrahedra from .vtk (legacy VTK, ASCII or binary unstructured grid), .vtu (VTK's XML) or
/// .msh (Gmsh 2.2 and 4.1, ASCII or binary). Points, lines and faces of a .vtu or .msh are passed
/// over; volume cells other than tetrahedra of four vertices are an error. Tetrahedra of negative
/// volume are turned; those without volume, repeated ones and vertices of no tetrahedron are left
/// out; each with a line in the log.
/// @return as iso_tri_mesh_load(); ISO_ERR_GEOMETRY (no tetrahedron with a volume, one without that
///         cannot be left out)
ISO_NODISCARD ISO_API iso_status iso_tet_mesh_load(iso_context* ctx, const char* path,
                                                   iso_vec3 scale, iso_tet_mesh* out_mesh);

/// Outer skin of a tetrahedral mesh: faces that belong to one tetrahedron, outward; the vertices
/// are those of the skin only, in the order of the tetrahedral mesh.
/// @return as iso_tet_mesh_mass_properties(), of faces that three share too; ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_tet_mesh_skin(iso_context* ctx, const iso_tet_mesh* mesh,
                                                   iso_tri_mesh* out_skin);

/// A triangle surface that shows a shape (and serves as its rigid contact surface).
/// @param resolution_hint  target edge length of curved shapes [m], > 0; half spaces give a square
///                         of 100 hints
/// @param[out] out_mesh  owned by the caller, release with iso_tri_mesh_destroy(); zeroed on error
/// @return ISO_ERR_ARGUMENT, ISO_ERR_RANGE (a size of the shape, the hint), ISO_ERR_GEOMETRY (of
///         meshes), ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_shape_surface(iso_context* ctx, const iso_shape_desc* shape,
                                                   double resolution_hint, iso_tri_mesh* out_mesh);

/// Number of tetrahedra that a resolution hint asks for, also beyond where tessellation stops
/// (docs/theory/tessellation.md).
/// @return 0 for shapes that no hint divides (box, half_space, convex, mesh) and hints that are not
///         > 0
ISO_API double iso_shape_tet_count(const iso_shape_desc* shape, double resolution_hint);

enum {
    ISO_MESH_PLACE_MAX = 8, ///< intersections described in a report
};

/// What `isobar inspect` says of a mesh.
typedef struct iso_mesh_report {
    int vertex_count, triangle_count, tet_count; ///< tet_count 0 for surfaces
    int component_count;                         ///< connected parts
    int boundary_edge_count;                     ///< edges of one triangle: 0 when closed
    int non_manifold_edge_count;                 ///< edges of three or more triangles
    int degenerate_count;                        ///< triangles of zero area
    bool is_closed, is_oriented;                 ///< every edge twice; once in each direction
    iso_vec3 lower, upper;                       ///< bounds [m]
    double area, volume;                         ///< [m^2], [m^3] (0 when open)
    int intersection_count; ///< pairs of triangles, of a volume those of its skin, that cut through
                            ///< each other or lie upon each other; repeated ones count once
    iso_vec3 intersections[ISO_MESH_PLACE_MAX]; ///< where the first ones do [m]
} iso_mesh_report;

/// Count, measure and judge a surface. O(n log n) in triangles, beside pairs whose boxes meet.
/// @return ISO_ERR_ARGUMENT, ISO_ERR_RANGE (a vertex, an index), ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_tri_mesh_inspect(iso_context* ctx, const iso_tri_mesh* mesh,
                                                      iso_mesh_report* out_report);
/// Count, measure and judge a volume.
/// @return as iso_tet_mesh_skin()
ISO_NODISCARD ISO_API iso_status iso_tet_mesh_inspect(iso_context* ctx, const iso_tet_mesh* mesh,
                                                      iso_mesh_report* out_report);

/// Release a mesh made by this library and zero it.
ISO_API void iso_tri_mesh_destroy(iso_context* ctx, iso_tri_mesh* mesh);
/// Release a mesh made by this library and zero it.
ISO_API void iso_tet_mesh_destroy(iso_context* ctx, iso_tet_mesh* mesh);

#ifdef __cplusplus
}
#endif
