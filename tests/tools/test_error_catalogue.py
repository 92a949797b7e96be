# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""The catalogue of errors is true of the sources, and docs/errors.md is made of it."""

import os
import pathlib
import subprocess
import unittest

ROOT = pathlib.Path(os.environ.get("ISOBAR_SOURCE_DIR", pathlib.Path(__file__).parents[2]))


class Catalogue(unittest.TestCase):
    def test_page_and_catalogue_are_true_of_the_sources(self):
        check = subprocess.run([ROOT / "tools" / "error_page", "--check"], capture_output=True,
                               text=True)
        self.assertEqual(check.returncode, 0, check.stdout + check.stderr)

    def test_catalogue_has_examples_of_real_runs(self):
        lines = (ROOT / "src" / "errors.tsv").read_text(encoding="utf-8").splitlines()
        with_example = sum(line.split("\t")[5] != "" for line in lines[1:])
        self.assertGreater(with_example, 250)


if __name__ == "__main__":
    unittest.main()
