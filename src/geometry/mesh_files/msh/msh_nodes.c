// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/mesh_files/msh/msh_nodes.h"

#include <limits.h>
#include <stdlib.h>

iso_status iso_msh_nodes_reserve(iso_context* ctx, iso_msh_nodes* nodes, int64_t count) {
    ISO_REQUIRE(ctx, count <= INT_MAX / 4 - nodes->positions.count, ISO_ERR_RANGE,
                "more than %d nodes", INT_MAX / 4);
    int needed = nodes->positions.count + (int)count;
    iso_status status = ISO_ARRAY_RESERVE(ctx, &nodes->positions, needed);
    return status == ISO_OK ? ISO_ARRAY_RESERVE(ctx, &nodes->tags, needed) : status;
}

void iso_msh_nodes_add(iso_msh_nodes* nodes, int64_t tag, iso_vec3 position) {
    nodes->tags.data[nodes->tags.count++] = (iso_msh_node){tag, nodes->positions.count};
    nodes->positions.data[nodes->positions.count++] = position;
}

static int compare_tags(const void* a, const void* b) {
    const iso_msh_node *x = a, *y = b;
    return x->tag < y->tag ? -1 : (x->tag > y->tag);
}

iso_status iso_msh_nodes_sort(iso_context* ctx, iso_msh_nodes* nodes) {
    int count = nodes->tags.count;
    iso_msh_node* tags = nodes->tags.data;
    bool is_sorted = true;
    for (int i = 1; i < count; ++i) {
        is_sorted = is_sorted && tags[i - 1].tag < tags[i].tag;
    }
    if (!is_sorted) {
        qsort(tags, (size_t)count, sizeof *tags, compare_tags);
    }
    for (int i = 1; i < count; ++i) {
        ISO_REQUIRE(ctx, tags[i - 1].tag != tags[i].tag, ISO_ERR_PARSE, "node %lld is given twice",
                    (long long)tags[i].tag);
    }
    // Tags are at least 1, so the difference does not overflow.
    nodes->is_dense = count > 0 && tags[count - 1].tag - tags[0].tag == count - 1;
    return ISO_OK;
}

int iso_msh_nodes_find(const iso_msh_nodes* nodes, int64_t tag) {
    int count = nodes->tags.count;
    const iso_msh_node* tags = nodes->tags.data;
    if (count == 0 || tag < tags[0].tag || tag > tags[count - 1].tag) {
        return -1;
    }
    if (nodes->is_dense) {
        return tags[tag - tags[0].tag].index;
    }
    iso_msh_node key = {tag, 0};
    const iso_msh_node* found = bsearch(&key, tags, (size_t)count, sizeof *tags, compare_tags);
    return found ? found->index : -1;
}

void iso_msh_nodes_destroy(iso_context* ctx, iso_msh_nodes* nodes) {
    ISO_ARRAY_FREE(ctx, &nodes->positions);
    ISO_ARRAY_FREE(ctx, &nodes->tags);
}
