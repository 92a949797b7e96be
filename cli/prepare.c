// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/commands.h"
#include "cli/parts/checks.h"
#include "cli/parts/json_output.h"
#include "cli/parts/session.h"
#include "cli/parts/text.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define PATH_SIZE 1024
#define MEBIBYTE 1048576.0

/// Set when the user wants to stop: the mesher is ended and its files are removed.
static volatile sig_atomic_t s_is_interrupted;

static void interrupt(int signal_number) {
    (void)signal_number;
    s_is_interrupted = 1;
}

static bool is_interrupted(void* user) {
    (void)user;
    return s_is_interrupted != 0;
}

static bool take_choice(iso_prepare_desc* desc, const char* name, const char* value) {
    static const char* const meshers[] = {"auto", "gmsh", "ftetwild"};
    static const char* const fields[] = {"auto", "distance", "poisson", "laplace"};
    if (strcmp(name, "--mesher") == 0) {
        int found = cli_find_word(meshers, 3, value);
        desc->mesher = (iso_prepare_mesher)(found < 0 ? 0 : found);
        return found >= 0;
    }
    int found = cli_find_word(fields, 4, value);
    desc->field = (iso_prepare_field)(found < 0 ? 0 : found);
    return found >= 0;
}

static bool take_number(iso_prepare_desc* desc, const char* name, const char* value) {
    const struct {
        const char* name;
        double* target;
        bool may_be_zero;
    } numbers[] = {{"--scale", &desc->scale, false},
                   {"--weld", &desc->weld_tolerance, false},
                   {"--size", &desc->size, false},
                   {"--grading", &desc->grading, false},
                   {"--time-limit", &desc->time_limit, false},
                   {"--memory-limit", &desc->memory_limit, false},
                   {"--density", &desc->density, false},
                   {"--modulus", &desc->modulus, false},
                   {"--dissipation", &desc->dissipation, true},
                   {"--friction", &desc->friction_dynamic, true}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        if (strcmp(numbers[i].name, name) == 0) {
            bool is_good = numbers[i].may_be_zero ? cli_parse_not_negative(value, numbers[i].target)
                                                  : cli_parse_positive(value, numbers[i].target);
            desc->memory_limit *= strcmp(name, "--memory-limit") == 0 ? MEBIBYTE : 1.0;
            desc->friction_static =
                strcmp(name, "--friction") == 0 ? desc->friction_dynamic : desc->friction_static;
            return is_good;
        }
    }
    return false;
}

/// A surface, or a plane: X,Y,Z of a point and of a normal. False for other lists of numbers.
static bool take_backing(iso_prepare_desc* desc, const char* value) {
    iso_vec3 *p = &desc->backing_point, *n = &desc->backing_normal;
    int end = -1;
    int count =
        sscanf(value, "%lf,%lf,%lf,%lf,%lf,%lf%n", &p->x, &p->y, &p->z, &n->x, &n->y, &n->z, &end);
    bool is_plane =
        count == 6 && end >= 0 && value[end] == '\0' && (n->x != 0.0 || n->y != 0.0 || n->z != 0.0);
    desc->backing = is_plane ? NULL : value;
    if (!is_plane) {
        *p = *n = iso_vec3_zero();
    }
    return is_plane || value[strspn(value, "0123456789+-.,eE ")] != '\0';
}

bool cli_prepare_take(cli_options* options, const char* name, const char* value) {
    iso_prepare_desc* desc = &options->prepare;
    const struct {
        const char* name;
        const char** target;
    } texts[] = {{"--gmsh", &desc->gmsh}, {"--python", &desc->python}, {"--core", &desc->core},
                 {"--name", &desc->name}, {"--sdf", &desc->sdf},       {"--urdf", &desc->urdf},
                 {"--log", &desc->log},   {"--report", &desc->report}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        if (strcmp(texts[i].name, name) == 0) {
            *texts[i].target = value;
            return value[0] != '\0';
        }
    }
    if (strcmp(name, "--backing") == 0) {
        return take_backing(desc, value);
    }
    if (strcmp(name, "--units") == 0) {
        desc->unit = iso_unit_length(value);
        return desc->unit > 0.0;
    }
    if (strcmp(name, "--mesher") == 0 || strcmp(name, "--field") == 0) {
        return take_choice(desc, name, value);
    }
    if (strcmp(name, "--layers") == 0) {
        double number = 0.0;
        bool is_good = cli_parse_whole(value, 1.0, 64.0, &number);
        desc->layers = is_good ? (int)number : 1;
        return is_good;
    }
    return take_number(desc, name, value);
}

static void print_progress(void* user, const char* stage, double elapsed, const char* message) {
    (void)user;
    fprintf(stderr, "isobar: [%6.2f s] %-6s %s\n", elapsed, stage, message);
}

static void print_warning(void* user, const char* message) {
    const cli_session* session = user;
    if (!session->is_quiet) {
        cli_warning("%s\n", message);
    }
}

/// Where a file goes that the user did not name: beside the mesh, with another extension.
static const char* beside(const char* named, const char* mesh, const char* extension,
                          char buffer[PATH_SIZE]) {
    if (named != NULL) {
        return strcmp(named, "none") == 0 ? NULL : named;
    }
    const char* dot = strrchr(mesh, '.');
    int length = dot != NULL ? (int)(dot - mesh) : (int)strlen(mesh);
    int written = snprintf(buffer, PATH_SIZE, "%.*s%s", length, mesh, extension);
    return written > 0 && written < PATH_SIZE ? buffer : NULL;
}

static json_t* bins_json(const int* bins) {
    json_t* array = json_array();
    for (int i = 0; i < ISO_PREPARE_BIN_COUNT; ++i) {
        json_array_append_new(array, json_integer(bins[i]));
    }
    return array;
}

static json_t* warnings_json(const iso_prepare_report* r) {
    json_t* warnings = json_array();
    for (int i = 0; i < r->warning_count; ++i) {
        json_array_append_new(warnings, json_string(r->warnings[i]));
    }
    return warnings;
}

static json_t* stages_json(const iso_prepare_report* r) {
    json_t* stages = json_array();
    for (int i = 0; i < r->stage_count; ++i) {
        json_array_append_new(stages,
                              json_pack("{s:s,s:f,s:s}", "stage", r->stages[i].name, "seconds",
                                        r->stages[i].seconds, "note", r->stages[i].note));
    }
    return stages;
}

static json_t* report_json(const iso_prepare_desc* desc, const char* backing,
                           const iso_prepare_report* r) {
    const iso_mat3* i = &r->inertia;
    return json_pack(
        "{s:s,s:s,s:s,s:i,s:i,s:i,s:f,s:f,s:f,s:o,s:f,s:f,s:f,s:f,s:o,s:[f,f,f,f,f,f],s:o,s:o,s:f,"
        "s:i,s:i,s:i,s:i,s:i,s:i,s:s,s:i,s:s?,s:s?,s:[f,f],s:i,s:[f,f],s:[f,f],s:i}",
        "input", desc->input, "output", desc->output, "mesher", r->mesher, "vertices",
        r->mesh_vertex_count, "tetrahedra", r->mesh_tet_count, "inner_vertices_added",
        r->inner_vertex_count, "quality_min", r->quality_min, "quality_mean", r->quality_mean,
        "dihedral_min", r->dihedral_min, "quality_bins", bins_json(r->quality_bins), "volume",
        r->mesh_volume, "surface_volume", r->surface_volume, "thickness", r->thickness, "mass",
        r->mass, "center_of_mass", cli_json_vec3(r->center_of_mass), "inertia_xx_yy_zz_xy_xz_yz",
        i->m[0][0], i->m[1][1], i->m[2][2], i->m[0][1], i->m[0][2], i->m[1][2], "warnings",
        warnings_json(r), "stages", stages_json(r), "scale", r->scale, "welded", r->welded_count,
        "duplicates", r->duplicate_count, "slivers", r->degenerate_count, "turned", r->turned_count,
        "core_vertices", r->core_vertex_count, "cavities", r->cavity_count, "field", r->field,
        "layers", desc->layers, "core", desc->core, "backing", backing, "full_extent_depth",
        r->full_depth_low, r->full_depth_high, "untangled", r->untangled_count, "skin_off_max_rms",
        r->skin_off.max, r->skin_off.rms, "surface_off_max_rms", r->surface_off.max,
        r->surface_off.rms, "left_out", r->dropped_count);
}

static void print_report(const iso_prepare_desc* desc, const char* backing,
                         const iso_prepare_report* r) {
    printf("%s: %d vertices, %d tetrahedra by %s, quality at least %.2g, mean %.3f\n", desc->output,
           r->mesh_vertex_count, r->mesh_tet_count, r->mesher, r->quality_min, r->quality_mean);
    printf("mass          %.6g kg%s, centre of mass %g %g %g m\n", r->mass,
           desc->core != NULL ? " without the core" : "", r->center_of_mass.x, r->center_of_mass.y,
           r->center_of_mass.z);
    printf("field         %s, %d layer%s%s%s%s%s; full extent ", r->field, desc->layers,
           cli_plural(desc->layers), desc->core != NULL ? ", core " : "",
           desc->core != NULL ? desc->core : "", backing != NULL ? ", backing " : "",
           backing != NULL ? backing : "");
    if (r->full_depth_high > r->full_depth_low) {
        printf("%.4g to ", r->full_depth_low);
    }
    printf("%.4g m below the skin, %.4g Pa there\n", r->full_depth_high, desc->modulus);
    printf("deviation     skin off the surface by up to %.3g m (%.3g rms), surface off the skin by "
           "up to %.3g m (%.3g rms)\n",
           r->skin_off.max, r->skin_off.rms, r->surface_off.max, r->surface_off.rms);
    if (desc->sdf != NULL) {
        printf("model         %s\n", desc->sdf);
    }
    if (desc->urdf != NULL) {
        printf("robot         %s\n", desc->urdf);
    }
    if (desc->report != NULL) {
        printf("report        %s\n", desc->report);
    }
    printf("warnings      %d\n", r->warning_count);
}

/// Until the end of the process: Control-C and its like end the mesher first.
static void watch_signals(void) {
    struct sigaction action = {.sa_handler = interrupt};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

/// What counts in models alone was given, and none is written; a report has a name, too.
static cli_exit check_effects(const cli_options* options, const iso_prepare_desc* desc) {
    static const char* const of_models[] = {"--dissipation", "--friction", "--name"};
    bool has_models = desc->sdf != NULL || desc->urdf != NULL;
    int count = desc->report != NULL ? 2 : 3;
    for (int i = 0; !has_models && i < count; ++i) {
        if (cli_given(options, of_models[i]) != NULL) {
            return cli_report_useless(of_models[i],
                                      i < 2 ? "with --sdf none --urdf none"
                                            : "with --sdf none --urdf none --report none");
        }
    }
    return CLI_DONE;
}

cli_exit cli_prepare(const cli_options* options) {
    char sdf[PATH_SIZE], urdf[PATH_SIZE], report_path[PATH_SIZE];
    if (options->output == NULL) {
        cli_error("-o MESH is missing (.vtk or .vtu)\n");
        return CLI_USAGE;
    }
    iso_prepare_desc desc = options->prepare;
    desc.input = options->input;
    desc.output = options->output;
    desc.sdf = beside(desc.sdf, desc.output, ".sdf", sdf);
    desc.urdf = beside(desc.urdf, desc.output, ".urdf", urdf);
    desc.report = beside(desc.report, desc.output, ".html", report_path);
    cli_session session;
    cli_exit code = check_effects(options, &desc);
    code = code == CLI_DONE ? cli_session_open(&session, options) : code;
    if (code != CLI_DONE) {
        return code;
    }
    const char* backing = cli_given(options, "--backing"); // a surface or a plane, as it was said
    iso_prepare_report* report = malloc(sizeof *report);
    if (report == NULL) {
        cli_session_close(&session);
        cli_error("%s\n", iso_status_text(ISO_ERR_MEMORY));
        return CLI_BAD_INPUT;
    }
    session.hides_info = true; // the stages tell the same, with their names
    watch_signals();
    iso_prepare_callbacks callbacks = {.progress = options->is_quiet ? NULL : print_progress,
                                       .warning = print_warning,
                                       .is_cancelled = is_interrupted,
                                       .user = &session};
    iso_status status = iso_prepare(session.ctx, &desc, &callbacks, report);
    if (status != ISO_OK) {
        code = cli_report(&session, status);
    } else if (options->is_json) {
        code = cli_json_print(report_json(&desc, backing, report));
    } else {
        print_report(&desc, backing, report);
    }
    free(report);
    cli_session_close(&session);
    return code;
}
