// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/shapes/deformed.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "world/state/world_state.h"

#include <string.h>

// The geometry that a surface shows, or -1.
static int geometry_of(const iso_world* world, int body, int surface) {
    iso_body_surface shown = iso_world_body_surface(world, body, surface);
    for (int i = 0; shown.is_collision && i < world->geometry_count; ++i) {
        const iso_contact_geometry* g = &world->geometries[i];
        if (g->body == body && strcmp(g->name, shown.name) == 0) {
            return i;
        }
    }
    return -1;
}

static iso_pose pose_of(const iso_world* world, int geometry) {
    const iso_contact_geometry* g = &world->geometries[geometry];
    return iso_pose_mul(&world->kinematics.x_wb[g->body], &g->x_bg);
}

iso_status iso_world_deformed(const iso_world* world, int body, int surface,
                              iso_deformed* out_deformed) {
    ISO_REQUIRE(world ? world->ctx : NULL, world && out_deformed, ISO_ERR_ARGUMENT,
                "world and out_deformed are required");
    *out_deformed = (iso_deformed){0};
    ISO_REQUIRE(world->ctx, surface >= 0 && surface < iso_world_body_surface_count(world, body),
                ISO_ERR_RANGE, "surface %d of body %d, expected one of its %d", surface, body,
                iso_world_body_surface_count(world, body));
    int geometry = geometry_of(world, body, surface);
    if (geometry < 0 || iso_contact_shape_tet_count(world->geometries[geometry].shape) == 0) {
        return ISO_OK;
    }
    const iso_contact_set* set = &world->contact_result.set;
    iso_deformer* others = iso_alloc_array(world->ctx, set->pair_count, sizeof *others);
    ISO_REQUIRE(world->ctx, others, ISO_ERR_MEMORY, "%d contacts", set->pair_count);
    int count = 0;
    for (int i = 0; i < set->pair_count; ++i) {
        const iso_contact_pair* pair = &set->pairs[i];
        if (pair->geometry_a == geometry || pair->geometry_b == geometry) {
            int other = pair->geometry_a == geometry ? pair->geometry_b : pair->geometry_a;
            others[count++] = (iso_deformer){world->geometries[other].shape, pose_of(world, other),
                                             &pair->patch, pair->geometry_a == other};
        }
    }
    iso_pose x_w = pose_of(world, geometry);
    iso_status status = iso_shape_deform(world->ctx, world->geometries[geometry].shape, &x_w,
                                         others, count, out_deformed);
    iso_free(world->ctx, others);
    return status;
}
