// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Constraints where joints leave little to do, and bodies that are thin or light.

#include "world/mechanisms.h"

#include <stdio.h>
#include <string.h>

static iso_constraint_desc constraint_between(const char* name, iso_constraint_kind kind, int a,
                                              iso_vec3 p_ap, int b, iso_vec3 p_bq) {
    iso_constraint_desc desc = iso_constraint_desc_default();
    desc.name = name;
    desc.kind = kind;
    desc.body_a = a;
    desc.body_b = b;
    desc.x_ap.p = p_ap;
    desc.x_bq.p = p_bq;
    return desc;
}

/// A bar of 1 kg and 1 m along x from its hinge, which is at `at` of the world.
static void add_beam(iso_context* ctx, iso_model* model, iso_vec3 at, iso_vec3 axis) {
    iso_body_desc desc = iso_body_desc_default();
    desc.name = "beam";
    desc.center_of_mass = iso_vec3_make(0.5, 0.0, 0.0);
    desc.inertia = iso_mat3_diagonal(0.01, 0.01, 0.01);
    int body = -1;
    CHECK_OK(ctx, iso_model_add_body(model, &desc, &body));
    iso_joint_desc joint = joint_between("beam", ISO_JOINT_REVOLUTE, 0, body);
    joint.x_pf.p = at;
    joint.axis = axis;
    CHECK_OK(ctx, iso_model_add_joint(model, &joint, NULL));
}

// Four bars of 1 m in a square in the x-z plane, whose hinges have axes along z of frames turned by
// `tilts` about x: at -90 degrees all are along y but for rounding, as programs write it.
static iso_model* make_square(iso_context* ctx, const double* tilts, double gap) {
    static const char* const names[3] = {"a", "b", "c"};
    const iso_vec3 at[3] = {iso_vec3_zero(), iso_vec3_make(1.0, 0.0, 0.0),
                            iso_vec3_make(0.0, 0.0, -1.0)};
    iso_model* model = make_model(ctx);
    for (int i = 0; i < 3; ++i) {
        int body = add_body(ctx, model, names[i], 1.0, iso_vec3_make(0.01, 0.01, 0.01));
        iso_joint_desc hinge = joint_between(names[i], ISO_JOINT_REVOLUTE, body - 1, body);
        iso_mat3 turn = iso_mat3_from_rpy(tilts[i], 0.0, 0.0);
        hinge.x_pf = iso_pose_make(turn, at[i]);
        hinge.x_cm = iso_pose_make(turn, iso_vec3_zero());
        hinge.axis = iso_vec3_make(0.0, 0.0, 1.0);
        CHECK_OK(ctx, iso_model_add_joint(model, &hinge, NULL));
    }
    iso_constraint_desc pin =
        constraint_between("pin", ISO_CONSTRAINT_BALL, 3, iso_vec3_make(-1.0, 0.0, 0.0), 0,
                           iso_vec3_make(0.0, gap, -1.0));
    pin.source = "robot.xml:11";
    CHECK_OK(ctx, iso_model_add_constraint(model, &pin, NULL));
    return model;
}

static const iso_method k_methods[] = {ISO_METHOD_LAGGED, ISO_METHOD_RK4, ISO_METHOD_RK23,
                                       ISO_METHOD_RK45};

// Where a hinge that is off by rounding gives a row the mobility 1e-32, it gets no force of 1e16 N.
static void rows_that_no_joint_moves_take_no_force(void** state) {
    (void)state;
    const double tilts[3] = {-0.5 * ISO_PI, -0.5 * ISO_PI, -0.5 * ISO_PI};
    iso_context* ctx = test_context();
    for (int i = 0; i < 4; ++i) {
        iso_model* model = make_square(ctx, tilts, 0.0);
        iso_world* world = world_of(ctx, model, k_methods[i], 1e-3, 1e-8);
        step_many(ctx, world, 100);
        iso_vec3 force = iso_world_constraint(world, 0).f_b_w.translational;
        CHECK_NEAR(force.x, 1.40, 0.03); // measured 1.389, 1.413, 1.413, 1.413
        CHECK_NEAR(force.y, 0.0, 1e-12); // measured 4.9e-17
        CHECK_NEAR(force.z, -0.165, 0.003);
        iso_world_destroy(world);
        iso_model_destroy(model);

        // A beam hinged at one end and pinned at the other, which moves up and down alone.
        model = make_model(ctx);
        add_beam(ctx, model, iso_vec3_zero(), iso_vec3_make(0.0, 1.0, 0.0));
        iso_vec3 end = iso_vec3_make(1.0, 0.0, 0.0);
        iso_constraint_desc pin = constraint_between("pin", ISO_CONSTRAINT_BALL, 0, end, 1, end);
        CHECK_OK(ctx, iso_model_add_constraint(model, &pin, NULL));
        world = world_of(ctx, model, k_methods[i], 1e-3, 1e-8);
        step_many(ctx, world, 100);
        force = iso_world_constraint(world, 0).f_b_w.translational;
        CHECK_NEAR(force.x, 0.0, 1e-9); // measured 9e-11, 0, 0, 0: at an angle of 1.9e-11 rad
        CHECK_NEAR(force.y, 0.0, 1e-12);
        CHECK_NEAR(force.z, 0.5 * 9.81, 1e-9); // measured 4.9e-12
        iso_world_destroy(world);
        iso_model_destroy(model);
    }
    test_context_destroy(ctx);
}

// A pin right on the hinge of its bar holds what cannot move: nothing is to be solved.
static void a_constraint_that_no_joint_moves_is_idle(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    for (int i = 0; i < 4; ++i) {
        iso_model* model = make_model(ctx);
        add_beam(ctx, model, iso_vec3_make(0.1, 0.2, 0.3), iso_vec3_make(0.0, 0.0, 1.0));
        iso_constraint_desc pin =
            constraint_between("pin", ISO_CONSTRAINT_BALL, 0, iso_vec3_make(0.1, 0.2, 0.3), 1,
                               iso_vec3_make(1e-17, 0.0, 0.0));
        CHECK_OK(ctx, iso_model_add_constraint(model, &pin, NULL));
        iso_world* world = world_of(ctx, model, k_methods[i], 1e-3, 1e-8);
        CHECK_OK(ctx, iso_world_set_joint(world, 0, 0.7, 2.0));
        step_many(ctx, world, 100);
        CHECK_SPATIAL_NEAR(iso_world_constraint(world, 0).f_b_w, iso_spatial_zero(), 1e-12);
        CHECK_NEAR(iso_world_joint_position(world, 0), 0.9, 1e-9); // weight along the hinge
        iso_world_destroy(world);
        iso_model_destroy(model);
    }
    test_context_destroy(ctx);
}

static void keep_warning(void* user, iso_log_level level, const char* message) {
    if (level == ISO_LOG_WARNING) {
        (void)snprintf(user, 256, "%s", message);
    }
}

// Poses of six digits leave planar loops open by 1e-6 m out of their plane and hinges off by
// 1e-6 rad: the loop moves as one without them, with no force across.
static void a_gap_that_no_joint_closes_is_left_and_said(void** state) {
    (void)state;
    static const double off[] = {0.0, -3.7e-6, 1e-6};
    char said[256] = "";
    iso_context_desc desc = iso_context_desc_default();
    desc.log_fn = keep_warning;
    desc.log_user = said;
    iso_context* ctx = NULL;
    assert_int_equal(iso_context_create(&desc, &ctx), ISO_OK);
    for (int i = 0; i < 12; ++i) {
        double tilts[3];
        for (int k = 0; k < 3; ++k) { // all along y, all off alike, each off in its own way
            tilts[k] = -0.5 * ISO_PI + (i % 3 == 2 ? (k - 1) * off[2] : off[i % 3]);
        }
        iso_model* model = make_square(ctx, tilts, 1e-6);
        iso_world* world = world_of(ctx, model, k_methods[i / 3], 1e-3, 1e-8);
        CHECK_TEXT(said, "robot.xml:11: constraint 'pin' stays open by ");
        CHECK_TEXT(said, "(rad or m), which no joint can close: it is left as it is");
        CHECK_NEAR(iso_world_joint_position(world, 0), 0.0, 1e-9);
        step_many(ctx, world, 100);
        iso_constraint_state pin = iso_world_constraint(world, 0);
        CHECK_NEAR(pin.f_b_w.translational.x, 1.40, 0.03);
        CHECK_NEAR(pin.f_b_w.translational.y, 0.0, 1e-5); // measured 6e-7
        CHECK_NEAR(pin.position_error, 1e-6, 1e-7);       // measured 5e-8
        iso_world_destroy(world);
        iso_model_destroy(model);
        said[0] = '\0';
    }
    // Rounding is not worth a warning; what is no rounding of a pose is refused, with its true
    // size.
    const double level[3] = {-0.5 * ISO_PI, -0.5 * ISO_PI, -0.5 * ISO_PI};
    iso_model* model = make_square(ctx, level, 1e-11);
    iso_world* world = make_world(ctx, model, NULL);
    assert_string_equal(said, "");
    iso_world_destroy(world);
    iso_model_destroy(model);
    model = make_square(ctx, level, 5e-4);
    CHECK_STATUS(ctx, iso_world_create(ctx, model, NULL, &world), ISO_ERR_NO_CONVERGENCE);
    CHECK_ERROR(ctx, "robot.xml:11: constraint 'pin' cannot be closed from the initial positions: "
                     "an error of 0.0005 (rad or m) is left, expected at most 0.0001;");
    iso_model_destroy(model);
    iso_context_destroy(ctx);
}

// A rod of 1 kg and 1 m, welded at its end in some direction, droops by 1e-6 of the angle that it
// would fall in a step, however thin it is.
static void a_weld_holds_the_thin_as_the_round(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    for (int i = 0; i < 8; ++i) {
        double radius = pow(10.0, -2 - i % 4);
        iso_mat3 turn = iso_mat3_from_rpy(0.0, 0.0, i < 4 ? 0.0 : 0.9);
        iso_model* model = make_model(ctx);
        iso_body_desc rod = iso_body_desc_default();
        rod.name = "rod";
        rod.center_of_mass = iso_mat3_mul_vec3(&turn, iso_vec3_make(0.5, 0.0, 0.0));
        iso_mat3 inertia = iso_mat3_diagonal(0.5 * radius * radius, 1.0 / 12.0, 1.0 / 12.0);
        rod.inertia = iso_mat3_mul(iso_mat3_mul(turn, inertia), iso_mat3_transpose(turn));
        CHECK_OK(ctx, iso_model_add_body(model, &rod, NULL));
        iso_constraint_desc weld =
            constraint_between("weld", ISO_CONSTRAINT_WELD, 0, iso_vec3_zero(), 1, iso_vec3_zero());
        CHECK_OK(ctx, iso_model_add_constraint(model, &weld, NULL));
        iso_world* world = world_of(ctx, model, ISO_METHOD_LAGGED, 1e-3, 1e-3);
        step_many(ctx, world, 1000);
        iso_constraint_state c = iso_world_constraint(world, 0);
        CHECK_NEAR(c.position_error, 1e-12 * 9.81, 1e-13); // measured 9.81e-12
        CHECK_AT_MOST(c.orientation_error, 1e-12);         // measured 5e-15
        CHECK_NEAR(c.f_b_w.translational.z, 9.81, 1e-6);
        iso_world_destroy(world);
        iso_model_destroy(model);
    }
    test_context_destroy(ctx);
}

// 1 kg on 1 mg: a ball gives way by 1e-6 of what its force would do to the light body alone.
static void a_light_link_holds_a_heavy_one(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_model(ctx);
    int light = add_body(ctx, model, "light", 1e-6, iso_vec3_make(1e-9, 1e-9, 1e-9));
    int heavy = add_body(ctx, model, "heavy", 1.0, iso_vec3_make(1e-3, 1e-3, 1e-3));
    iso_vec3 below = iso_vec3_make(0.0, 0.0, -0.2);
    iso_pose x_wb = iso_pose_from_position(below);
    CHECK_OK(ctx, iso_model_set_free_pose(model, heavy, &x_wb));
    iso_constraint_desc top =
        constraint_between("top", ISO_CONSTRAINT_BALL, 0, iso_vec3_zero(), light, iso_vec3_zero());
    iso_constraint_desc low =
        constraint_between("low", ISO_CONSTRAINT_BALL, light, below, heavy, iso_vec3_zero());
    CHECK_OK(ctx, iso_model_add_constraint(model, &top, NULL));
    CHECK_OK(ctx, iso_model_add_constraint(model, &low, NULL));
    iso_world* world = world_of(ctx, model, ISO_METHOD_LAGGED, 1e-3, 1e-3);
    step_many(ctx, world, 1000);
    for (int i = 0; i < 2; ++i) {
        iso_constraint_state c = iso_world_constraint(world, i);
        CHECK_NEAR(c.position_error, 9.81e-6, 1e-7); // measured 9.81e-6
        CHECK_NEAR(c.f_b_w.translational.z, 9.81, 1e-3);
    }
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_that_no_joint_moves_take_no_force),
        cmocka_unit_test(a_constraint_that_no_joint_moves_is_idle),
        cmocka_unit_test(a_gap_that_no_joint_closes_is_left_and_said),
        cmocka_unit_test(a_weld_holds_the_thin_as_the_round),
        cmocka_unit_test(a_light_link_holds_a_heavy_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
