// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/base.h"

// The words and numbers of a legacy VTK file, for vtk.c.

typedef enum vtk_type {
    VTK_INT8,
    VTK_UINT8,
    VTK_INT16,
    VTK_UINT16,
    VTK_INT32,
    VTK_UINT32,
    VTK_INT64,
    VTK_UINT64,
    VTK_FLOAT,
    VTK_DOUBLE,
} vtk_type;

typedef struct vtk_lexer {
    iso_context* ctx;
    const char* name; ///< of the file, for messages
    const unsigned char* bytes;
    size_t size;
    size_t at;           ///< next byte
    int line;            ///< of the next byte, counted from 1, while only text was read
    bool is_binary;      ///< arrays are big-endian binary
    bool has_read_bytes; ///< binary data was passed: messages give byte offsets
} vtk_lexer;

/// A word points into the file.
typedef struct vtk_word {
    const char* text;
    size_t length;
} vtk_word;

/// Report a fault at the current place: "name:line: message".
iso_status iso_vtk_fail(vtk_lexer* lexer, iso_status status, const char* format, ...)
    ISO_PRINTF(3, 4);

/// Next word, white space and line ends skipped; length 0 at the end of the file.
vtk_word iso_vtk_next_word(vtk_lexer* lexer);
/// The same without taking it.
vtk_word iso_vtk_peek_word(const vtk_lexer* lexer);
/// Next word of the current line; length 0 at its end.
vtk_word iso_vtk_next_word_in_line(vtk_lexer* lexer);
/// The rest of the current line (without its end), line end taken.
vtk_word iso_vtk_next_line(vtk_lexer* lexer);
/// Case-insensitive comparison with a keyword.
bool iso_vtk_word_is(vtk_word word, const char* keyword);

/// A count written as text, in [0, INT_MAX].
iso_status iso_vtk_read_count(vtk_lexer* lexer, const char* what, int* out_count);
/// The name of a data type.
iso_status iso_vtk_read_type(vtk_lexer* lexer, vtk_type* out_type);

/// Fail unless count values of a type can still be in the file (before memory is taken for them).
/// After a header line, this is also what passes the line end before binary data.
iso_status iso_vtk_begin_array(vtk_lexer* lexer, const char* what, int64_t count, vtk_type type);
/// One number of an array begun with iso_vtk_begin_array(): any type as a finite double, or an
/// integer in [low, high].
iso_status iso_vtk_read_double(vtk_lexer* lexer, vtk_type type, const char* what,
                               double* out_value);
iso_status iso_vtk_read_integer(vtk_lexer* lexer, vtk_type type, const char* what, int64_t low,
                                int64_t high, int64_t* out_value);
/// Skip count values.
iso_status iso_vtk_skip_values(vtk_lexer* lexer, vtk_type type, const char* what, int64_t count);
