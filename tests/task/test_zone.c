// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Zones of contact sensors: points inside, points beside, and rays that reach them.

#include "support/check.h"
#include "task/sensors/sensors.h"

static iso_sensor_desc zone_of(iso_sensor_zone zone, double x, double y, double z) {
    iso_sensor_desc desc = iso_sensor_desc_default();
    desc.zone = zone;
    desc.zone_size = iso_vec3_make(x, y, z);
    return desc;
}

typedef struct zone_case {
    iso_vec3 p, d;
    bool is_met;
} zone_case;

static void check_cases(iso_sensor_desc desc, const zone_case* cases, int count) {
    for (int i = 0; i < count; ++i) {
        bool is_met = iso_sensor_zone_is_met(&desc, cases[i].p, cases[i].d);
        CHECK(is_met == cases[i].is_met, "zone %d, case %d: %d", (int)desc.zone, i, is_met);
    }
}

static void points_inside_are_met_whatever_the_direction(void** state) {
    (void)state;
    const iso_sensor_desc zones[] = {
        zone_of(ISO_ZONE_ALL, 0.0, 0.0, 0.0),       zone_of(ISO_ZONE_SPHERE, 1.0, 0.0, 0.0),
        zone_of(ISO_ZONE_CAPSULE, 1.0, 1.0, 0.0),   zone_of(ISO_ZONE_CYLINDER, 1.0, 1.0, 0.0),
        zone_of(ISO_ZONE_ELLIPSOID, 1.0, 0.8, 0.8), zone_of(ISO_ZONE_BOX, 0.8, 0.8, 0.8),
    };
    const iso_vec3 directions[] = {
        {1.0, 0.0, 0.0}, {-1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, {0.0, -1.0, 0.0}, {0.6, 0.0, -0.8}};
    for (int z = 0; z < 6; ++z) {
        for (int k = 0; k < 5; ++k) {
            assert_true(iso_sensor_zone_is_met(&zones[z], iso_vec3_zero(), directions[k]));
            assert_true(
                iso_sensor_zone_is_met(&zones[z], iso_vec3_make(0.3, -0.3, 0.3), directions[k]));
            assert_true(iso_sensor_zone_is_met(&zones[z], iso_vec3_make(5.0, 5.0, 5.0),
                                               directions[k]) == (z == 0));
        }
    }
}

static void rays_reach_zones_in_front_of_them(void** state) {
    (void)state;
    const zone_case ball[] = {{{-3.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, true},
                              {{-3.0, 0.0, 0.0}, {-1.0, 0.0, 0.0}, false},
                              {{-3.0, 0.999, 0.0}, {1.0, 0.0, 0.0}, true},
                              {{-3.0, 1.001, 0.0}, {1.0, 0.0, 0.0}, false}};
    check_cases(zone_of(ISO_ZONE_SPHERE, 1.0, 0.0, 0.0), ball, 4);
    const zone_case ellipsoid[] = {{{-3.0, 0.0, 0.299}, {1.0, 0.0, 0.0}, true},
                                   {{-3.0, 0.0, 0.301}, {1.0, 0.0, 0.0}, false},
                                   {{0.0, 1.9, 3.0}, {0.0, 0.0, -1.0}, true},
                                   {{0.0, 2.1, 3.0}, {0.0, 0.0, -1.0}, false}};
    check_cases(zone_of(ISO_ZONE_ELLIPSOID, 1.0, 2.0, 0.3), ellipsoid, 4);
    const zone_case box[] = {{{-3.0, 1.9, 0.2}, {1.0, 0.0, 0.0}, true},
                             {{-3.0, 2.1, 0.2}, {1.0, 0.0, 0.0}, false},
                             {{-3.1, 0.0, 0.0}, {1.0, 1.0, 0.0}, false},
                             {{-2.0, 0.0, 0.0}, {1.0, 1.0, 0.0}, true}};
    check_cases(zone_of(ISO_ZONE_BOX, 1.0, 2.0, 0.3), box, 4);
    const zone_case cylinder[] = {{{0.9, 0.0, 5.0}, {0.0, 0.0, -1.0}, true},
                                  {{1.1, 0.0, 5.0}, {0.0, 0.0, -1.0}, false},
                                  {{-3.0, 0.0, 1.9}, {1.0, 0.0, 0.0}, true},
                                  {{-3.0, 0.0, 2.1}, {1.0, 0.0, 0.0}, false}};
    check_cases(zone_of(ISO_ZONE_CYLINDER, 1.0, 2.0, 0.0), cylinder, 4);
    const zone_case capsule[] = {{{-3.0, 0.0, 2.9}, {1.0, 0.0, 0.0}, true},
                                 {{-3.0, 0.0, 3.1}, {1.0, 0.0, 0.0}, false},
                                 {{0.9, 0.0, 5.0}, {0.0, 0.0, -1.0}, true},
                                 {{0.9, 0.0, 2.9}, {0.0, 0.0, 1.0}, false},
                                 {{0.0, 0.0, -2.9}, {0.0, 0.0, -1.0}, true}};
    check_cases(zone_of(ISO_ZONE_CAPSULE, 1.0, 2.0, 0.0), capsule, 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_inside_are_met_whatever_the_direction),
        cmocka_unit_test(rays_reach_zones_in_front_of_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
