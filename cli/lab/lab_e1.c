// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/lab/lab_e1.h"

#include "cli/lab/lab.h"
#include "cli/parts/session.h"
#include "cli/sweep/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// Pairs of surfaces per set, as in the thesis.
enum { k_surfaces = 12 };

// Numbers the thesis says, and those that it leaves open: height, gravity, rates, steps. The
// surface is chosen in lab_presets.c.
static void choose(cli_options* o) {
    cli_slide_options* s = &o->lab.slide;
    const struct {
        double *target, value;
    } defaults[] = {{&s->upper_points, 208.0},  {&s->gravity, 10.0}, {&s->height, 40.0},
                    {&s->speed, 20.0},          {&s->step, 0.05},    {&s->settle, 60.0},
                    {&s->surfaces, k_surfaces}, {&o->lab.pitch, 0.5}};
    for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; ++i) {
        *defaults[i].target = *defaults[i].target > 0.0 ? *defaults[i].target : defaults[i].value;
    }
}

typedef struct e1_run {
    cli_options options;
    int sets[E1_SETS], set_count;
    bool is_wanted[E1_SETS];
} e1_run;

// Names of series between commas; without: all sets.
static bool choose_sets(e1_run* run, const char* names) {
    bool is_known = true;
    for (const char* from = names; names != NULL && is_known;) {
        size_t length = strcspn(from, ",");
        is_known = false;
        for (int i = 0; i < E1_SERIES; ++i) {
            const e1_series* series = &k_e1_series[i];
            if (strlen(series->name) != length || strncmp(series->name, from, length) != 0) {
                continue;
            }
            is_known = true;
            for (int k = 0; k < series->count; ++k) {
                run->is_wanted[series->sets[k]] = true;
            }
        }
        if (from[length] == '\0') {
            break;
        }
        from += length + 1;
    }
    for (int s = 0; s < E1_SETS; ++s) {
        run->is_wanted[s] = run->is_wanted[s] || names == NULL;
        if (run->is_wanted[s]) {
            run->sets[run->set_count++] = s;
        }
    }
    return is_known;
}

// --- variants ------------------------------------------------------------------------------------

static json_t* header_of(const void* of) {
    const e1_run* run = of;
    json_t* sets = json_array();
    for (int i = 0; i < run->set_count; ++i) {
        json_array_append_new(sets, json_integer(run->sets[i]));
    }
    char numbers[2048];
    cli_slide_describe(&run->options, numbers, sizeof numbers);
    return json_pack("{s:s,s:s,s:I,s:s,s:o}", "isobar_lab", "e1", "version", iso_version(), "seed",
                     (json_int_t)run->options.lab.surface.seed, "numbers", numbers, "sets", sets);
}

// All sets of one pair of surfaces, then those of the next.
static iso_status run_variant(const void* of, iso_context* ctx, int variant, double* values) {
    const e1_run* run = of;
    const e1_set* set = &k_e1_sets[run->sets[variant % run->set_count]];
    cli_options o = run->options;
    cli_session session = {.ctx = ctx, .is_quiet = true};
    iso_lab_surface_desc desc = o.lab.surface;
    iso_lab_surface lower;
    slide_summary found;
    int steps = 0;
    o.is_quiet = true;
    o.lab.slide.young = set->young;
    o.lab.slide.poisson = set->poisson;
    o.lab.slide.beta = set->beta;
    o.lab.slide.density = set->density;
    double weight = o.lab.slide.upper_points * o.lab.pitch * o.lab.slide.height * set->density *
                    o.lab.slide.gravity;
    o.lab.slide.force_rate = o.lab.slide.force_rate > 0.0 ? o.lab.slide.force_rate : 0.4 * weight;
    desc.rows = 1;
    desc.columns += 1;
    desc.pitch = o.lab.pitch;
    desc.seed += (uint64_t)(variant / run->set_count);
    for (int i = 0; i < E1_MEASURES; ++i) { // of a run that fails
        values[i] = NAN;
    }
    iso_status status = iso_lab_surface_make(ctx, &desc, &lower);
    if (status != ISO_OK) {
        return status;
    }
    status = cli_slide_run_one(&session, &o, &lower, desc.seed, &found, &steps);
    iso_lab_surface_free(ctx, &lower);
    if (status != ISO_OK) {
        return status;
    }
    const double all[E1_MEASURES] = {isfinite(found.onset) ? found.mu_static : (double)NAN,
                                     found.mu_kinetic,
                                     found.slope,
                                     found.onset,
                                     steps,
                                     found.newton_count};
    memcpy(values, all, sizeof all);
    return ISO_OK;
}

// --- the command ---------------------------------------------------------------------------------

static cli_exit gather(cli_session* session, const e1_run* run, const sweep_journal* journal) {
    int surfaces = (int)run->options.lab.slide.surfaces, failed = 0;
    e1_found found = {.surface_count = surfaces, .first_seed = run->options.lab.surface.seed};
    size_t size = (size_t)E1_SETS * (size_t)surfaces;
    double* values = malloc((size_t)E1_MEASURES * size * sizeof *values);
    if (values == NULL) {
        return cli_report(session, ISO_ERR_MEMORY);
    }
    for (size_t i = 0; i < E1_MEASURES * size; ++i) {
        values[i] = NAN;
    }
    memcpy(found.is_wanted, run->is_wanted, sizeof found.is_wanted);
    for (int k = 0; k < E1_MEASURES; ++k) {
        found.values[k] = values + (size_t)k * size;
    }
    for (int v = 0; v < journal->variant_count; ++v) {
        const sweep_row* row = &journal->rows[v];
        int at = run->sets[v % run->set_count] * surfaces + v / run->set_count;
        for (int k = 0; k < E1_MEASURES; ++k) {
            found.values[k][at] = row->values[k];
        }
        found.wall_seconds += row->wall_seconds;
        found.cpu_seconds += row->cpu_seconds;
        found.longest = fmax(found.longest, row->cpu_seconds);
        if (row->error != NULL && failed++ < 3) {
            cli_warning("run %d failed: %s\n", v, row->error);
        }
    }
    bool is_all = failed == journal->variant_count;
    if (is_all) {
        cli_error("%d of %d runs failed, so there is no table\n", failed, journal->variant_count);
    } else if (failed > 0) {
        cli_warning("%d of %d runs failed\n", failed, journal->variant_count);
    }
    cli_exit code = is_all ? CLI_NUMERICAL : e1_report(session, &run->options, &found);
    free(values);
    return code;
}

cli_exit cli_lab_e1(cli_session* session, const cli_options* options) {
    e1_run run = {.options = *options};
    sweep_journal journal = {.fd = -1};
    sweep_rank rank = sweep_find_rank();
    choose(&run.options);
    if (!choose_sets(&run, options->lab.slide.series)) {
        cli_error("--series '%s' is unknown, expected some between "
                  "commas: young, poisson-, beta- or density- and a number of table 4.1\n",
                  options->lab.slide.series);
        return CLI_USAGE;
    }
    const iso_lab_surface shape = {
        .rows = 1, .columns = run.options.lab.surface.columns + 1, .pitch = run.options.lab.pitch};
    if (rank.index == 0) {
        cli_slide_warn_of_few(session, &run.options, &shape, run.options.lab.surface.seed);
    }
    char path[64] = "";
    const char* state = options->lab.slide.state;
    if (options->output != NULL) { // before the work of which nothing would be left
        iso_status status = iso_lab_arrays_check(session->ctx, options->output, E1_MEASURES + 1);
        if (status != ISO_OK) {
            return cli_report(session, status);
        }
    }
    if (state == NULL && rank.count > 1) {
        cli_error("--state FILE is missing, expected one that all processes "
                  "of the launcher share\n");
        return CLI_USAGE;
    }
    if (state == NULL) {
        snprintf(path, sizeof path, "/tmp/isobar_e1_XXXXXX");
        int fd = mkstemp(path);
        if (fd < 0) {
            cli_error("no file can be made in /tmp, name one by --state\n");
            return CLI_BAD_INPUT;
        }
        close(fd);
    }
    sweep_source source = {&run, header_of, run_variant,
                           run.set_count * (int)run.options.lab.slide.surfaces, E1_MEASURES};
    cli_exit code = sweep_journal_open(&source, state != NULL ? state : path, &journal);
    if (code == CLI_DONE) {
        code = sweep_work(options, &journal, sweep_count_workers(options, rank), rank.index > 0);
    }
    if (code == CLI_DONE && rank.index == 0) {
        code = gather(session, &run, &journal);
    }
    sweep_journal_close(&journal);
    if (path[0] != '\0') {
        unlink(path);
    }
    return code;
}
