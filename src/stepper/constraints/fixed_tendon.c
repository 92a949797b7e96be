// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "stepper/constraints/fixed_tendon.h"

#include <math.h>

static iso_route route_of(const iso_fixed_tendon* tendon) {
    return (iso_route){tendon->part_count, tendon->parts};
}

int iso_fixed_tendon_tree(const iso_fixed_tendon* tendon, const iso_multibody* multibody) {
    iso_route route = route_of(tendon);
    return tendon->part_count > 0 ? iso_route_tree(&route, multibody)
                                  : multibody->bodies[tendon->bodies[0]].tree;
}

double iso_fixed_tendon_length(const iso_fixed_tendon* tendon, const iso_multibody* multibody,
                               const iso_kinematics* kinematics, const double* q) {
    iso_route route = route_of(tendon);
    double length = tendon->part_count > 0 ? iso_route_length(&route, kinematics) : 0.0;
    for (int i = 0; i < tendon->count; ++i) {
        length += tendon->weights[i] * q[multibody->bodies[tendon->bodies[i]].q_index];
    }
    return length;
}

static iso_joint_length length_of(const iso_fixed_tendon* tendon) {
    return (iso_joint_length){route_of(tendon), tendon->count, tendon->bodies, tendon->weights};
}

double iso_fixed_tendon_rate(const iso_fixed_tendon* tendon, const iso_multibody* multibody,
                             const iso_kinematics* kinematics, const double* v) {
    iso_joint_length length = length_of(tendon);
    return iso_joint_length_rate(&length, multibody, kinematics, v);
}

void iso_fixed_tendon_add_effort(const iso_fixed_tendon* tendon, const iso_multibody* multibody,
                                 const iso_kinematics* kinematics, double effort, double* tau) {
    iso_joint_length length = length_of(tendon);
    iso_joint_length_add_effort(&length, multibody, kinematics, effort, tau);
}

double iso_fixed_tendon_passive_effort(const iso_fixed_tendon* tendon,
                                       const iso_multibody* multibody,
                                       const iso_kinematics* kinematics, const double* q,
                                       const double* v) {
    double stretch = iso_fixed_tendon_length(tendon, multibody, kinematics, q) - tendon->reference;
    return -tendon->stiffness * stretch -
           tendon->damping * iso_fixed_tendon_rate(tendon, multibody, kinematics, v);
}

double iso_fixed_tendon_energy(const iso_fixed_tendon* tendon, const iso_multibody* multibody,
                               const iso_kinematics* kinematics, const double* q) {
    double stretch = iso_fixed_tendon_length(tendon, multibody, kinematics, q) - tendon->reference;
    return 0.5 * tendon->stiffness * stretch * stretch;
}

bool iso_fixed_tendon_is_limited(const iso_fixed_tendon* tendon) {
    return !tendon->is_off && (isfinite(tendon->lower) || isfinite(tendon->upper));
}

bool iso_fixed_tendon_has_laws(const iso_fixed_tendon* tendon) {
    return iso_fixed_tendon_is_limited(tendon) || tendon->friction > 0.0;
}

double iso_fixed_tendon_weight(const iso_fixed_tendon* tendon, const iso_multibody* multibody,
                               const iso_kinematics* kinematics, int dof) {
    iso_route route = route_of(tendon);
    for (int i = 0; i < tendon->count; ++i) {
        if (multibody->bodies[tendon->bodies[i]].v_index == dof) {
            return tendon->weights[i];
        }
    }
    return tendon->part_count > 0 ? iso_route_weight(&route, multibody, kinematics, dof) : 0.0;
}
