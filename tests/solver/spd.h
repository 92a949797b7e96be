// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Random symmetric positive definite matrices of blocks, dense and in blocks.

#include "solver/block_cholesky.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"

#include <stdlib.h>

#define SPD_MAX_BLOCKS 40
#define SPD_MAX_ROWS 400
#define SPD_MAX_PAIRS 800

typedef struct spd {
    int block_count, row_count, pair_count;
    int sizes[SPD_MAX_BLOCKS], first[SPD_MAX_BLOCKS];
    iso_block_pair pairs[SPD_MAX_PAIRS];
    double* dense; ///< row_count x row_count
} spd;

static inline spd spd_make(int block_count, const int* sizes) {
    spd m = {.block_count = block_count};
    for (int i = 0; i < block_count; ++i) {
        m.sizes[i] = sizes[i];
        m.first[i] = m.row_count;
        m.row_count += sizes[i];
    }
    m.dense = calloc((size_t)m.row_count * (size_t)m.row_count, sizeof *m.dense);
    return m;
}

static inline void spd_free(spd* m) {
    free(m->dense);
}

// Add G^T G with a random G of a few rows that lives in the columns of blocks a and b.
static inline void spd_couple(spd* m, int a, int b, test_random* random) {
    for (int r = 0; r < 3; ++r) {
        double g[SPD_MAX_ROWS] = {0.0};
        for (int k = 0; k < 2; ++k) {
            int block = k == 0 ? a : b;
            for (int i = 0; i < m->sizes[block]; ++i) {
                g[m->first[block] + i] = test_random_normal(random);
            }
        }
        for (int i = 0; i < m->row_count; ++i) {
            for (int j = 0; j < m->row_count; ++j) {
                m->dense[i * m->row_count + j] += g[i] * g[j];
            }
        }
    }
    iso_block_pair pair = {a, b};
    if (a != b) {
        m->pairs[m->pair_count++] = pair;
    }
}

/// Random sizes from 1 to largest, every pair coupled with the given probability.
static inline spd spd_random(uint64_t seed, int block_count, int largest, double density) {
    test_random random = test_random_make(seed);
    int sizes[SPD_MAX_BLOCKS];
    for (int i = 0; i < block_count; ++i) {
        sizes[i] = test_random_int(&random, 1, largest);
    }
    spd m = spd_make(block_count, sizes);
    for (int i = 0; i < m.row_count; ++i) {
        m.dense[i * (m.row_count + 1)] = test_random_uniform(&random, 0.5, 2.0);
    }
    for (int a = 0; a < block_count; ++a) {
        spd_couple(&m, a, a, &random);
        for (int b = 0; b < a; ++b) {
            if (test_random_uniform(&random, 0.0, 1.0) < density) {
                spd_couple(&m, a, b, &random);
            }
        }
    }
    return m;
}

static inline void spd_fill_block(const spd* m, iso_block_cholesky* matrix, int a, int b) {
    iso_block_view view = iso_block_cholesky_block(matrix, a, b);
    for (int i = 0; i < m->sizes[a]; ++i) {
        for (int j = 0; j < m->sizes[b]; ++j) {
            double x = m->dense[(m->first[a] + i) * m->row_count + m->first[b] + j];
            int row = view.is_transposed ? j : i, column = view.is_transposed ? i : j;
            view.values[row * view.stride + column] = x;
        }
    }
}

static inline void spd_fill(const spd* m, iso_block_cholesky* matrix) {
    iso_block_cholesky_clear(matrix);
    for (int i = 0; i < m->block_count; ++i) {
        spd_fill_block(m, matrix, i, i);
    }
    for (int p = 0; p < m->pair_count; ++p) {
        spd_fill_block(m, matrix, m->pairs[p].a, m->pairs[p].b);
    }
}
