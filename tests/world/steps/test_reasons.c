// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// What a slow step gives as its reason: the only law that bends in a chain of links, and a body
// that feels it.

#include "world/mechanisms.h"

#include <stdio.h>

enum { LINKS = 12, STEPS = 5, ANY = 0, NO_BODY = -1 };

typedef struct chain {
    const char* name;
    double friction;    // of every joint but the first
    double limit;       // of its angle, both sides
    double drive_limit; // of the effort of each drive on it
    double drive_gain;
    double summed_limit; // of that of both together
    double tendon_limit; // of the effort of a drive on the sum of it and the joint before
    double rope_slack;   // of a rope from its body to the one before [m]
    int first;           // the body from which on all have this; ANY: the second
    iso_step_reason reason;
    int body; // to be named; ANY: one of these; NO_BODY
} chain;

static const chain k_free = {.limit = INFINITY,
                             .drive_limit = INFINITY,
                             .drive_gain = 1e5,
                             .summed_limit = INFINITY,
                             .tendon_limit = INFINITY,
                             .rope_slack = INFINITY};

// Body 0 is the world.
static bool is_bound(const chain* c, int body) {
    return body >= (c->first == ANY ? 2 : c->first);
}

static void add_drive(iso_context* ctx, iso_model* model, int joint, int tendon, double gain,
                      double limit) {
    iso_actuator_desc drive = iso_actuator_desc_default();
    char name[24];
    (void)snprintf(name, sizeof name, "drive%d", iso_model_actuator_count(model));
    drive.name = name;
    drive.joint = joint;
    drive.fixed_tendon = tendon;
    drive.kp = gain;
    drive.kd = 0.01 * gain;
    drive.effort_limit = limit;
    CHECK_OK(ctx, iso_model_add_actuator(model, &drive, NULL));
}

static void add_tendon(iso_context* ctx, iso_model* model, const char* name, int joint,
                       double limit) {
    iso_fixed_tendon_desc tendon = iso_fixed_tendon_desc_default();
    int joints[2] = {joint - 1, joint}, index = -1;
    double weights[2] = {1.0, 1.0};
    tendon.name = name;
    tendon.joint_count = 2;
    tendon.joints = joints;
    tendon.weights = weights;
    CHECK_OK(ctx, iso_model_add_fixed_tendon(model, &tendon, &index));
    add_drive(ctx, model, -1, index, 1e5, limit);
}

static void add_rope(iso_context* ctx, iso_model* model, const char* name, int body, double slack) {
    iso_constraint_desc rope = iso_constraint_desc_default();
    rope.name = name;
    rope.kind = ISO_CONSTRAINT_TENDON;
    rope.body_a = body - 1;
    rope.body_b = body;
    rope.x_ap = rope.x_bq = iso_pose_from_position(iso_vec3_make(0.3, 0.0, 0.5));
    rope.length = 1.0 + slack; // the bodies hang 1 m apart
    CHECK_OK(ctx, iso_model_add_constraint(model, &rope, NULL));
}

static void bind(iso_context* ctx, iso_model* model, const chain* c, int body, int joint) {
    char name[24];
    (void)snprintf(name, sizeof name, "tie%d", body);
    for (int k = 0; (isfinite(c->drive_limit) || isfinite(c->summed_limit)) && k < 2; ++k) {
        add_drive(ctx, model, joint, -1, c->drive_gain, c->drive_limit);
    }
    if (isfinite(c->tendon_limit)) {
        add_tendon(ctx, model, name, joint, c->tendon_limit);
    }
    if (isfinite(c->rope_slack)) {
        add_rope(ctx, model, name, body, c->rope_slack);
    }
}

/// Links of masses that differ tenfold, all turning.
static iso_world* make_chain(iso_context* ctx, iso_model* model, const chain* c) {
    int parent = ISO_WORLD_BODY;
    for (int i = 0; i < LINKS; ++i) {
        char name[24];
        (void)snprintf(name, sizeof name, "link%d", i);
        double mass = i % 3 == 0 ? 10.0 : 1.0;
        int body =
            add_body(ctx, model, name, mass, iso_vec3_make(0.1 * mass, 0.1 * mass, 0.1 * mass));
        iso_joint_desc joint = joint_between(name, ISO_JOINT_REVOLUTE, parent, body);
        joint.axis = iso_vec3_make(0.0, 1.0, 0.0);
        joint.x_cm = iso_pose_from_position(iso_vec3_make(0.0, 0.0, 1.0));
        joint.velocity = i % 4 < 2 ? 8.0 : -5.0;
        if (is_bound(c, body)) {
            joint.friction = c->friction;
            joint.effort_limit = c->summed_limit;
            joint.upper = c->limit;
            joint.lower = -c->limit;
        }
        int index = -1;
        CHECK_OK(ctx, iso_model_add_joint(model, &joint, &index));
        if (is_bound(c, body)) {
            bind(ctx, model, c, body, index);
        }
        parent = body;
    }
    return world_of(ctx, model, ISO_METHOD_SAP, 1e-2, 1e-3);
}

// The reason of every slow step of a chain is the law that bends, or rounding. Returns how often.
static int count_named(iso_context* ctx, const chain* c) {
    iso_model* model = make_model(ctx);
    iso_world* world = make_chain(ctx, model, c);
    int slow = 0, named = 0, most = 0;
    for (int s = 0; s < STEPS; ++s) {
        CHECK_OK(ctx, iso_world_step(world));
        iso_step_report report = iso_world_step_report(world);
        most = report.iterations > most ? report.iterations : most;
        assert_int_equal(report.reason != ISO_STEP_REASON_NONE, report.iterations > 5);
        slow += report.reason != ISO_STEP_REASON_NONE;
        if (report.reason == c->reason) {
            if (c->body == ANY) {
                assert_true(is_bound(c, report.reason_body_a));
            } else {
                assert_int_equal(report.reason_body_a, c->body);
            }
            assert_int_equal(report.reason_body_b, -1);
            ++named;
        } else if (report.reason != ISO_STEP_REASON_NONE) {
            assert_int_equal(report.reason, ISO_STEP_REASON_ROUNDING);
        }
    }
    print_message("%s: %d of %d steps slow, %d of them by rounding; %d iterations at most\n",
                  c->name, slow, STEPS, slow - named, most);
    iso_world_destroy(world);
    iso_model_destroy(model);
    return named;
}

static chain chain_of(const char* name, iso_step_reason reason) {
    chain c = k_free;
    c.name = name;
    c.reason = reason;
    return c;
}

static void slow_steps_name_the_law_that_bends(void** state) {
    (void)state;
    chain chains[8];
    chains[0] = chain_of("limits", ISO_STEP_REASON_LIMIT);
    chains[0].limit = 0.1;
    chains[1] = chain_of("drives", ISO_STEP_REASON_DRIVE);
    chains[1].drive_limit = 500.0;
    chains[2] = chain_of("sums of drives", ISO_STEP_REASON_DRIVE);
    chains[2].summed_limit = 500.0;
    chains[3] = chain_of("dry friction", ISO_STEP_REASON_JOINT_FRICTION);
    chains[3].friction = 500.0;
    chains[4] = chain_of("limits, and drives that reach none", ISO_STEP_REASON_LIMIT);
    chains[4].limit = 0.1;
    chains[4].drive_limit = 1e9;
    chains[4].drive_gain = 10.0;
    chains[5] = chain_of("drives of tendons", ISO_STEP_REASON_DRIVE);
    chains[5].tendon_limit = 500.0;
    chains[5].body = NO_BODY;
    chains[6] = chain_of("ropes", ISO_STEP_REASON_CONSTRAINT);
    chains[6].rope_slack = 0.02;
    chains[6].body = NO_BODY;
    chains[7] = chain_of("dry friction of the last joints", ISO_STEP_REASON_JOINT_FRICTION);
    chains[7].friction = 500.0;
    chains[7].first = LINKS - 3;
    iso_context* ctx = test_context();
    for (int i = 0; i < 8; ++i) {
        int named = count_named(ctx, &chains[i]);
        CHECK(named > 0, "%s: never named", chains[i].name);
    }
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slow_steps_name_the_law_that_bends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
