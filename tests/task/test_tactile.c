// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Tactile sensors: cells add up to the force of the contacts; the strip under a cylinder.

#include "isobar/state.h"
#include "support/failing_context.h"
#include "support/random.h"
#include "task/sensing.h"

#include <math.h>
#include <string.h>

// A pad without gravity pressed by a cylinder lying along y: rigid cylinder into a compliant pad.
static iso_world* make_pad(iso_context* ctx, double yaw, double depth, double margin,
                           iso_vec3 velocity) {
    iso_model* model = make_model(ctx);
    iso_geometry_desc desc = iso_geometry_desc_default();
    desc.name = "pad";
    desc.shape = iso_shape_desc_default(ISO_SHAPE_BOX);
    desc.shape.size = iso_vec3_make(0.08, 0.08, 0.02);
    desc.material.compliance = ISO_COMPLIANCE_COMPLIANT;
    desc.material.modulus = 1e5;
    desc.material.margin = margin;
    int finger = add_body(ctx, model, "finger", 1.0, iso_vec3_make(0.1, 0.1, 0.1));
    CHECK_OK(ctx, iso_model_add_geometry(model, finger, &desc, NULL));
    iso_joint_desc weld = iso_joint_desc_default();
    weld.name = "grip";
    weld.kind = ISO_JOINT_WELD;
    weld.parent = ISO_WORLD_BODY;
    weld.child = finger;
    weld.x_pf = iso_pose_make(
        iso_mat3_from_quat(iso_quat_from_rotation_vector(iso_vec3_make(0.3, -0.2, 0.5))),
        iso_vec3_make(0.1, 0.2, 0.3));
    CHECK_OK(ctx, iso_model_add_joint(model, &weld, NULL));
    int rod = add_body(ctx, model, "rod", 1.0, iso_vec3_make(0.1, 0.1, 0.1));
    desc.name = "rod";
    desc.shape = iso_shape_desc_default(ISO_SHAPE_CYLINDER);
    desc.shape.radius = 0.03;
    desc.shape.length = 0.05;
    desc.material.compliance = ISO_COMPLIANCE_RIGID;
    desc.material.resolution_hint = 0.002;
    CHECK_OK(ctx, iso_model_add_geometry(model, rod, &desc, NULL));
    iso_mat3 lay =
        iso_mat3_from_quat(iso_quat_from_rotation_vector(iso_vec3_make(-0.5 * ISO_PI, 0.0, 0.0)));
    iso_mat3 turn = iso_mat3_from_quat(iso_quat_from_rotation_vector(iso_vec3_make(0.0, 0.0, yaw)));
    iso_pose x_fr =
        iso_pose_make(iso_mat3_mul(turn, lay), iso_vec3_make(0.001, 0.002, 0.04 - depth));
    iso_pose x_wr = iso_pose_mul(&weld.x_pf, &x_fr);
    CHECK_OK(ctx, iso_model_set_free_pose(model, rod, &x_wr));
    CHECK_OK(ctx,
             iso_model_set_free_twist(
                 model, rod,
                 iso_spatial_make(iso_vec3_zero(), iso_mat3_mul_vec3(&weld.x_pf.r, velocity))));
    iso_world_desc settings = iso_world_desc_default();
    settings.gravity = iso_vec3_zero();
    iso_world* world = make_world(ctx, model, &settings);
    iso_model_destroy(model);
    return world;
}

static iso_sensor_desc pad_sensor(int rows, int columns, double size) {
    iso_sensor_desc desc = sensor_of(ISO_SENSOR_TACTILE, "skin", "finger", NULL);
    desc.x_bs = iso_pose_from_position(iso_vec3_make(0.0, 0.0, 0.01));
    desc.rows = rows;
    desc.columns = columns;
    desc.width = desc.height = size;
    return desc;
}

// Force of all contacts on the finger in its own axes.
static iso_vec3 finger_force(const iso_world* world) {
    int finger = iso_world_find_body(world, "finger");
    iso_pose x = iso_world_body_pose(world, finger);
    iso_vec3 sum = iso_vec3_zero();
    for (int i = 0; i < iso_world_contact_count(world); ++i) {
        iso_contact contact = iso_world_contact(world, i);
        double side = contact.body_b == finger ? 1.0 : (contact.body_a == finger ? -1.0 : 0.0);
        sum = iso_vec3_add_scaled(sum, contact.f_b_w.translational, side);
    }
    return iso_mat3_tmul_vec3(&x.r, sum);
}

static iso_vec3 cell_force(const iso_sensors* sensors, const iso_sensor_desc* desc) {
    iso_vec3 sum = iso_vec3_zero();
    double area = desc->width * desc->height / (desc->rows * desc->columns);
    for (int row = 0; row < desc->rows; ++row) {
        for (int column = 0; column < desc->columns; ++column) {
            const double* cell =
                iso_sensors_values(sensors, 0) + iso_sensors_cell(sensors, 0, row, column);
            sum = iso_vec3_add_scaled(sum, iso_vec3_make(cell[1], cell[2], -cell[0]), area);
        }
    }
    return sum;
}

static void tactile_cells_add_up_to_the_force_of_the_contact(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_vec3 velocity = {0.2, -0.1, -0.05};
    for (int i = 0; i < 12; ++i) {
        iso_world* world = make_pad(ctx, 0.3 * i, 0.0005 * (i + 1), 0.0, velocity);
        // From one cell, over grids smaller than the patch, to cells much smaller than faces.
        iso_sensor_desc desc = pad_sensor(1 + 3 * i, 1 + 4 * i, i % 2 ? 0.1 : 0.02);
        iso_sensors* sensors = make_sensors(ctx, world, &desc, 1);
        if (i % 3 == 0) {
            CHECK_OK(ctx, iso_world_step(world));
        }
        CHECK_OK(ctx, iso_sensors_update(sensors, world));
        iso_vec3 all = finger_force(world), cells = cell_force(sensors, &desc);
        iso_vec3 inside = vector_at(sensors, 0, 0), outside = vector_at(sensors, 0, 3);
        double scale = iso_vec3_norm(all);
        CHECK(scale > 0.1, "force is %g N", scale);
        CHECK_VEC3_NEAR(iso_vec3_add(inside, outside), all, 1e-13 * scale); // measured 5e-15
        CHECK_VEC3_NEAR(cells, inside, 1e-13 * scale);                      // measured 5e-15
        // A grid larger than the pad: what is outside lies on the rod's ends, edge-on to it.
        CHECK_AT_MOST(i % 2 ? iso_vec3_norm(outside) : 0.0, 0.1 * scale); // measured 0.05
        iso_sensors_destroy(sensors);
        iso_world_destroy(world);
    }
    test_context_destroy(ctx);
}

// A zone around everything reads as no zone, and with a margin, whose faces carry nothing, as
// without. Over the moment: a zone takes each force at its centroid.
static void margins_are_not_felt(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    double area[2];
    for (int i = 0; i < 2; ++i) {
        iso_world* world = make_pad(ctx, 0.4, 0.002, 0.002 * i, iso_vec3_make(0.2, -0.1, 0.0));
        iso_sensor_desc descs[] = {sensor_of(ISO_SENSOR_CONTACT, "all", "finger", NULL),
                                   sensor_of(ISO_SENSOR_CONTACT, "zone", "finger", NULL),
                                   pad_sensor(7, 9, 0.1)};
        descs[1].zone = ISO_ZONE_BOX;
        descs[1].zone_size = iso_vec3_make(1.0, 1.0, 1.0);
        iso_sensors* sensors = make_sensors(ctx, world, descs, 3);
        CHECK_OK(ctx, iso_sensors_update(sensors, world));
        const double *all = iso_sensors_values(sensors, 0), *zone = iso_sensors_values(sensors, 1);
        CHECK_ARRAY_NEAR(zone, all, 3, 1e-13 * fabs(all[2])); // measured 1.2e-16
        CHECK_REL(zone[6], all[6], 1e-13);                    // measured 7.5e-16
        CHECK_REL(zone[7], all[7], 1e-13);                    // measured 6.8e-16
        CHECK_BITS(zone[8], all[8]);
        area[i] = 0.0;
        for (int cell = 0; cell < 63; ++cell) {
            area[i] += iso_sensors_values(sensors, 2)[6 + 6 * cell + 5];
        }
        iso_sensors_destroy(sensors);
        iso_world_destroy(world);
    }
    CHECK_REL(area[1], area[0], 1e-11); // measured 0
    test_context_destroy(ctx);
}

// Along the rod: at |x| < sqrt(2 R d) only, the same in every row the rod covers whole, and
// symmetric; the pressure in the middle that of the field at the rod's depth.
static void a_cylinder_presses_a_strip(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    double depth = 0.001, radius = 0.03;
    iso_world* world = make_pad(ctx, 0.0, depth, 0.0, iso_vec3_make(0.0, 0.1, 0.0));
    iso_sensor_desc desc = pad_sensor(20, 80, 0.08);
    desc.x_bs.p.x = 0.001; // over the rod
    desc.x_bs.p.y = 0.002;
    desc.width = 0.04;
    iso_sensors* sensors = make_sensors(ctx, world, &desc, 1);
    CHECK_OK(ctx, iso_sensors_update(sensors, world));
    double half = sqrt(2.0 * radius * depth);
    for (int row = 0; row < 20; ++row) {
        double y = 0.08 * ((row + 0.5) / 20.0 - 0.5);
        for (int column = 0; column < 80; ++column) {
            const double* cell =
                iso_sensors_values(sensors, 0) + iso_sensors_cell(sensors, 0, row, column);
            double x = 0.04 * ((column + 0.5) / 80.0 - 0.5);
            if (fabs(x) > half + 0.002 || fabs(y) > 0.025 + 0.002) {
                CHECK_NEAR(cell[0], 0.0, 0.0);
                CHECK_NEAR(cell[5], 0.0, 0.0);
            } else if (fabs(x) < 0.0005 && fabs(y) < 0.02) {
                // The field falls to 0 over the pad's half thickness: 1e5 Pa at 0.01 m.
                CHECK_REL(cell[0], 1e5 * depth / 0.01, 0.05); // measured 0.023: faceted
                CHECK_VEC3_NEAR(iso_vec3_make(cell[3], cell[4], 0.0), iso_vec3_make(0.0, 0.1, 0.0),
                                1e-12); // measured 2.9e-17
                // It slides along +y: friction drags the pad there.
                CHECK_REL(cell[2], 0.5 * cell[0], 0.002);  // measured 1.5e-4: rounded
                CHECK_REL(cell[5], 0.0005 * 0.004, 0.002); // measured 1.5e-4: sloping
            }
        }
    }
    iso_sensors_destroy(sensors);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

static void steady_readings_allocate_nothing(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* world = make_pad(ctx, 0.4, 0.002, 0.0, iso_vec3_make(0.01, 0.0, 0.0));
    iso_sensor_desc skin = pad_sensor(30, 30, 0.06);
    skin.taxels.hysteresis = 100.0;
    skin.taxels.noise = 1.0;
    iso_sensor_desc descs[] = {skin, sensor_of(ISO_SENSOR_CONTACT, "touch", "rod", NULL),
                               sensor_of(ISO_SENSOR_IMU, "imu", "rod", NULL),
                               sensor_of(ISO_SENSOR_FORCE_TORQUE, "wrist", "finger", NULL),
                               sensor_of(ISO_SENSOR_RANGE, "eye", "world", NULL)};
    iso_sensors* sensors = make_sensors(ctx, world, descs, 5);
    for (int i = 0; i < 10; ++i) {
        CHECK_OK(ctx, iso_world_step(world));
        CHECK_OK(ctx, iso_sensors_update(sensors, world));
    }
    long before = test_heap_of(ctx)->call_count;
    for (int i = 0; i < 10; ++i) {
        CHECK_OK(ctx, iso_sensors_update(sensors, world));
    }
    assert_int_equal(test_heap_of(ctx)->call_count, before);
    iso_sensors_destroy(sensors);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

// --- states and readings -------------------------------------------------------------------------

static const double* block_of(const iso_sensors* sensors, int first) {
    return iso_sensors_values(sensors, 0) + first;
}

// Taxels of a drawn kind in a sliding contact: states and readings follow from the cells by the
// law, here applied by hand over the steps.
static void taxels_read_what_their_law_says(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    test_random rng = test_random_make(5);
    for (int round = 0; round < 6; ++round) {
        iso_world* world =
            make_pad(ctx, 0.3 * round, 0.002, 0.0, iso_vec3_make(0.02 * (round % 2), 0.0, 0.3));
        iso_sensor_desc desc = pad_sensor(6, 5, 0.03);
        desc.taxels.gain = test_random_uniform(&rng, -2e-3, -1e-4);
        desc.taxels.offset = test_random_uniform(&rng, -1.0, 1.0);
        desc.taxels.hysteresis = test_random_uniform(&rng, 10.0, 500.0);
        desc.slip_speed = 0.01;
        iso_sensors* sensors = make_sensors(ctx, world, &desc, 1);
        double followed[30] = {0.0};
        for (int step = 0; step < 6; ++step) {
            CHECK_OK(ctx, iso_world_step(world));
            CHECK_OK(ctx, iso_sensors_update(sensors, world));
            CHECK_OK(ctx, iso_sensors_update(sensors, world)); // reads, and leaves the memory
            const double* readings = block_of(sensors, iso_sensors_readings(sensors, 0));
            const double* states = block_of(sensors, iso_sensors_states(sensors, 0));
            for (int i = 0; i < 30; ++i) {
                const double* cell = block_of(sensors, iso_sensors_cell(sensors, 0, i / 5, i % 5));
                followed[i] = fmin(fmax(followed[i], cell[0] - desc.taxels.hysteresis),
                                   cell[0] + desc.taxels.hysteresis);
                CHECK_NEAR(readings[i], desc.taxels.offset + desc.taxels.gain * followed[i], 0.0);
                bool slips = hypot(cell[3], cell[4]) >= 0.01;
                CHECK_NEAR(states[i], cell[5] > 0.0 ? (slips ? 2.0 : 1.0) : 0.0, 0.0);
            }
        }
        iso_sensors_destroy(sensors);
        iso_world_destroy(world);
    }
    test_context_destroy(ctx);
}

// What taxels remember is saved, restored and cloned with the world; noise is of the state.
static void restored_worlds_read_the_same_bits(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* world = make_pad(ctx, 0.4, 0.002, 0.0, iso_vec3_make(0.02, 0.0, 0.3));
    iso_sensor_desc desc = pad_sensor(6, 5, 0.03);
    desc.taxels.hysteresis = 300.0;
    desc.taxels.noise = 20.0;
    desc.taxels.seed = 7;
    iso_sensors* sensors = make_sensors(ctx, world, &desc, 1);
    unsigned char saved[65536];
    double first[216], again[216];
    size_t size = 0;
    assert_int_equal(iso_sensors_value_count(sensors, 0), 6 + 8 * 30);
    iso_world* clone = NULL;
    for (int run = 0; run < 3; ++run) {
        iso_world* used = run == 2 ? clone : world;
        if (run == 1) {
            CHECK_OK(ctx, iso_world_restore(world, saved, size));
        }
        for (int step = 0; step < (run == 0 ? 20 : 10); ++step) {
            if (run == 0 && step == 10) {
                CHECK_OK(ctx, iso_world_save(world, saved, sizeof saved, &size));
                CHECK_OK(ctx, iso_world_clone(world, &clone));
            }
            CHECK_OK(ctx, iso_world_step(used));
            CHECK_OK(ctx, iso_sensors_update(sensors, used));
        }
        memcpy(run == 0 ? first : again, block_of(sensors, 0), sizeof first);
        for (int i = 0; run > 0 && i < 216; ++i) {
            CHECK_BITS(again[i], first[i]);
        }
    }
    // Another world has nothing of it until it is given that.
    for (int has_memory = 0; has_memory < 2; ++has_memory) {
        iso_world* other = make_pad(ctx, 0.4, 0.002, 0.0, iso_vec3_make(0.02, 0.0, 0.3));
        size_t bare = iso_world_state_size(other);
        if (has_memory) {
            CHECK_OK(ctx, iso_sensors_copy_memory(sensors, clone, other));
        }
        size_t now = iso_world_state_size(other);
        assert_true(has_memory ? now > bare + 30 * sizeof(double) : now == bare);
        iso_world_destroy(other);
    }
    double sum = 0.0;
    const double* readings = block_of(sensors, iso_sensors_readings(sensors, 0));
    for (int i = 0; i < 30; ++i) {
        sum += fabs(readings[i] - block_of(sensors, iso_sensors_cell(sensors, 0, i / 5, i % 5))[0]);
    }
    CHECK(sum > 100.0, "noise and hysteresis leave %g Pa", sum);
    iso_world_destroy(clone);
    iso_sensors_destroy(sensors);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

static void taxels_out_of_range_are_refused(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* world = make_pad(ctx, 0.4, 0.002, 0.0, iso_vec3_zero());
    iso_sensors* sensors = NULL;
    iso_sensor_desc desc = pad_sensor(2, 2, 0.03);
    desc.taxels.noise = -1.0;
    assert_int_equal(iso_sensors_create(world, &desc, 1, &sensors), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "sensor 'skin': noise is -1, expected finite and >= 0");
    desc.taxels = iso_taxels_default();
    desc.slip_speed = 0.0;
    assert_int_equal(iso_sensors_create(world, &desc, 1, &sensors), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "sensor 'skin': slip_speed is 0 m/s, expected finite and > 0");
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tactile_cells_add_up_to_the_force_of_the_contact),
        cmocka_unit_test(margins_are_not_felt),
        cmocka_unit_test(a_cylinder_presses_a_strip),
        cmocka_unit_test(steady_readings_allocate_nothing),
        cmocka_unit_test(taxels_read_what_their_law_says),
        cmocka_unit_test(restored_worlds_read_the_same_bits),
        cmocka_unit_test(taxels_out_of_range_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
