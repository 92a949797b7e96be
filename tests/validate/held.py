# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Worlds of the study held: bodies that grippers hold or that rest, and what they were asked.

    build/venv/bin/python3 tests/validate/held.py --seed 28
    build/venv/bin/python3 tests/validate/held.py --seeds 0:160 --kind bottle --jobs 1

--isobar-python names the root of another source tree: its package and its release build are used.
"""

import argparse
import os
import pprint
import sys

import law_limits


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int)
    parser.add_argument("--seeds", help="first:end", default="0:40")
    parser.add_argument("--kind", help="only grip, bottle, rest, pile, lean or wedge")
    parser.add_argument("--method", help="lagged or midpoint instead of the drawn one")
    parser.add_argument("--half", action="store_true", help="each world with half the step as well")
    parser.add_argument("--isobar-python", default=os.environ.get("ISOBAR_TREE", str(law_limits.HERE.parents[1])))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--all", action="store_true", help="print worlds that pass as well")
    parser.add_argument("--show", action="store_true", help="print the world itself")
    chosen = parser.parse_args()
    law_limits.use_library(chosen.isobar_python)
    from studies.held import battery, draw
    from studies.law_limits.battery import show

    seeds = [chosen.seed] if chosen.seed is not None else range(*map(int, chosen.seeds.split(":")))
    seeds = [seed for seed in seeds if chosen.kind in (None, draw.kind_of(seed))]
    if chosen.show:
        pprint.pprint(draw.draw(seeds[0]))
    return show(battery.run(seeds, chosen.half, chosen.method, chosen.jobs), chosen.all or chosen.seed is not None)


if __name__ == "__main__":
    sys.exit(main())
