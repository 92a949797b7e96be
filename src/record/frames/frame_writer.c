// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "record/frames/frame_writer.h"

#include "base/core/alloc.h"
#include "base/core/array.h"
#include "base/core/fail.h"
#include "base/core/log.h"
#include "base/system/clock.h"
#include "base/system/path.h"
#include "record/frames/encode.h"
#include "record/frames/foxglove.h"
#include "record/frames/origin.h"
#include "record/frames/schemas.h"
#include "record/mcap/mcap_writer.h"
#include "record/proto/contacts.h"

#include <stdio.h>
#include <string.h>

/// A message in the buffer.
typedef struct iso_staged {
    iso_channel channel;
    size_t end; ///< of its bytes, which begin where those of the one before end
} iso_staged;

// How far a step's time may miss the grid of frames, in frames.
#define GRID_SLACK 1e-6

struct iso_frame_writer {
    iso_context* ctx;
    iso_recorder_desc desc;
    const iso_recorded_model* model;
    iso_mcap_writer* mcap;
    int channels[ISO_CHANNEL_COUNT];
    iso_bytes buffer;
    iso_bytes indices;                    ///< of triangles in the making
    ISO_ARRAY(iso_recorded_hash) hashes;  ///< not yet written
    iso_bytes events;                     ///< the same, as iso_encode_event() wrote them
    iso_staged staged[ISO_CHANNEL_COUNT]; ///< messages of the frame in the making, in `buffer`
    int staged_count;
    bool is_started; ///< the model's chunk is written
    bool has_events; ///< their channel is there
    bool is_full;    ///< the size limit is reached: nothing is put any more
    int frame_count;
    double last_time;    ///< of the last frame
    double top_pressure; ///< largest so far: the top of Foxglove's colours
    double flushed_at;   ///< wall clock [s]
};

iso_recorder_desc iso_recorder_desc_default(void) {
    return (iso_recorder_desc){
        .frame_rate = 60.0,
        .with_faces = true,
        .with_foxglove = true,
        .flush_interval = 0.25,
        .chunk_size = 4 << 20,
        .in_background = true,
    };
}

// Simulated time on the file's clock.
static uint64_t log_time(double time) {
    return time > 0.0 ? (uint64_t)llround(time * 1e9) : 0;
}

static iso_status put_message(iso_frame_writer* writer, iso_channel channel, double time,
                              const char* data, size_t size) {
    return iso_mcap_writer_put(writer->mcap, writer->channels[channel],
                               (uint32_t)writer->frame_count, log_time(time), data, size);
}

static iso_status put_buffer(iso_frame_writer* writer, iso_channel channel, double time) {
    iso_status status = iso_bytes_status(&writer->buffer);
    if (status == ISO_OK) {
        status = put_message(writer, channel, time, writer->buffer.data, writer->buffer.size);
    }
    iso_bytes_clear(&writer->buffer);
    return status;
}

// What was encoded since the last call is a message of this channel.
static void stage(iso_frame_writer* writer, iso_channel channel) {
    writer->staged[writer->staged_count++] = (iso_staged){channel, writer->buffer.size};
}

// Would the file grow beyond its limit? What is not compressed yet is taken as it is.
static bool exceeds_limit(const iso_frame_writer* writer) {
    double limit = writer->desc.size_limit;
    return limit > 0.0 && (double)iso_mcap_writer_bound(writer->mcap, writer->staged_count,
                                                        writer->buffer.size) > limit;
}

// Put all staged messages, or, where the file would grow beyond its limit, none from now on.
static iso_status put_staged(iso_frame_writer* writer, double time) {
    iso_status status = iso_bytes_status(&writer->buffer);
    double limit = writer->desc.size_limit;
    if (status == ISO_OK && exceeds_limit(writer) && iso_mcap_writer_pending(writer->mcap) > 0) {
        status = iso_mcap_writer_flush(writer->mcap); // earlier frames count as they are stored
    }
    if (status == ISO_OK && exceeds_limit(writer)) {
        writer->is_full = true;
        iso_log(writer->ctx, ISO_LOG_WARNING,
                "the recording reaches its limit of %.4g MB at t = %g s: no more frames are kept",
                1e-6 * limit, time);
    }
    size_t start = 0;
    for (int i = 0; status == ISO_OK && !writer->is_full && i < writer->staged_count; ++i) {
        size_t end = writer->staged[i].end;
        status = put_message(writer, writer->staged[i].channel, time, writer->buffer.data + start,
                             end - start);
        start = end;
    }
    writer->staged_count = 0;
    iso_bytes_clear(&writer->buffer);
    return status;
}

static iso_status check_desc(iso_context* ctx, const iso_recorder_desc* desc) {
    ISO_REQUIRE(ctx, isfinite(desc->frame_rate) && desc->frame_rate >= 0.0, ISO_ERR_RANGE,
                "frame_rate is %g Hz, expected finite and >= 0", desc->frame_rate);
    ISO_REQUIRE(ctx, isfinite(desc->flush_interval) && desc->flush_interval >= 0.0, ISO_ERR_RANGE,
                "flush_interval is %g s, expected finite and >= 0", desc->flush_interval);
    ISO_REQUIRE(ctx, desc->size_limit >= 0.0 && isfinite(desc->size_limit), ISO_ERR_RANGE,
                "size_limit is %g bytes, expected finite and >= 0", desc->size_limit);
    ISO_REQUIRE(ctx, desc->chunk_size > 0, ISO_ERR_RANGE, "chunk_size is %d bytes, expected > 0",
                desc->chunk_size);
    return ISO_OK;
}

// Messages of a channel that knows both are in Protocol Buffers, unless JSON is asked for.
static bool is_protobuf(const iso_frame_writer* writer, const iso_channel_schema* schema) {
    return schema->put_schema && !(writer->desc.json_contacts && schema->text);
}

static iso_status add_channel(iso_frame_writer* writer, iso_channel channel) {
    iso_channel_schema known = iso_channel_schema_of(channel);
    iso_mcap_schema schema = {.name = known.name, .is_protobuf = is_protobuf(writer, &known)};
    if (schema.is_protobuf) {
        known.put_schema(&writer->buffer);
    } else {
        iso_bytes_put(&writer->buffer, known.text, strlen(known.text));
    }
    schema.data = writer->buffer.data;
    schema.size = writer->buffer.size;
    iso_status status = iso_bytes_status(&writer->buffer);
    if (status == ISO_OK) {
        status = iso_mcap_writer_add_channel(writer->mcap, known.topic, &schema,
                                             &writer->channels[channel]);
    }
    iso_bytes_clear(&writer->buffer);
    return status;
}

static iso_status start_file(iso_frame_writer* writer, double time) {
    iso_status status = ISO_OK;
    int count = writer->desc.with_foxglove ? ISO_CHANNEL_COUNT : ISO_CHANNEL_FIRST_FOXGLOVE;
    for (int i = 0; i < count; ++i) {
        if (i == ISO_CHANNEL_EVENTS ||
            (i == ISO_CHANNEL_SENSORS && writer->model->sensor_count == 0)) {
            continue;
        }
        ISO_TRY(add_channel(writer, (iso_channel)i));
    }
    iso_encode_model(&writer->buffer, writer->model);
    ISO_TRY(put_buffer(writer, ISO_CHANNEL_MODEL, time));
    if (writer->desc.with_foxglove) {
        iso_encode_body_scene(&writer->buffer, writer->model);
        ISO_TRY(put_buffer(writer, ISO_CHANNEL_BODY_SCENE, time));
    }
    double limit = writer->desc.size_limit;
    double bound = limit > 0.0 ? (double)iso_mcap_writer_bound(writer->mcap, 0, 0) : 0.0;
    ISO_CHECK(writer->ctx, bound <= limit, ISO_ERR_RANGE,
              "size_limit is %g bytes, expected at least %.0f: the model and its meshes alone",
              limit, bound);
    // Meshes take long to compress: a thread does it while the world moves on.
    if (!iso_recorder_may_wait(&writer->desc)) {
        ISO_TRY(iso_frame_writer_start(writer));
    }

done:
    return status;
}

// A file that was refused is none. Devices stay.
static void remove_file(const char* path) {
    if (iso_path_look(path) == ISO_PATH_FILE) {
        (void)remove(path);
    }
}

iso_status iso_frame_writer_open(iso_context* ctx, const char* path, const iso_recorder_desc* desc,
                                 const iso_recorded_model* model, iso_frame_writer** out_writer) {
    *out_writer = NULL;
    iso_status status = check_desc(ctx, desc);
    if (status != ISO_OK) {
        return status;
    }
    iso_frame_writer* writer = iso_alloc_zeroed(ctx, sizeof *writer);
    ISO_REQUIRE(ctx, writer, ISO_ERR_MEMORY, "%s: recorder", path);
    writer->ctx = ctx;
    writer->desc = *desc;
    writer->model = model;
    writer->buffer = iso_bytes_make(ctx);
    writer->events = iso_bytes_make(ctx);
    writer->indices = iso_bytes_make(ctx);
    writer->flushed_at = iso_clock_seconds();
    ISO_TRY(iso_mcap_writer_open(ctx, path, &writer->mcap));
    ISO_TRY(start_file(writer, 0.0));
    *out_writer = writer;

done:
    if (status != ISO_OK) {
        // The first failure is the one to report.
        bool was_opened = writer->mcap != NULL;
        iso_status closed = iso_frame_writer_close(writer);
        (void)closed;
        if (was_opened) {
            remove_file(path);
        }
    }
    return status;
}

// Whether frames fit, and files that are whole after every frame, are known at once only.
bool iso_recorder_may_wait(const iso_recorder_desc* desc) {
    return desc->in_background && desc->size_limit == 0.0 && desc->flush_interval > 0.0;
}

iso_status iso_frame_writer_start(iso_frame_writer* writer) {
    iso_status status = writer->is_started ? ISO_OK : iso_mcap_writer_flush(writer->mcap);
    writer->is_started = true;
    return status;
}

iso_frame_schedule iso_frame_schedule_make(double rate) {
    return (iso_frame_schedule){rate, -INFINITY};
}

bool iso_frame_schedule_is_due(const iso_frame_schedule* schedule, double time) {
    return time >= schedule->next_time;
}

double iso_frame_schedule_next_time(const iso_frame_schedule* schedule) {
    double rate = schedule->rate;
    return rate > 0.0 ? schedule->next_time + GRID_SLACK / rate : schedule->next_time;
}

// A step's time may miss its grid point by a little.
void iso_frame_schedule_pass(iso_frame_schedule* schedule, double time) {
    double rate = schedule->rate;
    if (rate > 0.0) {
        schedule->next_time = (floor(time * rate + GRID_SLACK) + 1.0 - GRID_SLACK) / rate;
    }
}

bool iso_frame_writer_is_full(const iso_frame_writer* writer) {
    return writer->is_full;
}

iso_status iso_frame_writer_note(iso_frame_writer* writer, int64_t step_count,
                                 uint64_t state_hash) {
    if (writer->is_full) {
        return ISO_OK;
    }
    iso_status status = ISO_ARRAY_GROW(writer->ctx, &writer->hashes);
    if (status == ISO_OK) {
        writer->hashes.data[writer->hashes.count++] = (iso_recorded_hash){step_count, state_hash};
    }
    return status;
}

iso_status iso_frame_writer_tell(iso_frame_writer* writer, const iso_bytes* events) {
    if (writer->is_full || events->size == 0) {
        return iso_bytes_status(events);
    }
    if (!writer->has_events) { // the channel comes with the first one
        iso_status status = add_channel(writer, ISO_CHANNEL_EVENTS);
        if (status != ISO_OK) {
            return status;
        }
        writer->has_events = true;
    }
    if (writer->events.size > 0) {
        iso_bytes_put(&writer->events, ",", 1);
    }
    iso_bytes_put(&writer->events, events->data, events->size);
    return iso_bytes_status(&writer->events);
}

// What was noted since the last frame.
static void stage_noted(iso_frame_writer* writer) {
    if (writer->events.size > 0) {
        iso_encode_events(&writer->buffer, writer->events.data, writer->events.size);
        iso_bytes_clear(&writer->events);
        stage(writer, ISO_CHANNEL_EVENTS);
    }
    if (writer->hashes.count > 0) {
        iso_encode_hashes(&writer->buffer, writer->hashes.data, writer->hashes.count);
        writer->hashes.count = 0;
        stage(writer, ISO_CHANNEL_HASHES);
    }
}

static void stage_frame(iso_frame_writer* writer, const iso_recorded_frame* frame) {
    iso_bytes* out = &writer->buffer;
    iso_encode_state(out, writer->model, frame);
    stage(writer, ISO_CHANNEL_STATE);
    if (writer->desc.json_contacts) {
        iso_encode_contacts(out, frame, writer->desc.with_faces);
    } else {
        iso_contacts_put(out, frame, writer->desc.with_faces);
    }
    stage(writer, ISO_CHANNEL_CONTACTS);
    iso_encode_energy(out, frame);
    stage(writer, ISO_CHANNEL_ENERGY);
    if (writer->model->sensor_count > 0) {
        iso_encode_sensors(out, writer->model, frame);
        stage(writer, ISO_CHANNEL_SENSORS);
    }
    stage_noted(writer);
    if (writer->desc.with_foxglove) {
        for (int i = 0; i < frame->contact_count; ++i) {
            writer->top_pressure =
                fmax(writer->top_pressure, frame->contacts[i].patch.max_pressure);
        }
        iso_encode_transforms(out, writer->model, frame);
        stage(writer, ISO_CHANNEL_TRANSFORMS);
        iso_encode_contact_scene(out, &writer->indices, frame, writer->desc.with_faces,
                                 writer->top_pressure);
        stage(writer, ISO_CHANNEL_CONTACT_SCENE);
    }
}

iso_status iso_frame_writer_put(iso_frame_writer* writer, const iso_recorded_frame* frame) {
    iso_status status = ISO_OK;
    double time = frame->time;
    ISO_TRY(iso_frame_writer_start(writer));
    stage_frame(writer, frame);
    ISO_TRY(put_staged(writer, time));
    if (writer->is_full) {
        return iso_mcap_writer_flush(writer->mcap);
    }
    ++writer->frame_count;
    writer->last_time = time;
    double now = iso_clock_seconds();
    bool is_late = now - writer->flushed_at >= writer->desc.flush_interval;
    if (is_late || iso_mcap_writer_pending(writer->mcap) >= (size_t)writer->desc.chunk_size) {
        ISO_TRY(iso_mcap_writer_flush(writer->mcap));
        writer->flushed_at = now;
    }

done:
    return status;
}

int iso_frame_writer_count(const iso_frame_writer* writer) {
    return writer->frame_count;
}

iso_status iso_frame_writer_close(iso_frame_writer* writer) {
    if (!writer) {
        return ISO_OK;
    }
    iso_status status = ISO_OK;
    if (writer->mcap && (writer->hashes.count > 0 || writer->events.size > 0)) {
        status = iso_frame_writer_start(writer);
        stage_noted(writer);
        iso_status put = put_staged(writer, writer->last_time);
        status = status != ISO_OK ? status : put;
    }
    iso_status closed = iso_mcap_writer_close(writer->mcap);
    status = status != ISO_OK ? status : closed;
    iso_bytes_free(&writer->buffer);
    iso_bytes_free(&writer->events);
    iso_bytes_free(&writer->indices);
    ISO_ARRAY_FREE(writer->ctx, &writer->hashes);
    iso_free(writer->ctx, writer);
    return status;
}
