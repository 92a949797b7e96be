// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "field/structure/field.h"

/// Fill the slopes of a field.
iso_status iso_field_make_slopes(iso_context* ctx, iso_field* field);
