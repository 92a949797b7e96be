// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// A query says of two shapes what a world says of two bodies.

#include "support/failing_context.h"
#include "world/scenes.h"

static iso_context* ctx;

static int set_up(void** state) {
    (void)state;
    ctx = test_context();
    return 0;
}

static int tear_down(void** state) {
    (void)state;
    test_context_destroy(ctx);
    return 0;
}

// Geometry g of the model, without a margin that would depend on the world's time step.
static iso_geometry_desc* geometry_of(iso_model* model, int index) {
    iso_geometry_desc* desc = iso_model_geometry(model, index, NULL);
    desc->material.margin = 0.0;
    return desc;
}

static iso_contact_shape* shape_of(const iso_geometry_desc* desc) {
    iso_contact_shape* shape = NULL;
    CHECK_OK(ctx, iso_contact_shape_create(ctx, &desc->shape, &desc->material, &shape));
    return shape;
}

static void query_says_what_the_world_says(void** state) {
    (void)state;
    iso_model* model = make_model(ctx);
    iso_pose lower = iso_pose_from_position(iso_vec3_make(0.0, 0.0, 0.05));
    iso_pose upper =
        iso_pose_make(iso_mat3_from_rpy(0.1, 0.2, 0.3), iso_vec3_make(0.02, 0.01, 0.14));
    add_cube(ctx, model, "a", 0.4, &lower);
    int b = add_cube(ctx, model, "b", 0.8, &upper);
    iso_spatial v_wb = {{0.3, -0.2, 0.1}, {0.01, 0.02, -0.05}};
    CHECK_OK(ctx, iso_model_set_free_twist(model, b, v_wb));
    iso_contact_shape* shape_a = shape_of(geometry_of(model, 0));
    iso_contact_shape* shape_b = shape_of(geometry_of(model, 1));
    iso_world* world = NULL;
    CHECK_OK(ctx, iso_world_create(ctx, model, NULL, &world));
    CHECK_OK(ctx, iso_world_update_contacts(world));
    CHECK(iso_world_contact_count(world) == 1, "%d contacts", iso_world_contact_count(world));
    iso_contact contact = iso_world_contact(world, 0);

    iso_query* query = NULL;
    CHECK_OK(ctx, iso_query_create(ctx, NULL, &query));
    iso_query_motion motion = iso_query_motion_default();
    motion.p_wp = contact.patch.center_of_pressure;
    motion.v_ab = iso_spatial_shift_twist(v_wb, iso_vec3_sub(motion.p_wp, upper.p));
    iso_query_result result;
    CHECK_OK(ctx, iso_query_wrench(query, shape_a, &lower, shape_b, &upper, &motion, &result));
    CHECK(result.patch.face_count == contact.patch.face_count, "%d faces, %d in the world",
          result.patch.face_count, contact.patch.face_count);
    CHECK_REL(result.patch.area, contact.patch.area, 1e-13);         // measured 2.2e-16
    CHECK_REL(result.elastic_energy, contact.elastic_energy, 1e-13); // measured 0
    double force = iso_vec3_norm(contact.f_b_w.translational);
    CHECK(force > 1.0, "force %g N", force);
    CHECK_SPATIAL_NEAR(result.f_bp_w, contact.f_b_w, 1e-12 * force); // measured 3e-17
    CHECK_VEC3_NEAR(result.tractions[0], contact.tractions[0],
                    1e-12 * result.patch.max_pressure); // measured 0

    iso_query_destroy(query);
    iso_contact_shape_destroy(ctx, shape_a);
    iso_contact_shape_destroy(ctx, shape_b);
    iso_world_destroy(world);
    iso_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(query_says_what_the_world_says, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
