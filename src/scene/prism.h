// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "scene/build.h"

#define ISO_PRISM_MOST_POINTS 1000

/// The closed surface of a prism from z = 0 to z = height over a simple polygon, of the arena.
/// @param points  [count] x and y [m], either way round; z is not looked at. Reordered.
/// @return ISO_ERR_GEOMETRY: less than three points, no area, or sides that cut each other
iso_status iso_scene_make_prism(iso_scene_build* build, iso_source at, iso_vec3* points, int count,
                                double height, const iso_tri_mesh** out_mesh);
