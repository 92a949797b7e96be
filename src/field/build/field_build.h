// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "field/structure/field.h"
#include "isobar/contact.h"

/// How to put a pressure field into a shape: p = M(e) e with the extent e of the shape, continued
/// to the distance `margin` outside the skin. Start from iso_field_recipe_default().
typedef struct iso_field_recipe {
    double modulus;   ///< [Pa], > 0; 1e7
    double thickness; ///< depth at which distances mean e = 1 [m]; 0: the greatest of the shape
    double margin;    ///< [m], >= 0
    double resolution_hint;               ///< [m]; 0: iso_shape_default_resolution()
    iso_extent_kind extent_kind;          ///< auto
    double stiffening;                    ///< as iso_contact_material
    const iso_modulus_row* modulus_table; ///< borrowed
    int modulus_row_count;                ///<
    int layer_count;                      ///< cuts along levels of e: (i / (layer_count + 1))^2
    bool is_mesh_kept;                    ///< tetrahedra as they are: none gets an inner vertex
    bool is_skin_bonded;                  ///< a given field may differ from 0 on the skin
    const double* pressure;   ///< of shape->volume, [vertex_count], borrowed; NULL: none
    const double* extent;     ///<
    const double* moduli;     ///< M0 at the vertices [Pa]
    const iso_tri_mesh* hull; ///< of a convex shape, borrowed; NULL: made here
} iso_field_recipe;

iso_field_recipe iso_field_recipe_default(void);

/// What is known of a field once it is built, beside the pressures.
typedef struct iso_field_summary {
    double thickness; ///< characteristic thickness, iso_characteristic_thickness() [m]
    bool is_given; ///< the mesh brought its pressures: modulus and stiffening say nothing of them
} iso_field_summary;

/// Field of a solid shape. Primitives are tessellated, with a margin the inflated primitive; their
/// extent is that of the tessellation (Poisson: solved on a tessellation cut to the resolution).
/// Convex shapes are the hull coned to its centroid. Meshes come from the file or shape->volume;
/// where they bring `pressure` or `extent` and the kind is auto, those are used as given, otherwise
/// elements between vertices of the skin get an inner vertex and the extent is that of the recipe.
/// The margin of the latter two is a layer of tetrahedra on the skin (iso_shell_create()); what
/// must be left out of it is logged. Theory: docs/theory/pressure_field.md.
/// @param[out] out_summary  may be NULL
/// @return ISO_ERR_RANGE (modulus, margin, hint, a value of a given field), ISO_ERR_GEOMETRY (no
///         vertex inside the skin, no tetrahedra), ISO_ERR_UNSUPPORTED (half space) and the
///         readers' errors
iso_status iso_field_create_for_shape(iso_context* ctx, const iso_shape_desc* shape,
                                      const iso_field_recipe* recipe,
                                      iso_field_summary* out_summary, iso_field** out_field);

/// Field of a thin layer under a closed surface: 0 on the surface, modulus at depth `thickness`.
/// Tetrahedra that would overlap others are left out: it has three per triangle less those.
/// @param tree  of the surface's triangles, which may lack those without area
iso_status iso_field_create_for_layer(iso_context* ctx, const iso_tri_mesh* surface,
                                      const iso_bvh* tree, double modulus, double thickness,
                                      iso_field** out_field);
