// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/run/step_times.h"

#include <math.h>

static const double k_shortest = 1e-8; ///< [s]
static const double k_bins_per_e = 200.0;

void step_times_add(step_times* times, double seconds) {
    double bin = seconds > k_shortest ? k_bins_per_e * log(seconds / k_shortest) : 0.0;
    ++times->bins[(int)fmin(bin, k_step_time_bins - 1)];
    ++times->count;
}

double step_times_quantile(const step_times* times, double share) {
    int64_t wanted = (int64_t)(share * (double)times->count), seen = 0;
    for (int i = 0; i < k_step_time_bins; ++i) {
        seen += times->bins[i];
        if (seen > wanted || (seen > 0 && seen == times->count)) {
            return k_shortest * exp((i + 0.5) / k_bins_per_e);
        }
    }
    return 0.0;
}
