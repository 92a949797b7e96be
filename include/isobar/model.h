// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/contact.h"
#include "isobar/geometry.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A description of bodies, joints and geometries, filled by hand or by iso_scene_load() and turned
/// into a world by iso_world_create(). Indices are those of creation; body 0 is the world itself,
/// named "world". Everything passed in is copied.
typedef struct iso_model iso_model;

/// Index of the body "world".
#define ISO_WORLD_BODY 0

/// A rigid body. Start from iso_body_desc_default().
typedef struct iso_body_desc {
    const char* name;         ///< scoped, "model::link"; unique
    double mass;              ///< [kg], > 0 unless the body is welded to the world
    iso_vec3 center_of_mass;  ///< in the body frame B [m]
    iso_mat3 inertia;         ///< about the centre of mass, axes of B [kg m^2]
    const char* source;       ///< "file:line" for error messages; may be NULL
    uint32_t collision_group; ///< bits its geometries keep of their own group; all
    uint32_t collision_mask;  ///< bits its geometries keep of their own mask; all
    /// Part of its weight that is carried by something outside the model, at the centre of mass: 1
    /// floats, above 1 rises. At most ISO_MAX_GRAVITY_COMPENSATION in size; 0
    double gravity_compensation;
    int exclusion; ///< bodies of one number other than 0 do not touch each other; 0
} iso_body_desc;
#define ISO_MAX_GRAVITY_COMPENSATION 1e6 ///< the largest that is taken
/// 1 kg, inertia 1 kg m^2 about each axis, all collision bits, no name.
ISO_API iso_body_desc iso_body_desc_default(void);

/// A geometry used for contact. Start from iso_geometry_desc_default().
///
/// Which geometries may touch: those of two bodies that are not welded together, not joined by a
/// joint (joints to the world and free joints excepted; loop constraints and couplers change
/// nothing), not excluded by iso_model_exclude_pair() or as bodies of one exclusion, and whose bits
/// meet:
///     (group_a & mask_b) != 0 or (group_b & mask_a) != 0
/// iso_model_add_geometry_pair() makes exceptions.
typedef struct iso_geometry_desc {
    const char* name; ///< unique within its body
    iso_shape_desc shape;
    iso_pose x_bg; ///< pose of the shape in its body
    iso_contact_material material;
    const char* source; ///< "file:line" for error messages; may be NULL
    /// Velocity of the surface relative to the body, in the axes of the shape: a conveyor belt
    /// [m/s]. Its part along the normal of a contact is left out. Zero.
    iso_vec3 surface_velocity;
    uint32_t collision_group; ///< bits of the groups it is in; 1
    uint32_t collision_mask;  ///< bits of the groups it may touch; 1
} iso_geometry_desc;
/// A sphere at the origin of its body, default material.
ISO_API iso_geometry_desc iso_geometry_desc_default(void);

/// Two geometries with a rule of their own. Start from iso_geometry_pair_desc_default().
typedef struct iso_geometry_pair_desc {
    int geometry_a, geometry_b;
    /// They may touch whatever joints, excluded pairs and bits say, unless their bodies are one or
    /// welded together. False.
    bool is_unfiltered;
    bool is_excluded; ///< they never touch. False
    /// In the place of what the coefficients of both geometries combine to; ISO_FRICTION_COMBINED
    /// is that, and both are so unless set.
    double friction_static;
    double friction_dynamic; ///< at most the static one
    /// In the place of what the materials of both and the world name; ISO_CONTACT_MODEL_DEFAULT is
    /// that. Their materials may then name two. Default.
    iso_contact_model_kind model;
} iso_geometry_pair_desc;
#define ISO_FRICTION_COMBINED (-1.0) ///< friction_static and friction_dynamic: of the materials
/// No geometries, filters and friction as without it.
ISO_API iso_geometry_pair_desc iso_geometry_pair_desc_default(void);

/// A geometry that is only shown. Start from iso_visual_desc_default().
typedef struct iso_visual_desc {
    const char* name;
    iso_shape_desc shape;
    iso_pose x_bg;
    float rgba[4];
} iso_visual_desc;
/// A grey sphere at the origin of its body.
ISO_API iso_visual_desc iso_visual_desc_default(void);

/// Kinds of joints. Rotations are about, translations along axes of F; q and v as in dynamics.h.
typedef enum iso_joint_kind {
    ISO_JOINT_WELD,
    ISO_JOINT_REVOLUTE,  ///< position [rad], velocity [rad/s], effort [N m]
    ISO_JOINT_PRISMATIC, ///< position [m], velocity [m/s], effort [N]
    ISO_JOINT_FREE,      ///< 6 degrees of freedom
    ISO_JOINT_SCREW,     ///< turns by its position [rad] and moves on by pitch times it
    ISO_JOINT_UNIVERSAL, ///< turns about axis, then about axis_2, which the first rotation carries
    ISO_JOINT_BALL,      ///< 4 positions (unit quaternion w x y z of M in F), 3 velocities (of M in
                         ///< F, angular, in F)
    ISO_JOINT_PLANAR,    ///< x and y of F [m], then an angle about z of F [rad]
} iso_joint_kind;

/// A joint: frame F fixed to the parent, frame M fixed to the child; at position 0 they coincide.
/// Start from iso_joint_desc_default(). A body without a joint to a parent floats freely.
///
/// "One degree of freedom": revolute, prismatic, screw. Units of a degree of freedom that turns are
/// rad and N m, of one that moves m and N.
typedef struct iso_joint_desc {
    const char* name; ///< scoped, "model::joint"; unique
    iso_joint_kind kind;
    int parent, child;     ///< body indices
    iso_pose x_pf;         ///< pose of F in the parent
    iso_pose x_cm;         ///< pose of M in the child
    iso_vec3 axis;         ///< unit, in F; revolute, prismatic, screw, universal (first)
    double lower, upper;   ///< limits of position, one degree of freedom; -INFINITY, INFINITY: none
    double velocity_limit; ///< recorded, not enforced; INFINITY: none
    double effort_limit;   ///< of what all actuators on it do together; INFINITY: none
    double damping;        ///< [N m s] or [N s/m], >= 0; on each degree of freedom
    double position;       ///< initial; one degree of freedom
    double velocity;       ///< initial; one degree of freedom
    const char* source;    ///< "file:line" for error messages; may be NULL
    iso_vec3 axis_2;       ///< unit, in F at position 0, not along axis; universal (second)
    double pitch;          ///< screw: how far it moves along axis as it turns [m/rad]; not 0
    double friction;       ///< dry friction, the effort below which the joint holds [N m] or [N],
                           ///< >= 0; on each degree of freedom. What it creeps:
                           ///< docs/theory/multibody.md
    double stiffness;      ///< of a spring [N m/rad] or [N/m], >= 0; not for free joints. Joints of
                           ///< several degrees of freedom: towards position 0; ball: along the
                           ///< rotation vector back to the identity
    double spring_reference; ///< position where the spring is at rest; one degree of freedom
    double rotor_inertia;    ///< of a motor's rotor [kg m^2] (prismatic: [kg]), >= 0; one degree of
                             ///< freedom, a ball about each of its axes, or a free joint: on each
                             ///< of its six velocities, as MuJoCo's armature
    double gear_ratio;   ///< turns of the rotor per turn of the joint; the joint moves gear_ratio^2
                         ///< rotor_inertia on top of the links
    double positions[4]; ///< initial, joints of several degrees of freedom (universal 2, planar 3,
                         ///< ball 4: all zeros are the identity)
    double velocities[3]; ///< initial, joints of several degrees of freedom
    double effort_lower;  ///< one side of effort_limit alone, below effort_upper; -INFINITY: none
    double effort_upper;  ///< INFINITY: none
} iso_joint_desc;
/// A weld of coinciding frames; axis z, axis_2 x, gear ratio 1, no limits.
ISO_API iso_joint_desc iso_joint_desc_default(void);

/// Coefficients of a coupler beyond the linear one: of q_a^2, q_a^3 and q_a^4.
#define ISO_COUPLER_CURVE 3

/// A gear, mimic joint or cam between two joints of one degree of freedom:
/// q_b = offset + ratio q_a + curve_0 q_a^2 + curve_1 q_a^3 + curve_2 q_a^4. It holds at the level
/// of positions, with the slope and bend of the curve. Start from iso_coupler_desc_default().
typedef struct iso_coupler_desc {
    const char* name;     ///< unique among couplers
    int joint_a, joint_b; ///< joint indices
    double ratio;         ///< finite; not 0 unless the curve is not
    double offset;        ///< [rad] or [m]
    const char* source;   ///< "file:line" for error messages; may be NULL
    double curve[3];      ///< finite; 0: none
    bool is_off;          ///< it is not there until iso_world_switch_coupler(); false
} iso_coupler_desc;
/// Ratio 1, offset 0, no curve.
ISO_API iso_coupler_desc iso_coupler_desc_default(void);

/// What a tendon that runs through space meets, one after the other.
typedef enum iso_route_kind {
    ISO_ROUTE_POINT,    ///< it passes the origin of S
    ISO_ROUTE_SPHERE,   ///< it is wound around a sphere about the origin of S, if it meets it
    ISO_ROUTE_CYLINDER, ///< the same around an endless cylinder about z of S
    ISO_ROUTE_PULLEY,   ///< it ends, and a new piece begins whose length is divided
    ISO_ROUTE_FRAME,    ///< no line: weights times the offset of S from O, as O sees it
    ISO_ROUTE_WRENCH,   ///< no length: a wrench of these weights on S, and its opposite on O
} iso_route_kind;

/// A part of a tendon's route. A sphere or cylinder stands between two points. The tendon takes the
/// short way around it, where the straight line would pass through it. With a side beyond it, a
/// tendon whose short way runs past the opposite side takes the long way. With a side within it,
/// the tendon runs along its inside, as through a ring.
typedef struct iso_route_part {
    iso_route_kind kind;
    int body;            ///< body of frame S; not used by a pulley
    iso_pose x_bs;       ///< pose of S in the body
    double radius;       ///< sphere, cylinder [m], > 0
    double divisor;      ///< pulley, not 0: what follows counts 1 over it, below 0 backwards
    int other;           ///< body of frame O; -1: no side, no frame. A frame needs one
    iso_pose x_bo;       ///< pose of O in that body; its origin is the side of a sphere or cylinder
    iso_spatial weights; ///< frame, wrench: (of the rotation vector; of the position) of S
    bool is_in_other;    ///< frame, wrench: the axes of the weights are those of O, else of S
} iso_route_part;
/// A point at the origin of the world, without a side; divisor 1.
ISO_API iso_route_part iso_route_part_default(void);

/// Length of a route whose bodies are in these poses.
/// @param parts  [count]
/// @param x_wb   poses of the bodies by the parts' indices
ISO_API double iso_route_measure(const iso_route_part* parts, int count, const iso_pose* x_wb);

/// A fixed tendon: l = sum of w_i q_i over joints of one degree of freedom, along which a spring, a
/// damper and actuators may act: joint i feels w_i times their effort, which effort
/// limits of joints do not bound. With a route in place of joints l is its length [m], of both
/// frames of a frame the weighted offset. Start from iso_fixed_tendon_desc_default().
typedef struct iso_fixed_tendon_desc {
    const char* name;        ///< unique among fixed tendons
    int joint_count;         ///< > 0; 0 with a route
    const int* joints;       ///< [joint_count] joint indices, each once; copied
    const double* weights;   ///< [joint_count] w_i, of a size of 1e-9 to 1e9; copied
    double stiffness;        ///< of the spring, effort per length, >= 0
    double damping;          ///< of the damper, effort per velocity, >= 0
    double spring_reference; ///< l where the spring is at rest
    double lower, upper; ///< limits of l, as those of joints; -INFINITY, INFINITY: none, and not
                         ///< both the same one
    double friction;     ///< dry friction along l, the effort below which it holds, >= 0
    const char* source;  ///< "file:line" for error messages; may be NULL
    int part_count;      ///< of the route; 0: it runs over joints
    const iso_route_part* parts; ///< [part_count] body indices of the model; copied
    double rotor_inertia; ///< of a rotor at rest in no frame that l turns: it adds rotor_inertia
                          ///< (dl/dt)^2 / 2 to the kinetic energy, >= 0; 0 with frames and wrenches
    bool is_off;          ///< its limits do not hold until iso_world_switch_fixed_tendon(); false
} iso_fixed_tendon_desc;
/// No joints, spring or damper.
ISO_API iso_fixed_tendon_desc iso_fixed_tendon_desc_default(void);

/// Kinds of constraints between two bodies, which close loops.
typedef enum iso_constraint_kind {
    ISO_CONSTRAINT_WELD,     ///< frames P and Q coincide
    ISO_CONSTRAINT_BALL,     ///< origins of P and Q coincide
    ISO_CONSTRAINT_DISTANCE, ///< origins of P and Q stay `length` apart
    ISO_CONSTRAINT_TENDON,   ///< a rope: origins of P and Q are at most `length` apart
} iso_constraint_kind;

/// A constraint between frame P, fixed to body A, and frame Q, fixed to body B. Near-rigid; how
/// near is stated in docs/theory/multibody.md. Start from iso_constraint_desc_default().
typedef struct iso_constraint_desc {
    const char* name; ///< unique among constraints
    iso_constraint_kind kind;
    int body_a, body_b;        ///< body indices, not the same
    iso_pose x_ap;             ///< pose of P in A
    iso_pose x_bq;             ///< pose of Q in B
    double length;             ///< distance, tendon [m]; > 0; distance with stiffness >= 0
    double stiffness, damping; ///< distance, tendon: of a spring in place of a rigid link [N/m],
                               ///< [N s/m]; INFINITY, 0: as rigid as can be
    bool is_off;               ///< it is not there until iso_world_switch_constraint(); false
    const char* source;        ///< "file:line" for error messages; may be NULL
} iso_constraint_desc;
/// A ball of coinciding origins, as rigid as can be; length 1 m.
ISO_API iso_constraint_desc iso_constraint_desc_default(void);

/// An actuator on a joint of one degree of freedom: effort = u + kp (q* - q) + kd (v* - v), clamped
/// to +-effort_limit and to effort_lower to effort_upper; the PD part is implicit in the step. On a
/// fixed tendon q is its length, and joint i feels w_i times the effort. What all actuators on one
/// joint do together the joint's own limits bound; beyond them all are scaled alike.
///
/// Adhesion (suction, magnets) pulls a body and all that it touches together with the effort [N],
/// 0 or more: contacts share it by their areas, each pulls along its mean normal, at the centroid
/// of its area. Where nothing touches, nothing pulls. Its work is that of actuation.
typedef struct iso_actuator_desc {
    const char* name; ///< unique
    int joint;        ///< index of the joint; -1: it acts on a fixed tendon or on contacts
    int fixed_tendon; ///< index of the fixed tendon, where joint is -1; -1: on contacts; else not
                      ///< looked at
    double effort_limit; ///< > 0; INFINITY: none
    double kp, kd;       ///< >= 0; adhesion: 0
    double effort_lower; ///< one side alone, below effort_upper; -INFINITY: none (adhesion: 0)
    double effort_upper; ///< INFINITY: none
    int adhesion_body;   ///< index of the body whose contacts it pulls together, where both above
                         ///< are -1; else not looked at; -1: none
} iso_actuator_desc;
/// No PD law, no effort limit.
ISO_API iso_actuator_desc iso_actuator_desc_default(void);
/// Efforts and gains of an actuator, as iso_model_add_actuator() and iso_world_create() check them.
/// @param desc  the name, for messages, may be NULL
/// @return ISO_ERR_RANGE, ISO_ERR_ARGUMENT (no desc)
ISO_NODISCARD ISO_API iso_status iso_actuator_desc_check(iso_context* ctx,
                                                         const iso_actuator_desc* desc);

/// Create a model that holds the body "world" only.
/// @param[out] out_model  owned by the caller, release with iso_model_destroy(); NULL on error
/// @return ISO_ERR_ARGUMENT, ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_model_create(iso_context* ctx, iso_model** out_model);
/// Release a model; worlds made from it stay. NULL is allowed.
ISO_API void iso_model_destroy(iso_model* model);

/// Add parts. Each checks its argument (finite, physical inertia, unit axis, known indices, unique
/// names) and reports name, value and range.
/// @param[out] out_index  may be NULL
/// @return ISO_ERR_ARGUMENT, ISO_ERR_RANGE, ISO_ERR_MEMORY
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
/// Add a coupler between two joints; as iso_model_add_body().
ISO_NODISCARD ISO_API iso_status iso_model_add_coupler(iso_model* model,
                                                       const iso_coupler_desc* desc,
                                                       int* out_index);
/// Add a fixed tendon over joints; as iso_model_add_body().
ISO_NODISCARD ISO_API iso_status iso_model_add_fixed_tendon(iso_model* model,
                                                            const iso_fixed_tendon_desc* desc,
                                                            int* out_index);
/// Add a constraint between two bodies; as iso_model_add_body().
ISO_NODISCARD ISO_API iso_status iso_model_add_constraint(iso_model* model,
                                                          const iso_constraint_desc* desc,
                                                          int* out_index);
/// Never look for contact between these two bodies.
/// @return ISO_ERR_ARGUMENT, ISO_ERR_RANGE (a body), ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_model_exclude_pair(iso_model* model, int body_a, int body_b);
/// Give two geometries a rule of their own; one each is allowed, which iso_world_create() checks.
/// @return ISO_ERR_ARGUMENT (one geometry twice, unfiltered and excluded), ISO_ERR_RANGE,
///         ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_model_add_geometry_pair(iso_model* model,
                                                             const iso_geometry_pair_desc* desc);

/// Initial pose of a body that floats freely (or is the root of a floating tree), in the world.
/// @return ISO_ERR_ARGUMENT, ISO_ERR_RANGE (body, pose)
ISO_NODISCARD ISO_API iso_status iso_model_set_free_pose(iso_model* model, int body,
                                                         const iso_pose* x_wb);
/// Initial velocity of a body that floats freely: (angular velocity; velocity of the body origin),
/// in the world.
/// @return ISO_ERR_ARGUMENT, ISO_ERR_RANGE (body, twist)
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
/// Number of couplers.
ISO_API int iso_model_coupler_count(const iso_model* model);
/// Number of fixed tendons.
ISO_API int iso_model_fixed_tendon_count(const iso_model* model);
/// Number of constraints.
ISO_API int iso_model_constraint_count(const iso_model* model);
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
/// Coupler by index; editable.
ISO_API iso_coupler_desc* iso_model_coupler(iso_model* model, int index);
/// Fixed tendon by index; editable, but for joints, weights and their count.
ISO_API iso_fixed_tendon_desc* iso_model_fixed_tendon(iso_model* model, int index);
/// Constraint by index; editable.
ISO_API iso_constraint_desc* iso_model_constraint(iso_model* model, int index);
/// Index by the whole scoped name, or -1. Indices of a model count its parts as they were added;
/// those of a world are sorted by name (world.h): ask iso_world_find_body() and its like for them.
ISO_API int iso_model_find_body(const iso_model* model, const char* name);
/// Contact geometry by "body::geometry", or -1, as of a name that two geometries have.
ISO_API int iso_model_find_geometry(const iso_model* model, const char* name);
/// Index by name, or -1.
ISO_API int iso_model_find_joint(const iso_model* model, const char* name);
/// Index by name, or -1.
ISO_API int iso_model_find_actuator(const iso_model* model, const char* name);
/// Index by name, or -1.
ISO_API int iso_model_find_fixed_tendon(const iso_model* model, const char* name);

#ifdef __cplusplus
}
#endif
