// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/lab.h"
#include "base/core/text.h"

#include <string.h>

// Micro is written in three ways: of UTF-8 two signs that look alike, of Latin-1 one byte.
static const struct {
    const char* name;
    double metres;
} k_units[] = {{"m", 1.0},          {"dm", 1e-1},        {"cm", 1e-2},
               {"mm", 1e-3},        {"um", 1e-6},        {"\xC2\xB5m", 1e-6},
               {"\xCE\xBCm", 1e-6}, {"\xB5m", 1e-6},     {"micron", 1e-6},
               {"microns", 1e-6},   {"nm", 1e-9},        {"pm", 1e-12},
               {"A", 1e-10},        {"\xC3\x85", 1e-10}, {"\xE2\x84\xAB", 1e-10},
               {"angstrom", 1e-10}, {"in", 0.0254},      {"inch", 0.0254}};

// Units that are words and names too: z_A, x_in. They need brackets.
static const char* const k_words[] = {"A", "in", "pm", "dm"};

static double find(const char* from, size_t length) {
    while (length > 0 && strchr(" \t\"'", from[length - 1]) != NULL) {
        --length;
    }
    while (length > 0 && strchr(" \t\"'", *from) != NULL) {
        ++from;
        --length;
    }
    for (size_t i = 0; i < sizeof k_units / sizeof k_units[0]; ++i) {
        if (strlen(k_units[i].name) == length && memcmp(k_units[i].name, from, length) == 0) {
            return k_units[i].metres;
        }
    }
    return 0.0;
}

double iso_lab_unit(const char* cell) {
    return find(cell, strcspn(cell, "\r"));
}

double iso_lab_unit_of_name(const char* name, bool* out_is_stated) {
    const char* open = strpbrk(name, "[(");
    *out_is_stated = open != NULL;
    if (open != NULL) {
        return find(open + 1, strcspn(open + 1, "])"));
    }
    const char *slash = strrchr(name, '/'), *line = strrchr(name, '_');
    const char* last = slash != NULL ? slash : line;
    double metres = last != NULL ? iso_lab_unit(last + 1) : 0.0;
    for (size_t i = 0; last != NULL && i < sizeof k_words / sizeof k_words[0]; ++i) {
        metres = strcmp(last + 1, k_words[i]) == 0 ? 0.0 : metres;
    }
    *out_is_stated = metres > 0.0;
    return metres;
}
