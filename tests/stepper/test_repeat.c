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

// --- pairs of earlier steps ----------------------------------------------------------------------

// Bodies, and geometries in their order: candidates of the block come after that of what is aside.
enum { ASIDE = 1, BLOCK, LATER, EARLIER, DOFS = 12 };

static const iso_vec3 far_away = {0.0, 0.0, 50.0};

typedef struct vice {
    rig* rig;
    iso_vec3 places[2]; ///< of LATER and EARLIER, which are fixed
} vice;

static void put_fixed(const void* user, double elapsed, iso_kinematics* kinematics) {
    const vice* v = user;
    (void)elapsed;
    for (int i = 0; i < 2; ++i) {
        kinematics->x_wb[LATER + i] = iso_pose_from_position(v->places[i]);
    }
}

static vice make_vice(void) {
    vice v = {.rig = rig_make(), .places = {far_away, far_away}};
    rig* r = v.rig;
    r->settings.method = ISO_METHOD_LAGGED;
    iso_contact_material soft = rig_material(1e6, 1.0, 0.5), ground = rig_material(0.0, 0.0, 0.5);
    iso_contact_material smooth = rig_material(0.0, 0.0, 0.0);
    const iso_vec3 size = iso_vec3_make(0.1, 0.1, 0.1);
    rig_add_free(r, "aside", 1.0);
    rig_add_free(r, "block", 1.0);
    rig_add_body(r, "later", 0, ISO_MOBILITY_WELD, iso_vec3_make(0.0, 0.0, 1.0), 1.0, 1.0);
    rig_add_body(r, "earlier", 0, ISO_MOBILITY_WELD, iso_vec3_make(0.0, 0.0, 1.0), 1.0, 1.0);
    rig_add_shape(r, ASIDE, ISO_SHAPE_BOX, size, &soft, iso_pose_identity());
    rig_add_shape(r, BLOCK, ISO_SHAPE_BOX, size, &soft, iso_pose_identity());
    rig_add_shape(r, LATER, ISO_SHAPE_BOX, size, &smooth, iso_pose_identity());
    rig_add_shape(r, 0, ISO_SHAPE_HALF_SPACE, size, &ground, iso_pose_identity());
    rig_add_shape(r, EARLIER, ISO_SHAPE_BOX, size, &smooth, iso_pose_identity());
    rig_finish(r);
    for (int i = 0; i < 2; ++i) {
        rig_set_free(r, ASIDE + i, iso_pose_from_position(iso_vec3_make(i, 0.0, 0.04998)),
                     iso_spatial_zero());
    }
    return v;
}

static void step_vice(vice* v) {
    rig* r = v->rig;
    rig_update(r);
    put_fixed(v, 0.0, &r->kinematics);
    iso_step_input input = rig_input(r);
    input.kinematics = &r->kinematics;
    input.place_moved = put_fixed;
    input.place_user = v;
    r->output.q = r->q;
    r->output.v = r->v;
    CHECK_OK(r->ctx, iso_stepper_step(r->stepper, &input, &r->output));
    r->time += r->settings.time_step;
    r->memory_count = r->output.contacts.memory_count;
    memcpy(r->memories, r->output.contacts.memories, (size_t)r->memory_count * sizeof *r->memories);
}

// What fixed bodies press the block with, about its origin.
static iso_spatial press_on_block(const rig* r) {
    iso_spatial sum = iso_spatial_zero();
    for (int i = 0; i < r->output.contacts.set.pair_count; ++i) {
        const iso_contact_pair* pair = &r->output.contacts.set.pairs[i];
        if (pair->body_a == BLOCK && pair->body_b >= LATER) {
            iso_vec3 f = iso_vec3_neg(r->output.contacts.f_b_w[i].translational);
            iso_vec3 arm = iso_vec3_sub(pair->p_wc, r->kinematics.x_wb[BLOCK].p);
            iso_vec3 moment = iso_vec3_neg(r->output.contacts.f_b_w[i].rotational);
            moment = iso_vec3_add(moment, iso_vec3_cross(arm, f));
            sum = iso_spatial_add(sum, iso_spatial_make(moment, f));
        }
    }
    return sum;
}

// The state of another rig, but for what `later` remembers of the block.
static void take_state(const rig* from, rig* to) {
    iso_pair_memory later = {.geometry_a = -1};
    for (int i = 0; i < to->memory_count; ++i) {
        bool is_later = to->memories[i].geometry_a == 1 && to->memories[i].geometry_b == 2;
        later = is_later ? to->memories[i] : later;
    }
    copy_state(from, to);
    to->memory_count = 0;
    for (int i = 0; i < from->memory_count; ++i) {
        if (from->memories[i].geometry_a == 1 && later.geometry_a == 1) {
            to->memories[to->memory_count++] = later;
            later.geometry_a = -1;
        }
        to->memories[to->memory_count++] = from->memories[i];
    }
}

/// A block is held by friction against one press. Then by the same friction while another press
/// and a wrench do what that one did, and then the first one is back, but so is the wrench.
static void a_pair_of_an_earlier_step_is_solved(void** state) {
    (void)state;
    vice v = make_vice(), fresh = make_vice();
    rig *r = v.rig, *kept = calloc(1, sizeof *kept);
    const iso_vec3 left = iso_vec3_make(1.0 - 0.1 + 2e-5, 0.0, 0.12);
    const iso_vec3 right = iso_vec3_make(1.0 + 0.1 - 1e-5, 0.0, 0.12);
    v.places[1] = left;
    for (int i = 0; i < 1000; ++i) {
        step_vice(&v);
    }
    memcpy(kept, r, sizeof *kept);
    iso_spatial first = press_on_block(r);
    CHECK(first.translational.x > 0.1, "a press of %g N", first.translational.x);

    v.places[0] = right;
    v.places[1] = far_away;
    bool is_still = false;
    for (int i = 0; i < 50; ++i) {
        take_state(kept, r);
        rig_set_free(r, ASIDE, iso_pose_from_position(iso_vec3_make(0.0, 0.0, 9.0)),
                     iso_spatial_zero());
        step_vice(&v);
        is_still = memcmp(r->v + 6, kept->v + 6, 6 * sizeof *r->v) == 0;
        r->f_b_w[BLOCK] = i < 40 ? iso_spatial_sub(first, press_on_block(r)) : r->f_b_w[BLOCK];
    }
    CHECK(is_still, "the block moves at %g m/s",
          iso_vec3_norm(iso_vec3_make(r->v[9], r->v[10], r->v[11])));

    v.places[0] = fresh.places[0] = far_away;
    v.places[1] = fresh.places[1] = left;
    copy_state(kept, r);
    copy_state(kept, fresh.rig);
    memcpy(fresh.rig->f_b_w, r->f_b_w, sizeof r->f_b_w);
    step_vice(&v);
    step_vice(&fresh);
    CHECK_ARRAY_BITS(r->q, fresh.rig->q, 14);
    CHECK_ARRAY_BITS(r->v, fresh.rig->v, DOFS);
    CHECK(r->v[9] != kept->v[9], "the wrench moves nothing");
    free(kept);
    rig_destroy(r);
    rig_destroy(fresh.rig);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_rests_is_solved_with_what_is_not_solved_at_once),
        cmocka_unit_test(a_pair_of_an_earlier_step_is_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
