# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Writes mug.obj and spoon.obj, closed surfaces in metres with normals out: python3 make_meshes.py [FOLDER]"""

import math
import pathlib
import sys

HEAD = ("# SPDX-FileCopyrightText: 2026 The Isobar authors\n# SPDX-License-Identifier: Apache-2.0\n"
        "# {} Written by make_meshes.py.\n")


class Mesh:
    def __init__(self):
        self.vertices, self.faces = [], []

    def ring(self, points):
        first = len(self.vertices)
        self.vertices += points
        return list(range(first, len(self.vertices)))

    def quad(self, a, b, c, d):
        self.faces += [(a, b, c), (a, c, d)]

    def tube(self, lower, upper):
        """Between two rings that both run anticlockwise as seen from the side of the upper one."""
        n = len(lower)
        for i in range(n):
            j = (i + 1) % n
            self.quad(lower[i], lower[j], upper[j], upper[i])

    def cap(self, ring, point, up):
        (top,) = self.ring([point])
        for a, b in zip(ring, ring[1:] + ring[:1]):
            self.faces.append((a, b, top) if up else (b, a, top))

    def text(self, what):
        lines = [HEAD.format(what).rstrip()]
        lines += [f"v {x:.6g} {y:.6g} {z:.6g}" for x, y, z in self.vertices]
        lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in self.faces]
        return "\n".join(lines) + "\n"


def mug():
    """A cup about z on z = 0 of radius 40 mm, with a handle towards x that goes through two holes of its wall."""
    n, outer, inner, height, bottom = 24, 0.040, 0.036, 0.090, 0.006
    levels = (0.0, 0.015, 0.025, 0.045, 0.065, 0.075, height)
    mesh = Mesh()

    def circle(radius, z):
        turns = [2.0 * math.pi * i / n for i in range(n)]
        return mesh.ring([(radius * math.cos(t), radius * math.sin(t), z) for t in turns])

    rings = [circle(outer, z) for z in levels]
    holes = {}
    for level, (low, high) in enumerate(zip(rings, rings[1:])):
        for i in range(n):
            j = (i + 1) % n
            if level in (1, 4) and i in (n - 1, 0):  # the two quads beside x
                holes[level] = [low[n - 1], low[0], low[1], high[1], high[0], high[n - 1]]
            else:
                mesh.quad(low[i], low[j], high[j], high[i])
    rim, floor = circle(inner, height), circle(inner, bottom)
    mesh.tube(rings[-1], rim)
    mesh.tube(rim, floor)
    mesh.cap(floor, (0.0, 0.0, bottom), True)
    mesh.cap(rings[0], (0.0, 0.0, 0.0), False)
    # The handle: sections of six corners on an arc of a superellipse from the lower to the upper hole.
    last, steps = holes[1], 8
    for k in range(1, steps):
        angle = math.pi * (k / steps - 0.5)
        reach = abs(math.cos(angle)) ** 0.6
        x = outer + 0.032 * reach
        z = 0.045 + 0.025 * math.copysign(abs(math.sin(angle)) ** 0.6, math.sin(angle))
        # As the hole's corners, seen from ahead; the inner side of the arc is up.
        section = [(x - v * math.cos(angle), y, z - v * math.sin(angle))
                   for y, v in ((-0.005, -0.003), (0.0, -0.005), (0.005, -0.003),
                                (0.005, 0.003), (0.0, 0.005), (-0.005, 0.003))]
        ring = mesh.ring(section)
        mesh.tube(last, ring)
        last = ring
    upper = holes[4]
    # Seen along the arc the upper hole is upside down.
    mesh.tube(last, [upper[5], upper[4], upper[3], upper[2], upper[1], upper[0]])
    return mesh.text("Mug about z, 80 mm wide, 90 mm high, with a handle towards x.")


def spoon():
    """Along x: a round handle of radius 4 mm from -100 mm to 0, then a bowl, hollow towards z, to 55 mm."""
    n = 16
    mesh = Mesh()
    #        x      half width, half thickness, depth of the hollow
    rows = [(-0.100, 0.0040, 0.0040, 0.0), (-0.060, 0.0040, 0.0040, 0.0), (-0.020, 0.0040, 0.0040, 0.0),
            (-0.005, 0.0040, 0.0040, 0.0), (0.005, 0.0070, 0.0025, 0.0015), (0.015, 0.0130, 0.0016, 0.006),
            (0.025, 0.0165, 0.0014, 0.009), (0.035, 0.0170, 0.0014, 0.009), (0.045, 0.0135, 0.0014, 0.0065),
            (0.052, 0.0070, 0.0014, 0.0025)]
    last = None
    for x, width, thickness, hollow in rows:
        points = []
        for i in range(n):
            turn = 2.0 * math.pi * i / n
            y = math.cos(turn)
            points.append((x, width * y, thickness * math.sin(turn) - hollow * (1.0 - y * y)))
        ring = mesh.ring(points)
        if last is None:
            mesh.cap(ring, (x, 0.0, 0.0), False)
        else:
            mesh.tube(last, ring)
        last = ring
    mesh.cap(last, (0.055, 0.0, -0.0006), True)
    return mesh.text("Spoon along x, round handle of radius 4 mm, bowl hollow towards z.")


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
    for name, text in (("mug.obj", mug()), ("spoon.obj", spoon())):
        (folder / name).write_text(text)
