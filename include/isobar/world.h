// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/contact.h"
#include "isobar/deformed.h"
#include "isobar/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A model with a state that advances in time. Body 0 is "world"; trees follow in the order of
/// their roots' scoped names, parents before children, siblings by name; joints and actuators are
/// sorted by name. So nothing depends on the order in which a scene lists them.
typedef struct iso_world iso_world;

/// How time advances.
typedef enum iso_method {
    ISO_METHOD_LAGGED,   ///< velocity-level convex step, lagged convex Hunt-Crossley (default)
    ISO_METHOD_SAP,      ///< velocity-level convex step, linear damping, quadratic friction cone
    ISO_METHOD_RK4,      ///< continuous, classical 4th order, fixed step
    ISO_METHOD_RK23,     ///< continuous, Bogacki-Shampine 3(2), error controlled
    ISO_METHOD_RK45,     ///< continuous, Dormand-Prince 5(4), error controlled
    ISO_METHOD_SIMILAR,  ///< velocity-level convex step, Hunt-Crossley with the friction of its own
                         ///< normal force: a body that slides is pushed off the surface
    ISO_METHOD_TAMSI,    ///< velocity-level step without convexity: Hunt-Crossley and friction
                         ///< regularised below the stiction velocity, both at the end of the step
    ISO_METHOD_MIDPOINT, ///< as lagged, with forces in the middle of the step where it resolves
                         ///< them (second order), at its end where it does not
    ISO_METHOD_RADAU,    ///< continuous, implicit: Radau IIA of order 1 to 13, error controlled
    ISO_METHOD_CVODE, ///< continuous, implicit: BDF of SUNDIALS, error controlled; takes memory in
                      ///< a step. Only where iso_method_is_built() says so
} iso_method;
/// Whether this build has a method: all have all, but for CVODE.
ISO_API bool iso_method_is_built(iso_method method);
/// Whether a method solves for velocities: LAGGED, SAP, SIMILAR, TAMSI, MIDPOINT.
ISO_API bool iso_method_is_velocity_level(iso_method method);

/// Most substeps that iso_world_desc may allow.
#define ISO_MOST_SUBSTEPS 100000
/// The least accuracy: what is asked for below is lost in the rounding of a step's sums.
#define ISO_LEAST_ACCURACY 1e-14

/// Time step of worlds with error control that state none [s].
#define ISO_SAMPLE_STEP 1e-2
/// Finest accuracy that the velocities of a step, which are solved to 1e-8, allow.
#define ISO_FINEST_ACCURACY 1e-9
/// Coarsest accuracy of these methods.
#define ISO_COARSEST_ACCURACY 100.0
/// Coarsest accuracy of RK23, RK45, RADAU, CVODE.
#define ISO_COARSEST_CONTINUOUS_ACCURACY 1.0

/// Start from iso_world_desc_default().
typedef struct iso_world_desc {
    double time_step;   ///< of iso_world_step() [s], > 0, at most 1; 1e-3. With error control the
                        ///< longest substep, too, and 0: ISO_SAMPLE_STEP
    iso_vec3 gravity;   ///< world frame [m/s^2]; (0, 0, -9.81)
    iso_method method;  ///< lagged
    double accuracy;    ///< error per step of RK23, RK45, RADAU, CVODE (relative to 1 m, 1 rad),
                        ///< ISO_LEAST_ACCURACY to ISO_COARSEST_CONTINUOUS_ACCURACY; 1e-3.
                        ///< Of velocity-level methods with error control: of a substep, relative to
                        ///< the size of each body and 1 rad (docs/theory/adaptive.md), from
                        ///< ISO_FINEST_ACCURACY to ISO_COARSEST_ACCURACY
    bool error_control; ///< velocity-level methods divide a time step into substeps that keep the
                        ///< accuracy; false: one of its length. Continuous ones do as they are
    int max_substeps;   ///< how many substeps these may take in one step, those that are made again
                        ///< included, before it fails; RK23 and RK45 leave some of them to RADAU
                        ///< where a step is too stiff for them; 1 to ISO_MOST_SUBSTEPS; 5000
    double initial_step; ///< of methods with error control: the first substep tried [s], 0 to 1;
                         ///< velocity-level ones try it in the first step of a world, continuous
                         ///< ones in every step. 0: they choose; 0
    double max_step;     ///< and their longest substep [s], 0 to 1; 0: none but the time step; 0
    iso_contact_options contact;
    int thread_count;  ///< 1 to 256; 1
    bool load_visuals; ///< read visual meshes too, for drawing and recording; false
} iso_world_desc;
/// The values named beside the members.
ISO_API iso_world_desc iso_world_desc_default(void);

/// Build a world: tessellates shapes, builds pressure fields and trees, sizes all scratch.
/// Where it has many large rigid meshes, as many threads as there are processors take part.
/// @param model  read during the call only
/// @return the first thing wrong with the model, with its name and source
ISO_NODISCARD ISO_API iso_status iso_world_create(iso_context* ctx, const iso_model* model,
                                                  const iso_world_desc* desc,
                                                  iso_world** out_world);
/// Release a world. NULL is allowed. A world that is held is not released, see iso_world_hold().
ISO_API void iso_world_destroy(iso_world* world);

/// Advance by one time step. On failure the state is that before the call.
/// @return ISO_ERR_NO_CONVERGENCE (a solver; error control: more substeps than max_substeps, or too
///         short ones; the message names the body and what helps), ISO_ERR_NUMERIC, ISO_ERR_MEMORY,
///         ISO_ERR_ARGUMENT (held)
ISO_NODISCARD ISO_API iso_status iso_world_step(iso_world* world);

/// Compute the contacts of the present state (static patches with continuous tractions), as
/// `isobar patch` does; iso_world_contact() then reads them. On failure there are none.
/// @return as iso_world_step(), but for ISO_ERR_NO_CONVERGENCE
ISO_NODISCARD ISO_API iso_status iso_world_update_contacts(iso_world* world);

/// The context the world was made with.
ISO_API iso_context* iso_world_context(const iso_world* world);
/// What the world was made with; owned by the world.
ISO_API const iso_world_desc* iso_world_settings(const iso_world* world);
ISO_API double iso_world_time(const iso_world* world); ///< [s]
/// Steps made so far.
ISO_API int64_t iso_world_step_count(const iso_world* world);

/// Number of bodies, the world itself included.
ISO_API int iso_world_body_count(const iso_world* world);
/// Scoped name, "model::link"; owned by the world.
ISO_API const char* iso_world_body_name(const iso_world* world, int body);
/// Index by scoped name, or by bare link name when only one matches; -1 otherwise.
ISO_API int iso_world_find_body(const iso_world* world, const char* name);
ISO_API double iso_world_body_mass(const iso_world* world, int body); ///< [kg]; 0 for "world"
/// True for the world and everything welded to it.
ISO_API bool iso_world_body_is_fixed(const iso_world* world, int body);
ISO_API iso_pose iso_world_body_pose(const iso_world* world, int body); ///< x_wb
/// (angular velocity; velocity of the body origin) in the world.
ISO_API iso_spatial iso_world_body_twist(const iso_world* world, int body);

/// A shown or colliding surface of a body, for drawing; pointers owned by the world. Visuals are
/// there only when the world was created with load_visuals.
typedef struct iso_body_surface {
    const char* name;
    bool is_collision;        ///< contact geometry; otherwise a visual
    iso_pose x_bg;            ///< pose in the body
    float rgba[4];            ///<
    const iso_tri_mesh* mesh; ///< in G
} iso_body_surface;
/// Number of surfaces of a body.
ISO_API int iso_world_body_surface_count(const iso_world* world, int body);
/// Surface of a body by index.
ISO_API iso_body_surface iso_world_body_surface(const iso_world* world, int body, int index);

/// Joints of one degree of freedom (revolute, prismatic, screw), in the order of their coordinates
/// in q and v (dynamics.h, where all joints are).
ISO_API int iso_world_joint_count(const iso_world* world);
/// Scoped name, "model::joint"; owned by the world.
ISO_API const char* iso_world_joint_name(const iso_world* world, int joint);
/// Revolute, prismatic or screw.
ISO_API iso_joint_kind iso_world_joint_kind(const iso_world* world, int joint);
/// Index by scoped name, or by bare name when only one matches; -1 otherwise.
ISO_API int iso_world_find_joint(const iso_world* world, const char* name);
/// Position [rad] or [m].
ISO_API double iso_world_joint_position(const iso_world* world, int joint);
/// Velocity [rad/s] or [m/s].
ISO_API double iso_world_joint_velocity(const iso_world* world, int joint);
/// Effort applied by actuators in the last step [N m] or [N], through fixed tendons too.
ISO_API double iso_world_joint_effort(const iso_world* world, int joint);

/// Limits of a joint.
typedef struct iso_joint_limits {
    double lower, upper; ///< of the position [rad] or [m]; infinite: none
    double velocity;     ///< [rad/s] or [m/s]; INFINITY: none. Not enforced by the step
} iso_joint_limits;
/// Limits of a joint by index; none for an index out of range.
ISO_API iso_joint_limits iso_world_joint_limits(const iso_world* world, int joint);

/// State changes between steps. Return ISO_ERR_RANGE for indices and values out of range.
ISO_NODISCARD ISO_API iso_status iso_world_set_joint(iso_world* world, int joint, double position,
                                                     double velocity);
/// Pose and twist (angular velocity; velocity of the origin) of a body that floats freely.
/// @return ISO_ERR_ARGUMENT (held), ISO_ERR_RANGE
ISO_NODISCARD ISO_API iso_status iso_world_set_free_body(iso_world* world, int body,
                                                         const iso_pose* x_wb, iso_spatial v_wb);

/// Prescribe the motion of a body that is welded to the world (and of what is welded to it): it is
/// at x_wb now, and every step moves it on with the twist v_wb (angular velocity; velocity of the
/// origin), which contacts and constraints see: a weld to it drags a body along. For a path, call
/// it before every step with the pose there and the twist to the next. What contacts remember
/// stays, so poses should follow from twists; the work of the drive is not in the energy ledger.
/// Velocity-level methods see the pose at the start of the step, continuous ones that of each
/// stage.
/// @param x_wb  NULL: back to where the model has it, at rest
/// @return ISO_ERR_RANGE (index, a body that can move, values), ISO_ERR_UNSUPPORTED (bodies
///         that carry a joint)
ISO_NODISCARD ISO_API iso_status iso_world_set_prescribed(iso_world* world, int body,
                                                          const iso_pose* x_wb, iso_spatial v_wb);

/// Actuators: effort = feed_forward + kp (position - q) + kd (velocity - v), clamped.
typedef struct iso_actuation {
    double feed_forward; ///< [N m] or [N]
    double position;     ///< q* [rad] or [m]
    double velocity;     ///< v* [rad/s] or [m/s]
} iso_actuation;
/// Number of actuators.
ISO_API int iso_world_actuator_count(const iso_world* world);
/// Name of an actuator; owned by the world.
ISO_API const char* iso_world_actuator_name(const iso_world* world, int actuator);
/// Index by scoped name, or by bare name when only one matches; -1 otherwise.
ISO_API int iso_world_find_actuator(const iso_world* world, const char* name);
/// Index of the joint an actuator drives; -1: it drives a fixed tendon or is adhesion.
ISO_API int iso_world_actuator_joint(const iso_world* world, int actuator);
/// Index of the fixed tendon an actuator drives; -1: it drives a joint or is adhesion.
ISO_API int iso_world_actuator_fixed_tendon(const iso_world* world, int actuator);
/// Index of the body whose contacts an actuator pulls together (adhesion); -1: it is none.
ISO_API int iso_world_actuator_adhesion_body(const iso_world* world, int actuator);
/// What an actuator was made with.
typedef struct iso_actuator_gains {
    double effort_limit; ///< the larger one of both sides; INFINITY: none
    double kp, kd;
    double effort_lower, effort_upper; ///< what actuator and joint allow (of several on one
                                       ///< joint the actuator alone); infinite: any
} iso_actuator_gains;
/// Gains of an actuator by index; zeros for an index out of range.
ISO_API iso_actuator_gains iso_world_actuator_gains(const iso_world* world, int actuator);
/// What an actuator is told now; zeros for an index out of range.
ISO_API iso_actuation iso_world_actuation(const iso_world* world, int actuator);
/// Held until changed.
/// @return ISO_ERR_ARGUMENT, ISO_ERR_RANGE (index, command not finite)
ISO_NODISCARD ISO_API iso_status iso_world_set_actuation(iso_world* world, int actuator,
                                                         const iso_actuation* actuation);
/// What an actuator follows within the next step of `midpoint` or a method with error control,
/// linearly, instead of the values just set, which jump from step to step: error control resolves
/// jumps. It then holds those of the end. Other methods take the values set. To be told again
/// before each step; iso_world_set_actuation() takes it back.
/// @param start, end  when the step begins and when it ends
/// @return ISO_ERR_ARGUMENT, ISO_ERR_RANGE (index, command not finite)
ISO_NODISCARD ISO_API iso_status iso_world_lead_actuation(iso_world* world, int actuator,
                                                          const iso_actuation* start,
                                                          const iso_actuation* end);
/// Wrench on a body for the next step only: (moment about the body origin; force), world frame.
/// @return ISO_ERR_ARGUMENT, ISO_ERR_RANGE (index, wrench not finite)
ISO_NODISCARD ISO_API iso_status iso_world_apply_wrench(iso_world* world, int body,
                                                        iso_spatial f_b_w);

/// Contacts of the last step (their patches at the step's start) or of
/// iso_world_update_contacts(), sorted by scoped names.
ISO_API int iso_world_contact_count(const iso_world* world);
/// Contact by index in [0, count).
ISO_API iso_contact iso_world_contact(const iso_world* world, int index);
/// Coefficient of friction of what slides in a contact: what the materials combine to, or the rule
/// of the pair. 0 for indices out of range.
ISO_API double iso_world_contact_friction(const iso_world* world, int index);

/// What the contacts that iso_world_contact() reads leave of a compliant geometry, at the present
/// poses: call it after iso_world_update_contacts(). Empty for surfaces that are not compliant
/// bodies of tetrahedra (visuals, rigid geometries, half spaces).
/// @param surface  index as in iso_world_body_surface()
/// @param[out] out_deformed  owned by the caller, release with iso_deformed_destroy()
/// @return ISO_ERR_ARGUMENT, ISO_ERR_RANGE (indices), ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_world_deformed(const iso_world* world, int body, int surface,
                                                    iso_deformed* out_deformed);

/// The contact that came nearest to passing through: extent_a or extent_b of iso_contact at its
/// largest since the world was made. Names are "" while there was no contact with a field.
typedef struct iso_contact_peak {
    double extent;           ///< share of the largest pressure of a field
    double time;             ///< [s]
    const char* body_name_a; ///< scoped; owned by the world, as the names below
    const char* body_name_b;
    const char* geometry_name_a;
    const char* geometry_name_b;
} iso_contact_peak;
/// Over the contacts of all steps and of iso_world_update_contacts().
ISO_API iso_contact_peak iso_world_contact_peak(const iso_world* world);

/// Bodies that went through each other unseen: the middle of a geometry by more than half its width
/// in one step (error-controlled methods: in one they accepted), through the surface of another one
/// that it did not touch. Names are "" while there were none.
typedef struct iso_contact_passage {
    int pair_count;          ///< pairs of geometries to which it happened
    double time;             ///< of the first one, at the end of the step [s]
    const char* body_name_a; ///< of the first one; scoped; owned by the world, as the names below
    const char* body_name_b;
    const char* geometry_name_a;
    const char* geometry_name_b;
} iso_contact_passage;
/// Since the world was made or cloned; not part of its state.
ISO_API iso_contact_passage iso_world_contact_passage(const iso_world* world);

/// Where a ray meets a geometry of a world.
typedef struct iso_world_ray_hit {
    int body;                  ///< it belongs to; -1: none
    const char* geometry_name; ///< owned by the world; "": none
    double distance;           ///< from the origin, along the unit direction [m], >= 0
    iso_vec3 point_w;          ///< [m]
    iso_vec3 normal_w;         ///< unit, out of the geometry (also when the ray comes from inside)
} iso_world_ray_hit;

/// First point at which a ray meets a geometry that collides, in the present state: as
/// iso_contact_shape_ray_cast() of each, O(geometries). Of equally near ones the first by scoped
/// name. Threads may cast rays in worlds that share shapes (clones).
/// @param      direction_w   any length but zero; normalised here
/// @param      max_distance  [m], >= 0; INFINITY for no limit
/// @param      ignored_body  whose geometries the ray passes through, 0 for the world's own; -1:
///                           none
/// @param[out] out_hit       body -1 where nothing was met
/// @return ISO_ERR_ARGUMENT, ISO_ERR_NUMERIC (not finite), ISO_ERR_RANGE (direction, max_distance,
///         body), ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_world_ray_cast(const iso_world* world, iso_vec3 origin_w,
                                                    iso_vec3 direction_w, double max_distance,
                                                    int ignored_body, iso_world_ray_hit* out_hit);

/// Energy of the present state and what was done and dissipated since creation. kinetic + potential
/// + spring - actuation - contact - constraint - limit + damping is constant, and without moving
/// surfaces contact = -(change of the elastic energy, iso_world_elastic_energy()) - friction -
/// contact_damping: to the accuracy of the continuous methods (rk4: to first order where a limit or
/// a rope is hit), to first order in the time step at the velocity level (docs/theory/step.md).
typedef struct iso_energy {
    double kinetic;         ///< [J]
    double potential;       ///< gravity, zero at the world origin [J]
    double elastic;         ///< of the contacts last computed, by columns; of a frame of a
                            ///< recording: as the recorder was asked for [J]
    double actuation;       ///< work done by actuators and applied wrenches [J]
    double contact;         ///< work done on the bodies by contact [J]
    double damping;         ///< energy lost in joint damping and dry friction of joints [J]
    double spring;          ///< stored in springs of joints [J]
    double constraint;      ///< work done on the bodies by loop constraints and couplers [J]
    double stretch;         ///< stored in the stretch of patches that stick [J]
    double stretch_booked;  ///< energy that stretches gained or lost without motion of the bodies:
                            ///< their stiffness follows the load, rolling and parting end them [J]
    double applied;         ///< the part of `actuation` that applied wrenches did [J]
    double friction;        ///< what slip in contacts took, heat and stretch [J]
    double contact_damping; ///< lost to normal damping in contacts [J]
    double limit;           ///< work done on the bodies by joint limits [J]
} iso_energy;
/// Energy of the present state.
ISO_API iso_energy iso_world_energy(const iso_world* world);

/// Energy stored in the contacts that iso_world_contact() reads, where their patches were found:
/// after a step at its start. Recordings and `isobar run` have this one. It takes about as long as
/// finding the patches, and 68 bytes per tetrahedron from the first call on. iso_energy's `elastic`
/// is faster and rough: it uses columns along the normal, which are off by up to 92 % where edges
/// and corners are pressed in.
/// @param contact  index as in iso_world_contact(); -1: all together, exact when each is
/// @return ISO_ERR_ARGUMENT, ISO_ERR_RANGE (index), ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_world_elastic_energy(const iso_world* world, int contact,
                                                          iso_elastic_energy* out_energy);

/// Why a velocity-level step took many Newton iterations: what its linear steps foresaw worst.
typedef enum iso_step_reason {
    ISO_STEP_REASON_NONE,           ///< at most 5 iterations, or a method that does not tell
    ISO_STEP_REASON_OPENING,        ///< the normal force of a contact: it opens, closes, rebounds
    ISO_STEP_REASON_FRICTION,       ///< friction of a contact: it sticks, slips, turns
    ISO_STEP_REASON_LIMIT,          ///< a joint limit
    ISO_STEP_REASON_DRIVE,          ///< a drive at its effort limit
    ISO_STEP_REASON_JOINT_FRICTION, ///< dry friction in a joint
    ISO_STEP_REASON_CONSTRAINT,     ///< a constraint or coupler
    ISO_STEP_REASON_ROUNDING,       ///< no progress beyond rounding: forces or masses too unlike
    ISO_STEP_REASON_NO_ROOT,        ///< tamsi found none in 32 parts: some of them are of `similar`
} iso_step_reason;
/// A few words for a reason; "" for numbers that are none.
ISO_API const char* iso_step_reason_text(iso_step_reason reason);

/// What the last step cost, for reports and benchmarks. Islands are groups of trees of bodies that
/// touch or are tied; each is solved on its own, bodies that move freely in none.
typedef struct iso_step_report {
    int pair_count;             ///< candidate pairs after the broad phase
    int contact_count;          ///< pairs with a patch
    int face_count;             ///< faces over all patches
    int iterations;             ///< Newton iterations of the slowest island, or stages evaluated
    int line_search_iterations; ///< its evaluations along search lines
    int total_iterations;       ///< Newton iterations of all islands
    int island_count;           ///< velocity level but TAMSI, which solves all at once: 0
    int largest_island;         ///< trees in it
    double residual;            ///< scaled residual at exit (docs/theory/step.md)
    double cost;                ///< of the step's optimisation problem at exit [J]
    int slowest_body;           ///< whose motion needed the last Newton iteration; -1: none was
    iso_step_reason reason;     ///< why the slowest island was slow
    int reason_body_a;          ///< of the contact, or of the joint; -1: none
    int reason_body_b;          ///< the other body of the contact; -1: none
    double stage_seconds[8];    ///< wall time of the stages of docs/pipeline.md
    int substep_count;          ///< error control: accepted substeps; 0 where a world rests
    int rejected_count;         ///< those that were made again
    double smallest_substep;    ///< of the accepted ones [s]
    double largest_substep;     ///< of the accepted ones [s]; continuous methods: 0
    double substep_error;       ///< their largest error, in units of the accuracy
} iso_step_report;
/// What the last step cost.
ISO_API iso_step_report iso_world_step_report(const iso_world* world);

/// Hold a world while somebody else's code looks at it, from a callback for instance: whatever
/// would change its state fails with ISO_ERR_ARGUMENT and iso_world_destroy() does nothing until
/// iso_world_release(). The world stays its owner's then, to be destroyed later. Loads and sensors
/// can be read. Holds add up.
ISO_API void iso_world_hold(iso_world* world);
/// Undo one iso_world_hold().
/// @return ISO_ERR_ARGUMENT: somebody tried to change or destroy the world; the message says what
ISO_NODISCARD ISO_API iso_status iso_world_release(iso_world* world);

/// FNV-1a of time, positions and velocities: equal states have equal hashes, bit by bit.
ISO_API uint64_t iso_world_state_hash(const iso_world* world);

#ifdef __cplusplus
}
#endif
