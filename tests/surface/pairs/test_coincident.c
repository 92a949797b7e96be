// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Fields that are equal in a whole region, [Elandt2022] appendix C.2, and how stable the force of
// identical boxes is.

#include "surface/clipping/coincidence.h"
#include "surface/pair_fixture.h"

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

// Force of one box on another of the same kind.
static iso_vec3 force(iso_pose x_wb, int* out_faces) {
    iso_arena arena;
    iso_patch patch;
    iso_contact_options options = fixture_options();
    iso_pose x_wa = iso_pose_identity();
    iso_contact_shape* a =
        fixture_shape(ctx, fixture_box(0.2, 0.2, 0.2), fixture_compliant(1e6, 0));
    iso_contact_shape* b =
        fixture_shape(ctx, fixture_box(0.2, 0.2, 0.2), fixture_compliant(1e6, 0));
    CHECK_OK(ctx, iso_arena_init(&arena, ctx, 0));
    CHECK_OK(ctx, iso_pair_query(&arena, a, &x_wa, b, &x_wb, &options, &patch));
    iso_vec3 f = fixture_wrench(&patch).translational;
    *out_faces = patch.face_count;
    iso_arena_destroy(&arena);
    iso_contact_shape_destroy(ctx, a);
    iso_contact_shape_destroy(ctx, b);
    return f;
}

static iso_pose perturb(iso_pose x, test_random* random, double distance, bool turns) {
    iso_vec3 axis = test_random_unit_vec3(random);
    if (turns) {
        return iso_pose_make(iso_mat3_from_axis_angle(axis, distance), x.p);
    }
    return iso_pose_make(x.r, iso_vec3_add_scaled(x.p, axis, distance));
}

// A polygon where |p0 - p1| is rounding lies within that over the slope of p0 - p1 of the face, yet
// at most 16 times as far as between fields of one slope.
static void the_distance_of_what_coincides_follows_the_slope(void** state) {
    (void)state;
    iso_field one = {.size = 0.2, .max_gradient = 1e6}, other = {.size = 0.3, .max_gradient = 5e6};
    iso_coincidence c = iso_coincidence_of(&one, &other);
    CHECK_REL(c.distance, 2e-14 * 0.5, 1e-15);       // 0
    CHECK_REL(c.pressure, 2e-14 * 0.5 * 6e6, 1e-15); // 0
    CHECK_REL(iso_coincidence_at(&c, 6e6), c.distance, 1e-15);
    CHECK_REL(iso_coincidence_at(&c, 1e6), 6.0 * c.distance, 1e-15);
    CHECK_REL(iso_coincidence_at(&c, 6e6 / 15.9), 15.9 * c.distance, 1e-15);
    CHECK_REL(iso_coincidence_at(&c, 6e6 / 16.1), 16.0 * c.distance, 1e-15);
    CHECK_REL(iso_coincidence_at(&c, 0.0), 16.0 * c.distance, 1e-15);
}

// Face to face, but beside each other: no region of equal fields.
static void offset_boxes_do_not_feel_a_picometre(void** state) {
    (void)state;
    test_random random = test_random_make(11);
    iso_pose at = iso_pose_from_position(iso_vec3_make(0.03, -0.02, 0.19));
    int faces;
    iso_vec3 f = force(at, &faces);
    CHECK(faces > 10 && f.z > 1000.0, "%d faces, %g N", faces, f.z);
    for (int i = 0; i < 20; ++i) {
        iso_vec3 g = force(perturb(at, &random, 1e-12, i % 2 == 1), &faces);
        CHECK_VEC3_NEAR(g, f, 1e-9 * f.z); // measured 9e-11: the stiffness times 1e-12 m
    }
}

// Exactly above each other the fields are equal beside the sides. Which body that region belongs to
// turns with the sign of a perturbation, and its lateral push with it; the normal force stays.
static void aligned_boxes_keep_their_normal_force(void** state) {
    (void)state;
    test_random random = test_random_make(12);
    iso_pose at = iso_pose_from_position(iso_vec3_make(0.0, 0.0, 0.19));
    int faces;
    iso_vec3 f = force(at, &faces);
    CHECK(f.z > 1000.0, "%g N", f.z);
    CHECK_VEC3_NEAR(iso_vec3_make(f.x, f.y, 0.0), iso_vec3_zero(), 1e-9); // measured 4e-15 N
    for (int i = 0; i < 20; ++i) {
        iso_vec3 g = force(perturb(at, &random, 1e-11, false), &faces);
        CHECK_REL(g.z, f.z, 1e-8);                             // measured 9e-10
        CHECK_AT_MOST(fmax(fabs(g.x), fabs(g.y)), 0.03 * f.z); // measured 0.026
    }
}

// The lateral push of the region of equal fields is there or not, for each axis by itself, and once
// there for all greater shifts: no mixture in between, at whatever place rounding begins.
static void aligned_boxes_have_their_lateral_push_or_none(void** state) {
    (void)state;
    const double shifts[] = {1e-17, 1e-16, 1e-15, 3e-15, 1e-14, 2e-14, 3e-14, 4e-14, 6e-14, 1e-13,
                             2e-13, 4e-13, 1e-12, 1e-11, 1e-10, 1e-9,  1e-7,  1e-5,  1e-4,  1e-3};
    test_random random = test_random_make(13);
    iso_pose at = iso_pose_from_position(iso_vec3_make(0.0, 0.0, 0.19));
    int faces;
    iso_vec3 f = force(at, &faces);
    double push = 0.5 * 295.0 / 3.0; // of the region, as the shift goes to zero
    for (int i = 0; i < 12; ++i) {
        iso_vec3 along = test_random_unit_vec3(&random);
        bool is_pushed[2] = {false, false};
        for (int k = 0; k < 20; ++k) {
            iso_pose x = at;
            x.p = iso_vec3_add_scaled(at.p, along, shifts[k]);
            iso_vec3 g = force(x, &faces);
            // Measured: 1.72e5 N/m times the shift, and 2.1e-13 of the force beside that.
            double slack = 1e-12 * f.z + 4e5 * shifts[k];
            CHECK_NEAR(g.z, f.z, slack);
            for (int axis = 0; axis < 2; ++axis) {
                double lateral = iso_vec3_get(g, axis);
                is_pushed[axis] = is_pushed[axis] || fabs(lateral) > 0.5 * push;
                double expected = is_pushed[axis] ? copysign(push, iso_vec3_get(along, axis)) : 0.0;
                CHECK_NEAR(lateral, expected, slack); // measured 9.9e3 N/m times the shift
            }
        }
        CHECK(is_pushed[0] && is_pushed[1], "a shift of 1 mm along (%g, %g, %g) is not felt",
              along.x, along.y, along.z);
    }
}

// One inside the other there is no surface at all.
static void superimposed_boxes_have_no_surface(void** state) {
    (void)state;
    int faces;
    iso_vec3 f = force(iso_pose_identity(), &faces);
    CHECK(faces == 0 && iso_vec3_norm(f) == 0.0, "%d faces, %g N", faces, iso_vec3_norm(f));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(offset_boxes_do_not_feel_a_picometre),
        TEST(aligned_boxes_keep_their_normal_force),
        TEST(aligned_boxes_have_their_lateral_push_or_none),
        TEST(superimposed_boxes_have_no_surface),
        TEST(the_distance_of_what_coincides_follows_the_slope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
