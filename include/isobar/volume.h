// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Volumes of interference of two solids and what follows from them. Theory:
// docs/theory/volumetric.md; [Gonthier2007], chapter 4 and appendix A.3.

#include "isobar/geometry.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A solid prepared for volume queries: a copy of its surface with a tree of boxes, or a primitive.
/// Immutable; may be shared by threads.
typedef struct iso_volume_body iso_volume_body;

/// Prepare a solid. Boxes, convex shapes and meshes become polyhedra; the surface must be closed
/// and is oriented outward as for contact. O(n log n) in triangles.
/// @param      shape     copied, with its mesh
/// @param[out] out_body  owned by the caller, release with iso_volume_body_destroy(); NULL on error
/// @return ISO_ERR_ARGUMENT, ISO_ERR_RANGE, ISO_ERR_GEOMETRY (open surface, no volume),
///         ISO_ERR_MEMORY and the errors of iso_tri_mesh_load()
ISO_NODISCARD ISO_API iso_status iso_volume_body_create(iso_context* ctx,
                                                        const iso_shape_desc* shape,
                                                        iso_volume_body** out_body);
/// Release a solid; NULL is allowed.
ISO_API void iso_volume_body_destroy(iso_context* ctx, iso_volume_body* body);
/// Volume of the solid itself [m^3]; INFINITY for half spaces.
ISO_API double iso_volume_body_volume(const iso_volume_body* body);

/// How an interference volume was found.
typedef enum iso_volume_method {
    ISO_VOLUME_POLYHEDRAL, ///< exact sums over clipped faces
    ISO_VOLUME_ANALYTIC,   ///< closed forms and integrals of them along an axis
    ISO_VOLUME_OCTREE,     ///< a stated number of digits, where asked for
} iso_volume_method;

/// Name in lower case, static storage.
ISO_API const char* iso_volume_method_name(iso_volume_method method);

/// Settings of a query. Start from iso_volume_settings_default().
typedef struct iso_volume_settings {
    bool by_octree; ///< by distances alone, whatever the pair: a check of all other methods
    double digits;  ///< that an octree's volume shall have; in [1, 6]
    int max_depth;  ///< of an octree, in [2, 10]: at most 8^max_depth cells at its skin
} iso_volume_settings;

/// No octree; three digits, depth 8.
ISO_API iso_volume_settings iso_volume_settings_default(void);

/// The intersection of two solids A and B. Axes of the frame that the poses are given in.
typedef struct iso_volume_metrics {
    double volume;     ///< [m^3]; 0: apart or touching, and all below is 0
    iso_vec3 centroid; ///< [m]
    iso_mat3 inertia;  ///< of unit density about the centroid [m^5], [Gonthier2007] (4.36)
    /// Derivative of the volume by a displacement of B: its outward surface in A, as vector
    /// [m^2]. Its negative points from A into B. Where faces of both lie upon each other the volume
    /// has a kink and this is one of its one-sided derivatives.
    iso_vec3 area;
    /// Derivative of the volume by a rotation of B about the centroid [m^3].
    iso_vec3 turn;
    iso_volume_method method;
    int face_count; ///< pieces of surface summed, or octree cells
    /// Relative error of the volume as estimated; 0 for exact methods, whose errors are rounding.
    double error;
} iso_volume_metrics;

/// Volume, centroid and inertia of the intersection of two solids. A pure function, without
/// allocation. Exact for polyhedra, convex or not, with each other; spheres, cylinders, capsules,
/// ellipsoids and half spaces with polyhedra; spheres with spheres, and with these and half
/// spaces. To 1e-7: capsules with half spaces, capsules and cylinders with spheres. To 1e-8:
/// ellipsoids with each other and with spheres, capsules and cylinders; capsules with boxes,
/// capsules and cylinders; cylinders with cylinders. These are all pairs: worlds never need
/// octrees.
/// @param x_wa, x_wb  poses of the shapes' frames in any common frame W, rigid
/// @param settings    NULL: the default
/// @return ISO_ERR_ARGUMENT, ISO_ERR_RANGE (a pose, a setting), ISO_ERR_UNSUPPORTED (two half
///         spaces), ISO_ERR_NO_CONVERGENCE (an octree of that depth, or of as many cells as are
///         allowed, has fewer digits; the metrics are set and error says how many)
ISO_NODISCARD ISO_API iso_status iso_volume_intersect(
    iso_context* ctx, const iso_volume_body* a, const iso_pose* x_wa, const iso_volume_body* b,
    const iso_pose* x_wb, const iso_volume_settings* settings, iso_volume_metrics* out_metrics);

/// Add the volume of a cell to that of others, so that a body cut into cells has one volume, one
/// normal and one force, however it is cut. Cells of one body do not overlap.
/// @param[in,out] sum  zero at first
ISO_API void iso_volume_join(iso_volume_metrics* sum, const iso_volume_metrics* cell);

/// How well the inertia of a volume tells the contact normal.
typedef enum iso_volume_normal_status {
    ISO_VOLUME_NORMAL_FOUND,     ///< a simple eigenvalue, its vector near the guess
    ISO_VOLUME_NORMAL_PLANE,     ///< any vector of a plane (rod): the guess, projected on it
    ISO_VOLUME_NORMAL_ISOTROPIC, ///< any vector (cube, ball): the guess itself
    ISO_VOLUME_NORMAL_AMBIGUOUS, ///< the guess lies between eigenvectors: the nearest, by little
    ISO_VOLUME_NORMAL_NONE,      ///< no volume or no guess; the normal is zero
} iso_volume_normal_status;

/// Name in lower case, static storage.
ISO_API const char* iso_volume_normal_status_name(iso_volume_normal_status status);

/// The contact normal of a volume.
typedef struct iso_volume_normal {
    iso_vec3 direction; ///< unit, from A into B
    iso_volume_normal_status status;
    double cosine;     ///< of the angle to the guess, in [0, 1]
    double separation; ///< least distance of its eigenvalue to others, relative to the largest
    double gyration;   ///< radius of gyration about the normal [m], [Gonthier2007] (4.201)
    int iterations;
} iso_volume_normal;

/// The contact normal: the principal axis of the volume nearest to a guess, by inverse iteration
/// with a shift ([Gonthier2007], A.3; docs/theory/volumetric.md tells why a shift). The guess is
/// minus metrics->area, mixed with the normal before by the weight 0.95 where there is one.
/// @param previous  normal of the step before, unit; zero at first contact
/// @return the normal; never fails, its status tells how it was determined
ISO_API iso_volume_normal iso_volume_find_normal(const iso_volume_metrics* metrics,
                                                 iso_vec3 previous);

#ifdef __cplusplus
}
#endif
