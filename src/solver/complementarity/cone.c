// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/complementarity/cone.h"

#include <math.h>

void iso_cone_velocities(const iso_cone_problem* p, const double* f, double* out_u) {
    int n = 3 * p->count;
    for (int r = 0; r < n; ++r) {
        const double* row = p->w + (size_t)r * (size_t)n;
        double sum = p->b[r];
        for (int c = 0; c < n; ++c) {
            sum += row[c] * f[c];
        }
        out_u[r] = sum;
    }
}

double iso_cone_scale(const iso_cone_problem* p, int i) {
    double w = p->w[(size_t)(3 * i) * (size_t)(3 * p->count) + (size_t)(3 * i)];
    return w > 0.0 ? 1.0 / w : 1.0;
}

// The nearest point of the cone |t| <= mu n.
static void project_on_cone(double mu, const double* s, double* out) {
    double length = hypot(s[1], s[2]);
    if (length <= mu * s[0]) {
        out[0] = s[0];
        out[1] = s[1];
        out[2] = s[2];
    } else if (mu * length <= -s[0]) {
        out[0] = out[1] = out[2] = 0.0;
    } else {
        double normal = (s[0] + mu * length) / (1.0 + mu * mu);
        out[0] = normal;
        out[1] = mu * normal * s[1] / length;
        out[2] = mu * normal * s[2] / length;
    }
}

void iso_cone_project(iso_cone_law law, double friction, double radius, const double* s,
                      double* out) {
    if (law == ISO_CONE_ASSOCIATED) {
        project_on_cone(friction, s, out);
        return;
    }
    double length = hypot(s[1], s[2]);
    out[0] = fmax(s[0], 0.0);
    for (int k = 1; k < 3; ++k) {
        out[k] = law == ISO_CONE_PYRAMID ? fmin(fmax(s[k], -radius), radius)
                                         : s[k] * (length > radius ? radius / length : 1.0);
    }
}

double iso_cone_residual(const iso_cone_problem* p, iso_cone_law law, const double* f, double* u) {
    double worst = 0.0, size = 1e-300;
    iso_cone_velocities(p, f, u);
    for (int i = 0; i < p->count; ++i) {
        double rho = iso_cone_scale(p, i), s[3], projected[3];
        for (int k = 0; k < 3; ++k) {
            s[k] = f[3 * i + k] - rho * u[3 * i + k];
            size = fmax(size, fabs(p->b[3 * i + k]));
        }
        iso_cone_project(law, p->friction[i], p->friction[i] * fmax(f[3 * i], 0.0), s, projected);
        for (int k = 0; k < 3; ++k) {
            worst = fmax(worst, fabs(projected[k] - f[3 * i + k]) / rho);
        }
    }
    return worst / size;
}
