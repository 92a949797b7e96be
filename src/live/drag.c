// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "live/drag.h"

#include <math.h>

static const double k_rate = 12.0;           // of the spring with the body's mass [rad/s]
static const double k_longest_step = 0.5;    // that rate times the time step
static const double k_damping = 0.7;         // share of the critical one
static const double k_most = 50.0 * 9.80665; // force per mass [m/s^2]

bool iso_live_drag_set(iso_live_drags* drags, const iso_world* world, int client, int body,
                       iso_vec3 at, iso_vec3 to) {
    iso_live_drag* chosen = NULL;
    if (body <= 0 || body >= iso_world_body_count(world) || iso_world_body_is_fixed(world, body)) {
        return false;
    }
    for (int i = ISO_LIVE_DRAG_LIMIT - 1; i >= 0; --i) {
        iso_live_drag* drag = &drags->drags[i];
        bool is_mine = drag->client == client;
        bool keeps_mine = chosen != NULL && chosen->client == client;
        if (is_mine || (drag->client == 0 && !keeps_mine)) {
            chosen = drag;
        }
    }
    if (chosen == NULL) {
        return false;
    }
    *chosen = (iso_live_drag){client, body, at, to, iso_vec3_zero()};
    return true;
}

void iso_live_drag_release(iso_live_drags* drags, int client) {
    for (int i = 0; i < ISO_LIVE_DRAG_LIMIT; ++i) {
        if (drags->drags[i].client == client) {
            drags->drags[i].client = 0;
        }
    }
}

iso_vec3 iso_live_drag_from(const iso_live_drag* drag, const iso_world* world) {
    iso_pose x_wb = iso_world_body_pose(world, drag->body);
    return iso_pose_point(&x_wb, drag->at);
}

static iso_status pull(iso_live_drag* drag, iso_world* world) {
    iso_pose x_wb = iso_world_body_pose(world, drag->body);
    iso_spatial twist = iso_world_body_twist(world, drag->body);
    iso_vec3 from = iso_live_drag_from(drag, world);
    iso_vec3 arm = iso_vec3_sub(from, x_wb.p);
    iso_vec3 velocity = iso_vec3_add(twist.translational, iso_vec3_cross(twist.rotational, arm));
    double mass = iso_world_body_mass(world, drag->body);
    double rate = fmin(k_rate, k_longest_step / iso_world_settings(world)->time_step);
    iso_vec3 force = iso_vec3_scale(iso_vec3_sub(drag->to, from), mass * rate * rate);
    force = iso_vec3_add_scaled(force, velocity, -2.0 * k_damping * mass * rate);
    double size = iso_vec3_norm(force);
    if (size > k_most * mass) {
        force = iso_vec3_scale(force, k_most * mass / size);
    }
    drag->force = force;
    iso_spatial wrench = {iso_vec3_cross(arm, force), force};
    return iso_world_apply_wrench(world, drag->body, wrench);
}

iso_status iso_live_drag_apply(iso_live_drags* drags, iso_world* world) {
    for (int i = 0; i < ISO_LIVE_DRAG_LIMIT; ++i) {
        if (drags->drags[i].client != 0) {
            iso_status status = pull(&drags->drags[i], world);
            if (status != ISO_OK) {
                return status;
            }
        }
    }
    return ISO_OK;
}
