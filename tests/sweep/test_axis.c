// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// What an axis of a sweep says, what a measure says, and sweeps of a file.

#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"
#include "sweep/axis.h"
#include "sweep/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void drawn_ranges_have_the_values_of_their_formula(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    test_random random = test_random_make(3);
    for (int round = 0; round < 200; ++round) {
        char text[128];
        double low = test_random_uniform(&random, 0.1, 2.0);
        double high = low * test_random_uniform(&random, 1.1, 1e4);
        int count = 2 + (int)test_random_uniform(&random, 0.0, 20.0);
        bool is_log = round % 2 == 0;
        snprintf(text, sizeof text, "modulus(pad)=%.17g:%.17g:%d%s", low, high, count,
                 is_log ? ":log" : "");
        iso_sweep_axis axis;
        CHECK_OK(ctx, iso_sweep_axis_read(ctx, text, &axis));
        assert_int_equal(axis.count, count);
        assert_string_equal(axis.target, "pad");
        for (int i = 0; i < count; ++i) {
            double share = (double)i / (count - 1);
            double expected = is_log ? exp(log(low) + share * (log(high) - log(low)))
                                     : (1.0 - share) * low + share * high;
            CHECK_REL(strtod(axis.values[i], NULL), expected, 1e-11); // 12 digits are written
        }
        iso_sweep_axis_free(ctx, &axis);
    }
    test_context_destroy(ctx);
}

static void check_list(iso_context* ctx, const char* text, int count, const char* const* values) {
    iso_sweep_axis axis;
    CHECK_OK(ctx, iso_sweep_axis_read(ctx, text, &axis));
    assert_int_equal(axis.count, count);
    for (int i = 0; i < count; ++i) {
        assert_string_equal(axis.values[i], values[i]);
    }
    iso_sweep_axis_free(ctx, &axis);
}

static void commas_within_brackets_and_quotes_do_not_part(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    check_list(ctx, "simulation.gravity=[0, 0, -1.6], [0,0,-9.8]", 2,
               (const char* const[]){"[0, 0, -1.6]", "[0,0,-9.8]"});
    check_list(ctx, "a.b={x: 1, y: [2, 3]},'q,r',\"s,\"", 3,
               (const char* const[]){"{x: 1, y: [2, 3]}", "'q,r'", "\"s,\""});
    check_list(ctx, "friction=0.2:1.2:6", 6,
               (const char* const[]){"0.2", "0.4", "0.6", "0.8", "1", "1.2"});
    check_list(ctx, "a.b=1:2", 1, (const char* const[]){"1:2"}); // text of the file's own
    test_context_destroy(ctx);
}

static void wrong_axes_and_measures_are_refused(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    static const struct {
        const char* text;
        iso_status status;
    } k_axes[] = {{"friction", ISO_ERR_PARSE},        {"=1", ISO_ERR_PARSE},
                  {"friction=", ISO_ERR_PARSE},       {"friction=1,,2", ISO_ERR_PARSE},
                  {"friction=-1", ISO_ERR_RANGE},     {"mass=0", ISO_ERR_RANGE},
                  {"friction=x", ISO_ERR_RANGE},      {"modulus=1:2:0", ISO_ERR_RANGE},
                  {"modulus=1:2:1e9", ISO_ERR_RANGE}, {"modulus=-1:2:3:log", ISO_ERR_RANGE},
                  {"friction()=1", ISO_ERR_PARSE},    {"friction(a=1", ISO_ERR_PARSE},
                  {"speed=1", ISO_ERR_NOT_FOUND},     {"friction=0.1:0.5", ISO_ERR_PARSE},
                  {"mass=1:2:3:lin", ISO_ERR_PARSE},  {"mass=1:2:x", ISO_ERR_PARSE}};
    for (size_t i = 0; i < sizeof k_axes / sizeof k_axes[0]; ++i) {
        iso_sweep_axis axis;
        CHECK_STATUS(ctx, iso_sweep_axis_read(ctx, k_axes[i].text, &axis), k_axes[i].status);
        assert_null(axis.values);
    }
    static const char* const k_measures[] = {"", "x", "(a)", "max_(a)", "x(a", "y)x("};
    for (size_t i = 0; i < sizeof k_measures / sizeof k_measures[0]; ++i) {
        iso_sweep_measure_spec spec;
        assert_true(iso_sweep_measure_read(ctx, k_measures[i], &spec) != ISO_OK);
        assert_null(spec.text);
    }
    iso_sweep_axis axis;
    CHECK_STATUS(ctx, iso_sweep_axis_read(ctx, NULL, &axis), ISO_ERR_PARSE);
    assert_int_equal(test_heap_of(ctx)->live_count, 0);
    test_context_destroy(ctx);
}

static const char* const k_axes[] = {"friction=0.2,0.6", "mass(spanner)=0.1:0.2:3"};
static const char* const k_measures[] = {"max_slip(spanner)", "min_margin(spanner)",
                                         "position(gripper::left_slide)"};

static iso_sweep_desc demo(void) {
    return (iso_sweep_desc){.scene = ISOBAR_SOURCE_DIR "/scenes/demo.yaml",
                            .axes = k_axes,
                            .axis_count = 2,
                            .until = 0.05,
                            .measures = k_measures,
                            .measure_count = 3};
}

static void a_sweep_counts_its_variants_and_runs_each_to_the_same_bits(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_sweep_desc desc = demo();
    iso_sweep* sweep = NULL;
    CHECK_OK(ctx, iso_sweep_create(ctx, &desc, &sweep));
    assert_int_equal(iso_sweep_variant_count(sweep), 6);
    for (int i = 0; i < 6; ++i) {
        assert_int_equal(iso_sweep_value_index(sweep, i, 0), i / 3);
        assert_int_equal(iso_sweep_value_index(sweep, i, 1), i % 3);
    }
    assert_string_equal(iso_sweep_value(sweep, 1, 1), "0.15");
    assert_string_equal(iso_sweep_value(sweep, 1, 3), "");
    assert_int_equal(iso_sweep_value_index(sweep, 6, 0), -1);
    double first[3], again[3];
    CHECK_OK(ctx, iso_sweep_run(sweep, ctx, 4, first));
    CHECK_OK(ctx, iso_sweep_run(sweep, ctx, 4, again));
    CHECK_ARRAY_BITS(again, first, 3);
    CHECK_STATUS(ctx, iso_sweep_run(sweep, ctx, 6, again), ISO_ERR_RANGE);
    assert_true(isnan(again[0]) && isnan(again[2]));
    uint64_t hash = iso_sweep_hash(sweep);
    iso_sweep_destroy(sweep);
    desc.until = 0.06;
    CHECK_OK(ctx, iso_sweep_create(ctx, &desc, &sweep));
    assert_true(iso_sweep_hash(sweep) != hash);
    iso_sweep_destroy(sweep);
    test_context_destroy(ctx);
}

static iso_status read_axis(iso_context* ctx, void* user) {
    iso_sweep_axis axis;
    iso_sweep_measure_spec spec = {0};
    iso_status status = iso_sweep_axis_read(ctx, user, &axis);
    if (status == ISO_OK) {
        status = iso_sweep_measure_read(ctx, "max_slip(spanner|table)", &spec);
    }
    iso_sweep_axis_free(ctx, &axis);
    iso_sweep_measure_free(ctx, &spec);
    return status;
}

static void reading_survives_every_allocation_failure(void** state) {
    (void)state;
    assert_true(check_every_allocation_failure(read_axis, "friction(pad)=1:2:4") > 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drawn_ranges_have_the_values_of_their_formula),
        cmocka_unit_test(commas_within_brackets_and_quotes_do_not_part),
        cmocka_unit_test(wrong_axes_and_measures_are_refused),
        cmocka_unit_test(a_sweep_counts_its_variants_and_runs_each_to_the_same_bits),
        cmocka_unit_test(reading_survives_every_allocation_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
