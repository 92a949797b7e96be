// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The midpoint method: one convex problem a step, for the velocity v = (1 - theta) v0 + theta v1,
// with impulses over theta dt and everything else where the velocity of the start leads in half a
// step. theta is 1/2 where the step resolves all forces, and rises to 1, the end of the step, where
// one is too stiff for it. docs/decisions/step/second_order_step.md.

#include "stepper/stages/stages.h"

#include <math.h>
#include <string.h>

// Squares of frequency times step, of which theta is halfway from 1/2 to 1.
#define STIFF_PHASE 4.0
// Rates of decay times step that count as much.
#define STIFF_DECAY 16.0
// What is so far beyond that is a step of lagged where it moves, by more than such a share of its
// force.
#define STIFF 2.0
#define LITTLE_CHANGE 2.0
// Turns of a step that are looked ahead [rad].
#define LARGEST_TURN 0.5
// A joint that may reach its limit in so many steps.
#define LIMIT_STEPS 4.0
// Turning inertia of what is pressed away from its centre of mass: mobility over that of the mass.
#define LEVER 3.0

// What acts at once has no middle of the step: loops, couplers, dry friction, limits in reach.
static bool has_rigid_parts(const iso_stages* s) {
    const iso_stepper* stepper = s->stepper;
    const iso_multibody* multibody = stepper->dynamics.multibody;
    bool has = stepper->closure.constraint_count > 0 || stepper->closure.coupler_count > 0 ||
               stepper->friction_count > 0 || stepper->dynamics.tendon_count > 0;
    for (int i = 0; i < stepper->limited_count && !has; ++i) {
        const iso_mb_body* body = &multibody->bodies[stepper->limited[i]];
        double q = s->input->q[body->q_index];
        double way = LIMIT_STEPS * s->span * fabs(s->input->v[body->v_index]);
        has = q - way <= body->lower || q + way >= body->upper;
    }
    return has;
}

// Whether a body turns so far in the step that where it is in half of it says little.
static bool whirls(const iso_stages* s) {
    double most = 0.0;
    for (int b = 1; b < s->stepper->dynamics.multibody->body_count; ++b) {
        most = fmax(most, iso_vec3_norm_squared(s->kinematics.v_wb[b].rotational));
    }
    return !(most * s->span * s->span < LARGEST_TURN * LARGEST_TURN);
}

iso_status iso_midpoint_look_ahead(iso_stages* s) {
    iso_stepper* stepper = s->stepper;
    const iso_multibody* multibody = stepper->dynamics.multibody;
    iso_arena* arena = &stepper->arena;
    double half = 0.5 * s->span;
    if (has_rigid_parts(s) || whirls(s)) {
        return ISO_OK;
    }
    s->is_midpoint = true;
    s->start_kinematics = s->kinematics;
    double* q = iso_arena_push_array(arena, multibody->q_count, sizeof *q);
    ISO_REQUIRE(arena->ctx, q, ISO_ERR_MEMORY, "positions in the middle of a step");
    iso_multibody_integrate(multibody, s->input->q, s->input->v, half, q);
    iso_status status = iso_kinematics_push(multibody, arena, &s->kinematics);
    if (status == ISO_OK) {
        iso_multibody_kinematics(multibody, q, s->input->v, &s->kinematics);
        if (s->input->place_moved) {
            s->input->place_moved(s->input->place_user, half, &s->kinematics);
        }
    }
    iso_stages_lap(s, 1);
    return status;
}

// 1 / mass of a body that moves.
static double mobility(const iso_stages* s, int body) {
    const iso_mb_body* b = &s->stepper->dynamics.multibody->bodies[body];
    return b->tree >= 0 && b->mass > 0.0 ? LEVER / b->mass : 0.0;
}

// Slip at the common point of a pair, the surfaces' own motion with it.
static double slip_speed(const iso_stages* s, const iso_contact_pair* pair) {
    iso_spatial u =
        iso_spatial_add(iso_pair_twist(&s->kinematics, pair),
                        iso_surface_twist(s->stepper->dynamics.contact, &s->kinematics, pair));
    iso_vec3 n = pair->model->normal(pair);
    return iso_vec3_norm(
        iso_vec3_add_scaled(u.translational, n, -iso_vec3_dot(n, u.translational)));
}

// How far a pair is beyond what the step resolves.
static double pair_stiffness(const iso_stages* s, const iso_contact_pair* pair, double* out_force,
                             double* out_stiffness) {
    const iso_contact_options* options = iso_contact_system_options(s->stepper->dynamics.contact);
    double dt = s->span;
    iso_contact_stiffness sum = pair->model->stiffness(pair);
    double stiffness = sum.stiffness, force = sum.force;
    double w = mobility(s, pair->body_a) + mobility(s, pair->body_b);
    double phase = stiffness * w * dt * dt, decay = pair->dissipation * force * w * dt;
    // Springs and dampers of friction that sticks act on a slip that gives way: in the middle of
    // the step they swing less than theta = 1 takes from the blow they belong to.
    if (options->friction == ISO_FRICTION_MODEL_REGULARIZED) {
        double speed = fmax(slip_speed(s, pair), options->stiction_velocity);
        decay = fmax(decay, STIFF_DECAY * pair->friction_dynamic * force * w * dt / speed);
    }
    *out_force = force;
    *out_stiffness = stiffness;
    return fmax(phase / STIFF_PHASE, decay / STIFF_DECAY);
}

// The same of drives, springs and dampers of joints; M is in `a`.
static double joint_stiffness(const iso_stages* s) {
    const iso_dynamics* dynamics = &s->stepper->dynamics;
    const iso_multibody* multibody = dynamics->multibody;
    double dt = s->span, most = 0.0;
    for (int i = 0; i < dynamics->actuator_count; ++i) {
        const iso_actuator* a = &dynamics->actuators[i];
        if (a->body < 0) {
            most = a->kp > 0.0 || a->kd > 0.0 ? INFINITY : most;
            continue;
        }
        int dof = multibody->bodies[a->body].v_index;
        double w = dt / *iso_stages_entry(s, dof, dof);
        most = fmax(most, fmax(a->kp * dt * w / STIFF_PHASE, a->kd * w / STIFF_DECAY));
    }
    for (int d = 0; d < multibody->v_count; ++d) {
        const iso_mb_body* body = &multibody->bodies[multibody->dof_body[d]];
        double w = dt / *iso_stages_entry(s, d, d);
        most = fmax(most,
                    fmax(body->stiffness * dt * w / STIFF_PHASE, body->damping * w / STIFF_DECAY));
    }
    return most;
}

iso_status iso_midpoint_look_back(iso_stages* s) {
    bool is_moving = false;
    for (int i = 0; i < s->set.pair_count && s->is_midpoint; ++i) {
        double force = 0.0, stiffness = 0.0, most = 0.0;
        const iso_contact_pair* pair = &s->set.pairs[i];
        most = pair_stiffness(s, pair, &force, &stiffness);
        iso_spatial u = iso_pair_twist(&s->kinematics, pair);
        iso_vec3 n = pair->model->normal(pair);
        double tilting = iso_vec3_norm(iso_vec3_cross(u.rotational, n));
        double speed = fabs(iso_vec3_dot(u.translational, n)) + sqrt(pair->patch.area) * tilting;
        s->stiffness = fmax(s->stiffness, most);
        is_moving =
            is_moving || (most > STIFF && s->span * speed * stiffness > LITTLE_CHANGE * force);
    }
    if (!is_moving) {
        return ISO_OK;
    }
    s->is_midpoint = false;
    s->kinematics = s->start_kinematics;
    return iso_stage_contacts(s);
}

void iso_midpoint_choose(iso_stages* s) {
    double most = fmax(s->stiffness, joint_stiffness(s));
    s->dt = s->span * (1.0 - 0.5 / (1.0 + most * most));
}

// What the centre of mass of a body alone went up to where the patches are found, beyond what it
// goes in the part of the step after which forces are taken: p1 x v1 - p0 x v0 of the whole step is
// (p0 + (1 - theta) dt v0) x (v1 - v0).
static iso_vec3 way_ahead(const iso_stages* s, int tree) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    const iso_mb_link* link = &multibody->links[multibody->tree_link_index[tree]];
    const iso_pose* start = &s->start_kinematics.x_wb[link->body];
    iso_vec3 from = iso_pose_point(start, link->center);
    iso_vec3 to = iso_pose_point(&s->kinematics.x_wb[link->body], link->center);
    iso_vec3 v =
        iso_spatial_shift_twist(s->start_kinematics.v_wb[link->body], iso_vec3_sub(from, start->p))
            .translational;
    return iso_vec3_add_scaled(iso_vec3_sub(to, from), v, s->dt - s->span);
}

iso_vec3 iso_midpoint_arm(const iso_stages* s, int body_a, int body_b) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    int tree_a = multibody->bodies[body_a].tree, tree_b = multibody->bodies[body_b].tree;
    if (!s->is_midpoint || tree_a < 0 || tree_b < 0 ||
        !iso_stages_is_free_body(multibody, tree_a) ||
        !iso_stages_is_free_body(multibody, tree_b)) {
        return iso_vec3_zero();
    }
    return iso_vec3_scale(iso_vec3_sub(way_ahead(s, tree_b), way_ahead(s, tree_a)), 0.5);
}

void iso_midpoint_finish(iso_stages* s) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    double share = s->span / s->dt;
    for (int d = 0; d < multibody->v_count; ++d) {
        double v0 = s->input->v[d];
        s->end_v[d] = v0 + share * (s->v[d] - v0);
    }
    iso_multibody_integrate(multibody, s->input->q, s->v, s->span, s->q);
}
