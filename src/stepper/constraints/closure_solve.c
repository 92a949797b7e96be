// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Forces of all rows of constraints and couplers together. docs/theory/multibody.md, "Loops, ropes
// and gears".

#include "stepper/constraints/constraint.h"

#include "base/core/fail.h"
#include "math/dense.h"

#include <string.h>

// Within a constraint, what is left of a row beside the others (squared) below which it is one of
// them.
#define LEAST_REST 1e-24

// Between constraints, what is left of a row of length 1 beside all others (squared) below which it
// repeats them.
#define LEAST_PIVOT 1e-10

// Where all rows have more than that left beside those before them there is no need of pivots.
#define GOOD_PIVOT 1e-6

// Rows of one block made orthonormal: y[order[i]] = sum over j <= i of t[i][j] q[j].
typedef struct frame {
    int count; // rows that are left
    int order[6];
    double t[6][6];
} frame;

// y = L^-1 of every column of J^T, kept row by row: row i of y belongs to row i of J.
static void forward_rows(const iso_closure_rows* rows, const iso_multibody* multibody,
                         const double* factor, double* y) {
    int n = multibody->v_count;
    memcpy(y, rows->jacobian, (size_t)rows->count * (size_t)n * sizeof *y);
    for (int i = 0; i < rows->count; ++i) {
        for (int t = 0; t < multibody->tree_count; ++t) {
            int first = multibody->tree_v_index[t];
            int dofs = multibody->tree_v_index[t + 1] - first;
            iso_cholesky_forward(factor + multibody->tree_m_index[t], dofs, dofs,
                                 y + (size_t)i * (size_t)n + first);
        }
    }
}

static void swap_rows(double* a, double* b, int n) {
    for (int i = 0; i < n; ++i) {
        double x = a[i];
        a[i] = b[i];
        b[i] = x;
    }
}

// The row that is longest beside those before `k` comes to k.
static double pick_row(frame* f, double* y, double* rhs, int k, int count, int n) {
    int best = k;
    double longest = -1.0;
    for (int i = k; i < count; ++i) {
        double square = iso_dense_dot(y + (size_t)i * (size_t)n, y + (size_t)i * (size_t)n, n);
        if (square > longest) {
            longest = square;
            best = i;
        }
    }
    if (best != k) {
        swap_rows(y + (size_t)best * (size_t)n, y + (size_t)k * (size_t)n, n);
        swap_rows(&rhs[best], &rhs[k], 1);
        swap_rows(f->t[best], f->t[k], k);
        int order = f->order[best];
        f->order[best] = f->order[k];
        f->order[k] = order;
    }
    return longest;
}

// Gram and Schmidt with pivots; every row is freed of the others twice.
// @return false when a row is not finite
static bool make_orthonormal(frame* f, const iso_closure_block* block, double* y, double* rhs,
                             int n) {
    double first = 0.0;
    *f = (frame){.count = 0};
    for (int i = 0; i < block->count; ++i) {
        double square = iso_dense_dot(y + (size_t)i * (size_t)n, y + (size_t)i * (size_t)n, n);
        if (!isfinite(square)) {
            return false;
        }
        first = fmax(first, square);
        f->order[i] = i;
    }
    for (int k = 0; k < block->count; ++k) {
        double square = pick_row(f, y, rhs, k, block->count, n);
        if (square <= LEAST_REST * first) {
            break;
        }
        double* q = y + (size_t)k * (size_t)n;
        for (int j = 0; j < k; ++j) { // once more
            double part = iso_dense_dot(q, y + (size_t)j * (size_t)n, n);
            iso_dense_add_scaled(q, y + (size_t)j * (size_t)n, -part, n);
            rhs[k] -= part * rhs[j];
            f->t[k][j] += part;
        }
        f->t[k][k] = sqrt(iso_dense_dot(q, q, n));
        for (int d = 0; d < n; ++d) {
            q[d] /= f->t[k][k];
        }
        rhs[k] /= f->t[k][k];
        for (int i = k + 1; i < block->count; ++i) {
            f->t[i][k] = iso_dense_dot(y + (size_t)i * (size_t)n, q, n);
            iso_dense_add_scaled(y + (size_t)i * (size_t)n, q, -f->t[i][k], n);
            rhs[i] -= f->t[i][k] * rhs[k];
        }
        f->count = k + 1;
    }
    return true;
}

// Forces along the rows of a block from those along its orthonormal ones.
static void spread_forces(const frame* f, const iso_closure_block* block, const double* along,
                          double* out) {
    for (int i = 0; i < block->count; ++i) {
        out[i] = 0.0;
    }
    for (int i = f->count - 1; i >= 0; --i) {
        double force = along[i];
        for (int j = i + 1; j < f->count; ++j) {
            force -= f->t[j][i] * out[f->order[j]];
        }
        out[f->order[i]] = force / f->t[i][i];
    }
}

// c = L L^T with the largest pivots first, L in the lower triangle of the first columns; rows and
// columns stand in the order found. Stops where pivots are at most LEAST_PIVOT.
// @return columns of L
static int factor_with_pivots(double* c, int n, int* order) {
    for (int i = 0; i < n; ++i) {
        order[i] = i;
    }
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k + 1; i < n; ++i) {
            best = c[i * (n + 1)] > c[best * (n + 1)] ? i : best;
        }
        if (!(c[best * (n + 1)] > LEAST_PIVOT)) {
            return k;
        }
        if (best != k) {
            swap_rows(c + best * n, c + k * n, n);
            for (int i = 0; i < n; ++i) {
                swap_rows(&c[i * n + best], &c[i * n + k], i >= k);
            }
            int row = order[best];
            order[best] = order[k];
            order[k] = row;
        }
        double root = sqrt(c[k * (n + 1)]);
        c[k * (n + 1)] = root;
        for (int i = k + 1; i < n; ++i) {
            c[i * n + k] /= root;
        }
        for (int i = k + 1; i < n; ++i) {
            for (int j = k + 1; j < n; ++j) {
                c[i * n + j] -= c[i * n + k] * c[j * n + k];
            }
        }
    }
    return n;
}

// x = C^+ b for C = L L^T, L [n * rank]: L (L^T L)^-2 L^T b. scratch: [rank * rank + rank]
static void solve_repeated(const double* l, int n, int rank, double* b, double* scratch) {
    double *s = scratch, *z = scratch + (size_t)rank * (size_t)rank;
    for (int i = 0; i < rank; ++i) {
        z[i] = 0.0;
        for (int k = i; k < n; ++k) {
            z[i] += l[k * n + i] * b[k];
        }
        for (int j = i; j < rank; ++j) {
            double sum = 0.0;
            for (int k = j; k < n; ++k) {
                sum += l[k * n + i] * l[k * n + j];
            }
            s[i * rank + j] = sum;
        }
    }
    bool is_regular = iso_cholesky_factor(s, rank, rank); // its pivots were tested
    for (int i = 0; i < 2 && is_regular; ++i) {
        iso_cholesky_solve(s, rank, rank, z);
    }
    for (int k = 0; k < n; ++k) {
        b[k] = 0.0;
        for (int i = 0; i <= k && i < rank; ++i) {
            b[k] += l[k * n + i] * z[i];
        }
    }
}

static void solve_regular(const double* l, int n, double* b) {
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < i; ++k) {
            b[i] -= l[i * n + k] * b[k];
        }
        b[i] /= l[i * (n + 1)];
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int k = i + 1; k < n; ++k) {
            b[i] -= l[k * n + i] * b[k];
        }
        b[i] /= l[i * (n + 1)];
    }
}

// Whether every row has a good part of its own beside those before; c becomes its factor then.
static bool has_no_repetition(double* c, int n) {
    bool has_none = iso_cholesky_factor(c, n, n);
    for (int i = 0; i < n && has_none; ++i) {
        has_none = c[i * (n + 1)] * c[i * (n + 1)] > GOOD_PIVOT;
    }
    return has_none;
}

// The least x that comes nearest to C x = b, C = q q^T of m unit rows, in place.
static iso_status solve_rows(const double* q, int m, int n, iso_arena* work, double* b) {
    int* order = iso_arena_push_array(work, m, sizeof *order);
    double* c = iso_arena_push_array(work, 2 * m + 2, (size_t)m * sizeof *c);
    ISO_REQUIRE(work->ctx, order && c, ISO_ERR_MEMORY, "%d rows of constraints", m);
    double *scratch = c + (size_t)m * (size_t)m, *sorted = scratch + (size_t)m * (size_t)(m + 1);
    memset(c, 0, (size_t)m * (size_t)m * sizeof *c);
    iso_dense_add_abt(c, m, 1.0, q, n, q, n, m, n, m);
    memcpy(scratch, c, (size_t)m * (size_t)m * sizeof *c);
    if (has_no_repetition(scratch, m)) {
        iso_cholesky_solve(scratch, m, m, b);
        return ISO_OK;
    }
    int rank = factor_with_pivots(c, m, order);
    for (int i = 0; i < m; ++i) {
        sorted[i] = b[order[i]];
    }
    if (rank < m) {
        solve_repeated(c, m, rank, sorted, scratch);
    } else {
        solve_regular(c, m, sorted);
    }
    for (int i = 0; i < m; ++i) {
        b[order[i]] = sorted[i];
    }
    return ISO_OK;
}

iso_status iso_closure_solve(const iso_closure_rows* rows, const iso_multibody* multibody,
                             const double* factor, iso_arena* work, double* rhs, double* x,
                             int* out_block) {
    int m = rows->count, n = multibody->v_count, count = 0;
    iso_status status = ISO_OK;
    iso_arena_mark mark = iso_arena_get_mark(work);
    double* y = iso_arena_push_array(work, m, (size_t)n * sizeof *y);
    double* along = iso_arena_push_array(work, m, sizeof *along);
    double* sum = iso_arena_push_array(work, n, sizeof *sum);
    frame* frames = iso_arena_push_array(work, rows->block_count, sizeof *frames);
    *out_block = -1;
    ISO_CHECK(work->ctx, y && along && sum && frames, ISO_ERR_MEMORY, "%d rows of constraints", m);
    forward_rows(rows, multibody, factor, y);
    for (int k = 0; k < rows->block_count; ++k) {
        const iso_closure_block* block = &rows->blocks[k];
        double* own = y + (size_t)block->first * (size_t)n;
        *out_block = k;
        ISO_CHECK(work->ctx, make_orthonormal(&frames[k], block, own, rhs + block->first, n),
                  ISO_ERR_NUMERIC, "forces of a constraint overflow in this state");
        memmove(y + (size_t)count * (size_t)n, own,
                (size_t)frames[k].count * (size_t)n * sizeof *y);
        for (int i = 0; i < frames[k].count; ++i) {
            along[count++] = -rhs[block->first + i];
        }
    }
    *out_block = -1;
    ISO_TRY(solve_rows(y, count, n, work, along));
    memset(sum, 0, (size_t)n * sizeof *sum);
    iso_dense_add_atx(sum, 1.0, y, n, along, count, n);
    for (int t = 0; t < multibody->tree_count; ++t) {
        int first = multibody->tree_v_index[t];
        int dofs = multibody->tree_v_index[t + 1] - first;
        iso_cholesky_backward(factor + multibody->tree_m_index[t], dofs, dofs, sum + first);
    }
    iso_dense_add_scaled(x, sum, 1.0, n);
    count = 0;
    for (int k = 0; k < rows->block_count; ++k) {
        spread_forces(&frames[k], &rows->blocks[k], along + count, rhs + rows->blocks[k].first);
        count += frames[k].count;
    }
done:
    iso_arena_release(work, mark);
    return status;
}
