// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "multibody/rotors.h"

#include "base/core/fail.h"
#include "multibody/route.h"

#include <string.h>

static iso_route route_of(const iso_mb_rotor* rotor) {
    return (iso_route){rotor->part_count, rotor->parts};
}

static iso_joint_length length_of(const iso_mb_rotor* rotor) {
    return (iso_joint_length){route_of(rotor), rotor->count, rotor->bodies, rotor->weights};
}

bool iso_multibody_has_route(const iso_multibody* multibody, int tree) {
    bool has = false;
    for (int r = 0; r < multibody->rotor_count && !has; ++r) {
        has = multibody->rotors[r].part_count > 0 && multibody->rotors[r].tree == tree;
    }
    return has;
}

static bool leads_to_fixed(const iso_multibody* multibody, const iso_mb_rotor* rotor) {
    bool leads = false;
    for (int i = 0; i < rotor->part_count && !leads; ++i) {
        const iso_route_part* part = &rotor->parts[i];
        leads = part->kind != ISO_ROUTE_PULLEY && multibody->bodies[part->body].tree < 0;
    }
    return leads;
}

bool iso_multibody_is_anchored(const iso_multibody* multibody, int tree) {
    bool is_anchored = false;
    for (int r = 0; r < multibody->rotor_count && !is_anchored; ++r) {
        const iso_mb_rotor* rotor = &multibody->rotors[r];
        is_anchored = rotor->tree == tree && leads_to_fixed(multibody, rotor);
    }
    return is_anchored;
}

double iso_multibody_rotor_energy(const iso_multibody* multibody, const iso_kinematics* kinematics,
                                  const double* v) {
    double energy = 0.0;
    for (int r = 0; r < multibody->rotor_count; ++r) {
        iso_joint_length length = length_of(&multibody->rotors[r]);
        double rate = iso_joint_length_rate(&length, multibody, kinematics, v);
        energy += 0.5 * multibody->rotors[r].inertia * rate * rate;
    }
    return energy;
}

iso_status iso_rotors_add_mass(const iso_multibody* multibody, const iso_kinematics* kinematics,
                               iso_arena* work, double* blocks) {
    if (multibody->rotor_count == 0) {
        return ISO_OK;
    }
    iso_arena_mark mark = iso_arena_get_mark(work);
    double* slope = iso_arena_push_array(work, multibody->v_count, sizeof *slope);
    ISO_REQUIRE(work->ctx, slope, ISO_ERR_MEMORY, "rotors of %d degrees of freedom",
                multibody->v_count);
    for (int r = 0; r < multibody->rotor_count; ++r) {
        const iso_mb_rotor* rotor = &multibody->rotors[r];
        int first = multibody->tree_v_index[rotor->tree];
        int dofs = multibody->tree_v_index[rotor->tree + 1] - first;
        double* block = blocks + multibody->tree_m_index[rotor->tree];
        iso_joint_length length = length_of(rotor);
        memset(slope + first, 0, (size_t)dofs * sizeof *slope);
        iso_joint_length_add_effort(&length, multibody, kinematics, 1.0, slope);
        for (int i = 0; i < dofs; ++i) {
            for (int j = 0; j < dofs && slope[first + i] != 0.0; ++j) {
                block[i * dofs + j] += rotor->inertia * (slope[first + i] * slope[first + j]);
            }
        }
    }
    iso_arena_release(work, mark);
    return ISO_OK;
}

void iso_rotors_add_efforts(const iso_multibody* multibody, const iso_kinematics* kinematics,
                            const double* vdot, double* tau) {
    for (int r = 0; r < multibody->rotor_count; ++r) {
        const iso_mb_rotor* rotor = &multibody->rotors[r];
        iso_joint_length length = length_of(rotor);
        double effort =
            rotor->inertia * iso_joint_length_rate(&length, multibody, kinematics, vdot);
        iso_joint_length_add_effort(&length, multibody, kinematics, effort, tau);
    }
}

// Twists of all bodies at other velocities in the same position.
static void find_twists(const iso_multibody* multibody, const iso_kinematics* kinematics,
                        const double* v, iso_spatial* out_v_wb) {
    for (int b = 0; b < multibody->body_count; ++b) {
        const iso_mb_body* body = &multibody->bodies[b];
        out_v_wb[b] = kinematics->v_wb[b];
        if (body->tree < 0) {
            continue;
        }
        iso_vec3 p_wb = kinematics->x_wb[b].p, p_wp = kinematics->x_wb[body->parent].p;
        out_v_wb[b] = iso_spatial_shift_twist(out_v_wb[body->parent], iso_vec3_sub(p_wb, p_wp));
        int end = body->v_index + iso_mobility_v_count(body->mobility);
        for (int k = body->v_index; k < end; ++k) {
            iso_spatial own = iso_spatial_scale(kinematics->dof_axis[k], v[k]);
            iso_vec3 arm = iso_vec3_sub(p_wb, kinematics->dof_point[k]);
            out_v_wb[b] = iso_spatial_add(out_v_wb[b], iso_spatial_shift_twist(own, arm));
        }
    }
}

iso_status iso_rotors_add_bias(const iso_multibody* multibody, const iso_kinematics* kinematics,
                               int tree, const double* v, iso_arena* work, double* tau) {
    bool is_needed = false;
    for (int r = 0; r < multibody->rotor_count; ++r) {
        const iso_mb_rotor* rotor = &multibody->rotors[r];
        is_needed = is_needed || (rotor->part_count > 0 && (tree < 0 || rotor->tree == tree));
    }
    if (!is_needed) {
        return ISO_OK;
    }
    iso_arena_mark mark = iso_arena_get_mark(work);
    iso_kinematics at = *kinematics;
    at.v_wb = iso_arena_push_array(work, multibody->body_count, sizeof *at.v_wb);
    iso_spatial* a_wb = iso_arena_push_array(work, multibody->body_count, sizeof *a_wb);
    ISO_REQUIRE(work->ctx, at.v_wb && a_wb, ISO_ERR_MEMORY, "accelerations of %d bodies",
                multibody->body_count);
    find_twists(multibody, kinematics, v, at.v_wb);
    iso_multibody_body_accelerations(multibody, &at, v, NULL, a_wb);
    for (int r = 0; r < multibody->rotor_count; ++r) {
        const iso_mb_rotor* rotor = &multibody->rotors[r];
        if (rotor->part_count > 0 && (tree < 0 || rotor->tree == tree)) {
            iso_route route = route_of(rotor);
            double effort = rotor->inertia * iso_route_acceleration(&route, &at, a_wb);
            iso_route_add_effort(&route, multibody, &at, effort, tau);
        }
    }
    iso_arena_release(work, mark);
    return ISO_OK;
}
