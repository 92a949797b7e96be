// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Right-looking: a finished block row k updates the rows i of its own columns by
// H_ij -= U_ki^T U_kj. The columns of row k right of i are among those of row i, so both lists are
// walked together and neighbouring blocks are updated by one dense product.

#include "solver/block_cholesky.h"

#include "base/core/ample.h"
#include "solver/tile_cholesky.h"

#include <string.h>

void iso_block_cholesky_destroy(iso_block_cholesky* matrix) {
    iso_context* ctx = matrix->ctx;
    ISO_ARRAY_FREE(ctx, &matrix->sizes);
    ISO_ARRAY_FREE(ctx, &matrix->first_rows);
    ISO_ARRAY_FREE(ctx, &matrix->pairs);
    iso_min_degree_destroy(ctx, &matrix->ordering);
    ISO_ARRAY_FREE(ctx, &matrix->place);
    ISO_ARRAY_FREE(ctx, &matrix->x_index);
    ISO_ARRAY_FREE(ctx, &matrix->column_index);
    ISO_ARRAY_FREE(ctx, &matrix->columns);
    ISO_ARRAY_FREE(ctx, &matrix->offsets);
    ISO_ARRAY_FREE(ctx, &matrix->strides);
    ISO_ARRAY_FREE(ctx, &matrix->panels);
    ISO_ARRAY_FREE(ctx, &matrix->values);
    ISO_ARRAY_FREE(ctx, &matrix->x);
    ISO_ARRAY_FREE(ctx, &matrix->gathered);
    ISO_ARRAY_FREE(ctx, &matrix->scratch);
    ISO_ARRAY_FREE(ctx, &matrix->new_pairs);
    ISO_ARRAY_FREE(ctx, &matrix->sort_scratch);
    *matrix = (iso_block_cholesky){.ctx = ctx};
}

// Stable counting sort by one member.
static void sort_pairs_by(const iso_block_pair* from, iso_block_pair* to, int pair_count, bool by_a,
                          int* starts, int block_count) {
    for (int i = 0; i <= block_count; ++i) {
        starts[i] = 0;
    }
    for (int p = 0; p < pair_count; ++p) {
        ++starts[(by_a ? from[p].a : from[p].b) + 1];
    }
    for (int i = 0; i < block_count; ++i) {
        starts[i + 1] += starts[i];
    }
    for (int p = 0; p < pair_count; ++p) {
        to[starts[by_a ? from[p].a : from[p].b]++] = from[p];
    }
}

// The given pairs in new_pairs: a < b, sorted, without repetitions.
static iso_status normalize_pairs(iso_block_cholesky* m, int block_count,
                                  const iso_block_pair* pairs, int pair_count) {
    iso_status status = ISO_OK;
    ISO_TRY(ISO_ARRAY_RESERVE_AMPLY(m->ctx, &m->new_pairs, pair_count, block_count));
    ISO_TRY(ISO_ARRAY_RESERVE_AMPLY(m->ctx, &m->sort_scratch, pair_count, block_count));
    ISO_TRY(ISO_ARRAY_RESERVE_AMPLY(m->ctx, &m->scratch, block_count + 1, 0));
    iso_block_pair* sorted = m->new_pairs.data;
    for (int p = 0; p < pair_count; ++p) {
        bool is_ordered = pairs[p].a < pairs[p].b;
        sorted[p].a = is_ordered ? pairs[p].a : pairs[p].b;
        sorted[p].b = is_ordered ? pairs[p].b : pairs[p].a;
    }
    sort_pairs_by(sorted, m->sort_scratch.data, pair_count, false, m->scratch.data, block_count);
    sort_pairs_by(m->sort_scratch.data, sorted, pair_count, true, m->scratch.data, block_count);
    int count = 0;
    for (int p = 0; p < pair_count; ++p) {
        bool is_new =
            count == 0 || sorted[count - 1].a != sorted[p].a || sorted[count - 1].b != sorted[p].b;
        if (is_new) {
            sorted[count++] = sorted[p];
        }
    }
    m->new_pairs.count = count;
done:
    return status;
}

static bool is_pattern_the_same(const iso_block_cholesky* m, const int* sizes, int block_count) {
    if (m->block_count != block_count || m->pairs.count != m->new_pairs.count) {
        return false;
    }
    for (int i = 0; i < block_count; ++i) {
        if (m->sizes.data[i] != sizes[i]) {
            return false;
        }
    }
    for (int p = 0; p < m->pairs.count; ++p) {
        iso_block_pair x = m->pairs.data[p], y = m->new_pairs.data[p];
        if (x.a != y.a || x.b != y.b) {
            return false;
        }
    }
    return true;
}

static iso_status take_pattern(iso_block_cholesky* m, const int* sizes, int block_count) {
    iso_context* ctx = m->ctx;
    iso_status status = ISO_OK;
    m->block_count = 0;
    ISO_TRY(ISO_ARRAY_RESERVE_AMPLY(ctx, &m->sizes, block_count, 0));
    ISO_TRY(ISO_ARRAY_RESERVE_AMPLY(ctx, &m->first_rows, block_count, 0));
    ISO_TRY(ISO_ARRAY_RESERVE_AMPLY(ctx, &m->pairs, m->new_pairs.count, block_count));
    m->row_count = 0;
    for (int i = 0; i < block_count; ++i) {
        m->sizes.data[i] = sizes[i];
        m->first_rows.data[i] = m->row_count;
        m->row_count += sizes[i];
    }
    m->pairs.count = m->new_pairs.count;
    for (int p = 0; p < m->pairs.count; ++p) {
        m->pairs.data[p] = m->new_pairs.data[p];
    }
done:
    return status;
}

// Columns of every panel, ascending: count them per column, hand the rows out to the columns in
// ascending order, and the columns back to the rows.
static iso_status sort_columns(iso_block_cholesky* m, int n) {
    const iso_min_degree* ordering = &m->ordering;
    int total = ordering->elements.count;
    iso_status status = ISO_OK;
    ISO_TRY(ISO_ARRAY_RESERVE_AMPLY(m->ctx, &m->columns, total + 1, n));
    ISO_TRY(ISO_ARRAY_RESERVE_AMPLY(m->ctx, &m->offsets, total + 1, n));
    ISO_TRY(ISO_ARRAY_RESERVE_AMPLY(m->ctx, &m->scratch, 2 * n + 1 + total, 2 * n));
    int* column_starts = m->scratch.data;
    int* row_ends = m->scratch.data + n + 1;
    int* rows = m->scratch.data + 2 * n + 1;
    for (int c = 0; c <= n; ++c) {
        column_starts[c] = 0;
    }
    for (int i = 0; i < total; ++i) {
        ++column_starts[m->place.data[ordering->elements.data[i]] + 1];
    }
    for (int c = 0; c < n; ++c) {
        column_starts[c + 1] += column_starts[c];
    }
    m->column_index.data[0] = 0;
    for (int k = 0; k < n; ++k) {
        int block = ordering->order.data[k];
        int count = ordering->element_count.data[block];
        const int* members = ordering->elements.data + ordering->element_index.data[block];
        for (int i = 0; i < count; ++i) {
            rows[column_starts[m->place.data[members[i]]]++] = k;
        }
        row_ends[k] = m->column_index.data[k];
        m->column_index.data[k + 1] = m->column_index.data[k] + count;
    }
    for (int c = 0, i = 0; c < n; ++c) {
        for (; i < column_starts[c]; ++i) {
            m->columns.data[row_ends[rows[i]]++] = c;
        }
    }
done:
    return status;
}

static iso_status lay_out(iso_block_cholesky* m, int n) {
    iso_context* ctx = m->ctx;
    iso_status status = ISO_OK;
    ISO_TRY(ISO_ARRAY_RESERVE_AMPLY(ctx, &m->place, n, 0));
    ISO_TRY(ISO_ARRAY_RESERVE_AMPLY(ctx, &m->x_index, n + 1, 0));
    ISO_TRY(ISO_ARRAY_RESERVE_AMPLY(ctx, &m->column_index, n + 1, 0));
    ISO_TRY(ISO_ARRAY_RESERVE_AMPLY(ctx, &m->strides, n, 0));
    ISO_TRY(ISO_ARRAY_RESERVE_AMPLY(ctx, &m->panels, n + 1, 0));
    ISO_TRY(ISO_ARRAY_RESERVE_AMPLY(ctx, &m->x, m->row_count, 0));
    ISO_TRY(ISO_ARRAY_RESERVE_AMPLY(ctx, &m->gathered, m->row_count, 0));
    const int* order = m->ordering.order.data;
    m->x_index.data[0] = 0;
    for (int k = 0; k < n; ++k) {
        m->place.data[order[k]] = k;
        m->x_index.data[k + 1] = m->x_index.data[k] + m->sizes.data[order[k]];
    }
    ISO_TRY(sort_columns(m, n));
    size_t total = 0;
    for (int k = 0; k < n; ++k) {
        int width = m->sizes.data[order[k]];
        for (int i = m->column_index.data[k]; i < m->column_index.data[k + 1]; ++i) {
            m->offsets.data[i] = width;
            width += m->sizes.data[order[m->columns.data[i]]];
        }
        m->strides.data[k] = width;
        m->panels.data[k] = total;
        total += (size_t)width * (size_t)m->sizes.data[order[k]];
    }
    m->panels.data[n] = total;
    ISO_CHECK(ctx, total <= INT32_MAX, ISO_ERR_MEMORY,
              "factor of %zu entries (%d blocks, %d rows) is too large", total, n, m->row_count);
    ISO_TRY(ISO_ARRAY_RESERVE_AMPLY(ctx, &m->values, (int)total, 0));
done:
    return status;
}

iso_status iso_block_cholesky_analyze(iso_block_cholesky* m, const int* sizes, int block_count,
                                      const iso_block_pair* pairs, int pair_count) {
    iso_status status = normalize_pairs(m, block_count, pairs, pair_count);
    if (status != ISO_OK || is_pattern_the_same(m, sizes, block_count)) {
        return status;
    }
    ISO_TRY(take_pattern(m, sizes, block_count));
    ISO_TRY(iso_min_degree_run(m->ctx, &m->ordering, sizes, block_count, m->pairs.data,
                               m->pairs.count));
    ISO_TRY(lay_out(m, block_count));
    m->block_count = block_count;
    ++m->analysis_count;
done:
    return status;
}

void iso_block_cholesky_clear(iso_block_cholesky* m) {
    if (m->block_count > 0) {
        memset(m->values.data, 0, m->panels.data[m->block_count] * sizeof *m->values.data);
    }
}

// Index into columns of column `c` of panel `k`; it must be there.
static int find_column(const iso_block_cholesky* m, int k, int c) {
    int low = m->column_index.data[k], high = m->column_index.data[k + 1] - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (m->columns.data[middle] < c) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    ISO_ASSERT(m->ctx, low == high && m->columns.data[low] == c);
    return low;
}

iso_block_view iso_block_cholesky_block(const iso_block_cholesky* m, int a, int b) {
    int place_a = m->place.data[a], place_b = m->place.data[b];
    int k = place_a < place_b ? place_a : place_b;
    int c = place_a < place_b ? place_b : place_a;
    double* panel = m->values.data + m->panels.data[k];
    iso_block_view view = {panel, m->strides.data[k], place_a > place_b};
    if (c != k) {
        view.values = panel + m->offsets.data[find_column(m, k, c)];
    }
    return view;
}

// Last of the run of entries i, i + 1, ... that are neighbours both in row k (they always are) and
// in row `target`, where `at` walks along; returns one past the run.
static int end_of_run(const iso_block_cholesky* m, int i, int end, int* at) {
    const int* columns = m->columns.data;
    int next = i + 1;
    ++*at;
    while (next < end && columns[next] == columns[*at]) {
        ++next;
        ++*at;
    }
    return next;
}

// H_ij -= U_ki^T U_kj for one i and all j >= i in the columns of row k.
static void update_row(iso_block_cholesky* m, int k, int i_entry) {
    const int* columns = m->columns.data;
    int target = columns[i_entry];
    int rows = m->x_index.data[target + 1] - m->x_index.data[target];
    int inner = m->x_index.data[k + 1] - m->x_index.data[k];
    int stride = m->strides.data[k], target_stride = m->strides.data[target];
    const double* source = m->values.data + m->panels.data[k];
    double* panel = m->values.data + m->panels.data[target];
    const double* u_ki = source + m->offsets.data[i_entry];
    int end = m->column_index.data[k + 1];

    // The diagonal block starts the first run: column place `target` itself at offset 0.
    int at = m->column_index.data[target] - 1;
    int i = i_entry;
    while (i < end) {
        int offset = 0;
        if (i > i_entry) {
            while (columns[at] != columns[i]) {
                ++at;
            }
            offset = m->offsets.data[at];
        }
        int next = end_of_run(m, i, end, &at);
        int from = m->offsets.data[i];
        int to = next < end ? m->offsets.data[next] : stride;
        iso_tiles_subtract_atb(panel + offset, target_stride, u_ki, stride, source + from, stride,
                               rows, inner, to - from);
        i = next;
    }
}

/// Products of a block row below which threads are not woken up.
#define LEAST_SHARED 2e5

typedef struct shared_row {
    iso_block_cholesky* matrix;
    int row;
} shared_row;

static void update_item(void* user, int item, int worker) {
    const shared_row* shared = user;
    (void)worker;
    update_row(shared->matrix, shared->row, shared->matrix->column_index.data[shared->row] + item);
}

// Factor block row k and update the rows of its columns, each of which is written by one item only.
static bool eliminate(iso_block_cholesky* m, iso_task_pool* pool, int k) {
    int size = m->x_index.data[k + 1] - m->x_index.data[k];
    int stride = m->strides.data[k];
    double* panel = m->values.data + m->panels.data[k];
    if (size == ISO_TILE_ROWS) {
        double inverse[ISO_TILE_ROWS];
        if (!iso_tile_factor(panel, stride, inverse)) {
            return false;
        }
        iso_tile_forward(panel, stride, inverse, panel + size, stride - size);
    } else if (!iso_cholesky_factor(panel, size, stride)) {
        return false;
    } else if (stride > size) {
        iso_cholesky_forward_block(panel, size, stride, panel + size, stride, stride - size);
    }
    int first = m->column_index.data[k], count = m->column_index.data[k + 1] - first;
    if (pool != NULL && 0.5 * size * stride * stride > LEAST_SHARED) {
        shared_row shared = {m, k};
        iso_task_pool_run(pool, count, update_item, &shared);
        return true;
    }
    for (int i = 0; i < count; ++i) {
        update_row(m, k, first + i);
    }
    return true;
}

bool iso_block_cholesky_factor_shared(iso_block_cholesky* m, iso_task_pool* pool, int* out_block) {
    for (int k = 0; k < m->block_count; ++k) {
        if (!eliminate(m, pool, k)) {
            if (out_block) {
                *out_block = m->ordering.order.data[k];
            }
            return false;
        }
    }
    return true;
}

bool iso_block_cholesky_factor(iso_block_cholesky* m, int* out_block) {
    return iso_block_cholesky_factor_shared(m, NULL, out_block);
}

bool iso_block_cholesky_factor_part(iso_block_cholesky* m, const iso_block_part* part,
                                    int* out_block) {
    for (int i = 0; i < part->count; ++i) {
        if (!eliminate(m, NULL, part->places[i])) {
            *out_block = m->ordering.order.data[part->places[i]];
            return false;
        }
    }
    return true;
}

static void permute(const iso_block_cholesky* m, int k, double* caller_x, bool is_back) {
    int block = m->ordering.order.data[k];
    double* outer = caller_x + m->first_rows.data[block];
    double* inner = m->x.data + m->x_index.data[k];
    size_t bytes = (size_t)m->sizes.data[block] * sizeof *inner;
    memcpy(is_back ? outer : inner, is_back ? inner : outer, bytes);
}

// The parts of x that row k of blocks is coupled with, next to each other; returns their length.
static int gather(const iso_block_cholesky* m, int k, double* gathered) {
    double* to = gathered;
    for (int i = m->column_index.data[k]; i < m->column_index.data[k + 1]; ++i) {
        int c = m->columns.data[i];
        for (int d = m->x_index.data[c]; d < m->x_index.data[c + 1]; ++d) {
            *to++ = m->x.data[d];
        }
    }
    return (int)(to - gathered);
}

static void solve_forward(const iso_block_cholesky* m, int k) {
    int size = m->x_index.data[k + 1] - m->x_index.data[k];
    int stride = m->strides.data[k];
    const double* panel = m->values.data + m->panels.data[k];
    double* x_k = m->x.data + m->x_index.data[k];
    if (size == ISO_TILE_ROWS) {
        iso_tile_solve_forward(panel, stride, x_k);
    } else {
        iso_cholesky_forward(panel, size, stride, x_k);
    }
    for (int i = m->column_index.data[k]; i < m->column_index.data[k + 1]; ++i) {
        int c = m->columns.data[i], first = m->x_index.data[c];
        int cols = m->x_index.data[c + 1] - first;
        const double* u = panel + m->offsets.data[i];
        if (cols == ISO_TILE_ROWS) {
            iso_tile_add_atx(m->x.data + first, -1.0, u, stride, x_k, size);
        } else {
            iso_dense_add_atx(m->x.data + first, -1.0, u, stride, x_k, size, cols);
        }
    }
}

static void solve_backward(const iso_block_cholesky* m, int k, double* gathered) {
    int size = m->x_index.data[k + 1] - m->x_index.data[k];
    int stride = m->strides.data[k];
    const double* panel = m->values.data + m->panels.data[k];
    double* x_k = m->x.data + m->x_index.data[k];
    int width = gather(m, k, gathered);
    if (size == ISO_TILE_ROWS) {
        iso_tile_subtract_ax(x_k, panel + size, stride, gathered, width);
        iso_tile_solve_backward(panel, stride, x_k);
    } else {
        iso_dense_add_ax(x_k, -1.0, panel + size, stride, gathered, size, width);
        iso_cholesky_backward(panel, size, stride, x_k);
    }
}

void iso_block_cholesky_solve(iso_block_cholesky* m, double* x) {
    for (int k = 0; k < m->block_count; ++k) {
        permute(m, k, x, false);
    }
    for (int k = 0; k < m->block_count; ++k) {
        solve_forward(m, k);
    }
    for (int k = m->block_count - 1; k >= 0; --k) {
        solve_backward(m, k, m->gathered.data);
    }
    for (int k = 0; k < m->block_count; ++k) {
        permute(m, k, x, true);
    }
}

void iso_block_cholesky_split(const iso_block_cholesky* m, const int* part_of, int part_count,
                              int* out_places, iso_block_part* out_parts) {
    for (int p = 0; p < part_count; ++p) {
        out_parts[p] = (iso_block_part){NULL, 0, NULL};
    }
    for (int b = 0; b < m->block_count; ++b) {
        ++out_parts[part_of[b]].count;
    }
    for (int p = 0; p < part_count; ++p) {
        out_parts[p].places = out_places;
        out_places += out_parts[p].count;
        out_parts[p].count = 0;
    }
    for (int k = 0; k < m->block_count; ++k) {
        iso_block_part* part = &out_parts[part_of[m->ordering.order.data[k]]];
        part->places[part->count++] = k;
    }
    double* gathered = m->gathered.data;
    for (int p = 0; p < part_count; ++p) {
        out_parts[p].gathered = gathered;
        for (int i = 0; i < out_parts[p].count; ++i) {
            int k = out_parts[p].places[i];
            gathered += m->x_index.data[k + 1] - m->x_index.data[k];
        }
    }
}

void iso_block_cholesky_clear_part(iso_block_cholesky* m, const iso_block_part* part) {
    for (int i = 0; i < part->count; ++i) {
        size_t first = m->panels.data[part->places[i]], end = m->panels.data[part->places[i] + 1];
        memset(m->values.data + first, 0, (end - first) * sizeof *m->values.data);
    }
}

void iso_block_cholesky_solve_part(iso_block_cholesky* m, const iso_block_part* part, double* x) {
    for (int i = 0; i < part->count; ++i) {
        permute(m, part->places[i], x, false);
    }
    for (int i = 0; i < part->count; ++i) {
        solve_forward(m, part->places[i]);
    }
    for (int i = part->count - 1; i >= 0; --i) {
        solve_backward(m, part->places[i], part->gathered);
    }
    for (int i = 0; i < part->count; ++i) {
        permute(m, part->places[i], x, true);
    }
}
