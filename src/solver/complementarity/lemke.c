// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/complementarity/lcp.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"

#include <math.h>
#include <string.h>

/// Rows: I w - M z - e z0 = q in the basis. Columns: w, z, z0, then the right-hand side.
typedef struct tableau {
    int n, columns;
    double* a;   ///< [n * columns]
    int* basis;  ///< [n] column of each row's variable
    double tiny; ///< entries below it are not pivots
} tableau;

static double* row_of(const tableau* t, int row) {
    return t->a + (size_t)row * (size_t)t->columns;
}

static void pivot(tableau* t, int row, int column) {
    double* p = row_of(t, row);
    double scale = 1.0 / p[column];
    for (int c = 0; c < t->columns; ++c) {
        p[c] *= scale;
    }
    p[column] = 1.0;
    for (int r = 0; r < t->n; ++r) {
        double* x = row_of(t, r);
        double factor = x[column];
        if (r == row || factor == 0.0) {
            continue;
        }
        for (int c = 0; c < t->columns; ++c) {
            x[c] -= factor * p[c];
        }
        x[column] = 0.0;
    }
    t->basis[row] = column;
}

// Whether row a, over its entry in the column, comes before row b in lexicographic order: first the
// right-hand side, then the columns of w, which are those of the inverse of the basis.
static bool is_before(const tableau* t, int a, int b, int column) {
    const double *x = row_of(t, a), *y = row_of(t, b);
    int last = t->columns - 1;
    for (int i = -1; i < t->n; ++i) {
        int c = i < 0 ? last : i;
        double d = x[c] / x[column] - y[c] / y[column];
        double size = fabs(x[c] / x[column]) + fabs(y[c] / y[column]);
        if (fabs(d) > 1e-13 * size) {
            return d < 0.0;
        }
    }
    return a < b;
}

// The row that leaves when a column enters; -1: none, a ray. z0 leaves where it can.
static int find_leaving(const tableau* t, int column) {
    int best = -1, artificial = 2 * t->n;
    for (int r = 0; r < t->n; ++r) {
        if (row_of(t, r)[column] > t->tiny && (best < 0 || is_before(t, r, best, column))) {
            best = r;
        }
    }
    for (int r = 0; best >= 0 && r < t->n; ++r) {
        const double *x = row_of(t, r), *y = row_of(t, best);
        if (t->basis[r] == artificial && x[column] > t->tiny) {
            double mine = x[t->columns - 1] / x[column], least = y[t->columns - 1] / y[column];
            best = mine <= least + 1e-13 * fabs(least) ? r : best;
        }
    }
    return best;
}

static iso_status tableau_make(iso_context* ctx, const iso_lcp* p, tableau* t) {
    int n = p->count;
    *t = (tableau){.n = n, .columns = 2 * n + 2};
    t->a = iso_alloc_zeroed(ctx, (size_t)n * (size_t)t->columns * sizeof(double));
    t->basis = iso_alloc_array(ctx, n, sizeof(int));
    ISO_REQUIRE(ctx, t->a && t->basis, ISO_ERR_MEMORY, "complementarity of %d rows", n);
    double largest = 0.0;
    for (int r = 0; r < n; ++r) {
        double* x = row_of(t, r);
        x[r] = 1.0;
        for (int c = 0; c < n; ++c) {
            x[n + c] = -p->m[(size_t)r * (size_t)n + (size_t)c];
            largest = fmax(largest, fabs(x[n + c]));
        }
        x[2 * n] = -1.0;
        x[2 * n + 1] = p->q[r];
        t->basis[r] = r;
    }
    t->tiny = 1e-11 * fmax(fmin(largest, 1.0), 1e-3);
    return ISO_OK;
}

// The first row that is made feasible: that of the least q, the last of several.
static int find_first(const iso_lcp* p) {
    int row = 0;
    for (int r = 1; r < p->count; ++r) {
        row = p->q[r] <= p->q[row] ? r : row;
    }
    return row;
}

static void run(tableau* t, const iso_lcp* p, int max_pivots, iso_lcp_report* report) {
    int n = t->n, artificial = 2 * n, row = find_first(p);
    if (p->q[row] >= 0.0) {
        report->is_solved = true;
        return;
    }
    int entering = t->basis[row] + n;
    pivot(t, row, artificial);
    for (report->pivots = 1; report->pivots < max_pivots; ++report->pivots) {
        row = find_leaving(t, entering);
        if (row < 0) {
            report->is_ray = true;
            return;
        }
        int leaving = t->basis[row];
        pivot(t, row, entering);
        if (leaving == artificial) {
            report->is_solved = true;
            return;
        }
        entering = leaving < n ? leaving + n : leaving - n;
    }
}

double iso_lcp_residual(const iso_lcp* problem, const double* z) {
    double worst = 0.0;
    for (int r = 0; r < problem->count; ++r) {
        double w = problem->q[r];
        for (int c = 0; c < problem->count; ++c) {
            w += problem->m[(size_t)r * (size_t)problem->count + (size_t)c] * z[c];
        }
        worst = fmax(worst, fabs(fmin(w, z[r])));
    }
    return worst;
}

iso_status iso_lcp_lemke(iso_context* ctx, const iso_lcp* problem, int max_pivots, double* out_z,
                         iso_lcp_report* out_report) {
    tableau t = {0};
    *out_report = (iso_lcp_report){0};
    memset(out_z, 0, (size_t)problem->count * sizeof *out_z);
    if (problem->count == 0) {
        out_report->is_solved = true;
        return ISO_OK;
    }
    iso_status status = tableau_make(ctx, problem, &t);
    if (status == ISO_OK) {
        run(&t, problem, max_pivots, out_report);
        for (int r = 0; out_report->is_solved && r < t.n; ++r) {
            if (t.basis[r] >= t.n && t.basis[r] < 2 * t.n) {
                out_z[t.basis[r] - t.n] = fmax(row_of(&t, r)[t.columns - 1], 0.0);
            }
        }
        out_report->residual = iso_lcp_residual(problem, out_z);
    }
    iso_free(ctx, t.a);
    iso_free(ctx, t.basis);
    return status;
}
