// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/contact/parallel.h"

/// Share of the square of both lengths below which edges count as nearly parallel.
#define NEARLY 1e-3

typedef struct edges {
    double u[3], v[3], uu, vv, uv;
    double w[3]; ///< u x v: no cancellation where it is small
} edges;

static edges edges_of(const iso_pair* pair, const double* x) {
    edges e = {.uu = 0.0};
    for (int a = 0; a < 3; ++a) {
        e.u[a] = x[3 * pair->vertices[1] + a] - x[3 * pair->vertices[0] + a];
        e.v[a] = x[3 * pair->vertices[3] + a] - x[3 * pair->vertices[2] + a];
        e.uu += e.u[a] * e.u[a];
        e.vv += e.v[a] * e.v[a];
        e.uv += e.u[a] * e.v[a];
    }
    for (int a = 0; a < 3; ++a) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        e.w[a] = e.u[b] * e.v[c] - e.u[c] * e.v[b];
    }
    return e;
}

iso_parallel iso_parallel_measure(const iso_pair* pair, const double* rest, const double* x) {
    if (pair->kind != ISO_GAP_EDGE_EDGE) {
        return (iso_parallel){1.0, 0.0, 0.0};
    }
    edges at_rest = edges_of(pair, rest), now = edges_of(pair, x);
    double bound = NEARLY * at_rest.uu * at_rest.vv, c = 0.0;
    for (int a = 0; a < 3; ++a) {
        c += now.w[a] * now.w[a];
    }
    if (c >= bound) {
        return (iso_parallel){1.0, 0.0, 0.0};
    }
    double share = c / bound;
    return (iso_parallel){share * (2.0 - share), 2.0 * (1.0 - share) / bound,
                          -2.0 / (bound * bound)};
}

void iso_parallel_derivatives(const iso_pair* pair, const double* x, double* out_slope,
                              double* out_curvature) {
    edges e = edges_of(pair, x);
    for (int i = 0; i < 12; ++i) {
        int a = i % 3, p = (a + 1) % 3, q = (a + 2) % 3;
        double sign = i / 3 % 2 ? 1.0 : -1.0;
        out_slope[i] = i < 6 ? sign * 2.0 * (e.v[p] * e.w[q] - e.v[q] * e.w[p])
                             : sign * 2.0 * (e.u[q] * e.w[p] - e.u[p] * e.w[q]);
        for (int j = 0; j < 12; ++j) {
            int b = j % 3;
            double both = sign * (j / 3 % 2 ? 1.0 : -1.0), same = a == b ? 1.0 : 0.0, h = 0.0;
            if (i < 6 && j < 6) {
                h = e.vv * same - e.v[a] * e.v[b];
            } else if (i >= 6 && j >= 6) {
                h = e.uu * same - e.u[a] * e.u[b];
            } else if (i < 6) {
                h = 2.0 * e.u[a] * e.v[b] - e.v[a] * e.u[b] - e.uv * same;
            } else {
                h = 2.0 * e.v[a] * e.u[b] - e.u[a] * e.v[b] - e.uv * same;
            }
            out_curvature[i * 12 + j] = 2.0 * both * h;
        }
    }
}
