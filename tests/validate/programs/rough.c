// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Acceptance numbers of rough surfaces and the meshes below them, worst of drawn cases: a JSON
// line.

#include "asperity/slide/block_mesh.h"
#include "base/values/draw.h"
#include "isobar/tribology.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SEEDS = 20 };

static double between(iso_draw* draw, double low, double high) {
    return low + (high - low) * iso_draw_uniform(draw);
}

// Least distance of samples over the one that was asked for, 1 / (2 f_max).
static double spacing(iso_context* ctx, iso_draw* draw, bool is_line) {
    double highest = between(draw, 5.0, 20.0), wanted = 0.5 / highest, least = INFINITY;
    double* points = NULL;
    int count = 0;
    if (iso_lab_poisson_disc(ctx, 1.0, is_line ? 0.0 : 0.7, wanted, iso_draw_bits(draw), &points,
                             &count) != ISO_OK) {
        return 0.0;
    }
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < i; ++k) {
            double x = points[2 * i] - points[2 * k], y = points[2 * i + 1] - points[2 * k + 1];
            least = fmin(least, hypot(x, y));
        }
    }
    iso_lab_points_free(ctx, points);
    return least / wanted;
}

// Volume of an element to the power 1 / dimension.
static double size_of(const iso_block_mesh* m, int element) {
    int d = m->dimension;
    const int* v = m->elements + element * (d + 1);
    double e[3][3];
    for (int k = 0; k < d; ++k) {
        for (int a = 0; a < d; ++a) {
            e[k][a] = m->vertices[d * v[k] + a] - m->vertices[d * v[d] + a];
        }
    }
    return d == 2 ? sqrt(0.5 * fabs(e[0][0] * e[1][1] - e[0][1] * e[1][0]))
                  : cbrt(fabs(e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) +
                              e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
                              e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
                         6.0);
}

// Mean size of the elements at the rough face over that at the flat one, and the number of all over
// that of a mesh that is as fine everywhere.
static bool grading(iso_context* ctx, int rows, double* sizes, double* share) {
    iso_lab_surface_desc desc = iso_lab_surface_desc_default();
    iso_lab_surface face;
    iso_block_mesh m = {0};
    int columns = 65, layers = 32;
    desc.kind = ISO_LAB_KIND_WHITE;
    desc.rows = rows;
    desc.columns = columns;
    desc.pitch = 0.005;
    desc.rms_height = rows > 1 ? 0.0028 : 0.001;
    if (iso_lab_surface_make(ctx, &desc, &face) != ISO_OK) {
        return false;
    }
    iso_status status = iso_block_mesh_make(ctx, &face, layers * desc.pitch, &m);
    double sum[2] = {0.0, 0.0}, count[2] = {0.0, 0.0};
    for (int i = 0; status == ISO_OK && i < m.element_count; ++i) {
        bool is_rough = false, is_flat = false;
        for (int k = 0; k <= m.dimension; ++k) {
            int v = m.elements[i * (m.dimension + 1) + k];
            is_rough = is_rough || v < m.rough_count;
            is_flat = is_flat || v >= m.vertex_count - m.flat_count;
        }
        for (int part = 0; part < 2; ++part) {
            bool is_in = part ? is_flat : is_rough;
            sum[part] += is_in ? size_of(&m, i) : 0.0;
            count[part] += is_in ? 1.0 : 0.0;
        }
    }
    int cells = (columns - 1) * (rows > 1 ? rows - 1 : 1);
    *sizes = sum[0] / count[0] / (sum[1] / count[1]);
    *share = m.element_count / ((rows > 1 ? 6.0 : 2.0) * cells * layers);
    iso_block_mesh_free(ctx, &m);
    iso_lab_surface_free(ctx, &face);
    return status == ISO_OK;
}

// The local law on a flat face: normal force p A, and with a = 0 friction b over it. @return the
// worst relative error
static double binomial_error(iso_context* ctx, iso_draw* draw) {
    enum { SIDE = 4, COUNT = SIDE * SIDE };
    double heights[COUNT] = {0.0}, pressures[COUNT], normal = 0.0, along = 0.0;
    double pitch = pow(10.0, between(draw, -6.0, 0.0)), pressure = pow(10.0, between(draw, 3, 8));
    iso_trib_binomial law = {0.0, between(draw, 0.02, 0.25)};
    iso_lab_surface flat = {SIDE, SIDE, pitch, false, heights};
    for (int i = 0; i < COUNT; ++i) {
        pressures[i] = pressure;
    }
    if (iso_trib_rough_friction(ctx, &flat, pressures, law, &normal, &along) != ISO_OK) {
        return INFINITY;
    }
    return fmax(fabs(normal / (pressure * COUNT * pitch * pitch) - 1.0),
                fabs(along / normal / law.b - 1.0));
}

int main(void) {
    iso_context* ctx = NULL;
    iso_draw draw = {20181217};
    double least = INFINITY, sizes[2], shares[2], binomial = 0.0;
    if (iso_context_create(NULL, &ctx) != ISO_OK) {
        return 1;
    }
    for (int i = 0; i < SEEDS; ++i) {
        least = fmin(least, spacing(ctx, &draw, i % 2 == 1));
        binomial = fmax(binomial, binomial_error(ctx, &draw));
    }
    if (!grading(ctx, 1, &sizes[0], &shares[0]) || !grading(ctx, 65, &sizes[1], &shares[1])) {
        return 1;
    }
    printf("{\"spacing\": %.17g, \"sizes\": [%.17g, %.17g], \"shares\": [%.17g, %.17g], "
           "\"binomial\": %.17g}\n",
           least, sizes[0], sizes[1], shares[0], shares[1], binomial);
    iso_context_destroy(ctx);
    return 0;
}
