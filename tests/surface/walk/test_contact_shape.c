// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// What a geometry becomes in contact, and what is refused.

#include "support/assets.h"
#include "support/kept_warning.h"
#include "surface/pair_fixture.h"

#include <stdio.h>
#include <string.h>

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

static iso_contact_material undeclared(void) {
    iso_contact_material m = fixture_compliant(1e7, 0.0);
    m.compliance = ISO_COMPLIANCE_DEFAULT;
    return m;
}

static void check_refused(iso_shape_desc desc, iso_contact_material material, iso_status expected,
                          const char* part) {
    iso_contact_shape* shape = NULL;
    CHECK_STATUS(ctx, iso_contact_shape_create(ctx, &desc, &material, &shape), expected);
    CHECK(shape == NULL, "a refused shape must be NULL");
    CHECK_ERROR(ctx, part);
}

static void undeclared_primitives_are_compliant(void** state) {
    (void)state;
    iso_shape_kind kinds[5] = {ISO_SHAPE_SPHERE, ISO_SHAPE_ELLIPSOID, ISO_SHAPE_BOX,
                               ISO_SHAPE_CYLINDER, ISO_SHAPE_CAPSULE};
    for (int i = 0; i < 5; ++i) {
        iso_contact_shape* shape =
            fixture_shape(ctx, iso_shape_desc_default(kinds[i]), undeclared());
        CHECK(!iso_contact_shape_is_rigid(shape) && !iso_contact_shape_is_half_space(shape) &&
                  iso_contact_shape_is_closed(shape),
              "%s", iso_shape_kind_name(kinds[i]));
        CHECK(iso_contact_shape_tet_count(shape) > 0, "no tetrahedra");
        CHECK(iso_contact_shape_surface(shape)->triangle_count > 0, "no surface");
        iso_vec3 lower, upper;
        iso_contact_shape_bounds(shape, &lower, &upper);
        CHECK(lower.z < 0.0 && upper.z > 0.0, "bounds %g %g", lower.z, upper.z);
        iso_contact_shape_destroy(ctx, shape);
    }
}

static void rigid_shapes_have_no_tetrahedra(void** state) {
    (void)state;
    iso_contact_shape* shape = fixture_shape(ctx, fixture_sphere(0.1), fixture_rigid(0.05));
    CHECK(iso_contact_shape_is_rigid(shape) && iso_contact_shape_is_closed(shape), "rigid sphere");
    CHECK(iso_contact_shape_tet_count(shape) == 0, "%d tetrahedra",
          iso_contact_shape_tet_count(shape));
    iso_contact_shape_destroy(ctx, shape);
}

static void half_space_is_compliant_only_with_a_slab(void** state) {
    (void)state;
    iso_shape_desc desc = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    iso_contact_shape* shape = fixture_shape(ctx, desc, undeclared());
    CHECK(iso_contact_shape_is_rigid(shape) && iso_contact_shape_is_half_space(shape), "no slab");
    iso_vec3 lower, upper;
    iso_contact_shape_bounds(shape, &lower, &upper);
    CHECK(isinf(lower.x) && isinf(upper.y), "bounds %g %g", lower.x, upper.y);
    CHECK(iso_contact_shape_surface(shape)->triangle_count == 2, "square");
    iso_contact_shape_destroy(ctx, shape);

    iso_contact_material slab = undeclared();
    slab.slab_thickness = 0.1;
    shape = fixture_shape(ctx, desc, slab);
    CHECK(!iso_contact_shape_is_rigid(shape), "a slab makes it compliant");
    CHECK_BITS(iso_contact_shape_thickness(shape), 0.1);
    CHECK_BITS(iso_contact_shape_max_pressure(shape), 1e7);
    iso_contact_shape_destroy(ctx, shape);
    check_refused(desc, fixture_compliant(1e7, 0.0), ISO_ERR_RANGE, "slab thickness");
    slab.stiffening = 0.5;
    check_refused(desc, slab, ISO_ERR_UNSUPPORTED, "use a box with layers");
    slab.compliance = ISO_COMPLIANCE_RIGID; // has no field to stiffen
    shape = fixture_shape(ctx, desc, slab);
    CHECK_BITS(iso_contact_shape_thickness(shape), 0.0);
    CHECK_BITS(iso_contact_shape_max_pressure(shape), 0.0);
    iso_contact_shape_destroy(ctx, shape);
}

// What a half space cannot use is said, once, and only where it has a field.
static void half_space_says_that_it_has_no_layers(void** state) {
    (void)state;
    const struct {
        int layer_count;
        iso_extent_kind kind;
        double slab_thickness;
        int warning_count;
    } cases[4] = {{0, ISO_EXTENT_AUTO, 0.1, 0},
                  {4, ISO_EXTENT_AUTO, 0.1, 1},
                  {0, ISO_EXTENT_POISSON, 0.1, 1},
                  {4, ISO_EXTENT_AUTO, 0.0, 0}};
    for (int i = 0; i < 4; ++i) {
        kept_warning heard;
        iso_context* listening = warned_context_of(&heard, "layers and the kind of extent");
        iso_contact_material slab = undeclared();
        slab.slab_thickness = cases[i].slab_thickness;
        slab.layer_count = cases[i].layer_count;
        slab.extent_kind = cases[i].kind;
        iso_contact_shape_destroy(listening, fixture_half_space(listening, slab));
        CHECK(heard.count == cases[i].warning_count, "case %d: %d warnings", i, heard.count);
        iso_context_destroy(listening);
    }
}

// Tessellation stops where a shape would have half a million tetrahedra and more.
static void hints_that_are_not_reached_are_told_once(void** state) {
    (void)state;
    const struct {
        iso_shape_desc shape;
        double hint;
        iso_compliance compliance;
        int warning_count;
    } cases[4] = {{fixture_sphere(0.1), 1e-6, ISO_COMPLIANCE_RIGID, 1},
                  {fixture_sphere(0.1), 0.05, ISO_COMPLIANCE_RIGID, 0},
                  {fixture_sphere(0.1), 0.0, ISO_COMPLIANCE_COMPLIANT, 0},
                  {fixture_box(0.1, 0.1, 0.1), 1e-6, ISO_COMPLIANCE_COMPLIANT, 0}};
    for (int i = 0; i < 4; ++i) {
        kept_warning heard;
        iso_context* listening = warned_context_of(
            &heard, "sphere: resolution hint 1e-06 m asks for 5.5e+11 tetrahedra, the finest mesh "
                    "has 524288");
        iso_contact_material material = fixture_compliant(1e7, cases[i].hint);
        material.compliance = cases[i].compliance;
        iso_contact_shape_destroy(listening, fixture_shape(listening, cases[i].shape, material));
        CHECK(heard.count == cases[i].warning_count, "case %d: %d warnings", i, heard.count);
        iso_context_destroy(listening);
    }
}

static void bounds_include_the_margin(void** state) {
    (void)state;
    iso_contact_material m = fixture_compliant(1e7, 0.0);
    m.margin = 0.01;
    iso_contact_shape* shape = fixture_shape(ctx, fixture_box(0.2, 0.4, 0.6), m);
    iso_vec3 lower, upper;
    iso_contact_shape_bounds(shape, &lower, &upper);
    CHECK_VEC3_NEAR(upper, iso_vec3_make(0.11, 0.21, 0.31), 1e-15);    // measured 0
    CHECK_VEC3_NEAR(lower, iso_vec3_make(-0.11, -0.21, -0.31), 1e-15); // measured 0
    iso_contact_shape_destroy(ctx, shape);
}

// A tetrahedron as a bare surface, and as a volume without an inner vertex.
static iso_vec3 k_vertices[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static int k_triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
static int k_tets[1][4] = {{0, 1, 2, 3}};

static void surface_mesh_becomes_rigid_unless_declared_compliant(void** state) {
    (void)state;
    iso_tri_mesh surface = {4, 4, k_vertices, k_triangles};
    iso_shape_desc desc = iso_shape_desc_default(ISO_SHAPE_MESH);
    desc.surface = &surface;
    iso_contact_shape* shape = fixture_shape(ctx, desc, undeclared());
    CHECK(iso_contact_shape_is_rigid(shape) && iso_contact_shape_is_closed(shape), "rigid");
    iso_contact_shape_destroy(ctx, shape);
    check_refused(desc, fixture_compliant(1e7, 0.0), ISO_ERR_GEOMETRY,
                  "`isobar prepare FILE -o OUT.vtk`");
    iso_shape_desc file = iso_shape_desc_default(ISO_SHAPE_MESH);
    char path[TEST_PATH_SIZE], message[3 * TEST_PATH_SIZE];
    file.path = source_path(path, "scenes/models/humps.obj");
    (void)snprintf(message, sizeof message,
                   "%s: a surface declared compliant takes tetrahedra: "
                   "make them with `isobar prepare %s -o",
                   path, path);
    check_refused(file, fixture_compliant(1e7, 0.0), ISO_ERR_GEOMETRY, message);
    CHECK(strncmp(iso_context_error(ctx), path, strlen(path)) == 0, "the path comes first, once");
    surface.triangle_count = 3;
    shape = fixture_shape(ctx, desc, undeclared());
    CHECK(!iso_contact_shape_is_closed(shape), "three faces of a tetrahedron are open");
    iso_contact_shape_destroy(ctx, shape);
    desc.kind = ISO_SHAPE_CONVEX;
    shape = fixture_shape(ctx, desc, undeclared());
    CHECK(!iso_contact_shape_is_rigid(shape) && iso_contact_shape_tet_count(shape) == 4,
          "a hull is compliant, %d tetrahedra", iso_contact_shape_tet_count(shape));
    iso_contact_shape_destroy(ctx, shape);
}

// Nothing but the field changes: stiffening raises the pressure, not the thickness.
static void materials_shape_the_field(void** state) {
    (void)state;
    iso_contact_material m = undeclared();
    m.margin = ISO_MARGIN_AUTO; // no world, no time step: none
    iso_contact_shape* plain = fixture_shape(ctx, fixture_box(0.2, 0.2, 0.2), m);
    m.stiffening = 0.75;
    m.layer_count = 3;
    iso_contact_shape* curved = fixture_shape(ctx, fixture_box(0.2, 0.2, 0.2), m);
    CHECK_REL(iso_contact_shape_thickness(plain), 0.1, 1e-14);  // measured 0
    CHECK_REL(iso_contact_shape_thickness(curved), 0.1, 1e-14); // measured 0
    CHECK_BITS(iso_contact_shape_max_pressure(plain), 1e7);
    CHECK_REL(iso_contact_shape_max_pressure(curved), 4e7, 1e-15); // measured 0
    CHECK(iso_contact_shape_tet_count(curved) > 3 * iso_contact_shape_tet_count(plain), "%d",
          iso_contact_shape_tet_count(curved));
    iso_vec3 lower, upper;
    iso_contact_shape_bounds(plain, &lower, &upper);
    CHECK_BITS(upper.x, 0.1);
    iso_contact_shape_destroy(ctx, plain);
    iso_contact_shape_destroy(ctx, curved);
}

// The same tetrahedron wound inside out: its normals must point out again.
static void surface_wound_inside_out_is_turned(void** state) {
    (void)state;
    int inward[4][3];
    for (int i = 0; i < 12; ++i) {
        inward[i / 3][i % 3] = k_triangles[i / 3][2 - i % 3];
    }
    iso_tri_mesh surface = {4, 4, k_vertices, inward};
    iso_shape_desc desc = iso_shape_desc_default(ISO_SHAPE_MESH);
    desc.surface = &surface;
    iso_contact_shape* shape = fixture_shape(ctx, desc, fixture_rigid(0.0));
    const iso_tri_mesh* mesh = iso_contact_shape_surface(shape);
    double volume = 0.0;
    for (int i = 0; i < mesh->triangle_count; ++i) {
        const int* t = mesh->triangles[i];
        volume += iso_vec3_dot(mesh->vertices[t[0]],
                               iso_vec3_cross(mesh->vertices[t[1]], mesh->vertices[t[2]])) /
                  6.0;
    }
    CHECK_NEAR(volume, 1.0 / 6.0, 1e-15); // measured 0
    iso_contact_shape_destroy(ctx, shape);
}

// Each triangle twice, once with its corners in another order; then both sides of each.
static void repeated_triangles_push_once(void** state) {
    (void)state;
    int twice[8][3], both[8][3];
    for (int i = 0; i < 24; ++i) {
        int t = i / 3, k = i % 3;
        twice[t][k] = k_triangles[t % 4][(k + t / 4) % 3];
        both[t][k] = k_triangles[t % 4][t < 4 ? k : 2 - k];
    }
    const struct {
        int (*triangles)[3];
        int count, kept_count;
        const char* words;
    } cases[3] = {{twice, 5, 4, "mesh: 1 repeated triangle left out"},
                  {twice, 8, 4, "mesh: 4 repeated triangles left out"},
                  {both, 8, 8, ""}};
    iso_shape_desc desc = iso_shape_desc_default(ISO_SHAPE_MESH);
    kept_warning heard;
    iso_context* listening = warned_context(&heard);
    for (int i = 0; i < 3; ++i) {
        iso_tri_mesh surface = {4, cases[i].count, k_vertices, cases[i].triangles};
        desc.surface = &surface;
        heard.text[0] = '\0';
        iso_contact_shape* shape = fixture_shape(listening, desc, fixture_rigid(0.0));
        CHECK(iso_contact_shape_is_closed(shape) == (cases[i].kept_count == 4), "case %d", i);
        assert_int_equal(iso_contact_shape_surface(shape)->triangle_count, cases[i].kept_count);
        assert_string_equal(heard.text, cases[i].words);
        iso_contact_shape_destroy(listening, shape);
    }
    iso_context_destroy(listening);
}

// One tetrahedron gets its centroid; kept as it is it has no pressure anywhere.
static void volume_without_an_inner_vertex_gets_one(void** state) {
    (void)state;
    iso_tet_mesh volume = {4, 1, k_vertices, k_tets};
    iso_shape_desc desc = iso_shape_desc_default(ISO_SHAPE_MESH);
    desc.volume = &volume;
    iso_contact_shape* shape = fixture_shape(ctx, desc, undeclared());
    CHECK(iso_contact_shape_tet_count(shape) == 4, "%d", iso_contact_shape_tet_count(shape));
    CHECK_REL(iso_contact_shape_max_pressure(shape), 1e7, 1e-15); // measured 0
    iso_contact_shape_destroy(ctx, shape);
    iso_contact_material kept = undeclared();
    kept.is_mesh_kept = true;
    check_refused(desc, kept, ISO_ERR_GEOMETRY, "none of its 4 vertices lies inside");
    shape = fixture_shape(ctx, desc, fixture_rigid(0.0));
    CHECK(iso_contact_shape_is_closed(shape), "as a rigid body it will do");
    iso_contact_options options = fixture_options();
    CHECK_OK(ctx, iso_contact_shape_prepare_layer(ctx, shape, &options));
    iso_contact_shape_destroy(ctx, shape);
}

static void triangles_without_area_are_left_out(void** state) {
    (void)state;
    iso_vec3 v[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {2, 0, 0}, {0, 0, 1}};
    int t[2][3] = {{0, 1, 3}, {0, 1, 2}};
    iso_tri_mesh surface = {5, 2, v, t};
    iso_shape_desc desc = iso_shape_desc_default(ISO_SHAPE_MESH);
    desc.surface = &surface;
    iso_contact_shape* shape = fixture_shape(ctx, desc, fixture_rigid(0.0));
    CHECK(shape->triangles.degenerate_count == 1, "%d", shape->triangles.degenerate_count);
    iso_contact_shape_destroy(ctx, shape);
    surface.triangle_count = 1;
    check_refused(desc, fixture_rigid(0.0), ISO_ERR_GEOMETRY, "no triangle with an area");
}

static void values_out_of_range_are_refused(void** state) {
    (void)state;
    iso_contact_material m = fixture_compliant(0.0, 0.0);
    check_refused(fixture_sphere(0.1), m, ISO_ERR_RANGE, "modulus is 0");
    m = fixture_compliant(1e7, -1.0);
    check_refused(fixture_sphere(0.1), m, ISO_ERR_RANGE, "resolution hint is -1");
    m = fixture_compliant(1e7, 0.0);
    m.margin = NAN;
    check_refused(fixture_sphere(0.1), m, ISO_ERR_RANGE, "margin");
    m.margin = 0.0;
    m.slab_thickness = -1.0;
    check_refused(fixture_sphere(0.1), m, ISO_ERR_RANGE, "slab thickness is -1");
    check_refused(fixture_sphere(-0.1), fixture_compliant(1e7, 0.0), ISO_ERR_RANGE, "-0.1");
    iso_contact_shape* shape = NULL;
    CHECK_STATUS(ctx, iso_contact_shape_create(ctx, NULL, &m, &shape), ISO_ERR_ARGUMENT);

    shape = fixture_shape(ctx, fixture_sphere(0.1), fixture_rigid(0.0));
    iso_contact_options options = fixture_options();
    options.rigid_layer_thickness = 0.0;
    CHECK_STATUS(ctx, iso_contact_shape_prepare_layer(ctx, shape, &options), ISO_ERR_RANGE);
    options = fixture_options();
    options.rigid_layer_modulus = -1.0;
    CHECK_STATUS(ctx, iso_contact_shape_prepare_layer(ctx, shape, &options), ISO_ERR_RANGE);
    iso_contact_shape_destroy(ctx, shape);
}

// Create a shape of every kind, with margin or layer, and query it against a sphere.
static iso_status attempt(iso_context* failing, void* user) {
    int kind = *(int*)user;
    iso_tri_mesh surface = {4, 4, k_vertices, k_triangles};
    iso_shape_desc descs[4] = {fixture_sphere(0.1), iso_shape_desc_default(ISO_SHAPE_CONVEX),
                               iso_shape_desc_default(ISO_SHAPE_MESH), fixture_box(1, 1, 1)};
    descs[1].surface = descs[2].surface = &surface;
    iso_contact_material material =
        kind == 2 || kind == 3 ? fixture_rigid(0.05) : fixture_compliant(1e7, 0.05);
    material.margin = kind == 1 ? 0.01 : 0.0;
    iso_contact_options options = fixture_options();
    iso_contact_shape *shape = NULL, *ball = NULL;
    iso_shape_desc sphere = fixture_sphere(0.2);
    iso_contact_material soft = fixture_compliant(1e6, 0.1);
    iso_pose x_wa = iso_pose_identity();
    iso_pose x_wb = iso_pose_from_position(iso_vec3_make(0.1, 0.2, 0.3));
    iso_arena arena = {.ctx = failing};
    iso_patch patch;
    iso_status status = iso_contact_shape_create(failing, &descs[kind], &material, &shape);
    if (status == ISO_OK) {
        status = iso_contact_shape_create(failing, &sphere, &soft, &ball);
    }
    if (status == ISO_OK) {
        status = iso_contact_shape_prepare_layer(failing, shape, &options);
    }
    for (int i = 0; i < 2 && status == ISO_OK; ++i) {
        status = iso_pair_query(&arena, shape, &x_wa, ball, &x_wb, &options, &patch);
        options.representation = ISO_REPRESENTATION_TRIANGLE;
    }
    iso_contact_shape_destroy(failing, shape);
    iso_contact_shape_destroy(failing, ball);
    iso_arena_destroy(&arena);
    return status;
}

static void every_allocation_failure_is_survived(void** state) {
    (void)state;
    for (int kind = 0; kind < 4; ++kind) {
        int count = check_every_allocation_failure(attempt, &kind);
        CHECK(count > 20, "kind %d: %d allocations", kind, count);
    }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(undeclared_primitives_are_compliant),
        TEST(rigid_shapes_have_no_tetrahedra),
        TEST(half_space_is_compliant_only_with_a_slab),
        TEST(half_space_says_that_it_has_no_layers),
        TEST(hints_that_are_not_reached_are_told_once),
        TEST(bounds_include_the_margin),
        TEST(surface_mesh_becomes_rigid_unless_declared_compliant),
        TEST(materials_shape_the_field),
        TEST(surface_wound_inside_out_is_turned),
        TEST(repeated_triangles_push_once),
        TEST(volume_without_an_inner_vertex_gets_one),
        TEST(triangles_without_area_are_left_out),
        TEST(values_out_of_range_are_refused),
        TEST(every_allocation_failure_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
