// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/base.h"

/// Send one line to the context's log sink (NULL context: dropped). Serialised across threads.
void iso_log(iso_context* ctx, iso_log_level level, const char* format, ...) ISO_PRINTF(3, 4);
/// Drop messages below a level from now on.
/// @return the level before
iso_log_level iso_log_set_level(iso_context* ctx, iso_log_level level);
