// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Mass matrix, bias and forward dynamics. Everything is computed in world axes about physical
// points (centres of mass, joint origins), never about the world origin, so precision does not
// depend on where the mechanism stands. Theory: docs/theory/multibody.md; [Featherstone2008]
// chapters 5, 6.

#include "base/core/fail.h"
#include "math/dense.h"
#include "multibody/rotors.h"

#include <string.h>

// R I R^T
static iso_mat3 rotate_inertia(const iso_mat3* r, const iso_mat3* inertia) {
    iso_mat3 a = iso_mat3_mul(*r, *inertia), turned;
    for (int i = 0; i < 3; ++i) {
        for (int j = i; j < 3; ++j) {
            turned.m[i][j] =
                a.m[i][0] * r->m[j][0] + a.m[i][1] * r->m[j][1] + a.m[i][2] * r->m[j][2];
            turned.m[j][i] = turned.m[i][j];
        }
    }
    return turned;
}

static iso_mb_cluster* push_clusters(const iso_multibody* multibody,
                                     const iso_kinematics* kinematics, iso_arena* work) {
    iso_mb_cluster* clusters = iso_arena_push_array(work, multibody->link_count, sizeof *clusters);
    for (int l = 0; clusters && l < multibody->link_count; ++l) {
        const iso_mb_link* link = &multibody->links[l];
        const iso_pose* x_wb = &kinematics->x_wb[link->body];
        clusters[l].center = iso_pose_point(x_wb, link->center);
        clusters[l].inertia = rotate_inertia(&x_wb->r, &link->inertia);
    }
    return clusters;
}

// What the parent of a link carries besides, and the link with all that it carries.
static void cluster_add(iso_mb_cluster* a, const iso_mb_link* link, const iso_mb_cluster* b) {
    iso_vec3 offset = iso_vec3_sub(b->center, a->center);
    iso_mat3 apart = iso_mat3_point_inertia(link->reduced_mass, offset);
    a->center = iso_vec3_add_scaled(a->center, offset, link->share);
    a->inertia = iso_mat3_add(iso_mat3_add(a->inertia, apart), b->inertia);
}

// The 6x6 block of a free joint: spatial inertia about the origin of M in the axes of F.
static void write_free_block(const iso_kinematics* kinematics, int v_index, double mass,
                             const iso_mb_cluster* cluster, double* block, int stride) {
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
        iso_mat3_add(rotate_inertia(&r_fw, &cluster->inertia), iso_mat3_point_inertia(mass, p_mc));
    iso_mat3 coupling = iso_mat3_skew(iso_vec3_scale(p_mc, mass));
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            block[i * stride + j] = rotational.m[i][j];
            block[i * stride + 3 + j] = coupling.m[i][j];
            block[(3 + i) * stride + j] = coupling.m[j][i];
            block[(3 + i) * stride + 3 + j] = i == j ? mass : 0.0;
        }
    }
}

// Entries between one dof of a link and its own dofs up to that one and those of the links that
// carry it, in both triangles.
static void write_ancestors(const iso_multibody* multibody, const iso_kinematics* kinematics,
                            int link, int dof, const iso_mb_cluster* cluster, int first,
                            double* block, int stride) {
    const iso_mb_link* own = &multibody->links[link];
    iso_spatial axis = kinematics->dof_axis[dof];
    iso_vec3 arm = iso_vec3_sub(cluster->center, kinematics->dof_point[dof]);
    iso_vec3 spin = iso_mat3_mul_vec3(&cluster->inertia, axis.rotational);
    iso_vec3 impulse = iso_vec3_scale(
        iso_vec3_add(axis.translational, iso_vec3_cross(axis.rotational, arm)), own->carried_mass);
    double* row = block + (dof - first) * stride;
    double* column = block + (dof - first);
    int a = own->mobility == ISO_MOBILITY_FREE ? own->parent : link;
    for (; a >= 0; a = multibody->links[a].parent) {
        const iso_mb_link* ancestor = &multibody->links[a];
        int from = ancestor->v_index, end = a == link ? dof + 1 : ancestor->v_end;
        iso_vec3 to_center = iso_vec3_sub(cluster->center, kinematics->dof_point[from]);
        iso_vec3 moment = iso_vec3_add(spin, iso_vec3_cross(to_center, impulse));
        for (int k = from; k < end; ++k) {
            const iso_spatial* s = &kinematics->dof_axis[k];
            double entry = iso_vec3_dot(s->rotational, moment);
            if (ancestor->mobility != ISO_MOBILITY_REVOLUTE) {
                entry += iso_vec3_dot(s->translational, impulse);
            }
            row[k - first] = entry;
            column[(k - first) * stride] = entry;
        }
    }
}

// Composite rigid bodies; the clusters are used up.
static iso_status find_mass(const iso_multibody* multibody, const iso_kinematics* kinematics,
                            iso_mb_cluster* clusters, iso_arena* work, double* out_blocks) {
    size_t entry_count = (size_t)multibody->tree_m_index[multibody->tree_count];
    memset(out_blocks, 0, entry_count * sizeof *out_blocks);
    for (int l = multibody->link_count - 1; l >= 0; --l) {
        const iso_mb_link* link = &multibody->links[l];
        int tree = multibody->bodies[link->body].tree;
        int first = multibody->tree_v_index[tree];
        int stride = multibody->tree_v_index[tree + 1] - first;
        double* block = out_blocks + multibody->tree_m_index[tree];
        bool is_free = link->mobility == ISO_MOBILITY_FREE;
        if (is_free) {
            write_free_block(kinematics, link->v_index, link->carried_mass, &clusters[l],
                             block + (link->v_index - first) * (stride + 1), stride);
        }
        for (int dof = link->v_index; dof < link->v_end && !(is_free && link->parent < 0); ++dof) {
            write_ancestors(multibody, kinematics, l, dof, &clusters[l], first, block, stride);
        }
        for (int dof = link->v_index; dof < link->v_end && link->rotor_inertia > 0.0; ++dof) {
            block[(dof - first) * (stride + 1)] += link->rotor_inertia;
        }
        if (link->parent >= 0) {
            cluster_add(&clusters[link->parent], link, &clusters[l]);
        }
    }
    return iso_rotors_add_mass(multibody, kinematics, work, out_blocks);
}

iso_status iso_multibody_mass_matrix(const iso_multibody* multibody,
                                     const iso_kinematics* kinematics, iso_arena* work,
                                     double* out_blocks) {
    iso_arena_mark mark = iso_arena_get_mark(work);
    iso_mb_cluster* clusters = push_clusters(multibody, kinematics, work);
    ISO_REQUIRE(work->ctx, clusters, ISO_ERR_MEMORY, "composite inertias of %d links",
                multibody->link_count);
    iso_status status = find_mass(multibody, kinematics, clusters, work, out_blocks);
    iso_arena_release(work, mark);
    return status;
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
    iso_vec3 p_bc = iso_mat3_mul_vec3(r, body->center_of_mass);
    iso_spatial a_wc = iso_multibody_shift_acceleration(a_wb, w, p_bc);
    iso_vec3 w_b = iso_mat3_tmul_vec3(r, w);
    iso_vec3 alpha_b = iso_mat3_tmul_vec3(r, a_wc.rotational);
    iso_vec3 gyroscopic = iso_vec3_cross(w_b, iso_mat3_mul_vec3(&body->inertia, w_b));
    iso_vec3 moment_b = iso_vec3_add(iso_mat3_mul_vec3(&body->inertia, alpha_b), gyroscopic);
    iso_spatial f_c = iso_spatial_make(
        iso_mat3_mul_vec3(r, moment_b),
        iso_vec3_scale(iso_vec3_sub(a_wc.translational, iso_multibody_pull(body, gravity)),
                       body->mass));
    return iso_spatial_shift_wrench(f_c, iso_vec3_neg(p_bc));
}

// What recursive Newton-Euler keeps of a link, about the origin of its joint's frame M.
typedef struct link_motion {
    iso_vec3 w;    // angular velocity
    iso_spatial a; // relative to free fall
    iso_spatial f;
} link_motion;

// Angular velocities of the links first..end: those of the kinematics.
static void take_rates(const iso_multibody* multibody, const iso_kinematics* kinematics, int first,
                       int end, link_motion* motions) {
    for (int l = first; l < end; ++l) {
        motions[l].w = kinematics->v_wb[multibody->links[l].body].rotational;
    }
}

// Or those of other velocities in the same position. Returns the fastest.
static double find_rates(const iso_multibody* multibody, const iso_kinematics* kinematics,
                         int first, int end, const double* v, link_motion* motions) {
    double fastest = 0.0;
    for (int l = first; l < end; ++l) {
        const iso_mb_link* link = &multibody->links[l];
        iso_vec3 w = link->parent >= 0
                         ? motions[link->parent].w
                         : kinematics->v_wb[multibody->bodies[link->body].parent].rotational;
        for (int k = link->v_index; k < link->v_end; ++k) {
            w = iso_vec3_add_scaled(w, kinematics->dof_axis[k].rotational, v[k]);
        }
        motions[l].w = w;
        fastest = fmax(fastest, iso_vec3_norm_squared(w));
    }
    return sqrt(fastest);
}

// Relative velocity in a joint, and what its axes and rates add to the acceleration of M: as in
// carry_acceleration().
static void add_joint_acceleration(const iso_mb_link* link, const iso_kinematics* kinematics,
                                   const double* v, const double* vdot, iso_vec3 w_wp,
                                   iso_spatial* a) {
    const iso_spatial* axes = kinematics->dof_axis;
    iso_spatial v_fm = iso_spatial_zero();
    for (int k = link->v_index; k < link->v_end; ++k) {
        v_fm = iso_spatial_add(v_fm, iso_spatial_scale(axes[k], v[k]));
        if (vdot) {
            *a = iso_spatial_add(*a, iso_spatial_scale(axes[k], vdot[k]));
        }
    }
    a->rotational = iso_vec3_add(a->rotational, iso_vec3_cross(w_wp, v_fm.rotational));
    if (link->mobility != ISO_MOBILITY_REVOLUTE) {
        a->translational =
            iso_vec3_add_scaled(a->translational, iso_vec3_cross(w_wp, v_fm.translational), 2.0);
    }
    if (link->mobility == ISO_MOBILITY_UNIVERSAL) {
        iso_vec3 turn =
            iso_vec3_cross(axes[link->v_index].rotational, axes[link->v_index + 1].rotational);
        a->rotational =
            iso_vec3_add_scaled(a->rotational, turn, v[link->v_index] * v[link->v_index + 1]);
    }
}

// Wrench that makes a link accelerate so, and the weight it takes: Newton and Euler.
static iso_spatial inertial_link_wrench(const iso_mb_link* link, const iso_mb_cluster* cluster,
                                        iso_vec3 w, iso_vec3 p_wm, iso_spatial a) {
    iso_vec3 arm = iso_vec3_sub(cluster->center, p_wm);
    iso_vec3 a_c = iso_multibody_shift_acceleration(a, w, arm).translational;
    iso_vec3 force = iso_vec3_scale(a_c, link->mass);
    iso_vec3 spin = iso_mat3_mul_vec3(&cluster->inertia, w);
    iso_vec3 moment =
        iso_vec3_add(iso_mat3_mul_vec3(&cluster->inertia, a.rotational), iso_vec3_cross(w, spin));
    return iso_spatial_make(iso_vec3_add(moment, iso_vec3_cross(arm, force)), force);
}

// Down the tree: accelerations, and the wrench that each link takes by itself.
static void find_motions(const iso_multibody* multibody, const iso_kinematics* kinematics,
                         const iso_mb_cluster* clusters, const double* v, const double* vdot,
                         iso_vec3 gravity, int first, int end, link_motion* motions) {
    for (int l = first; l < end; ++l) {
        const iso_mb_link* link = &multibody->links[l];
        bool is_root = link->parent < 0;
        int parent =
            is_root ? multibody->bodies[link->body].parent : multibody->links[link->parent].body;
        iso_vec3 w_wp = is_root ? kinematics->v_wb[parent].rotational : motions[link->parent].w;
        iso_vec3 p_wm = kinematics->dof_point[link->v_index];
        iso_spatial a = iso_spatial_make(iso_vec3_zero(), iso_vec3_neg(gravity));
        iso_vec3 p_from = kinematics->x_wb[parent].p;
        if (!is_root) {
            a = motions[link->parent].a;
            p_from = kinematics->dof_point[multibody->links[link->parent].v_index];
        }
        a = iso_multibody_shift_acceleration(a, w_wp, iso_vec3_sub(p_wm, p_from));
        add_joint_acceleration(link, kinematics, v, vdot, w_wp, &a);
        motions[l].a = a;
        motions[l].f = inertial_link_wrench(link, &clusters[l], motions[l].w, p_wm, a);
    }
}

// Up the tree: what joints must do.
static void find_efforts(const iso_multibody* multibody, const iso_kinematics* kinematics,
                         link_motion* motions, const double* vdot, int first, int end,
                         double* out_tau) {
    for (int l = end - 1; l >= first; --l) {
        const iso_mb_link* link = &multibody->links[l];
        iso_spatial f = motions[l].f;
        for (int k = link->v_index; k < link->v_end; ++k) {
            out_tau[k] = iso_spatial_dot(kinematics->dof_axis[k], f);
            if (vdot) {
                out_tau[k] += link->rotor_inertia * vdot[k];
            }
        }
        if (link->parent >= 0) {
            int parent_dof = multibody->links[link->parent].v_index;
            iso_vec3 to_parent = iso_vec3_sub(kinematics->dof_point[parent_dof],
                                              kinematics->dof_point[link->v_index]);
            iso_spatial* sum = &motions[link->parent].f;
            *sum = iso_spatial_add(*sum, iso_spatial_shift_wrench(f, to_parent));
        }
    }
}

static iso_status find_forces(const iso_multibody* multibody, const iso_kinematics* kinematics,
                              const iso_mb_cluster* clusters, const double* v, const double* vdot,
                              iso_vec3 gravity, const iso_spatial* f_b_w, iso_arena* work,
                              double* out_tau) {
    link_motion* motions = iso_arena_push_array(work, multibody->link_count, sizeof *motions);
    ISO_REQUIRE(work->ctx, motions, ISO_ERR_MEMORY, "accelerations of %d links",
                multibody->link_count);
    int link_count = multibody->link_count;
    take_rates(multibody, kinematics, 0, link_count, motions);
    find_motions(multibody, kinematics, clusters, v, vdot, gravity, 0, link_count, motions);
    for (int b = 1; f_b_w && b < multibody->body_count; ++b) {
        int l = multibody->link_of[b];
        if (l >= 0) {
            iso_vec3 p_wm = kinematics->dof_point[multibody->links[l].v_index];
            iso_spatial f =
                iso_spatial_shift_wrench(f_b_w[b], iso_vec3_sub(p_wm, kinematics->x_wb[b].p));
            motions[l].f = iso_spatial_sub(motions[l].f, f);
        }
    }
    find_efforts(multibody, kinematics, motions, vdot, 0, link_count, out_tau);
    if (vdot) {
        iso_rotors_add_efforts(multibody, kinematics, vdot, out_tau);
    }
    if (multibody->has_compensation) {
        iso_multibody_add_compensation(multibody, kinematics, gravity, out_tau);
    }
    return iso_rotors_add_bias(multibody, kinematics, -1, v, work, out_tau);
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
    iso_arena_mark mark = iso_arena_get_mark(work);
    iso_status status = ISO_OK;
    iso_mb_cluster* clusters = push_clusters(multibody, kinematics, work);
    ISO_CHECK(work->ctx, clusters, ISO_ERR_MEMORY, "inertias of %d links", multibody->link_count);
    ISO_TRY(find_forces(multibody, kinematics, clusters, v, vdot, gravity, f_b_w, work, out_tau));
done:
    iso_arena_release(work, mark);
    return status;
}

iso_status iso_multibody_equations(const iso_multibody* multibody, const iso_kinematics* kinematics,
                                   const double* v, iso_vec3 gravity, const iso_spatial* f_b_w,
                                   iso_arena* work, iso_mb_cluster* out_links, double* out_blocks,
                                   double* out_bias) {
    iso_arena_mark mark = iso_arena_get_mark(work);
    iso_status status = ISO_OK;
    iso_mb_cluster* clusters = push_clusters(multibody, kinematics, work);
    ISO_CHECK(work->ctx, clusters, ISO_ERR_MEMORY, "inertias of %d links", multibody->link_count);
    if (out_links) {
        memcpy(out_links, clusters, (size_t)multibody->link_count * sizeof *out_links);
    }
    ISO_TRY(find_forces(multibody, kinematics, clusters, v, NULL, gravity, f_b_w, work, out_bias));
    ISO_TRY(find_mass(multibody, kinematics, clusters, work, out_blocks));
done:
    iso_arena_release(work, mark);
    return status;
}

iso_status iso_multibody_tree_bias(const iso_multibody* multibody, const iso_kinematics* kinematics,
                                   const iso_mb_cluster* links, int tree, const double* v,
                                   iso_vec3 gravity, iso_arena* work, double* out_bias,
                                   double* out_rate) {
    iso_arena_mark mark = iso_arena_get_mark(work);
    int first = multibody->tree_link_index[tree], end = multibody->tree_link_index[tree + 1];
    link_motion* motions = iso_arena_push_array(work, end, sizeof *motions);
    ISO_REQUIRE(work->ctx, motions, ISO_ERR_MEMORY, "accelerations of %d links", end - first);
    *out_rate = find_rates(multibody, kinematics, first, end, v, motions);
    find_motions(multibody, kinematics, links, v, NULL, gravity, first, end, motions);
    find_efforts(multibody, kinematics, motions, NULL, first, end, out_bias);
    iso_status status = iso_rotors_add_bias(multibody, kinematics, tree, v, work, out_bias);
    iso_arena_release(work, mark);
    return status;
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
    ISO_TRY(iso_multibody_equations(multibody, kinematics, v, gravity, f_b_w, work, NULL, blocks,
                                    out_vdot));
    for (int l = 0; l < multibody->link_count; ++l) {
        const iso_mb_link* link = &multibody->links[l];
        double damping = multibody->bodies[link->body].damping;
        for (int k = link->v_index; k < link->v_end; ++k) {
            out_vdot[k] = (tau ? tau[k] : 0.0) - damping * v[k] - out_vdot[k];
        }
    }
    for (int t = 0; t < multibody->tree_count; ++t) {
        int first = multibody->tree_v_index[t];
        int dofs = multibody->tree_v_index[t + 1] - first;
        double* block = blocks + multibody->tree_m_index[t];
        ISO_CHECK(work->ctx, iso_cholesky_factor_solve(block, dofs, dofs, out_vdot + first),
                  ISO_ERR_NUMERIC,
                  "mass matrix of the tree rooted at body %d (%d degrees of freedom) is not "
                  "positive definite in this state",
                  multibody->dof_body[first], dofs);
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
