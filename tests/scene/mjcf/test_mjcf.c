// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// MJCF: what becomes of its elements, and what is refused. test_mujoco_models.py compares masses,
// poses and mass matrices with MuJoCo.

#include "isobar/world.h"
#include "scene/mjcf_fixture.h"

#include <math.h>

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

// MuJoCo has the sizes 0.3 0.2 and 1 0.2 0.5.
static void numbers_that_an_element_leaves_out_come_from_its_class(void** state) {
    fixture* f = *state;
    load(f, "<mujoco model='m'><default><geom size='9 9 0.5'/><default class='a'>"
            "<geom type='cylinder' size='0.1 0.2' friction='0.5 0.02'/>"
            "</default></default><worldbody><body name='p'><freejoint name='j'/>"
            "<geom name='g' class='a' size='0.3' friction='0.7'/>"
            "<geom name='h' class='a' type='box' size='1'/></body></worldbody>"
            "</mujoco>");
    const iso_geometry_desc* g = geometry_of(&f->scene, "m::p", "g");
    CHECK_BITS(g->shape.radius, 0.3);
    CHECK_BITS(g->shape.length, 0.4);
    CHECK_BITS(g->material.friction_static, 0.7);
    const iso_geometry_desc* h = geometry_of(&f->scene, "m::p", "h");
    CHECK_VEC3_NEAR(h->shape.size, iso_vec3_make(2.0, 0.4, 1.0), 0.0);
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
    CHECK_BITS(joint_named(&f->scene, "m::r")->rotor_inertia, 0.1);
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
    CHECK_TEXT(f->log.text,
               "cone and impratio of <option>, solref, solimp and solmix of <geom> have "
               "no meaning here");
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

#define PASSIVE                                                                               \
    "<worldbody><site name='w'/><body name='a'><joint name='j' stiffness='2' damping='3' "    \
    "frictionloss='4' range='-1 1' limited='true'/><site name='s' pos='0 0 1'/>" BALL         \
    "<body name='b'><joint name='k'/>" BALL "</body></body></worldbody><equality><connect "   \
    "body1='a' body2='b' anchor='0 0 1'/></equality><tendon><spatial name='p' stiffness='9' " \
    "springlength='0' damping='1'><site site='w'/><site site='s'/></spatial>"                 \
    "<fixed stiffness='5' damping='6' frictionloss='7' range='0 2' limited='true'>"           \
    "<joint joint='j' coef='1'/><joint joint='k' coef='2'/></fixed></tendon>"                 \
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
    }
}

static void a_start_beyond_limits_is_said_once(void** state) {
    fixture* f = *state;
    load_from(
        f, "0",
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

static void what_a_free_joint_cannot_have_is_said_once(void** state) {
    fixture* f = *state;
    load(f,
         "<mujoco model='m'><default><joint armature='0.1' frictionloss='2'/></default><worldbody>"
         "<body name='a'><joint name='j' type='free' damping='1'/>" BALL "</body>"
         "<body name='b'><freejoint/>" BALL "</body></worldbody></mujoco>");
    assert_int_equal(iso_model_joint_count(f->scene.model), 1); // which both need
    CHECK_BITS(joint_named(&f->scene, "m::j")->damping, 1.0);
    CHECK_BITS(joint_named(&f->scene, "m::j")->rotor_inertia, 0.1);
    assert_int_equal(joint_named(&f->scene, "m::j")->kind, ISO_JOINT_FREE);
    CHECK_TEXT(f->log.text,
               "joint 'j': frictionloss of a free joint is not supported and is ignored");
}

static void a_springdamper_has_its_time_constant_and_ratio_on_what_the_joint_moves(void** state) {
    fixture* f = *state;
    // Also what MuJoCo 4.0 has in jnt_stiffness and dof_damping, to 2e-16 of it.
    load(f,
         "<mujoco model='m'><worldbody><body><joint name='hinge' axis='0 1 0' armature='0.01' "
         "springdamper='0.5 0.7' stiffness='3' damping='9'/>"
         "<inertial pos='0.3 0 0' mass='2' diaginertia='0.1 0.2 0.25'/></body>"
         "<body pos='2 0 0'><joint name='ball' type='ball' springdamper='0.2 1'/>"
         "<inertial pos='0 0 0' mass='2' diaginertia='0.1 0.2 0.25'/></body>"
         "<body pos='4 0 0'><joint name='plain' springdamper='0 0' stiffness='3' damping='9'/>"
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
    const iso_joint_desc* plain = iso_model_joint(f->scene.model, 2); // zeros are as not said
    assert_true(plain->stiffness == 3.0 && plain->damping == 9.0);
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
    const struct CMUnitTest tests[] = {
        TEST(classes_fill_in_attributes),
        TEST(numbers_that_an_element_leaves_out_come_from_its_class),
        TEST(joints_keep_their_numbers),
        TEST(euler_angles_turn_about_axes_that_follow_or_stay),
        TEST(what_is_of_no_known_kind_is_ignored_with_a_word),
        TEST(a_sensor_without_a_name_is_called_by_its_element),
        TEST(bits_pairs_options_and_looks_are_taken_over),
        TEST(a_geom_with_either_kind_of_bits_is_solid),
        TEST(flags_switch_gravity_and_contact_off),
        TEST(flags_switch_forces_off),
        TEST(a_start_beyond_limits_is_said_once),
        TEST(what_a_free_joint_cannot_have_is_said_once),
        TEST(a_springdamper_has_its_time_constant_and_ratio_on_what_the_joint_moves),
        TEST(ranges_that_do_not_rise_bound_nothing),
        TEST(forces_on_the_world_are_not_sensed),
        TEST(shapes_without_a_name_get_the_first_that_is_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
