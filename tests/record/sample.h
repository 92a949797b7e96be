// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// A made-up recording: two bodies (one name needs quoting), two joints, contacts that come and go,
// an inertial unit and a tactile grid. Every number differs from every other, so that a mixed-up
// field shows.

#include "isobar/record.h"
#include "support/check.h"
#include "support/random.h"

#include <string.h>

#define SAMPLE_BODIES 3
#define SAMPLE_JOINTS 2
#define SAMPLE_CONTACTS 2
#define SAMPLE_FACES 5
#define SAMPLE_SENSORS 2
#define SAMPLE_SENSOR_VALUES (6 + 6 + 6 * 2 * 3)
#define SAMPLE_VERTICES 20 ///< faces of 3, 4, 5, 4, 4 vertices

typedef struct sample {
    iso_vec3 mesh_vertices[4];
    int mesh_triangles[4][3];
    iso_tri_mesh mesh;
    iso_body_surface surfaces[2];
    iso_recorded_body bodies[SAMPLE_BODIES];
    iso_recorded_joint joints[SAMPLE_JOINTS];
    iso_recorded_sensor sensors[SAMPLE_SENSORS];
    iso_recorded_model model;
    double sensor_values[SAMPLE_SENSOR_VALUES];
    iso_pose poses[SAMPLE_BODIES];
    iso_spatial twists[SAMPLE_BODIES];
    double joint_values[3][SAMPLE_JOINTS];
    iso_contact contacts[SAMPLE_CONTACTS];
    int offsets[SAMPLE_FACES + 1];
    double reals[SAMPLE_CONTACTS][2 * SAMPLE_FACES + SAMPLE_VERTICES];
    iso_vec3 vectors[SAMPLE_CONTACTS][4 * SAMPLE_FACES + SAMPLE_VERTICES];
    iso_recorded_frame frame;
} sample;

static void sample_make_sensors(sample* s) {
    static const char* const imu_names[6] = {"specific_force_x", "specific_force_y",
                                             "specific_force_z", "angular_rate_x",
                                             "angular_rate_y",   "angular_rate_z"};
    static const char* const imu_units[6] = {"m/s^2", "m/s^2", "m/s^2", "rad/s", "rad/s", "rad/s"};
    static const char* const skin_names[12] = {"force_x",   "force_y",   "force_z",  "outside_x",
                                               "outside_y", "outside_z", "pressure", "shear_x",
                                               "shear_y",   "slip_x",    "slip_y",   "area"};
    static const char* const skin_units[12] = {"N",  "N",  "N",  "N",   "N",   "N",
                                               "Pa", "Pa", "Pa", "m/s", "m/s", "m^2"};
    s->sensors[0] = (iso_recorded_sensor){.name = "imu",
                                          .kind = ISO_SENSOR_IMU,
                                          .body = "ball::ball",
                                          .x_bs = iso_pose_identity(),
                                          .value_count = 6,
                                          .name_count = 6,
                                          .value_names = imu_names,
                                          .value_units = imu_units};
    s->sensors[1] = (iso_recorded_sensor){.name = "skin <of> the lid",
                                          .kind = ISO_SENSOR_TACTILE,
                                          .body = s->bodies[2].name,
                                          .x_bs = iso_pose_identity(),
                                          .rows = 2,
                                          .columns = 3,
                                          .width = 0.03,
                                          .height = 0.02,
                                          .value_index = 6,
                                          .value_count = 6 + 6 * 2 * 3,
                                          .name_count = 12,
                                          .value_names = skin_names,
                                          .value_units = skin_units};
    s->sensors[1].x_bs.p = iso_vec3_make(0.0, 0.0, 0.25);
    s->model.sensor_count = SAMPLE_SENSORS;
    s->model.sensor_value_count = SAMPLE_SENSOR_VALUES;
    s->model.sensors = s->sensors;
}

static void sample_make_model(sample* s) {
    static const iso_package packages[] = {{"robot", "models/robot"}};
    static const char* const settings[] = {"simulation.method=rk23"};
    static const char state[] = "a state, \x01\xff\x7f of 26 bytes.";
    static const int triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    memset(s, 0, sizeof *s);
    s->mesh_vertices[1] = iso_vec3_make(0.1, 0.0, 0.0);
    s->mesh_vertices[2] = iso_vec3_make(0.0, 0.1 / 3.0, 0.0);
    s->mesh_vertices[3] = iso_vec3_make(0.0, 0.0, 1e-3);
    memcpy(s->mesh_triangles, triangles, sizeof triangles);
    s->mesh = (iso_tri_mesh){4, 4, s->mesh_vertices, s->mesh_triangles};
    s->surfaces[0] = (iso_body_surface){.name = "skin",
                                        .x_bg = iso_pose_identity(),
                                        .rgba = {0.25F, 0.5F, 0.75F, 1.0F},
                                        .mesh = &s->mesh};
    s->surfaces[1] = s->surfaces[0];
    s->surfaces[1].name = "hull";
    s->surfaces[1].is_collision = true;
    s->surfaces[1].x_bg.p = iso_vec3_make(0.01, 0.02, 0.03);
    s->bodies[0] = (iso_recorded_body){.name = "world", .is_fixed = true};
    s->bodies[1] = (iso_recorded_body){"ball::ball", false, 0.5, 2, s->surfaces};
    s->bodies[2] =
        (iso_recorded_body){"box, the \"big\" <one>::lid", false, 1.5, 1, s->surfaces + 1};
    s->joints[0] = (iso_recorded_joint){"arm::elbow", ISO_JOINT_REVOLUTE};
    s->joints[1] = (iso_recorded_joint){"arm::slide", ISO_JOINT_PRISMATIC};
    s->model = (iso_recorded_model){
        .scene_name = "sample </script>",
        .isobar_version = iso_version(),
        .settings = {.time_step = 1e-3,
                     .gravity = {0.0, 0.0, -9.81},
                     .method = ISO_METHOD_RK23,
                     .accuracy = 1e-4,
                     .max_substeps = 321,
                     .initial_step = 3e-5,
                     .max_step = 7e-4,
                     .thread_count = 2,
                     .contact = {.representation = ISO_REPRESENTATION_TRIANGLE,
                                 .cull = ISO_CULL_DRAKE,
                                 .combine = ISO_COMBINE_ELANDT,
                                 .rigid_layer_thickness = 2e-3,
                                 .rigid_layer_modulus = 3e7,
                                 .stiction_velocity = 4e-4}},
        .body_count = SAMPLE_BODIES,
        .joint_count = SAMPLE_JOINTS,
        .bodies = s->bodies,
        .joints = s->joints,
        .scene_path = "scenes/\"sample\".yaml",
        .scene_options = {packages, 1, settings, 1},
        .state_size = sizeof state - 1,
        .state = state,
    };
    sample_make_sensors(s);
}

static void sample_make_contact(sample* s, int index, test_random* random) {
    static const int offsets[SAMPLE_FACES + 1] = {0, 3, 7, 12, 16, 20};
    iso_contact* contact = &s->contacts[index];
    double* reals = s->reals[index];
    iso_vec3* vectors = s->vectors[index];
    memcpy(s->offsets, offsets, sizeof offsets);
    for (int i = 0; i < 2 * SAMPLE_FACES + SAMPLE_VERTICES; ++i) {
        reals[i] = test_random_uniform(random, 0.0, 1e5);
    }
    for (int i = 0; i < 4 * SAMPLE_FACES + SAMPLE_VERTICES; ++i) {
        vectors[i] = test_random_vec3(random, -1.0, 1.0);
    }
    *contact = (iso_contact){
        .body_a = index == 0 ? 1 : 0,
        .body_b = 2,
        .body_name_a = s->bodies[index == 0 ? 1 : 0].name,
        .body_name_b = s->bodies[2].name,
        .geometry_name_a = "hull",
        .geometry_name_b = index == 0 ? "hull" : "floor",
        .tractions = vectors + 2 * SAMPLE_FACES,
        .slip_velocities = vectors + 3 * SAMPLE_FACES,
        .f_b_w = {test_random_vec3(random, -1.0, 1.0), test_random_vec3(random, -10.0, 10.0)},
        .elastic_energy = test_random_uniform(random, 0.0, 1.0),
        .is_energy_exact = true,
    };
    contact->patch = (iso_patch){
        .face_count = SAMPLE_FACES,
        .vertex_count = SAMPLE_VERTICES,
        .is_rigid_a = index == 1,
        .face_offsets = s->offsets,
        .vertices = vectors + 4 * SAMPLE_FACES,
        .vertex_pressures = reals + 2 * SAMPLE_FACES,
        .areas = reals,
        .centroids = vectors,
        .normals = vectors + SAMPLE_FACES,
        .pressures = reals + SAMPLE_FACES,
        .area = test_random_uniform(random, 0.0, 1.0),
        .max_pressure = test_random_uniform(random, 1e5, 2e5),
        .centroid = test_random_vec3(random, -1.0, 1.0),
        .center_of_pressure = test_random_vec3(random, -1.0, 1.0),
    };
}

/// The frame at this step: 0, 1 or 2 contacts in turn, time step 10 ms.
static void sample_make_frame(sample* s, int step) {
    test_random random = test_random_make((uint64_t)step + 1);
    for (int i = 0; i < SAMPLE_BODIES; ++i) {
        s->poses[i] = i == 0 ? iso_pose_identity() : test_random_pose(&random, 2.0);
        s->twists[i].rotational = test_random_vec3(&random, -1.0, 1.0);
        s->twists[i].translational = test_random_vec3(&random, -1.0, 1.0);
    }
    for (int i = 0; i < 3 * SAMPLE_JOINTS; ++i) {
        s->joint_values[i / SAMPLE_JOINTS][i % SAMPLE_JOINTS] =
            test_random_uniform(&random, -3.0, 3.0);
    }
    for (int i = 0; i < SAMPLE_CONTACTS; ++i) {
        sample_make_contact(s, i, &random);
    }
    for (int i = 0; i < SAMPLE_SENSOR_VALUES; ++i) {
        s->sensor_values[i] = test_random_uniform(&random, 0.0, 1e4);
    }
    s->frame = (iso_recorded_frame){
        .time = 0.01 * step,
        .step_count = 10 * step,
        .state_hash = test_random_bits(&random),
        .poses = s->poses,
        .twists = s->twists,
        .joint_positions = s->joint_values[0],
        .joint_velocities = s->joint_values[1],
        .joint_efforts = s->joint_values[2],
        .contact_count = step % 3,
        .contacts = s->contacts,
        .sensor_values = s->sensor_values,
        .energy = {.kinetic = 1.0 + step,
                   .potential = 2.0 + step,
                   .elastic = 3.0 + step,
                   .actuation = 4.0 + step,
                   .contact = 5.0 + step,
                   .damping = 6.0 + step,
                   .spring = 7.0 + step,
                   .constraint = 8.0 + step,
                   .stretch = 9.0 + step,
                   .stretch_booked = 10.0 + step,
                   .applied = 11.0 + step,
                   .friction = 12.0 + step,
                   .contact_damping = 13.0 + step,
                   .limit = 14.0 + step},
    };
}

static inline void sample_check_faces(const iso_contact* got, const iso_contact* want) {
    const iso_patch *a = &got->patch, *b = &want->patch;
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_memory_equal(a->face_offsets, b->face_offsets, (SAMPLE_FACES + 1) * sizeof(int));
    CHECK_ARRAY_BITS(a->areas, b->areas, SAMPLE_FACES);
    CHECK_ARRAY_BITS(a->pressures, b->pressures, SAMPLE_FACES);
    CHECK_ARRAY_BITS(a->vertex_pressures, b->vertex_pressures, SAMPLE_VERTICES);
    CHECK_ARRAY_BITS(&a->vertices->x, &b->vertices->x, 3 * SAMPLE_VERTICES);
    CHECK_ARRAY_BITS(&a->centroids->x, &b->centroids->x, 3 * SAMPLE_FACES);
    CHECK_ARRAY_BITS(&a->normals->x, &b->normals->x, 3 * SAMPLE_FACES);
    CHECK_ARRAY_BITS(&got->tractions->x, &want->tractions->x, 3 * SAMPLE_FACES);
    CHECK_ARRAY_BITS(&got->slip_velocities->x, &want->slip_velocities->x, 3 * SAMPLE_FACES);
    assert_null(a->gradients_a);
}

static inline void sample_check_contact(const iso_contact* got, const iso_contact* want) {
    assert_int_equal(got->body_a, want->body_a);
    assert_int_equal(got->body_b, want->body_b);
    assert_string_equal(got->body_name_a, want->body_name_a);
    assert_string_equal(got->body_name_b, want->body_name_b);
    assert_string_equal(got->geometry_name_a, want->geometry_name_a);
    assert_string_equal(got->geometry_name_b, want->geometry_name_b);
    assert_int_equal(got->patch.face_count, want->patch.face_count);
    assert_int_equal(got->patch.is_rigid_a, want->patch.is_rigid_a);
    assert_int_equal(got->patch.is_rigid_b, want->patch.is_rigid_b);
    CHECK_BITS(got->patch.area, want->patch.area);
    CHECK_BITS(got->patch.max_pressure, want->patch.max_pressure);
    CHECK_BITS(got->elastic_energy, want->elastic_energy);
    assert_true(got->is_energy_exact == want->is_energy_exact);
    CHECK_ARRAY_BITS(&got->patch.centroid.x, &want->patch.centroid.x, 3);
    CHECK_ARRAY_BITS(&got->patch.center_of_pressure.x, &want->patch.center_of_pressure.x, 3);
    CHECK_ARRAY_BITS(&got->f_b_w.rotational.x, &want->f_b_w.rotational.x, 3);
    CHECK_ARRAY_BITS(&got->f_b_w.translational.x, &want->f_b_w.translational.x, 3);
}

/// Everything bit for bit, except rotations, which travel as quaternions.
static inline void sample_check_frame(const iso_recorded_frame* got, const iso_recorded_frame* want,
                                      bool has_faces) {
    CHECK_BITS(got->time, want->time);
    assert_int_equal(got->step_count, want->step_count);
    assert_true(got->state_hash == want->state_hash);
    for (int i = 0; i < SAMPLE_BODIES; ++i) {
        CHECK_POSE_NEAR(got->poses[i], want->poses[i], 4e-15); // measured 1.2e-15
        CHECK_ARRAY_BITS(&got->poses[i].p.x, &want->poses[i].p.x, 3);
        CHECK_ARRAY_BITS(&got->twists[i].rotational.x, &want->twists[i].rotational.x, 3);
        CHECK_ARRAY_BITS(&got->twists[i].translational.x, &want->twists[i].translational.x, 3);
    }
    CHECK_ARRAY_BITS(got->joint_positions, want->joint_positions, SAMPLE_JOINTS);
    CHECK_ARRAY_BITS(got->joint_velocities, want->joint_velocities, SAMPLE_JOINTS);
    CHECK_ARRAY_BITS(got->joint_efforts, want->joint_efforts, SAMPLE_JOINTS);
    CHECK_ARRAY_BITS(&got->energy.kinetic, &want->energy.kinetic,
                     sizeof want->energy / sizeof(double));
    CHECK_ARRAY_BITS(got->sensor_values, want->sensor_values, SAMPLE_SENSOR_VALUES);
    assert_int_equal(got->contact_count, want->contact_count);
    for (int i = 0; i < want->contact_count; ++i) {
        sample_check_contact(&got->contacts[i], &want->contacts[i]);
        if (has_faces) {
            sample_check_faces(&got->contacts[i], &want->contacts[i]);
        } else {
            assert_null(got->contacts[i].patch.face_offsets);
            assert_null(got->contacts[i].tractions);
        }
    }
}
