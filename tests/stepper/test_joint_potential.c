// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "stepper/constraints/joint_potential.h"
#include "support/check.h"

// Gradient, Hessian and line derivatives against differences of the value, away from corners.
static void check_derivatives(const iso_potential_ops* ops, const void* user, double v) {
    double h = 1e-6, g, hess, unused;
    ops->eval(user, &v, &g, &hess);
    double above = v + h, below = v - h, g_above, g_below;
    double value_above = ops->eval(user, &above, &g_above, &unused);
    double value_below = ops->eval(user, &below, &g_below, &unused);
    double scale = fabs(g) + fabs(hess) + 1e-12;
    CHECK_NEAR((value_above - value_below) / (2.0 * h), g, 1e-8 * scale); // measured 1e-10 * scale
    CHECK_NEAR((g_above - g_below) / (2.0 * h), hess, 1e-8 * scale);      // measured 1e-10 * scale

    double du = -1.7, alpha = 0.3, value, slope, curvature;
    double start = v - alpha * du;
    ops->line(user, &start, &du, alpha, &value, &slope, &curvature);
    CHECK_NEAR(value, ops->eval(user, &v, &g, &hess), 1e-12 * (1.0 + fabs(value)));
    CHECK_NEAR(slope, g * du, 1e-12 * scale);
    CHECK_NEAR(curvature, hess * du * du, 1e-12 * scale);
}

static void derivatives_of_a_limit_are_those_of_its_value(void** state) {
    (void)state;
    const double signs[2] = {1.0, -1.0};
    for (int i = 0; i < 2; ++i) {
        iso_joint_limit limit = iso_joint_limit_make(0, signs[i], -0.001, 2.0, 1e-3);
        for (double v = -2.0; v <= 2.0; v += 0.25) {
            check_derivatives(&iso_joint_limit_ops, &limit, v + 0.01);
        }
    }
}

static void limit_pushes_only_back_and_only_beyond_its_target(void** state) {
    (void)state;
    double dt = 1e-3, g, h;
    iso_joint_limit lower = iso_joint_limit_make(0, 1.0, 0.002, 1.0, dt);
    CHECK_REL(lower.target, -1.0, 1e-12);
    const double slow = -0.999, fast = -1.001;
    iso_joint_limit_ops.eval(&lower, &slow, &g, &h);
    CHECK_BITS(fabs(g), 0.0);
    CHECK_BITS(h, 0.0);
    iso_joint_limit_ops.eval(&lower, &fast, &g, &h);
    CHECK(g < 0.0 && h > 0.0, "gradient %g, curvature %g", g, h);
    iso_joint_limit upper = iso_joint_limit_make(0, -1.0, 0.002, 1.0, dt);
    const double up = 1.001;
    double mirrored;
    iso_joint_limit_ops.eval(&upper, &up, &mirrored, &h);
    CHECK_NEAR(mirrored, -g, 1e-12 * fabs(g));
}

// However heavy what it carries and however short the step: no stiffness of its own.
static void limit_gives_way_in_proportion_to_the_mobility(void** state) {
    (void)state;
    const double speed = -3.0;
    double g, h, light;
    iso_joint_limit limit = iso_joint_limit_make(0, 1.0, 0.002, 1.0, 1e-3);
    iso_joint_limit_ops.eval(&limit, &speed, &light, &h);
    limit = iso_joint_limit_make(0, 1.0, 0.002 * 0x1p-10, 0x1p-30, 1e-3 * 0x1p-10);
    iso_joint_limit_ops.eval(&limit, &speed, &g, &h);
    CHECK_BITS(g, 0x1p30 * light);
}

static void derivatives_of_a_drive_are_those_of_its_value(void** state) {
    (void)state;
    // Both sides alike, one larger, one alone, and a drive that always pushes.
    static const double sides[][2] = {
        {-4.0, 4.0}, {-1.0, 6.0}, {0.0, 5.0}, {2.0, 5.0}, {-3.0, INFINITY}};
    iso_actuation actuation = {1.0, 0.5, 0.2};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; ++i) {
        iso_drive drive =
            iso_drive_make(0, 40.0, 3.0, sides[i][0], sides[i][1], &actuation, 0.1, 1e-2);
        for (double v = -8.0; v <= 18.0; v += 0.37) {
            double wanted = drive.start - drive.gain * v;
            if (fmin(fabs(wanted - drive.lower), fabs(wanted - drive.upper)) > 1e-3) {
                check_derivatives(&iso_drive_ops, &drive, v);
            }
        }
        double zero = 0.0, g, h;
        CHECK_BITS(fabs(iso_drive_ops.eval(&drive, &zero, &g, &h)), 0.0);
    }
}

static void drive_is_the_pd_law_at_the_end_of_the_step(void** state) {
    (void)state;
    iso_actuation actuation = {1.0, 0.5, 0.2};
    double dt = 1e-2, q = 0.1, v = 0.7;
    iso_drive drive = iso_drive_make(0, 40.0, 3.0, -100.0, 100.0, &actuation, q, dt);
    double expected = 1.0 + 40.0 * (0.5 - (q + dt * v)) + 3.0 * (0.2 - v);
    CHECK_REL(iso_drive_effort(&drive, v), expected, 1e-14); // measured 1e-16
    drive.lower = -3.0;
    drive.upper = 2.0;
    CHECK_BITS(iso_drive_effort(&drive, v), 2.0);
    CHECK_BITS(iso_drive_effort(&drive, 100.0), -3.0);
}

static void stiff_drive_is_softened_to_what_the_step_resolves(void** state) {
    (void)state;
    iso_actuation actuation = {0.0, 1.0, 0.0};
    iso_drive soft = iso_drive_make(0, 1e3, 10.0, -5.0, 5.0, &actuation, 0.0, 1e-3);
    iso_drive same = soft;
    iso_drive_soften(&same, 1.0);
    CHECK_BITS(same.gain, soft.gain);
    iso_drive stiff = iso_drive_make(0, 1e12, 0.0, -5.0, 5.0, &actuation, 0.0, 1e-3);
    double rest = stiff.start / stiff.gain;
    iso_drive_soften(&stiff, 0.5);
    CHECK_REL(stiff.dt * stiff.gain * 0.5, 4.0 * ISO_PI * ISO_PI / 0.01, 1e-12);
    CHECK_REL(stiff.start / stiff.gain, rest, 1e-12);
}

// Position and velocity laws, a motor, one side bounded, together bounded on both sides, one, none
// of the velocities, or all of them.
static void derivatives_of_a_sum_of_drives_are_those_of_its_value(void** state) {
    (void)state;
    static const double bounds[][2] = {{-3.0, 2.0},      {-60.0, 55.0}, {-INFINITY, 1.0},
                                       {0.5, INFINITY},  {70.0, 80.0},  {-4.0, -2.0},
                                       {-5.0, INFINITY}, {-1e9, 1e9}};
    iso_actuation told[] = {{1.0, 0.5, 0.2}, {0.0, 0.0, -0.4}, {-7.0, 0.0, 0.0}};
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; ++i) {
        iso_drive drives[3] = {
            iso_drive_make(0, 40.0, 3.0, -30.0, 20.0, &told[0], 0.1, 1e-2),
            iso_drive_make(0, 0.0, 6.0, -INFINITY, 30.0, &told[1], 0.1, 1e-2),
            iso_drive_make(0, 0.0, 0.0, -INFINITY, INFINITY, &told[2], 0.1, 1e-2)};
        drives[0].next = &drives[1];
        drives[1].next = &drives[2];
        iso_drive_sum sum = iso_drive_sum_make(&drives[0], bounds[i][0], bounds[i][1]);
        double last = INFINITY;
        for (double v = -20.0; v <= 30.0; v += 0.37) {
            double whole = 0.0, from_corner = fmin(fabs(v - sum.v_lower), fabs(v - sum.v_upper));
            for (int k = 0; k < 3; ++k) {
                double wanted = drives[k].start - drives[k].gain * v;
                whole += iso_drive_effort(&drives[k], v);
                from_corner = fmin(from_corner, fmin(fabs(wanted - drives[k].lower),
                                                     fabs(wanted - drives[k].upper)));
            }
            double effort = iso_drive_sum_effort(&sum, v);
            CHECK_BITS(effort, fmin(fmax(whole, bounds[i][0]), bounds[i][1]));
            CHECK(effort <= last, "effort %g after %g", effort, last);
            CHECK(v < sum.v_upper   ? effort == sum.upper
                  : v > sum.v_lower ? effort == sum.lower
                                    : whole - sum.upper < 1e-9 && whole - sum.lower > -1e-9,
                  "effort %g at %g, between %g and %g", effort, v, sum.v_upper, sum.v_lower);
            last = effort;
            if (from_corner > 1e-3) {
                check_derivatives(&iso_drive_sum_ops, &sum, v);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_of_a_limit_are_those_of_its_value),
        cmocka_unit_test(limit_pushes_only_back_and_only_beyond_its_target),
        cmocka_unit_test(limit_gives_way_in_proportion_to_the_mobility),
        cmocka_unit_test(derivatives_of_a_drive_are_those_of_its_value),
        cmocka_unit_test(derivatives_of_a_sum_of_drives_are_those_of_its_value),
        cmocka_unit_test(drive_is_the_pd_law_at_the_end_of_the_step),
        cmocka_unit_test(stiff_drive_is_softened_to_what_the_step_resolves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
