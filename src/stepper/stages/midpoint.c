// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The midpoint method: one convex problem a step, for the velocity v = (1 - theta) v0 + theta v1,
// with impulses over theta dt and everything else where the velocity of the start leads in half a
// step. theta is 1/2 for an island whose forces the step resolves, and rises to 1, the end of the
// step, where one is too stiff for it. docs/decisions/step/second_order_step.md.

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
// Regularised friction is stiff wherever a body rolls or rests. It has no larger say than this:
// what rings in it falls by a fifth a step. More would damp what rocks, at first order.
#define MOST_OF_FRICTION (1.0 / 3.0)
// A joint that may reach its limit in so many steps.
#define LIMIT_STEPS 4.0
// Turning inertia of what is pressed away from its centre of mass: mobility over that of the mass.
#define LEVER 3.0

static iso_status push_shares(iso_stages* s) {
    iso_arena* arena = &s->stepper->arena;
    int count = s->stepper->dynamics.multibody->tree_count;
    s->shares = iso_arena_push_array(arena, count, sizeof *s->shares);
    s->leaders = iso_arena_push_array(arena, count, sizeof *s->leaders);
    ISO_REQUIRE(arena->ctx, s->shares && s->leaders, ISO_ERR_MEMORY, "islands of %d trees", count);
    for (int t = 0; t < count; ++t) {
        s->shares[t] = (iso_tree_share){.is_middle = true, .part = 1.0};
        s->leaders[t] = t;
    }
    return ISO_OK;
}

// A tree takes a step of lagged; -1: none.
static void hold(iso_stages* s, int tree) {
    if (tree >= 0) {
        s->shares[tree].is_middle = false;
    }
}

static void hold_both(iso_stages* s, int body_a, int body_b) {
    const iso_mb_body* bodies = s->stepper->dynamics.multibody->bodies;
    hold(s, bodies[body_a].tree);
    hold(s, bodies[body_b].tree);
}

// What acts at once has no middle of the step: loops, couplers, dry friction, limits in reach.
static void hold_rigid_parts(iso_stages* s) {
    const iso_stepper* stepper = s->stepper;
    const iso_multibody* multibody = stepper->dynamics.multibody;
    const iso_closure* closure = &stepper->closure;
    for (int i = 0; i < closure->constraint_count; ++i) {
        hold_both(s, closure->constraints[i].body_a, closure->constraints[i].body_b);
    }
    for (int i = 0; i < closure->coupler_count; ++i) {
        if (!closure->couplers[i].is_off) {
            hold_both(s, closure->couplers[i].body_a, closure->couplers[i].body_b);
        }
    }
    for (int i = 0; i < stepper->dynamics.tendon_count; ++i) {
        hold(s, iso_fixed_tendon_tree(&stepper->dynamics.tendons[i], multibody));
    }
    for (int i = 0; i < stepper->friction_count; ++i) {
        hold(s, iso_stages_dof_tree(s, stepper->friction_dofs[i]));
    }
    for (int i = 0; i < stepper->limited_count; ++i) {
        const iso_mb_body* body = &multibody->bodies[stepper->limited[i]];
        double q = s->input->q[body->q_index];
        double way = LIMIT_STEPS * s->span * fabs(s->input->v[body->v_index]);
        if (q - way <= body->lower || q + way >= body->upper) {
            hold(s, body->tree);
        }
    }
}

// A body that turns far in the step: where it is in half of it says little.
static void hold_whirling(iso_stages* s) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    for (int b = 1; b < multibody->body_count; ++b) {
        double square = iso_vec3_norm_squared(s->kinematics.v_wb[b].rotational);
        if (!(square * s->span * s->span < LARGEST_TURN * LARGEST_TURN)) {
            hold(s, multibody->bodies[b].tree);
        }
    }
}

static int count_middle(const iso_stages* s) {
    int count = 0;
    for (int t = 0; t < s->stepper->dynamics.multibody->tree_count; ++t) {
        count += s->shares[t].is_middle;
    }
    return count;
}

// An island with a tree that is held is held.
static void spread_hold(iso_stages* s) {
    int count = s->stepper->dynamics.multibody->tree_count;
    for (int t = 0; t < count; ++t) {
        hold(s, s->shares[t].is_middle ? -1 : iso_island_leader(s->leaders, t));
    }
    for (int t = 0; t < count; ++t) {
        s->shares[t].is_middle = s->shares[iso_island_leader(s->leaders, t)].is_middle;
    }
}

// What stuck to a tree that is held in the last step is held, too: mostly it still does, and its
// patches half a step ahead need not be found.
static void hold_remembered(iso_stages* s) {
    const iso_contact_system* contact = s->stepper->dynamics.contact;
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    if (count_middle(s) == multibody->tree_count) {
        return;
    }
    for (int i = 0; i < s->input->memory_count; ++i) {
        const iso_pair_memory* memory = &s->input->memories[i];
        int a = iso_contact_system_geometry(contact, memory->geometry_a)->body;
        int b = iso_contact_system_geometry(contact, memory->geometry_b)->body;
        iso_island_join(s->leaders, multibody->bodies[a].tree, multibody->bodies[b].tree);
    }
    spread_hold(s);
    for (int t = 0; t < multibody->tree_count; ++t) {
        s->leaders[t] = t;
    }
}

// Kinematics where the start's velocity leads in half a step, those of the start beside them.
static iso_status look_ahead(iso_stages* s) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    iso_arena* arena = &s->stepper->arena;
    double half = 0.5 * s->span;
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

static void note_stiffness(iso_stages* s, int tree, double most) {
    iso_tree_share* share = &s->shares[iso_island_leader(s->leaders, tree)];
    share->stiffness = fmax(share->stiffness, most);
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
    double friction = 0.0;
    if (options->friction == ISO_FRICTION_MODEL_REGULARIZED) {
        double speed = fmax(slip_speed(s, pair), options->stiction_velocity);
        friction = fmin(pair->friction_dynamic * force * w * dt / speed, MOST_OF_FRICTION);
    }
    *out_force = force;
    *out_stiffness = stiffness;
    return fmax(fmax(phase / STIFF_PHASE, decay / STIFF_DECAY), friction);
}

// The same of drives, springs and dampers of joints, for leaders; M is in `a`.
static void add_joint_stiffness(iso_stages* s) {
    const iso_dynamics* dynamics = &s->stepper->dynamics;
    const iso_multibody* multibody = dynamics->multibody;
    double dt = s->span;
    for (int i = 0; i < dynamics->actuator_count; ++i) {
        const iso_actuator* a = &dynamics->actuators[i];
        if (a->body < 0) {
            continue; // adhesion, or a tendon, whose tree is held
        }
        int dof = multibody->bodies[a->body].v_index;
        double w = dt / *iso_stages_entry(s, dof, dof);
        note_stiffness(s, iso_stages_dof_tree(s, dof),
                       fmax(a->kp * dt * w / STIFF_PHASE, a->kd * w / STIFF_DECAY));
    }
    for (int d = 0; d < multibody->v_count; ++d) {
        const iso_mb_body* body = &multibody->bodies[multibody->dof_body[d]];
        double w = dt / *iso_stages_entry(s, d, d);
        note_stiffness(
            s, body->tree,
            fmax(body->stiffness * dt * w / STIFF_PHASE, body->damping * w / STIFF_DECAY));
    }
}

// Whether what the step does not resolve changes its force much in it.
static bool is_struck(const iso_stages* s, const iso_contact_pair* pair, double most, double force,
                      double stiffness) {
    iso_spatial u = iso_pair_twist(&s->kinematics, pair);
    iso_vec3 n = pair->model->normal(pair);
    double tilting = iso_vec3_norm(iso_vec3_cross(u.rotational, n));
    double speed = fabs(iso_vec3_dot(u.translational, n)) + sqrt(pair->patch.area) * tilting;
    return most > STIFF && s->span * speed * stiffness > LITTLE_CHANGE * force;
}

// Islands half a step ahead.
static void find_islands(iso_stages* s) {
    const iso_mb_body* bodies = s->stepper->dynamics.multibody->bodies;
    for (int i = 0; i < s->set.pair_count; ++i) {
        const iso_contact_pair* pair = &s->set.pairs[i];
        iso_island_join(s->leaders, bodies[pair->body_a].tree, bodies[pair->body_b].tree);
    }
    for (int i = 0; i < s->set.pair_count; ++i) {
        const iso_contact_pair* pair = &s->set.pairs[i];
        int tree = iso_stages_pair_tree(s, pair->body_a, pair->body_b);
        double force = 0.0, stiffness = 0.0;
        double most = pair_stiffness(s, pair, &force, &stiffness);
        if (tree >= 0) {
            note_stiffness(s, tree, most);
            hold(s, is_struck(s, pair, most, force, stiffness) ? tree : -1);
        }
    }
    spread_hold(s);
}

// Contacts of islands that are held, at the start, among those of the others. A held tree and
// another do not touch half a step ahead, or they were of one island.
static iso_status merge_contacts(iso_stages* s, const iso_contact_set* ahead) {
    iso_arena* arena = &s->stepper->arena;
    iso_contact_set start = s->set, all = *ahead;
    all.pairs =
        iso_arena_push_array(arena, ahead->pair_count + start.pair_count, sizeof *all.pairs);
    ISO_REQUIRE(arena->ctx, all.pairs, ISO_ERR_MEMORY, "%d contacts of islands",
                ahead->pair_count + start.pair_count);
    all.pair_count = all.face_count = 0;
    for (int i = 0, k = 0; i < ahead->pair_count || k < start.pair_count;) {
        bool is_ahead = k == start.pair_count ||
                        (i < ahead->pair_count &&
                         iso_contact_pair_is_before(&ahead->pairs[i], &start.pairs[k]));
        const iso_contact_pair* pair = is_ahead ? &ahead->pairs[i++] : &start.pairs[k++];
        int tree = iso_stages_pair_tree(s, pair->body_a, pair->body_b);
        if (is_ahead == iso_stages_is_middle(s, tree)) {
            all.pairs[all.pair_count++] = *pair;
            all.face_count += pair->patch.face_count;
        }
    }
    s->set = all;
    s->report.pair_count = all.candidate_count;
    s->report.contact_count = all.pair_count;
    s->report.face_count = all.face_count;
    return ISO_OK;
}

// Kinematics of trees that are held: those of the start.
static void keep_start(iso_stages* s) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    const iso_kinematics* start = &s->start_kinematics;
    for (int b = 1; b < multibody->body_count; ++b) {
        int tree = multibody->bodies[b].tree;
        if (tree >= 0 && !s->shares[tree].is_middle) {
            s->kinematics.x_wb[b] = start->x_wb[b];
            s->kinematics.v_wb[b] = start->v_wb[b];
        }
    }
    for (int d = 0; d < multibody->v_count; ++d) {
        if (!s->shares[iso_stages_dof_tree(s, d)].is_middle) {
            s->kinematics.dof_axis[d] = start->dof_axis[d];
            s->kinematics.dof_point[d] = start->dof_point[d];
        }
    }
}

static void mark_middle(const iso_stages* s, bool* marks) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    for (int b = 0; b < multibody->body_count; ++b) {
        marks[b] = iso_stages_is_middle(s, multibody->bodies[b].tree);
    }
}

// After the contacts half a step ahead: islands that are held go back to the start.
static iso_status look_back(iso_stages* s, bool* marks) {
    int middle = count_middle(s);
    if (middle == 0) {
        s->shares = NULL;
        s->kinematics = s->start_kinematics;
        return iso_stage_contacts(s);
    }
    if (middle == s->stepper->dynamics.multibody->tree_count) {
        return ISO_OK;
    }
    iso_contact_set ahead = s->set;
    mark_middle(s, marks);
    iso_status status = iso_stages_contacts_of(s, &s->start_kinematics, marks, false);
    status = status == ISO_OK ? merge_contacts(s, &ahead) : status;
    keep_start(s);
    return status;
}

iso_status iso_midpoint_contacts(iso_stages* s) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    iso_arena* arena = &s->stepper->arena;
    iso_status status = ISO_OK;
    ISO_TRY(push_shares(s));
    hold_rigid_parts(s);
    hold_whirling(s);
    hold_remembered(s);
    int middle = count_middle(s);
    if (middle == 0) {
        s->shares = NULL;
        return iso_stage_contacts(s);
    }
    bool* marks = iso_arena_push_array(arena, multibody->body_count, sizeof *marks);
    ISO_REQUIRE(arena->ctx, marks, ISO_ERR_MEMORY, "islands of %d bodies", multibody->body_count);
    mark_middle(s, marks);
    ISO_TRY(look_ahead(s));
    ISO_TRY(iso_stages_contacts_of(s, &s->kinematics, middle < multibody->tree_count ? marks : NULL,
                                   true));
    find_islands(s);
    ISO_TRY(look_back(s, marks));
done:
    return status;
}

void iso_midpoint_choose(iso_stages* s) {
    if (!s->shares) {
        return;
    }
    add_joint_stiffness(s);
    for (int t = 0; t < s->stepper->dynamics.multibody->tree_count; ++t) {
        double most = s->shares[iso_island_leader(s->leaders, t)].stiffness;
        s->shares[t].part = s->shares[t].is_middle ? 1.0 - 0.5 / (1.0 + most * most) : 1.0;
    }
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
    return iso_vec3_add_scaled(iso_vec3_sub(to, from), v, iso_stages_dt(s, tree) - s->span);
}

iso_vec3 iso_midpoint_arm(const iso_stages* s, int body_a, int body_b) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    int tree_a = multibody->bodies[body_a].tree, tree_b = multibody->bodies[body_b].tree;
    if (!iso_stages_is_middle(s, tree_a) || tree_b < 0 ||
        !iso_stages_is_free_body(multibody, tree_a) ||
        !iso_stages_is_free_body(multibody, tree_b)) {
        return iso_vec3_zero();
    }
    return iso_vec3_scale(iso_vec3_sub(way_ahead(s, tree_b), way_ahead(s, tree_a)), 0.5);
}

// Where a point of a body in the middle of the step is at its start.
static iso_vec3 point_before(const iso_stages* s, int body, iso_vec3 p_w) {
    return iso_pose_point(&s->start_kinematics.x_wb[body],
                          iso_pose_inverse_point(&s->kinematics.x_wb[body], p_w));
}

iso_pair_poses iso_midpoint_start(const iso_stages* s, const iso_contact_pair* pair) {
    const iso_pose* starts = iso_stages_start_poses(s);
    iso_pair_poses poses = {starts[pair->body_a], starts[pair->body_b]};
    if (s->shares && iso_stages_is_middle(s, iso_stages_pair_tree(s, pair->body_a, pair->body_b))) {
        iso_vec3 a = point_before(s, pair->body_a, pair->p_wc);
        iso_vec3 b = point_before(s, pair->body_b, pair->p_wc);
        iso_vec3 way = iso_vec3_sub(pair->p_wc, iso_vec3_scale(iso_vec3_add(a, b), 0.5));
        poses.x_wa.p = iso_vec3_add(poses.x_wa.p, way);
        poses.x_wb.p = iso_vec3_add(poses.x_wb.p, way);
    }
    return poses;
}

void iso_midpoint_finish(iso_stages* s) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    for (int t = 0; s->shares && t < multibody->tree_count; ++t) {
        double whole = iso_stages_whole(s, t);
        for (int d = multibody->tree_v_index[t];
             s->shares[t].is_middle && d < multibody->tree_v_index[t + 1]; ++d) {
            double v0 = s->input->v[d];
            s->end_v[d] = v0 + whole * (s->v[d] - v0);
        }
    }
}
