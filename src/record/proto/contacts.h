// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/arena.h"
#include "isobar/record.h"
#include "record/json/bytes.h"

// Contacts as a message of Protocol Buffers, isobar.Contacts: fields of the same names as in the
// JSON of frames/encode.h.

/// The schema of the message.
void iso_contacts_put_schema(iso_bytes* out);

/// @param with_faces  the faces too, where the contacts have them
void iso_contacts_put(iso_bytes* out, const iso_recorded_frame* frame, bool with_faces);

/// The inverse, into the arena. ISO_ERR_PARSE says which field is wrong.
iso_status iso_contacts_read(iso_arena* arena, const char* data, size_t size,
                             const iso_recorded_model* model, iso_recorded_frame* frame);
