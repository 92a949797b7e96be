// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "stepper/flow/flow_memory.h"

#include "contact/pairs/stretched.h"
#include "stepper/flow/flow_jacobian.h"

#include <string.h>

// Pairs that can be noted at a time.
#define FOUND_AT_ONCE 64

static const double k_nothing[ISO_EPISODE_NUMBERS];

static int place_of(const iso_flow_memory* m, int geometry_a, int geometry_b) {
    int low = 0, high = m->count;
    while (low < high) {
        int middle = (low + high) / 2;
        const iso_flow_pair* p = &m->pairs[middle];
        bool is_before = p->geometry_a < geometry_a ||
                         (p->geometry_a == geometry_a && p->geometry_b < geometry_b);
        low = is_before ? middle + 1 : low;
        high = is_before ? high : middle;
    }
    return low;
}

static iso_flow_pair* find(const iso_flow_memory* m, int geometry_a, int geometry_b) {
    int at = place_of(m, geometry_a, geometry_b);
    bool is_found = at < m->count && m->pairs[at].geometry_a == geometry_a &&
                    m->pairs[at].geometry_b == geometry_b;
    return is_found ? &m->pairs[at] : NULL;
}

// Put a pair where it belongs; there is room for it.
static iso_flow_pair* insert(iso_flow_memory* m, const iso_flow_pair* pair) {
    int at = place_of(m, pair->geometry_a, pair->geometry_b);
    memmove(&m->pairs[at + 1], &m->pairs[at], (size_t)(m->count - at) * sizeof *m->pairs);
    m->pairs[at] = *pair;
    ++m->count;
    return &m->pairs[at];
}

static iso_flow_pair make_pair(const iso_flow* f, const iso_lasting_pair* lasting, int a, int b) {
    const iso_contact_system* system = f->stages->stepper->dynamics.contact;
    const iso_contact_model* model = iso_contact_system_model(system, a, b);
    const iso_memory_kind* kind = iso_memory_kind_of(system, a, b, lasting, model);
    return (iso_flow_pair){.geometry_a = a,
                           .geometry_b = b,
                           .lasting = lasting,
                           .kind = kind,
                           .count = kind->is_field ? 0 : kind->count,
                           .start = k_nothing,
                           .brush = {.size = iso_contact_system_brush_size(system, a, b)}};
}

// Room in the state for the numbers of all pairs.
static iso_status number_pairs(iso_flow* f) {
    iso_flow_memory* m = f->memory;
    iso_arena* arena = &f->stages->stepper->arena;
    m->number_count = 0;
    for (int i = 0; i < m->count; ++i) {
        m->pairs[i].first = m->number_count;
        m->number_count += m->pairs[i].count;
    }
    m->rates = iso_arena_push_array(arena, m->number_count, sizeof *m->rates);
    double* now = iso_arena_push_array(arena, m->number_count, sizeof *now);
    ISO_REQUIRE(arena->ctx, m->rates && now, ISO_ERR_MEMORY, "memory of %d pairs", m->count);
    for (int i = 0; i < m->count; ++i) {
        const iso_flow_pair* pair = &m->pairs[i];
        if (pair->count > 0) {
            memcpy(now + pair->first, pair->start, (size_t)pair->count * sizeof *now);
        }
    }
    m->now = now;
    return ISO_OK;
}

// Memories of one pair.
static iso_status recall(iso_flow* f, const iso_pair_memory* memory, int count) {
    iso_flow_memory* m = f->memory;
    iso_arena* arena = &f->stages->stepper->arena;
    iso_status status = ISO_OK;
    iso_episode episode;
    if (!iso_episode_recall(memory, &episode)) {
        return ISO_OK;
    }
    if (episode.kind == ISO_EPISODE_ABSORBED &&
        count > 1) { // of the velocity level, then its field
        return recall(f, memory + 1, count - 1);
    }
    iso_flow_pair* pair = find(m, memory->geometry_a, memory->geometry_b);
    if (!pair && episode.kind != ISO_EPISODE_PLAIN) {
        iso_flow_pair other = make_pair(f, NULL, memory->geometry_a, memory->geometry_b);
        pair = other.kind->episode == episode.kind ? insert(m, &other) : NULL;
    }
    if (pair && pair->kind->episode == episode.kind && pair->kind->is_field) {
        double* start = NULL;
        status = iso_episode_recall_field(arena, memory, count, &pair->brush, &start);
        pair->start = start;
        pair->count = ISO_CORNER_NUMBERS * pair->brush.count;
    } else if (pair && pair->kind->episode == episode.kind) {
        double* start = iso_arena_push_array(arena, ISO_EPISODE_NUMBERS, sizeof *start);
        ISO_REQUIRE(arena->ctx, start, ISO_ERR_MEMORY, "memory of a pair");
        memcpy(start, episode.numbers, sizeof episode.numbers);
        pair->start = start;
    }
    if (pair && pair->lasting && pair->lasting->is_latched && episode.impact_speed > 0.0) {
        iso_flow_set_impact(f, pair, episode.impact_speed);
    }
    return status;
}

static iso_status recall_all(iso_flow* f) {
    const iso_step_input* input = f->stages->input;
    iso_status status = ISO_OK;
    for (int i = 0, run = 1; i < input->memory_count && status == ISO_OK; i += run) {
        const iso_pair_memory* first = &input->memories[i];
        for (run = 1; i + run < input->memory_count; ++run) {
            const iso_pair_memory* next = first + run;
            if (next->geometry_a != first->geometry_a || next->geometry_b != first->geometry_b) {
                break;
            }
        }
        status = recall(f, first, run);
    }
    return status;
}

static iso_status gather(iso_flow* f, const iso_lasting_pair* lasting, int lasting_count) {
    iso_flow_memory* m = f->memory;
    const iso_contact_set* set = &f->stages->set;
    for (int i = 0; i < lasting_count; ++i) { // they are ordered
        m->is_latched = m->is_latched || lasting[i].is_latched;
        m->pairs[m->count++] =
            make_pair(f, &lasting[i], lasting[i].geometry_a, lasting[i].geometry_b);
    }
    iso_status status = recall_all(f);
    for (int i = 0; i < set->pair_count; ++i) {
        const iso_contact_pair* touching = &set->pairs[i];
        iso_flow_pair pair = make_pair(f, NULL, touching->geometry_a, touching->geometry_b);
        if (pair.kind->count > 0 && !find(m, pair.geometry_a, pair.geometry_b)) {
            insert(m, &pair);
        }
    }
    return status;
}

iso_status iso_flow_begin_memory(iso_flow* f) {
    const iso_contact_system* system = f->stages->stepper->dynamics.contact;
    int lasting_count = 0;
    const iso_lasting_pair* lasting = iso_contact_system_lasting(system, &lasting_count);
    if (!system || (lasting_count == 0 && !iso_contact_system_has_stretch(system))) {
        return ISO_OK;
    }
    iso_arena* arena = &f->stages->stepper->arena;
    int most = lasting_count + f->stages->input->memory_count + f->stages->set.pair_count;
    iso_flow_memory* m = iso_arena_push_array(arena, 1, sizeof *m);
    iso_flow_pair* pairs = iso_arena_push_array(arena, most + 1, sizeof *pairs);
    iso_flow_pair* found = iso_arena_push_array(arena, FOUND_AT_ONCE, sizeof *found);
    ISO_REQUIRE(arena->ctx, m && pairs && found, ISO_ERR_MEMORY, "memory of %d pairs", most);
    *m = (iso_flow_memory){.pairs = pairs, .found = found};
    f->memory = m;
    if (iso_contact_system_options(system)->friction_law == ISO_FRICTION_BRUSH) {
        m->pressed = iso_arena_push_array(arena, ISO_FLOW_PRESSED, sizeof *m->pressed);
        ISO_REQUIRE(arena->ctx, m->pressed, ISO_ERR_MEMORY, "memory of %d pairs", most);
    }
    iso_status status = gather(f, lasting, lasting_count);
    return status == ISO_OK ? number_pairs(f) : status;
}

int iso_flow_memory_count(const iso_flow* f) {
    return f->memory ? f->memory->number_count : 0;
}

bool iso_flow_memory_has_lines(const iso_flow* f) {
    for (int i = 0; f->memory && i < f->memory->count; ++i) {
        if (!f->memory->pairs[i].kind->has_lines) {
            return false;
        }
    }
    return true;
}

iso_status iso_flow_accept_from(iso_flow* f, double t, const double* y, int dimension) {
    iso_flow_memory* m = f->memory;
    if (m) {
        iso_arena* arena = &f->stages->stepper->arena;
        m->accepted = iso_arena_push_array(arena, dimension, sizeof *y);
        ISO_REQUIRE(arena->ctx, m->accepted, ISO_ERR_MEMORY, "state of %d numbers", dimension);
        memcpy(m->accepted, y, (size_t)dimension * sizeof *y);
        m->accepted_time = t;
    }
    return ISO_OK;
}

void iso_flow_accept(iso_flow* f, double t, const double* y, int dimension) {
    iso_flow_memory* m = f->memory;
    if (m && m->is_latched) {
        iso_flow_latch(f, t, y);
    }
    if (m) {
        memcpy(m->accepted, y, (size_t)dimension * sizeof *y);
        m->accepted_time = t;
    }
}

iso_status iso_flow_add_memory(iso_flow* f, int dimension, double* out_t, double** out_y) {
    iso_flow_memory* m = f->memory;
    iso_arena* arena = &f->stages->stepper->arena;
    const iso_multibody* multibody = f->stages->stepper->dynamics.multibody;
    const double* y = m->accepted;
    int start = multibody->q_count + multibody->v_count, behind = start + m->number_count;
    iso_flow_pair* pairs = iso_arena_push_array(arena, m->count + m->added, sizeof *pairs);
    ISO_REQUIRE(arena->ctx, pairs, ISO_ERR_MEMORY, "memory of %d pairs", m->count + m->added);
    for (int i = 0; i < m->count; ++i) {
        pairs[i] = m->pairs[i];
        pairs[i].start = y + start + pairs[i].first;
    }
    m->pairs = pairs;
    for (int i = 0; i < m->added; ++i) {
        insert(m, &m->found[i]);
    }
    m->added = 0;
    iso_status status = iso_flow_add_corners(f);
    status = status == ISO_OK ? number_pairs(f) : status;
    if (status == ISO_OK) {
        int rest = dimension - behind, length = start + m->number_count + rest;
        double* longer = iso_arena_push_array(arena, length, sizeof *longer);
        ISO_REQUIRE(arena->ctx, longer, ISO_ERR_MEMORY, "state of %d numbers", length);
        memcpy(longer, y, (size_t)start * sizeof *longer);
        memcpy(longer + start, m->now, (size_t)m->number_count * sizeof *longer);
        memcpy(longer + start + m->number_count, y + behind, (size_t)rest * sizeof *longer);
        *out_t = m->accepted_time;
        *out_y = longer;
    }
    return status;
}

// Note a pair without numbers, once.
static void note(const iso_flow* f, const iso_contact_pair* touching) {
    iso_flow_memory* m = f->memory;
    int a = touching->geometry_a, b = touching->geometry_b;
    for (int i = 0; i < m->added; ++i) {
        if (m->found[i].geometry_a == a && m->found[i].geometry_b == b) {
            return;
        }
    }
    if (m->added < FOUND_AT_ONCE) { // the others are seen again
        m->found[m->added++] = make_pair(f, NULL, a, b);
    }
}

bool iso_flow_is_memory_short(const iso_flow* f) {
    return f->memory && (f->memory->added > 0 || f->memory->pressed_count > 0);
}

void iso_flow_copy_rates(const iso_flow* f, double* out_rates) {
    if (iso_flow_memory_count(f) > 0) {
        memcpy(out_rates, f->memory->rates, (size_t)f->memory->number_count * sizeof *out_rates);
    }
}

void iso_flow_relax(iso_flow* f) {
    const iso_flow_memory* m = f->memory;
    for (int i = 0; m && i < m->count; ++i) {
        const iso_flow_pair* pair = &m->pairs[i];
        if (pair->count > 0) {
            pair->kind->relax(f, pair, m->now + pair->first, m->rates + pair->first);
        }
    }
}

void iso_flow_memory_scales(const iso_flow* f, double unknown, double* out_scales) {
    const iso_flow_memory* m = f->memory;
    for (int i = 0; m && i < m->count; ++i) {
        const iso_flow_pair* pair = &m->pairs[i];
        if (pair->count > 0) {
            pair->kind->scale(f, pair, unknown, out_scales + pair->first);
        }
    }
}

static const iso_memory_kind* kind_of(const iso_flow* f, const iso_flow_pair* pair,
                                      const iso_contact_pair* touching) {
    const iso_contact_system* system = f->stages->stepper->dynamics.contact;
    return pair ? pair->kind
                : iso_memory_kind_of(system, touching->geometry_a, touching->geometry_b,
                                     touching->lasting, touching->model);
}

// A law of the caller's that gives no coefficient of friction leaves a wrench that is not finite.
static void note_law(iso_flow* f, const iso_contact_pair* pair, iso_spatial v_c,
                     iso_spatial wrench) {
    const iso_contact_system* system = f->stages->stepper->dynamics.contact;
    bool is_own = iso_contact_system_options(system)->friction_law == ISO_FRICTION_OWN;
    bool is_bad = iso_vec3_is_finite(v_c.translational) && iso_vec3_is_finite(v_c.rotational) &&
                  !iso_vec3_is_finite(wrench.translational);
    if (is_own && is_bad) {
        iso_vec3 n = pair->model->normal(pair);
        iso_vec3 v = v_c.translational;
        f->bad_a = iso_contact_system_geometry(system, pair->geometry_a);
        f->bad_b = iso_contact_system_geometry(system, pair->geometry_b);
        f->bad_speed = iso_vec3_norm(iso_vec3_add_scaled(v, n, -iso_vec3_dot(v, n)));
    }
}

iso_status iso_flow_contact_wrench(iso_flow* f, const iso_stages* now, int index, iso_spatial v_c,
                                   iso_contact_losses* out_losses, const iso_face_values* out_faces,
                                   iso_spatial* out_wrench) {
    const iso_contact_pair* touching = &now->set.pairs[index];
    const iso_contact_system* system = now->stepper->dynamics.contact;
    iso_flow_memory* m = f->memory;
    const iso_flow_pair* pair = m ? find(m, touching->geometry_a, touching->geometry_b) : NULL;
    const iso_memory_kind* kind = kind_of(f, pair, touching);
    double unused[ISO_EPISODE_NUMBERS];
    iso_brush none = {
        .size = iso_contact_system_brush_size(system, touching->geometry_a, touching->geometry_b)};
    iso_flow_touch touch = {.pair = touching,
                            .index = index,
                            .v_c = v_c,
                            .x = pair ? m->now + pair->first : k_nothing,
                            .brush = pair ? &pair->brush : &none,
                            .rates = pair ? m->rates + pair->first : unused,
                            .faces = out_faces};
    iso_contact_pair own;
    if (pair && pair->lasting) {
        own = *touching;
        own.dissipation = iso_flow_dissipation(f, pair, touching, v_c);
        touch.pair = &own;
    } else if (m && !pair && kind->count > 0) {
        note(f, touching);
    }
    iso_flow_felt felt = {.losses = {0.0, 0.0}};
    iso_status status = kind->feel(f, now, &touch, &felt);
    *out_losses = felt.losses;
    *out_wrench = felt.wrench;
    note_law(f, touching, v_c, felt.wrench);
    return status;
}

iso_status iso_flow_line_pair(const iso_flow* f, const iso_contact_pair* touching, iso_spatial v_c,
                              const iso_contact_pair** out_pair) {
    iso_arena* arena = &f->stages->stepper->arena;
    const iso_flow_memory* m = f->memory;
    const iso_flow_pair* pair = m ? find(m, touching->geometry_a, touching->geometry_b) : NULL;
    *out_pair = touching;
    if (!m) {
        return ISO_OK;
    }
    const iso_memory_kind* kind = kind_of(f, pair, touching);
    iso_contact_pair* own = iso_arena_push_array(arena, 1, sizeof *own);
    ISO_REQUIRE(arena->ctx, own, ISO_ERR_MEMORY, "derivatives of a contact");
    *own = kind->count > 0 ? iso_contact_pair_smooth(touching) : *touching;
    if (pair) {
        own->dissipation = iso_flow_dissipation(f, pair, touching, v_c);
    }
    *out_pair = own;
    return ISO_OK;
}

iso_status iso_flow_keep_memory(const iso_flow* f, const double* x, iso_contact_result* result) {
    const iso_flow_memory* m = f->memory;
    if (!m) {
        return ISO_OK;
    }
    iso_arena* arena = &f->stages->stepper->arena;
    int most = 0;
    for (int i = 0; i < m->count; ++i) {
        most += iso_episode_field_memories(m->pairs[i].brush.count);
    }
    result->memories = iso_arena_push_array(arena, most, sizeof *result->memories);
    ISO_REQUIRE(arena->ctx, result->memories, ISO_ERR_MEMORY, "memory of %d pairs", m->count);
    result->memory_count = 0;
    for (int i = 0; i < m->count; ++i) {
        const iso_flow_pair* pair = &m->pairs[i];
        const iso_memory_kind* kind = pair->kind;
        iso_pair_memory* kept = &result->memories[result->memory_count];
        int fields = kind->is_field ? iso_flow_keep_field(pair, x + pair->first, kept) : 0;
        result->memory_count += fields;
        if (fields > 0) {
            continue;
        }
        bool is_forgotten =
            pair->count == 0 || kind->is_field || kind->is_forgotten(pair, x + pair->first);
        if (is_forgotten && !(pair->impact_speed > 0.0)) {
            continue;
        }
        iso_episode episode = {.kind = kind->is_field ? ISO_EPISODE_PLAIN : kind->episode,
                               .impact_speed = pair->impact_speed};
        if (!kind->is_field && pair->count > 0) {
            memcpy(episode.numbers, x + pair->first, (size_t)pair->count * sizeof *x);
        }
        ++result->memory_count;
        *kept = (iso_pair_memory){.geometry_a = pair->geometry_a, .geometry_b = pair->geometry_b};
        iso_episode_remember(&episode, kept);
    }
    return ISO_OK;
}

iso_status iso_flow_blame_memory(const iso_flow* f, iso_status status, int number) {
    const iso_contact_system* system = f->stages->stepper->dynamics.contact;
    const iso_flow_memory* m = f->memory;
    if (status != ISO_ERR_NUMERIC && status != ISO_ERR_NO_CONVERGENCE) {
        return status;
    }
    for (int i = 0; i < m->count; ++i) {
        const iso_flow_pair* pair = &m->pairs[i];
        if (number >= pair->first && number < pair->first + pair->count) {
            const iso_contact_geometry* a = iso_contact_system_geometry(system, pair->geometry_a);
            const iso_contact_geometry* b = iso_contact_system_geometry(system, pair->geometry_b);
            return iso_fail_prefix(f->stages->stepper->ctx, status,
                                   "%s between '%s::%s' and '%s::%s'", pair->kind->name,
                                   a->body_name, a->name, b->body_name, b->name);
        }
    }
    return status;
}
