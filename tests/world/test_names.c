// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "isobar/names.h"
#include "isobar/sensor.h"
#include "isobar/task.h"
#include "support/check.h"

#include <string.h>

// The last value of each enumeration: a value without a name, or a name without a value, fails.
static const int k_last[] = {
    [ISO_NAMES_METHOD] = ISO_METHOD_TAMSI,
    [ISO_NAMES_JOINT_KIND] = ISO_JOINT_PLANAR,
    [ISO_NAMES_REPRESENTATION] = ISO_REPRESENTATION_TRIANGLE,
    [ISO_NAMES_CULL] = ISO_CULL_DRAKE,
    [ISO_NAMES_COMBINE] = ISO_COMBINE_ELANDT_MEAN,
    [ISO_NAMES_DAMPING] = ISO_DAMPING_EXTENT_RATE,
    [ISO_NAMES_REGULARIZATION] = ISO_REGULARIZATION_DRAKE,
    [ISO_NAMES_FRICTION_MODEL] = ISO_FRICTION_MODEL_REGULARIZED,
    [ISO_NAMES_SENSOR_KIND] = ISO_SENSOR_RANGE,
    [ISO_NAMES_SIGNAL_KIND] = ISO_SIGNAL_CUBIC,
    [ISO_NAMES_PROFILE] = ISO_PROFILE_LINEAR,
    [ISO_NAMES_FEED_FORWARD] = ISO_FEED_FORWARD_DYNAMICS,
    [ISO_NAMES_CONSTRAINT_KIND] = ISO_CONSTRAINT_TENDON,
    [ISO_NAMES_SENSOR_ZONE] = ISO_ZONE_BOX,
};
#define FAMILY_COUNT ((int)(sizeof k_last / sizeof *k_last))

static void every_value_has_one_name_that_leads_back_to_it(void** state) {
    (void)state;
    for (int f = 0; f < FAMILY_COUNT; ++f) {
        iso_name_family family = (iso_name_family)f;
        assert_int_equal(iso_name_count(family), k_last[f] + 1);
        for (int i = 0; i < iso_name_count(family); ++i) {
            assert_true(iso_name_of(family, i)[0] != '\0');
            assert_int_equal(iso_name_find(family, iso_name_of(family, i)), i);
        }
    }
    assert_string_equal(iso_name_of(ISO_NAMES_METHOD, ISO_METHOD_RK45), "rk45");
    assert_int_equal(iso_name_find(ISO_NAMES_COMBINE, "elandt"), ISO_COMBINE_ELANDT);
}

static void what_is_none_has_no_name(void** state) {
    (void)state;
    static const int none[] = {-1, FAMILY_COUNT, 1000};
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(iso_name_count((iso_name_family)none[i]), 0);
        assert_string_equal(iso_name_of((iso_name_family)none[i], 0), "");
        assert_int_equal(iso_name_find((iso_name_family)none[i], "sap"), -1);
    }
    assert_string_equal(iso_name_of(ISO_NAMES_METHOD, -1), "");
    assert_string_equal(iso_name_of(ISO_NAMES_METHOD, 7), "");
    assert_string_equal(iso_name_of(ISO_NAMES_JOINT_KIND, 8), "");
    assert_int_equal(iso_name_find(ISO_NAMES_METHOD, "SAP"), -1);
    assert_int_equal(iso_name_find(ISO_NAMES_METHOD, ""), -1);
    assert_int_equal(iso_name_find(ISO_NAMES_METHOD, NULL), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_value_has_one_name_that_leads_back_to_it),
        cmocka_unit_test(what_is_none_has_no_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
