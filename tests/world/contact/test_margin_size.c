// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// A margin wider than the mesh it surrounds is refused, with the mesh's size.

#include "support/check.h"
#include "support/failing_context.h"
#include "world/scenes.h"

static iso_vec3 k_corners[4] = {
    {0.0, 0.0, 0.0}, {0.05, 0.0, 0.0}, {0.0, 0.05, 0.0}, {0.0, 0.0, 0.05}};
static int k_tets[1][4] = {{0, 1, 2, 3}};

static iso_status create(iso_context* ctx, iso_shape_kind kind, iso_compliance compliance,
                         double margin) {
    iso_tet_mesh mesh = {.vertex_count = 4, .tet_count = 1, .vertices = k_corners, .tets = k_tets};
    iso_model* model = make_model(ctx);
    int body = add_body(ctx, model, "tet", 1.0, iso_vec3_make(0.1, 0.1, 0.1));
    iso_geometry_desc geometry = iso_geometry_desc_default();
    geometry.name = "skin";
    geometry.source = "cup.sdf:12";
    geometry.shape = iso_shape_desc_default(kind);
    geometry.shape.volume = &mesh;
    geometry.material.compliance = compliance;
    geometry.material.margin = margin;
    CHECK_OK(ctx, iso_model_add_geometry(model, body, &geometry, NULL));
    iso_world_desc desc = iso_world_desc_default();
    iso_world* world = NULL;
    iso_status status = iso_world_create(ctx, model, &desc, &world);
    assert_true((status == ISO_OK) == (world != NULL));
    iso_world_destroy(world);
    iso_model_destroy(model);
    return status;
}

static void margins_wider_than_the_mesh_are_refused(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    assert_int_equal(create(ctx, ISO_SHAPE_MESH, ISO_COMPLIANCE_COMPLIANT, 10.0), ISO_ERR_RANGE);
    CHECK_ERROR(
        ctx, "cup.sdf:12: geometry 'skin' of body 'tet': margin is 10 m around a mesh of 0.05 m, "
             "expected at most its size");
    assert_int_equal(create(ctx, ISO_SHAPE_MESH, ISO_COMPLIANCE_COMPLIANT, 0.051), ISO_ERR_RANGE);
    CHECK_OK(ctx, create(ctx, ISO_SHAPE_MESH, ISO_COMPLIANCE_COMPLIANT, 0.001));
    CHECK_OK(ctx, create(ctx, ISO_SHAPE_MESH, ISO_COMPLIANCE_COMPLIANT, ISO_MARGIN_AUTO));
    CHECK_OK(ctx, create(ctx, ISO_SHAPE_MESH, ISO_COMPLIANCE_RIGID, 10.0)); // has none
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(margins_wider_than_the_mesh_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
