// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// What actuators, and springs and dampers of fixed tendons, bring to stages 4 to 6. Those that are
// linear in the new velocity are part of A; the others are potentials.

#include "math/dense.h"
#include "math/limits.h"
#include "stepper/constraints/adhesion.h"
#include "stepper/stages/stages.h"

#include <math.h>
#include <string.h>

int iso_stages_drive_count(const iso_stepper* stepper) {
    return stepper->dynamics.actuator_count + stepper->dynamics.tendon_count;
}

// About the mobility along which a drive acts.
static double drive_mobility(const iso_stages* s, const iso_drive* drive) {
    double mobility = 0.0;
    if (!drive->tendon) {
        return 1.0 / *iso_stages_entry(s, drive->dof, drive->dof);
    }
    for (int i = 0; i < drive->dof_count; ++i) {
        int dof = drive->first_dof + i;
        double weight = drive->row[i];
        mobility += weight != 0.0 ? weight * weight / *iso_stages_entry(s, dof, dof) : 0.0;
    }
    return mobility;
}

// A += gain w w^T, rhs += impulse w
static void add_linear(const iso_stages* s, const iso_drive* drive, double gain, double impulse,
                       double* rhs) {
    int first = drive->first_dof;
    if (!drive->tendon) {
        *iso_stages_entry(s, drive->dof, drive->dof) += gain;
        rhs[drive->dof] += impulse;
        return;
    }
    for (int i = 0; i < drive->dof_count; ++i) {
        if (drive->row[i] == 0.0) {
            continue;
        }
        rhs[first + i] += drive->row[i] * impulse;
        for (int j = 0; gain > 0.0 && j < drive->dof_count; ++j) {
            if (drive->row[j] != 0.0) {
                *iso_stages_entry(s, first + i, first + j) += gain * drive->row[i] * drive->row[j];
            }
        }
    }
}

iso_drive iso_actuator_drive(const iso_dynamics* dynamics, int index,
                             const iso_actuation* actuation, const iso_kinematics* kinematics,
                             const double* q, double dt) {
    const iso_actuator* a = &dynamics->actuators[index];
    const iso_multibody* multibody = dynamics->multibody;
    if (iso_actuator_is_adhesion(a)) {
        return iso_drive_make(-1, 0.0, 0.0, a->effort_lower, a->effort_upper, actuation, 0.0, dt);
    }
    const iso_mb_body* body = a->body >= 0 ? &multibody->bodies[a->body] : NULL;
    const iso_fixed_tendon* tendon = body ? NULL : &dynamics->tendons[a->tendon];
    double at = body ? q[body->q_index] : iso_fixed_tendon_length(tendon, multibody, kinematics, q);
    iso_drive drive = iso_drive_make(body ? body->v_index : -1, a->kp, a->kd, a->effort_lower,
                                     a->effort_upper, actuation, at, dt);
    drive.tendon = tendon;
    return drive;
}

static double between(double start, double end, double share) {
    return share < 1.0 ? start + share * (end - start) : end;
}

iso_actuation iso_input_actuation(const iso_step_input* input, int index, double time,
                                  double time_step) {
    iso_actuation start = input->actuations[index];
    if (!input->actuation_ends) {
        return start;
    }
    const iso_actuation* end = &input->actuation_ends[index];
    double share = (time - input->lead_time) / time_step;
    return (iso_actuation){between(start.feed_forward, end->feed_forward, share),
                           between(start.position, end->position, share),
                           between(start.velocity, end->velocity, share)};
}

// Spring and damper of a fixed tendon.
static iso_drive spring_drive(const iso_fixed_tendon* tendon, double length, double dt) {
    iso_actuation rest = {.position = tendon->reference};
    iso_drive drive = iso_drive_make(-1, tendon->stiffness, tendon->damping, -INFINITY, INFINITY,
                                     &rest, length, dt);
    drive.tendon = tendon;
    return drive;
}

// Adhesion acts along nothing that has a velocity.
static bool is_pull(const iso_drive* drive) {
    return !drive->tendon && drive->dof < 0;
}

double iso_drive_velocity(const iso_drive* drive, const double* v) {
    if (is_pull(drive)) {
        return 0.0;
    }
    return drive->tendon ? iso_dense_dot(drive->row, v + drive->first_dof, drive->dof_count)
                         : v[drive->dof];
}

// The row of a drive along a tendon.
static void give_row(const iso_stages* s, iso_drive* drive) {
    const iso_dynamics* dynamics = &s->stepper->dynamics;
    if (drive->tendon) {
        const iso_multibody* multibody = dynamics->multibody;
        int tree = iso_fixed_tendon_tree(drive->tendon, multibody);
        drive->row = s->tendon_rows[drive->tendon - dynamics->tendons];
        drive->first_dof = multibody->tree_v_index[tree];
        drive->dof_count = multibody->tree_v_index[tree + 1] - drive->first_dof;
    }
}

// What a sum beyond its bound shares out: the same part of each effort. Only bounds on one side of
// 0 ask for more than there is; that is shared alike.
static void bound_sum(const iso_dynamics* dynamics, int first, double* efforts) {
    const iso_actuator* actuators = dynamics->actuators;
    double sum = 0.0;
    int count = 0;
    for (int i = first; i >= 0; i = actuators[i].next) {
        sum += efforts[i];
        ++count;
    }
    double bounded = iso_clamp(sum, actuators[first].sum_lower, actuators[first].sum_upper);
    for (int i = first; bounded != sum && i >= 0; i = actuators[i].next) {
        efforts[i] = fabs(bounded) < fabs(sum) ? efforts[i] * (bounded / sum)
                                               : efforts[i] + (bounded - sum) / count;
    }
}

void iso_bound_efforts(const iso_dynamics* dynamics, double* efforts) {
    for (int i = 0; i < dynamics->actuator_count; ++i) {
        if (dynamics->actuators[i].is_summed && !dynamics->actuators[i].is_next) {
            bound_sum(dynamics, i, efforts);
        }
    }
}

// Whether actuators that are bounded together are so with the same effort at each velocity.
static bool is_constant_sum(const iso_stages* s, int first) {
    bool is_constant = true;
    for (int i = first; i >= 0; i = s->stepper->dynamics.actuators[i].next) {
        is_constant = is_constant && s->drives[i].gain == 0.0;
    }
    return is_constant;
}

// Actuators that are bounded together: constant ones become what is left of them, others a sum.
static iso_status prepare_sums(iso_stages* s) {
    const iso_dynamics* dynamics = &s->stepper->dynamics;
    iso_arena* arena = &s->stepper->arena;
    int count = dynamics->actuator_count;
    double* efforts = iso_arena_push_array(arena, count, sizeof *efforts);
    ISO_REQUIRE(arena->ctx, efforts, ISO_ERR_MEMORY, "efforts of %d actuators", count);
    for (int i = 0; i < count; ++i) {
        efforts[i] = iso_drive_effort(&s->drives[i], 0.0);
    }
    iso_bound_efforts(dynamics, efforts);
    for (int first = 0; first < count; ++first) {
        const iso_actuator* a = &dynamics->actuators[first];
        if (!a->is_summed || a->is_next) {
            continue;
        }
        bool is_constant = is_constant_sum(s, first);
        for (int i = first; i >= 0; i = dynamics->actuators[i].next) {
            iso_drive* drive = &s->drives[i];
            int next = dynamics->actuators[i].next;
            drive->is_in_a = is_constant;
            drive->is_summed = !is_constant;
            drive->next = next >= 0 && !is_constant ? &s->drives[next] : NULL;
            if (is_constant) {
                drive->start = efforts[i];
                drive->lower = -INFINITY;
                drive->upper = INFINITY;
            }
        }
    }
    return ISO_OK;
}

// Once their drives are as soft as they are to be.
static void make_sums(iso_stages* s) {
    const iso_dynamics* dynamics = &s->stepper->dynamics;
    for (int i = 0; i < dynamics->actuator_count; ++i) {
        const iso_actuator* a = &dynamics->actuators[i];
        if (s->drives[i].is_summed && !a->is_next) {
            s->sums[s->sum_count++] = iso_drive_sum_make(&s->drives[i], a->sum_lower, a->sum_upper);
        }
    }
}

// The tree that an actuator drives; -1: it pulls at what a body touches.
static int actuator_tree(const iso_dynamics* dynamics, int index) {
    const iso_actuator* a = &dynamics->actuators[index];
    const iso_multibody* multibody = dynamics->multibody;
    if (iso_actuator_is_adhesion(a)) {
        return -1;
    }
    return a->body >= 0 ? multibody->bodies[a->body].tree
                        : iso_fixed_tendon_tree(&dynamics->tendons[a->tendon], multibody);
}

static void make_drives(iso_stages* s) {
    const iso_dynamics* dynamics = &s->stepper->dynamics;
    const double* q = s->input->q;
    for (int i = 0; i < dynamics->actuator_count; ++i) {
        double dt = iso_stages_dt(s, actuator_tree(dynamics, i));
        iso_actuation actuation =
            iso_input_actuation(s->input, i, s->input->time + dt, s->stepper->settings.time_step);
        s->drives[i] = iso_actuator_drive(dynamics, i, &actuation, &s->kinematics, q, dt);
    }
    for (int i = 0; i < dynamics->tendon_count; ++i) {
        const iso_fixed_tendon* tendon = &dynamics->tendons[i];
        double dt = iso_stages_dt(s, iso_fixed_tendon_tree(tendon, dynamics->multibody));
        s->drives[dynamics->actuator_count + i] = spring_drive(tendon, s->tendon_lengths[i], dt);
    }
    for (int i = 0; i < iso_stages_drive_count(s->stepper); ++i) {
        s->drives[i].is_in_a = iso_drive_is_linear(&s->drives[i]);
        give_row(s, &s->drives[i]);
    }
}

// Those that are part of A and act along joints, or along tendons.
static void add_linear_drives(const iso_stages* s, bool has_tendons, double* rhs) {
    for (int i = 0; i < iso_stages_drive_count(s->stepper); ++i) {
        const iso_drive* drive = &s->drives[i];
        if (drive->is_in_a && !is_pull(drive) && (drive->tendon != NULL) == has_tendons) {
            double gain = drive->upper > drive->lower ? drive->dt * drive->gain : 0.0;
            double v = iso_drive_velocity(drive, s->input->v);
            add_linear(s, drive, gain, drive->dt * iso_drive_effort(drive, v), rhs);
        }
    }
}

// Mobilities are those of joints with all that acts on each alone, whatever the drives' order.
iso_status iso_stages_add_drives(iso_stages* s, double* rhs) {
    make_drives(s);
    iso_status status = prepare_sums(s);
    if (status != ISO_OK) {
        return status;
    }
    add_linear_drives(s, false, rhs);
    for (int i = 0; i < iso_stages_drive_count(s->stepper); ++i) {
        iso_drive* drive = &s->drives[i];
        if (!drive->is_in_a) {
            iso_drive_soften(drive, drive_mobility(s, drive));
        } else if (drive->tendon) {
            iso_drive_keep_regular(drive, drive_mobility(s, drive));
        }
    }
    make_sums(s);
    add_linear_drives(s, true, rhs);
    return ISO_OK;
}

iso_status iso_stages_push_pulls(const iso_stages* s, iso_spatial** out_f_bc_w) {
    iso_arena* arena = &s->stepper->arena;
    *out_f_bc_w = NULL;
    if (s->stepper->adhesion_count > 0 && s->set.pair_count > 0) {
        *out_f_bc_w = iso_arena_push_array(arena, s->set.pair_count, sizeof **out_f_bc_w);
        ISO_REQUIRE(arena->ctx, *out_f_bc_w, ISO_ERR_MEMORY, "adhesion of %d contacts",
                    s->set.pair_count);
    }
    return ISO_OK;
}

void iso_stages_find_pulls(const iso_stages* s, const double* efforts, iso_spatial* f_bc_w) {
    const iso_dynamics* dynamics = &s->stepper->dynamics;
    memset(f_bc_w, 0, (size_t)s->set.pair_count * sizeof *f_bc_w);
    for (int i = 0; i < dynamics->actuator_count; ++i) {
        const iso_actuator* a = &dynamics->actuators[i];
        if (iso_actuator_is_adhesion(a)) {
            iso_adhesion_share(&s->set, a->adhesion_body, efforts[i], f_bc_w);
        }
    }
}

// How much of a drive's effort a degree of freedom feels.
static double weight_of(const iso_drive* drive, int dof) {
    if (!drive->tendon) {
        return drive->dof == dof ? 1.0 : 0.0;
    }
    int at = dof - drive->first_dof;
    return at >= 0 && at < drive->dof_count ? drive->row[at] : 0.0;
}

double iso_stages_driven_effort(const iso_stages* s, int dof) {
    double effort = 0.0;
    for (int i = 0; i < iso_stages_drive_count(s->stepper); ++i) {
        const iso_drive* drive = &s->drives[i];
        double weight = drive->is_in_a || drive->is_summed ? 0.0 : weight_of(drive, dof);
        if (weight != 0.0) {
            double v = iso_drive_velocity(drive, s->input->v);
            effort += fabs(weight * iso_drive_effort(drive, v));
        }
    }
    for (int i = 0; i < s->sum_count; ++i) {
        bool is_here = s->sums[i].dof == dof;
        effort += is_here ? fabs(iso_drive_sum_effort(&s->sums[i], s->input->v[dof])) : 0.0;
    }
    return effort + iso_stages_tendon_reach(s, dof);
}

// Whether the sum that a drive belongs to is at a bound.
static bool is_sum_bound(const iso_stages* s, const iso_drive* drive) {
    for (int i = 0; drive->is_summed && i < s->sum_count; ++i) {
        const iso_drive_sum* sum = &s->sums[i];
        if (sum->dof == drive->dof) {
            double effort = iso_drive_sum_effort(sum, s->v[drive->dof]);
            return !(effort > sum->lower && effort < sum->upper);
        }
    }
    return false;
}

double iso_stages_drive_stiffness(const iso_stages* s, int index) {
    const iso_dynamics* dynamics = &s->stepper->dynamics;
    const iso_drive* drive = &s->drives[index];
    if (is_pull(drive) || is_sum_bound(s, drive)) {
        return 0.0;
    }
    double effort = iso_drive_effort(drive, iso_drive_velocity(drive, s->v));
    double kp =
        index < dynamics->actuator_count ? dynamics->actuators[index].kp : drive->tendon->stiffness;
    return effort > drive->lower && effort < drive->upper ? drive->share * kp : 0.0;
}

bool iso_stages_is_driven(const iso_stages* s, int dof) {
    for (int i = 0; i < iso_stages_drive_count(s->stepper); ++i) {
        if (!s->drives[i].is_in_a && weight_of(&s->drives[i], dof) != 0.0) {
            return true;
        }
    }
    return iso_stages_tendon_reach(s, dof) > 0.0;
}

iso_status iso_stages_drive_potentials(iso_stages* s) {
    for (int i = 0; i < iso_stages_drive_count(s->stepper); ++i) {
        const iso_drive* drive = &s->drives[i];
        if (drive->is_in_a || drive->is_summed) {
            continue;
        }
        if (!drive->tendon) {
            iso_stages_add_joint_potential(s, &iso_drive_ops, drive, drive->dof);
            continue;
        }
        int tendon = (int)(drive->tendon - s->stepper->dynamics.tendons);
        iso_stages_add_tendon_potential(s, &iso_drive_ops, drive, tendon);
    }
    for (int i = 0; i < s->sum_count; ++i) {
        iso_stages_add_joint_potential(s, &iso_drive_sum_ops, &s->sums[i], s->sums[i].dof);
    }
    return ISO_OK;
}

void iso_stages_book_drives(const iso_stages* s, iso_step_output* output) {
    const iso_dynamics* dynamics = &s->stepper->dynamics;
    for (int i = 0; i < dynamics->actuator_count; ++i) {
        double v = iso_drive_velocity(&s->drives[i], s->v);
        output->efforts[i] = iso_drive_effort(&s->drives[i], v);
    }
    iso_bound_efforts(dynamics, output->efforts);
    for (int i = 0; i < dynamics->actuator_count; ++i) {
        double v = iso_drive_velocity(&s->drives[i], s->v);
        output->works.actuation += s->span * output->efforts[i] * v;
    }
    iso_stages_book_tendons(s, output);
}
