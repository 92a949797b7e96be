# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Depth to which bodies of the density of water sink into a rigid plane under their own weight.

The closed forms and the table are those of Drake's documentation of its default contact parameters.
Its cylinder (length 4R/3) counts the depth of full pressure as R; the field of the mesh reaches it at
2R/3, half the length, so the depth to expect is two thirds of the table's.
"""

import math

import engine
import report
import worlds
from worlds import Solid

_GRAVITY, _DENSITY = 9.81, 1000.0
_SOURCE = "closed form of Drake's documentation"

# Drake's table [m], printed with two digits: {(modulus, radius): (cylinder, sphere)}
_TABLE = {
    (1e7, 0.05): (3.3e-6, 4.0e-4),
    (1e7, 0.3): (1.2e-4, 5.9e-3),
    (1e8, 0.05): (3.3e-7, 1.3e-4),
    (1e8, 0.3): (1.2e-5, 1.9e-3),
}


def _settle(name, solid, height):
    """Depth of the bottom below the plane after 1 s [m]."""
    path = worlds.write("settling", name, [worlds.ground(), solid], _GRAVITY)
    bodies = engine.run(path, until=1.0, settings={"simulation.time_step": 1e-3})["bodies"]
    return height - bodies[solid.link]["position"][2]


def _cylinder(modulus, radius, printed):
    length = 4 * radius / 3
    table = 4 / 3 * _DENSITY * _GRAVITY / modulus * radius**2
    depth = 2 / 3 * table
    hint = 2 * math.pi * radius / 64
    solid = Solid("b", "cylinder", (radius, length), (0, 0, length / 2 - depth),
                  material={"hydroelastic_modulus": modulus, "mesh_resolution_hint": hint,
                            "hunt_crossley_dissipation": 20},
                  mass=_DENSITY * math.pi * radius**2 * length)
    ours = _settle(f"cylinder_{modulus:g}_{radius:g}", solid, length / 2)
    name = f"E {modulus:g} Pa, R {radius} m"
    return [
        # 64 sides have 0.16 % less area than the circle: measured 1.6e-3 to 2.0e-3.
        report.relative("law-own-weight", f"cylinder, {name}: depth [m]", depth, _SOURCE, ours,
                        2.5e-3),
        # The table as printed, times 2/3: two digits. Measured up to 1.7 %.
        report.relative("law-own-weight", f"cylinder, {name}: 3/2 of the depth [m]", printed,
                        "Drake's table, two digits", 1.5 * ours, 0.03),
    ]


def _sphere(modulus, radius, printed):
    depth = math.sqrt(4 / 3 * _DENSITY * _GRAVITY / modulus) * radius**1.5
    solid = Solid("b", "sphere", (radius,), (0, 0, radius - depth),
                  material={"hydroelastic_modulus": modulus, "mesh_resolution_hint": radius / 32,
                            "hunt_crossley_dissipation": 20},
                  mass=_DENSITY * 4 / 3 * math.pi * radius**3)
    ours = _settle(f"sphere_{modulus:g}_{radius:g}", solid, radius)
    name = f"E {modulus:g} Pa, R {radius} m, hint R/32"
    return [
        # The chords of the mesh stand out less than the sphere by up to 6e-5 R, which counts the
        # more the smaller the depth: measured 1.2e-2 to 4.1e-2.
        report.relative("law-own-weight", f"sphere, {name}: depth [m]", depth, _SOURCE, ours, 0.045),
        report.relative("law-own-weight", f"sphere, {name}: depth [m]", printed,
                        "Drake's table, two digits", ours, 0.045),
    ]


def rows():
    found = []
    for (modulus, radius), (cylinder, sphere) in _TABLE.items():
        found += _cylinder(modulus, radius, cylinder) + _sphere(modulus, radius, sphere)
    return found
