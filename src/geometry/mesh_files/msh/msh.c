// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/fail.h"
#include "geometry/mesh_files/msh/msh_reader.h"

#include <limits.h>

// Gmsh's file format, versions 2 and 4.1: https://gmsh.info/doc/texinfo/gmsh.html#File-formats

static iso_status read_format(iso_msh_reader* r) {
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

static iso_status read_position(iso_msh_reader* r, iso_vec3* out_position) {
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

static iso_status read_nodes_2(iso_msh_reader* r) {
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
static iso_status read_node_block(iso_msh_reader* r) {
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

iso_status iso_msh_read_block_header(iso_msh_reader* r, int64_t* out_block_count) {
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

static iso_status read_nodes(iso_msh_reader* r) {
    iso_status status = ISO_OK;
    int64_t block_count = 0;
    if (r->has_nodes) {
        return iso_lexer_fail(&r->input.lexer, ISO_ERR_PARSE, "$Nodes is given twice");
    }
    r->has_nodes = true;
    if (r->is_version_4) {
        ISO_TRY(iso_msh_read_block_header(r, &block_count));
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

static iso_status read_section(iso_msh_reader* r, iso_word keyword) {
    iso_lexer* lexer = &r->input.lexer;
    if (keyword.length < 2 || keyword.text[0] != '$') {
        return iso_lexer_fail_word(lexer, keyword, "the next word",
                                   r->has_format ? "the name of a section such as $Nodes"
                                                 : "$MeshFormat: not a Gmsh file (MuJoCo's own "
                                                   ".msh is read by a <mesh> of an MJCF file)");
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
        return iso_msh_read_elements(r);
    }
    if (iso_word_is(name, "NodeData")) {
        return iso_msh_read_node_data(r);
    }
    return iso_msh_skip_section(&r->input, name);
}

// Hand the mesh over; nodes of points, lines and faces alone are dropped later.
static iso_status finish(iso_msh_reader* r) {
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
    iso_msh_reader r = {.input.lexer =
                            iso_lexer_make(ctx, source->name, source->bytes, source->size),
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
