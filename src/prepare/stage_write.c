// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/core/text.h"
#include "base/system/host.h"
#include "base/system/path.h"
#include "geometry/mesh_files/vtk/volume_write.h"
#include "prepare/report/snippet.h"
#include "prepare/stages.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { k_mesh, k_sdf, k_urdf, k_report, k_log, k_file_count };

static const char* file_name(const char* path) {
    const char* slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static iso_status write_mesh(iso_prepare_job* job, FILE* file) {
    char generator[64];
    (void)snprintf(generator, sizeof generator, "isobar %s", iso_version());
    iso_volume_file volume = {.mesh = job->mesh, .extent = job->extents};
    iso_volume_metadata metadata = {.units = "m",
                                    .generator = generator,
                                    .source = file_name(job->desc->input),
                                    .modulus = job->desc->modulus};
    return iso_volume_file_write(job->ctx, job->desc->output, file, &volume, &metadata);
}

static iso_status make_text(iso_prepare_job* job, int which, iso_text* text) {
    switch (which) {
    case k_sdf:
        return iso_snippet_sdf(job, job->desc->sdf, text);
    case k_urdf:
        return iso_snippet_urdf(job, job->desc->urdf, text);
    case k_report:
        return iso_report_html(job, text);
    default:
        return iso_text_printf(job->ctx, text, "%s", job->log ? job->log : "");
    }
}

static iso_status write_text(iso_prepare_job* job, int which, FILE* file) {
    iso_text text = {0};
    iso_status status = make_text(job, which, &text);
    if (status == ISO_OK && text.length > 0) {
        (void)fwrite(text.data, 1, text.length, file); // committing sees what failed
    }
    iso_text_free(job->ctx, &text);
    return status;
}

// A file that another one replaces, under a second name until all have their places.
typedef struct older_file {
    char* path;      // through symbolic links; NULL: there is none
    char* spare;     // its second name
    bool is_special; // no regular file: written in place, never removed
} older_file;

static void older_free(iso_context* ctx, older_file* older) {
    iso_free(ctx, older->path);
    iso_free(ctx, older->spare);
    *older = (older_file){0};
}

static iso_status keep_older(iso_context* ctx, const char* path, older_file* out_older) {
    iso_text spare = {0};
    *out_older = (older_file){0};
    iso_path_kind kind = iso_path_look(path);
    out_older->is_special = kind != ISO_PATH_NONE && kind != ISO_PATH_FILE;
    if (kind != ISO_PATH_FILE) {
        return ISO_OK;
    }
    char* target = iso_path_real(ctx, path);
    ISO_REQUIRE(ctx, target, errno == ENOMEM ? ISO_ERR_MEMORY : ISO_ERR_IO, "%s: %s", path,
                strerror(errno));
    iso_status status = iso_text_printf(ctx, &spare, "%s.%ld.older", target, iso_process_number());
    int error = status == ISO_OK ? iso_path_keep(target, spare.data) : 0;
    if (error != 0) {
        status =
            iso_fail(ctx, ISO_ERR_IO, __func__, "%s: cannot be kept: %s", path, strerror(error));
    }
    *out_older = (older_file){.path = target, .spare = spare.data};
    if (status != ISO_OK) {
        older_free(ctx, out_older);
    }
    return status;
}

// All or none: what lay there before comes back, what did not goes.
static void take_back(const char* path, bool is_replaced, const older_file* older) {
    if (older->spare) {
        (void)iso_path_replace(older->spare, older->path);
        (void)remove(older->spare); // two names of one file: renaming leaves both
    } else if (is_replaced && path && !older->is_special) {
        (void)remove(path);
    }
}

static iso_status write_all(iso_prepare_job* job, const char* const* paths,
                            iso_file_writer* writers) {
    iso_status status = write_mesh(job, writers[k_mesh].file);
    for (int i = k_mesh + 1; status == ISO_OK && i < k_file_count; ++i) {
        status = paths[i] ? write_text(job, i, writers[i].file) : ISO_OK;
    }
    return status;
}

iso_status iso_stage_write(iso_prepare_job* job) {
    const iso_prepare_desc* d = job->desc;
    const char* paths[k_file_count] = {d->output, d->sdf, d->urdf, d->report, d->log};
    iso_file_writer writers[k_file_count] = {{0}};
    older_file older[k_file_count] = {{0}};
    int done_count = 0, count = 0;
    iso_status status = ISO_OK;
    for (int i = 0; i < k_file_count; ++i) {
        if (paths[i]) {
            ISO_TRY(iso_file_writer_open(job->ctx, paths[i], &writers[i]));
            ++count;
        }
    }
    iso_prepare_say(job, "%d file%s, %s", count, iso_text_plural(count), d->output);
    ISO_TRY(write_all(job, paths, writers));
    for (; done_count < k_file_count; ++done_count) {
        if (paths[done_count]) {
            ISO_TRY(keep_older(job->ctx, paths[done_count], &older[done_count]));
            ISO_TRY(iso_file_writer_commit(job->ctx, &writers[done_count]));
        }
    }

done:
    for (int i = 0; i < k_file_count; ++i) {
        iso_file_writer_abort(job->ctx, &writers[i]);
        if (status != ISO_OK) {
            take_back(paths[i], i < done_count, &older[i]);
        } else if (older[i].spare) {
            (void)remove(older[i].spare);
        }
        older_free(job->ctx, &older[i]);
    }
    return status;
}
