// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/lab_rigid.h"
#include "isobar/world.h"

/// How the engine steps a scene.
typedef struct lab_world_kind {
    const char* name;
    iso_method method;
    iso_friction_model friction;
    bool has_bristles; ///< points of Hertz and volumes with bristle friction instead of patches
} lab_world_kind;

/// A scene of rigid formulations as a world: boxes of 1e7 Pa on a rigid ground, steps of 1 ms; the
/// rod has a ball of 1e9 Pa and 1 cm at its tip, and steps of 0.02 ms. How it approximates is the
/// method's and the friction model's.
/// @param[out] out_value  the scene's quantity
iso_status lab_rigid_world(iso_context* ctx, iso_rigid_scene scene, const lab_world_kind* kind,
                           double* out_value);
