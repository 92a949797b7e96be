// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// From a clipped slice to a face.

#include "surface/clipping/trace_clip.h"
#include "surface/faces/face_writer.h"

/// Turn the corners of a polygon, (x, y, z, p) in frame 0, into W, and measure it on the way.
/// @param normal      into body 1, in frame 0
/// @param[out] out_v  [ring->count] vertices as a list wants them
/// @param[out] out    unless corners may coincide
/// @return whether two corners that follow each other may be one
__attribute__((always_inline)) static inline bool
iso_ring_measure(const iso_face_list* list, const iso_ring* ring, iso_vec3 normal,
                 double out_v[][4], iso_face_measures* out) {
    out->count = ring->count;
    out->normal = iso_face_turn(list, normal.x, normal.y, normal.z);
    iso_double4 axis = iso_face_area_axis(out->normal);
    iso_double4 last = iso_double4_load(ring->v[iso_ring_at(ring, ring->count - 1)].x);
    int is_close = iso_face_turn_corner(list, ring->v[iso_ring_at(ring, 0)].x, &last, out_v[0]);
    is_close |= iso_face_turn_corner(list, ring->v[iso_ring_at(ring, 1)].x, &last, out_v[1]);
    iso_double4 first = iso_double4_load(out_v[0]), second = iso_double4_load(out_v[1]);
    iso_face_fan fan = iso_face_fan_begin(first, second);
    out->max_pressure = iso_double4_max(first, second);
    for (int i = 2; i < ring->count; ++i) {
        is_close |= iso_face_turn_corner(list, ring->v[iso_ring_at(ring, i)].x, &last, out_v[i]);
        iso_double4 corner = iso_double4_load(out_v[i]);
        out->max_pressure = iso_double4_max(corner, out->max_pressure);
        iso_face_fan_add(&fan, axis, corner);
    }
    if (!is_close) {
        out->twice_area = fan.twice_area;
        out->centroid = iso_face_fan_centroid(&fan);
    }
    return is_close;
}
