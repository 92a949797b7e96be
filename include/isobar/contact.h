// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/base.h"
#include "isobar/friction.h"
#include "isobar/geometry.h"
#include "isobar/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How a geometry takes part in contact.
typedef enum iso_compliance {
    ISO_COMPLIANCE_DEFAULT,   ///< not said in the file: compliant with the defaults below
    ISO_COMPLIANCE_RIGID,     ///< a surface without thickness, may be open
    ISO_COMPLIANCE_COMPLIANT, ///< a volume with a pressure field
} iso_compliance;

/// How the extent field e of a compliant volume is made: 0 on the skin, 1 where it is deepest
/// (docs/theory/pressure_field.md; [Elandt2022] section 5.1.1).
typedef enum iso_extent_kind {
    ISO_EXTENT_AUTO,     ///< the mesh file's own field where it carries one, else the distance
    ISO_EXTENT_DISTANCE, ///< distance to the skin over the largest one; primitives: their own
    ISO_EXTENT_POISSON,  ///< uniform source, 0 on the skin, normalised to a largest value of 1
} iso_extent_kind;

/// One row of a table of moduli: the modulus M at extent e of p0 = M(e) e.
typedef struct iso_modulus_row {
    double extent;  ///< in [0, 1], ascending
    double modulus; ///< [Pa], > 0
} iso_modulus_row;

/// What a pair of geometries that touch is made of (docs/theory/point_contact.md).
typedef enum iso_contact_model_kind {
    ISO_CONTACT_MODEL_DEFAULT,        ///< of a material: the world's; of a world: pressure fields
    ISO_CONTACT_MODEL_PRESSURE_FIELD, ///< where two pressure fields are equal: a patch
    ISO_CONTACT_MODEL_HERTZ,          ///< points of round shapes
    ISO_CONTACT_MODEL_VOLUMETRIC,     ///< the volume that both bodies fill
} iso_contact_model_kind;

/// Asks for a margin of |gravity| times the square of the world's time step (of a continuous
/// method: its largest step), as far as a resting body moves when it loses contact for one step.
/// Where no time step is known (a shape without a world) it is 0.
#define ISO_MARGIN_AUTO (-1.0)

/// Contact properties of one geometry. Start from iso_contact_material_default().
typedef struct iso_contact_material {
    iso_compliance compliance;
    double modulus;          ///< pressure at full extent [Pa], > 0; 1e7
    double resolution_hint;  ///< edge length of tessellated primitives [m]; 0: from the size.
                             ///< What rolls needs a sixteenth of its radius: coarse cylinders and
                             ///< capsules roll as prisms (docs/scene_format.md).
                             ///< Finer than some 500,000 tetrahedra: as if it made that many
    double margin;           ///< field continued outside the skin [m], >= 0; ISO_MARGIN_AUTO.
                             ///< Rigid surfaces have none
    double slab_thickness;   ///< compliant half space: depth of pressure `modulus` [m]; 0: unset
    double dissipation;      ///< Hunt-Crossley [s/m], >= 0; 50. Only one of it, expansion_rate and
                             ///< restitution may differ from its default: 50 itself, stated or
                             ///< not, gives way to the other two
    double relaxation_time;  ///< linear damping of the SAP approximation [s], >= 0; 0.1
    double friction_static;  ///< >= friction_dynamic; of what rests, with ISO_METHOD_LAGGED or
                             ///< _MIDPOINT and ISO_FRICTION_MODEL_STICK alone; 0.5
    double friction_dynamic; ///< >= 0; 0.5

    iso_extent_kind extent_kind;          ///< auto; half spaces: depth over slab_thickness always
    double stiffening;                    ///< k in M(e) = modulus / (1 - k e), in [0, 1); 0
    const iso_modulus_row* modulus_table; ///< M(e), linear between rows; replaces `modulus` and
                                          ///< `stiffening`; copied with the geometry; NULL
    int modulus_row_count;                ///< rows of the table; 0
    int layer_count;          ///< cuts of the mesh along equal extents, graded to the skin, so that
                              ///< a curved M(e) e is resolved; at most 1000; 0: as tessellated
    bool is_mesh_kept;        ///< meshes: tetrahedra as in the file; otherwise inner edges,
                              ///< triangles and tetrahedra between vertices of the skin get an
                              ///< inner vertex, so that pressure can rise there; false
    bool is_skin_bonded;      ///< meshes with their own field: it may differ from 0 on the skin,
                              ///< where that is bonded to something rigid or insulated; false
    double expansion_rate;    ///< tau [1/s]: sets dissipation = 1 / (L tau), L the characteristic
                              ///< thickness of the field; 0: `dissipation` as given
    double restitution;       ///< in (0, 1]: sets the dissipation at which a central impact at
                              ///< `restitution_speed` returns with this share of it; 0: unset
    double restitution_speed; ///< [m/s], >= 0; 1. 0: that of each impact, at first touch, as long
                              ///< as it lasts: hertz and volumetric, continuous methods
    double adhesion; ///< largest tension of the damped pressure [Pa], >= 0; 0. Two compliant
                     ///< bodies: the smaller; a rigid one does not limit. Not with SAP
    iso_contact_model_kind model; ///< of pairs with this geometry; two that differ are an error
    double young_modulus; ///< E, of point contact [Pa], >= 0; 0: `modulus`, of rigid ones infinite
    double poisson_ratio; ///< nu, of point contact, in (-1, 0.5]; 0.3

    // Bristle friction (docs/theory/bristle.md) of pairs with this geometry, models hertz and
    // volumetric. Two that have it: 2 a b / (a + b) of each number, as of friction.
    double bristle_stiffness; ///< sigma_0, per normal force [1/m], >= 0; 0: no bristles
    double bristle_damping;   ///< sigma_1 [s/m], >= 0; 0: critical, 2 sqrt(sigma_0 / 9.81)
    double bristle_viscous;   ///< sigma_2 [s/m], >= 0; 0
    double stribeck_speed;    ///< v_s, at which sticking has fallen to 1/e [m/s], > 0; 1e-3
    double dwell_time;        ///< tau_dw, of the rise of breakaway at rest [s], >= 0; 0
    double restitution_slope; ///< restitution falls so much per speed of impact, to 0.01 at least
                              ///< [s/m], >= 0; 0
} iso_contact_material;

/// The values named beside the members.
ISO_API iso_contact_material iso_contact_material_default(void);

/// What a contact model finds where two geometries meet.
typedef enum iso_manifold_kind {
    ISO_MANIFOLD_PATCH,  ///< faces with a pressure
    ISO_MANIFOLD_POINT,  ///< a point and a normal
    ISO_MANIFOLD_VOLUME, ///< the volume that both bodies fill, and a normal
} iso_manifold_kind;

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
    ISO_COMBINE_ELANDT, ///< (Xa ca^2 + Xb cb^2) / (ca + cb)^2 with the compliances of each face,
                        ///< one over the slope of the field across it; [Elandt2022] eq. 5.14
    ISO_COMBINE_ELANDT_MEAN, ///< the same once per pair with average compliances c = L / M, L the
                             ///< characteristic thickness of the field; [Elandt2022] eq. 5.13
} iso_combine;

/// How a velocity-level step regularises stiffness and friction (docs/theory/contact.md).
/// ISO_REGULARIZATION_PATCH sets it once per patch, so that refining a mesh changes nothing;
/// ISO_REGULARIZATION_DRAKE once per face with Drake's constants, so that more faces stiffen it.
typedef enum iso_regularization {
    ISO_REGULARIZATION_PATCH,
    ISO_REGULARIZATION_DRAKE,
} iso_regularization;

/// What damps the normal pressure in the continuous and the lagged law (SAP has its relaxation
/// time). ISO_DAMPING_HUNT_CROSSLEY: the separation speed of the bodies, p0 (1 - d v_n);
/// ISO_DAMPING_EXTENT_RATE: for each compliant side the rate of its own extent, [Elandt2019] eq. 2
/// and 17: on every face (Xa ca^2 + Xb cb^2) / (ca + cb)^2 with X_i = (grad e_i . n_i) / tau_i from
/// nodal gradients, where 1 / tau_i = d_i L_i; `combine` has no part in it. Two rigid bodies: as
/// Hunt-Crossley (docs/theory/contact.md).
typedef enum iso_damping {
    ISO_DAMPING_HUNT_CROSSLEY,
    ISO_DAMPING_EXTENT_RATE,
} iso_damping;

/// Friction of the lagged law. ISO_FRICTION_MODEL_STICK: what rests stays where it is; before it
/// slides a patch gives way a thousandth as much as when it is pressed, or by friction /
/// friction_stiffness at most where that is given (docs/theory/sticking.md).
/// ISO_FRICTION_MODEL_REGULARIZED: friction grows with the slip velocity up to `stiction_velocity`,
/// so that everything creeps. The other methods are always regularised. ISO_FRICTION_MODEL_BRUSH:
/// a field of springs and dampers before Coulomb's law, that of ISO_FRICTION_BRUSH, with the
/// dynamic coefficient, `brush_size`, stiffness and damping time as there; contacts without faces
/// stick.
typedef enum iso_friction_model {
    ISO_FRICTION_MODEL_STICK,
    ISO_FRICTION_MODEL_REGULARIZED,
    ISO_FRICTION_MODEL_BRUSH,
} iso_friction_model;

/// The least size of cubes that carry springs [m].
#define ISO_BRUSH_LEAST_SIZE 1e-6

/// Choices that hold for every pair of a world. Start from iso_contact_options_default().
typedef struct iso_contact_options {
    iso_representation representation; ///< polygon
    iso_cull cull;                     ///< none
    iso_combine combine;               ///< Drake
    iso_regularization regularization; ///< per patch
    iso_damping damping;               ///< Hunt-Crossley
    double rigid_layer_thickness;      ///< rigid x rigid: layer on one of them [m]; 1e-3
    double rigid_layer_modulus;        ///< rigid x rigid: pressure at that depth [Pa]; 1e7
    double stiction_velocity;          ///< regularisation of friction [m/s], > 0; 1e-4
    iso_friction_model friction;       ///< stick
    double friction_stiffness;         ///< shear traction per pressure and stretch of a patch that
                                       ///< sticks [1/m], >= 0; 0: from the patch itself
    double friction_damping_time;      ///< damping over stiffness of the stretch [s]; < 0: critical
                                       ///< damping of the bodies on the patch; -1
    iso_contact_model_kind model;  ///< of pairs that it takes and whose materials name none; the
                                   ///< others are pressure fields
    iso_friction_law friction_law; ///< of the continuous methods, all contact models; viscous. The
                                   ///< velocity-level ones have `friction`: a warning says so.
                                   ///< COMPLIANT and BRUSH take stiffness and damping time from
                                   ///< above; 0: 1e4 / m; < 0: critical damping at 9.81 m/s^2
    iso_own_friction own_friction; ///< of ISO_FRICTION_OWN
    double brush_size; ///< both brushes: cubes of the grid that carries springs [m], at least
                       ///< ISO_BRUSH_LEAST_SIZE; 0: an eighth of the longest side of the smaller
                       ///< geometry of a pair
} iso_contact_options;

/// The values named beside the members.
ISO_API iso_contact_options iso_contact_options_default(void);

/// What carries a face in A and in B: the index of a tetrahedron of a pressure field, of a triangle
/// of a rigid surface, or -1 for a half space.
typedef struct iso_face_elements {
    int a, b;
} iso_face_elements;

/// A contact patch between bodies A and B: flat faces, in the world frame W. Face f owns the
/// vertices face_offsets[f] .. face_offsets[f+1]-1, counter-clockwise about its normal; vertices
/// are not shared. Read-only view, valid until the world changes.
typedef struct iso_patch {
    int face_count;
    int vertex_count;
    bool is_rigid_a, is_rigid_b;       ///< that side has no field: its gradients are zero
    const int* face_offsets;           ///< [face_count + 1]
    const iso_vec3* vertices;          ///< [vertex_count] [m]
    const double* vertex_pressures;    ///< [vertex_count] [Pa]
    const double* areas;               ///< [face_count] [m^2]
    const iso_vec3* centroids;         ///< [face_count] [m]
    const iso_vec3* normals;           ///< [face_count] unit, from A into B
    const double* pressures;           ///< [face_count] at the centroid [Pa]
    const iso_vec3* gradients_a;       ///< [face_count] of the field of A [Pa/m]
    const iso_vec3* gradients_b;       ///< [face_count] of the field of B [Pa/m]
    const iso_face_elements* elements; ///< [face_count] what carries the face
    double area;                       ///< where the pressure is positive [m^2]: faces that reach
                                       ///< into a margin count with the part that has pressure;
                                       ///< tetrahedra of a kept mesh that have none count as well
    double max_pressure;               ///< largest vertex pressure [Pa]; negative in margins only
    iso_vec3 centroid;                 ///< of that area; of all faces when it is zero [m]
    iso_vec3 center_of_pressure;       ///< weighted with area times pressure [m]; else the centroid
} iso_patch;

/// Energy stored in contacts, asked for by iso_world_elastic_energy() or
/// iso_query_elastic_energy().
typedef struct iso_elastic_energy {
    double energy; ///< [J]
    bool is_exact; ///< the integral of the smaller pressure over the overlap, to rounding; false:
                   ///< that of columns along the normal, as iso_contact's elastic_energy, where the
                   ///< patch does not bound the overlap (faces culled, an open surface, fields
                   ///< equal at a maximum or not 0 on their skin): docs/theory/energy_flux.md
} iso_elastic_energy;

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
    const iso_vec3* stretches;       ///< [face_count] mean stretch of the springs of
                                     ///< ISO_FRICTION_COMPLIANT and both brushes, world [m]: B has
                                     ///< moved so far while it stuck; NULL: other friction
    const double* sliding;     ///< [face_count] of those laws: share of the force that slides, 0
                               ///< to 1; NULL with the stretches
    iso_spatial f_b_w;         ///< (moment about the centre of pressure; force) on B
    double elastic_energy;     ///< stored in the patch's overlap, by columns along the
                               ///< normal, which is rough: iso_world_elastic_energy() is
                               ///< exact, and a recording has that one [J]
    double extent_a, extent_b; ///< largest pressure of the patch over the largest of the field
                               ///< of A and of B; 0 when rigid. Near 1 the bodies are about to
                               ///< pass through each other; above 1 only in a half space, below
                               ///< its slab
    double sheet_thickness;    ///< where the patch lies on both sides of something thinner
                               ///< than the penetration: its thickness [m]; 0 for a surface
                               ///< without a back (docs/theory/contact.md)
    double sheet_depth;        ///< the penetration there [m]; 0: there is no such place
    bool is_energy_exact; ///< elastic_energy is: true in recordings only, as iso_elastic_energy
    iso_manifold_kind manifold; ///< patch: as above; others: without faces and arrays, the patch
                                ///< holds what sums them up
    const char* model;          ///< name of the contact model, static storage
    iso_vec3 normal;            ///< mean, unit, from A into B; zero where there is none
} iso_contact;

#ifdef __cplusplus
}
#endif
