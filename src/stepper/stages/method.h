// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// The table of methods of a step: one row each. docs/extending.md.

#include "contact/contact_model.h"
#include "integrator/explicit_rk.h"
#include "stepper/stages/stepper.h"

typedef struct iso_method_row {
    /// One step; stages 1 to 6.
    iso_status (*step)(iso_stepper* stepper, const iso_step_input* input, iso_step_output* output);

    // Velocity level.
    iso_discrete_law law;  ///< what contacts answer
    bool may_stick;        ///< friction may remember from step to step
    int order;             ///< by which errors of a step fall
    bool takes_the_middle; ///< forces are taken within the step where it resolves them

    // Continuous methods.
    const iso_rk_table* table; ///< explicit, or, of implicit ones, where errors are compared
    const char* ode;           ///< row of integrator/ode.h; NULL: explicit
} iso_method_row;

/// The row of a method; NULL: there is no such method.
const iso_method_row* iso_method_row_of(iso_method method);
