// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/build/build.h"

#include <math.h>

// Joints that close a loop.

// Half the distance of the two balls that stand for the axis of a hinge that closes a loop [m].
static const double k_hinge_half_length = 0.05;

// A hinge keeps two points of its axis together.
static iso_status close_with_hinge(iso_scene_build* build, iso_source at,
                                   const iso_joint_desc* joint, iso_constraint_desc* loop) {
    iso_vec3 arm = iso_vec3_scale(joint->axis, k_hinge_half_length);
    for (int side = -1; side <= 1; side += 2) {
        iso_pose offset = iso_pose_from_position(iso_vec3_scale(arm, side));
        loop->x_ap = iso_pose_mul(&joint->x_pf, &offset);
        loop->x_bq = iso_pose_mul(&joint->x_cm, &offset);
        ISO_SCENE_TRY(iso_scene_format(build, &loop->name, "%s_%d", joint->name, (side + 3) / 2));
        ISO_SCENE_TRY(iso_scene_add_constraint(build, at, loop));
    }
    return ISO_OK;
}

// --- trees that are written from other ends ------------------------------------------------------

static bool may_turn_round(iso_joint_kind kind) {
    return kind == ISO_JOINT_WELD || kind == ISO_JOINT_REVOLUTE || kind == ISO_JOINT_PRISMATIC ||
           kind == ISO_JOINT_SCREW;
}

// The same joint with the same coordinate, seen from its child.
static void turn_round(iso_joint_desc* joint) {
    int parent = joint->parent;
    iso_pose x_pf = joint->x_pf;
    joint->parent = joint->child;
    joint->child = parent;
    joint->x_pf = joint->x_cm;
    joint->x_cm = x_pf;
    joint->axis = iso_vec3_neg(joint->axis);
}

// Turn the joints above a body round, so that its tree hangs on it. False where one of them cannot
// be, with nothing changed.
static bool make_root(iso_scene_build* build, int body) {
    for (int i = body, j; (j = build->starts.data[i].parent_joint) >= 0;) {
        const iso_joint_desc* joint = iso_model_joint(build->model, j);
        if (!may_turn_round(joint->kind)) {
            return false;
        }
        i = joint->parent;
    }
    iso_scene_start* start = &build->starts.data[body];
    iso_scene_start above = *start;
    start->parent_joint = -1;
    start->is_turned = false;
    while (above.parent_joint >= 0) {
        iso_joint_desc* joint = iso_model_joint(build->model, above.parent_joint);
        iso_scene_start* parent = &build->starts.data[joint->parent];
        iso_scene_start next = *parent;
        turn_round(joint);
        parent->parent_joint = above.parent_joint;
        parent->is_turned = !above.is_turned;
        above = next;
    }
    return true;
}

bool iso_scene_join_trees(iso_scene_build* build, iso_joint_desc* joint) {
    iso_mat3 r;
    int parent_root = iso_scene_root_of(build, joint->parent, &r);
    int child_root = iso_scene_root_of(build, joint->child, &r);
    if (parent_root == child_root) {
        return false;
    }
    if (child_root != ISO_WORLD_BODY && make_root(build, joint->child)) {
        return true;
    }
    if (parent_root == ISO_WORLD_BODY || !may_turn_round(joint->kind) ||
        !make_root(build, joint->parent)) {
        return false;
    }
    turn_round(joint);
    build->starts.data[joint->child].is_turned = true;
    return true;
}

// --- screws --------------------------------------------------------------------------------------

int iso_scene_root_of(const iso_scene_build* build, int body, iso_mat3* out_rotation) {
    *out_rotation = iso_mat3_identity();
    for (int depth = 0; depth < build->starts.count; ++depth) { // as deep as there is no circle
        int joint_index = build->starts.data[body].parent_joint;
        if (joint_index < 0) {
            break;
        }
        const iso_joint_desc* joint = iso_model_joint(build->model, joint_index);
        iso_mat3 r = iso_mat3_mul(joint->x_pf.r, iso_mat3_transpose(joint->x_cm.r));
        *out_rotation = iso_mat3_mul(r, *out_rotation);
        body = joint->parent;
    }
    return body;
}

iso_vec3 iso_scene_axis_in_root(const iso_scene_build* build, const iso_joint_desc* joint) {
    iso_mat3 r;
    (void)iso_scene_root_of(build, joint->parent, &r);
    return iso_mat3_mul_vec3(&r, iso_mat3_mul_vec3(&joint->x_pf.r, joint->axis));
}

double iso_scene_sense(iso_vec3 a, iso_vec3 b) {
    double cosine = iso_vec3_dot(a, b);
    return fabs(cosine) < 1.0 - 1e-6 ? 0.0 : cosine > 0.0 ? 1.0 : -1.0;
}

// The joints between two bodies that are not fixed, and how they move the child along an axis.
typedef struct loop_path {
    int hinge, slide;                ///< joints; -1: none
    double hinge_sense, slide_sense; ///< 1 or -1
    bool is_other;                   ///< something else moves, too
} loop_path;

static bool is_above(const iso_scene_build* build, int ancestor, int body) {
    for (int depth = 0; depth < build->starts.count && body != ancestor; ++depth) {
        int joint = build->starts.data[body].parent_joint;
        if (joint < 0) {
            return false;
        }
        body = iso_model_joint(build->model, joint)->parent;
    }
    return body == ancestor;
}

static void add_to_path(const iso_scene_build* build, int joint_index, iso_vec3 axis, double side,
                        loop_path* path) {
    const iso_joint_desc* joint = iso_model_joint(build->model, joint_index);
    double sense = side * iso_scene_sense(iso_scene_axis_in_root(build, joint), axis);
    if (joint->kind == ISO_JOINT_REVOLUTE && path->hinge < 0 && sense != 0.0) {
        path->hinge = joint_index;
        path->hinge_sense = sense;
    } else if (joint->kind == ISO_JOINT_PRISMATIC && path->slide < 0 && sense != 0.0) {
        path->slide = joint_index;
        path->slide_sense = sense;
    } else if (joint->kind != ISO_JOINT_WELD) {
        path->is_other = true;
    }
}

// Up from both bodies to the first that is above both.
static loop_path find_path(const iso_scene_build* build, const iso_joint_desc* screw) {
    loop_path path = {.hinge = -1, .slide = -1};
    iso_vec3 axis = iso_scene_axis_in_root(build, screw);
    const int ends[] = {screw->child, screw->parent};
    for (int i = 0; i < 2; ++i) {
        int body = ends[i];
        while (!is_above(build, body, ends[1 - i])) {
            int joint = build->starts.data[body].parent_joint;
            if (joint < 0) {
                path.is_other = true; // it floats
                return path;
            }
            add_to_path(build, joint, axis, i == 0 ? 1.0 : -1.0, &path);
            body = iso_model_joint(build->model, joint)->parent;
        }
    }
    return path;
}

// A screw between what a hinge and a slide along its axis move ties the two: the nut of a spindle.
static iso_status close_with_screw(iso_scene_build* build, iso_source at,
                                   const iso_joint_desc* screw, bool* out_is_closed) {
    loop_path path = find_path(build, screw);
    *out_is_closed = path.hinge >= 0 && path.slide >= 0 && !path.is_other;
    if (!*out_is_closed) {
        return ISO_OK;
    }
    iso_coupler_desc coupler = iso_coupler_desc_default();
    coupler.name = screw->name;
    coupler.joint_a = path.hinge;
    coupler.joint_b = path.slide;
    coupler.ratio = screw->pitch * path.hinge_sense * path.slide_sense;
    iso_scene_warn_once(build, at, screw->name,
                        "joint '%s' closes a loop: it becomes a coupler of joints '%s' and '%s', "
                        "without coordinate, limits, damping, friction, spring and actuator",
                        screw->name, iso_model_joint(build->model, path.hinge)->name,
                        iso_model_joint(build->model, path.slide)->name);
    return iso_scene_add_coupler(build, at, &coupler);
}

// --- loops ---------------------------------------------------------------------------------------

// Half of the child's mass goes into a body of its own, which the joint moves and a weld holds to
// the child: the two move as the one would, and the joint keeps all that it has.
static iso_status close_with_half(iso_scene_build* build, iso_source at,
                                  const iso_joint_desc* joint, int* out_joint) {
    iso_body_desc* child = iso_model_body(build->model, joint->child);
    const char* child_name = child->name;
    iso_scene_start start = build->starts.data[joint->child];
    ISO_SCENE_REQUIRE(build, at, child->mass > 0.0, ISO_ERR_UNSUPPORTED,
                      "joint '%s': body '%s' is already the child of joint '%s', and has no mass, "
                      "of which a %s joint that closes a loop needs a half",
                      joint->name, child_name,
                      iso_model_joint(build->model, start.parent_joint)->name,
                      iso_scene_joint_types[joint->kind]);
    child->mass *= 0.5;
    child->inertia = iso_mat3_scale(child->inertia, 0.5);
    iso_body_desc half = *child; // before the array of bodies grows
    ISO_SCENE_TRY(iso_scene_format(build, &half.name, "%s_end", joint->name));
    iso_joint_desc moved = *joint;
    ISO_SCENE_TRY(iso_scene_add_body(build, at, &half, &start.x_b, &moved.child));
    build->starts.data[moved.child].base = start.base;
    iso_scene_warn_once(build, at, joint->name,
                        "joint '%s' closes a loop: it moves a body '%s', which has half of the "
                        "mass of '%s' and is welded to it",
                        joint->name, half.name, child_name);
    ISO_SCENE_TRY(iso_scene_add_joint(build, at, &moved, out_joint));
    iso_constraint_desc weld = iso_constraint_desc_default();
    weld.kind = ISO_CONSTRAINT_WELD;
    weld.name = half.name;
    weld.body_a = joint->child;
    weld.body_b = moved.child;
    return iso_scene_add_constraint(build, at, &weld);
}

iso_status iso_scene_close_loop(iso_scene_build* build, iso_source at, const iso_joint_desc* joint,
                                int* out_joint) {
    iso_constraint_desc loop = iso_constraint_desc_default();
    loop.name = joint->name;
    loop.body_a = joint->parent;
    loop.body_b = joint->child;
    loop.x_ap = joint->x_pf;
    loop.x_bq = joint->x_cm;
    bool is_hinge = joint->kind == ISO_JOINT_REVOLUTE, is_closed = false;
    if (joint->kind == ISO_JOINT_SCREW) {
        ISO_SCENE_TRY(close_with_screw(build, at, joint, &is_closed));
    }
    if (is_closed) {
        return ISO_OK;
    }
    if (!is_hinge && joint->kind != ISO_JOINT_WELD && joint->kind != ISO_JOINT_BALL) {
        return close_with_half(build, at, joint, out_joint);
    }
    iso_scene_warn_once(build, at, joint->name,
                        "joint '%s' closes a loop: it becomes a constraint, without coordinate, "
                        "limits, damping, friction, spring and actuator",
                        joint->name);
    if (is_hinge) {
        return close_with_hinge(build, at, joint, &loop);
    }
    loop.kind = joint->kind == ISO_JOINT_WELD ? ISO_CONSTRAINT_WELD : ISO_CONSTRAINT_BALL;
    return iso_scene_add_constraint(build, at, &loop);
}
