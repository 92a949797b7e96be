# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Bodies that grippers hold or that rest, each world drawn from a seed: their motion dies out, friction
gives no energy, nothing creeps, and half the step ends at the same place.

A row states the worst world by its seed. tests/validate/held.py --seed N repeats it.
"""

import logging

import report
from studies import law_limits

_WORLDS = 160
_HALVED = 40  # of them also with half the step


def rows():
    law_limits._use_library()
    logging.getLogger("isobar").setLevel(logging.CRITICAL)
    from studies.law_limits.battery import worst

    from . import battery

    results = sorted(battery.run(range(_HALVED), True), key=lambda result: result.seed)
    results += sorted(battery.run(range(_HALVED, _WORLDS), False), key=lambda result: result.seed)
    found = []
    for (row, kind), (count, bad, one) in sorted(worst(results).items()):
        found.append(report.Row(f"held/{kind}", f"{row}: worst of {count} worlds, seed {one.seed} ({bad} fail)",
                                None, one.note, one.error, one.error, one.limit))
    left = sum(bool(result.rejected) for result in results)
    found.append(report.bound("held", f"share of {len(results)} worlds that move by themselves, or are lost", "-",
                              left / len(results), 0.1))
    return found
