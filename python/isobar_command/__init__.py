# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""The command `isobar` of an installed package: becomes the program in it. A package of its own, so that
the library, which the program does not need, is not loaded first."""

from __future__ import annotations

import importlib.util
import os
import pathlib
import platform
import sys

_PROCESSOR = pathlib.Path("/proc/cpuinfo")
_NEEDED = {"avx2", "fma", "bmi1", "bmi2", "popcnt"}


def takes_baseline(package: pathlib.Path) -> bool:
    """True where a package for x86-64 is to use what it has in `baseline`, which needs no AVX2 and comes to the
    same bits: the processor lacks it, or ISOBAR_SIMD is "scalar"."""
    if platform.machine() not in ("x86_64", "AMD64") or not (package / "baseline").is_dir():
        return False
    if asked := os.environ.get("ISOBAR_SIMD"):
        if asked not in ("scalar", "avx2"):
            raise ValueError(f"ISOBAR_SIMD is '{asked}', expected avx2 or scalar")
        return asked == "scalar"
    try:
        lines = _PROCESSOR.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return False  # the library says what it lacks
    flags = next((line.partition(":")[2].split() for line in lines if line.startswith("flags")), None)
    return flags is not None and not _NEEDED.issubset(flags)


def main() -> None:
    """Become isobar/bin/isobar. fTetWild is that of this interpreter, where it has pytetwild."""
    package = importlib.util.find_spec("isobar")
    origin = package.origin if package is not None else None
    folder = pathlib.Path(origin or ".").resolve().parent
    try:
        program = folder / ("baseline" if takes_baseline(folder) else "bin") / "isobar"
    except ValueError as error:
        sys.exit(f"isobar: error: {error}")
    if origin is None or not program.is_file():
        sys.exit(f"isobar: error: {program} is missing: install the package anew")
    if not os.environ.get("ISOBAR_PYTHON") and importlib.util.find_spec("pytetwild") is not None:
        os.environ["ISOBAR_PYTHON"] = sys.executable
    os.execv(program, sys.argv)
