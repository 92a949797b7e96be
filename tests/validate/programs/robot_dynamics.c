// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Mass matrix, bias, gravity forces, Jacobian of the last body's origin and centre of mass of a
// robot that stands on the world, at random states: one JSON line each, joints in the order of
// "joints". Usage: robot_dynamics FILE COUNT

#include "isobar/isobar.h"

#include <stdio.h>
#include <stdlib.h>

enum { k_most = 40 };

static double next_random(uint64_t* state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0 * 2.0 - 1.0;
}

static void print_array(const char* name, const double* x, int count) {
    printf(", \"%s\": [", name);
    for (int i = 0; i < count; ++i) {
        printf("%s%.17g", i > 0 ? ", " : "", x[i]);
    }
    printf("]");
}

// Every body that hangs on no joint is welded to the world.
static iso_status weld_roots(iso_model* model) {
    iso_status status = ISO_OK;
    for (int b = 1; b < iso_model_body_count(model) && status == ISO_OK; ++b) {
        bool is_child = false;
        for (int j = 0; j < iso_model_joint_count(model); ++j) {
            is_child = is_child || iso_model_joint(model, j)->child == b;
        }
        if (!is_child) {
            char name[32];
            snprintf(name, sizeof name, "weld_%d", b);
            iso_joint_desc joint = iso_joint_desc_default();
            joint.name = name;
            joint.child = b;
            status = iso_model_add_joint(model, &joint, NULL);
        }
    }
    return status;
}

static const char* bare(const char* name) {
    const char* last = name;
    for (const char* c = name; *c != '\0'; ++c) {
        last = c[0] == ':' ? c + 1 : last;
    }
    return last;
}

static iso_status print_state(iso_world* world, uint64_t* seed) {
    static double q[k_most], v[k_most], bias[k_most], gravity[k_most], m[k_most * k_most],
        jacobian[6 * k_most], com[3 * k_most];
    int n = iso_world_v_count(world);
    for (int i = 0; i < n; ++i) {
        q[i] = 2.0 * next_random(seed);
        v[i] = 2.0 * next_random(seed);
    }
    int last = iso_world_body_count(world) - 1;
    iso_vec3 p_wc;
    iso_status status = iso_world_set_state(world, q, v);
    status = status == ISO_OK ? iso_world_mass_matrix(world, m) : status;
    status = status == ISO_OK ? iso_world_bias(world, bias) : status;
    status = status == ISO_OK ? iso_world_gravity_forces(world, gravity) : status;
    status = status == ISO_OK ? iso_world_jacobian(world, last, iso_vec3_zero(), jacobian) : status;
    status = status == ISO_OK ? iso_world_center_of_mass(world, 0, &p_wc, com) : status;
    if (status != ISO_OK) {
        return status;
    }
    printf("{\"last\": \"%s\", \"joints\": [", bare(iso_world_body_name(world, last)));
    for (int i = 0, printed = 0; i < n; ++i) {
        for (int b = 1; b < iso_world_body_count(world); ++b) {
            iso_coordinates c = iso_world_coordinates(world, b);
            if (c.v_count == 1 && c.v_index == i) {
                printf("%s\"%s\"", printed++ > 0 ? ", " : "", bare(c.joint_name));
            }
        }
    }
    printf("]");
    double center[3] = {p_wc.x, p_wc.y, p_wc.z};
    print_array("q", q, n);
    print_array("v", v, n);
    print_array("mass_matrix", m, n * n);
    print_array("bias", bias, n);
    print_array("gravity", gravity, n);
    print_array("jacobian", jacobian, 6 * n);
    print_array("center", center, 3);
    print_array("center_jacobian", com, 3 * n);
    printf("}\n");
    return ISO_OK;
}

int main(int argument_count, char** arguments) {
    if (argument_count != 3) {
        fprintf(stderr, "usage: robot_dynamics FILE COUNT\n");
        return 2;
    }
    iso_context* ctx = NULL;
    iso_scene scene = {0};
    iso_world* world = NULL;
    iso_status status = iso_context_create(NULL, &ctx);
    status = status == ISO_OK ? iso_scene_load(ctx, arguments[1], NULL, &scene) : status;
    status = status == ISO_OK ? weld_roots(scene.model) : status;
    status = status == ISO_OK ? iso_world_create(ctx, scene.model, NULL, &world) : status;
    if (status == ISO_OK && iso_world_v_count(world) > k_most) {
        fprintf(stderr, "robot_dynamics: more than %d degrees of freedom\n", k_most);
        status = ISO_ERR_RANGE;
    }
    uint64_t seed = 42;
    for (int i = 0; i < atoi(arguments[2]) && status == ISO_OK; ++i) {
        status = print_state(world, &seed);
    }
    if (status != ISO_OK) {
        fprintf(stderr, "robot_dynamics: %s\n", ctx ? iso_context_error(ctx) : "no context");
    }
    iso_world_destroy(world);
    if (ctx) {
        iso_scene_destroy(ctx, &scene);
    }
    iso_context_destroy(ctx);
    return status == ISO_OK ? 0 : 1;
}
