// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// While a callback looks at a world, nobody changes its state under it.

#include "world/state/world_state.h"

#include "base/core/fail.h"

void iso_world_hold(iso_world* world) {
    ++world->lock_count;
}

iso_status iso_world_release(iso_world* world) {
    const char* offence = world->offence;
    world->offence = NULL;
    ISO_REQUIRE(world->ctx, world->lock_count > 0, ISO_ERR_ARGUMENT, "the world is not held");
    --world->lock_count;
    ISO_REQUIRE(world->ctx, offence == NULL, ISO_ERR_ARGUMENT,
                "the world was to be %s while it was held", offence);
    return ISO_OK;
}

iso_status iso_world_check_free(iso_world* world, const char* offence) {
    if (world->lock_count == 0) {
        return ISO_OK;
    }
    world->offence = offence;
    return iso_fail(world->ctx, ISO_ERR_ARGUMENT, __func__,
                    "the world cannot be %s while a controller or another callback looks at it: do "
                    "that between steps",
                    offence);
}
