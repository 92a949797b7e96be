// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "contact/pairs/contact_system.h"

/// Derivatives of iso_contact_continuous_wrench(), exact for its quadrature: dissipation per pair
/// or per face, either damping, every friction law, adhesion, polygons and fans. Where the law has
/// a corner that of one side: for the clamp of the pressure the clamped one (p = 0, v_n = 1/d, the
/// floor of adhesion), for the cut-off of viscous friction that of sticking. Differences with a
/// face at a corner within their step have a mean of both. On request only; allocates nothing.
/// docs/theory/patch_derivatives.md.
/// @param x_wa, x_wb  poses of the pair's geometries at which its patch was made
/// @return ISO_ERR_NUMERIC (the patch does not fit the shapes)
iso_status iso_contact_wrench_derivatives(const iso_contact_system* system,
                                          const iso_contact_pair* pair, const iso_pose* x_wa,
                                          const iso_pose* x_wb, iso_spatial v_c,
                                          iso_contact_derivatives* out_derivatives);
