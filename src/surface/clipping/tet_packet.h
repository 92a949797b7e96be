// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Tetrahedra of body 0 side by side against one of body 1: which of the pairs may have a polygon.
// Frame 0.

#include "field/structure/field.h"
#include "math/lanes_f64_native.h"

/// Tetrahedra of body 0, [...][lane].
typedef struct iso_tet_packet {
    double vertices[4][3][ISO_DOUBLES_LANES];
    double pressures[4][ISO_DOUBLES_LANES];
    double gradient[3][ISO_DOUBLES_LANES];
    double offset[ISO_DOUBLES_LANES];
    double planes[4][4][ISO_DOUBLES_LANES]; ///< [face][component][lane]
} iso_tet_packet;

/// A tetrahedron of body 1, [axis][corner] or [component][face].
typedef struct iso_tet_view {
    double v[3][4];
    double p[4];
    double plane[4][4];
    iso_affine f;
    double low;    ///< lowest pressure [Pa]
    int flat_face; ///< whose three corners have the tetrahedron's lowest pressure, or -1
    int cell;
} iso_tet_view;

/// Make a packet of so many cells, at least 1 and only the first that have lanes; unused lanes
/// repeat the first.
void iso_tet_packet_fill(const iso_field* field, const int* cells, int count, iso_tet_packet* out);

void iso_tet_view_make(const iso_field* field, int cell, const iso_pose* x_01, iso_tet_view* out);

/// Lanes of which a polygon may come.
/// @param noise     pressure that counts as none [Pa]
/// @param farthest  that a polygon may lie from a face to lie in it [m]
/// @param out_differences  p0 - p1 at the corners of the tetrahedra of the packet, zero where it
///                         is noise [corner][lane]; only if there are such lanes
int iso_tet_packet_test(const iso_tet_packet* packet, int lanes, const iso_tet_view* b,
                        double noise, double farthest,
                        double out_differences[4][ISO_DOUBLES_LANES]);
