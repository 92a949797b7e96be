// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/volume.h"

/// Integrals over a volume about a reference point, and over the surface of B in it.
typedef struct iso_volume_moments {
    iso_vec3 reference;
    double volume;
    iso_vec3 first;  ///< integral of x - reference
    iso_mat3 second; ///< of (x - reference)(x - reference)^T; both triangles when finished
    iso_vec3 area;   ///< of the outward normal of B over its surface in A
    iso_vec3 turn;   ///< of (x - reference) x normal, there
    int face_count;
} iso_volume_moments;

/// A corner of a flat piece of surface and the height of the column of volume that stands on it
/// along z.
typedef struct iso_column_corner {
    iso_vec3 p;
    double height; ///< >= 0
} iso_column_corner;

/// Add sign times the columns over a convex polygon; the integrals are exact, of degree 3. The sign
/// of a polygon's projection multiplies in: positive counter-clockwise seen against z. Its own
/// surface is added times area_sign.
void iso_volume_add_columns(iso_volume_moments* m, const iso_column_corner* corners,
                            int corner_count, double sign, double area_sign);

/// Metrics in the frame W of x_wf from moments in F; those of a volume <= 0 are zero.
void iso_volume_finish(const iso_volume_moments* m, const iso_pose* x_wf, iso_volume_method method,
                       iso_volume_metrics* out_metrics);

/// Metrics in the frame W of x_wf from those in F.
void iso_volume_move(const iso_pose* x_wf, iso_volume_metrics* metrics);

/// The same volume with the roles of the bodies exchanged: the surface of a volume is closed.
static inline void iso_volume_exchange(iso_volume_metrics* metrics) {
    metrics->area = iso_vec3_neg(metrics->area);
    metrics->turn = iso_vec3_neg(metrics->turn);
}
