// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/fail.h"
#include "isobar/bristle.h"

#include <math.h>

static iso_status check_positive(iso_context* ctx, const char* what, double value,
                                 const char* unit) {
    ISO_REQUIRE(ctx, isfinite(value) && value > 0.0, ISO_ERR_RANGE, "%s is %g %s, expected > 0",
                what, value, unit);
    return ISO_OK;
}

static iso_status check_not_negative(iso_context* ctx, const char* what, double value,
                                     const char* unit) {
    ISO_REQUIRE(ctx, isfinite(value) && value >= 0.0, ISO_ERR_RANGE, "%s is %g%s%s, expected >= 0",
                what, value, unit[0] != '\0' ? " " : "", unit);
    return ISO_OK;
}

iso_status iso_bristle_check(iso_context* ctx, const iso_bristle_params* p) {
    ISO_REQUIRE(ctx, p, ISO_ERR_ARGUMENT, "bristle parameters are required");
    iso_status status = ISO_OK;
    ISO_TRY(check_not_negative(ctx, "dynamic friction", p->friction_dynamic, ""));
    ISO_CHECK(ctx, isfinite(p->friction_static) && p->friction_static >= p->friction_dynamic,
              ISO_ERR_RANGE, "static friction is %g, expected >= %g, the dynamic one",
              p->friction_static, p->friction_dynamic);
    ISO_TRY(check_positive(ctx, "bristle stiffness", p->stiffness, "1/m"));
    ISO_TRY(check_positive(ctx, "bristle damping", p->damping, "s/m"));
    ISO_TRY(check_not_negative(ctx, "viscous friction", p->viscous, "s/m"));
    ISO_TRY(check_positive(ctx, "Stribeck speed", p->stribeck_speed, "m/s"));
    ISO_TRY(check_not_negative(ctx, "dwell time", p->dwell_time, "s"));
    ISO_TRY(check_positive(ctx, "smoothing speed", p->smoothing_speed, "m/s"));
    ISO_CHECK(ctx, p->smoothing_speed <= 0.1 * p->stribeck_speed * (1.0 + 1e-12), ISO_ERR_RANGE,
              "smoothing speed is %g m/s, expected at most %g m/s, a tenth of the Stribeck speed",
              p->smoothing_speed, 0.1 * p->stribeck_speed);
done:
    return status;
}

iso_status iso_bristle_from_guess(iso_context* ctx, const iso_bristle_guess* guess,
                                  iso_bristle_params* out) {
    ISO_REQUIRE(ctx, guess && out, ISO_ERR_ARGUMENT, "guess and out_params are required");
    iso_status status = ISO_OK;
    ISO_TRY(check_not_negative(ctx, "dynamic friction", guess->friction_dynamic, ""));
    ISO_TRY(check_not_negative(ctx, "static friction", guess->friction_static, ""));
    ISO_TRY(check_not_negative(ctx, "presliding length", guess->presliding, "m"));
    ISO_TRY(check_not_negative(ctx, "sliding speed", guess->sliding_speed, "m/s"));
    ISO_TRY(check_not_negative(ctx, "load acceleration", guess->load_acceleration, "m/s^2"));
    double length = guess->presliding > 0.0 ? guess->presliding : 1e-4;
    double speed = guess->sliding_speed > 0.0 ? guess->sliding_speed : 0.1;
    double load = guess->load_acceleration > 0.0 ? guess->load_acceleration : 9.81;
    iso_bristle_params p = {.friction_dynamic = guess->friction_dynamic};
    p.friction_static =
        guess->friction_static > 0.0 ? guess->friction_static : guess->friction_dynamic;
    p.stiffness = (p.friction_static > 0.0 ? p.friction_static : 1.0) / length;
    p.damping = 2.0 * sqrt(p.stiffness / load);
    p.stribeck_speed = 0.01 * speed;
    p.dwell_time = 10.0 * p.damping / p.stiffness;
    p.smoothing_speed = 0.01 * p.stribeck_speed;
    ISO_TRY(iso_bristle_check(ctx, &p));
    *out = p;
done:
    return status;
}
