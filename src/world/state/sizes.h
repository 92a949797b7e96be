// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "world/model/model.h"
#include "world/state/world_state.h"

/// Share of the least side of a geometry that a body may go in one step: with more of it contacts
/// are found late and deep, with all of it bodies pass through each other.
#define ISO_COARSE_SHARE 0.25

/// True for methods that choose their own steps.
bool iso_world_is_adaptive(const iso_world* world);
/// Velocity-level ones among them.
bool iso_world_has_substeps(const iso_world* world);
/// True for what is so small that it stands for a point.
bool iso_world_is_point(iso_vec3 sides);

/// The margin of geometries that state none [m]: as far as a body at rest falls when it loses
/// contact for one step.
double iso_world_automatic_margin(const iso_world* world);

/// The largest side of a mesh, which is known once it is read, lies in the range of all sizes.
/// @return ISO_ERR_RANGE
iso_status iso_world_check_mesh_size(iso_context* ctx, const iso_geometry_desc* desc,
                                     const iso_contact_shape* shape);

/// A margin suits the size of its geometry: beyond it the field says nothing about the body.
/// @return ISO_ERR_RANGE
iso_status iso_world_check_margin(const iso_world* world, const iso_geometry_desc* desc,
                                  const char* body, const iso_contact_shape* shape);

/// Say once how long the margin of those is that stated none. Warn when the time step is coarse for
/// the geometries of the world, and of a body that is likely in another unit of length.
void iso_world_report_sizes(const iso_world* world, const iso_model* model);
