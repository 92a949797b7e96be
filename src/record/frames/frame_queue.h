// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/arena.h"
#include "isobar/events.h"
#include "record/frames/frame_writer.h"

/// Hands frames to a frame writer, which encodes, compresses and writes them in a thread of its
/// own: in the order given, so the bytes are those of a writer called at once. At most eight frames
/// wait; then whoever brings one waits too. One thread at a time brings frames.
typedef struct iso_frame_queue iso_frame_queue;

/// @param writer         owned from here on, also on failure
/// @param in_background  false, or no thread to be had: the writer is called at once
/// @return ISO_ERR_MEMORY
iso_status iso_frame_queue_open(iso_context* ctx, iso_frame_writer* writer, bool in_background,
                                iso_frame_queue** out_queue);

/// Whether frames are written later, when the world has moved on.
bool iso_frame_queue_has_thread(const iso_frame_queue* queue);

/// Note the hash of a state; it goes with the next frame, or with the end.
iso_status iso_frame_queue_note(iso_frame_queue* queue, int64_t step_count, uint64_t state_hash);

/// Note an event of the last step; the same.
iso_status iso_frame_queue_tell(iso_frame_queue* queue, const iso_event* event);

/// An empty arena for what the next frame points to; waits for one.
/// @return the first failure of the writer; ISO_ERR_ARGUMENT in a process forked off
iso_status iso_frame_queue_begin(iso_frame_queue* queue, iso_arena** out_arena);

/// Hand over the frame that was begun. All it points to is in its arena, or outlives the queue.
/// @return as iso_frame_queue_begin()
iso_status iso_frame_queue_put(iso_frame_queue* queue, const iso_recorded_frame* frame);

/// Whether the writer has met its size limit, as far as is known by now.
bool iso_frame_queue_is_full(const iso_frame_queue* queue);

/// Frames kept, once all that wait are written.
int iso_frame_queue_count(iso_frame_queue* queue);

/// Write what waits, finish the file, release queue and writer; NULL is allowed. In a process
/// forked off nothing is written.
/// @return the first failure
iso_status iso_frame_queue_close(iso_frame_queue* queue);
