# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""What a first step costs where two bodies are in line, coincide or touch, against the same moved a little.

Drawn: pairs of primitives, height fields, hulls, surfaces that are not convex and meshes of tetrahedra,
rigid and compliant, of related sizes and in turns of 45 degrees, in every contact model. Faces and
evaluations of the solver are counted, not timed. ISO_ALIGNED="FIRST COUNT" looks at other seeds.
Skipped where the shared library is missing.
"""

import itertools
import logging
import os
import pathlib
import random
import sys
import tempfile
import unittest

try:
    import isobar
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

FIRST, COUNT = (int(x) for x in os.environ.get("ISO_ALIGNED", "1 80").split())
MOST = 5.0
# A face costs a query as much as so many evaluations of the solver; few faces cost nothing.
QUERY = 40
LEAST = 500 * QUERY
CELLS = {  # of bodies made of cubes
    "block": [c for c in itertools.product(range(4), repeat=3)],
    "step": [c for c in itertools.product(range(4), repeat=3) if c[0] < 2 or c[2] < 2],
    "trough": [c for c in itertools.product(range(6), repeat=3) if not (1 < c[0] < 4 and c[2] > 1)],
    "ring": [c for c in itertools.product(range(8), repeat=3) if not (2 <= c[0] < 6 and 2 <= c[1] < 6)],
}
ROWS = 16
HEIGHTS = {
    "flat": lambda i, j: 0.0,
    "wavy": lambda i, j: 0.02 * (i % 2 + j % 2),
    "roof": lambda i, j: 0.1 * abs(i - ROWS // 2) / ROWS,
}
SCENE = """
simulation: {{gravity: [0, 0, 0], time_step: 1.0e-3, contact_model: {model}}}
bodies:
- {{name: a, fixed: true, geometry: [{{name: g, {a}, pose: {{rotation: !Rpy {{deg: {turn_a}}}}}}}]}}
- {{name: b, mass: 1, inertia: [0.01, 0.01, 0.01], pose: {{translation: {at}}},
   geometry: [{{name: g, {b}, pose: {{rotation: !Rpy {{deg: {turn_b}}}}}}}]}}
"""


class Corners(dict):
    """Numbers of corners, in the order in which they were asked for."""

    def __missing__(self, corner):
        self[corner] = len(self)
        return self[corner]

    def points(self, cells):
        size = 1 + max(max(c) for c in cells)
        return [[0.2 * (x / size - 0.5) for x in corner] for corner in self]


def surface_of(cells):
    """OBJ of the outside of cubes, 0.2 m wide in all."""
    corners, triangles, filled = Corners(), [], set(cells)
    for cell, axis, side in itertools.product(cells, range(3), (0, 1)):
        beside = tuple(x + (2 * side - 1) * (k == axis) for k, x in enumerate(cell))
        if beside in filled:
            continue
        ring = []
        for u, v in ((0, 0), (1, 0), (1, 1), (0, 1)):
            corner = list(cell)
            corner[axis] += side
            corner[(axis + 1) % 3] += u
            corner[(axis + 2) % 3] += v
            ring.append(corners[tuple(corner)] + 1)
        ring = ring if side else ring[::-1]
        triangles += [ring[:3], [ring[0], ring[2], ring[3]]]
    lines = ["v {:g} {:g} {:g}".format(*p) for p in corners.points(cells)]
    return "\n".join(lines + ["f {} {} {}".format(*t) for t in triangles]) + "\n"


def volume_of(cells):
    """VTK of cubes, six tetrahedra each."""
    corners, tets = Corners(), []
    for cell, order in itertools.product(cells, itertools.permutations(range(3))):
        at, tet = list(cell), [corners[cell]]
        for axis in order:
            at[axis] += 1
            tet.append(corners[tuple(at)])
        if order not in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            tet[1], tet[2] = tet[2], tet[1]
        tets.append(tet)
    return (f"# vtk DataFile Version 3.0\ncubes\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS {len(corners)} double\n"
            + "".join("{:g} {:g} {:g}\n".format(*p) for p in corners.points(cells))
            + f"CELLS {len(tets)} {5 * len(tets)}\n" + "".join("4 {} {} {} {}\n".format(*t) for t in tets)
            + f"CELL_TYPES {len(tets)}\n" + "10\n" * len(tets))


def heights_of(height):
    """OBJ of a height field, 1 m wide."""
    at = lambda i, j: i * (ROWS + 1) + j + 1
    points = "".join(f"v {i / ROWS - 0.5:g} {j / ROWS - 0.5:g} {height(i, j):g}\n"
                     for i in range(ROWS + 1) for j in range(ROWS + 1))
    return points + "".join(f"f {at(i, j)} {at(i + 1, j)} {at(i + 1, j + 1)}\nf {at(i, j)} {at(i + 1, j + 1)} {at(i, j + 1)}\n"
                            for i in range(ROWS) for j in range(ROWS))


ROUND = {
    "sphere": "shape: sphere, radius: {0}",
    "box": "shape: box, size: [{2}, {3}, {2}]",
    "capsule": "shape: capsule, radius: {0}, length: {3}",
    "cylinder": "shape: cylinder, radius: {0}, length: {3}",
    "ellipsoid": "shape: ellipsoid, semi_axes: [{0}, {1}, {0}]",
}
SOLID = [*ROUND, "surface", "surface", "volume", "volume", "hull"]


def draw_shape(draw, kinds):
    """Text of a geometry and its size [m]."""
    kind, r, s = draw.choice(kinds), draw.choice([0.05, 0.1, 0.1, 0.2]), draw.choice([0.05, 0.1, 0.1, 0.2])
    stuff = draw.choice(["compliance: rigid", f"compliance: compliant, modulus: {draw.choice(['1.0e+5', '1.0e+6'])}"])
    name = draw.choice(list(CELLS))
    if kind in ROUND:
        hint = draw.choice(["", "", ", resolution_hint: 0.03"]) if kind != "box" else ""
        return f"{ROUND[kind].format(r, s, 2 * r, 2 * s)}, {stuff}{hint}", r
    if kind == "surface":
        return f"shape: mesh, file: {name}.obj, compliance: rigid", 0.1
    if kind == "volume":
        return f"shape: mesh, file: {name}.vtk, {stuff}", 0.1
    if kind == "hull":
        return f"shape: convex, file: {draw.choice(['step', 'trough'])}.obj, {stuff}", 0.1
    if kind == "heights":
        return f"shape: mesh, file: {draw.choice(list(HEIGHTS))}.obj, compliance: rigid", 0.1
    return "shape: half_space, compliance: rigid", 0.1


def draw_turn(draw):
    angles = (0, 90, 180, 45, -90)
    return [draw.choice(angles) for _ in range(3)] if draw.random() < 0.5 else [0, 0, 0]


def draw_place(draw, a, b):
    """Place of a body of size b beside or in one of size a: coincident, along an axis, touching, at a corner."""
    place = [0.0, 0.0, 0.0]
    how = draw.randrange(5)
    if how < 2:
        place[draw.randrange(3)] = draw.choice([a, b, a + b, abs(a - b), 2 * a, 0.5 * a])
    elif how == 2:
        place[2] = draw.choice([a + b, 0.1 + b, b, 0.1]) * (1 - draw.choice([0, 1e-9, 1e-3]))
    elif how == 3:
        place = [a, b, draw.choice([a, b, 0.0])]
    return place


class AlignedCosts(unittest.TestCase):
    def setUp(self):
        logging.disable(logging.CRITICAL)
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = pathlib.Path(held.name)
        for name, cells in CELLS.items():
            (self.folder / f"{name}.obj").write_text(surface_of(cells))
            (self.folder / f"{name}.vtk").write_text(volume_of(cells))
        for name, height in HEIGHTS.items():
            (self.folder / f"{name}.obj").write_text(heights_of(height))

    def cost(self, scene, place, moved=(0.0, 0.0, 0.0)):
        """Evaluations of faces in the first step."""
        path = self.folder / "pair.yaml"
        path.write_text(scene(at=[x + d for x, d in zip(place, moved)]), encoding="utf-8")
        world = isobar.load(path).create_world()
        world.step()
        report = world.report()
        return report.face_count * (QUERY + report.line_search_iterations)

    def check(self, what, scene, place, size, draw):
        cost = self.cost(scene, place)
        if cost <= LEAST:
            return 0.0
        shifts = [[0.02 * size * draw.choice([-1, 1]) * (axis == k) for k in range(3)] for axis in range(3)]
        ratio = cost / max(LEAST, *(self.cost(scene, place, shift) for shift in shifts))
        self.assertLessEqual(ratio, MOST, f"{what}: {scene(at=place)}")
        return ratio

    def test_pairs_in_line_cost_at_most_five_times_what_they_cost_beside_it(self):
        worst = 0.0
        for seed in range(FIRST, FIRST + COUNT):
            draw = random.Random(seed)
            a, size_a = draw_shape(draw, [*SOLID, "heights", "half_space"])
            b, size_b = draw_shape(draw, SOLID)
            values = {"model": draw.choice(["pressure_field", "pressure_field", "hertz", "volumetric"]), "a": a, "b": b,
                      "turn_a": draw_turn(draw), "turn_b": draw_turn(draw)}
            scene = lambda at, values=values: SCENE.format(at=at, **values)
            worst = max(worst, self.check(f"seed {seed}", scene, draw_place(draw, size_a, size_b), min(size_a, size_b), draw))
        print(f"{COUNT} pairs: at most {worst:.2f} times the cost")

    def test_large_pressures_in_balance_cost_what_others_do(self):
        draw = random.Random(0)
        for b, turn in (("ellipsoid, semi_axes: [0.2, 0.2, 0.2]", [45, 0, -90]), ("sphere, radius: 0.15", [0, 0, 0]),
                        ("ellipsoid, semi_axes: [0.1, 0.2, 0.1]", [45, 90, 0]), ("cylinder, radius: 0.1, length: 0.2", [0, 0, 0])):
            values = {"model": "pressure_field", "a": "shape: mesh, file: ring.obj, compliance: rigid",
                      "b": f"shape: {b}, compliance: rigid", "turn_a": turn, "turn_b": [0, 0, 0]}
            scene = lambda at, values=values: SCENE.format(at=at, **values)
            ratio = self.check(b, scene, [0.0, 0.0, 0.0], 0.1, draw)
            print(f"{b:40} {ratio:.2f} times the cost")


if __name__ == "__main__":
    unittest.main()
