// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "cli/parts/text.h"
#include "isobar/lab.h"

/// A page of plots that needs nothing beside it (SVG in HTML). It is made in memory.
typedef cli_text plot_page;

/// @return false when there is no memory
bool plot_page_open(plot_page* page, const char* title);
/// One curve with its axes. Points without a finite place (on logarithms: not above zero) are left
/// out.
/// @param x  [count]; NULL: 0, 1, ...
void plot_page_plot(plot_page* page, const char* title, const char* x_label, const char* y_label,
                    const double* x, const double* y, int count, bool is_log);
/// One curve of several.
typedef struct plot_curve {
    const char* label; ///< "": none
    const double* y;   ///< [count] NAN: no point
} plot_curve;
/// Several curves over the same values of x, with a legend.
void plot_page_curves(plot_page* page, const char* title, const char* x_label, const double* x,
                      int count, const plot_curve* curves, int curve_count);
/// Write the page: the file appears whole or not at all.
iso_status plot_page_close(iso_context* ctx, plot_page* page, const char* path);
