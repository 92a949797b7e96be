// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Fast bodies and coarse steps: what jumps over a contact is said, once for each pair.

#include "support/check.h"
#include "support/failing_context.h"
#include "support/kept_warning.h"
#include "support/random.h"
#include "world/scenes.h"

static void add_shape(iso_context* ctx, iso_model* model, int body, const char* name,
                      iso_shape_kind kind, iso_vec3 size, double friction) {
    iso_geometry_desc geometry = iso_geometry_desc_default();
    geometry.name = name;
    geometry.shape = iso_shape_desc_default(kind);
    geometry.shape.radius = 0.5 * size.x;
    geometry.shape.size = size;
    geometry.material.margin = 0.0;
    geometry.material.friction_static = geometry.material.friction_dynamic = friction;
    bool is_ball = kind == ISO_SHAPE_SPHERE;
    geometry.material.compliance = is_ball ? ISO_COMPLIANCE_COMPLIANT : ISO_COMPLIANCE_RIGID;
    CHECK_OK(ctx, iso_model_add_geometry(model, body, &geometry, NULL));
}

/// What flies, and what is in its way: at rest, or with the same speed.
typedef struct flight {
    iso_shape_kind kind;
    iso_vec3 size; ///< of what flies
    iso_shape_kind target;
    iso_vec3 target_size;
    iso_vec3 start, velocity, target_velocity, target_turning;
    double time_step;
    bool is_excluded, is_smooth;
    iso_method method;
} flight;

static flight fast_ball(void) {
    return (flight){.kind = ISO_SHAPE_SPHERE,
                    .size = {0.1, 0.1, 0.1},
                    .target = ISO_SHAPE_BOX,
                    .target_size = {2.0, 2.0, 0.02},
                    .start = {0.3, 0.0, 0.63},
                    .velocity = {0.0, 0.0, -100.0},
                    .time_step = 0.01,
                    .method = ISO_METHOD_SAP};
}

/// What the world says afterwards is what was warned of: once here at most.
static void check_passage(const iso_world* world, const kept_warning* kept) {
    iso_contact_passage p = iso_world_contact_passage(world);
    assert_int_equal(p.pair_count, kept->count);
    char time[64] = "";
    if (p.pair_count > 0) {
        snprintf(time, sizeof time, "to t = %g s,", p.time);
    }
    CHECK_TEXT(kept->text, time);
    CHECK_TEXT(kept->text, p.body_name_a);
    CHECK_TEXT(kept->text, p.geometry_name_a);
    CHECK_TEXT(kept->text, p.body_name_b);
    CHECK_TEXT(kept->text, p.geometry_name_b);
    iso_world* clone = NULL;
    CHECK_OK(iso_world_context(world), iso_world_clone(world, &clone));
    assert_int_equal(iso_world_contact_passage(clone).pair_count, 0);
    iso_world_destroy(clone);
}

/// How often it is warned in so many steps.
static int fly(const flight* f, int step_count, kept_warning* kept) {
    iso_context* ctx = warned_context_of(kept, " went ");
    iso_model* model = make_model(ctx);
    int bullet = add_body(ctx, model, "bullet", 1.0, iso_vec3_make(0.1, 0.1, 0.1));
    int wall = add_body(ctx, model, "wall", 1.0, iso_vec3_make(1.0, 1.0, 1.0));
    bool is_ground = f->target == ISO_SHAPE_HALF_SPACE;
    double friction = f->is_smooth ? 0.0 : 0.5;
    add_shape(ctx, model, bullet, "skin", f->kind, f->size, friction);
    add_shape(ctx, model, is_ground ? ISO_WORLD_BODY : wall, "face", f->target, f->target_size,
              friction);
    iso_pose x = iso_pose_from_position(f->start);
    CHECK_OK(ctx, iso_model_set_free_pose(model, bullet, &x));
    CHECK_OK(ctx, iso_model_set_free_twist(model, bullet,
                                           iso_spatial_make(iso_vec3_zero(), f->velocity)));
    CHECK_OK(ctx, iso_model_set_free_twist(
                      model, wall, iso_spatial_make(f->target_turning, f->target_velocity)));
    if (f->is_excluded) {
        CHECK_OK(ctx, iso_model_exclude_pair(model, bullet, wall));
    }
    iso_world_desc desc = iso_world_desc_default();
    desc.gravity = iso_vec3_zero();
    desc.time_step = f->time_step;
    desc.method = f->method;
    iso_world* world = make_world(ctx, model, &desc);
    iso_model_destroy(model);
    step_many(ctx, world, step_count);
    check_passage(world, kept);
    iso_world_destroy(world);
    iso_context_destroy(ctx);
    return kept->count;
}

static void a_ball_that_jumps_through_a_plate_is_said_once(void** state) {
    (void)state;
    kept_warning kept;
    flight f = fast_ball();
    assert_int_equal(fly(&f, 5, &kept), 1);
    CHECK_TEXT(kept.text, "'bullet::skin' went 1 m in the step to t = 0.01 s, through the surface "
                          "of 'wall::face', which did not stop it");
    CHECK_TEXT(kept.text, "expected at most 0.00025 s a step at this speed"); // 0.025 m
    // The same when it is the wall that moves.
    f.target_velocity = iso_vec3_scale(f.velocity, -1.0);
    f.velocity = iso_vec3_zero();
    assert_int_equal(fly(&f, 5, &kept), 1);
    CHECK_TEXT(kept.text, "'bullet::skin' went 1 m in the step to t = 0.01 s, through the surface "
                          "of 'wall::face'");
}

static void nothing_is_said_of_what_finds_its_contacts_or_has_none(void** state) {
    (void)state;
    kept_warning kept;
    flight f = fast_ball();
    f.time_step = 0.00025; // the one recommended
    assert_int_equal(fly(&f, 40, &kept), 0);
    f = fast_ball();
    f.is_excluded = true;
    assert_int_equal(fly(&f, 5, &kept), 0);
    f = fast_ball();
    f.target_velocity = f.velocity; // flies with it
    assert_int_equal(fly(&f, 5, &kept), 0);
    f = fast_ball();
    f.start.x = 1.1; // beside the plate
    assert_int_equal(fly(&f, 5, &kept), 0);
    f = fast_ball();
    f.method = ISO_METHOD_RK45; // chooses its steps
    f.velocity.z = -1.0;
    assert_int_equal(fly(&f, 5, &kept), 0);
}

// Steps of error control are so short that what flies meets what is in its way.
static void steps_that_a_method_chooses_miss_nothing(void** state) {
    (void)state;
    kept_warning kept;
    static const iso_method methods[] = {ISO_METHOD_RK45, ISO_METHOD_RK23};
    for (int i = 0; i < 8; ++i) {
        flight f = fast_ball();
        f.is_smooth = true; // friction at rest is too stiff for these methods
        f.method = methods[i % 2];
        f.velocity.z = i < 4 ? -1000.0 : -100.0;
        f.start.z = 0.9;
        f.size = i / 2 % 2 ? f.size : iso_vec3_make(0.01, 0.01, 0.01);
        assert_int_equal(fly(&f, 1, &kept), 0);
    }
}

// A rigid ball inside a rigid half space has no patch any more: it would fall for ever.
static void a_ball_that_vanishes_in_the_ground_is_said(void** state) {
    (void)state;
    kept_warning kept;
    flight f = fast_ball();
    f.target = ISO_SHAPE_HALF_SPACE;
    assert_int_equal(fly(&f, 5, &kept), 1);
    CHECK_TEXT(kept.text, "through the surface of 'world::face'");
    f.start.z = -0.63; // was inside before
    assert_int_equal(fly(&f, 5, &kept), 0);
}

// A card that slides along a wall by three times its thickness in each step stays by its wall.
static void thin_bodies_may_slide_in_their_plane(void** state) {
    (void)state;
    kept_warning kept;
    flight f = fast_ball();
    f.kind = ISO_SHAPE_BOX;
    f.size = iso_vec3_make(0.08, 0.06, 0.0003);
    f.start = iso_vec3_make(0.9, 0.0, 0.011);
    f.velocity = iso_vec3_make(1.0, 0.0, 0.0);
    f.time_step = 0.001;
    assert_int_equal(fly(&f, 300, &kept), 0); // past the edge
    f.velocity = iso_vec3_make(0.0, 0.0, -30.0);
    assert_int_equal(fly(&f, 5, &kept), 1);
    CHECK_TEXT(kept.text, "'bullet::skin' went 0.03 m");
}

// A wall that swings about a far axis passes a ball at rest.
static void a_wall_that_swings_through_a_ball_is_said(void** state) {
    (void)state;
    kept_warning kept;
    flight f = fast_ball();
    f.velocity = iso_vec3_zero();
    f.start = iso_vec3_make(0.6, 0.0, 0.2);
    f.target_velocity = iso_vec3_make(0.0, 0.0, 50.0);
    f.target_turning = iso_vec3_make(0.0, -50.0, 0.0); // 80 m/s at the ball
    assert_int_equal(fly(&f, 1, &kept), 1);
    CHECK_TEXT(kept.text, "'bullet::skin' went");
}

// What is lifted by a caller, thick or endless, leaves a small ball behind: said, or it did not.
static void a_lift_that_leaves_a_ball_behind_is_said(void** state) {
    (void)state;
    static const iso_method methods[] = {ISO_METHOD_LAGGED, ISO_METHOD_SAP,      ISO_METHOD_SIMILAR,
                                         ISO_METHOD_TAMSI,  ISO_METHOD_MIDPOINT, ISO_METHOD_RK4};
    int behind_count = 0;
    for (int i = 0; i < 36; ++i) {
        kept_warning kept;
        iso_context* ctx = warned_context(&kept);
        test_random r = test_random_make((uint64_t)i);
        iso_model* model = make_model(ctx);
        int lift = add_body(ctx, model, "lift", 1.0, iso_vec3_make(1.0, 1.0, 1.0));
        iso_joint_desc weld = iso_joint_desc_default();
        weld.name = "weld";
        weld.kind = ISO_JOINT_WELD;
        weld.child = lift;
        CHECK_OK(ctx, iso_model_add_joint(model, &weld, NULL));
        bool is_floor = i % 2 == 1;
        double half = is_floor ? 0.0 : test_random_uniform(&r, 0.5, 1.5);
        add_shape(ctx, model, lift, "top", is_floor ? ISO_SHAPE_HALF_SPACE : ISO_SHAPE_BOX,
                  iso_vec3_make(3.0, 3.0, 2.0 * half), 0.0);
        int ball = add_body(ctx, model, "ball", 0.5, iso_vec3_make(1e-4, 1e-4, 1e-4));
        double side = test_random_uniform(&r, 0.01, 0.1);
        add_shape(ctx, model, ball, "skin", ISO_SHAPE_SPHERE, iso_vec3_make(side, side, side), 0.0);
        iso_world_desc desc = iso_world_desc_default();
        desc.method = methods[i / 2 % 6];
        desc.time_step = test_random_uniform(&r, 1e-3, 2e-2);
        iso_world* world = make_world(ctx, model, &desc);
        iso_model_destroy(model);
        double speed = test_random_uniform(&r, 1.0, 30.0);
        lift = iso_world_find_body(world, "lift");
        ball = iso_world_find_body(world, "ball");
        iso_pose x = iso_pose_from_position(iso_vec3_make(0.0, 0.0, -half - side));
        iso_spatial up = iso_spatial_make(iso_vec3_zero(), iso_vec3_make(0.0, 0.0, speed));
        CHECK_OK(ctx, iso_world_set_prescribed(world, lift, &x, up));
        for (int k = 0; k * desc.time_step * speed < 2.0 * side + 0.2; ++k) {
            step_many(ctx, world, 1);
        }
        double top = iso_world_body_pose(world, lift).p.z + half;
        bool is_behind = iso_world_body_pose(world, ball).p.z < top;
        CHECK(!is_behind || kept.count > 0, "draw %d: %g m", i,
              iso_world_body_pose(world, ball).p.z - top);
        behind_count += is_behind;
        iso_world_destroy(world);
        iso_context_destroy(ctx);
    }
    assert_true(behind_count > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_that_jumps_through_a_plate_is_said_once),
        cmocka_unit_test(nothing_is_said_of_what_finds_its_contacts_or_has_none),
        cmocka_unit_test(steps_that_a_method_chooses_miss_nothing),
        cmocka_unit_test(a_ball_that_vanishes_in_the_ground_is_said),
        cmocka_unit_test(a_wall_that_swings_through_a_ball_is_said),
        cmocka_unit_test(a_lift_that_leaves_a_ball_behind_is_said),
        cmocka_unit_test(thin_bodies_may_slide_in_their_plane),
    };
    return cmocka_run_group_tests_name("passing", tests, NULL, NULL);
}
