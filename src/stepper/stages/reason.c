// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Why a step was slow, or bears less than it should, in the words of the model.

#include "stepper/stages/stages.h"

#include "base/core/fail.h"
#include "base/core/log.h"

#include <math.h>
#include <string.h>

// A step of so many Newton iterations needs no excuse.
#define FEW_ITERATIONS 5

// A press that bears a larger share of what it should needs no word.
#define LEAST_BORNE 0.9
// Forces on a body that is pressed cancel but for this share.
#define PRESSED_SHARE 0.25
// The other convex methods soften by the square of this less than sap (contact/discrete).
#define SAP_SOFTER 10.0
// A joint that moves a contact less along its normal does not [m/m, m/rad].
#define SMALLEST_WAY 1e-6

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

// By how much a body gives way along the mean normal of a pair [m/N]: not at all where it is fixed,
// by its drives where each joint that moves it there has one, else without bound. pair: index.
static double give_of(const iso_stages* s, int index, int body) {
    const iso_contact_pair* pair = &s->set.pairs[index];
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    int tree = multibody->bodies[body].tree, at = s->pair_potential[index];
    if (tree < 0) {
        return 0.0;
    }
    const iso_potential* potential = at >= 0 ? &s->potentials[at] : NULL;
    if (!potential || (potential->tree_b < 0 && multibody->bodies[pair->body_a].tree >= 0 &&
                       multibody->bodies[pair->body_b].tree >= 0)) {
        return INFINITY; // both hang on one tree
    }
    const double* j = tree == potential->tree_a ? potential->jacobian_a : potential->jacobian_b;
    int first = multibody->tree_v_index[tree];
    int dofs = multibody->tree_v_index[tree + 1] - first;
    iso_vec3 n = pair->model->normal(pair);
    double give = 0.0;
    for (int d = 0; d < dofs; ++d) {
        double way = n.x * j[3 * dofs + d] + n.y * j[4 * dofs + d] + n.z * j[5 * dofs + d];
        double gain = fabs(way) > SMALLEST_WAY ? iso_stages_drive_stiffness(s, first + d) : 1.0;
        give += fabs(way) > SMALLEST_WAY ? way * way / gain : 0.0;
    }
    return give;
}

// A body that is pressed: what its contacts push it with, and how much they give.
typedef struct press {
    iso_vec3 sum;      ///< of forces [N]
    double size;       ///< of their sizes
    double give, soft; ///< squares of forces times what gives way: of the bodies, and as softened
    double softest;    ///< share of stiffness that a contact keeps
    int pair;          ///< of that
} press;

static void add_contact(const iso_stages* s, int index, int body, int other, iso_vec3 f,
                        press* out) {
    const iso_contact_step* step = &s->steps[index];
    double give =
        step->softening > 0.0 && step->stiffness > 0.0 ? give_of(s, index, other) : INFINITY;
    if (s->stepper->dynamics.multibody->bodies[body].tree < 0 || !isfinite(give)) {
        return;
    }
    double size = iso_vec3_norm(f), stiffness = step->stiffness;
    out->sum = iso_vec3_add(out->sum, f);
    out->give += size * size * (1.0 / stiffness + give);
    out->soft += size * size * (1.0 / (step->softening * stiffness) + give);
    if (out->size == 0.0 || step->softening < out->softest) {
        out->softest = step->softening;
        out->pair = index;
    }
    out->size += size;
}

static void say_soft(const iso_stages* s, int body, const press* p) {
    iso_stepper* stepper = s->stepper;
    const char* const* names = stepper->dynamics.body_names;
    const iso_contact_pair* pair = &s->set.pairs[p->pair];
    bool is_drakes = stepper->settings.contact.regularization == ISO_REGULARIZATION_DRAKE;
    double less = is_drakes ? 1.0 : fmin(SAP_SOFTER * SAP_SOFTER * p->softest, 1.0);
    const char* cure = stepper->settings.method != ISO_METHOD_SAP ? ""
                       : less >= LEAST_BORNE                      ? ", and method lagged as it is,"
                                             : ", and method lagged with one ten times as long,";
    // Drake's floor falls with the step alone, where its horizon hardly changes.
    double step = s->span * (is_drakes ? p->softest : sqrt(p->softest));
    iso_log(stepper->ctx, ISO_LOG_WARNING,
            "contact of '%s' and '%s' at t = %g s: '%s' is pressed between bodies that do not give "
            "way, and is so stiff that a step of %g s softens it: the press bears %.3g %% of its "
            "force; steps of at most %.2g s%s bear nearly all of it",
            names[pair->body_a], names[pair->body_b], s->input->time, names[body], s->span,
            100.0 * p->give / p->soft, step, cure);
}

iso_status iso_stages_tell_soft_press(const iso_stages* s, const iso_contact_result* result) {
    iso_stepper* stepper = s->stepper;
    int first = 0, count = s->set.pair_count, body_count = stepper->dynamics.multibody->body_count;
    while (first < count &&
           !(s->steps[first].softening > 0.0 && s->steps[first].softening < LEAST_BORNE)) {
        ++first;
    }
    if (first == count || atomic_load(&stepper->dynamics.told->is_soft)) {
        return ISO_OK;
    }
    press* presses = iso_arena_push_array(&stepper->arena, body_count, sizeof *presses);
    ISO_REQUIRE(stepper->ctx, presses, ISO_ERR_MEMORY, "forces on %d bodies", body_count);
    memset(presses, 0, (size_t)body_count * sizeof *presses);
    for (int i = 0; i < count; ++i) {
        const iso_contact_pair* pair = &s->set.pairs[i];
        iso_vec3 f = result->f_b_w[i].translational;
        add_contact(s, i, pair->body_b, pair->body_a, f, &presses[pair->body_b]);
        add_contact(s, i, pair->body_a, pair->body_b, iso_vec3_neg(f), &presses[pair->body_a]);
    }
    for (int b = 0; b < body_count; ++b) {
        const press* p = &presses[b];
        if (iso_vec3_norm(p->sum) < PRESSED_SHARE * p->size && p->give < LEAST_BORNE * p->soft &&
            !atomic_exchange(&stepper->dynamics.told->is_soft, true)) {
            say_soft(s, b, p);
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
