// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "math/dense.h"

#include "math/lanes_f64x4.h"

#include <float.h>
#include <math.h>

// Rows of a matrix are far apart in memory; offsets are computed in size_t.
static const double* row(const double* a, int index, int stride) {
    return a + (size_t)index * (size_t)stride;
}

static double* row_of(double* a, int index, int stride) {
    return a + (size_t)index * (size_t)stride;
}

double iso_dense_dot(const double* a, const double* b, int n) {
    iso_double4 sum = iso_double4_set(0.0);
    int i = 0;
    for (; i + ISO_DOUBLE4_LANES <= n; i += ISO_DOUBLE4_LANES) {
        sum = iso_double4_mul_add(iso_double4_load(a + i), iso_double4_load(b + i), sum);
    }
    if (i < n) {
        // At most three products; through registers, as a load of a fresh store would stall.
        double second = i + 1 < n ? a[i + 1] * b[i + 1] : 0.0;
        double third = i + 2 < n ? a[i + 2] * b[i + 2] : 0.0;
        sum = iso_double4_add(sum, iso_double4_make(a[i] * b[i], second, third, 0.0));
    }
    return iso_double4_sum(sum);
}

void iso_dense_add_scaled(double* y, const double* x, double s, int n) {
    iso_double4 scale = iso_double4_set(s);
    int i = 0;
    for (; i + ISO_DOUBLE4_LANES <= n; i += ISO_DOUBLE4_LANES) {
        iso_double4_store(
            y + i, iso_double4_mul_add(scale, iso_double4_load(x + i), iso_double4_load(y + i)));
    }
    for (; i < n; ++i) {
        y[i] = fma(s, x[i], y[i]);
    }
}

// y += s[0] x0 + s[1] x1 + s[2] x2 + s[3] x3, added one after the other: the same bits as four
// calls of iso_dense_add_scaled, with a quarter of the traffic on y.
static void add_four_scaled(double* y, const double* x, int x_stride, const double s[4], int n) {
    const double* x0 = x;
    const double* x1 = row(x, 1, x_stride);
    const double* x2 = row(x, 2, x_stride);
    const double* x3 = row(x, 3, x_stride);
    iso_double4 s0 = iso_double4_set(s[0]), s1 = iso_double4_set(s[1]);
    iso_double4 s2 = iso_double4_set(s[2]), s3 = iso_double4_set(s[3]);
    int i = 0;
    for (; i + ISO_DOUBLE4_LANES <= n; i += ISO_DOUBLE4_LANES) {
        iso_double4 sum =
            iso_double4_mul_add(s0, iso_double4_load(x0 + i), iso_double4_load(y + i));
        sum = iso_double4_mul_add(s1, iso_double4_load(x1 + i), sum);
        sum = iso_double4_mul_add(s2, iso_double4_load(x2 + i), sum);
        sum = iso_double4_mul_add(s3, iso_double4_load(x3 + i), sum);
        iso_double4_store(y + i, sum);
    }
    for (; i < n; ++i) {
        double sum = fma(s[0], x0[i], y[i]);
        sum = fma(s[1], x1[i], sum);
        sum = fma(s[2], x2[i], sum);
        y[i] = fma(s[3], x3[i], sum);
    }
}

// y += scale * sum over k of s[k * s_stride] (row k of x), in the order of k.
static void add_combination(double* y, double scale, const double* s, int s_stride, const double* x,
                            int x_stride, int count, int n) {
    int k = 0;
    for (; k + 4 <= count; k += 4) {
        const double s4[4] = {scale * *row(s, k, s_stride), scale * *row(s, k + 1, s_stride),
                              scale * *row(s, k + 2, s_stride), scale * *row(s, k + 3, s_stride)};
        add_four_scaled(y, row(x, k, x_stride), x_stride, s4, n);
    }
    for (; k < count; ++k) {
        iso_dense_add_scaled(y, row(x, k, x_stride), scale * *row(s, k, s_stride), n);
    }
}

void iso_dense_add_ax(double* y, double scale, const double* a, int a_stride, const double* x,
                      int rows, int cols) {
    for (int i = 0; i < rows; ++i) {
        y[i] += scale * iso_dense_dot(row(a, i, a_stride), x, cols);
    }
}

void iso_dense_add_atx(double* y, double scale, const double* a, int a_stride, const double* x,
                       int rows, int cols) {
    add_combination(y, scale, x, 1, a, a_stride, rows, cols);
}

void iso_dense_add_ab(double* c, int c_stride, double scale, const double* a, int a_stride,
                      const double* b, int b_stride, int rows, int inner, int cols) {
    for (int i = 0; i < rows; ++i) {
        add_combination(row_of(c, i, c_stride), scale, row(a, i, a_stride), 1, b, b_stride, inner,
                        cols);
    }
}

void iso_dense_add_atb(double* c, int c_stride, double scale, const double* a, int a_stride,
                       const double* b, int b_stride, int rows, int inner, int cols) {
    for (int i = 0; i < rows; ++i) {
        add_combination(row_of(c, i, c_stride), scale, a + i, a_stride, b, b_stride, inner, cols);
    }
}

void iso_dense_add_atb_upper(double* c, int c_stride, double scale, const double* a, int a_stride,
                             const double* b, int b_stride, int inner, int n) {
    for (int i = 0; i < n; ++i) {
        add_combination(row_of(c, i, c_stride) + i, scale, a + i, a_stride, b + i, b_stride, inner,
                        n - i);
    }
}

void iso_dense_add_abt(double* c, int c_stride, double scale, const double* a, int a_stride,
                       const double* b, int b_stride, int rows, int inner, int cols) {
    for (int i = 0; i < rows; ++i) {
        double* c_row = row_of(c, i, c_stride);
        for (int j = 0; j < cols; ++j) {
            c_row[j] += scale * iso_dense_dot(row(a, i, a_stride), row(b, j, b_stride), inner);
        }
    }
}

void iso_dense_mirror_upper(double* a, int n, int stride) {
    for (int i = 1; i < n; ++i) {
        double* a_row = row_of(a, i, stride);
        for (int j = 0; j < i; ++j) {
            a_row[j] = *(row(a, j, stride) + i);
        }
    }
}

// Row k of U from row k of what is left of A: divide by the root of the pivot.
static bool finish_row(double* u, int n) {
    double pivot = u[0];
    if (!(pivot > 0.0 && pivot <= DBL_MAX)) {
        return false;
    }
    double root = sqrt(pivot);
    double inverse = 1.0 / root;
    u[0] = root;
    for (int j = 1; j < n; ++j) {
        u[j] *= inverse;
    }
    return true;
}

// Matrices of so many rows are factored in larger panels.
enum { LARGE = 512 };

// Whether column `i` of `count` rows is zero.
static bool is_empty(const double* panel, int stride, int count) {
    bool is_zero = true;
    for (int k = 0; k < count && is_zero; ++k) {
        is_zero = *row(panel, k, stride) == 0.0;
    }
    return is_zero;
}

// Right-looking in panels of four rows, of more where a matrix is too large for the cache. Each
// entry (i, j) loses U_ki U_kj in the order of k whatever the panel, so the bits do not depend on
// the panel width. What is zero costs nothing: few of many degrees of freedom may act on each
// other.
bool iso_cholesky_factor(double* a, int n, int stride) {
    int panel_rows = n < LARGE ? 4 : 24;
    for (int k = 0; k < n; k += panel_rows) {
        int end = n < k + panel_rows ? n : k + panel_rows;
        for (int p = k; p < end; ++p) {
            double* u = row_of(a, p, stride) + p;
            for (int e = k; e < p; ++e) {
                const double* above = row(a, e, stride) + p;
                iso_dense_add_scaled(u, above, -above[0], n - p);
            }
            if (!finish_row(u, n - p)) {
                return false;
            }
        }
        for (int i = end; i < n; ++i) {
            const double* panel = row(a, k, stride) + i;
            if (!is_empty(panel, stride, end - k)) {
                add_combination(row_of(a, i, stride) + i, -1.0, panel, stride, panel, stride,
                                end - k, n - i);
            }
        }
    }
    return true;
}

void iso_cholesky_forward(const double* factor, int n, int stride, double* x) {
    for (int k = 0; k < n; ++k) {
        const double* u = row(factor, k, stride);
        x[k] /= u[k];
        iso_dense_add_scaled(x + k + 1, u + k + 1, -x[k], n - k - 1);
    }
}

void iso_cholesky_backward(const double* factor, int n, int stride, double* x) {
    for (int k = n - 1; k >= 0; --k) {
        const double* u = row(factor, k, stride);
        x[k] = (x[k] - iso_dense_dot(u + k + 1, x + k + 1, n - k - 1)) / u[k];
    }
}

void iso_cholesky_solve(const double* factor, int n, int stride, double* x) {
    iso_cholesky_forward(factor, n, stride, x);
    iso_cholesky_backward(factor, n, stride, x);
}

// Small systems are factored on a grid of their own, right-hand side in the last column, whose
// lanes always start at the same columns: what one row stores the next one loads at once.
enum { SMALL_ROW = 16, SMALL_MOST = SMALL_ROW - 1 };

static void load_small(const double* a, int n, int stride, const double* x,
                       double grid[][SMALL_ROW]) {
    for (int i = 0; i < n; ++i) {
        const double* from = row(a, i, stride);
        for (int j = i - i % ISO_DOUBLE4_LANES; j < SMALL_ROW; ++j) {
            grid[i][j] = j >= i && j < n ? from[j] : 0.0;
        }
        grid[i][n] = x[i];
    }
}

// U^T D^-1 U with the pivots D on the diagonal of U: no root is waited for.
static bool eliminate_small(double grid[][SMALL_ROW], int n, double* out_inverse) {
    for (int k = 0; k < n; ++k) {
        const double* u = grid[k];
        if (!(u[k] > 0.0 && u[k] <= DBL_MAX)) {
            return false;
        }
        out_inverse[k] = 1.0 / u[k];
        for (int i = k + 1; i < n; ++i) {
            iso_double4 scale = iso_double4_set(-u[i] * out_inverse[k]);
            for (int j = i - i % ISO_DOUBLE4_LANES; j <= n; j += ISO_DOUBLE4_LANES) {
                double* y = grid[i] + j;
                iso_double4_store(
                    y, iso_double4_mul_add(scale, iso_double4_load(u + j), iso_double4_load(y)));
            }
        }
    }
    return true;
}

static void write_small_factor(double grid[][SMALL_ROW], int n, double* a, int stride) {
    for (int k = 0; k < n; ++k) {
        double* to = row_of(a, k, stride);
        double root = sqrt(grid[k][k]);
        double inverse = 1.0 / root;
        to[k] = root;
        for (int j = k + 1; j < n; ++j) {
            to[j] = grid[k][j] * inverse;
        }
    }
}

bool iso_cholesky_factor_solve(double* a, int n, int stride, double* x) {
    if (n > SMALL_MOST) {
        bool is_definite = iso_cholesky_factor(a, n, stride);
        if (is_definite) {
            iso_cholesky_solve(a, n, stride, x);
        }
        return is_definite;
    }
    double grid[SMALL_MOST][SMALL_ROW], inverse[SMALL_MOST];
    load_small(a, n, stride, x, grid);
    if (!eliminate_small(grid, n, inverse)) {
        return false;
    }
    double last = 0.0; // x[k + 1] in a register: what row k waits for
    for (int k = n - 1; k >= 0; --k) {
        double sum = grid[k][n];
        for (int j = n - 1; j > k + 1; --j) {
            sum = fma(-grid[k][j], x[j], sum);
        }
        if (k + 1 < n) {
            sum = fma(-grid[k][k + 1], last, sum);
        }
        last = sum * inverse[k];
        x[k] = last;
    }
    write_small_factor(grid, n, a, stride);
    return true;
}

static void scale_row(double* x, double s, int n) {
    for (int i = 0; i < n; ++i) {
        x[i] *= s;
    }
}

void iso_cholesky_forward_block(const double* factor, int n, int stride, double* x, int x_stride,
                                int cols) {
    for (int k = 0; k < n; ++k) {
        double* x_row = row_of(x, k, x_stride);
        add_combination(x_row, -1.0, factor + k, stride, x, x_stride, k, cols);
        scale_row(x_row, 1.0 / row(factor, k, stride)[k], cols);
    }
}

void iso_cholesky_backward_block(const double* factor, int n, int stride, double* x, int x_stride,
                                 int cols) {
    for (int k = n - 1; k >= 0; --k) {
        double* x_row = row_of(x, k, x_stride);
        const double* u = row(factor, k, stride);
        add_combination(x_row, -1.0, u + k + 1, 1, row(x, k + 1, x_stride), x_stride, n - k - 1,
                        cols);
        scale_row(x_row, 1.0 / u[k], cols);
    }
}

void iso_cholesky_solve_block(const double* factor, int n, int stride, double* x, int x_stride,
                              int cols) {
    iso_cholesky_forward_block(factor, n, stride, x, x_stride, cols);
    iso_cholesky_backward_block(factor, n, stride, x, x_stride, cols);
}
