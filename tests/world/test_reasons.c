// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// What a slow step gives as its reason: the only law that bends in a chain of links, and a body
// that feels it.

#include "world/mechanisms.h"

#include <stdio.h>

enum { LINKS = 12, STEPS = 5 };

typedef struct chain {
    const char* name;
    double friction;     // of every joint but the first
    double limit;        // of its angle, both sides
    double drive_limit;  // of the effort of each drive on it
    double summed_limit; // of that of both together
    iso_step_reason reason;
} chain;

// All but the first; body 0 is the world.
static bool is_bound(int body) {
    return body > 1;
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
        if (is_bound(body)) {
            joint.friction = c->friction;
            joint.effort_limit = c->summed_limit;
            joint.upper = c->limit;
            joint.lower = -c->limit;
        }
        int index = -1;
        CHECK_OK(ctx, iso_model_add_joint(model, &joint, &index));
        bool is_driven = isfinite(c->drive_limit) || isfinite(c->summed_limit);
        for (int k = 0; is_driven && is_bound(body) && k < 2; ++k) {
            iso_actuator_desc drive = iso_actuator_desc_default();
            char drive_name[40];
            (void)snprintf(drive_name, sizeof drive_name, "drive%d_%d", i, k);
            drive.name = drive_name;
            drive.joint = index;
            drive.kp = 1e5;
            drive.kd = 1e3 * (k + 1);
            drive.effort_limit = c->drive_limit;
            CHECK_OK(ctx, iso_model_add_actuator(model, &drive, NULL));
        }
        parent = body;
    }
    return world_of(ctx, model, ISO_METHOD_SAP, 1e-2, 1e-3);
}

static void slow_steps_name_the_law_that_bends(void** state) {
    (void)state;
    static const chain chains[] = {
        {"limits", 0.0, 0.1, INFINITY, INFINITY, ISO_STEP_REASON_LIMIT},
        {"drives", 0.0, INFINITY, 500.0, INFINITY, ISO_STEP_REASON_DRIVE},
        {"sums of drives", 0.0, INFINITY, INFINITY, 500.0, ISO_STEP_REASON_DRIVE},
        {"dry friction", 500.0, INFINITY, INFINITY, INFINITY, ISO_STEP_REASON_JOINT_FRICTION},
    };
    iso_context* ctx = test_context();
    for (size_t i = 0; i < sizeof chains / sizeof *chains; ++i) {
        iso_model* model = make_model(ctx);
        iso_world* world = make_chain(ctx, model, &chains[i]);
        int slow = 0, named = 0, most = 0;
        for (int s = 0; s < STEPS; ++s) {
            CHECK_OK(ctx, iso_world_step(world));
            iso_step_report report = iso_world_step_report(world);
            most = report.iterations > most ? report.iterations : most;
            assert_int_equal(report.reason != ISO_STEP_REASON_NONE, report.iterations > 5);
            slow += report.reason != ISO_STEP_REASON_NONE;
            if (report.reason == chains[i].reason) {
                assert_true(is_bound(report.reason_body_a));
                assert_int_equal(report.reason_body_b, -1);
                ++named;
            } else if (report.reason != ISO_STEP_REASON_NONE) {
                assert_int_equal(report.reason, ISO_STEP_REASON_ROUNDING);
            }
        }
        print_message("%s: %d of %d steps slow, %d of them by rounding; %d iterations at most\n",
                      chains[i].name, slow, STEPS, slow - named, most);
        assert_true(named > 0);
        iso_world_destroy(world);
        iso_model_destroy(model);
    }
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slow_steps_name_the_law_that_bends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
