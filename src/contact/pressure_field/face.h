// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "contact/pairs/contact_system.h"
#include "surface/faces/pressed_face.h"

/// Slopes of both pressure fields across a face, along its normal (from A into B).
typedef struct iso_face_slopes {
    double a;      ///< -grad p_A . n [Pa/m], positive as a rule; INFINITY when A is rigid
    double b;      ///< grad p_B . n [Pa/m]; INFINITY when B is rigid
    double series; ///< 1 / (1/a + 1/b): how fast the pressure rises on approach [Pa/m]; 0 when
                   ///< either slope is below 1e-14, as such a face has no convex potential
    int face;      ///< whose slopes these are
} iso_face_slopes;

iso_face_slopes iso_patch_face_slopes(const iso_patch* patch, int face);

/// How fast a step lets the pressure of a face fall when its bodies part [Pa/m]: `slopes->series`
/// where both fields rise along the normal. A field that is nearly tangential, or falls, loses its
/// pressure p no later than after p / |grad p|, the way out of it. 0 when a field is flat.
double iso_patch_release_slope(const iso_patch* patch, const iso_face_slopes* slopes);

/// Dissipation of one face by the system's damping and combination rule [s/m].
double iso_contact_face_dissipation(const iso_contact_options* options,
                                    const iso_contact_pair* pair, const iso_face_slopes* slopes);

/// Damped pressure of the continuous law, [Elandt2022] eq. 5.10: max(p0+ (1 - d v_n), -adhesion)
/// [Pa]. Damping and adhesion vanish with p0.
static inline double iso_damped_pressure(double p0, double dissipation, double v_n,
                                         double adhesion) {
    return fmax(fmax(p0, 0.0) * (1.0 - dissipation * v_n), -adhesion);
}
