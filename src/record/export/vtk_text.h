// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/record.h"
#include "record/json/bytes.h"

typedef enum iso_vtk_part {
    ISO_VTK_ALL,
    ISO_VTK_MOVING,
    ISO_VTK_STILL, ///< bodies that stay where the first frame has them
} iso_vtk_part;

/// What the files of bodies share whatever the frame: triangles, with the body's index, whether it
/// is contact geometry, and its colour; packed once.
typedef struct iso_vtk_bodies {
    const iso_recorded_model* model;
    const bool* is_still; ///< [body_count]
    iso_vtk_part part;
    int point_count, triangle_count;
    iso_bytes data_xml, polygons_xml, raw;
} iso_vtk_bodies;

/// @param model, is_still  outlive it; is_still [body_count] is not read for ISO_VTK_ALL
iso_status iso_vtk_bodies_init(iso_vtk_bodies* bodies, iso_context* ctx,
                               const iso_recorded_model* model, const bool* is_still,
                               iso_vtk_part part);
void iso_vtk_bodies_free(iso_vtk_bodies* bodies);

/// Bodies of a frame as VTK PolyData (.vtp, version 1.0, raw appended zlib blocks): points in the
/// world, as floats [m].
void iso_vtk_put_bodies(iso_bytes* out, const iso_vtk_bodies* bodies,
                        const iso_recorded_frame* frame);

/// Patches of a frame as VTK PolyData (.vtp, version 1.0, raw appended zlib blocks): one cell per
/// face with pressure, traction, slip_velocity, normal, area, contact, body_a, body_b, of friction
/// with springs stretch and sliding; pressure per point.
void iso_vtk_put_patches(iso_bytes* out, const iso_recorded_model* model,
                         const iso_recorded_frame* frame);
