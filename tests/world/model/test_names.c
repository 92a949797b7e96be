// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "isobar/events.h"
#include "isobar/names.h"
#include "isobar/sensor.h"
#include "isobar/task.h"
#include "support/check.h"

#include <string.h>

// The last value of each enumeration: a value without a name, or a name without a value, fails.
static const int k_last[] = {
    [ISO_NAMES_METHOD] = ISO_METHOD_CVODE,
    [ISO_NAMES_JOINT_KIND] = ISO_JOINT_PLANAR,
    [ISO_NAMES_REPRESENTATION] = ISO_REPRESENTATION_TRIANGLE,
    [ISO_NAMES_CULL] = ISO_CULL_DRAKE,
    [ISO_NAMES_COMBINE] = ISO_COMBINE_ELANDT_MEAN,
    [ISO_NAMES_DAMPING] = ISO_DAMPING_EXTENT_RATE,
    [ISO_NAMES_REGULARIZATION] = ISO_REGULARIZATION_DRAKE,
    [ISO_NAMES_FRICTION_MODEL] = ISO_FRICTION_MODEL_BRUSH,
    [ISO_NAMES_SENSOR_KIND] = ISO_SENSOR_ACCELERATION,
    [ISO_NAMES_SIGNAL_KIND] = ISO_SIGNAL_CUBIC,
    [ISO_NAMES_PROFILE] = ISO_PROFILE_LINEAR,
    [ISO_NAMES_FEED_FORWARD] = ISO_FEED_FORWARD_DYNAMICS,
    [ISO_NAMES_CONSTRAINT_KIND] = ISO_CONSTRAINT_TENDON,
    [ISO_NAMES_SENSOR_ZONE] = ISO_ZONE_BOX,
    [ISO_NAMES_CONTACT_MODEL_KIND] = ISO_CONTACT_MODEL_VOLUMETRIC,
    [ISO_NAMES_FRICTION_LAW] = ISO_FRICTION_BRUSH,
    [ISO_NAMES_EVENT_KIND] = ISO_EVENT_LEVEL,
    [ISO_NAMES_LEVEL_QUANTITY] = ISO_LEVEL_BODY_SPEED,
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
    assert_string_equal(iso_name_of(ISO_NAMES_METHOD, iso_name_count(ISO_NAMES_METHOD)), "");
    assert_string_equal(iso_name_of(ISO_NAMES_JOINT_KIND, iso_name_count(ISO_NAMES_JOINT_KIND)),
                        "");
    assert_int_equal(iso_name_find(ISO_NAMES_METHOD, "SAP"), -1);
    assert_int_equal(iso_name_find(ISO_NAMES_METHOD, ""), -1);
    assert_int_equal(iso_name_find(ISO_NAMES_METHOD, NULL), -1);
}

// The rules themselves are tested in base/test_name.c.
static void what_was_misspelt_is_explained(void** state) {
    (void)state;
    static const char* const names[] = {"left::gripper", "right::gripper", "arm"};
    char text[200];
    assert_int_equal(iso_name_nearest("griper", names, 3), 0);
    assert_int_equal(iso_name_nearest("right::grpiper", names, 3), 1);
    assert_int_equal(iso_name_nearest("ARM", names, 3), 2);
    assert_int_equal(iso_name_nearest("table", names, 3), -1);
    assert_int_equal(iso_name_nearest(NULL, names, 3), -1);
    assert_int_equal(iso_name_nearest("arm", names, 2), -1);
    assert_int_equal(iso_name_nearest("arm", names, -1), -1);
    assert_int_equal(iso_name_nearest("arm", NULL, 0), -1);
    iso_name_explain("body", "ram", names, 3, text, sizeof text);
    assert_string_equal(text, "there is no body named 'ram'; did you mean 'arm'?");
    iso_name_explain("body", "table", names, 1, text, sizeof text);
    assert_string_equal(text, "there is no body named 'table', expected 'left::gripper'");
    iso_name_explain("body", "gripper", names, 3, text, sizeof text);
    assert_string_equal(text,
                        "'gripper' can be body 'left::gripper' or 'right::gripper'; say which");
    iso_name_explain(NULL, "table", names, -1, text, sizeof text);
    assert_string_equal(text, "there is no thing named 'table', nor any other");
    iso_name_explain("body", "ram", names, 3, text, 9); // what does not fit is cut
    assert_string_equal(text, "there is");
    text[0] = 'x';
    iso_name_explain("body", "ram", names, 3, text, 0);
    iso_name_explain("body", "ram", names, 3, NULL, 9);
    assert_int_equal(text[0], 'x');
}

static void kinds_of_sensors_have_the_words_of_scene_files(void** state) {
    (void)state;
    static const char* const words[] = {"joint",        "force_torque", "contact",     "tactile",
                                        "imu",          "frame",        "velocity",    "subtree",
                                        "fixed_tendon", "range",        "acceleration"};
    static const iso_sensor_kind kinds[] = {
        ISO_SENSOR_JOINT,    ISO_SENSOR_FORCE_TORQUE, ISO_SENSOR_CONTACT,
        ISO_SENSOR_TACTILE,  ISO_SENSOR_IMU,          ISO_SENSOR_FRAME,
        ISO_SENSOR_VELOCITY, ISO_SENSOR_SUBTREE,      ISO_SENSOR_FIXED_TENDON,
        ISO_SENSOR_RANGE,    ISO_SENSOR_ACCELERATION};
    for (int i = 0; i < (int)(sizeof kinds / sizeof *kinds); ++i) {
        assert_string_equal(iso_sensor_kind_name(kinds[i]), words[i]);
    }
    int end = iso_name_count(ISO_NAMES_SENSOR_KIND);
    assert_string_equal(iso_sensor_kind_name((iso_sensor_kind)end), "");
    assert_string_equal(iso_sensor_kind_name((iso_sensor_kind)-1), "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_value_has_one_name_that_leads_back_to_it),
        cmocka_unit_test(what_is_none_has_no_name),
        cmocka_unit_test(what_was_misspelt_is_explained),
        cmocka_unit_test(kinds_of_sensors_have_the_words_of_scene_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
