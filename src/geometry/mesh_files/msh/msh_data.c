// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "geometry/mesh_files/msh/msh_reader.h"

#include <limits.h>
#include <math.h>

// $NodeData of a Gmsh file.

// A count in front of the tags of $NodeData, which are text in binary files as well.
static iso_status read_text_count(iso_msh_reader* r, const char* what, int64_t high,
                                  int64_t* out_count) {
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
static iso_status read_view_header(iso_msh_reader* r, view_header* out_header) {
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

// @param[in,out] values  [number of nodes] NAN where none is given
static iso_status read_view_values(iso_msh_reader* r, const view_header* header, double* values) {
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
        if (!isnan(values[index])) {
            ISO_TRY(iso_lexer_fail(&in->lexer, ISO_ERR_PARSE,
                                   "node %lld is given a second value, %g after %g", (long long)tag,
                                   value, values[index]));
        }
        values[index] = value;
    }

done:
    return status;
}

iso_status iso_msh_read_node_data(iso_msh_reader* r) {
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
    if (!wanted) {
        iso_volume_data_pass_over(r->data, header.name.text, header.name.length,
                                  header.component_count == 1 ? ISO_ARRAY_UNKNOWN
                                                              : ISO_ARRAY_OF_VECTORS);
        // Numbers may look like the end of the section.
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
