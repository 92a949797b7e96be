# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""The wheel that is given away: it brings the libraries that not every Linux has and their licences, and
runs in a fresh environment. It holds the library under test; with ISOBAR_SLOW_TESTS=1 it is
built anew, as `pip wheel .` does."""

import os
import pathlib
import random
import re
import subprocess
import sys
import urllib.request
import venv
import zipfile

import isobar_command
import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
IS_SLOW = os.environ.get("ISOBAR_SLOW_TESTS") == "1"

# What every Linux has: the GNU C and C++ libraries, zlib.
SYSTEM = {"libc", "libm", "libdl", "librt", "libpthread", "libgcc_s", "libstdc++", "libz",
          "ld-linux-x86-64", "libutil", "libresolv"}

USE = """
import ctypes, pathlib, sys
import bz2, cffi, lzma, numpy, shutil  # what Python itself loads
before = {line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}
import isobar
here = pathlib.Path(isobar.__file__).parent
assert (here / "_declarations.py").exists() and (here / "py.typed").exists()
world = isobar.load(sys.argv[1]).create_world()
world.step(20)
mesh = isobar.TriMesh.load(sys.argv[2])
print(here)
print(len(world.contacts), world.state_hash, len(mesh.triangles))
for line in sorted({line.split()[-1] for line in open("/proc/self/maps") if ".so" in line} - before):
    print(line)
"""

MESH = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"


def run(*command, cwd):
    environment = {k: v for k, v in os.environ.items()
                   if k not in ("PYTHONPATH", "ISOBAR_LIBRARY", "LD_LIBRARY_PATH")}
    return subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          check=False, cwd=cwd, env=environment)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel that tools/build_wheel makes."""
    directory = tmp_path_factory.mktemp("wheel")
    options = [] if IS_SLOW else ["--built", os.environ["ISOBAR_BINARY_DIR"]]
    scalar = os.environ.get("ISOBAR_SCALAR_COMMAND")
    plain = pathlib.Path(scalar).parents[1] if scalar else None
    if plain and (plain / "lib" / "libisobar.so").is_file() and not IS_SLOW:
        options += ["--baseline", plain]
    done = run(sys.executable, SOURCE / "tools" / "build_wheel", "-o", directory / "out",
               "--build-dir", directory / "build", *options, cwd=directory)
    if done.returncode == 77 or "no viewer's page" in done.stderr:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stdout + done.stderr
    (found,) = (directory / "out").glob("*.whl")
    return found


@pytest.fixture(scope="module")
def python(wheel, tmp_path_factory):
    """Python of a fresh environment with the wheel and what it asks for from the package index."""
    directory = tmp_path_factory.mktemp("venv")
    venv.create(directory, with_pip=False, system_site_packages=False)
    done = run(sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", directory,
               "install", "-q", "--no-compile", wheel, cwd=directory)
    if done.returncode != 0 and re.search("Could not find a version|No matching distribution|"
                                          "Max retries|ConnectionError", done.stderr):
        pytest.skip("the package index has no cffi or numpy for the fresh environment: "
                    + done.stderr.strip().splitlines()[-1])
    assert done.returncode == 0, done.stdout + done.stderr
    return directory / "bin" / "python3"


def test_one_wheel_serves_every_python_on_linux(wheel):
    assert re.fullmatch(r"isobar-[\d.]+-py3-none-manylinux_2_\d+_x86_64\.whl", wheel.name)
    names = zipfile.ZipFile(wheel).namelist()
    assert "isobar/py.typed" in names and "isobar/_declarations.py" in names
    assert "isobar/bin/isobar" in names and "isobar/viewer.html" in names
    libraries = [name for name in names if ".so" in name.rpartition("/")[2]]
    assert "isobar/libisobar.so" in libraries
    for stem in ("libassimp", "libxml2", "libyaml-0", "libjansson", "libzstd", "libqhull_r",
                 "libldl", "libamd", "libpng16"):
        assert any(name.startswith(f"isobar.libs/{stem}-") for name in libraries), stem
    assert not any(re.match(r"isobar.libs/lib(c|m|stdc\+\+|gcc_s)-", name) for name in libraries)


def test_every_bundled_library_has_its_licence(wheel):
    archive = zipfile.ZipFile(wheel)
    names = archive.namelist()
    (readme,) = [n for n in names if n.endswith("/licenses/third_party/README.txt")]
    said = archive.read(readme).decode()
    for name in names:
        if name.startswith("isobar.libs/lib"):
            line = re.search(rf"{re.escape(name[12:])}: .* see (\S+)", said)
            text = archive.read(f"{readme.rpartition('/')[0]}/{line[1]}").decode()
            assert "icense" in text or "opyright" in text, name
    assert any(n.endswith("third_party/LGPL-2.1.txt") for n in names)  # of LDL
    record = archive.read(readme.split("/")[0] + "/RECORD").decode()
    assert {line.split(",")[0] for line in record.splitlines()} == {
        n for n in names if not n.endswith("/")}


def test_the_wheel_needs_no_library_of_this_machine(wheel, python, tmp_path):
    (tmp_path / "tet.obj").write_text(MESH)
    done = run(python, "-I", "-c", USE, SOURCE / "scenes" / "demo.yaml", tmp_path / "tet.obj",
               cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    here, result, *libraries = done.stdout.splitlines()
    assert here.startswith(str(python.parents[1]))
    assert int(result.split()[0]) > 0 and result.split()[2] == "4"
    outside = {pathlib.Path(path).name.split(".so")[0] for path in libraries
               if not path.startswith((str(python.parents[1]), sys.base_prefix + "/lib/python"))}
    assert outside <= SYSTEM
    # Those of the package itself come from the wheel.
    assert sum("/isobar.libs/" in path for path in libraries) >= 8


def test_the_wheel_comes_to_the_same_bits(python, tmp_path):
    """The library in the wheel is the one under test: assimp and the rest are only elsewhere."""
    import isobar

    (tmp_path / "tet.obj").write_text(MESH)
    done = run(python, "-I", "-c", USE, SOURCE / "scenes" / "demo.yaml", tmp_path / "tet.obj",
               cwd=tmp_path)
    world = isobar.load(SOURCE / "scenes" / "demo.yaml").create_world()
    world.step(20)
    assert int(done.stdout.splitlines()[1].split()[1]) == world.state_hash


BACKEND = """
import isobar, sys
world = isobar.load(sys.argv[1]).create_world()
world.step(20)
print(isobar.simd_backend(), world.state_hash)
"""


def test_without_avx2_the_wheel_takes_plain_c_with_the_same_bits(wheel, python, tmp_path):
    if "isobar/baseline/isobar" not in zipfile.ZipFile(wheel).namelist():
        pytest.skip("no build of ISOBAR_SIMD=scalar to take (make scalar)")
    said = {}
    for backend in ("avx2", "scalar"):
        environment = {"PATH": "/nowhere", "HOME": str(tmp_path), "ISOBAR_SIMD": backend}
        for name, line in (("python", [python, "-I", "-c", BACKEND, SOURCE / "scenes" / "demo.yaml"]),
                           ("command", [python.parent / "isobar", "--version"])):
            done = subprocess.run([str(a) for a in line], capture_output=True, text=True, check=False,
                                  cwd=tmp_path, env=environment)
            assert done.returncode == 0, done.stdout + done.stderr
            said[name, backend] = done.stdout.split()
    assert said["command", "scalar"][-1] == "(scalar)" and said["python", "scalar"][0] == "scalar"
    assert said["command", "avx2"][-1] != "(scalar)" and said["python", "avx2"][0] != "scalar"
    assert said["python", "scalar"][1] == said["python", "avx2"][1]
    done = subprocess.run([str(python.parent / "isobar"), "--version"], capture_output=True, text=True, check=False,
                          env={"PATH": "/nowhere", "ISOBAR_SIMD": "mmx"})
    assert done.returncode == 1 and "expected avx2 or scalar" in done.stderr


def test_flags_of_the_processor_choose(tmp_path, monkeypatch):
    """Any flag that is missing, wherever it stood, and only where there is something to choose."""
    (tmp_path / "package" / "baseline").mkdir(parents=True)
    package, info = tmp_path / "package", tmp_path / "cpuinfo"
    monkeypatch.setattr(isobar_command, "_PROCESSOR", info)
    monkeypatch.delenv("ISOBAR_SIMD", raising=False)
    monkeypatch.setattr(isobar_command.platform, "machine", lambda: "x86_64")
    needed, draw = ["avx2", "fma", "bmi1", "bmi2", "popcnt"], random.Random(5)
    for missing in (None, *needed):
        flags = [f for f in needed if f != missing] + ["sse2", "avx", "fma4", "avx2x"]
        draw.shuffle(flags)
        info.write_text(f"processor : 0\nvendor_id : x\nflags\t\t: {' '.join(flags)}\nbugs : none\n")
        assert isobar_command.takes_baseline(package) is (missing is not None)
        assert not isobar_command.takes_baseline(tmp_path)
    info.write_text("processor : 0\n")  # says nothing
    assert not isobar_command.takes_baseline(package)
    info.unlink()
    assert not isobar_command.takes_baseline(package)
    monkeypatch.setattr(isobar_command.platform, "machine", lambda: "aarch64")
    monkeypatch.setenv("ISOBAR_SIMD", "scalar")
    assert not isobar_command.takes_baseline(package)


VIEW = """
import isobar, sys
with isobar.Recording(sys.argv[1]) as recording:
    recording.write_view("run.html")
"""


def test_the_wheel_has_the_command_and_the_page(python, tmp_path):
    """isobar runs, records and views; Python writes the same page."""
    command = python.parent / "isobar"
    environment = {"PATH": "/nowhere", "HOME": str(tmp_path)}

    def said(*arguments, **options):
        done = subprocess.run([str(a) for a in arguments], capture_output=True, text=True,
                              check=False, cwd=tmp_path, env=environment, **options)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert said(command, "--version").startswith("isobar ")
    said(command, "run", SOURCE / "scenes" / "demo.yaml", "--until", "0.02", "--quiet",
         "--record", "run.mcap")
    said(command, "view", "run.mcap", "-o", "view.html", "--quiet")
    said(python, "-I", "-c", VIEW, "run.mcap")
    page = (tmp_path / "run.html").read_bytes()
    assert page == (tmp_path / "view.html").read_bytes()
    assert b"<script" in page and len(page) > 500_000
    # Exit codes and messages are the program's own.
    done = subprocess.run([str(command), "run", "none.yaml"], capture_output=True, text=True,
                          check=False, cwd=tmp_path, env=environment)
    assert done.returncode == 3 and done.stderr.startswith("isobar: error: none.yaml: ")


def test_the_wheel_shows_live_views_and_learns_by_support_vectors(python, tmp_path):
    """What it needs for both is in it: libwebsockets and libsvm."""
    command = python.parent / "isobar"
    environment = {"PATH": "/nowhere", "HOME": str(tmp_path)}
    with subprocess.Popen([str(command), "live", str(SOURCE / "scenes" / "demo.yaml")], stdout=subprocess.PIPE,
                          text=True, cwd=tmp_path, env=environment) as view:
        try:
            address = view.stdout.readline().split(": ", 1)[1].strip()
            with urllib.request.urlopen(address, timeout=20) as answer:
                assert b"<script" in answer.read()
        finally:
            view.terminate()
    done = subprocess.run([str(command), "lab", "learn", "--json"], capture_output=True, text=True, check=False,
                          cwd=tmp_path, env=environment)
    assert done.returncode == 0 and "svr" in done.stdout, done.stdout + done.stderr


def test_the_installed_package_is_typed(python, tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "use.py").write_text(
        "import isobar\nworld = isobar.load('a.yaml').create_world()\n"
        "reveal_type(world.time)\nworld.step('three')\n")
    done = run(sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull,
               "--python-executable", python, "use.py", cwd=tmp_path)
    assert 'Revealed type is "float"' in done.stdout.replace("builtins.", ""), done.stdout
    assert 'expected "int"' in done.stdout and "Found 1 error" in done.stdout
