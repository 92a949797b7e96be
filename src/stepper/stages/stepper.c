// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "stepper/stages/stages.h"

#include "base/core/alloc.h"
#include "base/system/clock.h"
#include "contact/pairs/stretched.h"

#include <string.h>

// Residual allowed, relative to momenta. Newton converges quadratically, so the two digits beyond
// the usual 1e-6 cost half an iteration a step; they keep the forces on fast bodies exact.
#define RELATIVE_TOLERANCE 1e-8
// and as a share of the accuracy of an error control, which sees what is left over: its two
// solutions differ by that. A fifth to a third of the iterations less.
#define ACCURACY_SHARE 1e-4
#define LOOSEST_TOLERANCE 1e-3

// Residual allowed of a step that takes no iteration at all. What comes to rest would else keep
// velocities that only its heaviest neighbours can be said to have: 1e-7 m/s of a light box between
// heavy ones. One more iteration in the steps before rest, none after.
#define START_TOLERANCE 1e-12

// A line search this inexact takes 4% more Newton steps than one to 1e-3, with 30% fewer
// evaluations, which cost half as much as those of a Newton step.
#define LINE_TOLERANCE 1e-1

// A whole step that goes down half as far as on a parabola is as good as one that was searched for.
#define LINE_DESCENT 0.25

// Residual allowed where steps are compared: what is left over by RELATIVE_TOLERANCE is that of one
// Newton step less, which small changes of the state move in proportion.
#define CLOSE_TOLERANCE 1e-14

// Then friction is made smoother first (stage_advance.c).
#define MOST_ITERATIONS 200

// Grows to what the largest step needs.
#define FIRST_ARENA_BYTES ((size_t)1 << 16)

void iso_stages_lap(iso_stages* stages, int stage) {
    double now = iso_clock_seconds();
    stages->report.stage_seconds[stage - 1] += now - stages->lap;
    stages->lap = now;
}

const char* iso_stepper_body_name(const iso_stepper* stepper, int body) {
    const char* const* names = stepper->dynamics.body_names;
    bool has_name = names && body >= 0 && body < stepper->dynamics.multibody->body_count;
    return has_name && names[body] ? names[body] : "?";
}

static bool are_finite(const double* x, int count) {
    bool are_all = true;
    for (int i = 0; i < count; ++i) {
        are_all &= isfinite(x[i]) != 0;
    }
    return are_all;
}

int iso_find_non_finite(const iso_multibody* multibody, const double* q, const double* v) {
    if (are_finite(q, multibody->q_count) && are_finite(v, multibody->v_count)) {
        return -1;
    }
    for (int b = 1; b < multibody->body_count; ++b) {
        const iso_mb_body* body = &multibody->bodies[b];
        for (int i = 0; i < iso_mobility_q_count(body->mobility); ++i) {
            if (!isfinite(q[body->q_index + i])) {
                return b;
            }
        }
        for (int i = 0; i < iso_mobility_v_count(body->mobility); ++i) {
            if (!isfinite(v[body->v_index + i])) {
                return b;
            }
        }
    }
    return -1;
}

static bool has_one_dof(const iso_multibody* multibody, int body) {
    return body > 0 && body < multibody->body_count &&
           iso_mobility_has_one_dof(multibody->bodies[body].mobility);
}

static bool has_one_tree(const iso_multibody* multibody, const iso_fixed_tendon* tendon) {
    int tree = iso_fixed_tendon_tree(tendon, multibody);
    bool is_one = tree >= 0;
    for (int i = 0; i < tendon->part_count; ++i) {
        const iso_route_part* part = &tendon->parts[i];
        if (part->kind == ISO_ROUTE_PULLEY) {
            continue;
        }
        int own = multibody->bodies[part->body].tree;
        int other = part->other >= 0 ? multibody->bodies[part->other].tree : -1;
        is_one = is_one && (own < 0 || own == tree) && (other < 0 || other == tree);
    }
    return is_one;
}

static iso_status check_tendons(iso_context* ctx, const iso_dynamics* dynamics) {
    const iso_multibody* multibody = dynamics->multibody;
    for (int i = 0; i < dynamics->tendon_count; ++i) {
        const iso_fixed_tendon* tendon = &dynamics->tendons[i];
        bool has_joints = tendon->count > 0 && tendon->part_count == 0;
        for (int k = 0; k < tendon->count; ++k) {
            has_joints = has_joints && has_one_dof(multibody, tendon->bodies[k]) &&
                         multibody->bodies[tendon->bodies[k]].tree ==
                             multibody->bodies[tendon->bodies[0]].tree;
        }
        ISO_REQUIRE(ctx, tendon->part_count == 0 || has_one_tree(multibody, tendon),
                    ISO_ERR_ARGUMENT,
                    "route of tendon %d: expected that a joint moves it, and "
                    "all that moves is of one tree",
                    i);
        ISO_REQUIRE(ctx, has_joints || tendon->part_count > 0, ISO_ERR_ARGUMENT,
                    "fixed tendon %d runs over %d joints, expected joints of one degree of freedom "
                    "of one tree",
                    i, tendon->count);
    }
    return ISO_OK;
}

static iso_status check_dynamics(iso_context* ctx, const iso_dynamics* dynamics) {
    const iso_multibody* multibody = dynamics->multibody;
    ISO_REQUIRE(ctx, dynamics->actuator_count == 0 || dynamics->actuators, ISO_ERR_ARGUMENT,
                "%d actuators without an array", dynamics->actuator_count);
    for (int i = 0; i < dynamics->actuator_count; ++i) {
        const iso_actuator* actuator = &dynamics->actuators[i];
        bool has_tendon = actuator->body == -1 && actuator->tendon >= 0 &&
                          actuator->tendon < dynamics->tendon_count;
        bool has_body = iso_actuator_is_adhesion(actuator) && actuator->adhesion_body >= 0 &&
                        actuator->adhesion_body < multibody->body_count;
        ISO_REQUIRE(ctx, has_tendon || has_body || has_one_dof(multibody, actuator->body),
                    ISO_ERR_ARGUMENT,
                    "actuator %d drives body %d, expected a joint of one degree of freedom", i,
                    actuator->body);
        ISO_REQUIRE(ctx,
                    actuator->kp >= 0.0 && actuator->kd >= 0.0 && isfinite(actuator->kp) &&
                        isfinite(actuator->kd) && actuator->effort_lower <= actuator->effort_upper,
                    ISO_ERR_RANGE,
                    "actuator %d: kp %g, kd %g, effort %g to %g, expected finite gains >= 0 and "
                    "lower <= upper",
                    i, actuator->kp, actuator->kd, actuator->effort_lower, actuator->effort_upper);
    }
    return ISO_OK;
}

// Fixed steps that minimise, all forces being those of the end.
static bool may_repeat(const iso_stepper* stepper) {
    const iso_method_row* method = stepper->method;
    return stepper->dynamics.contact && !stepper->settings.error_control &&
           method->step == iso_stepper_step_convex && !method->takes_the_middle;
}

static iso_status copy_lists(iso_stepper* stepper, const iso_dynamics* dynamics) {
    iso_context* ctx = stepper->ctx;
    const iso_multibody* multibody = dynamics->multibody;
    int actuators = dynamics->actuator_count;
    stepper->actuators = iso_alloc_array(ctx, actuators, sizeof *stepper->actuators);
    stepper->limited = iso_alloc_array(ctx, multibody->body_count, sizeof *stepper->limited);
    stepper->friction_dofs =
        iso_alloc_array(ctx, multibody->v_count, sizeof *stepper->friction_dofs);
    ISO_REQUIRE(ctx, stepper->actuators && stepper->limited && stepper->friction_dofs,
                ISO_ERR_MEMORY, "stepper of %d bodies and %d actuators", multibody->body_count,
                actuators);
    for (int i = 0; i < actuators; ++i) {
        stepper->actuators[i] = dynamics->actuators[i];
        stepper->adhesion_count += iso_actuator_is_adhesion(&dynamics->actuators[i]);
    }
    stepper->dynamics = *dynamics;
    stepper->dynamics.told = dynamics->told ? dynamics->told : &stepper->own_told;
    stepper->dynamics.actuators = stepper->actuators;
    for (int i = 0; i < dynamics->tendon_count; ++i) {
        const iso_fixed_tendon* tendon = &dynamics->tendons[i];
        stepper->tendon_law_count += iso_fixed_tendon_has_laws(tendon) || tendon->is_off;
    }
    for (int b = 1; b < multibody->body_count; ++b) {
        const iso_mb_body* body = &multibody->bodies[b];
        if (iso_mobility_has_one_dof(body->mobility) &&
            (isfinite(body->lower) || isfinite(body->upper))) {
            stepper->limited[stepper->limited_count++] = b;
        }
        stepper->has_springs = stepper->has_springs || body->stiffness > 0.0;
    }
    for (int d = 0; d < multibody->v_count; ++d) {
        if (multibody->bodies[multibody->dof_body[d]].friction > 0.0) {
            stepper->friction_dofs[stepper->friction_count++] = d;
        }
    }
    return ISO_OK;
}

iso_status iso_stepper_set_closure(iso_stepper* stepper, const iso_closure* closure) {
    iso_context* ctx = stepper->ctx;
    size_t constraint_bytes = (size_t)closure->constraint_count * sizeof *closure->constraints;
    size_t coupler_bytes = (size_t)closure->coupler_count * sizeof *closure->couplers;
    iso_constraint* constraints =
        iso_alloc_array(ctx, closure->constraint_count, sizeof *constraints);
    iso_coupler* couplers = iso_alloc_array(ctx, closure->coupler_count, sizeof *couplers);
    if (!constraints || !couplers) {
        iso_free(ctx, constraints);
        iso_free(ctx, couplers);
        return iso_fail(ctx, ISO_ERR_MEMORY, __func__, "%d constraints and %d couplers",
                        closure->constraint_count, closure->coupler_count);
    }
    if (constraint_bytes > 0) {
        memcpy(constraints, closure->constraints, constraint_bytes);
    }
    if (coupler_bytes > 0) {
        memcpy(couplers, closure->couplers, coupler_bytes);
    }
    iso_free(ctx, (void*)(uintptr_t)stepper->closure.constraints);
    iso_free(ctx, (void*)(uintptr_t)stepper->closure.couplers);
    stepper->rest.is_found = false;
    stepper->closure =
        (iso_closure){constraints, closure->constraint_count, couplers, closure->coupler_count};
    iso_repeat_mark_joints(stepper);
    return ISO_OK;
}

void iso_stepper_told_init(iso_stepper_told* told) {
    atomic_init(&told->is_fallback, false);
    atomic_init(&told->is_friction, false);
    atomic_init(&told->is_gaining, false);
    atomic_init(&told->is_soft, false);
    atomic_init(&told->is_coupled, false);
    atomic_init(&told->is_far, false);
}

iso_status iso_stepper_create(iso_context* ctx, const iso_dynamics* dynamics,
                              const iso_world_desc* settings, iso_stepper** out_stepper) {
    ISO_REQUIRE(ctx, dynamics && dynamics->multibody && settings && out_stepper, ISO_ERR_ARGUMENT,
                "dynamics with a multibody, settings and out_stepper are required");
    *out_stepper = NULL;
    ISO_REQUIRE(ctx, isfinite(settings->time_step) && settings->time_step > 0.0, ISO_ERR_RANGE,
                "time step is %g s, expected finite and > 0", settings->time_step);
    iso_status status = check_dynamics(ctx, dynamics);
    status = status == ISO_OK ? check_tendons(ctx, dynamics) : status;
    if (status != ISO_OK) {
        return status;
    }
    const iso_method_row* method = iso_method_row_of(settings->method);
    ISO_REQUIRE(ctx, method, ISO_ERR_ARGUMENT, "method is %d", (int)settings->method);
    iso_stepper* stepper = iso_alloc_zeroed(ctx, sizeof *stepper);
    ISO_REQUIRE(ctx, stepper, ISO_ERR_MEMORY, "stepper");
    stepper->ctx = ctx;
    stepper->settings = *settings;
    if (method->table && method->table->embedded_order == 0) { // a first substep is error control's
        stepper->settings.initial_step = 0.0;
    }
    stepper->method = method;
    iso_stepper_told_init(&stepper->own_told);
    if (dynamics->contact) {
        iso_contact_system_allow_stretch(
            dynamics->contact, !iso_stepper_is_velocity_level(settings->method), method->may_stick);
    }
    stepper->convex = iso_convex_options_default();
    double share = settings->error_control ? ACCURACY_SHARE * settings->accuracy : 0.0;
    stepper->convex.relative_tolerance = fmax(RELATIVE_TOLERANCE, fmin(share, LOOSEST_TOLERANCE));
    stepper->convex.start_tolerance = START_TOLERANCE;
    stepper->convex.line_tolerance = LINE_TOLERANCE;
    stepper->convex.line_descent = LINE_DESCENT;
    stepper->convex.max_iterations = MOST_ITERATIONS;
    stepper->solver.matrix.ctx = ctx;
    stepper->arena.ctx = stepper->patches[0].ctx = stepper->patches[1].ctx = ctx;
    ISO_TRY(copy_lists(stepper, dynamics));
    if (may_repeat(stepper)) {
        ISO_TRY(iso_repeat_create(ctx, dynamics, &stepper->repeat));
    }
    ISO_TRY(iso_stepper_set_closure(stepper, &dynamics->closure));
    ISO_TRY(iso_arena_init(&stepper->arena, ctx, FIRST_ARENA_BYTES));
    ISO_TRY(iso_arena_init(&stepper->patches[0], ctx, 0));
    ISO_TRY(iso_arena_init(&stepper->patches[1], ctx, 0));
    if (settings->thread_count > 1) {
        ISO_TRY(iso_task_pool_create(ctx, settings->thread_count, &stepper->pool));
        stepper->solver.pool = stepper->pool;
    }
    *out_stepper = stepper;

done:
    if (status != ISO_OK) {
        iso_stepper_destroy(ctx, stepper);
    }
    return status;
}

void iso_stepper_solve_closely(iso_stepper* stepper) {
    stepper->convex.relative_tolerance = CLOSE_TOLERANCE;
    stepper->convex.start_tolerance = CLOSE_TOLERANCE;
}

void iso_stepper_destroy(iso_context* ctx, iso_stepper* stepper) {
    if (!stepper) {
        return;
    }
    if (stepper->pool) {
        iso_task_pool_destroy(stepper->pool);
    }
    iso_convex_solver_destroy(&stepper->solver);
    iso_repeat_destroy(ctx, stepper->repeat);
    iso_arena_destroy(&stepper->arena);
    iso_arena_destroy(&stepper->patches[0]);
    iso_arena_destroy(&stepper->patches[1]);
    ISO_ARRAY_FREE(ctx, &stepper->kept);
    iso_free(ctx, stepper->limited);
    iso_free(ctx, stepper->friction_dofs);
    iso_free(ctx, (void*)(uintptr_t)stepper->closure.constraints);
    iso_free(ctx, (void*)(uintptr_t)stepper->closure.couplers);
    iso_free(ctx, stepper->actuators);
    iso_free(ctx, stepper);
}

// The new state leaves the stepper only here, when all went well.
static void hand_over(const iso_stages* stages, iso_step_output* output) {
    const iso_multibody* multibody = stages->stepper->dynamics.multibody;
    memcpy(output->q, stages->q, (size_t)multibody->q_count * sizeof *output->q);
    memcpy(output->v, stages->end_v, (size_t)multibody->v_count * sizeof *output->v);
    output->report = stages->report;
    output->shares = stages->shares;
}

static iso_status take_step(iso_stages* stages, iso_step_output* output) {
    const iso_method_row* method = stages->stepper->method;
    iso_status status = ISO_OK;
    ISO_TRY(iso_stage_kinematics(stages)); // 1
    ISO_TRY(method->takes_the_middle ? iso_midpoint_contacts(stages)
                                     : iso_stage_contacts(stages)); // 2, 3
    ISO_TRY(iso_stage_dynamics(stages));   // 5, as 4 needs the effective masses
    ISO_TRY(iso_stage_potentials(stages)); // 4
    ISO_TRY(iso_stage_advance(stages));    // 6
    ISO_TRY(iso_stage_results(stages, output));
    hand_over(stages, output);
done:
    return status;
}

iso_status iso_stepper_step_velocities(iso_stepper* stepper, const iso_step_input* input, double dt,
                                       iso_step_output* output) {
    const iso_stages fresh = {
        .stepper = stepper,
        .input = input,
        .report = {.slowest_body = -1, .reason_body_a = -1, .reason_body_b = -1},
        .span = dt,
        .lap = iso_clock_seconds()};
    iso_stages stages = fresh;
    stages.may_repeat = stepper->repeat != NULL;
    iso_status status = take_step(&stages, output);
    if (status == ISO_ERR_NO_CONVERGENCE && stages.is_repeated) { // friction is smoothed for all
        stages = fresh;
        status = take_step(&stages, output);
    }
    return status;
}

iso_status iso_stepper_step_convex(iso_stepper* stepper, const iso_step_input* input,
                                   iso_step_output* output) {
    return iso_stepper_step_velocities(stepper, input, stepper->settings.time_step, output);
}

iso_status iso_stepper_step(iso_stepper* stepper, const iso_step_input* input,
                            iso_step_output* output) {
    if (stepper->settings.error_control &&
        iso_stepper_is_velocity_level(stepper->settings.method)) {
        return iso_stepper_step_adaptive(stepper, input, output);
    }
    iso_status status = iso_arena_reset(&stepper->arena);
    if (status != ISO_OK) {
        return status;
    }
    return stepper->method->step(stepper, input, output);
}

iso_status iso_stepper_contacts(iso_stepper* stepper, const iso_step_input* input,
                                iso_contact_result* out_result, iso_step_report* out_report,
                                const iso_step_loads* loads) {
    *out_result = (iso_contact_result){0};
    stepper->rest.is_found = false; // its arrays go
    iso_stages stages = {.stepper = stepper,
                         .input = input,
                         .report = {.slowest_body = -1, .reason_body_a = -1, .reason_body_b = -1},
                         .span = stepper->settings.time_step,
                         .lap = iso_clock_seconds()};
    iso_status status = ISO_OK;
    ISO_TRY(iso_arena_reset(&stepper->arena));
    ISO_TRY(iso_stage_kinematics(&stages));
    ISO_TRY(iso_stage_contacts(&stages));
    ISO_TRY(iso_continuous_contacts(&stages, out_result));
    if (loads) {
        ISO_TRY(iso_continuous_loads(&stages, loads));
    }
    *out_report = stages.report;
done:
    return status;
}
