// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Suction and magnets: a force that pulls a body and what it touches together.
// docs/theory/contact.md.

#include "contact/pairs/contact_system.h"

/// Share a force out among the contacts of a body, by their areas: each pulls its bodies together
/// along its mean normal, at the centroid of its area. Nothing where nothing touches.
/// @param force           [N], >= 0
/// @param[in,out] f_bc_w  [pair_count] (moment about p_wc of the pair; force) on B; added to
void iso_adhesion_share(const iso_contact_set* set, int body, double force, iso_spatial* f_bc_w);
