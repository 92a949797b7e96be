// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "record/json/number_text.h"

#include "record/json/decimal_power.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// A binary floating-point value and the borders of the interval that rounds to it, all with the
// same exponent, borders normalised.
typedef struct interval {
    iso_scaled low, value, high;
} interval;

// After scaling the exponent lies in [EXPONENT_LOW, -32]; [Loitsch2010] section 4.
#define EXPONENT_LOW (-60)

// Split a positive value with fraction bits F, exponent bits E of a format with `width` fraction
// bits and this exponent bias (which includes the width).
static interval make_interval(uint64_t fraction, int exponent, int width, int bias) {
    iso_scaled v = {fraction, 1 - bias};
    if (exponent != 0) {
        v = (iso_scaled){fraction + ((uint64_t)1 << width), exponent - bias};
    }
    // Below a power of two the next value is only half as far away.
    bool is_low_closer = fraction == 0 && exponent > 1;
    iso_scaled low =
        is_low_closer ? (iso_scaled){4 * v.f - 1, v.e - 2} : (iso_scaled){2 * v.f - 1, v.e - 1};
    interval out;
    out.high = iso_scaled_normalize((iso_scaled){2 * v.f + 1, v.e - 1});
    out.low = (iso_scaled){low.f << (low.e - out.high.e), out.high.e};
    out.value = iso_scaled_normalize(v);
    return out;
}

static iso_power power_for_exponent(int e) {
    int f = EXPONENT_LOW - e - 1;
    int k = f * 78913 / (1 << 18) + (f > 0 ? 1 : 0); // ceil(f log10(2))
    return iso_powers[(-ISO_POWER_FIRST + k + ISO_POWER_STEP - 1) / ISO_POWER_STEP];
}

// Move the last digit towards the value while the result stays inside the interval.
static void round_digits(char* last, uint64_t distance, uint64_t delta, uint64_t rest,
                         uint64_t unit) {
    while (rest < distance && delta - rest >= unit &&
           (rest + unit < distance || distance - rest > rest + unit - distance)) {
        --*last;
        rest += unit;
    }
}

static int count_digits(uint32_t n, uint32_t* out_power) {
    uint32_t p = 1;
    int count = 1;
    while (n / p >= 10) {
        p *= 10;
        ++count;
    }
    *out_power = p;
    return count;
}

// Digits of a number in (low, high) nearest to value; all share one exponent in [-60, -32].
static int generate_digits(char* digits, int* decimal_exponent, iso_scaled low, iso_scaled value,
                           iso_scaled high) {
    uint64_t delta = high.f - low.f;
    uint64_t distance = high.f - value.f;
    int shift = -high.e;
    uint64_t one = (uint64_t)1 << shift;
    uint32_t whole = (uint32_t)(high.f >> shift);
    uint64_t part = high.f & (one - 1);
    uint32_t unit;
    int left = count_digits(whole, &unit);
    int count = 0;

    while (left > 0) {
        digits[count++] = (char)('0' + whole / unit);
        whole %= unit;
        --left;
        uint64_t rest = ((uint64_t)whole << shift) + part;
        if (rest <= delta) {
            *decimal_exponent += left;
            round_digits(digits + count - 1, distance, delta, rest, (uint64_t)unit << shift);
            return count;
        }
        unit /= 10;
    }
    for (;;) {
        part *= 10;
        digits[count++] = (char)('0' + (char)(part >> shift));
        part &= one - 1;
        --*decimal_exponent;
        delta *= 10;
        distance *= 10;
        if (part <= delta) {
            round_digits(digits + count - 1, distance, delta, part, one);
            return count;
        }
    }
}

static int make_digits(char* digits, int* decimal_exponent, interval range) {
    iso_power p = power_for_exponent(range.high.e);
    iso_scaled low = iso_scaled_multiply(range.low, p);
    iso_scaled value = iso_scaled_multiply(range.value, p);
    iso_scaled high = iso_scaled_multiply(range.high, p);
    // The products are off by less than one unit: stay one unit inside.
    ++low.f;
    --high.f;
    *decimal_exponent = -p.k;
    return generate_digits(digits, decimal_exponent, low, value, high);
}

static char* write_exponent(char* out, int exponent) {
    *out++ = 'e';
    if (exponent < 0) {
        *out++ = '-';
        exponent = -exponent;
    }
    char reversed[4];
    int count = 0;
    do {
        reversed[count++] = (char)('0' + exponent % 10);
        exponent /= 10;
    } while (exponent > 0);
    while (count > 0) {
        *out++ = reversed[--count];
    }
    return out;
}

// Lay out digits 10^exponent as people read it.
static char* write_digits(char* out, const char* digits, int count, int exponent) {
    int point = count + exponent; // digits before the decimal point
    size_t n = (size_t)count;
    if (point > 17 || point < -3) {
        *out++ = digits[0];
        if (count > 1) {
            *out++ = '.';
            memcpy(out, digits + 1, n - 1);
            out += n - 1;
        }
        return write_exponent(out, point - 1);
    }
    if (exponent >= 0) {
        memcpy(out, digits, n);
        memset(out + n, '0', (size_t)exponent);
        return out + point;
    }
    if (point > 0) {
        memcpy(out, digits, (size_t)point);
        out[point] = '.';
        memcpy(out + point + 1, digits + point, n - (size_t)point);
        return out + n + 1;
    }
    memcpy(out, "0.000", 5);
    out += 2 - point;
    memcpy(out, digits, n);
    return out + n;
}

static int format(char* out_text, bool is_negative, bool is_zero, interval range) {
    char* out = out_text;
    if (is_negative) {
        *out++ = '-';
    }
    if (is_zero) {
        memcpy(out, "0.0", 3); // "-0" would lose its sign in readers that see an integer
        out += is_negative ? 3 : 1;
    } else {
        char digits[20];
        int exponent;
        int count = make_digits(digits, &exponent, range);
        out = write_digits(out, digits, count, exponent);
    }
    *out = '\0';
    return (int)(out - out_text);
}

int iso_number_format(double value, char* out_text) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t fraction = bits & (((uint64_t)1 << 52) - 1);
    int exponent = (int)(bits >> 52 & 0x7ff);
    bool is_zero = fraction == 0 && exponent == 0;
    interval range = {{0, 0}, {0, 0}, {0, 0}};
    if (!is_zero) {
        range = make_interval(fraction, exponent, 52, 1075);
    }
    return format(out_text, bits >> 63 != 0, is_zero, range);
}

int iso_number_format_float(float value, char* out_text) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint32_t fraction = bits & ((1U << 23) - 1);
    int exponent = (int)(bits >> 23 & 0xff);
    bool is_zero = fraction == 0 && exponent == 0;
    interval range = {{0, 0}, {0, 0}, {0, 0}};
    if (!is_zero) {
        range = make_interval(fraction, exponent, 23, 150);
    }
    return format(out_text, bits >> 31 != 0, is_zero, range);
}
