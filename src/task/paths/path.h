// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/task.h"

/// Position on a curve through a start (at time 0) and keyframes, of one coordinate.
/// @param values  [count] at the keyframes; read with `stride` doubles between them
typedef struct iso_path_coordinate {
    double value, rate;
} iso_path_coordinate;
iso_path_coordinate iso_path_scalar(iso_profile profile, const double* times, int count,
                                    double start, const double* values, int stride, double time);
/// Largest |rate| along it.
double iso_path_peak_rate(iso_profile profile, const double* times, int count, double start,
                          const double* values, int stride);

/// Pose on a curve through a start (at time 0) and keyframes: positions by coordinates;
/// orientations by rotations of constant speed (linear), or with a continuous angular velocity
/// (cubic). docs/theory/task.md.
iso_pose iso_path_pose(iso_profile profile, const double* times, int count, const iso_pose* start,
                       const iso_pose* poses, double time);
