// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/elastic/sparse.h"

#include <amd.h>
#include <ldl.h>
#include <limits.h>
#include <string.h>

void iso_sparse_free(iso_sparse* s) {
    ISO_ARRAY_FREE(s->ctx, &s->vertices);
    ISO_ARRAY_FREE(s->ctx, &s->values);
    ISO_ARRAY_FREE(s->ctx, &s->sizes);
    ISO_ARRAY_FREE(s->ctx, &s->starts);
    ISO_ARRAY_FREE(s->ctx, &s->rows);
    ISO_ARRAY_FREE(s->ctx, &s->old_starts);
    ISO_ARRAY_FREE(s->ctx, &s->old_rows);
    ISO_ARRAY_FREE(s->ctx, &s->slots);
    ISO_ARRAY_FREE(s->ctx, &s->by_column);
    ISO_ARRAY_FREE(s->ctx, &s->sums);
    ISO_ARRAY_FREE(s->ctx, &s->order);
    ISO_ARRAY_FREE(s->ctx, &s->place);
    ISO_ARRAY_FREE(s->ctx, &s->ap);
    ISO_ARRAY_FREE(s->ctx, &s->ai);
    ISO_ARRAY_FREE(s->ctx, &s->lp);
    ISO_ARRAY_FREE(s->ctx, &s->li);
    ISO_ARRAY_FREE(s->ctx, &s->parents);
    ISO_ARRAY_FREE(s->ctx, &s->counts);
    ISO_ARRAY_FREE(s->ctx, &s->flags);
    ISO_ARRAY_FREE(s->ctx, &s->ax);
    ISO_ARRAY_FREE(s->ctx, &s->lx);
    ISO_ARRAY_FREE(s->ctx, &s->dx);
    ISO_ARRAY_FREE(s->ctx, &s->work);
}

void iso_sparse_begin(iso_sparse* s, int dimension, int vertex_count) {
    s->dimension = dimension;
    s->vertex_count = vertex_count;
    s->vertices.count = s->values.count = s->sizes.count = 0;
}

double* iso_sparse_add(iso_sparse* s, const int* vertices, int n) {
    int size = n * s->dimension * n * s->dimension;
    int wanted = s->values.count + size;
    if (wanted > s->values.capacity) {
        wanted = wanted < INT_MAX / 2 ? 2 * wanted : INT_MAX;
    }
    if (s->values.count > INT_MAX - size ||
        ISO_ARRAY_RESERVE(s->ctx, &s->values, wanted) != ISO_OK ||
        ISO_ARRAY_RESERVE(s->ctx, &s->vertices, 2 * (s->vertices.count + n)) != ISO_OK ||
        ISO_ARRAY_GROW(s->ctx, &s->sizes) != ISO_OK) {
        return NULL;
    }
    double* block = s->values.data + s->values.count;
    memcpy(s->vertices.data + s->vertices.count, vertices, (size_t)n * sizeof *vertices);
    s->vertices.count += n;
    s->values.count += size;
    s->sizes.data[s->sizes.count++] = n;
    return block;
}

// Which part of which block lies at a row of a column of vertices.
typedef struct part {
    int row, at, size; // row vertex, first value, columns of the block
} part;

// Columns as lists: starts counts the parts, by_column holds [row, first value, columns] of each.
static iso_status sort_parts(iso_sparse* s) {
    int n = s->vertex_count, d = s->dimension, total = 0;
    iso_status status = ISO_ARRAY_RESERVE(s->ctx, &s->starts, n + 1);
    if (status != ISO_OK) {
        return status;
    }
    memset(s->starts.data, 0, (size_t)(n + 1) * sizeof(int));
    const int* v = s->vertices.data;
    for (int pass = 0; pass < 2; ++pass) {
        int at = 0;
        v = s->vertices.data;
        for (int b = 0; b < s->sizes.count; ++b) {
            int k = s->sizes.data[b], size = k * d;
            for (int i = 0; i < k * k; ++i) {
                int row = v[i / k], column = v[i % k];
                if (row > column) {
                    continue;
                }
                if (pass == 0) {
                    ++s->starts.data[column];
                    continue;
                }
                part* p = (part*)(void*)s->by_column.data + s->starts.data[column]++;
                *p = (part){row, at + (i / k * size + i % k) * d, size};
            }
            v += k;
            at += size * size;
        }
        for (int i = 0; pass == 0 && i < n; ++i) {
            int count = s->starts.data[i];
            s->starts.data[i] = total;
            total += count;
        }
        if (pass == 0 && (status = ISO_ARRAY_RESERVE(s->ctx, &s->by_column, 3 * total)) != ISO_OK) {
            return status;
        }
    }
    return ISO_OK; // starts[i] is now the end of column i
}

// Sum parts of equal place. rows and sums have one entry each; starts become theirs.
static iso_status sum_parts(iso_sparse* s) {
    int n = s->vertex_count, d = s->dimension, count = 0, begin = 0;
    int total = n > 0 ? s->starts.data[n - 1] : 0;
    iso_status status = ISO_OK;
    ISO_TRY(ISO_ARRAY_RESERVE(s->ctx, &s->rows, total));
    ISO_TRY(ISO_ARRAY_RESERVE(s->ctx, &s->sums, total * d * d));
    ISO_TRY(ISO_ARRAY_RESERVE(s->ctx, &s->slots, n));
    for (int i = 0; i < n; ++i) {
        s->slots.data[i] = -1;
    }
    for (int column = 0; column < n; ++column) {
        int end = s->starts.data[column], first = count;
        for (int i = begin; i < end; ++i) {
            part p = ((const part*)(const void*)s->by_column.data)[i];
            int slot = s->slots.data[p.row];
            if (slot < first) {
                slot = s->slots.data[p.row] = count++;
                s->rows.data[slot] = p.row;
                memset(s->sums.data + slot * d * d, 0, (size_t)(d * d) * sizeof(double));
            }
            for (int k = 0; k < d * d; ++k) {
                s->sums.data[slot * d * d + k] += s->values.data[p.at + k / d * p.size + k % d];
            }
        }
        begin = end;
        s->starts.data[column] = first;
    }
    s->starts.data[n] = count;
    s->rows.count = count;

done:
    return status;
}

static bool is_known(const iso_sparse* s) {
    int n = s->vertex_count;
    return s->old_starts.count == n + 1 && s->old_rows.count == s->rows.count &&
           memcmp(s->old_starts.data, s->starts.data, (size_t)(n + 1) * sizeof(int)) == 0 &&
           memcmp(s->old_rows.data, s->rows.data, (size_t)s->rows.count * sizeof(int)) == 0;
}

static iso_status reserve_permuted(iso_sparse* s) {
    int size = s->vertex_count * s->dimension;
    int entries = s->rows.count * s->dimension * s->dimension;
    iso_status status = ISO_OK;
    ISO_TRY(ISO_ARRAY_RESERVE(s->ctx, &s->ap, size + 1));
    ISO_TRY(ISO_ARRAY_RESERVE(s->ctx, &s->ai, entries));
    ISO_TRY(ISO_ARRAY_RESERVE(s->ctx, &s->ax, entries));
    ISO_TRY(ISO_ARRAY_RESERVE(s->ctx, &s->lp, size + 1));
    ISO_TRY(ISO_ARRAY_RESERVE(s->ctx, &s->parents, size));
    ISO_TRY(ISO_ARRAY_RESERVE(s->ctx, &s->counts, size));
    ISO_TRY(ISO_ARRAY_RESERVE(s->ctx, &s->flags, 2 * size));
    ISO_TRY(ISO_ARRAY_RESERVE(s->ctx, &s->dx, size));
    ISO_TRY(ISO_ARRAY_RESERVE(s->ctx, &s->work, 2 * size));
    ISO_TRY(ISO_ARRAY_RESERVE(s->ctx, &s->order, s->vertex_count));
    ISO_TRY(ISO_ARRAY_RESERVE(s->ctx, &s->place, s->vertex_count));
    ISO_TRY(ISO_ARRAY_RESERVE(s->ctx, &s->old_starts, s->vertex_count + 1));
    ISO_TRY(ISO_ARRAY_RESERVE(s->ctx, &s->old_rows, s->rows.count));

done:
    return status;
}

// Upper triangle of the permuted system, by columns; fixed numbers stand alone.
static void permute(iso_sparse* s, const bool* fixed) {
    int n = s->vertex_count, d = s->dimension;
    int* ap = s->ap.data;
    memset(ap, 0, (size_t)(n * d + 1) * sizeof(int));
    for (int pass = 0; pass < 2; ++pass) {
        for (int column = 0; column < n; ++column) {
            for (int at = s->starts.data[column]; at < s->starts.data[column + 1]; ++at) {
                int row = s->rows.data[at];
                bool is_turned = s->place.data[row] > s->place.data[column];
                int pr = s->place.data[is_turned ? column : row] * d;
                int pc = s->place.data[is_turned ? row : column] * d;
                for (int k = 0; k < d * d; ++k) {
                    int i = pr + (is_turned ? k % d : k / d), j = pc + (is_turned ? k / d : k % d);
                    if (i > j) {
                        continue;
                    }
                    if (pass == 0) {
                        ++ap[j + 1];
                        continue;
                    }
                    bool is_fixed = fixed && (fixed[row * d + k / d] || fixed[column * d + k % d]);
                    s->ai.data[ap[j]] = i;
                    s->ax.data[ap[j]++] =
                        is_fixed ? (i == j ? 1.0 : 0.0) : s->sums.data[at * d * d + k];
                }
            }
        }
        for (int j = 0; pass == 0 && j < n * d; ++j) {
            ap[j + 1] += ap[j];
        }
    }
    memmove(ap + 1, ap, (size_t)(n * d) * sizeof(int)); // each start was moved to its end
    ap[0] = 0;
}

static iso_status analyze(iso_sparse* s) {
    int n = s->vertex_count;
    int code = amd_order(n, s->starts.data, s->rows.data, s->order.data, NULL, NULL);
    ISO_REQUIRE(s->ctx, code == AMD_OK || code == AMD_OK_BUT_JUMBLED, ISO_ERR_MEMORY,
                "ordering of %d vertices", n);
    for (int i = 0; i < n; ++i) {
        s->place.data[s->order.data[i]] = i;
    }
    memcpy(s->old_starts.data, s->starts.data, (size_t)(n + 1) * sizeof(int));
    memcpy(s->old_rows.data, s->rows.data, (size_t)s->rows.count * sizeof(int));
    s->old_starts.count = n + 1;
    s->old_rows.count = s->rows.count;
    ++s->analysis_count;
    return ISO_OK;
}

iso_status iso_sparse_factor(iso_sparse* s, const bool* fixed) {
    int size = s->vertex_count * s->dimension;
    iso_status status = ISO_OK;
    ISO_TRY(sort_parts(s));
    ISO_TRY(sum_parts(s));
    ISO_TRY(reserve_permuted(s));
    bool is_new = !is_known(s);
    if (is_new) {
        ISO_TRY(analyze(s));
    }
    permute(s, fixed);
    if (is_new) {
        ldl_symbolic(size, s->ap.data, s->ai.data, s->lp.data, s->parents.data, s->counts.data,
                     s->flags.data, NULL, NULL);
        int entries = s->lp.data[size];
        status = entries < 0 ? ISO_ERR_MEMORY : ISO_ARRAY_RESERVE(s->ctx, &s->li, entries);
        status = status == ISO_OK ? ISO_ARRAY_RESERVE(s->ctx, &s->lx, entries) : status;
        if (status != ISO_OK) {
            s->old_starts.count = 0;
            return iso_fail(s->ctx, status, __func__, "factor of %d numbers", size);
        }
    }
    int good = ldl_numeric(size, s->ap.data, s->ai.data, s->ax.data, s->lp.data, s->parents.data,
                           s->counts.data, s->li.data, s->lx.data, s->dx.data, s->work.data,
                           s->flags.data, s->flags.data + size, NULL, NULL);
    bool is_positive = good == size;
    for (int i = 0; is_positive && i < size; ++i) {
        is_positive = s->dx.data[i] > 0.0;
    }
    status = is_positive ? ISO_OK : ISO_ERR_NO_CONVERGENCE; // told by whoever asked

done:
    return status;
}

void iso_sparse_solve(iso_sparse* s, double* x) {
    int d = s->dimension, size = s->vertex_count * d;
    double* y = s->work.data;
    for (int i = 0; i < size; ++i) {
        y[i] = x[s->order.data[i / d] * d + i % d];
    }
    ldl_lsolve(size, y, s->lp.data, s->li.data, s->lx.data);
    ldl_dsolve(size, y, s->dx.data);
    ldl_ltsolve(size, y, s->lp.data, s->li.data, s->lx.data);
    for (int i = 0; i < size; ++i) {
        x[s->order.data[i / d] * d + i % d] = y[i];
    }
}

void iso_sparse_multiply(const iso_sparse* s, const double* x, double* out) {
    int d = s->dimension, size = s->vertex_count * d;
    memset(out, 0, (size_t)size * sizeof *out);
    for (int j = 0; j < size; ++j) {
        for (int at = s->ap.data[j]; at < s->ap.data[j + 1]; ++at) {
            int i = s->ai.data[at];
            int r = s->order.data[i / d] * d + i % d, c = s->order.data[j / d] * d + j % d;
            out[r] += s->ax.data[at] * x[c];
            if (r != c) {
                out[c] += s->ax.data[at] * x[r];
            }
        }
    }
}
