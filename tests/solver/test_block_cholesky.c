// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "math/dense.h"
#include "solver/spd.h"

#include <string.h>

// Largest |x - x_dense| over largest |x_dense|.
static double difference_from_dense(const spd* m, iso_block_cholesky* matrix, uint64_t seed) {
    test_random random = test_random_make(seed);
    int n = m->row_count;
    double x[SPD_MAX_ROWS], expected[SPD_MAX_ROWS];
    for (int i = 0; i < n; ++i) {
        x[i] = expected[i] = test_random_normal(&random);
    }
    CHECK(iso_block_cholesky_factor(matrix, NULL), "%d blocks", m->block_count);
    iso_block_cholesky_solve(matrix, x);
    double* factor = calloc((size_t)n * (size_t)n, sizeof *factor);
    memcpy(factor, m->dense, (size_t)n * (size_t)n * sizeof *factor);
    assert_true(iso_cholesky_factor(factor, n, n));
    iso_cholesky_solve(factor, n, n, expected);
    free(factor);
    double error = 0.0, largest = 0.0;
    for (int i = 0; i < n; ++i) {
        error = fmax(error, fabs(x[i] - expected[i]));
        largest = fmax(largest, fabs(expected[i]));
    }
    return error / largest;
}

static void sparse_factor_equals_dense_factor(void** state) {
    (void)state;
    TEST_SKIP_IF_WATCHED_FOR_RACES();
    iso_context* ctx = test_context();
    iso_block_cholesky matrix = {.ctx = ctx};
    double worst = 0.0;
    for (int round = 0; round < 60; ++round) {
        int blocks = 1 + round * (SPD_MAX_BLOCKS - 1) / 59;
        double density = (double)(round % 7) / 12.0;
        spd m = spd_random((uint64_t)round, blocks, round % 2 == 0 ? 6 : 9, density);
        CHECK_OK(ctx, iso_block_cholesky_analyze(&matrix, m.sizes, blocks, m.pairs, m.pair_count));
        spd_fill(&m, &matrix);
        worst = fmax(worst, difference_from_dense(&m, &matrix, (uint64_t)round + 100));
        spd_free(&m);
    }
    CHECK_AT_MOST(worst, 1e-12); // measured 4e-15
    iso_block_cholesky_destroy(&matrix);
    test_context_destroy(ctx);
}

static void pattern_is_analyzed_only_when_it_changes(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_block_cholesky matrix = {.ctx = ctx};
    const int sizes[4] = {6, 1, 7, 6};
    const iso_block_pair pairs[3] = {{0, 1}, {1, 2}, {2, 3}};
    const iso_block_pair same[5] = {{3, 2}, {0, 1}, {2, 1}, {1, 0}, {2, 3}};
    CHECK_OK(ctx, iso_block_cholesky_analyze(&matrix, sizes, 4, pairs, 3));
    assert_int_equal(matrix.analysis_count, 1);
    CHECK_OK(ctx, iso_block_cholesky_analyze(&matrix, sizes, 4, same, 5));
    assert_int_equal(matrix.analysis_count, 1);
    CHECK_OK(ctx, iso_block_cholesky_analyze(&matrix, sizes, 4, pairs, 2));
    assert_int_equal(matrix.analysis_count, 2);
    const int other_sizes[4] = {6, 2, 7, 6};
    CHECK_OK(ctx, iso_block_cholesky_analyze(&matrix, other_sizes, 4, pairs, 2));
    assert_int_equal(matrix.analysis_count, 3);
    CHECK_OK(ctx, iso_block_cholesky_analyze(&matrix, other_sizes, 3, pairs, 2));
    assert_int_equal(matrix.analysis_count, 4);
    iso_block_cholesky_destroy(&matrix);
    test_context_destroy(ctx);
}

// Blocks in the factor off the diagonal.
static int fill_of(iso_context* ctx, const int* sizes, int blocks, const iso_block_pair* pairs,
                   int pair_count) {
    iso_block_cholesky matrix = {.ctx = ctx};
    CHECK_OK(ctx, iso_block_cholesky_analyze(&matrix, sizes, blocks, pairs, pair_count));
    int count = matrix.column_index.data[blocks];
    iso_block_cholesky_destroy(&matrix);
    return count;
}

static void trees_of_blocks_fill_in_nowhere(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    enum { BLOCKS = 200 };
    int sizes[BLOCKS];
    iso_block_pair star[BLOCKS - 1], chain[BLOCKS - 1], random_tree[BLOCKS - 1];
    test_random random = test_random_make(7);
    for (int i = 0; i < BLOCKS; ++i) {
        sizes[i] = 6;
    }
    for (int i = 1; i < BLOCKS; ++i) {
        star[i - 1] = (iso_block_pair){0, i};
        chain[i - 1] = (iso_block_pair){i - 1, i};
        random_tree[i - 1] = (iso_block_pair){test_random_int(&random, 0, i - 1), i};
    }
    assert_int_equal(fill_of(ctx, sizes, BLOCKS, star, BLOCKS - 1), BLOCKS - 1);
    assert_int_equal(fill_of(ctx, sizes, BLOCKS, chain, BLOCKS - 1), BLOCKS - 1);
    assert_int_equal(fill_of(ctx, sizes, BLOCKS, random_tree, BLOCKS - 1), BLOCKS - 1);
    test_context_destroy(ctx);
}

/// A pile of boxes 20 x 20: eliminated row by row it has about 20 blocks per row, 7600 in all.
static void ordering_of_a_grid_fills_in_half_as_much_as_its_band(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    enum { SIDE = 20 };
    int sizes[SIDE * SIDE], count = 0;
    iso_block_pair pairs[2 * SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; ++i) {
        sizes[i] = 6;
        if (i % SIDE > 0) {
            pairs[count++] = (iso_block_pair){i - 1, i};
        }
        if (i >= SIDE) {
            pairs[count++] = (iso_block_pair){i - SIDE, i};
        }
    }
    int fill = fill_of(ctx, sizes, SIDE * SIDE, pairs, count);
    CHECK(fill < 7600 / 2, "%d blocks off the diagonal", fill); // measured 3329
    test_context_destroy(ctx);
}

/// An arm that holds three light things: as the hub it must go last, or it couples them all.
static void heavy_hub_is_eliminated_after_its_neighbours(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    const int sizes[4] = {30, 6, 6, 6};
    const iso_block_pair pairs[3] = {{0, 1}, {0, 2}, {0, 3}};
    assert_int_equal(fill_of(ctx, sizes, 4, pairs, 3), 3);
    test_context_destroy(ctx);
}

static void order_of_the_pairs_changes_no_bit(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    spd m = spd_random(3, 25, 6, 0.15);
    double x[2][SPD_MAX_ROWS];
    for (int round = 0; round < 2; ++round) {
        iso_block_cholesky matrix = {.ctx = ctx};
        CHECK_OK(ctx, iso_block_cholesky_analyze(&matrix, m.sizes, 25, m.pairs, m.pair_count));
        spd_fill(&m, &matrix);
        for (int i = 0; i < m.row_count; ++i) {
            x[round][i] = i;
        }
        assert_true(iso_block_cholesky_factor(&matrix, NULL));
        iso_block_cholesky_solve(&matrix, x[round]);
        iso_block_cholesky_destroy(&matrix);
        for (int p = 0; p < m.pair_count / 2; ++p) {
            iso_block_pair t = m.pairs[p];
            m.pairs[p] = m.pairs[m.pair_count - 1 - p];
            m.pairs[m.pair_count - 1 - p] = (iso_block_pair){t.b, t.a};
        }
    }
    CHECK_ARRAY_BITS(x[0], x[1], m.row_count);
    spd_free(&m);
    test_context_destroy(ctx);
}

// Blocks so wide that rows are shared, all coupled with their neighbours up to eight further on.
static void threads_that_share_a_factor_change_no_bit(void** state) {
    enum { BLOCKS = 24, ROWS = 24, NEAR = 8, SIZE = BLOCKS * ROWS };
    iso_context* ctx = test_context();
    int sizes[BLOCKS], count = 0;
    iso_block_pair pairs[BLOCKS * NEAR];
    static double kept[SIZE], x[SIZE];
    (void)state;
    for (int a = 0; a < BLOCKS; ++a) {
        sizes[a] = ROWS;
        for (int b = a + 1; b < BLOCKS && b <= a + NEAR; ++b) {
            pairs[count++] = (iso_block_pair){a, b};
        }
    }
    for (int threads = 1; threads <= 4; ++threads) {
        test_random random = test_random_make(7);
        iso_block_cholesky matrix = {.ctx = ctx};
        iso_task_pool* pool = NULL;
        CHECK_OK(ctx, iso_task_pool_create(ctx, threads, &pool));
        CHECK_OK(ctx, iso_block_cholesky_analyze(&matrix, sizes, BLOCKS, pairs, count));
        iso_block_cholesky_clear(&matrix);
        for (int p = -BLOCKS; p < count; ++p) {
            int a = p < 0 ? p + BLOCKS : pairs[p].a, b = p < 0 ? a : pairs[p].b;
            iso_block_view view = iso_block_cholesky_block(&matrix, a, b);
            for (int i = 0; i < ROWS * ROWS; ++i) {
                view.values[i / ROWS * view.stride + i % ROWS] =
                    test_random_normal(&random) + (a == b && i / ROWS == i % ROWS ? 400.0 : 0.0);
            }
        }
        for (int i = 0; i < SIZE; ++i) {
            x[i] = test_random_normal(&random);
        }
        CHECK(iso_block_cholesky_factor_shared(&matrix, pool, NULL), "%d threads", threads);
        iso_block_cholesky_solve(&matrix, x);
        if (threads > 1) {
            CHECK_ARRAY_BITS(x, kept, SIZE);
        }
        memcpy(kept, x, sizeof kept);
        iso_block_cholesky_destroy(&matrix);
        iso_task_pool_destroy(pool);
    }
    test_context_destroy(ctx);
}

static void indefinite_block_is_named(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    spd m = spd_random(5, 12, 5, 0.2);
    iso_block_cholesky matrix = {.ctx = ctx};
    CHECK_OK(ctx, iso_block_cholesky_analyze(&matrix, m.sizes, 12, m.pairs, m.pair_count));
    const double bad[3] = {-1e6, NAN, INFINITY};
    for (int i = 0; i < 3; ++i) {
        spd_fill(&m, &matrix);
        int block = -1;
        iso_block_cholesky_block(&matrix, 8, 8).values[0] = bad[i];
        assert_false(iso_block_cholesky_factor(&matrix, &block));
        assert_int_equal(block, 8);
    }
    iso_block_cholesky_destroy(&matrix);
    spd_free(&m);
    test_context_destroy(ctx);
}

// Whichever pivot of a block of whichever size is none.
static void every_bad_pivot_is_found(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    test_random random = test_random_make(19);
    const int sizes[] = {6, 1, 6, 3, 6, 5, 2, 4};
    const double bad[] = {-1e6, 0.0, NAN, INFINITY, -INFINITY};
    spd m = spd_make(8, sizes);
    for (int b = 0; b < 8; ++b) {
        for (int k = 0; k < 3; ++k) {
            spd_couple(&m, b, b, &random);
        }
    }
    iso_block_cholesky matrix = {.ctx = ctx};
    CHECK_OK(ctx, iso_block_cholesky_analyze(&matrix, m.sizes, 8, m.pairs, m.pair_count));
    for (int b = 0; b < 8; ++b) {
        for (int i = 0; i < 5 * sizes[b]; ++i) {
            int pivot = i / 5, block = -1;
            spd_fill(&m, &matrix);
            iso_block_cholesky_block(&matrix, b, b).values[pivot * (sizes[b] + 1)] = bad[i % 5];
            CHECK(!iso_block_cholesky_factor(&matrix, &block) && block == b,
                  "%g in row %d of block %d: named %d", bad[i % 5], pivot, b, block);
        }
    }
    int block = -1;
    spd_fill(&m, &matrix);
    assert_true(iso_block_cholesky_factor(&matrix, &block));
    iso_block_cholesky_destroy(&matrix);
    spd_free(&m);
    test_context_destroy(ctx);
}

static void steady_factorization_allocates_nothing(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    spd wide = spd_random(11, 30, 6, 0.2), narrow = spd_random(12, 20, 6, 0.1);
    iso_block_cholesky matrix = {.ctx = ctx};
    long calls = 0;
    for (int round = 0; round < 4; ++round) {
        const spd* m = round % 2 == 0 ? &wide : &narrow;
        CHECK_OK(ctx, iso_block_cholesky_analyze(&matrix, m->sizes, m->block_count, m->pairs,
                                                 m->pair_count));
        spd_fill(m, &matrix);
        double x[SPD_MAX_ROWS] = {1.0};
        assert_true(iso_block_cholesky_factor(&matrix, NULL));
        iso_block_cholesky_solve(&matrix, x);
        if (round == 0) {
            calls = test_heap_of(ctx)->call_count;
        }
    }
    assert_int_equal(test_heap_of(ctx)->call_count, calls);
    assert_int_equal(matrix.analysis_count, 4);
    iso_block_cholesky_destroy(&matrix);
    spd_free(&wide);
    spd_free(&narrow);
    test_context_destroy(ctx);
}

// What rolls apart may meet later, two by two and then all in a row.
static void blocks_that_couple_later_find_room(void** state) {
    (void)state;
    enum { COUNT = 24 };
    iso_context* ctx = test_context();
    iso_block_cholesky matrix = {.ctx = ctx};
    int sizes[COUNT];
    iso_block_pair pairs[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        sizes[i] = 6;
        pairs[i] = (iso_block_pair){i, (i + 1) % COUNT};
    }
    CHECK_OK(ctx, iso_block_cholesky_analyze(&matrix, sizes, COUNT, pairs, 0));
    long calls = test_heap_of(ctx)->call_count;
    for (int count = 1; count < COUNT / 2; ++count) {
        CHECK_OK(ctx, iso_block_cholesky_analyze(&matrix, sizes, COUNT, pairs, count));
    }
    assert_int_equal(test_heap_of(ctx)->call_count, calls);
    iso_block_cholesky_destroy(&matrix);
    test_context_destroy(ctx);
}

static void no_block_is_a_matrix_too(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_block_cholesky matrix = {.ctx = ctx};
    CHECK_OK(ctx, iso_block_cholesky_analyze(&matrix, NULL, 0, NULL, 0));
    iso_block_cholesky_clear(&matrix);
    assert_true(iso_block_cholesky_factor(&matrix, NULL));
    iso_block_cholesky_solve(&matrix, NULL);
    iso_block_cholesky_destroy(&matrix);
    test_context_destroy(ctx);
}

static iso_status attempt_analysis(iso_context* ctx, void* user) {
    const spd* m = user;
    iso_block_cholesky matrix = {.ctx = ctx};
    iso_status status =
        iso_block_cholesky_analyze(&matrix, m->sizes, m->block_count, m->pairs, m->pair_count);
    if (status != ISO_OK) {
        // A failed analysis does not stand in the way of the next one.
        iso_status again =
            iso_block_cholesky_analyze(&matrix, m->sizes, m->block_count, m->pairs, m->pair_count);
        CHECK_OK(ctx, again);
        spd_fill(m, &matrix);
        CHECK_AT_MOST(difference_from_dense(m, &matrix, 1), 1e-12); // measured 6e-16
        iso_block_cholesky_destroy(&matrix);
        return iso_fail(ctx, status, __func__, "analysis");
    }
    iso_block_cholesky_destroy(&matrix);
    return status;
}

static void analysis_survives_every_allocation_failure(void** state) {
    (void)state;
    spd m = spd_random(13, 15, 4, 0.2);
    int count = check_every_allocation_failure(attempt_analysis, &m);
    CHECK(count >= 10, "%d allocations", count);
    spd_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sparse_factor_equals_dense_factor),
        cmocka_unit_test(pattern_is_analyzed_only_when_it_changes),
        cmocka_unit_test(trees_of_blocks_fill_in_nowhere),
        cmocka_unit_test(ordering_of_a_grid_fills_in_half_as_much_as_its_band),
        cmocka_unit_test(heavy_hub_is_eliminated_after_its_neighbours),
        cmocka_unit_test(order_of_the_pairs_changes_no_bit),
        cmocka_unit_test(threads_that_share_a_factor_change_no_bit),
        cmocka_unit_test(indefinite_block_is_named),
        cmocka_unit_test(steady_factorization_allocates_nothing),
        cmocka_unit_test(blocks_that_couple_later_find_room),
        cmocka_unit_test(no_block_is_a_matrix_too),
        cmocka_unit_test(analysis_survives_every_allocation_failure),
        cmocka_unit_test(every_bad_pivot_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
