// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "world/state/world_state.h"

/// Room for the switches of a world, each as the model has it.
/// @return ISO_ERR_MEMORY
iso_status iso_world_create_switches(iso_world* world);
void iso_world_free_switches(iso_world* world);

/// Switches as a state's attachments have them, or as the model has them where there are none.
/// Checked before anything of the world changes.
/// @param[out] out_switches  [constraint_count]
/// @return ISO_ERR_PARSE
iso_status iso_world_read_switches(const iso_world* world, const iso_attachment_array* attachments,
                                   iso_constraint_switch* out_switches);
/// The same of couplers. @param[out] out_couplers  [coupler_count] those of the model, on or off
iso_status iso_world_read_couplers(const iso_world* world, const iso_attachment_array* attachments,
                                   iso_coupler* out_couplers);
/// The same of fixed tendons. @param[out] out_tendons  [tendon_count] with limits on or off
iso_status iso_world_read_tendons(const iso_world* world, const iso_attachment_array* attachments,
                                  iso_fixed_tendon* out_tendons);
/// Let the stepper see what is switched on.
/// @return ISO_ERR_MEMORY; then it sees what it saw
iso_status iso_world_apply_switches(iso_world* world);

/// Forces [constraint_count] from those of the constraints that are on, which stand in front; 0 of
/// the others.
void iso_world_spread_forces(const iso_world* world, iso_spatial* forces);
