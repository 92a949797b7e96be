// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Stage 4 for limits and dry friction of fixed tendons: the laws of joints along l = w . q.

#include "stepper/stages.h"

#include <math.h>

int iso_stages_tendon_capacity(const iso_stepper* stepper) {
    return 3 * stepper->dynamics.tendon_count; // two limits and friction
}

// Of two trees at most, which iso_stepper_create() sees to.
iso_status iso_stages_tendon_rows(const iso_stages* s, const iso_fixed_tendon* tendon,
                                  iso_pair_jacobians* out_rows) {
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    double* rows[2] = {NULL, NULL};
    int trees[2] = {-1, -1};
    for (int i = 0; i < tendon->count; ++i) {
        const iso_mb_body* body = &multibody->bodies[tendon->bodies[i]];
        int side = trees[0] < 0 || trees[0] == body->tree ? 0 : 1;
        if (trees[side] < 0) {
            trees[side] = body->tree;
            rows[side] = iso_stages_push_row(s, body->tree);
            ISO_REQUIRE(s->stepper->ctx, rows[side], ISO_ERR_MEMORY, "row of a fixed tendon");
        }
        rows[side][body->v_index - multibody->tree_v_index[body->tree]] = tendon->weights[i];
    }
    *out_rows = (iso_pair_jacobians){trees[0], trees[1], rows[0], rows[1]};
    return ISO_OK;
}

iso_status iso_stages_tendon_mobility(const iso_stages* s, const iso_pair_jacobians* rows,
                                      double* out_mobility) {
    *out_mobility = 0.0;
    iso_status status = iso_stages_add_delassus(s, rows->tree_a, rows->jacobian_a, 1, out_mobility);
    return status == ISO_OK && rows->tree_b >= 0
               ? iso_stages_add_delassus(s, rows->tree_b, rows->jacobian_b, 1, out_mobility)
               : status;
}

void iso_stages_add_row_potential(iso_stages* s, const iso_potential_ops* ops, const void* user,
                                  const iso_pair_jacobians* rows) {
    s->potentials[s->potential_count++] = (iso_potential){
        ops, user, 1, rows->tree_a, rows->tree_b, rows->jacobian_a, rows->jacobian_b, 0};
}

static void add_limit(iso_stages* s, int index, double sign, double distance, double mobility,
                      const iso_pair_jacobians* rows) {
    iso_tendon_limit* limit = &s->tendon_limits[s->tendon_limit_count++];
    limit->tendon = &s->stepper->dynamics.tendons[index];
    limit->law = iso_joint_limit_make(-1, sign, distance, mobility, s->dt);
    iso_stages_add_row_potential(s, &iso_joint_limit_ops, &limit->law, rows);
}

// Silent limits stay: what pulls at so many joints may bring them there within the step.
static iso_status add_laws(iso_stages* s, int index) {
    const iso_fixed_tendon* tendon = &s->stepper->dynamics.tendons[index];
    bool has_limits = isfinite(tendon->lower) || isfinite(tendon->upper);
    iso_pair_jacobians rows;
    double mobility = 0.0;
    iso_status status = ISO_OK;
    s->tendon_frictions[index].limit = 0.0;
    if (!has_limits && tendon->friction == 0.0) {
        return ISO_OK;
    }
    ISO_TRY(iso_stages_tendon_rows(s, tendon, &rows));
    ISO_TRY(iso_stages_tendon_mobility(s, &rows, &mobility));
    double length = iso_fixed_tendon_length(tendon, s->stepper->dynamics.multibody, s->input->q);
    if (isfinite(tendon->lower)) {
        add_limit(s, index, 1.0, length - tendon->lower, mobility, &rows);
    }
    if (isfinite(tendon->upper)) {
        add_limit(s, index, -1.0, tendon->upper - length, mobility, &rows);
    }
    if (tendon->friction > 0.0) {
        s->tendon_frictions[index] = iso_joint_friction_make(-1, tendon->friction, mobility, s->dt);
        if (s->limits_of) {
            s->limits_of[s->potential_count] = iso_joint_friction_share;
        }
        iso_stages_add_row_potential(s, &iso_joint_friction_ops, &s->tendon_frictions[index],
                                     &rows);
    }
done:
    return status;
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

void iso_stages_book_tendons(const iso_stages* s, iso_works* works) {
    const iso_dynamics* dynamics = &s->stepper->dynamics;
    const iso_multibody* multibody = dynamics->multibody;
    for (int i = 0; i < dynamics->tendon_count; ++i) {
        const iso_fixed_tendon* tendon = &dynamics->tendons[i];
        double rate = iso_fixed_tendon_rate(tendon, multibody, s->v);
        works->damping += s->dt * tendon->damping * rate * rate;
        if (tendon->friction > 0.0) {
            works->damping -= iso_joint_friction_impulse(&s->tendon_frictions[i], rate) * rate;
        }
    }
    for (int i = 0; i < s->tendon_limit_count; ++i) {
        const iso_tendon_limit* limit = &s->tendon_limits[i];
        double v0 = iso_fixed_tendon_rate(limit->tendon, multibody, s->input->v);
        double v = iso_fixed_tendon_rate(limit->tendon, multibody, s->v);
        works->limit += 0.5 * iso_joint_limit_impulse(&limit->law, v) * (v0 + v);
    }
}
