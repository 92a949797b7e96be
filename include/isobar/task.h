// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/world.h"

/// A scalar signal of time.
typedef enum iso_signal_kind {
    ISO_SIGNAL_CONSTANT,    ///< offset
    ISO_SIGNAL_SQUARE_WAVE, ///< offset + amplitude during the first `duty` of each period
    ISO_SIGNAL_TABLE,       ///< piecewise linear through (times, values), constant outside
} iso_signal_kind;

/// Start from iso_signal_desc_default().
typedef struct iso_signal_desc {
    iso_signal_kind kind;
    double offset;
    double amplitude;
    double period; ///< [s], > 0
    double duty;   ///< in [0, 1]
    double phase;  ///< time added before the wave is read [s]
    int table_count;
    const double* table_times; ///< [table_count] strictly increasing [s]; copied
    const double* table_values;
} iso_signal_desc;
/// A constant 0.
ISO_API iso_signal_desc iso_signal_desc_default(void);

/// Check the parameters of a signal.
/// @return ISO_ERR_RANGE (message names parameter, value and range), ISO_ERR_ARGUMENT (table
/// missing)
ISO_NODISCARD ISO_API iso_status iso_signal_check(iso_context* ctx, const iso_signal_desc* signal);

/// Value of a signal at a time.
ISO_API double iso_signal_eval(const iso_signal_desc* signal, double time);

/// What a signal drives.
typedef enum iso_command_kind {
    ISO_COMMAND_EFFORT,   ///< feed forward [N m] or [N]
    ISO_COMMAND_POSITION, ///< q* of the actuator's PD law
    ISO_COMMAND_VELOCITY, ///< v* of the actuator's PD law
} iso_command_kind;

/// A signal that drives an actuator.
typedef struct iso_command_desc {
    const char* actuator; ///< name; copied
    iso_command_kind kind;
    iso_signal_desc signal;
} iso_command_desc;

/// Commands that act on a world before every step.
typedef struct iso_task iso_task;

/// @return ISO_ERR_NOT_FOUND (actuator), ISO_ERR_RANGE (signal parameters)
ISO_NODISCARD ISO_API iso_status iso_task_create(const iso_world* world,
                                                 const iso_command_desc* commands,
                                                 int command_count, iso_task** out_task);
/// Release a task. NULL is allowed.
ISO_API void iso_task_destroy(iso_task* task);
/// Set the actuation of the world for its present time.
ISO_NODISCARD ISO_API iso_status iso_task_apply(const iso_task* task, iso_world* world);
