// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "geometry/search/bvh.h"
#include "geometry/search/distance.h"
#include "isobar/volume.h"

struct iso_volume_body {
    iso_shape_desc shape;   ///< sizes of a primitive; borrows nothing
    bool is_polyhedron;     ///< then the rest is set
    iso_tri_mesh surface;   ///< closed, outward, frame G
    iso_bvh tree;           ///< of its triangles
    iso_distance_tree* far; ///< of its triangles
    iso_vec3 lower, upper;  ///< bounds in G; infinite for half spaces
    double volume;
};

/// Signed distance to the surface, negative inside, and the unit outward normal of the nearest
/// point [m].
double iso_volume_body_distance(const iso_volume_body* body, iso_vec3 p, iso_vec3* out_normal);
