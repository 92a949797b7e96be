// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// The point-contact model: what one point presses, rubs, stores and remembers. Pure functions of
// geometry, motion and memory; nothing allocates. docs/theory/point_contact.md;
// [Gonthier2007] chapter 3. Conventions: normal from A into B, wrenches on B.

#include "contact/point/impact.h"
#include "friction/bristle.h"

/// A pair's constants.
typedef struct iso_point_contact_law {
    double stiffness;            ///< k [N/m^p], > 0
    double exponent;             ///< p, >= 1; 1.5: Hertz
    iso_restitution restitution; ///<
    iso_impact_damping damping;  ///<
    double small_speed;          ///< v_small: impacts below are damped as one at it [m/s], > 0
    double relaxation_time;      ///< tau_r of what a fixed step found too late [s]; 0: kept as it
                                 ///< is: no offset is taken
    iso_bristle_params friction; ///<
} iso_point_contact_law;

/// Memory of one contact. Zero: apart.
typedef struct iso_point_memory {
    double impact_speed;       ///< of the approach at first touch of this episode [m/s], > 0
    double damping;            ///< a = d / (e v), solved once at touch [s/m], >= 0
    double offset;             ///< x_ro as a depth: what was found too late [m], >= 0
    iso_bristle_state bristle; ///<
    bool is_touching;          ///< an episode is on
} iso_point_memory;

/// Continuous parts of that memory, as an integrator sees them: offset, then the bristles.
#define ISO_POINT_STATE_COUNT (1 + ISO_BRISTLE_STATE_COUNT)

/// What acts now.
typedef struct iso_point_result {
    double normal_force;         ///< f_n >= 0 [N]
    double elastic_force;        ///< its part that is k depth^p [N]
    iso_vec3 force;              ///< on B at the point of contact [N]
    double moment;               ///< on B about the normal [N m]; 0 for a point
    double energy;               ///< stored: compression and bristles [J]
    double normal_dissipation;   ///< power lost in the normal direction [W]; < 0 only where the
                                 ///< damping of the way back would pull and the offset gives
    double offset_rate;          ///< [m/s]
    iso_bristle_result friction; ///< with the rates of the bristles
} iso_point_result;

/// Whether constants can be used.
/// @return ISO_ERR_ARGUMENT, ISO_ERR_RANGE (the message names what, value and range)
iso_status iso_point_contact_law_check(iso_context* ctx, const iso_point_contact_law* law);

/// Begin an episode: latch the impact speed, take the depth as the offset where the law relaxes.
/// @param depth      at the time of detection [m], >= 0; 0 with event location
/// @param approach   speed of approach then [m/s]; what separates counts as small_speed
/// @param dwell      0: fresh surfaces; 1: has been at rest for long
void iso_point_touch(const iso_point_contact_law* law, double depth, double approach, double dwell,
                     iso_point_memory* out_memory);
/// End it: everything is forgotten.
void iso_point_part(iso_point_memory* memory);

/// Force now.
/// @param depth  -x, of the bodies as they are (the offset is taken off inside) [m]
/// @param slip   normal and velocity of B relative to A at the point; a point's radius is 0
void iso_point_eval(const iso_point_contact_law* law, const iso_point_memory* memory, double depth,
                    const iso_bristle_slip* slip, iso_point_result* out_result);

/// Move a memory on by the rates of a result: what a table of explicit integrators does to it.
void iso_point_memory_add(iso_point_memory* memory, const iso_point_result* rates, double dt);
/// The continuous parts to and from ISO_POINT_STATE_COUNT doubles.
void iso_point_memory_pack(const iso_point_memory* memory, double* out_state);
void iso_point_memory_unpack(const double* state, iso_point_memory* memory);
void iso_point_rates_pack(const iso_point_result* result, double* out_rates);
