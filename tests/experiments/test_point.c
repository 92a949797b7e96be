// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// [Gonthier2007] chapter 5 for the point model: docs/theory/point_contact.md has the tables.

#include "experiments/point_scenes.h"
#include "support/check.h"
#include "support/random.h"

static iso_point_contact_law draw_law(test_random* random) {
    iso_point_contact_law law = {.small_speed = 1e-9, .friction = point_scene_frictionless()};
    law.stiffness = exp(test_random_uniform(random, log(1e4), log(1e11)));
    law.exponent = test_random_uniform(random, 1.0, 2.5);
    law.restitution.base = test_random_uniform(random, ISO_LEAST_RESTITUTION, 1.0);
    return law;
}

// T1, T2: whatever mass, stiffness, exponent and speed, an impact ends as fast as was asked for,
// as deep as the closed form says, and never pulls.
static void impacts_keep_the_restitution_asked_for(void** state) {
    (void)state;
    test_random random = test_random_make(320);
    for (int i = 0; i < 60; ++i) {
        iso_point_contact_law law = draw_law(&random);
        double mass = exp(test_random_uniform(&random, -5.0, 5.0));
        double speed = exp(test_random_uniform(&random, log(1e-3), log(10.0)));
        double depth = 0.0, least = 0.0, e = law.restitution.base;
        CHECK_NEAR(impact_run(&law, mass, speed, 4000, &depth, &least), e, 1e-6);
        double share = iso_damping_share(ISO_IMPACT_DAMPING_EXACT, e);
        CHECK_REL(depth, iso_impact_depth(law.stiffness, law.exponent, mass, speed, share), 1e-5);
        CHECK_NEAR(least, 0.0, 0.0);
    }
}

// Rebound over approach of an elastic impact that a coarse fixed step finds too late, by `late` of
// a step; and how much of its energy was wrong.
static double rebound_found_late(double relaxation_time, double late, int steps) {
    iso_point_contact_law law = {.stiffness = 1e6,
                                 .exponent = 1.5,
                                 .restitution = {1.0, 0.0},
                                 .small_speed = 1e-3,
                                 .relaxation_time = relaxation_time,
                                 .friction = point_scene_frictionless()};
    double mass = 1.0, speed = 1.0;
    double depth = iso_impact_depth(law.stiffness, law.exponent, mass, speed, 0.0);
    double dt = 3.0 * depth / speed / steps;
    point_scene s = {.law = law,
                     .count = 2,
                     .y = {(1.0 - late) * speed * dt, -speed},
                     .data = &mass,
                     .contact = impact_contact,
                     .rates = impact_rates};
    do {
        CHECK(point_scene_step(&s, dt), "at %g s", s.t);
    } while (s.t < 20.0 * depth / speed && (s.memory.is_touching || s.y[1] < 0.0));
    return s.y[1] / speed;
}

// 2.3: late detection makes energy; with the offset it does not.
static void relaxed_contacts_make_less_energy_at_fixed_steps(void** state) {
    (void)state;
    test_random random = test_random_make(321);
    double plain = 0.0, relaxed = 0.0;
    for (int i = 0; i < 200; ++i) {
        double late = test_random_uniform(&random, 0.05, 1.0);
        plain = fmax(plain, rebound_found_late(0.0, late, 12) - 1.0);
        relaxed = fmax(relaxed, rebound_found_late(1.0, late, 12) - 1.0);
    }
    CHECK(plain > 5.0 * relaxed && plain > 1e-3, "%g without, %g with the offset", plain, relaxed);
}

// E1, T3.
static void damping_models_give_the_ratios_of_e1(void** state) {
    (void)state;
    static const double hunt[] = {1.01002, 1.04109, 1.09714, 1.18658, 1.32592,
                                  1.54934, 1.93763, 2.73427, 5.15833};
    static const double nikravesh[] = {1.01464, 1.05888, 1.13710, 1.26025, 1.45048,
                                       1.75409, 2.28075, 3.36131, 6.65265};
    iso_point_contact_law law = {
        3.4e10, 1.5, {1.0, 0.2}, ISO_IMPACT_DAMPING_EXACT, 1e-6, 0.0, point_scene_frictionless()};
    for (int i = 0; i < 9; ++i) {
        double speed = 0.5 * (i + 1), asked = iso_restitution_at(&law.restitution, speed);
        double depth = 0.0, least = 0.0;
        law.damping = ISO_IMPACT_DAMPING_EXACT;
        CHECK_NEAR(impact_run(&law, 0.454, speed, 4000, &depth, &least) / asked, 1.0, 1e-6);
        law.damping = ISO_IMPACT_DAMPING_HUNT_CROSSLEY;
        CHECK_NEAR(impact_run(&law, 0.454, speed, 4000, &depth, &least) / asked, hunt[i], 1e-5);
        law.damping = ISO_IMPACT_DAMPING_LANKARANI_NIKRAVESH;
        CHECK_NEAR(impact_run(&law, 0.454, speed, 4000, &depth, &least) / asked, nikravesh[i],
                   1e-5);
    }
}

// E2, T4.
static void block_sticks_and_slips_as_in_e2(void** state) {
    (void)state;
    static const struct {
        double plate, force[4], position[2], minute;
    } cases[] = {{0.05, {1.5, 1.4955, 1.4954, 1.4954}, {0.7554, 0.7536}, 15.16},
                 {0.1, {1.5, 1.4455, 1.4377, 1.4364}, {0.7644, 0.7402}, 7.74},
                 {0.15, {1.5, 1.3680, 1.3288, 1.3132}, {0.7774, 0.7210}, 5.32}};
    for (int i = 0; i < 3; ++i) {
        block_peaks p = block_run(cases[i].plate, 2.3 / cases[i].plate + 10.0, 2e-4);
        CHECK(p.force_count >= 3 && p.position_count >= 2, "%d, %d", p.force_count,
              p.position_count);
        CHECK_NEAR(p.asymmetry, 0.0, 1e-14); // the law is one vector's
        for (int k = 0; k < p.force_count && k < 4; ++k) {
            CHECK_REL(p.force[k], cases[i].force[k], 1e-4); // its digits
        }
        CHECK_REL(p.position[0], cases[i].position[0], 1e-4);
        CHECK_REL(p.position[1], cases[i].position[1], 1e-4);
        CHECK_NEAR(p.position_time[0], cases[i].minute, 0.005);
    }
}

// E3, T6.
static void ball_on_an_incline_bounces_and_rolls_as_in_e3(void** state) {
    (void)state;
    static const double time[] = {0.5112, 1.0646, 1.3403, 1.4770, 1.5438};
    static const double speed[] = {5.055, 2.487, 1.197, 0.542, 0.197};
    double c = cos(INCLINE), s = sin(INCLINE);
    ball_data ball;
    point_scene scene = incline_scene(&ball);
    scene.law.friction.damping = 316.0;
    int count = 0;
    bool was_touching = false;
    double highest = ball_energy(&scene), early = 0.0;
    while (scene.t < 2.0 - 1e-9) {
        CHECK(point_scene_step(&scene, 4e-6), "at %g s", scene.t);
        if (scene.memory.is_touching && !was_touching && count < 5) {
            CHECK_NEAR(scene.t, time[count], 1e-4);
            CHECK_NEAR(scene.memory.impact_speed, speed[count], 1e-3);
            ++count;
        }
        was_touching = scene.memory.is_touching;
        CHECK_AT_MOST(ball_energy(&scene) - highest, 1e-4);
        early = scene.t < 1.8 ? scene.y[3] * c - scene.y[5] * s : early;
    }
    assert_int_equal(count, 5);
    double down = scene.y[3] * c - scene.y[5] * s;
    CHECK_REL(scene.y[4], 5.0 / 7.0 * 0.5, 1e-4);
    CHECK_REL(scene.y[6] * c - scene.y[8] * s, -scene.y[4] / 0.1, 1e-4);
    CHECK_REL(down, 4.122, 1e-4);
    CHECK_REL(scene.y[7], down / 0.1, 1e-4); // v = R w
    CHECK_REL((down - early) / 0.2, 5.0 / 7.0 * 9.81 * s, 1e-3);
}

// E5, T7 (E4 is its motion across).
static void ball_in_a_cylinder_keeps_its_energy_as_in_e5(void** state) {
    (void)state;
    ball_data ball;
    point_scene s = cylinder_scene(&ball, 0.3);
    double fastest = 0.0, spinning = 0.0, start = 0.0, drift = 0.0;
    while (s.t < 5.0) {
        CHECK(point_scene_step(&s, 1e-5), "at %g s", s.t);
        if (s.t > 3.0) {
            start = start == 0.0 ? ball_energy(&s) : start;
            drift = fmax(drift, fabs(ball_energy(&s) - start));
            fastest = fmax(fastest, hypot(s.y[3], s.y[5]));
            spinning = fmax(spinning, fabs(s.y[7]));
        }
    }
    CHECK_NEAR(fastest, 0.984, 1e-3);
    CHECK_NEAR(spinning, 9.84, 1e-2);
    CHECK_AT_MOST(drift, 1e-4); // of 20 J
}

// E6, T8.
static void double_pendulum_settles_off_centre_as_in_e6(void** state) {
    (void)state;
    TEST_SKIP_IF_WATCHED();
    pendulum_data p;
    point_scene s = pendulum_scene(&p, 1e6);
    double lowest = pendulum_energy(&s), moving = 0.0;
    while (s.t < 10.0) {
        CHECK(point_scene_step(&s, 1e-5), "at %g s", s.t);
        double energy = pendulum_energy(&s);
        CHECK_AT_MOST(energy - lowest, 1e-5);
        lowest = fmin(lowest, energy);
        moving = s.y[4 + ISO_POINT_STATE_COUNT - 1] < 0.5 ? s.t : moving;
    }
    CHECK_NEAR(s.y[0] / DEGREE, 0.45, 0.05);
    CHECK_NEAR((s.y[1] - s.y[0]) / DEGREE, -64.16, 0.05);
    CHECK(moving > 5.0 && moving < 9.0, "it sticks from %g s on", moving);
}

// E6b, T8b: the table, and the loss that is larger for higher e at some friction.
static void one_impact_of_a_pendulum_loses_as_in_e6b(void** state) {
    (void)state;
    static const double b10[] = {0.0,   8.48,  14.58, 19.16, 22.73, 25.58,
                                 27.91, 29.85, 31.48, 32.88, 34.09};
    static const double b05[] = {4.95,  11.34, 15.98, 19.50, 22.26, 24.48,
                                 26.31, 27.83, 29.13, 30.24, 31.20};
    static const double a10[] = {0.0, 59.3, 22.1, 26.3, 29.1, 31.0, 32.5, 33.6, 34.5, 35.2, 35.8};
    static const double a05[] = {59.0, 74.4, 61.6, 62.5, 63.0, 63.4, 63.7, 63.9, 64.1, 64.2, 64.3};
    for (int i = 0; i <= 10; i += 2) {
        double mu = 0.1 * i;
        CHECK_NEAR(pendulum_impact_loss(0.0, 20.7, 1.0, mu, 1e-6), b10[i], 0.01);
        CHECK_NEAR(pendulum_impact_loss(0.0, 20.7, 0.5, mu, 1e-6), b05[i], 0.01);
        CHECK_NEAR(pendulum_impact_loss(18.0, 12.0, 1.0, mu, 1e-6), a10[i], 0.06);
        CHECK_NEAR(pendulum_impact_loss(18.0, 12.0, 0.5, mu, 1e-6), a05[i], 0.06);
    }
    CHECK(pendulum_impact_loss(0.0, 20.7, 1.0, 0.6, 1e-6) >
              pendulum_impact_loss(0.0, 20.7, 0.5, 0.6, 1e-6),
          "no crossing");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impacts_keep_the_restitution_asked_for),
        cmocka_unit_test(relaxed_contacts_make_less_energy_at_fixed_steps),
        cmocka_unit_test(damping_models_give_the_ratios_of_e1),
        cmocka_unit_test(block_sticks_and_slips_as_in_e2),
        cmocka_unit_test(ball_on_an_incline_bounces_and_rolls_as_in_e3),
        cmocka_unit_test(ball_in_a_cylinder_keeps_its_energy_as_in_e5),
        cmocka_unit_test(double_pendulum_settles_off_centre_as_in_e6),
        cmocka_unit_test(one_impact_of_a_pendulum_loses_as_in_e6b),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
