// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/sensor.h"
#include "isobar/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Many worlds of one structure, driven and read through arrays, as learning wants them. Each is a
/// clone of one of several variants, which may differ in numbers (masses, materials, friction,
/// sizes), so that a reset can put a world into another variant. Arrays are row major, one row a
/// world. Every world comes to the same bits as when it is stepped alone, for any number of
/// threads.
typedef struct iso_vector iso_vector;

/// Start from zeros.
typedef struct iso_vector_desc {
    iso_world* const* variants; ///< [variant_count] >= 1, borrowed, must outlive the vector and not
                                ///< be stepped: worlds start in their state. Bodies, joints and
                                ///< actuators of all have the same names
    int variant_count;
    int world_count;                ///< 1 to 1000000
    int thread_count;               ///< 1 to 256
    const iso_sensor_desc* sensors; ///< [sensor_count] read by ISO_VECTOR_SENSORS; copied
    int sensor_count;
} iso_vector_desc;

/// All worlds in the state of the first variant.
/// @param[out] out_vector  owned by the caller, release with iso_vector_destroy(); NULL on error
/// @return ISO_ERR_ARGUMENT (missing; variants of other structure, naming what differs),
///         ISO_ERR_RANGE (counts), ISO_ERR_MEMORY, errors of iso_sensors_create()
ISO_NODISCARD ISO_API iso_status iso_vector_create(iso_context* ctx, const iso_vector_desc* desc,
                                                   iso_vector** out_vector);
/// Release a vector and its worlds; variants stay. NULL is allowed.
ISO_API void iso_vector_destroy(iso_vector* vector);

/// Number of worlds.
ISO_API int iso_vector_count(const iso_vector* vector);
/// A world, owned by the vector, until it is reset into another variant; NULL for indices out of
/// range. Its state may be read, set, saved and restored between the calls below.
ISO_API iso_world* iso_vector_world(const iso_vector* vector, int index);
/// Which variant a world is of; -1 for indices out of range.
ISO_API int iso_vector_variant(const iso_vector* vector, int index);

/// Put worlds back to the start of a variant.
/// @param mask      [count] which; NULL: all
/// @param variants  [count] of each that is reset; NULL: as they are
/// @param q         [count * q_count] positions in place of the variant's; NULL: those
/// @param v         [count * v_count] velocities; NULL: those of the variant
/// @return ISO_ERR_RANGE (a variant, the smallest world that has a bad number; the others are
///         reset), ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_vector_reset(iso_vector* vector, const bool* mask,
                                                  const int* variants, const double* q,
                                                  const double* v);

/// Advance all worlds. One whose step fails stays in the state before that step, the others go on:
/// ask iso_vector_status().
/// @param actuations   [count * actuator count] set before the first step; NULL: as they are
/// @param step_count   >= 0
/// @return ISO_ERR_ARGUMENT, ISO_ERR_RANGE (an actuation is not finite: nothing is stepped)
ISO_NODISCARD ISO_API iso_status iso_vector_step(iso_vector* vector,
                                                 const iso_actuation* actuations, int step_count);
/// What the last iso_vector_step() came to for a world; ISO_OK since it was reset.
ISO_API iso_status iso_vector_status(const iso_vector* vector, int index);
/// Which worlds the last iso_vector_step() could not step.
/// @param[out] out_failed  [count]
/// @return how many
ISO_API int iso_vector_failures(const iso_vector* vector, bool* out_failed);

/// What can be read of all worlds.
typedef enum iso_vector_field {
    ISO_VECTOR_Q,              ///< [q_count]
    ISO_VECTOR_V,              ///< [v_count]
    ISO_VECTOR_TIME,           ///< [1] [s]
    ISO_VECTOR_BODY_POSES,     ///< [7 * body count] position [m], quaternion w x y z; in W
    ISO_VECTOR_BODY_TWISTS,    ///< [6 * body count] (angular; of the origin), in W [rad/s], [m/s]
    ISO_VECTOR_CONTACT_FORCES, ///< [3 * body count] sum of all contacts in the last step, in W [N]
    ISO_VECTOR_EFFORTS,        ///< [joint count] of actuators in the last step
    ISO_VECTOR_SENSORS,        ///< [values of all sensors, one sensor after the other]
} iso_vector_field;

/// Numbers of a field in one world; 0 for fields that are none.
ISO_API int iso_vector_width(const iso_vector* vector, iso_vector_field field);
/// Copy a field of all worlds.
/// @param[out] out_values  [count * width]
/// @return ISO_ERR_ARGUMENT, ISO_ERR_RANGE (field), errors of iso_sensors_update()
ISO_NODISCARD ISO_API iso_status iso_vector_read(iso_vector* vector, iso_vector_field field,
                                                 double* out_values);

#ifdef __cplusplus
}
#endif
