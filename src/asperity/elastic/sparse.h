// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/array.h"

/// A sparse symmetric positive definite system of vertices with d numbers each, summed up from
/// small dense blocks and solved by SuiteSparse (AMD's ordering of the vertices, LDL's factor).
/// Zero-initialise, then iso_sparse_begin(). Memory grows only; ordering and symbolic factor are
/// kept while the pattern stays.
typedef struct iso_sparse {
    iso_context* ctx;
    int dimension, vertex_count;
    ISO_ARRAY(int) vertices;  ///< of all blocks, one after the other
    ISO_ARRAY(double) values; ///< of all blocks
    ISO_ARRAY(int) sizes;     ///< vertices of each block

    // the sum, upper triangle by columns of vertices
    ISO_ARRAY(int) starts, rows, old_starts, old_rows, slots;
    ISO_ARRAY(int) by_column;
    ISO_ARRAY(double) sums;

    // of the permuted system
    ISO_ARRAY(int) order, place; ///< [vertex_count]
    ISO_ARRAY(int) ap, ai, lp, li, parents, counts, flags;
    ISO_ARRAY(double) ax, lx, dx, work;
    int analysis_count; ///< how often the pattern was new
} iso_sparse;

void iso_sparse_free(iso_sparse* s);

/// Begin a new sum: no block yet.
void iso_sparse_begin(iso_sparse* s, int dimension, int vertex_count);

/// Room for a further block of vertices, to be filled: [(n d) * (n d)] row major, symmetric.
/// Valid until the next block. NULL: no memory.
double* iso_sparse_add(iso_sparse* s, const int* vertices, int n);

/// Sum up and factor. Rows and columns of fixed numbers become those of the identity.
/// @param fixed  [vertex_count * dimension] or NULL
/// @return ISO_ERR_MEMORY; ISO_ERR_NO_CONVERGENCE when it is not positive definite
iso_status iso_sparse_factor(iso_sparse* s, const bool* fixed);

/// Solve in place; x [vertex_count * dimension]; entries of fixed numbers must be zero.
void iso_sparse_solve(iso_sparse* s, double* x);

/// out = A x of the sum as given to the factor.
void iso_sparse_multiply(const iso_sparse* s, const double* x, double* out);
