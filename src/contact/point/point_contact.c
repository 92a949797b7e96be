// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "contact/point/point_contact.h"

#include "base/core/fail.h"

iso_status iso_point_contact_law_check(iso_context* ctx, const iso_point_contact_law* law) {
    ISO_REQUIRE(ctx, law, ISO_ERR_ARGUMENT, "a law of point contact is required");
    ISO_REQUIRE(ctx, isfinite(law->stiffness) && law->stiffness > 0.0, ISO_ERR_RANGE,
                "contact stiffness is %g N/m^p, expected finite and > 0", law->stiffness);
    ISO_REQUIRE(ctx, isfinite(law->exponent) && law->exponent >= 1.0, ISO_ERR_RANGE,
                "exponent of the depth is %g, expected finite and >= 1", law->exponent);
    const iso_restitution* r = &law->restitution;
    ISO_REQUIRE(ctx, r->base >= ISO_LEAST_RESTITUTION && r->base <= 1.0, ISO_ERR_RANGE,
                "restitution is %g, expected %g to 1: none at all needs an infinite damping",
                r->base, ISO_LEAST_RESTITUTION);
    ISO_REQUIRE(ctx, isfinite(r->slope) && r->slope >= 0.0, ISO_ERR_RANGE,
                "loss of restitution is %g s/m, expected finite and >= 0", r->slope);
    ISO_REQUIRE(ctx, (unsigned)law->damping < ISO_IMPACT_DAMPING_COUNT, ISO_ERR_ARGUMENT,
                "damping model is %d, expected 0 to %d", (int)law->damping,
                ISO_IMPACT_DAMPING_COUNT - 1);
    ISO_REQUIRE(ctx, isfinite(law->small_speed) && law->small_speed > 0.0, ISO_ERR_RANGE,
                "small speed of impact is %g m/s, expected finite and > 0", law->small_speed);
    ISO_REQUIRE(ctx, isfinite(law->relaxation_time) && law->relaxation_time >= 0.0, ISO_ERR_RANGE,
                "relaxation time is %g s, expected finite and >= 0", law->relaxation_time);
    return iso_bristle_check(ctx, &law->friction);
}

void iso_point_touch(const iso_point_contact_law* law, double depth, double approach, double dwell,
                     iso_point_memory* out) {
    *out =
        (iso_point_memory){.impact_speed = fmax(approach, law->small_speed), .is_touching = true};
    double e = iso_restitution_at(&law->restitution, out->impact_speed);
    out->damping = iso_damping_share(law->damping, e) / out->impact_speed;
    out->offset = law->relaxation_time > 0.0 ? fmax(depth, 0.0) : 0.0;
    out->bristle.dwell = dwell;
}

void iso_point_part(iso_point_memory* memory) {
    *memory = (iso_point_memory){0};
}

void iso_point_eval(const iso_point_contact_law* law, const iso_point_memory* memory, double depth,
                    const iso_bristle_slip* slip, iso_point_result* out) {
    *out = (iso_point_result){0};
    iso_bristle_eval(&law->friction, &memory->bristle, slip, &out->friction);
    out->offset_rate = law->relaxation_time > 0.0 ? -memory->offset / law->relaxation_time : 0.0;
    double pressed = depth - memory->offset;
    if (!(pressed > 0.0) || !memory->is_touching) {
        return;
    }
    double separating = iso_vec3_dot(slip->velocity, slip->normal);
    double power = pow(pressed, law->exponent);
    out->elastic_force = law->stiffness * power;
    out->normal_force = out->elastic_force * fmax(1.0 - memory->damping * separating, 0.0);
    iso_vec3 pressing = iso_vec3_scale(slip->normal, out->normal_force);
    out->force = iso_vec3_add_scaled(pressing, out->friction.traction, out->normal_force);
    out->moment = out->normal_force * out->friction.moment;
    out->energy =
        out->elastic_force * pressed / (law->exponent + 1.0) +
        out->normal_force * iso_bristle_energy(&law->friction, &memory->bristle, slip->radius);
    // Work of the normal force on the bodies and growth of the stored energy, both negative.
    double growth = out->elastic_force * (-separating - out->offset_rate);
    out->normal_dissipation = -out->normal_force * separating - growth;
}

void iso_point_memory_pack(const iso_point_memory* m, double* out) {
    const iso_bristle_state* b = &m->bristle;
    const double state[ISO_POINT_STATE_COUNT] = {m->offset,       b->deflection.x, b->deflection.y,
                                                 b->deflection.z, b->turn,         b->dwell};
    for (int i = 0; i < ISO_POINT_STATE_COUNT; ++i) {
        out[i] = state[i];
    }
}

void iso_point_memory_unpack(const double* state, iso_point_memory* m) {
    m->offset = state[0];
    m->bristle.deflection = iso_vec3_make(state[1], state[2], state[3]);
    m->bristle.turn = state[4];
    m->bristle.dwell = state[5];
}

void iso_point_rates_pack(const iso_point_result* result, double* out) {
    iso_point_memory rates = {.offset = result->offset_rate, .bristle = result->friction.rate};
    iso_point_memory_pack(&rates, out);
}

void iso_point_memory_add(iso_point_memory* memory, const iso_point_result* result, double dt) {
    double state[ISO_POINT_STATE_COUNT], rates[ISO_POINT_STATE_COUNT];
    iso_point_memory_pack(memory, state);
    iso_point_rates_pack(result, rates);
    for (int i = 0; i < ISO_POINT_STATE_COUNT; ++i) {
        state[i] += dt * rates[i];
    }
    iso_point_memory_unpack(state, memory);
}
