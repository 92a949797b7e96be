# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""The contact law tried in random worlds, each drawn from a seed: with every method and friction model
what rests stays, what slides has mu N, motions converge to the oracle, momentum and ledger close.

A row states the worst world by its seed. tests/validate/law_limits.py --seed N --method M repeats it.
"""

import logging
import os
import sys

import engine
import report

_WORLDS = 420
_SCENES = 30  # of each other kind, but for those that take long
_FEWER = {"rod": 12, "disc": 6}


def _use_library():
    """The Python package over the library beside the command."""
    sys.path.insert(0, str(engine.ROOT / "python"))
    library = engine.ISOBAR.parents[1] / "lib" / "libisobar.so"
    os.environ.setdefault("ISOBAR_LIBRARY", str(library))
    logging.getLogger("isobar").setLevel(logging.CRITICAL)


def rows():
    _use_library()
    from . import battery

    results = sorted(battery.run(range(_WORLDS)), key=lambda result: result.seed)
    others = [result for name in battery.SEPARATE for result in sorted(
        battery.run(range(_FEWER.get(name, _SCENES)), motion=name), key=lambda result: result.seed)]
    found = []
    for (row, method), (count, bad, one) in sorted(battery.worst(results + others).items()):
        found.append(report.Row(
            f"law/{method}", f"{row}: worst of {count} worlds, seed {one.seed} ({bad} fail)", None,
            f"closed form, conservation or rk45; {one.note}", one.error, one.error, one.limit))
    drawn = sum(result.drawn for result in results)
    found.append(report.reported("law", f"draws that could not be judged beside the {len(results)}", "-",
                                 drawn - len(results)))
    for method in battery.build.METHODS:
        beyond = sum(name == method for result in results for name, _ in result.beyond)
        found.append(report.reported(f"law/{method}", "worlds beyond the stated limits of the method", "-",
                                     beyond))
    left = sum(bool(result.rejected) for result in results)
    found.append(report.bound("law", f"share of {len(results)} worlds that the oracle could not judge",
                              "-", left / len(results), 0.2))
    return found
