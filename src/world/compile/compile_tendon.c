// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Fixed tendons of a model as its world sees them.

#include "world/model/order.h"
#include "world/state/world_state.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "isobar/dynamics.h"

#include <stdlib.h>
#include <string.h>

/// The body that carries another one and hangs on something fixed, or the one that leads those
/// joined with it so far.
static int leader_of(const iso_mb_body* bodies, int body) {
    int root = body;
    for (int b = body; b > 0; b = bodies[b].parent) {
        root = bodies[b].mobility != ISO_MOBILITY_WELD ? b : root;
    }
    while (bodies[root].joined > 0) {
        root = bodies[root].joined;
    }
    return root;
}

/// A body's tree becomes that of the first one that moves.
static void join(iso_mb_body* bodies, int* first, int body) {
    int b = leader_of(bodies, body);
    if (bodies[b].mobility == ISO_MOBILITY_WELD) {
        return; // fixed
    }
    *first = *first < 0 ? b : *first;
    int a = leader_of(bodies, *first);
    if (a != b) {
        bodies[a > b ? a : b].joined = a < b ? a : b;
    }
}

void iso_model_join_trees(const iso_model* model, const iso_body_order* order,
                          iso_mb_body* bodies) {
    for (int i = 0; i < model->tendons.count; ++i) {
        const iso_fixed_tendon_desc* desc = &model->tendons.data[i];
        int first = -1;
        for (int k = 0; k < desc->joint_count; ++k) {
            int joint = desc->joints[k];
            join(bodies, &first, order->world_body[model->joints.data[joint].child]);
        }
        for (int k = 0; k < desc->part_count; ++k) {
            const iso_route_part* part = &desc->parts[k];
            if (part->kind != ISO_ROUTE_PULLEY) {
                join(bodies, &first, order->world_body[part->body]);
            }
            if (part->kind != ISO_ROUTE_PULLEY && part->other >= 0) {
                join(bodies, &first, order->world_body[part->other]);
            }
        }
    }
}

static int compare_tendons(const void* a, const void* b) {
    return strcmp((*(const iso_fixed_tendon_desc* const*)a)->name,
                  (*(const iso_fixed_tendon_desc* const*)b)->name);
}

static iso_status compile_tendon(iso_world* world, const iso_model* model,
                                 const iso_body_order* order, const iso_fixed_tendon_desc* desc) {
    iso_context* ctx = world->ctx;
    int count = desc->joint_count, index = world->tendon_count;
    int* bodies = iso_alloc_array(ctx, count, sizeof *bodies);
    double* weights = iso_alloc_array(ctx, count, sizeof *weights);
    iso_route_part* parts = iso_alloc_array(ctx, desc->part_count, sizeof *parts);
    char* name = iso_strdup(ctx, desc->name);
    world->tendons[index] = (iso_fixed_tendon){.count = count,
                                               .bodies = bodies,
                                               .weights = weights,
                                               .stiffness = desc->stiffness,
                                               .damping = desc->damping,
                                               .reference = desc->spring_reference,
                                               .friction = desc->friction,
                                               .lower = desc->lower,
                                               .upper = desc->upper,
                                               .is_off = desc->is_off,
                                               .part_count = desc->part_count,
                                               .parts = parts};
    world->tendon_names[index] = name;
    ++world->tendon_count; // so that it is released
    ISO_REQUIRE(ctx, bodies != NULL && weights != NULL && parts != NULL && name != NULL,
                ISO_ERR_MEMORY, "out of memory for a fixed tendon of %d joints", count);
    for (int i = 0; i < count; ++i) {
        int body = order->world_body[model->joints.data[desc->joints[i]].child], at = i;
        for (; at > 0 && bodies[at - 1] > body; --at) { // sums are in the order of bodies
            bodies[at] = bodies[at - 1];
            weights[at] = weights[at - 1];
        }
        bodies[at] = body;
        weights[at] = desc->weights[i];
    }
    for (int i = 0; i < desc->part_count; ++i) {
        parts[i] = desc->parts[i];
        parts[i].body = order->world_body[desc->parts[i].body];
        parts[i].other = desc->parts[i].other >= 0 ? order->world_body[desc->parts[i].other] : -1;
    }
    return ISO_OK;
}

// What tendons with inertia do to the mass matrix.
static iso_status compile_rotors(iso_world* world, const iso_fixed_tendon_desc* const* sorted) {
    world->rotors = iso_alloc_array(world->ctx, world->tendon_count, sizeof *world->rotors);
    ISO_REQUIRE(world->ctx, world->rotors != NULL, ISO_ERR_MEMORY, "out of memory for %d rotors",
                world->tendon_count);
    int count = 0;
    for (int i = 0; i < world->tendon_count; ++i) {
        const iso_fixed_tendon* tendon = &world->tendons[i];
        if (sorted[i]->rotor_inertia > 0.0) {
            world->rotors[count++] =
                (iso_mb_rotor){tendon->count,
                               tendon->bodies,
                               tendon->weights,
                               sorted[i]->rotor_inertia,
                               tendon->part_count,
                               tendon->parts,
                               iso_fixed_tendon_tree(tendon, &world->multibody)};
        }
    }
    world->multibody.rotor_count = count;
    world->multibody.rotors = world->rotors;
    return ISO_OK;
}

iso_status iso_world_compile_tendons(iso_world* world, const iso_model* model,
                                     const iso_body_order* order) {
    iso_context* ctx = world->ctx;
    int count = model->tendons.count;
    const iso_fixed_tendon_desc** sorted = iso_alloc_array(ctx, count, sizeof *sorted);
    iso_status status = ISO_OK;
    world->tendons = iso_alloc_array(ctx, count, sizeof *world->tendons);
    world->tendon_names = iso_alloc_array(ctx, count, sizeof *world->tendon_names);
    ISO_CHECK(ctx, sorted != NULL && world->tendons != NULL && world->tendon_names != NULL,
              ISO_ERR_MEMORY, "out of memory for %d fixed tendons", count);
    for (int i = 0; i < count; ++i) {
        sorted[i] = &model->tendons.data[i];
    }
    qsort(sorted, (size_t)count, sizeof *sorted, compare_tendons);
    for (int i = 0; i < count; ++i) {
        ISO_TRY(compile_tendon(world, model, order, sorted[i]));
    }
    ISO_TRY(compile_rotors(world, sorted));
done:
    iso_free(ctx, (void*)sorted);
    return status;
}

void iso_world_free_tendons(iso_world* world) {
    for (int i = 0; i < world->tendon_count; ++i) {
        iso_free(world->ctx, (void*)(uintptr_t)world->tendons[i].bodies);
        iso_free(world->ctx, (void*)(uintptr_t)world->tendons[i].weights);
        iso_free(world->ctx, (void*)(uintptr_t)world->tendons[i].parts);
        iso_free(world->ctx, world->tendon_names[i]);
    }
    iso_free(world->ctx, world->tendons);
    iso_free(world->ctx, world->tendon_names);
    iso_free(world->ctx, world->rotors);
}

double iso_route_measure(const iso_route_part* parts, int count, const iso_pose* x_wb) {
    iso_route route = {count, parts};
    iso_kinematics kinematics = {.x_wb = (iso_pose*)(uintptr_t)x_wb};
    return iso_route_length(&route, &kinematics);
}

int iso_world_fixed_tendon_count(const iso_world* world) {
    return world->tendon_count;
}

int iso_world_find_fixed_tendon(const iso_world* world, const char* name) {
    int low = 0, high = name != NULL ? world->tendon_count : 0; // sorted by name
    while (low < high) {
        int middle = low + (high - low) / 2, way = strcmp(world->tendon_names[middle], name);
        if (way == 0) {
            return middle;
        }
        low = way < 0 ? middle + 1 : low;
        high = way < 0 ? high : middle;
    }
    return -1;
}

iso_fixed_tendon_state iso_world_fixed_tendon(const iso_world* world, int index) {
    iso_fixed_tendon_state state = {.name = ""};
    if (index >= 0 && index < world->tendon_count) {
        const iso_fixed_tendon* tendon = &world->tendons[index];
        state.name = world->tendon_names[index];
        state.is_on = !world->present_tendons[index].is_off;
        state.length =
            iso_fixed_tendon_length(tendon, &world->multibody, &world->kinematics, world->q);
        state.velocity =
            iso_fixed_tendon_rate(tendon, &world->multibody, &world->kinematics, world->v);
        state.passive_effort = iso_fixed_tendon_passive_effort(
            tendon, &world->multibody, &world->kinematics, world->q, world->v);
        state.limit_effort = world->tie_efforts[world->coupler_count + index];
        for (int i = 0; i < world->actuator_count; ++i) {
            bool is_on_it = world->drives[i].body < 0 && world->drives[i].tendon == index;
            state.actuator_effort += is_on_it ? world->efforts[i] : 0.0;
        }
    }
    return state;
}
