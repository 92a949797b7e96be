// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Friction laws of the continuous methods. docs/theory/friction_laws.md.

#include "isobar/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How friction follows from slip in the continuous methods, whatever the contact model. The first
/// six are functions of the slip speed |v|: so what rests creeps. docs/theory/friction_laws.md
typedef enum iso_friction_law {
    ISO_FRICTION_VISCOUS,     ///< linear up to the regularisation velocity v_c, constant above;
                              ///< [Elandt2022] eq. 5.16
    ISO_FRICTION_TANH,        ///< mu tanh(|v| / v_c); [Elandt2022] section 5.2.3
    ISO_FRICTION_ATAN,        ///< mu (2 / pi) atan(|v| / v_c)
    ISO_FRICTION_STRIBECK,    ///< smooth: static coefficient at v_c, dynamic from 3 v_c on
    ISO_FRICTION_THREE_PIECE, ///< linear to the static coefficient at v_c, constant up to 2 v_c,
                              ///< falling to the dynamic one at 3 v_c; PressureFieldContact.jl
    ISO_FRICTION_OWN,         ///< iso_contact_options.own_friction
    ISO_FRICTION_COMPLIANT,   ///< Coulomb's law behind springs and dampers: what rests stays where
                              ///< it is; [Elandt2022] chapter 6, reduced to six numbers a contact
    ISO_FRICTION_BRUSH,       ///< the same with springs of their own at each place of a pressure
                              ///< field (iso_contact_options.brush_size); other contacts have six
} iso_friction_law;

/// What a friction law is told of a pair.
typedef struct iso_friction_params {
    double friction_static;  ///< >= friction_dynamic
    double friction_dynamic; ///< >= 0
    double velocity;         ///< v_c, regularisation [m/s], > 0
    double damping;          ///< of the last two laws: c over the pressure [s/m]
} iso_friction_params;

/// A law of the caller's own. It is called in every evaluation of forces, once for each sample of
/// each contact: three samples a triangle of a patch. So a function that takes 20 ns adds some
/// percent to a step; one in Python takes microseconds and then is what the step costs. A world
/// calls it from the thread that steps it, worlds of a batch from several at once.
typedef struct iso_own_friction {
    /// Friction coefficient at a slip speed >= 0 [m/s]: finite, >= 0 (else it would drive) and
    /// continuous, 0 at 0. iso_world_create() tries it at 0 and at speeds from 1e-3 to 1e3 v_c.
    /// Steps that meet anything else fail and name the pair, ISO_ERR_NUMERIC or
    /// ISO_ERR_NO_CONVERGENCE.
    double (*coefficient)(void* user, const iso_friction_params* pair, double speed);
    /// Its derivative [s/m], for implicit methods; NULL: by differences of it.
    double (*slope)(void* user, const iso_friction_params* pair, double speed);
    void* user; ///< borrowed by all worlds that are made with it
} iso_own_friction;

/// Friction over normal force at a slip speed.
/// @param own    of ISO_FRICTION_OWN, else NULL
/// @param speed  [m/s], >= 0
ISO_API double iso_friction_coefficient(iso_friction_law law, const iso_own_friction* own,
                                        const iso_friction_params* params, double speed);

#ifdef __cplusplus
}
#endif
