# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Every option either changes what comes out, or is refused: drawn beside other options, with two
values that differ, the output differs too."""

import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from test_usage import ENDINGS, options_of  # noqa: E402

# Values of each option. None: it takes none, and is left out instead.
LEARN = {"--model": ["svr", "gp"], "--features": ["raw", "standard", "log"], "--one-way": [None],
         "--pair": ["Steel,Copper", "Steel,Wood"], "--from": ["rows.csv", "fewer.csv"]}
SLIDE = {
    "--kind": ["white", "pink", "sphere"], "--points": ["8", "12"], "--pitch": ["5e-3", "6e-3"],
    "--rms": ["1e-3", "2e-3"], "--hurst": ["0.3", "0.9"], "--roll-off": ["0.015", "0.03"],
    "--shortest": ["0.011", "0.02"], "--longest": ["0.021", "0.024"], "--radius": ["1", "3"],
    "--seed": ["3", "4"], "--height-unit": ["1", "2"], "--load": ["1e3", "1e4"], "--young": ["1e11", "2e11"],
    "--upper-young": ["5e10", "3e11"], "--poisson": ["0.3", "0.4"], "--block-density": ["5e2", "2e3"],
    "--alpha": ["1e3", "1e5"], "--beta": ["1e-9", "2e-8"], "--height": ["0.03", "0.05"],
    "--gravity": ["1e4", "1e5"], "--speed": ["1e-3", "0.05"], "--travel": ["1e-6", "2e-6"],
    "--force-rate": ["1e5", "2e5"], "--step": ["1e-8", "3e-8"], "--friction-local": ["0.1", "0.5"],
    "--tow": ["1e10", "1e12"], "--upper-points": ["4", "6"], "--settle": ["2", "4"],
    "--dimension": ["2", "3"], "--across": ["4", "6"], "--reach": ["0.009", "0.02"],
    "--contact-stiffness": ["2e-6", "4e-6"], "--press": ["5", "20"], "--sample": ["1e-6", "2e-6"],
    "--hold": ["1e-6", "1e-5"], "--method": ["implicit", "explicit"], "--from": ["map.csv", "steep.csv"],
    "--damp-highest": [None], "--printed": [None], "--surfaces": ["2", "3"],
}
PREPARE = {
    "--units": ["mm", "cm"], "--scale": ["1", "2"], "--weld": ["1e-9", "2e-2"], "--size": ["8e-3", "1e-2"],
    "--solid": [None], "--grading": ["1", "3"], "--layers": ["1", "3"], "--density": ["1e3", "2e3"],
    "--mesher": ["gmsh", "auto"], "--field": ["distance", "poisson"], "--backing": ["0,0,0,0,0,1", "0,0,20,0,0,1"],
    "--core": ["core.obj", "core2.obj"], "--modulus": ["1e5", "1e6"], "--dissipation": ["1", "20"],
    "--friction": ["0.2", "0.9"], "--name": ["a", "b"],
}
SCENE = """
simulation: {time_step: 1.0e-3, until: 0.03}
bodies:
- name: floor
  fixed: true
  geometry: [{name: top, shape: half_space, compliance: rigid}]
- name: ball
  mass: 0.1
  geometry: [{name: skin, shape: sphere, radius: 0.05, modulus: 1.0e+5, resolution_hint: 0.02}]
  pose: {translation: [0, 0, 0.049]}
"""
OF_SCENES = {"--dt": ["1e-3", "2e-3"], "--set": ["bodies.ball.pose.translation=[0, 0, 0.0485]", "bodies.ball.pose.translation=[0, 0, 0.048]"], "--keyframe": []}
RUN = {**OF_SCENES, "--until": ["0.02", "0.04"], "--frame-rate": ["100", "400"], "--no-faces": [None],
       "--json-contacts": [None], "--exact-energy": [None], "--size-limit": ["7k", "9k"], "--restore": ["state", "later"],
       "--hash": []}
SWEEP = {**OF_SCENES, "--until": ["0.02", "0.04"], "--over": ["friction=0.2:1:2", "modulus=1e5,2e5"],
         "--measure": ["z(ball)", "max_force(ball)"]}
PAGES = {"--frame-rate": ["100", "400"], "--no-faces": [None], "--size-limit": []}  # a bound that is seldom met

# What need not show: how it is said, where it goes, with what it is made.
NEUTRAL = {"--json", "--quiet", "--threads", "--gmsh", "--python", "--time-limit", "--memory-limit", "--package", "--verbose", "--workers"}
INPUT = {"prepare": "part.obj", "run": "scene.yaml", "patch": "scene.yaml", "sweep": "scene.yaml", "compare": "scene.yaml"}


def cube(low, high, path):
    corners = [(x, y, z) for x in (low, high) for y in (low, high) for z in (low, high)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    path.write_text("".join("v %g %g %g\n" % corner for corner in corners) +
                    "".join("f %d %d %d %d\n" % tuple(i + 1 for i in face) for face in faces))


def plain(value):
    """Without what is different in every run."""
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items() if "second" not in key}
    return [plain(inner) for inner in value] if isinstance(value, list) else value


class Effect(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for k, name in enumerate(("map.csv", "steep.csv")):
            rows = [",".join(f"{(i * 7 + 3 * j) % 5 * (k + 1) * 2e-4:g}" for j in range(9)) for i in range(9)]
            (self.folder / name).write_text("\n".join(rows) + "\n")
        cube(0, 20, self.folder / "part.obj")
        cube(7, 13, self.folder / "core.obj")
        cube(6, 14, self.folder / "core2.obj")
        (self.folder / "scene.yaml").write_text(SCENE)

    def run_with(self, command, base, options):
        """(exit code, what came out or the error)."""
        given = {**base, **options}
        words = [word for name, value in given.items() for word in ((name,) if value is None else (name, value))]
        for path in self.folder.glob("out*"):
            path.unlink()
        inputs = [INPUT[command]] if command in INPUT else []
        done = subprocess.run(["isobar", *command.split(), *inputs, *words, "--json"], cwd=self.folder,
                              capture_output=True, text=True, check=False, timeout=60)
        if done.returncode:
            return done.returncode, [line for line in done.stderr.splitlines() if "error:" in line]
        files = {path.name: path.read_bytes() for path in self.folder.glob("out*")}
        return 0, (plain(json.loads(done.stdout)), files)

    def check(self, command, base, values, seed, draws, least):
        """values: of every option that may be drawn; least: how many pairs must have run."""
        known = {name for name, _, _ in options_of(command)} - NEUTRAL - {name for name in ENDINGS if name[0] == "-"}
        self.assertEqual(known - {"-o"}, set(values), f"options of {command}")
        draw, ran = random.Random(seed), 0
        names = draw.sample(sorted(values), len(values))
        for i in range(draws):
            name = names[i % len(names)]
            if not values[name]:
                continue
            others = [other for other in names if other != name and values[other]]
            others = draw.sample(others, min(len(others), draw.randrange(3)))
            context = {other: draw.choice(values[other]) for other in others}
            pair = draw.sample(values[name], 2) if values[name] != [None] else [None]
            more = [{**context, name: value} for value in pair]
            results = [self.run_with(command, base, options) for options in (more + [context])[:2]]
            for code, said in results:
                self.assertIn(code, (0, 2, 3))
                self.assertTrue(code == 0 or len(said) == 1, (command, name, context, said))
            if results[0][0] == results[1][0] == 0:
                ran += 1
                self.assertFalse(results[0][1] == results[1][1], f"{command} {name} {pair} does nothing with {context}")
        self.assertGreaterEqual(ran, least)

    def test_of_learning(self):
        self.check("lab learn", {}, {**LEARN, "--from": []}, 3, 12, 6)

    def test_of_static_friction_in_space(self):
        base = {"--points": "8", "--across": "4", "--upper-points": "4", "--kind": "white",
                "--force-rate": "3e6", "--sample": "1e-6", "--table": "out.csv"}
        # What tells sliding and what surfaces have in common needs a longer way; what damps is so already.
        later = {"--speed": [], "--surfaces": [], "--damp-highest": [], "--force-rate": ["3e6", "5e6"]}
        self.check("lab e3", base, {**SLIDE, **later}, 4, 20, 6)

    def test_of_preparing(self):
        base = {"-o": "out.vtk", "--units": "mm", "--size": "1e-2", "--report": "none"}
        self.check("prepare", base, {**PREPARE, "--weld": [], "--solid": []}, 6, 4, 2)
        for name in ("--friction", "--dissipation", "--name"):
            models = {"--sdf": "none", "--urdf": "none", name: PREPARE[name][0]}
            code, said = self.run_with("prepare", base, models)
            self.assertEqual(code, 2, name)
            self.assertIn(f"{name} does nothing with --sdf none --urdf none", said[0])

    def test_of_scenes(self):
        for name, until in (("state", "0.01"), ("later", "0.015")):
            self.assertEqual(self.run_with("run", {"--until": until, "--save": name}, {})[0], 0)
        self.check("run", {"--record": "out.mcap"}, RUN, 7, 22, 8)
        self.check("patch", {}, OF_SCENES, 8, 6, 3)
        self.check("sweep", {"-o": "out.csv", "--over": "friction=1,2", "--measure": "speed(ball)"}, SWEEP, 9, 6, 3)
        self.check("compare", {"-o": "out.html"}, {**OF_SCENES, **PAGES, "--until": RUN["--until"],
                                                   "--models": ["hertz", "hertz,volumetric"]}, 10, 6, 3)

    def test_an_experiment_is_called_as_it_was_asked_for(self):
        for words, name in (("e3 --method implicit --sample 1e-6", "--sample"), ("e2 --dimension 2 --across 4", "--across"),
                            ("slide --printed", "--printed")):
            done = subprocess.run(["isobar", "lab", *words.split()], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(f"{name} does nothing for 'lab {words.split()[0]}'", done.stderr)


if __name__ == "__main__":
    unittest.main()
