// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "world/watch.h"

/// Box of a geometry.
typedef struct iso_pace_box {
    bool is_watched; ///< neither endless nor without thickness, nor a point
    iso_vec3 center; ///< in B
    iso_vec3 half;   ///< of its sides, axes of G
} iso_pace_box;

/// How far a body may go in a step before anybody need look closer.
typedef struct iso_pace {
    int body, first, count; ///< its geometries
    double reach;           ///< of their centres from the origin of B [m]
    double least;           ///< of their half sides [m]
} iso_pace;

typedef struct iso_paces {
    int count;
    iso_pace* bodies;
    iso_pace_box* boxes; ///< [geometry_count]
} iso_paces;

/// Look the boxes up. Methods that choose their own steps have none.
/// @return ISO_ERR_MEMORY
iso_status iso_world_find_paces(iso_world* world);
void iso_world_free_paces(iso_world* world);

/// After a step: warn, once for each pair, when the middle of a geometry went through the surface
/// of another one that it did not touch before the step. At most one pair a step; its entry of the
/// watch must have room. O(bodies) while all move by less than half their sides, else a sweep over
/// all geometries; without memory for that nothing is said.
void iso_world_watch_paces(iso_world* world);
