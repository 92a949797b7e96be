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

import yaml

try:
    import isobar
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

ROOT = pathlib.Path(os.environ.get("ISOBAR_SOURCE_DIR", pathlib.Path(__file__).parents[3]))
START = re.compile(r"<([A-Za-z_][\w:.-]*)((?:\s+[\w:.-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'))*)\s*(/?)>")
STRANGER = "stranger"

SDF = """<sdf version="1.9" xmlns:drake="http://drake.mit.edu">
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
<sensor name="s" type="imu"><pose>0 0 0 0 0 0</pose><always_on>true</always_on><update_rate>100</update_rate></sensor>
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
<sensor name="t" type="force_torque"><force_torque><frame>child</frame><measure_direction>child_to_parent</measure_direction></force_torque></sensor>
</joint>
<link name="k"><inertial><mass>1</mass></inertial></link>
<joint name="l" type="revolute"><parent>b</parent><child>k</child>
<axis><xyz>0 1 0</xyz><mimic joint="j"><multiplier>2</multiplier><offset>0</offset><reference>0</reference></mimic></axis></joint>
</model>
<model name="ground"><static>true</static><link name="l"><collision name="c"><geometry><plane><normal>0 0 1</normal><size>1 1</size></plane></geometry></collision></link></model>
<include merge="false"><uri>other.sdf</uri><name>o</name><pose>3 0 0 0 0 0</pose></include>
</world>
</sdf>
"""

OTHER = """<sdf version="1.9"><model name="o"><link name="l"><inertial><mass>1</mass></inertial></link></model></sdf>"""

URDF = """<robot name="r" xmlns:drake="http://drake.mit.edu">
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
<actuator name="x"><mechanicalReduction>10</mechanicalReduction></actuator>
</transmission>
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

MESH = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"
FILES = {"f.sdf": SDF, "f.urdf": URDF, "f.xml": MJCF}


def places(text):
    """Start tags of elements."""
    return list(START.finditer(text))


def with_element(text, tag, element=f"<{STRANGER}/>"):
    if tag[3]:
        return f"{text[:tag.start()]}<{tag[1]}{tag[2]}>{element}</{tag[1]}>{text[tag.end():]}"
    return text[:tag.end()] + element + text[tag.end():]


def with_attribute(text, tag):
    end = tag.start() + 1 + len(tag[1])
    return f'{text[:end]} {STRANGER}="1"{text[end:]}'


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
        self.assertNotIn("xpected", "\n".join(self.said(name, text)))
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

    def test_strange_elements_of_urdf(self):
        self.check("f.urdf", with_element)

    def test_strange_attributes_of_urdf(self):
        self.check("f.urdf", with_attribute)

    def test_strange_elements_of_mjcf(self):
        self.check("f.xml", with_element)

    def test_strange_attributes_of_mjcf(self):
        self.check("f.xml", with_attribute)

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
