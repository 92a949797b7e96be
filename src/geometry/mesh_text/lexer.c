// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/mesh_text/lexer.h"

#include "base/core/fail.h"
#include "base/core/text.h"

#include <stdio.h>
#include <string.h>

// Longest number or word copied for conversion or a message.
#define WORD_SIZE 64

iso_lexer iso_lexer_make(iso_context* ctx, const char* name, const void* bytes, size_t size) {
    return (iso_lexer){.ctx = ctx, .name = name, .bytes = bytes, .size = size, .line = 1};
}

iso_status iso_lexer_fail(iso_lexer* lexer, iso_status status, const char* format, ...) {
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    for (char* c = message; *c; ++c) { // words of a file that is no text
        *c = (unsigned char)*c < 127 ? *c : '?';
    }
    if (lexer->has_read_bytes) {
        return iso_fail(lexer->ctx, status, __func__, "%s: byte %zu: %s", lexer->name, lexer->at,
                        message);
    }
    return iso_fail(lexer->ctx, status, __func__, "%s:%d: %s", lexer->name, lexer->line, message);
}

static bool is_blank(unsigned char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static void skip_space(iso_lexer* lexer) {
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

static iso_word take_word(iso_lexer* lexer) {
    size_t start = lexer->at;
    while (lexer->at < lexer->size && lexer->bytes[lexer->at] != '\n' &&
           !is_blank(lexer->bytes[lexer->at])) {
        ++lexer->at;
    }
    return (iso_word){(const char*)lexer->bytes + start, lexer->at - start};
}

iso_word iso_lexer_next_word(iso_lexer* lexer) {
    skip_space(lexer);
    return take_word(lexer);
}

iso_word iso_lexer_peek_word(const iso_lexer* lexer) {
    iso_lexer ahead = *lexer;
    return iso_lexer_next_word(&ahead);
}

iso_word iso_lexer_next_word_in_line(iso_lexer* lexer) {
    while (lexer->at < lexer->size && is_blank(lexer->bytes[lexer->at])) {
        ++lexer->at;
    }
    return take_word(lexer);
}

iso_word iso_lexer_next_line(iso_lexer* lexer) {
    const char* start = (const char*)lexer->bytes + lexer->at;
    size_t left = lexer->size - lexer->at;
    const char* end = left > 0 ? memchr(start, '\n', left) : NULL;
    iso_word line = {start, end ? (size_t)(end - start) : left};
    lexer->at += line.length + (end ? 1 : 0);
    lexer->line += end ? 1 : 0;
    while (line.length > 0 && is_blank((unsigned char)line.text[line.length - 1])) {
        --line.length;
    }
    return line;
}

bool iso_word_is(iso_word word, const char* keyword) {
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

static void copy_word(iso_word word, char out_text[WORD_SIZE]) {
    size_t length = word.length < WORD_SIZE ? word.length : WORD_SIZE - 1;
    memcpy(out_text, word.text, length);
    out_text[length] = '\0';
}

bool iso_word_to_integer(iso_word word, int64_t* out_value) {
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

bool iso_word_to_double(iso_word word, double* out_value) {
    char text[WORD_SIZE];
    copy_word(word, text);
    return word.length > 0 && word.length < WORD_SIZE && iso_text_to_double(text, out_value);
}

iso_status iso_lexer_fail_word(iso_lexer* lexer, iso_word word, const char* what,
                               const char* expected) {
    char text[WORD_SIZE];
    copy_word(word, text);
    if (word.length == 0) {
        return iso_lexer_fail(lexer, ISO_ERR_PARSE, "the file ends where %s is expected", what);
    }
    return iso_lexer_fail(lexer, ISO_ERR_PARSE, "%s is '%s', expected %s", what, text, expected);
}
