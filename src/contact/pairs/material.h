// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "friction/shell/shell.h"
#include "isobar/bristle.h"
#include "isobar/contact.h"

/// Check every number of a material.
/// @param name  of the geometry, for the message
/// @return ISO_ERR_RANGE
iso_status iso_contact_material_check(iso_context* ctx, const iso_contact_material* material,
                                      const char* name);

/// Check the choices and numbers of a world's options.
/// @return ISO_ERR_ARGUMENT (enumerators), ISO_ERR_RANGE
iso_status iso_contact_options_check(iso_context* ctx, const iso_contact_options* options);

/// Springs and dampers of ISO_FRICTION_COMPLIANT and ISO_FRICTION_BRUSH.
iso_shell iso_contact_shell(const iso_contact_options* options);

/// Nominal modulus M0: pressure per extent at the skin [Pa].
double iso_contact_material_modulus(const iso_contact_material* material);

/// Extent e at which M(e) e is this pressure; linear below 0, the last modulus above 1.
double iso_contact_material_extent(const iso_contact_material* material, double pressure);

/// Dissipation d [s/m] at which F = f(x) (1 - d v)+ returns a central impact at `speed` with the
/// share `restitution` of it, whatever f and the masses are (docs/theory/contact.md).
/// @param restitution  in (0, 1]
/// @param speed        [m/s], > 0
double iso_dissipation_from_restitution(double restitution, double speed);

/// The dissipation a material stands for: as given, from its expansion rate, or from restitution
/// [s/m].
/// @param thickness  characteristic thickness of its field [m]
double iso_contact_material_dissipation(const iso_contact_material* material, double thickness);

/// Whether its restitution is that at the speed of each impact; and the dissipation of an impact of
/// this speed > 0 [m/s] then [s/m].
bool iso_contact_material_is_latched(const iso_contact_material* material);
double iso_contact_material_impact(const iso_contact_material* material, double speed);

/// Largest tension that both sides of a surface carry [Pa]: the smaller one; a rigid side (modulus
/// INFINITY) carries any.
double iso_adhesion_combine(double modulus_a, double adhesion_a, double modulus_b,
                            double adhesion_b);

/// 2 a b / (a + b); zero when both are.
double iso_friction_combine(double mu_a, double mu_b);

/// Bristles of two materials, of which one has some at least; the friction coefficients are there.
void iso_bristle_combine(const iso_contact_material* a, const iso_contact_material* b,
                         iso_bristle_params* params);

/// Drake's rule (Eb da + Ea db) / (Ea + Eb): the softer body dissipates more. A modulus of INFINITY
/// is a rigid body's; two of them weigh the same.
double iso_dissipation_combine(double modulus_a, double dissipation_a, double modulus_b,
                               double dissipation_b);

/// Dissipation after [Elandt2022] eq. 5.14: each body's dissipation acts on its own share of the
/// closing velocity, c_A / (c_A + c_B) with the compliance c = 1 / slope, of a face or an average.
/// @param slope_a  -grad p_A . n [Pa/m], INFINITY when rigid; slope_a + slope_b > 0
/// @param slope_b  grad p_B . n [Pa/m], INFINITY when rigid; at most one is infinite
double iso_dissipation_combine_face(double slope_a, double dissipation_a, double slope_b,
                                    double dissipation_b);
