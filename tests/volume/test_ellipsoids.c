// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Two ellipsoids: against balls, discs about one axis, sections of a ball, octrees and differences;
// through first touch and containment. Sizes have ratios of up to 1:100; poses are drawn.

#include "volume/octree.h"
#include "volume/round/round.h"
#include "volume/solids.h"

static iso_vec3 draw_axes(test_random* random, double ratio) {
    double size[3];
    for (int i = 0; i < 3; ++i) {
        size[i] = 0.4 * pow(ratio, test_random_uniform(random, -1.0, 0.0));
    }
    return iso_vec3_make(size[0], size[1], size[2]);
}

static iso_shape_desc shape_of(iso_vec3 semi_axes) {
    iso_shape_desc shape = iso_shape_desc_default(ISO_SHAPE_ELLIPSOID);
    shape.size = semi_axes;
    return shape;
}

static iso_volume_metrics common_of(iso_vec3 a, iso_vec3 b, const iso_pose* x_ab) {
    iso_volume_metrics m;
    iso_volume_ellipsoids(a, b, x_ab, &m);
    return m;
}

static double least_of(iso_vec3 v) {
    return fmin(v.x, fmin(v.y, v.z));
}

// The distance along a way at which they touch.
static double find_touch(iso_vec3 a, iso_vec3 b, const iso_mat3* r, iso_vec3 way) {
    double low = 0.0, high = 1.0;
    for (int i = 0; i < 52; ++i) {
        double middle = 0.5 * (low + high);
        iso_pose x = {*r, iso_vec3_scale(way, middle)};
        bool meets = common_of(a, b, &x).volume > 0.0;
        low = meets ? middle : low;
        high = meets ? high : middle;
    }
    return low;
}

static void check_alike(const iso_volume_metrics* x, const iso_volume_metrics* y, double near,
                        int seed) {
    double size = cbrt(y->volume);
    CHECK(fabs(x->volume - y->volume) <= near * y->volume + 1e-15, "seed %d: %.14g, expected %.14g",
          seed, x->volume, y->volume);
    if (!(y->volume > 0.0)) {
        return;
    }
    CHECK_VEC3_NEAR(x->centroid, y->centroid, 10.0 * near);
    CHECK_MAT3_NEAR(x->inertia, y->inertia, 10.0 * near * y->volume);
    // Integrands of the surface have kinks of a lower order.
    CHECK_VEC3_NEAR(x->area, y->area, 1e-5 * size * size);
    CHECK_VEC3_NEAR(x->turn, y->turn, 1e-5 * size * size);
}

static void round_ones_are_balls(void** state) {
    (void)state;
    int count[3] = {0};
    for (int seed = 0; seed < 60; ++seed) {
        test_random random = test_random_make((uint64_t)seed);
        double a = test_random_uniform(&random, 0.05, 0.4);
        double b = test_random_uniform(&random, 0.05, 0.4);
        iso_pose x_ab = test_random_pose(&random, 0.4);
        iso_volume_metrics exact;
        iso_volume_ball_ball(a, b, x_ab.p, &exact);
        iso_volume_metrics m = common_of(iso_vec3_make(a, a, a), iso_vec3_make(b, b, b), &x_ab);
        check_alike(&m, &exact, 1e-9, seed);
        double apart = iso_vec3_norm(x_ab.p);
        ++count[apart > a + b ? 0 : apart < fabs(a - b) ? 1 : 2];
    }
    CHECK(count[0] > 5 && count[1] > 3 && count[2] > 20, "%d, %d, %d", count[0], count[1],
          count[2]);
}

static void with_a_ball_they_are_its_sections(void** state) {
    (void)state;
    iso_pose identity = iso_pose_identity();
    for (int seed = 0; seed < 60; ++seed) {
        test_random random = test_random_make((uint64_t)seed + 100);
        iso_vec3 b = draw_axes(&random, 5.0), a = iso_vec3_make(0.3, 0.3, 0.3);
        iso_pose x_ab = test_random_pose(&random, 0.3);
        iso_shape_desc ball = iso_shape_desc_default(ISO_SHAPE_SPHERE), egg = shape_of(b);
        ball.radius = a.x;
        iso_volume_metrics sections, m = common_of(a, b, &x_ab);
        iso_volume_slices(&ball, &egg, &x_ab, &identity, &sections);
        check_alike(&m, &sections, 1e-9, seed);
    }
}

// Of q0 + q1 z + q2 z^2, the lesser of two, where both are positive: pieces of it are parabolas.
static double common(const double a[3], const double b[3], double low, double high) {
    double places[4] = {low, high, low, high}, q[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    double square = q[1] * q[1] - 4.0 * q[0] * q[2];
    for (int i = 0; i < 2 && square > 0.0; ++i) {
        double sum = -0.5 * (q[1] + copysign(sqrt(square), q[1]));
        places[2 + i] = fmin(fmax(i ? q[0] / sum : sum / q[2], low), high);
    }
    double first = fmin(places[2], places[3]), second = fmax(places[2], places[3]), all = 0.0;
    const double ends[4] = {low, first, second, high};
    for (int i = 0; i < 3 && high > low; ++i) {
        const double weight[3] = {1.0, 4.0, 1.0};
        for (int k = 0; k < 3; ++k) {
            double z = ends[i] + 0.5 * k * (ends[i + 1] - ends[i]);
            double of_a = a[0] + z * (a[1] + z * a[2]), of_b = b[0] + z * (b[1] + z * b[2]);
            all += weight[k] * (ends[i + 1] - ends[i]) / 6.0 * ISO_PI * fmin(of_a, of_b);
        }
    }
    return all;
}

static void on_one_axis_they_are_discs(void** state) {
    (void)state;
    for (int seed = 0; seed < 60; ++seed) {
        test_random random = test_random_make((uint64_t)seed + 200);
        iso_vec3 a = draw_axes(&random, 100.0), b = draw_axes(&random, 100.0);
        a.y = a.x;
        b.y = b.x;
        double d = test_random_uniform(&random, -0.95, 0.95) * (a.z + b.z);
        double p = a.x * a.x, q = b.x * b.x, c2 = b.z * b.z;
        const double of_a[3] = {p, 0.0, -p / (a.z * a.z)};
        const double of_b[3] = {q * (1.0 - d * d / c2), 2.0 * d * q / c2, -q / c2};
        double exact = common(of_a, of_b, fmax(-a.z, d - b.z), fmin(a.z, d + b.z));
        iso_pose x_ab = iso_pose_identity();
        x_ab.p.z = d;
        iso_volume_metrics m = common_of(a, b, &x_ab);
        CHECK(fabs(m.volume - exact) < 1e-8 * exact, "seed %d: %.14g, expected %.14g", seed,
              m.volume, exact);
    }
}

// As the public function has them: the same whichever comes first, and as the octree.
static void octrees_agree(void** state) {
    iso_context* ctx = *state;
    iso_pose identity = iso_pose_identity();
    for (int seed = 0; seed < 12; ++seed) {
        test_random random = test_random_make((uint64_t)seed + 300);
        iso_vec3 a = draw_axes(&random, 5.0), b = draw_axes(&random, 5.0);
        iso_shape_desc shape_a = shape_of(a), shape_b = shape_of(b);
        iso_volume_body *of_a = body_of_shape(ctx, &shape_a), *of_b = body_of_shape(ctx, &shape_b);
        iso_pose x_ab = test_random_pose(&random, 0.1);
        const iso_volume_settings settings = {.digits = 3.0, .max_depth = 6};
        iso_volume_metrics m, other, octree;
        CHECK_OK(ctx, iso_volume_intersect(ctx, of_a, &identity, of_b, &x_ab, NULL, &m));
        CHECK_OK(ctx, iso_volume_intersect(ctx, of_b, &x_ab, of_a, &identity, NULL, &other));
        CHECK(m.method == ISO_VOLUME_ANALYTIC, "seed %d: %s", seed,
              iso_volume_method_name(m.method));
        iso_volume_exchange(&other);
        check_alike(&m, &other, 1e-9, seed);
        bool is_done = iso_volume_octree(of_a, of_b, &x_ab, &settings, &octree);
        double near = is_done ? 1e-3 : octree.error;
        CHECK(fabs(m.volume - octree.volume) <= near * m.volume, "seed %d: %g, octree %g", seed,
              m.volume, octree.volume);
        CHECK_VEC3_NEAR(m.area, octree.area, 0.1 * cbrt(m.volume) * cbrt(m.volume));
        iso_volume_body_destroy(ctx, of_a);
        iso_volume_body_destroy(ctx, of_b);
    }
}

static void area_and_turn_are_the_derivatives(void** state) {
    (void)state;
    for (int seed = 0; seed < 80; ++seed) {
        test_random random = test_random_make((uint64_t)seed + 400);
        double ratio = seed % 2 ? 10.0 : 100.0;
        iso_vec3 a = draw_axes(&random, ratio), b = draw_axes(&random, ratio);
        iso_pose x = test_random_pose(&random, 1.0);
        iso_vec3 way = test_random_unit_vec3(&random), d = test_random_unit_vec3(&random);
        double far = test_random_uniform(&random, 0.0, 0.99) * find_touch(a, b, &x.r, way);
        x.p = iso_vec3_scale(way, far);
        iso_volume_metrics m = common_of(a, b, &x);
        double step = 1e-3 * fmin(least_of(a), least_of(b)), volumes[2][2];
        for (int side = 0; side < 2; ++side) {
            iso_vec3 by = iso_vec3_scale(d, side ? step : -step);
            iso_pose moved = {x.r, iso_vec3_add(x.p, by)};
            iso_mat3 r = iso_mat3_from_quat(iso_quat_from_rotation_vector(by));
            iso_vec3 arm = iso_mat3_mul_vec3(&r, iso_vec3_sub(x.p, m.centroid));
            iso_pose turned = {iso_mat3_mul(r, x.r), iso_vec3_add(m.centroid, arm)};
            volumes[0][side] = common_of(a, b, &moved).volume;
            volumes[1][side] = common_of(a, b, &turned).volume;
        }
        double shifted = (volumes[0][1] - volumes[0][0]) / (2.0 * step);
        double turned = (volumes[1][1] - volumes[1][0]) / (2.0 * step);
        double size = m.volume / fmin(least_of(a), least_of(b));
        CHECK(fabs(iso_vec3_dot(m.area, d) - shifted) < 2e-3 * size, "seed %d: %g, %g", seed,
              iso_vec3_dot(m.area, d), shifted);
        CHECK(fabs(iso_vec3_dot(m.turn, d) - turned) < 2e-3 * size, "seed %d: %g, %g", seed,
              iso_vec3_dot(m.turn, d), turned);
    }
}

// Volumes change by no more than the surface times the way, also where they begin and where one
// ellipsoid leaves the other.
static void volumes_are_continuous(void** state) {
    (void)state;
    for (int seed = 0; seed < 24; ++seed) {
        test_random random = test_random_make((uint64_t)seed + 500);
        iso_vec3 a = draw_axes(&random, seed % 2 ? 100.0 : 3.0);
        iso_vec3 b = iso_vec3_scale(draw_axes(&random, 3.0), seed % 3 ? 1.0 : 0.3 * least_of(a));
        iso_pose x = test_random_pose(&random, 1.0);
        iso_vec3 way = test_random_unit_vec3(&random);
        double touch = find_touch(a, b, &x.r, way), step = touch / 40.0;
        x.p = iso_vec3_zero();
        iso_volume_metrics before = common_of(a, b, &x);
        double whole = 4.0 / 3.0 * ISO_PI * b.x * b.y * b.z;
        CHECK(before.volume <= whole * (1.0 + 1e-9), "seed %d", seed);
        CHECK(seed % 3 || fabs(before.volume - whole) < 1e-9 * whole, "seed %d: %g, expected %g",
              seed, before.volume, whole);
        for (int i = 1; i <= 41; ++i) {
            x.p = iso_vec3_scale(way, i * step);
            iso_volume_metrics m = common_of(a, b, &x);
            double slope = iso_vec3_dot(m.area, way), slope_before = iso_vec3_dot(before.area, way);
            double change = m.volume - before.volume, bound = 1e-9 * whole;
            // The cube root of the volume is concave along a line (Brunn and Minkowski).
            CHECK(change <= bound, "seed %d, %d: %g", seed, i, change);
            double root = cbrt(before.volume), less = cbrt(m.volume);
            double fall = before.volume > 0.0 ? slope_before / (3.0 * root * root) * step : 0.0;
            CHECK(m.volume == 0.0 || less <= root + fall + 1e-5 * cbrt(whole), "seed %d, %d", seed,
                  i);
            CHECK(slope <= 1e-5 * cbrt(whole) * cbrt(whole), "seed %d, %d: %g", seed, i, slope);
            before = m;
        }
        CHECK(before.volume == 0.0, "seed %d: %g beyond touch", seed, before.volume);
        // Towards touch a volume falls with the square of the depth.
        double volumes[2];
        for (int i = 0; i < 2; ++i) {
            x.p = iso_vec3_scale(way, touch * (1.0 - (i ? 1e-6 : 1e-5)));
            volumes[i] = common_of(a, b, &x).volume;
        }
        CHECK(fabs(volumes[0] / volumes[1] - 100.0) < 0.5, "seed %d: %g, %g", seed, volumes[0],
              volumes[1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_ones_are_balls),
        cmocka_unit_test(with_a_ball_they_are_its_sections),
        cmocka_unit_test(on_one_axis_they_are_discs),
        cmocka_unit_test(octrees_agree),
        cmocka_unit_test(area_and_turn_are_the_derivatives),
        cmocka_unit_test(volumes_are_continuous),
    };
    return cmocka_run_group_tests(tests, test_set_up, test_tear_down);
}
