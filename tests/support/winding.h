// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/geometry.h"

/// How often a surface winds about a point: the sum of the solid angles of all its triangles.
double test_winding_number(const iso_tri_mesh* mesh, iso_vec3 p);
