// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// What of kinematics and dynamics does not change: how bodies stand on their parents, and which
// move as one.

#include "multibody/constants.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"

#include <string.h>

static void write_rows(const iso_mat3* r, iso_vec3 p, double out_rows[3][4]) {
    const double column[3] = {p.x, p.y, p.z};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            out_rows[i][j] = r->m[i][j];
        }
        out_rows[i][3] = column[i];
    }
}

// R_pf R R_mb
static iso_mat3 between(const iso_mb_body* body, iso_mat3 r) {
    return iso_mat3_mul(iso_mat3_mul(body->x_pf.r, r), body->x_mb.r);
}

// A turn by q about a is a a^T + cos q (1 - a a^T) + sin q [a]x.
static void find_stand(const iso_mb_body* body, iso_mb_placement* out) {
    memset(out, 0, sizeof *out);
    if (body->mobility == ISO_MOBILITY_WELD) {
        iso_pose x_pb = iso_pose_mul(&body->x_pf, &body->x_mb);
        write_rows(&x_pb.r, x_pb.p, out->fixed);
        return;
    }
    if (!iso_mobility_has_one_dof(body->mobility)) {
        return;
    }
    bool turns = body->mobility != ISO_MOBILITY_PRISMATIC;
    iso_vec3 axis = iso_mat3_mul_vec3(&body->x_pf.r, body->axis);
    iso_vec3 turn = turns ? axis : iso_vec3_zero(), slide = iso_vec3_zero();
    iso_mat3 fixed = iso_mat3_identity();
    if (turns) {
        fixed = iso_mat3_outer(body->axis, body->axis);
        iso_mat3 across = iso_mat3_add(iso_mat3_identity(), iso_mat3_scale(fixed, -1.0));
        iso_mat3 cosine = between(body, across);
        iso_mat3 sine = between(body, iso_mat3_skew(body->axis));
        write_rows(&cosine, iso_vec3_zero(), out->cosine);
        write_rows(&sine, iso_vec3_zero(), out->sine);
    }
    if (body->mobility == ISO_MOBILITY_SCREW) {
        slide = iso_vec3_scale(axis, body->pitch);
    } else if (!turns) {
        slide = axis;
    }
    fixed = between(body, fixed);
    write_rows(&fixed, body->x_pf.p, out->fixed);
    out->axis_p = iso_spatial_make(turn, slide);
    out->p_mb_b = iso_mat3_tmul_vec3(&body->x_mb.r, body->x_mb.p);
}

// Weld a body to a link, whose frame it stands in at x_lb.
static void weld(const iso_mb_body* body, const iso_pose* x_lb, iso_mb_link* link) {
    iso_vec3 center = iso_pose_point(x_lb, body->center_of_mass);
    iso_mat3 inertia =
        iso_mat3_mul(iso_mat3_mul(x_lb->r, body->inertia), iso_mat3_transpose(x_lb->r));
    double mass = link->mass + body->mass;
    if (body->mass > 0.0) {
        iso_vec3 offset = iso_vec3_sub(center, link->center);
        iso_mat3 apart = iso_mat3_point_inertia(link->mass * (body->mass / mass), offset);
        link->inertia = iso_mat3_add(link->inertia, apart);
        link->center = iso_vec3_add_scaled(link->center, offset, body->mass / mass);
    }
    link->inertia = iso_mat3_add(link->inertia, inertia);
    link->mass = mass;
}

// How many links the trees before each have.
static void count_links(iso_multibody* mb) {
    int* index = mb->tree_link_index;
    memset(index, 0, ((size_t)mb->tree_count + 1) * sizeof *index);
    for (int b = 1; b < mb->body_count; ++b) {
        if (mb->bodies[b].mobility != ISO_MOBILITY_WELD) {
            ++index[mb->bodies[b].tree + 1];
        }
    }
    for (int t = 0; t < mb->tree_count; ++t) {
        index[t + 1] += index[t];
    }
    mb->link_count = index[mb->tree_count];
}

// Links tree by tree, within a tree in the order of the bodies that their joints move, so that
// parents come first.
static void find_links(iso_multibody* mb, iso_pose* x_lb) {
    count_links(mb);
    mb->link_of[0] = -1;
    for (int b = 1; b < mb->body_count; ++b) {
        const iso_mb_body* body = &mb->bodies[b];
        int parent = mb->link_of[body->parent];
        mb->link_of[b] = parent;
        mb->has_compensation |= body->tree >= 0 && body->gravity_compensation != 0.0;
        if (body->mobility != ISO_MOBILITY_WELD) {
            int l = mb->tree_link_index[body->tree]++;
            mb->link_of[b] = l;
            mb->links[l] = (iso_mb_link){
                .body = b,
                .parent = parent,
                .v_index = body->v_index,
                .v_end = body->v_index + iso_mobility_v_count(body->mobility),
                .mobility = body->mobility,
                .rotor_inertia = body->rotor_inertia,
                .mass = body->mass,
                .center = body->center_of_mass,
                .inertia = body->inertia,
            };
            x_lb[b] = iso_pose_identity();
        } else if (parent >= 0) {
            iso_pose x_pb = iso_pose_mul(&body->x_pf, &body->x_mb);
            x_lb[b] = iso_pose_mul(&x_lb[body->parent], &x_pb);
            weld(body, &x_lb[b], &mb->links[parent]);
        }
    }
    // Each entry has become the one that follows.
    for (int t = mb->tree_count; t > 0; --t) {
        mb->tree_link_index[t] = mb->tree_link_index[t - 1];
    }
    mb->tree_link_index[0] = 0;
}

// Masses of links with all that they carry, summed from the leaves.
static void sum_masses(iso_multibody* mb) {
    for (int l = 0; l < mb->link_count; ++l) {
        mb->links[l].carried_mass = mb->links[l].mass;
    }
    for (int l = mb->link_count - 1; l >= 0; --l) {
        iso_mb_link* link = &mb->links[l];
        if (link->parent < 0 || link->carried_mass == 0.0) {
            continue;
        }
        iso_mb_link* parent = &mb->links[link->parent];
        double before = parent->carried_mass;
        parent->carried_mass += link->carried_mass;
        link->share = link->carried_mass / parent->carried_mass;
        link->reduced_mass = before * link->share;
    }
}

iso_status iso_multibody_find_constants(iso_context* ctx, iso_multibody* mb) {
    iso_pose* x_lb = iso_alloc_array(ctx, mb->body_count, sizeof *x_lb);
    mb->placements = iso_alloc_array(ctx, mb->body_count, sizeof *mb->placements);
    mb->links = iso_alloc_array(ctx, mb->body_count, sizeof *mb->links);
    mb->link_of = iso_alloc_array(ctx, mb->body_count, sizeof *mb->link_of);
    mb->tree_link_index = iso_alloc_array(ctx, mb->tree_count + 1, sizeof *mb->tree_link_index);
    iso_status status = ISO_OK;
    ISO_CHECK(ctx, x_lb && mb->placements && mb->links && mb->link_of && mb->tree_link_index,
              ISO_ERR_MEMORY, "constants of %d bodies", mb->body_count);
    for (int b = 1; b < mb->body_count; ++b) {
        find_stand(&mb->bodies[b], &mb->placements[b]);
    }
    find_links(mb, x_lb);
    sum_masses(mb);
done:
    iso_free(ctx, x_lb);
    return status;
}
