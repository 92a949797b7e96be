// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Searches for pairs of parts of two fields whose boxes and pressures meet.

#include "field/structure/field.h"
#include "geometry/search/bvh_descent.h"

/// Takes one pair that the surface may pass. @return false to stop
typedef bool (*iso_seed_fn)(void* user, int element_0, int element_1);

/// What the elements of a tree are.
typedef enum iso_piece_kind {
    ISO_PIECE_CELL,  ///< cells, in the order of the tree
    ISO_PIECE_FACE,  ///< faces of cells; the cell is passed on
    ISO_PIECE_SHELL, ///< cells' parts of pressure <= 0
    ISO_PIECE_PLACE, ///< parts of cells, whatever their pressure; the place in the tree is passed
                     ///< on
} iso_piece_kind;

/// One of the parts that find together, each by itself, what one search finds.
typedef struct iso_search_part {
    int index; ///< 0 .. count - 1
    int count; ///< 1: the whole search
} iso_search_part;

typedef struct iso_piece_set {
    const iso_field* field;
    const iso_bvh* tree;
    iso_piece_kind kind;
} iso_piece_set;

/// A part of body 1 in frame 0: its box with the interval of the pressure, (x, y, z, p).
typedef struct iso_piece {
    double lower[4], upper[4];
    int element;          ///< -1: none
    double corners[4][4]; ///< (x, y, z, p), the last one repeated
    iso_vec3 normal;      ///< of the plane of a face, not of unit length
    double offset;        ///< normal . x in the plane
    double slack;         ///< of distances from it, times the length of the normal
    double rise;          ///< of a cell's pressure along the direction of the search [Pa/m]
} iso_piece;

/// Pieces of as many leaves of body 1 are kept.
#define ISO_PIECE_LEAVES 64

/// Faces of a leaf of body 0, which are the lanes.
typedef struct iso_face_packet {
    iso_double4 normal[3], offset; ///< of their planes
    iso_double4 v[3][3];           ///< [corner][axis]
} iso_face_packet;

/// Parts of cells of a leaf of body 0.
typedef struct iso_cell_packet {
    iso_double4 low, high;           ///< the interval of their pressures
    iso_double4 gradient[3], offset; ///< of the pressure of the cell
} iso_cell_packet;

typedef union iso_piece_packet {
    iso_face_packet faces;
    iso_cell_packet cells;
} iso_piece_packet;

/// So many of these are kept.
#define ISO_PIECE_PACKETS 64

typedef struct iso_piece_search {
    iso_piece_set sets[2];
    const iso_pose* x_01;
    iso_seed_fn fn;
    void* user;
    /// Of cells that is_level looks at only those are wanted whose p0 - p1 rises along a direction,
    /// in either frame, by at most so much [Pa/m].
    iso_vec3 along_0, along_1;
    double most_rise;      ///< INFINITY: all
    iso_bvh_filter filter; ///< of boxes; NULL: none
    const void* filter_user;
    bool is_level;   ///< of parts of cells only those are passed on at whose corners in body 1
                     ///< p0 - p1, with p0 continued from the cell of body 0, has both signs
    long work;       ///< done so far, to compare searches by
    bool has_planes; ///< faces meet faces: each crosses the plane of the other
    iso_double4 column[3], origin;
    iso_double4 padding; ///< (x, y, z, p)
    double slack;        ///< x of the padding
    double noise;        ///< of p0 - p1 [Pa]
    int leaves_1[ISO_PIECE_LEAVES];
    iso_piece pieces_1[ISO_PIECE_LEAVES][ISO_BVH_LEAF_SIZE];
    int leaves_0[ISO_PIECE_PACKETS];
    iso_piece_packet packets_0[ISO_PIECE_PACKETS];
    iso_bvh_float4_pose x_float4;
    int depth;
    iso_bvh_slots stack[ISO_BVH_STACK_SIZE];
} iso_piece_search;

/// Rounding of p0 - p1 where both bodies are [Pa].
double iso_piece_noise(const iso_field* field_0, const iso_field* field_1);

/// Whatever follows from the sets, the pose, fn and filter, which must be set. Body 0 has cells,
/// faces or shells.
void iso_piece_search_begin(iso_piece_search* search);

static inline bool iso_piece_search_is_done(const iso_piece_search* search) {
    return search->depth == 0;
}

/// One step; not to be called when done. @return false when fn did
bool iso_piece_search_step(iso_piece_search* search);

/// From the beginning, all steps of one part. @return false when fn did
bool iso_piece_search_run(iso_piece_search* search, iso_search_part part);
