// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdint.h>

/// Bins of step_times: 1/2 % wide, from 10 ns up to 1.5 hours; shorter and longer steps count as
/// that.
enum { k_step_time_bins = 5400 };

/// How long the steps of a run took, in memory that does not grow with them. Start from zero.
typedef struct step_times {
    int64_t count;
    int64_t bins[k_step_time_bins];
} step_times;

void step_times_add(step_times* times, double seconds);

/// The time that a share of the steps does not exceed, to 1/4 %; 0 without steps.
/// @param share  in [0, 1]: 0.5 is the median
/// @return time [s]
double step_times_quantile(const step_times* times, double share);
