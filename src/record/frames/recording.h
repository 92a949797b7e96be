// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/record.h"

#include <stdio.h>

/// As iso_recording_open(), from a stream that can seek. Takes the stream, also on failure.
iso_status iso_recording_open_stream(iso_context* ctx, FILE* file, const char* name,
                                     iso_recording** out_recording);

iso_context* iso_recording_context(const iso_recording* recording);
const char* iso_recording_name(const iso_recording* recording);
/// ISO_ERR_PARSE where there is no frame to make something of.
iso_status iso_recording_require_frames(const iso_recording* recording);
/// This many of the frames are taken.
void iso_recording_note_progress(const iso_recording* recording, int done);
/// Give back the memory of the frame that was read last, which ends with this.
void iso_recording_forget_frame(iso_recording* recording);
