// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "task/programs/program.h"

#include "base/core/fail.h"
#include "base/values/name.h"
#include "task/sensors/sensors.h"

#include <math.h>
#include <string.h>

iso_condition iso_condition_default(void) {
    return (iso_condition){.kind = ISO_CONDITION_TIME};
}

// By kind: the key that makes it, and the unit of what it looks at.
static const struct {
    const char *key, *unit;
} k_kinds[] = {
    [ISO_CONDITION_TIME] = {"time", "s"},
    [ISO_CONDITION_CONTACT_FORCE] = {"contact", "N"},
    [ISO_CONDITION_JOINT_POSITION] = {"position", "rad or m"},
    [ISO_CONDITION_JOINT_SPEED] = {"speed", "rad/s or m/s"},
    [ISO_CONDITION_JOINT_EFFORT] = {"effort", "N m or N"},
    [ISO_CONDITION_CONSTRAINT_FORCE] = {"constraint", "N"},
    [ISO_CONDITION_PROGRAM] = {"program", ""},
    [ISO_CONDITION_SENSOR] = {"sensor", ""},
    [ISO_CONDITION_BODY_X] = {"body_x", "m"},
    [ISO_CONDITION_BODY_Y] = {"body_y", "m"},
    [ISO_CONDITION_BODY_Z] = {"body_z", "m"},
    [ISO_CONDITION_BODY_SPEED] = {"body_speed", "m/s"},
};

static bool is_kind(iso_condition_kind kind) {
    return (int)kind >= 0 && (int)kind < (int)(sizeof k_kinds / sizeof *k_kinds);
}

const char* iso_condition_key(iso_condition_kind kind) {
    return is_kind(kind) ? k_kinds[kind].key : "";
}
const char* iso_condition_unit(iso_condition_kind kind) {
    return is_kind(kind) ? k_kinds[kind].unit : "";
}

const char* iso_program_word(int actuator_count) {
    return actuator_count == 0 ? "criterion" : "program";
}

bool iso_program_is_size(iso_condition_kind kind) {
    return kind == ISO_CONDITION_CONTACT_FORCE || kind == ISO_CONDITION_CONSTRAINT_FORCE ||
           kind == ISO_CONDITION_JOINT_SPEED || kind == ISO_CONDITION_BODY_SPEED;
}

static double contact_force(const iso_world* world, int body_a, int body_b) {
    iso_vec3 sum = iso_vec3_zero();
    for (int i = 0; i < iso_world_contact_count(world); ++i) {
        iso_contact contact = iso_world_contact(world, i);
        bool is_a = contact.body_a == body_a, is_b = contact.body_b == body_a;
        int other = is_a ? contact.body_b : contact.body_a;
        if ((is_a || is_b) && (body_b < 0 || other == body_b)) {
            sum = iso_vec3_add_scaled(sum, contact.f_b_w.translational, is_b ? 1.0 : -1.0);
        }
    }
    return iso_vec3_norm(sum);
}

static double fastest_joint(const iso_program_run* run) {
    double most = 0.0;
    for (int i = 0; i < run->program->joint_count; ++i) {
        most =
            fmax(most, fabs(iso_world_joint_velocity(run->world, run->program->joints[i].joint)));
    }
    return most;
}

static iso_status find_program(const iso_task* task, const iso_condition* condition,
                               const iso_program** out_program) {
    iso_name_list list = ISO_NAME_LIST(task->programs, task->program_count, iso_program, name);
    int index = -1;
    iso_status status = iso_name_list_require(task->ctx, &list, "program", condition->name, &index);
    *out_program = index >= 0 ? &task->programs[index] : NULL;
    return status;
}

static const char* stage_name(const void* program, int index) {
    return iso_program_stage_name(program, index);
}

static iso_status find_stage(const iso_task* task, const iso_program* program, const char* name,
                             int* out_stage) {
    iso_name_list list = {.at = stage_name, .owner = program, .count = program->stage_count};
    iso_status status = iso_name_list_require(task->ctx, &list, "step", name, out_stage);
    return status == ISO_OK
               ? ISO_OK
               : iso_fail_prefix(task->ctx, status, "%s '%s'",
                                 iso_program_word(program->joint_count), program->name);
}

// Steps that a program has finished, or 1 and 0 for one of them.
static iso_status program_progress(const iso_program_run* run, const iso_condition* condition,
                                   double* out_value) {
    const iso_program* other = NULL;
    int stage = 0;
    iso_status status = find_program(run->task, condition, &other);
    if (status != ISO_OK) {
        return status;
    }
    *out_value = iso_program_locate(other, run->n.head - run->program->state_index)
                     .head[ISO_PROGRAM_FINISHED];
    if (condition->other == NULL) {
        return ISO_OK;
    }
    status = find_stage(run->task, other, condition->other, &stage);
    if (status == ISO_OK) {
        bool is_finished = *out_value > (double)stage;
        *out_value = is_finished ? condition->value + 1.0 : condition->value - 1.0;
    }
    return status;
}

static iso_status find_sensor(const iso_task* task, const iso_condition* condition,
                              int* out_sensor) {
    iso_sensors* sensors = task->sensors;
    iso_name_list list = iso_sensors_names(sensors);
    int sensor = -1;
    iso_status status = iso_name_list_require(task->ctx, &list, "sensor", condition->name, &sensor);
    if (status != ISO_OK) {
        return status;
    }
    int count = iso_sensors_value_count(sensors, sensor);
    ISO_REQUIRE(task->ctx, condition->component >= 0 && condition->component < count, ISO_ERR_RANGE,
                "component %d of sensor '%s', expected in [0, %d)", condition->component,
                condition->name, count);
    *out_sensor = sensor;
    return ISO_OK;
}

static iso_status sensor_value(const iso_program_run* run, const iso_condition* condition,
                               double* out_value) {
    iso_sensors* sensors = run->task->sensors;
    int sensor = 0;
    iso_status status = find_sensor(run->task, condition, &sensor);
    if (status == ISO_OK) {
        status = iso_sensors_update(sensors, run->world);
    }
    if (status == ISO_OK) {
        *out_value = iso_sensors_values(sensors, sensor)[condition->component];
    }
    return status;
}

static iso_status measure(const iso_program_run* run, const iso_program_condition* c,
                          double* out_value) {
    const iso_world* world = run->world;
    switch (c->desc.kind) {
    case ISO_CONDITION_TIME:
        *out_value = run->time;
        return ISO_OK;
    case ISO_CONDITION_CONTACT_FORCE:
        *out_value = contact_force(world, c->index, c->other);
        return ISO_OK;
    case ISO_CONDITION_JOINT_POSITION:
        *out_value = iso_world_joint_position(world, c->index);
        return ISO_OK;
    case ISO_CONDITION_JOINT_SPEED:
        *out_value =
            c->index < 0 ? fastest_joint(run) : fabs(iso_world_joint_velocity(world, c->index));
        return ISO_OK;
    case ISO_CONDITION_JOINT_EFFORT:
        *out_value = iso_world_joint_effort(world, c->index);
        return ISO_OK;
    case ISO_CONDITION_CONSTRAINT_FORCE:
        *out_value = iso_vec3_norm(iso_world_constraint(world, c->index).f_b_w.translational);
        return ISO_OK;
    case ISO_CONDITION_BODY_X:
        *out_value = iso_world_body_pose(world, c->index).p.x;
        return ISO_OK;
    case ISO_CONDITION_BODY_Y:
        *out_value = iso_world_body_pose(world, c->index).p.y;
        return ISO_OK;
    case ISO_CONDITION_BODY_Z:
        *out_value = iso_world_body_pose(world, c->index).p.z;
        return ISO_OK;
    case ISO_CONDITION_BODY_SPEED:
        *out_value = iso_vec3_norm(iso_world_body_twist(world, c->index).translational);
        return ISO_OK;
    case ISO_CONDITION_PROGRAM:
        return program_progress(run, &c->desc, out_value);
    case ISO_CONDITION_SENSOR:
        return sensor_value(run, &c->desc, out_value);
    }
    return ISO_OK;
}

iso_status iso_program_measure(const iso_program_run* run) {
    int index = (int)run->n.head[ISO_PROGRAM_STEP];
    if (index >= run->program->stage_count) {
        return ISO_OK;
    }
    const iso_program_stage* stage = &run->program->stages[index];
    for (int i = 0; i < stage->desc.condition_count; ++i) {
        iso_status status = measure(run, &stage->conditions[i], &run->n.measured[i]);
        if (status != ISO_OK) {
            return iso_fail_prefix(run->task->ctx, status, "%s '%s', step '%s'",
                                   iso_program_word(run->program->joint_count), run->program->name,
                                   stage->name);
        }
    }
    return ISO_OK;
}

// Whether a condition of a stage names what is there, as far as only the whole task knows.
static iso_status check(const iso_task* task, const iso_program* program, int stage,
                        const iso_condition* condition) {
    const iso_program* other = NULL;
    int found = 0;
    if (condition->kind == ISO_CONDITION_SENSOR) {
        return find_sensor(task, condition, &found);
    }
    if (condition->kind != ISO_CONDITION_PROGRAM) {
        return ISO_OK;
    }
    iso_status status = find_program(task, condition, &other);
    if (status == ISO_OK && condition->other != NULL) {
        status = find_stage(task, other, condition->other, &found);
    }
    if (status != ISO_OK || condition->other == NULL) {
        return status;
    }
    ISO_REQUIRE(task->ctx, other != program || found < stage, ISO_ERR_ARGUMENT,
                "it waits for step '%s' of itself, which cannot end before", condition->other);
    return ISO_OK;
}

iso_status iso_program_check_conditions(const iso_task* task, const iso_program* program) {
    for (int k = 0; k < program->stage_count; ++k) {
        const iso_program_stage* stage = &program->stages[k];
        for (int i = 0; i < stage->desc.condition_count; ++i) {
            iso_status status = check(task, program, k, &stage->conditions[i].desc);
            if (status != ISO_OK) {
                return iso_fail_prefix(task->ctx, status, "%s '%s', step '%s', condition %d",
                                       iso_program_word(program->joint_count), program->name,
                                       stage->name, i + 1);
            }
        }
    }
    return ISO_OK;
}

bool iso_program_condition_holds(const iso_program_run* run, const iso_program_stage* stage,
                                 int index) {
    const iso_condition* condition = &stage->conditions[index].desc;
    double value = run->n.measured[index];
    bool is_there = value > 0.0 || !iso_program_is_size(condition->kind);
    return condition->is_below ? value < condition->value : value >= condition->value && is_there;
}

bool iso_program_conditions_hold(const iso_program_run* run, const iso_program_stage* stage) {
    bool is_true = true;
    for (int i = 0; i < stage->desc.condition_count; ++i) {
        is_true = is_true && iso_program_condition_holds(run, stage, i);
    }
    return is_true;
}
