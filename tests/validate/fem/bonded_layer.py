# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Rigid, frictionless indentation of a linear elastic layer bonded to a rigid base: the exact
solution, against which the finite elements themselves are checked.

A pressure of Hankel transform p(s) lowers the surface by w(s) = (2 / E') M(s H) p(s) / s, with
E' = E / (1 - nu^2) and H the thickness [Lebedev1958], [Hayes1972];
M(x) -> 1 for a half space, M(x) -> x E' / (2 E*) for a thin layer. Writing
p(s) = int_0^a phi(t) cos(s t) dt keeps the pressure inside the circle r < a and leaves

    phi(x) - int_0^a phi(t) [k(x - t) + k(x + t)] dt / pi = (E' / pi) (depth - x^2 / R),
    k(y) = int_0^inf (1 - M(s H)) cos(s y) ds;   force 2 pi int_0^a phi dt.

1 / R = 0 is the flat punch. Under a paraboloid phi(a) = 0 gives the contact radius a.
"""

import numpy as np
from scipy.optimize import brentq


def plane_modulus(young, nu):
    """E' = E / (1 - nu^2)."""
    return young / (1 - nu**2)


def layer_modulus(young, nu):
    """E* = E (1 - nu) / ((1 + nu) (1 - 2 nu)): pressure over strain in a thin layer."""
    return young * (1 - nu) / ((1 + nu) * (1 - 2 * nu))


def compliance_factor(x, nu):
    """M(x) of a bonded layer; numerator and denominator scaled by exp(-2 x)."""
    x = np.asarray(x, float)
    decay = np.exp(-2 * x)
    b = 3 - 4 * nu
    sinh2, cosh2 = 0.5 * (1 - decay**2), 0.5 * (1 + decay**2)
    return (b * sinh2 - 2 * x * decay) / (
        b * cosh2 + (2 * x * x + 5 - 12 * nu + 8 * nu * nu) * decay)


def _gauss(count, lower, upper):
    x, w = np.polynomial.legendre.leggauss(count)
    return 0.5 * (upper - lower) * x + 0.5 * (upper + lower), 0.5 * (upper - lower) * w


class Contact:
    """A contact of a given radius on a layer: flat punch and paraboloid at once, superposed."""

    def __init__(self, radius, thickness, young, nu):
        self.radius, self.thickness = radius, thickness
        self.modulus = plane_modulus(young, nu)
        # Eight points per thickness: the kernel is that wide.
        count = 120 + int(8 * radius / thickness)
        x, w = _gauss(count, 0.0, radius)
        # 1 - M decays like s exp(-2 s H): nothing is left beyond s H = 22.
        s, ws = _gauss(60 + int(12 * max(1.0, radius / thickness)), 0.0, 22.0 / thickness)
        remainder = ws * (1 - compliance_factor(s * thickness, nu))
        even = np.cos(np.outer(x, s))
        edge = np.cos(radius * s)
        kernel = (2 / np.pi) * (even * remainder) @ even.T * w  # k(x-t) + k(x+t), over pi
        right = (self.modulus / np.pi) * np.stack([np.ones_like(x), x**2], axis=1)
        self.nodes, self.weights = x, w
        self.phi = np.linalg.solve(np.eye(count) - kernel, right)  # depth 1; 1 / R = 1
        at_edge = (2 / np.pi) * (edge * remainder) @ even.T * w
        self.edge = (self.modulus / np.pi) * np.array([1.0, radius**2]) + at_edge @ self.phi

    def depth(self, curvature_radius):
        """Depth at which a paraboloid of this radius touches within the circle."""
        return self.edge[1] / self.edge[0] / curvature_radius

    def force(self, depth, curvature=0.0):
        return 2 * np.pi * self.weights @ (self.phi @ [depth, -curvature])


def punch_force(radius, thickness, depth, young, nu):
    return Contact(radius, thickness, young, nu).force(depth)


def sphere_contact(curvature_radius, thickness, depth, young, nu):
    """(force, contact radius) of a paraboloid pressed in by `depth`."""
    largest = np.sqrt(2 * curvature_radius * depth)  # of a thin layer; a half space has 1/sqrt(2)
    radius = brentq(
        lambda a: Contact(a, thickness, young, nu).depth(curvature_radius) / depth - 1,
        0.6 * largest, 1.05 * largest, xtol=1e-12 * largest)
    return Contact(radius, thickness, young, nu).force(depth, 1 / curvature_radius), radius
