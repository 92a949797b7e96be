// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Files that are not as their format has them, but that other programs read: read with a warning.

#include "scene/fixture.h"

#include <math.h>

typedef struct tolerated {
    iso_scene_format_kind format;
    const char* text;
    const char* warning; ///< "": none
} tolerated;

#define SDF_LINK "<model name='m'><link name='l'/></model>"
#define MJCF_BALL "<worldbody><body><freejoint/><geom size='.1'/></body></worldbody>"

static void xml_that_other_parsers_take_is_read_with_a_warning(void** state) {
    static const tolerated cases[] = {
        {ISO_SCENE_FORMAT_SDF,
         "<sdf version='1.6'>\n<!-- gz sim -- verbose -->\n" SDF_LINK "</sdf>",
         "test.sdf:2: '--' within a comment"},
        {ISO_SCENE_FORMAT_SDF, "<sdf version='1.6'>\n<!--\n---\n--->" SDF_LINK "</sdf>",
         "test.sdf:3: '--' within a comment"},
        {ISO_SCENE_FORMAT_SDF,
         "\n<!-- a -->\n<?xml version='1.0'?>\n<sdf version='1.6'>" SDF_LINK "</sdf>",
         "test.sdf:3: the XML declaration is read as if it stood at the beginning of the file"},
        {ISO_SCENE_FORMAT_SDF,
         "<sdf version='1.6'><model name='m'><link name='l'>\n<sensor name='s' type='gpu_lidar'>"
         "<pose>0 0 1 0 0 0 0 0</pose></sensor></link></model></sdf>",
         "test.sdf:2: <sensor> of type 'gpu_lidar' in a link is not supported and is ignored"},
        {ISO_SCENE_FORMAT_SDF, "<?xml version='1' ?>\n<sdf version='1.6'>" SDF_LINK "</sdf>",
         "test.sdf:1: version 1 of XML is read as 1.0"},
        {ISO_SCENE_FORMAT_SDF, "?xml version='1.0'?>\n<sdf version='1.6'>" SDF_LINK "</sdf>",
         "test.sdf:1: text before the outermost element is ignored"},
        {ISO_SCENE_FORMAT_SDF,
         "<sdf version='1.6'>\n<model name='m'><link name='l'><visual "
         "name='v'><geometry><mesh><uri>a&b.obj</uri></mesh></geometry>"
         "</visual></link></model></sdf>",
         "test.sdf:2: '&' or '<' is read as it stands"},
        {ISO_SCENE_FORMAT_SDF, "<sdf version='1.6'>" SDF_LINK "</sdf>\n<!-- end -->\n<more/> a < b",
         "test.sdf:3: what follows the end of the outermost element is ignored"},
        {ISO_SCENE_FORMAT_MJCF, "<mujoco>" MJCF_BALL "</mujoco>\n</mujoco>\n",
         "test.xml:2: what follows the end of the outermost element is ignored"},
        {ISO_SCENE_FORMAT_MJCF,
         "<mujoco><worldbody><body><freejoint/>\n<geom name='g'size='.1'/></body></worldbody>"
         "</mujoco>",
         "test.xml:2: a blank is missing between two attributes"},
        {ISO_SCENE_FORMAT_URDF,
         "\n<?xml version=\"1.0\"\n encoding=\"ISO-8859-1\"?>\n"
         "<robot name='\xe9'><link name='l'/></robot>",
         "test.urdf:2: the XML declaration is read"},
        {ISO_SCENE_FORMAT_SDF,
         "<?xml version='1.0'?>\n<?xml version='1.0' encoding='utf-8'?>\n<sdf "
         "version='1.6'>" SDF_LINK "</sdf>",
         "test.sdf:2: a second XML declaration is passed over"},
        {ISO_SCENE_FORMAT_MJCF,
         "<!-- a -->\n<?xml version='1.0'?>\n<?xml version='1.0'?>\n<mujoco>" MJCF_BALL "</mujoco>",
         "test.xml:3: a second XML declaration is passed over"},
        {ISO_SCENE_FORMAT_URDF,
         "<?xml version='1.0' encoding='UTF-8'?>\n<robot name='\xc3\xa9'>\n<!-- 45\xb0 -->\n"
         "<link name='l'/></robot>",
         "test.urdf:3: bytes that are not UTF-8 are read as Latin-1"},
        {ISO_SCENE_FORMAT_MJCF, "<mujoco model='\xe9l\xe9phant'>" MJCF_BALL "</mujoco>",
         "test.xml:1: bytes that are not UTF-8 are read as Latin-1"},
        {ISO_SCENE_FORMAT_SDF,
         "<!-- \xff\xfe\xed\xa0\x80\xc3 --><sdf version='1.6'>" SDF_LINK "</sdf>",
         "test.sdf:1: bytes that are not UTF-8 are read as Latin-1"},
        // what is well-formed is no warning
        {ISO_SCENE_FORMAT_SDF,
         "<?xml version='1.0'?>\n<!-- - -->\n<sdf version='1.6'>" SDF_LINK
         "</sdf>\n<!-- end -->\n<?a b?>\n",
         ""},
        {ISO_SCENE_FORMAT_MJCF,
         "<?xml version='1.0'?>\n<!DOCTYPE mujoco SYSTEM 'mjcf.dtd'>\n<mujoco>" MJCF_BALL
         "</mujoco>",
         ""},
    };
    fixture* f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        f->log = (kept_log){.length = 0};
        load_as(f, cases[i].format, cases[i].text);
        CHECK_TEXT(f->log.text, cases[i].warning);
        CHECK(*cases[i].warning || f->log.warning_count == 0, "case %d: %s", (int)i, f->log.text);
    }
}

// Mending moves no line and hides no other fault.
static void what_else_is_wrong_is_said_with_its_line(void** state) {
    static const struct {
        iso_status status;
        const char *text, *message;
    } cases[] = {
        {ISO_ERR_PARSE, "\n<?xml version='1.0'\n?>\n<!-- -- -->\n<sdf version='1.6'>\n<model>\n",
         "test.sdf:7: not well-formed XML"},
        {ISO_ERR_PARSE,
         "<!--\n--\n-->\n<sdf version='1.6'\n><model name='m'\n></link></sdf>\n</sdf>",
         "test.sdf:6: not well-formed XML: Opening and ending tag mismatch"},
        {ISO_ERR_PARSE, "<sdf version='1.6'><!-- --\n</sdf>", "test.sdf:"},
        {ISO_ERR_PARSE, "</sdf>\n<sdf/>", "test.sdf:1: not well-formed XML"},
        {ISO_ERR_UNSUPPORTED,
         "\n<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b 'c'>]>\n<sdf version='1.6'/>",
         "test.sdf:1: document type definitions and entities are not read"},
        {ISO_ERR_PARSE,
         "<!DOCTYPE sdf SYSTEM 'a.dtd'>\n<sdf version='1.6'>\n<model name='m'><link name='l'>"
         "<pose>&b;</pose></link></model></sdf>",
         "test.sdf:3: not well-formed XML: Entity 'b' not defined"},
        {ISO_ERR_PARSE,
         "<!DOCTYPE sdf SYSTEM 'a.dtd'>\n<sdf version='1.6'>\n<model name='&b;'/></sdf>",
         "test.sdf:3: not well-formed XML: Entity 'b' not defined"},
        {ISO_ERR_PARSE, "text\n\n<sdf version='1.6'><model name='m'>\n<link/></model></sdf>",
         "test.sdf:4: <link> needs the attribute 'name'"},
        {ISO_ERR_PARSE, "<sdf version='1.6\n", "test.sdf:"},
    };
    fixture* f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        assert_int_equal(load_text(f->ctx, ISO_SCENE_FORMAT_SDF, cases[i].text, &f->scene),
                         cases[i].status);
        CHECK_ERROR(f->ctx, cases[i].message);
    }
}

// --- elements twice ------------------------------------------------------------------------------

#define SDF(text) "<sdf version='1.9'>\n<model name='m'>" text "</model></sdf>"
#define MASS                                                                                \
    "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>" \
    "</inertial>"
#define SPHERE "<geometry><sphere radius='0.1'/></geometry>"
// Of links a and b.
#define ROBOT(in_b, text)                                                                      \
    "<robot name='r'><link name='a'>" MASS "</link><link name='b'>" MASS in_b "</link>\n" text \
    "</robot>"
#define JOINT(type, text) \
    "<joint name='j' type='" type "'><parent link='a'/><child link='b'/>" text "</joint>"

// As in libsdformat, urdfdom and Drake.
static void the_first_of_two_elements_counts(void** state) {
    fixture* f = *state;
    load_as(
        f, ISO_SCENE_FORMAT_SDF,
        SDF("<link name='l'><pose>0 0 1 0 0 0</pose>\n<pose>0 0 2 0 0 0</pose><inertial><mass>2"
            "</mass>\n<mass>3</mass></inertial><gravity>false</gravity>\n<gravity>true</gravity>"
            "</link>"));
    CHECK_VEC3_NEAR(start_pose_of(&f->scene, "m::l").p, iso_vec3_make(0, 0, 1), 0.0);
    const iso_body_desc* l = iso_model_body(f->scene.model, body_index(&f->scene, "m::l"));
    CHECK_BITS(l->mass, 2.0);
    CHECK_BITS(l->gravity_compensation, 1.0);
    CHECK_TEXT(f->log.text,
               "test.sdf:3: a second <pose> in <link> is ignored, the first is in line 2");
    CHECK_TEXT(f->log.text, "test.sdf:4: a second <mass> in <inertial> is ignored");
    CHECK_TEXT(f->log.text, "test.sdf:5: a second <gravity> in <link> is ignored");
    load_as(
        f, ISO_SCENE_FORMAT_URDF,
        ROBOT("<visual>" SPHERE "<material name='a'><color rgba='1 0 0 1'/></material>"
              "<material name='b'><color rgba='0 1 0 1'/></material></visual>",
              JOINT("prismatic", "<origin xyz='1 0 0'/>\n<origin xyz='2 0 0'/>"
                                 "<limit lower='-1' upper='1'/><limit lower='-2' upper='2'/>")));
    int body;
    CHECK_BITS(iso_model_visual(f->scene.model, 0, &body)->rgba[0], 1.0);
    CHECK_BITS(joint_named(&f->scene, "r::j")->x_pf.p.x, 1.0);
    CHECK_BITS(joint_named(&f->scene, "r::j")->upper, 1.0);
    CHECK_TEXT(f->log.text, "a second <material> in <visual> is ignored");
    CHECK_TEXT(f->log.text,
               "test.urdf:3: a second <origin> in <joint> is ignored, the first is in line 2");
    CHECK_TEXT(f->log.text, "a second <limit> in <joint> is ignored");
}

// --- URDF ----------------------------------------------------------------------------------------

static void limits_that_say_too_little_or_nothing_are_warnings(void** state) {
    static const struct {
        const char *limit, *warning;
        double lower, upper, effort;
    } cases[] = {
        {"<limit lower='-1' upper='2' effort='3'/>", "", -1, 2, 3},
        {"<limit effort='3'/>", "", -INFINITY, INFINITY, 3}, // as in Drake and MuJoCo
        {"<limit upper='2'/>", "joint 'r::j': <limit> has no 'lower', which is 0 then", 0, 2,
         INFINITY},
        {"<limit lower='-2'/>", "joint 'r::j': <limit> has no 'upper', which is 0 then", -2, 0,
         INFINITY},
        {"\n<limit lower='1' upper='-1'/>",
         "test.urdf:3: joint 'r::j': lower limit 1 is above upper limit -1: neither counts",
         -INFINITY, INFINITY, INFINITY},
        {"<limit lower='0' upper='0'/>", "", 0, 0, INFINITY},
        {"<limit lower='0' upper='1' effort='-1'/>",
         "joint 'r::j': effort limit -1 is taken as none", 0, 1, INFINITY},
    };
    fixture* f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[1000];
        (void)snprintf(text, sizeof text, ROBOT("", JOINT("revolute", "%s")), cases[i].limit);
        f->log = (kept_log){.length = 0};
        load_as(f, ISO_SCENE_FORMAT_URDF, text);
        const iso_joint_desc* j = joint_named(&f->scene, "r::j");
        assert_true(j->lower == cases[i].lower && j->upper == cases[i].upper);
        assert_true(j->effort_limit == cases[i].effort);
        CHECK_TEXT(f->log.text, cases[i].warning);
        assert_int_equal(f->log.warning_count, *cases[i].warning != '\0');
    }
}

static void what_only_other_programs_use_is_a_warning(void** state) {
    static const struct {
        const char *text, *warning;
    } cases[] = {
        {ROBOT(
             "",
             JOINT("revolute",
                   "<limit lower='-1' upper='1' effort='1'/>") "<transmission "
                                                               "name='t'><type>SimpleTransmission</"
                                                               "type><joint name='j'/>\n"
                                                               "<actuator "
                                                               "name='m'><mechanicalReduction>1/"
                                                               "50</mechanicalReduction>"
                                                               "</actuator></transmission>"),
         "test.urdf:3: <mechanicalReduction> 1/50 of joint 'r::j' is not used"},
        {ROBOT("",
               JOINT("fixed",
                     "") "\n<transmission name='t'><type>SimpleTransmission</type><joint name='q'/>"
                         "<actuator name='m'/></transmission>"),
         "test.urdf:3: transmission 't' makes no actuator: there is no joint named 'q'"},
        {ROBOT("",
               JOINT("fixed",
                     "") "<transmission name='t'><type>SimpleTransmission</type><joint name='j'/>"
                         "</transmission>"),
         "transmission 't' makes no actuator: it has no <actuator>"},
        {ROBOT("<collision>" SPHERE "</collision>",
               JOINT("fixed", "") "<gazebo reference='b'><sensor name='s' type='contact'><contact>"
                                  "<collision>pad</collision></contact></sensor></gazebo>"),
         "sensor 'r::s' is left out: its link has no collision 'pad'"},
        {ROBOT("<visual><geometry/></visual>", JOINT("fixed", "")),
         "<visual> has no shape in <geometry> and is not shown"},
        {SDF("<link name='l'>\n<sensor name='s' type='contact'><contact><collision>c</collision>"
             "</contact></sensor></link>"),
         "test.sdf:3: sensor 'm::s' is left out: its link has no collision 'c'"},
    };
    fixture* f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        load_as(f,
                strncmp(cases[i].text, "<sdf", 4) == 0 ? ISO_SCENE_FORMAT_SDF
                                                       : ISO_SCENE_FORMAT_URDF,
                cases[i].text);
        CHECK_TEXT(f->log.text, cases[i].warning);
        assert_int_equal(f->scene.sensor_count, 0);
    }
    // One of Gazebo's scoped names, and a sensor before its collision.
    load_as(f, ISO_SCENE_FORMAT_SDF,
            SDF("<link name='l'><sensor name='s' type='contact'><contact><collision>m::l::c"
                "</collision></contact></sensor><collision name='c'><geometry><sphere><radius>1"
                "</radius></sphere></geometry></collision></link>"));
    assert_int_equal(f->scene.sensor_count, 1);
    assert_string_equal(f->scene.sensors[0].geometry, "c");
}

static void a_mimic_names_joints_that_move_and_fixed_ones_are_preserved(void** state) {
    fixture* f = *state;
    load_as(f, ISO_SCENE_FORMAT_URDF,
            ROBOT("", JOINT("fixed", "") "<link name='c'>" MASS
                                         "</link><joint name='k' type='revolute'><parent link='b'/>"
                                         "<child link='c'/>\n<mimic joint='zebra'/></joint>"));
    assert_int_equal(iso_model_coupler_count(f->scene.model), 0);
    CHECK_TEXT(f->log.text, "test.urdf:3: <mimic> is left out: there is no joint named 'zebra'");
    iso_scene_destroy(f->ctx, &f->scene);
    f->log = (kept_log){.length = 0};
    assert_int_equal(load_text(f->ctx, ISO_SCENE_FORMAT_SDF,
                               SDF("<link name='a'/><link name='b'/><link name='c'/>"
                                   "<joint name='j' type='fixed'><parent>a</parent><child>b</child>"
                                   "</joint><joint name='k' type='revolute'><parent>b</parent>"
                                   "<child>c</child><axis><mimic joint='zebra'/></axis></joint>"),
                               &f->scene),
                     ISO_ERR_NOT_FOUND);
    CHECK_ERROR(f->ctx, "there is no joint that moves named 'zebra', expected 'm::k'");
    load_as(f, ISO_SCENE_FORMAT_URDF,
            ROBOT("", JOINT("fixed", "") "<gazebo reference='j'><preserveFixedJoint>true"
                                         "</preserveFixedJoint><disableFixedJointLumping>true"
                                         "</disableFixedJointLumping></gazebo>"));
    assert_int_equal(f->log.warning_count, 0);
}

// As MuJoCo and urdfdom, which look at collisions only.
static void a_visual_that_is_wrong_is_a_warning(void** state) {
    static const tolerated cases[] = {
        {ISO_SCENE_FORMAT_URDF,
         "<robot name='r'><link name='a'/>\n<link name='b'><visual><geometry><sphere radius='-1'/>"
         "</geometry></visual></link>" JOINT("fixed", "") "</robot>",
         "test.urdf:2: <visual> is not shown: its radius is -1 m, expected > 0 and <= 1e+06"},
        {ISO_SCENE_FORMAT_URDF,
         "<robot name='r'><link name='a'/>\n<link name='b'><visual><geometry><mesh "
         "filename='m.obj' scale='1 1 1 1'/></geometry></visual></link>" JOINT("fixed",
                                                                               "") "</robot>",
         "test.urdf:2: visual mesh 'm.obj' is not shown: its scale is '1 1 1 1', expected 3 "
         "numbers"},
        {ISO_SCENE_FORMAT_URDF,
         "<robot name='r'><link name='a'/>\n<link name='b'><visual><geometry><mesh/></geometry>"
         "</visual></link>" JOINT("fixed", "") "</robot>",
         "test.urdf:2: visual mesh '' has no name and is not shown"},
        {ISO_SCENE_FORMAT_SDF,
         SDF("<link name='a'>\n<visual name='v'><geometry><box><size>1 0 1</size></box></geometry>"
             "</visual></link>"),
         "test.sdf:3: <visual> is not shown: its box size is 0 m"},
    };
    fixture* f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        load_as(f, cases[i].format, cases[i].text);
        CHECK_TEXT(f->log.text, cases[i].warning);
        assert_int_equal(iso_model_visual_count(f->scene.model), 0);
    }
    load_as(f, ISO_SCENE_FORMAT_URDF,
            ROBOT("<visual>" SPHERE "<material name='a'>\n<color rgba='255 0.5 -1 1'/></material>"
                  "</visual>",
                  JOINT("fixed", "")));
    const float* rgba = iso_model_visual(f->scene.model, 0, NULL)->rgba;
    assert_true(rgba[0] == 1.0F && rgba[1] == 0.5F && rgba[2] == 0.0F);
    CHECK_TEXT(f->log.text, "test.urdf:2: <color> component 0 is 255 and is clamped");
}

#define CHAIN(type, mimic)                                                                  \
    ROBOT("", JOINT(type, "") "<link name='c'>" MASS "</link><joint name='k' "              \
                              "type='revolute'><parent link='b'/><child link='c'/>\n" mimic \
                              "</joint>")

static void what_mimics_nothing_that_moves_is_held(void** state) {
    static const struct {
        const char *text, *warning;
    } cases[] = {
        {CHAIN("fixed", "<mimic joint='j' offset='0.2'/>"),
         "test.urdf:3: joint 'r::k' is held at 0.2: it mimics a fixed joint"},
        {CHAIN("revolute", "<mimic joint='j' multiplier='0' offset='0.2'/>"),
         "test.urdf:3: joint 'r::k' is held at 0.2: it mimics with multiplier 0"},
    };
    fixture* f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        load_as(f, ISO_SCENE_FORMAT_URDF, cases[i].text);
        const iso_joint_desc* k = joint_named(&f->scene, "r::k");
        CHECK_TEXT(f->log.text, cases[i].warning);
        assert_int_equal(iso_model_coupler_count(f->scene.model), 0);
        CHECK_BITS(k->lower, 0.2);
        CHECK_BITS(k->upper, 0.2);
        CHECK_BITS(k->position, 0.2);
    }
}

// As urdfdom, Drake and MuJoCo, which do not compare them.
static void limits_that_a_leader_never_reaches_do_not_count(void** state) {
    static const struct {
        const char *limits, *warning;
        double lower, upper;
    } cases[] = {
        {"lower='3' upper='4'",
         "test.urdf:3: limits 3 and 4 of joint 'r::k' do not count: 'r::j', which it follows, "
         "brings it to [-1.8, 2.2]",
         -INFINITY, INFINITY},
        {"lower='-4' upper='-1.9'", "limits -4 and -1.9 of joint 'r::k' do not count", -INFINITY,
         INFINITY},
        {"lower='2.1' upper='4'", NULL, 2.1, 4.0},
        {"lower='-4' upper='-1.7'", NULL, -4.0, -1.7},
    };
    fixture* f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[2048];
        snprintf(text, sizeof text,
                 ROBOT("", JOINT("revolute", "<limit lower='-1' upper='1'/>") //
                       "<link name='c'>" MASS "</link><joint name='k' type='revolute'>"
                       "<parent link='b'/><child link='c'/><limit %s/>\n"
                       "<mimic joint='j' multiplier='-2' offset='0.2'/></joint>"),
                 cases[i].limits);
        f->log = (kept_log){.length = 0};
        load_as(f, ISO_SCENE_FORMAT_URDF, text);
        const iso_joint_desc* k = joint_named(&f->scene, "r::k");
        assert_int_equal(iso_model_coupler_count(f->scene.model), 1);
        CHECK_BITS(k->lower, cases[i].lower);
        CHECK_BITS(k->upper, cases[i].upper);
        if (cases[i].warning) {
            CHECK_TEXT(f->log.text, cases[i].warning);
        } else {
            assert_null(strstr(f->log.text, "do not count"));
        }
    }
}

// --- SDFormat ------------------------------------------------------------------------------------

#define COLLISION(shape, rest) \
    "<collision name='c'><geometry>" shape "</geometry>" rest "</collision>"

// Those of the format, as in Drake (by the masses of <inertial auto="true">).
static void sizes_that_are_missing_are_those_of_the_format(void** state) {
    static const struct {
        const char *shape, *warning;
        iso_vec3 size; ///< 0: none
        double radius, length;
    } cases[] = {
        {"<sphere/>", "<sphere> has no radius: it is 1 m", {0, 0, 0}, 1, 0},
        {"<box/>", "<box> has no size: it is 1 m", {1, 1, 1}, 0, 0},
        {"<cylinder/>", "<cylinder> has no length: it is 1 m", {0, 0, 0}, 1, 1},
        {"<cylinder><radius>2</radius></cylinder>", "<cylinder> has no length", {0, 0, 0}, 2, 1},
        {"<capsule/>", "<capsule> has no radius: it is 0.5 m", {0, 0, 0}, 0.5, 1},
        {"<ellipsoid/>", "<ellipsoid> has no radii: it is 1 m", {1, 1, 1}, 0, 0},
        {"<plane/>", "", {0, 0, 0}, 0, 0},
    };
    fixture* f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[500];
        (void)snprintf(text, sizeof text, SDF("<link name='l'>" COLLISION("%s", "") "</link>"),
                       cases[i].shape);
        f->log = (kept_log){.length = 0};
        load_as(f, ISO_SCENE_FORMAT_SDF, text);
        const iso_shape_desc* shape = &geometry_of(&f->scene, "m::l", "c")->shape;
        CHECK_TEXT(f->log.text, cases[i].warning);
        CHECK_VEC3_NEAR(cases[i].size.x > 0 ? shape->size : cases[i].size, cases[i].size, 0.0);
        CHECK_BITS(cases[i].radius > 0 ? shape->radius : 0, cases[i].radius);
        CHECK_BITS(cases[i].length > 0 ? shape->length : 0, cases[i].length);
    }
}

static void masks_may_be_hexadecimal(void** state) {
    static const struct {
        const char* text;
        uint32_t mask; ///< 0: refused
    } cases[] = {{"0x01", 1},        {"0xFFff", 0xFFFF},
                 {"65535", 65535},   {"0xffffffff", UINT32_MAX},
                 {"0x100000000", 0}, {"0x", 0},
                 {"-1", 0},          {"1.5", 0},
                 {"0x1g", 0},        {"", 0}};
    fixture* f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[500];
        (void)snprintf(
            text, sizeof text,
            SDF("<link name='l'>" COLLISION(
                "<sphere/>", "<surface><contact>\n<collide_bitmask>%s</collide_bitmask></contact>"
                             "</surface>") "</link>"),
            cases[i].text);
        if (cases[i].mask == 0) {
            assert_int_equal(load_text(f->ctx, ISO_SCENE_FORMAT_SDF, text, &f->scene),
                             ISO_ERR_RANGE);
            CHECK_ERROR(f->ctx, "expected a whole number of 32 bits");
            continue;
        }
        load_as(f, ISO_SCENE_FORMAT_SDF, text);
        assert_int_equal(geometry_of(&f->scene, "m::l", "c")->collision_mask, cases[i].mask);
        iso_scene_destroy(f->ctx, &f->scene);
    }
}

// Some write one where a link has no collision.
static void collisions_without_extent_are_left_out(void** state) {
    static const struct {
        const char* shape;
        int count; ///< of geometries beside the sphere
    } cases[] = {
        {"<box><size>0 0 0</size></box>", 0},
        {"<sphere><radius>0</radius></sphere>", 0},
        {"<cylinder><radius>0</radius><length>0</length></cylinder>", 0},
        {"<capsule><radius>0</radius><length>0</length></capsule>", 0},
        {"<ellipsoid><radii>0 0 0</radii></ellipsoid>", 0},
        {"<box><size>1e-3 1e-3 1e-3</size></box>", 1},
    };
    fixture* f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[1024];
        snprintf(text, sizeof text,
                 SDF("<link name='l'><collision name='s'><geometry><sphere><radius>1</radius>"
                     "</sphere></geometry></collision><collision name='c'><geometry>%s</geometry>"
                     "</collision></link>"),
                 cases[i].shape);
        f->log = (kept_log){.length = 0};
        load_as(f, ISO_SCENE_FORMAT_SDF, text);
        assert_int_equal(iso_model_geometry_count(f->scene.model), 1 + cases[i].count);
        assert_int_equal(strstr(f->log.text, "has no extent and is left out") == NULL,
                         cases[i].count);
        iso_scene_destroy(f->ctx, &f->scene);
    }
    static const char robot[] = "<robot name='r'><link name='a'><collision><geometry>"
                                "<box size='0 0 0'/></geometry></collision></link></robot>";
    load_as(f, ISO_SCENE_FORMAT_URDF, robot);
    assert_int_equal(iso_model_geometry_count(f->scene.model), 0);
    CHECK_TEXT(f->log.text, "test.urdf:1: <collision>: its box has no extent and is left out");
}

static void joints_that_say_too_little_are_warnings(void** state) {
    fixture* f = *state;
    load_as(f, ISO_SCENE_FORMAT_SDF,
            SDF("<link name='a'/><link name='b'/><joint name='j' type='revolute'>"
                "<pose>0 0 0 0.3 0 0</pose><parent>a</parent><child>b</child></joint>"));
    assert_int_equal(joint_named(&f->scene, "m::j")->kind, ISO_JOINT_REVOLUTE);
    CHECK_VEC3_NEAR(joint_named(&f->scene, "m::j")->axis, iso_vec3_make(0, 0, 1), 0.0);
    CHECK_TEXT(f->log.text, "joint 'm::j' has no <axis>: it is z of the joint");
    iso_scene_destroy(f->ctx, &f->scene);
    load_as(f, ISO_SCENE_FORMAT_SDF,
            SDF("<link name='a'/><frame name='f' attached_to='a'/><joint name='j' type='fixed'>"
                "<parent>f</parent><child>a</child></joint>"));
    assert_int_equal(iso_model_joint_count(f->scene.model), 0);
    CHECK_TEXT(f->log.text, "joint 'm::j' is left out: its frames are of one link, 'm::a'");
}

static void little_or_nothing_is_a_scene(void** state) {
    static const struct {
        const char *text, *warning;
        int bodies; ///< with the world
    } cases[] = {
        {"<sdf version='1.9'><world name='w'/></sdf>", "test.sdf: the scene has no bodies", 1},
        {SDF(""), "test.sdf: the scene has no bodies", 1},
        {SDF("<frame name='f'><pose>1 2 3 0 0 0</pose></frame>"), "the scene has no bodies", 1},
        {"<sdf version='1.9'><light name='l' type='point'/></sdf>",
         "<sdf> has neither a <model> nor a <world>", 1},
        {SDF("<link name='l'><visual name='v'/></link>"),
         "<visual> has no <geometry> and is left out", 2},
        {SDF("<link name='l'><collision name='c'/></link>"),
         "<collision> has no <geometry> and is left out", 2},
        {"<sdf version='1.13'><model name='m'><link name='l'/></model></sdf>",
         "SDFormat version is '1.13', newer than 1.12: read as 1.12", 2},
        {"<sdf version='2.0'><model name='m'><link name='l'/></model></sdf>",
         "SDFormat version is '2.0', newer than 1.12: read as 1.12", 2},
        {"<sdf version='1.3'><model name='m'><link name='l'/></model></sdf>",
         "SDFormat version is '1.3', older than 1.4: read as 1.4", 2},
        {"<gazebo version='1.2'><model name='m'><link name='l'/></model></gazebo>",
         "SDFormat version is '1.2', older than 1.4", 2},
        {"<sdf version='1.9'><world name='w'><model name='g'><static>1</static><link "
         "name='l'>" COLLISION("<plane/>", "") "</link></model></world></sdf>",
         "", 2},
    };
    fixture* f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        iso_world* world = NULL;
        f->log = (kept_log){.length = 0};
        load_as(f, ISO_SCENE_FORMAT_SDF, cases[i].text);
        CHECK_TEXT(f->log.text, cases[i].warning);
        assert_int_equal(iso_model_body_count(f->scene.model), cases[i].bodies);
        CHECK_OK(f->ctx, iso_world_create(f->ctx, f->scene.model, &f->scene.world, &world));
        CHECK_OK(f->ctx, iso_world_step(world));
        iso_world_destroy(world);
    }
}

static void the_first_of_two_worlds_is_read(void** state) {
    fixture* f = *state;
    load_as(f, ISO_SCENE_FORMAT_SDF,
            "<sdf version='1.6'><world name='a'>" SDF_LINK "</world>\n"
            "<world name='b'><model name='n'><link name='l'/></model></world></sdf>");
    assert_int_equal(iso_model_body_count(f->scene.model), 2);
    CHECK_TEXT(f->log.text, "test.sdf:2: a second <world> is left out");
}

static void a_universal_joint_without_axes_turns_about_z_and_x(void** state) {
    static const struct {
        const char* axis;
        iso_vec3 first, second;
    } cases[] = {{"", {0, 0, 1}, {1, 0, 0}},
                 {"<axis><xyz>1 0 0</xyz></axis>", {1, 0, 0}, {0, 1, 0}},
                 {"<axis2><xyz>0 1 0</xyz></axis2>", {0, 0, 1}, {0, 1, 0}}};
    fixture* f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[512];
        snprintf(text, sizeof text,
                 SDF("<link name='a'/><link name='b'/>\n<joint name='j' type='universal'>"
                     "<parent>a</parent><child>b</child>%s</joint>"),
                 cases[i].axis);
        f->log = (kept_log){.length = 0};
        load_as(f, ISO_SCENE_FORMAT_SDF, text);
        CHECK_VEC3_NEAR(joint_named(&f->scene, "m::j")->axis, cases[i].first, 1e-15);
        CHECK_VEC3_NEAR(joint_named(&f->scene, "m::j")->axis_2, cases[i].second, 1e-15);
        CHECK_TEXT(f->log.text, "universal joint 'j' lacks <axis> or <axis2>");
    }
}

// As it is written: the other one, whose name was made up, takes another.
static void a_name_belongs_to_whom_the_file_gives_it(void** state) {
    fixture* f = *state;
    load_as(f, ISO_SCENE_FORMAT_XML,
            "<mujoco><worldbody><body name='b'><freejoint/><geom size='.1'/>"
            "<geom size='.2'/><geom name='collision_1' size='.3'/>"
            "<geom name='collision' size='.4'/><geom size='.5'/></body></worldbody></mujoco>");
    static const char* const names[] = {"collision_3", "collision_2", "collision_1", "collision",
                                        "collision_4"};
    for (int i = 0; i < 5; ++i) {
        int body = -1;
        assert_string_equal(iso_model_geometry(f->scene.model, i, &body)->name, names[i]);
    }
}

#define NOTCHED                                                                         \
    "<geometry><polyline><point>0 0</point><point>1 0</point><point>1 1</point><point>" \
    ".9 .1</point><height>1</height></polyline></geometry>"

// A warning where its file states a modulus, which is lost by it.
static void a_surface_that_becomes_rigid_is_named_with_its_line(void** state) {
    fixture* f = *state;
    for (int i = 0; i < 2; ++i) {
        iso_world* world = NULL;
        load_as(f, ISO_SCENE_FORMAT_SDF,
                i == 0 ? SDF("<link name='l'>\n<collision name='c'>" NOTCHED "</collision></link>")
                       : SDF("<link name='l'>\n<collision name='c'>" NOTCHED
                             "<drake:proximity_properties><drake:hydroelastic_modulus>2e6"
                             "</drake:hydroelastic_modulus></drake:proximity_properties>"
                             "</collision></link>"));
        f->log.warning_count = 0;
        CHECK_OK(f->ctx, iso_world_create(f->ctx, f->scene.model, &f->scene.world, &world));
        iso_world_destroy(world);
        CHECK_TEXT(f->log.text, "test.sdf:3: geometry 'c' of body 'm::l' is a surface without "
                                "tetrahedra: it becomes rigid");
        assert_int_equal(f->log.warning_count, i);
    }
    CHECK_TEXT(f->log.text, "it becomes rigid, and its modulus does not count");
}

// Without a link its frames are those of the world.
static void a_model_of_frames_alone_stands_in_the_world(void** state) {
    fixture* f = *state;
    load_as(f, ISO_SCENE_FORMAT_SDF,
            SDF("<pose>0 0 1 0 0 0</pose><frame name='f'><pose>1 2 3 0 0 0</pose></frame>"));
    assert_int_equal(f->scene.frame_count, 2);
    assert_int_equal(f->scene.frames[0].body, ISO_WORLD_BODY);
    assert_string_equal(f->scene.frames[0].name, "m::f");
    CHECK_VEC3_NEAR(f->scene.frames[0].x_bf.p, iso_vec3_make(1, 2, 4), 0.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(xml_that_other_parsers_take_is_read_with_a_warning),
        TEST(what_else_is_wrong_is_said_with_its_line),
        TEST(the_first_of_two_elements_counts),
        TEST(limits_that_say_too_little_or_nothing_are_warnings),
        TEST(what_only_other_programs_use_is_a_warning),
        TEST(a_mimic_names_joints_that_move_and_fixed_ones_are_preserved),
        TEST(a_visual_that_is_wrong_is_a_warning),
        TEST(what_mimics_nothing_that_moves_is_held),
        TEST(limits_that_a_leader_never_reaches_do_not_count),
        TEST(sizes_that_are_missing_are_those_of_the_format),
        TEST(masks_may_be_hexadecimal),
        TEST(collisions_without_extent_are_left_out),
        TEST(joints_that_say_too_little_are_warnings),
        TEST(little_or_nothing_is_a_scene),
        TEST(a_model_of_frames_alone_stands_in_the_world),
        TEST(a_surface_that_becomes_rigid_is_named_with_its_line),
        TEST(the_first_of_two_worlds_is_read),
        TEST(a_universal_joint_without_axes_turns_about_z_and_x),
        TEST(a_name_belongs_to_whom_the_file_gives_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
