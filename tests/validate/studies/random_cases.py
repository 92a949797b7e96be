# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Random pairs of shapes, trees of joints and fixed tendons beside Drake and MuJoCo; random heaps
and mechanisms beside themselves.

Every case is a seed, so that a row that fails names the case: its largest error is that seed's.
"""

import logging
import os
import sys

import engine
import report

_PAIRS, _TREES, _HEAPS, _MECHANISMS = 400, 150, 200, 500
# Measured: 6e-12, 1e-13, 8e-15, 0, 3e-15, 4e-12.
_PATCH, _DRAKE, _MUJOCO, _BITS, _MOMENTUM, _TAMSI = 1e-9, 1e-11, 1e-12, 0.0, 1e-13, 1e-9
# Measured: 2e-14, 1e-9 (asked for), 5.
_NEWTON, _REACHED, _ITERATIONS = 1e-12, 3e-9, 10
# Measured: 3e-14, 5e-5 (two step sizes of first order).
_TENDON, _TENDON_LAGGED = 1e-11, 1e-3


def _use_library():
    """The Python package over the library beside the command."""
    sys.path.insert(0, str(engine.ROOT / "python"))
    library = engine.ISOBAR.parents[1] / "lib" / "libisobar.so"
    os.environ.setdefault("ISOBAR_LIBRARY", str(library))
    for name in ("isobar", "drake"):
        logging.getLogger(name).setLevel(logging.ERROR)


def _worst(count, errors):
    """{quantity: (largest error, its seed)} of the seeds below count, and how many had any."""
    worst, filled = {}, 0
    for seed in range(count):
        found = errors(seed)
        filled += bool(found)
        for quantity, error in found.items():
            worst[quantity] = max(worst.get(quantity, (-1.0, -1)), (error, seed))
    return worst, filled


def _rows(name, source, what, found, tolerances):
    worst, filled = found
    return [report.bound(f"random/{name}", f"{quantity}, {filled} {what}, worst of seed {seed}",
                         source, error, tolerances.get(quantity, tolerances.get("all")))
            for quantity, (error, seed) in worst.items()]


def rows():
    _use_library()
    import random_mechanisms
    import random_pairs
    import random_scenes
    import random_tendons
    import random_trees

    directory = engine.scratch("random_cases")
    found = []
    for name, make in (
        ("pairs", lambda: _rows(
            "pairs", "Drake, same shapes and files", "pairs that touch",
            _worst(_PAIRS, lambda seed: random_pairs.errors(
                random_pairs.draw(seed, directory, engine.ASSETS))),
            {"all": _PATCH, "faces": None})),
        ("drake", lambda: _rows(
            "trees/Drake", "Drake, same SDFormat file", "trees",
            _worst(_TREES, lambda seed: random_trees.drake_errors(seed, directory)),
            {"all": _DRAKE})),
        ("mujoco", lambda: _rows(
            "trees/MuJoCo", "MuJoCo, same MJCF file", "trees",
            _worst(_TREES, lambda seed: random_trees.mujoco_errors(seed, directory)),
            {"all": _MUJOCO})),
        ("tendons", lambda: _rows(
            "tendons", "MuJoCo, same MJCF file", "trees with fixed tendons",
            _worst(_TREES, lambda seed: random_tendons.mujoco_errors(seed, directory)),
            {"all": _TENDON, "lagged": None, "lagged, extrapolated": _TENDON_LAGGED})),
    ):
        try:
            found += make()
        except ImportError as missing:
            found.append(report.reported(f"random/{name}", f"left out: {missing}", "-", 0.0))
    found += _rows(
        "heaps", "the same scene, written otherwise", "heaps",
        _worst(_HEAPS, random_scenes.errors),
        {"all": _BITS, "momentum": _MOMENTUM, "units, TAMSI": _TAMSI})
    return found + _rows(
        "mechanisms", "Newton's law; the same mechanism, written otherwise", "mechanisms",
        _worst(_MECHANISMS, random_mechanisms.errors),
        {"all": _BITS, "Newton's law": _NEWTON, "reached": _REACHED, "iterations": _ITERATIONS})
