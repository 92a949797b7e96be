// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// MJCF: what becomes of its elements, and what is refused. test_mujoco_models.py compares masses,
// poses and mass matrices with MuJoCo.

#include "isobar/query.h"
#include "isobar/world.h"
#include "scene/fixture.h"
#include "scene/mjcf_texts.h"

#include <math.h>

static void load(fixture* f, const char* text) {
    iso_scene_destroy(f->ctx, &f->scene);
    CHECK_OK(f->ctx, load_text(f->ctx, ISO_SCENE_FORMAT_XML, text, &f->scene));
}

static void classes_fill_in_attributes(void** state) {
    fixture* f = *state;
    load(f, "<mujoco model='m'><default><geom friction='0.7'/><joint damping='1'/>"
            "<default class='a'><joint damping='2' axis='1 0 0'/><geom type='box' size='1 2 3'/>"
            "<default class='b'><joint axis='0 1 0'/></default></default></default><worldbody>"
            "<body name='p' childclass='a'><joint name='j'/><geom name='g'/>"
            "<body name='q'><joint class='b' name='k'/><geom type='sphere' "
            "size='1'/></body></body></worldbody></mujoco>");
    const iso_joint_desc* j = joint_named(&f->scene, "m::j");
    const iso_joint_desc* k = joint_named(&f->scene, "m::k");
    CHECK_VEC3_NEAR(j->axis, iso_vec3_make(1, 0, 0), 0.0);
    CHECK_VEC3_NEAR(k->axis, iso_vec3_make(0, 1, 0), 0.0);
    CHECK_BITS(k->damping, 2.0);
    const iso_geometry_desc* g = geometry_of(&f->scene, "m::p", "g");
    CHECK_VEC3_NEAR(g->shape.size, iso_vec3_make(2, 4, 6), 0.0); // sizes of MJCF are halves
    CHECK_BITS(g->material.friction_static, 0.7);
    CHECK_BITS(iso_model_body(f->scene.model, 1)->mass, 48000.0); // 1000 kg/m^3
}

static void joints_keep_their_numbers(void** state) {
    fixture* f = *state;
    load(f,
         WORLD("<body name='b'><joint name='j' range='-90 180' stiffness='2' springref='90' "
               "damping='3' frictionloss='4' armature='5' ref='45' actuatorfrcrange='-6 7'/>"
               "<joint name='k' type='slide' range='0 1' limited='false' actuatorfrcrange='-8 7'/>"
               "<joint name='l' range='0 0' actuatorfrcrange='0 0'/>" BALL "</body>"));
    assert_true(isinf(joint_named(&f->scene, "m::l")->upper)); // an empty range is none
    assert_true(isinf(joint_named(&f->scene, "m::l")->effort_limit));
    const iso_joint_desc* j = joint_named(&f->scene, "m::j");
    CHECK_NEAR(j->lower, -ISO_PI / 2.0, 1e-15); // measured 0
    CHECK_NEAR(j->upper, ISO_PI, 1e-15);        // measured 0
    CHECK_NEAR(j->spring_reference, ISO_PI / 2.0, 1e-15);
    CHECK_NEAR(j->position, ISO_PI / 4.0, 1e-15);
    assert_true(j->stiffness == 2.0 && j->damping == 3.0 && j->friction == 4.0);
    assert_true(j->rotor_inertia == 5.0 && j->gear_ratio == 1.0 && j->effort_limit == 7.0);
    assert_true(isinf(joint_named(&f->scene, "m::k")->upper));
    CHECK_BITS(joint_named(&f->scene, "m::k")->effort_limit, 8.0);
    // The pose of the file is that at `ref`; a body without mass stands between the joints.
    CHECK_POSE_NEAR(start_pose_of(&f->scene, "m::b"), iso_pose_identity(), 1e-15); // measured 0
    CHECK_BITS(iso_model_body(f->scene.model, body_index(&f->scene, "m::b.1"))->mass, 0.0);
}

static void equalities_and_tendons_become_constraints(void** state) {
    fixture* f = *state;
    load(f, "<mujoco model='m'><compiler angle='radian'/>" ARM
            "<equality><connect body1='b' anchor='0 0 1'/><weld body1='a' body2='c'/>"
            "<connect site1='s' site2='t' name='pin'/>"
            "<weld body1='a' body2='c' active='false'/>"
            "<joint joint1='k' joint2='j' polycoef='0.25 2 0 0 0'/></equality>"
            "<tendon><spatial range='0 2' damping='1'><site site='s'/><site site='t'/></spatial>"
            "<spatial stiffness='9' damping='1'><site site='s'/><site site='t'/></spatial>"
            "<spatial range='0 1'><site site='s'/><geom geom='g'/><site site='t'/></spatial>"
            "<spatial range='1 2'><site site='s'/><site site='t'/></spatial>"
            "</tendon></mujoco>");
    assert_int_equal(iso_model_constraint_count(f->scene.model), 5);
    const iso_constraint_desc* connect = iso_model_constraint(f->scene.model, 0);
    assert_int_equal(connect->kind, ISO_CONSTRAINT_BALL);
    CHECK_VEC3_NEAR(connect->x_bq.p, iso_vec3_make(1, 0, 1), 0.0);
    const iso_constraint_desc* weld = iso_model_constraint(f->scene.model, 1);
    assert_int_equal(weld->kind, ISO_CONSTRAINT_WELD);
    CHECK_VEC3_NEAR(weld->x_ap.p, iso_vec3_make(3, 0, 0), 0.0);
    assert_string_equal(iso_model_constraint(f->scene.model, 2)->name, "m::pin");
    const iso_constraint_desc* rope = iso_model_constraint(f->scene.model, 3);
    assert_int_equal(rope->kind, ISO_CONSTRAINT_TENDON);
    CHECK_BITS(rope->length, 2.0);
    const iso_constraint_desc* spring = iso_model_constraint(f->scene.model, 4);
    assert_int_equal(spring->kind, ISO_CONSTRAINT_DISTANCE);
    assert_true(spring->stiffness == 9.0 && spring->damping == 1.0 && spring->length == 0.5);
    const iso_coupler_desc* coupler = iso_model_coupler(f->scene.model, 0);
    CHECK_BITS(coupler->ratio, 2.0);
    CHECK_BITS(coupler->offset, 0.75); // c0 + ref_k - c1 ref_j
    CHECK_TEXT(f->log.text, "a spatial tendon of other than two sites");
    CHECK_TEXT(f->log.text, "with a range that begins above 0 is not supported");
    CHECK_TEXT(f->log.text, "damping of a spatial tendon with a range is not supported");
}

static void actuators_become_pd_laws_of_joints(void** state) {
    fixture* f = *state;
    load(f, "<mujoco model='m'><compiler angle='radian'/>" ARM
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
    load(f, "<mujoco model='m'><compiler angle='radian'/>" ARM "<actuator>"
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
    load(f, "<mujoco model='m'>" ARM "<actuator><intvelocity name='a' joint='j' kp='4' gear='2' "
            "actrange='-1 3'/></actuator><keyframe><key ctrl='0' act='2'/></keyframe></mujoco>");
    CHECK_BITS(iso_signal_eval(&f->scene.commands[0].signal, 5.0), 1.0); // stays
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
    iso_scene_destroy(f->ctx, &f->scene);
    iso_status status =
        load_text(f->ctx, ISO_SCENE_FORMAT_XML, DRIVEN(GENERAL("-50 -40 0.7")), &f->scene);
    CHECK_STATUS(f->ctx, status, ISO_ERR_RANGE);
    CHECK_ERROR(f->ctx, "its force grows with position (-40) or velocity (0.7)");
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
        load(f, texts[i]);
        for (int k = 0; k < 3; ++k) {
            CHECK_BITS(f->scene.commands[k].signal.offset, commands[k]);
        }
    }
}

// Lower case: about axes that turn along, Rx Ry Rz; upper case: about fixed ones, Rz Ry Rx.
static void euler_angles_turn_about_axes_that_follow_or_stay(void** state) {
    fixture* f = *state;
    const double a = ISO_PI / 6.0, b = ISO_PI / 4.0, c = ISO_PI / 3.0;
    iso_mat3 back = iso_mat3_from_rpy(-a, -b, -c);
    iso_mat3 expected[2] = {iso_mat3_transpose(back), iso_mat3_from_rpy(a, b, c)};
    static const char* const orders[] = {"xyz", "XYZ"};
    for (int i = 0; i < 2; ++i) {
        char text[512];
        snprintf(text, sizeof text,
                 "<mujoco model='m'><compiler eulerseq='%s'/><worldbody><body name='a' "
                 "euler='30 45 60'><freejoint/>" BALL "</body></worldbody></mujoco>",
                 orders[i]);
        load(f, text);
        CHECK_POSE_NEAR(start_pose_of(&f->scene, "m::a"),
                        iso_pose_make(expected[i], iso_vec3_zero()), 1e-15); // measured 1.1e-16
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
         "<general name='odd' joint='j' dyntype='user' dynprm='1'/>"
         "<motor name='kept' jointinparent='j' gear='3'/></actuator></mujoco>");
    assert_int_equal(iso_model_actuator_count(f->scene.model), 1);
    assert_string_equal(iso_model_actuator(f->scene.model, 0)->name, "m::kept");
    CHECK_TEXT(f->log.text, "an actuator on other than a hinge, slide or tendon is left out");
    CHECK_TEXT(f->log.text, "<general> is left out: actuators are motor");
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

static void what_is_of_no_known_kind_is_ignored_with_a_word(void** state) {
    fixture* f = *state;
    load(f, "<mujoco model='m'><default class='top'><joint damping='2'/></default>\n"
            "<option><flags/></option>" ARM "\n<equality><flex flex='f'/></equality>\n<tendon>"
            "<rope name='t'/></tendon>\n<contact><force/></contact></mujoco>");
    CHECK_BITS(joint_named(&f->scene, "m::j")->damping, 2.0);
    CHECK_TEXT(f->log.text, "test.xml:2: <flags> is not supported and is ignored");
    CHECK_TEXT(f->log.text, "test.xml:3: <flex> is not supported and is ignored");
    CHECK_TEXT(f->log.text, "test.xml:4: <rope> is not supported and is ignored");
    CHECK_TEXT(f->log.text, "test.xml:5: <force> is not supported and is ignored");
    load(f, WORLD("<body name='a'><joint name='r' type='ball' armature='0.1' range='0 1' "
                  "limited='true'/>" BALL "</body>"));
    CHECK_TEXT(f->log.text, "joint 'm::r': the armature of a ball joint is not supported");
    CHECK_TEXT(f->log.text, "joint 'm::r': the range of a ball joint is not supported");
}

static void a_sensor_without_a_name_is_called_by_its_element(void** state) {
    fixture* f = *state;
    load(f, "<mujoco model='m'>" ARM "<sensor><gyro site='s'/><gyro name='spin' site='s'/>"
            "<accelerometer name='' site='s'/></sensor></mujoco>");
    assert_int_equal(f->scene.sensor_count, 3);
    assert_string_equal(f->scene.sensors[0].name, "m::gyro");
    assert_string_equal(f->scene.sensors[1].name, "m::spin");
    assert_string_equal(f->scene.sensors[2].name, "m::accelerometer");
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
    const iso_constraint_desc* rope = iso_model_constraint(f->scene.model, 0);
    assert_true(rope->stiffness == 0.0 && rope->damping == 5.0);
    CHECK_TEXT(f->log.text, "<fixed>: a spring that rests between the lengths 1 and 2 is not");
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
    assert_int_equal(iso_model_fixed_tendon_count(f->scene.model), 0);
    const iso_coupler_desc* coupler = iso_model_coupler(f->scene.model, 0);
    CHECK_BITS(coupler->ratio, 0.5);
    CHECK_BITS(coupler->offset, 0.4375);
    CHECK_BITS(joint_named(&f->scene, "m::j")->stiffness, 0.0);
    CHECK_TEXT(f->log.text, "equality of tendon 'rope' is left out: it is spatial");
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

static void bits_pairs_options_and_looks_are_taken_over(void** state) {
    fixture* f = *state;
    load(f, "<mujoco><option timestep='0.004' gravity='0 0 -1' cone='elliptic'/><worldbody>"
            "<geom type='plane' size='1 1 1' condim='1'/><body name='a'><freejoint/>"
            "<geom name='g' size='0.1' contype='2' conaffinity='4' solref='0.01 1'/>"
            "<geom size='0.2' contype='0' conaffinity='0' group='3' rgba='1 0 0 1'/></body>"
            "<body name='b'><freejoint/>" BALL "</body></worldbody>"
            "<contact><exclude body1='a' body2='b'/></contact><extension/></mujoco>");
    assert_string_equal(f->scene.name, "test"); // the file's
    CHECK_BITS(f->scene.world.time_step, 0.004);
    CHECK_BITS(f->scene.world.gravity.z, -1.0);
    const iso_geometry_desc* g = geometry_of(&f->scene, "test::a", "g");
    assert_true(g->collision_group == 2 && g->collision_mask == 4);
    CHECK_BITS(geometry_of(&f->scene, "world", "collision")->material.friction_static, 1.0);
    assert_int_equal(iso_model_geometry_count(f->scene.model), 3);
    assert_int_equal(iso_model_visual_count(f->scene.model), 4);
    assert_int_equal(f->scene.model->excluded.count, 1);
    CHECK_TEXT(f->log.text, "attribute 'cone' of <option> has no meaning here and is ignored");
    CHECK_TEXT(f->log.text, "attribute 'solref' of <geom> has no meaning here and is ignored");
    CHECK_TEXT(f->log.text, "<extension> is not supported and is ignored");
}

// MuJoCo lets two meet where contype of one and conaffinity of the other have a bit in common, in
// either order: one of the two suffices.
static void a_geom_with_either_kind_of_bits_is_solid(void** state) {
    fixture* f = *state;
    load(f, "<mujoco model='m'><worldbody><body><freejoint/>"
            "<geom name='a' size='1' contype='0' conaffinity='1'/>"
            "<geom name='b' size='1' contype='1' conaffinity='0'/>"
            "<geom name='c' size='1' contype='0' conaffinity='0'/></body></worldbody></mujoco>");
    assert_int_equal(iso_model_geometry_count(f->scene.model), 2);
    for (int i = 0; i < 2; ++i) {
        const iso_geometry_desc* g = iso_model_geometry(f->scene.model, i, NULL);
        assert_string_equal(g->name, i == 0 ? "a" : "b");
        assert_true(g->collision_group == (i == 1) && g->collision_mask == (i == 0));
    }
}

static void flags_switch_gravity_and_contact_off(void** state) {
    fixture* f = *state;
    load(f, "<mujoco><option gravity='0 0 -1'><flag gravity='disable' contact='disable' "
            "warmstart='disable' filterparent='disable'/></option><option gravity='0 0 "
            "-2'/><worldbody><body><freejoint/>" BALL "</body></worldbody></mujoco>");
    CHECK_VEC3_NEAR(f->scene.world.gravity, iso_vec3_zero(), 0.0);
    assert_int_equal(iso_model_geometry_count(f->scene.model), 0);
    assert_int_equal(iso_model_visual_count(f->scene.model), 1);
    CHECK_TEXT(f->log.text, "attribute 'warmstart' of <flag> has no meaning here and is ignored");
    CHECK_TEXT(f->log.text, "<flag>: filterparent is not supported: bodies do not touch");
}

#define PASSIVE                                                                                \
    "<worldbody><site name='w'/><body name='a'><joint name='j' stiffness='2' damping='3' "     \
    "frictionloss='4' range='-1 1' limited='true'/><site name='s' pos='0 0 1'/>" BALL          \
    "<body name='b'><joint name='k'/>" BALL "</body></body></worldbody><equality><connect "    \
    "body1='a' body2='b' anchor='0 0 1'/></equality><tendon><spatial name='p' stiffness='9' "  \
    "springlength='0' damping='1' frictionloss='2'><site site='w'/><site site='s'/></spatial>" \
    "<fixed stiffness='5' damping='6' frictionloss='7' range='0 2' limited='true'>"            \
    "<joint joint='j' coef='1'/><joint joint='k' coef='2'/></fixed></tendon>"                  \
    "<actuator><motor name='u' joint='j' ctrlrange='-1 1'/></actuator></mujoco>"

// What joints, tendons and constraints keep where <flag> disables what they do.
static void flags_switch_forces_off(void** state) {
    fixture* f = *state;
    static const struct {
        const char* flags;
        double spring, damper, friction, limit, control;
        int constraints, actuators;
    } cases[] = {
        {"", 1, 1, 1, 1, 1, 2, 1},
        {"spring='disable'", 0, 1, 1, 1, 1, 2, 1},
        {"damper='disable' limit='enable'", 1, 0, 1, 1, 1, 2, 1},
        {"passive='disable'", 0, 0, 1, 1, 1, 1, 1},
        {"frictionloss='disable'", 1, 1, 0, 1, 1, 2, 1},
        {"limit='disable'", 1, 1, 1, INFINITY, 1, 2, 1},
        {"equality='disable'", 1, 1, 1, 1, 1, 1, 1},
        {"clampctrl='disable'", 1, 1, 1, 1, INFINITY, 2, 1},
        {"actuation='disable'", 1, 1, 1, 1, 1, 2, 0},
        {"constraint='disable' limit='enable'", 1, 1, 0, INFINITY, 1, 1, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[2000];
        (void)snprintf(text, sizeof text,
                       "<mujoco model='m'><compiler angle='radian'/><option><flag %s/></option>%s",
                       cases[i].flags, PASSIVE);
        load(f, text);
        iso_model* model = f->scene.model;
        const iso_joint_desc* j = joint_named(&f->scene, "m::j");
        const iso_fixed_tendon_desc* t = iso_model_fixed_tendon(model, 0);
        CHECK_BITS(j->stiffness, 2.0 * cases[i].spring);
        CHECK_BITS(j->damping, 3.0 * cases[i].damper);
        CHECK_BITS(j->friction, 4.0 * cases[i].friction);
        CHECK_BITS(j->upper, 1.0 * cases[i].limit);
        CHECK_BITS(t->stiffness, 5.0 * cases[i].spring);
        CHECK_BITS(t->damping, 6.0 * cases[i].damper);
        CHECK_BITS(t->friction, 7.0 * cases[i].friction);
        CHECK_BITS(t->upper, 2.0 * cases[i].limit);
        assert_int_equal(iso_model_constraint_count(model), cases[i].constraints);
        assert_int_equal(iso_model_actuator_count(model), cases[i].actuators);
        if (cases[i].actuators > 0) {
            CHECK_BITS(iso_model_actuator(model, 0)->effort_limit, cases[i].control);
        }
        int rope = iso_model_constraint_count(model) - 1;
        if (cases[i].spring > 0.0 && cases[i].damper > 0.0) {
            CHECK_BITS(iso_model_constraint(model, rope)->stiffness, 9.0);
            CHECK_BITS(iso_model_constraint(model, rope)->length, 0.0);
        }
        CHECK_TEXT(f->log.text, "frictionloss of a spatial tendon is not supported");
    }
}

static void masses_are_scaled_to_a_total(void** state) {
    fixture* f = *state;
    load(f, "<mujoco model='m'><compiler settotalmass='6'/><worldbody>"
            "<body name='a'><joint/><inertial pos='0 0 0' mass='1' diaginertia='1 2 3'/></body>"
            "<body name='b'><inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/></body>"
            "</worldbody></mujoco>");
    const iso_body_desc* a = iso_model_body(f->scene.model, body_index(&f->scene, "m::a"));
    const iso_body_desc* b = iso_model_body(f->scene.model, body_index(&f->scene, "m::b"));
    assert_true(a->mass == 2.0 && a->inertia.m[2][2] == 6.0 && b->mass == 4.0);
    // The largest total there is; nothing is stripped from paths where nothing shall be.
    load(f, "<mujoco model='m'><compiler settotalmass='1e12' strippath='false'/><worldbody>"
            "<body name='a'><freejoint/>" BALL "</body></worldbody></mujoco>");
    CHECK_REL(iso_model_body(f->scene.model, 1)->mass, 1e12, 1e-15); // measured 0
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

static void a_start_beyond_limits_is_said_once(void** state) {
    fixture* f = *state;
    load(f,
         "<mujoco model='m'><worldbody><body name='a'>\n<joint name='j' type='slide' range='0 1' "
         "limited='true'/><geom size='0.1'/></body></worldbody><keyframe><key qpos='2'/>"
         "</keyframe></mujoco>");
    iso_world_desc desc = iso_world_desc_default();
    iso_world* world = NULL;
    CHECK_OK(f->ctx, iso_world_create(f->ctx, f->scene.model, &desc, &world));
    assert_int_equal(f->log.warning_count, 1);
    CHECK_TEXT(f->log.text, "test.xml:2: joint 'm::j' starts at 2, outside its limits [0, 1]");
    iso_world_destroy(world);
}

// Two triangles of a corner; the shell's numbers are MuJoCo's.
#define OPEN_MESH(rest)                                                                       \
    "<mujoco model='m'><asset><mesh name='o' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 2 1 0 " \
    "1 3' scale='0.1 0.1 0.1' " rest "/></asset><worldbody><body name='a'><joint/>\n<geom "   \
    "type='mesh' mesh='o'/></body></worldbody></mujoco>"

// The centre of mass of a tetrahedron is the mean of its corners; its moments about that are sums
// over the corners, m / 20 (x_i - c)^2. Whichever of its ways `inertia` names.
static void a_tetrahedron_has_its_mass_whatever_inertia_says(void** state) {
    fixture* f = *state;
    static const char* const ways[] = {"", "inertia='legacy'", "inertia='exact'",
                                       "inertia='convex'"};
    static const iso_vec3 corners[4] = {{0, 0, 0}, {0.3, 0, 0}, {0, 0.2, 0}, {0.1, 0.1, 0.6}};
    const double mass = 1000.0 * 0.3 * 0.2 * 0.6 / 6.0;
    iso_vec3 center = iso_vec3_make(0.1, 0.075, 0.15);
    iso_mat3 second = iso_mat3_zero();
    for (int i = 0; i < 4; ++i) {
        iso_vec3 arm = iso_vec3_sub(corners[i], center);
        second = iso_mat3_add(second, iso_mat3_scale(iso_mat3_outer(arm, arm), mass / 20.0));
    }
    for (int i = 0; i < 4; ++i) {
        char text[1024];
        snprintf(text, sizeof text,
                 "<mujoco model='m'><asset><mesh name='o' vertex='0 0 0 3 0 0 0 1 0 1 0.5 2' "
                 "face='0 2 1 0 1 3 1 2 3 2 0 3' scale='0.1 0.2 0.3' %s/></asset><worldbody>"
                 "<body name='a'><joint/><geom type='mesh' mesh='o'/></body></worldbody></mujoco>",
                 ways[i]);
        load(f, text);
        const iso_body_desc* body = iso_model_body(f->scene.model, body_index(&f->scene, "m::a"));
        CHECK_REL(body->mass, mass, 1e-14);                   // measured 3e-16
        CHECK_VEC3_NEAR(body->center_of_mass, center, 1e-15); // measured 3.1e-17
        for (int k = 0; k < 9; ++k) {
            double trace = second.m[0][0] + second.m[1][1] + second.m[2][2];
            double expected = (k % 4 == 0 ? trace : 0.0) - second.m[k / 3][k % 3];
            CHECK_NEAR(body->inertia.m[k / 3][k % 3], expected, 1e-14); // 8.3e-17
        }
    }
}

static void meshes_that_enclose_nothing_have_the_mass_that_inertia_says(void** state) {
    fixture* f = *state;
    load(f, OPEN_MESH(""));
    const iso_body_desc* legacy = iso_model_body(f->scene.model, body_index(&f->scene, "m::a"));
    CHECK_NEAR(legacy->mass, 1.0 / 18.0, 1e-15); // measured 0; MuJoCo has 0.055555555555555566
    CHECK_TEXT(f->log.text, "test.xml:2: <geom>: mesh 'o' encloses no solid: its mass is that of "
                            "the tetrahedra from its middle");
    f->log = (kept_log){.length = 0};
    load(f, OPEN_MESH("inertia='exact'"));
    const iso_body_desc* hull = iso_model_body(f->scene.model, body_index(&f->scene, "m::a"));
    CHECK_NEAR(hull->mass, 1.0 / 6.0, 1e-15); // measured 2.8e-17
    CHECK_TEXT(f->log.text, "test.xml:2: <geom>: mesh 'o' encloses no solid: the mass is that of");
    f->log = (kept_log){.length = 0};
    load(f, OPEN_MESH("inertia='shell'"));
    assert_int_equal(f->log.warning_count, 0);
    const iso_body_desc* shell = iso_model_body(f->scene.model, body_index(&f->scene, "m::a"));
    CHECK_NEAR(shell->mass, 10.0, 1e-13); // measured 1.8e-15
    CHECK_VEC3_NEAR(shell->center_of_mass, iso_vec3_make(1.0 / 30, 1.0 / 60, 1.0 / 60), 1e-16);
    double trace = shell->inertia.m[0][0] + shell->inertia.m[1][1] + shell->inertia.m[2][2];
    CHECK_NEAR(trace, 0.01490563 + 0.01009437 + 0.00833333, 1e-8);   // measured 3.3e-9: as printed
    double product = 0.01490563 * 0.01009437 * 0.00833333;           // as printed
    CHECK_REL(iso_mat3_determinant(&shell->inertia), product, 1e-6); // measured 5.2e-7
}

// As MuJoCo has it: at (1, 0.5, 0), with the moments of x and y exchanged.
static void an_inertia_in_a_frame_is_turned_with_it(void** state) {
    fixture* f = *state;
    load(f, WORLD("<body name='a'><joint/>" BALL "<frame pos='1 0 0' euler='0 0 90'><inertial "
                  "pos='0.5 0 0' mass='1' diaginertia='1 2 1.5'/></frame></body>"));
    const iso_body_desc* body = iso_model_body(f->scene.model, body_index(&f->scene, "m::a"));
    CHECK_NEAR(body->mass, 1.0, 0.0);
    CHECK_VEC3_NEAR(body->center_of_mass, iso_vec3_make(1.0, 0.5, 0.0), 1e-15); // measured 0
    CHECK_NEAR(body->inertia.m[0][0], 2.0, 1e-15);                              // measured 0
    CHECK_NEAR(body->inertia.m[1][1], 1.0, 1e-15);                              // measured 0
}

// As MuJoCo has it.
static void an_inertia_counts_where_geoms_that_should_have_the_mass_have_none(void** state) {
    fixture* f = *state;
    load(f, "<mujoco model='m'><compiler inertiafromgeom='true'/><worldbody><body name='a'>"
            "<joint/><geom size='0.1' mass='0'/><inertial pos='0 0 0' mass='2' "
            "diaginertia='1 2 1.5'/></body><body name='b'><joint/><geom size='0.1' mass='3'/>"
            "<inertial pos='0 0 0' mass='2' diaginertia='1 2 1.5'/></body></worldbody></mujoco>");
    const iso_body_desc* a = iso_model_body(f->scene.model, body_index(&f->scene, "m::a"));
    const iso_body_desc* b = iso_model_body(f->scene.model, body_index(&f->scene, "m::b"));
    CHECK_NEAR(a->mass, 2.0, 0.0);
    CHECK_NEAR(a->inertia.m[1][1], 2.0, 0.0);
    CHECK_NEAR(b->mass, 3.0, 1e-15); // measured 0
}

static void moments_of_no_solid_are_balanced_when_asked_for(void** state) {
    fixture* f = *state;
    load(f, "<mujoco model='m'><compiler balanceinertia='true'/><worldbody><body name='a'><joint/>"
            "<inertial pos='0 0 0' mass='1' diaginertia='1 1 9'/></body><body name='b'><joint/>"
            "<inertial pos='0 0 0' mass='1' fullinertia='1 2 3.5 0.1 0.2 0.3'/></body>"
            "</worldbody></mujoco>");
    static const char* const names[2] = {"m::a", "m::b"};
    static const double means[2] = {11.0 / 3.0, 6.5 / 3.0}; // MuJoCo's
    for (int k = 0; k < 2; ++k) {
        const iso_mat3* i =
            &iso_model_body(f->scene.model, body_index(&f->scene, names[k]))->inertia;
        CHECK_NEAR(i->m[0][0], means[k], 1e-15); // measured 0
        CHECK_NEAR(i->m[2][2], means[k], 1e-15); // measured 0
        CHECK_NEAR(i->m[0][2], 0.0, 1e-15);      // measured 0
    }
}

static void what_a_free_joint_cannot_have_is_said_once(void** state) {
    fixture* f = *state;
    load(f, "<mujoco model='m'><default><joint armature='0.1'/></default><worldbody>"
            "<body name='a'><joint name='j' type='free' damping='1'/>" BALL "</body>"
            "<body name='b'><freejoint/>" BALL "</body></worldbody></mujoco>");
    assert_int_equal(iso_model_joint_count(f->scene.model), 1); // which damping needs
    CHECK_BITS(joint_named(&f->scene, "m::j")->damping, 1.0);
    assert_int_equal(joint_named(&f->scene, "m::j")->kind, ISO_JOINT_FREE);
    CHECK_TEXT(f->log.text, "joint 'j': armature of a free joint is not supported and is ignored");
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
    assert_int_equal(iso_model_constraint_count(f->scene.model), 0);
}

static void a_joint_that_moves_no_inertia_is_named_with_its_line(void** state) {
    fixture* f = *state;
    iso_world* world = NULL;
    load(f, WORLD("\n<body name='a'><joint axis='0 0 1'/>" BALL
                  "\n<body name='b'><joint axis='0 0 1'/>"
                  "<inertial pos='0 0 0' mass='1' diaginertia='0 0 0'/></body></body>"));
    CHECK_STATUS(f->ctx, iso_world_create(f->ctx, f->scene.model, &f->scene.world, &world),
                 ISO_ERR_RANGE);
    CHECK_ERROR(f->ctx, "test.xml:4: body 'm::b': degree of freedom 0 of its revolute joint moves "
                        "an inertia of 0 ");
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

static void a_springdamper_has_its_time_constant_and_ratio_on_what_the_joint_moves(void** state) {
    fixture* f = *state;
    // Also what MuJoCo 4.0 has in jnt_stiffness and dof_damping, to 2e-16 of it.
    load(f,
         "<mujoco model='m'><worldbody><body><joint name='hinge' axis='0 1 0' armature='0.01' "
         "springdamper='0.5 0.7' stiffness='3' damping='9'/>"
         "<inertial pos='0.3 0 0' mass='2' diaginertia='0.1 0.2 0.25'/></body>"
         "<body pos='2 0 0'><joint name='ball' type='ball' springdamper='0.2 1'/>"
         "<inertial pos='0 0 0' mass='2' diaginertia='0.1 0.2 0.25'/></body></worldbody></mujoco>");
    const iso_joint_desc* hinge = iso_model_joint(f->scene.model, 0);
    double inertia = 0.2 + 2.0 * 0.3 * 0.3 + 0.01;
    CHECK_NEAR(hinge->stiffness, inertia / (0.5 * 0.5 * 0.7 * 0.7),
               1e-14); // measured 4e-16 at most
    CHECK_NEAR(hinge->damping, 2.0 * inertia / 0.5, 1e-14);
    const iso_joint_desc* ball = iso_model_joint(f->scene.model, 1);
    inertia = 3.0 / (1.0 / 0.1 + 1.0 / 0.2 + 1.0 / 0.25);
    CHECK_NEAR(ball->stiffness, inertia / (0.2 * 0.2), 1e-14);
    CHECK_NEAR(ball->damping, 2.0 * inertia / 0.2, 1e-14);
}

static void ranges_that_do_not_rise_bound_nothing(void** state) {
    fixture* f = *state;
    load(f, "<mujoco model='m'><worldbody><body><joint name='j' range='90 -90'/>" BALL
            "<body><joint name='k' range='1 1'/>" BALL "</body></body></worldbody><actuator>"
            "<motor joint='j' ctrlrange='1 -1'/><motor joint='j' forcerange='2 -3'/>"
            "<motor joint='j' ctrlrange='2 3' ctrllimited='false'/></actuator></mujoco>");
    assert_true(isinf(joint_named(&f->scene, "m::j")->upper));
    assert_true(isinf(joint_named(&f->scene, "m::k")->upper));
    for (int i = 0; i < 3; ++i) {
        assert_true(isinf(iso_model_actuator(f->scene.model, i)->effort_limit));
    }
    CHECK_TEXT(f->log.text,
               "<motor>: ctrlrange is 1 to -1, which does not rise and bounds nothing");
    CHECK_TEXT(f->log.text, "<motor>: forcerange is 2 to -3, which does not rise");
    CHECK_TEXT(f->log.text, "<joint>: range is 90 to -90, which does not rise");
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
    load(f, MOCAP);
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

// The numbers are those of MuJoCo's rays.
static void a_height_field_is_a_closed_surface(void** state) {
    fixture* f = *state;
    load(f, "<mujoco model='m'><asset><hfield name='h' nrow='3' ncol='4' size='3 2 1 0.5' "
            "elevation='1 2 3 4  5 6 7 9  3 1 5 2'/></asset><worldbody>"
            "<geom name='g' type='hfield' hfield='h' pos='0 0 1'/></worldbody></mujoco>");
    static const double rays[][3] = {{-2.5, -1.5, 0.34375}, {-2.0, -1.5, 0.28125},
                                     {0.2, -0.5, 0.54375},  {1.5, -1.5, 0.625},
                                     {-1.2, 0.5, 0.4875},   {2.9, 1.5, 0.51875}};
    const iso_geometry_desc* g = geometry_of(&f->scene, "world", "g");
    CHECK_BITS(g->x_bg.p.z, 1.0);
    assert_int_equal(g->material.compliance, ISO_COMPLIANCE_RIGID);
    iso_contact_shape* shape = NULL;
    CHECK_OK(f->ctx, iso_contact_shape_create(f->ctx, &g->shape, &g->material, &shape));
    assert_true(iso_contact_shape_is_closed(shape));
    for (size_t i = 0; i < sizeof rays / sizeof *rays; ++i) {
        bool is_hit = false;
        iso_ray_hit hit;
        iso_vec3 from = iso_vec3_make(rays[i][0], rays[i][1], 5.0);
        CHECK_OK(f->ctx, iso_contact_shape_ray_cast(shape, from, iso_vec3_make(0, 0, -1), INFINITY,
                                                    &is_hit, &hit));
        assert_true(is_hit && hit.normal.z > 0.0);
        CHECK_NEAR(hit.point.z, rays[i][2], 1e-14); // measured 7.2e-16
    }
    iso_contact_shape_destroy(f->ctx, shape);
    iso_mass_properties solid;
    CHECK_OK(f->ctx, iso_shape_mass_properties(f->ctx, &g->shape, &solid));
    // Cells of 2 m x 2 m over a base of 0.5 m: a third of the heights of both triangles.
    double sum = 0.0;
    static const double h[3][4] = {{2, 0, 4, 1}, {4, 5, 6, 8}, {0, 1, 2, 3}};
    for (int i = 0; i < 6; ++i) {
        int r = i / 3, c = i % 3;
        sum += 2.0 * (h[r][c] + h[r + 1][c + 1]) + h[r + 1][c] + h[r][c + 1];
    }
    CHECK_REL(solid.volume, 24.0 * 0.5 + 2.0 / 3.0 * sum / 8.0, 1e-14); // measured 1.5e-16
}

static void forces_on_the_world_are_not_sensed(void** state) {
    fixture* f = *state;
    load(f, "<mujoco model='m'><worldbody><site name='s'/><body>" BALL
            "</body></worldbody><sensor>\n<force site='s'/>"
            "<framepos objtype='site' objname='s'/></sensor></mujoco>");
    CHECK_TEXT(f->log.text, "test.xml:2: <force> at a site of the world is left out");
    assert_int_equal(f->scene.sensor_count, 1);
}

static void shapes_without_a_name_get_the_first_that_is_free(void** state) {
    fixture* f = *state;
    static const char* const names[] = {"collision_1", "collision", "collision_2", "collision_04",
                                        "collision_3"};
    load(f, "<mujoco model='m'><worldbody><body><geom name='collision_1' size='1'/>"
            "<geom size='1'/><geom size='1'/><geom name='collision_04' size='1'/>"
            "<geom size='1'/></body></worldbody></mujoco>");
    for (int i = 0; i < 5; ++i) {
        assert_string_equal(iso_model_geometry(f->scene.model, i, NULL)->name, names[i]);
    }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(classes_fill_in_attributes),
        TEST(joints_keep_their_numbers),
        TEST(equalities_and_tendons_become_constraints),
        TEST(actuators_become_pd_laws_of_joints),
        TEST(commands_of_integrators_end_with_the_range_of_their_activation),
        TEST(a_damping_ratio_looks_at_the_inertia_that_a_joint_feels),
        TEST(a_damping_ratio_of_a_general_actuator_is_one_of_a_position_law_only),
        TEST(an_inherited_range_is_a_share_about_the_middle),
        TEST(euler_angles_turn_about_axes_that_follow_or_stay),
        TEST(actuators_of_other_things_are_left_out),
        TEST(a_damping_ratio_where_nothing_is_moved_is_left_to_the_world),
        TEST(what_is_of_no_known_kind_is_ignored_with_a_word),
        TEST(a_sensor_without_a_name_is_called_by_its_element),
        TEST(a_constant_force_acts_without_a_keyframe),
        TEST(a_fixed_tendon_is_felt_by_the_joint_it_amounts_to),
        TEST(a_tendon_adds_to_what_its_joint_has),
        TEST(what_a_tendon_cannot_do_is_said),
        TEST(equalities_of_tendons_couple_their_joints),
        TEST(joints_are_coupled_where_their_limits_leave_room),
        TEST(copies_have_tendons_of_their_own),
        TEST(bits_pairs_options_and_looks_are_taken_over),
        TEST(a_geom_with_either_kind_of_bits_is_solid),
        TEST(flags_switch_gravity_and_contact_off),
        TEST(flags_switch_forces_off),
        TEST(masses_are_scaled_to_a_total),
        TEST(a_tetrahedron_has_its_mass_whatever_inertia_says),
        TEST(meshes_that_enclose_nothing_have_the_mass_that_inertia_says),
        TEST(a_weight_carried_by_actuators_is_a_warning_of_its_own),
        TEST(a_start_beyond_limits_is_said_once),
        TEST(an_inertia_in_a_frame_is_turned_with_it),
        TEST(an_inertia_counts_where_geoms_that_should_have_the_mass_have_none),
        TEST(moments_of_no_solid_are_balanced_when_asked_for),
        TEST(what_a_free_joint_cannot_have_is_said_once),
        TEST(an_equality_of_one_joint_holds_it),
        TEST(equalities_of_every_kind_have_the_defaults_of_their_class),
        TEST(a_joint_that_moves_no_inertia_is_named_with_its_line),
        TEST(a_damping_ratio_in_a_very_large_tree_is_refused),
        TEST(a_springdamper_has_its_time_constant_and_ratio_on_what_the_joint_moves),
        TEST(ranges_that_do_not_rise_bound_nothing),
        TEST(welds_have_anchors_and_scales_of_torque),
        TEST(a_mocap_body_leads_what_is_welded_to_it),
        TEST(a_height_field_is_a_closed_surface),
        TEST(forces_on_the_world_are_not_sensed),
        TEST(shapes_without_a_name_get_the_first_that_is_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
