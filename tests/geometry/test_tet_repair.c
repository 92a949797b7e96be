// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Faulty tetrahedral meshes, and meshes without inner vertices.

#include "base/core/alloc.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh/topology.h"
#include "geometry/tessellation/tessellate.h"
#include "geometry/tetrahedra/tet_repair.h"
#include "support/check.h"
#include "support/failing_context.h"

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

static iso_status make(iso_context* in, const iso_vec3* vertices, int vertex_count,
                       const int (*tets)[4], int tet_count, iso_tet_mesh* out_mesh) {
    iso_status status = iso_tet_mesh_allocate(in, vertex_count, tet_count, out_mesh);
    if (status == ISO_OK) {
        memcpy(out_mesh->vertices, vertices, (size_t)vertex_count * sizeof *vertices);
        memcpy(out_mesh->tets, tets, (size_t)tet_count * sizeof *tets);
    }
    return status;
}

// A cube of six tetrahedra about its long diagonal 0-6: an inner edge on the skin, no inner vertex.
static const iso_vec3 k_cube[8] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                   {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
static const int k_diagonal[6][4] = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6},
                                     {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};
// The same cube as a middle tetrahedron and four corners: inner triangles, no inner edge.
static const int k_corners[5][4] = {
    {0, 1, 2, 5}, {0, 2, 3, 7}, {0, 5, 7, 4}, {2, 5, 6, 7}, {0, 2, 7, 5}};

static void check_interior(const iso_tet_mesh* mesh, double volume) {
    iso_tet_topology t;
    iso_tet_edges edges;
    CHECK_OK(ctx, iso_tet_mesh_check(ctx, mesh));
    CHECK_REL(iso_tet_mesh_volume(mesh), volume, 1e-14); // measured 2e-16
    CHECK_OK(ctx, iso_tet_topology_create(ctx, mesh, &t));
    CHECK_OK(ctx, iso_tet_edges_create(ctx, mesh, &edges));
    bool* is_skin = iso_alloc_array(ctx, edges.count, sizeof *is_skin);
    for (int side = 0; side < 4 * mesh->tet_count; ++side) {
        const int* tet = mesh->tets[side / 4];
        const int* face = k_tet_faces[side % 4];
        int on_skin = 0;
        for (int k = 0; k < 3; ++k) {
            on_skin += t.is_on_skin[tet[face[k]]];
            if (t.neighbors[side / 4][side % 4] < 0) {
                int a = tet[face[k]], b = tet[face[(k + 1) % 3]];
                is_skin[*iso_pair_table_at(&edges.table, a, b, -1)] = true;
            }
        }
        CHECK(t.neighbors[side / 4][side % 4] < 0 || on_skin < 3, "inner face %d on the skin",
              side);
        CHECK(on_skin + t.is_on_skin[tet[side % 4]] < 4, "tetrahedron %d on the skin", side / 4);
    }
    for (int i = 0; i < edges.count; ++i) {
        CHECK(is_skin[i] || !t.is_on_skin[edges.ends[i][0]] || !t.is_on_skin[edges.ends[i][1]],
              "inner edge %d-%d on the skin", edges.ends[i][0], edges.ends[i][1]);
    }
    iso_free(ctx, is_skin);
    iso_tet_edges_destroy(ctx, &edges);
    iso_tet_topology_destroy(ctx, &t);
}

static void inner_edges_get_their_midpoint(void** state) {
    (void)state;
    iso_tet_mesh mesh;
    iso_tet_repair_report report = {0};
    CHECK_OK(ctx, make(ctx, k_cube, 8, k_diagonal, 6, &mesh));
    iso_nodal_arrays arrays = {.count = 1};
    arrays.values[0] = iso_alloc_array(ctx, 8, sizeof(double));
    arrays.values[0][6] = 4.0;
    CHECK_OK(ctx, iso_tet_mesh_give_interior(ctx, "cube", &mesh, &arrays, &report));
    CHECK(report.edge_count == 1 && report.triangle_count == 0 && report.tet_count == 0,
          "%d edges, %d triangles, %d tetrahedra", report.edge_count, report.triangle_count,
          report.tet_count);
    CHECK(mesh.vertex_count == 9 && mesh.tet_count == 12, "%d, %d", mesh.vertex_count,
          mesh.tet_count);
    CHECK_VEC3_NEAR(mesh.vertices[8], iso_vec3_make(0.5, 0.5, 0.5), 0.0);
    CHECK_BITS(arrays.values[0][8], 2.0);
    check_interior(&mesh, 1.0);
    iso_free(ctx, arrays.values[0]);
    iso_tet_mesh_destroy(ctx, &mesh);
}

static void inner_triangles_get_their_centroid(void** state) {
    (void)state;
    iso_tet_mesh mesh;
    iso_tet_repair_report report = {0};
    CHECK_OK(ctx, make(ctx, k_cube, 8, k_corners, 5, &mesh));
    CHECK_OK(ctx, iso_tet_mesh_check(ctx, &mesh));
    CHECK_OK(ctx, iso_tet_mesh_give_interior(ctx, NULL, &mesh, NULL, &report));
    CHECK(report.edge_count == 0 && report.triangle_count == 4 && report.tet_count == 0,
          "%d edges, %d triangles, %d tetrahedra", report.edge_count, report.triangle_count,
          report.tet_count);
    // Corners: 3 each; the middle: 3 pieces, three of which are cut once more... 3 * 3 = 9.
    CHECK(mesh.vertex_count == 12 && mesh.tet_count == 21, "%d, %d", mesh.vertex_count,
          mesh.tet_count);
    check_interior(&mesh, 1.0);
    iso_tet_mesh_destroy(ctx, &mesh);
}

static void lonely_tetrahedra_get_their_centroid(void** state) {
    (void)state;
    const int tets[1][4] = {{0, 1, 3, 4}};
    iso_tet_mesh mesh;
    iso_tet_repair_report report = {0};
    CHECK_OK(ctx, make(ctx, k_cube, 5, tets, 1, &mesh));
    CHECK_OK(ctx, iso_tet_mesh_clean(ctx, "one", &mesh, NULL, &report));
    CHECK(report.unused_vertex_count == 1, "%d", report.unused_vertex_count);
    CHECK_OK(ctx, iso_tet_mesh_give_interior(ctx, "one", &mesh, NULL, &report));
    CHECK(report.tet_count == 1 && mesh.tet_count == 4 && mesh.vertex_count == 5, "%d, %d",
          mesh.tet_count, mesh.vertex_count);
    CHECK_VEC3_NEAR(mesh.vertices[4], iso_vec3_make(0.25, 0.25, 0.25), 0.0);
    check_interior(&mesh, 1.0 / 6.0);
    iso_tet_mesh_destroy(ctx, &mesh);
}

// What a good mesh gets is its own bits; only what needs a vertex gets one.
static void good_meshes_keep_their_bits(void** state) {
    (void)state;
    iso_shape_desc shape = iso_shape_desc_default(ISO_SHAPE_CYLINDER);
    iso_tet_mesh mesh, copy;
    double* extents;
    CHECK_OK(ctx, iso_tessellate_volume(ctx, &shape, 0.4, &mesh, &extents));
    CHECK_OK(ctx, iso_tet_mesh_copy_scaled(ctx, &mesh, iso_vec3_make(1, 1, 1), &copy));
    iso_tet_repair_report report = {0};
    CHECK_OK(ctx, iso_tet_mesh_clean(ctx, NULL, &mesh, NULL, &report));
    CHECK_OK(ctx, iso_tet_mesh_give_interior(ctx, NULL, &mesh, NULL, &report));
    static const iso_tet_repair_report nothing;
    CHECK(memcmp(&report, &nothing, sizeof report) == 0, "something was repaired");
    CHECK(mesh.vertex_count == copy.vertex_count && mesh.tet_count == copy.tet_count, "counts");
    CHECK(memcmp(mesh.vertices, copy.vertices, (size_t)mesh.vertex_count * sizeof *mesh.vertices) ==
                  0 &&
              memcmp(mesh.tets, copy.tets, (size_t)mesh.tet_count * sizeof *mesh.tets) == 0,
          "bits");
    iso_free(ctx, extents);
    iso_tet_mesh_destroy(ctx, &mesh);
    iso_tet_mesh_destroy(ctx, &copy);
}

static void faulty_elements_are_mended(void** state) {
    (void)state;
    // Turned, repeated (turned as well), naming a vertex twice, and a flat one over a face of the
    // cube: it covers 0 1 2 and 0 2 3 from below with 0 1 3 and 1 2 3.
    const int tets[10][4] = {{0, 1, 6, 2}, {0, 2, 3, 6}, {0, 3, 7, 6}, {3, 0, 6, 7}, {0, 7, 4, 6},
                             {0, 4, 5, 6}, {0, 5, 1, 6}, {0, 1, 1, 6}, {0, 1, 2, 3}, {6, 6, 6, 6}};
    iso_tet_mesh mesh;
    iso_tet_repair_report report = {0};
    CHECK_OK(ctx, make(ctx, k_cube, 8, tets, 10, &mesh));
    CHECK_OK(ctx, iso_tet_mesh_clean(ctx, "cube", &mesh, NULL, &report));
    CHECK(report.turned_count == 1 && report.duplicate_count == 1 && report.degenerate_count == 3 &&
              report.unused_vertex_count == 0,
          "%d %d %d %d", report.turned_count, report.duplicate_count, report.degenerate_count,
          report.unused_vertex_count);
    CHECK(mesh.tet_count == 6, "%d tetrahedra", mesh.tet_count);
    CHECK_OK(ctx, iso_tet_mesh_check(ctx, &mesh));
    CHECK_REL(iso_tet_mesh_volume(&mesh), 1.0, 1e-14); // measured 2e-16
    iso_tet_mesh_destroy(ctx, &mesh);
}

// A flat tetrahedron between two bodies joins them: without it there is a crack.
static void tears_are_refused(void** state) {
    (void)state;
    const iso_vec3 v[6] = {{0, 0, 0}, {1, 0, 0},     {1, 1, 0},
                           {0, 1, 0}, {0.5, 0.5, 1}, {0.5, 0.5, -1}};
    const int tets[5][4] = {{0, 1, 2, 4}, {0, 2, 3, 4}, {0, 1, 2, 3}, {0, 3, 1, 5}, {1, 3, 2, 5}};
    iso_tet_mesh mesh;
    CHECK_OK(ctx, make(ctx, v, 6, tets, 5, &mesh));
    CHECK_STATUS(ctx, iso_tet_mesh_clean(ctx, "pair.vtk", &mesh, NULL, NULL), ISO_ERR_GEOMETRY);
    CHECK_ERROR(ctx, "pair.vtk: tetrahedron 2 (vertices 0 1 2 3) has volume 0 m^3 and lies inside");
    iso_tet_mesh_destroy(ctx, &mesh);
}

static void bad_numbers_are_named(void** state) {
    (void)state;
    iso_tet_mesh mesh;
    CHECK_OK(ctx, make(ctx, k_cube, 8, k_diagonal, 6, &mesh));
    mesh.vertices[5].y = NAN;
    CHECK_STATUS(ctx, iso_tet_mesh_clean(ctx, "a.vtk", &mesh, NULL, NULL), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "a.vtk: vertex 5 is (1, nan, 1), expected finite");
    mesh.vertices[5].y = 0.0;
    mesh.tets[3][1] = 8;
    CHECK_STATUS(ctx, iso_tet_mesh_clean(ctx, NULL, &mesh, NULL, NULL), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "tetrahedron 3 names vertex 8, expected 0 to 7");
    mesh.tet_count = 0;
    CHECK_STATUS(ctx, iso_tet_mesh_clean(ctx, "a.vtk", &mesh, NULL, NULL), ISO_ERR_GEOMETRY);
    CHECK_ERROR(ctx, "no tetrahedron with a volume");
    iso_tet_mesh_destroy(ctx, &mesh);
}

static iso_status attempt(iso_context* failing, void* user) {
    iso_tet_mesh mesh = {0};
    bool is_diagonal = *(bool*)user;
    iso_status status =
        make(failing, k_cube, 8, is_diagonal ? k_diagonal : k_corners, is_diagonal ? 6 : 5, &mesh);
    if (status == ISO_OK) {
        status = iso_tet_mesh_clean(failing, NULL, &mesh, NULL, NULL);
    }
    if (status == ISO_OK) {
        status = iso_tet_mesh_give_interior(failing, NULL, &mesh, NULL, NULL);
    }
    iso_tet_mesh_destroy(failing, &mesh);
    return status;
}

static void every_allocation_failure_is_survived(void** state) {
    (void)state;
    for (int i = 0; i < 2; ++i) {
        bool is_diagonal = i == 0;
        CHECK(check_every_allocation_failure(attempt, &is_diagonal) > 10, "repair");
    }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(inner_edges_get_their_midpoint),
        TEST(inner_triangles_get_their_centroid),
        TEST(lonely_tetrahedra_get_their_centroid),
        TEST(good_meshes_keep_their_bits),
        TEST(faulty_elements_are_mended),
        TEST(tears_are_refused),
        TEST(bad_numbers_are_named),
        TEST(every_allocation_failure_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
