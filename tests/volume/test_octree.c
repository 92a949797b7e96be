// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Octrees beside exact volumes, of solids and poses drawn from seeds: when they say that they have
// their digits they do, else their error says how many.

#include "volume/octree.h"
#include "volume/solids.h"

static iso_volume_body* draw_part(iso_context* ctx, test_random* random) {
    static const iso_shape_kind kinds[] = {ISO_SHAPE_SPHERE, ISO_SHAPE_BOX, ISO_SHAPE_CYLINDER,
                                           ISO_SHAPE_CAPSULE};
    int kind = test_random_int(random, 0, 4);
    if (kind == 4) {
        star_prism star = draw_star(random, true);
        iso_tri_mesh mesh = star_mesh(ctx, &star);
        iso_volume_body* body = body_of_mesh(ctx, &mesh);
        iso_tri_mesh_destroy(ctx, &mesh);
        return body;
    }
    iso_shape_desc shape = iso_shape_desc_default(kinds[kind]);
    shape.radius = test_random_uniform(random, 0.1, 0.6);
    shape.length = test_random_uniform(random, 0.05, 1.0);
    shape.size = test_random_vec3(random, 0.1, 1.0);
    return body_of_shape(ctx, &shape);
}

static void octrees_have_the_digits_that_they_claim(void** state) {
    iso_context* ctx = *state;
    int count = 0;
    for (int seed = 600; seed < 660; ++seed) { // without the change before, 612 and 639 fail
        test_random random = test_random_make((uint64_t)seed);
        iso_volume_body *a = draw_part(ctx, &random), *b = draw_part(ctx, &random);
        iso_pose x_ab = test_random_pose(&random, 0.7), identity = iso_pose_identity();
        const iso_volume_settings settings = {.digits = test_random_uniform(&random, 1.0, 3.0),
                                              .max_depth = 6};
        const iso_volume_settings coarse = {.digits = 1.0, .max_depth = 2};
        iso_volume_metrics exact, octree;
        iso_status status = iso_volume_intersect(ctx, a, &identity, b, &x_ab, &coarse, &exact);
        if (status == ISO_OK && exact.method != ISO_VOLUME_OCTREE && exact.volume > 0.0) {
            bool is_done = iso_volume_octree(a, b, &x_ab, &settings, &octree);
            double claimed = is_done ? pow(10.0, -settings.digits) : octree.error;
            double error = fabs(octree.volume - exact.volume) / exact.volume;
            CHECK(error <= claimed, "seed %d: error %g, expected at most %g", seed, error, claimed);
            ++count;
        }
        iso_volume_body_destroy(ctx, a);
        iso_volume_body_destroy(ctx, b);
    }
    CHECK(count > 20, "%d", count);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(octrees_have_the_digits_that_they_claim),
    };
    return cmocka_run_group_tests(tests, test_set_up, test_tear_down);
}
