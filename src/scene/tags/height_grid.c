// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/tags/height_grid.h"

#include "scene/tags/png_image.h"

// --- image ---------------------------------------------------------------------------------------

static iso_status take_image(iso_scene_build* build, iso_source at, const char* path,
                             const char* bytes, size_t size, iso_height_grid* grid) {
    iso_png_image image;
    ISO_SCENE_REQUIRE(build, at, iso_png_is(bytes, size), ISO_ERR_UNSUPPORTED,
                      "'%s' is no PNG image, which heights are read from", path);
    ISO_SCENE_TRY(iso_png_read(build, at, path, bytes, size, ISO_HEIGHT_GRID_MOST, &image));
    ISO_SCENE_REQUIRE(build, at, image.rows >= 2 && image.columns >= 2, ISO_ERR_RANGE,
                      "'%s' has %d rows of %d heights, expected 2 or more of each", path,
                      image.rows, image.columns);
    int count = image.rows * image.columns;
    grid->rows = image.rows;
    grid->columns = image.columns;
    grid->heights = iso_arena_push_array(&build->arena, count, sizeof *grid->heights);
    ISO_REQUIRE(build->ctx, grid->heights, ISO_ERR_MEMORY, "%d heights", count);
    for (int i = 0; i < count; ++i) {
        int row = grid->rows - 1 - i / grid->columns;
        grid->heights[row * grid->columns + i % grid->columns] = image.values[i] / 255.0;
    }
    return ISO_OK;
}

iso_status iso_height_grid_read_image(iso_scene_build* build, iso_source at, const char* path,
                                      iso_height_grid* grid) {
    char* bytes = NULL;
    size_t size = 0;
    ISO_SCENE_TRY(iso_scene_read_file(build, at, path, &bytes, &size));
    iso_status status = take_image(build, at, path, bytes, size, grid);
    iso_free(build->ctx, bytes);
    return status;
}

// --- surface -------------------------------------------------------------------------------------

static void add_triangle(iso_tri_mesh* mesh, int a, int b, int c) {
    int* t = mesh->triangles[mesh->triangle_count++];
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

// The i-th point around the grid, counter-clockwise from above.
static int rim_point(const iso_height_grid* grid, int i) {
    int right = grid->columns - 1, up = grid->rows - 1;
    return i < right            ? i
           : i < right + up     ? (i - right) * grid->columns + right
           : i < 2 * right + up ? up * grid->columns + (2 * right + up - i)
                                : (2 * right + 2 * up - i) * grid->columns;
}

static void place_points(const iso_height_grid* grid, int rim_count, iso_tri_mesh* mesh) {
    int count = grid->rows * grid->columns;
    for (int i = 0; i < count; ++i) {
        double s = (double)(i % grid->columns) / (grid->columns - 1);
        double t = (double)(i / grid->columns) / (grid->rows - 1);
        mesh->vertices[i] =
            iso_vec3_make(grid->half_x * (2.0 * s - 1.0), grid->half_y * (2.0 * t - 1.0),
                          grid->top * grid->heights[i]);
    }
    for (int i = 0; i < rim_count; ++i) {
        mesh->vertices[count + i] = mesh->vertices[rim_point(grid, i)];
        mesh->vertices[count + i].z = -grid->base;
    }
    mesh->vertices[count + rim_count] = iso_vec3_make(0.0, 0.0, -grid->base);
}

static void connect(const iso_height_grid* grid, int rim_count, iso_tri_mesh* mesh) {
    int columns = grid->columns, count = grid->rows * columns;
    for (int row = 0; row + 1 < grid->rows; ++row) {
        for (int column = 0; column + 1 < columns; ++column) {
            int i = row * columns + column;
            add_triangle(mesh, i, i + 1, i + columns + 1);
            add_triangle(mesh, i, i + columns + 1, i + columns);
        }
    }
    for (int i = 0; i < rim_count; ++i) {
        int next = (i + 1) % rim_count;
        add_triangle(mesh, count + i, count + next, rim_point(grid, next));
        add_triangle(mesh, count + i, rim_point(grid, next), rim_point(grid, i));
        add_triangle(mesh, count + rim_count, count + next, count + i);
    }
}

iso_status iso_height_grid_surface(iso_scene_build* build, const iso_height_grid* grid,
                                   const iso_tri_mesh** out_mesh) {
    int rim_count = 2 * (grid->rows - 1) + 2 * (grid->columns - 1);
    int vertices = grid->rows * grid->columns + rim_count + 1;
    int triangles = 2 * (grid->rows - 1) * (grid->columns - 1) + 3 * rim_count;
    iso_tri_mesh* mesh = iso_arena_push(&build->arena, sizeof *mesh);
    iso_vec3* points = iso_arena_push_array(&build->arena, vertices, sizeof *points);
    int(*corners)[3] = iso_arena_push_array(&build->arena, triangles, sizeof *corners);
    ISO_REQUIRE(build->ctx, mesh && points && corners, ISO_ERR_MEMORY,
                "height field of %d triangles", triangles);
    *mesh = (iso_tri_mesh){.vertex_count = vertices, .vertices = points, .triangles = corners};
    place_points(grid, rim_count, mesh);
    connect(grid, rim_count, mesh);
    *out_mesh = mesh;
    return ISO_OK;
}
