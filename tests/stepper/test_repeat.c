// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// What rests is not solved again, beside something that Newton's method does not solve at once.

#include "stepper/rig.h"
#include "support/random.h"

#include <math.h>

enum { SETTLING = 400, TRIES = 60, STEPS = 3 };

static rig* make_two(int iterations) {
    rig* r = rig_make();
    r->settings.method = ISO_METHOD_LAGGED;
    r->settings.gravity = iso_vec3_make(1.0, 0.5, -9.8); // what rests leans on its friction
    iso_contact_material soft = rig_material(1e7, 1.0, 0.7), ground = rig_material(0.0, 0.0, 0.7);
    static const char* const names[] = {"resting", "thrown"};
    for (int i = 0; i < 2; ++i) {
        int body = rig_add_free(r, names[i], 1.0);
        rig_add_shape(r, body, ISO_SHAPE_BOX, iso_vec3_make(0.1, 0.1, 0.1), &soft,
                      iso_pose_identity());
    }
    rig_add_shape(r, 0, ISO_SHAPE_HALF_SPACE, iso_vec3_make(1.0, 1.0, 1.0), &ground,
                  iso_pose_identity());
    rig_finish(r);
    r->stepper->convex.max_iterations = iterations;
    for (int i = 0; i < 2; ++i) {
        rig_set_free(r, 1 + i, iso_pose_from_position(iso_vec3_make(i, 0.0, 0.04998)),
                     iso_spatial_zero());
    }
    return r;
}

static void copy_state(const rig* from, rig* to) {
    to->time = from->time;
    memcpy(to->q, from->q, sizeof to->q);
    memcpy(to->v, from->v, sizeof to->v);
    memcpy(to->memories, from->memories, sizeof to->memories);
    to->memory_count = from->memory_count;
    rig_update(to);
}

static void throw_one(test_random* random, rig* r) {
    double w[3], v[3];
    for (int i = 0; i < 3; ++i) {
        w[i] = test_random_uniform(random, -20.0, 20.0);
        v[i] = test_random_uniform(random, -2.0, 2.0);
    }
    iso_vec3 angles = iso_vec3_make(0.05 * w[1], 0.05 * w[2], 0.05 * w[0]);
    rig_set_free(
        r, 2,
        iso_pose_make(iso_mat3_from_rpy(angles.x, angles.y, angles.z),
                      iso_vec3_make(1.0, 0.0, test_random_uniform(random, 0.03, 0.06))),
        iso_spatial_make(iso_vec3_make(w[0], w[1], w[2]), iso_vec3_make(v[0], v[1], v[2])));
}

/// Where friction is made smoother it is for all islands: what rested then comes to the same bits
/// as with a stepper that has seen nothing at rest.
static void what_rests_is_solved_with_what_is_not_solved_at_once(void** state) {
    (void)state;
    test_random random = test_random_make(1871);
    int smoothed = 0;
    for (int i = 0; i < TRIES; ++i) {
        int iterations = 2 + i % 6;
        rig* r = make_two(100);
        rig* fresh = make_two(iterations);
        rig_step(r, SETTLING);
        double q[7];
        memcpy(q, r->q, sizeof q);
        rig_step(r, 1);
        CHECK_ARRAY_BITS(r->q, q, 7);
        r->stepper->convex.max_iterations = iterations;
        throw_one(&random, r);
        copy_state(r, fresh);
        for (int step = 0; step < STEPS; ++step) {
            iso_status status = rig_try_step(r);
            assert_int_equal(rig_try_step(fresh), status);
            if (status != ISO_OK) {
                break;
            }
            smoothed += r->output.report.total_iterations > iterations;
            CHECK_ARRAY_BITS(r->q, fresh->q, 14);
            CHECK_ARRAY_BITS(r->v, fresh->v, 12);
            assert_int_equal(r->output.report.total_iterations,
                             fresh->output.report.total_iterations);
        }
        rig_destroy(r);
        rig_destroy(fresh);
    }
    CHECK(smoothed > TRIES / 4, "%d steps had their friction smoothed", smoothed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_rests_is_solved_with_what_is_not_solved_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
