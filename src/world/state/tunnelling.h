// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "world/passing/passage.h"
#include "world/state/contact_warnings.h"

/// How far a body may go in a step before anybody need look closer.
typedef struct iso_safe_travel {
    int body;
    double reach; ///< of places of its geometries from the origin of B [m]
    double least; ///< of their half sides [m]
} iso_safe_travel;

typedef struct iso_safe_travels {
    int count;
    iso_safe_travel* bodies;
    iso_travel_box* boxes; ///< [geometry_count]
} iso_safe_travels;

/// A piece of time without a stage of its own: a whole step, or one that an error-controlled method
/// accepted.
typedef struct iso_world_span {
    const iso_kinematics* kinematics; ///< at its end
    const iso_kinematics* start;      ///< at its beginning; NULL: as the end has moved
    double time, duration;            ///< its end and its length [s]
    const iso_contact_set* touching;  ///< contacts at the start of the whole step
    const iso_spatial* forces;        ///< [touching->pair_count] of those; NULL: all press
    bool is_free;                     ///< how bodies would have gone on, whatever pressed
} iso_world_span;

/// A geometry that went through another one that did not press on it.
typedef struct iso_tunnelling {
    bool is_found;
    int geometry, other;
    double time, duration; ///< of the span in which it happened [s]
    double length, width;  ///< of the way, and of the geometry along it [m]
} iso_tunnelling;

/// Look the boxes up.
/// @return ISO_ERR_MEMORY
iso_status iso_world_find_safe_travels(iso_world* world);
void iso_world_free_safe_travels(iso_world* world);

/// The first passage of a span of which nothing was said yet. O(bodies) while all move by less than
/// half their sides, else a sweep over all geometries; without memory for that none is found.
iso_tunnelling iso_world_find_tunnelling(iso_world* world, const iso_world_span* span);
/// That of the last whole step, whose start the world still has.
iso_tunnelling iso_world_find_step_tunnelling(iso_world* world);
/// Warn of it, once for each pair: the warnings must have room for one more.
void iso_world_warn_of_tunnelling(iso_world* world, const iso_tunnelling* passage);
