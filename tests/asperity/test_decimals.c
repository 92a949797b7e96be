// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Tables of numbers with decimal commas are refused, whatever their format; whole numbers are not.

#include "isobar/lab.h"
#include "isobar/learned.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/kept_warning.h"
#include "support/random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char k_path[] = ISOBAR_BINARY_DIR "/lab_decimals_test.csv";

typedef struct draw {
    test_random random;
    int rows, columns, decimals;
    bool has_exponent, has_names, is_whole;
    double scale, middle;
} draw;

static draw draw_table(uint64_t seed) {
    draw d = {.random = test_random_make(seed)};
    d.columns = test_random_int(&d.random, 1, 7) + 1;
    d.rows = test_random_int(&d.random, 64, 90) / d.columns + 4;
    d.decimals = test_random_int(&d.random, 2, 16);
    d.has_exponent = test_random_int(&d.random, 0, 2) == 0;
    d.has_names = test_random_int(&d.random, 0, 3) == 0;
    d.scale = pow(10.0, test_random_uniform(&d.random, -6.0, 2.0));
    d.middle = test_random_int(&d.random, 0, 1) ? 0.0 : 3.0 * d.scale;
    return d;
}

static void print_number(FILE* file, const draw* d, double value, char point) {
    char text[400];
    int decimals = d->is_whole ? 0 : d->decimals;
    (void)snprintf(text, sizeof text, d->has_exponent ? "%.*e" : "%.*f", decimals, value);
    char* at = strchr(text, '.');
    if (at != NULL) {
        *at = point;
    }
    fputs(text, file);
}

// A profile of two columns, or a map.
static void write_table(draw* d, char point) {
    FILE* file = fopen(k_path, "wb");
    assert_non_null(file);
    for (int i = 0; d->has_names && i < d->columns; ++i) {
        fprintf(file, "%sc%d", i > 0 ? "," : "", i);
    }
    fprintf(file, "%s", d->has_names ? "\n" : "");
    for (int i = 0; i < d->rows * d->columns; ++i) {
        double value = d->middle + d->scale * test_random_normal(&d->random);
        value = d->columns == 2 && i % 2 == 0 ? 0.25 * i : value;
        print_number(file, d, value, point);
        fputc(i % d->columns == d->columns - 1 ? '\n' : ',', file);
    }
    assert_int_equal(fclose(file), 0);
}

// Or there is a warning, where they may be whole numbers as well.
static void heights_with_decimal_commas_are_refused(void** state) {
    int refused = 0, warned = 0, count = 400;
    for (int seed = 1; seed <= count; ++seed) {
        draw d = draw_table((uint64_t)seed);
        iso_lab_surface s;
        kept_warning kept;
        iso_context* ctx = warned_context_of(&kept, "decimal commas");
        write_table(&d, ',');
        iso_status status = iso_lab_surface_read(ctx, k_path, 1e-3, 1.0, &s);
        if (status == ISO_OK) {
            CHECK(kept.count == 1, "seed %d: read without a word", seed);
            iso_lab_surface_free(ctx, &s);
            ++warned;
        } else {
            CHECK_STATUS(ctx, status, ISO_ERR_PARSE);
            CHECK_ERROR(ctx, "lab_decimals_test.csv:");
            CHECK_ERROR(ctx, "decimal");
            ++refused;
        }
        iso_context_destroy(ctx);
    }
    CHECK(refused > count / 2 && refused + warned == count, "%d refused", refused);
    remove(k_path);
    (void)state;
}

// Gratings, steps and padded numbers are no decimals, whatever else they look like.
static void whole_heights_of_any_pattern_are_read(void** state) {
    const char* const texts[] = {
        "profile\n0,5\n1,6\n2,5\n3,6\n",
        "0,250,0,250\n0,250,0,250\n0,250,0,250\n0,250,0,250\n",
        "0,0,0,1000\n0,0,0,1000\n0,0,0,1000\n0,0,0,1000\n",
        "-3,0,-3,0\n-3,0,-3,0\n-3,0,-3,0\n-3,0,-3,0\n",
        "071,072,071,070\n071,072,071,070\n071,072,071,070\n071,072,071,070\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        iso_lab_surface s;
        FILE* file = fopen(k_path, "wb");
        assert_non_null(file);
        fputs(texts[i], file);
        assert_int_equal(fclose(file), 0);
        CHECK_OK(*state, iso_lab_surface_read(*state, k_path, 1e-3, 1.0, &s));
        iso_lab_surface_free(*state, &s);
    }
    remove(k_path);
}

static void heights_with_points_and_whole_ones_are_read(void** state) {
    for (uint64_t seed = 1; seed <= 400; ++seed) {
        draw d = draw_table(seed);
        iso_lab_surface s;
        d.is_whole = seed % 2 == 0;
        d.columns += d.columns == 3;
        d.columns += d.is_whole && d.columns == 2 ? 2 : 0; // whole places are none
        d.scale = d.is_whole ? pow(10.0, test_random_uniform(&d.random, 0.7, 6.0)) : d.scale;
        d.has_exponent = d.has_exponent && !d.is_whole;
        d.middle = 3.0 * d.scale;
        write_table(&d, '.');
        if (d.columns == 2 && d.has_exponent) {
            continue; // places at distances that rounding makes uneven
        }
        CHECK_OK(*state, iso_lab_surface_read(*state, k_path, 1e-3, 1.0, &s));
        assert_int_equal(s.columns, d.columns == 2 ? d.rows : d.columns);
        iso_lab_surface_free(*state, &s);
    }
    remove(k_path);
}

static void pairs_of_materials_with_decimal_commas_are_refused(void** state) {
    for (uint64_t seed = 1; seed <= 100; ++seed) {
        draw d = draw_table(seed);
        iso_learned_row* rows = NULL;
        int count = 0;
        d.columns = 9;
        write_table(&d, ',');
        CHECK_STATUS(*state, iso_learned_rows_read(*state, k_path, &rows, &count), ISO_ERR_PARSE);
        CHECK_ERROR(*state, "decimals have points");
    }
    remove(k_path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(heights_with_decimal_commas_are_refused, test_set_up,
                                        test_tear_down),
        cmocka_unit_test_setup_teardown(whole_heights_of_any_pattern_are_read, test_set_up,
                                        test_tear_down),
        cmocka_unit_test_setup_teardown(heights_with_points_and_whole_ones_are_read, test_set_up,
                                        test_tear_down),
        cmocka_unit_test_setup_teardown(pairs_of_materials_with_decimal_commas_are_refused,
                                        test_set_up, test_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
