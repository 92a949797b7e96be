// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// How the rates of (q, v) change with (q, v), for implicit methods.

#include "contact/pairs/contact_system.h"
#include "stepper/flow/flow.h"

/// d(rates of q, v)/d(q, v), row major and square. Patches that are there follow the law's exact
/// derivatives; those that are not yet do not appear.
/// @return as the right-hand side
iso_status iso_flow_jacobian(iso_flow* f, double t, const double* y, double* out_jacobian);
/// While that runs: the wrench of a contact in another state, to first order.
iso_spatial iso_flow_line_wrench(const iso_flow* f, const iso_kinematics* kinematics, int index);
/// While that runs: how a pair of a model with `press` presses in another state, to first order,
/// its wrench about the point of the pair as it was found.
/// @param[out] out_moved  what that point moved by [m]
iso_contact_press iso_flow_line_press(const iso_flow* f, const iso_kinematics* kinematics,
                                      int index, iso_vec3* out_moved);
