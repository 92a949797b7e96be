// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/array.h"
#include "multibody/multibody.h"

/// The states between which the substeps of a step went, and those between them.
typedef struct iso_trace {
    ISO_ARRAY(double) times;  ///< [s], rising
    ISO_ARRAY(double) states; ///< q, v of each
} iso_trace;

void iso_trace_free(iso_context* ctx, iso_trace* trace);
/// One more state; a time not later than the last one replaces nothing and is left out.
iso_status iso_trace_push(iso_context* ctx, const iso_multibody* multibody, double time,
                          const double* q, const double* v, iso_trace* trace);
/// q and v of a node.
const double* iso_trace_q(const iso_trace* trace, const iso_multibody* multibody, int node);
const double* iso_trace_v(const iso_trace* trace, const iso_multibody* multibody, int node);

/// The state at a time between the first and the last.
/// @param arena  for scratch, released before returning
/// @return ISO_ERR_MEMORY
iso_status iso_trace_state(const iso_trace* trace, const iso_multibody* multibody, double time,
                           iso_arena* arena, double* out_q, double* out_v);
