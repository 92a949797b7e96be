# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""`isobar compare`: what each model finds against closed forms and `isobar run`, and the page."""

import html
import json
import math
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from browser import browser  # noqa: E402

BALL = """
name: ball <1>
simulation: {{method: rk45, accuracy: 1.0e-7, time_step: 2.0e-3, until: 0.4}}
bodies:
- name: floor
  fixed: true
  geometry: [{{name: top, shape: half_space, compliance: rigid}}]
- name: ball
  mass: {mass}
  geometry:
  - {{name: skin, shape: sphere, radius: {radius}, compliance: compliant, modulus: {modulus},
     young_modulus: {modulus}, resolution_hint: {hint}, margin: 0, dissipation: {dissipation}{more}}}
  pose: {{translation: [0, 0, {height}]}}
"""
BLOCK = """
- name: block
  mass: 1
  geometry: [{name: skin, shape: box, size: [0.1, 0.1, 0.1], compliance: compliant, modulus: 1.0e+5}]
  pose: {translation: [1, 0, 0.05]}
"""
SEED = int(os.environ.get("ISOBAR_TEST_SEED", "20260728"))


def isobar(*arguments):
    return subprocess.run(["isobar", *map(str, arguments)], capture_output=True, text=True, check=False)


def has_viewer():
    return "no viewer" not in isobar("view", "missing.mcap", "-o", "missing.html").stderr


class Compare(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def scene(self, more="", seed=SEED, other=""):
        drawn = random.Random(seed)
        self.radius, self.mass = drawn.uniform(0.03, 0.08), drawn.uniform(0.2, 1.0)
        self.modulus = 10 ** drawn.uniform(5.5, 6.5)
        path = self.folder / "ball.yaml"
        path.write_text(BALL.format(radius=self.radius, mass=self.mass, modulus=self.modulus, more=more,
                                    hint=self.radius / 5, height=self.radius, dissipation=20) + other)
        return path

    def compare(self, scene, *arguments):
        done = isobar("compare", scene, "--json", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["models"], done.stderr

    def test_each_model_rests_where_it_should(self):
        runs, _ = self.compare(self.scene())
        self.assertEqual([run["model"] for run in runs], ["pressure_field", "volumetric", "hertz"])
        weight = 9.81 * self.mass
        depths = {}
        for run in runs:
            contact, = run["contacts"]
            self.assertEqual(contact["model"], run["model"])
            self.assertEqual(run["contacts_of_other_models"], 0)
            self.assertAlmostEqual(abs(contact["force"][2]) / weight, 1, delta=1e-3)
            position = run["bodies"]["ball"]["position"]
            depths[run["model"]] = depth = self.radius - position[2]
            # of a spherical cap: volume and area of the flat side
            volume = math.pi * depth**2 * (self.radius - depth / 3)
            area = math.pi * (2 * self.radius - depth) * depth
            self.assertAlmostEqual(contact["overlap"] / volume, 1, delta=1e-5)
            self.assertAlmostEqual(contact["depth"] * area / volume, 1, delta=1e-5)
        reduced = self.modulus / (1 - 0.3**2)
        closed = (0.75 * weight / (reduced * self.radius**0.5)) ** (2 / 3)
        self.assertAlmostEqual(depths["hertz"] / closed, 1, delta=1e-2)
        for run in runs[1:]:
            body, = run["differences"]["bodies"]
            self.assertAlmostEqual(body["distance"], abs(depths[run["model"]] - depths["pressure_field"]),
                                   delta=1e-9)
        self.assertIsNone(runs[0]["differences"])

    def test_a_model_moves_as_in_a_run_of_its_own_whatever_materials_name(self):
        plain = self.scene()
        own = {}
        for model in ("hertz", "volumetric"):
            done = isobar("run", plain, "--json", "--quiet", "--set", f"simulation.contact_model={model}")
            own[model] = json.loads(done.stdout)["bodies"]["ball"]
        runs, _ = self.compare(self.scene(more=", model: hertz"), "--models", "volumetric,hertz")
        for run in runs:
            self.assertEqual(run["bodies"]["ball"], own[run["model"]])

    def test_pairs_that_a_model_cannot_take_are_counted(self):
        runs, _ = self.compare(self.scene(other=BLOCK), "--models", "hertz", "--until", "0.05")
        found = {contact["pair"][0]: contact["model"] for contact in runs[0]["contacts"]}
        self.assertEqual(found, {"ball": "hertz", "block": "pressure_field"})
        self.assertEqual(runs[0]["contacts_of_other_models"], 1)

    def test_a_model_that_cannot_run_is_said_and_the_others_run(self):
        scene = self.scene(more=", restitution: 0.5, restitution_speed: 0").read_text()
        path = self.folder / "latched.yaml"
        path.write_text(scene.replace("dissipation: 20, ", ""))
        runs, told = self.compare(path, "--until", "0.02")
        self.assertIn("model pressure_field does not run: ", told)
        self.assertEqual([run["error"] is None for run in runs], [False, True, True])
        self.assertFalse(runs[1]["differences"])  # what others differ from is the first that ran
        self.assertEqual([b["name"] for b in runs[2]["differences"]["bodies"]], ["ball"])
        done = isobar("compare", path, "--models", "pressure_field")
        self.assertEqual(done.returncode, 3)

    def test_bad_lists_and_files(self):
        scene = self.scene()
        for models in ("", "herz", "hertz,", "hertz,hertz", "default"):
            done = isobar("compare", scene, "--models", models)
            self.assertEqual(done.returncode, 2, models)
            self.assertIn("--models", done.stderr)
        scene.write_text("bodies: 3\n")
        done = isobar("compare", scene)
        self.assertEqual(done.returncode, 3)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_the_page_shows_all_recordings_and_asks_nobody(self):
        if not has_viewer():
            self.skipTest("this build has no viewer")
        page = self.folder / "page.html"
        done = isobar("compare", self.scene(), "--until", "0.1", "--quiet", "-o", page)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["ball.yaml", "page.html"])
        text = page.read_text()
        frames = re.findall(r"""<iframe title='(\w+)' srcdoc="([^"]*)">""", text)
        self.assertEqual([name for name, _ in frames], ["pressure_field", "volumetric", "hertz"])
        for _, inner in frames:
            self.assertIn('id="isobar-data"', html.unescape(inner))
        self.assertNotRegex(text, r"""(src|href)=["']?(https?:|/)""")
        if browser() is None:
            self.skipTest("no Chromium")
        shown = subprocess.run(
            [browser(), "--headless=new", "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader",
             "--enable-unsafe-swiftshader", "--virtual-time-budget=60000", "--dump-dom", page.as_uri()],
            capture_output=True, text=True, check=True, timeout=120).stdout
        slider = re.search(r"""<input id="time"[^>]*max="(\d+)""", shown)
        self.assertEqual(int(slider.group(1)), 6, "frames of 0.1 s at 60 Hz, from 0")
        self.assertIn('<output id="now">0.000 s</output>', shown)

    def test_an_end_that_is_never_reached_is_refused(self):
        done = isobar("compare", self.scene(), "--until", 1e300)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("no model makes a step: stopping at 1e+300 s takes 5e+302 steps", done.stderr)

    def test_inspect_names_models_and_what_stays_a_pressure_field(self):
        scene = self.scene(more=", model: hertz", other=BLOCK)
        done = isobar("inspect", scene, "--set", "simulation.contact_model=hertz")
        self.assertIn("contact model hertz", done.stdout)
        self.assertIn("compliant, sphere, model hertz", done.stdout)
        self.assertRegex(done.stderr, "contact model hertz cannot take 1 of 1 pairs, such as .*'block'")
        told = json.loads(isobar("inspect", scene, "--json").stdout)
        self.assertEqual(told["contact_model"], "pressure_field")
        models = {geometry["body"]: geometry["model"] for geometry in told["geometries"]}
        self.assertEqual(models, {"floor": "default", "ball": "hertz", "block": "default"})

    def test_impacts_at_their_own_speed_are_warned_of_at_the_velocity_level(self):
        scene = self.scene(more=", model: hertz, restitution: 0.5, restitution_speed: 0")
        scene.write_text(scene.read_text().replace("dissipation: 20, ", ""))
        for method, is_told in (("lagged", True), ("rk45", False)):
            done = isobar("inspect", scene, "--set", f"simulation.method={method}")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual("not at the speed of each impact" in done.stderr, is_told, done.stderr)
            self.assertIn("restitution 0.5 at the speed of each impact", done.stdout)


if __name__ == "__main__":
    unittest.main()
