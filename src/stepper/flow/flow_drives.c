// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Actuators and fixed tendons in the continuous methods. docs/theory/multibody.md.

#include "stepper/flow/flow.h"

#include <float.h>
#include <math.h>

iso_status iso_flow_make_fixed_tendons(iso_flow* f) {
    iso_stages* stages = f->stages;
    const iso_dynamics* dynamics = &stages->stepper->dynamics;
    iso_arena* arena = &stages->stepper->arena;
    int count = dynamics->tendon_count;
    double frequency = LIMIT_FREQUENCY / stages->span;
    f->tendon_laws = iso_arena_push_array(arena, count, sizeof *f->tendon_laws);
    ISO_REQUIRE(arena->ctx, f->tendon_laws, ISO_ERR_MEMORY, "%d fixed tendons", count);
    iso_status made = iso_stages_make_tendon_rows(stages);
    if (made != ISO_OK) {
        return made;
    }
    for (int i = 0; i < count; ++i) {
        const iso_fixed_tendon* tendon = &dynamics->tendons[i];
        double mobility = 0.0;
        f->tendon_laws[i] = (iso_flow_limit){.friction_speed = DBL_MIN};
        if (!iso_fixed_tendon_has_laws(tendon)) {
            continue;
        }
        iso_status status = iso_stages_tendon_mobility(stages, i, &mobility);
        if (status != ISO_OK) {
            return status;
        }
        if (!(mobility > 0.0)) {
            continue; // a route that nothing lengthens here
        }
        f->tendon_laws[i] = (iso_flow_limit){
            .stiffness = frequency * frequency / mobility,
            .damping = 2.0 * frequency / mobility,
            .friction_speed = fmax(DBL_MIN, stages->span * tendon->friction * mobility)};
    }
    return ISO_OK;
}

double iso_flow_limit_effort(double stiffness, double damping, double below, double above,
                             double rate) {
    if (below > 0.0) {
        return fmax(stiffness * below - damping * rate, 0.0);
    }
    return above > 0.0 ? -fmax(stiffness * above + damping * rate, 0.0) : 0.0;
}

double iso_flow_friction_effort(double friction, double speed, double rate) {
    return -friction * rate / hypot(rate, speed);
}

void iso_flow_find_efforts(const iso_flow* f, const iso_kinematics* kinematics, const double* q,
                           const double* v, double* out_efforts) {
    const iso_dynamics* dynamics = &f->stages->stepper->dynamics;
    for (int i = 0; i < dynamics->actuator_count; ++i) {
        iso_actuation actuation =
            iso_input_actuation(&f->input, i, f->now_time, f->stages->stepper->settings.time_step);
        iso_drive drive = iso_actuator_drive(dynamics, i, &actuation, kinematics, q, 0.0);
        double rate = iso_actuator_is_adhesion(&dynamics->actuators[i]) ? 0.0
                      : drive.tendon
                          ? iso_fixed_tendon_rate(drive.tendon, dynamics->multibody, kinematics, v)
                          : v[drive.dof];
        out_efforts[i] = iso_drive_effort(&drive, rate);
    }
    iso_bound_efforts(dynamics, out_efforts);
}

static void add_fixed_tendon(iso_flow* f, int index, const iso_kinematics* kinematics,
                             const double* q, const double* v, iso_works* powers) {
    const iso_multibody* multibody = f->stages->stepper->dynamics.multibody;
    const iso_fixed_tendon* tendon = &f->stages->stepper->dynamics.tendons[index];
    const iso_flow_limit* law = &f->tendon_laws[index];
    double length = iso_fixed_tendon_length(tendon, multibody, kinematics, q);
    double rate = iso_fixed_tendon_rate(tendon, multibody, kinematics, v);
    double passive = iso_fixed_tendon_passive_effort(tendon, multibody, kinematics, q, v);
    double limit = tendon->is_off
                       ? 0.0
                       : iso_flow_limit_effort(law->stiffness, law->damping, tendon->lower - length,
                                               length - tendon->upper, rate);
    f->tie_efforts[f->stages->stepper->closure.coupler_count + index] = limit;
    double friction = iso_flow_friction_effort(tendon->friction, law->friction_speed, rate);
    iso_fixed_tendon_add_effort(tendon, multibody, kinematics, passive + limit + friction, f->tau);
    powers->damping += tendon->damping * rate * rate - friction * rate;
    if (f->limit_tau) {
        iso_fixed_tendon_add_effort(tendon, multibody, kinematics, limit, f->limit_tau);
    } else {
        powers->limit += limit * rate;
    }
}

void iso_flow_add_drives(iso_flow* f, const iso_kinematics* kinematics, const double* q,
                         const double* v, iso_works* powers) {
    const iso_dynamics* dynamics = &f->stages->stepper->dynamics;
    const iso_multibody* multibody = dynamics->multibody;
    iso_flow_find_efforts(f, kinematics, q, v, f->efforts);
    for (int i = 0; i < dynamics->actuator_count; ++i) {
        const iso_actuator* actuator = &dynamics->actuators[i];
        if (iso_actuator_is_adhesion(actuator)) {
            continue; // iso_flow_accelerate() knows the contacts
        }
        if (actuator->body < 0) {
            const iso_fixed_tendon* tendon = &dynamics->tendons[actuator->tendon];
            iso_fixed_tendon_add_effort(tendon, multibody, kinematics, f->efforts[i], f->tau);
            powers->actuation +=
                f->efforts[i] * iso_fixed_tendon_rate(tendon, multibody, kinematics, v);
        } else {
            int dof = multibody->bodies[actuator->body].v_index;
            f->tau[dof] += f->efforts[i];
            powers->actuation += f->efforts[i] * v[dof];
        }
    }
    for (int i = 0; i < dynamics->tendon_count; ++i) {
        add_fixed_tendon(f, i, kinematics, q, v, powers);
    }
}
