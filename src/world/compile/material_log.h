// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// What a world says of its materials when it is made.

#include "world/model/model.h"
#include "world/state/world_state.h"

/// Log which geometries took the default compliance, and what they are made of; warn of what the
/// method ignores.
void iso_world_tell_materials(const iso_world* world, const iso_model* model);
/// Warn of static friction that it ignores, once it is known what meets.
void iso_world_warn_of_static_friction(const iso_world* world);
