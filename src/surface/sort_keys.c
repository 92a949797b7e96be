// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/sort_keys.h"

// Bits of a key that are sorted at a time.
#define DIGIT_BITS 8
#define KEY_BITS 31 // keys are not negative
// So few are sorted by insertion.
#define FEW 24

static void sort_few(iso_keyed* entries, int count) {
    for (int i = 1; i < count; ++i) {
        iso_keyed e = entries[i];
        int at = i;
        for (; at > 0 && entries[at - 1].key > e.key; --at) {
            entries[at] = entries[at - 1];
        }
        entries[at] = e;
    }
}

iso_keyed* iso_sort_keys(iso_keyed* entries, iso_keyed* spare, int count) {
    if (count <= FEW) {
        sort_few(entries, count);
        return entries;
    }
    int most = 0;
    for (int i = 0; i < count; ++i) {
        most |= entries[i].key;
    }
    for (int shift = 0; shift < KEY_BITS && most >> shift != 0; shift += DIGIT_BITS) {
        int places[(1 << DIGIT_BITS) + 1] = {0}, mask = (1 << DIGIT_BITS) - 1;
        for (int i = 0; i < count; ++i) {
            ++places[(entries[i].key >> shift & mask) + 1];
        }
        for (int digit = 0; digit < mask; ++digit) {
            places[digit + 1] += places[digit];
        }
        for (int i = 0; i < count; ++i) {
            spare[places[entries[i].key >> shift & mask]++] = entries[i];
        }
        iso_keyed* swap = entries;
        entries = spare;
        spare = swap;
    }
    return entries;
}
