// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/core/text.h"
#include "isobar/record.h"
#include "isobar/state.h"
#include "record/export/export_vtk.h"
#include "record/frames/frame_queue.h"
#include "record/frames/snapshot.h"

struct iso_recorder {
    iso_context* ctx;
    iso_arena model_arena;
    iso_recorded_model model;
    iso_recorder_desc desc;
    iso_frame_queue* queue;
    iso_frame_schedule schedule;
    int64_t told_step; ///< step count of the world whose events were noted last
    iso_status status; ///< the first failure
};

static void release(iso_recorder* recorder) {
    iso_arena_destroy(&recorder->model_arena);
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

static iso_status open_queue(iso_recorder* recorder, const char* path) {
    const iso_recorder_desc* desc = &recorder->desc;
    iso_frame_writer* writer = NULL;
    iso_status status = iso_frame_writer_open(recorder->ctx, path, desc, &recorder->model, &writer);
    if (status != ISO_OK) {
        return status;
    }
    return iso_frame_queue_open(recorder->ctx, writer, iso_recorder_may_wait(desc),
                                &recorder->queue);
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
    ISO_TRY(iso_world_describe(&recorder->model_arena, world, scene_name, &recorder->model));
    ISO_TRY(iso_model_own_names(&recorder->model_arena, &recorder->model));
    ISO_TRY(describe_origin(recorder, world, &chosen));
    recorder->desc = chosen;
    recorder->schedule = iso_frame_schedule_make(chosen.frame_rate);
    recorder->told_step = iso_world_step_count(world); // what happened before is not recorded
    ISO_TRY(iso_sensors_describe(&recorder->model_arena, world, chosen.sensors, &recorder->model));
    ISO_TRY(open_queue(recorder, path));
    *out_recorder = recorder;

done:
    if (status != ISO_OK) {
        release(recorder);
    }
    return status;
}

static iso_status put_frame(iso_recorder* recorder, const iso_world* world) {
    const iso_recorder_desc* desc = &recorder->desc;
    iso_status status = ISO_OK;
    iso_recorded_frame frame;
    iso_arena* arena = NULL;
    ISO_TRY(iso_frame_queue_begin(recorder->queue, &arena));
    ISO_TRY(iso_world_snapshot(arena, world, desc->exact_energy, &frame));
    ISO_TRY(iso_sensors_snapshot(arena, desc->sensors, &recorder->model, &frame));
    if (iso_frame_queue_has_thread(recorder->queue)) {
        ISO_TRY(iso_frame_own_contacts(arena, &recorder->model, desc->with_faces, &frame));
    }
    ISO_TRY(iso_frame_queue_put(recorder->queue, &frame));
    if (!iso_frame_queue_is_full(recorder->queue)) {
        iso_frame_schedule_pass(&recorder->schedule, frame.time);
    }
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
    return iso_frame_queue_is_full(recorder->queue)
               ? INFINITY
               : iso_frame_schedule_next_time(&recorder->schedule);
}

bool iso_recorder_is_due(const iso_recorder* recorder, const iso_world* world) {
    return recorder && world && !iso_frame_queue_is_full(recorder->queue) &&
           iso_frame_schedule_is_due(&recorder->schedule, iso_world_time(world));
}

// Events of the last step, once.
static iso_status tell_events(iso_recorder* recorder, const iso_world* world) {
    int64_t step = iso_world_step_count(world);
    iso_status status = ISO_OK;
    int count = step == recorder->told_step ? 0 : iso_world_event_count(world);
    for (int i = 0; i < count && status == ISO_OK; ++i) {
        iso_event event = iso_world_event(world, i);
        status = iso_frame_queue_tell(recorder->queue, &event);
    }
    recorder->told_step = step;
    return status;
}

iso_status iso_recorder_record(iso_recorder* recorder, const iso_world* world) {
    ISO_REQUIRE(recorder ? recorder->ctx : NULL, recorder && world, ISO_ERR_ARGUMENT,
                "recorder and world are required");
    if (recorder->status != ISO_OK) {
        return recorder->status;
    }
    iso_status status = ISO_OK;
    ISO_TRY(iso_frame_queue_note(recorder->queue, iso_world_step_count(world),
                                 iso_world_state_hash(world)));
    ISO_TRY(tell_events(recorder, world));
    if (iso_recorder_is_due(recorder, world)) {
        ISO_TRY(put_frame(recorder, world));
    }

done:
    recorder->status = status;
    return status;
}

int iso_recorder_frame_count(const iso_recorder* recorder) {
    return iso_frame_queue_count(recorder->queue);
}

iso_status iso_recorder_close(iso_recorder* recorder) {
    if (!recorder) {
        return ISO_OK;
    }
    iso_status status = recorder->status;
    iso_status closed = iso_frame_queue_close(recorder->queue);
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
