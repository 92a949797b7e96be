// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "record/json/json_text.h"
#include "record/json/number_read.h"
#include "record/json/number_text.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Any finite bits by turns with numbers of order one.
static double random_number(test_random* random, int i) {
    double value = test_random_normal(random);
    if (i % 2) {
        return value;
    }
    do {
        uint64_t bits = test_random_bits(random);
        memcpy(&value, &bits, sizeof value);
    } while (!isfinite(value));
    return value;
}

static void formatted_doubles_read_back_to_the_same_bits(void** state) {
    (void)state;
    test_random random = test_random_make(1);
    int longest = 0;
    for (int i = 0; i < 400000; ++i) {
        double value = random_number(&random, i);
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

// Of every length, with both signs, and the ends of the range.
static void integers_are_those_of_printf(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    test_random random = test_random_make(3);
    iso_bytes out = iso_bytes_make(ctx);
    static const int64_t ends[] = {0, INT64_MIN, INT64_MAX, -1, 9, 10, -10};
    for (int i = 0; i < 20000; ++i) {
        int64_t value = (int64_t)test_random_bits(&random) >> test_random_int(&random, 0, 63);
        value = i < 7 ? ends[i] : value;
        iso_json json = iso_json_make(&out);
        iso_bytes_clear(&out);
        iso_json_put_int(&json, NULL, value);
        char want[32];
        int length = snprintf(want, sizeof want, "%lld", (long long)value);
        assert_int_equal(out.size, length);
        assert_memory_equal(out.data, want, out.size);
    }
    iso_bytes_free(&out);
    test_context_destroy(ctx);
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

// Reads a text that is nothing but a number.
static double read_whole(const char* text) {
    double value = NAN;
    const char* end = text + strlen(text);
    const char* behind = iso_number_read(text, end, &value);
    CHECK(behind == end, "\"%s\" was read up to character %d", text,
          behind ? (int)(behind - text) : -1);
    return value;
}

static void read_numbers_are_those_of_strtod(void** state) {
    (void)state;
    test_random random = test_random_make(3);
    for (int i = 0; i < 400000; ++i) {
        double value = random_number(&random, i);
        char text[64];
        iso_number_format(value, text);
        CHECK_BITS(read_whole(text), value);
        snprintf(text, sizeof text, "%.*e", i % 25, value);
        double want = strtod(text, NULL);
        if (isfinite(want)) {
            CHECK_BITS(read_whole(text), want);
        }
    }
}

// Half way between two doubles, and a digit above and below: where an estimate goes wrong.
static void ties_are_rounded_to_even_and_their_neighbours_away(void** state) {
    (void)state;
    test_random random = test_random_make(4);
    for (int i = 0; i < 100000; ++i) {
        uint64_t bits = test_random_bits(&random);
        uint64_t half = ((bits & (((uint64_t)1 << 53) - 1)) | (uint64_t)1 << 53) | 1;
        int shift = (int)(bits >> 54 & 7);
        char text[80];
        for (int step = -1; step <= 1; ++step) {
            snprintf(text, sizeof text, "%llu",
                     (unsigned long long)((half << shift) + (uint64_t)(int64_t)step));
            CHECK_BITS(read_whole(text), strtod(text, NULL));
        }
        snprintf(text, sizeof text, "%.60g", (double)(half >> 1) * 0.5 + 0.25);
        CHECK_BITS(read_whole(text), strtod(text, NULL));
    }
    static const char* const texts[] = {
        "9007199254740993",
        "9007199254740995",
        "9007199254740992.9999999999",
        "0",
        "-0",
        "0e99999999999",
        "1e-99999999999",
        "2.2250738585072011e-308",
        "1.7976931348623158e308",
        "4.9e-324",
        "2.4703282292062327e-324",
        "18446744073709551616",
        "0.000000000000000",
        "1E22",
        "123456789012345678901234567890e-300",
        "1e23",
        "8.5e22",
        "-0e0",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        CHECK_BITS(read_whole(texts[i]), strtod(texts[i], NULL));
    }
}

static void only_numbers_of_json_are_read(void** state) {
    (void)state;
    static const char* const refused[] = {"",    "-",   "+1",    ".5",     "1.",
                                          "01",  "-01", "1e",    "1e+",    "nan",
                                          "inf", "0x1", "1e309", "-1e999", "--1"};
    double value;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; ++i) {
        const char* end = refused[i] + strlen(refused[i]);
        const char* behind = iso_number_read(refused[i], end, &value);
        CHECK(!behind || behind < end, "\"%s\" was read", refused[i]);
    }
    // No further than the text goes, whatever comes behind it.
    const char* text = "1234";
    assert_ptr_equal(iso_number_read(text, text + 2, &value), text + 2);
    CHECK_BITS(value, 12.0);
    char longest[600];
    memset(longest, '1', sizeof longest);
    assert_null(iso_number_read(longest, longest + sizeof longest, &value));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formatted_doubles_read_back_to_the_same_bits),
        cmocka_unit_test(formatted_floats_read_back_to_the_same_bits),
        cmocka_unit_test(integers_are_those_of_printf),
        cmocka_unit_test(simple_numbers_have_short_texts),
        cmocka_unit_test(read_numbers_are_those_of_strtod),
        cmocka_unit_test(ties_are_rounded_to_even_and_their_neighbours_away),
        cmocka_unit_test(only_numbers_of_json_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
