// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/record.h"
#include "record/json/bytes.h"

/// When frames are due: on a grid of the frame rate, so that round-off in the time does not add up.
typedef struct iso_frame_schedule {
    double rate;      ///< [Hz]; 0: always
    double next_time; ///< of the frame that is due next [s]
} iso_frame_schedule;
iso_frame_schedule iso_frame_schedule_make(double rate);
bool iso_frame_schedule_is_due(const iso_frame_schedule* schedule, double time);
/// On the grid [s].
double iso_frame_schedule_next_time(const iso_frame_schedule* schedule);
/// A frame of this time was kept.
void iso_frame_schedule_pass(iso_frame_schedule* schedule, double time);

/// Whether frames may be written later, by a thread of their own.
bool iso_recorder_may_wait(const iso_recorder_desc* desc);

/// Writes frames to an MCAP file: everything of a recorder that needs no world.
typedef struct iso_frame_writer iso_frame_writer;

/// The model's message is encoded, so its meshes are needed no longer; it is written at once, or,
/// of a recorder that may wait, by iso_frame_writer_start() or with the first frame.
/// @param model  borrowed, must outlive the writer
/// @return as iso_recorder_create()
iso_status iso_frame_writer_open(iso_context* ctx, const char* path, const iso_recorder_desc* desc,
                                 const iso_recorded_model* model, iso_frame_writer** out_writer);

/// Compress and write the model's message, where that was left for later; else nothing is done.
iso_status iso_frame_writer_start(iso_frame_writer* writer);

/// Whether the size limit is reached: nothing is put any more.
bool iso_frame_writer_is_full(const iso_frame_writer* writer);

/// Note the hash of a state; written with the next frame, or at the end.
iso_status iso_frame_writer_note(iso_frame_writer* writer, int64_t step_count, uint64_t state_hash);

/// Note events, as iso_encode_event() wrote them; the same.
iso_status iso_frame_writer_tell(iso_frame_writer* writer, const iso_bytes* events);

/// Write a frame, due or not.
iso_status iso_frame_writer_put(iso_frame_writer* writer, const iso_recorded_frame* frame);
int iso_frame_writer_count(const iso_frame_writer* writer);

/// Finish and release; NULL is allowed.
iso_status iso_frame_writer_close(iso_frame_writer* writer);
