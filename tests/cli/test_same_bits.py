# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""The state after a run is the same, bit by bit, for any number of threads and without SIMD."""

import json
import os
import pathlib
import subprocess
import unittest

SOURCE = pathlib.Path(os.environ.get("ISOBAR_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
ASSETS = pathlib.Path(os.environ.get("ISOBAR_ASSETS", SOURCE.parent / "shared" / "assets"))
SCALAR = os.environ.get("ISOBAR_SCALAR_COMMAND", "")
SCENES = sorted((SOURCE / "scenes" / "peers").glob("*.yaml")) + [SOURCE / "scenes" / "demo.yaml"]


def state_hash(command, scene, *arguments):
    line = [command, "run", str(scene), "--json", "--quiet", "--until", "0.2", *arguments]
    if ASSETS.is_dir():
        line += ["--package", f"drake_models={ASSETS}"]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{scene.name}: {done.stderr.strip()}")
    return json.loads(done.stdout)["state_hash"]


class SameBits(unittest.TestCase):
    def scenes(self):
        """Scenes that can run here; those of peers need the assets."""
        if not ASSETS.is_dir():
            print("SKIPPED scenes/peers: no assets; set ISOBAR_ASSETS")
        found = [path for path in SCENES if ASSETS.is_dir() or path.parent.name != "peers"]
        self.assertTrue(found)
        return found

    def test_any_number_of_threads(self):
        for scene in self.scenes():
            with self.subTest(scene=scene.name):
                one = state_hash("isobar", scene)
                self.assertEqual(state_hash("isobar", scene, "--threads", "2"), one)

    @unittest.skipUnless(SCALAR and pathlib.Path(SCALAR).exists(), "no scalar build to compare")
    def test_without_simd(self):
        for scene in self.scenes():
            with self.subTest(scene=scene.name):
                self.assertEqual(state_hash(SCALAR, scene), state_hash("isobar", scene))


if __name__ == "__main__":
    unittest.main()
