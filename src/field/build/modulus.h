// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/field.h"

/// The modulus M(e) of p0 = M(e) e, [Elandt2022] eqs. 5.3, 5.4.
typedef struct iso_modulus_law {
    double modulus;              ///< M0 [Pa], > 0
    double stiffening;           ///< k in M0 / (1 - k e), in [0, 1)
    const iso_modulus_row* rows; ///< M(e), linear between rows; replaces the two above
    int row_count;
} iso_modulus_law;

/// @return ISO_ERR_RANGE, with the value
iso_status iso_modulus_law_check(iso_context* ctx, const iso_modulus_law* law);

/// Pressure at extent e; below 0 it goes on with the slope M(0) [Pa].
/// @param modulus  M0 here [Pa]; a table takes no notice of it
double iso_modulus_law_pressure(const iso_modulus_law* law, double modulus, double extent);
