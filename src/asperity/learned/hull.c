// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/learned/model.h"

#include <math.h>
#include <string.h>

enum { SIZE = ISO_LEARNED_SIZE, MOST_STEPS = 20000 };

// Vertex i of the hull, less the point that is asked for, in standard deviations.
static void vertex(const iso_learned* m, int i, const double* features, double* out) {
    int orders = m->is_symmetric ? 2 : 1;
    const iso_learned_row* r = &m->rows[i / orders];
    bool is_swapped = i % orders == 1;
    iso_learned_features_of(m->features, is_swapped ? &r->b : &r->a, is_swapped ? &r->a : &r->b,
                            out);
    for (int k = 0; k < SIZE; ++k) {
        out[k] = (out[k] - features[k]) / m->spread[k];
    }
}

static double dot(const double* a, const double* b) {
    double sum = 0.0;
    for (int k = 0; k < SIZE; ++k) {
        sum += a[k] * b[k];
    }
    return sum;
}

// The point of the hull that is nearest to the origin, by exchanging weight between the vertex that
// is best to go to and the one that is best to leave (pairwise Frank-Wolfe). What is nearer than a
// thousandth counts as within.
double iso_learned_outside(const iso_learned* m, const double* features) {
    int count = m->row_count * (m->is_symmetric ? 2 : 1);
    double weights[2 * ISO_LEARNED_ROWS_MAX] = {1.0}, x[SIZE], v[SIZE];
    vertex(m, 0, features, x);
    for (int step = 0; step < MOST_STEPS; ++step) {
        double best[SIZE] = {0}, worst[SIZE] = {0}, low = INFINITY, high = -INFINITY;
        int to = 0, from = 0;
        for (int i = 0; i < count; ++i) {
            vertex(m, i, features, v);
            double along = dot(v, x);
            if (along < low) {
                low = along;
                to = i;
                memcpy(best, v, sizeof best);
            }
            if (weights[i] > 0.0 && along > high) {
                high = along;
                from = i;
                memcpy(worst, v, sizeof worst);
            }
        }
        double square = dot(x, x);
        if (square < 1e-6 || square - low <= 1e-9 * square || high - low <= 1e-12) {
            break; // the distance is within 1e-9 of the true one
        }
        double way[SIZE];
        for (int k = 0; k < SIZE; ++k) {
            way[k] = best[k] - worst[k];
        }
        double share = fmin((high - low) / dot(way, way), weights[from]);
        weights[to] += share;
        weights[from] = share == weights[from] ? 0.0 : weights[from] - share;
        for (int k = 0; k < SIZE; ++k) {
            x[k] += share * way[k];
        }
    }
    double distance = sqrt(dot(x, x));
    return distance < 1e-3 ? 0.0 : distance;
}
