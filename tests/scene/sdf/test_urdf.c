// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// URDF: links, joints, actuators and tags against values worked out by hand.

#include "scene/fixture.h"

#include <math.h>

static void load(fixture* f, const char* text) {
    load_as(f, ISO_SCENE_FORMAT_URDF, text);
}

#define MASS                                                                          \
    "<inertial><origin xyz='0 0 0.1' rpy='0 0 1.5707963267948966'/><mass value='2'/>" \
    "<inertia ixx='3' iyy='4' izz='5' ixy='0' ixz='0' iyz='0'/></inertial>"

static void links_hang_on_the_world_through_joints(void** state) {
    fixture* f = *state;
    load(f, "<robot name='r'><link name='world'/><link name='a'>" MASS "</link><link name='b'>" MASS
            "</link><joint name='w' type='fixed'><parent link='world'/><child link='a'/>"
            "<origin xyz='0 0 1' rpy='0 0 1.5707963267948966'/></joint>"
            "<joint name='j' type='revolute'><parent link='a'/><child link='b'/>"
            "<origin xyz='1 0 0'/><axis xyz='0 2 0'/><limit lower='-1' upper='2' effort='30' "
            "velocity='4'/><dynamics damping='0.5'/></joint></robot>");
    assert_string_equal(f->scene.name, "r");
    assert_int_equal(iso_model_body_count(f->scene.model), 3); // "world" is the world
    CHECK_POSE_NEAR(start_pose_of(&f->scene, "r::b"), pose_xyz_rpy(0, 1, 1, 0, 0, ISO_PI / 2),
                    1e-15); // measured 6.1e-17
    const iso_joint_desc* j = joint_named(&f->scene, "r::j");
    CHECK_VEC3_NEAR(j->axis, iso_vec3_make(0, 1, 0), 0.0);
    CHECK_BITS(j->lower, -1.0);
    CHECK_BITS(j->upper, 2.0);
    CHECK_BITS(j->effort_limit, 30.0);
    CHECK_BITS(j->velocity_limit, 4.0);
    CHECK_BITS(j->damping, 0.5);
    assert_int_equal(iso_model_actuator_count(f->scene.model), 0); // no <transmission>
}

static void inertia_is_turned_into_the_axes_of_the_link(void** state) {
    fixture* f = *state;
    load(f, "<robot name='r'><link name='a'>" MASS "</link><link name='b'/></robot>");
    const iso_body_desc* a = iso_model_body(f->scene.model, body_index(&f->scene, "r::a"));
    CHECK_BITS(a->mass, 2.0);
    CHECK_BITS(a->center_of_mass.z, 0.1);
    CHECK_MAT3_NEAR(a->inertia, iso_mat3_diagonal(4, 3, 5), 1e-15); // measured 6.1e-17
    // A link without <inertial> has no mass.
    CHECK_BITS(iso_model_body(f->scene.model, body_index(&f->scene, "r::b"))->mass, 0.0);
}

static void the_default_axis_is_x_and_continuous_joints_have_no_limits(void** state) {
    fixture* f = *state;
    load(f, "<robot name='r'><link name='a'>" MASS "</link><link name='b'>" MASS "</link>"
            "<link name='c'>" MASS "</link>"
            "<joint name='j' type='continuous'><parent link='a'/><child link='b'/>"
            "<limit lower='-1' effort='2' velocity='3'/></joint>"
            "<joint name='k' type='prismatic'><parent link='b'/><child link='c'/></joint></robot>");
    const iso_joint_desc* j = joint_named(&f->scene, "r::j");
    const iso_joint_desc* k = joint_named(&f->scene, "r::k");
    CHECK_VEC3_NEAR(j->axis, iso_vec3_make(1, 0, 0), 0.0);
    assert_true(isinf(j->lower) && isinf(j->upper));
    CHECK_BITS(j->effort_limit, 2.0);
    CHECK_BITS(j->velocity_limit, 3.0);
    CHECK_TEXT(f->log.text, "joint 'r::j' is continuous: its limits -1 and 0 do not count");
    assert_true(isinf(k->lower) && isinf(k->upper) && isinf(k->effort_limit));
}

// Those that leave a whole turn to each side take nothing from a joint that has none.
static void far_limits_of_continuous_joints_are_no_warning(void** state) {
    fixture* f = *state;
    static const double limits[] = {3.15, 6.28, 6.29, 174.5};
    for (int i = 0; i < 4; ++i) {
        char text[512];
        (void)snprintf(text, sizeof text,
                       "<robot name='r'><link name='a'>" MASS "</link><link name='b'>" MASS
                       "</link><joint name='j' type='continuous'><parent link='a'/><child "
                       "link='b'/><limit lower='-%g' upper='%g'/></joint></robot>",
                       limits[i], limits[i]);
        f->log.warning_count = 0;
        load(f, text);
        CHECK_TEXT(f->log.text, "joint 'r::j' is continuous: its limits");
        assert_int_equal(f->log.warning_count, i < 2);
    }
}

static void transmissions_make_actuators(void** state) {
    fixture* f = *state;
    load(
        f,
        "<robot name='r'><link name='a'>" MASS "</link><link name='b'>" MASS "</link>"
        "<link name='c'>" MASS "</link>"
        "<joint name='j' type='revolute'><parent link='a'/><child link='b'/>"
        "<limit effort='12'/></joint>"
        "<joint name='k' type='revolute'><parent link='b'/><child link='c'/>"
        "<limit effort='0'/></joint>"
        "<transmission name='t'><type>transmission_interface/SimpleTransmission</type>"
        "<joint name='j'/><actuator name='motor'><drake:controller_gains p='5' d='6'/>"
        "<drake:rotor_inertia value='0.25'/><drake:gear_ratio value='3'/></actuator></transmission>"
        "<transmission name='u'><type>SimpleTransmission</type><joint name='k'/>"
        "<actuator name='motor2'/></transmission></robot>");
    assert_int_equal(iso_model_actuator_count(f->scene.model), 1);
    const iso_actuator_desc* motor = iso_model_actuator(f->scene.model, 0);
    assert_string_equal(motor->name, "r::motor");
    CHECK_BITS(motor->effort_limit, 12.0);
    CHECK_BITS(motor->kp, 5.0);
    CHECK_BITS(motor->kd, 6.0);
    CHECK_BITS(joint_named(&f->scene, "r::j")->rotor_inertia, 0.25);
    CHECK_BITS(joint_named(&f->scene, "r::j")->gear_ratio, 3.0);
    CHECK_TEXT(f->log.text, "no actuator for joint 'r::k'");
    iso_scene_destroy(f->ctx, &f->scene);
    load(f, "<robot name='r'><link name='a'>" MASS "</link><link name='b'>" MASS "</link>"
            "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>"
            "<transmission type='SimpleTransmission'><joint name='j'/><actuator name='m'/>"
            "</transmission></robot>");
    assert_int_equal(iso_model_actuator_count(f->scene.model), 1);
}

static void what_only_real_robots_have_is_said(void** state) {
    fixture* f = *state;
    static const char k_form[] =
        "<robot name='r'><link name='a'>" MASS "</link><link name='b'>" MASS "</link>\n"
        "<joint name='j' type='revolute'><parent link='a'/><child link='b'/>\n%s"
        "<limit effort='12'/></joint>\n<transmission><type>SimpleTransmission</type>"
        "<joint name='j'>%s</joint>\n<actuator name='m'>%s</actuator></transmission></robot>";
    static const struct {
        const char *safety, *joint, *actuator, *warning;
    } cases[] = {
        {"<safety_controller soft_lower_limit='-0.5'/>", "", "",
         "test.urdf:3: joint 'r::j': <safety_controller> is not supported"},
        {"", "", "<mechanicalReduction>50</mechanicalReduction>",
         "test.urdf:5: <mechanicalReduction> 50 of joint 'r::j' is not used"},
        {"", "<mechanicalReduction>-2</mechanicalReduction>", "",
         "test.urdf:4: <mechanicalReduction> -2 of joint 'r::j' is not used"},
        {"", "<mechanicalReduction>1</mechanicalReduction>",
         "<mechanicalReduction>50</mechanicalReduction><drake:gear_ratio value='50'/>", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[2000];
        int warnings = f->log.warning_count;
        (void)snprintf(text, sizeof text, k_form, cases[i].safety, cases[i].joint,
                       cases[i].actuator);
        load(f, text);
        assert_int_equal(iso_model_actuator_count(f->scene.model), 1);
        assert_int_equal(f->log.warning_count - warnings, cases[i].warning != NULL);
        CHECK_TEXT(f->log.text, cases[i].warning ? cases[i].warning : "");
        iso_scene_destroy(f->ctx, &f->scene);
    }
}

static void a_point_mass_may_be_part_of_a_link(void** state) {
    fixture* f = *state;
    load(f, "<robot name='r'><link name='a'>" MASS "</link><link name='b'><inertial>"
            "<mass value='0.25'/></inertial></link><joint name='j' type='fixed'>"
            "<parent link='a'/><child link='b'/></joint></robot>");
    CHECK_BITS(iso_model_body(f->scene.model, body_index(&f->scene, "r::b"))->mass, 0.25);
    iso_world* world = NULL;
    CHECK_OK(f->ctx, iso_world_create(f->ctx, f->scene.model, &f->scene.world, &world));
    iso_world_destroy(world);
}

// The second moments of the mass, trace/2 - inertia, of (1, 1, 3) are (1.5, 1.5, -0.5).
static void the_nearest_inertia_is_taken_of_one_that_no_solid_has(void** state) {
    fixture* f = *state;
    load(f, "<robot name='r'><link name='a'><inertial><mass value='2'/><inertia ixx='1' iyy='1' "
            "izz='3'/></inertial></link><link name='b'><inertial><mass value='2'/><inertia ixx='1' "
            "iyy='1' izz='1' ixy='1' ixz='1' iyz='1'/></inertial></link></robot>");
    const iso_body_desc* a = iso_model_body(f->scene.model, body_index(&f->scene, "r::a"));
    const iso_body_desc* b = iso_model_body(f->scene.model, body_index(&f->scene, "r::b"));
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            CHECK_NEAR(a->inertia.m[i][j], i != j ? 0.0 : i == 2 ? 3.0 : 1.5, 1e-15);
            CHECK_NEAR(b->inertia.m[i][j], i == j ? 2.0 : 0.5, 1e-15); // measured: 4.5e-16
        }
    }
    assert_int_equal(f->log.warning_count, 2);
    CHECK_TEXT(f->log.text, "test.urdf:1: 'r::a': inertia (ixx 1, iyy 1, izz 3, ixy 0, ixz 0, iyz "
                            "0) kg m^2 is of no solid, taken as the nearest that is: (1.5, 1.5, 3, "
                            "0, 0, 0)");
}

static void a_point_whose_moments_are_rounding_is_a_point(void** state) {
    fixture* f = *state;
    load(f, "<robot name='r'><link name='a'>" MASS "</link><link name='b'><inertial><mass "
            "value='2'/><inertia ixx='-5e-20' iyy='-5e-20' izz='0'/></inertial></link><joint "
            "name='j' type='fixed'><parent link='a'/><child link='b'/></joint></robot>");
    const iso_body_desc* b = iso_model_body(f->scene.model, body_index(&f->scene, "r::b"));
    for (int i = 0; i < 3; ++i) {
        CHECK_NEAR(b->inertia.m[i][i], 0.0, 0.0);
    }
    CHECK_TEXT(f->log.text, "'r::b': inertia (ixx -5e-20,");
}

static void an_inertia_without_mass_is_left_out(void** state) {
    fixture* f = *state;
    load(f, "<robot name='r'><link name='a'>" MASS "</link><link name='b'><inertial><mass "
            "value='0'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link><joint name='j' "
            "type='fixed'><parent link='a'/><child link='b'/></joint></robot>");
    const iso_body_desc* b = iso_model_body(f->scene.model, body_index(&f->scene, "r::b"));
    CHECK_NEAR(b->inertia.m[0][0], 0.0, 0.0);
    CHECK_TEXT(f->log.text, "'r::b': inertia without mass (trace 3 kg m^2), taken as 0");
}

static void a_floating_joint_leaves_a_free_body_at_its_origin(void** state) {
    fixture* f = *state;
    load(f, "<robot name='r'><link name='a'>" MASS "</link><link name='b'>" MASS "</link>"
            "<joint name='w' type='fixed'><parent link='world'/><child link='a'/>"
            "<origin xyz='0 0 2'/></joint>"
            "<joint name='f' type='floating'><parent link='a'/><child link='b'/>"
            "<origin xyz='1 0 0'/></joint></robot>");
    assert_int_equal(iso_model_joint_count(f->scene.model), 1);
    CHECK_POSE_NEAR(start_pose_of(&f->scene, "r::b"), pose_xyz_rpy(1, 0, 2, 0, 0, 0), 0.0);
}

static void shapes_and_tags_are_read_from_attributes(void** state) {
    fixture* f = *state;
    load(f, "<robot name='r'><material name='blue'><color rgba='0 0 1 0.5'/></material>"
            "<link name='a'>" MASS "<collision name='c'><origin xyz='1 2 3' rpy='0 0 0'/><geometry>"
            "<box size='1 2 3'/></geometry><drake:proximity_properties>"
            "<drake:rigid_hydroelastic/><drake:mu_dynamic value='0.3'/>"
            "<drake:hunt_crossley_dissipation value='1.25'/></drake:proximity_properties>"
            "</collision><collision><geometry><sphere radius='0.5'/></geometry></collision>"
            "<collision><geometry><cylinder radius='0.5' length='2'/></geometry></collision>"
            "<collision><geometry><drake:capsule radius='0.25' length='3'/></geometry></collision>"
            "<collision><geometry><drake:ellipsoid a='1' b='2' c='3'/></geometry></collision>"
            "<visual><geometry><sphere radius='1'/></geometry><material name='blue'/></visual>"
            "</link></robot>");
    const iso_geometry_desc* c = geometry_of(&f->scene, "r::a", "c");
    assert_int_equal(c->material.compliance, ISO_COMPLIANCE_RIGID);
    CHECK_BITS(c->material.friction_static, 0.3);
    CHECK_BITS(c->material.dissipation, 1.25);
    CHECK_VEC3_NEAR(c->shape.size, iso_vec3_make(1, 2, 3), 0.0);
    CHECK_VEC3_NEAR(c->x_bg.p, iso_vec3_make(1, 2, 3), 0.0);
    CHECK_BITS(geometry_of(&f->scene, "r::a", "collision")->shape.radius, 0.5);
    CHECK_BITS(geometry_of(&f->scene, "r::a", "collision_1")->shape.length, 2.0);
    CHECK_BITS(geometry_of(&f->scene, "r::a", "collision_2")->shape.length, 3.0);
    CHECK_BITS(geometry_of(&f->scene, "r::a", "collision_3")->shape.size.z, 3.0);
    CHECK_BITS(iso_model_visual(f->scene.model, 0, NULL)->rgba[3], 0.5);
}

static void groups_exclude_pairs_and_frames_are_known(void** state) {
    fixture* f = *state;
    load(f, "<robot name='r'><link name='a'>" MASS "</link><link name='b'>" MASS "</link>"
            "<link name='c'>" MASS "</link><frame name='tip' link='c' xyz='0 0 1'/>"
            "<drake:collision_filter_group name='g'><drake:member link='a'/>"
            "<drake:member link='b'/><drake:member link='tip'/>"
            "<drake:ignored_collision_filter_group name='g'/></drake:collision_filter_group>"
            "</robot>");
    assert_false(may_touch(&f->scene, "r::a", "r::b"));
    assert_false(may_touch(&f->scene, "r::a", "r::c"));
    assert_false(may_touch(&f->scene, "r::b", "r::c"));
}

#define TWO(name, type, text) \
    "<joint name='" name "' type='" type "'><parent link='a'/><child link='b'/>" text "</joint>"

static void joints_of_all_kinds_are_read(void** state) {
    fixture* f = *state;
    const char* const links =
        "<robot name='r'><link name='a'>" MASS "</link><link name='b'>" MASS "</link>%s</robot>";
    char text[2048];
    snprintf(text, sizeof text, links,
             TWO("j", "screw",
                 "<axis xyz='0 0 1'/><drake:screw_thread_pitch value='0.5'/>"
                 "<dynamics friction='2'/>"));
    load(f, text);
    const iso_joint_desc* j = joint_named(&f->scene, "r::j");
    assert_int_equal(j->kind, ISO_JOINT_SCREW);
    CHECK_NEAR(j->pitch, 0.5 / (2.0 * ISO_PI), 1e-17); // measured 0
    CHECK_BITS(j->friction, 2.0);
    snprintf(text, sizeof text, links, TWO("j", "universal", "<dynamics damping='3'/>"));
    load(f, text);
    j = joint_named(&f->scene, "r::j");
    assert_int_equal(j->kind, ISO_JOINT_UNIVERSAL);
    CHECK_VEC3_NEAR(j->axis_2, iso_vec3_make(0, 1, 0), 0.0);
    CHECK_BITS(j->damping, 3.0);
    snprintf(text, sizeof text, links, TWO("j", "planar", "<axis xyz='1 0 0'/>"));
    load(f, text);
    j = joint_named(&f->scene, "r::j");
    assert_int_equal(j->kind, ISO_JOINT_PLANAR);
    CHECK_VEC3_NEAR(iso_mat3_column(&j->x_pf.r, 2), iso_vec3_make(1, 0, 0), 1e-15); // measured 0
    CHECK_POSE_NEAR(start_pose_of(&f->scene, "r::b"), iso_pose_identity(), 1e-15);  // measured 0
    snprintf(text, sizeof text, links, TWO("j", "ball", ""));
    load(f, text);
    assert_int_equal(joint_named(&f->scene, "r::j")->kind, ISO_JOINT_BALL);
}

static void a_fixed_joint_mimics_nothing(void** state) {
    fixture* f = *state;
    load(f, "<robot name='r'><link name='a'>" MASS "</link><link name='b'>" MASS "</link>"
            "<link name='c'>" MASS "</link><joint name='j' type='revolute'><parent link='a'/>"
            "<child link='b'/><limit lower='-1' upper='1' effort='1' velocity='1'/></joint>\n"
            "<joint name='k' type='fixed'><parent link='b'/><child link='c'/><mimic joint='j'/>"
            "</joint></robot>");
    CHECK_TEXT(f->log.text, "test.urdf:2: joint 'r::k' is fixed: what it should mimic is ignored");
    assert_int_equal(iso_model_coupler_count(f->scene.model), 0);
}

static void mimic_couples_and_second_parents_close_loops(void** state) {
    fixture* f = *state;
    load(
        f,
        "<robot name='r'><link name='a'>" MASS "</link><link name='b'>" MASS "</link>"
        "<link name='c'>" MASS "</link>" TWO(
            "j", "revolute",
            "<mimic joint='k' multiplier='-2' offset='0.5'/>") "<joint name='k' "
                                                               "type='prismatic'><parent "
                                                               "link='a'/><child link='c'/></joint>"
                                                               "<joint name='l' "
                                                               "type='fixed'><parent "
                                                               "link='c'/><child link='b'/></joint>"
                                                               "<joint name='h' "
                                                               "type='revolute'><parent "
                                                               "link='c'/><child link='b'/></joint>"
                                                               "<drake:ball_constraint><drake:ball_"
                                                               "constraint_body_A name='a'/>"
                                                               "<drake:ball_constraint_body_B "
                                                               "name='b'/"
                                                               "><drake:ball_constraint_p_AP "
                                                               "value='1 2 3'/>"
                                                               "<drake:ball_constraint_p_BQ "
                                                               "value='4 5 "
                                                               "6'/></drake:ball_constraint></"
                                                               "robot>");
    assert_int_equal(iso_model_coupler_count(f->scene.model), 1);
    const iso_coupler_desc* coupler = iso_model_coupler(f->scene.model, 0);
    assert_int_equal(coupler->joint_a, iso_model_find_joint(f->scene.model, "r::k"));
    assert_int_equal(coupler->joint_b, iso_model_find_joint(f->scene.model, "r::j"));
    CHECK_BITS(coupler->ratio, -2.0);
    CHECK_BITS(coupler->offset, 0.5);
    assert_int_equal(iso_model_constraint_count(f->scene.model), 4);
    assert_int_equal(iso_model_constraint(f->scene.model, 0)->kind, ISO_CONSTRAINT_WELD);
    const iso_constraint_desc* one = iso_model_constraint(f->scene.model, 1);
    const iso_constraint_desc* two = iso_model_constraint(f->scene.model, 2);
    assert_int_equal(one->kind, ISO_CONSTRAINT_BALL);
    CHECK_VEC3_NEAR(iso_vec3_sub(two->x_ap.p, one->x_ap.p), iso_vec3_make(0.1, 0, 0), 0.0);
    const iso_constraint_desc* ball = iso_model_constraint(f->scene.model, 3);
    CHECK_VEC3_NEAR(ball->x_ap.p, iso_vec3_make(1, 2, 3), 0.0);
    CHECK_VEC3_NEAR(ball->x_bq.p, iso_vec3_make(4, 5, 6), 0.0);
    CHECK_TEXT(f->log.text, "joint 'r::l' closes a loop: it becomes a constraint");
}

#define SPHERE "<geometry><sphere radius='1'/></geometry>"
#define BALL "<collision>" SPHERE "</collision>"

static const char k_gazebo[] =
    "<robot name='r'><link name='a'>" MASS BALL "<collision>" SPHERE "<drake:proximity_properties>"
    "<drake:mu_static value='0.7'/></drake:proximity_properties></collision></link>"
    "<link name='b'>" MASS BALL "</link><link name='c'>" MASS BALL "</link>"
    "<gazebo reference='a'><mu1>0.9</mu1><mu2>0.8</mu2><kp>1e6</kp></gazebo>"
    "<gazebo reference='b'><mu1 value='0.1'/><mu2 value='500'/>"
    "<turnGravityOff>true</turnGravityOff></gazebo>"
    "<gazebo reference='none'><mu1>1</mu1><sensor name='s' type='imu'/></gazebo>"
    "<gazebo reference='c'><mu1>1e14</mu1></gazebo></robot>";

static void gazebo_elements_give_friction_and_take_weight(void** state) {
    fixture* f = *state;
    load(f, k_gazebo);
    static const double expected[4][2] = {{0.9, 0.9}, {0.7, 0.7}, {0.1, 0.1}, {1e6, 1e6}};
    for (int i = 0; i < 4; ++i) {
        const iso_contact_material* m = &iso_model_geometry(f->scene.model, i, NULL)->material;
        CHECK_BITS(m->friction_static, expected[i][0]);
        CHECK_BITS(m->friction_dynamic, expected[i][1]);
    }
    CHECK_BITS(iso_model_body(f->scene.model, 1)->gravity_compensation, 0.0);
    CHECK_BITS(iso_model_body(f->scene.model, 2)->gravity_compensation, 1.0);
    CHECK_TEXT(f->log.text, "<kp> and <kd> have no meaning here");
    CHECK_TEXT(f->log.text,
               "friction is mu1 0.9 along one direction, mu2 0.8 along the other: they "
               "are not told apart, 0.9 counts along both");
    CHECK_TEXT(f->log.text, "friction mu1 1e+14, mu2 0 is taken as at most 1e+06");
    CHECK_TEXT(f->log.text, "<gazebo>: there is no link or joint 'none', so no sensor on it");
    assert_int_equal(f->scene.sensor_count, 0);
    iso_scene_destroy(f->ctx, &f->scene);
    static const char negative[] = "<robot name='r'><link name='a'>" BALL "</link>"
                                   "<gazebo reference='a'><mu1>-1</mu1></gazebo></robot>";
    CHECK_OK(f->ctx, load_text(f->ctx, ISO_SCENE_FORMAT_URDF, negative, &f->scene));
    const iso_contact_material* m = &iso_model_geometry(f->scene.model, 0, NULL)->material;
    CHECK_BITS(m->friction_static, 1e6);
    CHECK_TEXT(f->log.text, "test.urdf:1: friction mu1 -1, mu2 0 is taken as at most 1e+06: "
                            "negative means without limit");
}

static void a_macro_left_over_among_links_is_missing(void** state) {
    fixture* f = *state;
    static const char* const texts[] = {
        "<robot name='r' xmlns:xacro='x'><link name='a'/>\n<xacro:arm side='l'/></robot>",
        "<robot name='r'><link name='a'/>\n<xacro:arm side='l'/></robot>"};
    for (int i = 0; i < 2; ++i) {
        f->log = (kept_log){.length = 0};
        load(f, texts[i]);
        assert_int_equal(iso_model_body_count(f->scene.model), 2);
        CHECK_TEXT(f->log.text, "test.urdf:2: <xacro:arm> was not expanded: what it stands for is "
                                "missing");
        iso_scene_destroy(f->ctx, &f->scene);
    }
}

// Such files hold materials for others.
static void a_robot_without_links_is_an_empty_one(void** state) {
    fixture* f = *state;
    static const char text[] = "<robot name='r'><material name='m'/></robot>";
    CHECK_OK(f->ctx, load_text(f->ctx, ISO_SCENE_FORMAT_URDF, text, &f->scene));
    assert_int_equal(iso_model_body_count(f->scene.model), 1);
    CHECK_TEXT(f->log.text, "test.urdf:1: the robot has no <link>: there is nothing in it");
}

static void oddities_of_files_are_mended_and_said(void** state) {
    fixture* f = *state;
    load(f, "<?xml version='0.0' ?>\n<robot name='r'><link name='a'>" MASS
            "</link><link name='b'>" MASS "</link><link name='c'>" MASS "</link>"
            "<joint name='j' type='spherical'><parent link='a'/><child link='b'/></joint>"
            "<joint name='k' type='revolute'><parent link='b'/><child link='c'/></joint>"
            "<transmission><type>SimpleTransmission</type><joint name='k'/><actuator name='m'/>"
            "</transmission><transmission><type>SimpleTransmission</type><joint name='k'/>"
            "<actuator name='m'/></transmission></robot>");
    assert_int_equal(iso_model_joint(f->scene.model, 0)->kind, ISO_JOINT_BALL);
    assert_string_equal(iso_model_actuator(f->scene.model, 0)->name, "r::m");
    assert_string_equal(iso_model_actuator(f->scene.model, 1)->name, "r::m_1");
    CHECK_TEXT(f->log.text, "test.urdf:1: XML version '0.0' is read as 1.0");
    CHECK_TEXT(f->log.text, "there is another actuator 'r::m': that of joint 'r::k' is called "
                            "'r::m_1'");
    iso_scene_destroy(f->ctx, &f->scene);
    iso_status status =
        load_text(f->ctx, ISO_SCENE_FORMAT_URDF,
                  "<?xml version='0.0'?>\n<robot name='r'>\n<link></robot>", &f->scene);
    assert_int_equal(status, ISO_ERR_PARSE);
    CHECK_ERROR(f->ctx, "test.urdf:3: not well-formed XML: Opening and ending tag mismatch");
}

static void what_cannot_be_done_is_said(void** state) {
    fixture* f = *state;
    load(f, "<robot name='r'><link name='a'>" MASS "</link><link name='b'>" MASS "</link>"
            "<joint name='j' type='revolute'><parent link='a'/><child link='b'/>"
            "<bushing/></joint><gazebo/><gazebo><static>true</static></"
            "gazebo><drake:linear_bushing_rpy/></robot>");
    assert_int_equal(f->log.warning_count, 3);
    CHECK_TEXT(f->log.text, "<bushing> is not supported and is ignored");
    CHECK_TEXT(f->log.text, "<drake:linear_bushing_rpy> is not supported and is ignored");
    CHECK_TEXT(f->log.text, "<static> is not supported and is ignored");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(links_hang_on_the_world_through_joints),
        TEST(inertia_is_turned_into_the_axes_of_the_link),
        TEST(the_default_axis_is_x_and_continuous_joints_have_no_limits),
        TEST(far_limits_of_continuous_joints_are_no_warning),
        TEST(transmissions_make_actuators),
        TEST(what_only_real_robots_have_is_said),
        TEST(a_point_mass_may_be_part_of_a_link),
        TEST(the_nearest_inertia_is_taken_of_one_that_no_solid_has),
        TEST(a_point_whose_moments_are_rounding_is_a_point),
        TEST(an_inertia_without_mass_is_left_out),
        TEST(a_floating_joint_leaves_a_free_body_at_its_origin),
        TEST(shapes_and_tags_are_read_from_attributes),
        TEST(groups_exclude_pairs_and_frames_are_known),
        TEST(joints_of_all_kinds_are_read),
        TEST(a_fixed_joint_mimics_nothing),
        TEST(mimic_couples_and_second_parents_close_loops),
        TEST(gazebo_elements_give_friction_and_take_weight),
        TEST(a_macro_left_over_among_links_is_missing),
        TEST(a_robot_without_links_is_an_empty_one),
        TEST(oddities_of_files_are_mended_and_said),
        TEST(what_cannot_be_done_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
