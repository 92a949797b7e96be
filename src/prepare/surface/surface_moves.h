// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/geometry.h"

// Edges of a closed surface are turned or shrunk to one of their ends; vertices stay where they
// are.

enum { ISO_SURFACE_MOVE_MAX = 128 }; ///< triangles that one move changes

/// A flip or a collapse: the triangles that it changes and what they become. Those that vanish get
/// three equal corners.
typedef struct iso_surface_move {
    int count;
    int triangles[ISO_SURFACE_MOVE_MAX];
    int before[ISO_SURFACE_MOVE_MAX][3], after[ISO_SURFACE_MOVE_MAX][3];
    bool is_flip;
    int gain;     ///< for the caller to choose by
    double shift; ///< of the surface [m]
} iso_surface_move;

/// A surface at which moves are made in passes: in one pass no move touches what another has
/// changed.
typedef struct iso_surface_moving {
    iso_tri_mesh* mesh;    ///< borrowed
    int *firsts, *arounds; ///< triangles around vertex v: arounds[firsts[v]] to [firsts[v + 1]]
    bool* is_stale;        ///< [vertex_count] changed in this pass
    double tolerance;      ///< a move may shift the surface so far [m]
} iso_surface_moving;

/// @return ISO_ERR_MEMORY; release with iso_surface_moving_destroy() also on error
iso_status iso_surface_moving_create(iso_context* ctx, iso_tri_mesh* mesh, double tolerance,
                                     iso_surface_moving* out_moving);
void iso_surface_moving_destroy(iso_context* ctx, iso_surface_moving* moving);

/// Drop the triangles that have vanished and begin a new pass.
/// @return ISO_ERR_GEOMETRY (nothing is left), ISO_ERR_MEMORY
iso_status iso_surface_moving_next(iso_context* ctx, iso_surface_moving* moving);

/// The moves of a triangle: its sides turned, each shrunk to either end.
enum { ISO_SURFACE_MOVE_KINDS = 9 };

/// One of them: false where it would tear the surface, shift it too far or leave a triangle flatter
/// than least_height and than all before.
bool iso_surface_move_make(const iso_surface_moving* moving, int triangle, int kind,
                           double least_height, iso_surface_move* out_move);

/// Make it, for good.
void iso_surface_move_do(iso_surface_moving* moving, const iso_surface_move* move);

/// Height of a triangle over its longest side [m].
double iso_surface_height(const iso_tri_mesh* mesh, const int corners[3]);

static inline bool iso_surface_is_gone(const int corners[3]) {
    return corners[0] == corners[1];
}
