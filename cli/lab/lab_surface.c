// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/lab/lab.h"
#include "cli/parts/json_output.h"
#include "cli/parts/plot_page.h"
#include "cli/parts/session.h"

#include <math.h>

static json_t* numbers_json(const double* values, int count) {
    json_t* array = json_array();
    for (int i = 0; i < count; ++i) {
        json_array_append_new(array, json_real(values[i]));
    }
    return array;
}

static json_t* statistics_json(const iso_lab_surface* s, const iso_lab_statistics* m) {
    json_t* object = json_pack(
        "{s:i,s:i,s:f,s:b,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f}", "rows", s->rows, "columns", s->columns,
        "pitch", s->pitch, "periodic", (int)s->is_periodic, "mean", m->mean, "rms_height",
        m->rms_height, "rms_slope", m->rms_slope, "rms_curvature", m->rms_curvature, "skewness",
        m->skewness, "kurtosis", m->kurtosis, "low", m->low, "high", m->high);
    json_object_set_new(object, "wave_numbers", numbers_json(m->wave_numbers, m->spectrum_count));
    json_object_set_new(object, "spectrum", numbers_json(m->spectrum, m->spectrum_count));
    json_object_set_new(object, "abbott", numbers_json(m->abbott, ISO_LAB_ABBOTT_POINTS));
    return object;
}

static void print_statistics(const iso_lab_surface* s, const iso_lab_statistics* m) {
    printf("points         %d x %d, %g m apart%s\n", s->columns, s->rows, s->pitch,
           s->is_periodic ? ", periodic" : "");
    printf("height         %.6g m rms, %.6g to %.6g m about the mean\n", m->rms_height, m->low,
           m->high);
    printf("slope          %.6g rms\n", m->rms_slope);
    printf("curvature      %.6g 1/m rms\n", m->rms_curvature);
    printf("distribution   skewness %.4g, kurtosis %.4g\n", m->skewness, m->kurtosis);
}

// Curves of the page: spectrum, Abbott curve, the middle row.
static iso_status write_page(iso_context* ctx, const char* path, const iso_lab_surface* s,
                             const iso_lab_statistics* m) {
    double share[ISO_LAB_ABBOTT_POINTS];
    for (int i = 0; i < ISO_LAB_ABBOTT_POINTS; ++i) {
        share[i] = i;
    }
    plot_page page;
    if (!plot_page_open(&page, "Rough surface")) {
        return ISO_ERR_MEMORY;
    }
    fprintf(page.file,
            "<table><tr><td>points<td>%d x %d, %g m apart<tr><td>rms height<td>%.6g m<tr><td>rms "
            "slope<td>%.6g<tr><td>rms curvature<td>%.6g 1/m<tr><td>skewness, kurtosis<td>%.4g, "
            "%.4g</table>",
            s->columns, s->rows, s->pitch, m->rms_height, m->rms_slope, m->rms_curvature,
            m->skewness, m->kurtosis);
    plot_page_plot(&page, "Power spectrum", "wave number [1/m]",
                   s->rows > 1 ? "C [m^4]" : "C [m^3]", m->wave_numbers, m->spectrum,
                   m->spectrum_count, true);
    plot_page_plot(&page, "Abbott curve", "share of the area above [%]", "height [m]", share,
                   m->abbott, ISO_LAB_ABBOTT_POINTS, false);
    const double* row = s->heights + (size_t)(s->rows / 2) * (size_t)s->columns;
    plot_page_plot(&page, "Middle row", "point", "height [m]", NULL, row, s->columns, false);
    return plot_page_close(ctx, &page, path);
}

cli_exit cli_lab_surface(cli_session* session, const cli_options* options,
                         const iso_lab_surface* surface) {
    iso_lab_statistics* m = &(iso_lab_statistics){0};
    iso_status status = iso_lab_surface_measure(session->ctx, surface, m);
    if (status == ISO_OK && options->output != NULL) {
        status = iso_lab_surface_write(session->ctx, options->output, surface);
    }
    if (status == ISO_OK && options->page != NULL) {
        status = write_page(session->ctx, options->page, surface, m);
    }
    if (status != ISO_OK) {
        return cli_report(session, status);
    }
    if (options->is_json) {
        return cli_json_print(statistics_json(surface, m));
    }
    if (!options->is_quiet) {
        print_statistics(surface, m);
    }
    return CLI_DONE;
}
