// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// All rows of constraints and couplers at once: for the continuous methods and for closing loops at
// the start. docs/theory/multibody.md.

#include "stepper/constraint.h"

#include "base/fail.h"
#include "math/dense.h"

#include <string.h>

// Part of the diagonal of J M^-1 J^T that is added to it: rows that repeat each other share their
// force, and what they disagree on by rounding stays finite.
#define REDUNDANCY 1e-11

// Closing loops: the largest error left, the largest turn or move of one step, and how many steps.
#define CLOSED 1e-12
#define LONGEST_MOVE 0.3
#define MAX_STEPS 200

// Loops that close no better than this are open.
#define OPEN 1e-8

int iso_closure_max_rows(const iso_closure* closure) {
    return 6 * closure->constraint_count + closure->coupler_count;
}

// Row of a Jacobian over all degrees of freedom += those of one tree.
static void scatter(const iso_multibody* multibody, int tree, const double* rows, int row_count,
                    double sign, double* out) {
    int first = multibody->tree_v_index[tree];
    int dofs = multibody->tree_v_index[tree + 1] - first;
    for (int i = 0; i < row_count; ++i) {
        for (int d = 0; d < dofs; ++d) {
            out[i * multibody->v_count + first + d] += sign * rows[i * dofs + d];
        }
    }
}

static void add_side(const iso_multibody* multibody, const iso_kinematics* kinematics,
                     const iso_gap* gap, int body, double sign, double* scratch, double* out) {
    int tree = multibody->bodies[body].tree;
    if (tree < 0) {
        return;
    }
    int dofs = multibody->tree_v_index[tree + 1] - multibody->tree_v_index[tree];
    iso_multibody_jacobian(multibody, kinematics, body, gap->p_w, scratch);
    const double* rows = iso_gap_jacobian(gap, scratch, dofs);
    scatter(multibody, tree, rows, gap->rows, sign, out);
}

iso_status iso_closure_rows_push(const iso_closure* closure, const iso_multibody* multibody,
                                 const iso_kinematics* kinematics, const double* q,
                                 bool has_tendons, iso_arena* arena, iso_closure_rows* out_rows) {
    int most = iso_closure_max_rows(closure);
    int n = multibody->v_count;
    iso_closure_rows rows = {0};
    rows.sizes = iso_arena_push_array(arena, most, sizeof *rows.sizes);
    rows.owners = iso_arena_push_array(arena, most, sizeof *rows.owners);
    rows.jacobian = iso_arena_push_array(arena, most, (size_t)n * sizeof *rows.jacobian);
    double* scratch = iso_arena_push_array(arena, 6 * n, sizeof *scratch);
    ISO_REQUIRE(arena->ctx, rows.sizes && rows.owners && rows.jacobian && scratch, ISO_ERR_MEMORY,
                "%d rows of constraints", most);
    memset(rows.jacobian, 0, (size_t)most * (size_t)n * sizeof *rows.jacobian);
    for (int i = 0; i < closure->constraint_count; ++i) {
        const iso_constraint* constraint = &closure->constraints[i];
        iso_gap gap = iso_constraint_gap(constraint, kinematics->x_wb);
        bool is_tendon = constraint->kind == ISO_CONSTRAINT_TENDON;
        if (!iso_constraint_is_rigid(constraint) ||
            (is_tendon && !(has_tendons && gap.size[0] > 0.0))) {
            continue;
        }
        double* block = rows.jacobian + (size_t)rows.count * (size_t)n;
        add_side(multibody, kinematics, &gap, constraint->body_a, -1.0, scratch, block);
        add_side(multibody, kinematics, &gap, constraint->body_b, 1.0, scratch, block);
        for (int r = 0; r < gap.rows; ++r) {
            rows.sizes[rows.count] = gap.size[r];
            rows.owners[rows.count++] = i;
        }
    }
    for (int i = 0; i < closure->coupler_count; ++i) {
        const iso_coupler* coupler = &closure->couplers[i];
        double* row = rows.jacobian + (size_t)rows.count * (size_t)n;
        row[multibody->bodies[coupler->body_a].v_index] = -coupler->ratio;
        row[multibody->bodies[coupler->body_b].v_index] = 1.0;
        rows.sizes[rows.count] = iso_coupler_gap(coupler, multibody, q);
        rows.owners[rows.count++] = closure->constraint_count + i;
    }
    *out_rows = rows;
    return ISO_OK;
}

// y = L^-1 of every column of J^T, kept row by row: row i of y belongs to row i of J.
static void forward_rows(const iso_closure_rows* rows, const iso_multibody* multibody,
                         const double* factor, double* y) {
    int n = multibody->v_count;
    memcpy(y, rows->jacobian, (size_t)rows->count * (size_t)n * sizeof *y);
    for (int i = 0; i < rows->count; ++i) {
        for (int t = 0; t < multibody->tree_count; ++t) {
            int first = multibody->tree_v_index[t];
            int dofs = multibody->tree_v_index[t + 1] - first;
            iso_cholesky_forward(factor + multibody->tree_m_index[t], dofs, dofs,
                                 y + (size_t)i * (size_t)n + first);
        }
    }
}

iso_status iso_closure_solve(const iso_closure_rows* rows, const iso_multibody* multibody,
                             const double* factor, iso_arena* work, double* rhs, double* x) {
    int m = rows->count, n = multibody->v_count;
    iso_status status = ISO_OK;
    iso_arena_mark mark = iso_arena_get_mark(work);
    double* y = iso_arena_push_array(work, m, (size_t)n * sizeof *y);
    double* w = iso_arena_push_array(work, m, (size_t)m * sizeof *w);
    double* sum = iso_arena_push_array(work, n, sizeof *sum);
    ISO_CHECK(work->ctx, y && w && sum, ISO_ERR_MEMORY, "%d rows of constraints", m);
    forward_rows(rows, multibody, factor, y);
    memset(w, 0, (size_t)m * (size_t)m * sizeof *w);
    iso_dense_add_abt(w, m, 1.0, y, n, y, n, m, n, m);
    for (int i = 0; i < m; ++i) {
        double diagonal = w[i * (m + 1)];
        w[i * (m + 1)] = diagonal > 0.0 ? diagonal * (1.0 + REDUNDANCY) : 1.0;
        rhs[i] = -rhs[i];
    }
    ISO_CHECK(work->ctx, iso_cholesky_factor(w, m, m), ISO_ERR_NUMERIC,
              "forces of %d rows of constraints overflow in this state", m);
    iso_cholesky_solve(w, m, m, rhs);
    memset(sum, 0, (size_t)n * sizeof *sum);
    iso_dense_add_atx(sum, 1.0, rows->jacobian, n, rhs, m, n);
    for (int t = 0; t < multibody->tree_count; ++t) {
        int first = multibody->tree_v_index[t];
        int dofs = multibody->tree_v_index[t + 1] - first;
        iso_cholesky_solve(factor + multibody->tree_m_index[t], dofs, dofs, sum + first);
    }
    iso_dense_add_scaled(x, sum, 1.0, n);
done:
    iso_arena_release(work, mark);
    return status;
}

static double largest(const double* x, int n, int* out_index) {
    double most = 0.0;
    *out_index = -1;
    for (int i = 0; i < n; ++i) {
        if (fabs(x[i]) > most || *out_index < 0) {
            most = fabs(x[i]);
            *out_index = i;
        }
    }
    return most;
}

// One Gauss-Newton step from q to next_q. out_error: largest size at q.
static iso_status close_step(const iso_closure* closure, const iso_multibody* multibody,
                             iso_arena* work, const double* q, double* next_q, double* out_error,
                             int* out_owner) {
    int n = multibody->v_count, entries = multibody->tree_m_index[multibody->tree_count];
    iso_status status = ISO_OK;
    iso_kinematics kinematics;
    iso_closure_rows rows;
    double* move = iso_arena_push_array(work, n, sizeof *move);
    double* factor = iso_arena_push_array(work, entries, sizeof *factor);
    ISO_CHECK(work->ctx, move && factor, ISO_ERR_MEMORY, "closing loops of %d coordinates", n);
    memset(move, 0, (size_t)n * sizeof *move);
    ISO_TRY(iso_kinematics_push(multibody, work, &kinematics));
    iso_multibody_kinematics(multibody, q, move, &kinematics);
    ISO_TRY(iso_closure_rows_push(closure, multibody, &kinematics, q, true, work, &rows));
    int worst;
    *out_error = largest(rows.sizes, rows.count, &worst);
    *out_owner = worst < 0 ? -1 : rows.owners[worst];
    ISO_CHECK(work->ctx, isfinite(*out_error), ISO_ERR_NUMERIC, "an error of a loop is %g",
              *out_error);
    if (*out_error <= CLOSED) {
        memcpy(next_q, q, (size_t)multibody->q_count * sizeof *q);
        goto done;
    }
    ISO_TRY(iso_multibody_mass_matrix(multibody, &kinematics, work, factor));
    for (int t = 0; t < multibody->tree_count; ++t) {
        int dofs = multibody->tree_v_index[t + 1] - multibody->tree_v_index[t];
        ISO_CHECK(work->ctx, iso_cholesky_factor(factor + multibody->tree_m_index[t], dofs, dofs),
                  ISO_ERR_NUMERIC, "a mass matrix is not positive definite at the start");
    }
    ISO_TRY(iso_closure_solve(&rows, multibody, factor, work, rows.sizes, move));
    double length = largest(move, n, &worst);
    iso_multibody_integrate(multibody, q, move, length > LONGEST_MOVE ? LONGEST_MOVE / length : 1.0,
                            next_q);
done:
    return status;
}

iso_status iso_closure_project(const iso_closure* closure, const iso_multibody* multibody,
                               iso_arena* work, double* q, iso_closure_report* out_report) {
    *out_report = (iso_closure_report){.worst = -1};
    if (iso_closure_max_rows(closure) == 0 || multibody->v_count == 0) {
        return ISO_OK;
    }
    int count = multibody->q_count;
    iso_status status = ISO_OK;
    iso_arena_mark mark = iso_arena_get_mark(work);
    double* first_q = iso_arena_push_array(work, count, sizeof *first_q);
    double* next_q = iso_arena_push_array(work, count, sizeof *next_q);
    ISO_CHECK(work->ctx, first_q && next_q, ISO_ERR_MEMORY, "positions of %d coordinates", count);
    memcpy(first_q, q, (size_t)count * sizeof *q);
    double before = INFINITY;
    for (int step = 0; step <= MAX_STEPS; ++step) {
        iso_arena_mark inner = iso_arena_get_mark(work);
        double error = 0.0;
        status = close_step(closure, multibody, work, q, next_q, &error, &out_report->worst);
        iso_arena_release(work, inner);
        if (status != ISO_OK) {
            goto done;
        }
        out_report->first_error = step == 0 ? error : out_report->first_error;
        out_report->last_error = error;
        if (error <= CLOSED || (error <= OPEN && error >= 0.5 * before)) {
            break;
        }
        before = error;
        memcpy(q, next_q, (size_t)count * sizeof *q);
    }
    for (int i = 0; i < count; ++i) {
        out_report->moved = fmax(out_report->moved, fabs(q[i] - first_q[i]));
    }
    status = out_report->last_error <= OPEN ? ISO_OK : ISO_ERR_NO_CONVERGENCE;
done:
    iso_arena_release(work, mark);
    return status;
}
