// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "record/json/number_read.h"

#include "base/core/text.h"
#include "record/json/decimal_power.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

// A literal: digits 10^exponent, exact unless it has more digits than 64 bits hold.
typedef struct decimal {
    uint64_t digits;
    int digit_count; ///< without leading zeros
    int exponent;
    bool is_negative;
} decimal;

#define MOST_DIGITS 19      // of which any number fits 64 bits
#define MOST_EXPONENT 99999 // beyond every double, far from the limits of int
#define LONGEST 511         // a longer literal is no number anyone wrote

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static const char* read_digits(const char* c, const char* end, decimal* number) {
    while (number->digit_count == 0 && c < end && *c == '0') {
        ++c;
    }
    const char* first = c;
    uint64_t digits = number->digits;
    for (; c < end && is_digit(*c); ++c) {
        digits = 10 * digits + (uint64_t)(*c - '0');
    }
    number->digits = digits;
    number->digit_count += (int)(c - first);
    return c;
}

// [e[+-]digits]; NULL when there is an e and no digit.
static const char* read_exponent(const char* c, const char* end, decimal* number) {
    if (c == end || (*c != 'e' && *c != 'E')) {
        return c;
    }
    ++c;
    bool is_negative = c < end && *c == '-';
    c += c < end && (*c == '-' || *c == '+');
    if (c == end || !is_digit(*c)) {
        return NULL;
    }
    int exponent = 0;
    for (; c < end && is_digit(*c); ++c) {
        exponent = exponent < MOST_EXPONENT ? 10 * exponent + (*c - '0') : exponent;
    }
    number->exponent += is_negative ? -exponent : exponent;
    return c;
}

// [-]digits[.digits][e[+-]digits] with no needless leading zero; NULL when the text is no such
// number.
static const char* read_decimal(const char* text, const char* end, decimal* out) {
    decimal number = {.is_negative = text < end && *text == '-'};
    const char* whole = text + number.is_negative;
    const char* c = read_digits(whole, end, &number);
    if (c == whole || (c - whole > 1 && *whole == '0')) {
        return NULL;
    }
    if (c < end && *c == '.') {
        const char* part = c + 1;
        c = read_digits(part, end, &number);
        if (c == part) {
            return NULL;
        }
        number.exponent = -(int)(c - part);
    }
    c = read_exponent(c, end, &number);
    *out = number;
    return c;
}

// Digits and power of ten are doubles: one correctly rounded operation gives the nearest.
// [Clinger1990]
static bool convert_exactly(const decimal* number, double* out_value) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    int most = (int)(sizeof powers / sizeof powers[0]) - 1;
    if (number->digit_count > MOST_DIGITS || number->digits > (uint64_t)1 << 53 ||
        number->exponent < -most || number->exponent > most) {
        return false;
    }
    double digits = (double)number->digits;
    *out_value = number->exponent < 0 ? digits / powers[-number->exponent]
                                      : digits * powers[number->exponent];
    return true;
}

// 64 bits of digits 10^exponent; out_error bounds what they are off by, in eighths of the last one.
static iso_scaled approximate(const decimal* number, int* out_error) {
    static const uint64_t small[ISO_POWER_STEP] = {1,     10,     100,     1000,
                                                   10000, 100000, 1000000, 10000000};
    int index = (number->exponent - ISO_POWER_FIRST) / ISO_POWER_STEP;
    int rest = (number->exponent - ISO_POWER_FIRST) % ISO_POWER_STEP;
    bool fits = number->digit_count + rest <= MOST_DIGITS;
    int error = 0;
    iso_scaled value =
        iso_scaled_normalize((iso_scaled){fits ? number->digits * small[rest] : number->digits, 0});
    if (!fits) {
        iso_scaled ten = iso_scaled_normalize((iso_scaled){small[rest], 0});
        iso_scaled product = iso_scaled_multiply(value, (iso_power){ten.f, ten.e, rest});
        value = iso_scaled_normalize(product);
        error = 5 << (product.e - value.e); // half a unit, and what the product itself neglects
    }
    iso_scaled product = iso_scaled_multiply(value, iso_powers[index]);
    value = iso_scaled_normalize(product);
    // The power is off by half a unit, and so is the product.
    *out_error = (error + 10) << (product.e - value.e);
    return value;
}

// False when the 64 bits cannot tell to which side to round, or the result has fewer bits than
// usual.
static bool convert_nearly(const decimal* number, double* out_value) {
    if (number->digits == 0 || number->digit_count > MOST_DIGITS ||
        number->exponent < ISO_POWER_FIRST ||
        number->exponent >= ISO_POWER_FIRST + ISO_POWER_STEP * ISO_POWER_COUNT) {
        return false;
    }
    int error;
    iso_scaled value = approximate(number, &error);
    int biased = value.e + 64 + 1022; // exponent bits of a double of this size
    int rest = (int)(value.f & 2047);
    int distance = rest > 1024 ? rest - 1024 : 1024 - rest;
    if (8 * distance <= error || biased < 1 || biased > 2045) {
        return false;
    }
    // A carry out of the fraction makes the next exponent, as it should.
    uint64_t fraction = (value.f >> 11) - ((uint64_t)1 << 52) + (rest > 1024 ? 1U : 0U);
    uint64_t bits = ((uint64_t)biased << 52) + fraction;
    memcpy(out_value, &bits, sizeof bits);
    return true;
}

// Everything else, one number in some hundreds.
static bool convert_slowly(const char* text, size_t length, double* out_value) {
    char copy[LONGEST + 1];
    memcpy(copy, text, length);
    copy[length] = '\0';
    return iso_text_to_double(copy, out_value);
}

const char* iso_number_read(const char* text, const char* end, double* out_value) {
    decimal number;
    const char* limit = end - text > LONGEST ? text + LONGEST : end;
    const char* c = read_decimal(text, limit, &number);
    if (!c || (c == limit && limit < end)) {
        return NULL;
    }
    double value;
    if (convert_exactly(&number, &value) || convert_nearly(&number, &value)) {
        *out_value = number.is_negative ? -value : value;
        return c;
    }
    return convert_slowly(text, (size_t)(c - text), out_value) ? c : NULL;
}
