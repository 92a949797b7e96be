// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "friction/bristle.h"

// Where it sticks and how far translation and spin share the bound ([Gonthier2007] 4.221-4.236).
typedef struct regime {
    iso_vec3 v;         // tangential velocity
    double stick;       // s
    double share_v;     // C_v,s
    double share_w;     // C_w,s
    double direction_w; // sgn(spin)
    double radius;
} regime;

// u / |u|, smoothed to a cubic with one continuous derivative below u_small (3.33).
static iso_vec3 smooth_direction(iso_vec3 u, double u_small) {
    double norm = iso_vec3_norm(u);
    if (norm >= u_small) {
        return iso_vec3_scale(u, 1.0 / norm);
    }
    double x = norm / u_small;
    return iso_vec3_scale(u, (1.5 - 0.5 * x * x) / u_small);
}

static iso_vec3 saturate(iso_vec3 u, double bound) {
    double norm = iso_vec3_norm(u);
    return norm > bound ? iso_vec3_scale(u, bound / norm) : u;
}

static double saturate_scalar(double u, double bound) {
    return u > bound ? bound : (u < -bound ? -bound : u);
}

// A point has nothing to share with: its C_v is 1 also where a patch's would be smoothed.
static regime find_regime(const iso_bristle_params* p, const iso_bristle_slip* slip) {
    regime r = {.v = iso_vec3_tangential(slip->velocity, slip->normal), .radius = slip->radius};
    double square = iso_vec3_norm_squared(r.v);
    double turning = slip->radius * fabs(slip->spin);
    double mean_square = square + turning * turning;
    r.stick = exp(-mean_square / (p->stribeck_speed * p->stribeck_speed));
    r.share_v = 1.0;
    if (slip->radius > 0.0) {
        double mean = fmax(sqrt(mean_square), p->smoothing_speed);
        r.share_v = r.stick + (1.0 - r.stick) * sqrt(square) / mean;
        r.share_w = r.stick + (1.0 - r.stick) * turning / mean;
        r.direction_w =
            smooth_direction(iso_vec3_make(slip->radius * slip->spin, 0.0, 0.0), p->smoothing_speed)
                .x;
    }
    return r;
}

// s (sigma_0 z + sigma_1 v) + (1 - s) mu_C dir C_v: what the bristles would carry without a bound.
// In the implicit form z is damped by 1 / (1 + dt / tau_br), and the whole then amplified.
static iso_vec3 free_traction(const iso_bristle_params* p, const regime* r, iso_vec3 z) {
    iso_vec3 stuck = iso_vec3_add_scaled(iso_vec3_scale(z, p->stiffness), r->v, p->damping);
    iso_vec3 slid = smooth_direction(r->v, p->smoothing_speed);
    double sliding = (1.0 - r->stick) * p->friction_dynamic * r->share_v;
    return iso_vec3_add_scaled(iso_vec3_scale(stuck, r->stick), slid, sliding);
}

// The same for the turn of the bristles; its bound is that over the radius.
static double free_turning(const iso_bristle_params* p, const regime* r, double turn, double spin) {
    double stuck = p->stiffness * turn + p->damping * spin;
    double slid = p->friction_dynamic * r->share_w / r->radius * r->direction_w;
    return r->stick * stuck + (1.0 - r->stick) * slid;
}

static double dwell_time(const iso_bristle_params* p, double rise) {
    return rise >= 0.0 ? p->dwell_time : p->damping / p->stiffness;
}

static double dwell_in_effect(const iso_bristle_params* p, double dwell, double stick) {
    return p->dwell_time > 0.0 ? dwell : stick;
}

static double bound_of(const iso_bristle_params* p, double dwell) {
    return p->friction_dynamic + (p->friction_static - p->friction_dynamic) * dwell;
}

// Friction from what the bristles carry: bounded, with the viscous part.
static void finish(const iso_bristle_params* p, const regime* r, const iso_bristle_slip* slip,
                   iso_vec3 carried, double turning, iso_bristle_result* out) {
    out->traction = iso_vec3_neg(iso_vec3_add_scaled(carried, r->v, p->viscous));
    out->moment = 0.0;
    if (r->radius > 0.0) {
        out->moment = -r->radius * r->radius * (turning + p->viscous * slip->spin);
    }
    out->stick = r->stick;
}

void iso_bristle_eval(const iso_bristle_params* p, const iso_bristle_state* state,
                      const iso_bristle_slip* slip, iso_bristle_result* out) {
    regime r = find_regime(p, slip);
    iso_vec3 z = iso_vec3_tangential(state->deflection, slip->normal);
    out->bound = bound_of(p, dwell_in_effect(p, state->dwell, r.stick));
    iso_vec3 wanted = free_traction(p, &r, z);
    iso_vec3 carried = saturate(wanted, out->bound * r.share_v);
    out->is_saturated = iso_vec3_norm(wanted) > out->bound * r.share_v;
    out->rate.deflection =
        iso_vec3_scale(iso_vec3_add_scaled(carried, z, -p->stiffness), 1.0 / p->damping);
    out->rate.turn = 0.0;
    double turning = 0.0;
    if (r.radius > 0.0) {
        turning = saturate_scalar(free_turning(p, &r, state->turn, slip->spin),
                                  out->bound * r.share_w / r.radius);
        out->rate.turn = (turning - p->stiffness * state->turn) / p->damping;
    }
    double rise = r.stick - state->dwell;
    out->rate.dwell = p->dwell_time > 0.0 ? rise / dwell_time(p, rise) : 0.0;
    finish(p, &r, slip, carried, turning, out);
}

// z' = z + dt (b - sigma_0 z') / sigma_1 with b = sat(free(z'), bound). free(z') is parallel to
// free(z / (1 + h)), h = dt sigma_0 / sigma_1, and (1 + h) / (1 + (1 - s) h) times as long where
// the bound is not reached; so there is nothing to iterate.
void iso_bristle_step(const iso_bristle_params* p, iso_bristle_state* state,
                      const iso_bristle_slip* slip, double dt, iso_bristle_result* out) {
    regime r = find_regime(p, slip);
    double h = dt * p->stiffness / p->damping, damp = 1.0 / (1.0 + h);
    double amplify = (1.0 + h) / (1.0 + (1.0 - r.stick) * h);
    iso_bristle_state old = *state;
    double rise = r.stick - old.dwell;
    state->dwell = p->dwell_time > 0.0 ? r.stick - rise * exp(-dt / dwell_time(p, rise)) : r.stick;
    out->bound = bound_of(p, state->dwell);
    iso_vec3 z = iso_vec3_tangential(old.deflection, slip->normal);
    iso_vec3 wanted = iso_vec3_scale(free_traction(p, &r, iso_vec3_scale(z, damp)), amplify);
    iso_vec3 carried = saturate(wanted, out->bound * r.share_v);
    out->is_saturated = iso_vec3_norm(wanted) > out->bound * r.share_v;
    state->deflection = iso_vec3_scale(iso_vec3_add_scaled(z, carried, dt / p->damping), damp);
    double turning = 0.0;
    if (r.radius > 0.0) {
        turning = saturate_scalar(amplify * free_turning(p, &r, old.turn * damp, slip->spin),
                                  out->bound * r.share_w / r.radius);
        state->turn = (old.turn + dt / p->damping * turning) * damp;
    }
    out->rate.deflection = iso_vec3_scale(iso_vec3_sub(state->deflection, z), 1.0 / dt);
    out->rate.turn = (state->turn - old.turn) / dt;
    out->rate.dwell = (state->dwell - old.dwell) / dt;
    finish(p, &r, slip, carried, turning, out);
}

double iso_bristle_energy(const iso_bristle_params* p, const iso_bristle_state* state,
                          double radius) {
    double turn = radius * state->turn;
    return 0.5 * p->stiffness * (iso_vec3_norm_squared(state->deflection) + turn * turn);
}

double iso_bristle_steady(const iso_bristle_params* p, double speed) {
    double ratio = speed / p->stribeck_speed, stick = exp(-ratio * ratio);
    double bound = bound_of(p, stick);
    iso_vec3 slid = smooth_direction(iso_vec3_make(speed, 0.0, 0.0), p->smoothing_speed);
    // s v + (1 - s) (mu_C dir - sigma_0 z) / sigma_1 = 0 where that stays below the bound.
    double slip = -expm1(-ratio * ratio);
    double stuck = stick * p->damping * speed;
    double carried = p->friction_dynamic * slid.x;
    bool is_bounded = stuck >= (bound - carried) * slip;
    return (is_bounded ? bound : carried + stuck / slip) + p->viscous * speed;
}
