// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// The smallest contact model: a linear spring where two spheres are deepest in each other. A pair
// remembers how deep it was. It proves that a model is one file and one row.

#include "contact/pairs/contact_system_state.h"
#include "contact/pairs/memory.h"
#include "surface/shapes/contact_shape_data.h"

#define SPRING_STIFFNESS 2000.0 // [N/m]

typedef struct spring {
    iso_vec3 normal;
    double depth, deepest, dt;
    double moved; // speed along the normal of what a caller moves
} spring;

static bool spring_takes(const iso_contact_system* system, int a, int b) {
    return system->geometries[a].shape->primitive.kind == ISO_SHAPE_SPHERE &&
           system->geometries[b].shape->primitive.kind == ISO_SHAPE_SPHERE;
}

static iso_status spring_prepare(iso_context* ctx, iso_contact_system* system, int a, int b) {
    (void)ctx, (void)system, (void)a, (void)b;
    return ISO_OK;
}

static iso_status spring_find(iso_contact_system* system, iso_search_threads* search_threads,
                              iso_arena* arena, int a, int b, iso_contact_manifold* out) {
    (void)search_threads;
    double r_a = system->geometries[a].shape->primitive.radius;
    double r_b = system->geometries[b].shape->primitive.radius;
    iso_vec3 p_a = system->x_wg[a].p, gap = iso_vec3_sub(system->x_wg[b].p, p_a);
    double depth = r_a + r_b - iso_vec3_norm(gap);
    if (!(depth > 0.0)) {
        return ISO_OK;
    }
    spring* own = iso_arena_push(arena, sizeof *own);
    ISO_REQUIRE(system->ctx, own, ISO_ERR_MEMORY, "spring");
    *own = (spring){.normal = iso_vec3_normalized(gap), .depth = depth};
    out->is_touching = true;
    out->own = own;
    out->patch.center_of_pressure = iso_vec3_add_scaled(p_a, own->normal, r_a - 0.5 * depth);
    return ISO_OK;
}

static iso_status spring_complete(const iso_contact_system* system, iso_contact_pair* pair,
                                  iso_arena* arena) {
    (void)system, (void)pair, (void)arena;
    return ISO_OK;
}

static iso_vec3 spring_normal(const iso_contact_pair* pair) {
    return ((const spring*)pair->own)->normal;
}

static double spring_energy_of(double depth) {
    return depth > 0.0 ? 0.5 * SPRING_STIFFNESS * depth * depth : 0.0;
}

static double spring_energy(const iso_contact_pair* pair) {
    return spring_energy_of(((const spring*)pair->own)->depth);
}

static iso_status spring_exact_energy(const iso_contact_system* system,
                                      const iso_contact_pair* pair, iso_elastic_energy* out) {
    (void)system;
    *out = (iso_elastic_energy){.energy = spring_energy(pair), .is_exact = true};
    return ISO_OK;
}

static iso_spatial spring_push(const spring* s, double depth) {
    double force = SPRING_STIFFNESS * fmax(depth, 0.0);
    return iso_spatial_make(iso_vec3_zero(), iso_vec3_scale(s->normal, force));
}

static iso_spatial spring_wrench(const iso_contact_system* system, const iso_contact_pair* pair,
                                 iso_spatial v_c, iso_contact_losses* out_losses,
                                 iso_vec3* out_tractions, iso_vec3* out_slips) {
    (void)system, (void)v_c, (void)out_tractions, (void)out_slips;
    const spring* own = pair->own;
    *out_losses = (iso_contact_losses){0.0, 0.0};
    return spring_push(own, own->depth);
}

static iso_contact_stiffness spring_stiffness(const iso_contact_pair* pair) {
    const spring* own = pair->own;
    return (iso_contact_stiffness){SPRING_STIFFNESS, SPRING_STIFFNESS * own->depth};
}

/// Where the spring is at the end of a step.
static double spring_end(const spring* s, const double* u) {
    double v = s->normal.x * u[3] + s->normal.y * u[4] + s->normal.z * u[5] + s->moved;
    return s->depth - s->dt * v;
}

static double spring_eval(const void* user, const double* u, double* out_gradient,
                          double* out_hessian) {
    const spring* s = user;
    double depth = spring_end(s, u);
    const double n[6] = {0.0, 0.0, 0.0, s->normal.x, s->normal.y, s->normal.z};
    double slope = -SPRING_STIFFNESS * s->dt * fmax(depth, 0.0);
    double curvature = depth > 0.0 ? SPRING_STIFFNESS * s->dt * s->dt : 0.0;
    for (int i = 0; i < 6; ++i) {
        out_gradient[i] = slope * n[i];
        for (int k = 0; out_hessian && k < 6; ++k) {
            out_hessian[6 * i + k] = curvature * n[i] * n[k];
        }
    }
    return spring_energy_of(depth);
}

static void spring_line(const void* user, const double* u, const double* du, double alpha,
                        double* out_value, double* out_slope, double* out_curvature) {
    double at[6], gradient[6], hessian[36];
    for (int i = 0; i < 6; ++i) {
        at[i] = u[i] + alpha * du[i];
    }
    *out_value = spring_eval(user, at, gradient, hessian);
    *out_slope = *out_curvature = 0.0;
    for (int i = 0; i < 6; ++i) {
        *out_slope += gradient[i] * du[i];
        for (int k = 0; k < 6; ++k) {
            *out_curvature += du[i] * hessian[6 * i + k] * du[k];
        }
    }
}

static iso_status spring_begin_step(const iso_contact_step_input* input, iso_contact_step* out) {
    static const iso_potential_ops ops = {spring_eval, spring_line, NULL};
    spring* own = iso_arena_push(input->arena, sizeof *own);
    ISO_REQUIRE(input->arena->ctx, own, ISO_ERR_MEMORY, "spring");
    *own = *(const spring*)input->pair->own;
    own->dt = input->dt;
    own->moved = iso_vec3_dot(input->moved.translational, own->normal);
    own->deepest = fmax(own->depth, input->memory ? input->memory->values[0] : 0.0);
    *out = (iso_contact_step){.ops = &ops, .user = own, .own = own};
    return ISO_OK;
}

static void spring_smooth(const iso_contact_step* step, double factor) {
    (void)step, (void)factor;
}

static iso_spatial spring_end_step(const iso_contact_step* step, const iso_contact_motion* motion,
                                   const iso_face_values* faces, iso_pair_memory* out_memories,
                                   int* out_count) {
    (void)faces;
    *out_count = 1;
    const spring* own = step->own;
    out_memories[0].values[0] = own->deepest;
    const double* v = motion->v;
    double along = own->normal.x * v[3] + own->normal.y * v[4] + own->normal.z * v[5];
    return spring_push(own, own->depth - own->dt * along);
}

static iso_contact_losses spring_book(const iso_contact_step* step, const double v[6],
                                      iso_spatial f_b_w, const iso_vec3* tractions,
                                      const iso_vec3* slips) {
    (void)tractions, (void)slips;
    const spring* own = step->own;
    double speed = iso_vec3_dot(own->normal, iso_vec3_make(v[3], v[4], v[5]));
    double work = own->dt * speed * iso_vec3_dot(f_b_w.translational, own->normal);
    double freed = spring_energy_of(own->depth) - spring_energy_of(own->depth - own->dt * speed);
    return (iso_contact_losses){.friction = 0.0, .damping = freed - work};
}

static bool spring_memory_is_usable(const iso_pair_memory* memory) {
    return memory->values[0] >= 0.0;
}

static const iso_contact_model spring_model = {
    .name = "spring",
    .kind = ISO_MANIFOLD_POINT,
    .takes = spring_takes,
    .prepare = spring_prepare,
    .find = spring_find,
    .own_size = sizeof(spring),
    .complete = spring_complete,
    .normal = spring_normal,
    .loaded_normal = spring_normal,
    .wrench = spring_wrench,
    .stiffness = spring_stiffness,
    .energy = spring_energy,
    .exact_energy = spring_exact_energy,
    .begin_step = spring_begin_step,
    .smooth = spring_smooth,
    .end_step = spring_end_step,
    .book = spring_book,
    .memory_is_usable = spring_memory_is_usable,
};
