// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/arena.h"
#include "isobar/record.h"

// What a world looks like to a recorder. Names, meshes and contacts stay the world's; the rest is
// copied into the arena.

iso_status iso_world_describe(iso_arena* arena, const iso_world* world, const char* scene_name,
                              iso_recorded_model* out_model);
/// @param with_exact_energy  elastic energies as iso_world_elastic_energy(), which take about as
/// long as a step
iso_status iso_world_snapshot(iso_arena* arena, const iso_world* world, bool with_exact_energy,
                              iso_recorded_frame* out_frame);

/// The sensors of a model and their values in a frame. sensors NULL: none.
iso_status iso_sensors_describe(iso_arena* arena, const iso_world* world,
                                const iso_sensors* sensors, iso_recorded_model* model);
iso_status iso_sensors_snapshot(iso_arena* arena, const iso_sensors* sensors,
                                const iso_recorded_model* model, iso_recorded_frame* frame);

/// Copy what the contacts of a snapshot point to in the world into its arena, so that the world may
/// move on: without faces, where they are not recorded, gradients and elements, which never are.
/// @param arena, frame  of iso_world_snapshot()
/// @return ISO_ERR_MEMORY
iso_status iso_frame_own_contacts(iso_arena* arena, const iso_recorded_model* model,
                                  bool with_faces, const iso_recorded_frame* frame);

/// Copy the names of bodies and joints of a description into its arena.
iso_status iso_model_own_names(iso_arena* arena, iso_recorded_model* model);
