// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "geometry/mesh_text/lexer.h"

// Numbers of a Gmsh file, text or binary, for msh.c.

typedef struct iso_msh_input {
    iso_lexer lexer;
    bool is_binary;
    bool is_swapped; ///< the file's byte order is not little-endian
} iso_msh_input;

/// One whole number in [low, high]; in binary files it takes byte_count bytes (4 or 8).
iso_status iso_msh_read_integer(iso_msh_input* input, const char* what, int byte_count, int64_t low,
                                int64_t high, int64_t* out_value);
/// One finite number.
iso_status iso_msh_read_double(iso_msh_input* input, const char* what, double* out_value);

/// Fail unless count items can still be in the file (before memory is taken for them): each of
/// byte_count bytes in binary files, of word_count words in text.
iso_status iso_msh_check_room(iso_msh_input* input, const char* what, int64_t count, int byte_count,
                              int word_count);

/// Pass over bytes of a binary file.
iso_status iso_msh_skip_bytes(iso_msh_input* input, const char* what, uint64_t count);

/// Pass the rest of the line in front of binary data; nothing in text.
void iso_msh_begin_data(iso_msh_input* input);

/// Take the word that ends a section.
iso_status iso_msh_expect(iso_msh_input* input, const char* keyword);

/// Pass over a section: "$End" and its name (name without the dollar sign).
iso_status iso_msh_skip_section(iso_msh_input* input, iso_word name);
