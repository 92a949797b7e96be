// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// The stages of a step (docs/pipeline.md) and what they hand on. Each reads what the stages before
// it wrote, and writes its own part.

#include "contact/compliant_points.h"
#include "integrator/explicit_rk.h"
#include "solver/convex.h"
#include "stepper/joint_potential.h"
#include "stepper/stepper.h"

struct iso_stepper {
    iso_context* ctx;
    iso_dynamics dynamics;   ///< its actuators are a copy
    iso_world_desc settings; ///<
    iso_actuator* actuators; ///< [actuator_count] owned
    int* limited;            ///< [limited_count] bodies whose inboard joint has a limit
    int limited_count;       ///<
    iso_task_pool* pool;     ///< NULL for one thread
    iso_convex_options convex;

    // scratch
    iso_arena arena; ///< everything of one call, results included
    iso_convex_solver solver;
};

/// One step at the velocity level.
typedef struct iso_stages {
    iso_stepper* stepper;
    const iso_step_input* input;
    iso_step_report report;
    double dt;

    iso_kinematics kinematics; ///< 1
    iso_contact_set set;       ///< 2, 3

    // 4
    iso_compliant_points* points; ///< [pair_count]
    int* pair_potential;          ///< [pair_count] index of its potential; -1: both bodies fixed
    iso_potential* potentials;    ///< contacts, then limits, then drives
    int potential_count;          ///<

    // 5
    double* a;               ///< M + dt (D + implicit gains), dense blocks as the mass matrix
    double* a_factor;        ///< their Cholesky factors
    double* v_star;          ///< free motion
    double* applied;         ///< generalised force of applied wrenches
    iso_drive* drives;       ///< [actuator_count]
    iso_joint_limit* limits; ///< those that may act in this step
    int limit_count;

    // 6
    double *q, *v; ///< new state
} iso_stages;

/// Stage 1: poses, twists, joint axes. Rejects a state that is not finite.
iso_status iso_stage_kinematics(iso_stages* stages);
/// Stages 2 and 3: which pairs touch, and their patches.
iso_status iso_stage_contacts(iso_stages* stages);
/// Stage 4: potentials of contacts, limits and drives. Needs stage 5: the effective masses.
iso_status iso_stage_potentials(iso_stages* stages);
/// Stage 5: A, its factors and the velocity of free motion.
iso_status iso_stage_dynamics(iso_stages* stages);
/// Stage 6: solve for the new velocity, integrate positions.
iso_status iso_stage_advance(iso_stages* stages);
/// Tractions, wrenches, efforts and works of what was solved, into the output.
iso_status iso_stage_results(iso_stages* stages, iso_step_output* output);

/// (A^-1)_ii of a degree of freedom, from the factors of stage 5.
iso_status iso_stages_mobility(const iso_stages* stages, int dof, double* out_mobility);

/// A step of the continuous methods.
iso_status iso_stepper_integrate(iso_stepper* stepper, const iso_step_input* input,
                                 iso_step_output* output);

/// Stage 4 of the continuous methods, once: tractions and wrenches of the stages' contacts in their
/// present state.
iso_status iso_continuous_contacts(iso_stages* stages, iso_contact_result* out_result);

/// Relative twist of B in A at the common point of a pair.
iso_spatial iso_pair_twist(const iso_kinematics* kinematics, const iso_contact_pair* pair);

/// Arrays for the results of a set of contacts. The elastic energies are filled in.
iso_status iso_contact_result_push(iso_arena* arena, const iso_contact_set* set,
                                   iso_contact_result* out_result);

/// Index of the first body with a number in q or v that is not finite; -1: none.
int iso_find_non_finite(const iso_multibody* multibody, const double* q, const double* v);

/// Name of a body for messages.
const char* iso_stepper_body_name(const iso_stepper* stepper, int body);

/// Wall clock [s].
double iso_stepper_clock(void);
