# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""The command `isobar` of an installed package: becomes the program in it. A package of its own, so that
the library, which the program does not need, is not loaded first."""

from __future__ import annotations

import importlib.util
import os
import pathlib
import sys


def main() -> None:
    """Become isobar/bin/isobar. fTetWild is that of this interpreter, where it has pytetwild."""
    package = importlib.util.find_spec("isobar")
    origin = package.origin if package is not None else None
    program = pathlib.Path(origin or ".").resolve().parent / "bin" / "isobar"
    if origin is None or not program.is_file():
        sys.exit(f"isobar: error: {program} is missing: install the package anew")
    if not os.environ.get("ISOBAR_PYTHON") and importlib.util.find_spec("pytetwild") is not None:
        os.environ["ISOBAR_PYTHON"] = sys.executable
    os.execv(program, sys.argv)
