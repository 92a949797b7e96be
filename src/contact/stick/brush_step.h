// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Coulomb friction behind a field of springs (friction/shell/brush.h) over one step at the velocity
// level: a convex potential of the twist, and what the field remembers after it.
// docs/theory/friction_laws.md.

#include "contact/contact_model.h"
#include "contact/discrete/compliant_points.h"
#include "friction/shell/brush.h"

/// The friction of one pair. All of it lives in the arena of the step.
typedef struct iso_brush_step iso_brush_step;

/// The field of a pair from what it remembers, on the normal impulses of lagged points, which lose
/// their own friction.
/// @param size      of the cubes [m], > 0
/// @param[out] out  NULL without friction
/// @return ISO_ERR_MEMORY, ISO_ERR_RANGE (too many corners)
iso_status iso_brush_step_begin(const iso_contact_step_input* input, double size,
                                iso_compliant_points* points, iso_brush_step** out);

/// Value, gradient and Hessian at the twist v of the surfaces are added (either may be NULL).
/// @return value
double iso_brush_step_eval(const iso_brush_step* brush, const double v[6], double* gradient,
                           double* hessian);
/// The same along v + alpha dv.
void iso_brush_step_line(const iso_brush_step* brush, const double v[6], const double dv[6],
                         double alpha, double* value, double* slope, double* curvature);
/// As iso_compliant_points_follow(), for the springs.
bool iso_brush_step_follow(iso_brush_step* brush, iso_compliant_points* points, const double v0[6],
                           const double v[6], const double gradient[6], double coarseness);
/// Undo that.
void iso_brush_step_go_back(iso_brush_step* brush, iso_compliant_points* points);
/// As iso_compliant_points_add_sizes().
void iso_brush_step_add_sizes(const iso_brush_step* brush, double out[6]);

/// Energy of the springs at the start of the step [J].
double iso_brush_step_energy(const iso_brush_step* brush);
/// Most memories that iso_brush_step_commit() makes.
int iso_brush_step_memory_count(const iso_brush_step* brush);

/// Friction of the faces for the twist v, after the solve: added to tractions, stretches and
/// sliding set where there are such arrays.
/// @param[out] out_taken  power that friction takes from the motion [W]
/// @return wrench on B (moment about the common point; force)
iso_spatial iso_brush_step_result(const iso_brush_step* brush, const double v[6],
                                  const iso_patch* patch, const iso_face_values* faces,
                                  double* out_taken);
/// After that: what the pair remembers of its field.
/// @return memories
int iso_brush_step_commit(const iso_brush_step* brush, iso_pair_memory* out_memories);
