// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "stepper/flow/flow_stretch.h"

#include "contact/pairs/material.h"
#include "stepper/flow/flow_jacobian.h"

#include <string.h>

// Energy below which a pair that parted forgets [J].
#define FORGOTTEN 1e-30

// Pairs that can be noted at a time.
#define FOUND_AT_ONCE 64

static int place_of(const iso_flow_stretches* s, int geometry_a, int geometry_b) {
    int low = 0, high = s->count;
    while (low < high) {
        int middle = (low + high) / 2;
        const iso_pair_memory* m = &s->pairs[middle];
        bool is_before = m->geometry_a < geometry_a ||
                         (m->geometry_a == geometry_a && m->geometry_b < geometry_b);
        low = is_before ? middle + 1 : low;
        high = is_before ? high : middle;
    }
    return low;
}

static int find(const iso_flow_stretches* s, const iso_contact_pair* pair) {
    int at = place_of(s, pair->geometry_a, pair->geometry_b);
    bool is_found = at < s->count && s->pairs[at].geometry_a == pair->geometry_a &&
                    s->pairs[at].geometry_b == pair->geometry_b;
    return is_found ? at : -1;
}

// Put a pair where it belongs; there is room for it.
static void insert(iso_flow_stretches* s, const iso_pair_memory* memory) {
    int at = place_of(s, memory->geometry_a, memory->geometry_b);
    memmove(&s->pairs[at + 1], &s->pairs[at], (size_t)(s->count - at) * sizeof *s->pairs);
    s->pairs[at] = *memory;
    ++s->count;
}

static iso_status push_rates(iso_flow* f) {
    iso_flow_stretches* s = f->stretches;
    iso_arena* arena = &f->stages->stepper->arena;
    s->rates = iso_arena_push_array(arena, ISO_STRETCH_COUNT * s->count, sizeof *s->rates);
    double* now = iso_arena_push_array(arena, ISO_STRETCH_COUNT * s->count, sizeof *now);
    ISO_REQUIRE(arena->ctx, s->rates && now, ISO_ERR_MEMORY, "stretches of %d contacts", s->count);
    for (int i = 0; i < s->count; ++i) {
        memcpy(now + ISO_STRETCH_COUNT * i, s->pairs[i].values, ISO_STRETCH_COUNT * sizeof *now);
    }
    s->now = now;
    return ISO_OK;
}

iso_status iso_flow_begin_stretches(iso_flow* f) {
    const iso_stepper* stepper = f->stages->stepper;
    const iso_contact_system* system = stepper->dynamics.contact;
    if (!system || !iso_contact_system_has_stretch(system)) {
        return ISO_OK;
    }
    iso_arena* arena = &f->stages->stepper->arena;
    const iso_step_input* input = f->stages->input;
    const iso_contact_set* set = &f->stages->set;
    iso_flow_stretches* s = iso_arena_push_array(arena, 1, sizeof *s);
    int most = input->memory_count + set->pair_count;
    iso_pair_memory* pairs = iso_arena_push_array(arena, most + 1, sizeof *pairs);
    iso_pair_memory* found = iso_arena_push_array(arena, FOUND_AT_ONCE, sizeof *found);
    ISO_REQUIRE(arena->ctx, s && pairs && found, ISO_ERR_MEMORY, "stretches of %d contacts", most);
    *s = (iso_flow_stretches){.pairs = pairs, .count = input->memory_count, .found = found};
    if (s->count > 0) {
        memcpy(pairs, input->memories, (size_t)s->count * sizeof *pairs);
    }
    for (int i = 0; i < set->pair_count; ++i) {
        const iso_contact_pair* pair = &set->pairs[i];
        if (find(s, pair) < 0) {
            insert(s, &(iso_pair_memory){.geometry_a = pair->geometry_a,
                                         .geometry_b = pair->geometry_b});
        }
    }
    f->stretches = s;
    return push_rates(f);
}

int iso_flow_stretch_count(const iso_flow* f) {
    return f->stretches ? ISO_STRETCH_COUNT * f->stretches->count : 0;
}

iso_status iso_flow_add_stretches(iso_flow* f, const double* y, int dimension, double** out_y) {
    iso_flow_stretches* s = f->stretches;
    iso_arena* arena = &f->stages->stepper->arena;
    const iso_multibody* multibody = f->stages->stepper->dynamics.multibody;
    int start = multibody->q_count + multibody->v_count, old = iso_flow_stretch_count(f);
    int grown = dimension + ISO_STRETCH_COUNT * s->added;
    iso_pair_memory* pairs = iso_arena_push_array(arena, s->count + s->added, sizeof *pairs);
    double* longer = iso_arena_push_array(arena, grown, sizeof *longer);
    ISO_REQUIRE(arena->ctx, pairs && longer, ISO_ERR_MEMORY, "stretches of %d contacts",
                s->count + s->added);
    for (int i = 0; i < s->count; ++i) {
        pairs[i] = s->pairs[i];
        memcpy(pairs[i].values, y + start + ISO_STRETCH_COUNT * i,
               ISO_STRETCH_COUNT * sizeof *longer);
    }
    s->pairs = pairs;
    for (int i = 0; i < s->added; ++i) {
        insert(s, &s->found[i]);
    }
    s->added = 0;
    iso_status status = push_rates(f);
    memcpy(longer, y, (size_t)start * sizeof *longer);
    if (status == ISO_OK) {
        memcpy(longer + start, s->now, (size_t)iso_flow_stretch_count(f) * sizeof *longer);
    }
    memcpy(longer + start + iso_flow_stretch_count(f), y + start + old,
           (size_t)(dimension - start - old) * sizeof *longer);
    *out_y = longer;
    return status;
}

// Note a pair without numbers, once.
static void note(iso_flow* f, const iso_contact_pair* pair) {
    iso_flow_stretches* s = f->stretches;
    for (int i = 0; i < s->added; ++i) {
        if (s->found[i].geometry_a == pair->geometry_a &&
            s->found[i].geometry_b == pair->geometry_b) {
            return;
        }
    }
    if (s->added < FOUND_AT_ONCE) { // the others are seen again
        s->found[s->added++] =
            (iso_pair_memory){.geometry_a = pair->geometry_a, .geometry_b = pair->geometry_b};
    }
}

void iso_flow_copy_rates(const iso_flow* f, double* out_rates) {
    if (iso_flow_stretch_count(f) > 0) {
        memcpy(out_rates, f->stretches->rates,
               (size_t)iso_flow_stretch_count(f) * sizeof *out_rates);
    }
}

iso_status iso_flow_check_stretches(const iso_flow* f) {
    return f->stretches && f->stretches->added > 0 ? ISO_ERR_NOT_FOUND : ISO_OK;
}

void iso_flow_relax_stretches(iso_flow* f) {
    const iso_flow_stretches* s = f->stretches;
    if (!s) {
        return;
    }
    const iso_contact_system* system = f->stages->stepper->dynamics.contact;
    double time = iso_contact_shell(iso_contact_system_options(system)).time;
    for (int i = 0; i < iso_flow_stretch_count(f); ++i) {
        s->rates[i] = -s->now[i] / time;
    }
}

iso_status iso_flow_stretched_wrench(iso_flow* f, const iso_stages* now, int index, iso_spatial v_c,
                                     iso_contact_losses* out_losses, iso_spatial* out_wrench) {
    const iso_contact_system* system = now->stepper->dynamics.contact;
    const iso_contact_pair* pair = &now->set.pairs[index];
    iso_flow_stretches* s = f->stretches;
    iso_arena* arena = &now->stepper->arena;
    iso_stretch stretch = {{0.0}};
    iso_stretched result;
    int at = find(s, pair);
    if (at >= 0) {
        memcpy(stretch.s, s->now + ISO_STRETCH_COUNT * at, sizeof stretch.s);
    } else if (pair->model->press) {
        note(f, pair);
    }
    const iso_mat3* r_wb = &now->kinematics.x_wb[pair->body_b].r;
    bool is_lined = f->lines && pair->model->press;
    iso_status status = is_lined ? iso_contact_stretched_friction(system, pair, r_wb, v_c, &stretch,
                                                                  arena, NULL, &result)
                                 : iso_contact_stretched_wrench(system, pair, r_wb, v_c, &stretch,
                                                                arena, NULL, NULL, &result);
    if (status == ISO_OK) {
        *out_losses = result.losses;
        *out_wrench = result.wrench;
        if (is_lined) {
            *out_wrench =
                iso_spatial_add(result.wrench, iso_flow_line_wrench(f, &now->kinematics, index));
        }
        if (at >= 0 && pair->model->press) {
            memcpy(s->rates + ISO_STRETCH_COUNT * at, result.rate.s, sizeof result.rate.s);
        }
    }
    return status;
}

// The normal force that a pair has or may get: its own, or the weight of the lighter body.
static double force_of(const iso_flow* f, const iso_pair_memory* memory,
                       const iso_contact_pair** out_pair) {
    const iso_stages* stages = f->stages;
    const iso_multibody* multibody = stages->stepper->dynamics.multibody;
    const iso_contact_system* system = stages->stepper->dynamics.contact;
    double mass = INFINITY, force = 0.0;
    const int geometries[2] = {memory->geometry_a, memory->geometry_b};
    for (int i = 0; i < 2; ++i) {
        int body = iso_contact_system_geometry(system, geometries[i])->body;
        bool is_free = multibody->bodies[body].tree >= 0 && multibody->bodies[body].mass > 0.0;
        mass = is_free ? fmin(mass, multibody->bodies[body].mass) : mass;
    }
    *out_pair = NULL;
    for (int i = 0; i < stages->set.pair_count; ++i) {
        const iso_contact_pair* pair = &stages->set.pairs[i];
        if (pair->geometry_a == geometries[0] && pair->geometry_b == geometries[1]) {
            force = pair->model->stiffness(pair).force;
            *out_pair = pair;
        }
    }
    double weight = isinf(mass) ? 0.0 : mass * iso_vec3_norm(stages->stepper->settings.gravity);
    return fmax(force, weight);
}

void iso_flow_stretch_scales(const iso_flow* f, double unknown, double* out_scales) {
    const iso_flow_stretches* s = f->stretches;
    for (int i = 0; s && i < s->count; ++i) {
        const iso_contact_system* system = f->stages->stepper->dynamics.contact;
        double stiffness = iso_contact_shell(iso_contact_system_options(system)).stiffness;
        const iso_contact_pair* pair = NULL;
        double force = force_of(f, &s->pairs[i], &pair), mu = pair ? pair->friction_dynamic : 1.0;
        double bound = fmax(mu, 0.01) * sqrt(force / stiffness);
        for (int k = 0; k < ISO_STRETCH_COUNT; ++k) {
            out_scales[ISO_STRETCH_COUNT * i + k] = bound > 0.0 ? bound : unknown;
        }
    }
}

iso_status iso_flow_keep_stretches(const iso_flow* f, const double* y, iso_contact_result* result) {
    const iso_flow_stretches* s = f->stretches;
    if (!s) {
        return ISO_OK;
    }
    iso_arena* arena = &f->stages->stepper->arena;
    result->memories = iso_arena_push_array(arena, s->count, sizeof *result->memories);
    ISO_REQUIRE(arena->ctx, result->memories, ISO_ERR_MEMORY, "stretches of %d contacts", s->count);
    result->memory_count = 0;
    for (int i = 0; i < s->count; ++i) {
        iso_pair_memory kept = s->pairs[i];
        memcpy(kept.values, y + ISO_STRETCH_COUNT * i, ISO_STRETCH_COUNT * sizeof *y);
        if (iso_stretch_energy((const iso_stretch*)kept.values) > FORGOTTEN) {
            result->memories[result->memory_count++] = kept;
        }
    }
    return ISO_OK;
}
