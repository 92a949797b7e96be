// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "contact/identify/curve_fit.h"
#include "contact/point/point_contact.h"
#include "isobar/identify.h"
#include "support/check.h"
#include "support/random.h"

enum { k_samples = 120, k_draws = 300 };

typedef struct measured {
    double value[k_samples][3];
    const double* column[3];
    int count;
} measured;

static void bind_columns(measured* m, int count) {
    for (int k = 0; k < 3; ++k) {
        m->column[k] = &m->value[0][k];
    }
    m->count = count;
}

// Stand-ins for a rig: true parameters and noise as a share of the signal.
static void measure_indentation(test_random* random, double noise, double truth[3], measured* m) {
    truth[0] = exp(test_random_uniform(random, log(1e5), log(1e10)));
    truth[1] = test_random_uniform(random, 1.1, 2.0);
    double depth = exp(test_random_uniform(random, log(1e-5), log(1e-3)));
    truth[2] = test_random_uniform(random, -0.2, 0.3) * depth;
    double most = truth[0] * pow(depth - truth[2], truth[1]);
    for (int i = 0; i < k_samples; ++i) {
        double x = depth * (i + 1) / k_samples, pressed = fmax(x - truth[2], 0.0);
        m->value[i][0] = x;
        double error = noise * most * test_random_normal(random);
        m->value[i][1] = truth[0] * pow(pressed, truth[1]) + error;
    }
    bind_columns(m, k_samples);
}

static void measure_tap(test_random* random, double noise, double load, double truth[2],
                        measured* m) {
    truth[0] = exp(test_random_uniform(random, log(1e2), log(1e6)));
    double zeta = exp(test_random_uniform(random, log(0.02), log(2.0)));
    double w = sqrt(load * truth[0]);
    truth[1] = 2.0 * zeta * w / load;
    // The reaction to a push, by small steps of an independent integration.
    double x = 0.0, v = w, end = test_random_uniform(random, 8.0, 25.0) / w;
    double rest = test_random_uniform(random, -0.5, 0.5);
    int inner = 4000;
    double dt = end / (k_samples - 1) / inner;
    for (int i = 0; i < k_samples; ++i) {
        m->value[i][0] = 3.0 + dt * inner * i;
        m->value[i][1] = 1e-5 * (x + rest + noise * test_random_normal(random));
        for (int k = 0; k < inner; ++k) { // velocity at half steps, exact to second order
            double half = v + 0.5 * dt * (-2.0 * zeta * w * v - w * w * x);
            x += dt * half;
            v = (half - 0.5 * dt * w * w * x) / (1.0 + dt * zeta * w);
        }
    }
    bind_columns(m, k_samples);
}

static void measure_sliding(test_random* random, double noise, double truth[4], measured* m) {
    truth[0] = test_random_uniform(random, 0.05, 0.5);
    truth[1] = truth[0] + test_random_uniform(random, 0.05, 0.3);
    double fastest = exp(test_random_uniform(random, log(0.01), log(1.0)));
    truth[2] = fastest * test_random_uniform(random, 0.1, 0.3);
    truth[3] = test_random_uniform(random, 0.0, 0.2);
    for (int i = 0; i < k_samples; ++i) {
        double v = fastest * (i + 1) / k_samples, ratio = v / truth[2];
        double normal = test_random_uniform(random, 20.0, 100.0);
        double mu = truth[0] + (truth[1] - truth[0]) * exp(-ratio * ratio) + truth[3] * v;
        m->value[i][0] = v;
        m->value[i][1] = normal * (mu + noise * truth[0] * test_random_normal(random));
        m->value[i][2] = normal;
    }
    bind_columns(m, k_samples);
}

static void measure_impacts(test_random* random, double noise, double truth[2], measured* m) {
    truth[0] = test_random_uniform(random, 0.6, 0.95);
    truth[1] = test_random_uniform(random, 0.0, 0.2);
    for (int i = 0; i < k_samples; ++i) {
        double v = test_random_uniform(random, 0.05, 1.5);
        m->value[i][0] = v;
        m->value[i][1] =
            v * fmin(truth[0] - truth[1] * v + noise * test_random_normal(random), 1.0);
    }
    bind_columns(m, k_samples);
}

// Of a taxel, up and down to drawn heights.
static void measure_presses(test_random* random, double noise, double truth[3], measured* m) {
    double sign = test_random_int(random, 0, 1) ? 1.0 : -1.0, at = 0.0, top = 0.0;
    truth[0] = sign * exp(test_random_uniform(random, log(1e-4), log(1e-2)));
    truth[1] = test_random_uniform(random, -1.0, 1.0);
    truth[2] = test_random_uniform(random, 500.0, 4e3);
    for (int i = 0; i < k_samples; ++i) {
        top = i % 40 == 0 ? test_random_uniform(random, 1.5e4, 4e4) : top;
        double p = top * (1.0 - fabs(i % 40 - 20.0) / 20.0);
        at = fmin(fmax(at, p - truth[2]), p + truth[2]);
        double error = noise * truth[0] * 4e4 * test_random_normal(random);
        m->value[i][0] = p;
        m->value[i][1] = truth[1] + truth[0] * at + error;
    }
    bind_columns(m, k_samples);
}

static double measure(iso_identify_kind kind, test_random* random, double noise, double load,
                      double truth[4], measured* m) {
    switch (kind) {
    case ISO_IDENTIFY_INDENTATION:
        measure_indentation(random, noise, truth, m);
        return 3;
    case ISO_IDENTIFY_TAP:
        measure_tap(random, noise, load, truth, m);
        return 2;
    case ISO_IDENTIFY_SLIDING:
        measure_sliding(random, noise, truth, m);
        return 4;
    case ISO_IDENTIFY_PRESSES:
        measure_presses(random, noise, truth, m);
        return 3;
    default:
        measure_impacts(random, noise, truth, m);
        return 2;
    }
}

// The parameters that `truth` holds, in its order; impacts have two others before.
static const iso_parameter* parameters_of(const iso_identified* found) {
    return found->parameters + (found->kind == ISO_IDENTIFY_IMPACTS ? 2 : 0);
}

static void exact_measurements_give_exact_parameters(void** state) {
    iso_context* ctx = *state;
    test_random random = test_random_make(340);
    static const double tolerance[] = {1e-7, 1e-5, 1e-7, 1e-9, 1e-7}; // of a tap: its integration
    for (int kind = 0; kind < ISO_IDENTIFY_AUTO; ++kind) {
        for (int i = 0; i < 15; ++i) {
            double truth[4], load = test_random_uniform(&random, 1.0, 20.0);
            measured m;
            iso_identified found;
            bool is_tap = kind == ISO_IDENTIFY_TAP;
            iso_identify_options options = {.load_acceleration = is_tap ? load : 0.0};
            int count = (int)measure((iso_identify_kind)kind, &random, 0.0, load, truth, &m);
            CHECK_OK(ctx, iso_identify(ctx, (iso_identify_kind)kind, m.column, 3, m.count, &options,
                                       NULL, &found));
            for (int k = 0; k < count; ++k) {
                // What may be 0 is compared with 1 (offsets with the largest depth).
                double size = kind == ISO_IDENTIFY_INDENTATION && k == 2
                                  ? m.value[k_samples - 1][0]
                                  : fmax(fabs(truth[k]), 0.1);
                CHECK_NEAR(parameters_of(&found)[k].value / size, truth[k] / size, tolerance[kind]);
            }
        }
    }
}

// Of noisy ones 95 % of the intervals hold the truth: of 300, 285 +- 3.8.
static void intervals_hold_the_truth_as_often_as_they_say(void** state) {
    iso_context* ctx = *state;
    test_random random = test_random_make(341);
    static const double noise[] = {0.003, 0.01, 0.01, 0.01, 0.004};
    for (int kind = 0; kind < ISO_IDENTIFY_AUTO; ++kind) {
        int held[4] = {0}, count = 0, draws = k_draws;
        draws = kind == ISO_IDENTIFY_TAP || kind == ISO_IDENTIFY_PRESSES ? 60 : draws;
        for (int i = 0; i < draws; ++i) {
            double truth[4];
            measured m;
            iso_identified found;
            count = (int)measure((iso_identify_kind)kind, &random, noise[kind], 9.81, truth, &m);
            CHECK_OK(ctx, iso_identify(ctx, (iso_identify_kind)kind, m.column, 3, m.count, NULL,
                                       NULL, &found));
            for (int k = 0; k < count; ++k) {
                const iso_parameter* p = &parameters_of(&found)[k];
                held[k] += p->low <= truth[k] && truth[k] <= p->high;
            }
        }
        for (int k = 0; k < count; ++k) {
            double share = (double)held[k] / draws;
            CHECK(share > 0.88 && (draws < k_draws || share < 0.995), "kind %d, parameter %d: %g",
                  kind, k, share);
        }
    }
}

// E7 as a loop of its own: a half-sphere pressed under a force-moment accommodation of 10 N per
// mm/s over a dead band of 10 N, at several commands, until it stands; then k from the standing
// forces, and mu_S, mu_C from slides. [Gonthier2007] table 5.4.
static void loop_of_e7_finds_its_own_parameters(void** state) {
    iso_context* ctx = *state;
    iso_point_contact_law law = {
        .stiffness = 2.5413e8, .exponent = 1.5, .restitution = {0.85, 0.0}, .small_speed = 1e-3};
    law.friction = (iso_bristle_params){0.16, 0.1, 1e4, 10.0, 0.0, 0.1, 0.01, 1e-3};
    measured press, slide;
    for (int i = 0; i < k_samples; ++i) {
        double command = 1e-3 * (0.5 + 0.2 * i), depth = 0.0, dt = 2e-6;
        iso_point_memory memory;
        iso_point_touch(&law, 0.0, command, 0.0, &memory);
        iso_point_result r = {0};
        for (double t = 0.0; t < 0.2; t += dt) {
            double yielding = fmax(r.normal_force - 10.0, 0.0) / 1e4, speed = command - yielding;
            iso_bristle_slip slip = {.normal = {0.0, 0.0, 1.0}, .velocity = {0.0, 0.0, -speed}};
            iso_point_eval(&law, &memory, depth, &slip, &r);
            depth += dt * speed;
        }
        CHECK_REL(r.normal_force, 10.0 + 1e4 * command, 1e-6); // what the controller promises
        press.value[i][0] = depth;
        press.value[i][1] = r.normal_force;
        double v = 0.004 * (i + 1);
        slide.value[i][0] = v;
        slide.value[i][1] = 50.0 * iso_bristle_steady(&law.friction, v);
        slide.value[i][2] = 50.0;
    }
    bind_columns(&press, k_samples);
    bind_columns(&slide, k_samples);
    iso_identified found;
    iso_identify_options hertz = {.exponent = 1.5};
    CHECK_OK(ctx, iso_identify(ctx, ISO_IDENTIFY_INDENTATION, press.column, 3, k_samples, &hertz,
                               NULL, &found));
    CHECK_REL(found.parameters[0].value, 2.5413e8, 1e-5);
    CHECK_OK(ctx, iso_identify(ctx, ISO_IDENTIFY_SLIDING, slide.column, 3, k_samples, NULL, NULL,
                               &found));
    CHECK_REL(found.parameters[0].value, 0.1, 1e-3);
    CHECK_REL(found.parameters[1].value, 0.16, 1e-3);
    CHECK_REL(found.parameters[2].value, 0.1, 1e-3);
}

static void bad_samples_are_named(void** state) {
    iso_context* ctx = *state;
    test_random random = test_random_make(342);
    double truth[4];
    measured m;
    iso_identified found;
    static const struct {
        iso_identify_kind kind;
        int row, column;
        double value;
        const char* text;
    } cases[] = {
        {ISO_IDENTIFY_INDENTATION, 5, 0, NAN, "sample 6: depth is nan m, expected a finite number"},
        {ISO_IDENTIFY_INDENTATION, 9, 1, -1e30, "sample 10: force is -1e+30 N, expected >= -"},
        {ISO_IDENTIFY_TAP, 7, 0, -1.0, "sample 8: time is -1 s, expected > 3"},
        {ISO_IDENTIFY_SLIDING, 0, 0, -0.1, "sample 1: speed is -0.1 m/s, expected >= 0"},
        {ISO_IDENTIFY_SLIDING, 0, 2, 0.0, "sample 1: normal is 0 N, expected > 0"},
        {ISO_IDENTIFY_IMPACTS, 3, 1, 9.0, "sample 4: after is 9 m/s, expected 0 to "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        measure(cases[i].kind, &random, 0.0, 9.81, truth, &m);
        m.value[cases[i].row][cases[i].column] = cases[i].value;
        CHECK_STATUS(ctx,
                     iso_identify(ctx, cases[i].kind, m.column, 3, m.count, NULL, NULL, &found),
                     ISO_ERR_RANGE);
        CHECK_ERROR(ctx, cases[i].text);
    }
    measure(ISO_IDENTIFY_IMPACTS, &random, 0.0, 9.81, truth, &m);
    CHECK_STATUS(ctx, iso_identify(ctx, ISO_IDENTIFY_IMPACTS, m.column, 3, 4, NULL, NULL, &found),
                 ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "there are 4 samples, expected at least 5");
    for (int i = 0; i < k_samples; ++i) { // Coulomb alone: v_s means nothing
        m.value[i][0] = 0.1 + 0.01 * i;
        m.value[i][1] = 5.0 + (i == 3 ? 1e-12 : 0.0);
        m.value[i][2] = 10.0;
    }
    CHECK_STATUS(ctx,
                 iso_identify(ctx, ISO_IDENTIFY_SLIDING, m.column, 3, m.count, NULL, NULL, &found),
                 ISO_ERR_NO_CONVERGENCE);
    CHECK_ERROR(ctx, "the samples do not determine the parameters");
}

// Table values of Student's distribution.
static void students_quantiles_match_their_table(void** state) {
    (void)state;
    static const struct {
        int freedom;
        double t;
    } table[] = {{1, 12.7062047}, {2, 4.30265273},  {3, 3.18244631},   {4, 2.77644511},
                 {7, 2.36462425}, {30, 2.04227246}, {120, 1.97993041}, {2001, 1.96115}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i) {
        CHECK_REL(iso_student_95(table[i].freedom), table[i].t, i == 7 ? 1e-6 : 1e-8);
    }
    CHECK_REL(iso_student_95(2000), iso_student_95(2001), 1e-6);
}

static int make_context(void** state) {
    iso_context_desc desc = iso_context_desc_default();
    desc.log_level = ISO_LOG_ERROR;
    return iso_context_create(&desc, (iso_context**)state) == ISO_OK ? 0 : -1;
}

static int drop_context(void** state) {
    iso_context_destroy(*state);
    return 0;
}

static void presses_that_only_rise_are_refused(void** state) {
    iso_context* ctx = *state;
    measured m;
    for (int i = 0; i < k_samples; ++i) {
        m.value[i][0] = 100.0 + i;
        m.value[i][1] = i;
    }
    bind_columns(&m, k_samples);
    iso_identified found;
    assert_int_equal(
        iso_identify(ctx, ISO_IDENTIFY_PRESSES, m.column, 3, k_samples, NULL, NULL, &found),
        ISO_ERR_NO_CONVERGENCE);
    CHECK_ERROR(ctx, "expected pressures that rise and fall");
    assert_int_equal(iso_identify(ctx, ISO_IDENTIFY_PRESSES, m.column, 3, 7, NULL, NULL, &found),
                     ISO_ERR_RANGE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_measurements_give_exact_parameters),
        cmocka_unit_test(intervals_hold_the_truth_as_often_as_they_say),
        cmocka_unit_test(loop_of_e7_finds_its_own_parameters),
        cmocka_unit_test(bad_samples_are_named),
        cmocka_unit_test(students_quantiles_match_their_table),
        cmocka_unit_test(presses_that_only_rise_are_refused),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
