// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Constraints, couplers and limits of fixed tendons that are switched on and off between steps. The
// stepper sees the constraints that are on and nothing of the others; the rest say whether they are
// off. What was switched is kept as an attachment, so that states carry it.

#include "world/state/switches.h"

#include "world/state/attachment.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "isobar/state.h"

#include <math.h>
#include <string.h>

/// Numbers of a constraint in the attachment: on, length, turn and place of Q in B.
#define SWITCH_DOUBLES 14

// Wider gaps would be closed within a step by speeds that throw everything about [m], [rad].
#define WIDEST_GAP 0.02
#define WIDEST_TURN 0.1

static const char k_attachment[] = "constraints";
static const char k_couplers[] = "couplers";     // 1 or 0 of each
static const char k_tendons[] = "fixed_tendons"; // 1 or 0 of each

iso_status iso_world_create_switches(iso_world* world) {
    iso_context* ctx = world->ctx;
    int n = world->constraint_count;
    world->switches = iso_alloc_array(ctx, n, sizeof *world->switches);
    world->active = iso_alloc_array(ctx, n, sizeof *world->active);
    world->active_index = iso_alloc_array(ctx, n, sizeof *world->active_index);
    world->present_couplers =
        iso_alloc_array(ctx, world->coupler_count, sizeof *world->present_couplers);
    world->present_tendons =
        iso_alloc_array(ctx, world->tendon_count, sizeof *world->present_tendons);
    ISO_REQUIRE(ctx,
                world->switches && world->active && world->active_index &&
                    world->present_couplers && world->present_tendons,
                ISO_ERR_MEMORY, "switches of %d constraints", n);
    iso_attachment_array none = {0};
    iso_status status = ISO_OK;
    ISO_TRY(iso_world_read_couplers(world, &none, world->present_couplers));
    ISO_TRY(iso_world_read_tendons(world, &none, world->present_tendons));
    ISO_TRY(iso_world_read_switches(world, &none, world->switches));

done:
    return status;
}

void iso_world_free_switches(iso_world* world) {
    iso_free(world->ctx, world->switches);
    iso_free(world->ctx, world->active);
    iso_free(world->ctx, world->active_index);
    iso_free(world->ctx, world->present_couplers);
    iso_free(world->ctx, world->present_tendons);
}

static void write_switch(const iso_constraint_switch* s, double* values) {
    values[0] = s->is_on ? 1.0 : 0.0;
    values[1] = s->length;
    memcpy(values + 2, s->x_bq.r.m, 9 * sizeof(double));
    memcpy(values + 11, (const double[]){s->x_bq.p.x, s->x_bq.p.y, s->x_bq.p.z},
           3 * sizeof(double));
}

static iso_constraint_switch read_switch(const double* values) {
    iso_constraint_switch s = {.is_on = values[0] != 0.0, .length = values[1]};
    memcpy(s.x_bq.r.m, values + 2, 9 * sizeof(double));
    s.x_bq.p = iso_vec3_make(values[11], values[12], values[13]);
    return s;
}

iso_status iso_world_read_switches(const iso_world* world, const iso_attachment_array* attachments,
                                   iso_constraint_switch* out_switches) {
    const iso_attachment* known = iso_attachment_find(attachments, k_attachment);
    ISO_REQUIRE(world->ctx, !known || known->count == SWITCH_DOUBLES * world->constraint_count,
                ISO_ERR_PARSE, "attachment '%s' has %d numbers, expected %d", k_attachment,
                known ? known->count : 0, SWITCH_DOUBLES * world->constraint_count);
    for (int i = 0; i < world->constraint_count; ++i) {
        const iso_constraint* c = &world->constraints[i];
        iso_constraint_switch s = {!world->starts_off[i], c->length, c->x_bq};
        if (known) {
            const double* values = known->values + (ptrdiff_t)SWITCH_DOUBLES * i;
            s = read_switch(values);
            ISO_REQUIRE(world->ctx,
                        (values[0] == 0.0 || values[0] == 1.0) && isfinite(s.length) &&
                            s.length >= 0.0 && iso_pose_is_rigid(&s.x_bq),
                        ISO_ERR_PARSE,
                        "attachment '%s': the switch of constraint '%s' is not one (on %g, length "
                        "%g)",
                        k_attachment, world->constraint_names[i], values[0], s.length);
        }
        out_switches[i] = s;
    }
    return ISO_OK;
}

// An attachment of a 0 or 1 for each of some parts; NULL: there is none.
static iso_status find_bits(const iso_world* world, const iso_attachment_array* attachments,
                            const char* key, const char* noun, char* const* names, int count,
                            const double** out_values) {
    const iso_attachment* known = iso_attachment_find(attachments, key);
    *out_values = known ? known->values : NULL;
    ISO_REQUIRE(world->ctx, !known || known->count == count, ISO_ERR_PARSE,
                "attachment '%s' has %d numbers, expected %d", key, known ? known->count : 0,
                count);
    for (int i = 0; known && i < count; ++i) {
        double value = known->values[i];
        ISO_REQUIRE(world->ctx, value == 0.0 || value == 1.0, ISO_ERR_PARSE,
                    "attachment '%s': the switch of %s '%s' is %g, expected 0 or 1", key, noun,
                    names[i], value);
    }
    return ISO_OK;
}

iso_status iso_world_read_couplers(const iso_world* world, const iso_attachment_array* attachments,
                                   iso_coupler* out_couplers) {
    const double* values = NULL;
    iso_status status = find_bits(world, attachments, k_couplers, "coupler", world->coupler_names,
                                  world->coupler_count, &values);
    for (int i = 0; status == ISO_OK && i < world->coupler_count; ++i) {
        out_couplers[i] = world->couplers[i];
        out_couplers[i].is_off = values ? values[i] == 0.0 : world->couplers[i].is_off;
    }
    return status;
}

iso_status iso_world_read_tendons(const iso_world* world, const iso_attachment_array* attachments,
                                  iso_fixed_tendon* out_tendons) {
    const double* values = NULL;
    iso_status status = find_bits(world, attachments, k_tendons, "fixed tendon",
                                  world->tendon_names, world->tendon_count, &values);
    for (int i = 0; status == ISO_OK && i < world->tendon_count; ++i) {
        out_tendons[i] = world->tendons[i];
        out_tendons[i].is_off = values ? values[i] == 0.0 : world->tendons[i].is_off;
    }
    return status;
}

// What is on, in the order of names.
static void collect(iso_world* world) {
    world->active_count = 0;
    for (int i = 0; i < world->constraint_count; ++i) {
        if (world->switches[i].is_on) {
            iso_constraint* c = &world->active[world->active_count];
            *c = world->constraints[i];
            c->length = world->switches[i].length;
            c->x_bq = world->switches[i].x_bq;
            world->active_index[world->active_count++] = i;
        }
    }
}

iso_status iso_world_apply_switches(iso_world* world) {
    collect(world);
    if (!world->stepper) {
        return ISO_OK; // it begins with them
    }
    iso_closure closure = iso_world_closure(world);
    return iso_stepper_set_closure(world->stepper, &closure);
}

void iso_world_spread_forces(const iso_world* world, iso_spatial* forces) {
    int from = world->active_count;
    for (int i = world->constraint_count - 1; i >= 0; --i) {
        forces[i] = world->switches[i].is_on ? forces[--from] : iso_spatial_zero();
    }
}

// Q, or the length, so that nothing is open where the bodies are now.
static void keep_offset(const iso_world* world, const iso_constraint* c, iso_constraint_switch* s) {
    const iso_pose* x_wb = world->kinematics.x_wb;
    iso_pose x_wp = iso_pose_mul(&x_wb[c->body_a], &c->x_ap);
    iso_pose x_bp = iso_pose_inverse_mul(&x_wb[c->body_b], &x_wp);
    switch (c->kind) {
    case ISO_CONSTRAINT_WELD:
        s->x_bq = x_bp;
        break;
    case ISO_CONSTRAINT_BALL:
        s->x_bq.p = x_bp.p;
        break;
    case ISO_CONSTRAINT_DISTANCE:
    case ISO_CONSTRAINT_TENDON:
        s->length = iso_vec3_distance(x_bp.p, c->x_bq.p);
        break;
    }
}

// What gives way may be far from where it is at rest.
static iso_status check_gap(const iso_world* world, int index, const iso_constraint_switch* s) {
    iso_constraint c = world->constraints[index];
    double angle = 0.0, position = 0.0;
    c.length = s->length;
    c.x_bq = s->x_bq;
    iso_gap gap = iso_constraint_gap(&c, world->kinematics.x_wb);
    iso_gap_errors(&gap, &angle, &position);
    ISO_REQUIRE(
        world->ctx,
        !iso_constraint_is_rigid(&c) || (position <= WIDEST_GAP && angle <= WIDEST_TURN),
        ISO_ERR_RANGE,
        "constraint '%s' would close a gap of %.3g m and %.3g rad at once, expected at most "
        "%g m and %g rad: bring the bodies together before, or keep the offset",
        world->constraint_names[index], position, angle, WIDEST_GAP, WIDEST_TURN);
    return ISO_OK;
}

iso_status iso_world_switch_constraint(iso_world* world, int constraint, bool is_on,
                                       bool keeps_offset) {
    ISO_REQUIRE(NULL, world != NULL, ISO_ERR_ARGUMENT, "world is required");
    iso_context* ctx = world->ctx;
    iso_status status = iso_world_check_free(world, "changed by switching a constraint");
    if (status != ISO_OK) {
        return status;
    }
    ISO_REQUIRE(ctx, constraint >= 0 && constraint < world->constraint_count, ISO_ERR_RANGE,
                "constraint index %d, expected in [0, %d)", constraint, world->constraint_count);
    const iso_constraint* c = &world->constraints[constraint];
    iso_constraint_switch before = world->switches[constraint];
    iso_constraint_switch after = {is_on, c->length, c->x_bq};
    if (is_on && keeps_offset) {
        keep_offset(world, c, &after);
    }
    status = is_on ? check_gap(world, constraint, &after) : ISO_OK;
    if (status != ISO_OK) {
        return status;
    }
    double* values = NULL;
    bool is_new = false;
    status = iso_world_attach(world, k_attachment, SWITCH_DOUBLES * world->constraint_count,
                              &values, &is_new);
    if (status != ISO_OK) {
        return status;
    }
    world->switches[constraint] = after;
    status = iso_world_apply_switches(world);
    if (status != ISO_OK) {
        world->switches[constraint] = before;
        collect(world);
    } else if (!is_on) {
        world->constraint_forces[constraint] = iso_spatial_zero();
    }
    for (int i = 0; i < world->constraint_count; ++i) {
        write_switch(&world->switches[i], values + (ptrdiff_t)SWITCH_DOUBLES * i);
    }
    return status;
}

// A row of lengths or angles, as joint B has them.
static iso_status check_coupler_gap(const iso_world* world, int index) {
    const iso_coupler* c = &world->couplers[index];
    bool is_length = world->multibody.bodies[c->body_b].mobility == ISO_MOBILITY_PRISMATIC;
    double gap = fabs(iso_coupler_gap(c, &world->multibody, world->q));
    double widest = is_length ? WIDEST_GAP : WIDEST_TURN;
    ISO_REQUIRE(world->ctx, gap <= widest, ISO_ERR_RANGE,
                "coupler '%s' would close a gap of %.3g %s at once, expected at most %g: bring its "
                "joints together before",
                world->coupler_names[index], gap, is_length ? "m" : "rad", widest);
    return ISO_OK;
}

iso_status iso_world_switch_coupler(iso_world* world, int coupler, bool is_on) {
    ISO_REQUIRE(NULL, world != NULL, ISO_ERR_ARGUMENT, "world is required");
    iso_context* ctx = world->ctx;
    double* values = NULL;
    bool is_new = false;
    iso_status status = iso_world_check_free(world, "changed by switching a coupler");
    if (status != ISO_OK) {
        return status;
    }
    ISO_REQUIRE(ctx, coupler >= 0 && coupler < world->coupler_count, ISO_ERR_RANGE,
                "coupler index %d, expected in [0, %d)", coupler, world->coupler_count);
    bool was_off = world->present_couplers[coupler].is_off;
    status = is_on ? check_coupler_gap(world, coupler) : ISO_OK;
    if (status == ISO_OK) {
        status = iso_world_attach(world, k_couplers, world->coupler_count, &values, &is_new);
    }
    if (status != ISO_OK) {
        return status;
    }
    world->present_couplers[coupler].is_off = !is_on;
    status = iso_world_apply_switches(world);
    if (status != ISO_OK) {
        world->present_couplers[coupler].is_off = was_off;
    } else if (!is_on) {
        world->tie_efforts[coupler] = 0.0;
    }
    for (int i = 0; i < world->coupler_count; ++i) {
        values[i] = world->present_couplers[i].is_off ? 0.0 : 1.0;
    }
    return status;
}

static iso_status check_tendon_gap(const iso_world* world, int index) {
    const iso_fixed_tendon* t = &world->tendons[index];
    double length = iso_fixed_tendon_length(t, &world->multibody, &world->kinematics, world->q);
    double gap = fmax(t->lower - length, length - t->upper), weight = 0.0;
    for (int i = 0; i < t->count; ++i) {
        weight = fmax(weight, fabs(t->weights[i]));
    }
    double widest = t->part_count > 0 ? WIDEST_GAP : WIDEST_TURN * weight;
    ISO_REQUIRE(world->ctx, gap <= widest, ISO_ERR_RANGE,
                "fixed tendon '%s': its length is %.3g beyond its limits, which would close that "
                "at once, expected at most %g: bring it there before",
                world->tendon_names[index], gap, widest);
    return ISO_OK;
}

iso_status iso_world_switch_fixed_tendon(iso_world* world, int tendon, bool is_on) {
    ISO_REQUIRE(NULL, world != NULL, ISO_ERR_ARGUMENT, "world is required");
    double* values = NULL;
    bool is_new = false;
    iso_status status = iso_world_check_free(world, "changed by switching a fixed tendon");
    if (status != ISO_OK) {
        return status;
    }
    ISO_REQUIRE(world->ctx, tendon >= 0 && tendon < world->tendon_count, ISO_ERR_RANGE,
                "fixed tendon index %d, expected in [0, %d)", tendon, world->tendon_count);
    status = is_on ? check_tendon_gap(world, tendon) : ISO_OK;
    if (status == ISO_OK) {
        status = iso_world_attach(world, k_tendons, world->tendon_count, &values, &is_new);
    }
    if (status != ISO_OK) {
        return status;
    }
    world->present_tendons[tendon].is_off = !is_on;
    if (!is_on) {
        world->tie_efforts[world->coupler_count + tendon] = 0.0;
    }
    for (int i = 0; i < world->tendon_count; ++i) {
        values[i] = world->present_tendons[i].is_off ? 0.0 : 1.0;
    }
    return ISO_OK;
}
