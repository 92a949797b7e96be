// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "isobar/linearize.h"
#include "stepper/tangent/tangent.h"
#include "world/state/world_state.h"

#include <string.h>

// Errors of central differences go with the square, and nothing solves for velocities here: a tenth
// of the steps of whole steps is far above rounding.
#define STEP_SHARE 0.1

/// Who varies parameters.
typedef struct varied {
    iso_world* world;
    const iso_world_parameter* parameters;
} varied;

static iso_status vary(void* user, int parameter, double change) {
    const varied* v = user;
    return iso_world_vary(v->world, &v->parameters[parameter], change);
}

void iso_world_solve_closely(iso_world* world) {
    if (world != NULL) {
        iso_stepper_solve_closely(world->stepper);
        world->is_compared = true;
    }
}

iso_status iso_world_differentiate_step(iso_world* world, const iso_linearize_desc* desc,
                                        double* out_columns, double* out_errors,
                                        const char** out_reason) {
    ISO_REQUIRE(world != NULL ? world->ctx : NULL,
                world != NULL && out_columns != NULL && out_errors != NULL && out_reason != NULL,
                ISO_ERR_ARGUMENT,
                "world and arrays for the columns, errors and reason are required");
    iso_linearize_desc chosen = desc != NULL ? *desc : iso_linearize_desc_default();
    int count = chosen.parameter_count;
    ISO_REQUIRE(world->ctx, count == 0 || (count > 0 && chosen.parameters != NULL),
                ISO_ERR_ARGUMENT, "%d parameters, expected an array of them", count);
    varied user = {world, chosen.parameters};
    iso_tangent_steps steps = {.position = STEP_SHARE * chosen.position_step,
                               .velocity = STEP_SHARE * chosen.velocity_step,
                               .control = chosen.control_step,
                               .parameter_count = count,
                               .vary = vary,
                               .user = &user};
    iso_status status = iso_world_check_free(world, "differentiated");
    if (status != ISO_OK) {
        return status;
    }
    double* parameters = iso_alloc_array(world->ctx, count, sizeof *parameters);
    ISO_REQUIRE(world->ctx, parameters != NULL, ISO_ERR_MEMORY, "%d parameters", count);
    for (int i = 0; i < count; ++i) {
        parameters[i] = STEP_SHARE * iso_linearize_parameter_step(&chosen, i);
    }
    steps.parameters = parameters;
    iso_step_input input = iso_world_step_input(world);
    iso_tangent_output output = {.columns = out_columns, .errors = out_errors};
    // The stepper reuses the memory of the last contacts.
    memset(&world->contact_result, 0, sizeof world->contact_result);
    status = iso_stepper_differentiate(world->stepper, &input, &steps, &output);
    *out_reason = output.reason;
    iso_free(world->ctx, parameters);
    return status;
}
