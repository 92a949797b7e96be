// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Stage 4: what contacts, joint limits and drives with an effort limit ask of the new velocity.

#include "stepper/stages/stages.h"

#include <float.h>
#include <math.h>
#include <string.h>

// The step for which springs of friction that sticks are made, with error control [s].
#define SUBSTEP_LAW_STEP 1e-4

// The potential of a pair without its law: u = V_B - V_A at the common point.
static iso_status make_contact(const iso_stages* s, const iso_contact_pair* pair,
                               iso_potential* out) {
    iso_pair_jacobians j;
    iso_status status = iso_stages_pair_jacobians(s, pair->body_a, pair->body_b, pair->p_wc, &j);
    if (status == ISO_OK) {
        *out = (iso_potential){NULL, NULL, 6, j.tree_a, j.tree_b, j.jacobian_a, j.jacobian_b, 0};
    }
    return status;
}

bool iso_stages_is_given(const iso_stages* s, const iso_contact_pair* pair) {
    const double* moved = s->input->moved;
    return s->input->is_start ||
           (moved && (moved[pair->body_a] != 0.0 || moved[pair->body_b] != 0.0));
}

iso_pair_start iso_stages_pair_start(const iso_stages* s, const iso_contact_pair* pair) {
    const iso_kinematics* kinematics = iso_stages_pair_kinematics(s, pair->body_a, pair->body_b);
    iso_spatial belt = iso_surface_twist(s->stepper->dynamics.contact, kinematics, pair);
    iso_spatial u_c0 = iso_pair_twist(kinematics, pair);
    return (iso_pair_start){
        .u_c0 = u_c0,
        .v_c0 = iso_spatial_add(u_c0, belt),
        .moved = iso_stages_add_fixed_twist(s, pair->body_a, pair->body_b, pair->p_wc, belt),
        .poses = iso_midpoint_start(s, pair),
    };
}

// What the model of a pair makes of the step.
static iso_status begin_contact(iso_stages* s, int index, bool is_free, const double delassus[36]) {
    iso_stepper* stepper = s->stepper;
    const iso_step_input* input = s->input;
    const iso_contact_pair* pair = &s->set.pairs[index];
    int tree = iso_stages_pair_tree(s, pair->body_a, pair->body_b);
    iso_pair_start start = iso_stages_pair_start(s, pair);
    const iso_pair_memory* memory =
        iso_pair_memory_next(input->memories, input->memory_count, pair->geometry_a,
                             pair->geometry_b, &s->memories_passed);
    iso_contact_step_input ask = {
        .system = stepper->dynamics.contact,
        .pair = pair,
        .law = stepper->method->law,
        .may_stick = stepper->method->may_stick,
        .is_start = iso_stages_is_given(s, pair),
        .is_free = is_free,
        .dt = iso_stages_dt(s, tree),
        .span = s->span,
        .since = stepper->settings.error_control ? s->span : stepper->settings.time_step,
        .law_step = stepper->settings.error_control ? SUBSTEP_LAW_STEP : 0.0,
        .ahead = iso_stages_is_middle(s, tree) ? 0.5 * s->span : 0.0,
        .v_c0 = start.v_c0,
        .u_c0 = start.u_c0,
        .moved = start.moved,
        .delassus = delassus,
        .start = start.poses,
        .memory = memory,
        .memory_count = iso_pair_memory_run(memory, input->memory_count - s->memories_passed),
        .arena = &stepper->arena,
    };
    s->steps[index] = (iso_contact_step){0};
    iso_status status = pair->model->begin_step(&ask, &s->steps[index]);
    s->remembers_places = s->remembers_places || s->steps[index].remembers_places;
    return status;
}

static iso_status add_contact(iso_stages* s, int index) {
    const iso_contact_pair* pair = &s->set.pairs[index];
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    bool is_free =
        multibody->bodies[pair->body_a].tree >= 0 || multibody->bodies[pair->body_b].tree >= 0;
    iso_potential* potential = &s->potentials[s->potential_count];
    double delassus[36] = {0.0};
    iso_status status = ISO_OK;
    if (is_free) {
        ISO_TRY(make_contact(s, pair, potential));
        ISO_TRY(
            iso_stages_add_contact_delassus(s, potential->tree_a, potential->jacobian_a, delassus));
        if (potential->tree_b >= 0) {
            ISO_TRY(iso_stages_add_contact_delassus(s, potential->tree_b, potential->jacobian_b,
                                                    delassus));
        }
    }
    ISO_TRY(begin_contact(s, index, is_free, delassus));
    if (is_free) {
        const iso_contact_step* step = &s->steps[index];
        potential->ops = step->ops;
        potential->user = step->user;
        s->inners[s->potential_count] = step->inner;
        if (s->limits_of) {
            s->limits_of[s->potential_count] = step->limit;
        }
    }
    s->pair_potential[index] = is_free ? s->potential_count++ : -1;
done:
    return status;
}

// Speed a joint may reach in this step without anything in its way.
static double possible_speed(const iso_stages* s, int dof, double mobility) {
    double speed = fmax(fabs(s->input->v[dof]), fabs(s->v_star[dof]));
    double dt = iso_stages_dt(s, iso_stages_dof_tree(s, dof));
    return mobility > 0.0 ? speed + dt * mobility * iso_stages_driven_effort(s, dof) : speed;
}

// Limits that the joint of a body may reach within two steps. Mobilities are costly: only joints
// near a limit, or drives of unknown reach, need one.
static iso_status find_limits(iso_stages* s, int body_index) {
    const iso_mb_body* body = &s->stepper->dynamics.multibody->bodies[body_index];
    double q = s->input->q[body->q_index];
    int dof = body->v_index;
    double dt = iso_stages_dt(s, body->tree), window = 2.0 * dt * possible_speed(s, dof, 0.0);
    if (q - window > body->lower && q + window < body->upper && !iso_stages_is_driven(s, dof)) {
        return ISO_OK;
    }
    double mobility = 0.0;
    iso_status status = iso_stages_mobility(s, dof, &mobility);
    if (status != ISO_OK) {
        return status;
    }
    window = fmin(2.0 * dt * possible_speed(s, dof, mobility), DBL_MAX);
    if (q - window <= body->lower) {
        s->limits[s->limit_count++] = iso_joint_limit_make(dof, 1.0, q - body->lower, mobility, dt);
    }
    if (q + window >= body->upper) {
        s->limits[s->limit_count++] =
            iso_joint_limit_make(dof, -1.0, body->upper - q, mobility, dt);
    }
    return ISO_OK;
}

void iso_stages_add_joint_potential(iso_stages* s, const iso_potential_ops* ops, const void* user,
                                    int dof) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    int tree = multibody->bodies[multibody->dof_body[dof]].tree;
    iso_potential potential = {ops, user, 1, tree, -1, NULL, NULL, dof};
    s->potentials[s->potential_count++] = potential;
}

static iso_status push_arrays(iso_stages* s) {
    iso_arena* arena = &s->stepper->arena;
    int pairs = s->set.pair_count;
    int joints = 2 * s->stepper->limited_count + iso_stages_drive_count(s->stepper) +
                 iso_stages_tendon_capacity(s->stepper) +
                 iso_stages_constraint_capacity(s->stepper);
    s->steps = iso_arena_push_array(arena, pairs, sizeof *s->steps);
    s->pair_potential = iso_arena_push_array(arena, pairs, sizeof *s->pair_potential);
    s->potentials = iso_arena_push_array(arena, pairs + joints + 1, sizeof *s->potentials);
    s->limits = iso_arena_push_array(arena, 2 * s->stepper->limited_count, sizeof *s->limits);
    s->inners = iso_arena_push_array(arena, pairs + joints + 1, sizeof *s->inners);
    ISO_REQUIRE(arena->ctx,
                s->steps && s->pair_potential && s->potentials && s->limits && s->inners,
                ISO_ERR_MEMORY, "potentials of %d contacts and %d joints", pairs, joints);
    memset(s->inners, 0, (size_t)(pairs + joints + 1) * sizeof *s->inners);
    if (s->stepper->method->law == ISO_DISCRETE_TAMSI) {
        int count = pairs + joints + 1;
        s->limits_of = iso_arena_push_array(arena, count, sizeof *s->limits_of);
        ISO_REQUIRE(arena->ctx, s->limits_of, ISO_ERR_MEMORY, "limits of %d potentials", count);
        memset(s->limits_of, 0, (size_t)count * sizeof *s->limits_of);
    }
    return ISO_OK;
}

// Whether a contact is that of other stages, which has an earlier place there than those before it.
static bool is_taken(const iso_stages* s, const iso_contact_pair* pair) {
    const iso_mb_body* bodies = s->stepper->dynamics.multibody->bodies;
    const bool* unlike = s->input->unlike;
    int tree_a = bodies[pair->body_a].tree, tree_b = bodies[pair->body_b].tree;
    return s->input->like && !(unlike && tree_a >= 0 && unlike[tree_a]) &&
           !(unlike && tree_b >= 0 && unlike[tree_b]);
}

// A contact of other stages. @param at  its place there is this one or comes after it
static void take_contact(iso_stages* s, int index, int* at) {
    const iso_stages* like = s->input->like;
    const iso_contact_pair *pair = &s->set.pairs[index], *pairs = like->set.pairs;
    while (pairs[*at].geometry_a != pair->geometry_a || pairs[*at].geometry_b != pair->geometry_b) {
        ++*at;
    }
    int from = like->pair_potential[*at], to = from < 0 ? from : s->potential_count++;
    s->steps[index] = like->steps[*at];
    s->pair_potential[index] = to;
    if (to >= 0) {
        s->potentials[to] = like->potentials[from];
        s->inners[to] = like->inners[from];
    }
    s->remembers_places = s->remembers_places || s->steps[index].remembers_places;
}

iso_status iso_stage_potentials(iso_stages* s) {
    iso_status status = ISO_OK;
    ISO_TRY(push_arrays(s));
    ISO_TRY(iso_repeat_find(s));
    for (int i = 0, at = 0; i < s->set.pair_count; ++i) {
        if (is_taken(s, &s->set.pairs[i])) {
            take_contact(s, i, &at);
        } else if (iso_repeat_has_pair(s, i)) {
            iso_repeat_take_step(s, i);
        } else {
            ISO_TRY(add_contact(s, i));
        }
    }
    for (int i = 0; i < s->stepper->limited_count; ++i) {
        ISO_TRY(find_limits(s, s->stepper->limited[i]));
    }
    for (int i = 0; i < s->limit_count; ++i) {
        iso_stages_add_joint_potential(s, &iso_joint_limit_ops, &s->limits[i], s->limits[i].dof);
    }
    ISO_TRY(iso_stages_drive_potentials(s));
    ISO_TRY(iso_stages_tendon_potentials(s));
    ISO_TRY(iso_stage_constraints(s));
done:
    iso_stages_lap(s, 4);
    return status;
}
