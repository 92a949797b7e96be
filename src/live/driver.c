// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/fail.h"
#include "base/system/clock.h"
#include "isobar/state.h"
#include "live/live_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double k_slowest = 1e-3, k_fastest = 100.0; // speed
static const double k_behind = 0.1;    // wall time after which what was missed is given up [s]
static const double k_rate_span = 0.5; // over which the speed reached is measured [s]

static void anchor(iso_live* live, double now) {
    live->clock.anchor_wall = live->clock.rate_wall = now;
    live->clock.anchor_time = live->clock.rate_time = iso_world_time(live->world);
}

// What the world or a page's wish came to: a failure is told, and pauses.
static void tell(iso_live* live, iso_status status, bool pauses) {
    if (status != ISO_OK) {
        iso_live_notify(live, iso_context_error(live->ctx));
        if (pauses) {
            iso_live_set_playing(live, false);
            live->clock.steps_left = 0;
        }
    }
}

static iso_status set_holds(iso_live* live) {
    for (int i = 0; i < iso_world_actuator_count(live->world); ++i) {
        if (live->holds[i].is_on) {
            iso_actuation told = iso_world_actuation(live->world, i);
            if (iso_live_takes_position(live->world, i)) {
                told.position = live->holds[i].value;
                told.velocity = 0.0;
            } else {
                told.feed_forward = live->holds[i].value;
            }
            iso_status status = iso_world_set_actuation(live->world, i, &told);
            if (status != ISO_OK) {
                return status;
            }
        }
    }
    return ISO_OK;
}

// As iso_task_step(), with what pages hold between the task and the step.
static iso_status step(iso_live* live) {
    iso_world* world = live->world;
    iso_status status = ISO_OK;
    bool was_over = iso_task_is_over(live->task, world);
    if (live->task != NULL) {
        ISO_TRY(iso_task_apply(live->task, world));
    }
    ISO_TRY(set_holds(live));
    ISO_TRY(iso_live_drag_apply(&live->drags, world));
    ISO_TRY(iso_world_step(world));
    if (live->task != NULL) {
        ISO_TRY(iso_task_observe(live->task, world));
    }
    if (!was_over && iso_task_is_over(live->task, world)) { // who plays on goes beyond the end
        iso_live_set_playing(live, false);
        iso_live_notify(live, "the scene's run ends here");
    }

done:
    live->is_dirty = true;
    return status;
}

static iso_status reset(iso_live* live) {
    iso_status status = iso_world_restore(live->world, live->start, live->start_size);
    if (status == ISO_OK) {
        memset(live->holds, 0, (size_t)iso_world_actuator_count(live->world) * sizeof *live->holds);
        status = iso_world_update_contacts(live->world);
    }
    live->notice[0] = '\0';
    anchor(live, iso_clock_seconds());
    return status;
}

static iso_status set_joint(iso_live* live, const iso_live_command* command) {
    iso_status status = iso_world_set_joint(live->world, command->index, command->value, 0.0);
    return status == ISO_OK ? iso_world_update_contacts(live->world) : status;
}

static iso_status hold(iso_live* live, const iso_live_command* command, bool is_on) {
    int count = iso_world_actuator_count(live->world);
    ISO_REQUIRE(live->ctx, command->index < count, ISO_ERR_RANGE,
                "actuator index %d, expected in [0, %d)", command->index, count);
    live->holds[command->index] = (iso_live_hold){is_on, command->value};
    return is_on ? set_holds(live) : ISO_OK;
}

static void set_speed(iso_live* live, double speed) {
    live->clock.speed = fmin(fmax(speed, k_slowest), k_fastest);
    anchor(live, iso_clock_seconds());
}

static void ask(iso_live_request* request, iso_live_request_kind kind, const char* setting) {
    request->kind = kind;
    (void)snprintf(request->setting, sizeof request->setting, "%s", setting);
}

static void obey(iso_live* live, const iso_live_command* command, iso_live_request* request) {
    iso_status status = ISO_OK;
    switch (command->kind) {
    case ISO_LIVE_PLAY:
    case ISO_LIVE_PAUSE:
        live->notice[0] = '\0';
        iso_live_set_playing(live, command->kind == ISO_LIVE_PLAY);
        live->clock.steps_left = 0;
        break;
    case ISO_LIVE_STEP:
        iso_live_set_playing(live, false);
        live->clock.steps_left = command->count;
        break;
    case ISO_LIVE_SPEED:
        set_speed(live, command->value);
        break;
    case ISO_LIVE_RESET:
        status = reset(live);
        break;
    case ISO_LIVE_DRAG:
        (void)iso_live_drag_set(&live->drags, live->world, command->client, command->index,
                                command->at, command->to);
        break;
    case ISO_LIVE_RELEASE:
        iso_live_drag_release(&live->drags, command->client);
        break;
    case ISO_LIVE_JOINT:
        status = set_joint(live, command);
        break;
    case ISO_LIVE_ACTUATOR:
    case ISO_LIVE_FREE:
        status = hold(live, command, command->kind == ISO_LIVE_ACTUATOR);
        break;
    case ISO_LIVE_SET:
        if (live->desc.takes_settings) {
            ask(request, ISO_LIVE_REQUEST_SET, command->text);
        }
        break;
    case ISO_LIVE_RELOAD:
        ask(request, ISO_LIVE_REQUEST_RELOAD, "");
        break;
    }
    live->is_dirty = live->is_awaited = true;
    tell(live, status, false);
}

static bool obey_all(iso_live* live, iso_live_request* request) {
    iso_live_command command;
    while (request->kind == ISO_LIVE_REQUEST_NONE && iso_live_mailbox_take(&live->box, &command)) {
        obey(live, &command, request);
    }
    return request->kind == ISO_LIVE_REQUEST_NONE;
}

static void measure_rate(iso_live* live, double now) {
    iso_live_clock* clock = &live->clock;
    if (now - clock->rate_wall >= k_rate_span) {
        double time = iso_world_time(live->world);
        clock->rate = (time - clock->rate_time) / (now - clock->rate_wall);
        clock->rate_wall = now;
        clock->rate_time = time;
    }
}

// Wall time at which the next step is due [s]; INFINITY while it is paused.
static double next_step(const iso_live* live) {
    const iso_live_clock* clock = &live->clock;
    if (clock->steps_left > 0) {
        return 0.0;
    }
    double ahead = iso_world_time(live->world) - clock->anchor_time;
    return clock->is_playing ? clock->anchor_wall + ahead / clock->speed : INFINITY;
}

// Steps that are due, at most until then; a world that cannot keep up runs slower.
static void catch_up(iso_live* live, double until) {
    double now = iso_clock_seconds();
    while (now < until && next_step(live) <= now) {
        bool is_asked = live->clock.steps_left > 0;
        tell(live, step(live), true);
        live->clock.steps_left -= live->clock.steps_left > 0 ? 1 : 0;
        live->is_awaited |= is_asked && live->clock.steps_left == 0;
        now = iso_clock_seconds();
    }
    measure_rate(live, now);
    if (live->clock.is_playing && now - next_step(live) > k_behind) {
        live->clock.anchor_wall = now;
        live->clock.anchor_time = iso_world_time(live->world);
    }
}

static iso_status send_if_due(iso_live* live, double now) {
    iso_live_clock* clock = &live->clock;
    bool is_due = now >= clock->next_frame || (live->is_awaited && clock->steps_left == 0);
    if (!live->is_dirty || !is_due) {
        return ISO_OK;
    }
    live->is_dirty = live->is_awaited = false;
    double period = 1.0 / live->desc.frame_rate;
    clock->next_frame = fmax(clock->next_frame + period, now + 0.5 * period);
    return iso_live_send_frame(live);
}

static iso_status check(iso_live* live) {
    ISO_REQUIRE(live ? live->ctx : NULL, live && live->world, ISO_ERR_ARGUMENT,
                "no world is shown: call iso_live_show()");
    return ISO_OK;
}

iso_status iso_live_run(iso_live* live, double seconds, iso_live_request* out_request) {
    iso_live_request request = {0};
    iso_status status = check(live);
    if (status != ISO_OK) {
        return status;
    }
    ISO_REQUIRE(live->ctx, seconds >= 0.0 && seconds <= 1e9, ISO_ERR_RANGE,
                "seconds are %g, expected 0 to 1e9", seconds);
    double end = iso_clock_seconds() + seconds;
    for (;;) {
        if (!obey_all(live, &request) && out_request != NULL) {
            break;
        }
        request.kind = ISO_LIVE_REQUEST_NONE;
        double now = iso_clock_seconds();
        catch_up(live, fmin(fmax(live->clock.next_frame, now + 1e-3), fmax(end, now + 1e-3)));
        now = iso_clock_seconds();
        ISO_TRY(send_if_due(live, now));
        now = iso_clock_seconds();
        if (now >= end) {
            break;
        }
        double wake = fmin(end, next_step(live));
        wake = live->is_dirty ? fmin(wake, live->clock.next_frame) : wake;
        if (wake > now) {
            iso_live_mailbox_wait(&live->box, wake - now);
        }
    }
    if (out_request != NULL) {
        *out_request = request;
    }

done:
    return status;
}

iso_status iso_live_update(iso_live* live) {
    iso_live_request ignored = {0};
    iso_status status = check(live);
    if (status != ISO_OK) {
        return status;
    }
    while (!obey_all(live, &ignored)) {
        ignored.kind = ISO_LIVE_REQUEST_NONE;
    }
    ISO_TRY(set_holds(live));
    ISO_TRY(iso_live_drag_apply(&live->drags, live->world));
    live->is_dirty = true;
    ISO_TRY(send_if_due(live, iso_clock_seconds()));

done:
    return status;
}
