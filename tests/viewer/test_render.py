# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""isobar render: a film that a browser plays, a picture, and arrays whose pixels, put back into the
world by depth and camera, lie on the bodies that they are said to be of.

Skipped with a message where Chromium or the build's page is missing.
"""

import os
import pathlib
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zlib

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from browser import browser  # noqa: E402

SKIPPED = 77
HALF = np.array([0.03, 0.02, 0.05])  # of the box [m]
SCENE = """
simulation: {time_step: 5.0e-3, until: 0.4}
bodies:
- name: box
  fixed: true
  geometry: [{name: skin, shape: box, size: [0.06, 0.04, 0.1], compliance: rigid}]
  pose: {translation: [0.1, 0, 0.3], rotation: {deg: [20, 30, 50]}}
- name: ball
  mass: 0.1
  geometry: [{name: skin, shape: sphere, radius: 0.03, compliance: compliant, modulus: 1.0e+5, margin: 0}]
  pose: {translation: [-0.1, 0, 0.5]}
"""
PLAYER = """<video id=v muted src="film.webm"></video><p id=said></p><script>
const v = document.getElementById("v"), canvas = document.createElement("canvas"), seen = [];
const look = () => {
    canvas.width = v.videoWidth; canvas.height = v.videoHeight;
    const context = canvas.getContext("2d");
    context.drawImage(v, 0, 0);
    const data = context.getImageData(0, 0, canvas.width, canvas.height).data;
    return data.reduce((sum, value) => sum + value, 0) / data.length;
};
v.onloadeddata = () => { v.currentTime = 0.01; };
v.onseeked = () => {
    try { seen.push(look()); } catch (error) { seen.push(String(error)); }
    if (v.currentTime < 0.2) { v.currentTime = 0.3; return; }
    said.textContent = [v.duration, v.videoWidth, v.videoHeight, ...seen].join(" ");
};
v.onerror = () => { said.textContent = "error " + v.error.message; };
</script>"""


def isobar(*arguments, **environment):
    return subprocess.run(["isobar", *map(str, arguments)], capture_output=True, text=True,
                          timeout=300, env=dict(os.environ, **environment))


class Render(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory(prefix="isobar_render_test_")
        cls.addClassCleanup(directory.cleanup)
        cls.folder = pathlib.Path(directory.name)
        (cls.folder / "fall.yaml").write_text(SCENE)
        cls.recording = cls.folder / "fall.mcap"
        done = isobar("run", cls.folder / "fall.yaml", "--record", cls.recording, "--quiet")
        assert done.returncode == 0, done.stderr

    def render(self, name, *options):
        path = self.folder / name
        with tempfile.TemporaryDirectory(prefix="r") as temporary:
            done = isobar("render", self.recording, "-o", path, *options, TMPDIR=temporary)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(os.listdir(temporary), [], "something is left of the browser")
        return path

    def test_picture_has_its_size_and_shows_something(self):
        data = self.render("one.png", "--size", "160x90", "--at", "0.2").read_bytes()
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        width, height = struct.unpack(">II", data[16:24])
        self.assertEqual((width, height), (160, 90))
        packed, at = b"", 8
        while at < len(data):
            size, kind = struct.unpack(">I4s", data[at:at + 8])
            packed += data[at + 8:at + 8 + size] if kind == b"IDAT" else b""
            at += 12 + size
        rows = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, -1)[:, 1:]
        self.assertGreater(len(np.unique(rows)), 10, "nothing is drawn")

    def test_pixels_lie_on_the_bodies_that_they_are_of(self):
        path = self.render("seen.npz", "--size", "160x120", "--frame-rate", "5",
                           "--camera", "0.3,-0.5,0.6,0,0,0.4")
        seen = np.load(path)
        self.assertEqual(list(seen["bodies"]), [b"world", b"ball", b"box"])
        np.testing.assert_allclose(seen["times"], [0, 0.2, 0.4])
        self.assertEqual(seen["rgb"].shape, (3, 120, 160, 3))
        self.assertFalse(np.array_equal(seen["rgb"][0], seen["rgb"][1]), "the ball falls")
        focal_x, focal_y, centre_x, centre_y = seen["camera"][:4]
        rotation, origin = seen["camera"][4:13].reshape(3, 3), seen["camera"][13:]
        np.testing.assert_allclose(rotation.T @ rotation, np.eye(3), atol=1e-6)
        np.testing.assert_allclose(origin, [0.3, -0.5, 0.6], atol=1e-6)

        def places(frame, body):
            row, column = np.nonzero(seen["segmentation"][frame] == body)
            depth = seen["depth"][frame][row, column]
            self.assertGreater(len(depth), 50)
            rays = np.stack([(column + 0.5 - centre_x) / focal_x, (row + 0.5 - centre_y) / focal_y,
                             np.ones(len(row))])
            return (rotation @ (rays * depth)).T + origin

        roll, pitch, yaw = np.radians([20, 30, 50])
        turn = [np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])
                for a in (roll, pitch, yaw)]
        swap = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]])  # x to y to z
        rotation_wb = (swap @ swap @ turn[2] @ swap.T @ swap.T) @ (swap @ turn[1] @ swap.T) @ turn[0]
        for frame in range(3):
            local = (places(frame, 2) - [0.1, 0, 0.3]) @ rotation_wb
            off = np.abs(np.max(np.abs(local) - HALF, axis=1))
            # Corners are drawn at sixteenths of a pixel, which is 3 mm here.
            self.assertLess(off.max(), 3e-4)  # measured 9.5e-5
        height = 0.5 - 0.5 * 9.81 * 0.2**2  # of the ball
        radii = np.linalg.norm(places(1, 1) - [-0.1, 0, height], axis=1)
        # The ball is a polyhedron, and the step falls by g t dt / 2 = 5 mm more.
        self.assertLess(np.abs(radii - 0.03).max(), 0.011)
        self.assertTrue(np.isinf(seen["depth"][seen["segmentation"] == 65535]).all())

    def test_a_browser_plays_the_film(self):
        self.render("film.webm", "--size", "96x64", "--frame-rate", "10")
        (self.folder / "player.html").write_text(PLAYER)
        for milliseconds in (5000, 20000, 80000):  # a busy machine decodes late
            done = subprocess.run(
                [browser(), "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
                 "--allow-file-access-from-files", f"--virtual-time-budget={milliseconds}",
                 f"--user-data-dir={self.folder / 'profile'}", f"file://{self.folder}/player.html"],
                capture_output=True, text=True, timeout=240)
            said = re.search(r'<p id="said">(.*?)</p>', done.stdout)
            self.assertIsNotNone(said, done.stdout + done.stderr)
            if said[1]:
                break
        values = said[1].split()
        self.assertAlmostEqual(float(values[0]), 5 / 10, 2, said[1])
        self.assertEqual(values[1:3], ["96", "64"])

    def test_nothing_is_left_of_an_interrupted_film(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with tempfile.TemporaryDirectory(prefix="r") as temporary:
                path = self.folder / "cut.webm"
                run = subprocess.Popen(["isobar", "render", self.recording, "-o", path, "--speed", "0.001"],
                                       stderr=subprocess.PIPE, text=True,
                                       env=dict(os.environ, TMPDIR=temporary))
                while run.poll() is None and not list(pathlib.Path(temporary).glob("*/profile")):
                    time.sleep(0.02)
                run.send_signal(number)
                said = run.communicate(timeout=60)[1]
                self.assertEqual(run.returncode, -number, said)
                self.assertIn("interrupted", said)
                self.assertEqual(os.listdir(temporary), [])
                self.assertFalse(path.exists())

    def test_what_cannot_be_made_is_said(self):
        for options, code, words in (
                (["-o", "x.png", "--size", "3"], 2, "WxH"),
                (["-o", "x.png", "--size", "33x32"], 2, "both even"),
                (["-o", "x.png", "--camera", "1,2"], 2, "six finite numbers"),
                (["-o", "x.d/film"], 2, "expected a name that ends in .webm, .mp4"),
                (["-o", "x.png", "--camera", "1,2,3,1,2,3"], 2, "two places that differ"),
                (["-o", "x.png", "--at", "99"], 3, "--at is 99 s, expected 0 to "),
                (["-o", "x.webm", "--at", "0.1"], 2, "--at does nothing for 'x.webm'"),
                (["-o", "x.png", "--speed", "2"], 2, "--speed does nothing for 'x.png'"),
                (["-o", "x.png", "--frame-rate", "9"], 2, "--frame-rate does nothing for 'x.png'"),
                ([], 2, "is missing")):
            done = isobar("render", self.recording, *options)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(words, done.stderr)
        done = isobar("render", self.recording, "-o", self.folder / "x.mp4",
                      ISOBAR_FFMPEG="/nonexistent/ffmpeg", ISOBAR_CHROMIUM="/nonexistent/chromium")
        self.assertEqual(done.returncode, 3)
        self.assertIn("needs ffmpeg", done.stderr)
        done = isobar("render", self.recording, "-o", self.folder / "x.png",
                      ISOBAR_CHROMIUM="/nonexistent/chromium")
        self.assertEqual(done.returncode, 3)
        self.assertIn("no Chromium can be started", done.stderr)
        self.assertEqual(list(self.folder.glob("x.*")), [])


if __name__ == "__main__":
    if not browser():
        print("skipped: no Chromium")
        sys.exit(SKIPPED)
    unittest.main()
