# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Nothing of a file is dropped in silence, wherever it stands.

An element and an attribute that no format knows are put at every place of rich files of SDFormat,
URDF and MJCF, and a key at every place of a scenario: each is named with its file and line. Skipped
where the shared library is missing.
"""

import json
import logging
import os
import pathlib
import re
import shutil
import sys
import tempfile
import unittest
import zlib

import yaml

try:
    import isobar
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

ROOT = pathlib.Path(os.environ.get("ISOBAR_SOURCE_DIR", pathlib.Path(__file__).parents[3]))
START = re.compile(r"<([A-Za-z_][\w:.-]*)((?:\s+[\w:.-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'))*)\s*(/?)>")
STRANGER = "stranger"

SDF = """<sdf version="1.9" xmlns:drake="http://drake.mit.edu" xmlns:isobar="isobar">
<world name="w">
<gravity>0 0 -9.8</gravity>
<physics type="ode" name="p"><max_step_size>0.001</max_step_size><real_time_factor>1</real_time_factor></physics>
<model name="m" canonical_link="a">
<static>false</static>
<self_collide>false</self_collide>
<pose relative_to="world" degrees="true">0 0 1 0 0 90</pose>
<frame name="f" attached_to="a"><pose>0 0 0.1 0 0 0</pose></frame>
<link name="a">
<gravity>true</gravity>
<self_collide>true</self_collide>
<inertial>
<pose>0 0 0 0 0 0</pose>
<mass>2</mass>
<inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz><ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></inertia>
</inertial>
<collision name="c">
<pose>0 0 0 0 0 0</pose>
<geometry><box><size>1 1 1</size></box></geometry>
<surface>
<friction><ode><mu>0.5</mu><mu2>0.5</mu2></ode></friction>
<contact><collide_bitmask>3</collide_bitmask><ode><kp>1e6</kp><kd>100</kd></ode></contact>
</surface>
<drake:proximity_properties>
<drake:compliant_hydroelastic/>
<drake:hydroelastic_modulus>1e6</drake:hydroelastic_modulus>
<drake:mu_dynamic>0.4</drake:mu_dynamic>
</drake:proximity_properties>
</collision>
<collision name="d"><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>
<collision name="e"><geometry><cylinder><radius>0.1</radius><length>1</length></cylinder></geometry></collision>
<collision name="g"><geometry><ellipsoid><radii>0.1 0.2 0.3</radii></ellipsoid></geometry></collision>
<collision name="h"><geometry><mesh><uri>m.obj</uri><scale>1 1 1</scale></mesh></geometry></collision>
<visual name="v">
<geometry><capsule><radius>0.1</radius><length>1</length></capsule></geometry>
<material><diffuse>1 0 0 1</diffuse><ambient>1 0 0 1</ambient></material>
</visual>
<sensor name="s" type="imu"><pose>0 0 0 0 0 0</pose><always_on>true</always_on><visualize>true</visualize>
<topic>t</topic><enable_metrics>true</enable_metrics><frame_id>f</frame_id><gz_frame_id>f</gz_frame_id>
<imu><enable_orientation>true</enable_orientation><angular_velocity><x><noise type="none"><mean>0</mean></noise></x></angular_velocity></imu></sensor>
<sensor name="cs" type="contact"><contact><collision>c</collision><topic>t</topic></contact></sensor>
<collision name="p"><density>500</density><laser_retro>0</laser_retro><max_contacts>10</max_contacts>
<geometry><polyline><point>0 0</point><point>1 0</point><point>0 1</point><height>0.5</height></polyline></geometry>
<isobar:contact_properties><isobar:modulus>1e6</isobar:modulus><isobar:extent>auto</isobar:extent></isobar:contact_properties></collision>
<collision name="q"><geometry><cone><radius>0.1</radius><length>0.2</length></cone></geometry></collision>
<collision name="r"><geometry><heightmap><uri>h.png</uri><size>1 1 0.1</size><pos>0 0 0</pos><use_terrain_paging>false</use_terrain_paging><sampling>1</sampling></heightmap></geometry></collision>
<collision name="t"><geometry><mesh><uri>m.obj</uri><drake:declare_convex/></mesh></geometry>
<surface><friction><ode><mu>0.5</mu><mu2>0.5</mu2><fdir1>1 0 0</fdir1></ode></friction></surface></collision>
<collision name="u"><geometry><drake:capsule><radius>0.1</radius><length>0.2</length></drake:capsule></geometry></collision>
<collision name="x"><geometry><drake:ellipsoid><a>0.1</a><b>0.2</b><c>0.2</c></drake:ellipsoid></geometry></collision>
<visual name="w"><pose>0 0 0 0 0 0</pose><laser_retro>0</laser_retro><visibility_flags>1</visibility_flags><drake:accepting_renderer>r</drake:accepting_renderer><cast_shadows>true</cast_shadows><transparency>0</transparency><geometry><box><size>1 1 1</size></box></geometry></visual>
</link>
<link name="b">
<inertial><mass>1</mass></inertial>
</link>
<joint name="j" type="revolute">
<parent>a</parent>
<child>b</child>
<pose>0 0 0 0 0 0</pose>
<axis>
<xyz expressed_in="__model__">0 0 1</xyz>
<limit><lower>-1</lower><upper>1</upper><effort>10</effort><velocity>2</velocity></limit>
<dynamics><damping>0.1</damping><friction>0.1</friction><spring_stiffness>1</spring_stiffness><spring_reference>0.1</spring_reference></dynamics>
</axis>
<sensor name="t" type="force_torque"><force_torque><force><y><noise type="none"><mean>0</mean></noise></y></force><torque><z><noise type="none"/></z></torque><frame>child</frame><measure_direction>child_to_parent</measure_direction></force_torque></sensor>
</joint>
<link name="k"><gravity>true</gravity><kinematic>false</kinematic><enable_wind>false</enable_wind><inertial><mass>1</mass></inertial></link>
<joint name="l" type="revolute"><parent>b</parent><child>k</child>
<axis><xyz>0 1 0</xyz><mimic joint="j"><multiplier>2</multiplier><offset>0</offset><reference>0</reference></mimic></axis></joint>
</model>
<model name="n"><link name="u"><inertial auto="true"><density>10</density></inertial><collision name="c"><geometry><sphere><radius>1</radius></sphere></geometry></collision></link>
<link name="v"><inertial><mass>1</mass></inertial></link><link name="x"><inertial><mass>1</mass></inertial></link>
<link name="y"><inertial><mass>1</mass></inertial></link><link name="z"><inertial><mass>1</mass></inertial></link>
<joint name="a" type="screw"><parent>u</parent><child>v</child><screw_thread_pitch>0.1</screw_thread_pitch><axis><xyz>0 0 1</xyz></axis></joint>
<joint name="b" type="universal"><parent>v</parent><child>x</child><axis><xyz>0 0 1</xyz><dynamics><damping>1</damping></dynamics></axis><axis2><xyz>0 1 0</xyz><dynamics><damping>1</damping></dynamics></axis2></joint>
<joint name="c" type="fixed"><parent>x</parent><child>y</child></joint>
<joint name="d" type="revolute"><parent>u</parent><child>z</child><drake:rotor_inertia>1e-4</drake:rotor_inertia><drake:gear_ratio>10</drake:gear_ratio>
<axis><xyz>0 0 1</xyz><use_parent_model_frame>false</use_parent_model_frame></axis><drake:controller_gains p="1" d="1"/></joint>
<joint name="e2" type="screw"><parent>u</parent><child>p</child><thread_pitch>10</thread_pitch><axis><xyz>0 0 1</xyz></axis></joint><link name="p"><inertial><mass>1</mass></inertial></link>
<joint name="e3" type="revolute"><parent>u</parent><child>q</child><axis><xyz>0 0 1</xyz></axis><drake:mimic joint="d" multiplier="1" offset="0"/></joint><link name="q"><inertial><mass>1</mass></inertial></link>
<drake:joint name="e" type="planar"><drake:parent>u</drake:parent><drake:child>w</drake:child><drake:damping>1 1 1</drake:damping></drake:joint><link name="w"><inertial><mass>1</mass></inertial></link>
<link name="g"><inertial><mass>1</mass></inertial></link><link name="h"><inertial><mass>1</mass></inertial></link>
<joint name="f" type="revolute"><parent>u</parent><child>g</child><axis><xyz>0 0 1</xyz></axis></joint>
<joint name="g2" type="revolute"><parent>u</parent><child>h</child><axis><xyz>0 0 1</xyz></axis></joint>
<joint name="i" type="gearbox"><parent>g</parent><child>h</child><gearbox_ratio>2</gearbox_ratio><gearbox_reference_body>u</gearbox_reference_body><axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 0 1</xyz></axis2></joint>
<drake:collision_filter_group name="fg"><drake:member>u</drake:member><drake:ignored_collision_filter_group>fg</drake:ignored_collision_filter_group></drake:collision_filter_group>
<drake:collision_filter_group name="fh"><drake:member>v</drake:member><drake:member_group>fg</drake:member_group></drake:collision_filter_group>
<drake:ball_constraint><drake:ball_constraint_body_A>y</drake:ball_constraint_body_A><drake:ball_constraint_p_AP>0 0 0</drake:ball_constraint_p_AP><drake:ball_constraint_body_B>z</drake:ball_constraint_body_B><drake:ball_constraint_p_BQ>0 0 0</drake:ball_constraint_p_BQ></drake:ball_constraint>
</model>
<model name="ground"><static>true</static><link name="l"><collision name="c"><geometry><plane><normal>0 0 1</normal><size>1 1</size></plane></geometry></collision></link></model>
<include merge="false"><uri>other.sdf</uri><name>o</name><static>false</static><placement_frame>l</placement_frame><pose>3 0 0 0 0 0</pose></include>
</world>
</sdf>
"""

OTHER = """<sdf version="1.9"><model name="o"><link name="l"><inertial><mass>1</mass></inertial></link></model></sdf>"""

URDF = """<robot name="r" xmlns:drake="http://drake.mit.edu" xmlns:isobar="isobar">
<material name="red"><color rgba="1 0 0 1"/></material>
<link name="a">
<inertial><origin xyz="0 0 0" rpy="0 0 0"/><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual name="v"><origin xyz="0 0 0"/><geometry><box size="1 1 1"/></geometry>
<material name="blue"><color rgba="0 0 1 1"/><texture filename="a.png"/></material></visual>
<collision name="c"><origin xyz="0 0 0"/><geometry><sphere radius="0.1"/></geometry>
<drake:proximity_properties><drake:mu_dynamic value="0.5"/><drake:hydroelastic_modulus value="1e6"/></drake:proximity_properties>
</collision>
<collision name="d"><geometry><cylinder radius="0.1" length="1"/></geometry></collision>
<collision name="e"><geometry><mesh filename="m.obj" scale="1 1 1"/></geometry></collision>
</link>
<link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="d"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="revolute">
<origin xyz="0 0 0" rpy="0 0 0"/><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="10" velocity="2"/>
<dynamics damping="0.1" friction="0.1"/>
<safety_controller k_velocity="10" k_position="1" soft_lower_limit="-1" soft_upper_limit="1"/>
<calibration rising="0.1"/>
</joint>
<joint name="k" type="continuous"><parent link="b"/><child link="d"/><axis xyz="0 1 0"/>
<mimic joint="j" multiplier="2" offset="0"/></joint>
<transmission name="t" type="SimpleTransmission">
<type>transmission_interface/SimpleTransmission</type>
<joint name="j"><hardwareInterface>EffortJointInterface</hardwareInterface></joint>
<robotNamespace>n</robotNamespace><actuator name="x"><mechanicalReduction>1</mechanicalReduction><drake:rotor_inertia value="1e-4"/><drake:gear_ratio value="10"/><drake:controller_gains p="1" d="1"/></actuator>
</transmission>
<gazebo><plugin filename="x.so" name="p"></plugin></gazebo>
<gazebo reference="j"><preserveFixedJoint>true</preserveFixedJoint><disableFixedJointLumping>true</disableFixedJointLumping></gazebo>
<gazebo reference="b"><turnGravityOff>false</turnGravityOff><sensor name="s" type="imu"><pose>0 0 0 0 0 0</pose></sensor></gazebo>
<link name="e"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
<visual><geometry><drake:ellipsoid a="1" b="1" c="1"/></geometry><drake:accepting_renderer name="r"/></visual>
<collision><geometry><drake:capsule radius="0.1" length="0.1"/></geometry><isobar:contact_properties><isobar:modulus value="1e6"/></isobar:contact_properties></collision>
<collision><geometry><mesh filename="m.obj"><drake:declare_convex/></mesh></geometry></collision></link>
<drake:joint name="l" type="planar"><parent link="a"/><child link="e"/><axis xyz="0 0 1"/><dynamics damping="1 1 1"/></drake:joint>
<link name="f"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
<drake:joint name="m" type="screw"><parent link="a"/><child link="f"/><axis xyz="0 0 1"/><drake:screw_thread_pitch value="0.1"/></drake:joint>
<frame name="g" link="a" xyz="0 0 0" rpy="0 0 0"/>
<drake:collision_filter_group name="fg"><drake:member link="a"/><drake:ignored_collision_filter_group name="fg"/></drake:collision_filter_group>
<drake:ball_constraint><drake:ball_constraint_body_A name="f"/><drake:ball_constraint_p_AP value="0 0 0"/><drake:ball_constraint_body_B name="e"/><drake:ball_constraint_p_BQ value="0 0 0"/></drake:ball_constraint>
<gazebo reference="a"><mu1>0.5</mu1><mu2>0.5</mu2><kp>1e6</kp><kd>10</kd><selfCollide>true</selfCollide></gazebo>
</robot>
"""

MJCF = """<mujoco model="m">
<compiler angle="radian" autolimits="true"/>
<option timestep="0.002" gravity="0 0 -9.81"><flag contact="enable"/></option>
<size memory="1M"/>
<statistic extent="1"/>
<visual><map znear="0.1"/><global azimuth="10"/></visual>
<default>
<geom friction="0.5 0.005 0.0001"/><joint damping="0.1"/><motor gear="2"/>
<default class="x"><geom rgba="1 0 0 1"/></default>
</default>
<asset>
<texture name="t" type="2d" builtin="flat" width="4" height="4" rgb1="1 0 0"/>
<material name="a" texture="t"/>
<mesh name="m" file="m.obj" scale="1 1 1"/>
<hfield name="h" nrow="3" ncol="3" size="1 1 0.1 0.1" elevation="0 0 0 0 1 0 0 0 0"/>
</asset>
<custom><numeric name="n" data="1"/><text name="tx" data="hello"/><tuple name="tu"><element objtype="body" objname="b" prm="0"/></tuple></custom>
<worldbody>
<light pos="0 0 1"/><camera name="c" pos="0 0 1"/>
<geom name="floor" type="plane" size="1 1 0.1"/>
<body name="b" pos="0 0 1">
<freejoint name="free"/>
<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
<geom name="g" type="box" size="0.1 0.1 0.1"/>
<site name="s" pos="0 0 0"/>
<body name="c" pos="0.5 0 0">
<joint name="j" axis="0 1 0" range="-1 1"/>
<geom type="mesh" mesh="m"/>
<frame pos="0 0 0.1"><geom class="x" size="0.05"/></frame>
<site name="s2"/>
<body name="d" pos="0.5 0 0"><joint name="k" type="slide" axis="1 0 0"/><geom size="0.1"/></body>
</body>
</body>
<replicate count="2" offset="1 0 0"><body name="e" pos="0 3 0"><freejoint/><geom size="0.1"/></body></replicate>
</worldbody>
<contact><pair geom1="floor" geom2="g"/><exclude body1="b" body2="c"/></contact>
<equality><joint joint1="j" joint2="k" polycoef="0 1 0 0 0"/><connect body1="b" body2="c" anchor="0.5 0 0"/></equality>
<tendon><fixed name="f"><joint joint="j" coef="1"/></fixed><spatial name="p"><site site="s"/><site site="s2"/></spatial></tendon>
<actuator><motor name="a1" joint="j"/><position name="a2" joint="k" kp="10"/><general name="a3" joint="j"/></actuator>
<sensor><jointpos name="s1" joint="j"/><accelerometer name="s3" site="s"/></sensor>
<keyframe><key name="home" time="0"/></keyframe>
</mujoco>
"""

PREFIX = "drake:"
# What other programs and renderers are told, or what is only known in order to be called by its name.
OPAQUE = set("""actor atmosphere blend gui ignition_frame_id image light magnetic_field meta plugin
loop_joint scene spherical_coordinates texture update_rate verbose""".split())


def grey_image(rows):
    """A PNG file of grey values."""
    def chunk(kind, data):
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")
    size = len(rows[0]).to_bytes(4, "big") + len(rows).to_bytes(4, "big")
    lines = b"".join(b"\0" + bytes(row) for row in rows)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", size + bytes((8, 0, 0, 0, 0)))
            + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b""))


MESH = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"
FILES = {"f.sdf": SDF, "f.urdf": URDF, "f.xml": MJCF}


DEFAULTS = """<sdf version="1.9"><world name="w"><wind/><atmosphere type="adiabatic"/><magnetic_field>6e-06 2e-05 -4e-05</magnetic_field>
<physics type="ode"><real_time_factor>1</real_time_factor><real_time_update_rate>1000</real_time_update_rate><max_contacts>20</max_contacts></physics>
<model name="m"><allow_auto_disable>true</allow_auto_disable><enable_wind>false</enable_wind><self_collide>false</self_collide>
<link name="a"><must_be_base_link> 0 </must_be_base_link><enable_wind>0</enable_wind><kinematic>false</kinematic><gravity>true</gravity>
<velocity_decay><linear>0</linear><angular>0.0</angular></velocity_decay><inertial><mass>1</mass></inertial>
<collision name="c"><max_contacts>10</max_contacts><geometry><sphere><radius>1</radius></sphere></geometry><surface>
<bounce><restitution_coefficient>0</restitution_coefficient><threshold>1e5</threshold></bounce>
<friction><torsional><coefficient>1</coefficient><patch_radius>0</patch_radius><ode><slip>0</slip></ode></torsional>
<ode><mu>1</mu><mu2>1</mu2><fdir1>0 0 0</fdir1><slip1>0</slip1><slip2>0.0</slip2></ode></friction>
<contact><collide_without_contact>false</collide_without_contact><ode><soft_cfm>0</soft_cfm><soft_erp>0.2</soft_erp><kp>1e+13</kp><kd>1</kd><max_vel>0.01</max_vel><min_depth>0</min_depth></ode></contact>
</surface></collision></link>
<link name="b"><inertial><mass>1</mass></inertial></link>
<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz>
<limit><lower>-1e16</lower><upper>1e16</upper><effort>-1</effort><velocity>-1</velocity><stiffness>1e+08</stiffness><dissipation>1</dissipation></limit>
<dynamics><damping>0</damping><friction>0</friction><spring_reference>0</spring_reference><spring_stiffness>0</spring_stiffness></dynamics></axis>
<physics><ode><provide_feedback>true</provide_feedback><cfm_damping>1</cfm_damping><limit><cfm>0</cfm><erp>0.2</erp></limit><suspension><cfm>0</cfm></suspension></ode></physics></joint>
</model></world></sdf>
"""


DEFAULT_MJCF = """<mujoco model="m">
<compiler angle="degree" coordinate="local" balanceinertia="false" discardvisual="false" fusestatic="false" inertiafromgeom="auto" boundmass="0" boundinertia="0" settotalmass="-1" usethread="true" autolimits="true" alignfree="false" eulerseq="xyz"/>
<option integrator="Euler" solver="Newton" iterations="100" tolerance="1e-8" density="0" viscosity="0" wind="0 0 0" magnetic="0 -0.5 0" jacobian="auto" noslip_iterations="0" o_margin="0" o_solref="0.02 1" o_solimp="0.9 0.95 0.001 0.5 2" o_friction="1 1 0.005 0.0001 0.0001" ls_iterations="50" ls_tolerance="0.01" ccd_iterations="35" ccd_tolerance="1e-6" sdf_iterations="10" sdf_initpoints="40" actuatorgroupdisable="">
<flag constraint="enable" equality="enable" frictionloss="enable" limit="enable" contact="enable" gravity="enable" clampctrl="enable" warmstart="enable" filterparent="enable" actuation="enable" refsafe="enable" sensor="enable" midphase="enable" eulerdamp="enable" override="disable" energy="disable" fwdinv="disable" invdiscrete="disable" multiccd="disable" island="enable" nativeccd="enable" autoreset="enable"/></option>
<worldbody><body name="b" mocap="false" gravcomp="0"><joint name="j" type="hinge" group="0" springdamper="0 0" limited="auto" solreflimit="0.02 1" solimplimit="0.9 0.95 0.001 0.5 2" solreffriction="0.02 1" margin="0" ref="0" springref="0" armature="0" damping="0" frictionloss="0" stiffness="0" actuatorfrclimited="auto" actuatorgravcomp="false"/>
<geom size="0.1" type="sphere" contype="1" conaffinity="1" condim="3" group="0" priority="0" friction="1 0.005 0.0001" density="1000" shellinertia="false" margin="0" gap="0" fluidshape="none" fluidcoef="0.5 0.25 1.5 1 1" fitscale="1"/></body></worldbody>
<actuator><motor joint="j" ctrllimited="auto" forcelimited="auto" gear="1" cranklength="0" group="0" actearly="false" actdim="-1"/></actuator>
</mujoco>
"""


def places(text):
    """Start tags of elements that are no other program's."""
    return [tag for tag in START.finditer(text) if tag[1] not in OPAQUE]


def with_element(text, tag, element=f"<{STRANGER}/>"):
    if tag[3]:
        return f"{text[:tag.start()]}<{tag[1]}{tag[2]}>{element}</{tag[1]}>{text[tag.end():]}"
    return text[:tag.end()] + element + text[tag.end():]


def with_attribute(text, tag, name=STRANGER):
    end = tag.start() + 1 + len(tag[1])
    return f'{text[:end]} {name}="1"{text[end:]}'


def names_of_readers(folders):
    """Elements that the lists of readers name."""
    lists = re.compile(r"(?:known|of_links|of_joints|of_ode|k_known)\[\] = \{([^}]*)\}")
    return {name for folder in folders for path in sorted((ROOT / "src/scene" / folder).glob("*.c"))
            for part in lists.findall(path.read_text(encoding="utf-8")) for name in re.findall(r'"([^"]+)"', part)}


class SceneLoader(yaml.SafeLoader):
    """YAML as Isobar reads it: 1e5 is a number, tags are dropped."""


SceneLoader.add_implicit_resolver("tag:yaml.org,2002:float",
                                  re.compile(r"^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$"), list("-+0123456789."))
SceneLoader.add_multi_constructor("!", lambda loader, _, node: loader.construct_mapping(node, deep=True))


def mappings(node, place=()):
    """Places of all mappings of a scenario."""
    if isinstance(node, dict):
        yield place
    parts = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, part in parts:
        yield from mappings(part, (*place, key))


def inner(node, place):
    for key in place:
        node = node[key]
    return node


class Silence(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "m.obj").write_text(MESH, encoding="utf-8")
        (self.folder / "h.png").write_bytes(grey_image([[0, 9, 0], [9, 90, 9], [0, 9, 0]]))
        (self.folder / "other.sdf").write_text(OTHER, encoding="utf-8")

    def said(self, name, text):
        """Warnings of a file, and why it is refused."""
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        with self.assertLogs("isobar", "WARNING") as logs:
            logging.getLogger("isobar").warning("so that there is one")
            try:
                isobar.load(path)
            except isobar.Error as error:
                logs.output.append(str(error))
        return logs.output[1:]

    maxDiff = None

    def check(self, name, change):
        text = FILES[name]
        self.folder.joinpath(name).write_text(text, encoding="utf-8")
        isobar.load(self.folder / name)
        self.assertNotRegex("\n".join(self.said(name, text)), "xpected|has no meaning|did you mean")
        silent, tags = [], places(text)
        for tag in tags:
            line = text.count("\n", 0, tag.start()) + 1
            said = self.said(name, change(text, tag))
            mark = re.compile(rf"{re.escape(name)}:{line}: .*\b{STRANGER}\b")
            if not any(mark.search(words) for words in said):
                silent.append(f"{line}: {tag[0]}")
        self.assertEqual(silent, [], f"{len(silent)} of {len(tags)} places of {name}")

    def test_strange_elements_of_sdformat(self):
        self.check("f.sdf", with_element)

    def test_strange_attributes_of_sdformat(self):
        self.check("f.sdf", with_attribute)

    def test_strange_elements_of_drake_in_sdformat(self):
        self.check("f.sdf", lambda text, tag: with_element(text, tag, f"<{PREFIX}{STRANGER}/>"))

    def test_strange_attributes_of_drake_in_sdformat(self):
        self.check("f.sdf", lambda text, tag: with_attribute(text, tag, PREFIX + STRANGER))

    def test_strange_elements_of_drake_in_urdf(self):
        self.check("f.urdf", lambda text, tag: with_element(text, tag, f"<{PREFIX}{STRANGER}/>"))

    def test_strange_attributes_of_drake_in_urdf(self):
        self.check("f.urdf", lambda text, tag: with_attribute(text, tag, PREFIX + STRANGER))

    def test_files_hold_every_element_that_is_read(self):
        for name, folders in (("f.sdf", ("sdf", "tags")), ("f.urdf", ("urdf",))):
            there = {tag[1] for tag in places(FILES[name])}
            self.assertEqual(sorted(names_of_readers(folders) - there - OPAQUE), [], name)

    def test_strange_elements_of_urdf(self):
        self.check("f.urdf", with_element)

    def test_strange_attributes_of_urdf(self):
        self.check("f.urdf", with_attribute)

    def test_strange_elements_of_mjcf(self):
        self.check("f.xml", with_element)

    def test_strange_attributes_of_mjcf(self):
        self.check("f.xml", with_attribute)

    def test_values_that_are_defaults(self):
        """Saved worlds say every default: nothing is said of one, and something of another value."""
        self.assertEqual(self.said("f.sdf", DEFAULTS), [])
        ignored = re.compile(r"<(allow_auto_disable|enable_wind|must_be_base_link|kinematic|linear|angular|restitution_coefficient"
                             r"|threshold|coefficient|patch_radius|slip1?2?|soft_cfm|soft_erp|kp|max_vel|min_depth|stiffness"
                             r"|dissipation|cfm|erp|collide_without_contact)>([^<]*)<")
        for found in list(ignored.finditer(DEFAULTS)):
            other = {"true": "false", "false": "true", "0": "7"}.get(found[2].strip(), "7")
            text = DEFAULTS[:found.start(2)] + ("true" if "must" in found[1] or other == "7" and "wind" in found[1] else other) + DEFAULTS[found.end(2):]
            self.assertTrue(self.said("f.sdf", text), found[0])

    def test_attributes_that_are_defaults(self):
        """Each attribute of the text that is not read: of its default nothing is said, of another value something."""
        self.assertEqual(self.said("f.xml", DEFAULT_MJCF), [])
        said = 0
        for found in re.finditer(r'(\w+)="([^"]*)"', DEFAULT_MJCF):
            other = {"enable": "disable", "disable": "enable", "false": "true"}.get(found[2], "7 " * max(1, len(found[2].split())))
            text = DEFAULT_MJCF[:found.start(2)] + other.strip() + DEFAULT_MJCF[found.end(2):]
            said += any(f"'{found[1]}' of" in words and "no meaning here" in words for words in self.said("f.xml", text))
        self.assertGreater(said, 40)

    def test_a_misspelt_element_is_answered_with_the_one_it_was_meant_for(self):
        for name, known, misspelt in (("f.sdf", "<model ", "<modle "), ("f.xml", "<exclude ", "<exlcude "), ("f.xml", "<fixed ", "<fixd "),
                                      ("f.xml", "<connect ", "<conect "), ("f.xml", "<key ", "<kay "), ("f.xml", "<jointpos ", "<jiontpos "),
                                      ("f.sdf", "<drake:member>", "<drake:membre>"), ("f.sdf", "<capsule>", "<capsul>"),
                                      ("f.urdf", "<preserveFixedJoint>", "<preserveFixedJiont>")):
            element = known.strip("<> ")
            text = FILES[name].replace(known, misspelt).replace(f"</{element}>", misspelt.strip().rstrip(">").replace("<", "</") + ">")
            said = self.said(name, text)
            self.assertTrue(any(f"did you mean '{element}'" in words for words in said), (misspelt, said))

    def test_a_known_name_in_a_wrong_place(self):
        for shape, other in (("sphere", "length"), ("box", "radius"), ("capsule", "size"), ("plane", "radius")):
            tag = next(t for t in places(SDF) if t[1] == shape)
            line = SDF.count("\n", 0, tag.start()) + 1
            said = self.said("f.sdf", with_element(SDF, tag, f"<{other}>1</{other}>"))
            self.assertTrue(any(f"f.sdf:{line}: <{other}> in <{shape}>" in words for words in said), said)

    def test_strange_keys_of_scenarios(self):
        scenes = self.folder / "scenes"
        shutil.copytree(ROOT / "scenes", scenes)
        silent, count = [], 0
        for path in sorted(scenes.glob("*.yaml")):
            text = path.read_text(encoding="utf-8")
            scene = yaml.load(text, SceneLoader)
            if "package://" in text or "bodies" not in scene:
                continue
            for place in mappings(scene):
                mapping = inner(scene, place)
                mapping[STRANGER] = 1
                path.write_text(json.dumps(scene), encoding="utf-8")
                del mapping[STRANGER]
                count += 1
                try:
                    isobar.load(path)
                    silent.append(f"{path.name}: {place}")
                except isobar.Error as error:
                    if STRANGER not in str(error):
                        silent.append(f"{path.name}: {place}: {error}")
        self.assertEqual(silent, [], f"{len(silent)} of {count}")
        self.assertGreater(count, 100)


if __name__ == "__main__":
    unittest.main()
