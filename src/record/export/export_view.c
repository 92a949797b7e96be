// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/fail.h"
#include "base/core/log.h"
#include "isobar/names.h"
#include "record/compact/view_model.h"
#include "record/export/export_file.h"
#include "record/export/view_frames.h"
#include "record/frames/recording.h"
#include "record/json/json_text.h"

#include <stdio.h>
#include <string.h>

#define DATA_TOKEN "@@ISOBAR_DATA@@"

iso_view_desc iso_view_desc_default(void) {
    return (iso_view_desc){.frame_rate = 60.0, .size_limit = (size_t)200 << 20, .with_faces = true};
}

// The only place of the token in the page; NULL when there is none or more than one.
static const char* find_token(const char* html, size_t size) {
    const char* found = NULL;
    size_t length = strlen(DATA_TOKEN);
    for (size_t i = 0; i + length <= size; ++i) {
        if (html[i] == '@' && memcmp(html + i, DATA_TOKEN, length) == 0) {
            if (found) {
                return NULL;
            }
            found = html + i;
        }
    }
    return found;
}

// Offer at most frame_rate frames per simulated second: the first in every cell of its grid.
static iso_status collect_frames(iso_recording* recording, const iso_view_desc* desc,
                                 iso_view_frames* frames) {
    double last_cell = -INFINITY;
    for (int i = 0; i < iso_recording_frame_count(recording); ++i) {
        iso_recording_note_progress(recording, i);
        double cell = floor(iso_recording_frame_time(recording, i) * desc->frame_rate + 1e-6);
        if (!(cell > last_cell)) {
            continue;
        }
        const iso_recorded_frame* frame;
        iso_status status = iso_recording_read(recording, i, &frame);
        if (status == ISO_OK) {
            status = iso_view_frames_offer(frames, iso_recording_model(recording), frame,
                                           desc->with_faces);
        }
        if (status != ISO_OK) {
            return status;
        }
        last_cell = cell;
    }
    iso_recording_note_progress(recording, iso_recording_frame_count(recording));
    iso_recording_forget_frame(recording); // the page takes as much memory as all of them
    return ISO_OK;
}

static void put_series(iso_json* json, const iso_view_frames* frames) {
    static const char* const names[4] = {"kinetic", "potential", "elastic", "total"};
    int count = frames->pieces.count;
    iso_json_begin_array(json, "times");
    for (int i = 0; i < count; ++i) {
        iso_json_put_number(json, NULL, frames->pieces.data[i].time);
    }
    iso_json_end_array(json);
    iso_json_begin_object(json, "energy");
    for (int k = 0; k < 4; ++k) {
        iso_json_begin_array(json, names[k]);
        for (int i = 0; i < count; ++i) {
            iso_json_put_float(json, NULL, frames->pieces.data[i].energy[k]);
        }
        iso_json_end_array(json);
    }
    iso_json_end_object(json);
}

// What happened: time, kind, and who did it in words.
static iso_status put_events(iso_json* json, iso_recording* recording) {
    const iso_recorded_model* model = iso_recording_model(recording);
    const iso_event* events;
    int count = 0;
    iso_status status = iso_recording_events(recording, &events, &count);
    iso_json_begin_array(json, "events");
    for (int i = 0; i < count; ++i) {
        const iso_event* event = &events[i];
        iso_json_begin_object(json, NULL);
        iso_json_put_number(json, "time", event->time);
        iso_json_put_text(json, "kind", iso_name_of(ISO_NAMES_EVENT_KIND, (int)event->kind));
        iso_json_put_text(json, "name", event->function_name);
        iso_json_put_int(json, "direction", event->direction);
        if (event->body_a >= 0 && event->body_b >= 0) {
            iso_json_put_text(json, "a", model->bodies[event->body_a].name);
            iso_json_put_text(json, "b", model->bodies[event->body_b].name);
        }
        iso_json_end_object(json);
    }
    iso_json_end_array(json);
    return status;
}

static void put_frames(iso_json* json, const iso_view_frames* frames) {
    static const char* const names[ISO_VIEW_BLOCKS] = {"numbers", "polygons"};
    for (int k = 0; k < ISO_VIEW_BLOCKS; ++k) {
        iso_json_begin_array(json, names[k]);
        for (int i = 0; i < frames->pieces.count; ++i) {
            const iso_view_piece* piece = &frames->pieces.data[i];
            size_t offset = piece->offset + (k == 1 ? piece->sizes[0] : 0);
            iso_json_put_base64(json, NULL, frames->blocks.data + offset, piece->sizes[k]);
        }
        iso_json_end_array(json);
    }
}

// What a user should know of the page, also told to the log.
static void put_notes(iso_json* json, iso_recording* recording, const iso_view_frames* frames,
                      double frame_rate) {
    iso_context* ctx = iso_recording_context(recording);
    const char* name = iso_recording_name(recording);
    int recorded = iso_recording_frame_count(recording);
    char note[160];
    iso_json_begin_array(json, "notes");
    if (!iso_recording_is_complete(recording)) {
        snprintf(note, sizeof note, "recording was cut short");
        iso_log(ctx, ISO_LOG_WARNING, "%s: %s", name, note);
        iso_json_put_text(json, NULL, note);
    }
    if (frames->offered_count < recorded) {
        snprintf(note, sizeof note, "%d of %d frames, at most %g per second", frames->offered_count,
                 recorded, frame_rate);
        iso_log(ctx, ISO_LOG_INFO, "%s: %s", name, note);
        iso_json_put_text(json, NULL, note);
    }
    if (frames->stride > 1) {
        snprintf(note, sizeof note, "one in %d of these, to stay below %.3g MB", frames->stride,
                 1e-6 * (double)frames->size_limit);
        iso_log(ctx, ISO_LOG_WARNING, "%s: page holds %d of %d frames, %s", name,
                frames->pieces.count, recorded, note);
        iso_json_put_text(json, NULL, note);
    }
    iso_json_end_array(json);
}

static iso_status write_page(iso_recording* recording, const iso_view_frames* frames,
                             double frame_rate, const char* html, const char* token,
                             size_t html_size, const char* path) {
    iso_context* ctx = iso_recording_context(recording);
    const iso_recorded_model* model = iso_recording_model(recording);
    iso_bytes page = iso_bytes_make(ctx);
    iso_file_writer file = {0};
    iso_status status = ISO_OK;
    const char* tail = token + strlen(DATA_TOKEN);
    iso_bytes_put(&page, html, (size_t)(token - html));
    iso_json json = iso_json_make(&page);
    iso_json_begin_object(&json, NULL);
    iso_json_put_text(&json, "format", "isobar-view-2");
    iso_json_put_text(&json, "scene", model->scene_name);
    put_notes(&json, recording, frames, frame_rate);
    iso_view_put_model(&json, model);
    iso_view_put_sensors(&json, model);
    iso_view_put_pairs(&json, model, &frames->pairs);
    put_series(&json, frames);
    ISO_TRY(put_events(&json, recording));
    put_frames(&json, frames);
    iso_json_end_object(&json);
    iso_bytes_put(&page, tail, html_size - (size_t)(tail - html));
    ISO_TRY(iso_bytes_status(&page));
    ISO_TRY(iso_file_writer_open(ctx, path, &file));
    ISO_TRY(iso_export_file_put(ctx, &file, &page));
    ISO_TRY(iso_file_writer_commit(ctx, &file));

done:
    iso_file_writer_abort(ctx, &file);
    iso_bytes_free(&page);
    return status;
}

iso_status iso_recording_write_view(iso_recording* recording, const char* html_template,
                                    size_t html_size, const char* path, const iso_view_desc* desc) {
    iso_context* ctx = iso_recording_context(recording);
    ISO_REQUIRE(ctx, recording && html_template && path, ISO_ERR_ARGUMENT,
                "recording, html_template and path are required");
    iso_view_desc chosen = desc ? *desc : iso_view_desc_default();
    ISO_REQUIRE(ctx, isfinite(chosen.frame_rate) && chosen.frame_rate > 0.0, ISO_ERR_RANGE,
                "frame_rate is %g Hz, expected finite and > 0", chosen.frame_rate);
    const char* token = find_token(html_template, html_size);
    ISO_REQUIRE(ctx, token, ISO_ERR_ARGUMENT,
                "the viewer's page of %zu bytes does not hold the token %s exactly once", html_size,
                DATA_TOKEN);
    iso_view_frames frames = iso_view_frames_make(ctx, chosen.size_limit);
    iso_status status = iso_recording_require_frames(recording);
    if (status == ISO_OK) {
        status = collect_frames(recording, &chosen, &frames);
    }
    if (status == ISO_OK) {
        status = write_page(recording, &frames, chosen.frame_rate, html_template, token, html_size,
                            path);
    }
    iso_view_frames_free(&frames);
    return status;
}
