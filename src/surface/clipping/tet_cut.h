// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/array.h"
#include "geometry/search/bvh.h"
#include "geometry/search/distance.h"
#include "isobar/geometry.h"

/// A tetrahedron cut out of a tetrahedron of a body. Bit k of `skin`: the face opposite corner k
/// lies on the skin of the body.
typedef struct iso_tet_cut_piece {
    iso_vec3 v[4];
    int skin;
} iso_tet_cut_piece;

typedef ISO_ARRAY(iso_tet_cut_piece) iso_tet_cut_list;

/// Most planes of a convex region.
#define ISO_CARVE_MAX_PLANES 8

/// Where all the functions are positive.
typedef struct iso_tet_cut_region {
    int plane_count;
    iso_affine planes[ISO_CARVE_MAX_PLANES];
} iso_tet_cut_region;

double iso_tet_cut_volume(const iso_tet_cut_piece* piece);

/// Keep the parts of the pieces where a function is positive; where it cuts them is skin.
iso_status iso_tet_cut_keep(iso_context* ctx, iso_tet_cut_list* pieces, iso_affine f,
                            iso_tet_cut_list* spare);

/// Take a convex region away from the pieces of a list. Pieces that the region does not meet stay
/// as they are; the others are cut along its planes.
/// @param spare     work space
/// @param removed   volume taken away is added [m^3]
iso_status iso_tet_cut_convex(iso_context* ctx, iso_tet_cut_list* pieces,
                              const iso_tet_cut_region* region, iso_tet_cut_list* spare,
                              double* removed);

/// A closed surface of triangles in the frame of the pieces, and a tree over it.
typedef struct iso_tet_cut_body {
    iso_tri_mesh mesh;
    iso_distance_tree* tree; ///< NULL where there are no triangles
} iso_tet_cut_body;

/// Take the inside of a closed surface away, which has triangles.
iso_status iso_tet_cut_solid(iso_context* ctx, iso_tet_cut_list* pieces,
                             const iso_tet_cut_body* body, iso_tet_cut_list* spare,
                             double* removed);
