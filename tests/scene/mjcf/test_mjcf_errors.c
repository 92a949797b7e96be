// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// What is wrong with an MJCF file is said in one line: place, value, what was expected.

#include "scene/mjcf_texts.h"
#include "scene/wrong_texts.h"

static void mistakes_are_named_with_their_line(void** state) {
    (void)state;
    static const wrong_text cases[] = {
        {ISO_ERR_UNSUPPORTED, "<mjcf/>", "test.xml:1: the outermost element is <mjcf>, expected"},
        {ISO_ERR_UNSUPPORTED, "<mujoco>\n<compiler coordinate='global'/></mujoco>",
         "test.xml:2: <compiler>: coordinate is 'global', expected local"},
        {ISO_ERR_RANGE, "<mujoco><compiler settotalmass='1e14'/></mujoco>",
         "settotalmass is 1e+14 kg"},
        {ISO_ERR_PARSE, "<mujoco><compiler eulerseq='xya'/></mujoco>", "eulerseq is 'xya'"},
        {ISO_ERR_PARSE, "<mujoco>\n<compiler autolimits='yes'/></mujoco>",
         "test.xml:2: <compiler>: autolimits is 'yes', expected true, false or auto"},
        {ISO_ERR_RANGE,
         "<mujoco>\n<asset><mesh name='m' builtin='cone' params='2 0'/></asset></mujoco>",
         "test.xml:2: <mesh>: param 1 of a cone is 2, expected 3 to 1000"},
        {ISO_ERR_RANGE, WORLD("\n<geom size='1' contype='1.5'/>"),
         "test.xml:3: <geom>: contype is 1.5, expected a whole number of 32 bits"},
        {ISO_ERR_RANGE, WORLD("<geom size='1' conaffinity='4294967296'/>"),
         "<geom>: conaffinity is 4294967296, expected a whole number of 32 bits"},
        {ISO_ERR_RANGE, WORLD("<geom size='1' contype='-2147483649'/>"),
         "<geom>: contype is -2147483649, expected a whole number of 32 bits"},
        {ISO_ERR_NOT_FOUND, WORLD("<body childclass='k'/>"),
         "there is no default class named 'k', expected 'main'"},
        {ISO_ERR_UNSUPPORTED, WORLD("\n<geom type='sdf'/>"),
         "test.xml:3: <geom>: type is 'sdf', expected plane"},
        {ISO_ERR_NOT_FOUND, WORLD("\n<geom type='hfield'/>"),
         "test.xml:3: there is no hfield named '', nor any other"},
        {ISO_ERR_RANGE, HFIELD("nrow='1' ncol='3' size='1 1 1 1'"), "<hfield>: 1 rows of 3"},
        {ISO_ERR_RANGE, HFIELD("nrow='2e5' ncol='2e5' size='1 1 1 1'"), "<hfield>: 200000 rows of"},
        {ISO_ERR_RANGE, HFIELD("nrow='2' ncol='2' size='1 1 0 1'"), "<hfield>: size is 0 m"},
        {ISO_ERR_PARSE, HFIELD("nrow='2' ncol='2'"), "<hfield> needs the attribute 'size'"},
        {ISO_ERR_PARSE, HFIELD("nrow='2' ncol='2' size='1 1 1 1' elevation='1 2 3'"),
         "<hfield>: elevation has 3 numbers, expected 2 rows of 2"},
        {ISO_ERR_IO, HFIELD("file='h.bin' size='1 1 1 1'"), "'h.bin' may not be opened"},
        {ISO_ERR_PARSE, WORLD("\n<body name='b' mocap='true'><joint/></body>"),
         "test.xml:3: mocap body 'b' hangs on a body or joint"},
        {ISO_ERR_RANGE,
         "<mujoco>" ARM "<actuator>\n<motor joint='j' ctrlrange='1 -1' ctrllimited='true'/>"
         "</actuator></mujoco>",
         "test.xml:2: <motor>: ctrlrange is 1 to -1, expected to rise, as ctrllimited is true"},
        {ISO_ERR_PARSE,
         "<mujoco><compiler autolimits='false'/>" ARM
         "<actuator><motor joint='j' ctrlrange='-1 1'/></actuator></mujoco>",
         "<motor> has ctrlrange, but neither ctrllimited nor autolimits"},
        {ISO_ERR_PARSE,
         "<mujoco>" ARM "<actuator><position joint='j' kv='1' dampratio='1'/></actuator></mujoco>",
         "kv and dampratio are both given"},
        {ISO_ERR_RANGE,
         WORLD("\n<body name='b'><joint name='j' springdamper='0.1 0'/>" BALL "</body>"),
         "test.xml:3: joint 'j': springdamper is 0.1 0, expected a time constant [s]"},
        {ISO_ERR_PARSE, WORLD("<site name='s'/>\n<body><site name='s'/>" BALL "</body>"),
         "test.xml:3: <site>: the name 's' is taken"},
        {ISO_ERR_PARSE,
         "<mujoco><asset><mesh name='a' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/>\n"
         "<mesh name='a' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset></mujoco>",
         "test.xml:2: <mesh>: the name 'a' is taken"},
        {ISO_ERR_PARSE,
         HFIELD("nrow='2' ncol='2' size='1 1 1 1'/><hfield name='h' nrow='2' "
                "ncol='2' size='1 1 1 1'"),
         "<hfield>: the name 'h' is taken"},
        {ISO_ERR_PARSE, "<mujoco>" ARM "<tendon>\n<fixed name='t'/></tendon></mujoco>",
         "test.xml:2: <fixed> has no joints, expected <joint joint='...' coef='...'/>"},
        {ISO_ERR_PARSE,
         "<mujoco>" ARM "<tendon><fixed name='t'>\n<joint joint='j'/></fixed></tendon></mujoco>",
         "test.xml:2: <joint> needs the attribute 'coef'"},
        {ISO_ERR_PARSE,
         "<mujoco>" ARM "<tendon><fixed name='t'>\n<jiont joint='j' coef='1'/></fixed></tendon>"
         "</mujoco>",
         "test.xml:2: <fixed> holds <jiont>, expected <joint>"},
        {ISO_ERR_RANGE,
         "<mujoco>" ARM "<tendon>\n<fixed stiffness='1' springlength='2 1'><joint joint='j' "
         "coef='1'/></fixed></tendon></mujoco>",
         "test.xml:2: <fixed>: springlength is 2 to 1, expected to rise"},
        {ISO_ERR_PARSE,
         "<mujoco>" ARM "<tendon><fixed name='t'><joint joint='j' coef='1'/></fixed>\n"
         "<fixed name='t'><joint joint='j' coef='1'/></fixed></tendon></mujoco>",
         "test.xml:2: <fixed>: the name 't' is taken"},
        {ISO_ERR_PARSE, "<mujoco>" ARM "<actuator>\n<motor/></actuator></mujoco>",
         "test.xml:2: <motor> does not say what it drives, expected joint"},
        {ISO_ERR_PARSE, "<mujoco>" ARM "<actuator><muscle joint=''/></actuator></mujoco>",
         "<muscle> does not say what it drives"},
        {ISO_ERR_PARSE, "<mujoco>" ARM "<keyframe><key mpos='1 2 3'/></keyframe></mujoco>",
         "<key>: mpos has 3 numbers, expected 0"},
        {ISO_ERR_PARSE, WORLD("<geom type='box' size='1 2'/>"), "a box has 2 sizes, expected 3"},
        {ISO_ERR_RANGE, WORLD("<geom size='-1'/>"), "radius is -1 m"},
        {ISO_ERR_RANGE, WORLD("\n<geom size='1' group='1.5'/>"),
         "test.xml:3: <geom>: group is 1.5, expected a whole number"},
        {ISO_ERR_PARSE,
         "<mujoco>" ARM "<actuator>\n<intvelocity joint='j' inheritrange='1'/>"
         "</actuator></mujoco>",
         "test.xml:2: <intvelocity>: inheritrange of a joint or tendon without range"},
        {ISO_ERR_RANGE,
         "<mujoco>" ARM "<tendon>\n<fixed range='1 2'><joint joint='j' coef='1'/></fixed>"
         "<fixed range='3 4'><joint joint='j' coef='1'/></fixed></tendon></mujoco>",
         "test.xml:2: <fixed>: its range leaves joint 'test::j' none, from 3 to 2"},
        {ISO_ERR_PARSE,
         "<mujoco>" ARM "<actuator><cylinder joint='j'/></actuator><keyframe>\n<key act='1 2'/>"
         "</keyframe></mujoco>",
         "test.xml:2: <key>: act has 2 numbers, expected at most 1"},
        {ISO_ERR_PARSE, WORLD("<geom size='1' pos='1 2'/>"), "pos has 2 numbers, expected 3"},
        {ISO_ERR_PARSE, WORLD("<geom size='1' pos='1 2 x'/>"), "pos holds 'x', expected a number"},
        {ISO_ERR_NOT_FOUND, WORLD("<geom type='mesh' mesh='k'/>"), "there is no mesh named 'k'"},
        {ISO_ERR_PARSE, WORLD("<geom size='1' quat='1 0 0 0' euler='0 0 1'/>"),
         "<geom> has 2 orientations, expected one of quat"},
        {ISO_ERR_PARSE, WORLD("<geom size='1' friction='1 2 3 4'/>"),
         "has 4 numbers, expected 1 to 3"},
        {ISO_ERR_RANGE, WORLD("<geom size='1' quat='0 0 0 0'/>"), "quat has length 0"},
        {ISO_ERR_RANGE, WORLD("<body name='b'><inertial mass='1' diaginertia='1 1 9'/></body>"),
         "'m::b': inertia (ixx 1, iyy 1, izz 9"},
        {ISO_ERR_RANGE, WORLD("<body name='b'><inertial mass='-1' diaginertia='1 1 1'/></body>"),
         "'m::b': mass is -1 kg"},
        {ISO_ERR_PARSE,
         WORLD("\n<body name='b'><inertial mass='1' diaginertia='1 1 1' fullinertia='1 1 1 0 0 0'/>"
               "</body>"),
         "test.xml:3: <inertial>: diaginertia and fullinertia are both given"},
        {ISO_ERR_PARSE,
         WORLD("<body name='b'><inertial mass='1'/>\n<frame><inertial mass='2'/></frame></body>"),
         "test.xml:3: body 'b' has a second <inertial>"},
        {ISO_ERR_PARSE, WORLD("\n<joint/>"), "test.xml:3: <joint> of the world, which has no"},
        {ISO_ERR_PARSE, WORLD("<frame>\n<inertial mass='1'/></frame>"),
         "test.xml:3: <inertial> of the world"},
        {ISO_ERR_PARSE, WORLD("<body name='b'><body><freejoint/></body></body>"),
         "a free joint is the only joint of a body of the world"},
        {ISO_ERR_UNSUPPORTED, WORLD("\n<composite/>"), "test.xml:3: <composite> is not supported"},
        {ISO_ERR_PARSE, WORLD("\n<replicate/>"),
         "test.xml:3: <replicate> needs the attribute 'count'"},
        {ISO_ERR_RANGE, WORLD("<replicate count='-1'/>"),
         "<replicate>: count is -1, expected a whole number from 0 to 10000"},
        {ISO_ERR_UNSUPPORTED, WORLD("<body><replicate count='2'>\n<joint/></replicate></body>"),
         "test.xml:3: <joint> in a <replicate>, expected it in a body that is copied"},
        {ISO_ERR_RANGE, WORLD("<replicate count='9999'><replicate count='9999'/></replicate>"),
         "<replicate> makes more than 100000 copies of elements"},
        {ISO_ERR_RANGE,
         WORLD("<replicate count='9999'><frame><site/><site/><site/><site/><site/><site/><site/>"
               "<site/><site/></frame></replicate>"),
         "<replicate> makes more than 100000 copies of elements"},
        {ISO_ERR_RANGE,
         "<mujoco>" ARM "<actuator>\n<damper joint='j' kv='-1'/></actuator></mujoco>",
         "test.xml:2: <damper>: kv is -1, expected >= 0"},
        {ISO_ERR_PARSE,
         "<mujoco>" ARM "<actuator>\n<position joint='k' inheritrange='1'/></actuator></mujoco>",
         "test.xml:2: <position>: inheritrange of a joint or tendon without range"},
        {ISO_ERR_PARSE,
         "<mujoco>" ARM "<tendon><fixed name='t'><joint joint='j' coef='1'/><joint joint='k' "
         "coef='1'/></fixed></tendon><actuator>\n<position tendon='t' inheritrange='1'/></actuator>"
         "</mujoco>",
         "test.xml:2: <position>: inheritrange of a joint or tendon without range"},
        {ISO_ERR_PARSE,
         WORLD("<replicate count='2'><replicate count='2' sep='0'><site name='s'/></replicate>\n"
               "<site name='s0'/><site name='s00'/></replicate>"),
         "the name 's000' is taken"},
        {ISO_ERR_PARSE,
         "<mujoco>" ARM "<keyframe><key qpos='1 2 3 4 5 6 7 8 9 10'/></keyframe></mujoco>",
         "<key>: qpos has 10 numbers, expected at most 9"},
        {ISO_ERR_NOT_FOUND,
         "<mujoco>" ARM "<contact><exclude body1='x' body2='a'/></contact>"
         "</mujoco>",
         "there is no body named 'x', expected 'world', 'a', 'b' or 'c'"},
        {ISO_ERR_NOT_FOUND, "<mujoco>" ARM "<actuator>\n<motor tendon='t'/></actuator></mujoco>",
         "test.xml:2: there is no tendon named 't', nor any other"},
        {ISO_ERR_NOT_FOUND,
         "<mujoco>" ARM "<tendon><fixed name='t'>\n<joint joint='l' coef='1'/></fixed></tendon>"
         "</mujoco>",
         "test.xml:2: there is no joint named 'l', expected 'j', 'k' or 'c_joint'"},
        {ISO_ERR_IO, "<mujoco>\n<include file='other.xml'/></mujoco>", "other.xml"},
        {ISO_ERR_IO, WORLD("<body>\n<include file='other.xml'/></body>"), "test.xml:3: "},
    };
    check_wrong_texts(ISO_SCENE_FORMAT_XML, cases, sizeof cases / sizeof *cases);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_are_named_with_their_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
