# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Static forces against closed forms, through the command and generated SDFormat worlds.

delta is the depth of the overlap, E the hydroelastic modulus. The pressure of a sphere falls
linearly from E at the centre to 0 on the skin; that of a box or cylinder is E times the distance to
the skin over its largest value H.
"""

import math

import numpy as np

import engine
import report
import worlds
from worlds import Solid

_E = 1e5
_THEORY = "closed form"
# Where the mesh represents shape and field exactly; measured at most 9e-16.
_EXACT = 1e-13


def _force(name, solids, settings=()):
    """Vertical force on the second solid of a world at rest [N], all its contacts together."""
    solids[1].mass = 1.0  # without one it would be static
    path = worlds.write("laws", name, solids)
    contacts = engine.patch(path, settings)["contacts"]
    wanted = {solids[0].link, solids[1].link}
    return sum(c["force"][2] for c in contacts if set(c["pair"]) == wanted)


def _order(sizes, errors):
    """Slope of log error over log size by least squares."""
    return float(np.polyfit(np.log(sizes), np.log(np.abs(errors)), 1)[0])


def _sphere_force(modulus, radius, depth):
    return math.pi * modulus * depth**2 * (1 - 2 * depth / (3 * radius))


def _punch_series(x):
    """Share of the flat part and the rim of a punch: int_0^x (1 - s)^2 ds / x."""
    return 1 - x + x * x / 3


def _sphere_on_plane():
    """F = pi E delta^2 (1 - 2 delta / 3R); four levels of the sphere's mesh."""
    radius, depth = 0.05, 0.01
    exact = _sphere_force(_E, radius, depth)
    hints = [radius / 2**k for k in range(1, 5)]
    errors, rows = [], []
    for hint in hints:
        ball = Solid("b", "sphere", (radius,), (0, 0, radius - depth),
                     material={"hydroelastic_modulus": _E, "mesh_resolution_hint": hint})
        force = _force(f"sphere_{hint:g}", [worlds.ground(), ball])
        errors.append(force / exact - 1)
        rows.append(report.Row(
            "law-sphere-plane", f"force [N], hint R/{round(radius / hint)}, relative error", exact,
            _THEORY, force, abs(errors[-1]), _SPHERE_TOLERANCE[len(rows)]))
    order = _order(hints, errors)
    rows.append(report.absolute("law-sphere-plane", "order of convergence of the force in the hint",
                                2.0, "theory: chords of a sphere", order, 0.1))  # measured 1.954
    return rows


# Measured 0.229, 0.0611, 0.0156, 0.00395: a quarter each time the hint is halved.
_SPHERE_TOLERANCE = (0.24, 0.063, 0.016, 0.0041)


def _box_punch():
    """F = 4 E h delta (1 - x + x^2/3), x = delta / h, for a cube of half size h: exact."""
    half, rows = 0.05, []
    exact_at = lambda depth: 4 * _E * half * depth * _punch_series(depth / half)  # noqa: E731
    for depth in (1e-6, 1e-3, 0.01, 0.04):
        height = half - depth
        cube = Solid("b", "box", (2 * half,) * 3, (0, 0, height),
                     material={"hydroelastic_modulus": _E})
        force = _force(f"box_{depth:g}", [worlds.ground(), cube])
        # The depth of the rounded height: 1e-6 is 1e-12 of itself off. Measured 4e-16 at most.
        rows.append(report.relative("law-box-punch", f"force [N], depth {depth:g} m",
                                    exact_at(half - height), _THEORY, force, _EXACT))
    return rows


def _cylinder_punch():
    """F = pi E R delta (1 - x + x^2/3), x = delta / R, for L/2 = R; n-gons converge with 1/n^2."""
    radius, depth = 0.05, 0.01
    exact = math.pi * _E * radius * depth * _punch_series(depth / radius)
    sides, errors, rows = (8, 16, 32, 64), [], []
    for count in sides:
        # Slightly above the chord's length, so that rounding cannot add a side.
        hint = 2 * math.pi * radius / count * (1 + 1e-9)
        drum = Solid("b", "cylinder", (radius, 2 * radius), (0, 0, radius - depth),
                     material={"hydroelastic_modulus": _E, "mesh_resolution_hint": hint})
        force = _force(f"cylinder_{count}", [worlds.ground(), drum])
        errors.append(force / exact - 1)
        rows.append(report.Row(
            "law-cylinder-punch", f"force [N], {count} sides, relative error", exact, _THEORY,
            force, abs(errors[-1]), _CYLINDER_TOLERANCE[len(rows)]))
    order = _order([1 / count for count in sides], errors)
    rows.append(report.absolute("law-cylinder-punch", "order of convergence in the side length",
                                2.0, "theory: chords of a circle", order, 0.05))  # measured 1.986
    return rows


# Measured 0.0997, 0.0255, 0.00641, 0.00161.
_CYLINDER_TOLERANCE = (0.102, 0.0262, 0.0066, 0.00166)


def _two_spheres():
    """Equal spheres, overlap 2 delta: by symmetry each is pressed as by a plane at depth delta."""
    radius, depth = 0.05, 0.01
    exact = _sphere_force(_E, radius, depth)
    rows = []
    # As on the plane: measured 0.0156, 0.00395.
    for hint, tolerance in ((radius / 8, 0.016), (radius / 16, 0.0041)):
        material = {"hydroelastic_modulus": _E, "mesh_resolution_hint": hint}
        low = Solid("a", "sphere", (radius,), material=material)
        high = Solid("b", "sphere", (radius,), (0, 0, 2 * (radius - depth)), material=material)
        force = _force(f"spheres_{hint:g}", [low, high])
        rows.append(report.relative("law-two-spheres", f"force [N], hint R/{round(radius / hint)}",
                                    exact, _THEORY, force, tolerance))
    return rows


def _series():
    """A cube (E1, h) in the middle of a wide slab (E2, half thickness h): springs in series.

    The pressure in the middle is delta / (h/E1 + h/E2); towards the rim of the cube it follows the
    cube's field, so its force is that of a rigid punch of the cube's share of the depth.
    """
    half, depth, rows = 0.05, 0.01, []
    for ratio in (1.0, 3.0, 100.0):
        first, second = _E, ratio * _E
        slab = Solid("a", "box", (8 * half, 8 * half, 2 * half), (0, 0, -half),
                     material={"hydroelastic_modulus": second})
        cube = Solid("b", "box", (2 * half,) * 3, (0, 0, half - depth),
                     material={"hydroelastic_modulus": first})
        share = depth * second / (first + second)
        exact = 4 * first * half * share * _punch_series(share / half)
        force = _force(f"series_{ratio:g}", [slab, cube])
        rows.append(report.relative("law-series", f"force [N], E2/E1 = {ratio:g}", exact,
                                    _THEORY, force, _EXACT))
    return rows


def _slab():
    """Compliant half space: rigid sphere F = kappa V, kappa = E/thickness, V the volume of the cap;
    compliant cube as in _series()."""
    radius, depth, thickness, rows = 0.05, 0.01, 0.02, []
    plane = Solid("a_ground", "plane",
                  material={"hydroelastic_modulus": _E, "slab_thickness": thickness})
    volume = math.pi * depth**2 * (3 * radius - depth) / 3
    ball = Solid("b", "sphere", (radius,), (0, 0, radius - depth), rigid=True,
                 material={"mesh_resolution_hint": radius / 16})
    rows.append(report.relative("law-slab-sphere", "force of a rigid sphere [N], hint R/16",
                                _E / thickness * volume, _THEORY,
                                _force("slab_sphere", [plane, ball]), 4.7e-3))  # measured 4.5e-3
    half, modulus = 0.05, 3 * _E
    cube = Solid("b", "box", (2 * half,) * 3, (0, 0, half - depth),
                 material={"hydroelastic_modulus": modulus})
    pressure = depth / (half / modulus + thickness / _E)
    share = pressure * half / modulus
    exact = 4 * modulus * half * share * _punch_series(share / half)
    rows.append(report.relative("law-slab-cube", "force of a compliant cube [N]", exact, _THEORY,
                                _force("slab_cube", [plane, cube]), _EXACT))
    return rows


def _rigid_layer():
    """Rigid on rigid: a layer of thickness t reaches the modulus M, F = (M/t) V."""
    modulus, thickness, half, depth = 2e6, 0.02, 0.05, 1e-3
    settings = {"simulation.rigid_layer_modulus": modulus,
                "simulation.rigid_layer_thickness": thickness}
    cube = Solid("b", "box", (2 * half,) * 3, (0, 0, half - depth), rigid=True)
    rows = [report.relative(
        "law-rigid-layer", "force of a rigid cube on a rigid half space [N]",
        modulus / thickness * depth * 4 * half**2, _THEORY,
        _force("rigid_cube", [worlds.ground(), cube], settings), _EXACT)]
    radius = 0.05
    volume = math.pi * depth**2 * (3 * radius - depth) / 3
    ball = Solid("b", "sphere", (radius,), (0, 0, radius - depth), rigid=True,
                 material={"mesh_resolution_hint": radius / 32})
    rows.append(report.relative(
        "law-rigid-layer", "force of a rigid sphere on a rigid half space [N], hint R/32",
        modulus / thickness * volume, _THEORY,
        _force("rigid_sphere", [worlds.ground(), ball], settings), 0.0105))  # measured 0.0102
    return rows


def rows():
    return (_sphere_on_plane() + _box_punch() + _cylinder_punch() + _two_spheres() + _series()
            + _slab() + _rigid_layer())
