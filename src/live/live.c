// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/core/text.h"
#include "base/system/clock.h"
#include "base/system/host.h"
#include "isobar/state.h"
#include "live/live_parts.h"
#include "record/frames/snapshot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DATA_TOKEN "@@ISOBAR_DATA@@"
#define DATA "{\"format\":\"isobar-live-1\"}"

iso_live_desc iso_live_desc_default(void) {
    return (iso_live_desc){.host = "127.0.0.1", .frame_rate = 60.0, .client_limit = 16};
}

static iso_status check(iso_context* ctx, const iso_live_desc* desc) {
    uint32_t address;
    ISO_REQUIRE(ctx, desc->page && desc->page_size > 0, ISO_ERR_ARGUMENT,
                "page is empty, expected the viewer's HTML");
    ISO_REQUIRE(ctx, desc->host && iso_address_is_ipv4(desc->host, &address), ISO_ERR_RANGE,
                "host is '%s', expected an IPv4 address", desc->host ? desc->host : "");
    ISO_REQUIRE(ctx, desc->port >= 0 && desc->port <= 65535, ISO_ERR_RANGE,
                "port is %d, expected 0 to 65535", desc->port);
    ISO_REQUIRE(ctx, !desc->token || iso_live_is_token(desc->token), ISO_ERR_RANGE,
                "token is not of 8 to 64 letters, digits, '-' or '_'");
    ISO_REQUIRE(ctx, desc->frame_rate >= 1.0 && desc->frame_rate <= 240.0, ISO_ERR_RANGE,
                "frame_rate is %g Hz, expected 1 to 240", desc->frame_rate);
    ISO_REQUIRE(ctx, desc->client_limit >= 1 && desc->client_limit <= 64, ISO_ERR_RANGE,
                "client_limit is %d, expected 1 to 64", desc->client_limit);
    return ISO_OK;
}

// The page with the mark of a live view in the place of a recording.
static iso_status make_page(iso_live* live, const iso_live_desc* desc) {
    size_t length = strlen(DATA_TOKEN);
    const char* token = NULL;
    for (size_t i = 0; i + length <= desc->page_size && token == NULL; ++i) {
        token = memcmp(desc->page + i, DATA_TOKEN, length) == 0 ? desc->page + i : NULL;
    }
    ISO_REQUIRE(live->ctx, token, ISO_ERR_ARGUMENT, "the page does not hold the token %s",
                DATA_TOKEN);
    size_t before = (size_t)(token - desc->page);
    size_t after = desc->page_size - before - length;
    live->page_size = before + strlen(DATA) + after;
    live->page = iso_alloc(live->ctx, live->page_size);
    ISO_REQUIRE(live->ctx, live->page, ISO_ERR_MEMORY, "page of %zu bytes", live->page_size);
    memcpy(live->page, desc->page, before);
    memcpy(live->page + before, DATA, strlen(DATA));
    memcpy(live->page + before + strlen(DATA), token + length, after);
    return ISO_OK;
}

static iso_status set_access(iso_live* live, const iso_live_desc* desc) {
    iso_live_access* access = &live->access;
    access->port = desc->port;
    (void)snprintf(access->host, sizeof access->host, "%s", desc->host);
    if (desc->token) {
        (void)snprintf(access->token, sizeof access->token, "%s", desc->token);
        return ISO_OK;
    }
    ISO_REQUIRE(live->ctx, iso_live_make_token(access->token), ISO_ERR_IO,
                "the system has no random numbers for a token");
    return ISO_OK;
}

static void release(iso_live* live) {
    iso_context* ctx = live->ctx;
    iso_live_mailbox_destroy(&live->box);
    iso_pair_list_free(&live->pairs);
    iso_arena_destroy(&live->model_arena);
    iso_arena_destroy(&live->frame_arena);
    iso_free(ctx, live->holds);
    iso_free(ctx, live->start);
    iso_free(ctx, live->scene_name);
    iso_free(ctx, live->page);
    iso_free(ctx, live);
}

iso_status iso_live_create(iso_context* ctx, const iso_live_desc* desc, iso_live** out_live) {
    ISO_REQUIRE(ctx, desc && out_live, ISO_ERR_ARGUMENT, "desc and out_live are required");
    *out_live = NULL;
    iso_status status = check(ctx, desc);
    iso_live* live = status == ISO_OK ? iso_alloc_zeroed(ctx, sizeof *live) : NULL;
    if (status != ISO_OK) {
        return status;
    }
    ISO_REQUIRE(ctx, live, ISO_ERR_MEMORY, "live view");
    status = iso_live_mailbox_init(&live->box, ctx);
    if (status != ISO_OK) {
        iso_free(ctx, live);
        return status;
    }
    live->ctx = ctx;
    live->desc = *desc;
    live->clock.speed = 1.0;
    live->pairs = iso_pair_list_make(ctx);
    ISO_TRY(iso_arena_init(&live->model_arena, ctx, 0));
    ISO_TRY(iso_arena_init(&live->frame_arena, ctx, 0));
    ISO_TRY(make_page(live, desc));
    ISO_TRY(set_access(live, desc));
    ISO_TRY(iso_live_server_start(ctx, &live->access, desc->client_limit, live->page,
                                  live->page_size, &live->box, &live->server));
    // Who listens on all addresses is reached by this one too.
    const char* shown = strcmp(live->access.host, "0.0.0.0") == 0 ? "127.0.0.1" : live->access.host;
    (void)snprintf(live->url, sizeof live->url, "http://%s:%d/?token=%s", shown, live->access.port,
                   live->access.token);
    *out_live = live;

done:
    if (status != ISO_OK) {
        release(live);
    }
    return status;
}

void iso_live_destroy(iso_live* live) {
    if (live != NULL) {
        iso_live_server_stop(live->server);
        release(live);
    }
}

const char* iso_live_url(const iso_live* live) {
    return live ? live->url : "";
}

int iso_live_client_count(const iso_live* live) {
    if (live == NULL) {
        return 0;
    }
    iso_live_mailbox* box = (iso_live_mailbox*)(uintptr_t)&live->box;
    iso_mutex_lock(&box->lock);
    int count = box->client_count;
    iso_mutex_unlock(&box->lock);
    return count;
}

// What "reset" returns to, and the room that goes with the number of actuators.
static iso_status keep_start(iso_live* live, iso_world* world) {
    iso_context* ctx = live->ctx;
    size_t size = iso_world_state_size(world);
    int actuators = iso_world_actuator_count(world);
    void* start = iso_alloc(ctx, size);
    iso_live_hold* holds = iso_alloc_array(ctx, actuators + 1, sizeof *holds);
    iso_status status = ISO_OK;
    ISO_CHECK(ctx, start && holds, ISO_ERR_MEMORY, "state of %zu bytes", size);
    ISO_TRY(iso_world_save(world, start, size, &live->start_size));
    memset(holds, 0, (size_t)(actuators + 1) * sizeof *holds);
    iso_free(ctx, live->start);
    iso_free(ctx, live->holds);
    live->start = start;
    live->holds = holds;
    return ISO_OK;

done:
    iso_free(ctx, start);
    iso_free(ctx, holds);
    return status;
}

iso_status iso_live_show(iso_live* live, const char* scene_name, iso_world* world,
                         const iso_task* task, iso_sensors* sensors) {
    ISO_REQUIRE(live ? live->ctx : NULL, live && world, ISO_ERR_ARGUMENT,
                "live and world are required");
    const char* name = scene_name ? scene_name : "";
    ISO_REQUIRE(live->ctx, iso_text_is_utf8(name), ISO_ERR_ARGUMENT, "scene_name is not UTF-8");
    iso_status status = ISO_OK;
    char* copy = iso_strdup(live->ctx, name);
    live->world = NULL; // until all of it is there
    ISO_CHECK(live->ctx, copy, ISO_ERR_MEMORY, "scene_name");
    iso_free(live->ctx, live->scene_name);
    live->scene_name = copy;
    ISO_TRY(keep_start(live, world));
    ISO_TRY(iso_arena_reset(&live->model_arena));
    ISO_TRY(iso_world_describe(&live->model_arena, world, copy, &live->model));
    ISO_TRY(iso_sensors_describe(&live->model_arena, world, sensors, &live->model));
    ISO_TRY(iso_world_update_contacts(world));
    iso_pair_list_free(&live->pairs);
    live->pairs = iso_pair_list_make(live->ctx);
    live->drags = (iso_live_drags){0};
    live->clock = (iso_live_clock){.speed = live->clock.speed};
    live->world = world;
    live->task = task;
    live->sensors = sensors;
    ISO_TRY(iso_live_send_model(live));
    ISO_TRY(iso_live_send_frame(live));

done:
    live->world = status == ISO_OK ? world : NULL;
    return status;
}

void iso_live_set_playing(iso_live* live, bool is_playing) {
    if (live != NULL && live->world != NULL) {
        live->clock.is_playing = is_playing;
        live->clock.anchor_wall = live->clock.rate_wall = iso_clock_seconds();
        live->clock.anchor_time = live->clock.rate_time = iso_world_time(live->world);
        live->clock.rate = is_playing ? live->clock.rate : 0.0;
        live->is_dirty = live->is_awaited = true;
    }
}

bool iso_live_is_playing(const iso_live* live) {
    return live != NULL && live->clock.is_playing;
}

void iso_live_notify(iso_live* live, const char* text) {
    if (live != NULL) {
        (void)snprintf(live->notice, sizeof live->notice, "%s", text ? text : "");
        // A character that is cut in two would not be UTF-8.
        for (size_t i = strlen(live->notice); i > 0 && !iso_text_is_utf8(live->notice);) {
            live->notice[--i] = '\0';
        }
        live->is_dirty = live->is_awaited = true;
    }
}
