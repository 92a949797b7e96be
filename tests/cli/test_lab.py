# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""isobar lab: surfaces and contacts as files, tables and JSON; bad input is named."""

import json
import os
import pathlib
import resource
import struct
import subprocess
import tempfile
import time
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

    def test_surfaces_come_back_to_the_bit_with_pitch_and_period(self):
        for seed in range(14):
            draw = numpy.random.default_rng(seed)
            kind = ("white", "pink", "self-affine", "sine", "sphere")[seed % 5]
            path = self.folder / f"s{seed}{('.csv', '.npz')[seed % 2]}"
            made = lab("surface", "--kind", kind, "--points", draw.integers(8, 60), "--pitch", 10 ** draw.uniform(-9, 1),
                       *["--rms", 10 ** draw.uniform(-12, 3)] * (kind != "sphere"), *["--seed", seed] * (kind not in ("sine", "sphere")),
                       *["--profile"] * (seed % 3 == 0), "-o", path, "--json")
            self.assertEqual(made.returncode, 0, made.stderr)
            read = lab("surface", "--from", path, "-o", self.folder / "again.npz", "--json")
            self.assertEqual((read.returncode, read.stdout), (0, made.stdout), read.stderr)
            back = lab("surface", "--from", self.folder / "again.npz", "-o", self.folder / f"b{path.name}", "--json")
            self.assertEqual(back.stdout, made.stdout, back.stderr)
            self.assertEqual((self.folder / f"b{path.name}").read_bytes(), path.read_bytes())
            said = json.loads(made.stdout)
            twice = lab("surface", "--from", path, "--pitch", 2 * said["pitch"], "--json")
            self.assertIn("as given, but", twice.stderr)
            self.assertEqual(json.loads(twice.stdout)["pitch"], 2 * said["pitch"])

    def test_arrays_of_numpy_are_surfaces(self):
        heights = numpy.random.default_rng(1).normal(0, 1e-6, (7, 9))
        path = self.folder / "a.npz"
        for write in (numpy.savez, numpy.savez_compressed):
            for array in (heights, numpy.asfortranarray(heights), heights.astype("f4"), heights[0], heights[:, :1]):
                write(path, gaps=heights, heights=array, pitch=2e-6)
                found = lab("surface", "--from", path, "--json")
                self.assertEqual(found.returncode, 0, found.stderr)
                said = json.loads(found.stdout)
                self.assertEqual((said["rows"] * said["columns"], said["pitch"]), (array.size, 2e-6))
                self.assertAlmostEqual(said["mean"] * 1e6, array.mean(dtype="f8") * 1e6, places=12)
        for arrays, part in (({"gaps": heights}, "it has no array 'heights'"), ({"heights": heights}, "need one"),
                             ({"heights": heights[:2]}, "heights are 2 x 9"), ({"heights": heights * numpy.nan}, "finite"),
                             ({"heights": numpy.arange(9)}, "no list or matrix of floating-point")):
            numpy.savez(path, **arrays)
            found = lab("surface", "--from", path)
            self.assertEqual(found.returncode, 3, found.stderr)
            self.assertIn(part, found.stderr)
        numpy.savez_compressed(path, heights=heights, pitch=1e-6)
        whole, draw = path.read_bytes(), numpy.random.default_rng(2)
        for _ in range(40):  # damaged ones end with a message or with numbers
            data = bytearray(whole[:draw.integers(4, len(whole) + 1)])
            data[draw.integers(4, len(data))] ^= 1 << draw.integers(0, 8)
            path.write_bytes(data)
            self.assertIn(lab("surface", "--from", path, "--pitch", 1e-6).returncode, (0, 3))

    def test_images_that_state_points_per_metre_have_a_pitch(self):
        data = png(numpy.random.default_rng(3).integers(0, 256, (8, 12)), 8)
        body = b"pHYs" + struct.pack(">IIB", 500000, 500000, 1)
        path = self.folder / "m.png"
        path.write_bytes(data[:33] + struct.pack(">I", 9) + body + struct.pack(">I", zlib.crc32(body)) + data[33:])
        found = lab("surface", "--from", path, "--json")
        self.assertEqual(json.loads(found.stdout)["pitch"], 2e-6)
        self.assertIn("the pitch is 2e-06 m, that of the 1.27e+04 dots per inch it states", found.stderr)
        self.assertIn("but 2e-06 m as the file says", lab("surface", "--from", path, "--pitch", 1e-6).stderr)
        path.write_bytes(data)
        self.assertIn("a height map needs a pitch", lab("surface", "--from", path).stderr)

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

    def test_what_a_short_run_leaves_unknown_is_said_so(self):
        page = self.folder / "p.html"
        found = lab("e2", "--points", 12, "--across", 4, "--upper-points", 5, "--travel", 1e-7, "--page", page)
        self.assertEqual(found.returncode, 0, found.stderr)
        self.assertEqual(found.stdout.count("+- unknown"), 2)
        self.assertNotIn("nan", found.stdout)
        self.assertNotIn("nan", page.read_text(encoding="utf-8").split("<script")[0].split("<svg")[0])

    def test_the_thesis_table_is_shared_by_ranks_and_gone_on_with(self):
        state, table, page = (self.folder / name for name in ("j", "t.csv", "p.html"))
        small = ("e1", "--series", "poisson-0.5", "--surfaces", 2, "--points", 64, "--upper-points", 24,
                 "--height", 8, "--rms", 0.5, "--shortest", 8, "--kind", "pink", "--settle", 10,
                 "--state", state, "--json")
        ranks = [subprocess.Popen(["isobar", "lab", *map(str, small)], stdout=subprocess.PIPE, text=True,
                                  env={**os.environ, "OMPI_COMM_WORLD_SIZE": "2",
                                       "OMPI_COMM_WORLD_RANK": str(rank)}) for rank in range(2)]
        said = [rank.communicate()[0] for rank in ranks]
        self.assertEqual([rank.returncode for rank in ranks], [0, 0])
        self.assertEqual(said[1], "")
        found = json.loads(said[0])
        self.assertEqual([one["poisson"] for one in found["sets"]], [0.48, 0.25, 0.1, 0.05])
        self.assertTrue(all(one["slid"] == 2 and one["mean"] > 0.0 for one in found["sets"]))
        self.assertEqual(len(state.read_text(encoding="utf-8").splitlines()), 9)  # a head, and runs
        again = lab(*small, "--table", table, "--page", page)
        self.assertEqual(json.loads(again.stdout)["sets"], found["sets"])
        rows = numpy.genfromtxt(table, delimiter=",", skip_header=1)
        mean = rows[rows[:, 1] == 0.25][:, 5].mean()
        self.assertAlmostEqual(mean, found["sets"][1]["mean"], places=14)
        drawn = page.read_text(encoding="utf-8")
        self.assertIn("Figure 4.2 b", drawn)
        self.assertIn("thesis", drawn)
        self.assertNotIn("95 %", drawn)  # of two surfaces an interval hides all else
        other = lab(*small, "--friction-local", 0.1)
        self.assertEqual(other.returncode, 3)
        self.assertIn("of another sweep", other.stderr)
        wrong = lab("e1", "--series", "young,mass")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("--series 'young,mass' is unknown", wrong.stderr)

    def test_the_thesis_table_is_the_same_to_the_bit_after_kill_9(self):
        small = ("e1", "--series", "poisson-0.5", "--surfaces", 3, "--points", 64, "--upper-points", 24,
                 "--height", 8, "--rms", 0.5, "--shortest", 8, "--kind", "pink", "--settle", 10, "--workers", 2)
        state, kills = self.folder / "j", 0
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        whole = lab(*small, "--json", "--table", self.folder / "whole.csv")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertEqual(whole.returncode, 0, whole.stderr)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        said = json.loads(whole.stdout)
        self.assertLess(abs(said["cpu_s"] - spent), 0.3 * spent)  # however busy the machine is
        self.assertLessEqual(said["longest_run_cpu_s"], said["cpu_s"] / 4)
        for rows in (1, 4, 8):  # killed when so many runs are finished
            process = subprocess.Popen(["isobar", "lab", *map(str, small), "--state", state],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while process.poll() is None and (not state.exists() or state.read_bytes().count(b"\n") <= rows):
                time.sleep(0.002)
            kills += process.poll() is None
            process.kill()
            process.wait()
        self.assertGreaterEqual(kills, 2)
        found = lab(*small, "--json", "--state", state, "--table", self.folder / "again.csv")
        self.assertEqual(found.returncode, 0, found.stderr)
        self.assertEqual(json.loads(found.stdout)["sets"], json.loads(whole.stdout)["sets"])
        self.assertEqual((self.folder / "again.csv").read_bytes(), (self.folder / "whole.csv").read_bytes())

    def test_negative_friction_of_surfaces_comes_back_when_they_are_gone_on_with(self):
        small = ("slide", "--points", 64, "--upper-points", 24, "--height", "8e-6", "--settle", 4, "--travel", "1e-6",
                 "--quiet")
        whole, part, again = (self.folder / name for name in ("w.csv", "state", "a.csv"))
        self.assertEqual(lab(*small, "--surfaces", 4, "--table", whole).returncode, 0)
        self.assertLess(numpy.loadtxt(whole, delimiter=",", skiprows=2)[:, 1:3].min(), 0.0)
        rows = whole.read_text(encoding="utf-8").splitlines(keepends=True)
        for kept in range(3, 6):  # a head, names, and one surface or more
            part.write_text("".join(rows[:kept]), encoding="utf-8")
            found = lab(*small, "--surfaces", 4, "--state", part, "--table", again)
            self.assertEqual(found.returncode, 0, found.stderr)
            self.assertEqual(again.read_bytes(), whole.read_bytes())

    def test_small_grids_of_the_thesis_table_have_waves_and_blocks_that_fit(self):
        tiny = ("--series", "poisson-0.5", "--surfaces", 1, "--settle", 1, "--force-rate", 1e9, "--quiet")
        for grid in ((16,), (24, "--pitch", 0.1), (40, "--upper-points", 22), (64, "--upper-points", 13),
                     (96, "--pitch", 0.25, "--seed", 30), (128, "--upper-points", 60, "--seed", 98)):
            found = lab("e1", *tiny, "--points", *grid)
            self.assertEqual((found.returncode, "failed" in found.stderr), (0, False), (grid, found.stderr))

    def test_runs_that_fail_are_counted(self):
        tiny = ("e1", "--series", "young", "--surfaces", 2, "--points", 16, "--settle", 1, "--force-rate", 1e9)
        found = lab(*tiny, "--rms", 1e6, "--table", self.folder / "t.csv")
        self.assertEqual(found.returncode, 4)
        self.assertIn("error: 10 of 10 runs failed, so there is no table", found.stderr)
        self.assertFalse((self.folder / "t.csv").exists())
        found = lab(*tiny, "--load", 2e5)  # beyond the softest blocks' moduli
        self.assertEqual(found.returncode, 0)
        self.assertIn("warning: 4 of 10 runs failed", found.stderr)

    def test_levels_at_which_nothing_slid_have_no_rank(self):
        found = lab("e1", "--series", "poisson-0.5", "--surfaces", 1, "--points", 32, "--upper-points", 12,
                    "--height", 4, "--rms", 0.2, "--shortest", 4, "--kind", "pink", "--settle", 2, "--speed",
                    1e9, "--force-rate", 400, "--json")
        self.assertEqual(found.returncode, 0, found.stderr)
        [series] = json.loads(found.stdout)["series"]
        self.assertEqual([series[key] for key in ("slope", "effect", "rank")], [None, None, None])

    def test_blocks_of_few_asperities_are_warned_of(self):
        tiny = ("--points", 64, "--kind", "pink", "--settle", 1, "--height", 8)
        plane = ("slide", *tiny, "--travel", 1e-8)
        few = lab(*plane, "--upper-points", 24, "--shortest", 1.2e-5, "--rms", 1e-7)
        self.assertRegex(few.stderr, "the upper block has [0-3] asperit(y|ies), expected 4 or more")
        self.assertNotIn("asperit", lab(*plane, "--upper-points", 48, "--shortest", 2e-6, "--rms", 1e-7).stderr)
        many = lab("e1", "--series", "poisson-0.5", "--surfaces", 1, *tiny, "--upper-points", 12, "--rms", 0.1,
                   "--shortest", 5)
        self.assertEqual(many.stderr.count("asperit"), 1)  # told once of all runs

    def test_options_that_would_do_nothing_are_refused(self):
        for name, *options in (("--from", "e1", "--from", "x.csv"), ("--dimension", "e1", "--dimension", 3),
                               ("--young", "e1", "--young", 1e5), ("--film", "e1", "--film", "f.html"),
                               ("--across", "slide", "--across", 8), ("--sample", "slide", "--sample", 1e-5),
                               ("--printed", "slide", "--printed"), ("--series", "slide", "--series", "young"),
                               ("--hold", "slide", "--method", "explicit", "--hold", 1),
                               ("--film", "slide", "--surfaces", 2, "--film", "f.html")):
            found = lab(*options)
            self.assertEqual(found.returncode, 2, found.stderr)
            self.assertIn(f"{name} does nothing for", found.stderr)
        late = lab("e1", "-o", "x.txt")  # not after hours
        self.assertEqual(late.returncode, 2)
        self.assertIn("expected a name that ends in .npz", late.stderr)

    def test_the_order_of_options_of_a_surface_does_not_count(self):
        small = ("e2", "--points", 8, "--upper-points", 4, "--across", 4, "--settle", 1, "--travel", 1e-9, "--json")
        first, second = lab(*small, "--seed", 7), lab(*small[:1], "--seed", 7, *small[1:])
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertEqual(first.stdout, second.stdout)

    def test_an_option_of_a_surface_leaves_the_others_as_the_experiment_has_them(self):
        small = ("e3", "--points", 12, "--upper-points", 6, "--across", 6, "--settle", 1, "--force-rate", 1e9, "--json")
        plain = json.loads(lab(*small).stdout)
        for option, same, other in (("--rms", 0.0028, 0.001), ("--kind", "white", "pink")):
            for value, is_same in ((same, True), (other, False)):
                found = lab(*small, option, value)
                self.assertEqual(found.returncode, 0, found.stderr)
                self.assertEqual(json.loads(found.stdout)["stiffness"] == plain["stiffness"], is_same, option)
        tiny = ("e1", "--series", "poisson-0.5", "--surfaces", 1, "--settle", 1, "--force-rate", 1e9)
        for option, value in (("--points", 512), ("--rms", 5), ("--kind", "pink"), ("--shortest", 16),
                              ("--longest", 100)):
            states = [self.folder / name for name in (f"a{option}", f"b{option}")]
            for state, options in zip(states, ((), (option, value))):
                process = subprocess.Popen(["isobar", "lab", *map(str, tiny), "--state", state, *map(str, options)],
                                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                while process.poll() is None and (not state.exists() or b"\n" not in state.read_bytes()):
                    time.sleep(0.002)
                process.kill()
                process.wait()
            heads = [state.read_text(encoding="utf-8").splitlines()[0] for state in states]
            self.assertEqual(*heads, option)

    def test_images_with_colours_are_warned_of(self):
        for depth in (8, 16):
            grey = numpy.random.default_rng(depth).integers(0, 2 ** depth, (9, 7))
            for channels, colour, head in ((1, 0, 0), (2, 0, 4), (3, 0, 2), (3, 1, 2), (3, 2, 2), (4, 0, 6), (4, 1, 6)):
                pixels = numpy.repeat(grey[:, :, None], channels, axis=2)
                pixels[4, 3, colour] = (pixels[4, 3, colour] + (colour > 0)) % 2 ** depth
                if channels in (2, 4):
                    pixels[:, :, -1] = 3  # alpha is no colour
                data = bytearray(png(pixels.reshape(9, -1), depth))
                data[16:20], data[25] = struct.pack(">I", 7), head
                data[29:33] = struct.pack(">I", zlib.crc32(data[12:29]))
                path = self.folder / "m.png"
                path.write_bytes(data)
                found = lab("surface", "--from", path, "--pitch", 1e-6)
                self.assertEqual(found.returncode, 0, found.stderr)
                self.assertEqual(found.stderr.count("has colours"), int(colour > 0), (depth, channels, colour))

    def test_plain_slides_have_friction_that_stands_out_of_its_spread(self):
        for seed in (1, 2):
            found = lab("slide", "--points", 128, "--travel", 1.6e-5, "--seed", seed)
            self.assertEqual(found.returncode, 0, found.stderr)
            words = found.stdout.split("kinetic friction")[1].split()
            kinetic, error = float(words[0]), float(words[2].strip(","))
            self.assertGreater(kinetic, 3.0 * error)
            self.assertNotIn("most of that is height", found.stdout)
            self.assertNotIn("real time", found.stderr)

    def test_blocks_in_space_slide_and_a_film_shows_them(self):
        film, path = self.folder / "f.html", self.folder / "s.npz"
        found = lab("slide", "--dimension", 3, "--points", 8, "--upper-points", 4, "--across", 4,
                    "--height", 4e-6, "--travel", 1e-6, "--settle", 4, "--film", film, "-o", path,
                    "--json")
        self.assertEqual(found.returncode, 0, found.stderr)
        said, page = json.loads(found.stdout), film.read_text(encoding="utf-8")
        self.assertEqual(page.count('data:"'), said["steps"])
        with numpy.load(path) as data:
            self.assertEqual(data["places"].shape, (said["vertices"], 3))
            self.assertEqual(data["elements"].shape, (said["elements"], 4))
            self.assertGreater(data["stresses"].max(), 0.0)

    def test_a_coefficient_that_is_mostly_height_is_said_to_be(self):
        found = lab("slide", "--points", 64, "--upper-points", 24, "--rms", 3e-7, "--height", 1.6e-5,
                    "--shortest", 8e-6, "--travel", 4e-6, "--settle", 5)
        self.assertEqual(found.returncode, 0, found.stderr)
        words = found.stdout.split("kinetic friction")[1].replace(",", " ").split()
        whole, slope = float(words[0]), float(words[words.index("which") + 1])
        self.assertEqual("most of that is height" in found.stdout, abs(slope) > 0.5 * abs(whole))

    def test_blocks_slide_and_a_killed_run_goes_on(self):
        path, table, page = (self.folder / name for name in ("s.npz", "t.csv", "p.html"))
        small = ("slide", "--points", 64, "--upper-points", 24, "--rms", 3e-7, "--height", 1.6e-5,
                 "--shortest", 8e-6, "--travel", 6e-6, "--settle", 5, "--beta", 1e-5, "--json")
        found = lab(*small, "-o", path, "--table", table, "--page", page)
        self.assertEqual(found.returncode, 0, found.stderr)
        said = json.loads(found.stdout)
        with numpy.load(path) as data:
            after = data["time"] >= 0.0
            weight = said["normal_force"]
            numpy.testing.assert_allclose(data["normal"][after], weight, rtol=0.05)
            self.assertEqual(len(data["time"]), said["steps"])
            self.assertEqual(data["elements"].max() + 1, len(data["places"]))
        self.assertGreater(said["static_friction"], 0.0)
        self.assertIn("Blocks at the end", page.read_text(encoding="utf-8"))
        state, again = self.folder / "state", self.folder / "again.csv"
        shorter = list(small)
        shorter[shorter.index(6e-6)] = 4e-6
        self.assertEqual(lab(*shorter, "--state", state).returncode, 0)
        found = lab(*small, "--state", state, "--table", again)
        self.assertEqual(found.returncode, 0, found.stderr)
        self.assertEqual(again.read_text(), table.read_text())
        found = lab(*small, "--state", state, "--young", 2e6)
        self.assertEqual(found.returncode, 3, found.stderr)
        self.assertIn("the state of other blocks", found.stderr)

    def test_many_surfaces_go_on_where_they_were(self):
        state, table = self.folder / "rows", self.folder / "all.csv"
        small = ("slide", "--kind", "pink", "--points", 48, "--upper-points", 20, "--rms", 3e-7,
                 "--height", 8e-6, "--shortest", 8e-6, "--settle", 4, "--beta", 1e-5, "--speed",
                 0.05, "--force-rate", 400, "--step", 1e-5, "--json", "--quiet")
        one = lab(*small, "--surfaces", 2, "--state", state)
        self.assertEqual(one.returncode, 0, one.stderr)
        both = json.loads(lab(*small, "--surfaces", 3, "--state", state).stdout)
        whole = json.loads(lab(*small, "--surfaces", 3, "--table", table).stdout)
        self.assertEqual(both, whole)
        self.assertEqual(state.read_text(), table.read_text())
        values = [value for value in whole["static_friction"] if value is not None]
        self.assertAlmostEqual(whole["mean"], numpy.mean(values), places=12)
        self.assertAlmostEqual(whole["deviation"], numpy.std(values, ddof=1), places=12)
        alone = json.loads(lab(*small, "--seed", 2).stdout)["static_friction"]
        self.assertEqual(alone, whole["static_friction"][1])
        found = lab(*small, "--surfaces", 3, "--state", state, "--young", 2e6)
        self.assertEqual(found.returncode, 3, found.stderr)
        self.assertIn("rows of other options", found.stderr)

    def test_bad_input_is_named(self):
        profile = self.folder / "profile.csv"
        profile.write_text("".join(f"{i}e-6,{i % 3}e-7\n" for i in range(9)))
        for arguments, code, part in (
            (["glide"], 2, "unknown experiment 'glide', expected surface"),
            (["glide", "--help"], 2, "unknown experiment 'glide', expected surface"),
            (["slid", "--help"], 2, "or e4; did you mean 'slide'?"),
            (["surface", "--hurst", 2], 2, "--hurst is '2', expected a number > 0, at most 1"),
            (["contact", "--tolerance", 5], 2, "--tolerance is '5', expected a number from 1e-14"),
            (["surface", "--points", 10**9], 2, "expected a whole number, 4 to 8192"),
            (["surface", "--pitch", 1e300], 3, "the pitch is 1e+300 m, expected 1e-15 to 1e6"),
            (["contact", "--load", "3:1:4"], 2, "--load is '3:1:4'"),
            (["slide", "--poisson", 0.5], 3, "lower block: Poisson's ratio is 0.5"),
            (["slide", "--young", -1], 2, "--young is '-1', expected a number > 0"),
            (["slide", "--method", "exact"], 2, "expected implicit or explicit"),
            (["slide", "--method", "explicit", "--step", 1], 3, "expected below the stability"),
            (["slide", "--load", "1:2:3"], 2, "--load has several pressures, expected one"),
            (["slide", "--load", 1e30], 3, "--load is 1e+30 Pa, expected at most Young's modulus"),
            (["slide", "--press", 1e30], 3, "the load is 1e+30 N/m, a mean pressure of "),
            (["contact", "--load", 1e30], 3, "--load is 1e+30 Pa, expected at most the contact modulus"),
            (["slide", "--points", 8192, "--dimension", 3], 3, "expected at most 1000000 of blocks in space"),
            (["slide", "--longest", 1e-4, "--upper-points", 20], 3, "expected at most the length of the upper"),
            (["slide", "--threads", 0], 2, "--threads is '0'"),
            (["contact", "--contact-modulus", 1e-300], 3, "the contact modulus is 1e-300 Pa, expected in [1e-100, 1e+100]"),
            (["surface", "--rms", 1e300], 3, "the rms height is 1e+300 m, expected 1e-30 to 1e9"),
            (["surface", "--kind", "sphere", "--radius", 1e-300], 3, "the radius is 1e-300 m, expected 1e-15 to 1e15"),
            (["slide", "--friction-local", 1e300], 3, "friction is 1e+300, expected >= 0, at most 1000"),
            (["slide", "--speed", 1e300], 3, "the speed in m/s is 1e+300, expected > 0, at most 1e+12"),
            (["slide", "--points", 16, "--travel", 1e300], 3, "expected at most 1e9: a smaller --travel"),
            (["slide", "--points", 16, "--method", "explicit", "--beta", 1], 3, "times critical for the highest mode"),
            (["e2", "--points", 8, "--upper-points", 4, "--across", 4, "--alpha", 2**31], 3, "alpha at most "),
            (["slide", "--points", 16, "--method", "explicit", "--sample", 1e3], 3, "between samples are"),
            (["e2", "--threads", 2], 2, "--threads does nothing"),
            ([], 2, "experiment missing for 'lab'"),
            (["contact", "--profile"], 2, "--profile"),
            (["contact", "--from", profile], 3, "a profile has no contact area"),
            (["surface", "-o", self.folder / "x.txt"], 2, "expected a name that ends in .csv or .npz"),
            (["surface", "--from", self.folder / "none.csv"], 3, "none.csv"),
            # Refused before the surface is made, which these options do not allow.
            (["contact", "--pitch", 1e300, "-o", self.folder / "x.csv"], 2,
             "expected a name that ends in .npz"),
        ):
            found = lab(*arguments)
            self.assertEqual(found.returncode, code, found.stderr)
            self.assertIn(part, found.stderr)

    def test_a_flat_image_has_no_height_but_rounding(self):
        path = self.folder / "flat.png"
        path.write_bytes(png(numpy.full((16, 16), 30001), 16))
        flat = ("--from", path, "--pitch", 1e-6, "--height-unit", 1e-6)
        found = lab("surface", *flat, "--json")
        self.assertEqual(found.returncode, 0, found.stderr)
        self.assertEqual([json.loads(found.stdout)[key] for key in ("rms_height", "skewness")], [0.0, 0.0])
        found = lab("contact", *flat)
        self.assertEqual(found.returncode, 3)
        self.assertIn("the surface is flat", found.stderr)

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
            (["contact", "--young", 2], "--young does nothing for 'lab contact'"),
            (["slide", "--free"], "--free does nothing for 'lab slide'"),
            (["--free", "slide"], "--free does nothing for 'lab slide'"),
            (["slide", "--workers", 2], "--workers does nothing for 'lab slide'"),
            (["rigid", "--page", "p.html"], "--page does nothing for 'lab rigid'"),
            (["e4", "--table", "t.csv"], "--table does nothing for 'lab e4'"),
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
            name = "x.html" if option == "--page" else "x.csv"
            for path in (pipe, self.folder, self.folder / "none" / name, "/dev/full"):
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
