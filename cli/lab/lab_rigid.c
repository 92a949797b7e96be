// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/lab/lab_rigid.h"

#include "cli/lab/lab.h"
#include "cli/parts/json_output.h"
#include "cli/parts/progress.h"
#include "cli/parts/session.h"
#include "cli/parts/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORLDS = 3 };

/// One row of the table: a scene by a formulation or by a world.
typedef struct rigid_row {
    const char *scene, *law, *quantity;
    double value, expected, residual, coulomb, seconds;
    int iterations;
    bool is_world, is_ray, is_solved;
} rigid_row;

typedef struct rigid_table {
    rigid_row rows[ISO_RIGID_SCENE_COUNT * (ISO_RIGID_LAW_COUNT + WORLDS)];
    int count;
} rigid_table;

static const lab_world_kind k_worlds[WORLDS] = {
    {"world, lagged, stick", ISO_METHOD_LAGGED, ISO_FRICTION_MODEL_STICK, false},
    {"world, radau, bristles", ISO_METHOD_RADAU, ISO_FRICTION_MODEL_STICK, true},
    {"world, sap, regularized", ISO_METHOD_SAP, ISO_FRICTION_MODEL_REGULARIZED, false}};

static iso_status run_laws(iso_context* ctx, iso_rigid_scene scene, rigid_table* table) {
    iso_rigid_setup setup = iso_rigid_setup_of(scene);
    for (int law = 0; law < ISO_RIGID_LAW_COUNT; ++law) {
        iso_rigid_result r;
        double begin = cli_wall_clock();
        iso_status status = iso_rigid_run(ctx, scene, (iso_rigid_law)law, &r);
        if (status != ISO_OK) {
            return status;
        }
        table->rows[table->count++] = (rigid_row){.scene = setup.name,
                                                  .law = iso_rigid_law_name((iso_rigid_law)law),
                                                  .quantity = setup.quantity,
                                                  .value = r.value,
                                                  .expected = setup.expected,
                                                  .residual = r.residual,
                                                  .coulomb = r.coulomb,
                                                  .seconds = cli_wall_clock() - begin,
                                                  .iterations = r.iterations,
                                                  .is_ray = r.is_ray,
                                                  .is_solved = r.is_solved};
    }
    return ISO_OK;
}

static iso_status run_worlds(iso_context* ctx, iso_rigid_scene scene, rigid_table* table) {
    iso_rigid_setup setup = iso_rigid_setup_of(scene);
    for (int i = 0; i < WORLDS; ++i) {
        double begin = cli_wall_clock(), value = (double)NAN;
        iso_status status = lab_rigid_world(ctx, scene, &k_worlds[i], &value);
        if (status != ISO_OK) {
            return status;
        }
        table->rows[table->count++] = (rigid_row){.scene = setup.name,
                                                  .law = k_worlds[i].name,
                                                  .quantity = setup.quantity,
                                                  .value = value,
                                                  .expected = setup.expected,
                                                  .seconds = cli_wall_clock() - begin,
                                                  .is_world = true,
                                                  .is_solved = true};
    }
    return ISO_OK;
}

static json_t* number_json(double value, bool is_there) {
    return is_there && isfinite(value) ? json_real(value) : json_null();
}

static json_t* table_json(const rigid_table* table) {
    json_t* rows = json_array();
    for (int i = 0; i < table->count; ++i) {
        const rigid_row* r = &table->rows[i];
        json_array_append_new(rows,
                              json_pack("{s:s,s:s,s:s,s:o,s:f,s:b,s:b,s:o,s:o,s:i,s:f}", "scene",
                                        r->scene, "law", r->law, "quantity", r->quantity, "value",
                                        number_json(r->value, true), "expected", r->expected,
                                        "solved", (int)r->is_solved, "no_solution", (int)r->is_ray,
                                        "residual", number_json(r->residual, !r->is_world),
                                        "coulomb_residual", number_json(r->coulomb, !r->is_world),
                                        "iterations", r->iterations, "seconds", r->seconds));
    }
    return json_pack("{s:o}", "rows", rows);
}

static void print_table(FILE* file, const rigid_table* table, bool is_csv) {
    if (is_csv) {
        fputs("scene,quantity,formulation,value,expected,residual,coulomb_residual,iterations\n",
              file);
    }
    for (int i = 0; i < table->count; ++i) {
        const rigid_row* r = &table->rows[i];
        bool is_first = i == 0 || strcmp(table->rows[i - 1].scene, r->scene) != 0;
        if (is_csv) {
            fprintf(file, "%s,%s,\"%s\",%.9g,%.9g,%.3g,%.3g,%d\n", r->scene, r->quantity, r->law,
                    r->value, r->expected, r->residual, r->coulomb, r->iterations);
            continue;
        }
        if (is_first) {
            fprintf(file, "%s%s: %s, expected %.6g\n", i > 0 ? "\n" : "", r->scene, r->quantity,
                    r->expected);
            fputs("  formulation                  value        residual  Coulomb's  iterations\n",
                  file);
        }
        char value[32] = "none exists";
        if (r->is_solved) {
            (void)snprintf(value, sizeof value, "%.6g", fabs(r->value) < 5e-16 ? 0.0 : r->value);
        } else if (!r->is_ray) {
            (void)snprintf(value, sizeof value, "not found");
        }
        if (r->is_world) {
            fprintf(file, "  %-27s  %s\n", r->law, value);
        } else {
            fprintf(file, "  %-27s  %-11s  %-8.1e  %-9.1e  %d\n", r->law, value, r->residual,
                    r->coulomb, r->iterations);
        }
    }
}

static cli_exit write_results(cli_session* session, const cli_options* options,
                              const rigid_table* table) {
    if (options->lab.table != NULL) {
        cli_text text;
        iso_status status = ISO_ERR_MEMORY;
        if (cli_text_open(&text)) {
            print_table(text.file, table, true);
            status = cli_text_close(session->ctx, &text, options->lab.table);
        }
        if (status != ISO_OK) {
            return cli_report(session, status);
        }
    }
    if (options->is_json) {
        return cli_json_print(table_json(table));
    }
    if (!options->is_quiet) {
        print_table(stdout, table, false);
    }
    return CLI_DONE;
}

// A problem of a file, or of a scene's first step, and what solves it: told and written.
static cli_exit solve_problem(cli_session* session, const cli_options* options) {
    iso_fclib problem = {0};
    iso_rigid_result r = {0};
    iso_status status = ISO_OK;
    if (options->lab.from != NULL) {
        status = iso_fclib_read(session->ctx, options->lab.from, &problem);
    } else {
        int scene = 0;
        while (strcmp(iso_rigid_setup_of((iso_rigid_scene)scene).name, options->lab.scene) != 0) {
            ++scene;
        }
        status = iso_fclib_of_scene(session->ctx, (iso_rigid_scene)scene, &problem);
    }
    if (status == ISO_OK) {
        status = iso_fclib_solve(session->ctx, &problem, &r);
    }
    if (status == ISO_OK && options->output != NULL) {
        status = iso_fclib_write(session->ctx, options->output, &problem);
    }
    cli_exit code = CLI_DONE;
    if (status != ISO_OK) {
        code = cli_report(session, status);
    } else if (!r.is_solved) {
        cli_error("%s: the problem was not solved: residual %.2g after %d "
                  "iterations, expected 1e-10\n",
                  options->lab.from != NULL ? options->lab.from : options->lab.scene, r.residual,
                  r.iterations);
    }
    if (code == CLI_DONE && options->is_json) {
        code = cli_json_print(json_pack("{s:i,s:b,s:f,s:i}", "contacts", problem.contact_count,
                                        "solved", (int)r.is_solved, "residual", r.residual,
                                        "iterations", r.iterations));
    } else if (code == CLI_DONE && !options->is_quiet) {
        printf("%d contact%s, %s: residual %.2g after %d iteration%s\n", problem.contact_count,
               cli_plural(problem.contact_count), r.is_solved ? "solved" : "not solved", r.residual,
               r.iterations, cli_plural(r.iterations));
    }
    iso_fclib_free(session->ctx, &problem);
    return code == CLI_DONE && !r.is_solved ? CLI_NUMERICAL : code;
}

cli_exit cli_lab_rigid(cli_session* session, const cli_options* options) {
    if (options->lab.from != NULL || options->output != NULL) {
        if (options->lab.from == NULL && options->lab.scene == NULL) {
            cli_error("-o is given without --scene or --from FILE\n");
            return CLI_USAGE;
        }
        return solve_problem(session, options);
    }
    rigid_table table = {.count = 0};
    for (int i = 0; i < ISO_RIGID_SCENE_COUNT; ++i) {
        const char* name = iso_rigid_setup_of((iso_rigid_scene)i).name;
        if (options->lab.scene != NULL && strcmp(options->lab.scene, name) != 0) {
            continue;
        }
        iso_status status = run_laws(session->ctx, (iso_rigid_scene)i, &table);
        if (status == ISO_OK) {
            status = run_worlds(session->ctx, (iso_rigid_scene)i, &table);
        }
        if (status != ISO_OK) {
            return cli_report(session, status);
        }
    }
    return write_results(session, options, &table);
}
