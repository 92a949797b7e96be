// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// What moves with the joints of a program because couplers tie it to them: docs/theory/task.md.

#include "task/programs/program.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"

#include <math.h>
#include <stdio.h>

// Limits and ratios that differ by less, relative, differ by rounding.
#define ROUNDING 1e-9
// How far positions that a program gives to coupled joints may be from fitting, as either of them
// sees it [rad] or [m].
#define FIT_TOLERANCE 1e-3

// --- who follows whom ----------------------------------------------------------------------------

/// How a joint hangs on a leader, if it does.
typedef struct tie {
    bool is_there;
    double ratio, offset;
} tie;

static tie find_tie(const iso_program* program, int leader, int joint) {
    if (program->joints[leader].joint == joint) {
        return (tie){true, 1.0, 0.0};
    }
    for (int i = 0; i < program->follower_count; ++i) {
        const iso_program_follower* f = &program->followers[i];
        if (f->leader == leader && f->joint == joint) {
            return (tie){true, f->ratio, f->offset};
        }
    }
    return (tie){false, 0.0, 0.0};
}

static void add_follower(const iso_world* world, iso_program* program, int leader, int joint,
                         double ratio, double offset) {
    iso_coordinates at = iso_world_coordinates(world, iso_world_joint_body(world, joint));
    iso_program_follower* f = &program->followers[program->follower_count++];
    *f = (iso_program_follower){leader, -1, joint, at.q_index, at.v_index, ratio, offset};
    for (int i = 0; i < program->joint_count; ++i) {
        if (program->joints[i].joint == joint) {
            program->joints[i].is_tied = true;
            f->own = i;
        }
    }
}

// Whether a joint on one end follows the other by ratio and offset, from the start on.
static bool is_line(const iso_coupler_state* c) {
    bool is_straight = c->is_on;
    for (int k = 0; k < ISO_COUPLER_CURVE; ++k) {
        is_straight = is_straight && c->curve[k] == 0.0;
    }
    return is_straight;
}

// One look at all couplers; does it find followers that were not known?
static iso_status follow_couplers(iso_context* ctx, const iso_world* world, int leader,
                                  iso_program* program, bool* out_has_grown) {
    *out_has_grown = false;
    for (int i = 0; i < iso_world_coupler_count(world); ++i) {
        iso_coupler_state c = iso_world_coupler(world, i);
        if (!is_line(&c)) {
            continue;
        }
        tie a = find_tie(program, leader, c.joint_a), b = find_tie(program, leader, c.joint_b);
        if (a.is_there && b.is_there) {
            ISO_REQUIRE(ctx, fabs(b.ratio - c.ratio * a.ratio) <= ROUNDING * fabs(b.ratio),
                        ISO_ERR_ARGUMENT,
                        "joint '%s' cannot move: coupler '%s' contradicts the others",
                        iso_world_joint_name(world, program->joints[leader].joint), c.name);
        } else if (a.is_there) {
            add_follower(world, program, leader, c.joint_b, c.ratio * a.ratio,
                         c.ratio * a.offset + c.offset);
            *out_has_grown = true;
        } else if (b.is_there) {
            add_follower(world, program, leader, c.joint_a, b.ratio / c.ratio,
                         (b.offset - c.offset) / c.ratio);
            *out_has_grown = true;
        }
    }
    return ISO_OK;
}

// --- bounds --------------------------------------------------------------------------------------

static bool is_more(double a, double b) {
    return a - b > ROUNDING * (1.0 + fabs(b));
}

// Nobody drives a follower that the program does not name: a velocity limit of 0 is one that its
// file does not know.
static void bound_velocity(const iso_program* program, const iso_program_follower* f, double own,
                           iso_program_joint* leader) {
    double limit = f->own >= 0 ? program->joints[f->own].velocity_limit : own;
    if (f->own >= 0 || limit > 0.0) {
        leader->velocity_limit = fmin(leader->velocity_limit, limit / fabs(f->ratio));
    }
}

static void bound_leader(const iso_world* world, const iso_program_follower* f,
                         bool has_velocity_limits, iso_program* program) {
    iso_program_joint* leader = &program->joints[f->leader];
    iso_joint_limits limits = iso_world_joint_limits(world, f->joint);
    double first = (limits.lower - f->offset) / f->ratio;
    double second = (limits.upper - f->offset) / f->ratio;
    double lower = fmin(first, second), upper = fmax(first, second);
    if (isfinite(lower) && (isinf(leader->lower) || is_more(lower, leader->lower))) {
        leader->lower = lower;
        leader->lower_owner = f->joint;
    }
    if (isfinite(upper) && (isinf(leader->upper) || is_more(leader->upper, upper))) {
        leader->upper = upper;
        leader->upper_owner = f->joint;
    }
    if (f->own >= 0 || !has_velocity_limits) {
        bound_velocity(program, f, limits.velocity, leader);
    }
}

iso_status iso_program_couple(iso_context* ctx, const iso_world* world, bool has_velocity_limits,
                              iso_program* program) {
    program->followers =
        iso_alloc_array(ctx, iso_world_coupler_count(world), sizeof *program->followers);
    ISO_REQUIRE(ctx, program->followers, ISO_ERR_MEMORY, "followers");
    for (int i = 0; i < program->joint_count; ++i) {
        bool has_grown = !program->joints[i].is_tied;
        while (has_grown) {
            iso_status status = follow_couplers(ctx, world, i, program, &has_grown);
            if (status != ISO_OK) {
                return status;
            }
        }
    }
    for (int i = 0; i < program->follower_count; ++i) {
        bound_leader(world, &program->followers[i], has_velocity_limits, program);
    }
    return ISO_OK;
}

const char* iso_program_limit_owner(const iso_world* world, const iso_program_joint* joint,
                                    double q, char* text, size_t size) {
    int owner = q > joint->upper ? joint->upper_owner : joint->lower_owner;
    text[0] = '\0';
    if (owner != joint->joint) {
        (void)snprintf(text, size, ", by the limits of joint '%s', which is coupled to it",
                       iso_world_joint_name(world, owner));
    }
    return text;
}

// --- motions -------------------------------------------------------------------------------------

iso_status iso_program_couple_positions(iso_context* ctx, const iso_world* world,
                                        const iso_program* program, iso_program_stage* stage) {
    int n = program->joint_count;
    for (int i = 0; i < program->follower_count; ++i) {
        const iso_program_follower* f = &program->followers[i];
        if (f->own < 0) {
            continue;
        }
        const char* name = iso_world_joint_name(world, f->joint);
        const char* leader = iso_world_joint_name(world, program->joints[f->leader].joint);
        bool stays = stage->is_kept != NULL && stage->is_kept[f->own];
        bool leader_stays = stage->is_kept != NULL && stage->is_kept[f->leader];
        ISO_REQUIRE(ctx, stays == leader_stays, ISO_ERR_ARGUMENT,
                    "joint '%s' is to move and joint '%s', coupled to it, to stay: move both or "
                    "name one of them in the program",
                    stays ? leader : name, stays ? name : leader);
        double offset = stage->desc.is_relative ? 0.0 : f->offset;
        for (int k = 0; k < stage->desc.keyframe_count && !stays; ++k) {
            double* q = &stage->positions[k * n + f->own];
            double expected = f->ratio * stage->positions[k * n + f->leader] + offset;
            ISO_REQUIRE(ctx, fabs(*q - expected) <= FIT_TOLERANCE * fmin(1.0, fabs(f->ratio)),
                        ISO_ERR_RANGE,
                        "keyframe %d moves joint '%s' to %g, expected %g, to where joint '%s' "
                        "brings it through couplers",
                        k + 1, name, *q, expected, leader);
            *q = expected;
        }
    }
    return ISO_OK;
}

void iso_program_spread(const iso_program* program, const double* rates, double* dofs) {
    for (int i = 0; i < program->joint_count; ++i) {
        dofs[program->joints[i].v_index] = rates[i];
    }
    for (int i = 0; i < program->follower_count; ++i) {
        const iso_program_follower* f = &program->followers[i];
        dofs[f->v_index] = f->ratio * rates[f->leader];
    }
}

double iso_program_gather(const iso_program* program, int joint, const double* dofs,
                          bool has_named) {
    double sum = dofs[program->joints[joint].v_index];
    for (int i = 0; i < program->follower_count; ++i) {
        const iso_program_follower* f = &program->followers[i];
        if (f->leader == joint && (has_named || f->own < 0)) {
            sum += f->ratio * dofs[f->v_index];
        }
    }
    return sum;
}

void iso_program_lead(const iso_program* program, double* q) {
    for (int i = 0; i < program->follower_count; ++i) {
        const iso_program_follower* f = &program->followers[i];
        if (f->own >= 0) {
            q[f->own] = f->ratio * q[f->leader] + f->offset;
        }
    }
}
