# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""isobar identify: parameters from tables, a plot, and errors that name the line."""

import json
import math
import pathlib
import random
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree


def isobar(*arguments):
    return subprocess.run(["isobar", *map(str, arguments)], capture_output=True, text=True,
                          check=False)


class Identify(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def table(self, columns, rows, name="rig.csv"):
        path = self.folder / name
        path.write_text("# measured\n" + columns + "\n" +
                        "".join(",".join(map(repr, row)) + "\n" for row in rows))
        return path

    def found(self, path, *arguments):
        done = isobar("identify", path, "--json", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_every_kind_by_its_columns(self):
        rng = random.Random(4)
        k, p = 10 ** rng.uniform(5, 9), rng.uniform(1.2, 1.9)
        press = [(1e-6 * i, k * (1e-6 * i) ** p) for i in range(1, 60)]
        out = self.found(self.table("depth,force", press))
        self.assertEqual(out["kind"], "indentation")
        self.assertAlmostEqual(out["parameters"]["stiffness"]["value"] / k, 1, 5)
        self.assertAlmostEqual(out["parameters"]["exponent"]["value"], p, 6)
        mu, drop, viscous = rng.uniform(.1, .4), rng.uniform(.05, .2), rng.uniform(0, .1)
        slide = [(20.0, v, 20 * (mu + drop * math.exp(-(v / .05) ** 2) + viscous * v))
                 for v in (.004 * i for i in range(1, 100))]
        out = self.found(self.table("normal, speed ,friction", slide))  # in any order
        self.assertEqual(out["kind"], "sliding")
        self.assertAlmostEqual(out["parameters"]["friction_dynamic"]["value"], mu, 7)
        self.assertAlmostEqual(out["parameters"]["friction_static"]["value"], mu + drop, 7)
        self.assertAlmostEqual(out["parameters"]["stribeck_speed"]["value"], .05, 7)
        load, w, zeta = rng.uniform(5, 20), rng.uniform(50, 500), rng.uniform(.05, .9)
        fast = w * math.sqrt(1 - zeta ** 2)
        tap = [(t, 1e-5 * math.exp(-zeta * w * t) * math.sin(fast * t))
               for t in (.1 / w * i for i in range(200))]
        out = self.found(self.table("time,position", tap), "--load-per-mass", load)
        self.assertAlmostEqual(out["parameters"]["bristle_stiffness"]["value"] * load / w ** 2, 1, 6)
        self.assertAlmostEqual(out["parameters"]["bristle_damping"]["value"] * load / (2 * zeta * w),
                               1, 6)
        out = self.found(self.table("before,after", [(.1 * i, .07 * i) for i in range(1, 9)]))
        self.assertAlmostEqual(out["parameters"]["restitution"]["value"], .7, 12)
        self.assertAlmostEqual(out["parameters"]["damping_factor"]["value"], .44437979689, 9)

    def test_presses_in_any_of_three_ways(self):
        rng = random.Random(6)
        gain, offset, width, at = -3e-4, 1.5, 800.0, 0.0
        rows = []
        for i in range(240):
            p = 2e4 * (1 - abs(i % 60 - 30) / 30)
            at = min(max(at, p - width), p + width)
            rows.append((p, offset + gain * at + rng.gauss(0, .02)))
        path, plot = self.table("pressure,reading", rows), self.folder / "presses.svg"
        out = self.found(path, "--data", "presses")
        self.assertEqual(self.found(path, "-o", plot), out)
        self.assertEqual(out["kind"], "presses")
        truths = {"gain": gain, "offset": offset, "hysteresis": width, "noise": .02}
        for name, truth in truths.items():
            value, (low, high) = (out["parameters"][name][key] for key in ("value", "interval_95"))
            self.assertTrue(low < truth < high, (name, truth, low, high))
            self.assertTrue(low < value < high and high - low < .3 * abs(truth), (name, low, high))
        self.assertIn("hysteresis", plot.read_text())

    def test_table_and_plot_for_people(self):
        rng = random.Random(5)
        rows = [(1e-5 * i, max(1e8 * (1e-5 * i) ** 1.5 + rng.gauss(0, .1), 0)) for i in range(1, 40)]
        plot = self.folder / "fit.svg"
        done = isobar("identify", self.table("depth,force", rows), "--exponent", 1.5, "-o", plot)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("stiffness", done.stdout)
        root = xml.etree.ElementTree.parse(plot).getroot()
        circles = root.findall("{http://www.w3.org/2000/svg}circle")
        self.assertEqual(len(circles), len(rows))
        low, high = self.found(self.table("depth,force", rows), "--exponent",
                               1.5)["parameters"]["stiffness"]["interval_95"]
        self.assertTrue(.9e8 < low < high < 1.1e8, (low, high))

    def test_errors_name_file_line_value_and_range(self):
        good = [(.1 * i, .05 * i) for i in range(1, 9)]
        cases = [
            ("before,after", good[:3] + [(-1.0, 0.0)] + good, 3,
             ":6: before is -1 m/s, expected > 0"),
            ("before,after", good[:4], 3, "there are 4 samples, expected at least 5"),
            ("left,right", good, 3, "expected them to be called depth, force;"),
            ("depth,force", [(1.0, 2.0)] * 6, 3, "depth is the same in all samples"),
        ]
        for columns, rows, code, text in cases:
            path = self.table(columns, rows)
            done = isobar("identify", path)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertTrue(done.stderr.startswith(f"isobar: error: {path}"), done.stderr)
            self.assertIn(text, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)
        path = self.folder / "text.csv"
        path.write_text("before,after\n1,0.5\n2,high\n")
        self.assertIn(f"{path}:3: column 2 is 'high', expected a finite number",
                      isobar("identify", path).stderr)
        path.write_text("before|after\n1|0.5\n2|1\n")
        self.assertIn(f"{path}:2: column 1 is '1|0.5', expected a finite number",
                      isobar("identify", path).stderr)
        self.assertIn("No such file", isobar("identify", self.folder / "none.csv").stderr)
        self.assertIn("there is no column 'time', which 'tap' needs",
                      isobar("identify", self.table("before,after", good), "--data", "tap").stderr)
        path.write_text("before,after\n1,0.5\n2,high\n")
        done = isobar("identify", path, "--data", "taps")
        self.assertEqual(done.returncode, 2)
        self.assertIn("expected indentation, tap, sliding, impacts or presses", done.stderr)
        self.assertEqual(isobar("identify", path, "--exponent", "0.5").returncode, 2)
        same = self.table("before,after", good)
        self.assertIn("would replace the input", isobar("identify", same, "-o", same).stderr)

    def test_options_of_other_kinds_are_refused(self):
        rows = [(.1 * i, .05 * i, 9.0 + i) for i in range(1, 9)]
        columns = {"depth,force": "indentation", "time,position": "tap", "speed,friction,normal": "sliding",
                   "before,after": "impacts"}
        for names, kind in columns.items():
            path = self.table(names, [row[:len(names.split(","))] for row in rows])
            for option, owner in (("--exponent", "indentation"), ("--load-per-mass", "tap")):
                done = isobar("identify", path, option, "2")
                if owner != kind:
                    self.assertEqual(done.returncode, 3, (kind, option))
                    self.assertIn(f"of {owner} alone, and this is {kind}", done.stderr)
                else:
                    self.assertNotIn("alone", done.stderr)

    def test_units_in_names_and_signs(self):
        rows = [(.001 * i, 5.0 * i**1.5) for i in range(1, 12)]
        plain = isobar("identify", self.table("depth,force", rows)).stdout
        for names in ("depth [m],force [N]", "depth(m),force (N)", "depth [m],force"):
            self.assertEqual(isobar("identify", self.table(names, rows)).stdout, plain, names)
        for names, text in (("depth [furlong],force [N]", "'depth [furlong]' has a unit that is not known, expected 'depth' in m"),
                            ("depth,force (s)", "expected 'force' in N")):
            done = isobar("identify", self.table(names, rows))
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn(text, done.stderr)
        for signs in ((-1, 1), (1, -1)):
            done = isobar("identify", self.table("depth,force", [(signs[0] * d, signs[1] * f) for d, f in rows]))
            self.assertEqual(done.returncode, 3, done.stdout)
            self.assertIn("expected", done.stderr)

    def test_units_and_separators_do_not_change_what_is_found(self):
        """One measurement, written in drawn units, separators and decimal signs."""
        draw = random.Random(5)
        rows = [(.001 * i, 5.0 * i**1.5) for i in range(1, 12)]

        def value(text):
            found = json.loads(isobar("identify", text, "--json").stdout)["parameters"]
            return [found[name]["value"] for name in ("stiffness", "exponent")]

        plain = value(self.table("depth,force", rows))
        for _ in range(20):
            names, factors = [], []
            for name, units in (("depth", {"m": 1, "mm": 1e-3, "um": 1e-6, "\xb5m": 1e-6}),
                                ("force", {"N": 1, "mN": 1e-3, "kN": 1e3})):
                unit = draw.choice(sorted(units))
                names.append(draw.choice(("{} [{}]", "{} ({})", "{}/{}", "{}_{}")).format(name, unit))
                factors.append(units[unit])
            separator = draw.choice(",;\t")
            path = pathlib.Path(self.table(",".join(names), []))
            lines = [separator.join(names)] + [
                separator.join(repr(v / f) for v, f in zip(row, factors)) for row in rows]
            text = "\n".join(lines)
            if separator != "," and draw.random() < 0.5:
                text = text.replace(".", ",")
            path.write_text(text + "\n", encoding="utf-8")
            for mine, wanted in zip(value(str(path)), plain):
                self.assertAlmostEqual(mine / wanted, 1.0, delta=1e-9, msg=text)


if __name__ == "__main__":
    unittest.main()
