// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/events.h"
#include "world/events/trace.h"
#include "world/state/world_state.h"

/// Two geometries that press on each other.
typedef struct iso_touch {
    int geometry_a, geometry_b;
    bool slips;
} iso_touch;
typedef struct iso_touch_list {
    iso_touch* touches; ///< ordered as pairs of a contact set
    int count;
} iso_touch_list;

/// What a watched world keeps.
struct iso_watch {
    iso_watch_desc desc;           ///< its functions are a copy
    iso_event_function* functions; ///< names owned
    iso_event_level* levels;       ///< names owned; `of` is no more
    int* level_places;             ///< [level_count] joint or body of each
    iso_trace trace;               ///< of the last step
    ISO_ARRAY(iso_event) events;   ///< of the last step
    ISO_ARRAY(iso_touch) touching; ///< at its end
    double* values;                ///< [function_count + level_count] there
    bool is_known;                 ///< the two are
    iso_arena arena;               ///< of a search
};

/// NULL is allowed.
void iso_watch_free(iso_context* ctx, iso_watch* watch);

/// Before a step: its trace begins at the present state.
iso_status iso_watch_begin(iso_world* world);
/// A substep was accepted.
iso_status iso_watch_add(iso_world* world, double time, const double* q, const double* v);
/// After the last one, before the step is committed: what happened.
/// @param q, v  at the end
iso_status iso_watch_find(iso_world* world, const double* q, const double* v);
/// After a step that failed: nothing happened in it, and it has no states within.
void iso_watch_forget(iso_watch* watch);
