// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/sweep.h"

/// Something of a model that has a name of its own in sweeps.
typedef enum iso_sweep_parameter {
    ISO_SWEEP_SETTING, ///< none: a path of the scene file
    ISO_SWEEP_FRICTION,
    ISO_SWEEP_MODULUS,
    ISO_SWEEP_DISSIPATION,
    ISO_SWEEP_MASS,
} iso_sweep_parameter;

/// What is varied, and its values.
typedef struct iso_sweep_axis {
    char* name; ///< as written; owned
    iso_sweep_parameter parameter;
    char* target; ///< geometry, body or model; NULL: all; owned
    int count;
    char** values; ///< [count] owned
} iso_sweep_axis;

/// Read "NAME=VALUES". Zeroed on error.
/// @return ISO_ERR_PARSE, ISO_ERR_RANGE, ISO_ERR_NOT_FOUND (a parameter), ISO_ERR_MEMORY
iso_status iso_sweep_axis_read(iso_context* ctx, const char* text, iso_sweep_axis* out);
void iso_sweep_axis_free(iso_context* ctx, iso_sweep_axis* axis);

/// Give a model the value of an axis that is no path of the file.
/// @return ISO_ERR_RANGE (value), ISO_ERR_NOT_FOUND (nothing is called so, or has the parameter)
iso_status iso_sweep_axis_apply(iso_context* ctx, const iso_sweep_axis* axis, int value,
                                iso_model* model);
