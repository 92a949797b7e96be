// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "integrator/explicit_rk.h"
#include "stepper/flow/flow.h"

/// The rest of a time step by the method of that name; as iso_rk_advance(), whose report it fills.
iso_status iso_flow_advance_implicit(iso_flow* f, const char* name, const iso_rk_problem* problem,
                                     double* t, double* y, double t_end, double accuracy,
                                     iso_rk_report* out_report);
