// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// What belongs together is found, solved on its own (solver/newton.h), and reported as one.

#include "solver/convex.h"

#include "solver/newton.h"
#include "solver/tile.h"

#include <math.h>
#include <string.h>

// Islands go to the threads of the pool when they have so many potentials in all: below, handing
// out costs more than solving.
#define LEAST_POTENTIALS_FOR_THREADS 16

// One solve.
typedef struct solve {
    iso_newton_space space;
    iso_island* islands; // [island_count]
    int island_count;
    int* active; // [active_count] trees that a potential touches, ascending
    int active_count;
    int* leader;    // [tree_count] a tree of the same island, in the end its first
    int* island_of; // [active_count] island of each block
    int* order;     // [island_count] largest first: how threads take them
} solve;

iso_convex_options iso_convex_options_default(void) {
    return (iso_convex_options){
        .relative_tolerance = 1e-6,
        .start_tolerance = 1e-6,
        .rounding_tolerance = 1e-14,
        .max_iterations = 1000,
        .line_tolerance = 1e-8,
        .line_descent = 0.0,
        .max_line_iterations = 100,
        .most_followed = ISO_CONVEX_MOST_FOLLOWED,
    };
}

void iso_convex_solver_destroy(iso_convex_solver* solver) {
    iso_block_cholesky_destroy(&solver->matrix);
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
    int dofs = iso_convex_tree_dofs(problem, k->tree_a);
    iso_tiles_add_ax(out_u, k->jacobian_a, v + problem->v_index[k->tree_a], k->rows, dofs);
    if (k->tree_b >= 0) {
        dofs = iso_convex_tree_dofs(problem, k->tree_b);
        iso_tiles_add_ax(out_u, k->jacobian_b, v + problem->v_index[k->tree_b], k->rows, dofs);
    }
}

static iso_status push_doubles(iso_arena* work, int count, double** out) {
    *out = iso_arena_push_array(work, count, sizeof **out);
    ISO_REQUIRE(work->ctx, *out, ISO_ERR_MEMORY, "%d numbers of a convex problem", count);
    return ISO_OK;
}
static iso_status push_ints(iso_arena* work, int count, int** out) {
    *out = iso_arena_push_array(work, count, sizeof **out);
    ISO_REQUIRE(work->ctx, *out, ISO_ERR_MEMORY, "%d indices of a convex problem", count);
    return ISO_OK;
}

// Number the trees that potentials touch, and join those of one potential.
static iso_status find_active(solve* s, iso_arena* work) {
    const iso_convex_problem* problem = s->space.problem;
    iso_status status = ISO_OK;
    ISO_TRY(push_ints(work, problem->tree_count, &s->active));
    ISO_TRY(push_ints(work, problem->tree_count, &s->leader));
    ISO_TRY(push_ints(work, problem->tree_count, &s->space.block_of));
    int* block_of = s->space.block_of;
    for (int t = 0; t < problem->tree_count; ++t) {
        block_of[t] = -1;
        s->leader[t] = t;
    }
    for (int k = 0; k < problem->potential_count; ++k) {
        const iso_potential* potential = &problem->potentials[k];
        block_of[potential->tree_a] = 0;
        if (potential->tree_b >= 0) {
            block_of[potential->tree_b] = 0;
            iso_island_join(s->leader, potential->tree_a, potential->tree_b);
        }
    }
    for (int t = 0; t < problem->tree_count; ++t) {
        if (block_of[t] == 0) {
            block_of[t] = s->active_count;
            s->active[s->active_count++] = t;
        }
    }
done:
    return status;
}

static iso_status analyze(solve* s, iso_arena* work) {
    const iso_convex_problem* problem = s->space.problem;
    const int* block_of = s->space.block_of;
    iso_block_cholesky* matrix = s->space.matrix;
    int* sizes = NULL;
    iso_status status = ISO_OK;
    ISO_TRY(push_ints(work, s->active_count, &sizes));
    iso_block_pair* pairs = iso_arena_push_array(work, problem->potential_count, sizeof *pairs);
    ISO_REQUIRE(work->ctx, pairs, ISO_ERR_MEMORY, "%d coupled trees", s->active_count);
    int pair_count = 0;
    for (int i = 0; i < s->active_count; ++i) {
        sizes[i] = iso_convex_tree_dofs(problem, s->active[i]);
    }
    for (int k = 0; k < problem->potential_count; ++k) {
        const iso_potential* potential = &problem->potentials[k];
        if (potential->tree_b >= 0) {
            pairs[pair_count++] =
                (iso_block_pair){block_of[potential->tree_a], block_of[potential->tree_b]};
        }
    }
    ISO_TRY(iso_block_cholesky_analyze(matrix, sizes, s->active_count, pairs, pair_count));
    for (int k = 0; k < problem->potential_count; ++k) {
        const iso_potential* potential = &problem->potentials[k];
        iso_newton_term* t = &s->space.terms[k];
        int a = block_of[potential->tree_a];
        t->diagonal_a = iso_block_cholesky_block(matrix, a, a);
        if (potential->tree_b >= 0) {
            int b = block_of[potential->tree_b];
            t->diagonal_b = iso_block_cholesky_block(matrix, b, b);
            t->coupling = iso_block_cholesky_block(matrix, a, b);
        }
    }
done:
    return status;
}

static iso_status push_vectors(solve* s, iso_arena* work) {
    const iso_convex_problem* problem = s->space.problem;
    int v_count = problem->v_index[problem->tree_count];
    double** vectors[] = {&s->space.weight,  &s->space.a_v_star,    &s->space.r,
                          &s->space.impulse, &s->space.v0,          &s->space.direction,
                          &s->space.x,       &s->space.a_direction, &s->space.v_minimum};
    s->space.terms = iso_arena_push_array(work, problem->potential_count, sizeof *s->space.terms);
    ISO_REQUIRE(work->ctx, s->space.terms, ISO_ERR_MEMORY, "%d potentials",
                problem->potential_count);
    iso_status status = ISO_OK;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; ++i) {
        ISO_TRY(push_doubles(work, v_count, vectors[i]));
    }
done:
    return status;
}

// Count islands and what they hold, in the order of their first trees.
static iso_status count_islands(solve* s, iso_arena* work) {
    const iso_convex_problem* problem = s->space.problem;
    iso_status status = ISO_OK;
    ISO_TRY(push_ints(work, s->active_count, &s->island_of));
    s->islands = iso_arena_push_array(work, s->active_count, sizeof *s->islands);
    ISO_REQUIRE(work->ctx, s->islands, ISO_ERR_MEMORY, "%d islands", s->active_count);
    for (int i = 0; i < s->active_count; ++i) {
        int t = s->active[i], first = iso_island_leader(s->leader, t);
        if (first == t) {
            s->islands[s->island_count] =
                (iso_island){.space = &s->space, .worst_dof = -1, .slowest_dof = -1};
            s->island_of[i] = s->island_count++;
        } else {
            s->island_of[i] = s->island_of[s->space.block_of[first]];
        }
        ++s->islands[s->island_of[i]].tree_count;
    }
    for (int k = 0; k < problem->potential_count; ++k) {
        int block = s->space.block_of[problem->potentials[k].tree_a];
        ++s->islands[s->island_of[block]].potential_count;
    }
done:
    return status;
}

// Hand trees and potentials out to their islands, and scratch.
static iso_status fill_islands(solve* s, iso_arena* work) {
    const iso_convex_problem* problem = s->space.problem;
    iso_status status = ISO_OK;
    int *trees, *potentials;
    ISO_TRY(push_ints(work, s->active_count, &trees));
    ISO_TRY(push_ints(work, problem->potential_count, &potentials));
    for (int i = 0; i < s->island_count; ++i) {
        iso_island* island = &s->islands[i];
        island->trees = trees;
        island->potentials = potentials;
        trees += island->tree_count;
        potentials += island->potential_count;
        island->tree_count = island->potential_count = 0;
    }
    for (int i = 0; i < s->active_count; ++i) {
        iso_island* island = &s->islands[s->island_of[i]];
        island->trees[island->tree_count++] = s->active[i];
    }
    for (int k = 0; k < problem->potential_count; ++k) {
        int block = s->space.block_of[problem->potentials[k].tree_a];
        iso_island* island = &s->islands[s->island_of[block]];
        island->potentials[island->potential_count++] = k;
    }
    for (int i = 0; i < s->island_count; ++i) {
        iso_island* island = &s->islands[i];
        int largest = 0;
        for (int t = 0; t < island->tree_count; ++t) {
            int dofs = iso_convex_tree_dofs(problem, island->trees[t]);
            largest = dofs > largest ? dofs : largest;
        }
        ISO_TRY(push_doubles(work, 2 * ISO_POTENTIAL_MAX_ROWS * largest, &island->product));
    }
done:
    return status;
}

static iso_status split_matrix(solve* s, iso_arena* work) {
    iso_status status = ISO_OK;
    int* places = NULL;
    ISO_TRY(push_ints(work, s->active_count, &places));
    iso_block_part* parts = iso_arena_push_array(work, s->island_count, sizeof *parts);
    ISO_REQUIRE(work->ctx, parts, ISO_ERR_MEMORY, "%d islands", s->island_count);
    iso_block_cholesky_split(s->space.matrix, s->island_of, s->island_count, places, parts);
    for (int i = 0; i < s->island_count; ++i) {
        s->islands[i].part = parts[i];
    }
done:
    return status;
}

// The order in which threads take the islands: the largest first.
static iso_status find_order(solve* s, iso_arena* work) {
    iso_status status = ISO_OK;
    int* starts = NULL;
    int largest = 0;
    for (int i = 0; i < s->island_count; ++i) {
        int size = s->islands[i].potential_count;
        largest = size > largest ? size : largest;
    }
    ISO_TRY(push_ints(work, s->island_count, &s->order));
    ISO_TRY(push_ints(work, largest + 2, &starts));
    memset(starts, 0, (size_t)(largest + 2) * sizeof *starts);
    for (int i = 0; i < s->island_count; ++i) {
        ++starts[largest - s->islands[i].potential_count + 1];
    }
    for (int i = 0; i <= largest; ++i) {
        starts[i + 1] += starts[i];
    }
    for (int i = 0; i < s->island_count; ++i) {
        s->order[starts[largest - s->islands[i].potential_count]++] = i;
    }
done:
    return status;
}

static void island_task(void* user, int item, int worker) {
    const solve* s = user;
    (void)worker;
    iso_island* island = &s->islands[s->order[item]];
    iso_island_start(island);
    iso_island_solve(island);
}

static void solve_islands(solve* s, iso_task_pool* pool) {
    bool is_shared = pool && s->island_count > 1 &&
                     s->space.problem->potential_count >= LEAST_POTENTIALS_FOR_THREADS;
    if (is_shared) {
        iso_task_pool_run(pool, s->island_count, island_task, s);
        return;
    }
    for (int i = 0; i < s->island_count; ++i) {
        island_task(s, i, 0);
    }
}

static double residual_of(const iso_island* island) {
    return island->scale > 0.0 ? island->norm / island->scale : 0.0;
}

static bool has_failed(const iso_island* island) {
    return island->end > ISO_NEWTON_ROUNDING;
}

static iso_island_note note_of(const iso_island* island) {
    return (iso_island_note){.tree_count = island->tree_count,
                             .iterations = island->iterations,
                             .line_search_iterations = island->line_search_iterations,
                             .worst_dof = island->worst_dof,
                             .slowest_dof = island->slowest_dof,
                             .residual = residual_of(island),
                             .cost = island->cost,
                             .is_at_rounding = island->end == ISO_NEWTON_ROUNDING,
                             .has_followed = island->has_followed};
}

static void report_slowest(const iso_island_note* slowest, const iso_island* island,
                           iso_convex_report* report) {
    report->iterations = slowest->iterations;
    report->line_search_iterations = slowest->line_search_iterations;
    report->slowest_dof = slowest->slowest_dof;
    report->is_at_rounding = slowest->is_at_rounding;
    double worst = 0.0;
    for (int i = 0; island && i < island->potential_count && island->iterations > 0; ++i) {
        const iso_newton_term* t = &island->space->terms[island->potentials[i]];
        if (t->surprise > worst) {
            worst = t->surprise;
            report->slowest_potential = island->potentials[i];
            memcpy(report->slowest_error, t->error, sizeof report->slowest_error);
        }
    }
}

// The next island in the order of first trees, solved here or known; false: there is none.
static bool next_island(const solve* s, int* tree, int* at, iso_island_note* out,
                        const iso_island** out_island) {
    const iso_convex_problem* problem = s->space.problem;
    for (; *tree < problem->tree_count; ++*tree) {
        int t = *tree;
        if (s->space.block_of[t] >= 0 && s->leader[t] == t) {
            *out_island = &s->islands[(*at)++];
            *out = note_of(*out_island);
        } else if (problem->is_known && problem->is_known[t] && problem->notes[t].tree_count > 0) {
            *out_island = NULL;
            *out = problem->notes[t];
        } else {
            continue;
        }
        ++*tree;
        return true;
    }
    return false;
}

// All islands in one report. Returns the first island that failed, or NULL.
static const iso_island* collect(const solve* s, iso_convex_report* report) {
    iso_island_note note, slowest = {.iterations = -1}, worst = {.residual = -1.0};
    const iso_island *island, *failed = NULL, *slow_island = NULL;
    iso_island_note* notes = s->space.problem->notes;
    for (int tree = 0, at = 0; next_island(s, &tree, &at, &note, &island);) {
        ++report->island_count;
        report->cost += note.cost;
        report->total_iterations += note.iterations;
        report->has_followed = report->has_followed || note.has_followed;
        if (note.tree_count > report->largest_island) {
            report->largest_island = note.tree_count;
        }
        slow_island = note.iterations > slowest.iterations ? island : slow_island;
        slowest = note.iterations > slowest.iterations ? note : slowest;
        worst = note.residual > worst.residual || worst.residual < 0.0 ? note : worst;
        failed = !failed && island && has_failed(island) ? island : failed;
        if (notes && island) {
            notes[tree - 1] = note;
        }
    }
    if (report->island_count == 0) {
        return NULL;
    }
    if (failed) {
        slowest = worst = note_of(failed);
        slow_island = failed;
    }
    report_slowest(&slowest, slow_island, report);
    report->residual = worst.residual;
    report->worst_dof = worst.worst_dof;
    return failed;
}

static iso_status explain(const iso_island* island, iso_context* ctx) {
    switch (island->end) {
    case ISO_NEWTON_LIMIT:
        return iso_fail(ctx, ISO_ERR_NO_CONVERGENCE, __func__,
                        "residual is %g after %d Newton iterations, expected at most %g; largest "
                        "at degree of freedom %d",
                        residual_of(island), island->iterations,
                        island->space->options->relative_tolerance, island->worst_dof);
    case ISO_NEWTON_INDEFINITE:
        return iso_fail(ctx, ISO_ERR_NUMERIC, __func__,
                        "Hessian of the tree with degree of freedom %d is not positive definite",
                        island->worst_dof);
    case ISO_NEWTON_NOT_FINITE:
        return iso_fail(ctx, ISO_ERR_NUMERIC, __func__,
                        "cost is %g and scaled residual %g after %d iterations (degree of freedom "
                        "%d), expected finite",
                        island->cost, island->norm, island->iterations, island->worst_dof);
    case ISO_NEWTON_CONVERGED:
    case ISO_NEWTON_ROUNDING:
        break;
    }
    return ISO_OK;
}

iso_status iso_convex_solve(iso_convex_solver* solver, const iso_convex_problem* problem,
                            const iso_convex_options* options, iso_arena* work, double* v,
                            iso_convex_report* out_report) {
    *out_report = (iso_convex_report){.worst_dof = -1, .slowest_dof = -1, .slowest_potential = -1};
    iso_arena_mark mark = iso_arena_get_mark(work);
    solve s = {
        .space = {.problem = problem, .options = options, .matrix = &solver->matrix, .v = v}};
    iso_status status = ISO_OK;
    ISO_TRY(find_active(&s, work));
    for (int t = 0; t < problem->tree_count; ++t) {
        bool is_free = s.space.block_of[t] < 0 && !(problem->is_known && problem->is_known[t]);
        for (int d = problem->v_index[t]; is_free && d < problem->v_index[t + 1]; ++d) {
            v[d] = problem->v_star[d];
        }
    }
    if (s.active_count > 0) {
        ISO_TRY(push_vectors(&s, work));
        ISO_TRY(analyze(&s, work));
        ISO_TRY(count_islands(&s, work));
        ISO_TRY(fill_islands(&s, work));
        ISO_TRY(split_matrix(&s, work));
        ISO_TRY(find_order(&s, work));
        solve_islands(&s, solver->pool);
    }
    const iso_island* failed = collect(&s, out_report);
    ISO_TRY(failed ? explain(failed, work->ctx) : ISO_OK);
done:
    iso_arena_release(work, mark);
    return status;
}
