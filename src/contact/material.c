// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "contact/material.h"

#include "base/fail.h"

iso_contact_material iso_contact_material_default(void) {
    return (iso_contact_material){.compliance = ISO_COMPLIANCE_DEFAULT,
                                  .modulus = 1e7,
                                  .resolution_hint = 0.0,
                                  .margin = 0.0,
                                  .slab_thickness = 0.0,
                                  .dissipation = 50.0,
                                  .relaxation_time = 0.1,
                                  .friction_static = 0.5,
                                  .friction_dynamic = 0.5,
                                  .restitution_speed = 1.0};
}

iso_contact_options iso_contact_options_default(void) {
    return (iso_contact_options){.representation = ISO_REPRESENTATION_POLYGON,
                                 .cull = ISO_CULL_NONE,
                                 .combine = ISO_COMBINE_DRAKE,
                                 .rigid_layer_thickness = 1e-3,
                                 .rigid_layer_modulus = 1e7,
                                 .stiction_velocity = 1e-4};
}

// One number with its name and whether zero is allowed.
typedef struct checked_value {
    const char* name;
    const char* unit;
    double value;
    bool is_zero_allowed;
} checked_value;

static iso_status check_values(iso_context* ctx, const char* what, const char* name,
                               const checked_value* values, int count) {
    for (int i = 0; i < count; ++i) {
        const checked_value* v = &values[i];
        bool is_good =
            isfinite(v->value) && (v->value > 0.0 || (v->is_zero_allowed && v->value == 0.0));
        ISO_REQUIRE(ctx, is_good, ISO_ERR_RANGE, "%s '%s': %s is %g%s, expected finite and %s 0",
                    what, name, v->name, v->value, v->unit, v->is_zero_allowed ? ">=" : ">");
    }
    return ISO_OK;
}

iso_status iso_contact_material_check(iso_context* ctx, const iso_contact_material* material,
                                      const char* name) {
    ISO_REQUIRE(ctx,
                (int)material->compliance >= ISO_COMPLIANCE_DEFAULT &&
                    material->compliance <= ISO_COMPLIANCE_COMPLIANT,
                ISO_ERR_RANGE, "geometry '%s': compliance is %d, expected %d to %d", name,
                (int)material->compliance, ISO_COMPLIANCE_DEFAULT, ISO_COMPLIANCE_COMPLIANT);
    const checked_value values[] = {
        {"modulus", " Pa", material->modulus, false},
        {"resolution hint", " m", material->resolution_hint, true},
        {"margin", " m", material->margin, true},
        {"slab thickness", " m", material->slab_thickness, true},
        {"dissipation", " s/m", material->dissipation, true},
        {"relaxation time", " s", material->relaxation_time, true},
        {"static friction", "", material->friction_static, true},
        {"dynamic friction", "", material->friction_dynamic, true},
    };
    iso_status status =
        check_values(ctx, "geometry", name, values, (int)(sizeof values / sizeof *values));
    if (status != ISO_OK) {
        return status;
    }
    ISO_REQUIRE(ctx, material->friction_dynamic <= material->friction_static, ISO_ERR_RANGE,
                "geometry '%s': dynamic friction is %g, expected at most the static friction %g",
                name, material->friction_dynamic, material->friction_static);
    return ISO_OK;
}

iso_status iso_contact_options_check(iso_context* ctx, const iso_contact_options* options) {
    ISO_REQUIRE(ctx,
                options->representation == ISO_REPRESENTATION_POLYGON ||
                    options->representation == ISO_REPRESENTATION_TRIANGLE,
                ISO_ERR_ARGUMENT, "contact representation is %d, expected polygon or triangle",
                (int)options->representation);
    ISO_REQUIRE(ctx, options->cull == ISO_CULL_NONE || options->cull == ISO_CULL_DRAKE,
                ISO_ERR_ARGUMENT, "contact culling is %d, expected none or drake",
                (int)options->cull);
    ISO_REQUIRE(ctx,
                options->combine == ISO_COMBINE_DRAKE || options->combine == ISO_COMBINE_ELANDT,
                ISO_ERR_ARGUMENT, "combination rule is %d, expected drake or elandt",
                (int)options->combine);
    ISO_REQUIRE(ctx,
                options->regularization == ISO_REGULARIZATION_PATCH ||
                    options->regularization == ISO_REGULARIZATION_DRAKE,
                ISO_ERR_ARGUMENT, "regularization is %d, expected patch or drake",
                (int)options->regularization);
    const checked_value values[] = {
        {"rigid layer thickness", " m", options->rigid_layer_thickness, false},
        {"rigid layer modulus", " Pa", options->rigid_layer_modulus, false},
        {"stiction velocity", " m/s", options->stiction_velocity, false},
    };
    return check_values(ctx, "options", "contact", values, (int)(sizeof values / sizeof *values));
}

double iso_friction_combine(double mu_a, double mu_b) {
    double sum = mu_a + mu_b;
    return sum > 0.0 ? 2.0 * mu_a * mu_b / sum : 0.0;
}

double iso_dissipation_combine(double modulus_a, double dissipation_a, double modulus_b,
                               double dissipation_b) {
    if (isinf(modulus_a) || isinf(modulus_b)) {
        if (isinf(modulus_a) && isinf(modulus_b)) {
            return 0.5 * (dissipation_a + dissipation_b);
        }
        return isinf(modulus_a) ? dissipation_b : dissipation_a;
    }
    double sum = modulus_a + modulus_b;
    return sum > 0.0 ? (modulus_b * dissipation_a + modulus_a * dissipation_b) / sum : 0.0;
}

double iso_dissipation_combine_face(double slope_a, double dissipation_a, double slope_b,
                                    double dissipation_b) {
    if (isinf(slope_a)) {
        return dissipation_b;
    }
    if (isinf(slope_b)) {
        return dissipation_a;
    }
    double share_a = slope_b / (slope_a + slope_b); // c_A / (c_A + c_B)
    double share_b = slope_a / (slope_a + slope_b);
    return dissipation_a * share_a * share_a + dissipation_b * share_b * share_b;
}
