// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/faces/face_spread.h"

#include "support/check.h"
#include "support/random.h"

#include <math.h>

typedef struct face {
    iso_vec3 v[3], normal, centroid;
    double area, size;
} face;

static face make_face(iso_vec3 a, iso_vec3 b, iso_vec3 c) {
    face f = {.v = {a, b, c}};
    iso_vec3 cross = iso_vec3_cross(iso_vec3_sub(b, a), iso_vec3_sub(c, a));
    f.area = 0.5 * iso_vec3_norm(cross);
    f.normal = iso_vec3_normalized(cross);
    f.centroid = iso_vec3_scale(iso_vec3_add(iso_vec3_add(a, b), c), 1.0 / 3.0);
    f.size = sqrt(f.area);
    return f;
}

// Equal sides, two equal sides, or any, anywhere.
static face draw_face(test_random* random, int kind) {
    double size = pow(10.0, test_random_uniform(random, -4.0, 1.0));
    double y = kind == 0 ? sqrt(0.75) : test_random_uniform(random, 0.3, 2.0);
    double x = kind == 2 ? test_random_uniform(random, -1.0, 2.0) : 0.5;
    iso_vec3 v[3] = {{0.0, 0.0, 0.0}, {size, 0.0, 0.0}, {x * size, y * size, 0.0}};
    iso_pose pose = test_random_pose(random, size);
    for (int i = 0; i < 3; ++i) {
        v[i] = iso_pose_point(&pose, v[i]);
    }
    return make_face(v[0], v[1], v[2]);
}

static iso_face_spread sample(const face* f, iso_vec3 out[4]) {
    iso_face_spread s = iso_face_spread_find(f->v, 3, f->normal, f->centroid);
    iso_face_spread_samples(&s, f->area, out);
    return s;
}

static double nearest(iso_vec3 p, const iso_vec3 samples[4]) {
    double least = INFINITY;
    for (int k = 0; k < 4; ++k) {
        least = fmin(least, iso_vec3_norm(iso_vec3_sub(samples[k], p)));
    }
    return least;
}

static void samples_have_the_moments_of_their_triangle(void** state) {
    (void)state;
    test_random random = test_random_make(26);
    for (int i = 0; i < 300; ++i) {
        face f = draw_face(&random, i % 3);
        iso_vec3 samples[4], sum = iso_vec3_zero();
        iso_face_spread s = sample(&f, samples);
        double m[3] = {0.0, 0.0, 0.0}, scale = f.area * f.area;
        for (int k = 0; k < 4; ++k) {
            double x = iso_vec3_dot(samples[k], s.e1), y = iso_vec3_dot(samples[k], s.e2);
            sum = iso_vec3_add(sum, samples[k]);
            m[0] += 0.25 * f.area * x * x;
            m[1] += 0.25 * f.area * x * y;
            m[2] += 0.25 * f.area * y * y;
        }
        CHECK_AT_MOST(iso_vec3_norm(sum) / f.size, 1e-12);
        CHECK_NEAR(m[0] / scale, s.m11 / scale, 1e-11);
        CHECK_NEAR(m[1] / scale, s.m12 / scale, 1e-11);
        CHECK_NEAR(m[2] / scale, s.m22 / scale, 1e-11);
    }
}

// A mirror image has other least corners, and is walked the other way round.
static void a_mirror_image_has_the_mirror_images_of_the_samples(void** state) {
    (void)state;
    test_random random = test_random_make(137);
    for (int i = 0; i < 600; ++i) {
        face f = draw_face(&random, i % 3);
        iso_vec3 samples[4], others[4], w[3];
        for (int k = 0; k < 3; ++k) {
            w[k] = iso_vec3_make(-f.v[k].x, f.v[k].y, f.v[k].z);
        }
        face mirrored = make_face(w[0], w[2], w[1]);
        sample(&f, samples);
        sample(&mirrored, others);
        for (int k = 0; k < 4; ++k) {
            iso_vec3 image = iso_vec3_make(-samples[k].x, samples[k].y, samples[k].z);
            CHECK_AT_MOST(nearest(image, others) / f.size, 1e-7);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_have_the_moments_of_their_triangle),
        cmocka_unit_test(a_mirror_image_has_the_mirror_images_of_the_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
