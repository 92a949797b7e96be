// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/alloc.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh/shape.h"
#include "geometry/mesh/topology.h"
#include "geometry/tessellation/shape_mesh.h"
#include "geometry/tessellation/tessellate.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"

#include <string.h>

// A cube of edge 1 with one corner at the origin: 8 vertices, 12 triangles.
static const iso_vec3 k_cube_vertices[8] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0},
                                            {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
static const int k_cube_triangles[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6},
                                            {0, 1, 5}, {0, 5, 4}, {2, 6, 7}, {2, 7, 3},
                                            {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};

static iso_tri_mesh make_cube(iso_context* ctx) {
    iso_tri_mesh mesh;
    CHECK_OK(ctx, iso_tri_mesh_allocate(ctx, 8, 12, &mesh));
    memcpy(mesh.vertices, k_cube_vertices, sizeof k_cube_vertices);
    memcpy(mesh.triangles, k_cube_triangles, sizeof k_cube_triangles);
    return mesh;
}

static void closed_surfaces_are_told_from_open_ones(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_tri_mesh mesh = make_cube(ctx);
    iso_mesh_report r;
    CHECK_OK(ctx, iso_tri_mesh_inspect(ctx, &mesh, &r));
    assert_true(r.is_closed && r.is_oriented);
    assert_int_equal(r.vertex_count, 8);
    assert_int_equal(r.triangle_count, 12);
    assert_int_equal(r.tet_count, 0);
    assert_int_equal(r.component_count, 1);
    assert_int_equal(r.boundary_edge_count + r.non_manifold_edge_count + r.degenerate_count, 0);
    CHECK_NEAR(r.volume, 1.0, 4e-15); // measured 1.1e-16
    CHECK_NEAR(r.area, 6.0, 4e-15);   // measured 0
    CHECK_VEC3_NEAR(r.lower, iso_vec3_zero(), 0.0);
    CHECK_VEC3_NEAR(r.upper, iso_vec3_make(1, 1, 1), 0.0);
    CHECK_OK(ctx, iso_tri_mesh_check_closed(ctx, &mesh));

    mesh.triangle_count = 11; // a hole of one triangle
    CHECK_OK(ctx, iso_tri_mesh_inspect(ctx, &mesh, &r));
    assert_false(r.is_closed);
    assert_true(r.is_oriented);
    assert_int_equal(r.boundary_edge_count, 3);
    CHECK_BITS(r.volume, 0.0);
    CHECK_STATUS(ctx, iso_tri_mesh_check_closed(ctx, &mesh), ISO_ERR_GEOMETRY);
    CHECK_ERROR(ctx, "3 of 18 edges belong to one triangle");
    CHECK_ERROR(ctx, "fill holes");

    mesh.triangle_count = 12;
    int held = mesh.triangles[4][0]; // turn one triangle over
    mesh.triangles[4][0] = mesh.triangles[4][1];
    mesh.triangles[4][1] = held;
    CHECK_OK(ctx, iso_tri_mesh_inspect(ctx, &mesh, &r));
    assert_true(r.is_closed);
    assert_false(r.is_oriented);
    CHECK_STATUS(ctx, iso_tri_mesh_check_closed(ctx, &mesh), ISO_ERR_GEOMETRY);
    CHECK_ERROR(ctx, "3 of 18 edges are run along twice in one direction");
    mesh.triangle_count = 0;
    CHECK_STATUS(ctx, iso_tri_mesh_check_closed(ctx, &mesh), ISO_ERR_GEOMETRY);
    iso_tri_mesh_destroy(ctx, &mesh);
    iso_tri_mesh_destroy(ctx, NULL);
    test_context_destroy(ctx);
}

// Of two cubes along a diagonal edges meet the diagonals of faces, each within the other.
static void pairs_of_triangles_that_cut_are_counted_with_their_places(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_tri_mesh one = make_cube(ctx), two;
    iso_mesh_report r;
    CHECK_OK(ctx, iso_tri_mesh_inspect(ctx, &one, &r));
    assert_int_equal(r.intersection_count, 0);
    CHECK_OK(ctx, iso_tri_mesh_allocate(ctx, 16, 25, &two));
    for (int i = 0; i < 16; ++i) {
        double shift = i < 8 ? 0.0 : 0.5;
        two.vertices[i] = iso_vec3_add(one.vertices[i % 8], iso_vec3_make(shift, shift, shift));
    }
    for (int i = 0; i < 25; ++i) { // the last one repeats the first
        for (int k = 0; k < 3; ++k) {
            two.triangles[i][k] = one.triangles[i % 12][k] + (i / 12 == 1 ? 8 : 0);
        }
    }
    CHECK_OK(ctx, iso_tri_mesh_inspect(ctx, &two, &r));
    assert_int_equal(r.intersection_count, 6);
    for (int i = 0; i < 6; ++i) { // on both skins
        iso_vec3 p = r.intersections[i];
        CHECK_NEAR(fmax(p.x, fmax(p.y, p.z)), 1.0, 1e-15); // measured 0
        CHECK_NEAR(fmin(p.x, fmin(p.y, p.z)), 0.5, 1e-15); // measured 0
    }
    iso_tri_mesh_destroy(ctx, &one);
    iso_tri_mesh_destroy(ctx, &two);
    // Tetrahedra that overlap without a common vertex.
    iso_vec3 vertices[8] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int tets[2][4] = {{0, 1, 2, 3}, {4, 5, 6, 7}};
    iso_tet_mesh mesh = {8, 2, vertices, tets};
    for (int shifted = 0; shifted < 2; ++shifted) {
        for (int i = 0; i < 4; ++i) {
            double shift = shifted ? 0.1 : 2.0;
            vertices[4 + i] = iso_vec3_add(vertices[i], iso_vec3_make(shift, shift, shift));
        }
        CHECK_OK(ctx, iso_tet_mesh_inspect(ctx, &mesh, &r));
        assert_int_equal(r.component_count, 2);
        assert_int_equal(r.intersection_count > 0, shifted);
    }
    test_context_destroy(ctx);
}

static void parts_and_fins_are_counted(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    // Two cubes and a fin on an edge of the first.
    iso_tri_mesh mesh;
    CHECK_OK(ctx, iso_tri_mesh_allocate(ctx, 17, 25, &mesh));
    for (int i = 0; i < 8; ++i) {
        mesh.vertices[i] = k_cube_vertices[i];
        mesh.vertices[8 + i] = iso_vec3_add(k_cube_vertices[i], iso_vec3_make(3, 0, 0));
    }
    for (int i = 0; i < 12; ++i) {
        for (int k = 0; k < 3; ++k) {
            mesh.triangles[i][k] = k_cube_triangles[i][k];
            mesh.triangles[12 + i][k] = 8 + k_cube_triangles[i][k];
        }
    }
    mesh.vertices[16] = iso_vec3_make(-1, -1, 0);
    memcpy(mesh.triangles[24], (int[3]){0, 1, 16}, sizeof(int[3]));
    iso_mesh_report r;
    CHECK_OK(ctx, iso_tri_mesh_inspect(ctx, &mesh, &r));
    assert_int_equal(r.component_count, 2);
    assert_int_equal(r.non_manifold_edge_count, 1);
    assert_int_equal(r.boundary_edge_count, 2);
    assert_false(r.is_closed || r.is_oriented);
    iso_tri_topology t;
    CHECK_OK(ctx, iso_tri_topology_create(ctx, &mesh, &t));
    assert_int_equal(t.edge_count, 38);
    assert_int_equal(t.neighbors[24][0], -2);
    assert_int_equal(t.neighbors[24][1], -1);
    iso_tri_topology_destroy(ctx, &t);
    mesh.triangle_count = 24;
    CHECK_OK(ctx, iso_tri_mesh_inspect(ctx, &mesh, &r));
    assert_true(r.is_closed && r.is_oriented);
    assert_int_equal(r.component_count, 2);
    CHECK_NEAR(r.volume, 2.0, 1e-15); // measured 0
    iso_tri_mesh_destroy(ctx, &mesh);
    test_context_destroy(ctx);
}

static void neighbours_are_mutual(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_shape_desc capsule = iso_shape_desc_default(ISO_SHAPE_CAPSULE);
    iso_tet_mesh mesh;
    double* extents;
    CHECK_OK(ctx, iso_tessellate_volume(ctx, &capsule, 0.3, &mesh, &extents));
    iso_tet_topology t;
    CHECK_OK(ctx, iso_tet_topology_create(ctx, &mesh, &t));
    int skin_count = 0;
    for (int i = 0; i < mesh.tet_count; ++i) {
        for (int k = 0; k < 4; ++k) {
            int other = t.neighbors[i][k];
            if (other < 0) {
                ++skin_count;
                continue;
            }
            int back = 0, shared = 0;
            for (int j = 0; j < 4; ++j) {
                back += t.neighbors[other][j] == i;
                for (int m = 0; m < 4; ++m) {
                    shared += j != k && mesh.tets[i][j] == mesh.tets[other][m];
                }
            }
            assert_int_equal(back, 1);
            assert_int_equal(shared, 3);
        }
    }
    assert_int_equal(skin_count, t.skin_face_count);
    iso_tri_mesh skin;
    CHECK_OK(ctx, iso_tet_mesh_skin(ctx, &mesh, &skin));
    assert_int_equal(skin.triangle_count, skin_count);
    iso_tri_topology s;
    CHECK_OK(ctx, iso_tri_topology_create(ctx, &skin, &s));
    for (int i = 0; i < skin.triangle_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            const int* other = s.neighbors[s.neighbors[i][k]];
            assert_int_equal((other[0] == i) + (other[1] == i) + (other[2] == i), 1);
        }
    }
    iso_tri_topology_destroy(ctx, &s);
    iso_tet_topology_destroy(ctx, &t);
    iso_tri_mesh_destroy(ctx, &skin);
    iso_tet_mesh_destroy(ctx, &mesh);
    iso_free(ctx, extents);
    test_context_destroy(ctx);
}

static void overlapping_tetrahedra_are_found(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_vec3 vertices[6] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 2}, {0, 0, -1}};
    int tets[3][4] = {{0, 1, 2, 3}, {0, 1, 2, 4}, {0, 2, 1, 5}};
    iso_tet_mesh mesh = {6, 2, vertices, tets};
    iso_tet_topology t;
    CHECK_STATUS(ctx, iso_tet_topology_create(ctx, &mesh, &t), ISO_ERR_GEOMETRY);
    CHECK_ERROR(ctx, "tetrahedra 0 and 1 overlap");
    int apart[3][4] = {{0, 1, 2, 3}, {0, 2, 1, 5}, {0, 1, 2, 4}};
    mesh = (iso_tet_mesh){6, 3, vertices, apart};
    CHECK_STATUS(ctx, iso_tet_topology_create(ctx, &mesh, &t), ISO_ERR_GEOMETRY);
    CHECK_ERROR(ctx, "face of vertices 0 1 2 belongs to tetrahedra 0, 1 and 2");
    iso_tri_mesh skin;
    CHECK_STATUS(ctx, iso_tet_mesh_skin(ctx, &mesh, &skin), ISO_ERR_GEOMETRY);
    iso_mesh_report r;
    CHECK_STATUS(ctx, iso_tet_mesh_inspect(ctx, &mesh, &r), ISO_ERR_GEOMETRY);
    test_context_destroy(ctx);
}

static void bad_meshes_are_refused_by_element(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_vec3 vertices[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int tets[1][4] = {{0, 2, 1, 3}};
    int triangles[2][3] = {{0, 1, 2}, {0, 1, 4}};
    iso_tet_mesh mesh = {4, 1, vertices, tets};
    iso_mass_properties mass;
    CHECK_STATUS(ctx, iso_tet_mesh_check(ctx, &mesh), ISO_ERR_GEOMETRY);
    CHECK_ERROR(ctx, "tetrahedron 0 (vertices 0 2 1 3) has volume -0.166667 m^3");
    CHECK_STATUS(ctx, iso_tet_mesh_mass_properties(ctx, &mesh, &mass), ISO_ERR_GEOMETRY);
    tets[0][0] = -1;
    CHECK_STATUS(ctx, iso_tet_mesh_check(ctx, &mesh), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "tetrahedron 0 names vertex -1, expected 0 to 3");
    iso_tri_mesh surface = {4, 2, vertices, triangles};
    CHECK_STATUS(ctx, iso_tri_mesh_check(ctx, &surface), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "triangle 1 names vertex 4");
    vertices[2].y = NAN;
    CHECK_STATUS(ctx, iso_tri_mesh_check(ctx, &surface), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "vertex 2 is (0, nan, 0)");
    mesh.tets = NULL;
    CHECK_STATUS(ctx, iso_tet_mesh_check(ctx, &mesh), ISO_ERR_ARGUMENT);
    surface.vertex_count = -1;
    CHECK_STATUS(ctx, iso_tri_mesh_check(ctx, &surface), ISO_ERR_ARGUMENT);
    iso_tri_mesh_destroy(ctx, NULL);
    iso_tet_mesh_destroy(ctx, NULL);
    test_context_destroy(ctx);
}

static void mirrored_scales_keep_the_outside_outside(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_tri_mesh source = make_cube(ctx), mesh;
    CHECK_OK(ctx, iso_tri_mesh_copy_scaled(ctx, &source, iso_vec3_make(-2, 3, 1), &mesh));
    CHECK_NEAR(iso_tri_mesh_volume(&mesh), 6.0, 4e-15); // measured 0
    iso_tri_mesh_destroy(ctx, &mesh);
    iso_tri_mesh_destroy(ctx, &source);
    iso_vec3 vertices[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int tets[1][4] = {{0, 1, 2, 3}};
    iso_tet_mesh tet = {4, 1, vertices, tets}, copy;
    CHECK_OK(ctx, iso_tet_mesh_copy_scaled(ctx, &tet, iso_vec3_make(-1, -1, -6), &copy));
    CHECK_NEAR(iso_tet_mesh_volume(&copy), 1.0, 1e-15); // measured 0
    iso_tet_mesh_destroy(ctx, &copy);
    test_context_destroy(ctx);
}

// Move a mesh rigidly; its mass properties must follow.
static void mass_properties_move_with_the_mesh(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    test_random random = test_random_make(7);
    iso_tri_mesh mesh = make_cube(ctx);
    for (int trial = 0; trial < 20; ++trial) {
        iso_pose x = test_random_pose(&random, 5.0);
        double a = test_random_uniform(&random, 0.1, 2.0);
        double b = test_random_uniform(&random, 0.1, 2.0);
        for (int i = 0; i < 8; ++i) {
            iso_vec3 p = iso_vec3_mul(k_cube_vertices[i], iso_vec3_make(a, b, 1.0));
            mesh.vertices[i] = iso_pose_point(&x, p);
        }
        iso_mass_properties mass;
        CHECK_OK(ctx, iso_tri_mesh_mass_properties(ctx, &mesh, &mass));
        CHECK_REL(mass.volume, a * b, 2e-14); // measured 1.6e-15
        iso_vec3 centre = iso_pose_point(&x, iso_vec3_make(0.5 * a, 0.5 * b, 0.5));
        CHECK_VEC3_NEAR(mass.center_of_mass, centre, 4e-15); // measured 4.4e-16
        double m = a * b / 12.0;
        iso_mat3 local = iso_mat3_diagonal(m * (b * b + 1), m * (1 + a * a), m * (a * a + b * b));
        iso_mat3 expected = iso_mat3_mul(iso_mat3_mul(x.r, local), iso_mat3_transpose(x.r));
        CHECK_MAT3_NEAR(mass.inertia, expected, 2e-14); // measured 2.4e-15
    }
    iso_tri_mesh_destroy(ctx, &mesh);
    test_context_destroy(ctx);
}

// The mesh of a primitive, as surface and as tetrahedra, approaches the closed forms.
static void closed_forms_are_the_limit_of_meshes(void** state) {
    (void)state;
    static const struct {
        iso_shape_kind kind;
        double hint, tolerance; // relative; measured beside
    } k_cases[] = {
        {ISO_SHAPE_SPHERE, 0.02, 2e-3},    // 1.5e-3
        {ISO_SHAPE_ELLIPSOID, 0.02, 1e-3}, // 9.2e-5
        {ISO_SHAPE_BOX, 0.02, 1e-14},      // 3.5e-16
        {ISO_SHAPE_CYLINDER, 0.02, 1e-3},  // 7.3e-4
        {ISO_SHAPE_CAPSULE, 0.02, 1e-3},   // 8.5e-4
    };
    for (size_t i = 0; i < sizeof k_cases / sizeof k_cases[0]; ++i) {
        iso_context* ctx = test_context();
        iso_shape_desc shape = iso_shape_desc_default(k_cases[i].kind);
        shape.radius = 0.3;
        shape.length = 0.7;
        shape.size = iso_vec3_make(0.5, 0.7, 0.9);
        iso_tet_mesh tets;
        iso_tri_mesh skin;
        double* extents;
        iso_mass_properties exact, from_tets, from_skin;
        CHECK_OK(ctx, iso_shape_mass_properties(ctx, &shape, &exact));
        CHECK_OK(ctx, iso_tessellate_volume(ctx, &shape, k_cases[i].hint, &tets, &extents));
        CHECK_OK(ctx, iso_tet_mesh_skin(ctx, &tets, &skin));
        CHECK_OK(ctx, iso_tet_mesh_mass_properties(ctx, &tets, &from_tets));
        CHECK_OK(ctx, iso_tri_mesh_mass_properties(ctx, &skin, &from_skin));
        double tolerance = k_cases[i].tolerance;
        CHECK_REL(from_tets.volume, exact.volume, tolerance);
        CHECK_VEC3_NEAR(from_tets.center_of_mass, exact.center_of_mass, 4e-15); // measured 9.1e-16
        for (int k = 0; k < 3; ++k) {
            CHECK_REL(from_tets.inertia.m[k][k], exact.inertia.m[k][k], 3.0 * tolerance);
        }
        CHECK_REL(from_skin.volume, from_tets.volume, 1e-13);         // measured 9.7e-15
        CHECK_MAT3_NEAR(from_skin.inertia, from_tets.inertia, 8e-15); // measured 7.8e-16
        CHECK_VEC3_NEAR(from_skin.center_of_mass, from_tets.center_of_mass,
                        4e-15); // measured 3.3e-16
        iso_tri_mesh_destroy(ctx, &skin);
        iso_tet_mesh_destroy(ctx, &tets);
        iso_free(ctx, extents);
        test_context_destroy(ctx);
    }
}

static void shapes_without_volume_have_no_mass(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_mass_properties mass;
    iso_shape_desc shape = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    CHECK_STATUS(ctx, iso_shape_mass_properties(ctx, &shape, &mass), ISO_ERR_GEOMETRY);
    iso_tri_mesh mesh = make_cube(ctx);
    mesh.triangle_count = 11;
    shape = iso_shape_desc_default(ISO_SHAPE_MESH);
    shape.surface = &mesh;
    CHECK_STATUS(ctx, iso_shape_mass_properties(ctx, &shape, &mass), ISO_ERR_GEOMETRY);
    CHECK_ERROR(ctx, "not closed");
    mesh.triangle_count = 12;
    for (int i = 0; i < 12; ++i) { // inside out
        int held = mesh.triangles[i][0];
        mesh.triangles[i][0] = mesh.triangles[i][1];
        mesh.triangles[i][1] = held;
    }
    CHECK_STATUS(ctx, iso_tri_mesh_mass_properties(ctx, &mesh, &mass), ISO_ERR_GEOMETRY);
    CHECK_ERROR(ctx, "face inward");
    CHECK_OK(ctx, iso_shape_mass_properties(ctx, &shape, &mass)); // of a shape it is turned
    CHECK(mass.volume > 0.0, "%g m^3", mass.volume);
    iso_tri_mesh_destroy(ctx, &mesh);
    test_context_destroy(ctx);
}

static void inline_meshes_serve_as_shapes(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_tri_mesh source = make_cube(ctx);
    iso_shape_desc shape = iso_shape_desc_default(ISO_SHAPE_MESH);
    shape.surface = &source;
    shape.scale = iso_vec3_make(1, 1, -2);
    iso_mass_properties mass;
    CHECK_OK(ctx, iso_shape_mass_properties(ctx, &shape, &mass));
    CHECK_NEAR(mass.volume, 2.0, 1e-15);                                      // measured 0
    CHECK_VEC3_NEAR(mass.center_of_mass, iso_vec3_make(0.5, 0.5, -1), 1e-15); // measured 0
    iso_vec3 lower, upper;
    CHECK_OK(ctx, iso_shape_bounds(ctx, &shape, &lower, &upper));
    CHECK_VEC3_NEAR(lower, iso_vec3_make(0, 0, -2), 0.0);
    iso_tri_mesh surface;
    CHECK_OK(ctx, iso_shape_surface(ctx, &shape, 1.0, &surface));
    assert_int_equal(surface.triangle_count, 12);
    iso_tri_mesh_destroy(ctx, &surface);
    iso_tet_mesh volume;
    double* extents;
    CHECK_STATUS(ctx, iso_tessellate_volume(ctx, &shape, 1.0, &volume, &extents), ISO_ERR_GEOMETRY);
    CHECK_ERROR(ctx, "isobar prepare");

    shape.kind = ISO_SHAPE_CONVEX;
    CHECK_OK(ctx, iso_tessellate_volume(ctx, &shape, 1.0, &volume, &extents));
    CHECK_NEAR(iso_tet_mesh_volume(&volume), 2.0, 1e-15); // measured 0
    assert_int_equal(volume.tet_count, 12);
    CHECK_BITS(extents[8], 1.0);
    CHECK_OK(ctx, iso_shape_mass_properties(ctx, &shape, &mass));
    CHECK_NEAR(mass.volume, 2.0, 1e-15); // measured 0

    iso_shape_desc tets = iso_shape_desc_default(ISO_SHAPE_MESH);
    tets.volume = &volume;
    iso_tet_mesh copy;
    double* no_extents;
    CHECK_OK(ctx, iso_tessellate_volume(ctx, &tets, 1.0, &copy, &no_extents));
    assert_null(no_extents);
    assert_int_equal(copy.tet_count, 12);
    CHECK_OK(ctx, iso_shape_surface(ctx, &tets, 1.0, &surface));
    assert_int_equal(surface.vertex_count, 8);
    CHECK_OK(ctx, iso_shape_mass_properties(ctx, &tets, &mass));
    CHECK_NEAR(mass.volume, 2.0, 1e-15); // measured 0
    iso_mesh_report r;
    CHECK_OK(ctx, iso_tet_mesh_inspect(ctx, &copy, &r));
    assert_int_equal(r.tet_count, 12);
    assert_int_equal(r.vertex_count, 9);
    assert_int_equal(r.component_count, 1);
    assert_true(r.is_closed && r.is_oriented);
    iso_tri_mesh_destroy(ctx, &surface);
    iso_tet_mesh_destroy(ctx, &copy);
    iso_tet_mesh_destroy(ctx, &volume);
    iso_tri_mesh_destroy(ctx, &source);
    iso_free(ctx, extents);
    test_context_destroy(ctx);
}

static void bounds_of_primitives_are_their_sizes(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    static const struct {
        iso_shape_kind kind;
        iso_vec3 upper;
    } k_cases[] = {
        {ISO_SHAPE_SPHERE, {2, 2, 2}},    {ISO_SHAPE_ELLIPSOID, {1, 3, 5}},
        {ISO_SHAPE_BOX, {0.5, 1.5, 2.5}}, {ISO_SHAPE_CYLINDER, {2, 2, 4}},
        {ISO_SHAPE_CAPSULE, {2, 2, 6}},
    };
    iso_vec3 lower, upper;
    for (size_t i = 0; i < sizeof k_cases / sizeof k_cases[0]; ++i) {
        iso_shape_desc shape = iso_shape_desc_default(k_cases[i].kind);
        shape.radius = 2.0;
        shape.length = 8.0;
        shape.size = iso_vec3_make(1, 3, 5);
        CHECK_OK(ctx, iso_shape_bounds(ctx, &shape, &lower, &upper));
        CHECK_VEC3_NEAR(upper, k_cases[i].upper, 0.0);
        CHECK_VEC3_NEAR(lower, iso_vec3_neg(upper), 0.0);
    }
    iso_shape_desc plane = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    CHECK_OK(ctx, iso_shape_bounds(ctx, &plane, &lower, &upper));
    assert_true(isinf(upper.x) && upper.z == 0.0 && isinf(lower.z));
    test_context_destroy(ctx);
}

static iso_status inspect_once(iso_context* ctx, void* user) {
    iso_shape_desc box = iso_shape_desc_default(ISO_SHAPE_BOX);
    iso_tet_mesh mesh;
    double* extents;
    (void)user;
    iso_status status = iso_tessellate_volume(ctx, &box, 1.0, &mesh, &extents);
    iso_mesh_report r;
    if (status == ISO_OK) {
        status = iso_tet_mesh_inspect(ctx, &mesh, &r);
    }
    iso_tet_mesh_destroy(ctx, &mesh);
    iso_free(ctx, extents);
    return status;
}

static void inspection_survives_every_allocation_failure(void** state) {
    (void)state;
    int count = check_every_allocation_failure(inspect_once, NULL);
    CHECK(count > 10, "%d allocations", count);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_surfaces_are_told_from_open_ones),
        cmocka_unit_test(pairs_of_triangles_that_cut_are_counted_with_their_places),
        cmocka_unit_test(parts_and_fins_are_counted),
        cmocka_unit_test(neighbours_are_mutual),
        cmocka_unit_test(overlapping_tetrahedra_are_found),
        cmocka_unit_test(bad_meshes_are_refused_by_element),
        cmocka_unit_test(mirrored_scales_keep_the_outside_outside),
        cmocka_unit_test(mass_properties_move_with_the_mesh),
        cmocka_unit_test(closed_forms_are_the_limit_of_meshes),
        cmocka_unit_test(shapes_without_volume_have_no_mass),
        cmocka_unit_test(inline_meshes_serve_as_shapes),
        cmocka_unit_test(bounds_of_primitives_are_their_sizes),
        cmocka_unit_test(inspection_survives_every_allocation_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
