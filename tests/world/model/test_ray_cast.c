// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Rays through worlds against closed forms. Residuals are at most 2.3e-16.

#include "support/failing_context.h"
#include "world/scenes.h"

#include <math.h>
#include <pthread.h>

static const iso_vec3 k_down = {0.0, 0.0, -2.0};

static iso_geometry_desc octahedron(void) {
    static iso_vec3 corners[] = {{0.2, 0.0, 0.0},  {-0.2, 0.0, 0.0}, {0.0, 0.2, 0.0},
                                 {0.0, -0.2, 0.0}, {0.0, 0.0, 0.2},  {0.0, 0.0, -0.2}};
    static int triangles[][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                 {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    static const iso_tri_mesh mesh = {
        .vertex_count = 6, .vertices = corners, .triangle_count = 8, .triangles = triangles};
    iso_geometry_desc desc = iso_geometry_desc_default();
    desc.name = "octahedron";
    desc.shape = iso_shape_desc_default(ISO_SHAPE_CONVEX);
    desc.shape.surface = &mesh;
    desc.material.compliance = ISO_COMPLIANCE_RIGID;
    return desc;
}

// A turned cube above another one, and one of triangles, over a ground; wide of each other.
static iso_model* make_scene(iso_context* ctx) {
    iso_model* model = make_model(ctx);
    iso_mat3 flat = iso_mat3_identity();
    iso_pose low = iso_pose_from_position(iso_vec3_make(0.0, 0.0, 0.3));
    iso_pose high = iso_pose_from_position(iso_vec3_make(0.0, 0.0, 1.0));
    iso_pose wide = iso_pose_from_position(iso_vec3_make(3.0, 0.0, 1.0));
    high.r = iso_mat3_from_rpy(0.25 * ISO_PI, 0.0, 0.0); // an edge up
    add_ground(ctx, model, 0.5, &flat);
    add_cube(ctx, model, "low", 0.5, &low);
    add_cube(ctx, model, "high", 0.5, &high);
    int hull = add_cube(ctx, model, "hull", 0.5, &wide);
    iso_geometry_desc desc = octahedron();
    CHECK_OK(ctx, iso_model_add_geometry(model, hull, &desc, NULL));
    return model;
}

static iso_world_ray_hit cast(iso_context* ctx, const iso_world* world, iso_vec3 from,
                              int ignored_body) {
    iso_world_ray_hit hit;
    CHECK_OK(ctx, iso_world_ray_cast(world, from, k_down, INFINITY, ignored_body, &hit));
    return hit;
}

static void a_ray_ends_at_the_nearest_geometry(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_scene(ctx);
    iso_world* world = make_world(ctx, model, NULL);
    int high = iso_world_find_body(world, "high"), low = iso_world_find_body(world, "low");
    iso_vec3 from = {0.02, 0.01, 2.0};
    double edge = 1.0 + 0.05 * sqrt(2.0) - 0.01; // of the turned cube, beside its top
    iso_world_ray_hit hit = cast(ctx, world, from, -1);
    assert_int_equal(hit.body, high);
    assert_string_equal(hit.geometry_name, "box");
    CHECK_NEAR(hit.distance, 2.0 - edge, 1e-15);
    CHECK_VEC3_NEAR(hit.point_w, iso_vec3_make(0.02, 0.01, edge), 1e-15);
    CHECK_VEC3_NEAR(hit.normal_w, iso_vec3_make(0.0, sqrt(0.5), sqrt(0.5)), 1e-15);
    hit = cast(ctx, world, from, high);
    assert_int_equal(hit.body, low);
    CHECK_NEAR(hit.distance, 1.65, 1e-15);
    hit = cast(ctx, world, iso_vec3_make(1.0, 1.0, 2.0), -1);
    assert_int_equal(hit.body, 0);
    assert_string_equal(hit.geometry_name, "ground");
    CHECK_NEAR(hit.distance, 2.0, 0.0);
    hit = cast(ctx, world, iso_vec3_make(1.0, 1.0, 2.0), 0);
    assert_int_equal(hit.body, -1);
    assert_string_equal(hit.geometry_name, "");
    // From inside it leaves; the normal points out.
    hit = cast(ctx, world, iso_vec3_make(0.0, 0.0, 0.3), -1);
    CHECK_NEAR(hit.distance, 0.05, 1e-15);
    CHECK_VEC3_NEAR(hit.normal_w, iso_vec3_make(0.0, 0.0, -1.0), 0.0);
    // Of hulls it meets the triangles.
    hit = cast(ctx, world, iso_vec3_make(3.05, 0.05, 2.0), -1);
    assert_string_equal(hit.geometry_name, "octahedron");
    CHECK_NEAR(hit.distance, 0.9, 1e-15);
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

static void rays_go_as_far_as_they_are_let_in_the_present_state(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_scene(ctx);
    iso_world* world = make_world(ctx, model, NULL);
    iso_world_ray_hit hit;
    iso_vec3 from = {0.0, 0.0, 0.5};
    CHECK_OK(ctx, iso_world_ray_cast(world, from, k_down, 0.149, -1, &hit));
    assert_int_equal(hit.body, -1);
    CHECK_OK(ctx, iso_world_ray_cast(world, from, k_down, 0.151, -1, &hit));
    CHECK_NEAR(hit.distance, 0.15, 1e-15);
    step_many(ctx, world, 10);
    CHECK_OK(ctx, iso_world_ray_cast(world, from, k_down, INFINITY, -1, &hit));
    CHECK_NEAR(hit.distance, 0.45 - iso_world_body_pose(world, hit.body).p.z, 1e-15);
    assert_true(hit.distance > 0.1501);
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

// Cubes in one place: it counts what they are called, not which came first.
static void of_equally_near_geometries_the_first_by_name_is_met(void** state) {
    (void)state;
    static const char* const orders[2][2] = {{"a", "b"}, {"b", "a"}};
    iso_context* ctx = test_context();
    iso_pose x = iso_pose_from_position(iso_vec3_zero());
    for (int i = 0; i < 2; ++i) {
        iso_model* model = make_model(ctx);
        add_cube(ctx, model, orders[i][0], 0.5, &x);
        add_cube(ctx, model, orders[i][1], 0.5, &x);
        iso_world* world = make_world(ctx, model, NULL);
        iso_world_ray_hit hit = cast(ctx, world, iso_vec3_make(0.01, 0.02, 2.0), -1);
        assert_int_equal(hit.body, iso_world_find_body(world, "a"));
        // From its surface it ends there, however short it is.
        iso_vec3 from = {0.01, 0.02, 0.05};
        CHECK_OK(ctx, iso_world_ray_cast(world, from, k_down, 0.0, -1, &hit));
        assert_int_equal(hit.body, iso_world_find_body(world, "a"));
        CHECK_NEAR(hit.distance, 0.0, 0.0);
        iso_world_destroy(world);
        iso_model_destroy(model);
    }
    test_context_destroy(ctx);
}

static void bad_rays_are_refused(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_model(ctx); // without a geometry
    iso_world* world = make_world(ctx, model, NULL);
    iso_world_ray_hit hit;
    iso_vec3 o = iso_vec3_zero(), nan = {NAN, 0.0, 0.0};
    CHECK_STATUS(ctx, iso_world_ray_cast(world, nan, k_down, 1.0, -1, &hit), ISO_ERR_NUMERIC);
    assert_int_equal(hit.body, -1);
    CHECK_STATUS(ctx, iso_world_ray_cast(world, o, nan, 1.0, -1, &hit), ISO_ERR_NUMERIC);
    CHECK_STATUS(ctx, iso_world_ray_cast(world, o, o, 1.0, -1, &hit), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "expected a direction");
    CHECK_STATUS(ctx, iso_world_ray_cast(world, o, k_down, -1.0, -1, &hit), ISO_ERR_RANGE);
    CHECK_STATUS(ctx, iso_world_ray_cast(world, o, k_down, NAN, -1, &hit), ISO_ERR_RANGE);
    CHECK_STATUS(ctx, iso_world_ray_cast(world, o, k_down, 1.0, -2, &hit), ISO_ERR_RANGE);
    CHECK_STATUS(ctx, iso_world_ray_cast(world, o, k_down, 1.0, 1, &hit), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "ignored body is 1, expected in [-1, 1)");
    CHECK_STATUS(ctx, iso_world_ray_cast(world, o, k_down, 1.0, -1, NULL), ISO_ERR_ARGUMENT);
    CHECK_STATUS(NULL, iso_world_ray_cast(NULL, o, k_down, 1.0, -1, &hit), ISO_ERR_ARGUMENT);
    CHECK_OK(ctx, iso_world_ray_cast(world, o, k_down, 1.0, -1, &hit));
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

typedef struct caster {
    iso_world* world;
    iso_status status;
    iso_world_ray_hit hit;
} caster;

static void* cast_many(void* user) {
    caster* c = user;
    for (int i = 0; i < 100 && c->status == ISO_OK; ++i) {
        iso_vec3 from = {3.0 + 1e-3 * i, 0.05, 2.0};
        c->status = iso_world_ray_cast(c->world, from, k_down, INFINITY, -1, &c->hit);
    }
    return NULL;
}

// The first rays make the search tree of the hull, which clones share.
static void clones_cast_rays_in_threads_of_their_own(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_scene(ctx);
    caster casters[3] = {{.world = make_world(ctx, model, NULL)}};
    pthread_t threads[3];
    for (int i = 1; i < 3; ++i) {
        CHECK_OK(ctx, iso_world_clone(casters[0].world, &casters[i].world));
    }
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(pthread_create(&threads[i], NULL, cast_many, &casters[i]), 0);
    }
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        CHECK_OK(ctx, casters[i].status);
        CHECK_NEAR(casters[i].hit.distance, 0.949, 1e-15);
    }
    for (int i = 0; i < 3; ++i) {
        iso_world_destroy(casters[i].world);
    }
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

static iso_status attempt(iso_context* ctx, void* user) {
    (void)user;
    iso_model* model = NULL;
    iso_world* world = NULL;
    iso_world_ray_hit hit;
    iso_geometry_desc desc = octahedron();
    iso_vec3 from = {0.0, 0.0, 2.0};
    iso_status status = iso_model_create(ctx, &model);
    status = status ? status : iso_model_add_geometry(model, ISO_WORLD_BODY, &desc, NULL);
    status = status ? status : iso_world_create(ctx, model, NULL, &world);
    status = status ? status : iso_world_ray_cast(world, from, k_down, INFINITY, -1, &hit);
    iso_world_destroy(world);
    iso_model_destroy(model);
    return status;
}

static void a_ray_survives_every_allocation_failure(void** state) {
    (void)state;
    assert_true(check_every_allocation_failure(attempt, NULL) > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ray_ends_at_the_nearest_geometry),
        cmocka_unit_test(rays_go_as_far_as_they_are_let_in_the_present_state),
        cmocka_unit_test(of_equally_near_geometries_the_first_by_name_is_met),
        cmocka_unit_test(bad_rays_are_refused),
        cmocka_unit_test(clones_cast_rays_in_threads_of_their_own),
        cmocka_unit_test(a_ray_survives_every_allocation_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
