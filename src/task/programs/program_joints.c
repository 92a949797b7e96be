// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The joints that a program drives, with the limits of what couplers tie to them.

#include "task/programs/program.h"

#include "base/core/fail.h"
#include "task/paths/lookup.h"

#include <math.h>

static iso_status fill_joint(iso_context* ctx, const iso_world* world, const iso_program_desc* desc,
                             iso_program* program, int i) {
    iso_program_joint* joint = &program->joints[i];
    const char* name = desc->actuators[i];
    iso_status status = iso_look_up_actuator(ctx, world, name, &joint->actuator);
    if (status != ISO_OK) {
        return status;
    }
    joint->joint = iso_world_actuator_joint(world, joint->actuator);
    ISO_REQUIRE(ctx, joint->joint >= 0, ISO_ERR_ARGUMENT,
                "actuator '%s' acts on a fixed tendon or contacts, expected one on a joint", name);
    for (int k = 0; k < i; ++k) {
        ISO_REQUIRE(ctx, program->joints[k].joint != joint->joint, ISO_ERR_ARGUMENT,
                    "actuator '%s' is there twice, or another one drives its joint", name);
    }
    iso_coordinates at = iso_world_coordinates(world, iso_world_joint_body(world, joint->joint));
    iso_joint_limits limits = iso_world_joint_limits(world, joint->joint);
    joint->q_index = at.q_index;
    joint->v_index = at.v_index;
    joint->lower = limits.lower;
    joint->upper = limits.upper;
    joint->lower_owner = joint->upper_owner = joint->joint;
    joint->velocity_limit =
        desc->velocity_limits != NULL ? desc->velocity_limits[i] : limits.velocity;
    joint->has_gains = iso_world_actuator_gains(world, joint->actuator).kp > 0.0;
    ISO_REQUIRE(ctx, joint->velocity_limit > 0.0 || desc->velocity_limits == NULL, ISO_ERR_RANGE,
                "the velocity limit of joint '%s' is %g, expected > 0",
                iso_world_joint_name(world, joint->joint), joint->velocity_limit);
    joint->posture = desc->posture != NULL ? desc->posture[i] : 0.0;
    return ISO_OK;
}

// With the limits of what follows the joint.
static iso_status check_range(iso_context* ctx, const iso_world* world, bool has_posture,
                              const iso_program_joint* joint) {
    const char* name = iso_world_joint_name(world, joint->joint);
    double q = joint->posture;
    char owner[256];
    ISO_REQUIRE(ctx, joint->lower <= joint->upper, ISO_ERR_RANGE,
                "joint '%s' has limits [%g, %g]%s, expected lower <= upper", name, joint->lower,
                joint->upper,
                iso_program_limit_owner(world, joint,
                                        joint->upper_owner != joint->joint ? INFINITY : -INFINITY,
                                        owner, sizeof owner));
    ISO_REQUIRE(ctx, !has_posture || (q >= joint->lower && q <= joint->upper), ISO_ERR_RANGE,
                "the posture of joint '%s' is %g, expected in [%g, %g]%s", name, q, joint->lower,
                joint->upper, iso_program_limit_owner(world, joint, q, owner, sizeof owner));
    return ISO_OK;
}

iso_status iso_program_fill_joints(iso_context* ctx, const iso_world* world,
                                   const iso_program_desc* desc, iso_program* program) {
    iso_status status = ISO_OK;
    for (int i = 0; i < desc->actuator_count && status == ISO_OK; ++i) {
        program->joint_count = i + 1;
        status = fill_joint(ctx, world, desc, program, i);
    }
    if (status == ISO_OK) {
        status = iso_program_couple(ctx, world, desc->velocity_limits != NULL, program);
    }
    for (int i = 0; i < program->joint_count && status == ISO_OK; ++i) {
        status = check_range(ctx, world, program->has_posture, &program->joints[i]);
    }
    return status;
}
