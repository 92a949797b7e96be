// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/slide/block_mesh.h"

#include <math.h>

// Whether the columns of a level can be made twice as wide along an axis of so many pitches.
static bool can_halve(int intervals, int level) {
    int columns = intervals >> level;
    return columns % 2 == 0 && columns >= 4;
}

iso_status iso_block_plan_make(iso_context* ctx, const iso_lab_surface* face, double first,
                               double height, iso_block_plan* r) {
    double depth = 0.0;
    bool was_halved = true; // the face first gets a regular layer below it
    r->count = 1;
    r->levels[0] = 0;
    r->depths[0] = 0.0;
    while (depth < height) {
        int level = r->levels[r->count - 1];
        double width = r->count == 1 ? first : face->pitch * (double)(1 << level);
        bool halve = !was_halved && can_halve(face->columns - 1, level) &&
                     (face->rows == 1 || can_halve(face->rows - 1, level)) && level < 20 &&
                     depth + 3.5 * width < height;
        depth += halve ? 1.5 * width : width;
        if (!halve && depth > height - 0.5 * width) {
            depth = height;
        }
        ISO_REQUIRE(ctx, r->count < ISO_BLOCK_MOST_LAYERS, ISO_ERR_RANGE,
                    "the block is %g m high, expected at most %d pitches of %g m for %d points",
                    height, ISO_BLOCK_MOST_LAYERS / 2, face->pitch, face->columns);
        r->levels[r->count] = level + (halve ? 1 : 0);
        r->depths[r->count++] = depth;
        was_halved = halve;
    }
    return ISO_OK;
}

iso_status iso_block_mesh_allocate(iso_context* ctx, iso_block_mesh* m) {
    int d = m->dimension;
    m->vertices = iso_alloc_array(ctx, d * m->vertex_count, sizeof(double));
    m->elements = iso_alloc_array(ctx, (d + 1) * m->element_count, sizeof(int));
    ISO_REQUIRE(ctx, m->vertices && m->elements, ISO_ERR_MEMORY, "mesh of %d vertices",
                m->vertex_count);
    return ISO_OK;
}

// The elements are no more than can be stored.
static iso_status check_size(iso_context* ctx, const iso_lab_surface* s,
                             const iso_block_plan* plan) {
    double count = 0.0;
    for (int i = 1; i < plan->count; ++i) {
        bool is_halved = plan->levels[i] > plan->levels[i - 1];
        double columns = (s->columns - 1) >> plan->levels[i];
        double cells = columns * (s->rows > 1 ? (s->rows - 1) >> plan->levels[i] : 1);
        count += cells * (s->rows > 1 ? (is_halved ? 22.0 : 6.0) : (is_halved ? 3.0 : 2.0));
    }
    ISO_REQUIRE(ctx, count <= ISO_BLOCK_MOST_ELEMENTS, ISO_ERR_RANGE,
                "the mesh of a block of %d rows of %d points has %.3g elements, expected at most "
                "%d: fewer points, or less height",
                s->rows, s->columns, count, (int)ISO_BLOCK_MOST_ELEMENTS);
    return ISO_OK;
}

static iso_status check(iso_context* ctx, const iso_lab_surface* s) {
    ISO_REQUIRE(ctx, s && s->heights && s->rows >= 1 && s->rows != 2 && s->columns >= 3,
                ISO_ERR_ARGUMENT,
                "the face of a block has %d rows of %d points, expected a profile or a grid of at "
                "least 3",
                s ? s->rows : 0, s ? s->columns : 0);
    for (int i = 0; i < s->rows * s->columns; ++i) {
        ISO_REQUIRE(ctx, isfinite(s->heights[i]), ISO_ERR_RANGE,
                    "height %d of a face is %g m, expected finite", i, s->heights[i]);
    }
    return ISO_OK;
}

iso_status iso_block_mesh_make(iso_context* ctx, const iso_lab_surface* s, double height,
                               iso_block_mesh* out) {
    *out = (iso_block_mesh){0};
    iso_block_plan* plan = NULL;
    double mean = 0.0, low = 0.0;
    iso_status status = check(ctx, s);
    if (status != ISO_OK) {
        return status;
    }
    int count = s->rows * s->columns;
    for (int i = 0; i < count; ++i) {
        mean += s->heights[i] / count;
    }
    for (int i = 0; i < count; ++i) {
        low = fmin(low, s->heights[i] - mean);
    }
    ISO_REQUIRE(ctx, isfinite(height) && height > -1.5 * low && height >= s->pitch, ISO_ERR_RANGE,
                "the block is %g m high, expected at least a pitch, %g m, and more than 1.5 times "
                "its deepest valley, %g m",
                height, s->pitch, -low);
    plan = iso_alloc(ctx, sizeof *plan);
    ISO_REQUIRE(ctx, plan, ISO_ERR_MEMORY, "layers of a block");
    bool is_plane = s->rows == 1;
    double first = is_plane ? s->pitch : fmin(fmax(s->pitch, 0.5 * s->pitch - 1.25 * low), height);
    out->dimension = is_plane ? 2 : 3;
    ISO_TRY(iso_block_plan_make(ctx, s, first, height, plan));
    ISO_TRY(check_size(ctx, s, plan));
    ISO_TRY(is_plane ? iso_block_mesh_fill_plane(ctx, s, plan, mean, out)
                     : iso_block_mesh_fill_space(ctx, s, plan, mean, out));

done:
    iso_free(ctx, plan);
    if (status != ISO_OK) {
        iso_block_mesh_free(ctx, out);
    }
    return status;
}

void iso_block_mesh_free(iso_context* ctx, iso_block_mesh* mesh) {
    iso_free(ctx, mesh->vertices);
    iso_free(ctx, mesh->elements);
    *mesh = (iso_block_mesh){0};
}
