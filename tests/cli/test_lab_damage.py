#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Files of the laboratory that were damaged: found, with file and line, or the same results."""

import json
import pathlib
import random
import re
import shutil
import subprocess
import tempfile
import unittest

SCENE = """
materials:
  steel: {friction: {learned: m.json, material: Steel}}
bodies:
- {name: floor, fixed: true, geometry: [{name: top, shape: half_space, material: steel}]}
- {name: box, mass: 1, geometry: [{name: skin, shape: box, size: [0.2, 0.2, 0.02], compliance: compliant,
    modulus: 1.0e+6, material: steel}]}
"""


def isobar(*arguments):
    return subprocess.run(["isobar", *map(str, arguments)], capture_output=True, text=True, check=False)


def results(text):
    said = json.loads(text)
    return {key: value for key, value in said.items() if key not in ("wall_s", "cpu_s", "longest_run_cpu_s")}


def change_digit(rng, data, begin):
    """One digit behind `begin` is another one."""
    at = rng.choice([i for i in range(begin, len(data)) if data[i:i + 1].isdigit()])
    digit = (data[at] - 48 + rng.randrange(1, 10)) % 10
    return data[:at] + bytes([48 + digit]) + data[at + 1:], data.count(b"\n", 0, at) + 1


class DamagedFilesTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def test_digits_of_a_journal_that_changed_are_found_with_their_line(self):
        state, rng = self.folder / "j", random.Random(1)
        run = ("lab", "e1", "--series", "poisson-0.5", "--surfaces", 1, "--points", 64, "--upper-points", 24,
               "--height", 8, "--rms", 0.5, "--shortest", 8, "--kind", "pink", "--settle", 10, "--workers", 1,
               "--state", state, "--json")
        whole = isobar(*run)
        self.assertEqual(whole.returncode, 0, whole.stderr)
        data, same = state.read_bytes(), 0
        for _ in range(40):
            damaged, line = change_digit(rng, data, data.index(b"\n"))
            state.write_bytes(damaged)
            found = isobar(*run)
            if found.returncode == 0:
                same += 1
                self.assertEqual(results(found.stdout), results(whole.stdout))
            else:
                self.assertEqual(found.returncode, 3)
                self.assertIn(f"{state}:{line}: the line is damaged", found.stderr)
        self.assertLess(same, 8)  # digits that no double holds
        # Those of before had neither a check nor processor time.
        old = re.sub(rb',"check":[0-9.]+', b"", re.sub(rb',"cpu_s":[0-9.e-]+', b"", data))
        state.write_bytes(old)
        found = json.loads(isobar(*run).stdout)
        self.assertEqual(found["sets"], json.loads(whole.stdout)["sets"])
        self.assertEqual(found["cpu_s"], found["wall_s"])
        self.assertGreater(found["longest_run_cpu_s"], 0.0)

    def test_rows_beside_a_state_are_checked_and_a_part_of_one_is_dropped(self):
        state, table, rng = self.folder / "state", self.folder / "t.csv", random.Random(2)
        rows = self.folder / "state.csv"
        run = ["lab", "slide", "--points", 64, "--upper-points", 24, "--rms", 3e-7, "--height", 1.6e-5,
               "--shortest", 8e-6, "--settle", 5, "--beta", 1e-5, "--quiet", "--travel", 6e-6]
        self.assertEqual(isobar(*run, "--table", table).returncode, 0)
        shorter = [*run[:-1], 4e-6]
        self.assertEqual(isobar(*shorter, "--state", state).returncode, 0)
        kept, few = state.read_bytes(), rows.read_bytes()
        self.assertEqual(isobar(*run, "--state", state).returncode, 0)
        many, again = rows.read_bytes(), self.folder / "again.csv"
        for _ in range(4):  # killed between a row and the state that belongs to it
            state.write_bytes(kept)
            rows.write_bytes(many[:rng.randrange(len(few), len(many))])
            found = isobar(*run, "--state", state, "--table", again)
            self.assertEqual(found.returncode, 0, found.stderr)
            self.assertEqual(again.read_text(), table.read_text())
        for _ in range(12):
            damaged, line = change_digit(rng, few, few.index(b"\n"))
            state.write_bytes(kept)
            rows.write_bytes(damaged)
            found = isobar(*run, "--state", state, "--table", again)
            if found.returncode == 0:
                self.assertEqual(again.read_text(), table.read_text())
            else:
                self.assertIn(f"{rows}:{line}: ", found.stderr)

    def test_digits_of_a_model_that_changed_are_found(self):
        model, rng, silent = self.folder / "m.json", random.Random(3), 0
        scene = self.folder / "s.yaml"
        made = isobar("lab", "learn", "--model", "gp", "-o", model, "--quiet")
        self.assertEqual(made.returncode, 0, made.stderr)
        scene.write_text(SCENE, encoding="utf-8")
        data = model.read_bytes()
        for _ in range(30):
            damaged, _ = change_digit(rng, data, 0)
            model.write_bytes(damaged)
            found = isobar("inspect", scene)
            if found.returncode == 0:
                silent += 1
                self.assertEqual(json.loads(damaged), json.loads(data))
            else:
                self.assertIn("m.json", found.stderr)
        self.assertLess(silent, 6)

    def test_a_reach_beyond_the_pitch_is_refused(self):
        for reach in (1e-5, 1e-3, 1.0, 1e300):
            found = isobar("lab", "slide", "--points", 64, "--reach", reach)
            self.assertEqual(found.returncode, 3)
            self.assertIn("the reach of contact is", found.stderr)


if __name__ == "__main__":
    unittest.main()
