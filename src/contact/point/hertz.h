// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Hertz: two smooth elastic bodies that touch in a point press an ellipse of contact.
// docs/theory/point_contact.md; [Johnson1985] chapter 4, [Gonthier2007] (2.1-2.4).

#include "isobar/base.h"
#include "isobar/math.h"

/// Linear-elastic, isotropic.
typedef struct iso_elastic {
    double modulus; ///< E [Pa], > 0; INFINITY: rigid
    double poisson; ///< nu, -1 < nu <= 0.5
} iso_elastic;

/// How a surface bends where it touches: principal curvatures, positive where the body is convex.
typedef struct iso_curvature {
    double first, second; ///< [1/m]
    iso_vec3 direction;   ///< unit, tangential, along which the curvature is `first`
} iso_curvature;

/// A Hertz contact. f = stiffness depth^(3/2); the ellipse has the half axes
/// major sqrt(depth) and minor sqrt(depth).
typedef struct iso_hertz {
    double stiffness;    ///< k [N/m^(3/2)]
    double major, minor; ///< [sqrt(m)]
    double modulus;      ///< E* [Pa]: 1/E* = (1 - nu_a^2)/E_a + (1 - nu_b^2)/E_b
    iso_vec3 major_axis; ///< unit, tangential
} iso_hertz;

/// Modulus E* of a pair.
/// @return ISO_ERR_RANGE (not elastic, or both rigid)
iso_status iso_elastic_pair(iso_context* ctx, const iso_elastic* a, const iso_elastic* b,
                            double* out_modulus);

/// Any curvatures, by complete elliptic integrals.
/// @param normal  unit, of the common tangent plane
/// @return ISO_ERR_RANGE: the bodies do not touch in a point (a flat face, parallel cylinders, a
///         hollow that is narrower than what lies in it), or an ellipse longer than 1e6 times its
///         width
iso_status iso_hertz_make(iso_context* ctx, double pair_modulus, const iso_curvature* a,
                          const iso_curvature* b, iso_vec3 normal, iso_hertz* out_hertz);

/// k of two spheres, or of a sphere on a plane (radius_b INFINITY) or in a hollow sphere (< 0):
/// 4/3 E* sqrt(R), 1/R = 1/R_a + 1/R_b.
double iso_hertz_spheres(double pair_modulus, double radius_a, double radius_b);

/// Pressure in the middle of the ellipse at a depth [Pa]: 3 f / (2 pi a b).
double iso_hertz_peak(const iso_hertz* hertz, double depth);
