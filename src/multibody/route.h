// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Tendons that run through space: their lengths, and what their pull does to joints.
// docs/theory/multibody.md.

#include "isobar/model.h"
#include "multibody/multibody.h"

/// What moves of it is of one tree (iso_mb_body.joined).
typedef struct iso_route {
    int count;
    const iso_route_part* parts; ///< [count] bodies of the multibody
} iso_route;

/// The tree it moves in; -1: nothing of it moves.
int iso_route_tree(const iso_route* route, const iso_multibody* multibody);
double iso_route_length(const iso_route* route, const iso_kinematics* kinematics);
/// dl/dt by joints; what a caller moves is not counted.
double iso_route_rate(const iso_route* route, const iso_multibody* multibody,
                      const iso_kinematics* kinematics, const double* v);
/// tau += effort dl/dq. @param tau  [v_count]
void iso_route_add_effort(const iso_route* route, const iso_multibody* multibody,
                          const iso_kinematics* kinematics, double effort, double* tau);
/// dl/dq of a degree of freedom.
double iso_route_weight(const iso_route* route, const iso_multibody* multibody,
                        const iso_kinematics* kinematics, int dof);

/// d^2l/dt^2 while no joint accelerates; not of frames and wrenches.
/// @param a_wb  [body_count] iso_multibody_body_accelerations() without any of the joints
double iso_route_acceleration(const iso_route* route, const iso_kinematics* kinematics,
                              const iso_spatial* a_wb);

/// What tendons pull and rotors turn by: the length of a route, if it has any parts, and a sum of
/// coordinates of joints of one degree of freedom.
typedef struct iso_joint_length {
    iso_route route;
    int count;
    const int* bodies;     ///< [count] each once; their inboard joints
    const double* weights; ///< [count]
} iso_joint_length;

/// Its rate by joints.
double iso_joint_length_rate(const iso_joint_length* length, const iso_multibody* multibody,
                             const iso_kinematics* kinematics, const double* v);
/// tau += effort times its slope. @param tau  [v_count]
void iso_joint_length_add_effort(const iso_joint_length* length, const iso_multibody* multibody,
                                 const iso_kinematics* kinematics, double effort, double* tau);

/// Which way a line takes about an obstacle.
typedef struct iso_route_turn {
    bool is_inside;
    bool is_long; ///< outside, by more than half a turn
    double angle; ///< inside: from the first point to where it touches
} iso_route_turn;
/// @return false: none, it runs straight from p to q
bool iso_route_find_turn(const iso_route_part* obstacle, const iso_kinematics* kinematics,
                         iso_vec3 p, iso_vec3 q, iso_route_turn* out_turn);

/// How a line from a to b is wound around a circle about the origin, all in its plane.
typedef struct iso_winding {
    bool is_wound;     ///< false: it runs straight
    double a[2], b[2]; ///< where it meets and leaves the circle
    double arc;        ///< length between them; 0: along the inside
    bool is_long;      ///< outside, the way that is not the short one
    double angle;      ///< inside: from a to where it touches
} iso_winding;

/// Around the outside, where the circle is in the way. @param side  a direction: where the short
/// way runs past the opposite side, it takes the long one, even when nothing is in its way; NULL:
/// none
iso_winding iso_winding_outside(const double* a, const double* b, double radius,
                                const double* side);
/// Along the inside: the line touches the circle once, as one that the circle holds back.
iso_winding iso_winding_inside(const double* a, const double* b, double radius);
