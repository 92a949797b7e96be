// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// One number of a geometry a little different, in place: for derivatives by it.

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "contact/pairs/contact_system_state.h"
#include "contact/pairs/material.h"
#include "surface/shapes/contact_shape_data.h"

#include <math.h>

struct iso_contact_variation {
    int geometry; ///< -1: none is varied
    iso_contact_geometry kept;
    iso_contact_part kept_part;
    iso_contact_shape
        shape; ///< a stiffer copy: what holds pressures in the arena, the rest borrowed
    iso_field field;
    iso_arena arena;
};

void iso_contact_system_restore(iso_contact_system* system) {
    iso_contact_variation* kept = system->variation;
    if (!kept || kept->geometry < 0) {
        return;
    }
    iso_contact_system_forget_manifolds(system);
    system->geometries[kept->geometry] = kept->kept;
    system->parts[kept->geometry] = kept->kept_part;
    kept->geometry = -1;
    iso_contact_system_renew_friction(system);
}

void iso_contact_variation_destroy(iso_context* ctx, iso_contact_variation* variation) {
    if (variation) {
        iso_arena_destroy(&variation->arena);
        iso_free(ctx, variation);
    }
}

static iso_status keep(iso_contact_system* system, int geometry) {
    if (!system->variation) {
        iso_contact_variation* made = iso_alloc_zeroed(system->ctx, sizeof *made);
        ISO_REQUIRE(system->ctx, made, ISO_ERR_MEMORY, "variation of a geometry");
        made->geometry = -1;
        system->variation = made;
        iso_status status = iso_arena_init(&made->arena, system->ctx, 0);
        if (status != ISO_OK) {
            return status;
        }
    }
    iso_contact_system_restore(system);
    iso_contact_system_forget_manifolds(system);
    iso_contact_variation* kept = system->variation;
    kept->geometry = geometry;
    kept->kept = system->geometries[geometry];
    kept->kept_part = system->parts[geometry];
    return iso_arena_reset(&kept->arena);
}

// Pressures go with the modulus: of a field, or of a compliant half space.
static iso_status vary_modulus(iso_contact_system* system, int geometry, double factor) {
    iso_contact_variation* v = system->variation;
    iso_contact_geometry* g = &system->geometries[geometry];
    iso_contact_part* part = &system->parts[geometry];
    const iso_contact_shape* shape = g->shape;
    bool is_elastic = g->material.young_modulus > 0.0;
    ISO_REQUIRE(system->ctx, !part->is_rigid || is_elastic, ISO_ERR_ARGUMENT,
                "geometry '%s' of '%s' is rigid, and has no modulus to differentiate by", g->name,
                g->body_name);
    ISO_REQUIRE(system->ctx, shape->material.modulus_row_count == 0, ISO_ERR_ARGUMENT,
                "the modulus of geometry '%s' of '%s' is a table: expected a number to "
                "differentiate by",
                g->name, g->body_name);
    g->material.young_modulus *= factor;
    if (part->is_rigid) {
        return ISO_OK;
    }
    v->shape = *shape;
    if (shape->field) {
        iso_status status = iso_field_stiffen(&v->arena, shape->field, factor, &v->field);
        if (status != ISO_OK) {
            return status;
        }
        v->shape.field = &v->field;
    }
    v->shape.half_space.slope *= factor;
    v->shape.half_space.least *= factor;
    v->shape.max_pressure *= factor;
    v->shape.material.modulus *= factor;
    g->shape = &v->shape;
    g->material.modulus *= factor;
    part->modulus *= factor;
    part->max_pressure *= factor;
    part->compliance /= factor;
    return ISO_OK;
}

static iso_status vary_dissipation(iso_contact_system* system, int geometry, double change) {
    const iso_contact_geometry* g = &system->geometries[geometry];
    ISO_REQUIRE(system->ctx, !iso_contact_material_is_latched(&g->material), ISO_ERR_ARGUMENT,
                "dissipation of geometry '%s' of '%s' follows from the speed of each impact: "
                "expected one of its own to differentiate by",
                g->name, g->body_name);
    system->parts[geometry].dissipation += change;
    return ISO_OK;
}

static void vary_pose(iso_pose* x_bg, int axis, double change) {
    double d[6] = {0.0};
    d[axis] = change;
    iso_quat turn = iso_quat_from_rotation_vector(iso_vec3_make(d[0], d[1], d[2]));
    x_bg->r = iso_mat3_mul(iso_mat3_from_quat(turn), x_bg->r);
    x_bg->p = iso_vec3_add(x_bg->p, iso_vec3_make(d[3], d[4], d[5]));
}

iso_status iso_contact_system_vary(iso_contact_system* system, int geometry,
                                   iso_world_parameter_kind kind, int axis, double change) {
    iso_status status = keep(system, geometry);
    if (status != ISO_OK) {
        return status;
    }
    iso_contact_geometry* g = &system->geometries[geometry];
    switch (kind) {
    case ISO_PARAMETER_FRICTION:
        g->material.friction_static += change;
        g->material.friction_dynamic += change;
        iso_contact_system_renew_friction(system);
        break;
    case ISO_PARAMETER_MODULUS:
        status = vary_modulus(system, geometry, exp(change));
        break;
    case ISO_PARAMETER_DISSIPATION:
        status = vary_dissipation(system, geometry, change);
        break;
    case ISO_PARAMETER_POSE:
        vary_pose(&g->x_bg, axis, change);
        break;
    case ISO_PARAMETER_MASS: // of a body
        break;
    }
    if (status != ISO_OK) {
        iso_contact_system_restore(system);
    }
    return status;
}
