// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Why a step was slow, or bears less than it should, in the words of the model.

#include "stepper/stages/stages.h"

#include "base/core/fail.h"
#include "base/core/log.h"
#include "math/dense.h"

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
// Stiffness of couplers, and of what nothing holds, over the largest that holds a joint.
#define RIGID_OVER_HELD 1e4
#define LOOSE_OVER_HELD 1e-9
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

// Which degrees of freedom something holds in their places: a spring, a drive or a coupler.
static iso_status find_held(const iso_stages* s, bool** out_held) {
    iso_stepper* stepper = s->stepper;
    const iso_multibody* multibody = stepper->dynamics.multibody;
    bool* held = iso_arena_push_array(&stepper->arena, multibody->v_count, sizeof *held);
    *out_held = held;
    ISO_REQUIRE(stepper->ctx, held || multibody->v_count == 0, ISO_ERR_MEMORY,
                "%d degrees of freedom", multibody->v_count);
    for (int d = 0; d < multibody->v_count; ++d) {
        const iso_mb_body* body = &multibody->bodies[multibody->dof_body[d]];
        held[d] = body->mobility != ISO_MOBILITY_FREE && body->stiffness > 0.0;
    }
    for (int i = 0; i < iso_stages_drive_count(stepper); ++i) {
        const iso_drive* drive = &s->drives[i];
        if (iso_stages_drive_stiffness(s, i) == 0.0) {
            continue;
        }
        for (int d = 0; drive->tendon && d < drive->dof_count; ++d) {
            held[drive->first_dof + d] |= drive->row[d] != 0.0;
        }
        if (!drive->tendon) {
            held[drive->dof] = true;
        }
    }
    for (int i = 0; i < stepper->closure.coupler_count; ++i) {
        const iso_coupler* coupler = &stepper->closure.couplers[i];
        if (!coupler->is_off) {
            held[multibody->bodies[coupler->body_a].v_index] = true;
            held[multibody->bodies[coupler->body_b].v_index] = true;
        }
    }
    return ISO_OK;
}

// Rows of the velocity that a pair sees of a tree, 6 x its degrees of freedom; NULL: none, or both
// bodies hang on it.
static const double* find_rows(const iso_stages* s, int index, int tree) {
    const iso_contact_pair* pair = &s->set.pairs[index];
    const iso_mb_body* bodies = s->stepper->dynamics.multibody->bodies;
    int at = s->pair_potential[index];
    const iso_potential* potential = at >= 0 ? &s->potentials[at] : NULL;
    if (!potential || (potential->tree_b < 0 && bodies[pair->body_a].tree >= 0 &&
                       bodies[pair->body_b].tree >= 0)) {
        return NULL;
    }
    return tree == potential->tree_a ? potential->jacobian_a : potential->jacobian_b;
}

// Whether all joints that move a body along the mean normal of a pair are held.
static bool is_held(const iso_stages* s, const bool* held, int index, int body) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    int tree = multibody->bodies[body].tree;
    if (tree < 0) {
        return true;
    }
    const double* j = find_rows(s, index, tree);
    int first = multibody->tree_v_index[tree];
    int dofs = multibody->tree_v_index[tree + 1] - first;
    const iso_contact_pair* pair = &s->set.pairs[index];
    iso_vec3 n = pair->model->normal(pair);
    for (int d = 0; j && d < dofs; ++d) {
        double way = n.x * j[3 * dofs + d] + n.y * j[4 * dofs + d] + n.z * j[5 * dofs + d];
        if (fabs(way) > SMALLEST_WAY && !held[first + d]) {
            return false;
        }
    }
    return j != NULL;
}

// A body that is pressed: what its contacts push it with, and how much they give.
typedef struct press {
    iso_vec3 sum;      ///< of forces [N]
    double size;       ///< of their sizes
    double give, soft; ///< squares of forces times what gives way: of the bodies, and as softened
    double softest;    ///< share of stiffness that a contact keeps
    int pair;          ///< of that
} press;

// Whether a pair presses a body against another that is held.
static bool presses_on(const iso_stages* s, const bool* held, int index, int body, int other) {
    const iso_contact_step* step = &s->steps[index];
    return s->stepper->dynamics.multibody->bodies[body].tree >= 0 && step->softening > 0.0 &&
           step->stiffness > 0.0 && is_held(s, held, index, other);
}

static void add_contact(const iso_stages* s, const bool* held, int index, int body, int other,
                        iso_vec3 f, press* out) {
    const iso_contact_step* step = &s->steps[index];
    if (!presses_on(s, held, index, body, other)) {
        return;
    }
    double size = iso_vec3_norm(f), stiffness = step->stiffness;
    out->sum = iso_vec3_add(out->sum, f);
    out->give += size * size / stiffness;
    out->soft += size * size / (step->softening * stiffness);
    if (out->size == 0.0 || step->softening < out->softest) {
        out->softest = step->softening;
        out->pair = index;
    }
    out->size += size;
}

// What holds the bodies that press on one: a matrix K over the degrees of freedom of their trees
// and of those that couplers lead to, each in units of the root of its entry of A.
typedef struct hold {
    int count;
    int* at;      ///< [v_count] row of a degree of freedom; -1: none
    double* k;    ///< [count count] upper triangle
    double* load; ///< [count] of the contacts
    double top;   ///< largest entry of the diagonal
} hold;

static double unit_of(const iso_stages* s, int dof) {
    return 1.0 / sqrt(*iso_stages_entry(s, dof, dof));
}

static void add_row(hold* h, double stiffness, const int* at, const double* row, int count) {
    for (int i = 0; i < count; ++i) {
        for (int j = 0; at[i] >= 0 && j < count; ++j) {
            if (at[j] >= at[i]) {
                h->k[at[i] * h->count + at[j]] += stiffness * row[i] * row[j];
            }
        }
    }
}

static void mark_tree(const iso_multibody* multibody, int tree, hold* h) {
    for (int d = multibody->tree_v_index[tree]; d < multibody->tree_v_index[tree + 1]; ++d) {
        h->at[d] = h->at[d] < 0 ? h->count++ : h->at[d];
    }
}

// The rows of the trees that press on a body, and of those that are coupled to them.
static void find_dofs(const iso_stages* s, const bool* held, int body, hold* h) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    const iso_closure* closure = &s->stepper->closure;
    for (int d = 0; d < multibody->v_count; ++d) {
        h->at[d] = -1;
    }
    for (int i = 0; i < s->set.pair_count; ++i) {
        const iso_contact_pair* pair = &s->set.pairs[i];
        int other = pair->body_a == body ? pair->body_b : pair->body_a;
        bool is_of = pair->body_a == body || pair->body_b == body;
        if (is_of && multibody->bodies[other].tree >= 0 && presses_on(s, held, i, body, other)) {
            mark_tree(multibody, multibody->bodies[other].tree, h);
        }
    }
    for (int before = -1; before != h->count;) {
        before = h->count;
        for (int i = 0; i < closure->coupler_count; ++i) {
            const iso_mb_body* a = &multibody->bodies[closure->couplers[i].body_a];
            const iso_mb_body* b = &multibody->bodies[closure->couplers[i].body_b];
            bool is_here = h->at[a->v_index] >= 0 || h->at[b->v_index] >= 0;
            if (is_here && !closure->couplers[i].is_off) {
                mark_tree(multibody, a->tree, h);
                mark_tree(multibody, b->tree, h);
            }
        }
    }
}

static void add_springs(const iso_stages* s, hold* h, double* row, int* at) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    for (int d = 0; d < multibody->v_count; ++d) {
        const iso_mb_body* body = &multibody->bodies[multibody->dof_body[d]];
        double unit = h->at[d] >= 0 ? unit_of(s, d) : 0.0;
        add_row(h, body->mobility == ISO_MOBILITY_FREE ? 0.0 : body->stiffness, &h->at[d], &unit,
                1);
    }
    for (int i = 0; i < iso_stages_drive_count(s->stepper); ++i) {
        const iso_drive* drive = &s->drives[i];
        double stiffness = iso_stages_drive_stiffness(s, i);
        int first = drive->tendon ? drive->first_dof : drive->dof;
        int count = stiffness == 0.0 ? 0 : drive->tendon ? drive->dof_count : 1;
        for (int d = 0; d < count; ++d) {
            at[d] = h->at[first + d];
            row[d] =
                at[d] >= 0 ? unit_of(s, first + d) * (drive->tendon ? drive->row[d] : 1.0) : 0.0;
        }
        add_row(h, stiffness, at, row, count);
    }
    for (int i = 0; i < h->count; ++i) {
        h->top = fmax(h->top, h->k[i * (h->count + 1)]);
    }
}

static void add_couplers(const iso_stages* s, hold* h) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    const iso_closure* closure = &s->stepper->closure;
    for (int i = 0; i < closure->coupler_count; ++i) {
        const iso_coupler* coupler = &closure->couplers[i];
        int dofs[2] = {multibody->bodies[coupler->body_a].v_index,
                       multibody->bodies[coupler->body_b].v_index};
        int at[2] = {h->at[dofs[0]], h->at[dofs[1]]};
        if (!coupler->is_off && at[0] >= 0) {
            double slope = iso_coupler_slope(coupler, multibody, s->input->q);
            double row[2] = {-slope * unit_of(s, dofs[0]), unit_of(s, dofs[1])};
            add_row(h, RIGID_OVER_HELD * h->top / (row[0] * row[0] + row[1] * row[1]), at, row, 2);
        }
    }
    for (int i = 0; i < h->count; ++i) {
        h->k[i * (h->count + 1)] += LOOSE_OVER_HELD * h->top;
    }
}

// f_b: on body B of the pair.
static void add_load(const iso_stages* s, int index, int other, iso_vec3 f_b, hold* h) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    int tree = multibody->bodies[other].tree;
    if (tree < 0) {
        return;
    }
    const double* j = find_rows(s, index, tree);
    int first = multibody->tree_v_index[tree];
    int dofs = multibody->tree_v_index[tree + 1] - first;
    for (int d = 0; d < dofs; ++d) {
        double effort = f_b.x * j[3 * dofs + d] + f_b.y * j[4 * dofs + d] + f_b.z * j[5 * dofs + d];
        h->load[h->at[first + d]] += unit_of(s, first + d) * effort;
    }
}

// Force times way of what presses on a body, as springs, drives, tendons and couplers give way [N
// m].
static iso_status find_give(const iso_stages* s, const bool* held, int body,
                            const iso_contact_result* result, double* out_give) {
    iso_stepper* stepper = s->stepper;
    iso_arena* arena = &stepper->arena;
    int v_count = stepper->dynamics.multibody->v_count;
    hold h = {.at = iso_arena_push_array(arena, v_count, sizeof *h.at)};
    double* row = iso_arena_push_array(arena, v_count, sizeof *row);
    int* at = iso_arena_push_array(arena, v_count, sizeof *at);
    ISO_REQUIRE(stepper->ctx, h.at && row && at, ISO_ERR_MEMORY, "%d degrees of freedom", v_count);
    find_dofs(s, held, body, &h);
    *out_give = 0.0;
    if (h.count == 0) {
        return ISO_OK;
    }
    h.k = iso_arena_push_array(arena, h.count * h.count, sizeof *h.k);
    h.load = iso_arena_push_array(arena, h.count, sizeof *h.load);
    ISO_REQUIRE(stepper->ctx, h.k && h.load, ISO_ERR_MEMORY, "stiffness of %d joints", h.count);
    memset(h.k, 0, (size_t)h.count * (size_t)h.count * sizeof *h.k);
    memset(h.load, 0, (size_t)h.count * sizeof *h.load);
    add_springs(s, &h, row, at);
    add_couplers(s, &h);
    for (int i = 0; i < s->set.pair_count; ++i) {
        const iso_contact_pair* pair = &s->set.pairs[i];
        int other = pair->body_a == body ? pair->body_b : pair->body_a;
        bool is_of = pair->body_a == body || pair->body_b == body;
        if (is_of && presses_on(s, held, i, body, other)) {
            add_load(s, i, other, result->f_b_w[i].translational, &h);
        }
    }
    memcpy(row, h.load, (size_t)h.count * sizeof *row);
    bool is_firm = h.top > 0.0 && iso_cholesky_factor(h.k, h.count, h.count);
    if (is_firm) {
        iso_cholesky_solve(h.k, h.count, h.count, row);
    }
    *out_give = is_firm ? iso_dense_dot(h.load, row, h.count) : INFINITY;
    return ISO_OK;
}

static bool bears_less(const press* p) {
    return iso_vec3_norm(p->sum) < PRESSED_SHARE * p->size && p->give < LEAST_BORNE * p->soft;
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
    bool* held = NULL;
    iso_status status = find_held(s, &held);
    if (status != ISO_OK) {
        return status;
    }
    for (int i = 0; i < count; ++i) {
        const iso_contact_pair* pair = &s->set.pairs[i];
        int a = pair->body_a, b = pair->body_b;
        iso_vec3 f = result->f_b_w[i].translational;
        add_contact(s, held, i, b, a, f, &presses[b]);
        add_contact(s, held, i, a, b, iso_vec3_neg(f), &presses[a]);
    }
    for (int b = 0; b < body_count; ++b) {
        press* p = &presses[b];
        if (!bears_less(p)) {
            continue;
        }
        double more = 0.0;
        status = find_give(s, held, b, result, &more);
        if (status != ISO_OK) {
            return status;
        }
        p->give += more;
        p->soft += more;
        if (bears_less(p) && !atomic_exchange(&stepper->dynamics.told->is_soft, true)) {
            say_soft(s, b, p);
        }
    }
    return ISO_OK;
}

// Of what slip does to a normal force the part that stays. Error control makes substeps short, but
// not the relaxation time of sap, which lifts as a step of that length does.
static double lasting_coupling(const iso_stages* s, int index) {
    double coupling = s->steps[index].coupling, time = s->set.pairs[index].relaxation_time;
    return s->stepper->settings.error_control ? coupling * time / (time + s->span) : coupling;
}

void iso_stages_tell_coupling(iso_stages* s) {
    iso_stepper* stepper = s->stepper;
    bool is_sap = stepper->method->law == ISO_DISCRETE_SAP;
    bool is_controlled = stepper->settings.error_control;
    double most = is_sap ? MOST_LIFTED : MOST_UNEVEN;
    if ((is_controlled && !is_sap) || atomic_load(&stepper->dynamics.told->is_coupled)) {
        return;
    }
    for (int i = 0; i < s->set.pair_count; ++i) {
        double coupling = lasting_coupling(s, i);
        if (!(coupling > most) || (!is_sap && ++stepper->coupled_steps <= BRIEF_STEPS) ||
            atomic_exchange(&stepper->dynamics.told->is_coupled, true)) {
            continue;
        }
        const iso_contact_pair* pair = &s->set.pairs[i];
        const char* const* names = stepper->dynamics.body_names;
        iso_log(stepper->ctx, ISO_LOG_WARNING,
                "contact of '%s' and '%s' at t = %g s: with method %s slip %s, by "
                "%.3g times the whole force here, and bodies %s; expected at most %g; methods "
                "lagged and tamsi do not do this, a smaller %s less",
                names[pair->body_a], names[pair->body_b], s->input->time,
                is_sap ? "sap" : "similar",
                is_sap ? "adds to the normal force" : "moves pressure from faster to slower places",
                coupling, is_sap ? "ride on it and hop" : "spin too long", most,
                is_controlled ? "relaxation_time"
                : is_sap      ? "step or relaxation_time"
                              : "step");
    }
}
