// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Fixed tendons in worlds: what a step loses, what else they meet, and worlds that are copied.

#include "isobar/batch.h"
#include "isobar/state.h"
#include "support/kept_warning.h"
#include "world/sliders.h"

static void set_velocities(iso_context* ctx, iso_world* world, double a, double b) {
    CHECK_OK(ctx, iso_world_set_joint(world, 0, iso_world_joint_position(world, 0), a));
    CHECK_OK(ctx, iso_world_set_joint(world, 1, iso_world_joint_position(world, 1), b));
}

/// What forces along a - 0.5 b, over sliders on the world or each on the last, leave as it is.
static double momentum_across(const iso_world* world, bool is_one_tree) {
    double v[SLIDERS], momenta[SLIDERS] = {0.0}, carried = 0.0;
    for (int i = 0; i < SLIDERS; ++i) {
        v[i] = iso_world_joint_velocity(world, i) + (is_one_tree && i > 0 ? v[i - 1] : 0.0);
    }
    for (int i = SLIDERS - 1; i >= 0; --i) {
        carried = (is_one_tree ? carried : 0.0) + k_slider_masses[i] * v[i];
        momenta[i] = carried;
    }
    return k_slider_weights[1] * momenta[0] - k_slider_weights[0] * momenta[1];
}

/// Kinetic energy of the changes of velocities from `before`; `before` becomes what they are.
static double energy_of_change(const iso_world* world, bool is_one_tree, double* before) {
    double energy = 0.0, v = 0.0;
    for (int i = 0; i < SLIDERS; ++i) {
        double now = iso_world_joint_velocity(world, i);
        v = now - before[i] + (is_one_tree && i > 0 ? v : 0.0);
        energy += 0.5 * k_slider_masses[i] * v * v;
        before[i] = now;
    }
    return energy;
}

/// With dt w^T v1 the way and c w^T v1 the effort, v1^T M (v1 - v0) = -dt c (w^T v1)^2: what is not
/// booked as damping is 1/2 (v1 - v0)^T M (v1 - v0), to rounding.
static void what_dampers_do_not_book_is_that_of_implicit_euler(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    for (int k = 0; k < 6; ++k) {
        int joints[SLIDERS];
        bool is_one_tree = k % 2 == 1;
        iso_model* model = make_model(ctx);
        add_sliders(ctx, model, is_one_tree, joints);
        add_tendon(ctx, model, joints, SLIDERS, 0.0, pow(10.0, 2 * (k / 2)));
        iso_world* world = make_still(ctx, model, ISO_METHOD_LAGGED, 1e-3);
        set_velocities(ctx, world, 1.0, -0.3);
        double before = iso_world_energy(world).kinetic, unbooked = 0.0;
        double v[SLIDERS] = {1.0, -0.3, iso_world_joint_velocity(world, 2)};
        for (int s = 0; s < 20; ++s) {
            CHECK_OK(ctx, iso_world_step(world));
            unbooked += energy_of_change(world, is_one_tree, v);
        }
        iso_energy e = iso_world_energy(world);
        print_message("case %d: booked %g, unbooked %g, open %.1e J\n", k, e.damping, unbooked,
                      before - e.kinetic - e.damping - unbooked);
        CHECK(unbooked > 0.0, "%g J", unbooked);
        CHECK_REL(e.damping + unbooked, before - e.kinetic, 1e-12); // measured 2.3e-14
        iso_world_destroy(world);
        iso_model_destroy(model);
    }
    test_context_destroy(ctx);
}

/// However stiff a damper is, it takes no more than there was, and along its own direction only.
static void dampers_take_no_more_than_there_is(void** state) {
    (void)state;
    static const double dampings[] = {1e-3, 1.0, 1e6, 1e12, 1e20, 1e200};
    iso_context* ctx = test_context();
    for (int k = 0; k < 12; ++k) {
        int joints[SLIDERS];
        double damping = dampings[k / 2];
        iso_model* model = make_model(ctx);
        add_sliders(ctx, model, k % 2 == 1, joints);
        add_tendon(ctx, model, joints, 2, 0.0, damping);
        iso_world* world = make_still(ctx, model, ISO_METHOD_LAGGED, 1e-3);
        set_velocities(ctx, world, 1.0, 0.0);
        double before = iso_world_energy(world).kinetic;
        double across = momentum_across(world, k % 2 == 1);
        step_many(ctx, world, 10);
        iso_energy e = iso_world_energy(world);
        double lost = before - e.kinetic;
        print_message("damping %g: booked %g of %g J lost, across %.1e\n", damping, e.damping, lost,
                      momentum_across(world, k % 2 == 1) / across - 1.0);
        if (damping <= 1.0) {
            CHECK_REL(e.damping, lost, 2e-3); // of first order in the step
        }
        CHECK(e.damping > 0.0 && e.damping <= lost, "%g J of %g J", e.damping, lost);
        CHECK_REL(momentum_across(world, k % 2 == 1), across, 1e-6);
        iso_world_destroy(world);
        iso_model_destroy(model);
    }
    test_context_destroy(ctx);
}

/// Each damper is booked with the share of its own that it keeps, whatever else drives: behind an
/// actuator and a soft tendon one so stiff that next to nothing of it is left.
static void each_damper_is_booked_by_its_own_share(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    int joints[SLIDERS];
    iso_model* model = make_model(ctx);
    add_sliders(ctx, model, false, joints);
    iso_actuator_desc idle = iso_actuator_desc_default();
    idle.name = "idle";
    idle.joint = joints[2];
    CHECK_OK(ctx, iso_model_add_actuator(model, &idle, NULL));
    add_tendon(ctx, model, joints, 2, 0.0, 0.1);
    iso_fixed_tendon_desc stiff = *iso_model_fixed_tendon(model, 0);
    stiff.name = "then a stiff one"; // the order is that of names
    stiff.damping = 1e200;
    CHECK_OK(ctx, iso_model_add_fixed_tendon(model, &stiff, NULL));
    iso_world* world = make_still(ctx, model, ISO_METHOD_LAGGED, 1e-3);
    set_velocities(ctx, world, 1.0, 0.0);
    double before = iso_world_energy(world).kinetic;
    step_many(ctx, world, 10);
    iso_energy e = iso_world_energy(world);
    print_message("booked %g of %g J lost\n", e.damping, before - e.kinetic);
    CHECK(e.damping > 0.0 && e.damping <= before - e.kinetic, "%g J of %g J", e.damping,
          before - e.kinetic);
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

/// What a tendon pulls towards the limit of a joint stops there, from rest too: a sum that ends,
/// and dry friction along one.
static void sums_push_no_joint_past_its_limit(void** state) {
    (void)state;
    static const iso_method methods[] = {ISO_METHOD_LAGGED, ISO_METHOD_SAP, ISO_METHOD_SIMILAR,
                                         ISO_METHOD_TAMSI};
    iso_context* ctx = test_context();
    for (int k = 0; k < 8; ++k) {
        int joints[SLIDERS];
        iso_model* model = make_model(ctx);
        add_sliders(ctx, model, false, joints);
        iso_joint_desc* b = iso_model_joint(model, joints[1]);
        double end = b->upper = b->position + 1e-4;
        iso_fixed_tendon_desc* sum =
            iso_model_fixed_tendon(model, add_tendon(ctx, model, joints, 2, 0.0, 0.0));
        sum->upper = k % 2 == 0 ? 0.0 : INFINITY; // the length at the start is 0
        sum->friction = k % 2 == 0 ? 0.0 : 1e3;
        iso_world* world = make_still(ctx, model, methods[k / 2], 1e-2);
        set_velocities(ctx, world, 1.0, 0.0);
        CHECK_OK(ctx, iso_world_step(world));
        double beyond = iso_world_joint_position(world, 1) - end;
        print_message("method %d, case %d: %g m beyond\n", (int)methods[k / 2], k % 2, beyond);
        CHECK(beyond < 1e-5, "method %d, case %d: %g m", (int)methods[k / 2], k % 2, beyond);
        iso_world_destroy(world);
        iso_model_destroy(model);
    }
    test_context_destroy(ctx);
}

/// Two actuators in either order of their names, one of which is softened.
static void names_do_not_matter(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    double v[2][SLIDERS];
    for (int k = 0; k < 2; ++k) {
        int joints[SLIDERS];
        iso_model* model = make_model(ctx);
        add_sliders(ctx, model, false, joints);
        int tendon = add_tendon(ctx, model, joints, 2, 1e3, 10.0);
        iso_actuator_desc desc = iso_actuator_desc_default();
        desc.name = k == 0 ? "a" : "z";
        desc.joint = joints[0];
        desc.kp = 1e8;
        CHECK_OK(ctx, iso_model_add_actuator(model, &desc, NULL));
        add_actuator(ctx, model, tendon, 1e12, 1e6, 1e9); // "pull"
        iso_world* world = make_still(ctx, model, ISO_METHOD_LAGGED, 1e-3);
        for (int i = 0; i < 2; ++i) {
            iso_actuation actuation = {.position = 0.2};
            CHECK_OK(ctx, iso_world_set_actuation(world, i, &actuation));
        }
        CHECK_OK(ctx, iso_world_step(world));
        for (int i = 0; i < SLIDERS; ++i) {
            v[k][i] = iso_world_joint_velocity(world, i);
        }
        iso_world_destroy(world);
        iso_model_destroy(model);
    }
    CHECK_ARRAY_BITS(v[0], v[1], SLIDERS);
    test_context_destroy(ctx);
}

static void what_cannot_hold_is_warned_of(void** state) {
    (void)state;
    static const char* const parts[] = {
        "fixed tendon 'sum' starts at 0, outside its limits [0.1, 1]",
        "may bring an effort of 15 to joint 'b' through the fixed tendon"};
    for (int k = 0; k < 2; ++k) {
        kept_warning kept;
        iso_context* ctx = warned_context_of(&kept, parts[k]);
        for (int is_bad = 0; is_bad < 2; ++is_bad) {
            int joints[SLIDERS];
            iso_model* model = make_model(ctx);
            add_sliders(ctx, model, false, joints);
            int tendon = add_tendon(ctx, model, joints, 2, 0.0, 0.0);
            iso_model_fixed_tendon(model, tendon)->lower = is_bad ? 0.1 : 0.0;
            iso_model_fixed_tendon(model, tendon)->upper = 1.0;
            iso_model_joint(model, joints[1])->effort_limit = is_bad ? 14.0 : 15.0;
            add_actuator(ctx, model, tendon, 1.0, 0.0, 30.0);
            iso_world_destroy(make_still(ctx, model, ISO_METHOD_LAGGED, 1e-3));
            assert_int_equal(kept.count, is_bad);
            iso_model_destroy(model);
        }
        iso_context_destroy(ctx);
    }
}

/// Everything at once, moving.
static iso_world* make_busy(iso_context* ctx, iso_method method) {
    int joints[SLIDERS];
    iso_model* model = make_model(ctx);
    add_sliders(ctx, model, false, joints);
    int tendon = add_tendon(ctx, model, joints, SLIDERS, 20.0, 0.3);
    iso_fixed_tendon_desc* sum = iso_model_fixed_tendon(model, tendon);
    sum->friction = 0.2;
    sum->lower = -2.0;
    sum->upper = 1.1;
    add_actuator(ctx, model, tendon, 10.0, 0.1, 3.0);
    iso_world* world = make_still(ctx, model, method, 1e-3);
    iso_actuation actuation = {.position = 0.9, .feed_forward = 0.5};
    CHECK_OK(ctx, iso_world_set_actuation(world, 0, &actuation));
    set_velocities(ctx, world, 0.7, -0.3);
    iso_model_destroy(model);
    return world;
}

/// 200 steps alone; saved, restored and cloned in the middle; and in batches.
static void copies_go_on_with_the_same_bits(void** state) {
    (void)state;
    static const iso_method methods[] = {ISO_METHOD_LAGGED, ISO_METHOD_RK4};
    iso_context* ctx = test_context();
    for (int k = 0; k < 2; ++k) {
        iso_world* world = make_busy(ctx, methods[k]);
        iso_world* other = make_busy(ctx, methods[k]);
        iso_world* clone = NULL;
        unsigned char bytes[4096];
        size_t size = 0;
        assert_true(iso_world_model_hash(world) == iso_world_model_hash(other));
        step_many(ctx, world, 100);
        CHECK_OK(ctx, iso_world_save(world, bytes, sizeof bytes, &size));
        CHECK_OK(ctx, iso_world_clone(world, &clone));
        step_many(ctx, other, 3); // any state must go
        CHECK_OK(ctx, iso_world_restore(other, bytes, size));
        step_many(ctx, world, 100);
        uint64_t hash = iso_world_state_hash(world);
        iso_fixed_tendon_state sum = iso_world_fixed_tendon(world, 0);
        iso_world_destroy(world); // the clone outlives what it was cloned from
        iso_world* copies[] = {other, clone};
        iso_world_batch* batch = NULL;
        CHECK_OK(ctx, iso_world_batch_create(ctx, copies, 2, 2, &batch));
        CHECK_OK(ctx, iso_world_batch_step(batch, 100));
        iso_world_batch_destroy(batch);
        for (int i = 0; i < 2; ++i) {
            assert_true(iso_world_state_hash(copies[i]) == hash);
            iso_fixed_tendon_state at = iso_world_fixed_tendon(copies[i], 0);
            assert_string_equal(at.name, "sum");
            CHECK_BITS(at.length, sum.length);
            CHECK_BITS(at.actuator_effort, sum.actuator_effort);
            assert_int_equal(iso_world_find_fixed_tendon(copies[i], NULL), -1);
            assert_string_equal(iso_world_fixed_tendon(copies[i], 1).name, "");
            iso_world_destroy(copies[i]);
        }
    }
    test_context_destroy(ctx);
}

static void steady_steps_allocate_nothing(void** state) {
    (void)state;
    static const iso_method methods[] = {METHODS_OF_EVERY_KIND};
    iso_context* ctx = test_context();
    for (size_t k = 0; k < sizeof methods / sizeof *methods; ++k) {
        iso_world* world = make_busy(ctx, methods[k]);
        step_many(ctx, world, 20);
        long before = test_heap_of(ctx)->call_count;
        step_many(ctx, world, 100);
        assert_int_equal(test_heap_of(ctx)->call_count - before, 0);
        iso_world_destroy(world);
    }
    test_context_destroy(ctx);
}

static void models_of_other_tendons_have_other_hashes(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    uint64_t hashes[SLIDERS + 1];
    for (int k = 0; k <= SLIDERS; ++k) {
        int joints[SLIDERS];
        iso_model* model = make_model(ctx);
        add_sliders(ctx, model, true, joints);
        if (k > 0) {
            add_tendon(ctx, model, joints, k, 0.0, 0.0);
        }
        iso_world* world = make_still(ctx, model, ISO_METHOD_LAGGED, 1e-3);
        hashes[k] = iso_world_model_hash(world);
        for (int i = 0; i < k; ++i) {
            assert_true(hashes[i] != hashes[k]);
        }
        iso_world_destroy(world);
        iso_model_destroy(model);
    }
    test_context_destroy(ctx);
}

static iso_status add_three(iso_model* model) {
    static const char* const names[] = {"a", "b", "c"};
    iso_status status = ISO_OK;
    for (int i = 0; i < SLIDERS && status == ISO_OK; ++i) {
        iso_body_desc body = iso_body_desc_default();
        int index = -1;
        body.name = names[i];
        status = iso_model_add_body(model, &body, &index);
        iso_joint_desc joint = joint_between(names[i], ISO_JOINT_PRISMATIC, 0, index);
        status = status == ISO_OK ? iso_model_add_joint(model, &joint, NULL) : status;
    }
    return status;
}

static iso_status create_and_step(iso_context* ctx, void* user) {
    (void)user;
    static const int joints[] = {0, 1, 2};
    iso_model* model = NULL;
    iso_world* world = NULL;
    iso_fixed_tendon_desc sum = iso_fixed_tendon_desc_default();
    sum.name = "sum";
    sum.source = "test";
    sum.joints = joints;
    sum.weights = k_slider_weights;
    sum.joint_count = SLIDERS;
    sum.friction = 1.0;
    sum.lower = -1.0;
    iso_status status = iso_model_create(ctx, &model);
    status = status == ISO_OK ? add_three(model) : status;
    status = status == ISO_OK ? iso_model_add_fixed_tendon(model, &sum, NULL) : status;
    status = status == ISO_OK ? iso_world_create(ctx, model, NULL, &world) : status;
    status = status == ISO_OK ? iso_world_step(world) : status;
    iso_world_destroy(world);
    iso_model_destroy(model);
    return status;
}

static void tendons_survive_every_allocation_failure(void** state) {
    (void)state;
    assert_true(check_every_allocation_failure(create_and_step, NULL) > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_dampers_do_not_book_is_that_of_implicit_euler),
        cmocka_unit_test(dampers_take_no_more_than_there_is),
        cmocka_unit_test(each_damper_is_booked_by_its_own_share),
        cmocka_unit_test(sums_push_no_joint_past_its_limit),
        cmocka_unit_test(names_do_not_matter),
        cmocka_unit_test(what_cannot_hold_is_warned_of),
        cmocka_unit_test(copies_go_on_with_the_same_bits),
        cmocka_unit_test(steady_steps_allocate_nothing),
        cmocka_unit_test(models_of_other_tendons_have_other_hashes),
        cmocka_unit_test(tendons_survive_every_allocation_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
