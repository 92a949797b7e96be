// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/alloc.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh/topology.h"
#include "geometry/search/hull.h"
#include "geometry/tessellation/tessellate.h"
#include "support/assets.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"

#include <stdio.h>

// Farthest that a point lies outside a plane of the hull [m]; <= 0 inside.
static double outside_by(const iso_tri_mesh* hull, iso_vec3 p) {
    double farthest = -INFINITY;
    for (int i = 0; i < hull->triangle_count; ++i) {
        const int* t = hull->triangles[i];
        iso_vec3 n = iso_vec3_normalized(iso_triangle_area_vector(
            hull->vertices[t[0]], hull->vertices[t[1]], hull->vertices[t[2]]));
        farthest = fmax(farthest, iso_vec3_dot(n, iso_vec3_sub(p, hull->vertices[t[0]])));
    }
    return farthest;
}

static void hull_of_a_full_cube_is_its_twelve_triangles(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_vec3 points[27]; // corners, and points on edges, faces and inside
    for (int i = 0; i < 27; ++i) {
        points[i] = iso_vec3_make(i % 3, i / 3 % 3, i / 9);
    }
    iso_tri_mesh hull;
    CHECK_OK(ctx, iso_hull_create(ctx, points, 27, &hull));
    assert_int_equal(hull.vertex_count, 8);
    assert_int_equal(hull.triangle_count, 12);
    CHECK_OK(ctx, iso_tri_mesh_check_closed(ctx, &hull));
    CHECK_NEAR(iso_tri_mesh_volume(&hull), 8.0, 1e-14); // measured 8.9e-16
    for (int i = 0; i < 8; ++i) {                       // in the order of the points
        CHECK_VEC3_NEAR(hull.vertices[i], iso_vec3_make(2 * (i % 2), 2 * (i / 2 % 2), 2 * (i / 4)),
                        0.0);
    }
    iso_tri_mesh_destroy(ctx, &hull);
    test_context_destroy(ctx);
}

static void random_hulls_are_closed_convex_and_hold_every_point(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    test_random random = test_random_make(11);
    for (int trial = 0; trial < 40; ++trial) {
        iso_vec3 points[200];
        int count = test_random_int(&random, 4, 200);
        for (int i = 0; i < count; ++i) {
            points[i] =
                trial % 2 ? test_random_unit_vec3(&random) : test_random_vec3(&random, -1.0, 1.0);
        }
        iso_tri_mesh hull;
        CHECK_OK(ctx, iso_hull_create(ctx, points, count, &hull));
        CHECK_OK(ctx, iso_tri_mesh_check_closed(ctx, &hull));
        for (int i = 0; i < count; ++i) {
            CHECK_AT_MOST(outside_by(&hull, points[i]), 1e-14); // measured 6.3e-16
        }
        iso_tet_mesh tets;
        double* extents;
        CHECK_OK(ctx, iso_hull_tetrahedra(ctx, &hull, &tets, &extents));
        CHECK_OK(ctx, iso_tet_mesh_check(ctx, &tets));
        CHECK_REL(iso_tet_mesh_volume(&tets), iso_tri_mesh_volume(&hull),
                  1e-14); // measured 1.1e-15
        for (int i = 0; i < tets.vertex_count; ++i) {
            CHECK_BITS(extents[i], i == hull.vertex_count ? 1.0 : 0.0);
        }
        iso_tet_mesh_destroy(ctx, &tets);
        iso_free(ctx, extents);
        iso_tri_mesh_destroy(ctx, &hull);
    }
    test_context_destroy(ctx);
}

// Flat faces that are turned in space are flat only to rounding: still one fan each, and closed.
static void hulls_of_turned_prisms_stay_closed(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    test_random random = test_random_make(3);
    for (int trial = 0; trial < 30; ++trial) {
        iso_pose x = test_random_pose(&random, 1.0);
        iso_vec3 points[64];
        int n = test_random_int(&random, 3, 32);
        for (int i = 0; i < 2 * n; ++i) {
            double angle = 2.0 * ISO_PI * (i % n) / n;
            points[i] = iso_pose_point(&x, iso_vec3_make(cos(angle), sin(angle), i < n ? 0 : 1));
        }
        iso_tri_mesh hull;
        CHECK_OK(ctx, iso_hull_create(ctx, points, 2 * n, &hull));
        CHECK_OK(ctx, iso_tri_mesh_check_closed(ctx, &hull));
        assert_int_equal(hull.vertex_count, 2 * n);
        assert_int_equal(hull.triangle_count, 4 * n - 4);
        double area = 0.5 * n * sin(2.0 * ISO_PI / n);
        CHECK_REL(iso_tri_mesh_volume(&hull), area, 3e-14); // measured 2.6e-15
        iso_tri_mesh_destroy(ctx, &hull);
    }
    test_context_destroy(ctx);
}

static void points_without_volume_have_no_hull(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_vec3 flat[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {2, 3, 0}};
    iso_tri_mesh hull;
    CHECK_STATUS(ctx, iso_hull_create(ctx, flat, 3, &hull), ISO_ERR_GEOMETRY);
    CHECK_ERROR(ctx, "a convex hull of 3 points, expected at least 4");
    CHECK_STATUS(ctx, iso_hull_create(ctx, flat, 5, &hull), ISO_ERR_GEOMETRY);
    CHECK_ERROR(ctx, "no convex hull of 5 points: are they all in one plane?");
    assert_null(hull.vertices);
    iso_vec3 same[4] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
    CHECK_STATUS(ctx, iso_hull_create(ctx, same, 4, &hull), ISO_ERR_GEOMETRY);
    flat[2].z = INFINITY;
    CHECK_STATUS(ctx, iso_hull_create(ctx, flat, 5, &hull), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "point 2 of a hull");
    test_context_destroy(ctx);
}

static void convex_shapes_of_files_are_scaled_hulls(void** state) {
    (void)state;
    static const char* const k_paths[] = {
        "dishes/assets/plate_8in_col.obj",
        "iiwa_description/meshes/iiwa14/collision/link_7_polytope.obj",
        "iiwa_description/meshes/iiwa14/collision/link_0.obj",
        "dishes/assets/evo_bowl_coarse3k.vtk",
    };
    iso_context* ctx = test_context();
    for (int i = 0; i < 4; ++i) {
        char path[TEST_PATH_SIZE];
        iso_shape_desc shape = iso_shape_desc_default(ISO_SHAPE_CONVEX);
        shape.path = asset_path(path, k_paths[i]);
        iso_tet_mesh tets;
        double* extents;
        CHECK_OK(ctx, iso_tessellate_volume(ctx, &shape, 0.0, &tets, &extents));
        iso_tri_mesh skin;
        CHECK_OK(ctx, iso_tessellate_surface(ctx, &shape, 0.0, &skin));
        CHECK_OK(ctx, iso_tri_mesh_check_closed(ctx, &skin));
        assert_int_equal(skin.triangle_count, tets.tet_count);
        double volume = iso_tet_mesh_volume(&tets);
        iso_tri_mesh_destroy(ctx, &skin);
        iso_tet_mesh_destroy(ctx, &tets);
        iso_free(ctx, extents);
        shape.scale = iso_vec3_make(-2, 1, 0.5);
        iso_mass_properties mass;
        CHECK_OK(ctx, iso_shape_mass_properties(ctx, &shape, &mass));
        CHECK_REL(mass.volume, volume, 2e-14); // measured 1.6e-15
    }
    iso_shape_desc shape = iso_shape_desc_default(ISO_SHAPE_CONVEX);
    shape.path = "/no/such.obj";
    iso_tri_mesh hull;
    CHECK_STATUS(ctx, iso_tessellate_surface(ctx, &shape, 0.0, &hull), ISO_ERR_IO);
    test_context_destroy(ctx);
}

static iso_status hull_once(iso_context* ctx, void* user) {
    iso_tri_mesh hull;
    iso_tet_mesh tets = {0};
    double* extents = NULL;
    iso_status status = iso_hull_create(ctx, user, 5, &hull);
    if (status == ISO_OK) {
        status = iso_hull_tetrahedra(ctx, &hull, &tets, &extents);
    }
    assert_true((status == ISO_OK) == (extents != NULL));
    iso_tri_mesh_destroy(ctx, &hull);
    iso_tet_mesh_destroy(ctx, &tets);
    iso_free(ctx, extents);
    return status;
}

static void hulls_survive_every_allocation_failure(void** state) {
    (void)state;
    iso_vec3 points[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.1, 0.1, 0.1}};
    int count = check_every_allocation_failure(hull_once, points);
    CHECK(count > 6, "%d allocations", count);
}

// A disc of 32 corners a ring with rounded edges and nearly flat ends, in single precision as files
// have it: some of its facets have corners that a fan of triangles would fold over.
static int rounded_disc(iso_vec3* points) {
    int count = 0;
    for (int ring = 0; ring < 32; ++ring) {
        int i = ring % 16;
        double t = 0.5 * ISO_PI * i / 8.0, part = (i - 8) / 8.0;
        double radius = i <= 8 ? 36.0 + 2.0 * cos(t) : 36.0 * part;
        double z =
            i <= 8 ? 10.5 + 2.0 * sin(t) : 12.5 + 1e-7 * ((i - 8) % 3) * (1.0 - part * part) * 38.0;
        for (int k = 0; k < 32; ++k) {
            double angle = 2.0 * ISO_PI * k / 32.0;
            iso_vec3 p =
                iso_vec3_make(radius * cos(angle), radius * sin(angle), ring < 16 ? -z : z);
            points[count++] = iso_vec3_make((float)(p.x + 27.0) * 1e-3, (float)(p.y + 27.0) * 1e-3,
                                            (float)(p.z + 27.0) * 1e-3);
        }
    }
    return count;
}

static void facets_of_many_corners_do_not_fold_over(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_vec3 points[1024];
    iso_tri_mesh hull;
    iso_tet_mesh volume;
    double* extents;
    CHECK_OK(ctx, iso_hull_create(ctx, points, rounded_disc(points), &hull));
    CHECK_OK(ctx, iso_tri_mesh_check_closed(ctx, &hull));
    CHECK_OK(ctx, iso_hull_tetrahedra(ctx, &hull, &volume, &extents));
    double least = INFINITY;
    for (int i = 0; i < volume.tet_count; ++i) {
        least = fmin(least, iso_tet_mesh_tet_volume(&volume, i));
    }
    CHECK(least > 0.0, "a tetrahedron of %g m^3", least);                       // -5e-14 with a fan
    CHECK_REL(iso_tet_mesh_volume(&volume), iso_tri_mesh_volume(&hull), 1e-12); // measured 0
    iso_tet_mesh_destroy(ctx, &volume);
    iso_free(ctx, extents);
    iso_tri_mesh_destroy(ctx, &hull);
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hull_of_a_full_cube_is_its_twelve_triangles),
        cmocka_unit_test(random_hulls_are_closed_convex_and_hold_every_point),
        cmocka_unit_test(hulls_of_turned_prisms_stay_closed),
        cmocka_unit_test(points_without_volume_have_no_hull),
        cmocka_unit_test(convex_shapes_of_files_are_scaled_hulls),
        cmocka_unit_test(facets_of_many_corners_do_not_fold_over),
        cmocka_unit_test(hulls_survive_every_allocation_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
