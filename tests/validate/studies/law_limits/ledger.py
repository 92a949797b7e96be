# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""(d) Momentum stays and the ledger of energies closes to its order."""

import numpy as np

from . import build, converge, draw
from .measure import Finding, describe

_STEPS = (8.0, 4.0, 2.0, 1.0)  # over the finest with which the motion is tried


def _gap(made, start):
    """What is missing between kinetic and potential energy and the works booked."""
    now = made.energy()
    kept = [e.kinetic + e.potential + e.spring - e.actuation - e.contact - e.constraint - e.limit
            + e.damping for e in (start, now)]
    return kept[1] - kept[0], now


def ledger(world, method):
    """Energy, works and losses of a blow; relative to the energy that comes in."""
    if method == "sap":  # its damping acts within less than a step: compared without
        world = {**world, "dissipation": 0.0, "relaxation_time": 0.0}
    size = draw.mass(world)[0] * 0.5 * world["speed"] ** 2
    motion, booked = [], []
    steps = [many * converge.ladder(world)[-1] for many in _STEPS]
    for step in steps:
        made, *_ = build.make(world, method, step)
        start = made.energy()
        made.step(int(np.ceil(world["until"] / step)))
        gap, now = _gap(made, start)
        motion.append(abs(gap) / size)
        if len(made.contacts) == 0 and world["carrier"] in ("still", "heavy"):
            booked.append(abs(now.contact + now.friction + now.contact_damping) / size)
    found = []
    # Where faces are few, one sample each has another moment than the energy has.
    for name, gaps, limit in (("motion and works", motion, 0.01),
                              ("contact, friction and damping", booked, 0.03)):
        if len(gaps) < len(steps):
            continue
        left = max(0.0, 2 * gaps[-1] - gaps[-2])
        text = " ".join(f"{gap:.2g}" for gap in gaps)
        note = (f"{describe(world)}, {world['speed']:.2g} m/s: open at {steps[0]:g} to {steps[-1]:g} s: "
                f"{text} of the kinetic energy that comes in")
        found.append(Finding(f"ledger of {name}: what is open, extrapolated to step 0", left, limit,
                             world["seed"], method, note))
    return found


def _momenta(made, names, moments, masses):
    """Linear momentum; angular momentum about the world's origin."""
    linear, angular = np.zeros(3), np.zeros(3)
    for name, moment, mass in zip(names, moments, masses):
        pose, twist = made.body_pose(name), made.body_twist(name)
        linear += mass * twist[3:]
        spin = pose.rotation @ (np.array(moment) * (pose.rotation.T @ twist[:3]))
        angular += spin + mass * np.cross(pose.translation, twist[3:])
    return linear, angular


def momentum(world, method):
    """Two bodies that meet without gravity: what both have together."""
    if world["support"]["form"] == "half_space":
        return []
    free = {**world, "carrier": "heavy", "normal_gravity": 0.0, "pull": [0.0, 0.0],
            "mass_ratio": 10 ** ((world["seed"] % 7 - 3) / 2)}
    made, body, support, _ = build.make(free, method, 1e-3)
    mass, moments = draw.mass(free)
    moment = build.support_moment(free)
    parts = (body, support), (moments, [moment] * 3), (mass, mass * free["mass_ratio"])
    before = _momenta(made, *parts)
    made.step(int(np.ceil(free["until"] / 1e-3)) + 1)
    after = _momenta(made, *parts)
    speed = mass * (free["speed"] + np.linalg.norm(free["belt"]) * max(1.0, free["mass_ratio"]))
    size = max(world["body"]["sizes"]) + np.linalg.norm(before[1]) / speed
    off = max(np.abs(after[0] - before[0]).max() / speed, np.abs(after[1] - before[1]).max() / speed / size)
    return [Finding("momentum of two bodies that meet: change over what comes in", float(off), 1e-11,
                    world["seed"], method, f"{describe(world)}, {world['speed']:.2g} m/s")]
