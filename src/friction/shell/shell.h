// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

/// Springs and dampers between a surface and the shell that slides, per pressure.
typedef struct iso_shell {
    double stiffness; ///< kbar, of the springs [1/m], > 0; [Elandt2022] eq. 6.17
    double time;      ///< tau = c / k [s], > 0; his eq. 6.4 has the reciprocal by mistake
} iso_shell;

/// Damping per pressure [s/m]; [Elandt2022] eq. 6.18.
static inline double iso_shell_damping(const iso_shell* shell) {
    return shell->stiffness * shell->time;
}
