// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "field/structure/field.h"

/// Keep the planes of the level faces, where that helps: of marks that have these faces.
/// @return ISO_ERR_MEMORY
iso_status iso_field_mark_planes(iso_context* ctx, const iso_field* field, iso_field_marks* marks);
