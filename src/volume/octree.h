// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "volume/solids/body.h"

/// Intersection of any two solids by octrees that deepen until three in a row agree to the digits
/// asked for, or the next would look at too many cells. B is bounded. In the frame of A.
/// @return true when they agree; out_metrics->error is their largest difference
bool iso_volume_octree(const iso_volume_body* a, const iso_volume_body* b, const iso_pose* x_ab,
                       const iso_volume_settings* settings, iso_volume_metrics* out_metrics);
