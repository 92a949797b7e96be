// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/alloc.h"
#include "base/fail.h"
#include "geometry/msh_input.h"
#include "geometry/msh_nodes.h"
#include "geometry/volume_reader.h"

#include <limits.h>
#include <math.h>
#include <string.h>

// Gmsh's file format, versions 2 and 4.1: https://gmsh.info/doc/texinfo/gmsh.html#File-formats

#define GMSH_TETRAHEDRON 4

typedef int tet_corners[4];

typedef struct reader {
    iso_msh_input input;
    iso_context* ctx;
    iso_volume_data* data;
    bool is_version_4;
    bool has_format, has_nodes, has_elements;
    iso_msh_nodes nodes;
    ISO_ARRAY(tet_corners) tets;
} reader;

// Kinds of elements: number of nodes, and whether they fill a volume.
typedef struct element_kind {
    int node_count;
    bool is_solid;
    const char* name;
} element_kind;

static const element_kind k_kinds[] = {
    [1] = {2, false, "line"},
    [2] = {3, false, "triangle"},
    [3] = {4, false, "quadrangle"},
    [4] = {4, true, "tetrahedron"},
    [5] = {8, true, "hexahedron"},
    [6] = {6, true, "prism"},
    [7] = {5, true, "pyramid"},
    [8] = {3, false, "second-order line"},
    [9] = {6, false, "second-order triangle"},
    [10] = {9, false, "second-order quadrangle"},
    [11] = {10, true, "second-order tetrahedron"},
    [12] = {27, true, "second-order hexahedron"},
    [13] = {18, true, "second-order prism"},
    [14] = {14, true, "second-order pyramid"},
    [15] = {1, false, "point"},
    [16] = {8, false, "second-order quadrangle"},
    [17] = {20, true, "second-order hexahedron"},
    [18] = {15, true, "second-order prism"},
    [19] = {13, true, "second-order pyramid"},
    [20] = {9, false, "third-order triangle"},
    [21] = {10, false, "third-order triangle"},
    [22] = {12, false, "fourth-order triangle"},
    [23] = {15, false, "fourth-order triangle"},
    [24] = {15, false, "fifth-order triangle"},
    [25] = {21, false, "fifth-order triangle"},
    [26] = {4, false, "third-order line"},
    [27] = {5, false, "fourth-order line"},
    [28] = {6, false, "fifth-order line"},
    [29] = {20, true, "third-order tetrahedron"},
    [30] = {35, true, "fourth-order tetrahedron"},
    [31] = {56, true, "fifth-order tetrahedron"},
};

static iso_status find_kind(reader* r, int64_t type, const element_kind** out_kind) {
    const element_kind* kind = NULL;
    if (type >= 1 && type < (int64_t)(sizeof k_kinds / sizeof k_kinds[0])) {
        kind = &k_kinds[type];
    }
    if (!kind || (kind->is_solid && type != GMSH_TETRAHEDRON)) {
        return iso_lexer_fail(&r->input.lexer, ISO_ERR_UNSUPPORTED,
                              "an element is of type %lld (%s): of volume elements only "
                              "first-order tetrahedra (type 4) are read; mesh again with "
                              "'gmsh -3 -order 1'",
                              (long long)type, kind ? kind->name : "unknown");
    }
    *out_kind = kind;
    return ISO_OK;
}

static iso_status read_format(reader* r) {
    iso_lexer* lexer = &r->input.lexer;
    double version = 0.0;
    int64_t is_binary = 0, size = 0;
    iso_status status = ISO_OK;
    iso_word word = iso_lexer_next_word(lexer);
    if (!iso_word_to_double(word, &version)) {
        return iso_lexer_fail_word(lexer, word, "the version", "2.2 or 4.1");
    }
    r->is_version_4 = version == 4.1;
    if (!r->is_version_4 && !(version >= 2.0 && version < 3.0)) {
        return iso_lexer_fail(lexer, ISO_ERR_UNSUPPORTED,
                              "the file is of version %g, expected 2.2 or 4.1: convert it with "
                              "'gmsh FILE -save -format msh41 -o NEW.msh'",
                              version);
    }
    ISO_TRY(iso_msh_read_integer(&r->input, "the file type", 4, 0, 1, &is_binary));
    ISO_TRY(iso_msh_read_integer(&r->input, "the size of numbers", 4, 8, 8, &size));
    r->input.is_binary = is_binary == 1;
    if (r->input.is_binary) {
        int64_t one = 0;
        iso_msh_begin_data(&r->input);
        ISO_TRY(iso_msh_read_integer(&r->input, "the number one", 4, INT_MIN, INT_MAX, &one));
        r->input.is_swapped = one == 0x01000000;
        if (one != 1 && one != 0x01000000) {
            return iso_lexer_fail(lexer, ISO_ERR_PARSE,
                                  "the byte order is unclear: the number one reads %lld",
                                  (long long)one);
        }
    }
    r->has_format = true;
    status = iso_msh_expect(&r->input, "$EndMeshFormat");

done:
    return status;
}

static iso_status read_position(reader* r, iso_vec3* out_position) {
    double xyz[3];
    for (int k = 0; k < 3; ++k) {
        iso_status status = iso_msh_read_double(&r->input, "a coordinate", &xyz[k]);
        if (status != ISO_OK) {
            return status;
        }
    }
    *out_position = iso_vec3_make(xyz[0], xyz[1], xyz[2]);
    return ISO_OK;
}

static iso_status read_nodes_2(reader* r) {
    int64_t count = 0;
    iso_status status = ISO_OK;
    iso_word word = iso_lexer_next_word(&r->input.lexer);
    if (!iso_word_to_integer(word, &count)) {
        return iso_lexer_fail_word(&r->input.lexer, word, "the number of nodes", "an integer");
    }
    iso_msh_begin_data(&r->input);
    ISO_TRY(iso_msh_check_room(&r->input, "nodes", count, 28, 4));
    ISO_TRY(iso_msh_nodes_reserve(r->ctx, &r->nodes, count));
    for (int64_t i = 0; i < count; ++i) {
        int64_t tag = 0;
        iso_vec3 position;
        ISO_TRY(iso_msh_read_integer(&r->input, "the tag of a node", 4, 1, INT_MAX, &tag));
        ISO_TRY(read_position(r, &position));
        iso_msh_nodes_add(&r->nodes, tag, position);
    }

done:
    return status;
}

// The tags of a block come first, then the positions with up to three parameters each.
static iso_status read_node_block(reader* r) {
    iso_msh_input* in = &r->input;
    int64_t dimension = 0, entity = 0, is_parametric = 0, count = 0;
    iso_status status = ISO_OK;
    ISO_TRY(iso_msh_read_integer(in, "the dimension of an entity", 4, 0, 3, &dimension));
    ISO_TRY(iso_msh_read_integer(in, "the tag of an entity", 4, INT_MIN, INT_MAX, &entity));
    ISO_TRY(iso_msh_read_integer(in, "'parametric'", 4, 0, 1, &is_parametric));
    ISO_TRY(iso_msh_read_integer(in, "the number of nodes of a block", 8, 0, INT_MAX, &count));
    int parameter_count = is_parametric ? (int)dimension : 0;
    ISO_TRY(iso_msh_check_room(in, "nodes", count, 32 + 8 * parameter_count, 4 + parameter_count));
    ISO_TRY(iso_msh_nodes_reserve(r->ctx, &r->nodes, count));
    int first = r->nodes.positions.count;
    for (int64_t i = 0; i < count; ++i) {
        int64_t tag = 0;
        ISO_TRY(iso_msh_read_integer(in, "the tag of a node", 8, 1, INT64_MAX, &tag));
        iso_msh_nodes_add(&r->nodes, tag, iso_vec3_zero());
    }
    for (int64_t i = 0; i < count; ++i) {
        ISO_TRY(read_position(r, &r->nodes.positions.data[first + i]));
        for (int k = 0; k < parameter_count; ++k) {
            double unused = 0.0;
            ISO_TRY(iso_msh_read_double(in, "a parameter", &unused));
        }
    }

done:
    return status;
}

// The four numbers in front of the blocks of version 4.
static iso_status read_block_header(reader* r, int64_t* out_block_count) {
    static const char* const k_names[] = {"the number of blocks", "the number of items",
                                          "the smallest tag", "the largest tag"};
    iso_msh_begin_data(&r->input);
    for (int k = 0; k < 4; ++k) {
        int64_t value = 0;
        iso_status status = iso_msh_read_integer(&r->input, k_names[k], 8, 0, INT64_MAX, &value);
        if (status != ISO_OK) {
            return status;
        }
        *out_block_count = k == 0 ? value : *out_block_count;
    }
    return iso_msh_check_room(&r->input, "blocks", *out_block_count, 20, 4);
}

static iso_status read_nodes(reader* r) {
    iso_status status = ISO_OK;
    int64_t block_count = 0;
    if (r->has_nodes) {
        return iso_lexer_fail(&r->input.lexer, ISO_ERR_PARSE, "$Nodes is given twice");
    }
    r->has_nodes = true;
    if (r->is_version_4) {
        ISO_TRY(read_block_header(r, &block_count));
        for (int64_t i = 0; i < block_count; ++i) {
            ISO_TRY(read_node_block(r));
        }
    } else {
        ISO_TRY(read_nodes_2(r));
    }
    ISO_TRY(iso_msh_expect(&r->input, "$EndNodes"));
    status = iso_msh_nodes_sort(r->ctx, &r->nodes);
    if (status != ISO_OK) {
        status = iso_fail_prefix(r->ctx, status, "%s", r->input.lexer.name);
    }

done:
    return status;
}

// The nodes of an element: of tetrahedra they are kept, of others passed over.
static iso_status read_element_nodes(reader* r, int64_t element, int64_t type,
                                     const element_kind* kind, int tag_size) {
    int corners[4] = {0};
    for (int k = 0; k < kind->node_count; ++k) {
        int64_t tag = 0;
        iso_status status =
            iso_msh_read_integer(&r->input, "a node of an element", tag_size, 1, INT64_MAX, &tag);
        if (status != ISO_OK) {
            return status;
        }
        int index = type == GMSH_TETRAHEDRON ? iso_msh_nodes_find(&r->nodes, tag) : 0;
        if (index < 0) {
            return iso_lexer_fail(&r->input.lexer, ISO_ERR_RANGE,
                                  "element %lld has node %lld, which is not among the %d nodes of "
                                  "the file",
                                  (long long)element, (long long)tag, r->nodes.tags.count);
        }
        corners[k < 4 ? k : 3] = index;
    }
    if (type != GMSH_TETRAHEDRON) {
        r->data->ignored_count += r->data->ignored_count < INT_MAX;
        return ISO_OK;
    }
    if (r->tets.count >= INT_MAX / 4) {
        return iso_lexer_fail(&r->input.lexer, ISO_ERR_RANGE, "more than %d tetrahedra",
                              INT_MAX / 4);
    }
    iso_status status = ISO_ARRAY_GROW(r->ctx, &r->tets);
    if (status == ISO_OK) {
        memcpy(r->tets.data[r->tets.count++], corners, sizeof corners);
    }
    return status;
}

static iso_status read_element_block(reader* r) {
    iso_msh_input* in = &r->input;
    int64_t dimension = 0, entity = 0, type = 0, count = 0;
    const element_kind* kind = NULL;
    iso_status status = ISO_OK;
    ISO_TRY(iso_msh_read_integer(in, "the dimension of an entity", 4, 0, 3, &dimension));
    ISO_TRY(iso_msh_read_integer(in, "the tag of an entity", 4, INT_MIN, INT_MAX, &entity));
    ISO_TRY(iso_msh_read_integer(in, "the type of elements", 4, 0, INT_MAX, &type));
    ISO_TRY(iso_msh_read_integer(in, "the number of elements of a block", 8, 0, INT_MAX, &count));
    ISO_TRY(find_kind(r, type, &kind));
    ISO_TRY(iso_msh_check_room(in, "elements", count, 8 * (kind->node_count + 1),
                               kind->node_count + 1));
    for (int64_t i = 0; i < count; ++i) {
        int64_t tag = 0;
        ISO_TRY(iso_msh_read_integer(in, "the tag of an element", 8, 0, INT64_MAX, &tag));
        ISO_TRY(read_element_nodes(r, tag, type, kind, 8));
    }

done:
    return status;
}

// Version 2: text has the type with each element, binary once for a run of elements.
static iso_status read_element_2(reader* r, int64_t* left) {
    iso_msh_input* in = &r->input;
    int64_t number = 0, type = 0, run_count = 1, tag_count = 0, unused = 0;
    const element_kind* kind = NULL;
    iso_status status = ISO_OK;
    if (!in->is_binary) {
        ISO_TRY(iso_msh_read_integer(in, "the number of an element", 4, 0, INT_MAX, &number));
    }
    ISO_TRY(iso_msh_read_integer(in, "the type of an element", 4, 0, INT_MAX, &type));
    ISO_TRY(find_kind(r, type, &kind));
    if (in->is_binary) {
        ISO_TRY(
            iso_msh_read_integer(in, "the number of elements of a run", 4, 1, *left, &run_count));
    }
    ISO_TRY(iso_msh_read_integer(in, "the number of tags", 4, 0, 10000, &tag_count));
    for (int64_t i = 0; i < run_count; ++i) {
        if (in->is_binary) {
            ISO_TRY(iso_msh_read_integer(in, "the number of an element", 4, 0, INT_MAX, &number));
        }
        for (int64_t k = 0; k < tag_count; ++k) {
            ISO_TRY(iso_msh_read_integer(in, "a tag", 4, INT_MIN, INT_MAX, &unused));
        }
        ISO_TRY(read_element_nodes(r, number, type, kind, 4));
    }
    *left -= run_count;

done:
    return status;
}

static iso_status read_elements_2(reader* r) {
    int64_t left = 0;
    iso_status status = ISO_OK;
    iso_word word = iso_lexer_next_word(&r->input.lexer);
    if (!iso_word_to_integer(word, &left)) {
        return iso_lexer_fail_word(&r->input.lexer, word, "the number of elements", "an integer");
    }
    iso_msh_begin_data(&r->input);
    ISO_TRY(iso_msh_check_room(&r->input, "elements", left, 8, 4));
    while (left > 0) {
        ISO_TRY(read_element_2(r, &left));
    }

done:
    return status;
}

static iso_status read_elements(reader* r) {
    iso_status status = ISO_OK;
    int64_t block_count = 0;
    if (!r->has_nodes || r->has_elements) {
        return iso_lexer_fail(&r->input.lexer, ISO_ERR_PARSE,
                              r->has_elements ? "$Elements is given twice"
                                              : "$Elements comes before $Nodes");
    }
    r->has_elements = true;
    if (r->is_version_4) {
        ISO_TRY(read_block_header(r, &block_count));
        for (int64_t i = 0; i < block_count; ++i) {
            ISO_TRY(read_element_block(r));
        }
    } else {
        ISO_TRY(read_elements_2(r));
    }
    status = iso_msh_expect(&r->input, "$EndElements");

done:
    return status;
}

// A count in front of the tags of $NodeData, which are text in binary files as well.
static iso_status read_text_count(reader* r, const char* what, int64_t high, int64_t* out_count) {
    iso_lexer* lexer = &r->input.lexer;
    iso_word word = iso_lexer_next_word(lexer);
    if (!iso_word_to_integer(word, out_count)) {
        return iso_lexer_fail_word(lexer, word, what, "an integer");
    }
    if (*out_count < 0 || *out_count > high) {
        return iso_lexer_fail(lexer, ISO_ERR_RANGE, "%s is %lld, expected 0 to %lld", what,
                              (long long)*out_count, (long long)high);
    }
    return ISO_OK;
}

typedef struct view_header {
    iso_word name;
    int64_t component_count, entry_count;
} view_header;

static iso_word without_quotes(iso_word line) {
    while (line.length > 0 && (line.text[0] == ' ' || line.text[0] == '\t')) {
        ++line.text;
        --line.length;
    }
    if (line.length >= 2 && line.text[0] == '"' && line.text[line.length - 1] == '"') {
        return (iso_word){line.text + 1, line.length - 2};
    }
    return line;
}

// Strings (the first is the name), reals (time), integers (step, components, entries, partition).
static iso_status read_view_header(reader* r, view_header* out_header) {
    int64_t count = 0;
    iso_status status = ISO_OK;
    iso_lexer* lexer = &r->input.lexer;
    ISO_TRY(read_text_count(r, "the number of string tags", 1000, &count));
    iso_lexer_next_line(lexer);
    for (int64_t i = 0; i < count; ++i) {
        iso_word line = iso_lexer_next_line(lexer);
        out_header->name = i == 0 ? without_quotes(line) : out_header->name;
    }
    ISO_TRY(read_text_count(r, "the number of real tags", 1000, &count));
    for (int64_t i = 0; i < count; ++i) {
        iso_lexer_next_word(lexer);
    }
    ISO_TRY(read_text_count(r, "the number of integer tags", 1000, &count));
    for (int64_t i = 0; i < count; ++i) {
        int64_t value = 0;
        ISO_TRY(read_text_count(r, "an integer tag", INT_MAX, &value));
        out_header->component_count = i == 1 ? value : out_header->component_count;
        out_header->entry_count = i == 2 ? value : out_header->entry_count;
    }

done:
    return status;
}

static iso_status read_view_values(reader* r, const view_header* header, double* values) {
    iso_msh_input* in = &r->input;
    iso_status status = ISO_OK;
    ISO_TRY(iso_msh_check_room(in, "node values", header->entry_count, 12, 2));
    for (int64_t i = 0; i < header->entry_count; ++i) {
        int64_t tag = 0;
        double value = 0.0;
        ISO_TRY(iso_msh_read_integer(in, "the tag of a node", 4, 1, INT64_MAX, &tag));
        ISO_TRY(iso_msh_read_double(in, "a node value", &value));
        int index = iso_msh_nodes_find(&r->nodes, tag);
        if (index < 0) {
            ISO_TRY(iso_lexer_fail(&in->lexer, ISO_ERR_RANGE,
                                   "a value is given for node %lld, which is not among the %d "
                                   "nodes of the file",
                                   (long long)tag, r->nodes.tags.count));
        }
        values[index] = value;
    }

done:
    return status;
}

static iso_status read_node_data(reader* r) {
    static const iso_word k_name = {"NodeData", 8};
    view_header header = {0};
    iso_status status = ISO_OK;
    ISO_TRY(read_view_header(r, &header));
    iso_wanted_array* wanted =
        header.component_count == 1
            ? iso_volume_data_wants(r->data, header.name.text, header.name.length)
            : NULL;
    if (wanted && !r->has_nodes) {
        ISO_TRY(iso_lexer_fail(&r->input.lexer, ISO_ERR_PARSE, "$NodeData comes before $Nodes"));
    }
    iso_msh_begin_data(&r->input);
    if (!wanted) { // numbers may look like the end of the section
        uint64_t size = (uint64_t)header.entry_count * (4 + 8 * (uint64_t)header.component_count);
        if (r->input.is_binary) {
            ISO_TRY(iso_msh_skip_bytes(&r->input, "$NodeData", size));
        }
        return iso_msh_skip_section(&r->input, k_name);
    }
    int count = r->nodes.positions.count;
    wanted->values = iso_alloc_array(r->ctx, count, sizeof *wanted->values);
    ISO_CHECK(r->ctx, wanted->values, ISO_ERR_MEMORY, "%d node values", count);
    for (int i = 0; i < count; ++i) {
        wanted->values[i] = NAN;
    }
    ISO_TRY(read_view_values(r, &header, wanted->values));
    status = iso_msh_expect(&r->input, "$EndNodeData");

done:
    return status;
}

static iso_status read_section(reader* r, iso_word keyword) {
    iso_lexer* lexer = &r->input.lexer;
    if (keyword.length < 2 || keyword.text[0] != '$') {
        return iso_lexer_fail_word(lexer, keyword, "the next word",
                                   r->has_format ? "the name of a section such as $Nodes"
                                                 : "$MeshFormat: not a Gmsh file");
    }
    iso_word name = {keyword.text + 1, keyword.length - 1};
    if (iso_word_is(name, "MeshFormat") && !r->has_format) {
        return read_format(r);
    }
    if (!r->has_format && !iso_word_is(name, "Comments")) {
        return iso_lexer_fail_word(lexer, keyword, "the first section",
                                   "$MeshFormat (Gmsh 2.2 or 4.1)");
    }
    if (iso_word_is(name, "Nodes")) {
        return read_nodes(r);
    }
    if (iso_word_is(name, "Elements")) {
        return read_elements(r);
    }
    if (iso_word_is(name, "NodeData")) {
        return read_node_data(r);
    }
    return iso_msh_skip_section(&r->input, name);
}

// Hand the mesh over; nodes of points, lines and faces alone are dropped later.
static iso_status finish(reader* r) {
    iso_lexer* lexer = &r->input.lexer;
    if (!r->has_nodes || !r->has_elements) {
        return iso_lexer_fail(lexer, ISO_ERR_PARSE, "the file has no %s",
                              r->has_nodes ? "$Elements" : "$Nodes");
    }
    if (r->tets.count == 0) {
        return iso_lexer_fail(lexer, ISO_ERR_GEOMETRY,
                              "the file has no tetrahedra (%d elements of lower dimension): mesh "
                              "the volume with 'gmsh -3'",
                              r->data->ignored_count);
    }
    r->data->drops_vertices = true;
    r->data->mesh = (iso_tet_mesh){.vertex_count = r->nodes.positions.count,
                                   .tet_count = r->tets.count,
                                   .vertices = r->nodes.positions.data,
                                   .tets = r->tets.data};
    r->nodes.positions.data = NULL;
    r->tets.data = NULL;
    return ISO_OK;
}

iso_status iso_msh_read_volume(iso_context* ctx, const iso_volume_source* source,
                               iso_volume_data* data) {
    reader r = {.input.lexer = iso_lexer_make(ctx, source->name, source->bytes, source->size),
                .ctx = ctx,
                .data = data};
    iso_status status = ISO_OK;
    for (;;) {
        iso_word keyword = iso_lexer_next_word(&r.input.lexer);
        if (keyword.length == 0 && r.has_format) {
            break;
        }
        ISO_TRY(read_section(&r, keyword));
    }
    status = finish(&r);

done:
    iso_msh_nodes_destroy(ctx, &r.nodes);
    ISO_ARRAY_FREE(ctx, &r.tets);
    return status;
}
