// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "field/field.h"

/// How to put a pressure field into a shape: p = modulus * depth / thickness, where depth is the
/// extent of the shape's tessellation in metres (distance to the skin for meshes), continued to
/// -margin outside the skin.
typedef struct iso_field_recipe {
    double modulus;         ///< [Pa], > 0
    double thickness;       ///< depth of that pressure [m]; 0: the greatest depth of the shape
    double margin;          ///< [m], >= 0
    double resolution_hint; ///< [m]; 0: iso_shape_default_resolution()
} iso_field_recipe;

/// Field of a solid shape. Primitives are tessellated, with a margin the inflated primitive;
/// convex shapes are the hull coned to its centroid; meshes take their tetrahedra as they are. The
/// margin of the latter two is a layer of tetrahedra on the skin (iso_shell_create()); what must be
/// left out of it is logged.
/// @return ISO_ERR_RANGE (modulus, margin, hint), ISO_ERR_GEOMETRY (no vertex inside the skin, no
///         tetrahedra), ISO_ERR_UNSUPPORTED (half space) and the readers' errors
iso_status iso_field_create_for_shape(iso_context* ctx, const iso_shape_desc* shape,
                                      const iso_field_recipe* recipe, iso_field** out_field);

/// Field of a thin layer under a closed surface: 0 on the surface, modulus at depth `thickness`.
/// The number of tetrahedra that had to be left out is logged.
iso_status iso_field_create_for_layer(iso_context* ctx, const iso_tri_mesh* surface, double modulus,
                                      double thickness, iso_field** out_field);
