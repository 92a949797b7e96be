// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "contact/contact_model.h"
#include "contact/discrete/compliant_points.h"

/// The discrete question of every model whose force is a sum over compliant points: potentials,
/// friction that sticks, follows its directions or is that of TAMSI, results and losses.

/// The law of compliant points for that of a step.
iso_point_law iso_point_step_law(iso_discrete_law law);

/// The step of a pair from its points, which have the law and are finished.
/// @param points  in the arena of the input; with friction that sticks theirs is changed
/// @return ISO_ERR_MEMORY
iso_status iso_point_step_begin(const iso_contact_step_input* input, iso_compliant_points* points,
                                iso_contact_step* out_step);

/// Points of a model without faces: room for so many, of the law, step and common point of the
/// input. The model fills in what iso_compliant_points_prepare() asks for.
/// @return NULL: out of memory
iso_compliant_points* iso_point_step_push(const iso_contact_step_input* input, int count);
/// The step of a pair from these points, filled in. Each counts as a face of area 1 to book by.
/// @param steady  as for iso_compliant_points_finish()
/// @return ISO_ERR_MEMORY
iso_status iso_point_step_begin_faceless(const iso_contact_step_input* input,
                                         iso_compliant_points* points, const iso_spatial* steady,
                                         iso_contact_step* out_step);

/// Its points.
const iso_compliant_points* iso_point_step_points(const iso_contact_step* step);

/// What iso_contact_model has under these names.
void iso_point_step_smooth(const iso_contact_step* step, double factor);
iso_spatial iso_point_step_end(const iso_contact_step* step, const iso_contact_motion* motion,
                               const iso_face_values* faces, iso_pair_memory* out_memories,
                               int* out_count);
iso_contact_losses iso_point_step_book(const iso_contact_step* step, const double v[6],
                                       iso_spatial f_b_w, const iso_vec3* tractions,
                                       const iso_vec3* slips);
double iso_stick_memory_energy(const iso_pair_memory* memory);
bool iso_stick_memory_is_usable(const iso_pair_memory* memory);
