// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Parts of point_laws.c: what laws of points say of a body at rest, and what rests on what.

#include "scene/build/build.h"

/// What a law says of a point at rest.
typedef struct iso_rest_point {
    double depth;     ///< the shallowest [m]
    double rate;      ///< damping over mass [1/s]
    bool is_only_one; ///< no deeper one bears the load, too
} iso_rest_point;

/// What a geometry bears where its tree stands as it starts, all joints but the first one held.
typedef struct iso_point_load {
    double load;    ///< on each of its points [N]; 0: its tree is held or weighs nothing
    int count;      ///< points of it, each with the load
    double inverse; ///< of its body: mean of 1/m over three directions, as MuJoCo has it [1/kg]
    bool is_stable; ///< the points that are lowest bear the tree
    bool is_shared; ///< unlike points bear it, and more than say how much each
    double rub;     ///< what friction may bear of the weight, over what the points bear
} iso_point_load;

/// Whether it is one of the shapes that Hertz contact takes on a floor.
bool iso_point_is_round(const iso_shape_desc* shape);

/// Loads of all round geometries that move.
/// @param roots       [body] that it is welded to in the end; the world: 0
/// @param up          unit, from the floor
/// @param gravity     towards the floor [m/s^2], > 0
/// @param[out] loads  [geometry]
iso_status iso_point_loads_find(iso_scene_build* build, const int* roots, iso_vec3 up,
                                double gravity, iso_point_load* loads);

bool iso_point_law_is_same(const iso_point_law* a, const iso_point_law* b);

/// MuJoCo's law of two geoms.
iso_point_law iso_point_law_mix(const iso_point_law* a, const iso_point_law* b);

/// A point at rest by MuJoCo's, Drake's and ODE's law.
/// @param gravity  that the body would fall with [m/s^2]
iso_rest_point iso_point_rest_mujoco(const iso_point_law* law, const iso_point_load* load,
                                     double gravity);
iso_rest_point iso_point_rest_drake(double stiffness, double dissipation,
                                    const iso_point_load* load, double gravity);
iso_rest_point iso_point_rest_ode(double stiffness, double damping, const iso_point_load* load,
                                  double gravity);
