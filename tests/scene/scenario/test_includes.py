# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Small files that each include the next one twice are 2^n reads: refused soon, in every format.

Skipped where the shared library is missing.
"""

import pathlib
import sys
import tempfile
import time
import unittest

try:
    import isobar
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

DEPTH = 22
BALL = "<link name='l'><inertial><mass>1</mass></inertial></link>"


class Includes(unittest.TestCase):
    def check(self, suffix, node, leaf, depth=DEPTH):
        """node makes a file that includes the next one twice, leaf the last of `depth`."""
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            for i in range(depth):
                text = leaf if i == depth - 1 else node(f"f{i + 1}{suffix}")
                (folder / f"f{i}{suffix}").write_text(text, encoding="utf-8")
            start = time.perf_counter()
            with self.assertRaisesRegex(isobar.Error, "more than [0-9]+ files are read|nested|more than [0-9]+"):
                isobar.load(folder / f"f0{suffix}")
            seconds = time.perf_counter() - start
            print(f"{suffix}: {seconds:.2f} s")
            self.assertLess(seconds, 20)  # measured below 2 s; 2^22 reads take minutes

    def test_directives_that_add_each_other_are_bounded(self):
        self.check(".yaml", lambda n: f"directives: [{{add_directives: {{file: {n}}}}}, {{add_directives: {{file: {n}}}}}]\n",
                   "directives: []\n")

    def test_includes_of_mjcf_are_bounded(self):
        self.check(".xml", lambda n: f"<mujoco><include file='{n}'/><include file='{n}'/></mujoco>",
                   "<mujoco><visual/></mujoco>")

    def test_what_few_large_files_hold_together_is_bounded(self):
        self.check(".xml", lambda n: f"<mujoco><include file='{n}'/><include file='{n}'/></mujoco>",
                   "<mujoco>" + "<visual/>" * 900000 + "</mujoco>", depth=6)

    def test_includes_of_sdformat_are_bounded(self):
        self.check(".sdf", lambda n: "<sdf version='1.9'><model name='m'>" + "".join(
            f"<include><name>{c}</name><uri>{n}</uri></include>" for c in "ab") + "</model></sdf>",
                   f"<sdf version='1.9'><model name='m'>{BALL}</model></sdf>")


if __name__ == "__main__":
    unittest.main()
