# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Structured meshes of eight-node quadrilaterals over a rectangle, graded where it is needed."""

import numpy as np

# Parent coordinates of the eight nodes: corners counter-clockwise, then the middles of the sides.
NODES = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1], [0, -1], [1, 0], [0, 1], [-1, 0]], float)


def geometric(start, end, first, growth, largest=np.inf):
    """Points from start to end; the first step is about `first`, each `growth` times the last and
    at most `largest`."""
    length, steps = abs(end - start), []
    if length == 0:
        return np.array([start])
    while sum(steps) < length:
        steps.append(min(first * growth ** len(steps), largest))
    steps = np.array(steps) * length / sum(steps)
    points = start + np.sign(end - start) * np.concatenate([[0.0], np.cumsum(steps)])
    points[-1] = end
    return points


def joined(*pieces):
    """Ascending breakpoints of several pieces, given in any direction; shared ends once."""
    points = np.sort(np.concatenate(pieces))
    gap = 1e-9 * (points[-1] - points[0])
    return points[np.concatenate([[True], np.diff(points) > gap])]


class Mesh:
    """Nodes [n, 2], elements [m, 8]; `bottom`, `top`, `left`, `right`: nodes in ascending order."""

    def __init__(self, x, y):
        columns, rows = len(x) - 1, len(y) - 1
        fine_x, fine_y = np.empty(2 * columns + 1), np.empty(2 * rows + 1)
        fine_x[::2], fine_x[1::2] = x, 0.5 * (x[1:] + x[:-1])
        fine_y[::2], fine_y[1::2] = y, 0.5 * (y[1:] + y[:-1])
        number = -np.ones((2 * columns + 1, 2 * rows + 1), int)
        used = np.ones_like(number, bool)
        used[1::2, 1::2] = False  # the middles of the elements carry no node
        number[used] = np.arange(used.sum())
        grid = np.stack(np.meshgrid(fine_x, fine_y, indexing="ij"), axis=-1)
        self.nodes = grid[used]
        i, j = np.meshgrid(2 * np.arange(columns), 2 * np.arange(rows), indexing="ij")
        i, j = i.ravel(), j.ravel()
        shifts = (NODES + 1).astype(int)
        self.elements = np.stack([number[i + dx, j + dy] for dx, dy in shifts], axis=1)
        self.bottom, self.top = number[:, 0], number[:, -1]
        self.left, self.right = number[0], number[-1]


def edge_mass(positions, weight):
    """Consistent mass matrix of three-node edges along ascending nodes (end, middle, end, ...);
    weight(x) multiplies the length. Dense: surfaces have a few hundred nodes."""
    g, w = np.polynomial.legendre.leggauss(4)
    shape = np.stack([0.5 * g * (g - 1), 1 - g * g, 0.5 * g * (g + 1)], axis=1)
    mass = np.zeros((len(positions), len(positions)))
    for first in range(0, len(positions) - 2, 2):
        x = positions[first:first + 3]
        measure = w * 0.5 * (x[2] - x[0]) * weight(shape @ x)
        mass[first:first + 3, first:first + 3] += shape.T * measure @ shape
    return mass
