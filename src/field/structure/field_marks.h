// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "field/structure/field.h"

/// Fill slopes and marks of a field that has its cells.
/// @return ISO_ERR_MEMORY
iso_status iso_field_make_marks(iso_context* ctx, iso_field* field);
void iso_field_marks_destroy(iso_context* ctx, iso_field_marks* marks);
