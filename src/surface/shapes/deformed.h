// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/deformed.h"
#include "surface/shapes/contact_shape.h"

/// A shape that touches the one to deform, and their patch.
typedef struct iso_deformer {
    const iso_contact_shape* shape;
    iso_pose x_w;
    const iso_patch* patch; ///< in W
    bool is_a;              ///< this shape is the A of the patch
} iso_deformer;

/// Deformed configuration of a compliant shape of tetrahedra (docs/theory/deformed.md). Of another
/// field it loses where that is larger, of a closed rigid body its inside, of a half space its
/// depth; open rigid surfaces take nothing away. Margins are not part of a body. Not for use inside
/// a step.
/// @param[out] out_deformed  owned by the caller, release with iso_deformed_destroy()
/// @return ISO_ERR_ARGUMENT (no field), ISO_ERR_MEMORY
iso_status iso_shape_deform(iso_context* ctx, const iso_contact_shape* shape, const iso_pose* x_w,
                            const iso_deformer* others, int other_count,
                            iso_deformed* out_deformed);
