// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "surface/contact_shape_data.h"

/// Release what the first distance or ray query made. NULL is allowed.
void iso_shape_probe_destroy(iso_context* ctx, iso_shape_probe* probe);
