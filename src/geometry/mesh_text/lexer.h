// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/base.h"

// The words and numbers of mesh files, for the readers in this room.

typedef struct iso_lexer {
    iso_context* ctx;
    const char* name; ///< of the file, for messages
    const unsigned char* bytes;
    size_t size;
    size_t at;           ///< next byte
    int line;            ///< of the next byte, counted from 1, while only text was read
    bool has_read_bytes; ///< binary data was passed: messages give byte offsets
} iso_lexer;

/// A word points into the file.
typedef struct iso_word {
    const char* text;
    size_t length;
} iso_word;

iso_lexer iso_lexer_make(iso_context* ctx, const char* name, const void* bytes, size_t size);

/// Report a fault at the current place: "name:line: message" or "name: byte 123: message".
iso_status iso_lexer_fail(iso_lexer* lexer, iso_status status, const char* format, ...)
    ISO_PRINTF(3, 4);

/// Next word, white space and line ends skipped; length 0 at the end of the file.
iso_word iso_lexer_next_word(iso_lexer* lexer);
/// The same without taking it.
iso_word iso_lexer_peek_word(const iso_lexer* lexer);
/// Next word of the current line; length 0 at its end.
iso_word iso_lexer_next_word_in_line(iso_lexer* lexer);
/// The rest of the current line (without its end), line end taken.
iso_word iso_lexer_next_line(iso_lexer* lexer);

/// Case-insensitive comparison with a keyword.
bool iso_word_is(iso_word word, const char* keyword);
/// [+-]digits that fit into 64 bits.
bool iso_word_to_integer(iso_word word, int64_t* out_value);
/// One finite number.
bool iso_word_to_double(iso_word word, double* out_value);
/// "what is 'word', expected ..." or, when the word is empty, that the file ends.
/// @return ISO_ERR_PARSE
iso_status iso_lexer_fail_word(iso_lexer* lexer, iso_word word, const char* what,
                               const char* expected);
