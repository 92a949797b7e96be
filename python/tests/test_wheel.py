# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""The wheel: built, installed into a fresh environment, used. Builds all of Isobar and fetches
packages, so it runs only with ISOBAR_SLOW_TESTS=1."""

import os
import pathlib
import subprocess
import sys
import venv
import zipfile

import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[2]

USE = """
import isobar, pathlib
here = pathlib.Path(isobar.__file__).parent
assert (here / "_declarations.py").exists()
world = isobar.load(r"%s").create_world()
world.step(20)
print(isobar.__version__, len(world.contacts), here)
"""


@pytest.mark.skipif(os.environ.get("ISOBAR_SLOW_TESTS") != "1",
                    reason="slow: set ISOBAR_SLOW_TESTS=1")
def test_the_wheel_works_in_a_fresh_environment(tmp_path):
    environment = {k: v for k, v in os.environ.items()
                   if k not in ("PYTHONPATH", "ISOBAR_LIBRARY")}

    def run(*command):
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path,
                              env=environment)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(tmp_path / "wheels"),
        f"-Cbuild-dir={tmp_path / 'build'}", str(SOURCE))
    (wheel,) = (tmp_path / "wheels").glob("*.whl")
    assert "-py3-none-" in wheel.name
    names = zipfile.ZipFile(wheel).namelist()
    assert [n for n in names if n.endswith((".so", ".dylib"))] == ["isobar/libisobar.so"]
    assert "isobar/py.typed" in names and "isobar/_declarations.py" in names
    venv.create(tmp_path / "venv", with_pip=True)
    python = str(tmp_path / "venv" / "bin" / "python3")
    run(python, "-m", "pip", "install", "-q", str(wheel))
    said = run(python, "-c", USE % (SOURCE / "scenes" / "demo.yaml"))
    assert str(tmp_path / "venv") in said
