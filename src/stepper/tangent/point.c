// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "stepper/tangent/point.h"

#include "base/system/clock.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

// Newton's steps of own unknowns alone.
#define SETTLING 3

// Newton's steps from the solution on, to rounding.
#define POLISHING 2

// Twists change so little where gradients are compared with Hessians: within the slip over which
// friction is smooth [m/s], [rad/s].
#define SMALLEST_TWIST 1e-9

iso_status iso_tangent_stages(iso_stepper* stepper, const iso_step_input* input,
                              const iso_tangent_shared* shared, iso_stages* out_stages) {
    const iso_multibody* multibody = stepper->dynamics.multibody;
    double dt = stepper->settings.time_step;
    iso_step_input* own = iso_arena_push(&stepper->arena, sizeof *own);
    iso_kinematics* kinematics = iso_arena_push(&stepper->arena, sizeof *kinematics);
    ISO_REQUIRE(stepper->ctx, own && kinematics, ISO_ERR_MEMORY, "derivative of a step");
    *own = *input;
    iso_status status = iso_kinematics_push(multibody, &stepper->arena, kinematics);
    if (status != ISO_OK) {
        return status;
    }
    iso_multibody_kinematics(multibody, input->q, input->v, kinematics);
    if (input->place_moved) {
        input->place_moved(input->place_user, 0.0, kinematics);
    }
    own->kinematics = kinematics;
    own->contacts = shared ? shared->contacts : NULL;
    own->like = shared ? shared->like : NULL;
    own->unlike = shared ? shared->changed : NULL;
    if (own->like && !own->contacts) {
        iso_contact_set* set = iso_arena_push(&stepper->arena, sizeof *set);
        ISO_REQUIRE(stepper->ctx, set, ISO_ERR_MEMORY, "contacts of a derivative");
        ISO_TRY(iso_tangent_contacts(stepper, kinematics->x_wb, shared, set));
        own->contacts = set;
    }
    *out_stages =
        (iso_stages){.stepper = stepper,
                     .input = own,
                     .report = {.slowest_body = -1, .reason_body_a = -1, .reason_body_b = -1},
                     .span = dt,
                     .lap = iso_clock_seconds()};
    ISO_TRY(iso_stage_kinematics(out_stages));
    ISO_TRY(iso_stage_contacts(out_stages));
    ISO_TRY(iso_stage_dynamics(out_stages));
    ISO_TRY(iso_stage_potentials(out_stages));
done:
    return status;
}

// Gradient and Hessian with own unknowns, those of another term, eliminated where they are.
static bool evaluate(const iso_newton_term* term, const iso_newton_term* from, const double* u,
                     double* out_gradient, double* out_hessian) {
    const iso_potential* p = term->potential;
    const iso_inner* inner = term->inner;
    double correction[ISO_POTENTIAL_MAX_ROWS] = {0.0};
    if (inner && !inner->ops->adopt(inner->user, from->inner->user)) {
        return false;
    }
    p->ops->eval(p->user, u, out_gradient, out_hessian);
    if (!inner) {
        return true;
    }
    if (from->inner->user == inner->user) {
        if (!inner->ops->adopt(inner->user, inner->user)) {
            return false;
        }
        p->ops->eval(p->user, u, out_gradient, out_hessian);
    }
    if (inner->ops->eliminate(inner->user, correction, out_hessian)) {
        for (int i = 0; i < term->rows; ++i) {
            out_gradient[i] += correction[i];
        }
    }
    return true;
}

static bool settle(iso_tangent_term* t, double* out_gradient) {
    const iso_newton_term* term = &t->term;
    const iso_potential* p = term->potential;
    for (int i = 0; term->inner && term->inner->ops->refine && i < SETTLING; ++i) {
        double value = p->ops->eval(p->user, t->u, out_gradient, t->hessian);
        term->inner->ops->refine(term->inner->user, value, out_gradient);
    }
    return evaluate(term, term, t->u, out_gradient, t->hessian);
}

static void multiply(const double* matrix, const double* x, int rows, double* out) {
    for (int i = 0; i < rows; ++i) {
        out[i] = 0.0;
        for (int k = 0; k < rows; ++k) {
            out[i] += matrix[i * rows + k] * x[k];
        }
    }
}

// out += A x of all trees.
static void add_ax(const iso_convex_problem* problem, const double* x, double* out) {
    for (int t = 0; t < problem->tree_count; ++t) {
        int first = problem->v_index[t], dofs = iso_convex_tree_dofs(problem, t);
        iso_dense_add_ax(out + first, 1.0, problem->a + problem->a_index[t], dofs, x + first, dofs,
                         dofs);
    }
}

static double* push_vector(const iso_stages* s) {
    int count = s->stepper->dynamics.multibody->v_count;
    return iso_arena_push_array(&s->stepper->arena, count, sizeof(double));
}

// r = A (v - v*)
static void start_residual(const iso_convex_problem* problem, const double* v, double* scratch,
                           double* out_r) {
    int count = problem->v_index[problem->tree_count];
    for (int i = 0; i < count; ++i) {
        out_r[i] = 0.0;
        scratch[i] = v[i] - problem->v_star[i];
    }
    add_ax(problem, scratch, out_r);
}

// Rows of J^T H J of one tree of a term.
static void add_rows(iso_tangent_term* t, int first, int dofs, int count, double* unit, double* h) {
    const iso_newton_term* term = &t->term;
    bool is_dof = !term->potential->jacobian_a;
    for (int d = is_dof ? term->potential->dof : first; d < first + dofs; ++d) {
        double u[ISO_POTENTIAL_MAX_ROWS] = {0.0}, force[ISO_POTENTIAL_MAX_ROWS] = {0.0};
        unit[d] = 1.0;
        iso_term_velocity(term, unit, u);
        unit[d] = 0.0;
        multiply(t->hessian, u, term->rows, force);
        iso_term_add_transposed(term, 1.0, force, h + (size_t)d * (size_t)count);
        if (is_dof) {
            return;
        }
    }
}

static bool factor(iso_tangent_base* base, double* unit) {
    const iso_convex_problem* problem = &base->problem;
    int count = problem->v_index[problem->tree_count];
    double* h = base->factor;
    memset(h, 0, (size_t)count * (size_t)count * sizeof *h);
    memset(unit, 0, (size_t)count * sizeof *unit);
    for (int t = 0; t < problem->tree_count; ++t) {
        int first = problem->v_index[t], dofs = iso_convex_tree_dofs(problem, t);
        for (int i = 0; i < dofs; ++i) {
            memcpy(h + (size_t)(first + i) * (size_t)count + first,
                   problem->a + problem->a_index[t] + i * dofs, (size_t)dofs * sizeof *h);
        }
    }
    for (int k = 0; k < problem->potential_count; ++k) {
        iso_tangent_term* t = &base->terms[k];
        add_rows(t, t->term.first_a, t->term.dofs_a, count, unit, h);
        add_rows(t, t->term.first_b, t->term.dofs_b, count, unit, h);
    }
    return iso_cholesky_factor(h, count, count);
}

// Newton's steps to rounding; the Hessian is that of the end. r: scratch.
static bool polish(iso_tangent_base* base, double* r, double* scratch) {
    const iso_convex_problem* problem = &base->problem;
    int count = problem->v_index[problem->tree_count];
    for (int step = 0; step <= POLISHING; ++step) {
        start_residual(problem, base->v, scratch, r);
        for (int k = 0; k < problem->potential_count; ++k) {
            iso_tangent_term* t = &base->terms[k];
            iso_term_velocity(&t->term, base->v, t->u);
            if (!settle(t, t->term.gradient)) {
                return false;
            }
            iso_term_add_transposed(&t->term, 1.0, t->term.gradient, r);
        }
        if (!factor(base, scratch)) {
            return false;
        }
        iso_cholesky_solve(base->factor, count, count, r);
        for (int i = 0; step < POLISHING && i < count; ++i) {
            base->v[i] -= r[i];
        }
    }
    return true;
}

iso_status iso_tangent_base_open(iso_stepper* stepper, const iso_step_input* input,
                                 const iso_contact_set* contacts, iso_tangent_base* base) {
    iso_status status = ISO_OK;
    *base = (iso_tangent_base){0};
    const iso_tangent_shared shared = {.contacts = contacts};
    ISO_TRY(iso_tangent_stages(stepper, input, &shared, &base->stages));
    int count = base->stages.potential_count;
    base->problem = iso_stages_problem(&base->stages);
    base->terms = iso_arena_push_array(&stepper->arena, count, sizeof *base->terms);
    ISO_CHECK(stepper->ctx, base->terms, ISO_ERR_MEMORY, "derivative of %d potentials", count);
    for (int k = 0; k < count; ++k) {
        memset(&base->terms[k], 0, sizeof base->terms[k]);
        iso_term_init(&base->terms[k].term, &base->problem, k);
    }
done:
    return status;
}

iso_status iso_tangent_base_solve(iso_tangent_base* base, const char** out_reason) {
    iso_status status = ISO_OK;
    iso_stages* s = &base->stages;
    iso_stepper* stepper = s->stepper;
    int count = stepper->dynamics.multibody->v_count;
    ISO_TRY(iso_stage_advance(s));
    base->v = s->v;
    base->factor = iso_arena_push_array(&stepper->arena, count * count, sizeof *base->factor);
    double *r = push_vector(s), *scratch = push_vector(s);
    ISO_CHECK(stepper->ctx, base->factor && r && scratch, ISO_ERR_MEMORY,
              "derivative of a step with %d degrees of freedom", count);
    if (!polish(base, r, scratch)) {
        *out_reason = "the Hessian of the step is not positive definite";
    }
    ISO_TRY(iso_stage_move(s));
done:
    return status;
}

static bool is_same_set(const iso_contact_set* a, const iso_contact_set* b) {
    bool is_same = a->pair_count == b->pair_count;
    for (int i = 0; is_same && i < a->pair_count; ++i) {
        is_same = a->pairs[i].geometry_a == b->pairs[i].geometry_a &&
                  a->pairs[i].geometry_b == b->pairs[i].geometry_b;
    }
    return is_same;
}

// The term of the base that a potential goes on from: in the same order, where there is one. Limits
// out of reach have none, and no gradient.
static const iso_tangent_term* next_of(const iso_tangent_base* base, const iso_potential* p,
                                       int* at) {
    for (int k = *at; k < base->problem.potential_count; ++k) {
        const iso_potential* q = base->terms[k].term.potential;
        bool is_same = q->ops == p->ops && q->rows == p->rows && q->tree_a == p->tree_a &&
                       q->tree_b == p->tree_b && (p->jacobian_a || q->dof == p->dof);
        if (is_same) {
            *at = k + 1;
            return &base->terms[k];
        }
    }
    return NULL;
}

// Goes on to the pair of a potential, those of pairs being the first; NULL: it is of none.
static const iso_contact_pair* next_pair(const iso_stages* s, int potential, int* at) {
    while (*at < s->set.pair_count && s->pair_potential[*at] < potential) {
        ++*at;
    }
    bool is_found = *at < s->set.pair_count && s->pair_potential[*at] == potential;
    return is_found ? &s->set.pairs[*at] : NULL;
}

// The motion of a term of the base about the common point that its pair has now.
static void move_twist(const iso_tangent_base* base, const iso_stages* stages,
                       const iso_contact_pair* pair, const double* u, double* out) {
    iso_vec3 p_wc = base->stages.set.pairs[pair - stages->set.pairs].p_wc;
    iso_spatial v =
        iso_spatial_make(iso_vec3_make(u[0], u[1], u[2]), iso_vec3_make(u[3], u[4], u[5]));
    v = iso_spatial_shift_twist(v, iso_vec3_sub(pair->p_wc, p_wc));
    out[3] = v.translational.x;
    out[4] = v.translational.y;
    out[5] = v.translational.z;
}

// A term at the motion of the one of the base that it goes on from; NULL: at its own.
static bool add_term(const iso_tangent_base* base, const iso_tangent_term* from,
                     const iso_stages* stages, const iso_contact_pair* pair, iso_tangent_term* t,
                     double* r) {
    double u[ISO_POTENTIAL_MAX_ROWS], gradient[ISO_POTENTIAL_MAX_ROWS];
    double change[ISO_POTENTIAL_MAX_ROWS], more[ISO_POTENTIAL_MAX_ROWS];
    const iso_newton_term* term = &t->term;
    if (from && iso_tangent_is_shared(t)) {
        memcpy(t->u, from->u, sizeof t->u);
        memcpy(t->hessian, from->hessian, sizeof t->hessian);
        iso_term_add_transposed(term, 1.0, from->term.gradient, r);
        return true;
    }
    iso_term_velocity(term, base->v, u);
    memcpy(t->u, from ? from->u : u, sizeof t->u);
    if (from && pair) {
        move_twist(base, stages, pair, from->u, t->u);
    }
    const iso_newton_term* other = from ? &from->term : term;
    if (!term->inner != !other->inner || !evaluate(term, other, t->u, gradient, t->hessian)) {
        return false;
    }
    for (int i = 0; i < term->rows; ++i) {
        change[i] = u[i] - t->u[i];
    }
    multiply(t->hessian, change, term->rows, more);
    for (int i = 0; i < term->rows; ++i) {
        gradient[i] += more[i];
    }
    iso_term_add_transposed(term, 1.0, gradient, r);
    return true;
}

bool iso_tangent_residual(const iso_tangent_base* base, const iso_stages* stages, double* out_r,
                          iso_tangent_side* out_side) {
    iso_convex_problem problem = iso_stages_problem(stages);
    double* scratch = push_vector(stages);
    iso_tangent_side side = {0};
    iso_tangent_term* terms =
        iso_arena_push_array(&stages->stepper->arena, problem.potential_count, sizeof *terms);
    if (!scratch || !terms || !is_same_set(&base->stages.set, &stages->set)) {
        return false;
    }
    start_residual(&problem, base->v, scratch, out_r);
    int at = 0, pair_at = 0;
    side.terms = terms;
    for (int k = 0; k < problem.potential_count; ++k) {
        iso_tangent_term* t = &terms[side.term_count];
        memset(t, 0, sizeof *t);
        iso_term_init(&t->term, &problem, k);
        const iso_tangent_term* from = next_of(base, t->term.potential, &at);
        const iso_contact_pair* pair = next_pair(stages, k, &pair_at);
        t->from = from;
        if (!add_term(base, from, stages, pair, t, out_r)) {
            return false;
        }
        side.term_count += from != NULL; // others have no part in the Hessian of the base
    }
    if (out_side) {
        *out_side = side;
    }
    return true;
}

// r += share J^T H J dv of terms.
static void add_hessians(const iso_tangent_term* terms, int count, double share, const double* dv,
                         double* r) {
    for (int k = 0; k < count; ++k) {
        double du[ISO_POTENTIAL_MAX_ROWS] = {0.0}, force[ISO_POTENTIAL_MAX_ROWS];
        iso_term_velocity(&terms[k].term, dv, du);
        multiply(terms[k].hessian, du, terms[k].term.rows, force);
        iso_term_add_transposed(&terms[k].term, share, force, r);
    }
}

void iso_tangent_other_hessians(const iso_tangent_base* base, const iso_tangent_side sides[2],
                                const double* dv, double* out_r) {
    const iso_convex_problem* problem = &base->problem;
    memset(out_r, 0, (size_t)problem->v_index[problem->tree_count] * sizeof *out_r);
    for (int i = 0; i < 2; ++i) {
        add_hessians(sides[i].terms, sides[i].term_count, 0.5, dv, out_r);
    }
    add_hessians(base->terms, problem->potential_count, -1.0, dv, out_r);
}

// The gradient where u and own unknowns are changed by alpha times Newton's step for du.
static void gradient_along(const iso_tangent_term* t, const double* du, double alpha, double* out) {
    const iso_newton_term* term = &t->term;
    double u[ISO_POTENTIAL_MAX_ROWS], unused[36];
    for (int i = 0; i < term->rows; ++i) {
        u[i] = t->u[i] + alpha * du[i];
    }
    if (term->inner) {
        term->inner->ops->direct(term->inner->user, du);
        term->inner->ops->advance(term->inner->user, alpha);
    }
    term->potential->ops->eval(term->potential->user, u, out, unused);
    if (term->inner) {
        term->inner->ops->advance(term->inner->user, 0.0);
    }
}

void iso_tangent_check(const iso_tangent_base* base, const double* dv, double* out_error) {
    const iso_convex_problem* problem = &base->problem;
    int count = problem->v_index[problem->tree_count];
    memset(out_error, 0, (size_t)count * sizeof *out_error);
    for (int k = 0; k < problem->potential_count; ++k) {
        const iso_tangent_term* t = &base->terms[k];
        double du[ISO_POTENTIAL_MAX_ROWS] = {0.0}, above[ISO_POTENTIAL_MAX_ROWS],
               below[ISO_POTENTIAL_MAX_ROWS], now[ISO_POTENTIAL_MAX_ROWS],
               want[ISO_POTENTIAL_MAX_ROWS], largest = 0.0;
        iso_term_velocity(&t->term, dv, du);
        for (int i = 0; i < t->term.rows; ++i) {
            largest = fmax(largest, fabs(du[i]));
        }
        if (largest == 0.0) {
            continue;
        }
        double alpha = SMALLEST_TWIST / largest;
        gradient_along(t, du, 0.0, now);
        gradient_along(t, du, alpha, above);
        gradient_along(t, du, -alpha, below);
        multiply(t->hessian, du, t->term.rows, want);
        for (int i = 0; i < t->term.rows; ++i) {
            double slope = (above[i] - below[i]) / (2.0 * alpha);
            double kink = fabs(above[i] + below[i] - 2.0 * now[i]) / (2.0 * alpha);
            above[i] = fabs(slope - want[i]) + kink;
        }
        iso_term_add_transposed(&t->term, 1.0, above, out_error);
    }
}
