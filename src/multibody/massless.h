// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "multibody/multibody.h"

/// A degree of freedom that moves no inertia while all joints beyond its own move as they like: the
/// mass matrix without rotors of tendons is singular just when there is one. O(link_count).
/// @param work            arena for scratch, not released
/// @param[out] out_dof    -1: there is none
/// @param[out] out_pivot  what the last one tested moves [kg] or [kg m^2]
/// @return ISO_ERR_MEMORY
iso_status iso_multibody_find_massless(const iso_multibody* multibody,
                                       const iso_kinematics* kinematics, iso_arena* work,
                                       int* out_dof, double* out_pivot);
