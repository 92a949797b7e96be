// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/faces/sort_keys.h"

#include "support/check.h"
#include "support/random.h"

#include <limits.h>

#define MOST 1000

// Few and many entries, keys of one byte up to the largest.
static void keys_of_any_size_are_sorted_and_equal_ones_keep_their_order(void** state) {
    (void)state;
    static const int limits[] = {3, 200, 70000, 1 << 24, 1 << 26, INT_MAX};
    static const int counts[] = {0, 1, 24, 25, 511, 512, MOST};
    static iso_keyed entries[MOST], spare[MOST];
    test_random random = test_random_make(4);
    for (int l = 0; l < 6; ++l) {
        for (int c = 0; c < 7; ++c) {
            for (int i = 0; i < counts[c]; ++i) {
                // The address tells where an entry stood.
                entries[i] = (iso_keyed){test_random_int(&random, 0, limits[l]), &entries[i]};
            }
            const iso_keyed* sorted = iso_sort_keys(entries, spare, counts[c]);
            for (int i = 1; i < counts[c]; ++i) {
                const iso_keyed *a = &sorted[i - 1], *b = &sorted[i];
                CHECK(a->key < b->key ||
                          (a->key == b->key && (iso_keyed*)a->what < (iso_keyed*)b->what),
                      "limit %d, count %d, place %d: %d, then %d", limits[l], counts[c], i, a->key,
                      b->key);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_of_any_size_are_sorted_and_equal_ones_keep_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
