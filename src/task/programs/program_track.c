// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Differential inverse kinematics: docs/theory/task.md.

#include "task/programs/program.h"

#include "base/core/fail.h"
#include "task/paths/path.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Newton iterations within one time step, and the error at which they end [m].
#define MAX_ITERATIONS 8
#define SMALL_ERROR 1e-12
// Damping of joint moves: squared, on top of the squared error [m^2].
#define LEAST_DAMPING 1e-9
// Weight of the posture beside the frame's error [m^2/rad^2].
#define POSTURE_WEIGHT 1e-5

static void put_pose(const iso_pose* x, double* at) {
    memcpy(at, x, sizeof *x);
}

static iso_pose get_pose(const double* at) {
    iso_pose x;
    memcpy(&x, at, sizeof x);
    return x;
}

iso_status iso_program_place_ghost(const iso_program_run* run, const double* q, bool has_velocity) {
    const iso_task_scratch* s = run->task->scratch;
    iso_status status = iso_world_get_state(run->world, s->q, s->v);
    if (status != ISO_OK) {
        return status;
    }
    for (int d = 0; d < iso_world_v_count(run->world) && !has_velocity; ++d) {
        s->v[d] = 0.0;
    }
    for (int i = 0; i < run->program->joint_count; ++i) {
        s->q[run->program->joints[i].q_index] = q[i];
    }
    for (int i = 0; i < run->program->follower_count; ++i) {
        const iso_program_follower* f = &run->program->followers[i];
        s->q[f->q_index] = f->ratio * q[f->leader] + f->offset;
    }
    if (has_velocity) {
        iso_program_spread(run->program, run->n.v, s->v);
    }
    return iso_world_set_state(s->ghost, s->q, s->v);
}

// T in the world where the ghost stands.
static iso_pose frame_pose(const iso_program_run* run, const iso_program_stage* stage) {
    iso_pose x_wb = iso_world_body_pose(run->task->scratch->ghost, stage->body);
    return iso_pose_mul(&x_wb, &stage->desc.x_bt);
}

iso_status iso_program_begin_frame(const iso_program_run* run, const iso_program_stage* stage) {
    iso_status status = iso_program_place_ghost(run, run->n.q, false);
    if (status != ISO_OK) {
        return status;
    }
    iso_pose x_wt = frame_pose(run, stage);
    iso_pose x_wb = iso_world_body_pose(run->world, stage->base);
    iso_pose x_br = stage->desc.is_relative ? iso_pose_inverse_mul(&x_wb, &x_wt) : stage->desc.x_br;
    iso_pose x_wr = iso_pose_mul(&x_wb, &x_br);
    iso_pose x_rt = iso_pose_inverse_mul(&x_wr, &x_wt);
    put_pose(&x_rt, run->n.x_rt);
    put_pose(&x_br, run->n.x_br);
    put_pose(&x_wb, run->n.x_wb);
    return ISO_OK;
}

// Where the frame should be at the end of the coming time step.
static iso_pose wanted_pose(const iso_program_run* run, const iso_program_stage* stage) {
    double time = run->time + run->time_step - run->n.head[ISO_PROGRAM_START];
    iso_pose start = get_pose(run->n.x_rt), x_br = get_pose(run->n.x_br);
    iso_pose x_wb = get_pose(run->n.x_wb);
    if (stage->desc.is_following && stage->base != ISO_WORLD_BODY) {
        iso_spatial v_wb = iso_world_body_twist(run->world, stage->base);
        x_wb = iso_world_body_pose(run->world, stage->base);
        iso_mat3 turn = iso_mat3_from_quat(
            iso_quat_from_rotation_vector(iso_vec3_scale(v_wb.rotational, run->time_step)));
        x_wb.p = iso_vec3_add_scaled(x_wb.p, v_wb.translational, run->time_step);
        x_wb.r = iso_mat3_mul(turn, x_wb.r);
    }
    iso_pose x_rt = iso_path_pose(stage->desc.profile, stage->times, stage->desc.keyframe_count,
                                  &start, stage->poses, time);
    iso_pose x_wr = iso_pose_mul(&x_wb, &x_br);
    return iso_pose_mul(&x_wr, &x_rt);
}

// Error of the frame, weighted, as (angular; linear) in W; its parts' sizes for the report.
static void measure_error(const iso_program_run* run, const iso_program_stage* stage,
                          const iso_pose* wanted, double error[6]) {
    iso_pose x_wt = frame_pose(run, stage);
    iso_mat3 r = iso_mat3_mul(wanted->r, iso_mat3_transpose(x_wt.r));
    iso_vec3 turn = iso_quat_to_rotation_vector(iso_quat_from_mat3(&r));
    iso_vec3 move = iso_vec3_sub(wanted->p, x_wt.p);
    double wr = stage->desc.orientation_weight, wp = stage->desc.position_weight;
    run->n.head[ISO_PROGRAM_POSITION_ERROR] = wp > 0.0 ? iso_vec3_norm(move) : 0.0;
    run->n.head[ISO_PROGRAM_ORIENTATION_ERROR] = wr > 0.0 ? iso_vec3_norm(turn) : 0.0;
    for (int k = 0; k < 3; ++k) {
        error[k] = wr * iso_vec3_get(turn, k);
        error[3 + k] = wp * iso_vec3_get(move, k);
    }
}

static double dot6(const double a[6], const double b[6]) {
    double sum = 0.0;
    for (int k = 0; k < 6; ++k) {
        sum += a[k] * b[k];
    }
    return sum;
}

// How far a joint may move about q: within what the time step leaves. A joint that is tied to
// another moves with that one.
static void fill_bounds(const iso_program_run* run, int i, double q) {
    const iso_program_joint* joint = &run->program->joints[i];
    iso_box_qp* qp = run->task->scratch->qp;
    double reach = joint->velocity_limit * run->time_step;
    double lower = fmin(fmax(joint->lower, run->n.q[i] - reach) - q, 0.0);
    double upper = fmax(fmin(joint->upper, run->n.q[i] + reach) - q, 0.0);
    qp->lower[i] = joint->is_tied ? 0.0 : lower;
    qp->upper[i] = joint->is_tied ? 0.0 : upper;
}

// The quadratic problem of one iteration about q.
static iso_status fill_problem(const iso_program_run* run, const iso_program_stage* stage,
                               const double error[6], const double* q, bool has_posture) {
    const iso_task_scratch* s = run->task->scratch;
    const iso_program* p = run->program;
    int n = p->joint_count, v_count = iso_world_v_count(run->world);
    iso_status status = iso_world_jacobian(s->ghost, stage->body, stage->desc.x_bt.p, s->jacobian);
    double columns[ISO_BOX_QP_MAX][6];
    double damping = dot6(error, error) + LEAST_DAMPING;
    s->qp->count = n;
    for (int i = 0; i < n && status == ISO_OK; ++i) {
        for (int k = 0; k < 6; ++k) {
            double weight = k < 3 ? stage->desc.orientation_weight : stage->desc.position_weight;
            columns[i][k] =
                weight * iso_program_gather(p, i, s->jacobian + (size_t)(k * v_count), true);
        }
    }
    for (int i = 0; i < n && status == ISO_OK; ++i) {
        const iso_program_joint* joint = &p->joints[i];
        for (int j = 0; j <= i; ++j) {
            s->qp->h[i * n + j] = s->qp->h[j * n + i] = dot6(columns[i], columns[j]);
        }
        double target = p->has_posture ? joint->posture : run->n.q_start[i];
        double lean = has_posture ? p->desc.posture_rate * run->time_step * (target - q[i]) : 0.0;
        s->qp->h[i * n + i] += damping + POSTURE_WEIGHT;
        s->qp->g[i] = dot6(columns[i], error) + POSTURE_WEIGHT * lean;
        fill_bounds(run, i, q[i]);
    }
    return status;
}

// Names of the joints that stand at a limit of position (or, of speed) into text.
static void list_stopped(const iso_program_run* run, const double* q, bool is_speed, char* text,
                         size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < run->program->joint_count; ++i) {
        const iso_program_joint* joint = &run->program->joints[i];
        double reach = joint->velocity_limit * run->time_step;
        bool is_at_limit = q[i] <= joint->lower || q[i] >= joint->upper;
        bool is_fast = fabs(q[i] - run->n.q[i]) >= reach * (1.0 - 1e-9);
        if ((is_speed ? is_fast : is_at_limit) && used < size) {
            int written = snprintf(text + used, size - used, "%s'%s'", used > 0 ? ", " : "",
                                   iso_world_joint_name(run->world, joint->joint));
            used += written > 0 ? (size_t)written : 0;
        }
    }
}

static iso_status check_error(const iso_program_run* run, const iso_program_stage* stage,
                              const double* q) {
    const iso_program_desc* desc = &run->program->desc;
    double position = run->n.head[ISO_PROGRAM_POSITION_ERROR];
    double orientation = run->n.head[ISO_PROGRAM_ORIENTATION_ERROR];
    if (position <= desc->position_tolerance && orientation <= desc->orientation_tolerance) {
        return ISO_OK;
    }
    char stopped[256], fast[256];
    list_stopped(run, q, false, stopped, sizeof stopped);
    list_stopped(run, q, true, fast, sizeof fast);
    return iso_fail(
        run->task->ctx, ISO_ERR_NO_CONVERGENCE, __func__,
        "program '%s', step '%s': the frame on body '%s' cannot follow its path at t = "
        "%g s: it stays %g m and %g rad behind, expected at most %g m and %g rad; joints "
        "at their limits: %s; at their velocity limits: %s",
        run->program->name, stage->name, iso_world_body_name(run->world, stage->body), run->time,
        position, orientation, desc->position_tolerance, desc->orientation_tolerance,
        stopped[0] != '\0' ? stopped : "none", fast[0] != '\0' ? fast : "none");
}

iso_status iso_program_track(const iso_program_run* run, const iso_program_stage* stage) {
    const iso_task_scratch* s = run->task->scratch;
    int n = run->program->joint_count;
    double q[ISO_BOX_QP_MAX], error[6];
    memcpy(q, run->n.q, (size_t)n * sizeof *q);
    iso_program_lead(run->program, q);
    iso_pose wanted = wanted_pose(run, stage);
    iso_status status = iso_program_place_ghost(run, q, false);
    for (int iteration = 0; status == ISO_OK; ++iteration) {
        measure_error(run, stage, &wanted, error);
        bool is_there = iteration > 0 && dot6(error, error) <= SMALL_ERROR * SMALL_ERROR;
        if (is_there || iteration == MAX_ITERATIONS) {
            break;
        }
        status = fill_problem(run, stage, error, q, iteration == 0);
        if (status != ISO_OK) {
            break;
        }
        iso_box_qp_solve(s->qp);
        for (int i = 0; i < n; ++i) {
            q[i] += s->qp->x[i];
        }
        iso_program_lead(run->program, q);
        status = iso_program_place_ghost(run, q, false);
    }
    if (status == ISO_OK) {
        status = check_error(run, stage, q);
    }
    for (int i = 0; i < n && status == ISO_OK; ++i) {
        run->n.v[i] = (q[i] - run->n.q[i]) / run->time_step;
        run->n.q[i] = q[i];
    }
    return status;
}
