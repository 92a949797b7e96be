// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// MJCF: what becomes of actuators.

#include "isobar/world.h"
#include "scene/mjcf_fixture.h"

#include <math.h>

static void actuators_become_pd_laws_of_joints(void** state) {
    fixture* f = *state;
    load_from(
        f, "0",
        "<mujoco model='m'><compiler angle='radian'/>" ARM
        "<equality><joint joint1='k' joint2='j' polycoef='-0.5 2 0 0 0'/></equality>"
        "<tendon><fixed name='f'><joint joint='j' coef='1'/><joint joint='k' coef='2'/></fixed>"
        "</tendon><default><motor ctrlrange='-2 1'/></default><actuator>"
        "<motor name='a' joint='j' gear='-3'/>"
        "<position name='b' joint='k' kp='5' kv='6' gear='2' forcerange='-7 4'/>"
        "<velocity name='c' joint='j' kv='8' ctrllimited='false'/>"
        "<general name='d' tendon='f' gainprm='4' biastype='affine' biasprm='0 -2 -1' "
        "ctrllimited='false'/>"
        "<muscle joint='j'/></actuator>"
        "<keyframe><key qpos='0.1 0.2  0 0 5 1 0 0 0' qvel='1 2 3 4 5 6 7 8' "
        "ctrl='1 2 3 4 0'/></keyframe></mujoco>");
    assert_int_equal(iso_model_actuator_count(f->scene.model), 4);
    const iso_actuator_desc* a = iso_model_actuator(f->scene.model, 0);
    const iso_actuator_desc* b = iso_model_actuator(f->scene.model, 1);
    const iso_actuator_desc* c = iso_model_actuator(f->scene.model, 2);
    const iso_actuator_desc* d = iso_model_actuator(f->scene.model, 3);
    assert_true(a->effort_limit == 6.0 && a->kp == 0.0 && a->kd == 0.0);
    assert_true(a->effort_lower == -3.0 && a->effort_upper == 6.0); // the gear swaps the sides
    assert_true(b->effort_limit == 14.0 && b->kp == 20.0 && b->kd == 24.0);
    assert_true(b->effort_lower == -14.0 && b->effort_upper == 8.0);
    assert_true(isinf(c->effort_lower) && isinf(c->effort_upper));
    assert_true(isinf(c->effort_limit) && c->kp == 0.0 && c->kd == 8.0);
    // l = q_j + 2 (2 q_j + o): the tendon moves 5 per turn of j.
    assert_true(d->joint == 0 && d->kp == 50.0 && d->kd == 25.0);
    CHECK_TEXT(f->log.text, "<muscle> is left out");
    // The keyframe: j, k, the free body; controls as efforts, positions and velocities.
    CHECK_BITS(joint_named(&f->scene, "m::k")->position, 0.2);
    CHECK_BITS(joint_named(&f->scene, "m::j")->velocity, 1.0);
    CHECK_BITS(start_pose_of(&f->scene, "m::c").p.z, 5.0);
    assert_int_equal(f->scene.command_count, 4);
    assert_int_equal(f->scene.commands[0].kind, ISO_COMMAND_EFFORT);
    CHECK_BITS(f->scene.commands[0].signal.offset, -3.0);
    assert_int_equal(f->scene.commands[1].kind, ISO_COMMAND_POSITION);
    CHECK_BITS(f->scene.commands[1].signal.offset, 0.5); // the control of 2 ends at 1
    assert_int_equal(f->scene.commands[2].kind, ISO_COMMAND_VELOCITY);
    CHECK_BITS(f->scene.commands[2].signal.offset, 3.0);
    // 4 u - 2 (5 q + 2 o) = 0 with u = 4, o = c0 + ref = 0
    assert_int_equal(f->scene.commands[3].kind, ISO_COMMAND_POSITION);
    CHECK_NEAR(f->scene.commands[3].signal.offset, 1.6, 1e-15); // measured 0
    iso_world* world = NULL;
    CHECK_OK(f->ctx, iso_world_create(f->ctx, f->scene.model, &f->scene.world, &world));
    iso_world_destroy(world);
}

static void commands_of_integrators_end_with_the_range_of_their_activation(void** state) {
    fixture* f = *state;
    load_from(f, "0",
              "<mujoco model='m'><compiler angle='radian'/>" ARM "<actuator>"
              "<intvelocity name='a' joint='j' kp='4' gear='2' actrange='-1 3'/>"
              "<damper name='b' joint='j' kv='5' gear='2' ctrlrange='0 1'/>"
              "<cylinder name='c' joint='k' area='2' bias='6 0 0'/></actuator>"
              "<keyframe><key ctrl='0.5 3 1' act='1 9'/></keyframe></mujoco>");
    CHECK_TEXT(f->log.text, "<cylinder>: what it is told acts at once, without its lag of 1 s");
    assert_int_equal(f->scene.command_count, 2);
    const iso_signal_desc* a = &f->scene.commands[0].signal;
    static const double ramp[][2] = {{0.0, 0.5}, {2.0, 1.0}, {4.0, 1.5}, {100.0, 1.5}};
    for (int i = 0; i < 4; ++i) {
        CHECK_NEAR(iso_signal_eval(a, ramp[i][0]), ramp[i][1], 1e-15); // measured 0
    }
    // The control of a damper, at most 1, is its gain.
    CHECK_BITS(iso_model_actuator(f->scene.model, 1)->kd, 20.0);
    CHECK_BITS(f->scene.commands[1].signal.offset, 8.0);
    load_from(f, "0",
              "<mujoco model='m'>" ARM "<actuator><intvelocity name='a' joint='j' kp='4' gear='2' "
              "actrange='-1 3'/></actuator><keyframe><key ctrl='0' act='2'/></keyframe></mujoco>");
    CHECK_BITS(iso_signal_eval(&f->scene.commands[0].signal, 5.0), 1.0); // stays
    // A damper that a control below 0 would make push; one with a bias too.
    load_from(f, "0",
              "<mujoco model='m'>" ARM "<actuator>"
              "<general joint='j' gaintype='affine' gainprm='0 0 -5'/>"
              "<general joint='j' gaintype='affine' gainprm='0 0 -5' biastype='affine' "
              "biasprm='1 0 -2'/></actuator><keyframe><key ctrl='-1 1'/></keyframe></mujoco>");
    CHECK_TEXT(f->log.text, "pushes along the velocity");
    assert_int_equal(iso_model_actuator_count(f->scene.model), 1);
    CHECK_BITS(iso_model_actuator(f->scene.model, 0)->kd, 0.0);
}

// Slides on one line, of 2, 3 and 6 kg one on the other: each moves against what it stands on, so
// that 1 / m of both add up: 2, 6/5 and 2 kg.
static void a_damping_ratio_looks_at_the_inertia_that_a_joint_feels(void** state) {
    fixture* f = *state;
#define SLIDE(name, mass)                                                      \
    "<body name='" name "'><joint name='" name "' type='slide' axis='1 0 0'/>" \
    "<geom size='0.1' mass='" mass "'/>"
#define DRIVE(name) "<position joint='" name "' kp='50' dampratio='0.7'/>"
    load(f, "<mujoco model='m'><worldbody>" SLIDE("i", "2") SLIDE("j", "3")
                SLIDE("k", "6") "</body></body></body></worldbody><actuator>" DRIVE("i") DRIVE("j")
                    DRIVE("k") "</actuator></mujoco>");
    const double inertias[] = {2.0, 1.2, 2.0};
    for (int i = 0; i < 3; ++i) {
        const iso_actuator_desc* drive = iso_model_actuator(f->scene.model, i);
        CHECK_REL(drive->kd, 2.0 * 0.7 * sqrt(50.0 * inertias[i]), 1e-14); // measured 2.5e-16
    }
}

// A rotor that a sum of joints turns is a part of what its servo moves: 1 / (1 / 2 + 4 / 3), the
// tendon's 0.3 and the motor's 0.05 times the square of the gear.
static void a_damping_ratio_along_a_tendon_counts_its_rotors(void** state) {
    fixture* f = *state;
    load(f, "<mujoco model='m'><worldbody>" SLIDE("i", "2") "</body>" SLIDE(
                "k", "3") "</body></worldbody><tendon><fixed name='t' armature='0.3'>"
                          "<joint joint='i' coef='1'/><joint joint='k' coef='2'/></fixed></tendon>"
                          "<actuator><position tendon='t' kp='50' dampratio='0.7' gear='2' "
                          "armature='0.05'/></actuator></mujoco>");
    double inertia = 6.0 / 11.0 + 0.3 + 0.05 * 4.0;
    CHECK_REL(iso_model_fixed_tendon(f->scene.model, 0)->rotor_inertia, 0.5, 1e-15);
    CHECK_REL(iso_model_actuator(f->scene.model, 0)->kd, 2.0 * 0.7 * sqrt(200.0 * inertia), 1e-14);
}

// Of <general> it is the third number of a position law, which pulls by -gain times the position,
// where it is above 0; else that number is the damping itself, as in MuJoCo.
static void a_damping_ratio_of_a_general_actuator_is_one_of_a_position_law_only(void** state) {
    fixture* f = *state;
#define GENERAL(bias) "<general joint='i' gainprm='50' biastype='affine' biasprm='" bias "'/>"
#define DRIVEN(drives)                                                                     \
    "<mujoco model='m'><worldbody>" SLIDE("i", "2") "</body></worldbody><actuator>" drives \
                                                    "</actuator></mujoco>"
    load(f, DRIVEN(GENERAL("3 -50 0.7") GENERAL("0 -50 -3") GENERAL("-50 -40 -0.7")));
    const double dampings[] = {2.0 * 0.7 * sqrt(50.0 * 2.0), 3.0, 0.7};
    for (int i = 0; i < 3; ++i) {
        CHECK_REL(iso_model_actuator(f->scene.model, i)->kd, dampings[i], 1e-14); // measured 0
    }
    load(f, DRIVEN("\n" GENERAL("-50 -40 0.7") "<position joint='i' kp='-1'/><motor joint='i'/>"));
    assert_int_equal(iso_model_actuator_count(f->scene.model), 1);
    CHECK_TEXT(f->log.text,
               "test.xml:2: actuator 'm::actuator_0' is left out: its force grows with "
               "position (-40) or velocity (0.7)");
}

// Half of -1 to 3 about its middle, as MuJoCo's actuator_ctrlrange has it: of a joint or tendon,
// limited or not, and of a joint that an equality holds.
static void an_inherited_range_is_a_share_about_the_middle(void** state) {
    fixture* f = *state;
#define INHERITS(range, between, of)                                                      \
    "<mujoco model='m'><compiler angle='radian'/><worldbody><body><joint name='j' " range \
    "/>" BALL "<body><joint name='k'/>" BALL "</body></body></worldbody>" between         \
    "<actuator>" POSITION(of) POSITION(of)                                                \
        POSITION(of) "</actuator><keyframe><key ctrl='-5 0.5 5'/></keyframe>"             \
                     "</mujoco>"
#define POSITION(of) "<position " of " kp='4' inheritrange='0.5'/>"
#define SUM(range)                                                                             \
    "<tendon><fixed name='t' " range "><joint joint='j' coef='1'/><joint joint='k' coef='1'/>" \
    "</fixed></tendon>"
    static const char* const texts[] = {
        INHERITS("range='-1 3'", "", "joint='j'"),
        INHERITS("range='-1 3' limited='false'", "", "joint='j'"),
        INHERITS("range='-1 3'", "<equality><joint joint1='j' polycoef='0.2'/></equality>",
                 "joint='j'"),
        INHERITS("", SUM("range='-1 3'"), "tendon='t'"),
        INHERITS("", SUM("range='-1 3' limited='false'"), "tendon='t'")};
    static const double commands[] = {0.0, 0.5, 2.0};
    for (int i = 0; i < 5; ++i) {
        load_from(f, "0", texts[i]);
        for (int k = 0; k < 3; ++k) {
            CHECK_BITS(f->scene.commands[k].signal.offset, commands[k]);
        }
    }
}

// What drives something else is left out with a word, whatever its law, and takes no gains.
static void actuators_of_other_things_are_left_out(void** state) {
    fixture* f = *state;
    load(f,
         "<mujoco model='m'><worldbody><site name='s'/><body name='a'><joint name='r' "
         "type='ball'/>" BALL "<body name='b'><joint name='j'/>" BALL "</body></body></worldbody>"
         "<actuator><motor name='turn' joint='r' gear='1 0 0'/>"
         "<position name='pull' site='s' kp='3' dampratio='0.7'/>"
         "<general name='odd' joint='j' dyntype='user' dynprm='1'/><motor name='stick' body='a'/>"
         "<motor name='kept' jointinparent='j' gear='3'/></actuator></mujoco>");
    assert_int_equal(iso_model_actuator_count(f->scene.model), 2);
    assert_string_equal(iso_model_actuator(f->scene.model, 0)->name, "m::turn");
    assert_string_equal(iso_model_actuator(f->scene.model, 1)->name, "m::kept");
    CHECK_TEXT(f->log.text, "an actuator on a crank or body is left out");
    CHECK_TEXT(f->log.text, "<position> is left out: nothing that it drives can move");
    CHECK_TEXT(f->log.text, "<general> is left out: actuators are motor");
}

#define CUP(attributes)                                                                   \
    "<mujoco model='m'><worldbody><body name='a'><freejoint/>" BALL "</body></worldbody>" \
    "\n<actuator><adhesion " attributes "/></actuator></mujoco>"

static void adhesion_pulls_at_what_a_body_touches(void** state) {
    fixture* f = *state;
    load_from(f, "0",
              "<mujoco model='m'><compiler autolimits='false'/><default>"
              "<adhesion gain='3' ctrlrange='0.5 2'/></default><worldbody>"
              "<body name='a'><freejoint/>" BALL "</body></worldbody><actuator>"
              "<adhesion name='cup' body='a'/>"
              "<adhesion name='world' body='world' gain='5' forcelimited='true' forcerange='0 4'/>"
              "<general name='both' body='a' gainprm='2' gear='7' ctrlrange='-1 3' "
              "ctrllimited='true'/></actuator>"
              "<sensor><actuatorfrc actuator='cup'/></sensor>"
              "<keyframe><key qpos='0 0 0 1 0 0 0' ctrl='9 1 1'/></keyframe></mujoco>");
    const double ranges[3][2] = {{1.5, 6.0}, {2.5, 4.0}, {0.0, 6.0}};
    const int bodies[] = {1, 0, 1};
    const double told[] = {6.0, 5.0, 2.0}; // 9 ends at 2; MuJoCo bounds forces when they act
    assert_int_equal(iso_model_actuator_count(f->scene.model), 3);
    for (int i = 0; i < 3; ++i) {
        const iso_actuator_desc* desc = iso_model_actuator(f->scene.model, i);
        assert_true(desc->joint == -1 && desc->fixed_tendon == -1);
        assert_int_equal(desc->adhesion_body, bodies[i]);
        CHECK_BITS(desc->effort_lower, ranges[i][0]);
        CHECK_BITS(desc->effort_upper, ranges[i][1]);
        CHECK_BITS(f->scene.commands[i].signal.offset, told[i]);
    }
    CHECK_TEXT(f->log.text, "<general> of a body: forces below 0, which would push contacts apart");
    CHECK_TEXT(f->log.text, "<actuatorfrc>: actuator 'cup' is adhesion; the sensor is left out");
    iso_world* world = NULL;
    CHECK_OK(f->ctx, iso_world_create(f->ctx, f->scene.model, &f->scene.world, &world));
    iso_world_destroy(world);
    const char* const wrong[][2] = {
        {CUP("body='a' ctrlrange='-1 1'"),
         "test.xml:2: <adhesion>: ctrlrange is -1 to 1, expected to rise from 0 or more"},
        {CUP("body='a'"),
         "test.xml:2: <adhesion>: ctrlrange is 0 to 0, expected to rise from 0 or more"},
        {CUP("body='a' ctrlrange='0 1' gain='-2'"),
         "test.xml:2: <adhesion>: gain is -2, expected >= 0"},
        {CUP("body='b' ctrlrange='0 1'"), "there is no body named 'b'"},
        {CUP("ctrlrange='0 1'"), "test.xml:2: <adhesion>"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        iso_scene_destroy(f->ctx, &f->scene);
        assert_int_not_equal(load_text(f->ctx, ISO_SCENE_FORMAT_XML, wrong[i][0], &f->scene),
                             ISO_OK);
        CHECK_ERROR(f->ctx, wrong[i][1]);
    }
}

// A tree of which something moves no mass has no factor: the world says what does.
static void a_damping_ratio_where_nothing_is_moved_is_left_to_the_world(void** state) {
    fixture* f = *state;
    iso_world* world = NULL;
    load(f,
         "<mujoco model='m'><worldbody><body name='a'><joint name='j'/>" BALL
         "\n<body name='b'><joint name='k'/><geom size='0.1' mass='0'/></body></body></worldbody>"
         "<actuator><position joint='k' dampratio='1'/></actuator></mujoco>");
    CHECK_BITS(iso_model_actuator(f->scene.model, 0)->kd, 0.0);
    CHECK_STATUS(f->ctx, iso_world_create(f->ctx, f->scene.model, &f->scene.world, &world),
                 ISO_ERR_RANGE);
    CHECK_ERROR(f->ctx, "test.xml:2: body 'm::b' and what hangs on it have mass 0 kg");
}

static void a_constant_force_acts_without_a_keyframe(void** state) {
    fixture* f = *state;
    load(f, "<mujoco model='m'><compiler angle='radian'/>" ARM "<actuator>"
            "<general name='a' joint='j' gear='3' biastype='affine' biasprm='2 0 0'/>"
            "<general name='b' joint='k' biastype='affine' biasprm='2 -4 0'/>"
            "<motor name='c' joint='k'/></actuator></mujoco>");
    assert_int_equal(f->scene.command_count, 2);
    assert_int_equal(f->scene.commands[0].kind, ISO_COMMAND_EFFORT);
    CHECK_BITS(f->scene.commands[0].signal.offset, 6.0);
    assert_int_equal(f->scene.commands[1].kind, ISO_COMMAND_POSITION);
    CHECK_BITS(f->scene.commands[1].signal.offset, 0.5);
}

static void a_weight_carried_by_actuators_is_a_warning_of_its_own(void** state) {
    fixture* f = *state;
    load(f, "<mujoco model='m'><worldbody><body name='a' gravcomp='1'>\n<joint name='j' "
            "actuatorgravcomp='true'/><geom size='0.1'/></body></worldbody></mujoco>");
    assert_int_equal(f->log.warning_count, 1);
    CHECK_TEXT(f->log.text,
               "test.xml:2: joint 'm::j': what gravcomp carries is a force of its own");
    f->log = (kept_log){.length = 0};
    load(f, "<mujoco model='m'><worldbody><body name='a' gravcomp='1'>\n<joint name='j' "
            "actuatorgravcomp='false'/><geom size='0.1'/></body></worldbody></mujoco>");
    assert_int_equal(f->log.warning_count, 0);
}

// Balls on hinges about one line, as many as may be: what a hinge turns, it turns against the ball
// that carries it, and each is a sphere.
static void a_damping_ratio_in_a_very_large_tree_is_refused(void** state) {
    fixture* f = *state;
    double mass = 1000.0 * 4.0 / 3.0 * ISO_PI * 1e-3, inertia = 0.4 * mass * 0.01;
    double kd = 2.0 * sqrt(0.5 * inertia);
    for (int joints = 494; joints <= 495; ++joints) { // and six degrees of freedom of the base
        static char text[32768];
        int used = snprintf(text, sizeof text, "<mujoco><worldbody><body><freejoint/>" BALL);
        for (int i = 0; i < joints; ++i) {
            used += snprintf(text + used, sizeof text - (size_t)used,
                             "<body><joint name='j%d'/>" BALL "</body>", i);
        }
        snprintf(text + used, sizeof text - (size_t)used,
                 "</body></worldbody><actuator>\n<position joint='j0' dampratio='1'/>"
                 "<position joint='j%d' dampratio='1'/></actuator></mujoco>",
                 joints - 1);
        iso_scene_destroy(f->ctx, &f->scene);
        iso_status expected = joints == 494 ? ISO_OK : ISO_ERR_UNSUPPORTED;
        CHECK_STATUS(f->ctx, load_text(f->ctx, ISO_SCENE_FORMAT_XML, text, &f->scene), expected);
        for (int i = 0; expected == ISO_OK && i < 2; ++i) {
            CHECK_REL(iso_model_actuator(f->scene.model, i)->kd, kd, 1e-11); // measured 6.4e-13
        }
    }
    CHECK_ERROR(f->ctx, "test.xml:2: <position>: a damping ratio in a tree of more than 500 "
                        "degrees of freedom is not supported; give the damping itself");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(actuators_become_pd_laws_of_joints),
        TEST(commands_of_integrators_end_with_the_range_of_their_activation),
        TEST(a_damping_ratio_looks_at_the_inertia_that_a_joint_feels),
        TEST(a_damping_ratio_along_a_tendon_counts_its_rotors),
        TEST(a_damping_ratio_of_a_general_actuator_is_one_of_a_position_law_only),
        TEST(an_inherited_range_is_a_share_about_the_middle),
        TEST(actuators_of_other_things_are_left_out),
        TEST(adhesion_pulls_at_what_a_body_touches),
        TEST(a_damping_ratio_where_nothing_is_moved_is_left_to_the_world),
        TEST(a_constant_force_acts_without_a_keyframe),
        TEST(a_weight_carried_by_actuators_is_a_warning_of_its_own),
        TEST(a_damping_ratio_in_a_very_large_tree_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
