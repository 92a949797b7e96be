// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Constraints that are switched on and off while a world runs: suction, magnets, docking.

#include "support/failing_context.h"
#include "support/random.h"
#include "world/mechanisms.h"

#include "isobar/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CARRIER = 1, LOAD = 2 };

/// A heavy carrier that floats, and a load beside it; a weld between them that is off.
static iso_model* make_docking(iso_context* ctx, iso_constraint_kind kind) {
    iso_model* model = make_model(ctx);
    iso_pose x_wc = iso_pose_make(iso_mat3_from_rpy(0.2, -0.4, 0.3), iso_vec3_zero());
    iso_pose x_wl = iso_pose_make(iso_mat3_from_rpy(-0.3, 0.1, 0.6), iso_vec3_make(0.5, 0.1, 0.2));
    add_light(ctx, model, "carrier", 1.0);
    add_light(ctx, model, "load", 0.0);
    CHECK_OK(ctx, iso_model_set_free_pose(model, CARRIER, &x_wc));
    CHECK_OK(ctx, iso_model_set_free_pose(model, LOAD, &x_wl));
    iso_spatial v = iso_spatial_make(iso_vec3_make(0.0, 0.3, 0.5), iso_vec3_make(0.2, 0.0, 0.0));
    CHECK_OK(ctx, iso_model_set_free_twist(model, CARRIER, v));
    iso_constraint_desc cup = iso_constraint_desc_default();
    cup.name = "cup";
    cup.kind = kind;
    cup.body_a = CARRIER;
    cup.body_b = LOAD;
    cup.x_ap = iso_pose_from_position(iso_vec3_make(0.0, 0.0, 0.3));
    cup.is_off = true;
    CHECK_OK(ctx, iso_model_add_constraint(model, &cup, NULL));
    return model;
}

static iso_world* make_docking_world(iso_context* ctx, iso_constraint_kind kind,
                                     iso_method method) {
    iso_world_desc desc = iso_world_desc_default();
    desc.method = method;
    desc.time_step = 1e-3;
    iso_model* model = make_docking(ctx, kind);
    iso_world* world = make_world(ctx, model, &desc);
    iso_model_destroy(model);
    return world;
}

static iso_pose load_in_carrier(const iso_world* world) {
    iso_pose x_wc = iso_world_body_pose(world, iso_world_find_body(world, "carrier"));
    iso_pose x_wl = iso_world_body_pose(world, iso_world_find_body(world, "load"));
    return iso_pose_inverse_mul(&x_wc, &x_wl);
}

static double fall_of(const iso_world* world, int load, iso_vec3 p, iso_vec3 v, double time) {
    iso_pose x = iso_world_body_pose(world, load);
    iso_vec3 c = iso_pose_point(&x, iso_vec3_make(0.2, -0.1, 0.3)); // centre of mass
    iso_vec3 free = iso_vec3_add_scaled(p, v, time);
    free.z -= 0.5 * 9.81 * time * time;
    return iso_vec3_distance(c, free);
}

static iso_vec3 center_velocity(const iso_world* world, int load, iso_vec3* out_p) {
    iso_pose x = iso_world_body_pose(world, load);
    iso_spatial v = iso_world_body_twist(world, load);
    iso_vec3 r = iso_mat3_mul_vec3(&x.r, iso_vec3_make(0.2, -0.1, 0.3));
    *out_p = iso_vec3_add(x.p, r);
    return iso_vec3_add(v.translational, iso_vec3_cross(v.rotational, r));
}

static const iso_method k_methods[] = {METHODS_OF_EVERY_KIND};
enum { METHOD_COUNT = sizeof k_methods / sizeof k_methods[0] };

static void what_is_off_does_nothing_and_what_is_on_holds_the_offset(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    for (int m = 0; m < METHOD_COUNT; ++m) {
        iso_world* world = make_docking_world(ctx, ISO_CONSTRAINT_WELD, k_methods[m]);
        int cup = iso_world_find_constraint(world, "cup");
        int load = iso_world_find_body(world, "load");
        assert_int_equal(cup, 0);
        iso_vec3 p, v = center_velocity(world, load, &p);
        step_many(ctx, world, 50);
        assert_false(iso_world_constraint(world, cup).is_on);
        double off = fall_of(world, load, p, v, 0.05);
        CHECK(off < 3e-4, "method %d: %g m off free fall", m, off); // half a step: 2.5e-4

        iso_pose before = load_in_carrier(world);
        CHECK_OK(ctx, iso_world_switch_constraint(world, cup, true, true));
        assert_true(iso_world_constraint(world, cup).is_on);
        assert_true(iso_world_constraint(world, cup).position_error < 1e-12);
        step_many(ctx, world, 50);
        iso_pose after = load_in_carrier(world);
        // The first step stops the load where it goes on for a part of it.
        double moved = iso_vec3_distance(before.p, after.p);
        CHECK(moved < 2e-3, "method %d: the load moved by %g m", m, moved);
        CHECK(iso_vec3_norm(iso_world_constraint(world, cup).f_b_w.translational) > 1.0,
              "method %d: no force", m);

        CHECK_OK(ctx, iso_world_switch_constraint(world, cup, false, false));
        CHECK_BITS(iso_vec3_norm(iso_world_constraint(world, cup).f_b_w.translational), 0.0);
        v = center_velocity(world, load, &p);
        step_many(ctx, world, 50);
        off = fall_of(world, load, p, v, 0.05);
        CHECK(off < 3e-4, "method %d: %g m off free fall again", m, off);
        iso_world_destroy(world);
    }
    test_context_destroy(ctx);
}

/// The load so that frames are 1 cm and some hundredths of a radian from where they are to be.
static void bring_together(iso_context* ctx, iso_world* world, iso_constraint_kind kind) {
    int load = iso_world_find_body(world, "load");
    iso_pose x_wc = iso_world_body_pose(world, iso_world_find_body(world, "carrier"));
    double reach = kind == ISO_CONSTRAINT_WELD || kind == ISO_CONSTRAINT_BALL ? 0.0 : 1.0;
    iso_pose x_cl =
        iso_pose_make(iso_mat3_from_rpy(0.02, 0.0, 0.03), iso_vec3_make(0.01 + reach, 0.0, 0.3));
    iso_pose x_wl = iso_pose_mul(&x_wc, &x_cl);
    CHECK_OK(ctx, iso_world_set_free_body(world, load, &x_wl, iso_spatial_zero()));
}

static void without_the_offset_frames_are_brought_together(void** state) {
    (void)state;
    static const iso_constraint_kind k_kinds[] = {ISO_CONSTRAINT_WELD, ISO_CONSTRAINT_BALL,
                                                  ISO_CONSTRAINT_DISTANCE, ISO_CONSTRAINT_TENDON};
    iso_context* ctx = test_context();
    for (int k = 0; k < 4; ++k) {
        for (int keeps = 0; keeps < 2; ++keeps) {
            iso_world* world = make_docking_world(ctx, k_kinds[k], ISO_METHOD_LAGGED);
            step_many(ctx, world, 10);
            if (!keeps) {
                CHECK_STATUS(ctx, iso_world_switch_constraint(world, 0, true, false),
                             k == 3 ? ISO_OK : ISO_ERR_RANGE); // a rope of 1 m is slack
                CHECK(k == 3 || strstr(iso_context_error(ctx), "'cup' would close a gap of 0."),
                      "%s", iso_context_error(ctx));
                bring_together(ctx, world, k_kinds[k]);
            }
            double gap = iso_world_constraint(world, 0).position_error;
            CHECK_OK(ctx, iso_world_switch_constraint(world, 0, true, keeps));
            double first = iso_world_constraint(world, 0).position_error;
            CHECK(keeps ? first < 1e-12 : first == gap, "kind %d: %g of %g", k, first, gap);
            step_many(ctx, world, 200);
            double last = iso_world_constraint(world, 0).position_error;
            CHECK(last < 2e-3, "kind %d, keeps %d: %g m", k, keeps, last);
            iso_world_destroy(world);
        }
    }
    test_context_destroy(ctx);
}

static void a_state_carries_what_is_attached(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* world = make_docking_world(ctx, ISO_CONSTRAINT_WELD, ISO_METHOD_LAGGED);
    iso_world* other = make_docking_world(ctx, ISO_CONSTRAINT_WELD, ISO_METHOD_LAGGED);
    size_t written = 0, loose_size = iso_world_state_size(world);
    void* loose = malloc(loose_size);
    CHECK_OK(ctx, iso_world_save(world, loose, loose_size, &written));
    step_many(ctx, world, 20);
    CHECK_OK(ctx, iso_world_switch_constraint(world, 0, true, true));
    step_many(ctx, world, 20);
    size_t size = iso_world_state_size(world);
    void* held = malloc(size);
    CHECK_OK(ctx, iso_world_save(world, held, size, &written));
    iso_world* clone = NULL;
    CHECK_OK(ctx, iso_world_clone(world, &clone));
    CHECK_OK(ctx, iso_world_restore(other, held, size));
    assert_true(iso_world_constraint(other, 0).is_on);
    for (int i = 0; i < 30; ++i) {
        CHECK_OK(ctx, iso_world_step(world));
        CHECK_OK(ctx, iso_world_step(other));
        CHECK_OK(ctx, iso_world_step(clone));
        assert_true(iso_world_state_hash(world) == iso_world_state_hash(other));
        assert_true(iso_world_state_hash(world) == iso_world_state_hash(clone));
    }
    // A switch of one is none of the other's.
    CHECK_OK(ctx, iso_world_switch_constraint(clone, 0, false, false));
    assert_true(iso_world_constraint(world, 0).is_on);
    CHECK_OK(ctx, iso_world_restore(other, loose, loose_size));
    assert_false(iso_world_constraint(other, 0).is_on);
    // The same way as from the start.
    iso_world* fresh = make_docking_world(ctx, ISO_CONSTRAINT_WELD, ISO_METHOD_LAGGED);
    for (int i = 0; i < 20; ++i) {
        CHECK_OK(ctx, iso_world_step(fresh));
        CHECK_OK(ctx, iso_world_step(other));
    }
    assert_true(iso_world_state_hash(fresh) == iso_world_state_hash(other));
    iso_world_destroy(fresh);
    iso_world_destroy(clone);
    iso_world_destroy(other);
    iso_world_destroy(world);
    free(held);
    free(loose);
    test_context_destroy(ctx);
}

static void a_state_with_a_switch_that_is_none_is_refused(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* world = make_docking_world(ctx, ISO_CONSTRAINT_WELD, ISO_METHOD_LAGGED);
    CHECK_OK(ctx, iso_world_switch_constraint(world, 0, true, true));
    const struct {
        int place;
        double value;
    } wrong[] = {{0, 0.5}, {1, -1.0}, {2, 3.0}};
    for (int i = 0; i < 3; ++i) {
        iso_world* other = make_docking_world(ctx, ISO_CONSTRAINT_WELD, ISO_METHOD_LAGGED);
        CHECK_OK(ctx, iso_world_switch_constraint(other, 0, true, true));
        double* values = NULL;
        bool is_new = true;
        CHECK_OK(ctx, iso_world_attach(other, "constraints", 14, &values, &is_new));
        assert_false(is_new);
        values[wrong[i].place] = wrong[i].value;
        size_t written = 0, size = iso_world_state_size(other);
        void* bytes = malloc(size);
        CHECK_OK(ctx, iso_world_save(other, bytes, size, &written));
        uint64_t before = iso_world_state_hash(world);
        CHECK_STATUS(ctx, iso_world_restore(world, bytes, size), ISO_ERR_PARSE);
        CHECK_ERROR(ctx, "attachment 'constraints': the switch of constraint 'cup' is not one");
        assert_true(iso_world_state_hash(world) == before);
        free(bytes);
        iso_world_destroy(other);
    }
    CHECK_STATUS(ctx, iso_world_switch_constraint(world, 1, true, true), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "constraint index 1, expected in [0, 1)");
    assert_int_equal(iso_world_find_constraint(world, "cap"), -1);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

static iso_status switch_once(iso_context* ctx, void* user) {
    (void)user;
    iso_model* model = NULL;
    iso_world* world = NULL;
    iso_body_desc body = iso_body_desc_default();
    body.name = "load";
    iso_constraint_desc cup = iso_constraint_desc_default();
    cup.name = "cup";
    cup.body_b = 1;
    cup.is_off = true;
    iso_status status = iso_model_create(ctx, &model);
    status = status == ISO_OK ? iso_model_add_body(model, &body, NULL) : status;
    status = status == ISO_OK ? iso_model_add_constraint(model, &cup, NULL) : status;
    status = status == ISO_OK ? iso_world_create(ctx, model, NULL, &world) : status;
    if (status == ISO_OK) {
        status = iso_world_switch_constraint(world, 0, true, true);
        assert_true(iso_world_constraint(world, 0).is_on == (status == ISO_OK));
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
        cmocka_unit_test(what_is_off_does_nothing_and_what_is_on_holds_the_offset),
        cmocka_unit_test(without_the_offset_frames_are_brought_together),
        cmocka_unit_test(a_state_carries_what_is_attached),
        cmocka_unit_test(a_state_with_a_switch_that_is_none_is_refused),
        cmocka_unit_test(switching_survives_every_allocation_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
