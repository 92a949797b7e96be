// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "task/paths/lookup.h"

#include "base/core/fail.h"
#include "isobar/dynamics.h"

#include <string.h>

static const char* body_name(const void* world, int index) {
    return iso_world_body_name(world, index);
}
static const char* joint_name(const void* world, int index) {
    return iso_world_joint_name(world, index);
}
static const char* inboard_joint_name(const void* world, int index) {
    return iso_world_coordinates(world, index).joint_name;
}
static const char* fixed_tendon_name(const void* world, int index) {
    return iso_world_fixed_tendon(world, index).name;
}
static const char* actuator_name(const void* world, int index) {
    return iso_world_actuator_name(world, index);
}
static const char* constraint_name(const void* world, int index) {
    return iso_world_constraint(world, index).name;
}

// Fail where nothing was found, with the names that there are.
static iso_status require_found(iso_context* ctx, const iso_name_list* list, const char* noun,
                                const char* name, int found) {
    char text[ISO_NAME_TEXT_SIZE];
    return found >= 0 ? ISO_OK
                      : iso_fail(ctx, ISO_ERR_NOT_FOUND, __func__, "%s",
                                 iso_name_list_explain(list, noun, name, text, sizeof text));
}

iso_status iso_look_up_body(iso_context* ctx, const iso_world* world, const char* name,
                            int* out_body) {
    iso_name_list list = {.at = body_name, .owner = world, .count = iso_world_body_count(world)};
    *out_body = iso_world_find_body(world, name);
    return require_found(ctx, &list, "body", name, *out_body);
}

iso_status iso_look_up_joint(iso_context* ctx, const iso_world* world, const char* name,
                             int* out_joint) {
    iso_name_list list = {.at = joint_name, .owner = world, .count = iso_world_joint_count(world)};
    *out_joint = iso_world_find_joint(world, name);
    return require_found(ctx, &list, "joint of one degree of freedom", name, *out_joint);
}

iso_status iso_look_up_inboard_joint(iso_context* ctx, const iso_world* world, const char* name,
                                     int* out_body) {
    iso_name_list list = {
        .at = inboard_joint_name, .owner = world, .count = iso_world_body_count(world)};
    *out_body = iso_world_find_inboard_joint(world, name);
    return require_found(ctx, &list, "joint", name, *out_body);
}

iso_status iso_look_up_fixed_tendon(iso_context* ctx, const iso_world* world, const char* name,
                                    int* out_tendon) {
    iso_name_list list = {
        .at = fixed_tendon_name, .owner = world, .count = iso_world_fixed_tendon_count(world)};
    *out_tendon = iso_world_find_fixed_tendon(world, name);
    return *out_tendon >= 0 ? ISO_OK
                            : iso_name_list_require(ctx, &list, "fixed tendon", name, out_tendon);
}

iso_status iso_look_up_actuator(iso_context* ctx, const iso_world* world, const char* name,
                                int* out_actuator) {
    iso_name_list list = {
        .at = actuator_name, .owner = world, .count = iso_world_actuator_count(world)};
    *out_actuator = iso_world_find_actuator(world, name);
    return require_found(ctx, &list, "actuator", name, *out_actuator);
}

iso_status iso_look_up_constraint(iso_context* ctx, const iso_world* world, const char* name,
                                  int* out_constraint) {
    iso_name_list list = {
        .at = constraint_name, .owner = world, .count = iso_world_constraint_count(world)};
    *out_constraint = iso_world_find_constraint(world, name);
    return require_found(ctx, &list, "constraint", name, *out_constraint);
}

// --- geometries ----------------------------------------------------------------------------------

/// The geometries of the bodies first to end - 1, one behind the other.
typedef struct geometry_range {
    const iso_world* world;
    int first, end;
} geometry_range;

// "" for those that are only seen.
static const char* geometry_name(const void* owner, int index) {
    const geometry_range* range = owner;
    int body = range->first;
    for (; index >= iso_world_body_surface_count(range->world, body); ++body) {
        index -= iso_world_body_surface_count(range->world, body);
    }
    iso_body_surface surface = iso_world_body_surface(range->world, body, index);
    return surface.is_collision ? surface.name : "";
}

iso_status iso_look_up_geometry(iso_context* ctx, const iso_world* world, int body,
                                const char* name) {
    geometry_range range = {world, body >= 0 ? body : 0,
                            body >= 0 ? body + 1 : iso_world_body_count(world)};
    iso_name_list list = {.at = geometry_name, .owner = &range};
    for (int b = range.first; b < range.end; ++b) {
        int count = iso_world_body_surface_count(world, b);
        for (int i = 0; i < count; ++i) {
            iso_body_surface surface = iso_world_body_surface(world, b, i);
            if (surface.is_collision && strcmp(surface.name, name) == 0) {
                return ISO_OK;
            }
        }
        list.count += count;
    }
    char text[ISO_NAME_TEXT_SIZE];
    iso_name_list_explain(&list, "geometry", name, text, sizeof text);
    if (body < 0) {
        return iso_fail(ctx, ISO_ERR_NOT_FOUND, __func__, "%s", text);
    }
    return iso_fail(ctx, ISO_ERR_NOT_FOUND, __func__, "body '%s': %s",
                    iso_world_body_name(world, body), text);
}
