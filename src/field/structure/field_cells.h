// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "field/structure/field.h"

/// Fill cells and points of a field that has its tree.
/// @return ISO_ERR_GEOMETRY (a face of three tetrahedra), ISO_ERR_MEMORY
iso_status iso_field_make_cells(iso_context* ctx, iso_field* field);
