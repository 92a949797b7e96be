// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/sweep/sweep.h"

#include "cli/parts/json_output.h"
#include "cli/parts/progress.h"
#include "cli/parts/session.h"
#include "cli/parts/text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int read_whole(const char* name, int otherwise) {
    const char* text = getenv(name);
    double number = 0.0;
    bool is_whole = text != NULL && cli_parse_whole(text, 0.0, 1e6, &number);
    return is_whole ? (int)number : otherwise;
}

sweep_rank sweep_find_rank(void) {
    static const struct {
        const char *index, *count;
    } k_names[] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                   {"PMI_RANK", "PMI_SIZE"},
                   {"SLURM_PROCID", "SLURM_NTASKS"}};
    for (size_t i = 0; i < sizeof k_names / sizeof k_names[0]; ++i) {
        sweep_rank r = {read_whole(k_names[i].index, -1), read_whole(k_names[i].count, -1)};
        if (r.index >= 0 && r.count > 1) {
            return r;
        }
    }
    return (sweep_rank){0, 1};
}

bool cli_sweep_take(cli_options* options, const char* name, const char* value) {
    cli_sweep_options* sweep = &options->sweep;
    if (strcmp(name, "--over") == 0) {
        bool has_room = sweep->axis_count < ISO_SWEEP_MOST_AXES && strchr(value, '=') != NULL;
        sweep->axes[has_room ? sweep->axis_count++ : 0] = value;
        return has_room;
    }
    if (strcmp(name, "--measure") == 0) {
        bool has_room = sweep->measure_count < ISO_SWEEP_MOST_MEASURES && value[0] != '\0';
        sweep->measures[has_room ? sweep->measure_count++ : 0] = value;
        return has_room;
    }
    return false;
}

int sweep_count_workers(const cli_options* options, sweep_rank rank) {
    if (options->worker_count > 0) {
        return options->worker_count;
    }
    long processors = rank.count > 1 ? 1 : sysconf(_SC_NPROCESSORS_ONLN);
    return processors < 1 ? 1 : processors > 1024 ? 1024 : (int)processors;
}

// --- what is said --------------------------------------------------------------------------------

static int count_failures(const sweep_journal* journal) {
    int count = 0;
    for (int i = 0; i < journal->variant_count; ++i) {
        count += journal->rows[i].error != NULL;
    }
    return count;
}

static json_t* variant_json(const sweep_journal* journal, int variant) {
    const iso_sweep* sweep = journal->sweep;
    const sweep_row* row = &journal->rows[variant];
    json_t *over = json_object(), *measured = json_object();
    for (int i = 0; i < iso_sweep_axis_count(sweep); ++i) {
        int value = iso_sweep_value_index(sweep, variant, i);
        json_object_set_new(over, iso_sweep_axis_name(sweep, i),
                            cli_json_path(iso_sweep_value(sweep, i, value)));
    }
    for (int i = 0; i < journal->measure_count; ++i) {
        json_object_set_new(measured, iso_sweep_measure(sweep, i),
                            isfinite(row->values[i]) ? json_real(row->values[i]) : json_null());
    }
    return json_pack("{s:i,s:o,s:o,s:o,s:f}", "variant", variant, "over", over, "measures",
                     measured, "error", row->error != NULL ? json_string(row->error) : json_null(),
                     "wall_s", row->wall_seconds);
}

static cli_exit print_json(const sweep_journal* journal, const cli_options* options, int computed) {
    json_t* variants = json_array();
    for (int i = 0; i < journal->variant_count; ++i) {
        json_array_append_new(variants, variant_json(journal, i));
    }
    return cli_json_print(json_pack("{s:o,s:i,s:i,s:o,s:o}", "table",
                                    cli_json_path(options->output), "computed", computed, "failed",
                                    count_failures(journal), "journal",
                                    cli_json_path(journal->path), "variants", variants));
}

static void say_failures(const sweep_journal* journal) {
    int said = 0, count = count_failures(journal);
    for (int i = 0; i < journal->variant_count && said < 3; ++i) {
        if (journal->rows[i].error != NULL) {
            cli_warning("variant %d failed: %s\n", i, journal->rows[i].error);
            ++said;
        }
    }
    if (count > said) {
        cli_warning("%d more variant%s failed: the table says why\n", count - said,
                    cli_plural(count - said));
    }
}

static cli_exit report(cli_session* session, const cli_options* options,
                       const sweep_journal* journal, int computed, double seconds) {
    if (!sweep_journal_enter(journal)) {
        return CLI_BAD_INPUT;
    }
    iso_status status = sweep_table_write(session->ctx, journal, options->output);
    if (status == ISO_OK && options->page != NULL) {
        status = sweep_page_write(session->ctx, journal, options->page);
    }
    sweep_journal_leave(journal);
    if (status != ISO_OK) {
        return cli_report(session, status);
    }
    if (!options->is_quiet) {
        say_failures(journal);
    }
    if (options->is_json) {
        cli_exit code = print_json(journal, options, computed);
        if (code != CLI_DONE) {
            return code;
        }
    } else if (!options->is_quiet) {
        printf("%s: %d variant%s, %d run now, in %.3g s\n", options->output, journal->variant_count,
               cli_plural(journal->variant_count), computed, seconds);
    }
    bool has_failed = count_failures(journal) == journal->variant_count;
    return has_failed ? CLI_NUMERICAL : CLI_DONE;
}

void cli_sweep_print_quantities(FILE* file) {
    fputs("\nquantities for --measure, at the end of a run; with max_, min_, mean_ or rms_ before "
          "them over\nall its steps (docs/sweeps.md):\n",
          file);
    for (int i = 0; i < iso_sweep_quantity_count(); ++i) {
        const char* subject = iso_sweep_quantity_subject(i);
        bool is_first = i == 0 || strcmp(subject, iso_sweep_quantity_subject(i - 1)) != 0;
        if (is_first) {
            fprintf(file, "%s  of %-9s", i > 0 ? "\n" : "",
                    subject[0] != '\0' ? subject : "all, ()");
        }
        fprintf(file, " %s", iso_sweep_quantity_name(i));
    }
    fputc('\n', file);
}

// --- the command ---------------------------------------------------------------------------------

static cli_exit check(const cli_options* options) {
    const cli_sweep_options* sweep = &options->sweep;
    const char* missing = sweep->axis_count == 0      ? "--over NAME=VALUES"
                          : sweep->measure_count == 0 ? "--measure 'QUANTITY(NAME)'"
                          : options->output == NULL   ? "-o TABLE.csv"
                                                      : NULL;
    if (missing != NULL) {
        cli_error("%s is missing\n", missing);
        return CLI_USAGE;
    }
    char journal[4096];
    snprintf(journal, sizeof journal, "%s.journal", options->output);
    if (options->input != NULL && iso_is_same_file(options->input, journal)) {
        cli_error("%s: the journal would replace the input, expected a file of its own\n", journal);
        return CLI_BAD_INPUT;
    }
    return CLI_DONE;
}

/// What is wrong whatever the scene has is wrong usage.
static cli_exit check_spelling(const cli_session* session, const cli_sweep_options* sweep) {
    const struct {
        const char* option;
        const char* const* texts;
        int count;
        iso_status (*check)(iso_context*, const char*);
    } lists[] = {{"--over: ", sweep->axes, sweep->axis_count, iso_sweep_check_axis},
                 {"--measure: ", sweep->measures, sweep->measure_count, iso_sweep_check_measure}};
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < lists[k].count; ++i) {
            iso_status status = lists[k].check(session->ctx, lists[k].texts[i]);
            if (status != ISO_OK) {
                cli_exit code = cli_report_about(session, status, lists[k].option, "");
                return status == ISO_ERR_MEMORY ? code : CLI_USAGE;
            }
        }
    }
    return CLI_DONE;
}

enum { k_format = 1 };

static json_t* header_of(const void* of) {
    const iso_sweep* sweep = of;
    char hash[32];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)iso_sweep_hash(sweep));
    json_t *axes = json_array(), *measures = json_array();
    for (int i = 0; i < iso_sweep_axis_count(sweep); ++i) {
        json_array_append_new(axes, cli_json_path(iso_sweep_axis_name(sweep, i)));
    }
    for (int i = 0; i < iso_sweep_measure_count(sweep); ++i) {
        json_array_append_new(measures, cli_json_path(iso_sweep_measure(sweep, i)));
    }
    return json_pack("{s:i,s:s,s:i,s:o,s:o}", "isobar_sweep", k_format, "hash", hash, "variants",
                     iso_sweep_variant_count(sweep), "axes", axes, "measures", measures);
}

static iso_status run_variant(const void* of, iso_context* ctx, int variant, double* values) {
    return iso_sweep_run(of, ctx, variant, values);
}

static cli_exit run_sweep(cli_session* session, const cli_options* options,
                          const iso_sweep* sweep) {
    sweep_journal journal = {.fd = -1};
    sweep_source source = {sweep, header_of, run_variant, iso_sweep_variant_count(sweep),
                           iso_sweep_measure_count(sweep)};
    char path[4096];
    if (snprintf(path, sizeof path, "%s.journal", options->output) >= (int)sizeof path) {
        cli_error("-o is longer than %zu bytes\n", sizeof path - 16);
        return CLI_USAGE;
    }
    sweep_rank r = sweep_find_rank();
    double start = cli_wall_clock();
    cli_exit code = sweep_journal_open(&source, path, &journal);
    journal.sweep = sweep;
    int before = code == CLI_DONE ? journal.done_count : 0;
    if (code == CLI_DONE && before > 0 && !options->is_quiet && !options->is_json && r.index == 0) {
        fprintf(stderr, "isobar: %s: %d of %d variants %s finished already\n", journal.path, before,
                journal.variant_count, before == 1 ? "is" : "are");
    }
    if (code == CLI_DONE) {
        code = sweep_work(options, &journal, sweep_count_workers(options, r), r.index > 0);
    }
    if (code == CLI_DONE && r.index == 0) {
        code = report(session, options, &journal, journal.done_count - before,
                      cli_wall_clock() - start);
    }
    sweep_journal_close(&journal);
    return code;
}

cli_exit cli_sweep(const cli_options* options) {
    cli_session session;
    iso_sweep* sweep = NULL;
    cli_exit code = check(options);
    code = code == CLI_DONE ? cli_session_open(&session, options) : code;
    if (code != CLI_DONE) {
        return code;
    }
    code = check_spelling(&session, &options->sweep);
    if (code != CLI_DONE) {
        cli_session_close(&session);
        return code;
    }
    session.is_quiet = session.is_quiet || sweep_find_rank().index > 0;
    iso_scene_options scene_options = cli_scene_options(options);
    iso_sweep_desc desc = {.scene = options->input,
                           .options = &scene_options,
                           .axes = options->sweep.axes,
                           .axis_count = options->sweep.axis_count,
                           .until = options->until,
                           .measures = options->sweep.measures,
                           .measure_count = options->sweep.measure_count};
    session.fold.is_on = true;
    iso_status status = iso_sweep_create(session.ctx, &desc, &sweep);
    code = status == ISO_OK ? run_sweep(&session, options, sweep) : cli_report(&session, status);
    iso_sweep_destroy(sweep);
    cli_session_close(&session);
    return code;
}
