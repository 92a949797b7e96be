// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/base.h"
#include "isobar/geometry.h"
#include "isobar/math.h"

/// How a geometry takes part in contact.
typedef enum iso_compliance {
    ISO_COMPLIANCE_DEFAULT,   ///< not said in the file: compliant with the defaults below
    ISO_COMPLIANCE_RIGID,     ///< a surface without thickness, may be open
    ISO_COMPLIANCE_COMPLIANT, ///< a volume with a pressure field
} iso_compliance;

/// Contact properties of one geometry. Start from iso_contact_material_default().
typedef struct iso_contact_material {
    iso_compliance compliance;
    double modulus;          ///< pressure at full extent [Pa], > 0; 1e7
    double resolution_hint;  ///< edge length of tessellated primitives [m]; 0: from the size
    double margin;           ///< field continued outside the skin [m], >= 0; 0
    double slab_thickness;   ///< compliant half space: depth of pressure `modulus` [m]; 0: unset
    double dissipation;      ///< Hunt-Crossley [s/m], >= 0; 50
    double relaxation_time;  ///< linear damping of the SAP approximation [s], >= 0; 0.1
    double friction_static;  ///< >= friction_dynamic; 0.5
    double friction_dynamic; ///< >= 0; 0.5
} iso_contact_material;

/// The values named beside the members.
ISO_API iso_contact_material iso_contact_material_default(void);

/// Faces of a patch: whole polygons with one sample at the centroid, or fans of triangles about it.
typedef enum iso_representation {
    ISO_REPRESENTATION_POLYGON,
    ISO_REPRESENTATION_TRIANGLE,
} iso_representation;

/// Which faces are dropped. ISO_CULL_NONE keeps the energy law and continuity; ISO_CULL_DRAKE drops
/// faces whose normal is more than 5 pi / 8 from a field gradient, as Drake does.
typedef enum iso_cull {
    ISO_CULL_NONE,
    ISO_CULL_DRAKE,
} iso_cull;

/// How the dissipations of two materials combine (docs/theory/contact.md).
typedef enum iso_combine {
    ISO_COMBINE_DRAKE,  ///< d = (Eb da + Ea db) / (Ea + Eb)
    ISO_COMBINE_ELANDT, ///< per face (Xa ca^2 + Xb cb^2) / (ca + cb)^2; [Elandt2022] eq. 5.14
} iso_combine;

/// How a velocity-level step regularises stiffness and friction (docs/theory/contact.md).
/// ISO_REGULARIZATION_PATCH sets it once per patch, so that refining a mesh changes nothing;
/// ISO_REGULARIZATION_DRAKE once per face with Drake's constants, so that more faces stiffen it.
typedef enum iso_regularization {
    ISO_REGULARIZATION_PATCH,
    ISO_REGULARIZATION_DRAKE,
} iso_regularization;

/// Choices that hold for every pair of a world. Start from iso_contact_options_default().
typedef struct iso_contact_options {
    iso_representation representation; ///< polygon
    iso_cull cull;                     ///< none
    iso_combine combine;               ///< Drake
    iso_regularization regularization; ///< per patch
    double rigid_layer_thickness;      ///< rigid x rigid: layer on the closed body [m]; 1e-3
    double rigid_layer_modulus;        ///< rigid x rigid: pressure at that depth [Pa]; 1e7
    double stiction_velocity;          ///< regularisation of friction [m/s], > 0; 1e-4
} iso_contact_options;

/// The values named beside the members.
ISO_API iso_contact_options iso_contact_options_default(void);

/// A contact patch between bodies A and B: flat faces, in the world frame W. Face f owns the
/// vertices face_offsets[f] .. face_offsets[f+1]-1, counter-clockwise about its normal; vertices
/// are not shared. Read-only view, valid until the world changes.
typedef struct iso_patch {
    int face_count;
    int vertex_count;
    bool is_rigid_a, is_rigid_b;    ///< that side has no field: its gradients are zero
    const int* face_offsets;        ///< [face_count + 1]
    const iso_vec3* vertices;       ///< [vertex_count] [m]
    const double* vertex_pressures; ///< [vertex_count] [Pa]
    const double* areas;            ///< [face_count] [m^2]
    const iso_vec3* centroids;      ///< [face_count] [m]
    const iso_vec3* normals;        ///< [face_count] unit, from A into B
    const double* pressures;        ///< [face_count] at the centroid [Pa]
    const iso_vec3* gradients_a;    ///< [face_count] of the field of A [Pa/m]
    const iso_vec3* gradients_b;    ///< [face_count] of the field of B [Pa/m]
    double area;                    ///< sum [m^2]
    double max_pressure;            ///< largest vertex pressure [Pa]
    iso_vec3 centroid;              ///< area weighted [m]
    iso_vec3 center_of_pressure;    ///< weighted with area times pressure [m]
} iso_patch;

/// One contact: a pair of geometries whose patch is not empty. Read-only view, valid until the
/// world changes. Names are scoped, "model::link".
typedef struct iso_contact {
    int body_a, body_b;              ///< indices of the world's bodies
    const char* body_name_a;         ///< A comes before B in the order of scoped names
    const char* body_name_b;         ///<
    const char* geometry_name_a;     ///<
    const char* geometry_name_b;     ///<
    iso_patch patch;                 ///<
    const iso_vec3* tractions;       ///< [face_count] mean traction on B, world [Pa]
    const iso_vec3* slip_velocities; ///< [face_count] tangential v_B - v_A [m/s]
    iso_spatial f_b_w;               ///< (moment about the centre of pressure; force) on B
    double elastic_energy;           ///< stored in the patch's overlap [J]
} iso_contact;
