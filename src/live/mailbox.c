// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "live/mailbox.h"

#include "base/core/fail.h"
#include "base/system/clock.h"

#include <string.h>

iso_status iso_live_mailbox_init(iso_live_mailbox* box, iso_context* ctx) {
    memset(box, 0, sizeof *box);
    int error = iso_condvar_init(&box->has_command);
    ISO_REQUIRE(ctx, error == 0, ISO_ERR_MEMORY, "condition variable: %s", strerror(error));
    error = iso_mutex_init(&box->lock);
    if (error != 0) {
        iso_condvar_destroy(&box->has_command);
    }
    ISO_REQUIRE(ctx, error == 0, ISO_ERR_MEMORY, "mutex: %s", strerror(error));
    for (int i = 0; i < ISO_LIVE_SLOT_COUNT; ++i) {
        box->front[i].bytes = iso_bytes_make(ctx);
        box->back[i] = iso_bytes_make(ctx);
    }
    return ISO_OK;
}

void iso_live_mailbox_destroy(iso_live_mailbox* box) {
    for (int i = 0; i < ISO_LIVE_SLOT_COUNT; ++i) {
        iso_bytes_free(&box->front[i].bytes);
        iso_bytes_free(&box->back[i]);
    }
    iso_condvar_destroy(&box->has_command);
    iso_mutex_destroy(&box->lock);
}

iso_bytes* iso_live_mailbox_begin(iso_live_mailbox* box, iso_live_slot slot) {
    static const char headroom[ISO_LIVE_HEADROOM];
    iso_bytes_clear(&box->back[slot]);
    iso_bytes_put(&box->back[slot], headroom, sizeof headroom);
    return &box->back[slot];
}

iso_status iso_live_mailbox_publish(iso_live_mailbox* box, iso_live_slot slot) {
    iso_status status = iso_bytes_status(&box->back[slot]);
    if (status == ISO_OK) {
        iso_mutex_lock(&box->lock);
        iso_bytes last = box->front[slot].bytes;
        box->front[slot] = (iso_live_message){box->back[slot], ++box->number};
        box->back[slot] = last;
        for (int i = 1; i < ISO_LIVE_SLOT_COUNT && slot == ISO_LIVE_SLOT_MODEL; ++i) {
            box->front[i].number = 0;
        }
        iso_mutex_unlock(&box->lock);
    }
    return status;
}

static bool replaces(const iso_live_command* last, const iso_live_command* next) {
    bool is_place = next->kind == ISO_LIVE_DRAG || next->kind == ISO_LIVE_JOINT ||
                    next->kind == ISO_LIVE_ACTUATOR;
    return is_place && last->kind == next->kind && last->index == next->index &&
           last->client == next->client;
}

void iso_live_mailbox_put(iso_live_mailbox* box, const iso_live_command* command) {
    iso_mutex_lock(&box->lock);
    int last =
        (box->queue_first + box->queue_count - 1 + ISO_LIVE_QUEUE_SIZE) % ISO_LIVE_QUEUE_SIZE;
    if (box->queue_count > 0 && replaces(&box->queue[last], command)) {
        box->queue[last] = *command;
    } else if (box->queue_count < ISO_LIVE_QUEUE_SIZE) {
        box->queue[(box->queue_first + box->queue_count++) % ISO_LIVE_QUEUE_SIZE] = *command;
    } else {
        ++box->dropped;
    }
    iso_condvar_signal(&box->has_command);
    iso_mutex_unlock(&box->lock);
}

bool iso_live_mailbox_take(iso_live_mailbox* box, iso_live_command* out_command) {
    iso_mutex_lock(&box->lock);
    bool is_there = box->queue_count > 0;
    if (is_there) {
        *out_command = box->queue[box->queue_first];
        box->queue_first = (box->queue_first + 1) % ISO_LIVE_QUEUE_SIZE;
        --box->queue_count;
    }
    iso_mutex_unlock(&box->lock);
    return is_there;
}

void iso_live_mailbox_wait(iso_live_mailbox* box, double seconds) {
    double end = iso_clock_seconds() + seconds;
    bool has_time = true;
    iso_mutex_lock(&box->lock);
    while (has_time && box->queue_count == 0) {
        has_time = iso_condvar_wait_until(&box->has_command, &box->lock, end);
    }
    iso_mutex_unlock(&box->lock);
}
