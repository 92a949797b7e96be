// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Scenario files: bodies, directives, poses, materials, settings and commands.

#include "scene/fixture.h"

#include "support/assets.h"

#include <math.h>

static void load(fixture* f, const char* text) {
    load_as(f, ISO_SCENE_FORMAT_SCENARIO, text);
}

static void load_with(fixture* f, const char* text, const char* setting) {
    iso_scene_options options = {.settings = &setting, .setting_count = 1};
    iso_scene_destroy(f->ctx, &f->scene);
    CHECK_OK(f->ctx, iso_scene_load_bytes(f->ctx, "test.yaml", ISO_SCENE_FORMAT_SCENARIO, text,
                                          strlen(text), &options, &f->scene));
}

static iso_status load_wrong(fixture* f, const char* text, const char* setting) {
    iso_scene_options options = {.settings = &setting, .setting_count = 1};
    iso_scene_destroy(f->ctx, &f->scene);
    return iso_scene_load_bytes(f->ctx, "test.yaml", ISO_SCENE_FORMAT_SCENARIO, text, strlen(text),
                                &options, &f->scene);
}

static const char* const k_ball = "bodies:\n"
                                  "- name: ball\n"
                                  "  mass: 0.5\n"
                                  "  geometry: [{shape: sphere, radius: 0.1}]\n";

static void what_is_not_said_has_the_defaults_of_the_api(void** state) {
    fixture* f = *state;
    load(f, k_ball);
    iso_world_desc d = iso_world_desc_default();
    iso_contact_material m = iso_contact_material_default();
    const iso_contact_material* own = &geometry_of(&f->scene, "ball", "collision")->material;
    assert_string_equal(f->scene.name, "test");
    CHECK_BITS(f->scene.world.time_step, d.time_step);
    CHECK_BITS(f->scene.world.gravity.z, d.gravity.z);
    CHECK_BITS(f->scene.world.accuracy, d.accuracy);
    CHECK_BITS(f->scene.until, 0.0);
    assert_int_equal(f->scene.world.method, d.method);
    assert_int_equal(f->scene.world.contact.cull, d.contact.cull);
    assert_int_equal(own->compliance, ISO_COMPLIANCE_DEFAULT);
    CHECK_BITS(own->modulus, m.modulus);
    CHECK_BITS(own->friction_static, m.friction_static);
}

static void every_key_of_simulation_arrives(void** state) {
    fixture* f = *state;
    char text[1024];
    snprintf(text, sizeof text, "%s%s", k_ball,
             "simulation: {time_step: 0.002, until: 3, gravity: [0, 1, -2], method: rk23, "
             "accuracy: 1.0e-5, max_substeps: 77, initial_step: 1e-5, max_step: 5e-4, "
             "representation: triangle, cull: drake, combine: "
             "elandt, "
             "regularization: drake, "
             "friction: regularized, friction_stiffness: 2e4, friction_damping_time: 0, "
             "stiction_velocity: 1e-3, rigid_layer_thickness: 2e-3, rigid_layer_modulus: 3e6, "
             "threads: 4}");
    load(f, text);
    const iso_world_desc* w = &f->scene.world;
    CHECK_BITS(w->time_step, 0.002);
    CHECK_BITS(f->scene.until, 3.0);
    CHECK_VEC3_NEAR(w->gravity, iso_vec3_make(0, 1, -2), 0.0);
    assert_int_equal(w->method, ISO_METHOD_RK23);
    CHECK_BITS(w->accuracy, 1e-5);
    assert_int_equal(w->max_substeps, 77);
    CHECK_BITS(w->initial_step, 1e-5);
    CHECK_BITS(w->max_step, 5e-4);
    assert_int_equal(w->contact.representation, ISO_REPRESENTATION_TRIANGLE);
    assert_int_equal(w->contact.cull, ISO_CULL_DRAKE);
    assert_int_equal(w->contact.combine, ISO_COMBINE_ELANDT);
    assert_int_equal(w->contact.regularization, ISO_REGULARIZATION_DRAKE);
    assert_int_equal(w->contact.friction, ISO_FRICTION_MODEL_REGULARIZED);
    CHECK_BITS(w->contact.friction_stiffness, 2e4);
    CHECK_BITS(w->contact.friction_damping_time, 0.0);
    CHECK_BITS(w->contact.stiction_velocity, 1e-3);
    CHECK_BITS(w->contact.rigid_layer_thickness, 2e-3);
    CHECK_BITS(w->contact.rigid_layer_modulus, 3e6);
    assert_int_equal(w->thread_count, 4);
}

static void every_method_has_its_name(void** state) {
    static const char* const names[] = {"lagged",  "sap",   "rk4",      "rk23",  "rk45",
                                        "similar", "tamsi", "midpoint", "radau", "cvode"};
    fixture* f = *state;
    for (int i = 0; i < (int)(sizeof names / sizeof *names); ++i) {
        char text[512];
        snprintf(text, sizeof text, "%ssimulation: {method: %s}", k_ball, names[i]);
        load(f, text);
        assert_int_equal(f->scene.world.method, i);
    }
    assert_int_equal(ISO_METHOD_CVODE, 9);
}

static void mass_is_spread_over_the_geometry(void** state) {
    fixture* f = *state;
    load(f, "bodies:\n"
            "- name: dumbbell\n"
            "  mass: 2\n"
            "  geometry:\n"
            "  - {shape: sphere, radius: 0.1, pose: {translation: [1, 0, 0]}}\n"
            "  - {shape: sphere, radius: 0.1, pose: {translation: [3, 0, 0]}}\n"
            "- name: block\n"
            "  density: 1000\n"
            "  geometry:\n"
            "  - {shape: box, size: [0.1, 0.2, 0.3], pose: {rotation: {deg: [0, 0, 90]}}}\n"
            "- name: given\n"
            "  mass: 3\n"
            "  com: [0, 0, 1]\n"
            "  gravity_compensation: 0.5\n"
            "  inertia: [4, 5, 6, 0.1, 0.2, 0.3]\n");
    const iso_body_desc* d = iso_model_body(f->scene.model, body_index(&f->scene, "dumbbell"));
    const iso_body_desc* b = iso_model_body(f->scene.model, body_index(&f->scene, "block"));
    const iso_body_desc* g = iso_model_body(f->scene.model, body_index(&f->scene, "given"));
    CHECK_REL(d->mass, 2.0, 1e-15);                                    // measured 0
    CHECK_VEC3_NEAR(d->center_of_mass, iso_vec3_make(2, 0, 0), 1e-15); // measured 0
    // Two spheres of 1 kg: 2 (2/5 r^2), and 1 m of arm each across x. Measured 1.7e-18.
    CHECK_MAT3_NEAR(d->inertia, iso_mat3_diagonal(0.008, 2.008, 2.008), 1e-16);
    CHECK_REL(b->mass, 6.0, 1e-15); // measured 1.5e-16
    // The box lies turned: its x edge (0.1) is along y. Measured 1e-17.
    CHECK_MAT3_NEAR(b->inertia, iso_mat3_diagonal(0.5 * 0.1, 0.5 * 0.13, 0.5 * 0.05), 1e-16);
    iso_mat3 expected = {{{4, 0.1, 0.2}, {0.1, 5, 0.3}, {0.2, 0.3, 6}}};
    CHECK_MAT3_NEAR(g->inertia, expected, 0.0);
    CHECK_VEC3_NEAR(g->center_of_mass, iso_vec3_make(0, 0, 1), 0.0);
    CHECK_BITS(d->gravity_compensation, 0.0);
    CHECK_BITS(g->gravity_compensation, 0.5);
}

static void every_spelling_of_a_rotation_is_the_same_rotation(void** state) {
    static const char* const rotations[] = {
        "!Rpy {deg: [0, 0, 90]}",
        "!Rpy {rad: [0, 0, 1.5707963267948966]}",
        "{deg: [0, 0, 90]}",
        "!AngleAxis {angle_deg: 90, axis: [0, 0, 1]}",
        "{angle_rad: 1.5707963267948966, axis: [0, 0, 3]}",
        "!Quaternion {wxyz: [0.7071067811865476, 0, 0, 0.7071067811865476]}",
        "{wxyz: [0.7071067811865476, 0, 0, 0.7071067811865476]}",
    };
    fixture* f = *state;
    for (size_t i = 0; i < sizeof rotations / sizeof *rotations; ++i) {
        char text[512];
        snprintf(text, sizeof text, "%s  pose: {translation: [1, 2, 3], rotation: %s}\n", k_ball,
                 rotations[i]);
        load(f, text);
        CHECK_POSE_NEAR(start_pose_of(&f->scene, "ball"), pose_xyz_rpy(1, 2, 3, 0, 0, ISO_PI / 2),
                        1e-15); // measured 2.8e-16
    }
    char text[512];
    snprintf(text, sizeof text, "%s  pose: {rotation: !Identity {}}\n", k_ball);
    load(f, text);
    CHECK_POSE_NEAR(start_pose_of(&f->scene, "ball"), iso_pose_identity(), 0.0);
}

static void poses_are_relative_to_frames_on_moved_joints(void** state) {
    fixture* f = *state;
    load(f, "bodies:\n"
            "- {name: cart, mass: 1, inertia: [1, 1, 1]}\n"
            "- name: cargo\n"
            "  mass: 1\n"
            "  inertia: [1, 1, 1]\n"
            "  pose: {base_frame: hook, translation: [0, 0, -1]}\n"
            "- {name: base, fixed: true, pose: {translation: [0, 5, 0]}}\n"
            "- {name: stone, fixed: true, pose: {base_frame: base, translation: [0, 1, 0]}}\n"
            "directives:\n"
            "- add_frame: {name: hook, X_PF: {base_frame: cart, translation: [0, 0, 2]}}\n"
            "joints:\n"
            "- {name: rail, type: prismatic, parent: base, child: cart, axis: [2, 0, 0],\n"
            "   limits: {lower: -5, upper: 5}, damping: 2}\n"
            "initial:\n"
            "- {joint: rail, position: 4, velocity: -1}\n"
            "- {body: cargo, velocity: {linear: [1, 2, 3], angular_deg: [0, 0, 180]}}\n");
    CHECK_POSE_NEAR(start_pose_of(&f->scene, "cargo"), pose_xyz_rpy(4, 5, 1, 0, 0, 0), 0.0);
    CHECK_POSE_NEAR(start_pose_of(&f->scene, "stone"), pose_xyz_rpy(0, 6, 0, 0, 0, 0), 0.0);
    iso_spatial v = f->scene.model->bodies.data[body_index(&f->scene, "cargo")].v_wb;
    CHECK_SPATIAL_NEAR(v, iso_spatial_make(iso_vec3_make(0, 0, ISO_PI), iso_vec3_make(1, 2, 3)),
                       0.0);
    CHECK_BITS(joint_named(&f->scene, "rail")->velocity, -1.0);
    CHECK_BITS(joint_named(&f->scene, "rail")->damping, 2.0);
    assert_int_equal(joint_named(&f->scene, "rail")->kind, ISO_JOINT_PRISMATIC);
}

static void materials_are_laid_over_each_other(void** state) {
    fixture* f = *state;
    load(f, "materials:\n"
            "  rubber: {compliance: compliant, modulus: 1e5, friction: 1}\n"
            "default_material: {modulus: 7e6, margin: 1e-3, friction: 0.25}\n"
            "contact_overrides:\n"
            "- {geometry: 'b*::collision', dissipation: 9}\n"
            "- {geometry: 'c::?op', friction_dynamic: 0.1}\n"
            "bodies:\n"
            "- {name: a, mass: 1, geometry: [{shape: sphere, radius: 1, material: rubber}]}\n"
            "- {name: bb, mass: 1, geometry: [{shape: sphere, radius: 1, friction_static: 0.5}]}\n"
            "- {name: c, mass: 1, geometry: [{name: top, shape: sphere, radius: 1}]}\n");
    const iso_contact_material* a = &geometry_of(&f->scene, "a", "collision")->material;
    const iso_contact_material* b = &geometry_of(&f->scene, "bb", "collision")->material;
    const iso_contact_material* c = &geometry_of(&f->scene, "c", "top")->material;
    CHECK_BITS(a->modulus, 1e5);
    CHECK_BITS(a->friction_dynamic, 1.0);
    CHECK_BITS(a->margin, 1e-3);
    CHECK_BITS(b->modulus, 7e6);
    CHECK_BITS(b->friction_dynamic, 0.5);
    CHECK_BITS(b->dissipation, 9.0);
    CHECK_BITS(c->friction_static, 0.1); // the override states one of the two: it sets both
    CHECK_BITS(c->friction_dynamic, 0.1);
}

static void geometry_may_be_added_to_the_world(void** state) {
    fixture* f = *state;
    load(f, "bodies:\n"
            "- {name: world, color: [1, 0, 0], geometry: [{name: g, shape: half_space}]}\n");
    assert_int_equal(iso_model_body_count(f->scene.model), 1);
    assert_int_equal(geometry_of(&f->scene, "world", "g")->shape.kind, ISO_SHAPE_HALF_SPACE);
    assert_int_equal(iso_model_visual_count(f->scene.model), 1);
    CHECK_BITS(iso_model_visual(f->scene.model, 0, NULL)->rgba[3], 1.0);
}

static const char* const k_driven =
    "bodies:\n"
    "- {name: m::a, mass: 1, inertia: [1, 1, 1]}\n"
    "joints:\n"
    "- {name: m::j, type: revolute, parent: world, child: m::a, axis: [0, 0, 1]}\n";

static void an_actuation_makes_the_actuator_it_needs(void** state) {
    fixture* f = *state;
    char text[1024];
    snprintf(text, sizeof text, "%s%s", k_driven,
             "actuation:\n"
             "- joint: j\n"
             "  effort_limit: 20\n"
             "  kp: 100\n"
             "  kd: 5\n"
             "  effort: 1.5\n"
             "  position: {type: square_wave, offset: 1, amplitude: 2, period: 3, duty: 0.25, "
             "phase: 0.5}\n"
             "  velocity: {type: table, times: [0, 1, 4], values: [2, 3, 5]}\n");
    load(f, text);
    assert_int_equal(iso_model_actuator_count(f->scene.model), 1);
    const iso_actuator_desc* actuator = iso_model_actuator(f->scene.model, 0);
    assert_string_equal(actuator->name, "m::j");
    CHECK_BITS(actuator->effort_limit, 20.0);
    CHECK_BITS(actuator->kp, 100.0);
    CHECK_BITS(actuator->kd, 5.0);
    assert_int_equal(f->scene.command_count, 3);
    const iso_command_desc* c = f->scene.commands;
    assert_int_equal(c[0].kind, ISO_COMMAND_EFFORT);
    CHECK_BITS(iso_signal_eval(&c[0].signal, 7.0), 1.5);
    assert_int_equal(c[1].kind, ISO_COMMAND_POSITION);
    CHECK_BITS(iso_signal_eval(&c[1].signal, 0.0), 3.0); // 0.5 of 3 is in the first quarter
    CHECK_BITS(iso_signal_eval(&c[1].signal, 0.3), 1.0); // 0.8 of 3 is not
    assert_int_equal(c[2].kind, ISO_COMMAND_VELOCITY);
    CHECK_BITS(iso_signal_eval(&c[2].signal, 2.5), 4.0);
}

static void a_setting_changes_what_its_path_names(void** state) {
    fixture* f = *state;
    load_with(f, k_ball, "simulation.time_step=0.25");
    CHECK_BITS(f->scene.world.time_step, 0.25);
    load_with(f, k_ball, "simulation.gravity=[1, 2, 3]");
    CHECK_BITS(f->scene.world.gravity.y, 2.0);
    load_with(f, k_ball, "default_material.friction=0.125");
    CHECK_BITS(geometry_of(&f->scene, "ball", "collision")->material.friction_static, 0.125);
    load_with(f, k_ball, "bodies.ball.mass=2");
    CHECK_REL(iso_model_body(f->scene.model, 1)->mass, 2.0, 1e-15); // measured 0
    load_with(f, k_ball, "bodies.0.geometry.0.radius=0.5");
    CHECK_BITS(geometry_of(&f->scene, "ball", "collision")->shape.radius, 0.5);
}

static void a_setting_of_an_unknown_path_lists_what_there_is(void** state) {
    static const struct {
        const char* setting;
        const char* message;
    } cases[] = {
        {"bodies.bal.mass=2", "there is no 'bal' in bodies, which has: ball"},
        {"bodies.ball.color=2",
         "there is no 'color' in bodies.ball, which has: name, mass, geometry"},
        {"bodis.ball=2", "there is no 'bodis' in the scene, which has: bodies"},
        {"simulation.time_stp=2", "unknown key 'time_stp' in simulation"},
        {"simulation.time_step=0", "--set simulation.time_step=0: time_step is 0 s, expected > 0"},
        {"bodies.ball=2", "'bodies.ball' is a mapping, not one value"},
        {"nonsense", "expected path=value"},
        {"bodies..x=1", "there is no '' in bodies"},
    };
    fixture* f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        CHECK(load_wrong(f, k_ball, cases[i].setting) != ISO_OK, "%s", cases[i].setting);
        CHECK_ERROR(f->ctx, cases[i].message);
        CHECK_ERROR(f->ctx, "--set ");
    }
}

static void anchors_are_copied(void** state) {
    fixture* f = *state;
    load(f, "bodies:\n"
            "- {name: a, mass: 1, geometry: &g [{shape: sphere, radius: 0.5}]}\n"
            "- {name: b, mass: 1, geometry: *g}\n");
    CHECK_BITS(geometry_of(&f->scene, "b", "collision")->shape.radius, 0.5);
}

// --- directives, which name files ----------------------------------------------------------------

static void write_file(const char* path, const char* text) {
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static const char* const k_arm =
    "<sdf version='1.7'><model name='x'><pose>0 0 1 0 0 0</pose><link name='base'/>"
    "<link name='tool'><pose>1 0 0 0 0 0</pose></link><joint name='slide' type='prismatic'>"
    "<parent>base</parent><child>tool</child><axis><xyz>0 1 0</xyz><limit><lower>0</lower>"
    "<upper>2</upper></limit></axis></joint><frame name='tip' attached_to='tool'>"
    "<pose>0 0 0.5 0 0 0</pose></frame></model></sdf>";

static void drakes_directives_build_the_same_scene(void** state) {
    fixture* f = *state;
    char arm[TEST_PATH_SIZE], inner[TEST_PATH_SIZE], outer[TEST_PATH_SIZE];
    write_file(temp_path(arm, "arm.sdf"), k_arm);
    write_file(temp_path(inner, "inner.dmd.yaml"),
               "directives:\n"
               "- add_model:\n"
               "    name: arm\n"
               "    file: package://here/arm.sdf\n"
               "    default_joint_positions: {slide: [0.25]}\n"
               "- add_frame:\n"
               "    name: mount\n"
               "    X_PF:\n"
               "      base_frame: world\n"
               "      translation: [0, 0, 3]\n"
               "      rotation: !Rpy { deg: [0.0, 0.0, 90.0 ]}\n"
               "- add_weld: {parent: mount, child: 'arm::base', X_PC: {translation: [1, 0, 0]}}\n");
    write_file(temp_path(outer, "outer.yaml"),
               "packages: {here: .}\n"
               "directives:\n"
               "- add_model_instance: {name: left}\n"
               "- add_directives: {file: package://here/inner.dmd.yaml, model_namespace: left}\n"
               "- add_model:\n"
               "    name: free\n"
               "    file: arm.sdf\n"
               "    default_free_body_pose:\n"
               "      base: {base_frame: 'left::arm::tip', translation: [0, 0, 1]}\n"
               "- add_collision_filter_group:\n"
               "    name: all\n"
               "    members: ['left::arm::base', 'free::base', 'free::tool']\n"
               "    ignored_collision_filter_groups: [all]\n");
    CHECK_OK(f->ctx, iso_scene_load(f->ctx, outer, NULL, &f->scene));
    assert_string_equal(f->scene.name, "outer");
    iso_pose x_base = pose_xyz_rpy(0, 1, 3, 0, 0, ISO_PI / 2);
    // Measured 6.1e-17, 1.1e-16 and 1.1e-16: the rotation by 90 degrees.
    CHECK_POSE_NEAR(start_pose_of(&f->scene, "left::arm::base"), x_base, 1e-15);
    CHECK_POSE_NEAR(start_pose_of(&f->scene, "left::arm::tool"),
                    pose_xyz_rpy(-0.25, 2, 3, 0, 0, ISO_PI / 2), 1e-15);
    CHECK_POSE_NEAR(start_pose_of(&f->scene, "free::base"),
                    pose_xyz_rpy(-0.25, 2, 4.5, 0, 0, ISO_PI / 2), 1e-15);
    assert_false(may_touch(&f->scene, "left::arm::base", "free::base"));
    assert_false(may_touch(&f->scene, "left::arm::base", "free::tool"));
    assert_false(may_touch(&f->scene, "free::base", "free::tool"));
    assert_true(may_touch(&f->scene, "free::base", "left::arm::tool"));
    assert_non_null(strstr(joint_named(&f->scene, "world_welds_to_left::arm::base")->name, "arm"));
}

static void options_win_over_the_packages_of_the_file(void** state) {
    fixture* f = *state;
    char arm[TEST_PATH_SIZE], scene[TEST_PATH_SIZE], folder[TEST_PATH_SIZE];
    write_file(temp_path(arm, "arm.sdf"), k_arm);
    write_file(temp_path(scene, "packaged.yaml"),
               "packages: {p: /nowhere}\n"
               "directives: [{add_model: {name: m, file: 'package://p/arm.sdf'}}]\n");
    iso_package package = {"p", temp_path(folder, ".")};
    iso_scene_options options = {.packages = &package, .package_count = 1};
    CHECK_STATUS(f->ctx, iso_scene_load(f->ctx, scene, NULL, &f->scene), ISO_ERR_IO);
    CHECK_ERROR(f->ctx, "packaged.yaml:2: ");
    CHECK_OK(f->ctx, iso_scene_load(f->ctx, scene, &options, &f->scene));
}

static void settings_apply_to_model_files_too(void** state) {
    fixture* f = *state;
    char arm[TEST_PATH_SIZE];
    const char* settings[] = {"simulation.time_step=0.5", "bodies.x=1"};
    write_file(temp_path(arm, "arm.sdf"), k_arm);
    iso_scene_options options = {.settings = settings, .setting_count = 1};
    CHECK_OK(f->ctx, iso_scene_load(f->ctx, arm, &options, &f->scene));
    CHECK_BITS(f->scene.world.time_step, 0.5);
    iso_scene_destroy(f->ctx, &f->scene);
    options.setting_count = 2;
    CHECK_STATUS(f->ctx, iso_scene_load(f->ctx, arm, &options, &f->scene), ISO_ERR_NOT_FOUND);
    CHECK_ERROR(f->ctx, "only simulation.* and default_material.* can be set");
}

// Every number of `simulation` is as if it had not been stated; a key that no scene has is refused.
static void null_takes_a_key_away(void** state) {
    fixture* f = *state;
    static const char* const keys[] = {"accuracy",     "time_step",         "max_substeps",
                                       "initial_step", "stiction_velocity", "max_step",
                                       "until",        "gravity",           "method"};
    char text[512], setting[64];
    load(f, k_ball);
    const iso_world_desc plain = f->scene.world;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
        const char* value = strcmp(keys[i], "gravity") == 0        ? "[0, 0, -1]"
                            : strcmp(keys[i], "method") == 0       ? "tamsi"
                            : strcmp(keys[i], "max_substeps") == 0 ? "7"
                                                                   : "1.0e-3";
        snprintf(text, sizeof text, "simulation: {%s: %s}\n%s", keys[i], value, k_ball);
        for (int is_tilde = 0; is_tilde < 2; ++is_tilde) {
            snprintf(setting, sizeof setting, "simulation.%s=%s", keys[i], is_tilde ? "~" : "null");
            load_with(f, text, setting);
            const iso_world_desc* d = &f->scene.world;
            assert_int_equal(d->error_control, plain.error_control);
            assert_int_equal(d->method, plain.method);
            assert_int_equal(d->max_substeps, plain.max_substeps);
            CHECK_BITS(d->accuracy, plain.accuracy);
            CHECK_BITS(d->time_step, plain.time_step);
            CHECK_BITS(d->gravity.z, plain.gravity.z);
            CHECK_BITS(d->contact.stiction_velocity, plain.contact.stiction_velocity);
        }
    }
    CHECK_STATUS(f->ctx, load_wrong(f, k_ball, "simulation.acuracy=null"), ISO_ERR_PARSE);
    CHECK_ERROR(f->ctx, "unknown key 'acuracy'");
}

static void a_tendon_and_a_joint_of_one_name_are_both_driven(void** state) {
    fixture* f = *state;
    load(f, "bodies: [{name: a, mass: 1, inertia: [1, 1, 1]}]\n"
            "joints: [{name: p, type: prismatic, parent: world, child: a}]\n"
            "fixed_tendons: [{name: p, joints: [p], weights: [2]}]\n"
            "actuation: [{joint: p, effort: 1}, {fixed_tendon: p, effort: 2}]\n");
    assert_int_equal(iso_model_actuator_count(f->scene.model), 2);
    assert_string_equal(iso_model_actuator(f->scene.model, 0)->name, "p");
    assert_string_equal(iso_model_actuator(f->scene.model, 1)->name, "p_1");
    assert_string_equal(f->scene.commands[1].actuator, "p_1");
}

static void adhesion_is_of_a_body_and_has_efforts_alone(void** state) {
    fixture* f = *state;
    char text[512];
    static const char* const wrong[][2] = {
        {"{adhesion: ball, kp: 3, effort: 1}",
         "test.yaml:5: 'kp' of adhesion 'ball': expected effort alone [N]"},
        {"{adhesion: ball, effort_lower: -1, effort: 1}",
         "test.yaml:5: adhesion 'ball' of -1 to inf N, expected the first >= 0"},
        {"{adhesion: bell, effort: 1}", "test.yaml:5: there is no body named 'bell'"},
        {"{adhesion: ball, joint: ball, effort: 1}",
         "needs one of joint, fixed_tendon, adhesion and actuator"},
    };
    snprintf(
        text, sizeof text,
        "%sactuation: [{adhesion: ball, effort_limit: 9, effort: 4}, {adhesion: world, effort: "
        "2}]\n",
        k_ball);
    load(f, text);
    const iso_actuator_desc* desc = iso_model_actuator(f->scene.model, 0);
    assert_string_equal(desc->name, "ball");
    assert_true(desc->joint == -1 && desc->fixed_tendon == -1 && desc->adhesion_body == 1);
    CHECK_BITS(desc->effort_limit, 9.0);
    CHECK_BITS(f->scene.commands[0].signal.offset, 4.0);
    assert_int_equal(iso_model_actuator(f->scene.model, 1)->adhesion_body, 0);
    iso_scene_destroy(f->ctx, &f->scene);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        snprintf(text, sizeof text, "%sactuation: [%s]\n", k_ball, wrong[i][0]);
        assert_int_not_equal(load_wrong(f, text, "simulation.until=1"), ISO_OK);
        CHECK_ERROR(f->ctx, wrong[i][1]);
    }
}

static void joints_couplers_constraints_and_belts_are_read(void** state) {
    fixture* f = *state;
    load(f, "bodies:\n"
            "- {name: a, mass: 1, geometry: [{shape: box, size: [1, 1, 1], collision_group: 2, "
            "collision_mask: 5, surface_velocity: [1, 0, 0]}]}\n"
            "- {name: b, mass: 1, inertia: [1, 1, 1]}\n"
            "- {name: c, mass: 1, inertia: [1, 1, 1]}\n"
            "joints:\n"
            "- {name: u, type: universal, parent: world, child: a, axis: [1, 0, 0], axis_2: [0, 1, "
            "0], position: [0.1, 0.2], velocity: [1, 2]}\n"
            "- {name: s, type: screw, parent: a, child: b, pitch: 0.25, friction: 1, stiffness: 2, "
            "spring_reference: 3, rotor_inertia: 4, gear_ratio: 5, position: 2}\n"
            "- {name: p, type: prismatic, parent: a, child: c}\n"
            "couplers: [{name: g, joint_a: s, joint_b: p, ratio: 3, offset: 1}]\n"
            "fixed_tendons: [{name: t, joints: [p, s], weights: [2, -1], stiffness: 4, damping: 5, "
            "spring_reference: 6, friction: 9, limits: {lower: -1, upper: 10}}]\n"
            "actuation: [{fixed_tendon: t, kp: 7, position: 8}]\n"
            "constraints:\n"
            "- {name: rope, type: tendon, body_a: b, body_b: c, pose_b: {translation: [0, 0, 1]}, "
            "length: 2, stiffness: 100, damping: 1}\n"
            "initial: [{joint: u, velocity: [3, 4]}]\n");
    const iso_joint_desc* s = joint_named(&f->scene, "s");
    CHECK_BITS(s->pitch, 0.25);
    CHECK_BITS(s->friction, 1.0);
    CHECK_BITS(s->stiffness, 2.0);
    CHECK_BITS(s->spring_reference, 3.0);
    CHECK_BITS(s->rotor_inertia, 4.0);
    CHECK_BITS(s->gear_ratio, 5.0);
    const iso_joint_desc* u = joint_named(&f->scene, "u");
    CHECK_BITS(u->positions[1], 0.2);
    CHECK_BITS(u->velocities[1], 4.0);
    iso_mat3 turn = iso_mat3_mul(iso_mat3_from_axis_angle(iso_vec3_make(1, 0, 0), 0.1),
                                 iso_mat3_from_axis_angle(iso_vec3_make(0, 1, 0), 0.2));
    CHECK_MAT3_NEAR(start_pose_of(&f->scene, "a").r, turn, 0.0);
    const iso_geometry_desc* box = geometry_of(&f->scene, "a", "collision");
    CHECK_BITS(box->surface_velocity.x, 1.0);
    assert_int_equal(box->collision_group, 2);
    assert_int_equal(box->collision_mask, 5);
    const iso_coupler_desc* g = iso_model_coupler(f->scene.model, 0);
    assert_true(g->joint_a == 1 && g->joint_b == 2 && g->ratio == 3.0 && g->offset == 1.0);
    const iso_fixed_tendon_desc* t = iso_model_fixed_tendon(f->scene.model, 0);
    assert_true(t->joint_count == 2 && t->joints[0] == 2 && t->joints[1] == 1);
    assert_true(t->weights[0] == 2.0 && t->weights[1] == -1.0);
    assert_true(t->stiffness == 4.0 && t->damping == 5.0 && t->spring_reference == 6.0);
    assert_true(t->friction == 9.0 && t->lower == -1.0 && t->upper == 10.0);
    const iso_actuator_desc* on_t = iso_model_actuator(f->scene.model, 0);
    assert_true(on_t->joint == -1 && on_t->fixed_tendon == 0 && on_t->kp == 7.0);
    const iso_constraint_desc* rope = iso_model_constraint(f->scene.model, 0);
    assert_int_equal(rope->kind, ISO_CONSTRAINT_TENDON);
    CHECK_BITS(rope->x_bq.p.z, 1.0);
    CHECK_BITS(rope->length, 2.0);
    CHECK_BITS(rope->stiffness, 100.0);
    iso_world* world = NULL;
    CHECK_OK(f->ctx, iso_world_create(f->ctx, f->scene.model, &f->scene.world, &world));
    iso_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(what_is_not_said_has_the_defaults_of_the_api),
        TEST(every_key_of_simulation_arrives),
        TEST(every_method_has_its_name),
        TEST(mass_is_spread_over_the_geometry),
        TEST(every_spelling_of_a_rotation_is_the_same_rotation),
        TEST(poses_are_relative_to_frames_on_moved_joints),
        TEST(materials_are_laid_over_each_other),
        TEST(geometry_may_be_added_to_the_world),
        TEST(an_actuation_makes_the_actuator_it_needs),
        TEST(a_setting_changes_what_its_path_names),
        TEST(a_setting_of_an_unknown_path_lists_what_there_is),
        TEST(anchors_are_copied),
        TEST(drakes_directives_build_the_same_scene),
        TEST(options_win_over_the_packages_of_the_file),
        TEST(settings_apply_to_model_files_too),
        TEST(null_takes_a_key_away),
        TEST(a_tendon_and_a_joint_of_one_name_are_both_driven),
        TEST(adhesion_is_of_a_body_and_has_efforts_alone),
        TEST(joints_couplers_constraints_and_belts_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
