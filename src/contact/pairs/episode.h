// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// What methods keep of one episode of contact in the memory of its pair: the continuous ones, and
// those at the velocity level whose friction has no memory.

#include "contact/pairs/memory.h"
#include "friction/shell/brush.h"

/// What the numbers of an episode are.
typedef enum iso_episode_kind {
    ISO_EPISODE_PLAIN,    ///< there are none
    ISO_EPISODE_BRISTLES, ///< deflection in W, turn, dwell (friction/bristle.h)
    ISO_EPISODE_STRETCH,  ///< springs of ISO_FRICTION_COMPLIANT (friction/shell/stretch.h)
    ISO_EPISODE_BRUSH,    ///< of a few corners of ISO_FRICTION_BRUSH: size of the grid, number of
                          ///< corners, index and springs of each (friction/shell/brush.h)
    ISO_EPISODE_ABSORBED, ///< energy that it may give back [J] (contact/stick/absorbed.h)
} iso_episode_kind;

/// Most numbers of a kind.
#define ISO_EPISODE_NUMBERS 14
/// Corners of a field in one memory. A pair has as many memories, one after the other, as its field
/// needs; the first has the speed of impact.
#define ISO_EPISODE_CORNERS 2

/// All zero: nothing.
typedef struct iso_episode {
    iso_episode_kind kind;
    double numbers[ISO_EPISODE_NUMBERS]; ///< zeros behind those of the kind
    double impact_speed;                 ///< at first touch [m/s]; 0: does not touch
} iso_episode;

/// Put an episode into the memory of a pair, and take it out.
/// @return false: that memory is of sticking friction; the episode is zero
void iso_episode_remember(const iso_episode* episode, iso_pair_memory* memory);
bool iso_episode_recall(const iso_pair_memory* memory, iso_episode* out_episode);

/// Corners as the numbers of an episode, and back.
/// @param count  at most ISO_EPISODE_CORNERS
void iso_episode_put_corners(iso_episode* episode, double size, const iso_corner* corners,
                             const double* s, int count);
/// @return their number; -1: the numbers are no corners in order of a grid of this size
int iso_episode_get_corners(const iso_episode* episode, double size,
                            iso_corner corners[ISO_EPISODE_CORNERS],
                            double s[ISO_EPISODE_CORNERS * ISO_CORNER_NUMBERS]);
/// Most memories that a field of so many corners needs; and these, without corners that hold next
/// to nothing.
/// @return their number
int iso_episode_field_memories(int corner_count);
int iso_episode_keep_field(const iso_pair_memory* pair, double impact_speed, const iso_brush* brush,
                           const double* s, iso_pair_memory* out_memories);
/// A field out of memories of one pair, one after the other; what is no part of it is passed over.
/// @param brush       its size counts; gets the corners
/// @param[out] out_s  springs of these
/// @return ISO_ERR_MEMORY
iso_status iso_episode_recall_field(iso_arena* arena, const iso_pair_memory* memories, int count,
                                    iso_brush* brush, double** out_s);
/// Stored energy [J]; bristles have none.
double iso_episode_energy(const iso_episode* episode);
/// Whether a memory goes on with the field of the one before it, or begins a field behind what its
/// pair absorbed. Both are of the same pair.
bool iso_episode_goes_on(const iso_pair_memory* before, const iso_pair_memory* memory);
