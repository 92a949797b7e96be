// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "record/number_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// A number f 2^e.
typedef struct scaled {
    uint64_t f;
    int e;
} scaled;

// A binary floating-point value and the borders of the interval that rounds to it, all with the
// same exponent, borders normalised.
typedef struct interval {
    scaled low, value, high;
} interval;

typedef struct power {
    uint64_t f;
    int e;
    int k; // f 2^e = 10^k, rounded to 64 bits
} power;

#define POWER_FIRST (-300)
#define POWER_STEP 8
// After scaling the exponent lies in [EXPONENT_LOW, -32]; [Loitsch2010] section 4.
#define EXPONENT_LOW (-60)

static const power k_powers[] = {
    {0xab70fe17c79ac6caU, -1060, -300}, {0xff77b1fcbebcdc4fU, -1034, -292},
    {0xbe5691ef416bd60cU, -1007, -284}, {0x8dd01fad907ffc3cU, -980, -276},
    {0xd3515c2831559a83U, -954, -268},  {0x9d71ac8fada6c9b5U, -927, -260},
    {0xea9c227723ee8bcbU, -901, -252},  {0xaecc49914078536dU, -874, -244},
    {0x823c12795db6ce57U, -847, -236},  {0xc21094364dfb5637U, -821, -228},
    {0x9096ea6f3848984fU, -794, -220},  {0xd77485cb25823ac7U, -768, -212},
    {0xa086cfcd97bf97f4U, -741, -204},  {0xef340a98172aace5U, -715, -196},
    {0xb23867fb2a35b28eU, -688, -188},  {0x84c8d4dfd2c63f3bU, -661, -180},
    {0xc5dd44271ad3cdbaU, -635, -172},  {0x936b9fcebb25c996U, -608, -164},
    {0xdbac6c247d62a584U, -582, -156},  {0xa3ab66580d5fdaf6U, -555, -148},
    {0xf3e2f893dec3f126U, -529, -140},  {0xb5b5ada8aaff80b8U, -502, -132},
    {0x87625f056c7c4a8bU, -475, -124},  {0xc9bcff6034c13053U, -449, -116},
    {0x964e858c91ba2655U, -422, -108},  {0xdff9772470297ebdU, -396, -100},
    {0xa6dfbd9fb8e5b88fU, -369, -92},   {0xf8a95fcf88747d94U, -343, -84},
    {0xb94470938fa89bcfU, -316, -76},   {0x8a08f0f8bf0f156bU, -289, -68},
    {0xcdb02555653131b6U, -263, -60},   {0x993fe2c6d07b7facU, -236, -52},
    {0xe45c10c42a2b3b06U, -210, -44},   {0xaa242499697392d3U, -183, -36},
    {0xfd87b5f28300ca0eU, -157, -28},   {0xbce5086492111aebU, -130, -20},
    {0x8cbccc096f5088ccU, -103, -12},   {0xd1b71758e219652cU, -77, -4},
    {0x9c40000000000000U, -50, 4},      {0xe8d4a51000000000U, -24, 12},
    {0xad78ebc5ac620000U, 3, 20},       {0x813f3978f8940984U, 30, 28},
    {0xc097ce7bc90715b3U, 56, 36},      {0x8f7e32ce7bea5c70U, 83, 44},
    {0xd5d238a4abe98068U, 109, 52},     {0x9f4f2726179a2245U, 136, 60},
    {0xed63a231d4c4fb27U, 162, 68},     {0xb0de65388cc8ada8U, 189, 76},
    {0x83c7088e1aab65dbU, 216, 84},     {0xc45d1df942711d9aU, 242, 92},
    {0x924d692ca61be758U, 269, 100},    {0xda01ee641a708deaU, 295, 108},
    {0xa26da3999aef774aU, 322, 116},    {0xf209787bb47d6b85U, 348, 124},
    {0xb454e4a179dd1877U, 375, 132},    {0x865b86925b9bc5c2U, 402, 140},
    {0xc83553c5c8965d3dU, 428, 148},    {0x952ab45cfa97a0b3U, 455, 156},
    {0xde469fbd99a05fe3U, 481, 164},    {0xa59bc234db398c25U, 508, 172},
    {0xf6c69a72a3989f5cU, 534, 180},    {0xb7dcbf5354e9beceU, 561, 188},
    {0x88fcf317f22241e2U, 588, 196},    {0xcc20ce9bd35c78a5U, 614, 204},
    {0x98165af37b2153dfU, 641, 212},    {0xe2a0b5dc971f303aU, 667, 220},
    {0xa8d9d1535ce3b396U, 694, 228},    {0xfb9b7cd9a4a7443cU, 720, 236},
    {0xbb764c4ca7a44410U, 747, 244},    {0x8bab8eefb6409c1aU, 774, 252},
    {0xd01fef10a657842cU, 800, 260},    {0x9b10a4e5e9913129U, 827, 268},
    {0xe7109bfba19c0c9dU, 853, 276},    {0xac2820d9623bf429U, 880, 284},
    {0x80444b5e7aa7cf85U, 907, 292},    {0xbf21e44003acdd2dU, 933, 300},
    {0x8e679c2f5e44ff8fU, 960, 308},    {0xd433179d9c8cb841U, 986, 316},
    {0x9e19db92b4e31ba9U, 1013, 324},
};

static uint64_t multiply_high(uint64_t a, uint64_t b) {
    uint64_t a_low = a & 0xffffffffU, a_high = a >> 32;
    uint64_t b_low = b & 0xffffffffU, b_high = b >> 32;
    uint64_t low_low = a_low * b_low, low_high = a_low * b_high;
    uint64_t high_low = a_high * b_low, high_high = a_high * b_high;
    uint64_t middle = (low_low >> 32) + (low_high & 0xffffffffU) + (high_low & 0xffffffffU);
    middle += (uint64_t)1 << 31; // round to nearest
    return high_high + (low_high >> 32) + (high_low >> 32) + (middle >> 32);
}

static scaled multiply(scaled a, power b) {
    return (scaled){multiply_high(a.f, b.f), a.e + b.e + 64};
}

static scaled normalize(scaled a) {
    for (int shift = 32; shift > 0; shift /= 2) {
        if (a.f >> (64 - shift) == 0) {
            a.f <<= shift;
            a.e -= shift;
        }
    }
    return a;
}

// Split a positive value with fraction bits F, exponent bits E of a format with `width` fraction
// bits and this exponent bias (which includes the width).
static interval make_interval(uint64_t fraction, int exponent, int width, int bias) {
    scaled v = {fraction, 1 - bias};
    if (exponent != 0) {
        v = (scaled){fraction + ((uint64_t)1 << width), exponent - bias};
    }
    // Below a power of two the next value is only half as far away.
    bool is_low_closer = fraction == 0 && exponent > 1;
    scaled low = is_low_closer ? (scaled){4 * v.f - 1, v.e - 2} : (scaled){2 * v.f - 1, v.e - 1};
    interval out;
    out.high = normalize((scaled){2 * v.f + 1, v.e - 1});
    out.low = (scaled){low.f << (low.e - out.high.e), out.high.e};
    out.value = normalize(v);
    return out;
}

static power power_for_exponent(int e) {
    int f = EXPONENT_LOW - e - 1;
    int k = f * 78913 / (1 << 18) + (f > 0 ? 1 : 0); // ceil(f log10(2))
    return k_powers[(-POWER_FIRST + k + POWER_STEP - 1) / POWER_STEP];
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
static int generate_digits(char* digits, int* decimal_exponent, scaled low, scaled value,
                           scaled high) {
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
    power p = power_for_exponent(range.high.e);
    scaled low = multiply(range.low, p);
    scaled value = multiply(range.value, p);
    scaled high = multiply(range.high, p);
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
