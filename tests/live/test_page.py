# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Let Chromium open a live view (live_page.mjs does the checking).

Skipped with a message where node, Chromium, the viewer's npm packages or libwebsockets are missing.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from browser import ROOT, browser, what_is_missing as what_page_lacks  # noqa: E402
from test_live import SCENE, SKIPPED, Server, what_is_missing  # noqa: E402


class Page(unittest.TestCase):
    def test_a_browser_plays_drags_and_moves(self):
        with tempfile.TemporaryDirectory(prefix="isobar_live_") as folder:
            scene = pathlib.Path(folder) / "scene.yaml"
            scene.write_text(SCENE)
            with Server(scene) as server:
                command = ["node", str(ROOT / "tests/live/live_page.mjs"),
                           f"http://127.0.0.1:{server.port}/?token={server.token}", str(scene), browser()]
                pictures = os.environ.get("ISOBAR_PICTURES")
                done = subprocess.run(command + ([pictures] if pictures else []), capture_output=True,
                                      text=True, timeout=600, check=False)
        print(done.stdout)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    missing = what_page_lacks()
    if what_is_missing():
        missing.append(what_is_missing())
    if missing:
        print("skipped: missing " + ", ".join(missing))
        sys.exit(SKIPPED)
    unittest.main()
