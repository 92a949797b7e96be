# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Commands of the program as functions: one way to spell what they are given, to run them and to say
what went wrong."""

from __future__ import annotations

import json
import math
import os
import subprocess
from collections.abc import Mapping, Sequence
from typing import Any

from . import errors
from ._native import program
from .geometry import PathLike
from .scene import setting_text

USAGE = 2  # exit code of what is wrong with the command line
PATIENCE = 10.0  # for a command that was told to end to clean up [s]


def texts(what: str, given: Any, example: str) -> list[str]:
    """A list of texts, and not one text, which is a sequence of its letters."""
    is_list = isinstance(given, Sequence) and not isinstance(given, str | bytes)
    if not is_list or not all(isinstance(one, str) for one in given):
        raise errors.ArgumentError(f"{what} is {given!r}, expected a list of texts, such as {example}")
    return list(given)


def _check(scene: PathLike, timeout: Any) -> None:
    is_number = isinstance(timeout, int | float) and not isinstance(timeout, bool)
    if timeout is not None and not (is_number and 0.0 < timeout < math.inf):
        raise errors.ArgumentError(f"timeout is {timeout!r}, expected a number of seconds > 0, or None")
    if not os.path.isfile(scene):
        raise errors.FileError(f"scene is {os.fspath(scene)!r}, expected a file that is there")


def run_command(command: str, scene: PathLike, arguments: Sequence[str],
                options: Mapping[str, Any], settings: Mapping[str, Any] | None,
                packages: Mapping[str, PathLike] | None, timeout: float | None) -> Any:
    """What `isobar COMMAND SCENE --json` prints. options that are None are not given. Raises errors.Error
    with the message of the program (ArgumentError where it names an option), and after timeout [s], when
    the program had time to clean up."""
    _check(scene, timeout)
    line = [program(), command, os.fspath(scene), "--json", "--quiet", *arguments]
    for name, value in (settings or {}).items():
        line += ["--set", f"{name}={setting_text(value)}"]
    for name, folder in (packages or {}).items():
        line += ["--package", f"{name}={os.fspath(folder)}"]
    for option, given in options.items():
        if given is not None:
            line += [option, os.fspath(given) if isinstance(given, os.PathLike) else str(given)]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            printed, said = process.communicate(timeout=timeout)
        except BaseException as stop:
            _end(process)
            if not isinstance(stop, subprocess.TimeoutExpired):
                raise
            raise errors.Error(f"isobar {command} did not end within timeout = {timeout:g} s; give it more, "
                               "or a smaller until") from None
    if not printed:
        message = said.strip().removeprefix("isobar: error: ")
        kind = errors.ArgumentError if process.returncode == USAGE else errors.Error
        raise kind(message or f"isobar {command} ended with exit code {process.returncode}")
    return json.loads(printed)


def _end(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
