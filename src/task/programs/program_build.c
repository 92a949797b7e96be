// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "task/programs/program.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/core/text.h"
#include "task/paths/lookup.h"

#include <math.h>
#include <string.h>

iso_program_step iso_program_step_default(void) {
    return (iso_program_step){.x_bt = iso_pose_identity(),
                              .x_br = iso_pose_identity(),
                              .position_weight = 1.0,
                              .orientation_weight = 1.0,
                              .timeout = 60.0};
}

iso_program_desc iso_program_desc_default(void) {
    return (iso_program_desc){
        .posture_rate = 1.0, .position_tolerance = 0.01, .orientation_tolerance = 0.05};
}

void iso_program_free(iso_context* ctx, iso_program* program) {
    for (int i = 0; i < program->stage_count; ++i) {
        iso_program_stage* stage = &program->stages[i];
        for (int k = 0; stage->conditions != NULL && k < stage->desc.condition_count; ++k) {
            iso_free(ctx, (void*)(uintptr_t)stage->conditions[k].desc.name);
            iso_free(ctx, (void*)(uintptr_t)stage->conditions[k].desc.other);
        }
        iso_free(ctx, stage->conditions);
        iso_free(ctx, stage->toggles);
        iso_free(ctx, stage->name);
        iso_free(ctx, stage->times);
        iso_free(ctx, stage->positions);
        iso_free(ctx, stage->begin);
        iso_free(ctx, stage->poses);
        iso_free(ctx, stage->is_kept);
        iso_free(ctx, stage->efforts);
    }
    iso_free(ctx, program->stages);
    iso_free(ctx, program->joints);
    iso_free(ctx, program->followers);
    iso_free(ctx, program->name);
    iso_free(ctx, program->source);
    *program = (iso_program){0};
}

/// What is being built.
typedef struct builder {
    iso_context* ctx;
    const iso_world* world;
    iso_program* program;
} builder;

// --- conditions ----------------------------------------------------------------------------------

// What a condition compares with; a size is never below 0, and always above a number below it.
static iso_status check_value(const builder* b, const iso_condition* c) {
    const char *key = c->is_below ? "below" : "above", *unit = iso_condition_unit(c->kind);
    const char* blank = *unit ? " " : "";
    ISO_REQUIRE(b->ctx, c->kind >= ISO_CONDITION_TIME && c->kind <= ISO_CONDITION_BODY_SPEED,
                ISO_ERR_ARGUMENT, "condition kind is %d, expected 0 to 11", (int)c->kind);
    ISO_REQUIRE(b->ctx, isfinite(c->value), ISO_ERR_RANGE, "%s is %g%s%s, expected finite", key,
                c->value, blank, unit);
    ISO_REQUIRE(b->ctx,
                !iso_program_is_size(c->kind) || c->value > 0.0 ||
                    (c->value == 0.0 && !c->is_below),
                ISO_ERR_RANGE, "%s is %g%s%s, expected %s 0: it compares a size", key, c->value,
                blank, unit, c->is_below ? ">" : ">=");
    return ISO_OK;
}

static iso_status resolve_contact(const builder* b, iso_program_condition* c) {
    iso_status status = iso_look_up_body(b->ctx, b->world, c->desc.name, &c->index);
    if (status == ISO_OK && c->desc.other != NULL) {
        status = iso_look_up_body(b->ctx, b->world, c->desc.other, &c->other);
    }
    if (status != ISO_OK) {
        return status;
    }
    ISO_REQUIRE(b->ctx, c->other != c->index, ISO_ERR_ARGUMENT,
                "contact of body '%s' with itself, expected two bodies", c->desc.name);
    return ISO_OK;
}

static iso_status resolve_condition(const builder* b, iso_program_condition* c) {
    c->index = c->other = -1;
    switch (c->desc.kind) {
    case ISO_CONDITION_TIME:
        return ISO_OK;
    case ISO_CONDITION_CONTACT_FORCE:
        return resolve_contact(b, c);
    case ISO_CONDITION_JOINT_SPEED:
        ISO_REQUIRE(b->ctx, c->desc.name != NULL || b->program->joint_count > 0, ISO_ERR_ARGUMENT,
                    "speed of all joints, but a criterion has none, expected one joint");
        return c->desc.name != NULL ? iso_look_up_joint(b->ctx, b->world, c->desc.name, &c->index)
                                    : ISO_OK;
    case ISO_CONDITION_JOINT_POSITION:
    case ISO_CONDITION_JOINT_EFFORT:
        return iso_look_up_joint(b->ctx, b->world, c->desc.name, &c->index);
    case ISO_CONDITION_BODY_X:
    case ISO_CONDITION_BODY_Y:
    case ISO_CONDITION_BODY_Z:
    case ISO_CONDITION_BODY_SPEED:
        return iso_look_up_body(b->ctx, b->world, c->desc.name, &c->index);
    case ISO_CONDITION_CONSTRAINT_FORCE:
        return iso_look_up_constraint(b->ctx, b->world, c->desc.name, &c->index);
    case ISO_CONDITION_PROGRAM:
    case ISO_CONDITION_SENSOR:
        ISO_REQUIRE(b->ctx, c->desc.name != NULL, ISO_ERR_ARGUMENT,
                    "the condition names no program or sensor");
        return ISO_OK;
    }
    return ISO_OK;
}

static iso_status copy_name(const builder* b, const char* name, const char** out_copy) {
    *out_copy = name != NULL ? iso_strdup(b->ctx, name) : NULL;
    ISO_REQUIRE(b->ctx, name == NULL || *out_copy != NULL, ISO_ERR_MEMORY, "name");
    return ISO_OK;
}

static iso_status copy_conditions(const builder* b, const iso_program_step* desc,
                                  iso_program_stage* stage) {
    ISO_REQUIRE(b->ctx, desc->condition_count >= 0 && desc->condition_count <= 1000, ISO_ERR_RANGE,
                "%d conditions, expected 0 to 1000", desc->condition_count);
    ISO_REQUIRE(b->ctx, desc->conditions != NULL || desc->condition_count == 0, ISO_ERR_ARGUMENT,
                "conditions are missing");
    ISO_REQUIRE(b->ctx, desc->timeout > 0.0 && desc->hold_time >= 0.0 && isfinite(desc->hold_time),
                ISO_ERR_RANGE, "timeout is %g s and hold time %g s, expected > 0 and >= 0",
                desc->timeout, desc->hold_time);
    stage->desc.condition_count = 0;
    stage->conditions = iso_alloc_array(b->ctx, desc->condition_count, sizeof *stage->conditions);
    ISO_REQUIRE(b->ctx, stage->conditions, ISO_ERR_MEMORY, "conditions");
    for (int i = 0; i < desc->condition_count; ++i) {
        iso_program_condition* c = &stage->conditions[i];
        *c = (iso_program_condition){.desc = desc->conditions[i]};
        c->desc.name = c->desc.other = NULL;
        stage->desc.condition_count = i + 1; // owned even when incomplete
        iso_status status = copy_name(b, desc->conditions[i].name, &c->desc.name);
        if (status == ISO_OK) {
            status = copy_name(b, desc->conditions[i].other, &c->desc.other);
        }
        if (status == ISO_OK) {
            status = check_value(b, &c->desc);
        }
        if (status == ISO_OK) {
            status = resolve_condition(b, c);
        }
        if (status != ISO_OK) {
            return iso_fail_prefix(b->ctx, status, "condition %d", i + 1);
        }
    }
    b->program->condition_max = desc->condition_count > b->program->condition_max
                                    ? desc->condition_count
                                    : b->program->condition_max;
    return ISO_OK;
}

// --- motions -------------------------------------------------------------------------------------

static iso_status copy_times(const builder* b, const iso_program_step* desc,
                             iso_program_stage* stage) {
    int count = desc->keyframe_count;
    ISO_REQUIRE(b->ctx, count >= 1 && count <= 1000000 && desc->keyframes != NULL, ISO_ERR_ARGUMENT,
                "%d keyframes, expected 1 to 1000000", count);
    ISO_REQUIRE(b->ctx, desc->profile == ISO_PROFILE_CUBIC || desc->profile == ISO_PROFILE_LINEAR,
                ISO_ERR_ARGUMENT, "profile is %d, expected 0 or 1", (int)desc->profile);
    stage->times = iso_alloc_array(b->ctx, count, sizeof *stage->times);
    ISO_REQUIRE(b->ctx, stage->times, ISO_ERR_MEMORY, "%d keyframes", count);
    for (int i = 0; i < count; ++i) {
        double before = i > 0 ? stage->times[i - 1] : 0.0;
        stage->times[i] = desc->keyframes[i].time;
        bool is_begin =
            i == 0 && count > 1 && desc->motion == ISO_MOTION_JOINTS && stage->times[i] == 0.0;
        ISO_REQUIRE(b->ctx, is_begin || (isfinite(stage->times[i]) && stage->times[i] > before),
                    ISO_ERR_RANGE, "keyframe %d is at %g s, expected later than %g s", i + 1,
                    stage->times[i], before);
    }
    return ISO_OK;
}

static iso_status check_gains(const builder* b, const iso_program_stage* stage) {
    for (int i = 0; i < b->program->joint_count; ++i) {
        const iso_program_joint* joint = &b->program->joints[i];
        bool is_kept = stage->is_kept != NULL && stage->is_kept[i];
        ISO_REQUIRE(b->ctx, joint->has_gains || joint->is_tied || is_kept, ISO_ERR_ARGUMENT,
                    "actuator '%s' cannot move its joint: it has kp 0",
                    iso_world_actuator_name(b->world, joint->actuator));
    }
    return ISO_OK;
}

static iso_status copy_positions(const builder* b, const iso_program_step* desc,
                                 iso_program_stage* stage) {
    int n = b->program->joint_count;
    stage->positions =
        iso_alloc_array(b->ctx, desc->keyframe_count, (size_t)n * sizeof *stage->positions);
    ISO_REQUIRE(b->ctx, stage->positions, ISO_ERR_MEMORY, "%d keyframes", desc->keyframe_count);
    for (int k = 0; k < desc->keyframe_count; ++k) {
        const double* from = desc->keyframes[k].positions;
        ISO_REQUIRE(b->ctx, from, ISO_ERR_ARGUMENT, "keyframe %d has no positions", k + 1);
        for (int i = 0; i < n; ++i) {
            const iso_program_joint* joint = &b->program->joints[i];
            bool is_kept = stage->is_kept != NULL && stage->is_kept[i];
            double lower = desc->is_relative ? -INFINITY : joint->lower;
            double upper = desc->is_relative ? INFINITY : joint->upper;
            char owner[256];
            ISO_REQUIRE(b->ctx,
                        is_kept || (isfinite(from[i]) && from[i] >= lower && from[i] <= upper),
                        ISO_ERR_RANGE, "keyframe %d moves joint '%s' to %g, expected in [%g, %g]%s",
                        k + 1, iso_world_joint_name(b->world, joint->joint), from[i], lower, upper,
                        iso_program_limit_owner(b->world, joint, from[i], owner, sizeof owner));
            stage->positions[k * n + i] = is_kept ? 0.0 : from[i];
        }
    }
    return ISO_OK;
}

// A keyframe at time 0 says where the motion begins, and is none that it moves to.
static iso_status split_begin(const builder* b, iso_program_stage* stage) {
    size_t n = (size_t)b->program->joint_count, left = (size_t)stage->desc.keyframe_count - 1;
    if (stage->times[0] > 0.0) {
        return ISO_OK;
    }
    stage->begin = iso_alloc_array(b->ctx, b->program->joint_count, sizeof *stage->begin);
    ISO_REQUIRE(b->ctx, stage->begin, ISO_ERR_MEMORY, "%zu joints", n);
    memcpy(stage->begin, stage->positions, n * sizeof *stage->begin);
    memmove(stage->positions, stage->positions + n, left * n * sizeof *stage->positions);
    memmove(stage->times, stage->times + 1, left * sizeof *stage->times);
    --stage->desc.keyframe_count;
    return ISO_OK;
}

// The inboard joint of a body is one of the program, or follows one.
static bool is_driven(const builder* b, int body) {
    bool is_there = false;
    for (int i = 0; i < b->program->joint_count; ++i) {
        is_there |= iso_world_joint_body(b->world, b->program->joints[i].joint) == body;
    }
    for (int i = 0; i < b->program->follower_count; ++i) {
        is_there |= iso_world_joint_body(b->world, b->program->followers[i].joint) == body;
    }
    return is_there;
}

// The body hangs on at least one joint of the program.
static iso_status check_moved(const builder* b, const iso_program_stage* stage) {
    for (int body = stage->body; body > 0; body = iso_world_coordinates(b->world, body).parent) {
        if (is_driven(b, body)) {
            return ISO_OK;
        }
    }
    return iso_fail(b->ctx, ISO_ERR_ARGUMENT, __func__, "no joint of the program moves body '%s'",
                    iso_world_body_name(b->world, stage->body));
}

static iso_status copy_frame(const builder* b, const iso_program_step* desc,
                             iso_program_stage* stage) {
    iso_status status = iso_look_up_body(b->ctx, b->world, desc->body, &stage->body);
    stage->base = ISO_WORLD_BODY;
    if (status == ISO_OK && desc->base != NULL) {
        status = iso_look_up_body(b->ctx, b->world, desc->base, &stage->base);
    }
    if (status == ISO_OK) {
        status = check_moved(b, stage);
    }
    if (status != ISO_OK) {
        return status;
    }
    ISO_REQUIRE(b->ctx, iso_pose_is_rigid(&desc->x_bt) && iso_pose_is_rigid(&desc->x_br),
                ISO_ERR_RANGE,
                "rotations of its frames, x_bt and x_br, are %g and %g off one, expected below "
                "1e-6, and finite places",
                iso_pose_gap(&desc->x_bt), iso_pose_gap(&desc->x_br));
    double wp = desc->position_weight, wr = desc->orientation_weight;
    ISO_REQUIRE(
        b->ctx,
        isfinite(wp) && isfinite(wr) && wp >= 0.0 && wr >= 0.0 && wp + wr > 0.0 && wp + wr <= 1e6,
        ISO_ERR_RANGE, "weights are %g and %g, expected >= 0, not both 0, at most 1e6", wp, wr);
    stage->poses = iso_alloc_array(b->ctx, desc->keyframe_count, sizeof *stage->poses);
    ISO_REQUIRE(b->ctx, stage->poses, ISO_ERR_MEMORY, "%d keyframes", desc->keyframe_count);
    for (int k = 0; k < desc->keyframe_count; ++k) {
        ISO_REQUIRE(b->ctx, iso_pose_is_rigid(&desc->keyframes[k].x_rt), ISO_ERR_RANGE,
                    "the rotation of keyframe %d is %g off one, expected below 1e-6, and a finite "
                    "place",
                    k + 1, iso_pose_gap(&desc->keyframes[k].x_rt));
        stage->poses[k] = desc->keyframes[k].x_rt;
    }
    return ISO_OK;
}

static iso_status copy_efforts(const builder* b, const iso_program_step* desc,
                               iso_program_stage* stage) {
    int n = b->program->joint_count;
    ISO_REQUIRE(b->ctx, desc->efforts, ISO_ERR_ARGUMENT, "efforts are missing");
    stage->efforts = iso_alloc_array(b->ctx, n, sizeof *stage->efforts);
    ISO_REQUIRE(b->ctx, stage->efforts, ISO_ERR_MEMORY, "efforts");
    for (int i = 0; i < n; ++i) {
        bool is_kept = stage->is_kept != NULL && stage->is_kept[i];
        ISO_REQUIRE(b->ctx, is_kept || isfinite(desc->efforts[i]), ISO_ERR_RANGE,
                    "the effort of actuator '%s' is %g, expected finite",
                    iso_world_actuator_name(b->world, b->program->joints[i].actuator),
                    desc->efforts[i]);
        stage->efforts[i] = is_kept ? 0.0 : desc->efforts[i];
    }
    return ISO_OK;
}

static iso_status copy_motion(const builder* b, const iso_program_step* desc,
                              iso_program_stage* stage) {
    bool is_motion = desc->motion == ISO_MOTION_JOINTS || desc->motion == ISO_MOTION_FRAME;
    ISO_REQUIRE(b->ctx, isfinite(desc->duration) && desc->duration >= 0.0, ISO_ERR_RANGE,
                "duration is %g s, expected finite and >= 0", desc->duration);
    ISO_REQUIRE(b->ctx, b->program->joint_count > 0 || desc->motion == ISO_MOTION_HOLD,
                ISO_ERR_ARGUMENT, "motion is %d, but a program without actuators only waits",
                (int)desc->motion);
    if (!is_motion) {
        ISO_REQUIRE(b->ctx, desc->motion == ISO_MOTION_HOLD || desc->motion == ISO_MOTION_EFFORT,
                    ISO_ERR_ARGUMENT, "motion is %d, expected 0 to 3", (int)desc->motion);
        stage->desc.keyframe_count = 0;
        return desc->motion == ISO_MOTION_EFFORT ? copy_efforts(b, desc, stage) : ISO_OK;
    }
    iso_status status = copy_times(b, desc, stage);
    if (status == ISO_OK) {
        status = check_gains(b, stage);
    }
    if (status != ISO_OK) {
        return status;
    }
    if (desc->motion == ISO_MOTION_FRAME) {
        return copy_frame(b, desc, stage);
    }
    status = copy_positions(b, desc, stage);
    if (status == ISO_OK) {
        status = iso_program_couple_positions(b->ctx, b->world, b->program, stage);
    }
    return status == ISO_OK ? split_begin(b, stage) : status;
}

static iso_status copy_switches(const builder* b, const iso_program_step* desc,
                                iso_program_stage* stage) {
    ISO_REQUIRE(b->ctx, desc->switch_count >= 0 && desc->switch_count <= 1000, ISO_ERR_RANGE,
                "%d switches, expected 0 to 1000", desc->switch_count);
    ISO_REQUIRE(b->ctx, desc->switches != NULL || desc->switch_count == 0, ISO_ERR_ARGUMENT,
                "switches are missing");
    stage->toggles = iso_alloc_array(b->ctx, desc->switch_count, sizeof *stage->toggles);
    ISO_REQUIRE(b->ctx, stage->toggles, ISO_ERR_MEMORY, "switches");
    for (int i = 0; i < desc->switch_count; ++i) {
        const iso_program_switch* s = &desc->switches[i];
        iso_program_toggle* toggle = &stage->toggles[i];
        *toggle = (iso_program_toggle){-1, -1, -1, s->is_on, s->keeps_offset};
        if (iso_world_find_constraint(b->world, s->constraint) < 0) {
            toggle->coupler = iso_world_find_coupler(b->world, s->constraint);
        }
        if (toggle->coupler < 0 && iso_world_find_constraint(b->world, s->constraint) < 0) {
            toggle->tendon = iso_world_find_fixed_tendon(b->world, s->constraint);
        }
        iso_status status = ISO_OK;
        if (toggle->coupler < 0 && toggle->tendon < 0) {
            status = iso_look_up_constraint(b->ctx, b->world, s->constraint, &toggle->constraint);
        }
        if (status != ISO_OK) {
            return status;
        }
        for (int k = 0; k < i; ++k) {
            const iso_program_toggle* other = &stage->toggles[k];
            ISO_REQUIRE(b->ctx,
                        other->constraint != toggle->constraint ||
                            other->coupler != toggle->coupler || other->tendon != toggle->tendon,
                        ISO_ERR_ARGUMENT, "constraint '%s' is switched twice in one step",
                        s->constraint);
        }
    }
    return ISO_OK;
}

static iso_status copy_stage(const builder* b, const iso_program_step* desc, int index,
                             iso_program_stage* stage) {
    int n = b->program->joint_count;
    iso_text name = {0};
    iso_status status = desc->name != NULL ? iso_text_printf(b->ctx, &name, "%s", desc->name)
                                           : iso_text_printf(b->ctx, &name, "%d", index + 1);
    *stage = (iso_program_stage){.desc = *desc, .name = name.data, .body = -1};
    stage->desc.name = stage->desc.body = stage->desc.base = NULL;
    stage->desc.keyframes = NULL;
    stage->desc.conditions = NULL;
    stage->desc.switches = NULL;
    stage->desc.is_kept = NULL;
    stage->desc.efforts = NULL;
    stage->desc.condition_count = 0;
    if (status == ISO_OK && desc->is_kept != NULL &&
        (desc->motion == ISO_MOTION_JOINTS || desc->motion == ISO_MOTION_EFFORT)) {
        stage->is_kept = iso_alloc_array(b->ctx, n, sizeof *stage->is_kept);
        ISO_REQUIRE(b->ctx, stage->is_kept, ISO_ERR_MEMORY, "step '%s'", name.data);
        memcpy(stage->is_kept, desc->is_kept, (size_t)n * sizeof *stage->is_kept);
    }
    if (status == ISO_OK) {
        status = copy_motion(b, desc, stage);
    }
    if (status == ISO_OK) {
        status = copy_conditions(b, desc, stage);
    }
    if (status == ISO_OK) {
        status = copy_switches(b, desc, stage);
    }
    return status == ISO_OK
               ? ISO_OK
               : iso_fail_prefix(b->ctx, status, "step '%s'", name.data != NULL ? name.data : "");
}

// --- the whole ----------------------------------------------------------------------------------

static iso_status fill_program(const builder* b, const iso_program_desc* desc) {
    iso_context* ctx = b->ctx;
    iso_program* p = b->program;
    ISO_REQUIRE(ctx, desc->actuator_count >= 0 && desc->actuator_count <= ISO_BOX_QP_MAX,
                ISO_ERR_RANGE, "%d actuators, expected 0 to %d", desc->actuator_count,
                ISO_BOX_QP_MAX);
    ISO_REQUIRE(ctx,
                (desc->actuators || desc->actuator_count == 0) && desc->step_count >= 0 &&
                    desc->step_count <= 1000000,
                ISO_ERR_ARGUMENT, "actuators are required, and 0 to 1000000 steps");
    ISO_REQUIRE(ctx, desc->actuator_count > 0 || desc->feed_forward == ISO_FEED_FORWARD_NONE,
                ISO_ERR_ARGUMENT, "feed forward has no actuators to act on");
    ISO_REQUIRE(ctx, !desc->ends_run || !desc->is_repeated, ISO_ERR_ARGUMENT,
                "it repeats and is to end the run, but is never done: expected stop or repeat");
    ISO_REQUIRE(ctx, desc->steps != NULL || desc->step_count == 0, ISO_ERR_ARGUMENT,
                "steps are missing");
    ISO_REQUIRE(ctx,
                isfinite(desc->posture_rate) && desc->posture_rate >= 0.0 &&
                    desc->position_tolerance > 0.0 && desc->orientation_tolerance > 0.0,
                ISO_ERR_RANGE, "posture rate %g, tolerances %g m and %g rad, expected >= 0 and > 0",
                desc->posture_rate, desc->position_tolerance, desc->orientation_tolerance);
    ISO_REQUIRE(ctx,
                desc->feed_forward >= ISO_FEED_FORWARD_NONE &&
                    desc->feed_forward <= ISO_FEED_FORWARD_DYNAMICS,
                ISO_ERR_ARGUMENT, "feed forward is %d, expected 0 to 2", (int)desc->feed_forward);
    p->joints = iso_alloc_array(ctx, desc->actuator_count, sizeof *p->joints);
    p->stages = iso_alloc_array(ctx, desc->step_count, sizeof *p->stages);
    ISO_REQUIRE(ctx, p->joints && p->stages, ISO_ERR_MEMORY, "%d steps", desc->step_count);
    p->has_posture = desc->posture != NULL;
    iso_status status = iso_program_fill_joints(ctx, b->world, desc, p);
    for (int i = 0; i < desc->step_count && status == ISO_OK; ++i) {
        p->stage_count = i + 1;
        status = copy_stage(b, &desc->steps[i], i, &p->stages[i]);
    }
    return status;
}

// No actuator is driven twice, nor two joints that couplers tie together by two programs.
static iso_status check_unused(const iso_task* task, const iso_world* world,
                               const iso_program* program) {
    for (int i = 0; i < program->joint_count; ++i) {
        int actuator = program->joints[i].actuator;
        const char* name = iso_world_actuator_name(world, actuator);
        for (int k = 0; k < task->command_count; ++k) {
            ISO_REQUIRE(task->ctx, task->commands[k].actuator != actuator, ISO_ERR_ARGUMENT,
                        "actuator '%s' is also driven by a command", name);
        }
        for (int k = 0; k < task->program_count; ++k) {
            const iso_program* other = &task->programs[k];
            for (int j = 0; j < other->joint_count; ++j) {
                ISO_REQUIRE(task->ctx, other->joints[j].actuator != actuator, ISO_ERR_ARGUMENT,
                            "actuator '%s' is also driven by program '%s'", name, other->name);
            }
            for (int j = 0; j < other->follower_count; ++j) {
                ISO_REQUIRE(task->ctx, other->followers[j].joint != program->joints[i].joint,
                            ISO_ERR_ARGUMENT,
                            "actuator '%s' drives a joint that is coupled to one of program '%s'",
                            name, other->name);
            }
        }
    }
    return ISO_OK;
}

// Scratch that all programs share.
static iso_status ensure_ghost(iso_task* task, const iso_world* world) {
    iso_context* ctx = task->ctx;
    iso_task_scratch* s = task->scratch;
    int q_count = iso_world_q_count(world), v_count = iso_world_v_count(world);
    if (s->ghost != NULL) {
        return ISO_OK;
    }
    if (s->q == NULL) {
        s->q = iso_alloc_array(ctx, q_count, sizeof *s->q);
        s->v = iso_alloc_array(ctx, v_count, sizeof *s->v);
        s->jacobian = iso_alloc_array(ctx, 6 * v_count, sizeof *s->jacobian);
        s->vdot = iso_alloc_array(ctx, v_count, sizeof *s->vdot);
        s->tau = iso_alloc_array(ctx, v_count, sizeof *s->tau);
        s->passive = iso_alloc_array(ctx, v_count, sizeof *s->passive);
        s->qp = iso_alloc_zeroed(ctx, sizeof *s->qp);
    }
    ISO_REQUIRE(ctx, s->q && s->v && s->jacobian && s->vdot && s->tau && s->passive && s->qp,
                ISO_ERR_MEMORY, "scratch of programs");
    return iso_world_clone(world, &s->ghost);
}

iso_status iso_task_add_program(iso_task* task, const iso_world* world,
                                const iso_program_desc* desc) {
    iso_context* ctx = world ? iso_world_context(world) : NULL;
    ISO_REQUIRE(ctx, task && world && desc && desc->name && *desc->name, ISO_ERR_ARGUMENT,
                "task, world and a name of the program are required");
    for (int i = 0; i < task->program_count; ++i) {
        ISO_REQUIRE(ctx, strcmp(task->programs[i].name, desc->name) != 0, ISO_ERR_ARGUMENT,
                    "there is already a program or criterion named '%s'", desc->name);
    }
    iso_program program = {.desc = *desc};
    program.desc.name = program.desc.source = NULL;
    program.desc.actuators = NULL;
    program.desc.velocity_limits = program.desc.posture = NULL;
    program.desc.steps = NULL;
    builder b = {ctx, world, &program};
    iso_status status = ISO_OK;
    program.name = iso_strdup(ctx, desc->name);
    program.source = desc->source != NULL ? iso_strdup(ctx, desc->source) : NULL;
    ISO_CHECK(ctx, program.name && (program.source || !desc->source), ISO_ERR_MEMORY, "program");
    ISO_TRY(fill_program(&b, desc));
    ISO_TRY(check_unused(task, world, &program));
    if (program.joint_count > 0) {
        ISO_TRY(ensure_ghost(task, world));
    }
    iso_program* programs =
        iso_realloc(ctx, task->programs, (size_t)(task->program_count + 1) * sizeof *programs);
    ISO_CHECK(ctx, programs, ISO_ERR_MEMORY, "program");
    task->programs = programs;
    program.state_index = task->number_count;
    task->number_count += iso_program_number_count(&program);
    task->programs[task->program_count++] = program;
    return ISO_OK;

done:
    iso_program_free(ctx, &program);
    return iso_fail_prefix(ctx, status, "%s%s%s '%s'", desc->source ? desc->source : "",
                           desc->source ? ": " : "", iso_program_word(desc->actuator_count),
                           desc->name);
}
