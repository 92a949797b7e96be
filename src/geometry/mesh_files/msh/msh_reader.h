// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "geometry/mesh_files/msh/msh_input.h"
#include "geometry/mesh_files/msh/msh_nodes.h"
#include "geometry/mesh_text/volume_reader.h"

// A Gmsh file while it is read: msh.c, msh_elements.c, msh_data.c.

typedef int iso_msh_corners[4];

typedef struct iso_msh_reader {
    iso_msh_input input;
    iso_context* ctx;
    iso_volume_data* data;
    bool is_version_4;
    bool has_format, has_nodes, has_elements;
    iso_msh_nodes nodes;
    ISO_ARRAY(iso_msh_corners) tets;
} iso_msh_reader;

/// The four numbers in front of the blocks of version 4.
iso_status iso_msh_read_block_header(iso_msh_reader* reader, int64_t* out_block_count);
/// $Elements: tetrahedra are kept, others passed over.
iso_status iso_msh_read_elements(iso_msh_reader* reader);
/// $NodeData: kept when it is wanted.
iso_status iso_msh_read_node_data(iso_msh_reader* reader);
