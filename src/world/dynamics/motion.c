// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Fixed bodies that a caller moves.

#include "world/state/world_state.h"

#include "base/core/fail.h"
#include "world/model/model.h"

#include <math.h>

// Poses of a path that are so near to where twists lead follow from them: rounding of many steps,
// relative to distances.
#define MOTION_ROUNDING 1e-9

void iso_world_find_motions(iso_world* world) {
    world->has_motion = false;
    for (int b = 1; b < world->multibody.body_count; ++b) {
        world->has_motion = world->has_motion || world->motions[b].is_set != 0.0;
    }
}

/// Where a motion is some time on.
static iso_pose advanced(const iso_body_motion* motion, double elapsed) {
    iso_pose x = motion->x_wb;
    if (elapsed == 0.0) {
        return x;
    }
    x.p = iso_vec3_add_scaled(x.p, motion->v_wb.translational, elapsed);
    if (iso_vec3_norm_squared(motion->v_wb.rotational) > 0.0) {
        // Through a unit quaternion, so that the matrix stays a rotation.
        iso_quat turn =
            iso_quat_from_rotation_vector(iso_vec3_scale(motion->v_wb.rotational, elapsed));
        iso_quat turned = iso_quat_mul(turn, iso_quat_from_mat3(&x.r));
        x.r = iso_mat3_from_quat(iso_quat_normalized(turned));
    }
    return x;
}

void iso_motions_place(const iso_multibody* mb, const iso_body_motion* motions, double elapsed,
                       iso_kinematics* out) {
    for (int b = 1; b < mb->body_count; ++b) {
        const iso_mb_body* body = &mb->bodies[b];
        if (body->tree >= 0) {
            continue;
        }
        if (motions[b].is_set != 0.0) {
            out->x_wb[b] = advanced(&motions[b], elapsed);
            out->v_wb[b] = motions[b].v_wb;
        } else {
            const iso_pose* x_wp = &out->x_wb[body->parent];
            iso_pose x_wm = iso_pose_mul(x_wp, &body->x_pf);
            out->x_wb[b] = body->is_b_at_m ? x_wm : iso_pose_mul(&x_wm, &body->x_mb);
            out->v_wb[b] = iso_spatial_shift_twist(out->v_wb[body->parent],
                                                   iso_vec3_sub(out->x_wb[b].p, x_wp->p));
        }
    }
}

void iso_world_place_motions(iso_world* world) {
    iso_motions_place(&world->multibody, world->motions, 0.0, &world->kinematics);
}

void iso_world_place_moved(const void* user, double elapsed, iso_kinematics* kinematics) {
    const iso_world* world = user;
    iso_motions_place(&world->multibody, world->motions, elapsed, kinematics);
}

void iso_world_advance_motions(iso_world* world) {
    for (int b = 1; b < world->multibody.body_count; ++b) {
        if (world->motions[b].is_set != 0.0) {
            world->motions[b].x_wb = advanced(&world->motions[b], world->desc.time_step);
        }
    }
}

// Whether a pose is one that the motion so far does not lead to, but for rounding.
static bool is_put_elsewhere(const iso_world* world, int body, const iso_pose* x_wb) {
    const iso_pose* now = &world->kinematics.x_wb[body];
    iso_spatial v = world->kinematics.v_wb[body];
    double way = iso_vec3_norm(v.translational) * world->desc.time_step + iso_vec3_norm(x_wb->p);
    double angle = 0.0, distance = iso_vec3_norm(iso_vec3_sub(x_wb->p, now->p));
    for (int i = 0; i < 9; ++i) {
        angle = fmax(angle, fabs(x_wb->r.m[i / 3][i % 3] - now->r.m[i / 3][i % 3]));
    }
    return !(distance <= MOTION_ROUNDING * way && angle <= MOTION_ROUNDING);
}

/// True when a body is another one or welded to it, over any number of bodies.
static bool hangs_on(const iso_multibody* mb, int body, int other) {
    while (body > other) {
        body = mb->bodies[body].parent;
    }
    return body == other;
}

/// Joints do not see the velocity of what they hang on.
static iso_status check_carries_no_joint(const iso_world* world, int body) {
    const iso_multibody* mb = &world->multibody;
    for (int b = 1; b < mb->body_count; ++b) {
        bool is_carried = mb->bodies[b].tree >= 0 && hangs_on(mb, mb->bodies[b].parent, body);
        ISO_REQUIRE(world->ctx, !is_carried, ISO_ERR_UNSUPPORTED,
                    "motion of body '%s' cannot be prescribed: it carries body '%s' on a joint",
                    world->body_names[body], world->body_names[b]);
    }
    return ISO_OK;
}

iso_status iso_world_set_prescribed(iso_world* world, int body, const iso_pose* x_wb,
                                    iso_spatial v_wb) {
    ISO_REQUIRE(NULL, world != NULL, ISO_ERR_ARGUMENT, "world is required");
    iso_context* ctx = world->ctx;
    ISO_REQUIRE(ctx,
                body > 0 && body < world->multibody.body_count &&
                    world->multibody.bodies[body].tree < 0,
                ISO_ERR_RANGE, "body %d ('%s') is not welded to the world", body,
                iso_world_body_name(world, body));
    iso_status status = iso_world_check_free(world, "moved");
    if (status == ISO_OK && x_wb != NULL) {
        status = iso_model_check_pose(ctx, x_wb, "x_wb", "body", world->body_names[body], "");
    }
    if (status == ISO_OK && x_wb != NULL) {
        status = iso_model_check_twist(ctx, v_wb, world->body_names[body]);
    }
    if (status == ISO_OK) {
        status = check_carries_no_joint(world, body);
    }
    if (status != ISO_OK) {
        return status;
    }
    iso_body_motion motion = {0};
    if (x_wb == NULL || is_put_elsewhere(world, body, x_wb)) {
        iso_world_mark_moved(world, body);
    }
    if (x_wb != NULL) {
        motion = (iso_body_motion){1.0, *x_wb, v_wb};
    }
    world->motions[body] = motion;
    iso_world_place_motions(world);
    iso_world_find_motions(world);
    return ISO_OK;
}
