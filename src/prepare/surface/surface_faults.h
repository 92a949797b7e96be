// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/prepare.h"

/// Boundary loops of a surface, whichever sides its triangles face, and chains of boundary edges
/// that end at edges of three or more triangles: count, and the longest ones first.
/// @return ISO_ERR_MEMORY
iso_status iso_surface_find_holes(iso_context* ctx, const iso_tri_mesh* mesh, int* out_count,
                                  iso_prepare_hole out_holes[ISO_PREPARE_HOLE_MAX]);
