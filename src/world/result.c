// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// What a step came to, before it becomes the state: nothing that restoring that state would refuse.

#include "world/state/world_state.h"

#include "base/core/fail.h"
#include "base/core/log.h"
#include "math/limits.h"

static bool are_near(const double* x, int count, double farthest) {
    bool are_all = true;
    for (int i = 0; i < count; ++i) {
        are_all &= fabs(x[i]) <= farthest;
    }
    return are_all;
}

// Steps of rk4 too long for stiff contacts feed energy in until all flies off.
static const char* runaway_cure(const iso_world* world) {
    return world->desc.method == ISO_METHOD_RK4 ? ": rk4 is unstable where steps are long for "
                                                  "stiff contacts and friction; a smaller "
                                                  "time_step or rk45 is not"
                                                : "";
}

static iso_status check_joint(const iso_world* world, int b, const char* what, const double* x,
                              int count) {
    const char* joint = world->joint_names[b];
    for (int i = 0; i < count; ++i) {
        ISO_REQUIRE(world->ctx, fabs(x[i]) <= ISO_FARTHEST, ISO_ERR_NUMERIC,
                    "%s of %s '%s' is %g after the step, expected at most %g%s", what,
                    joint != NULL ? "joint" : "body", joint != NULL ? joint : world->body_names[b],
                    x[i], ISO_FARTHEST, runaway_cure(world));
    }
    return ISO_OK;
}

static iso_status check_motion(const iso_world* world, const double* q, const double* v) {
    const iso_multibody* mb = &world->multibody;
    if (are_near(q, mb->q_count, ISO_FARTHEST) && are_near(v, mb->v_count, ISO_FARTHEST)) {
        return ISO_OK;
    }
    for (int b = 1; b < mb->body_count; ++b) {
        const iso_mb_body* body = &mb->bodies[b];
        iso_status status = check_joint(world, b, "position", q + body->q_index,
                                        iso_mobility_q_count(body->mobility));
        if (status == ISO_OK) {
            status = check_joint(world, b, "velocity", v + body->v_index,
                                 iso_mobility_v_count(body->mobility));
        }
        if (status != ISO_OK) {
            return status;
        }
    }
    return ISO_OK;
}

// Where a joint slides, or a body is free: angles may grow as they like.
static bool is_way(iso_mobility mobility, int i) {
    return (mobility == ISO_MOBILITY_FREE && i >= 4) ||
           (mobility == ISO_MOBILITY_PLANAR && i < 2) || mobility == ISO_MOBILITY_PRISMATIC;
}

// Whoever looks at results alone would not see that something fell off and falls on, up to where
// it is an error.
static void warn_of_far(const iso_world* world, const double* q) {
    const iso_multibody* mb = &world->multibody;
    if (are_near(q, mb->q_count, ISO_FILE_FARTHEST) || atomic_load(&world->told->is_far)) {
        return;
    }
    for (int b = 1; b < mb->body_count; ++b) {
        const iso_mb_body* body = &mb->bodies[b];
        for (int i = 0; i < iso_mobility_q_count(body->mobility); ++i) {
            double x = q[body->q_index + i];
            if (is_way(body->mobility, i) && fabs(x) > ISO_FILE_FARTHEST &&
                !atomic_exchange(&world->told->is_far, true)) {
                iso_log(
                    world->ctx, ISO_LOG_WARNING,
                    "body '%s' left the scene: a coordinate of it is %.3g m at t = %g s; expected "
                    "at most %g m. It fell off, or was thrown out by forces or steps out of "
                    "proportion; from %g m on it is an error",
                    world->body_names[b], x, world->time + world->desc.time_step, ISO_FILE_FARTHEST,
                    ISO_FARTHEST);
            }
        }
    }
}

static iso_status check_ledger(const iso_world* world, const iso_works* works, double stretch) {
    iso_works sum = world->works;
    iso_works_add(&sum, works);
    const struct {
        const char* name;
        double value;
    } rows[] = {{"actuation", sum.actuation},
                {"applied wrenches", sum.applied},
                {"contact", sum.contact},
                {"friction", sum.friction},
                {"damping in contacts", sum.contact_damping},
                {"damping", sum.damping},
                {"constraints", sum.constraint},
                {"joint limits", sum.limit},
                {"stretches", world->booked_stretch + stretch}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        ISO_REQUIRE(world->ctx, isfinite(rows[i].value), ISO_ERR_NUMERIC,
                    "work of %s is %g J after the step, expected finite", rows[i].name,
                    rows[i].value);
    }
    return ISO_OK;
}

static iso_status check_efforts(const iso_world* world, const iso_step_output* output) {
    for (int i = 0; i < world->actuator_count; ++i) {
        ISO_REQUIRE(world->ctx, isfinite(output->efforts[i]), ISO_ERR_NUMERIC,
                    "effort of actuator '%s' is %g, expected finite", world->actuators[i].name,
                    output->efforts[i]);
    }
    for (int i = 0; i < world->constraint_count; ++i) {
        iso_spatial f = output->constraint_forces[i];
        ISO_REQUIRE(
            world->ctx, iso_vec3_is_finite(f.rotational) && iso_vec3_is_finite(f.translational),
            ISO_ERR_NUMERIC, "force of constraint '%s' is not finite", world->constraint_names[i]);
    }
    for (int i = 0; i < world->coupler_count; ++i) {
        ISO_REQUIRE(world->ctx, isfinite(output->tie_efforts[i]), ISO_ERR_NUMERIC,
                    "effort of coupler '%s' is %g, expected finite", world->coupler_names[i],
                    output->tie_efforts[i]);
    }
    for (int i = 0; i < world->tendon_count; ++i) {
        double effort = output->tie_efforts[world->coupler_count + i];
        ISO_REQUIRE(world->ctx, isfinite(effort), ISO_ERR_NUMERIC,
                    "effort of the limits of tendon '%s' is %g, expected finite",
                    world->tendon_names[i], effort);
    }
    return ISO_OK;
}

iso_status iso_world_check_output(const iso_world* world, const iso_step_output* output) {
    iso_status status = check_motion(world, output->q, output->v);
    status = status == ISO_OK ? check_efforts(world, output) : status;
    status =
        status == ISO_OK ? check_ledger(world, &output->works, output->booked_stretch) : status;
    if (status == ISO_OK) {
        warn_of_far(world, output->q);
    }
    return status;
}
