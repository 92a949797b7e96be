// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "stepper/stages/stages.h"
#include "support/failing_context.h"
#include "support/random.h"
#include "world/scenes.h"
#include "world/state/world_state.h"

static void bad_bodies_are_refused_with_name_value_and_range(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_model(ctx);
    iso_body_desc desc = iso_body_desc_default();
    desc.name = "rock";
    desc.source = "rock.sdf:7";
    desc.mass = -1.0;
    CHECK_STATUS(ctx, iso_model_add_body(model, &desc, NULL), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "rock.sdf:7: body 'rock': mass is -1 kg, expected finite and >= 0");
    desc.mass = NAN;
    CHECK_STATUS(ctx, iso_model_add_body(model, &desc, NULL), ISO_ERR_RANGE);
    desc.mass = 1.0;
    desc.inertia = iso_mat3_diagonal(1.0, 1.0, 3.0);
    CHECK_STATUS(ctx, iso_model_add_body(model, &desc, NULL), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "belong to no body");
    desc.inertia = iso_mat3_diagonal(-1.0, 1.0, 1.0);
    CHECK_STATUS(ctx, iso_model_add_body(model, &desc, NULL), ISO_ERR_RANGE);
    desc.inertia = iso_mat3_diagonal(1.0, 1.0, NAN);
    CHECK_STATUS(ctx, iso_model_add_body(model, &desc, NULL), ISO_ERR_RANGE);
    desc.inertia = iso_mat3_diagonal(1.0, 1.0, 1.0);
    CHECK_OK(ctx, iso_model_add_body(model, &desc, NULL));
    CHECK_STATUS(ctx, iso_model_add_body(model, &desc, NULL), ISO_ERR_ARGUMENT);
    CHECK_ERROR(ctx, "used twice");
    const char* const unusable[] = {"", "tab\there", "lone \x80 byte", "cut \xe2\x82", "\xc0\xaf"};
    for (int i = 0; i < 5; ++i) {
        desc.name = unusable[i];
        CHECK_STATUS(ctx, iso_model_add_body(model, &desc, NULL), ISO_ERR_ARGUMENT);
        CHECK_ERROR(ctx, "name");
    }
    desc.name = "gr\xc3\xb6\xc3\x9f"
                "e \xe2\x82\xac \xf0\x9f\xa4\x96";
    CHECK_OK(ctx, iso_model_add_body(model, &desc, NULL));
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

static void bad_geometries_are_refused(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_model(ctx);
    iso_geometry_desc desc = iso_geometry_desc_default();
    desc.name = "ball";
    const double radii[] = {0.0, -1.0, NAN, INFINITY, 1e9, 1e-12};
    for (int i = 0; i < 6; ++i) {
        desc.shape.radius = radii[i];
        CHECK_STATUS(ctx, iso_model_add_geometry(model, 0, &desc, NULL), ISO_ERR_RANGE);
        CHECK_ERROR(ctx, "geometry 'ball': radius is");
    }
    desc.shape.radius = 0.1;
    desc.material.modulus = 0.0;
    CHECK_STATUS(ctx, iso_model_add_geometry(model, 0, &desc, NULL), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "modulus is 0 Pa, expected finite and > 0");
    desc.material = iso_contact_material_default();
    desc.material.friction_static = 0.1;
    CHECK_STATUS(ctx, iso_model_add_geometry(model, 0, &desc, NULL), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "expected at most the static friction");
    desc.material = iso_contact_material_default();
    CHECK_STATUS(ctx, iso_model_add_geometry(model, 7, &desc, NULL), ISO_ERR_RANGE);
    CHECK_OK(ctx, iso_model_add_geometry(model, 0, &desc, NULL));
    CHECK_STATUS(ctx, iso_model_add_geometry(model, 0, &desc, NULL), ISO_ERR_ARGUMENT);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

static void loops_of_joints_are_refused(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_model(ctx);
    iso_vec3 moments = iso_vec3_make(1.0, 1.0, 1.0);
    iso_pose origin = iso_pose_identity();
    int a = add_body(ctx, model, "a", 1.0, moments);
    int b = add_body(ctx, model, "b", 1.0, moments);
    add_hinge(ctx, model, "ab", a, b, &origin, 0.0);
    iso_joint_desc second = iso_joint_desc_default();
    second.name = "wb";
    second.parent = ISO_WORLD_BODY;
    second.child = b;
    CHECK_STATUS(ctx, iso_model_add_joint(model, &second, NULL), ISO_ERR_UNSUPPORTED);
    CHECK_ERROR(ctx, "child of two joints, 'ab' and 'wb'");
    add_hinge(ctx, model, "ba", b, a, &origin, 0.0);
    iso_world* world = NULL;
    CHECK_STATUS(ctx, iso_world_create(ctx, model, NULL, &world), ISO_ERR_ARGUMENT);
    CHECK_ERROR(ctx, "form a loop");
    assert_null(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

static void bad_settings_are_refused(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_model(ctx);
    iso_world* world = NULL;
    const double steps[] = {0.0, -1e-3, NAN, INFINITY, 10.0};
    for (int i = 0; i < 5; ++i) {
        iso_world_desc desc = iso_world_desc_default();
        desc.time_step = steps[i];
        CHECK_STATUS(ctx, iso_world_create(ctx, model, &desc, &world), ISO_ERR_RANGE);
        CHECK_ERROR(ctx, "expected in (0, 1]");
    }
    iso_world_desc desc = iso_world_desc_default();
    desc.thread_count = 0;
    CHECK_STATUS(ctx, iso_world_create(ctx, model, &desc, &world), ISO_ERR_RANGE);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

static void bodies_come_depth_first_in_the_order_of_names(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_model(ctx);
    iso_vec3 moments = iso_vec3_make(1.0, 1.0, 1.0);
    iso_pose origin = iso_pose_identity();
    int z = add_body(ctx, model, "m::z", 1.0, moments);
    int c = add_body(ctx, model, "m::c", 1.0, moments);
    int a = add_body(ctx, model, "m::a", 1.0, moments);
    (void)z;
    add_hinge(ctx, model, "ca", c, a, &origin, 0.0);
    iso_world* world = make_world(ctx, model, NULL);
    assert_string_equal(iso_world_body_name(world, 0), "world");
    assert_string_equal(iso_world_body_name(world, 1), "m::c");
    assert_string_equal(iso_world_body_name(world, 2), "m::a");
    assert_string_equal(iso_world_body_name(world, 3), "m::z");
    assert_int_equal(iso_world_find_body(world, "z"), 3);
    assert_int_equal(iso_world_find_body(world, "nobody"), -1);
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

static void adjacent_and_welded_bodies_do_not_collide(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_model(ctx);
    iso_pose origin = iso_pose_identity();
    int a = add_cube(ctx, model, "a", 0.5, &origin);
    int b = add_cube(ctx, model, "b", 0.5, &origin);
    int c = add_cube(ctx, model, "c", 0.5, &origin);
    int d = add_cube(ctx, model, "d", 0.5, &origin);
    iso_joint_desc joint = iso_joint_desc_default();
    joint.name = "hinge";
    joint.kind = ISO_JOINT_REVOLUTE;
    joint.parent = a;
    joint.child = b;
    CHECK_OK(ctx, iso_model_add_joint(model, &joint, NULL));
    joint.name = "weld";
    joint.kind = ISO_JOINT_WELD;
    joint.parent = b;
    joint.child = c;
    joint.x_pf = iso_pose_from_position(iso_vec3_make(0.01, 0.0, 0.0));
    CHECK_OK(ctx, iso_model_add_joint(model, &joint, NULL));
    CHECK_OK(ctx, iso_model_exclude_pair(model, a, d));
    // Not exactly on top of each other: equal gradients have no contact surface.
    iso_pose moved =
        iso_pose_make(iso_mat3_from_rpy(0.1, 0.2, 0.3), iso_vec3_make(0.02, 0.03, 0.05));
    CHECK_OK(ctx, iso_model_set_free_pose(model, d, &moved));
    iso_world* world = make_world(ctx, model, NULL);
    CHECK_OK(ctx, iso_world_update_contacts(world));
    // Left are (a, c), (b, d) and (c, d); a and c differ by a shift along x only.
    for (int i = 0; i < iso_world_contact_count(world); ++i) {
        iso_contact contact = iso_world_contact(world, i);
        const char *first = contact.body_name_a, *second = contact.body_name_b;
        bool is_allowed = (first[0] == 'a' && second[0] == 'c') ||
                          (first[0] == 'b' && second[0] == 'd') ||
                          (first[0] == 'c' && second[0] == 'd');
        assert_true(is_allowed);
    }
    assert_true(iso_world_contact_count(world) >= 2);
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

static void a_model_edited_into_nonsense_makes_no_world(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_model(ctx);
    iso_world* world = NULL;
    int a = add_body(ctx, model, "a", 1.0, iso_vec3_make(1.0, 1.0, 1.0));
    int b = add_body(ctx, model, "b", 1.0, iso_vec3_make(1.0, 1.0, 1.0));
    iso_pose identity = iso_pose_identity();
    add_hinge(ctx, model, "hinge a", ISO_WORLD_BODY, a, &identity, 0.0);
    add_hinge(ctx, model, "hinge b", a, b, &identity, 0.0);
    iso_actuator_desc actuator = iso_actuator_desc_default();
    actuator.name = "drive";
    CHECK_OK(ctx, iso_model_add_actuator(model, &actuator, NULL));
    iso_joint_desc* hinge = iso_model_joint(model, 1);

    hinge->child = 1 << 28;
    CHECK_STATUS(ctx, iso_world_create(ctx, model, NULL, &world), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "joint 'hinge b': parent 1, child 268435456");
    hinge->child = a;
    hinge->parent = ISO_WORLD_BODY;
    CHECK_STATUS(ctx, iso_world_create(ctx, model, NULL, &world), ISO_ERR_UNSUPPORTED);
    CHECK_ERROR(ctx, "body 'a' is the child of two joints, 'hinge a' and 'hinge b'");
    hinge->child = b;
    hinge->kind = (iso_joint_kind)55;
    CHECK_STATUS(ctx, iso_world_create(ctx, model, NULL, &world), ISO_ERR_ARGUMENT);
    CHECK_ERROR(ctx, "joint 'hinge b': unknown kind 55");
    hinge->kind = ISO_JOINT_WELD;
    iso_model_actuator(model, 0)->joint = -(1 << 20);
    CHECK_STATUS(ctx, iso_world_create(ctx, model, NULL, &world), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "actuator 'drive': joint index -1048576, expected in [0, 2)");
    iso_model_actuator(model, 0)->joint = 1;
    CHECK_STATUS(ctx, iso_world_create(ctx, model, NULL, &world), ISO_ERR_ARGUMENT);
    CHECK_ERROR(ctx, "joint 'hinge b' has not exactly one degree of freedom");
    iso_model_actuator(model, 0)->joint = 0;
    iso_model_body(model, b)->mass = -1.0;
    CHECK_STATUS(ctx, iso_world_create(ctx, model, NULL, &world), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "body 'b': mass is -1 kg");
    assert_null(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

static void poses_that_are_not_rigid_are_refused(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_model(ctx);
    int body = add_body(ctx, model, "a", 1.0, iso_vec3_make(1.0, 1.0, 1.0));
    iso_pose doubled = iso_pose_make(iso_mat3_diagonal(2.0, 2.0, 2.0), iso_vec3_zero());
    iso_pose zero = {.p = {0.0, 0.0, 0.0}};
    iso_geometry_desc geometry = iso_geometry_desc_default();
    geometry.name = "ball";
    geometry.x_bg = doubled;
    CHECK_STATUS(ctx, iso_model_add_geometry(model, body, &geometry, NULL), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "geometry 'ball': the rotation of pose x_bg is");
    iso_visual_desc visual = iso_visual_desc_default();
    visual.name = "ball";
    visual.x_bg = zero;
    CHECK_STATUS(ctx, iso_model_add_visual(model, body, &visual, NULL), ISO_ERR_RANGE);
    CHECK_STATUS(ctx, iso_model_set_free_pose(model, body, &zero), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "body 'a': the rotation of pose x_wb is");
    iso_world* world = make_world(ctx, model, NULL);
    CHECK_STATUS(ctx, iso_world_set_free_body(world, 1, &zero, iso_spatial_zero()), ISO_ERR_RANGE);
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

/// 1e308 m is no place: squares overflow. The state stays as it was.
static void poses_and_velocities_beyond_all_proportion_are_refused(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_model(ctx);
    int body = add_body(ctx, model, "a", 1.0, iso_vec3_make(1.0, 1.0, 1.0));
    iso_pose far = iso_pose_from_position(iso_vec3_make(0.0, -1e308, 0.0));
    iso_pose edge = iso_pose_from_position(iso_vec3_make(0.0, 0.0, 1e12));
    iso_spatial still = iso_spatial_zero(), fast = still, spinning = still;
    fast.translational.x = -2e12;
    spinning.rotational.z = 1e300;
    CHECK_STATUS(ctx, iso_model_set_free_pose(model, body, &far), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "body 'a': pose x_wb is at (");
    CHECK_STATUS(ctx, iso_model_set_free_twist(model, body, fast), ISO_ERR_RANGE);
    iso_world* world = make_world(ctx, model, NULL);
    uint64_t hash = iso_world_state_hash(world);
    double q[7] = {1.0, 0.0, 0.0, 0.0, 0.0, 1e13, 0.0}, v[6] = {0.0, 0.0, 1e200};
    CHECK_STATUS(ctx, iso_world_set_free_body(world, 1, &far, still), ISO_ERR_RANGE);
    CHECK_STATUS(ctx, iso_world_set_free_body(world, 1, &edge, fast), ISO_ERR_RANGE);
    CHECK_ERROR(ctx,
                "body 'a': velocities are up to 2e+12 m/s and 0 rad/s, expected at most 1e+12");
    CHECK_STATUS(ctx, iso_world_set_free_body(world, 1, &edge, spinning), ISO_ERR_RANGE);
    CHECK_STATUS(ctx, iso_world_set_state(world, q, NULL), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "position 5 of the joint above body 'a' is 1e+13, expected at most 1e+12");
    CHECK_STATUS(ctx, iso_world_set_state(world, NULL, v), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "velocity 2 (of the joint above body 'a') is 1e+200, expected at most 1e+12");
    assert_true(iso_world_state_hash(world) == hash);
    fast.translational.x = 1e12;
    CHECK_OK(ctx, iso_world_set_free_body(world, 1, &edge, fast));
    CHECK_OK(ctx, iso_world_step(world));
    assert_true(iso_vec3_is_finite(iso_world_body_pose(world, 1).p));
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

static void inline_meshes_are_checked_before_they_are_copied(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_model(ctx);
    iso_vec3 vertices[3] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
    int triangles[1][3] = {{0, 1, 3}};
    iso_tri_mesh mesh = {3, 1, NULL, triangles};
    iso_geometry_desc geometry = iso_geometry_desc_default();
    geometry.name = "sheet";
    geometry.shape = iso_shape_desc_default(ISO_SHAPE_MESH);
    geometry.shape.surface = &mesh;
    CHECK_STATUS(ctx, iso_model_add_geometry(model, 0, &geometry, NULL), ISO_ERR_ARGUMENT);
    CHECK_ERROR(ctx, "geometry 'sheet': surface mesh: an array is missing");
    mesh.vertices = vertices;
    CHECK_STATUS(ctx, iso_model_add_geometry(model, 0, &geometry, NULL), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "geometry 'sheet': triangle 0 names vertex 3");
    mesh.triangle_count = -1;
    CHECK_STATUS(ctx, iso_model_add_geometry(model, 0, &geometry, NULL), ISO_ERR_ARGUMENT);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

static void two_half_spaces_are_reported_with_their_files(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_model(ctx);
    iso_world* world = NULL;
    int body = add_body(ctx, model, "a", 1.0, iso_vec3_make(1.0, 1.0, 1.0));
    iso_geometry_desc geometry = iso_geometry_desc_default();
    geometry.name = "floor";
    geometry.shape = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    geometry.material.compliance = ISO_COMPLIANCE_RIGID;
    geometry.source = "floor.sdf:7";
    CHECK_OK(ctx, iso_model_add_geometry(model, ISO_WORLD_BODY, &geometry, NULL));
    geometry.source = "lid.sdf:8";
    CHECK_OK(ctx, iso_model_add_geometry(model, body, &geometry, NULL));
    CHECK_STATUS(ctx, iso_world_create(ctx, model, NULL, &world), ISO_ERR_GEOMETRY);
    CHECK_ERROR(ctx, "floor.sdf:7");
    CHECK_ERROR(ctx, "lid.sdf:8");
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

static void state_changes_without_a_world_or_a_finite_sum_are_refused(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_model(ctx);
    int body = add_body(ctx, model, "a", 1.0, iso_vec3_make(1.0, 1.0, 1.0));
    iso_actuation actuation = {0.0, 0.0, 0.0};
    iso_pose identity = iso_pose_identity();
    iso_spatial push = iso_spatial_make(iso_vec3_zero(), iso_vec3_make(1.5e308, 0.0, 0.0));
    CHECK_STATUS(ctx, iso_world_set_joint(NULL, 0, 0.0, 0.0), ISO_ERR_ARGUMENT);
    CHECK_STATUS(ctx, iso_world_set_free_body(NULL, 1, &identity, push), ISO_ERR_ARGUMENT);
    CHECK_STATUS(ctx, iso_world_set_actuation(NULL, 0, &actuation), ISO_ERR_ARGUMENT);
    CHECK_STATUS(ctx, iso_world_apply_wrench(NULL, 1, push), ISO_ERR_ARGUMENT);
    iso_world* world = make_world(ctx, model, NULL);
    CHECK_OK(ctx, iso_world_apply_wrench(world, body, push));
    CHECK_STATUS(ctx, iso_world_apply_wrench(world, body, push), ISO_ERR_RANGE);
    assert_int_equal(iso_world_find_body(world, NULL), -1);
    assert_int_equal(iso_world_find_joint(world, NULL), -1);
    assert_int_equal(iso_world_find_actuator(world, NULL), -1);
    assert_int_equal(iso_model_find_body(model, NULL), -1);
    assert_int_equal(iso_model_find_joint(model, NULL), -1);
    assert_int_equal(iso_model_find_actuator(model, NULL), -1);
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

static iso_status attempt_world(iso_context* ctx, void* user) {
    (void)user;
    iso_model* model = NULL;
    iso_world* world = NULL;
    iso_geometry_desc geometry = iso_geometry_desc_default();
    geometry.name = "skin";
    geometry.shape = iso_shape_desc_default(ISO_SHAPE_BOX);
    iso_body_desc body = iso_body_desc_default();
    body.name = "m::body";
    iso_joint_desc joint = iso_joint_desc_default();
    joint.name = "m::joint";
    joint.kind = ISO_JOINT_PRISMATIC;
    joint.child = 1;
    iso_actuator_desc actuator = iso_actuator_desc_default();
    actuator.name = "m::drive";
    iso_status status = iso_model_create(ctx, &model);
    if (status == ISO_OK) {
        status = iso_model_add_body(model, &body, NULL);
    }
    if (status == ISO_OK) {
        status = iso_model_add_geometry(model, 1, &geometry, NULL);
    }
    if (status == ISO_OK) {
        status = iso_model_add_joint(model, &joint, NULL);
    }
    if (status == ISO_OK) {
        status = iso_model_add_actuator(model, &actuator, NULL);
    }
    if (status == ISO_OK) {
        status = iso_world_create(ctx, model, NULL, &world);
    }
    if (status == ISO_OK) {
        status = iso_world_step(world);
    }
    iso_world_destroy(world);
    iso_model_destroy(model);
    return status;
}

static void a_world_survives_every_allocation_failure(void** state) {
    (void)state;
    assert_true(check_every_allocation_failure(attempt_world, NULL) > 20);
}

/// Two cubes on the ground, pressed by a third; three threads.
static iso_status attempt_contacts(iso_context* ctx, void* user) {
    iso_model* model = NULL;
    iso_world* world = NULL;
    iso_geometry_desc geometry = iso_geometry_desc_default();
    geometry.name = "skin";
    geometry.shape = iso_shape_desc_default(ISO_SHAPE_BOX);
    geometry.shape.size = iso_vec3_make(0.1, 0.1, 0.1);
    iso_world_desc desc = iso_world_desc_default();
    desc.method = *(const iso_method*)user;
    desc.thread_count = 3;
    static const char* const names[] = {"a", "b", "c"};
    iso_status status = iso_model_create(ctx, &model);
    for (int i = 0; i < 3 && status == ISO_OK; ++i) {
        iso_body_desc body = iso_body_desc_default();
        body.name = names[i];
        iso_pose x_wb = iso_pose_from_position(iso_vec3_make(0.12 * i, 0.0, 0.049));
        x_wb.p = i == 2 ? iso_vec3_make(0.06, 0.0, 0.147) : x_wb.p;
        status = iso_model_add_body(model, &body, NULL);
        status = status == ISO_OK ? iso_model_set_free_pose(model, i + 1, &x_wb) : status;
        status = status == ISO_OK ? iso_model_add_geometry(model, i + 1, &geometry, NULL) : status;
    }
    geometry.shape = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    geometry.material.compliance = ISO_COMPLIANCE_RIGID;
    status = status == ISO_OK ? iso_model_add_geometry(model, 0, &geometry, NULL) : status;
    status = status == ISO_OK ? iso_world_create(ctx, model, &desc, &world) : status;
    status = status == ISO_OK ? iso_world_update_contacts(world) : status;
    for (int i = 0; i < 2 && status == ISO_OK; ++i) {
        status = iso_world_step(world);
        CHECK(status != ISO_OK || iso_world_contact_count(world) == 4, "%d contacts",
              iso_world_contact_count(world));
    }
    iso_world_destroy(world);
    iso_model_destroy(model);
    return status;
}

static void steps_with_contacts_survive_every_allocation_failure(void** state) {
    (void)state;
    TEST_SKIP_IF_WATCHED_FOR_RACES();
    iso_method methods[] = {ISO_METHOD_LAGGED, ISO_METHOD_RK4};
    for (int i = 0; i < 2; ++i) {
        assert_true(check_every_allocation_failure(attempt_contacts, &methods[i]) > 100);
    }
}

/// With any part of the scratch that a step takes, and no more to be had: an error that leaves the
/// state as it was.
static void steps_survive_every_lack_of_scratch(void** state) {
    (void)state;
    TEST_SKIP_IF_WATCHED_FOR_RACES();
    const int methods = ISO_METHOD_TAMSI + 1;
    for (int k = 0; k < 2 * methods; ++k) {
        int method = k % methods;
        iso_context* ctx = test_context();
        iso_world_desc desc = iso_world_desc_default();
        desc.method = (iso_method)method;
        iso_mat3 flat = iso_mat3_identity();
        iso_model* model = make_model(ctx);
        add_ground(ctx, model, 0.5, &flat);
        for (int i = 0; i < 2; ++i) { // one on the other, or in the air and held together
            double high = k < methods ? 0.0 : 1.0 + i;
            iso_pose x_wb =
                iso_pose_from_position(iso_vec3_make(0.02 * i, 0.0, 0.049 + 0.098 * i + high));
            add_cube(ctx, model, i == 0 ? "low" : "high", 0.5, &x_wb);
        }
        if (k >= methods) {
            iso_constraint_desc rod = iso_constraint_desc_default();
            rod.name = "rod";
            rod.kind = ISO_CONSTRAINT_DISTANCE;
            rod.body_a = 1;
            rod.body_b = 2;
            rod.length = iso_vec3_norm(iso_vec3_make(0.02, 0.0, 1.098));
            CHECK_OK(ctx, iso_model_add_constraint(model, &rod, NULL));
        }
        iso_world* world = make_world(ctx, model, &desc);
        step_many(ctx, world, 3);
        char saved[8192];
        size_t size = 0;
        CHECK_OK(ctx, iso_world_save(world, saved, sizeof saved, &size));
        uint64_t before = iso_world_state_hash(world);
        step_many(ctx, world, 1);
        uint64_t after = iso_world_state_hash(world);
        for (int i = 0; i < 2; ++i) { // contacts of bodies that stand where they stood are kept
            CHECK_OK(ctx, iso_world_restore(world, saved, size));
            step_many(ctx, world, 1);
        }
        iso_arena* arena = &world->stepper->arena;
        size_t peak = arena->peak;
        int failed_count = 0;
        // Less than a Jacobian of six rows takes.
        const size_t stride = TEST_ROUNDS(4, 32) * ISO_ARENA_ALIGNMENT;
        for (size_t room = 0; room < peak; room += stride) {
            CHECK_OK(ctx, iso_world_restore(world, saved, size));
            iso_arena_destroy(arena);
            CHECK_OK(ctx, iso_arena_init(arena, ctx, room));
            test_heap_of(ctx)->fail_index = test_heap_of(ctx)->call_count;
            iso_status status = iso_world_step(world);
            test_heap_of(ctx)->fail_index = -1;
            // What a step only looks at it may do without, and end as it would have.
            bool is_whole = status == ISO_OK && iso_world_state_hash(world) == after;
            CHECK(is_whole || status == ISO_ERR_MEMORY, "method %d, %zu bytes: %s", method, room,
                  iso_context_error(ctx));
            assert_true(is_whole || iso_world_state_hash(world) == before);
            failed_count += !is_whole;
        }
        assert_true(failed_count > 1);
        CHECK_OK(ctx, iso_world_restore(world, saved, size));
        CHECK_OK(ctx, iso_world_step(world)); // and it goes on
        assert_true(iso_world_state_hash(world) == after);
        iso_world_destroy(world);
        iso_model_destroy(model);
        test_context_destroy(ctx);
    }
}

// Each bound from both sides, the message with the value.
static void efforts_and_gains_of_actuators_are_checked(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    static const struct {
        double limit, lower, upper, kp, kd;
        const char* text; // NULL: good
    } cases[] = {
        {INFINITY, -INFINITY, INFINITY, 0.0, 0.0, NULL},
        {2.0, -1.0, 3.0, 5.0, 0.1, NULL},
        {2.0, 1.9, INFINITY, 0.0, 0.0, NULL},
        {0.0, -INFINITY, INFINITY, 0.0, 0.0, "actuator 'a': effort limit is 0, expected > 0"},
        {NAN, -INFINITY, INFINITY, 0.0, 0.0, "actuator 'a': effort limit is nan, expected > 0"},
        {2.0, 1.0, 1.0, 0.0, 0.0, "effort is 1 to 1, expected to rise and to meet +-2"},
        {2.0, 2.0, 3.0, 0.0, 0.0, "effort is 2 to 3, expected to rise and to meet +-2"},
        {2.0, -3.0, -2.0, 0.0, 0.0, "effort is -3 to -2, expected to rise and to meet +-2"},
        {2.0, NAN, 3.0, 0.0, 0.0, "effort is nan to 3"},
        {2.0, -1.0, 1.0, -1e-3, 0.0, "gains kp -0.001, kd 0, expected finite and >= 0"},
        {2.0, -1.0, 1.0, 0.0, -1e-3, "gains kp 0, kd -0.001, expected finite and >= 0"},
        {2.0, -1.0, 1.0, INFINITY, 0.0, "gains kp inf, kd 0"},
        {2.0, -1.0, 1.0, 0.0, NAN, "gains kp 0, kd nan"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        iso_actuator_desc desc = iso_actuator_desc_default();
        desc.name = "a";
        desc.effort_limit = cases[i].limit;
        desc.effort_lower = cases[i].lower;
        desc.effort_upper = cases[i].upper;
        desc.kp = cases[i].kp;
        desc.kd = cases[i].kd;
        if (cases[i].text == NULL) {
            CHECK_OK(ctx, iso_actuator_desc_check(ctx, &desc));
        } else {
            CHECK_STATUS(ctx, iso_actuator_desc_check(ctx, &desc), ISO_ERR_RANGE);
            CHECK_ERROR(ctx, cases[i].text);
        }
    }
    iso_actuator_desc nameless = iso_actuator_desc_default();
    CHECK_OK(ctx, iso_actuator_desc_check(ctx, &nameless));
    nameless.kp = -1.0;
    CHECK_STATUS(ctx, iso_actuator_desc_check(ctx, &nameless), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "actuator '': gains kp -1, kd 0");
    CHECK_STATUS(ctx, iso_actuator_desc_check(ctx, NULL), ISO_ERR_ARGUMENT);
    CHECK_ERROR(ctx, "desc is required");
    test_context_destroy(ctx);
}

enum { EDITED_BODIES = 6 };

static iso_model* model_of_bodies(iso_context* ctx) {
    static const char* const k_names[EDITED_BODIES] = {"a", "b", "c", "d", "e", "f"};
    iso_model* model = make_model(ctx);
    for (int i = 0; i < EDITED_BODIES; ++i) {
        iso_body_desc body = iso_body_desc_default();
        body.name = k_names[i];
        body.mass = 1.0;
        body.inertia = iso_mat3_diagonal(1.0, 1.0, 1.0);
        CHECK_OK(ctx, iso_model_add_body(model, &body, NULL));
    }
    return model;
}

// A model made anew with the joints of another, in their order; with a joint more, which it takes
// or not.
static iso_status add_anew(iso_context* ctx, iso_model* edited, const iso_joint_desc* last) {
    iso_model* model = model_of_bodies(ctx);
    iso_status status = ISO_OK;
    int count = iso_model_joint_count(edited);
    for (int j = 0; j < count && status == ISO_OK; ++j) {
        status = iso_model_add_joint(model, iso_model_joint(edited, j), NULL);
    }
    status = status == ISO_OK ? iso_model_add_joint(model, last, NULL) : status;
    iso_model_destroy(model);
    return status;
}

// Children that a joint leaves are free and those that it takes are not, at once.
static void an_edited_model_takes_the_joints_that_one_made_anew_does(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    test_random random = test_random_make(416);
    int taken = 0, refused = 0;
    for (int draw = 0; draw < 200; ++draw) {
        iso_model* model = model_of_bodies(ctx);
        bool is_child[EDITED_BODIES + 1] = {true};
        for (int k = 0; k < 8; ++k) {
            int count = iso_model_joint_count(model);
            int child = 1 + (int)test_random_uniform(&random, 0.0, EDITED_BODIES - 1e-9);
            if (count > 0 && test_random_uniform(&random, 0.0, 1.0) < 0.5 && !is_child[child]) {
                int joint = (int)test_random_uniform(&random, 0.0, count - 1e-9);
                iso_joint_desc* desc = iso_model_joint(model, joint);
                is_child[desc->child] = false;
                is_child[child] = true;
                desc->child = child;
                continue;
            }
            static const char* const k_names[] = {"s", "t", "u", "v", "w", "x", "y", "z"};
            iso_joint_desc joint = iso_joint_desc_default();
            joint.name = k_names[k];
            joint.parent = ISO_WORLD_BODY;
            joint.child = child;
            iso_status expected = add_anew(ctx, model, &joint);
            CHECK_STATUS(ctx, iso_model_add_joint(model, &joint, NULL), expected);
            taken += expected == ISO_OK;
            refused += expected != ISO_OK;
            is_child[child] = true;
        }
        iso_model_destroy(model);
    }
    CHECK(taken > 100 && refused > 100, "%d joints taken, %d refused", taken, refused);
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_bodies_are_refused_with_name_value_and_range),
        cmocka_unit_test(bad_geometries_are_refused),
        cmocka_unit_test(loops_of_joints_are_refused),
        cmocka_unit_test(bad_settings_are_refused),
        cmocka_unit_test(bodies_come_depth_first_in_the_order_of_names),
        cmocka_unit_test(adjacent_and_welded_bodies_do_not_collide),
        cmocka_unit_test(a_model_edited_into_nonsense_makes_no_world),
        cmocka_unit_test(poses_that_are_not_rigid_are_refused),
        cmocka_unit_test(poses_and_velocities_beyond_all_proportion_are_refused),
        cmocka_unit_test(inline_meshes_are_checked_before_they_are_copied),
        cmocka_unit_test(two_half_spaces_are_reported_with_their_files),
        cmocka_unit_test(state_changes_without_a_world_or_a_finite_sum_are_refused),
        cmocka_unit_test(a_world_survives_every_allocation_failure),
        cmocka_unit_test(steps_with_contacts_survive_every_allocation_failure),
        cmocka_unit_test(steps_survive_every_lack_of_scratch),
        cmocka_unit_test(efforts_and_gains_of_actuators_are_checked),
        cmocka_unit_test(an_edited_model_takes_the_joints_that_one_made_anew_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
