// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/mesh_files/msh/msh_reader.h"

#include <limits.h>
#include <string.h>

// $Elements of a Gmsh file.

#define GMSH_TETRAHEDRON 4

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

static iso_status find_kind(iso_msh_reader* r, int64_t type, const element_kind** out_kind) {
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

// The nodes of an element: of tetrahedra they are kept, of others passed over.
static iso_status read_element_nodes(iso_msh_reader* r, int64_t element, int64_t type,
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

static iso_status read_element_block(iso_msh_reader* r) {
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
static iso_status read_element_2(iso_msh_reader* r, int64_t* left) {
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

static iso_status read_elements_2(iso_msh_reader* r) {
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

iso_status iso_msh_read_elements(iso_msh_reader* r) {
    iso_status status = ISO_OK;
    int64_t block_count = 0;
    if (!r->has_nodes || r->has_elements) {
        return iso_lexer_fail(&r->input.lexer, ISO_ERR_PARSE,
                              r->has_elements ? "$Elements is given twice"
                                              : "$Elements comes before $Nodes");
    }
    r->has_elements = true;
    if (r->is_version_4) {
        ISO_TRY(iso_msh_read_block_header(r, &block_count));
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
