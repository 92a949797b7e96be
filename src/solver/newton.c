// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/newton.h"

#include "solver/line_search.h"
#include "solver/tile.h"

#include <math.h>
#include <string.h>

// After so many steps, or evaluations along one line, rounding is looked for though the cost still
// changes.
#define PATIENCE 20
#define LINE_PATIENCE 8

// While a step leaves less than this of the least residual so far, it is not rounding that stops
// it, even when the cost no longer shows a change: light bodies between heavy ones.
#define LEAST_GAIN 0.5

// Own unknowns are refined where they leave more than this share of what all degrees of freedom
// leave, both squared.
#define REFINED_SHARE 0.03

// r = A (v - v*) of one tree; afresh, as what large steps leave of a sum would stay for ever.
static void find_momentum(const iso_newton_space* s, int tree) {
    const iso_convex_problem* problem = s->problem;
    int first = problem->v_index[tree], dofs = iso_convex_tree_dofs(problem, tree);
    double* change = s->a_direction + first; // free between directions
    for (int d = 0; d < dofs; ++d) {
        change[d] = s->v[first + d] - problem->v_star[first + d];
    }
    iso_tiles_set_atx(s->r + first, problem->a + problem->a_index[tree], change, dofs, dofs);
}

void iso_island_start(iso_island* island) {
    const iso_newton_space* s = island->space;
    const iso_convex_problem* problem = s->problem;
    for (int i = 0; i < island->tree_count; ++i) {
        int t = island->trees[i];
        int first = problem->v_index[t], dofs = iso_convex_tree_dofs(problem, t);
        const double* a = problem->a + problem->a_index[t];
        for (int d = 0; d < dofs; ++d) {
            s->weight[first + d] = 1.0 / a[d * (dofs + 1)];
            s->a_v_star[first + d] = 0.0;
        }
        iso_dense_add_ax(s->a_v_star + first, 1.0, a, dofs, problem->v_star + first, dofs, dofs);
        find_momentum(s, t);
    }
    for (int i = 0; i < island->potential_count; ++i) {
        int k = island->potentials[i];
        iso_newton_term* t = &s->terms[k];
        iso_term_init(t, problem, k);
        iso_term_velocity(t, s->v, t->u);
    }
}

// The A-part of the cost.
static double inertial_cost(const iso_island* island) {
    const iso_newton_space* s = island->space;
    const iso_convex_problem* problem = s->problem;
    double cost = 0.0;
    for (int i = 0; i < island->tree_count; ++i) {
        int t = island->trees[i];
        for (int d = problem->v_index[t]; d < problem->v_index[t + 1]; ++d) {
            cost += 0.5 * s->r[d] * (s->v[d] - problem->v_star[d]);
        }
    }
    return cost;
}

static void find_norms(iso_island* island, double inner_residual) {
    const iso_newton_space* s = island->space;
    const iso_convex_problem* problem = s->problem;
    double gradient2 = inner_residual, momentum2 = 0.0, impulse2 = 0.0, worst = -1.0;
    island->worst_dof = -1;
    for (int i = 0; i < island->tree_count; ++i) {
        int t = island->trees[i];
        for (int d = problem->v_index[t]; d < problem->v_index[t + 1]; ++d) {
            double gradient = s->r[d] - s->impulse[d];
            double momentum = s->r[d] + s->a_v_star[d];
            double share = gradient * gradient * s->weight[d];
            gradient2 += share;
            momentum2 += momentum * momentum * s->weight[d];
            impulse2 += s->impulse[d] * s->impulse[d] * s->weight[d];
            if (!isnan(worst) && !(share <= worst)) {
                worst = share;
                island->worst_dof = d;
            }
        }
    }
    island->norm = sqrt(gradient2);
    island->inner_residual = inner_residual;
    island->scale = sqrt(fmax(momentum2, impulse2));
}

// What the own unknowns of a potential leave.
static double residual_of(const iso_newton_term* t) {
    return t->inner && t->inner->residual ? *t->inner->residual : 0.0;
}

static void evaluate_term(iso_newton_term* t) {
    const iso_potential* potential = t->potential;
    t->value = potential->ops->eval(potential->user, t->u, t->gradient, t->hessian);
}

// Everything at v but Hessians that are costly: cost, gradients, scaled norms.
static void evaluate(iso_island* island) {
    const iso_newton_space* s = island->space;
    const iso_convex_problem* problem = s->problem;
    double inner_residual = 0.0;
    island->cost = inertial_cost(island);
    for (int i = 0; i < island->tree_count; ++i) {
        int t = island->trees[i];
        for (int d = problem->v_index[t]; d < problem->v_index[t + 1]; ++d) {
            s->impulse[d] = 0.0;
        }
    }
    for (int i = 0; i < island->potential_count; ++i) {
        iso_newton_term* t = &s->terms[island->potentials[i]];
        evaluate_term(t);
        island->cost += t->value;
        iso_term_add_transposed(t, -1.0, t->gradient, s->impulse);
        inner_residual += residual_of(t);
    }
    find_norms(island, inner_residual);
}

// One Newton step of a potential's own unknowns alone, unless that goes up.
static void refine_term(iso_island* island, iso_newton_term* t) {
    double old_value = t->value, change[ISO_POTENTIAL_MAX_ROWS];
    memcpy(change, t->gradient, sizeof change);
    t->value = t->inner->ops->refine(t->inner->user, old_value, t->gradient);
    island->cost += t->value - old_value;
    for (int row = 0; row < ISO_POTENTIAL_MAX_ROWS; ++row) {
        change[row] = t->gradient[row] - change[row];
    }
    iso_term_add_transposed(t, -1.0, change, island->space->impulse);
}

// Potentials that leave much of the residual by their own unknowns refine these where they are:
// else one patch that slips makes all of a large island take another Newton step. A potential alone
// in its island takes the Newton step itself.
static void refine_inner(iso_island* island) {
    const iso_newton_space* s = island->space;
    if (island->inner_residual == 0.0 || island->potential_count == 1) {
        return;
    }
    double all = island->norm * island->norm;
    double bound = REFINED_SHARE * fmax(all - island->inner_residual, 0.0);
    bool is_refined = false;
    double inner_residual = 0.0;
    for (int i = 0; i < island->potential_count; ++i) {
        iso_newton_term* t = &s->terms[island->potentials[i]];
        if (residual_of(t) > bound) {
            refine_term(island, t);
            is_refined = true;
        }
        inner_residual += residual_of(t);
    }
    if (is_refined) {
        find_norms(island, inner_residual);
    }
}

// v = start of the line + alpha direction, and everything there.
static void step_to(iso_island* island, double alpha) {
    const iso_newton_space* s = island->space;
    const iso_convex_problem* problem = s->problem;
    for (int i = 0; i < island->tree_count; ++i) {
        int t = island->trees[i];
        for (int d = problem->v_index[t]; d < problem->v_index[t + 1]; ++d) {
            s->v[d] = s->v0[d] + alpha * s->direction[d];
        }
        find_momentum(s, t);
    }
    for (int i = 0; i < island->potential_count; ++i) {
        iso_newton_term* t = &s->terms[island->potentials[i]];
        for (int row = 0; row < ISO_POTENTIAL_MAX_ROWS; ++row) {
            t->u[row] = t->u0[row] + alpha * t->du[row];
        }
        if (t->inner) {
            t->inner->ops->advance(t->inner->user, alpha);
        }
    }
    evaluate(island);
}

// Change of the cost along the line; what goes up by no more than rounding does not go up.
static double cost_change(const iso_island* island, double change) {
    double size = fmax(fabs(island->start_cost), fabs(island->start_value));
    double rounding = island->space->options->rounding_tolerance * size;
    return change > 0.0 && change <= rounding ? 0.0 : change;
}

// A whole step is evaluated as if it were taken: mostly it is, and then nothing is left to do.
static iso_line_point cost_along(const void* user, double alpha) {
    iso_island* island = *(iso_island* const*)user;
    const iso_newton_space* s = island->space;
    if (alpha == 1.0) {
        step_to(island, 1.0);
        double slope = island->line[1] + island->line[2] + iso_island_potential_slope(island);
        double change = cost_change(island, island->cost - island->start_cost);
        return (iso_line_point){1.0, change, slope, 0.0};
    }
    double inertial = alpha * (island->line[1] + 0.5 * alpha * island->line[2]);
    iso_line_point sum = {alpha, -island->start_value, island->line[1] + alpha * island->line[2],
                          island->line[2]};
    for (int i = 0; i < island->potential_count; ++i) {
        const iso_potential* potential = &s->problem->potentials[island->potentials[i]];
        const iso_newton_term* t = &s->terms[island->potentials[i]];
        double value, slope, curvature;
        potential->ops->line(potential->user, t->u0, t->du, alpha, &value, &slope, &curvature);
        sum.value += value;
        sum.slope += slope;
        sum.curvature += curvature;
    }
    sum.value = cost_change(island, sum.value + inertial);
    return sum;
}

// The laws of one row, as of joints: they cost next to nothing, and many have kinks.
static iso_line_point bent_along(const void* user, double alpha) {
    const iso_island* island = *(iso_island* const*)user;
    const iso_newton_space* s = island->space;
    iso_line_point sum = {.alpha = alpha};
    for (int i = 0; i < island->potential_count; ++i) {
        const iso_potential* potential = &s->problem->potentials[island->potentials[i]];
        const iso_newton_term* t = &s->terms[island->potentials[i]];
        if (potential->rows == 1) {
            double value, slope, curvature;
            potential->ops->line(potential->user, t->u0, t->du, alpha, &value, &slope, &curvature);
            sum.value += value;
            sum.slope += slope;
            sum.curvature += curvature;
        }
    }
    return sum;
}

// Where there are only such laws nothing is gained by looking at them first.
static bool has_bends(const iso_island* island) {
    int count = 0;
    for (int i = 0; i < island->potential_count; ++i) {
        count += island->space->problem->potentials[island->potentials[i]].rows == 1;
    }
    return count > 0 && count < island->potential_count;
}

// How badly a whole step was foreseen, potential by potential.
static void add_surprises(iso_island* island) {
    const iso_newton_space* s = island->space;
    for (int i = 0; i < island->potential_count; ++i) {
        iso_newton_term* t = &s->terms[island->potentials[i]];
        double error[ISO_POTENTIAL_MAX_ROWS], size = 0.0;
        for (int row = 0; row < ISO_POTENTIAL_MAX_ROWS; ++row) {
            error[row] = t->gradient[row] - t->foreseen[row];
            size += fabs(error[row] * t->du[row]); // an energy, whatever the units of the rows
        }
        t->surprise += size;
        if (size > t->largest) {
            t->largest = size;
            memcpy(t->error, error, sizeof t->error);
        }
    }
}

// |D J_k^T gradient_k| of all potentials, each without the others, in the root of their squares.
// Where large impulses cancel, what is left of them is rounding of these.
static double find_load(const iso_island* island) {
    const iso_newton_space* s = island->space;
    const int* v_index = s->problem->v_index;
    double load2 = 0.0;
    double* share = s->direction; // before the first step; of one potential at a time
    for (int i = 0; i < island->tree_count; ++i) {
        for (int d = v_index[island->trees[i]]; d < v_index[island->trees[i] + 1]; ++d) {
            share[d] = 0.0;
        }
    }
    for (int i = 0; i < island->potential_count; ++i) {
        const iso_newton_term* t = &s->terms[island->potentials[i]];
        const int trees[2] = {t->potential->tree_a, t->potential->tree_b};
        iso_term_add_transposed(t, 1.0, t->gradient, share);
        for (int side = 0; side < 2 && trees[side] >= 0; ++side) {
            for (int d = v_index[trees[side]]; d < v_index[trees[side] + 1]; ++d) {
                load2 += share[d] * share[d] * s->weight[d];
                share[d] = 0.0;
            }
        }
    }
    return sqrt(load2);
}

static bool is_converged(const iso_island* island) {
    const iso_convex_options* options = island->space->options;
    double relative =
        island->iterations == 0 ? options->start_tolerance : options->relative_tolerance;
    return island->norm <= relative * island->scale ||
           island->norm <= options->rounding_tolerance * island->load;
}

// One step along the line. True when neither cost nor residual change beyond rounding: a cost of
// large parts hides what is left, so that the residual itself has the last word. Also where the
// slope along the line was searched for long, as that of large pressures in balance is: noise.
static bool advance(iso_island* island) {
    const iso_convex_options* options = island->space->options;
    double best_norm = fmin(island->best_norm, island->norm);
    int searched = island->line_search_iterations;
    iso_line line = {cost_along, has_bends(island) ? bent_along : NULL, &island};
    iso_line_point end =
        iso_line_search(&line, island->slope0, options->line_descent, options->line_tolerance,
                        options->max_line_iterations, &island->line_search_iterations);
    add_surprises(island);
    if (end.alpha != 1.0) {
        step_to(island, end.alpha);
    }
    ++island->iterations;
    island->best_norm = best_norm;
    double change = fabs(island->cost - island->start_cost);
    double mean = 0.5 * (fabs(island->cost) + fabs(island->start_cost));
    double size = fmax(mean, fabs(island->start_value));
    bool is_still =
        change <= options->rounding_tolerance * size && !(island->norm < LEAST_GAIN * best_norm);
    return is_still || island->line_search_iterations - searched >= LINE_PATIENCE;
}

// Have all potentials follow the minimum, which is kept; whether one is another since.
static bool follow_minimum(const iso_island* island, int round) {
    const iso_newton_space* s = island->space;
    bool is_other = false;
    for (int i = 0; i < island->potential_count; ++i) {
        iso_newton_term* t = &s->terms[island->potentials[i]];
        bool (*follow)(void*, const double*, const double*, int) =
            t->inner ? t->inner->ops->follow : NULL;
        t->has_followed = follow && follow(t->inner->user, t->u, t->gradient, round);
        is_other = t->has_followed || is_other;
    }
    for (int i = 0; is_other && i < island->tree_count; ++i) {
        int t = island->trees[i], first = s->problem->v_index[t];
        size_t count = (size_t)iso_convex_tree_dofs(s->problem, t);
        memcpy(s->v_minimum + first, s->v + first, count * sizeof *s->v);
    }
    return is_other;
}

// The minimum that was followed, and the potentials that it is of.
static void go_back(iso_island* island) {
    const iso_newton_space* s = island->space;
    for (int i = 0; i < island->tree_count; ++i) {
        int t = island->trees[i], first = s->problem->v_index[t];
        size_t count = (size_t)iso_convex_tree_dofs(s->problem, t);
        memcpy(s->v + first, s->v_minimum + first, count * sizeof *s->v);
        find_momentum(s, t);
    }
    for (int i = 0; i < island->potential_count; ++i) {
        iso_newton_term* t = &s->terms[island->potentials[i]];
        if (t->inner && t->inner->ops->go_back) {
            t->inner->ops->go_back(t->inner->user);
        }
        iso_term_velocity(t, s->v, t->u);
    }
    evaluate(island);
}

static void find_minimum(iso_island* island) {
    evaluate(island);
    island->best_norm = island->norm;
    island->load = 0.0;
    if (!is_converged(island)) {
        island->load = find_load(island);
    }
    bool is_still = false;
    for (;;) {
        if (!is_converged(island)) {
            refine_inner(island);
        }
        if (!isfinite(island->norm) || !isfinite(island->cost)) {
            island->end = ISO_NEWTON_NOT_FINITE;
            return;
        }
        if (is_converged(island)) {
            island->end = ISO_NEWTON_CONVERGED;
            return;
        }
        if ((is_still || island->iterations >= PATIENCE) && iso_island_is_at_rounding(island)) {
            island->end = ISO_NEWTON_ROUNDING;
            return;
        }
        if (island->iterations >= island->space->options->max_iterations) {
            double last = island->space->options->last_tolerance;
            bool is_small = last > 0.0 && island->norm <= last * iso_island_sizes(island);
            island->end = is_small ? ISO_NEWTON_ROUNDING : ISO_NEWTON_LIMIT;
            return;
        }
        island->slowest_dof = island->worst_dof;
        iso_direction direction = iso_island_find_direction(island);
        if (direction != ISO_DIRECTION_DOWN) {
            island->end =
                direction == ISO_DIRECTION_ROUNDING ? ISO_NEWTON_ROUNDING : ISO_NEWTON_INDEFINITE;
            return;
        }
        is_still = advance(island);
    }
}

// Friction that follows is the better step, and no step needs it: where the problem that it makes
// is not solved, the one before is.
void iso_island_solve(iso_island* island) {
    int most = island->space->options->most_followed;
    find_minimum(island);
    for (int round = 0; round < most && island->end <= ISO_NEWTON_ROUNDING; ++round) {
        if (!follow_minimum(island, round)) {
            return;
        }
        bool has_followed = island->has_followed;
        iso_newton_end end = island->end;
        island->has_followed = true;
        find_minimum(island);
        if (island->end > ISO_NEWTON_ROUNDING) {
            go_back(island);
            island->has_followed = has_followed;
            island->end = end;
            return;
        }
    }
}
