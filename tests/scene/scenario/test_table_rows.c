// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Tables of numbers: decimal commas, and rows that do not fit their row_check, are refused.

#include "isobar/identify.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char k_path[] = ISOBAR_BINARY_DIR "/table_rows_test.csv";

static void write_text(const char* text, size_t size) {
    FILE* file = fopen(k_path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

// Columns of numbers of a drawn format; row_check behind them where there are names.
static char* make_table(uint64_t seed, bool has_check, char point, size_t* out_size) {
    test_random random = test_random_make(seed);
    char* text = NULL;
    FILE* file = open_memstream(&text, out_size);
    int columns = test_random_int(&random, 2, 9), rows = test_random_int(&random, 12, 40);
    int decimals = has_check ? 17 : test_random_int(&random, 2, 15);
    double scale = pow(10.0, test_random_uniform(&random, -4.0, 4.0));
    assert_non_null(file);
    for (int c = 0; has_check && c < columns; ++c) {
        fprintf(file, "c%d,%s", c, c == columns - 1 ? "row_check\n" : "");
    }
    for (int r = 0; r < rows; ++r) {
        double values[9];
        for (int c = 0; c < columns; ++c) {
            char cell[400];
            values[c] = scale * test_random_normal(&random);
            (void)snprintf(cell, sizeof cell, has_check ? "%.*g" : "%.*f", decimals, values[c]);
            char* at = strchr(cell, '.');
            if (at != NULL) {
                *at = point;
            }
            fprintf(file, "%s%s", cell, has_check || c < columns - 1 ? "," : "\n");
        }
        if (has_check) {
            fprintf(file, "%.0f\n", iso_table_check(values, columns));
        }
    }
    assert_int_equal(fclose(file), 0);
    return text;
}

static void decimal_commas_are_refused(void** state) {
    for (uint64_t seed = 1; seed <= 200; ++seed) {
        iso_table t;
        for (int k = 0; k < 2; ++k) {
            size_t size = 0;
            char* text = make_table(seed, k == 1, ',', &size);
            write_text(text, size);
            free(text);
            CHECK_STATUS(*state, iso_table_read(*state, k_path, &t), ISO_ERR_PARSE);
            CHECK_ERROR(*state, "table_rows_test.csv:");
            CHECK_ERROR(*state, "decimals have points");
            text = make_table(seed, k == 1, '.', &size);
            write_text(text, size);
            free(text);
            CHECK_OK(*state, iso_table_read(*state, k_path, &t));
            iso_table_destroy(*state, &t);
        }
    }
    remove(k_path);
}

// A digit that is another one is found, or is beyond what a double holds.
static void changed_digits_are_found(void** state) {
    for (uint64_t seed = 1; seed <= 300; ++seed) {
        test_random random = test_random_make(seed);
        size_t size = 0;
        iso_table before, t;
        char* text = make_table(seed, true, '.', &size);
        write_text(text, size);
        CHECK_OK(*state, iso_table_read(*state, k_path, &before));
        size_t at = 0, names = strcspn(text, "\n");
        while (at < names || text[at] < '0' || text[at] > '9') {
            at = (size_t)test_random_int(&random, (int)names, (int)size - 1);
        }
        text[at] = (char)('0' + (text[at] - '0' + test_random_int(&random, 1, 9)) % 10);
        write_text(text, size);
        iso_status status = iso_table_read(*state, k_path, &t);
        if (status == ISO_OK) {
            size_t bytes = sizeof(double) * (size_t)(t.row_count * t.column_count);
            CHECK(memcmp(t.values, before.values, bytes) == 0, "byte %zu was not missed", at);
            iso_table_destroy(*state, &t);
        }
        iso_table_destroy(*state, &before);
        free(text);
    }
    remove(k_path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(decimal_commas_are_refused, test_set_up, test_tear_down),
        cmocka_unit_test_setup_teardown(changed_digits_are_found, test_set_up, test_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
