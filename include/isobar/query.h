// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Contact of two shapes without a world: two shapes, one relative pose, one call. Conventions of
// docs/conventions.md: the normal points from A into B, wrenches act on B. User page:
// docs/query.md.

#include "isobar/base.h"
#include "isobar/contact.h"
#include "isobar/geometry.h"
#include "isobar/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a geometry looks like to contact: a volume with a pressure field, a bare surface, or a half
/// space with or without a field. Frame G is the shape's own. Built once (tessellation, field,
/// bounding-volume tree), then immutable but for two things made on first need: the thin layer of
/// rigid x rigid pairs and the search tree of distances and rays. A shape may be used by several
/// queries and at several places at once; it must not be shared between threads while the layer is
/// being made.
typedef struct iso_contact_shape iso_contact_shape;

/// Build from a shape and its material (compliance, modulus, resolution, margin, slab thickness).
/// ISO_COMPLIANCE_DEFAULT becomes compliant: mesh surfaces without a volume are the exception, they
/// become rigid and the log says so. A *declared* compliant surface mesh is an error that tells how
/// to make tetrahedra. Closed rigid shapes remember enough to build the thin layer of rigid x rigid
/// pairs on demand.
/// @param      shape      read during the call only
/// @param      material   copied (a table of moduli is read during the call only)
/// @param[out] out_shape  owned by the caller, release with iso_contact_shape_destroy() after every
///                        query that used it; NULL on error
/// @return ISO_ERR_ARGUMENT, ISO_ERR_GEOMETRY, ISO_ERR_RANGE, ISO_ERR_MEMORY and the readers'
/// errors
ISO_NODISCARD ISO_API iso_status iso_contact_shape_create(iso_context* ctx,
                                                          const iso_shape_desc* shape,
                                                          const iso_contact_material* material,
                                                          iso_contact_shape** out_shape);
/// Release a shape. NULL is allowed.
ISO_API void iso_contact_shape_destroy(iso_context* ctx, iso_contact_shape* shape);

/// True when the shape has no pressure field of its own.
ISO_API bool iso_contact_shape_is_rigid(const iso_contact_shape* shape);
/// True for ISO_SHAPE_HALF_SPACE.
ISO_API bool iso_contact_shape_is_half_space(const iso_contact_shape* shape);
/// True when the boundary encloses a volume (half spaces too): it can carry a thin layer, and
/// distances to it have a sign.
ISO_API bool iso_contact_shape_is_closed(const iso_contact_shape* shape);
/// Bounds in G, margin included [m]; infinite for half spaces.
ISO_API void iso_contact_shape_bounds(const iso_contact_shape* shape, iso_vec3* out_lower,
                                      iso_vec3* out_upper);
/// Contact surface for drawing, in G; owned by the shape. Half spaces: a square patch of the plane.
ISO_API const iso_tri_mesh* iso_contact_shape_surface(const iso_contact_shape* shape);
/// Tetrahedra of the pressure field; 0 for rigid shapes and half spaces.
ISO_API int iso_contact_shape_tet_count(const iso_contact_shape* shape);
/// Characteristic thickness L of the compliant region [m], [Elandt2022] eqs. 5.8, 5.9: what damping
/// and average compliance L / M0 refer to. Half spaces: the slab thickness. 0 when rigid.
ISO_API double iso_contact_shape_thickness(const iso_contact_shape* shape);
/// Largest pressure of the field [Pa]; half spaces: that at the depth of the slab. 0 when rigid.
ISO_API double iso_contact_shape_max_pressure(const iso_contact_shape* shape);

/// Pressure of the shape's field at a point of G.
/// @param[out] out_is_in_field  false outside the field (and always for rigid shapes)
/// @param[out] out_pressure     [Pa]; negative in the margin; 0 outside the field
/// @return ISO_ERR_ARGUMENT, ISO_ERR_NUMERIC (point not finite)
ISO_NODISCARD ISO_API iso_status iso_contact_shape_pressure(const iso_contact_shape* shape,
                                                            iso_vec3 p_g, bool* out_is_in_field,
                                                            double* out_pressure);

/// The point of a shape's surface nearest to a query point.
typedef struct iso_distance {
    double distance;  ///< [m]; negative inside when is_signed
    iso_vec3 nearest; ///< in G [m]
    iso_vec3 normal; ///< unit, in G: the gradient of the distance, out of the shape; on the surface
                     ///< itself its outward normal (averaged by angle at edges and corners)
    int triangle;    ///< of iso_contact_shape_surface() that has the point; -1 for primitives
    bool is_signed;  ///< false for open surfaces: distance >= 0
} iso_distance;

/// Distance from a point to the nominal surface of a shape. Spheres, boxes, cylinders, capsules and
/// half spaces: closed form of the exact shape, not of the tessellation that carries its contact;
/// ellipsoids: to rounding, by iteration. Convex and mesh shapes: exact to the triangles of the
/// skin, convex or not, about O(log n). The sign of closed surfaces comes from the angle-weighted
/// normal of the nearest face, edge or corner; where edges belong to more than two triangles from
/// the winding number (O(n)). The margin does not count. The first call on a mesh builds its search
/// tree; later calls allocate nothing.
/// @return ISO_ERR_ARGUMENT, ISO_ERR_NUMERIC (point not finite), ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_contact_shape_distance(iso_contact_shape* shape, iso_vec3 p_g,
                                                            iso_distance* out_distance);

/// Where a ray meets a shape.
typedef struct iso_ray_hit {
    double distance; ///< from the origin, along the unit direction [m], >= 0
    iso_vec3 point;  ///< in G [m]
    iso_vec3 normal; ///< unit, outward, in G (also when the ray comes from inside)
    int triangle;    ///< of iso_contact_shape_surface(); -1 for primitives
} iso_ray_hit;

/// First point at which a ray meets the nominal surface of a shape, from either side. Primitives:
/// the exact shape. Meshes: watertight, a ray through an edge that two triangles share cannot slip
/// between them. The first call on a mesh builds its search tree.
/// @param      direction_g   any length but zero; normalised here
/// @param      max_distance  [m], >= 0; INFINITY for no limit
/// @param[out] out_is_hit    false: out_hit is zeroed, its triangle -1
/// @return ISO_ERR_ARGUMENT, ISO_ERR_NUMERIC (not finite), ISO_ERR_RANGE (direction, max_distance),
///         ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_contact_shape_ray_cast(iso_contact_shape* shape,
                                                            iso_vec3 origin_g, iso_vec3 direction_g,
                                                            double max_distance, bool* out_is_hit,
                                                            iso_ray_hit* out_hit);

/// Answers questions about pairs of shapes; owns the memory of the answers and its worker threads.
/// Use one query by one thread at a time.
typedef struct iso_query iso_query;

/// How to build a query. Start from iso_query_desc_default().
typedef struct iso_query_desc {
    iso_contact_options options; ///< iso_contact_options_default()
    int thread_count; ///< of iso_query_batch(), and of all queries of two large meshes of
                      ///< tetrahedra; 1 to 256; 1
} iso_query_desc;
/// The values named beside the members.
ISO_API iso_query_desc iso_query_desc_default(void);

/// Create a query.
/// @param      desc       copied; NULL means the default
/// @param[out] out_query  owned by the caller, release with iso_query_destroy(); NULL on error
/// @return ISO_ERR_ARGUMENT, ISO_ERR_RANGE, ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_query_create(iso_context* ctx, const iso_query_desc* desc,
                                                  iso_query** out_query);
/// Release a query, before the shapes it was asked about. NULL is allowed.
ISO_API void iso_query_destroy(iso_query* query);

/// Contact patch of two shapes. Every pair works but two half spaces and two open rigid surfaces.
/// Two rigid shapes meet through a thin layer (options.rigid_layer_*) that the first such query
/// gives to one of them: to a half space, a closed one, the smaller one. Pure: the patch depends on
/// shapes, poses and options only, and a repeated query allocates nothing.
/// @param      x_wa, x_wb  poses of the shapes' frames in W: finite, rotations to 1e-9 (largest
///                         element of r^T r - 1; determinant > 0), coordinates up to 1e12 m
/// @param[out] out_patch   read-only view, in W, valid until the next call with this query;
///                         face_count 0 without contact
/// @return ISO_ERR_ARGUMENT, ISO_ERR_NUMERIC (pose not finite), ISO_ERR_RANGE (no rotation, too
///         far), ISO_ERR_GEOMETRY (a pair that does not work), ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_query_patch(iso_query* query, iso_contact_shape* a,
                                                 const iso_pose* x_wa, iso_contact_shape* b,
                                                 const iso_pose* x_wb, iso_patch* out_patch);

/// What iso_query_wrench() is asked. Start from iso_query_motion_default().
typedef struct iso_query_motion {
    iso_vec3 p_wp;    ///< point P about which twist and wrenches are stated, in W [m]; the origin
    iso_spatial v_ab; ///< of B relative to A: (w_B - w_A [rad/s]; v_B - v_A of the points at P
                      ///< [m/s]), in W; zero
    const iso_contact_material* material_a; ///< damping, friction and adhesion, nothing else of it
                                            ///< is read; NULL: those of the shape
    const iso_contact_material* material_b; ///< as material_a
    bool wants_derivatives;                 ///< fill the matrices of the result; false
} iso_query_motion;
/// The values named beside the members.
ISO_API iso_query_motion iso_query_motion_default(void);

/// The force of a contact and how it changes. Arrays are read-only, valid until the next call with
/// the query. Matrices are row major, rows and columns ordered (rotational; translational), about
/// P, in W. They say how the wrench changes when B moves by the small twist d (rotation vector;
/// displacement of B's point at P) and A rests: f(d) = f - stiffness d; when the twist v_ab grows
/// by d: f(d) = f - damping d. P stays where it is. Exact for the sums that f_bp_w and
/// elastic_f_bp_w are, where those are differentiable (docs/theory/patch_derivatives.md).
typedef struct iso_query_result {
    iso_patch patch;                 ///< as of iso_query_patch()
    iso_spatial f_bp_w;              ///< (moment about P [N m]; force [N]) on B: the continuous law
                                     ///< with damping and friction
    iso_spatial elastic_f_bp_w;      ///< the same of the pressure alone, integrated exactly
    double elastic_energy;           ///< stored in the overlap, by columns along the normal:
                                     ///< iso_query_elastic_energy() is exact [J]
    const iso_vec3* tractions;       ///< [face_count] mean traction on B [Pa]
    const iso_vec3* slip_velocities; ///< [face_count] tangential v_B - v_A [m/s]
    double stiffness[6][6];          ///< of f_bp_w at constant v_ab; zero unless asked for
    double damping[6][6];            ///< of f_bp_w; zero unless asked for
    double elastic_stiffness[6][6];  ///< of elastic_f_bp_w; zero unless asked for
} iso_query_result;

/// Patch, wrench, energy and on request derivatives of one pair at one pose and twist.
/// @return as iso_query_patch(); ISO_ERR_RANGE for a material out of range; ISO_ERR_NUMERIC for a
///         motion that is not finite
ISO_NODISCARD ISO_API iso_status iso_query_wrench(iso_query* query, iso_contact_shape* a,
                                                  const iso_pose* x_wa, iso_contact_shape* b,
                                                  const iso_pose* x_wb,
                                                  const iso_query_motion* motion,
                                                  iso_query_result* out_result);

/// Energy stored in the overlap of two shapes: the work done against the pressures on any way from
/// separation. Exact where it can be, which the result says. The first call for a shape makes what
/// that needs, O(tet_count); later calls cost some five times the patch and allocate nothing.
/// @return as iso_query_patch()
ISO_NODISCARD ISO_API iso_status iso_query_elastic_energy(iso_query* query, iso_contact_shape* a,
                                                          const iso_pose* x_wa,
                                                          iso_contact_shape* b,
                                                          const iso_pose* x_wb,
                                                          iso_elastic_energy* out_energy);

/// A patch in short, in the frame of A. All zero without contact.
typedef struct iso_query_summary {
    int face_count;              ///< 0: no contact
    double area;                 ///< where the pressure is positive [m^2]
    double max_pressure;         ///< [Pa]
    iso_vec3 centroid;           ///< of that area [m]
    iso_vec3 center_of_pressure; ///< [m]
    iso_spatial f_ba_a;          ///< of the pressure alone, exact, on B: (moment about A's origin
                                 ///< [N m]; force [N])
    double elastic_energy;       ///< [J]
} iso_query_summary;

/// Contact of two shapes at many relative poses, over the query's threads. The bits of every
/// summary depend on its pose only, not on the number of threads. A repeated batch allocates
/// nothing.
/// @param      x_ab           [count] poses of B's shape in A's; as in iso_query_patch()
/// @param      count          >= 0
/// @param[out] out_summaries  [count], the caller's; undefined on error
/// @return as iso_query_patch(); the message names the index of the first bad pose
ISO_NODISCARD ISO_API iso_status iso_query_batch(iso_query* query, iso_contact_shape* a,
                                                 iso_contact_shape* b, const iso_pose* x_ab,
                                                 int count, iso_query_summary* out_summaries);

#ifdef __cplusplus
}
#endif
