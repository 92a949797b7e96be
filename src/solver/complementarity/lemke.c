// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/complementarity/lcp.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "math/lu.h"

#include <math.h>
#include <string.h>

/// Rows: I w - M z - e z0 = q in the basis. Columns: w, z, z0, then the right-hand side.
typedef struct tableau {
    int n, columns;
    double* a;    ///< [n * columns]
    int* basis;   ///< [n] column of each row's variable
    int* pivots;  ///< [n] scratch
    double tiny;  ///< entries below it are not pivots
    double slack; ///< of a row's value, which rounding may take for 0
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

// The row that leaves when a column enters; -1: none, a ray. Of rows whose bounds are as near as
// rounding can tell that with the largest pivot, but z0 where it is one of them.
static int find_leaving(const tableau* t, int column) {
    int best = -1, artificial = 2 * t->n, last = t->columns - 1;
    double least = INFINITY, largest = 0.0;
    for (int r = 0; r < t->n; ++r) {
        const double* x = row_of(t, r);
        least = x[column] > t->tiny ? fmin(least, fmax(x[last], 0.0) / x[column]) : least;
    }
    for (int r = 0; r < t->n; ++r) {
        const double* x = row_of(t, r);
        if (x[column] > t->tiny && x[last] <= least * x[column] + t->slack) {
            if (t->basis[r] == artificial) {
                return r;
            }
            if (x[column] > largest) {
                largest = x[column];
                best = r;
            }
        }
    }
    return best;
}

// Many contacts of one body make rows equal; rounding then decides between them, and pivots go
// astray. A little is added to each q while the basis is sought, and taken away afterwards.
static double nudge(int row, double size) {
    return 1e-11 * size * (1.0 + fmod(0.6180339887498949 * (row + 1), 1.0));
}

static iso_status tableau_make(iso_context* ctx, const iso_lcp* p, tableau* t) {
    int n = p->count;
    *t = (tableau){.n = n, .columns = 2 * n + 2};
    t->a = iso_alloc_zeroed(ctx, (size_t)n * (size_t)t->columns * sizeof(double));
    t->basis = iso_alloc_array(ctx, 2 * n, sizeof(int));
    ISO_REQUIRE(ctx, t->a && t->basis, ISO_ERR_MEMORY, "complementarity of %d rows", n);
    t->pivots = t->basis + n;
    double largest = 0.0, size = 0.0;
    for (int r = 0; r < n; ++r) {
        size = fmax(size, fabs(p->q[r]));
    }
    for (int r = 0; r < n; ++r) {
        double* x = row_of(t, r);
        x[r] = 1.0;
        for (int c = 0; c < n; ++c) {
            x[n + c] = -p->m[(size_t)r * (size_t)n + (size_t)c];
            largest = fmax(largest, fabs(x[n + c]));
        }
        x[2 * n] = -1.0;
        x[2 * n + 1] = p->q[r] + nudge(r, size);
        t->basis[r] = r;
    }
    t->slack = 1e-14 * size;
    t->tiny = 1e-11 * fmax(fmin(largest, 1.0), 1e-3);
    return ISO_OK;
}

// The first row that is made feasible: that of the least q.
static int find_first(const tableau* t) {
    int row = 0, last = t->columns - 1;
    for (int r = 1; r < t->n; ++r) {
        row = row_of(t, r)[last] <= row_of(t, row)[last] ? r : row;
    }
    return row;
}

static void run(tableau* t, int max_pivots, iso_lcp_report* report) {
    int n = t->n, artificial = 2 * n, row = find_first(t);
    if (row_of(t, row)[t->columns - 1] >= 0.0) {
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

// The values of the basis with q as it is, anew from M: rounding of the pivots is left behind. The
// tableau is overwritten.
static void read_basis(tableau* t, const iso_lcp* p, double* out_z) {
    int n = t->n;
    double* x = t->a + (size_t)n * (size_t)n;
    for (int r = 0; r < n; ++r) {
        x[r] = p->q[r];
        for (int c = 0; c < n; ++c) {
            int variable = t->basis[c];
            t->a[(size_t)r * (size_t)n + (size_t)c] =
                variable < n ? (variable == r ? 1.0 : 0.0)
                             : -p->m[(size_t)r * (size_t)n + (size_t)(variable - n)];
        }
    }
    if (iso_lu_factor(t->a, n, t->pivots)) {
        iso_lu_solve(t->a, t->pivots, n, x);
        for (int c = 0; c < n; ++c) {
            if (t->basis[c] >= n) {
                out_z[t->basis[c] - n] = fmax(x[c], 0.0);
            }
        }
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
        run(&t, max_pivots, out_report);
        if (out_report->is_solved) {
            read_basis(&t, problem, out_z);
        }
        out_report->residual = iso_lcp_residual(problem, out_z);
    }
    iso_free(ctx, t.a);
    iso_free(ctx, t.basis);
    return status;
}
