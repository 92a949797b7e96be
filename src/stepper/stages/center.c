// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Centres of mass of trees that float. The velocities of a free joint are those of its point; that
// which moves straight on without forces is the centre of mass of all that it carries. So a step
// finds the velocity of that, moves it, and then asks for the velocity of the joint's point.

#include "stepper/stages/stages.h"

// The link at the root of a tree of one root, which must be free; or -1.
static int floating_root(const iso_multibody* multibody, int tree) {
    int root = multibody->tree_link_index[tree], end = multibody->tree_link_index[tree + 1];
    bool floats = multibody->links[root].mobility == ISO_MOBILITY_FREE &&
                  !iso_multibody_is_anchored(multibody, tree);
    for (int l = root + 1; l < end && floats; ++l) {
        floats = multibody->links[l].parent >= 0;
    }
    return floats ? root : -1;
}

static bool is_lone(const iso_multibody* multibody, int tree) {
    return multibody->tree_v_index[tree + 1] - multibody->tree_v_index[tree] == 6;
}

// A rotor of the free joint moves as a weight at the joint's point that gravity does not pull: what
// goes straight on is the centre of mass of both.
static double moved_mass(const iso_mb_link* link) {
    return link->carried_mass + link->rotor_inertia;
}

// How far out that centre is, of the way to the centre of mass of the bodies.
static double center_share(const iso_mb_link* link) {
    return link->rotor_inertia > 0.0 ? link->carried_mass / moved_mass(link) : 1.0;
}

// Where the centre lies in M, of a body alone.
static iso_vec3 center_in_joint(const iso_multibody* multibody, int link) {
    const iso_mb_link* root = &multibody->links[link];
    iso_vec3 center = iso_pose_point(&multibody->bodies[root->body].x_mb, root->center);
    return iso_vec3_scale(center, center_share(root));
}

// The link at the root of a tree that floats; -1 where its centre of mass is its joint's point.
static int offset_root(const iso_multibody* multibody, int tree) {
    int root = floating_root(multibody, tree);
    bool is_at_point = root >= 0 && is_lone(multibody, tree) &&
                       iso_vec3_norm_squared(center_in_joint(multibody, root)) == 0.0;
    return is_at_point || (root >= 0 && multibody->links[root].carried_mass == 0.0) ? -1 : root;
}

// A vector in the axes of the free joint's F, which hangs on something fixed.
static iso_vec3 to_joint_axes(const iso_stages* s, int first, iso_vec3 x) {
    const iso_spatial* axes = s->kinematics.dof_axis + first;
    return iso_vec3_make(iso_vec3_dot(axes[0].rotational, x), iso_vec3_dot(axes[1].rotational, x),
                         iso_vec3_dot(axes[2].rotational, x));
}

static const double* tree_block(const iso_stages* s, int tree) {
    return s->a + s->stepper->dynamics.multibody->tree_m_index[tree];
}

void iso_stages_free_center(iso_stages* s, int tree, const double* start_bias,
                            const double* explicit_v) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    int root = offset_root(multibody, tree);
    if (root < 0) {
        return;
    }
    int first = multibody->tree_v_index[tree], n = multibody->tree_v_index[tree + 1] - first;
    const double* a = tree_block(s, tree);
    double* v_star = s->v_star + first;
    const iso_mb_link* link = &multibody->links[root];
    iso_vec3 g = to_joint_axes(s, first, s->stepper->settings.gravity);
    const double pull[3] = {g.x, g.y, g.z};
    double shift[3];
    for (int i = 0; i < 3; ++i) {
        // Bias of the mean velocity: that of the start, less what v* gained by the difference.
        double impulse = s->span * (start_bias[first + 3 + i] + link->carried_mass * pull[i]);
        for (int d = 0; d < n; ++d) {
            impulse += a[(3 + i) * n + d] * (explicit_v[first + d] - v_star[d]);
        }
        shift[i] = impulse / moved_mass(link);
    }
    for (int i = 0; i < 3; ++i) {
        v_star[3 + i] += shift[i];
    }
}

// Centre of mass and its velocity, both from the joint's point at rest, in the axes of F.
typedef struct center_motion {
    iso_vec3 p, v;
} center_motion;

// At the start, with the new velocities: from A, whose damping of the joint is not mass.
static center_motion start_motion(const iso_stages* s, int tree, double mass) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    int first = multibody->tree_v_index[tree], n = multibody->tree_v_index[tree + 1] - first;
    const double *a = tree_block(s, tree), *v = s->v + first;
    double sums[3] = {0.0};
    for (int i = 0; i < 3; ++i) {
        for (int d = 0; d < n; ++d) {
            sums[i] += d < 3 || d >= 6 ? a[(3 + i) * n + d] * v[d] : 0.0;
        }
        sums[i] = v[3 + i] + sums[i] / mass;
    }
    return (center_motion){
        iso_vec3_make(a[2 * n + 4] / mass, a[5] / mass, a[n + 3] / mass),
        iso_vec3_make(sums[0], sums[1], sums[2]),
    };
}

// At the end, of a body alone.
static center_motion lone_end_motion(const iso_stages* s, int root) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    const iso_mb_body* body = &multibody->bodies[multibody->links[root].body];
    const double *q = s->q + body->q_index, *v = s->end_v + body->v_index;
    iso_mat3 r = iso_mat3_from_quat(iso_quat_make(q[0], q[1], q[2], q[3]));
    iso_vec3 p = iso_mat3_mul_vec3(&r, center_in_joint(multibody, root));
    iso_vec3 turned = iso_vec3_cross(iso_vec3_make(v[0], v[1], v[2]), p);
    return (center_motion){p, iso_vec3_add(iso_vec3_make(v[3], v[4], v[5]), turned)};
}

// At the end, from the kinematics there.
static center_motion end_motion(const iso_stages* s, int root, const iso_kinematics* end) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    const iso_mb_link* link = &multibody->links[root];
    iso_subtree_motion motion = iso_multibody_subtree_motion(multibody, end, link->body);
    iso_vec3 arm = iso_vec3_sub(motion.p_wc, end->dof_point[link->v_index]);
    iso_vec3 velocity = to_joint_axes(s, link->v_index, motion.v_wc);
    const double* v = s->v + link->v_index + 3;
    double share = center_share(link);
    if (share < 1.0) {
        iso_vec3 point = iso_vec3_make(v[0], v[1], v[2]);
        velocity = iso_vec3_add_scaled(point, iso_vec3_sub(velocity, point), share);
    }
    return (center_motion){iso_vec3_scale(to_joint_axes(s, link->v_index, arm), share), velocity};
}

// The joint's point of a tree and its velocity, so that the centre of mass has gone straight on.
static void place_point(const iso_stages* s, int root, const center_motion* start,
                        const center_motion* end) {
    const iso_mb_body* body =
        &s->stepper->dynamics.multibody->bodies[s->stepper->dynamics.multibody->links[root].body];
    const double* from = s->input->q + body->q_index + 4;
    double* point = s->q + body->q_index + 4;
    iso_vec3 way = iso_vec3_add_scaled(iso_vec3_sub(start->p, end->p), start->v, s->span);
    iso_vec3 gain = iso_vec3_sub(start->v, end->v);
    const double ways[3] = {way.x, way.y, way.z}, gains[3] = {gain.x, gain.y, gain.z};
    for (int i = 0; i < 3; ++i) {
        point[i] = from[i] + ways[i];
        s->end_v[body->v_index + 3 + i] += gains[i];
    }
}

static iso_status push_end(const iso_stages* s, iso_kinematics* out_end) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    iso_status status = iso_kinematics_push(multibody, &s->stepper->arena, out_end);
    if (status == ISO_OK) {
        iso_multibody_kinematics(multibody, s->q, s->v, out_end);
    }
    return status;
}

iso_status iso_stages_carry_centers(iso_stages* s) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    iso_arena* arena = &s->stepper->arena;
    iso_arena_mark mark = iso_arena_get_mark(arena);
    iso_kinematics ends;
    bool has_ends = false;
    for (int t = 0; t < multibody->tree_count; ++t) {
        int root = iso_stages_is_middle(s, t) ? -1 : offset_root(multibody, t);
        if (root < 0) {
            continue;
        }
        bool is_alone = is_lone(multibody, t);
        if (!is_alone && !has_ends) {
            iso_status status = push_end(s, &ends);
            if (status != ISO_OK) {
                return status;
            }
            has_ends = true;
        }
        center_motion start = start_motion(s, t, moved_mass(&multibody->links[root]));
        center_motion end = is_alone ? lone_end_motion(s, root) : end_motion(s, root, &ends);
        place_point(s, root, &start, &end);
    }
    iso_arena_release(arena, mark);
    return ISO_OK;
}
