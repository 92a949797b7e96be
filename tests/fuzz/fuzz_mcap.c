// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Any bytes as a recording: opening and reading it must give a status, whatever they are.

#include "isobar/record.h"
#include "record/frames/recording.h"

#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void drop_message(void* user, iso_log_level level, const char* message) {
    (void)user;
    (void)level;
    (void)message;
}

static void read_everything(iso_recording* recording) {
    int count = iso_recording_frame_count(recording);
    for (int i = 0; i < count; ++i) {
        const iso_recorded_frame* frame;
        if (iso_recording_read(recording, i, &frame) != ISO_OK) {
            continue;
        }
        // Every vertex that the offsets promise must be there.
        double sum = 0.0;
        for (int k = 0; k < frame->contact_count; ++k) {
            const iso_patch* patch = &frame->contacts[k].patch;
            int vertex_count = patch->face_offsets ? patch->face_offsets[patch->face_count] : 0;
            for (int v = 0; v < vertex_count; ++v) {
                sum += patch->vertices[v].z * patch->vertex_pressures[v];
            }
        }
        volatile double kept = sum; // so that no read is optimised away
        (void)kept;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    iso_context* ctx;
    iso_recording* recording;
    iso_context_desc desc = iso_context_desc_default();
    desc.log_fn = drop_message;
    if (size == 0 || iso_context_create(&desc, &ctx) != ISO_OK) {
        return 0;
    }
    FILE* file = fmemopen((void*)(uintptr_t)data, size, "rb");
    if (file && iso_recording_open_stream(ctx, file, "fuzz", &recording) == ISO_OK) {
        read_everything(recording);
        iso_recording_close(recording);
    }
    iso_context_destroy(ctx);
    return 0;
}
