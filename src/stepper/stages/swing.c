// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Velocity-dependent forces of linkages: gyroscopic, centrifugal, Coriolis. Taken at the start of
// the step they feed energy into what spins; taken at its mean velocity, they make a step that is
// the same backwards in time, which neither gains nor loses in the long run.

#include "stepper/stages/stages.h"

#include <string.h>

// A piece of the step turns every link by less [rad].
#define LARGEST_TURN 0.25
#define MOST_PIECES 256
#define MOST_ITERATIONS 30

// What is left of the equation, as a share of the velocity: of what few evaluations solve, and of
// what spins so fast that it takes three or pieces.
#define RELATIVE_TOLERANCE 1e-7
#define FAST_TOLERANCE 1e-12
#define ROUNDING 1e-15

// The tree at hand; arrays start at its first degree of freedom, but `mean` and `bias`, which have
// all before it, too.
typedef struct swing {
    iso_stages* stages;
    const iso_mb_cluster* links;
    int tree, first, dofs;
    double dt; // that forces are over
    const double *factor, *start_bias;
    double* weights;         // of degrees of freedom in a length: the diagonal of A
    double* inverses;        // of the factor's diagonal
    double* explicit_change; // of the velocity over the step, with the bias of its start
    double *v, *change;
    double *mean, *bias;
    double mean_rate; // angular speed of its fastest link at the mean velocity
} swing;

static double length(const swing* w, const double* x) {
    double sum = 0.0;
    for (int d = 0; d < w->dofs; ++d) {
        sum += w->weights[d] * x[d] * x[d];
    }
    return sqrt(sum);
}

// A x = b in place. As iso_cholesky_solve(), for few degrees of freedom.
static void solve(const swing* w, double* x) {
    int n = w->dofs;
    for (int i = 0; i < n; ++i) {
        double sum = x[i];
        for (int k = 0; k < i; ++k) {
            sum -= w->factor[k * n + i] * x[k];
        }
        x[i] = sum * w->inverses[i];
    }
    for (int i = n - 1; i >= 0; --i) {
        double sum = x[i];
        for (int k = n - 1; k > i; --k) {
            sum -= w->factor[i * n + k] * x[k];
        }
        x[i] = sum * w->inverses[i];
    }
}

// What the change over a piece of the step becomes with the bias at its mean velocity.
static iso_status refine(swing* w, int pieces, double* out_moved, double* out_speed) {
    const iso_stages* s = w->stages;
    double* mean = w->mean + w->first;
    double* bias = w->bias + w->first;
    double share =
        iso_stages_is_middle(s, w->tree) ? 1.0 : 0.5; // of the change up to where forces are
    for (int d = 0; d < w->dofs; ++d) {
        mean[d] = w->v[d] + share * w->change[d];
    }
    iso_status status = iso_multibody_tree_bias(
        s->stepper->dynamics.multibody, &s->kinematics, w->links, w->tree, w->mean,
        s->stepper->settings.gravity, &s->stepper->arena, w->bias, &w->mean_rate);
    if (status != ISO_OK) {
        return status;
    }
    for (int d = 0; d < w->dofs; ++d) {
        bias[d] = -w->dt / pieces * (bias[d] - w->start_bias[d]);
    }
    solve(w, bias);
    for (int d = 0; d < w->dofs; ++d) {
        double change = w->explicit_change[d] / pieces + bias[d];
        bias[d] = change - w->change[d];
        w->change[d] = change;
    }
    *out_moved = length(w, bias);
    *out_speed = length(w, mean);
    return ISO_OK;
}

// The velocity after a piece, by iteration. Each time about the same share of the error is left,
// seen from the second on; the first is judged by how much of the change it moves.
static iso_status advance(swing* w, int pieces, bool* out_is_good) {
    double before = length(w, w->change), moved, speed;
    *out_is_good = false;
    for (int i = 0; i < MOST_ITERATIONS; ++i) {
        iso_status status = refine(w, pieces, &moved, &speed);
        double turn = w->mean_rate * w->dt / pieces;
        if (status != ISO_OK || !isfinite(moved) || turn > LARGEST_TURN) {
            return status;
        }
        double tolerance = i < 2 && pieces == 1 ? RELATIVE_TOLERANCE : FAST_TOLERANCE;
        if (moved * moved <= tolerance * speed * fmax(before - moved, 0.0) ||
            moved <= ROUNDING * speed) {
            for (int d = 0; d < w->dofs; ++d) {
                w->v[d] += w->change[d];
            }
            *out_is_good = true;
            return ISO_OK;
        }
        before = moved;
    }
    return ISO_OK;
}

static iso_status advance_in_pieces(swing* w, int pieces, bool* out_is_good) {
    const double* v0 = w->stages->input->v + w->first;
    for (int d = 0; d < w->dofs; ++d) {
        w->v[d] = v0[d];
        w->change[d] = w->explicit_change[d] / pieces;
    }
    iso_status status = ISO_OK;
    *out_is_good = true;
    for (int i = 0; i < pieces && *out_is_good && status == ISO_OK; ++i) {
        status = advance(w, pieces, out_is_good);
    }
    return status;
}

// A tree whose links turn by more than all pieces together has no velocity that a step could give.
// What is only about to turn so fast may still be held by something.
static iso_status reject(swing* w) {
    const iso_stages* s = w->stages;
    const iso_stepper* stepper = s->stepper;
    const iso_multibody* multibody = stepper->dynamics.multibody;
    double rate = 0.0, largest = MOST_PIECES * LARGEST_TURN;
    memcpy(w->mean + w->first, s->input->v + w->first, (size_t)w->dofs * sizeof *w->mean);
    iso_status status =
        iso_multibody_tree_bias(multibody, &s->kinematics, w->links, w->tree, w->mean,
                                stepper->settings.gravity, &s->stepper->arena, w->bias, &rate);
    ISO_REQUIRE(
        stepper->ctx, status != ISO_OK || !isfinite(rate) || rate * w->dt <= largest,
        ISO_ERR_NUMERIC,
        "the tree of body '%s' has a link that turns at %g rad/s, expected at most %g rad/s "
        "with steps of %g s; steps of %.2g s would do",
        iso_stepper_body_name(stepper, multibody->dof_body[w->first]), rate, largest / w->dt, w->dt,
        largest / rate);
    return status;
}

// v* of a tree. Where the equation has no solution, as the mass matrix would change as a whole
// within the step, it keeps the bias of the start.
static iso_status correct(swing* w) {
    const iso_stages* s = w->stages;
    const double* a = s->a + s->stepper->dynamics.multibody->tree_m_index[w->tree];
    const double* v0 = s->input->v + w->first;
    double* v_star = s->v_star + w->first;
    for (int d = 0; d < w->dofs; ++d) {
        w->explicit_change[d] = v_star[d] - v0[d];
        w->weights[d] = a[d * (w->dofs + 1)];
        w->inverses[d] = 1.0 / w->factor[d * (w->dofs + 1)];
    }
    bool is_good = false;
    iso_status status = ISO_OK;
    for (int pieces = 1; pieces <= MOST_PIECES && !is_good && status == ISO_OK; pieces *= 4) {
        status = advance_in_pieces(w, pieces, &is_good);
    }
    if (is_good) {
        memcpy(v_star, w->v, (size_t)w->dofs * sizeof *v_star);
    }
    return is_good || status != ISO_OK ? status : reject(w);
}

// Nothing turns in a tree of sliders, and one joint on the world has a constant mass, but for
// rotors on routes.
static bool has_swing(const iso_multibody* multibody, int tree) {
    int first = multibody->tree_link_index[tree], end = multibody->tree_link_index[tree + 1];
    int dofs = multibody->tree_v_index[tree + 1] - multibody->tree_v_index[tree];
    bool turns = false;
    for (int l = first; l < end && dofs > 1; ++l) {
        turns = turns || multibody->links[l].mobility != ISO_MOBILITY_PRISMATIC;
    }
    bool is_lone = multibody->links[first].mobility == ISO_MOBILITY_FREE && dofs == 6;
    return is_lone ? iso_multibody_is_anchored(multibody, tree)
                   : turns || iso_multibody_has_route(multibody, tree);
}

static iso_status push_swing(swing* w, iso_arena* arena) {
    int n = w->dofs, end = w->first + n;
    double* x = iso_arena_push_array(arena, 5 * n + 2 * end, sizeof *x);
    ISO_REQUIRE(arena->ctx, x, ISO_ERR_MEMORY, "mean velocities of %d degrees of freedom", n);
    w->weights = x;
    w->inverses = x + n;
    w->explicit_change = x + 2 * n;
    w->v = x + 3 * n;
    w->change = x + 4 * n;
    w->mean = x + 5 * n;
    w->bias = w->mean + end;
    return ISO_OK;
}

iso_status iso_stages_correct_swings(iso_stages* s, const iso_mb_cluster* links,
                                     const double* start_bias) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    iso_arena* arena = &s->stepper->arena;
    iso_status status = ISO_OK;
    for (int t = 0; t < multibody->tree_count && status == ISO_OK; ++t) {
        if (!has_swing(multibody, t)) {
            continue;
        }
        iso_arena_mark mark = iso_arena_get_mark(arena);
        int first = multibody->tree_v_index[t];
        swing w = {.stages = s,
                   .links = links,
                   .tree = t,
                   .dt = iso_stages_dt(s, t),
                   .first = first,
                   .dofs = multibody->tree_v_index[t + 1] - first,
                   .factor = s->a_factor + multibody->tree_m_index[t],
                   .start_bias = start_bias + first};
        status = push_swing(&w, arena);
        status = status == ISO_OK ? correct(&w) : status;
        iso_arena_release(arena, mark);
    }
    return status;
}
