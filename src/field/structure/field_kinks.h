// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "field/structure/field_parts.h"

/// Fill the turns of a field and the kinks of its marks.
/// @param parts  with room for 6 parts per tetrahedron
iso_status iso_field_mark_kinks(iso_context* ctx, iso_field* field, iso_field_parts* parts);
