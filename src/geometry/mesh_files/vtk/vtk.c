// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/mesh_text/volume_reader.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "geometry/mesh_files/vtk/vtk_array.h"

#include <limits.h>
#include <string.h>

#define VTK_TETRA 10

// A file while it is read.
typedef struct reader {
    vtk_arrays arrays;
    iso_volume_data* data; // vertices with POINTS, tets with CELLS
    int attribute_count;   // tuples in the attributes being read (points or cells)
    bool is_version_5;
    bool has_points, has_cells, has_types;
    bool is_point_data;  // inside POINT_DATA
    bool has_attributes; // inside POINT_DATA or CELL_DATA: arrays before tell of the whole file
} reader;

static iso_status read_header(reader* r) {
    static const char k_magic[] = "# vtk DataFile Version ";
    vtk_arrays* a = &r->arrays;
    iso_word line = iso_lexer_next_line(&a->lexer);
    if (line.length < sizeof k_magic || memcmp(line.text, k_magic, sizeof k_magic - 1) != 0) {
        a->lexer.line = 1;
        return iso_lexer_fail(&a->lexer, ISO_ERR_PARSE,
                              "not a legacy VTK file: the first line must be '%s...'", k_magic);
    }
    r->is_version_5 = line.text[sizeof k_magic - 1] >= '5';
    iso_lexer_next_line(&a->lexer); // title
    iso_word format = iso_lexer_next_word(&a->lexer);
    a->is_binary = iso_word_is(format, "BINARY");
    if (!a->is_binary && !iso_word_is(format, "ASCII")) {
        return iso_lexer_fail(&a->lexer, ISO_ERR_PARSE,
                              "the format is '%.*s', expected ASCII or BINARY",
                              (int)(format.length < 40 ? format.length : 40), format.text);
    }
    if (!iso_word_is(iso_lexer_next_word(&a->lexer), "DATASET")) {
        return iso_lexer_fail(&a->lexer, ISO_ERR_PARSE, "expected DATASET");
    }
    iso_word kind = iso_lexer_next_word(&a->lexer);
    if (!iso_word_is(kind, "UNSTRUCTURED_GRID")) {
        return iso_lexer_fail(&a->lexer, ISO_ERR_UNSUPPORTED,
                              "the dataset is '%.*s', expected UNSTRUCTURED_GRID of tetrahedra",
                              (int)(kind.length < 40 ? kind.length : 40), kind.text);
    }
    return ISO_OK;
}

static iso_status fail_memory(reader* r, const char* what, int count) {
    return iso_lexer_fail(&r->arrays.lexer, ISO_ERR_MEMORY, "no memory for %d %s", count, what);
}

static iso_status read_points(reader* r) {
    vtk_arrays* a = &r->arrays;
    vtk_type type;
    int count = 0;
    if (r->has_points) {
        return iso_lexer_fail(&a->lexer, ISO_ERR_PARSE, "POINTS is given twice");
    }
    iso_status status = ISO_OK;
    ISO_TRY(iso_vtk_read_count(a, "the number of points", &count));
    ISO_TRY(iso_vtk_read_type(a, &type));
    ISO_TRY(iso_vtk_begin_array(a, "POINTS", 3 * (int64_t)count, type));
    r->data->mesh.vertices = iso_alloc_array(a->lexer.ctx, count, sizeof *r->data->mesh.vertices);
    if (!r->data->mesh.vertices) {
        return fail_memory(r, "points", count);
    }
    r->data->mesh.vertex_count = count;
    r->has_points = true;
    for (int i = 0; i < count; ++i) {
        double x = 0.0, y = 0.0, z = 0.0;
        ISO_TRY(iso_vtk_read_double(a, type, "a coordinate", &x));
        ISO_TRY(iso_vtk_read_double(a, type, "a coordinate", &y));
        ISO_TRY(iso_vtk_read_double(a, type, "a coordinate", &z));
        r->data->mesh.vertices[i] = iso_vec3_make(x, y, z);
    }

done:
    return status;
}

static iso_status allocate_tets(reader* r, int count) {
    r->data->mesh.tets = iso_alloc_array(r->arrays.lexer.ctx, count, sizeof *r->data->mesh.tets);
    if (!r->data->mesh.tets) {
        return fail_memory(r, "cells", count);
    }
    r->data->mesh.tet_count = count;
    r->has_cells = true;
    return ISO_OK;
}

static iso_status read_corners(reader* r, vtk_type type, int cell) {
    for (int k = 0; k < 4; ++k) {
        int64_t index;
        iso_status status = iso_vtk_read_integer(&r->arrays, type, "a vertex of a cell", 0,
                                                 r->data->mesh.vertex_count - 1, &index);
        if (status != ISO_OK) {
            return iso_fail_prefix(r->arrays.lexer.ctx, status, "cell %d", cell);
        }
        r->data->mesh.tets[cell][k] = (int)index;
    }
    return ISO_OK;
}

static iso_status fail_cell(reader* r, int cell, const char* what, int64_t value) {
    return iso_lexer_fail(&r->arrays.lexer, ISO_ERR_UNSUPPORTED,
                          "cell %d has %lld %s: only tetrahedra (type 10, 4 vertices) are read; "
                          "export the volume cells alone",
                          cell, (long long)value, what);
}

// Versions before 5: each cell is its number of vertices and these.
static iso_status read_cell_list(reader* r, int count, int size) {
    vtk_arrays* a = &r->arrays;
    iso_status status = ISO_OK;
    ISO_TRY(iso_vtk_begin_array(a, "CELLS", size, VTK_INT32));
    if (count > size) {
        return iso_lexer_fail(&a->lexer, ISO_ERR_RANGE, "CELLS announces %d cells in %d values",
                              count, size);
    }
    ISO_TRY(allocate_tets(r, count));
    for (int i = 0; i < count; ++i) {
        int64_t corner_count = 0;
        ISO_TRY(iso_vtk_read_integer(a, VTK_INT32, "the number of vertices of a cell", 0, INT_MAX,
                                     &corner_count));
        if (corner_count != 4) {
            return fail_cell(r, i, "vertices", corner_count);
        }
        ISO_TRY(read_corners(r, VTK_INT32, i));
    }
    if (size != 5 * (int64_t)count) {
        return iso_lexer_fail(&a->lexer, ISO_ERR_RANGE,
                              "CELLS announces %d values, expected 5 for each of "
                              "%d tetrahedra",
                              size, count);
    }

done:
    return status;
}

// Versions from 5: the starts of the cells, then all vertices.
static iso_status read_cell_arrays(reader* r, int offset_count, int size) {
    vtk_arrays* a = &r->arrays;
    iso_status status = ISO_OK;
    vtk_type type = VTK_INT64;
    int count = offset_count > 0 ? offset_count - 1 : 0;
    iso_lexer_next_word(&a->lexer); // OFFSETS
    ISO_TRY(iso_vtk_read_type(a, &type));
    ISO_TRY(iso_vtk_begin_array(a, "OFFSETS", offset_count, type));
    for (int i = 0; i < offset_count; ++i) {
        int64_t offset = 0;
        ISO_TRY(iso_vtk_read_integer(a, type, "an offset of CELLS", 0, size, &offset));
        if (offset != 4 * (int64_t)i) {
            return fail_cell(r, i > 0 ? i - 1 : 0, "vertices", offset - 4 * ((int64_t)i - 1));
        }
    }
    if (size != 4 * (int64_t)count) {
        return iso_lexer_fail(&a->lexer, ISO_ERR_RANGE,
                              "CELLS announces %d vertices, expected 4 for each of "
                              "%d tetrahedra",
                              size, count);
    }
    if (!iso_word_is(iso_lexer_next_word(&a->lexer), "CONNECTIVITY")) {
        return iso_lexer_fail(&a->lexer, ISO_ERR_PARSE, "expected CONNECTIVITY");
    }
    ISO_TRY(iso_vtk_read_type(a, &type));
    ISO_TRY(iso_vtk_begin_array(a, "CONNECTIVITY", size, type));
    ISO_TRY(allocate_tets(r, count));
    for (int i = 0; i < count; ++i) {
        ISO_TRY(read_corners(r, type, i));
    }

done:
    return status;
}

static iso_status read_cells(reader* r) {
    vtk_arrays* a = &r->arrays;
    int count = 0, size = 0;
    if (!r->has_points || r->has_cells) {
        return iso_lexer_fail(&a->lexer, ISO_ERR_PARSE,
                              r->has_cells ? "CELLS is given twice" : "CELLS comes before POINTS");
    }
    iso_status status = ISO_OK;
    ISO_TRY(iso_vtk_read_count(a, "the number of cells", &count));
    ISO_TRY(iso_vtk_read_count(a, "the size of CELLS", &size));
    if (r->is_version_5 && iso_word_is(iso_lexer_peek_word(&a->lexer), "OFFSETS")) {
        return read_cell_arrays(r, count, size);
    }
    return read_cell_list(r, count, size);

done:
    return status;
}

static iso_status read_cell_types(reader* r) {
    vtk_arrays* a = &r->arrays;
    int count = 0;
    iso_status status = ISO_OK;
    ISO_TRY(iso_vtk_read_count(a, "the number of cell types", &count));
    if (!r->has_cells || count != r->data->mesh.tet_count) {
        return iso_lexer_fail(&a->lexer, ISO_ERR_PARSE,
                              "CELL_TYPES has %d entries, expected %d after CELLS", count,
                              r->data->mesh.tet_count);
    }
    ISO_TRY(iso_vtk_begin_array(a, "CELL_TYPES", count, VTK_INT32));
    for (int i = 0; i < count; ++i) {
        int64_t type = 0;
        ISO_TRY(iso_vtk_read_integer(a, VTK_INT32, "a cell type", 0, INT_MAX, &type));
        if (type != VTK_TETRA) {
            return iso_lexer_fail(&a->lexer, ISO_ERR_UNSUPPORTED,
                                  "cell %d is of type %lld, expected 10 (tetrahedron)", i,
                                  (long long)type);
        }
    }
    r->has_types = true;

done:
    return status;
}

// The point array of this name when it is wanted and can be had.
static iso_wanted_array* find_wanted(reader* r, iso_word name, int64_t component_count,
                                     int64_t tuple_count) {
    return r->is_point_data && component_count == 1 && tuple_count == r->data->mesh.vertex_count
               ? iso_volume_data_wants(r->data, name.text, name.length)
               : NULL;
}

// One array of an attribute section: kept when it is a wanted point array, else skipped.
static iso_status read_array(reader* r, iso_word name, vtk_type type, int64_t component_count,
                             int64_t tuple_count) {
    vtk_arrays* a = &r->arrays;
    iso_wanted_array* wanted = find_wanted(r, name, component_count, tuple_count);
    if (!wanted) {
        if (r->has_attributes) {
            iso_volume_data_pass_over(r->data, name.text, name.length,
                                      !r->is_point_data      ? ISO_ARRAY_OF_CELLS
                                      : component_count != 1 ? ISO_ARRAY_OF_VECTORS
                                                             : ISO_ARRAY_UNKNOWN);
        }
        if (component_count > 0 && tuple_count > INT64_MAX / component_count) {
            return iso_lexer_fail(&a->lexer, ISO_ERR_RANGE, "an array of %lld times %lld values",
                                  (long long)tuple_count, (long long)component_count);
        }
        return iso_vtk_skip_values(a, type, "an array", tuple_count * component_count);
    }
    iso_status status = iso_vtk_begin_array(a, "a point array", tuple_count, type);
    if (status != ISO_OK) {
        return status;
    }
    int count = r->data->mesh.vertex_count;
    wanted->values = iso_alloc_array(a->lexer.ctx, count, sizeof *wanted->values);
    if (!wanted->values) {
        return fail_memory(r, "array values", count);
    }
    for (int i = 0; i < count && status == ISO_OK; ++i) {
        status = iso_vtk_read_double(a, type, "an array value", &wanted->values[i]);
    }
    return status;
}

// METADATA ends with an empty line.
static void skip_metadata(iso_lexer* lexer) {
    iso_lexer_next_line(lexer);
    while (lexer->at < lexer->size && iso_lexer_next_line(lexer).length > 0) {
    }
}

static iso_status read_field(reader* r) {
    vtk_arrays* a = &r->arrays;
    int array_count = 0;
    iso_status status = ISO_OK;
    iso_lexer_next_word(&a->lexer); // name
    ISO_TRY(iso_vtk_read_count(a, "the number of arrays of a field", &array_count));
    for (int i = 0; i < array_count; ++i) {
        int component_count = 0, tuple_count = 0;
        vtk_type type = VTK_DOUBLE;
        iso_word name = iso_lexer_next_word(&a->lexer);
        if (iso_word_is(name, "METADATA")) { // belongs to the array before
            skip_metadata(&a->lexer);
            name = iso_lexer_next_word(&a->lexer);
        }
        ISO_TRY(iso_vtk_read_count(a, "the number of components", &component_count));
        ISO_TRY(iso_vtk_read_count(a, "the number of tuples", &tuple_count));
        if (iso_word_is(iso_lexer_peek_word(&a->lexer), "string")) {
            iso_lexer_next_word(&a->lexer);
            ISO_TRY(iso_vtk_skip_strings(a, (int64_t)component_count * tuple_count));
            continue;
        }
        ISO_TRY(iso_vtk_read_type(a, &type));
        ISO_TRY(read_array(r, name, type, component_count, tuple_count));
    }

done:
    return status;
}

// SCALARS name type [components], with an optional line LOOKUP_TABLE name.
static iso_status read_scalars(reader* r) {
    vtk_arrays* a = &r->arrays;
    vtk_type type = VTK_DOUBLE;
    int component_count = 1;
    iso_status status = ISO_OK;
    iso_word name = iso_lexer_next_word(&a->lexer);
    ISO_TRY(iso_vtk_read_type(a, &type));
    iso_lexer ahead = a->lexer;
    if (iso_lexer_next_word_in_line(&ahead).length > 0) {
        ISO_TRY(iso_vtk_read_count(a, "the number of components", &component_count));
    }
    if (iso_word_is(iso_lexer_peek_word(&a->lexer), "LOOKUP_TABLE")) {
        iso_lexer_next_word(&a->lexer);
        iso_lexer_next_word(&a->lexer);
    }
    ISO_TRY(read_array(r, name, type, component_count, r->attribute_count));

done:
    return status;
}

// VECTORS, NORMALS, TENSORS: name type.
static iso_status read_tuples(reader* r, int component_count) {
    vtk_type type;
    iso_word name = iso_lexer_next_word(&r->arrays.lexer);
    iso_status status = iso_vtk_read_type(&r->arrays, &type);
    return status == ISO_OK ? read_array(r, name, type, component_count, r->attribute_count)
                            : status;
}

// TEXTURE_COORDINATES name components type; COLOR_SCALARS name components;
// LOOKUP_TABLE name size.
static iso_status read_counted(reader* r, iso_word keyword) {
    vtk_arrays* a = &r->arrays;
    int count = 0;
    iso_status status = ISO_OK;
    vtk_type type = a->is_binary ? VTK_UINT8 : VTK_FLOAT;
    iso_word name = iso_lexer_next_word(&a->lexer);
    ISO_TRY(iso_vtk_read_count(a, "a size", &count));
    if (iso_word_is(keyword, "LOOKUP_TABLE")) {
        return iso_vtk_skip_values(a, type, "a lookup table", 4 * (int64_t)count);
    }
    if (iso_word_is(keyword, "TEXTURE_COORDINATES")) {
        ISO_TRY(iso_vtk_read_type(a, &type));
    }
    ISO_TRY(read_array(r, name, type, count, r->attribute_count));

done:
    return status;
}

static iso_status begin_attributes(reader* r, bool is_point_data) {
    iso_status status = iso_vtk_read_count(&r->arrays, "the size of the data", &r->attribute_count);
    int expected = is_point_data ? r->data->mesh.vertex_count : r->data->mesh.tet_count;
    r->is_point_data = is_point_data;
    r->has_attributes = true;
    if (status == ISO_OK && r->attribute_count != expected) {
        status = iso_lexer_fail(&r->arrays.lexer, ISO_ERR_PARSE, "%s has %d entries, expected %d",
                                is_point_data ? "POINT_DATA" : "CELL_DATA", r->attribute_count,
                                expected);
    }
    return status;
}

static iso_status read_section(reader* r, iso_word keyword) {
    vtk_arrays* a = &r->arrays;
    if (iso_word_is(keyword, "POINTS")) {
        return read_points(r);
    }
    if (iso_word_is(keyword, "CELLS")) {
        return read_cells(r);
    }
    if (iso_word_is(keyword, "CELL_TYPES")) {
        return read_cell_types(r);
    }
    if (iso_word_is(keyword, "POINT_DATA") || iso_word_is(keyword, "CELL_DATA")) {
        return begin_attributes(r, iso_word_is(keyword, "POINT_DATA"));
    }
    if (iso_word_is(keyword, "FIELD")) {
        return read_field(r);
    }
    if (iso_word_is(keyword, "SCALARS")) {
        return read_scalars(r);
    }
    if (iso_word_is(keyword, "VECTORS") || iso_word_is(keyword, "NORMALS")) {
        return read_tuples(r, 3);
    }
    if (iso_word_is(keyword, "TENSORS") || iso_word_is(keyword, "TENSORS6")) {
        return read_tuples(r, iso_word_is(keyword, "TENSORS") ? 9 : 6);
    }
    if (iso_word_is(keyword, "LOOKUP_TABLE") || iso_word_is(keyword, "COLOR_SCALARS") ||
        iso_word_is(keyword, "TEXTURE_COORDINATES")) {
        return read_counted(r, keyword);
    }
    if (iso_word_is(keyword, "METADATA")) {
        skip_metadata(&a->lexer);
        return ISO_OK;
    }
    return iso_lexer_fail(&a->lexer, ISO_ERR_PARSE, "unknown section '%.*s'",
                          (int)(keyword.length < 40 ? keyword.length : 40), keyword.text);
}

static iso_status check_complete(reader* r) {
    vtk_arrays* a = &r->arrays;
    const char* missing = !r->has_points  ? "POINTS"
                          : !r->has_cells ? "CELLS"
                          : !r->has_types ? "CELL_TYPES"
                                          : NULL;
    if (missing) {
        return iso_lexer_fail(&a->lexer, ISO_ERR_PARSE, "the file has no %s", missing);
    }
    if (r->data->mesh.tet_count == 0) {
        return iso_lexer_fail(&a->lexer, ISO_ERR_GEOMETRY, "the file has no tetrahedra");
    }
    return ISO_OK;
}

iso_status iso_vtk_read_volume(iso_context* ctx, const iso_volume_source* source,
                               iso_volume_data* data) {
    reader r = {.arrays = {.lexer = iso_lexer_make(ctx, source->name, source->bytes, source->size)},
                .data = data};
    iso_status status = ISO_OK;
    ISO_TRY(read_header(&r));
    for (;;) {
        iso_word keyword = iso_lexer_next_word(&r.arrays.lexer);
        if (keyword.length == 0) {
            break;
        }
        ISO_TRY(read_section(&r, keyword));
    }
    status = check_complete(&r);

done:
    return status;
}
