// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/prepare.h"

/// How far one surface lies from another: at its vertices, the middles of its edges and at points
/// spread evenly over its triangles, some tens of thousands in all.
/// @return ISO_ERR_MEMORY, and ISO_ERR_GEOMETRY for a surface without triangles
iso_status iso_surface_measure_deviation(iso_context* ctx, const iso_tri_mesh* from,
                                         const iso_tri_mesh* to, iso_prepare_deviation* out);
