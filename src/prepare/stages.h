// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "prepare/jobs/job.h"

// The stages of a preparation, in their order; iso_prepare() is their table of contents.

/// A skin farther off is worth a warning, over the largest side; fTetWild's own tolerance is a
/// fifth of it.
#define ISO_PREPARE_CLOSING_DOUBT 5e-3

/// True for STEP, which gmsh turns into triangles.
bool iso_path_is_step(const char* path);
/// Triangles of the file, in its own unit.
iso_status iso_stage_read(iso_prepare_job* job);
/// Metres; doubts about the unit.
iso_status iso_stage_scale(iso_prepare_job* job);
/// Weld, drop repetitions and slivers, turn outward.
iso_status iso_stage_repair(iso_prepare_job* job);
/// Count what cannot be repaired; refuse what no mesher asked for can take.
iso_status iso_stage_check(iso_prepare_job* job);
/// The core's surface, and that it lies inside.
iso_status iso_stage_core(iso_prepare_job* job);
/// Tetrahedra.
iso_status iso_stage_mesh(iso_prepare_job* job);
/// Inner vertices, extents, layers. Where the field is nonsense, tetrahedra anew or none.
iso_status iso_stage_field(iso_prepare_job* job);
/// Quality and mass properties.
iso_status iso_stage_measure(iso_prepare_job* job);
/// All files, or none.
iso_status iso_stage_write(iso_prepare_job* job);
