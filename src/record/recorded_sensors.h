// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/arena.h"
#include "isobar/record.h"

#include <jansson.h>

/// The sensors of /isobar/model; recordings of older versions have none.
iso_status iso_decode_recorded_sensors(iso_arena* arena, const json_t* root,
                                       iso_recorded_model* model);
