// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Bodies in line: what a query costs where corners, edges and axes of two bodies fall on each
// other, and that its faces are those of poses nearby. The work is counted, not timed.
// ISO_ALIGNED="FIRST COUNT [HINT]" searches for the pair that costs most and prints it.

#include "surface/aligned_pairs.h"
#include "surface/kernels/search_threads.h"
#include "surface/patch_bits.h"

// After the helpers, whose parameters have the names of its variables.
#include "support/arena_fixture.h"

#include <stdio.h>
#include <stdlib.h>

// Work that any query may be.
#define LEAST_WORK 1000
#define MOST_RATIO 5.0

// What is compared of a patch.
typedef struct outcome {
    long work;
    int faces;
    double area;
    iso_spatial wrench;
} outcome;

static outcome ask(const iso_contact_shape* a, const iso_contact_shape* b, const iso_pose* x_ab) {
    iso_contact_options options = fixture_options();
    iso_pose identity = iso_pose_identity();
    iso_patch patch;
    outcome out;
    CHECK_OK(ctx, iso_arena_reset(&arena));
    CHECK_OK(ctx,
             iso_pair_query_counted(&arena, a, &identity, b, x_ab, &options, &patch, &out.work));
    out.faces = patch.face_count;
    out.area = patch.area;
    out.wrench = fixture_wrench(&patch);
    return out;
}

// Work of an aligned pose over that of the same moved by 1 % of the size of the smaller body.
static double cost_ratio(uint64_t seed, double hint) {
    aligned_pair p = aligned_pair_of(seed, hint);
    iso_contact_shape* a = fixture_shape(ctx, p.a, p.material_a);
    iso_contact_shape* b = fixture_shape(ctx, p.b, p.material_b);
    outcome aligned = ask(a, b, &p.x_ab);
    double moved = LEAST_WORK;
    for (int i = 0; i < 3; ++i) {
        iso_pose x = aligned_moved(&p, 0.02 * p.size, i);
        moved = fmax(moved, (double)ask(a, b, &x).work);
    }
    iso_contact_shape_destroy(ctx, a);
    iso_contact_shape_destroy(ctx, b);
    return (double)aligned.work / moved;
}

static void aligned_poses_cost_at_most_five_times_what_others_do(void** state) {
    (void)state;
    TEST_SKIP_IF_WATCHED_FOR_RACES();
    long first = 1, count = TEST_ROUNDS(400, 40);
    double hint = 0.04, worst = 0.0;
    const char* text = getenv("ISO_ALIGNED");
    if (text) {
        char* end;
        first = strtol(text, &end, 10);
        count = strtol(end, &end, 10);
        double finer = strtod(end, &end);
        hint = finer > 0.0 ? finer : hint;
    }
    uint64_t seed = 42102; // starts near a common axis, most of them in vain
    worst = text ? worst : cost_ratio(seed, hint);
    for (long i = 0; i < count; ++i) {
        double ratio = cost_ratio((uint64_t)(first + i), hint);
        seed = ratio > worst ? (uint64_t)(first + i) : seed;
        worst = fmax(worst, ratio);
    }
    if (text) {
        printf("seed %llu: %.2f times the work\n", (unsigned long long)seed, worst);
    }
    CHECK(worst <= MOST_RATIO, "seed %llu: %g times the work of the moved pose",
          (unsigned long long)seed, worst); // measured 3.0
}

// A sphere in a box, and an ellipsoid in a cylinder that is steeper than it along the axis: their
// pressures are equal in the middle alone, and nothing is there.
static void peaks_that_touch_have_no_faces(void** state) {
    (void)state;
    TEST_SKIP_IF_WATCHED();
    const uint64_t seeds[3] = {43729, 43729, 49698};
    const double hints[3] = {0.04, 0.02, 0.04};
    for (int i = 0; i < 3; ++i) {
        aligned_pair p = aligned_pair_of(seeds[i], hints[i]);
        double ratio = cost_ratio(seeds[i], hints[i]);
        iso_contact_shape* a = fixture_shape(ctx, p.a, p.material_a);
        iso_contact_shape* b = fixture_shape(ctx, p.b, p.material_b);
        assert_int_equal(ask(a, b, &p.x_ab).faces, 0);
        iso_contact_shape_destroy(ctx, a);
        iso_contact_shape_destroy(ctx, b);
        CHECK(ratio <= MOST_RATIO, "%g times the work of the moved pose", ratio); // measured 4.4
    }
}

static iso_shape_desc capsule(double radius, double length) {
    iso_shape_desc s = iso_shape_desc_default(ISO_SHAPE_CAPSULE);
    s.radius = radius;
    s.length = length;
    return s;
}

// Takes the shapes over. The wrench of a pose moves by no more than a stiffness times the shift.
static void check_neighbors(const char* name, iso_contact_shape* a, iso_contact_shape* b,
                            iso_vec3 p_ab, double stiffness) {
    const double shifts[] = {1e-16, 1e-15, 1e-14, 1e-13, 3e-13, 1e-12, 3e-12,
                             1e-11, 1e-10, 1e-9,  1e-8,  1e-7,  1e-6};
    aligned_pair p = {.x_ab = iso_pose_from_position(p_ab)};
    outcome at = ask(a, b, &p.x_ab);
    for (size_t i = 0; i < sizeof shifts / sizeof *shifts; ++i) {
        for (int k = 0; k < 3; ++k) {
            iso_pose x = aligned_moved(&p, shifts[i], k);
            outcome near = ask(a, b, &x);
            double slack = stiffness * (shifts[i] + 1e-9);
            CHECK(iso_vec3_distance(near.wrench.translational, at.wrench.translational) <= slack,
                  "%s moved by %g m: force %g N away, expected at most %g", name, shifts[i],
                  iso_vec3_distance(near.wrench.translational, at.wrench.translational), slack);
            CHECK(fabs(near.area - at.area) <= 10.0 * (shifts[i] + 1e-9),
                  "%s moved by %g m: area %.12g, expected %.12g", name, shifts[i], near.area,
                  at.area);
            CHECK(near.work <= 20 * at.work && at.work <= 5 * near.work + LEAST_WORK,
                  "%s moved by %g m: work %ld, at the place %ld", name, shifts[i], near.work,
                  at.work);
        }
    }
    iso_contact_shape_destroy(ctx, a);
    iso_contact_shape_destroy(ctx, b);
}

static void symmetric_poses_have_the_faces_of_their_neighbors(void** state) {
    (void)state;
    TEST_SKIP_IF_WATCHED_FOR_RACES();
    iso_contact_material soft = fixture_compliant(1e6, 0.02), other = fixture_compliant(2e6, 0.03);
    iso_shape_desc ellipsoid = iso_shape_desc_default(ISO_SHAPE_ELLIPSOID);
    ellipsoid.size = iso_vec3_make(0.08, 0.08, 0.15);
    check_neighbors("capsules end to end", fixture_shape(ctx, capsule(0.08, 0.283), soft),
                    fixture_shape(ctx, capsule(0.08, 0.283), soft), iso_vec3_make(0.0, 0.0, 0.283),
                    2e6);
    check_neighbors("concentric spheres", fixture_shape(ctx, fixture_sphere(0.1), soft),
                    fixture_shape(ctx, fixture_sphere(0.07), soft), iso_vec3_zero(), 2e6);
    check_neighbors("spheres of different moduli", fixture_shape(ctx, fixture_sphere(0.1), soft),
                    fixture_shape(ctx, fixture_sphere(0.08), other), iso_vec3_zero(), 2e6);
    check_neighbors("a capsule and an ellipsoid", fixture_shape(ctx, capsule(0.08, 0.283), soft),
                    fixture_shape(ctx, ellipsoid, soft), iso_vec3_make(0.0, 0.0, 0.1415), 3e6);
    check_neighbors(
        "a sphere at the end of a capsule", fixture_shape(ctx, capsule(0.08, 0.2), soft),
        fixture_shape(ctx, fixture_sphere(0.05), other), iso_vec3_make(0.0, 0.0, 0.1), 2e6);
}

// Equal bodies in one place have no surface of equal pressure, whichever way they are turned.
static void equal_bodies_in_one_place_have_no_surface(void** state) {
    (void)state;
    iso_contact_shape* a = fixture_shape(ctx, fixture_sphere(1.0), fixture_compliant(1e6, 0.2));
    aligned_pair p = {.x_ab = iso_pose_identity()};
    outcome at = ask(a, a, &p.x_ab);
    CHECK(at.faces == 0, "%d faces", at.faces);
    iso_pose x = aligned_moved(&p, 0.01, 0);
    outcome moved = ask(a, a, &x);
    CHECK(moved.faces > 100 && at.work < moved.work, "%ld instead of %ld pairs", at.work,
          moved.work);
    p.x_ab.r = (iso_mat3){{{0.0, -1.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}}};
    CHECK(ask(a, a, &p.x_ab).faces == 0, "turned by a right angle: faces");
    iso_contact_shape_destroy(ctx, a);
}

// Whether rounding is against too many visits is of all threads' visits, whoever makes them.
static void threads_give_up_where_one_does(void** state) {
    (void)state;
    aligned_pair p = aligned_pair_of(600163, 0.02);
    iso_contact_shape* a = fixture_shape(ctx, p.a, p.material_a);
    iso_contact_shape* b = fixture_shape(ctx, p.b, p.material_b);
    iso_contact_options options = fixture_options();
    iso_pose identity = iso_pose_identity();
    iso_search_threads threads = {0};
    iso_task_pool* pool = NULL;
    iso_patch alone, shared;
    CHECK_OK(ctx, iso_task_pool_create(ctx, 2, &pool));
    CHECK_OK(ctx, iso_search_threads_join(&threads, ctx, pool));
    CHECK_OK(ctx, iso_arena_reset(&arena));
    assert_true(iso_pair_is_shared(a, &identity, b, &p.x_ab));
    CHECK_OK(ctx, iso_pair_query(&arena, a, &identity, b, &p.x_ab, &options, &alone));
    for (int i = 0; i < TEST_ROUNDS(8, 2); ++i) {
        CHECK_OK(ctx, iso_pair_query_with(&threads, &arena, a, &identity, b, &p.x_ab, &options,
                                          &shared));
        check_patch_bits(&alone, &shared, "two threads");
    }
    iso_search_threads_destroy(&threads);
    iso_task_pool_destroy(pool);
    iso_contact_shape_destroy(ctx, a);
    iso_contact_shape_destroy(ctx, b);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(aligned_poses_cost_at_most_five_times_what_others_do),
        TEST(peaks_that_touch_have_no_faces),
        TEST(symmetric_poses_have_the_faces_of_their_neighbors),
        TEST(equal_bodies_in_one_place_have_no_surface),
        TEST(threads_give_up_where_one_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
