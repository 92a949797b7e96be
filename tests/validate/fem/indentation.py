# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Rigid, frictionless, axisymmetric indentation of a layer with CalculiX: linear, small strain,
eight-node axisymmetric elements. The nodes in contact are moved to the indenter's surface; nodes
that pull leave, nodes below the indenter enter, until neither is left."""

import dataclasses
import time

import numpy as np

from fem import calculix
from fem import mesh as meshes

PASSES = 12
# CalculiX turns axisymmetric elements into a wedge of 2 degrees and prints the forces on that.
WHOLE_OVER_WEDGE = 180


@dataclasses.dataclass
class Result:
    force: float
    radius: float           # of the outermost node in contact
    spacing: float          # distance of the nodes there: the resolution of `radius`
    positions: np.ndarray   # of the surface nodes in contact
    pressures: np.ndarray   # there, from the nodal forces
    nodes: int
    runs: int
    seconds: float          # of all CalculiX runs


def sphere_mesh(half_width, thickness, touched, size):
    """Elements of `size` from the axis to 1.1 touched and down to a third of the thickness."""
    end = min(1.1 * touched, half_width)
    x = meshes.joined(np.linspace(0, end, int(np.ceil(end / size)) + 1),
                      meshes.geometric(end, half_width, size, 1.3, 0.5 * thickness))
    y = meshes.geometric(thickness, 0, size, 1.25, 0.2 * thickness)[::-1]
    return meshes.Mesh(x, y)


def punch_mesh(half_width, thickness, radius, size):
    """Elements of `size` on both sides of the edge, growing by 1.25 away from it."""
    largest = 0.15 * min(radius, thickness)
    x = meshes.joined(meshes.geometric(radius, 0, size, 1.25, largest),
                      meshes.geometric(radius, half_width, size, 1.25, 0.7 * thickness))
    y = meshes.geometric(thickness, 0, size, 1.25, largest)[::-1]
    return meshes.Mesh(x, y)


def _deck(mesh, young, nu, moved):
    """moved: {node: vertical displacement}."""
    lines = [
        calculix.mesh_cards(mesh, "CAX8"),
        calculix.node_set("BOTTOM", mesh.bottom), calculix.node_set("TOP", mesh.top),
        calculix.node_set("AXIS", mesh.left), calculix.node_set("WALL", mesh.right),
        "*MATERIAL, NAME=M", "*ELASTIC", f"{young:.16g}, {nu:.16g}",
        "*SOLID SECTION, ELSET=SOLID, MATERIAL=M",
        "*BOUNDARY", "BOTTOM, 1, 2", "AXIS, 1, 1", "WALL, 1, 1",
        "*STEP", "*STATIC", "*BOUNDARY",
    ]
    lines += [f"{node + 1}, 2, 2, {value:.12e}" for node, value in moved.items()]
    lines += ["*NODE PRINT, NSET=TOP", "U, RF", "*END STEP", ""]
    return "\n".join(lines)


def solve(directory, name, mesh, young, nu, profile, guess):
    """Indent by the surface of heights `profile(r)` over the undeformed layer's (negative: below);
    `guess` is the radius the iteration starts from."""
    top = mesh.top
    r = mesh.nodes[top, 0]
    wanted = profile(r)
    scale = -wanted.min()
    active = r <= guess
    start = time.perf_counter()
    for runs in range(1, PASSES + 1):
        deck = _deck(mesh, young, nu, dict(zip(top[active], wanted[active])))
        text = calculix.run(directory, name, deck)
        order = np.searchsorted(np.sort(top), top)
        u = calculix.table(text, "displacements")[order, 2]
        force = -WHOLE_OVER_WEDGE * calculix.table(text, "forces")[order, 2]  # on the layer, down
        pulls = active & (force < -1e-9 * force.max())
        pulls[0] = False  # the corner on the axis has no load of its own, only rounding
        enters = ~active & (u > wanted + 1e-7 * scale)
        if not pulls.any() and not enters.any():
            break
        active = (active & ~pulls) | enters
    else:
        raise RuntimeError(f"{name}: no contact set after {PASSES} passes")
    seconds = time.perf_counter() - start
    edge = np.flatnonzero(active)[-1]
    last = edge + edge % 2  # whole elements carry the pressure
    mass = meshes.edge_mass(r[:last + 1], lambda x: 2 * np.pi * x)
    pressures = np.linalg.solve(mass, np.where(active, force, 0.0)[:last + 1])
    return Result(float(force[active].sum()), float(r[edge]), float(r[edge] - r[edge - 1]),
                  r[:last + 1], pressures, len(mesh.nodes), runs, seconds)
