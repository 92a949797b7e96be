// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/array.h"
#include "isobar/math.h"

// The nodes of a Gmsh file and their tags, for msh.c.

typedef struct iso_msh_node {
    int64_t tag;
    int index; ///< place in the file
} iso_msh_node;

typedef struct iso_msh_nodes {
    ISO_ARRAY(iso_vec3) positions;
    ISO_ARRAY(iso_msh_node) tags; ///< sorted by tag after iso_msh_nodes_sort()
    bool is_dense;                ///< tags follow each other without gaps
} iso_msh_nodes;

/// Room for count more nodes.
iso_status iso_msh_nodes_reserve(iso_context* ctx, iso_msh_nodes* nodes, int64_t count);
/// A node, in the order of the file, into reserved room.
void iso_msh_nodes_add(iso_msh_nodes* nodes, int64_t tag, iso_vec3 position);

/// Make tags searchable.
/// @return ISO_ERR_PARSE: a tag is given twice
iso_status iso_msh_nodes_sort(iso_context* ctx, iso_msh_nodes* nodes);

/// Place of a node in the file, -1 when there is none with this tag.
int iso_msh_nodes_find(const iso_msh_nodes* nodes, int64_t tag);
void iso_msh_nodes_destroy(iso_context* ctx, iso_msh_nodes* nodes);
