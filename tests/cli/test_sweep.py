# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""`isobar sweep`: what it computes, and that no end of its processes loses or repeats anything."""

import csv
import itertools
import json
import math
import os
import pathlib
import random
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

SLIDE = """
name: slide
simulation: {time_step: 1.0e-3, gravity: [0, 0, -9.81], friction: regularized}
bodies:
- name: floor
  fixed: true
  geometry: [{name: top, shape: box, size: [4, 4, 0.2], compliance: rigid, friction: 0.3}]
  pose: {translation: [0, 0, -0.1]}
- name: block
  mass: 1.0
  geometry: [{name: skin, shape: box, size: [0.3, 0.3, 0.02], modulus: 1.0e6, friction: 0.3}]
  pose: {translation: [0, 0, 0.0099989]}
  velocity: {linear: [1, 0, 0]}
"""
SEED = int(os.environ.get("ISOBAR_TEST_SEED", "20260728"))


def isobar(*arguments, **more):
    return subprocess.run(["isobar", *map(str, arguments)], capture_output=True, text=True,
                          check=False, **more)


def lines_of(journal):
    """The whole lines of a journal: the last one may be cut."""
    if not journal.exists():
        return []
    whole = journal.read_bytes().rpartition(b"\n")[0]
    return [json.loads(line) for line in whole.splitlines()]


def finished(journal):
    """{variant: line}; a variant that is there twice fails."""
    found = {}
    for line in lines_of(journal):
        if "variant" in line:
            assert line["variant"] not in found, f"{line['variant']} was run twice"
            found[line["variant"]] = line
    return found


class Sweep(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.scene = self.folder / "slide.yaml"
        self.scene.write_text(SLIDE)
        self.table = self.folder / "table.csv"
        self.journal = self.folder / "table.csv.journal"

    def arguments(self, count=20, until=0.3, table=None):
        return ["sweep", self.scene, "--over", f"friction=0.1:0.6:{count}", "--over",
                "modulus=1e5,1e6", "--until", until, "--measure", "x(block)", "--measure",
                "min_margin(block)", "-o", table or self.table]

    def rows(self, table=None):
        with open(table or self.table, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def test_a_sliding_block_loses_speed_by_the_friction_of_its_variant(self):
        draw = random.Random(SEED)
        values = sorted(round(draw.uniform(0.05, 0.9), 3) for _ in range(4))
        done = isobar("sweep", self.scene, "--over", "friction=" + ",".join(map(str, values)),
                      "--until", 0.1, "--measure", "speed(block)", "--measure",
                      "slip(block|floor)", "--measure", "mean_force(block)", "-o", self.table)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = self.rows()
        self.assertEqual([float(row["friction"]) for row in rows], values)
        for row in rows:
            mu = float(row["friction"])
            if mu * 9.81 * 0.1 > 0.9:
                continue  # comes to rest
            # v = v0 - mu g t; measured 9e-5 of mu g t
            self.assertAlmostEqual(float(row["speed(block)"]), 1 - mu * 9.81 * 0.1,
                                   delta=3e-4 * mu * 0.981)
            # The same summed over the ends of 100 steps; measured 7e-6.
            self.assertAlmostEqual(float(row["slip(block|floor)"]), 0.1 - mu * 9.81 * 0.00505, delta=3e-5)
            self.assertAlmostEqual(float(row["mean_force(block)"]), 9.81, delta=1e-6)  # measured 7e-8

    def test_a_variant_is_what_run_gives_with_its_settings(self):
        done = isobar("sweep", self.scene, "--over", "bodies.block.mass=0.5,2", "--over",
                      "simulation.time_step=1e-3:2e-3:2", "--until", 0.05, "--measure", "x(block)",
                      "--measure", "z(block)", "-o", self.table, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        variants = json.loads(done.stdout)["variants"]
        self.assertEqual(len(variants), 4)
        for variant, (mass, step) in zip(variants, itertools.product(("0.5", "2"), ("0.001", "0.002"))):
            self.assertEqual(variant["over"], {"bodies.block.mass": mass, "simulation.time_step": step})
            run = json.loads(isobar("run", self.scene, "--until", 0.05, "--json", "--set",
                                    f"bodies.block.mass={mass}", "--set",
                                    f"simulation.time_step={step}").stdout)
            block = run["bodies"]["block"]
            self.assertEqual([variant["measures"]["x(block)"], variant["measures"]["z(block)"]],
                             [block["position"][0], block["position"][2]])

    def test_kill_9_at_any_moment_loses_no_finished_variant_and_repeats_none(self):
        whole = self.folder / "whole.csv"
        began = time.monotonic()
        self.assertEqual(isobar(*self.arguments(table=whole)).returncode, 0)
        took = time.monotonic() - began
        draw = random.Random(SEED)
        seen, kills, ended = {}, 0, 0
        while kills < 20:
            process = subprocess.Popen(["isobar", *map(str, self.arguments())],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                       start_new_session=True)
            time.sleep(took * draw.uniform(0.0, 0.2))
            is_running = process.poll() is None
            if is_running and draw.random() < 0.5:
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()  # the workers are left without a parent
            process.wait()
            kills += is_running
            now = finished(self.journal)
            for variant, line in seen.items():
                self.assertEqual(now.get(variant), line, f"variant {variant} was lost")
            seen = now
            if not is_running or len(now) == 40:  # done before all kills: once more, from nothing
                self.check_whole(whole)
                self.journal.unlink()
                self.table.unlink()
                seen = {}
                ended += 1
                self.assertLess(ended, 20, "the sweep ends before it can be killed")
        self.check_whole(whole)

    def check_whole(self, whole):
        """The sweep goes on to its end, with the table of one that nobody killed, and then has nothing to do."""
        last = isobar(*self.arguments(), "--json")
        self.assertEqual(last.returncode, 0, last.stderr)
        self.assertEqual(self.table.read_bytes(), whole.read_bytes())
        self.assertEqual(sorted(finished(self.journal)), list(range(40)))
        again = json.loads(isobar(*self.arguments(), "--json").stdout)
        self.assertEqual(again["computed"], 0)

    def test_a_line_that_was_cut_is_written_again(self):
        self.assertEqual(isobar(*self.arguments(count=3, until=0.02)).returncode, 0)
        table, text = self.table.read_bytes(), self.journal.read_bytes()
        draw = random.Random(SEED)
        for _ in range(6):
            self.journal.write_bytes(text[: draw.randrange(len(text))])
            self.table.unlink()
            done = isobar(*self.arguments(count=3, until=0.02))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.table.read_bytes(), table)
            self.assertEqual(sorted(finished(self.journal)), list(range(6)))

    def test_several_commands_share_the_work(self):
        whole = self.folder / "whole.csv"
        self.assertEqual(isobar(*self.arguments(count=8, table=whole)).returncode, 0)
        crew = [subprocess.Popen(["isobar", *map(str, self.arguments(count=8)), "--workers", "1", "--json"],
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
                for _ in range(3)]
        for process in crew:
            process.communicate()
            self.assertEqual(process.returncode, 0)
        self.assertEqual(self.table.read_bytes(), whole.read_bytes())
        self.assertEqual(sorted(finished(self.journal)), list(range(16)))

    @unittest.skipIf(shutil.which("mpirun") is None, "mpirun (Open MPI) is not installed")
    def test_ranks_of_mpirun_share_the_work(self):
        whole = self.folder / "whole.csv"
        self.assertEqual(isobar(*self.arguments(count=6, table=whole)).returncode, 0)
        environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        done = subprocess.run(["mpirun", "--oversubscribe", "-n", "3", "isobar",
                               *map(str, self.arguments(count=6)), "--quiet"], capture_output=True,
                              text=True, check=False, env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.table.read_bytes(), whole.read_bytes())
        self.assertEqual(sorted(finished(self.journal)), list(range(12)))

    def test_a_variant_that_kills_its_process_is_given_up(self):
        process = subprocess.Popen(["isobar", *map(str, self.arguments(count=1, until=300)), "--workers",
                                    "1", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
        killed = []
        while process.poll() is None:
            found = children.read_text().split() if children.exists() else []
            if found and found[0] not in killed:
                time.sleep(0.1)  # it is at work by then
                os.kill(int(found[0]), signal.SIGKILL)
                killed.append(found[0])
            time.sleep(0.01)
        self.assertEqual(len(killed), 4)
        out, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 4)
        for variant in json.loads(out)["variants"]:
            self.assertIn("2 processes died at it, the last by signal 9", variant["error"])

    def test_what_fails_is_said_in_the_table(self):
        done = isobar("sweep", self.scene, "--over", "simulation.time_step=1e-3,-1", "--until", 0.01,
                      "--measure", "x(block)", "-o", self.table)
        self.assertEqual(done.returncode, 0)
        good, bad = self.rows()
        self.assertEqual(good["error"], "")
        self.assertEqual(bad["x(block)"], "")
        self.assertIn("time_step is -1", bad["error"])
        self.assertIn("variant 1 failed", done.stderr)

    def test_mistakes_are_named_before_anything_runs(self):
        for axis, measure, code, part in (
                ("frction=1", "x(block)", 2, "no parameter 'frction'"),
                ("friction=-1", "x(block)", 2, "'friction' is -1, expected a number >= 0"),
                ("friction=1:2:0", "x(block)", 2, "expected a whole number"),
                ("modulus=0:1e6:4:log", "x(block)", 2, "equal ratios"),
                ("modulus(floor)=1e5", "x(block)", 3, "changes nothing"),
                ("friction=1,", "x(block)", 2, "value 2 of 'friction' is empty"),
                ("bodies.blok.mass=1", "x(block)", 3, "bodies"),
                ("friction", "x(block)", 2, "NAME=VALUES"),
                ("friction=1", "x(blok)", 3, "did you mean 'block'"),
                ("friction=1", "slipp(block)", 2, "did you mean 'slip'"),
                ("friction=1", "x", 2, "no measure")):
            done = isobar("sweep", self.scene, "--over", axis, "--measure", measure, "-o", self.table)
            self.assertEqual(done.returncode, code, (axis, measure, done.stderr))
            self.assertIn(part, done.stderr)
            self.assertFalse(self.journal.exists())
        done = isobar("sweep", self.scene, "--over", "friction=1", "--measure", "x(block)")
        self.assertEqual(done.returncode, 2)
        self.assertIn("-o TABLE.csv is missing", done.stderr)
        done = isobar(*self.arguments(count=2, until=0.01), "--page", self.journal)
        self.assertEqual(done.returncode, 2)
        self.assertIn("expected a name that ends in .html", done.stderr)

    def test_what_is_printed_goes_into_no_file_in_the_place_of_a_closed_stream(self):
        line = ["isobar", *map(str, self.arguments(2, 0.01)), "--json"]
        done = subprocess.run(line, stderr=subprocess.PIPE, text=True, check=False,
                              preexec_fn=lambda: (os.close(0), os.close(1)))
        self.assertEqual(done.returncode, 3)
        self.assertIn("cannot be written to stdout", done.stderr)
        self.assertEqual(sorted(finished(self.journal)), [0, 1, 2, 3])
        self.assertEqual(isobar(*self.arguments(2, 0.01)).returncode, 0)

    def test_the_journal_of_another_sweep_is_refused(self):
        self.assertEqual(isobar(*self.arguments(count=2, until=0.01)).returncode, 0)
        done = isobar(*self.arguments(count=2, until=0.02))
        self.assertEqual(done.returncode, 3)
        self.assertIn("is of another sweep", done.stderr)
        self.scene.write_text(SLIDE.replace("mass: 1.0", "mass: 1.5"))
        self.assertEqual(isobar(*self.arguments(count=2, until=0.01)).returncode, 3)

    def test_the_page_has_a_plot_for_each_measure_and_a_curve_for_each_modulus(self):
        page = self.folder / "page.html"
        done = isobar(*self.arguments(count=3, until=0.01), "--page", page)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = page.read_text(encoding="utf-8")
        self.assertEqual(text.count("<svg"), 2)
        self.assertEqual(text.count("<polyline"), 4)
        self.assertIn("modulus = 1e5", text)
        points = text.split("points='")[1].split("'")[0].split()
        self.assertEqual(len(points), 3)
        self.assertTrue(all(math.isfinite(float(n)) for p in points for n in p.split(",")))


if __name__ == "__main__":
    unittest.main()
