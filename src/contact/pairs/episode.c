// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "contact/pairs/episode.h"

#include <math.h>
#include <string.h>

// Where an episode stands in a memory: kind, speed of impact, numbers. Sticking friction has a
// rotation before it, which is no zero.
#define FIRST_VALUE 4
#define NUMBERS_VALUE (FIRST_VALUE + 2)
_Static_assert(NUMBERS_VALUE + ISO_EPISODE_NUMBERS <= ISO_PAIR_MEMORY_DOUBLES, "it fits in");

void iso_episode_remember(const iso_episode* episode, iso_pair_memory* memory) {
    memset(memory->values, 0, sizeof memory->values);
    memory->values[FIRST_VALUE] = episode->kind;
    memory->values[FIRST_VALUE + 1] = episode->impact_speed;
    memcpy(memory->values + NUMBERS_VALUE, episode->numbers, sizeof episode->numbers);
}

bool iso_episode_recall(const iso_pair_memory* memory, iso_episode* out) {
    const double* values = memory->values;
    *out = (iso_episode){.impact_speed = 0.0};
    for (int i = 0; i < FIRST_VALUE; ++i) {
        if (values[i] != 0.0) {
            return false;
        }
    }
    for (int kind = ISO_EPISODE_PLAIN; kind <= ISO_EPISODE_ABSORBED; ++kind) {
        if (values[FIRST_VALUE] == kind) {
            out->kind = (iso_episode_kind)kind;
            out->impact_speed = values[FIRST_VALUE + 1];
            memcpy(out->numbers, values + NUMBERS_VALUE, sizeof out->numbers);
            return true;
        }
    }
    return false;
}

// A corner is forgotten whose energy is less than this share of the largest one of its pair, or
// than this [J].
#define FORGOTTEN_SHARE 1e-12
#define FORGOTTEN_ENERGY 1e-30

// Size and count, then index and springs of each corner.
#define CORNER_VALUES (3 + ISO_CORNER_NUMBERS)
_Static_assert(2 + ISO_EPISODE_CORNERS * CORNER_VALUES <= ISO_EPISODE_NUMBERS, "corners fit in");

void iso_episode_put_corners(iso_episode* episode, double size, const iso_corner* corners,
                             const double* s, int count) {
    double* to = episode->numbers;
    *to++ = size;
    *to++ = count;
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) {
            *to++ = corners[i].index[k];
        }
        for (int k = 0; k < ISO_CORNER_NUMBERS; ++k) {
            *to++ = s[ISO_CORNER_NUMBERS * i + k];
        }
    }
}

int iso_episode_get_corners(const iso_episode* episode, double size,
                            iso_corner corners[ISO_EPISODE_CORNERS],
                            double s[ISO_EPISODE_CORNERS * ISO_CORNER_NUMBERS]) {
    const double *from = episode->numbers, given = *from++, number = *from++;
    bool is_good = given == size && number >= 1.0 && number <= ISO_EPISODE_CORNERS;
    int count = is_good ? (int)number : 0;
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) {
            double index = *from++;
            is_good = is_good && fabs(index) <= ISO_CORNER_FARTHEST && index == floor(index);
            corners[i].index[k] = is_good ? (int)index : 0;
        }
        for (int k = 0; k < ISO_CORNER_NUMBERS; ++k) {
            s[ISO_CORNER_NUMBERS * i + k] = *from++;
        }
        is_good = is_good && (i == 0 || iso_corner_order(&corners[i - 1], &corners[i]) < 0);
    }
    return is_good && count == number ? count : -1;
}

bool iso_episode_goes_on(const iso_pair_memory* before, const iso_pair_memory* memory) {
    iso_episode first, second;
    iso_corner a[ISO_EPISODE_CORNERS], b[ISO_EPISODE_CORNERS];
    double s[ISO_EPISODE_CORNERS * ISO_CORNER_NUMBERS];
    if (!iso_episode_recall(before, &first) || !iso_episode_recall(memory, &second) ||
        second.kind != ISO_EPISODE_BRUSH || second.impact_speed != 0.0) {
        return false;
    }
    double size = second.numbers[0];
    if (first.kind != ISO_EPISODE_BRUSH) {
        return first.kind == ISO_EPISODE_ABSORBED;
    }
    int count = iso_episode_get_corners(&first, size, a, s);
    return count > 0 && iso_episode_get_corners(&second, size, b, s) > 0 &&
           iso_corner_order(&a[count - 1], &b[0]) < 0;
}

int iso_episode_field_memories(int corner_count) {
    return 1 + corner_count / ISO_EPISODE_CORNERS;
}

static double energy_of(const double* s) {
    return 0.5 * (s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
}

static void put(const iso_pair_memory* pair, double impact_speed, double size,
                const iso_corner* corners, const double* s, int count, iso_pair_memory* out) {
    iso_episode episode = {.kind = ISO_EPISODE_BRUSH, .impact_speed = impact_speed};
    iso_episode_put_corners(&episode, size, corners, s, count);
    *out = (iso_pair_memory){.geometry_a = pair->geometry_a, .geometry_b = pair->geometry_b};
    iso_episode_remember(&episode, out);
}

int iso_episode_keep_field(const iso_pair_memory* pair, double impact_speed, const iso_brush* brush,
                           const double* x, iso_pair_memory* out) {
    iso_corner corners[ISO_EPISODE_CORNERS];
    double s[ISO_EPISODE_CORNERS * ISO_CORNER_NUMBERS], largest = 0.0;
    int kept = 0, count = 0;
    for (int i = 0; i < brush->count; ++i) {
        largest = fmax(largest, energy_of(x + ISO_CORNER_NUMBERS * i));
    }
    double least = fmax(FORGOTTEN_SHARE * largest, FORGOTTEN_ENERGY);
    for (int i = 0; i < brush->count; ++i) {
        const double* from = x + ISO_CORNER_NUMBERS * i;
        if (energy_of(from) > least) {
            corners[count] = brush->corners[i];
            memcpy(s + ISO_CORNER_NUMBERS * count++, from, ISO_CORNER_NUMBERS * sizeof *s);
        }
        if (count == ISO_EPISODE_CORNERS || (count > 0 && i == brush->count - 1)) {
            put(pair, kept == 0 ? impact_speed : 0.0, brush->size, corners, s, count, &out[kept]);
            ++kept;
            count = 0;
        }
    }
    return kept;
}

iso_status iso_episode_recall_field(iso_arena* arena, const iso_pair_memory* memories, int count,
                                    iso_brush* brush, double** out_s) {
    int most = ISO_EPISODE_CORNERS * count;
    iso_corner* corners = iso_arena_push_array(arena, most, sizeof *corners);
    double* s = iso_arena_push_array(arena, ISO_CORNER_NUMBERS * most, sizeof *s);
    ISO_REQUIRE(arena->ctx, corners && s, ISO_ERR_MEMORY, "%d corners", most);
    brush->corners = corners;
    brush->count = 0;
    for (int i = 0; i < count; ++i) {
        iso_episode episode;
        bool is_field =
            iso_episode_recall(&memories[i], &episode) && episode.kind == ISO_EPISODE_BRUSH;
        int found = is_field
                        ? iso_episode_get_corners(&episode, brush->size, corners + brush->count,
                                                  s + ISO_CORNER_NUMBERS * brush->count)
                        : 0;
        brush->count += found > 0 ? found : 0;
    }
    *out_s = s;
    return ISO_OK;
}

double iso_episode_energy(const iso_episode* episode) {
    iso_corner corners[ISO_EPISODE_CORNERS];
    double s[ISO_EPISODE_CORNERS * ISO_CORNER_NUMBERS], sum = 0.0;
    if (episode->kind == ISO_EPISODE_STRETCH) {
        return iso_stretch_energy((const iso_stretch*)episode->numbers);
    }
    int count = episode->kind == ISO_EPISODE_BRUSH
                    ? iso_episode_get_corners(episode, episode->numbers[0], corners, s)
                    : 0;
    for (int i = 0; i < ISO_CORNER_NUMBERS * count; ++i) {
        sum += 0.5 * s[i] * s[i];
    }
    return sum;
}
