// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/elastic/sparse.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/// Rows of a cluster, at most, and vertices by which the fill of two neighbours may differ.
enum { CLUSTER_ROWS = 24, MOST_FILL = 0 };

void iso_sparse_free(iso_sparse* s) {
    ISO_ARRAY_FREE(s->ctx, &s->vertices);
    ISO_ARRAY_FREE(s->ctx, &s->values);
    ISO_ARRAY_FREE(s->ctx, &s->sizes);
    ISO_ARRAY_FREE(s->ctx, &s->cluster_of);
    ISO_ARRAY_FREE(s->ctx, &s->rows);
    ISO_ARRAY_FREE(s->ctx, &s->heights);
    ISO_ARRAY_FREE(s->ctx, &s->fixed);
    ISO_ARRAY_FREE(s->ctx, &s->met);
    ISO_ARRAY_FREE(s->ctx, &s->pairs);
    ISO_ARRAY_FREE(s->ctx, &s->x);
    iso_block_cholesky_destroy(&s->matrix);
}

void iso_sparse_begin(iso_sparse* s, int dimension, int vertex_count) {
    s->matrix.ctx = s->ctx;
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

// --- clusters ------------------------------------------------------------------------------------

// Which clusters meet in a block. Few, so that a walk through the list is short.
static iso_status add_pairs(iso_sparse* s, const int* vertices, int n) {
    int count = 0;
    iso_status status = ISO_ARRAY_RESERVE(s->ctx, &s->met, n);
    for (int i = 0; status == ISO_OK && i < n; ++i) {
        int cluster = s->cluster_of.data[vertices[i]], k = 0;
        while (k < count && s->met.data[k] != cluster) {
            ++k;
        }
        if (k < count) {
            continue;
        }
        for (k = 0; status == ISO_OK && k < count; ++k) {
            status = ISO_ARRAY_GROW(s->ctx, &s->pairs);
            if (status == ISO_OK) {
                s->pairs.data[s->pairs.count++] = (iso_block_pair){s->met.data[k], cluster};
            }
        }
        s->met.data[count++] = cluster;
    }
    return status;
}

// Ordering and fill of the clusters as they are, of so many blocks.
static iso_status analyze(iso_sparse* s, int count, iso_block_cholesky* matrix) {
    const int* v = s->vertices.data;
    iso_status status = ISO_OK;
    s->pairs.count = 0;
    for (int b = 0; b < count && status == ISO_OK; ++b) {
        status = add_pairs(s, v, s->sizes.data[b]);
        v += s->sizes.data[b];
    }
    return status != ISO_OK ? status
                            : iso_block_cholesky_analyze(matrix, s->heights.data, s->heights.count,
                                                         s->pairs.data, s->pairs.count);
}

// Vertices eliminated one after the other with the same fill, or nearly, are a cluster.
static void join(iso_sparse* s, const iso_block_cholesky* single) {
    int d = s->dimension;
    const int *index = single->column_index.data, *columns = single->columns.data;
    s->heights.count = 0;
    for (int k = 0; k < s->vertex_count; ++k) {
        int v = single->ordering.order.data[k], last = s->heights.count - 1;
        bool is_joined = k > 0 && index[k] > index[k - 1] && columns[index[k - 1]] == k;
        if (is_joined) {
            int more = index[k + 1] - index[k] + 1 - (index[k] - index[k - 1]);
            is_joined = more <= MOST_FILL && s->heights.data[last] + d <= CLUSTER_ROWS;
        }
        if (!is_joined) {
            last = s->heights.count++;
            s->heights.data[last] = 0;
        }
        s->cluster_of.data[v] = last;
        s->rows.data[v] = s->heights.data[last];
        s->heights.data[last] += d;
    }
}

static iso_status make_clusters(iso_sparse* s) {
    int n = s->vertex_count, d = s->dimension;
    iso_block_cholesky single = {.ctx = s->ctx};
    iso_status status = ISO_OK;
    s->clustered_count = 0;
    ISO_TRY(ISO_ARRAY_RESERVE(s->ctx, &s->cluster_of, n));
    ISO_TRY(ISO_ARRAY_RESERVE(s->ctx, &s->rows, n));
    ISO_TRY(ISO_ARRAY_RESERVE(s->ctx, &s->heights, n));
    ISO_TRY(ISO_ARRAY_RESERVE(s->ctx, &s->fixed, n * d));
    ISO_TRY(ISO_ARRAY_RESERVE(s->ctx, &s->x, n * d));
    s->heights.count = n;
    for (int v = 0; v < n; ++v) {
        s->cluster_of.data[v] = v;
        s->heights.data[v] = d;
    }
    int base = s->base_count > 0 && s->base_count < s->sizes.count ? s->base_count : s->sizes.count;
    ISO_TRY(analyze(s, base, &single));
    join(s, &single);
    s->clustered_count = n;
    s->clustered_dimension = d;

done:
    iso_block_cholesky_destroy(&single);
    return status;
}

// --- the sum -------------------------------------------------------------------------------------

// Adds the part of a block between two of its vertices; of different clusters one of both.
static void add_part(iso_sparse* s, int row, int column, const double* part, int stride) {
    int d = s->dimension, a = s->cluster_of.data[row], b = s->cluster_of.data[column];
    if (a > b) {
        return;
    }
    iso_block_view view = iso_block_cholesky_block(&s->matrix, a, b);
    const bool *fixed_row = s->fixed.data + row * d, *fixed_column = s->fixed.data + column * d;
    for (int i = 0; i < d; ++i) {
        for (int k = 0; k < d; ++k) {
            int r = s->rows.data[row] + i, c = s->rows.data[column] + k;
            double* to =
                view.values + (view.is_transposed ? c * view.stride + r : r * view.stride + c);
            *to += fixed_row[i] || fixed_column[k] ? 0.0 : s->scale * part[i * stride + k];
        }
    }
}

// The power of two that brings the largest value to 1 to 2: roots of pivots then do not depend on
// the unit of the matrix.
static double scale_of(const iso_sparse* s) {
    double most = 0.0;
    for (int i = 0; i < s->values.count; ++i) {
        most = fmax(most, fabs(s->values.data[i]));
    }
    int exponent = most > 0.0 && isfinite(most) ? ilogb(most) : 0;
    return ldexp(1.0, exponent > -1000 ? -exponent : 1000);
}

static iso_status sum_up(iso_sparse* s) {
    int d = s->dimension;
    const int* v = s->vertices.data;
    const double* values = s->values.data;
    iso_status status = analyze(s, s->sizes.count, &s->matrix);
    if (status != ISO_OK) {
        return status;
    }
    iso_block_cholesky_clear(&s->matrix);
    s->scale = scale_of(s);
    for (int b = 0; b < s->sizes.count; ++b) {
        int n = s->sizes.data[b], size = n * d;
        for (int i = 0; i < n * n; ++i) {
            add_part(s, v[i / n], v[i % n], values + (i / n * size + i % n) * d, size);
        }
        v += n;
        values += size * size;
    }
    for (int i = 0; i < s->vertex_count * d; ++i) {
        int cluster = s->cluster_of.data[i / d], row = s->rows.data[i / d] + i % d;
        if (s->fixed.data[i]) {
            iso_block_view view = iso_block_cholesky_block(&s->matrix, cluster, cluster);
            view.values[row * view.stride + row] = 1.0;
        }
    }
    return ISO_OK;
}

iso_status iso_sparse_factor(iso_sparse* s, const bool* fixed) {
    iso_status status = ISO_OK;
    if (s->clustered_count != s->vertex_count || s->clustered_dimension != s->dimension) {
        status = make_clusters(s);
    }
    for (int i = 0; status == ISO_OK && i < s->vertex_count * s->dimension; ++i) {
        s->fixed.data[i] = fixed != NULL && fixed[i];
    }
    status = status == ISO_OK ? sum_up(s) : status;
    if (status == ISO_OK && !iso_block_cholesky_factor_shared(&s->matrix, s->pool, NULL)) {
        status = ISO_ERR_NO_CONVERGENCE; // told by whoever asked
    }
    return status;
}

void iso_sparse_solve(iso_sparse* s, double* x) {
    int d = s->dimension;
    for (int way = 0; way < 2; ++way) {
        for (int i = 0; i < s->vertex_count * d; ++i) {
            int first = s->matrix.first_rows.data[s->cluster_of.data[i / d]];
            double* inner = s->x.data + first + s->rows.data[i / d] + i % d;
            *(way ? &x[i] : inner) = way ? *inner : s->scale * x[i];
        }
        if (way == 0) {
            iso_block_cholesky_solve(&s->matrix, s->x.data);
        }
    }
}

void iso_sparse_multiply(const iso_sparse* s, const double* x, double* out) {
    int d = s->dimension;
    const int* v = s->vertices.data;
    const double* values = s->values.data;
    memset(out, 0, (size_t)(s->vertex_count * d) * sizeof *out);
    for (int b = 0; b < s->sizes.count; ++b) {
        int n = s->sizes.data[b], size = n * d;
        for (int i = 0; i < size * size; ++i) {
            int r = v[i / size / d] * d + i / size % d, c = v[i % size / d] * d + i % size % d;
            out[r] += s->fixed.data[r] || s->fixed.data[c] ? 0.0 : values[i] * x[c];
        }
        v += n;
        values += size * size;
    }
    for (int i = 0; i < s->vertex_count * d; ++i) {
        out[i] = s->fixed.data[i] ? x[i] : out[i];
    }
}
