// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "surface/faces/pressed_face.h"

/// How a flat face is spread about its centroid: its second moments in its own plane.
typedef struct iso_face_spread {
    iso_vec3 e1, e2;      ///< unit, along the face
    double m11, m12, m22; ///< int x_i x_j dA about the centroid [m^4]
    iso_vec3 corner;      ///< from the centroid to the corner that is farthest [m]
    bool is_triangle;
} iso_face_spread;

/// Of a polygon. The same bits from its other side, and whatever corner it begins with.
/// @param vertices  counter-clockwise about the normal
iso_face_spread iso_face_spread_find(const iso_vec3* vertices, int count, iso_vec3 normal,
                                     iso_vec3 centroid);
/// What a face has left when a part of it is taken away.
/// @param part_area, part_centroid, part  of that part, which lies in the same plane
/// @param whole_*, rest_*                 of the face and of what is left
iso_face_spread iso_face_spread_rest(const iso_face_spread* whole, iso_vec3 whole_centroid,
                                     const iso_face_spread* part, double part_area,
                                     iso_vec3 part_centroid, double rest_area,
                                     iso_vec3 rest_centroid);
/// Four samples, relative to the centroid, which have the area and both moments of the face with a
/// quarter of its area each: on its principal axes, inside of it when it is a triangle or a
/// parallelogram. A triangle of equal sides has no axes, and three corners that are farthest: its
/// samples are the centroid and one towards each corner, whichever comes first.
void iso_face_spread_samples(const iso_face_spread* spread, double area, iso_vec3 out[4]);
