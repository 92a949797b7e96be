# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Taxels of scene files: what they remember goes with the state, so that replays and restored runs read
the same bits; exports have states and readings."""

import csv
import json
import pathlib
import subprocess
import tempfile
import unittest

SCENE = """
name: poke
simulation: {time_step: 2.0e-3, until: 0.08}
bodies:
- name: pad
  fixed: true
  geometry:
  - {name: top, shape: box, size: [0.04, 0.04, 0.02], compliance: compliant, modulus: 1.0e5, friction: 0.4}
  pose: {translation: [0, 0, -0.01]}
- name: ball
  mass: 0.2
  geometry:
  - {name: skin, shape: sphere, radius: 0.01, compliance: rigid, resolution_hint: 3.0e-3, friction: 0.4}
initial:
- {body: ball, pose: {translation: [0, 0, 0.01]}, velocity: {linear: [0.15, 0, -0.1]}}
sensors:
- {name: skin, type: tactile, body: pad, rows: 6, columns: 6, size: [0.03, 0.03], slip_speed: 0.01,
   gain: 2.0e-3, hysteresis: 300, noise: 0.01, seed: 4}
"""


def isobar(*arguments):
    done = subprocess.run(["isobar", *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return done.stdout


class Taxels(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.scene = self.folder / "poke.yaml"
        self.scene.write_text(SCENE)

    def run_to(self, *arguments):
        return json.loads(isobar("run", self.scene, "--json", "--quiet", *arguments))

    def test_runs_recorded_replayed_and_restored_read_the_same_bits(self):
        plain = self.run_to()
        recording, state = self.folder / "poke.mcap", self.folder / "half.state"
        recorded = self.run_to("--record", recording)
        self.run_to("--until", "0.04", "--save", state)
        restored = self.run_to("--restore", state, "--record", self.folder / "rest.mcap")
        for other in (recorded, restored):
            self.assertEqual(other["state_hash"], plain["state_hash"])
            self.assertEqual(other["sensors"], plain["sensors"])
        isobar("replay", recording)
        isobar("replay", self.folder / "rest.mcap")

    def test_exports_have_states_and_readings_of_every_cell(self):
        recording, tables = self.folder / "poke.mcap", self.folder / "tables"
        self.run_to("--record", recording, "--frame-rate", "100")
        isobar("export", recording, "--csv", tables)
        cells, states = {}, set()
        for row in csv.DictReader((tables / "sensors.csv").read_text().splitlines()):
            if row["row"]:
                at = row["time_s"], row["row"], row["column"]
                cells.setdefault(at, {})[row["quantity"]] = float(row["value"])
        self.assertEqual(len(cells) % 36, 0)
        for cell in cells.values():
            speed = (cell["slip_x"] ** 2 + cell["slip_y"] ** 2) ** 0.5
            expected = 0 if cell["area"] == 0 else 2 if speed >= 0.01 else 1
            self.assertEqual(cell["stick_slip"], expected)
            # Hysteresis of 300 Pa, and six deviations of the noise.
            self.assertLess(abs(cell["reading"] - 2e-3 * cell["pressure"]), 0.6 + 0.06)
            states.add(expected)
        self.assertEqual(states, {0, 1, 2})


if __name__ == "__main__":
    unittest.main()
