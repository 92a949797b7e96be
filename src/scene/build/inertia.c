// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Inertias that no solid has: what files say about them, and what is taken instead.

#include "math/eigen3.h"
#include "scene/build/build.h"

#include <math.h>

// Files round their numbers: moments may miss the triangle inequality by this share of the trace.
#define INERTIA_SLACK 1e-3
// and are mended where they miss it by more than this share, which is less than a model lets pass.
#define MENDED_SHARE 1e-5
// Radius of gyration [m] of a point whose moments are off zero by rounding.
#define POINT_SIZE 1e-6

static double trace_of(const iso_mat3* a) {
    return a->m[0][0] + a->m[1][1] + a->m[2][2];
}

// That of a solid is >= 0.
static double least_second_moment(const iso_mat3* inertia) {
    iso_mat3 second = iso_sym3_complement(inertia, 0.5);
    return iso_sym3_eigenvalues(&second).x;
}

bool iso_scene_is_of_solid(const iso_mat3* inertia) {
    double trace = trace_of(inertia);
    return isfinite(trace) && trace > 0.0 && least_second_moment(inertia) > -INERTIA_SLACK * trace;
}

iso_status iso_scene_check_inertia(const iso_scene_build* build, iso_source at, const char* name,
                                   const iso_body_desc* desc, bool is_massless_allowed) {
    const iso_mat3* inertia = &desc->inertia;
    ISO_SCENE_REQUIRE(build, at,
                      desc->mass <= ISO_SCENE_MAX_MASS &&
                          (desc->mass > 0.0 || (is_massless_allowed && desc->mass == 0.0)),
                      ISO_ERR_RANGE, "'%s': mass is %g kg, expected %s 0 and <= %g", name,
                      desc->mass, is_massless_allowed ? ">=" : ">", ISO_SCENE_MAX_MASS);
    ISO_SCENE_REQUIRE(build, at,
                      iso_vec3_is_finite(desc->center_of_mass) &&
                          iso_vec3_norm(desc->center_of_mass) <= ISO_SCENE_MAX_LENGTH,
                      ISO_ERR_RANGE, "'%s': centre of mass is further away than %g m", name,
                      ISO_SCENE_MAX_LENGTH);
    double trace = trace_of(inertia);
    if (desc->mass == 0.0) {
        ISO_SCENE_REQUIRE(build, at, trace == 0.0, ISO_ERR_RANGE,
                          "'%s': inertia without mass (trace %g kg m^2), expected 0", name, trace);
        return ISO_OK;
    }
    double products = fabs(inertia->m[0][1]) + fabs(inertia->m[0][2]) + fabs(inertia->m[1][2]);
    if (trace == 0.0 && products == 0.0 && inertia->m[0][0] == 0.0 && inertia->m[1][1] == 0.0) {
        return ISO_OK; // a point, as part of what it is welded to
    }
    ISO_SCENE_REQUIRE(
        build, at, iso_scene_is_of_solid(inertia), ISO_ERR_RANGE,
        "'%s': inertia (ixx %g, iyy %g, izz %g, ixy %g, ixz %g, iyz %g) kg m^2 is of "
        "no solid, expected principal moments >= 0, each at most the sum of the others",
        name, inertia->m[0][0], inertia->m[1][1], inertia->m[2][2], inertia->m[0][1],
        inertia->m[0][2], inertia->m[1][2]);
    return ISO_OK;
}

void iso_scene_mend_inertia(iso_scene_build* build, iso_source at, iso_body_desc* body) {
    iso_mat3 given = body->inertia;
    double trace = trace_of(&given);
    if (body->mass == 0.0 && trace != 0.0) {
        iso_scene_warn_once(build, at, body->name,
                            "'%s': inertia without mass (trace %g kg m^2), taken as 0", body->name,
                            trace);
        body->inertia = iso_mat3_zero();
        return;
    }
    if (trace < -POINT_SIZE * POINT_SIZE * body->mass ||
        least_second_moment(&given) >= -MENDED_SHARE * trace) {
        return;
    }
    iso_mat3 second = iso_sym3_complement(&given, 0.5);
    second = iso_sym3_clip_negative(&second);
    body->inertia = iso_sym3_complement(&second, 1.0);
    double(*g)[3] = given.m, (*m)[3] = body->inertia.m;
    iso_scene_warn_once(build, at, body->name,
                        "'%s': inertia (ixx %g, iyy %g, izz %g, ixy %g, ixz %g, iyz %g) kg m^2 is "
                        "of no solid, taken as the nearest that is: (%g, %g, %g, %g, %g, %g)",
                        body->name, g[0][0], g[1][1], g[2][2], g[0][1], g[0][2], g[1][2], m[0][0],
                        m[1][1], m[2][2], m[0][1], m[0][2], m[1][2]);
}
