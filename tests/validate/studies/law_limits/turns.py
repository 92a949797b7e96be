# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Rotations as matrices."""

import math

import numpy as np


def about(axis, angle):
    """Rotation about a unit axis."""
    x, y, z = axis
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * skew + (1 - math.cos(angle)) * skew @ skew


def of_vector(vector):
    """Rotation of a rotation vector."""
    angle = float(np.linalg.norm(vector))
    return np.eye(3) if angle == 0 else about(np.array(vector) / angle, angle)


def vector_of(rotation):
    """Rotation vector of a rotation of less than half a turn."""
    skew = 0.5 * np.array([rotation[2, 1] - rotation[1, 2], rotation[0, 2] - rotation[2, 0],
                           rotation[1, 0] - rotation[0, 1]])
    sine, cosine = float(np.linalg.norm(skew)), 0.5 * (np.trace(rotation) - 1)
    return skew if sine == 0 else skew * (math.atan2(sine, cosine) / sine)


def draw(random):
    """Rotation vector about a random axis, up to 3 rad."""
    axis = random.normal(size=3)
    return axis / np.linalg.norm(axis) * random.uniform(0, 3)
