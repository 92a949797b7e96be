# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""What is no file, in the place of one of whatever kind and whoever names it, is refused at once: opening
a pipe may wait for ever, reading a device may never end, of a terabyte there is no room, and so on. No
program, library or module runs that lies in the folder of a scene or in the current one."""

import os
import pathlib
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

URDF = """<robot name="r"><link name="l">
<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
{}</link></robot>"""
MESH = "<{0}><geometry><mesh filename='{1}'/></geometry></{0}>"
BALL = URDF.format("<collision><geometry><sphere radius='1'/></geometry></collision>")
SCENARIO = "directives:\n- add_model: {{name: r, file: {}}}\nsimulation: {{end_time: 0.001}}\n"
SLIDER = URDF.format("").replace("</robot>", """<link name="m"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="prismatic"><parent link="l"/><child link="m"/><axis xyz="1 0 0"/>
<limit effort="1" velocity="1" lower="-1" upper="1"/></joint></robot>""")
DRIVEN = (SCENARIO.format("slider.urdf") +
          "actuation:\n- {joint: r::j, effort: {type: table, file: pipe.csv}}\n")
MJCF = """<mujoco>{asset}<worldbody><body><freejoint/><geom {geom}/></body>{more}</worldbody></mujoco>"""
# name of the pipe, and the files beside it; the first is what the command runs
INPUTS = {
    "scenario": ("pipe.yaml", {}),
    "URDF": ("pipe.urdf", {}),
    "SDFormat": ("pipe.sdf", {}),
    "MJCF": ("pipe.xml", {}),
    "model of a scenario": ("pipe.urdf", {"main.yaml": SCENARIO.format("pipe.urdf")}),
    "directives": ("pipe.yaml", {"main.yaml": "directives:\n- add_directives: {file: pipe.yaml}\n"}),
    "include of SDFormat": ("pipe.sdf", {"main.sdf": "<sdf version='1.9'><world name='w'><include>"
                                         "<uri>pipe.sdf</uri></include></world></sdf>"}),
    "include of MJCF": ("pipe.xml", {"main.xml": "<mujoco><include file='pipe.xml'/></mujoco>"}),
    "table of forces": ("pipe.csv", {"main.yaml": DRIVEN, "slider.urdf": SLIDER}),
    "heights": ("pipe.png", {"main.xml": MJCF.format(
        asset="<asset><hfield name='h' file='pipe.png' size='1 1 1 1'/></asset>", geom="size='1'",
        more="<geom type='hfield' hfield='h'/>")}),
    "heights of numbers": ("pipe.bin", {"main.xml": MJCF.format(
        asset="<asset><hfield name='h' file='pipe.bin' size='1 1 1 1'/></asset>", geom="size='1'",
        more="<geom type='hfield' hfield='h'/>")}),
}
for suffix in ("obj", "stl", "gltf", "glb", "dae", "ply", "vtk", "vtu", "msh"):
    INPUTS[f"collision .{suffix}"] = (f"pipe.{suffix}", {
        "main.urdf": URDF.format(MESH.format("collision", f"pipe.{suffix}"))})
    INPUTS[f"visual .{suffix}"] = (f"pipe.{suffix}", {
        "main.urdf": URDF.format(MESH.format("visual", f"pipe.{suffix}"))})
for suffix in ("obj", "stl", "msh"):
    INPUTS[f".{suffix} of MJCF"] = (f"pipe.{suffix}", {"main.xml": MJCF.format(
        asset=f"<asset><mesh name='m' file='pipe.{suffix}'/></asset>",
        geom="type='mesh' mesh='m'", more="")})
# What mesh files name in turn: the mesh is read without it, or refused.
NAMED = {
    "material of .obj": ("pipe.mtl", "main.obj", "mtllib pipe.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
                         "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"),
    "buffer of .gltf": ("pipe.bin", "main.gltf", """{"asset": {"version": "2.0"}, "scene": 0,
        "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "buffers": [{"uri": "pipe.bin", "byteLength": 36}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3",
                       "min": [0, 0, 0], "max": [1, 1, 1]}]}"""),
}
# Why each is refused; of noise and of nothing each format says its own.
REGULAR = "not a regular file"
KINDS = {"pipe": REGULAR, "device": REGULAR, "folder": REGULAR, "socket": REGULAR, "huge": "expected at most",
         "loop": "Too many levels of symbolic links", "locked": "Permission denied", "noise": ".", "empty": "."}
# Programs that the command starts, and modules and libraries that they load.
PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "ffmpeg", "gmsh", "python3", "python", "node", "npm", "isobar",
            "bin/gmsh", "bin/python3", "build/venv/bin/python3", "build/release/bin/isobar", "node_modules/.bin/vite")
MODULES = ("isobar.py", "numpy.py", "yaml.py", "cffi.py", "json.py", "pytetwild.py", "sitecustomize.py", "gmsh.py", "random.py")


class NotRegular(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def isobar(self, *arguments):
        return subprocess.run(["isobar", *map(str, arguments)], capture_output=True, text=True,
                              check=False, cwd=self.folder, timeout=20)

    def put(self, name, kind):
        """A pipe nobody writes, a device that never ends, or a folder, under this name."""
        path = self.folder / name
        if path.is_symlink() or path.exists():
            path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
        if kind == "pipe":
            os.mkfifo(path)
        elif kind == "device":
            path.symlink_to("/dev/zero")
        elif kind == "folder":
            path.mkdir()
        elif kind == "loop":
            path.symlink_to(name)
        elif kind == "socket":
            with socket.socket(socket.AF_UNIX) as end:
                end.bind(str(path))
        elif kind == "huge":
            with path.open("wb") as file:
                file.truncate(1 << 40)
        elif kind == "locked":
            path.write_text("v 0 0 0\n")
            path.chmod(0)
        else:
            path.write_bytes(random.Random(name).randbytes(3000) if kind == "noise" else b"")

    def assert_refused(self, result, name, kind="pipe"):
        self.assertEqual(result.returncode, 3, result.stderr)
        said = [line for line in result.stderr.splitlines() if "error:" in line]
        self.assertEqual(len(said), 1, result.stderr)
        self.assertIn(name, said[0])
        self.assertRegex(said[0], KINDS[kind])

    def test_what_scenes_are_made_of(self):
        for title, (name, files) in INPUTS.items():
            for file, text in files.items():
                (self.folder / file).write_text(text)
            # Beside what may wait for ever or never end, another one that is drawn.
            others = random.Random(title).sample(sorted(KINDS.keys() - {"pipe", "device", "folder"}), 1)
            for kind in ("pipe", "device", "folder", *others):
                if kind == "locked" and os.geteuid() == 0:
                    continue  # there is no lock for root
                with self.subTest(title, kind=kind):
                    self.put(name, kind)
                    result = self.isobar("run", next(iter(files), name), "--until", "0.001")
                    if title.startswith("visual"):
                        self.assertEqual(result.returncode, 0, result.stderr)
                        if kind not in ("huge", "noise"): # read where it is to be shown alone
                            self.assertRegex(result.stderr, f"{name}.* is not shown")
                    else:
                        self.assert_refused(result, name, kind)

    def plant(self):
        """Programs, modules and libraries that leave a mark where one of them runs."""
        mark = self.folder / "ran"
        for name in PROGRAMS:
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"#!/bin/sh\necho {name} >> {mark}\nexit 9\n")
            path.chmod(0o755)
        for name in MODULES:
            (self.folder / name).write_text(f"open({str(mark)!r}, 'a').write({name!r})\nraise SystemExit(9)\n")
        needed = subprocess.run(["readelf", "-d", shutil.which("isobar")], capture_output=True, text=True, check=False).stdout
        for name in re.findall(r"\(NEEDED\).*\[(.*)\]", needed):
            (self.folder / name).write_bytes(b"no library")
        for name in (".gmsh-options", "gmshrc", ".gmshrc", "pyvenv.cfg", ".npmrc", "vite.config.js", "package.json"):
            (self.folder / name).write_text("SystemCall \"touch ran\";\n")
        return mark

    def test_nothing_runs_that_lies_in_a_folder(self):
        mark = self.plant()
        (self.folder / "ball.urdf").write_text(BALL)
        (self.folder / "ball.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
        commands = ["run ball.urdf --until 0.01 --record run.mcap", "inspect ball.urdf", "inspect ball.obj", "patch ball.urdf",
                    "view run.mcap -o x.html", "export run.mcap --csv x", "replay run.mcap", "volume ball.obj ball.obj",
                    "sweep ball.urdf --until 0.01 --over simulation.time_step=1e-3,2e-3 --measure ball.speed",
                    "compare ball.urdf --until 0.01", "prepare ball.obj -o x.vtk --time-limit 5", "prepare ball.obj -o x.vtk --mesher ftetwild --time-limit 5",
                    "render run.mcap -o x.mp4", "render run.mcap -o x.png", "version", "lab --help"]
        draw = random.Random(1)
        keep = {k: v for k, v in os.environ.items() if k not in ("ISOBAR_PYTHON", "ISOBAR_CHROMIUM", "ISOBAR_FFMPEG", "PYTHONPATH")}
        for command in commands:
            path = draw.choice((":", ".:::bin", ":./bin:bin:.", ".:/nowhere"))
            done = subprocess.run([shutil.which("isobar"), *command.split()], capture_output=True, text=True, check=False,
                                  cwd=self.folder, timeout=60, env=keep | {"PATH": path})
            self.assertIn(done.returncode, (0, 2, 3, 4), (command, path, done.stderr))
            self.assertFalse(mark.exists(), mark.exists() and (command, path, mark.read_text()))

    def test_nothing_of_a_folder_runs_from_python(self):
        mark = self.plant()
        (self.folder / "ball.urdf").write_text(BALL)
        source = pathlib.Path(__file__).parents[2] / "python"
        (self.folder / "scripts").mkdir() # a script's own folder is Python's to look in
        script = self.folder / "scripts" / "use.py"
        script.write_text("import sys; sys.path.insert(0, sys.argv[1])\nimport isobar\nscene = isobar.load('ball.urdf')\n"
                          "try:\n    print(isobar._native.program())\nexcept isobar.Error as error:\n    print(error)\n")
        done = subprocess.run([sys.executable, str(script), str(source)], capture_output=True, text=True, check=False, cwd=self.folder,
                              timeout=60, env={**os.environ, "PATH": ":.:bin"})
        self.assertFalse(mark.exists(), mark.exists() and mark.read_text())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn(str(self.folder), done.stdout)
        self.assertTrue(done.stdout.startswith("/"), done.stdout)

    def test_what_mesh_files_name(self):
        for title, (name, file, text) in NAMED.items():
            (self.folder / file).write_text(text)
            (self.folder / "main.urdf").write_text(URDF.format(MESH.format("visual", file)))
            for kind in ("pipe", "device"):
                with self.subTest(title, kind=kind):
                    self.put(name, kind)
                    self.assertIn(self.isobar("inspect", file).returncode, (0, 3))

    def test_recordings_states_and_surfaces(self):
        (self.folder / "ball.urdf").write_text(BALL)
        commands = [
            ("pipe.mcap", "view", "pipe.mcap", "-o", "x.html"),
            ("pipe.mcap", "export", "pipe.mcap", "--csv", "x"),
            ("pipe.mcap", "replay", "pipe.mcap"),
            ("pipe.state", "run", "ball.urdf", "--until", "0.001", "--restore", "pipe.state"),
            ("pipe.stl", "prepare", "pipe.stl", "-o", "x.vtk"),
            ("pipe.stl", "inspect", "pipe.stl"),
            ("pipe.vtk", "inspect", "pipe.vtk"),
        ]
        for name, *command in commands:
            for kind in ("pipe", "device"):
                with self.subTest(command, kind=kind):
                    self.put(name, kind)
                    self.assert_refused(self.isobar(*command), name)
                    (self.folder / name).unlink()
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["ball.urdf"])

    def test_pipes_that_nobody_reads_are_not_written(self):
        (self.folder / "ball.urdf").write_text(BALL)
        self.put("out", "pipe")
        for option in ("--record", "--save"):
            with self.subTest(option):
                result = self.isobar("run", "ball.urdf", "--until", "0.001", option, "out")
                self.assertEqual(result.returncode, 3, result.stderr)
                self.assertIn("a pipe that nobody reads", result.stderr)


if __name__ == "__main__":
    unittest.main()
