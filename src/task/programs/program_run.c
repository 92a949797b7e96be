// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "task/programs/program.h"

#include "base/core/fail.h"
#include "base/core/log.h"
#include "task/paths/path.h"

#include <math.h>
#include <string.h>

#define POSE_DOUBLES ((int)(sizeof(iso_pose) / sizeof(double)))

int iso_program_number_count(const iso_program* program) {
    return ISO_PROGRAM_HEAD + 5 * program->joint_count + 3 * POSE_DOUBLES + program->condition_max;
}

iso_program_numbers iso_program_locate(const iso_program* program, double* numbers) {
    int n = program->joint_count;
    double* at = numbers + program->state_index;
    iso_program_numbers out = {.head = at};
    at += ISO_PROGRAM_HEAD;
    out.q = at;
    out.v = at + n;
    out.q_start = at + 2 * n;
    out.effort = at + 3 * n;
    out.is_effort = at + 4 * n;
    at += 5 * n;
    out.x_rt = at;
    out.x_br = at + POSE_DOUBLES;
    out.x_wb = at + 2 * POSE_DOUBLES;
    out.measured = at + 3 * POSE_DOUBLES;
    return out;
}

const char* iso_program_stage_name(const iso_program* program, int stage) {
    return stage >= 0 && stage < program->stage_count ? program->stages[stage].name : "";
}

static const iso_program_stage* present_stage(const iso_program_run* run) {
    int index = (int)run->n.head[ISO_PROGRAM_STEP];
    return index < run->program->stage_count ? &run->program->stages[index] : NULL;
}

// --- beginning of a stage ------------------------------------------------------------------------

// A joint that pressed, and is to move, starts where it is.
static void take_over_joints(const iso_program_run* run, const iso_program_stage* stage) {
    bool is_motion =
        stage->desc.motion == ISO_MOTION_JOINTS || stage->desc.motion == ISO_MOTION_FRAME;
    for (int i = 0; i < run->program->joint_count; ++i) {
        const iso_program_joint* joint = &run->program->joints[i];
        bool is_kept = stage->is_kept != NULL && stage->is_kept[i];
        if (stage->desc.motion == ISO_MOTION_EFFORT && !is_kept) {
            run->n.is_effort[i] = 1.0;
            run->n.effort[i] = stage->efforts[i];
        } else if (is_motion && !is_kept && run->n.is_effort[i] != 0.0) {
            run->n.is_effort[i] = 0.0;
            run->n.effort[i] = 0.0;
            run->n.q[i] = iso_world_joint_position(run->world, joint->joint);
        }
        run->n.q[i] = fmin(fmax(run->n.q[i], joint->lower), joint->upper);
        run->n.v[i] = 0.0;
        run->n.q_start[i] = run->n.q[i];
    }
}

static double keyframe_start(const iso_program_run* run, const iso_program_stage* stage, int i) {
    return stage->desc.is_relative ? 0.0 : run->n.q_start[i];
}

// How far joints may be off from where a motion says that it begins [rad] or [m].
#define START_TOLERANCE 0.01

static iso_status check_begin(const iso_program_run* run, const iso_program_stage* stage) {
    for (int i = 0; stage->begin != NULL && i < run->program->joint_count; ++i) {
        double from = keyframe_start(run, stage, i);
        bool is_kept = stage->is_kept != NULL && stage->is_kept[i];
        ISO_REQUIRE(
            run->task->ctx, is_kept || fabs(stage->begin[i] - from) <= START_TOLERANCE,
            ISO_ERR_RANGE,
            "program '%s', step '%s': joint '%s' is at %g when the motion begins, which is to be "
            "at %g, expected within %g",
            run->program->name, stage->name,
            iso_world_joint_name(run->world, run->program->joints[i].joint), from, stage->begin[i],
            START_TOLERANCE);
    }
    return ISO_OK;
}

// Relative motions end within the limits, and none is faster than a joint may be.
static iso_status check_joint_motion(const iso_program_run* run, const iso_program_stage* stage) {
    iso_context* ctx = run->task->ctx;
    int n = run->program->joint_count, count = stage->desc.keyframe_count;
    iso_status status = check_begin(run, stage);
    if (status != ISO_OK) {
        return status;
    }
    for (int i = 0; i < n; ++i) {
        const iso_program_joint* joint = &run->program->joints[i];
        const char* name = iso_world_joint_name(run->world, joint->joint);
        if (stage->is_kept != NULL && stage->is_kept[i]) {
            continue;
        }
        for (int k = 0; k < count && stage->desc.is_relative; ++k) {
            double q = run->n.q_start[i] + stage->positions[k * n + i];
            char owner[256];
            ISO_REQUIRE(
                ctx, q >= joint->lower && q <= joint->upper, ISO_ERR_RANGE,
                "program '%s', step '%s': joint '%s' is to move to %g, expected in [%g, %g]%s",
                run->program->name, stage->name, name, q, joint->lower, joint->upper,
                iso_program_limit_owner(run->world, joint, q, owner, sizeof owner));
        }
        double peak = iso_path_peak_rate(stage->desc.profile, stage->times, count,
                                         keyframe_start(run, stage, i), stage->positions + i, n);
        ISO_REQUIRE(ctx, peak == 0.0 || joint->velocity_limit > 0.0, ISO_ERR_RANGE,
                    "program '%s', step '%s': joint '%s' would move with %g /s, but its velocity "
                    "limit is 0: give the program one",
                    run->program->name, stage->name, name, peak);
        ISO_REQUIRE(
            ctx, peak <= joint->velocity_limit * (1.0 + 1e-9), ISO_ERR_RANGE,
            "program '%s', step '%s': joint '%s' would move with %g /s, expected at most %g; "
            "the step needs %g times as long",
            run->program->name, stage->name, name, peak, joint->velocity_limit,
            peak / joint->velocity_limit);
    }
    return ISO_OK;
}

// The world's numbers of the task stay where they are: each attachment has memory of its own.
static iso_status switch_constraints(const iso_program_run* run, const iso_program_stage* stage) {
    for (int i = 0; i < stage->desc.switch_count; ++i) {
        const iso_program_toggle* toggle = &stage->toggles[i];
        iso_status status =
            toggle->tendon >= 0
                ? iso_world_switch_fixed_tendon(run->world, toggle->tendon, toggle->is_on)
            : toggle->coupler >= 0
                ? iso_world_switch_coupler(run->world, toggle->coupler, toggle->is_on)
                : iso_world_switch_constraint(run->world, toggle->constraint, toggle->is_on,
                                              toggle->keeps_offset);
        if (status != ISO_OK) {
            return iso_fail_prefix(run->task->ctx, status, "program '%s', step '%s'",
                                   run->program->name, stage->name);
        }
    }
    return ISO_OK;
}

static iso_status begin_stage(const iso_program_run* run) {
    const iso_program_stage* stage = present_stage(run);
    run->n.head[ISO_PROGRAM_START] = run->time;
    run->n.head[ISO_PROGRAM_SINCE] = -1.0;
    run->n.head[ISO_PROGRAM_POSITION_ERROR] = 0.0;
    run->n.head[ISO_PROGRAM_ORIENTATION_ERROR] = 0.0;
    for (int i = 0; i < run->program->condition_max; ++i) {
        run->n.measured[i] = 0.0;
    }
    const char* what = iso_program_word(run->program->joint_count);
    if (stage == NULL) {
        iso_log(run->task->ctx, ISO_LOG_INFO, "%s '%s' is %s at t = %g s%s", what,
                run->program->name, run->program->joint_count > 0 ? "done" : "met", run->time,
                run->program->desc.ends_run ? ": the run ends" : "");
        return ISO_OK;
    }
    if (run->program->joint_count > 0 || run->program->stage_count > 1) {
        iso_log(run->task->ctx, ISO_LOG_INFO, "%s '%s': step '%s' begins at t = %g s", what,
                run->program->name, stage->name, run->time);
    }
    iso_status status = switch_constraints(run, stage);
    if (status != ISO_OK) {
        return status;
    }
    take_over_joints(run, stage);
    switch (stage->desc.motion) {
    case ISO_MOTION_JOINTS:
        return check_joint_motion(run, stage);
    case ISO_MOTION_FRAME:
        return iso_program_begin_frame(run, stage);
    case ISO_MOTION_HOLD:
    case ISO_MOTION_EFFORT:
        break;
    }
    return ISO_OK;
}

iso_status iso_program_begin(const iso_program_run* run) {
    memset(run->n.head, 0, (size_t)iso_program_number_count(run->program) * sizeof(double));
    for (int i = 0; i < run->program->joint_count; ++i) {
        run->n.q[i] = iso_world_joint_position(run->world, run->program->joints[i].joint);
    }
    return begin_stage(run);
}

// --- end of a stage ------------------------------------------------------------------------------

static double end_of(const iso_program_stage* stage) {
    int count = stage->desc.keyframe_count;
    return count > 0 ? stage->times[count - 1] : stage->desc.duration;
}

static iso_status fail_timeout(const iso_program_run* run, const iso_program_stage* stage) {
    const iso_program* program = run->program;
    int i = 0; // the first condition that does not hold
    while (i < stage->desc.condition_count && iso_program_condition_holds(run, stage, i)) {
        ++i;
    }
    if (i == stage->desc.condition_count) {
        return iso_fail(run->task->ctx, ISO_ERR_NO_CONVERGENCE, __func__,
                        "program '%s', step '%s': after %g s the conditions hold, since t = %g s, "
                        "but are to hold for %g s in a step of at least %g s",
                        program->name, stage->name, stage->desc.timeout,
                        run->n.head[ISO_PROGRAM_SINCE], stage->desc.hold_time,
                        stage->desc.duration);
    }
    const iso_condition* c = &stage->conditions[i].desc;
    return iso_fail(
        run->task->ctx, ISO_ERR_NO_CONVERGENCE, __func__,
        "program '%s', step '%s': after %g s condition %d%s%s%s%s%s does not hold: the value "
        "is %g, expected %s %g",
        program->name, stage->name, stage->desc.timeout, i + 1, c->name != NULL ? " ('" : "",
        c->name != NULL ? c->name : "", c->other != NULL ? "', '" : "",
        c->other != NULL ? c->other : "", c->name != NULL ? "')" : "", run->n.measured[i],
        c->is_below ? "below" : "at least", c->value);
}

static iso_status is_over(const iso_program_run* run, const iso_program_stage* stage,
                          bool has_measured, bool* out_is_over) {
    double elapsed = run->time - run->n.head[ISO_PROGRAM_START], slack = 1e-9 * run->time_step;
    *out_is_over = false;
    if (stage->desc.condition_count == 0) {
        *out_is_over = elapsed >= end_of(stage) - slack;
        return ISO_OK;
    }
    if (!has_measured) {
        return ISO_OK; // looked at from the next step on
    }
    double* since = &run->n.head[ISO_PROGRAM_SINCE];
    bool is_waiting = stage->desc.keyframe_count == 0 && elapsed < stage->desc.duration - slack;
    if (!iso_program_conditions_hold(run, stage)) {
        *since = -1.0;
    } else if (*since < 0.0) {
        *since = run->time;
    }
    if (*since >= 0.0 && !is_waiting && run->time - *since >= stage->desc.hold_time - slack) {
        *out_is_over = true;
    } else if (elapsed >= stage->desc.timeout - slack) {
        *out_is_over = stage->desc.is_patient;
        return stage->desc.is_patient ? ISO_OK : fail_timeout(run, stage);
    }
    return ISO_OK;
}

static iso_status go_on(const iso_program_run* run) {
    iso_status status = ISO_OK;
    for (int passed = 0; passed <= run->program->stage_count; ++passed) {
        const iso_program_stage* stage = present_stage(run);
        bool is_done = stage == NULL;
        bool is_finished = false;
        if (!is_done) {
            status = is_over(run, stage, passed == 0, &is_finished);
        }
        if (status != ISO_OK || !is_finished) {
            return status;
        }
        run->n.head[ISO_PROGRAM_FINISHED] += 1.0;
        run->n.head[ISO_PROGRAM_STEP] += 1.0;
        if (run->program->desc.is_repeated && present_stage(run) == NULL) {
            run->n.head[ISO_PROGRAM_STEP] = 0.0;
        }
        status = begin_stage(run);
        if (status != ISO_OK) {
            return status;
        }
    }
    return ISO_OK;
}

// --- references ----------------------------------------------------------------------------------

static void move_joints(const iso_program_run* run, const iso_program_stage* stage) {
    int n = run->program->joint_count;
    double time = run->time + run->time_step - run->n.head[ISO_PROGRAM_START];
    for (int i = 0; i < n; ++i) {
        if (stage->is_kept != NULL && stage->is_kept[i]) {
            run->n.v[i] = 0.0;
            continue;
        }
        const iso_program_joint* joint = &run->program->joints[i];
        iso_path_coordinate at =
            iso_path_scalar(stage->desc.profile, stage->times, stage->desc.keyframe_count,
                            keyframe_start(run, stage, i), stage->positions + i, n, time);
        double q = at.value + (stage->desc.is_relative ? run->n.q_start[i] : 0.0);
        run->n.q[i] = fmin(fmax(q, joint->lower), joint->upper);
        run->n.v[i] = at.rate;
    }
}

static iso_status move_references(const iso_program_run* run) {
    const iso_program_stage* stage = present_stage(run);
    if (stage != NULL && stage->desc.motion == ISO_MOTION_FRAME) {
        return iso_program_track(run, stage);
    }
    if (stage != NULL && stage->desc.motion == ISO_MOTION_JOINTS) {
        move_joints(run, stage);
        return ISO_OK;
    }
    for (int i = 0; i < run->program->joint_count; ++i) {
        run->n.v[i] = 0.0;
    }
    return ISO_OK;
}

iso_status iso_program_advance(const iso_program_run* run) {
    double v_before[ISO_BOX_QP_MAX];
    int n = run->program->joint_count;
    memcpy(v_before, run->n.v, (size_t)n * sizeof *v_before);
    iso_status status = go_on(run);
    if (status == ISO_OK) {
        status = move_references(run);
    }
    for (int i = 0; i < n && status == ISO_OK; ++i) {
        if (run->n.is_effort[i] == 0.0) {
            run->n.effort[i] = (run->n.v[i] - v_before[i]) / run->time_step;
        }
    }
    return status;
}

// Efforts that move the joints along their references, into scratch tau.
static iso_status feed_forward(const iso_program_run* run) {
    const iso_task_scratch* s = run->task->scratch;
    int v_count = iso_world_v_count(run->world);
    bool is_dynamic = run->program->desc.feed_forward == ISO_FEED_FORWARD_DYNAMICS;
    iso_status status = iso_program_place_ghost(run, run->n.q, is_dynamic);
    if (status != ISO_OK) {
        return status;
    }
    if (!is_dynamic) {
        status = iso_world_gravity_forces(s->ghost, s->tau);
        for (int d = 0; d < v_count; ++d) {
            s->tau[d] = -s->tau[d];
        }
        return status;
    }
    double rates[ISO_BOX_QP_MAX];
    for (int i = 0; i < run->program->joint_count; ++i) {
        rates[i] = run->n.is_effort[i] != 0.0 ? 0.0 : run->n.effort[i];
    }
    memset(s->vdot, 0, (size_t)v_count * sizeof *s->vdot);
    iso_program_spread(run->program, rates, s->vdot);
    status = iso_world_inverse_dynamics(s->ghost, s->vdot, s->tau);
    if (status == ISO_OK) {
        status = iso_world_passive_forces(s->ghost, s->passive);
    }
    for (int d = 0; status == ISO_OK && d < v_count; ++d) {
        s->tau[d] -= s->passive[d];
    }
    return status;
}

iso_status iso_program_output(const iso_program_run* run) {
    bool has_feed_forward = run->program->desc.feed_forward != ISO_FEED_FORWARD_NONE;
    iso_status status = has_feed_forward ? feed_forward(run) : ISO_OK;
    for (int i = 0; i < run->program->joint_count && status == ISO_OK; ++i) {
        const iso_program_joint* joint = &run->program->joints[i];
        iso_actuation actuation = {0.0, run->n.q[i], run->n.v[i]};
        if (run->n.is_effort[i] != 0.0) {
            actuation.feed_forward = run->n.effort[i];
            actuation.position = iso_world_joint_position(run->world, joint->joint);
            actuation.velocity = 0.0;
        } else if (has_feed_forward) {
            actuation.feed_forward =
                iso_program_gather(run->program, i, run->task->scratch->tau, false);
        }
        iso_actuation start = actuation; // references are those of the end of the step
        start.position -= run->time_step * actuation.velocity;
        status = iso_world_set_actuation(run->world, joint->actuator, &actuation);
        if (status == ISO_OK) {
            status = iso_world_lead_actuation(run->world, joint->actuator, &start, &actuation);
        }
    }
    return status;
}
