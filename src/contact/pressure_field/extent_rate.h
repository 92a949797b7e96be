// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "contact/pairs/contact_system.h"

/// Damping by the rate of the extents: every face gets its own dissipation, so that the laws need
/// not know. docs/theory/contact.md; [Elandt2019] eq. 17.

/// Gradients of the extents at the vertices of every field, averaged over the tetrahedra about them
/// with their volumes: what makes the damping continuous where a patch crosses from one tetrahedron
/// into the next. O(tetrahedra), once for each distinct shape.
/// @return ISO_ERR_MEMORY
iso_status iso_contact_make_extent_gradients(iso_contact_system* system);

/// Dissipation of every face for ISO_DAMPING_EXTENT_RATE, into pair->face_dissipations, which is
/// NULL for other dampings and between two rigid bodies.
/// @param x_wg   [geometry_count] poses of the geometries
/// @param arena  receives the array
/// @return ISO_ERR_MEMORY
iso_status iso_contact_find_face_dissipations(const iso_contact_system* system,
                                              const iso_pose* x_wg, iso_contact_pair* pair,
                                              iso_arena* arena);
