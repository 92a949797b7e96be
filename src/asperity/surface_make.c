// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/fft.h"
#include "asperity/lab.h"
#include "base/values/draw.h"
#include "isobar/lab.h"

#include <math.h>

iso_lab_surface_desc iso_lab_surface_desc_default(void) {
    return (iso_lab_surface_desc){.kind = ISO_LAB_KIND_SELF_AFFINE,
                                  .rows = 256,
                                  .columns = 256,
                                  .pitch = 1e-6,
                                  .rms_height = 1e-7,
                                  .hurst = 0.8,
                                  .radius = 1.0,
                                  .seed = 1};
}

void iso_lab_surface_free(iso_context* ctx, iso_lab_surface* surface) {
    iso_free(ctx, surface->heights);
    *surface = (iso_lab_surface){0};
}

iso_status iso_lab_surface_allocate(iso_context* ctx, int rows, int columns, double pitch,
                                    iso_lab_surface* out) {
    *out = (iso_lab_surface){0};
    ISO_REQUIRE(ctx, rows >= 1 && columns >= 1 && (int64_t)rows * columns <= ISO_LAB_POINTS_MAX,
                ISO_ERR_RANGE, "the grid has %d rows and %d columns, expected 1 to %d points", rows,
                columns, ISO_LAB_POINTS_MAX);
    ISO_REQUIRE(ctx, isfinite(pitch) && pitch > 0.0, ISO_ERR_RANGE,
                "the pitch is %g m, expected finite and > 0", pitch);
    out->heights = iso_alloc_array(ctx, rows * columns, sizeof(double));
    ISO_REQUIRE(ctx, out->heights, ISO_ERR_MEMORY, "%d x %d heights", rows, columns);
    out->rows = rows;
    out->columns = columns;
    out->pitch = pitch;
    return ISO_OK;
}

static iso_status check_waves(iso_context* ctx, iso_lab_surface_desc* d) {
    double least = 2.0 * d->pitch;
    double most = d->pitch * (d->rows > 1 && d->rows < d->columns ? d->rows : d->columns);
    d->shortest = d->shortest == 0.0 ? least : d->shortest;
    d->longest = d->longest == 0.0 ? most : d->longest;
    d->roll_off = d->roll_off == 0.0 ? d->longest : d->roll_off;
    ISO_REQUIRE(ctx, d->shortest >= least * (1.0 - 1e-12) && d->shortest <= d->longest,
                ISO_ERR_RANGE, "the shortest wave is %g m, expected %g m (two pitches) to %g m",
                d->shortest, least, d->longest);
    ISO_REQUIRE(ctx, d->longest <= most * (1.0 + 1e-12), ISO_ERR_RANGE,
                "the longest wave is %g m, expected at most %g m, which the grid spans", d->longest,
                most);
    ISO_REQUIRE(ctx, d->roll_off >= d->shortest && d->roll_off <= d->longest, ISO_ERR_RANGE,
                "the roll-off is at %g m, expected between the shortest and the longest wave, %g "
                "to %g m",
                d->roll_off, d->shortest, d->longest);
    ISO_REQUIRE(ctx, d->kind != ISO_LAB_KIND_SELF_AFFINE || (d->hurst > 0.0 && d->hurst <= 1.0),
                ISO_ERR_RANGE, "the Hurst exponent is %g, expected > 0 and at most 1", d->hurst);
    return ISO_OK;
}

static iso_status check_desc(iso_context* ctx, iso_lab_surface_desc* d) {
    ISO_REQUIRE(ctx, d->kind >= ISO_LAB_KIND_WHITE && d->kind <= ISO_LAB_KIND_SPHERE,
                ISO_ERR_ARGUMENT, "the kind of surface is %d, expected 0 to %d", (int)d->kind,
                ISO_LAB_KIND_SPHERE);
    ISO_REQUIRE(ctx, d->columns >= 4 && (d->rows == 1 || d->rows >= 4), ISO_ERR_RANGE,
                "the grid has %d rows and %d columns, expected 1 or at least 4 rows, at least 4 "
                "columns",
                d->rows, d->columns);
    ISO_REQUIRE(ctx, d->pitch >= 1e-15 && d->pitch <= 1e6, ISO_ERR_RANGE,
                "the pitch is %g m, expected 1e-15 to 1e6", d->pitch);
    if (d->kind == ISO_LAB_KIND_SPHERE) {
        ISO_REQUIRE(ctx, d->radius >= 1e-15 && d->radius <= 1e15, ISO_ERR_RANGE,
                    "the radius is %g m, expected 1e-15 to 1e15", d->radius);
        return ISO_OK;
    }
    ISO_REQUIRE(ctx, d->rms_height >= 1e-30 && d->rms_height <= 1e9, ISO_ERR_RANGE,
                "the rms height is %g m, expected 1e-30 to 1e9", d->rms_height);
    return check_waves(ctx, d);
}

// Root of the spectrum at a wave of so many per metre, without its constant factor.
static double amplitude(const iso_lab_surface_desc* d, double f) {
    bool is_within = f * d->longest >= 1.0 - 1e-9 && f * d->shortest <= 1.0 + 1e-9;
    bool is_profile = d->rows == 1;
    double ratio = fmax(f * d->roll_off, 1.0);
    double value = 1.0;
    if (d->kind == ISO_LAB_KIND_PINK) {
        value = is_profile ? 1.0 / sqrt(f * d->longest) : 1.0 / (f * d->longest);
    } else if (d->kind == ISO_LAB_KIND_SELF_AFFINE) {
        value = pow(ratio, -d->hurst - (is_profile ? 0.5 : 1.0));
    }
    return is_within && f > 0.0 ? value : 0.0;
}

static void filter(const iso_lab_surface_desc* d, const iso_fft_grid* grid, double* re,
                   double* im) {
    for (int j = 0; j < d->rows; ++j) {
        double fy = (2 * j <= d->rows ? j : j - d->rows) / (d->rows * d->pitch);
        for (int k = 0; k <= d->columns / 2; ++k) {
            double fx = k / (d->columns * d->pitch);
            double factor = amplitude(d, sqrt(fx * fx + fy * fy));
            size_t at = (size_t)j * (size_t)grid->stride + (size_t)k;
            re[at] *= factor;
            im[at] *= factor;
        }
    }
}

static void scale_to_rms(double* heights, int count, double rms) {
    double mean = iso_lab_sum(heights, NULL, count) / count;
    for (int i = 0; i < count; ++i) {
        heights[i] -= mean;
    }
    double square = iso_lab_sum(heights, heights, count) / count;
    double factor = square > 0.0 ? rms / sqrt(square) : 0.0;
    for (int i = 0; i < count; ++i) {
        heights[i] *= factor;
    }
}

static iso_status make_noise(iso_context* ctx, const iso_lab_surface_desc* d,
                             iso_lab_surface* surface) {
    int count = d->rows * d->columns;
    iso_fft_grid grid = {0};
    double* spectrum = NULL;
    iso_draw draw = {d->seed};
    iso_status status = ISO_OK;
    for (int i = 0; i < count; i += 2) {
        double pair[2];
        iso_draw_normals(&draw, pair);
        surface->heights[i] = pair[0];
        if (i + 1 < count) {
            surface->heights[i + 1] = pair[1];
        }
    }
    ISO_TRY(iso_fft_grid_make(ctx, d->rows, d->columns, &grid));
    size_t size = iso_fft_grid_size(&grid);
    spectrum = iso_alloc_zeroed(ctx, 2 * size * sizeof(double));
    ISO_CHECK(ctx, spectrum, ISO_ERR_MEMORY, "spectrum of %d points", count);
    iso_fft_grid_forward(&grid, surface->heights, d->rows, d->columns, spectrum, spectrum + size);
    filter(d, &grid, spectrum, spectrum + size);
    double energy = iso_lab_sum(spectrum, spectrum, (int)size);
    energy += iso_lab_sum(spectrum + size, spectrum + size, (int)size);
    ISO_CHECK(ctx, energy > 0.0, ISO_ERR_RANGE,
              "no wave of the grid lies between %g m and %g m, expected at least one", d->shortest,
              d->longest);
    iso_fft_grid_inverse(&grid, spectrum, spectrum + size, d->rows, d->columns, surface->heights);
    scale_to_rms(surface->heights, count, d->rms_height);

done:
    iso_fft_grid_free(ctx, &grid);
    iso_free(ctx, spectrum);
    return status;
}

static void make_shape(const iso_lab_surface_desc* d, iso_lab_surface* surface) {
    const double turn = 6.28318530717958647692;
    for (int r = 0; r < d->rows; ++r) {
        for (int c = 0; c < d->columns; ++c) {
            double x = (c - 0.5 * (d->columns - 1)) * d->pitch;
            double y = (r - 0.5 * (d->rows - 1)) * d->pitch;
            double height = -(x * x + y * y) / (2.0 * d->radius);
            if (d->kind == ISO_LAB_KIND_SINE) {
                height = d->rms_height * sqrt(2.0) * cos(turn * c * d->pitch / d->longest);
            }
            surface->heights[(size_t)r * (size_t)d->columns + (size_t)c] = height;
        }
    }
}

iso_status iso_lab_surface_make(iso_context* ctx, const iso_lab_surface_desc* desc,
                                iso_lab_surface* out_surface) {
    ISO_REQUIRE(ctx, desc && out_surface, ISO_ERR_ARGUMENT, "desc and out_surface are required");
    *out_surface = (iso_lab_surface){0};
    iso_lab_surface_desc d = *desc;
    iso_status status = ISO_OK;
    ISO_TRY(check_desc(ctx, &d));
    ISO_TRY(iso_lab_surface_allocate(ctx, d.rows, d.columns, d.pitch, out_surface));
    double waves = d.columns * d.pitch / (d.longest > 0.0 ? d.longest : 1.0);
    out_surface->is_periodic = d.kind < ISO_LAB_KIND_SINE ||
                               (d.kind == ISO_LAB_KIND_SINE && fabs(waves - rint(waves)) < 1e-9);
    if (d.kind >= ISO_LAB_KIND_SINE) {
        make_shape(&d, out_surface);
    } else {
        ISO_TRY(make_noise(ctx, &d, out_surface));
    }

done:
    if (status != ISO_OK) {
        iso_lab_surface_free(ctx, out_surface);
    }
    return status;
}
