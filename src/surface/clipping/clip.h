// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Clipping of a convex polygon by up to four half spaces, on fixed arrays. Every vertex carries its
// distances to the four planes, which are interpolated with it and never computed again: so two
// elements that share a plane cut the same polygon into exact complements.

#include "math/lanes_f64x4.h"

/// Room for a polygon whose signs at a plane are rounding noise: 4 vertices grow to at most 6, 9,
/// 13, 19. A true convex polygon reaches 8.
#define ISO_CLIP_VERTICES 20

/// Vertices coincide that are this close along every axis, as a share of the larger body.
#define ISO_CLIP_SAME_SHARE 1e-13

/// Whether two vertices (x, y, z, p) coincide, at most `near` apart along every axis.
static inline bool iso_clip_same_point(iso_double4 a, iso_double4 b, iso_double4 near) {
    iso_double4 apart = iso_double4_abs(iso_double4_sub(a, b));
    return (iso_double4_bits(iso_double4_less_equal(apart, near)) & 7) == 7;
}

typedef struct iso_clip_vertex {
    double x[4]; ///< position [m], then pressure [Pa]
    double d[4]; ///< distance to each plane, positive inside
} iso_clip_vertex;

typedef struct iso_clip_polygon {
    int count;
    iso_clip_vertex v[ISO_CLIP_VERTICES];
} iso_clip_polygon;

/// The edges (from, to) that the zero set of a function crosses, by the signs of the function at
/// the corners. Three edges are made four by a repetition.
typedef struct iso_clip_edges {
    iso_double4_order from, to; ///< corners, for iso_double4_pick()
    unsigned char from_at[4];   ///< the same times 4: where they are in double[4][4]
    unsigned char to_at[4];
    int count; ///< 0, 3 or 4
} iso_clip_edges;

/// Bit i of the index: the function is positive at corner i, where edges start. Counter-clockwise
/// seen from the negative side, the last edge repeated; [1]: backwards, so that the first edge of
/// [0] comes last, and is the one repeated.
extern const iso_clip_edges iso_clip_slices[2][16];

/// Slice of a tetrahedron by the zero set of a function h, affine in it: corner positions and
/// pressures [corner][x, y, z, p] and h at the corners; a corner counts as positive when h > 0. The
/// polygon is counter-clockwise seen from the negative side (its normal points to negative h); d is
/// left unset. Corners are as in iso_tet_mesh (positive volume).
/// @return number of vertices: 0, 3 or 4
int iso_clip_slice_tet(double corners[4][4], const double h[4], iso_clip_polygon* out);

/// Keep what is inside plane `face` (0..3), from `in` to `out`.
void iso_clip_plane(const iso_clip_polygon* in, int face, iso_clip_polygon* out);

/// Keep what is inside all planes. A polygon that lies in a plane within `tolerance` is kept whole
/// or not at all, by bit `face` of `side`. Planes in `skipped` do not clip.
/// @param polygon, spare  work space; the result is in the returned one of the two
/// @return NULL when nothing is left
iso_clip_polygon* iso_clip_planes(iso_clip_polygon* polygon, iso_clip_polygon* spare,
                                  double tolerance, int side, int skipped);

/// Merge neighbours that coincide, as iso_clip_same_point() says. Returns the number of vertices
/// left.
int iso_clip_clean(iso_clip_polygon* polygon, iso_double4 near);
