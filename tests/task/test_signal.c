// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Signals of time against values worked out by hand.

#include "isobar/task.h"
#include "support/check.h"
#include "support/failing_context.h"

#include <math.h>

static void a_constant_is_its_offset_at_all_times(void** state) {
    (void)state;
    iso_signal_desc s = iso_signal_desc_default();
    CHECK_BITS(iso_signal_eval(&s, 3.0), 0.0);
    s.offset = -2.5;
    CHECK_BITS(iso_signal_eval(&s, -7.0), -2.5);
    CHECK_BITS(iso_signal_eval(&s, 1e9), -2.5);
}

static void a_square_wave_is_high_in_the_first_part_of_each_period(void** state) {
    (void)state;
    iso_signal_desc s = iso_signal_desc_default();
    s.kind = ISO_SIGNAL_SQUARE_WAVE;
    s.offset = 1.5;
    s.amplitude = 5.0;
    s.period = 3.0;
    s.duty = 0.5;
    CHECK_BITS(iso_signal_eval(&s, 0.0), 6.5);
    CHECK_BITS(iso_signal_eval(&s, 1.49), 6.5);
    CHECK_BITS(iso_signal_eval(&s, 1.5), 1.5);
    CHECK_BITS(iso_signal_eval(&s, 2.99), 1.5);
    CHECK_BITS(iso_signal_eval(&s, 3.0), 6.5);
    CHECK_BITS(iso_signal_eval(&s, -0.1), 1.5); // the period before
    s.phase = 1.5;
    CHECK_BITS(iso_signal_eval(&s, 0.0), 1.5);
    s.duty = 0.0;
    CHECK_BITS(iso_signal_eval(&s, 0.0), 1.5);
    s.duty = 1.0;
    CHECK_BITS(iso_signal_eval(&s, 2.9), 6.5);
}

static void a_table_is_linear_between_its_points_and_constant_outside(void** state) {
    (void)state;
    const double times[] = {1.0, 2.0, 4.0, 5.0};
    const double values[] = {10.0, 20.0, 0.0, 1.0};
    iso_signal_desc s = iso_signal_desc_default();
    s.kind = ISO_SIGNAL_TABLE;
    s.table_count = 4;
    s.table_times = times;
    s.table_values = values;
    CHECK_BITS(iso_signal_eval(&s, 0.0), 10.0);
    CHECK_BITS(iso_signal_eval(&s, 1.0), 10.0);
    CHECK_BITS(iso_signal_eval(&s, 1.5), 15.0);
    CHECK_BITS(iso_signal_eval(&s, 2.0), 20.0);
    CHECK_BITS(iso_signal_eval(&s, 3.5), 5.0);
    CHECK_BITS(iso_signal_eval(&s, 4.5), 0.5);
    CHECK_BITS(iso_signal_eval(&s, 9.0), 1.0);
    s.table_count = 1;
    CHECK_BITS(iso_signal_eval(&s, 9.0), 10.0);
}

static void parameters_out_of_range_are_refused(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    const double backward[] = {1.0, 0.5};
    const double values[] = {1.0, NAN};
    iso_signal_desc good = iso_signal_desc_default();
    good.kind = ISO_SIGNAL_SQUARE_WAVE;
    CHECK_OK(ctx, iso_signal_check(ctx, &good));
    iso_signal_desc s = good;
    s.period = 0.0;
    CHECK_STATUS(ctx, iso_signal_check(ctx, &s), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "period is 0 s, expected finite and > 0");
    s = good;
    s.duty = 1.5;
    CHECK_STATUS(ctx, iso_signal_check(ctx, &s), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "duty is 1.5, expected 0 to 1");
    s = good;
    s.amplitude = INFINITY;
    CHECK_STATUS(ctx, iso_signal_check(ctx, &s), ISO_ERR_RANGE);
    s = good;
    s.offset = NAN;
    CHECK_STATUS(ctx, iso_signal_check(ctx, &s), ISO_ERR_RANGE);
    s = good;
    s.kind = ISO_SIGNAL_TABLE;
    CHECK_STATUS(ctx, iso_signal_check(ctx, &s), ISO_ERR_ARGUMENT);
    s.table_count = 2;
    s.table_times = backward;
    s.table_values = backward;
    CHECK_STATUS(ctx, iso_signal_check(ctx, &s), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "table time 1 is 0.5 s after 1 s, expected increasing");
    s.table_values = values;
    CHECK_STATUS(ctx, iso_signal_check(ctx, &s), ISO_ERR_RANGE);
    s.kind = (iso_signal_kind)77;
    CHECK_STATUS(ctx, iso_signal_check(ctx, &s), ISO_ERR_ARGUMENT);
    CHECK_STATUS(ctx, iso_signal_check(ctx, NULL), ISO_ERR_ARGUMENT);
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_constant_is_its_offset_at_all_times),
        cmocka_unit_test(a_square_wave_is_high_in_the_first_part_of_each_period),
        cmocka_unit_test(a_table_is_linear_between_its_points_and_constant_outside),
        cmocka_unit_test(parameters_out_of_range_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
