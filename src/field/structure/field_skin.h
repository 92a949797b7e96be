// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "field/structure/field_parts.h"

/// Fill the skin's part of the marks: level, loose and shell with their flags, and the hollows.
/// @param parts  with room for 4 parts per tetrahedron
iso_status iso_field_mark_skin(iso_context* ctx, const iso_field* field, iso_field_parts* parts,
                               iso_field_marks* marks);
