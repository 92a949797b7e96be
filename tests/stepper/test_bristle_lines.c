// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The Jacobian of implicit methods with bristles: against central differences of the rates of
// motion and memory, in drawn states of balls on a floor and on each other.

#include "stepper/flow_differences.h"

#include "stepper/flow/flow_jacobian.h"
#include "stepper/flow/flow_memory.h"
#include "support/random.h"

#define RADIUS 0.05

static iso_contact_material draw_material(test_random* random, iso_contact_model_kind model) {
    double friction = test_random_uniform(random, 0.2, 0.8);
    iso_contact_material m = rig_material(pow(10.0, test_random_uniform(random, 5.0, 6.5)),
                                          test_random_uniform(random, 0.1, 2.0), friction);
    m.model = model;
    m.friction_static = 1.2 * friction;
    m.bristle_stiffness = pow(10.0, test_random_uniform(random, 2.0, 4.0));
    m.bristle_viscous = test_random_uniform(random, 0.0, 0.5);
    m.stribeck_speed = test_random_uniform(random, 0.1, 1.0);
    m.dwell_time = test_random_uniform(random, 0.01, 0.2);
    return m;
}

// Two balls: one on the floor, the other on it and, in half of the seeds, on the floor as well.
static rig* draw_world(uint64_t seed) {
    test_random random = test_random_make(seed);
    iso_contact_model_kind model =
        seed % 2 ? ISO_CONTACT_MODEL_HERTZ : ISO_CONTACT_MODEL_VOLUMETRIC;
    rig* r = rig_make();
    r->settings.method = ISO_METHOD_RADAU;
    r->settings.accuracy = 1e-6;
    r->settings.time_step = 0.02;
    iso_contact_material ground = rig_material(0.0, 0.0, 0.6);
    rig_add_shape(r, 0, ISO_SHAPE_HALF_SPACE, iso_vec3_make(1.0, 1.0, 1.0), &ground,
                  iso_pose_identity());
    iso_contact_material soft = draw_material(&random, model);
    static const char* const names[] = {"a", "b"};
    for (int i = 0; i < 2; ++i) {
        int body = rig_add_free(r, names[i], test_random_uniform(&random, 0.5, 2.0));
        rig_add_shape(r, body, ISO_SHAPE_SPHERE, iso_vec3_make(RADIUS, 0.0, 0.0), &soft,
                      iso_pose_identity());
    }
    rig_finish(r);
    double deep = RADIUS * test_random_uniform(&random, 0.02, 0.1);
    double angle = seed / 2 % 2 ? 0.0 : test_random_uniform(&random, 0.3, 1.3);
    iso_vec3 first = iso_vec3_make(0.01, -0.02, RADIUS - deep);
    iso_vec3 to = iso_vec3_make(cos(angle), 0.0, sin(angle));
    iso_vec3 second = iso_vec3_add_scaled(first, to, 2.0 * RADIUS - deep);
    for (int i = 0; i < 2; ++i) {
        iso_quat turn = iso_quat_from_rotation_vector(test_random_vec3(&random, -1.0, 1.0));
        iso_pose pose = iso_pose_make(iso_mat3_from_quat(turn), i == 0 ? first : second);
        iso_vec3 w = test_random_vec3(&random, -5.0, 5.0), v = test_random_vec3(&random, -0.3, 0.3);
        v.z *= 0.1;
        rig_set_free(r, i + 1, pose, iso_spatial_make(w, v));
    }
    return r;
}

static void draw_memory(test_random* random, const iso_flow* f, double* y) {
    for (int i = 0; i < f->memory->count; ++i) {
        const iso_flow_pair* pair = &f->memory->pairs[i];
        double scales[ISO_BRISTLE_STATE_COUNT];
        iso_bristle_scales(pair->lasting, scales);
        for (int k = 0; k < ISO_BRISTLE_STATE_COUNT; ++k) {
            double low = k == 4 ? 0.0 : -0.3, high = k == 4 ? 1.0 : 0.3;
            y[pair->first + k] = scales[k] * test_random_uniform(random, low, high);
        }
    }
}

static void the_jacobian_with_bristles_is_that_of_differences(void** state) {
    (void)state;
    double worst = 0.0, sum = 0.0;
    int count = 0;
    for (uint64_t seed = 0; seed < 40; ++seed) {
        rig* r = draw_world(seed);
        test_random random = test_random_make(seed + 1000);
        double y[MOST_NUMBERS], jacobian[MOST_NUMBERS * MOST_NUMBERS];
        get_motion(r, y);
        iso_step_input input = rig_input(r);
        iso_stages stages = {.stepper = r->stepper, .input = &input, .span = 0.02};
        CHECK_OK(r->ctx, iso_arena_reset(&r->stepper->arena));
        CHECK_OK(r->ctx, iso_stage_kinematics(&stages));
        CHECK_OK(r->ctx, iso_stage_contacts(&stages));
        assert_true(stages.set.pair_count >= 2);
        iso_flow f = {.stages = &stages, .input = input};
        CHECK_OK(r->ctx, iso_flow_begin_memory(&f));
        CHECK_OK(r->ctx, iso_flow_prepare(&f));
        assert_true(iso_flow_memory_has_lines(&f));
        int n = motion_count(r) + iso_flow_memory_count(&f);
        assert_true(n <= MOST_NUMBERS && iso_flow_memory_count(&f) == 15);
        draw_memory(&random, &f, y + motion_count(r));
        CHECK_OK(r->ctx, iso_flow_jacobian(&f, 0.0, y, jacobian));
        for (int j = 0; j < n; ++j) {
            double error = column_error(r, &f, y, jacobian, j, n);
            worst = fmax(worst, error);
            sum += error;
            ++count;
        }
        rig_destroy(r);
    }
    CHECK_AT_MOST(sum / count, 2e-5); // measured 2.9e-6
    CHECK_AT_MOST(worst, 2e-3);       // measured 4.4e-4: corners of the law within the step
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_jacobian_with_bristles_is_that_of_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
