// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/contact/skin.h"

#include <math.h>

// Twice the signed area, or six times the volume, of points; of the plane with two points.
static double turn2(const double* a, const double* b, const double* c) {
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static double turn3(const double* a, const double* b, const double* c, const double* p) {
    double u[3], v[3], w[3];
    for (int i = 0; i < 3; ++i) {
        u[i] = b[i] - a[i];
        v[i] = c[i] - a[i];
        w[i] = p[i] - a[i];
    }
    return u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) +
           u[2] * (v[0] * w[1] - v[1] * w[0]);
}

static bool edges_cut(const double* a, const double* b, const double* c, const double* d) {
    return (turn2(a, b, c) > 0.0) != (turn2(a, b, d) > 0.0) &&
           (turn2(c, d, a) > 0.0) != (turn2(c, d, b) > 0.0);
}

static bool edge_cuts_face(const double* p, const double* q, const double* a, const double* b,
                           const double* c) {
    bool on_side = turn3(a, b, c, p) > 0.0;
    if (on_side == (turn3(a, b, c, q) > 0.0)) {
        return false;
    }
    bool first = turn3(p, q, a, b) > 0.0;
    return first == (turn3(p, q, b, c) > 0.0) && first == (turn3(p, q, c, a) > 0.0);
}

static bool is_inside(const iso_elastic* e, int element, const double* x, const double* p) {
    int d = e->dimension;
    const double* v[4] = {0};
    for (int k = 0; k <= d; ++k) {
        v[k] = x + e->elements[element * (d + 1) + k] * d;
    }
    if (d == 2) {
        return turn2(v[0], v[1], p) >= 0.0 && turn2(v[1], v[2], p) >= 0.0 &&
               turn2(v[2], v[0], p) >= 0.0;
    }
    // faces seen from outside have a positive volume with what lies inside turned round
    return turn3(v[1], v[3], v[2], p) <= 0.0 && turn3(v[0], v[2], v[3], p) <= 0.0 &&
           turn3(v[0], v[3], v[1], p) <= 0.0 && turn3(v[0], v[1], v[2], p) <= 0.0;
}

// One vertex of each body against the elements of the others: where no boundary is cut that tells
// whether one lies in another.
static iso_status check_inside(iso_skin* s, const iso_elastic* e, const double* x) {
    int d = e->dimension;
    for (int body = 0; body < s->body_count; ++body) {
        int vertex = 0;
        while (s->body_of.data[vertex] != body) {
            ++vertex;
        }
        for (int k = 0; k < e->element_count; ++k) {
            int other = s->body_of.data[e->elements[k * (d + 1)]];
            ISO_REQUIRE(s->ctx, other == body || !is_inside(e, k, x, x + vertex * d),
                        ISO_ERR_GEOMETRY,
                        "body %d lies inside of body %d at the start, expected apart", body, other);
        }
    }
    return ISO_OK;
}

// Whether an edge cuts a face of another body.
static bool cut(const iso_skin* s, const double* x, const int* p, const int* f) {
    if (s->body_of.data[f[0]] == s->body_of.data[p[0]]) {
        return false;
    }
    if (s->dimension == 2) {
        return edges_cut(x + 2 * p[0], x + 2 * p[1], x + 2 * f[0], x + 2 * f[1]);
    }
    return edge_cuts_face(x + 3 * p[0], x + 3 * p[1], x + 3 * f[0], x + 3 * f[1], x + 3 * f[2]);
}

iso_status iso_skin_check_apart(iso_skin* s, const iso_elastic* e, const double* x) {
    int d = s->dimension;
    const int* edges = d == 2 ? s->faces.data : s->edges.data;
    int count = d == 2 ? s->face_count : s->edge_count;
    iso_status status = iso_skin_put_boxes(s, s->faces.data, d, s->face_count, x, NULL, 0.0);
    for (int i = 0; i < count && status == ISO_OK; ++i) {
        const int* p = edges + 2 * i;
        iso_lab_box box = iso_skin_box_of(d, p, 2, x, NULL, 0.0);
        s->found.count = 0;
        status = iso_box_hash_query(&s->hash, &box, &s->found);
        for (int j = 0; j < s->found.count && status == ISO_OK; ++j) {
            const int* f = s->faces.data + s->found.data[j] * d;
            ISO_REQUIRE(s->ctx, !cut(s, x, p, f), ISO_ERR_GEOMETRY,
                        "bodies %d and %d overlap at the start near (%g, %g) m, expected apart",
                        s->body_of.data[p[0]], s->body_of.data[f[0]], x[d * p[0]], x[d * p[0] + 1]);
        }
    }
    return status == ISO_OK ? check_inside(s, e, x) : status;
}
