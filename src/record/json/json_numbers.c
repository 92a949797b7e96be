// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "record/json/json_numbers.h"

#include "base/core/fail.h"
#include "record/json/number_read.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define PLACE_SIZE 16 // of "[i]"

static const char* skip_space(const char* c, const char* end) {
    while (c < end && (*c == ' ' || *c == '\t' || *c == '\n' || *c == '\r')) {
        ++c;
    }
    return c;
}

static const char* read_element(const char* c, const char* end, double* out_value) {
    if (end - c >= 4 && memcmp(c, "null", 4) == 0) {
        *out_value = NAN;
        return c + 4;
    }
    return iso_number_read(c, end, out_value);
}

// The array that opens at c; NULL when it is empty or holds something else.
static const char* read_list(const char* c, const char* end, double* values, int* out_count) {
    int count = 0;
    do {
        c = read_element(skip_space(c + 1, end), end, &values[count++]);
        c = c ? skip_space(c, end) : end;
    } while (c < end && *c == ',');
    *out_count = count;
    return c < end && *c == ']' ? c + 1 : NULL;
}

// Behind the string that opens at c.
static const char* skip_string(const char* c, const char* end) {
    for (++c; c < end && *c != '"'; ++c) {
        c += *c == '\\' && end - c > 1;
    }
    return c < end ? c + 1 : end;
}

// A list of n numbers has n - 1 commas, so there are no more numbers than commas and brackets.
static void count_marks(const char* text, size_t size, size_t* out_commas, size_t* out_brackets) {
    size_t commas = 0, brackets = 0;
    for (size_t i = 0; i < size; ++i) {
        commas += text[i] == ',';
        brackets += text[i] == '[';
    }
    *out_commas = commas;
    *out_brackets = brackets;
}

static char* put(char* out, const char* from, const char* to) {
    size_t size = (size_t)(to - from);
    memcpy(out, from, size);
    return out + size;
}

static void lift(const char* text, size_t size, double* values, iso_number_list* lists, char* rest,
                 iso_lifted_numbers* out) {
    const char *end = text + size, *kept = text;
    char* put_at = rest;
    int list_count = 0, count = 0;
    for (const char* c = text; c < end;) {
        if (*c == '"') {
            c = skip_string(c, end);
            continue;
        }
        const char* behind = *c == '[' ? read_list(c, end, values, &count) : NULL;
        if (!behind) {
            ++c;
            continue;
        }
        put_at = put(put_at, kept, c);
        put_at += snprintf(put_at, PLACE_SIZE, "[%d]", list_count);
        lists[list_count++] = (iso_number_list){values, count};
        values += count;
        c = kept = behind;
    }
    put_at = put(put_at, kept, end);
    *out = (iso_lifted_numbers){lists, list_count, rest, (size_t)(put_at - rest)};
}

iso_status iso_json_lift_numbers(iso_arena* arena, const char* text, size_t size,
                                 iso_lifted_numbers* out) {
    size_t commas, brackets;
    count_marks(text, size, &commas, &brackets);
    size_t most = commas + brackets;
    ISO_REQUIRE(arena->ctx, most < INT_MAX, ISO_ERR_MEMORY, "JSON text of %zu bytes", size);
    double* values = iso_arena_push_array(arena, (int)most, sizeof *values);
    iso_number_list* lists = iso_arena_push_array(arena, (int)brackets, sizeof *lists);
    char* rest = iso_arena_push(arena, size + PLACE_SIZE * brackets);
    ISO_REQUIRE(arena->ctx, values && lists && rest, ISO_ERR_MEMORY, "%zu numbers of a JSON text",
                most);
    lift(text, size, values, lists, rest, out);
    iso_arena_resize_last(arena, rest, size + PLACE_SIZE * brackets, out->rest_size);
    return ISO_OK;
}
