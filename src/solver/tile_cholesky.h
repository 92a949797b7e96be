// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// One block row of a factor whose diagonal block is that of a free body, in registers. Pivots wait
// for each other, so what they wait for is kept short: one division each, and none in solutions.

#include "solver/tile.h"

#include <float.h>

/// The diagonal block: A = U^T U in place, upper triangle, with the inverse of U's diagonal in its
/// place and in `inverse`. False: not positive definite. No root lies on the way to the next pivot.
static inline bool iso_tile_factor(double* a, int stride, double inverse[ISO_TILE_ROWS]) {
    for (int k = 0; k < ISO_TILE_ROWS; ++k) {
        double* row = a + k * stride;
        double pivot = row[k];
        if (!(pivot > 0.0 && pivot <= DBL_MAX)) {
            return false;
        }
        double reciprocal = 1.0 / pivot;
        for (int i = k + 1; i < ISO_TILE_ROWS; ++i) {
            double share = row[i] * reciprocal;
            for (int j = i; j < ISO_TILE_ROWS; ++j) {
                a[i * stride + j] = fma(-share, row[j], a[i * stride + j]);
            }
        }
        inverse[k] = row[k] = 1.0 / sqrt(pivot);
        for (int j = k + 1; j < ISO_TILE_ROWS; ++j) {
            row[j] *= inverse[k];
        }
    }
    return true;
}

/// U^-T X for four columns of X; keep: leave the first `keep` of them.
static inline void iso_tile_forward_four(const double* u, int stride,
                                         const double inverse[ISO_TILE_ROWS], double* x, int keep) {
    iso_double4 old[ISO_TILE_ROWS], y[ISO_TILE_ROWS];
    for (int k = 0; k < ISO_TILE_ROWS; ++k) {
        old[k] = y[k] = iso_double4_load(x + k * stride);
    }
    for (int k = 0; k < ISO_TILE_ROWS; ++k) {
        for (int e = 0; e < k; ++e) {
            y[k] = iso_double4_mul_subtract(iso_double4_set(u[e * stride + k]), y[e], y[k]);
        }
        y[k] = iso_double4_mul(y[k], iso_double4_set(inverse[k]));
    }
    iso_double4_mask kept = iso_double4_first(keep);
    for (int k = 0; k < ISO_TILE_ROWS; ++k) {
        iso_double4_store(x + k * stride, keep > 0 ? iso_double4_select(kept, old[k], y[k]) : y[k]);
    }
}

/// The rest of the row, U^-T X: `cols` columns at x, of the stride of u.
static inline void iso_tile_forward(const double* u, int stride,
                                    const double inverse[ISO_TILE_ROWS], double* x, int cols) {
    int j = 0;
    for (; j + ISO_DOUBLE4_LANES <= cols; j += ISO_DOUBLE4_LANES) {
        iso_tile_forward_four(u, stride, inverse, x + j, 0);
    }
    if (j < cols && cols >= ISO_DOUBLE4_LANES) {
        int first = cols - ISO_DOUBLE4_LANES;
        iso_tile_forward_four(u, stride, inverse, x + first, j - first);
        return;
    }
    for (; j < cols; ++j) {
        for (int k = 0; k < ISO_TILE_ROWS; ++k) {
            double y = x[k * stride + j];
            for (int e = 0; e < k; ++e) {
                y = fma(-u[e * stride + k], x[e * stride + j], y);
            }
            x[k * stride + j] = y * inverse[k];
        }
    }
}

/// U^T y = x in place; u: of iso_tile_factor().
static inline void iso_tile_solve_forward(const double* u, int stride, double* x) {
    double y[ISO_TILE_ROWS];
    for (int k = 0; k < ISO_TILE_ROWS; ++k) {
        y[k] = x[k];
    }
    for (int k = 0; k < ISO_TILE_ROWS; ++k) {
        const double* row = u + k * stride;
        y[k] *= row[k];
        for (int j = k + 1; j < ISO_TILE_ROWS; ++j) {
            y[j] = fma(-row[j], y[k], y[j]);
        }
    }
    for (int k = 0; k < ISO_TILE_ROWS; ++k) {
        x[k] = y[k];
    }
}

/// x -= A y, A of `cols` columns.
static inline void iso_tile_subtract_ax(double* x, const double* a, int stride, const double* y,
                                        int cols) {
    iso_double4 sum[ISO_TILE_ROWS];
    for (int i = 0; i < ISO_TILE_ROWS; ++i) {
        sum[i] = iso_double4_set(0.0);
    }
    int j = 0;
    for (; j + ISO_DOUBLE4_LANES <= cols; j += ISO_DOUBLE4_LANES) {
        iso_double4 y_j = iso_double4_load(y + j);
        for (int i = 0; i < ISO_TILE_ROWS; ++i) {
            sum[i] = iso_double4_mul_add(iso_double4_load(a + i * stride + j), y_j, sum[i]);
        }
    }
    for (int i = 0; i < ISO_TILE_ROWS; ++i) {
        const double* r = a + i * stride;
        if (j < cols) {
            double second = j + 1 < cols ? r[j + 1] * y[j + 1] : 0.0;
            double third = j + 2 < cols ? r[j + 2] * y[j + 2] : 0.0;
            sum[i] = iso_double4_add(sum[i], iso_double4_make(r[j] * y[j], second, third, 0.0));
        }
        x[i] -= iso_double4_sum(sum[i]);
    }
}

/// U y = x in place.
static inline void iso_tile_solve_backward(const double* u, int stride, double* x) {
    double y[ISO_TILE_ROWS];
    for (int k = 0; k < ISO_TILE_ROWS; ++k) {
        y[k] = x[k];
    }
    for (int k = ISO_TILE_ROWS - 1; k >= 0; --k) {
        y[k] *= u[k * (stride + 1)];
        for (int i = 0; i < k; ++i) {
            y[i] = fma(-u[i * stride + k], y[k], y[i]);
        }
    }
    for (int k = 0; k < ISO_TILE_ROWS; ++k) {
        x[k] = y[k];
    }
}
