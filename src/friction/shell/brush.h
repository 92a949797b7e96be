// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Coulomb friction through springs and dampers on a whole patch with a field of memory: each place
// of body B has springs of its own. They are kept at the corners of a grid of cubes that is fixed
// to B, so that a patch may be found anew, with other faces, in every step: what presses is shared
// out to the eight corners of its cube, force and first moment kept. [Elandt2022] section 6.2, the
// "full" model of figure 6.5.

#include "base/core/array.h"
#include "friction/shell/stretch.h"

/// Springs at one corner of the grid. Vectors in B.
typedef struct iso_bristle {
    int index[3];      ///< of the corner; its place is index times the size of a cube
    iso_vec3 s;        ///< (kbar f)^(1/2) stretch [J^(1/2)]: s . s / 2 is their energy
    iso_vec3 normal;   ///< unit, from A into B
    double force;      ///< that presses there in the last step [N]; 0: it relaxes
    iso_vec3 friction; ///< on B in the last step [N]
    bool is_sliding;   ///< the shell did
} iso_bristle;

/// A field. Zero-initialise, then set the size of a cube.
typedef struct iso_brush {
    double size;                     ///< of a cube [m], > 0; the field is resolved to that
    ISO_ARRAY(iso_bristle) bristles; ///< those with force or memory, ordered by index
    ISO_ARRAY(iso_bristle) scratch;
} iso_brush;

/// Friction of a step.
typedef struct iso_brush_result {
    iso_spatial wrench; ///< on B (moment about its origin; force), at the end of the step, in B
    double taken;       ///< power that friction takes from the motion [W]
    double energy;      ///< of the springs, after the step [J]
    double sliding;     ///< share of the normal force where the shell slides
} iso_brush_result;

/// One step of the field at constant twist, by backward Euler at each corner in closed form: stable
/// for any step, of first order.
/// @param presses  [count] places from the origin of B, all vectors in B
/// @param v_b      twist of B relative to A at the origin of B, in B
/// @param dt       [s], > 0
/// @return ISO_ERR_MEMORY; then the field is as before
iso_status iso_brush_step(iso_context* ctx, iso_brush* brush, const iso_shell* shell, double mu,
                          const iso_press* presses, int count, iso_spatial v_b, double dt,
                          iso_brush_result* out_result);
/// Stretch at a corner [m]: shear of the surface there.
iso_vec3 iso_bristle_stretch(const iso_bristle* bristle, const iso_shell* shell);
void iso_brush_free(iso_context* ctx, iso_brush* brush);
