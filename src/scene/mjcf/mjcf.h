// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "scene/build/mass_sum.h"
#include "scene/mjcf/mjcf_read.h"
#include "scene/text/xml.h"

/// MJCF, the format of MuJoCo: compiler settings, default classes, mesh assets, the tree of bodies,
/// then what refers to it: equalities, tendons, actuators, excluded pairs, keyframes.

/// An element and the default class that fills in its attributes.
typedef struct iso_mjcf_item {
    const xmlNode* node;
    int class_index; ///< in classes
} iso_mjcf_item;

/// <default class>: several elements may add to one class.
typedef struct iso_mjcf_class {
    const char* name;
    int parent;       ///< -1: the main class
    int parent_count; ///< elements of the parent that it goes on from: later ones say nothing to it
    ISO_ARRAY(const xmlNode*) elements;
} iso_mjcf_class;

typedef enum iso_mjcf_joint_type {
    ISO_MJCF_FREE,
    ISO_MJCF_BALL,
    ISO_MJCF_SLIDE,
    ISO_MJCF_HINGE,
} iso_mjcf_joint_type;

/// A joint, in the order of the file, which is that of keyframes.
typedef struct iso_mjcf_joint {
    const char* name; ///< as in the file, or made up
    iso_mjcf_joint_type type;
    int joint;                  ///< in the model; -1 for free joints
    int body;                   ///< in the model
    int owner;                  ///< the body that has it, in bodies
    double ref;                 ///< position in the pose of the file [rad] or [m]
    double spring_reference;    ///< position where its spring is at rest [rad] or [m]
    double range[2];            ///< as in the file, limited or not [rad] or [m]
    double effort_range[2];     ///< of its actuators
    const xmlNode* spring_node; ///< the element where spring_damper is given; NULL: nowhere
    double spring_damper[2];    ///< time constant [s] and damping ratio
    double armature;            ///< of a free joint, of each of its velocities
} iso_mjcf_joint;

typedef struct iso_mjcf_body {
    const char* name; ///< as in the file
    int body;         ///< in the model
    iso_pose x_wb;    ///< in the pose of the file
    int parent;       ///< in bodies
    int weld;         ///< in bodies: the first of those welded together with it
    bool is_static;   ///< cannot move
    bool is_mocap;    ///< moved by a program
} iso_mjcf_body;

typedef struct iso_mjcf_geom {
    const char* name;
    const xmlNode* node;
    int body;     ///< in bodies
    int geometry; ///< in the model; -1: it makes no contact
    uint32_t group, mask;
    iso_pose x_bg;
    iso_shape_kind shape;
    double radius;   ///< sphere, cylinder [m]
    bool has_mesh;   ///< whose own frame MuJoCo moves
    double friction; ///< sliding
    int dimension;   ///< condim
    int priority;
} iso_mjcf_geom;

/// A contact model that <custom> names.
typedef struct iso_mjcf_model {
    const char* name; ///< of a geom or pair; "": all geoms without one of their own
    const xmlNode* node;
    iso_contact_model_kind kind;
    bool is_used; ///< there is what it names
} iso_mjcf_model;

/// Bodies of the model that make no contact with each other.
typedef struct iso_excluded_bodies {
    int body_a, body_b;
} iso_excluded_bodies;

typedef struct iso_mjcf_site {
    const char* name;
    int body; ///< in bodies
    iso_pose x_bs;
    iso_mjcf_item item;
} iso_mjcf_site;

/// What of a mesh has mass, as the attribute `inertia` says it.
typedef enum iso_mjcf_mesh_mass {
    ISO_MJCF_MASS_LEGACY, ///< tetrahedra from its middle to its triangles, all counted as positive
    ISO_MJCF_MASS_EXACT,  ///< what it encloses
    ISO_MJCF_MASS_CONVEX, ///< its hull
    ISO_MJCF_MASS_SHELL,  ///< its surface
} iso_mjcf_mesh_mass;

typedef struct iso_mjcf_mesh {
    const char* name;
    iso_shape_desc shape; ///< what collides: the hull
    iso_shape_desc solid; ///< what has mass
    iso_mjcf_mesh_mass mass;
    iso_pose x_ref;           ///< of the shape in the frame of a geom: refpos and refquat
    bool is_weighed;          ///< what follows is known
    iso_mass_properties own;  ///< of density 1, without x_ref; of a shell per area
    bool is_measured;         ///< what follows is known
    iso_pose x_fit;           ///< of its principal axes, in the frame of a geom
    double box[3];            ///< half sides of the box of its mass and moments
    iso_vec3 lowest, highest; ///< corners of what encloses it, along the principal axes
} iso_mjcf_mesh;

typedef struct iso_mjcf_tendon {
    const char* name;
    const xmlNode* element; ///< <fixed>: a weighted sum of joint positions; or <spatial>
    int fixed_tendon;       ///< in the model; -1: none
    const char* flaw;       ///< why there can be none; NULL: it can be made
    bool is_watched;        ///< a sensor reads what its limits do: no joint or rope has them
} iso_mjcf_tendon;

/// joint_b = ratio joint_a + offset, of an equality.
typedef struct iso_mjcf_coupling {
    int joint_a, joint_b; ///< in the model
    double ratio, offset;
} iso_mjcf_coupling;

/// What a control of an actuator is to the force.
typedef enum iso_mjcf_dynamics {
    ISO_MJCF_DIRECT,     ///< it acts itself
    ISO_MJCF_INTEGRATED, ///< the rate of the activation, which acts
    ISO_MJCF_LAGGED,     ///< what the activation tends to; here it acts itself
} iso_mjcf_dynamics;

/// An actuator as the file has it: force = gain u + bias_0 + bias_1 l + bias_2 dl/dt, where u is
/// the control or activation; - damping u dl/dt of a damper.
typedef struct iso_mjcf_actuator {
    int actuator; ///< in the model; -1: left out
    double gear;
    double gain, bias[3], damping;
    iso_mjcf_dynamics dynamics;
    int activation; ///< among those of keyframes; -1: none
    int width;      ///< numbers of its activation; several only where it is left out
    double control_range[2], act_range[2];
} iso_mjcf_actuator;

/// What an actuator or tendon pulls along: l = scale q + offset, without the gear.
typedef struct iso_mjcf_transmission {
    int joint;        ///< in the model; -1: none
    int fixed_tendon; ///< in the model, where there is no joint; -1: nothing that has a length
    double scale, offset;
    bool is_held;     ///< couplings hold l where it is
    bool has_gears;   ///< of a wrench: l has them all; adhesion: it heeds none
    bool is_adhesion; ///< it pulls at what a body touches
    int body;         ///< of adhesion, in the model
} iso_mjcf_transmission;

/// Weighted sum of joints of the model, each there once.
typedef struct iso_mjcf_sum {
    int count;
    int* joints;     ///< [count], in the arena
    double* weights; ///< [count]
    double start;    ///< the sum in the pose of the file
} iso_mjcf_sum;

/// <replicate>
typedef struct iso_mjcf_replicate {
    int count;
    double angles[3]; ///< from one copy to the next, in the file's unit
    iso_vec3 offset;
    const char* separator;
    int index;                ///< of the next copy
    iso_vec3 place;           ///< of the next copy
    const char* outer_suffix; ///< that of what this one is in
    int outer_instance;
} iso_mjcf_replicate;

/// A name that was copied: base + suffix.
typedef struct iso_mjcf_copy {
    const char* base;
    const char* suffix;
    int instance; ///< of what was copied with it: 1 for the first copy of all
} iso_mjcf_copy;

/// What <option><flag> disables.
typedef struct iso_mjcf_flags {
    bool gravity, contact, limit, spring, damper, friction, equality, control_range, actuation;
} iso_mjcf_flags;

/// What <compiler> says in a file and those it includes; an attached file has its own.
typedef struct iso_mjcf_settings {
    const char* path;  ///< of the main file, or of the one that is attached
    double angle_unit; ///< [rad]
    char euler_order[4];
    bool has_automatic_limits;
    bool has_balanced_inertia; ///< moments of no solid become their mean
    bool fits_boxes;           ///< shapes fitted to meshes enclose them, else have their moments
    bool has_aligned_bodies;   ///< those that float alone get the frame of their inertia
    int inertia_from_geometry; ///< 0 false, 1 true, 2 auto
    double bound_mass, total_mass; ///< [kg]; a total of 0: as it is
    double bound_inertia;          ///< of principal moments [kg m^2]
    int inertia_groups[2];
    const char* mesh_directory;
    bool strips_paths; ///< of files of assets only the last part counts
} iso_mjcf_settings;

/// A parsed file, and whose settings it is read with.
typedef struct iso_mjcf_document {
    xmlDoc* doc;
    int settings; ///< index
} iso_mjcf_document;

/// Lists of a reader whose names are looked up.
enum {
    ISO_MJCF_MESHES,
    ISO_MJCF_HFIELDS,
    ISO_MJCF_BODIES,
    ISO_MJCF_JOINTS,
    ISO_MJCF_GEOMS,
    ISO_MJCF_SITES,
    ISO_MJCF_TENDONS,
    ISO_MJCF_CLASSES,
    ISO_MJCF_LIST_COUNT,
};

/// What an element of a class says of one attribute of one kind of elements.
typedef struct iso_mjcf_default_text {
    const char* text;
    int element; ///< of those of the class
    int before;  ///< what an earlier element says; -1: none does
} iso_mjcf_default_text;

typedef struct iso_mjcf_default_key {
    int class_index;
    const char *tag, *name;
    int last; ///< of the texts
} iso_mjcf_default_key;

/// What all classes say.
typedef struct iso_mjcf_defaults {
    ISO_ARRAY(iso_mjcf_default_key) keys;
    ISO_ARRAY(iso_mjcf_default_text) texts;
    iso_name_table table;  ///< of the keys
    iso_name_table marked; ///< classes by what is before a mark in their names
} iso_mjcf_defaults;

typedef struct iso_mjcf_reader {
    iso_scene_build* build;
    iso_name_index* indices; ///< [ISO_MJCF_LIST_COUNT] of the names in lists
    const char* scope;
    const char* path;     ///< of the main file
    const char* keyframe; ///< name or index of the one to start from; NULL: none
    ISO_ARRAY(iso_mjcf_document) docs;
    ISO_ARRAY(iso_mjcf_settings) settings; ///< [0]: of the main file
    int reading;                           ///< settings of the files that are parsed now
    ISO_ARRAY(xmlNode*) wrappers;          ///< of attached elements; freed before the documents
    ISO_ARRAY(const char*) prefixes;       ///< of attachments, as they are read
    ISO_ARRAY(const xmlNode*)
    attached_defaults;                  ///< <default> of attached files, whose classes
                                        ///< have roots of their own
    ISO_ARRAY(const xmlNode*) sections; ///< children of <mujoco>, those of included files too
    ISO_ARRAY(iso_mjcf_class) classes;  ///< [0]: main
    iso_mjcf_defaults defaults;
    ISO_ARRAY(iso_mjcf_mesh) meshes;
    ISO_ARRAY(iso_mjcf_mesh) hfields;
    ISO_ARRAY(iso_mjcf_body) bodies; ///< [0]: the world
    ISO_ARRAY(iso_mjcf_joint) joints;
    ISO_ARRAY(const char*) paired;  ///< geoms that pairs name
    ISO_ARRAY(iso_mjcf_geom) geoms; ///< those that have a name or make contact
    ISO_ARRAY(iso_excluded_bodies) excluded;
    ISO_ARRAY(iso_mjcf_model) models;
    ISO_ARRAY(iso_mjcf_site) sites;
    ISO_ARRAY(iso_mjcf_tendon) tendons;
    int tendons_read; ///< of them, beyond their names
    ISO_ARRAY(iso_mjcf_coupling) couplings;
    ISO_ARRAY(iso_mjcf_actuator) actuators; ///< in the order of the file
    int activation_count;                   ///< of keyframes; -1: unknown
    ISO_ARRAY(iso_mjcf_copy) copies;        ///< in the order of the file
    const char* suffix;                     ///< of names that are read now; "" outside copies
    int instance, instance_count;           ///< of the copy that is read now; 0: none
    int copied;                             ///< elements, those that were copied again included
    double* inertias;                       ///< [joints.count] effective; NULL: never asked for
    iso_mjcf_flags is_off;                  ///< <option><flag>
    iso_point_law point;                    ///< of a geom that states nothing
    bool is_static, is_included;            ///< as iso_mjcf_manner
} iso_mjcf_reader;

// --- documents -----------------------------------------------------------------------------------

/// Parse the main file, with everything that it includes and attaches, and list its sections.
iso_status iso_mjcf_read_sections(iso_mjcf_reader* reader, const char* bytes, size_t size,
                                  xmlNode** out_root);
iso_mjcf_settings iso_mjcf_settings_default(const char* path);
/// Parse one more file.
iso_status iso_mjcf_parse(iso_mjcf_reader* reader, const char* path, const char* bytes, size_t size,
                          xmlNode** out_root);
/// Put what they contain in the place of all <include> below.
iso_status iso_mjcf_expand_includes(iso_mjcf_reader* reader, const xmlNode* node, int depth);
/// Put what they attach in the place of all <attach> below, and the sections that go with it at
/// the end of those of the reader.
iso_status iso_mjcf_expand_attachments(iso_mjcf_reader* reader, const xmlNode* root);
/// The settings that a node is read with.
iso_mjcf_settings* iso_mjcf_settings_of(const iso_mjcf_reader* reader, const xmlNode* node);

/// Warn of what an element and what is in it say that nobody reads.
void iso_mjcf_check_elements(const iso_mjcf_reader* reader, const xmlNode* node, bool is_section);

// --- attributes, defaults included ---------------------------------------------------------------

/// @param parent  class; ISO_MJCF_MAIN: it is the main one; ISO_MJCF_ROOT: it has none
iso_status iso_mjcf_read_default(iso_mjcf_reader* reader, const xmlNode* element, int parent);
#define ISO_MJCF_MAIN (-1)
#define ISO_MJCF_ROOT (-2)
/// Before the number that keeps apart classes of attachments of one prefix.
#define ISO_MJCF_CLASS_MARK '\x1f'
/// The item of an element: its `class`, else `child_class`.
iso_status iso_mjcf_item_of(const iso_mjcf_reader* reader, const xmlNode* node, int child_class,
                            iso_mjcf_item* out_item);
/// Class named by an attribute; left as it is when there is none.
iso_status iso_mjcf_find_class(const iso_mjcf_reader* reader, const xmlNode* node,
                               const char* attribute, int* class_index);
/// Note what the classes say, when all were read.
iso_status iso_mjcf_note_defaults(iso_mjcf_reader* reader);
void iso_mjcf_free_defaults(iso_context* ctx, iso_mjcf_defaults* defaults);
/// Whether elements of a name are actuators.
bool iso_mjcf_is_actuator(const char* tag);
/// Which of some attributes that take each other's place the classes of an element say last, the
/// nearest class first. @return its index; -1: none of them
iso_status iso_mjcf_last_of(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                            const char* const* names, int name_count, int* out_index);
/// What an attribute says: in the element (rank 0, where it does), in its class, in the class of
/// that, and so on. NULL beyond the last.
iso_status iso_mjcf_ranked_text(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                const char* name, int rank, const char** out_text);
/// NULL when neither the element nor its class has it.
iso_status iso_mjcf_text(const iso_mjcf_reader* reader, const iso_mjcf_item* item, const char* name,
                         const char** out_text);
/// Between min and max numbers, those that the element does not give from its class; left as they
/// are when absent (count 0).
/// @param out_count  may be NULL
iso_status iso_mjcf_numbers(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                            const char* name, int min, int max, double* values, int* out_count);
/// A whole number within bounds; left as it is when absent.
iso_status iso_mjcf_whole(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                          const char* name, double least, double most, int* value);
/// All numbers of a text, in the arena of the load.
iso_status iso_mjcf_parse_list(const iso_mjcf_reader* reader, const xmlNode* node, const char* name,
                               const char* text, double** out_values, int* out_count);
/// Path of a file named by a node: relative to the main file, or to the one that is attached,
/// whichever file names it.
iso_status iso_mjcf_resolve(const iso_mjcf_reader* reader, const xmlNode* node, const char* file,
                            const char** out_path);
/// "true", "false", "auto": 1, 0, 2; left as it is when absent.
iso_status iso_mjcf_flag(const iso_mjcf_reader* reader, const iso_mjcf_item* item, const char* name,
                         int* flag);
/// A coefficient whose higher powers ("linear quadratic cubic") are left out with a warning; as it
/// is when absent.
iso_status iso_mjcf_coefficient(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                const char* name, double* value);
/// A range and whether it is in force: limited true, or auto and a range that rises, as MuJoCo has
/// it: "0 0" of an element takes away that of its class. Another one that does not rise is a
/// warning.
/// @param range  [2] "0 0" when absent
iso_status iso_mjcf_range(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                          const char* range_name, const char* flag_name, double* range,
                          bool* out_is_limited);
/// A range of forces; infinite when nothing is bounded.
iso_status iso_mjcf_position_range(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                   double* range, bool* out_is_limited);
iso_status iso_mjcf_force_range(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                const char* range_name, const char* flag_name, double* range);
/// Warn of attributes of classes that no element reads; of unknown elements in classes.
void iso_mjcf_check_defaults(const iso_mjcf_reader* reader);
/// What elements may say, "name" and "class" included; NULL at the end.
extern const char* const iso_mjcf_geom_attributes[];
extern const char* const iso_mjcf_site_attributes[];
extern const char* const iso_mjcf_mesh_attributes[];
extern const char* const iso_mjcf_joint_attributes[];
extern const char* const iso_mjcf_actuator_attributes[];
extern const char* const iso_mjcf_adhesion_attributes[];
extern const char* const iso_mjcf_equality_attributes[];
extern const char* const iso_mjcf_tendon_attributes[];
extern const char* const iso_mjcf_pair_attributes[];
/// The turn of Euler angles, in the file's unit and order.
iso_mat3 iso_mjcf_euler_rotation(const iso_mjcf_reader* reader, const xmlNode* node,
                                 const double* angles);
/// pos and quat, axisangle, xyaxes, zaxis or euler.
iso_status iso_mjcf_pose(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                         iso_pose* out_pose);
/// Call a function for each section called `name`.
typedef iso_status (*iso_mjcf_fn)(iso_mjcf_reader* reader, const xmlNode* section);
iso_status iso_mjcf_each(iso_mjcf_reader* reader, const char* name, iso_mjcf_fn fn);

// --- copies --------------------------------------------------------------------------------------

/// @param child_class  of what it is in; changed where it names one
iso_status iso_mjcf_begin_copies(iso_mjcf_reader* reader, const xmlNode* node, int* child_class,
                                 iso_mjcf_replicate* out);
/// Begin the next copy of what a <replicate> holds: its suffix, before the one around it, and its
/// pose.
iso_status iso_mjcf_next_copy(iso_mjcf_reader* reader, const xmlNode* node,
                              iso_mjcf_replicate* replicate, const iso_pose* x_frame,
                              iso_pose* out_x);
/// After the last: names are those of what the <replicate> is in again.
void iso_mjcf_end_copies(iso_mjcf_reader* reader, const iso_mjcf_replicate* replicate);
/// The attribute "name" with the suffix of the copy; NULL when absent.
iso_status iso_mjcf_name(iso_mjcf_reader* reader, const xmlNode* node, const char** out_name);
/// Is `own` what `name` refers to from within the present copy?
bool iso_mjcf_is_named(const iso_mjcf_reader* reader, const char* own, const char* name);
/// Does an attribute of this name name another element?
bool iso_mjcf_is_reference(const char* attribute);
/// Call a function for each element of the sections called `name`: first those that refer to no
/// copy, then, copy by copy, those that refer to something in it.
iso_status iso_mjcf_each_copy(iso_mjcf_reader* reader, const char* name, iso_mjcf_fn fn);

// --- parts ---------------------------------------------------------------------------------------

/// Path of a file of <asset>: in the folder of assets of the main file, else beside the file that
/// names it; its name, where it has none, is that of the file.
iso_status iso_mjcf_resolve_asset(const iso_mjcf_reader* reader, const xmlNode* node,
                                  const char* file, const char** out_path, const char** name);
/// Of a little-endian file.
uint32_t iso_mjcf_read_u32(const char* bytes);
float iso_mjcf_read_float(const char* bytes);
/// Give a mesh a surface in the arena, its triangles to be filled in; the hull of its vertices
/// where it has no triangles.
iso_status iso_mjcf_add_surface(iso_scene_build* build, iso_mjcf_mesh* mesh, int vertex_count,
                                int triangle_count, iso_tri_mesh** out_surface);
/// The vertices of an .obj without faces; left as it is when it has some.
iso_status iso_mjcf_read_points(const iso_mjcf_reader* reader, const xmlNode* node,
                                iso_mjcf_mesh* mesh);
/// A mesh that MuJoCo makes by itself, from its params.
iso_status iso_mjcf_make_builtin(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                 const char* kind, iso_mjcf_mesh* mesh);
/// Area in the place of the volume, centre and inertia of the surface of a shape of density 1;
/// false of meshes and planes.
bool iso_mjcf_shell_properties(const iso_shape_desc* shape, iso_mass_properties* out);
/// Volume (of a shell its area), centre and inertia of density 1 of a mesh, without x_ref.
iso_status iso_mjcf_mesh_properties(const iso_mjcf_reader* reader, const xmlNode* node,
                                    const iso_mjcf_mesh* mesh, iso_mass_properties* out);
/// Sizes of a shape: half sides, or radius and half length.
iso_status iso_mjcf_set_sizes(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                              const double* size, iso_shape_desc* shape);
/// The shape of a <geom> that is fitted to a mesh, and its pose.
/// @param x  of the geom, then of the shape
iso_status iso_mjcf_fit_shape(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                              const char* mesh_name, iso_shape_desc* shape, iso_pose* x);
/// The surface of bytes in MuJoCo's own format, in the arena, vertices of equal place joined; NULL
/// where they are Gmsh's. The path is for messages.
/// @return ISO_ERR_PARSE, ISO_ERR_RANGE, ISO_ERR_GEOMETRY, ISO_ERR_MEMORY
iso_status iso_mjcf_parse_msh(iso_scene_build* build, iso_source at, const char* path,
                              const char* bytes, size_t size, iso_tri_mesh** out_surface);
/// The mesh of a file in MuJoCo's own format; left as it is when the file is of another one.
iso_status iso_mjcf_read_msh(const iso_mjcf_reader* reader, const xmlNode* node,
                             iso_mjcf_mesh* mesh);
iso_status iso_mjcf_read_hfield(iso_mjcf_reader* reader, const xmlNode* node);
iso_status iso_mjcf_read_meshes(iso_mjcf_reader* reader, const xmlNode* asset);
/// The mesh of a <geom>; NULL when it is of another type.
iso_status iso_mjcf_find_mesh(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                              const iso_mjcf_mesh** out_mesh);
/// Shape of a <geom> or <site> that collides, solid that has mass and the pose in the frame.
iso_status iso_mjcf_read_shape(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                               iso_shape_desc* shape, iso_shape_desc* solid, iso_pose* x);
/// Geometry and visual of a <geom>.
/// @param body  in bodies
iso_status iso_mjcf_add_geom(iso_mjcf_reader* reader, const iso_mjcf_item* item, int body,
                             const iso_pose* x_frame);
/// The mass of a <geom>, summed.
/// @param[out] out_axes  of its inertia, in the body
iso_status iso_mjcf_add_geom_mass(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                  const iso_pose* x_frame, iso_mass_sum* sum, iso_mat3* out_axes);
/// Principal axes of an inertia as columns, as MuJoCo finds and orders them.
/// @param out_moments  [3] about them, falling
iso_mat3 iso_mjcf_principal_axes(const iso_mat3* inertia, double* out_moments);
/// The bodies and everything in them.
iso_status iso_mjcf_add_bodies(iso_mjcf_reader* reader, const xmlNode* worldbody);
/// A <site>, of the body with this index in `bodies`; one without a name is left out.
/// @param x_frame  of the <frame> around it
iso_status iso_mjcf_add_site(iso_mjcf_reader* reader, const iso_mjcf_item* item, int body,
                             const iso_pose* x_frame);
/// Make the sites known to scenarios. A site of a body's name becomes "NAME_site".
iso_status iso_mjcf_add_frames(const iso_mjcf_reader* reader);
/// <flag>: what it disables, with a warning for what cannot be.
iso_status iso_mjcf_read_flags(iso_mjcf_reader* reader, const xmlNode* node);
/// Take the springs, dampers and dry friction that are disabled from joints and fixed tendons of
/// the model, from these indices on.
void iso_mjcf_drop_disabled(const iso_mjcf_reader* reader, int first_joint, int first_tendon);
/// Fill a joint from <joint>: everything but the bodies and frames. Of `out` its ref, effort_range
/// and springdamper.
iso_status iso_mjcf_read_joint(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                               iso_mjcf_joint_type type, iso_joint_desc* joint,
                               iso_mjcf_joint* out);

/// The inertia that a joint feels in the pose of the file, all other joints being free; of a ball
/// the harmonic mean over its axes.
iso_status iso_mjcf_effective_inertia(iso_mjcf_reader* reader, const xmlNode* node, int joint,
                                      double* out_inertia);
/// The same along a fixed tendon: 1 / (w^T M^-1 w).
iso_status iso_mjcf_tendon_inertia(const iso_mjcf_reader* reader, const xmlNode* node,
                                   const iso_fixed_tendon_desc* tendon, double* out_inertia);
/// The same along a route of points, obstacles and pulleys.
iso_status iso_mjcf_route_inertia(const iso_mjcf_reader* reader, const xmlNode* node,
                                  const iso_fixed_tendon_desc* route, double* out_inertia);
/// Stiffness and damping of the joints with a springdamper, once all masses are known.
iso_status iso_mjcf_add_spring_dampers(iso_mjcf_reader* reader);

iso_status iso_mjcf_read_equality(iso_mjcf_reader* reader, const xmlNode* node);
/// The name of an equality or tendon, scoped; made up of noun and count where it has none.
iso_status iso_mjcf_name_closure(iso_mjcf_reader* reader, const xmlNode* node, const char* noun,
                                 int count, const char** out_name);
/// The fixed tendon of the model for a <fixed>, added when it is first asked for; -1: the tendon
/// has a flaw.
iso_status iso_mjcf_make_tendon(iso_mjcf_reader* reader, const iso_mjcf_tendon* found,
                                int* out_index);
/// Where the spring of a tendon begins to push and to pull; -1 for both says where it starts.
typedef struct iso_mjcf_rest {
    double lower, upper;
    bool is_start;
} iso_mjcf_rest;
iso_status iso_mjcf_read_rest(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                              iso_mjcf_rest* out);
/// Warns that a spring with a rest of some width is left out.
void iso_mjcf_warn_of_rest(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                           const iso_mjcf_rest* rest);
/// Refuses one below 0.
iso_status iso_mjcf_tendon_armature(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                    double* armature);
/// The route of a <spatial> with its spring, damper, dry friction and limits where `has_laws`;
/// -1 with a flaw: it cannot be made.
iso_status iso_mjcf_make_route(iso_mjcf_reader* reader, const iso_mjcf_tendon* found, bool has_laws,
                               int* out_index);
/// An equality of the lengths of `count` <spatial>: the sum of factors times lengths stays `offset`
/// from what it is in the pose of the file. It is the range of a fixed tendon that runs over all of
/// them.
iso_status iso_mjcf_hold_routes(iso_mjcf_reader* reader, const xmlNode* node,
                                const iso_mjcf_tendon* const* tendons, const double* factors,
                                int count, double offset, bool is_active);
/// What an actuator of a site, a ball or a free joint pulls along, its gear included: no line, but
/// a wrench. -1: nothing moves.
iso_status iso_mjcf_make_wrench(iso_mjcf_reader* reader, const xmlNode* node, const double* gear,
                                int* out_index);
/// The joint that a fixed tendon of coupled joints amounts to; -1: none.
iso_status iso_mjcf_reduce_tendon(const iso_mjcf_reader* reader, const xmlNode* fixed,
                                  iso_mjcf_transmission* out);
/// The empty sum, with room for some fixed tendons.
iso_status iso_mjcf_make_sum(iso_scene_build* build, const iso_mjcf_tendon* const* tendons,
                             int count, iso_mjcf_sum* out);
/// Add a factor times a fixed tendon, or find its flaw.
iso_status iso_mjcf_add_to_sum(iso_mjcf_reader* reader, const iso_mjcf_tendon* found, double factor,
                               iso_mjcf_sum* sum);
void iso_mjcf_drop_zeros(iso_mjcf_sum* sum);
/// Can a tie between two bodies of the file move either of them to the other? Says that it is left
/// out where not.
/// @param body_a, body_b  in bodies
bool iso_mjcf_can_part(const iso_mjcf_reader* reader, const xmlNode* node, int body_a, int body_b);
/// The names of tendons, which equalities refer to; then what tendons do.
iso_status iso_mjcf_name_tendon(iso_mjcf_reader* reader, const xmlNode* node);
iso_status iso_mjcf_read_tendon(iso_mjcf_reader* reader, const xmlNode* node);
iso_status iso_mjcf_read_actuator(iso_mjcf_reader* reader, const xmlNode* node);
/// Sliding friction, condim and priority of a <geom>.
iso_status iso_mjcf_read_friction(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                  iso_mjcf_geom* geom, iso_material_spec* spec);
iso_point_law iso_mjcf_point_law_default(void);
/// Cone of friction, its ratio of impedances and the time step, for the laws of geoms.
iso_status iso_mjcf_read_cone(iso_mjcf_reader* reader, const iso_mjcf_item* option);
/// solref, solimp and solmix of a geom, whose friction is read already.
iso_status iso_mjcf_read_point_law(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                   const iso_mjcf_geom* geom, iso_point_law* out);

/// Contact models of <custom>, which MuJoCo passes over: <text name="isobar:model" data="hertz"/>
/// for all geoms, <text name="isobar:model:NAME" data="hertz"/> for a geom or pair. Before any geom
/// is read; what names nothing is found after the pairs.
iso_status iso_mjcf_collect_models(iso_mjcf_reader* reader, const xmlNode* custom);
iso_status iso_mjcf_check_models(const iso_mjcf_reader* reader);
/// The model of a geom or pair. @param name  may be NULL
/// @return DEFAULT: none is named
iso_contact_model_kind iso_mjcf_find_model(iso_mjcf_reader* reader, const char* name, bool is_geom);
/// The names in the pairs of <contact>, before any geom is read.
iso_status iso_mjcf_collect_pairs(iso_mjcf_reader* reader, const xmlNode* contact);
bool iso_mjcf_is_paired(const iso_mjcf_reader* reader, const char* name);
iso_status iso_mjcf_read_contact(iso_mjcf_reader* reader, const xmlNode* node);
/// Exclude what MuJoCo keeps apart and Isobar does not; before <contact> is read.
iso_status iso_mjcf_exclude_neighbours(iso_mjcf_reader* reader);
/// Rules of pairs of geoms whose friction is not what Isobar makes of that of both; and of what
/// hangs on a base that cannot move. After <contact>.
iso_status iso_mjcf_derive_pairs(const iso_mjcf_reader* reader);
/// Notes which tendons have limits that a sensor reads, before they are read.
iso_status iso_mjcf_watch_tendon(iso_mjcf_reader* reader, const xmlNode* node);
iso_status iso_mjcf_read_sensor(iso_mjcf_reader* reader, const xmlNode* node);
/// Check the keyframes; the one that was asked for, by name or index, is the start.
iso_status iso_mjcf_read_keyframes(iso_mjcf_reader* reader);

/// Fail if a name is among those taken; no name ever is.
/// @param kind  of the list: an index of the reader
iso_status iso_mjcf_require_new_name(const iso_mjcf_reader* reader, const xmlNode* node, int kind,
                                     iso_name_list taken, const char* name);
/// By name; errors name the element.
iso_status iso_mjcf_find_body(const iso_mjcf_reader* reader, const xmlNode* node, const char* name,
                              const iso_mjcf_body** out_found);
iso_status iso_mjcf_find_joint(const iso_mjcf_reader* reader, const xmlNode* node, const char* name,
                               const iso_mjcf_joint** out_found);
iso_status iso_mjcf_find_tendon(const iso_mjcf_reader* reader, const xmlNode* node,
                                const char* name, const iso_mjcf_tendon** out_found);
iso_status iso_mjcf_find_geom(const iso_mjcf_reader* reader, const xmlNode* node, const char* name,
                              const iso_mjcf_geom** out_found);
iso_status iso_mjcf_find_site(const iso_mjcf_reader* reader, const xmlNode* node, const char* name,
                              const iso_mjcf_site** out_found);
