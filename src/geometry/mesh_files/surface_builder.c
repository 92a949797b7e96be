// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/mesh_files/surface_builder.h"

#include "geometry/mesh/mesh.h"
#include "geometry/mesh_files/polygon.h"

#include <math.h>
#include <string.h>

static uint64_t hash_position(iso_vec3 p) {
    double values[3] = {p.x, p.y, p.z};
    uint64_t bits[3];
    memcpy(bits, values, sizeof bits);
    uint64_t hash = bits[0] * 0x9e3779b97f4a7c15u;
    hash = (hash ^ hash >> 29 ^ bits[1]) * 0xc2b2ae3d27d4eb4fu;
    hash = (hash ^ hash >> 29 ^ bits[2]) * 0x165667b19e3779f9u;
    return hash ^ hash >> 32;
}

static bool coincide(iso_vec3 p, iso_vec3 q) {
    return p.x == q.x && p.y == q.y && p.z == q.z;
}

// The slot that holds a vertex of this position, or the free one where it belongs.
static int* find_slot(iso_surface_builder* builder, iso_vec3 p) {
    size_t at = (size_t)hash_position(p) & builder->slot_mask;
    for (;;) {
        int* slot = &builder->slots[at];
        if (*slot < 0) {
            return slot;
        }
        iso_vec3 q = builder->vertices.data[*slot];
        if (coincide(p, q)) {
            return slot;
        }
        at = (at + 1) & builder->slot_mask;
    }
}

// Double the table when it is half full.
static iso_status reserve_slots(iso_context* ctx, iso_surface_builder* builder) {
    size_t used = 2 * ((size_t)builder->vertices.count + 1);
    if (builder->slots && used <= builder->slot_mask) {
        return ISO_OK;
    }
    size_t slot_count = builder->slots ? 2 * (builder->slot_mask + 1) : 1024;
    int* slots = iso_alloc(ctx, slot_count * sizeof *slots);
    ISO_REQUIRE(ctx, slots, ISO_ERR_MEMORY, "surface of %d vertices", builder->vertices.count);
    memset(slots, 0xff, slot_count * sizeof *slots);
    iso_free(ctx, builder->slots);
    builder->slots = slots;
    builder->slot_mask = slot_count - 1;
    for (int i = 0; i < builder->vertices.count; ++i) {
        *find_slot(builder, builder->vertices.data[i]) = i;
    }
    return ISO_OK;
}

static iso_status add_vertex(iso_context* ctx, iso_surface_builder* builder, iso_vec3 p,
                             int* out_index) {
    ISO_REQUIRE(ctx, iso_vec3_is_finite(p), ISO_ERR_RANGE,
                "a vertex is (%g, %g, %g), expected finite coordinates", p.x, p.y, p.z);
    p = iso_vec3_add(p, iso_vec3_zero()); // -0 becomes 0
    iso_status status = reserve_slots(ctx, builder);
    if (status != ISO_OK) {
        return status;
    }
    int* slot = find_slot(builder, p);
    if (*slot < 0) {
        ISO_REQUIRE(ctx, builder->vertices.count < ISO_SURFACE_MAX_COUNT, ISO_ERR_RANGE,
                    "more than %d vertices", ISO_SURFACE_MAX_COUNT);
        status = ISO_ARRAY_GROW(ctx, &builder->vertices);
        if (status != ISO_OK) {
            return status;
        }
        *slot = builder->vertices.count;
        builder->vertices.data[builder->vertices.count++] = p;
    }
    *out_index = *slot;
    return ISO_OK;
}

iso_status iso_surface_builder_add(iso_context* ctx, iso_surface_builder* builder,
                                   const iso_vec3 corners[3]) {
    if (coincide(corners[0], corners[1]) || coincide(corners[1], corners[2]) ||
        coincide(corners[2], corners[0])) {
        ++builder->collapsed_count;
        return ISO_OK;
    }
    ISO_REQUIRE(ctx, builder->triangles.count < ISO_SURFACE_MAX_COUNT, ISO_ERR_RANGE,
                "more than %d triangles", ISO_SURFACE_MAX_COUNT);
    iso_status status = ISO_ARRAY_GROW(ctx, &builder->triangles);
    if (status != ISO_OK) {
        return status;
    }
    int* triangle = builder->triangles.data[builder->triangles.count];
    for (int k = 0; k < 3; ++k) {
        status = add_vertex(ctx, builder, corners[k], &triangle[k]);
        if (status != ISO_OK) {
            return status;
        }
    }
    iso_vec3 area = iso_triangle_area_vector(corners[0], corners[1], corners[2]);
    builder->degenerate_count += !(iso_vec3_norm(area) > 0.0);
    ++builder->triangles.count;
    return ISO_OK;
}

iso_status iso_surface_builder_add_polygon(iso_context* ctx, iso_surface_builder* builder,
                                           const iso_vec3* corners, int corner_count, bool turns) {
    iso_status status = ISO_OK;
    ISO_TRY(ISO_ARRAY_RESERVE(ctx, &builder->pieces, corner_count - 2));
    ISO_TRY(ISO_ARRAY_RESERVE(ctx, &builder->ring, corner_count));
    iso_polygon_triangulate(corners, corner_count, builder->ring.data, builder->pieces.data);
    for (int i = 0; i < corner_count - 2; ++i) {
        const int* t = builder->pieces.data[i];
        iso_vec3 triangle[3];
        for (int k = 0; k < 3; ++k) {
            triangle[k] = corners[t[turns ? 2 - k : k]];
        }
        ISO_TRY(iso_surface_builder_add(ctx, builder, triangle));
    }

done:
    return status;
}

// --- vertices that rounding keeps apart ----------------------------------------------------------

// A grid of cells, wider than the tolerance, and chains of the vertices in one slot of the table.
typedef struct vertex_grid {
    const iso_vec3* vertices;
    double tolerance, cell;
    size_t mask;
    int* heads; ///< [mask + 1] -1: none
    int* next;  ///< [vertex_count]
} vertex_grid;

static size_t slot_of(const vertex_grid* grid, const double* cell) {
    iso_vec3 p = iso_vec3_make(cell[0] + 0.0, cell[1] + 0.0, cell[2] + 0.0); // no -0
    return (size_t)hash_position(p) & grid->mask;
}

static bool are_near(const vertex_grid* grid, iso_vec3 p, iso_vec3 q) {
    return fabs(p.x - q.x) <= grid->tolerance && fabs(p.y - q.y) <= grid->tolerance &&
           fabs(p.z - q.z) <= grid->tolerance;
}

// A vertex before that is equal but for rounding, in one of the cells that it reaches into; itself
// where there is none, which then is in the grid.
static int find_near(const vertex_grid* grid, int index) {
    iso_vec3 p = grid->vertices[index];
    const double xyz[3] = {p.x, p.y, p.z};
    double low[3], high[3], own[3];
    for (int k = 0; k < 3; ++k) { // 0, which is rounded most often, is in the middle of a cell
        low[k] = floor((xyz[k] - grid->tolerance) / grid->cell + 0.5);
        high[k] = floor((xyz[k] + grid->tolerance) / grid->cell + 0.5);
        own[k] = floor(xyz[k] / grid->cell + 0.5);
    }
    for (int corner = 0; corner < 8; ++corner) {
        double cell[3];
        bool is_new = true;
        for (int k = 0; k < 3; ++k) {
            bool is_high = (corner >> k & 1) != 0;
            cell[k] = is_high ? high[k] : low[k];
            is_new = is_new && !(is_high && high[k] == low[k]);
        }
        int at = is_new ? grid->heads[slot_of(grid, cell)] : -1;
        while (at >= 0 && !are_near(grid, grid->vertices[at], p)) {
            at = grid->next[at];
        }
        if (at >= 0) {
            return at;
        }
    }
    int* head = &grid->heads[slot_of(grid, own)];
    grid->next[index] = *head;
    *head = index;
    return index;
}

// Which vertex stands for each; how many others stand for.
static int find_stands(const vertex_grid* grid, int count, int* stands) {
    int joined = 0;
    for (int i = 0; i < count; ++i) {
        stands[i] = find_near(grid, i);
        joined += stands[i] != i;
    }
    return joined;
}

static void renumber(iso_surface_builder* builder, int* stands) {
    int kept = 0;
    for (int i = 0; i < builder->vertices.count; ++i) { // those that stand come first
        bool stays = stands[i] == i;
        builder->vertices.data[kept] = builder->vertices.data[i];
        stands[i] = stays ? kept : stands[stands[i]];
        kept += stays;
    }
    builder->vertices.count = kept;
    kept = 0;
    for (int i = 0; i < builder->triangles.count; ++i) {
        const int* old = builder->triangles.data[i];
        int t[3] = {stands[old[0]], stands[old[1]], stands[old[2]]};
        bool is_whole = t[0] != t[1] && t[1] != t[2] && t[2] != t[0];
        memcpy(builder->triangles.data[kept], t, sizeof t);
        kept += is_whole;
        builder->collapsed_count += !is_whole;
    }
    builder->triangles.count = kept;
}

// Vertices are not joined over a larger share of the size of the surface.
#define LARGEST_JOINED_SHARE 1e-6

iso_status iso_surface_builder_join(iso_context* ctx, iso_surface_builder* builder,
                                    int* out_joined) {
    int count = builder->vertices.count;
    double largest = 0.0, size = 0.0;
    size_t slots = 1024;
    *out_joined = 0;
    for (int i = 0; i < count; ++i) {
        iso_vec3 p = builder->vertices.data[i];
        iso_vec3 way = iso_vec3_sub(p, builder->vertices.data[0]);
        largest = fmax(largest, fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))));
        size = fmax(size, fmax(fabs(way.x), fmax(fabs(way.y), fabs(way.z))));
    }
    if (ISO_SURFACE_ROUNDING * largest > LARGEST_JOINED_SHARE * size) {
        return ISO_OK; // so far from the origin that nothing of it is more than rounding
    }
    while (slots < 2 * (size_t)count) {
        slots *= 2;
    }
    vertex_grid grid = {.vertices = builder->vertices.data,
                        .tolerance = ISO_SURFACE_ROUNDING * largest,
                        .cell = 16.0 * ISO_SURFACE_ROUNDING * largest,
                        .mask = slots - 1};
    if (!(grid.cell > 0.0)) {
        return ISO_OK; // all in one place, or too small for cells
    }
    grid.heads = iso_alloc(ctx, slots * sizeof *grid.heads);
    grid.next = iso_alloc(ctx, (size_t)count * sizeof *grid.next);
    int* stands = iso_alloc(ctx, (size_t)count * sizeof *stands);
    bool has_room = grid.heads && grid.next && stands;
    if (has_room) {
        memset(grid.heads, 0xff, slots * sizeof *grid.heads);
        *out_joined = find_stands(&grid, count, stands);
    }
    if (has_room && *out_joined > 0) {
        renumber(builder, stands);
    }
    iso_free(ctx, grid.heads);
    iso_free(ctx, grid.next);
    iso_free(ctx, stands);
    ISO_REQUIRE(ctx, has_room, ISO_ERR_MEMORY, "surface of %d vertices", count);
    return ISO_OK;
}

static void free_scratch(iso_context* ctx, iso_surface_builder* builder) {
    iso_free(ctx, builder->slots);
    ISO_ARRAY_FREE(ctx, &builder->pieces);
    ISO_ARRAY_FREE(ctx, &builder->ring);
}

iso_tri_mesh iso_surface_builder_finish(iso_context* ctx, iso_surface_builder* builder) {
    iso_tri_mesh mesh = {builder->vertices.count, builder->triangles.count, builder->vertices.data,
                         builder->triangles.data};
    free_scratch(ctx, builder);
    *builder = (iso_surface_builder){0};
    return mesh;
}

void iso_surface_builder_destroy(iso_context* ctx, iso_surface_builder* builder) {
    ISO_ARRAY_FREE(ctx, &builder->vertices);
    ISO_ARRAY_FREE(ctx, &builder->triangles);
    free_scratch(ctx, builder);
    *builder = (iso_surface_builder){0};
}
