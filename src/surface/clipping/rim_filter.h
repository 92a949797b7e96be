// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Where rims of a contact surface may turn back on their way round a line, or pass from one turn to
// the next: every rim does one or the other somewhere. Theory: docs/theory/contact_surface.md,
// "Where the walk starts".

#include "field/structure/field.h"
#include "geometry/search/bvh_descent.h"

/// The line as one body sees it.
typedef struct iso_rim_line {
    const iso_field_planes* planes;  ///< of its level faces
    iso_float4 along[3], through[3]; ///< unit vector, and a point
} iso_rim_line;

typedef struct iso_rim_filter {
    iso_rim_line lines[2];
    iso_float4 across[2][3], across_abs[2][3], at[2]; ///< two axes across the line, in frame 0
    iso_float4 slack;                                 ///< [m]
} iso_rim_filter;

/// A filter for two fields with planes of level faces.
/// @return false when the bodies are apart
bool iso_rim_filter_begin(iso_rim_filter* filter, const iso_field* field_0,
                          const iso_field* field_1, const iso_pose* x_01);

/// An iso_bvh_filter of pairs of level faces.
int iso_rim_filter_keeps(const void* filter, const iso_bvh_expansion* e_0,
                         const iso_bvh_expansion* e_1);
