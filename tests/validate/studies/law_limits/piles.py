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


def _volume_power(made, motions):
    """Power of the elastic forces k V of all volumetric contacts, by the motions {name: (origin, twist)}."""
    power = 0.0
    for contact in made.contacts:
        patch, speeds = contact.patch, []
        for name in (contact.body_name_a, contact.body_name_b):
            origin, twist = motions[name]
            speeds.append(twist[3:] + np.cross(twist[:3], patch.center_of_pressure - origin))
        # The largest pressure of a volume is told as 2 k V over its area.
        power += 0.5 * patch.max_pressure * patch.area * contact.normal @ (speeds[1] - speeds[0])
    return power


def _step_along(made, names, count, time_step):
    """Take steps. Returns the work that forces k V did along the path, which no ledger booked."""
    work, last = 0.0, 0.0
    for _ in range(count):
        motions = {name: (made.body_pose(name).translation, np.array(made.body_twist(name))) for name in names}
        made.step()
        power = _volume_power(made, motions)
        work += 0.5 * time_step * (last + power)
        last = power
    return work


def balance(seed, method):
    """The ledger of motion and works of a blow or several, whose gap vanishes with the step."""
    given = scene.pile(seed, 10)
    if method == "sap":
        given["relaxation_time"] = 0.0
    # The force of a volume is no gradient: what a blow gives back is not what it took, but the work along
    # its path.
    is_volume = "volumetric" in given["name"]
    gaps, booked, until = [], [], 0.25 * given["until"]
    size = sum(0.5 * p["mass"] * p["velocity"] @ p["velocity"]
               + 0.5 * np.array(p["moments"]) @ (p["rotation"].T @ p["spin"])**2 for p in given["parts"])
    for share in _SHARES:
        time_step = share * given["time_step"]
        made, names = scene.make(given, method, time_step)
        start, count, along = made.energy(), round(until / time_step), 0.0
        if is_volume:
            along = _step_along(made, names, count, time_step)
        else:
            made.step(count)
        gap, now = ledger._gap(made, start)
        gaps.append(abs(gap) / size)
        if len(made.contacts) == 0:
            booked.append(abs(now.contact + now.friction + now.contact_damping - along) / size)
    found = []
    losses = "contact, friction and damping"
    for name, values, limit in (("motion and works", gaps, 0.01),
                                (f"{losses}, less the path of volumes" if is_volume else losses, booked,
                                 0.01 if is_volume else 0.03)):
        if len(values) < len(_SHARES):
            continue
        left = max(0.0, 2 * values[-1] - values[-2])
        line = " ".join(f"{value:.2g}" for value in values)
        found.append(Finding(f"pile: ledger of {name}, extrapolated to step 0", left, limit, seed, method,
                             f"{given['name']}, {given['speed']:.2g} m/s: {line} at steps from "
                             f"{given['time_step']:.2g} s"))
    return found


def check(seed, method):
    return momentum(seed, method) + balance(seed, method)
