// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Cubic signals and paths through keyframes; bounded quadratic problems.

#include "isobar/task.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"
#include "task/paths/path.h"
#include "task/programs/box_qp.h"

#include <math.h>
#include <string.h>

static const double k_times[] = {0.5, 1.0, 2.5, 3.0, 4.5};
static const double k_values[] = {0.0, 2.0, 3.0, 1.0, 1.0};

static iso_signal_desc cubic_signal(void) {
    iso_signal_desc s = iso_signal_desc_default();
    s.kind = ISO_SIGNAL_CUBIC;
    s.table_count = 5;
    s.table_times = k_times;
    s.table_values = k_values;
    return s;
}

static void a_cubic_signal_meets_its_points_with_a_continuous_rate(void** state) {
    (void)state;
    iso_signal_desc s = cubic_signal();
    const double tiny = 1e-9;
    for (int i = 0; i < 5; ++i) {
        CHECK_BITS(iso_signal_eval(&s, k_times[i]), k_values[i]);
        double before = iso_signal_rate(&s, k_times[i] - tiny);
        double behind = iso_signal_rate(&s, k_times[i] + tiny);
        // The rate changes by at most |acceleration| 2e-9 s across a point; measured 4.9e-8 where
        // the acceleration is 24.
        CHECK_NEAR(before, behind, 2e-7);
    }
    CHECK_BITS(iso_signal_rate(&s, 0.0), 0.0);
    CHECK_BITS(iso_signal_rate(&s, 9.0), 0.0);
    CHECK_BITS(iso_signal_eval(&s, -1.0), 0.0);
    CHECK_BITS(iso_signal_eval(&s, 9.0), 1.0);
}

static void a_cubic_signal_stays_between_its_points_and_its_rate_is_its_slope(void** state) {
    (void)state;
    iso_signal_desc s = cubic_signal();
    const double h = 1e-6;
    double worst = 0.0;
    for (int i = 0; i < 4; ++i) {
        double low = fmin(k_values[i], k_values[i + 1]), high = fmax(k_values[i], k_values[i + 1]);
        for (int k = 1; k < 100; ++k) {
            double t = k_times[i] + 0.01 * k * (k_times[i + 1] - k_times[i]);
            double value = iso_signal_eval(&s, t);
            assert_true(value >= low && value <= high);
            double slope = (iso_signal_eval(&s, t + h) - iso_signal_eval(&s, t - h)) / (2.0 * h);
            worst = fmax(worst, fabs(slope - iso_signal_rate(&s, t)));
        }
    }
    CHECK_AT_MOST(worst, 1e-8); // measured 9e-10: rounding over 2 h
}

static void two_points_give_the_smoothstep(void** state) {
    (void)state;
    const double times[] = {0.0, 2.0}, values[] = {1.0, 5.0};
    iso_signal_desc s = cubic_signal();
    s.table_count = 2;
    s.table_times = times;
    s.table_values = values;
    CHECK_NEAR(iso_signal_eval(&s, 0.5), 1.0 + 4.0 * (3.0 / 16.0 - 2.0 / 64.0), 1e-15); // 0
    CHECK_NEAR(iso_signal_rate(&s, 1.0), 3.0, 1e-15);                                   // 0
    s.kind = ISO_SIGNAL_TABLE;
    CHECK_BITS(iso_signal_rate(&s, 0.0), 2.0);
    CHECK_BITS(iso_signal_rate(&s, 1.0), 2.0);
    CHECK_BITS(iso_signal_rate(&s, 2.0), 0.0);
}

static void the_peak_rate_of_a_path_is_met_and_not_passed(void** state) {
    (void)state;
    for (int profile = 0; profile < 2; ++profile) {
        double peak = iso_path_peak_rate((iso_profile)profile, k_times, 5, -1.0, k_values, 1);
        double seen = 0.0;
        for (int k = 0; k < 45000; ++k) {
            double rate =
                iso_path_scalar((iso_profile)profile, k_times, 5, -1.0, k_values, 1, 1e-4 * k).rate;
            seen = fmax(seen, fabs(rate));
        }
        assert_true(seen <= peak * (1.0 + 1e-12));
        CHECK_REL(seen, peak, 1e-6); // measured 0
    }
}

// Angular velocity in W by central differences.
static iso_vec3 turn_rate(iso_profile profile, const double* times, int count,
                          const iso_pose* start, const iso_pose* poses, double t) {
    const double h = 1e-5;
    iso_pose a = iso_path_pose(profile, times, count, start, poses, t - h);
    iso_pose b = iso_path_pose(profile, times, count, start, poses, t + h);
    iso_mat3 r = iso_mat3_mul(b.r, iso_mat3_transpose(a.r));
    return iso_vec3_scale(iso_quat_to_rotation_vector(iso_quat_from_mat3(&r)), 0.5 / h);
}

static void a_pose_path_meets_its_keyframes_and_turns_without_jerks(void** state) {
    (void)state;
    const double times[] = {0.7, 1.5, 3.0};
    iso_pose start = iso_pose_make(iso_mat3_from_rpy(0.1, 0.2, -0.3), iso_vec3_make(1.0, 0.0, 0.5));
    iso_pose poses[] = {
        iso_pose_make(iso_mat3_from_rpy(0.5, 0.6, 0.4), iso_vec3_make(1.1, 0.3, 0.4)),
        iso_pose_make(iso_mat3_from_rpy(1.0, 0.8, 1.4), iso_vec3_make(1.3, 0.4, 0.4)),
        iso_pose_make(iso_mat3_from_rpy(1.2, -0.2, 1.5), iso_vec3_make(1.2, 0.5, 0.1)),
    };
    for (int i = 0; i < 3; ++i) {
        iso_pose x = iso_path_pose(ISO_PROFILE_CUBIC, times, 3, &start, poses, times[i]);
        CHECK_POSE_NEAR(x, poses[i], 1e-15); // measured 0
    }
    iso_pose x = iso_path_pose(ISO_PROFILE_CUBIC, times, 3, &start, poses, 0.0);
    CHECK_POSE_NEAR(x, start, 1e-15); // measured 0
    for (int i = 0; i < 2; ++i) {
        iso_vec3 a = turn_rate(ISO_PROFILE_CUBIC, times, 3, &start, poses, times[i] - 2e-5);
        iso_vec3 b = turn_rate(ISO_PROFILE_CUBIC, times, 3, &start, poses, times[i] + 2e-5);
        CHECK_VEC3_NEAR(a, b, 5e-4); // measured 1.1e-4: 4e-5 s of angular acceleration
        iso_vec3 c = turn_rate(ISO_PROFILE_LINEAR, times, 3, &start, poses, times[i] - 2e-5);
        iso_vec3 d = turn_rate(ISO_PROFILE_LINEAR, times, 3, &start, poses, times[i] + 2e-5);
        assert_true(iso_vec3_distance(c, d) > 0.1); // linear paths have corners
    }
    assert_true(iso_vec3_norm(turn_rate(ISO_PROFILE_CUBIC, times, 3, &start, poses, 3e-5)) < 1e-2);
}

static void one_keyframe_turns_about_one_axis(void** state) {
    (void)state;
    const double time = 2.0;
    iso_pose start = iso_pose_identity();
    iso_vec3 axis = iso_vec3_normalized(iso_vec3_make(1.0, 2.0, -0.5));
    iso_pose end = iso_pose_make(iso_mat3_from_axis_angle(axis, 1.8), iso_vec3_zero());
    iso_mat3 cubic = iso_mat3_from_axis_angle(axis, 1.8 * (3.0 / 16.0 - 2.0 / 64.0));
    iso_mat3 linear = iso_mat3_from_axis_angle(axis, 0.45);
    // Measured 1.1e-16 both.
    CHECK_MAT3_NEAR(iso_path_pose(ISO_PROFILE_CUBIC, &time, 1, &start, &end, 0.5).r, cubic, 1e-15);
    CHECK_MAT3_NEAR(iso_path_pose(ISO_PROFILE_LINEAR, &time, 1, &start, &end, 0.5).r, linear,
                    1e-15);
}

// --- bounded quadratic problems ------------------------------------------------------------------

static double cost_of(const iso_box_qp* qp, const double* x) {
    double cost = 0.0;
    for (int i = 0; i < qp->count; ++i) {
        cost -= qp->g[i] * x[i];
        for (int k = 0; k < qp->count; ++k) {
            cost += 0.5 * qp->h[i * qp->count + k] * x[i] * x[k];
        }
    }
    return cost;
}

static void fill_random(iso_box_qp* qp, test_random* random, int n) {
    double a[8 * 8];
    qp->count = n;
    for (int i = 0; i < n * n; ++i) {
        a[i] = test_random_uniform(random, -1.0, 1.0);
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            double sum = i == j ? 1e-3 : 0.0;
            for (int k = 0; k < n; ++k) {
                sum += a[k * n + i] * a[k * n + j];
            }
            qp->h[i * n + j] = sum;
        }
        qp->g[i] = test_random_uniform(random, -2.0, 2.0);
        qp->lower[i] = test_random_uniform(random, -0.5, 0.1);
        qp->upper[i] = qp->lower[i] + test_random_uniform(random, 0.0, 0.6);
    }
}

// Oracle: cyclic coordinate descent, which converges for bounded strictly convex problems.
static void descend(const iso_box_qp* qp, double* x) {
    int n = qp->count;
    for (int i = 0; i < n; ++i) {
        x[i] = qp->lower[i];
    }
    for (int sweep = 0; sweep < 200000; ++sweep) {
        double change = 0.0;
        for (int i = 0; i < n; ++i) {
            double rest = qp->g[i];
            for (int k = 0; k < n; ++k) {
                rest -= k != i ? qp->h[i * n + k] * x[k] : 0.0;
            }
            double next = fmin(fmax(rest / qp->h[i * (n + 1)], qp->lower[i]), qp->upper[i]);
            change = fmax(change, fabs(next - x[i]));
            x[i] = next;
        }
        if (change < 1e-15) {
            return;
        }
    }
}

static void the_active_set_finds_what_coordinate_descent_finds(void** state) {
    (void)state;
    static iso_box_qp qp;
    test_random random = test_random_make(7);
    double worst = 0.0;
    int most = 0, bounded = 0;
    for (int trial = 0; trial < 300; ++trial) {
        double expected[8];
        fill_random(&qp, &random, 1 + trial % 8);
        int iterations = iso_box_qp_solve(&qp);
        most = iterations > most ? iterations : most;
        descend(&qp, expected);
        for (int i = 0; i < qp.count; ++i) {
            assert_true(qp.x[i] >= qp.lower[i] && qp.x[i] <= qp.upper[i]);
            bounded += qp.bound[i] != 0;
        }
        worst = fmax(worst, cost_of(&qp, qp.x) - cost_of(&qp, expected));
    }
    CHECK_AT_MOST(worst, 1e-12); // measured 4e-16
    CHECK_AT_MOST((double)most, 40.0);
    assert_true(bounded > 300); // bounds do matter here
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cubic_signal_meets_its_points_with_a_continuous_rate),
        cmocka_unit_test(a_cubic_signal_stays_between_its_points_and_its_rate_is_its_slope),
        cmocka_unit_test(two_points_give_the_smoothstep),
        cmocka_unit_test(the_peak_rate_of_a_path_is_met_and_not_passed),
        cmocka_unit_test(a_pose_path_meets_its_keyframes_and_turns_without_jerks),
        cmocka_unit_test(one_keyframe_turns_about_one_axis),
        cmocka_unit_test(the_active_set_finds_what_coordinate_descent_finds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
