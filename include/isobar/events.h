// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What happens within a step, and when; and the state at any time in it. Both come from the
/// substeps that error control accepts, between which positions and velocities are interpolated:
/// neither makes steps shorter. A step without error control is one substep. docs/theory/events.md.

/// What can happen.
typedef enum iso_event_kind {
    ISO_EVENT_CONTACT_BEGINS, ///< two geometries begin to press on each other
    ISO_EVENT_CONTACT_ENDS,   ///< and press no more
    ISO_EVENT_SLIP_BEGINS,    ///< they slip faster than slip_speed, or begin to touch so
    ISO_EVENT_SLIP_ENDS,      ///< they do no more, or do not touch
    ISO_EVENT_FUNCTION,       ///< a function of the user's passes zero
    ISO_EVENT_LEVEL,          ///< a quantity passes a level
} iso_event_kind;

/// A function of time and state that is zero where something happens. The world is held meanwhile
/// (iso_world_hold()): what would change it fails, and so does the step.
/// @param x_wb, v_wb  [body_count] poses; (angular velocity; velocity of the body origin)
/// @return finite, else the step fails
typedef double (*iso_event_value)(void* user, double time, const iso_pose* x_wb,
                                  const iso_spatial* v_wb);
/// One that a watched world looks at; see iso_watch_desc.
typedef struct iso_event_function {
    const char* name; ///< for messages; copied; NULL: ""
    iso_event_value value;
    void* user; ///< borrowed
} iso_event_function;

/// A quantity of a joint with one degree of freedom, or of a body's origin in the world.
typedef enum iso_level_quantity {
    ISO_LEVEL_JOINT_POSITION, ///< [rad] or [m]
    ISO_LEVEL_JOINT_VELOCITY, ///< [rad/s] or [m/s]
    ISO_LEVEL_BODY_X,         ///< [m]
    ISO_LEVEL_BODY_Y,         ///<
    ISO_LEVEL_BODY_Z,         ///<
    ISO_LEVEL_BODY_SPEED,     ///< [m/s], a size
} iso_level_quantity;
/// A level that it passes.
typedef struct iso_event_level {
    const char* name; ///< of the event; copied; NULL: as `of`
    iso_level_quantity quantity;
    const char* of; ///< joint or body, as iso_world_find_joint() finds it; copied
    double level;
    int direction; ///< 1: rising, -1: falling, 0: both
} iso_event_level;

/// What to look for. Start from iso_watch_desc_default().
typedef struct iso_watch_desc {
    bool with_contacts; ///< contacts that begin and end; true
    bool with_slip;     ///< slip that begins and ends; true
    double slip_speed;  ///< at the centre of pressure, and of 2/3 of the patch's radius by what it
                        ///< turns about its normal [m/s], > 0; 1e-3
    const iso_event_function* functions; ///< [function_count] copied; NULL
    int function_count;                  ///< 0
    const iso_event_level* levels;       ///< [level_count] copied; NULL
    int level_count;                     ///< 0
} iso_watch_desc;
/// The values named beside the members.
ISO_API iso_watch_desc iso_watch_desc_default(void);

/// Something that happened in the last step.
typedef struct iso_event {
    iso_event_kind kind;
    double time;                 ///< [s] as exact as the interpolated state
    int body_a, body_b;          ///< -1: a function or level
    const char* geometry_name_a; ///< owned by the world; "": a function or level
    const char* geometry_name_b; ///<
    int function;                ///< index of the function or level; -1: a contact
    const char* function_name;   ///< owned by the world until it is watched otherwise; ""
    int direction;               ///< 1: function or quantity rises, -1: it falls; 0: a contact
} iso_event;

/// From now on look for events in each step, and keep the state within it. Each substep then looks
/// for patches once more. What touches, or has passed zero already, is no event, nor is what a
/// caller changes between steps. Clones are not watched; saved states know nothing of it.
/// @param desc  read during the call only; NULL: look no more
/// @return ISO_ERR_RANGE (slip speed, level, direction), ISO_ERR_ARGUMENT (a function is missing;
///         held), ISO_ERR_NOT_FOUND (joint, body), ISO_ERR_MEMORY; then nothing has changed
ISO_NODISCARD ISO_API iso_status iso_world_watch(iso_world* world, const iso_watch_desc* desc);

/// Events of the last step, by time; none where the world is not watched.
ISO_API int iso_world_event_count(const iso_world* world);
/// @param index  in [0, iso_world_event_count())
ISO_API iso_event iso_world_event(const iso_world* world, int index);

/// The state at a time within the last step of a world that is watched: exact for bodies that keep
/// their velocities, of third order in the substep for positions and of second for velocities.
/// @param time        from the start of the last step to now [s]
/// @param[out] out_q  [iso_world_q_count()]
/// @param[out] out_v  [iso_world_v_count()]
/// @return ISO_ERR_RANGE (time), ISO_ERR_ARGUMENT (not watched, no step yet)
ISO_NODISCARD ISO_API iso_status iso_world_state_within(iso_world* world, double time,
                                                        double* out_q, double* out_v);

/// That state, with prescribed motions, into a clone of the world, for its contacts and sensors:
/// iso_world_update_contacts() of the clone, then iso_sensors_update(). What contacts remember is
/// that of the clone; efforts and works of the energy ledger are those of the step. The clone's
/// time is that asked for, its count of steps that before the step.
/// @return as iso_world_state_within(); ISO_ERR_ARGUMENT (of another model, held)
ISO_NODISCARD ISO_API iso_status iso_world_place_within(iso_world* world, double time,
                                                        iso_world* clone);

#ifdef __cplusplus
}
#endif
