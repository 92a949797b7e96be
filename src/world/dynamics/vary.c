// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// One parameter of a world a little different, in place: for derivatives by it.

#include "base/core/fail.h"
#include "contact/pairs/contact_system.h"
#include "isobar/linearize.h"
#include "world/state/world_state.h"

#include <math.h>
#include <string.h>

// A factor of mass or modulus lies between e^-1 and e.
#define MOST_LOGARITHM 1.0

void iso_world_unvary(iso_world* world) {
    if (!world->is_varied) {
        return;
    }
    iso_contact_system_restore(world->contacts);
    if (world->own_multibody.bodies != NULL) {
        iso_multibody_free_varied(world->ctx, &world->multibody);
        world->multibody = world->own_multibody;
        world->own_multibody.bodies = NULL;
    }
    world->is_varied = false;
}

static int find_geometry(const iso_world* world, const char* name) {
    for (int i = 0; i < world->geometry_count; ++i) {
        const iso_contact_geometry* g = &world->geometries[i];
        size_t length = strlen(g->body_name);
        if (strncmp(name, g->body_name, length) == 0 && strncmp(name + length, "::", 2) == 0 &&
            strcmp(name + length + 2, g->name) == 0) {
            return i;
        }
    }
    return -1;
}

static iso_status vary_mass(iso_world* world, const iso_world_parameter* parameter, double change) {
    int body = iso_world_find_body(world, parameter->name);
    ISO_REQUIRE(world->ctx, body > 0, ISO_ERR_NOT_FOUND,
                "mass to differentiate by: no body is named '%s'", parameter->name);
    ISO_REQUIRE(world->ctx, world->multibody.bodies[body].mass > 0.0, ISO_ERR_ARGUMENT,
                "body '%s' has no mass to differentiate by", parameter->name);
    iso_multibody varied;
    iso_status status =
        iso_multibody_vary_mass(world->ctx, &world->multibody, body, exp(change), &varied);
    ISO_REQUIRE(world->ctx, status == ISO_OK, status, "mass of body '%s'", parameter->name);
    world->own_multibody = world->multibody;
    world->multibody = varied;
    return ISO_OK;
}

static iso_status vary_geometry(iso_world* world, const iso_world_parameter* parameter,
                                double change) {
    int geometry = find_geometry(world, parameter->name);
    ISO_REQUIRE(world->ctx, geometry >= 0, ISO_ERR_NOT_FOUND,
                "no contact geometry is named '%s', expected \"body::geometry\"", parameter->name);
    return iso_contact_system_vary(world->contacts, geometry, parameter->kind, parameter->axis,
                                   change);
}

static iso_status check(const iso_world* world, const iso_world_parameter* p, double change) {
    bool is_pose = p->kind == ISO_PARAMETER_POSE;
    bool is_logarithm = p->kind == ISO_PARAMETER_MODULUS || p->kind == ISO_PARAMETER_MASS;
    ISO_REQUIRE(world->ctx, p->name != NULL, ISO_ERR_ARGUMENT, "a parameter needs a name");
    ISO_REQUIRE(world->ctx, (int)p->kind >= ISO_PARAMETER_FRICTION && p->kind <= ISO_PARAMETER_MASS,
                ISO_ERR_RANGE, "parameter kind is %d, expected 0 to %d", (int)p->kind,
                ISO_PARAMETER_MASS);
    ISO_REQUIRE(world->ctx, p->axis >= 0 && p->axis <= (is_pose ? 5 : 0), ISO_ERR_RANGE,
                "axis of the parameter of '%s' is %d, expected 0 to %d", p->name, p->axis,
                is_pose ? 5 : 0);
    ISO_REQUIRE(world->ctx, isfinite(change) && (!is_logarithm || fabs(change) <= MOST_LOGARITHM),
                ISO_ERR_RANGE, "change of the parameter of '%s' is %g, expected %s", p->name,
                change, is_logarithm ? "a logarithm in [-1, 1]" : "a finite number");
    return ISO_OK;
}

iso_status iso_world_vary(iso_world* world, const iso_world_parameter* parameter, double change) {
    ISO_REQUIRE(world != NULL ? world->ctx : NULL, world != NULL && parameter != NULL,
                ISO_ERR_ARGUMENT, "world and parameter are required");
    iso_status status = iso_world_check_free(world, "varied");
    status = status == ISO_OK ? check(world, parameter, change) : status;
    if (status != ISO_OK) {
        return status;
    }
    // The patches of the last step are those of what is restored.
    memset(&world->contact_result, 0, sizeof world->contact_result);
    iso_world_unvary(world);
    world->is_varied = true;
    if (parameter->kind == ISO_PARAMETER_MASS) {
        status = vary_mass(world, parameter, change);
    } else {
        status = vary_geometry(world, parameter, change);
    }
    if (status != ISO_OK || change == 0.0) {
        iso_world_unvary(world);
    }
    return status;
}
