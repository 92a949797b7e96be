// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "contact/pairs/memory.h"

static bool is_before(const iso_pair_memory* m, int geometry_a, int geometry_b) {
    return m->geometry_a < geometry_a ||
           (m->geometry_a == geometry_a && m->geometry_b < geometry_b);
}

const iso_pair_memory* iso_pair_memory_next(const iso_pair_memory* memories, int count,
                                            int geometry_a, int geometry_b, int* at) {
    while (*at < count && is_before(&memories[*at], geometry_a, geometry_b)) {
        ++*at;
    }
    bool is_found = *at < count && memories[*at].geometry_a == geometry_a &&
                    memories[*at].geometry_b == geometry_b;
    return is_found ? &memories[*at] : NULL;
}

int iso_pair_memory_run(const iso_pair_memory* first, int count) {
    int run = first ? 1 : 0;
    while (first && run < count && first[run].geometry_a == first->geometry_a &&
           first[run].geometry_b == first->geometry_b) {
        ++run;
    }
    return run;
}
