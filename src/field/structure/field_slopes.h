// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "field/structure/field_parts.h"

/// Fill the slopes of a field, and ridges and peaks of its marks.
/// @param parts  with room for 11 parts per tetrahedron
iso_status iso_field_mark_slopes(iso_context* ctx, iso_field* field, iso_field_parts* parts,
                                 iso_field_marks* marks);
