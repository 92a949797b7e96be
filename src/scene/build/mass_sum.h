// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "scene/build/build.h"

/// Mass properties of several solids together.
typedef struct iso_mass_sum {
    double mass;     ///< [kg]
    iso_vec3 moment; ///< mass times centre, in the body [kg m]
    iso_mat3 second; ///< inertia about the body's origin [kg m^2]
} iso_mass_sum;

/// Mass properties of a shape of density 1; mesh files only when files may be read.
iso_status iso_scene_shape_mass(iso_scene_build* build, iso_source at, const iso_shape_desc* shape,
                                iso_mass_properties* out_properties);
/// Add a solid of some density [kg/m^3] at a pose in the body.
void iso_mass_sum_add(iso_mass_sum* sum, const iso_mass_properties* solid, const iso_pose* x_bg,
                      double density);
/// Mass, centre and central inertia; the sum has a mass.
void iso_mass_sum_get(const iso_mass_sum* sum, iso_body_desc* body);
/// Add a shape, of an open mesh its hull. False: it encloses nothing and has no mass.
bool iso_mass_sum_add_shape(iso_scene_build* build, iso_source at, const iso_shape_desc* shape,
                            const iso_pose* x_bg, double density, iso_mass_sum* sum);
