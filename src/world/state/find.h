// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "world/state/world_state.h"

/// Note the names of a compiled world. Freed with what it shares with clones.
/// @return ISO_ERR_MEMORY
iso_status iso_world_note_names(iso_world* world);
void iso_world_free_names(iso_world* world);
