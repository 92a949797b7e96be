// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/field.h"

/// What is known of the extent at a vertex.
typedef enum iso_extent_vertex {
    ISO_EXTENT_VERTEX_FREE,
    ISO_EXTENT_VERTEX_EXPOSED, ///< 0
    ISO_EXTENT_VERTEX_CORE,    ///< 1
} iso_extent_vertex;
