// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/fail.h"
#include "contact/pressure_field/kept_points.h"

#include <math.h>

// A share of its force that a patch may be off by: rounding.
#define SMALLEST_CHANGE 1e-12

// fmax() is a call into the C library, which the loops over points cannot afford.
static inline double larger(double a, double b) {
    return a > b ? a : b;
}

// False where no motion of these speeds changes more than rounding of the forces in a step.
static bool is_moving(iso_spatial u_c0, iso_spatial v_c0, const iso_compliant_points* points) {
    double reach = 0.0, load = 0.0, stiffness = 0.0;
    for (int i = 0; i < points->count; ++i) {
        reach = larger(reach, fabs(points->rx[i]) + fabs(points->ry[i]) + fabs(points->rz[i]));
        load += fabs(points->force[i]);
        stiffness += points->stiffness[i];
    }
    double fast = iso_vec3_norm(v_c0.translational) + iso_vec3_norm(u_c0.translational) +
                  reach * (iso_vec3_norm(v_c0.rotational) + iso_vec3_norm(u_c0.rotational));
    return fast * points->dt * stiffness > SMALLEST_CHANGE * load;
}

static iso_spatial turn_twist(iso_mat3 turn, iso_spatial v) {
    return iso_spatial_make(iso_mat3_mul_vec3(&turn, v.rotational),
                            iso_mat3_mul_vec3(&turn, v.translational));
}

// The steady part of a twist. @param kept  the map, or where it goes, of a patch that moved that of
// before; NULL: nowhere
static iso_spatial find_steady(const iso_contact_pair* pair, const iso_compliant_points* points,
                               iso_spatial u_c0, iso_kept_steady* kept) {
    if (!kept || (pair->moved.from && !kept->is_found)) {
        return iso_steady_motion(pair, points, u_c0);
    }
    if (pair->moved.from) {
        const iso_mat3* turn = &pair->moved.motion.r;
        iso_spatial then = turn_twist(iso_mat3_transpose(*turn), u_c0);
        return turn_twist(*turn, iso_steady_map_apply(&kept->map, then));
    }
    if (!kept->is_found || kept->softening != points->softening) {
        iso_steady_map_find(pair, points, &kept->map);
        kept->softening = points->softening;
        kept->is_found = true;
    }
    return iso_steady_map_apply(&kept->map, u_c0);
}

iso_status iso_compliant_points_build(const iso_contact_system* system,
                                      const iso_contact_pair* pair, iso_point_law law, double dt,
                                      iso_spatial v_c0, const iso_spatial* u_c0,
                                      const double delassus[36], iso_arena* arena,
                                      iso_compliant_points* out_points) {
    *out_points =
        (iso_compliant_points){.law = law, .dt = dt, .p_wc = pair->p_wc, .softening = 1.0};
    ISO_REQUIRE(arena->ctx, isfinite(dt) && dt > 0.0, ISO_ERR_RANGE,
                "time step is %g s, expected finite and > 0", dt);
    out_points->has_adhesion =
        (law == ISO_POINT_LAW_LAGGED || law == ISO_POINT_LAW_TAMSI) && pair->adhesion > 0.0;
    const iso_contact_options* options = iso_contact_system_options(system);
    iso_kept_steady* kept = NULL;
    iso_status status =
        iso_compliant_points_refill(system, pair, u_c0 ? &v_c0 : NULL, arena, out_points, &kept);
    if (status != ISO_OK) {
        return status;
    }
    iso_points_mobility storage;
    const iso_points_mobility* mobility =
        iso_compliant_points_prepare(options, delassus, &storage, out_points);
    iso_spatial steady;
    bool is_followed = u_c0 && options->cull == ISO_CULL_NONE && is_moving(*u_c0, v_c0, out_points);
    if (is_followed) {
        iso_spatial belt = iso_spatial_sub(v_c0, *u_c0);
        steady = iso_spatial_add(find_steady(pair, out_points, *u_c0, kept), belt);
    }
    iso_compliant_points_finish(options, pair, v_c0, is_followed ? &steady : NULL, delassus,
                                mobility, out_points);
    return ISO_OK;
}
