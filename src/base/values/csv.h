// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdbool.h>

// Lines and cells of tables in text, for every room that reads one. Cells are parted by commas,
// semicolons or tabs; between semicolons or tabs decimals may have a comma. Text is cut in place.

/// Lines of a text. Begin with iso_csv_lines_of().
typedef struct iso_csv_lines {
    char* rest; ///< NULL: none is left
    int line;   ///< number of the one that was read last, from 1
} iso_csv_lines;

/// @param text  borrowed, ends with a zero; a byte order mark of UTF-8 is passed over
iso_csv_lines iso_csv_lines_of(char* text);
/// The next line without its end and the blanks before it; NULL behind the last one.
char* iso_csv_next_line(iso_csv_lines* lines);
/// Is a line empty, or a comment that begins with #?
bool iso_csv_is_passed_over(const char* line);

/// What parts the cells of a line: ',', ';' or '\t'.
char iso_csv_separator(const char* line);
int iso_csv_count(const char* line, char separator);
/// The next cell of a line without blanks and quotes around it; NULL behind the last one.
/// @param rest  begins as the line
char* iso_csv_next_cell(char** rest, char separator);
/// The number of a cell, finite; its decimal comma becomes a point where no comma parts cells.
bool iso_csv_number(char* cell, char separator, double* out_value);
/// Whether a cell can be a name: words such as nan and inf are values that are missing.
bool iso_csv_is_name(const char* cell);

/// What cells of a table whose columns commas part say of decimal commas: without a point anywhere,
/// every other cell is a fraction, of which some begin with a needless zero, as "0512"; those
/// before a comma never do. Begins as zeros.
typedef struct iso_comma_watch {
    bool has_point, has_padded_whole;
    int line, column; ///< of the first such fraction; 0: there is none
} iso_comma_watch;

/// @param index  of the cell in its line, from 0
void iso_comma_watch_cell(iso_comma_watch* watch, const char* cell, int index, int line);
bool iso_comma_watch_found(const iso_comma_watch* watch);

/// How much of SI's unit is one of a unit such as "mm", "\xC2\xB5m" or "kN"; 0: none is known.
/// @param si  quantity, by its unit: "m", "s", "N", "Pa" or "m/s"
double iso_unit_find(const char* text, const char* si);
/// The same of what a column is named: "z [nm]", "height (um)", "x/mm", "z_um"; 0: none is known.
/// @param out_length     of the name before the unit
/// @param out_is_stated  the name has a unit, known or not
double iso_unit_of_name(const char* name, const char* si, int* out_length, bool* out_is_stated);
