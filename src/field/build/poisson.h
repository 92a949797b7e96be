// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "field/build/extent.h"

/// Solve -div grad e = source with linear finite elements: e given at exposed and core vertices, no
/// flux through the rest of the skin.
/// @param      kinds         [vertex_count]
/// @param      source        [1/m^2], uniform
/// @param[out] out_values    [vertex_count]
/// @param[out] out_residual  |A x - b| over |b|, largest components; 0 when nothing is free
/// @return ISO_ERR_GEOMETRY (a part without a given vertex), ISO_ERR_NUMERIC, ISO_ERR_MEMORY
iso_status iso_poisson_solve(iso_context* ctx, const iso_tet_mesh* mesh,
                             const iso_extent_vertex* kinds, double source, double* out_values,
                             double* out_residual);
