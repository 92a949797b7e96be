// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/array.h"
#include "isobar/record.h"
#include "record/json/json_fields.h"
#include "record/json/json_text.h"

// What a recording says so that it can be run again: the scene and the state at its start, and the
// hash of every state.

/// Member "origin" of a model.
void iso_encode_origin(iso_json* json, const iso_recorded_model* model);
/// Nothing when there is none.
iso_status iso_decode_origin(const iso_json_doc* doc, iso_recorded_model* model);

typedef ISO_ARRAY(iso_recorded_hash) iso_recorded_hashes;
void iso_encode_hashes(iso_bytes* out, const iso_recorded_hash* hashes, int count);
/// Appends. The scratch is left as it was.
iso_status iso_decode_hashes(iso_arena* scratch, const char* text, size_t size,
                             iso_recorded_hashes* hashes);
