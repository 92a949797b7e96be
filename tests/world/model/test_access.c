// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "support/assets.h"
#include "support/failing_context.h"
#include "support/kept_warning.h"
#include "world/scenes.h"

#include <stdio.h>
#include <string.h>

/// A cart on a rail that carries a hinged pole, and a free stone; drives on both joints.
static iso_model* make_cart(iso_context* ctx) {
    iso_model* model = make_model(ctx);
    iso_vec3 moments = iso_vec3_make(0.1, 0.1, 0.02);
    iso_pose base = iso_pose_identity();
    int cart = add_body(ctx, model, "robot::cart", 2.0, moments);
    int pole = add_body(ctx, model, "robot::pole", 1.0, moments);
    int stone = add_body(ctx, model, "stone", 0.5, moments);
    iso_joint_desc rail = iso_joint_desc_default();
    rail.name = "robot::rail";
    rail.kind = ISO_JOINT_PRISMATIC;
    rail.child = cart;
    rail.axis = iso_vec3_make(1.0, 0.0, 0.0);
    rail.position = 0.25;
    CHECK_OK(ctx, iso_model_add_joint(model, &rail, NULL));
    add_hinge(ctx, model, "robot::hinge", cart, pole, &base, 0.5);
    iso_actuator_desc drive = iso_actuator_desc_default();
    drive.name = "robot::push";
    drive.effort_limit = 3.0;
    CHECK_OK(ctx, iso_model_add_actuator(model, &drive, NULL));
    drive.name = "robot::turn";
    drive.joint = 1;
    drive.kp = 10.0;
    CHECK_OK(ctx, iso_model_add_actuator(model, &drive, NULL));
    iso_pose x_wb = iso_pose_from_position(iso_vec3_make(0.0, 5.0, 1.0));
    CHECK_OK(ctx, iso_model_set_free_pose(model, stone, &x_wb));
    return model;
}

static void joints_are_found_read_and_set(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_cart(ctx);
    iso_world* world = make_world(ctx, model, NULL);
    assert_int_equal(iso_world_joint_count(world), 2);
    assert_string_equal(iso_world_joint_name(world, 0), "robot::rail"); // as in q
    assert_int_equal(iso_world_find_joint(world, "robot::rail"), 0);
    assert_int_equal(iso_world_find_joint(world, "rail"), 0);
    assert_int_equal(iso_world_find_joint(world, "nothing"), -1);
    assert_int_equal(iso_world_joint_kind(world, 0), ISO_JOINT_PRISMATIC);
    assert_int_equal(iso_world_joint_kind(world, 1), ISO_JOINT_REVOLUTE);
    CHECK_BITS(iso_world_joint_position(world, 0), 0.25);
    CHECK_OK(ctx, iso_world_set_joint(world, 0, -0.5, 2.0));
    CHECK_BITS(iso_world_joint_position(world, 0), -0.5);
    CHECK_BITS(iso_world_joint_velocity(world, 0), 2.0);
    int cart = iso_world_find_body(world, "cart");
    CHECK_BITS(iso_world_body_pose(world, cart).p.x, -0.5);
    CHECK_BITS(iso_world_body_twist(world, cart).translational.x, 2.0);
    CHECK_STATUS(ctx, iso_world_set_joint(world, 2, 0.0, 0.0), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "joint index 2, expected in [0, 2)");
    CHECK_STATUS(ctx, iso_world_set_joint(world, 1, NAN, 0.0), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "robot::hinge");
    // Out of range: harmless values.
    assert_string_equal(iso_world_joint_name(world, -1), "");
    assert_int_equal(iso_world_joint_kind(world, 9), ISO_JOINT_WELD);
    CHECK_BITS(iso_world_joint_position(world, 9), 0.0);
    CHECK_BITS(iso_world_joint_velocity(world, 9), 0.0);
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

static void joints_tell_their_limits_and_frames(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_model(ctx);
    add_body(ctx, model, "parent", 1.0, iso_vec3_make(0.1, 0.1, 0.1));
    add_body(ctx, model, "child", 1.0, iso_vec3_make(0.1, 0.1, 0.1));
    add_body(ctx, model, "stone", 1.0, iso_vec3_make(0.1, 0.1, 0.1));
    iso_joint_desc joint = iso_joint_desc_default();
    joint.name = "rail";
    joint.kind = ISO_JOINT_PRISMATIC;
    joint.child = 1;
    joint.lower = -0.5;
    joint.velocity_limit = 3.0;
    CHECK_OK(ctx, iso_model_add_joint(model, &joint, NULL));
    joint = iso_joint_desc_default();
    joint.name = "hinge";
    joint.kind = ISO_JOINT_REVOLUTE;
    joint.parent = 1;
    joint.child = 2;
    joint.x_pf = iso_pose_make(iso_mat3_from_rpy(0.3, -0.2, 0.9), iso_vec3_make(0.1, 0.2, 0.3));
    joint.x_cm = iso_pose_make(iso_mat3_from_rpy(-0.7, 0.4, 0.1), iso_vec3_make(0.0, -0.4, 0.1));
    joint.lower = -1.0;
    joint.upper = 2.0;
    joint.position = 0.6;
    CHECK_OK(ctx, iso_model_add_joint(model, &joint, NULL));
    iso_world* world = make_world(ctx, model, NULL);
    iso_joint_limits hinge = iso_world_joint_limits(world, iso_world_find_joint(world, "hinge"));
    iso_joint_limits rail = iso_world_joint_limits(world, iso_world_find_joint(world, "rail"));
    assert_true(hinge.lower == -1.0 && hinge.upper == 2.0 && hinge.velocity == INFINITY);
    assert_true(rail.lower == -0.5 && rail.upper == INFINITY && rail.velocity == 3.0);
    const int outside[] = {-1, 2};
    for (int i = 0; i < 2; ++i) {
        iso_joint_limits none = iso_world_joint_limits(world, outside[i]);
        assert_true(none.lower == -INFINITY && none.upper == INFINITY && none.velocity == INFINITY);
    }
    // Where frame M of the hinge is, by way of the child and by way of the parent.
    int parent = iso_world_find_body(world, "parent"), child = iso_world_find_body(world, "child");
    iso_pose x_cm = iso_world_joint_frame(world, child), x_wc = iso_world_body_pose(world, child);
    iso_pose x_wp = iso_world_body_pose(world, parent);
    iso_pose x_wf = iso_pose_mul(&x_wp, &joint.x_pf);
    iso_pose turn = iso_pose_identity();
    turn.r = iso_mat3_from_rpy(0.0, 0.0, 0.6);
    CHECK_POSE_NEAR(iso_pose_mul(&x_wc, &x_cm), iso_pose_mul(&x_wf, &turn), 1e-15);
    CHECK_POSE_NEAR(x_cm, joint.x_cm, 1e-15);
    const int plain[] = {-1, ISO_WORLD_BODY, parent, iso_world_find_body(world, "stone"), 4};
    for (int i = 0; i < 5; ++i) {
        CHECK_POSE_NEAR(iso_world_joint_frame(world, plain[i]), iso_pose_identity(), 0.0);
    }
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

static void drives_push_within_their_limits(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_cart(ctx);
    iso_world_desc desc = iso_world_desc_default();
    desc.gravity = iso_vec3_zero();
    iso_world* world = make_world(ctx, model, &desc);
    assert_int_equal(iso_world_actuator_count(world), 2);
    int push = iso_world_find_actuator(world, "push");
    assert_int_equal(push, iso_world_find_actuator(world, "robot::push"));
    assert_int_equal(iso_world_find_actuator(world, "pull"), -1);
    assert_string_equal(iso_world_actuator_name(world, push), "robot::push");
    assert_string_equal(iso_world_actuator_name(world, 7), "");
    assert_int_equal(iso_world_actuator_joint(world, push), 0);
    assert_int_equal(iso_world_actuator_joint(world, 7), -1);
    iso_actuation command = {.feed_forward = 50.0};
    CHECK_OK(ctx, iso_world_set_actuation(world, push, &command));
    CHECK_OK(ctx, iso_world_step(world));
    CHECK_NEAR(iso_world_joint_effort(world, 0), 3.0, 1e-9); // measured 0: clamped
    assert_true(iso_world_joint_velocity(world, 0) > 0.0);
    command.position = INFINITY;
    CHECK_STATUS(ctx, iso_world_set_actuation(world, push, &command), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "robot::push");
    CHECK_STATUS(ctx, iso_world_set_actuation(world, 2, &command), ISO_ERR_RANGE);
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

static void bodies_are_moved_and_pushed(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_cart(ctx);
    iso_world_desc desc = iso_world_desc_default();
    desc.gravity = iso_vec3_zero();
    iso_world* world = make_world(ctx, model, &desc);
    int stone = iso_world_find_body(world, "stone");
    iso_pose x_wb = iso_pose_from_position(iso_vec3_make(1.0, 2.0, 3.0));
    iso_spatial v_wb = iso_spatial_make(iso_vec3_zero(), iso_vec3_make(0.0, 0.0, 1.0));
    CHECK_OK(ctx, iso_world_set_free_body(world, stone, &x_wb, v_wb));
    CHECK_VEC3_NEAR(iso_world_body_pose(world, stone).p, x_wb.p, 0.0);
    iso_spatial push = iso_spatial_make(iso_vec3_zero(), iso_vec3_make(5.0, 0.0, 0.0));
    CHECK_OK(ctx, iso_world_apply_wrench(world, stone, push));
    CHECK_OK(ctx, iso_world_step(world));
    CHECK_OK(ctx, iso_world_step(world)); // the wrench acted for one step only
    CHECK_NEAR(iso_world_body_twist(world, stone).translational.x, 5.0 / 0.5 * 1e-3,
               1e-16); // measured 0
    CHECK_STATUS(ctx, iso_world_set_free_body(world, 1, &x_wb, v_wb), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "does not float freely");
    CHECK_STATUS(ctx, iso_world_apply_wrench(world, 99, push), ISO_ERR_RANGE);
    push.rotational.x = NAN;
    CHECK_STATUS(ctx, iso_world_apply_wrench(world, stone, push), ISO_ERR_RANGE);
    CHECK_BITS(iso_world_body_mass(world, stone), 0.5);
    CHECK_BITS(iso_world_body_mass(world, 99), 0.0);
    assert_string_equal(iso_world_body_name(world, 99), "");
    assert_true(iso_world_body_is_fixed(world, 0));
    assert_false(iso_world_body_is_fixed(world, stone));
    assert_string_equal(iso_world_contact(world, 0).body_name_a, "");
    assert_ptr_equal(iso_world_context(world), ctx);
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

static void add_ball_visual(iso_context* ctx, iso_model* model, int body, const char* name,
                            const char* path) {
    iso_visual_desc desc = iso_visual_desc_default();
    desc.name = name;
    if (path != NULL) {
        desc.shape = iso_shape_desc_default(ISO_SHAPE_MESH);
        desc.shape.path = path;
    }
    CHECK_OK(ctx, iso_model_add_visual(model, body, &desc, NULL));
}

static void visuals_are_shown_when_asked_for_and_missing_ones_left_out(void** state) {
    (void)state;
    kept_warning kept;
    iso_context* ctx = warned_context(&kept);
    iso_model* model = make_model(ctx);
    iso_pose origin = iso_pose_identity();
    int cube = add_cube(ctx, model, "cube", 0.5, &origin);
    add_ball_visual(ctx, model, cube, "ball", NULL);
    add_ball_visual(ctx, model, cube, "lost", "no_such_mesh.obj");
    iso_world* plain = make_world(ctx, model, NULL);
    assert_int_equal(iso_world_body_surface_count(plain, 1), 1);
    assert_string_equal(kept.text, "");
    iso_world_desc desc = iso_world_desc_default();
    desc.load_visuals = true;
    iso_world* shown = make_world(ctx, model, &desc);
    CHECK_TEXT(kept.text, "visual 'lost' of body 'cube' is not shown");
    assert_int_equal(iso_world_body_surface_count(shown, 1), 2);
    iso_body_surface collision = iso_world_body_surface(shown, 1, 0);
    iso_body_surface visual = iso_world_body_surface(shown, 1, 1);
    assert_true(collision.is_collision);
    assert_int_equal(collision.mesh->triangle_count, 24);
    assert_false(visual.is_collision);
    assert_string_equal(visual.name, "ball");
    assert_true(visual.mesh->triangle_count >= 8);
    assert_null(iso_world_body_surface(shown, 1, 2).mesh);
    iso_world_destroy(plain);
    iso_world_destroy(shown);
    iso_model_destroy(model);
    iso_context_destroy(ctx);
}

static void odd_triangles_of_a_visual_are_shown_without_a_warning(void** state) {
    (void)state;
    kept_warning kept;
    char path[TEST_PATH_SIZE];
    FILE* file = fopen(temp_path(path, "odd_visual.obj"), "wb");
    assert_non_null(file);
    (void)fputs("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 2 0 0\nf 1 2 3\nf 1 2 4\nf 1 1 2\n", file);
    assert_int_equal(fclose(file), 0);
    iso_context* ctx = warned_context(&kept);
    iso_tri_mesh mesh;
    CHECK_OK(ctx, iso_tri_mesh_load(ctx, path, iso_vec3_make(1.0, 1.0, 1.0), &mesh));
    assert_int_equal(kept.count, 2); // two corners in one place; no area
    iso_tri_mesh_destroy(ctx, &mesh);
    iso_model* model = make_model(ctx);
    iso_pose origin = iso_pose_identity();
    int cube = add_cube(ctx, model, "cube", 0.5, &origin);
    add_ball_visual(ctx, model, cube, "odd", path);
    add_ball_visual(ctx, model, cube, "lost", "no_such_mesh.obj");
    iso_world_desc desc = iso_world_desc_default();
    desc.load_visuals = true;
    iso_world* world = make_world(ctx, model, &desc);
    assert_int_equal(kept.count, 3); // what is missing is said still
    CHECK_TEXT(kept.text, "visual 'lost' of body 'cube' is not shown");
    assert_int_equal(iso_world_body_surface(world, 1, 1).mesh->triangle_count, 2);
    iso_world_destroy(world);
    iso_model_destroy(model);
    iso_context_destroy(ctx);
    assert_int_equal(remove(path), 0);
}

// One file as it is, twice; larger; as its hull: what was read before is taken for the first alone.
static void visuals_of_one_file_differ_in_scale_and_kind(void** state) {
    (void)state;
    char path[TEST_PATH_SIZE];
    FILE* file = fopen(temp_path(path, "shared_visual.obj"), "wb");
    assert_non_null(file);
    (void)fputs("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv .1 .1 .1\nf 1 3 2\nf 1 2 4\nf 3 5 4\n",
                file);
    assert_int_equal(fclose(file), 0);
    iso_context* ctx = test_context();
    iso_model* model = make_model(ctx);
    iso_pose origin = iso_pose_identity();
    int cube = add_cube(ctx, model, "cube", 0.5, &origin);
    const double scales[] = {1.0, 3.0, 1.0, 1.0, 3.0};
    const char* names[] = {"a", "b", "c", "d", "e"};
    for (int i = 0; i < 5; ++i) {
        iso_visual_desc desc = iso_visual_desc_default();
        desc.name = names[i];
        desc.shape = iso_shape_desc_default(i == 2 ? ISO_SHAPE_CONVEX : ISO_SHAPE_MESH);
        desc.shape.path = path;
        desc.shape.scale.x = scales[i];
        CHECK_OK(ctx, iso_model_add_visual(model, cube, &desc, NULL));
    }
    iso_world_desc desc = iso_world_desc_default();
    desc.load_visuals = true;
    iso_world* world = make_world(ctx, model, &desc);
    assert_int_equal(remove(path), 0);
    for (int i = 0; i < 5; ++i) {
        const iso_body_surface surface = iso_world_body_surface(world, 1, 1 + i);
        assert_string_equal(surface.name, names[i]);
        assert_int_equal(surface.mesh->triangle_count, i == 2 ? 4 : 3);
        double width = 0.0;
        for (int k = 0; k < surface.mesh->vertex_count; ++k) {
            width = fmax(width, surface.mesh->vertices[k].x);
        }
        CHECK_BITS(width, scales[i]);
    }
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

static void indices_out_of_range_have_harmless_values(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_cart(ctx);
    iso_world* world = make_world(ctx, model, NULL);
    const int outside[] = {-1, 1 << 20};
    for (int i = 0; i < 2; ++i) {
        int index = outside[i];
        assert_string_equal(iso_world_constraint(world, index).name, "");
        assert_string_equal(iso_world_coupler(world, index).name, "");
        assert_int_equal(iso_world_coupler(world, index).joint_a, -1);
        assert_string_equal(iso_world_fixed_tendon(world, index).name, "");
        assert_string_equal(iso_world_contact(world, index).body_name_a, "");
        assert_string_equal(iso_world_actuator_name(world, index), "");
        assert_int_equal(iso_world_actuator_joint(world, index), -1);
        assert_int_equal(iso_world_actuator_fixed_tendon(world, index), -1);
        CHECK_BITS(iso_world_actuation(world, index).position, 0.0);
        CHECK_BITS(iso_world_actuator_gains(world, index).kp, 0.0);
        assert_string_equal(iso_world_joint_name(world, index), "");
        assert_int_equal(iso_world_joint_body(world, index), -1);
        CHECK_BITS(iso_world_joint_position(world, index), 0.0);
        CHECK_BITS(iso_world_body_mass(world, index), 0.0);
        assert_int_equal(iso_world_body_surface_count(world, index), 0);
        assert_null(iso_world_body_surface(world, index, 0).mesh);
        assert_null(iso_world_body_surface(world, 0, index).mesh);
    }
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

static void inline_meshes_are_copied(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_model(ctx);
    iso_vec3 vertices[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.2, 0.2, 0.2}};
    int tets[4][4] = {{0, 1, 2, 4}, {0, 3, 1, 4}, {0, 2, 3, 4}, {1, 3, 2, 4}};
    int triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    iso_tet_mesh volume = {5, 4, vertices, tets};
    iso_tri_mesh surface = {4, 4, vertices, triangles};
    int body = add_body(ctx, model, "tet", 1.0, iso_vec3_make(1.0, 1.0, 1.0));
    iso_geometry_desc desc = iso_geometry_desc_default();
    desc.shape = iso_shape_desc_default(ISO_SHAPE_MESH);
    desc.name = "volume";
    desc.shape.volume = &volume;
    CHECK_OK(ctx, iso_model_add_geometry(model, body, &desc, NULL));
    desc.name = "surface";
    desc.shape.volume = NULL;
    desc.shape.surface = &surface;
    desc.material.compliance = ISO_COMPLIANCE_RIGID;
    CHECK_OK(ctx, iso_model_add_geometry(model, body, &desc, NULL));
    memset(vertices, 0, sizeof vertices); // the model has its own
    memset(tets, 0, sizeof tets);
    memset(triangles, 0, sizeof triangles);
    iso_world* world = make_world(ctx, model, NULL);
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(iso_world_body_surface(world, 1, i).mesh->triangle_count, 4);
    }
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

static void parts_of_a_model_are_listed_and_edited(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_cart(ctx);
    assert_int_equal(iso_model_body_count(model), 4);
    assert_int_equal(iso_model_joint_count(model), 2);
    assert_int_equal(iso_model_actuator_count(model), 2);
    assert_int_equal(iso_model_geometry_count(model), 0);
    assert_int_equal(iso_model_visual_count(model), 0);
    assert_string_equal(iso_model_body(model, 0)->name, "world");
    assert_int_equal(iso_model_find_joint(model, "robot::hinge"), 1);
    assert_int_equal(iso_model_find_joint(model, "hinge"), -1);
    assert_int_equal(iso_model_find_actuator(model, "robot::turn"), 1);
    assert_int_equal(iso_model_find_actuator(model, "turn"), -1);
    assert_null(iso_model_body(model, 4));
    assert_null(iso_model_joint(model, -1));
    assert_null(iso_model_geometry(model, 0, NULL));
    assert_null(iso_model_visual(model, 0, NULL));
    assert_null(iso_model_actuator(model, 2));
    iso_model_body(model, iso_model_find_body(model, "stone"))->mass = 7.0;
    iso_world* world = make_world(ctx, model, NULL);
    CHECK_BITS(iso_world_body_mass(world, iso_world_find_body(world, "stone")), 7.0);
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_are_found_read_and_set),
        cmocka_unit_test(drives_push_within_their_limits),
        cmocka_unit_test(bodies_are_moved_and_pushed),
        cmocka_unit_test(visuals_are_shown_when_asked_for_and_missing_ones_left_out),
        cmocka_unit_test(odd_triangles_of_a_visual_are_shown_without_a_warning),
        cmocka_unit_test(visuals_of_one_file_differ_in_scale_and_kind),
        cmocka_unit_test(indices_out_of_range_have_harmless_values),
        cmocka_unit_test(inline_meshes_are_copied),
        cmocka_unit_test(parts_of_a_model_are_listed_and_edited),
        cmocka_unit_test(joints_tell_their_limits_and_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
