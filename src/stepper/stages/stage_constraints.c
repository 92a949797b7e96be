// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Stage 4 for loop constraints, couplers and dry friction in joints: near-rigid potentials that
// close their errors within the step. docs/theory/multibody.md.

#include "stepper/stages/stages.h"

int iso_stages_constraint_capacity(const iso_stepper* stepper) {
    return stepper->closure.constraint_count + stepper->closure.coupler_count +
           stepper->friction_count;
}

static iso_status push_arrays(iso_stages* s) {
    iso_arena* arena = &s->stepper->arena;
    const iso_closure* closure = &s->stepper->closure;
    int ties = closure->constraint_count + closure->coupler_count;
    s->ties = iso_arena_push_array(arena, ties, sizeof *s->ties);
    s->gaps = iso_arena_push_array(arena, closure->constraint_count, sizeof *s->gaps);
    s->tie_potential = iso_arena_push_array(arena, ties, sizeof *s->tie_potential);
    s->frictions = iso_arena_push_array(arena, s->stepper->friction_count, sizeof *s->frictions);
    ISO_REQUIRE(arena->ctx, s->ties && s->gaps && s->tie_potential && s->frictions, ISO_ERR_MEMORY,
                "%d constraints and couplers", ties);
    return ISO_OK;
}

static iso_status add_tie(iso_stages* s, int index, int rows, const iso_pair_jacobians* pair,
                          const double* sizes, const iso_constraint* constraint,
                          const iso_gap_reach* reach) {
    double delassus[ISO_POTENTIAL_MAX_ROWS * ISO_POTENTIAL_MAX_ROWS] = {0.0};
    double dt = iso_stages_dt(s, pair->tree_a);
    iso_status status = iso_stages_add_delassus(s, pair->tree_a, pair->jacobian_a, rows, delassus);
    if (status == ISO_OK && pair->tree_b >= 0) {
        status = iso_stages_add_delassus(s, pair->tree_b, pair->jacobian_b, rows, delassus);
    }
    if (status != ISO_OK) {
        return status;
    }
    bool is_one_sided = constraint && constraint->kind == ISO_CONSTRAINT_TENDON;
    bool is_rigid = !constraint || iso_constraint_is_rigid(constraint);
    s->ties[index] =
        is_rigid ? iso_tie_make(rows, sizes, is_one_sided, delassus, reach, dt, s->input->recovery)
                 : iso_tie_make_spring(sizes[0], constraint->stiffness, constraint->damping,
                                       is_one_sided, delassus[0], dt);
    s->tie_potential[index] = s->potential_count;
    s->potentials[s->potential_count++] =
        (iso_potential){&iso_tie_ops,     &s->ties[index],  rows, pair->tree_a, pair->tree_b,
                        pair->jacobian_a, pair->jacobian_b, 0};
    return ISO_OK;
}

// The rows' velocities are those of what moves freely: the target takes the rest, the velocity of
// fixed bodies that a caller moves.
static void follow_fixed(const iso_stages* s, int index) {
    const iso_constraint* c = &s->stepper->closure.constraints[index];
    const iso_gap* gap = &s->gaps[index];
    double rates[ISO_POTENTIAL_MAX_ROWS];
    iso_gap_rates(gap,
                  iso_stages_add_fixed_twist(s, c->body_a, c->body_b, gap->p_w, iso_spatial_zero()),
                  rates);
    for (int r = 0; r < gap->rows; ++r) {
        s->ties[index].target[r] -= rates[r];
    }
}

static iso_status add_constraint(iso_stages* s, int index) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    const iso_constraint* constraint = &s->stepper->closure.constraints[index];
    iso_gap* gap = &s->gaps[index];
    iso_pair_jacobians pair;
    const iso_kinematics* kinematics =
        iso_stages_pair_kinematics(s, constraint->body_a, constraint->body_b);
    *gap = iso_constraint_gap(constraint, kinematics->x_wb);
    iso_status status =
        iso_stages_pair_jacobians(s, constraint->body_a, constraint->body_b, gap->p_w, &pair);
    if (status != ISO_OK) {
        return status;
    }
    int dofs_a = multibody->tree_v_index[pair.tree_a + 1] - multibody->tree_v_index[pair.tree_a];
    pair.jacobian_a = (double*)(uintptr_t)iso_gap_jacobian(gap, pair.jacobian_a, dofs_a);
    if (pair.tree_b >= 0) {
        int dofs_b =
            multibody->tree_v_index[pair.tree_b + 1] - multibody->tree_v_index[pair.tree_b];
        pair.jacobian_b = (double*)(uintptr_t)iso_gap_jacobian(gap, pair.jacobian_b, dofs_b);
    }
    iso_gap_reach reach = iso_gap_find_reach(gap, constraint, multibody, kinematics);
    iso_gap start = iso_constraint_gap(constraint, iso_stages_start_poses(s));
    status = add_tie(s, index, gap->rows, &pair, start.size, constraint, &reach);
    if (status == ISO_OK) {
        follow_fixed(s, index);
    }
    return status;
}

double* iso_stages_push_row(const iso_stages* s, int tree) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    int dofs = multibody->tree_v_index[tree + 1] - multibody->tree_v_index[tree];
    double* row = iso_arena_push_array(&s->stepper->arena, dofs, sizeof *row);
    for (int d = 0; row && d < dofs; ++d) {
        row[d] = 0.0;
    }
    return row;
}

static iso_status add_coupler(iso_stages* s, int index) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    const iso_coupler* coupler = &s->stepper->closure.couplers[index];
    const iso_mb_body* a = &multibody->bodies[coupler->body_a];
    const iso_mb_body* b = &multibody->bodies[coupler->body_b];
    bool is_one_tree = a->tree == b->tree;
    double* j_a = iso_stages_push_row(s, a->tree);
    double* j_b = is_one_tree ? j_a : iso_stages_push_row(s, b->tree);
    ISO_REQUIRE(s->stepper->ctx, j_a && j_b, ISO_ERR_MEMORY, "rows of a coupler");
    j_a[a->v_index - multibody->tree_v_index[a->tree]] =
        -iso_coupler_slope(coupler, multibody, s->input->q);
    j_b[b->v_index - multibody->tree_v_index[b->tree]] = 1.0;
    iso_pair_jacobians pair = {a->tree, is_one_tree ? -1 : b->tree, j_a, is_one_tree ? NULL : j_b};
    double size = iso_coupler_gap(coupler, multibody, s->input->q);
    iso_gap_reach reach = {.count = 1, .is_whole = true};
    return add_tie(s, s->stepper->closure.constraint_count + index, 1, &pair, &size, NULL, &reach);
}

static void add_friction(iso_stages* s, int index) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    int dof = s->stepper->friction_dofs[index];
    const iso_mb_body* body = &multibody->bodies[multibody->dof_body[dof]];
    int first = multibody->tree_v_index[body->tree];
    int dofs = multibody->tree_v_index[body->tree + 1] - first;
    double a_ii = s->a[multibody->tree_m_index[body->tree] + (dof - first) * (dofs + 1)];
    s->frictions[index] =
        iso_joint_friction_make(dof, body->friction, 1.0 / a_ii, iso_stages_dt(s, body->tree));
    if (s->limits_of) {
        s->limits_of[s->potential_count] = iso_joint_friction_share;
    }
    s->potentials[s->potential_count++] = (iso_potential){
        &iso_joint_friction_ops, &s->frictions[index], 1, body->tree, -1, NULL, NULL, dof};
}

iso_status iso_stage_constraints(iso_stages* s) {
    const iso_stepper* stepper = s->stepper;
    iso_status status = ISO_OK;
    ISO_TRY(push_arrays(s));
    for (int i = 0; i < stepper->closure.constraint_count; ++i) {
        ISO_TRY(add_constraint(s, i));
    }
    for (int i = 0; i < stepper->closure.coupler_count; ++i) {
        if (stepper->closure.couplers[i].is_off) {
            s->tie_potential[stepper->closure.constraint_count + i] = -1;
        } else {
            ISO_TRY(add_coupler(s, i));
        }
    }
    for (int i = 0; i < stepper->friction_count; ++i) {
        add_friction(s, i);
    }
done:
    return status;
}

void iso_stage_constraint_results(const iso_stages* s, const iso_convex_problem* problem,
                                  iso_step_output* output) {
    const iso_stepper* stepper = s->stepper;
    int constraints = stepper->closure.constraint_count;
    for (int i = 0; i < constraints + stepper->closure.coupler_count; ++i) {
        double u0[ISO_POTENTIAL_MAX_ROWS], u[ISO_POTENTIAL_MAX_ROWS], f[ISO_POTENTIAL_MAX_ROWS];
        const iso_tie* tie = &s->ties[i];
        if (s->tie_potential[i] < 0) {
            output->tie_efforts[i - constraints] = 0.0;
            continue;
        }
        iso_potential_velocity(problem, &s->potentials[s->tie_potential[i]], s->v, u);
        iso_potential_velocity(problem, &s->potentials[s->tie_potential[i]], s->input->v, u0);
        iso_tie_impulses(tie, u, f);
        int tree = s->potentials[s->tie_potential[i]].tree_a;
        double dt = iso_stages_dt(s, tree), whole = iso_stages_whole(s, tree);
        for (int r = 0; r < tie->rows; ++r) {
            output->works.constraint += whole * (0.5 * f[r] * (u0[r] + u[r]));
            f[r] /= dt;
        }
        if (i < constraints) {
            output->constraint_forces[i] = iso_gap_wrench(&s->gaps[i], f);
        } else {
            output->tie_efforts[i - constraints] = f[0];
        }
    }
    for (int i = 0; i < stepper->friction_count; ++i) {
        int dof = s->frictions[i].dof;
        double v = s->v[dof], whole = iso_stages_whole(s, iso_stages_dof_tree(s, dof));
        output->works.damping -= whole * (iso_joint_friction_impulse(&s->frictions[i], v) * v);
    }
    for (int i = 0; i < s->limit_count; ++i) {
        const iso_joint_limit* limit = &s->limits[i];
        double v0 = s->input->v[limit->dof], v = s->v[limit->dof];
        double whole = iso_stages_whole(s, iso_stages_dof_tree(s, limit->dof));
        output->works.limit += whole * (0.5 * iso_joint_limit_impulse(limit, v) * (v0 + v));
    }
}
