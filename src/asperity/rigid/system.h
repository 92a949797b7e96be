// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/lab_rigid.h"
#include "solver/complementarity/cone.h"

enum { ISO_RIGID_BODIES = 5, ISO_RIGID_CONTACTS = 20, ISO_RIGID_ROWS = 3 * ISO_RIGID_CONTACTS };

typedef struct iso_rigid_body {
    double mass;
    iso_vec3 inertia; ///< main moments about its own axes [kg m^2]
    iso_mat3 r_wb;
    iso_vec3 p_wb;       ///< centre of mass [m]
    iso_vec3 v_wb, w_wb; ///< of the centre of mass [m/s], angular [rad/s]
} iso_rigid_body;

/// A point of body b on a plane of body a whose normal is a's axis z, which points to b.
typedef struct iso_rigid_contact {
    int a, b;      ///< a = -1: the ground
    iso_vec3 p_bc; ///< the point, from b's centre of mass, in b's axes [m]
    double height; ///< of the plane above a's centre of mass [m]
} iso_rigid_contact;

/// Rows of contacts are (normal, x, y): with u the velocities of b relative to a at the contacts.
typedef struct iso_rigid_system {
    int body_count, contact_count;
    iso_rigid_body bodies[ISO_RIGID_BODIES];
    iso_rigid_contact contacts[ISO_RIGID_CONTACTS];
    double friction[ISO_RIGID_CONTACTS];
    iso_vec3 gravity;
    double time_step;
    double w[ISO_RIGID_ROWS * ISO_RIGID_ROWS]; ///< J M^-1 J^T (2.37), of its rows without gaps
    double b[ISO_RIGID_ROWS];        ///< velocities at the end of the step without forces, and the
                                     ///< gaps over the step [m/s]
    double now[ISO_RIGID_ROWS];      ///< velocities at its beginning [m/s]
    double rates[ISO_RIGID_ROWS];    ///< accelerations without forces (2.21) [m/s^2]
    double impulses[ISO_RIGID_ROWS]; ///< of the last step [N s]
} iso_rigid_system;

/// The scene at its start.
void iso_rigid_begin(iso_rigid_scene scene, iso_rigid_system* s);
/// Fill w, b, now and rates.
void iso_rigid_assemble(iso_rigid_system* s);
/// Add gravity and the impulses to the velocities, move on by them.
void iso_rigid_advance(iso_rigid_system* s);
/// The cone problem of the step, which borrows from the system.
iso_cone_problem iso_rigid_problem(const iso_rigid_system* s);

/// What a formulation made of one step.
typedef struct iso_rigid_step {
    bool is_solved, is_ray;
    int iterations;
    double residual;
} iso_rigid_step;

/// Find the impulses of a step.
iso_status iso_rigid_solve(iso_context* ctx, iso_rigid_law law, iso_rigid_system* s,
                           iso_rigid_step* out_step);

/// Run a scene with elastic boxes (soft.c). Arguments are checked; out_result is empty.
iso_status iso_rigid_run_soft(iso_context* ctx, const iso_rigid_setup* setup, iso_rigid_scene scene,
                              iso_rigid_result* out_result);
