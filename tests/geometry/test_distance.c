// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/mesh/mesh.h"
#include "geometry/search/distance.h"
#include "geometry/tessellation/tessellate.h"
#include "support/assets.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"

#include <time.h>

// Every triangle in turn.
static double brute_force(const iso_tri_mesh* mesh, iso_vec3 p, int* out_triangle) {
    double best = INFINITY;
    for (int i = 0; i < mesh->triangle_count; ++i) {
        const int* t = mesh->triangles[i];
        iso_vec3 q = iso_triangle_nearest_point(p, mesh->vertices[t[0]], mesh->vertices[t[1]],
                                                mesh->vertices[t[2]]);
        double d = iso_vec3_distance(p, q);
        if (d < best) {
            best = d;
            *out_triangle = i;
        }
    }
    return best;
}

static void tree_and_brute_force_find_the_same_distance(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    test_random random = test_random_make(5);
    iso_shape_desc shape = iso_shape_desc_default(ISO_SHAPE_CAPSULE);
    for (int round = 0; round < 3; ++round) {
        iso_tri_mesh mesh;
        shape.kind = round == 0 ? ISO_SHAPE_BOX : ISO_SHAPE_CAPSULE;
        CHECK_OK(ctx, iso_tessellate_surface(ctx, &shape, round == 1 ? 0.5 : 0.1, &mesh));
        iso_distance_tree* tree;
        CHECK_OK(ctx, iso_distance_tree_create(ctx, &mesh, &tree));
        for (int i = 0; i < 300; ++i) {
            iso_vec3 p = test_random_vec3(&random, -2.0, 2.0);
            if (i % 3 == 0) {
                p = mesh.vertices[i % mesh.vertex_count];
            }
            int triangle = -1, expected_triangle = -1;
            iso_vec3 nearest;
            double expected = brute_force(&mesh, p, &expected_triangle);
            double distance = iso_distance_to_surface(tree, p, &nearest, &triangle);
            CHECK_BITS(distance, expected);
            CHECK_NEAR(iso_vec3_distance(p, nearest), distance, 1e-15); // measured 0
            if (distance > 0.0) {
                const int* t = mesh.triangles[triangle];
                iso_vec3 q = iso_triangle_nearest_point(p, mesh.vertices[t[0]], mesh.vertices[t[1]],
                                                        mesh.vertices[t[2]]);
                CHECK_VEC3_NEAR(q, nearest, 0.0);
            }
        }
        iso_distance_tree_destroy(ctx, tree);
        iso_tri_mesh_destroy(ctx, &mesh);
    }
    test_context_destroy(ctx);
}

static void distances_to_a_box_are_those_of_geometry(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    test_random random = test_random_make(8);
    iso_shape_desc box = iso_shape_desc_default(ISO_SHAPE_BOX);
    box.size = iso_vec3_make(2, 4, 6);
    iso_tri_mesh mesh;
    iso_distance_tree* tree;
    CHECK_OK(ctx, iso_tessellate_surface(ctx, &box, 1.0, &mesh));
    CHECK_OK(ctx, iso_distance_tree_create(ctx, &mesh, &tree));
    for (int i = 0; i < 500; ++i) {
        iso_vec3 p = test_random_vec3(&random, -5.0, 5.0);
        iso_vec3 d = iso_vec3_make(fabs(p.x) - 1, fabs(p.y) - 2, fabs(p.z) - 3);
        double inside = fmax(d.x, fmax(d.y, d.z));
        double outside = iso_vec3_norm(iso_vec3_max(d, iso_vec3_zero()));
        double expected = inside < 0.0 ? -inside : outside;
        CHECK_NEAR(iso_distance_to_surface(tree, p, NULL, NULL), expected,
                   1e-14); // measured 4.4e-16
    }
    iso_distance_tree_destroy(ctx, tree);
    iso_tri_mesh_destroy(ctx, &mesh);
    test_context_destroy(ctx);
}

static void degenerate_triangles_are_segments_or_points(void** state) {
    (void)state;
    iso_vec3 a = {0, 0, 0}, b = {2, 0, 0}, c = {1, 0, 0};
    CHECK_VEC3_NEAR(iso_triangle_nearest_point(iso_vec3_make(1.5, 1, 0), a, b, c),
                    iso_vec3_make(1.5, 0, 0), 0.0);
    CHECK_VEC3_NEAR(iso_triangle_nearest_point(iso_vec3_make(3, 1, 0), a, b, c), b, 0.0);
    CHECK_VEC3_NEAR(iso_triangle_nearest_point(iso_vec3_make(3, 1, 0), a, a, a), a, 0.0);
    // A sliver: the foot of the perpendicular is far outside it.
    iso_vec3 q =
        iso_triangle_nearest_point(iso_vec3_make(1, 1, 1), a, b, iso_vec3_make(1, 1e-12, 0));
    CHECK_VEC3_NEAR(q, iso_vec3_make(1, 1e-12, 0), 1e-15); // measured 0
}

static void surfaces_without_triangles_have_no_distance(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_tri_mesh empty = {0};
    iso_distance_tree* tree;
    CHECK_STATUS(ctx, iso_distance_tree_create(ctx, &empty, &tree), ISO_ERR_GEOMETRY);
    assert_null(tree);
    iso_distance_tree_destroy(ctx, NULL);
    test_context_destroy(ctx);
}

static void a_bowl_of_thousands_is_measured_in_milliseconds(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    char path[TEST_PATH_SIZE];
    iso_tet_mesh bowl;
    iso_tri_mesh skin;
    iso_distance_tree* tree;
    CHECK_OK(ctx, iso_tet_mesh_load(ctx, asset_path(path, "dishes/assets/evo_bowl_fine44k.vtk"),
                                    iso_vec3_make(1, 1, 1), &bowl));
    struct timespec begin, end;
    timespec_get(&begin, TIME_UTC);
    CHECK_OK(ctx, iso_tet_mesh_skin(ctx, &bowl, &skin));
    CHECK_OK(ctx, iso_distance_tree_create(ctx, &skin, &tree));
    double deepest = 0.0;
    for (int i = 0; i < bowl.vertex_count; ++i) {
        deepest = fmax(deepest, iso_distance_to_surface(tree, bowl.vertices[i], NULL, NULL));
    }
    timespec_get(&end, TIME_UTC);
    double seconds =
        (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    print_message("bowl: %d points, %d triangles, deepest %g m, %.0f ms\n", bowl.vertex_count,
                  skin.triangle_count, deepest, 1e3 * seconds);
    CHECK(deepest > 1e-4 && deepest < 0.02, "deepest %g", deepest);
    CHECK_AT_MOST(seconds, 20.0); // measured 0.1 in a release build; sanitizers are slow
    iso_distance_tree_destroy(ctx, tree);
    iso_tri_mesh_destroy(ctx, &skin);
    iso_tet_mesh_destroy(ctx, &bowl);
    test_context_destroy(ctx);
}

static iso_status build_once(iso_context* ctx, void* user) {
    iso_distance_tree* tree;
    iso_status status = iso_distance_tree_create(ctx, user, &tree);
    assert_true((status == ISO_OK) == (tree != NULL));
    iso_distance_tree_destroy(ctx, tree);
    return status;
}

static void trees_survive_every_allocation_failure(void** state) {
    (void)state;
    iso_vec3 vertices[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    int triangles[1][3] = {{0, 1, 2}};
    iso_tri_mesh mesh = {3, 1, vertices, triangles};
    assert_int_equal(check_every_allocation_failure(build_once, &mesh), 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tree_and_brute_force_find_the_same_distance),
        cmocka_unit_test(distances_to_a_box_are_those_of_geometry),
        cmocka_unit_test(degenerate_triangles_are_segments_or_points),
        cmocka_unit_test(surfaces_without_triangles_have_no_distance),
        cmocka_unit_test(a_bowl_of_thousands_is_measured_in_milliseconds),
        cmocka_unit_test(trees_survive_every_allocation_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
