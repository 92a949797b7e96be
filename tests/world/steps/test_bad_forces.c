// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Forces of a user's that jump, are no numbers or grow without bound, and what goes too far: every
// method gets past them or fails after bounded work, names what and when, and keeps the last good
// state.

#include "math/limits.h"
#include "support/failing_context.h"
#include "support/kept_warning.h"
#include "support/random.h"
#include "world/scenes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SUBSTEPS 300

static const iso_method k_methods[] = {
    ISO_METHOD_RK4,    ISO_METHOD_RK23,  ISO_METHOD_RK45,     ISO_METHOD_RADAU, ISO_METHOD_CVODE,
    ISO_METHOD_LAGGED, ISO_METHOD_TAMSI, ISO_METHOD_MIDPOINT, ISO_METHOD_SAP,   ISO_METHOD_SIMILAR};
enum { METHODS = sizeof k_methods / sizeof *k_methods, CONTINUOUS = 5 };

// --- laws of friction ----------------------------------------------------------------------------

typedef enum bad_kind {
    GIVES_NAN,
    GIVES_INFINITY,
    JUMPS_UP,   // bang-bang: brakes from there on, so that what slides stays at the jump
    JUMPS_DOWN, // lets go
    FLIPS,      // by each bit of the speed
    DRIVES,     // ever more
    KINDS
} bad_kind;

typedef struct bad_law {
    bad_kind kind;
    double limit; ///< speed from which on it is bad [m/s]
    long long calls;
} bad_law;

static double noise(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = (bits ^ (bits >> 31)) * 0x9e3779b97f4a7c15u;
    return (double)(bits >> 11) * 0x1p-53;
}

static double coefficient(void* user, const iso_friction_params* pair, double speed) {
    bad_law* law = user;
    double good = pair->friction_dynamic * speed / (speed + pair->velocity);
    ++law->calls;
    if (speed < law->limit) {
        return good;
    }
    switch (law->kind) {
    case GIVES_NAN:
        return NAN;
    case GIVES_INFINITY:
        return INFINITY;
    case JUMPS_UP:
        return 8.0 * good;
    case JUMPS_DOWN:
        return 0.0;
    case FLIPS:
        return 16.0 * noise(speed);
    case DRIVES:
        return -exp(fmin(40.0 * (speed / law->limit - 1.0), 600.0));
    case KINDS:
        break;
    }
    return good;
}

// A ball that slides down a floor, too heavy to roll.
static iso_world* make_slider(iso_context* ctx, iso_method method, double lean, bad_law* law) {
    iso_model* model = make_model(ctx);
    iso_mat3 flat = iso_mat3_identity();
    int ball = add_body(ctx, model, "ball", 0.5, iso_vec3_make(1e9, 1e9, 1e9));
    iso_geometry_desc desc = iso_geometry_desc_default();
    desc.name = "skin";
    desc.shape = iso_shape_desc_default(ISO_SHAPE_SPHERE);
    desc.shape.radius = 0.05;
    desc.material.compliance = ISO_COMPLIANCE_COMPLIANT;
    desc.material.modulus = 1e6;
    desc.material.resolution_hint = 0.03;
    desc.material.friction_static = desc.material.friction_dynamic = 0.2;
    iso_pose at = iso_pose_from_position(iso_vec3_make(0.0, 0.0, 0.0495));
    add_ground(ctx, model, 0.2, &flat);
    CHECK_OK(ctx, iso_model_add_geometry(model, ball, &desc, NULL));
    CHECK_OK(ctx, iso_model_set_free_pose(model, ball, &at));
    iso_world_desc settings = iso_world_desc_default();
    settings.method = method;
    settings.time_step = 5e-3;
    settings.accuracy = 1e-5;
    settings.error_control = iso_method_is_velocity_level(method);
    settings.max_substeps = SUBSTEPS;
    settings.contact.stiction_velocity = 1e-4;
    if (law) {
        settings.contact.friction_law = ISO_FRICTION_OWN;
        settings.contact.own_friction = (iso_own_friction){coefficient, NULL, law};
    }
    settings.gravity = iso_vec3_make(9.81 * sin(lean), 0.0, -9.81 * cos(lean));
    iso_world* world = make_world(ctx, model, &settings);
    iso_model_destroy(model);
    return world;
}

// After a step that may have failed: what must hold.
static void check_outcome(iso_context* ctx, iso_world* world, iso_status status, uint64_t before,
                          double time) {
    iso_spatial v = iso_world_body_twist(world, 1);
    CHECK(iso_vec3_is_finite(v.translational), "speed %g", v.translational.x);
    if (status == ISO_OK) {
        return;
    }
    char step[64];
    snprintf(step, sizeof step, "at t = %g s", time);
    CHECK(status == ISO_ERR_NUMERIC || status == ISO_ERR_NO_CONVERGENCE, "status %d: %s",
          (int)status, iso_context_error(ctx));
    CHECK_ERROR(ctx, "step ");
    CHECK_ERROR(ctx, step);
    CHECK(strstr(iso_context_error(ctx), "ball") != NULL, "nobody is named: %s",
          iso_context_error(ctx));
    assert_true(iso_world_state_hash(world) == before);
    CHECK_BITS(iso_world_time(world), time);
}

static void bad_laws_end_in_bounded_work(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    test_random random = test_random_make(11);
    for (int m = 0; m < CONTINUOUS; ++m) {
        for (int kind = 0; kind < KINDS; ++kind) {
            bad_law law = {(bad_kind)kind, test_random_uniform(&random, 0.15, 0.4), 0};
            double lean = test_random_uniform(&random, 0.6, 1.0);
            iso_world* world = make_slider(ctx, k_methods[m], lean, &law);
            iso_status status = ISO_OK;
            uint64_t before = 0;
            double time = 0.0;
            long long most = 0;
            bool is_no_number = kind == GIVES_NAN || kind == GIVES_INFINITY || kind == DRIVES;
            for (int i = 0; i < 30 && status == ISO_OK; ++i) {
                before = iso_world_state_hash(world);
                time = iso_world_time(world);
                law.calls = 0;
                status = iso_world_step(world);
                most = law.calls > most ? law.calls : most;
            }
            if (status != ISO_OK) {
                CHECK_ERROR(ctx, is_no_number
                                     ? "own friction law gives no coefficient >= 0 between "
                                       "'ball::skin' and 'world::ground' at slip speeds"
                                     : "own friction law, expected continuous");
            }
            check_outcome(ctx, world, status, before, time);
            CHECK(status != ISO_OK || !is_no_number, "method %d went on", (int)k_methods[m]);
            CHECK_AT_MOST((double)most, 2e5); // measured 6.5e4: 300 substeps of 200
            iso_world_destroy(world);
        }
    }
    test_context_destroy(ctx);
}

// --- forces of each step -------------------------------------------------------------------------

typedef enum push_kind { BANGS, GROWS, PUSHES } push_kind;

// A force that changes sides at random, or is ten thousand times as large in each step.
static double push_of(push_kind kind, test_random* random, double last) {
    return kind == GROWS ? 1e4 * last : test_random_uniform(random, 0.0, 1.0) < 0.5 ? -60.0 : 60.0;
}

static void bad_pushes_end_in_bounded_work(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    test_random random = test_random_make(12);
    for (int m = 0; m < METHODS; ++m) {
        for (int kind = 0; kind < PUSHES; ++kind) {
            iso_world* world = make_slider(ctx, k_methods[m], 0.1, NULL);
            iso_status status = ISO_OK;
            uint64_t before = 0;
            double time = 0.0, push = 1e-3;
            for (int i = 0; i < 60 && status == ISO_OK; ++i) {
                push = push_of((push_kind)kind, &random, push);
                iso_spatial f = iso_spatial_make(iso_vec3_zero(), iso_vec3_make(push, 0.0, 0.0));
                CHECK_OK(ctx, iso_world_apply_wrench(world, 1, f));
                before = iso_world_state_hash(world);
                time = iso_world_time(world);
                status = iso_world_step(world);
                assert_in_range(iso_world_step_report(world).substep_count, 0, SUBSTEPS);
            }
            check_outcome(ctx, world, status, before, time);
            CHECK(status != ISO_OK || kind != GROWS, "method %d went on", (int)k_methods[m]);
            iso_spatial none = iso_spatial_make(iso_vec3_zero(), iso_vec3_make(NAN, 0.0, 0.0));
            CHECK_STATUS(ctx, iso_world_apply_wrench(world, 1, none), ISO_ERR_RANGE);
            CHECK_ERROR(ctx,
                        "wrench on body 'ball' is (0, 0, 0) N m, (nan, 0, 0) N, expected finite");
            iso_world_destroy(world);
        }
    }
    test_context_destroy(ctx);
}

// --- states out of all places --------------------------------------------------------------------

static iso_vec3 along(test_random* random, double size) {
    int axis = (int)test_random_uniform(random, 0.0, 2.999);
    double x = test_random_uniform(random, 0.0, 1.0) < 0.5 ? -size : size;
    return iso_vec3_make(axis == 0 ? x : 0.3, axis == 1 ? x : -0.2, axis == 2 ? fabs(x) : 1.0);
}

static void what_leaves_the_scene_is_said(void** state) {
    (void)state;
    for (int i = 0; i < 6 * METHODS; ++i) {
        iso_method method = k_methods[i % METHODS];
        test_random random = test_random_make((uint64_t)i + 40);
        kept_warning kept;
        iso_context* ctx = warned_context_of(&kept, "left the scene");
        iso_world* world = make_slider(ctx, method, 0.0, NULL);
        double far = pow(10.0, test_random_uniform(&random, 5.0, 12.0));
        iso_vec3 p = along(&random, far), v = iso_vec3_scale(p, 1.0 / iso_vec3_norm(p) * far);
        iso_pose x = iso_pose_from_position(p);
        CHECK_OK(ctx, iso_world_set_free_body(world, 1, &x, iso_spatial_make(iso_vec3_zero(), v)));
        iso_status status = ISO_OK;
        uint64_t before = 0;
        double time = 0.0, gone = far;
        for (int n = 0; n < 30 && status == ISO_OK; ++n) {
            before = iso_world_state_hash(world);
            time = iso_world_time(world);
            status = iso_world_step(world);
            gone = status == ISO_OK ? iso_vec3_max_abs(iso_world_body_pose(world, 1).p) : gone;
            assert_in_range(iso_world_step_report(world).substep_count, 0, SUBSTEPS);
        }
        check_outcome(ctx, world, status, before, time);
        int expected = gone > 1e6 && iso_world_step_count(world) > 0 ? 1 : 0;
        CHECK(kept.count == expected, "draw %d: %d warnings at %g m", i, kept.count, gone);
        CHECK(expected == 0 || strstr(kept.text, "body 'ball'") != NULL, "%s", kept.text);
        if (status != ISO_OK) { // it is too far, and no other reason is given
            CHECK(strstr(iso_context_error(ctx), "expected at most 1e+12") != NULL ||
                      strstr(iso_context_error(ctx), "as doubles know") != NULL,
                  "draw %d, method %d: %s", i, (int)method, iso_context_error(ctx));
        }
        iso_world_destroy(world);
        iso_context_destroy(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_laws_end_in_bounded_work),
        cmocka_unit_test(bad_pushes_end_in_bounded_work),
        cmocka_unit_test(what_leaves_the_scene_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
