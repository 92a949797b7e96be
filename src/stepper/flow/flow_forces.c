// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Forces and accelerations of the continuous methods in one state.

#include "stepper/flow/flow.h"
#include "stepper/flow/flow_jacobian.h"

#include <float.h>
#include <string.h>

static iso_status push_flow(iso_flow* f, iso_arena* arena) {
    const iso_stepper* stepper = f->stages->stepper;
    const iso_multibody* multibody = stepper->dynamics.multibody;
    int limits = stepper->limited_count;
    f->limit_stiffness = iso_arena_push_array(arena, limits, sizeof *f->limit_stiffness);
    f->limit_damping = iso_arena_push_array(arena, limits, sizeof *f->limit_damping);
    int constraints = stepper->closure.constraint_count;
    f->spring = iso_arena_push_array(arena, constraints, sizeof *f->spring);
    f->spring_damping = iso_arena_push_array(arena, constraints, sizeof *f->spring_damping);
    f->friction_speed =
        iso_arena_push_array(arena, stepper->friction_count, sizeof *f->friction_speed);
    f->tau = iso_arena_push_array(arena, multibody->v_count, sizeof *f->tau);
    f->efforts = iso_arena_push_array(arena, stepper->dynamics.actuator_count, sizeof *f->efforts);
    f->f_b_w = iso_arena_push_array(arena, multibody->body_count, sizeof *f->f_b_w);
    ISO_REQUIRE(arena->ctx,
                f->limit_stiffness && f->limit_damping && f->spring && f->spring_damping &&
                    f->friction_speed && f->tau && f->efforts && f->f_b_w,
                ISO_ERR_MEMORY, "forces on %d bodies", multibody->body_count);
    return ISO_OK;
}

// Springs of the joint limits, critically damped, from the effective masses at the step's start.
static iso_status make_limits(iso_flow* f) {
    iso_stages* stages = f->stages;
    const iso_stepper* stepper = stages->stepper;
    double frequency = LIMIT_FREQUENCY / stages->span;
    iso_status status = ISO_OK;
    for (int i = 0; i < stepper->limited_count; ++i) {
        const iso_mb_body* body = &stepper->dynamics.multibody->bodies[stepper->limited[i]];
        double mobility;
        ISO_TRY(iso_stages_mobility(stages, body->v_index, &mobility));
        f->limit_stiffness[i] = frequency * frequency / mobility;
        f->limit_damping[i] = 2.0 * frequency / mobility;
    }
done:
    return status;
}

// Dry friction is smooth within the speed that it could give the joint in one time step: it slows
// the joint at a rate of at most one over the time step, whatever the joint's size and friction.
static iso_status make_frictions(iso_flow* f) {
    iso_stages* stages = f->stages;
    const iso_stepper* stepper = stages->stepper;
    const iso_multibody* multibody = stepper->dynamics.multibody;
    iso_status status = ISO_OK;
    for (int i = 0; i < stepper->friction_count; ++i) {
        int dof = stepper->friction_dofs[i];
        const iso_mb_body* body = &multibody->bodies[multibody->dof_body[dof]];
        double mobility;
        ISO_TRY(iso_stages_mobility(stages, dof, &mobility));
        f->friction_speed[i] = fmax(DBL_MIN, stages->span * body->friction * mobility);
    }
done:
    return status;
}

iso_status iso_flow_prepare(iso_flow* f) {
    iso_stages* stages = f->stages;
    const iso_stepper* stepper = stages->stepper;
    iso_status status = ISO_OK;
    ISO_TRY(push_flow(f, &stages->stepper->arena));
    if (stepper->limited_count + stepper->friction_count + stepper->closure.constraint_count +
            stepper->tendon_law_count >
        0) {
        ISO_TRY(iso_flow_factor_mass(stages));
    }
    ISO_TRY(make_limits(f));
    ISO_TRY(iso_flow_make_tendons(f));
    ISO_TRY(iso_flow_make_fixed_tendons(f));
    status = make_frictions(f);
done:
    return status;
}

// Efforts of springs, dry friction, actuators and limits in tau, their powers.
static void add_joint_forces(iso_flow* f, const iso_kinematics* kinematics, const double* q,
                             const double* v, iso_works* powers) {
    const iso_stepper* stepper = f->stages->stepper;
    const iso_multibody* multibody = stepper->dynamics.multibody;
    for (int d = 0; d < multibody->v_count; ++d) {
        f->tau[d] = 0.0;
        powers->damping += multibody->bodies[multibody->dof_body[d]].damping * v[d] * v[d];
    }
    if (stepper->has_springs) {
        iso_multibody_spring_efforts(multibody, q, f->tau);
    }
    for (int i = 0; i < stepper->friction_count; ++i) {
        int dof = stepper->friction_dofs[i];
        double friction = multibody->bodies[multibody->dof_body[dof]].friction;
        double effort = iso_flow_friction_effort(friction, f->friction_speed[i], v[dof]);
        f->tau[dof] += effort;
        powers->damping -= effort * v[dof];
    }
    iso_flow_add_drives(f, kinematics, q, v, powers);
    for (int i = 0; i < stepper->limited_count; ++i) {
        const iso_mb_body* body = &multibody->bodies[stepper->limited[i]];
        double x = q[body->q_index], rate = v[body->v_index];
        double effort = iso_flow_limit_effort(f->limit_stiffness[i], f->limit_damping[i],
                                              body->lower - x, x - body->upper, rate);
        f->tau[body->v_index] += effort;
        if (f->limit_tau) {
            f->limit_tau[body->v_index] += effort;
        } else {
            powers->limit += effort * rate;
        }
    }
}

// Applied wrenches in f_b_w; returns their power.
static double add_applied(iso_flow* f, const iso_kinematics* kinematics) {
    const iso_multibody* multibody = f->stages->stepper->dynamics.multibody;
    double power = 0.0;
    for (int b = 0; b < multibody->body_count; ++b) {
        f->f_b_w[b] = f->input.f_b_w ? f->input.f_b_w[b] : iso_spatial_zero();
        if (multibody->bodies[b].tree >= 0) {
            power += iso_spatial_dot(f->f_b_w[b], kinematics->v_wb[b]);
        }
    }
    return power;
}

// Contact wrenches and adhesion onto f_b_w, their powers.
static iso_status add_contacts(iso_flow* f, const iso_stages* now, iso_works* powers) {
    const iso_contact_system* system = now->stepper->dynamics.contact;
    const iso_kinematics* kinematics = &now->kinematics;
    const iso_contact_set* set = &now->set;
    iso_spatial* pulls = NULL;
    iso_flow_relax(f);
    iso_arena* arena = &now->stepper->arena;
    iso_arena_mark mark = iso_arena_get_mark(arena);
    iso_status pushed = iso_stages_push_pulls(now, &pulls);
    if (pushed != ISO_OK) {
        return pushed;
    }
    if (pulls) {
        iso_stages_find_pulls(now, f->efforts, pulls);
    }
    for (int i = 0; i < set->pair_count; ++i) {
        const iso_contact_pair* pair = &set->pairs[i];
        iso_spatial v_c = iso_pair_twist(kinematics, pair);
        iso_spatial belt = iso_surface_twist(system, kinematics, pair);
        iso_contact_losses losses = {0};
        iso_spatial f_c;
        iso_status status =
            iso_flow_contact_wrench(f, now, i, iso_spatial_add(v_c, belt), &losses, NULL, &f_c);
        if (status != ISO_OK) {
            return status;
        }
        iso_spatial pull = pulls ? pulls[i] : iso_spatial_zero();
        iso_stages_add_pair_wrench(kinematics, pair->body_a, pair->body_b, pair->p_wc,
                                   pulls ? iso_spatial_add(f_c, pull) : f_c, f->f_b_w);
        // Of what moves freely.
        iso_spatial moved = iso_stages_add_fixed_twist(now, pair->body_a, pair->body_b, pair->p_wc,
                                                       iso_spatial_zero());
        powers->contact += iso_spatial_dot(f_c, iso_spatial_sub(v_c, moved));
        powers->actuation += pulls ? iso_spatial_dot(pull, iso_spatial_sub(v_c, moved)) : 0.0;
        powers->friction += losses.friction;
        powers->contact_damping += losses.damping;
    }
    iso_arena_release(arena, mark);
    return ISO_OK;
}

// Masses are positive at each state: numbers that overflow are those of a body that has become too
// fast, which is the one to name.
static iso_status fail_of_speed(const iso_stages* now, const double* v) {
    const iso_multibody* multibody = now->stepper->dynamics.multibody;
    int fastest = 0;
    for (int i = 0; i < multibody->v_count; ++i) {
        fastest = fabs(v[i]) > fabs(v[fastest]) ? i : fastest;
    }
    return iso_fail(now->stepper->ctx, ISO_ERR_NUMERIC, __func__,
                    "accelerations cannot be found %s the step: body '%s' is the fastest, with %g "
                    "rad/s or m/s; expected a smaller time step",
                    now->is_within ? "within" : "before",
                    iso_stepper_body_name(now->stepper, multibody->dof_body[fastest]), v[fastest]);
}

iso_status iso_flow_accelerate(iso_flow* f, iso_stages* now, double* out_vdot, double* out_powers) {
    iso_stepper* stepper = now->stepper;
    const iso_multibody* multibody = stepper->dynamics.multibody;
    const double* q = now->input->q;
    const double* v = now->input->v;
    iso_status status = ISO_OK;
    iso_works powers = {0};
    for (int d = 0; f->limit_tau && d < multibody->v_count; ++d) {
        f->limit_tau[d] = f->rope_tau[d] = 0.0;
    }
    add_joint_forces(f, &now->kinematics, q, v, &powers);
    powers.applied = add_applied(f, &now->kinematics);
    powers.actuation += powers.applied;
    status = add_contacts(f, now, &powers);
    if (status != ISO_OK) {
        return status;
    }
    powers.constraint = iso_flow_add_stretch(f, now);
    iso_stages_lap(now, 4);
    status = iso_multibody_acceleration(multibody, &now->kinematics, v, stepper->settings.gravity,
                                        f->tau, f->f_b_w, &stepper->arena, out_vdot);
    if (status == ISO_ERR_NUMERIC) {
        status = fail_of_speed(now, v);
    }
    if (status == ISO_OK) {
        status = iso_flow_constrain(f, &now->kinematics, q, v, out_vdot, &powers.constraint);
    }
    memcpy(out_powers, &powers, sizeof powers);
    iso_stages_lap(now, 5);
    return status;
}

void iso_flow_note_loads(iso_flow* f, const iso_kinematics* kinematics, const double* vdot) {
    const iso_stepper* stepper = f->stages->stepper;
    const iso_multibody* multibody = stepper->dynamics.multibody;
    const iso_closure* closure = &stepper->closure;
    if (!f->loads.vdot || !f->loads.f_b_w) {
        return;
    }
    memcpy(f->loads.vdot, vdot, (size_t)multibody->v_count * sizeof *vdot);
    memcpy(f->loads.f_b_w, f->f_b_w, (size_t)multibody->body_count * sizeof *f->f_b_w);
    for (int i = 0; i < closure->constraint_count; ++i) {
        const iso_constraint* c = &closure->constraints[i];
        if (iso_constraint_is_rigid(c) && c->kind != ISO_CONSTRAINT_TENDON) {
            iso_gap gap = iso_constraint_gap(c, kinematics->x_wb);
            iso_stages_add_pair_wrench(kinematics, c->body_a, c->body_b, gap.p_w,
                                       f->constraint_forces[i], f->loads.f_b_w);
        }
    }
    f->loads = (iso_step_loads){NULL, NULL};
}
