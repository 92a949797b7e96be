// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "field/structure/field.h"

/// One tetrahedron of a flux field.
typedef struct iso_flux_cell {
    int corners[4];
    int pole;       ///< corner that takes up what comes in, or -1
    double flux[4]; ///< outward through the face opposite each corner [J]
    double drain;   ///< what the pole takes up here [J]
} iso_flux_cell;

/// Where flux ends: inside a tetrahedron at a vertex that no neighbour exceeds.
typedef struct iso_flux_pole {
    iso_vec3 p_g;    ///< [m]
    double pressure; ///< [Pa]
    double taken;    ///< [J]
} iso_flux_pole;

/// A vector field F on the part of a pressure field where the pressure p is positive: div F = p in
/// every tetrahedron, continuous normal flux, none through the boundary. It turns the integral of p
/// over a part of the body into a sum over the boundary of that part
/// (docs/theory/energy_flux.md). Immutable.
typedef struct iso_field_flux {
    int vertex_count, cell_count, pole_count;
    iso_vec3* vertices;   ///< [vertex_count] in G
    double* pressures;    ///< [vertex_count] >= 0
    iso_flux_cell* cells; ///< [cell_count]
    int tet_count;        ///< of the field's mesh
    int* first;           ///< [tet_count + 1] cells of each tetrahedron of the field's mesh
    iso_flux_pole* poles; ///< [pole_count]
    bool is_zero_on_skin; ///< the pressure is 0 on the whole boundary of its positive part
    bool is_complete;     ///< every cell drains into a pole
} iso_field_flux;

/// O(tet_count). Tetrahedra that reach into a margin are cut at zero pressure, those of the poles
/// into four about them.
/// @return ISO_ERR_GEOMETRY (tetrahedra that do not fit together), ISO_ERR_MEMORY
iso_status iso_field_flux_create(iso_context* ctx, const iso_field* field,
                                 iso_field_flux** out_flux);
void iso_field_flux_destroy(iso_context* ctx, iso_field_flux* flux);

/// Largest polygon of iso_field_flux_through().
#define ISO_FLUX_POLYGON_MAX 64

/// Flux of F through a convex flat polygon in one tetrahedron of the field's mesh, along its normal
/// by the right-hand rule [J]. Exact.
/// @param points    [count] in G, count <= ISO_FLUX_POLYGON_MAX - 8
/// @param out_area  of the part of the polygon that was found in the positive part [m^2]
double iso_field_flux_through(const iso_field_flux* flux, int tet, const iso_vec3* points,
                              int count, double* out_area);
