// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/lab/lab.h"
#include "cli/parts/json_output.h"
#include "cli/parts/plot_page.h"
#include "cli/parts/progress.h"
#include "cli/parts/session.h"
#include "isobar/identify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// What is kept of each load.
typedef struct load_row {
    double pressure, share, persson, max_pressure, mean_gap, approach, energy, error, seconds;
    double friction; ///< by the local law of --shear
    int iterations;
} load_row;

typedef struct sweep {
    const cli_options* options;
    const iso_lab_surface* surface;
    double modulus, slope;
    double low, high;
    int count;
    load_row* rows;
    iso_lab_contact last; ///< of the highest load; the next one starts from it
} sweep;

static double load_at(const sweep* s, int i) {
    return s->count > 1 ? s->low * pow(s->high / s->low, (double)i / (s->count - 1)) : s->low;
}

static iso_status run_loads(cli_session* session, sweep* s) {
    for (int i = 0; i < s->count; ++i) {
        iso_lab_contact_desc desc = iso_lab_contact_desc_default();
        iso_lab_contact found;
        desc.surface = s->surface;
        desc.modulus = s->modulus;
        desc.mean_pressure = load_at(s, i);
        desc.is_free = s->options->lab.is_free;
        desc.tolerance =
            s->options->lab.tolerance > 0.0 ? s->options->lab.tolerance : desc.tolerance;
        desc.start = s->last.pressures;
        double begin = cli_wall_clock();
        iso_status status = iso_lab_contact_solve(session->ctx, &desc, &found);
        if (status != ISO_OK) {
            return status;
        }
        iso_lab_contact_free(session->ctx, &s->last);
        s->last = found;
        double persson = erf(sqrt(2.0) * desc.mean_pressure / (s->modulus * s->slope));
        s->rows[i] = (load_row){desc.mean_pressure,
                                found.contact_share,
                                persson,
                                found.max_pressure,
                                found.mean_gap,
                                found.approach,
                                found.energy,
                                found.error,
                                cli_wall_clock() - begin,
                                0.0,
                                found.iterations};
        double normal = 0.0, along = 0.0;
        status = iso_trib_rough_friction(session->ctx, s->surface, found.pressures,
                                         s->options->lab.shear, &normal, &along);
        if (status != ISO_OK) {
            return status;
        }
        s->rows[i].friction = along / normal;
    }
    return ISO_OK;
}

static json_t* sweep_json(const sweep* s) {
    json_t* rows = json_array();
    for (int i = 0; i < s->count; ++i) {
        const load_row* r = &s->rows[i];
        json_array_append_new(rows, json_pack("{s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:i,s:f}",
                                              "mean_pressure", r->pressure, "contact_share",
                                              r->share, "persson_share", r->persson, "max_pressure",
                                              r->max_pressure, "mean_gap", r->mean_gap, "approach",
                                              r->approach, "energy", r->energy, "error", r->error,
                                              "iterations", r->iterations, "seconds", r->seconds));
        if (s->options->lab.has_shear) {
            json_object_set_new(json_array_get(rows, (size_t)i), "friction",
                                json_real(r->friction));
        }
    }
    return json_pack("{s:i,s:i,s:f,s:f,s:f,s:b,s:o}", "rows", s->surface->rows, "columns",
                     s->surface->columns, "pitch", s->surface->pitch, "contact_modulus", s->modulus,
                     "rms_slope", s->slope, "free", (int)s->options->lab.is_free, "loads", rows);
}

static void print_row(FILE* file, const load_row* r, bool has_friction) {
    const double values[] = {r->pressure, r->share,  r->persson, r->max_pressure, r->mean_gap,
                             r->approach, r->energy, r->error,   r->iterations,   r->friction};
    int count = has_friction ? 10 : 9;
    for (int i = 0; i < count; ++i) {
        fprintf(file, "%.17g,", values[i]);
    }
    fprintf(file, "%.0f\n", iso_table_check(values, count));
}

static void print_sweep(FILE* file, const sweep* s, bool is_csv) {
    bool has_friction = s->options->lab.has_shear;
    if (is_csv) {
        fprintf(file,
                "mean_pressure,contact_share,persson_share,max_pressure,mean_gap,approach,energy,"
                "error,iterations%s,row_check\n",
                has_friction ? ",friction" : "");
    } else {
        fprintf(file,
                "mean pressure  contact area  Persson   max pressure  mean gap     iterations%s\n"
                "[Pa]           [%%]           [%%]       [Pa]          [m]\n",
                has_friction ? "  friction" : "");
    }
    for (int i = 0; i < s->count; ++i) {
        const load_row* r = &s->rows[i];
        if (is_csv) {
            print_row(file, r, has_friction);
            continue;
        }
        fprintf(file, "%-13.5g  %-12.5g  %-8.4g  %-12.5g  %-11.5g  %d", r->pressure,
                100.0 * r->share, 100.0 * r->persson, r->max_pressure, r->mean_gap, r->iterations);
        if (has_friction) {
            fprintf(file, "          %.5g", r->friction);
        }
        fputc('\n', file);
    }
}

static iso_status write_table(iso_context* ctx, const sweep* s, const char* path) {
    cli_text text;
    if (!cli_text_open(&text)) {
        return ISO_ERR_MEMORY;
    }
    print_sweep(text.file, s, true);
    return cli_text_close(ctx, &text, path);
}

static iso_status write_page(iso_context* ctx, const sweep* s, const char* path) {
    plot_page page;
    double* columns = calloc((size_t)s->count * 3, sizeof *columns);
    if (columns == NULL || !plot_page_open(&page, "Rough contact")) {
        free(columns);
        return ISO_ERR_MEMORY;
    }
    for (int i = 0; i < s->count; ++i) {
        columns[i] = s->rows[i].pressure;
        columns[s->count + i] = s->rows[i].share;
        columns[2 * s->count + i] = s->rows[i].mean_gap;
    }
    plot_page_plot(&page, "Real contact area", "mean pressure [Pa]", "share of the area", columns,
                   columns + s->count, s->count, true);
    plot_page_plot(&page, "Gap", "mean pressure [Pa]", "mean gap [m]", columns,
                   columns + 2 * s->count, s->count, true);
    const double* row =
        s->last.pressures + (size_t)(s->surface->rows / 2) * (size_t)s->surface->columns;
    plot_page_plot(&page, "Pressures of the middle row at the highest load", "point", "[Pa]", NULL,
                   row, s->surface->columns, false);
    free(columns);
    return plot_page_close(ctx, &page, path);
}

static iso_status write_arrays(iso_context* ctx, const sweep* s, const char* path) {
    int rows = s->surface->rows, columns = s->surface->columns;
    iso_lab_array arrays[] = {{"heights", s->surface->heights, rows, columns},
                              {"pressures", s->last.pressures, rows, columns},
                              {"gaps", s->last.gaps, rows, columns},
                              {"pitch", &s->surface->pitch, 1, 1}};
    return iso_lab_arrays_write(ctx, path, arrays, 4);
}

static cli_exit write_results(cli_session* session, const sweep* s) {
    const cli_options* options = s->options;
    iso_status status = ISO_OK;
    if (options->output != NULL) {
        status = write_arrays(session->ctx, s, options->output);
    }
    if (status == ISO_OK && options->lab.table != NULL) {
        status = write_table(session->ctx, s, options->lab.table);
    }
    if (status == ISO_OK && options->page != NULL) {
        status = write_page(session->ctx, s, options->page);
    }
    if (status != ISO_OK) {
        return cli_report(session, status);
    }
    if (options->is_json) {
        return cli_json_print(sweep_json(s));
    }
    if (!options->is_quiet) {
        print_sweep(stdout, s, false);
    }
    return CLI_DONE;
}

cli_exit cli_lab_contact(cli_session* session, const cli_options* options,
                         const iso_lab_surface* surface) {
    const cli_lab_options* lab = &options->lab;
    sweep s = {.options = options, .surface = surface, .count = lab->load_count};
    iso_lab_statistics* m = &(iso_lab_statistics){0};
    iso_status status = iso_lab_surface_measure(session->ctx, surface, m);
    if (status != ISO_OK) {
        return cli_report(session, status);
    }
    s.modulus = lab->modulus > 0.0 ? lab->modulus : CLI_CONTACT_MODULUS;
    s.slope = m->rms_slope;
    s.low = lab->load_low;
    s.high = lab->load_high;
    if (s.count == 0 && !(s.slope > 0.0)) {
        cli_error("the surface is flat, so its slope says no loads, expected "
                  "--load P\n");
        return CLI_BAD_INPUT;
    }
    if (s.count == 0) {
        s.count = 8;
        s.low = 1e-3 * s.modulus * s.slope;
        s.high = 1e-1 * s.modulus * s.slope;
    }
    s.rows = calloc((size_t)s.count, sizeof *s.rows);
    if (s.rows == NULL) {
        cli_error("%s\n", iso_status_text(ISO_ERR_MEMORY));
        return CLI_BAD_INPUT;
    }
    status = run_loads(session, &s);
    cli_exit code = status == ISO_OK ? write_results(session, &s) : cli_report(session, status);
    iso_lab_contact_free(session->ctx, &s.last);
    free(s.rows);
    return code;
}
