// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/contact.h"
#include "isobar/geometry.h"

/// A description of bodies, joints and geometries, filled by hand or by iso_scene_load() and turned
/// into a world by iso_world_create(). Indices are those of creation; body 0 is the world itself,
/// named "world". Everything passed in is copied.
typedef struct iso_model iso_model;

/// Index of the body "world".
#define ISO_WORLD_BODY 0

/// A rigid body. Start from iso_body_desc_default().
typedef struct iso_body_desc {
    const char* name;        ///< scoped, "model::link"; unique
    double mass;             ///< [kg], > 0 unless the body is welded to the world
    iso_vec3 center_of_mass; ///< in the body frame B [m]
    iso_mat3 inertia;        ///< about the centre of mass, axes of B [kg m^2]
    const char* source;      ///< "file:line" for error messages; may be NULL
} iso_body_desc;
/// 1 kg, inertia 1 kg m^2 about each axis, no name.
ISO_API iso_body_desc iso_body_desc_default(void);

/// A geometry used for contact. Start from iso_geometry_desc_default().
typedef struct iso_geometry_desc {
    const char* name; ///< unique within its body
    iso_shape_desc shape;
    iso_pose x_bg; ///< pose of the shape in its body
    iso_contact_material material;
    const char* source; ///< "file:line" for error messages; may be NULL
} iso_geometry_desc;
/// A sphere at the origin of its body, default material.
ISO_API iso_geometry_desc iso_geometry_desc_default(void);

/// A geometry that is only shown. Start from iso_visual_desc_default().
typedef struct iso_visual_desc {
    const char* name;
    iso_shape_desc shape;
    iso_pose x_bg;
    float rgba[4];
} iso_visual_desc;
/// A grey sphere at the origin of its body.
ISO_API iso_visual_desc iso_visual_desc_default(void);

/// Kinds of joints.
typedef enum iso_joint_kind {
    ISO_JOINT_WELD,
    ISO_JOINT_REVOLUTE,  ///< position [rad], velocity [rad/s], effort [N m]
    ISO_JOINT_PRISMATIC, ///< position [m], velocity [m/s], effort [N]
    ISO_JOINT_FREE,      ///< 6 degrees of freedom
} iso_joint_kind;

/// A joint: frame F fixed to the parent, frame M fixed to the child; at position 0 they coincide.
/// Start from iso_joint_desc_default(). A body without a joint to a parent floats freely.
typedef struct iso_joint_desc {
    const char* name; ///< scoped, "model::joint"; unique
    iso_joint_kind kind;
    int parent, child;     ///< body indices
    iso_pose x_pf;         ///< pose of F in the parent
    iso_pose x_cm;         ///< pose of M in the child
    iso_vec3 axis;         ///< unit, in F; revolute, prismatic
    double lower, upper;   ///< limits of position; -INFINITY, INFINITY: none
    double velocity_limit; ///< recorded, not enforced; INFINITY: none
    double effort_limit;   ///< of actuators on it; INFINITY: none
    double damping;        ///< [N m s] or [N s/m], >= 0
    double position;       ///< initial; revolute, prismatic
    double velocity;       ///< initial
    const char* source;    ///< "file:line" for error messages; may be NULL
} iso_joint_desc;
/// A weld of coinciding frames; axis z, no limits.
ISO_API iso_joint_desc iso_joint_desc_default(void);

/// An actuator on a revolute or prismatic joint: effort = u + kp (q* - q) + kd (v* - v), clamped to
/// +-effort_limit; the PD part is implicit in the step.
typedef struct iso_actuator_desc {
    const char* name; ///< unique
    int joint;
    double effort_limit; ///< > 0; INFINITY: none
    double kp, kd;       ///< >= 0
} iso_actuator_desc;
/// No PD law, no effort limit.
ISO_API iso_actuator_desc iso_actuator_desc_default(void);

/// Create a model that holds the body "world" only.
/// @param[out] out_model  owned by the caller, release with iso_model_destroy(); NULL on error
ISO_NODISCARD ISO_API iso_status iso_model_create(iso_context* ctx, iso_model** out_model);
/// Release a model; worlds made from it stay. NULL is allowed.
ISO_API void iso_model_destroy(iso_model* model);

/// Add parts. Each checks its argument (finite, physical inertia, unit axis, known indices, unique
/// names) and reports name, value and range.
/// @param[out] out_index  may be NULL
ISO_NODISCARD ISO_API iso_status iso_model_add_body(iso_model* model, const iso_body_desc* desc,
                                                    int* out_index);
/// Add contact geometry to a body; as iso_model_add_body().
ISO_NODISCARD ISO_API iso_status iso_model_add_geometry(iso_model* model, int body,
                                                        const iso_geometry_desc* desc,
                                                        int* out_index);
/// Replace the contact material of a geometry; a table of moduli is copied.
/// @return ISO_ERR_ARGUMENT, ISO_ERR_RANGE (also of the index), ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_model_set_material(iso_model* model, int geometry,
                                                        const iso_contact_material* material);
/// Add something to show to a body; as iso_model_add_body().
ISO_NODISCARD ISO_API iso_status iso_model_add_visual(iso_model* model, int body,
                                                      const iso_visual_desc* desc, int* out_index);
/// Add a joint between two bodies; as iso_model_add_body().
ISO_NODISCARD ISO_API iso_status iso_model_add_joint(iso_model* model, const iso_joint_desc* desc,
                                                     int* out_index);
/// Add an actuator to a joint; as iso_model_add_body().
ISO_NODISCARD ISO_API iso_status iso_model_add_actuator(iso_model* model,
                                                        const iso_actuator_desc* desc,
                                                        int* out_index);
/// Never look for contact between these two bodies.
ISO_NODISCARD ISO_API iso_status iso_model_exclude_pair(iso_model* model, int body_a, int body_b);

/// Initial pose and velocity of a body that floats freely (or is the root of a floating tree).
/// The twist is (angular velocity; velocity of the body origin), in the world.
ISO_NODISCARD ISO_API iso_status iso_model_set_free_pose(iso_model* model, int body,
                                                         const iso_pose* x_wb);
/// Initial velocity of a body that floats freely: (angular velocity; velocity of the body origin),
/// in the world.
ISO_NODISCARD ISO_API iso_status iso_model_set_free_twist(iso_model* model, int body,
                                                          iso_spatial v_wb);

/// Access, for tools that list or edit a model. Pointers are owned by the model; the editable ones
/// stay valid until the next part of that kind is added. Numbers may be edited, and are checked
/// again by iso_world_create(); names, sources, paths, meshes and tables of moduli must stay.
ISO_API int iso_model_body_count(const iso_model* model);
/// Number of joints.
ISO_API int iso_model_joint_count(const iso_model* model);
/// Number of contact geometries.
ISO_API int iso_model_geometry_count(const iso_model* model);
/// Number of visuals.
ISO_API int iso_model_visual_count(const iso_model* model);
/// Number of actuators.
ISO_API int iso_model_actuator_count(const iso_model* model);
/// Body by index; editable.
ISO_API iso_body_desc* iso_model_body(iso_model* model, int index);
/// Joint by index; editable.
ISO_API iso_joint_desc* iso_model_joint(iso_model* model, int index);
/// Contact geometry by index; editable. out_body: index of its body, may be NULL.
ISO_API iso_geometry_desc* iso_model_geometry(iso_model* model, int index, int* out_body);
/// Visual by index; editable. out_body: index of its body, may be NULL.
ISO_API iso_visual_desc* iso_model_visual(iso_model* model, int index, int* out_body);
/// Actuator by index; editable.
ISO_API iso_actuator_desc* iso_model_actuator(iso_model* model, int index);
/// Index by name, or -1.
ISO_API int iso_model_find_body(const iso_model* model, const char* name);
/// Index by name, or -1.
ISO_API int iso_model_find_joint(const iso_model* model, const char* name);
/// Index by name, or -1.
ISO_API int iso_model_find_actuator(const iso_model* model, const char* name);
