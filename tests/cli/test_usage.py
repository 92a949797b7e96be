# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""What all commands have in common: options, outputs, exit codes, completion. The tables of the
command, as its help and its completion print them, say what is tried."""

import os
import pathlib
import pty
import random
import re
import shutil
import subprocess
import tempfile
import unittest

# What writes a file or a folder, and how its name may end; "" as one likes, "/" a folder.
ENDINGS = {
    ("compare", "-o"): ".html .htm", ("view", "-o"): ".html .htm", ("sweep", "-o"): ".csv",
    ("render", "-o"): ".webm .mp4 .gif .mkv .mov .avi .png .npz", ("prepare", "-o"): ".vtk .vtu",
    ("identify", "-o"): ".svg", ("lab surface", "-o"): ".csv .npz", ("lab learn", "-o"): ".json",
    ("lab e4", "-o"): ".json", ("lab rigid", "-o"): ".hdf5 .h5", ("lab contact", "-o"): ".npz",
    ("lab slide", "-o"): ".npz", ("lab e1", "-o"): ".npz", ("lab e2", "-o"): ".npz",
    ("lab e3", "-o"): ".npz", "--record": ".mcap", "--page": ".html .htm", "--film": ".html .htm",
    "--report": ".html .htm", "--table": ".csv", "--sdf": ".sdf .world", "--urdf": ".urdf",
    "--save": "", "--state": "", "--log": "", "--csv": "/", "--vtk": "/", "--deformed": "/",
}
READ = {"--restore", "--from", "--core", "--backing", "--gmsh", "--python"}
NEEDED = {"lab rigid": ["--scene", "rod"]}


def isobar(*arguments, **more):
    return subprocess.run(["isobar", *map(str, arguments)], capture_output=True, text=True,
                          check=False, timeout=60, **more)


def options_of(command):
    """[(name, what its value is called or "", text)] of the help."""
    said = isobar(*command.split(), "--help").stdout
    return re.findall(r"^  (--?[a-z-]+) (\S*) +(\S.*)$", said, re.M)


def all_commands():
    commands = re.findall(r"^  (\w+) +\w", isobar("--help").stdout, re.M)
    experiments = re.findall(r"^  (\w+) +\w", isobar("lab", "--help").stdout, re.M)
    return [c for c in commands if c != "lab"] + ["lab " + e for e in experiments]


def inputs_of(command):
    return {"version": [], "completion": ["bash"], "volume": ["a.obj", "b.obj"]}.get(
        command, [] if command.startswith("lab ") else ["missing.in"])


class Usage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.options = {command: options_of(command) for command in all_commands()}

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def refuse(self, code, words, *arguments):
        before = sorted(self.folder.iterdir())
        result = isobar(*arguments, cwd=self.folder)
        self.assertEqual(result.returncode, code, (arguments, result.stderr))
        lines = [line for line in result.stderr.splitlines() if "error:" in line]
        self.assertEqual(len(lines), 1, (arguments, result.stderr))
        self.assertIn(words, lines[0], arguments)
        self.assertEqual(sorted(self.folder.iterdir()), before, arguments)

    def outputs(self):
        for command, options in self.options.items():
            for name, value, _ in options:
                endings = ENDINGS.get((command, name), ENDINGS.get(name))
                if endings is not None:
                    yield command, name, endings
                else:
                    is_read = value not in ("FILE", "DIR", "STATE") or name in READ
                    self.assertTrue(is_read, f"{command} {name} {value}: of no known ending")

    def test_an_output_of_another_ending_is_refused_before_any_work(self):
        draw = random.Random(5)
        others = ["p.png", "x.csv", "x.txt", "t.xlsx", "a.mcap", "m.html", "n", "csv", ".svg", "x.",
                  "a.vtk.gz", "html", ".npz", "s.svg", "d.d/x", "u.urdf", "q.json"]
        count = 0
        for command, name, endings in self.outputs():
            if not endings.startswith("."):
                continue
            known = tuple(endings.split())
            for other in draw.sample(others, 2):
                if not other.lower().endswith(known) or other.startswith("."):
                    self.refuse(2, f"{name} is '{other}', expected a name that ends in {known[0]}",
                                *command.split(), *inputs_of(command), name, other)
                    count += 1
        self.assertGreater(count, 40)

    def test_an_output_without_a_place_is_refused_before_any_work(self):
        draw = random.Random(6)
        (self.folder / "file").write_text("x")
        for command, name, endings in self.outputs():
            ending = endings.split()[-1].upper() if endings.startswith(".") else ""
            (self.folder / ("dir" + ending)).mkdir(exist_ok=True)
            places = ["none/x" + ending, "file/x" + ending, "none/deep/x" + ending]
            places += ["file"] if endings == "/" else ["dir" + ending]
            for place in draw.sample(places, 2):
                self.refuse(3, f"{place}: {name} cannot be made there: ", *command.split(),
                            *inputs_of(command), *NEEDED.get(command, []), name, place)

    def test_values_follow_a_space_or_an_equals_sign_and_are_missed(self):
        draw = random.Random(8)
        for command, options in self.options.items():
            for name, value, _ in draw.sample(options, min(len(options), 4)):
                words = [*command.split(), *inputs_of(command)]
                if not value:
                    self.refuse(2, f"there is no value of '{name}'", *words, name + "=1")
                    continue
                rest = draw.choice([[], ["--help"], [name, "x"]])
                self.refuse(2, f"value missing after '{name}'", *words, name, *rest)
                if name.startswith("--"):
                    bad = isobar(*words, name, "", cwd=self.folder)
                    same = isobar(*words, name + "=", cwd=self.folder)
                    self.assertEqual((bad.returncode, bad.stderr), (2, same.stderr), words + [name])
                    self.assertEqual(same.returncode, 2)

    def test_misspelt_commands_and_options_get_a_hint(self):
        draw = random.Random(7)
        for command, options in self.options.items():
            for name, value, _ in draw.sample(options, min(len(options), 2)):
                if len(name) < 6:
                    continue
                at = draw.randrange(3, len(name) - 1)
                wrong = name[:at] + name[at + 1] + name[at] + name[at + 2:]
                if wrong not in [name for name, _, _ in options]:
                    self.refuse(2, "did you mean '--", *command.split(), *inputs_of(command), wrong,
                                *["1"] * bool(value))
            if len(command) > 4 and " " not in command:
                self.refuse(2, f"did you mean '{command}'?", command[:-1])

    def test_a_keyframe_that_is_refused_is_called_by_its_option(self):
        (self.folder / "a.yaml").write_text("bodies: [{name: a, mass: 1, inertia: [1, 1, 1]}]\n")
        self.refuse(3, "keyframe 'home': a keyframe is that of one MJCF file", "run", "a.yaml", "--keyframe", "home")

    def test_words_of_other_tools_are_answered_with_ours(self):
        # Each word, asked of every command that does not take it, names options that this command takes.
        words = {"-o": "--record|--csv|--vtk|--json|stdout", "--output": "-o|--record|--csv|--vtk|--json|stdout",
                 "--duration": "--until|", "--time-step": "--dt|", "-q": "--quiet|", "-j": "--threads|--workers|",
                 "--gui": "isobar live SCENE", "--npz": "--table|export_npz", "--fps": "--frame-rate|"}
        for command, options in self.options.items():
            taken = {name for name, _, _ in options}
            for word, answers in words.items():
                if word in taken:
                    continue
                with self.subTest(command=command, word=word):
                    said = isobar(*command.split(), *inputs_of(command), word, "1").stderr
                    able = [a for a in answers.split("|") if a in taken or a[:1] not in ("-", "")]
                    self.assertTrue("" in answers.split("|") or able)
                    self.assertTrue(not able or any(a in said for a in able), said)
                    for named in re.findall(r"'(--?[a-z-]+)'", said.partition("expected ")[2].partition("(try")[0]):
                        self.assertIn(named, taken)
        for word, command in (("simulate", "run"), ("gui", "live"), ("plot", "view"), ("mesh", "prepare"),
                              ("convert", "inspect"), ("video", "render"), ("calibrate", "identify")):
            self.refuse(2, f"expected '{command}'", word, "x.yaml")

    def test_who_begins_with_an_option_or_a_file_is_told_the_order(self):
        self.refuse(2, "expected 'isobar run ...'", "--until", "1", "run", "x.sdf")
        self.refuse(2, "expected 'isobar sweep ...'", "-o", "x.csv", "sweep", "x.sdf")
        for name, command in (("a.yaml", "run"), ("b.URDF", "run"), ("c.mcap", "view"),
                              ("d.stl", "prepare"), ("e.vtk", "inspect")):
            self.refuse(2, f"'{name}' stands before the command, expected 'isobar {command} ...'", name)
        self.assertEqual(isobar("help", "run").stdout, isobar("run", "--help").stdout)
        self.assertEqual(isobar("help", "lab", "slide").stdout, isobar("lab", "slide", "--help").stdout)

    def test_a_folder_as_input_is_bad_input(self):
        for command in self.options:
            if command.startswith("lab ") or not inputs_of(command) or command == "completion":
                continue
            more = {"sweep": ["--over", "friction=1", "--measure", "time()", "-o", "x.csv"],
                    "view": ["-o", "x.html"], "export": ["--csv", "x"], "prepare": ["-o", "x.vtk"],
                    "render": ["-o", "x.png"]}.get(command, [])
            inputs = [".", "."] if command == "volume" else ["."]
            self.refuse(3, ".: ", command, *inputs, *more)

    def test_options_without_effect_are_refused(self):
        for words, says in (
            ("run x.sdf --frame-rate 5", "--frame-rate is given without --record FILE"),
            ("compare x.sdf --no-faces", "--no-faces is given without -o FILE"),
            ("inspect x.obj --keyframe 1", "--keyframe does nothing for a mesh"),
            ("inspect x.vtk --set a.b=1", "--set does nothing for a mesh"),
            ("inspect x.stl --package a=b", "--package does nothing for a mesh"),
            ("prepare x.stl -o x.vtk --mesher ftetwild --gmsh g", "--gmsh does nothing with --mesher ftetwild"),
            ("prepare x.stl -o x.vtk --mesher gmsh --python p", "--python does nothing with --mesher gmsh"),
            ("lab surface --kind sine --hurst 0.5", "--hurst does nothing with --kind sine"),
            ("lab surface --radius 1", "--radius does nothing without --kind"),
            ("lab e2 --hurst 0.5", "--hurst does nothing without --kind"),
            ("lab contact --kind sphere --rms 1", "--rms does nothing with --kind sphere"),
            ("lab rigid --from f --scene rod", "--scene does nothing with --from"),
            ("lab slide --load 5 --press 5", "--load does nothing with --press"),
            ("lab slide --beta 5 --damp-highest", "--beta does nothing with --damp-highest"),
            ("lab slide --travel 5 --force-rate 5", "--travel does nothing with --force-rate"),
            ("lab e3 --tow 5", "--tow does nothing with --force-rate"),
            ("lab surface --height-unit 1", "--height-unit is given without --from FILE"),
            ("run x.sdf --hash --json", "--hash does nothing with --json"),
        ):
            self.refuse(2, says, *words.split())
        for command, options in self.options.items():
            if {"--quiet", "--verbose"} <= {name for name, _, _ in options}:
                self.refuse(2, "--verbose does nothing with --quiet", *command.split(),
                            *inputs_of(command), "--verbose", "--quiet")

    def test_known_numbers_of_other_data_are_refused(self):
        (self.folder / "i.csv").write_text("depth,force\n" + "".join(
            f"{d / 1e4},{2e5 * (d / 1e4) ** 1.5}\n" for d in range(1, 40)))
        (self.folder / "v.csv").write_text("before,after\n1,0.5\n2,1\n3,1.6\n4,2\n5,2.4\n6,3.1\n")
        for name, option, says in (
            ("i", "--load-per-mass", "a load per mass is of tap alone, and this is indentation"),
            ("v", "--exponent", "an exponent is of indentation alone, and this is impacts"),
            ("v", "--load-per-mass", "a load per mass is of tap alone, and this is impacts"),
        ):
            self.refuse(3, says, "identify", name + ".csv", option, "1.5", "-o", "x.svg")
        self.assertEqual(isobar("identify", self.folder / "i.csv", "--exponent", "1.5").returncode, 0)

    def test_sweeps_name_the_option_that_is_wrong(self):
        for over, measure, says in (
            ("frction=1", "time()", "--over: there is no parameter 'frction'"),
            ("friction=a", "time()", "--over: 'friction' is a, expected"),
            ("friction=1:2", "time()", "--over: "), ("modulus=0", "time()", "--over: "),
            ("mass(=1", "time()", "--over: "), ("friction=1", "tim()", "--measure: "),
            ("friction=1", "slip", "--measure: "), ("friction=1", "max_(x)", "--measure: "),
        ):
            self.refuse(2, says, "sweep", "missing.sdf", "--over", over, "--measure", measure, "-o", "t.csv")
        self.refuse(3, "missing.sdf: ", "sweep", "missing.sdf", "--over", "friction=1", "--measure",
                    "time()", "-o", "t.csv")
        said = isobar("sweep", "--help").stdout
        for quantity in ("slip", "margin", "friction_force", "effort", "kinetic", "sensor", "done"):
            self.assertRegex(said, rf"(?m)^  of .*\b{quantity}\b")

    def test_the_last_of_two_values_counts_and_is_said(self):
        for command, options in self.options.items():
            words = [*command.split(), *inputs_of(command)]
            if command in ("run", "compare") and options:
                said = isobar(*words, "--threads", 1, "--threads", 2, cwd=self.folder).stderr
                self.assertIn("warning: --threads is given more than once: the last one counts, '2'", said)
                for twice in (["1", "1"], ["1", "2", "--quiet"]):
                    said = isobar(*words, "--threads", twice[0], "--threads", *twice[1:], cwd=self.folder)
                    self.assertNotIn("more than once", said.stderr)

    def test_shells_complete_every_command_and_option(self):
        script = self.folder / "isobar.bash"
        script.write_text(isobar("completion", "bash").stdout)

        def complete(*words):
            text = (f"source {script}; COMP_WORDS=({' '.join(words)} ''); "
                    f"COMP_CWORD={len(words) - 1}; _isobar; echo ${{COMPREPLY[@]}}")
            return subprocess.run(["bash", "-c", text], capture_output=True, text=True,
                                  check=True).stdout.split()

        zsh, fish = isobar("completion", "zsh").stdout, isobar("completion", "fish").stdout
        self.assertEqual(complete("isobar", "re"), ["replay", "render"])
        self.assertEqual(complete("isobar", "lab", "su"), ["surface"])
        self.assertEqual(complete("isobar", "run", "file"), [])
        for command, options in self.options.items():
            names = {name for name, _, _ in options}
            self.assertEqual(set(complete("isobar", *command.split(), "x", "-")) - {"--help"},
                             names, command)
            for name, _, text in options:
                self.assertIn(f"'{name}:", zsh)
                self.assertRegex(fish, rf"from {command.split()[-1]}' -[ls] {name.lstrip('-')} ")
        for shell, text in (("zsh", zsh), ("fish", fish)):
            if shutil.which(shell):
                subprocess.run([shell, "-n"], input=text, text=True, check=True)

    def test_colours_are_for_terminals(self):
        def said(**more):
            main, end = pty.openpty()
            environment = {**os.environ, "TERM": "xterm"} | more
            environment.pop("NO_COLOR" if "NO_COLOR" not in more else "", None)
            subprocess.run(["isobar", "fly"], stderr=end, check=False, env=environment)
            os.close(end)
            text = os.read(main, 4096).decode()
            os.close(main)
            return text

        self.assertIn("isobar: \033[1;31merror:\033[0m unknown", said())
        self.assertIn("isobar: error: unknown", said(NO_COLOR="1"))
        self.assertIn("isobar: error: unknown", said(TERM="dumb"))
        self.assertNotIn("\033", isobar("fly", env={**os.environ, "TERM": "xterm"}).stderr)


if __name__ == "__main__":
    unittest.main()
