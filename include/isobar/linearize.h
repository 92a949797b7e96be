// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What else the next state may be differentiated by.
typedef enum iso_world_parameter_kind {
    ISO_PARAMETER_FRICTION,    ///< both coefficients of friction of a geometry
    ISO_PARAMETER_MODULUS,     ///< logarithm of a geometry's modulus and Young's modulus
    ISO_PARAMETER_DISSIPATION, ///< of a geometry [s/m]
    ISO_PARAMETER_POSE,        ///< of a geometry on its body [rad], [m]; the body's mass stays
    ISO_PARAMETER_MASS,        ///< logarithm of a body's mass, inertia with it
} iso_world_parameter_kind;

/// One of them.
typedef struct iso_world_parameter {
    iso_world_parameter_kind kind;
    const char* name; ///< "body::geometry"; of a mass the body's
    int axis;         ///< pose: 0 to 2 a rotation about an axis of the body, through the geometry's
                      ///< origin, 3 to 5 a translation along one; others: 0
} iso_world_parameter;

/// From now on a parameter of a world differs by this from its model's, and no other one does; 0:
/// none. States, hashes and files take no notice; contacts of the last step go. Not to be cloned.
/// @return ISO_ERR_NOT_FOUND (name), ISO_ERR_RANGE (kind, axis, change), ISO_ERR_ARGUMENT (a
///         geometry without such a number), ISO_ERR_MEMORY; the parameter is the model's then
ISO_NODISCARD ISO_API iso_status iso_world_vary(iso_world* world,
                                                const iso_world_parameter* parameter,
                                                double change);

/// Start from iso_linearize_desc_default().
typedef struct iso_linearize_desc {
    double position_step;  ///< largest change of a position [m], [rad], > 0; 1e-6
    double velocity_step;  ///< of a velocity [m/s], [rad/s], > 0; 1e-4
    double control_step;   ///< of a feed-forward effort [N], [N m], > 0; 1e-3
    double parameter_step; ///< of friction and logarithms, > 0; 1e-3; a thousandfold of it of
                           ///< dissipation; of poses position_step
    int step_count;        ///< time steps of the map, >= 1; 1
    int thread_count;      ///< 1 to 256; 1
    bool differences;      ///< of whole steps, also where the step itself has a derivative; false
    const iso_world_parameter* parameters; ///< [parameter_count] borrowed; NULL: none
    int parameter_count;                   ///< >= 0; 0
    double*
        out_parameters;  ///< [2 v_count * parameter_count] row major: dx' by them; NULL: not wanted
    const char** reason; ///< set to why differences of whole steps were taken, of some columns or
                         ///< all, static; to NULL where they were not; NULL: not wanted
} iso_linearize_desc;
/// The values named beside the members.
ISO_API iso_linearize_desc iso_linearize_desc_default(void);

/// The largest change of one of its parameters.
static inline double iso_linearize_parameter_step(const iso_linearize_desc* desc, int parameter) {
    iso_world_parameter_kind kind = desc->parameters[parameter].kind;
    return kind == ISO_PARAMETER_POSE          ? desc->position_step
           : kind == ISO_PARAMETER_DISSIPATION ? 1e3 * desc->parameter_step
                                               : desc->parameter_step;
}

/// The derivative of the map from the present state x = (q, v) and actuation u to the state x' that
/// iso_world_step() makes of them:
///     dx' = A dx + B du + P dp
/// Changes of q are in the coordinates of v (2 v_count numbers in all): a small rotation of a
/// quaternion joint is a rotation vector in F, applied from the left; so A is square whatever
/// joints there are. What contacts remember and applied wrenches stay as they are.
///
/// One step of `lagged`, `sap` or `similar` has a derivative of its own by the implicit function
/// theorem (docs/theory/step.md): the Hessian of its optimum, and how the gradient changes there,
/// by central differences a tenth of the steps below. Others, and columns along which contacts open
/// or close near by, are found by differences of whole steps over clones of the world, extrapolated
/// to zero from three steps h, h/2 and h/4 (Richardson): 6 steps of the world a column, over
/// threads. A column that is off by more than 1e-7 is tried again with steps 16 and 256 times
/// shorter, and the best one taken. The present state is not touched. Where the map has a kink (a
/// contact opens or starts to slide, a limit is met) there is no derivative: out_errors says so.
/// @param      desc        NULL: the default
/// @param[out] out_a       [2 v_count * 2 v_count] row major; may be NULL
/// @param[out] out_b       [2 v_count * 3 actuators]; columns in the order of iso_actuation:
///                         feed_forward, position, velocity of each actuator; may be NULL
/// @param[out] out_errors  [2 v_count + 3 actuators + parameter_count] of each column of (A B
///                         parameters), over the larger of 1 and its largest number: what the two
///                         last extrapolations differ by, or gradient and Hessian of the step along
///                         the column, and the kink at the state; may be NULL
/// @return ISO_ERR_RANGE (desc), ISO_ERR_ARGUMENT, ISO_ERR_MEMORY, errors of iso_world_step()
ISO_NODISCARD ISO_API iso_status iso_world_linearize(const iso_world* world,
                                                     const iso_linearize_desc* desc, double* out_a,
                                                     double* out_b, double* out_errors);

/// The derivative that one step has of its own, see iso_world_linearize(). The contacts of the last
/// step go: call it with a clone.
/// @param      desc         its three steps and parameters count; NULL: the default
/// @param[out] out_columns  [2 v_count + 3 actuators + parameter_count][2 v_count] of (A B P)
/// @param[out] out_errors   [2 v_count + 3 actuators + parameter_count]; INFINITY: no derivative
/// @param[out] out_reason   why some or all have none, static; NULL: all have one
/// @return ISO_ERR_ARGUMENT, ISO_ERR_MEMORY, errors of iso_world_step()
ISO_NODISCARD ISO_API iso_status iso_world_differentiate_step(iso_world* world,
                                                              const iso_linearize_desc* desc,
                                                              double* out_columns,
                                                              double* out_errors,
                                                              const char** out_reason);

/// Have a world solve its steps to rounding from now on, where iso_world_linearize() compares whole
/// steps. Positions that are set in it are other starts of the same motion: contacts keep what they
/// took, as where no body was moved. Methods without a convex step solve as they did.
/// @param world  a clone; NULL: nothing is done
ISO_API void iso_world_solve_closely(iso_world* world);

#ifdef __cplusplus
}
#endif
