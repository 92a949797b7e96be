// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/events.h"
#include "isobar/record.h"
#include "record/json/bytes.h"

#define ISO_RECORDING_FORMAT "isobar-recording-1"

// Messages of the channels of docs/recording.md, as JSON text appended to out.

void iso_encode_model(iso_bytes* out, const iso_recorded_model* model);
void iso_encode_state(iso_bytes* out, const iso_recorded_model* model,
                      const iso_recorded_frame* frame);
/// @param with_faces  the faces too, where the contacts have them
void iso_encode_contacts(iso_bytes* out, const iso_recorded_frame* frame, bool with_faces);
void iso_encode_sensors(iso_bytes* out, const iso_recorded_model* model,
                        const iso_recorded_frame* frame);
/// Events, one after the other with commas between; iso_encode_events() makes a message of that.
void iso_encode_event(iso_bytes* out, const iso_event* event);
void iso_encode_events(iso_bytes* out, const char* events, size_t size);
void iso_encode_energy(iso_bytes* out, const iso_recorded_frame* frame);
