// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The queues of threads that share a walk: nothing is lost, and each thread begins at its own end.

#include "surface/walk/trace.h"

#include "support/arena_fixture.h"
#include "support/check.h"
#include "support/random.h"

#include <string.h>

#define MOST 5000

// What is queued and counts comes out once, through growth and in any order of queueing and taking.
static void every_pair_comes_out_once(void** state) {
    (void)state;
    static const int element_counts[] = {1, 15, 16, 17, 1000, 44675, INT32_MAX};
    static int seen[MOST];
    test_random random = test_random_make(3);
    for (int n = 0; n < 7; ++n) {
        for (int thread = 0; thread < 5; ++thread) {
            iso_trace trace;
            memset(seen, 0, sizeof seen);
            CHECK_OK(ctx, iso_arena_reset(&arena));
            assert_true(iso_trace_begin_shared(&trace, &arena, NULL, element_counts[n], thread, 5));
            int queued = 0, taken = 0;
            for (int i = 0; i < MOST || trace.far_count > 0; ++i) {
                if (i < MOST) {
                    assert_true(iso_trace_reserve(&trace));
                    int counts = test_random_int(&random, 0, 3) > 0;
                    int element_1 = test_random_int(&random, 0, element_counts[n] - 1);
                    iso_trace_queue(&trace, true, (iso_trace_pair){i, element_1}, counts);
                    seen[i] = counts ? 0 : -1;
                    queued += counts;
                }
                if (trace.far_count > 0 && (i >= MOST || test_random_int(&random, 0, 3) == 0)) {
                    iso_trace_pair pair =
                        taken % 7 ? iso_trace_next(&trace, true)
                                  : iso_trace_take(&trace, iso_trace_order_last(&trace.order));
                    ++taken;
                    assert_in_range(pair.element_0, 0, MOST - 1);
                    CHECK(seen[pair.element_0]++ == 0, "pair %d of %d elements", pair.element_0,
                          element_counts[n]);
                }
            }
            CHECK(taken == queued, "%d of %d", taken, queued);
        }
    }
}

// Where the elements of 160 in steps of a shelf come, one to each, by rank.
static void rank_shelves(int thread, int thread_count, int out[ISO_TRACE_SHELVES]) {
    iso_trace trace;
    const int step = 16, count = ISO_TRACE_SHELVES;
    CHECK_OK(ctx, iso_arena_reset(&arena));
    assert_true(iso_trace_begin_shared(&trace, &arena, NULL, step * count, thread, thread_count));
    for (int i = 0; i < count; ++i) { // 7 and the number of shelves have no factor in common
        iso_trace_queue(&trace, true, (iso_trace_pair){0, 7 * i % count * step + i % step}, 1);
    }
    int last = iso_trace_order_last(&trace.order);
    for (int i = 0; i < count; ++i) {
        out[i] = iso_trace_next(&trace, true).element_1 / step;
    }
    CHECK(last == out[count - 1], "the last one is %d, not %d", last, out[count - 1]);
}

// Of two threads one goes up from the lowest element, the other down from the highest; of four the
// inner two go apart from the middle.
static void threads_begin_at_ends_of_their_own(void** state) {
    (void)state;
    const int most = ISO_TRACE_SHELVES, middle = most / 2;
    int rank[ISO_TRACE_SHELVES];
    for (int thread = 0; thread < 2; ++thread) {
        rank_shelves(thread, 2, rank);
        for (int i = 0; i < most; ++i) {
            int expected = thread == 0 ? i : most - 1 - i;
            CHECK(rank[i] == expected, "thread %d, %d: %d", thread, i, rank[i]);
        }
    }
    for (int thread = 1; thread < 3; ++thread) {
        rank_shelves(thread, 4, rank);
        for (int i = 0; i < most; ++i) {
            int expected = thread == 1 ? (middle - 1 - i + most) % most : (middle + i) % most;
            CHECK(rank[i] == expected, "thread %d of 4, %d: %d", thread, i, rank[i]);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_pair_comes_out_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(threads_begin_at_ends_of_their_own, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
