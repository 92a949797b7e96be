// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "asperity/contact/system.h"

/// The contact impulses of [Datta2018] section 3.5, in the plane: a particle is repelled by an edge
/// with K / (x - H)^2 (3.42).
typedef struct iso_impulse_law {
    double least;      ///< H, the least distance wanted [m], > 0
    double stiffness;  ///< K [N m^2], > 0
    double reach;      ///< distance from which the field is left out [m], > H
    bool keep_printed; ///< the edge's mass (3.43) and the shares (3.49) as printed, which break
                       ///< momentum and energy, instead of those that keep both
} iso_impulse_law;

/// What the field does to an edge and a particle over a step.
typedef struct iso_encounter {
    double impulse; ///< along the normal, on the particle [N s]; the edge gets its opposite
    bool is_killed; ///< the relative velocity was made zero (3.45, 3.46)
} iso_encounter;

/// Algorithm 1 of [Datta2018], with the root of (3.47) that integrates the field: it slows what
/// approaches and drives on what leaves.
/// @param velocity      of the particle from the edge along the normal [m/s], < 0: they approach
/// @param distance      x [m], > 0
/// @param inverse_mass  1 / m_C + 1 / m_edge [1/kg], > 0
iso_encounter iso_impulse_meet(const iso_impulse_law* law, double velocity, double distance,
                               double inverse_mass, double step);

/// What some explicit steps were.
typedef struct iso_explicit_report {
    double impulse[3]; ///< on the bodies but the first, from the first [N s]
    int kill_count;    ///< encounters that were made to rest
    int reload_count;  ///< steps after which an element was inverted and the last places came back
    int pair_count;    ///< encounters of the last step within reach
    double least_gap;  ///< of the last step [m]; INFINITY: none
} iso_explicit_report;

// Parts of an explicit step.

/// Internal, damping and guiding forces [N].
void iso_explicit_forces(const iso_elastic_system* s, double* out);
/// Velocities after a step of those forces, pushes and springs; those of fixed numbers are zero.
void iso_explicit_push(iso_elastic_system* s, double step, const double* forces);
/// Where the step turned an element over: back to the places before it, s->begin, and its vertices
/// to rest (the thesis' guard).
void iso_explicit_reload(iso_elastic_system* s, iso_explicit_report* report);

/// One step of symplectic Euler (3.53, 3.54): internal, damping and outer forces, then the impulses
/// of all pairs one after the other, then the places. An inverted element brings back the places
/// before the step, and its vertices to rest. Sums go on in report.
/// @return ISO_ERR_MEMORY
iso_status iso_elastic_system_explicit_step(iso_elastic_system* s, const iso_impulse_law* law,
                                            double step, iso_explicit_report* report);
