// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "volume/solids/body.h"
#include "volume/solids/moments.h"

/// Closed forms; each frame is that of A.

/// Half space A and a ball B of this centre.
void iso_volume_plane_ball(double radius, iso_vec3 center, iso_volume_metrics* out_metrics);

/// Ball A and a box B of which it meets one face and no edge: that of a half space, with all its
/// digits. False: it is not so.
bool iso_volume_ball_face(double radius, iso_vec3 box_size, const iso_pose* x_ab,
                          iso_volume_metrics* out_metrics);

/// Half space A and an ellipsoid B.
void iso_volume_plane_ellipsoid(iso_vec3 semi_axes, const iso_pose* x_ab,
                                iso_volume_metrics* out_metrics);

/// Half space A, or a ball A of this radius, and a capsule or cylinder B: sections across its axis,
/// circular segments and lenses, by Gauss' rule between the places where they begin and end, in a
/// variable in which they are smooth.
void iso_volume_plane_section(const iso_shape_desc* b, const iso_pose* x_ab,
                              iso_volume_metrics* out_metrics);
void iso_volume_ball_section(double radius, const iso_shape_desc* b, const iso_pose* x_ab,
                             iso_volume_metrics* out_metrics);

/// Balls A, about the origin, and B: a lens of two caps, or the smaller ball.
void iso_volume_ball_ball(double radius_a, double radius_b, iso_vec3 center_b,
                          iso_volume_metrics* out_metrics);

/// Ball or ellipsoid A and polyhedron B. Thin slices of a large ball lose digits: about twice those
/// of the ratio of radius and depth.
void iso_volume_ball_polyhedron(double radius, const iso_volume_body* b, const iso_pose* x_ab,
                                iso_volume_metrics* out_metrics);
void iso_volume_ellipsoid_polyhedron(iso_vec3 semi_axes, const iso_volume_body* b,
                                     const iso_pose* x_ab, iso_volume_metrics* out_metrics);

/// Ellipsoid A and a box B of which it can meet one face alone: that of a half space, with all its
/// digits. False: it is not so.
bool iso_volume_ellipsoid_face(iso_vec3 semi_axes, iso_vec3 box_size, const iso_pose* x_ab,
                               iso_volume_metrics* out_metrics);

/// Cylinder A about the origin, its axis along z, and polyhedron B, by columns along the axis. Area
/// and turn are those of B.
void iso_volume_cylinder_polyhedron(double radius, double length, const iso_volume_body* b,
                                    const iso_pose* x_ab, iso_volume_metrics* out_metrics);

/// Capsule A about the origin, its axis along z, and polyhedron B: cylinder and half balls.
void iso_volume_capsule_polyhedron(double radius, double length, const iso_volume_body* b,
                                   const iso_pose* x_ab, iso_volume_metrics* out_metrics);

/// Half space A and cylinder B, by Gauss' rule in an angle in which the integrand is smooth: exact
/// to rounding.
void iso_volume_plane_cylinder(double radius, double length, const iso_pose* x_ab,
                               iso_volume_metrics* out_metrics);

/// Whether iso_volume_slices() takes a pair: a ball, capsule or cylinder A, and a box, ellipsoid,
/// capsule or cylinder B.
bool iso_volume_has_slices(const iso_shape_desc* a, const iso_shape_desc* b);
/// Such a pair, to 1e-10 of the volume: sections across the axis of A in closed form, integrated
/// between the places where they change their kind. Area and turn are those of B.
/// @param x_fa  the pose of A in the frame F of the result
void iso_volume_slices(const iso_shape_desc* a, const iso_shape_desc* b, const iso_pose* x_ab,
                       const iso_pose* x_fa, iso_volume_metrics* out_metrics);

/// The unit ball about the origin and an ellipsoid whose axes are those of the frame, by sections
/// across z. Area is that of the ball's surface. False: nothing is left of it.
/// @param inside  a point of both, about which the moments are
/// @param[out] out_mixed  integral of (x - inside) normal^T over the ball's surface
bool iso_volume_slice_ball(iso_vec3 semi_axes, iso_vec3 center, iso_vec3 inside,
                           iso_volume_moments* out_moments, iso_mat3* out_mixed);

/// Two ellipsoids, to 1e-8 of the volume: one is scaled to a ball, and the axes are turned into
/// those of the other.
void iso_volume_ellipsoids(iso_vec3 semi_axes_a, iso_vec3 semi_axes_b, const iso_pose* x_ab,
                           iso_volume_metrics* out_metrics);
