// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Error-controlled steps of the velocity-level methods: a step is solved once over its whole length
// and once in two halves, and what differs says how long it may be. docs/theory/adaptive.md.

#include "stepper/stages/stages.h"

/// What one world step needs from its first substep to its last; arrays lie in the stepper's arena.
typedef struct iso_adaptive {
    iso_stepper* stepper;
    const iso_step_input* input; ///< of the world step
    iso_step_output* output;     ///<
    double elapsed;              ///< of the world step [s]
    double* q;                   ///< [q_count] accepted so far
    double* v;                   ///< [v_count]
    iso_kinematics start;        ///< there
    iso_contact_set contacts;    ///< there
    int patches;                 ///< which of the stepper's arenas has them
    const double* sizes;         ///< [link_count] see iso_adaptive_size() [m]
    int order;                   ///< of the method, by which errors fall with the substep
    double recovery;             ///< time in which ties close what was left of them [s]
    int rejected;                ///< attempts in a row
    int catches;                 ///< of the rope ahead that were rejected
    double caught_at;            ///< by then it is taut [s] from the start of the step
    iso_candidate fastest;       ///< geometries for which one was cut last; both 0: none was
    iso_works works;             ///< sums over accepted substeps
    double booked_stretch;       ///<
    double* vdot;                ///< [v_count] means so far, weighted by time; NULL: not asked
    iso_spatial* f_b_w;          ///< [body_count]
    iso_spatial* constraint_forces;
    double* tie_efforts;
    iso_step_report report; ///< sums over all attempts
} iso_adaptive;

/// One substep that was tried.
typedef struct iso_attempt {
    iso_step_output whole, halves[2];
    double* q;            ///< [q_count] what the three give together
    double* v;            ///< [v_count]
    double extrapolation; ///< weight of the difference of halves and whole in works
    iso_kinematics end;
    iso_contact_set end_contacts;
    double error;   ///< in units of the accuracy; at most 1 where it is good
    int worst;      ///< body whose motion differs most
    bool is_caught; ///< a rope becomes taut
    iso_status status;
} iso_attempt;

/// A length for what errors of a body are compared with: the diameter of a uniform ball with the
/// same mass and the same sum of the principal moments; 1 m where a body has no moments.
double iso_adaptive_size(const iso_mb_link* link);

/// The largest difference of two states over bodies and joints: of centres of mass and prismatic
/// coordinates over the size, of turns and angles in radians, of their rates times a horizon [s].
/// @param[out] out_worst  body where it is
double iso_adaptive_difference(const iso_adaptive* a, const iso_kinematics* first,
                               const iso_kinematics* second, double horizon, int* out_worst);

/// Time over which a difference of velocities counts as one of positions, in a substep [s].
double iso_adaptive_horizon(const iso_adaptive* a, double h);

/// Whether velocities of all bodies change smoothly from the start of a substep to the second
/// state: by much more than they differ between the two states at its end.
bool iso_adaptive_is_smooth(const iso_adaptive* a, const iso_kinematics* first,
                            const iso_kinematics* second, double horizon);

/// What contacts that begin in the second half of a substep, and that no solution knew of, would
/// have changed: by their forces at its end, as a difference. With methods of order 1 also what
/// forces change that grow unevenly.
double iso_adaptive_missed(const iso_adaptive* a, const iso_attempt* attempt, double h,
                           int* out_worst);

/// Patches of a state, into the arena of that number.
iso_status iso_adaptive_find_contacts(const iso_adaptive* a, const iso_kinematics* kinematics,
                                      int patches, iso_contact_set* out_set);

/// Try a substep from the present state. The arena keeps what it found until it is released.
/// @return ISO_ERR_MEMORY; what may get better in a shorter substep is in `status` of the attempt
iso_status iso_adaptive_try(const iso_adaptive* a, double h, iso_attempt* out_attempt);
/// How long a substep that was tried may be so that nothing moves past something else unseen: its
/// length h, or less [s]; then the two are `fastest`.
double iso_adaptive_allowed_by_pace(iso_adaptive* a, const iso_attempt* attempt, double h);
/// Take an attempt over; its contacts stay those of the output.
iso_status iso_adaptive_accept(iso_adaptive* a, double h, const iso_attempt* attempt);

/// Whether the state of the input is one at rest that an earlier step found; then fills the output.
bool iso_adaptive_rests(iso_stepper* stepper, const iso_step_input* input, iso_step_output* output);
/// After a step: remember that it moved nothing.
iso_status iso_adaptive_note_rest(iso_adaptive* a);
