// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/record.h"
#include "record/bytes.h"

/// Bodies of a frame as VTK PolyData (.vtp, version 1.0, raw appended data): points in the world
/// [m], per triangle the body's index, whether it is contact geometry, and its colour.
void iso_vtk_put_bodies(iso_bytes* out, const iso_recorded_model* model,
                        const iso_recorded_frame* frame);

/// Patches of a frame as VTK PolyData: one cell per face with pressure, traction, slip_velocity,
/// normal, area, contact, body_a, body_b; pressure per point.
void iso_vtk_put_patches(iso_bytes* out, const iso_recorded_model* model,
                         const iso_recorded_frame* frame);
