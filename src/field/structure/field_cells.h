// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "field/structure/field.h"

/// Fill cells and points of a field that has its tree; cells have no neighbours yet.
/// @return ISO_ERR_MEMORY
iso_status iso_field_make_cells(iso_context* ctx, iso_field* field);
/// Tell the cells their neighbours.
/// @return ISO_ERR_GEOMETRY (a face of three tetrahedra), ISO_ERR_MEMORY
iso_status iso_field_join_cells(iso_context* ctx, iso_field* field);
