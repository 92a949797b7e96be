// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/commands.h"
#include "cli/parts/progress.h"
#include "cli/parts/session.h"
#include "cli/parts/text.h"

#include "isobar_viewer_html.h"

#include <stdio.h>

/// A pass over the frames of a recording, which stderr is told of.
typedef struct pass {
    iso_recording* recording;
    progress progress;
    int done; ///< frames
} pass;

static void note_frame(void* user, int done, int count) {
    pass* p = user;
    (void)count; // the progress has it
    p->done = done;
    progress_update(&p->progress, done, 0.0);
}

static void begin_pass(pass* p, iso_recording* recording, const cli_options* options,
                       const char* what) {
    int count = iso_recording_frame_count(recording);
    *p = (pass){recording, progress_begin(options, what, count, 0.0), 0};
    iso_recording_set_progress(recording, note_frame, p);
}

static iso_status end_pass(pass* p, iso_status status) {
    iso_recording_set_progress(p->recording, NULL, NULL);
    progress_end(&p->progress, p->done, 0.0);
    return status;
}

static iso_status write_page(cli_session* session, const cli_options* options) {
    iso_recording* recording = NULL;
    iso_view_desc desc = iso_view_desc_default();
    desc.frame_rate = options->frame_rate > 0.0 ? options->frame_rate : desc.frame_rate;
    desc.with_faces = !options->is_without_faces;
    // Text of three bytes takes four.
    desc.size_limit =
        options->size_limit > 0.0 ? (size_t)(0.75 * options->size_limit) : desc.size_limit;
    iso_status status = cli_open_recording(session, options, &recording);
    if (status == ISO_OK) {
        pass p;
        begin_pass(&p, recording, options, "page");
        status =
            end_pass(&p, iso_recording_write_view(recording, (const char*)isobar_viewer_html,
                                                  isobar_viewer_html_size, options->output, &desc));
    }
    if (status == ISO_OK && !options->is_quiet) {
        int count = iso_recording_frame_count(recording);
        printf("%s: %d frame%s%s\n", options->output, count, cli_plural(count),
               iso_recording_is_complete(recording) ? "" : " (the recording was cut short)");
    }
    iso_recording_close(recording);
    return status;
}

cli_exit cli_view(const cli_options* options) {
    if (options->output == NULL) {
        cli_error("-o PAGE.html is missing\n");
        return CLI_USAGE;
    }
    if (!cli_has_viewer()) {
        return CLI_BAD_INPUT;
    }
    cli_session session;
    cli_exit code = cli_session_open(&session, options);
    if (code == CLI_DONE) {
        code = cli_report(&session, write_page(&session, options));
        cli_session_close(&session);
    }
    return code;
}

static iso_status export_files(cli_session* session, const cli_options* options) {
    iso_recording* recording = NULL;
    iso_status status = cli_open_recording(session, options, &recording);
    if (status == ISO_OK && options->csv_dir != NULL) {
        pass p;
        begin_pass(&p, recording, options, "csv");
        status = end_pass(&p, iso_recording_export_csv(recording, options->csv_dir));
    }
    if (status == ISO_OK && options->vtk_dir != NULL) {
        pass p;
        begin_pass(&p, recording, options, "vtk");
        status = end_pass(&p, iso_recording_export_vtk(recording, options->vtk_dir));
    }
    if (status == ISO_OK && !options->is_quiet) {
        int count = iso_recording_frame_count(recording);
        printf("%d frame%s exported%s\n", count, cli_plural(count),
               iso_recording_is_complete(recording) ? "" : " (the recording was cut short)");
    }
    iso_recording_close(recording);
    return status;
}

cli_exit cli_export(const cli_options* options) {
    if (options->csv_dir == NULL && options->vtk_dir == NULL) {
        cli_error("--csv DIR or --vtk DIR is missing\n");
        return CLI_USAGE;
    }
    cli_session session;
    cli_exit code = cli_session_open(&session, options);
    if (code == CLI_DONE) {
        code = cli_report(&session, export_files(&session, options));
        cli_session_close(&session);
    }
    return code;
}
