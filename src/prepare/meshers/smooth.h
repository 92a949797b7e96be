// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/geometry.h"

/// Move the vertices inside a mesh, one after the other and a few times over, towards the middle of
/// their neighbours, or off the face of a flat tetrahedron, where that makes the worst tetrahedron
/// around them better. The skin stays.
/// @return ISO_ERR_MEMORY, ISO_ERR_GEOMETRY (as iso_tet_topology_create())
iso_status iso_tet_mesh_smooth(iso_context* ctx, iso_tet_mesh* mesh);
