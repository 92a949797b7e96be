// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/record.h"

/// Writes frames to an MCAP file: everything of a recorder that needs no world.
typedef struct iso_frame_writer iso_frame_writer;

/// @param model  borrowed, must outlive the writer
/// @return as iso_recorder_create()
iso_status iso_frame_writer_open(iso_context* ctx, const char* path, const iso_recorder_desc* desc,
                                 const iso_recorded_model* model, iso_frame_writer** out_writer);

/// When the frame rate asks for the next frame [s]; INFINITY: the size limit is reached.
double iso_frame_writer_next_time(const iso_frame_writer* writer);

/// True when the frame rate asks for a frame at this time [s].
bool iso_frame_writer_is_due(const iso_frame_writer* writer, double time);

/// Note the hash of a state; written with the next frame, or at the end.
iso_status iso_frame_writer_note(iso_frame_writer* writer, int64_t step_count, uint64_t state_hash);

/// Write a frame, due or not.
iso_status iso_frame_writer_put(iso_frame_writer* writer, const iso_recorded_frame* frame);
int iso_frame_writer_count(const iso_frame_writer* writer);

/// Finish and release; NULL is allowed.
iso_status iso_frame_writer_close(iso_frame_writer* writer);
