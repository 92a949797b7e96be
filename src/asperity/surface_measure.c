// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/fft.h"
#include "asperity/lab.h"
#include "isobar/math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Of the largest height: what is left of heights without their plane and smaller is rounding.
#define ROUNDING 1e-13

// Mean, or mean plane, off the heights. Over a whole grid the two slopes do not see each other.
static double take_plane(const iso_lab_surface* s, double* z) {
    int count = s->rows * s->columns;
    double mean = iso_lab_sum(z, NULL, count) / count;
    double sums[2] = {0.0, 0.0}, squares[2] = {0.0, 0.0};
    for (int i = 0; i < count && !s->is_periodic; ++i) {
        double x = i % s->columns - 0.5 * (s->columns - 1),
               y = i / s->columns - 0.5 * (s->rows - 1);
        sums[0] += x * (z[i] - mean);
        sums[1] += y * (z[i] - mean);
        squares[0] += x * x;
        squares[1] += y * y;
    }
    double along = squares[0] > 0.0 ? sums[0] / squares[0] : 0.0;
    double across = squares[1] > 0.0 ? sums[1] / squares[1] : 0.0;
    double largest = 0.0, left = 0.0;
    for (int i = 0; i < count; ++i) {
        double x = i % s->columns - 0.5 * (s->columns - 1),
               y = i / s->columns - 0.5 * (s->rows - 1);
        double rest = z[i] - (mean + along * x + across * y);
        largest = fmax(largest, fabs(z[i]));
        z[i] = rest;
        left = fmax(left, fabs(rest));
    }
    if (left <= ROUNDING * largest) { // flat
        memset(z, 0, (size_t)count * sizeof *z);
    }
    return mean;
}

static void measure_heights(const double* z, int count, iso_lab_statistics* out) {
    double third = 0.0, fourth = 0.0;
    double square = iso_lab_sum(z, z, count) / count;
    for (int i = 0; i < count; ++i) {
        third += z[i] * z[i] * z[i];
        fourth += z[i] * z[i] * z[i] * z[i];
    }
    out->rms_height = sqrt(square);
    out->skewness = square > 0.0 ? third / count / (square * out->rms_height) : 0.0;
    out->kurtosis = square > 0.0 ? fourth / count / (square * square) : 0.0;
}

static int compare_down(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x < y) - (x > y);
}

static void measure_abbott(double* sorted, int count, iso_lab_statistics* out) {
    qsort(sorted, (size_t)count, sizeof *sorted, compare_down);
    out->high = sorted[0];
    out->low = sorted[count - 1];
    for (int i = 0; i < ISO_LAB_ABBOTT_POINTS; ++i) {
        double at = (double)i / (ISO_LAB_ABBOTT_POINTS - 1) * (count - 1);
        int below = (int)at < count - 1 ? (int)at : count - 2;
        out->abbott[i] = sorted[below] + (at - below) * (sorted[below + 1] - sorted[below]);
    }
}

// Differences of neighbours, over the points that have them on both sides.
static void measure_differences(const iso_lab_surface* s, const double* z,
                                iso_lab_statistics* out) {
    double slope = 0.0, bend = 0.0, h = s->pitch;
    int margin = s->rows > 1 ? 1 : 0, count = 0, stride = s->columns;
    for (int r = margin; r < s->rows - margin; ++r) {
        for (int c = 1; c < s->columns - 1; ++c, ++count) {
            const double* at = z + (size_t)r * (size_t)stride + c;
            double dx = (at[1] - at[-1]) / (2.0 * h), second = at[1] - 2.0 * at[0] + at[-1];
            double dy = 0.0;
            if (margin) {
                dy = (at[stride] - at[-stride]) / (2.0 * h);
                second = 0.5 * (second + at[stride] - 2.0 * at[0] + at[-stride]);
            }
            slope += dx * dx + dy * dy;
            bend += second * second / (h * h * h * h);
        }
    }
    out->rms_slope = sqrt(slope / count);
    out->rms_curvature = sqrt(bend / count);
}

// Sums over the waves of each ring: of their energy, of one, of their wave numbers.
typedef struct rings {
    double energy[ISO_LAB_SPECTRUM_POINTS], waves[ISO_LAB_SPECTRUM_POINTS];
    double numbers[ISO_LAB_SPECTRUM_POINTS];
    double slope, bend; ///< mean squares
} rings;

static void gather(const iso_lab_surface* s, const iso_fft_grid* grid, const double* re,
                   const double* im, rings* out) {
    double count = (double)s->rows * s->columns;
    double least = 2.0 * ISO_PI / (s->pitch * (s->rows > s->columns ? s->rows : s->columns));
    double first = 0.999 * least, span = log(1.001 * ISO_PI / (s->pitch * first));
    for (int j = 0; j < s->rows; ++j) {
        double qy = 2.0 * ISO_PI * (2 * j <= s->rows ? j : j - s->rows) / (s->rows * s->pitch);
        for (int k = 0; k <= s->columns / 2; ++k) {
            double qx = 2.0 * ISO_PI * k / (s->columns * s->pitch), q2 = qx * qx + qy * qy;
            size_t at = (size_t)j * (size_t)grid->stride + (size_t)k;
            double twice = k == 0 || 2 * k == s->columns ? 1.0 : 2.0;
            double energy = twice * (re[at] * re[at] + im[at] * im[at]) / (count * count);
            out->slope += q2 * energy;
            out->bend += q2 * q2 * energy * (s->rows > 1 ? 0.25 : 1.0);
            int ring =
                q2 > 0.0 ? (int)(ISO_LAB_SPECTRUM_POINTS * log(sqrt(q2) / first) / span) : -1;
            if (ring >= 0 && ring < ISO_LAB_SPECTRUM_POINTS) {
                out->energy[ring] += energy;
                out->waves[ring] += twice;
                out->numbers[ring] += twice * sqrt(q2);
            }
        }
    }
}

// Hann's window of both directions, scaled so that it keeps the energy of what is even.
static void apply_window(const iso_lab_surface* s, double* z) {
    double scale = s->rows > 1 ? 8.0 / 3.0 : sqrt(8.0 / 3.0);
    for (int i = 0; i < s->rows * s->columns; ++i) {
        double wx = 0.5 - 0.5 * cos(2.0 * ISO_PI * (i % s->columns + 0.5) / s->columns);
        double wy = 0.5 - 0.5 * cos(2.0 * ISO_PI * (i / s->columns + 0.5) / s->rows);
        z[i] *= scale * wx * (s->rows > 1 ? wy : 1.0);
    }
}

static iso_status measure_spectrum(iso_context* ctx, const iso_lab_surface* s, double* z,
                                   iso_lab_statistics* out) {
    iso_fft_grid grid = {0};
    double* spectrum = NULL;
    rings found = {0};
    iso_status status = ISO_OK;
    ISO_TRY(iso_fft_grid_make(ctx, s->rows, s->columns, &grid));
    size_t size = iso_fft_grid_size(&grid);
    spectrum = iso_alloc_zeroed(ctx, 2 * size * sizeof(double));
    ISO_CHECK(ctx, spectrum, ISO_ERR_MEMORY, "spectrum of %d x %d points", s->rows, s->columns);
    if (!s->is_periodic) {
        apply_window(s, z);
    }
    iso_fft_grid_forward(&grid, z, s->rows, s->columns, spectrum, spectrum + size);
    gather(s, &grid, spectrum, spectrum + size, &found);
    if (s->is_periodic) {
        out->rms_slope = sqrt(found.slope);
        out->rms_curvature = sqrt(found.bend);
    }
    double cell = 2.0 * ISO_PI / (s->columns * s->pitch);
    cell *= s->rows > 1 ? 2.0 * ISO_PI / (s->rows * s->pitch) : 1.0;
    for (int i = 0; i < ISO_LAB_SPECTRUM_POINTS; ++i) {
        if (found.waves[i] > 0.0) {
            out->wave_numbers[out->spectrum_count] = found.numbers[i] / found.waves[i];
            out->spectrum[out->spectrum_count++] = found.energy[i] / (found.waves[i] * cell);
        }
    }

done:
    iso_fft_grid_free(ctx, &grid);
    iso_free(ctx, spectrum);
    return status;
}

static iso_status check_surface(iso_context* ctx, const iso_lab_surface* s) {
    ISO_REQUIRE(ctx, s->columns >= 4 && (s->rows == 1 || s->rows >= 4), ISO_ERR_RANGE,
                "the grid has %d rows and %d columns, expected 1 or at least 4 rows, at least 4 "
                "columns",
                s->rows, s->columns);
    ISO_REQUIRE(ctx, isfinite(s->pitch) && s->pitch > 0.0, ISO_ERR_RANGE,
                "the pitch is %g m, expected finite and > 0", s->pitch);
    for (int i = 0; i < s->rows * s->columns; ++i) {
        ISO_REQUIRE(ctx, isfinite(s->heights[i]), ISO_ERR_RANGE,
                    "height %d of row %d is %g, expected finite", i % s->columns, i / s->columns,
                    s->heights[i]);
    }
    return ISO_OK;
}

iso_status iso_lab_surface_measure(iso_context* ctx, const iso_lab_surface* surface,
                                   iso_lab_statistics* out_statistics) {
    ISO_REQUIRE(ctx, surface && surface->heights && out_statistics, ISO_ERR_ARGUMENT,
                "a surface with heights and out_statistics are required");
    memset(out_statistics, 0, sizeof *out_statistics);
    int count = surface->rows * surface->columns;
    double* z = NULL;
    iso_status status = ISO_OK;
    ISO_TRY(check_surface(ctx, surface));
    z = iso_alloc_array(ctx, 2 * count, sizeof *z);
    ISO_CHECK(ctx, z, ISO_ERR_MEMORY, "%d heights", count);
    memcpy(z, surface->heights, (size_t)count * sizeof *z);
    out_statistics->mean = take_plane(surface, z);
    measure_heights(z, count, out_statistics);
    memcpy(z + count, z, (size_t)count * sizeof *z);
    measure_abbott(z + count, count, out_statistics);
    measure_differences(surface, z, out_statistics);
    ISO_TRY(measure_spectrum(ctx, surface, z, out_statistics));

done:
    iso_free(ctx, z);
    return status;
}
