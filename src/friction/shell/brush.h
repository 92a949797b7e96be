// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Coulomb friction through springs and dampers on a whole patch with a field of memory: each place
// of body B has springs of its own. They are kept at the corners of a grid of cubes that is fixed
// to B, so that a patch may be found anew, with other faces, in every step: what presses is shared
// out to the eight corners of its cube, force and first moment kept. [Elandt2022] section 6.2, the
// "full" model of figure 6.5.

#include "base/core/arena.h"
#include "friction/shell/stretch.h"

/// Numbers of memory of a corner: s = (kbar f)^(1/2) stretch [J^(1/2)], of which s . s / 2 is the
/// energy; axes of B. It stays as f changes: where f falls as exp(-r t) springs that slide are
/// stretched to 1 / (1 - tau r / 2) of mu / kbar, and their friction is mu f all the same.
#define ISO_CORNER_NUMBERS 3

/// Largest index of a corner; what lies farther out is at the outermost one.
#define ISO_CORNER_FARTHEST 1000000000

/// A corner of the grid: its place is index times the size of a cube, from the origin of B.
typedef struct iso_corner {
    int index[3];
} iso_corner;

/// By the first index, then the second, then the third: < 0, 0, > 0.
int iso_corner_order(const iso_corner* a, const iso_corner* b);

/// Corners that have springs.
typedef struct iso_brush {
    double size;               ///< of a cube [m], > 0; the field is resolved to that
    const iso_corner* corners; ///< [count] ordered, each once
    int count;
} iso_brush;

/// A corner that acts, or may.
typedef struct iso_corner_load {
    double force;     ///< on it [N]
    iso_vec3 normal;  ///< from A into B, unit; axes of the presses
    iso_vec3 place;   ///< where it acts
    bool is_pressed;  ///< else its share of the force is rounding, and nothing else here counts
    bool is_sliding;  ///< set by who finds its friction, as the two below
    iso_vec3 stretch; ///< [m]
    iso_vec3 share;   ///< friction on B over the force
} iso_corner_load;

/// What presses on each corner: those of the brush, then missing ones, in the arena.
typedef struct iso_brush_field {
    const iso_brush* brush;
    struct iso_sharing* sharings; ///< of the places
    iso_corner_load* loads;       ///< [count]
    int count;
    const iso_corner* missing; ///< [missing_count] as those of iso_brush_result
    int missing_count;
    double force; ///< of all [N]
} iso_brush_field;

/// Force and first moment of places, shared out to the corners of their cubes.
/// @return ISO_ERR_MEMORY
iso_status iso_brush_load(iso_arena* arena, const iso_brush* brush, const iso_press* presses,
                          int count, iso_brush_field* out_field);

/// The same field under other forces of the same places.
void iso_brush_reload(iso_brush_field* field, const iso_press* presses, int count);

/// What each place feels of its corners: friction of all places is that of all corners.
/// @param[out] out_felt  [count] in the axes of the corners' friction
void iso_brush_feel(const iso_brush_field* field, const iso_press* presses, int count,
                    iso_press_felt* out_felt);

/// Friction of a field and how it moves.
typedef struct iso_brush_result {
    iso_spatial wrench;        ///< on B (moment about its origin; force), in B
    double taken;              ///< power that friction takes from the motion [W]
    double heat;               ///< lost in slip and dampers, springs get the rest [W]
    double sliding;            ///< share of the normal force where the shell slides
    const iso_corner* missing; ///< [missing_count] ordered: that are pressed and are no corners of
    int missing_count;         ///< the brush, so that dampers act alone there; in the arena
} iso_brush_result;

/// Friction and rates. Corners that nothing presses relax.
/// @param presses    [count] places from the origin of B, all vectors in B
/// @param v_b        twist of B relative to A at the origin of B, in B
/// @param s          [ISO_CORNER_NUMBERS * brush->count]
/// @param out_rates  of those, or NULL
/// @param out_felt   [count] or NULL
/// @return ISO_ERR_MEMORY
iso_status iso_brush_eval(iso_arena* arena, const iso_shell* shell, double mu,
                          const iso_brush* brush, const double* s, const iso_press* presses,
                          int count, iso_spatial v_b, double* out_rates, iso_press_felt* out_felt,
                          iso_brush_result* out_result);

/// Two ordered lists as one: corners of both, each once, and their numbers, zero where new.
/// @param out_corners  [a->count + more_count]
/// @param out_s        [ISO_CORNER_NUMBERS * (a->count + more_count)]
/// @return corners
int iso_brush_merge(const iso_brush* a, const double* s, const iso_corner* more, int more_count,
                    iso_corner* out_corners, double* out_s);
