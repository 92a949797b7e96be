// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/vtk_lexer.h"

#include "base/fail.h"
#include "base/text.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Longest number or word copied for conversion or a message.
#define WORD_SIZE 64

iso_status iso_vtk_fail(vtk_lexer* lexer, iso_status status, const char* format, ...) {
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    if (lexer->has_read_bytes) {
        return iso_fail(lexer->ctx, status, __func__, "%s: byte %zu: %s", lexer->name, lexer->at,
                        message);
    }
    return iso_fail(lexer->ctx, status, __func__, "%s:%d: %s", lexer->name, lexer->line, message);
}

static bool is_blank(unsigned char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static void skip_space(vtk_lexer* lexer) {
    while (lexer->at < lexer->size) {
        unsigned char c = lexer->bytes[lexer->at];
        if (c == '\n') {
            ++lexer->line;
        } else if (!is_blank(c)) {
            break;
        }
        ++lexer->at;
    }
}

static vtk_word take_word(vtk_lexer* lexer) {
    size_t start = lexer->at;
    while (lexer->at < lexer->size && lexer->bytes[lexer->at] != '\n' &&
           !is_blank(lexer->bytes[lexer->at])) {
        ++lexer->at;
    }
    return (vtk_word){(const char*)lexer->bytes + start, lexer->at - start};
}

vtk_word iso_vtk_next_word(vtk_lexer* lexer) {
    skip_space(lexer);
    return take_word(lexer);
}

vtk_word iso_vtk_peek_word(const vtk_lexer* lexer) {
    vtk_lexer ahead = *lexer;
    return iso_vtk_next_word(&ahead);
}

vtk_word iso_vtk_next_word_in_line(vtk_lexer* lexer) {
    while (lexer->at < lexer->size && is_blank(lexer->bytes[lexer->at])) {
        ++lexer->at;
    }
    return take_word(lexer);
}

vtk_word iso_vtk_next_line(vtk_lexer* lexer) {
    const char* start = (const char*)lexer->bytes + lexer->at;
    size_t left = lexer->size - lexer->at;
    const char* end = left > 0 ? memchr(start, '\n', left) : NULL;
    vtk_word line = {start, end ? (size_t)(end - start) : left};
    lexer->at += line.length + (end ? 1 : 0);
    lexer->line += end ? 1 : 0;
    while (line.length > 0 && is_blank((unsigned char)line.text[line.length - 1])) {
        --line.length;
    }
    return line;
}

bool iso_vtk_word_is(vtk_word word, const char* keyword) {
    if (word.length != strlen(keyword)) {
        return false;
    }
    for (size_t i = 0; i < word.length; ++i) {
        char a = word.text[i], b = keyword[i];
        a = (char)(a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a);
        b = (char)(b >= 'A' && b <= 'Z' ? b - 'A' + 'a' : b);
        if (a != b) {
            return false;
        }
    }
    return true;
}

static void copy_word(vtk_word word, char out_text[WORD_SIZE]) {
    size_t length = word.length < WORD_SIZE ? word.length : WORD_SIZE - 1;
    memcpy(out_text, word.text, length);
    out_text[length] = '\0';
}

// [+-]digits that fit into 64 bits.
static bool word_to_integer(vtk_word word, int64_t* out_value) {
    size_t i = word.length > 0 && (word.text[0] == '-' || word.text[0] == '+');
    if (i == word.length) {
        return false;
    }
    int64_t value = 0;
    for (; i < word.length; ++i) {
        int digit = word.text[i] - '0';
        if (digit < 0 || digit > 9 || value > (INT64_MAX - digit) / 10) {
            return false;
        }
        value = 10 * value + digit;
    }
    *out_value = word.text[0] == '-' ? -value : value;
    return true;
}

static iso_status fail_word(vtk_lexer* lexer, vtk_word word, const char* what,
                            const char* expected) {
    char text[WORD_SIZE];
    copy_word(word, text);
    if (word.length == 0) {
        return iso_vtk_fail(lexer, ISO_ERR_PARSE, "the file ends where %s is expected", what);
    }
    return iso_vtk_fail(lexer, ISO_ERR_PARSE, "%s is '%s', expected %s", what, text, expected);
}

iso_status iso_vtk_read_count(vtk_lexer* lexer, const char* what, int* out_count) {
    vtk_word word = iso_vtk_next_word(lexer);
    int64_t value;
    if (!word_to_integer(word, &value)) {
        return fail_word(lexer, word, what, "an integer");
    }
    if (value < 0 || value > INT_MAX) {
        return iso_vtk_fail(lexer, ISO_ERR_RANGE, "%s is %lld, expected 0 to %d", what,
                            (long long)value, INT_MAX);
    }
    *out_count = (int)value;
    return ISO_OK;
}

static const struct {
    const char* name;
    vtk_type type;
} k_types[] = {
    {"char", VTK_INT8},          {"unsigned_char", VTK_UINT8},
    {"short", VTK_INT16},        {"unsigned_short", VTK_UINT16},
    {"int", VTK_INT32},          {"unsigned_int", VTK_UINT32},
    {"long", VTK_INT64},         {"unsigned_long", VTK_UINT64},
    {"vtktypeint64", VTK_INT64}, {"vtktypeuint64", VTK_UINT64},
    {"vtkidtype", VTK_INT32},    {"float", VTK_FLOAT},
    {"double", VTK_DOUBLE},
};

iso_status iso_vtk_read_type(vtk_lexer* lexer, vtk_type* out_type) {
    vtk_word word = iso_vtk_next_word(lexer);
    for (size_t i = 0; i < sizeof k_types / sizeof k_types[0]; ++i) {
        if (iso_vtk_word_is(word, k_types[i].name)) {
            *out_type = k_types[i].type;
            return ISO_OK;
        }
    }
    return fail_word(lexer, word, "the data type", "float, double, int, vtktypeint64 or the like");
}

static size_t type_size(vtk_type type) {
    static const size_t k_sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
    return k_sizes[type];
}

iso_status iso_vtk_begin_array(vtk_lexer* lexer, const char* what, int64_t count, vtk_type type) {
    if (lexer->is_binary) {
        iso_vtk_next_line(lexer); // data starts behind the line end
        lexer->has_read_bytes = true;
    }
    // Text needs a digit and a separator for each value.
    size_t left = lexer->size - lexer->at;
    size_t most = lexer->is_binary ? left / type_size(type) : left / 2 + 1;
    if (count < 0 || (uint64_t)count > most) {
        return iso_vtk_fail(lexer, ISO_ERR_RANGE,
                            "%s: %lld values are announced, but the rest of the file (%zu bytes) "
                            "has room for at most %zu",
                            what, (long long)count, left, most);
    }
    return ISO_OK;
}

// The next big-endian value of the given size; the caller knows that the array may end early.
static iso_status take_bits(vtk_lexer* lexer, vtk_type type, const char* what, uint64_t* out_bits) {
    size_t size = type_size(type);
    if (lexer->size - lexer->at < size) {
        return iso_vtk_fail(lexer, ISO_ERR_PARSE, "the file ends inside %s", what);
    }
    uint64_t bits = 0;
    for (size_t i = 0; i < size; ++i) {
        bits = bits << 8 | lexer->bytes[lexer->at + i];
    }
    lexer->at += size;
    *out_bits = bits;
    return ISO_OK;
}

static double bits_to_double(vtk_type type, uint64_t bits) {
    if (type == VTK_FLOAT) {
        uint32_t narrow = (uint32_t)bits;
        float value;
        memcpy(&value, &narrow, sizeof value);
        return (double)value;
    }
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Integer types, sign extended. Unsigned 64-bit values above INT64_MAX become INT64_MAX, which is
// out of every range asked for.
static int64_t bits_to_integer(vtk_type type, uint64_t bits) {
    switch (type) {
    case VTK_INT8:
        return (int8_t)bits;
    case VTK_INT16:
        return (int16_t)bits;
    case VTK_INT32:
        return (int32_t)bits;
    case VTK_UINT64:
        return bits > INT64_MAX ? INT64_MAX : (int64_t)bits;
    default:
        return (int64_t)bits;
    }
}

iso_status iso_vtk_read_double(vtk_lexer* lexer, vtk_type type, const char* what,
                               double* out_value) {
    if (!lexer->is_binary) {
        vtk_word word = iso_vtk_next_word(lexer);
        char text[WORD_SIZE];
        copy_word(word, text);
        if (word.length == 0 || word.length >= WORD_SIZE || !iso_text_to_double(text, out_value)) {
            return fail_word(lexer, word, what, "a finite number");
        }
        return ISO_OK;
    }
    uint64_t bits = 0;
    iso_status status = take_bits(lexer, type, what, &bits);
    if (status != ISO_OK) {
        return status;
    }
    bool is_real = type == VTK_FLOAT || type == VTK_DOUBLE;
    *out_value = is_real ? bits_to_double(type, bits) : (double)bits_to_integer(type, bits);
    if (!isfinite(*out_value)) {
        return iso_vtk_fail(lexer, ISO_ERR_PARSE, "%s is %g, expected a finite number", what,
                            *out_value);
    }
    return ISO_OK;
}

iso_status iso_vtk_read_integer(vtk_lexer* lexer, vtk_type type, const char* what, int64_t low,
                                int64_t high, int64_t* out_value) {
    if (!lexer->is_binary) {
        vtk_word word = iso_vtk_next_word(lexer);
        if (!word_to_integer(word, out_value)) {
            return fail_word(lexer, word, what, "an integer");
        }
    } else {
        uint64_t bits = 0;
        iso_status status = take_bits(lexer, type, what, &bits);
        if (status != ISO_OK) {
            return status;
        }
        *out_value = bits_to_integer(type, bits);
    }
    if (*out_value < low || *out_value > high) {
        return iso_vtk_fail(lexer, ISO_ERR_RANGE, "%s is %lld, expected %lld to %lld", what,
                            (long long)*out_value, (long long)low, (long long)high);
    }
    return ISO_OK;
}

iso_status iso_vtk_skip_values(vtk_lexer* lexer, vtk_type type, const char* what, int64_t count) {
    iso_status status = iso_vtk_begin_array(lexer, what, count, type);
    if (status != ISO_OK) {
        return status;
    }
    if (lexer->is_binary) {
        lexer->at += (size_t)count * type_size(type);
        return ISO_OK;
    }
    for (int64_t i = 0; i < count; ++i) {
        if (iso_vtk_next_word(lexer).length == 0) {
            return iso_vtk_fail(lexer, ISO_ERR_PARSE, "the file ends inside %s", what);
        }
    }
    return ISO_OK;
}
