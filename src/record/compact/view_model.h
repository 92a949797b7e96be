// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/record.h"
#include "record/compact/pairs.h"
#include "record/json/json_text.h"

// What the viewer is told of a model before its frames, as members of the object that is open:
// docs/recording.md, "The page".

/// `bodies` with the meshes of their surfaces, `joints`.
void iso_view_put_model(iso_json* json, const iso_recorded_model* model);
/// `sensors`.
void iso_view_put_sensors(iso_json* json, const iso_recorded_model* model);
/// `pairs`, in the order of their numbers.
void iso_view_put_pairs(iso_json* json, const iso_recorded_model* model, const iso_pair_list* list);
