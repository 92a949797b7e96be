// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "field/flux/flux.h"
#include "field/structure/field.h"
#include "surface/kernels/kernels.h"
#include "surface/kernels/tri_set.h"
#include "surface/shapes/contact_shape.h"

#include <stdatomic.h>

/// Search structures of a surface, NULL until a distance or ray asked for them
/// (surface/shapes/shape_search.h).
typedef struct iso_shape_search iso_shape_search;
typedef _Atomic(iso_shape_search*) iso_shape_search_place;

/// A flux field, NULL until an exact energy asked for it (surface/moments/exact_energy.h).
typedef _Atomic(iso_field_flux*) iso_shape_flux;

/// What pair queries see of a shape. A shape with a field has no triangle set and the reverse;
/// half spaces have neither.
struct iso_contact_shape {
    iso_context* ctx;              ///< it was made with
    iso_contact_material material; ///< it was made of: what makes extents of the field's pressures
    iso_shape_desc primitive;      ///< kind and sizes, without file and meshes
    bool is_rigid, is_half_space, is_closed;
    iso_vec3 lower, upper; ///< bounds in G, margin included [m]
    iso_tri_mesh surface;  ///< for drawing; of rigid shapes also the contact surface

    iso_field* field;          ///< compliant volumes
    iso_tri_set triangles;     ///< rigid surfaces
    iso_half_space half_space; ///< half spaces; slope 0 when rigid

    double thickness;    ///< characteristic thickness [m]; 0 when rigid
    double max_pressure; ///< [Pa]; 0 when rigid

    bool has_layer;                  ///< the layer below has been made
    bool is_layer_told;              ///< what the layer is without has been logged
    iso_field* layer;                ///< rigid volumes
    iso_half_space layer_half_space; ///< rigid half spaces

    iso_shape_desc shape;   ///< of a closed rigid shape, for the layer; meshes are `volume`
    iso_tet_mesh volume;    ///< tetrahedra of a rigid volume mesh
    double resolution_hint; ///< as given [m]

    iso_modulus_row* modulus_table; ///< of the material, owned
    iso_shape_search_place probe;   ///< answers distances and rays
    iso_shape_flux flux;            ///< of the field
    iso_shape_flux layer_flux;      ///< of the layer
};
