// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/contact/gap.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static inline double dot(int d, const double* a, const double* b) {
    double sum = 0.0;
    for (int i = 0; i < d; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

static inline void subtract(int d, const double* a, const double* b, double* out) {
    for (int i = 0; i < d; ++i) {
        out[i] = a[i] - b[i];
    }
}

// The way and its length from the weights.
static void finish(int d, const double* const p[4], iso_gap* g) {
    g->squared = 0.0;
    for (int i = 0; i < d; ++i) {
        double sum = 0.0;
        for (int k = 0; k < g->count; ++k) {
            sum += g->weights[k] * p[k][i];
        }
        g->way[i] = sum;
        g->squared += sum * sum;
    }
}

// Of a point p[at] from the edge p[a] p[b]; the other weights stay zero.
static iso_gap from_edge(int d, const double* const p[4], int count, int a, int b, int at) {
    iso_gap g = {.count = count};
    double edge[3], to[3];
    subtract(d, p[b], p[a], edge);
    subtract(d, p[at], p[a], to);
    double length = dot(d, edge, edge), along = dot(d, edge, to);
    double t = along <= 0.0 ? 0.0 : (along >= length ? 1.0 : along / length);
    g.weights[a] = t - 1.0;
    g.weights[b] = -t;
    g.weights[at] = 1.0;
    if (along > 0.0 && along < length) {
        g.freedoms = 1;
        g.turns[0][a] = 1.0;
        g.turns[0][b] = -1.0;
    }
    finish(d, p, &g);
    return g;
}

static iso_gap nearer(iso_gap a, iso_gap b) {
    return b.squared < a.squared ? b : a;
}

/// Square of the sine between two edges below which cancellation may put a foot anywhere on them.
#define SLIVER 1e-6

static inline void cross(const double* a, const double* b, double* out) {
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = a[j] * b[k] - a[k] * b[j];
    }
}

// The foot s e0 + t e1 of a point in the plane of two edges, from cross products: products of
// lengths cancel where the edges are nearly parallel. There, what is left is solved for again.
// @return square of the sine between them; 0: parallel, no foot
static double find_foot(const double* e0, const double* e1, const double* to, double* s,
                        double* t) {
    double n[3], rest[3] = {to[0], to[1], to[2]};
    cross(e0, e1, n);
    double square = dot(3, n, n), lengths = dot(3, e0, e0) * dot(3, e1, e1);
    *s = *t = 0.0;
    for (int i = 0; i < 3 && square > 0.0; ++i) {
        double a[3], b[3];
        cross(rest, e1, a);
        cross(e0, rest, b);
        *s += dot(3, a, n) / square;
        *t += dot(3, b, n) / square;
        for (int k = 0; k < 3; ++k) {
            rest[k] = to[k] - *s * e0[k] - *t * e1[k];
        }
        if (square > SLIVER * lengths) {
            break;
        }
    }
    return square > 0.0 ? square / lengths : 0.0;
}

static iso_gap from_face(const double* const p[4]) {
    double e0[3], e1[3], to[3], u, v;
    iso_gap inside = {.count = 4, .freedoms = 2, .squared = INFINITY};
    subtract(3, p[1], p[0], e0);
    subtract(3, p[2], p[0], e1);
    subtract(3, p[3], p[0], to);
    double sine = find_foot(e0, e1, to, &u, &v);
    if (sine > 0.0 && u > 0.0 && v > 0.0 && u + v < 1.0) {
        inside.weights[0] = u + v - 1.0;
        inside.weights[1] = -u;
        inside.weights[2] = -v;
        inside.weights[3] = 1.0;
        inside.turns[0][0] = inside.turns[1][0] = 1.0;
        inside.turns[0][1] = inside.turns[1][2] = -1.0;
        finish(3, p, &inside);
        if (sine > SLIVER) {
            return inside;
        }
    }
    iso_gap best = from_edge(3, p, 4, 0, 1, 3);
    best = nearer(best, from_edge(3, p, 4, 1, 2, 3));
    best = nearer(best, from_edge(3, p, 4, 2, 0, 3));
    return nearer(best, inside);
}

// The ways from an end of one edge to the other edge, seen as from the first edge to the second.
static iso_gap from_ends(const double* const p[4]) {
    iso_gap best = from_edge(3, p, 4, 0, 1, 2);
    best = nearer(best, from_edge(3, p, 4, 0, 1, 3));
    for (int at = 0; at < 2; ++at) {
        iso_gap g = from_edge(3, p, 4, 2, 3, at);
        for (int k = 0; k < 4; ++k) {
            g.weights[k] = -g.weights[k];
            g.turns[0][k] = -g.turns[0][k];
            g.way[k % 3] = k < 3 ? -g.way[k] : g.way[0];
        }
        best = nearer(best, g);
    }
    return best;
}

static iso_gap between_edges(const double* const p[4]) {
    double e0[3], e1[3], to[3], s, t;
    subtract(3, p[1], p[0], e0);
    subtract(3, p[2], p[3], e1);
    subtract(3, p[2], p[0], to);
    double sine = find_foot(e0, e1, to, &s, &t);
    iso_gap best = from_ends(p);
    if (sine > 0.0 && s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0) {
        iso_gap inside = {.count = 4, .freedoms = 2};
        inside.weights[0] = s - 1.0;
        inside.weights[1] = -s;
        inside.weights[2] = 1.0 - t;
        inside.weights[3] = t;
        inside.turns[0][0] = 1.0;
        inside.turns[0][1] = -1.0;
        inside.turns[1][2] = -1.0;
        inside.turns[1][3] = 1.0;
        finish(3, p, &inside);
        best = nearer(best, inside);
    }
    return best;
}

static iso_gap measure(int d, iso_gap_kind kind, const double* const p[4]) {
    switch (kind) {
    case ISO_GAP_POINT_EDGE:
        return from_edge(d, p, 3, 0, 1, 2);
    case ISO_GAP_POINT_FACE:
        return from_face(p);
    default:
        return between_edges(p);
    }
}

iso_gap iso_gap_measure(int dimension, const iso_pair* pair, const double* x) {
    const double* p[4] = {0};
    for (int k = 0; k < iso_gap_count(pair->kind); ++k) {
        p[k] = x + pair->vertices[k] * dimension;
    }
    return measure(dimension, pair->kind, p);
}

void iso_gap_slope(int dimension, const iso_gap* gap, double* out) {
    for (int k = 0; k < gap->count * dimension; ++k) {
        out[k] = 2.0 * gap->weights[k / dimension] * gap->way[k % dimension];
    }
}

void iso_gap_curvature(int d, const iso_pair* pair, const iso_gap* gap, const double* x,
                       double* out) {
    int size = gap->count * d;
    double mixed[2][12], inner[2][2] = {{0}}, edges[2][3] = {{0}};
    for (int f = 0; f < gap->freedoms; ++f) {
        for (int k = 0; k < size; ++k) {
            edges[f][k % d] += gap->turns[f][k / d] * x[pair->vertices[k / d] * d + k % d];
        }
    }
    for (int f = 0; f < gap->freedoms; ++f) { // second derivatives by foot and place, by foot twice
        for (int k = 0; k < size; ++k) {
            mixed[f][k] =
                gap->weights[k / d] * edges[f][k % d] + gap->turns[f][k / d] * gap->way[k % d];
        }
        for (int g = 0; g < gap->freedoms; ++g) {
            inner[f][g] = dot(d, edges[f], edges[g]);
        }
    }
    double inverse[2][2] = {{0}};
    if (gap->freedoms == 1) {
        inverse[0][0] = 1.0 / inner[0][0];
    } else if (gap->freedoms == 2) {
        double normal[3];
        cross(edges[0], edges[1], normal);
        double det = dot(3, normal, normal); // two freedoms are of features in space
        inverse[0][0] = inner[1][1] / det;
        inverse[1][1] = inner[0][0] / det;
        inverse[0][1] = inverse[1][0] = -inner[0][1] / det;
    }
    for (int i = 0; i < size; ++i) {
        for (int j = 0; j < size; ++j) {
            double value = i % d == j % d ? gap->weights[i / d] * gap->weights[j / d] : 0.0;
            for (int f = 0; f < gap->freedoms; ++f) {
                for (int g = 0; g < gap->freedoms; ++g) {
                    value -= mixed[f][i] * inverse[f][g] * mixed[g][j];
                }
            }
            out[i * size + j] = 2.0 * value;
        }
    }
}

// The most that the distance can change in a unit of time: both features' fastest vertices, seen
// from their mean.
static double fastest(int d, const iso_pair* pair, const double* u, double relative[4][3]) {
    int count = iso_gap_count(pair->kind), first = pair->kind == ISO_GAP_EDGE_EDGE ? 2 : count - 1;
    double mean[3] = {0}, most[2] = {0.0, 0.0};
    for (int k = 0; k < count * d; ++k) {
        mean[k % d] += u[pair->vertices[k / d] * d + k % d] / count;
    }
    for (int k = 0; k < count; ++k) {
        subtract(d, u + pair->vertices[k] * d, mean, relative[k]);
        double speed = sqrt(dot(d, relative[k], relative[k]));
        most[k >= first] = fmax(most[k >= first], speed);
    }
    return most[0] + most[1];
}

double iso_gap_free_share(int dimension, const iso_pair* pair, const double* x, const double* u,
                          double keep) {
    enum { MOST_STEPS = 10000 };
    double relative[4][3], places[4][3];
    const double* p[4] = {places[0], places[1], places[2], places[3]};
    int count = iso_gap_count(pair->kind);
    double speed = fastest(dimension, pair, u, relative);
    double distance = sqrt(iso_gap_measure(dimension, pair, x).squared);
    if (!(speed > 0.0) || distance * (1.0 - keep) >= speed) {
        return 1.0;
    }
    double least = keep * distance, share = 0.0, ahead = (1.0 - keep) * distance / speed;
    for (int i = 0; i < MOST_STEPS; ++i) {
        double next = share + ahead;
        for (int k = 0; k < count * dimension; ++k) {
            places[k / dimension][k % dimension] =
                x[pair->vertices[k / dimension] * dimension + k % dimension] +
                next * relative[k / dimension][k % dimension];
        }
        distance = sqrt(measure(dimension, pair->kind, p).squared);
        if (distance < least) {
            return share;
        }
        if (next >= 1.0) {
            return 1.0;
        }
        share = next;
        // what is left down to half the least, so that the end is met in few steps
        ahead = (distance - 0.5 * least) / speed;
    }
    return share;
}
