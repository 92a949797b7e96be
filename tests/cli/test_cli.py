# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""The isobar command as a user meets it: results, exit codes, one-line errors, no stray files."""

import json
import math
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(os.environ.get("ISOBAR_SOURCE_DIR", pathlib.Path(__file__).parents[2]))

BALL = """<?xml version="1.0"?>
<sdf version="1.9">
  <world name="drop">
    <gravity>0 0 -9.81</gravity>
    <model name="ground"><static>true</static><link name="link"><collision name="plane">
      <geometry><plane><normal>0 0 1</normal></plane></geometry>
      <drake:proximity_properties><drake:rigid_hydroelastic/></drake:proximity_properties>
    </collision></link></model>
    <model name="ball"><pose>0 0 {height} 0 0 0</pose><link name="link">
      <inertial><mass>{mass}</mass><inertia><ixx>1e-4</ixx><ixy>0</ixy><ixz>0</ixz>
        <iyy>1e-4</iyy><iyz>0</iyz><izz>1e-4</izz></inertia></inertial>
      <collision name="skin"><geometry><sphere><radius>{radius}</radius></sphere></geometry>
        <drake:proximity_properties><drake:compliant_hydroelastic/>
          <drake:hydroelastic_modulus>1e5</drake:hydroelastic_modulus>
          <drake:mesh_resolution_hint>0.02</drake:mesh_resolution_hint>
        </drake:proximity_properties></collision>
    </link></model>
  </world>
</sdf>
"""


def isobar(*arguments):
    return subprocess.run(
        ["isobar", *map(str, arguments)], capture_output=True, text=True, check=False
    )


def has_viewer():
    """Whether the page is part of this build (it needs npm; the sanitizer builds go without)."""
    return "no viewer" not in isobar("view", "missing.mcap", "-o", "missing.html").stderr


class Command(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def scene(self, height=0.045, mass=0.1, radius=0.05):
        path = self.folder / "ball.sdf"
        path.write_text(BALL.format(height=height, mass=mass, radius=radius))
        return path

    def assert_error(self, result, code, *parts):
        self.assertEqual(result.returncode, code, result.stderr)
        lines = [line for line in result.stderr.splitlines() if "error:" in line]
        self.assertEqual(len(lines), 1, result.stderr)
        for part in parts:
            self.assertIn(part, lines[0])

    def test_a_run_of_hours_is_said_once_whatever_is_printed(self):
        scene = self.scene()
        for options in ([], ["--hash"]):
            command = ["isobar", "run", scene, "--dt", "1e-12", "--until", "1e3", *options]
            with subprocess.Popen(
                [*map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            ) as process:
                try:
                    line = next(line for line in process.stderr if "take" in line)
                finally:
                    process.kill()
                    process.communicate()
            self.assertRegex(
                line,
                r"^isobar: warning: 1e\+15 steps of 1e-12 s take [0-9.e+]+ (days|years) more; a larger "
                r"--dt or a smaller --until takes less$",
            )

    def test_progress_of_a_restored_run_is_of_its_own_steps(self):
        scene, state = self.scene(), self.folder / "half.state"
        half = isobar("run", scene, "--until", "0.1", "--dt", "0.001", "--save", state)
        self.assertEqual(half.returncode, 0, half.stderr)
        # Lines are a second or more apart: as many steps as it takes to see one.
        for dt in ("1e-6", "2e-7", "4e-8"):
            rest = isobar("run", scene, "--until", "0.2", "--dt", dt, "--restore", state)
            self.assertEqual(rest.returncode, 0, rest.stderr)
            shares = re.findall(r"t = ([0-9.]+) s \((\d+)%\)", rest.stderr)
            if shares:
                break
        self.assertTrue(0 < len(shares) < 10, rest.stderr)
        for time, share in shares:
            self.assertAlmostEqual(float(time), 0.1 + 0.001 * int(share), delta=0.0011)

    def test_what_is_done_at_once_prints_no_progress(self):
        recording = self.folder / "short.mcap"
        for command in (("run", self.scene(), "--until", "0.01", "--record", recording),
                        ("export", recording, "--csv", self.folder / "csv")):
            result = isobar(*command)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertNotIn("%", result.stderr)

    def test_a_recording_cut_before_its_first_frame_is_refused(self):
        recording, page = self.folder / "cut.mcap", self.folder / "cut.html"
        result = isobar("run", self.scene(), "--until", "0.1", "--record", recording)
        self.assertEqual(result.returncode, 0, result.stderr)
        whole = recording.read_bytes()
        reached = set()
        for cut in range(2000, len(whole), 997):
            recording.write_bytes(whole[:cut])
            result = isobar("export", recording, "--vtk", self.folder / "vtk")
            if result.returncode == 0:
                self.assertNotIn("0 frames", result.stdout)
                break
            self.assert_error(result, 3, "cut before")
            self.assertFalse((self.folder / "vtk").exists())
            if "holds no frames: cut before the first was written" in result.stderr:
                reached.add(cut)
                if has_viewer():
                    self.assert_error(isobar("view", recording, "-o", page), 3, "holds no frames")
                    self.assertFalse(page.exists())
        self.assertTrue(reached)

    def test_keyframes_are_starts_on_request(self):
        robot = self.folder / "robot.xml"
        robot.write_text("<mujoco><worldbody><body name='a'><joint name='j' type='slide'/><geom size='.1'/></body>"
                         "</worldbody><keyframe><key name=\"it's up\" qpos='0.5'/><key qpos='0.25'/></keyframe>"
                         "<option gravity='0 0 0'/></mujoco>", encoding="utf-8")
        scenario = self.folder / "s.yaml"
        scenario.write_text("directives: [{add_model: {name: m, file: robot.xml, keyframe: 1}}]\n", encoding="utf-8")

        def height(*arguments):
            result = isobar("run", *arguments, "--until", "0.01", "--json", "--set", "simulation.gravity=[0,0,0]")
            self.assertEqual(result.returncode, 0, result.stderr)
            return list(json.loads(result.stdout)["bodies"].values())[0]["position"][2]

        for arguments, expected in (((robot,), 0.0), ((robot, "--keyframe", "it's up"), 0.5),
                                    ((robot, "--keyframe", "1"), 0.25), ((scenario,), 0.25)):
            self.assertAlmostEqual(height(*arguments), expected, places=12)
        self.assert_error(isobar("run", robot, "--keyframe", "2"), 3, "expected 0 to 1 or a name")
        self.assert_error(isobar("run", scenario, "--keyframe", "1"), 3, "say it in the add_model of that file")

    def test_run_prints_one_object_with_the_promised_keys(self):
        result = isobar("run", self.scene(), "--json", "--until", "0.1", "--dt", "0.002")
        self.assertEqual(result.returncode, 0, result.stderr)
        data = json.loads(result.stdout)
        page = (ROOT / "docs" / "man" / "isobar.1").read_text(encoding="utf-8")
        promised = re.search(r"one object with the keys (scene, time, steps[^.]*)\.", page)[1]
        self.assertEqual(sorted(data), sorted(re.split(r",\s+", promised)))
        self.assertEqual(data["steps"], 50)
        self.assertAlmostEqual(data["time"], 0.1, places=12)
        ball = data["bodies"]["ball::link"]
        self.assertEqual(
            set(ball), {"position", "quaternion_wxyz", "velocity", "angular_velocity"}
        )
        contact = data["contacts"][0]
        self.assertEqual(contact["pair"], ["ball::link", "ground::link"])
        # The force acts on the second body, the ground: it is pushed down.
        self.assertLess(contact["force"][2], 0.0)
        for key in ("faces", "area", "moment", "center_of_pressure", "max_pressure"):
            self.assertIn(key, contact)
        self.assertIsNone(data["passed_through"])

    def test_fixed_tendons_are_seen_in_runs_and_recordings(self):
        scene, recording = self.folder / "sum.yaml", self.folder / "sum.mcap"
        table = self.folder / "csv"
        scene.write_text("""
simulation: {gravity: [0, 0, 0]}
bodies: [{name: a, mass: 1, inertia: [1, 1, 1]}, {name: b, mass: 2, inertia: [1, 1, 1]}]
joints:
  - {name: p, type: prismatic, parent: world, child: a, velocity: 1}
  - {name: q, type: prismatic, parent: world, child: b, velocity: 2}
fixed_tendons: [{name: sum, joints: [p, q], weights: [1, -2]}]
actuation: [{fixed_tendon: sum, effort: 3}]
sensors: [{name: pull, type: fixed_tendon, fixed_tendon: sum}]
""", encoding="utf-8")
        result = isobar("run", scene, "--until", "0.1", "--dt", "0.01", "--record", recording, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        data = json.loads(result.stdout)
        state = data["fixed_tendons"]["sum"]
        joints = [data["joints"][name] for name in "pq"]
        # dv/dt = 3 (1/1 + (-2)^2/2)
        self.assertAlmostEqual(state["velocity"], -3.0 + 9.0 * 0.1, places=9)
        self.assertAlmostEqual(state["length"], joints[0]["position"] - 2 * joints[1]["position"])
        self.assertEqual((state["passive_effort"], state["actuator_effort"]), (0.0, 3.0))
        self.assertEqual(data["sensors"]["pull"]["names"], list(state))
        self.assertEqual(data["sensors"]["pull"]["values"], list(state.values()))
        self.assertEqual(isobar("export", recording, "--csv", table).returncode, 0)
        rows = (table / "sensors.csv").read_text(encoding="utf-8").splitlines()
        self.assertIn(f"0.1,pull,,,length,,{state['length']}", rows)
        self.assertIn("sensor   pull: fixed_tendon on sum", isobar("inspect", scene).stdout)

    def test_adhesion_is_seen_in_inspect_and_acts_in_runs(self):
        scene = self.folder / "cup.yaml"
        scene.write_text("""
bodies:
- {name: ball, mass: 0.5, pose: {translation: [0, 0, -0.0999]}, geometry: [{shape: sphere, radius: 0.1}]}
- {name: plate, fixed: true, geometry: [{shape: half_space, compliance: rigid, pose: {rotation: [180, 0, 0]}}]}
actuation: [{adhesion: ball, effort: 9}]
""".replace("rotation: [180, 0, 0]", "rotation: !Rpy {deg: [180, 0, 0]}"), encoding="utf-8")
        self.assertIn("actuator ball pulls at what ball touches, with 0 to inf N",
                      isobar("inspect", scene).stdout)
        actuator = json.loads(isobar("inspect", scene, "--json").stdout)["actuators"][0]
        self.assertEqual((actuator["name"], actuator["adhesion"]), ("ball", "ball"))
        result = isobar("run", scene, "--until", "0.3", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        force = json.loads(result.stdout)["contacts"][0]["force"]
        self.assertAlmostEqual(abs(force[2]), 9 - 0.5 * 9.81, delta=1e-3)

    def test_run_says_what_went_through_each_other(self):
        command = ("run", self.scene(height=50.0), "--until", "4", "--dt", "0.02")
        data = json.loads(isobar(*command, "--json").stdout)["passed_through"]
        self.assertEqual(data["pair"], ["ball::link", "ground::link"])
        self.assertEqual(data["pairs"], 1)
        self.assertAlmostEqual(data["time"], math.sqrt(2.0 * 50.0 / 9.81), delta=0.03)
        self.assertIn("passed through each other: 1 pair,", isobar(*command).stdout)

    def test_run_tells_what_the_length_of_steps_took(self):
        path = self.folder / "bounce.yaml"
        path.write_text(
            "bodies:\n- {name: floor, fixed: true, geometry: [{name: top, shape: half_space, "
            "compliance: rigid}]}\n- name: ball\n  mass: 0.1\n  pose: {translation: [0, 0, 0.3]}\n"
            "  geometry: [{name: skin, shape: sphere, radius: 0.05, compliance: compliant, modulus: 1.0e+6, "
            "dissipation: 0, resolution_hint: 0.01}]\n"
        )
        took = {}
        for method in ("lagged", "midpoint", "rk45"):
            printed = isobar("run", path, "--until", 0.45, "--set", f"simulation.method={method}").stdout
            line = printed.strip().splitlines()[-1]
            numbers = [float(text) for text in re.findall(r" (-?[0-9][0-9.e+-]*)", line)]
            if method == "rk45":
                self.assertEqual(len(numbers), 3, line)
                continue
            kinetic, potential, elastic, friction, damping, took[method] = numbers
            self.assertEqual(elastic, 0.0)  # it flies
            left = kinetic + potential + friction + damping + took[method]
            self.assertAlmostEqual(left, 0.1 * 9.81 * 0.3, delta=0.02)  # 0.012
        self.assertGreater(took["lagged"], 0.06)  # 0.107 of 0.294
        self.assertLess(abs(took["midpoint"]), 0.02)  # 0.011

    def test_the_elastic_energy_of_continuous_methods_is_that_of_the_end(self):
        draw = random.Random(1)
        for method in ("rk4", "rk45", "radau", "radau"):
            radius, drop = draw.uniform(0.03, 0.1), draw.uniform(0.05, 0.2)
            path = self.folder / "press.yaml"
            path.write_text(
                "bodies:\n- {name: floor, fixed: true, geometry: [{name: top, shape: half_space, "
                f"compliance: rigid}}]}}\n- name: ball\n  mass: 0.5\n  pose: {{translation: [0, 0, {radius + drop}]}}\n"
                f"  geometry: [{{name: skin, shape: sphere, radius: {radius}, compliance: compliant, modulus: 1.0e+5, "
                f"dissipation: 0, friction: 0, margin: 0, resolution_hint: {radius / 3}}}]\n"
            )
            step = 1e-4 if method == "rk4" else 5e-3
            until = step * math.ceil((math.sqrt(2.0 * drop / 9.81) + 1.5 * step) / step)
            result = isobar("run", path, "--json", "--until", until, "--set", f"simulation.method={method}",
                            "--set", f"simulation.time_step={step}", "--set", "simulation.accuracy=1e-9")
            energy = json.loads(result.stdout)["energy"]
            self.assertGreater(energy["elastic"], 0.0, result.stderr)
            left = energy["kinetic"] + energy["potential"] + energy["elastic"]
            self.assertAlmostEqual(left, 0.5 * 9.81 * (radius + drop), delta=1e-6)  # 1e-8 measured

    def test_run_tells_how_long_steps_take(self):
        def steps(until):
            result = isobar("run", self.scene(), "--json", "--until", until, "--dt", "0.002")
            self.assertEqual(result.returncode, 0, result.stderr)
            return json.loads(result.stdout)["performance"]

        one, many = steps("0.002"), steps("0.2")
        for key in ("us_step_median", "us_step_99th", "us_step_longest"):
            # Bins are 0.5 % wide.
            self.assertLess(abs(one[key] / one["us_per_step"] - 1.0), 3e-3)
        self.assertLessEqual(many["us_step_median"], many["us_step_99th"])
        self.assertLessEqual(many["us_step_99th"], many["us_step_longest"])
        self.assertLess(many["us_per_step"], 1.003 * many["us_step_longest"])

    def test_patch_is_that_of_the_initial_state(self):
        result = isobar("patch", self.scene(), "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        data = json.loads(result.stdout)
        self.assertEqual(data["time"], 0.0)
        self.assertEqual(len(data["contacts"]), 1)
        self.assertAlmostEqual(data["contacts"][0]["center_of_pressure"][2], 0.0, places=12)

    def test_patch_writes_deformed_bodies_that_are_meshes_again(self):
        folder = self.folder / "deformed"
        result = isobar("patch", self.scene(), "--deformed", folder, "--quiet")
        self.assertEqual(result.returncode, 0, result.stderr)
        meshes = [path for path in folder.glob("*.vtk") if ".surface" not in path.name]
        self.assertEqual(len(meshes), len(list(folder.glob("*.surface.vtk"))))
        self.assertGreater(len(meshes), 0)
        for mesh in meshes:
            report = isobar("inspect", mesh, "--json")
            self.assertEqual(report.returncode, 0, report.stderr)
        self.assertEqual(isobar("patch", self.scene(), "--deformed", "/nowhere/at/all").returncode, 3)

    def test_record_view_and_export(self):
        recording, page = self.folder / "ball.mcap", self.folder / "ball.html"
        result = isobar("run", self.scene(), "--until", "0.2", "--record", recording, "--quiet")
        self.assertEqual(result.returncode, 0, result.stderr)
        if has_viewer():
            self.assertEqual(isobar("view", recording, "-o", page).returncode, 0)
            self.assertIn("isobar-view-2", page.read_text())
        self.assertEqual(isobar("export", recording, "--csv", self.folder / "csv").returncode, 0)
        self.assertTrue((self.folder / "csv" / "bodies.csv").exists())
        self.assertEqual(isobar("export", recording, "--vtk", self.folder / "vtk").returncode, 0)
        self.assertTrue((self.folder / "vtk" / "patches.pvd").exists())

    def test_recordings_are_as_long_and_as_large_as_told(self):
        sizes = {}
        for name, options in (("all", []), ("few", ["--frame-rate", "10"]), ("plain", ["--no-faces"]),
                              ("cut", ["--size-limit", "60k"])):
            path = self.folder / f"{name}.mcap"
            done = isobar("run", self.scene(), "--until", "1.5", "--record", path, *options)
            self.assertEqual(done.returncode, 0, done.stderr)
            sizes[name] = path.stat().st_size
        self.assertLess(sizes["few"], 0.6 * sizes["all"])
        self.assertLess(sizes["plain"], sizes["all"])
        self.assertLessEqual(sizes["cut"], 60000)
        self.assertGreater(sizes["all"], 60000)
        self.assertIn("reaches its limit of 0.06 MB", done.stderr)
        for option, value, expected in (("--frame-rate", "0", "> 0"), ("--size-limit", "5T", "k, M or G"),
                                        ("--size-limit", "M", "k, M or G")):
            done = isobar("run", self.scene(), "--record", self.folder / "x.mcap", option, value)
            self.assert_error(done, 2, option, value, expected)
        done = isobar("run", self.scene(), "--record", self.folder / "x.mcap", "--size-limit", "100")
        self.assert_error(done, 3, "size_limit is 100 bytes", "expected at least")
        for option in (["--frame-rate", "30"], ["--size-limit", "1M"], ["--no-faces"], ["--exact-energy"],
                       ["--json-contacts"]):
            self.assert_error(isobar("run", self.scene(), *option), 2, option[0], "given without --record FILE")

    def test_pages_hold_what_is_asked_for(self):
        if not has_viewer():
            self.skipTest("built without the viewer")
        record = self.folder / "run.mcap"
        isobar("run", self.scene(), "--until", "0.5", "--record", record)
        pages = {}
        for name, options in (("all", []), ("few", ["--frame-rate", "10"]), ("plain", ["--no-faces"]),
                              ("small", ["--size-limit", "4k"])):
            page = self.folder / f"{name}.html"
            done = isobar("view", record, "-o", page, *options)
            self.assertEqual(done.returncode, 0, done.stderr)
            text = page.read_text(encoding="utf-8").split('type="application/json">')[1].split("</script>")[0]
            pages[name] = json.loads(text)
        frames = {name: len(page["times"]) for name, page in pages.items()}
        self.assertEqual((frames["all"], frames["few"], frames["plain"]), (31, 6, 31))
        self.assertLess(frames["small"], 31)
        held = sum(map(len, pages["small"]["numbers"] + pages["small"]["polygons"]))
        self.assertLessEqual(held, 4000 + 8 * frames["small"])  # the padding of base64
        self.assertEqual(set(pages["plain"]["polygons"]), {""})
        self.assertTrue(any(pages["all"]["polygons"]))

    def test_a_saved_run_goes_on_with_the_same_bits(self):
        scene, state = self.scene(), self.folder / "ball.state"
        whole = isobar("run", scene, "--until", "0.2", "--hash")
        self.assertEqual(whole.returncode, 0, whole.stderr)
        self.assertRegex(whole.stdout, r"^[0-9a-f]{16}\n$")
        first = isobar("run", scene, "--until", "0.1", "--save", state, "--hash")
        second = isobar("run", scene, "--until", "0.2", "--restore", state, "--json")
        self.assertEqual(second.returncode, 0, second.stderr)
        data = json.loads(second.stdout)
        self.assertNotEqual(first.stdout, whole.stdout)
        self.assertEqual(data["state_hash"] + "\n", whole.stdout)
        self.assertEqual(data["steps"], 200)
        other = isobar("run", self.scene(mass=0.2), "--restore", state)
        self.assert_error(other, 3, "ball.state", "another model", "expected")
        state.write_bytes(state.read_bytes()[:-1])
        self.assert_error(isobar("run", self.scene(), "--restore", state), 3, "cut short")

    def test_a_restored_state_past_the_end_is_shown_with_its_contacts(self):
        scene, state = self.scene(height=0.049), self.folder / "ball.state"
        first = isobar("run", scene, "--until", "0.1", "--save", state, "--json")
        self.assertEqual(first.returncode, 0, first.stderr)
        second = isobar("run", scene, "--until", "0.05", "--restore", state, "--json")
        self.assertEqual(second.returncode, 0, second.stderr)
        self.assertIn("that at t = 0.1 s, which is no earlier than the end, 0.05 s", second.stderr)
        first, second = json.loads(first.stdout), json.loads(second.stdout)
        self.assertEqual(second["state_hash"], first["state_hash"])
        self.assertEqual(len(second["contacts"]), 1)

    def test_a_state_that_cannot_be_saved_is_said_before_the_run(self):
        scene = self.scene()
        for path, reason in ((self.folder / "no" / "s", "No such file"), (self.folder, "Is a directory")):
            result = isobar("run", scene, "--until", "1e6", "--save", path)
            self.assert_error(result, 3, f"{path}: --save cannot be made there: {reason}")
            self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)

    def test_long_names_move_columns_of_heading_and_rows_alike(self):
        scene = self.folder / "long.yaml"
        name = "model::" + "link_of_a_robot_" * 3
        scene.write_text(f"""
bodies:
- {{name: floor, fixed: true, geometry: [{{shape: half_space, compliance: rigid}}]}}
- {{name: "{name}", mass: 1, geometry: [{{shape: box, size: [0.1, 0.1, 0.1]}}], pose: {{translation: [0, 0, 0.05]}}}}
""", encoding="utf-8")
        lines = isobar("run", scene, "--until", "0.01").stdout.splitlines()
        rows = {line.split()[0]: line for line in lines}
        self.assertEqual(rows["body"].index("position"), len(name) + 1)
        self.assertEqual(rows["contact"].index("faces") + 5, len(f"floor | {name}") + 7)
        contact = next(line for line in lines if line.startswith("floor | "))
        self.assertEqual(len(contact), len(rows["contact"]))

    def test_replay_says_what_of_its_scene_is_amiss(self):
        self.scene()
        recording = self.folder / "ball.mcap"
        def command(folder, *arguments):
            return subprocess.run(["isobar", *map(str, arguments)], cwd=folder,
                                  capture_output=True, text=True, check=False)
        run = command(self.folder, "run", "ball.sdf", "--until", "1", "--record", recording, "--quiet")
        self.assertEqual(run.returncode, 0, run.stderr)
        whole = command(self.folder, "replay", recording)
        self.assertEqual(whole.returncode, 0, whole.stderr)
        self.assertNotIn("cut short", whole.stdout)
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        self.assert_error(command(elsewhere, "replay", recording), 3, "ball.mcap: its scene cannot be read: ",
                          "ball.sdf: No such file", "(replay it in the folder where it was recorded)")
        bytes_of_all = recording.read_bytes()
        recording.write_bytes(bytes_of_all[:-100])
        self.assertIn("; the recording was cut short", command(self.folder, "replay", recording).stdout)
        for words in (("replay", recording), ("export", recording, "--csv", self.folder / "csv")):
            quiet = command(self.folder, *words, "--quiet")
            self.assertEqual((quiet.returncode, quiet.stdout), (0, ""))
            self.assertEqual(quiet.stderr, f"isobar: warning: {recording}: the recording was cut short\n")
        start = self.folder / "start.mcap"
        start.write_bytes(bytes_of_all[:len(bytes_of_all) // 3])
        self.assert_error(command(self.folder, "replay", start), 3, "start.mcap: cut before its first frames were written whole")
        self.scene(mass=0.2)
        self.assert_error(command(self.folder, "replay", recording), 3,
                          "ball.mcap: its scene has changed since it was recorded: ", "another model")

    def test_replay_names_the_first_step_and_the_body_that_differ(self):
        scene, recording = self.folder / "ride.yaml", self.folder / "ride.mcap"
        scene.write_text("""
simulation: {friction: regularized, stiction_velocity: 2.0e-3}
bodies:
  - name: plate
    mass: 1
    fixed: true
    geometry: [{name: top, shape: box, size: [1, 1, 0.1], compliance: rigid}]
  - name: box
    mass: 1
    geometry: [{name: cube, shape: box, size: [0.1, 0.1, 0.1], modulus: 1.0e+6}]
    pose: {translation: [0, 0, 0.09995]}
motions: [{body: plate, times: [0.02, 1], poses: [{}, {translation: [0.3, 0, 0]}]}]
sensors: [{name: sole, type: contact, body: box}]
""", encoding="utf-8")
        result = isobar("run", scene, "--until", "0.1", "--record", recording, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(json.loads(result.stdout)["sensors"]["sole"]["names"][2], "force_z")
        result = isobar("replay", recording)
        self.assertEqual(result.returncode, 0, result.stderr)
        inspected = isobar("inspect", scene)
        self.assertIn("sensor   sole: contact on box", inspected.stdout)
        scene.write_text(scene.read_text(encoding="utf-8").replace("0.3", "0.2"), encoding="utf-8")
        # The plate stands until 0.02 s.
        self.assert_error(isobar("replay", recording), 4, "step 21", "'plate'", "position")

    def test_replay_runs_with_the_settings_of_the_recording(self):
        scene, recording = self.scene(), self.folder / "ball.mcap"
        state = self.folder / "ball.state"
        isobar("run", scene, "--until", "0.05", "--save", state, "--quiet")
        result = isobar("run", scene, "--until", "0.2", "--restore", state, "--record", recording,
                        "--dt", "0.002", "--quiet")
        self.assertEqual(result.returncode, 0, result.stderr)
        result = isobar("replay", recording, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        data = json.loads(result.stdout)
        self.assertTrue(data["is_same"])
        self.assertEqual(data["compared"], 76)  # the start and 0.15 s of 2 ms
        # What the run had counts, not what the scene asks for by now.
        self.assertNotIn("other settings", result.stderr)
        scene.write_text(scene.read_text().replace("9.81", "9.82"))
        result = isobar("replay", recording)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("asks for other settings", result.stderr)
        scene.write_text(scene.read_text().replace("9.82", "9.81").replace(">0.05<", ">0.06<"))
        self.assert_error(isobar("replay", recording), 3, "another model")
        scene.unlink()
        self.assert_error(isobar("replay", recording), 3, "ball.sdf")
        self.assert_error(isobar("replay", state), 3)

    def test_inspect_shows_the_contact_properties_that_were_given(self):
        with tempfile.TemporaryDirectory() as folder:
            scene = pathlib.Path(folder, "s.yaml")
            scene.write_text(
                "bodies:\n- name: ball\n  mass: 1\n  geometry:\n"
                "  - {name: a, shape: sphere, radius: 0.1, modulus_table: [[0, 1e5], [1, 3e5]], "
                "layers: 4, extent: poisson, restitution: 0.5, margin: auto}\n"
                "  - {name: b, shape: sphere, radius: 0.1, modulus: 2e5, stiffening: 0.5, "
                "adhesion: 30, expansion_rate: 3, margin: 0.001}\n"
                "  - {name: c, shape: sphere, radius: 0.1, compliance: rigid}\n")
            text = isobar("inspect", scene, "--quiet").stdout
            for part in ("ball / a: compliant, sphere, modulus table (100000 Pa at 0, 300000 Pa at "
                         "1), 4 layers, extent poisson, margin auto, restitution 0.5 at 1 m/s,",
                         "ball / b: compliant, sphere, 200000 Pa, stiffening 0.5, margin 0.001 m, "
                         "expansion rate 3 1/s, adhesion 30 Pa,", "ball / c: rigid, sphere,"):
                self.assertIn(part, text)
            a, b, c = json.loads(isobar("inspect", scene, "--json").stdout)["geometries"]
        self.assertEqual([a["modulus_table"], a["modulus"], a["layers"], a["extent"], a["margin"]],
                         [[[0, 1e5], [1, 3e5]], None, 4, "poisson", "auto"])
        self.assertEqual([a["restitution"], a["dissipation"], a["compliance"]],
                         [0.5, None, "compliant"])
        self.assertEqual([b["modulus"], b["stiffening"], b["adhesion"], b["expansion_rate"]],
                         [2e5, 0.5, 30, 3])
        self.assertEqual([c["compliance"], c["modulus"], c["extent"]], ["rigid", None, None])

    def test_loading_folds_messages_of_one_kind_and_verbose_does_not(self):
        far = "deep/" * 250  # what is held back and printed after all is not cut
        link = ('<link name="l{0}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" '
                'ixy="0" ixz="0" iyz="0"/></inertial><visual><geometry><mesh '
                'filename="package://nowhere/{0}/' + far + '"/></geometry></visual></link>')
        for count, expected in ((1, 1), (2, 2), (3, 2), (9, 2)):
            with tempfile.TemporaryDirectory() as folder:
                robot = pathlib.Path(folder, "r.urdf")
                joints = "".join(f'<joint name="j{i}" type="fixed"><parent link="l0"/>'
                                 f'<child link="l{i}"/></joint>' for i in range(1, count))
                robot.write_text('<robot name="r">' + "".join(link.format(i) for i in range(count))
                                 + joints + "<odd/></robot>")
                folded = isobar("inspect", robot).stderr.splitlines()
                whole = isobar("inspect", robot, "--verbose").stderr.splitlines()
                silent = isobar("inspect", robot, "--quiet").stderr
            visuals = [line for line in whole if "visual mesh" in line]
            others = [line for line in whole if "visual mesh" not in line]
            self.assertEqual(len(visuals), count)
            self.assertEqual(len(folded), expected + len(others))
            self.assertTrue(set(others) <= set(folded))
            told = [line for line in folded if "visual mesh" in line]
            self.assertEqual(told, visuals if count < 3 else visuals[:1])
            more = f"isobar: {count - 1} more of this kind: --verbose prints them"
            self.assertEqual(more in folded, count > 2)
            self.assertEqual(silent, "")

    def test_the_first_frame_measures_what_actuators_are_told(self):
        with tempfile.TemporaryDirectory() as folder:
            scene, tables = pathlib.Path(folder, "s.yaml"), pathlib.Path(folder, "tables")
            recording = pathlib.Path(folder, "r.mcap")
            scene.write_text(
                "bodies:\n- {name: load, mass: 2, geometry: [{shape: box, size: [0.1, 0.1, 0.1]}]}\n"
                "joints:\n- {name: hoist, type: prismatic, parent: world, child: load}\n"
                "actuation: [{joint: hoist, effort: 19.62}]\n"
                "sensors: [{name: cell, type: force_torque, joint: hoist}]\n")
            run = isobar("run", scene, "--until", "0.01", "--record", recording, "--hash")
            self.assertEqual(run.stdout, isobar("run", scene, "--until", "0.01", "--hash").stdout)
            isobar("export", recording, "--csv", tables)
            rows = pathlib.Path(tables, "sensors.csv").read_text().splitlines()
            self.assertEqual(isobar("replay", recording).returncode, 0)
        first = next(row for row in rows if row.startswith("0,cell,,,force_z"))
        self.assertAlmostEqual(float(first.split(",")[-1]), 19.62, delta=1e-9)  # measured 0

    def test_inspect_says_what_has_no_field_and_what_floats(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "t.obj").write_text(
                "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
                "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
            scene = pathlib.Path(folder, "s.yaml")
            scene.write_text(
                "bodies:\n- {name: world, geometry: [{name: ground, shape: half_space}]}\n"
                "- {name: a, mass: 1, pose: {translation: [0, 0, 2]},\n"
                "   geometry: [{name: m, shape: mesh, file: t.obj}]}\n"
                "- {name: b, mass: 1, geometry: [{name: h, shape: convex, file: t.obj}]}\n"
                "joints:\n- {name: j, type: revolute, parent: world, child: b,\n"
                "   pose: {rotation: {deg: [90, 0, 90]}}}\n")
            text = isobar("inspect", scene, "--quiet").stdout
        for part in ("world / ground: rigid, half_space, diss", "a / m: rigid, mesh, diss",
                     "b / h: compliant, convex, 1e+07 Pa", "kg at 0 0 2 (floats)",
                     "kg at 0 0 0\n", "revolute along 1 0 0\n"):
            self.assertIn(part, text)

    def test_a_rigid_mesh_without_volume_is_named_with_its_line(self):
        (self.folder / "flat.obj").write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
                                              "f 1 2 3\nf 1 3 4\nf 2 1 4\nf 4 3 2\n",
                                              encoding="utf-8")
        scene = self.folder / "flat.yaml"
        scene.write_text("bodies:\n" + "".join(
            f"- {{name: {name}, mass: 1, inertia: [1, 1, 1], geometry: [{{name: g, shape: mesh,"
            " file: flat.obj, compliance: rigid}]}\n" for name in "ab"), encoding="utf-8")
        result = isobar("inspect", scene, "--quiet")
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertRegex(result.stderr, r"flat.yaml:[23]: geometry 'g' of '[ab]': a layer of")

    def test_inspect_gives_a_mesh_that_faces_inward_the_mass_of_a_run(self):
        corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
        for name, faces, said in (
                ("inward", "f 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n", "the triangles face inward"),
                ("mixed", "f 1 3 2\nf 1 4 2\nf 1 4 3\nf 2 3 4\n", "the triangles face both sides")):
            path = self.folder / f"{name}.obj"
            path.write_text(corners + faces)
            (self.folder / f"{name}.xml").write_text(
                f"<mujoco><asset><mesh name='m' file='{name}.obj'/></asset><worldbody><body>"
                "<freejoint/><geom type='mesh' mesh='m' density='600'/></body></worldbody></mujoco>")
            run = json.loads(isobar("inspect", self.folder / f"{name}.xml", "--json").stdout)
            text = isobar("inspect", path).stdout
            self.assertIn(said, text)
            self.assertIn("turned where they make contact or mass", text)
            self.assertNotIn("no mass", text)
            volume = float(re.search(r"volume +([\d.e-]+) m", text)[1])
            self.assertAlmostEqual(600 * volume, run["bodies"][0]["mass"], delta=1e-3)
            self.assertAlmostEqual(600 * volume, 100, delta=1e-3)

    def test_set_calls_scoped_names_by_their_last_part(self):
        (self.folder / "slider.urdf").write_text("""<robot name="r"><link name="l"><inertial>
<mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="m"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="grip" type="prismatic"><parent link="l"/><child link="m"/><axis xyz="1 0 0"/>
<limit effort="9" velocity="1" lower="-1" upper="1"/></joint></robot>""")
        scene = self.folder / "scene.yaml"
        scene.write_text("""simulation: {until: 0.01}
directives:
- add_model: {name: r, file: slider.urdf}
- add_model: {name: s, file: slider.urdf}
- add_weld: {parent: world, child: "r::l"}
- add_weld: {parent: world, child: "s::l"}
actuation:
- {joint: "r::grip", effort: 1}
""")

        def state(*settings):
            result = isobar("run", scene, "--json", *(part for one in settings for part in ("--set", one)))
            self.assertEqual(result.returncode, 0, result.stderr)
            return json.loads(result.stdout)["state_hash"]

        self.assertEqual(state("actuation.grip.effort=3"), state("actuation.r::grip.effort=3"))
        self.assertNotEqual(state("actuation.grip.effort=3"), state())
        # Of two the whole name says which.
        scene.write_text(scene.read_text() + '- {joint: "s::grip", effort: 1}\n')
        result = isobar("run", scene, "--set", "actuation.grip.effort=3")
        self.assertEqual(result.returncode, 3)
        self.assertNotIn("did you mean 'grip'", result.stderr)
        self.assertIn("r::grip, s::grip", result.stderr)

    def test_a_package_that_is_missing_is_told_with_where_it_comes_from(self):
        environment = {k: v for k, v in os.environ.items() if k != "ISOBAR_ASSETS"}
        result = subprocess.run(["isobar", "run", str(ROOT / "scenes" / "slip_control.yaml")],
                                capture_output=True, text=True, check=False, cwd=self.folder,
                                env=environment)
        self.assertEqual(result.returncode, 3)
        self.assertRegex(result.stderr, r"ISOBAR_ASSETS=DIR \(the repository RobotLocomotion/models of "
                                        r"GitHub, at commit deee02d4d799 for Drake 1\.51\.1\)")
        readme = (ROOT / "README.md").read_text()
        listed = readme[:readme.index("with the package `drake_models`")]
        for scene in sorted((ROOT / "scenes").glob("*.yaml")):
            needs = "drake_models" in scene.read_text()
            self.assertEqual(f"`scenes/{scene.name}`" in listed, not needs, scene.name)

    def test_packages_are_found_above_the_file_that_names_them(self):
        link = """<link name="{0}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"
ixy="0" ixz="0" iyz="0"/></inertial><collision><geometry><mesh filename="package://{1}/meshes/a.obj"/>
</geometry></collision></link>"""
        for name in ("my-robot", "my_hand"):
            (self.folder / "robots" / name / "meshes").mkdir(parents=True)
            (self.folder / "robots" / name / "meshes" / "a.obj").write_text(
                "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n",
                encoding="utf-8")
        urdf = self.folder / "robots" / "my-robot" / "urdf"
        urdf.mkdir()
        (urdf / "a.urdf").write_text(
            "<robot name='r'>" + link.format("a", "my-robot") + link.format("b", "my_hand")
            + "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint></robot>",
            encoding="utf-8")
        for folder, path in ((None, urdf / "a.urdf"), (urdf, "a.urdf"),
                             (urdf.parent, "urdf/a.urdf"), (urdf.parent, "./urdf/../urdf/a.urdf")):
            result = subprocess.run(["isobar", "inspect", path], cwd=folder, capture_output=True,
                                    text=True, check=False)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("package my_hand is taken from ", result.stderr)
        (urdf.parent / "meshes" / "a.obj").unlink()
        result = isobar("inspect", urdf / "a.urdf")
        self.assertEqual(result.returncode, 3)
        self.assertIn("package 'my-robot' of 'package://my-robot/meshes/a.obj' is not known",
                      result.stderr)

    def test_inspect_shows_the_efforts_that_joint_and_actuator_leave_on_each_side(self):
        robot = self.folder / "robot.xml"
        robot.write_text("""<mujoco model="m"><worldbody>
<body name="a"><joint name="j" actuatorfrcrange="-1 5"/><geom size="0.1"/></body>
<body name="b" pos="1 0 0"><joint name="k" actuatorfrcrange="-2 2"/><geom size="0.1"/></body>
</worldbody><actuator><motor name="n" joint="k" ctrlrange="-9 1"/></actuator></mujoco>
""", encoding="utf-8")
        scene = self.folder / "drive.yaml"
        scene.write_text("directives:\n- add_model: {name: m, file: robot.xml}\n"
                         "actuation:\n- {joint: j, effort: -3}\n", encoding="utf-8")
        text = isobar("inspect", scene).stdout
        self.assertIn("actuator m::j on m::j, effort -1 to 5,", text)  # made by the scenario
        self.assertIn("actuator m::n on m::k, effort -2 to 1,", text)
        joint = json.loads(isobar("inspect", "--json", scene).stdout)["joints"][0]
        self.assertEqual([joint[key] for key in ("effort", "effort_lower", "effort_upper")],
                         [5, -1, 5])

    def test_inspect_lists_frames_and_what_drives_a_scene(self):
        arm = """
bodies:
  - {name: belt, fixed: true, geometry: [{name: top, shape: box, size: [1, 1, 0.1]}]}
  - {name: arm, mass: 1, inertia: [1, 1, 1], gravity_compensation: 0.5}
joints: [{name: hinge, type: revolute, parent: world, child: arm, axis: [0, 0, 1], position: 0.5}]
directives:
  - add_frame: {name: tip, X_PF: {base_frame: arm, translation: [1, 0, 0]}}
motions: [{body: belt, velocity: {linear: [0.1, 0, 0]}}]
sensors: [{name: pad, type: contact, body: arm, zone: {shape: sphere, radius: 0.1}}]
events: {slip: false, levels: [{quantity: joint_position, of: hinge, level: 0.25, direction: falling}]}
"""
        with tempfile.TemporaryDirectory() as folder:
            scene = pathlib.Path(folder) / "arm.yaml"
            scene.write_text(arm + "actuation: [{joint: hinge, kp: 10, kd: 1, position: 0.5, "
                             "effort_limit: 9, effort_lower: -2}]\n", encoding="utf-8")
            result = isobar("inspect", scene)
            self.assertEqual(result.returncode, 0, result.stderr)
            for line in ("  frame    tip", "on arm, at 0.877583 0.479426 0",
                         "  motion   belt at 0.1 0 0 m/s", "  command  position of",
                         "kg at 0 0 0, gravity compensation 0.5\n", "on hinge, effort -2 to 9, kp",
                         "  sensor   pad: contact on arm, zone sphere",
                         "  events   contacts that begin and end\n",
                         "  event    hinge: joint_position of hinge falls through 0.25\n"):
                self.assertIn(line, result.stdout)
            data = json.loads(isobar("inspect", scene, "--json").stdout)
            self.assertEqual(data["frames"][0]["body"], "arm")
            self.assertAlmostEqual(data["frames"][0]["position"][1], 0.479425538604203, places=14)
            self.assertEqual(data["motions"][0]["velocity"], [0.1, 0.0, 0.0])
            self.assertEqual((data["events"]["contacts"], data["events"]["slip"]), (True, False))
            self.assertEqual(data["events"]["levels"],
                             [{"name": "hinge", "quantity": "joint_position", "of": "hinge",
                               "level": 0.25, "direction": -1}])
            self.assertEqual([body["gravity_compensation"] for body in data["bodies"]], [0.0, 0.5])
            drive = data["actuators"][0]
            self.assertEqual([drive[key] for key in ("effort_limit", "effort_lower", "effort_upper")],
                             [9.0, -2.0, None])
            self.assertEqual(data["sensors"][0]["zone"]["shape"], "sphere")
            self.assertEqual([c["kind"] for c in data["commands"]], ["position"])
            self.assertEqual(len(data["actuators"]), 1)
            scene.write_text(arm + """
programs:
  - name: swing
    joints: [hinge]
    kp: 10
    kd: 1
    repeat: true
    steps:
      - {name: out, move_joints: {positions: [1], duration: 2}}
      - {name: wait, duration: 0.5, until: {time: 3}}
""", encoding="utf-8")
            result = isobar("inspect", scene)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("  program  swing (repeats) drives", result.stdout)
            self.assertIn("    step 1 out: joints, 2 s", result.stdout)
            self.assertIn("    step 2 wait: hold, 0.5 s, until 1 condition holds", result.stdout)
            steps = json.loads(isobar("inspect", scene, "--json").stdout)["programs"][0]["steps"]
            self.assertEqual([step["motion"] for step in steps], ["joints", "hold"])

    def test_inspect_and_version(self):
        result = isobar("inspect", self.scene(), "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        bodies = {body["name"]: body for body in json.loads(result.stdout)["bodies"]}
        self.assertAlmostEqual(bodies["ball::link"]["mass"], 0.1)
        self.assertEqual(isobar("version").returncode, 0)
        for command in ("run", "patch", "replay", "view", "export", "inspect", "volume", "identify",
                        "version"):
            self.assertIn("usage: isobar " + command, isobar(command, "--help").stdout)

    def test_volume_measures_what_two_meshes_share(self):
        cube = self.folder / "cube.obj"
        faces = ("1 4 3 2", "5 6 7 8", "1 2 6 5", "2 3 7 6", "3 4 8 7", "4 1 5 8")
        corners = ("0 0 0", "1 0 0", "1 1 0", "0 1 0", "0 0 1", "1 0 1", "1 1 1", "0 1 1")
        cube.write_text("".join(f"v {c}\n" for c in corners) + "".join(f"f {f}\n" for f in faces))
        result = isobar("volume", cube, cube, "--pose", "0.25,0,0.9", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        found = json.loads(result.stdout)
        self.assertAlmostEqual(found["volume"], 0.075, 14)
        self.assertEqual(found["method"], "polyhedral")
        self.assertEqual([round(x, 12) for x in found["centroid"]], [0.625, 0.5, 0.95])
        self.assertEqual([round(x, 12) for x in found["normal"]], [0, 0, 1])
        self.assertIn("found, from A into B", isobar("volume", cube, cube, "--pose", "0,0,0.9").stdout)
        self.assertEqual(isobar("volume", cube, cube, "--pose", "0,0,2").stdout.split()[1], "0")
        self.assert_error(isobar("volume", cube), 2, "two mesh files are needed")
        self.assert_error(isobar("volume", cube, cube, cube), 2, "unexpected argument")
        for pose in ("0,0", "0,0,0,0", "a,0,0", "0,0,nan", "0,0,0,", "0,0,0,0,0,0,0"):
            self.assert_error(isobar("volume", cube, cube, "--pose", pose), 2, f"--pose is '{pose}'")
        large = self.folder / "large.obj"
        large.write_text("".join("v " + c.replace("1", "25") + "\n" for c in corners)
                         + "".join(f"f {f}\n" for f in faces))
        self.assertIn("large.obj is 25 m large", isobar("volume", cube, large).stderr)
        self.assertEqual(isobar("volume", cube, cube).stderr, "")
        cube.write_text(cube.read_text().replace("f 4 1 5 8\n", ""))
        self.assert_error(isobar("volume", cube, cube), 3, "cube.obj: the surface is not closed")

    def test_the_man_page_has_every_option_and_drops_no_line(self):
        page = (ROOT / "docs" / "man" / "isobar.1").read_text(encoding="utf-8")
        commands = re.findall(r"^  (\w+) +\w", isobar("--help").stdout, re.M)
        self.assertEqual(len(commands), 16)
        plain = page.replace("\\", "")
        experiments = re.findall(r"^  (\w+) +\w", isobar("lab", "--help").stdout, re.M)
        self.assertEqual(len(experiments), 9)
        for command in [[command] for command in commands] + [["lab", e] for e in experiments]:
            for option in set(re.findall(r"--[a-z-]+", isobar(*command, "--help").stdout)) - {"--help"}:
                self.assertRegex(plain, rf"{option}\b", command)
        # To man a line that begins with a dot or a quote is a request; unknown ones vanish.
        requests = {"TH", "SH", "SS", "TP", "PP", "B", "BI", "BR", "I", "IR", "RB", "RI", "br"}
        for line in page.splitlines():
            if line.startswith((".", "'")) and not line.startswith('.\\"'):
                self.assertIn(line[1:].split(" ")[0], requests, line)

    def test_help_speaks_of_its_own_command(self):
        for command, has, lacks in (
            (["render"], ["frames per second of the film [Hz]; default: 30", ".gif"],
             ["edge length", "drive", "kept per"]),
            (["prepare"], ["edge length"], ["pixels"]),
            (["run"], ["frames kept per simulated second [Hz]; default: 60"], ["real second", "film"]),
            (["live"], ["per second of real time at most [Hz], 1 to 240"], ["film"]),
            (["lab", "slide"], ["of the drive", "--young"], ["film; default", "--series", "--workers"]),
            (["lab", "e1"], ["--series", "--workers", "as in the thesis"], ["--young ", "default:"]),
            (["lab", "learn"], ["--features"], ["--pitch", "--young"]),
            (["lab", "contact"], ["LOW[:HIGH:N]", "--shear"], ["--young"]),
            (["lab"], ["e4", "lab EXPERIMENT --help"], ["--young"]),
        ):
            said = isobar(*command, "--help").stdout
            for words in has:
                self.assertIn(words, said, command)
            for words in lacks:
                self.assertNotIn(words, said, command)

    def test_wrong_usage_is_2(self):
        scene = self.scene()
        self.assert_error(isobar("fly"), 2, "unknown command 'fly'")
        self.assert_error(isobar("rnu"), 2, "unknown command 'rnu'; did you mean 'run'?")
        self.assert_error(isobar("run", ""), 2, "input file missing")
        self.assert_error(isobar("run", scene, "--dt", "2"), 2, "--dt is '2', expected a number > 0, at most 1")
        self.assert_error(isobar("run", scene, "--threads", "257"), 2, "--threads is '257', expected a whole")
        self.assert_error(isobar("run", scene, "--json", "--hash"), 2, "--hash does nothing with --json")
        self.assert_error(isobar("version", "x"), 2, "unexpected argument 'x'")
        self.assert_error(isobar("run", scene, "--untl", "1"), 2,
                          "unknown option '--untl'; did you mean '--until'?")
        self.assert_error(isobar("run"), 2, "input file missing")
        self.assert_error(isobar("run", scene, "--fast"), 2, "unknown option '--fast'")
        self.assert_error(isobar("run", scene, "--until", "-1"), 2, "--until is '-1', expected a number > 0")
        self.assert_error(isobar("run", scene, "--dt", "0"), 2, "--dt is '0', expected a number > 0")
        self.assert_error(isobar("run", scene, "--threads", "1.5"), 2, "--threads")
        self.assert_error(isobar("run", scene, "--set", "novalue"), 2, "--set")
        self.assert_error(isobar("view", "x.mcap"), 2, "-o PAGE.html is missing")
        self.assert_error(isobar("export", "x.mcap"), 2, "missing")

    def test_bad_input_is_3_and_leaves_no_file(self):
        recording = self.folder / "out.mcap"
        cases = [
            (self.folder / "missing.sdf", ("missing.sdf",)),
            (self.folder, ()),
            (self.scene(mass=-1.0), ("ball.sdf:", "mass", "-1")),
        ]
        for path, parts in cases:
            result = isobar("run", path, "--record", recording)
            self.assert_error(result, 3, *parts)
            self.assertFalse(recording.exists())
        self.assert_error(isobar("run", self.scene(radius=-1.0)), 3, "ball.sdf:", "radius", "-1")
        self.assert_error(isobar("run", self.scene(radius="nan")), 3, "ball.sdf:", "nan")
        broken = self.folder / "broken.sdf"
        broken.write_text("<sdf version='1.9'><model name='a'>")
        self.assert_error(isobar("run", broken), 3, "broken.sdf:")
        scene = self.scene()
        for setting in ("simulation.time_step=0", "simulation.time_step=nan", "simulation.x=1"):
            self.assert_error(isobar("run", scene, "--set", setting), 3, setting.split("=")[0])
        result = isobar("run", scene, "--record", self.folder / "no" / "such" / "dir.mcap")
        self.assert_error(result, 3, "dir.mcap")
        error = isobar("view", scene, "-o", self.folder / "p.html")
        self.assert_error(error, 3, "ball.sdf" if has_viewer() else "no viewer")
        self.assertFalse((self.folder / "p.html").exists())

    def test_files_may_have_names_that_are_not_utf8(self):
        scene = self.folder / os.fsdecode(b"ball\xff.yaml")
        scene.write_text("bodies: [{name: ball, mass: 1, geometry: [{shape: sphere, radius: 0.1}]}]")
        recording = self.folder / "r.mcap"
        result = isobar("run", scene, "--until", "0.01", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(json.loads(result.stdout)["scene"], "ball?")
        inspected = json.loads(isobar("inspect", scene, "--json").stdout)
        self.assertTrue(inspected["file"].endswith("/ball?.yaml"))
        self.assert_error(isobar("run", scene, "--record", recording), 3, "ball?.yaml' is not UTF-8")
        self.assertFalse(recording.exists())
        surface = self.folder / os.fsdecode(b"ball\xff.stl")
        self.assert_error(isobar("prepare", surface, "-o", self.folder / "b.vtk"), 3,
                          "ball?.stl: the name is not UTF-8, expected one that model and report can hold")

    def test_what_is_read_is_never_replaced(self):
        scene, link, state, recording = self.scene(), *(self.folder / name for name in ("l.sdf", "s", "r.mcap"))
        link.symlink_to(scene)
        run = ("run", scene, "--until", "0.01", "--quiet")
        before = scene.read_bytes()
        self.assert_error(isobar(*run, "--record", scene), 3, "the recording would replace the input")
        self.assert_error(isobar(*run, "--save", link), 3, "the state would replace the input")
        self.assert_error(isobar(*run, "--record", state, "--save", state), 3,
                          "the state would replace the recording")
        self.assert_error(isobar(*run, "--record", state, "--save", f"{self.folder}/./s"), 3,
                          "the state would replace the recording")
        self.assertFalse(state.exists())
        self.assertEqual(scene.read_bytes(), before)
        self.assertEqual(isobar(*run, "--record", recording, "--save", state).returncode, 0)
        self.assert_error(isobar(*run, "--restore", state, "--record", state), 3,
                          "the recording would replace the state to restore")
        self.assertEqual(isobar(*run, "--restore", state, "--save", state).returncode, 0)
        before = recording.read_bytes()
        self.assert_error(isobar("view", recording, "-o", recording), 3,
                          "what is written would replace the input, expected a file of its own")
        self.assertEqual(recording.read_bytes(), before)

    def test_a_run_without_end_is_bad_input(self):
        result = isobar("run", self.scene(), "--until", "1e300")
        self.assert_error(result, 3, "stopping at 1e+300 s", "at most 9e+15")
        self.assertEqual(result.stdout, "")

    def test_results_that_cannot_be_written_are_3(self):
        scene = self.scene()
        for arguments in (["version"], ["inspect", scene], ["patch", scene], ["patch", scene, "--json"],
                          ["help"], ["run", "--help"]):
            with open("/dev/full", "w", encoding="ascii") as full:
                line = ["isobar", *map(str, arguments)]
                done = subprocess.run(line, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual(done.returncode, 3, arguments)
            self.assertIn("cannot be written to stdout", done.stderr)

    def test_a_limit_on_the_size_of_files_is_told_and_leaves_no_part(self):
        scene = self.scene()
        for option in ("--record", "--save"):
            result = subprocess.run(
                ["isobar", "run", scene, "--until", "1", option, self.folder / "out.mcap"],
                capture_output=True, text=True, check=False,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)),
            )
            self.assert_error(result, 3, "File too large")
            self.assertFalse((self.folder / "out.mcap.part").exists())

    def test_the_guide_shows_what_its_example_prints(self):
        example = pathlib.Path(os.environ.get("ISOBAR_BINARY_DIR", ""), "bin/examples/query_pair")
        if not example.exists():
            self.skipTest("examples are not built")
        printed = subprocess.run([example], cwd=ROOT, capture_output=True, text=True, check=True)
        guide = (ROOT / "docs/query.md").read_text(encoding="utf-8")
        self.assertIn("".join(f"    {line}\n" for line in printed.stdout.splitlines()), guide)

    def test_killed_run_leaves_a_readable_recording(self):
        recording = self.folder / "killed.mcap"
        process = subprocess.Popen(
            ["isobar", "run", self.scene(), "--until", "1000", "--record", recording, "--quiet"]
        )
        # Frames are written some 0.7 MB at once: the first are whole, what comes next may be cut.
        while not recording.exists() or recording.stat().st_size < 2_000_000:
            self.assertIsNone(process.poll())
        process.kill()
        process.wait()
        result = isobar("export", recording, "--csv", self.folder / "csv")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("frames exported (the recording was cut short)", result.stdout)
        if has_viewer():
            result = isobar("view", recording, "-o", self.folder / "killed.html")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("cut short", result.stdout)

    def test_a_recording_stays_until_the_next_one_is_whole(self):
        recording, part = self.folder / "run.mcap", self.folder / "run.mcap.part"
        command = ["isobar", "run", self.scene(), "--record", recording, "--quiet", "--until"]
        self.assertEqual(isobar(*command[1:], "0.05").returncode, 0)
        first = recording.read_bytes()
        for number in (signal.SIGKILL, signal.SIGTERM):
            part.unlink(missing_ok=True)
            process = subprocess.Popen([*command, "1000"], stderr=subprocess.DEVNULL)
            while not part.exists() or part.stat().st_size < 2_000_000:
                self.assertIsNone(process.poll())
            process.send_signal(number)
            process.wait()
            self.assertEqual(recording.read_bytes(), first, number)
            result = isobar("export", part, "--csv", self.folder / "csv")
            self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(isobar(*command[1:], "0.1").returncode, 0)
        self.assertNotEqual(recording.read_bytes(), first)
        self.assertFalse(part.exists())

    def test_threads_do_not_change_the_result(self):
        scene = self.scene(height=0.2)
        hashes = {
            json.loads(isobar("run", scene, "--json", "--threads", n).stdout)["state_hash"]
            for n in (1, 2, 3)
        }
        self.assertEqual(len(hashes), 1)


if __name__ == "__main__":
    unittest.main()
