// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "contact/pairs/episode.h"

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
    for (int kind = ISO_EPISODE_PLAIN; kind <= ISO_EPISODE_STRETCH; ++kind) {
        if (values[FIRST_VALUE] == kind) {
            out->kind = (iso_episode_kind)kind;
            out->impact_speed = values[FIRST_VALUE + 1];
            memcpy(out->numbers, values + NUMBERS_VALUE, sizeof out->numbers);
            return true;
        }
    }
    return false;
}
