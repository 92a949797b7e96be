// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/alloc.h"
#include "base/core/fail.h"

/// Discrete Fourier transforms of real grids in doubles: of any size, the same bits on every SIMD
/// back end. Why it is ours: docs/decisions/README.md.
enum { ISO_FFT_LANES = 8 };

/// Transforms of ISO_FFT_LANES complex sequences of one length at once.
typedef struct iso_fft {
    int n;
    int factors[32], factor_count;
    double *cosine, *sine;     ///< [n] of 2 pi k / n
    double *re, *im;           ///< [n * ISO_FFT_LANES] what is transformed, element major
    double *re_next, *im_next; ///< [n * ISO_FFT_LANES] scratch
    double* memory;            ///< of these four, which change places
} iso_fft;

/// Real grid [rows * columns], row major, and its half spectrum
/// s(j, k) = sum over (r, c) of x(r, c) exp(-2 pi i (j r / rows + k c / columns)), k <= columns
/// / 2.
typedef struct iso_fft_grid {
    int rows, columns;
    int stride; ///< entries from one row of a half spectrum to the next, >= columns / 2 + 1
    iso_fft along, across;
} iso_fft_grid;

/// @return ISO_ERR_MEMORY; release with iso_fft_grid_free() in any case
iso_status iso_fft_grid_make(iso_context* ctx, int rows, int columns, iso_fft_grid* out);
void iso_fft_grid_free(iso_context* ctx, iso_fft_grid* grid);
/// Entries of one of the two arrays of a half spectrum.
static inline size_t iso_fft_grid_size(const iso_fft_grid* grid) {
    return (size_t)grid->rows * (size_t)grid->stride;
}
/// Half spectrum of the upper left filled_rows x filled_columns of a grid that is zero elsewhere.
/// @param x  [filled_rows * filled_columns] row major
void iso_fft_grid_forward(iso_fft_grid* grid, const double* x, int filled_rows, int filled_columns,
                          double* re, double* im);
/// The upper left part of the grid of a half spectrum, which is overwritten. Inverse of
/// iso_fft_grid_forward() up to rounding.
void iso_fft_grid_inverse(iso_fft_grid* grid, double* re, double* im, int wanted_rows,
                          int wanted_columns, double* x);
