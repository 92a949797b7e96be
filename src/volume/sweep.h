// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "volume/solids/body.h"

/// Intersection of two polyhedra, in the frame of A. Exact; the cost follows the pairs of
/// triangles of which one of the lower body lies above one of the upper body.
/// @param x_ab  pose of B in A
void iso_volume_sweep(const iso_volume_body* a, const iso_volume_body* b, const iso_pose* x_ab,
                      iso_volume_metrics* out_metrics);

/// Intersection of a half space A with a polyhedron B, in the frame of A. Exact.
void iso_volume_sweep_plane(const iso_volume_body* b, const iso_pose* x_ab,
                            iso_volume_metrics* out_metrics);
