// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/world.h"

/// True for the methods whose unknowns are the velocities at the end of the step.
static inline bool iso_method_is_discrete(iso_method method) {
    return method < ISO_METHOD_RK4 || method > ISO_METHOD_RK45;
}
