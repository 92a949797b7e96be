// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// What moved bodies in a velocity-level step: the equations of motion at the start of the step,
// M dv/dt + bias = tau + J^T f, hold for the forces of the solution, with dv/dt = (v1 - v0) / dt
// less what v1 has of the bias of the mean velocity. (Midpoint: with its arms.)

#include "stepper/stages/stages.h"

void iso_stages_add_pair_wrench(const iso_kinematics* kinematics, int body_a, int body_b,
                                iso_vec3 p_w, iso_spatial f_b_w, iso_spatial* wrenches) {
    iso_vec3 to_a = iso_vec3_sub(kinematics->x_wb[body_a].p, p_w);
    iso_vec3 to_b = iso_vec3_sub(kinematics->x_wb[body_b].p, p_w);
    iso_spatial* f_a = &wrenches[body_a];
    iso_spatial* f_b = &wrenches[body_b];
    *f_a = iso_spatial_sub(*f_a, iso_spatial_shift_wrench(f_b_w, to_a));
    *f_b = iso_spatial_add(*f_b, iso_spatial_shift_wrench(f_b_w, to_b));
}

void iso_stages_note_loads(const iso_stages* s, iso_step_output* output) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    const iso_closure* closure = &s->stepper->closure;
    iso_spatial* f_b_w = output->loads.f_b_w;
    if (!output->loads.vdot || !f_b_w) {
        return;
    }
    for (int d = 0; d < multibody->v_count; ++d) {
        output->loads.vdot[d] =
            (s->v[d] - s->boost[d] - s->input->v[d]) / iso_stages_dt(s, iso_stages_dof_tree(s, d));
    }
    for (int b = 0; b < multibody->body_count; ++b) {
        f_b_w[b] = s->input->f_b_w ? s->input->f_b_w[b] : iso_spatial_zero();
    }
    for (int i = 0; i < s->set.pair_count; ++i) {
        const iso_contact_pair* pair = &s->set.pairs[i];
        iso_spatial f = output->contacts.f_b_w[i];
        f = s->pulls ? iso_spatial_add(f, s->pulls[i]) : f;
        iso_stages_add_pair_wrench(iso_stages_pair_kinematics(s, pair->body_a, pair->body_b),
                                   pair->body_a, pair->body_b, pair->p_wc, f, f_b_w);
        iso_vec3 arm = iso_midpoint_arm(s, pair->body_a, pair->body_b);
        iso_vec3 couple = iso_vec3_cross(arm, f.translational);
        f_b_w[pair->body_a].rotational = iso_vec3_add(f_b_w[pair->body_a].rotational, couple);
        f_b_w[pair->body_b].rotational = iso_vec3_add(f_b_w[pair->body_b].rotational, couple);
    }
    for (int i = 0; i < closure->constraint_count; ++i) {
        int a = closure->constraints[i].body_a, b = closure->constraints[i].body_b;
        iso_stages_add_pair_wrench(iso_stages_pair_kinematics(s, a, b), a, b, s->gaps[i].p_w,
                                   output->constraint_forces[i], f_b_w);
    }
}
