// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/arena.h"
#include "isobar/contact.h"

/// A patch that moved with its bodies as one.
/// @param motion     of its points, in W
/// @param is_turned  false: the motion has no rotation, directions are those of before
/// @param[out] out   arrays in the arena, or of `from` where they are the same
/// @return false: there is no memory
bool iso_patch_move(iso_arena* arena, const iso_patch* from, const iso_pose* motion, bool is_turned,
                    iso_patch* out);
