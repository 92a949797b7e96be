// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Sizes of what the gradient of a patch sums up. Forces of a closed surface, and friction of a
// patch that turns, may cancel to nothing, and rounding is what is left of them.

#include "contact/stick/stick.h"

#include <math.h>

void iso_compliant_points_add_sizes(const iso_compliant_points* points, double out[6]) {
    bool is_lagged = points->law == ISO_POINT_LAW_LAGGED;
    for (int i = 0; i < points->count; ++i) {
        double normal = points->dt * fabs(points->force[i]);
        double friction = points->friction_force[i];
        double f = normal + fabs(is_lagged ? friction : friction * normal);
        double x = fabs(points->rx[i]), y = fabs(points->ry[i]), z = fabs(points->rz[i]);
        out[0] += (y + z) * f;
        out[1] += (x + z) * f;
        out[2] += (x + y) * f;
        out[3] += f;
        out[4] += f;
        out[5] += f;
    }
}

void iso_stick_add_sizes(const iso_stick* stick, const double v_sizes[6], double out[6]) {
    iso_compliant_points_add_sizes(stick->points, out);
    const iso_stick_inner* inner = stick->inner;
    double u[6], c = stick->coupling;
    for (int i = 0; i < 6 && stick->size > 0; ++i) {
        u[i] = v_sizes[i] + fabs(inner->slip[i]);
    }
    for (int i = 0; i < stick->size; ++i) {
        const double* row = (stick->size == 3 ? stick->r : stick->k) + ISO_SIX_STRIDE * i;
        double f = fabs(stick->impulse[i]);
        for (int k = 0; k < 6; ++k) {
            f += c * fabs(row[k]) * u[k];
        }
        if (stick->size == 6) {
            out[i] += f;
            continue;
        }
        for (int k = 0; k < 6; ++k) {
            out[k] += fabs(row[k]) * f;
        }
    }
}
