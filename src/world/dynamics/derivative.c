// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/fail.h"
#include "isobar/linearize.h"
#include "stepper/tangent/tangent.h"
#include "world/state/world_state.h"

#include <string.h>

// Errors of central differences go with the square, and nothing solves for velocities here: a tenth
// of the steps of whole steps is far above rounding.
#define STEP_SHARE 0.1

iso_status iso_world_differentiate_step(iso_world* world, const iso_linearize_desc* desc,
                                        double* out_columns, double* out_errors,
                                        const char** out_reason) {
    ISO_REQUIRE(world != NULL ? world->ctx : NULL,
                world != NULL && out_columns != NULL && out_errors != NULL && out_reason != NULL,
                ISO_ERR_ARGUMENT,
                "world and arrays for the columns, errors and reason are required");
    iso_linearize_desc chosen = desc != NULL ? *desc : iso_linearize_desc_default();
    iso_tangent_steps steps = {STEP_SHARE * chosen.position_step, STEP_SHARE * chosen.velocity_step,
                               chosen.control_step};
    iso_status status = iso_world_check_free(world, "differentiated");
    if (status != ISO_OK) {
        return status;
    }
    iso_step_input input = iso_world_step_input(world);
    iso_tangent_output output = {.columns = out_columns, .errors = out_errors};
    // The stepper reuses the memory of the last contacts.
    memset(&world->contact_result, 0, sizeof world->contact_result);
    status = iso_stepper_differentiate(world->stepper, &input, &steps, &output);
    *out_reason = output.reason;
    return status;
}
