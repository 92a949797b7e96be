// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/contact.h"
#include "isobar/query.h"

/// Give a rigid closed shape the layer of options->rigid_layer_* (pressure modulus * depth /
/// thickness). Called at setup for shapes that may meet another rigid shape; idempotent.
/// @return ISO_ERR_GEOMETRY when the shape is open
iso_status iso_contact_shape_prepare_layer(iso_context* ctx, iso_contact_shape* shape,
                                           const iso_contact_options* options);
/// A closed rigid surface mesh without tetrahedra.
bool iso_contact_shape_is_bare(const iso_contact_shape* shape);
/// Which of two rigid shapes carries the layer when they meet, by what they are and not by their
/// order: a half space; else a closed one, of these rather one that is more than a bare surface
/// mesh, then the smaller one (of unequal ones of a size, by their vertices). Of two equal shapes
/// A.
/// @return true: A, false: B
bool iso_contact_shape_carries_layer(const iso_contact_shape* a, const iso_contact_shape* b);
/// Warn once of tetrahedra that the layer of a surface mesh is without, because they would overlap.
void iso_contact_shape_log_layer(iso_context* ctx, iso_contact_shape* shape, const char* owner);
