// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Where two bodies with fields can meet, and which of their tetrahedra reach there. Both may hold
// more than what has a polygon, never less.

#include "base/core/arena.h"
#include "field/structure/field.h"
#include "math/lanes_f64_native.h"

/// A box that holds all that two bodies share. Its first axis leads from body 0 to body 1, along
/// the direction in which they overlap least: all of body 0 lies before the upper end, all of body
/// 1 beyond the lower one.
typedef struct iso_overlap_box {
    iso_pose x_m0, x_m1; ///< frames of the bodies to coordinates along the axes of the box
    double lower[3], upper[3];
    double slack; ///< by which box and parts are larger, against rounding [m]
} iso_overlap_box;

/// False when the bodies are apart.
bool iso_overlap_box_find(const iso_field* field_0, const iso_field* field_1, const iso_pose* x_01,
                          iso_overlap_box* out);

/// Intervals of a part of a cell: across the first axis of the box along the other two, of the
/// pressure in all of the cell, and along the first axis from where body 1 begins.
#define ISO_MEETING_INTERVALS 4

/// Of as many parts as one instruction takes.
typedef struct iso_overlap_box_ends {
    double lower[ISO_MEETING_INTERVALS][ISO_DOUBLES_LANES];
    double upper[ISO_MEETING_INTERVALS][ISO_DOUBLES_LANES];
} iso_overlap_box_ends;

/// Cells that reach into a box, each with the intervals of the part of it between the ends of the
/// box.
typedef struct iso_overlap_box_parts {
    int count;
    int* cells;                                                           ///< [count] ascending
    iso_overlap_box_ends* ends;                                           ///< of so many at a time
    double least[ISO_MEETING_INTERVALS], greatest[ISO_MEETING_INTERVALS]; ///< bounds of them all
} iso_overlap_box_parts;

/// Find them, in arena memory.
/// @param most  where there are more, some of them suffice
iso_status iso_overlap_box_cut(const iso_overlap_box* meeting, iso_arena* arena,
                               const iso_field* field, bool is_body_1, int most,
                               iso_overlap_box_parts* out);

/// Leave of the box what parts of one body reach into.
void iso_overlap_box_shrink(iso_overlap_box* meeting, const iso_overlap_box_parts* parts);
