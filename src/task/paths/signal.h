// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/task.h"

/// Does it pass through points, so that it leads from one step to the next?
bool iso_signal_is_table(const iso_signal_desc* signal);
/// A copy with a table of its own.
/// @param signal    was checked
/// @param[out] out  release with iso_signal_free(); without a table on error
iso_status iso_signal_copy(iso_context* ctx, const iso_signal_desc* signal, iso_signal_desc* out);
/// Release the table of a copy.
void iso_signal_free(iso_context* ctx, iso_signal_desc* signal);
