// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/base.h"
#include "isobar/lab.h"

#ifdef __cplusplus
extern "C" {
#endif

// Formulas of tribology that [Datta2018] sections 2.1 to 2.6 collect. Arguments are not checked
// unless a function returns a status: what is out of range gives no number (NAN) or an infinity.

/// Contact modulus E* of two bodies (2.12): 1 / E* = (1 - nu_1^2) / E_1 + (1 - nu_2^2) / E_2 [Pa].
/// INFINITY stands for a rigid body.
ISO_API double iso_trib_contact_modulus(double young_1, double poisson_1, double young_2,
                                        double poisson_2);
/// Radius of two spheres pressed together (2.11): 1 / R = 1 / R_1 + 1 / R_2 [m]; INFINITY: a flat.
ISO_API double iso_trib_radius(double radius_1, double radius_2);

/// Hertz's contact of a sphere of that radius (2.9 to 2.13): small strains, no friction.
typedef struct iso_trib_hertz {
    double contact_radius; ///< a = cbrt(3 F R / (4 E*)) [m]
    double max_pressure;   ///< p0 = cbrt(6 F E*^2 / (pi^3 R^2)) [Pa]
    double approach;       ///< a^2 / R [m]
    double area;           ///< pi a^2, ~ F^(2/3) [m^2]
} iso_trib_hertz;
/// @param load  [N], >= 0
ISO_API iso_trib_hertz iso_trib_hertz_of(double load, double radius, double contact_modulus);
/// p(r) = p0 sqrt(1 - r^2 / a^2) (2.10), 0 beyond a [Pa].
ISO_API double iso_trib_hertz_pressure(const iso_trib_hertz* hertz, double r);

/// Friction of atoms (2.2): eta v A, eta = areal density / slip time [N]: ~ area and speed.
/// @param areal_density  [kg/m^2] @param slip_time  in which speed decays to 1 / e [s]
/// @param speed  of the contact [m/s] @param area  real [m^2]
ISO_API double iso_trib_atomic_friction(double areal_density, double slip_time, double speed,
                                        double area);

/// Bowden and Tabor (2.5): the softer body's shear strength over its mean contact pressure. The
/// thesis takes `ratio` = 2.8 times E* for that pressure; 2.8 to 3 times the yield pressure is
/// what is usually meant.
/// @param reference  [Pa] of which the pressure is `ratio` times
ISO_API double iso_trib_bowden_tabor(double shear_strength, double ratio, double reference);

/// Archard: real area of `count` equal spheres under a load: the number given, area ~ load^(2/3)
/// [m^2].
ISO_API double iso_trib_archard_growing(double load, int count, double radius,
                                        double contact_modulus);
/// The same when each contact bears `load_each` and their number grows: area ~ load [m^2].
ISO_API double iso_trib_archard_multiplying(double load, double load_each, double radius,
                                            double contact_modulus);

/// Work of adhesion (2.7): gamma_1 + gamma_2 - gamma_12 [J/m^2].
ISO_API double iso_trib_work_of_adhesion(double gamma_1, double gamma_2, double gamma_12);
/// Ogilvy's adhesion (2.6): sum of 2 pi r work over the summits in contact [N].
/// @param radii  [count] of curvature [m]
ISO_API double iso_trib_adhesion(const double* radii, int count, double work);
/// Ogilvy's friction (2.8): s times the sum of the Hertz areas of summits under loads [N].
/// @param radii, loads  [count]
ISO_API double iso_trib_summit_friction(double shear_strength, const double* radii,
                                        const double* loads, int count, double contact_modulus);

/// The local law (2.14): shear stress a + b p [Pa]. Metals and polymers b 0.02 to 0.25; a 2.5 to
/// 30 MPa between metals, 0.2 to 0.5 MPa of a metal and a polymer.
typedef struct iso_trib_binomial {
    double a; ///< [Pa], >= 0
    double b; ///< >= 0
} iso_trib_binomial;

/// Net forces of a rough contact with the local law (2.15, 2.16), sliding along the columns: normal
/// to the mean plane and along it [N]. Slopes are differences of neighbours' heights; the shear
/// acts where there is pressure. Their ratio is the friction of the whole.
/// @param pressures  [rows * columns] of a contact of the surface
/// @return ISO_ERR_ARGUMENT, ISO_ERR_RANGE
ISO_NODISCARD ISO_API iso_status iso_trib_rough_friction(iso_context* ctx,
                                                         const iso_lab_surface* surface,
                                                         const double* pressures,
                                                         iso_trib_binomial law, double* out_normal,
                                                         double* out_friction);

#ifdef __cplusplus
}
#endif
