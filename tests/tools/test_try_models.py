# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""tools/try_models tells loaded from refused files, by kind, and what crashes or takes too long.

Skipped where the shared library is missing.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(os.environ.get("ISOBAR_SOURCE_DIR", pathlib.Path(__file__).parents[2]))

try:
    import isobar  # noqa: F401
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

try:
    import mujoco  # noqa: F401
    HAS_MUJOCO = True
except ImportError:
    HAS_MUJOCO = False

BODY = "<body name='b'><freejoint/><geom size='{}'/></body>"
LINK = ("<link name='{}'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"
        "</inertial></link>")
FILES = {
    "good.xml": "<?xml version='1.0'?><!-- <sdf> --><mujoco model='m'><worldbody>" + BODY.format(".1") + "</worldbody></mujoco>",
    "wrong.xml": "<mujoco><worldbody>" + BODY.format("x") + "</worldbody></mujoco>",
    "wrong_too.xml": "<mujoco>\n<worldbody>" + BODY.format("y") + "</worldbody></mujoco>",
    "parts/mesh.obj": "v 0 0 0\nv 0.1 0 0\nv 0 0.3 0\nv 0 0 0.7\n"
                      "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n",
    "parts/mesh.xml": "<mujoco model='m'><asset><mesh name='a' file='mesh.obj' inertia='exact'/>"
                      "<mesh name='b' vertex='0 0 0 .2 0 0 0 .3 0 0 0 .7'/></asset><worldbody><body name='b'><freejoint/>"
                      "<geom type='mesh' mesh='a'/><geom type='mesh' mesh='b'/></body></worldbody></mujoco>",
    # A rotor counts here, as in Drake; MuJoCo does not read it.
    "deep/robot.urdf": "<robot name='r' xmlns:drake='d'>" + LINK.format("l") + LINK.format("m") +
                       "<joint name='j' type='revolute'><parent link='l'/><child link='m'/><axis xyz='0 0 1'/>"
                       "<limit effort='1' velocity='1' lower='-1' upper='1'/></joint>"
                       "<transmission name='t'><type>SimpleTransmission</type><joint name='j'/><actuator name='a'>"
                       "<drake:rotor_inertia value='0.01'/><drake:gear_ratio value='20'/></actuator></transmission></robot>",
    "deep/OTHER.URDF": "<robot name='r'><link name='l'/></robot>",  # MuJoCo reads .urdf alone
    "other.xml": "<launch><mujoco/></launch>",
    "notes.txt": "<mujoco/>",
}


class TryModels(unittest.TestCase):
    def run_tool(self, *options):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in FILES.items():
                path = pathlib.Path(folder) / name
                path.parent.mkdir(exist_ok=True)
                path.write_text(text, encoding="utf-8")
            table = pathlib.Path(folder) / "out.json"
            done = subprocess.run([sys.executable, str(ROOT / "tools" / "try_models"), folder, "--json", str(table), *options],
                                  capture_output=True, text=True, timeout=300, check=False)
            return done, json.loads(table.read_text(encoding="utf-8"))

    def test_files_are_loaded_or_refused_by_kind(self):
        done, table = self.run_tool()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("6 files: 4 loaded, 2 refused", done.stdout)
        self.assertRegex(done.stdout, r"refused:\n +2  <geom>: size holds '…', expected a number")
        self.assertEqual(sorted(o["loaded"] for o in table), [False, False, True, True, True, True])
        if HAS_MUJOCO:
            self.assertIn("of 3 that MuJoCo loads 3 (100.0 %)", done.stdout)
            self.assertIn("of 3 that both load 3 agree to 1e-09", done.stdout)
            self.assertRegex(done.stdout, r"1 of them once vertices are in single precision.*\n    .*parts/mesh.xml: masses")

    def test_what_runs_out_of_time_or_memory_is_told_and_is_a_failure(self):
        done, table = self.run_tool("--time-limit", "0")
        self.assertEqual(done.returncode, 1)
        self.assertEqual({o["message"] for o in table}, {"out of time"})


if __name__ == "__main__":
    unittest.main()
