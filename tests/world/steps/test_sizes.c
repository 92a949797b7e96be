// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// A time step in which bodies fall further than they are large is refused, one in which they fall
// a good part of it is warned of, and so is a body in another unit of length; a mesh of a size that
// no geometry has is refused.

#include "base/core/alloc.h"
#include "geometry/mesh/mesh.h"
#include "geometry/tessellation/tessellate.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/kept_warning.h"
#include "world/scenes.h"

/// A ball of 0.1 m above a plate of 1 m x 1 m x 0.5 m on a half space.
static iso_status create(iso_context* ctx, iso_compliance compliance, double margin,
                         const iso_world_desc* settings) {
    iso_model* model = make_model(ctx);
    int body = add_body(ctx, model, "ball", 1.0, iso_vec3_make(0.1, 0.1, 0.1));
    iso_geometry_desc geometry = iso_geometry_desc_default();
    geometry.name = "skin";
    geometry.source = "cup.sdf:12";
    geometry.shape.radius = 0.05;
    geometry.material.compliance = compliance;
    geometry.material.margin = margin;
    CHECK_OK(ctx, iso_model_add_geometry(model, body, &geometry, NULL));
    geometry.name = "plate";
    geometry.shape = iso_shape_desc_default(ISO_SHAPE_BOX);
    geometry.shape.size = iso_vec3_make(1.0, 1.0, 0.5);
    geometry.material = iso_contact_material_default();
    geometry.material.compliance = ISO_COMPLIANCE_RIGID;
    CHECK_OK(ctx, iso_model_add_geometry(model, ISO_WORLD_BODY, &geometry, NULL));
    geometry.name = "ground";
    geometry.shape = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    CHECK_OK(ctx, iso_model_add_geometry(model, ISO_WORLD_BODY, &geometry, NULL));
    iso_world* world = NULL;
    iso_status status = iso_world_create(ctx, model, settings, &world);
    assert_true((status == ISO_OK) == (world != NULL));
    iso_world_destroy(world);
    iso_model_destroy(model);
    return status;
}

static iso_world_desc step_of(double time_step) {
    iso_world_desc desc = iso_world_desc_default();
    desc.gravity = iso_vec3_make(0.0, 0.0, -10.0);
    desc.time_step = time_step;
    return desc;
}

static void a_step_in_which_bodies_fall_past_their_size_is_refused(void** state) {
    (void)state;
    kept_warning kept;
    iso_context* ctx = warned_context(&kept);
    iso_world_desc desc = step_of(1.0);
    assert_int_equal(create(ctx, ISO_COMPLIANCE_COMPLIANT, ISO_MARGIN_AUTO, &desc), ISO_ERR_RANGE);
    CHECK_ERROR(
        ctx,
        "cup.sdf:12: geometry 'skin' of body 'ball': time step is 1 s, in which a body falls 10 m, "
        "more than the size of this sphere of 0.1 m: the automatic margin is too "
        "wide; expected at most 0.05 s, or a margin that is stated, such as 0");
    desc = step_of(0.11); // 0.121 m
    assert_int_equal(create(ctx, ISO_COMPLIANCE_COMPLIANT, ISO_MARGIN_AUTO, &desc), ISO_ERR_RANGE);
    desc.method = ISO_METHOD_RK45; // chooses smaller ones
    CHECK_OK(ctx, create(ctx, ISO_COMPLIANCE_COMPLIANT, ISO_MARGIN_AUTO, &desc));
    assert_int_equal(kept.count, 0);
    iso_context_destroy(ctx);
}

static void a_margin_wider_than_a_primitive_is_refused_at_any_step(void** state) {
    (void)state;
    kept_warning kept;
    iso_context* ctx = warned_context(&kept);
    iso_world_desc desc = step_of(0.001);
    assert_int_equal(create(ctx, ISO_COMPLIANCE_COMPLIANT, 0.11, &desc), ISO_ERR_RANGE);
    CHECK_ERROR(
        ctx,
        "cup.sdf:12: geometry 'skin' of body 'ball': margin is 0.11 m around a sphere of 0.1 m, "
        "expected at most its size");
    CHECK_OK(ctx, create(ctx, ISO_COMPLIANCE_COMPLIANT, 0.09, &desc));
    CHECK_OK(ctx, create(ctx, ISO_COMPLIANCE_RIGID, 0.11, &desc)); // has none
    iso_context_destroy(ctx);
}

// Boxes of Drake's models have spheres of 0.1 um in their corners: points, around which the margin
// is as wide as around any. From 10 um on a primitive has a size, and a mesh always.
static void primitives_of_less_than_ten_micrometres_are_points(void** state) {
    (void)state;
    const struct {
        double edge, margin, time_step;
        bool is_mesh;
        iso_status status;
        int warning_count;
    } cases[] = {{0.99e-5, 0.01, 0.001, false, ISO_OK, 0},
                 {1e-7, ISO_MARGIN_AUTO, 0.01, false, ISO_OK, 0},
                 {1e-7, ISO_MARGIN_AUTO, 1.0, false, ISO_OK, 0},
                 {1.01e-5, 0.01, 0.001, false, ISO_ERR_RANGE, 0},
                 {1.01e-5, ISO_MARGIN_AUTO, 0.01, false, ISO_ERR_RANGE, 0},
                 {1.01e-5, 1.01e-5, 0.001, false, ISO_OK, 1}, // falls 1e-5 m
                 {0.99e-5, 0.01, 0.001, true, ISO_ERR_RANGE, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        kept_warning kept;
        iso_context* ctx = warned_context(&kept);
        iso_model* model = make_model(ctx);
        int body = add_body(ctx, model, "box", 1.0, iso_vec3_make(0.1, 0.1, 0.1));
        double edge = cases[i].edge;
        iso_vec3 corners[] = {
            {0.0, 0.0, 0.0}, {edge, 0.0, 0.0}, {0.0, edge, 0.0}, {0.0, 0.0, edge}};
        int triangles[][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
        iso_tri_mesh hull = {4, 4, corners, triangles};
        iso_geometry_desc geometry = iso_geometry_desc_default();
        geometry.name = "corner";
        geometry.shape =
            iso_shape_desc_default(cases[i].is_mesh ? ISO_SHAPE_CONVEX : ISO_SHAPE_BOX);
        geometry.shape.size = iso_vec3_make(edge, edge, edge);
        if (cases[i].is_mesh) {
            geometry.shape.surface = &hull;
        }
        geometry.material.compliance = ISO_COMPLIANCE_COMPLIANT;
        geometry.material.margin = cases[i].margin;
        CHECK_OK(ctx, iso_model_add_geometry(model, body, &geometry, NULL));
        iso_world_desc desc = step_of(cases[i].time_step);
        iso_world* world = NULL;
        iso_status status = iso_world_create(ctx, model, &desc, &world);
        CHECK(status == cases[i].status, "case %d: %s: %s", (int)i, iso_status_text(status),
              iso_context_error(ctx));
        assert_int_equal(kept.count, cases[i].warning_count);
        iso_world_destroy(world);
        iso_model_destroy(model);
        iso_context_destroy(ctx);
    }
}

// A cube of edge 1 as one mesh of each kind, made larger or smaller by its scale.
static iso_status create_mesh(iso_context* ctx, iso_shape_desc shape, iso_compliance compliance,
                              double size) {
    iso_model* model = make_model(ctx);
    int body = add_body(ctx, model, "mug", 1.0, iso_vec3_make(0.1, 0.1, 0.1));
    iso_geometry_desc geometry = iso_geometry_desc_default();
    geometry.name = "skin";
    geometry.source = "cup.sdf:12";
    geometry.shape = shape;
    geometry.shape.scale = iso_vec3_make(0.1 * size, -size, 0.2 * size);
    geometry.material.compliance = compliance;
    geometry.material.margin = 0.0;
    CHECK_OK(ctx, iso_model_add_geometry(model, body, &geometry, NULL));
    iso_world_desc desc = step_of(1e-6);
    iso_world* world = NULL;
    iso_status status = iso_world_create(ctx, model, &desc, &world);
    iso_world_destroy(world);
    iso_model_destroy(model);
    return status;
}

static void meshes_have_sizes_in_the_range_of_all_geometries(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_shape_desc cube = iso_shape_desc_default(ISO_SHAPE_BOX);
    iso_tri_mesh surface;
    iso_tet_mesh volume;
    double* extents = NULL;
    CHECK_OK(ctx, iso_tessellate_surface(ctx, &cube, 1.0, &surface));
    CHECK_OK(ctx, iso_tessellate_volume(ctx, &cube, 1.0, &volume, &extents));
    const struct {
        iso_shape_kind kind;
        bool is_volume;
        iso_compliance compliance;
    } cases[] = {{ISO_SHAPE_CONVEX, false, ISO_COMPLIANCE_COMPLIANT},
                 {ISO_SHAPE_CONVEX, false, ISO_COMPLIANCE_RIGID},
                 {ISO_SHAPE_CONVEX, true, ISO_COMPLIANCE_RIGID},
                 {ISO_SHAPE_MESH, false, ISO_COMPLIANCE_RIGID},
                 {ISO_SHAPE_MESH, true, ISO_COMPLIANCE_RIGID},
                 {ISO_SHAPE_MESH, true, ISO_COMPLIANCE_COMPLIANT}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        iso_shape_desc shape = iso_shape_desc_default(cases[i].kind);
        shape.surface = cases[i].is_volume ? NULL : &surface;
        shape.volume = cases[i].is_volume ? &volume : NULL;
        static const double k_taken[] = {1.01e-7, 0.99e5}, k_refused[] = {1e-9, 0.99e-7, 1e6};
        for (int k = 0; k < 2; ++k) {
            iso_status status = create_mesh(ctx, shape, cases[i].compliance, k_taken[k]);
            CHECK(status == ISO_OK, "case %d, %g m: %s", (int)i, k_taken[k],
                  iso_context_error(ctx));
        }
        for (int k = 0; k < 3; ++k) {
            char expected[128];
            iso_status status = create_mesh(ctx, shape, cases[i].compliance, k_refused[k]);
            CHECK(status == ISO_ERR_RANGE, "case %d, %g m: %s", (int)i, k_refused[k],
                  status == ISO_OK ? "taken" : iso_context_error(ctx));
            snprintf(expected, sizeof expected,
                     "cup.sdf:12: geometry 'skin': the largest side of its %s is %g m, expected in "
                     "[1e-07, 100000]",
                     cases[i].kind == ISO_SHAPE_MESH ? "mesh" : "convex", k_refused[k]);
            CHECK_ERROR(ctx, expected);
        }
    }
    iso_tri_mesh_destroy(ctx, &surface);
    iso_tet_mesh_destroy(ctx, &volume);
    iso_free(ctx, extents);
    test_context_destroy(ctx);
}

// Whatever its margin and compliance: falling a quarter of the least side, 0.025 m, is too far.
static void a_coarse_step_is_warned_of_once_with_the_thinnest_body(void** state) {
    (void)state;
    kept_warning kept;
    iso_context* ctx = warned_context(&kept);
    iso_world_desc desc = step_of(0.051);
    CHECK_OK(ctx, create(ctx, ISO_COMPLIANCE_COMPLIANT, ISO_MARGIN_AUTO, &desc));
    assert_int_equal(kept.count, 1);
    CHECK_TEXT(kept.text, "time step is 0.051 s, in which a body falls 0.026 m: too far for "
                          "'ball::skin', which is 0.1 m thick");
    CHECK_TEXT(kept.text, "expected at most 0.05 s");
    CHECK_OK(ctx, create(ctx, ISO_COMPLIANCE_RIGID, 0.0, &desc));
    assert_int_equal(kept.count, 2);
    desc = step_of(1.0);
    CHECK_OK(ctx, create(ctx, ISO_COMPLIANCE_COMPLIANT, 0.001, &desc));
    assert_int_equal(kept.count, 3);

    desc = step_of(0.049);
    CHECK_OK(ctx, create(ctx, ISO_COMPLIANCE_COMPLIANT, ISO_MARGIN_AUTO, &desc));
    desc = step_of(0.08);
    desc.method = ISO_METHOD_RK45; // chooses its own steps
    CHECK_OK(ctx, create(ctx, ISO_COMPLIANCE_COMPLIANT, ISO_MARGIN_AUTO, &desc));
    desc = step_of(1.0);
    desc.gravity = iso_vec3_zero();
    CHECK_OK(ctx, create(ctx, ISO_COMPLIANCE_COMPLIANT, ISO_MARGIN_AUTO, &desc));
    assert_int_equal(kept.count, 3);
    iso_context_destroy(ctx);
}

// An open surface has no thickness to fall past: it is not warned of.
static void an_open_sheet_is_not_called_thin(void** state) {
    (void)state;
    kept_warning kept;
    iso_context* ctx = warned_context(&kept);
    iso_model* model = NULL;
    iso_world* world = NULL;
    CHECK_OK(ctx, iso_model_create(ctx, &model));
    iso_vec3 vertices[3] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
    int triangles[1][3] = {{0, 1, 2}};
    iso_tri_mesh surface = {3, 1, vertices, triangles};
    iso_geometry_desc sheet = iso_geometry_desc_default();
    sheet.name = "sheet";
    sheet.shape = iso_shape_desc_default(ISO_SHAPE_MESH);
    sheet.shape.surface = &surface;
    sheet.material.compliance = ISO_COMPLIANCE_RIGID;
    CHECK_OK(ctx, iso_model_add_geometry(model, ISO_WORLD_BODY, &sheet, NULL));
    iso_world_desc desc = step_of(1e-3);
    CHECK_OK(ctx, iso_world_create(ctx, model, &desc, &world));
    CHECK(kept.count == 0, "%s", kept.text);
    iso_world_destroy(world);
    iso_model_destroy(model);
    iso_context_destroy(ctx);
}

// A mug in millimetres: 100 m large, 0.3 kg. What is heavy, small or does not move is believed.
static void a_huge_body_that_is_lighter_than_air_is_warned_of(void** state) {
    (void)state;
    const struct {
        double edge, mass;
        bool is_fixed;
        int warning_count;
    } cases[] = {{100.0, 0.3, false, 1},
                 {100.0, 0.3, true, 0},
                 {100.0, 1.3e6, false, 0},
                 {9.0, 0.3, false, 0}};
    for (int i = 0; i < 4; ++i) {
        kept_warning kept;
        iso_context* ctx = warned_context(&kept);
        iso_world_desc desc = step_of(0.001);
        iso_model* model = make_model(ctx);
        int body = add_body(ctx, model, "mug", cases[i].mass, iso_vec3_make(1.0, 1.0, 1.0));
        iso_geometry_desc geometry = iso_geometry_desc_default();
        geometry.name = "skin";
        geometry.source = "cup.sdf:12";
        geometry.shape = iso_shape_desc_default(ISO_SHAPE_BOX);
        geometry.shape.size = iso_vec3_make(cases[i].edge, cases[i].edge, cases[i].edge);
        CHECK_OK(ctx, iso_model_add_geometry(model, cases[i].is_fixed ? ISO_WORLD_BODY : body,
                                             &geometry, NULL));
        iso_world_destroy(make_world(ctx, model, &desc));
        assert_int_equal(kept.count, cases[i].warning_count);
        if (kept.count > 0) {
            CHECK_TEXT(kept.text, "cup.sdf:12: geometry 'skin' of body 'mug' is 100 m large, but "
                                  "the body of 0.3 kg is lighter than air: lengths are metres");
        }
        iso_model_destroy(model);
        iso_context_destroy(ctx);
    }
}

// A mug in millimetres whose mass is made of its volume: 1e8 kg. Boxes are as they were written.
static void a_huge_mesh_that_is_heavier_than_any_robot_is_warned_of(void** state) {
    (void)state;
    const struct {
        double scale, mass;
        bool is_mesh;
        int warning_count;
    } cases[] = {{1.0, 1e8, true, 1},
                 {1.0, 1e8, false, 0},
                 {0.001, 0.1, true, 0},
                 {1.0, 9e4, true, 0},
                 {0.05, 1e8, true, 0}};
    iso_vec3 corners[] = {{0, 0, 0}, {111, 0, 0}, {0, 9, 0}, {0, 0, 9}};
    int triangles[][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        kept_warning kept;
        iso_context* ctx = warned_context(&kept);
        iso_world_desc desc = step_of(0.001);
        iso_model* model = make_model(ctx);
        int body = add_body(ctx, model, "mug", cases[i].mass, iso_vec3_make(1e9, 1e9, 1e9));
        iso_tri_mesh mesh = {
            .vertices = corners, .triangles = triangles, .vertex_count = 4, .triangle_count = 4};
        iso_geometry_desc geometry = iso_geometry_desc_default();
        geometry.name = "skin";
        geometry.source = "cup.sdf:12";
        geometry.material.compliance = ISO_COMPLIANCE_RIGID;
        geometry.shape = iso_shape_desc_default(cases[i].is_mesh ? ISO_SHAPE_MESH : ISO_SHAPE_BOX);
        geometry.shape.size = iso_vec3_make(111.0, 9.0, 9.0);
        double s = cases[i].scale;
        geometry.shape.scale = iso_vec3_make(s, s, s);
        geometry.shape.surface = cases[i].is_mesh ? &mesh : NULL;
        CHECK_OK(ctx, iso_model_add_geometry(model, body, &geometry, NULL));
        iso_world_destroy(make_world(ctx, model, &desc));
        CHECK(kept.count == cases[i].warning_count, "case %zu: %s", i, kept.text);
        if (kept.count > 0) {
            CHECK_TEXT(kept.text, "cup.sdf:12: geometry 'skin' of body 'mug' is 111 m large and "
                                  "the body has 1e+08 kg, expected at most 10 m or 100000 kg");
        }
        iso_model_destroy(model);
        iso_context_destroy(ctx);
    }
}

// A ball of 0.1 m across below a half space that is rigid, or reaches the pressure of the ball's
// middle at 0.1 m. What touches it, is rigid (and pushed out), does not move, hangs on a joint or
// does not fall is believed.
static void a_body_that_starts_below_a_half_space_is_warned_of_once(void** state) {
    (void)state;
    const struct {
        double height;
        iso_compliance ball, ground;
        enum { FREE, HINGED, FIXED } hold;
        double gravity_compensation;
        const char* depth; // NULL: no warning
    } cases[] = {{-0.06, ISO_COMPLIANCE_COMPLIANT, ISO_COMPLIANCE_RIGID, FREE, 0.0, "0.01"},
                 {-0.5, ISO_COMPLIANCE_COMPLIANT, ISO_COMPLIANCE_RIGID, FREE, 0.0, "0.45"},
                 {-0.04, ISO_COMPLIANCE_COMPLIANT, ISO_COMPLIANCE_RIGID, FREE, 0.0, NULL},
                 {-0.5, ISO_COMPLIANCE_COMPLIANT, ISO_COMPLIANCE_RIGID, FIXED, 0.0, NULL},
                 {-0.5, ISO_COMPLIANCE_COMPLIANT, ISO_COMPLIANCE_RIGID, HINGED, 0.0, NULL},
                 {-0.5, ISO_COMPLIANCE_RIGID, ISO_COMPLIANCE_RIGID, FREE, 0.0, NULL},
                 {-0.5, ISO_COMPLIANCE_RIGID, ISO_COMPLIANCE_COMPLIANT, FREE, 0.0, NULL},
                 {-0.14, ISO_COMPLIANCE_COMPLIANT, ISO_COMPLIANCE_COMPLIANT, FREE, 0.0, NULL},
                 {-0.2, ISO_COMPLIANCE_COMPLIANT, ISO_COMPLIANCE_COMPLIANT, FREE, 0.0, "0.15"},
                 {-0.5, ISO_COMPLIANCE_COMPLIANT, ISO_COMPLIANCE_RIGID, FREE, 0.5, "0.45"},
                 {-0.5, ISO_COMPLIANCE_COMPLIANT, ISO_COMPLIANCE_RIGID, FREE, 1.0, NULL},
                 {0.5, ISO_COMPLIANCE_COMPLIANT, ISO_COMPLIANCE_RIGID, FREE, 0.0, NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        kept_warning kept;
        iso_context* ctx = warned_context(&kept);
        iso_world_desc desc = step_of(0.001);
        iso_model* model = make_model(ctx);
        iso_body_desc ball = iso_body_desc_default();
        int body = ISO_WORLD_BODY;
        ball.name = "ball";
        ball.mass = 1.0;
        ball.inertia = iso_mat3_identity();
        ball.gravity_compensation = cases[i].gravity_compensation;
        CHECK_OK(ctx, iso_model_add_body(model, &ball, &body));
        iso_pose x_wb = iso_pose_identity();
        x_wb.p.z = cases[i].height;
        if (cases[i].hold == HINGED) {
            iso_joint_desc hinge = iso_joint_desc_default();
            hinge.name = "hinge";
            hinge.kind = ISO_JOINT_REVOLUTE;
            hinge.child = body;
            hinge.x_pf = x_wb;
            CHECK_OK(ctx, iso_model_add_joint(model, &hinge, NULL));
        } else {
            CHECK_OK(ctx, iso_model_set_free_pose(model, body, &x_wb));
        }
        iso_geometry_desc geometry = iso_geometry_desc_default();
        geometry.source = "scene.yaml:7";
        geometry.shape = iso_shape_desc_default(ISO_SHAPE_SPHERE);
        geometry.shape.radius = 0.05;
        geometry.material.compliance = cases[i].ball;
        geometry.material.modulus = 1e6;
        for (int k = 0; k < 2; ++k) { // two skins, one warning
            geometry.name = k == 0 ? "skin" : "skin 2";
            CHECK_OK(ctx,
                     iso_model_add_geometry(model, cases[i].hold == FIXED ? ISO_WORLD_BODY : body,
                                            &geometry, NULL));
        }
        geometry.name = "plane";
        geometry.source = "scene.yaml:9";
        geometry.shape = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
        geometry.material.compliance = cases[i].ground;
        geometry.material.slab_thickness = 0.1;
        CHECK_OK(ctx, iso_model_add_geometry(model, ISO_WORLD_BODY, &geometry, NULL));
        iso_world_destroy(make_world(ctx, model, &desc));
        char want[128];
        (void)snprintf(want, sizeof want,
                       "scene.yaml:7: 'ball::skin' starts wholly below the half space "
                       "'world::plane', its top %s m deep: ",
                       cases[i].depth ? cases[i].depth : "");
        assert_int_equal(kept.count, cases[i].depth != NULL);
        if (kept.count > 0) {
            CHECK_TEXT(kept.text, want);
        }
        iso_model_destroy(model);
        iso_context_destroy(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_in_which_bodies_fall_past_their_size_is_refused),
        cmocka_unit_test(a_margin_wider_than_a_primitive_is_refused_at_any_step),
        cmocka_unit_test(primitives_of_less_than_ten_micrometres_are_points),
        cmocka_unit_test(meshes_have_sizes_in_the_range_of_all_geometries),
        cmocka_unit_test(a_huge_body_that_is_lighter_than_air_is_warned_of),
        cmocka_unit_test(a_huge_mesh_that_is_heavier_than_any_robot_is_warned_of),
        cmocka_unit_test(a_body_that_starts_below_a_half_space_is_warned_of_once),
        cmocka_unit_test(a_coarse_step_is_warned_of_once_with_the_thinnest_body),
        cmocka_unit_test(an_open_sheet_is_not_called_thin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
