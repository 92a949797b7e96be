// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/mjcf.h"
#include "scene/png_image.h"

#include <math.h>
#include <string.h>

// <hfield>: a grid of heights over a rectangle becomes a closed surface, from the heights down to a
// base below them. Cells are cut from (row, column) to (row + 1, column + 1), as MuJoCo's rays
// find them.

#define MAX_POINTS (1 << 20) // 1024 by 1024

// Row 0 is at -y, column 0 at -x.
typedef struct height_grid {
    int rows, columns;
    double half_x, half_y, top, base; ///< [m]
    double* heights;                  ///< [rows * columns] 0 to 1, of top
} height_grid;

// --- heights -------------------------------------------------------------------------------------

static iso_status check_counts(const iso_mjcf_reader* reader, const xmlNode* node, double rows,
                               double columns, height_grid* grid) {
    ISO_SCENE_REQUIRE(reader->build, iso_xml_source(node),
                      rows >= 2.0 && columns >= 2.0 && rows == floor(rows) &&
                          columns == floor(columns) && rows * columns <= MAX_POINTS,
                      ISO_ERR_RANGE,
                      "<hfield>: %g rows of %g heights, expected 2 or more of each and at most %d "
                      "heights",
                      rows, columns, MAX_POINTS);
    grid->rows = (int)rows;
    grid->columns = (int)columns;
    return ISO_OK;
}

static iso_status push_heights(const iso_mjcf_reader* reader, height_grid* grid) {
    int count = grid->rows * grid->columns;
    grid->heights = iso_arena_push_array(&reader->build->arena, count, sizeof *grid->heights);
    ISO_REQUIRE(reader->build->ctx, grid->heights, ISO_ERR_MEMORY, "%d heights", count);
    memset(grid->heights, 0, (size_t)count * sizeof *grid->heights);
    return ISO_OK;
}

// Rows of the text go down from +y.
static iso_status read_elevation(const iso_mjcf_reader* reader, const xmlNode* node,
                                 const char* text, height_grid* grid) {
    double* list = NULL;
    int count = 0, columns = grid->columns;
    ISO_SCENE_TRY(iso_mjcf_parse_list(reader, node, "elevation", text, &list, &count));
    ISO_SCENE_REQUIRE(reader->build, iso_xml_source(node), count == grid->rows * columns,
                      ISO_ERR_PARSE, "<hfield>: elevation has %d numbers, expected %d rows of %d",
                      count, grid->rows, columns);
    for (int i = 0; i < count; ++i) {
        int row = grid->rows - 1 - i / columns;
        grid->heights[row * columns + i % columns] = list[i];
    }
    return ISO_OK;
}

uint32_t iso_mjcf_read_u32(const char* bytes) {
    const unsigned char* b = (const unsigned char*)bytes;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

float iso_mjcf_read_float(const char* bytes) {
    uint32_t bits = iso_mjcf_read_u32(bytes);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Brightness is height; the uppermost row is at +y.
static iso_status take_image(const iso_mjcf_reader* reader, const xmlNode* node, const char* path,
                             const char* bytes, size_t size, height_grid* grid) {
    iso_png_image image;
    ISO_SCENE_TRY(
        iso_png_read(reader->build, iso_xml_source(node), path, bytes, size, MAX_POINTS, &image));
    ISO_SCENE_TRY(check_counts(reader, node, image.rows, image.columns, grid));
    ISO_SCENE_TRY(push_heights(reader, grid));
    for (int i = 0; i < grid->rows * grid->columns; ++i) {
        int row = grid->rows - 1 - i / grid->columns;
        grid->heights[row * grid->columns + i % grid->columns] = image.values[i];
    }
    return ISO_OK;
}

// An image, or MuJoCo's own format: numbers of rows and columns, then floats, all little-endian.
static iso_status parse_file(const iso_mjcf_reader* reader, const xmlNode* node, const char* path,
                             const char* bytes, size_t size, height_grid* grid) {
    iso_scene_build* build = reader->build;
    iso_source at = iso_xml_source(node);
    if (iso_png_is(bytes, size)) {
        return take_image(reader, node, path, bytes, size, grid);
    }
    const char* dot = strrchr(path, '.');
    ISO_SCENE_REQUIRE(build, at, !dot || strcmp(dot, ".png") != 0, ISO_ERR_PARSE,
                      "<hfield>: '%s' is no PNG image", path);
    ISO_SCENE_REQUIRE(build, at, size >= 8, ISO_ERR_PARSE, "<hfield>: '%s' has %zu bytes", path,
                      size);
    ISO_SCENE_TRY(
        check_counts(reader, node, iso_mjcf_read_u32(bytes), iso_mjcf_read_u32(bytes + 4), grid));
    size_t count = (size_t)grid->rows * (size_t)grid->columns;
    ISO_SCENE_REQUIRE(build, at, size == 8 + 4 * count, ISO_ERR_PARSE,
                      "<hfield>: '%s' has %zu bytes, expected %zu for %d rows of %d heights", path,
                      size, 8 + 4 * count, grid->rows, grid->columns);
    ISO_SCENE_TRY(push_heights(reader, grid));
    for (size_t i = 0; i < count; ++i) {
        float height = iso_mjcf_read_float(bytes + 8 + 4 * i);
        ISO_SCENE_REQUIRE(build, at, isfinite(height), ISO_ERR_PARSE,
                          "<hfield>: height %zu of '%s' is %g", i, path, (double)height);
        grid->heights[i] = (double)height;
    }
    return ISO_OK;
}

static iso_status read_file(const iso_mjcf_reader* reader, const xmlNode* node, const char* file,
                            iso_mjcf_mesh* field, height_grid* grid) {
    iso_scene_build* build = reader->build;
    iso_source at = iso_xml_source(node);
    const char* path = NULL;
    char* bytes = NULL;
    size_t size = 0;
    ISO_SCENE_TRY(iso_mjcf_resolve_asset(reader, node, file, &path, &field->name));
    ISO_SCENE_TRY(iso_scene_read_file(build, at, path, &bytes, &size));
    iso_status status = parse_file(reader, node, path, bytes, size, grid);
    iso_free(build->ctx, bytes);
    return status;
}

// From 0 to 1, whatever they were; all 0 when they are the same.
static void normalize(height_grid* grid) {
    int count = grid->rows * grid->columns;
    double least = INFINITY, most = -INFINITY;
    for (int i = 0; i < count; ++i) {
        least = fmin(least, grid->heights[i]);
        most = fmax(most, grid->heights[i]);
    }
    for (int i = 0; i < count; ++i) {
        grid->heights[i] = most > least ? (grid->heights[i] - least) / (most - least) : 0.0;
    }
}

// --- surface -------------------------------------------------------------------------------------

static void add_triangle(iso_tri_mesh* mesh, int a, int b, int c) {
    int* t = mesh->triangles[mesh->triangle_count++];
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

// The i-th point around the grid, counter-clockwise from above.
static int rim_point(const height_grid* grid, int i) {
    int right = grid->columns - 1, up = grid->rows - 1;
    if (i < right) {
        return i;
    }
    if (i < right + up) {
        return (i - right) * grid->columns + right;
    }
    if (i < 2 * right + up) {
        return up * grid->columns + (2 * right + up - i);
    }
    return (2 * right + 2 * up - i) * grid->columns;
}

static void place_points(const height_grid* grid, int rim_count, iso_tri_mesh* mesh) {
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

static void connect(const height_grid* grid, int rim_count, iso_tri_mesh* mesh) {
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

static iso_status make_surface(const iso_mjcf_reader* reader, const height_grid* grid,
                               const iso_tri_mesh** out_mesh) {
    iso_scene_build* build = reader->build;
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

iso_status iso_mjcf_read_hfield(iso_mjcf_reader* reader, const xmlNode* node) {
    static const char* const known[] = {"name", "content_type", "file", "nrow",
                                        "ncol", "elevation",    "size", NULL};
    iso_scene_build* build = reader->build;
    iso_mjcf_item item = {node, -1};
    iso_mjcf_mesh field = {.shape = iso_shape_desc_default(ISO_SHAPE_MESH)};
    height_grid grid = {0};
    double size[4] = {0.0}, rows = 0.0, columns = 0.0;
    int count = 0;
    const char* file = NULL;
    const char* elevation = NULL;
    iso_xml_warn_attributes(reader->build, node, known);
    ISO_SCENE_TRY(iso_xml_attribute(build, node, "name", &field.name));
    ISO_SCENE_TRY(iso_xml_attribute(build, node, "file", &file));
    ISO_SCENE_TRY(iso_xml_attribute(build, node, "elevation", &elevation));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, &item, "nrow", 1, 1, &rows, NULL));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, &item, "ncol", 1, 1, &columns, NULL));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, &item, "size", 4, 4, size, &count));
    ISO_SCENE_TRY(count == 4 ? ISO_OK : iso_xml_needs_attribute(build, node, "size"));
    for (int i = 0; i < 4; ++i) {
        ISO_SCENE_REQUIRE(build, iso_xml_source(node),
                          size[i] > 0.0 && size[i] <= ISO_SCENE_MAX_LENGTH, ISO_ERR_RANGE,
                          "<hfield>: size is %g m, expected > 0 and <= %g", size[i],
                          ISO_SCENE_MAX_LENGTH);
    }
    grid.half_x = size[0];
    grid.half_y = size[1];
    grid.top = size[2];
    grid.base = size[3];
    if (file) {
        ISO_SCENE_TRY(read_file(reader, node, file, &field, &grid));
    } else {
        ISO_SCENE_TRY(check_counts(reader, node, rows, columns, &grid));
        ISO_SCENE_TRY(push_heights(reader, &grid));
        ISO_SCENE_TRY(elevation ? read_elevation(reader, node, elevation, &grid) : ISO_OK);
    }
    ISO_SCENE_TRY(field.name && *field.name ? ISO_OK
                                            : iso_xml_needs_attribute(build, node, "name"));
    ISO_SCENE_TRY(iso_mjcf_require_new_name(
        reader, node,
        ISO_NAME_LIST(reader->hfields.data, reader->hfields.count, iso_mjcf_mesh, name),
        field.name));
    normalize(&grid);
    ISO_SCENE_TRY(make_surface(reader, &grid, &field.shape.surface));
    field.solid = field.shape;
    ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &reader->hfields));
    reader->hfields.data[reader->hfields.count++] = field;
    return ISO_OK;
}
