// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "isobar/task.h"

#include "task/programs/program.h"
#include "task/sensors/sensors.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/values/hash.h"
#include "task/paths/lookup.h"

#include <math.h>
#include <string.h>

static iso_status check_command(iso_context* ctx, const iso_world* world, int index,
                                const iso_command_desc* desc, int* out_actuator) {
    ISO_REQUIRE(ctx, desc->actuator, ISO_ERR_ARGUMENT, "command %d names no actuator", index);
    ISO_REQUIRE(ctx,
                desc->kind == ISO_COMMAND_EFFORT || desc->kind == ISO_COMMAND_POSITION ||
                    desc->kind == ISO_COMMAND_VELOCITY,
                ISO_ERR_ARGUMENT, "command %d is of kind %d, expected 0 to 2", index,
                (int)desc->kind);
    iso_status status = iso_look_up_actuator(ctx, world, desc->actuator, out_actuator);
    if (status != ISO_OK) {
        return status;
    }
    status = iso_signal_check(ctx, &desc->signal);
    return status == ISO_OK
               ? ISO_OK
               : iso_fail_prefix(ctx, status, "command of actuator '%s'", desc->actuator);
}

static iso_status add_command(const iso_world* world, iso_task* task,
                              const iso_command_desc* desc) {
    iso_context* ctx = task->ctx;
    iso_task_command command = {.kind = desc->kind};
    iso_status status = check_command(ctx, world, task->command_count, desc, &command.actuator);
    if (status != ISO_OK) {
        return status;
    }
    status = iso_signal_copy(ctx, &desc->signal, &command.signal);
    if (status != ISO_OK) {
        return iso_fail_prefix(ctx, status, "command of actuator '%s'", desc->actuator);
    }
    // Insert behind the commands of the same actuator.
    int at = task->command_count++;
    for (; at > 0 && task->commands[at - 1].actuator > command.actuator; --at) {
        task->commands[at] = task->commands[at - 1];
    }
    task->commands[at] = command;
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
    task->number_count = ISO_TASK_HEAD;
    task->scratch = iso_alloc_zeroed(ctx, sizeof *task->scratch);
    ISO_CHECK(ctx, task->scratch, ISO_ERR_MEMORY, "task");
    task->scratch->actuations =
        iso_alloc_array(ctx, iso_world_actuator_count(world), sizeof *task->scratch->actuations);
    ISO_CHECK(ctx, task->scratch->actuations, ISO_ERR_MEMORY, "task");
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

static void free_scratch(iso_context* ctx, iso_task_scratch* s) {
    if (!s) {
        return;
    }
    iso_world_destroy(s->ghost);
    iso_free(ctx, s->q);
    iso_free(ctx, s->v);
    iso_free(ctx, s->jacobian);
    iso_free(ctx, s->vdot);
    iso_free(ctx, s->tau);
    iso_free(ctx, s->passive);
    iso_free(ctx, s->qp);
    iso_free(ctx, s->actuations);
    iso_free(ctx, s);
}

void iso_task_destroy(iso_task* task) {
    if (!task) {
        return;
    }
    iso_context* ctx = task->ctx;
    if (task->scratch && task->scratch->is_controlling) {
        task->scratch->offence = "destroyed";
        (void)iso_fail(ctx, ISO_ERR_ARGUMENT, __func__,
                       "the task cannot be destroyed: its controller is at work");
        return;
    }
    for (int i = 0; i < task->command_count; ++i) {
        iso_signal_free(ctx, &task->commands[i].signal);
    }
    for (int i = 0; i < task->program_count; ++i) {
        iso_program_free(ctx, &task->programs[i]);
    }
    iso_free(ctx, task->programs);
    iso_task_free_forces(task);
    iso_movers_destroy(task->movers);
    free_scratch(ctx, task->scratch);
    iso_free(ctx, task->commands);
    iso_free(ctx, task);
}

void iso_task_set_controller(iso_task* task, iso_controller_fn controller, void* user) {
    task->controller = controller;
    task->controller_user = user;
}

void iso_task_set_sensors(iso_task* task, iso_sensors* sensors) {
    task->sensors = sensors;
}

void iso_task_take_movers(iso_task* task, iso_movers* movers) {
    if (movers != task->movers) {
        iso_movers_destroy(task->movers);
    }
    task->movers = movers;
}

// --- commands ------------------------------------------------------------------------------------

static void add_command_value(iso_command_kind kind, double value, iso_actuation* out) {
    switch (kind) {
    case ISO_COMMAND_EFFORT:
        out->feed_forward = value;
        break;
    case ISO_COMMAND_POSITION:
        out->position = value;
        break;
    case ISO_COMMAND_VELOCITY:
        out->velocity = value;
        break;
    }
}

// Tables lead from one step to the next; a square wave jumps at the start of a step.
static iso_status apply_commands(const iso_task* task, iso_world* world) {
    double time = iso_world_time(world), end = time + iso_world_settings(world)->time_step;
    for (int first = 0; first < task->command_count;) {
        int actuator = task->commands[first].actuator;
        iso_actuation now = {0.0, 0.0, 0.0}, later = {0.0, 0.0, 0.0};
        int i = first;
        for (; i < task->command_count && task->commands[i].actuator == actuator; ++i) {
            const iso_task_command* c = &task->commands[i];
            double value = iso_signal_eval(&c->signal, time);
            add_command_value(c->kind, value, &now);
            add_command_value(
                c->kind, iso_signal_is_table(&c->signal) ? iso_signal_eval(&c->signal, end) : value,
                &later);
        }
        iso_status status = iso_world_set_actuation(world, actuator, &now);
        status =
            status == ISO_OK ? iso_world_lead_actuation(world, actuator, &now, &later) : status;
        if (status != ISO_OK) {
            return status;
        }
        first = i;
    }
    return ISO_OK;
}

// --- programs ------------------------------------------------------------------------------------

// What a state of these programs is recognised by: 32 bits, exact as a double.
static double identity(const iso_task* task) {
    uint64_t hash = ISO_HASH_SEED;
    for (int i = 0; i < task->program_count; ++i) {
        const iso_program* p = &task->programs[i];
        const int counts[] = {p->joint_count, p->stage_count, p->condition_max};
        hash = iso_hash_bytes(hash, p->name, strlen(p->name) + 1);
        hash = iso_hash_bytes(hash, counts, sizeof counts);
    }
    return (double)(uint32_t)(hash ^ hash >> 32);
}

static iso_program_run make_run(const iso_task* task, iso_world* world, double* numbers, int i) {
    const iso_program* program = &task->programs[i];
    return (iso_program_run){.task = task,
                             .program = program,
                             .world = world,
                             .n = iso_program_locate(program, numbers),
                             .time = iso_world_time(world),
                             .time_step = iso_world_settings(world)->time_step};
}

// An error of a program, with the place in a file where that stands.
static iso_status say_where(const iso_task* task, int program, iso_status status) {
    const char* source = task->programs[program].source;
    return status != ISO_OK && source ? iso_fail_prefix(task->ctx, status, "%s", source) : status;
}

// Criteria go on after a step alone, once: before the first one there are no forces to look at. All
// have measured before one goes on, so that their order does not count.
static iso_status measure(const iso_task* task, iso_world* world, bool goes_on, double* numbers) {
    iso_status status = ISO_OK;
    for (int i = 0; i < task->program_count && status == ISO_OK; ++i) {
        iso_program_run run = make_run(task, world, numbers, i);
        status = say_where(task, i, iso_program_measure(&run));
    }
    for (int i = 0; i < task->program_count && goes_on && status == ISO_OK; ++i) {
        iso_program_run run = make_run(task, world, numbers, i);
        if (run.program->joint_count == 0) {
            status = say_where(task, i, iso_program_advance(&run));
        }
    }
    numbers[ISO_TASK_MEASURED] = status == ISO_OK ? (double)iso_world_step_count(world) : -1.0;
    return status;
}

static bool is_state_usable(const iso_task* task, const double* numbers) {
    bool is_good = numbers[ISO_TASK_IDENTITY] == identity(task);
    for (int i = 0; i < task->program_count && is_good; ++i) {
        double step = numbers[task->programs[i].state_index + ISO_PROGRAM_STEP];
        is_good =
            step >= 0.0 && step <= (double)task->programs[i].stage_count && step == floor(step);
    }
    return is_good;
}

iso_status iso_task_find_numbers(const iso_task* task, iso_world* world, double** out_numbers) {
    bool is_new = false;
    double* numbers = NULL;
    iso_status status = iso_world_attach(world, "task", task->number_count, &numbers, &is_new);
    if (status != ISO_OK) {
        return status;
    }
    *out_numbers = numbers;
    if (!is_new && is_state_usable(task, numbers)) {
        return ISO_OK;
    }
    memset(numbers, 0, (size_t)task->number_count * sizeof *numbers);
    numbers[ISO_TASK_MEASURED] = numbers[ISO_TASK_APPLIED] = -1.0;
    if (task->force_count > 0) {
        numbers[task->force_index] = -1.0;
    }
    for (int i = 0; i < task->program_count && status == ISO_OK; ++i) {
        status = say_where(task, i, iso_program_check_conditions(task, &task->programs[i]));
    }
    for (int i = 0; i < task->program_count && status == ISO_OK; ++i) {
        iso_program_run run = make_run(task, world, numbers, i);
        status = say_where(task, i, iso_program_begin(&run));
    }
    numbers[ISO_TASK_IDENTITY] = status == ISO_OK ? identity(task) : -1.0;
    return status;
}

static iso_status apply_programs(const iso_task* task, iso_world* world) {
    double step = (double)iso_world_step_count(world);
    double* numbers = NULL;
    iso_status status = iso_task_find_numbers(task, world, &numbers);
    if (status == ISO_OK && numbers[ISO_TASK_MEASURED] != step) {
        status = measure(task, world, false, numbers);
    }
    bool is_applied = status == ISO_OK && numbers[ISO_TASK_APPLIED] == step;
    for (int i = 0; i < task->program_count && status == ISO_OK && !is_applied; ++i) {
        iso_program_run run = make_run(task, world, numbers, i);
        if (run.program->joint_count > 0) { // others have when they measured
            status = say_where(task, i, iso_program_advance(&run));
        }
    }
    if (status == ISO_OK) {
        numbers[ISO_TASK_APPLIED] = step;
    }
    for (int i = 0; i < task->program_count && status == ISO_OK; ++i) {
        iso_program_run run = make_run(task, world, numbers, i);
        status = say_where(task, i, iso_program_output(&run));
    }
    return status;
}

int iso_task_program_count(const iso_task* task) {
    return task ? task->program_count : 0;
}

iso_program_state iso_task_program(const iso_task* task, const iso_world* world, int program) {
    iso_program_state state = {.name = "", .step_name = ""};
    if (!task || !world || program < 0 || program >= task->program_count) {
        return state;
    }
    const iso_program* p = &task->programs[program];
    int count = 0;
    const double* numbers = iso_world_attachment(world, "task", &count);
    state.name = p->name;
    state.step_name = iso_program_stage_name(p, 0);
    state.is_done = p->stage_count == 0;
    state.is_criterion = p->joint_count == 0;
    if (count != task->number_count || !is_state_usable(task, numbers)) {
        return state; // it has not begun
    }
    const double* head = numbers + p->state_index;
    state.step = (int)head[ISO_PROGRAM_STEP];
    state.step_name = iso_program_stage_name(p, state.step);
    state.step_time = head[ISO_PROGRAM_START];
    state.is_done = state.step == p->stage_count;
    state.position_error = head[ISO_PROGRAM_POSITION_ERROR];
    state.orientation_error = head[ISO_PROGRAM_ORIENTATION_ERROR];
    return state;
}

bool iso_task_is_over(const iso_task* task, const iso_world* world) {
    bool is_over = false;
    for (int i = 0; i < iso_task_program_count(task) && !is_over; ++i) {
        is_over = task->programs[i].desc.ends_run && iso_task_program(task, world, i).is_done;
    }
    return is_over;
}

// --- controller ----------------------------------------------------------------------------------

static iso_status check_controlled(const iso_task* task, const iso_world* world,
                                   const iso_actuation* actuations, int count) {
    for (int i = 0; i < count; ++i) {
        const iso_actuation* a = &actuations[i];
        ISO_REQUIRE(task->ctx,
                    isfinite(a->feed_forward) && isfinite(a->position) && isfinite(a->velocity),
                    ISO_ERR_RANGE,
                    "step %lld at t = %g s: the controller tells actuator '%s' (%g, %g, %g), "
                    "expected finite numbers",
                    (long long)iso_world_step_count(world) + 1, iso_world_time(world),
                    iso_world_actuator_name(world, i), a->feed_forward, a->position, a->velocity);
    }
    return ISO_OK;
}

static iso_status apply_controller(const iso_task* task, iso_world* world) {
    iso_context* ctx = task->ctx;
    iso_actuation* actuations = task->scratch->actuations;
    int count = iso_world_actuator_count(world);
    long long step = (long long)iso_world_step_count(world) + 1;
    for (int i = 0; i < count; ++i) {
        actuations[i] = iso_world_actuation(world, i);
    }
    iso_world_hold(world);
    task->scratch->is_controlling = true;
    task->scratch->offence = NULL;
    iso_status status =
        task->controller(task->controller_user, world, iso_world_time(world), actuations);
    task->scratch->is_controlling = false;
    iso_status release_status = iso_world_release(world);
    if (status == ISO_OK && task->scratch->offence) {
        return iso_fail(ctx, ISO_ERR_ARGUMENT, __func__,
                        "step %lld: the controller went too far: it %s its own task", step,
                        task->scratch->offence);
    }
    if (release_status != ISO_OK) {
        return iso_fail_prefix(ctx, release_status, "step %lld: the controller went too far", step);
    }
    if (status != ISO_OK) {
        return iso_fail(ctx, status, __func__, "step %lld at t = %g s: the controller failed: %s",
                        step, iso_world_time(world), iso_status_text(status));
    }
    status = check_controlled(task, world, actuations, count);
    for (int i = 0; i < count && status == ISO_OK; ++i) {
        iso_actuation told = iso_world_actuation(world, i);
        if (memcmp(&told, &actuations[i], sizeof told) != 0) { // what it leaves keeps its lead
            status = iso_world_set_actuation(world, i, &actuations[i]);
        }
    }
    return status;
}

// --- a step --------------------------------------------------------------------------------------

iso_status iso_task_apply(const iso_task* task, iso_world* world) {
    ISO_REQUIRE(world ? iso_world_context(world) : NULL, task && world, ISO_ERR_ARGUMENT,
                "task and world are required");
    if (task->scratch->is_controlling) {
        task->scratch->offence = "stepped";
        return iso_fail(task->ctx, ISO_ERR_ARGUMENT, __func__,
                        "the world cannot be stepped: the controller of its task is at work");
    }
    iso_status status = task->movers ? iso_movers_apply(task->movers, world) : ISO_OK;
    if (status == ISO_OK) {
        status = apply_commands(task, world);
    }
    if (status == ISO_OK && task->program_count > 0) {
        status = apply_programs(task, world);
    }
    if (status == ISO_OK && task->force_count > 0) {
        status = iso_task_apply_forces(task, world);
    }
    if (status == ISO_OK && task->controller) {
        status = apply_controller(task, world);
    }
    if (status == ISO_OK && iso_sensors_are_new(task->sensors, world)) {
        status = iso_sensors_update(task->sensors, world); // they remember from the start on
    }
    return status;
}

iso_status iso_task_observe(const iso_task* task, iso_world* world) {
    ISO_REQUIRE(world ? iso_world_context(world) : NULL, task && world, ISO_ERR_ARGUMENT,
                "task and world are required");
    double* numbers = NULL;
    iso_status status =
        iso_sensors_have_memory(task->sensors) ? iso_sensors_update(task->sensors, world) : ISO_OK;
    if (status == ISO_OK && task->program_count > 0) {
        status = iso_task_find_numbers(task, world, &numbers);
    }
    if (status != ISO_OK || numbers == NULL) {
        return status;
    }
    bool is_first = numbers[ISO_TASK_MEASURED] != (double)iso_world_step_count(world);
    return measure(task, world, is_first, numbers);
}

iso_status iso_task_step(const iso_task* task, iso_world* world) {
    iso_status status = iso_task_apply(task, world);
    if (status == ISO_OK) {
        status = iso_world_step(world);
    }
    return status == ISO_OK ? iso_task_observe(task, world) : status;
}
