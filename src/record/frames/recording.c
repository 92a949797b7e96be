// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "record/frames/recording.h"

#include "base/core/arena.h"
#include "base/core/array.h"
#include "record/frames/decode.h"
#include "record/frames/origin.h"
#include "record/frames/schemas.h"
#include "record/mcap/mcap_reader.h"
#include "record/proto/contacts.h"

#include <string.h>

// Messages of one frame, as indices into the reader's.
typedef struct frame_entry {
    int state, contacts, energy;
    int sensors; ///< -1: none
} frame_entry;

struct iso_recording {
    iso_context* ctx;
    iso_mcap_reader* reader;
    iso_arena model_arena;
    iso_arena frame_arena;
    iso_recorded_model model;
    iso_recorded_frame frame;
    ISO_ARRAY(frame_entry) frames;
    iso_recorded_hashes hashes;
    iso_recorded_events events;
    bool has_hashes;  ///< they were read
    bool has_events;  ///< the same
    bool is_protobuf; ///< contacts; else JSON
    iso_recording_progress progress;
    void* progress_user;
};

typedef struct channel_set {
    int model, state, contacts, energy;
    int sensors;      ///< -1: none
    bool is_protobuf; ///< contacts; else JSON
} channel_set;

static iso_status find_channels(const iso_recording* recording, channel_set* out) {
    *out = (channel_set){.sensors = -1};
    int* found[] = {&out->model, &out->state, &out->contacts, &out->energy};
    for (int i = 0; i < 4; ++i) {
        const char* topic = iso_channel_schema_of((iso_channel)i).topic;
        int channel = iso_mcap_reader_find(recording->reader, topic);
        ISO_REQUIRE(recording->ctx, channel >= 0, ISO_ERR_PARSE,
                    "%s: has no channel %s: not an Isobar recording, or cut before its first chunk",
                    iso_mcap_reader_name(recording->reader), topic);
        const char* encoding = iso_mcap_reader_encoding(recording->reader, channel);
        bool is_protobuf = i == ISO_CHANNEL_CONTACTS && strcmp(encoding, "protobuf") == 0;
        ISO_REQUIRE(recording->ctx, is_protobuf || strcmp(encoding, "json") == 0,
                    ISO_ERR_UNSUPPORTED,
                    "%s: channel %s is encoded as \"%.16s\", expected \"json\"%s",
                    iso_mcap_reader_name(recording->reader), topic, encoding,
                    i == ISO_CHANNEL_CONTACTS ? " or \"protobuf\"" : "");
        out->is_protobuf = is_protobuf || (i != ISO_CHANNEL_CONTACTS && out->is_protobuf);
        *found[i] = channel;
    }
    out->sensors =
        iso_mcap_reader_find(recording->reader, iso_channel_schema_of(ISO_CHANNEL_SENSORS).topic);
    return ISO_OK;
}

static iso_status read_message(iso_recording* recording, int index, const char** out_text,
                               size_t* out_size) {
    const iso_mcap_message* message = iso_mcap_reader_message(recording->reader, index);
    *out_size = (size_t)message->size;
    return iso_mcap_reader_read(recording->reader, message, out_text);
}

static iso_status prefix_error(const iso_recording* recording, iso_status status, int index) {
    const iso_mcap_message* message = iso_mcap_reader_message(recording->reader, index);
    return iso_fail_prefix(recording->ctx, status, "%s: %s at %.9g s",
                           iso_mcap_reader_name(recording->reader),
                           iso_mcap_reader_topic(recording->reader, message->channel),
                           1e-9 * (double)message->log_time);
}

// The first model message counts.
static iso_status load_model(iso_recording* recording, int channel) {
    int count = iso_mcap_reader_message_count(recording->reader);
    for (int i = 0; i < count; ++i) {
        if (iso_mcap_reader_message(recording->reader, i)->channel == channel) {
            const char* text;
            size_t size;
            iso_status status = read_message(recording, i, &text, &size);
            if (status != ISO_OK) {
                return status;
            }
            status = iso_decode_model(&recording->model_arena, text, size, &recording->model);
            return status == ISO_OK ? ISO_OK : prefix_error(recording, status, i);
        }
    }
    return iso_fail(recording->ctx, ISO_ERR_PARSE, __func__,
                    "%s: holds no model: cut before its first chunk",
                    iso_mcap_reader_name(recording->reader));
}

// State, contacts and energy of one frame carry the same sequence number and follow each other;
// a frame without all three was not finished.
static iso_status index_frames(iso_recording* recording, const channel_set* channels) {
    int count = iso_mcap_reader_message_count(recording->reader);
    frame_entry open = {-1, -1, -1, -1};
    uint32_t sequence = 0;
    for (int i = 0; i < count; ++i) {
        const iso_mcap_message* message = iso_mcap_reader_message(recording->reader, i);
        if (message->channel == channels->state) {
            open = (frame_entry){i, -1, -1, -1};
            sequence = message->sequence;
            continue;
        }
        if (message->channel == channels->sensors && recording->frames.count > 0 &&
            message->sequence == sequence) {
            recording->frames.data[recording->frames.count - 1].sensors = i;
        }
        if (open.state < 0 || message->sequence != sequence) {
            continue;
        }
        if (message->channel == channels->contacts) {
            open.contacts = i;
        } else if (message->channel == channels->energy) {
            open.energy = i;
        }
        if (open.contacts >= 0 && open.energy >= 0) {
            iso_status status = ISO_ARRAY_GROW(recording->ctx, &recording->frames);
            if (status != ISO_OK) {
                return status;
            }
            recording->frames.data[recording->frames.count++] = open;
            open.state = -1;
        }
    }
    return ISO_OK;
}

// Takes the reader, also on failure.
static iso_status open_reader(iso_context* ctx, iso_mcap_reader* reader,
                              iso_recording** out_recording) {
    iso_status status = ISO_OK;
    channel_set channels;
    iso_recording* recording = iso_alloc_zeroed(ctx, sizeof *recording);
    if (!recording) {
        iso_mcap_reader_close(reader);
        return iso_fail(ctx, ISO_ERR_MEMORY, __func__, "recording");
    }
    recording->ctx = ctx;
    recording->reader = reader;
    ISO_TRY(iso_arena_init(&recording->model_arena, ctx, 0));
    ISO_TRY(iso_arena_init(&recording->frame_arena, ctx, 0));
    ISO_TRY(find_channels(recording, &channels));
    recording->is_protobuf = channels.is_protobuf;
    ISO_TRY(load_model(recording, channels.model));
    ISO_TRY(index_frames(recording, &channels));
    *out_recording = recording;

done:
    if (status != ISO_OK) {
        iso_recording_close(recording);
    }
    return status;
}

iso_status iso_recording_open_stream(iso_context* ctx, FILE* file, const char* name,
                                     iso_recording** out_recording) {
    iso_mcap_reader* reader;
    *out_recording = NULL;
    iso_status status = iso_mcap_reader_open_stream(ctx, file, name, &reader);
    return status == ISO_OK ? open_reader(ctx, reader, out_recording) : status;
}

iso_status iso_recording_open(iso_context* ctx, const char* path, iso_recording** out_recording) {
    ISO_REQUIRE(ctx, path && out_recording, ISO_ERR_ARGUMENT,
                "path and out_recording are required");
    iso_mcap_reader* reader;
    *out_recording = NULL;
    iso_status status = iso_mcap_reader_open(ctx, path, &reader);
    return status == ISO_OK ? open_reader(ctx, reader, out_recording) : status;
}

void iso_recording_close(iso_recording* recording) {
    if (!recording) {
        return;
    }
    iso_mcap_reader_close(recording->reader);
    iso_arena_destroy(&recording->model_arena);
    iso_arena_destroy(&recording->frame_arena);
    ISO_ARRAY_FREE(recording->ctx, &recording->frames);
    ISO_ARRAY_FREE(recording->ctx, &recording->hashes);
    ISO_ARRAY_FREE(recording->ctx, &recording->events);
    iso_free(recording->ctx, recording);
}

bool iso_recording_is_complete(const iso_recording* recording) {
    return iso_mcap_reader_is_complete(recording->reader);
}

const iso_recorded_model* iso_recording_model(const iso_recording* recording) {
    return &recording->model;
}

int iso_recording_frame_count(const iso_recording* recording) {
    return recording->frames.count;
}

double iso_recording_frame_time(const iso_recording* recording, int frame) {
    if (frame < 0 || frame >= recording->frames.count) {
        return 0.0;
    }
    int state = recording->frames.data[frame].state;
    return 1e-9 * (double)iso_mcap_reader_message(recording->reader, state)->log_time;
}

iso_context* iso_recording_context(const iso_recording* recording) {
    return recording ? recording->ctx : NULL;
}

const char* iso_recording_name(const iso_recording* recording) {
    return iso_mcap_reader_name(recording->reader);
}

iso_status iso_recording_require_frames(const iso_recording* recording) {
    ISO_REQUIRE(recording->ctx, recording->frames.count > 0, ISO_ERR_PARSE, "%s: holds no frames%s",
                iso_recording_name(recording),
                iso_recording_is_complete(recording) ? "" : ": cut before the first was written");
    return ISO_OK;
}

void iso_recording_set_progress(iso_recording* recording, iso_recording_progress progress,
                                void* user) {
    if (recording) {
        recording->progress = progress;
        recording->progress_user = user;
    }
}

void iso_recording_note_progress(const iso_recording* recording, int done) {
    if (recording->progress) {
        recording->progress(recording->progress_user, done, recording->frames.count);
    }
}

// All messages of a channel whose content goes to the lists: hashes or events.
static iso_status load_all(iso_recording* recording, iso_channel kind) {
    const char* topic = iso_channel_schema_of(kind).topic;
    int channel = iso_mcap_reader_find(recording->reader, topic);
    int count = iso_mcap_reader_message_count(recording->reader);
    for (int i = 0; i < count; ++i) {
        if (channel < 0 || iso_mcap_reader_message(recording->reader, i)->channel != channel) {
            continue;
        }
        const char* text;
        size_t size;
        iso_status status = read_message(recording, i, &text, &size);
        if (status != ISO_OK) {
            return status;
        }
        status = kind == ISO_CHANNEL_HASHES
                     ? iso_decode_hashes(&recording->frame_arena, text, size, &recording->hashes)
                     : iso_decode_events(&recording->model_arena, text, size, &recording->model,
                                         &recording->events);
        if (status != ISO_OK) {
            return prefix_error(recording, status, i);
        }
    }
    return ISO_OK;
}

iso_status iso_recording_hashes(iso_recording* recording, const iso_recorded_hash** out_hashes,
                                int* out_count) {
    ISO_REQUIRE(recording ? recording->ctx : NULL, recording && out_hashes && out_count,
                ISO_ERR_ARGUMENT, "recording, out_hashes and out_count are required");
    *out_hashes = NULL;
    *out_count = 0;
    iso_status status = ISO_OK;
    if (!recording->has_hashes) {
        recording->hashes.count = 0;
        status = load_all(recording, ISO_CHANNEL_HASHES);
    }
    if (status == ISO_OK) {
        recording->has_hashes = true;
        *out_hashes = recording->hashes.data;
        *out_count = recording->hashes.count;
    }
    return status;
}

iso_status iso_recording_events(iso_recording* recording, const iso_event** out_events,
                                int* out_count) {
    ISO_REQUIRE(recording ? recording->ctx : NULL, recording && out_events && out_count,
                ISO_ERR_ARGUMENT, "recording, out_events and out_count are required");
    *out_events = NULL;
    *out_count = 0;
    iso_status status = ISO_OK;
    if (!recording->has_events) {
        recording->events.count = 0;
        status = load_all(recording, ISO_CHANNEL_EVENTS);
    }
    if (status == ISO_OK) {
        recording->has_events = true;
        *out_events = recording->events.data;
        *out_count = recording->events.count;
    }
    return status;
}

static iso_status decode_message(iso_recording* recording, int index, iso_channel kind) {
    const char* text;
    size_t size;
    iso_arena* arena = &recording->frame_arena;
    iso_recorded_frame* frame = &recording->frame;
    iso_status status = read_message(recording, index, &text, &size);
    if (status != ISO_OK) {
        return status;
    }
    if (kind == ISO_CHANNEL_STATE) {
        status = iso_decode_state(arena, text, size, &recording->model, frame);
    } else if (kind == ISO_CHANNEL_CONTACTS) {
        status = recording->is_protobuf
                     ? iso_contacts_read(arena, text, size, &recording->model, frame)
                     : iso_decode_contacts(arena, text, size, &recording->model, frame);
    } else if (kind == ISO_CHANNEL_SENSORS) {
        status = iso_decode_sensors(arena, text, size, &recording->model, frame);
    } else {
        status = iso_decode_energy(arena, text, size, frame);
    }
    return status == ISO_OK ? ISO_OK : prefix_error(recording, status, index);
}

iso_status iso_recording_read(iso_recording* recording, int frame,
                              const iso_recorded_frame** out_frame) {
    ISO_REQUIRE(recording ? recording->ctx : NULL, recording && out_frame, ISO_ERR_ARGUMENT,
                "recording and out_frame are required");
    *out_frame = NULL;
    ISO_REQUIRE(recording->ctx, frame >= 0 && frame < recording->frames.count, ISO_ERR_RANGE,
                "frame is %d, expected 0 to %d", frame, recording->frames.count - 1);
    iso_status status = ISO_OK;
    const frame_entry* entry = &recording->frames.data[frame];
    recording->frame = (iso_recorded_frame){0};
    ISO_TRY(iso_arena_reset(&recording->frame_arena));
    ISO_TRY(decode_message(recording, entry->state, ISO_CHANNEL_STATE));
    ISO_TRY(decode_message(recording, entry->contacts, ISO_CHANNEL_CONTACTS));
    ISO_TRY(decode_message(recording, entry->energy, ISO_CHANNEL_ENERGY));
    if (entry->sensors >= 0) {
        ISO_TRY(decode_message(recording, entry->sensors, ISO_CHANNEL_SENSORS));
    }
    *out_frame = &recording->frame;

done:
    return status;
}

void iso_recording_forget_frame(iso_recording* recording) {
    recording->frame = (iso_recorded_frame){0};
    iso_arena_destroy(&recording->frame_arena);
}
