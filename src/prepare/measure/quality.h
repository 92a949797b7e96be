// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/prepare.h"

/// Shapes of the tetrahedra of a mesh.
typedef struct iso_mesh_quality {
    int bins[ISO_PREPARE_BIN_COUNT]; ///< by iso_tet_quality(), 0 to 1
    double min, mean;
    double dihedral_min; ///< smallest angle between two faces of a tetrahedron [rad]
} iso_mesh_quality;

iso_mesh_quality iso_tet_mesh_quality(const iso_tet_mesh* mesh);

/// Mean of a nodal array over the volume.
double iso_tet_mesh_mean(const iso_tet_mesh* mesh, const double* values);

/// Largest gradient of a nodal array in a tetrahedron over the mean one of the volume: 1 where it
/// is even, without bound where a flat tetrahedron has values that differ. 0 of a constant.
double iso_tet_mesh_steepness(const iso_tet_mesh* mesh, const double* values);
