// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// States that are saved, restored and cloned.

#include "support/failing_context.h"
#include "world/piles.h"

#include <stdlib.h>
#include <string.h>

typedef struct saved {
    unsigned char* bytes;
    size_t size;
} saved;

static saved save(iso_context* ctx, const iso_world* world) {
    saved s = {.size = iso_world_state_size(world)};
    s.bytes = malloc(s.size);
    assert_non_null(s.bytes);
    size_t written = 0;
    CHECK_OK(ctx, iso_world_save(world, s.bytes, s.size, &written));
    assert_int_equal(written, s.size);
    return s;
}

static void check_same_energy(const iso_world* a, const iso_world* b) {
    iso_energy x = iso_world_energy(a), y = iso_world_energy(b);
    CHECK_ARRAY_BITS(&x.kinetic, &y.kinetic, (int)(sizeof x / sizeof(double)));
}

/// 2 N steps are N steps, saved, restored into another world and cloned, and N steps.
static void continuation_has_the_same_bits(iso_method method, iso_friction_model friction) {
    iso_context* ctx = test_context();
    int half = method >= ISO_METHOD_RK4 ? TEST_ROUNDS(25, 10) : TEST_ROUNDS(100, 40);
    iso_world* world = make_pile_world(ctx, method, friction);
    step_many(ctx, world, half);
    iso_spatial push = iso_spatial_make(iso_vec3_zero(), iso_vec3_make(3.0, 1.0, 0.0));
    CHECK_OK(ctx, iso_world_apply_wrench(world, iso_world_find_body(world, "cube1"), push));
    saved state = save(ctx, world);
    iso_world* clone = NULL;
    CHECK_OK(ctx, iso_world_clone(world, &clone));
    step_many(ctx, world, half);
    assert_true(iso_world_contact_count(world) >= 1);

    iso_world* other = make_pile_world(ctx, method, friction);
    step_many(ctx, other, 7); // any state must go
    CHECK_OK(ctx, iso_world_restore(other, state.bytes, state.size));
    assert_int_equal(iso_world_step_count(other), half);
    assert_int_equal(iso_world_contact_count(other), 0);
    saved again = save(ctx, other);
    assert_int_equal(again.size, state.size);
    assert_memory_equal(again.bytes, state.bytes, state.size);
    step_many(ctx, other, half);
    step_many(ctx, clone, half);
    assert_true(iso_world_state_hash(other) == iso_world_state_hash(world));
    assert_true(iso_world_state_hash(clone) == iso_world_state_hash(world));
    check_same_energy(other, world);
    check_same_energy(clone, world);
    CHECK_BITS(iso_world_joint_effort(other, 0), iso_world_joint_effort(world, 0));
    iso_contact_peak p = iso_world_contact_peak(world), q = iso_world_contact_peak(other);
    CHECK_BITS(q.extent, p.extent);
    CHECK_BITS(q.time, p.time);
    assert_string_equal(q.body_name_a, p.body_name_a);

    free(state.bytes);
    free(again.bytes);
    iso_world_destroy(world); // the clone outlives what it was cloned from
    step_many(ctx, clone, 3);
    iso_world_destroy(clone);
    iso_world_destroy(other);
    test_context_destroy(ctx);
}

static void a_restored_world_steps_on_with_the_same_bits(void** state) {
    (void)state;
    continuation_has_the_same_bits(ISO_METHOD_LAGGED, ISO_FRICTION_MODEL_STICK);
    continuation_has_the_same_bits(ISO_METHOD_LAGGED, ISO_FRICTION_MODEL_REGULARIZED);
    continuation_has_the_same_bits(ISO_METHOD_SAP, ISO_FRICTION_MODEL_REGULARIZED);
    continuation_has_the_same_bits(ISO_METHOD_SIMILAR, ISO_FRICTION_MODEL_REGULARIZED);
    continuation_has_the_same_bits(ISO_METHOD_TAMSI, ISO_FRICTION_MODEL_REGULARIZED);
    continuation_has_the_same_bits(ISO_METHOD_RK4, ISO_FRICTION_MODEL_REGULARIZED);
    continuation_has_the_same_bits(ISO_METHOD_RK23, ISO_FRICTION_MODEL_REGULARIZED);
}

/// Without its memory a box on a slope would have to stretch its patch anew.
static void a_box_on_a_slope_keeps_its_stretch(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_model(ctx);
    iso_mat3 slope = iso_mat3_from_rpy(0.0, 0.26, 0.0);
    add_ground(ctx, model, 0.5, &slope);
    iso_pose x_wb = iso_pose_make(slope, iso_mat3_mul_vec3(&slope, iso_vec3_make(0, 0, 0.0499)));
    add_cube(ctx, model, "box", 0.5, &x_wb);
    iso_world* world = make_world(ctx, model, NULL);
    iso_world* other = make_world(ctx, model, NULL);
    step_many(ctx, world, 300);
    assert_true(iso_world_energy(world).stretch > 0.0);
    saved s = save(ctx, world);
    CHECK_OK(ctx, iso_world_restore(other, s.bytes, s.size));
    CHECK_BITS(iso_world_energy(other).stretch, iso_world_energy(world).stretch);
    step_many(ctx, world, 300);
    step_many(ctx, other, 300);
    assert_true(iso_world_state_hash(other) == iso_world_state_hash(world));
    free(s.bytes);
    iso_world_destroy(world);
    iso_world_destroy(other);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

static void damaged_states_are_refused_and_change_nothing(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* world = make_pile_world(ctx, ISO_METHOD_LAGGED, ISO_FRICTION_MODEL_STICK);
    step_many(ctx, world, 60);
    saved s = save(ctx, world);
    step_many(ctx, world, 1);
    uint64_t hash = iso_world_state_hash(world);
    for (size_t size = 0; size < s.size; size += size < 160 ? 1 : 37) {
        CHECK_STATUS(ctx, iso_world_restore(world, s.bytes, size), ISO_ERR_PARSE);
    }
    for (size_t i = 0; i < s.size; ++i) {
        s.bytes[i] ^= (unsigned char)(1U << (i % 8));
        iso_status status = iso_world_restore(world, s.bytes, s.size);
        assert_true(status == ISO_ERR_PARSE || (status == ISO_ERR_UNSUPPORTED && i >= 8 && i < 12));
        s.bytes[i] ^= (unsigned char)(1U << (i % 8));
    }
    s.bytes[8] = 2;
    CHECK_STATUS(ctx, iso_world_restore(world, s.bytes, s.size), ISO_ERR_UNSUPPORTED);
    CHECK_ERROR(ctx, "format version 2, expected 7");
    s.bytes[8] = 7;
    size_t size = 0;
    CHECK_STATUS(ctx, iso_world_save(world, s.bytes, 100, &size), ISO_ERR_RANGE);
    assert_true(iso_world_state_hash(world) == hash);
    CHECK_OK(ctx, iso_world_restore(world, s.bytes, s.size));
    assert_int_equal(iso_world_step_count(world), 60);
    free(s.bytes);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

static void a_state_of_another_model_is_refused_by_name(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* two = make_pile_model(ctx, 2, 0.6);
    iso_model* slippery = make_pile_model(ctx, 3, 0.59999);
    iso_world* world = make_pile_world(ctx, ISO_METHOD_LAGGED, ISO_FRICTION_MODEL_STICK);
    iso_world* fewer = make_world(ctx, two, NULL);
    iso_world* other = make_world(ctx, slippery, NULL);
    saved s = save(ctx, world);
    uint64_t hash = iso_world_state_hash(fewer);
    CHECK_STATUS(ctx, iso_world_restore(fewer, s.bytes, s.size), ISO_ERR_NOT_FOUND);
    CHECK_ERROR(ctx, "(5 bodies, 'arm' first), expected");
    CHECK_ERROR(ctx, "(4 bodies, 'arm' first)");
    CHECK_STATUS(ctx, iso_world_restore(other, s.bytes, s.size), ISO_ERR_NOT_FOUND);
    assert_true(iso_world_state_hash(fewer) == hash);
    assert_true(iso_world_model_hash(world) != iso_world_model_hash(other));
    free(s.bytes);
    iso_world_destroy(world);
    iso_world_destroy(fewer);
    iso_world_destroy(other);
    iso_model_destroy(two);
    iso_model_destroy(slippery);
    test_context_destroy(ctx);
}

/// Time goes on from where it was when the time step changes.
static void a_state_goes_on_with_another_time_step(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_pile_model(ctx, 2, 0.6);
    iso_world_desc desc = iso_world_desc_default();
    iso_world* world = make_world(ctx, model, &desc);
    desc.time_step = 4e-3;
    iso_world* coarse = make_world(ctx, model, &desc);
    step_many(ctx, world, 10);
    saved s = save(ctx, world);
    CHECK_OK(ctx, iso_world_restore(coarse, s.bytes, s.size));
    CHECK_BITS(iso_world_time(coarse), iso_world_time(world));
    step_many(ctx, coarse, 5);
    CHECK_NEAR(iso_world_time(coarse), 0.03, 1e-15); // measured 0
    saved later = save(ctx, coarse);
    iso_world* third = make_world(ctx, model, &desc);
    CHECK_OK(ctx, iso_world_restore(third, later.bytes, later.size));
    step_many(ctx, coarse, 5);
    step_many(ctx, third, 5);
    assert_true(iso_world_state_hash(third) == iso_world_state_hash(coarse));
    free(s.bytes);
    free(later.bytes);
    iso_world_destroy(world);
    iso_world_destroy(coarse);
    iso_world_destroy(third);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

static void files_hold_states(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* world = make_pile_world(ctx, ISO_METHOD_LAGGED, ISO_FRICTION_MODEL_STICK);
    step_many(ctx, world, 20);
    char path[] = "/tmp/isobar-state-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    CHECK_OK(ctx, iso_world_save_file(world, path));
    uint64_t hash = iso_world_state_hash(world);
    step_many(ctx, world, 20);
    CHECK_OK(ctx, iso_world_load_file(world, path));
    assert_true(iso_world_state_hash(world) == hash);
    FILE* text = fopen(path, "wb");
    assert_non_null(text);
    fputs("not a state", text);
    fclose(text);
    CHECK_STATUS(ctx, iso_world_load_file(world, path), ISO_ERR_PARSE);
    CHECK_ERROR(ctx, path);
    remove(path);
    CHECK_STATUS(ctx, iso_world_load_file(world, path), ISO_ERR_IO);
    CHECK_STATUS(ctx, iso_world_save_file(world, "/nowhere/at/all"), ISO_ERR_IO);
    assert_true(iso_world_state_hash(world) == hash);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

static iso_status attempt_clone(iso_context* ctx, void* user) {
    (void)user;
    iso_model* model = NULL;
    iso_world *world = NULL, *clone = NULL;
    iso_status status = iso_model_create(ctx, &model);
    iso_body_desc body = iso_body_desc_default();
    body.name = "ball";
    body.mass = 1.0;
    body.inertia = iso_mat3_diagonal(1.0, 1.0, 1.0);
    int index = -1;
    status = status == ISO_OK ? iso_model_add_body(model, &body, &index) : status;
    status = status == ISO_OK ? iso_world_create(ctx, model, NULL, &world) : status;
    status = status == ISO_OK ? iso_world_clone(world, &clone) : status;
    iso_world_destroy(world);
    status = status == ISO_OK ? iso_world_step(clone) : status;
    iso_world_destroy(clone);
    iso_model_destroy(model);
    return status;
}

static void a_clone_that_finds_no_memory_leaves_nothing(void** state) {
    (void)state;
    assert_true(check_every_allocation_failure(attempt_clone, NULL) > 20);
}

/// A free body, or one on a slider.
static iso_world* make_shot(iso_context* ctx, iso_method method, bool has_joint) {
    iso_model* model = NULL;
    iso_world* world = NULL;
    iso_world_desc settings = iso_world_desc_default();
    iso_body_desc body = iso_body_desc_default();
    iso_joint_desc joint = iso_joint_desc_default();
    iso_actuator_desc actuator = iso_actuator_desc_default();
    body.name = "shot";
    joint.name = "rail";
    joint.kind = ISO_JOINT_PRISMATIC;
    actuator.name = "gun";
    settings.method = method;
    settings.gravity = iso_vec3_zero();
    CHECK_OK(ctx, iso_model_create(ctx, &model));
    CHECK_OK(ctx, iso_model_add_body(model, &body, &joint.child));
    if (has_joint) {
        CHECK_OK(ctx, iso_model_add_joint(model, &joint, &actuator.joint));
        CHECK_OK(ctx, iso_model_add_actuator(model, &actuator, NULL));
    }
    CHECK_OK(ctx, iso_world_create(ctx, model, &settings, &world));
    iso_model_destroy(model);
    return world;
}

// What would not be restored does not become a state: the step fails and leaves the one before.
static void check_shot(iso_context* ctx, iso_method method, bool has_joint, double force,
                       const char* message) {
    iso_world* world = make_shot(ctx, method, has_joint);
    iso_status status = ISO_OK;
    saved state = {0};
    for (int i = 0; i < 20 && status == ISO_OK; ++i) {
        if (has_joint) {
            iso_actuation told = {.feed_forward = force};
            CHECK_OK(ctx, iso_world_set_actuation(world, 0, &told));
        } else {
            iso_spatial push = iso_spatial_make(iso_vec3_zero(), iso_vec3_make(0.0, 0.0, force));
            CHECK_OK(ctx, iso_world_apply_wrench(world, 1, push));
        }
        free(state.bytes);
        state = save(ctx, world);
        status = iso_world_step(world);
    }
    assert_int_equal(status, ISO_ERR_NUMERIC);
    CHECK_ERROR(ctx, message);
    saved after = save(ctx, world);
    assert_memory_equal(after.bytes, state.bytes, state.size);
    iso_world* other = make_shot(ctx, method, has_joint);
    CHECK_OK(ctx, iso_world_restore(other, after.bytes, after.size));
    CHECK_OK(ctx, iso_world_set_state(other, NULL, NULL));
    free(state.bytes);
    free(after.bytes);
    iso_world_destroy(other);
    iso_world_destroy(world);
}

static void a_step_beyond_what_a_state_may_be_fails(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    static const iso_method methods[] = {ISO_METHOD_LAGGED, ISO_METHOD_RK4};
    for (int i = 0; i < 2; ++i) {
        check_shot(ctx, methods[i], false, 2e14, "velocity of body 'shot' is ");
        check_shot(ctx, methods[i], true, 2e14, "velocity of joint 'rail' is ");
        check_shot(ctx, methods[i], true, 1e16,
                   "step 1 at t = 0 s: velocity of joint 'rail' is 1e+13");
        check_shot(ctx, methods[i], false, 1e200,
                   i == 0 ? "position of body 'shot' is 1e+194"
                          : "a work of the energy ledger; body 'shot'");
    }
    check_shot(ctx, ISO_METHOD_RK4, true, 2e14, "expected at most 1e+12: rk4 is unstable where ");
    // The limits themselves are states.
    iso_world* world = make_shot(ctx, ISO_METHOD_LAGGED, true);
    CHECK_OK(ctx, iso_world_set_joint(world, 0, 0.0, 1e12));
    CHECK_OK(ctx, iso_world_step(world));
    CHECK_OK(ctx, iso_world_set_joint(world, 0, 1e12, 1.0));
    assert_int_equal(iso_world_step(world), ISO_ERR_NUMERIC);
    CHECK_ERROR(ctx, "position of joint 'rail' is 1e+12 after the step, expected at most 1e+12");
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

// What overflows between the start and the end of a step of rk4 is said of the body it happens to.
static void an_overflow_within_a_step_names_a_body(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    for (int i = 0; i < 2; ++i) {
        iso_model* model = NULL;
        iso_world* world = NULL;
        iso_world_desc settings = iso_world_desc_default();
        iso_body_desc body = iso_body_desc_default();
        iso_joint_desc joint = iso_joint_desc_default();
        settings.method = ISO_METHOD_RK4;
        CHECK_OK(ctx, iso_model_create(ctx, &model));
        body.name = "arm";
        body.inertia.m[0][0] = 2.0 * body.inertia.m[1][1];
        CHECK_OK(ctx, iso_model_add_body(model, &body, &joint.child));
        joint.name = "turn";
        joint.kind = ISO_JOINT_REVOLUTE;
        if (i == 1) { // a slider on an arm: how far it is gives the inertia about the hinge
            CHECK_OK(ctx, iso_model_add_joint(model, &joint, NULL));
            body.name = "slider";
            joint.parent = joint.child;
            CHECK_OK(ctx, iso_model_add_body(model, &body, &joint.child));
            joint.name = "slide";
            joint.kind = ISO_JOINT_PRISMATIC;
            joint.axis = iso_vec3_make(1.0, 0.0, 0.0);
            CHECK_OK(ctx, iso_model_add_joint(model, &joint, NULL));
        }
        CHECK_OK(ctx, iso_world_create(ctx, model, &settings, &world));
        iso_model_destroy(model);
        iso_spatial push =
            i == 0 ? iso_spatial_make(iso_vec3_make(1e200, 5e199, 2e199), iso_vec3_zero())
                   : iso_spatial_make(iso_vec3_zero(), iso_vec3_make(1e200, 0.0, 0.0));
        const char* pushed = i == 0 ? "arm" : "slider";
        CHECK_OK(ctx, iso_world_apply_wrench(world, iso_world_find_body(world, pushed), push));
        assert_int_equal(iso_world_step(world), ISO_ERR_NUMERIC);
        CHECK_ERROR(ctx, i == 0 ? "state of body 'arm' is not finite within the step"
                                : "accelerations cannot be found within the step: body 'slider' is "
                                  "the fastest, with ");
        iso_world_destroy(world);
    }
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_restored_world_steps_on_with_the_same_bits),
        cmocka_unit_test(a_box_on_a_slope_keeps_its_stretch),
        cmocka_unit_test(damaged_states_are_refused_and_change_nothing),
        cmocka_unit_test(a_state_of_another_model_is_refused_by_name),
        cmocka_unit_test(a_state_goes_on_with_another_time_step),
        cmocka_unit_test(a_step_beyond_what_a_state_may_be_fails),
        cmocka_unit_test(an_overflow_within_a_step_names_a_body),
        cmocka_unit_test(files_hold_states),
        cmocka_unit_test(a_clone_that_finds_no_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
