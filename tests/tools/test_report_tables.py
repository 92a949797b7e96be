# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Tables of reports take the rows of a report and keep the others."""

import importlib.machinery
import importlib.util
import json
import os
import pathlib
import random
import sys
import tempfile
import unittest

ROOT = pathlib.Path(os.environ.get("ISOBAR_SOURCE_DIR", pathlib.Path(__file__).parents[2]))


def load():
    path = str(ROOT / "tools" / "report_tables")
    loader = importlib.machinery.SourceFileLoader("report_tables", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def write(folder, name, rows):
    path = pathlib.Path(folder) / name
    path.write_text(json.dumps(rows))
    return path


class Verdicts(unittest.TestCase):
    def test_the_page_of_models_says_what_drawn_numbers_say(self):
        sys.path.insert(0, str(ROOT / "tests" / "validate"))
        page = importlib.import_module("models_page")
        draw = random.Random(4)
        for _ in range(50):
            rows, said = [], []
            for model in draw.sample(page.MODELS, draw.randint(1, 3)):
                shares = [draw.choice((0.0, 0.001, 0.25, 3.0)) for _ in range(draw.randint(1, 4))]
                rows += [{"id": "a", "quantity": f"{model}: {i}", "reference": -2.0, "ours": -2.0 * (1.0 - share),
                          "pass": share < 0.1} for i, share in enumerate(shares)]
                within = sum(share < 0.1 for share in shares)
                said.append(f"{model}: {within} of {len(shares)} within bounds, off by up to {max(shares):.2%}")
            draw.shuffle(rows)
            found = page.verdict(rows)
            self.assertEqual(sorted(found.removesuffix(".").split("; ")), sorted(said))
        for row in ({"reference": None}, {"reference": 0.0}):
            row |= {"quantity": "depth, hertz", "ours": 1.0, "pass": True}
            self.assertEqual(page.verdict([row]), "hertz: 1 of 1 within bounds.")


class Tables(unittest.TestCase):
    def test_every_study_has_a_row(self):
        self.assertEqual(load().check(), [])

    def test_nearest_row_is_that_with_the_largest_share_of_its_limit(self):
        rows = [{"study": "laws", "id": name, "error": error, "tolerance": tolerance, "pass": passed}
                for name, error, tolerance, passed in
                (("near", 0.3, 0.4, True), ("far", 5.0, 100.0, True), ("told", 0.0, None, True),
                 ("lost", 3.0, 2.0, False))]
        lines = ["| `laws` | by hand | - | - | - | - |", "| `coin` | other | 1 | 0 | x | then |"]
        with tempfile.TemporaryDirectory() as folder:
            path = write(folder, "report.json", rows)
            made = load().new_validation(lines, path)
            day = load().day_of(path)
        self.assertEqual(made, [f"| `laws` | by hand | 4 | 1 | 3 of 2 (`lost`) | {day} |", lines[1]])

    def test_report_without_drake_does_not_take_its_numbers_away(self):
        lines = ["| `scene/slope` | 20 | 9.4 | 200 | 21 | 4.4 | - |"]
        ours = {"case": "scene/slope", "engine": "isobar", "us": 8.0, "faces": 20.2}
        drake = {"case": "scene/slope", "engine": "drake", "us": 180.0, "ratio": 22.4}
        points = {"case": "scene/slope", "engine": "mujoco", "us": 4.0}
        with tempfile.TemporaryDirectory() as folder:
            alone = write(folder, "alone.json", [ours])
            whole = write(folder, "whole.json", [ours, drake, points])
            self.assertEqual(load().new_performance(lines, alone), lines)
            made = load().new_performance(lines, whole)
            day = load().day_of(whole)
        self.assertEqual(made, [f"| `scene/slope` | 20 | 8 | 180 | 22 | 4 | {day} |"])


if __name__ == "__main__":
    unittest.main()
