// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Start from iso_linearize_desc_default().
typedef struct iso_linearize_desc {
    double position_step; ///< largest change of a position [m], [rad], > 0; 1e-6
    double velocity_step; ///< of a velocity [m/s], [rad/s], > 0; 1e-4
    double control_step;  ///< of a feed-forward effort [N], [N m], > 0; 1e-3
    int step_count;       ///< time steps of the map, >= 1; 1
    int thread_count;     ///< 1 to 256; 1
} iso_linearize_desc;
/// The values named beside the members.
ISO_API iso_linearize_desc iso_linearize_desc_default(void);

/// The derivative of the map from the present state x = (q, v) and actuation u to the state x' that
/// iso_world_step() makes of them:
///     dx' = A dx + B du
/// Changes of q are in the coordinates of v (2 v_count numbers in all): a small rotation of a
/// quaternion joint is a rotation vector in F, applied from the left; so A is square whatever
/// joints there are. What contacts remember and applied wrenches stay as they are.
///
/// By central differences over clones of the world, extrapolated to a step of zero from three steps
/// h, h/2 and h/4 (Richardson): 6 steps of the world a column, over threads. A column that is off
/// by more than 1e-7 is tried again with steps 16 and 256 times shorter, and the best one taken.
/// The present state is not touched. Where the map has a kink between the points (a contact opens
/// or starts to slide, a limit is met) there is no derivative: out_errors says so.
/// @param      desc        NULL: the default
/// @param[out] out_a       [2 v_count * 2 v_count] row major; may be NULL
/// @param[out] out_b       [2 v_count * 3 actuators]; columns in the order of iso_actuation:
///                         feed_forward, position, velocity of each actuator; may be NULL
/// @param[out] out_errors  [2 v_count + 3 actuators] for each column of (A B), the larger of what
/// the
///                         two last extrapolations differ by and of the kink at the state, over the
///                         larger of 1 and the largest number of the column; may be NULL
/// @return ISO_ERR_RANGE (desc), ISO_ERR_ARGUMENT, ISO_ERR_MEMORY, errors of iso_world_step()
ISO_NODISCARD ISO_API iso_status iso_world_linearize(const iso_world* world,
                                                     const iso_linearize_desc* desc, double* out_a,
                                                     double* out_b, double* out_errors);

#ifdef __cplusplus
}
#endif
