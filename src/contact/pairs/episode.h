// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// What the continuous methods keep of one episode of contact, in the memory of its pair.

#include "contact/pairs/memory.h"

/// What the numbers of an episode are.
typedef enum iso_episode_kind {
    ISO_EPISODE_PLAIN,    ///< there are none
    ISO_EPISODE_BRISTLES, ///< deflection in W, turn, dwell (friction/bristle.h)
    ISO_EPISODE_STRETCH,  ///< springs of ISO_FRICTION_COMPLIANT (friction/shell/stretch.h)
} iso_episode_kind;

/// Most numbers of a kind.
#define ISO_EPISODE_NUMBERS 6

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
