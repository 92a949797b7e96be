// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "surface/walk/trace_seeds.h"

/// Pairs of cells in which the surface of equal pressure crosses the half line from a point along
/// a direction, both in frame 0.
/// @param arena  for scratch, released before fn is called for the first time
/// @return false when fn did or out of memory
bool iso_seed_ray(iso_arena* arena, const iso_field* field_0, const iso_field* field_1,
                  const iso_pose* x_01, iso_vec3 origin, iso_vec3 direction, iso_seed_fn fn,
                  void* user);

/// The same for the segment from a point of cell_0 and cell_1, in frame 1, along a direction up to
/// where it leaves either body for the first time.
/// @param out_is_done  whether it came to that place, away from the point: not from a cell that
/// only
///                     touches the segment, as far as rounding lets it
/// @return false when fn did
bool iso_seed_segment(const iso_field* field_0, const iso_field* field_1, const iso_pose* x_01,
                      int cell_0, int cell_1, iso_vec3 origin, iso_vec3 direction, iso_seed_fn fn,
                      void* user, bool* out_is_done);
