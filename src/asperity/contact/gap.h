// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

/// Between which features of two bodies a distance is measured.
typedef enum iso_gap_kind {
    ISO_GAP_POINT_EDGE, ///< in the plane: ends a, b of the edge, then the point
    ISO_GAP_POINT_FACE, ///< in space: corners a, b, c of the face, then the point
    ISO_GAP_EDGE_EDGE,  ///< in space: ends of one edge, then of the other
} iso_gap_kind;

/// Vertices between which a distance is measured.
typedef struct iso_pair {
    iso_gap_kind kind;
    int vertices[4]; ///< 3 of a point and an edge, else 4
} iso_pair;

/// The shortest way r = sum of weights times vertices from one feature to the other. Where its foot
/// lies inside of a feature it moves along with up to two parameters.
typedef struct iso_gap {
    int count;          ///< vertices
    double weights[4];  ///< sum 0; of the first feature negative
    int freedoms;       ///< parameters that the foot has
    double turns[2][4]; ///< derivatives of the weights by them
    double way[3];      ///< r [m]
    double squared;     ///< of its length [m^2]
} iso_gap;

/// Vertices of a kind of pair.
static inline int iso_gap_count(iso_gap_kind kind) {
    return kind == ISO_GAP_POINT_EDGE ? 3 : 4;
}

/// The shortest way at places x.
/// @param dimension  2 or 3
iso_gap iso_gap_measure(int dimension, const iso_pair* pair, const double* x);

/// Derivatives of the squared distance, [count * dimension] [m]: 2 w_i r.
void iso_gap_slope(int dimension, const iso_gap* gap, double* out);

/// Second derivatives of the squared distance, [(count * dimension)^2] row major: those at a fixed
/// foot, less what the foot gains by moving.
void iso_gap_curvature(int dimension, const iso_pair* pair, const iso_gap* gap, const double* x,
                       double* out);

/// Share t in [0, 1] of a motion x + t u at whose end the distance of a pair is at least keep times
/// what it is at first, and on whose way it is at least half of that: additive continuous collision
/// detection ([Li2021] algorithm 1). Never too long but for the rounding of a distance, which is
/// far below the half that is left; may be short where pairs only just miss.
/// @param keep  in (0, 1)
double iso_gap_free_share(int dimension, const iso_pair* pair, const double* x, const double* u,
                          double keep);
