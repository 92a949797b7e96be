// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// MJCF: what becomes of equalities and tendons.

#include "isobar/world.h"
#include "scene/mjcf_fixture.h"

#include <math.h>

static void equalities_and_tendons_become_constraints(void** state) {
    fixture* f = *state;
    load(f, "<mujoco model='m'><compiler angle='radian'/>" ARM
            "<equality><connect body1='b' anchor='0 0 1'/><weld body1='a' body2='c'/>"
            "<connect site1='s' site2='t' name='pin'/>"
            "<weld body1='a' body2='c' active='false'/>"
            "<joint joint1='k' joint2='j' polycoef='0.25 2 0 0 0'/></equality>"
            "<tendon><spatial range='0 2'><site site='s'/><site site='t'/></spatial>"
            "<spatial stiffness='9' damping='1'><site site='s'/><site site='t'/></spatial>"
            "<spatial range='1 2' damping='1'><site site='s'/><site site='t'/></spatial>"
            "</tendon></mujoco>");
    assert_int_equal(iso_model_constraint_count(f->scene.model), 6);
    assert_true(iso_model_constraint(f->scene.model, 3)->is_off);
    assert_false(iso_model_constraint(f->scene.model, 1)->is_off);
    const iso_constraint_desc* connect = iso_model_constraint(f->scene.model, 0);
    assert_int_equal(connect->kind, ISO_CONSTRAINT_BALL);
    CHECK_VEC3_NEAR(connect->x_bq.p, iso_vec3_make(1, 0, 1), 0.0);
    const iso_constraint_desc* weld = iso_model_constraint(f->scene.model, 1);
    assert_int_equal(weld->kind, ISO_CONSTRAINT_WELD);
    CHECK_VEC3_NEAR(weld->x_ap.p, iso_vec3_make(3, 0, 0), 0.0);
    assert_string_equal(iso_model_constraint(f->scene.model, 2)->name, "m::pin");
    const iso_constraint_desc* rope = iso_model_constraint(f->scene.model, 4);
    assert_int_equal(rope->kind, ISO_CONSTRAINT_TENDON);
    CHECK_BITS(rope->length, 2.0);
    const iso_constraint_desc* spring = iso_model_constraint(f->scene.model, 5);
    assert_int_equal(spring->kind, ISO_CONSTRAINT_DISTANCE);
    assert_true(spring->stiffness == 9.0 && spring->damping == 1.0 && spring->length == 0.5);
    const iso_coupler_desc* coupler = iso_model_coupler(f->scene.model, 0);
    CHECK_BITS(coupler->ratio, 2.0);
    CHECK_BITS(coupler->offset, 0.75); // c0 + ref_k - c1 ref_j
    const iso_fixed_tendon_desc* route = iso_model_fixed_tendon(f->scene.model, 0);
    assert_int_equal(route->part_count, 2);
    assert_true(route->lower == 1.0 && route->upper == 2.0 && route->damping == 1.0);
}

static void a_fixed_tendon_is_felt_by_the_joint_it_amounts_to(void** state) {
    fixture* f = *state;
    load(f, "<mujoco model='m'><compiler angle='radian'/>" ARM
            "<equality><joint joint1='k' joint2='j' polycoef='0.5 2 0 0 0'/></equality>"
            "<tendon><fixed stiffness='3' damping='5' frictionloss='7' springlength='2' "
            "range='-8 12'><joint joint='j' coef='2'/><joint joint='k' coef='-3'/></fixed>"
            "</tendon></mujoco>");
    // l = 2 q - 3 (2 q + 1) = -4 q - 3
    const iso_joint_desc* j = joint_named(&f->scene, "m::j");
    CHECK_BITS(j->damping, 80.0);
    CHECK_BITS(j->friction, 28.0);
    CHECK_BITS(j->stiffness, 48.0);
    CHECK_BITS(j->spring_reference, -1.25);
    CHECK_BITS(j->lower, -3.75);
    CHECK_BITS(j->upper, 1.25);
    load(f, "<mujoco model='m'>" ARM "<tendon><fixed stiffness='3'><joint joint='j' coef='2'/>"
            "<joint joint='k' coef='-3'/></fixed></tendon></mujoco>");
    CHECK_BITS(joint_named(&f->scene, "m::j")->stiffness, 0.0);
    const iso_fixed_tendon_desc* sum = iso_model_fixed_tendon(f->scene.model, 0);
    assert_non_null(sum);
    assert_int_equal(sum->joint_count, 2);
    CHECK_BITS(sum->weights[0], 2.0);
    CHECK_BITS(sum->weights[1], -3.0);
    CHECK_BITS(sum->stiffness, 3.0);
    assert_true(isinf(sum->lower) && isinf(sum->upper) && sum->friction == 0.0);
    load(f, "<mujoco model='m'>" ARM "<tendon><fixed frictionloss='3' range='-1 2' limited='true'>"
            "<joint joint='j' coef='2'/><joint joint='k' coef='-3'/></fixed></tendon></mujoco>");
    sum = iso_model_fixed_tendon(f->scene.model, 0);
    assert_non_null(sum);
    CHECK_BITS(sum->friction, 3.0);
    CHECK_BITS(sum->lower, -1.0);
    CHECK_BITS(sum->upper, 2.0);
}

// What the joint has itself stays.
static void a_tendon_adds_to_what_its_joint_has(void** state) {
    fixture* f = *state;
    load(f, "<mujoco model='m'><worldbody><replicate count='2' offset='1 2 3'><body name='a'>"
            "<joint name='j' frictionloss='2' damping='1'/>" BALL "</body></replicate></worldbody>"
            "<tendon><fixed damping='5' frictionloss='3'><joint joint='j1' coef='-2'/></fixed>"
            "</tendon></mujoco>");
    CHECK_BITS(joint_named(&f->scene, "m::j1")->friction, 8.0);
    CHECK_BITS(joint_named(&f->scene, "m::j1")->damping, 21.0);
    CHECK_BITS(joint_named(&f->scene, "m::j0")->friction, 2.0);
    CHECK_VEC3_NEAR(start_pose_of(&f->scene, "m::a1").p, iso_vec3_make(1, 2, 3), 0.0);
}

static void what_a_tendon_cannot_do_is_said(void** state) {
    fixture* f = *state;
    // Only the spring is lost where it has slack, whatever the tendon amounts to.
    load(f, "<mujoco model='m'>" ARM
            "<tendon><fixed stiffness='3' damping='5' frictionloss='7' springlength='1 2' "
            "range='-8 12' limited='true'><joint joint='j' coef='2'/><joint joint='k' coef='-3'/>"
            "</fixed><fixed stiffness='3' damping='5' springlength='-1 2'><joint joint='j' "
            "coef='2'/></fixed><spatial stiffness='3' damping='5' springlength='0.1 0.2'>"
            "<site site='s'/><site site='t'/></spatial></tendon></mujoco>");
    const iso_fixed_tendon_desc* sum = iso_model_fixed_tendon(f->scene.model, 0);
    assert_true(sum->stiffness == 0.0 && sum->damping == 5.0 && sum->friction == 7.0);
    assert_true(sum->lower == -8.0 && sum->upper == 12.0);
    CHECK_BITS(joint_named(&f->scene, "m::j")->damping, 20.0);
    CHECK_BITS(joint_named(&f->scene, "m::j")->stiffness, 0.0);
    const iso_fixed_tendon_desc* route = iso_model_fixed_tendon(f->scene.model, 1);
    assert_true(route->part_count == 2 && route->stiffness == 0.0 && route->damping == 5.0);
    CHECK_TEXT(f->log.text, "<fixed>: a spring that rests between the lengths 1 and 2 is not");
    load(f, "<mujoco model='m'><worldbody><site name='s'/><site name='t' pos='1 0 0'/><body>"
            "<joint/>" BALL "</body></worldbody><tendon><spatial frictionloss='1'><site site='s'/>"
            "<site site='t'/></spatial></tendon></mujoco>");
    CHECK_TEXT(f->log.text, "<spatial> is left out: what it runs over cannot move");
    // Why a tendon is left out.
    load(
        f,
        "<mujoco model='m'><worldbody><body name='a'><joint name='j' actuatorfrcrange='-1 1'/>" BALL
        "<body><joint name='b' type='ball'/>" BALL "<body><joint name='k'/>" BALL
        "</body></body></body></worldbody><tendon>"
        "<fixed name='none' damping='1'><joint joint='j' coef='0'/></fixed>"
        "<fixed name='turns' damping='1'><joint joint='b' coef='1'/></fixed>"
        "<fixed name='sum'><joint joint='j' coef='1'/><joint joint='k' coef='1'/></fixed>"
        "</tendon><actuator><motor tendon='none'/><motor tendon='sum'/></actuator>"
        "<sensor><tendonpos name='x' tendon='turns'/></sensor></mujoco>");
    CHECK_TEXT(f->log.text, "tendon 'none' with its stiffness, damping, frictionloss and range is "
                            "left out: the coef of each of its joints add up to 0");
    CHECK_TEXT(f->log.text, "actuator of tendon 'none' is left out: the coef of each");
    CHECK_TEXT(f->log.text, "left out: it is not one of hinges and slides only");
    CHECK_TEXT(f->log.text, "<tendonpos> of tendon 'turns' is left out: it is not one of");
    CHECK_TEXT(f->log.text, "joint 'm::j': its actuatorfrcrange does not bound actuators of");
}

static void equalities_of_tendons_couple_their_joints(void** state) {
    fixture* f = *state;
    // 2 (q_j - 0) - 4 (q_k - 0.5) = 0.25; what else the tendon does moves nothing.
    load(f, "<mujoco model='m'><compiler angle='radian'/>" ARM
            "<tendon><fixed name='t' stiffness='3' range='0 9' limited='true'><joint joint='j' "
            "coef='2'/><joint joint='k' coef='-4'/></fixed><spatial name='rope'><site site='s'/>"
            "<site site='t'/></spatial></tendon><equality><tendon tendon1='t' polycoef='0.25'/>"
            "<tendon tendon1='rope'/><tendon tendon1='t' tendon2='t'/></equality></mujoco>");
    assert_int_equal(iso_model_coupler_count(f->scene.model), 1);
    assert_int_equal(iso_model_fixed_tendon_count(f->scene.model), 1);
    const iso_fixed_tendon_desc* rope = iso_model_fixed_tendon(f->scene.model, 0);
    assert_true(rope->lower == rope->upper && rope->lower > 0.0 && rope->part_count == 3);
    const iso_coupler_desc* coupler = iso_model_coupler(f->scene.model, 0);
    CHECK_BITS(coupler->ratio, 0.5);
    CHECK_BITS(coupler->offset, 0.4375);
    CHECK_BITS(joint_named(&f->scene, "m::j")->stiffness, 0.0);
    CHECK_TEXT(f->log.text, "equality of tendon 't' is left out: its joints cancel");
    // What cancels but for rounding, 0.3 - 3 x 0.1, is not there.
    load(f, "<mujoco model='m'>" ARM
            "<tendon><fixed name='t'><joint joint='j' coef='0.3'/><joint joint='k' coef='1'/>"
            "</fixed><fixed name='u'><joint joint='j' coef='0.1'/></fixed></tendon>"
            "<equality><tendon tendon1='t' tendon2='u' polycoef='0.2 3'/></equality></mujoco>");
    assert_int_equal(iso_model_coupler_count(f->scene.model), 0);
    CHECK_NEAR(joint_named(&f->scene, "m::k")->upper, 0.2 + 0.5 * ISO_PI / 180.0, 1e-16);
    // Two joints that cannot both be where they should.
    load(f, "<mujoco model='m'><worldbody><body><joint name='j' range='0 90'/>" BALL
            "<body><joint name='k' range='10 90'/>" BALL "</body></body></worldbody>"
            "<tendon><fixed name='t'><joint joint='j' coef='2'/><joint joint='k' coef='2'/></fixed>"
            "</tendon><equality><tendon name='e' tendon1='t'/></equality></mujoco>");
    assert_int_equal(iso_model_coupler_count(f->scene.model), 0);
    const iso_fixed_tendon_desc* tie = iso_model_fixed_tendon(f->scene.model, 0);
    assert_string_equal(tie->name, "m::e_equality");
    assert_true(tie->lower == 0.0 && tie->upper == 0.0);
    CHECK_TEXT(f->log.text, "the limits of joints 'm::j' and 'm::k' leave no position");
}

// Joint k counts from 0.5: (q - 0.5)^4 = q^4 - 2 q^3 + 1.5 q^2 - 0.5 q + 0.0625. Of tendons the
// tangent at the pose of the file is taken, or nothing where that is flat.
static void a_curve_of_joints_is_a_coupler_with_its_powers(void** state) {
    fixture* f = *state;
    load(f, "<mujoco model='m'><compiler angle='radian'/>" ARM
            "<tendon><fixed name='t'><joint joint='j' coef='1'/></fixed><fixed name='u'><joint "
            "joint='k' coef='1'/></fixed></tendon><equality>\n"
            "<joint joint1='j' joint2='k' polycoef='0.1 0 0 0 1' active='false'/>\n"
            "<tendon tendon1='t' tendon2='u' polycoef='0 1 1 0 0'/></equality></mujoco>");
    assert_int_equal(iso_model_coupler_count(f->scene.model), 2);
    const iso_coupler_desc* c = iso_model_coupler(f->scene.model, 0);
    assert_true(c->is_off);
    CHECK_BITS(c->ratio, -0.5);
    CHECK_BITS(c->offset, 0.1 + 0.0625);
    CHECK_BITS(c->curve[0], 1.5);
    CHECK_BITS(c->curve[1], -2.0);
    CHECK_BITS(c->curve[2], 1.0);
    CHECK_TEXT(f->log.text, "test.xml:3: <tendon>: polycoef 0 1 1 0 0 is not linear: only its "
                            "first two numbers are used");
}

// q_k = q_j: where their ranges have something in common, on which side of 0 and however little,
// they are coupled.
static void joints_are_coupled_where_their_limits_leave_room(void** state) {
    fixture* f = *state;
    static const char* const ranges[][2] = {
        {"0 2", "1 1.5"}, {"-2 0", "-1.5 -1"}, {"1 1.5", "0 2"},  {"0.5 1", "1 4"},
        {"0 2", "2.5 3"}, {"-2 0", "0.5 1"},   {"2.5 3", "-1 2"}, {"0.5 1", "-4 0.4"}};
    for (int i = 0; i < 8; ++i) {
        char text[1024];
        snprintf(text, sizeof text,
                 "<mujoco model='m'><compiler angle='radian'/><worldbody><body><joint name='j' "
                 "range='%s'/>" BALL "<body><joint name='k' range='%s'/>" BALL
                 "</body></body></worldbody><tendon><fixed name='t'><joint joint='j' coef='3'/>"
                 "<joint joint='k' coef='-3'/></fixed></tendon><equality><tendon tendon1='t'/>"
                 "</equality></mujoco>",
                 ranges[i][0], ranges[i][1]);
        load(f, text);
        int couplers = iso_model_coupler_count(f->scene.model),
            tendons = iso_model_fixed_tendon_count(f->scene.model);
        CHECK(couplers == (i < 4) && tendons == (i >= 4), "%s and %s: %d couplers, %d tendons",
              ranges[i][0], ranges[i][1], couplers, tendons);
    }
}

static void copies_have_tendons_of_their_own(void** state) {
    fixture* f = *state;
    load(f, "<mujoco model='m'><worldbody><replicate count='2'><body><joint name='j'/>" BALL
            "<body><joint name='k'/>" BALL "</body></body></replicate></worldbody>"
            "<tendon><fixed name='t' stiffness='2'><joint joint='j' coef='1'/>"
            "<joint joint='k' coef='2'/></fixed></tendon><actuator><motor name='a' tendon='t'/>"
            "</actuator><sensor><tendonpos name='s' tendon='t'/></sensor></mujoco>");
    assert_int_equal(iso_model_fixed_tendon_count(f->scene.model), 2);
    for (int i = 0; i < 2; ++i) {
        const iso_fixed_tendon_desc* tendon = iso_model_fixed_tendon(f->scene.model, i);
        CHECK_BITS(tendon->stiffness, 2.0);
        assert_true(tendon->joints[0] == 2 * i && tendon->joints[1] == 2 * i + 1);
        assert_int_equal(iso_model_actuator(f->scene.model, i)->fixed_tendon, i);
        assert_string_equal(f->scene.sensors[i].fixed_tendon, tendon->name);
    }
}

// A hinge that gravity pulls down stays where its equality has it.
static void an_equality_of_one_joint_holds_it(void** state) {
    fixture* f = *state;
    iso_world* world = NULL;
    load(f, "<mujoco model='m'><compiler angle='radian'/><worldbody><body name='a'><joint name='j' "
            "axis='0 1 0' ref='0.1'/><geom size='0.1' pos='1 0 0' contype='-1'/></body></worldbody>"
            "<equality><joint joint1='j' polycoef='0.3'/></equality></mujoco>");
    assert_true(geometry_of(&f->scene, "m::a", "collision")->collision_group == UINT32_MAX);
    CHECK_OK(f->ctx, iso_world_create(f->ctx, f->scene.model, &f->scene.world, &world));
    for (int i = 0; i < 500; ++i) {
        CHECK_OK(f->ctx, iso_world_step(world));
    }
    CHECK_NEAR(iso_world_joint_position(world, 0), 0.4, 2e-8); // measured 4.7e-9: it bears 410 N m
    iso_world_destroy(world);
}

static void equalities_of_every_kind_have_the_defaults_of_their_class(void** state) {
    fixture* f = *state;
    load(f, "<mujoco model='m'><default><equality active='false'/></default><worldbody>"
            "<body name='a'><joint name='j' axis='0 1 0'/>" BALL "</body></worldbody><equality>"
            "<joint joint1='j' polycoef='0.3'/><weld body1='a'/></equality></mujoco>");
    CHECK_NEAR(iso_model_joint(f->scene.model, 0)->position, 0.0, 0.0);
    assert_int_equal(iso_model_constraint_count(f->scene.model), 2);
    // The first would hold the hinge at 0.3, as a weld of its bodies.
    const iso_constraint_desc* held = iso_model_constraint(f->scene.model, 0);
    assert_true(held->is_off && held->kind == ISO_CONSTRAINT_WELD);
    CHECK_NEAR(held->x_ap.r.m[0][0], cos(0.3), 1e-15);
    assert_true(iso_model_constraint(f->scene.model, 1)->is_off);
}

// The anchor of a weld is a point of body2 and lies at relpose; without torques it is a ball.
static void welds_have_anchors_and_scales_of_torque(void** state) {
    fixture* f = *state;
    load(f, "<mujoco model='m'>" ARM "<equality>"
            "<weld body1='a' body2='c' anchor='0.1 0 0'/>"
            "<weld body1='a' body2='c' anchor='0.1 0 0' relpose='0.2 0 0 1 0 0 0'/>"
            "<weld body1='a' body2='c' anchor='0.1 0 0' torquescale='0'/>"
            "<weld body1='a' body2='c' torquescale='3'/>"
            "<weld site1='s' site2='t' torquescale='0'/></equality></mujoco>");
    const iso_constraint_desc* c[5];
    for (int i = 0; i < 5; ++i) {
        c[i] = iso_model_constraint(f->scene.model, i);
        bool is_ball = i == 2 || i == 4;
        assert_int_equal(c[i]->kind, is_ball ? ISO_CONSTRAINT_BALL : ISO_CONSTRAINT_WELD);
    }
    CHECK_VEC3_NEAR(c[0]->x_ap.p, iso_vec3_make(3.1, 0, 0), 1e-15); // measured 0; MuJoCo's eq_data
    CHECK_VEC3_NEAR(c[1]->x_ap.p, iso_vec3_make(0.2, 0, 0), 0.0);
    CHECK_VEC3_NEAR(c[1]->x_bq.p, iso_vec3_make(0.1, 0, 0), 0.0);
    CHECK_VEC3_NEAR(c[2]->x_ap.p, iso_vec3_make(3.1, 0, 0), 1e-15); // measured 0
    CHECK_VEC3_NEAR(c[2]->x_bq.p, iso_vec3_make(0.1, 0, 0), 0.0);
}

#define MOCAP                                                                              \
    "<mujoco model='m'><worldbody><body name='target' mocap='true' pos='0 0 1'/>"          \
    "<body name='hand' pos='0 0 1'><freejoint/>" BALL "</body></worldbody>"                \
    "<equality><weld body1='target' body2='hand'/></equality><keyframe><key mpos='0 0 2' " \
    "mquat='0.5 0.1 0.7 0.5' qpos='0 0 2 0.5 0.1 0.7 0.5'/></keyframe></mujoco>"

static void a_mocap_body_leads_what_is_welded_to_it(void** state) {
    fixture* f = *state;
    iso_world* world = NULL;
    load_from(f, "0", MOCAP);
    CHECK_TEXT(f->log.text, "mocap body 'target' stands where it is until");
    CHECK_OK(f->ctx, iso_world_create(f->ctx, f->scene.model, &f->scene.world, &world));
    int target = iso_world_find_body(world, "m::target"),
        hand = iso_world_find_body(world, "m::hand");
    iso_pose x = iso_world_body_pose(world, target);
    // The keyframe: the matrix of its quaternion, written out.
    iso_mat3 turned = {{{-0.48, -0.36, 0.8}, {0.64, 0.48, 0.6}, {-0.6, 0.8, 0.0}}};
    CHECK_POSE_NEAR(x, iso_pose_make(turned, iso_vec3_make(0, 0, 2)), 1e-15); // measured 1.1e-16
    iso_spatial v = iso_spatial_make(iso_vec3_zero(), iso_vec3_make(0.5, 0, 0));
    CHECK_OK(f->ctx, iso_world_set_prescribed(world, target, &x, v));
    for (int i = 0; i < 100; ++i) {
        CHECK_OK(f->ctx, iso_world_step(world));
    }
    x.p.x = 0.5 * 100.0 * f->scene.world.time_step;
    CHECK_POSE_NEAR(iso_world_body_pose(world, hand), x, 1e-10); // measured 9.8e-12
    iso_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(equalities_and_tendons_become_constraints),
        TEST(a_fixed_tendon_is_felt_by_the_joint_it_amounts_to),
        TEST(a_tendon_adds_to_what_its_joint_has),
        TEST(what_a_tendon_cannot_do_is_said),
        TEST(equalities_of_tendons_couple_their_joints),
        TEST(a_curve_of_joints_is_a_coupler_with_its_powers),
        TEST(joints_are_coupled_where_their_limits_leave_room),
        TEST(copies_have_tendons_of_their_own),
        TEST(an_equality_of_one_joint_holds_it),
        TEST(equalities_of_every_kind_have_the_defaults_of_their_class),
        TEST(welds_have_anchors_and_scales_of_torque),
        TEST(a_mocap_body_leads_what_is_welded_to_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
