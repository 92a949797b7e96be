// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "record/export/export_vtk.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "record/export/export_file.h"
#include "record/export/vtk_text.h"
#include "record/frames/recording.h"
#include "record/json/number_text.h"

#include <string.h>

#define FIXED_NAME "bodies_fixed.vtp"

// One file: the bodies of a frame, or without them its patches.
static iso_status write_piece(iso_context* ctx, const char* directory, const char* name,
                              const iso_vtk_bodies* bodies, const iso_recorded_model* model,
                              const iso_recorded_frame* frame, iso_bytes* buffer) {
    iso_file_writer file;
    iso_status status = iso_export_file_open(ctx, directory, name, &file);
    if (status != ISO_OK) {
        return status;
    }
    iso_bytes_clear(buffer);
    if (bodies) {
        iso_vtk_put_bodies(buffer, bodies, frame);
    } else {
        iso_vtk_put_patches(buffer, model, frame);
    }
    ISO_TRY(iso_export_file_put(ctx, &file, buffer));
    ISO_TRY(iso_file_writer_commit(ctx, &file));

done:
    iso_file_writer_abort(ctx, &file);
    return status;
}

// The collection of one series, written last so that it names only files that are there. What is
// `fixed` is a part of every time.
static iso_status write_collection(iso_recording* recording, const char* directory,
                                   const char* series, const char* fixed, iso_bytes* buffer) {
    iso_context* ctx = iso_recording_context(recording);
    char line[128];
    snprintf(line, sizeof line, "%s.pvd", series);
    iso_file_writer file;
    iso_status status = iso_export_file_open(ctx, directory, line, &file);
    if (status != ISO_OK) {
        return status;
    }
    static const char head[] = "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" "
                               "version=\"0.1\" byte_order=\"LittleEndian\">\n<Collection>\n";
    static const char tail[] = "</Collection>\n</VTKFile>\n";
    iso_bytes_clear(buffer);
    iso_bytes_put(buffer, head, sizeof head - 1);
    for (int i = 0; i < iso_recording_frame_count(recording); ++i) {
        char time[ISO_NUMBER_TEXT_SIZE];
        iso_number_format(iso_recording_frame_time(recording, i), time);
        int length = snprintf(line, sizeof line,
                              "<DataSet timestep=\"%s\" part=\"0\" file=\"%s_%06d.vtp\"/>\n", time,
                              series, i);
        iso_bytes_put(buffer, line, (size_t)length);
        if (fixed) {
            iso_bytes_put_line(buffer, "<DataSet timestep=\"%s\" part=\"1\" file=\"%s\"/>", time,
                               fixed);
        }
    }
    iso_bytes_put(buffer, tail, sizeof tail - 1);
    ISO_TRY(iso_export_file_put(ctx, &file, buffer));
    ISO_TRY(iso_file_writer_commit(ctx, &file));

done:
    iso_file_writer_abort(ctx, &file);
    return status;
}

// The parts of all frames' bodies, and which body is in which.
typedef struct body_parts {
    iso_vtk_bodies moving, still;
    bool* is_still;  ///< [body_count]
    iso_pose* start; ///< [body_count] poses of the first frame
} body_parts;

static void free_parts(iso_context* ctx, body_parts* parts) {
    iso_vtk_bodies_free(&parts->moving);
    iso_vtk_bodies_free(&parts->still);
    iso_free(ctx, parts->is_still);
    iso_free(ctx, parts->start);
}

static iso_status pack_parts(iso_context* ctx, const iso_recorded_model* model, body_parts* parts) {
    iso_vtk_bodies_free(&parts->moving);
    iso_vtk_bodies_free(&parts->still);
    iso_status status =
        iso_vtk_bodies_init(&parts->moving, ctx, model, parts->is_still, ISO_VTK_MOVING);
    return status == ISO_OK
               ? iso_vtk_bodies_init(&parts->still, ctx, model, parts->is_still, ISO_VTK_STILL)
               : status;
}

// Fixed bodies stay still, until a prescribed motion moves one: true when a frame says so first.
static bool note_moved(const iso_recorded_model* model, const iso_recorded_frame* frame,
                       body_parts* parts) {
    bool is_new = false;
    for (int i = 0; i < model->body_count; ++i) {
        bool is_moved = parts->is_still[i] &&
                        memcmp(&frame->poses[i], &parts->start[i], sizeof *parts->start) != 0;
        parts->is_still[i] = parts->is_still[i] && !is_moved;
        is_new = is_new || is_moved;
    }
    return is_new;
}

static iso_status write_frame(iso_context* ctx, const char* directory, int index,
                              const body_parts* parts, const iso_recorded_frame* frame,
                              iso_bytes* buffer) {
    const iso_recorded_model* model = parts->moving.model;
    iso_status status = ISO_OK;
    char name[64];
    if (index == 0) {
        ISO_TRY(write_piece(ctx, directory, FIXED_NAME, &parts->still, model, frame, buffer));
    }
    snprintf(name, sizeof name, "bodies_%06d.vtp", index);
    ISO_TRY(write_piece(ctx, directory, name, &parts->moving, model, frame, buffer));
    snprintf(name, sizeof name, "patches_%06d.vtp", index);
    ISO_TRY(write_piece(ctx, directory, name, NULL, model, frame, buffer));

done:
    return status;
}

// Anew from the first frame when a body turns out to move, which most do from the second one on.
static iso_status write_frames(iso_recording* recording, const char* directory, body_parts* parts,
                               iso_bytes* buffer) {
    iso_context* ctx = iso_recording_context(recording);
    const iso_recorded_model* model = iso_recording_model(recording);
    iso_status status = ISO_OK;
    for (int i = 0; i < iso_recording_frame_count(recording); ++i) {
        const iso_recorded_frame* frame;
        ISO_TRY(iso_recording_read(recording, i, &frame));
        if (i == 0) {
            memcpy(parts->start, frame->poses, (size_t)model->body_count * sizeof *parts->start);
        }
        if (note_moved(model, frame, parts)) {
            ISO_TRY(pack_parts(ctx, model, parts));
            i = -1;
            continue;
        }
        ISO_TRY(write_frame(ctx, directory, i, parts, frame, buffer));
        iso_recording_note_progress(recording, i + 1);
    }

done:
    return status;
}

iso_status iso_recording_export_vtk(iso_recording* recording, const char* directory) {
    iso_context* ctx = iso_recording_context(recording);
    ISO_REQUIRE(ctx, recording && directory, ISO_ERR_ARGUMENT,
                "recording and directory are required");
    const iso_recorded_model* model = iso_recording_model(recording);
    iso_bytes buffer = iso_bytes_make(ctx);
    body_parts parts = {.is_still = iso_alloc_array(ctx, model->body_count, sizeof(bool)),
                        .start = iso_alloc_array(ctx, model->body_count, sizeof(iso_pose))};
    iso_status status = ISO_OK;
    ISO_CHECK(ctx, parts.is_still && parts.start, ISO_ERR_MEMORY, "%d bodies", model->body_count);
    for (int i = 0; i < model->body_count; ++i) {
        parts.is_still[i] = model->bodies[i].is_fixed;
    }
    ISO_TRY(iso_recording_require_frames(recording));
    ISO_TRY(pack_parts(ctx, model, &parts));
    ISO_TRY(iso_directory_make(ctx, directory));
    ISO_TRY(write_frames(recording, directory, &parts, &buffer));
    ISO_TRY(write_collection(recording, directory, "bodies", FIXED_NAME, &buffer));
    ISO_TRY(write_collection(recording, directory, "patches", NULL, &buffer));

done:
    free_parts(ctx, &parts);
    iso_bytes_free(&buffer);
    return status;
}

iso_status iso_frame_export_vtk(iso_context* ctx, const iso_recorded_model* model,
                                const iso_recorded_frame* frame, const char* directory) {
    iso_bytes buffer = iso_bytes_make(ctx);
    iso_vtk_bodies bodies = {0};
    iso_status status = ISO_OK;
    ISO_TRY(iso_vtk_bodies_init(&bodies, ctx, model, NULL, ISO_VTK_ALL));
    ISO_TRY(iso_directory_make(ctx, directory));
    ISO_TRY(write_piece(ctx, directory, "bodies.vtp", &bodies, model, frame, &buffer));
    ISO_TRY(write_piece(ctx, directory, "patches.vtp", NULL, model, frame, &buffer));

done:
    iso_vtk_bodies_free(&bodies);
    iso_bytes_free(&buffer);
    return status;
}
