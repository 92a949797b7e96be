# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Small meshes of boxes and balls, of a stated number of elements."""

import numpy as np

_CUBE = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
# Six tetrahedra of a cube about its diagonal from corner 0 to corner 7.
_KUHN = np.array([[0, 4, 6, 7], [0, 6, 2, 7], [0, 2, 3, 7], [0, 3, 1, 7], [0, 1, 5, 7], [0, 5, 4, 7]])


def box_tets(size, cells):
    """Vertices and tetrahedra of a box of so many cells along its axes."""
    counts = np.array(cells)
    grid = np.stack(np.meshgrid(*[np.arange(n + 1) for n in counts], indexing="ij"), axis=-1)
    vertices = (grid.reshape(-1, 3) / counts - 0.5) * size
    strides = np.array([(counts[1] + 1) * (counts[2] + 1), counts[2] + 1, 1])
    corners = (_CUBE.astype(int) @ strides)[None, :]
    cell = np.stack(np.meshgrid(*[np.arange(n) for n in counts], indexing="ij"), axis=-1)
    tets = ((cell.reshape(-1, 3) @ strides)[:, None] + corners)[:, _KUHN].reshape(-1, 4)
    return vertices, _oriented(vertices, tets)


def _oriented(vertices, tets):
    a, b, c, d = (vertices[tets[:, i]] for i in range(4))
    flipped = np.einsum("ij,ij->i", np.cross(b - a, c - a), d - a) < 0
    tets = tets.copy()
    tets[flipped, 2], tets[flipped, 3] = tets[flipped, 3], tets[flipped, 2].copy()
    return tets


def box_triangles(size, cells):
    """Vertices and triangles of the skin of a box, each face of cells x cells squares."""
    vertices, triangles, index = [], [], {}

    def vertex(point):
        key = tuple(np.round(point, 9))
        if key not in index:
            index[key] = len(vertices)
            vertices.append((np.array(point) - 0.5) * size)
        return index[key]

    for axis in range(3):
        for side in (0.0, 1.0):
            u, v = (axis + 1) % 3, (axis + 2) % 3
            for i in range(cells):
                for j in range(cells):
                    corners = []
                    for a, b in ((0, 0), (1, 0), (1, 1), (0, 1)):
                        point = [0.0, 0.0, 0.0]
                        point[axis], point[u], point[v] = side, (i + a) / cells, (j + b) / cells
                        corners.append(vertex(point))
                    p, q, r, s = corners if side else corners[::-1]
                    triangles += [[p, q, r], [p, r, s]]
    return np.array(vertices), np.array(triangles)


def ball_triangles(radius, levels):
    """Vertices and triangles of an icosahedron, each triangle cut in four so many times."""
    phi = 0.5 * (1 + 5**0.5)
    points = [np.array(p, dtype=float) for p in (
        (-1, phi, 0), (1, phi, 0), (-1, -phi, 0), (1, -phi, 0), (0, -1, phi), (0, 1, phi),
        (0, -1, -phi), (0, 1, -phi), (phi, 0, -1), (phi, 0, 1), (-phi, 0, -1), (-phi, 0, 1))]
    triangles = [(0, 11, 5), (0, 5, 1), (0, 1, 7), (0, 7, 10), (0, 10, 11), (1, 5, 9), (5, 11, 4),
                 (11, 10, 2), (10, 7, 6), (7, 1, 8), (3, 9, 4), (3, 4, 2), (3, 2, 6), (3, 6, 8),
                 (3, 8, 9), (4, 9, 5), (2, 4, 11), (6, 2, 10), (8, 6, 7), (9, 8, 1)]
    points = [p / np.linalg.norm(p) for p in points]
    for _ in range(levels):
        middle, finer = {}, []

        def halve(i, j):
            key = (min(i, j), max(i, j))
            if key not in middle:
                point = points[i] + points[j]
                points.append(point / np.linalg.norm(point))
                middle[key] = len(points) - 1
            return middle[key]

        for a, b, c in triangles:
            p, q, r = halve(a, b), halve(b, c), halve(c, a)
            finer += [(a, p, r), (p, b, q), (r, q, c), (p, q, r)]
        triangles = finer
    return radius * np.array(points), np.array(triangles)


def ball_tets(radius, levels):
    """A star of tetrahedra about the centre of a ball."""
    vertices, triangles = ball_triangles(radius, levels)
    centre = len(vertices)
    tets = np.column_stack([np.full(len(triangles), centre), triangles])
    vertices = np.vstack([vertices, np.zeros(3)])
    return vertices, _oriented(vertices, tets)
