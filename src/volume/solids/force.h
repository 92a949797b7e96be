// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Forces of a volume of interference: a foundation of springs that press through a flat plate.
// docs/theory/volumetric.md; [Gonthier2007], chapter 4. Pair (A, B), normal from A into B, wrenches
// on B at the centroid. Pure functions; the memory of an episode changes only where it says so.

#include "isobar/volume.h"

/// Numbers of a pair.
typedef struct iso_volume_law {
    double stiffness;     ///< k_v of both bodies together [N/m^3], > 0
    double damping_share; ///< A = d / e of the restitution's loop, >= 0; d as point contact has it
    double slow_speed;    ///< v_small: impacts count as no slower [m/s], > 0
    double relax_time;    ///< tau_r of the volume at detection [s], > 0; INFINITY: kept
} iso_volume_law;

/// Memory of one episode of contact; zero: apart.
typedef struct iso_volume_memory {
    bool is_touching;
    double impact_speed; ///< latched at touch [m/s]
    double offset;       ///< V_ro, what of the volume does not press yet [m^3]
    iso_vec3 normal;     ///< of the last commit; zero: none
} iso_volume_memory;

/// How B moves on A, at the centroid.
typedef struct iso_volume_motion {
    iso_vec3 velocity;    ///< v_c [m/s]
    iso_vec3 spin;        ///< omega_B - omega_A [rad/s]
    double speed_apart;   ///< v_cn along the normal, positive when separating [m/s]
    double speed_of_spin; ///< omega_n about the normal [rad/s]
    iso_vec3 slip;        ///< v_ct [m/s]
    iso_vec3 rolling;     ///< omega_t [rad/s]
    double surface_speed; ///< v_avg of (4.213) [m/s]
    double gyration;      ///< radius of gyration about the normal [m]
} iso_volume_motion;

/// Normal force and rolling resistance.
typedef struct iso_volume_force {
    double normal_force;  ///< >= 0 [N]
    double elastic_force; ///< its part without damping [N]
    iso_vec3 rolling;     ///< moment that resists rolling [N m]
} iso_volume_force;

/// Friction over the normal force, from any law that takes slip, spin and gyration.
typedef struct iso_volume_friction {
    iso_vec3 traction; ///< on B, along the plate
    double moment;     ///< about the normal, on B [m]
} iso_volume_friction;

/// k_v of two bodies, springs in a row (4.132). INFINITY: rigid.
double iso_volume_pair_stiffness(double stiffness_a, double stiffness_b);

/// Share of the volume on A's side of the plate, V_a : V_b = k_b : k_a (4.127). Of two rigid bodies
/// a half.
double iso_volume_share_of_a(double stiffness_a, double stiffness_b);

/// Relative motion at the centroid (4.49 to 4.58, 4.213).
/// @param v_wa, v_wb  twists of the bodies at the origins p_wa, p_wb of theirs
iso_volume_motion iso_volume_motion_of(const iso_volume_metrics* metrics,
                                       const iso_volume_normal* normal, const iso_spatial* v_wa,
                                       iso_vec3 p_wa, const iso_spatial* v_wb, iso_vec3 p_wb);

/// Speed of approach at touch where a step found contact late: the depth that the volume tells,
/// 2 V / |area| of smooth surfaces, was gone through with this acceleration of approach.
double iso_volume_touch_speed(const iso_volume_metrics* metrics, double approach_speed,
                              double approach_acceleration);

/// Start an episode: latch the speed of approach; with `is_late` the volume found counts as rest
/// (fixed steps), without as exact (located events).
void iso_volume_begin(iso_volume_memory* memory, const iso_volume_metrics* metrics,
                      double approach_speed, bool is_late);
/// End an episode.
void iso_volume_end(iso_volume_memory* memory);
/// Let the offset fade for a time dt >= 0, exactly; its rate is -offset / relax_time (4.5).
void iso_volume_relax(const iso_volume_law* law, iso_volume_memory* memory, double dt);

/// Normal force (4.62) and rolling resistance (4.67), neither tensile, so both end together; of no
/// volume nothing.
iso_volume_force iso_volume_force_of(const iso_volume_law* law, const iso_volume_memory* memory,
                                     const iso_volume_metrics* metrics,
                                     const iso_volume_normal* normal,
                                     const iso_volume_motion* motion);

/// Coulomb's friction with Contensou's coupling (4.205, 4.208): the average speed of the surface
/// divides. Below `least_speed` it is linear.
iso_volume_friction iso_volume_coulomb(double friction, double least_speed,
                                       const iso_volume_normal* normal,
                                       const iso_volume_motion* motion);

/// A friction proportional to velocity (4.75, 4.82) [s/m].
iso_volume_friction iso_volume_viscous(double friction, const iso_volume_normal* normal,
                                       const iso_volume_motion* motion);

/// The wrench on B at the centroid.
iso_spatial iso_volume_wrench(const iso_volume_force* force, const iso_volume_normal* normal,
                              const iso_volume_friction* friction);
