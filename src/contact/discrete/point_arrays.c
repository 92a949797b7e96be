// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/fail.h"
#include "contact/discrete/compliant_points.h"

iso_status iso_compliant_points_allocate(iso_arena* arena, int capacity,
                                         iso_compliant_points* points) {
    int padded = (capacity + ISO_DOUBLE4_LANES - 1) / ISO_DOUBLE4_LANES * ISO_DOUBLE4_LANES;
    double** arrays[] = {&points->rx,
                         &points->ry,
                         &points->rz,
                         &points->nx,
                         &points->ny,
                         &points->nz,
                         &points->area,
                         &points->stiffness,
                         &points->force,
                         &points->load,
                         &points->dissipation,
                         &points->limit,
                         &points->friction_force,
                         &points->slip_scale,
                         &points->regularization,
                         &points->bias,
                         &points->wx,
                         &points->wy,
                         &points->wz,
                         &points->tx,
                         &points->ty,
                         &points->tz,
                         &points->inverse_speed,
                         &points->normal_slope,
                         &points->tension_slope,
                         &points->tension_limit};
    int array_count = (int)(sizeof arrays / sizeof *arrays) - (points->has_adhesion ? 0 : 2);
    ISO_REQUIRE(arena->ctx, capacity <= INT32_MAX / (2 * array_count), ISO_ERR_RANGE,
                "%d faces are too many for one patch", capacity);
    double* storage = iso_arena_push_array(arena, padded * array_count, sizeof *storage);
    int* face = iso_arena_push_array(arena, capacity, sizeof *face);
    ISO_REQUIRE(arena->ctx, storage && face, ISO_ERR_MEMORY, "%d compliant points", capacity);
    for (int i = 0; i < array_count; ++i) {
        *arrays[i] = storage + (size_t)i * (size_t)padded;
    }
    points->face = face;
    return ISO_OK;
}
