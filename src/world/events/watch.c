// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// What is looked for in the steps of a world, and the state within the last one.

#include "world/events/watch.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "isobar/names.h"

#include <math.h>
#include <string.h>

iso_watch_desc iso_watch_desc_default(void) {
    return (iso_watch_desc){.with_contacts = true, .with_slip = true, .slip_speed = 1e-3};
}

void iso_watch_free(iso_context* ctx, iso_watch* watch) {
    if (!watch) {
        return;
    }
    for (int i = 0; watch->functions && i < watch->desc.function_count; ++i) {
        iso_free(ctx, (void*)(uintptr_t)watch->functions[i].name);
    }
    for (int i = 0; watch->levels && i < watch->desc.level_count; ++i) {
        iso_free(ctx, (void*)(uintptr_t)watch->levels[i].name);
    }
    iso_free(ctx, watch->functions);
    iso_free(ctx, watch->levels);
    iso_free(ctx, watch->level_places);
    iso_free(ctx, watch->values);
    iso_trace_free(ctx, &watch->trace);
    ISO_ARRAY_FREE(ctx, &watch->events);
    ISO_ARRAY_FREE(ctx, &watch->touching);
    iso_arena_destroy(&watch->arena);
    iso_free(ctx, watch);
}

static iso_status check(iso_context* ctx, const iso_watch_desc* desc) {
    ISO_REQUIRE(ctx, isfinite(desc->slip_speed) && desc->slip_speed > 0.0, ISO_ERR_RANGE,
                "slip_speed is %g m/s, expected finite and > 0", desc->slip_speed);
    ISO_REQUIRE(ctx, desc->function_count >= 0 && (desc->functions || desc->function_count == 0),
                ISO_ERR_ARGUMENT, "%d functions of events without an array", desc->function_count);
    ISO_REQUIRE(ctx, desc->level_count >= 0 && (desc->levels || desc->level_count == 0),
                ISO_ERR_ARGUMENT, "%d levels of events without an array", desc->level_count);
    for (int i = 0; i < desc->function_count; ++i) {
        ISO_REQUIRE(ctx, desc->functions[i].value, ISO_ERR_ARGUMENT,
                    "function %d of events is NULL", i);
    }
    return ISO_OK;
}

static iso_status find_place(const iso_world* world, const iso_event_level* level, int index,
                             int* out_place) {
    iso_context* ctx = world->ctx;
    bool is_joint = level->quantity <= ISO_LEVEL_JOINT_VELOCITY;
    bool is_quantity = *iso_name_of(ISO_NAMES_LEVEL_QUANTITY, (int)level->quantity) != '\0';
    ISO_REQUIRE(ctx, is_quantity && level->of, ISO_ERR_ARGUMENT,
                "level %d of events names no quantity", index);
    ISO_REQUIRE(ctx, isfinite(level->level) && level->direction >= -1 && level->direction <= 1,
                ISO_ERR_RANGE,
                "level %d of events is %g with direction %d, expected finite and -1, 0 or 1", index,
                level->level, level->direction);
    *out_place =
        is_joint ? iso_world_find_joint(world, level->of) : iso_world_find_body(world, level->of);
    ISO_REQUIRE(ctx, *out_place >= 0, ISO_ERR_NOT_FOUND, "level %d of events: there is no %s '%s'",
                index, is_joint ? "joint with one degree of freedom named" : "body named",
                level->of);
    return ISO_OK;
}

static iso_status fill_levels(const iso_world* world, const iso_watch_desc* desc,
                              iso_watch* watch) {
    iso_context* ctx = world->ctx;
    int count = desc->level_count;
    watch->levels = iso_alloc_array(ctx, count, sizeof *watch->levels);
    watch->level_places = iso_alloc_array(ctx, count, sizeof *watch->level_places);
    ISO_REQUIRE(ctx, watch->levels && watch->level_places, ISO_ERR_MEMORY, "%d levels of events",
                count);
    watch->desc.levels = watch->levels;
    watch->desc.level_count = 0;
    for (int i = 0; i < count; ++i) {
        const iso_event_level* level = &desc->levels[i];
        iso_status status = find_place(world, level, i, &watch->level_places[i]);
        if (status != ISO_OK) {
            return status;
        }
        watch->levels[i] = *level;
        watch->levels[i].of = NULL;
        watch->levels[i].name = iso_strdup(ctx, level->name ? level->name : level->of);
        watch->desc.level_count = i + 1;
        ISO_REQUIRE(ctx, watch->levels[i].name, ISO_ERR_MEMORY, "name of a level of events");
    }
    return ISO_OK;
}

static iso_status fill(const iso_world* world, const iso_watch_desc* desc, iso_watch* watch) {
    iso_context* ctx = world->ctx;
    int count = desc->function_count;
    watch->arena.ctx = ctx;
    watch->functions = iso_alloc_array(ctx, count, sizeof *watch->functions);
    watch->values = iso_alloc_array(ctx, count + desc->level_count, sizeof *watch->values);
    ISO_REQUIRE(ctx, watch->functions && watch->values, ISO_ERR_MEMORY, "%d functions of events",
                count);
    watch->desc = *desc;
    watch->desc.functions = watch->functions;
    watch->desc.function_count = 0;
    watch->desc.level_count = 0;
    for (int i = 0; i < count; ++i) {
        const char* name = desc->functions[i].name ? desc->functions[i].name : "";
        watch->functions[i] = desc->functions[i];
        watch->functions[i].name = iso_strdup(ctx, name);
        watch->desc.function_count = i + 1;
        ISO_REQUIRE(ctx, watch->functions[i].name, ISO_ERR_MEMORY, "name of a function of events");
    }
    iso_status status = fill_levels(world, desc, watch);
    return status == ISO_OK ? iso_arena_init(&watch->arena, ctx, 0) : status;
}

iso_status iso_world_watch(iso_world* world, const iso_watch_desc* desc) {
    ISO_REQUIRE(NULL, world != NULL, ISO_ERR_ARGUMENT, "world is required");
    iso_context* ctx = world->ctx;
    iso_watch* watch = NULL;
    iso_status status = iso_world_check_free(world, "watched otherwise");
    if (status == ISO_OK && desc) {
        status = check(ctx, desc);
    }
    if (status == ISO_OK && desc) {
        watch = iso_alloc_zeroed(ctx, sizeof *watch);
        ISO_REQUIRE(ctx, watch, ISO_ERR_MEMORY, "what a world is watched for");
        status = fill(world, desc, watch);
    }
    if (status != ISO_OK) {
        iso_watch_free(ctx, watch);
        return status;
    }
    iso_watch_free(ctx, world->watch);
    world->watch = watch;
    return ISO_OK;
}

void iso_watch_forget(iso_watch* watch) {
    watch->trace.times.count = watch->trace.states.count = watch->events.count = 0;
    watch->is_known = false;
}

int iso_world_event_count(const iso_world* world) {
    return world->watch ? world->watch->events.count : 0;
}

iso_event iso_world_event(const iso_world* world, int index) {
    iso_event none = {.body_a = -1,
                      .body_b = -1,
                      .geometry_name_a = "",
                      .geometry_name_b = "",
                      .function = -1,
                      .function_name = ""};
    bool is_index = index >= 0 && index < iso_world_event_count(world);
    return is_index ? world->watch->events.data[index] : none;
}

// --- within a step -------------------------------------------------------------------------------

static iso_status check_time(const iso_world* world, double time) {
    const iso_watch* watch = world->watch;
    ISO_REQUIRE(world->ctx, watch, ISO_ERR_ARGUMENT,
                "states within a step are kept only while a world is watched");
    int count = watch->trace.times.count;
    ISO_REQUIRE(world->ctx, count > 0, ISO_ERR_ARGUMENT,
                "no step was made since it is watched, or the last one failed");
    const double* times = watch->trace.times.data;
    double slack = 1e-9 * world->desc.time_step;
    ISO_REQUIRE(world->ctx, time >= times[0] - slack && time <= times[count - 1] + slack,
                ISO_ERR_RANGE, "time is %.9g s, expected within the last step, [%.9g, %.9g] s",
                time, times[0], times[count - 1]);
    return ISO_OK;
}

iso_status iso_world_state_within(iso_world* world, double time, double* out_q, double* out_v) {
    ISO_REQUIRE(world ? world->ctx : NULL, world && out_q && out_v, ISO_ERR_ARGUMENT,
                "world, out_q and out_v are required");
    iso_status status = check_time(world, time);
    return status == ISO_OK ? iso_trace_state(&world->watch->trace, &world->multibody, time,
                                              &world->watch->arena, out_q, out_v)
                            : status;
}

iso_status iso_world_place_within(iso_world* world, double time, iso_world* clone) {
    ISO_REQUIRE(world ? world->ctx : NULL, world && clone && clone != world, ISO_ERR_ARGUMENT,
                "world and another one are required");
    ISO_REQUIRE(world->ctx, clone->owners == world->owners, ISO_ERR_ARGUMENT,
                "the other world is not a clone of the first");
    iso_status status = iso_world_check_free(clone, "placed elsewhere");
    if (status == ISO_OK) {
        status = iso_world_state_within(world, time, clone->next_q, clone->next_v);
    }
    if (status != ISO_OK) {
        return status;
    }
    const iso_multibody* multibody = &world->multibody;
    memcpy(clone->q, clone->next_q, (size_t)multibody->q_count * sizeof *clone->q);
    memcpy(clone->v, clone->next_v, (size_t)multibody->v_count * sizeof *clone->v);
    memcpy(clone->motions, world->motions, (size_t)multibody->body_count * sizeof *clone->motions);
    memset(&clone->contact_result, 0, sizeof clone->contact_result);
    clone->has_motion = world->has_motion;
    clone->time = time;
    clone->step_count = world->step_count - 1;
    clone->works = world->works;
    clone->booked_stretch = world->booked_stretch;
    for (int i = 0; i < world->actuator_count; ++i) {
        clone->efforts[i] = world->efforts[i];
    }
    iso_multibody_kinematics(multibody, clone->q, clone->v, &clone->kinematics);
    iso_motions_place(multibody, clone->motions, time - world->time, &clone->kinematics);
    return ISO_OK;
}
