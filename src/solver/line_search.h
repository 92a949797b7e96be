// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/fail.h"

/// A convex function of one variable: value relative to that at 0, slope and curvature at alpha.
/// Curvature 0: not known.
typedef struct iso_line_point {
    double alpha, value, slope, curvature;
} iso_line_point;
typedef iso_line_point (*iso_line_fn)(const void* user, double alpha);

typedef struct iso_line {
    iso_line_fn fn;
    /// The part of it that costs next to nothing and may bend sharply, with its slope and
    /// curvature: the search follows its bends exactly. NULL: there is none.
    iso_line_fn bent;
    const void* user; ///< of both
} iso_line;

/// Minimise along a line: find where the slope vanishes, within tolerance * |slope at 0|, and the
/// value is not above that at 0, by Newton's method safeguarded with bisection. Each step goes
/// where the bent part and a parabola for all else are least. alpha = 1 is tried first (Newton's
/// own step), ISO_LINE_LONGEST next when the slope is still negative there, and taken when it still
/// is.
/// @param slope_at_zero   < 0
/// @param descent         a whole step ends the search when it lowers the function by this share of
///                        slope_at_zero (1/2: that of a parabola), or when the slope is still
///                        negative there; 0: it does not
/// @param out_evaluations calls of fn
/// @return the last point; its slope is NaN when the function is not finite
#define ISO_LINE_LONGEST 1.5
iso_line_point iso_line_search(const iso_line* line, double slope_at_zero, double descent,
                               double tolerance, int max_evaluations, int* out_evaluations);
