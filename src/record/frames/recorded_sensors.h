// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/record.h"
#include "record/json/json_fields.h"

/// Which of a sensor's names a value has.
/// @param[out] out_cell  of a tactile sensor, row by row; -1: none
int iso_recorded_sensor_name_of(const iso_recorded_sensor* sensor, int value, int* out_cell);

/// The sensors of /isobar/model; recordings of older versions have none.
iso_status iso_decode_recorded_sensors(const iso_json_doc* doc, iso_recorded_model* model);
