// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "isobar/isobar.h"
#include "support/check.h"

#include <stddef.h>
#include <string.h>

// The value under a name, and that there is no second one.
static long long value_of(const char* name) {
    int found = -1;
    for (int i = 0; i < iso_layout_count(); ++i) {
        if (strcmp(iso_layout_name(i), name) == 0) {
            CHECK(found < 0, "'%s' is there twice", name);
            found = i;
        }
    }
    CHECK(found >= 0, "there is no '%s'", name);
    return iso_layout_value(found);
}

static void layout_is_that_of_the_headers(void** state) {
    (void)state;
    assert_true(iso_layout_count() > 700); // 788 when written
    assert_int_equal(value_of("iso_pose"), sizeof(iso_pose));
    assert_int_equal(value_of("iso_pose.p"), offsetof(iso_pose, p));
    assert_int_equal(value_of("iso_world_desc"), sizeof(iso_world_desc));
    assert_int_equal(value_of("iso_contact_options.damping"),
                     offsetof(iso_contact_options, damping));
    assert_int_equal(value_of("iso_tri_mesh.triangles"), offsetof(iso_tri_mesh, triangles));
    assert_int_equal(value_of("iso_prepare_report.stages"), offsetof(iso_prepare_report, stages));
    assert_int_equal(value_of("iso_context_desc.log_fn"), offsetof(iso_context_desc, log_fn));
    assert_int_equal(value_of("ISO_OK"), ISO_OK);
    assert_int_equal(value_of("ISO_ERR_NUMERIC"), ISO_ERR_NUMERIC);
    assert_int_equal(value_of("ISO_SENSOR_FRAME"), ISO_SENSOR_FRAME);
}

static void entries_out_of_range_are_empty(void** state) {
    (void)state;
    for (int side = 0; side < 2; ++side) {
        int entry = side == 0 ? -1 : iso_layout_count();
        assert_string_equal(iso_layout_name(entry), "");
        assert_int_equal(iso_layout_value(entry), -1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layout_is_that_of_the_headers),
        cmocka_unit_test(entries_out_of_range_are_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
