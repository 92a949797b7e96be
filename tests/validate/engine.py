# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the isobar command for the studies."""

import json
import os
import pathlib
import resource
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("ISOBAR_BUILD_DIR", ROOT / "build"))
ISOBAR = pathlib.Path(os.environ.get("ISOBAR_COMMAND", BUILD / "release" / "bin" / "isobar"))
ASSETS = pathlib.Path(os.environ.get("ISOBAR_ASSETS", ROOT.parent / "shared" / "assets"))
PEERS = ROOT / "scenes" / "peers"


class Failed(RuntimeError):
    """The command failed; the text is its error line."""


def command(*arguments, packages=True, program=ISOBAR):
    """Run isobar, or another build of it, and return what it printed on stdout."""
    line = [str(program), *map(str, arguments)]
    if packages and ASSETS.is_dir():
        line += ["--package", f"drake_models={ASSETS}"]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failed(f"exit {done.returncode}: {done.stderr.strip().splitlines()[-1:]}")
    return done.stdout


def run(scene, *, until=None, settings=(), threads=None, record=None):
    """Step a scene; the JSON result as a dictionary, with the processor time of the whole program, cpu_s."""
    arguments = ["run", scene, "--json", "--quiet"]
    if until is not None:
        arguments += ["--until", until]
    if threads is not None:
        arguments += ["--threads", threads]
    if record is not None:
        arguments += ["--record", record]
    for path, value in dict(settings).items():
        arguments += ["--set", f"{path}={value}"]
    before = _children_seconds()
    done = json.loads(command(*arguments))
    done["cpu_s"] = _children_seconds() - before
    return done


def _children_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def pace(scene):
    """Processor time of a whole scene as it is by one thread, for each second simulated."""
    done = run(scene)
    return done["cpu_s"] / done["time"]


def patch(scene, settings=()):
    """Contacts of the initial state of a scene."""
    arguments = ["patch", scene, "--json", "--quiet"]
    for path, value in dict(settings).items():
        arguments += ["--set", f"{path}={value}"]
    return json.loads(command(*arguments))


def scratch(name):
    """A directory for generated scenes of one study."""
    directory = BUILD / "validate" / "scenes" / name
    directory.mkdir(parents=True, exist_ok=True)
    return directory
