// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/system/task_pool.h"
#include "solver/block_cholesky.h"

/// A sparse symmetric positive definite system of vertices with d numbers each, summed up from
/// small dense blocks. Vertices with the same fill form clusters, the blocks of the factor, which
/// so consists of products of dense matrices. Zero-initialise with ctx (and pool) set, then
/// iso_sparse_begin(). Memory grows only; clusters are kept while the number of vertices stays,
/// ordering and fill while the pattern of clusters does.
typedef struct iso_sparse {
    iso_context* ctx;
    iso_task_pool* pool; ///< borrowed; shares the work of large factors, same bits; NULL: none
    int dimension, vertex_count;
    ISO_ARRAY(int) vertices;  ///< of all blocks, one after the other
    ISO_ARRAY(double) values; ///< of all blocks
    ISO_ARRAY(int) sizes;     ///< vertices of each block

    int base_count; ///< blocks that each sum begins with, of which the clusters are made, so that
                    ///< these do not depend on what else was there at first; 0: all of the first
    int clustered_dimension, clustered_count; ///< what the clusters are of
    ISO_ARRAY(int) cluster_of;                ///< [vertex_count]
    ISO_ARRAY(int) rows;                      ///< [vertex_count] first row in the cluster
    ISO_ARRAY(int) heights;                   ///< [clusters] rows of a cluster
    ISO_ARRAY(bool) fixed;                    ///< [vertex_count * dimension]
    ISO_ARRAY(int) met;                       ///< scratch: clusters of a block
    ISO_ARRAY(iso_block_pair) pairs;
    double scale;        ///< power of two by which the factor is that of a larger or smaller sum
    ISO_ARRAY(double) x; ///< [vertex_count * dimension] in the order of the clusters
    iso_block_cholesky matrix;
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
