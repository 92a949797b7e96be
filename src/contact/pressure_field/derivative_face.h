// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "contact/pairs/contact_system_state.h"
#include "surface/moments/boundary.h"

/// Rate of the dissipation of one face with the pose of B: iso_contact_face_dissipation()
/// differentiated. Zero where the dissipation is that of the pair.
/// @param face           of the patch
/// @param normal_rate    of the face's normal, for w; it does not depend on v
/// @param centroid_rate  of the face's centroid
void iso_contact_face_dissipation_rate(const iso_contact_system* system,
                                       const iso_contact_pair* pair, int face, const iso_pose* x_wa,
                                       const iso_pose* x_wb, const iso_mat3* normal_rate,
                                       const iso_rate3* centroid_rate, iso_rate1* out_rate);
