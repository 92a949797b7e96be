// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "scene/build/build.h"
#include "scene/text/xml.h"

/// SDFormat 1.2 to 1.12. A document is read in three passes: names (scopes and their nodes),
/// frames (poses and attachments, resolved on demand), parts (bodies, geometry, joints).

typedef struct iso_sdf_scope iso_sdf_scope;
typedef struct iso_sdf_node iso_sdf_node;
typedef struct iso_sdf_mass iso_sdf_mass;

typedef enum iso_sdf_kind {
    ISO_SDF_LINK,
    ISO_SDF_FRAME,
    ISO_SDF_JOINT,
    ISO_SDF_MODEL, ///< a nested model; its frame is __model__ of that model
} iso_sdf_kind;

typedef enum iso_sdf_progress {
    ISO_SDF_UNKNOWN,
    ISO_SDF_IN_PROGRESS, ///< met again: a cycle
    ISO_SDF_KNOWN,
} iso_sdf_progress;

/// Something in a scope that has a name and a pose.
struct iso_sdf_node {
    iso_sdf_kind kind;
    const char* name;
    const xmlNode* element; ///< where it is written; <include> for included models
    iso_sdf_scope* scope;   ///< in which its name is known
    iso_sdf_scope* model;   ///< of a nested model
    iso_pose pose;          ///< raw, in `relative_to`
    const char* relative_to;
    const char* attached_to;     ///< frames: attached_to; joints: the child
    const char* placement_frame; ///< of a nested model; NULL: __model__
    iso_sdf_progress pose_progress;
    bool is_on_path;         ///< of the poses that are wanted now
    iso_sdf_node* link;      ///< that it is attached to; NULL: not known yet, or none
    iso_pose x_sn;           ///< pose in the frame of the scope
    int body;                ///< links: index in the model
    bool is_self_collided;   ///< links: touches other links of its model
    iso_sdf_mass* automatic; ///< links of <inertial auto="true">: what was summed up; or NULL
};

/// A model or a world: a set of names.
struct iso_sdf_scope {
    iso_sdf_scope* parent;
    iso_sdf_node* node;      ///< that it is the model of; NULL of a world
    const char* name;        ///< "" for a world
    const char* scoped_name; ///< "outer::inner", "" for a world
    const char* frame_name;  ///< of the model's own frame: "__model__", unless it is merged
    const xmlNode* element;  ///< <model> or <world>
    const xmlNode* robot;    ///< of an included URDF or MJCF file; NULL: it is SDFormat
    const char* mujoco_path; ///< of an included MJCF file, else NULL
    iso_scene_mark from, to; ///< the parts of an included MJCF file
    bool is_merged;          ///< its names are known in the scope around it, too
    int merged_count;        ///< scopes that are merged into this one
    int first_link;          ///< of the nodes: none before has a link
    bool is_world;
    bool is_static;
    bool is_self_collided;   ///< what its links are where they do not say
    bool says_self_collided; ///< it or a link says whether
    int version;             ///< 1.7 -> 107
    iso_sdf_node** nodes;    ///< [node_count]
    int node_count, node_capacity;
    const char* canonical_link; ///< NULL: the first link
};

typedef struct iso_sdf_reader {
    iso_scene_build* build;
    ISO_ARRAY(xmlDoc*) docs;
    ISO_ARRAY(iso_sdf_node*) nodes; ///< of all scopes
    iso_name_table table;           ///< of them by scope and name
} iso_sdf_reader;

#define ISO_SDF_MAX_DOCUMENTS 1000 ///< files of one load

/// What a name means where it is used.
typedef struct iso_sdf_target {
    iso_sdf_node* node; ///< NULL: the frame of `scope` itself (__model__ or the world)
    iso_sdf_scope* scope;
} iso_sdf_target;

/// Read an SDFormat document. All names are put inside `scope`; `rename` (may be NULL) replaces the
/// name of its only model.
iso_status iso_sdf_read_bytes(iso_scene_build* build, const char* path, const char* bytes,
                              size_t size, const char* scope, const char* rename);

// names
/// Fill `world` with everything that has a name, included files too.
iso_status iso_sdf_collect_document(iso_sdf_reader* reader, const xmlNode* root,
                                    iso_sdf_scope* world, const char* rename);
/// How a model comes into a scope.
typedef struct iso_sdf_manner {
    int version;        ///< of its document
    const char* rename; ///< NULL: the name in the file
    bool is_merged;
} iso_sdf_manner;

iso_status iso_sdf_add_node(iso_sdf_reader* reader, iso_sdf_scope* scope, iso_sdf_kind kind,
                            const xmlNode* element, const char* name, iso_sdf_node** out_node);
/// The node of a scope, not of what is merged into it; NULL: none.
iso_sdf_node* iso_sdf_find_node(const iso_sdf_reader* reader, const iso_sdf_scope* scope,
                                const char* name, size_t length);
/// A node for a model and its scope, which is empty yet.
iso_status iso_sdf_add_scope(iso_sdf_reader* reader, const xmlNode* element, iso_sdf_scope* parent,
                             const iso_sdf_manner* manner, iso_sdf_node** out_node);
/// All names of a <model>.
iso_status iso_sdf_collect_model(iso_sdf_reader* reader, const xmlNode* element,
                                 iso_sdf_scope* parent, const iso_sdf_manner* manner,
                                 iso_sdf_node** out_node);
/// The links of a <robot>, a URDF.
iso_status iso_sdf_collect_robot(iso_sdf_reader* reader, const xmlNode* robot,
                                 iso_sdf_scope* parent, const iso_sdf_manner* manner,
                                 iso_sdf_node** out_node);
/// The name of a <mujoco>, an MJCF file; its bodies are known after iso_sdf_read_mujoco().
iso_status iso_sdf_collect_mujoco(iso_sdf_reader* reader, const xmlNode* root, const char* path,
                                  iso_sdf_scope* parent, const iso_sdf_manner* manner,
                                  iso_sdf_node** out_node);
/// Read an included MJCF file as if it were the world, once all <static> are known and before any
/// pose is.
iso_status iso_sdf_read_mujoco(iso_sdf_reader* reader, iso_sdf_scope* scope);
iso_status iso_sdf_collect_include(iso_sdf_reader* reader, const xmlNode* include,
                                   iso_sdf_scope* scope);
/// Version 1.7 is 107.
iso_status iso_sdf_read_version(iso_scene_build* build, const xmlNode* root, int* out_version);
/// What a child like <static> says; left as it is when absent.
iso_status iso_sdf_read_switch(iso_scene_build* build, const xmlNode* element, const char* name,
                               bool* value);
/// <sdf>, which was <gazebo> up to version 1.2.
bool iso_sdf_is_root(const xmlNode* root);
/// Parse a document that lives as long as the reader: <sdf>, or something else.
iso_status iso_sdf_parse(iso_sdf_reader* reader, const char* path, const char* bytes, size_t size,
                         const xmlNode** out_root);

/// Warn of attributes that nobody reads, and of a second element of what can be said once.
/// @return ISO_ERR_PARSE
iso_status iso_sdf_check_elements(iso_scene_build* build, const xmlNode* root);

// frames
iso_status iso_sdf_find(const iso_sdf_reader* reader, iso_source at, iso_sdf_scope* scope,
                        const char* name, iso_sdf_target* out_target);
/// Pose of a target in the frame of `scope`, an ancestor of (or the same as) its own.
iso_status iso_sdf_pose_in(const iso_sdf_reader* reader, const iso_sdf_scope* scope,
                           const iso_sdf_target* target, iso_pose* out_x);
/// Pose of a scope's frame in the outermost world.
iso_status iso_sdf_scope_pose(const iso_sdf_reader* reader, const iso_sdf_scope* scope,
                              iso_pose* out_x);
/// Link that a target is fixed to; NULL for the world.
iso_status iso_sdf_link_of(const iso_sdf_reader* reader, const iso_sdf_target* target,
                           iso_source at, iso_sdf_node** out_link);
/// Read <pose> of an element: numbers, degrees, quaternions and relative_to. Identity when absent.
iso_status iso_sdf_read_pose(iso_scene_build* build, const xmlNode* element, iso_pose* out_pose,
                             const char** out_relative_to);

// parts
iso_status iso_sdf_add_link(iso_sdf_reader* reader, iso_sdf_node* link);
/// Everything of an included URDF.
iso_status iso_sdf_add_robot(iso_sdf_reader* reader, const iso_sdf_scope* scope);
/// Put what iso_sdf_read_mujoco() read where the model is.
iso_status iso_sdf_place_mujoco(iso_sdf_reader* reader, const iso_sdf_scope* scope);
iso_status iso_sdf_add_joint(iso_sdf_reader* reader, const iso_sdf_node* joint);
/// Those that close a loop with what iso_sdf_add_joint() added.
iso_status iso_sdf_add_late_joint(iso_sdf_reader* reader, const iso_sdf_node* joint);
/// Links of one model touch each other where one of them says so by <self_collide>, or the model.
iso_status iso_sdf_exclude_links(iso_sdf_reader* reader, const iso_sdf_scope* scope);
/// The coupler of a joint with <mimic>, or of a gearbox, when all joints are there.
iso_status iso_sdf_add_tie(iso_sdf_reader* reader, const iso_sdf_node* joint);
iso_status iso_sdf_is_gear(iso_scene_build* build, const iso_sdf_node* joint, bool* out_is_gear);
iso_status iso_sdf_add_gear(iso_sdf_reader* reader, const iso_sdf_node* joint);
/// The body that the link or frame `name` is fixed to, and the pose in it of what has x_sj in the
/// scope of a joint.
iso_status iso_sdf_read_end(iso_sdf_reader* reader, const iso_sdf_node* joint, const char* name,
                            const iso_pose* x_sj, int* out_body, iso_pose* out_x);
/// Both ends of a joint, and the pose of its frame on the child in its scope.
iso_status iso_sdf_read_ends(iso_sdf_reader* reader, const iso_sdf_node* joint, iso_pose* x_sj,
                             iso_joint_desc* desc);
/// <axis> or <axis2> in the frame of a joint.
iso_status iso_sdf_read_axis(iso_sdf_reader* reader, const iso_sdf_node* joint, const xmlNode* axis,
                             const iso_pose* x_sj, iso_vec3* out_axis);
/// Whether a <sensor> is of kind imu or contact, in a joint force_torque; others are warned of, and
/// nothing in them is looked at.
bool iso_sdf_is_read_sensor(iso_scene_build* build, const xmlNode* element, bool is_in_joint);
/// Such a <sensor>. SDFormat, and URDF in <gazebo>.
/// @param scope    scoped name of its model
/// @param body     of a sensor in a link; -1 for one in a joint
/// @param joint    scoped name of the joint of a sensor in a joint, else NULL
/// @param x_start  pose of the sensor in the link, or in the joint's frame on the child
/// @param x_cm     pose of the joint's frame on the child; NULL without a joint
iso_status iso_sdf_add_sensor(iso_scene_build* build, const xmlNode* element, const char* scope,
                              int body, const char* joint, const iso_pose* x_start,
                              const iso_pose* x_cm);
/// All <sensor> of a joint.
iso_status iso_sdf_add_joint_sensors(iso_scene_build* build, const xmlNode* element,
                                     const char* scope, const char* joint, const iso_pose* x_cm);
/// Friction along two directions, the numbers in the children `first` and `second`: the first
/// counts along both, with a warning where they differ, unless friction is stated already.
iso_status iso_sdf_read_friction(iso_scene_build* build, const xmlNode* element, const char* first,
                                 const char* second, iso_material_spec* spec);
/// ODE's stiffness and damping in the children <kp> and <kd>; a law that is there already stays.
iso_status iso_sdf_read_ode_law(iso_scene_build* build, const xmlNode* element, iso_point_law* law);
/// <inertial> of a link; that of <inertial auto="true"> is known when its collisions were added and
/// iso_sdf_finish_inertial() was called.
iso_status iso_sdf_read_inertial(iso_scene_build* build, iso_sdf_node* link, iso_body_desc* body);
iso_status iso_sdf_add_mass(iso_scene_build* build, const iso_sdf_node* link,
                            const xmlNode* collision, const iso_geometry_desc* geometry);
iso_status iso_sdf_finish_inertial(iso_scene_build* build, const iso_sdf_node* link);
/// Shape in <geometry> and its pose relative to the pose of the collision or visual.
/// @param out_is_known  false: nothing there, or nothing that can be used for a visual
iso_status iso_sdf_read_geometry(iso_scene_build* build, const xmlNode* element, bool is_visual,
                                 iso_shape_desc* shape, iso_pose* x_offset, bool* out_is_known);
