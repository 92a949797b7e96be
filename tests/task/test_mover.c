// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Fixed bodies on paths.

#include "isobar/mover.h"
#include "scene/load.h"
#include "support/failing_context.h"

#include <math.h>

// A plate of the world, 1 x 1 x 0.1 m, with a cube on it 0.2 m out; what else a text says.
#define PLATE                                                                                  \
    "bodies:\n"                                                                                \
    "  - {name: plate, mass: 1, fixed: true, geometry: [{name: top, shape: box, size: [1, 1, " \
    "0.1], "                                                                                   \
    "compliance: rigid}]}\n"                                                                   \
    "  - {name: box, mass: 1, geometry: [{name: cube, shape: box, size: [0.1, 0.1, 0.1], "     \
    "modulus: "                                                                                \
    "1e6}], pose: {translation: [0.2, 0, 0.09995]}}\n"                                         \
    "motions:\n"

#define LIFT                                                                             \
    "  - {body: plate, times: [0.1, 0.6, 1.6], poses: [{}, {translation: [0, 0, 0.2]}, " \
    "{translation: [0, 0, 0.2], rotation: {deg: [0, 0, 30]}}]}\n"

static iso_world* run(iso_context* ctx, const char* text, iso_method method, int steps) {
    iso_scene scene;
    iso_task* task = NULL;
    iso_world* world = NULL;
    CHECK_OK(ctx, load_text(ctx, ISO_SCENE_FORMAT_SCENARIO, text, &scene));
    scene.world.method = method;
    CHECK_OK(ctx, iso_world_create(ctx, scene.model, &scene.world, &world));
    CHECK_OK(ctx, iso_scene_create_task(&scene, world, &task));
    for (int i = 0; i < steps; ++i) {
        CHECK_OK(ctx, iso_task_apply(task, world));
        CHECK_OK(ctx, iso_world_step(world));
    }
    iso_task_destroy(task);
    iso_scene_destroy(ctx, &scene);
    return world;
}

static void a_box_rides_where_a_scene_takes_it(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    const iso_method methods[] = {ISO_METHOD_LAGGED, ISO_METHOD_SAP, ISO_METHOD_RK45};
    for (int i = 0; i < TEST_ROUNDS(3, 1); ++i) {
        iso_world* world = run(ctx, PLATE LIFT, methods[i], 2000);
        int plate = iso_world_find_body(world, "plate"), box = iso_world_find_body(world, "box");
        iso_pose end =
            iso_pose_make(iso_mat3_from_rpy(0.0, 0.0, ISO_PI / 6.0), iso_vec3_make(0.0, 0.0, 0.2));
        CHECK_POSE_NEAR(iso_world_body_pose(world, plate), end, 1e-15); // measured 0
        CHECK_SPATIAL_NEAR(iso_world_body_twist(world, plate), iso_spatial_zero(), 1e-15);
        iso_vec3 carried = iso_pose_point(&end, iso_vec3_make(0.2, 0.0, 0.09995));
        CHECK_VEC3_NEAR(iso_world_body_pose(world, box).p, carried,
                        1e-4); // measured 3.3e-5, regularised; 9e-7
        iso_world_destroy(world);
    }
    test_context_destroy(ctx);
}

static iso_mover_desc shuttle(double* times, iso_pose* poses, iso_profile profile) {
    iso_mover_desc desc = iso_mover_desc_default();
    desc.body = "plate";
    desc.profile = profile;
    desc.pose_count = 3;
    desc.times = times;
    desc.poses = poses;
    times[0] = 1.0;
    times[1] = 2.0;
    times[2] = 4.0;
    for (int i = 0; i < 3; ++i) {
        poses[i] = iso_pose_identity();
    }
    poses[1].p.x = 3.0;
    return desc;
}

static void paths_stand_pass_and_repeat(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* world = run(ctx, PLATE LIFT, ISO_METHOD_LAGGED, 0);
    double times[3];
    iso_pose poses[3];
    iso_movers* movers = NULL;
    iso_mover_desc desc = shuttle(times, poses, ISO_PROFILE_LINEAR);
    CHECK_OK(ctx, iso_movers_create(world, &desc, 1, &movers));
    const double wanted[][2] = {{0.0, 0.0}, {1.0, 0.0}, {1.5, 1.5}, {2.0, 3.0},
                                {3.0, 1.5}, {4.0, 0.0}, {9.0, 0.0}};
    for (int i = 0; i < 7; ++i) {
        CHECK_NEAR(iso_movers_pose(movers, 0, wanted[i][0]).p.x, wanted[i][1], 1e-15);
    }
    iso_movers_destroy(movers);
    desc.is_repeated = true;
    CHECK_OK(ctx, iso_movers_create(world, &desc, 1, &movers));
    CHECK_NEAR(iso_movers_pose(movers, 0, 7.5).p.x, 1.5, 1e-14); // 0.5 s into the third round
    assert_int_equal(iso_movers_count(movers), 1);
    iso_movers_destroy(movers);
    desc = iso_mover_desc_default();
    desc.body = "plate";
    desc.velocity.rotational.z = 0.5;
    desc.velocity.translational.x = 2.0;
    CHECK_OK(ctx, iso_movers_create(world, &desc, 1, &movers));
    iso_pose x = iso_movers_pose(movers, 0, 3.0);
    CHECK_MAT3_NEAR(x.r, iso_mat3_from_rpy(0.0, 0.0, 1.5), 1e-15); // measured 1.1e-16
    CHECK_NEAR(x.p.x, 6.0, 0.0);
    iso_movers_destroy(movers);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

// A turn about z while the body goes along x: the twist leads from each pose to the next.
static void the_twist_of_a_path_leads_to_its_next_pose(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* world = run(ctx, PLATE LIFT, ISO_METHOD_LAGGED, 0);
    int plate = iso_world_find_body(world, "plate");
    double times[3];
    iso_pose poses[3];
    iso_movers* movers = NULL;
    iso_mover_desc desc = shuttle(times, poses, ISO_PROFILE_LINEAR);
    times[0] = 0.0;
    poses[1].r = iso_mat3_from_rpy(0.0, 0.0, 1.0);
    CHECK_OK(ctx, iso_movers_create(world, &desc, 1, &movers));
    const double dt = 1e-3;
    for (int i = 0; i < 20; ++i) {
        CHECK_OK(ctx, iso_movers_apply(movers, world));
        CHECK_OK(ctx, iso_movers_apply(movers, world)); // twice does no harm
        double time = iso_world_time(world);
        iso_pose x = iso_world_body_pose(world, plate);
        CHECK_POSE_NEAR(x, iso_movers_pose(movers, 0, time), 0.0);
        CHECK_VEC3_NEAR(x.p, iso_vec3_make(1.5 * time, 0.0, 0.0), 1e-15);
        iso_spatial v = iso_world_body_twist(world, plate);
        CHECK_VEC3_NEAR(v.translational, iso_vec3_make(1.5, 0.0, 0.0), 1e-12); // measured 0
        CHECK_VEC3_NEAR(v.rotational, iso_vec3_make(0.0, 0.0, 0.5), 1e-12);    // measured 2e-15
        CHECK_OK(ctx, iso_world_step(world));
        CHECK_POSE_NEAR(iso_world_body_pose(world, plate), iso_movers_pose(movers, 0, time + dt),
                        1e-14); // measured 2.2e-19
    }
    iso_movers_destroy(movers);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

static void a_task_keeps_the_movers_it_has(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* world = run(ctx, PLATE LIFT, ISO_METHOD_LAGGED, 0);
    double times[3];
    iso_pose poses[3];
    iso_movers* movers = NULL;
    iso_task* task = NULL;
    iso_mover_desc desc = shuttle(times, poses, ISO_PROFILE_LINEAR);
    CHECK_OK(ctx, iso_movers_create(world, &desc, 1, &movers));
    CHECK_OK(ctx, iso_task_create(world, NULL, 0, &task));
    iso_task_take_movers(task, movers);
    iso_task_take_movers(task, movers); // the same: nothing is released
    CHECK_OK(ctx, iso_task_apply(task, world));
    CHECK_NEAR(iso_movers_pose(movers, 0, 1.5).p.x, 1.5, 1e-15); // measured 0
    iso_task_take_movers(task, NULL);
    CHECK_OK(ctx, iso_task_apply(task, world));
    iso_task_destroy(task);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

static void wrong_paths_are_refused(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* world = run(ctx, PLATE LIFT, ISO_METHOD_LAGGED, 0);
    double times[3];
    iso_pose poses[3];
    iso_movers* movers = NULL;
    iso_mover_desc desc = shuttle(times, poses, ISO_PROFILE_CUBIC);
    desc.source = "a.yaml:9";
    desc.body = "box";
    CHECK_STATUS(ctx, iso_movers_create(world, &desc, 1, &movers), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "a.yaml:9: body 'box': is not welded to the world");
    desc.body = "plane";
    CHECK_STATUS(ctx, iso_movers_create(world, &desc, 1, &movers), ISO_ERR_NOT_FOUND);
    desc.body = "plate";
    times[2] = 2.0;
    CHECK_STATUS(ctx, iso_movers_create(world, &desc, 1, &movers), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "time 2 of its path is 2 s, expected finite and rising");
    times[2] = 4.0;
    desc.is_repeated = true;
    poses[2].p.z = 0.5;
    CHECK_STATUS(ctx, iso_movers_create(world, &desc, 1, &movers), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "ends 0.5 away from where it begins");
    poses[2].r.m[0][0] = 2.0;
    CHECK_STATUS(ctx, iso_movers_create(world, &desc, 1, &movers), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "the rotation of pose 2 of its path is");
    desc = iso_mover_desc_default();
    desc.body = "plate";
    iso_mover_desc two[] = {desc, desc};
    CHECK_STATUS(ctx, iso_movers_create(world, two, 2, &movers), ISO_ERR_ARGUMENT);
    CHECK_ERROR(ctx, "has two paths");
    assert_null(movers);
    iso_world_destroy(world);
    static const struct {
        const char* text;
        const char* message;
    } cases[] = {
        {PLATE "  - {body: plate}\n", "needs either velocity, or times and poses"},
        {PLATE "  - {body: plate, times: [1], poses: [{}], velocity: {}}\n", "needs either"},
        {PLATE "  - {body: plate, times: [1, 2], poses: [{}]}\n", "2 times and 1 poses"},
        {PLATE "  - {body: plate, times: [1, 1], poses: [{}, {}]}\n", "expected rising times"},
        {PLATE "  - {body: plane, velocity: {}}\n", "plane"},
        {PLATE "  - {body: plate, times: [1], poses: [{base_frame: box}]}\n",
         "base_frame of a motion is fixed to 'box'"},
        {PLATE "  - 3\n", "not a mapping"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        iso_scene scene;
        assert_true(load_text(ctx, ISO_SCENE_FORMAT_SCENARIO, cases[i].text, &scene) != ISO_OK);
        CHECK_ERROR(ctx, cases[i].message);
    }
    test_context_destroy(ctx);
}

static iso_status attempt(iso_context* ctx, void* user) {
    (void)user;
    iso_scene scene = {0};
    iso_task* task = NULL;
    iso_world* world = NULL;
    iso_status status = load_text(ctx, ISO_SCENE_FORMAT_SCENARIO, PLATE LIFT, &scene);
    status = status ? status : iso_world_create(ctx, scene.model, &scene.world, &world);
    status = status ? status : iso_scene_create_task(&scene, world, &task);
    status = status ? status : iso_task_apply(task, world);
    iso_task_destroy(task);
    iso_world_destroy(world);
    iso_scene_destroy(ctx, &scene);
    return status;
}

static void every_allocation_failure_is_survived(void** state) {
    (void)state;
    assert_true(check_every_allocation_failure(attempt, NULL) > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_rides_where_a_scene_takes_it),
        cmocka_unit_test(paths_stand_pass_and_repeat),
        cmocka_unit_test(a_task_keeps_the_movers_it_has),
        cmocka_unit_test(wrong_paths_are_refused),
        cmocka_unit_test(every_allocation_failure_is_survived),
        cmocka_unit_test(the_twist_of_a_path_leads_to_its_next_pose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
