// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// What is wrong with a file is said in one line: place, value, what was expected. Nothing is built.

#include "scene/wrong_texts.h"

#include "support/assets.h"
#include "support/failing_context.h"

#include <stdlib.h>

#define MODEL(text) "<sdf version='1.7'>\n<model name='m'>\n" text "</model></sdf>"
#define JOINT(text)                                                                      \
    MODEL("<link name='a'/><link name='b'/>\n<joint name='j' " text "<parent>a</parent>" \
          "<child>b</child></joint>")
#define GEOMETRY(text)                                                                         \
    MODEL("<link name='a'>\n<collision name='c'><geometry>\n" text "</geometry></collision></" \
          "link>")
#define PROXIMITY(text)                                                                           \
    MODEL(                                                                                        \
        "<link name='a'><collision name='c'><geometry><box><size>1 1 1</size></box></geometry>\n" \
        "<drake:proximity_properties>" text "</drake:proximity_properties></collision></link>")

static void sdf_mistakes_are_named_with_their_line(void** state) {
    (void)state;
    static const wrong_text cases[] = {
        {ISO_ERR_PARSE, "", "test.sdf: the file is empty"},
        {ISO_ERR_PARSE, "hello", "test.sdf:1: not well-formed XML"},
        {ISO_ERR_PARSE, "<sdf version='1.7'>\n<model name='m'>\n</sdf>",
         "test.sdf:3: not well-formed XML: Opening and ending tag mismatch"},
        {ISO_ERR_PARSE, "<robot name='r'/>", "test.sdf:1: the outermost element is <robot>"},
        {ISO_ERR_UNSUPPORTED, "<!DOCTYPE a [<!ENTITY b 'c'>]>\n<sdf version='1.7'>&b;</sdf>",
         "document type definitions and entities are not read"},
        {ISO_ERR_PARSE, PROXIMITY("<drake:mu_static>1</drake:mu_static><drake:mu_static/>"),
         "test.sdf:4: a second <drake:mu_static> in <drake:"},
        {ISO_ERR_PARSE, "<sdf/>", "test.sdf:1: <sdf> needs the attribute 'version'"},
        {ISO_ERR_UNSUPPORTED, "<sdf version='x'/>",
         "SDFormat version is 'x', expected 1.2 to 1.12"},
        {ISO_ERR_UNSUPPORTED, "<sdf version='1.1'/>", "SDFormat version is '1.1'"},
        {ISO_ERR_PARSE, "<sdf version='1.7'>\n<model/></sdf>",
         "test.sdf:2: <model> needs the attribute 'name'"},
        {ISO_ERR_PARSE, MODEL("<link name='a'/>\n<link name='a'/>"),
         "test.sdf:4: <link> has the name 'a' of the <link> in line 3"},
        {ISO_ERR_PARSE, MODEL("<link name='world'/>"), "the name 'world' is reserved"},
        // frames
        {ISO_ERR_PARSE, MODEL("<link name='a'><pose>1 2 3</pose></link>"),
         "test.sdf:3: <pose>: its value is '1 2 3', expected 6 finite numbers"},
        {ISO_ERR_PARSE, MODEL("<link name='a'><pose>1 2 3 0 0 nan</pose></link>"),
         "expected 6 finite numbers"},
        {ISO_ERR_RANGE, MODEL("<link name='a'><pose>1e9 2 3 0 0 0</pose></link>"),
         "<pose> is 1e+09 m from its origin, expected at most 1e+06"},
        {ISO_ERR_NOT_FOUND, MODEL("<link name='a'><pose relative_to='b'/></link>"),
         "there is no link, joint, frame or model of model 'm' named 'b', expected"},
        {ISO_ERR_PARSE,
         MODEL("<link name='a'><pose relative_to='f'/></link>\n<frame name='f' attached_to='a'/>"),
         "is relative to itself through other frames"},
        {ISO_ERR_PARSE,
         MODEL("<link name='a'/>\n<frame name='f' attached_to='g'><pose relative_to='a'/></frame>"
               "<frame name='g' attached_to='f'><pose relative_to='a'/></frame>"),
         "is attached to itself through other frames"},
        {ISO_ERR_UNSUPPORTED,
         MODEL("<link name='a'><pose rotation_format='matrix'>1 0 0 0 0 0</pose></link>"),
         "rotation_format is 'matrix', expected euler_rpy or quat_xyzw"},
        // mass
        {ISO_ERR_RANGE, MODEL("<link name='a'><inertial>\n<mass>-1</mass></inertial></link>"),
         "test.sdf:4: 'm::a': mass is -1 kg, expected >= 0"},
        {ISO_ERR_PARSE, MODEL("<link name='a'><inertial>\n<mass>NaN</mass></inertial></link>"),
         "test.sdf:4: <mass>: mass is 'NaN', expected 1 finite number"},
        {ISO_ERR_RANGE,
         MODEL("<link name='a'><inertial><inertia><ixx>-3</ixx></inertia></inertial></link>"),
         "(ixx -3, iyy 1, izz 1, ixy 0, ixz 0, iyz 0) kg m^2 is of no solid"},
        {ISO_ERR_UNSUPPORTED,
         MODEL("<link name='a'/><link name='b'/><drake:joint name='j' type='planar'>"
               "<drake:parent>a</drake:parent><drake:child>b</drake:child>\n"
               "<drake:damping>1 1 2</drake:damping></drake:joint>"),
         "joint 'm::j': dampings 1, 1, 2 differ"},
        {ISO_ERR_PARSE, MODEL("<link name='a'>\n<inertial auto='true'/></link>"),
         "test.sdf:4: <inertial auto=\"true\">: link 'a' has no <collision> to take its mass from"},
        {ISO_ERR_PARSE,
         MODEL("<link name='a'><inertial auto='true'/><collision name='c'><geometry>"
               "<plane/></geometry></collision></link>"),
         "link 'a' has no collision that encloses something"},
        {ISO_ERR_RANGE,
         MODEL("<link name='a'><inertial auto='true'><density>-1</density></inertial>"
               "</link>"),
         "density is -1 kg/m^3, expected > 0"},
        {ISO_ERR_PARSE, MODEL("<link name='a'><inertial auto='yes'/></link>"),
         "auto is 'yes', expected true or false"},
        // joints
        {ISO_ERR_UNSUPPORTED, JOINT("type='curved'>"),
         "test.sdf:4: joint 'j' is of type 'curved', expected fixed, revolute, continuous, "
         "prismatic, screw, universal, revolute2, ball, planar or gearbox"},
        {ISO_ERR_UNSUPPORTED, JOINT("type='curvilinear'>"),
         "test.sdf:4: joint 'j' is curvilinear: motion along a curve is not supported"},
        {ISO_ERR_PARSE, JOINT("type='gearbox'>"),
         "test.sdf:4: gearbox 'j' needs <gearbox_reference_body> and <axis>"},
        {ISO_ERR_UNSUPPORTED,
         JOINT("type='gearbox'><gearbox_reference_body>a</gearbox_reference_body><axis/>"),
         "gearbox 'j': 'm::a' does not turn about 'm::a' by a revolute joint"},
        {ISO_ERR_RANGE, JOINT("type='universal'><axis2/>"),
         "joint 'j': <axis> and <axis2> are parallel"},
        {ISO_ERR_RANGE, JOINT("type='screw'><screw_thread_pitch>0</screw_thread_pitch><axis/>"),
         "the screw moves 0 m/rad"},
        {ISO_ERR_NOT_FOUND, JOINT("type='revolute'><axis>\n<mimic joint='k'/></axis>"),
         "test.sdf:5: there is no joint that moves named 'k'"},
        {ISO_ERR_UNSUPPORTED,
         MODEL("<link name='a'/><link name='b'><inertial><mass>0</mass></inertial></link>"
               "<joint name='i' type='fixed'><parent>a</parent><child>b</child></joint>\n<joint "
               "name='j' type='prismatic'><parent>a</parent>"
               "<child>b</child><axis/></joint>"),
         "test.sdf:4: joint 'm::j': body 'm::b' is already the child of joint 'm::i', and has no "
         "mass, of which a prismatic joint that closes a loop needs a half"},
        {ISO_ERR_RANGE, JOINT("type='revolute'><axis>\n<xyz>0 0 0</xyz></axis>"),
         "test.sdf:5: joint 'j': the axis has length 0, expected a direction"},
        {ISO_ERR_RANGE,
         JOINT("type='revolute'><axis><limit><lower>2</lower><upper>1</upper></limit></axis>"),
         "lower limit 2 is above upper limit 1"},
        {ISO_ERR_RANGE,
         JOINT("type='revolute'><axis><dynamics><damping>-1</damping></dynamics></axis>"),
         "damping is -1, expected >= 0"},
        {ISO_ERR_PARSE,
         MODEL("<link name='a'/><joint name='j' type='fixed'><child>a</child>"
               "</joint>"),
         "joint 'j' has no <parent>"},
        {ISO_ERR_NOT_FOUND,
         MODEL("<link name='a'/><joint name='j' type='fixed'><parent>x</parent>"
               "<child>a</child></joint>"),
         "there is no link, joint, frame or model of"},
        {ISO_ERR_PARSE,
         MODEL("<link name='a'/><joint name='j' type='fixed'><parent>a</parent>"
               "<child>a</child></joint>"),
         "joint 'm::j' joins body 'm::a' to itself"},
        // geometry
        {ISO_ERR_UNSUPPORTED, GEOMETRY("<image/>"),
         "test.sdf:5: collision geometry <image> is not supported, expected sphere, box"},
        {ISO_ERR_PARSE, GEOMETRY("<heightmap/>"), "test.sdf:5: <heightmap> has no <uri>"},
        {ISO_ERR_RANGE, GEOMETRY("<box><size>1 0 1</size></box>"), "box size is 0 m, expected > 0"},
        {ISO_ERR_RANGE, GEOMETRY("<sphere><radius>1e30</radius></sphere>"),
         "radius is 1e+30 m, expected > 0 and <= 1e+06"},
        {ISO_ERR_RANGE, GEOMETRY("<sphere><radius>-1</radius></sphere>"), "radius is -1 m"},
        {ISO_ERR_PARSE, GEOMETRY("<mesh/>"), "<mesh> has no <uri>"},
        {ISO_ERR_IO, GEOMETRY("<mesh><uri>missing.obj</uri></mesh>"),
         "collision mesh 'missing.obj' cannot be read"},
        {ISO_ERR_UNSUPPORTED, GEOMETRY("<mesh><uri>http://x/y.obj</uri></mesh>"),
         "URI 'http://x/y.obj' is on a server, from which nothing is fetched, expected "},
        {ISO_ERR_NOT_FOUND, GEOMETRY("<mesh><uri>package://nope/y.obj</uri></mesh>"),
         "test.sdf:5: package 'nope' of 'package://nope/y.obj' is not known; say where it is with "
         "--package nope=DIR"},
        // contact properties
        {ISO_ERR_RANGE, PROXIMITY("<drake:hydroelastic_modulus>0</drake:hydroelastic_modulus>"),
         "test.sdf:4: <drake:hydroelastic_modulus> is 0 Pa, expected > 0"},
        {ISO_ERR_RANGE, PROXIMITY("<drake:mu_dynamic>-1</drake:mu_dynamic>"),
         "<drake:mu_dynamic> is -1, expected >= 0"},
        {ISO_ERR_RANGE,
         PROXIMITY("<drake:mu_dynamic>1</drake:mu_dynamic>"
                   "<drake:mu_static>0.5</drake:mu_static>"),
         "dynamic friction 1 is above static friction 0.5"},
        {ISO_ERR_PARSE, PROXIMITY("<drake:rigid_hydroelastic/><drake:compliant_hydroelastic/>"),
         "either rigid_hydroelastic or compliant_hydroelastic"},
        {ISO_ERR_PARSE, PROXIMITY("<drake:relaxation_time>soon</drake:relaxation_time>"),
         "its value is 'soon', expected 1 finite number"},
        {ISO_ERR_NOT_FOUND,
         MODEL("<link name='a'/><drake:collision_filter_group name='g'><drake:member>z"
               "</drake:member></drake:collision_filter_group>"),
         "there is no body or frame named 'm::z'"},
        {ISO_ERR_NOT_FOUND,
         MODEL("<link name='a'/><drake:collision_filter_group name='g'>"
               "<drake:ignored_collision_filter_group>h</drake:ignored_collision_filter_group>"
               "</drake:collision_filter_group>"),
         "there is no collision filter group named 'm::h'"},
        // includes and worlds
        {ISO_ERR_IO, MODEL("<include>\n<uri>other.sdf</uri></include>"), "'other.sdf'"},
        {ISO_ERR_PARSE, MODEL("<include/>"), "<include> has no <uri>"},
        {ISO_ERR_RANGE,
         "<sdf version='1.7'><world name='w'><physics>\n<max_step_size>0</max_step_size></physics>"
         "<model name='m'><link name='l'/></model></world></sdf>",
         "max_step_size is 0 s, expected > 0"},
    };
    check_wrong_texts(ISO_SCENE_FORMAT_SDF, cases, sizeof cases / sizeof *cases);
}

#define ROBOT(text) "<robot name='r'>\n<link name='a'/><link name='b'/>\n" text "</robot>"

static void urdf_mistakes_are_named_with_their_line(void** state) {
    (void)state;
    static const wrong_text cases[] = {
        {ISO_ERR_PARSE, "<sdf version='1.7'/>", "the outermost element is <sdf>, expected <robot>"},
        {ISO_ERR_UNSUPPORTED, "<robot name='r'>\n<deformable name='d'/></robot>",
         "test.urdf:2: <deformable> is not supported"},
        {ISO_ERR_UNSUPPORTED,
         "<robot name='r' xmlns:xacro='x'>\n<xacro:include filename='f'/><link name='a'/></robot>",
         "test.urdf:2: xacro must be expanded first"},
        {ISO_ERR_UNSUPPORTED, "<robot name='r' xmlns:xacro='x'>\n<xacro:arm side='l'/></robot>",
         "test.urdf:2: xacro must be expanded first"},
        {ISO_ERR_UNSUPPORTED, "<robot name='r'><xacro:macro/><link name='a'/></robot>",
         "xacro must be expanded first"},
        {ISO_ERR_PARSE, "<robot name='r'><link name='a'/>\n<link name='a'/></robot>",
         "test.urdf:2: there is already a body named 'r::a'"},
        {ISO_ERR_UNSUPPORTED,
         ROBOT("<joint name='j' type='gear'><parent link='a'/><child link='b'/></joint>"),
         "test.urdf:3: joint 'r::j' is of type 'gear', expected fixed, revolute"},
        {ISO_ERR_RANGE,
         ROBOT("<joint name='j' type='screw'><parent link='a'/><child link='b'/></joint>"),
         "<drake:screw_thread_pitch> is 0 m"},
        {ISO_ERR_NOT_FOUND,
         ROBOT("<joint name='j' type='fixed'><parent link='a'/><child link='z'/></joint>"),
         "there is no link named 'z'"},
        {ISO_ERR_PARSE, ROBOT("<joint name='j' type='fixed'><parent link='a'/></joint>"),
         "<joint> has no <child>"},
        {ISO_ERR_RANGE,
         ROBOT("<joint name='j' type='revolute'><parent link='a'/><child link='b'/>\n"
               "<axis xyz='0 0 0'/></joint>"),
         "test.urdf:4: joint 'r::j': the axis has length 0"},
        {ISO_ERR_RANGE,
         "<robot name='r'><link name='a'><inertial>\n<mass value='-2'/></inertial></link></robot>",
         "test.urdf:2: 'r::a': mass is -2 kg, expected >= 0"},
        {ISO_ERR_PARSE,
         "<robot name='r'><link name='a'><inertial><mass/></inertial></link></robot>",
         "<mass> needs the attribute 'value'"},
        {ISO_ERR_PARSE,
         "<robot name='r'><link name='a'><inertial><mass value='two'/></inertial></link></robot>",
         "value is 'two', expected 1 finite number"},
        {ISO_ERR_RANGE,
         "<robot name='r'><link name='a'><inertial><inertia ixx='1' iyy='1' izz='1'/></inertial>"
         "</link></robot>",
         "inertia without mass"},
        {ISO_ERR_UNSUPPORTED,
         "<robot name='r'><link name='a'><collision><geometry><cone/></geometry></collision></link>"
         "</robot>",
         "collision geometry <cone> is not supported"},
        {ISO_ERR_PARSE,
         "<robot name='r'><link name='a'><collision><geometry/></collision></link></robot>",
         "<collision> has no shape in <geometry>"},
        {ISO_ERR_UNSUPPORTED, ROBOT("<loop_joint/>"), "<loop_joint> is not supported"},
    };
    check_wrong_texts(ISO_SCENE_FORMAT_URDF, cases, sizeof cases / sizeof *cases);
}

#define BODY(text) "bodies:\n- {name: a, mass: 1, inertia: [1, 1, 1]}\n" text

static void scenario_mistakes_are_named_with_their_line(void** state) {
    (void)state;
    static const wrong_text cases[] = {
        {ISO_ERR_PARSE, "", "test.yaml: the file is empty"},
        {ISO_ERR_PARSE, "[1, 2]", "a scenario is a mapping"},
        {ISO_ERR_PARSE, "a: [1,\nb: 2", "test.yaml:3: not well-formed YAML: did not find expected"},
        {ISO_ERR_PARSE, "bodies:\n\t- {name: a}",
         "test.yaml:2: not well-formed YAML: found character that cannot start any token (the line "
         "is indented by a tab, expected spaces)"},
        {ISO_ERR_PARSE, "bodies:\n- name: a\n\tmass: 1", "is indented by a tab, expected spaces)"},
        {ISO_ERR_PARSE, "\xef\xbb\xbf# Windows\nname: x", "the scene has no bodies"},
        {ISO_ERR_PARSE, "name: x", "the scene has no bodies"},
        {ISO_ERR_PARSE, "bodies: []\nbodies: []", "test.yaml:2: the key 'bodies' is there twice"},
        {ISO_ERR_PARSE, "bodys: []",
         "test.yaml:1: unknown key 'bodys' in a scenario, expected one "
         "of name, description, simulation"},
        {ISO_ERR_PARSE, "---\nname: a\n---\nname: b\n", "test.yaml:3: a second YAML document"},
        {ISO_ERR_PARSE, "bodies: &x [*x]", "the alias '*x' is inside of what it stands for"},
        {ISO_ERR_NOT_FOUND, "bodies: *x", "there is no anchor named 'x', nor any other"},
        // simulation
        {ISO_ERR_RANGE, BODY("simulation: {time_step: 0}"),
         "test.yaml:3: time_step is 0 s, expected > 0 and <= 1"},
        {ISO_ERR_RANGE, BODY("simulation: {time_step: -1}"), "time_step is -1 s, expected > 0"},
        {ISO_ERR_PARSE, BODY("simulation: {time_step: .nan}"),
         "time_step is '.nan', expected a number"},
        {ISO_ERR_PARSE, BODY("simulation: {time_step: fast}"),
         "time_step is 'fast', expected a number"},
        {ISO_ERR_PARSE, BODY("simulation: {method: magic}"),
         "method is 'magic', expected one of lagged, sap, rk4, rk23, rk45, similar, tamsi, "
         "midpoint, radau, cvode"},
        {ISO_ERR_PARSE, BODY("simulation: {gravity: [0, 1]}"),
         "gravity is a list of 2, expected a list of 3 numbers"},
        {ISO_ERR_RANGE, BODY("simulation: {threads: 1.5}"),
         "threads is 1.5, expected a whole number"},
        {ISO_ERR_RANGE, BODY("simulation: {threads: 0}"), "threads is 0, expected >= 1"},
        {ISO_ERR_RANGE, BODY("simulation: {accuracy: 2, method: radau}"),
         "accuracy is 2, expected >= 1e-14 and <= 1"},
        {ISO_ERR_RANGE, BODY("simulation: {accuracy: 101}"),
         "accuracy is 101, expected >= 1e-09 and <= 100"},
        {ISO_ERR_RANGE, BODY("simulation: {accuracy: 1.0e-20}"),
         "accuracy is 1e-20, expected >= 1e-09 and <= 100"},
        {ISO_ERR_RANGE, BODY("simulation: {accuracy: 0, method: sap}"),
         "accuracy is 0, expected >= 1e-09 and <= 100"},
        {ISO_ERR_RANGE, BODY("simulation: {accuracy: 0, method: radau}"),
         "accuracy is 0, expected >= 1e-14 and <= 1"},
        {ISO_ERR_RANGE, BODY("simulation: {max_substeps: 0}"),
         "max_substeps is 0, expected >= 1 and <= 100000"},
        {ISO_ERR_RANGE, BODY("simulation: {initial_step: -1}"),
         "initial_step is -1 s, expected >= 0 and <= 1"},
        {ISO_ERR_RANGE, BODY("simulation: {max_step: 2}"),
         "max_step is 2 s, expected >= 0 and <= 1"},
        {ISO_ERR_PARSE, BODY("default_material: {margin: automatic}"),
         "margin is 'automatic', expected a number or auto"},
        {ISO_ERR_GEOMETRY,
         "bodies:\n- {name: a, mass: 1, geometry: [{name: g, shape: half_space}]}",
         "test.yaml:2: no inertia is stated, and the geometry gives none: "},
        {ISO_ERR_RANGE,
         "bodies:\n- {name: a, mass: 1, geometry: [{name: g, shape: sphere, radius: 1, "
         "collision_group: 4294967296}]}",
         "collision_group is 4294967296, expected a whole number from 0 to 4294967295"},
        {ISO_ERR_PARSE, BODY("simulation: 3"), "simulation is a value, expected a mapping"},
        // bodies
        {ISO_ERR_PARSE, "bodies:\n- {name: a}",
         "test.yaml:2: body 'a' has neither mass nor density"},
        {ISO_ERR_PARSE, "bodies:\n- {mass: 1}", "a body needs the key 'name'"},
        {ISO_ERR_PARSE, "bodies: [3]", "a body is not a mapping"},
        {ISO_ERR_PARSE, "bodies:\n- {name: a, mass: 1, colour: [1, 1, 1]}",
         "test.yaml:2: unknown key 'colour' in a body"},
        {ISO_ERR_PARSE, "bodies:\n- {name: a, mass: 1}",
         "body 'a' has no geometry to take its inertia from"},
        {ISO_ERR_RANGE, "bodies:\n- {name: a, mass: 0, inertia: [1, 1, 1]}",
         "mass is 0 kg, expected > 0"},
        {ISO_ERR_RANGE, "bodies:\n- {name: a, mass: 1, inertia: [1, 1, 9]}", "is of no solid"},
        {ISO_ERR_PARSE, "bodies:\n- {name: a, mass: 1, density: 2}",
         "has both mass and density, expected one"},
        {ISO_ERR_PARSE, BODY("- {name: a, mass: 1, inertia: [1, 1, 1]}"),
         "test.yaml:3: there is already a body named 'a'"},
        {ISO_ERR_PARSE, "bodies:\n- {name: a, mass: 1, geometry: [{shape: blob}]}",
         "shape is 'blob', expected one of sphere, ellipsoid, box"},
        {ISO_ERR_PARSE, "bodies:\n- {name: a, mass: 1, geometry: [{shape: sphere}]}",
         "a sphere needs the key 'radius'"},
        {ISO_ERR_PARSE,
         "bodies:\n- {name: a, mass: 1, geometry: [{shape: sphere, size: [1, 1, 1]}]}",
         "a sphere has no size"},
        {ISO_ERR_RANGE, "bodies:\n- {name: a, mass: 1, geometry: [{shape: sphere, radius: 1e9}]}",
         "radius is 1e+09 m, expected > 0 and <= 1e+06"},
        {ISO_ERR_GEOMETRY, "bodies:\n- {name: a, mass: 1, geometry: [{shape: half_space}]}",
         "test.yaml:2"},
        {ISO_ERR_NOT_FOUND,
         "bodies:\n- {name: a, mass: 1, geometry: [{shape: sphere, radius: 1, material: rock}]}",
         "there is no material named 'rock'"},
        {ISO_ERR_PARSE,
         "bodies:\n- {name: a, mass: 1, geometry: [{shape: sphere, radius: 1, friction: 1, "
         "friction_static: 1}]}",
         "give one or two"},
        {ISO_ERR_RANGE,
         "bodies:\n- {name: a, mass: 1, geometry: [{shape: sphere, radius: 1, modulus: 0}]}",
         "modulus is 0 Pa, expected > 0"},
        {ISO_ERR_RANGE,
         "bodies:\n- {name: a, mass: 1, geometry: [{shape: sphere, radius: 1}], color: [2, 0, 0]}",
         "color component 0 is 2, expected 0 to 1"},
        {ISO_ERR_PARSE, "bodies:\n- {name: a, fixed: maybe}",
         "fixed is 'maybe', expected true or "
         "false"},
        {ISO_ERR_PARSE, "bodies:\n- {name: a, fixed: true, velocity: {linear: [1, 0, 0]}}",
         "body 'a' is fixed and has no velocity"},
        // poses
        {ISO_ERR_NOT_FOUND, BODY("initial: [{body: b, pose: {}}]"),
         "there is no body or frame named 'b'"},
        {ISO_ERR_NOT_FOUND,
         BODY("- {name: b, mass: 1, inertia: [1, 1, 1]}\n"
              "initial: [{body: a, pose: {base_frame: z}}]"),
         "there is no body or frame named 'z'"},
        {ISO_ERR_PARSE, BODY("initial: [{body: a, pose: {base_frame: a}}]"),
         "body 'a' is placed relative to itself"},
        {ISO_ERR_UNSUPPORTED, BODY("initial: [{body: a, pose: {rotation: !Uniform {}}}]"),
         "rotation !Uniform is not known"},
        {ISO_ERR_UNSUPPORTED,
         BODY("initial: [{body: a, pose: {translation: [!Gaussian {}, 0, 0]}}]"),
         "random values are not supported"},
        {ISO_ERR_RANGE,
         BODY("initial: [{body: a, pose: {rotation: {angle_deg: 3, axis: [0, 0, 0]}}}]"),
         "rotation axis has length 0"},
        {ISO_ERR_RANGE, BODY("initial: [{body: a, pose: {rotation: {wxyz: [2, 0, 0, 0]}}}]"),
         "the quaternion has norm 2, expected 1"},
        {ISO_ERR_PARSE, BODY("initial: [{body: world, pose: {translation: [1, 0, 0]}}]"),
         "the world does not move"},
        // joints
        {ISO_ERR_PARSE, BODY("joints:\n- {name: j, type: gear, parent: world, child: a}"),
         "type is 'gear', expected one of fixed, revolute, prismatic"},
        {ISO_ERR_PARSE, BODY("joints:\n- {name: j, type: screw, parent: world, child: a}"),
         "test.yaml:4: pitch belongs to screw joints, and they need it"},
        {ISO_ERR_PARSE,
         BODY("joints:\n- {name: j, type: ball, parent: world, child: a, position: [1, 0]}"),
         "joint 'j' is ball and has 4 positions, not 2"},
        {ISO_ERR_NOT_FOUND, BODY("couplers:\n- {name: c, joint_a: j, joint_b: k}"),
         "test.yaml:4: there is no joint named 'j'"},
        {ISO_ERR_PARSE,
         BODY("constraints:\n- {name: c, type: weld, body_a: a, body_b: world, "
              "length: 1}"),
         "a weld constraint has no length"},
        {ISO_ERR_RANGE,
         BODY("constraints:\n- {name: c, type: distance, body_a: a, body_b: world, "
              "length: 0}"),
         "test.yaml:4: constraint 'c': length is 0 m, expected finite and > 0, or 0 of a distance "
         "with "
         "stiffness"},
        {ISO_ERR_RANGE,
         BODY("constraints:\n- {name: c, type: tendon, body_a: a, body_b: world, stiffness: 10, "
              "length: 0}"),
         "test.yaml:4: constraint 'c': length is 0 m, expected finite and > 0, or 0 of a distance "
         "with "
         "stiffness"},
        {ISO_ERR_RANGE,
         BODY("joints:\n- {name: j, type: revolute, parent: world, child: a, "
              "limits: {lower: 0, upper: 1}, position: 2}"),
         "position of joint 'j' is 2, expected within its limits 0 to 1"},
        {ISO_ERR_PARSE,
         BODY("joints:\n- {name: j, type: revolute, parent: world, child: a}\n"
              "initial: [{body: a, pose: {translation: [1, 0, 0]}}]"),
         "body 'a' is placed by joint 'j'"},
        {ISO_ERR_PARSE,
         "bodies: [{name: a, mass: 1, inertia: [1, 1, 1], pose: {translation: [1, 0, 0]}}]\n"
         "joints: [{name: j, type: revolute, parent: world, child: a}]",
         "body 'a' is placed by joint 'j'"},
        // actuation
        {ISO_ERR_NOT_FOUND, BODY("actuation: [{joint: j, effort: 1}]"),
         "there is no joint named 'j'"},
        {ISO_ERR_NOT_FOUND, BODY("actuation: [{actuator: j, effort: 1}]"),
         "there is no actuator named 'j'"},
        {ISO_ERR_PARSE, BODY("actuation: [{effort: 1}]"),
         "needs one of joint, fixed_tendon, adhesion and actuator"},
        {ISO_ERR_NOT_FOUND, BODY("actuation: [{fixed_tendon: t, effort: 1}]"),
         "test.yaml:3: there is no fixed tendon named 't'"},
        {ISO_ERR_PARSE, BODY("fixed_tendons: [{name: t, joints: [j], weights: [1, 2]}]"),
         "2 weights of 1 joints, expected one of each"},
        {ISO_ERR_PARSE,
         BODY("joints:\n- {name: j, type: revolute, parent: world, child: a}\n"
              "actuation:\n- {joint: j}"),
         "needs effort, position or velocity"},
        {ISO_ERR_PARSE,
         BODY("joints:\n- {name: j, type: revolute, parent: world, child: a}\n"
              "actuation:\n- {joint: j, position: 1}"),
         "a position has no effect: actuator 'j' has kp 0 and kd 0"},
        {ISO_ERR_RANGE,
         BODY("joints:\n- {name: j, type: revolute, parent: world, child: a}\n"
              "actuation:\n- {joint: j, effort: {type: square_wave, amplitude: 1, period: 0}}"),
         "test.yaml:6: effort: period is 0 s, expected finite and > 0"},
        {ISO_ERR_RANGE,
         BODY("joints:\n- {name: j, type: revolute, parent: world, child: a}\n"
              "actuation:\n- {joint: j, effort: {type: table, times: [1, 1], values: [2, 3]}}"),
         "table time 1 is 1 s after 1 s, expected increasing"},
        {ISO_ERR_PARSE,
         BODY("joints:\n- {name: j, type: revolute, parent: world, child: a}\n"
              "actuation:\n- {joint: j, effort: {type: table, times: [1, 2], values: [2]}}"),
         "the table has 2 times and 1 values"},
        {ISO_ERR_PARSE,
         BODY("joints:\n- {name: j, type: revolute, parent: world, child: a}\n"
              "actuation:\n- {joint: j, effort: 1}\n- {joint: j, effort: 2}"),
         "test.yaml:7: the effort of actuator 'j' is commanded twice"},
        // directives
        {ISO_ERR_UNSUPPORTED, "directives:\n- {add_robot: {}}",
         "test.yaml:2: unknown directive 'add_robot', expected add_model"},
        {ISO_ERR_PARSE, "directives:\n- {add_model: {file: x.sdf}}",
         "add_model needs the key 'name'"},
        {ISO_ERR_IO, "directives:\n- {add_model: {file: x.sdf, name: m}}", "'x.sdf'"},
        {ISO_ERR_UNSUPPORTED, "directives:\n- {add_model: {file: x.xacro, name: m}}",
         "xacro must be expanded first"},
        {ISO_ERR_UNSUPPORTED, "directives:\n- {add_model: {file: x.obj, name: m}}",
         "'x.obj' is of an unknown kind, expected .yaml, .yml, .sdf"},
        {ISO_ERR_NOT_FOUND, BODY("directives:\n- {add_weld: {parent: world, child: c}}"),
         "there is no body or frame named 'c'"},
        {ISO_ERR_PARSE, BODY("directives:\n- {add_weld: {parent: a, child: world}}"),
         "has the world as its child"},
        {ISO_ERR_NOT_FOUND, BODY("contact_overrides: [{geometry: 'b*', friction: 1}]"),
         "no geometry matches 'b*'"},
        {ISO_ERR_NOT_FOUND, BODY("excluded_geometries: [{geometry_a: '*', geometry_b: 'b*'}]"),
         "no geometry matches "},
        {ISO_ERR_PARSE, BODY("excluded_geometries: [{geometry_a: '*'}]"),
         "an entry of excluded_geometries needs the key 'geometry_b'"},
        {ISO_ERR_PARSE, BODY("excluded_geometries: {geometry_a: '*'}"),
         "excluded_geometries is a mapping, expected a list"},
        {ISO_ERR_NOT_FOUND,
         "bodies:\n- {name: a, fixed: true, geometry: [{name: g, shape: sphere, radius: 1}, "
         "{name: h, shape: sphere, radius: 1}]}\n"
         "contact_models: [{geometry_a: 'a::*', geometry_b: '*', model: hertz}]",
         "'a::*' and '*' match geometries of one body alone"},
        {ISO_ERR_RANGE,
         BODY("contact_models: [{geometry_a: '*', geometry_b: '*', model: default}]"),
         "'default', expected pressure_field, hertz or volumetric"},
        {ISO_ERR_NOT_FOUND,
         "bodies:\n- {name: m::a, mass: 1, inertia: [1, 1, 1]}\n"
         "- {name: n::a, mass: 1, inertia: [1, 1, 1]}\ninitial: [{body: a}]",
         "'a' can be body or frame 'm::a' or 'n::a'; say which"},
    };
    check_wrong_texts(ISO_SCENE_FORMAT_SCENARIO, cases, sizeof cases / sizeof *cases);
}

static void deep_and_large_texts_are_refused(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    size_t size = 1 << 20;
    char* text = malloc(size);
    iso_scene scene;
    assert_non_null(text);
    size_t used = 0;
    for (int depth = 245; depth < 600; depth += 300) { // below and above what the parser bounds
        used = (size_t)snprintf(text, size, "<sdf version='1.7'>");
        for (int i = 0; i < depth; ++i) {
            used += (size_t)snprintf(text + used, size - used, "<model name='m'>");
        }
        for (int i = 0; i < depth; ++i) {
            used += (size_t)snprintf(text + used, size - used, "</model>");
        }
        snprintf(text + used, size - used, "</sdf>");
        CHECK_STATUS(ctx, load_text(ctx, ISO_SCENE_FORMAT_SDF, text, &scene), ISO_ERR_RANGE);
        CHECK_ERROR(ctx, "elements are nested deeper than 240");
    }

    // Aliases of aliases: ten levels of ten make 10^10 nodes.
    used = (size_t)snprintf(text, size, "a0: &a0 [0]\n");
    for (int i = 1; i < 12; ++i) {
        used += (size_t)snprintf(text + used, size - used, "a%d: &a%d [", i, i);
        for (int j = 0; j < 10; ++j) {
            used += (size_t)snprintf(text + used, size - used, "*a%d%s", i - 1, j < 9 ? ", " : "");
        }
        used += (size_t)snprintf(text + used, size - used, "]\n");
    }
    CHECK_STATUS(ctx, load_text(ctx, ISO_SCENE_FORMAT_SCENARIO, text, &scene), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "more than 1000000 YAML nodes");

    memset(text, '[', 1000);
    text[1000] = '\0';
    CHECK_STATUS(ctx, load_text(ctx, ISO_SCENE_FORMAT_SCENARIO, text, &scene), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "values are nested deeper than 64");
    free(text);
    test_context_destroy(ctx);
}

// Longer than a message may be, 2047 bytes: the beginning is kept, with file and line, and a mark.
static void messages_of_long_names_are_cut(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_scene scene;
    char text[16384], name[4096];
    for (int size = 900; size < 4000; size += 31) {
        memset(name, 'x', sizeof name);
        name[size] = '\0';
        snprintf(text, sizeof text,
                 "<sdf version='1.7'><model name='m'>\n<link name='%s'/>\n<link name='%s'/>"
                 "</model></sdf>",
                 name, name);
        CHECK_STATUS(ctx, load_text(ctx, ISO_SCENE_FORMAT_SDF, text, &scene), ISO_ERR_PARSE);
        CHECK_ERROR(ctx, ":3: <link> has the name 'xxxxxxxx");
        const char* error = iso_context_error(ctx);
        bool is_whole = strstr(error, "x' of the <link> in line 2") != NULL;
        bool is_marked = strcmp(error + strlen(error) - 4, "x...") == 0;
        CHECK(strlen(error) < 2048 && is_whole == (size < 2000) && is_marked == !is_whole,
              "name of %d: message of %zu bytes, whole %d, marked %d", size, strlen(error),
              is_whole, is_marked);
    }
    test_context_destroy(ctx);
}

static void unreadable_files_are_errors(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_scene scene;
    char path[TEST_PATH_SIZE];
    CHECK_STATUS(ctx, iso_scene_load(ctx, "no/such/file.sdf", NULL, &scene), ISO_ERR_IO);
    CHECK_ERROR(ctx, "no/such/file.sdf");
    CHECK_STATUS(ctx, iso_scene_load(ctx, temp_path(path, ""), NULL, &scene), ISO_ERR_UNSUPPORTED);
    CHECK_STATUS(ctx, iso_scene_load(ctx, "model.stl", NULL, &scene), ISO_ERR_UNSUPPORTED);
    CHECK_ERROR(ctx, "model.stl: of an unknown kind, expected .yaml, .yml, .sdf, .world, "
                     ".urdf, .mjcf or .xml");
    CHECK_STATUS(ctx, iso_scene_load(ctx, "robot.urdf.xacro", NULL, &scene), ISO_ERR_UNSUPPORTED);
    CHECK_ERROR(ctx, "xacro must be expanded first");
    CHECK_STATUS(ctx, iso_scene_load(ctx, NULL, NULL, &scene), ISO_ERR_ARGUMENT);
    test_context_destroy(ctx);
}

// --- out of memory -------------------------------------------------------------------------------

static iso_status attempt_scenario(iso_context* ctx, void* user) {
    (void)user;
    iso_scene scene;
    iso_status status =
        load_text(ctx, ISO_SCENE_FORMAT_SCENARIO,
                  "materials: {m: {friction: 1}}\n"
                  "contact_overrides: [{geometry: '*', margin: 0}]\n"
                  "bodies:\n"
                  "- {name: a, mass: 1, color: [1, 0, 0], geometry: [{shape: sphere, radius: 1}]}\n"
                  "joints: [{name: j, type: revolute, parent: world, child: a}]\n"
                  "directives: [{add_collision_filter_group: {name: g, members: [a, world],\n"
                  "  ignored_collision_filter_groups: [g]}}]\n"
                  "actuation: [{joint: j, effort: {type: table, times: [0, 1], values: [0, 1]}}]\n",
                  &scene);
    iso_scene_destroy(ctx, &scene);
    return status;
}

static iso_status attempt_sdf(iso_context* ctx, void* user) {
    (void)user;
    iso_scene scene;
    iso_status status = load_text(
        ctx, ISO_SCENE_FORMAT_SDF,
        MODEL("<link name='a'><collision name='c'><geometry><box><size>1 1 1</size></box>"
              "</geometry></collision></link><link name='b'/><wings/><joint name='j' "
              "type='revolute'><parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz></axis>"
              "</joint><drake:collision_filter_group name='g'><drake:member>a</drake:member>"
              "<drake:member>b</drake:member><drake:ignored_collision_filter_group>g"
              "</drake:ignored_collision_filter_group></drake:collision_filter_group>"),
        &scene);
    iso_scene_destroy(ctx, &scene);
    return status;
}

static iso_status attempt_urdf(iso_context* ctx, void* user) {
    (void)user;
    iso_scene scene;
    iso_status status = load_text(
        ctx, ISO_SCENE_FORMAT_URDF,
        ROBOT("<joint name='j' type='revolute'><parent link='a'/><child link='b'/></joint>"
              "<transmission><type>SimpleTransmission</type><joint name='j'/>"
              "<actuator name='x'/></transmission><frame name='f' link='a'/>"),
        &scene);
    iso_scene_destroy(ctx, &scene);
    return status;
}

static void every_allocation_failure_is_reported_and_leaks_nothing(void** state) {
    (void)state;
    assert_true(check_every_allocation_failure(attempt_scenario, NULL) > 10);
    assert_true(check_every_allocation_failure(attempt_sdf, NULL) > 10);
    assert_true(check_every_allocation_failure(attempt_urdf, NULL) > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sdf_mistakes_are_named_with_their_line),
        cmocka_unit_test(urdf_mistakes_are_named_with_their_line),
        cmocka_unit_test(scenario_mistakes_are_named_with_their_line),
        cmocka_unit_test(deep_and_large_texts_are_refused),
        cmocka_unit_test(unreadable_files_are_errors),
        cmocka_unit_test(every_allocation_failure_is_reported_and_leaks_nothing),
        cmocka_unit_test(messages_of_long_names_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
