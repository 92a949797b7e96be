// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/system/task_pool.h"
#include "solver/min_degree.h"

/// A symmetric positive definite matrix of dense blocks (one block row per tree of bodies), with
/// its Cholesky factor H = U^T U under a minimum-degree ordering of the blocks. First analyze, then
/// fill the blocks, then factor and solve. What was analyzed is kept while the pattern stays the
/// same, and memory only ever grows, so a steady loop allocates nothing. Zero-initialise with ctx
/// set.
///
/// Storage: block row k (in elimination order) is one dense row-major panel, the diagonal block
/// followed by the blocks to its right that fill in, in elimination order.
typedef struct iso_block_cholesky {
    iso_context* ctx;
    int block_count;
    int row_count;                   ///< sum of sizes
    int analysis_count;              ///< how often the pattern was analyzed anew
    iso_int_array sizes;             ///< [block_count] rows of each block
    iso_int_array first_rows;        ///< [block_count] first row of each block, caller's order
    ISO_ARRAY(iso_block_pair) pairs; ///< of the pattern, sorted, distinct

    // symbolic, all by place in the elimination order
    iso_min_degree ordering;
    iso_int_array place;        ///< [block_count] place of a block
    iso_int_array x_index;      ///< [block_count + 1] first row in elimination order
    iso_int_array column_index; ///< [block_count + 1] into columns
    iso_int_array columns;      ///< places of the blocks right of the diagonal, ascending
    iso_int_array offsets;      ///< as columns: first column in the panel
    iso_int_array strides;      ///< [block_count] columns of a panel
    ISO_ARRAY(size_t) panels;   ///< [block_count + 1] first value of a panel

    // numeric
    ISO_ARRAY(double) values;
    ISO_ARRAY(double) x;        ///< [row_count] right-hand side in elimination order
    ISO_ARRAY(double) gathered; ///< [row_count] parts of x
    iso_int_array scratch;
    ISO_ARRAY(iso_block_pair) new_pairs, sort_scratch;
} iso_block_cholesky;

/// Where one block lives.
typedef struct iso_block_view {
    double* values;     ///< row major
    int stride;         ///<
    bool is_transposed; ///< it holds block (b, a) instead of (a, b)
} iso_block_view;

void iso_block_cholesky_destroy(iso_block_cholesky* matrix);

/// Take over a pattern. Every block has a diagonal; pairs say which others are not zero. Finds
/// ordering and fill when the pattern differs from the last one.
/// @param pairs  [pair_count] any order, repetitions allowed; a != b, either may be smaller
/// @return ISO_ERR_MEMORY; the matrix must then be analyzed again before use
iso_status iso_block_cholesky_analyze(iso_block_cholesky* matrix, const int* sizes, int block_count,
                                      const iso_block_pair* pairs, int pair_count);

/// Set all blocks to zero, fill included. Call before adding blocks; a factor is lost.
void iso_block_cholesky_clear(iso_block_cholesky* matrix);

/// A block of the pattern, to be added to. Of diagonal blocks (a = b) only the upper triangle is
/// read. Valid until the next analysis.
iso_block_view iso_block_cholesky_block(const iso_block_cholesky* matrix, int a, int b);

/// Factor in place.
/// @param out_block  the block with the pivot that is not positive and finite, on failure; or NULL
/// @return false when the matrix is not positive definite
bool iso_block_cholesky_factor(iso_block_cholesky* matrix, int* out_block);
/// The same with the work of large rows shared by threads: the same bits whatever their number.
/// @param pool  NULL: none
bool iso_block_cholesky_factor_shared(iso_block_cholesky* matrix, iso_task_pool* pool,
                                      int* out_block);

/// Solve H x = b in place; x has row_count entries in the caller's order of blocks.
void iso_block_cholesky_solve(iso_block_cholesky* matrix, double* x);

/// Blocks that no pair of the pattern couples with the rest: they can be cleared, factored and
/// solved on their own, several parts at the same time, with the bits that they have in a matrix of
/// their own.
typedef struct iso_block_part {
    int* places;      ///< [count] in the elimination order, ascending
    int count;        ///<
    double* gathered; ///< scratch for the rows of these blocks
} iso_block_part;

/// Split the blocks into such parts.
/// @param part_of     [block_count] part of each block, in [0, part_count)
/// @param out_places  [block_count] storage of all parts
/// @param out_parts   [part_count]
void iso_block_cholesky_split(const iso_block_cholesky* matrix, const int* part_of, int part_count,
                              int* out_places, iso_block_part* out_parts);
void iso_block_cholesky_clear_part(iso_block_cholesky* matrix, const iso_block_part* part);
bool iso_block_cholesky_factor_part(iso_block_cholesky* matrix, const iso_block_part* part,
                                    int* out_block);
/// x as in iso_block_cholesky_solve(); only the entries of the part are read and written.
void iso_block_cholesky_solve_part(iso_block_cholesky* matrix, const iso_block_part* part,
                                   double* x);
