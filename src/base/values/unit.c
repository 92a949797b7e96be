// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/values/csv.h"

#include <string.h>

// Micro is written in three ways: of UTF-8 two signs that look alike, of Latin-1 one byte. A unit
// that is a word or a name too, as in z_A and x_in, needs brackets.
static const struct {
    const char *name, *si;
    double factor;
    bool needs_brackets;
} k_units[] = {
    {"m", "m", 1.0, false},
    {"dm", "m", 1e-1, true},
    {"cm", "m", 1e-2, false},
    {"mm", "m", 1e-3, false},
    {"um", "m", 1e-6, false},
    {"\xC2\xB5m", "m", 1e-6, false},
    {"\xCE\xBCm", "m", 1e-6, false},
    {"\xB5m", "m", 1e-6, false},
    {"micron", "m", 1e-6, false},
    {"microns", "m", 1e-6, false},
    {"nm", "m", 1e-9, false},
    {"pm", "m", 1e-12, true},
    {"A", "m", 1e-10, true},
    {"\xC3\x85", "m", 1e-10, false},
    {"\xE2\x84\xAB", "m", 1e-10, false},
    {"angstrom", "m", 1e-10, false},
    {"in", "m", 0.0254, true},
    {"inch", "m", 0.0254, false},
    {"s", "s", 1.0, false},
    {"ms", "s", 1e-3, false},
    {"us", "s", 1e-6, false},
    {"\xC2\xB5s", "s", 1e-6, false},
    {"\xCE\xBCs", "s", 1e-6, false},
    {"min", "s", 60.0, true},
    {"N", "N", 1.0, false},
    {"mN", "N", 1e-3, false},
    {"kN", "N", 1e3, false},
    {"MN", "N", 1e6, false},
    {"Pa", "Pa", 1.0, false},
    {"hPa", "Pa", 1e2, false},
    {"kPa", "Pa", 1e3, false},
    {"MPa", "Pa", 1e6, false},
    {"GPa", "Pa", 1e9, false},
    {"bar", "Pa", 1e5, true},
    {"m/s", "m/s", 1.0, false},
    {"cm/s", "m/s", 1e-2, false},
    {"mm/s", "m/s", 1e-3, false},
    {"um/s", "m/s", 1e-6, false},
    {"km/h", "m/s", 1.0 / 3.6, false},
};

static double find(const char* from, size_t length, const char* si, bool has_brackets) {
    while (length > 0 && strchr(" \t\r\"'", from[length - 1]) != NULL) {
        --length;
    }
    while (length > 0 && strchr(" \t\"'", *from) != NULL) {
        ++from;
        --length;
    }
    for (size_t i = 0; i < sizeof k_units / sizeof k_units[0]; ++i) {
        if (strcmp(k_units[i].si, si) == 0 && strlen(k_units[i].name) == length &&
            memcmp(k_units[i].name, from, length) == 0 &&
            (has_brackets || !k_units[i].needs_brackets)) {
            return k_units[i].factor;
        }
    }
    return 0.0;
}

double iso_unit_find(const char* text, const char* si) {
    return find(text, strlen(text), si, true);
}

double iso_unit_of_name(const char* name, const char* si, int* out_length, bool* out_is_stated) {
    const char* open = strpbrk(name, "[(");
    size_t length = open != NULL ? (size_t)(open - name) : strlen(name);
    double factor = open != NULL ? find(open + 1, strcspn(open + 1, "])"), si, true) : 0.0;
    for (const char* c = open != NULL ? NULL : strpbrk(name, "/_"); c != NULL;
         c = strpbrk(c + 1, "/_")) {
        factor = find(c + 1, strlen(c + 1), si, false);
        if (factor > 0.0) {
            length = (size_t)(c - name);
            break;
        }
    }
    while (length > 0 && strchr(" \t", name[length - 1]) != NULL) {
        --length;
    }
    *out_length = (int)length;
    *out_is_stated = open != NULL || factor > 0.0;
    return factor;
}
