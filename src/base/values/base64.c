// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/values/base64.h"

#include <stdint.h>

void iso_base64_put(const unsigned char* bytes, size_t size, char out_digits[4]) {
    static const char k_digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = (uint32_t)bytes[0] << 16 | (size > 1 ? (uint32_t)bytes[1] << 8 : 0) |
                    (size > 2 ? (uint32_t)bytes[2] : 0);
    out_digits[0] = k_digits[bits >> 18];
    out_digits[1] = k_digits[bits >> 12 & 63];
    out_digits[2] = size > 1 ? k_digits[bits >> 6 & 63] : '=';
    out_digits[3] = size > 2 ? k_digits[bits & 63] : '=';
}

int iso_base64_value(char digit) {
    if (digit >= 'A' && digit <= 'Z') {
        return digit - 'A';
    }
    if (digit >= 'a' && digit <= 'z') {
        return digit - 'a' + 26;
    }
    if (digit >= '0' && digit <= '9') {
        return digit - '0' + 52;
    }
    return digit == '+' ? 62 : digit == '/' ? 63 : -1;
}
