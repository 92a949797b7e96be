// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/lab/lab.h"
#include "cli/parts/json_output.h"
#include "cli/parts/session.h"
#include "cli/parts/text.h"
#include "isobar/identify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Of one pair of surfaces.
typedef struct surface_row {
    double seed, mu_static, mu_kinetic, onset, steps, newton;
} surface_row;

enum { COLUMNS = 6 };
static const char k_head[] =
    "seed,static_friction,kinetic_friction,onset,steps,newton_steps,row_check";

typedef struct surfaces_run {
    cli_session* session;
    const cli_options* options;
    int count, done;
    surface_row* rows;
} surfaces_run;

iso_status cli_slide_make_upper(cli_session* session, const cli_options* options,
                                const iso_lab_surface* lower, uint64_t seed, iso_lab_surface* out) {
    iso_lab_surface_desc desc = options->lab.surface;
    desc.rows = lower->rows;
    desc.pitch = lower->pitch;
    desc.columns = cli_slide_upper(&options->lab.slide, lower->columns) + 1;
    desc.seed = seed ^ 0x9E3779B97F4A7C15ULL;
    return iso_lab_surface_make(session->ctx, &desc, out);
}

// Points that none of their neighbours reaches.
static int count_asperities(const iso_lab_surface* s) {
    int count = 0;
    for (int i = 0; i < s->rows * s->columns; ++i) {
        int row = i / s->columns, column = i % s->columns, higher = 0;
        for (int k = 0; k < 9; ++k) {
            int r = row + k / 3 - 1, c = column + k % 3 - 1;
            bool is_there = k != 4 && r >= 0 && r < s->rows && c >= 0 && c < s->columns;
            higher += is_there && s->heights[r * s->columns + c] >= s->heights[i];
        }
        count += higher == 0;
    }
    return count;
}

void cli_slide_warn_of_few(cli_session* session, const cli_options* options,
                           const iso_lab_surface* lower, uint64_t seed) {
    enum { few = 4 };
    iso_lab_surface upper = {0};
    bool is_one = options->lab.surface.kind == ISO_LAB_KIND_SINE ||
                  options->lab.surface.kind == ISO_LAB_KIND_SPHERE;
    if (is_one || cli_slide_make_upper(session, options, lower, seed, &upper) != ISO_OK) {
        return; // wanted so, or told where it is made again
    }
    int count = count_asperities(&upper);
    iso_lab_surface_free(session->ctx, &upper);
    if (count < few) {
        cli_warning("the upper block has %d asperit%s, expected %d or more: friction "
                    "of so few is theirs, not the surface's; more --upper-points or shorter waves "
                    "have more\n",
                    count, count == 1 ? "y" : "ies", (int)few);
    }
}

/// What has no value, in a file: friction of a block that did not slide. A friction may be
/// negative: of a block that went down a slope.
#define NOTHING -1e9

static void print_row(FILE* file, const surface_row* r) {
    double values[COLUMNS] = {r->seed, r->mu_static, r->mu_kinetic, r->onset, r->steps, r->newton};
    for (int i = 0; i < COLUMNS; ++i) {
        values[i] = isnan(values[i]) ? NOTHING : values[i];
        fprintf(file, "%.17g,", values[i]);
    }
    fprintf(file, "%.0f\n", iso_table_check(values, COLUMNS));
}

void cli_slide_describe(const cli_options* options, char* text, size_t size) {
    const cli_lab_options* l = &options->lab;
    const cli_slide_options* o = &l->slide;
    const iso_lab_surface_desc* d = &l->surface;
    const double numbers[] = {(double)d->kind,
                              d->columns,
                              l->pitch,
                              d->rms_height,
                              d->hurst,
                              d->roll_off,
                              d->longest,
                              d->shortest,
                              d->radius,
                              l->load_low,
                              o->young,
                              o->upper_young,
                              o->poisson,
                              o->density,
                              o->alpha,
                              o->beta,
                              o->height,
                              o->gravity,
                              o->speed,
                              o->travel,
                              o->force_rate,
                              o->step,
                              o->friction,
                              o->tow,
                              o->upper_points,
                              o->settle,
                              o->dimension,
                              o->across,
                              o->reach,
                              o->stiffness,
                              o->is_printed ? 1.0 : 0.0,
                              o->is_damped ? 1.0 : 0.0,
                              o->press,
                              o->sample,
                              o->hold};
    size_t used = 0;
    used += (size_t)snprintf(text, size, "%s", o->method != NULL ? o->method : "implicit");
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0] && used < size; ++i) {
        used += (size_t)snprintf(text + used, size - used, " %.17g", numbers[i]);
    }
}

// The first line of a file of rows.
static void print_options(FILE* file, const cli_options* options) {
    char text[2000];
    cli_slide_describe(options, text, sizeof text);
    fprintf(file, "# isobar lab slide, rows 3: %s\n", text);
}

static iso_status write_rows(const surfaces_run* s, const char* path) {
    cli_text text;
    if (!cli_text_open(&text)) {
        return ISO_ERR_MEMORY;
    }
    print_options(text.file, s->options);
    fprintf(text.file, "%s\n", k_head);
    for (int i = 0; i < s->done; ++i) {
        print_row(text.file, &s->rows[i]);
    }
    return cli_text_close(s->session->ctx, &text, path);
}

// Whether a file of rows begins with these options.
static bool has_these_options(const cli_options* options, FILE* file) {
    char *text = NULL, line[2048] = "";
    size_t size = 0;
    FILE* wanted = open_memstream(&text, &size);
    if (wanted == NULL) {
        return false;
    }
    print_options(wanted, options);
    bool is_same =
        fclose(wanted) == 0 && fgets(line, sizeof line, file) != NULL && strcmp(line, text) == 0;
    free(text);
    return is_same;
}

// Surfaces that an earlier run has done.
static cli_exit go_on(surfaces_run* s, const char* path) {
    FILE* file = path != NULL ? fopen(path, "r") : NULL;
    if (file == NULL) {
        return CLI_DONE;
    }
    bool is_same = has_these_options(s->options, file);
    fclose(file);
    if (!is_same) {
        cli_error("%s: rows of other options or of another version, expected those of "
                  "this run\n",
                  path);
        return CLI_BAD_INPUT;
    }
    iso_table table = {0};
    iso_status status = iso_table_read(s->session->ctx, path, &table);
    for (int i = 0; status == ISO_OK && i < table.row_count && i < s->count; ++i) {
        const double* v = table.values + (size_t)i * (size_t)table.column_count;
        double seed = (double)s->options->lab.surface.seed + i;
        if (table.column_count != COLUMNS + 1 || v[0] != seed) {
            cli_error("%s: row %d is not of seed %.0f\n", path, i + 1, seed);
            iso_table_destroy(s->session->ctx, &table);
            return CLI_BAD_INPUT;
        }
        double read[COLUMNS];
        for (int k = 0; k < COLUMNS; ++k) {
            read[k] = v[k] == NOTHING ? (double)NAN : v[k];
        }
        s->rows[s->done++] = (surface_row){read[0], read[1], read[2], read[3], read[4], read[5]};
    }
    iso_table_destroy(s->session->ctx, &table);
    return status == ISO_OK ? CLI_DONE : cli_report(s->session, status);
}

static iso_status run_surface(surfaces_run* s) {
    iso_lab_surface_desc desc = s->options->lab.surface;
    iso_lab_surface lower;
    slide_summary found;
    int steps = 0;
    bool is_in_space = cli_slide_is_in_space(&s->options->lab.slide);
    desc.rows = is_in_space ? cli_slide_across(&s->options->lab.slide, desc.columns) + 1 : 1;
    desc.columns += 1;
    desc.pitch = s->options->lab.pitch > 0.0 ? s->options->lab.pitch : desc.pitch;
    desc.seed += (uint64_t)s->done;
    iso_status status = iso_lab_surface_make(s->session->ctx, &desc, &lower);
    if (status != ISO_OK) {
        return status;
    }
    status = cli_slide_run_one(s->session, s->options, &lower, desc.seed, &found, &steps);
    iso_lab_surface_free(s->session->ctx, &lower);
    if (status != ISO_OK) {
        return status;
    }
    bool has_slid = isfinite(found.onset);
    s->rows[s->done++] = (surface_row){(double)desc.seed,
                                       has_slid ? found.mu_static : (double)NAN,
                                       found.mu_kinetic,
                                       found.onset,
                                       steps,
                                       found.newton_count};
    if (!s->options->is_quiet) {
        fprintf(stderr, "isobar: surface %d of %d: static friction %.4g\n", s->done, s->count,
                s->rows[s->done - 1].mu_static);
    }
    return ISO_OK;
}

/// Of a column of the rows, over those that have a value.
typedef struct surfaces_mean {
    double mean, deviation, error;
    int count;
    json_t* values;
} surfaces_mean;

static surfaces_mean mean_of(const surfaces_run* s, bool is_kinetic) {
    surfaces_mean m = {.values = json_array()};
    double sum = 0.0, square = 0.0;
    for (int i = 0; i < s->done; ++i) {
        double mu = is_kinetic ? s->rows[i].mu_kinetic : s->rows[i].mu_static;
        json_array_append_new(m.values, isfinite(mu) ? json_real(mu) : json_null());
        sum += isfinite(mu) ? mu : 0.0;
        m.count += isfinite(mu);
    }
    m.mean = sum / m.count;
    for (int i = 0; i < s->done; ++i) {
        double off = (is_kinetic ? s->rows[i].mu_kinetic : s->rows[i].mu_static) - m.mean;
        square += isfinite(off) ? off * off : 0.0;
    }
    m.deviation = m.count > 1 ? sqrt(square / (m.count - 1)) : 0.0;
    m.error = m.count > 0 ? m.deviation / sqrt(m.count) : 0.0;
    return m;
}

static cli_exit print_result(const surfaces_run* s) {
    surfaces_mean rest = mean_of(s, false), slip = mean_of(s, true);
    if (s->options->is_json) {
        return cli_json_print(json_pack(
            "{s:i,s:i,s:o,s:f,s:f,s:o,s:o,s:f,s:f,s:o}", "surfaces", s->done, "slid", rest.count,
            "mean", rest.count > 0 ? json_real(rest.mean) : json_null(), "deviation",
            rest.deviation, "standard_error", rest.error, "static_friction", rest.values,
            "kinetic_mean", slip.count > 0 ? json_real(slip.mean) : json_null(),
            "kinetic_deviation", slip.deviation, "kinetic_standard_error", slip.error,
            "kinetic_friction", slip.values));
    }
    json_decref(rest.values);
    json_decref(slip.values);
    if (!s->options->is_quiet) {
        printf("surfaces           %d, of which %d slid\n", s->done, rest.count);
        printf("static friction    %s, deviation %s, standard error %s\n",
               slide_number_of(rest.mean).text, slide_number_of(rest.deviation).text,
               slide_number_of(rest.error).text);
        printf("kinetic friction   %s, deviation %s, standard error %s\n",
               slide_number_of(slip.mean).text, slide_number_of(slip.deviation).text,
               slide_number_of(slip.error).text);
    }
    return CLI_DONE;
}

cli_exit cli_lab_slide_surfaces(cli_session* session, const cli_options* options) {
    const cli_lab_options* l = &options->lab;
    surfaces_run s = {.session = session, .options = options, .count = (int)l->slide.surfaces};
    if (l->from != NULL || options->page != NULL || options->output != NULL) {
        cli_error("--from, --page and -o are of one surface, expected without "
                  "beside --surfaces\n");
        return CLI_USAGE;
    }
    s.rows = calloc((size_t)s.count, sizeof *s.rows);
    if (s.rows == NULL) {
        return cli_report(session, ISO_ERR_MEMORY);
    }
    cli_exit code = go_on(&s, l->slide.state);
    iso_status status = ISO_OK;
    while (code == CLI_DONE && status == ISO_OK && s.done < s.count) {
        status = run_surface(&s);
        if (status == ISO_OK && l->slide.state != NULL) {
            status = write_rows(&s, l->slide.state);
        }
    }
    if (code == CLI_DONE && status == ISO_OK && l->table != NULL) {
        status = write_rows(&s, l->table);
    }
    if (code == CLI_DONE) {
        code = status == ISO_OK ? print_result(&s) : cli_report(session, status);
    }
    free(s.rows);
    return code;
}
