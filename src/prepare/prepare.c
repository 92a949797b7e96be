// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "isobar/prepare.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/core/text.h"
#include "base/system/clock.h"
#include "base/system/path.h"
#include "base/system/process.h"
#include "isobar/mesh_file.h"
#include "prepare/report/snippet.h"
#include "prepare/stages.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

iso_prepare_desc iso_prepare_desc_default(void) {
    return (iso_prepare_desc){.scale = 1.0,
                              .grading = 1.5,
                              .layers = 1,
                              .time_limit = 120.0,
                              .density = 1000.0,
                              .modulus = 1e7,
                              .dissipation = 1.0,
                              .friction_static = 0.5,
                              .friction_dynamic = 0.5};
}

static iso_status check_number(iso_context* ctx, const char* name, double value, double low,
                               bool is_open, double high) {
    bool is_good = isfinite(value) && (is_open ? value > low : value >= low) && value <= high;
    ISO_REQUIRE(ctx, is_good, ISO_ERR_RANGE, "%s is %g, expected finite, %s %g%s%g", name, value,
                is_open ? ">" : ">=", low, high < 1e300 ? " and at most " : ", below ", high);
    return ISO_OK;
}

static iso_status check_numbers(iso_context* ctx, const iso_prepare_desc* d) {
    const struct {
        const char* name;
        double value, low;
        bool is_open;
        double high;
    } checks[] = {{"unit", d->unit, 0.0, false, 1e6},
                  {"scale", d->scale, 0.0, true, 1e12},
                  {"weld tolerance", d->weld_tolerance, 0.0, false, 1e6},
                  {"edge length", d->size, 0.0, false, 1e6},
                  {"grading", d->grading, 1.0, false, 1000.0},
                  {"time limit", d->time_limit, 0.0, true, 1e7},
                  {"memory limit", d->memory_limit, 0.0, false, 1e15},
                  {"density", d->density, 0.0, true, 1e9},
                  {"modulus", d->modulus, 0.0, true, 1e18},
                  {"dissipation", d->dissipation, 0.0, false, 1e9},
                  {"dynamic friction", d->friction_dynamic, 0.0, false, 1e6},
                  {"static friction", d->friction_static, d->friction_dynamic, false, 1e6},
                  {"number of layers", d->layers, 1.0, false, 64.0}};
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; ++i) {
        iso_status status = check_number(ctx, checks[i].name, checks[i].value, checks[i].low,
                                         checks[i].is_open, checks[i].high);
        if (status != ISO_OK) {
            return status;
        }
    }
    return ISO_OK;
}

static bool has_one_of(const char* path, const char* const* extensions) {
    for (; *extensions; ++extensions) {
        if (iso_path_has_extension(path, *extensions)) {
            return true;
        }
    }
    return false;
}

// What model files and scenes cannot take: the world's name, and what parts scoped names.
static iso_status check_name(iso_context* ctx, const iso_prepare_desc* d) {
    char name[ISO_PREPARE_TEXT_SIZE];
    iso_prepare_name(d, name);
    ISO_REQUIRE(ctx, strcmp(name, "world") != 0 && !strstr(name, "::"), ISO_ERR_ARGUMENT,
                "the model's name is '%s', expected another than 'world' and none with '::'; "
                "--name gives it one",
                name);
    return ISO_OK;
}

// Model, mesh and report are XML, which says what they were made of.
static iso_status check_text(iso_context* ctx, const iso_prepare_desc* d) {
    const char* const paths[] = {d->input, d->core, d->backing, d->output};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; ++i) {
        ISO_REQUIRE(ctx, !paths[i] || iso_text_is_utf8(paths[i]), ISO_ERR_ARGUMENT,
                    "%s: the name is not UTF-8, expected one that model and report can hold",
                    paths[i]);
    }
    return ISO_OK;
}

bool iso_prepare_is_bonded(const iso_prepare_desc* desc) {
    return desc->core || desc->backing || iso_vec3_norm_squared(desc->backing_normal) > 0.0;
}

static iso_status check_input(iso_context* ctx, const char* path) {
    iso_mesh_file_kind kind = iso_mesh_file_kind_of(path);
    char known[128];
    iso_mesh_file_extensions(ISO_MESH_FILE_SURFACE, known, sizeof known);
    ISO_REQUIRE(ctx, kind != ISO_MESH_FILE_VOLUME, ISO_ERR_UNSUPPORTED,
                "%s: tetrahedra need no meshing, a scene takes them as they are; expected a "
                "surface: %s, .step or .stp",
                path, known);
    ISO_REQUIRE(ctx, kind == ISO_MESH_FILE_SURFACE || iso_path_is_step(path), ISO_ERR_UNSUPPORTED,
                "%s: expected a surface: %s, .step or .stp", path, known);
    return ISO_OK;
}

static iso_status check_desc(iso_context* ctx, const iso_prepare_desc* d) {
    static const char* const k_outputs[] = {".vtk", ".vtu", NULL};
    iso_status status = ISO_OK;
    ISO_REQUIRE(ctx, d && d->input && d->output, ISO_ERR_ARGUMENT,
                "desc, desc->input and desc->output are required");
    ISO_TRY(check_input(ctx, d->input));
    if (d->core) {
        ISO_TRY(check_input(ctx, d->core));
    }
    if (d->backing) {
        ISO_TRY(check_input(ctx, d->backing));
    }
    ISO_REQUIRE(ctx, iso_vec3_is_finite(d->backing_point) && iso_vec3_is_finite(d->backing_normal),
                ISO_ERR_RANGE,
                "the plane of the backing has numbers that are not finite, expected %s",
                "a point and a normal");
    ISO_REQUIRE(ctx, has_one_of(d->output, k_outputs), ISO_ERR_UNSUPPORTED,
                "%s: a mesh is written as .vtk or .vtu", d->output);
    ISO_REQUIRE(ctx, d->field != ISO_PREPARE_FIELD_LAPLACE || iso_prepare_is_bonded(d),
                ISO_ERR_ARGUMENT,
                "the field 'laplace' needs a core or a backing: name one with --core or --backing");
    ISO_REQUIRE(ctx, d->field != ISO_PREPARE_FIELD_POISSON || !iso_prepare_is_bonded(d),
                ISO_ERR_ARGUMENT,
                "the field 'poisson' has a source in the place of a core: use 'laplace' or leave "
                "core and backing out");
    ISO_TRY(check_text(ctx, d));
    ISO_TRY(check_name(ctx, d));
    ISO_TRY(check_numbers(ctx, d));

done:
    return status;
}

// No output replaces what is read, or another output.
static iso_status check_clashes(iso_context* ctx, const iso_prepare_desc* d) {
    const struct {
        const char *path, *what;
    } files[] = {{d->input, "the surface"}, {d->core, "the core"}, {d->backing, "the backing"},
                 {d->output, "the mesh"},   {d->sdf, "the model"}, {d->urdf, "the URDF"},
                 {d->report, "the report"}, {d->log, "the log"}};
    size_t count = sizeof files / sizeof files[0];
    for (size_t i = 3; i < count; ++i) {
        for (size_t k = 0; files[i].path && k < i; ++k) {
            ISO_REQUIRE(ctx, !files[k].path || !iso_is_same_file(files[i].path, files[k].path),
                        ISO_ERR_ARGUMENT, "%s: %s would replace %s, expected a file of its own",
                        files[i].path, files[i].what, files[k].what);
        }
    }
    return ISO_OK;
}

// 0, or why a file of that name cannot come to be.
static int folder_error(iso_context* ctx, const char* path) {
    iso_path_kind kind = iso_path_look(path);
    if (kind != ISO_PATH_NONE) {
        return kind == ISO_PATH_FOLDER ? EISDIR : 0;
    }
    char* folder = iso_path_directory(ctx, path);
    if (!folder) {
        return ENOMEM;
    }
    int error = iso_path_folder_error(folder);
    iso_free(ctx, folder);
    return error;
}

// Meshing takes long: that there is no folder for a file is said before.
static iso_status check_folders(iso_context* ctx, const iso_prepare_desc* d) {
    const char* const paths[] = {d->output, d->sdf, d->urdf, d->report, d->log};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; ++i) {
        int error = paths[i] ? folder_error(ctx, paths[i]) : 0;
        ISO_REQUIRE(ctx, error != ENOMEM, ISO_ERR_MEMORY, "folder of %s", paths[i]);
        ISO_REQUIRE(ctx, error == 0, ISO_ERR_IO, "%s: cannot be written: %s", paths[i],
                    strerror(error));
    }
    return ISO_OK;
}

// After a failure the log is wanted most. The message of the failure stays the context's.
static void save_log(iso_prepare_job* job) {
    FILE* file = fopen(job->desc->log, "wb");
    bool is_written = file && fputs(job->log, file) >= 0;
    is_written = file && fclose(file) == 0 && is_written;
    if (!is_written) {
        iso_prepare_warn(job, "%s: the log cannot be written: %s", job->desc->log, strerror(errno));
    }
}

static const struct {
    const char* name;
    iso_status (*run)(iso_prepare_job* job);
} k_stages[] = {
    {"read", iso_stage_read},   {"scale", iso_stage_scale},   {"repair", iso_stage_repair},
    {"check", iso_stage_check}, {"core", iso_stage_core},     {"mesh", iso_stage_mesh},
    {"field", iso_stage_field}, {"judge", iso_stage_measure}, {"write", iso_stage_write},
};

static iso_status run_stages(iso_prepare_job* job) {
    iso_status status = ISO_OK;
    for (size_t i = 0; i < sizeof k_stages / sizeof k_stages[0]; ++i) {
        ISO_REQUIRE(job->ctx, !iso_prepare_is_cancelled(job), ISO_ERR_NO_CONVERGENCE,
                    "cancelled before stage '%s'", k_stages[i].name);
        iso_prepare_begin(job, k_stages[i].name);
        status = k_stages[i].run(job);
        iso_prepare_end(job);
        if (status != ISO_OK) {
            break;
        }
    }
    return status;
}

iso_status iso_prepare(iso_context* ctx, const iso_prepare_desc* desc,
                       const iso_prepare_callbacks* callbacks, iso_prepare_report* out_report) {
    if (out_report) {
        *out_report = (iso_prepare_report){0};
    }
    iso_status status = check_desc(ctx, desc);
    if (status != ISO_OK) {
        return status;
    }
    iso_prepare_job job = {.ctx = ctx, .desc = desc, .start = iso_clock_seconds()};
    job.time_limit = desc->time_limit;
    if (callbacks) {
        job.callbacks = *callbacks;
    }
    iso_work_directory folder = {.lock = -1};
    iso_prepare_report* own = iso_alloc_zeroed(ctx, sizeof *own);
    ISO_CHECK(ctx, own, ISO_ERR_MEMORY, "report");
    job.report = own;
    ISO_TRY(check_folders(ctx, desc));
    ISO_TRY(check_clashes(ctx, desc));
    ISO_TRY(iso_work_directory_make(ctx, &folder));
    job.directory = folder.path;
    status = run_stages(&job);

done:
    if (status != ISO_OK && desc->log && job.log) {
        save_log(&job);
    }
    if (out_report && own) {
        *out_report = *own;
    }
    iso_work_directory_remove(ctx, &folder);
    iso_free(ctx, job.log);
    iso_tri_mesh_destroy(ctx, &job.surface);
    iso_tri_mesh_destroy(ctx, &job.original);
    iso_tri_mesh_destroy(ctx, &job.core);
    iso_tri_mesh_destroy(ctx, &job.backing);
    iso_tri_mesh_destroy(ctx, &job.joined);
    iso_tri_mesh_destroy(ctx, &job.given);
    iso_tet_mesh_destroy(ctx, &job.mesh);
    iso_free(ctx, job.extents);
    iso_free(ctx, own);
    return status;
}
