// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Inverse kinematics: Levenberg-Marquardt steps on the weighted errors of all targets and the gaps
// of couplers and rigid loop constraints; joints that push against a limit are held there.
// docs/theory/multibody.md.

#include "isobar/dynamics.h"

#include "world/state/world_state.h"

#include "base/core/fail.h"
#include "math/dense.h"
#include "math/limits.h"

#include <string.h>

// Largest turn or move of one step [rad] or [m].
#define LONGEST_MOVE 0.5

// Damping relative to the largest diagonal entry of J^T J: first, least, and where steps are too
// short to help.
#define FIRST_DAMPING 1e-3
#define LEAST_DAMPING 1e-12
#define MOST_DAMPING 1e8

iso_ik_target iso_ik_target_default(void) {
    iso_ik_target target = {.x_bt = iso_pose_identity(),
                            .x_wt = iso_pose_identity(),
                            .position_weight = 1.0,
                            .orientation_weight = 1.0};
    return target;
}

iso_ik_options iso_ik_options_default(void) {
    iso_ik_options options = {
        .position_tolerance = 1e-9, .orientation_tolerance = 1e-9, .max_iterations = 200};
    return options;
}

typedef struct search {
    iso_world* world;
    const iso_ik_target* targets;
    int target_count;
    const iso_ik_options* options;
    iso_kinematics kinematics;
    iso_closure closure;           //
    double *jacobian, *rows;       // [(6 * target_count + closing rows) * v_count], [6 * v_count]
    double *errors, *gradient;     // [6 * target_count + closing rows], [v_count]
    int row_count;                 // of both in the last measure()
    double *normal, *factor;       // [v_count * v_count] J^T J, damped and factored
    double *move, *next_q, *zeros; // [v_count], [q_count], [v_count]
    bool* is_held;                 // [v_count]
    iso_ik_report report;
} search;

static iso_status check_target(const iso_world* world, const iso_ik_target* target, int index) {
    ISO_REQUIRE(world->ctx, target->body >= 0 && target->body < world->multibody.body_count,
                ISO_ERR_RANGE, "target %d: body index %d, expected in [0, %d)", index, target->body,
                world->multibody.body_count);
    ISO_REQUIRE(world->ctx, iso_pose_is_rigid(&target->x_bt) && iso_pose_is_rigid(&target->x_wt),
                ISO_ERR_RANGE,
                "target %d: rotations of x_bt and x_wt are %g and %g off one, expected below 1e-6, "
                "and finite places",
                index, iso_pose_gap(&target->x_bt), iso_pose_gap(&target->x_wt));
    ISO_REQUIRE(world->ctx,
                isfinite(target->position_weight) && target->position_weight >= 0.0 &&
                    isfinite(target->orientation_weight) && target->orientation_weight >= 0.0,
                ISO_ERR_RANGE, "target %d: weights %g and %g, expected finite and >= 0", index,
                target->position_weight, target->orientation_weight);
    return ISO_OK;
}

static iso_status check(const iso_world* world, const iso_ik_target* targets, int target_count,
                        const iso_ik_options* options, const double* q) {
    ISO_REQUIRE(world->ctx, target_count >= 0 && (targets != NULL || target_count == 0) && q,
                ISO_ERR_ARGUMENT, "targets and q are required, %d targets", target_count);
    ISO_REQUIRE(world->ctx, target_count <= 10000, ISO_ERR_RANGE,
                "%d targets, expected at most 10000", target_count);
    ISO_REQUIRE(world->ctx,
                options->position_tolerance > 0.0 && options->orientation_tolerance > 0.0 &&
                    options->max_iterations > 0,
                ISO_ERR_RANGE, "tolerances %g m, %g rad, %d iterations, expected > 0",
                options->position_tolerance, options->orientation_tolerance,
                options->max_iterations);
    for (int i = 0; i < target_count; ++i) {
        iso_status status = check_target(world, &targets[i], i);
        if (status != ISO_OK) {
            return status;
        }
    }
    return iso_world_check_q(world, q);
}

static iso_status push_arrays(search* s) {
    iso_arena* arena = &s->world->scratch;
    const iso_multibody* mb = &s->world->multibody;
    int n = mb->v_count, rows = 6 * s->target_count + iso_closure_max_rows(&s->closure);
    s->jacobian = iso_arena_push_array(arena, rows, (size_t)n * sizeof(double));
    s->rows = iso_arena_push_array(arena, 6 * n, sizeof(double));
    s->errors = iso_arena_push_array(arena, rows, sizeof(double));
    s->gradient = iso_arena_push_array(arena, n, sizeof(double));
    s->normal = iso_arena_push_array(arena, n, (size_t)n * sizeof(double));
    s->factor = iso_arena_push_array(arena, n, (size_t)n * sizeof(double));
    s->move = iso_arena_push_array(arena, n, sizeof(double));
    s->zeros = iso_arena_push_array(arena, n, sizeof(double));
    s->next_q = iso_arena_push_array(arena, mb->q_count, sizeof(double));
    s->is_held = iso_arena_push_array(arena, n, sizeof *s->is_held);
    ISO_REQUIRE(s->world->ctx,
                s->jacobian && s->rows && s->errors && s->gradient && s->normal && s->factor &&
                    s->move && s->zeros && s->next_q && s->is_held,
                ISO_ERR_MEMORY, "%d targets of %d degrees of freedom", s->target_count, n);
    memset(s->zeros, 0, (size_t)n * sizeof(double));
    memset(s->is_held, 0, (size_t)n * sizeof *s->is_held);
    return iso_kinematics_push(mb, arena, &s->kinematics);
}

static void put(iso_vec3 v, double scale, double* out) {
    out[0] = scale * v.x;
    out[1] = scale * v.y;
    out[2] = scale * v.z;
}

// What couplers and rigid constraints lack at the kinematics of measure(), after the targets' rows;
// their Jacobian too when asked for.
static iso_status add_closure(search* s, const double* q, bool with_jacobian,
                              iso_ik_report* report) {
    const iso_multibody* mb = &s->world->multibody;
    iso_arena* arena = &s->world->scratch;
    int first = 6 * s->target_count, n = mb->v_count;
    s->row_count = first;
    if (iso_closure_max_rows(&s->closure) == 0) {
        return ISO_OK;
    }
    iso_arena_mark mark = iso_arena_get_mark(arena);
    iso_closure_rows rows;
    iso_status status =
        iso_closure_rows_push(&s->closure, mb, &s->kinematics, q, true, arena, &rows);
    for (int i = 0; status == ISO_OK && i < rows.count; ++i) {
        s->errors[first + i] = -rows.sizes[i];
        report->closure_error = fmax(report->closure_error, fabs(rows.sizes[i]));
    }
    if (status == ISO_OK) {
        if (rows.error > ISO_CLOSURE_TOLERATED) { // what no joint moves here may be open, too
            report->closure_error = fmax(report->closure_error, rows.error);
        }
        s->row_count = first + rows.count;
        if (with_jacobian && rows.count > 0) {
            memcpy(s->jacobian + (size_t)first * (size_t)n, rows.jacobian,
                   (size_t)rows.count * (size_t)n * sizeof(double));
        }
    }
    iso_arena_release(arena, mark);
    return status;
}

// Weighted errors (angular; linear) of every target at q, what couplers and constraints lack, and
// the report's largest; half the sum of the squares.
static iso_status measure(search* s, const double* q, double* errors, iso_ik_report* report,
                          double* out_cost) {
    double cost = 0.0, worst = -1.0;
    report->closure_error = 0.0;
    iso_multibody_kinematics(&s->world->multibody, q, s->zeros, &s->kinematics);
    if (s->world->has_motion) {
        iso_motions_place(&s->world->multibody, s->world->motions, 0.0, &s->kinematics);
    }
    report->position_error = report->orientation_error = 0.0;
    for (int i = 0; i < s->target_count; ++i) {
        const iso_ik_target* target = &s->targets[i];
        iso_pose x_wt = iso_pose_mul(&s->kinematics.x_wb[target->body], &target->x_bt);
        iso_mat3 r = iso_mat3_mul(target->x_wt.r, iso_mat3_transpose(x_wt.r));
        iso_vec3 turn = iso_quat_to_rotation_vector(iso_quat_from_mat3(&r));
        iso_vec3 move = iso_vec3_sub(target->x_wt.p, x_wt.p);
        put(turn, target->orientation_weight, errors + 6 * i);
        put(move, target->position_weight, errors + 6 * i + 3);
        double square = 0.0;
        for (int k = 0; k < 6; ++k) {
            square += errors[6 * i + k] * errors[6 * i + k];
        }
        cost += 0.5 * square;
        if (square > worst) {
            worst = square;
            report->worst_target = i;
        }
        if (target->position_weight > 0.0) {
            report->position_error = fmax(report->position_error, iso_vec3_norm(move));
        }
        if (target->orientation_weight > 0.0) {
            report->orientation_error = fmax(report->orientation_error, iso_vec3_norm(turn));
        }
    }
    iso_status status = add_closure(s, q, false, report);
    for (int i = 6 * s->target_count; i < s->row_count; ++i) {
        cost += 0.5 * errors[i] * errors[i];
    }
    *out_cost = cost;
    return status;
}

// Weighted Jacobian at the kinematics of the last measure(), J^T J and J^T e.
static iso_status linearize(search* s, const double* q) {
    int n = s->world->multibody.v_count;
    for (int i = 0; i < s->target_count; ++i) {
        const iso_ik_target* target = &s->targets[i];
        iso_vec3 p_wt = iso_pose_point(&s->kinematics.x_wb[target->body], target->x_bt.p);
        double* block = s->jacobian + 6 * i * n;
        iso_status status =
            iso_world_full_jacobian(s->world, &s->kinematics, target->body, p_wt, block);
        if (status != ISO_OK) {
            return status;
        }
        for (int k = 0; k < 6 * n; ++k) {
            block[k] *= k < 3 * n ? target->orientation_weight : target->position_weight;
        }
    }
    iso_ik_report unused = s->report;
    iso_status status = add_closure(s, q, true, &unused);
    if (status != ISO_OK) {
        return status;
    }
    memset(s->normal, 0, (size_t)n * (size_t)n * sizeof(double));
    memset(s->gradient, 0, (size_t)n * sizeof(double));
    iso_dense_add_atb(s->normal, n, 1.0, s->jacobian, n, s->jacobian, n, n, s->row_count, n);
    iso_dense_add_atx(s->gradient, 1.0, s->jacobian, n, s->errors, s->row_count, n);
    return ISO_OK;
}

static const iso_mb_body* limited_body(const search* s, int dof) {
    const iso_multibody* mb = &s->world->multibody;
    const iso_mb_body* body = &mb->bodies[mb->dof_body[dof]];
    return iso_mobility_has_one_dof(body->mobility) ? body : NULL;
}

// Joints that may not move in this step: fixed by the caller, or at a limit and pushed against it.
static void hold(search* s, const double* q, const double* direction) {
    for (int d = 0; d < s->world->multibody.v_count; ++d) {
        const iso_mb_body* body = limited_body(s, d);
        bool is_fixed = s->options->is_fixed != NULL && s->options->is_fixed[d];
        bool is_stopped =
            body != NULL && ((q[body->q_index] <= body->lower && direction[d] < 0.0) ||
                             (q[body->q_index] >= body->upper && direction[d] > 0.0));
        s->is_held[d] = is_fixed || is_stopped || (s->is_held[d] && direction != s->gradient);
    }
}

// (J^T J + damping) move = J^T e over the joints that are not held.
static bool solve_step(search* s, double damping) {
    int n = s->world->multibody.v_count;
    memcpy(s->factor, s->normal, (size_t)n * (size_t)n * sizeof(double));
    for (int d = 0; d < n; ++d) {
        s->move[d] = s->is_held[d] ? 0.0 : s->gradient[d];
        for (int k = 0; k < n; ++k) {
            if (s->is_held[d] || s->is_held[k]) {
                s->factor[d * n + k] = 0.0;
            }
        }
        s->factor[d * (n + 1)] += s->is_held[d] ? 1.0 : damping;
    }
    if (!iso_cholesky_factor(s->factor, n, n)) {
        return false;
    }
    iso_cholesky_solve(s->factor, n, n, s->move);
    return true;
}

// next_q = q moved, limits respected.
static void apply(search* s, const double* q) {
    const iso_multibody* mb = &s->world->multibody;
    double longest = 0.0;
    for (int d = 0; d < mb->v_count; ++d) {
        longest = fmax(longest, fabs(s->move[d]));
    }
    double scale = longest > LONGEST_MOVE ? LONGEST_MOVE / longest : 1.0;
    iso_multibody_integrate(mb, q, s->move, scale, s->next_q);
    for (int d = 0; d < mb->v_count; ++d) {
        const iso_mb_body* body = limited_body(s, d);
        if (body != NULL && !s->is_held[d]) {
            double* x = &s->next_q[body->q_index];
            *x = iso_clamp(*x, body->lower, body->upper);
        }
    }
}

static double largest_diagonal(const search* s) {
    int n = s->world->multibody.v_count;
    double most = 0.0;
    for (int d = 0; d < n; ++d) {
        most = fmax(most, s->normal[d * (n + 1)]);
    }
    return most;
}

static bool is_reached(const search* s) {
    return s->report.position_error <= s->options->position_tolerance &&
           s->report.orientation_error <= s->options->orientation_tolerance &&
           s->report.closure_error <= s->options->position_tolerance;
}

// One accepted step; none when none helps any more.
static iso_status improve(search* s, double* q, double* cost, double* damping,
                          bool* out_is_better) {
    double scale = largest_diagonal(s);
    *out_is_better = false;
    while (scale > 0.0 && *damping <= MOST_DAMPING) {
        hold(s, q, s->gradient);
        if (!solve_step(s, *damping * scale)) {
            *damping *= 10.0;
            continue;
        }
        hold(s, q, s->move); // a step against a limit is made again without that joint
        if (!solve_step(s, *damping * scale)) {
            *damping *= 10.0;
            continue;
        }
        apply(s, q);
        iso_ik_report report = s->report;
        double next = INFINITY;
        iso_status status = measure(s, s->next_q, s->errors, &report, &next);
        if (status != ISO_OK) {
            return status;
        }
        if (next < *cost) {
            s->report = report;
            *cost = next;
            memcpy(q, s->next_q, (size_t)s->world->multibody.q_count * sizeof(double));
            *damping = fmax(0.1 * *damping, LEAST_DAMPING);
            *out_is_better = true;
            return ISO_OK;
        }
        *damping *= 10.0;
    }
    return ISO_OK;
}

static int count_active(const search* s, const double* q) {
    int count = 0;
    for (int d = 0; d < s->world->multibody.v_count; ++d) {
        const iso_mb_body* body = limited_body(s, d);
        count +=
            body != NULL && (q[body->q_index] <= body->lower || q[body->q_index] >= body->upper);
    }
    return count;
}

static void start_within_limits(const search* s, double* q) {
    for (int d = 0; d < s->world->multibody.v_count; ++d) {
        const iso_mb_body* body = limited_body(s, d);
        bool is_fixed = s->options->is_fixed != NULL && s->options->is_fixed[d];
        if (body != NULL && !is_fixed) {
            q[body->q_index] = iso_clamp(q[body->q_index], body->lower, body->upper);
        }
    }
    iso_multibody_normalize(&s->world->multibody, q);
}

static iso_status fail_unreached(const search* s) {
    const iso_ik_report* report = &s->report;
    const char* name =
        s->target_count > 0 ? s->world->body_names[s->targets[report->worst_target].body] : "";
    ISO_REQUIRE(s->world->ctx,
                s->target_count == 0 ||
                    !iso_world_body_is_fixed(s->world, s->targets[report->worst_target].body),
                ISO_ERR_NO_CONVERGENCE,
                "target %d: body '%s' is fixed, no joint moves it; it stays off by %g m and %g rad",
                report->worst_target, name, report->position_error, report->orientation_error);
    return iso_fail(s->world->ctx, ISO_ERR_NO_CONVERGENCE, __func__,
                    "target %d (body '%s') was not reached in %d iterations: the largest errors "
                    "are %g m and %g rad, expected at most %g m and %g rad; couplers and "
                    "constraints are open by %g; %d joints stand at their limits",
                    report->worst_target, name, report->iterations, report->position_error,
                    report->orientation_error, s->options->position_tolerance,
                    s->options->orientation_tolerance, report->closure_error,
                    report->active_limit_count);
}

static iso_status run(search* s, double* q) {
    double damping = FIRST_DAMPING;
    iso_status status = push_arrays(s);
    if (status != ISO_OK) {
        return status;
    }
    start_within_limits(s, q);
    double cost = 0.0;
    bool is_better = true;
    ISO_TRY(measure(s, q, s->errors, &s->report, &cost));
    while (is_better && !is_reached(s) && s->report.iterations < s->options->max_iterations) {
        ISO_TRY(linearize(s, q));
        ++s->report.iterations;
        ISO_TRY(improve(s, q, &cost, &damping, &is_better));
    }
    s->report.active_limit_count = count_active(s, q);
    status = is_reached(s) ? ISO_OK : fail_unreached(s);
done:
    return status;
}

iso_status iso_world_inverse_kinematics(iso_world* world, const iso_ik_target* targets,
                                        int target_count, const iso_ik_options* options, double* q,
                                        iso_ik_report* out_report) {
    ISO_REQUIRE(NULL, world != NULL, ISO_ERR_ARGUMENT, "world is required");
    iso_ik_options settings = options != NULL ? *options : iso_ik_options_default();
    iso_status status = check(world, targets, target_count, &settings, q);
    if (status == ISO_OK) {
        status = iso_arena_reset(&world->scratch);
    }
    if (status != ISO_OK) {
        return status;
    }
    search s = {.world = world,
                .targets = targets,
                .target_count = target_count,
                .options = &settings,
                .closure = iso_world_closure(world)};
    status = run(&s, q);
    if (out_report != NULL) {
        *out_report = s.report;
    }
    return status;
}
