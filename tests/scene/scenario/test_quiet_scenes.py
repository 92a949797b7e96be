# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Scenes of this project run without a warning, so that one that appears means something.

Skipped where the assets or the `isobar` command are missing.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

ASSETS = pathlib.Path(os.environ.get("ISOBAR_ASSETS", "../shared/assets")).resolve()
COMMAND = shutil.which("isobar")
SCENES = pathlib.Path(os.environ["ISOBAR_SOURCE_DIR"]) / "scenes"

if not ASSETS.is_dir() or not COMMAND:
    print(f"skipped: no assets at {ASSETS}, or no isobar in PATH")
    sys.exit(77)

# Where something is to happen; others run for ten steps.
UNTIL = {"demo.yaml": None, "bolt.yaml": 0.6, "peers/ball_plate.yaml": 0.1}

# Warnings that are true: files that pin what other engines make of the same scene.
TRUE = {
    "jaco_grasp.yaml": ["<stiffness> is not supported and is ignored"],  # of a stop of its gripper
    "slip_control.yaml": ["<stiffness> is not supported and is ignored"],
    "peers/ball_paddle.yaml": ["<drake:point_contact_stiffness> has no meaning here"],
    "peers/ball_plate.yaml": ["they meet inside 'plate_8in::plate_8in::collision'"],
    "peers/pepper_bowl.yaml": ["its pressure is 100 % of the largest",  # it starts deep in the table
                               "resolution_hint of 'table::table::collision'",
                               "has one coefficient of friction: static friction of"],
    "peers/spatula_slip_control.yaml": ["<stiffness> is not supported and is ignored",
                                        "time step is 0.04 s, in which a body falls 0.0157 m"],
}


def step_of(path):
    found = re.search(r"^  time_step: *([-+.0-9e]+)", path.read_text(), re.M)
    return float(found.group(1)) if found else 1e-3


def warnings_of(path, until):
    time = [] if until is None else ["--until", repr(until)]
    done = subprocess.run([COMMAND, "run", str(path), *time, "--verbose", "--package",
                           f"drake_models={ASSETS}"], capture_output=True, text=True, timeout=600,
                          check=False)
    assert done.returncode == 0, done.stderr
    return [line for line in done.stderr.splitlines() if "warning:" in line]


class QuietScenes(unittest.TestCase):
    def test_scenes_run_without_a_warning(self):
        paths = sorted(SCENES.glob("*.yaml")) + sorted(SCENES.glob("peers/*.yaml"))
        self.assertGreater(len(paths), 15)
        for path in paths:
            name = str(path.relative_to(SCENES))
            until = UNTIL.get(name, 10 * step_of(path))
            told = warnings_of(path, until)
            with self.subTest(name):
                for text in TRUE.get(name, []):
                    self.assertTrue(any(text in line for line in told), (text, told))
                    told = [line for line in told if text not in line]
                self.assertEqual(told, [])


if __name__ == "__main__":
    unittest.main()
