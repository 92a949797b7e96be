// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Walking over the surface of equal pressure against trying all pairs of tetrahedra: the same set
// of faces on random poses, whichever of the two a query would choose.

#include "surface/kernels.h"
#include "surface/pair_fixture.h"

// After the helpers, whose parameters have the names of its variables.
#include "support/arena_fixture.h"

#include <stdio.h>

#define POSES 400

#define TOLERANCE 1e-13

typedef struct comparison {
    double area, force; // largest differences, relative to the largest patch
    int contacts, faces;
} comparison;

static void collect(const iso_contact_shape* a, const iso_contact_shape* b, const iso_pose* x_ab,
                    bool is_walk, iso_patch* out_patch, bool* out_is_done) {
    iso_face_frame frame = {iso_pose_identity(), false, false, false};
    iso_face_list list;
    iso_face_list_begin(&list, &arena, &frame, ISO_REPRESENTATION_POLYGON);
    *out_is_done = true;
    CHECK_OK(ctx, is_walk ? iso_collect_field_field(&list, a->field, b->field, x_ab, ISO_CULL_NONE)
                          : iso_collect_field_pairs(&list, a->field, b->field, x_ab, ISO_CULL_NONE,
                                                    out_is_done));
    CHECK_OK(ctx, iso_face_list_finish(&list, out_patch));
}

static double area_of(const iso_patch* patch) {
    double area = 0.0;
    for (int f = 0; f < patch->face_count; ++f) {
        area += patch->areas[f];
    }
    return area;
}

static void compare(iso_contact_shape* a, iso_contact_shape* b, double reach, double largest_area,
                    comparison* c) {
    test_random random = test_random_make(11);
    double force_peak = 0.0;
    for (int i = 0; i < POSES; ++i) {
        iso_pose x_ab = test_random_pose(&random, 0.0);
        x_ab.p = iso_vec3_scale(test_random_unit_vec3(&random),
                                test_random_uniform(&random, 0.0, reach));
        iso_patch walked, tried;
        bool is_done;
        CHECK_OK(ctx, iso_arena_reset(&arena));
        collect(a, b, &x_ab, false, &tried, &is_done);
        if (!is_done) {
            continue;
        }
        iso_spatial f = fixture_wrench(&tried);
        double area = area_of(&tried);
        int faces = tried.face_count;
        collect(a, b, &x_ab, true, &walked, &is_done);
        iso_spatial g = fixture_wrench(&walked);
        force_peak = fmax(force_peak, iso_vec3_norm(f.translational));
        c->area = fmax(c->area, fabs(area_of(&walked) - area) / largest_area);
        c->force = fmax(c->force, iso_vec3_distance(f.translational, g.translational));
        c->contacts += faces > 0;
        c->faces += faces;
    }
    c->force /= force_peak;
}

static void check_pair(const char* name, iso_contact_shape* a, iso_contact_shape* b, double reach,
                       double largest_area) {
    comparison c = {0};
    compare(a, b, reach, largest_area, &c);
    printf("%s: %d contacts, %d faces, area %.1e, force %.1e\n", name, c.contacts, c.faces, c.area,
           c.force);
    assert_true(c.contacts > POSES / 4);
    CHECK_AT_MOST(c.area, TOLERANCE);  // measured 2.8e-15 at most
    CHECK_AT_MOST(c.force, TOLERANCE); // measured 1.5e-15 at most
    iso_contact_shape_destroy(ctx, a);
    iso_contact_shape_destroy(ctx, b);
}

static void boxes_have_the_same_faces_both_ways(void** state) {
    (void)state;
    check_pair(
        "boxes", fixture_shape(ctx, fixture_box(0.1, 0.12, 0.08), fixture_compliant(1e6, 0.0)),
        fixture_shape(ctx, fixture_box(0.09, 0.07, 0.11), fixture_compliant(3e6, 0.0)), 0.09, 0.01);
}

static void bodies_inside_each_other_have_the_same_faces_both_ways(void** state) {
    (void)state;
    check_pair(
        "inside", fixture_shape(ctx, fixture_box(0.3, 0.3, 0.3), fixture_compliant(1e6, 0.0)),
        fixture_shape(ctx, fixture_box(0.05, 0.06, 0.04), fixture_compliant(2e6, 0.0)), 0.16, 0.01);
}

static void margins_have_the_same_faces_both_ways(void** state) {
    (void)state;
    iso_contact_material wide = fixture_compliant(1e6, 0.05), narrow = fixture_compliant(2e6, 0.04);
    wide.margin = 5e-3;
    narrow.margin = 1e-3;
    check_pair("margins", fixture_shape(ctx, fixture_sphere(0.06), wide),
               fixture_shape(ctx, fixture_cylinder(0.04, 0.1), narrow), 0.1, 0.01);
}

static void spheres_have_the_same_faces_both_ways(void** state) {
    (void)state;
    check_pair("spheres", fixture_shape(ctx, fixture_sphere(0.06), fixture_compliant(1e6, 0.05)),
               fixture_shape(ctx, fixture_sphere(0.05), fixture_compliant(1e6, 0.04)), 0.1, 0.01);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(boxes_have_the_same_faces_both_ways, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bodies_inside_each_other_have_the_same_faces_both_ways,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(margins_have_the_same_faces_both_ways, set_up, tear_down),
        cmocka_unit_test_setup_teardown(spheres_have_the_same_faces_both_ways, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
