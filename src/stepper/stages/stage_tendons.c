// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Stage 4 for limits and dry friction of fixed tendons: the laws of joints along l = w . q.

#include "math/dense.h"
#include "stepper/stages/stages.h"

#include <math.h>
#include <string.h>

int iso_stages_tendon_capacity(const iso_stepper* stepper) {
    return 3 * stepper->dynamics.tendon_count; // two limits and friction
}

static int tree_of(const iso_stages* s, int tendon) {
    const iso_dynamics* dynamics = &s->stepper->dynamics;
    return iso_fixed_tendon_tree(&dynamics->tendons[tendon], dynamics->multibody);
}

// All that moves is of one tree, which iso_stepper_create() sees to.
iso_status iso_stages_make_tendon_rows(iso_stages* s) {
    const iso_dynamics* dynamics = &s->stepper->dynamics;
    const iso_multibody* multibody = dynamics->multibody;
    iso_arena* arena = &s->stepper->arena;
    int count = dynamics->tendon_count;
    s->tendon_rows = iso_arena_push_array(arena, count, sizeof *s->tendon_rows);
    s->tendon_lengths = iso_arena_push_array(arena, count, sizeof *s->tendon_lengths);
    double* whole =
        count > 0 ? iso_arena_push_array(arena, multibody->v_count, sizeof *whole) : NULL;
    ISO_REQUIRE(arena->ctx, s->tendon_rows && s->tendon_lengths && (whole || count == 0),
                ISO_ERR_MEMORY, "%d tendons", count);
    for (int i = 0; i < count; ++i) {
        const iso_fixed_tendon* tendon = &dynamics->tendons[i];
        int tree = tree_of(s, i), first = multibody->tree_v_index[tree];
        int dofs = multibody->tree_v_index[tree + 1] - first;
        double* row = iso_stages_push_row(s, tree);
        ISO_REQUIRE(arena->ctx, row, ISO_ERR_MEMORY, "row of a tendon");
        memset(whole + first, 0, (size_t)dofs * sizeof *whole);
        iso_fixed_tendon_add_effort(tendon, multibody, &s->kinematics, 1.0, whole);
        memcpy(row, whole + first, (size_t)dofs * sizeof *row);
        s->tendon_rows[i] = row;
        s->tendon_lengths[i] =
            iso_fixed_tendon_length(tendon, multibody, &s->kinematics, s->input->q);
    }
    return ISO_OK;
}

double iso_stages_tendon_rate(const iso_stages* s, int tendon, const double* v) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    int tree = tree_of(s, tendon), first = multibody->tree_v_index[tree];
    return iso_dense_dot(s->tendon_rows[tendon], v + first,
                         multibody->tree_v_index[tree + 1] - first);
}

iso_status iso_stages_tendon_mobility(const iso_stages* s, int tendon, double* out_mobility) {
    *out_mobility = 0.0;
    return iso_stages_add_delassus(s, tree_of(s, tendon), s->tendon_rows[tendon], 1, out_mobility);
}

void iso_stages_add_tendon_potential(iso_stages* s, const iso_potential_ops* ops, const void* user,
                                     int tendon) {
    s->potentials[s->potential_count++] =
        (iso_potential){ops, user, 1, tree_of(s, tendon), -1, s->tendon_rows[tendon], NULL, 0};
}

double iso_stages_tendon_reach(const iso_stages* s, int dof) {
    const iso_dynamics* dynamics = &s->stepper->dynamics;
    const iso_multibody* multibody = dynamics->multibody;
    double effort = 0.0;
    for (int i = 0; i < dynamics->tendon_count; ++i) {
        const iso_fixed_tendon* tendon = &dynamics->tendons[i];
        int tree = tree_of(s, i), at = dof - multibody->tree_v_index[tree];
        bool is_here = at >= 0 && dof < multibody->tree_v_index[tree + 1];
        double weight = is_here ? fabs(s->tendon_rows[i][at]) : 0.0;
        if (weight > 0.0) {
            bool is_limited = iso_fixed_tendon_is_limited(tendon);
            effort += is_limited ? INFINITY : weight * tendon->friction;
        }
    }
    return effort;
}

static void add_limit(iso_stages* s, int index, double sign, double distance, double mobility) {
    iso_tendon_limit* limit = &s->tendon_limits[s->tendon_limit_count++];
    limit->tendon = index;
    limit->law =
        iso_joint_limit_make(-1, sign, distance, mobility, iso_stages_dt(s, tree_of(s, index)));
    iso_stages_add_tendon_potential(s, &iso_joint_limit_ops, &limit->law, index);
}

// Silent limits stay: what pulls at so many joints may bring them there within the step.
static iso_status add_laws(iso_stages* s, int index) {
    const iso_fixed_tendon* tendon = &s->stepper->dynamics.tendons[index];
    double mobility = 0.0;
    if (!iso_fixed_tendon_has_laws(tendon)) {
        return ISO_OK;
    }
    iso_status status = iso_stages_tendon_mobility(s, index, &mobility);
    if (status != ISO_OK) {
        return status;
    }
    if (!(mobility > 0.0)) {
        return ISO_OK; // a route that nothing lengthens here
    }
    double length = s->tendon_lengths[index];
    bool is_limited = iso_fixed_tendon_is_limited(tendon);
    if (is_limited && isfinite(tendon->lower)) {
        add_limit(s, index, 1.0, length - tendon->lower, mobility);
    }
    if (is_limited && isfinite(tendon->upper)) {
        add_limit(s, index, -1.0, tendon->upper - length, mobility);
    }
    if (tendon->friction > 0.0) {
        s->tendon_frictions[index] = iso_joint_friction_make(-1, tendon->friction, mobility,
                                                             iso_stages_dt(s, tree_of(s, index)));
        if (s->limits_of) {
            s->limits_of[s->potential_count] = iso_joint_friction_share;
        }
        iso_stages_add_tendon_potential(s, &iso_joint_friction_ops, &s->tendon_frictions[index],
                                        index);
    }
    return ISO_OK;
}

iso_status iso_stages_tendon_potentials(iso_stages* s) {
    iso_arena* arena = &s->stepper->arena;
    int count = s->stepper->dynamics.tendon_count;
    s->tendon_limits = iso_arena_push_array(arena, 2 * count, sizeof *s->tendon_limits);
    s->tendon_frictions = iso_arena_push_array(arena, count, sizeof *s->tendon_frictions);
    ISO_REQUIRE(arena->ctx, s->tendon_limits && s->tendon_frictions, ISO_ERR_MEMORY,
                "%d fixed tendons", count);
    for (int i = 0; i < count; ++i) {
        iso_status status = add_laws(s, i);
        if (status != ISO_OK) {
            return status;
        }
    }
    return ISO_OK;
}

void iso_stages_book_tendons(const iso_stages* s, iso_step_output* output) {
    const iso_dynamics* dynamics = &s->stepper->dynamics;
    iso_works* works = &output->works;
    double* efforts = output->tie_efforts + s->stepper->closure.coupler_count;
    for (int i = 0; i < dynamics->tendon_count; ++i) {
        efforts[i] = 0.0;
        const iso_fixed_tendon* tendon = &dynamics->tendons[i];
        double rate = iso_stages_tendon_rate(s, i, s->v);
        double share = s->drives[dynamics->actuator_count + i].share;
        works->damping += s->span * share * tendon->damping * rate * rate;
        if (tendon->friction > 0.0 && rate != 0.0) {
            works->damping -= iso_stages_whole(s, tree_of(s, i)) *
                              (iso_joint_friction_impulse(&s->tendon_frictions[i], rate) * rate);
        }
    }
    for (int i = 0; i < s->tendon_limit_count; ++i) {
        const iso_tendon_limit* limit = &s->tendon_limits[i];
        double v0 = iso_stages_tendon_rate(s, limit->tendon, s->input->v);
        double v = iso_stages_tendon_rate(s, limit->tendon, s->v);
        double impulse = iso_joint_limit_impulse(&limit->law, v);
        int tree = tree_of(s, limit->tendon);
        works->limit += iso_stages_whole(s, tree) * (0.5 * impulse * (v0 + v));
        efforts[limit->tendon] += impulse / iso_stages_dt(s, tree);
    }
}
