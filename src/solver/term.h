// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// One potential of a convex problem during a solve, and its products with Jacobians.

#include "solver/convex.h"
#include "solver/shift.h"

typedef struct iso_newton_term {
    const iso_potential* potential;
    const iso_inner* inner; ///< own unknowns, or NULL
    int rows;               ///<
    int first_a, dofs_a;    ///< degrees of freedom in v
    int first_b, dofs_b;    ///< none: dofs_b is 0
    iso_shift shift_a;      ///< jacobian_a where it is a shift
    iso_shift shift_b;      ///<
    bool is_corrected;      ///< the last elimination wrote a correction
    bool is_shift;          ///< both Jacobians, or the only one, are shifts
    bool has_followed;      ///< it became another one by the last minimum
    /// Rows beyond those of the potential are zero.
    double u[ISO_POTENTIAL_MAX_ROWS];
    double u0[ISO_POTENTIAL_MAX_ROWS]; ///< at the start of the line
    double du[ISO_POTENTIAL_MAX_ROWS];
    double value;
    double gradient[ISO_POTENTIAL_MAX_ROWS];
    double correction[ISO_POTENTIAL_MAX_ROWS]; ///< of the gradient, by eliminating own unknowns
    double foreseen[ISO_POTENTIAL_MAX_ROWS];   ///< gradient after a whole step, by the Hessian
    double error[ISO_POTENTIAL_MAX_ROWS];      ///< largest change that was not foreseen
    double hessian[ISO_SHIFT_BLOCK];           ///< rows * rows; what follows is zero
    double surprise;                           ///< sizes of those errors, summed up
    double largest;                            ///< the largest of them
    iso_block_view diagonal_a, diagonal_b, coupling; ///< blocks of H it adds to
} iso_newton_term;

/// All but the blocks.
void iso_term_init(iso_newton_term* term, const iso_convex_problem* problem, int potential);
/// u = J v
void iso_term_velocity(const iso_newton_term* term, const double* v, double* out_u);
/// out += scale J^T f
void iso_term_add_transposed(const iso_newton_term* term, double scale, const double* f,
                             double* out);
/// Blocks of H += J^T hessian J. The diagonal ones get their upper triangles, and may change below.
/// @param product  [2 * rows * dofs of the larger tree] scratch
void iso_term_add_hessian(const iso_newton_term* term, double* product);
