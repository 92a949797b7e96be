// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/core/text.h"
#include "base/values/xml_error.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh_files/vtk/vtu_array.h"
#include "geometry/mesh_text/volume_reader.h"

#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <limits.h>
#include <string.h>

#define VTK_TETRA 10
#define MAX_ELEMENTS 100000 // of the XML tree; a file has a few dozen

// What the parser's callbacks share, in its _private.
typedef struct parse_state {
    iso_xml_error error; // first, for iso_xml_error_keep()
    int element_count;
} parse_state;

static void stop(xmlParserCtxt* parser, const char* message) {
    parse_state* state = parser->_private;
    iso_xml_error_set(&state->error, xmlSAX2GetLineNumber(parser), message);
    xmlStopParser(parser);
}

// Huge texts are allowed, so the parser's own guards are off: no entities and no endless trees.
static void refuse_doctype(void* user, const xmlChar* name, const xmlChar* id, const xmlChar* uri) {
    (void)name;
    (void)id;
    (void)uri;
    stop(user, "document type definitions are not read");
}

static void begin_element(void* user, const xmlChar* name, const xmlChar* prefix,
                          const xmlChar* uri, int namespace_count, const xmlChar** namespaces,
                          int attribute_count, int default_count, const xmlChar** attributes) {
    parse_state* state = ((xmlParserCtxt*)user)->_private;
    if (++state->element_count > MAX_ELEMENTS) {
        stop(user, "too many elements");
        return;
    }
    xmlSAX2StartElementNs(user, name, prefix, uri, namespace_count, namespaces, attribute_count,
                          default_count, attributes);
}

static iso_status parse_document(iso_context* ctx, const char* name, const iso_text* text,
                                 xmlDoc** out_doc) {
    *out_doc = NULL;
    ISO_REQUIRE(ctx, text->length <= INT_MAX, ISO_ERR_RANGE, "%s: more than %d bytes of XML", name,
                INT_MAX);
    iso_xml_begin();
    xmlParserCtxt* parser = xmlNewParserCtxt();
    ISO_REQUIRE(ctx, parser, ISO_ERR_MEMORY, "XML parser");
    parse_state state = {.error.message = "unreadable"};
    parser->_private = &state;
    parser->sax->serror = iso_xml_error_keep;
    parser->sax->internalSubset = refuse_doctype;
    parser->sax->startElementNs = begin_element;
    int options = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_HUGE |
                  XML_PARSE_BIG_LINES;
    *out_doc = xmlCtxtReadMemory(parser, text->data, (int)text->length, NULL, NULL, options);
    xmlFreeParserCtxt(parser);
    bool is_good = *out_doc && !state.error.is_set && xmlDocGetRootElement(*out_doc);
    if (!is_good) {
        xmlFreeDoc(*out_doc);
        *out_doc = NULL;
    }
    ISO_REQUIRE(ctx, is_good, ISO_ERR_PARSE, "%s:%d: not well-formed XML: %s", name,
                state.error.line, state.error.message);
    return ISO_OK;
}

static const char* find_text(const char* bytes, size_t size, const char* text) {
    size_t length = strlen(text);
    while (size >= length) {
        const char* at = memchr(bytes, text[0], size - length + 1);
        if (!at) {
            return NULL;
        }
        if (memcmp(at, text, length) == 0) {
            return at;
        }
        size -= (size_t)(at - bytes) + 1;
        bytes = at + 1;
    }
    return NULL;
}

// Appended data need not be XML: it is set aside, and the document ends in front of it.
static iso_status split(const iso_volume_source* source, iso_vtu_file* file, iso_text* out_xml) {
    const char* bytes = source->bytes;
    const char* tag = find_text(bytes, source->size, "<AppendedData");
    if (!tag) {
        return iso_text_append(file->ctx, out_xml, bytes, source->size);
    }
    size_t left = source->size - (size_t)(tag - bytes);
    const char* tag_end = memchr(tag, '>', left);
    size_t behind = tag_end ? left - (size_t)(tag_end + 1 - tag) : 0;
    const char* underscore = tag_end ? memchr(tag_end + 1, '_', behind) : NULL;
    ISO_REQUIRE(file->ctx, underscore, ISO_ERR_PARSE,
                "%s: AppendedData must begin with an underscore", source->name);
    file->is_base64 = find_text(tag, (size_t)(tag_end - tag), "base64") != NULL;
    file->appended = underscore + 1;
    file->appended_size = source->size - (size_t)(file->appended - bytes);
    iso_status status = iso_text_append(file->ctx, out_xml, bytes, (size_t)(tag - bytes));
    return status == ISO_OK ? iso_text_append(file->ctx, out_xml, "</VTKFile>", 10) : status;
}

static bool is_element(const xmlNode* node, const char* name) {
    return node->type == XML_ELEMENT_NODE && strcmp((const char*)node->name, name) == 0;
}

// The only child element of a name.
static iso_status find_child(const iso_vtu_file* file, const xmlNode* parent, const char* name,
                             const xmlNode** out_child) {
    *out_child = NULL;
    for (const xmlNode* node = parent->children; node; node = node->next) {
        if (!is_element(node, name)) {
            continue;
        }
        if (*out_child) {
            return iso_vtu_fail(file, node, ISO_ERR_UNSUPPORTED,
                                "<%s> has more than one <%s>: merge them in ParaView (Merge "
                                "Blocks) and save again",
                                (const char*)parent->name, name);
        }
        *out_child = node;
    }
    return *out_child ? ISO_OK
                      : iso_vtu_fail(file, parent, ISO_ERR_PARSE, "<%s> has no <%s>",
                                     (const char*)parent->name, name);
}

static iso_status find_array(const iso_vtu_file* file, const xmlNode* parent, const char* name,
                             const xmlNode** out_array) {
    for (const xmlNode* node = parent->children; node; node = node->next) {
        const char* own = is_element(node, "DataArray") ? iso_vtu_attribute(node, "Name") : NULL;
        if (own && strcmp(own, name) == 0) {
            *out_array = node;
            return ISO_OK;
        }
    }
    return iso_vtu_fail(file, parent, ISO_ERR_PARSE, "<%s> has no DataArray '%s'",
                        (const char*)parent->name, name);
}

static iso_status expect_one_of(const iso_vtu_file* file, const xmlNode* root, const char* name,
                                const char* first, const char* second, bool* out_is_second) {
    const char* text = iso_vtu_attribute(root, name);
    *out_is_second = text && second && strcmp(text, second) == 0;
    if (!text || *out_is_second || strcmp(text, first) == 0) {
        return ISO_OK;
    }
    return iso_vtu_fail(file, root, ISO_ERR_UNSUPPORTED, "%s is '%.40s', expected %s%s%s", name,
                        text, first, second ? " or " : "", second ? second : "");
}

static iso_status read_file_attributes(iso_vtu_file* file, const xmlNode* root) {
    bool is_wide = false, unused = false;
    iso_status status = ISO_OK;
    const char* type = iso_vtu_attribute(root, "type");
    if (!is_element(root, "VTKFile") || !type || strcmp(type, "UnstructuredGrid") != 0) {
        return iso_vtu_fail(file, root, ISO_ERR_UNSUPPORTED,
                            "the file is a <%.40s> of type '%.40s', expected a <VTKFile> of type "
                            "'UnstructuredGrid'",
                            (const char*)root->name, type ? type : "");
    }
    ISO_TRY(
        expect_one_of(file, root, "byte_order", "LittleEndian", "BigEndian", &file->is_big_endian));
    ISO_TRY(expect_one_of(file, root, "header_type", "UInt32", "UInt64", &is_wide));
    ISO_TRY(expect_one_of(file, root, "compressor", "vtkZLibDataCompressor", NULL, &unused));
    file->header_size = is_wide ? 8 : 4;
    file->is_compressed = iso_vtu_attribute(root, "compressor") != NULL;

done:
    return status;
}

static iso_status read_points(const iso_vtu_file* file, const xmlNode* piece,
                              iso_volume_data* data) {
    const xmlNode *points = NULL, *array = NULL;
    double* values = NULL;
    int64_t count = 0, component_count = 0;
    iso_status status = ISO_OK;
    ISO_TRY(iso_vtu_integer_attribute(file, piece, "NumberOfPoints", 0, INT_MAX / 3, &count));
    ISO_TRY(find_child(file, piece, "Points", &points));
    ISO_TRY(find_child(file, points, "DataArray", &array));
    ISO_TRY(iso_vtu_integer_attribute(file, array, "NumberOfComponents", 3, 3, &component_count));
    ISO_TRY(iso_vtu_read_doubles(file, array, 3 * count, &values));
    data->mesh.vertices = iso_alloc_array(file->ctx, (int)count, sizeof *data->mesh.vertices);
    ISO_CHECK(file->ctx, data->mesh.vertices, ISO_ERR_MEMORY, "%lld points", (long long)count);
    data->mesh.vertex_count = (int)count;
    for (int64_t i = 0; i < count; ++i) {
        data->mesh.vertices[i] = iso_vec3_make(values[3 * i], values[3 * i + 1], values[3 * i + 2]);
    }

done:
    iso_free(file->ctx, values);
    return status;
}

static bool is_flat(int64_t type) {
    return (type >= 0 && type < VTK_TETRA) || (type >= 21 && type <= 23) || type == 35 ||
           type == 36;
}

// The arrays of <Cells>.
typedef struct cell_arrays {
    int64_t count;
    int64_t *types, *offsets, *corners;
} cell_arrays;

static iso_status read_cell_arrays(const iso_vtu_file* file, const xmlNode* piece,
                                   int64_t vertex_count, const xmlNode** out_cells,
                                   cell_arrays* out_arrays) {
    const xmlNode *types = NULL, *offsets = NULL, *corners = NULL;
    cell_arrays* a = out_arrays;
    iso_status status = ISO_OK;
    ISO_TRY(iso_vtu_integer_attribute(file, piece, "NumberOfCells", 0, INT_MAX / 4, &a->count));
    ISO_TRY(find_child(file, piece, "Cells", out_cells));
    ISO_TRY(find_array(file, *out_cells, "types", &types));
    ISO_TRY(find_array(file, *out_cells, "offsets", &offsets));
    ISO_TRY(find_array(file, *out_cells, "connectivity", &corners));
    ISO_TRY(iso_vtu_read_integers(file, types, a->count, 0, 255, &a->types));
    ISO_TRY(iso_vtu_read_integers(file, offsets, a->count, 0, INT_MAX, &a->offsets));
    int64_t corner_count = a->count > 0 ? a->offsets[a->count - 1] : 0;
    ISO_TRY(iso_vtu_read_integers(file, corners, corner_count, 0, vertex_count - 1, &a->corners));

done:
    return status;
}

static iso_status check_cell(const iso_vtu_file* file, const xmlNode* cells, const cell_arrays* a,
                             int64_t i) {
    int64_t begin = i > 0 ? a->offsets[i - 1] : 0;
    int64_t corner_count = a->offsets[i] - begin;
    if (a->types[i] != VTK_TETRA && !is_flat(a->types[i])) {
        return iso_vtu_fail(file, cells, ISO_ERR_UNSUPPORTED,
                            "cell %lld is of type %lld: of volume cells only linear tetrahedra "
                            "(type 10, 4 vertices) are read; mesh with first-order tetrahedra",
                            (long long)i, (long long)a->types[i]);
    }
    if (corner_count < 0 || (a->types[i] == VTK_TETRA && corner_count != 4)) {
        return iso_vtu_fail(file, cells, ISO_ERR_RANGE, "cell %lld has %lld vertices, expected 4",
                            (long long)i, (long long)corner_count);
    }
    return ISO_OK;
}

static iso_status read_cells(const iso_vtu_file* file, const xmlNode* piece,
                             iso_volume_data* data) {
    const xmlNode* cells = NULL;
    cell_arrays a = {0};
    int tet_count = 0;
    iso_status status = ISO_OK;
    ISO_TRY(read_cell_arrays(file, piece, data->mesh.vertex_count, &cells, &a));
    for (int64_t i = 0; i < a.count; ++i) {
        ISO_TRY(check_cell(file, cells, &a, i));
        tet_count += a.types[i] == VTK_TETRA;
    }
    data->ignored_count = (int)a.count - tet_count;
    if (tet_count == 0) {
        ISO_TRY(iso_vtu_fail(file, cells, ISO_ERR_GEOMETRY,
                             "the file has no tetrahedra (%d other cells)", data->ignored_count));
    }
    data->mesh.tets = iso_alloc_array(file->ctx, tet_count, sizeof *data->mesh.tets);
    ISO_CHECK(file->ctx, data->mesh.tets, ISO_ERR_MEMORY, "%d tetrahedra", tet_count);
    for (int64_t i = 0; i < a.count; ++i) {
        for (int k = 0; a.types[i] == VTK_TETRA && k < 4; ++k) {
            int64_t begin = i > 0 ? a.offsets[i - 1] : 0;
            data->mesh.tets[data->mesh.tet_count][k] = (int)a.corners[begin + k];
        }
        data->mesh.tet_count += a.types[i] == VTK_TETRA;
    }

done:
    iso_free(file->ctx, a.types);
    iso_free(file->ctx, a.offsets);
    iso_free(file->ctx, a.corners);
    return status;
}

static bool has_one_component(const xmlNode* array) {
    const char* text = iso_vtu_attribute(array, "NumberOfComponents");
    return !text || strcmp(text, "1") == 0;
}

static const xmlNode* find_section(const xmlNode* piece, const char* name) {
    const xmlNode* section = piece->children;
    while (section && !is_element(section, name)) {
        section = section->next;
    }
    return section ? section->children : NULL;
}

static const char* array_name(const xmlNode* node) {
    return is_element(node, "DataArray") ? iso_vtu_attribute(node, "Name") : NULL;
}

static iso_status read_point_data(const iso_vtu_file* file, const xmlNode* piece,
                                  iso_volume_data* data) {
    iso_status status = ISO_OK;
    for (const xmlNode* node = find_section(piece, "PointData"); node && status == ISO_OK;
         node = node->next) {
        const char* name = array_name(node);
        bool is_scalar = name && has_one_component(node);
        iso_wanted_array* wanted =
            is_scalar ? iso_volume_data_wants(data, name, strlen(name)) : NULL;
        if (wanted) {
            status = iso_vtu_read_doubles(file, node, data->mesh.vertex_count, &wanted->values);
        } else if (name) {
            iso_volume_data_pass_over(data, name, strlen(name),
                                      is_scalar ? ISO_ARRAY_UNKNOWN : ISO_ARRAY_OF_VECTORS);
        }
    }
    for (const xmlNode* node = find_section(piece, "CellData"); node; node = node->next) {
        const char* name = array_name(node);
        if (name) {
            iso_volume_data_pass_over(data, name, strlen(name), ISO_ARRAY_OF_CELLS);
        }
    }
    return status;
}

iso_status iso_vtu_read_volume(iso_context* ctx, const iso_volume_source* source,
                               iso_volume_data* data) {
    iso_vtu_file file = {.ctx = ctx, .name = source->name};
    iso_text xml = {0};
    xmlDoc* doc = NULL;
    const xmlNode *grid = NULL, *piece = NULL;
    iso_status status = ISO_OK;
    data->drops_vertices = true;
    ISO_CHECK(ctx, source->size > 0, ISO_ERR_PARSE, "%s: the file is empty", source->name);
    ISO_TRY(split(source, &file, &xml));
    ISO_TRY(parse_document(ctx, source->name, &xml, &doc));
    const xmlNode* root = xmlDocGetRootElement(doc);
    ISO_TRY(read_file_attributes(&file, root));
    ISO_TRY(find_child(&file, root, "UnstructuredGrid", &grid));
    ISO_TRY(find_child(&file, grid, "Piece", &piece));
    ISO_TRY(read_points(&file, piece, data));
    ISO_TRY(read_cells(&file, piece, data));
    ISO_TRY(read_point_data(&file, piece, data));

done:
    xmlFreeDoc(doc);
    iso_text_free(ctx, &xml);
    return status;
}
