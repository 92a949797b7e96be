// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Coulomb friction through springs and dampers on a whole patch with six numbers of memory: the
// stretch of all its points is that of one rigid motion. [Elandt2022] section 6.2 and appendix D.
// The friction of each instant is that of each point; only how the springs are carried on is
// reduced.

#include "friction/shell/shell.h"
#include "isobar/math.h"

/// A place where the two bodies press on each other.
typedef struct iso_press {
    iso_vec3 place;  ///< from the common point of the twist [m]
    iso_vec3 normal; ///< unit, from A into B
    double force;    ///< along the normal, >= 0 [N]
    int face;        ///< of the patch it stands for; -1: none
} iso_press;

/// What friction does at such a place.
typedef struct iso_press_felt {
    iso_vec3 friction; ///< on B [N]
    iso_vec3 stretch;  ///< of the springs: B has moved so far over the shell [m]
    double sliding;    ///< share of the force where the shell slides, in [0, 1]
} iso_press_felt;

/// Numbers of the memory.
#define ISO_STRETCH_COUNT 6

/// The motion (Delta_theta; Delta_r) about the centre of pressure and its springs, scaled: s =
/// Kbar^(1/2) S Delta [J^(1/2)], of which s . s / 2 is the energy. It turns with body B.
/// [Elandt2022] eq. 6.21; his eq. 6.13 has the wrong sign, 6.26 the right one.
typedef struct iso_stretch {
    double s[ISO_STRETCH_COUNT];
} iso_stretch;

/// Friction of a patch and how its memory moves.
typedef struct iso_stretch_result {
    iso_spatial wrench; ///< on B (moment about the common point; force)
    iso_stretch rate;   ///< ds/dt, axes as those of the places
    iso_spatial motion; ///< Delta about the centre of pressure [1; m]
    iso_vec3 center;    ///< the centre of pressure, from the common point [m]
    double taken;       ///< power that friction takes from the motion [W]
    double heat;        ///< lost in slip and dampers, >= 0 to rounding; springs get the rest [W]
    double sliding;     ///< share of the normal force where the shell slides
} iso_stretch_result;

/// Friction and rates. Without places or force the springs relax.
/// @param presses       [count]
/// @param v_c           twist of B relative to A at the common point
/// @param stretch       axes as those of the places
/// @param out_felt      [count] or NULL
void iso_stretch_eval(const iso_shell* shell, double mu, const iso_press* presses, int count,
                      iso_spatial v_c, const iso_stretch* stretch, iso_press_felt* out_felt,
                      iso_stretch_result* out_result);

/// Energy of the springs [J].
double iso_stretch_energy(const iso_stretch* stretch);
