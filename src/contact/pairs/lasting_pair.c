// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "contact/pairs/lasting_pair.h"

#include "base/core/fail.h"
#include "contact/pairs/contact_system_state.h"
#include "contact/pairs/material.h"

#include <math.h>

// Radius that turns count with in the error control [m].
#define SCALE_RADIUS 1e-3
// A smaller patch is a point, which has no moment: of one point the radius is rounding alone [m].
#define LEAST_RADIUS 1e-9

const iso_lasting_pair* iso_contact_system_lasting(const iso_contact_system* system,
                                                   int* out_count) {
    *out_count = system ? system->lasting.count : 0;
    return *out_count > 0 ? system->lasting.data : NULL;
}

static bool has_bristles(const iso_contact_system* system, int geometry) {
    return system->geometries[geometry].material.bristle_stiffness > 0.0;
}

static bool is_latched(const iso_contact_system* system, int geometry) {
    return iso_contact_material_is_latched(&system->geometries[geometry].material);
}

static bool lasts(const iso_contact_system* system, int geometry) {
    return has_bristles(system, geometry) || is_latched(system, geometry);
}

static iso_status check_pair(const iso_contact_system* system, int a, int b) {
    const iso_contact_geometry *ga = &system->geometries[a], *gb = &system->geometries[b];
    const iso_contact_model* model = iso_contact_system_model(system, a, b);
    ISO_REQUIRE(system->ctx, model->press, ISO_ERR_ARGUMENT,
                "geometries '%s' of '%s' (%s) and '%s' of '%s' (%s) may meet with bristle friction "
                "or restitution at the speed of each impact in contact model %s; expected hertz or "
                "volumetric, materials without both or a filter of the pair",
                ga->name, ga->body_name, iso_contact_source(ga), gb->name, gb->body_name,
                iso_contact_source(gb), model->name);
    return ISO_OK;
}

static iso_lasting_pair make_lasting(const iso_contact_system* system, int a, int b) {
    iso_lasting_pair pair = {.geometry_a = a,
                             .geometry_b = b,
                             .is_latched = is_latched(system, a) || is_latched(system, b)};
    if (has_bristles(system, a) || has_bristles(system, b)) {
        iso_contact_friction_coefficients(system, a, b, &pair.bristles.friction_static,
                                          &pair.bristles.friction_dynamic);
        iso_bristle_combine(&system->geometries[a].material, &system->geometries[b].material,
                            &pair.bristles);
    }
    return pair;
}

iso_status iso_contact_system_prepare_lasting(iso_contact_system* system) {
    iso_status status = ISO_OK;
    bool has_any = false;
    for (int i = 0; i < system->geometry_count; ++i) {
        has_any = has_any || lasts(system, i);
    }
    system->lasting.count = 0;
    for (int a = 0; a < system->geometry_count && has_any; ++a) {
        for (int b = a + 1; b < system->geometry_count; ++b) {
            if ((!lasts(system, a) && !lasts(system, b)) ||
                !iso_contact_system_may_meet(system, a, b)) {
                continue;
            }
            ISO_TRY(check_pair(system, a, b));
            ISO_TRY(ISO_ARRAY_GROW(system->ctx, &system->lasting));
            system->lasting.data[system->lasting.count++] = make_lasting(system, a, b);
        }
    }
done:
    return status;
}

void iso_contact_system_renew_friction(iso_contact_system* system) {
    for (int i = 0; i < system->lasting.count; ++i) {
        iso_lasting_pair* pair = &system->lasting.data[i];
        *pair = make_lasting(system, pair->geometry_a, pair->geometry_b);
    }
}

const iso_lasting_pair* iso_contact_system_lasting_pair(const iso_contact_system* system, int a,
                                                        int b) {
    int first = 0, last = system->lasting.count;
    while (first < last) {
        int middle = first + (last - first) / 2;
        const iso_lasting_pair* pair = &system->lasting.data[middle];
        if (pair->geometry_a < a || (pair->geometry_a == a && pair->geometry_b < b)) {
            first = middle + 1;
        } else {
            last = middle;
        }
    }
    const iso_lasting_pair* found =
        first < system->lasting.count ? &system->lasting.data[first] : NULL;
    return found && found->geometry_a == a && found->geometry_b == b ? found : NULL;
}

static iso_bristle_state state_of(const double* x) {
    return (iso_bristle_state){iso_vec3_make(x[0], x[1], x[2]), x[3], x[4]};
}

static void put_rates(iso_vec3 deflection, double turn, double dwell, double* out) {
    out[0] = deflection.x;
    out[1] = deflection.y;
    out[2] = deflection.z;
    out[3] = turn;
    out[4] = dwell;
}

// Bristles turn with the bodies about the normal, and what is along it springs back.
iso_spatial iso_bristle_friction(const iso_contact_pair* pair, const iso_contact_press* press,
                                 iso_spatial v_c, iso_vec3 turning, const double* x,
                                 double* out_loss, double* out_rates) {
    const iso_bristle_params* p = pair->bristles;
    iso_bristle_state state = state_of(x);
    iso_vec3 n = press->normal;
    const iso_bristle_slip slip = {.normal = n,
                                   .velocity = v_c.translational,
                                   .spin = iso_vec3_dot(n, v_c.rotational),
                                   .radius = press->radius > LEAST_RADIUS ? press->radius : 0.0};
    iso_bristle_result r;
    iso_bristle_eval(p, &state, &slip, &r);
    double along = iso_vec3_dot(n, state.deflection);
    iso_vec3 z = iso_vec3_add_scaled(state.deflection, n, -along);
    iso_vec3 carried = iso_vec3_cross(iso_vec3_scale(n, iso_vec3_dot(n, turning)), z);
    iso_vec3 rate = iso_vec3_add(r.rate.deflection, carried);
    rate = iso_vec3_add_scaled(rate, n, -along * p->stiffness / p->damping);
    put_rates(rate, r.rate.turn, r.rate.dwell, out_rates);
    iso_vec3 rub = iso_vec3_scale(r.traction, press->force);
    double moment = r.moment * press->force;
    *out_loss = -(iso_vec3_dot(rub, v_c.translational) + moment * slip.spin);
    return iso_spatial_make(iso_vec3_scale(n, moment), rub);
}

iso_spatial iso_bristle_wrench(const iso_contact_pair* pair, iso_spatial v_c, iso_vec3 turning,
                               const double* x, iso_contact_losses* out_losses, double* out_rates) {
    iso_contact_press press = pair->model->press(pair, v_c);
    iso_spatial friction =
        iso_bristle_friction(pair, &press, v_c, turning, x, &out_losses->friction, out_rates);
    out_losses->damping = press.damping;
    return iso_spatial_add(press.wrench, friction);
}

void iso_bristle_relax(const iso_lasting_pair* pair, const double* x, double* out_rates) {
    bool has_any = pair->bristles.stiffness > 0.0;
    double rate = has_any ? pair->bristles.stiffness / pair->bristles.damping : 0.0;
    for (int i = 0; i < ISO_BRISTLE_STATE_COUNT; ++i) {
        out_rates[i] = -rate * x[i];
    }
}

void iso_bristle_scales(const iso_lasting_pair* pair, double* out_scales) {
    double length = pair->bristles.stiffness > 0.0 ? 1.0 / pair->bristles.stiffness : 1.0;
    put_rates(iso_vec3_make(length, length, length), length / SCALE_RADIUS, 1.0, out_scales);
}
