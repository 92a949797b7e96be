// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "stepper/tangent/chain.h"

static bool follow(const iso_newton_term* term, int round, const double* u,
                   const double* gradient) {
    const iso_inner* inner = term->inner;
    return inner && inner->ops->follow && inner->ops->follow(inner->user, u, gradient, round);
}

// Have the potentials of a problem that is not solved yet follow a solution; whether one does.
static bool follow_solution(iso_tangent_base* solved, int round, iso_tangent_base* base) {
    bool is_other = false;
    for (int k = 0; k < base->problem.potential_count; ++k) {
        iso_tangent_term* from = &solved->terms[k];
        const iso_newton_term* term = &base->terms[k].term;
        if (term->inner) {
            (void)term->inner->ops->adopt(term->inner->user, from->term.inner->user);
        }
        from->term.has_followed = follow(term, round, from->u, from->term.gradient);
        is_other = is_other || from->term.has_followed;
    }
    return is_other;
}

iso_status iso_tangent_chain_find(iso_stepper* stepper, const iso_step_input* input,
                                  iso_tangent_chain* chain, const char** out_reason) {
    iso_status status = ISO_OK;
    int most = stepper->convex.most_followed;
    iso_step_input next = *input;
    stepper->convex.most_followed = 0; // each problem as it is
    chain->count = 0;
    *out_reason = NULL;
    for (bool is_other = true; chain->count <= most && !*out_reason;) {
        iso_tangent_base* base = &chain->bases[chain->count];
        const iso_contact_set* contacts = chain->count > 0 ? &chain->bases[0].stages.set : NULL;
        iso_contact_system* system = stepper->dynamics.contact;
        if (system) {
            iso_contact_system_keep_found(system, true);
        }
        status = iso_tangent_base_open(stepper, &next, contacts, base);
        if (system) {
            iso_contact_system_keep_found(system, false);
        }
        ISO_TRY(status);
        if (system && chain->count == 0) {
            iso_contact_system_hold_kept(system, &base->stages.set);
        }
        for (int k = 0; k < chain->count; ++k) {
            is_other = follow_solution(&chain->bases[k], k, base);
        }
        if (!is_other) {
            break;
        }
        status = iso_tangent_base_solve(base, out_reason);
        if (status == ISO_ERR_NO_CONVERGENCE && chain->count > 0) {
            status = ISO_OK; // the step goes back to the one before
            *out_reason = "friction that follows leads to a problem that is not solved";
        }
        ISO_TRY(status);
        next.guess = base->v;
        ++chain->count;
    }
done:
    stepper->convex.most_followed = most;
    return status;
}

void iso_tangent_side_follow(const iso_tangent_side* side, int round, const double* v,
                             double* kinks) {
    for (int k = 0; k < side->term_count; ++k) {
        const iso_tangent_term* t = &side->terms[k];
        const iso_newton_term *term = &t->term, *from = &t->from->term;
        double u[ISO_POTENTIAL_MAX_ROWS];
        iso_term_velocity(term, v, u);
        bool has_followed = follow(term, round, u, from->gradient);
        if (has_followed && iso_tangent_is_shared(t)) {
            term->inner->ops->go_back(term->inner->user);
        }
        if (has_followed != from->has_followed) {
            for (int d = 0; d < term->dofs_a; ++d) {
                kinks[term->first_a + d] = 1.0;
            }
            for (int d = 0; d < term->dofs_b; ++d) {
                kinks[term->first_b + d] = 1.0;
            }
        }
    }
}
