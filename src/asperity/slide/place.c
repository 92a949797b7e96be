// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/slide/slide.h"

#include <math.h>
#include <string.h>

/// Share of the reach that lies between the blocks at the start.
#define START_GAP 0.5
/// The same with penalty forces, whose reach is longer.
#define START_GAP_OF_PENALTY 0.25
/// Of how much longer the lower block is, the part behind the upper one at the start.
#define BEHIND 0.1

// Heights of a profile at x, straight between its points.
static double height_at(const iso_block_mesh* m, double pitch, double x) {
    double at = fmin(fmax(x / pitch, 0.0), (double)(m->rough_count - 1));
    int i = (int)fmin(floor(at), (double)(m->rough_count - 2));
    double share = at - i;
    return (1.0 - share) * m->vertices[2 * i + 1] + share * m->vertices[2 * i + 3];
}

// How high the upper block's mean plane must lie for its profile, turned down, to clear the lower.
static double clearance(const iso_block_mesh* low, double low_pitch, const iso_block_mesh* high,
                        double high_pitch, double shift) {
    double most = -INFINITY;
    for (int i = 0; i < high->rough_count; ++i) {
        double x = high_pitch * i;
        most = fmax(most, high->vertices[2 * i + 1] + height_at(low, low_pitch, x + shift));
    }
    for (int i = 0; i < low->rough_count; ++i) {
        double x = low_pitch * i - shift;
        if (x >= 0.0 && x <= high_pitch * (high->rough_count - 1)) {
            most = fmax(most, low->vertices[2 * i + 1] + height_at(high, high_pitch, x));
        }
    }
    return most;
}

// Both meshes as one; the upper one turned down, which turns its elements too.
static iso_status join(iso_context* ctx, const iso_block_mesh m[2], const double shift[3],
                       const iso_lab_slide_desc* d, iso_elastic** out) {
    int n = m[0].vertex_count + m[1].vertex_count, dim = m[0].dimension, corners = dim + 1;
    int count = m[0].element_count + m[1].element_count;
    double* places = iso_alloc_array(ctx, dim * n, sizeof *places);
    int* elements = iso_alloc_array(ctx, (corners + 1) * count, sizeof *elements);
    iso_elastic_material materials[2] = {iso_lab_block_material(&d->lower),
                                         iso_lab_block_material(&d->upper)};
    iso_elastic_desc desc = {.dimension = dim,
                             .vertices = places,
                             .vertex_count = n,
                             .elements = elements,
                             .element_count = count,
                             .material_of = elements + corners * count,
                             .materials = materials,
                             .material_count = 2};
    iso_status status = ISO_OK;
    ISO_CHECK(ctx, places && elements, ISO_ERR_MEMORY, "mesh of %d vertices", n);
    memcpy(places, m[0].vertices, (size_t)(dim * m[0].vertex_count) * sizeof(double));
    memcpy(elements, m[0].elements, (size_t)(corners * m[0].element_count) * sizeof(int));
    for (int i = 0; i < dim * m[1].vertex_count; ++i) {
        double sign = i % dim == dim - 1 ? -1.0 : 1.0;
        places[dim * m[0].vertex_count + i] = sign * m[1].vertices[i] + shift[i % dim];
    }
    for (int t = 0; t < m[1].element_count; ++t) {
        int* to = elements + corners * (m[0].element_count + t);
        for (int k = 0; k < corners; ++k) {
            int turned = k < 3 ? 2 - k : k;
            to[k] = m[1].elements[corners * t + turned] + m[0].vertex_count;
        }
        elements[corners * count + m[0].element_count + t] = 1;
    }
    status = iso_elastic_create(ctx, &desc, out);
    if (status == ISO_ERR_GEOMETRY) {
        status = iso_fail_prefix(ctx, status, "a profile is too steep for its pitch");
    }

done:
    iso_free(ctx, places);
    iso_free(ctx, elements);
    return status;
}

// The same in space, where vertices of both faces lie above each other.
static double clearance_in_space(const iso_lab_block* low, const iso_block_mesh m[2],
                                 const iso_lab_block* high, int columns, int rows) {
    double most = -INFINITY;
    for (int j = 0; j < high->surface->rows; ++j) {
        for (int i = 0; i < high->surface->columns; ++i) {
            int v = j * high->surface->columns + i;
            int below = (j + rows) * low->surface->columns + i + columns;
            most = fmax(most, m[1].vertices[3 * v + 2] + m[0].vertices[3 * below + 2]);
        }
    }
    return most;
}

// Where the upper block's corner comes, as if it lay face up.
static iso_status find_shift(iso_context* ctx, const iso_block_mesh m[2],
                             const iso_lab_slide_desc* d, double shift[3]) {
    const iso_lab_surface *low = d->lower.surface, *high = d->upper.surface;
    double lengths[2] = {low->pitch * (low->columns - 1), high->pitch * (high->columns - 1)};
    ISO_REQUIRE(ctx, m[0].dimension == m[1].dimension, ISO_ERR_ARGUMENT,
                "one face has %d rows, the other %d, expected profiles or grids", low->rows,
                high->rows);
    ISO_REQUIRE(ctx, lengths[1] < lengths[0], ISO_ERR_RANGE,
                "the upper block is %g m long, expected shorter than the lower one, %g m",
                lengths[1], lengths[0]);
    double finer = fmin(low->pitch, high->pitch);
    bool is_penalty = m[0].dimension == 3 && d->method == ISO_LAB_METHOD_EXPLICIT;
    double gap = (is_penalty ? START_GAP_OF_PENALTY : START_GAP) *
                 (d->reach > 0.0 ? d->reach : (is_penalty ? 2.0 : 0.1) * finer);
    shift[0] = BEHIND * (lengths[0] - lengths[1]);
    if (m[0].dimension == 2) {
        shift[1] = gap + clearance(&m[0], low->pitch, &m[1], high->pitch, shift[0]);
        return ISO_OK;
    }
    ISO_REQUIRE(ctx, low->pitch == high->pitch, ISO_ERR_RANGE,
                "the pitches of the faces are %g and %g m, expected equal in space", low->pitch,
                high->pitch);
    ISO_REQUIRE(ctx, high->rows <= low->rows, ISO_ERR_RANGE,
                "the upper block has %d rows of points, expected at most the lower one's %d",
                high->rows, low->rows);
    int columns = (int)floor(shift[0] / low->pitch + 0.5), rows = (low->rows - high->rows) / 2;
    shift[0] = columns * low->pitch;
    shift[1] = rows * low->pitch;
    shift[2] = gap + clearance_in_space(&d->lower, m, &d->upper, columns, rows);
    return ISO_OK;
}

iso_status iso_lab_slide_place(iso_context* ctx, const iso_block_mesh meshes[2],
                               const iso_lab_slide_desc* desc, iso_elastic** out) {
    double shift[3] = {0.0, 0.0, 0.0};
    iso_status status = find_shift(ctx, meshes, desc, shift);
    return status == ISO_OK ? join(ctx, meshes, shift, desc, out) : status;
}
