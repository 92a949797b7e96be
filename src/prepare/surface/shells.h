// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/geometry.h"

/// The parts of a closed, oriented surface that are connected across edges: outward ones bound
/// bodies, inward ones are cavities of a body.
typedef struct iso_shells {
    int count;
    int* shell_of; ///< [triangle_count]
    int* owners; ///< [count] itself for an outward shell; of a cavity the smallest shell around it
} iso_shells;

/// @return ISO_ERR_GEOMETRY (a cavity that no shell surrounds), ISO_ERR_MEMORY
iso_status iso_shells_find(iso_context* ctx, const iso_tri_mesh* mesh, iso_shells* out_shells);
void iso_shells_destroy(iso_context* ctx, iso_shells* shells);
