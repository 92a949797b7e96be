// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Fixed bodies that a caller moves.

#include "world/world_state.h"

#include "base/fail.h"

void iso_world_find_motions(iso_world* world) {
    world->has_motion = false;
    for (int b = 1; b < world->multibody.body_count; ++b) {
        world->has_motion = world->has_motion || world->motions[b].is_set != 0.0;
    }
}

void iso_world_place_motions(iso_world* world) {
    const iso_multibody* mb = &world->multibody;
    iso_kinematics* out = &world->kinematics;
    for (int b = 1; b < mb->body_count; ++b) {
        const iso_mb_body* body = &mb->bodies[b];
        if (body->tree >= 0) {
            continue;
        }
        if (world->motions[b].is_set != 0.0) {
            out->x_wb[b] = world->motions[b].x_wb;
            out->v_wb[b] = world->motions[b].v_wb;
        } else {
            const iso_pose* x_wp = &out->x_wb[body->parent];
            iso_pose x_wm = iso_pose_mul(x_wp, &body->x_pf);
            out->x_wb[b] = body->is_b_at_m ? x_wm : iso_pose_mul(&x_wm, &body->x_mb);
            out->v_wb[b] = iso_spatial_shift_twist(out->v_wb[body->parent],
                                                   iso_vec3_sub(out->x_wb[b].p, x_wp->p));
        }
        out->p_wbcm[b] = iso_pose_point(&out->x_wb[b], body->center_of_mass);
    }
}

void iso_world_advance_motions(iso_world* world) {
    double dt = world->desc.time_step;
    for (int b = 1; b < world->multibody.body_count; ++b) {
        iso_body_motion* motion = &world->motions[b];
        if (motion->is_set == 0.0) {
            continue;
        }
        iso_pose* x = &motion->x_wb;
        x->p = iso_vec3_add_scaled(x->p, motion->v_wb.translational, dt);
        if (iso_vec3_norm_squared(motion->v_wb.rotational) > 0.0) {
            // Through a unit quaternion, so that the matrix stays a rotation.
            iso_quat turn =
                iso_quat_from_rotation_vector(iso_vec3_scale(motion->v_wb.rotational, dt));
            iso_quat turned = iso_quat_mul(turn, iso_quat_from_mat3(&x->r));
            x->r = iso_mat3_from_quat(iso_quat_normalized(turned));
        }
    }
}
