// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Dense products with the rows of one free body in registers. Every entry loses its terms one after
// the other in the order of `inner`, so lanes and tiles change no bit.

#include "math/dense.h"
#include "math/lanes_f64x4.h"

#include <math.h>

/// Rows of a tile: the degrees of freedom of a free body.
#define ISO_TILE_ROWS 6

/// C -= A^T B for ISO_TILE_ROWS rows of C and four columns; keep: leave the first `keep` of them.
static inline void iso_tile_subtract_four(double* c, int c_stride, const double* a, int a_stride,
                                          const double* b, int b_stride, int inner, int keep) {
    iso_double4 old[ISO_TILE_ROWS], sum[ISO_TILE_ROWS];
    for (int i = 0; i < ISO_TILE_ROWS; ++i) {
        old[i] = sum[i] = iso_double4_load(c + i * c_stride);
    }
    for (int k = 0; k < inner; ++k) {
        iso_double4 b_k = iso_double4_load(b + k * b_stride);
        for (int i = 0; i < ISO_TILE_ROWS; ++i) {
            sum[i] = iso_double4_mul_subtract(iso_double4_set(a[k * a_stride + i]), b_k, sum[i]);
        }
    }
    iso_double4_mask kept = iso_double4_first(keep);
    for (int i = 0; i < ISO_TILE_ROWS; ++i) {
        iso_double4_store(c + i * c_stride, iso_double4_select(kept, old[i], sum[i]));
    }
}

/// The same for the six columns of another free body: the middle two in both registers.
static inline void iso_tile_subtract_six(double* c, int c_stride, const double* a, int a_stride,
                                         const double* b, int b_stride, int inner) {
    iso_double4 low[ISO_TILE_ROWS], high[ISO_TILE_ROWS];
    for (int i = 0; i < ISO_TILE_ROWS; ++i) {
        low[i] = iso_double4_load(c + i * c_stride);
        high[i] = iso_double4_load(c + i * c_stride + 2);
    }
    for (int k = 0; k < inner; ++k) {
        iso_double4 b_low = iso_double4_load(b + k * b_stride);
        iso_double4 b_high = iso_double4_load(b + k * b_stride + 2);
        for (int i = 0; i < ISO_TILE_ROWS; ++i) {
            iso_double4 a_ki = iso_double4_set(a[k * a_stride + i]);
            low[i] = iso_double4_mul_subtract(a_ki, b_low, low[i]);
            high[i] = iso_double4_mul_subtract(a_ki, b_high, high[i]);
        }
    }
    for (int i = 0; i < ISO_TILE_ROWS; ++i) {
        iso_double4_store(c + i * c_stride, low[i]);
        iso_double4_store(c + i * c_stride + 2, high[i]);
    }
}

/// C -= A^T B for ISO_TILE_ROWS rows of C; A is inner x ISO_TILE_ROWS, B inner x cols.
static inline void iso_tile_subtract(double* c, int c_stride, const double* a, int a_stride,
                                     const double* b, int b_stride, int inner, int cols) {
    int j = 0;
    for (; j + ISO_DOUBLE4_LANES <= cols && cols - j != 6; j += ISO_DOUBLE4_LANES) {
        iso_tile_subtract_four(c + j, c_stride, a, a_stride, b + j, b_stride, inner, 0);
    }
    if (cols - j == 6) {
        iso_tile_subtract_six(c + j, c_stride, a, a_stride, b + j, b_stride, inner);
        return;
    }
    if (j < cols && cols >= ISO_DOUBLE4_LANES) {
        int first = cols - ISO_DOUBLE4_LANES;
        iso_tile_subtract_four(c + first, c_stride, a, a_stride, b + first, b_stride, inner,
                               j - first);
        return;
    }
    for (; j < cols; ++j) {
        for (int i = 0; i < ISO_TILE_ROWS; ++i) {
            double sum = c[i * c_stride + j];
            for (int k = 0; k < inner; ++k) {
                sum = fma(-a[k * a_stride + i], b[k * b_stride + j], sum);
            }
            c[i * c_stride + j] = sum;
        }
    }
}

/// C -= A^T B; A is inner x rows, B inner x cols.
static inline void iso_tiles_subtract_atb(double* c, int c_stride, const double* a, int a_stride,
                                          const double* b, int b_stride, int rows, int inner,
                                          int cols) {
    int i = 0;
    for (; i + ISO_TILE_ROWS <= rows; i += ISO_TILE_ROWS) {
        iso_tile_subtract(c + i * c_stride, c_stride, a + i, a_stride, b, b_stride, inner, cols);
    }
    if (i < rows) {
        iso_dense_add_atb(c + i * c_stride, c_stride, -1.0, a + i, a_stride, b, b_stride, rows - i,
                          inner, cols);
    }
}

/// The upper triangle of C -= A^T B for a symmetric product, n x n; entries below the diagonal may
/// change too.
static inline void iso_tiles_subtract_atb_upper(double* c, int c_stride, const double* a,
                                                int a_stride, const double* b, int b_stride,
                                                int inner, int n) {
    for (int i = 0; i < n; i += ISO_TILE_ROWS) {
        int rows = n - i < ISO_TILE_ROWS ? n - i : ISO_TILE_ROWS;
        iso_tiles_subtract_atb(c + i * (c_stride + 1), c_stride, a + i, a_stride, b + i, b_stride,
                               rows, inner, n - i);
    }
}

/// y += A x; A is rows x cols. Rows of one free body are summed in pairs.
static inline void iso_tiles_add_ax(double* y, const double* a, const double* x, int rows,
                                    int cols) {
    if (cols != ISO_TILE_ROWS) {
        iso_dense_add_ax(y, 1.0, a, cols, x, rows, cols);
        return;
    }
    for (int i = 0; i < rows; ++i) {
        const double* r = a + ISO_TILE_ROWS * i;
        y[i] +=
            (r[0] * x[0] + r[1] * x[1]) + (r[2] * x[2] + r[3] * x[3]) + (r[4] * x[4] + r[5] * x[5]);
    }
}

/// (low, high) + scale A^T x into y; A is rows x ISO_TILE_ROWS. low holds entries 0 to 3, the last
/// two lanes of high 4 and 5. Writes do not overlap, as a read of two would wait for both.
static inline void iso_tile_sum_atx(iso_double4 low, iso_double4 high, double scale,
                                    const double* a, int a_stride, const double* x, int rows,
                                    double* y) {
    for (int k = 0; k < rows; ++k) {
        const double* r = a + k * a_stride;
        iso_double4 s = iso_double4_set(scale * x[k]);
        low = iso_double4_mul_add(s, iso_double4_load(r), low);
        high = iso_double4_mul_add(s, iso_double4_load(r + 2), high);
    }
    double rest[ISO_DOUBLE4_LANES];
    iso_double4_store(rest, high);
    iso_double4_store(y, low);
    y[4] = rest[2];
    y[5] = rest[3];
}

/// y += scale A^T x; A is rows x ISO_TILE_ROWS.
static inline void iso_tile_add_atx(double* y, double scale, const double* a, int a_stride,
                                    const double* x, int rows) {
    iso_tile_sum_atx(iso_double4_load(y), iso_double4_make(0.0, 0.0, y[4], y[5]), scale, a,
                     a_stride, x, rows, y);
}

/// y += scale A^T x; A is rows x cols.
static inline void iso_tiles_add_atx(double* y, double scale, const double* a, const double* x,
                                     int rows, int cols) {
    if (cols != ISO_TILE_ROWS) {
        iso_dense_add_atx(y, scale, a, cols, x, rows, cols);
        return;
    }
    iso_tile_add_atx(y, scale, a, ISO_TILE_ROWS, x, rows);
}

/// y = A^T x; A is rows x cols.
static inline void iso_tiles_set_atx(double* y, const double* a, const double* x, int rows,
                                     int cols) {
    iso_double4 zero = iso_double4_set(0.0);
    if (cols == ISO_TILE_ROWS) { // y is not read: it would wait for having been cleared
        iso_tile_sum_atx(zero, zero, 1.0, a, ISO_TILE_ROWS, x, rows, y);
        return;
    }
    for (int i = 0; i < cols; ++i) {
        y[i] = 0.0;
    }
    iso_dense_add_atx(y, 1.0, a, cols, x, rows, cols);
}
