// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "contact/pairs/contact_system.h"

/// Pressure field contact: the patch where two fields are equal. docs/theory/contact.md;
/// [Elandt2022].
extern const iso_contact_model iso_pressure_field_model;

/// Stage 4, continuous: wrench on B (moment about pair->p_wc; force) for the relative twist
/// v_c = (w_B - w_A; v_Bc - v_Ac) at p_wc. Normal traction max(p0 (1 - d v_n), -adhesion) with
/// p0 >= 0, regularised friction under compression; [Elandt2022] 5.12 and section 5.2.3.
/// @param out_tractions  [face_count] mean traction on B [Pa], or NULL
/// @param out_slips      [face_count] tangential velocity [m/s], or NULL
iso_spatial iso_contact_continuous_wrench(const iso_contact_system* system,
                                          const iso_contact_pair* pair, iso_spatial v_c,
                                          iso_vec3* out_tractions, iso_vec3* out_slips);

/// The same and what it dissipates.
iso_spatial iso_contact_patch_wrench(const iso_contact_system* system, const iso_contact_pair* pair,
                                     iso_spatial v_c, iso_contact_losses* out_losses,
                                     iso_vec3* out_tractions, iso_vec3* out_slips);

/// Its samples and how much each presses, as `press` of a model.
void iso_contact_patch_press(const iso_contact_system* system, const iso_contact_pair* pair,
                             iso_spatial v_c, iso_press_list* list);

/// Energy stored in the patch: sum A p^2 / (2 g), g the series gradient along the normal; exact
/// where the fields are linear along the normal. Each slope counts as at least half its gradient
/// [J].
double iso_contact_elastic_energy(const iso_contact_pair* pair);

/// The same exactly where that can be (surface/moments/exact_energy.h), else by columns. Not for
/// use inside a step.
/// @param x_wa, x_wb  poses of the geometries at which the patch was computed
/// @return ISO_ERR_MEMORY
iso_status iso_contact_exact_energy(const iso_contact_pair* pair, iso_contact_shape* a,
                                    const iso_pose* x_wa, iso_contact_shape* b,
                                    const iso_pose* x_wb, iso_elastic_energy* out_energy);
