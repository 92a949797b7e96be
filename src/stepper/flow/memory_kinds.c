// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The kinds of memory. docs/theory/bristle.md, docs/theory/friction_laws.md.

#include "contact/pairs/material.h"
#include "contact/pairs/stretched.h"
#include "stepper/flow/flow_jacobian.h"
#include "stepper/flow/flow_memory.h"

#include <math.h>
#include <string.h>

_Static_assert(ISO_BRISTLE_STATE_COUNT <= ISO_EPISODE_NUMBERS, "bristles fit in");
_Static_assert(ISO_STRETCH_COUNT <= ISO_EPISODE_NUMBERS, "a stretch fits in");

// Bristles whose friction is less than this are forgotten.
#define FORGOTTEN_FRICTION 1e-14
// Energy of a stretch below which it is [J].
#define FORGOTTEN_ENERGY 1e-30
// Least coefficient of friction that a stretch is measured by.
#define LEAST_FRICTION 0.01

static iso_status feel_plain(iso_flow* f, const iso_stages* now, const iso_flow_touch* touch,
                             iso_flow_felt* out) {
    out->wrench = f->lines
                      ? iso_flow_line_wrench(f, &now->kinematics, touch->index)
                      : touch->pair->model->wrench(now->stepper->dynamics.contact, touch->pair,
                                                   touch->v_c, &out->losses,
                                                   touch->faces ? touch->faces->tractions : NULL,
                                                   touch->faces ? touch->faces->slips : NULL);
    return ISO_OK;
}

// In a Jacobian the law acts where the lines of the pair lead.
static iso_status feel_bristles(iso_flow* f, const iso_stages* now, const iso_flow_touch* touch,
                                iso_flow_felt* out) {
    const iso_contact_pair* pair = touch->pair;
    const iso_spatial* v_wb = now->kinematics.v_wb;
    iso_vec3 sum = iso_vec3_add(v_wb[pair->body_a].rotational, v_wb[pair->body_b].rotational);
    iso_vec3 turning = iso_vec3_scale(sum, 0.5);
    if (!f->lines) {
        out->wrench =
            iso_bristle_wrench(pair, touch->v_c, turning, touch->x, &out->losses, touch->rates);
        return ISO_OK;
    }
    iso_vec3 moved;
    iso_contact_press press = iso_flow_line_press(f, &now->kinematics, touch->index, &moved);
    iso_spatial v_c = iso_spatial_shift_twist(touch->v_c, moved);
    iso_spatial friction = iso_bristle_friction(pair, &press, v_c, turning, touch->x,
                                                &out->losses.friction, touch->rates);
    friction = iso_spatial_shift_wrench(friction, iso_vec3_scale(moved, -1.0));
    out->wrench = iso_spatial_add(press.wrench, friction);
    return ISO_OK;
}

static void relax_bristles(const iso_flow* f, const iso_flow_pair* pair, const double* x,
                           double* out_rates) {
    (void)f;
    iso_bristle_relax(pair->lasting, x, out_rates);
}

static void scale_bristles(const iso_flow* f, const iso_flow_pair* pair, double unknown,
                           double* out_scales) {
    (void)f, (void)unknown;
    iso_bristle_scales(pair->lasting, out_scales);
}

static bool are_bristles_forgotten(const iso_flow_pair* pair, const double* x) {
    double scales[ISO_BRISTLE_STATE_COUNT], most = 0.0;
    iso_bristle_scales(pair->lasting, scales);
    for (int i = 0; i < ISO_BRISTLE_STATE_COUNT; ++i) {
        most = fmax(most, fabs(x[i]) / scales[i]);
    }
    return most < FORGOTTEN_FRICTION;
}

// Six numbers, or a field.
static iso_status feel_springs(iso_flow* f, const iso_stages* now, const iso_flow_touch* touch,
                               bool is_field, iso_flow_felt* out) {
    iso_arena* arena = &now->stepper->arena;
    iso_arena_mark mark = iso_arena_get_mark(arena);
    const iso_contact_system* system = now->stepper->dynamics.contact;
    bool is_on_a = is_field && iso_contact_field_is_on_a(system, touch->pair);
    int body = is_on_a ? touch->pair->body_a : touch->pair->body_b;
    iso_stretched_pair in = {.system = system,
                             .pair = touch->pair,
                             .x_wb = &now->kinematics.x_wb[body],
                             .v_c = touch->v_c,
                             .brush = is_field ? touch->brush : NULL,
                             .numbers = touch->x,
                             .arena = arena};
    iso_stretched result = {.losses = {0.0, 0.0}};
    iso_status status =
        f->lines ? iso_contact_stretched_friction(&in, NULL, touch->rates, &result)
                 : iso_contact_stretched_wrench(&in, touch->faces, touch->rates, &result);
    out->wrench = result.wrench;
    out->losses = result.losses;
    if (f->lines) {
        iso_spatial pressed = iso_flow_line_wrench(f, &now->kinematics, touch->index);
        out->wrench = iso_spatial_add(out->wrench, pressed);
    } else if (status == ISO_OK && f->memory) {
        iso_flow_note_corners(f->memory, touch, result.missing, result.missing_count);
    }
    iso_arena_release(arena, mark);
    return status;
}

static iso_status feel_stretch(iso_flow* f, const iso_stages* now, const iso_flow_touch* touch,
                               iso_flow_felt* out) {
    return feel_springs(f, now, touch, false, out);
}

static iso_status feel_brush(iso_flow* f, const iso_stages* now, const iso_flow_touch* touch,
                             iso_flow_felt* out) {
    return feel_springs(f, now, touch, true, out);
}

static void relax_springs(const iso_flow* f, const iso_flow_pair* pair, const double* x,
                          double* out_rates) {
    const iso_contact_system* system = f->stages->stepper->dynamics.contact;
    double time = iso_contact_shell(iso_contact_system_options(system)).time;
    for (int i = 0; i < pair->count; ++i) {
        out_rates[i] = -x[i] / time;
    }
}

// The normal force that a pair has or may get: its own, or the weight of the lighter body.
static double force_of(const iso_flow* f, const iso_flow_pair* pair,
                       const iso_contact_pair** out_touching) {
    const iso_stages* stages = f->stages;
    const iso_multibody* multibody = stages->stepper->dynamics.multibody;
    const iso_contact_system* system = stages->stepper->dynamics.contact;
    double mass = INFINITY, force = 0.0;
    const int geometries[2] = {pair->geometry_a, pair->geometry_b};
    for (int i = 0; i < 2; ++i) {
        int body = iso_contact_system_geometry(system, geometries[i])->body;
        bool is_free = multibody->bodies[body].tree >= 0 && multibody->bodies[body].mass > 0.0;
        mass = is_free ? fmin(mass, multibody->bodies[body].mass) : mass;
    }
    *out_touching = NULL;
    for (int i = 0; i < stages->set.pair_count; ++i) {
        const iso_contact_pair* touching = &stages->set.pairs[i];
        if (touching->geometry_a == geometries[0] && touching->geometry_b == geometries[1]) {
            force = touching->model->stiffness(touching).force;
            *out_touching = touching;
        }
    }
    double weight = isinf(mass) ? 0.0 : mass * iso_vec3_norm(stages->stepper->settings.gravity);
    return fmax(force, weight);
}

// The stretch that Coulomb's bound allows, of a mean corner in a field.
static void scale_springs(const iso_flow* f, const iso_flow_pair* pair, double unknown,
                          double* out_scales) {
    const iso_contact_system* system = f->stages->stepper->dynamics.contact;
    double stiffness = iso_contact_shell(iso_contact_system_options(system)).stiffness;
    const iso_contact_pair* touching = NULL;
    double force = force_of(f, pair, &touching);
    double mu = touching ? touching->friction_dynamic : 1.0;
    double corners = fmax(pair->brush.count, 1.0);
    double bound = fmax(mu, LEAST_FRICTION) * sqrt(force / (stiffness * corners));
    for (int k = 0; k < pair->count; ++k) {
        out_scales[k] = bound > 0.0 ? bound : unknown;
    }
}

static bool is_stretch_forgotten(const iso_flow_pair* pair, const double* x) {
    (void)pair;
    return !(iso_stretch_energy((const iso_stretch*)x) > FORGOTTEN_ENERGY);
}

static const iso_memory_kind k_plain = {
    .episode = ISO_EPISODE_PLAIN, .has_lines = true, .feel = feel_plain};

static const iso_memory_kind k_bristles = {.episode = ISO_EPISODE_BRISTLES,
                                           .count = ISO_BRISTLE_STATE_COUNT,
                                           .name = "bristles",
                                           .has_lines = true,
                                           .feel = feel_bristles,
                                           .relax = relax_bristles,
                                           .scale = scale_bristles,
                                           .is_forgotten = are_bristles_forgotten};

static const iso_memory_kind k_stretch = {.episode = ISO_EPISODE_STRETCH,
                                          .count = ISO_STRETCH_COUNT,
                                          .name = "stretch",
                                          .has_lines = true,
                                          .feel = feel_stretch,
                                          .relax = relax_springs,
                                          .scale = scale_springs,
                                          .is_forgotten = is_stretch_forgotten};

static const iso_memory_kind k_brush = {.episode = ISO_EPISODE_BRUSH,
                                        .count = ISO_CORNER_NUMBERS,
                                        .is_field = true,
                                        .name = "the brush field",
                                        .has_lines = true,
                                        .feel = feel_brush,
                                        .relax = relax_springs,
                                        .scale = scale_springs};

const iso_memory_kind* iso_memory_kind_of(const iso_contact_system* system, int geometry_a,
                                          int geometry_b, const iso_lasting_pair* lasting,
                                          const iso_contact_model* model) {
    if (lasting && lasting->bristles.stiffness > 0.0) {
        return &k_bristles;
    }
    if (iso_contact_system_brush_size(system, geometry_a, geometry_b) > 0.0) {
        return &k_brush;
    }
    return iso_contact_system_has_stretch(system) && model->presses ? &k_stretch : &k_plain;
}
