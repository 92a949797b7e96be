// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/fail.h"
#include "base/text.h"
#include "geometry/volume_write.h"
#include "prepare/snippet.h"
#include "prepare/stages.h"

#include <stdio.h>
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

iso_status iso_stage_write(iso_prepare_job* job) {
    const iso_prepare_desc* d = job->desc;
    const char* paths[k_file_count] = {d->output, d->sdf, d->urdf, d->report, d->log};
    iso_file_writer writers[k_file_count] = {{0}};
    int done_count = 0, count = 0;
    iso_status status = ISO_OK;
    for (int i = 0; i < k_file_count; ++i) {
        if (paths[i]) {
            ISO_TRY(iso_file_writer_open(job->ctx, paths[i], &writers[i]));
            ++count;
        }
    }
    iso_prepare_say(job, "%d file%s, %s", count, count == 1 ? "" : "s", d->output);
    ISO_TRY(write_mesh(job, writers[k_mesh].file));
    for (int i = k_mesh + 1; i < k_file_count; ++i) {
        if (paths[i]) {
            ISO_TRY(write_text(job, i, writers[i].file));
        }
    }
    for (; done_count < k_file_count; ++done_count) {
        if (paths[done_count]) {
            ISO_TRY(iso_file_writer_commit(job->ctx, &writers[done_count]));
        }
    }

done:
    for (int i = 0; i < k_file_count; ++i) {
        iso_file_writer_abort(job->ctx, &writers[i]);
        if (status != ISO_OK && i < done_count && paths[i]) {
            remove(paths[i]); // all or none
        }
    }
    return status;
}
