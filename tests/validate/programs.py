# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the C programs of the studies (tests/validate/programs)."""

import json
import os
import pathlib
import subprocess

import engine

BIN = pathlib.Path(os.environ.get("ISOBAR_VALIDATE_BIN", engine.ISOBAR.parent))


def run(name, *arguments):
    """The JSON lines that validate_NAME prints."""
    line = [str(BIN / f"validate_{name}"), *map(str, arguments)]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise engine.Failed(f"{line[0]}: exit {done.returncode}: {done.stderr.strip()}")
    return [json.loads(text) for text in done.stdout.splitlines()]


def plot(name):
    """Path of a picture of a study."""
    directory = engine.BUILD / "validate"
    directory.mkdir(parents=True, exist_ok=True)
    return directory / name
