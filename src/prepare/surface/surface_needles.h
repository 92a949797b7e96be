// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/geometry.h"

/// Rid a closed surface of most triangles that are lower than a height: their edges are turned or
/// shrunk where that leaves no flatter triangle and turns none over. No vertex moves; no move
/// shifts the surface by more than that height, many together may. Triangles may cut each other
/// then.
/// @param[out] out_move_count  edges turned and shrunk
/// @return ISO_ERR_GEOMETRY (nothing is left), ISO_ERR_MEMORY
iso_status iso_surface_blunt_needles(iso_context* ctx, iso_tri_mesh* mesh, double height,
                                     int* out_move_count);
