// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "geometry/search/bvh.h"
#include "isobar/geometry.h"
#include "math/lanes_f64x4.h"

/// Four triangles side by side, [...][lane], frame G. Unused lanes repeat lane 0.
typedef struct iso_tri_packet {
    double vertices[3][3][ISO_DOUBLE4_LANES]; ///< [m]
    double normal[3][ISO_DOUBLE4_LANES];      ///< unit, outward
} iso_tri_packet;

/// A rigid surface as contact streams through it. Triangles without area are left out.
typedef struct iso_tri_set {
    iso_bvh tree;            ///< elements are triangles of the mesh
    iso_tri_packet* packets; ///< [tree.leaf_count]
    int degenerate_count;    ///< triangles left out
    float longest;           ///< edge of a triangle [m]
    double size;             ///< largest |coordinate| [m]
} iso_tri_set;

/// @return ISO_ERR_GEOMETRY (no triangle with an area), ISO_ERR_NUMERIC, ISO_ERR_MEMORY
iso_status iso_tri_set_create(iso_context* ctx, const iso_tri_mesh* mesh, iso_tri_set* out_set);
/// Index in the mesh of the triangle in a lane of one of the set's packets.
static inline int iso_tri_set_packet_triangle(const iso_tri_set* set, const iso_tri_packet* packet,
                                              int lane) {
    return set->tree.elements[(packet - set->packets) * ISO_BVH_LEAF_SIZE + lane];
}
void iso_tri_set_destroy(iso_context* ctx, iso_tri_set* set);
