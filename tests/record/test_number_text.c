// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "record/number_text.h"
#include "support/check.h"
#include "support/random.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

static void formatted_doubles_read_back_to_the_same_bits(void** state) {
    (void)state;
    test_random random = test_random_make(1);
    int longest = 0;
    for (int i = 0; i < 400000; ++i) {
        uint64_t bits = test_random_bits(&random);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (i % 2) {
            value = test_random_normal(&random);
        }
        if (!isfinite(value)) {
            continue;
        }
        char text[ISO_NUMBER_TEXT_SIZE];
        int length = iso_number_format(value, text);
        assert_int_equal(length, strlen(text));
        CHECK_BITS(strtod(text, NULL), value);
        longest = length > longest ? length : longest;
    }
    // Sign, 17 digits, point, exponent e-308.
    CHECK(longest <= 24, "longest text has %d characters", longest);
}

static void formatted_floats_read_back_to_the_same_bits(void** state) {
    (void)state;
    test_random random = test_random_make(2);
    for (int i = 0; i < 400000; ++i) {
        uint32_t bits = (uint32_t)test_random_bits(&random);
        float value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) {
            continue;
        }
        char text[ISO_NUMBER_TEXT_SIZE];
        iso_number_format_float(value, text);
        float back = strtof(text, NULL);
        assert_memory_equal(&back, &value, sizeof value);
    }
}

static void simple_numbers_have_short_texts(void** state) {
    (void)state;
    static const struct {
        double value;
        const char* text;
    } cases[] = {
        {0.0, "0"},
        {-0.0, "-0.0"},
        {1.0, "1"},
        {-10.0, "-10"},
        {0.1, "0.1"},
        {0.3, "0.3"},
        {123.456, "123.456"},
        {1e-3, "0.001"},
        {1.5e-4, "0.00015"},
        {1.5e-5, "1.5e-5"},
        {1e17, "1e17"},
        {1e16, "10000000000000000"},
        {1e22, "1e22"},
        {-1e-300, "-1e-300"},
        {DBL_MAX, "1.7976931348623157e308"},
        {DBL_MIN, "2.2250738585072014e-308"},
        {4.9406564584124654e-324, "5e-324"},
        {9007199254740993.0, "9007199254740992"},
        {1.0 / 3.0, "0.3333333333333333"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char text[ISO_NUMBER_TEXT_SIZE];
        iso_number_format(cases[i].value, text);
        assert_string_equal(text, cases[i].text);
    }
    char text[ISO_NUMBER_TEXT_SIZE];
    iso_number_format_float(0.1F, text);
    assert_string_equal(text, "0.1");
    iso_number_format_float(FLT_MAX, text);
    assert_string_equal(text, "3.4028235e38");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formatted_doubles_read_back_to_the_same_bits),
        cmocka_unit_test(formatted_floats_read_back_to_the_same_bits),
        cmocka_unit_test(simple_numbers_have_short_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
