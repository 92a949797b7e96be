// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/lab_rigid.h"
#include "isobar/world.h"

/// A scene of rigid formulations as a world of patches: boxes of 1e7 Pa on a rigid ground, steps of
/// 1 ms. How it approximates is the method's and the friction model's.
/// @param[out] out_value  the scene's quantity; NAN of the rod, which has no box
iso_status lab_rigid_world(iso_context* ctx, iso_rigid_scene scene, iso_method method,
                           iso_friction_model friction, double* out_value);
