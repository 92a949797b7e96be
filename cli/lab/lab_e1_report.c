// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/lab/lab.h"
#include "cli/lab/lab_e1.h"
#include "cli/parts/json_output.h"
#include "cli/parts/plot_page.h"
#include "cli/parts/session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Joint fit of the thesis' own 28 means.
static const double k_thesis_fit[4] = {0.115, 0.138, 0.0475, -0.185};
static const char* const k_parameters[4] = {"young", "poisson", "beta", "density"};

static bool is_whole(const e1_found* found, const e1_series* series) {
    for (int i = 0; i < series->count; ++i) {
        if (!found->is_wanted[series->sets[i]]) {
            return false;
        }
    }
    return true;
}

static json_t* number(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t* set_json(const e1_found* found, int s) {
    const e1_set* set = &k_e1_sets[s];
    e1_mean m = e1_friction(found, s);
    json_t* values = json_array();
    for (int i = 0; i < found->surface_count; ++i) {
        json_array_append_new(values, number(found->values[0][s * found->surface_count + i]));
    }
    return json_pack("{s:f,s:f,s:f,s:f,s:o,s:o,s:i,s:f,s:f,s:o}", "young", set->young, "poisson",
                     set->poisson, "beta", set->beta, "density", set->density, "mean",
                     number(m.mean), "deviation", number(m.deviation), "slid", m.count,
                     "thesis_mean", set->thesis_mean, "thesis_deviation", set->thesis_deviation,
                     "static_friction", values);
}

static json_t* series_json(const e1_found* found, const e1_series* series) {
    e1_mean slope = e1_slope(found, series), effect = e1_effect(found, series);
    return json_pack("{s:s,s:s,s:o,s:o,s:o,s:o,s:o}", "name", series->name, "parameter",
                     k_parameters[series->parameter], "slope", number(slope.mean), "slope_half",
                     number(slope.half), "effect", number(effect.mean), "effect_half",
                     number(effect.half), "rank", number(e1_rank(found, series)));
}

static cli_exit print_json(const e1_found* found) {
    json_t *sets = json_array(), *series = json_array(), *fit = json_object();
    e1_mean joint[4];
    for (int s = 0; s < E1_SETS; ++s) {
        if (found->is_wanted[s]) {
            json_array_append_new(sets, set_json(found, s));
        }
    }
    for (int i = 0; i < E1_SERIES; ++i) {
        if (is_whole(found, &k_e1_series[i])) {
            json_array_append_new(series, series_json(found, &k_e1_series[i]));
        }
    }
    if (e1_fit(found, joint)) {
        for (int k = 0; k < 4; ++k) {
            json_object_set_new(fit, k_parameters[k],
                                json_pack("{s:o,s:o,s:f}", "slope", number(joint[k].mean), "half",
                                          number(joint[k].half), "thesis", k_thesis_fit[k]));
        }
    }
    return cli_json_print(json_pack("{s:i,s:o,s:o,s:o,s:f,s:f,s:f}", "surfaces",
                                    found->surface_count, "sets", sets, "series", series, "fit",
                                    fit, "cpu_s", found->cpu_seconds, "wall_s", found->wall_seconds,
                                    "longest_run_cpu_s", found->longest));
}

static void print_text(const e1_found* found) {
    e1_mean joint[4];
    printf("E        nu    beta  density   static friction   thesis\n");
    for (int s = 0; s < E1_SETS; ++s) {
        const e1_set* t = &k_e1_sets[s];
        e1_mean m = e1_friction(found, s);
        if (found->is_wanted[s]) {
            printf("%-8g %-5g %-5g %-8g  %.3f +- %.3f     %.3f +- %.3f\n", t->young, t->poisson,
                   t->beta, t->density, m.mean, m.deviation, t->thesis_mean, t->thesis_deviation);
        }
    }
    printf("\nseries        slope of ln mu, 95 %%    effect first to last   rank\n");
    for (int i = 0; i < E1_SERIES; ++i) {
        const e1_series* series = &k_e1_series[i];
        if (is_whole(found, series)) {
            e1_mean slope = e1_slope(found, series), effect = e1_effect(found, series);
            printf("%-13s %7.4f +- %.4f      %7.4f +- %.4f    %5.2f\n", series->name, slope.mean,
                   slope.half, effect.mean, effect.half, e1_rank(found, series));
        }
    }
    if (e1_fit(found, joint)) {
        printf("\njoint fit     slope of ln mu, 95 %%    thesis\n");
        for (int k = 0; k < 4; ++k) {
            printf("%-13s %7.4f +- %.4f      %7.4f\n", k_parameters[k], joint[k].mean,
                   joint[k].half, k_thesis_fit[k]);
        }
    }
    printf("\n%d surfaces, %.4g s of processor time, the longest run %.3g s\n",
           found->surface_count, found->cpu_seconds, found->longest);
}

static iso_status write_table(iso_context* ctx, const e1_found* found, const char* path) {
    cli_text text;
    if (!cli_text_open(&text)) {
        return ISO_ERR_MEMORY;
    }
    fputs("young,poisson,beta,density,seed", text.file);
    for (int k = 0; k < E1_MEASURES; ++k) {
        fprintf(text.file, ",%s", k_e1_measures[k]);
    }
    fputc('\n', text.file);
    for (int s = 0; s < E1_SETS; ++s) {
        const e1_set* t = &k_e1_sets[s];
        for (int i = 0; found->is_wanted[s] && i < found->surface_count; ++i) {
            fprintf(text.file, "%g,%g,%g,%g,%llu", t->young, t->poisson, t->beta, t->density,
                    (unsigned long long)found->first_seed + (unsigned long long)i);
            for (int k = 0; k < E1_MEASURES; ++k) {
                double value = found->values[k][s * found->surface_count + i];
                fprintf(text.file, isfinite(value) ? ",%.17g" : ",", value);
            }
            fputc('\n', text.file);
        }
    }
    return cli_text_close(ctx, &text, path);
}

static iso_status write_arrays(iso_context* ctx, const e1_found* found, const char* path) {
    double sets[E1_SETS * 6];
    iso_lab_array arrays[E1_MEASURES + 1];
    memcpy(sets, k_e1_sets, sizeof sets);
    arrays[0] = (iso_lab_array){"sets", sets, E1_SETS, 6};
    for (int k = 0; k < E1_MEASURES; ++k) {
        arrays[k + 1] =
            (iso_lab_array){k_e1_measures[k], found->values[k], E1_SETS, found->surface_count};
    }
    return iso_lab_arrays_write(ctx, path, arrays, E1_MEASURES + 1);
}

/// Surfaces from which on intervals are drawn: those of fewer hide all else.
enum { k_drawn_intervals = 4 };

// One figure per series: ours, its interval, and the thesis.
static iso_status write_page(iso_context* ctx, const e1_found* found, const char* path) {
    plot_page page;
    if (!plot_page_open(&page, "Static friction over parameters (E1)")) {
        return ISO_ERR_MEMORY;
    }
    fprintf(page.file,
            "<p>%d pairs of surfaces, the same for every set; figure 4.2 of the thesis beside "
            "ours. Its units, gravity and spectrum are not stated: signs compare, levels do "
            "not.%s</p>\n",
            found->surface_count,
            found->surface_count < k_drawn_intervals ? " Intervals are left out: they need four "
                                                       "pairs."
                                                     : "");
    for (int i = 0; i < E1_SERIES; ++i) {
        const e1_series* series = &k_e1_series[i];
        double x[E1_LEVELS], ours[3][E1_LEVELS], thesis[E1_LEVELS];
        char title[96];
        if (!is_whole(found, series)) {
            continue;
        }
        for (int k = 0; k < series->count; ++k) {
            const e1_set* set = &k_e1_sets[series->sets[k]];
            e1_mean m = e1_friction(found, series->sets[k]);
            double value = e1_parameter(set, series->parameter);
            x[k] = series->parameter == 1 ? value : log10(value);
            thesis[k] = set->thesis_mean;
            for (int part = 0; part < 3; ++part) {
                ours[part][k] = m.mean + (part - 1) * m.half;
            }
        }
        const plot_curve curves[] = {
            {"ours", ours[1]}, {"thesis", thesis}, {"95 %, low", ours[0]}, {"95 %, high", ours[2]}};
        snprintf(title, sizeof title, "Figure 4.2 %c: static friction, series %s",
                 'a' + series->parameter, series->name);
        char label[64];
        snprintf(label, sizeof label, "%s%s", series->parameter == 1 ? "" : "log10 of ",
                 k_parameters[series->parameter]);
        plot_page_curves(&page, title, label, x, series->count, curves,
                         found->surface_count < k_drawn_intervals ? 2 : 4);
    }
    return plot_page_close(ctx, &page, path);
}

cli_exit e1_report(cli_session* session, const cli_options* options, const e1_found* found) {
    iso_status status = ISO_OK;
    if (options->output != NULL) {
        status = write_arrays(session->ctx, found, options->output);
    }
    if (status == ISO_OK && options->lab.table != NULL) {
        status = write_table(session->ctx, found, options->lab.table);
    }
    if (status == ISO_OK && options->page != NULL) {
        status = write_page(session->ctx, found, options->page);
    }
    if (status != ISO_OK) {
        return cli_report(session, status);
    }
    if (options->is_json) {
        return print_json(found);
    }
    if (!options->is_quiet) {
        print_text(found);
    }
    return CLI_DONE;
}
