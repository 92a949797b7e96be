// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Coulomb friction through a spring and a damper, at a point: a shell without mass hangs on body B
// by both and slides on A. Everything is per pressure. [Elandt2022] section 6.1.

#include "friction/shell/shell.h"
#include "isobar/math.h"

/// Friction on B over the pressure: the traction that would make the shell stick, -k delta - c v,
/// cut to Coulomb's bound; [Elandt2022] eq. 6.5.
/// @param mu        >= 0
/// @param stretch   of B relative to the shell, tangential [m]
/// @param velocity  of B relative to A, tangential [m/s]
static inline iso_vec3 iso_slider_traction(const iso_shell* shell, double mu, iso_vec3 stretch,
                                           iso_vec3 velocity) {
    iso_vec3 sum = iso_vec3_add_scaled(stretch, velocity, shell->time);
    double bound = mu / shell->stiffness, size = iso_vec3_norm(sum);
    double share = size > bound ? bound / size : 1.0;
    return iso_vec3_scale(sum, -shell->stiffness * share);
}

/// Whether that bound cuts it: the shell slides.
static inline bool iso_slider_slides(const iso_shell* shell, double mu, iso_vec3 stretch,
                                     iso_vec3 velocity) {
    iso_vec3 sum = iso_vec3_add_scaled(stretch, velocity, shell->time);
    return shell->stiffness * iso_vec3_norm(sum) > mu;
}

/// Rate of the stretch [m/s]; [Elandt2022] eq. 6.4.
static inline iso_vec3 iso_slider_rate(const iso_shell* shell, iso_vec3 stretch,
                                       iso_vec3 traction) {
    iso_vec3 rest = iso_vec3_add_scaled(stretch, traction, 1.0 / shell->stiffness);
    return iso_vec3_scale(rest, -1.0 / shell->time);
}
