// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli.h"

#include "isobar_viewer_html.h"

#include <stdio.h>

static iso_status write_page(cli_session* session, const cli_options* options) {
    iso_recording* recording = NULL;
    iso_status status = iso_recording_open(session->ctx, options->input, &recording);
    if (status == ISO_OK) {
        status = iso_recording_write_view(recording, (const char*)isobar_viewer_html,
                                          isobar_viewer_html_size, options->output, NULL);
    }
    if (status == ISO_OK && !options->is_quiet) {
        printf("%s: %d frames%s\n", options->output, iso_recording_frame_count(recording),
               iso_recording_is_complete(recording) ? "" : " (the recording was cut short)");
    }
    iso_recording_close(recording);
    return status;
}

cli_exit cli_view(const cli_options* options) {
    if (options->output == NULL) {
        fprintf(stderr, "isobar: error: -o PAGE.html is missing\n");
        return CLI_USAGE;
    }
    if (isobar_viewer_html_size == 0) {
        fprintf(stderr, "isobar: error: this build has no viewer; install npm (tools/setup) and "
                        "build again\n");
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
    iso_status status = iso_recording_open(session->ctx, options->input, &recording);
    if (status == ISO_OK && options->csv_dir != NULL) {
        status = iso_recording_export_csv(recording, options->csv_dir);
    }
    if (status == ISO_OK && options->vtk_dir != NULL) {
        status = iso_recording_export_vtk(recording, options->vtk_dir);
    }
    if (status == ISO_OK && !options->is_quiet) {
        printf("%d frames exported\n", iso_recording_frame_count(recording));
    }
    iso_recording_close(recording);
    return status;
}

cli_exit cli_export(const cli_options* options) {
    if (options->csv_dir == NULL && options->vtk_dir == NULL) {
        fprintf(stderr, "isobar: error: --csv DIR or --vtk DIR is missing\n");
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
