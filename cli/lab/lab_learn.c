// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/lab/lab.h"
#include "cli/parts/json_output.h"
#include "cli/parts/plot_page.h"
#include "cli/parts/session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CURVE = 61 }; // points of a curve of the page

typedef struct study {
    const cli_options* options;
    iso_learned_desc desc;
    iso_learned_report report;
    double* left_out; ///< [row_count]
    iso_learned* model;
} study;

/// One curve of [Datta2018] figure 4.7: both bodies change together, the rest is the rows' mean.
typedef struct trend {
    const char *name, *label;
    double low, high;
    double x[CURVE], y[CURVE];
} trend;

static iso_learned_material mean_of_rows(const iso_learned_desc* d, bool is_b) {
    iso_learned_material mean = {.name = ""};
    for (int i = 0; i < d->row_count; ++i) {
        const iso_learned_material* m = is_b ? &d->rows[i].b : &d->rows[i].a;
        mean.young_modulus += m->young_modulus / d->row_count;
        mean.poisson += m->poisson / d->row_count;
        mean.density += m->density / d->row_count;
    }
    return mean;
}

static iso_status find_trend(const study* s, int which, trend* t) {
    static const trend ranges[] = {
        {.name = "Friction over Young's modulus of both",
         .label = "E [Pa]",
         .low = 5e9,
         .high = 200e9},
        {.name = "Friction over Poisson's ratio of both", .label = "nu", .low = 0.2, .high = 0.45},
        {.name = "Friction over density of both",
         .label = "rho [kg/m^3]",
         .low = 1e3,
         .high = 9e3}};
    *t = ranges[which];
    for (int i = 0; i < CURVE; ++i) {
        iso_learned_material both[2] = {mean_of_rows(&s->desc, false),
                                        mean_of_rows(&s->desc, true)};
        iso_learned_value value;
        t->x[i] = t->low + (t->high - t->low) * i / (CURVE - 1);
        for (int k = 0; k < 2; ++k) {
            *(which == 0   ? &both[k].young_modulus
              : which == 1 ? &both[k].poisson
                           : &both[k].density) = t->x[i];
        }
        iso_status status = iso_learned_predict(s->model, &both[0], &both[1], &value);
        if (status != ISO_OK) {
            return status;
        }
        t->y[i] = value.friction;
    }
    return ISO_OK;
}

static iso_status write_page(iso_context* ctx, const study* s, const char* path) {
    plot_page page;
    if (!plot_page_open(&page, "Learned friction")) {
        return ISO_ERR_MEMORY;
    }
    iso_status status = ISO_OK;
    for (int k = 0; status == ISO_OK && k < 3; ++k) {
        trend t;
        status = find_trend(s, k, &t);
        plot_page_plot(&page, t.name, t.label, "friction", t.x, t.y, CURVE, false);
    }
    fputs("<h2>Rows</h2><table><tr><td>pair<td>measured<td>by the others<td>by all\n", page.file);
    for (int i = 0; status == ISO_OK && i < s->desc.row_count; ++i) {
        const iso_learned_row* r = &s->desc.rows[i];
        iso_learned_value value;
        status = iso_learned_predict(s->model, &r->a, &r->b, &value);
        fprintf(page.file, "<tr><td>");
        cli_print_html(page.file, r->a.name);
        fputs(", ", page.file);
        cli_print_html(page.file, r->b.name);
        fprintf(page.file, "<td>%.3g<td>%.3f<td>%.3f\n", r->friction, s->left_out[i],
                value.friction);
    }
    fputs("</table>\n", page.file);
    iso_status closed = plot_page_close(ctx, &page, path);
    return status == ISO_OK ? closed : status;
}

static const iso_learned_material* find_material(const study* s, const char* name) {
    const iso_learned_material* m = iso_learned_find(s->model, name);
    if (m == NULL) {
        cli_error("no material is called '%s', expected one of", name);
        for (int i = 0; i < iso_learned_material_count(s->model); ++i) {
            fprintf(stderr, "%s %s", i > 0 ? "," : "", iso_learned_material_at(s->model, i)->name);
        }
        fputc('\n', stderr);
    }
    return m;
}

// --pair A,B
static cli_exit predict_pair(cli_session* session, const study* s, iso_learned_value* out) {
    char names[128];
    const char* pair = s->options->lab.pair;
    const char* comma = strchr(pair, ',');
    if (comma == NULL || strlen(pair) >= sizeof names) {
        cli_error("--pair is '%s', expected two names and a comma\n", pair);
        return CLI_USAGE;
    }
    memcpy(names, pair, strlen(pair) + 1);
    names[comma - pair] = '\0';
    const iso_learned_material* a = find_material(s, names);
    const iso_learned_material* b = a ? find_material(s, names + (comma - pair) + 1) : NULL;
    if (b == NULL) {
        return CLI_BAD_INPUT;
    }
    iso_status status = iso_learned_predict(s->model, a, b, out);
    return status == ISO_OK ? CLI_DONE : cli_report(session, status);
}

static json_t* report_json(const study* s, const iso_learned_value* value) {
    const iso_learned_report* r = &s->report;
    json_t* root = json_pack(
        "{s:s,s:i,s:i,s:i,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f}", "model",
        s->desc.kind == ISO_LEARNED_GP ? "gp" : "svr", "rows", r->row_count, "support_vectors",
        r->support_count, "at_bound", r->bound_count, "bias", r->bias, "train_mae", r->train_mae,
        "train_rmse", r->train_rmse, "train_r2", r->train_r2, "left_out_mae", r->loo_mae,
        "left_out_rmse", r->loo_rmse, "mean_mae", r->mean_mae, "mean_rmse", r->mean_rmse,
        "coverage_90", r->coverage, "half_width_90", r->interval);
    json_t* left_out = json_array();
    for (int i = 0; i < r->row_count; ++i) {
        json_array_append_new(left_out, json_real(s->left_out[i]));
    }
    json_object_set_new(root, "left_out", left_out);
    if (s->options->lab.pair != NULL) {
        json_object_set_new(root, "pair",
                            json_pack("{s:f,s:f,s:f,s:f}", "friction", value->friction, "low",
                                      value->low, "high", value->high, "outside", value->outside));
    }
    return root;
}

static void print_report(const study* s, const iso_learned_value* value) {
    const iso_learned_report* r = &s->report;
    printf("rows                 %d, friction as their mean misses by %.4f rms, %.4f on average\n",
           r->row_count, r->mean_rmse, r->mean_mae);
    if (s->desc.kind == ISO_LEARNED_GP) {
        printf("Gaussian process     lengths %.3g (E), %.3g (nu), %.3g (rho), noise %.3g\n",
               r->lengths[0], r->lengths[1], r->lengths[2], r->noise);
    } else {
        printf("support vectors      %d, of them %d at the bound; bias %.4f\n", r->support_count,
               r->bound_count, r->bias);
    }
    printf("rows it learned      misses by %.4f rms, %.4f on average, R2 %.3f\n", r->train_rmse,
           r->train_mae, r->train_r2);
    printf("rows left out        misses by %.4f rms, %.4f on average, R2 %.3f\n", r->loo_rmse,
           r->loo_mae, 1.0 - r->loo_rmse * r->loo_rmse / (r->mean_rmse * r->mean_rmse));
    printf("90 %% interval        +- %.3f on average; %.0f %% of the rows left out lie within\n",
           r->interval, 100.0 * r->coverage);
    if (s->options->lab.pair != NULL) {
        printf("%-20s %.4f, 90 %% within %.3f to %.3f%s\n", s->options->lab.pair, value->friction,
               value->low, value->high,
               value->outside > 0.0 ? "; outside what was learned: a guess" : "");
    }
}

static cli_exit write_results(cli_session* session, const study* s,
                              const iso_learned_value* value) {
    const cli_options* options = s->options;
    iso_status status = ISO_OK;
    if (options->output != NULL) {
        status = iso_learned_write(s->model, options->output);
    }
    if (status == ISO_OK && options->page != NULL) {
        status = write_page(session->ctx, s, options->page);
    }
    if (status != ISO_OK) {
        return cli_report(session, status);
    }
    if (options->is_json) {
        return cli_json_print(report_json(s, value));
    }
    if (!options->is_quiet) {
        print_report(s, value);
    }
    return CLI_DONE;
}

cli_exit cli_lab_learn(cli_session* session, const cli_options* options) {
    study s = {.options = options, .desc = iso_learned_desc_default()};
    iso_learned_row* rows = NULL;
    iso_status status = ISO_OK;
    s.desc.kind = options->lab.model;
    s.desc.features = options->lab.features;
    s.desc.is_symmetric = !options->lab.is_one_way;
    if (options->lab.from != NULL) {
        status = iso_learned_rows_read(session->ctx, options->lab.from, &rows, &s.desc.row_count);
        s.desc.rows = rows;
    }
    s.left_out = calloc((size_t)s.desc.row_count + 1, sizeof *s.left_out);
    if (status == ISO_OK) {
        status = s.left_out == NULL
                     ? ISO_ERR_MEMORY
                     : iso_learned_evaluate(session->ctx, &s.desc, &s.report, s.left_out, &s.model);
    }
    iso_learned_value value = {0};
    cli_exit code = status == ISO_OK ? CLI_DONE : cli_report(session, status);
    if (code == CLI_DONE && options->lab.pair != NULL) {
        code = predict_pair(session, &s, &value);
    }
    if (code == CLI_DONE) {
        code = write_results(session, &s, &value);
    }
    iso_learned_destroy(s.model);
    iso_learned_rows_free(session->ctx, rows);
    free(s.left_out);
    return code;
}
