// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/parts/tables.h"

#include <stdio.h>
#include <string.h>

/// Width of a column of names: of the longest one, at least what tables of short names have.
static int wider(int width, const char* name) {
    int length = (int)strlen(name);
    return length > width ? length : width;
}

void cli_print_contacts(const iso_world* world) {
    int count = iso_world_contact_count(world);
    if (count == 0) {
        printf("no contact\n");
        return;
    }
    char pair[256];
    int width = 44;
    for (int i = 0; i < count; ++i) {
        iso_contact c = iso_world_contact(world, i);
        snprintf(pair, sizeof pair, "%s | %s", c.body_name_a, c.body_name_b);
        width = wider(width, pair);
    }
    printf("%-*s %6s %10s %12s %10s\n", width, "contact (force on the second)", "faces",
           "area [cm2]", "force [N]", "p max [Pa]");
    for (int i = 0; i < count; ++i) {
        iso_contact c = iso_world_contact(world, i);
        snprintf(pair, sizeof pair, "%s | %s", c.body_name_a, c.body_name_b);
        printf("%-*s %6d %10.4g %12.5g %10.4g\n", width, pair, c.patch.face_count,
               1e4 * c.patch.area, iso_vec3_norm(c.f_b_w.translational), c.patch.max_pressure);
    }
}

void cli_print_bodies(const iso_world* world) {
    int width = 36;
    for (int i = 1; i < iso_world_body_count(world); ++i) {
        width =
            iso_world_body_is_fixed(world, i) ? width : wider(width, iso_world_body_name(world, i));
    }
    printf("%-*s %-32s %s\n", width, "body", "position [m]", "speed [m/s], spin [rad/s]");
    for (int i = 1; i < iso_world_body_count(world); ++i) {
        if (iso_world_body_is_fixed(world, i)) {
            continue;
        }
        iso_vec3 p = iso_world_body_pose(world, i).p;
        iso_spatial v = iso_world_body_twist(world, i);
        printf("%-*s %9.5f %9.5f %9.5f    %.3g, %.3g\n", width, iso_world_body_name(world, i), p.x,
               p.y, p.z, iso_vec3_norm(v.translational), iso_vec3_norm(v.rotational));
    }
}
