// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Loop constraints, couplers and tendons in the continuous methods. docs/theory/multibody.md.

#include "stepper/flow/flow.h"

#include "math/dense.h"

#include <string.h>

// Errors of constraints decay at this rate times the time step. docs/theory/multibody.md.
#define CLOSING_RATE 0.2

iso_status iso_flow_factor_mass(iso_stages* stages) {
    iso_stepper* stepper = stages->stepper;
    const iso_multibody* multibody = stepper->dynamics.multibody;
    int entries = multibody->tree_m_index[multibody->tree_count];
    iso_status status = ISO_OK;
    stages->a = iso_arena_push_array(&stepper->arena, entries, sizeof *stages->a);
    stages->a_factor = iso_arena_push_array(&stepper->arena, entries, sizeof *stages->a_factor);
    ISO_CHECK(stepper->ctx, stages->a && stages->a_factor, ISO_ERR_MEMORY,
              "mass matrix of %d entries", entries);
    ISO_TRY(iso_multibody_mass_matrix(multibody, &stages->kinematics, &stepper->arena, stages->a));
    memcpy(stages->a_factor, stages->a, (size_t)entries * sizeof *stages->a);
    for (int t = 0; t < multibody->tree_count; ++t) {
        int first = multibody->tree_v_index[t];
        int dofs = multibody->tree_v_index[t + 1] - first;
        double* factor = stages->a_factor + multibody->tree_m_index[t];
        ISO_CHECK(stepper->ctx, iso_cholesky_factor(factor, dofs, dofs), ISO_ERR_NUMERIC,
                  "mass matrix of the tree of body '%s' is not positive definite in this state",
                  iso_stepper_body_name(stepper, multibody->dof_body[first]));
    }
done:
    return status;
}

iso_status iso_flow_make_tendons(iso_flow* f) {
    iso_stages* stages = f->stages;
    const iso_stepper* stepper = stages->stepper;
    const iso_multibody* multibody = stepper->dynamics.multibody;
    iso_status status = ISO_OK;
    double frequency = LIMIT_FREQUENCY / stages->span;
    for (int i = 0; i < stepper->closure.constraint_count; ++i) {
        const iso_constraint* constraint = &stepper->closure.constraints[i];
        f->spring[i] = constraint->stiffness;
        f->spring_damping[i] = constraint->damping;
        if (constraint->kind != ISO_CONSTRAINT_TENDON || !iso_constraint_is_rigid(constraint)) {
            continue;
        }
        iso_gap gap = iso_constraint_gap(constraint, stages->kinematics.x_wb);
        iso_pair_jacobians pair;
        double mobility = 0.0;
        ISO_TRY(iso_stages_pair_jacobians(stages, constraint->body_a, constraint->body_b, gap.p_w,
                                          &pair));
        for (int side = 0; side < 2; ++side) {
            int tree = side == 0 ? pair.tree_a : pair.tree_b;
            if (tree >= 0) {
                int dofs = multibody->tree_v_index[tree + 1] - multibody->tree_v_index[tree];
                ISO_TRY(iso_stages_add_delassus(
                    stages, tree,
                    iso_gap_jacobian(&gap, side == 0 ? pair.jacobian_a : pair.jacobian_b, dofs), 1,
                    &mobility));
            }
        }
        f->spring[i] = mobility > 0.0 ? frequency * frequency / mobility : 0.0;
        f->spring_damping[i] = mobility > 0.0 ? 2.0 * frequency / mobility : 0.0;
    }
done:
    return status;
}

// Twist of body B relative to A at a point.
static iso_spatial twist_between(const iso_kinematics* kinematics, int a, int b, iso_vec3 p_w) {
    return iso_spatial_sub(
        iso_spatial_shift_twist(kinematics->v_wb[b], iso_vec3_sub(p_w, kinematics->x_wb[b].p)),
        iso_spatial_shift_twist(kinematics->v_wb[a], iso_vec3_sub(p_w, kinematics->x_wb[a].p)));
}

static iso_spatial acceleration_at(const iso_kinematics* kinematics, const iso_spatial* a_wb, int b,
                                   iso_vec3 p_w) {
    iso_vec3 r = iso_vec3_sub(p_w, kinematics->x_wb[b].p);
    iso_vec3 w = kinematics->v_wb[b].rotational;
    iso_spatial a = iso_spatial_shift_twist(a_wb[b], r);
    a.translational = iso_vec3_add(a.translational, iso_vec3_cross(w, iso_vec3_cross(w, r)));
    return a;
}

// Second derivative of B's motion as seen from A, in W, at a point that both carry.
static iso_spatial acceleration_between(const iso_kinematics* kinematics, const iso_spatial* a_wb,
                                        int a, int b, iso_vec3 p_w) {
    iso_spatial v_ab = twist_between(kinematics, a, b, p_w);
    iso_spatial a_ab = iso_spatial_sub(acceleration_at(kinematics, a_wb, b, p_w),
                                       acceleration_at(kinematics, a_wb, a, p_w));
    iso_vec3 w = kinematics->v_wb[a].rotational;
    a_ab.rotational = iso_vec3_sub(a_ab.rotational, iso_vec3_cross(w, v_ab.rotational));
    a_ab.translational =
        iso_vec3_add_scaled(a_ab.translational, iso_vec3_cross(w, v_ab.translational), -2.0);
    return a_ab;
}

// The part of a gap's rates that comes from fixed bodies which a caller moves.
static void fixed_rates(const iso_stages* now, const iso_constraint* c, const iso_gap* gap,
                        double* out_rates) {
    iso_gap_rates(
        gap, iso_stages_add_fixed_twist(now, c->body_a, c->body_b, gap->p_w, iso_spatial_zero()),
        out_rates);
}

// Generalised force of a rope on what moves freely.
static void add_rope(iso_flow* f, const iso_kinematics* kinematics, const iso_constraint* c,
                     iso_vec3 p_w, iso_spatial wrench) {
    const iso_multibody* multibody = f->stages->stepper->dynamics.multibody;
    if (multibody->bodies[c->body_a].tree >= 0) {
        iso_spatial opposite = iso_spatial_scale(wrench, -1.0);
        iso_multibody_add_wrench(multibody, kinematics, c->body_a, p_w, opposite, f->rope_tau);
    }
    if (multibody->bodies[c->body_b].tree >= 0) {
        iso_multibody_add_wrench(multibody, kinematics, c->body_b, p_w, wrench, f->rope_tau);
    }
}

double iso_flow_add_stretch(iso_flow* f, const iso_stages* now) {
    const iso_kinematics* kinematics = &now->kinematics;
    const iso_closure* closure = &f->stages->stepper->closure;
    double power = 0.0;
    for (int i = 0; i < closure->constraint_count; ++i) {
        const iso_constraint* c = &closure->constraints[i];
        bool is_tendon = c->kind == ISO_CONSTRAINT_TENDON;
        if (iso_constraint_is_rigid(c) && !is_tendon) {
            continue;
        }
        iso_gap gap = iso_constraint_gap(c, kinematics->x_wb);
        double rate, fixed_rate;
        fixed_rates(now, c, &gap, &fixed_rate);
        iso_gap_rates(&gap, twist_between(kinematics, c->body_a, c->body_b, gap.p_w), &rate);
        double force = -f->spring[i] * gap.size[0] - f->spring_damping[i] * rate;
        if (is_tendon) {
            force = gap.size[0] > 0.0 ? fmin(force, 0.0) : 0.0;
        }
        iso_spatial wrench = iso_gap_wrench(&gap, &force);
        iso_vec3 to_a = iso_vec3_sub(kinematics->x_wb[c->body_a].p, gap.p_w);
        iso_vec3 to_b = iso_vec3_sub(kinematics->x_wb[c->body_b].p, gap.p_w);
        f->f_b_w[c->body_a] =
            iso_spatial_sub(f->f_b_w[c->body_a], iso_spatial_shift_wrench(wrench, to_a));
        f->f_b_w[c->body_b] =
            iso_spatial_add(f->f_b_w[c->body_b], iso_spatial_shift_wrench(wrench, to_b));
        f->constraint_forces[i] = wrench;
        if (f->rope_tau && iso_constraint_is_rigid(c)) {
            add_rope(f, kinematics, c, gap.p_w, wrench);
        } else {
            power += force * (rate - fixed_rate);
        }
    }
    return power;
}

// The origin of a moved body keeps its velocity; what is welded to it turns with it.
static void accelerate_fixed(const iso_multibody* multibody, const iso_kinematics* kinematics,
                             iso_spatial* a_wb) {
    for (int b = 1; b < multibody->body_count; ++b) {
        int parent = multibody->bodies[b].parent;
        if (multibody->bodies[b].tree < 0) {
            iso_vec3 p = iso_vec3_sub(kinematics->x_wb[b].p, kinematics->x_wb[parent].p);
            a_wb[b] = iso_multibody_shift_acceleration(a_wb[parent],
                                                       kinematics->v_wb[parent].rotational, p);
        }
    }
}

// What the accelerations of rigid rows lack: J dv/dt + dJ/dt v, plus what closes their errors.
static void fill_lack(const iso_flow* f, const iso_kinematics* kinematics, const double* q,
                      const double* v, const double* vdot, const iso_spatial* a_wb,
                      const iso_closure_rows* rows, double* out) {
    const iso_stepper* stepper = f->stages->stepper;
    const iso_closure* closure = &stepper->closure;
    const iso_multibody* multibody = stepper->dynamics.multibody;
    double rate = CLOSING_RATE / f->stages->span;
    for (int k = 0; k < rows->block_count; ++k) {
        const iso_closure_block* block = &rows->blocks[k];
        double u[6], a[6], lack[6];
        const double* size = &rows->sizes[block->first];
        iso_gap gap = {.rows = 1};
        if (block->owner < closure->constraint_count) {
            const iso_constraint* c = &closure->constraints[block->owner];
            gap = iso_constraint_gap(c, kinematics->x_wb);
            size = gap.size;
            iso_spatial v_ab = twist_between(kinematics, c->body_a, c->body_b, gap.p_w);
            iso_spatial a_ab =
                acceleration_between(kinematics, a_wb, c->body_a, c->body_b, gap.p_w);
            iso_gap_rates(&gap, v_ab, u);
            iso_gap_rates(&gap, a_ab, a);
            if (c->kind == ISO_CONSTRAINT_DISTANCE && gap.span > 0.0) {
                double along = iso_vec3_dot(gap.direction, v_ab.translational);
                double across = iso_vec3_norm_squared(v_ab.translational) - along * along;
                a[0] += fmax(across, 0.0) / gap.span;
            }
        } else {
            const iso_coupler* c = &closure->couplers[block->owner - closure->constraint_count];
            int dof_a = multibody->bodies[c->body_a].v_index;
            int dof_b = multibody->bodies[c->body_b].v_index;
            double slope = iso_coupler_slope(c, multibody, q);
            u[0] = v[dof_b] - slope * v[dof_a];
            a[0] = vdot[dof_b] - slope * vdot[dof_a] -
                   iso_coupler_bend(c, multibody, q) * v[dof_a] * v[dof_a];
        }
        for (int i = 0; i < gap.rows; ++i) {
            lack[i] = a[i] + 2.0 * rate * u[i] + rate * rate * size[i];
        }
        iso_gap_reach_apply(&block->reach, gap.rows, lack, 1, out + block->first);
    }
}

// Constraint forces of the last evaluation, for reports, and their power.
static double book_forces(iso_flow* f, const iso_kinematics* kinematics, const double* v,
                          const iso_closure_rows* rows, const double* forces) {
    const iso_stepper* stepper = f->stages->stepper;
    const iso_closure* closure = &stepper->closure;
    int n = stepper->dynamics.multibody->v_count;
    double power = 0.0;
    for (int r = 0; r < rows->count; ++r) {
        power += forces[r] * iso_dense_dot(rows->jacobian + (size_t)r * (size_t)n, v, n);
    }
    for (int k = 0; k < rows->block_count; ++k) {
        const iso_closure_block* block = &rows->blocks[k];
        double along[6];
        iso_gap_reach_spread(&block->reach, block->gap_rows, forces + block->first, along);
        if (block->owner >= closure->constraint_count) {
            f->tie_efforts[block->owner - closure->constraint_count] = along[0];
        } else {
            iso_gap gap = iso_constraint_gap(&closure->constraints[block->owner], kinematics->x_wb);
            f->constraint_forces[block->owner] = iso_gap_wrench(&gap, along);
        }
    }
    return power;
}

// Name the two bodies that a block of rows ties together.
static iso_status fail_of_block(const iso_stepper* stepper, iso_status status,
                                const iso_closure_block* block) {
    const iso_closure* closure = &stepper->closure;
    bool is_coupler = block->owner >= closure->constraint_count;
    int a, b;
    if (is_coupler) {
        const iso_coupler* coupler = &closure->couplers[block->owner - closure->constraint_count];
        a = coupler->body_a;
        b = coupler->body_b;
    } else {
        a = closure->constraints[block->owner].body_a;
        b = closure->constraints[block->owner].body_b;
    }
    return iso_fail_prefix(stepper->ctx, status, "%s of bodies '%s' and '%s'",
                           is_coupler ? "coupler of joints" : "constraint",
                           iso_stepper_body_name(stepper, a), iso_stepper_body_name(stepper, b));
}

iso_status iso_flow_constrain(iso_flow* f, const iso_kinematics* kinematics, const double* q,
                              const double* v, double* vdot, double* out_power) {
    iso_stepper* stepper = f->stages->stepper;
    const iso_multibody* multibody = stepper->dynamics.multibody;
    iso_arena* arena = &stepper->arena;
    iso_status status = ISO_OK;
    iso_closure_rows rows;
    for (int i = 0; i < stepper->closure.coupler_count; ++i) {
        f->tie_efforts[i] = 0.0; // of one that is off
    }
    ISO_TRY(
        iso_closure_rows_push(&stepper->closure, multibody, kinematics, q, false, arena, &rows));
    if (rows.block_count == 0) {
        goto done;
    }
    iso_stages now = {.stepper = stepper, .kinematics = *kinematics};
    iso_spatial* a_wb = iso_arena_push_array(arena, multibody->body_count, sizeof *a_wb);
    double* forces = iso_arena_push_array(arena, rows.count, sizeof *forces);
    ISO_CHECK(stepper->ctx, a_wb && forces, ISO_ERR_MEMORY, "%d rows of constraints", rows.count);
    ISO_TRY(iso_flow_factor_mass(&now));
    iso_multibody_body_accelerations(multibody, kinematics, v, vdot, a_wb);
    if (f->input.place_moved) {
        accelerate_fixed(multibody, kinematics, a_wb);
    }
    fill_lack(f, kinematics, q, v, vdot, a_wb, &rows, forces);
    int block = -1;
    status = iso_closure_solve(&rows, multibody, now.a_factor, arena, forces, vdot, &block);
    if (status != ISO_OK) {
        status = block >= 0 ? fail_of_block(stepper, status, &rows.blocks[block]) : status;
        goto done;
    }
    *out_power += book_forces(f, kinematics, v, &rows, forces);
done:
    return status;
}
