// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/base.h"
#include "isobar/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The deformed configuration of a compliant geometry: what contact leaves of it. A point inside
/// several bodies belongs to the one of the largest pressure, so each compliant body keeps its
/// volume without what lies beyond the contact surface (docs/theory/deformed.md; [Elandt2022]
/// figs. 4.7, 4.8, C.1). World frame. Vertices are not shared between tetrahedra, nor between
/// triangles; those of the surface come after those of the tetrahedra.
typedef struct iso_deformed {
    int vertex_count;
    int tet_count;
    int triangle_count;
    iso_vec3* vertices;      ///< [vertex_count] [m]
    double* pressures;       ///< [vertex_count] of the geometry's own field [Pa]
    int (*tets)[4];          ///< [tet_count], of positive volume as in iso_tet_mesh
    int (*triangles)[3];     ///< [triangle_count] closed surface, counter-clockwise from outside
    bool* is_contact;        ///< [triangle_count] on the contact surface; otherwise on the skin
    double volume;           ///< of the tetrahedra [m^3]
    double displaced_volume; ///< what contact took away [m^3]
} iso_deformed;

/// Release what iso_world_deformed() made and zero it.
ISO_API void iso_deformed_destroy(iso_context* ctx, iso_deformed* deformed);

#ifdef __cplusplus
}
#endif
