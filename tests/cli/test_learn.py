# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""isobar lab learn, and what it learned as the friction of a scene."""

import json
import pathlib
import subprocess
import tempfile
import unittest

SCENE = """
simulation: {{time_step: 0.001, until: 0.3, friction: regularized}}
materials:
  steel: {{friction: {{learned: m.json, material: steel}}}}
  other: {{friction: {{learned: m.json, {other}}}}}
bodies:
- {{name: floor, fixed: true, geometry: [{{name: top, shape: half_space, material: steel}}]}}
- name: box
  mass: 1
  geometry: [{{name: skin, shape: box, size: [0.2, 0.2, 0.02], compliance: compliant,
              modulus: 1.0e+6, material: other}}]
  pose: {{translation: [0, 0, 0.00999]}}
initial: [{{body: box, velocity: {{linear: [4, 0, 0]}}}}]
"""


def isobar(*arguments):
    return subprocess.run(["isobar", *map(str, arguments)], capture_output=True, text=True)


class Learn(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.model = self.folder / "m.json"

    def learn(self, *arguments):
        found = isobar("lab", "learn", "--model", "gp", "-o", self.model, "--json", *arguments)
        self.assertEqual(found.returncode, 0, found.stderr)
        return json.loads(found.stdout)

    def run_scene(self, other):
        path = self.folder / "scene.yaml"
        path.write_text(SCENE.format(other=other), encoding="utf-8")
        return isobar("run", path, "--json")

    def test_a_box_slides_with_the_friction_of_its_pair(self):
        for name in ("Copper", "Wood", "Teflon"):
            learned = self.learn("--pair", "Steel," + name, "--page", self.folder / "p.html")
            found = self.run_scene("material: " + name)
            self.assertEqual(found.returncode, 0, found.stderr)
            self.assertNotIn("warning", found.stderr)
            lost = 4.0 - json.loads(found.stdout)["bodies"]["box"]["velocity"][0]
            # Measured 0.2 to 0.5 %: of the normal force, which settles.
            self.assertAlmostEqual(lost / (0.3 * 9.81 * learned["pair"]["friction"]), 1.0, delta=0.02)
            self.assertIn("<svg", (self.folder / "p.html").read_text(encoding="utf-8"))

    def test_what_was_never_seen_is_a_warning(self):
        self.learn()
        found = self.run_scene("young_modulus: 1.0e+5, poisson: 0.05, density: 20000")
        self.assertEqual(found.returncode, 0, found.stderr)
        self.assertIn("standard deviations outside what the model learned from", found.stderr)

    def test_bad_scenes_and_models_are_named(self):
        self.learn()
        good = json.loads(self.model.read_text(encoding="utf-8"))
        for other, part in (("material: Stee", "did you mean 'Steel'"),
                            ("poisson: 0.3", "friction needs either material"),
                            ("material: Steel, density: 1", "friction needs either material"),
                            ("materiel: Steel", "materiel"),
                            ("young_modulus: -1, poisson: 0.3, density: 1", "young_modulus is -1")):
            found = self.run_scene(other)
            self.assertEqual(found.returncode, 3, found.stderr)
            self.assertIn(part, found.stderr)
            self.assertIn("scene.yaml:5", found.stderr)
        for change, part in ((lambda m: m.pop("kind"), "kind is missing"),
                             (lambda m: m.update(format="x"), "format is 'x'"),
                             (lambda m: m.update(features="y"), "features is 'y', expected raw"),
                             (lambda m: m.pop("lengths"), "lengths is missing"),
                             (lambda m: m["rows"][3]["a"].update(density=-2), "rows[3].a.density"),
                             (lambda m: m["rows"][2].pop("b"), "rows[2].b is missing"),
                             (lambda m: m.update(rows=[]), "rows is missing"),
                             (lambda m: m.update(variance="1"), "variance is no number")):
            bad = json.loads(json.dumps(good))
            bad.pop("check")
            change(bad)
            self.model.write_text(json.dumps(bad), encoding="utf-8")
            found = self.run_scene("material: Wood")
            self.assertEqual(found.returncode, 3, found.stderr)
            self.assertIn(part, found.stderr)
            self.assertIn("m.json", found.stderr)
        self.model.unlink()
        self.assertIn("m.json", self.run_scene("material: Wood").stderr)

    def test_rows_of_a_file_are_learned(self):
        rows = self.folder / "rows.csv"
        line = "a{0},{1},0.3,2000,b{0},{2},0.2,8000,0.{0}\n"
        rows.write_text("a,E,nu,rho,b,E,nu,rho,mu\n# comment\n"
                        + "".join(line.format(i, 10 * i, 200 - i) for i in range(1, 7)),
                        encoding="utf-8")
        self.assertEqual(self.learn("--from", rows)["rows"], 6)
        for text, part in (("a,1,.3,1,b,1,.3,1\n", "8 columns, expected 9"),
                           ("x\n" * 3, "1 columns"),
                           ("a,1,.3,1,b,1,.7,1,.5\n", "rows.csv:1: Poisson's ratio is 0.7"),
                           ("a,1,.3,1,b,1,.3,1,-5\n", "friction is '-5'"),
                           ("a,1,.3,1,b,1,.3,1,.5\n", "1 rows to learn from")):
            rows.write_text(text, encoding="utf-8")
            found = isobar("lab", "learn", "--model", "gp", "--from", rows)
            self.assertEqual(found.returncode, 3, found.stderr)
            self.assertIn(part, found.stderr)

    def test_wrong_usage_is_told(self):
        for arguments, code, part in ((["--kind", "pink"], 2, "--kind does nothing"),
                                      (["--model", "x"], 2, "expected svr or gp"),
                                      (["--model", "gp", "--features", "raw"], 3, "raw features"),
                                      (["--model", "gp", "--pair", "Steel"], 2, "--pair is 'Steel'"),
                                      (["--model", "gp", "--pair", "Steel,X"], 3, "called 'X'")):
            found = isobar("lab", "learn", *arguments)
            self.assertEqual(found.returncode, code, found.stderr)
            self.assertIn(part, found.stderr)

    def test_friction_of_a_rough_contact_is_that_of_its_table(self):
        table = self.folder / "mu.csv"
        found = isobar("lab", "contact", "--points", 32, "--shear", "2e5:0.1", "--load", "1e5:1e6:3",
                       "--table", table, "--json")
        self.assertEqual(found.returncode, 0, found.stderr)
        loads = json.loads(found.stdout)["loads"]
        for load in loads:
            expected = 0.1 + 2e5 * load["contact_share"] / load["mean_pressure"]
            self.assertAlmostEqual(load["friction"], expected, delta=2e-3)
        scene = self.folder / "scene.yaml"
        text = SCENE.replace("{{learned: m.json, material: steel}}", "{{TABLE}}").replace(
            "{{learned: m.json, {other}}}", "{{TABLE}}").format()
        wanted = 0.5 * (loads[0]["friction"] + loads[1]["friction"])
        middle = (loads[0]["mean_pressure"] * loads[1]["mean_pressure"]) ** 0.5
        scene.write_text(text.replace("TABLE", f"table: mu.csv, pressure: {middle}"), encoding="utf-8")
        found = isobar("run", scene, "--json")
        self.assertEqual(found.returncode, 0, found.stderr)
        lost = 4.0 - json.loads(found.stdout)["bodies"]["box"]["velocity"][0]
        self.assertAlmostEqual(lost / (0.3 * 9.81 * wanted), 1.0, delta=0.02)
        for words, part in (("table: mu.csv, pressure: 1.0e+9", "its nearest row is taken"),
                            ("table: mu.csv", "pressure"), ("table: no.csv, pressure: 1", "no.csv"),
                            ("table: mu.csv, pressure: -1", "pressure is -1"),
                            ("table: mu.csv, pressure: 1, material: x", "material")):
            scene.write_text(text.replace("TABLE", words), encoding="utf-8")
            self.assertIn(part, isobar("run", scene).stderr)

    def test_rigid_formulations_are_one_table(self):
        table = self.folder / "t.csv"
        found = isobar("lab", "rigid", "--scene", "diagonal", "--json", "--table", table)
        self.assertEqual(found.returncode, 0)
        self.assertIn("with method sap slip adds to the normal force", found.stderr)  # and nothing else
        self.assertEqual(found.stderr.count("\n"), 1, found.stderr)
        rows = {row["law"]: row for row in json.loads(found.stdout)["rows"]}
        self.assertEqual(len(rows), 11)
        self.assertAlmostEqual(rows["pyramid, Gauss-Seidel"]["value"], 0.0, places=9)
        for law in ("polygon, Lemke", "exact cone, Newton", "world, lagged, stick"):
            self.assertAlmostEqual(rows[law]["value"], 0.981, places=4)
        self.assertEqual(len(table.read_text(encoding="utf-8").splitlines()), 12)
        problem = self.folder / "p.hdf5"
        found = isobar("lab", "rigid", "--scene", "table", "-o", problem)
        if "need HDF5" not in found.stderr:
            found = isobar("lab", "rigid", "--from", problem, "--json")
            self.assertEqual((found.returncode, found.stderr), (0, ""))
            self.assertEqual(json.loads(found.stdout)["contacts"], 4)
            self.assertIn("no HDF5 file", isobar("lab", "rigid", "--from", table).stderr)
        found = isobar("lab", "rigid", "--scene", "rod")
        self.assertIn("none exists", found.stdout)
        self.assertIn("--seed does nothing", isobar("lab", "rigid", "--seed", 1).stderr)
        self.assertIn("expected incline", isobar("lab", "rigid", "--scene", "x").stderr)


if __name__ == "__main__":
    unittest.main()
