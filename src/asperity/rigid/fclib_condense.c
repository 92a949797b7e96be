// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/elastic/sparse.h"
#include "asperity/rigid/fclib.h"
#include "base/core/log.h"

#include <math.h>
#include <string.h>

void iso_triplets_free(iso_context* ctx, iso_triplets* t) {
    iso_free(ctx, t->row);
    iso_free(ctx, t->x);
    *t = (iso_triplets){0};
}

/// Of the largest number of W, by which it may miss symmetry: rounding; that of files of others.
#define SKEW_UNTOLD 1e-6
#define SKEW_MOST 1e-2

iso_status iso_fclib_check(iso_context* ctx, const char* path, iso_fclib* problem) {
    int n = 3 * problem->contact_count;
    double largest = 0.0, skew = 0.0;
    for (int i = 0; i < n * n; ++i) {
        largest = fmax(largest, fabs(problem->w[i]));
    }
    for (int i = 0; i < n; ++i) {
        double* row = problem->w + (size_t)i * (size_t)n;
        ISO_REQUIRE(ctx, row[i] >= -1e-9 * largest, ISO_ERR_RANGE,
                    "%s: W(%d, %d) is %g, expected >= 0", path, i, i, row[i]);
        for (int k = 0; k < i; ++k) {
            double* other = &problem->w[(size_t)k * (size_t)n + (size_t)i];
            double off = fabs(row[k] - *other);
            ISO_REQUIRE(ctx, off <= SKEW_MOST * largest, ISO_ERR_RANGE,
                        "%s: W(%d, %d) is %.17g and W(%d, %d) %.17g, expected symmetric", path, i,
                        k, row[k], k, i, *other);
            if (off > SKEW_UNTOLD * largest) {
                skew = fmax(skew, off);
                row[k] = *other = 0.5 * (row[k] + *other);
            }
        }
    }
    if (skew > 0.0) {
        iso_log(ctx, ISO_LOG_WARNING,
                "%s: W misses symmetry by %.2g of its largest number, the mean is taken", path,
                skew / largest);
    }
    return ISO_OK;
}

// (M - M^T) x of numbers x that no pattern meets.
static iso_status check_symmetry(iso_context* ctx, const char* path, const iso_triplets* m) {
    double* y = iso_alloc_zeroed(ctx, (size_t)m->rows * sizeof *y);
    double largest = 0.0;
    int worst = 0;
    ISO_REQUIRE(ctx, y, ISO_ERR_MEMORY, "vector of %d numbers", m->rows);
    for (int k = 0; k < m->count; ++k) {
        int i = m->row[k], j = m->column[k];
        y[i] += m->x[k] * (1.5 + sin(1e3 * j));
        y[j] -= m->x[k] * (1.5 + sin(1e3 * i));
        largest = fmax(largest, fabs(m->x[k]));
    }
    for (int i = 0; i < m->rows; ++i) {
        worst = fabs(y[i]) > fabs(y[worst]) ? i : worst;
    }
    double error = fabs(y[worst]);
    iso_free(ctx, y);
    ISO_REQUIRE(ctx, error <= SKEW_UNTOLD * largest, ISO_ERR_RANGE,
                "%s: row and column %d of M differ by %g, expected symmetric", path, worst, error);
    return ISO_OK;
}

static iso_status factor(iso_context* ctx, const char* path, const iso_triplets* m,
                         iso_sparse* out) {
    iso_sparse_begin(out, 1, m->rows);
    for (int k = 0; k < m->count; ++k) {
        int pair[2] = {m->row[k], m->column[k]};
        if (pair[0] > pair[1]) {
            continue; // the same as above the diagonal
        }
        bool is_one = pair[0] == pair[1];
        double* block = iso_sparse_add(out, pair, is_one ? 1 : 2);
        ISO_REQUIRE(ctx, block, ISO_ERR_MEMORY, "matrix of %d entries", m->count);
        const double two[4] = {0.0, m->x[k], m->x[k], 0.0};
        memcpy(block, is_one ? &m->x[k] : two, (is_one ? 1 : 4) * sizeof *block);
    }
    iso_status status = iso_sparse_factor(out, NULL);
    ISO_REQUIRE(ctx, status != ISO_ERR_NO_CONVERGENCE, ISO_ERR_RANGE,
                "%s: M is not positive definite", path);
    return status;
}

// out += H^T y, at so many numbers from one to the next.
static void add_projection(const iso_triplets* h, const double* y, double* out, size_t stride) {
    for (int k = 0; k < h->count; ++k) {
        out[(size_t)h->column[k] * stride] += h->x[k] * y[h->row[k]];
    }
}

iso_status iso_fclib_condense(iso_context* ctx, const char* path, const iso_triplets* m,
                              const iso_triplets* h, const double* f, const double* w,
                              iso_fclib* out) {
    size_t n = (size_t)h->columns, size = (size_t)m->rows;
    iso_sparse matrix = {.ctx = ctx};
    double* y = iso_alloc_array(ctx, m->rows, sizeof *y);
    iso_status status = ISO_OK;
    ISO_CHECK(ctx, y, ISO_ERR_MEMORY, "vector of %d numbers", m->rows);
    ISO_TRY(check_symmetry(ctx, path, m));
    ISO_TRY(factor(ctx, path, m, &matrix));
    memcpy(y, f, size * sizeof *y);
    iso_sparse_solve(&matrix, y);
    memcpy(out->b, w, n * sizeof *w);
    add_projection(h, y, out->b, 1);
    memset(out->w, 0, n * n * sizeof *out->w);
    for (int c = 0; c < h->columns; ++c) {
        memset(y, 0, size * sizeof *y);
        for (int k = 0; k < h->count; ++k) {
            y[h->row[k]] += h->column[k] == c ? h->x[k] : 0.0;
        }
        iso_sparse_solve(&matrix, y);
        add_projection(h, y, out->w + c, n);
    }

done:
    iso_sparse_free(&matrix);
    iso_free(ctx, y);
    return status;
}
