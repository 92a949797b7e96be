// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/core/text.h"
#include "isobar/record.h"
#include "isobar/state.h"
#include "record/export/export_vtk.h"
#include "record/frames/frame_writer.h"
#include "record/frames/snapshot.h"

struct iso_recorder {
    iso_context* ctx;
    iso_arena model_arena;
    iso_arena frame_arena;
    iso_recorded_model model;
    iso_frame_writer* writer;
    const iso_sensors* sensors; ///< NULL: none
    bool with_exact_energy;
    iso_status status; ///< the first failure
};

static void release(iso_recorder* recorder) {
    iso_arena_destroy(&recorder->model_arena);
    iso_arena_destroy(&recorder->frame_arena);
    iso_free(recorder->ctx, recorder);
}

static iso_status check_text(iso_context* ctx, const char* what, const char* text) {
    ISO_REQUIRE(ctx, !text || iso_text_is_utf8(text), ISO_ERR_ARGUMENT,
                "%s '%s' is not UTF-8, expected one that a recording can keep", what, text);
    return ISO_OK;
}

// JSON must hold what `isobar replay` reads the scene by, to the byte.
static iso_status check_texts(iso_context* ctx, const iso_recorder_desc* desc) {
    const iso_scene_options* options = desc->scene_options;
    iso_status status = ISO_OK;
    ISO_TRY(check_text(ctx, "scene's name", desc->scene_name));
    ISO_TRY(check_text(ctx, "scene's path", desc->scene_path));
    for (int i = 0; options && i < options->setting_count; ++i) {
        ISO_TRY(check_text(ctx, "setting", options->settings[i]));
    }
    for (int i = 0; options && i < options->package_count; ++i) {
        ISO_TRY(check_text(ctx, "package's name", options->packages[i].name));
        ISO_TRY(check_text(ctx, "package's folder", options->packages[i].directory));
    }

done:
    return status;
}

// Where the world starts and where it came from.
static iso_status describe_origin(iso_recorder* recorder, const iso_world* world,
                                  const iso_recorder_desc* desc) {
    iso_recorded_model* model = &recorder->model;
    size_t size = iso_world_state_size(world);
    void* state = iso_arena_push(&recorder->model_arena, size);
    ISO_REQUIRE(recorder->ctx, state, ISO_ERR_MEMORY, "state of %zu bytes", size);
    model->scene_path = desc->scene_path ? desc->scene_path : "";
    if (desc->scene_options) {
        model->scene_options = *desc->scene_options;
    }
    model->state = state;
    return iso_world_save(world, state, size, &model->state_size);
}

iso_status iso_recorder_create(iso_context* ctx, const char* path, const iso_world* world,
                               const iso_recorder_desc* desc, iso_recorder** out_recorder) {
    ISO_REQUIRE(ctx, path && world && out_recorder, ISO_ERR_ARGUMENT,
                "path, world and out_recorder are required");
    *out_recorder = NULL;
    iso_recorder_desc chosen = desc ? *desc : iso_recorder_desc_default();
    const char* scene_name = chosen.scene_name ? chosen.scene_name : "";
    iso_status status = check_texts(ctx, &chosen);
    if (status != ISO_OK) {
        return status;
    }
    iso_recorder* recorder = iso_alloc_zeroed(ctx, sizeof *recorder);
    ISO_REQUIRE(ctx, recorder, ISO_ERR_MEMORY, "recorder");
    recorder->ctx = ctx;

    ISO_TRY(iso_arena_init(&recorder->model_arena, ctx, 0));
    ISO_TRY(iso_arena_init(&recorder->frame_arena, ctx, 0));
    ISO_TRY(iso_world_describe(&recorder->model_arena, world, scene_name, &recorder->model));
    ISO_TRY(describe_origin(recorder, world, &chosen));
    recorder->sensors = chosen.sensors;
    recorder->with_exact_energy = chosen.exact_energy;
    ISO_TRY(iso_sensors_describe(&recorder->model_arena, world, chosen.sensors, &recorder->model));
    ISO_TRY(iso_frame_writer_open(ctx, path, &chosen, &recorder->model, &recorder->writer));
    *out_recorder = recorder;

done:
    if (status != ISO_OK) {
        release(recorder);
    }
    return status;
}

static iso_status put_frame(iso_recorder* recorder, const iso_world* world) {
    iso_status status = ISO_OK;
    iso_recorded_frame frame;
    ISO_TRY(iso_arena_reset(&recorder->frame_arena));
    ISO_TRY(iso_world_snapshot(&recorder->frame_arena, world, recorder->with_exact_energy, &frame));
    ISO_TRY(
        iso_sensors_snapshot(&recorder->frame_arena, recorder->sensors, &recorder->model, &frame));
    ISO_TRY(iso_frame_writer_put(recorder->writer, &frame));
done:
    return status;
}

iso_status iso_recorder_record_within(iso_recorder* recorder, const iso_world* clone) {
    ISO_REQUIRE(recorder ? recorder->ctx : NULL, recorder && clone, ISO_ERR_ARGUMENT,
                "recorder and clone are required");
    if (recorder->status == ISO_OK) {
        recorder->status = put_frame(recorder, clone);
    }
    return recorder->status;
}

double iso_recorder_next_time(const iso_recorder* recorder) {
    return iso_frame_writer_next_time(recorder->writer);
}

iso_status iso_recorder_record(iso_recorder* recorder, const iso_world* world) {
    ISO_REQUIRE(recorder ? recorder->ctx : NULL, recorder && world, ISO_ERR_ARGUMENT,
                "recorder and world are required");
    if (recorder->status != ISO_OK) {
        return recorder->status;
    }
    iso_status status = ISO_OK;
    ISO_TRY(iso_frame_writer_note(recorder->writer, iso_world_step_count(world),
                                  iso_world_state_hash(world)));
    if (!iso_frame_writer_is_due(recorder->writer, iso_world_time(world))) {
        return ISO_OK;
    }
    ISO_TRY(put_frame(recorder, world));

done:
    recorder->status = status;
    return status;
}

bool iso_recorder_is_due(const iso_recorder* recorder, const iso_world* world) {
    return recorder && world && iso_frame_writer_is_due(recorder->writer, iso_world_time(world));
}

int iso_recorder_frame_count(const iso_recorder* recorder) {
    return iso_frame_writer_count(recorder->writer);
}

iso_status iso_recorder_close(iso_recorder* recorder) {
    if (!recorder) {
        return ISO_OK;
    }
    iso_status status = recorder->status;
    iso_status closed = iso_frame_writer_close(recorder->writer);
    release(recorder);
    return status != ISO_OK ? status : closed;
}

iso_status iso_contacts_export_vtk(const iso_world* world, const char* directory) {
    if (!world) {
        return ISO_ERR_ARGUMENT;
    }
    iso_context* ctx = iso_world_context(world);
    ISO_REQUIRE(ctx, directory, ISO_ERR_ARGUMENT, "directory is required");
    iso_arena arena;
    iso_recorded_model model;
    iso_recorded_frame frame;
    iso_status status = iso_arena_init(&arena, ctx, 0);
    if (status != ISO_OK) {
        return status;
    }
    ISO_TRY(iso_world_describe(&arena, world, "", &model));
    ISO_TRY(iso_world_snapshot(&arena, world, false, &frame));
    ISO_TRY(iso_frame_export_vtk(ctx, &model, &frame, directory));

done:
    iso_arena_destroy(&arena);
    return status;
}
