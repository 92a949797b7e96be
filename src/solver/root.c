// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/root.h"

#include "base/core/fail.h"
#include "math/dense.h"

#include <math.h>

enum { ROWS = ISO_POTENTIAL_MAX_ROWS };

// Steps that are held back: the share of A that is added to the matrix first, and how it changes
// when the residual falls and when it does not.
#define FIRST_HOLD 0.1
#define HOLD_FALLS 0.25
#define HOLD_GROWS 4.0

// From so many degrees of freedom on a group is ordered, and zeros beyond the last entry of a row
// are passed over: below, rows fill up soon.
#define LEAST_ORDERED_DOFS 240

// One potential of a group.
typedef struct term {
    const iso_potential* potential;
    iso_root_limit limit; // NULL: none
    double u[ROWS], du[ROWS], f[ROWS], jacobian[ROWS * ROWS];
} term;

// One group of trees. Its degrees of freedom are numbered tree by tree.
typedef struct group {
    const iso_convex_problem* problem;
    const iso_root_options* options;
    int tree_count, term_count, dof_count;
    const int* trees; // [tree_count] ascending, but for large groups
    int* first;       // [trees of the problem] first degree of freedom in the group
    term* terms;      // [term_count]
    double* v;        // of the problem
    double* r;        // [dof_count] residual
    double* impulse;  // [dof_count] -sum J^T f
    double* load;     // [dof_count] the same of sizes, without signs
    double* step;     // [dof_count]
    double* matrix;   // [dof_count * dof_count]
    int* ends;        // [dof_count] one past the last entry of each row that is not zero
    double work;      // multiplications of all eliminations
    double* product;  // [ROWS * dof_count]
    double hold;      // (1 + hold) A in the matrix
    double norm, scale;
    double tolerance; // of the norm
    int worst_dof;    // of the problem
    int iterations;
} group;

iso_root_options iso_root_options_default(void) {
    return (iso_root_options){.relative_tolerance = 1e-8,
                              .start_tolerance = 1e-12,
                              .rounding_tolerance = 1e-14,
                              .max_iterations = 100,
                              .max_work = 5e8,
                              .free_iterations = 50};
}

// A block column of J: rows x dofs, or the unit row of one degree of freedom.
typedef struct side {
    const double* jacobian; // NULL: the unit row
    int first, dofs;        // in the group
} side;

static int find_sides(const group* g, const iso_potential* k, side out[2]) {
    const iso_convex_problem* problem = g->problem;
    if (!k->jacobian_a) {
        int local = k->dof - problem->v_index[k->tree_a];
        out[0] = (side){NULL, g->first[k->tree_a] + local, 1};
        return 1;
    }
    out[0] = (side){k->jacobian_a, g->first[k->tree_a], iso_convex_tree_dofs(problem, k->tree_a)};
    if (k->tree_b < 0) {
        return 1;
    }
    out[1] = (side){k->jacobian_b, g->first[k->tree_b], iso_convex_tree_dofs(problem, k->tree_b)};
    return 2;
}

static void add_load(group* g, const side* s, const term* t) {
    double* load = g->load + s->first;
    for (int i = 0; i < t->potential->rows; ++i) {
        for (int d = 0; d < s->dofs; ++d) {
            load[d] += fabs(s->jacobian[i * s->dofs + d] * t->f[i]);
        }
    }
}

// Impulses, residual and its scaled norms at v, from the u of all terms.
static void evaluate(group* g) {
    const iso_convex_problem* problem = g->problem;
    for (int i = 0; i < g->dof_count; ++i) {
        g->impulse[i] = g->load[i] = 0.0;
    }
    for (int k = 0; k < g->term_count; ++k) {
        term* t = &g->terms[k];
        side sides[2];
        int side_count = find_sides(g, t->potential, sides);
        t->potential->ops->eval(t->potential->user, t->u, t->f, t->jacobian);
        for (int s = 0; s < side_count; ++s) {
            if (!sides[s].jacobian) {
                g->impulse[sides[s].first] -= t->f[0];
                g->load[sides[s].first] += fabs(t->f[0]);
                continue;
            }
            iso_dense_add_atx(g->impulse + sides[s].first, -1.0, sides[s].jacobian, sides[s].dofs,
                              t->f, t->potential->rows, sides[s].dofs);
            add_load(g, &sides[s], t);
        }
    }
    double residual2 = 0.0, momentum2 = 0.0, impulse2 = 0.0, load2 = 0.0, worst = -1.0;
    for (int i = 0; i < g->tree_count; ++i) {
        int tree = g->trees[i], from = problem->v_index[tree],
            dofs = iso_convex_tree_dofs(problem, tree);
        const double* a = problem->a + problem->a_index[tree];
        for (int d = 0; d < dofs; ++d) {
            int at = g->first[tree] + d;
            double momentum = iso_dense_dot(a + d * dofs, g->v + from, dofs);
            double free = iso_dense_dot(a + d * dofs, problem->v_star + from, dofs);
            double weight = 1.0 / a[d * (dofs + 1)];
            g->r[at] = momentum - free - g->impulse[at];
            double share = g->r[at] * g->r[at] * weight;
            residual2 += share;
            momentum2 += momentum * momentum * weight;
            impulse2 += g->impulse[at] * g->impulse[at] * weight;
            load2 += g->load[at] * g->load[at] * weight;
            if (!isnan(worst) && !(share <= worst)) {
                worst = share;
                g->worst_dof = from + d;
            }
        }
    }
    g->norm = sqrt(residual2);
    g->scale = sqrt(fmax(momentum2, impulse2));
    const iso_root_options* options = g->options;
    double relative = g->iterations == 0 ? options->start_tolerance : options->relative_tolerance;
    g->tolerance = relative * g->scale + options->rounding_tolerance * sqrt(load2);
}

static void add_coupling(group* g, const side* left, const side* right, const term* t) {
    int n = g->dof_count, rows = t->potential->rows;
    double* block = g->matrix + left->first * n + right->first;
    if (!left->jacobian) {
        block[0] += t->jacobian[0];
        return;
    }
    for (int i = 0; i < rows * right->dofs; ++i) {
        g->product[i] = 0.0;
    }
    iso_dense_add_ab(g->product, right->dofs, 1.0, t->jacobian, rows, right->jacobian, right->dofs,
                     rows, rows, right->dofs);
    iso_dense_add_atb(block, n, 1.0, left->jacobian, left->dofs, g->product, right->dofs,
                      left->dofs, rows, right->dofs);
}

// (1 + hold) A + sum J^T f' J
static void assemble(group* g) {
    const iso_convex_problem* problem = g->problem;
    int n = g->dof_count;
    for (int i = 0; i < n * n; ++i) {
        g->matrix[i] = 0.0;
    }
    for (int i = 0; i < g->tree_count; ++i) {
        int tree = g->trees[i], dofs = iso_convex_tree_dofs(problem, tree);
        const double* a = problem->a + problem->a_index[tree];
        for (int row = 0; row < dofs; ++row) {
            double* out = g->matrix + (g->first[tree] + row) * n + g->first[tree];
            iso_dense_add_scaled(out, a + row * dofs, 1.0 + g->hold, dofs);
        }
    }
    for (int k = 0; k < g->term_count; ++k) {
        side sides[2];
        int side_count = find_sides(g, g->terms[k].potential, sides);
        for (int i = 0; i < side_count; ++i) {
            for (int j = 0; j < side_count; ++j) {
                add_coupling(g, &sides[i], &sides[j], &g->terms[k]);
            }
        }
    }
}

// Columns that are eliminated together: the rest of the matrix is then read once for all of them.
enum { PANEL = 4 };

// M x = b while it is eliminated.
typedef struct elimination {
    double* m; // [n * n]
    double* b; // [n]
    int* ends; // [n] columns from there on are zero in a row
    int n;
    double work; // multiplications
} elimination;

static void swap_rows(elimination* e, int first, int i, int pivot) {
    int end = e->ends[i] > e->ends[pivot] ? e->ends[i] : e->ends[pivot];
    double *row = e->m + i * e->n, *other = e->m + pivot * e->n;
    for (int column = first; column < end; ++column) {
        double kept = row[column];
        row[column] = other[column];
        other[column] = kept;
    }
    double kept = e->b[i];
    e->b[i] = e->b[pivot];
    e->b[pivot] = kept;
    int kept_end = e->ends[i];
    e->ends[i] = e->ends[pivot];
    e->ends[pivot] = kept_end;
}

// Eliminate column i within its panel, columns first to end; factors stay where they made zeros.
static bool eliminate_column(elimination* e, int first, int end, int i) {
    int n = e->n, pivot = i;
    double *m = e->m, *b = e->b;
    for (int row = i + 1; row < n; ++row) {
        pivot = fabs(m[row * n + i]) > fabs(m[pivot * n + i]) ? row : pivot;
    }
    double largest = m[pivot * n + i];
    if (!(fabs(largest) > 0.0) || !isfinite(largest)) {
        return false;
    }
    if (pivot != i) {
        swap_rows(e, first, i, pivot);
    }
    for (int row = i + 1; row < n; ++row) {
        double* m_row = m + row * n;
        if (m_row[i] != 0.0) {
            double factor = m_row[i] = -m_row[i] / largest;
            for (int column = i + 1; column < end; ++column) {
                m_row[column] = fma(factor, m[i * n + column], m_row[column]);
            }
            b[row] += factor * b[i];
            e->ends[row] = e->ends[i] > e->ends[row] ? e->ends[i] : e->ends[row];
        }
    }
    return true;
}

// The rest of all rows, columns from end on, with the factors of a panel.
static void eliminate_panel(elimination* e, int first, int end) {
    int n = e->n, last = end;
    for (int i = first; i < end; ++i) {
        last = e->ends[i] > last ? e->ends[i] : last;
    }
    for (int row = first + 1; row < n; ++row) {
        const double* factors = e->m + row * n + first;
        int count = row < end ? row - first : end - first;
        bool is_zero = true;
        for (int k = 0; k < count; ++k) {
            is_zero = is_zero && factors[k] == 0.0;
        }
        if (!is_zero) {
            iso_dense_add_atx(e->m + row * n + end, 1.0, e->m + first * n + end, n, factors, count,
                              last - end);
            e->work += count * (last - end);
        }
    }
}

// Solve M x = b in place by elimination with partial pivoting. Every entry loses its terms in the
// order of columns, whatever the panel. Returns false when singular.
static bool eliminate(elimination* e) {
    int n = e->n;
    for (int first = 0; first < n; first += PANEL) {
        int end = first + PANEL < n ? first + PANEL : n;
        for (int i = first; i < end; ++i) {
            if (!eliminate_column(e, first, end, i)) {
                return false;
            }
        }
        eliminate_panel(e, first, end);
    }
    for (int i = n - 1; i >= 0; --i) {
        e->b[i] -= iso_dense_dot(e->m + i * n + i + 1, e->b + i + 1, e->ends[i] - i - 1);
        e->b[i] /= e->m[i * n + i];
    }
    return true;
}

// Where the rows of the matrix end, and how its equations are eliminated.
static elimination start_elimination(group* g) {
    int n = g->dof_count;
    for (int row = 0; row < n; ++row) {
        int end = n;
        while (n >= LEAST_ORDERED_DOFS && end > row + 1 && g->matrix[row * n + end - 1] == 0.0) {
            --end;
        }
        g->ends[row] = end;
        g->step[row] = -g->r[row];
    }
    return (elimination){g->matrix, g->step, g->ends, n, 0.0};
}

// Newton's step, what it does to every u, and how much of it may be taken.
static iso_status find_step(group* g, iso_context* ctx, double* out_share) {
    assemble(g);
    elimination e = start_elimination(g);
    bool is_regular = eliminate(&e);
    g->work += e.work;
    ISO_REQUIRE(ctx, is_regular, ISO_ERR_NUMERIC,
                "matrix of %d trees is singular (degree of freedom %d)", g->tree_count,
                g->worst_dof);
    double share = 1.0;
    for (int k = 0; k < g->term_count; ++k) {
        term* t = &g->terms[k];
        side sides[2];
        int side_count = find_sides(g, t->potential, sides);
        for (int i = 0; i < t->potential->rows; ++i) {
            t->du[i] = 0.0;
        }
        for (int s = 0; s < side_count; ++s) {
            if (sides[s].jacobian) {
                iso_dense_add_ax(t->du, 1.0, sides[s].jacobian, sides[s].dofs,
                                 g->step + sides[s].first, t->potential->rows, sides[s].dofs);
            } else {
                t->du[0] = g->step[sides[s].first];
            }
        }
        bool is_limited = t->limit && g->hold == 0.0;
        double limit = is_limited ? t->limit(t->potential->user, t->u, t->du) : 1.0;
        share = limit < share ? limit : share;
    }
    *out_share = share;
    return ISO_OK;
}

static void move(group* g, double share) {
    const iso_convex_problem* problem = g->problem;
    for (int i = 0; i < g->tree_count; ++i) {
        int tree = g->trees[i];
        iso_dense_add_scaled(g->v + problem->v_index[tree], g->step + g->first[tree], share,
                             iso_convex_tree_dofs(problem, tree));
    }
    for (int k = 0; k < g->term_count; ++k) {
        term* t = &g->terms[k];
        for (int i = 0; i < t->potential->rows; ++i) {
            t->u[i] += share * t->du[i];
        }
    }
}

static iso_status iterate(group* g, iso_context* ctx) {
    const iso_root_options* options = g->options;
    for (int k = 0; k < g->term_count; ++k) {
        iso_potential_velocity(g->problem, g->terms[k].potential, g->v, g->terms[k].u);
    }
    evaluate(g);
    for (;;) {
        ISO_REQUIRE(ctx, isfinite(g->norm), ISO_ERR_NUMERIC,
                    "scaled residual is %g after %d iterations (degree of freedom %d), expected "
                    "finite",
                    g->norm, g->iterations, g->worst_dof);
        if (g->norm <= g->tolerance) {
            return ISO_OK;
        }
        bool is_free = g->iterations < options->free_iterations;
        bool is_spent = g->work > (is_free ? 5.0 : 1.0) * options->max_work;
        ISO_REQUIRE(ctx, g->iterations < options->max_iterations && !is_spent,
                    ISO_ERR_NO_CONVERGENCE,
                    "residual is %g after %d Newton iterations, expected at most %g; largest at "
                    "degree of freedom %d",
                    g->norm / g->scale, g->iterations, options->relative_tolerance, g->worst_dof);
        double share = 1.0, before = g->norm;
        iso_status status = find_step(g, ctx, &share);
        if (status != ISO_OK) {
            return status;
        }
        move(g, share);
        ++g->iterations;
        evaluate(g);
        if (g->hold > 0.0 && !(g->norm < before)) {
            move(g, -share);
            evaluate(g);
            g->hold *= HOLD_GROWS;
        } else {
            g->hold *= HOLD_FALLS;
        }
        if (g->iterations == options->free_iterations) {
            g->hold = FIRST_HOLD;
        }
    }
}

static iso_status push_group(group* g, int root, const int* group_of, const iso_root_limit* limits,
                             iso_arena* work) {
    const iso_convex_problem* problem = g->problem;
    int* trees = iso_arena_push_array(work, problem->tree_count, sizeof *trees);
    g->terms = iso_arena_push_array(work, problem->potential_count, sizeof *g->terms);
    ISO_REQUIRE(work->ctx, trees && g->terms, ISO_ERR_MEMORY, "a group of trees");
    for (int t = root; t < problem->tree_count; ++t) {
        if (group_of[t] == root) {
            g->dof_count += iso_convex_tree_dofs(problem, t);
            trees[g->tree_count++] = t;
        }
    }
    if (g->dof_count >= LEAST_ORDERED_DOFS) {
        iso_status status = iso_root_order(problem, group_of, work, trees, g->tree_count);
        if (status != ISO_OK) {
            return status;
        }
    }
    for (int i = 0, first = 0; i < g->tree_count; ++i) {
        g->first[trees[i]] = first;
        first += iso_convex_tree_dofs(problem, trees[i]);
    }
    g->trees = trees;
    for (int k = 0; k < problem->potential_count; ++k) {
        if (group_of[problem->potentials[k].tree_a] == root) {
            term* t = &g->terms[g->term_count++];
            t->potential = &problem->potentials[k];
            t->limit = limits ? limits[k] : NULL;
        }
    }
    int n = g->dof_count;
    ISO_REQUIRE(work->ctx, n <= 20000, ISO_ERR_UNSUPPORTED,
                "%d coupled degrees of freedom, expected at most 20000", n);
    double* numbers = iso_arena_push_array(work, n * (n + 4 + ROWS), sizeof *numbers);
    g->ends = iso_arena_push_array(work, n, sizeof *g->ends);
    ISO_REQUIRE(work->ctx, numbers && g->ends, ISO_ERR_MEMORY, "matrix of %d degrees of freedom",
                n);
    g->r = numbers;
    g->impulse = numbers + n;
    g->step = numbers + 2 * n;
    g->load = numbers + 3 * n;
    g->product = numbers + 4 * n;
    g->matrix = numbers + (4 + ROWS) * n;
    return ISO_OK;
}

static void add_to_report(const group* g, iso_convex_report* report) {
    double residual = g->scale > 0.0 ? g->norm / g->scale : 0.0;
    report->work += g->work;
    if (g->iterations > report->iterations) {
        report->iterations = g->iterations;
        report->slowest_dof = g->worst_dof;
    }
    if (!(residual <= report->residual)) {
        report->residual = residual;
        report->worst_dof = g->worst_dof;
    }
}

iso_status iso_root_solve(const iso_convex_problem* problem, const iso_root_limit* limits,
                          const iso_root_options* options, iso_arena* work, double* v,
                          iso_convex_report* out_report) {
    *out_report = (iso_convex_report){.worst_dof = -1, .slowest_dof = -1};
    iso_arena_mark mark = iso_arena_get_mark(work);
    iso_status status = ISO_OK;
    int* group_of = iso_arena_push_array(work, problem->tree_count, sizeof *group_of);
    int* first = iso_arena_push_array(work, problem->tree_count, sizeof *first);
    ISO_CHECK(work->ctx, group_of && first, ISO_ERR_MEMORY, "%d trees", problem->tree_count);
    iso_root_find_groups(problem, group_of);
    for (int t = 0; t < problem->tree_count; ++t) {
        for (int d = problem->v_index[t]; group_of[t] < 0 && d < problem->v_index[t + 1]; ++d) {
            v[d] = problem->v_star[d];
        }
        if (group_of[t] != t) {
            continue;
        }
        iso_arena_mark before = iso_arena_get_mark(work);
        group g = {.problem = problem,
                   .options = options,
                   .first = first,
                   .v = v,
                   .worst_dof = problem->v_index[t]};
        ISO_TRY(push_group(&g, t, group_of, limits, work));
        status = iterate(&g, work->ctx);
        add_to_report(&g, out_report);
        if (status != ISO_OK) {
            out_report->worst_dof = g.worst_dof;
            goto done;
        }
        iso_arena_release(work, before);
    }
done:
    iso_arena_release(work, mark);
    return status;
}
