// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "geometry/tetrahedra/tet_split.h"

/// Add a layer of tetrahedra of `margin` [m] outside the free faces of the skin, those that are
/// zero all over (iso_shell_create()); what must be left out of it is logged under the body's name,
/// and so is a skin without such faces. arrays->values[0], the extents, goes on with its slope;
/// other arrays keep the value of the skin.
/// @param slope  of the extents into the skin [1/m]; 0: at every vertex the mean of -grad e . n of
///               its free faces weighted with their areas, at least 1e-3 of the mean of all
/// @return as iso_shell_create(), iso_tet_topology_create()
iso_status iso_margin_add(iso_context* ctx, const char* name, double margin, double slope,
                          iso_tet_mesh* mesh, iso_nodal_arrays* arrays);
