// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/mjcf/mjcf.h"

#include <math.h>
#include <string.h>

// The inertia that a joint feels in the pose of the file, all others being free: 1 / (M^-1)_ii,
// which damping ratios of actuators and springs refer to. Of a ball the mean (M^-1)_ii of its axes.

#define MAX_DOFS 500 // of one tree

// A degree of freedom of a tree: the velocity of what hangs on it is linear + angular x p.
typedef struct tree_dof {
    int joint; ///< in the reader
    int owner; ///< body, in the model
    double armature;
    iso_vec3 angular, linear;
} tree_dof;

typedef struct tree {
    int count;
    tree_dof* dofs;
    double* matrix; ///< [count * count] its lower half: the mass matrix, then its factor
} tree;

// The body below the world that a body hangs on, or the world.
static int root_of(const iso_scene_build* build, int body) {
    for (int below = body; body != ISO_WORLD_BODY; body = below) {
        int joint = build->starts.data[body].parent_joint;
        below = joint >= 0 ? iso_model_joint(build->model, joint)->parent : ISO_WORLD_BODY;
        if (below == ISO_WORLD_BODY) {
            break;
        }
    }
    return body;
}

static bool hangs_on(const iso_scene_build* build, int body, int other) {
    while (body != other && body != ISO_WORLD_BODY) {
        int joint = build->starts.data[body].parent_joint;
        body = joint >= 0 ? iso_model_joint(build->model, joint)->parent : ISO_WORLD_BODY;
    }
    return body == other;
}

static void add_turn(tree* t, const tree_dof* base, iso_vec3 axis, iso_vec3 anchor) {
    tree_dof* dof = &t->dofs[t->count++];
    *dof = *base;
    dof->angular = axis;
    dof->linear = iso_vec3_cross(anchor, axis);
}

static void add_slide(tree* t, const tree_dof* base, iso_vec3 axis) {
    tree_dof* dof = &t->dofs[t->count++];
    *dof = *base;
    dof->linear = axis;
}

static void add_dofs(const iso_mjcf_reader* reader, int index, tree* t) {
    const iso_mjcf_joint* joint = &reader->joints.data[index];
    const iso_mjcf_body* body = &reader->bodies.data[joint->owner];
    const iso_joint_desc* desc =
        joint->joint >= 0 ? iso_model_joint(reader->build->model, joint->joint) : NULL;
    tree_dof base = {.joint = index, .owner = body->body};
    base.armature = desc ? desc->rotor_inertia : joint->armature;
    iso_vec3 anchor = desc ? iso_pose_point(&body->x_wb, desc->x_cm.p) : body->x_wb.p;
    if (desc && joint->type >= ISO_MJCF_SLIDE) {
        iso_vec3 axis = iso_mat3_mul_vec3(&body->x_wb.r, desc->axis);
        if (joint->type == ISO_MJCF_HINGE) {
            add_turn(t, &base, axis, anchor);
        } else {
            add_slide(t, &base, axis);
        }
        return;
    }
    for (int k = 0; k < 3; ++k) {
        iso_vec3 axis = iso_vec3_make(k == 0, k == 1, k == 2);
        add_turn(t, &base, axis, anchor);
        if (joint->type == ISO_MJCF_FREE) {
            add_slide(t, &base, axis);
        }
    }
}

static void add_body(const iso_mjcf_reader* reader, const iso_mjcf_body* body, tree* t) {
    const iso_scene_build* build = reader->build;
    const iso_body_desc* desc = iso_model_body(build->model, body->body);
    iso_vec3 p = iso_pose_point(&body->x_wb, desc->center_of_mass);
    iso_mat3 rotated = iso_mat3_mul(body->x_wb.r, desc->inertia);
    iso_mat3 inertia = iso_mat3_mul(rotated, iso_mat3_transpose(body->x_wb.r));
    for (int i = 0; i < t->count; ++i) {
        const tree_dof* a = &t->dofs[i];
        if (!hangs_on(build, body->body, a->owner)) {
            continue;
        }
        iso_vec3 momentum =
            iso_vec3_scale(iso_vec3_add(a->linear, iso_vec3_cross(a->angular, p)), desc->mass);
        iso_vec3 spin = iso_mat3_mul_vec3(&inertia, a->angular);
        for (int j = 0; j <= i; ++j) { // dofs come after those that carry them
            const tree_dof* b = &t->dofs[j];
            if (hangs_on(build, a->owner, b->owner)) {
                iso_vec3 v = iso_vec3_add(b->linear, iso_vec3_cross(b->angular, p));
                t->matrix[i * t->count + j] +=
                    iso_vec3_dot(v, momentum) + iso_vec3_dot(b->angular, spin);
            }
        }
    }
}

// False when something moves no mass.
static bool factor(tree* t) {
    int n = t->count;
    double* m = t->matrix;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            double sum = m[i * n + j];
            for (int k = 0; k < j; ++k) {
                sum -= m[i * n + k] * m[j * n + k];
            }
            if (j == i && !(sum > 0.0)) {
                return false;
            }
            m[i * n + j] = j == i ? sqrt(sum) : sum / m[j * n + j];
        }
    }
    return true;
}

// w^T M^-1 w, of the factor, for a w that is 0 before `first`; w is overwritten.
static double mobility(const tree* t, int first, double* w) {
    int n = t->count;
    double sum = 0.0;
    for (int row = first; row < n; ++row) {
        for (int k = first; k < row; ++k) {
            w[row] -= t->matrix[row * n + k] * w[k];
        }
        w[row] /= t->matrix[row * n + row];
        sum += w[row] * w[row];
    }
    return sum;
}

// The same for one degree of freedom.
static double own_mobility(const tree* t, int i, double* w) {
    memset(w, 0, (size_t)t->count * sizeof *w);
    w[i] = 1.0;
    return mobility(t, i, w);
}

static iso_status make_tree(const iso_mjcf_reader* reader, int root, tree* t) {
    iso_scene_build* build = reader->build;
    iso_arena* arena = &build->arena;
    t->dofs = iso_arena_push_array(arena, MAX_DOFS + 6, sizeof *t->dofs);
    ISO_REQUIRE(build->ctx, t->dofs, ISO_ERR_MEMORY, "degrees of freedom of a tree");
    for (int i = 0; i < reader->joints.count && t->count <= MAX_DOFS; ++i) {
        int owner = reader->bodies.data[reader->joints.data[i].owner].body;
        if (root_of(build, owner) == root) {
            add_dofs(reader, i, t);
        }
    }
    if (t->count > MAX_DOFS) {
        return ISO_OK;
    }
    t->matrix = iso_arena_push_array(arena, t->count * t->count, sizeof *t->matrix);
    ISO_REQUIRE(build->ctx, t->matrix, ISO_ERR_MEMORY, "mass matrix of %d rows", t->count);
    memset(t->matrix, 0, (size_t)t->count * (size_t)t->count * sizeof *t->matrix);
    for (int i = 0; i < t->count; ++i) {
        t->matrix[i * t->count + i] = t->dofs[i].armature;
    }
    for (int i = 1; i < reader->bodies.count; ++i) {
        const iso_mjcf_body* body = &reader->bodies.data[i];
        if (root_of(build, body->body) == root) {
            add_body(reader, body, t);
        }
    }
    return ISO_OK;
}

// A tree with the factor of its mass matrix, and a row of numbers.
static iso_status factor_tree(const iso_mjcf_reader* reader, const xmlNode* node, int root, tree* t,
                              double** out_row, bool* out_is_solid) {
    iso_scene_build* build = reader->build;
    ISO_SCENE_TRY(make_tree(reader, root, t));
    ISO_SCENE_REQUIRE(build, iso_xml_source(node), t->count <= MAX_DOFS, ISO_ERR_UNSUPPORTED,
                      "<%s>: a damping ratio in a tree of more than %d degrees of freedom is not "
                      "supported; give the damping itself",
                      iso_xml_name(node), MAX_DOFS);
    *out_row = iso_arena_push_array(&build->arena, t->count, sizeof **out_row);
    ISO_REQUIRE(build->ctx, *out_row, ISO_ERR_MEMORY, "row of %d numbers", t->count);
    *out_is_solid = factor(t); // otherwise the world will say what moves no mass
    return ISO_OK;
}

// Of all joints of a tree at once, as most have an actuator.
static iso_status find_inertias(const iso_mjcf_reader* reader, const xmlNode* node, int root,
                                double* inertias) {
    tree t = {0};
    double* y = NULL;
    bool is_solid = false;
    ISO_SCENE_TRY(factor_tree(reader, node, root, &t, &y, &is_solid));
    double sum = 0.0;
    for (int i = 0, first = 0; i < t.count; ++i) {
        sum += is_solid ? own_mobility(&t, i, y) : 0.0;
        if (i + 1 == t.count || t.dofs[i + 1].joint != t.dofs[i].joint) {
            inertias[t.dofs[i].joint] = is_solid ? (i + 1 - first) / sum : 0.0;
            first = i + 1;
            sum = 0.0;
        }
    }
    return ISO_OK;
}

iso_status iso_mjcf_effective_inertia(iso_mjcf_reader* reader, const xmlNode* node, int joint,
                                      double* out_inertia) {
    iso_scene_build* build = reader->build;
    int count = reader->joints.count, index = 0;
    if (!reader->inertias) {
        reader->inertias = iso_arena_push_array(&build->arena, count, sizeof *reader->inertias);
        ISO_REQUIRE(build->ctx, reader->inertias, ISO_ERR_MEMORY, "inertias of %d joints", count);
        for (int i = 0; i < count; ++i) {
            reader->inertias[i] = NAN;
        }
    }
    while (reader->joints.data[index].joint != joint) {
        ++index;
    }
    if (isnan(reader->inertias[index])) {
        int body = reader->bodies.data[reader->joints.data[index].owner].body;
        iso_arena_mark mark = iso_arena_get_mark(&build->arena);
        iso_status status = find_inertias(reader, node, root_of(build, body), reader->inertias);
        iso_arena_release(&build->arena, mark);
        ISO_SCENE_TRY(status);
    }
    *out_inertia = reader->inertias[index];
    return ISO_OK;
}

static int root_of_joint(const iso_mjcf_reader* reader, int joint) {
    return root_of(reader->build, iso_model_joint(reader->build->model, joint)->child);
}

// A pose after a degree of freedom went on by `way`.
static iso_pose moved_along(const tree_dof* dof, const iso_pose* x, double way) {
    if (!(iso_vec3_norm_squared(dof->angular) > 0.0)) {
        return iso_pose_make(x->r, iso_vec3_add_scaled(x->p, dof->linear, way));
    }
    iso_mat3 turn =
        iso_mat3_from_quat(iso_quat_from_rotation_vector(iso_vec3_scale(dof->angular, way)));
    iso_vec3 on_axis = iso_vec3_cross(dof->angular, dof->linear);
    iso_vec3 arm = iso_mat3_mul_vec3(&turn, iso_vec3_sub(x->p, on_axis));
    return iso_pose_make(iso_mat3_mul(turn, x->r), iso_vec3_add(on_axis, arm));
}

// Length of a route after a degree of freedom went on. @param x_wb  [bodies of the model] scratch
static double length_along(const iso_mjcf_reader* reader, const iso_fixed_tendon_desc* route,
                           const tree_dof* dof, double way, iso_pose* x_wb) {
    for (int i = 0; i < reader->bodies.count; ++i) {
        const iso_mjcf_body* body = &reader->bodies.data[i];
        bool moves = dof && hangs_on(reader->build, body->body, dof->owner);
        x_wb[body->body] = moves ? moved_along(dof, &body->x_wb, way) : body->x_wb;
    }
    return iso_route_measure(route->parts, route->part_count, x_wb);
}

// dl/dq of a route by differences of fourth order, whose error is below 1e-10.
static double slope_along(const iso_mjcf_reader* reader, const iso_fixed_tendon_desc* route,
                          const tree_dof* dof, iso_pose* x_wb) {
    const double step = 1e-4; // [rad] or [m]
    double near = length_along(reader, route, dof, step, x_wb) -
                  length_along(reader, route, dof, -step, x_wb);
    double far = length_along(reader, route, dof, 2.0 * step, x_wb) -
                 length_along(reader, route, dof, -2.0 * step, x_wb);
    return (8.0 * near - far) / (12.0 * step);
}

// w^T M^-1 w of a route, of what hangs on one root.
static iso_status add_route_mobility(const iso_mjcf_reader* reader, const xmlNode* node, int root,
                                     const iso_fixed_tendon_desc* route, double* mobility_sum) {
    tree t = {0};
    double* w = NULL;
    bool is_solid = false;
    int count = iso_model_body_count(reader->build->model);
    iso_pose* x_wb = iso_arena_push_array(&reader->build->arena, count, sizeof *x_wb);
    ISO_REQUIRE(reader->build->ctx, x_wb, ISO_ERR_MEMORY, "%d poses", count);
    ISO_SCENE_TRY(factor_tree(reader, node, root, &t, &w, &is_solid));
    for (int i = 0; i < count; ++i) {
        x_wb[i] = iso_pose_identity(); // of bodies between the joints of one, which no part is on
    }
    for (int i = 0; i < t.count; ++i) {
        w[i] = slope_along(reader, route, &t.dofs[i], x_wb);
    }
    *mobility_sum += is_solid ? mobility(&t, 0, w) : INFINITY;
    return ISO_OK;
}

iso_status iso_mjcf_route_inertia(const iso_mjcf_reader* reader, const xmlNode* node,
                                  const iso_fixed_tendon_desc* route, double* out_inertia) {
    iso_scene_build* build = reader->build;
    double sum = 0.0;
    for (int i = 0; i < route->part_count; ++i) {
        int root = root_of(build, route->parts[i].body);
        bool is_done = route->parts[i].kind == ISO_ROUTE_PULLEY || root == ISO_WORLD_BODY;
        for (int k = 0; k < i; ++k) {
            is_done = is_done || (route->parts[k].kind != ISO_ROUTE_PULLEY &&
                                  root_of(build, route->parts[k].body) == root);
        }
        if (!is_done) {
            iso_arena_mark mark = iso_arena_get_mark(&build->arena);
            iso_status status = add_route_mobility(reader, node, root, route, &sum);
            iso_arena_release(&build->arena, mark);
            ISO_SCENE_TRY(status);
        }
    }
    *out_inertia = 1.0 / sum;
    return ISO_OK;
}

// w^T M^-1 w of the joints of a tendon that hang on one root.
static iso_status add_mobility(const iso_mjcf_reader* reader, const xmlNode* node, int root,
                               const iso_fixed_tendon_desc* tendon, double* mobility_sum) {
    tree t = {0};
    double* w = NULL;
    bool is_solid = false;
    ISO_SCENE_TRY(factor_tree(reader, node, root, &t, &w, &is_solid));
    for (int i = 0; i < t.count; ++i) {
        w[i] = 0.0;
        for (int k = 0; k < tendon->joint_count; ++k) {
            int joint = reader->joints.data[t.dofs[i].joint].joint;
            w[i] += joint == tendon->joints[k] ? tendon->weights[k] : 0.0;
        }
    }
    *mobility_sum += is_solid ? mobility(&t, 0, w) : INFINITY;
    return ISO_OK;
}

iso_status iso_mjcf_tendon_inertia(const iso_mjcf_reader* reader, const xmlNode* node,
                                   const iso_fixed_tendon_desc* tendon, double* out_inertia) {
    double sum = 0.0;
    for (int i = 0; i < tendon->joint_count; ++i) {
        int root = root_of_joint(reader, tendon->joints[i]);
        bool is_done = false;
        for (int k = 0; k < i; ++k) {
            is_done = is_done || root_of_joint(reader, tendon->joints[k]) == root;
        }
        if (!is_done) {
            iso_arena_mark mark = iso_arena_get_mark(&reader->build->arena);
            iso_status status = add_mobility(reader, node, root, tendon, &sum);
            iso_arena_release(&reader->build->arena, mark);
            ISO_SCENE_TRY(status);
        }
    }
    *out_inertia = 1.0 / sum + tendon->rotor_inertia;
    return ISO_OK;
}

// k = m / (T zeta)^2 and c = 2 m / T: a spring and damper of the time constant T and the damping
// ratio zeta on the inertia m that the joint feels.
iso_status iso_mjcf_add_spring_dampers(iso_mjcf_reader* reader) {
    for (int i = 0; i < reader->joints.count; ++i) {
        const iso_mjcf_joint* joint = &reader->joints.data[i];
        const xmlNode* node = joint->spring_node;
        double inertia = 0.0, time = joint->spring_damper[0], ratio = joint->spring_damper[1];
        if (!node) {
            continue;
        }
        ISO_SCENE_REQUIRE(reader->build, iso_xml_source(node),
                          time > 0.0 && time < INFINITY && ratio > 0.0 && ratio < INFINITY,
                          ISO_ERR_RANGE,
                          "joint '%s': springdamper is %g %g, expected a time constant [s] and a "
                          "damping ratio > 0",
                          joint->name, time, ratio);
        ISO_SCENE_TRY(iso_mjcf_effective_inertia(reader, node, joint->joint, &inertia));
        iso_joint_desc* desc = iso_model_joint(reader->build->model, joint->joint);
        desc->stiffness = inertia / (time * time * ratio * ratio);
        desc->damping = 2.0 * inertia / time;
        ISO_SCENE_TRY(iso_scene_check_efforts(reader->build, iso_xml_source(node), desc));
    }
    return ISO_OK;
}
