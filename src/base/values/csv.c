// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/values/csv.h"

#include "base/core/text.h"

#include <ctype.h>
#include <string.h>

iso_csv_lines iso_csv_lines_of(char* text) {
    bool has_mark = strncmp(text, "\xEF\xBB\xBF", 3) == 0;
    return (iso_csv_lines){text + (has_mark ? 3 : 0), 0};
}

char* iso_csv_next_line(iso_csv_lines* lines) {
    char* line = lines->rest;
    if (line == NULL) {
        return NULL;
    }
    size_t length = strcspn(line, "\n");
    lines->rest = line[length] == '\n' ? line + length + 1 : NULL;
    line[length] = '\0';
    if (length > 0 && line[length - 1] == '\r') {
        line[length - 1] = '\0';
    }
    ++lines->line;
    return line + strspn(line, " \t");
}

bool iso_csv_is_passed_over(const char* line) {
    return *line == '\0' || *line == '#';
}

bool iso_csv_is_name(const char* cell) {
    static const char* const no_names[] = {"nan",  "-nan", "+nan", "inf",  "-inf",
                                           "+inf", "na",   "n/a",  "null", "infinity"};
    char word[12];
    cell += strspn(cell, " \t\"'");
    size_t length = strcspn(cell, " \t\r\"'");
    for (size_t i = 0; i < length && i + 1 < sizeof word; ++i) {
        word[i] = (char)tolower((unsigned char)cell[i]);
    }
    word[length < sizeof word ? length : sizeof word - 1] = '\0';
    bool is_word = isalpha((unsigned char)cell[0]) || (unsigned char)cell[0] >= 0x80;
    for (size_t i = 0; i < sizeof no_names / sizeof no_names[0]; ++i) {
        is_word = is_word && strcmp(word, no_names[i]) != 0;
    }
    return is_word;
}

// Semicolons and tabs are no part of a number; commas may be. Tabs may also pad commas: of numbers
// with points, or beside a comma, or at the ends of a line.
char iso_csv_separator(const char* line) {
    if (strchr(line, ';') != NULL) {
        return ';';
    }
    size_t start = strspn(line, " \t"), length = strlen(line);
    while (length > start && strchr(" \t\r", line[length - 1]) != NULL) {
        --length;
    }
    const char* comma = strchr(line, ',');
    bool has_point = comma != NULL && strchr(line, '.') != NULL && !iso_csv_is_name(line);
    bool has_tab = false, is_padded = false;
    for (size_t i = start; i < length; ++i) {
        has_tab = has_tab || line[i] == '\t';
        is_padded = is_padded || (line[i] == '\t' && (line[i - 1] == ',' || line[i + 1] == ','));
    }
    return has_tab && !is_padded && !has_point ? '\t' : ',';
}

int iso_csv_count(const char* line, char separator) {
    int count = 1;
    for (const char* c = line; *c != '\0'; ++c) {
        count += *c == separator;
    }
    return count;
}

char* iso_csv_next_cell(char** rest, char separator) {
    char* cell = *rest;
    if (cell == NULL) {
        return NULL;
    }
    char* end = strchr(cell, separator);
    *rest = end != NULL ? end + 1 : NULL;
    size_t length = end != NULL ? (size_t)(end - cell) : strlen(cell);
    cell[length] = '\0';
    while (length > 0 && strchr(" \t\r\"'", cell[length - 1]) != NULL) {
        cell[--length] = '\0';
    }
    return cell + strspn(cell, " \t\"'");
}

bool iso_csv_number(char* cell, char separator, double* out_value) {
    char* comma = separator != ',' ? strchr(cell, ',') : NULL;
    if (comma != NULL && strchr(cell, '.') == NULL && strchr(comma + 1, ',') == NULL) {
        *comma = '.';
    }
    return iso_text_to_double(cell, out_value);
}

void iso_comma_watch_cell(iso_comma_watch* watch, const char* cell, int index, int line) {
    cell += strspn(cell, " \t\"");
    watch->has_point = watch->has_point || strchr(cell, '.') != NULL;
    if (cell[0] != '0' || strspn(cell, "0123456789") < 2) {
        return;
    }
    if (index % 2 == 0) {
        watch->has_padded_whole = true;
    } else if (watch->line == 0) {
        watch->line = line;
        watch->column = index + 1;
    }
}

bool iso_comma_watch_found(const iso_comma_watch* watch) {
    return watch->line > 0 && !watch->has_point && !watch->has_padded_whole;
}
