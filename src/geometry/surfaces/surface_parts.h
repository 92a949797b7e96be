// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "geometry/mesh/topology.h"
#include "geometry/search/distance.h"

// The parts of a surface, connected across edges of two triangles, while it is oriented.

/// So many parts at most have their nesting looked at: every pair costs a winding number.
#define ISO_SURFACE_MOST_PARTS 200

/// The triangles of each part come to face the same side.
typedef struct iso_surface_part_list {
    int count;
    int* part_of;   ///< [triangle_count]
    int* turned_of; ///< [count] triangles turned for that
} iso_surface_part_list;

typedef struct iso_surface_part {
    iso_tri_mesh mesh; ///< triangles of its own, vertices borrowed
    iso_distance_tree*
        tree; ///< over them, of a closed part once its place among the others is asked
    int triangle_count;
    int turned_count; ///< of its triangles so far
    int depth;        ///< closed parts around it
    bool is_closed;
    bool is_wrong; ///< to be turned as a whole
} iso_surface_part;

/// Turn one triangle.
void iso_triangle_turn(int t[3]);
/// @return ISO_ERR_MEMORY; the list is to be destroyed then too
iso_status iso_surface_find_parts(iso_context* ctx, iso_tri_mesh* mesh,
                                  const iso_tri_topology* topology,
                                  iso_surface_part_list* out_list);
void iso_surface_part_list_destroy(iso_context* ctx, iso_surface_part_list* list);
/// Triangles of the parts, and which of these are closed.
/// @param parts  [part_count] zeros
/// @return ISO_ERR_MEMORY
iso_status iso_surface_collect_parts(iso_context* ctx, const iso_tri_mesh* mesh,
                                     const iso_tri_topology* topology, const int* part_of,
                                     iso_surface_part* parts, int part_count);
/// Trees of the closed parts, of several, that have none yet.
/// @return ISO_ERR_MEMORY
iso_status iso_surface_plant_trees(iso_context* ctx, iso_surface_part* parts, int part_count);
/// How many bodies a part is inside, with trees of the parts: a point of it is inside a part of
/// theirs.
/// @return ISO_ERR_MEMORY
iso_status iso_surface_find_depths(iso_context* ctx, const iso_tri_mesh* mesh, const int* part_of,
                                   iso_surface_part* parts, int part_count);
/// Turn the triangles of wrong parts, in one pass over all triangles.
void iso_surface_turn_wrong(iso_tri_mesh* mesh, const int* part_of, const iso_surface_part* parts);
/// @param parts  may be NULL
void iso_surface_free_parts(iso_context* ctx, iso_surface_part* parts, int part_count);
