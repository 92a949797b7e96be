// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Pairs whose memory is a field: its corners come and go with what presses. docs/theory/
// friction_laws.md.

#include "stepper/flow/flow_memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Most corners of one pair.
#define MOST_CORNERS 16384

// A corner is forgotten whose energy is less than this share of the largest one of its pair, or
// than this [J].
#define FORGOTTEN_SHARE 1e-12
#define FORGOTTEN_ENERGY 1e-30

iso_status iso_flow_recall_field(iso_arena* arena, const iso_pair_memory* memories, int count,
                                 iso_flow_pair* pair) {
    int most = ISO_EPISODE_CORNERS * count;
    iso_corner* corners = iso_arena_push_array(arena, most, sizeof *corners);
    double* s = iso_arena_push_array(arena, ISO_CORNER_NUMBERS * most, sizeof *s);
    ISO_REQUIRE(arena->ctx, corners && s, ISO_ERR_MEMORY, "%d corners", most);
    pair->brush.corners = corners;
    pair->brush.count = 0;
    for (int i = 0; i < count; ++i) {
        iso_episode episode;
        int at = pair->brush.count;
        int found = iso_episode_recall(&memories[i], &episode)
                        ? iso_episode_get_corners(&episode, pair->brush.size, corners + at,
                                                  s + ISO_CORNER_NUMBERS * at)
                        : 0;
        pair->brush.count += found > 0 ? found : 0;
    }
    pair->start = s;
    pair->count = ISO_CORNER_NUMBERS * pair->brush.count;
    return ISO_OK;
}

void iso_flow_note_corners(iso_flow_memory* m, const iso_flow_touch* touch,
                           const iso_corner* corners, int count) {
    for (int i = 0; i < count && m->pressed_count < ISO_FLOW_PRESSED; ++i) { // others later
        m->pressed[m->pressed_count++] =
            (iso_flow_corner){touch->pair->geometry_a, touch->pair->geometry_b, corners[i]};
    }
}

static int compare(const void* a, const void* b) {
    const iso_flow_corner *x = a, *y = b;
    if (x->geometry_a != y->geometry_a) {
        return x->geometry_a < y->geometry_a ? -1 : 1;
    }
    if (x->geometry_b != y->geometry_b) {
        return x->geometry_b < y->geometry_b ? -1 : 1;
    }
    return iso_corner_order(&x->corner, &y->corner);
}

// Springs at more corners of one pair.
static iso_status grow(iso_flow* f, iso_flow_pair* pair, const iso_corner* more, int count) {
    iso_arena* arena = &f->stages->stepper->arena;
    const iso_contact_system* system = f->stages->stepper->dynamics.contact;
    int most = pair->brush.count + count;
    if (most > MOST_CORNERS) {
        const iso_contact_geometry* a = iso_contact_system_geometry(system, pair->geometry_a);
        const iso_contact_geometry* b = iso_contact_system_geometry(system, pair->geometry_b);
        ISO_REQUIRE(arena->ctx, false, ISO_ERR_RANGE,
                    "brush size is %g m: the field between '%s::%s' and '%s::%s' needs more than "
                    "%d corners, expected larger cubes",
                    pair->brush.size, a->body_name, a->name, b->body_name, b->name, MOST_CORNERS);
    }
    iso_corner* corners = iso_arena_push_array(arena, most, sizeof *corners);
    double* s = iso_arena_push_array(arena, ISO_CORNER_NUMBERS * most, sizeof *s);
    ISO_REQUIRE(arena->ctx, corners && s, ISO_ERR_MEMORY, "%d corners", most);
    pair->brush.count = iso_brush_merge(&pair->brush, pair->start, more, count, corners, s);
    pair->brush.corners = corners;
    pair->start = s;
    pair->count = ISO_CORNER_NUMBERS * pair->brush.count;
    return ISO_OK;
}

iso_status iso_flow_add_corners(iso_flow* f) {
    iso_flow_memory* m = f->memory;
    iso_arena* arena = &f->stages->stepper->arena;
    iso_status status = ISO_OK;
    if (m->pressed_count == 0) {
        return ISO_OK;
    }
    iso_corner* more = iso_arena_push_array(arena, m->pressed_count, sizeof *more);
    ISO_REQUIRE(arena->ctx, more, ISO_ERR_MEMORY, "%d corners", m->pressed_count);
    qsort(m->pressed, (size_t)m->pressed_count, sizeof *m->pressed, compare);
    for (int i = 0, k = 0; i < m->count && status == ISO_OK; ++i) {
        iso_flow_pair* pair = &m->pairs[i];
        int count = 0;
        for (; k < m->pressed_count && m->pressed[k].geometry_a == pair->geometry_a &&
               m->pressed[k].geometry_b == pair->geometry_b;
             ++k) {
            if (count == 0 || iso_corner_order(&more[count - 1], &m->pressed[k].corner) != 0) {
                more[count++] = m->pressed[k].corner;
            }
        }
        status = count > 0 ? grow(f, pair, more, count) : ISO_OK;
    }
    m->pressed_count = 0;
    return status;
}

int iso_flow_field_memories(int corner_count) {
    return 1 + corner_count / ISO_EPISODE_CORNERS;
}

static double energy_of(const double* s) {
    return 0.5 * (s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
}

static void put(const iso_flow_pair* pair, const iso_corner* corners, const double* s, int count,
                bool is_first, iso_pair_memory* out) {
    iso_episode episode = {.kind = ISO_EPISODE_BRUSH,
                           .impact_speed = is_first ? pair->impact_speed : 0.0};
    iso_episode_put_corners(&episode, pair->brush.size, corners, s, count);
    *out = (iso_pair_memory){.geometry_a = pair->geometry_a, .geometry_b = pair->geometry_b};
    iso_episode_remember(&episode, out);
}

int iso_flow_keep_field(const iso_flow_pair* pair, const double* x, iso_pair_memory* out) {
    iso_corner corners[ISO_EPISODE_CORNERS];
    double s[ISO_EPISODE_CORNERS * ISO_CORNER_NUMBERS], largest = 0.0;
    int kept = 0, count = 0;
    for (int i = 0; i < pair->brush.count; ++i) {
        largest = fmax(largest, energy_of(x + ISO_CORNER_NUMBERS * i));
    }
    double least = fmax(FORGOTTEN_SHARE * largest, FORGOTTEN_ENERGY);
    for (int i = 0; i < pair->brush.count; ++i) {
        const double* from = x + ISO_CORNER_NUMBERS * i;
        if (energy_of(from) > least) {
            corners[count] = pair->brush.corners[i];
            memcpy(s + ISO_CORNER_NUMBERS * count++, from, ISO_CORNER_NUMBERS * sizeof *s);
        }
        if (count == ISO_EPISODE_CORNERS) {
            put(pair, corners, s, count, kept == 0, &out[kept]);
            ++kept;
            count = 0;
        }
    }
    if (count > 0) {
        put(pair, corners, s, count, kept == 0, &out[kept]);
        ++kept;
    }
    return kept;
}
