// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Couplers with a curve, and those that are switched: drawn polynomials, and every failure.

#include "support/failing_context.h"
#include "support/random.h"
#include "world/mechanisms.h"

#include "isobar/state.h"

#include <math.h>
#include <stdlib.h>

enum { CASES = 12 };

static double value_at(const iso_coupler_desc* c, double q) {
    return c->offset + q * (c->ratio + q * (c->curve[0] + q * (c->curve[1] + q * c->curve[2])));
}

static iso_coupler_desc draw_coupler(test_random* random) {
    iso_coupler_desc c = iso_coupler_desc_default();
    c.name = "cam";
    c.joint_a = 0;
    c.joint_b = 1;
    c.offset = test_random_uniform(random, -0.2, 0.2);
    c.ratio = test_random_uniform(random, -0.5, 0.5);
    for (int i = 0; i < ISO_COUPLER_CURVE; ++i) {
        c.curve[i] = test_random_uniform(random, -0.3, 0.3);
    }
    return c;
}

/// Two joints of drawn kinds on the world or on each other, and a coupler between them.
static iso_model* make_cam(iso_context* ctx, test_random* random, const iso_coupler_desc* coupler) {
    iso_model* model = make_model(ctx);
    bool is_chain = test_random_uniform(random, 0.0, 1.0) < 0.5;
    for (int i = 0; i < 2; ++i) {
        const char* name = i == 0 ? "a" : "b";
        bool is_slide = test_random_uniform(random, 0.0, 1.0) < 0.4;
        int body = add_lopsided(ctx, model, name);
        iso_joint_desc joint =
            joint_between(name, is_slide ? ISO_JOINT_PRISMATIC : ISO_JOINT_REVOLUTE,
                          i == 1 && is_chain ? 1 : ISO_WORLD_BODY, body);
        joint.axis = iso_vec3_normalized(iso_vec3_make(0.3, 1.0, -0.2));
        joint.position = 0.2;
        CHECK_OK(ctx, iso_model_add_joint(model, &joint, NULL));
    }
    CHECK_OK(ctx, iso_model_add_coupler(model, coupler, NULL));
    return model;
}

static void set_positions(iso_context* ctx, iso_world* world, double a, double b) {
    double q[2];
    q[iso_world_coordinates(world, iso_world_find_body(world, "a")).q_index] = a;
    q[iso_world_coordinates(world, iso_world_find_body(world, "b")).q_index] = b;
    CHECK_OK(ctx, iso_world_set_state(world, q, (const double[]){0.0, 0.0}));
}

static void residual_and_slope_are_those_of_the_polynomial(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    test_random random = test_random_make(7);
    double worst = 0.0, worst_slope = 0.0;
    for (int i = 0; i < CASES; ++i) {
        iso_coupler_desc c = draw_coupler(&random);
        iso_model* model = make_cam(ctx, &random, &c);
        iso_world* world = make_world(ctx, model, NULL);
        double a = test_random_uniform(&random, -1.5, 1.5), h = 1e-5;
        set_positions(ctx, world, a, 0.3);
        iso_coupler_state at = iso_world_coupler(world, 0);
        double slope = (value_at(&c, a + h) - value_at(&c, a - h)) / (2.0 * h);
        worst = fmax(worst, fabs(at.residual - (0.3 - value_at(&c, a))));
        worst_slope = fmax(worst_slope, fabs(at.slope - slope));
        assert_true(at.is_on);
        iso_world_destroy(world);
        iso_model_destroy(model);
    }
    CHECK_NEAR(worst, 0.0, 1e-14);      // measured 1.1e-16
    CHECK_NEAR(worst_slope, 0.0, 1e-9); // 1.1e-10: of the difference
    test_context_destroy(ctx);
}

// Gravity pulls; gaps are of the order of the step's square, or of the accuracy.
static void joints_stay_on_their_curve_by_every_method(void** state) {
    (void)state;
    static const iso_method methods[] = {METHODS_OF_EVERY_KIND};
    iso_context* ctx = test_context();
    test_random random = test_random_make(11);
    double worst = 0.0;
    for (int i = 0; i < 2 * CASES; ++i) {
        iso_coupler_desc c = draw_coupler(&random);
        iso_model* model = make_cam(ctx, &random, &c);
        iso_world_desc desc = iso_world_desc_default();
        desc.method = methods[i % (int)(sizeof methods / sizeof *methods)];
        desc.time_step = 1e-3;
        iso_world* world = make_world(ctx, model, &desc);
        for (int k = 0; k < 100; ++k) {
            CHECK_OK(ctx, iso_world_step(world));
            worst = fmax(worst, fabs(iso_world_coupler(world, 0).residual));
        }
        assert_true(iso_world_coupler(world, 0).effort != 0.0);
        iso_world_destroy(world);
        iso_model_destroy(model);
    }
    CHECK_NEAR(worst, 0.0, 2e-5); // measured 1.3e-6
    test_context_destroy(ctx);
}

// What the leader can reach is enclosed: nothing that fits is refused, what cannot fit is.
static void limits_that_leave_room_are_never_refused(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    test_random random = test_random_make(3);
    int refused = 0;
    for (int i = 0; i < 200; ++i) {
        iso_coupler_desc c = draw_coupler(&random);
        iso_model* model = make_model(ctx);
        double lower[2], upper[2];
        for (int k = 0; k < 2; ++k) {
            const char* name = k == 0 ? "a" : "b";
            int body = add_lopsided(ctx, model, name);
            iso_joint_desc joint = joint_between(name, ISO_JOINT_REVOLUTE, ISO_WORLD_BODY, body);
            joint.lower = lower[k] = test_random_uniform(&random, -2.0, 1.0);
            joint.upper = upper[k] = lower[k] + test_random_uniform(&random, 0.1, 1.0);
            joint.position = lower[k];
            CHECK_OK(ctx, iso_model_add_joint(model, &joint, NULL));
        }
        bool fits = false;
        for (int k = 0; k <= 100; ++k) {
            double b = value_at(&c, lower[0] + 0.01 * k * (upper[0] - lower[0]));
            fits = fits || (b >= lower[1] && b <= upper[1]);
        }
        iso_status status = iso_model_add_coupler(model, &c, NULL);
        CHECK(status == ISO_OK || (status == ISO_ERR_RANGE && !fits), "case %d: %s", i,
              iso_context_error(ctx));
        refused += status != ISO_OK;
        iso_model_destroy(model);
    }
    CHECK(refused > 100, "%d refused", refused); // measured 141
    test_context_destroy(ctx);
}

static void what_is_off_is_open_and_a_state_carries_switches(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    test_random random = test_random_make(5);
    iso_coupler_desc c = draw_coupler(&random);
    c.is_off = true;
    iso_model* model = make_cam(ctx, &random, &c);
    iso_world* world = make_world(ctx, model, NULL);
    iso_world* other = make_world(ctx, model, NULL);
    size_t size = 0;
    set_positions(ctx, world, 0.4, value_at(&c, 0.4) + 0.2);
    CHECK_STATUS(ctx, iso_world_switch_coupler(world, 0, true), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "coupler 'cam' would close a gap of 0.2");
    CHECK_STATUS(ctx, iso_world_switch_coupler(world, 1, true), ISO_ERR_RANGE);
    set_positions(ctx, world, 0.4, value_at(&c, 0.4) + 0.001);
    CHECK_OK(ctx, iso_world_step(world));
    assert_true(!iso_world_coupler(world, 0).is_on && iso_world_coupler(world, 0).effort == 0.0);
    CHECK_OK(ctx, iso_world_switch_coupler(world, iso_world_find_coupler(world, "cam"), true));
    void* bytes = malloc(iso_world_state_size(world));
    CHECK_OK(ctx, iso_world_save(world, bytes, iso_world_state_size(world), &size));
    CHECK_OK(ctx, iso_world_restore(other, bytes, size));
    free(bytes);
    assert_true(iso_world_coupler(other, 0).is_on);
    for (int i = 0; i < 20; ++i) {
        CHECK_OK(ctx, iso_world_step(world));
        CHECK_OK(ctx, iso_world_step(other));
    }
    assert_true(iso_world_state_hash(world) == iso_world_state_hash(other));
    CHECK_NEAR(iso_world_coupler(world, 0).residual, 0.0, 1e-5);
    CHECK_OK(ctx, iso_world_switch_coupler(world, 0, false));
    assert_true(iso_world_coupler(world, 0).effort == 0.0);
    iso_world_destroy(other);
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

static iso_status switch_once(iso_context* ctx, void* user) {
    (void)user;
    iso_model* model = NULL;
    iso_world* world = NULL;
    iso_coupler_desc cam = iso_coupler_desc_default();
    cam.name = "cam";
    cam.joint_a = 0;
    cam.joint_b = 1;
    cam.curve[1] = 0.3;
    cam.is_off = true;
    iso_status status = iso_model_create(ctx, &model);
    for (int i = 0; i < 2 && status == ISO_OK; ++i) {
        iso_body_desc body = iso_body_desc_default();
        body.name = i == 0 ? "a" : "b";
        iso_joint_desc joint = joint_between(body.name, ISO_JOINT_REVOLUTE, ISO_WORLD_BODY, i + 1);
        status = iso_model_add_body(model, &body, NULL);
        status = status == ISO_OK ? iso_model_add_joint(model, &joint, NULL) : status;
    }
    status = status == ISO_OK ? iso_model_add_coupler(model, &cam, NULL) : status;
    status = status == ISO_OK ? iso_world_create(ctx, model, NULL, &world) : status;
    if (status == ISO_OK) {
        status = iso_world_switch_coupler(world, 0, true);
        assert_true(iso_world_coupler(world, 0).is_on == (status == ISO_OK));
    }
    iso_world_destroy(world);
    iso_model_destroy(model);
    return status;
}

static void switching_survives_every_allocation_failure(void** state) {
    (void)state;
    int count = check_every_allocation_failure(switch_once, NULL);
    CHECK(count > 20, "%d allocations", count);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(residual_and_slope_are_those_of_the_polynomial),
        cmocka_unit_test(joints_stay_on_their_curve_by_every_method),
        cmocka_unit_test(limits_that_leave_room_are_never_refused),
        cmocka_unit_test(what_is_off_is_open_and_a_state_carries_switches),
        cmocka_unit_test(switching_survives_every_allocation_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
