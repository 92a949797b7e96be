// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "isobar/task.h"

#include "base/alloc.h"
#include "base/fail.h"

#include <string.h>

typedef struct task_command {
    int actuator; ///< index in the world
    iso_command_kind kind;
    iso_signal_desc signal; ///< its table is owned
} task_command;

/// Commands sorted by actuator, so that each actuator is set once.
struct iso_task {
    iso_context* ctx;
    int command_count;
    task_command* commands;
};

static double* copy_values(iso_context* ctx, const double* values, int count) {
    double* copy = iso_alloc_array(ctx, count, sizeof *copy);
    if (copy) {
        memcpy(copy, values, (size_t)count * sizeof *copy);
    }
    return copy;
}

static iso_status check_command(iso_context* ctx, const iso_world* world, int index,
                                const iso_command_desc* desc, int* out_actuator) {
    ISO_REQUIRE(ctx, desc->actuator, ISO_ERR_ARGUMENT, "command %d names no actuator", index);
    ISO_REQUIRE(ctx,
                desc->kind == ISO_COMMAND_EFFORT || desc->kind == ISO_COMMAND_POSITION ||
                    desc->kind == ISO_COMMAND_VELOCITY,
                ISO_ERR_ARGUMENT, "command %d is of kind %d, expected 0 to 2", index,
                (int)desc->kind);
    *out_actuator = iso_world_find_actuator(world, desc->actuator);
    ISO_REQUIRE(ctx, *out_actuator >= 0, ISO_ERR_NOT_FOUND, "there is no actuator named '%s'",
                desc->actuator);
    iso_status status = iso_signal_check(ctx, &desc->signal);
    return status == ISO_OK
               ? ISO_OK
               : iso_fail_prefix(ctx, status, "command of actuator '%s'", desc->actuator);
}

static iso_status add_command(const iso_world* world, iso_task* task,
                              const iso_command_desc* desc) {
    iso_context* ctx = task->ctx;
    task_command command = {.kind = desc->kind, .signal = desc->signal};
    iso_status status = check_command(ctx, world, task->command_count, desc, &command.actuator);
    if (status != ISO_OK) {
        return status;
    }
    command.signal.table_times = NULL;
    command.signal.table_values = NULL;
    if (desc->signal.kind == ISO_SIGNAL_TABLE) {
        int count = desc->signal.table_count;
        command.signal.table_times = copy_values(ctx, desc->signal.table_times, count);
        command.signal.table_values = copy_values(ctx, desc->signal.table_values, count);
    }
    // Insert behind the commands of the same actuator.
    int at = task->command_count++;
    for (; at > 0 && task->commands[at - 1].actuator > command.actuator; --at) {
        task->commands[at] = task->commands[at - 1];
    }
    task->commands[at] = command;
    ISO_REQUIRE(ctx,
                desc->signal.kind != ISO_SIGNAL_TABLE ||
                    (command.signal.table_times && command.signal.table_values),
                ISO_ERR_MEMORY, "table of actuator '%s'", desc->actuator);
    return ISO_OK;
}

iso_status iso_task_create(const iso_world* world, const iso_command_desc* commands,
                           int command_count, iso_task** out_task) {
    iso_context* ctx = world ? iso_world_context(world) : NULL;
    ISO_REQUIRE(ctx, world && out_task && command_count >= 0 && (commands || command_count == 0),
                ISO_ERR_ARGUMENT, "world, commands and out_task are required");
    *out_task = NULL;
    iso_task* task = iso_alloc_zeroed(ctx, sizeof *task);
    ISO_REQUIRE(ctx, task, ISO_ERR_MEMORY, "task");
    task->ctx = ctx;
    iso_status status = ISO_OK;
    task->commands = iso_alloc_array(ctx, command_count, sizeof *task->commands);
    ISO_CHECK(ctx, task->commands, ISO_ERR_MEMORY, "%d commands", command_count);
    for (int i = 0; i < command_count; ++i) {
        ISO_TRY(add_command(world, task, &commands[i]));
    }
    *out_task = task;

done:
    if (status != ISO_OK) {
        iso_task_destroy(task);
    }
    return status;
}

void iso_task_destroy(iso_task* task) {
    if (!task) {
        return;
    }
    iso_context* ctx = task->ctx;
    for (int i = 0; i < task->command_count; ++i) {
        iso_free(ctx, (void*)(uintptr_t)task->commands[i].signal.table_times);
        iso_free(ctx, (void*)(uintptr_t)task->commands[i].signal.table_values);
    }
    iso_free(ctx, task->commands);
    iso_free(ctx, task);
}

iso_status iso_task_apply(const iso_task* task, iso_world* world) {
    ISO_REQUIRE(world ? iso_world_context(world) : NULL, task && world, ISO_ERR_ARGUMENT,
                "task and world are required");
    double time = iso_world_time(world);
    for (int first = 0; first < task->command_count;) {
        int actuator = task->commands[first].actuator;
        iso_actuation actuation = {0.0, 0.0, 0.0};
        int i = first;
        for (; i < task->command_count && task->commands[i].actuator == actuator; ++i) {
            double value = iso_signal_eval(&task->commands[i].signal, time);
            switch (task->commands[i].kind) {
            case ISO_COMMAND_EFFORT:
                actuation.feed_forward = value;
                break;
            case ISO_COMMAND_POSITION:
                actuation.position = value;
                break;
            case ISO_COMMAND_VELOCITY:
                actuation.velocity = value;
                break;
            }
        }
        iso_status status = iso_world_set_actuation(world, actuator, &actuation);
        if (status != ISO_OK) {
            return status;
        }
        first = i;
    }
    return ISO_OK;
}
