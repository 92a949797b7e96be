// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/faces/sort_keys.h"

#include <string.h>

// Bits of a key that are sorted at a time: of many keys more, as all values of a digit are counted.
#define DIGIT_BITS 8
#define SHORT_DIGIT_BITS 6
#define MANY 512
#define KEY_BITS 31 // keys are not negative
// So few are sorted by comparing all pairs.
#define FEW 24

// Key and pointer by themselves: a copy of the whole would wait for both to be stored where they
// were just written.
static inline void put(iso_keyed* to, const iso_keyed* entry) {
    to->key = entry->key;
    to->what = entry->what;
}

// Every entry goes behind those that come before it: without branches, as which do cannot be
// foretold.
static void sort_few(const iso_keyed* entries, iso_keyed* out, int count) {
    int places[FEW];
    for (int i = 0; i < count; ++i) {
        int key = entries[i].key, place = 0;
        for (int j = 0; j < i; ++j) {
            int is_after = entries[j].key > key;
            places[j] += is_after;
            place += 1 - is_after;
        }
        places[i] = place;
    }
    for (int i = 0; i < count; ++i) {
        put(&out[places[i]], &entries[i]);
    }
}

iso_keyed* iso_sort_keys(iso_keyed* entries, iso_keyed* spare, int count) {
    if (count <= FEW) {
        sort_few(entries, spare, count);
        return spare;
    }
    int most = 0;
    for (int i = 0; i < count; ++i) {
        most |= entries[i].key;
    }
    int digit_bits = count < MANY ? SHORT_DIGIT_BITS : DIGIT_BITS;
    int places[(1 << DIGIT_BITS) + 1], mask = (1 << digit_bits) - 1;
    for (int shift = 0; shift < KEY_BITS && most >> shift != 0; shift += digit_bits) {
        memset(places, 0, (size_t)(mask + 2) * sizeof *places);
        for (int i = 0; i < count; ++i) {
            ++places[(entries[i].key >> shift & mask) + 1];
        }
        for (int digit = 0; digit < mask; ++digit) {
            places[digit + 1] += places[digit];
        }
        for (int i = 0; i < count; ++i) {
            put(&spare[places[entries[i].key >> shift & mask]++], &entries[i]);
        }
        iso_keyed* swap = entries;
        entries = spare;
        spare = swap;
    }
    return entries;
}
