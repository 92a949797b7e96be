// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Steps of TAMSI: a step whose Newton iterations do not converge is taken again in halves, quarters
// and so on, each a whole step with patches of its own.

#include "stepper/stages.h"

#include <string.h>

// A step is cut into at most two to the power of this.
#define MAX_HALVINGS 5

// Poses of fixed bodies that a caller moves, after some of the step.
static void place_fixed(const iso_multibody* multibody, const iso_kinematics* start, double time,
                        iso_kinematics* out) {
    for (int b = 1; b < multibody->body_count; ++b) {
        if (multibody->bodies[b].tree >= 0) {
            continue;
        }
        iso_spatial v = start->v_wb[b];
        iso_pose x = start->x_wb[b];
        x.p = iso_vec3_add_scaled(x.p, v.translational, time);
        iso_vec3 angle = iso_vec3_scale(v.rotational, time);
        x.r = iso_mat3_mul(iso_mat3_from_quat(iso_quat_from_rotation_vector(angle)), x.r);
        out->x_wb[b] = x;
        out->v_wb[b] = v;
        out->p_wbcm[b] = iso_pose_point(&x, multibody->bodies[b].center_of_mass);
    }
}

// Input of the next part of a step: the state that the last one left.
static iso_status go_on(iso_stepper* stepper, const iso_step_input* whole, double time,
                        const iso_step_output* last, iso_step_input* out,
                        iso_kinematics* kinematics) {
    const iso_multibody* multibody = stepper->dynamics.multibody;
    iso_arena* arena = &stepper->arena;
    double* q = iso_arena_push_array(arena, multibody->q_count, sizeof *q);
    double* v = iso_arena_push_array(arena, multibody->v_count, sizeof *v);
    ISO_REQUIRE(stepper->ctx, q && v, ISO_ERR_MEMORY, "state within a step");
    memcpy(q, last->q, (size_t)multibody->q_count * sizeof *q);
    memcpy(v, last->v, (size_t)multibody->v_count * sizeof *v);
    *out = *whole;
    out->time = whole->time + time;
    out->q = q;
    out->v = v;
    out->kinematics = NULL;
    if (whole->kinematics) {
        iso_status status = iso_kinematics_push(multibody, arena, kinematics);
        if (status != ISO_OK) {
            return status;
        }
        iso_multibody_kinematics(multibody, q, v, kinematics);
        place_fixed(multibody, whole->kinematics, time, kinematics);
        out->kinematics = kinematics;
    }
    return ISO_OK;
}

static void add_report(const iso_step_report* part, iso_step_report* sum) {
    iso_step_report all = *part;
    all.iterations += sum->iterations;
    all.residual = part->residual > sum->residual ? part->residual : sum->residual;
    for (int i = 0; i < 8; ++i) {
        all.stage_seconds[i] += sum->stage_seconds[i];
    }
    *sum = all;
}

// Works and reports add up; forces and contacts are those of the last part.
static iso_status step_in_parts(iso_stepper* stepper, const iso_step_input* input, int part_count,
                                iso_step_output* output) {
    double dt = stepper->settings.time_step / part_count;
    iso_step_output sum = {0};
    iso_step_input now = *input;
    iso_kinematics kinematics;
    iso_status status = ISO_OK;
    for (int i = 0; i < part_count; ++i) {
        if (i > 0) {
            ISO_TRY(go_on(stepper, input, i * dt, output, &now, &kinematics));
        }
        ISO_TRY(iso_stepper_step_velocities(stepper, &now, dt, output));
        iso_works_add(&sum.works, &output->works);
        add_report(&output->report, &sum.report);
    }
    output->works = sum.works;
    output->report = sum.report;
done:
    return status;
}

iso_status iso_stepper_step_tamsi(iso_stepper* stepper, const iso_step_input* input,
                                  iso_step_output* output) {
    const iso_multibody* multibody = stepper->dynamics.multibody;
    iso_status status =
        iso_stepper_step_velocities(stepper, input, stepper->settings.time_step, output);
    for (int i = 1; i <= MAX_HALVINGS && status == ISO_ERR_NO_CONVERGENCE; ++i) {
        // The parts of a step that fails later must not show in the caller's state.
        ISO_TRY(iso_arena_reset(&stepper->arena));
        iso_step_output parts = *output;
        parts.q = iso_arena_push_array(&stepper->arena, multibody->q_count, sizeof *parts.q);
        parts.v = iso_arena_push_array(&stepper->arena, multibody->v_count, sizeof *parts.v);
        ISO_CHECK(stepper->ctx, parts.q && parts.v, ISO_ERR_MEMORY, "state within a step");
        status = step_in_parts(stepper, input, 1 << i, &parts);
        if (status == ISO_OK) {
            memcpy(output->q, parts.q, (size_t)multibody->q_count * sizeof *output->q);
            memcpy(output->v, parts.v, (size_t)multibody->v_count * sizeof *output->v);
            parts.q = output->q;
            parts.v = output->v;
            *output = parts;
        }
    }
done:
    return status;
}
