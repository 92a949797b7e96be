// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Rigid on rigid through the thin layer of one of the bodies: F = modulus / thickness * depth *
// area.

#include "geometry/tessellation/tessellate.h"
#include "support/assets.h"
#include "surface/pair_fixture.h"
#include "surface/shapes/layers.h"

// After the helpers, whose parameters have the names of its variables.
#include "support/arena_fixture.h"

static iso_contact_options layer_options(void) {
    iso_contact_options options = fixture_options();
    options.rigid_layer_modulus = 2e7;
    options.rigid_layer_thickness = 2e-3;
    return options;
}

static iso_patch query(const iso_contact_shape* a, iso_pose x_wa, const iso_contact_shape* b,
                       iso_pose x_wb) {
    iso_contact_options options = layer_options();
    iso_patch patch;
    CHECK_OK(ctx, iso_arena_reset(&arena));
    CHECK_OK(ctx, iso_pair_query(&arena, a, &x_wa, b, &x_wb, &options, &patch));
    fixture_check_patch(&patch, 1.0);
    return patch;
}

static iso_contact_shape* prepared(iso_contact_shape* shape) {
    iso_contact_options options = layer_options();
    CHECK_OK(ctx, iso_contact_shape_prepare_layer(ctx, shape, &options));
    CHECK_OK(ctx, iso_contact_shape_prepare_layer(ctx, shape, &options)); // idempotent
    return shape;
}

// The skin of a box as a bare closed surface.
static iso_contact_shape* surface_of_box(double x, double y, double z) {
    iso_contact_shape* box = fixture_shape(ctx, fixture_box(x, y, z), fixture_rigid(0.0));
    iso_shape_desc desc = iso_shape_desc_default(ISO_SHAPE_MESH);
    desc.surface = iso_contact_shape_surface(box);
    iso_contact_shape* shape = fixture_shape(ctx, desc, fixture_rigid(0.0));
    iso_contact_shape_destroy(ctx, box);
    CHECK(iso_contact_shape_is_closed(shape), "the skin of a box must be closed");
    return shape;
}

// Vertical force of a rigid box on a rigid block that carries the layer, at a depth of 0.5 mm.
static void check_box_on(iso_contact_shape* block, iso_contact_shape* box, double z) {
    iso_patch patch = query(block, iso_pose_identity(), box,
                            iso_pose_from_position(iso_vec3_make(0.01, 0.02, z)));
    iso_spatial f = fixture_wrench(&patch);
    double expected = 2e7 / 2e-3 * 5e-4 * 0.1 * 0.08;
    CHECK_REL(f.translational.z, expected, 1e-11); // measured 3.6e-14
    CHECK_NEAR(f.translational.x, 0.0, 1e-10 * expected);
    CHECK(!patch.is_rigid_a && patch.is_rigid_b, "the layer of A must act: %d %d", patch.is_rigid_a,
          patch.is_rigid_b);
    CHECK_VEC3_NEAR(patch.gradients_a[0], iso_vec3_make(0.0, 0.0, -1e10), 1.0); // measured 1e-5
    CHECK_NEAR(patch.max_pressure, 5e6, 1e-5);                                  // measured 2e-7
}

static void box_on_box_presses_with_the_layer_of_the_smaller_one(void** state) {
    (void)state;
    iso_contact_shape* box = fixture_shape(ctx, fixture_box(0.1, 0.08, 1.0), fixture_rigid(0.0));
    iso_contact_shape* blocks[3] = {
        prepared(fixture_shape(ctx, fixture_box(0.4, 0.4, 0.2), fixture_rigid(0.0))),
        prepared(surface_of_box(0.4, 0.4, 0.2)),
        prepared(fixture_half_space(ctx, fixture_rigid(0.0)))};
    check_box_on(blocks[0], box, 0.6 - 5e-4);
    iso_contact_shape* skin = surface_of_box(0.1, 0.08, 1.0);
    check_box_on(blocks[1], skin, 0.6 - 5e-4); // a bare surface leaves the layer to a solid
    iso_contact_shape_destroy(ctx, skin);
    check_box_on(blocks[2], box, 0.5 - 5e-4);
    for (int i = 0; i < 3; ++i) {
        iso_contact_shape_destroy(ctx, blocks[i]);
    }
    iso_contact_shape_destroy(ctx, box);
}

// Who is called A says nothing: the same layer acts, and the wrenches are opposite. Balls, a ball
// and the bare skin of a larger box, a box and one of the same size that is turned inside its
// frame.
static void rigid_shapes_meet_alike_in_both_orders(void** state) {
    (void)state;
    iso_contact_shape* s[6] = {
        fixture_shape(ctx, fixture_sphere(0.05), fixture_rigid(0.0)),
        fixture_shape(ctx, fixture_sphere(0.04), fixture_rigid(0.0)),
        fixture_shape(ctx, fixture_sphere(0.05), fixture_rigid(0.0)),
        surface_of_box(0.2, 0.2, 0.2),
        fixture_shape(ctx, fixture_box(0.1, 0.2, 0.3), fixture_rigid(0.0)),
        fixture_shape(ctx, fixture_box(0.3, 0.2, 0.1), fixture_rigid(0.0)),
    };
    const double heights[3] = {0.085, 0.1485, 0.199};
    for (int i = 0; i < 6; ++i) {
        (void)prepared(s[i]);
    }
    for (int i = 0; i < 3; ++i) {
        iso_contact_shape *a = s[2 * i], *b = s[2 * i + 1];
        assert_true(iso_contact_shape_carries_layer(a, b) != iso_contact_shape_carries_layer(b, a));
        iso_pose x_wa = iso_pose_make(iso_mat3_from_rpy(0.02, 0.01, 0.3), iso_vec3_zero());
        iso_pose x_wb = iso_pose_from_position(iso_vec3_make(0.003, 0.002, heights[i]));
        iso_patch patch = query(a, x_wa, b, x_wb);
        iso_spatial f = fixture_wrench(&patch);
        bool is_of_a = !patch.is_rigid_a;
        patch = query(b, x_wb, a, x_wa);
        iso_spatial g = fixture_wrench(&patch);
        assert_true(patch.is_rigid_a == is_of_a);
        CHECK(f.translational.z > 1.0, "no contact: %g N", f.translational.z);
        // Measured 2e-16 of the force.
        CHECK_SPATIAL_NEAR(iso_spatial_scale(g, -1.0), f, 1e-13 * f.translational.z);
    }
    for (int i = 0; i < 6; ++i) {
        iso_contact_shape_destroy(ctx, s[i]);
    }
}

// Hulls and tetrahedral meshes carry the depth field of their volume.
static void hull_and_volume_carry_the_layer_too(void** state) {
    (void)state;
    iso_contact_shape* box = fixture_shape(ctx, fixture_box(0.01, 0.008, 1.0), fixture_rigid(0.0));
    iso_contact_shape* model =
        fixture_shape(ctx, fixture_box(0.4, 0.4, 0.4), fixture_compliant(1e7, 0.0));
    for (int i = 0; i < 2; ++i) {
        iso_shape_desc desc = iso_shape_desc_default(i ? ISO_SHAPE_CONVEX : ISO_SHAPE_MESH);
        desc.surface = i ? &model->surface : NULL;
        desc.volume = i ? NULL : &model->field->mesh;
        iso_contact_shape* block = prepared(fixture_shape(ctx, desc, fixture_rigid(0.0)));
        iso_patch patch = query(block, iso_pose_identity(), box,
                                iso_pose_from_position(iso_vec3_make(0.01, 0.02, 0.7 - 5e-4)));
        double expected = 2e7 / 2e-3 * 5e-4 * 0.01 * 0.008;
        CHECK_REL(fixture_wrench(&patch).translational.z, expected, 1e-11); // measured 1.4e-13
        iso_contact_shape_destroy(ctx, block);
    }
    iso_contact_shape_destroy(ctx, model);
    iso_contact_shape_destroy(ctx, box);
}

// An open sheet meets the layer of the closed body, whichever of the two is A.
static void open_sheet_meets_the_layer_of_the_closed_body(void** state) {
    (void)state;
    iso_vec3 v[3] = {{-0.01, -0.01, 0.0}, {0.0, 0.02, 0.0}, {0.02, -0.01, 0.0}};
    int t[1][3] = {{0, 1, 2}};
    iso_tri_mesh sheet = {3, 1, v, t};
    iso_shape_desc desc = iso_shape_desc_default(ISO_SHAPE_MESH);
    desc.surface = &sheet;
    iso_contact_shape* open = fixture_shape(ctx, desc, fixture_rigid(0.0));
    iso_contact_shape* block =
        prepared(fixture_shape(ctx, fixture_box(0.4, 0.4, 0.2), fixture_rigid(0.0)));
    CHECK(!iso_contact_shape_is_closed(open), "a triangle is open");
    iso_contact_options options = layer_options();
    CHECK_STATUS(ctx, iso_contact_shape_prepare_layer(ctx, open, &options), ISO_ERR_GEOMETRY);
    iso_pose x = iso_pose_from_position(iso_vec3_make(0.0, 0.05, 0.1 - 5e-4));
    double expected = 2e7 / 2e-3 * 5e-4 * 0.5 * 0.03 * 0.03;
    iso_patch patch = query(block, iso_pose_identity(), open, x);
    CHECK_REL(fixture_wrench(&patch).translational.z, expected, 1e-11); // measured 3e-14
    patch = query(open, x, block, iso_pose_identity());
    CHECK_REL(fixture_wrench(&patch).translational.z, -expected, 1e-11); // measured 3e-14
    // Two open sheets, and shapes without a prepared layer, do not make a pair.
    iso_pose identity = iso_pose_identity();
    CHECK_STATUS(ctx, iso_pair_query(&arena, open, &identity, open, &identity, &options, &patch),
                 ISO_ERR_ARGUMENT);
    iso_contact_shape_destroy(ctx, open);
    iso_contact_shape_destroy(ctx, block);
}

// The robot's own meshes: every closed one takes a layer, with what is left out counted.
static void layer_of_a_real_mesh_covers_its_surface(void** state) {
    (void)state;
    char buffer[TEST_PATH_SIZE];
    iso_shape_desc desc = iso_shape_desc_default(ISO_SHAPE_MESH);
    desc.path = asset_path(buffer, "iiwa_description/meshes/iiwa14/collision/link_7_polytope.obj");
    iso_contact_shape* shape = prepared(fixture_shape(ctx, desc, fixture_rigid(0.0)));
    iso_tet_mesh* layer = &shape->layer->mesh;
    double expected = 0.0, volume = 0.0;
    for (int i = 0; i < shape->surface.triangle_count; ++i) {
        const int* t = shape->surface.triangles[i];
        const iso_vec3* v = shape->surface.vertices;
        expected += 1e-3 * iso_vec3_norm(iso_vec3_cross(iso_vec3_sub(v[t[1]], v[t[0]]),
                                                        iso_vec3_sub(v[t[2]], v[t[0]])));
    }
    for (int i = 0; i < layer->tet_count; ++i) {
        const int* t = layer->tets[i];
        const iso_vec3* v = layer->vertices;
        volume += iso_vec3_dot(iso_vec3_sub(v[t[3]], v[t[0]]),
                               iso_vec3_cross(iso_vec3_sub(v[t[1]], v[t[0]]),
                                              iso_vec3_sub(v[t[2]], v[t[0]]))) /
                  6.0;
    }
    CHECK(layer->tet_count == 3 * shape->surface.triangle_count, "%d tetrahedra on %d triangles",
          layer->tet_count, shape->surface.triangle_count);
    CHECK_REL(volume, expected, 0.1); // measured 0.052: convex, so the inner copy is smaller
    iso_contact_shape_destroy(ctx, shape);
}

// A margin wider than a bowl's curvature allows: what would be inside out is left out, the rest is
// there, and so is every tetrahedron of the file.
static void margin_of_a_bowl_leaves_out_what_is_inside_out(void** state) {
    (void)state;
    char buffer[TEST_PATH_SIZE];
    iso_shape_desc desc = iso_shape_desc_default(ISO_SHAPE_MESH);
    desc.path = asset_path(buffer, "dishes/assets/evo_bowl_coarse3k.vtk");
    iso_contact_shape* plain = fixture_shape(ctx, desc, fixture_compliant(1e6, 0.0));
    const double margins[2] = {1e-4, 0.03};
    for (int i = 0; i < 2; ++i) {
        iso_contact_material m = fixture_compliant(1e6, 0.0);
        m.margin = margins[i];
        iso_contact_shape* grown = fixture_shape(ctx, desc, m);
        int added = grown->field->mesh.tet_count - plain->field->mesh.tet_count;
        int all = 3 * plain->surface.triangle_count;
        CHECK(i == 0 ? added == all : added < all && added > all / 2, "%d of %d", added, all);
        CHECK_REL(grown->field->max_pressure, 1e6, 1e-14); // measured 0
        CHECK(grown->field->min_pressure < 0.0, "%g", grown->field->min_pressure);
        iso_contact_shape_destroy(ctx, grown);
    }
    iso_contact_shape_destroy(ctx, plain);
}

// The skin of a sphere, whole or without a triangle.
static iso_contact_shape* bare_sphere(double radius, double hint, bool is_closed) {
    iso_shape_desc desc = iso_shape_desc_default(ISO_SHAPE_SPHERE);
    desc.radius = radius;
    iso_tri_mesh surface;
    CHECK_OK(ctx, iso_tessellate_surface(ctx, &desc, hint, &surface));
    surface.triangle_count -= !is_closed;
    desc = iso_shape_desc_default(ISO_SHAPE_MESH);
    desc.surface = &surface;
    iso_contact_shape* shape = fixture_shape(ctx, desc, fixture_rigid(0.0));
    iso_tri_mesh_destroy(ctx, &surface);
    CHECK(iso_contact_shape_is_closed(shape) == is_closed, "sphere of %g m", radius);
    return shape;
}

// Several at a time, as many as there are processors (their thread_count): the bits of each alone.
static void layers_made_together_are_those_made_alone(void** state) {
    (void)state;
    enum { COUNT = 4 };
    iso_contact_options options = layer_options();
    iso_contact_shape *alone[COUNT], *together[COUNT], *list[COUNT + 2];
    iso_contact_shape* open = bare_sphere(0.1, 0.02, false);
    for (int i = 0; i < COUNT; ++i) {
        double radius = 0.1 + 0.01 * i;
        alone[i] = prepared(bare_sphere(radius, 0.05 * radius, true));
        list[i] = together[i] = bare_sphere(radius, 0.05 * radius, true);
    }
    list[COUNT] = together[1];
    list[COUNT + 1] = open;
    iso_contact_shapes_prepare_layers(ctx, list, COUNT + 2, &options);
    CHECK(!open->has_layer, "an open surface");
    for (int i = 0; i < COUNT; ++i) {
        const iso_field *u = alone[i]->layer, *v = prepared(together[i])->layer;
        CHECK(u->mesh.tet_count > 3 * 5000 && v->mesh.tet_count == u->mesh.tet_count, "%d and %d",
              u->mesh.tet_count, v->mesh.tet_count);
        CHECK_ARRAY_BITS(&u->mesh.vertices[0].x, &v->mesh.vertices[0].x, 3 * u->mesh.vertex_count);
        CHECK_ARRAY_BITS(u->pressures, v->pressures, u->mesh.vertex_count);
        CHECK(memcmp(u->tree.elements, v->tree.elements,
                     (size_t)u->mesh.tet_count * sizeof *u->tree.elements) == 0,
              "tree %d", i);
        iso_contact_shape_destroy(ctx, alone[i]);
        iso_contact_shape_destroy(ctx, together[i]);
    }
    iso_contact_shape_destroy(ctx, open);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(rigid_shapes_meet_alike_in_both_orders),
        TEST(box_on_box_presses_with_the_layer_of_the_smaller_one),
        TEST(hull_and_volume_carry_the_layer_too),
        TEST(open_sheet_meets_the_layer_of_the_closed_body),
        TEST(layer_of_a_real_mesh_covers_its_surface),
        TEST(margin_of_a_bowl_leaves_out_what_is_inside_out),
        TEST(layers_made_together_are_those_made_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
