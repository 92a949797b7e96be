// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Why a step was slow, or bears less than it should, in the words of the model.

#include "stepper/stages/stages.h"

#include "base/core/fail.h"
#include "base/core/log.h"

#include <math.h>

// A step of so many Newton iterations needs no excuse.
#define FEW_ITERATIONS 5

// A press that bears a larger share of what it should needs no word.
#define LEAST_BORNE 0.9
// Forces on a body that is pressed cancel but for this share.
#define PRESSED_SHARE 0.25
// The other convex methods soften by the square of this less than sap (contact/discrete).
#define SAP_SOFTER 10.0

// What slip may do to normal forces. More lifts bodies that slide with sap until they hop; what
// spins with similar is borne by its middle or its rim (tests/world/steps/test_coupling.py).
#define MOST_LIFTED 0.3
#define MOST_UNEVEN 0.1
// So many steps are more than a blow.
#define BRIEF_STEPS 5

// Whether the gradient of a contact failed the forecast along its mean normal rather than across.
static bool is_normal(const iso_contact_pair* pair, const double error[6]) {
    iso_vec3 e = iso_vec3_make(error[3], error[4], error[5]);
    double along = iso_vec3_dot(e, pair->model->normal(pair));
    return 2.0 * along * along > iso_vec3_norm_squared(e);
}

static void blame_contact(iso_stages* s, const iso_convex_report* convex) {
    for (int i = 0; i < s->set.pair_count; ++i) {
        if (s->pair_potential[i] == convex->slowest_potential) {
            const iso_contact_pair* pair = &s->set.pairs[i];
            s->report.reason = is_normal(pair, convex->slowest_error) ? ISO_STEP_REASON_OPENING
                                                                      : ISO_STEP_REASON_FRICTION;
            s->report.reason_body_a = pair->body_a;
            s->report.reason_body_b = pair->body_b;
        }
    }
}

static iso_step_reason joint_reason(const iso_potential_ops* ops) {
    if (ops == &iso_joint_limit_ops) {
        return ISO_STEP_REASON_LIMIT;
    }
    if (ops == &iso_drive_ops || ops == &iso_drive_sum_ops) {
        return ISO_STEP_REASON_DRIVE;
    }
    return ops == &iso_joint_friction_ops ? ISO_STEP_REASON_JOINT_FRICTION
                                          : ISO_STEP_REASON_CONSTRAINT;
}

void iso_stages_find_reason(iso_stages* s, const iso_convex_report* convex) {
    // A step that ends with more than the tolerance ends at rounding.
    bool is_rounding = convex->residual > s->stepper->convex.relative_tolerance;
    if (is_rounding) {
        s->report.reason = ISO_STEP_REASON_ROUNDING;
    }
    if (convex->iterations <= FEW_ITERATIONS || convex->slowest_potential < 0) {
        return;
    }
    s->report.reason = ISO_STEP_REASON_NONE;
    blame_contact(s, convex);
    if (s->report.reason == ISO_STEP_REASON_NONE) {
        const iso_potential* potential = &s->potentials[convex->slowest_potential];
        s->report.reason = joint_reason(potential->ops);
        if (!potential->jacobian_a) {
            s->report.reason_body_a = s->stepper->dynamics.multibody->dof_body[potential->dof];
        }
    }
    if (convex->is_at_rounding || is_rounding) {
        s->report.reason = ISO_STEP_REASON_ROUNDING;
    }
}

// The body of a pair that moves freely, where the other one does not; -1: none.
static int held_body(const iso_stages* s, const iso_contact_pair* pair) {
    const iso_mb_body* bodies = s->stepper->dynamics.multibody->bodies;
    bool is_a = bodies[pair->body_a].tree >= 0, is_b = bodies[pair->body_b].tree >= 0;
    return is_a == is_b ? -1 : is_a ? pair->body_a : pair->body_b;
}

static bool is_soft(const iso_contact_step* step) {
    return step->softening > 0.0 && step->softening < LEAST_BORNE;
}

static void say_soft(const iso_stages* s, const iso_contact_pair* pair, int body, double share) {
    iso_stepper* stepper = s->stepper;
    const char* const* names = stepper->dynamics.body_names;
    double less = fmin(SAP_SOFTER * SAP_SOFTER * share, 1.0);
    const char* cure = stepper->settings.method != ISO_METHOD_SAP ? ""
                       : less >= LEAST_BORNE                      ? ", and method lagged as it is,"
                                             : ", and method lagged with one ten times as long,";
    iso_log(stepper->ctx, ISO_LOG_WARNING,
            "contact of '%s' and '%s' at t = %g s: '%s' is pressed between bodies that do not give "
            "way, and is so stiff that a step of %g s softens it: the press bears %.3g %% of its "
            "force; steps of at most %.2g s%s bear nearly all of it",
            names[pair->body_a], names[pair->body_b], s->input->time, names[body], s->span,
            100.0 * share, s->span * sqrt(share), cure);
}

iso_status iso_stages_tell_soft_press(const iso_stages* s, const iso_contact_result* result) {
    iso_stepper* stepper = s->stepper;
    int first = 0, count = s->set.pair_count, body_count = stepper->dynamics.multibody->body_count;
    while (first < count && !is_soft(&s->steps[first])) {
        ++first;
    }
    if (first == count || atomic_load(&stepper->dynamics.told->is_soft)) {
        return ISO_OK;
    }
    iso_vec3* sums = iso_arena_push_array(&stepper->arena, body_count, sizeof *sums);
    double* sizes = iso_arena_push_array(&stepper->arena, body_count, sizeof *sizes);
    ISO_REQUIRE(stepper->ctx, sums && sizes, ISO_ERR_MEMORY, "forces on %d bodies", body_count);
    for (int i = 0; i < body_count; ++i) {
        sums[i] = iso_vec3_zero();
        sizes[i] = 0.0;
    }
    for (int i = first; i < count; ++i) {
        const iso_contact_pair* pair = &s->set.pairs[i];
        int body = held_body(s, pair);
        iso_vec3 f = result->f_b_w[i].translational;
        if (body >= 0 && is_soft(&s->steps[i])) {
            sums[body] = iso_vec3_add_scaled(sums[body], f, body == pair->body_b ? 1.0 : -1.0);
            sizes[body] += iso_vec3_norm(f);
        }
    }
    for (int i = first; i < count; ++i) {
        const iso_contact_pair* pair = &s->set.pairs[i];
        int body = held_body(s, pair);
        if (body >= 0 && is_soft(&s->steps[i]) &&
            iso_vec3_norm(sums[body]) < PRESSED_SHARE * sizes[body] &&
            !atomic_exchange(&stepper->dynamics.told->is_soft, true)) {
            say_soft(s, pair, body, s->steps[i].softening);
        }
    }
    return ISO_OK;
}

void iso_stages_tell_coupling(iso_stages* s) {
    iso_stepper* stepper = s->stepper;
    bool is_sap = stepper->method->law == ISO_DISCRETE_SAP;
    double most = is_sap ? MOST_LIFTED : MOST_UNEVEN;
    if (stepper->settings.error_control || atomic_load(&stepper->dynamics.told->is_coupled)) {
        return;
    }
    for (int i = 0; i < s->set.pair_count; ++i) {
        double coupling = s->steps[i].coupling;
        if (!(coupling > most) || (!is_sap && ++stepper->coupled_steps <= BRIEF_STEPS) ||
            atomic_exchange(&stepper->dynamics.told->is_coupled, true)) {
            continue;
        }
        const iso_contact_pair* pair = &s->set.pairs[i];
        const char* const* names = stepper->dynamics.body_names;
        iso_log(stepper->ctx, ISO_LOG_WARNING,
                "contact of '%s' and '%s' at t = %g s: with method %s slip %s, by "
                "%.3g times the whole force here, and bodies %s; expected at most %g; methods "
                "lagged and tamsi do not do this, a smaller step%s less",
                names[pair->body_a], names[pair->body_b], s->input->time,
                is_sap ? "sap" : "similar",
                is_sap ? "adds to the normal force" : "moves pressure from faster to slower places",
                coupling, is_sap ? "ride on it and hop" : "spin too long", most,
                is_sap ? " or relaxation_time" : "");
    }
}
