// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// The laws of contact in a point, as functions: Hertz's stiffness and what damping an impact needs.
// Theory: docs/theory/point_contact.md; [Johnson1985] chapter 4, [Gonthier2007] chapter 3.

#include "isobar/base.h"
#include "isobar/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Linear-elastic, isotropic.
typedef struct iso_elastic {
    double modulus; ///< E [Pa], > 0; INFINITY: rigid
    double poisson; ///< nu, -1 < nu <= 0.5
} iso_elastic;

/// How a surface bends where it touches: principal curvatures, positive where the body is convex.
typedef struct iso_curvature {
    double first, second; ///< [1/m]
    iso_vec3 direction;   ///< unit, tangential, along which the curvature is `first`; of no
                          ///< meaning where both are equal
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
/// @return ISO_ERR_ARGUMENT, ISO_ERR_RANGE (not elastic, or both rigid)
ISO_NODISCARD ISO_API iso_status iso_elastic_pair(iso_context* ctx, const iso_elastic* a,
                                                  const iso_elastic* b, double* out_modulus);

/// Any curvatures, by complete elliptic integrals. Nothing allocates.
/// @param pair_modulus  E* [Pa], finite and > 0
/// @param normal        unit, of the common tangent plane
/// @return ISO_ERR_ARGUMENT; ISO_ERR_RANGE: the bodies do not touch in a point (a flat face,
///         parallel cylinders, a hollow that is narrower than what lies in it), an ellipse longer
///         than 1e6 times its width, or a normal that is not of length 1
ISO_NODISCARD ISO_API iso_status iso_hertz_make(iso_context* ctx, double pair_modulus,
                                                const iso_curvature* a, const iso_curvature* b,
                                                iso_vec3 normal, iso_hertz* out_hertz);

/// k of two spheres, or of a sphere on a plane (radius_b INFINITY) or in a hollow sphere (< 0):
/// 4/3 E* sqrt(R), 1/R = 1/R_a + 1/R_b [N/m^(3/2)].
/// @param pair_modulus  E* [Pa], > 0
/// @param radius_a      [m], > 0
/// @return INFINITY where the radii conform, NaN for a value out of its range and where a hollow is
///         narrower than what lies in it
ISO_API double iso_hertz_spheres(double pair_modulus, double radius_a, double radius_b);

/// Pressure in the middle of the ellipse at a depth [m]: 3 f / (2 pi a b) [Pa].
ISO_API double iso_hertz_peak(const iso_hertz* hertz, double depth);

/// Which damping belongs to a restitution e: A of f = k depth^p (1 + A w), w the speed of approach
/// over that at impact.
typedef enum iso_impact_damping {
    ISO_IMPACT_DAMPING_EXACT,               ///< of the closed loop: gives what was asked for
    ISO_IMPACT_DAMPING_HUNT_CROSSLEY,       ///< A = 3/2 (1 - e), for e near 1
    ISO_IMPACT_DAMPING_LANKARANI_NIKRAVESH, ///< A = 3/4 (1 - e^2), for e near 1
    ISO_IMPACT_DAMPING_COUNT                ///< number of laws, not one of them
} iso_impact_damping;

/// Lower-case name ("hunt_crossley"), static storage; "" for a value that is no law.
ISO_API const char* iso_impact_damping_name(iso_impact_damping law);

/// d of (1 + d/e) / (1 - d) = exp(d (1 + e) / e), to rounding ([Gonthier2007], 3.23).
/// @param e  1e-100 to 1
/// @param[out] out_log_rest  -ln(1 - d), which 1 - d loses for small e; may be NULL
/// @return NaN for another e, both
ISO_API double iso_damping_factor(double e, double* out_log_rest);

/// A, the share of damping at the moment of impact, >= 0; d / e with the exact law.
/// @param e  1e-100 to 1
/// @return NaN for another e, and for a value that is no law
ISO_API double iso_damping_share(iso_impact_damping law, double e);

/// Restitution that comes of a share: the root of the closed loop. 1 for A = 0.
/// @return NaN for a share below 0
ISO_API double iso_damping_restitution(double share);

/// Greatest depth of an impact: k depth^(p+1) / (p+1) = m v^2 (A - ln(1 + A)) / A^2 [m].
/// @param stiffness  k [N/m^p], > 0
/// @param exponent   p, >= 1; 1.5: Hertz
/// @param mass       reduced, 1/m = 1/m_a + 1/m_b [kg], >= 0
/// @param speed      of approach at touch [m/s]
/// @param share      A >= 0
/// @return NaN for a value out of its range
ISO_API double iso_impact_depth(double stiffness, double exponent, double mass, double speed,
                                double share);

#ifdef __cplusplus
}
#endif
