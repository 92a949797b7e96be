// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/geometry.h"

/// An axis-aligned box over triangles order[first .. first + count). Inner nodes have count 0;
/// their children are nodes `child` and `child + 1`.
typedef struct iso_distance_node {
    iso_vec3 lower, upper;
    int first, count;
    int child;
} iso_distance_node;

/// What a node's triangles look like from afar: their area vectors n dA about a point c.
typedef struct iso_winding_moment {
    iso_vec3 center;    ///< c: of their area [m]
    double radius;      ///< of a ball about it that holds them [m]
    double area;        ///< [m^2]
    iso_vec3 normal;    ///< integral of n dA [m^2]
    double first[3][3]; ///< integral of (x - c)_i n_j dA [m^3]
} iso_winding_moment;

/// Boxes over the triangles of a surface, halved level by level.
struct iso_distance_tree {
    const iso_tri_mesh* mesh;
    int* order; ///< triangles, so that every node's are in a row
    iso_distance_node* nodes;
    iso_winding_moment* moments; ///< [node_count]
    int node_count;
};

/// Room for a depth-first walk: a tree halved at every level has at most 64 of them.
#define ISO_DISTANCE_TREE_STACK 66
