// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// All rows of constraints and couplers at once, and closing loops at the start.
// docs/theory/multibody.md.

#include "stepper/constraints/constraint.h"

#include "base/core/fail.h"
#include "math/dense.h"

#include <string.h>

// Closing loops: the most that a last step is to close, the largest turn or move of one step, and
// how many steps.
#define CLOSED 1e-12
#define LONGEST_MOVE 0.3
#define MAX_STEPS 200

// Loops whose steps keep closing more than this have not converged.
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

// The rows of one constraint that joints can move. scratch, block: [6 * v_count]
static void add_constraint(iso_closure_rows* rows, const iso_constraint* constraint, int owner,
                           const iso_gap* gap, const iso_multibody* multibody,
                           const iso_kinematics* kinematics, double* scratch, double* block) {
    int n = multibody->v_count;
    iso_closure_block* out = &rows->blocks[rows->block_count++];
    memset(block, 0, (size_t)gap->rows * (size_t)n * sizeof *block);
    add_side(multibody, kinematics, gap, constraint->body_a, -1.0, scratch, block);
    add_side(multibody, kinematics, gap, constraint->body_b, 1.0, scratch, block);
    out->owner = owner;
    out->first = rows->count;
    out->gap_rows = gap->rows;
    out->reach = iso_gap_find_reach(gap, constraint, multibody, kinematics);
    out->count = out->reach.count;
    iso_gap_reach_apply(&out->reach, gap->rows, block, n,
                        rows->jacobian + (size_t)rows->count * (size_t)n);
    iso_gap_reach_apply(&out->reach, gap->rows, gap->size, 1, rows->sizes + rows->count);
    rows->count += out->count;
}

static void note_error(iso_closure_rows* rows, int owner, const double* sizes, int count) {
    for (int i = 0; i < count; ++i) {
        if (!(fabs(sizes[i]) <= rows->error) || rows->worst < 0) {
            rows->error = fabs(sizes[i]);
            rows->worst = owner;
        }
    }
}

static void add_coupler(iso_closure_rows* rows, const iso_coupler* coupler, int owner,
                        const iso_multibody* multibody, const double* q) {
    double* row = rows->jacobian + (size_t)rows->count * (size_t)multibody->v_count;
    row[multibody->bodies[coupler->body_a].v_index] = -iso_coupler_slope(coupler, multibody, q);
    row[multibody->bodies[coupler->body_b].v_index] = 1.0;
    rows->sizes[rows->count] = iso_coupler_gap(coupler, multibody, q);
    note_error(rows, owner, &rows->sizes[rows->count], 1);
    rows->blocks[rows->block_count++] = (iso_closure_block){
        .owner = owner,
        .first = rows->count++,
        .count = 1,
        .gap_rows = 1,
        .reach = {.count = 1, .is_whole = true},
    };
}

iso_status iso_closure_rows_push(const iso_closure* closure, const iso_multibody* multibody,
                                 const iso_kinematics* kinematics, const double* q,
                                 bool has_tendons, iso_arena* arena, iso_closure_rows* out_rows) {
    int most = iso_closure_max_rows(closure);
    int n = multibody->v_count;
    iso_closure_rows rows = {.worst = -1};
    rows.sizes = iso_arena_push_array(arena, most, sizeof *rows.sizes);
    rows.blocks = iso_arena_push_array(arena, closure->constraint_count + closure->coupler_count,
                                       sizeof *rows.blocks);
    rows.jacobian = iso_arena_push_array(arena, most, (size_t)n * sizeof *rows.jacobian);
    double* scratch = iso_arena_push_array(arena, 12 * n, sizeof *scratch);
    ISO_REQUIRE(arena->ctx, rows.sizes && rows.blocks && rows.jacobian && scratch, ISO_ERR_MEMORY,
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
        note_error(&rows, i, gap.size, gap.rows);
        add_constraint(&rows, constraint, i, &gap, multibody, kinematics, scratch, scratch + 6 * n);
    }
    for (int i = 0; i < closure->coupler_count; ++i) {
        if (!closure->couplers[i].is_off) {
            add_coupler(&rows, &closure->couplers[i], closure->constraint_count + i, multibody, q);
        }
    }
    *out_rows = rows;
    return ISO_OK;
}

static double largest(const double* x, int n) {
    double most = 0.0;
    for (int i = 0; i < n; ++i) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

// Rows with more entries than these, of 1 GiB, are not closed.
#define MOST_ENTRIES (1 << 27)

// What rounding of coordinates leaves of a gap, over their size.
#define ROUNDING 4e-15

// The largest gap, found without any Jacobian, and whether all are closed but for rounding.
static bool is_closed(const iso_closure* closure, const iso_multibody* multibody,
                      const iso_kinematics* kinematics, const double* q, iso_closure_rows* out) {
    bool is_all = true;
    *out = (iso_closure_rows){.worst = -1};
    for (int i = 0; i < closure->constraint_count; ++i) {
        const iso_constraint* constraint = &closure->constraints[i];
        iso_gap gap = iso_constraint_gap(constraint, kinematics->x_wb);
        double far = CLOSED + ROUNDING * iso_vec3_norm(gap.p_w);
        if (!iso_constraint_is_rigid(constraint) ||
            (constraint->kind == ISO_CONSTRAINT_TENDON && !(gap.size[0] > 0.0))) {
            continue;
        }
        note_error(out, i, gap.size, gap.rows);
        for (int k = 0; k < gap.rows; ++k) {
            is_all = is_all && fabs(gap.size[k]) <= far;
        }
    }
    for (int i = 0; i < closure->coupler_count; ++i) {
        if (!closure->couplers[i].is_off) {
            double size = iso_coupler_gap(&closure->couplers[i], multibody, q);
            note_error(out, closure->constraint_count + i, &size, 1);
            is_all = is_all && fabs(size) <= CLOSED;
        }
    }
    return is_all;
}

// Where one Gauss-Newton step starts.
typedef struct opening {
    double error;   // largest size
    double closing; // the most that the step is to take off a size
    int owner;      // of the error
} opening;

// One Gauss-Newton step from q to next_q.
static iso_status close_step(const iso_closure* closure, const iso_multibody* multibody,
                             iso_arena* work, const double* q, double* next_q, opening* out) {
    int n = multibody->v_count, entries = multibody->tree_m_index[multibody->tree_count];
    iso_status status = ISO_OK;
    iso_kinematics kinematics;
    iso_closure_rows rows;
    double* move = iso_arena_push_array(work, n, sizeof *move);
    ISO_CHECK(work->ctx, move, ISO_ERR_MEMORY, "closing loops of %d coordinates", n);
    memset(move, 0, (size_t)n * sizeof *move);
    ISO_TRY(iso_kinematics_push(multibody, work, &kinematics));
    iso_multibody_kinematics(multibody, q, move, &kinematics);
    bool is_done = is_closed(closure, multibody, &kinematics, q, &rows);
    *out = (opening){.error = rows.error, .owner = rows.worst};
    ISO_CHECK(work->ctx, isfinite(rows.error), ISO_ERR_NUMERIC, "an error of a loop is %g",
              rows.error);
    memcpy(next_q, q, (size_t)multibody->q_count * sizeof *q);
    if (is_done) {
        goto done;
    }
    int most = iso_closure_max_rows(closure);
    ISO_CHECK(work->ctx, most <= MOST_ENTRIES / n, ISO_ERR_RANGE,
              "loops and couplers of %d rows over %d degrees of freedom are open by %g (rad or m) "
              "at the start, expected at most %d rows to close: give positions that close them",
              most, n, rows.error, MOST_ENTRIES / n);
    double* factor = iso_arena_push_array(work, entries, sizeof *factor);
    ISO_CHECK(work->ctx, factor, ISO_ERR_MEMORY, "closing loops of %d coordinates", n);
    ISO_TRY(iso_closure_rows_push(closure, multibody, &kinematics, q, true, work, &rows));
    ISO_TRY(iso_multibody_mass_matrix(multibody, &kinematics, work, factor));
    for (int t = 0; t < multibody->tree_count; ++t) {
        int dofs = multibody->tree_v_index[t + 1] - multibody->tree_v_index[t];
        ISO_CHECK(work->ctx, iso_cholesky_factor(factor + multibody->tree_m_index[t], dofs, dofs),
                  ISO_ERR_NUMERIC, "a mass matrix is not positive definite at the start");
    }
    int block;
    ISO_TRY(iso_closure_solve(&rows, multibody, factor, work, rows.sizes, move, &block));
    for (int i = 0; i < rows.count; ++i) {
        const double* row = rows.jacobian + (size_t)i * (size_t)n;
        out->closing = fmax(out->closing, fabs(iso_dense_dot(row, move, n)));
    }
    double length = largest(move, n);
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
    opening at = {.closing = INFINITY};
    for (int step = 0; step <= MAX_STEPS; ++step) {
        iso_arena_mark inner = iso_arena_get_mark(work);
        status = close_step(closure, multibody, work, q, next_q, &at);
        iso_arena_release(work, inner);
        if (status != ISO_OK) {
            goto done;
        }
        out_report->first_error = step == 0 ? at.error : out_report->first_error;
        out_report->last_error = at.error;
        out_report->worst = at.owner;
        if (at.closing <= CLOSED || (at.closing <= OPEN && at.closing >= 0.5 * before)) {
            break;
        }
        before = at.closing;
        memcpy(q, next_q, (size_t)count * sizeof *q);
    }
    for (int i = 0; i < count; ++i) {
        out_report->moved = fmax(out_report->moved, fabs(q[i] - first_q[i]));
    }
    bool is_closed = at.closing <= OPEN && at.error <= ISO_CLOSURE_TOLERATED;
    status = is_closed ? ISO_OK : ISO_ERR_NO_CONVERGENCE;
done:
    iso_arena_release(work, mark);
    return status;
}
