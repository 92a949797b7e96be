// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "task/paths/signal.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "task/paths/cubic.h"

#include <math.h>
#include <string.h>

iso_signal_desc iso_signal_desc_default(void) {
    return (iso_signal_desc){.kind = ISO_SIGNAL_CONSTANT, .period = 1.0, .duty = 0.5};
}

bool iso_signal_is_table(const iso_signal_desc* signal) {
    return signal->kind == ISO_SIGNAL_TABLE || signal->kind == ISO_SIGNAL_CUBIC;
}

static const double* copy_values(iso_context* ctx, const double* values, int count) {
    double* copy = iso_alloc_array(ctx, count, sizeof *copy);
    if (copy) {
        memcpy(copy, values, (size_t)count * sizeof *copy);
    }
    return copy;
}

iso_status iso_signal_copy(iso_context* ctx, const iso_signal_desc* signal, iso_signal_desc* out) {
    *out = *signal;
    out->table_times = out->table_values = NULL;
    if (!iso_signal_is_table(signal)) {
        out->table_count = 0;
        return ISO_OK;
    }
    out->table_times = copy_values(ctx, signal->table_times, signal->table_count);
    out->table_values = copy_values(ctx, signal->table_values, signal->table_count);
    if (!out->table_times || !out->table_values) {
        iso_signal_free(ctx, out);
        return iso_fail(ctx, ISO_ERR_MEMORY, __func__, "table of %d points", signal->table_count);
    }
    return ISO_OK;
}

void iso_signal_free(iso_context* ctx, iso_signal_desc* signal) {
    iso_free(ctx, (void*)(uintptr_t)signal->table_times);
    iso_free(ctx, (void*)(uintptr_t)signal->table_values);
    signal->table_times = signal->table_values = NULL;
}

static iso_status check_table(iso_context* ctx, const iso_signal_desc* signal) {
    ISO_REQUIRE(ctx, signal->table_count >= 1 && signal->table_times && signal->table_values,
                ISO_ERR_ARGUMENT, "table has %d points, expected at least 1", signal->table_count);
    for (int i = 0; i < signal->table_count; ++i) {
        ISO_REQUIRE(ctx, isfinite(signal->table_times[i]) && isfinite(signal->table_values[i]),
                    ISO_ERR_RANGE, "table point %d is (%g, %g), expected finite", i,
                    signal->table_times[i], signal->table_values[i]);
        ISO_REQUIRE(ctx, i == 0 || signal->table_times[i] > signal->table_times[i - 1],
                    ISO_ERR_RANGE, "table time %d is %g s after %g s, expected increasing", i,
                    signal->table_times[i], signal->table_times[i - 1]);
    }
    return ISO_OK;
}

iso_status iso_signal_check(iso_context* ctx, const iso_signal_desc* signal) {
    ISO_REQUIRE(ctx, signal, ISO_ERR_ARGUMENT, "signal is required");
    ISO_REQUIRE(ctx, isfinite(signal->offset), ISO_ERR_RANGE, "signal is %g, expected finite",
                signal->offset);
    switch (signal->kind) {
    case ISO_SIGNAL_CONSTANT:
        return ISO_OK;
    case ISO_SIGNAL_SQUARE_WAVE:
        ISO_REQUIRE(ctx, isfinite(signal->amplitude) && isfinite(signal->phase), ISO_ERR_RANGE,
                    "amplitude is %g and phase %g s, expected finite", signal->amplitude,
                    signal->phase);
        ISO_REQUIRE(ctx, isfinite(signal->period) && signal->period > 0.0, ISO_ERR_RANGE,
                    "period is %g s, expected finite and > 0", signal->period);
        ISO_REQUIRE(ctx, signal->duty >= 0.0 && signal->duty <= 1.0, ISO_ERR_RANGE,
                    "duty is %g, expected 0 to 1", signal->duty);
        return ISO_OK;
    case ISO_SIGNAL_TABLE:
    case ISO_SIGNAL_CUBIC:
        return check_table(ctx, signal);
    }
    return iso_fail(ctx, ISO_ERR_ARGUMENT, __func__, "signal kind is %d, expected 0 to 3",
                    (int)signal->kind);
}

static double square_wave(const iso_signal_desc* signal, double time) {
    double cycles = (time + signal->phase) / signal->period;
    bool is_high = cycles - floor(cycles) < signal->duty;
    return signal->offset + (is_high ? signal->amplitude : 0.0);
}

// Interval of a time inside the table, by bisection: the last point at or before it. -1: before the
// first or at or behind the last point.
static int find_interval(const iso_signal_desc* signal, double time) {
    const double* t = signal->table_times;
    int low = 0, high = signal->table_count - 1;
    if (!(time > t[low] && time < t[high])) {
        return -1;
    }
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (t[middle] <= time) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static double outside_value(const iso_signal_desc* signal, double time) {
    bool is_before = time <= signal->table_times[0];
    return signal->table_values[is_before ? 0 : signal->table_count - 1];
}

static double chord(const iso_signal_desc* signal, int i) {
    return (signal->table_values[i + 1] - signal->table_values[i]) /
           (signal->table_times[i + 1] - signal->table_times[i]);
}

static double table_value(const iso_signal_desc* signal, double time) {
    int i = find_interval(signal, time);
    if (i < 0) {
        return outside_value(signal, time);
    }
    const double* t = signal->table_times;
    const double* v = signal->table_values;
    return v[i] + (v[i + 1] - v[i]) * ((time - t[i]) / (t[i + 1] - t[i]));
}

static double slope_at(const iso_signal_desc* signal, int i) {
    const double* t = signal->table_times;
    if (i == 0 || i == signal->table_count - 1) {
        return 0.0;
    }
    return iso_cubic_slope(t[i] - t[i - 1], chord(signal, i - 1), t[i + 1] - t[i],
                           chord(signal, i));
}

static double cubic(const iso_signal_desc* signal, double time, bool is_rate) {
    int i = find_interval(signal, time);
    if (i < 0) {
        return is_rate ? 0.0 : outside_value(signal, time);
    }
    const double* t = signal->table_times;
    const double* v = signal->table_values;
    double m0 = slope_at(signal, i), m1 = slope_at(signal, i + 1), h = t[i + 1] - t[i];
    return is_rate ? iso_cubic_rate(time - t[i], h, v[i], v[i + 1], m0, m1)
                   : iso_cubic_value(time - t[i], h, v[i], v[i + 1], m0, m1);
}

double iso_signal_eval(const iso_signal_desc* signal, double time) {
    switch (signal->kind) {
    case ISO_SIGNAL_SQUARE_WAVE:
        return square_wave(signal, time);
    case ISO_SIGNAL_TABLE:
        return table_value(signal, time);
    case ISO_SIGNAL_CUBIC:
        return cubic(signal, time, false);
    case ISO_SIGNAL_CONSTANT:
        break;
    }
    return signal->offset;
}

double iso_signal_rate(const iso_signal_desc* signal, double time) {
    if (signal->kind == ISO_SIGNAL_CUBIC) {
        return cubic(signal, time, true);
    }
    if (signal->kind != ISO_SIGNAL_TABLE || signal->table_count < 2) {
        return 0.0;
    }
    bool is_first = time == signal->table_times[0];
    int i = is_first ? 0 : find_interval(signal, time);
    return i >= 0 ? chord(signal, i) : 0.0;
}
