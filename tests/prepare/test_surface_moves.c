// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/fail.h"
#include "geometry/mesh/topology.h"
#include "geometry/surfaces/surface_intersections.h"
#include "prepare/measure/deviation.h"
#include "prepare/surface/surface_moves.h"
#include "prepare/surface/surface_needles.h"
#include "prepare/surface/surface_repair.h"
#include "prepare/surface/surface_untangle.h"
#include "prepare/surfaces.h"

#include <math.h>

static const iso_vec3 k_zero = {0.0, 0.0, 0.0};

static iso_vec3 all(double value) {
    return iso_vec3_make(value, value, value);
}

static iso_tri_mesh closed_box(iso_context* ctx, iso_vec3 lower, iso_vec3 upper, int n) {
    iso_surface_repair repair = {0};
    iso_tri_mesh box = box_surface(ctx, lower, upper, n);
    CHECK_OK(ctx, iso_surface_weld(ctx, &box, 1e-9, &repair));
    return box;
}

static int find_vertex(const iso_tri_mesh* mesh, iso_vec3 p) {
    int found = -1;
    for (int i = 0; i < mesh->vertex_count; ++i) {
        found = iso_vec3_distance(mesh->vertices[i], p) < 1e-9 ? i : found;
    }
    assert_true(found >= 0);
    return found;
}

static int count_pairs(iso_context* ctx, const iso_tri_mesh* mesh) {
    int count, pairs[1][2];
    CHECK_OK(ctx, iso_surface_find_cutting_pairs(ctx, mesh, 1, pairs, &count));
    return count;
}

static double lowest(const iso_tri_mesh* mesh) {
    double least = INFINITY;
    for (int i = 0; i < mesh->triangle_count; ++i) {
        least = fmin(least, iso_surface_height(mesh, mesh->triangles[i]));
    }
    return least;
}

static void check_box(iso_context* ctx, const iso_tri_mesh* box, double volume, double area) {
    CHECK_OK(ctx, iso_tri_mesh_check_closed(ctx, box));
    CHECK_NEAR(iso_tri_mesh_volume(box), volume, 1e-12 * volume); // measured 4e-16
    CHECK_NEAR(iso_tri_mesh_area(box), area, 1e-12 * area);       // measured 6e-16
}

// Lines of a grid that lie near others make needles along the whole box.
static iso_tri_mesh needle_box(iso_context* ctx, double width) {
    iso_tri_mesh box = closed_box(ctx, k_zero, all(1.0), 6);
    for (int i = 0; i < box.vertex_count; ++i) {
        double* x = &box.vertices[i].x;
        *x = fabs(*x - 0.5) < 1e-9 ? 1.0 / 3.0 + width : *x;
    }
    return box;
}

// A vertex of a needle is drawn over the needle's other side, within its face, as in a CAD export.
static iso_tri_mesh folded_box(iso_context* ctx) {
    iso_tri_mesh box = needle_box(ctx, 1e-4);
    int vertex = find_vertex(&box, iso_vec3_make(1.0 / 3.0 + 1e-4, 0.5, 1.0));
    box.vertices[vertex] = iso_vec3_make(1.0 / 3.0 - 1e-4, 0.52, 1.0);
    return box;
}

// The face becomes even again.
static void a_needle_folded_over_its_neighbours_is_undone(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_surface_untangling done;
    iso_tri_mesh box = folded_box(ctx);
    int before = count_pairs(ctx, &box);
    CHECK(before > 0, "%d pairs", before);
    CHECK(fabs(iso_tri_mesh_area(&box) - 6.0) > 1e-6, "area %.9g", iso_tri_mesh_area(&box));
    CHECK_OK(ctx, iso_surface_untangle(ctx, &box, 1e-3, NULL, &done));
    assert_int_equal(done.pair_count, 0);
    assert_int_equal(count_pairs(ctx, &box), 0);
    CHECK(done.flip_count + done.collapse_count > 0, "%d moves", done.flip_count);
    check_box(ctx, &box, 1.0, 6.0);
    iso_tri_mesh_destroy(ctx, &box);
    test_context_destroy(ctx);
}

static bool has_no_more(void* user) {
    int* left = user;
    return --*left < 0;
}

// Its pairs are left, and said to be: after no move, and wherever else patience ends.
static void a_fold_is_left_where_patience_ends(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_surface_untangling done;
    int left = 0, given = 0;
    do {
        iso_tri_mesh box = folded_box(ctx);
        left = given;
        const iso_surface_patience patience = {has_no_more, &left};
        CHECK_OK(ctx, iso_surface_untangle(ctx, &box, 1e-3, &patience, &done));
        assert_true(given > 0 || done.flip_count + done.collapse_count == 0);
        assert_true(given > 0 || done.pair_count > 0);
        assert_int_equal(done.pair_count, count_pairs(ctx, &box));
        iso_tri_mesh_destroy(ctx, &box);
        given += 1 + given / 4;
    } while (left < 0 && given < 10000);
    CHECK(given > 10 && left >= 0, "asked %d times", given);
    assert_int_equal(done.pair_count, 0);
    test_context_destroy(ctx);
}

// Control-C is heard there: no later fault of the surface is told in its place.
static void undoing_folds_can_be_cancelled(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_prepare_desc desc = iso_prepare_desc_default();
    char surface[TEST_PATH_SIZE], mesh[TEST_PATH_SIZE];
    iso_tri_mesh box = folded_box(ctx);
    write_obj(&box, temp_path(surface, "folded.obj"), 0, false);
    desc.input = surface;
    desc.output = temp_path(mesh, "folded.vtk");
    desc.mesher = ISO_PREPARE_MESHER_GMSH;
    desc.gmsh = "/no/such/gmsh";
    int left = 0, given = 0, count = 0;
    iso_status status = ISO_OK;
    do {
        left = given;
        iso_prepare_callbacks callbacks = {.is_cancelled = has_no_more, .user = &left};
        status = iso_prepare(ctx, &desc, &callbacks, NULL);
        if (left < 0) {
            CHECK_STATUS(ctx, status, ISO_ERR_NO_CONVERGENCE);
            CHECK_ERROR(ctx, "cancelled ");
            count += strstr(iso_context_error(ctx), "cut each other were undone") != NULL;
        }
        given += 1 + given / 4;
    } while (left < 0 && given < 10000);
    CHECK(count > 10 && left >= 0, "cancelled there %d times", count);
    CHECK_ERROR(ctx, "/no/such/gmsh");
    iso_tri_mesh_destroy(ctx, &box);
    (void)remove(surface);
    test_context_destroy(ctx);
}

// Symmetric ones, too, of which edges can be turned until each passes through another.
static void boxes_that_overlap_stay_tangled(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_surface_untangling done;
    iso_tri_mesh box = closed_box(ctx, k_zero, all(1.0), 2);
    iso_tri_mesh other = closed_box(ctx, all(0.73), all(1.41), 2), both;
    CHECK_OK(ctx, iso_tri_mesh_allocate(ctx, box.vertex_count + other.vertex_count,
                                        box.triangle_count + other.triangle_count, &both));
    for (int i = 0; i < both.vertex_count; ++i) {
        both.vertices[i] =
            i < box.vertex_count ? box.vertices[i] : other.vertices[i - box.vertex_count];
    }
    for (int i = 0; i < 3 * both.triangle_count; ++i) {
        int t = i / 3 - box.triangle_count;
        both.triangles[i / 3][i % 3] =
            t < 0 ? box.triangles[i / 3][i % 3] : other.triangles[t][i % 3] + box.vertex_count;
    }
    CHECK_OK(ctx, iso_surface_untangle(ctx, &both, 1e-3, NULL, &done));
    CHECK(done.pair_count > 0, "%d pairs", done.pair_count);
    iso_tri_mesh_destroy(ctx, &box);
    iso_tri_mesh_destroy(ctx, &other);
    iso_tri_mesh_destroy(ctx, &both);
    test_context_destroy(ctx);
}

static void needles_go_and_the_box_stays(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_tri_mesh box = needle_box(ctx, 1e-4);
    int before = box.triangle_count, moves = 0;
    CHECK_NEAR(lowest(&box), 1e-4, 1e-8); // measured 3e-11
    CHECK_OK(ctx, iso_surface_blunt_needles(ctx, &box, 1e-3, &moves));
    CHECK(moves > 0 && box.triangle_count < before, "%d moves, %d of %d triangles", moves,
          box.triangle_count, before);
    CHECK(lowest(&box) > 1e-3, "lowest %g", lowest(&box));
    assert_int_equal(count_pairs(ctx, &box), 0);
    check_box(ctx, &box, 1.0, 6.0); // its edges are straight: every move keeps it
    iso_tri_mesh_destroy(ctx, &box);
    test_context_destroy(ctx);
}

// Needles that bear a step of the surface higher than the tolerance are no needles to lose.
static void needles_of_a_high_step_stay(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_tri_mesh box = needle_box(ctx, 1e-4);
    iso_prepare_deviation off;
    int moves = 0;
    for (int i = 0; i < box.vertex_count; ++i) {
        iso_vec3* p = &box.vertices[i];
        p->z = p->z > 1.0 - 1e-9 && p->x > 1.0 / 3.0 + 5e-5 ? 1.1 : p->z;
    }
    iso_tri_mesh given = {0};
    CHECK_OK(ctx, iso_tri_mesh_copy_scaled(ctx, &box, all(1.0), &given));
    CHECK_OK(ctx, iso_surface_blunt_needles(ctx, &box, 1e-3, &moves));
    CHECK(moves > 0, "%d moves", moves);
    CHECK_OK(ctx, iso_tri_mesh_check_closed(ctx, &box));
    CHECK_OK(ctx, iso_surface_measure_deviation(ctx, &box, &given, &off));
    CHECK(off.max <= 1e-3, "off by %g", off.max); // measured 1e-4
    CHECK_OK(ctx, iso_surface_measure_deviation(ctx, &given, &box, &off));
    CHECK(off.max <= 1e-3, "off by %g", off.max);                             // measured 1e-4
    CHECK_NEAR(iso_tri_mesh_volume(&box), iso_tri_mesh_volume(&given), 1e-3); // measured 1e-5
    iso_tri_mesh_destroy(ctx, &box);
    iso_tri_mesh_destroy(ctx, &given);
    test_context_destroy(ctx);
}

// A box in a larger one with the same centre: from within the distance is the gap everywhere, from
// without it is largest at the corners.
static void deviation_of_two_boxes_is_their_gap(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    double gap = 0.01;
    iso_prepare_deviation off;
    iso_tri_mesh box = closed_box(ctx, k_zero, all(1.0), 3);
    iso_tri_mesh large = closed_box(ctx, all(-gap), all(1.0 + gap), 2);
    CHECK_OK(ctx, iso_surface_measure_deviation(ctx, &box, &large, &off));
    CHECK_NEAR(off.max, gap, 1e-15); // measured 1e-17
    CHECK_NEAR(off.rms, gap, 1e-15); // measured 2e-17
    CHECK_OK(ctx, iso_surface_measure_deviation(ctx, &large, &box, &off));
    CHECK_NEAR(off.max, gap * sqrt(3.0), 1e-15); // measured 3e-18
    iso_vec3 p = off.where;
    CHECK_NEAR(fabs(p.x - 0.5), 0.5 + gap, 1e-15); // measured 0
    CHECK_NEAR(fabs(p.y - 0.5), 0.5 + gap, 1e-15); // measured 0
    CHECK_OK(ctx, iso_surface_measure_deviation(ctx, &box, &box, &off));
    CHECK_NEAR(off.max, 0.0, 1e-15); // measured 1e-16
    iso_tri_mesh_destroy(ctx, &box);
    iso_tri_mesh_destroy(ctx, &large);
    test_context_destroy(ctx);
}

static iso_status mend_once(iso_context* ctx, void* user) {
    (void)user;
    iso_surface_untangling done;
    iso_prepare_deviation off;
    iso_tri_mesh box = {0};
    int moves;
    iso_status status = ISO_OK;
    iso_vec3 vertices[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
    iso_tri_mesh tet = {4, 4, vertices, triangles};
    ISO_TRY(iso_tri_mesh_copy_scaled(ctx, &tet, all(1.0), &box));
    ISO_TRY(iso_surface_untangle(ctx, &box, 1e-3, NULL, &done));
    ISO_TRY(iso_surface_blunt_needles(ctx, &box, 1e-3, &moves));
    ISO_TRY(iso_surface_measure_deviation(ctx, &box, &tet, &off));

done:
    iso_tri_mesh_destroy(ctx, &box);
    return status;
}

static void mending_survives_every_allocation_failure(void** state) {
    (void)state;
    int count = check_every_allocation_failure(mend_once, NULL);
    CHECK(count > 5, "%d allocations", count);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_needle_folded_over_its_neighbours_is_undone),
        cmocka_unit_test(a_fold_is_left_where_patience_ends),
        cmocka_unit_test(undoing_folds_can_be_cancelled),
        cmocka_unit_test(boxes_that_overlap_stay_tangled),
        cmocka_unit_test(needles_go_and_the_box_stays),
        cmocka_unit_test(needles_of_a_high_step_stay),
        cmocka_unit_test(deviation_of_two_boxes_is_their_gap),
        cmocka_unit_test(mending_survives_every_allocation_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
