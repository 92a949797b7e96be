# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""MJCF files of kinds that MuJoCo takes load here, too, and are what they are there: velocities, masses,
poses and mass matrices, as tools/try_models compares them.

Skipped where mujoco or the shared library are missing.
"""

import importlib.machinery
import importlib.util
import os
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(os.environ.get("ISOBAR_SOURCE_DIR", pathlib.Path(__file__).parents[2]))

try:
    import mujoco
    import numpy as np

    import isobar
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)


def load_try_models():
    loader = importlib.machinery.SourceFileLoader("try_models", str(ROOT / "tools" / "try_models"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("try_models", loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


try_models = load_try_models()
TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def body(content, **attributes):
    words = "".join(f' {name}="{value}"' for name, value in attributes.items())
    return f"<body{words}>{content}</body>"


def world(content, head="", tail=""):
    return f'<mujoco model="m">{head}<worldbody>{content}</worldbody>{tail}</mujoco>'


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name) / "m.xml"

    def write(self, text, files=None):
        self.path.write_text(text, encoding="utf-8")
        for name, content in (files or {}).items():
            path = self.path.parent / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, bytes):
                path.write_bytes(content)
            else:
                path.write_text(content, encoding="utf-8")

    def load(self, text, files=None, **options):
        self.write(text, files)
        return isobar.load(self.path, **options)

    def check(self, text, files=None, tolerance=1e-12):
        """Load with both and compare; our world, and MuJoCo's model."""
        scene = self.load(text, files)
        made = scene.create_world()
        apart = try_models.compare(self.path, made, "m", False)
        for quantity, difference in apart.items():
            self.assertLessEqual(abs(difference), tolerance, f"{quantity}: {apart}")
        return scene, mujoco.MjModel.from_xml_path(str(self.path))

    def test_unnamed_geoms_may_have_bodies_and_frames_between_them(self):
        ball = '<geom size=".1"/>'
        inner = body("<joint/>" + ball, pos=".3 0 0")
        scene, model = self.check(world(
            ball + body(f"<freejoint/>{ball}<frame pos='0 0 .5'>{ball}<frame>{inner}{ball}</frame></frame>",
                        pos="0 0 2") + f'<frame pos="1 0 0">{ball}</frame>'))
        self.assertEqual(len(scene.model.geometries), model.ngeom)

    def test_assets_are_looked_for_beside_the_file_that_names_them(self):
        part = '<x><asset><mesh name="t" file="t.obj"/></asset></x>'
        robot = body('<freejoint/><geom type="mesh" mesh="t"/>')
        for head, files in (
                ('<include file="parts/a.xml"/>', {"parts/a.xml": part, "parts/t.obj": TETRAHEDRON}),
                ('<compiler meshdir="main"/><include file="parts/a.xml"/>',  # that of the main file wins
                 {"parts/a.xml": part, "main/t.obj": TETRAHEDRON, "parts/t.obj": "v 0 0 0\n"}),
                ('<include file="parts/b.xml"/>',
                 {"parts/b.xml": '<x><include file="deep/a.xml"/></x>', "parts/deep/a.xml": part,
                  "parts/deep/t.obj": TETRAHEDRON})):
            with self.subTest(files=sorted(files)):
                self.check(world(robot, head), files)
        self.write(world(robot, '<include file="none/a.xml"/>'), {"none/a.xml": part})
        with self.assertRaisesRegex(isobar.Error, "t.obj"):
            isobar.load(self.path)

    def test_keyframes_are_as_long_as_mujoco_makes_them(self):
        """Shorter ones go on as the pose of the file, longer ones are refused by both."""
        text = ('<joint name="j" ref="20"/><geom size=".1"/>' + body('<joint type="ball"/><geom size=".1"/>'))
        bodies = body(text) + body('<freejoint/><geom size=".1"/>', pos="1 2 3", euler="10 20 30") + \
            body("", mocap="true", pos="4 5 6", name="t")
        for key in ('qpos="1"', 'qpos="1 0.6 0.8"', 'qpos="1 0.6 0.8 0 0 7 8"', 'qvel="3 1"', 'mpos="1 2 3"',
                    'mquat="0 1 0 0"', 'qpos=""'):
            with self.subTest(key=key):
                scene = self.load(world(bodies, tail=f"<keyframe><key {key}/></keyframe>"), keyframe=0)
                model = mujoco.MjModel.from_xml_path(str(self.path))
                data = mujoco.MjData(model)
                mujoco.mj_resetDataKeyframe(model, data, 0)
                mujoco.mj_forward(model, data)
                made = scene.create_world()
                for b in range(1, model.nbody):
                    pose = made.body_pose("m::t" if b == 4 else f"m::body_{b}")
                    off = max(np.abs(pose.translation - data.xpos[b]).max(),
                              np.abs(pose.rotation - data.xmat[b].reshape(3, 3)).max())
                    self.assertLess(off, 1e-14)  # measured 6.7e-16
        for key in ('qpos="' + 13 * "0 " + '"', 'qvel="' + 11 * "0 " + '"', 'ctrl="1"', 'mpos="1 2 3 4"'):
            self.write(world(bodies, tail=f"<keyframe><key {key}/></keyframe>"))
            with self.assertRaises(ValueError):
                mujoco.MjModel.from_xml_path(str(self.path))
            with self.assertRaisesRegex(isobar.ParseError, "numbers, expected"):
                isobar.load(self.path)


if __name__ == "__main__":
    unittest.main()
