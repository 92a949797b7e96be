// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/arena.h"
#include "base/core/array.h"
#include "isobar/record.h"

// The inverse of encode.h. Everything lives in the arena; texts need not be zero-terminated.
// Errors are ISO_ERR_PARSE with the field, its value and what was expected.

iso_status iso_decode_model(iso_arena* arena, const char* text, size_t size,
                            iso_recorded_model* out_model);
/// Fills time, step count, hash, poses, twists and joints.
iso_status iso_decode_state(iso_arena* arena, const char* text, size_t size,
                            const iso_recorded_model* model, iso_recorded_frame* frame);
/// Fills the contacts.
iso_status iso_decode_contacts(iso_arena* arena, const char* text, size_t size,
                               const iso_recorded_model* model, iso_recorded_frame* frame);
/// Fills the values of sensors.
iso_status iso_decode_sensors(iso_arena* arena, const char* text, size_t size,
                              const iso_recorded_model* model, iso_recorded_frame* frame);
/// Events, one after the other.
typedef ISO_ARRAY(iso_event) iso_recorded_events;
iso_status iso_decode_events(iso_arena* arena, const char* text, size_t size,
                             const iso_recorded_model* model, iso_recorded_events* events);
iso_status iso_decode_energy(iso_arena* arena, const char* text, size_t size,
                             iso_recorded_frame* frame);
