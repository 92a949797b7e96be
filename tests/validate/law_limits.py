# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""One world of the study law_limits, or several: what each method shows, and the oracle.

    build/venv/bin/python3 tests/validate/law_limits.py --seed 123 --method lagged
    build/venv/bin/python3 tests/validate/law_limits.py --seeds 0:400 --motion slide
    build/venv/bin/python3 tests/validate/law_limits.py --seeds 0:60 --motion symmetry --jobs 1

--isobar-python names the root of another source tree: its package and its release build are used.
"""

import argparse
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))


def use_library(root):
    """The package and the library of a source tree; ISOBAR_LIBRARY, where set, names the library."""
    root = pathlib.Path(root).resolve()
    root = root.parent if root.name == "python" else root
    sys.path.insert(0, str(root / "python"))
    os.environ.setdefault("ISOBAR_LIBRARY", str(root / "build" / "release" / "lib" / "libisobar.so"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int)
    parser.add_argument("--seeds", help="first:end")
    parser.add_argument("--method", action="append", help="lagged (sticks), lagged_regularized, sap, "
                        "similar, tamsi, midpoint, lagged_brush; all without it")
    parser.add_argument("--motion", help="only worlds of this motion; symmetry: what must not change a motion, "
                        "pile: momentum and ledger of several bodies, facets: coarse bodies that roll, "
                        "rod, disc: Painleve's and Euler's")
    parser.add_argument("--isobar-python", default=os.environ.get("ISOBAR_TREE", str(HERE.parents[1])))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--all", action="store_true", help="print worlds that pass as well")
    parser.add_argument("--show", action="store_true", help="print the world itself")
    chosen = parser.parse_args()
    use_library(chosen.isobar_python)
    from studies.law_limits import battery

    seeds = [chosen.seed] if chosen.seed is not None else range(*map(int, chosen.seeds.split(":")))
    if chosen.show:
        import pprint

        from studies.law_limits import draw
        pprint.pprint(draw.draw(seeds[0]))
    found = battery.run(seeds, chosen.method, chosen.motion, chosen.jobs)
    return battery.show(found, chosen.all or chosen.seed is not None)


if __name__ == "__main__":
    sys.exit(main())
