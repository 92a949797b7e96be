# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Every scene of scenes/peers ends in the same bits with one thread, with two, and when repeated."""

import engine
import report

_LONGEST = 0.5  # simulated seconds: enough for contacts to begin, slide and rest


def rows():
    found = []
    for path in sorted(engine.PEERS.glob("*.yaml")):
        hashes = [
            engine.run(path, until=_LONGEST, threads=count)["state_hash"] for count in (1, 2, 1)
        ]
        for what, other in (("two threads", hashes[1]), ("a second run", hashes[2])):
            differ = float(other != hashes[0])
            found.append(report.absolute("determinism", f"{path.stem}: hash of the state, {what} "
                                         "(0 the same, 1 different)", 0, "one thread", differ, 0))
    return found
