// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Rotors that sums of joints or routes turn (iso_mb_rotor), in the equations of motion.

#include "multibody/multibody.h"

/// Their share of the mass matrix. @param work  arena for scratch, released before returning
iso_status iso_rotors_add_mass(const iso_multibody* multibody, const iso_kinematics* kinematics,
                               iso_arena* work, double* blocks);
/// Efforts that turn them at the accelerations vdot of joints. @param vdot  [v_count]
void iso_rotors_add_efforts(const iso_multibody* multibody, const iso_kinematics* kinematics,
                            const double* vdot, double* tau);
/// What those on routes feel of the velocities v alone, by the change of the slopes of lengths.
/// @param tree  the others are left out; -1: all
/// @param v     [v_count]; in the position of the kinematics, whose velocities may be others
iso_status iso_rotors_add_bias(const iso_multibody* multibody, const iso_kinematics* kinematics,
                               int tree, const double* v, iso_arena* work, double* tau);
