// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Mass matrix, bias and forward dynamics. Everything is computed in world axes about physical
// points (centres of mass, joint origins), never about the world origin, so precision does not
// depend on where the mechanism stands. Theory: docs/theory/multibody.md; [Featherstone2008]
// chapters 5, 6.

#include "base/fail.h"
#include "math/dense.h"
#include "multibody/multibody.h"

#include <string.h>

// Several bodies as if welded together.
typedef struct rigid_cluster {
    double mass;
    iso_vec3 center;  // in W
    iso_mat3 inertia; // about the centre, axes of W
} rigid_cluster;

static iso_mat3 rotate_inertia(const iso_mat3* r, iso_mat3 inertia) {
    return iso_mat3_mul(iso_mat3_mul(*r, inertia), iso_mat3_transpose(*r));
}

// Inertia of a point mass at p about the origin: m (p.p 1 - p p^T).
static iso_mat3 point_inertia(double mass, iso_vec3 p) {
    double d = iso_vec3_norm_squared(p);
    return iso_mat3_scale(
        iso_mat3_add(iso_mat3_diagonal(d, d, d), iso_mat3_scale(iso_mat3_outer(p, p), -1.0)), mass);
}

static void cluster_add(rigid_cluster* a, const rigid_cluster* b) {
    double mass = a->mass + b->mass;
    if (b->mass > 0.0) {
        iso_vec3 offset = iso_vec3_sub(b->center, a->center);
        iso_mat3 apart = point_inertia(a->mass * (b->mass / mass), offset);
        a->inertia = iso_mat3_add(a->inertia, apart);
        a->center = iso_vec3_add_scaled(a->center, offset, b->mass / mass);
    }
    a->inertia = iso_mat3_add(a->inertia, b->inertia);
    a->mass = mass;
}

// Momentum (about the centre; linear) of a cluster that moves with a unit twist about a point.
static iso_spatial cluster_momentum(const rigid_cluster* cluster, iso_spatial twist,
                                    iso_vec3 point) {
    iso_spatial at_center = iso_spatial_shift_twist(twist, iso_vec3_sub(cluster->center, point));
    return iso_spatial_make(iso_mat3_mul_vec3(&cluster->inertia, at_center.rotational),
                            iso_vec3_scale(at_center.translational, cluster->mass));
}

// The 6x6 block of a free joint: spatial inertia about the origin of M in the axes of F.
static void write_free_block(const iso_kinematics* kinematics, int v_index,
                             const rigid_cluster* cluster, double* block, int stride) {
    iso_mat3 r_fw;
    for (int k = 0; k < 3; ++k) {
        iso_vec3 axis = kinematics->dof_axis[v_index + k].rotational;
        r_fw.m[k][0] = axis.x;
        r_fw.m[k][1] = axis.y;
        r_fw.m[k][2] = axis.z;
    }
    iso_vec3 p_mc =
        iso_mat3_mul_vec3(&r_fw, iso_vec3_sub(cluster->center, kinematics->dof_point[v_index]));
    iso_mat3 rotational =
        iso_mat3_add(rotate_inertia(&r_fw, cluster->inertia), point_inertia(cluster->mass, p_mc));
    iso_mat3 coupling = iso_mat3_skew(iso_vec3_scale(p_mc, cluster->mass));
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            // Rounding makes the rotated inertia slightly asymmetric: the upper half is used twice.
            block[i * stride + j] = i <= j ? rotational.m[i][j] : rotational.m[j][i];
            block[i * stride + 3 + j] = coupling.m[i][j];
            block[(3 + i) * stride + j] = coupling.m[j][i];
            block[(3 + i) * stride + 3 + j] = i == j ? cluster->mass : 0.0;
        }
    }
}

// Entries between one dof of a body and the dofs of the bodies that carry it, in both triangles.
static void write_ancestors(const iso_multibody* multibody, const iso_kinematics* kinematics,
                            int body, int dof, const rigid_cluster* cluster, double* block,
                            int stride) {
    int tree = multibody->bodies[body].tree;
    int first = multibody->tree_v_index[tree];
    iso_spatial momentum =
        cluster_momentum(cluster, kinematics->dof_axis[dof], kinematics->dof_point[dof]);
    bool is_own = multibody->bodies[body].mobility != ISO_MOBILITY_FREE;
    for (int a = is_own ? body : multibody->bodies[body].parent; multibody->bodies[a].tree == tree;
         a = multibody->bodies[a].parent) {
        const iso_mb_body* ancestor = &multibody->bodies[a];
        int end = ancestor->v_index + iso_mobility_v_count(ancestor->mobility);
        for (int k = ancestor->v_index; k < end; ++k) {
            iso_spatial f = iso_spatial_shift_wrench(
                momentum, iso_vec3_sub(kinematics->dof_point[k], cluster->center));
            double entry = iso_spatial_dot(kinematics->dof_axis[k], f);
            block[(dof - first) * stride + (k - first)] = entry;
            block[(k - first) * stride + (dof - first)] = entry;
        }
    }
}

iso_status iso_multibody_mass_matrix(const iso_multibody* multibody,
                                     const iso_kinematics* kinematics, iso_arena* work,
                                     double* out_blocks) {
    iso_arena_mark mark = iso_arena_get_mark(work);
    rigid_cluster* clusters = iso_arena_push_array(work, multibody->body_count, sizeof *clusters);
    ISO_REQUIRE(work->ctx, clusters, ISO_ERR_MEMORY, "composite inertias of %d bodies",
                multibody->body_count);
    size_t entry_count = (size_t)multibody->tree_m_index[multibody->tree_count];
    memset(out_blocks, 0, entry_count * sizeof *out_blocks);
    for (int b = 1; b < multibody->body_count; ++b) {
        const iso_mb_body* body = &multibody->bodies[b];
        if (body->tree >= 0) {
            clusters[b].mass = body->mass;
            clusters[b].center = kinematics->p_wbcm[b];
            clusters[b].inertia = rotate_inertia(&kinematics->x_wb[b].r, body->inertia);
        }
    }
    for (int b = multibody->body_count - 1; b > 0; --b) {
        const iso_mb_body* body = &multibody->bodies[b];
        if (body->tree < 0) {
            continue;
        }
        int first = multibody->tree_v_index[body->tree];
        int stride = multibody->tree_v_index[body->tree + 1] - first;
        double* block = out_blocks + multibody->tree_m_index[body->tree];
        bool is_root = multibody->bodies[body->parent].tree != body->tree;
        if (body->mobility == ISO_MOBILITY_FREE) {
            int corner = (body->v_index - first) * (stride + 1);
            write_free_block(kinematics, body->v_index, &clusters[b], block + corner, stride);
        }
        if (!(is_root && body->mobility == ISO_MOBILITY_FREE)) {
            int end = body->v_index + iso_mobility_v_count(body->mobility);
            for (int dof = body->v_index; dof < end; ++dof) {
                write_ancestors(multibody, kinematics, b, dof, &clusters[b], block, stride);
            }
        }
        if (body->rotor_inertia > 0.0) {
            block[(body->v_index - first) * (stride + 1)] += body->rotor_inertia;
        }
        if (!is_root) {
            cluster_add(&clusters[body->parent], &clusters[b]);
        }
    }
    iso_arena_release(work, mark);
    return ISO_OK;
}

// Acceleration of a point fixed to a body, given that of another one.
iso_spatial iso_multibody_shift_acceleration(iso_spatial a_p, iso_vec3 w, iso_vec3 p_pq) {
    iso_spatial a_q = iso_spatial_shift_twist(a_p, p_pq);
    a_q.translational = iso_vec3_add(a_q.translational, iso_vec3_cross(w, iso_vec3_cross(w, p_pq)));
    return a_q;
}

// Acceleration of a body's origin. The joint velocity is constant in F, which turns with the
// parent, but for vdot: alpha += w_p x w_fm, a += 2 w_p x v_fm. The second axis of a universal
// joint turns in F about the first.
static iso_spatial carry_acceleration(const iso_multibody* multibody,
                                      const iso_kinematics* kinematics, const double* v,
                                      const double* vdot, int b, iso_spatial a_wp) {
    const iso_mb_body* body = &multibody->bodies[b];
    iso_vec3 p_wp = kinematics->x_wb[body->parent].p;
    iso_vec3 p_wb = kinematics->x_wb[b].p;
    iso_vec3 w_wp = kinematics->v_wb[body->parent].rotational;
    if (body->mobility == ISO_MOBILITY_WELD) {
        return iso_multibody_shift_acceleration(a_wp, w_wp, iso_vec3_sub(p_wb, p_wp));
    }
    iso_vec3 p_wm = kinematics->dof_point[body->v_index];
    iso_spatial a_wm = iso_multibody_shift_acceleration(a_wp, w_wp, iso_vec3_sub(p_wm, p_wp));
    iso_spatial v_fm = iso_spatial_zero();
    int end = body->v_index + iso_mobility_v_count(body->mobility);
    for (int k = body->v_index; k < end; ++k) {
        v_fm = iso_spatial_add(v_fm, iso_spatial_scale(kinematics->dof_axis[k], v[k]));
        if (vdot) {
            a_wm = iso_spatial_add(a_wm, iso_spatial_scale(kinematics->dof_axis[k], vdot[k]));
        }
    }
    a_wm.rotational = iso_vec3_add(a_wm.rotational, iso_vec3_cross(w_wp, v_fm.rotational));
    a_wm.translational =
        iso_vec3_add_scaled(a_wm.translational, iso_vec3_cross(w_wp, v_fm.translational), 2.0);
    if (body->mobility == ISO_MOBILITY_UNIVERSAL) {
        const iso_spatial* axes = kinematics->dof_axis + body->v_index;
        iso_vec3 turn = iso_vec3_cross(axes[0].rotational, axes[1].rotational);
        a_wm.rotational =
            iso_vec3_add_scaled(a_wm.rotational, turn, v[body->v_index] * v[body->v_index + 1]);
    }
    return body->is_b_at_m ? a_wm
                           : iso_multibody_shift_acceleration(a_wm, kinematics->v_wb[b].rotational,
                                                              iso_vec3_sub(p_wb, p_wm));
}

void iso_multibody_body_accelerations(const iso_multibody* multibody,
                                      const iso_kinematics* kinematics, const double* v,
                                      const double* vdot, iso_spatial* out_a_wb) {
    out_a_wb[0] = iso_spatial_zero();
    for (int b = 1; b < multibody->body_count; ++b) {
        const iso_mb_body* body = &multibody->bodies[b];
        out_a_wb[b] = body->tree < 0 ? iso_spatial_zero()
                                     : carry_acceleration(multibody, kinematics, v, vdot, b,
                                                          out_a_wb[body->parent]);
    }
}

// Wrench (about the body origin) that makes a body accelerate so under gravity: Newton and Euler.
static iso_spatial inertial_wrench(const iso_mb_body* body, const iso_kinematics* kinematics, int b,
                                   iso_spatial a_wb, iso_vec3 gravity) {
    const iso_mat3* r = &kinematics->x_wb[b].r;
    iso_vec3 w = kinematics->v_wb[b].rotational;
    iso_vec3 p_bc = iso_vec3_sub(kinematics->p_wbcm[b], kinematics->x_wb[b].p);
    iso_spatial a_wc = iso_multibody_shift_acceleration(a_wb, w, p_bc);
    iso_vec3 w_b = iso_mat3_tmul_vec3(r, w);
    iso_vec3 alpha_b = iso_mat3_tmul_vec3(r, a_wc.rotational);
    iso_vec3 gyroscopic = iso_vec3_cross(w_b, iso_mat3_mul_vec3(&body->inertia, w_b));
    iso_vec3 moment_b = iso_vec3_add(iso_mat3_mul_vec3(&body->inertia, alpha_b), gyroscopic);
    iso_spatial f_c =
        iso_spatial_make(iso_mat3_mul_vec3(r, moment_b),
                         iso_vec3_scale(iso_vec3_sub(a_wc.translational, gravity), body->mass));
    return iso_spatial_shift_wrench(f_c, iso_vec3_neg(p_bc));
}

iso_status iso_multibody_bias(const iso_multibody* multibody, const iso_kinematics* kinematics,
                              const double* v, iso_vec3 gravity, const iso_spatial* f_b_w,
                              iso_arena* work, double* out_bias) {
    return iso_multibody_inverse_dynamics(multibody, kinematics, v, NULL, gravity, f_b_w, work,
                                          out_bias);
}

iso_status iso_multibody_inverse_dynamics(const iso_multibody* multibody,
                                          const iso_kinematics* kinematics, const double* v,
                                          const double* vdot, iso_vec3 gravity,
                                          const iso_spatial* f_b_w, iso_arena* work,
                                          double* out_tau) {
    int body_count = multibody->body_count;
    iso_arena_mark mark = iso_arena_get_mark(work);
    iso_spatial* a_wb = iso_arena_push_array(work, body_count, sizeof *a_wb);
    iso_spatial* f_b = iso_arena_push_array(work, body_count, sizeof *f_b);
    ISO_REQUIRE(work->ctx, a_wb && f_b, ISO_ERR_MEMORY, "accelerations of %d bodies", body_count);

    iso_multibody_body_accelerations(multibody, kinematics, v, vdot, a_wb);
    for (int b = 1; b < body_count; ++b) {
        const iso_mb_body* body = &multibody->bodies[b];
        if (body->tree < 0) {
            continue;
        }
        f_b[b] = inertial_wrench(body, kinematics, b, a_wb[b], gravity);
        if (f_b_w) {
            f_b[b] = iso_spatial_sub(f_b[b], f_b_w[b]);
        }
    }
    for (int b = body_count - 1; b > 0; --b) {
        const iso_mb_body* body = &multibody->bodies[b];
        if (body->tree < 0) {
            continue;
        }
        int end = body->v_index + iso_mobility_v_count(body->mobility);
        for (int k = body->v_index; k < end; ++k) {
            iso_spatial f = iso_spatial_shift_wrench(
                f_b[b], iso_vec3_sub(kinematics->dof_point[k], kinematics->x_wb[b].p));
            out_tau[k] = iso_spatial_dot(kinematics->dof_axis[k], f);
            if (vdot) {
                out_tau[k] += body->rotor_inertia * vdot[k];
            }
        }
        if (multibody->bodies[body->parent].tree == body->tree) {
            iso_vec3 to_parent =
                iso_vec3_sub(kinematics->x_wb[body->parent].p, kinematics->x_wb[b].p);
            f_b[body->parent] =
                iso_spatial_add(f_b[body->parent], iso_spatial_shift_wrench(f_b[b], to_parent));
        }
    }
    iso_arena_release(work, mark);
    return ISO_OK;
}

void iso_multibody_joint_wrenches(const iso_multibody* multibody, const iso_kinematics* kinematics,
                                  const iso_spatial* a_wb, iso_vec3 gravity,
                                  const iso_spatial* f_b_w, iso_spatial* out_f_b_w) {
    out_f_b_w[0] = iso_spatial_zero();
    for (int b = 1; b < multibody->body_count; ++b) {
        out_f_b_w[b] = iso_spatial_sub(
            inertial_wrench(&multibody->bodies[b], kinematics, b, a_wb[b], gravity), f_b_w[b]);
    }
    for (int b = multibody->body_count - 1; b > 0; --b) {
        int parent = multibody->bodies[b].parent;
        iso_vec3 to_parent = iso_vec3_sub(kinematics->x_wb[parent].p, kinematics->x_wb[b].p);
        out_f_b_w[parent] =
            iso_spatial_add(out_f_b_w[parent], iso_spatial_shift_wrench(out_f_b_w[b], to_parent));
    }
}

static iso_status accelerate(const iso_multibody* multibody, const iso_kinematics* kinematics,
                             const double* v, iso_vec3 gravity, const double* tau,
                             const iso_spatial* f_b_w, iso_arena* work, double* out_vdot) {
    int entry_count = multibody->tree_m_index[multibody->tree_count];
    double* blocks = iso_arena_push_array(work, entry_count, sizeof *blocks);
    ISO_REQUIRE(work->ctx, blocks, ISO_ERR_MEMORY, "mass matrix of %d entries", entry_count);
    iso_status status = ISO_OK;
    ISO_TRY(iso_multibody_mass_matrix(multibody, kinematics, work, blocks));
    ISO_TRY(iso_multibody_bias(multibody, kinematics, v, gravity, f_b_w, work, out_vdot));
    for (int k = 0; k < multibody->v_count; ++k) {
        double damping = multibody->bodies[multibody->dof_body[k]].damping;
        out_vdot[k] = (tau ? tau[k] : 0.0) - damping * v[k] - out_vdot[k];
    }
    for (int t = 0; t < multibody->tree_count; ++t) {
        int first = multibody->tree_v_index[t];
        int dofs = multibody->tree_v_index[t + 1] - first;
        double* block = blocks + multibody->tree_m_index[t];
        ISO_CHECK(work->ctx, iso_cholesky_factor(block, dofs, dofs), ISO_ERR_NUMERIC,
                  "mass matrix of the tree rooted at body %d (%d degrees of freedom) is not "
                  "positive definite in this state",
                  multibody->dof_body[first], dofs);
        iso_cholesky_solve(block, dofs, dofs, out_vdot + first);
    }
done:
    return status;
}

iso_status iso_multibody_acceleration(const iso_multibody* multibody,
                                      const iso_kinematics* kinematics, const double* v,
                                      iso_vec3 gravity, const double* tau, const iso_spatial* f_b_w,
                                      iso_arena* work, double* out_vdot) {
    iso_arena_mark mark = iso_arena_get_mark(work);
    iso_status status = accelerate(multibody, kinematics, v, gravity, tau, f_b_w, work, out_vdot);
    iso_arena_release(work, mark);
    return status;
}
