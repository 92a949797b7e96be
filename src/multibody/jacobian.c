// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "multibody/multibody.h"

void iso_multibody_jacobian(const iso_multibody* multibody, const iso_kinematics* kinematics,
                            int body, iso_vec3 p_w, double* out_jacobian) {
    int tree = multibody->bodies[body].tree;
    if (tree < 0) {
        return;
    }
    int first = multibody->tree_v_index[tree];
    int dofs = multibody->tree_v_index[tree + 1] - first;
    for (int i = 0; i < 6 * dofs; ++i) {
        out_jacobian[i] = 0.0;
    }
    for (int b = body; multibody->bodies[b].tree == tree; b = multibody->bodies[b].parent) {
        const iso_mb_body* mb = &multibody->bodies[b];
        int end = mb->v_index + iso_mobility_v_count(mb->mobility);
        for (int k = mb->v_index; k < end; ++k) {
            iso_spatial twist = iso_spatial_shift_twist(
                kinematics->dof_axis[k], iso_vec3_sub(p_w, kinematics->dof_point[k]));
            double* column = out_jacobian + (k - first);
            column[0] = twist.rotational.x;
            column[dofs] = twist.rotational.y;
            column[2 * dofs] = twist.rotational.z;
            column[3 * dofs] = twist.translational.x;
            column[4 * dofs] = twist.translational.y;
            column[5 * dofs] = twist.translational.z;
        }
    }
}

void iso_multibody_add_wrench(const iso_multibody* multibody, const iso_kinematics* kinematics,
                              int body, iso_vec3 p_w, iso_spatial f_w, double* tau) {
    int tree = multibody->bodies[body].tree;
    if (tree < 0) {
        return;
    }
    for (int b = body; multibody->bodies[b].tree == tree; b = multibody->bodies[b].parent) {
        const iso_mb_body* mb = &multibody->bodies[b];
        int end = mb->v_index + iso_mobility_v_count(mb->mobility);
        for (int k = mb->v_index; k < end; ++k) {
            iso_spatial f =
                iso_spatial_shift_wrench(f_w, iso_vec3_sub(kinematics->dof_point[k], p_w));
            tau[k] += iso_spatial_dot(kinematics->dof_axis[k], f);
        }
    }
}

void iso_multibody_add_compensation(const iso_multibody* multibody,
                                    const iso_kinematics* kinematics, iso_vec3 gravity,
                                    double* tau) {
    for (int b = 1; b < multibody->body_count; ++b) {
        const iso_mb_body* body = &multibody->bodies[b];
        if (body->gravity_compensation != 0.0) {
            iso_vec3 force = iso_vec3_scale(gravity, body->mass * body->gravity_compensation);
            iso_multibody_add_wrench(multibody, kinematics, b,
                                     iso_multibody_center(multibody, kinematics, b),
                                     iso_spatial_make(iso_vec3_zero(), force), tau);
        }
    }
}
