// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "field/build/field_build.h"
#include "geometry/tetrahedra/tet_split.h"

/// A given field is zero on the skin up to this part of its largest value.
#define ISO_ZERO_ON_SKIN 1e-9

/// Tetrahedra on their way to a field.
typedef struct iso_field_body {
    iso_tet_mesh mesh;
    iso_nodal_arrays arrays; ///< [0] extents times `full`, [1] moduli [Pa] or NULL
    double full;             ///< value of arrays.values[0] that means e = 1
    double slope;            ///< of arrays.values[0] into the skin [1/m]; 0: differs
    bool is_pressure;        ///< arrays.values[0] are pressures to be used as given
    bool has_margin;         ///< the mesh reaches to the margin already
} iso_field_body;

/// Mesh and extents of a primitive, of a hull, or of a mesh. Released with
/// iso_field_body_destroy(), on error too.
iso_status iso_field_body_make(iso_context* ctx, const iso_shape_desc* shape,
                               const iso_field_recipe* recipe, iso_field_body* body);
void iso_field_body_destroy(iso_context* ctx, iso_field_body* body);
