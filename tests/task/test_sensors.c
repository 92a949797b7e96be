// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Sensors against closed forms: a pendulum's reaction, the acceleration of a turning arm, weights.

#include "support/failing_context.h"
#include "task/sensing.h"

#include <math.h>

// A bob of 2 kg whose centre hangs 1 m below a hinge about y, inertia 0.3 kg m^2 about y.
static iso_world* make_pendulum(iso_context* ctx, iso_method method, double angle, double rate) {
    iso_model* model = make_model(ctx);
    int bob = add_body(ctx, model, "bob", 2.0, iso_vec3_make(0.2, 0.3, 0.25));
    iso_pose at = iso_pose_from_position(iso_vec3_make(0.3, 0.1, 2.0));
    add_hinge(ctx, model, "hinge", ISO_WORLD_BODY, bob, &at, angle);
    iso_world_desc desc = iso_world_desc_default();
    desc.method = method;
    iso_world* world = make_world(ctx, model, &desc);
    CHECK_OK(ctx, iso_world_set_joint(world, 0, angle, rate));
    iso_model_destroy(model);
    return world;
}

// In axes of the bob, z from the bob to the hinge: along the string m (g cos q + L w^2), across it
// m (g sin q + L dw/dt) along -x, and no moment about the hinge's axis.
static void check_pendulum(iso_context* ctx, iso_world* world, double q, double w) {
    iso_sensor_desc descs[] = {sensor_of(ISO_SENSOR_JOINT, "joint", NULL, "hinge"),
                               sensor_of(ISO_SENSOR_FORCE_TORQUE, "wrist", "bob", NULL)};
    descs[1].is_on_parent = true;
    iso_sensors* sensors = make_sensors(ctx, world, descs, 2);
    CHECK_OK(ctx, iso_sensors_update(sensors, world));
    double wdot = -2.0 * k_g * 1.0 * sin(q) / (0.3 + 2.0);
    // A turn by +q about y swings the bob to -x; its x axis then points down by sin q.
    iso_vec3 force = {-2.0 * (wdot + k_g * sin(q)), 0.0, 2.0 * (k_g * cos(q) + w * w)};
    const double* joint = iso_sensors_values(sensors, 0);
    assert_int_equal(iso_sensors_value_count(sensors, 0), 9);
    CHECK_NEAR(joint[0], iso_world_joint_position(world, 0), 0.0);
    CHECK_NEAR(joint[1], iso_world_joint_velocity(world, 0), 0.0);
    CHECK_NEAR(joint[2], 0.0, 0.0);
    CHECK_VEC3_NEAR(vector_at(sensors, 0, 3), force, 1e-12);           // measured 1.8e-13
    CHECK_VEC3_NEAR(vector_at(sensors, 0, 6), iso_vec3_zero(), 1e-12); // measured 2.0e-13
    // About the bob's origin, 1 m below the hinge, and the opposite sign.
    CHECK_VEC3_NEAR(vector_at(sensors, 1, 0), iso_vec3_neg(force), 1e-12); // measured 1.8e-13
    iso_vec3 moment = iso_vec3_cross(iso_vec3_make(0.0, 0.0, 1.0), iso_vec3_neg(force));
    CHECK_VEC3_NEAR(vector_at(sensors, 1, 3), moment, 1e-12); // measured 2.7e-14
    iso_sensors_destroy(sensors);
}

static void a_pendulum_pulls_on_its_hinge_as_newton_says(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    const iso_method methods[] = {ISO_METHOD_LAGGED, ISO_METHOD_SAP, ISO_METHOD_RK4,
                                  ISO_METHOD_RK45};
    for (int i = 0; i < 4; ++i) {
        iso_world* world = make_pendulum(ctx, methods[i], 0.7, -1.3);
        check_pendulum(ctx, world, 0.7, -1.3); // the present state, no step yet
        CHECK_OK(ctx, iso_world_step(world));
        check_pendulum(ctx, world, 0.7, -1.3); // the state at the start of the step
        CHECK_OK(ctx, iso_world_update_contacts(world));
        double q = iso_world_joint_position(world, 0), w = iso_world_joint_velocity(world, 0);
        check_pendulum(ctx, world, q, w);
        iso_world_destroy(world);
    }
    test_context_destroy(ctx);
}

// An arm on a vertical axis, turning freely at 3 rad/s; the sensor 0.4 m out, its z axis along the
// tangent, its x axis outward.
static void an_imu_on_a_turning_arm_feels_the_centripetal_acceleration(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    for (int method = ISO_METHOD_LAGGED; method <= ISO_METHOD_RK45; ++method) {
        iso_model* model = make_model(ctx);
        int arm = add_body(ctx, model, "arm", 1.0, iso_vec3_make(0.1, 0.1, 0.1));
        iso_joint_desc joint = iso_joint_desc_default();
        joint.name = "axis";
        joint.kind = ISO_JOINT_REVOLUTE;
        joint.parent = ISO_WORLD_BODY;
        joint.child = arm;
        joint.velocity = 3.0;
        CHECK_OK(ctx, iso_model_add_joint(model, &joint, NULL));
        iso_world_desc desc = iso_world_desc_default();
        desc.method = (iso_method)method;
        iso_world* world = make_world(ctx, model, &desc);
        iso_sensor_desc imu = sensor_of(ISO_SENSOR_IMU, "imu", "arm", NULL);
        imu.x_bs = iso_pose_make(iso_mat3_from_quat(iso_quat_from_rotation_vector(
                                     iso_vec3_make(-0.5 * ISO_PI, 0.0, 0.0))),
                                 iso_vec3_make(0.4, 0.0, 0.0));
        iso_sensors* sensors = make_sensors(ctx, world, &imu, 1);
        for (int i = 0; i < 20; ++i) {
            CHECK_OK(ctx, iso_world_step(world));
            CHECK_OK(ctx, iso_sensors_update(sensors, world));
            // S turned by -90 degrees about x: z of S is the arm's y, y of S its -z.
            CHECK_VEC3_NEAR(vector_at(sensors, 0, 0), iso_vec3_make(-0.4 * 9.0, -k_g, 0.0),
                            1e-13); // measured 2.4e-15
            CHECK_VEC3_NEAR(vector_at(sensors, 0, 3), iso_vec3_make(0.0, -3.0, 0.0),
                            1e-14); // measured 6.7e-16
        }
        iso_sensors_destroy(sensors);
        iso_world_destroy(world);
        iso_model_destroy(model);
    }
    test_context_destroy(ctx);
}

// A rigid table of 3 kg, 0.4 x 0.4 x 0.1 m, welded to the world with its upper face at z = 0.1, and
// a compliant cube of 1 kg on it.
static iso_model* make_table(iso_context* ctx, iso_vec3 p_wbox) {
    iso_model* model = make_model(ctx);
    int table = add_body(ctx, model, "table", 3.0, iso_vec3_make(0.1, 0.1, 0.1));
    iso_geometry_desc desc = iso_geometry_desc_default();
    desc.name = "top";
    desc.shape = iso_shape_desc_default(ISO_SHAPE_BOX);
    desc.shape.size = iso_vec3_make(0.4, 0.4, 0.1);
    desc.material.compliance = ISO_COMPLIANCE_RIGID;
    CHECK_OK(ctx, iso_model_add_geometry(model, table, &desc, NULL));
    iso_joint_desc weld = iso_joint_desc_default();
    weld.name = "foot";
    weld.kind = ISO_JOINT_WELD;
    weld.parent = ISO_WORLD_BODY;
    weld.child = table;
    weld.x_pf = iso_pose_from_position(iso_vec3_make(0.0, 0.0, 0.05));
    CHECK_OK(ctx, iso_model_add_joint(model, &weld, NULL));
    iso_pose x_wb = iso_pose_from_position(p_wbox);
    add_cube(ctx, model, "box", 0.5, &x_wb);
    return model;
}

static void a_box_at_rest_weighs_on_force_torque_and_contact_sensors(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    for (int method = ISO_METHOD_LAGGED; method <= ISO_METHOD_SAP; ++method) {
        iso_model* model = make_table(ctx, iso_vec3_make(0.06, -0.03, 0.1499));
        iso_world_desc desc = iso_world_desc_default();
        desc.method = (iso_method)method;
        iso_world* world = make_world(ctx, model, &desc);
        iso_sensor_desc descs[] = {sensor_of(ISO_SENSOR_FORCE_TORQUE, "plate", "table", NULL),
                                   sensor_of(ISO_SENSOR_CONTACT, "sole", "box", NULL),
                                   sensor_of(ISO_SENSOR_CONTACT, "nothing", "box", NULL),
                                   sensor_of(ISO_SENSOR_IMU, "imu", "box", NULL),
                                   sensor_of(ISO_SENSOR_CONTACT, "faces", "box", NULL)};
        descs[2].other_body = "world";
        descs[4].zone = ISO_ZONE_SPHERE;
        descs[4].zone_size.x = 1.0; // all of the box's faces, one by one
        iso_sensors* sensors = make_sensors(ctx, world, descs, 5);
        step_many(ctx, world, 1500);
        CHECK_OK(ctx, iso_sensors_update(sensors, world));
        // What holds the table: its own weight and the box's, about the table's centre.
        CHECK_VEC3_NEAR(vector_at(sensors, 0, 0), iso_vec3_make(0.0, 0.0, 4.0 * k_g),
                        5e-6); // measured 7.2e-7
        CHECK_VEC3_NEAR(vector_at(sensors, 0, 3), iso_vec3_make(-0.03 * k_g, -0.06 * k_g, 0.0),
                        2e-6);
        const double* sole = iso_sensors_values(sensors, 1);
        CHECK_VEC3_NEAR(vector_at(sensors, 1, 0), iso_vec3_make(0.0, 0.0, k_g),
                        5e-6);                // measured 7.2e-7
        CHECK_REL(sole[6], 0.01, 1e-12);      // measured 2e-14
        CHECK_REL(sole[7], k_g / 0.01, 5e-7); // measured 7.5e-8
        CHECK_AT_MOST(sole[7], sole[8] * (1.0 + 1e-9));
        CHECK_VEC3_NEAR(vector_at(sensors, 1, 9), iso_vec3_make(0.0, 0.0, -0.05),
                        1e-4); // measured 4.9e-5: it sinks in
        CHECK_NEAR(sole[12], 1.0, 0.0);
        for (int i = 0; i < iso_sensors_value_count(sensors, 1); ++i) {
            CHECK_NEAR(iso_sensors_values(sensors, 4)[i], sole[i], 1e-7); // measured 1.2e-8
        }
        for (int i = 0; i < iso_sensors_value_count(sensors, 2); ++i) {
            CHECK_NEAR(iso_sensors_values(sensors, 2)[i], 0.0, 0.0);
        }
        CHECK_VEC3_NEAR(vector_at(sensors, 3, 0), iso_vec3_make(0.0, 0.0, k_g),
                        5e-6); // measured 7.2e-7
        iso_sensors_destroy(sensors);
        iso_world_destroy(world);
        iso_model_destroy(model);
    }
    test_context_destroy(ctx);
}

// Bodies that hang on constraints and springs: their free joints carry nothing, so that all that
// acts on them is accounted for.
static void free_joints_carry_nothing(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    for (int method = ISO_METHOD_LAGGED; method <= ISO_METHOD_RK45; ++method) {
        iso_model* model = make_table(ctx, iso_vec3_make(0.06, -0.03, 0.1495));
        iso_pose high = iso_pose_from_position(iso_vec3_make(0.5, 0.5, 1.0));
        int bell = add_cube(ctx, model, "bell", 0.5, &high);
        int box = iso_model_find_body(model, "box");
        iso_constraint_desc rod = iso_constraint_desc_default();
        rod.name = "rod";
        rod.kind = ISO_CONSTRAINT_DISTANCE;
        rod.body_b = bell;
        rod.x_ap = iso_pose_from_position(iso_vec3_make(0.5, 0.5, 1.5));
        rod.x_bq = iso_pose_from_position(iso_vec3_make(0.02, 0.01, 0.05));
        rod.length = iso_vec3_norm(iso_vec3_make(0.02, 0.01, -0.45));
        CHECK_OK(ctx, iso_model_add_constraint(model, &rod, NULL));
        rod.name = "spring";
        rod.body_a = box;
        rod.x_ap = iso_pose_identity();
        rod.length = 0.5;
        rod.stiffness = 3.0;
        rod.damping = 0.1;
        CHECK_OK(ctx, iso_model_add_constraint(model, &rod, NULL));
        iso_world_desc desc = iso_world_desc_default();
        desc.method = (iso_method)method;
        iso_world* world = make_world(ctx, model, &desc);
        iso_body_load loads[4];
        assert_int_equal(iso_world_body_count(world), 4);
        double worst = 0.0;
        for (int i = 0; i < 40; ++i) {
            iso_spatial push =
                iso_spatial_make(iso_vec3_make(0.01, 0.02, 0.0), iso_vec3_make(0.3, 0.0, 0.1));
            CHECK_OK(ctx, iso_world_apply_wrench(world, iso_world_find_body(world, "bell"), push));
            CHECK_OK(ctx, iso_world_step(world));
            CHECK_OK(ctx, iso_world_body_loads(world, loads));
            for (int b = 1; b < 4; ++b) {
                if (!iso_world_body_is_fixed(world, b)) {
                    worst = fmax(worst, iso_vec3_norm(loads[b].f_bm_w.translational));
                    worst = fmax(worst, iso_vec3_norm(loads[b].f_bm_w.rotational));
                }
            }
        }
        CHECK_AT_MOST(worst, 1e-5); // measured 1.3e-6 of 10 N: the solver's tolerance
        iso_world_destroy(world);
        iso_model_destroy(model);
    }
    test_context_destroy(ctx);
}

static void frames_are_seen_from_frames(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* world = make_pendulum(ctx, ISO_METHOD_LAGGED, 0.4, 2.0);
    iso_sensor_desc descs[] = {sensor_of(ISO_SENSOR_FRAME, "bob", "bob", NULL),
                               sensor_of(ISO_SENSOR_FRAME, "pivot from bob", "world", NULL)};
    descs[1].x_bs.p = iso_vec3_make(0.3, 0.1, 2.0);
    descs[1].other_body = "bob";
    iso_sensors* sensors = make_sensors(ctx, world, descs, 2);
    CHECK_OK(ctx, iso_sensors_update(sensors, world));
    CHECK_VEC3_NEAR(vector_at(sensors, 0, 0), iso_vec3_make(0.3 - sin(0.4), 0.1, 2.0 - cos(0.4)),
                    1e-15);
    CHECK_NEAR(iso_sensors_values(sensors, 0)[3], cos(0.2), 1e-15);
    CHECK_NEAR(iso_sensors_values(sensors, 0)[5], sin(0.2), 1e-15);
    CHECK_VEC3_NEAR(vector_at(sensors, 0, 7), iso_vec3_make(-2.0 * cos(0.4), 0.0, 2.0 * sin(0.4)),
                    1e-15);
    CHECK_VEC3_NEAR(vector_at(sensors, 0, 10), iso_vec3_make(0.0, 2.0, 0.0), 1e-15);
    CHECK_VEC3_NEAR(vector_at(sensors, 1, 0), iso_vec3_make(0.0, 0.0, 1.0), 1e-15);
    CHECK_VEC3_NEAR(vector_at(sensors, 1, 7), iso_vec3_zero(), 1e-15);
    CHECK_VEC3_NEAR(vector_at(sensors, 1, 10), iso_vec3_make(0.0, -2.0, 0.0), 1e-15);
    static const char* const names[] = {"position_z", "quaternion_w", "velocity_x",
                                        "angular_velocity_y"};
    static const char* const units[] = {"m", "", "m/s", "rad/s"};
    static const int values[] = {2, 3, 7, 11};
    for (int i = 0; i < 4; ++i) {
        assert_string_equal(iso_sensors_value_name(sensors, 1, values[i]), names[i]);
        assert_string_equal(iso_sensors_value_unit(sensors, 1, values[i]), units[i]);
    }
    iso_sensors_destroy(sensors);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

// A pendulum of 1 m that turns with 2 rad/s: its bob is at (-sin, 0, -cos) below the pivot.
static void velocities_are_in_axes_of_the_sensor(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* world = make_pendulum(ctx, ISO_METHOD_LAGGED, 0.4, 2.0);
    iso_sensor_desc descs[] = {sensor_of(ISO_SENSOR_VELOCITY, "bob", "bob", NULL),
                               sensor_of(ISO_SENSOR_VELOCITY, "from itself", "bob", NULL),
                               sensor_of(ISO_SENSOR_VELOCITY, "pivot from bob", "world", NULL)};
    descs[1].other_body = "bob";
    descs[2].x_bs.p = iso_vec3_make(0.3, 0.1, 3.0); // 1 m above the pivot
    descs[2].other_body = "bob";
    iso_sensors* sensors = make_sensors(ctx, world, descs, 3);
    CHECK_OK(ctx, iso_sensors_update(sensors, world));
    CHECK_VEC3_NEAR(vector_at(sensors, 0, 0), iso_vec3_make(-2.0, 0.0, 0.0), 1e-15);
    CHECK_VEC3_NEAR(vector_at(sensors, 0, 3), iso_vec3_make(0.0, 2.0, 0.0), 1e-15);
    CHECK_VEC3_NEAR(vector_at(sensors, 1, 0), iso_vec3_zero(), 0.0);
    CHECK_VEC3_NEAR(vector_at(sensors, 1, 3), iso_vec3_zero(), 0.0);
    CHECK_VEC3_NEAR(vector_at(sensors, 2, 0), iso_vec3_make(-2.0, 0.0, 0.0), 1e-15);
    CHECK_VEC3_NEAR(vector_at(sensors, 2, 3), iso_vec3_make(0.0, -2.0, 0.0), 1e-15);
    assert_string_equal(iso_sensors_value_name(sensors, 0, 0), "velocity_x");
    assert_string_equal(iso_sensors_value_name(sensors, 0, 5), "angular_velocity_z");
    assert_string_equal(iso_sensors_value_unit(sensors, 0, 3), "rad/s");
    assert_int_equal(iso_sensors_value_count(sensors, 0), 6);
    iso_sensors_destroy(sensors);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

// Of the world all that moves is the same as of the bob alone: the world has no mass.
static void a_subtree_has_the_centre_and_momentum_of_what_it_carries(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* world = make_pendulum(ctx, ISO_METHOD_LAGGED, 0.4, 2.0);
    iso_sensor_desc descs[] = {sensor_of(ISO_SENSOR_SUBTREE, "all", "world", NULL),
                               sensor_of(ISO_SENSOR_SUBTREE, "bob", "bob", NULL)};
    iso_sensors* sensors = make_sensors(ctx, world, descs, 2);
    CHECK_OK(ctx, iso_sensors_update(sensors, world));
    iso_subtree_motion motion = iso_world_subtree_motion(world, 0);
    iso_spatial momentum = iso_world_momentum(world);
    CHECK_VEC3_NEAR(iso_vec3_scale(motion.v_wc, motion.mass), momentum.translational, 1e-15);
    iso_vec3 h = iso_vec3_add(motion.h_c_w, iso_vec3_cross(motion.p_wc, momentum.translational));
    CHECK_VEC3_NEAR(h, momentum.rotational, 1e-14);
    for (int i = 0; i < 2; ++i) {
        CHECK_VEC3_NEAR(vector_at(sensors, i, 0), motion.p_wc, 1e-15);
        CHECK_VEC3_NEAR(vector_at(sensors, i, 3), motion.v_wc, 1e-15);
        CHECK_VEC3_NEAR(vector_at(sensors, i, 6), motion.h_c_w, 1e-15);
    }
    assert_true(iso_vec3_norm(motion.h_c_w) > 0.0);
    assert_string_equal(iso_sensors_value_name(sensors, 1, 8), "angular_momentum_z");
    assert_int_equal(iso_sensors_value_count(sensors, 1), 9);
    CHECK_BITS(iso_world_subtree_motion(world, 2).mass, 0.0);
    CHECK_BITS(iso_world_subtree_motion(world, -1).mass, 0.0);
    iso_sensors_destroy(sensors);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

// A pendulum of 1 m at q with the rate w: its bob at (-sin q, 0, -cos q) below the pivot.
static void accelerations_are_those_of_a_pendulum(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    double q = 0.4, w = 2.0, wdot = -2.0 * k_g * 1.0 * sin(q) / (0.3 + 2.0);
    iso_world* world = make_pendulum(ctx, ISO_METHOD_LAGGED, q, w);
    iso_sensor_desc descs[] = {sensor_of(ISO_SENSOR_ACCELERATION, "bob", "bob", NULL),
                               sensor_of(ISO_SENSOR_ACCELERATION, "pivot", "bob", NULL),
                               sensor_of(ISO_SENSOR_ACCELERATION, "still", "world", NULL)};
    descs[1].x_bs.p = iso_vec3_make(0.0, 0.0, 1.0);
    descs[1].x_bs.r = iso_mat3_from_rpy(0.1, 0.2, 0.3); // in the world, whatever its axes
    iso_sensors* sensors = make_sensors(ctx, world, descs, 3);
    CHECK_OK(ctx, iso_sensors_update(sensors, world));
    iso_vec3 bob = {-wdot * cos(q) + w * w * sin(q), 0.0, wdot * sin(q) + w * w * cos(q)};
    CHECK_VEC3_NEAR(vector_at(sensors, 0, 0), bob, 1e-13); // measured 4.4e-16
    CHECK_VEC3_NEAR(vector_at(sensors, 0, 3), iso_vec3_make(0.0, wdot, 0.0),
                    1e-13);                                            // measured 4.4e-16
    CHECK_VEC3_NEAR(vector_at(sensors, 1, 0), iso_vec3_zero(), 1e-13); // measured 4.4e-16
    CHECK_VEC3_NEAR(vector_at(sensors, 1, 3), iso_vec3_make(0.0, wdot, 0.0),
                    1e-13); // measured 4.4e-16
    CHECK_VEC3_NEAR(vector_at(sensors, 2, 0), iso_vec3_zero(), 0.0);
    assert_string_equal(iso_sensors_value_name(sensors, 0, 0), "acceleration_x");
    assert_string_equal(iso_sensors_value_name(sensors, 0, 5), "angular_acceleration_z");
    assert_string_equal(iso_sensors_value_unit(sensors, 0, 5), "rad/s^2");
    assert_int_equal(iso_sensors_value_count(sensors, 0), 6);
    iso_sensors_destroy(sensors);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

static void check_efforts(iso_context* ctx, iso_world* world, double told, double felt) {
    iso_sensor_desc descs[] = {sensor_of(ISO_SENSOR_JOINT, "joint", NULL, "hinge"),
                               sensor_of(ISO_SENSOR_FIXED_TENDON, "sum", NULL, NULL)};
    descs[1].fixed_tendon = "sum";
    iso_sensors* sensors = make_sensors(ctx, world, descs, 2);
    CHECK_OK(ctx, iso_sensors_update(sensors, world));
    CHECK_NEAR(iso_sensors_values(sensors, 0)[2], 2.0 * told, 0.0);
    CHECK_NEAR(iso_sensors_values(sensors, 1)[3], told, 0.0);
    CHECK_NEAR(iso_sensors_values(sensors, 0)[7], 2.0 * felt, 1e-12); // measured 5.3e-15
    iso_sensors_destroy(sensors);
}

// The moment of a hinge about its axis is what drives it; a tendon of weight 2 does. New contacts
// show what actuators are told by now in forces, and in efforts what they did in the last step.
static void new_contacts_leave_the_efforts_of_the_last_step(void** state) {
    (void)state;
    static const iso_method methods[] = {ISO_METHOD_LAGGED, ISO_METHOD_RK4};
    iso_context* ctx = test_context();
    for (int i = 0; i < 2; ++i) {
        iso_model* model = make_model(ctx);
        int bob = add_body(ctx, model, "bob", 2.0, iso_vec3_make(0.2, 0.3, 0.25));
        iso_pose at = iso_pose_from_position(iso_vec3_make(0.3, 0.1, 2.0));
        add_hinge(ctx, model, "hinge", ISO_WORLD_BODY, bob, &at, 0.7);
        const int joint = 0;
        const double weight = 2.0;
        iso_fixed_tendon_desc sum = iso_fixed_tendon_desc_default();
        sum.name = "sum";
        sum.joint_count = 1;
        sum.joints = &joint;
        sum.weights = &weight;
        iso_actuator_desc pull = iso_actuator_desc_default();
        pull.name = "pull";
        pull.joint = -1;
        CHECK_OK(ctx, iso_model_add_fixed_tendon(model, &sum, &pull.fixed_tendon));
        CHECK_OK(ctx, iso_model_add_actuator(model, &pull, NULL));
        iso_world_desc desc = iso_world_desc_default();
        desc.method = methods[i];
        iso_world* world = make_world(ctx, model, &desc);
        iso_actuation actuation = {.feed_forward = 3.0};
        CHECK_OK(ctx, iso_world_set_actuation(world, 0, &actuation));
        check_efforts(ctx, world, 0.0, 3.0);
        CHECK_OK(ctx, iso_world_step(world));
        check_efforts(ctx, world, 3.0, 3.0);
        uint64_t hash = iso_world_state_hash(world);
        actuation.feed_forward = -5.0;
        CHECK_OK(ctx, iso_world_set_actuation(world, 0, &actuation));
        check_efforts(ctx, world, 3.0, 3.0);
        CHECK_OK(ctx, iso_world_update_contacts(world));
        check_efforts(ctx, world, 3.0, -5.0);
        assert_true(iso_world_state_hash(world) == hash);
        CHECK_OK(ctx, iso_world_step(world));
        check_efforts(ctx, world, -5.0, -5.0);
        iso_world_destroy(world);
        iso_model_destroy(model);
    }
    test_context_destroy(ctx);
}

// Over a floor a box of 0.2 m, whose sensors on its top and its sole look up, down and sideways.
static void a_range_is_the_way_to_the_next_geometry(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_model(ctx);
    iso_mat3 flat = iso_mat3_identity();
    iso_pose low = iso_pose_from_position(iso_vec3_make(0.0, 0.0, 0.5));
    iso_pose high = iso_pose_from_position(iso_vec3_make(0.02, 0.01, 1.25));
    add_ground(ctx, model, 0.5, &flat);
    add_cube(ctx, model, "low", 0.5, &low);
    add_cube(ctx, model, "high", 0.5, &high);
    iso_world* world = make_world(ctx, model, NULL);
    iso_sensor_desc descs[] = {sensor_of(ISO_SENSOR_RANGE, "up", "low", NULL),
                               sensor_of(ISO_SENSOR_RANGE, "down", "low", NULL),
                               sensor_of(ISO_SENSOR_RANGE, "short", "low", NULL),
                               sensor_of(ISO_SENSOR_RANGE, "side", "low", NULL),
                               sensor_of(ISO_SENSOR_RANGE, "mast", "world", NULL)};
    descs[1].x_bs.r = descs[4].x_bs.r = iso_mat3_from_rpy(ISO_PI, 0.0, 0.0);
    descs[2].reach = 0.69;
    descs[3].x_bs.r = iso_mat3_from_rpy(0.0, 0.5 * ISO_PI, 0.0);
    descs[4].x_bs.p = iso_vec3_make(0.0, 0.0, 2.0); // the world's own geometry does not count
    iso_sensors* sensors = make_sensors(ctx, world, descs, 5);
    const double ranges[] = {0.7, 0.5, -1.0, -1.0, 0.7};
    CHECK_OK(ctx, iso_sensors_update(sensors, world));
    for (int i = 0; i < 5; ++i) {
        CHECK_NEAR(*iso_sensors_values(sensors, i), ranges[i], 1e-15); // measured 0
        assert_int_equal(iso_sensors_value_count(sensors, i), 1);
    }
    assert_string_equal(iso_sensors_value_name(sensors, 0, 0), "distance");
    assert_string_equal(iso_sensors_value_unit(sensors, 0, 0), "m");
    // That of the present state: both fall alike.
    step_many(ctx, world, 10);
    double fallen = 0.5 - iso_world_body_pose(world, iso_world_find_body(world, "low")).p.z;
    CHECK_OK(ctx, iso_sensors_update(sensors, world));
    assert_true(fallen > 1e-4);
    CHECK_NEAR(*iso_sensors_values(sensors, 0), 0.7, 1e-12);
    CHECK_NEAR(*iso_sensors_values(sensors, 1), 0.5 - fallen, 1e-12);
    iso_sensors_destroy(sensors);
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

// A sensor of a joint stands in frame M of the joint, one of a body where it says.
static void sensors_tell_what_they_were_made_with(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* world = make_pendulum(ctx, ISO_METHOD_LAGGED, 0.4, 0.0);
    char name[] = "robot::imu", source[] = "scene.yaml:7";
    iso_sensor_desc descs[] = {sensor_of(ISO_SENSOR_IMU, name, "bob", NULL),
                               sensor_of(ISO_SENSOR_JOINT, "joint", NULL, "hinge")};
    descs[0].source = source;
    descs[0].x_bs = iso_pose_make(iso_mat3_from_rpy(0.1, 0.2, 0.3), iso_vec3_make(0.4, 0.5, 0.6));
    iso_sensors* sensors = make_sensors(ctx, world, descs, 2);
    name[0] = source[0] = '?'; // strings are copied
    int bob = iso_world_find_body(world, "bob");
    assert_int_equal(iso_sensors_count(sensors), 2);
    assert_int_equal(iso_sensors_find(sensors, "imu"), 0);
    assert_int_equal(iso_sensors_find(sensors, "joint"), 1);
    iso_sensor_desc imu = iso_sensors_desc(sensors, 0), joint = iso_sensors_desc(sensors, 1);
    assert_string_equal(imu.name, "robot::imu");
    assert_string_equal(imu.body, "bob");
    assert_string_equal(imu.source, "scene.yaml:7");
    assert_int_equal(imu.kind, ISO_SENSOR_IMU);
    assert_null(imu.joint);
    assert_string_equal(joint.joint, "hinge");
    CHECK_POSE_NEAR(imu.x_bs, descs[0].x_bs, 0.0);
    assert_int_equal(iso_sensors_body(sensors, 0), bob);
    assert_int_equal(iso_sensors_body(sensors, 1), bob);
    CHECK_POSE_NEAR(iso_sensors_frame(sensors, 0), descs[0].x_bs, 0.0);
    iso_pose hinge = iso_pose_from_position(iso_vec3_make(0.0, 0.0, 1.0)); // above the bob
    CHECK_POSE_NEAR(iso_sensors_frame(sensors, 1), hinge, 0.0);
    const int outside[] = {-1, 2};
    for (int i = 0; i < 2; ++i) {
        iso_sensor_desc none = iso_sensors_desc(sensors, outside[i]);
        assert_true(none.name == NULL && none.body == NULL && none.width == 0.0 && none.rows == 0);
        assert_int_equal(iso_sensors_body(sensors, outside[i]), -1);
        CHECK_POSE_NEAR(iso_sensors_frame(sensors, outside[i]), iso_pose_identity(), 0.0);
        assert_int_equal(iso_sensors_value_count(sensors, outside[i]), 0);
        assert_null(iso_sensors_values(sensors, outside[i]));
    }
    iso_sensors_destroy(sensors);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

static iso_status attempt(iso_context* ctx, void* user) {
    (void)user;
    iso_model* model = NULL;
    iso_world* world = NULL;
    iso_sensors* sensors = NULL;
    iso_body_desc body = iso_body_desc_default();
    iso_geometry_desc geometry = iso_geometry_desc_default();
    iso_world_desc settings = iso_world_desc_default();
    iso_sensor_desc descs[] = {sensor_of(ISO_SENSOR_TACTILE, "skin", "ball", NULL),
                               sensor_of(ISO_SENSOR_FORCE_TORQUE, "wrist", "ball", NULL)};
    body.name = "ball";
    geometry.name = "ball";
    geometry.material.resolution_hint = 1.0;
    descs[0].source = "a.yaml:3";
    descs[0].x_bs.r = iso_mat3_diagonal(1.0, -1.0, -1.0);
    iso_pose down = iso_pose_from_position(iso_vec3_make(0.0, 0.0, geometry.shape.radius * 0.9));
    iso_status status = iso_model_create(ctx, &model);
    status = status ? status : iso_model_add_body(model, &body, NULL);
    status = status ? status : iso_model_add_geometry(model, 1, &geometry, NULL);
    geometry.name = "floor";
    geometry.shape = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    geometry.material.compliance = ISO_COMPLIANCE_RIGID;
    status = status ? status : iso_model_add_geometry(model, 0, &geometry, NULL);
    status = status ? status : iso_model_set_free_pose(model, 1, &down);
    status = status ? status : iso_world_create(ctx, model, &settings, &world);
    status = status ? status : iso_sensors_create(world, descs, 2, &sensors);
    status = status ? status : iso_sensors_update(sensors, world);
    iso_sensors_destroy(sensors);
    iso_world_destroy(world);
    iso_model_destroy(model);
    return status;
}

static void sensors_survive_every_allocation_failure(void** state) {
    (void)state;
    assert_true(check_every_allocation_failure(attempt, NULL) > 10);
}

static void wrong_sensors_are_refused_with_their_names(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_table(ctx, iso_vec3_make(0.0, 0.0, 0.2));
    iso_world* world = make_world(ctx, model, NULL);
    iso_sensors* sensors = NULL;
    iso_sensor_desc good = sensor_of(ISO_SENSOR_TACTILE, "skin", "box", NULL);
    const struct {
        iso_sensor_desc desc;
        iso_status status;
        const char* message;
    } cases[] = {
        {sensor_of(ISO_SENSOR_IMU, NULL, "box", NULL), ISO_ERR_ARGUMENT, "sensor 0 has no name"},
        {sensor_of((iso_sensor_kind)iso_name_count(ISO_NAMES_SENSOR_KIND), "x", "box", NULL),
         ISO_ERR_RANGE, "sensor 'x': kind is "},
        {sensor_of(ISO_SENSOR_IMU, "x", "bax", NULL), ISO_ERR_NOT_FOUND,
         "sensor 'x': there is no body named 'bax'; did you mean 'box'?"},
        {sensor_of(ISO_SENSOR_IMU, "x", NULL, NULL), ISO_ERR_ARGUMENT, "names a body"},
        {sensor_of(ISO_SENSOR_JOINT, "x", NULL, "knee"), ISO_ERR_NOT_FOUND, "joint named 'knee'"},
        {sensor_of(ISO_SENSOR_JOINT, "x", "box", NULL), ISO_ERR_ARGUMENT, "names a joint"},
        {sensor_of(ISO_SENSOR_FORCE_TORQUE, "x", "world", NULL), ISO_ERR_RANGE, "no joint above"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        CHECK_STATUS(ctx, iso_sensors_create(world, &cases[i].desc, 1, &sensors), cases[i].status);
        CHECK_ERROR(ctx, cases[i].message);
        assert_null(sensors);
    }
    iso_sensor_desc bad[2] = {good, good};
    CHECK_STATUS(ctx, iso_sensors_create(world, bad, 2, &sensors), ISO_ERR_ARGUMENT);
    CHECK_ERROR(ctx, "sensor 'skin': the name is taken");
    bad[0].rows = 0;
    bad[0].source = "scene.yaml:7";
    CHECK_STATUS(ctx, iso_sensors_create(world, bad, 1, &sensors), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "scene.yaml:7: sensor 'skin': 0 rows");
    bad[0] = good;
    bad[0].reach = NAN;
    CHECK_STATUS(ctx, iso_sensors_create(world, bad, 1, &sensors), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "reach is nan");
    bad[0].kind = ISO_SENSOR_RANGE;
    bad[0].reach = 0.0;
    CHECK_STATUS(ctx, iso_sensors_create(world, bad, 1, &sensors), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "sensor 'skin': reach is 0 m, expected > 0");
    bad[0] = good;
    bad[0].geometry = "lid";
    CHECK_STATUS(ctx, iso_sensors_create(world, bad, 1, &sensors), ISO_ERR_NOT_FOUND);
    CHECK_ERROR(ctx, "sensor 'skin': body 'box': there is no geometry named 'lid', expected 'box'");
    bad[0] = good;
    bad[0].x_bs.r.m[0][0] = 2.0;
    CHECK_STATUS(ctx, iso_sensors_create(world, bad, 1, &sensors), ISO_ERR_RANGE);
    CHECK_OK(ctx, iso_sensors_create(world, &good, 1, &sensors));
    assert_int_equal(iso_sensors_value_count(sensors, 0), 6 + 7 * 64);
    assert_int_equal(iso_sensors_states(sensors, 0), 6 + 6 * 64);
    assert_int_equal(iso_sensors_readings(sensors, 0), -1);
    assert_string_equal(iso_sensors_value_name(sensors, 0, 6 + 6 * 64 + 63), "stick_slip");
    assert_int_equal(iso_sensors_cell(sensors, 0, 8, 0), -1);
    assert_int_equal(iso_sensors_cell(sensors, 0, 7, 7), 6 + 6 * 63);
    assert_string_equal(iso_sensors_value_name(sensors, 0, 6 + 6 * 63 + 1), "shear_x");
    assert_string_equal(iso_sensors_value_unit(sensors, 0, 6), "Pa");
    assert_int_equal(iso_sensors_find(sensors, "skin"), 0);
    assert_int_equal(iso_sensors_find(sensors, "skon"), -1);
    double few[8];
    CHECK_STATUS(ctx, iso_sensors_read(sensors, 0, few, 8), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "room for 8 values, expected at least 454");
    iso_world* other = make_pendulum(ctx, ISO_METHOD_LAGGED, 0.0, 0.0);
    CHECK_STATUS(ctx, iso_sensors_update(sensors, other), ISO_ERR_ARGUMENT);
    iso_world_destroy(other);
    iso_sensors_destroy(sensors);
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pendulum_pulls_on_its_hinge_as_newton_says),
        cmocka_unit_test(an_imu_on_a_turning_arm_feels_the_centripetal_acceleration),
        cmocka_unit_test(a_box_at_rest_weighs_on_force_torque_and_contact_sensors),
        cmocka_unit_test(free_joints_carry_nothing),
        cmocka_unit_test(frames_are_seen_from_frames),
        cmocka_unit_test(velocities_are_in_axes_of_the_sensor),
        cmocka_unit_test(a_subtree_has_the_centre_and_momentum_of_what_it_carries),
        cmocka_unit_test(accelerations_are_those_of_a_pendulum),
        cmocka_unit_test(new_contacts_leave_the_efforts_of_the_last_step),
        cmocka_unit_test(a_range_is_the_way_to_the_next_geometry),
        cmocka_unit_test(sensors_survive_every_allocation_failure),
        cmocka_unit_test(wrong_sensors_are_refused_with_their_names),
        cmocka_unit_test(sensors_tell_what_they_were_made_with),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
