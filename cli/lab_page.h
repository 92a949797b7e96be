// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdbool.h>
#include <stdio.h>

/// A page of plots that needs nothing beside it (SVG in HTML).
typedef struct lab_page {
    FILE* file;
} lab_page;

/// @return false when the file cannot be written
bool lab_page_open(lab_page* page, const char* path, const char* title);
/// One curve with its axes. Points without a finite place (on logarithms: not above zero) are left
/// out.
/// @param x  [count]; NULL: 0, 1, ...
void lab_page_plot(lab_page* page, const char* title, const char* x_label, const char* y_label,
                   const double* x, const double* y, int count, bool is_log);
/// @return false when something did not arrive
bool lab_page_close(lab_page* page);
