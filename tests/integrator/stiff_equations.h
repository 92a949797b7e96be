// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Right-hand sides of stiff problems with published ends.

#include "isobar/base.h"

/// Three species; rates over nine decades. [Hairer1996] IV.1.
static inline iso_status robertson(void* user, double t, const double* y, double* out) {
    (void)user;
    (void)t;
    out[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
    out[2] = 3e7 * y[1] * y[1];
    out[1] = -out[0] - out[2];
    return ISO_OK;
}

/// user: double mu.
static inline iso_status van_der_pol(void* user, double t, const double* y, double* out) {
    (void)t;
    double mu = *(const double*)user;
    out[0] = y[1];
    out[1] = mu * (1.0 - y[0] * y[0]) * y[1] - y[0];
    return ISO_OK;
}

/// Eight species of a plant's growth. [Hairer1996] IV.10.
static inline iso_status hires(void* user, double t, const double* y, double* d) {
    (void)user;
    (void)t;
    d[0] = -1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007;
    d[1] = 1.71 * y[0] - 8.75 * y[1];
    d[2] = -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4];
    d[3] = 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3];
    d[4] = -1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6];
    d[5] = -280.0 * y[5] * y[7] + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6];
    d[6] = 280.0 * y[5] * y[7] - 1.81 * y[6];
    d[7] = -d[6];
    return ISO_OK;
}
