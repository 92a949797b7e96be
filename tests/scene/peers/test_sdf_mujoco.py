# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""MJCF and URDF included in an SDFormat world: what a file fixes to its world is fixed to the world
at the pose of the include, as in MuJoCo what stands in a <frame> of that pose.

Skipped where mujoco, scipy or the shared library are missing.
"""

import logging
import pathlib
import sys
import tempfile
import unittest

try:
    import mujoco
    import numpy as np
    from scipy.spatial.transform import Rotation

    import isobar
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

SEEDS = 12
TOLERANCE = 1e-12  # measured 1.1e-13


def text(values):
    return " ".join(f"{x:.17g}" for x in np.atleast_1d(values))


def place(random):
    return f"pos='{text(random.uniform(-1, 1, 3))}' euler='{text(random.uniform(-170, 170, 3))}'"


def content(random):
    """What a worldbody may hold, and what hangs on the world by other ways."""
    def geom(name):
        return f"<geom name='{name}' type='box' size='{text(random.uniform(.1, .3, 3))}' {place(random)} contype='0'/>"

    inner = "".join([
        geom("floor"), f"<frame {place(random)}>{geom('post')}</frame>", f"<site name='s' {place(random)}/>",
        f"<body name='weld' {place(random)}>{geom('a')}<body name='tip' {place(random)}><joint name='j1'/>{geom('b')}</body></body>",
        f"<body name='free' {place(random)}><freejoint/>{geom('c')}</body>",
        f"<body name='arm' {place(random)}><joint name='j2' axis='{text(random.normal(size=3))}' pos='.1 .2 0'/>{geom('d')}"
        "<site name='t'/></body>"])
    rest = ("<tendon><spatial name='rope' stiffness='3'><site site='s'/><site site='t'/></spatial></tendon>"
            "<equality><connect body1='free' body2='world' anchor='.1 0 0'/></equality>"
            "<sensor><framepos name='at' objtype='site' objname='s'/></sensor>")
    return inner, rest


def sdf(uri, p, rpy, more=""):
    return (f"<sdf version='1.9'><world name='w'><include><name>m</name><uri>{uri}</uri>"
            f"<pose>{text(p)} {text(rpy)}</pose>{more}</include></world></sdf>")


def poses_of_geometries(scene, world):
    """Turn and place in the world of every geometry of a scene, by name."""
    result = {}
    for i, geometry in enumerate(scene.model.geometries):
        body = scene.model.bodies[scene.model.body_of_geometry(i)].name
        x = world.body_pose(body)
        own = geometry.x_bg
        result[geometry.name] = (x.rotation @ own.rotation, x.translation + x.rotation @ own.translation)
    return result


def full_matrix(model, data):
    full = np.zeros((model.nv, model.nv))
    for i, unit in enumerate(np.eye(model.nv)):
        mujoco.mj_mulM(model, data, full[i], unit)
    return full


class Included(unittest.TestCase):
    def setUp(self):
        logging.getLogger("isobar").setLevel(logging.ERROR)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.worst = 0.0

    def load(self, name, string):
        (self.folder / name).write_text(string, encoding="utf-8")
        return isobar.load(self.folder / name)

    def near(self, ours, theirs, what):
        gap = float(np.abs(np.asarray(ours) - theirs).max())
        self.worst = max(self.worst, gap)
        self.assertLess(gap, TOLERANCE, what)

    def compare(self, random, more=""):
        inner, rest = content(random)
        p, rpy = random.uniform(-3, 3, 3), random.uniform(-3, 3, 3)
        quaternion = Rotation.from_euler("xyz", rpy).as_quat(scalar_first=True)
        (self.folder / "m.xml").write_text(f"<mujoco><worldbody>{inner}</worldbody>{rest}</mujoco>", encoding="utf-8")
        placed = inner.replace("<freejoint/>", "").replace("<joint ", "<site ").replace("axis=", "user=") if more else inner
        model = mujoco.MjModel.from_xml_string(
            f"<mujoco><size nuser_site='3'/><worldbody><frame pos='{text(p)}' quat='{text(quaternion)}'>{placed}</frame></worldbody></mujoco>")
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        scene = self.load("w.sdf", sdf("m.xml", p, rpy, more))
        world = scene.create_world()
        self.assertEqual(world.v_count, model.nv)
        for b in range(1, model.nbody):
            pose = world.body_pose("m::" + model.body(b).name)
            self.near(pose.translation, data.xpos[b], model.body(b).name)
            self.near(pose.rotation, data.xmat[b].reshape(3, 3), model.body(b).name)
        for name, (turn, at) in poses_of_geometries(scene, world).items():
            self.near(at, data.geom(name).xpos, name)
            self.near(turn, data.geom(name).xmat.reshape(3, 3), name)
        return scene, world, model, data

    def test_bodies_and_geoms_of_an_included_mjcf_are_where_mujoco_puts_those_of_a_frame(self):
        for seed in range(SEEDS):
            scene, world, model, data = self.compare(np.random.default_rng(seed))
            ours, theirs = (np.sort(np.linalg.eigvalsh(m)) for m in (world.mass_matrix(), full_matrix(model, data)))
            self.near(ours / theirs, 1.0, "mass matrix")
            sensors = scene.create_sensors(world)
            sensors.update()
            self.near(sensors["m::at"][:3], data.site("s").xpos, "site of the world")
        print(f"worst of {SEEDS} drawn files: {self.worst:.2g}")

    def test_static_includes_stand_where_mujoco_puts_bodies_without_joints(self):
        for seed in range(SEEDS):
            _, world, _, _ = self.compare(np.random.default_rng(seed), "<static>true</static>")
            self.assertEqual(world.v_count, 0)

    def test_frames_of_included_mjcf_can_be_named_by_the_world(self):
        (self.folder / "m.xml").write_text("<mujoco><worldbody><body name='b' pos='0 0 1'><geom size='.1'/></body></worldbody></mujoco>",
                                           encoding="utf-8")
        string = sdf("m.xml", [1, 2, 3], [0, 0, 0], "<placement_frame>b</placement_frame>").replace(
            "</world>", "<model name='o'><pose relative_to='m::b'>0 0 1 0 0 0</pose><link name='l'/></model>"
            "<joint name='j' type='fixed'><parent>m::b</parent><child>o::l</child></joint></world>")
        world = self.load("w.sdf", string).create_world()
        self.near(world.body_pose("m::b").translation, [1, 2, 3], "placed by its frame")
        self.near(world.body_pose("o::l").translation, [1, 2, 4], "relative to a body of the MJCF")

    def test_the_link_world_of_an_included_urdf_is_at_the_pose_of_the_include(self):
        (self.folder / "u.urdf").write_text(
            "<robot name='u'><link name='world'><collision name='c'><origin xyz='0 0 1'/><geometry><box size='1 1 1'/></geometry>"
            "</collision></link></robot>", encoding="utf-8")
        scene = self.load("w.sdf", sdf("u.urdf", [1, 2, 3], [np.pi / 2, 0, 0]))
        self.near(poses_of_geometries(scene, scene.create_world())["c"][1], [1, 1, 3], "its box")

    def test_gravity_of_an_included_mjcf_is_not_that_of_the_world(self):
        (self.folder / "m.xml").write_text("<mujoco><option gravity='0 0 -1' timestep='0.5'/><worldbody><geom size='1'/></worldbody></mujoco>",
                                           encoding="utf-8")
        with self.assertLogs("isobar", "WARNING") as logs:
            logging.getLogger("isobar").setLevel(logging.WARNING)
            scene = self.load("w.sdf", sdf("m.xml", [0, 0, 0], [0, 0, 0]))
        self.assertIn("gravity of an included file is not used", "\n".join(logs.output))
        self.assertAlmostEqual(np.linalg.norm(scene.settings.gravity), 9.81, delta=0.02)


if __name__ == "__main__":
    unittest.main()
