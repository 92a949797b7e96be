// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/text.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Make room for length bytes and the terminating zero.
static iso_status text_reserve(iso_context* ctx, iso_text* text, size_t length) {
    if (length < text->capacity) {
        return ISO_OK;
    }
    ISO_REQUIRE(ctx, length < SIZE_MAX / 2, ISO_ERR_MEMORY, "text of %zu bytes", length);
    size_t capacity = text->capacity < 64 ? 64 : text->capacity * 2;
    if (capacity < length + 1) {
        capacity = length + 1;
    }
    char* moved = iso_realloc(ctx, text->data, capacity);
    ISO_REQUIRE(ctx, moved, ISO_ERR_MEMORY, "text of %zu bytes", length);
    text->data = moved;
    text->capacity = capacity;
    return ISO_OK;
}

iso_status iso_text_append(iso_context* ctx, iso_text* text, const char* bytes, size_t length) {
    ISO_REQUIRE(ctx, length < SIZE_MAX / 2, ISO_ERR_MEMORY, "text of %zu bytes", length);
    iso_status status = text_reserve(ctx, text, text->length + length);
    if (status != ISO_OK) {
        return status;
    }
    if (length > 0) {
        memcpy(text->data + text->length, bytes, length);
    }
    text->length += length;
    text->data[text->length] = '\0';
    return ISO_OK;
}

iso_status iso_text_printf(iso_context* ctx, iso_text* text, const char* format, ...) {
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    ISO_REQUIRE(ctx, length >= 0, ISO_ERR_ARGUMENT, "text cannot be formatted with \"%s\"", format);
    iso_status status = text_reserve(ctx, text, text->length + (size_t)length);
    if (status != ISO_OK) {
        return status;
    }
    va_start(args, format);
    vsnprintf(text->data + text->length, (size_t)length + 1, format, args);
    va_end(args);
    text->length += (size_t)length;
    return ISO_OK;
}

void iso_text_free(iso_context* ctx, iso_text* text) {
    iso_free(ctx, text->data);
    *text = (iso_text){0};
}

// [RFC 3629], section 4.
int iso_text_character_length(const unsigned char* text) {
    unsigned char first = text[0];
    if (first < 0x80) {
        return 1;
    }
    if (first < 0xc2 || first > 0xf4) {
        return 0;
    }
    int length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    for (int i = 1; i < length; ++i) {
        if ((text[i] & 0xc0) != 0x80) {
            return -i;
        }
    }
    // Forms that are longer than needed, surrogates, and what is past the last code point.
    unsigned char low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    unsigned char high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    return text[1] < low || text[1] > high ? 0 : length;
}

static bool is_control(const unsigned char* text) {
    return text[0] < 0x20 || text[0] == 0x7f || (text[0] == 0xc2 && text[1] < 0xa0);
}

bool iso_text_is_utf8(const char* text) {
    for (const unsigned char* c = (const unsigned char*)text; *c;) {
        int length = iso_text_character_length(c);
        if (length <= 0) {
            return false;
        }
        c += length;
    }
    return true;
}

bool iso_text_is_printable(const char* text) {
    for (const unsigned char* c = (const unsigned char*)text; *c;) {
        int length = iso_text_character_length(c);
        if (length <= 0 || is_control(c)) {
            return false;
        }
        c += length;
    }
    return true;
}

void iso_text_make_printable(char* text) {
    char* out = text;
    while (*text) {
        const unsigned char* c = (const unsigned char*)text;
        int length = iso_text_character_length(c);
        if (length > 0 && !is_control(c)) {
            memmove(out, text, (size_t)length);
            out += length;
        } else if (length >= 0) {
            *out++ = length > 0 ? ' ' : '?';
        }
        text += length > 0 ? length : length < 0 ? -length : 1;
    }
    *out = '\0';
}

// C's white space whatever the locale.
static bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

// strtod follows the process' locale: find what it takes for the decimal point.
static char decimal_point(void) {
    return localeconv()->decimal_point[0];
}

// Length of the decimal number that text starts with ([+-]digits[.digits][e[+-]digits]), or 0.
static size_t number_length(const char* text) {
    const char* c = text;
    int digit_count = 0;
    c += *c == '+' || *c == '-';
    for (; isdigit((unsigned char)*c); ++c) {
        ++digit_count;
    }
    if (*c == '.') {
        for (++c; isdigit((unsigned char)*c); ++c) {
            ++digit_count;
        }
    }
    if (digit_count == 0) {
        return 0;
    }
    if (*c == 'e' || *c == 'E') {
        const char* exponent = c + 1;
        exponent += *exponent == '+' || *exponent == '-';
        if (isdigit((unsigned char)*exponent)) {
            for (c = exponent; isdigit((unsigned char)*c); ++c) {
            }
        }
    }
    return (size_t)(c - text);
}

// One finite double at the start of text. Returns the characters it takes, 0 when there is none.
static size_t parse_number(const char* text, double* out_value) {
    char copy[512]; // a longer literal is no number anyone wrote
    size_t length = number_length(text);
    if (length == 0 || length >= sizeof copy) {
        return 0;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    char* point = strchr(copy, '.');
    if (point) {
        *point = decimal_point();
    }
    double value = strtod(copy, NULL);
    if (!isfinite(value)) {
        return 0;
    }
    *out_value = value;
    return length;
}

int iso_text_to_doubles(const char* text, double* out_values, int count) {
    const char* c = text;
    int parsed = 0;
    for (;;) {
        while (is_space(*c)) {
            ++c;
        }
        if (*c == '\0') {
            return parsed;
        }
        double value;
        size_t length = parsed < count ? parse_number(c, &value) : 0;
        if (length == 0 || (c[length] != '\0' && !is_space(c[length]))) {
            return -1;
        }
        out_values[parsed++] = value;
        c += length;
    }
}

bool iso_text_to_double(const char* text, double* out_value) {
    double value;
    if (iso_text_to_doubles(text, &value, 1) != 1) {
        return false;
    }
    *out_value = value;
    return true;
}
