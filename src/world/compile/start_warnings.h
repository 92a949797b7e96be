// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "world/state/world_state.h"

/// Warn, once per body that floats freely, of geometries that start wholly below a half space, into
/// which they fall, where nothing would push them out; and of fixed tendons outside their limits.
/// Needs the kinematics of the start and the sources of the geometries.
/// @return ISO_ERR_MEMORY
iso_status iso_world_warn_of_starts(const iso_world* world, const iso_model* model);
