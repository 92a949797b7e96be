// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "field/structure/field.h"

/// Fill the slabs of a field whose tetrahedra are needles that lie across the axes; others get
/// none. After its cells.
iso_status iso_field_make_slabs(iso_context* ctx, iso_field* field);
