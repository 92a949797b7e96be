// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/mjcf/mjcf.h"
#include "scene/tags/height_grid.h"
#include "scene/tags/png_image.h"

#include <math.h>
#include <string.h>

// <hfield>: a grid of heights over a rectangle becomes a closed surface, from the heights down to a
// base below them. Cells are cut from (row, column) to (row + 1, column + 1), as MuJoCo's rays
// find them.

// --- heights -------------------------------------------------------------------------------------

// @param path  of the file that says so; NULL: the element does
static iso_status check_counts(const iso_mjcf_reader* reader, const xmlNode* node, const char* path,
                               double rows, double columns, iso_height_grid* grid) {
    const char* quote = path ? "'" : "";
    ISO_SCENE_REQUIRE(reader->build, iso_xml_source(node),
                      rows >= 2.0 && columns >= 2.0 && rows == floor(rows) &&
                          columns == floor(columns) && rows * columns <= ISO_HEIGHT_GRID_MOST,
                      ISO_ERR_RANGE,
                      "<hfield>: %s%s%s%s%g rows of %g heights, expected 2 or more of each and at "
                      "most %d heights",
                      quote, path ? path : "", quote, path ? " has " : "", rows, columns,
                      ISO_HEIGHT_GRID_MOST);
    grid->rows = (int)rows;
    grid->columns = (int)columns;
    return ISO_OK;
}

static iso_status push_heights(const iso_mjcf_reader* reader, iso_height_grid* grid) {
    int count = grid->rows * grid->columns;
    grid->heights = iso_arena_push_array(&reader->build->arena, count, sizeof *grid->heights);
    ISO_REQUIRE(reader->build->ctx, grid->heights, ISO_ERR_MEMORY, "%d heights", count);
    memset(grid->heights, 0, (size_t)count * sizeof *grid->heights);
    return ISO_OK;
}

// Rows of the text go down from +y.
static iso_status read_elevation(const iso_mjcf_reader* reader, const xmlNode* node,
                                 const char* text, iso_height_grid* grid) {
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
                             const char* bytes, size_t size, iso_height_grid* grid) {
    iso_png_image image;
    ISO_SCENE_TRY(iso_png_read(reader->build, iso_xml_source(node), path, bytes, size,
                               ISO_HEIGHT_GRID_MOST, &image));
    ISO_SCENE_TRY(check_counts(reader, node, path, image.rows, image.columns, grid));
    ISO_SCENE_TRY(push_heights(reader, grid));
    for (int i = 0; i < grid->rows * grid->columns; ++i) {
        int row = grid->rows - 1 - i / grid->columns;
        grid->heights[row * grid->columns + i % grid->columns] = image.values[i];
    }
    return ISO_OK;
}

// An image, or MuJoCo's own format: numbers of rows and columns, then floats, all little-endian.
static iso_status parse_file(const iso_mjcf_reader* reader, const xmlNode* node, const char* path,
                             const char* bytes, size_t size, iso_height_grid* grid) {
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
    ISO_SCENE_TRY(check_counts(reader, node, path, iso_mjcf_read_u32(bytes),
                               iso_mjcf_read_u32(bytes + 4), grid));
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
                            iso_mjcf_mesh* field, iso_height_grid* grid) {
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
static void normalize(iso_height_grid* grid) {
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

iso_status iso_mjcf_read_hfield(iso_mjcf_reader* reader, const xmlNode* node) {
    static const char* const known[] = {"name", "content_type", "file", "nrow",
                                        "ncol", "elevation",    "size", NULL};
    iso_scene_build* build = reader->build;
    iso_mjcf_item item = {node, -1};
    iso_mjcf_mesh field = {.shape = iso_shape_desc_default(ISO_SHAPE_MESH)};
    iso_height_grid grid = {0};
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
        ISO_SCENE_TRY(check_counts(reader, node, NULL, rows, columns, &grid));
        ISO_SCENE_TRY(push_heights(reader, &grid));
        ISO_SCENE_TRY(elevation ? read_elevation(reader, node, elevation, &grid) : ISO_OK);
    }
    ISO_SCENE_TRY(field.name && *field.name ? ISO_OK
                                            : iso_xml_needs_attribute(build, node, "name"));
    ISO_SCENE_TRY(iso_mjcf_require_new_name(
        reader, node, ISO_MJCF_HFIELDS,
        ISO_NAME_LIST(reader->hfields.data, reader->hfields.count, iso_mjcf_mesh, name),
        field.name));
    normalize(&grid);
    ISO_SCENE_TRY(iso_height_grid_surface(build, &grid, &field.shape.surface));
    // What has mass is MuJoCo's box about the middle of the base's top.
    field.solid = iso_shape_desc_default(ISO_SHAPE_BOX);
    field.solid.size = iso_vec3_make(2.0 * grid.half_x, 2.0 * grid.half_y,
                                     2.0 * (0.25 * grid.top + 0.5 * grid.base));
    ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &reader->hfields));
    reader->hfields.data[reader->hfields.count++] = field;
    return ISO_OK;
}
