// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Where to start walking over contact surfaces, so that no part of one is missed. Theory:
// docs/theory/contact_surface.md, "Where the walk starts".

#include "surface/walk/element_search.h"

/// Pairs of cells among which is one of every part of the surface of equal pressure that has a rim.
/// @param work  to which the work of the search is added, in steps of a descent
/// @return false when fn did
bool iso_seed_rims(const iso_field* field_0, const iso_field* field_1, const iso_pose* x_01,
                   iso_search_part part, iso_seed_fn fn, void* user, long* work);

/// Pairs of cells among which is one of every part of the surface of equal pressure that is closed.
/// Few where p0 - p1 rises along one direction, or where it has few extremes.
/// @param along  unit vector in frame 0: a guess of that direction
/// @param work   to which the work of the search is added, in steps of a descent
/// @return false when fn did or out of memory
bool iso_seed_closed(iso_arena* arena, const iso_field* field_0, const iso_field* field_1,
                     const iso_pose* x_01, iso_vec3 along, iso_seed_fn fn, void* user, long* work);
