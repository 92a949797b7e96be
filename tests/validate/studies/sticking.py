# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Static friction does not creep: a cylinder on the ground under constant force and torque.

1 kg, radius 5 cm, friction 0.5, time step 1 ms. Loads are shares of the largest force and of the
largest torque; where the pair lies relative to the exact Coulomb limit surface of the patch is computed
by tests/validate/programs/stick.c from the pressures of its faces. docs/theory/sticking.md.
"""

import math

import engine
import programs
import report

_HELD = ((0, 0.7), (0, 0.93), (0.536, 0), (0.95, 0), (0.6, 0.6), (0.3, 0.84))
# At +-50 % of the weight, 10 Hz.
_SHAKEN = ((0.3, 0), (0.3, 0.2), (0, 0.4), (0.46, 0), (0.29, 0.29), (0.15, 0.41))
_CREEP = 1e-12  # [m/s]


def _drift(name, force, torque, seconds, vibration, soft):
    found = programs.run("stick", force, torque, seconds, vibration, soft)[0]
    ground = "soft" if soft else "rigid"
    what = f"force {force}, torque {torque}, {ground} ground, {found['share']:.3f} of the limit surface"
    return report.bound(name, f"{what}: drift [m/s]", "no creep", found["drift"], _CREEP), found


def _bridge():
    """Two patches of one pair share one stretch: docs/decisions/README.md."""
    scene = engine.ROOT / "scenes" / "bridge.yaml"
    first, second = (engine.run(scene, until=t)["bodies"]["beam"] for t in (1.0, 2.0))
    drift = math.dist(first["position"], second["position"])
    turn = math.dist(first["quaternion_wxyz"], second["quaternion_wxyz"])
    # Measured 4e-18 m in a second, 3e-17 of the quaternion.
    return [report.bound("P4-sticking-bridge", "beam on two humps of one mesh, 0.954 of its friction "
                         "and a torque: drift of a second [m]", "no creep", drift, _CREEP),
            report.bound("P4-sticking-bridge", "the same: its quaternion", "no creep", turn, _CREEP)]


def rows():
    name = "P4-sticking"
    result = _bridge()
    for soft in (0, 1):
        for force, torque in _HELD:
            # Measured 1e-21 to 6e-19.
            result.append(_drift(name, force, torque, 6, 0.0, soft)[0])
        for force, torque in _SHAKEN:
            # Measured at most 4e-20 on both; up to 0.943 and 0.981 of the limit surface.
            result.append(_drift(name + "-shaken", force, torque, 30 if soft else 6, 0.5, soft)[0])
    row, found = _drift(name + "-long", 0.6, 0.6, 300, 0.0, 0)
    result.append(row)
    # Energy grows by work and what changes of stiffness book, up to rounding. Measured -4e-6 J.
    result.append(report.bound(name, "kinetic and stretch energy beyond work and bookings [J]",
                               "passive", max(found["gain"], 0.0), 1e-12))
    # Just outside the limit surface it slides: force 1.02 accelerates by 0.02 mu g.
    slides = programs.run("stick", 1.02, 0, 4, 0.0, 0)[0]
    mean = 0.02 * 0.5 * 9.81 * 3.0  # mean speed of the second half of 4 s, up to the rise of 0.2 s
    result.append(report.relative(name, "force 1.02: mean speed from 2 s to 4 s [m/s]", mean,
                                  "0.02 mu g t", slides["drift"], 0.1))
    spins = programs.run("stick", 0, 1.02, 4, 0.0, 0)[0]
    result.append(report.bound(name, "torque 1.02: 1e-3 m/s over the speed of the rim",
                               "it slides", 1e-3 / spins["drift"], 1.0))
    return result
