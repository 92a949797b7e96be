// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// The derivative of a convex step by the implicit function theorem: docs/theory/step.md.

#include "stepper/stages/stepper.h"

/// How far inputs are changed for differences of what stands beside the solution, at most.
typedef struct iso_tangent_steps {
    double position; ///< [m], [rad]
    double velocity; ///< [m/s], [rad/s]
    double control;  ///< [N], [N m]
    int parameter_count;
    const double* parameters; ///< [parameter_count] in their units
    /// Have one differ by this from now on, and no other; 0: none does.
    iso_status (*vary)(void* user, int parameter, double change);
    void* user;
} iso_tangent_steps;

typedef struct iso_tangent_output {
    double* columns; ///< [2 v_count + 3 actuators + parameters][2 v_count]: of (A B P), one after
                     ///< another
    double* errors; ///< [2 v_count + 3 actuators + parameters] how far each is off, relative to the
                    ///< larger of 1 and its largest number; INFINITY: it has no derivative
    const char* reason; ///< why some or all have none; NULL: all have one. Static
} iso_tangent_output;

/// Differentiate one step of the stepper. With r(v; x, u) = 0 at the velocity that the step solves
/// for, dv = -(dr/dv)^-1 dr: the Hessian of the step, and how its gradient changes where v and the
/// potentials' own unknowns rest. That and the new state are differences, without another solve;
/// patches are found anew for changed positions only, and of their trees. Columns without such a
/// derivative have infinite errors. Takes the memory of the last step's contacts.
/// @return errors of a step. Methods and contacts without such a derivative give a reason
iso_status iso_stepper_differentiate(iso_stepper* stepper, const iso_step_input* input,
                                     const iso_tangent_steps* steps, iso_tangent_output* output);
