// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/system/task_pool.h"
#include "isobar/vector.h"

/// One of the worlds.
typedef struct iso_vector_member {
    iso_world* world; ///< owned
    int variant;
    iso_status status;      ///< of the last step
    iso_status read_status; ///< of the last reading
} iso_vector_member;

struct iso_vector {
    iso_context* ctx;
    int variant_count;
    iso_world** variants; ///< [variant_count] borrowed
    int count;
    iso_vector_member* members; ///< [count]
    iso_task_pool* pool;
    int worker_count;
    iso_sensors** sensors; ///< [worker_count]
    int sensor_width;      ///< numbers of all sensors
};
