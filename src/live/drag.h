// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/world.h"

enum { ISO_LIVE_DRAG_LIMIT = 8 };

/// A body on a spring between a point of it and the pointer of a page.
typedef struct iso_live_drag {
    int client; ///< 0: free
    int body;
    iso_vec3 at;    ///< end of the spring in the body [m]
    iso_vec3 to;    ///< its other end in the world [m]
    iso_vec3 force; ///< on the body, as last applied [N]
} iso_live_drag;

/// All that are held now.
typedef struct iso_live_drags {
    iso_live_drag drags[ISO_LIVE_DRAG_LIMIT];
} iso_live_drags;

/// Begin, or move the free end of what this page holds. False for a body that cannot move, and
/// when too many are held.
bool iso_live_drag_set(iso_live_drags* drags, const iso_world* world, int client, int body,
                       iso_vec3 at, iso_vec3 to);
/// Let go what a page holds.
void iso_live_drag_release(iso_live_drags* drags, int client);

/// Apply the springs' forces to the next step: m w^2 (to - from) - 2 z m w v at the point, where m
/// is the body's mass, w = 12 rad/s, or less where the time step h is long (w h <= 1/2), z = 0.7;
/// at most 50 times the weight of the body on Earth.
iso_status iso_live_drag_apply(iso_live_drags* drags, iso_world* world);
/// End of the spring at the body [m], in the world.
iso_vec3 iso_live_drag_from(const iso_live_drag* drag, const iso_world* world);
