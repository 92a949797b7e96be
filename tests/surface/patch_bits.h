// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/contact.h"
#include "support/check.h"

// Two patches are the same, bit for bit.
static inline void check_patch_bits(const iso_patch* p, const iso_patch* q, const char* name) {
    CHECK(p->face_count == q->face_count && p->vertex_count == q->vertex_count,
          "%s: %d, %d faces; %d, %d vertices", name, p->face_count, q->face_count, p->vertex_count,
          q->vertex_count);
    int faces = p->face_count, vertices = p->vertex_count;
    CHECK_ARRAY_BITS(&p->vertices[0].x, &q->vertices[0].x, 3 * vertices);
    CHECK_ARRAY_BITS(p->vertex_pressures, q->vertex_pressures, vertices);
    CHECK_ARRAY_BITS(p->areas, q->areas, faces);
    CHECK_ARRAY_BITS(p->pressures, q->pressures, faces);
    CHECK_ARRAY_BITS(&p->centroids[0].x, &q->centroids[0].x, 3 * faces);
    CHECK_ARRAY_BITS(&p->normals[0].x, &q->normals[0].x, 3 * faces);
    CHECK_ARRAY_BITS(&p->gradients_a[0].x, &q->gradients_a[0].x, 3 * faces);
    CHECK_ARRAY_BITS(&p->gradients_b[0].x, &q->gradients_b[0].x, 3 * faces);
    CHECK_BITS(p->center_of_pressure.x, q->center_of_pressure.x);
    CHECK_BITS(p->max_pressure, q->max_pressure);
    CHECK_BITS(p->area, q->area);
    for (int f = 0; f < faces; ++f) {
        CHECK(p->elements[f].a == q->elements[f].a && p->elements[f].b == q->elements[f].b,
              "%s: elements of face %d", name, f);
        CHECK(p->face_offsets[f + 1] == q->face_offsets[f + 1], "%s: end of face %d", name, f);
    }
}
