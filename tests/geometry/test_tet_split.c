// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Cutting tetrahedra along levels of a nodal function.

#include "base/core/alloc.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh/topology.h"
#include "geometry/tessellation/tessellate.h"
#include "geometry/tetrahedra/tet_split.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"

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

static void make_shape(iso_context* in, iso_shape_kind kind, double hint, iso_tet_mesh* out_mesh,
                       iso_nodal_arrays* out_arrays, iso_status* out_status) {
    iso_shape_desc shape = iso_shape_desc_default(kind);
    shape.radius = 0.1;
    shape.length = 0.5;
    shape.size = iso_vec3_make(0.2, 0.3, 0.4);
    *out_arrays = (iso_nodal_arrays){.count = 1};
    *out_status = iso_tessellate_volume(in, &shape, hint, out_mesh, &out_arrays->values[0]);
}

static void destroy(iso_context* in, iso_tet_mesh* mesh, iso_nodal_arrays* arrays) {
    iso_tet_mesh_destroy(in, mesh);
    for (int k = 0; k < arrays->count; ++k) {
        iso_free(in, arrays->values[k]);
    }
}

// Conforming: the skin has the same area, and no face is open inside.
static void check_conforming(const iso_tet_mesh* mesh, double volume, double area) {
    iso_tri_mesh skin;
    iso_mesh_report report;
    CHECK_OK(ctx, iso_tet_mesh_check(ctx, mesh));
    CHECK_OK(ctx, iso_tet_mesh_skin(ctx, mesh, &skin));
    CHECK_OK(ctx, iso_tri_mesh_inspect(ctx, &skin, &report));
    CHECK(report.is_closed && report.is_oriented, "%d open edges", report.boundary_edge_count);
    CHECK_REL(iso_tri_mesh_area(&skin), area, 1e-13);    // measured 4e-16
    CHECK_REL(iso_tet_mesh_volume(mesh), volume, 1e-13); // measured 4e-15
    iso_tri_mesh_destroy(ctx, &skin);
}

static void slices_conform_and_keep_the_function(void** state) {
    (void)state;
    const iso_shape_kind kinds[3] = {ISO_SHAPE_SPHERE, ISO_SHAPE_BOX, ISO_SHAPE_CYLINDER};
    const double levels[3] = {0.1, 0.35, 0.7};
    for (int k = 0; k < 3; ++k) {
        iso_tet_mesh mesh;
        iso_nodal_arrays arrays;
        iso_status status;
        make_shape(ctx, kinds[k], 0.06, &mesh, &arrays, &status);
        CHECK_OK(ctx, status);
        iso_tri_mesh skin;
        CHECK_OK(ctx, iso_tet_mesh_skin(ctx, &mesh, &skin));
        double volume = iso_tet_mesh_volume(&mesh), area = iso_tri_mesh_area(&skin);
        int old_vertices = mesh.vertex_count, old_tets = mesh.tet_count;
        // A second array, affine in space, tells where each vertex came from.
        arrays.count = 3;
        arrays.values[1] = iso_alloc_array(ctx, mesh.vertex_count, sizeof(double));
        for (int i = 0; i < mesh.vertex_count; ++i) {
            arrays.values[1][i] = 1.0 + mesh.vertices[i].x - 2.0 * mesh.vertices[i].z;
        }
        CHECK_OK(ctx, iso_tet_mesh_slice(ctx, &mesh, &arrays, levels, 3, 1e-3));
        CHECK(arrays.values[2] == NULL, "arrays that are not there stay so");
        check_conforming(&mesh, volume, area);
        CHECK(mesh.tet_count > 3 * old_tets, "%d tetrahedra", mesh.tet_count);
        for (int i = 0; i < mesh.vertex_count; ++i) {
            iso_vec3 v = mesh.vertices[i];
            CHECK_NEAR(arrays.values[1][i], 1.0 + v.x - 2.0 * v.z, 1e-14); // measured 4e-16
            double e = arrays.values[0][i];
            CHECK(i < old_vertices || e == 0.1 || e == 0.35 || e == 0.7, "value %g", e);
        }
        // No tetrahedron has vertices on both sides of a level.
        for (int i = 0; i < 3 * mesh.tet_count; ++i) {
            double low = 1.0, high = 0.0;
            for (int c = 0; c < 4; ++c) {
                double e = arrays.values[0][mesh.tets[i / 3][c]];
                low = fmin(low, e);
                high = fmax(high, e);
            }
            CHECK(low >= levels[i % 3] || high <= levels[i % 3], "[%g, %g]", low, high);
        }
        iso_tri_mesh_destroy(ctx, &skin);
        destroy(ctx, &mesh, &arrays);
    }
}

// Values near a level count as on it, so edges stay longer than the tolerance.
static void no_edge_is_shorter_than_the_tolerance(void** state) {
    (void)state;
    test_random random = test_random_make(3);
    int near_count = 0;
    for (int trial = 0; trial < 20; ++trial) {
        iso_tet_mesh mesh;
        iso_nodal_arrays arrays;
        iso_status status;
        make_shape(ctx, ISO_SHAPE_BOX, 1.0, &mesh, &arrays, &status);
        CHECK_OK(ctx, status);
        for (int i = 0; i < mesh.vertex_count; ++i) {
            arrays.values[0][i] = test_random_uniform(&random, 0.0, 1.0);
        }
        arrays.values[0][0] = 0.5 + 1e-5;
        arrays.values[0][3] = 0.25 - 1e-9;
        double volume = iso_tet_mesh_volume(&mesh);
        const double levels[2] = {0.25, 0.5}, tolerance = 0.01;
        CHECK_OK(ctx, iso_tet_mesh_slice(ctx, &mesh, &arrays, levels, 2, tolerance));
        check_conforming(&mesh, volume, 2 * (0.2 * 0.3 + 0.3 * 0.4 + 0.4 * 0.2));
        // A cut keeps this distance, in values, to both ends of its edge; original vertices that
        // lie nearer to a level are not cut off from it.
        for (int i = 0; i < 16 * mesh.tet_count; ++i) {
            int at = mesh.tets[i / 16][i % 4], to = mesh.tets[i / 16][i / 4 % 4];
            double e = arrays.values[0][at], f = arrays.values[0][to];
            bool is_near = to < 18 && fabs(f - e) <= tolerance;
            CHECK(at < 18 || e == f || is_near || fabs(f - e) > tolerance,
                  "edge from %.12g to %.12g", e, f);
            near_count += at >= 18 && e != f && is_near;
        }
        destroy(ctx, &mesh, &arrays);
    }
    CHECK(near_count > 0, "no vertex was near a level");
}

static void levels_outside_change_nothing(void** state) {
    (void)state;
    iso_tet_mesh mesh;
    iso_nodal_arrays arrays;
    iso_status status;
    make_shape(ctx, ISO_SHAPE_SPHERE, 0.1, &mesh, &arrays, &status);
    CHECK_OK(ctx, status);
    const double levels[3] = {-0.1, 0.0, 1.0};
    int vertices = mesh.vertex_count, tets = mesh.tet_count;
    CHECK_OK(ctx, iso_tet_mesh_slice(ctx, &mesh, &arrays, levels, 3, 1e-6));
    CHECK(mesh.vertex_count == vertices && mesh.tet_count == tets, "%d, %d", mesh.vertex_count,
          mesh.tet_count);
    const double close[2] = {0.5, 0.501};
    CHECK_STATUS(ctx, iso_tet_mesh_slice(ctx, &mesh, &arrays, close, 2, 1e-3), ISO_ERR_ARGUMENT);
    CHECK_ERROR(ctx, "level 1 is 0.501 after 0.5");
    destroy(ctx, &mesh, &arrays);
}

// Twice the levels, twice the tetrahedra.
static void tetrahedra_grow_in_proportion_to_the_levels(void** state) {
    (void)state;
    int counts[2];
    for (int i = 0; i < 2; ++i) {
        double levels[64];
        int level_count = 32 * (i + 1);
        iso_tet_mesh mesh;
        iso_nodal_arrays arrays;
        iso_status status;
        make_shape(ctx, ISO_SHAPE_BOX, 1.0, &mesh, &arrays, &status);
        CHECK_OK(ctx, status);
        for (int k = 0; k < level_count; ++k) {
            levels[k] = (k + 1.0) / (level_count + 1.0);
        }
        CHECK_OK(ctx, iso_tet_mesh_slice(ctx, &mesh, &arrays, levels, level_count, 1e-6));
        counts[i] = mesh.tet_count;
        check_conforming(&mesh, 0.2 * 0.3 * 0.4, 2 * (0.2 * 0.3 + 0.3 * 0.4 + 0.4 * 0.2));
        destroy(ctx, &mesh, &arrays);
    }
    CHECK(counts[0] < 44 * 33 * 4 && counts[1] < 2 * counts[0] + 44, "%d, %d", counts[0],
          counts[1]);
}

static iso_status attempt(iso_context* failing, void* user) {
    (void)user;
    iso_tet_mesh mesh;
    iso_nodal_arrays arrays;
    iso_status status;
    make_shape(failing, ISO_SHAPE_BOX, 1.0, &mesh, &arrays, &status);
    const double levels[2] = {0.25, 0.5};
    if (status == ISO_OK) {
        status = iso_tet_mesh_slice(failing, &mesh, &arrays, levels, 2, 1e-3);
    }
    destroy(failing, &mesh, &arrays);
    return status;
}

static void every_allocation_failure_is_survived(void** state) {
    (void)state;
    CHECK(check_every_allocation_failure(attempt, NULL) > 10, "slices");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(slices_conform_and_keep_the_function),
        TEST(no_edge_is_shorter_than_the_tolerance),
        TEST(levels_outside_change_nothing),
        TEST(tetrahedra_grow_in_proportion_to_the_levels),
        TEST(every_allocation_failure_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
