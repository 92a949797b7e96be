// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/mesh_files/msh/msh_input.h"

#include <math.h>
#include <string.h>

// The next number of a binary file, as bits.
static iso_status take_bits(iso_msh_input* input, const char* what, int byte_count,
                            uint64_t* out_bits) {
    iso_lexer* lexer = &input->lexer;
    if (lexer->size - lexer->at < (size_t)byte_count) {
        return iso_lexer_fail(lexer, ISO_ERR_PARSE, "the file ends inside %s", what);
    }
    uint64_t bits = 0;
    for (int i = 0; i < byte_count; ++i) {
        int at = input->is_swapped ? i : byte_count - 1 - i;
        bits = bits << 8 | lexer->bytes[lexer->at + (size_t)at];
    }
    lexer->at += (size_t)byte_count;
    *out_bits = bits;
    return ISO_OK;
}

iso_status iso_msh_read_integer(iso_msh_input* input, const char* what, int byte_count, int64_t low,
                                int64_t high, int64_t* out_value) {
    if (input->is_binary) {
        uint64_t bits = 0;
        iso_status status = take_bits(input, what, byte_count, &bits);
        if (status != ISO_OK) {
            return status;
        }
        *out_value = byte_count == 4 ? (int64_t)(int32_t)(uint32_t)bits : (int64_t)bits;
    } else {
        iso_word word = iso_lexer_next_word(&input->lexer);
        if (!iso_word_to_integer(word, out_value)) {
            return iso_lexer_fail_word(&input->lexer, word, what, "an integer");
        }
    }
    if (*out_value < low || *out_value > high) {
        return iso_lexer_fail(&input->lexer, ISO_ERR_RANGE, "%s is %lld, expected %lld to %lld",
                              what, (long long)*out_value, (long long)low, (long long)high);
    }
    return ISO_OK;
}

iso_status iso_msh_read_double(iso_msh_input* input, const char* what, double* out_value) {
    if (!input->is_binary) {
        iso_word word = iso_lexer_next_word(&input->lexer);
        if (!iso_word_to_double(word, out_value)) {
            return iso_lexer_fail_word(&input->lexer, word, what, "a finite number");
        }
        return ISO_OK;
    }
    uint64_t bits = 0;
    iso_status status = take_bits(input, what, 8, &bits);
    if (status != ISO_OK) {
        return status;
    }
    memcpy(out_value, &bits, sizeof *out_value);
    if (!isfinite(*out_value)) {
        return iso_lexer_fail(&input->lexer, ISO_ERR_PARSE, "%s is %g, expected a finite number",
                              what, *out_value);
    }
    return ISO_OK;
}

iso_status iso_msh_check_room(iso_msh_input* input, const char* what, int64_t count, int byte_count,
                              int word_count) {
    // A word takes two bytes, its separator included, but the last one of a file has none.
    size_t left = input->lexer.size - input->lexer.at;
    size_t most =
        input->is_binary ? left / (size_t)byte_count : (left + 1) / (2 * (size_t)word_count);
    if (count < 0 || (uint64_t)count > most) {
        return iso_lexer_fail(&input->lexer, ISO_ERR_RANGE,
                              "%lld %s are announced, but the rest of the file (%zu bytes) has "
                              "room for at most %zu",
                              (long long)count, what, left, most);
    }
    return ISO_OK;
}

iso_status iso_msh_skip_bytes(iso_msh_input* input, const char* what, uint64_t count) {
    if (count > input->lexer.size - input->lexer.at) {
        return iso_lexer_fail(&input->lexer, ISO_ERR_PARSE, "the file ends inside %s", what);
    }
    input->lexer.at += (size_t)count;
    return ISO_OK;
}

void iso_msh_begin_data(iso_msh_input* input) {
    if (input->is_binary) {
        iso_lexer_next_line(&input->lexer);
        input->lexer.has_read_bytes = true;
    }
}

iso_status iso_msh_expect(iso_msh_input* input, const char* keyword) {
    iso_word word = iso_lexer_next_word(&input->lexer);
    return iso_word_is(word, keyword)
               ? ISO_OK
               : iso_lexer_fail_word(&input->lexer, word, "the next word", keyword);
}

iso_status iso_msh_skip_section(iso_msh_input* input, iso_word name) {
    iso_lexer* lexer = &input->lexer;
    while (lexer->at < lexer->size) {
        const unsigned char* from = lexer->bytes + lexer->at;
        const unsigned char* dollar = memchr(from, '$', lexer->size - lexer->at);
        const unsigned char* stop = dollar ? dollar : lexer->bytes + lexer->size;
        for (const unsigned char* c = from; c < stop; ++c) {
            lexer->line += *c == '\n';
        }
        lexer->at = (size_t)(stop - lexer->bytes);
        if (dollar) {
            size_t left = lexer->size - lexer->at;
            if (left >= name.length + 4 && memcmp(dollar, "$End", 4) == 0 &&
                memcmp(dollar + 4, name.text, name.length) == 0) {
                lexer->at += name.length + 4;
                return ISO_OK;
            }
            ++lexer->at;
        }
    }
    return iso_lexer_fail(lexer, ISO_ERR_PARSE, "the file ends inside section $%.*s",
                          (int)(name.length < 40 ? name.length : 40), name.text);
}
