# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Momentum and ledger of drawn bodies that fly at each other, without gravity and ground."""

import numpy as np

from . import ledger, scene
from .measure import Finding

_ROUNDING = 2.0**-52
_STEPS = 500
_SHARES = (1.0, 0.5, 0.25)


def _parts(given, names):
    return names, [part["moments"] for part in given["parts"]], [part["mass"] for part in given["parts"]]


def momentum(seed, method):
    """What all bodies have together, after they met: of each step as much may be lost as rounding of the
    largest momenta that were there takes."""
    given = scene.pile(seed, 4)
    made, names = scene.make(given, method)
    parts = _parts(given, names)
    before, most = ledger._momenta(made, *parts), 0.0
    for _ in range(20):
        made.step(_STEPS // 20)
        most = max(most, sum(m * np.linalg.norm(made.body_twist(n)[3:]) for n, m in zip(names, parts[2])))
    after = ledger._momenta(made, *parts)
    reach = max(np.linalg.norm(made.body_pose(name).translation) for name in names) + given["size"]
    off = max(np.abs(after[0] - before[0]).max() / most, np.abs(after[1] - before[1]).max() / most / reach)
    # A rounding of the largest momentum a step, all to one side.
    return [Finding("pile: change of momentum over what is there", float(off), _STEPS * _ROUNDING, seed, method,
                    f"{given['name']}, {given['speed']:.2g} m/s, dt {given['time_step']:.2g}")]


def balance(seed, method):
    """The ledger of motion and works of a blow or several, whose gap vanishes with the step."""
    given = scene.pile(seed, 10)
    if method == "sap":
        given["relaxation_time"] = 0.0
    gaps, booked, until = [], [], 0.25 * given["until"]
    size = sum(0.5 * p["mass"] * p["velocity"] @ p["velocity"]
               + 0.5 * np.array(p["moments"]) @ (p["rotation"].T @ p["spin"])**2 for p in given["parts"])
    for share in _SHARES:
        made, _ = scene.make(given, method, share * given["time_step"])
        start = made.energy()
        made.step(round(until / (share * given["time_step"])))
        gap, now = ledger._gap(made, start)
        gaps.append(abs(gap) / size)
        if len(made.contacts) == 0:
            booked.append(abs(now.contact + now.friction + now.contact_damping) / size)
    found = []
    for name, values, limit in (("motion and works", gaps, 0.01), ("contact, friction and damping", booked, 0.03)):
        if len(values) < len(_SHARES):
            continue
        # The force of a volume is no gradient: what a blow gives back is not what it took.
        is_open = values is booked and "volumetric" in given["name"]
        left = max(0.0, 2 * values[-1] - values[-2])
        line = " ".join(f"{value:.2g}" for value in values)
        found.append(Finding(f"pile: ledger of {name}, extrapolated to step 0", left,
                             None if is_open else limit, seed, method,
                             f"{given['name']}, {given['speed']:.2g} m/s: {line} at steps from "
                             f"{given['time_step']:.2g} s"))
    return found


def check(seed, method):
    return momentum(seed, method) + balance(seed, method)
