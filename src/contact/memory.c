// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "contact/memory.h"

const iso_pair_memory* iso_pair_memory_find(const iso_pair_memory* memories, int count,
                                            int geometry_a, int geometry_b) {
    int low = 0, high = count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        const iso_pair_memory* m = &memories[middle];
        if (m->geometry_a == geometry_a && m->geometry_b == geometry_b) {
            return m;
        }
        bool is_before = m->geometry_a < geometry_a ||
                         (m->geometry_a == geometry_a && m->geometry_b < geometry_b);
        if (is_before) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}
