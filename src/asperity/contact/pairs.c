// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/contact/skin.h"

#include <math.h>

iso_lab_box iso_skin_box_of(int d, const int* vertices, int count, const double* x, const double* u,
                            double reach) {
    iso_lab_box b = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (int a = 0; a < d; ++a) {
        b.low[a] = INFINITY;
        b.high[a] = -INFINITY;
        for (int k = 0; k < count; ++k) {
            double from = x[vertices[k] * d + a], to = from + (u ? u[vertices[k] * d + a] : 0.0);
            b.low[a] = fmin(b.low[a], fmin(from, to));
            b.high[a] = fmax(b.high[a], fmax(from, to));
        }
        b.low[a] -= reach;
        b.high[a] += reach;
    }
    return b;
}

iso_status iso_skin_put_boxes(iso_skin* s, const int* features, int size, int count,
                              const double* x, const double* u, double reach) {
    iso_status status = ISO_ARRAY_RESERVE(s->ctx, &s->boxes, count);
    if (status != ISO_OK) {
        return status;
    }
    for (int i = 0; i < count; ++i) {
        s->boxes.data[i] = iso_skin_box_of(s->dimension, features + i * size, size, x, u, reach);
    }
    return iso_box_hash_build(&s->hash, s->boxes.data, count);
}

static iso_status append(iso_skin* s, iso_gap_kind kind, const int* first, int first_count,
                         const int* second, int second_count) {
    iso_status status = ISO_ARRAY_GROW(s->ctx, &s->pairs);
    if (status != ISO_OK) {
        return status;
    }
    iso_pair* pair = &s->pairs.data[s->pairs.count++];
    *pair = (iso_pair){.kind = kind};
    for (int i = 0; i < first_count + second_count; ++i) {
        pair->vertices[i] = i < first_count ? first[i] : second[i - first_count];
    }
    return ISO_OK;
}

// Pairs of the features in the hash with one further feature, of another body. Of two edges the
// first of the list comes first.
static iso_status meet_feature(iso_skin* s, iso_gap_kind kind, const int* features, int size,
                               const int* second, int second_count, int self,
                               const iso_lab_box* box) {
    const int* body = s->body_of.data;
    s->found.count = 0;
    iso_status status = iso_box_hash_query(&s->hash, box, &s->found);
    for (int i = 0; i < s->found.count && status == ISO_OK; ++i) {
        const int* first = features + s->found.data[i] * size;
        if (body[first[0]] != body[second[0]] && s->found.data[i] > self) {
            status = append(s, kind, first, size, second, second_count);
        }
    }
    return status;
}

iso_status iso_skin_find_pairs(iso_skin* s, const double* x, const double* u, double reach) {
    int d = s->dimension;
    iso_gap_kind kind = d == 2 ? ISO_GAP_POINT_EDGE : ISO_GAP_POINT_FACE;
    s->pairs.count = 0;
    iso_status status = iso_skin_put_boxes(s, s->faces.data, d, s->face_count, x, u, reach);
    for (int i = 0; i < s->points.count && status == ISO_OK; ++i) {
        const int* point = &s->points.data[i];
        iso_lab_box box = iso_skin_box_of(d, point, 1, x, u, 0.0);
        status = meet_feature(s, kind, s->faces.data, d, point, 1, -1, &box);
    }
    if (d == 3 && status == ISO_OK) {
        status = iso_skin_put_boxes(s, s->edges.data, 2, s->edge_count, x, u, reach);
        for (int i = 0; i < s->edge_count && status == ISO_OK; ++i) {
            const int* edge = s->edges.data + 2 * i;
            iso_lab_box box = iso_skin_box_of(d, edge, 2, x, u, 0.0);
            status = meet_feature(s, ISO_GAP_EDGE_EDGE, s->edges.data, 2, edge, 2, i, &box);
        }
    }
    return status;
}

double iso_skin_free_share(const iso_skin* skin, const double* x, const double* u, double keep) {
    double share = 1.0;
    for (int i = 0; i < skin->pairs.count; ++i) {
        share = fmin(share, iso_gap_free_share(skin->dimension, &skin->pairs.data[i], x, u, keep));
    }
    return share;
}
