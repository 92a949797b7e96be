# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Build the viewer's page and let Chromium open it (view_page.mjs does the checking).

Skipped with a message where node, Chromium or the viewer's npm packages are missing.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from browser import ROOT, browser, what_is_missing  # noqa: E402

SKIPPED = 77
BINARY_DIR = pathlib.Path(os.environ.get("ISOBAR_BINARY_DIR", "/nonexistent"))
# Writes a page from a made-up recording (tests/record/test_export.c), where it is built.
RECORDER = BINARY_DIR / "tests/test_record_export"


def built_page(work_dir):
    """The page of this build, or one built here where the build has no viewer."""
    page = BINARY_DIR / "viewer/index.html"
    if page.exists():
        return page
    subprocess.run(
        ["npm", "run", "--silent", "build", "--", "--outDir", work_dir, "--emptyOutDir"],
        cwd=ROOT / "viewer", check=True, stdout=subprocess.DEVNULL,
    )
    return pathlib.Path(work_dir) / "index.html"


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory(prefix="isobar_viewer_")
        cls.addClassCleanup(cls.directory.cleanup)
        cls.page = built_page(os.path.join(cls.directory.name, "dist"))

    def test_page_is_one_file_with_one_place_for_data(self):
        text = self.page.read_text(encoding="utf-8")
        self.assertEqual(text.count("@@ISOBAR_DATA@@"), 1)
        self.assertEqual(text.count('id="isobar-data"'), 1)
        for outside in ('src="http', 'href="http', "url(http", 'src="/', 'src="./', 'href="./'):
            self.assertNotIn(outside, text)

    def test_no_pressure_is_told_where_the_field_goes_on_outside_the_skin(self):
        done = subprocess.run(
            ["node", "--input-type=module", "-e",
             f"import {{ pressure }} from '{(ROOT / 'viewer/src/data/units.js').as_uri()}';"
             "console.log([12300, 0, -9810].map(pressure).join('|'));"],
            capture_output=True, text=True, check=False)
        self.assertEqual(done.stdout.strip(), "12.3 kPa|0 Pa|no pressure (margin)", done.stderr)

    def test_page_draws_plays_and_picks(self):
        command = ["node", str(ROOT / "tests/viewer/view_page.mjs"), str(self.page),
                   self.directory.name, browser()]
        if RECORDER.exists():
            subprocess.run([str(RECORDER), self.directory.name, str(self.page)], check=True)
            command.append(os.path.join(self.directory.name, "view.html"))
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        print(done.stdout)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    missing = what_is_missing("npm")
    if missing:
        print("skipped: missing " + ", ".join(missing))
        sys.exit(SKIPPED)
    unittest.main()
