// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Points of large faces about which a patch turns.

#include "contact/hand_patch.h"
#include "contact/pressure_field/point_fill.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"

#include <math.h>

enum { MOST_CORNERS = 4 };

// A flat face that turns about a place.
typedef struct turning_face {
    iso_vec3 corners[MOST_CORNERS];
    int count;
    iso_vec3 normal, slope, place; // slope of the pressure; place without slip
    double size, spin;
} turning_face;

// Rectangles, rhombs, and triangles of two or three equal sides or of none.
static turning_face draw_face(test_random* random, int kind) {
    double size = pow(10.0, test_random_uniform(random, -3.0, 0.5));
    double x = size * test_random_uniform(random, 0.2, 1.0), y = size;
    y = kind == 3 ? x * sqrt(0.75) : y;
    const iso_vec3 shapes[5][MOST_CORNERS] = {
        {{0.0, 0.0, 0.0}, {x, 0.0, 0.0}, {x, y, 0.0}, {0.0, y, 0.0}},
        {{0.0, 0.5 * y, 0.0}, {-0.5 * x, 0.0, 0.0}, {0.0, -0.5 * y, 0.0}, {0.5 * x, 0.0, 0.0}},
        {{0.0, 0.0, 0.0}, {x, 0.0, 0.0}, {0.5 * x, y, 0.0}},
        {{0.0, 0.0, 0.0}, {x, 0.0, 0.0}, {0.5 * x, y, 0.0}},
        {{0.0, 0.0, 0.0}, {x, 0.0, 0.0}, {0.3 * x, y, 0.0}}};
    iso_pose pose = test_random_pose(random, size);
    turning_face f = {.count = kind < 2 ? 4 : 3, .size = size, .spin = 3.0};
    iso_vec3 sum = iso_vec3_zero();
    for (int i = 0; i < f.count; ++i) {
        f.corners[i] = iso_pose_point(&pose, shapes[kind][i]);
        sum = iso_vec3_add_scaled(sum, f.corners[i], 1.0 / f.count);
    }
    f.normal = iso_mat3_column(&pose.r, 2);
    f.slope = iso_vec3_scale(iso_mat3_column(&pose.r, 0), test_random_uniform(random, -1e3, 1e3));
    double share = test_random_uniform(random, 0.0, 0.5); // towards a corner
    f.place =
        iso_vec3_lerp(sum, f.corners[0], test_random_uniform(random, 0.0, 1.0) < 0.5 ? 0.0 : share);
    return f;
}

static iso_compliant_points fill(const turning_face* f, iso_arena* arena, hand_patch* h) {
    double reach = 1e3 * f->size;
    iso_vec3 up = iso_vec3_scale(f->normal, -1e6);
    *h = hand_patch_make(1);
    hand_patch_add(h, f->corners, f->count, 2e3 * reach - iso_vec3_dot(f->slope, f->place),
                   f->slope, iso_vec3_add(up, f->slope), iso_vec3_zero());
    h->pair.patch.is_rigid_b = true;
    h->pair.patch.area = h->areas[0];
    h->pair.p_wc = f->place;
    h->pair.friction_dynamic = 0.5;
    iso_contact_options options = iso_contact_options_default();
    iso_spatial v = iso_spatial_make(iso_vec3_scale(f->normal, f->spin), iso_vec3_zero());
    iso_compliant_points points = {.law = ISO_POINT_LAW_LAGGED, .dt = 1e-3, .p_wc = f->place};
    CHECK_OK(arena->ctx, iso_compliant_points_fill(&options, &h->pair, &v, arena, &points));
    return points;
}

static iso_vec3 place_of(const iso_compliant_points* points, int i) {
    return iso_vec3_make(points->rx[i], points->ry[i], points->rz[i]);
}

// Across y: the normal that points up stays so, and corners are walked the other way round.
static iso_vec3 mirrored(iso_vec3 p) {
    return iso_vec3_make(p.x, -p.y, p.z);
}

// How far the points of one face are from those of the other, or from their mirror images:
// the largest distance to the nearest one, with a force that is the same.
static double distance(const iso_compliant_points* one, const iso_compliant_points* other,
                       bool mirror) {
    double most = 0.0;
    for (int i = 0; i < one->count; ++i) {
        iso_vec3 p = place_of(one, i);
        p = mirror ? mirrored(p) : p;
        double least = INFINITY;
        for (int k = 0; k < other->count; ++k) {
            double gap = iso_vec3_norm(iso_vec3_sub(p, place_of(other, k)));
            bool is_same = fabs(one->force[i] - other->force[k]) <= 1e-6 * fabs(one->force[i]);
            least = is_same ? fmin(least, gap) : least;
        }
        most = fmax(most, least);
    }
    return most;
}

// A mirror image, which is walked the other way round, and a face that begins with another corner
// have the same points: none of several longest sides comes first.
static void points_of_a_turning_face_do_not_depend_on_its_corners(void** state) {
    (void)state;
    test_random random = test_random_make(262);
    int cut = 0;
    for (int i = 0; i < 150; ++i) {
        turning_face f = draw_face(&random, i % 5), image = f, begun = f;
        for (int k = 0; k < f.count; ++k) {
            image.corners[k] = mirrored(f.corners[f.count - 1 - k]);
            begun.corners[k] = f.corners[(k + 1 + i) % f.count];
        }
        image.normal = mirrored(f.normal);
        image.slope = mirrored(f.slope);
        image.place = mirrored(f.place);
        image.spin *= -1.0;
        iso_arena arena;
        iso_context* ctx = test_context();
        CHECK_OK(ctx, iso_arena_init(&arena, ctx, 1 << 20));
        hand_patch h[3];
        iso_compliant_points points = fill(&f, &arena, &h[0]);
        iso_compliant_points of_image = fill(&image, &arena, &h[1]);
        iso_compliant_points of_begun = fill(&begun, &arena, &h[2]);
        assert_int_equal(points.count, of_image.count);
        assert_int_equal(points.count, of_begun.count);
        CHECK_AT_MOST(distance(&points, &of_image, true) / f.size, 1e-9);
        CHECK_AT_MOST(distance(&points, &of_begun, false) / f.size, 1e-9);
        cut += points.count > 4;
        for (int k = 0; k < 3; ++k) {
            hand_patch_free(&h[k]);
        }
        iso_arena_destroy(&arena);
        test_context_destroy(ctx);
    }
    CHECK(cut >= 100, "%d of 150 faces are cut", cut);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_of_a_turning_face_do_not_depend_on_its_corners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
