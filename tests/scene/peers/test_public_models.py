# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Models as they are published: several files, found beside each other, of both formats."""

import json
import os
import pathlib
import shutil
import struct
import subprocess
import tempfile
import unittest
import zlib

INERTIA = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"
LINK = '<sdf version="1.6"><model name="{0}"><link name="{0}_link"/></model></sdf>'
INNER = """<sdf version="1.9"><model name="inner" canonical_link="b"><pose>0 0 5 0 0 0</pose>
<frame name="grip" attached_to="b"><pose>0 0 0.3 0 0 0.5</pose></frame>
<link name="a"><pose>1 0 0 0 0 0.2</pose></link>
<link name="b"><pose relative_to="a">0 1 0 0.1 0 0</pose></link>
<link name="c"><pose relative_to="__model__">0 0 2 0 0 0</pose></link>
<joint name="ab" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis>
</joint><joint name="bc" type="fixed"><parent>b</parent><child>c</child></joint></model></sdf>"""
ARM = f"""<robot name="arm"><link name="base"><inertial><mass value="1"/>{INERTIA}</inertial></link>
<link name="tip"><inertial><mass value="2"/>{INERTIA}</inertial></link>
<joint name="elbow" type="revolute"><parent link="base"/><child link="tip"/>
<origin xyz="0 0.5 0" rpy="0 0.3 0"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="5" velocity="1"/></joint></robot>"""


def png(rows):
    """A grey image of 8 bits, the uppermost row first."""
    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))
    head = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 0, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + bytes(row) for row in rows))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


class Models(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, path, text):
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def inspect(self, path, *options, code=0, **variables):
        """What the scene has, and what is said about it."""
        result = subprocess.run(["isobar", "inspect", "--json", self.folder / path, *options],
                                capture_output=True, text=True, check=False, timeout=60,
                                env={**os.environ, **variables})
        self.assertEqual(result.returncode, code, result.stderr)
        return json.loads(result.stdout) if code == 0 else None, result.stderr

    def names(self, path, *options, **variables):
        scene, _ = self.inspect(path, *options, **variables)
        return sorted(body["name"] for body in scene["bodies"])

    def world(self, path, uri):
        self.write(path, f'<sdf version="1.9"><world name="w"><include><uri>{uri}</uri></include>'
                         "</world></sdf>")

    # --- where models are ---

    def test_models_are_found_beside_the_file_and_above_it(self):
        self.write("base/model.sdf", LINK.format("base"))
        self.write("models/deep/model.sdf", LINK.format("deep"))
        for place in ("w.sdf", "worlds/w.sdf", "a/b/w.sdf"):
            self.world(place, "model://base")
            self.assertEqual(self.names(place), ["base::base_link"])
            self.world(place, "model://base/model.sdf")
            self.assertEqual(self.names(place), ["base::base_link"])
            self.world(place, "model://deep")
            self.assertEqual(self.names(place), ["deep::deep_link"])
        self.world("w.sdf", "base")
        self.assertEqual(self.names("w.sdf"), ["base::base_link"])

    def test_the_config_of_a_model_names_its_file(self):
        self.write("gps/gps.sdf", LINK.format("gps"))
        self.write("gps/old.sdf", LINK.format("old"))
        self.write("gps/model.config", "\n<?xml version='1.0'?><model><name>gps</name>"
                   "<sdf version='1.4'>old.sdf</sdf><sdf version='1.6'>gps.sdf</sdf></model>")
        self.world("w.sdf", "model://gps")
        self.assertEqual(self.names("w.sdf"), ["gps::gps_link"])
        self.assertEqual(self.names("w.sdf", "--package", f"gps={self.folder}/gps"),
                         ["gps::gps_link"])

    def test_the_variables_of_gazebo_say_where_models_are(self):
        self.write("store/box/model.sdf", LINK.format("box"))
        self.world("w.sdf", "model://box")
        _, text = self.inspect("w.sdf", code=3)
        self.assertIn("package 'box' of 'model://box' is not known; say where it is with --package "
                      "box=DIR, or the folder it is in by SDF_PATH", text)
        for name in ("GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH", "GAZEBO_MODEL_PATH",
                     "SDF_PATH"):
            folders = f"/nowhere::{self.folder}/store"
            for uri in ("model://box", "box"):
                self.world("w.sdf", uri)
                self.assertEqual(self.names("w.sdf", **{name: folders}), ["box::box_link"])

    def test_a_package_that_lacks_a_file_is_known(self):
        for mark, uri in (("package.xml", "package://arm/meshes/a.stl"), ("model.config", "model://arm/meshes/a.stl")):
            shutil.rmtree(self.folder / "arm", ignore_errors=True)
            self.write(f"arm/{mark}", "<package/>")
            self.write("arm/urdf/arm.urdf", '<robot name="arm"><link name="l"><collision><geometry>'
                       f'<mesh filename="{uri}"/></geometry></collision></link></robot>')
            _, text = self.inspect("arm/urdf/arm.urdf", code=3)
            self.assertIn("arm/meshes/a.stl' cannot be read: No such file", text)

    def test_models_of_a_server_are_those_that_are_here(self):
        server = "https://fuel.gazebosim.org/1.0/OpenRobotics/models/box"
        self.world("w.sdf", server)
        _, text = self.inspect("w.sdf", code=3)
        self.assertIn(f"'{server}' is on a server, from which nothing is fetched; get it "
                      f"(gz fuel download -u '{server}') and say where it is with --package 'box=DIR'",
                      text)
        self.write("cache/box/3/model.sdf", LINK.format("box"))
        package = ("--package", f"box={self.folder}/cache/box/3")
        for uri in (server, server + "/3", server + "/3/files/model.sdf", server + "/tip/files/."):
            self.world("w.sdf", uri)
            self.assertEqual(self.names("w.sdf", *package), ["box::box_link"])
        self.write("models/box/model.sdf", LINK.format("near"))
        self.world("w.sdf", server)
        self.assertEqual(self.names("w.sdf"), ["near::near_link"])

    def test_a_file_of_lights_brings_nothing(self):
        self.write("sun/model.sdf", '<sdf version="1.6"><light name="sun" type="point"/></sdf>')
        self.write("w.sdf", '<sdf version="1.6"><world name="w"><include><uri>model://sun</uri>'
                            '</include><model name="m"><link name="l"/></model></world></sdf>')
        scene, text = self.inspect("w.sdf")
        self.assertEqual([body["name"] for body in scene["bodies"]], ["m::l"])
        self.assertNotIn("warning", text)

    def test_the_models_that_worlds_of_gazebo_take_for_granted_need_no_file(self):
        server = "https://fuel.gazebosim.org/1.0/OpenRobotics/models/"
        for sun, plane in (("model://sun", "model://ground_plane"),
                           (server + "Sun", server + "Ground Plane")):
            self.write("w.sdf", f"""<sdf version="1.6"><world name="w">
<include><uri>{sun}</uri></include>
<include><uri>{plane}</uri><name>floor</name><pose>0 0 2 0 0 0</pose></include></world></sdf>""")
            scene, text = self.inspect("w.sdf")
            self.assertEqual([b["name"] for b in scene["bodies"]], ["floor::link"])
            self.assertEqual([g["shape"] for g in scene["geometries"]], ["half_space"])
            self.assertIn(f"w.sdf:3: '{plane}' is not there: that of Gazebo is taken", text)
        self.write("ground_plane/model.sdf", LINK.format("own"))  # one that is there counts
        self.world("w.sdf", "model://ground_plane")
        self.assertEqual(self.names("w.sdf"), ["own::own_link"])

    def test_meshes_of_one_package_may_lie_in_several_folders(self):
        for path in ("one/parts/a.obj", "one/two/parts/b.obj", "one/my mesh.obj"):
            self.write(path, TETRAHEDRON)
        collision = '<collision><geometry><mesh filename="{}"/></geometry></collision>'
        urls = ("package://parts/a.obj", "package://parts/b.obj", "package:///parts/a.obj",
                "package:///my%20mesh.obj", "file://../my mesh.obj", "file://../my%20mesh.obj",
                f"file://{self.folder}/one/my mesh.obj")
        self.write("one/two/r.urdf", f'<robot name="r"><link name="a"><inertial><mass value="1"/>'
                   f'{INERTIA}</inertial>{"".join(collision.format(u) for u in urls)}</link></robot>')
        scene, _ = self.inspect("one/two/r.urdf")
        self.assertEqual(len(scene["geometries"]), len(urls))

    def test_a_package_that_is_a_file_is_that_file(self):
        self.write("meshes/wheel.obj", TETRAHEDRON)
        self.write("meshes/r.urdf", f"""<robot name="r"><link name="a"><inertial>
<mass value="1"/>{INERTIA}</inertial><collision><geometry>
<mesh filename="package://wheel.obj"/></geometry></collision></link></robot>""")
        scene, _ = self.inspect("meshes/r.urdf")
        self.assertEqual(len(scene["geometries"]), 1)

    def test_the_folder_of_a_package_may_have_another_name(self):
        self.write("copy-of-it/robots/arm/meshes/a.obj", TETRAHEDRON)
        self.write("copy-of-it/robots/arm/urdf/r.urdf", f"""<robot name="r"><link name="a"><inertial>
<mass value="1"/>{INERTIA}</inertial><collision><geometry>
<mesh filename="package://robot-data/robots/arm/meshes/a.obj"/></geometry></collision></link></robot>""")
        scene, text = self.inspect("copy-of-it/robots/arm/urdf/r.urdf")
        self.assertEqual(len(scene["geometries"]), 1)
        self.assertRegex(text, "package robot-data is taken from .*/copy-of-it/")
        urdf = self.folder / "copy-of-it/robots/arm/urdf/r.urdf"
        urdf.write_text(urdf.read_text().replace("package://", "package:///"))
        self.assertEqual(len(self.inspect(urdf)[0]["geometries"]), 1)

    def test_a_visual_that_leads_nowhere_stops_nothing(self):
        urls = ("https://example.org/a.dae", "fuel://a", "package://nope/a.dae", "model://nope",
                "package:///nope.dae", "missing.dae", "")
        visuals = "".join(f'<visual><geometry><mesh filename="{u}"/></geometry></visual>'
                          for u in urls if u)
        self.write("r.urdf", f'<robot name="r"><link name="a"><inertial><mass value="1"/>{INERTIA}'
                             f"</inertial>{visuals}</link></robot>")
        visuals = "".join(f'<visual name="v{i}"><geometry><mesh><uri>{u}</uri></mesh></geometry>'
                          "</visual>" for i, u in enumerate(urls))
        self.write("r.sdf", f'<sdf version="1.9"><model name="r"><link name="a">{visuals}</link>'
                            "</model></sdf>")
        for path, count in (("r.urdf", 6), ("r.sdf", 7)):
            _, text = self.inspect(path)
            self.assertEqual(text.count("is not shown"), count, text)

    # --- what an include brings: numbers from Drake 1.51.1 ---

    def check_poses(self, scene, expected):
        poses = {body["name"]: body["position"] for body in scene["bodies"]}
        self.assertEqual(sorted(poses), sorted(expected))
        for name, position in expected.items():
            for value, wanted in zip(poses[name], position):
                self.assertAlmostEqual(value, wanted, delta=1e-8)  # measured 5e-9

    def test_a_merged_model_is_part_of_the_one_that_includes_it(self):
        self.write("inner.sdf", INNER)
        self.write("outer.sdf", """<sdf version="1.10"><world name="w">
<model name="robot"><pose>0 0 1 0 0 0.7</pose>
<include merge="true"><uri>inner.sdf</uri><pose>0 2 0 0.4 0 0</pose></include>
<link name="own"><pose relative_to="grip">0 0 0.1 0 0 0</pose></link>
<joint name="j" type="fixed"><parent>c</parent><child>own</child></joint></model>
<model name="robot2"><pose>0 3 1 0 0 0.7</pose><include merge="true"><uri>inner.sdf</uri>
<placement_frame>grip</placement_frame><pose>0 2 0 0.4 0 0</pose></include></model>
</world></sdf>""")
        scene, text = self.inspect("outer.sdf")
        self.assertNotIn("warning", text)
        self.check_poses(scene, {
            "robot::a": (-0.52359319, 2.17390206, 1.0),
            "robot::b": (-1.25707989, 2.73633965, 1.3816559),
            "robot::c": (-0.78669501, 0.93399722, 2.84212199),
            "robot::own": (-1.12794254, 2.59533738, 1.73299891),
            "robot2::a": (-1.18537993, 3.6668525, 0.47559493),
            "robot2::b": (-1.36369643, 4.61903745, 0.7236817),
            "robot2::c": (-1.68896487, 3.2253408, 2.60901229)})
        self.assertEqual(sorted(joint["name"] for joint in scene["joints"]),
                         ["robot2::ab", "robot2::bc", "robot::ab", "robot::bc", "robot::j"])

    def test_a_urdf_may_be_included(self):
        self.write("arm/arm.urdf", ARM)
        self.write("outer.sdf", """<sdf version="1.10"><model name="robot">
<pose>3 0 0 0 0 0.1</pose><link name="own"><pose>0 0 0 0 0.2 0</pose></link><include>
<uri>arm/arm.urdf</uri><name>left</name><pose relative_to="own">0 0 1 0 0 0</pose></include>
<joint name="w" type="fixed"><parent>own</parent><child>left::base</child></joint>
</model></sdf>""")
        scene, _ = self.inspect("outer.sdf")
        self.check_poses(scene, {
            "robot::own": (3.0, 0.0, 0.0),
            "robot::left::base": (3.19767681, 0.01983384, 0.98006658),
            "robot::left::tip": (3.1477601, 0.51733592, 0.98006658)})
        self.assertEqual(sorted(joint["name"] for joint in scene["joints"]),
                         ["robot::left::elbow", "robot::w"])

    def test_a_urdf_of_a_static_model_does_not_move(self):
        self.write("arm.urdf", ARM.replace('<link name="base">', '<link name="world"/>'
                   '<joint name="root" type="fixed"><parent link="world"/><child link="base"/>'
                   '<origin xyz="0 0 1"/></joint><link name="base">'))
        self.write("w.sdf", """<sdf version="1.10"><world name="w">
<include><uri>arm.urdf</uri><static>true</static><pose>1 2 0 0 0 0</pose></include>
<include><uri>arm.urdf</uri><name>other</name><pose>5 2 0 0 0 0</pose></include></world></sdf>""")
        scene, text = self.inspect("w.sdf")
        self.check_poses(scene, {"arm::base": (1, 2, 1), "arm::tip": (1, 2.5, 1),
                                 "other::base": (5, 2, 1), "other::tip": (5, 2.5, 1)})
        self.assertIn("joint 'elbow' of a static model does not move", text)
        kinds = {joint["name"]: joint["kind"] for joint in scene["joints"]}
        self.assertEqual((kinds["arm::elbow"], kinds["other::elbow"]), ("weld", "revolute"))

    def test_models_in_a_static_one_are_static(self):
        self.write("table.sdf", """<sdf version="1.9"><model name="table"><link name="top"/>
<model name="leg"><link name="l"/></model></model></sdf>""")
        self.write("w.sdf", """<sdf version="1.9"><world name="w"><include><uri>table.sdf</uri>
<static>true</static></include></world></sdf>""")
        scene, _ = self.inspect("w.sdf")
        self.assertEqual(sorted((joint["kind"], joint["child"]) for joint in scene["joints"]),
                         [("weld", "table::leg::l"), ("weld", "table::top")])

    # --- heights ---

    def heightmap(self, rows, size, pos="0 0 0", name="terrain.png"):
        self.write("world/placeholder", "")
        (self.folder / "world" / "terrain.png").write_bytes(png(rows))
        self.write("world/w.sdf", f"""<sdf version="1.11"><model name="m"><link name="l">
<inertial auto="true"><density>1</density></inertial><collision name="c"><geometry>
<heightmap><uri>file://{name}</uri><size>{size}</size><pos>{pos}</pos></heightmap></geometry>
</collision></link></model></sdf>""")

    def test_a_heightmap_is_a_solid_below_the_heights_of_an_image(self):
        # One corner high, the upper right one; 10 % of the larger side below the lowest height.
        self.heightmap([[0, 100], [0, 0]], "2 4 3", "10 20 30")
        scene, _ = self.inspect("world/w.sdf")
        body = scene["bodies"][0]
        base, peak = 2 * 4 * 0.4, 2 * (4 * 3 / 3)  # two triangles share the high corner
        self.assertAlmostEqual(body["mass"], base + peak, delta=1e-12)
        x, y, z = body["center_of_mass"]
        self.assertGreater(x, 10)
        self.assertGreater(y, 20)
        self.assertAlmostEqual((x - 10) / 2, (y - 20) / 4, delta=1e-12)
        self.assertGreater(z, 30 - 0.2)
        # The brightest is as high as the size says; a negative size turns the heights over.
        self.heightmap([[50, 50], [50, 50]], "2 4 3")
        self.assertAlmostEqual(self.inspect("world/w.sdf")[0]["bodies"][0]["mass"],
                               2 * 4 * (3 + 0.4), delta=1e-12)
        self.heightmap([[50, 50], [50, 50]], "2 4 -3")
        self.assertAlmostEqual(self.inspect("world/w.sdf")[0]["bodies"][0]["mass"],
                               2 * 4 * 0.4, delta=1e-12)

    def test_what_is_wrong_with_a_heightmap_is_said(self):
        for arguments, message in (
                (([[1, 2], [3, 4]], "0 1 1"), "<heightmap>: size is 0 1 1 m"),
                (([[1, 2], [3, 4]], "1 1 0"), "<heightmap>: size is 1 1 0 m"),
                (([[1, 2]], "1 1 1"), "has 1 rows of 2 heights"),
                (([[1, 2], [3, 4]], "1 1 1", "0 0 0", "w.sdf"), "is no PNG image"),
                (([[1, 2], [3, 4]], "1 1 1", "0 0 0", "none.png"), "none.png")):
            self.heightmap(*arguments)
            _, text = self.inspect("world/w.sdf", code=3)
            self.assertRegex(text, r"w\.sdf:3: ")
            self.assertIn(message, text)


if __name__ == "__main__":
    unittest.main()
