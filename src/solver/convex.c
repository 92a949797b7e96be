// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/convex.h"

#include "solver/line_search.h"
#include "solver/tile.h"

#include <math.h>

enum { ROWS = ISO_POTENTIAL_MAX_ROWS };

// One potential during a solve.
typedef struct term {
    double u[ROWS], du[ROWS], gradient[ROWS], hessian[ROWS * ROWS];
    iso_block_view diagonal_a, diagonal_b, coupling; // blocks of H it adds to
} term;

// One solve. Vectors have the length of v; only the entries of active trees are used.
typedef struct newton {
    const iso_convex_problem* problem;
    const iso_convex_options* options;
    iso_block_cholesky* matrix;
    int active_count;
    int* active;       // [active_count] trees that a potential touches, ascending
    int* block_of;     // [tree_count] block of H, -1 for idle trees
    term* terms;       // [potential_count]
    double* weight;    // 1 / A_ii
    double* a_v_star;  // A v*
    double* r;         // A (v - v*)
    double* impulse;   // -sum J^T gradient
    double* direction; // Newton's step
    double* x;         // [rows of H] right-hand side, blocks of active trees
    double* product;   // [ROWS * largest tree, twice] H_k J_k
    double* v;
    double cost;        // at v
    double norm, scale; // |D grad|, max(|D A v|, |D J^T gradient|)
    int worst_dof;      // largest share of norm
    double line[3];     // A-part along the direction: value, slope at 0, curvature
    double inner_slope; // what own unknowns of potentials add to the slope
} newton;

iso_convex_options iso_convex_options_default(void) {
    return (iso_convex_options){
        .absolute_tolerance = 1e-14,
        .relative_tolerance = 1e-6,
        .cost_absolute_tolerance = 1e-30,
        .cost_relative_tolerance = 1e-15,
        .max_iterations = 100,
        .line_tolerance = 1e-8,
        .max_line_iterations = 100,
    };
}

void iso_convex_solver_destroy(iso_convex_solver* solver) {
    iso_block_cholesky_destroy(&solver->matrix);
}

// Own unknowns of a potential, or NULL.
static const iso_inner* inner_of(const iso_convex_problem* problem, int potential) {
    const iso_inner* inner = problem->inners ? &problem->inners[potential] : NULL;
    return inner && inner->ops ? inner : NULL;
}

static int tree_dofs(const iso_convex_problem* problem, int tree) {
    return problem->v_index[tree + 1] - problem->v_index[tree];
}

void iso_potential_velocity(const iso_convex_problem* problem, const iso_potential* potential,
                            const double* v, double* out_u) {
    const iso_potential* k = potential;
    if (!k->jacobian_a) {
        out_u[0] = v[k->dof];
        return;
    }
    for (int i = 0; i < k->rows; ++i) {
        out_u[i] = 0.0;
    }
    int dofs = tree_dofs(problem, k->tree_a);
    iso_dense_add_ax(out_u, 1.0, k->jacobian_a, dofs, v + problem->v_index[k->tree_a], k->rows,
                     dofs);
    if (k->tree_b >= 0) {
        dofs = tree_dofs(problem, k->tree_b);
        iso_dense_add_ax(out_u, 1.0, k->jacobian_b, dofs, v + problem->v_index[k->tree_b], k->rows,
                         dofs);
    }
}

// out += scale J^T f
static void add_transposed(const iso_convex_problem* problem, const iso_potential* k, double scale,
                           const double* f, double* out) {
    if (!k->jacobian_a) {
        out[k->dof] += scale * f[0];
        return;
    }
    int dofs = tree_dofs(problem, k->tree_a);
    iso_dense_add_atx(out + problem->v_index[k->tree_a], scale, k->jacobian_a, dofs, f, k->rows,
                      dofs);
    if (k->tree_b >= 0) {
        dofs = tree_dofs(problem, k->tree_b);
        iso_dense_add_atx(out + problem->v_index[k->tree_b], scale, k->jacobian_b, dofs, f, k->rows,
                          dofs);
    }
}

static iso_status push_doubles(iso_arena* work, int count, double** out) {
    *out = iso_arena_push_array(work, count, sizeof **out);
    ISO_REQUIRE(work->ctx, *out, ISO_ERR_MEMORY, "%d numbers of a convex problem", count);
    return ISO_OK;
}

// Number the trees that potentials touch.
static iso_status find_active(newton* n, iso_arena* work) {
    const iso_convex_problem* problem = n->problem;
    n->active = iso_arena_push_array(work, problem->tree_count, sizeof *n->active);
    n->block_of = iso_arena_push_array(work, problem->tree_count, sizeof *n->block_of);
    ISO_REQUIRE(work->ctx, n->active && n->block_of, ISO_ERR_MEMORY, "%d trees",
                problem->tree_count);
    for (int t = 0; t < problem->tree_count; ++t) {
        n->block_of[t] = -1;
    }
    for (int k = 0; k < problem->potential_count; ++k) {
        n->block_of[problem->potentials[k].tree_a] = 0;
        if (problem->potentials[k].tree_b >= 0) {
            n->block_of[problem->potentials[k].tree_b] = 0;
        }
    }
    for (int t = 0; t < problem->tree_count; ++t) {
        if (n->block_of[t] == 0) {
            n->block_of[t] = n->active_count;
            n->active[n->active_count++] = t;
        }
    }
    return ISO_OK;
}

static iso_status analyze(newton* n, iso_arena* work) {
    const iso_convex_problem* problem = n->problem;
    iso_status status = ISO_OK;
    int* sizes = iso_arena_push_array(work, n->active_count, sizeof *sizes);
    iso_block_pair* pairs = iso_arena_push_array(work, problem->potential_count, sizeof *pairs);
    ISO_REQUIRE(work->ctx, sizes && pairs, ISO_ERR_MEMORY, "%d coupled trees", n->active_count);
    int pair_count = 0;
    for (int i = 0; i < n->active_count; ++i) {
        sizes[i] = tree_dofs(problem, n->active[i]);
    }
    for (int k = 0; k < problem->potential_count; ++k) {
        const iso_potential* potential = &problem->potentials[k];
        if (potential->tree_b >= 0) {
            iso_block_pair pair = {n->block_of[potential->tree_a], n->block_of[potential->tree_b]};
            pairs[pair_count++] = pair;
        }
    }
    ISO_TRY(iso_block_cholesky_analyze(n->matrix, sizes, n->active_count, pairs, pair_count));
    for (int k = 0; k < problem->potential_count; ++k) {
        const iso_potential* potential = &problem->potentials[k];
        term* t = &n->terms[k];
        int a = n->block_of[potential->tree_a];
        t->diagonal_a = iso_block_cholesky_block(n->matrix, a, a);
        if (potential->tree_b >= 0) {
            int b = n->block_of[potential->tree_b];
            t->diagonal_b = iso_block_cholesky_block(n->matrix, b, b);
            t->coupling = iso_block_cholesky_block(n->matrix, a, b);
        }
    }
done:
    return status;
}

static iso_status prepare(newton* n, iso_arena* work) {
    const iso_convex_problem* problem = n->problem;
    int v_count = problem->v_index[problem->tree_count];
    int largest = 0;
    iso_status status = ISO_OK;
    n->terms = iso_arena_push_array(work, problem->potential_count, sizeof *n->terms);
    ISO_REQUIRE(work->ctx, n->terms, ISO_ERR_MEMORY, "%d potentials", problem->potential_count);
    ISO_TRY(push_doubles(work, v_count, &n->weight));
    ISO_TRY(push_doubles(work, v_count, &n->a_v_star));
    ISO_TRY(push_doubles(work, v_count, &n->r));
    ISO_TRY(push_doubles(work, v_count, &n->impulse));
    ISO_TRY(push_doubles(work, v_count, &n->direction));
    ISO_TRY(push_doubles(work, v_count, &n->x));
    for (int i = 0; i < n->active_count; ++i) {
        int t = n->active[i];
        int first = problem->v_index[t], dofs = tree_dofs(problem, t);
        const double* a = problem->a + problem->a_index[t];
        largest = dofs > largest ? dofs : largest;
        for (int d = 0; d < dofs; ++d) {
            n->weight[first + d] = 1.0 / a[d * (dofs + 1)];
            n->a_v_star[first + d] = 0.0;
        }
        iso_dense_add_ax(n->a_v_star + first, 1.0, a, dofs, problem->v_star + first, dofs, dofs);
    }
    ISO_TRY(push_doubles(work, 2 * ROWS * largest, &n->product));
    ISO_TRY(analyze(n, work));
    for (int k = 0; k < problem->potential_count; ++k) {
        iso_potential_velocity(problem, &problem->potentials[k], n->v, n->terms[k].u);
    }
done:
    return status;
}

// Cost and gradient of the A-part at v: r = A (v - v*).
static double inertial_cost(newton* n) {
    const iso_convex_problem* problem = n->problem;
    double cost = 0.0;
    for (int i = 0; i < n->active_count; ++i) {
        int t = n->active[i];
        int first = problem->v_index[t], dofs = tree_dofs(problem, t);
        double* r = n->r + first;
        double* change = n->direction + first; // free until the next direction
        for (int d = 0; d < dofs; ++d) {
            change[d] = n->v[first + d] - problem->v_star[first + d];
            r[d] = 0.0;
        }
        iso_dense_add_ax(r, 1.0, problem->a + problem->a_index[t], dofs, change, dofs, dofs);
        cost += 0.5 * iso_dense_dot(r, change, dofs);
    }
    return cost;
}

// Everything at v: cost, gradients, Hessians of potentials, scaled norms.
static void evaluate(newton* n) {
    const iso_convex_problem* problem = n->problem;
    n->cost = inertial_cost(n);
    for (int i = 0; i < n->active_count; ++i) {
        for (int d = problem->v_index[n->active[i]]; d < problem->v_index[n->active[i] + 1]; ++d) {
            n->impulse[d] = 0.0;
        }
    }
    for (int k = 0; k < problem->potential_count; ++k) {
        const iso_potential* potential = &problem->potentials[k];
        term* t = &n->terms[k];
        n->cost += potential->ops->eval(potential->user, t->u, t->gradient, t->hessian);
        add_transposed(problem, potential, -1.0, t->gradient, n->impulse);
    }
    double gradient2 = 0.0, momentum2 = 0.0, impulse2 = 0.0, worst = -1.0;
    for (int k = 0; k < problem->potential_count; ++k) {
        const iso_inner* inner = inner_of(problem, k);
        gradient2 += inner ? inner->ops->residual(inner->user) : 0.0;
    }
    n->worst_dof = -1;
    for (int i = 0; i < n->active_count; ++i) {
        for (int d = problem->v_index[n->active[i]]; d < problem->v_index[n->active[i] + 1]; ++d) {
            double gradient = n->r[d] - n->impulse[d];
            double momentum = n->r[d] + n->a_v_star[d];
            double share = gradient * gradient * n->weight[d];
            gradient2 += share;
            momentum2 += momentum * momentum * n->weight[d];
            impulse2 += n->impulse[d] * n->impulse[d] * n->weight[d];
            if (!isnan(worst) && !(share <= worst)) {
                worst = share;
                n->worst_dof = d;
            }
        }
    }
    n->norm = sqrt(gradient2);
    n->scale = sqrt(fmax(momentum2, impulse2));
}

// -H J of one potential; its Hessian is symmetric.
static void multiply_hessian(const double* hessian, int rows, const double* jacobian, int dofs,
                             double* out) {
    for (int i = 0; i < rows * dofs; ++i) {
        out[i] = 0.0;
    }
    iso_tiles_subtract_atb(out, dofs, hessian, rows, jacobian, dofs, rows, rows, dofs);
}

// H += J^T hessian J of one potential.
static void add_hessian(newton* n, const iso_potential* k, const term* t) {
    const iso_convex_problem* problem = n->problem;
    double trace = 0.0;
    for (int i = 0; i < k->rows; ++i) {
        trace += t->hessian[i * (k->rows + 1)];
    }
    if (trace == 0.0) {
        return; // positive semidefinite, hence zero
    }
    if (!k->jacobian_a) {
        int d = k->dof - problem->v_index[k->tree_a];
        t->diagonal_a.values[d * (t->diagonal_a.stride + 1)] += t->hessian[0];
        return;
    }
    int rows = k->rows, dofs_a = tree_dofs(problem, k->tree_a);
    double* h_ja = n->product; // -H J_a
    multiply_hessian(t->hessian, rows, k->jacobian_a, dofs_a, h_ja);
    iso_tiles_subtract_atb_upper(t->diagonal_a.values, t->diagonal_a.stride, k->jacobian_a, dofs_a,
                                 h_ja, dofs_a, rows, dofs_a);
    if (k->tree_b < 0) {
        return;
    }
    int dofs_b = tree_dofs(problem, k->tree_b);
    double* h_jb = n->product + rows * dofs_a; // -H J_b
    multiply_hessian(t->hessian, rows, k->jacobian_b, dofs_b, h_jb);
    iso_tiles_subtract_atb_upper(t->diagonal_b.values, t->diagonal_b.stride, k->jacobian_b, dofs_b,
                                 h_jb, dofs_b, rows, dofs_b);
    const iso_block_view* ab = &t->coupling;
    if (ab->is_transposed) {
        iso_tiles_subtract_atb(ab->values, ab->stride, k->jacobian_b, dofs_b, h_ja, dofs_a, dofs_b,
                               rows, dofs_a);
    } else {
        iso_tiles_subtract_atb(ab->values, ab->stride, k->jacobian_a, dofs_a, h_jb, dofs_b, dofs_a,
                               rows, dofs_b);
    }
}

static void assemble(newton* n) {
    const iso_convex_problem* problem = n->problem;
    iso_block_cholesky_clear(n->matrix);
    for (int i = 0; i < n->active_count; ++i) {
        int t = n->active[i], dofs = tree_dofs(problem, t);
        const double* a = problem->a + problem->a_index[t];
        iso_block_view view = iso_block_cholesky_block(n->matrix, i, i);
        for (int row = 0; row < dofs; ++row) {
            for (int column = row; column < dofs; ++column) {
                view.values[row * view.stride + column] = a[row * dofs + column];
            }
        }
    }
    for (int k = 0; k < problem->potential_count; ++k) {
        add_hessian(n, &problem->potentials[k], &n->terms[k]);
    }
}

// direction = -H^-1 gradient, and what the line search needs along it.
static iso_status find_direction(newton* n, iso_context* ctx) {
    const iso_convex_problem* problem = n->problem;
    assemble(n);
    int bad_block = 0;
    if (!iso_block_cholesky_factor(n->matrix, &bad_block)) {
        n->worst_dof = problem->v_index[n->active[bad_block]];
        return iso_fail(ctx, ISO_ERR_NUMERIC, __func__,
                        "Hessian of the tree with degree of freedom %d is not positive definite",
                        n->worst_dof);
    }
    double* x = n->x;
    for (int i = 0; i < n->active_count; ++i) {
        for (int d = problem->v_index[n->active[i]]; d < problem->v_index[n->active[i] + 1]; ++d) {
            *x++ = n->impulse[d] - n->r[d];
        }
    }
    iso_block_cholesky_solve(n->matrix, n->x);
    x = n->x;
    n->line[0] = n->line[1] = n->line[2] = 0.0;
    for (int i = 0; i < n->active_count; ++i) {
        int t = n->active[i], first = problem->v_index[t], dofs = tree_dofs(problem, t);
        const double* a = problem->a + problem->a_index[t];
        for (int d = 0; d < dofs; ++d) {
            double a_direction = iso_dense_dot(a + d * dofs, x, dofs);
            n->direction[first + d] = x[d];
            n->line[1] += x[d] * n->r[first + d];
            n->line[2] += x[d] * a_direction;
        }
        x += dofs;
    }
    n->inner_slope = 0.0;
    for (int k = 0; k < problem->potential_count; ++k) {
        const iso_inner* inner = inner_of(problem, k);
        iso_potential_velocity(problem, &problem->potentials[k], n->direction, n->terms[k].du);
        n->inner_slope += inner ? inner->ops->direct(inner->user, n->terms[k].du) : 0.0;
    }
    return ISO_OK;
}

static iso_line_point cost_along(const void* user, double alpha) {
    const newton* n = user;
    iso_line_point sum = {alpha, alpha * (n->line[1] + 0.5 * alpha * n->line[2]),
                          n->line[1] + alpha * n->line[2], n->line[2]};
    for (int k = 0; k < n->problem->potential_count; ++k) {
        const iso_potential* potential = &n->problem->potentials[k];
        const term* t = &n->terms[k];
        double value, slope, curvature;
        potential->ops->line(potential->user, t->u, t->du, alpha, &value, &slope, &curvature);
        sum.value += value;
        sum.slope += slope;
        sum.curvature += curvature;
    }
    return sum;
}

static double slope_at_start(const newton* n) {
    double slope = n->line[1] + n->inner_slope;
    for (int k = 0; k < n->problem->potential_count; ++k) {
        const term* t = &n->terms[k];
        for (int i = 0; i < n->problem->potentials[k].rows; ++i) {
            slope += t->gradient[i] * t->du[i];
        }
    }
    return slope;
}

static void take_step(newton* n, double alpha) {
    const iso_convex_problem* problem = n->problem;
    for (int i = 0; i < n->active_count; ++i) {
        for (int d = problem->v_index[n->active[i]]; d < problem->v_index[n->active[i] + 1]; ++d) {
            n->v[d] += alpha * n->direction[d];
        }
    }
    for (int k = 0; k < problem->potential_count; ++k) {
        term* t = &n->terms[k];
        for (int i = 0; i < problem->potentials[k].rows; ++i) {
            t->u[i] += alpha * t->du[i];
        }
        const iso_inner* inner = inner_of(problem, k);
        if (inner) {
            inner->ops->advance(inner->user, alpha);
        }
    }
}

static iso_status iterate(newton* n, iso_context* ctx, iso_convex_report* report) {
    const iso_convex_options* options = n->options;
    iso_status status = ISO_OK;
    evaluate(n);
    for (;;) {
        ISO_CHECK(ctx, isfinite(n->norm) && isfinite(n->cost), ISO_ERR_NUMERIC,
                  "cost is %g and scaled residual %g after %d iterations (degree of freedom %d), "
                  "expected finite",
                  n->cost, n->norm, report->iterations, n->worst_dof);
        if (n->norm <= options->absolute_tolerance + options->relative_tolerance * n->scale) {
            break;
        }
        ISO_CHECK(ctx, report->iterations < options->max_iterations, ISO_ERR_NO_CONVERGENCE,
                  "residual is %g after %d Newton iterations, expected at most %g; largest at "
                  "degree of freedom %d",
                  n->norm / n->scale, report->iterations, options->relative_tolerance,
                  n->worst_dof);
        report->slowest_dof = n->worst_dof;
        ISO_TRY(find_direction(n, ctx));
        double old_cost = n->cost;
        iso_line_point end =
            iso_line_search(cost_along, n, slope_at_start(n), options->line_tolerance,
                            options->max_line_iterations, &report->line_search_iterations);
        take_step(n, end.alpha);
        evaluate(n);
        ++report->iterations;
        double change = fabs(n->cost - old_cost);
        double mean = 0.5 * (fabs(n->cost) + fabs(old_cost));
        if (change < options->cost_absolute_tolerance + options->cost_relative_tolerance * mean &&
            end.alpha > 0.5) {
            break;
        }
    }
done:
    report->cost = n->cost;
    report->residual = n->scale > 0.0 ? n->norm / n->scale : 0.0;
    report->worst_dof = n->worst_dof;
    return status;
}

iso_status iso_convex_solve(iso_convex_solver* solver, const iso_convex_problem* problem,
                            const iso_convex_options* options, iso_arena* work, double* v,
                            iso_convex_report* out_report) {
    *out_report = (iso_convex_report){.worst_dof = -1, .slowest_dof = -1};
    iso_arena_mark mark = iso_arena_get_mark(work);
    newton n = {.problem = problem, .options = options, .matrix = &solver->matrix, .v = v};
    iso_status status = ISO_OK;
    ISO_TRY(find_active(&n, work));
    for (int t = 0; t < problem->tree_count; ++t) {
        for (int d = problem->v_index[t]; n.block_of[t] < 0 && d < problem->v_index[t + 1]; ++d) {
            v[d] = problem->v_star[d];
        }
    }
    if (n.active_count > 0) {
        ISO_TRY(prepare(&n, work));
        ISO_TRY(iterate(&n, work->ctx, out_report));
    }
done:
    iso_arena_release(work, mark);
    return status;
}
