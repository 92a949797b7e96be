# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""isobar lab: surfaces and contacts as files, tables and JSON; bad input is named."""

import json
import os
import pathlib
import struct
import subprocess
import tempfile
import unittest
import zlib

import numpy


def lab(*arguments):
    return subprocess.run(["isobar", "lab", *map(str, arguments)], capture_output=True, text=True)


def png(grey, depth):
    """An image of grey values, of 8 or 16 bits."""
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", grey.shape[1], grey.shape[0], depth, 0, 0, 0, 0)
    lines = b"".join(b"\0" + row.astype(">u2" if depth == 16 else "u1").tobytes() for row in grey)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines))
            + chunk(b"IEND", b""))


class Lab(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_a_surface_comes_back_from_its_file(self):
        for seed in range(3):
            path = self.folder / "s.csv"
            made = lab("surface", "--points", 32, "--seed", seed, "-o", path, "--json")
            self.assertEqual(made.returncode, 0, made.stderr)
            heights = numpy.loadtxt(path, delimiter=",")
            self.assertAlmostEqual(heights.std() / 1e-7, 1.0, places=12)
            read = lab("surface", "--from", path, "--pitch", 1e-6, "--page", self.folder / "p.html",
                       "--json")
            self.assertEqual(read.returncode, 0, read.stderr)
            self.assertEqual(json.loads(read.stdout)["columns"], 32)
            self.assertIn("<svg", (self.folder / "p.html").read_text(encoding="utf-8"))

    def test_pressures_of_the_archive_carry_the_load(self):
        path, table = self.folder / "c.npz", self.folder / "t.csv"
        found = lab("contact", "--points", 32, "--load", "1e5:1e6:3", "-o", path, "--table", table,
                    "--json")
        self.assertEqual(found.returncode, 0, found.stderr)
        loads = json.loads(found.stdout)["loads"]
        with numpy.load(path) as data:
            self.assertAlmostEqual(data["pressures"].mean() / 1e6, 1.0, places=10)
            self.assertEqual((data["pressures"] > 0).mean(), loads[-1]["contact_share"])
            self.assertEqual((data["pressures"] * data["gaps"]).max(), 0.0)
        rows = numpy.loadtxt(table, delimiter=",", skiprows=1)
        numpy.testing.assert_array_equal(rows[:, 1], [row["contact_share"] for row in loads])

    def test_bad_input_is_named(self):
        for arguments, code, part in (
            (["slide"], 2, "unknown experiment 'slide', expected surface"),
            (["surface", "--hurst", 2], 2, "--hurst is '2', expected a number > 0, at most 1"),
            (["contact", "--tolerance", 5], 2, "--tolerance is '5', expected a number from 1e-14"),
            (["surface", "--points", 10**9], 2, "expected a whole number, 4 to 8192"),
            (["surface", "--pitch", 1e300], 3, "the pitch is 1e+300 m, expected 1e-15 to 1e6"),
            (["contact", "--load", "3:1:4"], 2, "--load is '3:1:4'"),
            ([], 2, "experiment missing for 'lab'"),
            (["contact", "--profile"], 3, "a profile has no contact area"),
            (["surface", "-o", self.folder / "x.txt"], 3, "expected a name that ends in .npz"),
            (["surface", "--from", self.folder / "none.csv"], 3, "none.csv"),
        ):
            found = lab(*arguments)
            self.assertEqual(found.returncode, code, found.stderr)
            self.assertIn(part, found.stderr)

    def test_grey_values_of_an_image_are_heights(self):
        for seed in range(8):
            draw = numpy.random.default_rng(seed)
            depth = 8 if seed % 2 else 16
            rows, columns = draw.integers(4, 40, 2)
            grey = draw.integers(0, 2**depth, (rows, columns))
            image, path = self.folder / "map.png", self.folder / "map.csv"
            image.write_bytes(png(grey, depth))
            read = lab("surface", "--from", image, "--pitch", 1e-6, "--height-unit", 2e-6, "-o",
                       path, "--quiet")
            self.assertEqual(read.returncode, 0, read.stderr)
            heights = numpy.loadtxt(path, delimiter=",")
            numpy.testing.assert_allclose(heights, 2e-6 * grey / (2**depth - 1), rtol=1e-14, atol=0)

    def test_options_without_use_are_wrong_usage(self):
        for arguments, part in (
            (["surface", "--table", "t.csv"], "--table does nothing for 'lab surface'"),
            (["surface", "--load", 1], "--load does nothing for 'lab surface'"),
            (["surface", "--from", "x.csv", "--seed", 2], "--seed does nothing"),
            (["contact", "--height-unit", 2], "--height-unit is given without --from"),
        ):
            found = lab(*arguments)
            self.assertEqual(found.returncode, 2, found.stderr)
            self.assertIn(part, found.stderr)

    def test_files_appear_whole_or_not_at_all(self):
        pipe, kept = self.folder / "pipe", self.folder / "kept.html"
        os.mkfifo(pipe)
        kept.write_text("before", encoding="utf-8")
        small = ("contact", "--points", 8, "--load", 1e6)
        for option in ("--page", "--table"):
            for path in (pipe, self.folder, self.folder / "none" / "x", "/dev/full"):
                found = lab(*small, option, path, "--quiet")
                self.assertEqual((found.returncode, found.stdout), (3, ""), path)
                self.assertIn(str(path), found.stderr)
        full = "ulimit -f 1; trap '' XFSZ; exec isobar lab surface --quiet --page " + str(kept)
        found = subprocess.run(["sh", "-c", full], capture_output=True, text=True)
        self.assertEqual(found.returncode, 3, found.stderr)
        self.assertEqual(kept.read_text(encoding="utf-8"), "before")
        self.assertEqual(sorted(self.folder.iterdir()), [kept, pipe])

    def test_quiet_prints_nothing(self):
        for kind in ("surface", "contact"):
            found = lab(kind, "--points", 8, "--quiet")
            self.assertEqual((found.returncode, found.stdout, found.stderr), (0, "", ""))


if __name__ == "__main__":
    unittest.main()
