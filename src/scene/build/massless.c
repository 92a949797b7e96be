// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Links without mass or moments of inertia: a root that the file leaves free, but that cannot
// float, stands where it starts; what moves gets the mass, or the moments, of its shapes.

#include "math/eigen3.h"
#include "scene/build/mass_sum.h"

#include <math.h>

#include <stdio.h>

// Density of what a file gives no mass [kg/m^3].
static const double k_density = 1000.0;

// Bodies that fixed joints make one.
typedef struct welded_group {
    int root;           ///< the first of them, on which the others hang
    double mass;        ///< of all, at the root
    int movable_joints; ///< of what hangs on them, at the root
    bool has_shapes;    ///< at the root: one of them has a geometry or a visual
} welded_group;

static void find_groups(iso_scene_build* build, welded_group* groups) {
    int count = build->starts.count;
    for (int body = 0; body < count; ++body) {
        int root = body;
        for (int depth = 0; depth < count; ++depth) { // as deep as there is no circle
            int joint = build->starts.data[root].parent_joint;
            if (joint < 0 || iso_model_joint(build->model, joint)->kind != ISO_JOINT_WELD) {
                break;
            }
            root = iso_model_joint(build->model, joint)->parent;
        }
        groups[body].root = root;
        groups[root].mass += iso_model_body(build->model, body)->mass;
    }
    for (int j = 0; j < iso_model_joint_count(build->model); ++j) {
        const iso_joint_desc* joint = iso_model_joint(build->model, j);
        groups[groups[joint->parent].root].movable_joints += joint->kind != ISO_JOINT_WELD;
    }
    int owner;
    for (int i = 0; i < iso_model_geometry_count(build->model); ++i) {
        (void)iso_model_geometry(build->model, i, &owner);
        groups[groups[owner].root].has_shapes = true;
    }
    for (int i = 0; i < iso_model_visual_count(build->model); ++i) {
        (void)iso_model_visual(build->model, i, &owner);
        groups[groups[owner].root].has_shapes = true;
    }
}

// --- what gets a mass ----------------------------------------------------------------------------

static iso_mass_sum sum_shapes(iso_scene_build* build, int body, bool is_visual) {
    int count =
        is_visual ? iso_model_visual_count(build->model) : iso_model_geometry_count(build->model);
    iso_mass_sum sum = {.mass = 0.0};
    iso_source at = build->starts.data[body].source;
    for (int i = 0; i < count; ++i) {
        int owner;
        if (is_visual) {
            const iso_visual_desc* visual = iso_model_visual(build->model, i, &owner);
            if (owner == body) {
                (void)iso_mass_sum_add_shape(build, at, &visual->shape, &visual->x_bg, k_density,
                                             &sum);
            }
        } else {
            const iso_geometry_desc* geometry = iso_model_geometry(build->model, i, &owner);
            if (owner == body) {
                (void)iso_mass_sum_add_shape(build, at, &geometry->shape, &geometry->x_bg,
                                             k_density, &sum);
            }
        }
    }
    return sum;
}

// More than any robot's link: then lengths of a file of a mesh are likely millimetres [kg].
static const double k_huge_mass = 1e5;

// A file of a mesh among the visuals or geometries of a body, or NULL.
static const char* file_of(const iso_scene_build* build, int body, bool is_visual) {
    int count =
        is_visual ? iso_model_visual_count(build->model) : iso_model_geometry_count(build->model);
    const char* file = NULL;
    for (int i = 0; i < count && !file; ++i) {
        int owner;
        const iso_shape_desc* shape = is_visual
                                          ? &iso_model_visual(build->model, i, &owner)->shape
                                          : &iso_model_geometry(build->model, i, &owner)->shape;
        bool is_mesh = shape->kind == ISO_SHAPE_MESH || shape->kind == ISO_SHAPE_CONVEX;
        file = owner == body && is_mesh ? shape->path : NULL;
    }
    return file;
}

// The mass of what a body collides with, else of what it shows.
static iso_mass_sum weigh(iso_scene_build* build, int body, bool* out_is_visual) {
    iso_mass_sum sum = sum_shapes(build, body, false);
    *out_is_visual = sum.mass <= 0.0;
    return *out_is_visual ? sum_shapes(build, body, true) : sum;
}

#define HINT_SIZE 640

// What to do where a body would weigh more than any robot's link; "" where it does not.
static void say_millimetres(const iso_scene_build* build, int body, double mass, bool is_visual,
                            char out_hint[HINT_SIZE]) {
    const char* file = mass > k_huge_mass ? file_of(build, body, is_visual) : NULL;
    out_hint[0] = '\0';
    if (file) {
        (void)snprintf(out_hint, HINT_SIZE,
                       "; lengths of '%.500s' are metres (a mesh in millimetres needs scale 0.001)",
                       file);
    }
}

static void give_mass(iso_scene_build* build, int body) {
    iso_body_desc* desc = iso_model_body(build->model, body);
    bool is_visual = false;
    iso_mass_sum sum = weigh(build, body, &is_visual);
    if (sum.mass <= 0.0 || sum.mass > ISO_SCENE_MAX_MASS) {
        return; // the world says what moves no mass
    }
    iso_mass_sum_get(&sum, desc);
    char key[256], hint[HINT_SIZE];
    say_millimetres(build, body, sum.mass, is_visual, hint);
    (void)snprintf(key, sizeof key, "mass of %s", desc->name);
    iso_scene_warn_once(build, build->starts.data[body].source, key,
                        "'%s' moves, but has no mass: it gets %g kg, those of its %s shapes at "
                        "%g kg/m^3 (simulation.massless: error refuses it)%s",
                        desc->name, sum.mass, is_visual ? "visual" : "collision", k_density, hint);
}

// --- what stands ---------------------------------------------------------------------------------

// With one movable joint it could turn about the joint's axis without moving any mass; with more of
// them it floats if it can have a mass.
static bool may_float(const iso_scene_build* build, const welded_group* group) {
    return group->movable_joints > 1 && (group->has_shapes || !build->gives_masses);
}

static iso_status stand(iso_scene_build* build, int body, welded_group* group) {
    const iso_scene_start* start = &build->starts.data[body];
    if (!start->may_stand || start->parent_joint >= 0 || group->mass != 0.0 ||
        may_float(build, group)) {
        return ISO_OK;
    }
    iso_pose x = start->x_b, identity = iso_pose_identity();
    const char* name = iso_model_body(build->model, body)->name;
    bool is_visual = false;
    char hint[HINT_SIZE];
    say_millimetres(build, body, weigh(build, body, &is_visual).mass, is_visual, hint);
    iso_scene_warn_once(build, start->source, name,
                        "'%s' has no mass, nor has what is fixed to it: it does not float, but "
                        "stands where it starts, welded to '%s'%s",
                        name, iso_model_body(build->model, start->base)->name, hint);
    group->root = ISO_WORLD_BODY;
    return iso_scene_add_weld(build, start->source, start->base, body, &x, &identity);
}

// --- what gets moments ---------------------------------------------------------------------------

// With a smaller radius of gyration [m] something turns without moving anything.
static const double k_point_radius = 1e-6;

static iso_pose pose_in_group(const iso_scene_build* build, int body, int root) {
    iso_pose x = iso_pose_identity();
    for (int depth = 0; depth < build->starts.count && body != root; ++depth) {
        const iso_joint_desc* weld =
            iso_model_joint(build->model, build->starts.data[body].parent_joint);
        iso_pose x_mc = iso_pose_inverse(&weld->x_cm);
        iso_pose x_pc = iso_pose_mul(&weld->x_pf, &x_mc);
        x = iso_pose_mul(&x_pc, &x);
        body = weld->parent;
    }
    return x;
}

// The least moment that a body has when it turns as the joint above its group lets it.
static double least_moment(const iso_scene_build* build, int body, int root) {
    const iso_body_desc* desc = iso_model_body(build->model, body);
    int index = build->starts.data[root].parent_joint;
    if (index < 0) {
        return iso_sym3_eigenvalues(&desc->inertia).x;
    }
    const iso_joint_desc* joint = iso_model_joint(build->model, index);
    iso_pose x_rb = pose_in_group(build, body, root);
    iso_vec3 arm = iso_vec3_sub(iso_pose_point(&x_rb, desc->center_of_mass), joint->x_cm.p);
    iso_mat3 turned = iso_mat3_mul(x_rb.r, desc->inertia);
    iso_mat3 inertia = iso_mat3_mul(turned, iso_mat3_transpose(x_rb.r));
    inertia = iso_mat3_add(inertia, iso_mat3_point_inertia(desc->mass, arm));
    if (joint->kind == ISO_JOINT_BALL) {
        return iso_sym3_eigenvalues(&inertia).x;
    }
    bool has_axis = joint->kind == ISO_JOINT_REVOLUTE || joint->kind == ISO_JOINT_SCREW ||
                    joint->kind == ISO_JOINT_PLANAR;
    iso_vec3 axis = joint->kind == ISO_JOINT_PLANAR ? iso_vec3_make(0.0, 0.0, 1.0) : joint->axis;
    axis = iso_mat3_mul_vec3(&joint->x_cm.r, axis);
    bool is_geared = joint->rotor_inertia > 0.0 && joint->gear_ratio != 0.0;
    return has_axis && !is_geared ? iso_vec3_dot(axis, iso_mat3_mul_vec3(&inertia, axis))
                                  : INFINITY;
}

// One that floats without shapes: the moments of a ball of water's density. What two joints carry
// on it can give it moments.
static void give_ball(iso_scene_build* build, const welded_group* group, int body) {
    iso_body_desc* desc = iso_model_body(build->model, body);
    if (build->starts.data[group->root].parent_joint >= 0 || group->movable_joints > 1) {
        return;
    }
    double radius = cbrt(0.75 * desc->mass / (ISO_PI * k_density));
    double moment = 0.4 * desc->mass * radius * radius;
    desc->inertia = iso_mat3_diagonal(moment, moment, moment);
    char key[256];
    (void)snprintf(key, sizeof key, "moments of %s", desc->name);
    iso_scene_warn_once(build, build->starts.data[body].source, key,
                        "'%s' turns, but has neither moment of inertia about its axis nor shapes: "
                        "it gets %g kg m^2, those of a ball of its mass of %g kg at %g kg/m^3 "
                        "(simulation.massless: error refuses it)",
                        desc->name, moment, desc->mass, k_density);
}

// A link with a mass, but without a moment about what it turns about: all of them are those of its
// shapes, of that mass.
static void give_moments(iso_scene_build* build, const welded_group* groups, int body) {
    iso_body_desc* desc = iso_model_body(build->model, body);
    int root = groups[body].root;
    bool is_alone =
        desc->mass > 0.0 && groups[root].mass == desc->mass && groups[root].root != ISO_WORLD_BODY;
    if (!is_alone || !build->starts.data[body].takes_mass ||
        !(least_moment(build, body, root) <= desc->mass * k_point_radius * k_point_radius)) {
        return;
    }
    iso_mass_sum sum = sum_shapes(build, body, false);
    sum = sum.mass > 0.0 ? sum : sum_shapes(build, body, true);
    if (sum.mass <= 0.0) {
        give_ball(build, &groups[root], body);
        return;
    }
    iso_body_desc shapes = *desc;
    iso_mass_sum_get(&sum, &shapes);
    desc->inertia = iso_mat3_scale(shapes.inertia, desc->mass / sum.mass);
    char key[256];
    (void)snprintf(key, sizeof key, "moments of %s", desc->name);
    iso_scene_warn_once(build, build->starts.data[body].source, key,
                        "'%s' turns, but has no moment of inertia about its axis: it gets those of "
                        "its shapes, of its mass of %g kg (simulation.massless: error refuses it)",
                        desc->name, desc->mass);
}

static bool is_massless_mover(const iso_scene_build* build, const welded_group* groups, int body) {
    int root = groups[body].root;
    return build->starts.data[body].takes_mass && groups[root].root != ISO_WORLD_BODY &&
           groups[root].mass == 0.0;
}

// --- what moves nothing --------------------------------------------------------------------------

// Is anything else tied to a joint?
static bool is_used(const iso_scene_build* build, int joint) {
    bool is_found = false;
    for (int i = 0; i < iso_model_actuator_count(build->model) && !is_found; ++i) {
        is_found = iso_model_actuator(build->model, i)->joint == joint;
    }
    for (int i = 0; i < iso_model_coupler_count(build->model) && !is_found; ++i) {
        const iso_coupler_desc* coupler = iso_model_coupler(build->model, i);
        is_found = coupler->joint_a == joint || coupler->joint_b == joint;
    }
    return is_found;
}

// Masses of what hangs on each body, itself included [kg].
static void sum_hanging(const iso_scene_build* build, double* hanging) {
    int count = build->starts.count;
    for (int i = 1; i < count; ++i) {
        double mass = iso_model_body(build->model, i)->mass;
        int body = i;
        for (int depth = 0; depth < count && body > 0; ++depth) { // as deep as there is no circle
            hanging[body] += mass;
            int joint = build->starts.data[body].parent_joint;
            body = joint < 0 ? -1 : iso_model_joint(build->model, joint)->parent;
        }
    }
}

// A joint that moves links without mass and without shapes alone moves only frames: it holds where
// it starts. Gazebo leaves such links and their joints out.
static void hold_frames(iso_scene_build* build, int body) {
    const iso_scene_start* start = &build->starts.data[body];
    if (!start->takes_mass || start->parent_joint < 0 || is_used(build, start->parent_joint)) {
        return;
    }
    iso_joint_desc* joint = iso_model_joint(build->model, start->parent_joint);
    if (!iso_scene_has_one_dof(joint->kind) || joint->rotor_inertia > 0.0) {
        return;
    }
    char key[256];
    (void)snprintf(key, sizeof key, "frames of %s", joint->name);
    iso_scene_warn_once(build, start->source, key,
                        "joint '%s' moves no mass and no shape: it is taken as fixed "
                        "(simulation.massless: error refuses it)",
                        joint->name);
    iso_pose x_fm = iso_scene_joint_displacement(joint);
    iso_joint_desc fixed = iso_joint_desc_default();
    fixed.name = joint->name;
    fixed.source = joint->source;
    fixed.parent = joint->parent;
    fixed.child = joint->child;
    fixed.x_pf = iso_pose_mul(&joint->x_pf, &x_fm);
    fixed.x_cm = joint->x_cm;
    *joint = fixed;
}

static iso_status hold_all_frames(iso_scene_build* build) {
    int count = build->starts.count;
    double* hanging = iso_alloc_array(build->ctx, count, sizeof *hanging);
    ISO_REQUIRE(build->ctx, hanging, ISO_ERR_MEMORY, "masses of %d bodies", count);
    for (int i = 0; i < count; ++i) {
        hanging[i] = 0.0;
    }
    sum_hanging(build, hanging);
    for (int i = 1; i < count; ++i) {
        if (hanging[i] == 0.0) {
            hold_frames(build, i);
        }
    }
    iso_free(build->ctx, hanging);
    return ISO_OK;
}

iso_status iso_scene_finish_massless(iso_scene_build* build) {
    int count = build->starts.count;
    bool is_any = false;
    for (int i = 1; i < count; ++i) {
        const iso_scene_start* start = &build->starts.data[i];
        bool may_change = start->takes_mass || (start->may_stand && start->parent_joint < 0);
        is_any = is_any || may_change;
    }
    if (!is_any) {
        return ISO_OK;
    }
    welded_group* groups = iso_alloc_array(build->ctx, count, sizeof *groups);
    ISO_REQUIRE(build->ctx, groups, ISO_ERR_MEMORY, "groups of %d bodies", count);
    for (int i = 0; i < count; ++i) {
        groups[i] = (welded_group){0};
    }
    find_groups(build, groups);
    iso_status status = ISO_OK;
    for (int i = 1; i < count && status == ISO_OK; ++i) {
        status = stand(build, i, &groups[i]);
    }
    for (int i = 1; i < count && status == ISO_OK && build->gives_masses; ++i) {
        if (is_massless_mover(build, groups, i)) {
            give_mass(build, i);
        } else {
            give_moments(build, groups, i);
        }
    }
    iso_free(build->ctx, groups);
    return status == ISO_OK && build->gives_masses ? hold_all_frames(build) : status;
}
