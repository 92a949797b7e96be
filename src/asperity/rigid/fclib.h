// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Problems of contact with friction in the format of FCLIB (HDF5). A local one is
// /fclib_local/{spacedim, W, vectors/{q, mu}}, a global one /fclib_global/{spacedim, M, H,
// vectors/{f, w, mu}}: M v = H r + f, u = H^T v + w. A matrix is {nzmax, m, n, nz, p, i, x}: a
// triplet (nz >= 0, p rows, i columns), by columns (nz = -1) or by rows (nz = -2). A solution is
// /solution/{u, r}.

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "isobar/lab_rigid.h"

/// Entries of a sparse matrix; those of one place add up.
typedef struct iso_triplets {
    int rows, columns, count;
    int *row, *column; ///< [count]
    double* x;         ///< [count]
} iso_triplets;

void iso_triplets_free(iso_context* ctx, iso_triplets* t);

/// The local problem of a global one: W = H^T M^-1 H, b = H^T M^-1 f + w.
/// @param m  symmetric, positive definite
/// @param f  [m->rows]
/// @param w  [h->columns]
/// @param path  of the file, for messages
/// @param out  allocated for h->columns / 3 contacts; gets w and b
/// @return ISO_ERR_RANGE: m is not what it must be; ISO_ERR_MEMORY
iso_status iso_fclib_condense(iso_context* ctx, const char* path, const iso_triplets* m,
                              const iso_triplets* h, const double* f, const double* w,
                              iso_fclib* out);

/// Whether W is symmetric up to rounding, with diagonals >= 0: of no other is there a body.
/// @return ISO_ERR_RANGE
iso_status iso_fclib_check(iso_context* ctx, const char* path, iso_fclib* problem);

#ifdef ISO_HAS_HDF5
#include <hdf5.h>

/// What HDF5 was told to do with errors, which it prints unless it is told not to.
typedef struct iso_fclib_quiet {
    H5E_auto2_t print;
    void* user;
} iso_fclib_quiet;
iso_fclib_quiet iso_fclib_quiet_begin(void);
void iso_fclib_quiet_end(iso_fclib_quiet quiet);
#endif
