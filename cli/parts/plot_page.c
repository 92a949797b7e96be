// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/parts/plot_page.h"

#include "cli/parts/text.h"

#include <math.h>
#include <stdlib.h>

enum { WIDTH = 560, HEIGHT = 320, LEFT = 90, TOP = 20, BOTTOM = 50, RIGHT = 20 };

typedef struct range {
    double low, high;
} range;

bool plot_page_open(plot_page* page, const char* title) {
    if (!cli_text_open(page)) {
        return false;
    }
    fprintf(page->file,
            "<!doctype html><meta charset=utf-8><title>%s</title><style>body{font:15px/1.5 "
            "system-ui,sans-serif;margin:2rem auto;max-width:64rem}td{padding:.1rem "
            "1rem}text{font:12px system-ui,sans-serif}</style><h1>%s</h1>\n",
            title, title);
    return true;
}

static double place(double value, bool is_log) {
    return is_log ? (value > 0.0 ? log10(value) : (double)NAN) : value;
}

static void widen(range* r, double value) {
    r->low = value < r->low ? value : r->low;
    r->high = value > r->high ? value : r->high;
}

static void print_axis(FILE* file, range x, range y, bool is_log) {
    for (int i = 0; i <= 4; ++i) {
        double at_x = x.low + 0.25 * i * (x.high - x.low),
               at_y = y.low + 0.25 * i * (y.high - y.low);
        double px = LEFT + 0.25 * i * (WIDTH - LEFT - RIGHT);
        double py = HEIGHT - BOTTOM - 0.25 * i * (HEIGHT - TOP - BOTTOM);
        fprintf(file,
                "<path d='M%.1f %d V%d M%d %.1f H%d' stroke='#8884'/><text x='%.1f' y='%d' "
                "text-anchor='middle'>%.3g</text><text x='%d' y='%.1f' "
                "text-anchor='end'>%.3g</text>\n",
                px, TOP, HEIGHT - BOTTOM, LEFT, py, WIDTH - RIGHT, px, HEIGHT - BOTTOM + 18,
                is_log ? pow(10.0, at_x) : at_x, LEFT - 6, py + 4.0,
                is_log ? pow(10.0, at_y) : at_y);
    }
}

/// So that a curve that does not change, or is a point, lies in the middle.
static range opened(range r) {
    double middle = 0.5 * (r.low + r.high), half = 0.5 * (r.high - r.low);
    half = half > 1e-12 * fabs(middle) ? half : 0.5 * fabs(middle) + 1e-300;
    return (range){middle - half, middle + half};
}

static void print_curve(FILE* file, const double* x, const double* y, int count, range rx, range ry,
                        const char* color) {
    fprintf(file, "<g fill='%s'><polyline fill='none' stroke='%s' points='", color, color);
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < count; ++i) {
            double px = LEFT + (x[i] - rx.low) / (rx.high - rx.low) * (WIDTH - LEFT - RIGHT);
            double py =
                HEIGHT - BOTTOM - (y[i] - ry.low) / (ry.high - ry.low) * (HEIGHT - TOP - BOTTOM);
            if (isfinite(y[i])) {
                fprintf(file, pass == 0 ? "%.2f,%.2f " : "<circle cx='%.2f' cy='%.2f' r='2.5'/>",
                        px, py);
            }
        }
        fputs(pass == 0 ? "'/>" : "</g>\n", file);
    }
}

void plot_page_curves(plot_page* page, const char* title, const char* x_label, const double* x,
                      int count, const plot_curve* curves, int curve_count) {
    static const char* const k_colors[] = {"#1f6feb", "#d1570a", "#1a7f37", "#cf222e", "#8250df",
                                           "#0a7ea4", "#9a6700", "#bf3989", "#57606a", "#116329"};
    range rx = {INFINITY, -INFINITY}, ry = rx;
    for (int i = 0; i < count; ++i) {
        widen(&rx, x[i]);
        for (int c = 0; c < curve_count; ++c) {
            widen(&ry, isfinite(curves[c].y[i]) ? curves[c].y[i] : (double)NAN);
        }
    }
    fputs("<h2>", page->file);
    cli_print_html(page->file, title);
    fputs("</h2>\n", page->file);
    if (!(ry.high >= ry.low)) {
        fputs("<p>There is nothing to plot.</p>\n", page->file);
        return;
    }
    rx = opened(rx);
    ry = opened(ry);
    fprintf(page->file, "<svg width='%d' height='%d' style='overflow:visible'>\n", WIDTH, HEIGHT);
    print_axis(page->file, rx, ry, false);
    for (int c = 0; c < curve_count; ++c) {
        const char* color = k_colors[c % (int)(sizeof k_colors / sizeof k_colors[0])];
        print_curve(page->file, x, curves[c].y, count, rx, ry, color);
        fprintf(page->file, "<text x='%d' y='%d' style='fill:%s'>", WIDTH + 8, TOP + 16 * (c + 1),
                color);
        cli_print_html(page->file, curves[c].label);
        fputs("</text>\n", page->file);
    }
    fprintf(page->file, "<text x='%d' y='%d' text-anchor='middle'>", (WIDTH + LEFT) / 2,
            HEIGHT - 12);
    cli_print_html(page->file, x_label);
    fputs("</text></svg>\n", page->file);
}

void plot_page_plot(plot_page* page, const char* title, const char* x_label, const char* y_label,
                    const double* x, const double* y, int count, bool is_log) {
    range rx = {INFINITY, -INFINITY}, ry = rx;
    for (int i = 0; i < count; ++i) {
        double px = place(x != NULL ? x[i] : i, is_log), py = place(y[i], is_log);
        if (isfinite(px) && isfinite(py)) {
            widen(&rx, px);
            widen(&ry, py);
        }
    }
    if (!(rx.high > rx.low)) {
        return;
    }
    ry = opened(ry);
    fprintf(page->file, "<h2>%s</h2><svg width='%d' height='%d' style='overflow:visible'>\n", title,
            WIDTH, HEIGHT);
    print_axis(page->file, rx, ry, is_log);
    fprintf(page->file, "<polyline fill='none' stroke='#1f6feb' points='");
    for (int i = 0; i < count; ++i) {
        double px = place(x != NULL ? x[i] : i, is_log), py = place(y[i], is_log);
        if (isfinite(px) && isfinite(py)) {
            fprintf(page->file, "%.2f,%.2f ",
                    LEFT + (px - rx.low) / (rx.high - rx.low) * (WIDTH - LEFT - RIGHT),
                    HEIGHT - BOTTOM - (py - ry.low) / (ry.high - ry.low) * (HEIGHT - TOP - BOTTOM));
        }
    }
    fprintf(page->file,
            "'/><text x='%d' y='%d' text-anchor='middle'>%s</text><text x='%d' "
            "y='14'>%s</text></svg>\n",
            (WIDTH + LEFT) / 2, HEIGHT - 12, x_label, LEFT, y_label);
}

iso_status plot_page_close(iso_context* ctx, plot_page* page, const char* path) {
    return cli_text_close(ctx, page, path);
}
