// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Dimensional analysis: lengths times s, times by sqrt(s), moduli times s, under the same gravity
// and of the same density, move alike. With s a power of four every number of the scaled run is
// that of the first times a power of two, so that a difference is a constant of our own that has a
// unit.

#include "isobar/scene.h"
#include "support/assets.h"
#include "support/check.h"
#include "support/failing_context.h"

#include <math.h>

typedef struct scaled_scene {
    const char* path;
    int steps;
    const char* settings[3];
    double effort;    ///< of the actuators, upwards and downwards in turn [N]
    double tolerance; ///< of places [m] and turns
} scaled_scene;

static double root_of(double s) {
    return sqrt(s);
}

static void scale_point(iso_vec3* p, double s) {
    *p = iso_vec3_scale(*p, s);
}

static void scale_shape(iso_shape_desc* shape, double s) {
    shape->radius *= s;
    shape->length *= s;
    scale_point(&shape->size, s);
    scale_point(&shape->scale, s);
}

static void scale_material(iso_contact_material* m, double s) {
    m->modulus *= s;
    m->resolution_hint *= s;
    m->margin *= m->margin == ISO_MARGIN_AUTO ? 1.0 : s;
    m->slab_thickness *= s;
    m->dissipation /= root_of(s);
    m->relaxation_time *= root_of(s);
    m->expansion_rate /= root_of(s);
    m->restitution_speed *= root_of(s);
    m->adhesion *= s;
}

static void scale_joint(iso_joint_desc* joint, double s) {
    bool is_sliding = joint->kind == ISO_JOINT_PRISMATIC;
    double length = is_sliding ? s : 1.0, force = s * s * s * (is_sliding ? 1.0 : s);
    scale_point(&joint->x_pf.p, s);
    scale_point(&joint->x_cm.p, s);
    joint->lower *= length;
    joint->upper *= length;
    joint->position *= length;
    joint->spring_reference *= length;
    joint->velocity *= length / root_of(s);
    joint->velocity_limit *= length / root_of(s);
    joint->effort_limit *= force;
    joint->friction *= force;
    joint->stiffness *= force / length;
    joint->damping *= force / length * root_of(s);
}

static void scale_actuator(iso_actuator_desc* actuator, bool is_sliding, double s) {
    double length = is_sliding ? s : 1.0, force = s * s * s * (is_sliding ? 1.0 : s);
    actuator->effort_limit *= force;
    actuator->effort_lower *= force;
    actuator->effort_upper *= force;
    actuator->kp *= force / length;
    actuator->kd *= force / length * root_of(s);
}

static void scale_model(iso_model* model, double s) {
    for (int i = 0; i < iso_model_body_count(model); ++i) {
        iso_body_desc* body = iso_model_body(model, i);
        body->mass *= s * s * s;
        scale_point(&body->center_of_mass, s);
        body->inertia = iso_mat3_scale(body->inertia, s * s * s * s * s);
    }
    for (int i = 0; i < iso_model_geometry_count(model); ++i) {
        iso_geometry_desc* geometry = iso_model_geometry(model, i, NULL);
        scale_shape(&geometry->shape, s);
        scale_point(&geometry->x_bg.p, s);
        scale_material(&geometry->material, s);
    }
    for (int i = 0; i < iso_model_joint_count(model); ++i) {
        scale_joint(iso_model_joint(model, i), s);
    }
    for (int i = 0; i < iso_model_actuator_count(model); ++i) {
        iso_actuator_desc* actuator = iso_model_actuator(model, i);
        const iso_joint_desc* joint = iso_model_joint(model, actuator->joint);
        scale_actuator(actuator, joint->kind == ISO_JOINT_PRISMATIC, s);
    }
    CHECK(iso_model_coupler_count(model) == 0 && iso_model_constraint_count(model) == 0,
          "a scene with couplers or constraints, which nothing here scales");
}

static void scale_settings(iso_world_desc* desc, double s) {
    desc->time_step *= root_of(s);
    desc->contact.rigid_layer_thickness *= s;
    desc->contact.rigid_layer_modulus *= s;
    desc->contact.stiction_velocity *= root_of(s);
    desc->contact.friction_stiffness /= s;
    desc->contact.brush_size *= s;
    desc->contact.friction_damping_time *= root_of(s);
}

static iso_spatial scale_twist(iso_spatial v, double s) {
    return iso_spatial_make(iso_vec3_scale(v.rotational, 1.0 / root_of(s)),
                            iso_vec3_scale(v.translational, root_of(s)));
}

/// Free bodies where the scene has them, and the efforts of its actuators.
static void start(iso_context* ctx, const scaled_scene* scene, const iso_world* at, double s,
                  iso_world* world) {
    for (int i = 1; i < iso_world_body_count(world); ++i) {
        iso_pose x = iso_world_body_pose(at, i);
        scale_point(&x.p, s);
        iso_spatial v = scale_twist(iso_world_body_twist(at, i), s);
        if (iso_world_set_free_body(world, i, &x, v) != ISO_OK) {
            iso_vec3 apart = iso_vec3_sub(iso_world_body_pose(world, i).p, x.p); // on a joint
            CHECK_AT_MOST(iso_vec3_norm(apart), 1e-15 * s);
        }
    }
    for (int i = 0; i < iso_world_actuator_count(world); ++i) {
        double effort = scene->effort * s * s * s * (i % 2 == 0 ? 1.0 : -1.0);
        CHECK_OK(ctx, iso_world_set_actuation(world, i, &(iso_actuation){.feed_forward = effort}));
    }
}

/// The world of a scene as it is, and at another scale.
static void make_worlds(iso_context* ctx, const scaled_scene* scene, const char* models, double s,
                        iso_world* out[2]) {
    char path[TEST_PATH_SIZE];
    iso_package package = {"drake_models", models};
    iso_scene_options options = {
        .packages = &package, .package_count = models ? 1 : 0, .settings = scene->settings};
    while (options.setting_count < 3 && scene->settings[options.setting_count]) {
        ++options.setting_count;
    }
    iso_scene loaded;
    CHECK_OK(ctx, iso_scene_load(ctx, source_path(path, scene->path), &options, &loaded));
    CHECK_OK(ctx, iso_world_create(ctx, loaded.model, &loaded.world, &out[0]));
    scale_model(loaded.model, s);
    scale_settings(&loaded.world, s);
    CHECK_OK(ctx, iso_world_create(ctx, loaded.model, &loaded.world, &out[1]));
    start(ctx, scene, out[0], s, out[1]);
    start(ctx, scene, out[0], 1.0, out[0]);
    iso_scene_destroy(ctx, &loaded);
}

/// How far apart two worlds are, in units of the first: places [m] and entries of rotations.
static double distance(iso_world* const worlds[2], double s) {
    double most = 0.0;
    for (int i = 1; i < iso_world_body_count(worlds[0]); ++i) {
        iso_pose x = iso_world_body_pose(worlds[0], i), y = iso_world_body_pose(worlds[1], i);
        scale_point(&y.p, 1.0 / s);
        most = fmax(most, iso_vec3_norm(iso_vec3_sub(x.p, y.p)));
        for (int k = 0; k < 9; ++k) {
            most = fmax(most, fabs(x.r.m[k / 3][k % 3] - y.r.m[k / 3][k % 3]));
        }
    }
    return most;
}

static void check_scene(iso_context* ctx, const scaled_scene* scene, const char* models) {
    static const double k_scales[] = {0x1p-16, 0x1p-10, 0x1p10}; // 1.5e-5, 9.8e-4, 1024
    for (size_t i = 0; i < sizeof k_scales / sizeof *k_scales; ++i) {
        double s = k_scales[i];
        iso_world* worlds[2];
        make_worlds(ctx, scene, models, s, worlds);
        double apart = 0.0;
        int contacts = 0;
        for (int step = 0; step < scene->steps; ++step) {
            CHECK_OK(ctx, iso_world_step(worlds[0]));
            CHECK_OK(ctx, iso_world_step(worlds[1]));
            apart = fmax(apart, distance(worlds, s));
            contacts += iso_world_contact_count(worlds[0]);
        }
        CHECK(apart <= scene->tolerance, "%s (%s) at the scale %g: %g apart, expected %g",
              scene->path, scene->settings[0] ? scene->settings[0] : "as it is", s, apart,
              scene->tolerance);
        CHECK(contacts > 0, "%s: nothing touches", scene->path);
        iso_world_destroy(worlds[0]);
        iso_world_destroy(worlds[1]);
    }
}

// Zero tolerance: the same bits. Before, constants with units were in the way: the ball sank
// through the plane at 4e-6 of its size.
static void scenes_move_alike_at_every_scale(void** state) {
    (void)state;
    static const scaled_scene k_scenes[] = {
        {"scenes/peers/stack.yaml", 60, {0}, 0.0, 0.0},
        {"scenes/peers/stack.yaml",
         60,
         {"simulation.friction=stick", "simulation.regularization=patch", "simulation.cull=none"},
         0.0,
         0.0},
        {"scenes/peers/stack.yaml", 60, {"simulation.method=sap"}, 0.0, 1e-15},   // 3.0e-18
        {"scenes/peers/stack.yaml", 60, {"simulation.method=tamsi"}, 0.0, 1e-14}, // 2.0e-17
        {"scenes/peers/stack.yaml", 60, {"simulation.method=similar"}, 0.0, 0.0},
        {"scenes/peers/slope.yaml", 100, {"simulation.friction=stick"}, 0.0, 0.0},
        {"scenes/peers/slope.yaml", 100, {0}, 0.0, 0.0},
        {"scenes/peers/rolling_sphere.yaml", 100, {0}, 0.0, 0.0},
        {"scenes/peers/rolling_sphere.yaml", 100, {"simulation.method=rk4"}, 0.0, 1e-15}, // 1e-28
    };
    iso_context* ctx = test_context();
    for (size_t i = 0; i < sizeof k_scenes / sizeof *k_scenes; ++i) {
        check_scene(ctx, &k_scenes[i], NULL);
    }
    test_context_destroy(ctx);
}

static void scenes_of_meshes_move_alike_at_every_scale(void** state) {
    (void)state;
    static const scaled_scene k_scenes[] = {
        {"scenes/peers/ball_plate.yaml", 60, {0}, 0.0, 0.0},
        {"scenes/peers/spatula_slip_control.yaml", 40, {"simulation.time_step=0.01"}, 6.5, 0.0},
    };
    char models[TEST_PATH_SIZE];
    (void)asset_path(models, "");
    iso_context* ctx = test_context();
    for (size_t i = 0; i < sizeof k_scenes / sizeof *k_scenes; ++i) {
        check_scene(ctx, &k_scenes[i], models);
    }
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes_move_alike_at_every_scale),
        cmocka_unit_test(scenes_of_meshes_move_alike_at_every_scale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
