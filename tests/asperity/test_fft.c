// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/fft.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"

#include <math.h>
#include <stdlib.h>

// The sum of the definition, term by term.
static void slow_spectrum(const double* x, int rows, int columns, int j, int k, double out[2]) {
    const double turn = 2.0 * acos(-1.0);
    out[0] = out[1] = 0.0;
    for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < columns; ++c) {
            double angle =
                turn * ((double)(j * r % rows) / rows + (double)(k * c % columns) / columns);
            out[0] += x[r * columns + c] * cos(angle);
            out[1] -= x[r * columns + c] * sin(angle);
        }
    }
}

static void spectrum_is_the_sum_of_its_definition_at_any_size(void** state) {
    iso_context* ctx = test_context();
    (void)state;
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        test_random random = test_random_make(seed);
        int rows = test_random_int(&random, 1, 36);
        int columns = test_random_int(&random, 1, 70);
        rows = seed % 3 == 0 ? 1 : rows;
        int filled_rows = test_random_int(&random, 1, rows);
        int filled_columns = test_random_int(&random, 1, columns);
        iso_fft_grid grid;
        CHECK_OK(ctx, iso_fft_grid_make(ctx, rows, columns, &grid));
        double* x = calloc((size_t)(rows * columns), sizeof *x);
        double* part = calloc((size_t)(filled_rows * filled_columns), sizeof *part);
        double* back = calloc((size_t)(rows * columns), sizeof *back);
        double* re = calloc(iso_fft_grid_size(&grid), sizeof *re);
        double* im = calloc(iso_fft_grid_size(&grid), sizeof *im);
        for (int i = 0; i < filled_rows * filled_columns; ++i) {
            part[i] = test_random_normal(&random);
            x[i / filled_columns * columns + i % filled_columns] = part[i];
        }
        iso_fft_grid_forward(&grid, part, filled_rows, filled_columns, re, im);
        for (int i = 0; i < 12; ++i) {
            int j = test_random_int(&random, 0, rows - 1);
            int k = test_random_int(&random, 0, columns / 2);
            double slow[2];
            slow_spectrum(x, rows, columns, j, k, slow);
            CHECK_NEAR(re[j * grid.stride + k], slow[0], 1e-12); // measured 7e-14
            CHECK_NEAR(im[j * grid.stride + k], slow[1], 1e-12);
        }
        iso_fft_grid_inverse(&grid, re, im, rows, columns, back);
        CHECK_ARRAY_NEAR(back, x, rows * columns, 1e-13); // measured 1.4e-15
        iso_fft_grid_free(ctx, &grid);
        free(x);
        free(part);
        free(back);
        free(re);
        free(im);
    }
    test_context_destroy(ctx);
}

static iso_status attempt_plan(iso_context* ctx, void* user) {
    iso_fft_grid grid;
    (void)user;
    iso_status status = iso_fft_grid_make(ctx, 12, 16, &grid);
    iso_fft_grid_free(ctx, &grid);
    return status;
}

static void every_failed_allocation_is_reported(void** state) {
    (void)state;
    assert_int_equal(check_every_allocation_failure(attempt_plan, NULL), 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spectrum_is_the_sum_of_its_definition_at_any_size),
        cmocka_unit_test(every_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
