// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// What a robot would measure in a world. User page: docs/sensors.md.

#include "isobar/taxels.h"
#include "isobar/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Kinds of sensors and their values, in this order. S is the sensor's frame; vectors are in its
/// axes. Positions and velocities of joints and frames are those of the present state. Forces,
/// accelerations and contacts are those of iso_body_load and iso_world_contact(): after a step of a
/// velocity-level method means over that step, in the state at its start; after a step of a
/// continuous method, of the state at its start; after iso_world_update_contacts(), of that state.
/// Efforts of actuators are those of the last step, after iso_world_update_contacts() too.
typedef enum iso_sensor_kind {
    ISO_SENSOR_JOINT, ///< position [q_count], velocity [v_count] as in dynamics.h, effort of
                      ///< actuators [N m] or [N] (one degree of freedom; else 0), force 3 [N]
                      ///< and moment 3 [N m] of the joint on its child, about S
    ISO_SENSOR_FORCE_TORQUE, ///< force 3 [N], moment 3 [N m] about S of a joint on its child
    ISO_SENSOR_CONTACT,      ///< force 3 [N], moment 3 [N m] about S on the body; area [m^2], mean
                             ///< pressure [Pa] (normal force of all faces over area), largest
                             ///< pressure of the fields [Pa], centre of pressure 3 [m] (zeros
                             ///< without contact), number of contacts
    ISO_SENSOR_TACTILE,      ///< force 3 [N] on the cells together, force 3 [N] of the other faces
                             ///< of the body's contacts; then per cell, row by row: pressure, shear
                             ///< x, y [Pa] (the force on the cell over its area, as a taxel
                             ///< reads it; pressure > 0 when pushed along -z), slip velocity x, y
                             ///< [m/s] of the other body, area in contact [m^2]; then of every
                             ///< cell its iso_cell_state; then, where the taxels are set
                             ///< (iso_taxels_is_set()), of every cell what its taxel reads
    ISO_SENSOR_IMU,          ///< specific force 3 [m/s^2] (acceleration of S minus gravity: +g up
                             ///< at rest), angular rate 3 [rad/s]
    ISO_SENSOR_FRAME,        ///< position 3 [m], quaternion w x y z, velocity 3 [m/s], angular
                             ///< velocity 3 [rad/s] of S in the world, or of S as seen from frame R
                             ///< and in its axes
    ISO_SENSOR_VELOCITY,     ///< velocity 3 [m/s] and angular velocity 3 [rad/s] of S in the world,
                             ///< or as seen from frame R; in axes of S
    ISO_SENSOR_SUBTREE,      ///< centre of mass C 3 [m] of the body with everything it carries (0:
                        ///< all bodies), velocity 3 [m/s] of C, angular momentum 3 [N m s] about
                        ///< C; in the world
    ISO_SENSOR_FIXED_TENDON, ///< length, velocity, effort of spring and damper, of actuators, of
                             ///< limits, as in iso_fixed_tendon_state
    ISO_SENSOR_RANGE, ///< distance [m] from the origin of S along its z to the first geometry that
                      ///< collides and is not the body's own; -1: none within `reach`
    ISO_SENSOR_ACCELERATION, ///< acceleration 3 [m/s^2] of the origin of S, angular acceleration 3
                             ///< [rad/s^2]; in the world
} iso_sensor_kind;

/// Where on its body a contact sensor feels, a shape at S.
typedef enum iso_sensor_zone {
    ISO_ZONE_ALL,       ///< everywhere
    ISO_ZONE_SPHERE,    ///< zone_size.x is its radius
    ISO_ZONE_CAPSULE,   ///< along z: radius, half length of the straight part
    ISO_ZONE_CYLINDER,  ///< along z: radius, half length
    ISO_ZONE_ELLIPSOID, ///< semi-axes
    ISO_ZONE_BOX,       ///< half sizes
} iso_sensor_zone;

/// A sensor. Names of bodies and joints are scoped, or bare when only one matches. Start from
/// iso_sensor_desc_default(). Strings are copied.
typedef struct iso_sensor_desc {
    const char* name; ///< unique, not empty
    iso_sensor_kind kind;
    const char* joint;        ///< joint, force_torque
    const char* body;         ///< the others; force_torque: its inboard joint, when `joint` is NULL
    const char* fixed_tendon; ///< fixed_tendon
    iso_pose x_bs; ///< pose of S in the body; where `joint` is given, in its frame M on the child
    const char* geometry;       ///< contact, tactile: of this geometry of the body only; NULL: all
    const char* other_body;     ///< contact, tactile: with this body only; frame, velocity: R is
                                ///< fixed to it; NULL: all; the world
    const char* other_geometry; ///< contact, tactile: with this geometry only; NULL: all
    iso_pose x_or;              ///< frame, velocity: pose of R in other_body
    bool is_on_parent;    ///< joint, force_torque: the opposite, what the child does to the parent
    int rows, columns;    ///< tactile: cells along y and along x of S, 1 to 4096, together at most
                          ///< 65536; 8
    double width, height; ///< tactile: size of the grid along x and y, its centre at S [m], > 0;
                          ///< 0.02
    double reach;         ///< tactile: faces count whose centroid is at most so far from the x-y
                          ///< plane of S and whose outward normal has a part along z; range: the
                          ///< longest distance; [m], > 0; INFINITY
    const char* source;   ///< "file:line" for error messages; may be NULL
    iso_sensor_zone zone; ///< contact: faces count whose centroid lies in the zone, or reaches it
                          ///< along the outward normal of the body (so that a soft contact does
                          ///< not leave a thin zone inward); ISO_ZONE_ALL
    iso_vec3 zone_size;   ///< what `zone` says, > 0 [m]
    double slip_speed;    ///< tactile: threshold of iso_cell_states() [m/s], > 0; 1e-3
    iso_taxels taxels;    ///< tactile: what they make of the cells' pressures; nothing
} iso_sensor_desc;
/// The values named beside the members, S and R at the origins, no names.
ISO_API iso_sensor_desc iso_sensor_desc_default(void);

/// Word for a kind in scene files and recordings: "joint", "force_torque", "contact", "tactile",
/// "imu", "frame", "velocity", "subtree", "fixed_tendon", "range",
/// "acceleration"; "" for other numbers.
ISO_API const char* iso_sensor_kind_name(iso_sensor_kind kind);

/// The sensors of a world and their last values.
typedef struct iso_sensors iso_sensors;

/// Create sensors; their values are zero until iso_sensors_update().
/// @param      world        read during the call; its clones can be read with the sensors too
/// @param[out] out_sensors  owned by the caller, release with iso_sensors_destroy(); NULL on error
/// @return ISO_ERR_NOT_FOUND (body, joint, fixed tendon, geometry), ISO_ERR_RANGE,
///         ISO_ERR_ARGUMENT (a name is missing or taken), ISO_ERR_MEMORY; the message starts with
///         the sensor's source
ISO_NODISCARD ISO_API iso_status iso_sensors_create(const iso_world* world,
                                                    const iso_sensor_desc* descs, int count,
                                                    iso_sensors** out_sensors);
/// Release sensors. NULL is allowed.
ISO_API void iso_sensors_destroy(iso_sensors* sensors);

/// Read all sensors. Call it after a step, or after iso_world_update_contacts(); where neither was
/// called yet it calls the latter. Allocates nothing once it has seen the largest contacts.
/// What taxels with hysteresis remember is kept with the world's state (iso_world_attach()) and
/// moves on once per step of the world: a second update before the next step reads, and leaves it.
/// iso_task_step() updates such sensors in every step. Noise is of the seed, the sensor's name, the
/// cell and the world's time: the same state gives the same readings.
/// @return ISO_ERR_ARGUMENT (another world), ISO_ERR_MEMORY, errors of iso_world_body_loads()
ISO_NODISCARD ISO_API iso_status iso_sensors_update(iso_sensors* sensors, iso_world* world);

/// Number of sensors.
ISO_API int iso_sensors_count(const iso_sensors* sensors);
/// Index by name, or by what follows the last "::" of it when only one matches; -1 otherwise.
ISO_API int iso_sensors_find(const iso_sensors* sensors, const char* name);
/// What a sensor was made with, strings owned by the sensors. Zeroed for indices out of range.
ISO_API iso_sensor_desc iso_sensors_desc(const iso_sensors* sensors, int sensor);
/// Body that the frame S of a sensor is fixed to; -1 for indices out of range.
ISO_API int iso_sensors_body(const iso_sensors* sensors, int sensor);
/// Pose of S in that body, also where the sensor was given by a joint.
ISO_API iso_pose iso_sensors_frame(const iso_sensors* sensors, int sensor);
/// Number of values of a sensor; 0 for indices out of range.
ISO_API int iso_sensors_value_count(const iso_sensors* sensors, int sensor);
/// The values of the last iso_sensors_update(), [value count]; owned by the sensors. NULL for
/// indices out of range.
ISO_API const double* iso_sensors_values(const iso_sensors* sensors, int sensor);
/// Copy the values of a sensor.
/// @param[out] out_values  [capacity]
/// @return ISO_ERR_RANGE (index; capacity is less than the number of values), ISO_ERR_ARGUMENT
ISO_NODISCARD ISO_API iso_status iso_sensors_read(const iso_sensors* sensors, int sensor,
                                                  double* out_values, int capacity);
/// Name of a value, "force_x"; values of cells have the same names in every cell. Empty for indices
/// out of range; static.
ISO_API const char* iso_sensors_value_name(const iso_sensors* sensors, int sensor, int value);
/// Unit of a value, "N"; empty where there is none or indices are out of range; static.
ISO_API const char* iso_sensors_value_unit(const iso_sensors* sensors, int sensor, int value);
/// Index of the first value of a cell of a tactile sensor; -1 when there is no such cell.
ISO_API int iso_sensors_cell(const iso_sensors* sensors, int sensor, int row, int column);
/// Index of the state of the first cell of a tactile sensor, those of the others follow row by row;
/// -1 where there are none.
ISO_API int iso_sensors_states(const iso_sensors* sensors, int sensor);
/// Index of the reading of the first taxel; the others follow. -1 where there are none.
ISO_API int iso_sensors_readings(const iso_sensors* sensors, int sensor);
/// Do readings depend on what was before: has a tactile sensor hysteresis?
ISO_API bool iso_sensors_have_memory(const iso_sensors* sensors);
/// Give a world what the sensors remember in another one of the same model, as before reading a
/// clone that iso_world_place_within() placed. Nothing where they remember nothing.
/// @return ISO_ERR_ARGUMENT, ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_sensors_copy_memory(const iso_sensors* sensors,
                                                         const iso_world* from, iso_world* to);

#ifdef __cplusplus
}
#endif
